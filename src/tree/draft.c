/* SPDX-License-Identifier: MIT */
/*
 * draft.c: drafts, which edit a tree in place between two versions.
 *
 * An edit of a draft is the edit of a version in the draft's own domain (draft_state.h). Until
 * it succeeds, everything that it has replaced is still in place, so a failure leaves the draft as
 * it was. Only the last step of a single edit writes into nodes, and that step cannot fail
 * (pqti_change_owned). Batches copy nodes, into blocks of the chains that earlier edits dropped.
 */
#include "config.h"

#include "tree/draft_state.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "tree/tree_internal.h"

/* ---- Making and destroying ---- */

static bool
trace_draft(pqti_roots roots, size_t *next, size_t most, pqti_marker *marker)
{
    const pqt_draft *draft = roots.block;
    for (; *next < PQTI_OWNER_ROOTS && most > 0; ++*next, most--)
        pqti_mark(marker, draft->owner.roots_at_begin[*next]);
    return *next == PQTI_OWNER_ROOTS;
}

/* Makes `current` the tree of the draft. `same` is an equal version, or NULL. */
static void
set_state(pqt_draft *draft, const pqt_tree *current, const pqt_tree *same)
{
    draft->current = current;
    draft->next = &draft->states[current == &draft->states[0]];
    draft->same = same;
    draft->owner.roots[0] = current->root;
    draft->owner.roots[1] = current->ids;
    draft->owner.roots[2] = draft->shared;
    draft->owner.roots[3] = same;
}

static void
init_draft(pqt_draft *draft, const pqt_tree *tree)
{
    draft->shared = tree->domain;
    draft->domain = *tree->domain;
    draft->domain.draft = draft;
    draft->states[0] = *tree;
    draft->states[0].sign = PQTI_SIGN_OF(PQT_KIND_TREE) | PQTI_LIVES;
    draft->states[0].domain = &draft->domain;
    set_state(draft, &draft->states[0], tree);
}

pqt_draft *
pqt_draft_begin(const pqt_tree *tree, pqt_error *error)
{
    if (!pqti_check_input(tree, error))
        return NULL;
    pqt_memory *memory = tree->domain->options.memory;
    pqt_draft *draft = pqti_alloc_holder(memory, sizeof *draft, trace_draft, NULL);
    if (draft == NULL || !pqti_owner_init(&draft->owner, memory)) {
        pqti_free_holder(memory, draft);
        pqti_out_of_memory(error);
        return NULL;
    }
    init_draft(draft, tree);
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->owner_added(memory, &draft->owner);
    pqti_root_added(memory, tree);
    return draft;
}

static void
expect_idle(const char *function, pqt_draft *draft)
{
    PQT_ASSERT_IN(function, draft != NULL, "the draft is NULL");
    pqti_owner_begin_edit(function, &draft->owner);
}

void
pqt_draft_destroy(pqt_draft **draft)
{
    if (draft == NULL || *draft == NULL)
        return;
    pqt_memory *memory = (*draft)->owner.memory;
    expect_idle(__func__, *draft);
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->owner_removed(memory, &(*draft)->owner);
    pqti_owner_destroy(&(*draft)->owner);
    pqti_free_holder(memory, *draft);
    *draft = NULL;
}

/* ---- Edits ---- */

/* Returns the tree to edit. */
static const pqt_tree *
begin_edit(const char *function, pqt_draft *draft)
{
    expect_idle(function, draft);
    return draft->current;
}

static void
close_view(pqt_draft *draft)
{
    pqt_tree *view = &draft->views[draft->view];
    if (draft->has_view)
        *view = (pqt_tree){.sign = PQTI_SIGN_OF(PQT_KIND_TREE) | PQTI_PAST_VIEW};
    draft->has_view = false;
}

/* Makes the result of an edit the tree of the draft. Returns false if the edit failed. */
static bool
end_edit(pqt_draft *draft, const pqt_tree *next)
{
    const bool changed = next != NULL && next != draft->current;
    if (changed) {
        close_view(draft);
        set_state(draft, next, NULL);
    }
    pqti_owner_end_edit(&draft->owner, changed);
    return next != NULL;
}

bool
pqt_draft_insert(pqt_draft *draft, pqt_item item, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    return end_edit(draft, pqt_tree_insert(tree, item, error));
}

bool
pqt_draft_remove(pqt_draft *draft, pqt_item item, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    return end_edit(draft, pqt_tree_remove(tree, item, error));
}

bool
pqt_draft_remove_id(pqt_draft *draft, uint64_t id, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    return end_edit(draft, pqt_tree_remove_id(tree, id, error));
}

bool
pqt_draft_move(pqt_draft *draft, pqt_item item, pqt_box to, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    return end_edit(draft, pqt_tree_move(tree, item, to, error));
}

bool
pqt_draft_move_id(pqt_draft *draft, uint64_t id, pqt_box to, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    return end_edit(draft, pqt_tree_move_id(tree, id, to, error));
}

bool
pqt_draft_apply(pqt_draft *draft, const pqt_change *changes, size_t count, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    return end_edit(draft, pqt_tree_apply(tree, changes, count, error));
}

/* ---- Reading ---- */

const pqt_tree *
pqt_draft_view(pqt_draft *draft)
{
    expect_idle(__func__, draft);
    if (!draft->has_view) {
        draft->view = (draft->view + 1) % PQTI_DRAFT_VIEWS;
        draft->views[draft->view] = *draft->current;
        draft->views[draft->view].sign = PQTI_SIGN_OF(PQT_KIND_TREE) | PQTI_VIEW;
        draft->views[draft->view].domain = draft->shared;
        draft->has_view = true;
    }
    pqti_owner_end_edit(&draft->owner, false);
    return &draft->views[draft->view];
}

const pqt_tree *
pqt_draft_snapshot(pqt_draft *draft, pqt_error *error)
{
    const pqt_tree *tree = begin_edit(__func__, draft);
    if (draft->same == NULL && pqti_may_compute(error)) {
        const pqti_node_ref root = pqti_root(tree);
        const pqt_tree *version =
            pqti_version_of(draft->shared, &root, &tree->fingerprint, tree->ids, error);
        if (version != NULL)
            pqti_owner_forget(&draft->owner);
        set_state(draft, tree, version);
    }
    pqti_owner_end_edit(&draft->owner, false);
    return draft->same;
}
