/* SPDX-License-Identifier: MIT */
/* shim_draft.c: functions for drafts, called with the lock of the draft held. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

bool
retry_call(bool done, bool again, pqt_error *error)
{
    if (done || again || error->status != PQT_ERROR_MEMORY) {
        reclaim_paced();
        return false;
    }
    *error = (pqt_error){0};
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    return true;
}

const pqt_tree *
tree_to_read(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin; /* the address of a pin is even */
    return address % 2 == 0 ? pqt_pin_get_tree(pin) : pqt_draft_view((pqt_draft *)(address - 1));
}

const pqt_map *
map_to_read(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin;
    return address % 2 == 0 ? pqt_pin_get_map(pin)
                            : pqt_map_draft_view((pqt_map_draft *)(address - 1));
}

const pqtpy_tree *
pqtpy_draft_view(pqt_draft *draft)
{
    return (const pqt_pin *)((uintptr_t)draft + 1);
}

const pqtpy_map *
pqtpy_map_draft_view(pqt_map_draft *draft)
{
    return (const pqt_pin *)((uintptr_t)draft + 1);
}

/* ---- Edits of trees ---- */

static bool
edit(pqt_draft *draft, int kind, const double *box, uint64_t id, const double *to, pqt_error *error)
{
    const pqt_item item = {box == NULL ? (pqt_box){{0, 0}, {0, 0}} : box_of(box), id};
    switch (kind) {
    case PQT_INSERT:
        return pqt_draft_insert(draft, item, error);
    case PQT_REMOVE:
        return pqt_draft_remove(draft, item, error);
    case PQT_MOVE:
        return pqt_draft_move(draft, item, box_of(to), error);
    case PQT_REMOVE_ID:
        return pqt_draft_remove_id(draft, id, error);
    default:
        return pqt_draft_move_id(draft, id, box_of(to), error);
    }
}

/* Makes a change. `box` is not read for kinds that need only an id, and `to` only for moves. */
bool
pqtpy_draft_edit(pqtpy_draft *draft, int kind, const double *box, uint64_t id, const double *to,
                 pqt_error *error)
{
    if (!is_applicable(pqt_draft_view(draft), kind, 0, error))
        return false;
    RETURN_EDITED(edit(draft, kind, box, id, to, error));
}

static bool
apply(pqt_draft *draft, const pqt_change *changes, size_t count, pqt_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!is_applicable(pqt_draft_view(draft), (int)changes[i].kind, i, error))
            return false;
    RETURN_EDITED(pqt_draft_apply(draft, changes, count, error));
}

/* Applies `count` changes of any kinds, in the form of pqt_change: all of them, or none. They need
   not be aligned, and another thread may write to them. */
bool
pqtpy_draft_apply(pqtpy_draft *draft, const void *changes, size_t count, pqt_error *error)
{
    pqt_change *copy = make_array(count, sizeof *copy, error);
    if (copy == NULL)
        return false;
    memcpy(copy, changes, count * sizeof *copy);
    const bool done = apply(draft, copy, count, error);
    free(copy);
    return done;
}
