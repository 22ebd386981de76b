/* SPDX-License-Identifier: MIT */
/*
 * change.h: writes the changes of an entry, from its parent's version to its own, as bytes, and
 * reads and applies them.
 *
 * docs/format.md specifies the bytes. Reversible changes can be applied in both directions, from
 * either version to the other. The changes on a path are collected, and one batch applies them to
 * each part of a version: for a path of a thousand edits of a tree, pqt_tree_apply is called once.
 *
 * A *keyframe* is a version that is stored whole. The cost of changes is the sum of their bytes
 * plus PQTI_CHANGE_COST for each change.
 */
#ifndef PQTI_CHANGE_H
#define PQTI_CHANGE_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/change_part.h"

enum {
    PQTI_CHANGE_COST = 64,      /* the fixed cost of reading a change, expressed in bytes */
    PQTI_KEYFRAME_LEAST = 65536 /* a smaller keyframe counts as one of this many bytes: see
                                   pqti_needs_keyframe */
};

/* Returns true if the cost of the changes since a keyframe exceeds a limit: the size of the
   keyframe, but at least PQTI_KEYFRAME_LEAST, times a ratio. */
static inline bool
pqti_needs_keyframe(uint64_t cost, uint64_t keyframe_bytes, double ratio)
{
    const uint64_t size =
        keyframe_bytes > PQTI_KEYFRAME_LEAST ? keyframe_bytes : PQTI_KEYFRAME_LEAST;
    return (double)cost > (double)size * ratio;
}

/* Writes the changes from `before` to `after`. Sets the encoding to PQTI_NO_CHANGE if a keyframe
   must be written instead. Returns false and sets `error` on failure. */
bool pqti_change_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                       pqti_encoding *encoding, pqt_error *error);

/* Begins a path of changes at the version `start`. The caller must free it with pqti_changes_free,
   even after a failure. */
void pqti_changes_begin(pqti_changes *changes, pqt_kind kind, const void *start,
                        pqt_memory *memory);

/* Reads changes and appends them to a path. Returns false and sets `error` on failure:
   PQT_ERROR_FORMAT if the bytes are not changes of this kind. */
bool pqti_change_read(pqti_changes *changes, pqti_byte_source *source, bool backwards,
                      pqt_error *error);

/* Applies all changes on a path to `start` and returns the result. Returns NULL and sets `error` on
   failure. */
const void *pqti_changes_apply(const pqti_changes *changes, const void *start, pqt_error *error);

#endif
