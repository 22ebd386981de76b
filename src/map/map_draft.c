/* SPDX-License-Identifier: MIT */
/*
 * map_draft.c: drafts of maps, which edit a map in place between two versions.
 *
 * Edits of versions and of drafts are the same code (map.c, map_edit.c): in a draft, a new block is
 * owned by the draft, a block that is replaced is dropped, and the last step of a single edit
 * changes the blocks of its path that the draft owns. Batches copy blocks.
 */
#include "config.h"

#include <pqt/draft.h>

#include "map/map_internal.h"
#include "memory/owner.h"

struct pqt_map_draft {
    pqti_owner owner;
    pqt_map current;     /* the map of the draft, which is no version */
    const pqt_map *same; /* the version that the draft was begun from, or the last snapshot; NULL if
                            the draft has changed since */
    pqt_map views[PQTI_DRAFT_VIEWS];
    size_t view;   /* the index of the newest view */
    bool has_view; /* the newest view is up to date */
};

/* ---- Making and destroying ---- */

/* Makes a root the root of the draft. `same` is an equal version, or NULL. */
static void
set_state(pqt_map_draft *draft, const void *root, pqt_fingerprint sum, const pqt_map *same)
{
    draft->current.root = root;
    draft->current.fingerprint = sum;
    draft->same = same;
    draft->owner.roots[0] = root;
    draft->owner.roots[1] = same;
}

pqt_map_draft *
pqt_map_draft_begin(const pqt_map *map, pqt_error *error)
{
    if (!pqti_map_check_input(map, error))
        return NULL;
    pqt_map_draft *draft = pqti_draft_alloc(map->memory, sizeof *draft, pqti_trace_draft, error);
    if (draft == NULL)
        return NULL;
    draft->current = *map;
    set_state(draft, map->root, map->fingerprint, map);
    pqti_draft_begun(&draft->owner, map);
    return draft;
}

static void
begin_use(const char *function, pqt_map_draft *draft)
{
    PQT_ASSERT_IN(function, draft != NULL, "the draft is NULL");
    pqti_owner_begin_edit(function, &draft->owner);
}

void
pqt_map_draft_destroy(pqt_map_draft **draft)
{
    if (draft == NULL || *draft == NULL)
        return;
    pqti_draft_free(__func__, &(*draft)->owner);
    *draft = NULL;
}

/* ---- Edits ---- */

static pqti_map_editing
begin_edit(const char *function, pqt_map_draft *draft)
{
    begin_use(function, draft);
    return pqti_map_begin_editing(function, &draft->current, &draft->owner);
}

static void
close_view(pqt_map_draft *draft)
{
    pqt_map *view = &draft->views[draft->view];
    if (draft->has_view)
        *view = (pqt_map){.version.sign = PQTI_SIGN_OF(PQT_KIND_MAP) | PQTI_PAST_VIEW};
    draft->has_view = false;
}

/* Makes the result of an edit the map of the draft. Returns `done`, which is false if the edit
   failed. */
static bool
end_edit(pqt_map_draft *draft, const pqti_map_editing *m, bool done)
{
    const bool changed = done && m->changed;
    if (changed) {
        close_view(draft);
        set_state(draft, m->root, m->sum, NULL);
    }
    pqti_owner_end_edit(&draft->owner, changed);
    return done;
}

static bool
change_one(const char *function, pqt_map_draft *draft, const pqt_map_change *change,
           pqt_error *error)
{
    pqti_map_editing m = begin_edit(function, draft);
    const bool done = pqti_map_change(&m, change, error);
    return end_edit(draft, &m, done);
}

bool
pqt_map_draft_insert(pqt_map_draft *draft, pqt_map_key key, pqt_map_value value, pqt_error *error)
{
    const pqt_map_change change = {PQT_MAP_INSERT, key, value};
    return change_one(__func__, draft, &change, error);
}

bool
pqt_map_draft_remove(pqt_map_draft *draft, pqt_map_key key, pqt_error *error)
{
    const pqt_map_change change = {.kind = PQT_MAP_REMOVE, .key = key};
    return change_one(__func__, draft, &change, error);
}

bool
pqt_map_draft_apply(pqt_map_draft *draft, const pqt_map_change *changes, size_t count,
                    pqt_error *error)
{
    PQT_ASSERT(changes != NULL || count == 0, "changes is NULL, and count is not 0");
    pqti_map_editing m = begin_edit(__func__, draft);
    const bool done = pqti_map_change_all(&m, changes, count, error);
    return end_edit(draft, &m, done);
}

/* ---- Reading ---- */

const pqt_map *
pqt_map_draft_view(pqt_map_draft *draft)
{
    begin_use(__func__, draft);
    if (!draft->has_view) {
        draft->view = (draft->view + 1) % PQTI_DRAFT_VIEWS;
        draft->views[draft->view] = draft->current;
        draft->views[draft->view].version.sign = PQTI_SIGN_OF(PQT_KIND_MAP) | PQTI_VIEW;
        draft->has_view = true;
    }
    pqti_owner_end_edit(&draft->owner, false);
    return &draft->views[draft->view];
}

const pqt_map *
pqt_map_draft_snapshot(pqt_map_draft *draft, pqt_error *error)
{
    begin_use(__func__, draft);
    const pqt_map *map = &draft->current;
    if (draft->same == NULL) {
        const pqt_map *version = pqti_map_of(map->memory, map->kinds, map->root, error);
        if (version != NULL)
            pqti_owner_forget(&draft->owner);
        set_state(draft, map->root, map->fingerprint, version);
    }
    pqti_owner_end_edit(&draft->owner, false);
    return draft->same;
}
