/* SPDX-License-Identifier: MIT */
/*
 * change.h: the changes of an entry: from the version of its parent to its own, as bytes.
 *
 * docs/format.md specifies the bytes. Reversible changes lead from either version to the other. The
 * changes on a path are collected, and one batch changes each part of the versions: a path of a
 * thousand edits costs one call of pqt_tree_apply.
 *
 * A *keyframe* is a version that is stored whole. The cost of changes is the sum of their bytes and
 * of PQTI_CHANGE_COST for each.
 */
#ifndef PQTI_CHANGE_H
#define PQTI_CHANGE_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* How the changes of an entry are stored. The numbers are part of the format. */
typedef enum pqti_encoding {
    PQTI_NO_CHANGE = 0,  /* there are none: the entry has a keyframe */
    PQTI_REVERSIBLE = 1, /* they lead forwards and backwards */
    PQTI_FORWARD = 2     /* they lead from the parent's version only */
} pqti_encoding;

enum {
    PQTI_CHANGE_COST = 64,      /* the cost of reading a change, in bytes */
    PQTI_KEYFRAME_LEAST = 65536 /* changes of fewer bytes need no keyframe */
};

/* Returns true if the cost of the changes since a keyframe exceeds the bytes of the keyframe times
   a factor. */
static inline bool
pqti_needs_keyframe(uint64_t cost, uint64_t keyframe_bytes, double ratio)
{
    const uint64_t size =
        keyframe_bytes > PQTI_KEYFRAME_LEAST ? keyframe_bytes : PQTI_KEYFRAME_LEAST;
    return (double)cost > (double)size * ratio;
}

/* Writes the changes from `before` to `after`. If it needs a keyframe, the encoding is
   PQTI_NO_CHANGE. Returns false and sets `error` on failure. */
bool pqti_change_write(pqti_byte_buffer *to, pqt_bytes_kind kind, const void *before,
                       const void *after, pqti_encoding *encoding, pqt_error *error);

/* Begins a path from the version `start`. Free it in any case, with pqti_changes_free. */
void pqti_changes_begin(pqti_changes *changes, pqt_bytes_kind kind, const void *start,
                        pqt_memory *memory);

/* Appends changes to a path. Returns false and sets `error` on failure: PQT_ERROR_FORMAT if the
   bytes are not such changes. */
bool pqti_change_read(pqti_changes *changes, pqti_byte_source *source, bool backwards,
                      pqt_error *error);

/* Applies a path of changes. Returns NULL and sets `error` on failure. */
const void *pqti_changes_apply(const pqti_changes *changes, const void *start, pqt_error *error);

#endif
