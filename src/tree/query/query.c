/* SPDX-License-Identifier: MIT */
/*
 * query.c: visits, counts, finds and collects the items that match a window query.
 *
 * Each function runs the traversal of traverse.c with its own functions that process leaves.
 */
#include "config.h"

#include <pqt/query.h>

#include <string.h>

#include "base/error_internal.h"
#include "tree/query/traverse.h"

pqt_query
pqt_query_all(void)
{
    return *pqti_query_or_all(NULL);
}

/* ---- Visits ---- */

typedef struct item_visitor {
    pqt_visit_fn *visit;
    void *context;
} item_visitor;

/* Visits the items of a block that have a bit in `hits` and pass the convex and the filter. In a
   contained leaf, all items pass. */
static bool
visit_hits(const pqti_traversal *walk, pqti_leaf_view view, uint32_t from, uint64_t hits,
           bool is_contained)
{
    const item_visitor *visitor = walk->state;
    for (; hits != 0; hits &= hits - 1) {
        pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        if ((is_contained || pqti_passes(&walk->window, &item)) &&
            !visitor->visit(&item, visitor->context))
            return false;
    }
    return true;
}

static bool
visit_leaf(const pqti_traversal *walk, const pqti_queued_leaf *leaf)
{
    pqti_leaf_view view = pqti_traverse_enter(walk, leaf);
    for (uint32_t from = 0; from < leaf->count; from += PQTI_SCAN_ITEMS) {
        uint64_t hits = leaf->is_contained ? pqti_all_of_scan(from, leaf->count)
                                           : pqti_hits(&walk->window, &view, from, leaf->count);
        if (!visit_hits(walk, view, from, hits, leaf->is_contained))
            return false;
    }
    return true;
}

static bool
visit_leaves(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!visit_leaf(walk, &leaves[i]))
            return false;
    return true;
}

bool
pqt_tree_visit(const pqt_tree *tree, const pqt_query *query, pqt_visit_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    item_visitor visitor = {visit, context};
    pqti_traversal walk;
    pqti_traverse_begin(&walk, tree, query, &visitor);
    walk.leaves = visit_leaves;
    walk.reads_sides = true;
    return pqti_traverse_run(&walk, tree);
}

static bool visit_boxes_of(pqti_traversal *walk, pqti_node_ref child);

static bool
visit_boxes_of_node(pqti_traversal *walk, const pqti_inner *node, uint32_t count)
{
    pqti_stats_add_node(&walk->window);
    if (!visit_boxes_of(walk, pqti_own_ref(node, count)))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (!visit_boxes_of(walk, pqti_quadrant_ref(node, i)))
            return false;
    return true;
}

/*
 * Visits the boxes of a subtree that consists of hits. If its boxes are identical, visits only the
 * first.
 */
static bool
visit_boxes_of(pqti_traversal *walk, pqti_node_ref child)
{
    const item_visitor *visitor = walk->state;
    if (child.count == 0)
        return true;
    if (child.leaf)
        return visit_leaf(walk, &(pqti_queued_leaf){child.at, child.count, true});
    if (!child.is_hash || !pqti_all_boxes_equal(pqti_side_range_of(child.at)))
        return visit_boxes_of_node(walk, child.at, child.count);
    pqt_item item = pqti_first_item(child);
    pqti_stats_add_node(&walk->window);
    return visitor->visit(&item, visitor->context);
}

bool
pqti_visit_boxes(const pqt_tree *tree, const pqt_query *query, pqt_visit_fn *visit, void *context)
{
    item_visitor visitor = {visit, context};
    pqti_traversal walk;
    pqti_traverse_begin(&walk, tree, query, &visitor);
    walk.leaves = visit_leaves;
    walk.reads_sides = true;
    walk.visit_contained = visit_boxes_of;
    return pqti_traverse_run(&walk, tree);
}

typedef struct id_visitor {
    pqt_visit_ids_fn *visit;
    void *context;
} id_visitor;

/*
 * The ids of several leaves, which are passed to the visitor together. Leaves are small: a call for
 * each, with a loop whose length the processor cannot predict, costs more than copying the ids.
 */
