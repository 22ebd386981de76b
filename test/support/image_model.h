/* SPDX-License-Identifier: MIT */
/*
 * image_model.h: models an image as a plain array of colours, and computes the tiles and nodes that
 * the image must have.
 *
 * All functions loop over pixels and share no code with src/image.
 */
#ifndef TEST_IMAGE_MODEL_H
#define TEST_IMAGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/image.h>

typedef struct image_model {
    int32_t width, height;
    pqt_rgba *pixels; /* row by row */
} image_model;

/* The first difference, for the log of the test. */
typedef struct image_why {
    char text[256];
} image_why;

/* Make a model of one colour, or a copy. Free it with image_model_free. */
image_model image_model_make(int32_t width, int32_t height, pqt_rgba colour);
image_model image_model_copy(const image_model *from);
void image_model_free(image_model *model);

/* Return the colour of a pixel, which is 0 outside, and set it, which does nothing outside. */
pqt_rgba image_model_at(const image_model *model, int32_t x, int32_t y);
void image_model_put(image_model *model, int32_t x, int32_t y, pqt_rgba colour);

bool same_rgba(pqt_rgba a, pqt_rgba b);
bool image_model_equals(const image_model *a, const image_model *b);

/* Returns true if `over` is `ink` over `under` by the definition in the header: each channel is the
 * whole number that is nearest to the exact value, which is compared without a division. */
bool is_exact_over(pqt_rgba over, pqt_rgba ink, pqt_rgba under);

/* Draws a colour on a pixel. */
void image_model_ink(image_model *model, int32_t x, int32_t y, pqt_rgba colour, pqt_ink_mode mode);

/* Returns true if an image has exactly these pixels, and the nodes that they determine. */
bool image_matches(const pqt_image *image, const image_model *model, image_why *why);

#endif
