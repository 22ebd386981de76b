/* SPDX-License-Identifier: MIT */
/*
 * shim_edit.c: single edits, for lib/tree.js, and drafts, for lib/draft.js.
 *
 * build_wasm compiles this file for speed. Compiled for size, it would pass items by calls that
 * copy memory, which take 3 % of the time of an insert.
 */
#include "shim.h"

#include <wasm_simd128.h>

/* Sets a box. Sides are stored in pairs, as the library loads them. */
static void
set_box(pqt_box *box, double min_x, double min_y, double max_x, double max_y)
{
    wasm_v128_store(&box->min, wasm_f64x2_make(min_x, min_y));
    wasm_v128_store(&box->max, wasm_f64x2_make(max_x, max_y));
}

/* Applies a change. A change by id is the same change of the item that has the id. If no item has
   it, the item that is passed is absent, too. */
static const pqt_tree *
edit(const pqt_tree *tree, pqt_change *change)
{
    if (change->kind == PQT_REMOVE_ID || change->kind == PQT_MOVE_ID) {
        if (!flat_has_unique_ids(tree, &failure))
            return NULL;
        pqt_tree_find(tree, change->item.id, &change->item);
    }
    if (change->kind == PQT_INSERT)
        return pqt_tree_insert(tree, change->item, &failure);
    if (change->kind == PQT_REMOVE || change->kind == PQT_REMOVE_ID)
        return pqt_tree_remove(tree, change->item, &failure);
    return pqt_tree_move(tree, change->item, change->to, &failure);
}

/* Applies a change, whose kind is a pqt_change_kind. `low` and `high` are the halves of the id. */
pqt_pin *
EXPORT(pqtjs_tree_edit)(pqt_pin *pin, int kind, double min_x, double min_y, double max_x,
                        double max_y, uint32_t low, uint32_t high, double to_min_x, double to_min_y,
                        double to_max_x, double to_max_y)
{
    const pqt_tree *tree = tree_of(pin);
    pqt_change change;
    if (tree == NULL)
        return NULL;
    change.kind = (pqt_change_kind)kind;
    change.item.id = (uint64_t)high << 32 | low;
    set_box(&change.item.box, min_x, min_y, max_x, max_y);
    set_box(&change.to, to_min_x, to_min_y, to_max_x, to_max_y);
    RETURN_PINNED(tree, edit(tree, &change));
}

/* ---- Drafts ---- */

static bool
change_draft(pqt_draft *draft, const pqt_change *change)
{
    switch (change->kind) {
    case PQT_INSERT:
        return pqt_draft_insert(draft, change->item, &failure);
    case PQT_REMOVE:
        return pqt_draft_remove(draft, change->item, &failure);
    case PQT_MOVE:
        return pqt_draft_move(draft, change->item, change->to, &failure);
    case PQT_REMOVE_ID:
        return pqt_draft_remove_id(draft, change->item.id, &failure);
    default:
        return pqt_draft_move_id(draft, change->item.id, change->to, &failure);
    }
}

/* Makes a change, as pqtjs_tree_edit does. Returns whether it was made. */
int32_t
EXPORT(pqtjs_draft_edit)(pqt_draft *draft, int kind, double min_x, double min_y, double max_x,
                         double max_y, uint32_t low, uint32_t high, double to_min_x,
                         double to_min_y, double to_max_x, double to_max_y)
{
    pqt_change change;
    change.kind = (pqt_change_kind)kind;
    change.item.id = (uint64_t)high << 32 | low;
    set_box(&change.item.box, min_x, min_y, max_x, max_y);
    set_box(&change.to, to_min_x, to_min_y, to_max_x, to_max_y);
    RETURN_EDITED(change_draft(draft, &change));
}

/* Makes the changes in the buffer: all of them, or none. Returns whether it made them. */
int32_t
EXPORT(pqtjs_draft_apply)(pqt_draft *draft, size_t count)
{
    const pqt_change *changes = (const pqt_change *)buffer;
    RETURN_EDITED(pqt_draft_apply(draft, changes, count, &failure));
}
