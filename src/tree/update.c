/* SPDX-License-Identifier: MIT */
/*
 * update.c - insert, remove, move, apply: each a version that follows from another.
 *
 * Every change becomes wishes, that an item be present or absent; they are sorted and fulfilled in
 * one descent (edit.c). An item that is moved is a wish for absence and one for presence, which
 * share the way as far as it is the same.
 */
#include "config.h"

#include "tree/update.h"

#include <stddef.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/edit.h"
#include "tree/edit_list.h"
#include "tree/edit_rebuild.h"
#include "tree/idmap.h"
#include "tree/node_build.h"
#include "tree/tree_internal.h"

enum { FEW = 4 }; /* wishes of a small batch that are sorted on the stack */

/* Items that wishes add at most. A removal makes room where it is known to find its item. */
static size_t
count_added(const pqt_tree *tree, const pqti_wishes *wishes)
{
    size_t inserts = 0;
    if (wishes->whole)
        return wishes->count > tree->count ? wishes->count - tree->count : 0;
    for (size_t i = 0; i < wishes->count; i++)
        inserts += wishes->removals == NULL || !wishes->removals[i];
    bool sure = wishes->count <= 2 || tree->space->options.unique_ids;
    size_t removals = sure ? wishes->count - inserts : 0;
    return inserts > removals ? inserts - removals : 0;
}

/* Counts have 29 bits. A batch is also refused if its inserts are there already, in a tree nearly
   full. */
static bool
fits(const pqt_tree *tree, const pqti_wishes *wishes, pqt_error *error)
{
    size_t room = PQT_MAX_ITEMS - (size_t)tree->count;
    if (wishes->count <= room || count_added(tree, wishes) <= room)
        return true;
    pqti_fail(error, PQT_ERROR_LIMIT, 0, "%zu items and %zu more, at most %d", (size_t)tree->count,
              count_added(tree, wishes), PQT_MAX_ITEMS);
    return false;
}

