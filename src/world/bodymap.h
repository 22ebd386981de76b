/* SPDX-License-Identifier: MIT */
/*
 * bodymap.h: the body map, a persistent map from the id of a body to its static and dynamic state.
 *
 * The map consists of three tries of the same shape: one of *static states* (id, radius, mass ...),
 * which a step does not change, one of *dynamic states* (position and velocity), which a step
 * replaces, and one of *spins* (angle and angular velocity). So a step in which all bodies move
 * shares all static states, and takes 32 bytes per body, plus the nodes. A subtree whose spins are
 * all 0 has no block of spins, so worlds in which nothing turns pay nothing for them.
 *
 * The tries divide by the keys of the ids (item_hash.h), two bits at each level. A subtree of up to
 * PQTI_BODYMAP_LEAF bodies is a leaf. So the shape of the tries and the order of the bodies in them
 * (*key order*) depend on the ids alone.
 */
#ifndef PQTI_BODYMAP_H
#define PQTI_BODYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/memory.h>
#include <pqt/world.h>

#include "memory/memory_internal.h"
#include "memory/block_table.h"
#include "world/rest_state.h"

enum { PQTI_BODYMAP_LEAF = 16 };

/* Flags of `roles`. A body is not both fixed and kinematic. */
enum { PQTI_FIXED = 1, PQTI_KINEMATIC = 2, PQTI_SENSOR = 4, PQTI_OWN_FRICTION = 8 };
enum { PQTI_ROLES = 15 };

/* Returns true if two bodies with these categories and masks meet. See pqt_body. */
static inline bool
pqti_categories_meet(uint32_t category_a, uint32_t mask_a, uint32_t category_b, uint32_t mask_b)
{
    return (mask_a == 0 || (mask_a & category_b) != 0) &&
           (mask_b == 0 || (mask_b & category_a) != 0);
}

typedef struct pqti_body_static {
    uint64_t id;
    double radius, mass;
    pqt_vec acceleration;
    uint64_t roles; /* PQTI_FIXED ...; the upper 32 bits are the friction, a float */
    uint64_t user_data;
    uint32_t category, mask;
    uint64_t static_hash; /* pqti_body_static_hash of the members above */
} pqti_body_static;

typedef struct pqti_body_dynamic {
    pqt_vec position, velocity;
} pqti_body_dynamic;

typedef struct pqti_body_spin {
    double angle, velocity; /* radians, and radians per second */
} pqti_body_spin;

typedef struct pqti_bodymap {
    const void *statics, *dynamics; /* both NULL if the map is empty */
    const void *spins;              /* NULL: all spins are 0 */
} pqti_bodymap;

/* The states of a body in the map, or the states of the first of several bodies in a leaf. */
typedef struct pqti_body_entry {
    const pqti_body_static *statics;
    const pqti_body_dynamic *dynamics;
    const pqti_body_spin *spins; /* NULL: all are 0 */
} pqti_body_entry;

/* Properties of the static states of several bodies. A largest radius is given as the exponent of a
 * power of 2 that it does not exceed. */
typedef struct pqti_body_summary {
    uint32_t movable;                   /* number of bodies that are neither fixed nor kinematic */
    int16_t movable_exponent, exponent; /* of the largest radius of these, and of all bodies */
} pqti_body_summary;

/* A required final state: either this body is present, or no body has this id. */
typedef struct pqti_body_edit {
    uint64_t key; /* pqti_id_key(static_state.id) */
    pqti_body_static static_state;
    pqti_body_dynamic dynamic_state;
    pqti_body_spin spin;
    bool removal;
} pqti_body_edit;

/* Returns true if two edits set the same states. */
bool pqti_same_states(const pqti_body_edit *a, const pqti_body_edit *b);

/* Returns the hash of a body's static state. The fingerprint of the body continues from it. */
uint64_t pqti_body_static_hash(const pqti_body_static *static_state);

/* Returns the edit that sets a body. Its numbers must be valid and without -0.0. */
pqti_body_edit pqti_body_edit_of(const pqt_body *body);

/* The first function returns the roles of a body together with its friction. The second one sets
 * the corresponding members of a body. */
uint64_t pqti_body_roles(const pqt_body *body);
void pqti_body_set_roles(pqt_body *body, uint64_t roles);

float pqti_friction_of_roles(uint64_t roles);

/* Returns the term that a body contributes to the fingerprint of a version. If `spin` is NULL, the
 * spin is 0. */
pqt_fingerprint pqti_body_fingerprint(uint64_t static_hash, const pqti_body_dynamic *dynamic_state,
                                      const pqti_body_spin *spin);

/* Totals of the bodies of a version, which edits keep up to date. */
typedef struct pqti_body_totals {
    pqt_fingerprint fingerprint; /* the sum of the fingerprints of the bodies */
    size_t mobile;               /* number of bodies that are mobile */
} pqti_body_totals;

/* Returns true if a body with these states is mobile: neither fixed nor kinematic, or in motion. A
 * step changes the position, the velocity or the spin of no other body. */
bool pqti_body_is_mobile(const pqti_body_static *static_state,
                         const pqti_body_dynamic *dynamic_state, const pqti_body_spin *spin);

/* Adds the body that an edit sets to the totals, or subtracts it. */
void pqti_totals_add(pqti_body_totals *totals, const pqti_body_edit *edit);
void pqti_totals_subtract(pqti_body_totals *totals, const pqti_body_edit *edit);

size_t pqti_bodymap_count(const pqti_bodymap *bodies);

bool pqti_bodymap_find(const pqti_bodymap *bodies, uint64_t id, pqt_body *found);

