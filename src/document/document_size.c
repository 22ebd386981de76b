/* SPDX-License-Identifier: MIT */
/*
 * document_size.c: counts the bytes of documents, and counts each block only once.
 *
 * Parts of two kinds may share blocks: pqt_world_tree returns the tree in a world, and a region may
 * be the obstacle of a world. So a document is divided into pieces, each of which can share blocks
 * only with pieces of its own kind. The pieces of a part are its inner versions and its own blocks.
 * A world has three: its tree, the region of its obstacle, and its other blocks.
 */
#include "config.h"

#include "document/document_internal.h"

#include "base/error_internal.h"

/* The maximum number of pieces in a document. */
enum { MAX_PIECES = (1 + PQTI_MOST_INNER) * PQT_MAX_PARTS };

/* A part without its inner versions, or one of these. */
typedef struct piece {
    pqt_kind kind;
    const void *version;
} piece;

/* Writes the pieces of a document to an array with MAX_PIECES elements. Returns the number of
   pieces. */
static size_t
list_pieces(const pqt_document *document, piece *pieces)
{
    size_t found = 0;
    for (size_t i = 0; i < document->schema->count; i++) {
        const void *part = document->parts[i], *inner[PQTI_MOST_INNER];
        const pqti_kind_calls *calls = pqti_calls_of(part);
        const size_t count = calls->list_inner == NULL ? 0 : calls->list_inner(part, inner);
        pieces[found++] = (piece){pqti_version_kind(part), part};
        for (size_t k = 0; k < count; k++)
            pieces[found++] = (piece){pqti_version_kind(inner[k]), inner[k]};
    }
    return found;
}

/* Appends the pieces of one kind to a list. Returns the new length of the list. */
static size_t
append_kind(const piece *pieces, size_t count, pqt_kind kind, const void **list, size_t listed)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].kind == kind)
            list[listed++] = pieces[i].version;
    return listed;
}

/* Lists the versions whose blocks do not count for the piece at `index`: the earlier pieces of its
   kind, and the pieces of its kind in the other documents. */
static size_t
list_others(const piece *pieces, size_t index, const pqt_document *const *others, size_t count,
            const void **list)
{
    const pqt_kind kind = pieces[index].kind;
    size_t listed = append_kind(pieces, index, kind, list, 0);
    for (size_t i = 0; i < count; i++) {
        piece of_other[MAX_PIECES];
        listed = append_kind(of_other, list_pieces(others[i], of_other), kind, list, listed);
    }
    return listed;
}

static bool
add_piece_bytes(const piece *counted, const void **list, size_t listed, size_t *bytes,
                pqt_error *error)
{
    size_t own = 0;
    for (size_t i = 0; i < listed; i++)
        if (list[i] == counted->version)
            return true;
    if (!pqti_calls_of_kind(counted->kind)->own_bytes(counted->version, list, listed, &own, NULL))
        return pqti_bytes_failed(error);
    *bytes += own;
    return true;
}

/* Returns the size of the version's own block, plus the size of its schema if no other version has
   the same one. */
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

bool
pqt_document_exclusive_bytes(const pqt_document *document, const pqt_document *const *others,
                             size_t count, size_t *bytes, pqt_error *error)
{
    piece pieces[MAX_PIECES];
    PQT_ASSERT(others != NULL || count == 0, "others is NULL");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_document_check_input(document, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "a document of the array is NULL");
        pqti_assert_document_alive(__func__, others[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (others[i] == document) {
            *bytes = 0;
            return true;
        }
    const void **list = count < SIZE_MAX / MAX_PIECES - 1
                            ? pqti_alloc_scratch((count + 1) * MAX_PIECES, sizeof *list)
                            : NULL;
    if (list == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    const size_t found = list_pieces(document, pieces);
    size_t sum = own_bytes(document, others, count);
    bool counted = true;
    for (size_t i = 0; i < found && counted; i++)
        counted = add_piece_bytes(&pieces[i], list, list_others(pieces, i, others, count, list),
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
