/* SPDX-License-Identifier: MIT */
/* change.c: writes, reads and applies the changes of an entry, for any kind of version. */
#include "config.h"

#include "change/change.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

bool
pqti_change_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                  pqti_encoding *encoding, pqt_error *error)
{
    const bool done = pqti_part_write(to, kind, before, after, encoding, error);
    if (done && to->failed)
        pqti_out_of_memory(error);
    return done && !to->failed;
}

void
pqti_changes_begin(pqti_changes *changes, pqt_kind kind, const void *start, pqt_memory *memory)
{
    *changes = (pqti_changes){.kind = kind, .memory = memory};
    pqti_part_begin(changes, kind, start);
}

bool
pqti_change_read(pqti_changes *changes, pqti_byte_source *source, bool backwards, pqt_error *error)
{
    pqt_error failure = {0};
    const bool done =
        pqti_part_read(changes, changes->kind, &changes->parts[0], source, backwards, &failure);
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
    return pqti_part_apply(changes, changes->kind, &changes->parts[0], start, error);
}
