/* SPDX-License-Identifier: MIT */
/*
 * document_set.c: sets parts, and ensures that the keys of keyed maps remain ids of items in their
 * trees.
 *
 * If a tree is set, the difference between the old and the new tree gives the ids of the items that
 * left it, and their entries are removed from its maps. If a map is set, the difference between the
 * old and the new map gives the new keys, each of which must be an id in the tree. So both take
 * time proportional to the number of changes.
 */
#include "config.h"

#include "document/document_internal.h"

#include <string.h>

#include <pqt/diff.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* ---- Removing the entries of items that left a tree ---- */

/* A map from which entries are being removed. */
typedef struct pruning {
    const pqt_tree *tree; /* the tree after the change */
    const pqt_map *map;   /* the map so far; NULL after a failure */
    pqt_error *error;
} pruning;

static bool
remove_entry(pruning *p, uint64_t id)
{
    p->map = pqt_map_remove(p->map, pqt_map_id(id), p->error);
    return p->map != NULL;
}

static bool
prune_removed_item(const pqt_change *change, void *context)
{
    return change->kind != PQT_REMOVE || remove_entry(context, change->item.id);
}

static bool
prune_entry_without_item(const pqt_map_entry *entry, void *context)
{
    pruning *p = context;
    return pqt_tree_find(p->tree, entry->key.id, NULL) || remove_entry(p, entry->key.id);
}

/* Returns the map without the entries of items that `before` had and `after` lacks. Returns NULL
   and sets `error` on failure. */
static const pqt_map *
prune_map(const pqt_tree *before, const pqt_tree *after, const pqt_map *map, pqt_error *error)
{
    pruning p = {after, map, error};
    if (pqt_tree_visit_diff(before, after, NULL, prune_removed_item, &p, NULL) || p.map == NULL)
        return p.map;
    /* Trees with different bounds or options cannot be compared, so test each entry. The comparison
       has no other failure, because trees with unique ids need no memory for it. */
    pqt_map_visit(map, prune_entry_without_item, &p);
    return p.map;
}

/* ---- Setting ---- */

/* Adapts the map at `index` to the tree that keys it. `parts` are the new parts; the document has
   the old ones. */
static bool
update_keyed_map(const pqt_document *document, const void **parts, size_t index, pqt_error *error)
{
    const char *name = pqti_part_name_at(document, index);
    const size_t place = document->schema->parts[index].keyed_by;
    const pqt_tree *before = document->parts[place], *tree = parts[place];
    const pqt_map *map = parts[index];
    if (!pqti_check_keyed(name, tree, map, error))
        return false;
    if (tree != before && (map = prune_map(before, tree, map, error)) == NULL)
        return false;
    parts[index] = map;
    return map == document->parts[index] ||
           pqti_check_new_map_keys(name, tree, document->parts[index], map, error);
}

/* Returns the version with these parts, after adapting keyed maps to their trees. */
static const pqt_document *
with_parts(const pqt_document *document, const void **parts, pqt_error *error)
{
    for (size_t i = 0; i < document->schema->count; i++) {
        const size_t tree = document->schema->parts[i].keyed_by;
        if (tree == PQTI_NOT_KEYED ||
            (parts[i] == document->parts[i] && parts[tree] == document->parts[tree]))
            continue;
        if (!update_keyed_map(document, parts, i, error))
            return NULL;
    }
    return pqti_document_next(document, parts, error);
}

static bool
validate_part_memory(const pqt_document *document, size_t index, const void *version,
                     pqt_error *error)
{
    if (pqti_memory_of(version) == document->memory)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "%s: the %s is not in the memory of the document",
                   pqti_part_name_at(document, index),
                   pqt_kind_name(pqti_part_kind_at(document, index)));
    return false;
}

/* Copies the parts of a document, so that some can be changed. */
static void
copy_parts(const pqt_document *document, const void **parts)
{
    memcpy(parts, document->parts, document->schema->count * sizeof *parts);
}

/* Checks the version that a setter received. Returns false if it is NULL because an earlier call
   failed. */
static bool
check_version(const char *function, const pqt_document *document, const void *version,
              pqt_error *error)
{
    PQT_ASSERT_IN(function, version != NULL || pqti_may_be_null(error),
                  "the version of the part is NULL, and the error is not set");
    return pqti_document_check_input_in(function, document, error) && version != NULL;
}

const pqt_document *
pqt_document_set_part(const pqt_document *document, const char *name, pqt_kind kind,
                      const void *version, pqt_error *error)
{
    const void *parts[PQT_MAX_PARTS];
    size_t index = 0;
    if (!check_version(__func__, document, version, error))
        return NULL;
    const bool found = pqt_document_find(document, name, &index);
    PQT_ASSERT(found && pqti_part_kind_at(document, index) == kind,
               "the document has no part with this name and kind");
    (void)found;
    pqti_assert_kind(__func__, kind, version);
    if (!validate_part_memory(document, index, version, error))
        return NULL;
    copy_parts(document, parts);
    parts[index] = version;
    return with_parts(document, parts, error);
}

/* Finds the index of the part to be set. Returns false and sets `error` if there is no such part or
   if it was already set. */
static bool
index_of_part(const pqt_document *document, const pqt_part *part, size_t number, unsigned *set,
              size_t *index, pqt_error *error)
{
    PQT_ASSERT_IN("pqt_document_set_parts", part->name != NULL, "a part has no name");
    if (!pqt_document_find(document, part->name, index) ||
        pqti_part_kind_at(document, *index) != part->kind) {
        pqti_error_set(error, PQT_ERROR_OPTION, number, "%s: no %s has this name", part->name,
                       pqt_kind_name(part->kind));
        return false;
    }
    if ((*set & 1u << *index) != 0) {
        pqti_error_set(error, PQT_ERROR_OPTION, number, "%s: it is set twice", part->name);
        return false;
    }
    *set |= 1u << *index;
    return true;
}

const pqt_document *
pqt_document_set_parts(const pqt_document *document, const pqt_part *parts, size_t count,
                       pqt_error *error)
{
    const void *next[PQT_MAX_PARTS];
    unsigned set = 0;
    PQT_ASSERT(parts != NULL || count == 0, "parts is NULL");
    if (!pqti_document_check_input(document, error))
        return NULL;
    copy_parts(document, next);
    for (size_t i = 0; i < count; i++) {
        size_t index = 0;
        if (!check_version(__func__, document, parts[i].version, error) ||
            !index_of_part(document, &parts[i], i, &set, &index, error))
            return NULL;
        pqti_assert_kind(__func__, parts[i].kind, parts[i].version);
        if (!validate_part_memory(document, index, parts[i].version, error))
            return NULL;
        next[index] = parts[i].version;
    }
    return with_parts(document, next, error);
}
