/* SPDX-License-Identifier: MIT */
/* change_document.h: the changes of a document, which are those of its parts. */
#ifndef PQTI_CHANGE_DOCUMENT_H
#define PQTI_CHANGE_DOCUMENT_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* Like pqti_part_write, but sets `reversible` to false if a part is written whole. */
bool pqti_document_write(pqti_byte_buffer *to, const pqt_document *before,
                         const pqt_document *after, bool *written, bool *reversible,
                         pqt_error *error);

/* Sets the kinds of the parts from the document at the start of the path. */
void pqti_document_begin(pqti_changes *changes, const pqt_document *start);

/* Like pqti_part_read and pqti_part_apply, for all parts. */
bool pqti_document_read(pqti_changes *changes, pqti_byte_source *source, bool backwards,
                        pqt_error *error);
const pqt_document *pqti_document_apply(const pqti_changes *changes, const pqt_document *start,
                                        pqt_error *error);

#endif
