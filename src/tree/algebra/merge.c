/* SPDX-License-Identifier: MIT */
/*
 * merge.c: computes three-way merges, unions, intersections and differences of versions.
 *
 * If two of the three subtrees at one position are equal, nothing is entered: if one side equals
 * the base, the result is the other side, and if both sides are equal, it is their common subtree.
 * Three inner nodes are merged child by child. In leaves, the changes of one side are applied to
 * the other. If both leaves and inner nodes are among the three, set operations combine the items
 * that ours added, those that theirs added, and those that both have.
 *
 *     (ours - base)  +  (theirs - base)  +  (ours and theirs)
 *
 * This is correct for each item by itself. Ids are handled beforehand: conflicts are resolved on
 * both sides (conflict.h), so that all items with the same id belong to one value.
 */
#include "config.h"

#include <pqt/heap.h>
#include <pqt/merge.h>

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "memory/memory_internal.h"
#include "tree/algebra/conflict.h"
#include "tree/algebra/same_depth.h"
#include "tree/algebra/setops.h"
#include "tree/tree_internal.h"

typedef struct merger {
    const pqti_domain *domain;
    pqt_query_stats *stats;
} merger;

/* Three subtrees at the same position. */
typedef struct triple {
    pqti_node_ref base, ours, theirs;
} triple;

static bool
combine_pair(const merger *m, pqti_keep_mask keep_mask, pqti_level level, pqti_node_ref a,
             pqti_node_ref b, pqti_node_ref *result)
{
    return pqti_combine(m->domain, m->stats, keep_mask, level, a, b, result);
}

static bool
merge_as_sets(const merger *m, pqti_level level, const triple *t, pqti_node_ref *result)
{
    pqti_node_ref only_ours, only_theirs, either, both;
    if (!combine_pair(m, PQTI_DIFFERENCE, level, t->ours, t->base, &only_ours) ||
        !combine_pair(m, PQTI_DIFFERENCE, level, t->theirs, t->base, &only_theirs) ||
        !combine_pair(m, PQTI_INTERSECTION, level, t->ours, t->theirs, &both) ||
        !combine_pair(m, PQTI_UNION, level, only_ours, only_theirs, &either) ||
        !combine_pair(m, PQTI_UNION, level, either, both, result))
        return false;
    *result = pqti_prefer(*result, t->ours, t->theirs);
    return true;
}

static bool
merge_leaves(const merger *m, pqti_level level, const triple *t, pqti_node_ref *result)
{
    pqti_changelist list = {0};
    *result = t->ours;
    bool merged =
        pqti_changelist_differences(&list, m->domain, NULL, m->stats, level, t->base, t->theirs) &&
        pqti_changelist_edit(&list, m->domain, level, result);
    pqti_changelist_free(&list);
    if (merged)
        *result = pqti_prefer(*result, t->ours, t->theirs);
    return merged;
}

static bool merge_at(const merger *m, pqti_level level, const triple *t, pqti_node_ref *result);

static bool
merge_inner(const merger *m, pqti_level level, const triple *t, pqti_node_ref *result)
{
    pqti_node_ref children[PQTI_CHILDREN];
    pqti_stats_add_ref_node(m->stats, &t->base);
    pqti_stats_add_ref_node(m->stats, &t->ours);
    pqti_stats_add_ref_node(m->stats, &t->theirs);
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        triple child = {pqti_child_of(&t->base, i), pqti_child_of(&t->ours, i),
                        pqti_child_of(&t->theirs, i)};
        if (!merge_at(m, pqti_child_level(m->domain, level, i), &child, &children[i]))
            return false;
    }
    return pqti_node_from_children_or(m->domain, level, children, &t->ours, &t->theirs, result);
}

static PQTI_NOINLINE bool
merge_skips(const merger *m, pqti_level level, const triple *t, pqti_node_ref *result)
{
    pqti_alignment all;
    pqti_align(&all, m->domain, level, (pqti_node_ref[]){t->base, t->ours, t->theirs}, 3);
    if (!merge_inner(m, all.at, &(triple){all.node[0], all.node[1], all.node[2]}, result))
        return false;
    *result = pqti_align_back(&all, result);
    return true;
}

