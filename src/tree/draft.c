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
    pqt_draft *draft =
        pqti_draft_alloc(tree->domain->options.memory, sizeof *draft, pqti_trace_draft, error);
    if (draft == NULL)
        return NULL;
    init_draft(draft, tree);
    pqti_draft_begun(&draft->owner, tree);
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
    pqti_draft_free(__func__, &(*draft)->owner);
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
