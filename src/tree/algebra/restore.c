/* SPDX-License-Identifier: MIT */
/*
 * restore.c: restores one window to an older version and leaves everything else unchanged.
 *
 * Both versions are traversed together. A subtree outside the window remains as it is now. A
 * subtree that is inside the window in both versions is replaced by the old one. Others are
 * entered. If one is a leaf and the other an inner node, each is traversed alone: the current one
 * to find the items outside the window, the old one to find those inside. The result is the union
 * of both sets.
 */
#include "config.h"

#include <pqt/merge.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/algebra/conflict.h"
#include "tree/algebra/same_depth.h"
#include "tree/algebra/setops.h"
#include "tree/find_id.h"
#include "tree/tree_internal.h"

typedef struct tree_restorer {
    const pqti_domain *domain;
    const pqti_window *window;
} tree_restorer;

static bool
may_find(const tree_restorer *restorer, pqti_level level, pqti_node_ref ref, int i)
{
    return ref.count > 0 && pqti_window_may_find(restorer->window, level.outliers, ref.at, i);
}

/* Returns true if the query finds every item of a quadrant. */
static bool
is_inside(const tree_restorer *restorer, pqti_level level, pqti_node_ref ref, int i)
{
    if (pqti_child_of(&ref, i).count == 0)
        return true;
    return pqti_window_contains(restorer->window, level.outliers, ref.at, i);
}

static bool restore_at(const tree_restorer *restorer, pqti_level level, pqti_node_ref now,
                       pqti_node_ref old, pqti_node_ref *result);

static bool
restore_child(const tree_restorer *restorer, pqti_level level, pqti_node_ref now, pqti_node_ref old,
              int child_index, pqti_node_ref *result)
{
    *result = pqti_child_of(&now, child_index);
    if (child_index != PQTI_OWN_ITEMS) {
        if (!may_find(restorer, level, now, child_index) &&
            !may_find(restorer, level, old, child_index))
            return true;
        if (is_inside(restorer, level, now, child_index) &&
            is_inside(restorer, level, old, child_index)) {
            const pqti_node_ref old_child = pqti_child_of(&old, child_index);
            if (!pqti_subtree_equal(result, &old_child))
                *result = old_child;
            return true;
        }
    }
    return restore_at(restorer, pqti_child_level(restorer->domain, level, child_index), *result,
                      pqti_child_of(&old, child_index), result);
}

static bool
restore_inner(const tree_restorer *restorer, pqti_level level, pqti_node_ref now, pqti_node_ref old,
              pqti_node_ref *result)
{
    pqti_node_ref children[PQTI_CHILDREN];
    pqti_stats_add_ref_node(restorer->window->stats, &now);
    pqti_stats_add_ref_node(restorer->window->stats, &old);
    for (int i = 0; i < PQTI_CHILDREN; i++)
        if (!restore_child(restorer, level, now, old, i, &children[i]))
            return false;
    return pqti_node_from_children_or(restorer->domain, level, children, &now, &old, result);
}

static PQTI_NOINLINE bool
restore_skips(const tree_restorer *restorer, pqti_level level, pqti_node_ref now, pqti_node_ref old,
              pqti_node_ref *result)
{
    pqti_alignment both;
    pqti_align(&both, restorer->domain, level, (pqti_node_ref[]){now, old}, 2);
    if (!restore_inner(restorer, both.at, both.node[0], both.node[1], result))
        return false;
    *result = pqti_align_back(&both, result);
    return true;
}

static bool
restore_leaves(const tree_restorer *restorer, pqti_level level, pqti_node_ref now,
               pqti_node_ref old, pqti_node_ref *result)
{
    pqti_changelist list = {0};
    *result = now;
    bool made = pqti_changelist_differences(&list, restorer->domain, restorer->window,
                                            restorer->window->stats, level, now, old) &&
                pqti_changelist_edit(&list, restorer->domain, level, result);
    pqti_changelist_free(&list);
    return made;
}

