/* SPDX-License-Identifier: MIT */
/* document_kind.c: the functions for documents that code for versions of any kind calls. */
#include "config.h"

#include "memory/kind_calls.h"
#include "document/document_internal.h"

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

const pqti_kind_calls pqti_document_calls = {
    .values = {sizeof(pqt_history_kind), "documents", memory_of_document, equal_documents,
               bytes_of_document, NULL, pqti_hold_version},
    .fingerprint = fingerprint_of_document,
    .check = check_document,
    .own_bytes = bytes_of_document,
};
