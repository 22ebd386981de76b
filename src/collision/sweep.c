/* SPDX-License-Identifier: MIT */
/* sweep.c - movers, and the sweep of one against another. */
#include "config.h"

#include <pqt/sweep.h>

#include <stddef.h>

#include "base/error_internal.h"
#include "collision/toi.h"

pqt_mover
pqt_mover_box(pqt_box shape, pqt_vec from, pqt_vec to)
{
    return (pqt_mover){.kind = PQT_MOVER_BOX, .box = shape, .from = from, .to = to};
}

pqt_mover
pqt_mover_circle(double radius, pqt_vec from, pqt_vec to)
{
    return (pqt_mover){.kind = PQT_MOVER_CIRCLE, .radius = radius, .from = from, .to = to};
}

#define BAD_KIND "a mover must start from pqt_mover_box or pqt_mover_circle"

static bool
has_kind(const pqt_mover *mover)
{
    return mover->kind == PQT_MOVER_BOX || mover->kind == PQT_MOVER_CIRCLE;
}

void
pqti_assert_sweep(const char *function, const pqt_tree *tree, const pqt_mover *mover,
                  const pqt_sweep_options *options)
{
    PQT_ASSERT_IN(function, tree != NULL, "the tree is NULL");
    PQT_ASSERT_IN(function, has_kind(mover), BAD_KIND);
    PQT_ASSERT_IN(function, options == NULL || options->size == sizeof *options,
                  "options must start from PQT_SWEEP_DEFAULTS");
}

pqt_box
pqt_mover_box_at(pqt_mover mover, pqt_vec place)
{
    PQT_ASSERT(has_kind(&mover), BAD_KIND);
    return mover.kind == PQT_MOVER_CIRCLE ? pqt_circle_box((pqt_circle){place, mover.radius})
                                          : pqt_box_moved(mover.box, place);
}

bool
pqt_mover_is_valid(pqt_mover mover)
{
    PQT_ASSERT(has_kind(&mover), BAD_KIND);
    bool shaped = mover.kind == PQT_MOVER_CIRCLE ? mover.radius >= 0 : pqt_box_is_valid(mover.box);
    return shaped && pqt_vec_is_finite(mover.from) && pqt_vec_is_finite(mover.to) &&
           pqt_box_is_valid(pqt_mover_box_at(mover, mover.from)) &&
           pqt_box_is_valid(pqt_mover_box_at(mover, mover.to));
}

/* What two shapes are asked, in their four combinations. */
typedef struct relation {
    bool (*boxes)(pqt_box a, pqt_box b);
    bool (*circles)(pqt_circle a, pqt_circle b);
    bool (*circle_box)(pqt_circle a, pqt_box b);
} relation;

static bool
relates(const relation *r, const pqt_mover *a, pqt_vec place_a, const pqt_mover *b, pqt_vec place_b)
{
    bool circle_a = a->kind == PQT_MOVER_CIRCLE, circle_b = b->kind == PQT_MOVER_CIRCLE;
    pqt_circle of_a = {place_a, a->radius}, of_b = {place_b, b->radius};
    if (circle_a && circle_b)
        return r->circles(of_a, of_b);
    if (circle_a)
        return r->circle_box(of_a, pqt_box_moved(b->box, place_b));
    if (circle_b)
        return r->circle_box(of_b, pqt_box_moved(a->box, place_a));
    return r->boxes(pqt_box_moved(a->box, place_a), pqt_box_moved(b->box, place_b));
}

bool
pqt_mover_overlaps(pqt_mover a, pqt_vec place_a, pqt_mover b, pqt_vec place_b)
{
    static const relation overlap = {pqt_box_overlaps, pqt_circle_overlaps,
                                     pqt_circle_overlaps_box};
    PQT_ASSERT(has_kind(&a) && has_kind(&b), BAD_KIND);
    return relates(&overlap, &a, place_a, &b, place_b);
}

bool
pqti_mover_touches(const pqt_mover *a, pqt_vec place_a, const pqt_mover *b, pqt_vec place_b)
{
    static const relation touch = {pqt_box_touches, pqt_circle_touches, pqt_circle_touches_box};
    return relates(&touch, a, place_a, b, place_b);
}

