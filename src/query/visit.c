/* SPDX-License-Identifier: MIT */
/* visit.c - handing what a query finds to a visitor, item by item or in runs of ids. */
#include "config.h"

#include "base/error.h"
#include "query/walk.h"

typedef struct item_visitor {
    pqt_visit_fn *visit;
    void *context;
} item_visitor;

/* Items of a leaf, from `from` on, that stand in the relation, a bit for each. */
static bool
visit_hits(const pqti_walk *walk, pqti_leaf_view view, uint32_t from, uint64_t hits)
{
    const item_visitor *visitor = walk->state;
    for (; hits != 0; hits &= hits - 1) {
        pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
        if (pqti_passes(&walk->window, &item) && !visitor->visit(&item, visitor->context))
            return false;
    }
    return true;
}

static bool
visit_leaf(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside)
{
    for (uint32_t from = 0; from < count; from += PQTI_RUN) {
        uint64_t hits =
            inside ? pqti_all_of_run(from, count) : pqti_hits(&walk->window, view, from, count);
        if (!visit_hits(walk, view, from, hits))
            return false;
    }
    return true;
}

bool
pqt_tree_visit(const pqt_tree *tree, pqt_query query, pqt_visit_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    item_visitor visitor = {visit, context};
    pqti_walk walk = pqti_walk_of(tree, query, &visitor);
    walk.leaf = visit_leaf;
    return pqti_walk_run(&walk, tree);
}

static bool visit_boxes_of(pqti_walk *walk, pqti_ref part);

static bool
visit_boxes_of_node(pqti_walk *walk, const pqti_inner *node, uint32_t count)
{
    pqti_tally_node(&walk->window);
    if (!visit_boxes_of(walk, pqti_bucket_ref(node, count)))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++)
        if (!visit_boxes_of(walk, pqti_quarter(node, i)))
            return false;
    return true;
}

/* The first item of a part that has some. */
static pqt_item
first_item(pqti_ref part)
{
    while (!part.leaf) {
        int i = 0;
        pqti_ref first = pqti_bucket_ref(part.at, part.count);
        while (first.count == 0)
            first = pqti_quarter(part.at, i++);
        part = first;
    }
    return pqti_view_item(pqti_view(part.at, part.count), 0);
}

/* Of a part that lies wholly inside; of identical boxes, the first one. */
static bool
visit_boxes_of(pqti_walk *walk, pqti_ref part)
{
    const item_visitor *visitor = walk->state;
    if (part.count == 0)
        return true;
    if (part.leaf) {
        pqti_tally_leaf(&walk->window, 0);
        return visit_leaf(walk, pqti_view(part.at, part.count), part.count, true);
    }
    if (!part.mixed || !pqti_is_one_box(pqti_spread_of(part.at)))
        return visit_boxes_of_node(walk, part.at, part.count);
    pqt_item item = first_item(part);
    pqti_tally_node(&walk->window);
    return visitor->visit(&item, visitor->context);
}

bool
pqti_visit_boxes(const pqt_tree *tree, pqt_query query, pqt_visit_fn *visit, void *context)
{
    item_visitor visitor = {visit, context};
    pqti_walk walk = pqti_walk_of(tree, query, &visitor);
    walk.leaf = visit_leaf;
    walk.whole = visit_boxes_of;
    return pqti_walk_run(&walk, tree);
}

typedef struct id_visitor {
    pqt_visit_ids_fn *visit;
    void *context;
} id_visitor;

/* Gathers the ids of items of a run that stand in the relation, the filter asked; returns how many. */
static size_t
gather_ids(const pqti_window *window, pqti_leaf_view view, uint32_t from, uint64_t hits,
           uint64_t ids[PQTI_RUN])
{
    size_t count = 0;
    for (; hits != 0; hits &= hits - 1) {
        uint32_t i = from + (uint32_t)__builtin_ctzll(hits);
        ids[count] = view.id[i];
        if (window->query.filter == NULL) {
            count++;
            continue;
        }
        pqt_item item = pqti_view_item(view, i);
        count += pqti_passes(window, &item);
    }
    return count;
}

static bool
visit_ids_of_leaf(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside)
{
    const id_visitor *visitor = walk->state;
    if (inside)
        return visitor->visit(view.id, count, visitor->context);
    uint64_t ids[PQTI_RUN];
    for (uint32_t from = 0; from < count; from += PQTI_RUN) {
        uint64_t hits = pqti_hits(&walk->window, view, from, count);
        size_t run = gather_ids(&walk->window, view, from, hits, ids);
        if (run > 0 && !visitor->visit(ids, run, visitor->context))
            return false;
    }
    return true;
}

bool
pqt_tree_visit_ids(const pqt_tree *tree, pqt_query query, pqt_visit_ids_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    id_visitor visitor = {visit, context};
    pqti_walk walk = pqti_walk_of(tree, query, &visitor);
    walk.leaf = visit_ids_of_leaf;
    return pqti_walk_run(&walk, tree);
}
