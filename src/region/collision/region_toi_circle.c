/* SPDX-License-Identifier: MIT */
/*
 * region_toi_circle.c - a circle and a region on their ways: what they meet at a place, and what
 * first.
 *
 * Each full square of the region is met as a box is (toi_circle.c). The walk is that of
 * region_toi.c, but in doubles: a square is looked into if the square around the circle may come
 * near it no later than what was met first so far. At equal times a side comes before a corner.
 */
#include "config.h"

#include "region/collision/region_toi_circle.h"

#include <math.h>
#include <stddef.h>

#include <pqt/circle.h>
#include <pqt/segment.h>

#include "base/exact.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "region/collision/region_overlap_internal.h"

/* More than what counts as touching anywhere within PQT_PIXEL_LIMIT, of which PQTI_SWEPT_ERROR is
 * less than 2^-26; pixels. Larger only costs time; smaller may lose a hit. */
#define NEAR 0x1p-20

pqti_circle_sweep_positions
pqti_circle_sweep_positions_at(const pqti_circle_sweep *p, double time)
{
    return (pqti_circle_sweep_positions){
        pqt_segment_at((pqt_segment){p->from.circle, p->to.circle}, time),
        pqt_segment_at((pqt_segment){p->from.region, p->to.region}, time),
    };
}

static pqt_box
box_of_cursor(const pqti_region_cursor *part)
{
    return (pqt_box){pqti_vec_of(part->min), pqti_vec_of(part->max)};
}

/* ---- what lies at a place ---- */

typedef bool meets_fn(pqt_circle circle, pqt_box box);

/* Looks for a full square that the circle meets, beginning with one quadrant. */
typedef struct shape_query {
    const pqti_shape_view *shape;
    pqt_circle circle;
    pqt_vec position; /* of the region */
    meets_fn *meets;
    int first;
    pqti_region_cursor hit;
} shape_query;

/* A square is never farther away than what lies in it. */
static bool
test_cell(shape_query *l, const pqti_region_cursor *part)
{
    if (!l->meets(l->circle, pqt_box_moved(box_of_cursor(part), l->position)))
        return false;
    if (part->coverage == PQTI_CURSOR_FULL) {
        l->hit = *part;
        return true;
    }
    for (int n = 0; n < 4; n++) {
        const int i = n ^ l->first;
        pqti_region_cursor quadrant = pqti_region_cursor_quadrant(part, i);
        if (pqti_region_cursor_fill(l->shape, &quadrant, i) && test_cell(l, &quadrant))
            return true;
    }
    return false;
}

static bool
find_met_cell(shape_query *l)
{
    pqti_region_cursor parts[4];
    const int count = pqti_shape_view_roots(l->shape, parts);
    for (int i = 0; i < count; i++)
        if (test_cell(l, &parts[i]))
            return true;
    return false;
}

static shape_query
make_shape_query(const pqti_circle_sweep *p, pqti_circle_sweep_positions at, meets_fn *meets)
{
    return (shape_query){.shape = &p->shape,
                         .circle = {at.circle, p->radius},
                         .position = at.region,
                         .meets = meets};
}

bool
pqti_circle_sweep_overlaps(const pqti_circle_sweep *p, pqti_circle_sweep_positions at, int first,
                           pqti_region_cursor *hit)
{
    shape_query l = make_shape_query(p, at, pqt_circle_overlaps_box);
    l.first = first;
    const bool found = find_met_cell(&l);
    if (found && hit != NULL)
        *hit = l.hit;
    return found;
}

bool
pqti_circle_sweep_touches(const pqti_circle_sweep *p, pqti_circle_sweep_positions at)
{
    shape_query l = make_shape_query(p, at, pqt_circle_touches_box);
    return find_met_cell(&l);
}

/* ---- one square ---- */

pqti_mover_pair
pqti_circle_sweep_pair(const pqti_circle_sweep *p, const pqti_region_cursor *part)
{
    const pqt_mover circle = pqt_mover_circle(p->radius, p->from.circle, p->to.circle);
    const pqt_mover square = pqt_mover_box(box_of_cursor(part), p->from.region, p->to.region);
    if (pqti_mover_rests(&square))
        return (pqti_mover_pair){circle, pqti_mover_rested(&square), false};
    if (pqti_mover_rests(&circle))
        return (pqti_mover_pair){square, circle, true};
    return (pqti_mover_pair){circle, square, false};
}

