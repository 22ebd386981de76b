/* SPDX-License-Identifier: MIT */
/*
 * sweep_tree.c: finds the first item of a version that a mover hits.
 *
 * The search uses knn_template.h and visits items front to back, as for rays. A slab test moves the
 * mover's box through the quadrants, and the time of impact is computed for each item near its
 * motion. The key of an item that the mover overlaps at the start is 0; all other keys are larger.
 * At equal times, a hit at a side precedes a hit at a corner, so the corners between the boxes of a
 * flat floor do not count. If that does not decide, tree order does.
 *
 * Because of rounding, the stop at one item may overlap another item, which was missed, or whose
 * hit is later by less than the error. So a second query tests the stop. It rarely finds an item.
 */
#include "config.h"

#include <pqt/segment.h>
#include <pqt/sweep.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "collision/mover.h"
#include "collision/sweep_probe.h"
#include "collision/toi.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "tree/leaf_scan.h"
#include "tree/query/slab.h"

/* The number of stops that are tried. If none is free, the mover remains at its start. */
enum { MAX_TRIES = 8 };

typedef struct sweep_params {
    pqt_mover mover;
    pqti_slabs slabs;
    /* The mover's box at the start, grown so that it touches every item that counts as touching the
     * mover. */
    pqt_box start;
    pqt_box window; /* contains the mover at all positions up to the best hit so far */
    double margin;  /* exceeds the rounding error of positions on the motion */
    bool ignore_overlap;
} sweep_params;

#define KNN_NAME(name) sweep_##name
#include "tree/query/knn_template.h"

/* Shrinks the window to the mover's positions up to the latest time that is still wanted, because
 * no hit beyond them can be the first. */
static void
sweep_measure_worst(knn_search *search)
{
    sweep_params *params = &search->params;
    search->measured.worst_wanted = pqti_slabs_worst(&params->slabs, search->limits.worst_wanted);
    if (search->limits.worst_wanted >= 1)
        return;
    pqt_segment segment = {params->mover.from, params->mover.to};
    pqt_box then =
        pqti_mover_box_at(&params->mover, pqt_segment_at(segment, search->limits.worst_wanted));
    params->window = pqt_box_union(params->start, pqt_box_grown(then, params->margin));
}

static void
sweep_measure_last(knn_search *search)
{
    search->measured.last_found = pqti_slabs_last(&search->params.slabs, search->limits.last_found);
}

static inline const limits *
sweep_bound_quadrants(const knn_search *search, const pqti_inner *node, bool outliers,
                      double bounds[PQTI_QUADRANTS])
{
    double last = search->limits.last_found >= 0 ? search->measured.last_found : -1;
    pqti_slabs_bound(&search->params.slabs, node, outliers, last, bounds);
    return &search->measured;
}

/* Returns true if the mover overlaps a box at the start. Tests a mover that is a box first, because
 * that is the common case. */
static inline bool
starts_in_box(const sweep_params *params, const pqt_box *box)
{
    if (params->mover.kind == PQT_MOVER_BOX)
        return (params->start.min.x < box->max.x) & (box->min.x < params->start.max.x) &
               (params->start.min.y < box->max.y) & (box->min.y < params->start.max.y);
    pqt_mover item = pqti_mover_of_box(box);
    return pqti_starts_in(&params->mover, &item);
}

