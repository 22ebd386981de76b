/* SPDX-License-Identifier: MIT */
/* batch_input.h - changes as a caller gave them: what a tree may take, and what each comes to. */
#ifndef PQTI_BATCH_INPUT_H
#define PQTI_BATCH_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

/* One by one, or the same for all of many items. */
typedef struct pqti_change_array {
    const pqt_change *changes;
    const pqt_item *items; /* where changes is NULL */
    pqt_change_kind kind;
    size_t count;
} pqti_change_array;

static inline bool
pqti_moves(pqt_change_kind kind)
{
    return kind == PQT_MOVE || kind == PQT_MOVE_ID;
}

static inline bool
pqti_is_by_id(pqt_change_kind kind)
{
    return kind == PQT_REMOVE_ID || kind == PQT_MOVE_ID;
}

static inline pqt_change_kind
pqti_kind_at(const pqti_change_array *changes, size_t i)
{
    return changes->changes == NULL ? changes->kind : changes->changes[i].kind;
}

/* The item of a change, as it was given. */
static inline const pqt_item *
pqti_item_at(const pqti_change_array *changes, size_t i)
{
    return changes->changes == NULL ? &changes->items[i] : &changes->changes[i].item;
}

/* The box that a change brings into a tree, as it was given; NULL: none. */
static inline const pqt_box *
pqti_inserted_item(const pqti_change_array *changes, size_t i)
{
    pqt_change_kind kind = pqti_kind_at(changes, i);
    if (pqti_moves(kind))
        return &changes->changes[i].to;
    return kind == PQT_INSERT ? &pqti_item_at(changes, i)->box : NULL;
}

/* Refuses a box that a tree cannot take; what is taken is in *admitted. */
bool pqti_validate_changes(const pqt_tree *tree, pqt_item item, size_t index, pqt_item *admitted,
                           pqt_error *error);

/* Refuses a change that a tree cannot take; what is only to be removed may be any box. */
bool pqti_validate_change(const pqt_tree *tree, const pqti_change_array *changes, size_t i,
                          pqt_error *error);

/* An admitted change, as the tree has its numbers: no -0.0, and no box where it goes by id. */
pqt_change pqti_change_at(const pqti_change_array *changes, size_t i);

/* The item of an admitted change alone. */
pqt_item pqti_target_item(const pqti_change_array *changes, size_t i);

/* Whether a change takes away a box that no tree holds, so that there is nothing to do. */
bool pqti_is_noop(const pqt_change *change);

#endif
