/* SPDX-License-Identifier: MIT */
/* sorted_items.c: builds a tree from items in tree order. */
#include "config.h"

#include "tree/sorted_items.h"

#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "tree/batch_input.h"
#include "tree/idmap.h"
#include "tree/item_hash.h"
#include "tree/node_build.h"
#include "tree/tree_internal.h"

pqt_item *
pqti_sorted_items_reserve(pqti_sorted_items *sorted, size_t more)
{
    PQT_INVARIANT(more <= sorted->most - sorted->count, "there are more items than expected");
    if (more > sorted->capacity - sorted->count) {
        size_t capacity = 2 * sorted->capacity;
        capacity = capacity > sorted->count + more ? capacity : sorted->count + more;
        capacity = capacity < sorted->most ? capacity : sorted->most;
        void *items =
            pqti_resize_scratch(sorted->items, sorted->count, capacity, sizeof *sorted->items);
        if (items == NULL)
            return NULL;
        sorted->items = items;
        void *keys =
            pqti_resize_scratch(sorted->keys, sorted->count, capacity, sizeof *sorted->keys);
        if (keys == NULL)
            return NULL;
        sorted->keys = keys;
        sorted->capacity = capacity;
    }
    return sorted->items + sorted->count;
}

static bool
check_item(const pqti_sorted_items *sorted, size_t i, pqt_error *error)
{
    pqt_item valid;
    if (!pqti_admit_item(sorted->empty, &sorted->items[i], i, &valid, error))
        return false;
    if (pqti_box_is_canonical(&sorted->items[i].box))
        return true;
    pqti_error_set(error, PQT_ERROR_BOX, i, "item %zu: a number is -0.0", i);
    return false;
}

bool
pqti_sorted_items_add(pqti_sorted_items *sorted, size_t more, pqt_error *error)
{
    const pqt_item *items = sorted->items;
    pqti_key *keys = sorted->keys;
    for (size_t i = sorted->count; i < sorted->count + more; i++) {
        if (!check_item(sorted, i, error))
            return false;
        keys[i] = pqti_key_of(sorted->empty->domain, &items[i], i);
        if (i > 0 && pqti_compare(&keys[i - 1], &items[i - 1], &keys[i], &items[i]) >= 0) {
            pqti_error_set(error, PQT_ERROR_FORMAT, i, "item %zu is not after item %zu", i, i - 1);
            return false;
        }
    }
    sorted->count += more;
    return true;
}

/* Builds the id map. Returns false and sets the error on failure. */
static bool
map_ids(const pqti_sorted_items *sorted, const void **ids, pqt_error *error)
{
    pqti_id_edit *edits = pqti_alloc_scratch(sorted->count, sizeof *edits);
    bool made = edits != NULL;
    for (size_t i = 0; made && i < sorted->count; i++)
        edits[i] = (pqti_id_edit){pqti_id_key(sorted->items[i].id),
                                  pqti_locator_at(&sorted->keys[i], &sorted->items[i]), false};
    made = made && pqti_idmap_sort(edits, sorted->count);
    for (size_t i = 1; made && i < sorted->count; i++)
        if (edits[i].key == edits[i - 1].key) {
            pqti_error_set(error, PQT_ERROR_FORMAT, 0, "id %llu occurs twice, and ids are unique",
                           (unsigned long long)pqti_id_of_key(edits[i].key));
            pqti_free_scratch(edits);
            return false;
        }
    made = made && pqti_idmap_edit(sorted->empty->domain->options.memory, NULL, NULL, edits,
                                   sorted->count, ids);
    pqti_free_scratch(edits);
    if (!made)
        pqti_out_of_memory(error);
    return made;
}

const pqt_tree *
pqti_sorted_items_build(const pqti_sorted_items *sorted, pqt_error *error)
{
    const pqti_domain *domain = sorted->empty->domain;
    pqt_fingerprint fingerprint = {0, 0};
    pqti_node_ref root;
    const void *ids = NULL;
    if (sorted->count == 0)
        return sorted->empty;
    if (!pqti_build(domain, PQTI_ROOT, sorted->items, sorted->keys, sorted->count, &root,
                    &fingerprint)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    if (domain->options.unique_ids && !map_ids(sorted, &ids, error))
        return NULL;
    const pqt_tree *tree = pqti_version_of(domain, &root, &fingerprint, ids, error);
    pqti_keep_alive(sorted->empty);
    return tree;
}

void
pqti_sorted_items_free(pqti_sorted_items *sorted)
{
    pqti_free_scratch(sorted->items);
    pqti_free_scratch(sorted->keys);
}
