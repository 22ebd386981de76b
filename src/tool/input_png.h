/* SPDX-License-Identifier: MIT */
/* input_png.h - a PNG picture that a command was given, as pixels. */
#ifndef INPUT_PNG_H
#define INPUT_PNG_H

#include "tool/tool.h"

/* A picture: its pixels, and the box that it had. */
typedef struct image {
    const pqt_region *region;
    pqt_png_head head;
    pqt_pixel_box frame;
} image;

/* Reads a picture; "-" is standard input. Complains if it cannot. */
image image_read(const char *file, const pqt_png_options *options);

#endif
