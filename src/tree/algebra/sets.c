/* SPDX-License-Identifier: MIT */
/*
 * sets.c - union, intersection and difference of two versions.
 *
 * The work is done part by part in setops.c; here are the versions around it. Only a union with
 * unique ids can be in conflict: items are equal by box and id, so the two may have an id at
 * different places.
 */
#include "config.h"

#include <pqt/merge.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/algebra/conflict.h"
#include "tree/algebra/setops.h"
#include "tree/tree_internal.h"

static bool
may_combine(const char *function, const pqt_tree *a, const pqt_tree *b,
            const pqt_merge_options **options, pqt_error *error)
{
    return pqti_may_go_on_in(function, a, error) && pqti_may_go_on_in(function, b, error) &&
           pqti_admit_merge(options, error) && pqti_match(a, b, error);
}

/* The root of a result; false with an error told. */
static bool
combine_roots(const pqt_tree *a, const pqt_tree *b, pqti_rule rule, pqt_tally *tally,
              pqti_ref *root, pqt_error *error)
{
    if (pqti_combine(a->space, tally, rule, PQTI_ROOT, pqti_root(a), pqti_root(b), root))
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

/* What either holds alone, as if it had come to nothing. */
typedef struct alone {
    pqti_list a, b;
} alone;

static bool
list_alone(void *state, const pqt_item *item, bool added)
{
    alone *lists = state;
    return pqti_list_add(added ? &lists->b : &lists->a, item, false);
}

/* What must be made true of both, so that no id has two places. */
static bool
decide_union(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
             pqti_list *wishes, pqt_error *error)
{
    alone lists = {{0}, {0}};
    pqti_differ differ = {a->space, NULL, list_alone, &lists, options->tally};
    bool listed = pqti_differ_at(&differ, PQTI_ROOT, pqti_root(a), pqti_root(b)) &&
                  pqti_list_index(&lists.a) && pqti_list_index(&lists.b);
    if (!listed)
        pqti_out_of_memory(error);
    bool decided = listed && pqti_decide(a, &lists.a, &lists.b, options, wishes, error);
    pqti_list_free(&lists.a);
    pqti_list_free(&lists.b);
    return decided;
}

/* Two versions, of which conflicts are settled, into one. */
static const pqt_tree *
unite_settled(const pqt_tree *a, const pqt_tree *b, pqt_tally *tally, pqt_error *error)
{
    pqti_ref root;
    if (!pqti_has_room(a, a, b, NULL, error) ||
        !combine_roots(a, b, PQTI_UNION, tally, &root, error))
        return NULL;
    return pqti_version_with(root, larger_of(a, b), (const pqt_tree *[]){a, b}, 2, tally, error);
}

static const pqt_tree *
unite(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options, pqt_error *error)
{
    pqti_list wishes = {0};
    pqti_sides sides = {a, b};
    if (!a->space->options.unique_ids)
        return unite_settled(a, b, options->tally, error);
    bool settled =
        decide_union(a, b, options, &wishes, error) && pqti_settle_both(&sides, &wishes, error);
    pqti_list_free(&wishes);
    if (!settled)
        return NULL;
    /* Where the two agree by now, the result is the first: let that be one that was given. */
    if (sides.ours != a)
        return unite_settled(sides.theirs, sides.ours, options->tally, error);
    return unite_settled(sides.ours, sides.theirs, options->tally, error);
}

const pqt_tree *
pqt_tree_union(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
               pqt_error *error)
{
    if (!may_combine(__func__, a, b, &options, error))
        return NULL;
    const pqt_tree *united = unite(a, b, options, error);
    pqti_keep(a);
    pqti_keep(b);
    return united;
}

const pqt_tree *
pqt_tree_intersection(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
                      pqt_error *error)
{
    pqti_ref root;
    if (!may_combine(__func__, a, b, &options, error) ||
        !combine_roots(a, b, PQTI_INTERSECTION, options->tally, &root, error))
        return NULL;
    const pqt_tree *const given[] = {a, b};
    const pqt_tree *made =
        pqti_version_with(root, smaller_of(a, b), given, 2, options->tally, error);
    pqti_keep(a);
    pqti_keep(b);
    return made;
}

const pqt_tree *
pqt_tree_difference(const pqt_tree *a, const pqt_tree *b, const pqt_merge_options *options,
                    pqt_error *error)
{
    pqti_ref root;
    if (!may_combine(__func__, a, b, &options, error) ||
        !combine_roots(a, b, PQTI_DIFFERENCE, options->tally, &root, error))
        return NULL;
    /* What is left was never shared: where it is the smaller part, its map is made of it alone. */
    const pqt_tree *near = root.count < a->count - root.count ? NULL : a;
    const pqt_tree *made = pqti_version_with(root, near, &a, 1, options->tally, error);
    pqti_keep(a);
    pqti_keep(b);
    return made;
}
