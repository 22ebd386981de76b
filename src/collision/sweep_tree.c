/* SPDX-License-Identifier: MIT */
/*
 * sweep_tree.c - what of one version a mover meets first.
 *
 * The search is that of knn_template.h, front to back, as for rays: the mover's box passes through
 * the slabs of the quarters, and each item that its way comes near is asked when it is met. An item
 * that is overlapped at the start has the key 0, all others a key above it. At equal times one that
 * is met with a side comes before one that is met at a corner: where boxes make up a flat floor,
 * the corners between them are none. Then the order of the tree decides.
 *
 * The stop beside one item may by rounding lie in another, that was passed by a hair or is met a
 * hair later. So the version is asked once more; hardly ever is there anything to be done about it.
 */
#include "config.h"

#include <pqt/segment.h>
#include <pqt/sweep.h>

#include "base/exact.h"
#include "collision/mover.h"
#include "collision/sweep_probe.h"
#include "collision/toi.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "tree/query/slab.h"

/* How often a stop is sought that lies in nothing, before the mover stays where it was. */
enum { MOST_TRIES = 8 };

typedef struct question {
    pqt_mover mover;
    pqti_slabs slabs;
    /* Of the mover, with so much around it that what counts as touching touches it. */
    pqt_box start;
    pqt_box window; /* all that it comes to while something may be met first */
    double margin;  /* more than what places on the way are rounded by */
    bool ignore_overlap;
} question;

#include "tree/query/knn_template.h"

/* From where the mover would be then, nothing is met first any more. */
static void
measure_worst(ranking *r)
{
    question *q = &r->question;
    r->measured.worst = pqti_slabs_worst(&q->slabs, r->limits.worst);
    if (r->limits.worst >= 1)
        return;
    pqt_segment way = {q->mover.from, q->mover.to};
    pqt_box then = pqt_mover_box_at(q->mover, pqt_segment_at(way, r->limits.worst));
    q->window = pqt_box_union(q->start, pqt_box_grown(then, q->margin));
}

static void
measure_last(ranking *r)
{
    r->measured.last = pqti_slabs_last(&r->question.slabs, r->limits.last);
}

static inline const limits *
bound_quarters(const ranking *r, const pqti_inner *node, bool strays, double bounds[PQTI_QUARTERS])
{
    double last = r->limits.last >= 0 ? r->measured.last : -1;
    pqti_slabs_bound(&r->question.slabs, node, strays, last, bounds);
    return &r->measured;
}

/* Whether the mover overlaps a box at the start; most that ask are boxes. */
static inline bool
starts_in_box(const question *q, const pqt_box *box)
{
    if (q->mover.kind == PQT_MOVER_BOX)
        return (q->start.min.x < box->max.x) & (box->min.x < q->start.max.x) &
               (q->start.min.y < box->max.y) & (box->min.y < q->start.max.y);
    pqt_mover item = pqti_mover_of_box(box);
    return pqti_starts_in(&q->mover, &item);
}

