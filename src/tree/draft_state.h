/* SPDX-License-Identifier: MIT */
/*
 * draft_state.h: a draft of a tree, and the functions by which edits drop its blocks.
 *
 * A draft edits with a copy of its tree's domain, whose member `draft` is set. Edits of versions
 * and of drafts are the same code: if the member is set, a new block is owned by the draft, a block
 * that is replaced is dropped, and the new version is written into the draft itself.
 */
#ifndef PQTI_DRAFT_STATE_H
#define PQTI_DRAFT_STATE_H

#include <pqt/draft.h>

#include "memory/owner.h"
#include "tree/node.h"

struct pqt_draft {
    pqti_owner owner;
    const pqti_domain *shared; /* the domain of the versions */
    const pqt_tree *current;   /* one of the two below */
    pqt_tree *next;            /* the other one, which the next edit writes */
    pqt_tree states[2];        /* the tree before and after an edit, with the domain below */
    pqti_domain domain;
    const pqt_tree *same; /* the version that the draft was begun from, or the last snapshot; NULL
                             if the draft has changed since */
    pqt_tree views[PQTI_DRAFT_VIEWS];
    size_t view;   /* the index of the newest view */
    bool has_view; /* the newest view is up to date */
};

/* Returns the owner of the blocks that edits in this domain make, or NULL. */
static inline pqti_owner *
pqti_owner_of(const pqti_domain *domain)
{
    return domain->draft != NULL ? &domain->draft->owner : NULL;
}

/* Drop a node or leaf that an edit of a draft has replaced, whose children are still in use, or all
   blocks of a subtree. Do nothing with blocks that the draft does not own. */
void pqti_drop_owned(const pqti_domain *domain, pqti_node_ref ref);
void pqti_drop_owned_subtree(const pqti_domain *domain, pqti_node_ref ref);

/* Do the same if this is the domain of a draft, and otherwise nothing. */
static inline void
pqti_drop_replaced(const pqti_domain *domain, const pqti_node_ref *ref)
{
    if (domain->draft != NULL)
        pqti_drop_owned(domain, *ref);
}

static inline void
pqti_drop_subtree(const pqti_domain *domain, const pqti_node_ref *ref)
{
    if (domain->draft != NULL)
        pqti_drop_owned_subtree(domain, *ref);
}

#endif
