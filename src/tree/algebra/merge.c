/* SPDX-License-Identifier: MIT */
/*
 * merge.c - one version made of two or three.
 *
 * Of three parts at the same place, two may be the same: then the third counts, or what the two
 * sides agree on, and nothing is entered. Three inner nodes are merged part by part. Leaves are
 * merged by what the one side changed, done to the other. Where leaves and nodes meet, the parts
 * are combined as sets: what ours has and the base had not, what theirs has and the base had not,
 * and what both have.
 *
 *     (ours - base)  +  (theirs - base)  +  (ours and theirs)
 *
 * That is right for each item on its own. Ids come before: conflicts are settled on both sides
 * (conflict.h), so that the items of an id come from one value.
 */
#include "config.h"

#include <pqt/merge.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/algebra/conflict.h"
#include "tree/algebra/setops.h"
#include "tree/tree_internal.h"

typedef struct merger {
    const pqti_space *space;
    pqt_tally *tally;
} merger;

/* Three parts at the same place. */
typedef struct triple {
    pqti_ref base, ours, theirs;
} triple;

static bool
combine(const merger *m, pqti_rule rule, pqti_place place, pqti_ref a, pqti_ref b, pqti_ref *result)
{
    return pqti_combine(m->space, m->tally, rule, place, a, b, result);
}

static bool
merge_as_sets(const merger *m, pqti_place place, const triple *t, pqti_ref *result)
{
    pqti_ref only_ours, only_theirs, either, both;
    if (!combine(m, PQTI_DIFFERENCE, place, t->ours, t->base, &only_ours) ||
        !combine(m, PQTI_DIFFERENCE, place, t->theirs, t->base, &only_theirs) ||
        !combine(m, PQTI_INTERSECTION, place, t->ours, t->theirs, &both) ||
        !combine(m, PQTI_UNION, place, only_ours, only_theirs, &either) ||
        !combine(m, PQTI_UNION, place, either, both, result))
        return false;
    *result = pqti_prefer(*result, t->ours, t->theirs);
    return true;
}

static bool
merge_leaves(const merger *m, pqti_place place, const triple *t, pqti_ref *result)
{
    pqti_list list = {0};
    *result = t->ours;
    bool merged =
        pqti_list_differences(&list, m->space, NULL, m->tally, place, t->base, t->theirs) &&
        pqti_list_edit(&list, m->space, place, result);
    pqti_list_free(&list);
    if (merged)
        *result = pqti_prefer(*result, t->ours, t->theirs);
    return merged;
}

static bool merge_at(const merger *m, pqti_place place, const triple *t, pqti_ref *result);

static bool
merge_inner(const merger *m, pqti_place place, const triple *t, pqti_ref *result)
{
    pqti_ref parts[PQTI_PARTS];
    pqti_count_inner(m->tally, t->base);
    pqti_count_inner(m->tally, t->ours);
    pqti_count_inner(m->tally, t->theirs);
    for (int i = 0; i < PQTI_PARTS; i++) {
        triple part = {pqti_child_at(t->base, i), pqti_child_at(t->ours, i),
                       pqti_child_at(t->theirs, i)};
        if (!merge_at(m, pqti_part_place(m->space, place, i), &part, &parts[i]))
            return false;
    }
    return pqti_join_or_take(m->space, place, parts, t->ours, t->theirs, result);
}

static PQTI_NOINLINE bool
merge_deep(const merger *m, pqti_place place, const triple *t, pqti_ref *result)
{
    pqti_division all;
    pqti_divide(&all, m->space, place, (pqti_ref[]){t->base, t->ours, t->theirs}, 3);
    if (!merge_inner(m, all.at, &(triple){all.node[0], all.node[1], all.node[2]}, result))
        return false;
    *result = pqti_undivided(&all, *result);
    return true;
}

