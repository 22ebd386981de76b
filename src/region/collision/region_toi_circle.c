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

/* More than what counts as touching anywhere within PQT_PIXEL_LIMIT, of which PQTI_COURSE_ERROR is
 * less than 2^-26; pixels. Larger only costs time; smaller may lose a hit. */
#define NEAR 0x1p-20

pqti_places
pqti_places_at(const pqti_passage *p, double time)
{
    return (pqti_places){
        pqt_segment_at((pqt_segment){p->from.circle, p->to.circle}, time),
        pqt_segment_at((pqt_segment){p->from.region, p->to.region}, time),
    };
}

static pqt_box
box_of(const pqti_shape_cell *part)
{
    return (pqt_box){pqti_vec_of(part->min), pqti_vec_of(part->max)};
}

/* ---- what lies at a place ---- */

typedef bool meets_fn(pqt_circle circle, pqt_box box);

/* Looks for a full square that the circle meets, beginning with one quarter. */
typedef struct look {
    const pqti_figure *figure;
    pqt_circle circle;
    pqt_vec place; /* of the region */
    meets_fn *meets;
    int first;
    pqti_shape_cell met;
} look;

/* A square is never farther away than what lies in it. */
static bool
look_into(look *l, const pqti_shape_cell *part)
{
    if (!l->meets(l->circle, pqt_box_moved(box_of(part), l->place)))
        return false;
    if (part->filling == PQTI_PART_FULL) {
        l->met = *part;
        return true;
    }
    for (int n = 0; n < 4; n++) {
        const int i = n ^ l->first;
        pqti_shape_cell quarter = pqti_part_quarter(part, i);
        if (pqti_part_fill(l->figure, &quarter, i) && look_into(l, &quarter))
            return true;
    }
    return false;
}

static bool
finds(look *l)
{
    pqti_shape_cell parts[4];
    const int count = pqti_figure_parts(l->figure, parts);
    for (int i = 0; i < count; i++)
        if (look_into(l, &parts[i]))
            return true;
    return false;
}

static look
look_at(const pqti_passage *p, pqti_places at, meets_fn *meets)
{
    return (look){
        .figure = &p->figure, .circle = {at.circle, p->radius}, .place = at.region, .meets = meets};
}

bool
pqti_passage_overlaps(const pqti_passage *p, pqti_places at, int first, pqti_shape_cell *met)
{
    look l = look_at(p, at, pqt_circle_overlaps_box);
    l.first = first;
    const bool found = finds(&l);
    if (found && met != NULL)
        *met = l.met;
    return found;
}

bool
pqti_passage_touches(const pqti_passage *p, pqti_places at)
{
    look l = look_at(p, at, pqt_circle_touches_box);
    return finds(&l);
}

/* ---- one square ---- */

pqti_pair_met
pqti_passage_pair(const pqti_passage *p, const pqti_shape_cell *part)
{
    const pqt_mover circle = pqt_mover_circle(p->radius, p->from.circle, p->to.circle);
    const pqt_mover square = pqt_mover_box(box_of(part), p->from.region, p->to.region);
    if (pqti_mover_rests(&square))
        return (pqti_pair_met){circle, pqti_mover_rested(&square), false};
    if (pqti_mover_rests(&circle))
        return (pqti_pair_met){square, circle, true};
    return (pqti_pair_met){circle, square, false};
}

/* ---- the first square ---- */

typedef struct approach {
    const pqti_passage *passage;
    pqt_vec start, way;   /* of the circle as seen from the region */
    pqti_encounter first; /* so far */
} approach;

static approach
approach_of(const pqti_passage *p)
{
    const pqt_vec of_circle = pqt_vec_subtract(p->to.circle, p->from.circle);
    const pqt_vec of_region = pqt_vec_subtract(p->to.region, p->from.region);
    return (approach){.passage = p,
                      .start = pqt_vec_subtract(p->from.circle, p->from.region),
                      .way = pqt_vec_subtract(of_circle, of_region),
                      .first.key = INFINITY};
}

/* When the circle may first come to a square, no later than it does; INFINITY if it does not at
   all. */
static double
bound_of(const approach *a, const pqti_shape_cell *part)
{
    return pqti_time_near(a->start, a->way, 1, box_of(part), a->passage->radius + NEAR);
}

static double
key_of(const pqti_impact *impact)
{
    const bool at_corner = impact->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    const double key = pqti_greater(impact->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* Full squares have no place in common, so their corners put them in order. */
static bool
is_above(const pqti_shape_cell *a, const pqti_shape_cell *b)
{
    return a->min.y < b->min.y || (a->min.y == b->min.y && a->min.x < b->min.x);
}

static void
meet(approach *a, const pqti_shape_cell *part)
{
    const pqti_pair_met two = pqti_passage_pair(a->passage, part);
    const pqti_impact impact = pqti_impact_or_end(&two.a, &two.b);
    if (a->passage->tally != NULL)
        a->passage->tally->boxes++;
    if (!impact.hits)
        return;
    const double key = key_of(&impact);
    if (key > a->first.key || (key == a->first.key && !is_above(part, &a->first.met)))
        return;
    a->first.key = key;
    a->first.met = *part;
    a->first.impact = impact;
}

/* Puts one more behind those that come no later; order[] are numbers of bounds[]. */
static void
insert_by_bound(int order[4], const double bounds[4], int count)
{
    int k = count;
    for (; k > 0 && bounds[order[k - 1]] > bounds[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static void approach_parts(approach *a, pqti_shape_cell parts[4], int count);

static void
divide(approach *a, const pqti_shape_cell *part)
{
    const pqti_figure *figure = &a->passage->figure;
    pqti_shape_cell quarters[4];
    int count = 0;
    pqti_tally_division(a->passage->tally, part);
    for (int i = 0; i < 4; i++) {
        quarters[count] = pqti_part_quarter(part, i);
        count += pqti_part_fill(figure, &quarters[count], i);
    }
    approach_parts(a, quarters, count);
}

/* The one that may be met first before the others. */
static void
approach_parts(approach *a, pqti_shape_cell parts[4], int count)
{
    double bounds[4];
    int order[4];
    for (int i = 0; i < count; i++) {
        bounds[i] = bound_of(a, &parts[i]);
        insert_by_bound(order, bounds, i);
    }
    for (int i = 0; i < count && bounds[order[i]] <= a->first.key; i++) {
        const pqti_shape_cell *part = &parts[order[i]];
        if (bounds[order[i]] == INFINITY)
            return;
        if (part->filling == PQTI_PART_FULL)
            meet(a, part);
        else
            divide(a, part);
    }
}

pqti_encounter
pqti_passage_first(const pqti_passage *p)
{
    approach a = approach_of(p);
    pqti_shape_cell parts[4];
    approach_parts(&a, parts, pqti_figure_parts(&p->figure, parts));
    return a.first;
}
