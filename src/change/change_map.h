/* SPDX-License-Identifier: MIT */
/* change_map.h: the changes of a map: the values before and after for each key whose value
   differs. */
#ifndef PQTI_CHANGE_MAP_H
#define PQTI_CHANGE_MAP_H

#include <stdbool.h>

#include "change/byte_buffer.h"
#include "change/part_changes.h"

/* Like pqti_part_write and pqti_part_read. */
bool pqti_map_entries_write(pqti_byte_buffer *to, const pqt_map *before, const pqt_map *after,
                            bool *written);
bool pqti_map_entries_read(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
                           bool backwards, pqt_error *error);

#endif