/* They overlap at the start. */
static pqt_sweep
sweep_within(const pqt_mover *a, const pqt_mover *b)
{
    pqt_contact contact;
    pqt_sweep sweep = {
        .status = PQT_SWEEP_OVERLAPS,
        .stop = a->from,
        .stop_b = b->from,
        .exit = pqti_exit(a, b),
        .out = pqti_way_out(a, b, &contact),
    };
    sweep.normal = contact.normal;
    return sweep;
}

static pqt_sweep
end_reached(const pqt_mover *a, const pqt_mover *b, pqt_sweep_status status)
{
    return (pqt_sweep){.status = status, .time = 1, .stop = a->to, .stop_b = b->to};
}

static pqt_sweep
sweep_to_the_end(const pqt_mover *a, const pqt_mover *b)
{
    bool touches = pqti_mover_touches(a, a->to, b, b->to);
    return end_reached(a, b, touches ? PQT_SWEEP_TOUCHES : PQT_SWEEP_FREE);
}

/* They overlap at the start, and nothing stops them. Both are convex: once they are apart, they do
   not meet again. */
static pqt_sweep
sweep_out(const pqt_mover *a, const pqt_mover *b)
{
    if (!pqt_mover_overlaps(*a, a->to, *b, b->to))
        return sweep_to_the_end(a, b);
    pqt_sweep sweep = sweep_within(a, b);
    sweep.time = 1;
    sweep.stop = a->to;
    sweep.stop_b = b->to;
    return sweep;
}

/* `b` may stand still, then with its shape at its place, but not `a` alone. */
static pqt_sweep
sweep_two(const pqt_mover *a, const pqt_mover *b, bool ignore_overlap)
{
    if (pqt_mover_overlaps(*a, a->from, *b, b->from))
        return ignore_overlap ? sweep_out(a, b) : sweep_within(a, b);
    pqti_impact impact = pqti_impact_or_end(a, b);
    if (!impact.hits)
        return sweep_to_the_end(a, b);
    pqti_stop stop = pqti_stop_at(a, b, &impact);
    return (pqt_sweep){
        .status = PQT_SWEEP_HITS,
        .time = stop.time,
        .stop = stop.a,
        .stop_b = stop.b,
        .blocked = impact.blocked,
        .normal = impact.normal,
    };
}

/* Seen from the other one. The way out is that of `a` again. */
static pqt_sweep
turned(pqt_sweep sweep, const pqt_mover *a, const pqt_mover *b)
{
    pqt_vec stop = sweep.stop;
    sweep.stop = sweep.stop_b;
    sweep.stop_b = stop;
    sweep.normal = pqt_vec_scale(sweep.normal, -1);
    if (sweep.status == PQT_SWEEP_OVERLAPS) {
        pqt_contact contact;
        sweep.out = pqti_way_out(a, b, &contact);
        sweep.normal = contact.normal;
    }
    return sweep;
}

pqt_sweep
pqt_sweep_pair(pqt_mover a, pqt_mover b, const pqt_sweep_options *options)
{
    PQT_ASSERT(options == NULL || options->size == sizeof *options,
               "options must start from PQT_SWEEP_DEFAULTS");
    PQT_ASSERT(has_kind(&a) && has_kind(&b), BAD_KIND);
    bool ignore = options != NULL && options->ignore_overlap;
    if (!pqt_mover_is_valid(a) || !pqt_mover_is_valid(b))
        return (pqt_sweep){.status = PQT_SWEEP_NONE, .stop = a.from, .stop_b = b.from};
    if (b.kind == PQT_MOVER_BOX)
        a = pqti_mover_beside_box(&a);
    if (a.kind == PQT_MOVER_BOX)
        b = pqti_mover_beside_box(&b);
    pqt_vec at_a = a.from, at_b = b.from;
    pqt_sweep sweep;
    if (pqti_mover_rests(&b)) {
        pqt_mover still = pqti_mover_rested(&b);
        sweep = sweep_two(&a, &still, ignore);
        sweep.stop_b = at_b;
    } else if (pqti_mover_rests(&a)) {
        pqt_mover still = pqti_mover_rested(&a);
        sweep = turned(sweep_two(&b, &still, ignore), &a, &b);
        sweep.stop = at_a;
    } else {
        sweep = sweep_two(&a, &b, ignore);
    }
    return sweep;
}
