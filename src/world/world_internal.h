/* SPDX-License-Identifier: MIT */
/*
 * world_internal.h: the structure of a version of a world, and functions that make one.
 *
 * The following sources of this folder have no header of their own: crossing.c, exclusive.c,
 * world_batch.c, world_copy.c, world_kind.c, world_query.c, world_validate.c.
 */
#ifndef PQTI_WORLD_INTERNAL_H
#define PQTI_WORLD_INTERNAL_H

#include <pqt/circle.h>
#include <pqt/obstacle.h>
#include <pqt/step.h>
#include <pqt/world.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/node.h"
#include "world/bodymap.h"
#include "world/rest_state.h"

/* The largest absolute value of a number in a world. Products of four such numbers are finite. See
 * docs/world.md, "Ranges". */
#define PQTI_WORLD_LIMIT 0x1p200

/* An obstacle with pixels. */
typedef struct pqti_obstacle {
    const pqt_region *region;
    pqt_vec at;        /* offset in world units, a multiple of 1/1024 */
    pqt_pixel_box box; /* bounds of the region */
    uint64_t unused;   /* last word of the block, which the collector does not scan for pointers */
} pqti_obstacle;

struct pqt_world {
    pqti_version version; /* its `own` is 0 */
    const pqt_tree *tree; /* an item per body with its id and box; has the bounds and memory */
    pqti_bodymap bodies;
    pqt_fingerprint fingerprint;           /* the sum of the fingerprints of the bodies */
    const pqti_obstacle *obstacle;         /* NULL: the world has none */
    pqti_rest_states rest;                 /* the states of rest (rest_state.h) */
    const struct pqti_event_block *events; /* the events of the step that made it; NULL: none */
    /* These two are in the last word, which must not hold a pointer. */
    uint32_t walls;  /* 1 if the bounds are walls, otherwise 0 */
    uint32_t mobile; /* number of bodies that are mobile (bodymap.h) */
};

/* Stops the program if the world was reclaimed. `function` is the public function that was called
 * with it. */
static inline void
pqti_assert_world_alive(const char *function, const pqt_world *world)
{
    pqti_assert_version(function, PQT_KIND_WORLD, world);
}

extern const struct pqti_kind_calls pqti_world_calls; /* see kind_calls.h */

/* Checks the world with which a public function was called. */
#define PQTI_ASSERT_WORLD(world)                                                                   \
    (PQT_ASSERT((world) != NULL, "the world is NULL"), pqti_assert_world_alive(__func__, world))

static inline pqt_memory *
pqti_world_memory(const pqt_world *world)
{
    return world->tree->domain->options.memory;
}

/* Returns the totals of the bodies of a version. */
static inline pqti_body_totals
pqti_world_totals(const pqt_world *world)
{
    return (pqti_body_totals){world->fingerprint, world->mobile};
}

/* Copies `*version`, a value on the stack, into its memory. Returns NULL with an error set when out
 * of memory. */
const pqt_world *pqti_world_make(const pqt_world *version, pqt_error *error);

/* Copies an obstacle into another memory, where `region` is the copy of its region. Returns NULL
 * when out of memory. */
const pqti_obstacle *pqti_obstacle_copy(const pqti_obstacle *obstacle, const pqt_region *region,
                                        pqt_memory *memory);

/* Returns true if the offset of a region is in range. Otherwise, returns false and sets an error
 * that names `what`. */
bool pqti_validate_region_offset(pqt_vec at, const char *what, pqt_error *error);

/* Rounds an offset to multiples of 1/1024, halves up. */
pqt_vec pqti_round_to_subpixel(pqt_vec at);

/* In these functions, NULL means that there is no obstacle. Its fingerprint is 0, and it is
 * valid. */
bool pqti_obstacle_equals(const pqti_obstacle *a, const pqti_obstacle *b);
pqt_fingerprint pqti_obstacle_fingerprint(const pqti_obstacle *obstacle);
bool pqti_obstacle_check(const pqti_obstacle *obstacle, const pqt_memory *memory, pqt_error *error);
size_t pqti_obstacle_shared_bytes(const pqti_obstacle *a, const pqti_obstacle *b);

/* Like pqt_world_exclusive_bytes, but without the tree of the world and the region of its
   obstacle. */
bool pqti_world_own_bytes(const pqt_world *world, const pqt_world *const *others, size_t count,
                          size_t *bytes, pqt_error *error);

/* Like pqti_check_input, but for worlds. */
bool pqti_world_check_input_in(const char *function, const pqt_world *world, pqt_error *error);
#define pqti_world_check_input(world, error) pqti_world_check_input_in(__func__, world, error)

/* Adds the numbers of one report to another. `to` may be NULL. */
void pqti_report_add(pqt_step_report *to, const pqt_step_report *from);

/* Returns the item of a body. */
static inline pqt_item
pqti_body_item(uint64_t id, pqt_vec position, double radius)
{
    return (pqt_item){pqt_circle_box((pqt_circle){position, radius}), id};
}

/* Returns the box of the positions at which a circle is inside the walls, by an exact comparison of
 * the circle's box. The result is infinite if there are no walls, and invalid (min > max) if the
 * radius is too large. */
pqt_box pqti_world_centre_box(const pqt_world *world, double radius);

/* Checks body number `index` of the caller's array. If it is valid, returns true and stores the
 * body in *admitted, with its mass computed and each -0.0 replaced by 0.0. Otherwise, returns false
 * and sets PQT_ERROR_BODY or PQT_ERROR_BOUNDS. */
bool pqti_validate_body(const pqt_world *world, const pqt_body *body, size_t index,
                        pqt_body *admitted, pqt_error *error);

/* Returns true if the numbers of a step are in range. Otherwise, returns false and sets
 * PQT_ERROR_OPTION. */
bool pqti_check_step_options(double dt, const pqt_step_options *options, pqt_error *error);

/* Returns a description of the fault in the states of rest of a version, or NULL if there is
 * none. */
const char *pqti_validate_rest(const pqt_world *world);

#endif