/* Sets *found to the states of a body. Returns false if the body is not there. */
bool pqti_bodymap_find_states(const pqti_bodymap *bodies, uint64_t id, pqti_body_entry *found);

/* Returns the summary of all bodies. */
pqti_body_summary pqti_bodymap_summary(const pqti_bodymap *bodies);

/* Applies edits, which are in the order of their keys and have different ids. Returns false when
 * out of memory. */
bool pqti_bodymap_edit(pqt_memory *memory, const pqti_bodymap *bodies, const pqti_body_edit *edits,
                       size_t count, pqti_bodymap *edited);

/* Replaces all dynamic states and spins by the given ones, which are in key order. `spins` is NULL
 * if all are 0. Shares the subtrees that do not change. Returns false when out of memory. */
bool pqti_bodymap_move(pqt_memory *memory, const pqti_bodymap *bodies,
                       const pqti_body_dynamic *dynamic_states, const pqti_body_spin *spins,
                       pqti_bodymap *moved);

/* The next dynamic state and spin of a body. */
typedef struct pqti_body_motion {
    uint64_t key; /* pqti_id_key of the id */
    pqti_body_dynamic dynamic_state;
    pqti_body_spin spin;
} pqti_body_motion;

/* Replaces the dynamic states and spins of some bodies of the map, which are in key order. Copies
 * the paths to those that change. Returns false when out of memory. */
bool pqti_bodymap_move_some(pqt_memory *memory, const pqti_bodymap *bodies,
                            const pqti_body_motion *motions, size_t count, pqti_bodymap *moved);

pqt_body pqti_body_of(const pqti_body_entry *entry);

/* Visits the bodies in key order. Returns false if `visit` stopped it. */
typedef bool pqti_visit_body_entry_fn(const pqti_body_entry *entry, void *context);
bool pqti_bodymap_visit(const pqti_bodymap *bodies, pqti_visit_body_entry_fn *visit, void *context);

/* Visits the bodies that a step may change, in key order: those that are mobile, without `count`
 * bodies that are asleep, which are in key order. Enters no subtree without such a body. Returns
 * false if `visit` stopped it. */
bool pqti_bodymap_visit_awake(const pqti_bodymap *bodies, const pqti_quiet_body *asleep,
                              size_t count, pqti_visit_body_entry_fn *visit, void *context);

/* Visits the bodies that differ between two maps, in key order. A body that a map lacks is passed
 * as NULL. Does not enter shared subtrees. Returns false if `visit` stopped it. */
typedef bool pqti_visit_change_fn(const pqt_body *a, const pqt_body *b, void *context);
bool pqti_bodymap_compare(const pqti_bodymap *a, const pqti_bodymap *b, pqti_visit_change_fn *visit,
                          void *context);

/* Copies a map into another memory. `copies` maps the blocks that were copied before, for other
 * maps, to their copies, which the copy shares. Returns false when out of memory. */
bool pqti_bodymap_copy(pqt_memory *memory, const pqti_bodymap *bodies, pqti_hashtable *copies,
                       pqti_bodymap *copy);

/* Returns true if each body is where its key belongs, the counts are right, and the three tries
 * have the same shape. */
bool pqti_bodymap_check(const pqti_bodymap *bodies);

/* Returns the size in bytes of the blocks that two maps share. */
size_t pqti_bodymap_shared_bytes(const pqt_memory *memory, const pqti_bodymap *a,
                                 const pqti_bodymap *b);

/* Returns the size in bytes of those blocks of a map that none of `count` other maps holds.
 * `slices` is temporary storage for PQTI_BODYMAP_LEVEL_COUNTS * `width` maps, where `width` is at
 * least `count`. */
enum { PQTI_BODYMAP_LEVEL_COUNTS = 33 };
size_t pqti_bodymap_exclusive_bytes(const pqt_memory *memory, const pqti_bodymap *bodies,
                                    const pqti_bodymap *others, size_t count, pqti_bodymap *slices,
                                    size_t width);

/*
 * The blocks of the body map.
 *
 *     static states   node {count, 4 children} ... leaf {count, static states}
 *     dynamic states  node {4 children}        ... leaf {dynamic states}
 *     spins           node {4 children}        ... leaf {spins}
 *
 * A block of static states stores the number of bodies in it, which determines whether it is a
 * leaf. The dynamic states and the spins are in the blocks at the same position of the other two
 * tries, whose nodes have the same layout. A node also stores the summary of the static states
 * below it, or whether a velocity or angular velocity is not 0. So a step skips bodies at rest.
 */

enum { PQTI_BODYMAP_BRANCHES = 4 };

typedef struct pqti_body_static_leaf {
    uint64_t count;
    pqti_body_static statics[]; /* in ascending order of keys */
} pqti_body_static_leaf;

typedef struct pqti_body_static_node {
    uint64_t count;
    const void *child[PQTI_BODYMAP_BRANCHES];
    pqti_body_summary summary; /* last word, which the collector does not scan for pointers */
} pqti_body_static_node;

typedef struct pqti_body_dynamic_node {
    const void *child[PQTI_BODYMAP_BRANCHES];
    uint64_t is_in_motion; /* 1 if a velocity or angular velocity below is not 0, otherwise 0 */
    uint64_t unused;
} pqti_body_dynamic_node;

_Static_assert(sizeof(pqti_body_dynamic) % PQTI_GRANULE == 0 &&
                   sizeof(pqti_body_spin) % PQTI_GRANULE == 0,
               "a leaf of dynamic states or spins needs a header");

#endif
