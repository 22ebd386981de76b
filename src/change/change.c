/* SPDX-License-Identifier: MIT */
/* change.c: writes, reads and applies the changes of an entry, for any kind of version. */
#include "config.h"

#include "change/change.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "change/change_document.h"
#include "change/change_part.h"

bool
pqti_change_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                  pqti_encoding *encoding, pqt_error *error)
{
    bool written = true, reversible = true;
    const bool done = kind == PQT_KIND_DOCUMENT
                          ? pqti_document_write(to, before, after, &written, &reversible, error)
                          : pqti_part_write(to, kind, before, after, &written, error);
    *encoding = !written ? PQTI_NO_CHANGE : reversible ? PQTI_REVERSIBLE : PQTI_FORWARD;
    if (done && to->failed)
        pqti_out_of_memory(error);
    return done && !to->failed;
}

void
pqti_changes_begin(pqti_changes *changes, pqt_kind kind, const void *start, pqt_memory *memory)
{
    *changes = (pqti_changes){.kind = kind, .memory = memory};
    if (kind == PQT_KIND_DOCUMENT)
        pqti_document_begin(changes, start);
    else
        changes->parts[0].kind = kind;
}

bool
pqti_change_read(pqti_changes *changes, pqti_byte_source *source, bool backwards, pqt_error *error)
{
    pqt_error failure = {0};
    bool done = true;
    if (changes->kind == PQT_KIND_DOCUMENT) {
        done = pqti_document_read(changes, source, backwards, &failure);
    } else {
        done = pqti_part_read(changes, &changes->parts[0], source, backwards, &failure);
    }
    if (done && !source->failed && source->next == source->length)
        return true;
    if (done || failure.status == PQT_ERROR_FORMAT)
        pqti_error_set(error, PQT_ERROR_FORMAT, source->next, "the change is damaged");
    else
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

const void *
pqti_changes_apply(const pqti_changes *changes, const void *start, pqt_error *error)
{
    return changes->kind == PQT_KIND_DOCUMENT
               ? (const void *)pqti_document_apply(changes, start, error)
               : pqti_part_apply(&changes->parts[0], start, error);
}
