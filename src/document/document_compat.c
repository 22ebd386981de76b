/* SPDX-License-Identifier: MIT */
/*
 * document_compat.c: tests whether documents, parts and keys match, and sets errors if they do not.
 */
#include "config.h"

#include "document/document_internal.h"

#include <string.h>

#include "base/error_internal.h"

void
pqti_part_failed(pqt_error *error, const char *part, const pqt_error *failure)
{
    pqti_error_set(error, failure->status, failure->index, "%s: %s", part, failure->text);
}

bool
pqti_equal_schemas(const pqti_schema *a, const pqti_schema *b)
{
    return a == b || (a->size == b->size && memcmp(a, b, a->size) == 0);
}

/* Returns the name of the first part in which two schemas differ. */
static const char *
differing_part(const pqti_schema *a, const pqti_schema *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const pqti_schema_part x = a->parts[i], y = b->parts[i];
        const int order = strcmp(a->names + x.name, b->names + y.name);
        if (order != 0)
            return order < 0 ? a->names + x.name : b->names + y.name;
        if (x.kind != y.kind || x.keyed_by != y.keyed_by)
            return a->names + x.name;
    }
    return a->count > b->count ? a->names + a->parts[b->count].name
                               : b->names + b->parts[a->count].name;
}

bool
pqti_check_schemas(const pqt_document *a, const pqt_document *b, pqt_error *error)
{
    if (pqti_equal_schemas(a->schema, b->schema))
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%s: the kind or the keys of this part differ",
                   differing_part(a->schema, b->schema));
    return false;
}

bool
pqti_check_map_kinds(const char *name, const pqt_map *a, const pqt_map *b, pqt_error *error)
{
    pqt_map_options of_a = PQT_MAP_DEFAULTS, of_b = PQT_MAP_DEFAULTS;
    pqt_map_get_options(a, &of_a);
    pqt_map_get_options(b, &of_b);
    if (of_a.keys == of_b.keys && of_a.values == of_b.values)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%s: the maps' kinds of keys or values differ",
                   name);
    return false;
}

bool
pqti_check_keyed(const char *name, const pqt_tree *tree, const pqt_map *map, pqt_error *error)
{
    pqt_tree_options of_tree = PQT_TREE_DEFAULTS;
    pqt_map_options of_map = PQT_MAP_DEFAULTS;
    pqt_tree_get_options(tree, &of_tree);
    pqt_map_get_options(map, &of_map);
    if (of_tree.unique_ids && of_map.keys == PQT_MAP_IDS)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                   of_tree.unique_ids ? "%s: it is keyed by a tree, but its keys are not ids"
                                      : "%s: the tree that it is keyed by has no unique ids",
                   name);
    return false;
}

/* A check that the keys of a map are ids of items in a tree. */
typedef struct key_check {
    const pqt_tree *tree;
    uint64_t missing; /* the first key that is not the id of an item */
} key_check;

static bool
entry_has_item(const pqt_map_entry *entry, void *context)
{
    key_check *check = context;
    check->missing = entry->key.id;
    return pqt_tree_find(check->tree, entry->key.id, NULL);
}

static bool
has_no_item(const char *name, uint64_t key, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%s: no item has the id %llu, which is a key",
                   name, (unsigned long long)key);
    return false;
}

bool
pqti_check_map_keys(const char *name, const pqt_tree *tree, const pqt_map *map, pqt_error *error)
{
    key_check check = {.tree = tree};
    return pqt_map_visit(map, entry_has_item, &check) || has_no_item(name, check.missing, error);
}

static bool
new_key_has_item(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
                 void *context)
{
    key_check *check = context;
    (void)after;
    check->missing = key->id;
    return before != NULL || after == NULL || pqt_tree_find(check->tree, key->id, NULL);
}

bool
pqti_check_new_map_keys(const char *name, const pqt_tree *tree, const pqt_map *before,
                        const pqt_map *after, pqt_error *error)
{
    key_check check = {.tree = tree};
    pqt_error differs = {0};
    if (!pqti_check_map_kinds(name, before, after, &differs))
        return pqti_check_map_keys(name, tree, after, error);
    return pqt_map_visit_diff(before, after, new_key_has_item, &check) ||
           has_no_item(name, check.missing, error);
}
