/* SPDX-License-Identifier: MIT */
/*
 * update.c: inserts, removes and moves items, and applies batches. Each call makes a new version.
 *
 * Every change is converted to edits, each of which requires an item to be present or absent. The
 * edits are sorted and applied in one descent (edit.c). A move is a removal plus an insertion,
 * which descend together as long as their paths are the same.
 */
#include "config.h"

#include "tree/update.h"

#include <stddef.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/draft_state.h"
#include "tree/edit.h"
#include "tree/edit_list.h"
#include "tree/edit_rebuild.h"
#include "tree/find_id.h"
#include "tree/idmap.h"
#include "tree/node_build.h"
#include "tree/tree_internal.h"

enum { FEW = 4 }; /* the maximal number of edits in a small batch, which is sorted on the stack */

/* Returns an upper bound on the number of items that edits add. A removal is subtracted only if
   its item is known to be present. */
static size_t
count_added_by_edits(const pqt_tree *tree, const pqti_edit_list *edit_list)
{
    size_t inserts = 0;
    if (edit_list->replaces_all) /* no test reaches it, since it needs 20 GiB */
        return edit_list->count > tree->count ? edit_list->count - tree->count : 0;
    for (size_t i = 0; i < edit_list->count; i++)
        inserts += edit_list->removals == NULL || !edit_list->removals[i];
    bool is_exact = edit_list->count <= 2 || tree->domain->options.unique_ids;
    size_t removals = is_exact ? edit_list->count - inserts : 0;
    return inserts > removals ? inserts - removals : 0;
}

/*
 * Returns false and sets the error if the number of items would need more than 29 bits after adding
 * `added` items.
 */
static bool
check_room_for(const pqt_tree *tree, size_t added, pqt_error *error)
{
    if (added <= PQT_MAX_ITEMS - (size_t)tree->count)
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0, "%zu items and %zu more exceed the limit of %d",
                   (size_t)tree->count, added, PQT_MAX_ITEMS);
    return false;
}

/* Checks the limit before the edits are applied. So in a tree that is nearly full, a batch fails
   even if the items that it inserts are present already. */
static bool
check_item_limit(const pqt_tree *tree, const pqti_edit_list *edit_list, pqt_error *error)
{
    return edit_list->count <= PQT_MAX_ITEMS - (size_t)tree->count ||
           check_room_for(tree, count_added_by_edits(tree, edit_list), error);
}

/* Makes the version after an edit. `root`, `fingerprint` and `ids` are the new ones. */
static const pqt_tree *
finish_edit(const pqt_tree *tree, pqti_outcome outcome, const pqti_node_ref *root,
            const pqt_fingerprint *fingerprint, const void *ids, pqt_error *error)
{
    if (outcome == PQTI_SAME)
        return tree;
    if (outcome == PQTI_CHANGED)
        return pqti_version_of(tree->domain, root, fingerprint, ids, error);
    pqti_out_of_memory(error);
    return NULL;
}

/* Does the same, and edits the id map. */
static const pqt_tree *
finish_with_ids(const pqt_tree *tree, pqti_outcome outcome, const pqti_node_ref *root,
                const pqt_fingerprint *fingerprint, pqti_id_edit *id_edits, size_t id_count,
                pqt_error *error)
{
    const void *ids = tree->ids;
    if (outcome == PQTI_CHANGED &&
        !pqti_idmap_edit(tree->domain->options.memory, pqti_owner_of(tree->domain), ids, id_edits,
                         id_count, &ids))
        outcome = PQTI_FAILED;
    return finish_edit(tree, outcome, root, fingerprint, ids, error);
}

static const pqt_tree *
apply_sorted_edits(const pqt_tree *tree, const pqti_edit_list *edit_list, pqti_edits edits,
                   pqt_error *error)
{
    pqti_node_ref root = pqti_root(tree);
    pqt_fingerprint fingerprint = tree->fingerprint;
    PQTI_DEBUG_ASSERT(pqti_edits_are_sorted(&edits), "edits are not sorted, or repeat an item");
    pqti_outcome outcome = pqti_edit(tree->domain, PQTI_ROOT, edits, &root, &fingerprint);
    return finish_with_ids(tree, outcome, &root, &fingerprint, edit_list->id_edits,
                           edit_list->id_count, error);
}

