/* SPDX-License-Identifier: MIT */
/*
 * svg_path.h: writes many shapes as one SVG path element, in few bytes.
 *
 * Coordinates are integers, in hundredths of a picture unit. So each coordinate is rounded once,
 * and boxes that share an edge share it in the picture too. The first shape opens the element, so a
 * path without shapes writes nothing.
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
    const char *more; /* further classes, each after a space */
    bool is_open;     /* the element was begun */
    int32_t x, y;     /* the current point */
    size_t shapes;
} pqti_svg_path;

/* Rounds picture units, |units| < 1e6, to hundredths. */
int32_t pqti_hundredths(double units);

/* Writes hundredths as the shortest decimal number. */
void pqti_write_hundredths(FILE *stream, int32_t hundredths);

void pqti_svg_path_line(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
void pqti_svg_path_box(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y);

/* Skips a dot at the current point, which an equal dot has drawn. */
void pqti_svg_path_dot(pqti_svg_path *path, int32_t x, int32_t y);

/* Closes the element if it is open. */
void pqti_svg_path_close(pqti_svg_path *path);

#endif
