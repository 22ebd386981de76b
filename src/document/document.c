/* SPDX-License-Identifier: MIT */
/*
 * document.c: makes documents and reads them.
 *
 * A version is one block with a pointer to each part and to the schema, a leaf that all versions of
 * a document share. Parts are used by the functions in the rows of their kinds (kind_calls.h).
 */
#include "config.h"

#include "document/document_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "memory/kind_calls.h"

/* ---- Schemas ---- */

bool
pqti_has_keyed_maps(const pqt_document *document, size_t tree)
{
    for (size_t i = 0; i < document->schema->count; i++)
        if (pqti_is_keyed_by(document, i, tree))
            return true;
    return false;
}

/* Returns the index of the part with the given name among sorted parts, or `count` if there is
   none. */
static size_t
index_of_name(const pqt_part *const *sorted, size_t count, const char *name)
{
    size_t place = 0;
    while (place < count && strcmp(sorted[place]->name, name) != 0)
        place++;
    return place;
}

/* Writes the schema of sorted parts to a buffer of PQTI_MAX_SCHEMA bytes. */
static void
write_schema(pqti_schema *schema, const pqt_part *const *sorted, size_t count)
{
    size_t used = 0;
    memset(schema, 0, sizeof *schema);
    schema->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(sorted[i]->name) + 1;
        const size_t tree = sorted[i]->keyed_by == NULL
                                ? PQTI_NOT_KEYED
                                : index_of_name(sorted, count, sorted[i]->keyed_by);
        schema->parts[i] =
            (pqti_schema_part){(uint8_t)sorted[i]->kind, (uint8_t)tree, (uint16_t)used};
        memcpy(schema->names + used, sorted[i]->name, size);
        used += size;
    }
    schema->size = (uint32_t)(sizeof *schema + used);
}

static const pqti_schema *
make_schema(pqt_memory *memory, const pqt_part *const *sorted, size_t count, pqt_error *error)
{
    _Alignas(pqti_schema) char room[PQTI_MAX_SCHEMA];
    pqti_schema *written = (pqti_schema *)room;
    write_schema(written, sorted, count);
    pqti_schema *schema = pqti_alloc_leaf(memory, pqti_rounded(written->size));
    if (schema == NULL)
        pqti_out_of_memory(error);
    else
        memcpy(schema, written, written->size);
    return schema;
}

/* ---- Versions ---- */

#define DOCUMENT_LAYOUT(count)                                                                     \
    PQTI_VERSION_LAYOUT(pqti_document_calls,                                                       \
                        sizeof(pqt_document) + ((count) + 1) * sizeof(void *),                     \
                        PQTI_REFERENCES(offsetof(pqt_document, schema), (count) + 1))

const pqt_document *
pqti_document_of(pqt_memory *memory, const pqti_schema *schema, const void *const *parts,
                 pqt_error *error)
{
    static pqti_layout layouts[PQT_MAX_PARTS] = {
        DOCUMENT_LAYOUT(1),  DOCUMENT_LAYOUT(2),  DOCUMENT_LAYOUT(3),  DOCUMENT_LAYOUT(4),
        DOCUMENT_LAYOUT(5),  DOCUMENT_LAYOUT(6),  DOCUMENT_LAYOUT(7),  DOCUMENT_LAYOUT(8),
        DOCUMENT_LAYOUT(9),  DOCUMENT_LAYOUT(10), DOCUMENT_LAYOUT(11), DOCUMENT_LAYOUT(12),
        DOCUMENT_LAYOUT(13), DOCUMENT_LAYOUT(14), DOCUMENT_LAYOUT(15), DOCUMENT_LAYOUT(16)};
    pqt_document *document = pqti_alloc_node(memory, &layouts[schema->count - 1]);
    if (document == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    document->memory = memory;
    document->schema = schema;
    document->version.sign = pqti_sign_of_new(memory, PQT_KIND_DOCUMENT);
    memcpy(document->parts, parts, schema->count * sizeof *parts);
    return document;
}

const pqt_document *
pqti_document_next(const pqt_document *document, const void *const *parts, pqt_error *error)
{
    return memcmp(parts, document->parts, document->schema->count * sizeof *parts) == 0
               ? document
               : pqti_document_of(document->memory, document->schema, parts, error);
}

bool
pqti_document_check_input_in(const char *function, const pqt_document *document, pqt_error *error)
{
    PQT_ASSERT_IN(function, document != NULL || pqti_may_be_null(error),
                  "the document is NULL, and the error is not set");
    if (document == NULL)
        return false;
    pqti_assert_document_alive(function, document);
    return true;
}

/* ---- Making ---- */

static bool
is_unique_tree(const pqt_part *part)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    if (part->kind != PQT_KIND_TREE)
        return false;
    pqt_tree_get_options(part->version, &options);
    return options.unique_ids;
}

