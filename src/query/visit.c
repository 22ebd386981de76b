/* SPDX-License-Identifier: MIT */
/* visit.c - handing what a query finds to a visitor, item by item or in runs of ids. */
#include "config.h"

#include "base/error.h"
#include "query/walk.h"

typedef struct item_visitor {
    pqt_visit_fn *visit;
    void *context;
} item_visitor;

static bool
visit_leaf(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside)
{
    const item_visitor *visitor = walk->state;
    for (uint32_t i = 0; i < count; i++) {
        if (!inside && !pqti_meets(&walk->window, view, i))
            continue;
        pqt_item item = pqti_view_item(view, i);
        if (pqti_passes(&walk->window, &item) && !visitor->visit(&item, visitor->context))
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

enum {
    RUN = 64
}; /* ids gathered from a leaf that is only partly found, before they are handed over */

typedef struct id_visitor {
    pqt_visit_ids_fn *visit;
    void *context;
} id_visitor;

/* Whether item i of a leaf is found, the filter asked. */
static bool
is_found(const pqti_walk *walk, pqti_leaf_view view, uint32_t i)
{
    if (!pqti_meets(&walk->window, view, i))
        return false;
    if (walk->window.query.filter == NULL)
        return true;
    pqt_item item = pqti_view_item(view, i);
    return pqti_passes(&walk->window, &item);
}

static bool
visit_ids_of_leaf(pqti_walk *walk, pqti_leaf_view view, uint32_t count, bool inside)
{
    const id_visitor *visitor = walk->state;
    if (inside)
        return visitor->visit(view.id, count, visitor->context);
    uint64_t ids[RUN];
    size_t run = 0;
    for (uint32_t i = 0; i < count; i++) {
        ids[run] = view.id[i];
        run += is_found(walk, view, i);
        if (run == RUN) {
            if (!visitor->visit(ids, run, visitor->context))
                return false;
            run = 0;
        }
    }
    return run == 0 || visitor->visit(ids, run, visitor->context);
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
