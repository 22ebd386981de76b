/* SPDX-License-Identifier: MIT */
/* batch.c - what a list of changes comes to. */
#include "config.h"

#include "tree/batch.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/batch_plan.h"
#include "tree/edit_list.h"
#include "tree/item_hash.h"
#include "tree/node.h"
#include "tree/tree_internal.h"

/* More changes than a fourth of the items are done to all items at once: to ask a map of ids for
   each costs more then, and to sort wishes as much. */
enum { BULK_SHARE = 4 };

/* Whether a tree can take items as they are, bit by bit. The sign of -0.0 is all that it would
   change. */
static bool
are_ready(const pqt_tree *tree, const pqt_item *items, size_t count)
{
    bool ready = true;
    if (tree->space->options.strict_bounds)
        return false;
    for (size_t i = 0; i < count; i++)
        ready &= pqti_box_is_ready(&items[i].box);
    return ready;
}

static bool
admit_all(const pqt_tree *tree, const pqti_changes *changes, size_t *inserts, pqt_error *error)
{
    *inserts = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const pqt_box *box = pqti_coming_at(changes, i);
        bool fine = box == NULL || (pqti_box_is_valid(box) && !tree->space->options.strict_bounds);
        if (!fine && !pqti_admit_change(tree, changes, i, error))
            return false;
        *inserts += pqti_kind_at(changes, i) == PQT_INSERT;
    }
    return true;
}

/* Without moves and unique ids, no change depends on what is there. */
static bool
are_independent(const pqt_tree *tree, const pqti_changes *changes)
{
    if (tree->space->options.unique_ids)
        return false;
    for (size_t i = 0; changes->changes != NULL && i < changes->count; i++)
        if (pqti_moves(changes->changes[i].kind))
            return false;
    return true;
}

static void
take_directly(const pqti_changes *changes, pqti_wishes *wishes)
{
    for (size_t i = 0; i < changes->count; i++) {
        pqt_change change = pqti_change_at(changes, i);
        if (!pqti_is_idle(&change))
            pqti_wish_item(wishes, &change.item, change.kind == PQT_REMOVE);
    }
}

static pqti_taken
take(const pqti_batch *batch, pqti_wishes *wishes)
{
    bool unique = batch->tree->space->options.unique_ids;
    if (!pqti_wishes_make(wishes, 2 * batch->changes->count, unique))
        return PQTI_NO_MEMORY;
    pqti_taken taken = unique ? pqti_take_once(batch, wishes) : pqti_take_tied(batch, wishes);
    if (taken == PQTI_NO_WAY)
        taken = pqti_take_in_order(batch, wishes) ? PQTI_TAKEN : PQTI_NO_MEMORY;
    if (taken == PQTI_NO_MEMORY)
        pqti_wishes_free(wishes);
    return taken;
}

static void
assert_kinds(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_tree_apply",
                      changes[i].kind >= PQT_INSERT && changes[i].kind <= PQT_MOVE_ID,
                      "a change must be of one of the kinds of pqt_change_kind");
        PQT_ASSERT_IN("pqt_tree_apply",
                      changes[i].kind < PQT_REMOVE_ID || tree->space->options.unique_ids,
                      "changes by id need a tree with unique_ids");
    }
}

static pqti_taken
take_any(const pqt_tree *tree, const pqti_changes *changes, size_t inserts, pqti_wishes *wishes)
{
    pqti_batch batch = {tree, changes};
    pqti_taken taken = PQTI_NO_WAY;
    if (are_independent(tree, changes)) {
        if (!pqti_wishes_make(wishes, changes->count, false))
            return PQTI_NO_MEMORY;
        take_directly(changes, wishes);
        return PQTI_TAKEN;
    }
    if (changes->count > tree->count / BULK_SHARE)
        taken = pqti_take_in_bulk(&batch, inserts, wishes);
    return taken == PQTI_NO_WAY ? take(&batch, wishes) : taken;
}

static bool
wishes_of(const pqt_tree *tree, const pqti_changes *changes, pqti_wishes *wishes, pqt_error *error)
{
    size_t inserts;
    if (!pqti_may_count(changes->count, error) || !admit_all(tree, changes, &inserts, error))
        return false;
    if (take_any(tree, changes, inserts, wishes) == PQTI_TAKEN)
        return true;
    pqti_out_of_memory(error);
    return false;
}

bool
pqti_wishes_of(const pqt_tree *tree, const pqt_change *changes, size_t count, pqti_wishes *wishes,
               pqt_error *error)
{
    if (count <= PQT_MAX_ITEMS)
        assert_kinds(tree, changes, count);
    return wishes_of(tree, &(pqti_changes){.changes = changes, .count = count}, wishes, error);
}

bool
pqti_wishes_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                     size_t count, pqti_wishes *wishes, pqt_error *error)
{
    if (kind == PQT_INSERT && !tree->space->options.unique_ids && count <= PQT_MAX_ITEMS &&
        are_ready(tree, items, count)) {
        *wishes = (pqti_wishes){.items = items, .count = count};
        return true;
    }
    return wishes_of(tree, &(pqti_changes){.items = items, .kind = kind, .count = count}, wishes,
                     error);
}
