/* SPDX-License-Identifier: MIT */
/* pair_forms.c - pairs in other forms: counted, written into an array, or those of one item
   alone. */
#include "config.h"

#include <pqt/pairs.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "tree/node.h"

#define ASSERT_RELATION(query)                                                                     \
    PQT_ASSERT((query).relation >= PQT_TOUCHES && (query).relation <= PQT_COVERS,                  \
               "a query must name one of the four relations")

static bool
count_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)a;
    (void)b;
    ++*(size_t *)context;
    return true;
}

size_t
pqt_pairs_count(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    ASSERT_RELATION(query);
    size_t count = 0;
    pqt_pairs_visit(tree, other, query, count_pair, &count);
    return count;
}

typedef struct pair_collection {
    pqt_pair *pairs;
    size_t capacity, found;
} pair_collection;

static bool
collect_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    pair_collection *all = context;
    if (all->found < all->capacity)
        all->pairs[all->found] = (pqt_pair){*a, *b};
    all->found++;
    return true;
}

size_t
pqt_pairs_collect(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query,
                  pqt_pair *pairs, size_t capacity)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    ASSERT_RELATION(query);
    PQT_ASSERT(pairs != NULL || capacity == 0, "pairs is NULL, and capacity is not 0");
    pair_collection all = {pairs, capacity, 0};
    pqt_pairs_visit(tree, other, query, collect_pair, &all);
    return all.found;
}

/* One item on its way through a version. */
typedef struct single {
    pqt_item item;
    bool unique;
    pqt_pair_query query;
    pqt_visit_pair_fn *visit;
    void *context;
} single;

static bool
visit_single(const pqt_item *other, void *context)
{
    const single *s = context;
    if (other->id == s->item.id && (s->unique || pqt_item_equals(*other, s->item)))
        return true;
    if (s->query.filter != NULL && !s->query.filter(&s->item, other, s->query.context))
        return true;
    return s->visit(&s->item, other, s->context);
}

/* How the window must stand to the item that is found. */
static pqt_relation
seen_from_other(pqt_relation relation)
{
    if (relation == PQT_INSIDE)
        return PQT_COVERS;
    return relation == PQT_COVERS ? PQT_INSIDE : relation;
}

bool
pqt_pairs_visit_of(const pqt_tree *tree, pqt_item item, pqt_pair_query query,
                   pqt_visit_pair_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    ASSERT_RELATION(query);
    if (!pqti_box_is_valid(&item.box))
        return true;
    single s = {item, tree->space->options.unique_ids, query, visit, context};
    pqt_query window = {
        .window = item.box, .relation = seen_from_other(query.relation), .tally = query.tally};
    return pqt_tree_visit(tree, window, visit_single, &s);
}
