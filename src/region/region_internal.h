/* SPDX-License-Identifier: MIT */
/*
 * region_internal.h - making the version that a call returns, and boxes of pixels.
 *
 * Sources of this folder without a header of their own: boolean.c, components.c, intern.c,
 * morph.c, region_build.c, region_check.c, region_copy.c, region_diff.c, region_export.c,
 * region_query.c, region_stats.c, transform.c.
 */
#ifndef PQTI_REGION_INTERNAL_H
#define PQTI_REGION_INTERNAL_H

#include "region/region_node.h"

/*
 * Whether a call that was handed `region` may go on: not with NULL, nor after a failure. NULL
 * without a failure told is a mistake of the caller.
 */
bool pqti_region_may_go_on_in(const char *function, const pqt_region *region, pqt_error *error);
#define pqti_region_check_input(region, error) pqti_region_may_go_on_in(__func__, region, error)

/* Leaves out levels that only hold empty squares beside the origin. */
void pqti_shrink(int *level, const pqti_rnode *quadrant[4]);

/* Whether a version consists of just these quadrants. */
bool pqti_region_has(const pqt_region *region, int level, const pqti_rnode *const quadrant[4]);

/*
 * A version of these quadrants, which pqti_shrink has seen.
 *
 * `base` is where count and fingerprint are worked out from, if it has the level: quadrants that
 * stay are not touched then. Else NULL. NULL with an error told: no memory.
 */
const pqt_region *pqti_region_new(pqt_memory *memory, int level,
                                  const pqti_rnode *const quadrant[4], const pqt_region *base,
                                  pqt_error *error);

/* What has become of `old`: the version of these quadrants, or `old` itself if it has them. */
const pqt_region *pqti_region_next(const pqt_region *old, int level, const pqti_rnode *quadrant[4],
                                   pqt_error *error);

/* Whether a box holds no pixel, be it empty or inside out. */
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

/* The smallest box that holds both; an empty one adds nothing. */
static inline pqt_pixel_box
pqti_box_joined(pqt_pixel_box a, pqt_pixel_box b)
{
    if (pqti_box_is_empty(a) || pqti_box_is_empty(b))
        return pqti_box_is_empty(a) ? b : a;
    return (pqt_pixel_box){
        {a.min.x < b.min.x ? a.min.x : b.min.x, a.min.y < b.min.y ? a.min.y : b.min.y},
        {a.max.x > b.max.x ? a.max.x : b.max.x, a.max.y > b.max.y ? a.max.y : b.max.y}};
}

/* Whether a has all of b, which is not empty. */
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

/* Whether a box leaves PQT_PIXEL_LIMIT. */
static inline bool
pqti_box_is_too_far(pqt_pixel_box box)
{
    return box.min.x < -PQT_PIXEL_LIMIT || box.min.y < -PQT_PIXEL_LIMIT ||
           box.max.x > PQT_PIXEL_LIMIT || box.max.y > PQT_PIXEL_LIMIT;
}

/* The smallest level whose regions hold a box, which is within PQT_PIXEL_LIMIT and not empty. */
int pqti_level_of(pqt_pixel_box box);

/* Pixels of a square, which is not outer, that lie in a window; and whether there are any. */
uint64_t pqti_rnode_count_in(const pqti_rnode *node, pqti_rcell cell, pqt_pixel_box window);
bool pqti_rnode_any_in(const pqti_rnode *node, pqti_rcell cell, pqt_pixel_box window);

/* False with an error told, `what` saying of which box, if it is inside out. */
bool pqti_validate_pixel_box(pqt_pixel_box box, const char *what, size_t index, pqt_error *error);

/* False with an error told if a box that is not empty leaves PQT_PIXEL_LIMIT. */
bool pqti_validate_pixel(pqt_pixel_box box, const char *what, size_t index, pqt_error *error);

/* False with an error told if it is neither of both. */
bool pqti_validate_connectivity(pqt_connectivity connectivity, pqt_error *error);

/* The walk of pqt_region_visit_diff, counted. */

/* As pqt_region_visit_diff; `squares` is set to how many quads and tiles were looked into, of
 * both. */
bool pqti_region_visit_diff(const pqt_region *before, const pqt_region *after,
                            pqt_visit_pixel_box_fn *visit, void *context, size_t *squares);

#endif
