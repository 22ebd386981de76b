/* SPDX-License-Identifier: MIT */
/* input_png.h - reads a PNG picture as a region. */
#ifndef INPUT_PNG_H
#define INPUT_PNG_H

#include "tool/tool.h"

/* The pixels of a picture, and its box. */
typedef struct image {
    const pqt_region *region;
    pqt_png_head head;
    pqt_pixel_box frame;
} image;

/* Reads a picture; "-" is standard input. Ends the program with an error if it cannot. */
image image_read(const char *file, const pqt_png_options *options);

#endif