static double
key_of_impact(const pqti_impact *impact)
{
    bool at_corner = impact->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    double key = pqti_greater(impact->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* When the mover is beside something on one axis: times, rounded outward. */
typedef struct beside {
    double from, until;
} beside;

static inline beside
beside_on_axis(const pqti_outlook_axis *seen, pqti_axis_motion moves, double margin, double min,
               double max)
{
    if (moves != PQTI_MOVES)
        return (beside){0, INFINITY};
    double begin = (min / 2 - seen->half_begin - margin) * seen->unit;
    double end = (max / 2 - seen->half_end + margin) * seen->unit;
    return seen->unit < 0 ? (beside){end, begin} : (beside){begin, end};
}

/* Whether the mover surely passes a box by, or comes to it too late: to say so takes far less than
   to tell when. */
static inline bool
passes_by(const ranking *r, const pqt_box *box)
{
    const question *q = &r->question;
    const pqti_slabs *s = &q->slabs;
    beside x = beside_on_axis(&s->outlook.x, s->x, q->margin, box->min.x, box->max.x);
    beside y = beside_on_axis(&s->outlook.y, s->y, q->margin, box->min.y, box->max.y);
    double from = pqti_greater(0, pqti_greater(x.from, y.from)) * (1 - PQTI_TIME_ERROR);
    double until = pqti_lesser(x.until, y.until) * (1 + PQTI_TIME_ERROR);
    return from > until || from > r->measured.worst;
}

/* Finds when the mover meets an item; false: never, or not in time, or it does not count. */
static inline bool
find_key(const ranking *r, const pqt_box *box, double *key)
{
    const question *q = &r->question;
    *key = 0;
    if (starts_in_box(q, box))
        return !q->ignore_overlap;
    if (passes_by(r, box))
        return false;
    pqt_mover item = pqti_mover_of_box(box);
    pqti_impact impact = pqti_impact_or_end(&q->mover, &item);
    if (impact.hits)
        *key = key_of_impact(&impact);
    return impact.hits;
}

/*
 * An item that may be met is offered if it is. Which is the deepest of those overlapped at the
 * start is told by another search (sweep_probe.c): so nothing else is wanted of this one.
 */
static void
meet(ranking *r, pqti_leaf_view view, uint32_t count, uint32_t i, uint32_t place)
{
    const pqt_box box = {{view.min_x[i], view.min_y[i]}, {view.max_x[i], view.max_y[i]}};
    double key;
    if (find_key(r, &box, &key))
        offer(r, view, count, i, key, place);
    if (r->limits.worst == 0)
        r->worst_place = 0;
}

/* Of boxes that differ no more is known than whether the way comes near them. */
static inline bool
find_least_key(const ranking *r, const pqti_spread *spread, double *key)
{
    pqt_box box = pqti_spread_box(spread);
    *key = 0;
    if (!pqt_box_touches(box, r->question.window))
        return false;
    return !pqti_is_one_box(spread) || find_key(r, &box, key);
}

/* The last pair may end beyond the arrays of a leaf with an odd count, but not beyond the leaf. */
static void
scan_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place)
{
    pqti_leaf_view view = pqti_view(leaf, count);
    const pqt_box *window = &r->question.window;
    for (uint32_t i = 0; i < count && !is_too_late(r, 0, place + i); i += 2) {
        pqti_mask near = (pqti_pair_load(view.min_x + i) <= window->max.x) &
                         (pqti_pair_load(view.max_x + i) >= window->min.x) &
                         (pqti_pair_load(view.min_y + i) <= window->max.y) &
                         (pqti_pair_load(view.max_y + i) >= window->min.y);
        unsigned bits = pqti_mask_bits(near);
        if ((bits & 1) != 0)
            meet(r, view, count, i, place + i);
        if ((bits & 2) != 0 && i + 1 < count)
            meet(r, view, count, i + 1, place + i + 1);
    }
}

static pqt_box
widened(pqt_box box, double margin)
{
    const pqt_box all = {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}};
    (void)pqt_box_intersection(pqt_box_grown(box, margin), all, &box);
    return box;
}

static void
prepare(ranking *r, const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    question *q = &r->question;
    q->mover = *mover;
    q->ignore_overlap = options->ignore_overlap;
    q->start = pqt_mover_box_at(*mover, mover->from);
    if (mover->kind == PQT_MOVER_CIRCLE)
        q->start = widened(q->start, pqti_farthest(&q->start) * (2 * PQTI_COURSE_ERROR));
    q->window = pqt_box_union(q->start, pqt_mover_box_at(*mover, mover->to));
    q->margin = pqti_sweep_margin(&q->window);
    pqti_line line = pqti_line_of_segment((pqt_segment){mover->from, mover->to});
    bool inside = pqti_is_within(&tree->space->bounds, &q->window);
    q->slabs = pqti_slabs_of(tree->space, &line, &q->start, inside);
    r->filter = options->filter;
    r->context = options->context;
    r->tally = options->tally;
    rank_from(r, tree, pqt_box_centre(q->start), INFINITY);
}

/* ---- Answers ---- */

static pqt_sweep
sweep_to_the_end(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    pqt_sweep_options all = *options;
    all.ignore_overlap = false;
    pqt_sweep sweep = {.status = PQT_SWEEP_FREE, .place = SIZE_MAX};
    if (options->ignore_overlap && !pqti_sweep_is_free(tree, mover, &all, mover->to))
        sweep = pqti_sweep_within(tree, mover, &all);
    else if (pqti_sweep_finds(tree, mover, &all, mover->to, true, &sweep.item))
        sweep.status = PQT_SWEEP_TOUCHES;
    sweep.time = 1;
    sweep.stop = mover->to;
    return sweep;
}