typedef struct id_run {
    size_t count;
    uint64_t ids[8 * PQTI_SCAN_ITEMS];
} id_run;

static bool
flush_ids(const id_visitor *visitor, id_run *run)
{
    size_t count = run->count;
    run->count = 0;
    return count == 0 || visitor->visit(run->ids, count, visitor->context);
}

/* Ensures that the run has room for the hits of one block. */
static inline bool
flush_full_run(const id_visitor *visitor, id_run *run)
{
    enum { CAPACITY = sizeof run->ids / sizeof *run->ids };
    return run->count <= CAPACITY - PQTI_SCAN_ITEMS || flush_ids(visitor, run);
}

/*
 * Appends the ids of those items from `from` to `end` that have the relation. These are at most
 * PQTI_SCAN_ITEMS items. The loop does not branch: each id is written, and the next one overwrites
 * it if its item is not a hit. If the number of items is odd, the last one is tested together with
 * the numbers that follow it in its block (leaf_scan.h), and the second result is dropped.
 */
static inline void
append_leaf_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint32_t end,
                 id_run *run)
{
    pqti_leaf_view sides = pqti_compared_sides(window, view);
    pqt_vec most = window->max_low, least = window->min_high;
    uint64_t *next = run->ids + run->count;
    unsigned hits = 0;
    for (uint32_t i = from; i < end; i += 2) {
        hits = pqti_f64x2_within(sides, most, least, i);
        *next = view.id[i];
        next += hits & 1;
        *next = view.id[i + 1];
        next += hits >> 1;
    }
    next -= hits >> 1 & (end - from);
    run->count = (size_t)(next - run->ids);
}

/* Does the part of append_ids for queries with a filter or a convex. The leaf has `count` items. */
static PQTI_NOINLINE void
append_passing(const pqti_window *window, const pqti_leaf_view *view, uint32_t from, uint32_t count,
               id_run *run)
{
    for (uint64_t hits = pqti_hits(window, view, from, count); hits != 0; hits &= hits - 1) {
        pqt_item item = pqti_view_item(*view, from + (uint32_t)__builtin_ctzll(hits));
        run->ids[run->count] = item.id;
        run->count += pqti_passes(window, &item);
    }
}

/*
 * Appends the ids of the hits among the items from `from` to `end`, which are at most
 * PQTI_SCAN_ITEMS.
 */
static inline void
append_ids(const pqti_traversal *walk, const pqti_queued_leaf *leaf, pqti_leaf_view view,
           uint32_t from, uint32_t end, id_run *run)
{
    if (leaf->is_contained) {
        memcpy(run->ids + run->count, view.id + from, (end - from) * sizeof *run->ids);
        run->count += end - from;
    } else if (!walk->window.tests_items) {
        append_leaf_hits(&walk->window, view, from, end, run);
    } else {
        append_passing(&walk->window, &view, from, leaf->count, run);
    }
}

static inline bool
visit_ids_of_leaf(const pqti_traversal *walk, const pqti_queued_leaf *leaf, id_run *run)
{
    const id_visitor *visitor = walk->state;
    uint32_t count = leaf->count;
    pqti_leaf_view view = pqti_traverse_enter(walk, leaf);
    if (leaf->is_contained && count > PQTI_SCAN_ITEMS)
        return flush_ids(visitor, run) && visitor->visit(view.id, count, visitor->context);
    for (uint32_t from = 0, end; from < count; from = end) {
        end = count - from < PQTI_SCAN_ITEMS ? count : from + PQTI_SCAN_ITEMS;
        if (!flush_full_run(visitor, run))
            return false;
        append_ids(walk, leaf, view, from, end, run);
    }
    return true;
}

static bool
visit_ids_of_leaves(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count)
{
    id_run run; /* not initialised, because only elements that were written are read */
    run.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!visit_ids_of_leaf(walk, &leaves[i], &run))
            return false;
    return flush_ids(walk->state, &run);
}

