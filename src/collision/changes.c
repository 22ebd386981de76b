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
    pqt_pair_query query;
    bool ordered; /* which of two items is the first of a pair follows from their boxes */
    const pqt_tree *before, *after;
    pqt_visit_pair_change_fn *visit;
    void *context;
} change_search;

/* One version's view of a changed item: what it is here, what it is in the other version, if at all. */
typedef struct partner_search {
    const change_search *all;
    const pqt_tree *here, *there;
    const pqt_item *item, *item_there;
    pqt_pair_change change; /* what is told of pairs that are only here */
    bool stopped;
} partner_search;

static bool
is_before(const pqt_tree *tree, const pqt_item *a, const pqt_item *b)
{
    pqti_entry entry_a = pqti_entry_of(tree->space, a, 0);
    pqti_entry entry_b = pqti_entry_of(tree->space, b, 0);
    return pqti_compare(&entry_a, a, &entry_b, b) < 0;
}

static void
exchange(const pqt_item **a, const pqt_item **b)
{
    const pqt_item *first = *b;
    *b = *a;
    *a = first;
}

/* Puts two items in the order in which they are a pair of a version; false: they are none. */
static bool
make_pair(const change_search *all, const pqt_tree *tree, const pqt_item **a, const pqt_item **b)
{
    const pqt_pair_query *query = &all->query;
    if (is_before(tree, *b, *a))
        exchange(a, b);
    if (!pqt_box_relates((*a)->box, (*b)->box, query->relation)) {
        if (!all->ordered || !pqt_box_relates((*b)->box, (*a)->box, query->relation))
            return false;
        exchange(a, b);
    }
    return query->filter == NULL || query->filter(*a, *b, query->context);
}

/* Whether two items are a pair of the other version; `first`: the id of the pair's first item here. */
static bool
is_pair_there(const partner_search *p, const pqt_item *partner, uint64_t first)
{
    const change_search *all = p->all;
    const pqt_item *a = p->item_there, *b = partner;
    if (!all->ordered && all->query.filter == NULL) /* then the order does not matter */
        return pqt_box_relates(a->box, b->box, all->query.relation);
    return make_pair(all, p->there, &a, &b) && (!all->ordered || a->id == first);
}

static bool
visit_partner(const pqt_item *partner, void *context)
{
    partner_search *p = context;
    const pqt_item *a = p->item, *b = partner;
    pqt_item there;
    if (partner->id == p->item->id)
        return true;
    bool is_there = pqt_tree_find(p->there, partner->id, &there);
    bool has_changed = !is_there || !pqt_item_equals(there, *partner);
    if (has_changed && partner->id < p->item->id)
        return true; /* this pair has its turn with the partner */
    if (!make_pair(p->all, p->here, &a, &b) ||
        (is_there && p->item_there != NULL && is_pair_there(p, &there, a->id)))
        return true;
    p->stopped = !p->all->visit(p->change, a, b, p->all->context);
    return !p->stopped;
}

/* The pairs of a changed item that are in one version alone; false: the visitor stopped. */
static bool
visit_partners(partner_search p)
{
    if (p.item == NULL)
        return true;
    pqt_relation relation = p.all->ordered ? PQT_TOUCHES : p.all->query.relation;
    pqt_query around = {p.item->box, relation, .tally = p.all->query.tally};
    pqt_tree_visit(p.here, around, visit_partner, &p);
    return !p.stopped;
}

static bool
visit_changed_item(const pqt_change *change, void *context)
{
    const change_search *all = context;
    const pqt_item target = {change->to, change->item.id};
    const pqt_item *old = change->kind == PQT_INSERT ? NULL : &change->item;
    const pqt_item *new = change->kind == PQT_REMOVE   ? NULL
                          : change->kind == PQT_INSERT ? &change->item
                                                       : &target;
    return visit_partners(
               (partner_search){all, all->before, all->after, old, new, PQT_PAIR_ENDED, false}) &&
           visit_partners(
               (partner_search){all, all->after, all->before, new, old, PQT_PAIR_BEGAN, false});
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
    bool ordered = query.relation == PQT_INSIDE || query.relation == PQT_COVERS;
    change_search all = {query, ordered, before, after, visit, context};
    pqt_query everything = pqt_query_all();
    everything.tally = query.tally;
    return pqt_diff_visit(before, after, &everything, visit_changed_item, &all, error);
}
