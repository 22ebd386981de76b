/* SPDX-License-Identifier: MIT */
/* sweep_probe.c: finds the items that a mover overlaps or touches at one position. */
#include "config.h"

#include "collision/sweep_probe.h"

#include <float.h>
#include <math.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "tree/query/child_dist.h"
#include "tree/query/traverse.h"

pqt_mover
pqti_mover_of_box(const pqt_box *box)
{
    return pqt_mover_box(*box, (pqt_vec){0, 0}, (pqt_vec){0, 0});
}

bool
pqti_starts_in(const pqt_mover *mover, const pqt_mover *item)
{
    if (mover->kind == PQT_MOVER_BOX)
        return pqt_box_overlaps(pqt_box_moved(mover->box, mover->from), item->box);
    return pqti_mover_overlaps(mover, mover->from, item, item->from);
}

double
pqti_sweep_margin(const pqt_box *window)
{
    return pqti_fmax(pqti_farthest(window) * PQTI_SWEPT_ERROR, 4 * PQTI_SMALLEST);
}

/* A search at one position of the mover. */
typedef struct probe_query {
    const pqt_mover *mover;
    const pqt_sweep_options *options;
    pqt_vec position;
    bool touches; /* search for items that touch; if false, for items that overlap */
    bool found;
    pqt_item item;
} probe_query;

/* Stores the first matching item and stops the query. */
static bool
store_first(const pqt_item *item, void *context)
{
    probe_query *l = context;
    pqt_mover other = pqti_mover_of_box(&item->box);
    bool matches = l->touches ? pqti_mover_touches(l->mover, l->position, &other, other.from)
                              : pqti_mover_overlaps(l->mover, l->position, &other, other.from);
    if (!matches || (l->options->ignore_overlap && pqti_starts_in(l->mover, &other)))
        return true;
    l->found = true;
    l->item = *item;
    return false;
}

static pqt_query
query_at(const pqt_mover *mover, pqt_vec position, pqt_relation relation,
         const pqt_sweep_options *options)
{
    return (pqt_query){.window = pqti_mover_box_at(mover, position),
                       .relation = relation,
                       .filter = options->filter,
                       .context = options->context,
                       .stats = options->stats};
}

bool
pqti_sweep_finds(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
                 pqt_vec position, bool touches, pqt_item *found)
{
    probe_query l = {mover, options, position, touches, false, {.id = 0}};
    pqt_relation relation = touches ? PQT_TOUCHES : PQT_OVERLAPS;
    const pqt_query query = query_at(mover, position, relation, options);
    (void)pqti_visit_boxes(tree, &query, store_first, &l);
    if (l.found)
        *found = l.item;
    return l.found;
}

bool
pqti_sweep_is_free(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options,
                   pqt_vec position)
{
    pqt_item item;
    return !pqti_sweep_finds(tree, mover, options, position, false, &item);
}

/* A search for the item that the mover overlaps most deeply at the start. */
typedef struct overlap_search {
    const pqt_mover *mover;
    pqt_box start; /* the mover's box at the start; if the mover is a box, all found items overlap
                      it */
    pqt_vec motion;
    double margin; /* exceeds the rounding error of positions on the motion */
    pqt_sweep sweep;
    double depth;
} overlap_search;

/* Returns an upper bound on the time at which the mover has left an item on one axis. */
static double
latest_exit(double motion, double ahead, double behind, double margin)
{
    if (motion == 0 || pqti_fabs(motion) > DBL_MAX)
        return INFINITY;
    return ((motion > 0 ? ahead : behind) + margin) / pqti_fabs(motion) * (1 + PQTI_SWEPT_ERROR);
}

/* Returns true if the mover certainly leaves an item before another item that it overlaps. */
static bool
is_left_before(const overlap_search *search, const pqt_box *item)
{
    double x = latest_exit(search->motion.x, item->max.x - search->start.min.x,
                           search->start.max.x - item->min.x, search->margin);
    double y = latest_exit(search->motion.y, item->max.y - search->start.min.y,
                           search->start.max.y - item->min.y, search->margin);
    return pqti_fmin(x, y) < search->sweep.exit;
}

static bool
update_deepest(const pqt_item *item, void *context)
{
    overlap_search *search = context;
    pqt_mover other = pqti_mover_of_box(&item->box);
    bool is_box = search->mover->kind == PQT_MOVER_BOX;
    if (!is_box && !pqti_starts_in(search->mover, &other))
        return true;
    if (!is_left_before(search, &item->box))
        search->sweep.exit =
            pqti_fmax(search->sweep.exit, pqti_time_of_exit(search->mover, &other));
    double depth = is_box ? pqti_depth_of_boxes(&search->start, &item->box)
                          : pqti_mover_depth(search->mover, &other);
    if (depth > search->depth) {
        search->depth = depth;
        search->sweep.item = *item;
    }
    return true;
}

pqt_sweep
pqti_sweep_within(const pqt_tree *tree, const pqt_mover *mover, const pqt_sweep_options *options)
{
    overlap_search search = {.mover = mover,
                             .start = pqti_mover_box_at(mover, mover->from),
                             .motion = pqt_vec_subtract(mover->to, mover->from)};
    pqt_box window = pqt_box_union(search.start, pqti_mover_box_at(mover, mover->to));
    search.margin = pqti_sweep_margin(&window);
    search.sweep = (pqt_sweep){.status = PQT_SWEEP_OVERLAPS, .stop = mover->from, .rank = SIZE_MAX};
    pqt_query query = query_at(mover, mover->from, PQT_OVERLAPS, options);
    (void)pqti_visit_boxes(tree, &query, update_deepest, &search);
    PQT_INVARIANT(search.depth > 0, "a mover that starts in an overlap overlaps no item");
    pqt_contact contact;
    pqt_mover other = pqti_mover_of_box(&search.sweep.item.box);
    search.sweep.free_position = pqti_push_out_position(mover, &other, &contact);
    search.sweep.normal = contact.normal;
    return search.sweep;
}
