/* SPDX-License-Identifier: MIT */
/*
 * region_toi_shape.c: computes the first impact of a moving circle or convex on a moving region.
 *
 * Each full node of the region is treated as a box (toi.h). The search is like the one in
 * region_toi.c, but uses doubles. It enters a node if the box of the mover may reach the node no
 * later than the first impact so far. At equal times, a side takes precedence over a corner.
 */
#include "config.h"

#include "region/collision/region_toi_shape.h"

#include <math.h>
#include <stddef.h>

#include <pqt/segment.h>

#include "base/exact.h"
#include "base/fp.h"
#include "base/placed.h"
#include "collision/mover.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_overlap_internal.h"

/*
 * A tolerance in pixels. It exceeds the tolerance for touching at all positions within
 * PQT_PIXEL_LIMIT, to which PQTI_SWEPT_ERROR contributes less than 2^-25. A larger value would only
 * cost time, but with a smaller one an impact might be missed.
 */
#define TOUCH_TOLERANCE 0x1p-20

pqti_shape_sweep_positions
pqti_shape_sweep_positions_at(const pqti_shape_sweep *sweep, double time)
{
    return (pqti_shape_sweep_positions){
        pqt_segment_at((pqt_segment){sweep->from.mover, sweep->to.mover}, time),
        pqt_segment_at((pqt_segment){sweep->from.region, sweep->to.region}, time),
    };
}

static pqt_box
box_of_cursor(const pqti_region_cursor *cursor)
{
    return (pqt_box){pqti_vec_of(cursor->min), pqti_vec_of(cursor->max)};
}

/* ---- Overlap at a position ---- */

/* A search for a full node that the mover touches or overlaps. It begins with quadrant `first`. */
typedef struct shape_query {
    const pqti_shape_sweep *sweep;
    pqti_shape_sweep_positions at;
    bool touches; /* search for a node that touches; if false, for one that overlaps */
    int first;
    pqti_region_cursor hit;
} shape_query;

static bool
has_relation(const shape_query *query, const pqti_region_cursor *cursor)
{
    const pqt_vec at = query->at.region;
    const pqt_mover node = pqt_mover_box(box_of_cursor(cursor), at, at);
    return query->touches ? pqti_mover_touches(&query->sweep->mover, query->at.mover, &node, at)
                          : pqti_mover_overlaps(&query->sweep->mover, query->at.mover, &node, at);
}

/* Tests a node. A node is never farther away than the squares in it, so a node that is not in the
 * relation is skipped. */
static bool
test_cell(shape_query *query, const pqti_region_cursor *cursor)
{
    if (!has_relation(query, cursor))
        return false;
    if (cursor->coverage == PQTI_CURSOR_FULL) {
        query->hit = *cursor;
        return true;
    }
    for (int n = 0; n < 4; n++) {
        const int i = n ^ query->first;
        pqti_region_cursor quadrant = pqti_region_cursor_quadrant(cursor, i);
        if (pqti_region_cursor_fill(&query->sweep->shape, &quadrant, i) &&
            test_cell(query, &quadrant))
            return true;
    }
    return false;
}

static bool
find_cell(shape_query *query)
{
    pqti_region_cursor cursors[4];
    const int count = pqti_shape_view_roots(&query->sweep->shape, cursors);
    for (int i = 0; i < count; i++)
        if (test_cell(query, &cursors[i]))
            return true;
    return false;
}

bool
pqti_circle_find_overlap(const pqti_shape_sweep *sweep, const pqti_shape_sweep_positions *at,
                         int first, pqti_region_cursor *hit)
{
    const pqt_circle circle = {at->mover, sweep->mover.radius};
    return pqti_circle_overlaps_region(&circle, &sweep->shape, at->region, first, hit);
}

bool
pqti_mover_find_overlap(const pqti_shape_sweep *sweep, const pqti_shape_sweep_positions *at,
                        int first, pqti_region_cursor *hit)
{
    shape_query query = {.sweep = sweep, .at = *at, .touches = false, .first = first};
    const bool found = find_cell(&query);
    if (found && hit != NULL)
        *hit = query.hit;
    return found;
}

bool
pqti_shape_sweep_touches(const pqti_shape_sweep *sweep, const pqti_shape_sweep_positions *at)
{
    shape_query query = {.sweep = sweep, .at = *at, .touches = true};
    return find_cell(&query);
}

/* ---- One node ---- */

pqti_mover_pair
pqti_shape_sweep_pair(const pqti_shape_sweep *sweep, const pqti_region_cursor *cursor)
{
    pqt_mover mover = sweep->mover;
    mover.from = sweep->from.mover;
    mover.to = sweep->to.mover;
    const pqt_mover square =
        pqt_mover_box(box_of_cursor(cursor), sweep->from.region, sweep->to.region);
    if (pqti_mover_rests(&square))
        return (pqti_mover_pair){mover, pqti_mover_at_rest(&square), false};
    if (pqti_mover_rests(&mover))
        return (pqti_mover_pair){square, mover, true};
    return (pqti_mover_pair){mover, square, false};
}

/* ---- The first node ---- */

static int32_t
pixel_within(double position, int64_t min, int64_t max)
{
    const double first = pqti_pixels_of(min), last = pqti_pixels_of(max) - 1;
    return (int32_t)pqti_fmin(last, pqti_fmax(first, floor(position)));
}

