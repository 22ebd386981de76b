/* SPDX-License-Identifier: MIT */
/* draft_state.c: drops the blocks of a draft that its edits have replaced. */
#include "config.h"

#include "tree/draft_state.h"

/* The collector scans leaves whose ids are pointers, so these are not kept for other edits. */
static void
drop_leaf(const pqti_domain *domain, pqti_node_ref ref)
{
    if (!domain->options.ids_are_pointers)
        pqti_drop_leaf(&domain->draft->owner, ref.at, pqti_leaf_size(ref.count));
}

static void
drop_node(const pqti_domain *domain, pqti_node_ref ref)
{
    const bool has_own_items = !ref.is_hash && pqti_own_count(ref.at, ref.count) > 0;
    pqti_drop_node(&domain->draft->owner, ref.at, pqti_inner_size(has_own_items, ref.is_hash));
}

void
pqti_drop_owned(const pqti_domain *domain, pqti_node_ref ref)
{
    if (ref.count > 0)
        (ref.leaf ? drop_leaf : drop_node)(domain, ref);
}

/* No block is owned below one that is not. */
void
pqti_drop_owned_subtree(const pqti_domain *domain, pqti_node_ref ref)
{
    if (ref.count == 0)
        return;
    for (int i = 0; !ref.leaf && pqti_owns(&domain->draft->owner, ref.at) && i < PQTI_CHILDREN; i++)
        pqti_drop_owned_subtree(domain, pqti_child_ref(ref.at, ref.count, i));
    pqti_drop_owned(domain, ref);
}