static const pqt_tree *
fulfil_sorted(const pqt_tree *tree, const pqti_wishes *wishes, pqti_edits edits, pqt_error *error)
{
    pqti_ref root = pqti_root(tree);
    pqt_fingerprint fingerprint = tree->fingerprint;
    const void *ids = tree->ids;
    pqti_outcome outcome = pqti_edit(tree->space, PQTI_ROOT, edits, &root, &fingerprint);
    if (outcome == PQTI_SAME)
        return tree;
    if (outcome == PQTI_FAILED || !pqti_ids_edit(tree->space->options.memory, ids, wishes->id_edits,
                                                 wishes->id_count, &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    return pqti_version_of(tree->space, root, fingerprint, ids, error);
}

static const pqt_tree *
build_anew(const pqt_tree *tree, const pqti_wishes *wishes, pqti_edits edits, pqt_error *error)
{
    pqti_ref root;
    pqt_fingerprint fingerprint = {0, 0};
    const void *ids = tree->ids;
    if (!pqti_build_beside(tree->space, PQTI_ROOT, pqti_root(tree), edits.items, edits.entries,
                           edits.count, &root, &fingerprint) ||
        !pqti_ids_edit(tree->space->options.memory, ids, wishes->id_edits, wishes->id_count,
                       &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_tree *next = pqti_version_of(tree->space, root, fingerprint, ids, error);
    /* Changes may undo each other; where fingerprints differ this is no walk. */
    return next != NULL && pqt_tree_equals(next, tree) ? tree : next;
}

const pqt_tree *
pqti_fulfil(const pqt_tree *tree, pqti_wishes *wishes, pqt_error *error)
{
    pqti_entry few[2 * FEW];
    pqti_entry *entries = few;
    if (!fits(tree, wishes, error))
        return NULL;
    if (wishes->sorted == NULL && wishes->count > FEW &&
        (entries = pqti_scratch(wishes->count, 2 * sizeof *entries)) == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    pqti_edits edits = {wishes->items, wishes->sorted, wishes->sorted_count, wishes->bound};
    if (wishes->sorted == NULL) {
        pqti_sort_wishes(tree->space, wishes, entries, entries + wishes->count);
        edits.entries = entries;
        edits.count = pqti_drop_overruled(entries, wishes->count, wishes->items);
    }
    const pqt_tree *next = wishes->whole ? build_anew(tree, wishes, edits, error)
                                         : fulfil_sorted(tree, wishes, edits, error);
    if (entries != few)
        pqti_scratch_free(entries);
    pqti_keep(tree);
    return next;
}

/* Works out one or two different items and puts their wishes in order. */
static void
sort_pair(const pqti_space *space, pqti_wishes *wishes, pqti_entry entries[2])
{
    for (size_t i = 0; i < wishes->count; i++) {
        entries[i] = pqti_entry_of(space, &wishes->items[i], i);
        entries[i].removal = wishes->removals[i];
    }
    if (wishes->count == 2 &&
        pqti_compare(&entries[0], &wishes->items[0], &entries[1], &wishes->items[1]) > 0) {
        pqti_entry first = entries[1];
        entries[1] = entries[0];
        entries[0] = first;
    }
    wishes->sorted = entries;
    wishes->sorted_count = wishes->count;
}

/* One item changed: what was there goes, what shall be there comes; either may be NULL. If what was
   there is not, nothing comes. */
static const pqt_tree *
replace(const pqt_tree *tree, const pqt_item *old, const pqt_item *new, pqt_error *error)
{
    pqt_item items[2];
    bool removals[2];
    pqti_entry entries[2];
    pqti_id_edit id_edit;
    pqti_wishes wishes = {.items = items,
                          .removals = removals,
                          .bound = old != NULL && new != NULL,
                          .id_edits = &id_edit};
    if (old != NULL) {
        items[wishes.count] = *old;
        removals[wishes.count++] = true;
    }
    if (new != NULL) {
        items[wishes.count] = *new;
        removals[wishes.count++] = false;
    }
    sort_pair(tree->space, &wishes, entries);
    if (tree->space->options.unique_ids) {
        const pqt_item *named = new != NULL ? new : old;
        id_edit = (pqti_id_edit){pqti_id_key(named->id), *named, new == NULL};
        wishes.id_count = 1;
    }
    return pqti_fulfil(tree, &wishes, error);
}

const pqt_tree *
pqt_tree_insert(const pqt_tree *tree, pqt_item item, pqt_error *error)
{
    if (!pqti_may_go_on(tree, error) || !pqti_admit(tree, item, 0, &item, error))
        return NULL;
    pqt_item old;
    if (!tree->space->options.unique_ids || !pqti_ids_find(tree->ids, item.id, &old))
        return replace(tree, NULL, &item, error);
    return pqti_item_equals(&old, &item) ? tree : replace(tree, &old, &item, error);
}

const pqt_tree *
pqt_tree_remove(const pqt_tree *tree, pqt_item item, pqt_error *error)
{
    if (!pqti_may_go_on(tree, error))
        return NULL;
    if (!pqti_box_is_valid(&item.box))
        return tree;
    item.box = pqti_box_positive_zero(item.box);
    return replace(tree, &item, NULL, error); /* if it is not there, this finds nothing to change */
}

const pqt_tree *
pqt_tree_remove_id(const pqt_tree *tree, uint64_t id, pqt_error *error)
{
    pqt_item old;
    if (!pqti_may_go_on(tree, error))
        return NULL;
    PQT_ASSERT(tree->space->options.unique_ids, "removing by id needs a tree with unique_ids");
    return pqt_tree_find(tree, id, &old) ? replace(tree, &old, NULL, error) : tree;
}

static const pqt_tree *
move(const pqt_tree *tree, const pqt_item *old, pqt_box to, pqt_error *error)
{
    pqt_item new = {to, old->id};
    return pqti_item_equals(old, &new) ? tree : replace(tree, old, &new, error);
}

const pqt_tree *
pqt_tree_move(const pqt_tree *tree, pqt_item item, pqt_box to, pqt_error *error)
{
    pqt_item target = {to, item.id};
    if (!pqti_may_go_on(tree, error) || !pqti_admit(tree, target, 0, &target, error))
        return NULL;
    if (!pqti_box_is_valid(&item.box))
        return tree;
    item.box = pqti_box_positive_zero(item.box);
    return move(tree, &item, target.box, error); /* if it is not there, the descent finds out */
}

const pqt_tree *
pqt_tree_move_id(const pqt_tree *tree, uint64_t id, pqt_box to, pqt_error *error)
{
    pqt_item old, target = {to, id};
    if (!pqti_may_go_on(tree, error) || !pqti_admit(tree, target, 0, &target, error))
        return NULL;
    PQT_ASSERT(tree->space->options.unique_ids, "moving by id needs a tree with unique_ids");
    return pqt_tree_find(tree, id, &old) ? move(tree, &old, target.box, error) : tree;
}

const pqt_tree *
pqt_tree_apply(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error)
{
    PQT_ASSERT(changes != NULL || count == 0, "changes is NULL, and count is not 0");
    if (!pqti_may_go_on(tree, error))
        return NULL;
    if (count == 0)
        return tree;
    pqti_wishes wishes;
    if (!pqti_wishes_of(tree, changes, count, &wishes, error))
        return NULL;
    const pqt_tree *next = pqti_fulfil(tree, &wishes, error);
    pqti_wishes_free(&wishes);
    return next;
}

/* The same change for many items. */
static const pqt_tree *
apply_to_all(const char *function, const pqt_tree *tree, pqt_change_kind kind,
             const pqt_item *items, size_t count, pqt_error *error)
{
    PQT_ASSERT_IN(function, items != NULL || count == 0, "items is NULL, and count is not 0");
    if (!pqti_may_go_on_in(function, tree, error))
        return NULL;
    if (count == 0)
        return tree;
    pqti_wishes wishes;
    if (!pqti_wishes_of_items(tree, kind, items, count, &wishes, error))
        return NULL;
    const pqt_tree *next = pqti_fulfil(tree, &wishes, error);
    pqti_wishes_free(&wishes);
    return next;
}

const pqt_tree *
pqt_tree_insert_all(const pqt_tree *tree, const pqt_item *items, size_t count, pqt_error *error)
{
    return apply_to_all(__func__, tree, PQT_INSERT, items, count, error);
}

const pqt_tree *
pqt_tree_remove_all(const pqt_tree *tree, const pqt_item *items, size_t count, pqt_error *error)
{
    return apply_to_all(__func__, tree, PQT_REMOVE, items, count, error);
}

static inline void
extend(pqt_box *bounds, const pqt_box *box)
{
    bounds->min.x = box->min.x < bounds->min.x ? box->min.x : bounds->min.x;
    bounds->min.y = box->min.y < bounds->min.y ? box->min.y : bounds->min.y;
    bounds->max.x = box->max.x > bounds->max.x ? box->max.x : bounds->max.x;
    bounds->max.y = box->max.y > bounds->max.y ? box->max.y : bounds->max.y;
}

static bool
bounds_of(const pqt_item *items, size_t count, pqt_box *bounds, pqt_error *error)
{
    *bounds = (pqt_box){{0, 0}, {0, 0}};
    for (size_t i = 0; i < count; i++) {
        pqt_item item;
        if (!pqti_item_admit(items[i], i, &item, error))
            return false;
        if (i == 0)
            *bounds = item.box;
        extend(bounds, &item.box);
    }
    return true;
}

const pqt_tree *
pqt_tree_of(const pqt_item *items, size_t count, const pqt_tree_options *options, pqt_error *error)
{
    PQT_ASSERT(items != NULL || count == 0, "items is NULL, and count is not 0");
    pqt_box bounds;
    if (pqti_failed(error) || !pqti_may_count(count, error) ||
        !bounds_of(items, count, &bounds, error))
        return NULL;
    const pqt_tree *empty = pqt_tree_make(bounds, options, error);
    return empty == NULL ? NULL : pqt_tree_insert_all(empty, items, count, error);
}

/* A tree of many items at once, where all of them are new. */

const pqt_tree *
pqti_tree_anew(const pqt_tree *like, const pqt_item *items, size_t count, pqt_error *error)
{
    const pqti_space *space = like->space;
    pqti_entry *entries = pqti_scratch(count, 2 * sizeof *entries);
    const pqt_tree *tree = NULL;
    pqt_fingerprint sum = {0, 0};
    pqti_ref root;
    for (size_t i = 0; entries != NULL && i < count; i++)
        entries[i] = pqti_entry_of(space, &items[i], i);
    if (entries != NULL)
        pqti_sort(entries, count, entries + count, items);
    if (entries != NULL && pqti_build(space, PQTI_ROOT, items, entries, count, &root, &sum))
        tree = pqti_version_of(space, root, sum, NULL, error);
    else
        pqti_out_of_memory(error);
    pqti_scratch_free(entries);
    return tree;
}
