/* SPDX-License-Identifier: MIT */
/*
 * image_internal.h: functions that make versions of images, and check what they receive.
 *
 * The following sources of this folder have no header of their own: image.c, image_affine.c,
 * image_blit.c, image_build.c, image_check.c, image_copy.c, image_diff.c, image_kind.c,
 * image_merge.c, image_paint.c, image_select.c, image_stats.c, image_xor.c.
 */
#ifndef PQTI_IMAGE_INTERNAL_H
#define PQTI_IMAGE_INTERNAL_H

#include "image/image_node.h"

/* Returns true if a function that was called with `image` may continue. It must not continue if the
 * image is NULL or the error is set. A NULL image without an error is a bug in the caller. */
bool pqti_image_may_go_on_in(const char *function, const pqt_image *image, pqt_error *error);
#define pqti_image_check_input(image, error) pqti_image_may_go_on_in(__func__, image, error)

/* Returns false and sets an error if a side is not in 1..PQT_PIXEL_LIMIT. */
bool pqti_validate_image_size(uint64_t width, uint64_t height, pqt_error *error);

/* Returns false and sets an error if two images differ in size, or in size or memory. */
bool pqti_images_have_one_size(const pqt_image *a, const pqt_image *b, pqt_error *error);
bool pqti_images_match(const pqt_image *a, const pqt_image *b, pqt_error *error);

/* Makes a version. Returns NULL and sets an error when out of memory. */
const pqt_image *pqti_image_new(const pqti_image_frame *frame, const pqti_patch *root,
                                pqt_error *error);

/* Returns the version with this root: `old` if it has it, otherwise a new one. */
const pqt_image *pqti_image_next(const pqt_image *old, const pqti_patch *root, pqt_error *error);

/* Returns the version whose colours are those of `a` xor those of `b`. Both have one size and one
 * memory. Returns NULL and sets an error when out of memory. */
const pqt_image *pqti_image_xor(const pqt_image *a, const pqt_image *b, pqt_error *error);

/* Extends a box to hold a pixel. The box may be inverted, from which it begins. */
static inline void
pqti_pixel_box_add(pqt_pixel_box *box, int32_t x, int32_t y)
{
    box->min.x = box->min.x < x ? box->min.x : x;
    box->min.y = box->min.y < y ? box->min.y : y;
    box->max.x = box->max.x > x + 1 ? box->max.x : x + 1;
    box->max.y = box->max.y > y + 1 ? box->max.y : y + 1;
}

/* Returns the number of pixels in which two versions of one size differ. */
uint64_t pqti_image_count_diff(const pqt_image *before, const pqt_image *after);

#endif
