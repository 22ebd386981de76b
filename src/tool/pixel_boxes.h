/* SPDX-License-Identifier: MIT */
/* pixel_boxes.h: collects boxes of pixels that are drawn together. */
#ifndef PIXEL_BOXES_H
#define PIXEL_BOXES_H

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/picture.h"

/* Boxes to be drawn, all of which are moved by `at`. Initialise with {.at = ...}. */
typedef struct pixels {
    pqt_item *items;
    size_t count, capacity;
    pqt_vec at;
} pixels;

void pixels_add(pixels *all, pqt_pixel_box box);

/* Draws the boxes and frees them. */
void pixels_draw(pixels *all, picture *drawn, const char *class_name);

/* Draws all pixels of a region. */
void draw_pixels(picture *drawn, const pqt_region *region, pqt_vec at, const char *class_name);

#endif