static bool
merge_at(const merger *m, pqti_place place, const triple *t, pqti_ref *result)
{
    bool deep = t->base.deep || t->ours.deep || t->theirs.deep;
    bool ours_changed = !pqti_same(t->base, t->ours);
    if (!ours_changed || pqti_same(t->base, t->theirs) || pqti_same(t->ours, t->theirs)) {
        *result = ours_changed ? t->ours : t->theirs;
        return true;
    }
    if (pqti_is_open(t->base) && pqti_is_open(t->ours) && pqti_is_open(t->theirs))
        return (deep ? merge_deep : merge_inner)(m, place, t, result);
    if (pqti_is_small(t->base) && pqti_is_small(t->ours) && pqti_is_small(t->theirs))
        return merge_leaves(m, place, t, result);
    return merge_as_sets(m, place, t, result);
}

/* Three settled versions into one; `near` is the side that differs less from it. */
static const pqt_tree *
merge_settled(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
              const pqt_tree *near, pqt_tally *tally, pqt_error *error)
{
    merger m = {base->space, tally};
    triple t = {pqti_root(base), pqti_root(ours), pqti_root(theirs)};
    pqti_ref root;
    if (!pqti_has_room(ours, base, theirs, NULL, error))
        return NULL;
    if (!merge_at(&m, PQTI_ROOT, &t, &root)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_with(root, near, (const pqt_tree *[]){base, ours, theirs}, 3, tally, error);
}

/* What both sides changed, listed; then decided, settled and merged. */
static const pqt_tree *
merge_lists(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
            const pqti_list lists[2], const pqt_merge_options *options, pqt_error *error)
{
    pqti_list wishes = {0};
    pqti_sides sides = {ours, theirs};
    bool settled = pqti_decide(base, &lists[0], &lists[1], options, &wishes, error) &&
                   pqti_settle_both(&sides, &wishes, error);
    pqti_list_free(&wishes);
    if (!settled)
        return NULL;
    const pqt_tree *near = lists[0].count >= lists[1].count ? sides.ours : sides.theirs;
    /* Where the two agree by now, the result is the first: let that be one that was given. */
    if (sides.ours != ours)
        return merge_settled(base, sides.theirs, sides.ours, near, options->tally, error);
    return merge_settled(base, sides.ours, sides.theirs, near, options->tally, error);
}

static const pqt_tree *
merge_changed(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
              const pqt_merge_options *options, pqt_error *error)
{
    const pqt_tree *const sides[2] = {ours, theirs};
    pqti_list lists[2] = {{0}, {0}};
    const pqt_tree *merged = NULL;
    bool listed = true;
    for (int i = 0; i < 2 && listed; i++)
        listed = pqti_list_differences(&lists[i], base->space, NULL, options->tally, PQTI_ROOT,
                                       pqti_root(base), pqti_root(sides[i])) &&
                 pqti_list_index(&lists[i]);
    if (!listed)
        pqti_out_of_memory(error);
    else if (lists[0].count == 0 || lists[1].count == 0)
        merged = lists[0].count == 0 ? theirs : ours;
    else
        merged = merge_lists(base, ours, theirs, lists, options, error);
    pqti_list_free(&lists[0]);
    pqti_list_free(&lists[1]);
    return merged;
}

const pqt_tree *
pqt_tree_merge(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs,
               const pqt_merge_options *options, pqt_error *error)
{
    if (!pqti_may_go_on(base, error) || !pqti_may_go_on(ours, error) ||
        !pqti_may_go_on(theirs, error) || !pqti_admit_merge(&options, error) ||
        !pqti_match(base, ours, error) || !pqti_match(base, theirs, error))
        return NULL;
    if (base == ours || base == theirs)
        return base == ours ? theirs : ours;
    const pqt_tree *merged = merge_changed(base, ours, theirs, options, error);
    pqti_keep(base);
    pqti_keep(ours);
    pqti_keep(theirs);
    return merged;
}

/*
 * Union, intersection and difference of two versions.
 *
 * The work is done part by part in setops.c; here are the versions around it. Only a union with
 * unique ids can be in conflict: items are equal by box and id, so the two may have an id at
 * different places.
 */

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
