/* SPDX-License-Identifier: MIT */
/*
 * diff.c: visits or collects the changes from one version to another, or covers them with boxes.
 *
 * The codescent (codescent.c) finds the items that only one version holds. A removed item and an
 * inserted item form a move if each is the only one with their common id. With unique ids, the
 * other half of a move is found in an id map, so moves are visited during the traversal. Without
 * unique ids, all differences are first listed and then paired.
 */
#include "config.h"

#include <pqt/diff.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/algebra/codescent.h"
#include "tree/algebra/same_depth.h"
#include "tree/find_id.h"
#include "tree/tree_internal.h"

/* The parameters of a diff. */
typedef struct diff_params {
    pqti_same_depth same;
    const pqt_tree *before, *after;
    pqti_window window_memory;
    /* &window_memory, or NULL if the diff is not restricted to a window */
    const pqti_window *window;
    pqt_query_stats *stats;
} diff_params;

/* Checks two versions that are alive, and the query. If it returns true, finish_diff must
   follow. */
static bool
prepare_checked_diff(diff_params *params, const pqt_tree *before, const pqt_tree *after,
                     const pqt_query *query, pqt_error *error)
{
    pqt_query admitted = *pqti_query_or_all(query);
    if (query != NULL && !pqti_query_check(&admitted, error))
        return false;
    *params = (diff_params){.before = before};
    if (!pqti_same_depth_begin(&params->same, before, after, error))
        return false;
    params->after = params->same.tree;
    if (query == NULL)
        return true;
    params->window_memory = pqti_window_of(before->domain, &admitted);
    params->window = &params->window_memory;
    params->stats = query->stats;
    return true;
}

static void
finish_diff(const diff_params *params)
{
    pqti_same_depth_end(&params->same);
}

static bool
prepare_diff(const char *function, diff_params *params, const pqt_tree *before,
             const pqt_tree *after, const pqt_query *query, pqt_error *error)
{
    return pqti_check_read_in(function, before, error) &&
           pqti_check_read_in(function, after, error) &&
           prepare_checked_diff(params, before, after, query, error);
}

static bool
run_diff(const diff_params *params, pqti_found_fn *found, void *state)
{
    pqti_codescent codescent = {params->before->domain, params->window, found, state,
                                params->stats};
    return pqti_find_differences(&codescent, params->before, params->after);
}

/* The visitor of a diff. */
typedef struct diff_visitor {
    const diff_params *params;
    pqt_visit_change_fn *visit;
    void *context;
} diff_visitor;

static bool
visit_unpaired(void *state, const pqt_item *item, bool added)
{
    const diff_visitor *visitor = state;
    pqt_change change = {.kind = added ? PQT_INSERT : PQT_REMOVE, .item = *item};
    return visitor->visit(&change, visitor->context);
}

bool
pqti_diff_visit_unpaired(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                         pqt_visit_change_fn *visit, void *context, pqt_error *error)
{
    diff_params params;
    if (!prepare_checked_diff(&params, before, after, query, error))
        return false;
    diff_visitor visitor = {&params, visit, context};
    const bool unstopped = run_diff(&params, visit_unpaired, &visitor);
    finish_diff(&params);
    return unstopped;
}

/* Finds the other half of a move in the other version. Returns false if there is none or the query
   does not find it. */
static bool
find_half(const diff_params *params, const pqt_tree *tree, uint64_t id, pqt_item *half)
{
    return pqti_find_id(tree, id, half) &&
           (params->window == NULL || pqti_finds(params->window, half));
}

/* Returns true if the earlier version has the other half of a move. Without a window, the id map
   says so, and the tree is not read. */
static bool
has_earlier_half(const diff_params *params, uint64_t id)
{
    pqti_locator locator;
    pqt_item half;
    return params->window == NULL ? pqti_idmap_find(params->before->ids, id, &locator)
                                  : find_half(params, params->before, id, &half);
}

/*
 * Visits changes with unique ids. A move is visited when its removal is found, and skipped when its
 * insertion is found.
 */
static bool
visit_paired_by_map(void *state, const pqt_item *item, bool added)
{
    const diff_visitor *visitor = state;
    const diff_params *params = visitor->params;
    pqt_item half;
    if (added)
        return has_earlier_half(params, item->id) || visit_unpaired(state, item, true);
    if (!find_half(params, params->after, item->id, &half))
        return visit_unpaired(state, item, false);
    pqt_change change = {.kind = PQT_MOVE, .item = *item, .to = half.box};
    return visitor->visit(&change, visitor->context);
}

/* For each item of an indexed list, finds the index of the other half of its move, or its own
   index if it is not half of a move. */
static size_t *
pair_moves(const pqti_changelist *list)
{
    size_t *partners = pqti_alloc_scratch(list->count + 1, sizeof *partners);
    if (partners == NULL)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        partners[i] = i;
    for (size_t from = 0, to; from < list->count; from = to) {
        to = pqti_changelist_run(list, from, NULL);
        size_t a = list->by_id[from].index, b = list->by_id[to - 1].index;
        if (to - from != 2 || list->removals[a] == list->removals[b])
            continue;
        partners[a] = b;
        partners[b] = a;
    }
    return partners;
}

/* Visits the changes of a list. Returns false if the visitor stopped. */
static bool
visit_changelist(const diff_visitor *visitor, const pqti_changelist *list, const size_t *partners)
{
    bool unstopped = true;
    for (size_t i = 0; i < list->count && unstopped; i++) {
        pqt_change change = {.kind = list->removals[i] ? PQT_REMOVE : PQT_INSERT,
                             .item = list->items[i]};
        if (partners[i] != i && !list->removals[i])
            continue;
        if (partners[i] != i) {
            change.kind = PQT_MOVE;
            change.to = list->items[partners[i]].box;
        }
        unstopped = visitor->visit(&change, visitor->context);
    }
    return unstopped;
}

