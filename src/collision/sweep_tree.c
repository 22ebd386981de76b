/* SPDX-License-Identifier: MIT */
/*
 * sweep_tree.c - what of one version a mover meets first.
 *
 * The search is that of rank.h, front to back, as for rays: the mover's box passes through the slabs of the
 * quarters, and each item that its way comes near is asked when it is met. An item that is overlapped at the start
 * has the key 0, all others a key above it. At equal times one that is met with a side comes before one that is
 * met at a corner: where boxes make up a flat floor, the corners between them are none. Then the order of the tree
 * decides.
 *
 * The stop beside one item may by rounding lie in another, that was passed by a hair or is met a hair
 * later. So the version is asked once more; hardly ever is there anything to be done about it.
 */
#include "config.h"

#include <pqt/sweep.h>

#include "base/error.h"
#include "base/item.h"
#include "base/sum.h"
#include "collision/course.h"
#include "query/slabs.h"
#include "query/walk.h"

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

#include "query/rank.h"

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

static pqt_mover
mover_of(const pqt_box *box)
{
    return pqt_mover_box(*box, (pqt_vec){0, 0}, (pqt_vec){0, 0});
}

static bool
starts_in(const pqt_mover *mover, const pqt_mover *item)
{
    if (mover->kind == PQT_MOVER_BOX)
        return pqt_box_overlaps(pqt_box_moved(mover->box, mover->from), item->box);
    return pqt_mover_overlaps(*mover, mover->from, *item, item->from);
}

static double
key_of_impact(const pqti_impact *impact)
{
    bool at_corner = impact->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y);
    double key = pqti_greater(impact->time, PQTI_SMALLEST);
    return at_corner ? pqti_next_up(key) : key;
}

/* Finds when the mover meets an item; false: never, or it does not count. */
static inline bool
find_key(const ranking *r, const pqt_mover *item, double *key)
{
    const question *q = &r->question;
    *key = 0;
    if (starts_in(&q->mover, item))
        return !q->ignore_overlap;
    if (r->limits.worst == 0) /* something is overlapped, which comes before all hits */
        return false;
    pqti_impact impact = pqti_impact_or_end(&q->mover, item);
    if (impact.hits)
        *key = key_of_impact(&impact);
    return impact.hits;
}

/* An item that may be met is offered if it is. */
static void
meet(ranking *r, pqti_leaf_view view, uint32_t count, uint32_t i, uint32_t place)
{
    pqt_mover item =
        mover_of(&(pqt_box){{view.min_x[i], view.min_y[i]}, {view.max_x[i], view.max_y[i]}});
    double key;
    if (find_key(r, &item, &key))
        offer(r, view, count, i, key, place);
}

/* Of boxes that differ no more is known than whether the way comes near them. */
static inline bool
find_least_key(const ranking *r, const pqti_spread *spread, double *key)
{
    pqt_box box = pqti_spread_box(spread);
    *key = 0;
    if (!pqt_box_touches(box, r->question.window))
        return false;
    pqt_mover item = mover_of(&box);
    return !pqti_is_one_box(spread) || find_key(r, &item, key);
}

/* The last pair may end beyond the arrays of a leaf with an odd count, but not beyond the leaf. */
static void
scan_leaf(ranking *r, const void *leaf, uint32_t count, uint32_t place)
{
    pqti_leaf_view view = pqti_view(leaf, count);
    const pqt_box *window = &r->question.window;
    for (uint32_t i = 0; i < count; i += 2) {
        pqti_mask near = (pqti_pair_load(view.min_x + i) <= window->max.x) &
                         (pqti_pair_load(view.max_x + i) >= window->min.x) &
                         (pqti_pair_load(view.min_y + i) <= window->max.y) &
                         (pqti_pair_load(view.max_y + i) >= window->min.y);
        if (near[0] != 0)
            meet(r, view, count, i, place + i);
        if (near[1] != 0 && i + 1 < count)
            meet(r, view, count, i + 1, place + i + 1);
    }
}

/* The largest coordinate of a box. */
static double
size_of(const pqt_box *box)
{
    double x = pqti_greater(pqti_magnitude(box->min.x), pqti_magnitude(box->max.x));
    double y = pqti_greater(pqti_magnitude(box->min.y), pqti_magnitude(box->max.y));
    return pqti_greater(x, y);
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
        q->start = widened(q->start, size_of(&q->start) * (2 * PQTI_COURSE_ERROR));
    q->window = pqt_box_union(q->start, pqt_mover_box_at(*mover, mover->to));
    q->margin = pqti_greater(size_of(&q->window) * PQTI_COURSE_ERROR, 4 * PQTI_SMALLEST);
    pqti_line line = pqti_line_of_segment((pqt_segment){mover->from, mover->to});
    bool inside = pqti_is_within(&tree->space->bounds, &q->window);
    q->slabs = pqti_slabs_of(tree->space, &line, &q->start, inside);
    r->filter = options->filter;
    r->context = options->context;
    r->tally = options->tally;
    rank_from(r, tree, pqt_box_centre(q->start), INFINITY);
}

/* ---- What lies at a place ---- */

