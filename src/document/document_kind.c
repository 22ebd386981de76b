/* SPDX-License-Identifier: MIT */
/* document_kind.c: the functions for documents that code for versions of any kind calls. */
#include "config.h"

#include "memory/kind_calls.h"
#include "document/document_internal.h"
#include "tree/history/tree_history.h"

static pqt_memory *
memory_of_document(const void *document, void *context)
{
    (void)context;
    pqti_assert_document_alive(NULL, document);
    return ((const pqt_document *)document)->memory;
}

static bool
equal_documents(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_document_equals(a, b);
}

static bool
bytes_of_document(const void *document, const void *const *others, size_t count, size_t *bytes,
                  void *context)
{
    (void)context;
    return pqt_document_exclusive_bytes(document, (const pqt_document *const *)others, count, bytes,
                                        NULL);
}

static pqt_fingerprint
fingerprint_of_document(const void *document)
{
    return pqt_document_fingerprint(document);
}

static bool
check_document(const void *document, pqt_error *error)
{
    return pqt_document_check(document, error);
}

static uint64_t
count_in_document(const void *document)
{
    return pqt_document_count(document);
}

static bool
copy_documents(const void *const *versions, size_t count, pqt_memory *memory, const void **copies,
               pqt_error *error)
{
    return pqt_document_copy_all((const pqt_document *const *)versions, count, memory,
                                 (const pqt_document **)copies, error);
}

/* Counts the differences in all parts. */
static bool
count_document_diff(const void *before, const void *after, uint64_t *count, pqt_error *error)
{
    const pqt_document *a = before, *b = after;
    if (!pqti_check_schemas(a, b, error))
        return false;
    for (size_t i = 0; i < a->schema->count; i++) {
        pqt_error failure = {0};
        if (pqti_count_diff(a->parts[i], b->parts[i], count, &failure))
            continue;
        pqti_part_failed(error, pqti_part_name_at(a, i), &failure);
        return false;
    }
    return true;
}

static const void *
merge_documents(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    return pqt_document_merge(base, ours, theirs, NULL, error);
}

static size_t
count_parts(const void *document)
{
    return ((const pqt_document *)document)->schema->count;
}

static const pqt_tree *
tree_at(const void *document, size_t position)
{
    return pqti_is_tree(document, position) ? ((const pqt_document *)document)->parts[position]
                                            : NULL;
}

static const char *
name_at(const void *document, size_t position)
{
    return pqti_part_name_at(document, position);
}

static bool
have_equal_schemas(const void *a, const void *b, pqt_error *error)
{
    return pqti_check_schemas(a, b, error);
}

static const pqti_inner_trees trees_of_parts = {count_parts, tree_at, name_at, have_equal_schemas};

const pqti_kind_calls pqti_document_calls = {
    .values = {sizeof(pqt_history_kind), "documents", memory_of_document, equal_documents,
               bytes_of_document, NULL, pqti_hold_version},
    .fingerprint = fingerprint_of_document,
    .check = check_document,
    .count = count_in_document,
    .copy_all = copy_documents,
    .count_diff = count_document_diff,
    .merge = merge_documents,
    .trees = &trees_of_parts,
    .index = &pqti_tree_index_calls,
    .own_bytes = bytes_of_document,
};