/* Visits the changes between versions without unique ids. */
static bool
visit_paired(const diff_visitor *visitor, pqt_error *error)
{
    const diff_params *params = visitor->params;
    pqti_changelist list = {0};
    size_t *partners = NULL;
    bool visited = false;
    if (pqti_changelist_differences(&list, params->before->domain, params->window, params->stats,
                                    PQTI_ROOT, pqti_root(params->before),
                                    pqti_root(params->after)) &&
        pqti_changelist_index(&list))
        partners = pair_moves(&list);
    if (partners == NULL)
        pqti_out_of_memory(error);
    else
        visited = visit_changelist(visitor, &list, partners);
    pqti_free_scratch(partners);
    pqti_changelist_free(&list);
    return visited;
}

bool
pqt_tree_visit_diff(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                    pqt_visit_change_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    diff_params params;
    bool visited = true;
    if (!prepare_diff(__func__, &params, before, after, query, error))
        return false;
    diff_visitor visitor = {&params, visit, context};
    if (before->domain->options.unique_ids)
        visited = run_diff(&params, visit_paired_by_map, &visitor);
    else
        visited = visit_paired(&visitor, error);
    finish_diff(&params);
    pqti_keep_alive(before);
    pqti_keep_alive(after);
    return visited;
}

typedef struct collection {
    pqt_change *changes;
    size_t capacity, found;
} collection;

static bool
collect_change(const pqt_change *change, void *context)
{
    collection *all = context;
    if (all->found < all->capacity)
        all->changes[all->found] = *change;
    all->found++;
    return true;
}

bool
pqt_diff_collect(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                 pqt_change *changes, size_t capacity, size_t *count, pqt_error *error)
{
    PQT_ASSERT(count != NULL, "count is NULL");
    PQT_ASSERT(changes != NULL || capacity == 0, "changes is NULL, and capacity is not 0");
    if (!pqti_check_read(before, error) || !pqti_check_read(after, error))
        return false;
    collection all = {changes, capacity, 0};
    if (!pqt_tree_visit_diff(before, after, query, collect_change, &all, error))
        return false;
    *count = all.found;
    return true;
}

/*
 * Damage boxes in the order of their items. This is tree order, so neighbours in the list are near
 * each other in the plane, and the best pair to unite is sought only among neighbours.
 */
typedef struct damage {
    pqt_box *boxes;
    size_t count, capacity;
} damage;

/*
 * Returns an eighth of the sum of width and height, which is finite for all boxes, and not 0 for
 * lines.
 */
static double
scaled_half_perimeter(pqt_box box)
{
    return (box.max.x / 8 - box.min.x / 8) + (box.max.y / 8 - box.min.y / 8);
}

/* Returns the scaled half perimeter of the union of two boxes, minus those of both boxes. It is
   negative if they overlap. */
static double
union_waste(pqt_box a, pqt_box b)
{
    return scaled_half_perimeter(pqt_box_union(a, b)) - scaled_half_perimeter(a) -
           scaled_half_perimeter(b);
}

/* Returns the index of the box whose union with the next box has the least waste. `newest`
   follows the last box. */
static size_t
best_pair_to_unite(const damage *d, pqt_box newest)
{
    size_t best = d->count - 1;
    double least = union_waste(d->boxes[best], newest);
    for (size_t i = 0; i + 1 < d->count; i++) {
        double waste = union_waste(d->boxes[i], d->boxes[i + 1]);
        if (waste < least) {
            least = waste;
            best = i;
        }
    }
    return best;
}

static void
unite_pair(damage *d, size_t i, pqt_box newest)
{
    PQT_INVARIANT(i < d->count && d->count == d->capacity,
                  "boxes are united before the list is full");
    bool last = i + 1 == d->count;
    d->boxes[i] = pqt_box_union(d->boxes[i], last ? newest : d->boxes[i + 1]);
    if (last)
        return;
    for (size_t j = i + 1; j + 1 < d->count; j++)
        d->boxes[j] = d->boxes[j + 1];
    d->boxes[d->count - 1] = newest;
}

/* Drops the boxes that are inside the newest one. */
static void
drop_covered(damage *d, pqt_box newest)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++)
        if (!pqt_box_is_inside(d->boxes[i], newest))
            d->boxes[kept++] = d->boxes[i];
    d->count = kept;
}

static bool
collect_item_damage(void *state, const pqt_item *item, bool added)
{
    damage *d = state;
    (void)added;
    for (size_t i = d->count; i > 0; i--)
        if (pqt_box_is_inside(item->box, d->boxes[i - 1]))
            return true;
    drop_covered(d, item->box);
    if (d->count < d->capacity)
        d->boxes[d->count++] = item->box;
    else
        unite_pair(d, best_pair_to_unite(d, item->box), item->box);
    return true;
}

bool
pqt_diff_damage(const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                pqt_box *boxes, size_t capacity, size_t *count, pqt_error *error)
{
    PQT_ASSERT(boxes != NULL && count != NULL && capacity > 0,
               "boxes or count is NULL, or capacity is 0");
    diff_params params;
    if (!prepare_diff(__func__, &params, before, after, query, error))
        return false;
    damage all = {boxes, 0, capacity};
    (void)run_diff(&params, collect_item_damage, &all);
    finish_diff(&params);
    *count = all.count;
    return true;
}
