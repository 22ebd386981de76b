/* SPDX-License-Identifier: MIT */
/*
 * document_check.c: validates the invariants of documents.
 */
#include "config.h"

#include "document/document_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"

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
        if (!pqti_is_part_kind((pqt_kind)part.kind) ||
            (part.keyed_by != PQTI_NOT_KEYED &&
             (part.keyed_by >= schema->count ||
              schema->parts[part.keyed_by].kind != PQT_KIND_TREE || part.kind != PQT_KIND_MAP)))
            return is_broken(error, name, "its kind or its tree is invalid");
        before = name;
    }
    return true;
}

static bool
check_part(const pqt_document *document, size_t index, pqt_error *error)
{
    const char *name = pqti_part_name_at(document, index);
    const void *part = document->parts[index];
    pqt_error failure = {0};
    if (part == NULL)
        return is_broken(error, name, "the part is NULL");
    if (pqti_version_kind(part) != pqti_part_kind_at(document, index))
        return is_broken(error, name, "the part is of another kind");
    if (!pqti_calls_of(part)->check(part, &failure))
        return is_broken(error, name, failure.text);
    return pqti_memory_of(part) == document->memory ||
           is_broken(error, name, "the part is not in the memory of the document");
}

static bool
check_keyed_map(const pqt_document *document, size_t index, pqt_error *error)
{
    const uint8_t tree = document->schema->parts[index].keyed_by;
    const char *name = pqti_part_name_at(document, index);
    pqt_error failure = {0};
    if (tree == PQTI_NOT_KEYED ||
        (pqti_check_keyed(name, document->parts[tree], document->parts[index], &failure) &&
         pqti_check_map_keys(name, document->parts[tree], document->parts[index], &failure)))
        return true;
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "%s", failure.text);
    return false;
}

bool
pqt_document_check(const pqt_document *document, pqt_error *error)
{
    PQTI_ASSERT_DOCUMENT(document);
    if (!check_names(document->schema, error))
        return false;
    for (size_t i = 0; i < document->schema->count; i++)
        if (!check_part(document, i, error))
            return false;
    for (size_t i = 0; i < document->schema->count; i++)
        if (!check_keyed_map(document, i, error))
            return false;
    return true;
}
