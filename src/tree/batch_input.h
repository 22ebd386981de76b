/* SPDX-License-Identifier: MIT */
/* batch_input.h: the changes of a batch as the caller passed them, and their validation. */
#ifndef PQTI_BATCH_INPUT_H
#define PQTI_BATCH_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

/* An array of changes or, if `changes` is NULL, of items that all have the same kind of change. */
typedef struct pqti_change_array {
    const pqt_change *changes;
    const pqt_item *items; /* used if `changes` is NULL */
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
pqti_change_kind_at(const pqti_change_array *changes, size_t i)
{
    return changes->changes == NULL ? changes->kind : changes->changes[i].kind;
}

/* Returns the item of a change, as the caller passed it. */
static inline const pqt_item *
pqti_item_at(const pqti_change_array *changes, size_t i)
{
    return changes->changes == NULL ? &changes->items[i] : &changes->changes[i].item;
}

/*
 * Returns the box that a change inserts, or moves an item to, as the caller passed it. Returns NULL
 * if there is none.
 */
static inline const pqt_box *
pqti_inserted_item(const pqti_change_array *changes, size_t i)
{
    pqt_change_kind kind = pqti_change_kind_at(changes, i);
    if (pqti_moves(kind))
        return &changes->changes[i].to;
    return kind == PQT_INSERT ? &pqti_item_at(changes, i)->box : NULL;
}

/* Validates an item to be inserted. Sets *admitted to the item as the tree stores it. Returns false
   with an error set if the tree cannot store it. */
bool pqti_admit_item(const pqt_tree *tree, const pqt_item *item, size_t index, pqt_item *admitted,
                     pqt_error *error);

/* Validates the box that a change inserts. Returns false with an error set if the tree cannot
   store it. The box of a removal need not be valid. */
bool pqti_validate_change(const pqt_tree *tree, const pqti_change_array *changes, size_t i,
                          pqt_error *error);

/*
 * Returns a validated change with canonical numbers: without -0.0, and with a zero box if it
 * addresses an item by id.
 */
pqt_change pqti_change_at(const pqti_change_array *changes, size_t i);

/* Returns the item that a validated change addresses, with canonical numbers. */
pqt_item pqti_target_item(const pqti_change_array *changes, size_t i);

/*
 * Returns true if a change removes or moves an item whose box is not valid: no tree holds such an
 * item.
 */
bool pqti_is_noop(const pqt_change *change);

#endif
