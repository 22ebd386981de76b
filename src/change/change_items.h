/* SPDX-License-Identifier: MIT */
/* change_items.h: the changes of a tree: items inserted, removed and moved. */
#ifndef PQTI_CHANGE_ITEMS_H
#define PQTI_CHANGE_ITEMS_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* Like pqti_part_write and pqti_part_read. */
bool pqti_items_write(pqti_byte_buffer *to, const pqt_tree *before, const pqt_tree *after,
                      bool *written, pqt_error *error);
bool pqti_items_read(pqti_part_changes *part, pqti_byte_source *source, bool backwards,
                     pqt_error *error);

#endif
