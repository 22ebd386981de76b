/* SPDX-License-Identifier: MIT */
/*
 * conflict.c: finds and resolves conflicts, which are ids that two sides changed to different
 * values.
 *
 * Both lists are scanned in the order of ids. For each id in both lists, its items are sorted into
 * three values, those of the base, of ours and of theirs. An item that a side removed was in the
 * base, and an item that a side inserted was not. If an item is in only one of the lists, its state
 * on the other side is that of the base. There is a conflict if the values of the two sides differ.
 */
#include "config.h"

#include "tree/algebra/conflict.h"

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/edit_list.h"
#include "tree/update.h"

typedef struct conflict_resolver {
    const pqt_tree *tree; /* any version of the common domain */
    const pqti_changelist *ours, *theirs;
    const pqt_merge_options *options;
    pqti_changelist *resolution;
    pqt_error *error;
} conflict_resolver;

/* A range of by_id in which all ids are equal. */
typedef struct run {
    const pqti_changelist *list;
    size_t from, to;
} run;

/* The changed items with one id, sorted into the three values. */
typedef struct values {
    pqt_item *base, *ours, *theirs;
    size_t base_count, ours_count, theirs_count;
    bool differ;
} values;

static const pqt_item *
first_item(const run *r)
{
    return &r->list->items[r->list->by_id[r->from].index];
}

static bool
first_was_in_base(const run *r)
{
    return r->list->removals[r->list->by_id[r->from].index];
}

/* Compares the first items of two runs in tree order. Returns a negative number if the first
   item of `a` precedes that of `b`, or if `b` is empty. Returns 0 if they are equal. */
static int
compare_first(const pqti_domain *domain, const run *a, const run *b)
{
    if (a->from == a->to || b->from == b->to)
        return a->from == a->to ? 1 : -1;
    pqti_key key_a = pqti_key_of(domain, first_item(a), 0);
    pqti_key key_b = pqti_key_of(domain, first_item(b), 0);
    return pqti_compare(&key_a, first_item(a), &key_b, first_item(b));
}

/* Sorts the items of two runs into the three values. Each array of `v` has room for all of them. */
static void
sort_into_values(const pqti_domain *domain, run ours, run theirs, values *v)
{
    while (ours.from < ours.to || theirs.from < theirs.to) {
        int order = compare_first(domain, &ours, &theirs);
        bool in_ours = order <= 0, in_theirs = order >= 0;
        pqt_item item = *first_item(in_ours ? &ours : &theirs);
        bool in_base = first_was_in_base(in_ours ? &ours : &theirs);
        bool is_ours = in_ours ? !in_base : in_base, is_theirs = in_theirs ? !in_base : in_base;
        if (in_base)
            v->base[v->base_count++] = item;
        if (is_ours)
            v->ours[v->ours_count++] = item;
        if (is_theirs)
            v->theirs[v->theirs_count++] = item;
        v->differ = v->differ || is_ours != is_theirs;
        ours.from += in_ours;
        theirs.from += in_theirs;
    }
}

static bool
add_to_resolution(const conflict_resolver *resolver, const pqt_item *items, size_t count,
                  bool removal)
{
    for (size_t i = 0; i < count; i++) {
        if (pqti_changelist_add(resolver->resolution, &items[i], removal))
            continue;
        pqti_out_of_memory(resolver->error);
        return false;
    }
    return true;
}

static bool
fail_resolution(const conflict_resolver *resolver, uint64_t id, const char *reason)
{
    pqti_error_set(resolver->error, PQT_ERROR_CALLBACK, 0, "id %llu: %s", (unsigned long long)id,
                   reason);
    return false;
}

/* Adds to the resolution the items that the callback has returned. */
static bool
add_answer_to_resolution(const conflict_resolver *resolver, uint64_t id, const pqt_items *answer)
{
    if (answer->items == NULL && answer->count > 0)
        return fail_resolution(resolver, id, "the callback returned a count without items");
    if (answer->count > 1 && resolver->tree->domain->options.unique_ids)
        return fail_resolution(resolver, id,
                               "the callback returned several items, and ids are unique");
    for (size_t i = 0; i < answer->count; i++) {
        pqt_item item;
        pqt_error why = {0};
        if (answer->items[i].id != id)
            return fail_resolution(resolver, id, "the callback returned an item with another id");
        if (!pqti_admit_item(resolver->tree, &answer->items[i], i, &item, &why))
            return fail_resolution(resolver, id, why.text);
        if (!add_to_resolution(resolver, &item, 1, false))
            return false;
    }
    return true;
}

static bool
add_both_to_resolution(const conflict_resolver *resolver, uint64_t id, const values *v)
{
    if (resolver->tree->domain->options.unique_ids && v->ours_count > 0 && v->theirs_count > 0)
        return fail_resolution(resolver, id, "both values cannot be kept, because ids are unique");
    return add_to_resolution(resolver, v->ours, v->ours_count, false) &&
           add_to_resolution(resolver, v->theirs, v->theirs_count, false);
}

/* Adds the decision to the resolution: first removes all changed items, then inserts the decided
   ones, which take precedence because they come later. */
