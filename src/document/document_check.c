/* SPDX-License-Identifier: MIT */
/*
 * document_check.c: validates the invariants of documents, and counts their bytes.
 */
#include "config.h"

#include "document/document_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"

/* ---- Checks ---- */

static bool
is_broken(pqt_error *error, const char *name, const char *what)
{
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "%s: %s", name, what);
    return false;
}

static bool
check_names(const pqti_schema *schema, pqt_error *error)
{
    const char *before = NULL;
    if (schema->count == 0 || schema->count > PQT_MAX_PARTS || schema->size > PQTI_MAX_SCHEMA)
        return is_broken(error, "schema", "the number of parts is out of its range");
    for (size_t i = 0; i < schema->count; i++) {
        const pqti_schema_part part = schema->parts[i];
        const char *name = schema->names + part.name;
        if (sizeof *schema + part.name >= schema->size ||
            memchr(name, 0, schema->size - sizeof *schema - part.name) == NULL ||
            !pqti_is_valid_name(name, PQT_MAX_PART_NAME) ||
            (before != NULL && strcmp(before, name) >= 0))
            return is_broken(error, "schema", "a name is invalid, or not in order");
        if (part.kind < PQT_PART_TREE || part.kind > PQT_PART_MAP ||
            (part.keyed_by != PQTI_NOT_KEYED &&
             (part.keyed_by >= schema->count ||
              schema->parts[part.keyed_by].kind != PQT_PART_TREE || part.kind != PQT_PART_MAP)))
            return is_broken(error, name, "its kind or its tree is none");
        before = name;
    }
    return true;
}

static bool
check_part(const pqt_document *document, size_t index, pqt_error *error)
{
    const char *name = pqti_part_name_at(document, index);
    const pqti_part_calls *calls = pqti_part_calls_of(pqti_part_kind_at(document, index));
    const void *part = document->parts[index];
    pqt_error failure = {0};
    if (part == NULL)
        return is_broken(error, name, "the part is NULL");
    if (!calls->check(part, &failure))
        return is_broken(error, name, failure.text);
    return calls->memory(part) == document->memory ||
           is_broken(error, name, "the part is in another memory than the document");
}

static bool
check_keyed_map(const pqt_document *document, size_t index, pqt_error *error)
{
    const uint8_t tree = document->schema->parts[index].keyed_by;
    const char *name = pqti_part_name_at(document, index);
    pqt_error failure = {0};
    if (tree == PQTI_NOT_KEYED ||
        (pqti_check_keyed(name, document->parts[tree], document->parts[index], &failure) &&
         pqti_check_keys(name, document->parts[tree], document->parts[index], &failure)))
        return true;
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "%s", failure.text);
    return false;
}

bool
pqt_document_check(const pqt_document *document, pqt_error *error)
{
    PQT_ASSERT(document != NULL, "the document is NULL");
    if (pqti_error_is_set(error) || !check_names(document->schema, error))
        return false;
    for (size_t i = 0; i < document->schema->count; i++)
        if (!check_part(document, i, error))
            return false;
    for (size_t i = 0; i < document->schema->count; i++)
        if (!check_keyed_map(document, i, error))
            return false;
    return true;
}

/* ---- Bytes ---- */

/* The bytes of the version's own block, and of the schema if no other version has it. */
static size_t
own_bytes(const pqt_document *document, const pqt_document *const *others, size_t count)
{
    const pqti_schema *schema = document->schema;
    const size_t block =
        pqti_rounded(sizeof *document + (schema->count + 1) * sizeof *document->parts);
    size_t bytes = pqti_block_size(document->memory, document, block);
    for (size_t i = 0; i < count; i++)
        if (others[i]->schema == schema)
            return bytes;
    return bytes + pqti_block_size(document->memory, schema, pqti_rounded(schema->size));
}

/* Lists the parts whose blocks do not count for the part at `index`: those of its kind in the other
   documents, and those before it in its own. */
static size_t
list_others(const pqt_document *document, size_t index, const pqt_document *const *others,
            size_t count, const void **list)
{
    const pqt_part_kind kind = pqti_part_kind_at(document, index);
    size_t found = 0;
    for (size_t k = 0; k < index; k++)
        if (pqti_part_kind_at(document, k) == kind)
            list[found++] = document->parts[k];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < others[i]->schema->count; k++)
            if (pqti_part_kind_at(others[i], k) == kind)
                list[found++] = others[i]->parts[k];
    return found;
}

static bool
add_part_bytes(const pqt_document *document, size_t index, const void **list, size_t listed,
               size_t *bytes, pqt_error *error)
{
    size_t part = 0;
    for (size_t i = 0; i < listed; i++)
        if (list[i] == document->parts[index])
            return true;
    const pqti_part_calls *calls = pqti_part_calls_of(pqti_part_kind_at(document, index));
    if (!calls->exclusive_bytes(document->parts[index], list, listed, &part, error))
        return false;
    *bytes += part;
    return true;
}

bool
pqt_document_exclusive_bytes(const pqt_document *document, const pqt_document *const *others,
                             size_t count, size_t *bytes, pqt_error *error)
{
    PQT_ASSERT(others != NULL || count == 0, "others is NULL");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_document_check_input(document, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (others[i] == document) {
            *bytes = 0;
            return true;
        }
    const void **list = count < SIZE_MAX / PQT_MAX_PARTS - 1
                            ? pqti_alloc_scratch((count + 1) * PQT_MAX_PARTS, sizeof *list)
                            : NULL;
    if (list == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    size_t sum = own_bytes(document, others, count);
    bool counted = true;
    for (size_t i = 0; i < document->schema->count && counted; i++)
        counted = add_part_bytes(document, i, list, list_others(document, i, others, count, list),
                                 &sum, error);
    pqti_free_scratch(list);
    if (counted)
        *bytes = sum;
    return counted;
}

bool
pqt_document_get_stats(const pqt_document *document, pqt_document_stats *stats, pqt_error *error)
{
    PQT_ASSERT(stats != NULL, "stats is NULL");
    size_t bytes = 0;
    if (!pqti_document_check_input(document, error) ||
        !pqt_document_exclusive_bytes(document, NULL, 0, &bytes, error))
        return false;
    *stats = (pqt_document_stats){document->schema->count, bytes};
    return true;
}
