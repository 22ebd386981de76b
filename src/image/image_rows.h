/* SPDX-License-Identifier: MIT */
/*
 * image_rows.h: makes an image from rows of tiles, from the top down, as a file has them.
 *
 * For each level, only the last two rows of patches are kept, from which the row of the level above
 * is made. So the memory is a few bytes for each column, whatever the height. The patches are in a
 * list, which the collector scans.
 */
#ifndef PQTI_IMAGE_ROWS_H
#define PQTI_IMAGE_ROWS_H

#include "image/image_internal.h"

typedef struct pqti_image_rows {
    pqti_image_frame frame;
    pqti_patch *patches[PQTI_IMAGE_TOP_LEVEL + 1]; /* two rows for each level */
    int32_t next;                                  /* the row of tiles that is added next */
} pqti_image_rows;

/* Begins an image. Returns false when out of memory. */
bool pqti_image_rows_begin(pqti_image_rows *rows, const pqti_image_frame *frame);

/* Adds the next 16 rows of pixels, or the last ones, from rows of RGBA. Returns false when out of
 * memory. */
bool pqti_image_rows_add(pqti_image_rows *rows, const uint8_t *rgba, size_t stride);

/* Returns the root, when all rows were added. */
pqti_patch pqti_image_rows_root(const pqti_image_rows *rows);

#endif
