/* SPDX-License-Identifier: MIT */
/* change_part.c: calls the functions for the changes of each kind. */
#include "config.h"

#include "change/change_part.h"

#include "memory/kind_calls.h"

/* Worlds are always stored whole: a step moves every body. */
const pqti_kind_changes pqti_stored_whole = {.write = NULL};

#define ROW_OF_CHANGES(number, name, elements, section, calls, bytes, changes) [number] = &changes,
static const pqti_kind_changes *const rows[] = {PQTI_KIND_TABLE(ROW_OF_CHANGES)};

static const pqti_kind_changes *
row_of(pqt_kind kind)
{
    return pqti_is_kind(kind) ? rows[kind] : &pqti_stored_whole;
}

void
pqti_part_begin(pqti_changes *changes, pqt_kind kind, const void *start)
{
    if (row_of(kind)->begin != NULL)
        row_of(kind)->begin(changes, start);
    else
        changes->parts[0].kind = kind;
}

bool
pqti_part_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                pqti_encoding *encoding, pqt_error *error)
{
    const pqti_kind_changes *row = row_of(kind);
    *encoding = PQTI_NO_CHANGE;
    return row->write == NULL || row->write(to, before, after, encoding, error);
}

bool
pqti_part_read(pqti_changes *changes, pqt_kind kind, pqti_part_changes *part,
               pqti_byte_source *source, bool backwards, pqt_error *error)
{
    const pqti_kind_changes *row = row_of(kind);
    if (row->read != NULL)
        return row->read(changes, part, source, backwards, error);
    source->failed = true;
    return true;
}

const void *
pqti_part_apply(const pqti_changes *changes, pqt_kind kind, const pqti_part_changes *part,
                const void *start, pqt_error *error)
{
    const pqti_kind_changes *row = row_of(kind);
    return row->apply == NULL ? start : row->apply(changes, part, start, error);
}
