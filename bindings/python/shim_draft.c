/* SPDX-License-Identifier: MIT */
/* shim_draft.c: functions for draft.py and map_draft.py, called with the lock of the draft held. */
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

/* Defines the functions of drafts of trees and of maps that differ only in their types. */
#define DRAFT_FUNCTIONS(type, version)                                                             \
    pqtpy_##type *pqtpy_##type##_begin(const pqt_pin *pin, pqt_error *error)                       \
    {                                                                                              \
        pqt_##type *made = NULL;                                                                   \
        bool again = false;                                                                        \
        do                                                                                         \
            made = pqt_##type##_begin(pqt_pin_get_##version(pin), error);                          \
        while ((again = retry_call(made != NULL, again, error)));                                  \
        return made;                                                                               \
    }                                                                                              \
                                                                                                   \
    void pqtpy_##type##_destroy(pqtpy_##type *of)                                                  \
    {                                                                                              \
        pqt_##type##_destroy(&of);                                                                 \
    }                                                                                              \
                                                                                                   \
    const pqtpy_##version *pqtpy_##type##_view(pqtpy_##type *of)                                   \
    {                                                                                              \
        return (const pqt_pin *)((uintptr_t)of + 1);                                               \
    }                                                                                              \
                                                                                                   \
    pqt_pin *pqtpy_##type##_snapshot(pqtpy_##type *of, pqt_error *error)                           \
    {                                                                                              \
        RETURN_PINNED(version, pqt_##type##_snapshot(of, error));                                  \
    }

DRAFT_FUNCTIONS(draft, tree)
DRAFT_FUNCTIONS(map_draft, map)

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
    bool done = false, again = false;
    if (!is_applicable(pqt_draft_view(draft), kind, 0, error))
        return false;
    do
        done = edit(draft, kind, box, id, to, error);
    while ((again = retry_call(done, again, error)));
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
    while ((again = retry_call(done, again, error)));
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
