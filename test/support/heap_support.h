/* SPDX-License-Identifier: MIT */
/* heap_support.h: makes heaps, and trees and histories in them. */
#ifndef TEST_HEAP_SUPPORT_H
#define TEST_HEAP_SUPPORT_H

#include <pqt.h>

#include <check.h>
#include <stdlib.h>

static const pqt_box bounds = {{0, 0}, {1000, 1000}};

static inline pqt_memory *
make_heap(void)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    ck_assert_msg(heap != NULL, "%s", error.text);
    return heap;
}

static inline const pqt_tree *
make_tree(pqt_memory *heap, bool unique_ids)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = unique_ids;
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

static inline pqt_item
item_of(uint64_t id)
{
    const double x = (double)(id * 7919 % 990), y = (double)(id * 104729 % 990);
    return (pqt_item){{{x, y}, {x + 5, y + 5}}, id};
}

/* Returns a tree of items 0 to count - 1. */
static inline const pqt_tree *
make_full_tree(pqt_memory *heap, size_t count, bool unique_ids)
{
    pqt_item *items = malloc((count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = item_of(i);
    const pqt_tree *tree = pqt_tree_insert_all(make_tree(heap, unique_ids), items, count, NULL);
    free(items);
    ck_assert_ptr_nonnull(tree);
    return tree;
}

static inline const pqt_tree *
nudge(const pqt_tree *tree, uint64_t id, double by)
{
    pqt_item item;
    pqt_error error = {0};
    ck_assert(pqt_tree_find(tree, id, &item));
    pqt_box to = item.box;
    to.min.x += by;
    to.max.x += by;
    const pqt_tree *next = pqt_tree_move_id(tree, id, to, &error);
    ck_assert_msg(next != NULL, "%s", error.text);
    return next;
}

static inline void
reclaim_all(pqt_memory *heap)
{
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
}

static inline pqt_history *
make_history(const pqt_tree *first, size_t max_entries, bool indexed)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = max_entries;
    options.indexed = indexed;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    return history;
}

static inline const pqt_tree *
current_of(const pqt_history *history)
{
    return pqt_history_value(history);
}

static inline void
push(pqt_history *history, const pqt_tree *tree, const char *label)
{
    pqt_error error = {0};
    const pqt_history_entry_info info = {.label = label};
    ck_assert_msg(pqt_history_push(history, tree, &info, &error), "%s", error.text);
}

#endif