static bool
add_decision_to_resolution(const conflict_resolver *resolver, uint64_t id, const values *v,
                           pqt_resolution decided, const pqt_items *answer)
{
    if (!add_to_resolution(resolver, v->base, v->base_count, true) ||
        !add_to_resolution(resolver, v->ours, v->ours_count, true) ||
        !add_to_resolution(resolver, v->theirs, v->theirs_count, true))
        return false;
    switch (decided) {
    case PQT_KEEP_OURS:
        return add_to_resolution(resolver, v->ours, v->ours_count, false);
    case PQT_KEEP_THEIRS:
        return add_to_resolution(resolver, v->theirs, v->theirs_count, false);
    case PQT_KEEP_BOTH:
        return add_both_to_resolution(resolver, id, v);
    case PQT_KEEP_NEITHER:
        return true;
    case PQT_KEEP_BASE:
        return add_to_resolution(resolver, v->base, v->base_count, false);
    case PQT_KEEP_ITEMS:
        return add_answer_to_resolution(resolver, id, answer);
    default:
        return fail_resolution(resolver, id,
                               "the callback returned something other than a pqt_resolution");
    }
}

static bool
decide_conflict(const conflict_resolver *resolver, uint64_t id, const values *v)
{
    pqt_conflict conflict = {
        id, {v->base, v->base_count}, {v->ours, v->ours_count}, {v->theirs, v->theirs_count}};
    pqt_items answer = {NULL, 0};
    pqt_resolution decided = PQT_UNRESOLVED;
    if (resolver->options->resolve != NULL)
        decided = resolver->options->resolve(&conflict, &answer, resolver->options->context);
    if (decided != PQT_UNRESOLVED)
        return add_decision_to_resolution(resolver, id, v, decided, &answer);
    pqti_error_set(resolver->error, PQT_ERROR_CONFLICT, 0,
                   "id %llu has different values in ours and in theirs", (unsigned long long)id);
    return false;
}

static bool
decide_id(const conflict_resolver *resolver, run ours, run theirs)
{
    PQT_INVARIANT(ours.from < ours.to && theirs.from < theirs.to, "a side did not change the id");
    size_t capacity = (ours.to - ours.from) + (theirs.to - theirs.from);
    pqt_item *items = pqti_alloc_scratch(3 * capacity, sizeof *items);
    if (items == NULL) {
        pqti_out_of_memory(resolver->error);
        return false;
    }
    values v = {.base = items, .ours = items + capacity, .theirs = items + 2 * capacity};
    sort_into_values(resolver->tree->domain, ours, theirs, &v);
    bool decided = !v.differ || decide_conflict(resolver, first_item(&ours)->id, &v);
    pqti_free_scratch(items);
    return decided;
}

PQTI_DEFINE_OPTIONS(pqti_merge_options, pqt_merge_options, stats, PQT_MERGE_DEFAULTS);

bool
pqti_resolve_conflicts(const pqt_tree *tree, const pqti_changelist *ours,
                       const pqti_changelist *theirs, const pqt_merge_options *options,
                       pqti_changelist *resolution, pqt_error *error)
{
    conflict_resolver resolver = {tree, ours, theirs, options, resolution, error};
    size_t i = 0, j = 0;
    while (i < ours->count && j < theirs->count) {
        uint64_t id_i = ours->by_id[i].id, id_j = theirs->by_id[j].id;
        if (id_i != id_j) {
            i += id_i < id_j;
            j += id_j < id_i;
            continue;
        }
        size_t end_i = pqti_changelist_run(ours, i, options->stats);
        size_t end_j = pqti_changelist_run(theirs, j, options->stats);
        if (!decide_id(&resolver, (run){ours, i, end_i}, (run){theirs, j, end_j}))
            return false;
        i = end_i;
        j = end_j;
    }
    if (pqti_changelist_index(resolution))
        return true;
    pqti_out_of_memory(error);
    return false;
}

const pqt_tree *
pqti_apply_resolution(const pqt_tree *side, const pqti_changelist *resolution, pqt_error *error)
{
    if (resolution->count == 0)
        return side;
    pqti_edit_list all = {
        .items = resolution->items, .removals = resolution->removals, .count = resolution->count};
    if (side->domain->options.unique_ids) {
        all.id_edits = pqti_alloc_scratch(resolution->count, sizeof *all.id_edits);
        if (all.id_edits == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
        all.id_count = pqti_changelist_id_edits(resolution, side->domain, all.id_edits);
    }
    const pqt_tree *resolved = pqti_apply_edits(side, &all, error);
    pqti_free_scratch(all.id_edits);
    return resolved;
}

bool
pqti_apply_resolution_to_both(pqti_merge_sides *sides, const pqti_changelist *resolution,
                              pqt_error *error)
{
    sides->ours = pqti_apply_resolution(sides->ours, resolution, error);
    if (sides->ours != NULL)
        sides->theirs = pqti_apply_resolution(sides->theirs, resolution, error);
    return sides->ours != NULL && sides->theirs != NULL;
}