static double
key_of_impact(const pqti_toi *toi)
{
    bool at_corner = toi->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    double key = pqti_fmax(toi->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* The times between which the mover overlaps a box on one axis, rounded outward. */
typedef struct entry_exit {
    double entry, exit;
} entry_exit;

static inline entry_exit
interval_on_axis(const pqti_query_axis *axis, pqti_slab_motion moves, double margin, double min,
                 double max)
{
    if (moves != PQTI_SLAB_OK)
        return (entry_exit){0, INFINITY};
    double begin = (min / 2 - axis->half_min_origin - margin) * axis->unit;
    double end = (max / 2 - axis->half_max_origin + margin) * axis->unit;
    return axis->unit < 0 ? (entry_exit){end, begin} : (entry_exit){begin, end};
}

/* Returns true if the mover certainly misses a box or reaches it too late. This is much cheaper
 * than pqti_toi_or_end. */
static inline bool
misses_box(const knn_search *search, const pqt_box *box)
{
    const sweep_params *params = &search->params;
    const pqti_slabs *s = &params->slabs;
    entry_exit x = interval_on_axis(&s->frame.x, s->x, params->margin, box->min.x, box->max.x);
    entry_exit y = interval_on_axis(&s->frame.y, s->y, params->margin, box->min.y, box->max.y);
    double from = pqti_fmax(0, pqti_fmax(x.entry, y.entry)) * (1 - PQTI_TIME_ERROR);
    double until = pqti_fmin(x.exit, y.exit) * (1 + PQTI_TIME_ERROR);
    return from > until || from > search->measured.worst_wanted;
}

/* Computes the key of an item. Returns false if the mover never hits the item or hits it too late,
 * or if the item does not count. */
static inline bool
find_key(const knn_search *search, const pqt_box *box, double *key)
{
    const sweep_params *params = &search->params;
    *key = 0;
    if (starts_in_box(params, box))
        return !params->ignore_overlap;
    if (misses_box(search, box))
        return false;
    pqt_mover item = pqti_mover_of_box(box);
    pqti_toi toi = pqti_toi_or_end(&params->mover, &item);
    if (toi.hits)
        *key = key_of_impact(&toi);
    return toi.hits;
}

/* Offers an item to the search if the mover hits it. As soon as an item overlaps the mover at the
 * start, the search needs no other items, because sweep_probe.c finds the deepest overlap. */
static void
sweep_leaf_item(knn_search *search, pqti_leaf_view view, uint32_t count, uint32_t i, uint32_t rank)
{
    const pqt_box box = {{view.min_x[i], view.min_y[i]}, {view.max_x[i], view.max_y[i]}};
    double key;
    if (find_key(search, &box, &key))
        offer_item(search, view, count, i, key, rank);
    if (search->limits.worst_wanted == 0)
        search->worst_rank = 0;
}

/* Computes a lower bound on the keys in a hash node. It is exact if all boxes are equal; otherwise,
 * it is 0 if their union touches the window. */
static inline bool
sweep_find_least_key(const knn_search *search, const pqti_side_range *side_range, double *key)
{
    pqt_box box = pqti_side_range_box(side_range);
    *key = 0;
    if (!pqt_box_touches(box, search->params.window))
        return false;
    return !pqti_all_boxes_equal(side_range) || find_key(search, &box, key);
}

/* Tests the items of a leaf, two at a time. If the count is odd, the last pair of lanes reads
 * beyond an array of the leaf, but not beyond the leaf. */
static void
sweep_scan_leaf(knn_search *search, const void *leaf, uint32_t count, uint32_t rank)
{
    pqti_leaf_view view = pqti_view(leaf, count);
    const pqt_box *window = &search->params.window;
    for (uint32_t i = 0; i < count && !is_too_late(search, 0, rank + i); i += 2) {
        unsigned bits = pqti_f64x2_within(view, window->max, window->min, i);
        if ((bits & 1) != 0)
            sweep_leaf_item(search, view, count, i, rank + i);
        if ((bits & 2) != 0 && i + 1 < count)
            sweep_leaf_item(search, view, count, i + 1, rank + i + 1);
    }
}

static pqt_box
widen_window(pqt_box box, double margin)
{
    const pqt_box all = {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}};
    (void)pqt_box_intersection(pqt_box_grown(box, margin), all, &box);
    return box;
}

static void
prepare_sweep(knn_search *search, const pqt_tree *tree, const pqt_mover *mover,
              const pqt_sweep_options *options)
{
    sweep_params *params = &search->params;
    params->mover = *mover;
    params->ignore_overlap = options->ignore_overlap;
    params->start = pqti_mover_box_at(mover, mover->from);
    if (mover->kind != PQT_MOVER_BOX)
        params->start =
            widen_window(params->start, pqti_farthest(&params->start) * (2 * PQTI_SWEPT_ERROR));
    params->window = pqt_box_union(params->start, pqti_mover_box_at(mover, mover->to));
    params->margin = pqti_sweep_margin(&params->window);
    pqti_prepared_ray ray = pqti_prepared_ray_of_segment((pqt_segment){mover->from, mover->to});
    bool inside = pqti_is_within(&tree->domain->bounds, &params->window);
    params->slabs = pqti_slabs_of(tree->domain, &ray, &params->start, inside);
    search->filter = options->filter;
    search->context = options->context;
    search->stats = options->stats;
    prepare_knn(search, tree, pqt_box_centre(params->start), INFINITY);
}

/* ---- Results ---- */

static pqt_sweep
sweep_tree_fully(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    pqt_sweep_options all = *options;
    all.ignore_overlap = false;
    pqt_sweep sweep = {.status = PQT_SWEEP_FREE, .rank = SIZE_MAX};
    if (options->ignore_overlap && !pqti_sweep_is_free(tree, mover, &all, mover->to))
        sweep = pqti_sweep_within(tree, mover, &all);
    else if (pqti_sweep_finds(tree, mover, &all, mover->to, true, &sweep.item))
        sweep.status = PQT_SWEEP_TOUCHES;
    sweep.time = 1;
    sweep.stop = mover->to;
    return sweep;
}

static pqt_sweep
sweep_to_item(const pqt_mover *mover, pqt_item item, size_t rank)
{
    pqt_mover other = pqti_mover_of_box(&item.box);
    pqti_toi toi = pqti_toi_or_end(mover, &other);
    pqti_toi_positions stop = pqti_toi_positions_of(mover, &other, &toi);
    PQT_INVARIANT(toi.hits && stop.time >= 0 && stop.time <= 1, "a sweep stops outside the motion");
    return (pqt_sweep){
        .status = PQT_SWEEP_HITS,
        .time = stop.time,
        .stop = stop.a,
        .blocked = toi.blocked,
        .normal = toi.normal,
        .item = item,
        .rank = rank,
    };
}

/* Returns the first hit of the mover, whether or not its stop is free of other items. */
static pqt_sweep
first_hit_of(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    knn_search search;
    prepare_sweep(&search, tree, mover, options);
    if (search_knn(&search, tree, 1) == 0)
        return sweep_tree_fully(tree, mover, options);
    if (search.topk.candidates[0].key == 0)
        return pqti_sweep_within(tree, mover, options);
    return sweep_to_item(mover, pqti_topk_item(&search.topk, 0), search.topk.candidates[0].rank);
}

/* A filter that returns true for one item only. */
static bool
is_same_item(const pqt_item *item, void *context)
{
    const pqt_item *one = context;
    return pqt_item_equals(*item, *one);
}

/* Returns the rank of an item that the mover hits. */
static size_t
rank_of_item(const pqt_tree *tree, const pqt_mover *mover, pqt_item item)
{
    pqt_sweep_options alone = PQT_SWEEP_DEFAULTS;
    alone.filter = is_same_item;
    alone.context = &item;
    knn_search search;
    prepare_sweep(&search, tree, mover, &alone);
    return search_knn(&search, tree, 1) == 0 ? SIZE_MAX : search.topk.candidates[0].rank;
}

/* Returns a position before a stop that is free of all items. Backs off by one rounding error, then
 * by two, four and so on, until the position is free. */
static pqt_sweep
back_off_in_tree(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
                 pqt_sweep sweep)
{
    pqt_segment segment = {mover->from, sweep.stop};
    for (int bits = -53; bits < 0; bits++) {
        double share = 1 - ldexp(1, bits);
        pqt_vec position = pqt_segment_at(segment, share);
        if (!pqti_sweep_is_free(tree, mover, options, position))
            continue;
        sweep.time *= share;
        sweep.stop = position;
        return sweep;
    }
    sweep.time = 0;
    sweep.stop = mover->from;
    return sweep;
}

/* Replaces a stop that overlaps an item, which was missed, or whose hit is earlier by less than the
 * error. A sweep to that stop ends in an overlap with the item, so it hits the item. If the stop of
 * that sweep is the same, it is backed off by rounding errors. */
static pqt_sweep
free_position_of_mover(const pqt_tree *tree, const pqt_mover *mover,
                       const pqt_sweep_options *options, pqt_sweep sweep)
{
    pqt_mover to_stop = *mover;
    for (int i = 0; i < MAX_TRIES; i++) {
        pqt_item item;
        if (!pqti_sweep_finds(tree, mover, options, sweep.stop, false, &item))
            return sweep;
        to_stop.to = sweep.stop;
        pqt_sweep hit = sweep_to_item(&to_stop, item, rank_of_item(tree, &to_stop, item));
        if (hit.stop.x == sweep.stop.x && hit.stop.y == sweep.stop.y)
            return back_off_in_tree(tree, mover, options, sweep);
        hit.time *= sweep.time;
        sweep = hit;
    }
    sweep.time = 0;
    sweep.stop = mover->from;
    return sweep;
}

pqt_sweep
pqt_tree_sweep(const pqt_tree *tree, pqt_mover mover, const pqt_sweep_options *options)
{
    pqt_sweep_options converted;
    options = pqti_check_sweep(__func__, tree, &mover, options, &converted);
    if (!pqt_mover_is_valid(mover))
        return (pqt_sweep){.status = PQT_SWEEP_NONE, .stop = mover.from, .rank = SIZE_MAX};
    mover = pqti_mover_point_as_box(&mover);
    pqt_sweep sweep = first_hit_of(tree, &mover, options);
    if (sweep.status != PQT_SWEEP_HITS || pqti_sweep_is_free(tree, &mover, options, sweep.stop))
        return sweep;
    return free_position_of_mover(tree, &mover, options, sweep);
}
