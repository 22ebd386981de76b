/* SPDX-License-Identifier: MIT */
/*
 * change_part.h: the functions for the changes of each kind, as one row for each.
 *
 * The file of a kind defines its row: change_items.c, change_map.c, change_pixels.c and
 * change_document.c.
 */
#ifndef PQTI_CHANGE_PART_H
#define PQTI_CHANGE_PART_H

#include <stdbool.h>

#include "memory/kind_table.h"
#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* The ways to store the changes of an entry. The numbers are part of the format. */
typedef enum pqti_encoding {
    PQTI_NO_CHANGE = 0,  /* no changes are stored: the entry has a keyframe */
    PQTI_REVERSIBLE = 1, /* the changes lead from either version to the other */
    PQTI_FORWARD = 2     /* the changes lead only from the parent's version to the entry's */
} pqti_encoding;

typedef struct pqti_kind_changes {
    /* Writes the changes from `before` to `after`, and sets the encoding: to PQTI_NO_CHANGE if the
       whole version must be stored instead. Returns false and sets `error` on failure. */
    bool (*write)(pqti_byte_buffer *to, const void *before, const void *after,
                  pqti_encoding *encoding, pqt_error *error);
    /* Reads changes and appends them to those of a part. Returns false on failure: faulty bytes are
       recorded in the source, and other failures in `error`. */
    bool (*read)(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
                 bool backwards, pqt_error *error);
    /* Applies the changes of a part to `start`. Returns NULL and sets `error` on failure. */
    const void *(*apply)(const pqti_changes *changes, const pqti_part_changes *part,
                         const void *start, pqt_error *error);
    /* Begins a path of changes at `start`. NULL: the version is the only part. */
    void (*begin)(pqti_changes *changes, const void *start);
} pqti_kind_changes;

#define PQTI_DECLARE_CHANGES(number, name, elements, section, calls, bytes, changes)               \
    extern const pqti_kind_changes changes;
PQTI_KIND_TABLE(PQTI_DECLARE_CHANGES)

/* Call the functions of the row for a kind. `write` and `read` do so for a kind whose versions are
   always stored whole, too: the first sets PQTI_NO_CHANGE, the second records a fault. */
void pqti_part_begin(pqti_changes *changes, pqt_kind kind, const void *start);
bool pqti_part_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                     pqti_encoding *encoding, pqt_error *error);
bool pqti_part_read(pqti_changes *changes, pqt_kind kind, pqti_part_changes *part,
                    pqti_byte_source *source, bool backwards, pqt_error *error);
const void *pqti_part_apply(const pqti_changes *changes, pqt_kind kind,
                            const pqti_part_changes *part, const void *start, pqt_error *error);

#endif
