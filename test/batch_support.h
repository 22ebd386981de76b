/* SPDX-License-Identifier: MIT */
/* batch_support.h - by which strategy of tree/batch.h a batch of changes is worked out, and to how
   many edits. */
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

typedef enum strategy {
    DIRECTLY, /* nothing depends on what is there (batch.c) */
    IN_BULK,  /* all items of the tree are changed (batch_flatten.c) */
    TIED,     /* no item is touched twice (batch_distinct.c) */
    ONCE,     /* no id is touched twice (batch_distinct.c) */
    IN_ORDER, /* all else (batch_replay.c) */
    STRATEGIES
} strategy;

/* Whether the changes, all of which are valid, are done to all items at once. */
static inline bool
is_taken_in_bulk(const pqti_batch *batch)
{
    pqti_wishes wishes;
    size_t inserts = 0;
    for (size_t i = 0; i < batch->changes->count; i++)
        inserts += pqti_kind_at(batch->changes, i) == PQT_INSERT;
    pqti_taken taken = pqti_take_in_bulk(batch, inserts, &wishes);
    ck_assert_int_ne(taken, PQTI_NO_MEMORY);
    if (taken == PQTI_TAKEN)
        pqti_wishes_free(&wishes);
    return taken == PQTI_TAKEN;
}

/* Whether no two of the changes touch the same item, or with unique ids the same id. */
static inline bool
is_taken_apart(const pqti_batch *batch, bool unique)
{
    const size_t most = 2 * batch->changes->count;
    pqti_wishes wishes = {.room = pqti_scratch(most, sizeof *wishes.room),
                          .removals = pqti_scratch(most, sizeof *wishes.removals),
                          .id_edits = pqti_scratch(most, sizeof *wishes.id_edits)};
    ck_assert(wishes.room != NULL && wishes.removals != NULL && wishes.id_edits != NULL);
    wishes.items = wishes.room;
    pqti_taken taken = (unique ? pqti_take_once : pqti_take_tied)(batch, &wishes);
    ck_assert_int_ne(taken, PQTI_NO_MEMORY);
    pqti_wishes_free(&wishes);
    return taken == PQTI_TAKEN;
}

/* The strategy that pqt_tree_apply chooses. */
static inline strategy
strategy_of(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    const bool unique = pqt_tree_get_options(tree).unique_ids;
    const pqti_changes list = {.changes = changes, .count = count};
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

/* How many edits of single items the changes come to; 0 if they are done in bulk. */
static inline size_t
count_edits(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    pqti_wishes wishes;
    ck_assert(pqti_wishes_of(tree, changes, count, &wishes, NULL));
    size_t edits = wishes.whole ? 0 : wishes.sorted_count;
    if (!wishes.whole && wishes.sorted == NULL && wishes.count > 0) {
        pqti_entry *entries = pqti_scratch(wishes.count, 2 * sizeof *entries);
        ck_assert_ptr_nonnull(entries);
        pqti_sort_wishes(tree->space, &wishes, entries, entries + wishes.count);
        edits = pqti_drop_overruled(entries, wishes.count, wishes.items);
        pqti_scratch_free(entries);
    }
    pqti_wishes_free(&wishes);
    return edits;
}

#endif