/* ---- the first square ---- */

typedef struct approach {
    const pqti_circle_sweep *sweep;
    pqt_vec start, motion;       /* of the circle as seen from the region */
    pqti_circle_sweep_hit first; /* so far */
} approach;

static approach
approach_of(const pqti_circle_sweep *p)
{
    const pqt_vec of_circle = pqt_vec_subtract(p->to.circle, p->from.circle);
    const pqt_vec of_region = pqt_vec_subtract(p->to.region, p->from.region);
    return (approach){.sweep = p,
                      .start = pqt_vec_subtract(p->from.circle, p->from.region),
                      .motion = pqt_vec_subtract(of_circle, of_region),
                      .first.key = INFINITY};
}

/* When the circle may first come to a square, no later than it does; INFINITY if it does not at
   all. */
static double
lower_bound_of_toi(const approach *a, const pqti_region_cursor *part)
{
    return pqti_time_near(a->start, a->motion, 1, box_of_cursor(part), a->sweep->radius + NEAR);
}

static double
sort_key_of_toi(const pqti_toi *toi)
{
    const bool at_corner = toi->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    const double key = pqti_fmax(toi->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* Full squares have no place in common, so their corners put them in order. */
static bool
corner_is_above(const pqti_region_cursor *a, const pqti_region_cursor *b)
{
    return a->min.y < b->min.y || (a->min.y == b->min.y && a->min.x < b->min.x);
}

static void
toi_with_cursor(approach *a, const pqti_region_cursor *part)
{
    const pqti_mover_pair two = pqti_circle_sweep_pair(a->sweep, part);
    const pqti_toi toi = pqti_toi_or_end(&two.a, &two.b);
    if (a->sweep->stats != NULL)
        a->sweep->stats->boxes++;
    if (!toi.hits)
        return;
    const double key = sort_key_of_toi(&toi);
    if (key > a->first.key || (key == a->first.key && !corner_is_above(part, &a->first.cursor)))
        return;
    a->first.key = key;
    a->first.cursor = *part;
    a->first.toi = toi;
}

/* Puts one more behind those that come no later; order[] are numbers of bounds[]. */
static void
insert_cursor_by_bound(int order[4], const double bounds[4], int count)
{
    int k = count;
    for (; k > 0 && bounds[order[k - 1]] > bounds[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static void test_children_by_bound(approach *a, pqti_region_cursor parts[4], int count);

static void
divide_cursor(approach *a, const pqti_region_cursor *part)
{
    const pqti_shape_view *shape = &a->sweep->shape;
    pqti_region_cursor quadrants[4];
    int count = 0;
    pqti_stats_add_division(a->sweep->stats, part);
    for (int i = 0; i < 4; i++) {
        quadrants[count] = pqti_region_cursor_quadrant(part, i);
        count += pqti_region_cursor_fill(shape, &quadrants[count], i);
    }
    test_children_by_bound(a, quadrants, count);
}

/* The one that may be met first before the others. */
static void
test_children_by_bound(approach *a, pqti_region_cursor parts[4], int count)
{
    double bounds[4];
    int order[4];
    for (int i = 0; i < count; i++) {
        bounds[i] = lower_bound_of_toi(a, &parts[i]);
        insert_cursor_by_bound(order, bounds, i);
    }
    for (int i = 0; i < count && bounds[order[i]] <= a->first.key; i++) {
        const pqti_region_cursor *part = &parts[order[i]];
        if (bounds[order[i]] == INFINITY)
            return;
        if (part->coverage == PQTI_CURSOR_FULL)
            toi_with_cursor(a, part);
        else
            divide_cursor(a, part);
    }
}

pqti_circle_sweep_hit
pqti_circle_sweep_first(const pqti_circle_sweep *p)
{
    approach a = approach_of(p);
    pqti_region_cursor parts[4];
    test_children_by_bound(&a, parts, pqti_shape_view_roots(&p->shape, parts));
    return a.first;
}
