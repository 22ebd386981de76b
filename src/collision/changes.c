/* SPDX-License-Identifier: MIT */
/*
 * changes.c - pairs that began or ended, from the difference of two versions.
 *
 * Only a pair with an item that changed can begin or end. So each changed item is asked for its partners
 * in the version before and in the version after; a partner stands in the other version too or does
 * not, and by that the pair ended or began. If both items of a pair changed, it is the turn of the one
 * with the lower id.
 */
#include "config.h"

#include <pqt/collision.h>
#include <pqt/diff.h>

#include "base/error.h"
#include "tree/node.h"

typedef struct change_search {
    const pqt_tree *before, *after;
    pqt_pair_query query;
    pqt_visit_pair_change_fn *visit;
    void *context;
} change_search;

/* A version's view of one changed item: what it was or is, and what is told of its pairs. */
typedef struct partner_search {
    const change_search *all;
    const pqt_tree *here, *there;
    pqt_item item;
    pqt_pair_change change;
    bool stopped;
} partner_search;

static bool
is_before(const pqt_tree *tree, const pqt_item *a, const pqt_item *b)
{
    pqti_entry entry_a = pqti_entry_of(tree->space, a, 0);
    pqti_entry entry_b = pqti_entry_of(tree->space, b, 0);
    return pqti_compare(&entry_a, a, &entry_b, b) < 0;
}

/* Puts two items in the order in which they are a pair of a version; false: they are none. */
static bool
make_pair(const partner_search *p, const pqt_tree *tree, const pqt_item **a, const pqt_item **b)
{
    const pqt_pair_query *query = &p->all->query;
    if (is_before(tree, *b, *a)) {
        const pqt_item *first = *b;
        *b = *a;
        *a = first;
    }
    if (!pqt_box_relates((*a)->box, (*b)->box, query->relation)) {
        if (!pqt_box_relates((*b)->box, (*a)->box, query->relation))
            return false;
        const pqt_item *first = *b;
        *b = *a;
        *a = first;
    }
    return query->filter == NULL || query->filter(*a, *b, query->context);
}

/* Whether the pair of `a` and `b`, here, is one there as well. */
static bool
is_pair_there(const partner_search *p, const pqt_item *a, const pqt_item *b)
{
    pqt_item there_a, there_b;
    if (!pqt_tree_find(p->there, a->id, &there_a) || !pqt_tree_find(p->there, b->id, &there_b))
        return false;
    const pqt_item *first = &there_a, *second = &there_b;
    bool ordered = p->all->query.relation == PQT_INSIDE || p->all->query.relation == PQT_COVERS;
    return make_pair(p, p->there, &first, &second) && (!ordered || first->id == a->id);
}

/* Whether a partner has changed as well, and its turn comes instead. */
static bool
has_own_turn(const partner_search *p, const pqt_item *partner)
{
    return partner->id < p->item.id && !pqt_tree_contains(p->there, *partner);
}

static bool
visit_partner(const pqt_item *partner, void *context)
{
    partner_search *p = context;
    const pqt_item *a = &p->item, *b = partner;
    if (partner->id == p->item.id || has_own_turn(p, partner) || !make_pair(p, p->here, &a, &b) ||
        is_pair_there(p, a, b))
        return true;
    p->stopped = !p->all->visit(p->change, a, b, p->all->context);
    return !p->stopped;
}

/* The pairs of one changed item that are here and not there; false: the visitor stopped. */
static bool
visit_pairs_of(const change_search *all, pqt_pair_change change, uint64_t id)
{
    bool ended = change == PQT_PAIR_ENDED;
    partner_search p = {.all = all,
                        .here = ended ? all->before : all->after,
                        .there = ended ? all->after : all->before,
                        .change = change};
    if (!pqt_tree_find(p.here, id, &p.item))
        return true;
    pqt_query around = {.window = p.item.box, .relation = PQT_TOUCHES, .tally = all->query.tally};
    pqt_tree_visit(p.here, around, visit_partner, &p);
    return !p.stopped;
}

static bool
visit_changed_item(const pqt_change *change, void *context)
{
    const change_search *all = context;
    return visit_pairs_of(all, PQT_PAIR_ENDED, change->item.id) &&
           visit_pairs_of(all, PQT_PAIR_BEGAN, change->item.id);
}

bool
pqt_pairs_visit_changes(const pqt_tree *before, const pqt_tree *after, pqt_pair_query query,
                        pqt_visit_pair_change_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    PQT_ASSERT(query.relation >= PQT_TOUCHES && query.relation <= PQT_COVERS,
               "a query must name one of the four relations");
    PQT_ASSERT(before == NULL || before->space->options.unique_ids,
               "changes of pairs need trees with unique_ids");
    change_search all = {before, after, query, visit, context};
    pqt_query everywhere = {.window = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                            .relation = PQT_TOUCHES,
                            .tally = query.tally};
    return pqt_diff_visit(before, after, &everywhere, visit_changed_item, &all, error);
}