static pqt_sweep
sweep_to_item(const pqt_mover *mover, pqt_item item, size_t place)
{
    pqt_mover other = pqti_mover_of_box(&item.box);
    pqti_impact impact = pqti_impact_or_end(mover, &other);
    pqti_stop stop = pqti_stop_at(mover, &other, &impact);
    return (pqt_sweep){
        .status = PQT_SWEEP_HITS,
        .time = stop.time,
        .stop = stop.a,
        .blocked = impact.blocked,
        .normal = impact.normal,
        .item = item,
        .place = place,
    };
}

/* What the mover meets first, whatever else lies at the stop. */
static pqt_sweep
first_of(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    ranking r;
    prepare(&r, tree, mover, options);
    if (rank_more(&r, tree, 1) == 0)
        return sweep_to_the_end(tree, mover, options);
    if (r.best.ranked[0].key == 0)
        return pqti_sweep_within(tree, mover, options);
    return sweep_to_item(mover, pqti_best_item(&r.best, 0), r.best.ranked[0].place);
}

/* Counts the very item alone that it is asked for. */
static bool
is_the_one(const pqt_item *item, void *context)
{
    const pqt_item *one = context;
    return pqt_item_equals(*item, *one);
}

/* How many items come before one that the mover meets. */
static size_t
place_of(const pqt_tree *tree, const pqt_mover *mover, pqt_item item)
{
    pqt_sweep_options alone = PQT_SWEEP_DEFAULTS;
    alone.filter = is_the_one;
    alone.context = &item;
    ranking r;
    prepare(&r, tree, mover, &alone);
    return rank_more(&r, tree, 1) == 0 ? SIZE_MAX : r.best.ranked[0].place;
}

/* The last place before a stop that is free of everything: back by one rounding, by two, by four
   and so on. */
static pqt_sweep
taken_back(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
           pqt_sweep sweep)
{
    pqt_segment way = {mover->from, sweep.stop};
    for (int bits = -53; bits < 0; bits++) {
        double part = 1 - ldexp(1, bits);
        pqt_vec place = pqt_segment_at(way, part);
        if (!pqti_sweep_is_free(tree, mover, options, place))
            continue;
        sweep.time *= part;
        sweep.stop = place;
        return sweep;
    }
    sweep.time = 0;
    sweep.stop = mover->from;
    return sweep;
}

/*
 * Something lies at the stop, that was passed by less than counts or is met a hair earlier. As it
 * is overlapped where the way to the stop ends, it is what that way meets. Where that leads no
 * further back, roundings do.
 */
static pqt_sweep
freed(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
      pqt_sweep sweep)
{
    pqt_mover part = *mover;
    for (int i = 0; i < MOST_TRIES; i++) {
        pqt_item item;
        if (!pqti_sweep_finds(tree, mover, options, sweep.stop, false, &item))
            return sweep;
        part.to = sweep.stop;
        pqt_sweep met = sweep_to_item(&part, item, place_of(tree, &part, item));
        if (met.stop.x == sweep.stop.x && met.stop.y == sweep.stop.y)
            return taken_back(tree, mover, options, sweep);
        met.time *= sweep.time;
        sweep = met;
    }
    sweep.time = 0;
    sweep.stop = mover->from;
    return sweep;
}

pqt_sweep
pqt_tree_sweep(const pqt_tree *tree, pqt_mover mover, const pqt_sweep_options *options)
{
    static const pqt_sweep_options defaults = PQT_SWEEP_DEFAULTS;
    pqti_assert_sweep(__func__, tree, &mover, options);
    if (options == NULL)
        options = &defaults;
    if (!pqt_mover_is_valid(mover))
        return (pqt_sweep){.status = PQT_SWEEP_NONE, .stop = mover.from, .place = SIZE_MAX};
    mover = pqti_mover_beside_box(&mover);
    pqt_sweep sweep = first_of(tree, &mover, options);
    if (sweep.status != PQT_SWEEP_HITS || pqti_sweep_is_free(tree, &mover, options, sweep.stop))
        return sweep;
    return freed(tree, &mover, options, sweep);
}
