/* SPDX-License-Identifier: MIT */
/* sweep.c: sweeps one mover against another. */
#include "config.h"

#include <pqt/sweep.h>

#include <stddef.h>

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "collision/mover.h"
#include "collision/toi.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "tree/node.h"

PQTI_DEFINE_OPTIONS(pqti_sweep_options, pqt_sweep_options, stats, PQT_SWEEP_DEFAULTS);

const pqt_sweep_options *
pqti_check_sweep(const char *function, const pqt_tree *tree, const pqt_mover *mover,
                 const pqt_sweep_options *options, pqt_sweep_options *converted)
{
    PQT_ASSERT_IN(function, tree != NULL, "the tree is NULL");
    pqti_assert_alive(function, tree);
    PQT_ASSERT_IN(function, pqti_mover_has_shape(mover), PQTI_BAD_MOVER);
    return pqti_options_require(function, &pqti_sweep_options_layout, options, converted);
}

/* Returns the sweep of movers that overlap at the start. */
static pqt_sweep
sweep_within(const pqt_mover *a, const pqt_mover *b)
{
    pqt_contact contact;
    pqt_sweep sweep = {
        .status = PQT_SWEEP_OVERLAPS,
        .stop = a->from,
        .stop_b = b->from,
        .exit = pqti_time_of_exit(a, b),
        .free_position = pqti_push_out_position(a, b, &contact),
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
sweep_pair_fully(const pqt_mover *a, const pqt_mover *b)
{
    bool touches = pqti_mover_touches(a, a->to, b, b->to);
    return end_reached(a, b, touches ? PQT_SWEEP_TOUCHES : PQT_SWEEP_FREE);
}

/* Returns the sweep of movers that overlap at the start, for options that ignore the overlap. Both
 * shapes are convex, so once they have separated, they do not overlap again. */
static pqt_sweep
sweep_out(const pqt_mover *a, const pqt_mover *b)
{
    if (!pqti_mover_overlaps(a, a->to, b, b->to))
        return sweep_pair_fully(a, b);
    pqt_sweep sweep = sweep_within(a, b);
    sweep.time = 1;
    sweep.stop = a->to;
    sweep.stop_b = b->to;
    return sweep;
}

/* Sweeps two movers. `a` may rest only if `b` rests. If `b` is a resting box and `a` is not a
 * convex, the position of `b` must be 0 (see pqti_mover_at_rest). */
static pqt_sweep
sweep_two(const pqt_mover *a, const pqt_mover *b, bool ignore_overlap)
{
    if (pqti_mover_overlaps(a, a->from, b, b->from))
        return ignore_overlap ? sweep_out(a, b) : sweep_within(a, b);
    pqti_toi toi = pqti_toi_or_end(a, b);
    if (!toi.hits)
        return sweep_pair_fully(a, b);
    pqti_toi_positions stop = pqti_toi_positions_of(a, b, &toi);
    PQT_INVARIANT(stop.time >= 0 && stop.time <= 1, "a sweep stops outside the motion");
    PQT_INVARIANT(!pqti_mover_overlaps(a, stop.a, b, stop.b), "a sweep stops in an overlap");
    return (pqt_sweep){
        .status = PQT_SWEEP_HITS,
        .time = stop.time,
        .stop = stop.a,
        .stop_b = stop.b,
        .blocked = toi.blocked,
        .normal = toi.normal,
    };
}

/* Exchanges the two movers in the result of a sweep. Computes the free position for `a` again. */
static pqt_sweep
swap_sides_of_sweep(pqt_sweep sweep, const pqt_mover *a, const pqt_mover *b)
{
    pqt_vec stop = sweep.stop;
    sweep.stop = sweep.stop_b;
    sweep.stop_b = stop;
    sweep.normal = pqt_vec_scale(sweep.normal, -1);
    if (sweep.status == PQT_SWEEP_OVERLAPS) {
        pqt_contact contact;
        sweep.free_position = pqti_push_out_position(a, b, &contact);
        sweep.normal = contact.normal;
    }
    return sweep;
}

pqt_sweep
pqt_sweep_pair(pqt_mover a, pqt_mover b, const pqt_sweep_options *options)
{
    pqt_sweep_options converted;
    options = pqti_options_require(__func__, &pqti_sweep_options_layout, options, &converted);
    PQT_ASSERT(pqti_mover_has_shape(&a) && pqti_mover_has_shape(&b), PQTI_BAD_MOVER);
    bool ignore = options->ignore_overlap;
    if (!pqt_mover_is_valid(a) || !pqt_mover_is_valid(b))
        return (pqt_sweep){.status = PQT_SWEEP_NONE, .stop = a.from, .stop_b = b.from};
    if (b.kind == PQT_MOVER_BOX)
        a = pqti_mover_point_as_box(&a);
    if (a.kind == PQT_MOVER_BOX)
        b = pqti_mover_point_as_box(&b);
    pqt_vec at_a = a.from, at_b = b.from;
    pqt_sweep sweep;
    const bool exact = pqti_has_convex(&a, &b);
    if (pqti_mover_rests(&b)) {
        pqt_mover resting = exact ? b : pqti_mover_at_rest(&b);
        sweep = sweep_two(&a, &resting, ignore);
        sweep.stop_b = at_b;
    } else if (pqti_mover_rests(&a)) {
        pqt_mover resting = exact ? a : pqti_mover_at_rest(&a);
        sweep = swap_sides_of_sweep(sweep_two(&b, &resting, ignore), &a, &b);
        sweep.stop = at_a;
    } else {
        sweep = sweep_two(&a, &b, ignore);
    }
    return sweep;
}