/* One question about a place of the mover. */
typedef struct look {
    const pqt_mover *mover;
    const pqt_sweep_options *options;
    pqt_vec place;
    bool touches; /* asked is what touches, else what overlaps */
    bool found;
    pqt_item item;
} look;

/* Notes the first item that counts, and stops. */
static bool
note_first(const pqt_item *item, void *context)
{
    look *l = context;
    pqt_mover other = mover_of(&item->box);
    bool meets = l->touches ? pqti_mover_touches(l->mover, l->place, &other, other.from)
                            : pqt_mover_overlaps(*l->mover, l->place, other, other.from);
    if (!meets || (l->options->ignore_overlap && starts_in(l->mover, &other)))
        return true;
    l->found = true;
    l->item = *item;
    return false;
}

static pqt_query
query_at(const pqt_mover *mover, pqt_vec place, pqt_relation relation,
         const pqt_sweep_options *options)
{
    return (pqt_query){pqt_mover_box_at(*mover, place), relation, options->filter, options->context,
                       options->tally};
}

/* Whether there is something at a place, and what. */
static bool
finds_at(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
         pqt_vec place, bool touches, pqt_item *found)
{
    look l = {mover, options, place, touches, false, {.id = 0}};
    pqt_relation relation = touches ? PQT_TOUCHES : PQT_OVERLAPS;
    (void)pqti_visit_boxes(tree, query_at(mover, place, relation, options), note_first, &l);
    if (l.found)
        *found = l.item;
    return l.found;
}

static bool
is_free(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
        pqt_vec place)
{
    pqt_item item;
    return !finds_at(tree, mover, options, place, false, &item);
}

/* ---- Answers ---- */

/* The deepest of what is overlapped at the start. */
typedef struct within {
    const pqt_mover *mover;
    pqt_sweep sweep;
    double depth;
} within;

static bool
note_deepest(const pqt_item *item, void *context)
{
    within *w = context;
    pqt_mover other = mover_of(&item->box);
    if (!starts_in(w->mover, &other))
        return true;
    w->sweep.exit = pqti_greater(w->sweep.exit, pqti_exit(w->mover, &other));
    double depth = pqti_depth(w->mover, &other);
    if (depth > w->depth) {
        w->depth = depth;
        w->sweep.item = *item;
    }
    return true;
}

static pqt_sweep
sweep_within(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    within w = {.mover = mover};
    w.sweep = (pqt_sweep){.status = PQT_SWEEP_OVERLAPS, .stop = mover->from, .place = SIZE_MAX};
    pqt_query query = query_at(mover, mover->from, PQT_OVERLAPS, options);
    (void)pqti_visit_boxes(tree, query, note_deepest, &w);
    pqt_contact contact;
    pqt_mover other = mover_of(&w.sweep.item.box);
    w.sweep.out = pqti_way_out(mover, &other, &contact);
    w.sweep.normal = contact.normal;
    return w.sweep;
}

static pqt_sweep
sweep_to_the_end(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    pqt_sweep sweep = {.status = PQT_SWEEP_FREE, .time = 1, .stop = mover->to, .place = SIZE_MAX};
    if (finds_at(tree, mover, options, mover->to, true, &sweep.item))
        sweep.status = PQT_SWEEP_TOUCHES;
    return sweep;
}

static pqt_sweep
sweep_to_item(const pqt_mover *mover, pqt_item item, size_t place)
{
    pqt_mover other = mover_of(&item.box);
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
    if (r.best[0].key == 0)
        return sweep_within(tree, mover, options);
    return sweep_to_item(mover, item_of(&r, &r.best[0]), r.best[0].place);
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
    return rank_more(&r, tree, 1) == 0 ? SIZE_MAX : r.best[0].place;
}

/* The last place before a stop that is free of everything: back by one rounding, by two, by four and so on. */
static pqt_sweep
taken_back(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
           pqt_sweep sweep)
{
    pqt_segment way = {mover->from, sweep.stop};
    for (int bits = -53; bits < 0; bits++) {
        double part = 1 - ldexp(1, bits);
        pqt_vec place = pqt_segment_at(way, part);
        if (!is_free(tree, mover, options, place))
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
 * Something lies at the stop, that was passed by less than counts or is met a hair earlier. As it is overlapped where
 * the way to the stop ends, it is what that way meets. Where that leads no further back, roundings do.
 */
static pqt_sweep
freed(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
      pqt_sweep sweep)
{
    pqt_mover part = *mover;
    for (int i = 0; i < MOST_TRIES; i++) {
        pqt_item item;
        if (!finds_at(tree, mover, options, sweep.stop, false, &item))
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
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    PQT_ASSERT(options == NULL || options->size == sizeof *options,
               "options must start from PQT_SWEEP_DEFAULTS");
    if (options == NULL)
        options = &defaults;
    if (!pqt_mover_is_valid(mover))
        return (pqt_sweep){.status = PQT_SWEEP_NONE, .stop = mover.from, .place = SIZE_MAX};
    mover = pqti_mover_beside_box(&mover);
    pqt_sweep sweep = first_of(tree, &mover, options);
    if (sweep.status != PQT_SWEEP_HITS || is_free(tree, &mover, options, sweep.stop))
        return sweep;
    return freed(tree, &mover, options, sweep);
}
