/* SPDX-License-Identifier: MIT */
/*
 * region_internal.h: functions that create versions, and operations on boxes of pixels.
 *
 * The following sources of this folder have no header of their own: boolean.c, components.c,
 * distances.c, intern.c, morph.c, morph_disc.c, region_build.c, region_check.c, region_copy.c,
 * region_diff.c, region_export.c, region_kind.c, region_moments.c, region_query.c, region_stats.c,
 * skeleton.c, transform.c.
 */
#ifndef PQTI_REGION_INTERNAL_H
#define PQTI_REGION_INTERNAL_H

#include "region/region_node.h"

/* Returns true if a function that was called with `region` may continue. It must not continue if
 * the region is NULL or the error is set. A NULL region without an error is a bug in the caller. */
bool pqti_region_may_go_on_in(const char *function, const pqt_region *region, pqt_error *error);
#define pqti_region_check_input(region, error) pqti_region_may_go_on_in(__func__, region, error)

/* Decreases the level while every quadrant has pixels only in the child next to the origin. */
void pqti_shrink(int *level, const pqti_rnode *quadrant[4]);

/* Returns true if a version consists of exactly these quadrants. */
bool pqti_region_has(const pqt_region *region, int level, const pqti_rnode *const quadrant[4]);

/*
 * Makes a version with these quadrants, to which pqti_shrink must have been applied.
 *
 * `base` may be NULL. If it has the same level, the count and fingerprint are computed from those
 * of `base` and from the quadrants that differ. Equal quadrants are not read. Returns NULL and sets
 * an error when out of memory.
 */
const pqt_region *pqti_region_new(pqt_memory *memory, int level,
                                  const pqti_rnode *const quadrant[4], const pqt_region *base,
                                  pqt_error *error);

/* Returns the version with these quadrants: `old` if it has them, otherwise a new one. */
const pqt_region *pqti_region_next(const pqt_region *old, int level, const pqti_rnode *quadrant[4],
                                   pqt_error *error);

/* Sets `quadrant` to quadrants with the same pixels as those of a region, in which equal squares
 * are one node (intern.c). New nodes are made in `memory`; all others belong to the region. Returns
 * false when out of memory. */
bool pqti_region_intern_quadrants(const pqt_region *region, pqt_memory *memory,
                                  const pqti_rnode *quadrant[4]);

/* Returns true if a box contains no pixel. This includes boxes with min > max. */
static inline bool
pqti_box_is_empty(pqt_pixel_box box)
{
    return box.min.x >= box.max.x || box.min.y >= box.max.y;
}

static inline pqt_pixel_box
pqti_box_common(pqt_pixel_box a, pqt_pixel_box b)
{
    return (pqt_pixel_box){
        {a.min.x > b.min.x ? a.min.x : b.min.x, a.min.y > b.min.y ? a.min.y : b.min.y},
        {a.max.x < b.max.x ? a.max.x : b.max.x, a.max.y < b.max.y ? a.max.y : b.max.y}};
}

/* Extends a box to the smallest one that also contains another box. Empty boxes are ignored. */
static inline void
pqti_box_extend(pqt_pixel_box *box, const pqt_pixel_box *other)
{
    if (pqti_box_is_empty(*other))
        return;
    if (pqti_box_is_empty(*box))
        *box = *other;
    box->min.x = box->min.x < other->min.x ? box->min.x : other->min.x;
    box->min.y = box->min.y < other->min.y ? box->min.y : other->min.y;
    box->max.x = box->max.x > other->max.x ? box->max.x : other->max.x;
    box->max.y = box->max.y > other->max.y ? box->max.y : other->max.y;
}

/* Returns true if `a` contains `b`, which is not empty. */
static inline bool
pqti_box_holds(pqt_pixel_box a, pqt_pixel_box b)
{
    return a.min.x <= b.min.x && a.min.y <= b.min.y && b.max.x <= a.max.x && b.max.y <= a.max.y;
}

static inline bool
pqti_box_is_inside_out(pqt_pixel_box box)
{
    return box.min.x > box.max.x || box.min.y > box.max.y;
}

/* Returns true if a box exceeds PQT_PIXEL_LIMIT. */
static inline bool
pqti_box_is_too_far(const pqt_pixel_box *box)
{
    return box->min.x < -PQT_PIXEL_LIMIT || box->min.y < -PQT_PIXEL_LIMIT ||
           box->max.x > PQT_PIXEL_LIMIT || box->max.y > PQT_PIXEL_LIMIT;
}

/* Returns the smallest level of a region that can hold a box, which is empty or within
 * PQT_PIXEL_LIMIT. */
int pqti_level_of(const pqt_pixel_box *box);

/* The first function returns the number of pixels of a node in a window. The second one returns
 * true if there are any. The node must not be padding. */
uint64_t pqti_rnode_count_in(const pqti_rnode *node, pqti_rcell cell, const pqt_pixel_box *window);
bool pqti_rnode_any_in(const pqti_rnode *node, pqti_rcell cell, const pqt_pixel_box *window);

/* Returns false and sets an error if min > max. `what` names the box in the message. */
bool pqti_validate_pixel_box(const pqt_pixel_box *box, const char *what, size_t index,
                             pqt_error *error);

/* Returns false and sets an error if a box that is not empty exceeds PQT_PIXEL_LIMIT. */
bool pqti_validate_pixel(const pqt_pixel_box *box, const char *what, size_t index,
                         pqt_error *error);

/* Returns false and sets an error if `connectivity` is neither 4 nor 8. */
bool pqti_validate_connectivity(pqt_connectivity connectivity, pqt_error *error);

/* Like pqt_region_check, pqt_region_equals and pqt_region_get_stats for versions that are alive.
 * Also set `*entered` to the number of blocks that were entered, in both versions together. */
bool pqti_region_check(const pqt_region *region, uint64_t *entered, pqt_error *error);
bool pqti_region_equals(const pqt_region *a, const pqt_region *b, uint64_t *entered);
pqt_region_stats pqti_region_stats(const pqt_region *region, uint64_t *entered);

/* Like pqt_region_visit_diff. Also sets `*squares` to the number of inner nodes and tiles that were
 * entered in both regions. */
bool pqti_region_visit_diff(const pqt_region *before, const pqt_region *after,
                            pqt_visit_pixel_box_fn *visit, void *context, size_t *squares);

/* Returns the number of pixels in which two versions differ. */
uint64_t pqti_region_count_diff(const pqt_region *before, const pqt_region *after);

#endif
