/* SPDX-License-Identifier: MIT */
/* flat_edits.c: the edits of trees and of their drafts. build_wasm compiles this file for speed. */
#include "flat.h"

/* Returns whether a change of this kind can be made in a tree. If it cannot, records `index`. */
static bool
is_applicable(const pqt_tree *tree, pqt_change_kind kind, size_t index, pqt_error *error)
{
    if (kind == PQT_INSERT || kind == PQT_REMOVE || kind == PQT_MOVE)
        return true;
    if (kind == PQT_REMOVE_ID || kind == PQT_MOVE_ID)
        return flat_has_unique_ids(tree, index, error);
    flat_fail(error, PQT_ERROR_OPTION, index, "the kind of a change is none of the five");
    return false;
}

/* Returns the number of changes before the first one that cannot be made. */
static size_t
count_applicable(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    size_t i = 0;
    while (i < count && is_applicable(tree, changes[i].kind, i, NULL))
        i++;
    return i;
}

const pqt_tree *
flat_tree_edit(const pqt_tree *tree, const pqt_change *change, pqt_error *error)
{
    if (!is_applicable(tree, change->kind, 0, error))
        return NULL;
    switch (change->kind) {
    case PQT_INSERT:
        return pqt_tree_insert(tree, change->item, error);
    case PQT_REMOVE:
        return pqt_tree_remove(tree, change->item, error);
    case PQT_MOVE:
        return pqt_tree_move(tree, change->item, change->to, error);
    case PQT_REMOVE_ID:
        return pqt_tree_remove_id(tree, change->item.id, error);
    default:
        return pqt_tree_move_id(tree, change->item.id, change->to, error);
    }
}

const pqt_tree *
flat_tree_apply(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error)
{
    const size_t most = count_applicable(tree, changes, count);
    /* A change before the first inapplicable one may be refused, and its error comes first. */
    const pqt_tree *next = pqt_tree_apply(tree, changes, most, error);
    if (next == NULL || most == count)
        return next;
    is_applicable(tree, changes[most].kind, most, error);
    return NULL;
}

/* ---- Drafts ---- */

bool
flat_draft_edit(pqt_draft *draft, const pqt_change *change, pqt_error *error)
{
    if (!is_applicable(pqt_draft_view(draft), change->kind, 0, error))
        return false;
    switch (change->kind) {
    case PQT_INSERT:
        return pqt_draft_insert(draft, change->item, error);
    case PQT_REMOVE:
        return pqt_draft_remove(draft, change->item, error);
    case PQT_MOVE:
        return pqt_draft_move(draft, change->item, change->to, error);
    case PQT_REMOVE_ID:
        return pqt_draft_remove_id(draft, change->item.id, error);
    default:
        return pqt_draft_move_id(draft, change->item.id, change->to, error);
    }
}

bool
flat_draft_apply(pqt_draft *draft, const pqt_change *changes, size_t count, pqt_error *error)
{
    const pqt_tree *view = pqt_draft_view(draft);
    const size_t most = count_applicable(view, changes, count);
    return (most == count || is_applicable(view, changes[most].kind, most, error)) &&
           pqt_draft_apply(draft, changes, count, error);
}
