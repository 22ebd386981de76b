/* SPDX-License-Identifier: MIT */
/* batch_support.h: predicts which strategy of tree/batch.h a batch uses, and how many edits it
 * makes. */
#ifndef TEST_BATCH_SUPPORT_H
#define TEST_BATCH_SUPPORT_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "memory/memory_internal.h"
#include "tree/batch.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree/edit_list.h"
#include "tree/node.h"
#include "options_support.h"

typedef enum strategy {
    DIRECTLY, /* no change depends on the tree (batch.c) */
    IN_BULK,  /* all items of the tree are rebuilt together (batch_flatten.c) */
    TIED,     /* no item occurs in two changes (batch_distinct.c) */
    ONCE,     /* no id occurs in two changes (batch_distinct.c) */
    IN_ORDER, /* everything else (batch_replay.c) */
    STRATEGIES
} strategy;

#ifdef PQT_PLAIN

enum { HAS_FAST_STRATEGIES = false };

/* Returns false for the plain build, which replays all batches that depend on the tree. */
static inline bool
is_taken_in_bulk(const pqti_batch *batch)
{
    (void)batch;
    return false;
}

static inline bool
is_taken_apart(const pqti_batch *batch, bool unique)
{
    (void)batch;
    (void)unique;
    return false;
}

#else

enum { HAS_FAST_STRATEGIES = true };

/* Returns true if the library applies the changes by flattening all items. All changes are
 * valid. */
static inline bool
is_taken_in_bulk(const pqti_batch *batch)
{
    pqti_edit_list edit_list;
    size_t inserts = 0;
    for (size_t i = 0; i < batch->changes->count; i++)
        inserts += pqti_change_kind_at(batch->changes, i) == PQT_INSERT;
    pqti_plan_result plan = pqti_plan_flatten(batch, inserts, &edit_list);
    ck_assert_int_ne(plan, PQTI_PLAN_NO_MEMORY);
    if (plan == PQTI_PLAN_MADE)
        pqti_edit_list_free(&edit_list);
    return plan == PQTI_PLAN_MADE;
}

/* Returns true if no two of the changes touch the same item or, with unique ids, the same id. */
static inline bool
is_taken_apart(const pqti_batch *batch, bool unique)
{
    const size_t most = 2 * batch->changes->count;
    pqti_edit_list edit_list = {.storage = pqti_alloc_scratch(most, sizeof *edit_list.storage),
                                .removals = pqti_alloc_scratch(most, sizeof *edit_list.removals),
                                .id_edits = pqti_alloc_scratch(most, sizeof *edit_list.id_edits)};
    ck_assert(edit_list.storage != NULL && edit_list.removals != NULL &&
              edit_list.id_edits != NULL);
    edit_list.items = edit_list.storage;
    pqti_plan_result plan =
        (unique ? pqti_plan_distinct_ids : pqti_plan_distinct_items)(batch, &edit_list);
    ck_assert_int_ne(plan, PQTI_PLAN_NO_MEMORY);
    pqti_edit_list_free(&edit_list);
    return plan == PQTI_PLAN_MADE;
}

#endif

/* Returns the strategy that pqt_tree_apply chooses. */
static inline strategy
strategy_of(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    const bool unique = options_of_tree(tree).unique_ids;
    const pqti_change_array list = {.changes = changes, .count = count};
    const pqti_batch batch = {tree, &list};
    bool moves = false;
    for (size_t i = 0; i < count; i++)
        moves |= pqti_moves(changes[i].kind);
    if (!unique && !moves)
        return DIRECTLY;
    if (count > pqt_tree_count(tree) / 4 && is_taken_in_bulk(&batch))
        return IN_BULK;
    if (!is_taken_apart(&batch, unique))
        return IN_ORDER;
    return unique ? ONCE : TIED;
}

/* Returns the number of single-item edits, or 0 if the changes are applied by flattening all
 * items. */
static inline size_t
count_edits(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    pqti_edit_list edit_list;
    ck_assert(pqti_edit_list_of(tree, changes, count, &edit_list, NULL));
    size_t edits = edit_list.replaces_all ? 0 : edit_list.sorted_count;
    if (!edit_list.replaces_all && edit_list.sorted == NULL && edit_list.count > 0) {
        pqti_key *keys = pqti_alloc_scratch(edit_list.count, 2 * sizeof *keys);
        ck_assert_ptr_nonnull(keys);
        pqti_edit_list_sort(tree->domain, &edit_list, keys, keys + edit_list.count);
        edits = pqti_dedup_keep_last(keys, edit_list.count, edit_list.items);
        pqti_free_scratch(keys);
    }
    pqti_edit_list_free(&edit_list);
    return edits;
}

#endif