static bool
is_map_of_ids(const pqt_part *part)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    if (part->kind != PQT_KIND_MAP)
        return false;
    pqt_map_get_options(part->version, &options);
    return options.keys == PQT_MAP_IDS;
}

/* Checks the name and the kind of a part. Returns false and sets `error` if they are invalid. */
static bool
validate_part(const pqt_part *part, size_t index, pqt_error *error)
{
    PQT_ASSERT_IN("pqt_document_make", part->name != NULL && part->version != NULL,
                  "a part has no name or no version");
    if (!pqti_is_valid_name(part->name, PQT_MAX_PART_NAME))
        pqti_error_set(
            error, PQT_ERROR_OPTION, index,
            "part %zu: the name is empty, longer than %d bytes, or has control characters", index,
            PQT_MAX_PART_NAME);
    else if (!pqti_is_part_kind(part->kind))
        pqti_error_set(error, PQT_ERROR_OPTION, index, "%s: kind is %d, not the kind of a part",
                       part->name, (int)part->kind);
    else
        return true;
    return false;
}

/* Checks that no earlier part has the same name, and that this part is in the same memory as the
   others. */
static bool
validate_against_earlier(const pqt_part *parts, size_t index, pqt_error *error)
{
    const pqt_part *part = &parts[index];
    for (size_t i = 0; i < index; i++)
        if (strcmp(parts[i].name, part->name) == 0) {
            pqti_error_set(error, PQT_ERROR_OPTION, index, "%s: two parts have this name",
                           part->name);
            return false;
        }
    if (pqti_memory_of(part->version) == pqti_memory_of(parts[0].version))
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, index,
                   "%s: the %s is not in the memory of the first part", part->name,
                   pqt_kind_name(part->kind));
    return false;
}

/* Checks that a part can be keyed by the tree that it names, and that its keys are ids of that
   tree. */
static bool
validate_keys(const pqt_part *parts, size_t count, size_t index, pqt_error *error)
{
    const pqt_part *part = &parts[index];
    size_t tree = 0;
    pqt_error failure = {0};
    if (part->keyed_by == NULL)
        return true;
    while (tree < count && strcmp(parts[tree].name, part->keyed_by) != 0)
        tree++;
    if (!is_map_of_ids(part) || tree == count || !is_unique_tree(&parts[tree])) {
        pqti_error_set(error, PQT_ERROR_OPTION, index,
                       is_map_of_ids(part) ? "%s: keyed_by names no tree with unique ids"
                                           : "%s: keyed_by is set, but this is not a map of ids",
                       part->name);
        return false;
    }
    if (pqti_check_map_keys(part->name, parts[tree].version, part->version, &failure))
        return true;
    pqti_error_set(error, failure.status, index, "%s", failure.text);
    return false;
}

static bool
validate_parts(const pqt_part *parts, size_t count, pqt_error *error)
{
    if (count == 0 || count > PQT_MAX_PARTS) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "parts: %zu parts, not 1 to %d", count,
                       PQT_MAX_PARTS);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!validate_part(&parts[i], i, error))
            return false;
        pqti_assert_kind("pqt_document_make", parts[i].kind, parts[i].version);
        if (!validate_against_earlier(parts, i, error))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!validate_keys(parts, count, i, error))
            return false;
    return true;
}

/* Sorts pointers to parts by name, with an insertion sort. */
static void
sort_parts(const pqt_part *parts, size_t count, const pqt_part **sorted)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        while (place > 0 && strcmp(sorted[place - 1]->name, parts[i].name) > 0) {
            sorted[place] = sorted[place - 1];
            place--;
        }
        sorted[place] = &parts[i];
    }
}

