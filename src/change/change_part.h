/* SPDX-License-Identifier: MIT */
/* change_part.h: the changes of one part: written, read and applied. */
#ifndef PQTI_CHANGE_PART_H
#define PQTI_CHANGE_PART_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* Writes the changes from `before` to `after`. Sets `written` to false if the whole version must be
   stored. Returns false and sets `error` on failure. */
bool pqti_part_write(pqti_byte_buffer *to, pqt_bytes_kind kind, const void *before,
                     const void *after, bool *written, pqt_error *error);

/* Reads changes and appends them to the changes of a part. Faulty bytes are reported in the source,
   other failures in `error`, and the result is false. */
bool pqti_part_read(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
                    bool backwards, pqt_error *error);

/* Applies the changes of a part. Returns NULL and sets `error` on failure. */
const void *pqti_part_apply(const pqti_part_changes *part, const void *start, pqt_error *error);

#endif