static bool
merge_at(const merger *m, pqti_level level, const triple *t, pqti_node_ref *result)
{
    bool has_skip = t->base.skips || t->ours.skips || t->theirs.skips;
    bool ours_changed = !pqti_subtree_equal(&t->base, &t->ours);
    if (!ours_changed || pqti_subtree_equal(&t->base, &t->theirs) ||
        pqti_subtree_equal(&t->ours, &t->theirs)) {
        *result = ours_changed ? t->ours : t->theirs;
        return true;
    }
    if (pqti_has_children(t->base) && pqti_has_children(t->ours) && pqti_has_children(t->theirs))
        return (has_skip ? merge_skips : merge_inner)(m, level, t, result);
    if (pqti_is_leaf_or_empty(t->base) && pqti_is_leaf_or_empty(t->ours) &&
        pqti_is_leaf_or_empty(t->theirs))
        return merge_leaves(m, level, t, result);
    return merge_as_sets(m, level, t, result);
}

/* Merges three versions without conflicts. `closest` is the side that differs less from the
   result. */
static const pqt_tree *
merge_resolved(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
               const pqt_tree *closest, pqt_query_stats *stats, pqt_error *error)
{
    merger m = {base->domain, stats};
    triple t = {pqti_root(base), pqti_root(ours), pqti_root(theirs)};
    pqti_node_ref root;
    if (!pqti_has_capacity(ours, base, theirs, NULL, error))
        return NULL;
    if (!merge_at(&m, PQTI_ROOT, &t, &root)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_with(root, closest, (const pqt_tree *[]){base, ours, theirs}, 3, stats,
                             error);
}

/* Resolves the conflicts between the two lists of changes, and then merges the sides. */
static const pqt_tree *
merge_lists(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
            const pqti_changelist lists[2], const pqt_merge_options *options, pqt_error *error)
{
    pqti_changelist resolution = {0};
    pqti_merge_sides sides = {ours, theirs};
    bool resolved =
        pqti_resolve_conflicts(base, &lists[0], &lists[1], options, &resolution, error) &&
        pqti_apply_resolution_to_both(&sides, &resolution, error);
    pqti_changelist_free(&resolution);
    if (!resolved)
        return NULL;
    const pqt_tree *closest = lists[0].count >= lists[1].count ? sides.ours : sides.theirs;
    /* If the sides agree now, the first one is returned, so an unchanged version is passed
       first. */
    if (sides.ours != ours)
        return merge_resolved(base, sides.theirs, sides.ours, closest, options->stats, error);
    return merge_resolved(base, sides.ours, sides.theirs, closest, options->stats, error);
}

static const pqt_tree *
merge_changed(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
              const pqt_merge_options *options, pqt_error *error)
{
    const pqt_tree *const sides[2] = {ours, theirs};
    pqti_changelist lists[2] = {{0}, {0}};
    const pqt_tree *merged = NULL;
    bool listed = true;
    for (int i = 0; i < 2 && listed; i++)
        listed = pqti_changelist_differences(&lists[i], base->domain, NULL, options->stats,
                                             PQTI_ROOT, pqti_root(base), pqti_root(sides[i])) &&
                 pqti_changelist_index(&lists[i]);
    if (!listed)
        pqti_out_of_memory(error);
    else if (lists[0].count == 0 || lists[1].count == 0)
        merged = lists[0].count == 0 ? theirs : ours;
    else
        merged = merge_lists(base, ours, theirs, lists, options, error);
    pqti_changelist_free(&lists[0]);
    pqti_changelist_free(&lists[1]);
    return merged;
}

/* Replaces *options by the options to use: see pqti_options_read. */
static bool
read_merge_options(const pqt_merge_options **options, pqt_merge_options *converted,
                   pqt_error *error)
{
    *options = pqti_options_read(&pqti_merge_options_layout, *options, converted, error);
    return *options != NULL;
}

/* Merges versions that have one max_depth. */
static const pqt_tree *
merge_of_one_depth(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
                   const pqt_merge_options *options, pqt_error *error)
{
    if (base == ours || base == theirs)
        return base == ours ? theirs : ours;
    /* A scope is needed because the callback may reclaim versions. */
    if (!pqt_scope_begin(base->domain->options.memory, error))
        return NULL;
    const pqt_tree *merged = merge_changed(base, ours, theirs, options, error);
    pqt_scope_end(base->domain->options.memory);
    return merged;
}

/* Merges comparable versions. */
static const pqt_tree *
merge_comparable(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
                 const pqt_merge_options *options, pqt_error *error)
{
    pqti_same_depth same_ours, same_theirs;
    const pqt_tree *merged = NULL;
    if (!pqti_same_depth_begin(&same_ours, base, ours, error))
        return NULL;
    if (pqti_same_depth_begin(&same_theirs, base, theirs, error)) {
        merged = merge_of_one_depth(base, same_ours.tree, same_theirs.tree, options, error);
        pqti_same_depth_end(&same_theirs);
    }
    pqti_same_depth_end(&same_ours);
    return merged;
}

const pqt_tree *
pqt_tree_merge(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
               const pqt_merge_options *options, pqt_error *error)
{
    pqt_merge_options converted;
    if (!pqti_check_input(base, error) || !pqti_check_input(ours, error) ||
        !pqti_check_input(theirs, error) || !read_merge_options(&options, &converted, error))
        return NULL;
    const pqt_tree *merged = merge_comparable(base, ours, theirs, options, error);
    pqti_keep_alive(base);
    pqti_keep_alive(ours);
    pqti_keep_alive(theirs);
    return merged;
}

/* ---- Union, intersection and difference ---- */

/* Checks two operands and the options. If it returns true, pqti_same_depth_end must follow. */
static bool
begin_operation(const char *function, const pqt_tree *a, const pqt_tree *b,
                const pqt_merge_options **options, pqt_merge_options *converted,
                pqti_same_depth *same, pqt_error *error)
{
    return pqti_check_input_in(function, a, error) && pqti_check_input_in(function, b, error) &&
           read_merge_options(options, converted, error) &&
           pqti_same_depth_begin(same, a, b, error);
}

/* Computes the root of a result by a set operation. Returns false and sets an error on failure. */
static bool
combine_roots(const pqt_tree *a, const pqt_tree *b, pqti_keep_mask keep_mask,
              pqt_query_stats *stats, pqti_node_ref *root, pqt_error *error)
{
    if (pqti_combine(a->domain, stats, keep_mask, PQTI_ROOT, pqti_root(a), pqti_root(b), root))
        return true;
    pqti_out_of_memory(error);
    return false;
}

static const pqt_tree *
larger_of(const pqt_tree *a, const pqt_tree *b)
{
    return a->count >= b->count ? a : b;
}

static const pqt_tree *
smaller_of(const pqt_tree *a, const pqt_tree *b)
{
    return a->count < b->count ? a : b;
}

/* The items that only one of two versions holds, listed as insertions into the other. */
typedef struct exclusive_lists {
    pqti_changelist a, b;
} exclusive_lists;

static bool
list_exclusive(void *state, const pqt_item *item, bool added)
{
    exclusive_lists *lists = state;
    return pqti_changelist_add(added ? &lists->b : &lists->a, item, false);
}

/* Resolves the ids that have different boxes in the two versions. Only a union with unique ids
   can have such conflicts, because items are equal only if both box and id are equal. */
static bool
decide_union(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
             pqti_changelist *resolution, pqt_error *error)
{
    exclusive_lists lists = {{0}, {0}};
    pqti_codescent codescent = {a->domain, NULL, list_exclusive, &lists, options->stats};
    bool listed = pqti_find_differences(&codescent, a, b) && pqti_changelist_index(&lists.a) &&
                  pqti_changelist_index(&lists.b);
    if (!listed)
        pqti_out_of_memory(error);
    bool decided =
        listed && pqti_resolve_conflicts(a, &lists.a, &lists.b, options, resolution, error);
    pqti_changelist_free(&lists.a);
    pqti_changelist_free(&lists.b);
    return decided;
}

/* Unites two versions without conflicts. */
static const pqt_tree *
unite_resolved(const pqt_tree *a, const pqt_tree *b, pqt_query_stats *stats, pqt_error *error)
{
    pqti_node_ref root;
    if (!pqti_has_capacity(a, a, b, NULL, error) ||
        !combine_roots(a, b, PQTI_UNION, stats, &root, error))
        return NULL;
    return pqti_version_with(root, larger_of(a, b), (const pqt_tree *[]){a, b}, 2, stats, error);
}

static const pqt_tree *
union_of_trees(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
               pqt_error *error)
{
    pqti_changelist resolution = {0};
    pqti_merge_sides sides = {a, b};
    if (!a->domain->options.unique_ids)
        return unite_resolved(a, b, options->stats, error);
    bool resolved = decide_union(a, b, options, &resolution, error) &&
                    pqti_apply_resolution_to_both(&sides, &resolution, error);
    pqti_changelist_free(&resolution);
    if (!resolved)
        return NULL;
    /* If the versions agree now, the first one is returned, so an unchanged version is passed
       first. */
    if (sides.ours != a)
        return unite_resolved(sides.theirs, sides.ours, options->stats, error);
    return unite_resolved(sides.ours, sides.theirs, options->stats, error);
}

const pqt_tree *
pqt_tree_union(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
               pqt_error *error)
{
    pqt_merge_options converted;
    pqti_same_depth same;
    if (!begin_operation(__func__, a, b, &options, &converted, &same, error))
        return NULL;
    const pqt_tree *united = union_of_trees(a, same.tree, options, error);
    pqti_same_depth_end(&same);
    pqti_keep_alive(a);
    pqti_keep_alive(b);
    return united;
}

static const pqt_tree *
intersection_of_trees(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
                      pqt_error *error)
{
    const pqt_tree *const given[] = {a, b};
    pqti_node_ref root;
    if (!combine_roots(a, b, PQTI_INTERSECTION, options->stats, &root, error))
        return NULL;
    return pqti_version_with(root, smaller_of(a, b), given, 2, options->stats, error);
}

const pqt_tree *
pqt_tree_intersection(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
                      pqt_error *error)
{
    pqt_merge_options converted;
    pqti_same_depth same;
    if (!begin_operation(__func__, a, b, &options, &converted, &same, error))
        return NULL;
    const pqt_tree *made = intersection_of_trees(a, same.tree, options, error);
    pqti_same_depth_end(&same);
    pqti_keep_alive(a);
    pqti_keep_alive(b);
    return made;
}

static const pqt_tree *
difference_of_trees(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
                    pqt_error *error)
{
    pqti_node_ref root;
    if (!combine_roots(a, b, PQTI_DIFFERENCE, options->stats, &root, error))
        return NULL;
    /* The result contains no items of `b`. If less than half of the items of `a` remain, it
       costs less to build their id map from scratch. */
    const pqt_tree *closest = root.count < a->count - root.count ? NULL : a;
    return pqti_version_with(root, closest, &a, 1, options->stats, error);
}

const pqt_tree *
pqt_tree_difference(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
                    pqt_error *error)
{
    pqt_merge_options converted;
    pqti_same_depth same;
    if (!begin_operation(__func__, a, b, &options, &converted, &same, error))
        return NULL;
    const pqt_tree *made = difference_of_trees(a, same.tree, options, error);
    pqti_same_depth_end(&same);
    pqti_keep_alive(a);
    pqti_keep_alive(b);
    return made;
}