static bool
restore_as_sets(const tree_restorer *restorer, pqti_level level, pqti_node_ref now,
                pqti_node_ref old, pqti_node_ref *result)
{
    pqti_node_ref outside, inside;
    return restore_at(restorer, level, now, PQTI_EMPTY_REF, &outside) &&
           restore_at(restorer, level, PQTI_EMPTY_REF, old, &inside) &&
           pqti_combine(restorer->domain, restorer->window->stats, PQTI_UNION, level, outside,
                        inside, result);
}

static bool
restore_at(const tree_restorer *restorer, pqti_level level, pqti_node_ref now, pqti_node_ref old,
           pqti_node_ref *result)
{
    bool made;
    *result = now;
    if (pqti_subtree_equal(&now, &old))
        return true;
    if (pqti_has_children(now) && pqti_has_children(old))
        made = (now.skips || old.skips ? restore_skips : restore_inner)(restorer, level, now, old,
                                                                        result);
    else if (pqti_is_leaf_or_empty(now) && pqti_is_leaf_or_empty(old))
        made = restore_leaves(restorer, level, now, old, result);
    else
        made = restore_as_sets(restorer, level, now, old, result);
    if (made)
        *result = pqti_prefer(*result, now, old);
    return made;
}

/*
 * Lists the current items that are outside the window, but have the id of an item in the restored
 * window.
 */
static bool
list_outside(const pqti_changelist *changes, const pqt_tree *now, const pqti_window *window,
             pqti_changelist *outside)
{
    for (size_t i = 0; i < changes->count; i++) {
        pqt_item item;
        bool inserted = !changes->removals[i];
        if (inserted && pqti_find_id(now, changes->items[i].id, &item) &&
            !pqti_finds(window, &item) && !pqti_changelist_add(outside, &item, true))
            return false;
    }
    return true;
}

/* If ids are unique, removes from `now` the items whose ids would otherwise occur twice. */
static const pqt_tree *
clear_conflicting_ids(const pqt_tree *now, const pqt_tree *old, const pqti_window *window,
                      pqt_error *error)
{
    pqti_changelist changes = {0}, outside = {0};
    const pqt_tree *cleared = NULL;
    if (pqti_changelist_differences(&changes, now->domain, window, window->stats, PQTI_ROOT,
                                    pqti_root(now), pqti_root(old)) &&
        list_outside(&changes, now, window, &outside) && pqti_changelist_index(&outside))
        cleared = pqti_apply_resolution(now, &outside, error);
    else
        pqti_out_of_memory(error);
    pqti_changelist_free(&outside);
    pqti_changelist_free(&changes);
    return cleared;
}

static const pqt_tree *
restore_window(const pqt_tree *now, const pqt_tree *old, const pqti_window *window,
               pqt_error *error)
{
    tree_restorer restorer = {now->domain, window};
    pqti_node_ref root;
    if (now->domain->options.unique_ids)
        now = clear_conflicting_ids(now, old, window, error);
    if (now == NULL || !pqti_has_capacity(now, now, old, window, error))
        return NULL;
    if (!restore_at(&restorer, PQTI_ROOT, pqti_root(now), pqti_root(old), &root)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_with(root, now, (const pqt_tree *[]){now, old}, 2, window->stats, error);
}

const pqt_tree *
pqt_tree_restore(const pqt_tree *now, const pqt_tree *old, const pqt_query *query, pqt_error *error)
{
    pqt_query valid = *pqti_query_or_all(query);
    if (!pqti_check_input(now, error) || !pqti_check_input(old, error) ||
        !pqti_query_check(&valid, error))
        return NULL;
    pqti_same_depth same;
    if (!pqti_same_depth_begin(&same, now, old, error))
        return NULL;
    pqti_window window = pqti_window_of(now->domain, &valid);
    const pqt_tree *made = restore_window(now, same.tree, &window, error);
    pqti_same_depth_end(&same);
    pqti_keep_alive(now);
    pqti_keep_alive(old);
    return made;
}