const pqt_document *
pqt_document_make(const pqt_part *parts, size_t count, pqt_error *error)
{
    const pqt_part *sorted[PQT_MAX_PARTS];
    const void *versions[PQT_MAX_PARTS];
    PQT_ASSERT(parts != NULL || count == 0, "parts is NULL");
    if (!validate_parts(parts, count, error))
        return NULL;
    sort_parts(parts, count, sorted);
    for (size_t i = 0; i < count; i++)
        versions[i] = sorted[i]->version;
    pqt_memory *memory = pqti_memory_of(parts[0].version);
    const pqti_schema *schema = make_schema(memory, sorted, count, error);
    return schema != NULL ? pqti_document_of(memory, schema, versions, error) : NULL;
}

/* ---- Reading ---- */

size_t
pqt_document_count(const pqt_document *document)
{
    PQTI_ASSERT_DOCUMENT(document);
    return document->schema->count;
}

pqt_part
pqt_document_get_part(const pqt_document *document, size_t index)
{
    PQTI_ASSERT_DOCUMENT(document);
    PQT_ASSERT(index < document->schema->count, "the document has no part with this index");
    const uint8_t tree = document->schema->parts[index].keyed_by;
    return (pqt_part){pqti_part_name_at(document, index), pqti_part_kind_at(document, index),
                      document->parts[index],
                      tree == PQTI_NOT_KEYED ? NULL : pqti_part_name_at(document, tree)};
}

bool
pqt_document_find(const pqt_document *document, const char *name, size_t *index)
{
    PQTI_ASSERT_DOCUMENT(document);
    PQT_ASSERT(name != NULL, "the name is NULL");
    size_t low = 0, high = document->schema->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(name, pqti_part_name_at(document, middle));
        if (order == 0) {
            if (index != NULL)
                *index = middle;
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

const void *
pqt_document_part(const pqt_document *document, const char *name, pqt_kind kind)
{
    size_t index = 0;
    PQT_ASSERT(name != NULL, "the name is NULL");
    if (document == NULL || !pqt_document_find(document, name, &index) ||
        pqti_part_kind_at(document, index) != kind)
        return NULL;
    return document->parts[index];
}

pqt_memory *
pqt_document_memory(const pqt_document *document)
{
    PQTI_ASSERT_DOCUMENT(document);
    return document->memory;
}

bool
pqt_document_equals(const pqt_document *a, const pqt_document *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a document is NULL");
    pqti_assert_document_alive(__func__, a);
    pqti_assert_document_alive(__func__, b);
    if (a == b)
        return true;
    if (!pqti_equal_schemas(a->schema, b->schema))
        return false;
    for (size_t i = 0; i < a->schema->count; i++)
        if (!pqti_equals(a->parts[i], b->parts[i]))
            return false;
    return true;
}

/* Mixes a word into both halves of a fingerprint. The result depends on the order of words. */
static void
add_word(pqt_fingerprint *sum, uint64_t word)
{
    sum->low = pqti_hash_combine(sum->low, word, UINT64_C(0xd6e8feb86659fd93));
    sum->high = pqti_hash_combine(sum->high, word, UINT64_C(0xaf251af3b0f025b5));
}

pqt_fingerprint
pqt_document_fingerprint(const pqt_document *document)
{
    PQTI_ASSERT_DOCUMENT(document);
    const pqti_schema *schema = document->schema;
    pqt_fingerprint sum = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x6a09e667f3bcc909)};
    add_word(&sum, schema->count);
    for (size_t i = 0; i < schema->count; i++) {
        const void *version = document->parts[i];
        const pqt_fingerprint part = pqti_calls_of(version)->fingerprint(version);
        add_word(&sum, (uint64_t)schema->parts[i].kind << 8 | schema->parts[i].keyed_by);
        for (const char *name = pqti_part_name_at(document, i); *name != '\0'; name++)
            add_word(&sum, (unsigned char)*name);
        add_word(&sum, part.low);
        add_word(&sum, part.high);
    }
    return (pqt_fingerprint){pqti_hash_mix64(sum.low), pqti_hash_mix64(sum.high)};
}