pqt_pixel
pqti_shape_sweep_pixel(const pqti_shape_sweep *sweep, const pqti_region_cursor *cursor,
                       const pqti_shape_sweep_positions *at)
{
    pqt_vec point = pqt_vec_subtract(at->mover, at->region);
    if (sweep->mover.kind == PQT_MOVER_CONVEX) {
        const pqt_box node = {pqti_vec_of(cursor->min), pqti_vec_of(cursor->max)};
        const pqti_box_corners corners = pqti_corners_of(&node);
        pqti_placed of_node = pqti_placed_corners(&corners), of_mover;
        of_mover = pqti_placed_convex(sweep->mover.convex);
        of_mover.position = at->mover;
        of_node.position = at->region;
        point = pqti_gap_of(&of_mover, &of_node).on_b;
    }
    return (pqt_pixel){pixel_within(point.x, cursor->min.x, cursor->max.x),
                       pixel_within(point.y, cursor->min.y, cursor->max.y)};
}

typedef struct approach {
    const pqti_shape_sweep *sweep;
    pqt_vec start, motion;      /* the start and the motion of the mover relative to the region */
    pqt_box extents;            /* the box of the mover at the position (0, 0) */
    pqti_shape_sweep_hit first; /* the first impact so far */
} approach;

static approach
approach_of(const pqti_shape_sweep *sweep)
{
    const pqt_vec of_mover = pqt_vec_subtract(sweep->to.mover, sweep->from.mover);
    const pqt_vec of_region = pqt_vec_subtract(sweep->to.region, sweep->from.region);
    return (approach){.sweep = sweep,
                      .start = pqt_vec_subtract(sweep->from.mover, sweep->from.region),
                      .motion = pqt_vec_subtract(of_mover, of_region),
                      .extents = pqti_mover_box_at(&sweep->mover, (pqt_vec){0, 0}),
                      .first.key = INFINITY};
}

/* Returns a lower bound on the time of impact with a node, or INFINITY if there is no impact. */
static double
lower_bound_of_toi(const approach *a, const pqti_region_cursor *cursor)
{
    const pqt_box node = box_of_cursor(cursor);
    const pqt_box reached = {pqt_vec_subtract(node.min, a->extents.max),
                             pqt_vec_subtract(node.max, a->extents.min)};
    return pqti_time_near(a->start, a->motion, 1, reached, TOUCH_TOLERANCE);
}

static double
sort_key_of_toi(const pqti_toi *toi)
{
    const bool at_corner = toi->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    const double key = pqti_fmax(toi->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* Returns true if the pixel of a node that the mover meets at a time is above that of another node
 * that it meets at that time, too, or on its left. */
static bool
meets_first(const pqti_shape_sweep *sweep, double time, const pqti_region_cursor *a,
            const pqti_region_cursor *b)
{
    const pqti_shape_sweep_positions at = pqti_shape_sweep_positions_at(sweep, time);
    const pqt_pixel of_a = pqti_shape_sweep_pixel(sweep, a, &at);
    const pqt_pixel of_b = pqti_shape_sweep_pixel(sweep, b, &at);
    return of_a.y < of_b.y || (of_a.y == of_b.y && of_a.x < of_b.x);
}

static void
toi_with_cursor(approach *a, const pqti_region_cursor *cursor)
{
    const pqti_mover_pair pair = pqti_shape_sweep_pair(a->sweep, cursor);
    const pqti_toi toi = pqti_toi_or_end(&pair.a, &pair.b);
    if (a->sweep->stats != NULL)
        a->sweep->stats->boxes++;
    if (!toi.hits)
        return;
    const double key = sort_key_of_toi(&toi);
    if (key > a->first.key ||
        (key == a->first.key && !meets_first(a->sweep, toi.time, cursor, &a->first.cursor)))
        return;
    a->first.key = key;
    a->first.cursor = *cursor;
    a->first.toi = toi;
}

/* Inserts the index `count` into order[], which holds indices of bounds[], after those whose bounds
 * are no later. */
static void
insert_cursor_by_bound(int order[4], const double bounds[4], int count)
{
    int k = count;
    for (; k > 0 && bounds[order[k - 1]] > bounds[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static void test_children_by_bound(approach *a, pqti_region_cursor cursors[4], int count);

static void
divide_cursor(approach *a, const pqti_region_cursor *cursor)
{
    const pqti_shape_view *shape = &a->sweep->shape;
    pqti_region_cursor quadrants[4];
    pqti_stats_add_division(a->sweep->stats, cursor);
    test_children_by_bound(a, quadrants, pqti_region_cursor_quadrants(shape, cursor, quadrants));
}

/* Tests nodes in the order of their bounds. */
static void
test_children_by_bound(approach *a, pqti_region_cursor cursors[4], int count)
{
    double bounds[4];
    int order[4];
    for (int i = 0; i < count; i++) {
        bounds[i] = lower_bound_of_toi(a, &cursors[i]);
        insert_cursor_by_bound(order, bounds, i);
    }
    for (int i = 0; i < count && bounds[order[i]] <= a->first.key; i++) {
        const pqti_region_cursor *cursor = &cursors[order[i]];
        if (bounds[order[i]] == INFINITY)
            return;
        if (cursor->coverage == PQTI_CURSOR_FULL)
            toi_with_cursor(a, cursor);
        else
            divide_cursor(a, cursor);
    }
}

pqti_shape_sweep_hit
pqti_shape_sweep_first(const pqti_shape_sweep *sweep)
{
    approach a = approach_of(sweep);
    pqti_region_cursor cursors[4];
    test_children_by_bound(&a, cursors, pqti_shape_view_roots(&sweep->shape, cursors));
    return a.first;
}
