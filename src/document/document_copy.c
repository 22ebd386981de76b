/* SPDX-License-Identifier: MIT */
/*
 * document_copy.c: copies documents into another memory. Blocks that the documents share stay
 * shared.
 *
 * For each kind, one call to that kind's copy_all copies the parts of all documents, so that blocks
 * are shared between parts and between documents. All copies are in a list in the new memory, where
 * the collector finds them. A table maps each document and schema to its copy.
 */
#include "config.h"

#include "document/document_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/block_table.h"

/* A copy of several documents. Slot i * PQT_MAX_PARTS + k is for part k of document i. */
typedef struct document_copier {
    const pqt_document *const *documents;
    size_t count;
    pqt_memory *memory;
    const void **copies; /* a list that has one slot for each part and then one for each document */
    const void **parts;  /* in scratch memory: the parts of one kind */
    const void **done;   /* a list of the copies of these parts */
    pqti_hashtable made; /* maps each document and schema to its copy */
} document_copier;

/* Returns true if the document must be copied and has a part of the given kind. */
static bool
is_of_kind(const document_copier *c, size_t document, size_t part, pqt_kind kind)
{
    const pqt_document *from = c->documents[document];
    return from->memory != c->memory && part < from->schema->count &&
           pqti_part_kind_at(from, part) == kind;
}

static bool
copy_kind(document_copier *c, pqt_kind kind, pqt_error *error)
{
    size_t found = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < PQT_MAX_PARTS; k++)
            if (is_of_kind(c, i, k, kind))
                c->parts[found++] = c->documents[i]->parts[k];
    if (found == 0)
        return true;
    if (!pqti_calls_of_kind(kind)->copy_all(c->parts, found, c->memory, c->done, error))
        return false;
    found = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < PQT_MAX_PARTS; k++)
            if (is_of_kind(c, i, k, kind))
                c->copies[i * PQT_MAX_PARTS + k] = c->done[found++];
    return true;
}

/* Returns the copy of a schema. Documents that share a schema share its copy. */
static const pqti_schema *
copy_schema(document_copier *c, const pqti_schema *schema)
{
    const pqti_schema *known = pqti_hashtable_of_block(&c->made, schema);
    if (known != NULL)
        return known;
    pqti_schema *copy = pqti_alloc_leaf(c->memory, pqti_rounded(schema->size));
    if (copy == NULL)
        return NULL;
    memcpy(copy, schema, schema->size);
    return pqti_hashtable_add_block(&c->made, schema, copy) ? copy : NULL;
}

/* Makes the copy of a document from the copies of its parts. If the document is already in the
   memory, returns the document itself. Returns NULL and sets `error` on failure. */
static const pqt_document *
copy_of_document(document_copier *c, size_t index, pqt_error *error)
{
    const pqt_document *document = c->documents[index];
    if (document->memory == c->memory)
        return document;
    const pqt_document *copy = pqti_hashtable_of_block(&c->made, document);
    if (copy != NULL)
        return copy;
    const pqti_schema *schema = copy_schema(c, document->schema);
    if (schema != NULL)
        copy = pqti_document_of(c->memory, schema, c->copies + index * PQT_MAX_PARTS, error);
    if (copy != NULL && pqti_hashtable_add_block(&c->made, document, copy))
        return copy;
    pqti_out_of_memory(error);
    return NULL;
}

static bool
copy_documents(document_copier *c, pqt_error *error)
{
    for (pqt_kind kind = PQT_KIND_NONE + 1; pqti_is_kind(kind); kind++)
        if (pqti_is_part_kind(kind) && !copy_kind(c, kind, error))
            return false;
    for (size_t i = 0; i < c->count; i++) {
        const pqt_document *copy = copy_of_document(c, i, error);
        if (copy == NULL)
            return false;
        c->copies[c->count * PQT_MAX_PARTS + i] = copy;
    }
    return true;
}

/* Allocates the lists. Their last words stay free, since the collector does not scan them. */
static bool
prepare_copier(document_copier *c)
{
    if (c->count > SIZE_MAX / (4 * PQT_MAX_PARTS * sizeof(void *)))
        return false;
    const size_t parts = c->count * PQT_MAX_PARTS;
    c->copies = pqti_alloc_list(c->memory, pqti_rounded((parts + c->count + 1) * sizeof(void *)));
    c->done = pqti_alloc_list(c->memory, pqti_rounded((parts + 1) * sizeof(void *)));
    c->parts = pqti_alloc_scratch(parts + 1, sizeof *c->parts);
    return c->copies != NULL && c->done != NULL && c->parts != NULL &&
           pqti_hashtable_make(&c->made);
}

bool
pqt_document_copy_all(const pqt_document *const *documents, size_t count, pqt_memory *memory,
                      const pqt_document **copies, pqt_error *error)
{
    PQT_ASSERT((documents != NULL && copies != NULL) || count == 0, "an array is NULL");
    document_copier c = {.documents = documents, .count = count};
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(documents[i] != NULL, "a document of the array is NULL");
        pqti_assert_document_alive(__func__, documents[i]);
    }
    c.memory = pqti_memory_or_default(memory, error);
    if (c.memory == NULL)
        return false;
    bool copied = false;
    if (prepare_copier(&c))
        copied = copy_documents(&c, error);
    else
        pqti_out_of_memory(error);
    if (copied && count > 0)
        memcpy(copies, c.copies + count * PQT_MAX_PARTS, count * sizeof *copies);
    pqti_free_scratch(c.parts);
    pqti_hashtable_free(&c.made);
    return copied;
}

const pqt_document *
pqt_document_copy(const pqt_document *document, pqt_memory *memory, pqt_error *error)
{
    const pqt_document *copy = NULL;
    if (!pqti_document_check_input(document, error))
        return NULL;
    return pqt_document_copy_all(&document, 1, memory, &copy, error) ? copy : NULL;
}