static const pqt_tree *
rebuild_from_edit_list(const pqt_tree *tree, const pqti_edit_list *edit_list, pqti_edits edits,
                       pqt_error *error)
{
    pqti_node_ref root;
    pqt_fingerprint fingerprint = {0, 0};
    const void *ids = tree->ids;
    PQTI_DEBUG_ASSERT(pqti_edits_are_sorted(&edits), "edits are not sorted, or repeat an item");
    if (!pqti_build_with_neighbours(tree->domain, PQTI_ROOT, pqti_root(tree), edits.items,
                                    edits.keys, edits.count, &root, &fingerprint) ||
        !pqti_idmap_edit(tree->domain->options.memory, pqti_owner_of(tree->domain), ids,
                         edit_list->id_edits, edit_list->id_count, &ids)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_tree *next = pqti_version_of(tree->domain, &root, &fingerprint, ids, error);
    /* Changes may undo each other. The comparison visits nodes only if the fingerprints are
       equal. */
    return next != NULL && pqt_tree_equals(next, tree) ? tree : next;
}

const pqt_tree *
pqti_apply_edits(const pqt_tree *tree, pqti_edit_list *edit_list, pqt_error *error)
{
    pqti_key few[2 * FEW];
    pqti_key *keys = few;
    if (!check_item_limit(tree, edit_list, error))
        return NULL;
    if (edit_list->sorted == NULL && edit_list->count > FEW &&
        (keys = pqti_alloc_scratch(edit_list->count, 2 * sizeof *keys)) == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    pqti_edits edits = {edit_list->items, edit_list->sorted, edit_list->sorted_count, false};
    if (edit_list->sorted == NULL) {
        pqti_edit_list_sort(tree->domain, edit_list, keys, keys + edit_list->count);
        edits.keys = keys;
        edits.count = pqti_dedup_keep_last(keys, edit_list->count, edit_list->items);
    }
    const pqt_tree *next = edit_list->replaces_all
                               ? rebuild_from_edit_list(tree, edit_list, edits, error)
                               : apply_sorted_edits(tree, edit_list, edits, error);
    if (keys != few)
        pqti_free_scratch(keys);
    pqti_keep_alive(tree);
    return next;
}

/* The edits for one change: a removal, an insertion, or both for a move. */
typedef struct item_edits {
    pqt_item items[2];
    pqti_key keys[2]; /* in tree order */
    pqti_id_edit id_edit;
    size_t count;
} item_edits;

static void
add_item_edit(const pqti_domain *domain, item_edits *e, const pqt_item *item, bool removal)
{
    e->items[e->count] = *item;
    e->keys[e->count] = pqti_key_of(domain, item, e->count);
    e->keys[e->count].removal = removal;
    e->count++;
}

/* Makes the edits that replace `old` by `new`. Either item may be NULL. The items are not equal. */
static void
make_item_edits(const pqti_domain *domain, item_edits *e, const pqt_item *old, const pqt_item *new)
{
    e->count = 0;
    if (old != NULL)
        add_item_edit(domain, e, old, true);
    if (new != NULL)
        add_item_edit(domain, e, new, false);
    if (domain->options.unique_ids) {
        e->id_edit = (pqti_id_edit){.key = pqti_id_key((new != NULL ? new : old)->id),
                                    .removal = new == NULL};
        if (new != NULL)
            e->id_edit.locator = pqti_locator_at(&e->keys[e->count - 1], new);
    }
    if (e->count == 2 && pqti_compare(&e->keys[0], &e->items[0], &e->keys[1], &e->items[1]) > 0) {
        const pqti_key first = e->keys[1];
        e->keys[1] = e->keys[0];
        e->keys[0] = first;
    }
}

/* Returns true if an item is present in a tree with unique ids. */
static bool
has_item(const pqt_tree *tree, const pqt_item *item)
{
    pqt_item found;
    return pqti_find_id(tree, item->id, &found) && pqti_item_equals(&found, item);
}

/*
 * Does the same as replace_item in a draft with unique ids, where nothing may fail after the tree
 * was changed. So the id map is edited first, and an absent item is found before.
 */
static PQTI_NOINLINE const pqt_tree *
replace_unique_in_draft(const pqt_tree *tree, const pqt_item *old, item_edits *e, pqti_edits edits,
                        pqt_error *error)
{
    pqti_node_ref root = pqti_root(tree);
    pqt_fingerprint fingerprint = tree->fingerprint;
    const void *ids = tree->ids;
    if (old != NULL && !has_item(tree, old))
        return tree;
    const bool has_ids = pqti_idmap_edit(tree->domain->options.memory, pqti_owner_of(tree->domain),
                                         ids, &e->id_edit, 1, &ids);
    const pqti_outcome outcome =
        has_ids ? pqti_edit_draft(tree->domain, edits, &root, &fingerprint) : PQTI_FAILED;
    PQT_INVARIANT(outcome != PQTI_SAME, "an id map does not agree with its tree");
    return finish_edit(tree, outcome, &root, &fingerprint, ids, error);
}

/*
 * Does the same as replace_item in a draft. If ids are unique, and the item is moved, its locator
 * is replaced in a leaf of the id map that the draft owns, which cannot fail.
 */
static PQTI_NOINLINE const pqt_tree *
replace_in_draft(const pqt_tree *tree, const pqt_item *old, item_edits *e, pqti_edits edits,
                 pqt_error *error)
{
    const bool unique = tree->domain->options.unique_ids;
    pqti_node_ref root = pqti_root(tree);
    pqt_fingerprint fingerprint = tree->fingerprint;
    pqti_owned_locator place = {NULL, NULL};
    if (unique && !(edits.is_move && pqti_idmap_find_owned(pqti_owner_of(tree->domain), tree->ids,
                                                           e->id_edit.key, &place)))
        return replace_unique_in_draft(tree, old, e, edits, error);
    const pqti_outcome outcome = pqti_edit_draft(tree->domain, edits, &root, &fingerprint);
    if (unique && outcome == PQTI_CHANGED) {
        *place.centre = e->id_edit.locator.centre;
        *place.level_and_hash = e->id_edit.locator.level_and_hash;
    }
    return finish_edit(tree, outcome, &root, &fingerprint, tree->ids, error);
}

/* Removes one item and inserts another. Either may be NULL. If the removed item is absent,
   inserts nothing. */
static const pqt_tree *
replace_item(const pqt_tree *tree, const pqt_item *old, const pqt_item *new, pqt_error *error)
{
    item_edits e;
    pqti_node_ref root = pqti_root(tree);
    pqt_fingerprint fingerprint = tree->fingerprint;
    if (old == NULL && !check_room_for(tree, 1, error))
        return NULL;
    make_item_edits(tree->domain, &e, old, new);
    const pqti_edits edits = {e.items, e.keys, e.count, old != NULL && new != NULL};
    PQTI_DEBUG_ASSERT(pqti_edits_are_sorted(&edits), "edits are not sorted, or repeat an item");
    if (tree->domain->draft != NULL)
        return replace_in_draft(tree, old, &e, edits, error);
    pqti_outcome outcome = pqti_edit(tree->domain, PQTI_ROOT, edits, &root, &fingerprint);
    const pqt_tree *next = finish_with_ids(tree, outcome, &root, &fingerprint, &e.id_edit,
                                           tree->domain->options.unique_ids, error);
    pqti_keep_alive(tree);
    return next;
}

const pqt_tree *
pqt_tree_insert(const pqt_tree *tree, pqt_item item, pqt_error *error)
{
    if (!pqti_check_input(tree, error) || !pqti_admit_item(tree, &item, 0, &item, error))
        return NULL;
    pqt_item old;
    if (!tree->domain->options.unique_ids || !pqti_find_id(tree, item.id, &old))
        return replace_item(tree, NULL, &item, error);
    return pqti_item_equals(&old, &item) ? tree : replace_item(tree, &old, &item, error);
}

const pqt_tree *
pqt_tree_remove(const pqt_tree *tree, pqt_item item, pqt_error *error)
{
    if (!pqti_check_input(tree, error))
        return NULL;
    if (!pqti_box_is_valid(&item.box))
        return tree;
    item.box = pqti_box_positive_zero(item.box);
    return replace_item(tree, &item, NULL, error);
}

const pqt_tree *
pqt_tree_remove_id(const pqt_tree *tree, uint64_t id, pqt_error *error)
{
    pqt_item old;
    if (!pqti_check_input(tree, error))
        return NULL;
    PQT_ASSERT(tree->domain->options.unique_ids, "removing by id needs a tree with unique_ids");
    return pqt_tree_find(tree, id, &old) ? replace_item(tree, &old, NULL, error) : tree;
}

static const pqt_tree *
move_one_item(const pqt_tree *tree, const pqt_item *old, pqt_box to, pqt_error *error)
{
    pqt_item new = {to, old->id};
    return pqti_item_equals(old, &new) ? tree : replace_item(tree, old, &new, error);
}

const pqt_tree *
pqt_tree_move(const pqt_tree *tree, pqt_item item, pqt_box to, pqt_error *error)
{
    pqt_item target = {to, item.id};
    if (!pqti_check_input(tree, error) || !pqti_admit_item(tree, &target, 0, &target, error))
        return NULL;
    if (!pqti_box_is_valid(&item.box))
        return tree;
    item.box = pqti_box_positive_zero(item.box);
    return move_one_item(tree, &item, target.box, error);
}

const pqt_tree *
pqt_tree_move_id(const pqt_tree *tree, uint64_t id, pqt_box to, pqt_error *error)
{
    pqt_item old, target = {to, id};
    if (!pqti_check_input(tree, error) || !pqti_admit_item(tree, &target, 0, &target, error))
        return NULL;
    PQT_ASSERT(tree->domain->options.unique_ids, "moving by id needs a tree with unique_ids");
    return pqt_tree_find(tree, id, &old) ? move_one_item(tree, &old, target.box, error) : tree;
}

const pqt_tree *
pqt_tree_apply(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error)
{
    PQT_ASSERT(changes != NULL || count == 0, "changes is NULL, and count is not 0");
    if (!pqti_check_input(tree, error))
        return NULL;
    if (count == 0)
        return tree;
    pqti_edit_list edit_list;
    if (!pqti_edit_list_of(tree, changes, count, &edit_list, error))
        return NULL;
    const pqt_tree *next = pqti_apply_edits(tree, &edit_list, error);
    pqti_edit_list_free(&edit_list);
    return next;
}

/* Applies one kind of change to many items. */
static const pqt_tree *
apply_to_all(const char *function, const pqt_tree *tree, pqt_change_kind kind,
             const pqt_item *items, size_t count, pqt_error *error)
{
    PQT_ASSERT_IN(function, items != NULL || count == 0, "items is NULL, and count is not 0");
    if (!pqti_check_input_in(function, tree, error))
        return NULL;
    if (count == 0)
        return tree;
    PQT_INVARIANT(kind == PQT_INSERT || kind == PQT_REMOVE,
                  "the kind of a list of edits is neither insert nor remove");
    pqti_edit_list edit_list;
    if (!pqti_edit_list_of_items(tree, kind, items, count, &edit_list, error))
        return NULL;
    const pqt_tree *next = pqti_apply_edits(tree, &edit_list, error);
    pqti_edit_list_free(&edit_list);
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
extend_bounds_by_item(pqt_box *bounds, const pqt_box *box)
{
    bounds->min.x = box->min.x < bounds->min.x ? box->min.x : bounds->min.x;
    bounds->min.y = box->min.y < bounds->min.y ? box->min.y : bounds->min.y;
    bounds->max.x = box->max.x > bounds->max.x ? box->max.x : bounds->max.x;
    bounds->max.y = box->max.y > bounds->max.y ? box->max.y : bounds->max.y;
}

static bool
valid_bounds_of(const pqt_item *items, size_t count, pqt_box *bounds, pqt_error *error)
{
    *bounds = (pqt_box){{0, 0}, {0, 0}};
    for (size_t i = 0; i < count; i++) {
        pqt_item item;
        if (!pqti_validate_item(&items[i], i, &item, error))
            return false;
        if (i == 0)
            *bounds = item.box;
        extend_bounds_by_item(bounds, &item.box);
    }
    return true;
}

const pqt_tree *
pqt_tree_of(const pqt_item *items, size_t count, const pqt_tree_options *options, pqt_error *error)
{
    PQT_ASSERT(items != NULL || count == 0, "items is NULL, and count is not 0");
    pqt_box bounds;
    if (!pqti_may_count(count, error) || !valid_bounds_of(items, count, &bounds, error))
        return NULL;
    const pqt_tree *empty = pqti_tree_make(&bounds, options, error);
    return empty == NULL ? NULL : pqt_tree_insert_all(empty, items, count, error);
}

const pqt_tree *
pqti_tree_build_trusted(const pqt_tree *like, const pqt_item *items, size_t count, pqt_error *error)
{
    const pqti_domain *domain = like->domain;
    pqti_key *keys = pqti_alloc_scratch(count, 2 * sizeof *keys);
    const pqt_tree *tree = NULL;
    pqt_fingerprint fingerprint = {0, 0};
    pqti_node_ref root;
    for (size_t i = 0; keys != NULL && i < count; i++)
        keys[i] = pqti_key_of(domain, &items[i], i);
    if (keys != NULL)
        pqti_sort(keys, count, keys + count, items);
    if (keys != NULL && pqti_build(domain, PQTI_ROOT, items, keys, count, &root, &fingerprint))
        tree = pqti_version_of(domain, &root, &fingerprint, NULL, error);
    else
        pqti_out_of_memory(error);
    pqti_free_scratch(keys);
    return tree;
}