bool
pqt_tree_visit_ids(const pqt_tree *tree, const pqt_query *query, pqt_visit_ids_fn *visit,
                   void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    id_visitor visitor = {visit, context};
    pqti_traversal walk;
    pqti_traverse_begin(&walk, tree, query, &visitor);
    walk.leaves = visit_ids_of_leaves;
    return pqti_traverse_run(&walk, tree);
}

/* ---- Columns ---- */

typedef struct columns_visitor {
    pqt_visit_columns_fn *visit;
    void *context;
} columns_visitor;

/* The columns of the hits of a block. */
typedef struct gathered_hits {
    double sides[4][PQTI_SCAN_ITEMS];
    uint64_t ids[PQTI_SCAN_ITEMS];
} gathered_hits;

/* Gathers the items of a block that have a bit in `hits` and pass the convex and the filter.
   Returns their number. */
static inline size_t
gather_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint64_t hits,
            gathered_hits *gathered)
{
    size_t count = 0;
    for (; hits != 0; hits &= hits - 1) {
        const pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        if (!pqti_passes(window, &item))
            continue;
        gathered->sides[0][count] = item.box.min.x;
        gathered->sides[1][count] = item.box.min.y;
        gathered->sides[2][count] = item.box.max.x;
        gathered->sides[3][count] = item.box.max.y;
        gathered->ids[count++] = item.id;
    }
    return count;
}

/* Visits the hits of a leaf: all of its arrays if it is contained, otherwise copies of those of
   each block. */
static bool
visit_columns_of_leaf(const pqti_traversal *walk, const pqti_queued_leaf *leaf,
                      gathered_hits *gathered)
{
    const columns_visitor *visitor = walk->state;
    const pqti_leaf_view view = pqti_traverse_enter(walk, leaf);
    if (leaf->is_contained) {
        const pqt_item_columns all = {view.min_x, view.min_y, view.max_x,
                                      view.max_y, view.id,    leaf->count};
        return visitor->visit(&all, visitor->context);
    }
    for (uint32_t from = 0; from < leaf->count; from += PQTI_SCAN_ITEMS) {
        const uint64_t hits = pqti_hits(&walk->window, &view, from, leaf->count);
        const pqt_item_columns columns = {
            gathered->sides[0], gathered->sides[1],
            gathered->sides[2], gathered->sides[3],
            gathered->ids,      gather_hits(&walk->window, view, from, hits, gathered)};
        if (columns.count > 0 && !visitor->visit(&columns, visitor->context))
            return false;
    }
    return true;
}

static bool
visit_columns_of_leaves(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count)
{
    gathered_hits gathered; /* not initialised, because only elements that were written are read */
    for (size_t i = 0; i < count; i++)
        if (!visit_columns_of_leaf(walk, &leaves[i], &gathered))
            return false;
    return true;
}

bool
pqt_tree_visit_columns(const pqt_tree *tree, const pqt_query *query, pqt_visit_columns_fn *visit,
                       void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    columns_visitor visitor = {visit, context};
    pqti_traversal walk;
    pqti_traverse_begin(&walk, tree, query, &visitor);
    walk.leaves = visit_columns_of_leaves;
    walk.reads_sides = true;
    return pqti_traverse_run(&walk, tree);
}

/* ---- Counts ---- */

/* Returns the number of hits in a block that pass the shape and the filter. */
static size_t
count_passing(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint64_t hits)
{
    if (!window->tests_items)
        return (size_t)__builtin_popcountll(hits);
    size_t passing = 0;
    for (; hits != 0; hits &= hits - 1) {
        pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        passing += pqti_passes(window, &item);
    }
    return passing;
}

/* Counts the hits in a leaf. The traversal passes contained leaves to count_contained. */
static size_t
count_leaf(const pqti_traversal *walk, const pqti_queued_leaf *leaf)
{
    const pqti_window *window = &walk->window;
    pqti_leaf_view view = pqti_traverse_enter(walk, leaf);
    size_t found = 0;
    for (uint32_t from = 0; from < leaf->count; from += PQTI_SCAN_ITEMS)
        found += count_passing(window, view, from, pqti_hits(window, &view, from, leaf->count));
    return found;
}

static bool
count_leaves(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count)
{
    size_t *found = walk->state;
    for (size_t i = 0; i < count; i++)
        *found += count_leaf(walk, &leaves[i]);
    return true;
}

