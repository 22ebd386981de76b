/* SPDX-License-Identifier: MIT */
/*
 * svg_path.h - many shapes in one SVG path, in few bytes.
 *
 * Coordinates are whole hundredths of a picture unit, so rounding happens once and neighbours that
 * share an edge still do so on the picture. The element is opened by the first shape: a pen that
 * drew nothing writes nothing.
 *
 * Sources of this folder without a header of their own: png_read.c, png_write.c.
 */
#ifndef PQTI_SVG_PATH_H
#define PQTI_SVG_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct pqti_svg_path {
    FILE *stream;
    const char *class_name;
    const char *more; /* further classes, each with a space before it */
    bool on_paper;    /* the element is open */
    int32_t x, y;     /* where the path stands */
    size_t shapes;
} pqti_svg_path;

/* Rounds picture units, |units| < 1e6, to hundredths. */
int32_t pqti_hundredths(double units);

/* Writes hundredths as the shortest decimal. */
void pqti_write_hundredths(FILE *stream, int32_t hundredths);

void pqti_svg_path_line(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
void pqti_svg_path_box(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
void pqti_svg_path_dot(pqti_svg_path *path, int32_t x,
                       int32_t y);            /* passed over where the last dot was */
void pqti_svg_path_lift(pqti_svg_path *path); /* closes the element */

#endif
