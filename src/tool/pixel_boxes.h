/* SPDX-License-Identifier: MIT */
/* pixel_boxes.h - boxes of pixels that are drawn together in a picture. */
#ifndef PIXEL_BOXES_H
#define PIXEL_BOXES_H

#include "tool/picture.h"

/* Boxes on their way into a picture, all moved by `at`. Starts from {.at = ...}. */
typedef struct pixels {
    pqt_item *items;
    size_t count, capacity;
    pqt_vec at;
} pixels;

void pixels_add(pixels *all, pqt_pixel_box box);

/* Draws them, and lets go of them. */
void pixels_draw(pixels *all, picture *drawn, const char *class_name);

/* All of a region. */
void draw_pixels(picture *drawn, const pqt_region *region, pqt_vec at, const char *class_name);

#endif