static bool
count_contained(pqti_traversal *walk, pqti_node_ref child)
{
    *(size_t *)walk->state += child.count;
    return true;
}

size_t
pqt_tree_count_in(const pqt_tree *tree, const pqt_query *query)
{
    PQTI_ASSERT_TREE(tree);
    size_t found = 0;
    pqti_traversal walk;
    pqti_traverse_begin(&walk, tree, query, &found);
    walk.leaves = count_leaves;
    walk.visit_contained = count_contained;
    pqti_traverse_run(&walk, tree);
    return found;
}

static bool
stop_at_first_item(const pqt_item *item, void *context)
{
    *(pqt_item *)context = *item;
    return false;
}

bool
pqt_tree_any(const pqt_tree *tree, const pqt_query *query, pqt_item *found)
{
    PQTI_ASSERT_TREE(tree);
    pqt_item first;
    if (pqt_tree_visit(tree, query, stop_at_first_item, &first))
        return false;
    if (found != NULL)
        *found = first;
    return true;
}

/* ---- Results in the caller's arrays ---- */

/* An array of items or of ids; the other pointer is NULL. */
typedef struct collection {
    pqt_item *items;
    uint64_t *ids;
    size_t capacity, found;
} collection;

static inline size_t
room_of(const collection *all)
{
    return all->found < all->capacity ? all->capacity - all->found : 0;
}

/* Collects the items of a leaf that consists of hits. */
static inline void
collect_contained(pqti_leaf_view view, uint32_t count, collection *all)
{
    const size_t room = room_of(all), fitting = count < room ? count : room;
    for (size_t i = 0; i < fitting; i++)
        all->items[all->found + i] = pqti_view_item(view, i);
    all->found += count;
}

/* Collects the items of a block that have a bit in `hits` and pass the convex and the filter. */
static inline void
collect_hits(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint64_t hits,
             collection *all)
{
    for (; hits != 0; hits &= hits - 1) {
        const pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        if (!pqti_passes(window, &item))
            continue;
        if (all->found < all->capacity)
            all->items[all->found] = item;
        all->found++;
    }
}

static bool
collect_leaves(pqti_traversal *walk, const pqti_queued_leaf *leaves, size_t count)
{
    collection all = *(collection *)walk->state; /* in registers */
    for (const pqti_queued_leaf *leaf = leaves; leaf < leaves + count; leaf++) {
        const pqti_leaf_view view = pqti_traverse_enter(walk, leaf);
        if (leaf->is_contained) {
            collect_contained(view, leaf->count, &all);
            continue;
        }
        for (uint32_t from = 0; from < leaf->count; from += PQTI_SCAN_ITEMS)
            collect_hits(&walk->window, view, from,
                         pqti_hits(&walk->window, &view, from, leaf->count), &all);
    }
    ((collection *)walk->state)->found = all.found;
    return true;
}

size_t
pqt_tree_collect(const pqt_tree *tree, const pqt_query *query, pqt_item *items, size_t capacity)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(items != NULL || capacity == 0, "items is NULL, and capacity is not 0");
    collection all = {.items = items, .capacity = capacity};
    pqti_traversal walk;
    pqti_traverse_begin(&walk, tree, query, &all);
    walk.leaves = collect_leaves;
    walk.reads_sides = true;
    pqti_traverse_run(&walk, tree);
    return all.found;
}

static bool
collect_ids(const uint64_t *ids, size_t count, void *context)
{
    collection *all = context;
    const size_t room = room_of(all), copied = count < room ? count : room;
    if (copied > 0)
        memcpy(all->ids + all->found, ids, copied * sizeof *ids);
    all->found += count;
    return true;
}

size_t
pqt_tree_collect_ids(const pqt_tree *tree, const pqt_query *query, uint64_t *ids, size_t capacity)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(ids != NULL || capacity == 0, "ids is NULL, and capacity is not 0");
    collection all = {.ids = ids, .capacity = capacity};
    pqt_tree_visit_ids(tree, query, collect_ids, &all);
    return all.found;
}
