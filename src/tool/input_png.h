/* SPDX-License-Identifier: MIT */
/* input_png.h: reads the pixels of a PNG picture or of a .pqt file with a region. */
#ifndef INPUT_PNG_H
#define INPUT_PNG_H

#include <pqt.h>
#include <pqt/pixels.h>

/* The pixels of a picture, and the box of the picture. For a .pqt file, this is the smallest box
   that contains its pixels and pixel 0,0. */
typedef struct image {
    const pqt_region *region;
    bool is_pqt;
    pqt_png_head head; /* the head of a PNG picture */
    pqt_pixel_box frame;
} image;

/* Reads a picture; "-" is standard input. The options are not used for a .pqt file. Ends the
   program with an error if the picture cannot be read. */
image image_read(const char *file, const pqt_png_options *options);

#endif
