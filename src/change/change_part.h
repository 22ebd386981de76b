/* SPDX-License-Identifier: MIT */
/* change_part.h: writes, reads and applies the changes of one part. */
#ifndef PQTI_CHANGE_PART_H
#define PQTI_CHANGE_PART_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* Writes the changes from `before` to `after`. Sets `written` to false if the whole version must be
   stored instead. Returns false and sets `error` on failure. */
bool pqti_part_write(pqti_byte_buffer *to, pqt_kind kind, const void *before, const void *after,
                     bool *written, pqt_error *error);

/* Reads changes and appends them to the changes of a part. Returns false on failure: faulty bytes
   are recorded in the source, and other failures in `error`. */
bool pqti_part_read(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
                    bool backwards, pqt_error *error);

/* Applies the changes of a part to `start`. Returns NULL and sets `error` on failure. */
const void *pqti_part_apply(const pqti_part_changes *part, const void *start, pqt_error *error);

#endif
