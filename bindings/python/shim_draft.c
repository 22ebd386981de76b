/* SPDX-License-Identifier: MIT */
/* shim_draft.c: the functions that draft.py calls, with the lock of the draft held. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

/* Frees everything that nothing holds if a call has found no memory, and clears its error. Returns
   whether the call is to be made again. Otherwise reclaims in proportion to what it allocated. */
static bool
try_again(bool done, bool again, pqt_error *error)
{
    if (done || again || error->status != PQT_ERROR_MEMORY) {
        reclaim_paced();
        return false;
    }
    *error = (pqt_error){0};
    pqt_memory_reclaim(heap, PQT_RECLAIM_ALL);
    return true;
}

pqtpy_draft *
pqtpy_draft_begin(const pqt_pin *pin, pqt_error *error)
{
    pqt_draft *draft = NULL;
    bool again = false;
    do
        draft = pqt_draft_begin(pqt_pin_get_tree(pin), error);
    while ((again = try_again(draft != NULL, again, error)));
    return draft;
}

void
pqtpy_draft_destroy(pqtpy_draft *draft)
{
    pqt_draft_destroy(&draft);
}

const pqtpy_tree *
pqtpy_draft_view(pqtpy_draft *draft)
{
    return (const pqt_pin *)((uintptr_t)draft + 1);
}

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
    bool done = false, again = false;
    if (!is_applicable(pqt_draft_view(draft), kind, 0, error))
        return false;
    do
        done = edit(draft, kind, box, id, to, error);
    while ((again = try_again(done, again, error)));
    return done;
}

static bool
apply(pqt_draft *draft, const pqt_change *changes, size_t count, pqt_error *error)
{
    bool done = false, again = false;
    for (size_t i = 0; i < count; i++)
        if (!is_applicable(pqt_draft_view(draft), (int)changes[i].kind, i, error))
            return false;
    do
        done = pqt_draft_apply(draft, changes, count, error);
    while ((again = try_again(done, again, error)));
    return done;
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

pqt_pin *
pqtpy_draft_snapshot(pqtpy_draft *draft, pqt_error *error)
{
    RETURN_PINNED(tree, pqt_draft_snapshot(draft, error));
}
