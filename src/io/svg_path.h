/* SPDX-License-Identifier: MIT */
/*
 * svg_path.h: writes many shapes as one SVG path element, in few bytes.
 *
 * Coordinates are integers, in hundredths of a picture unit. So each coordinate is rounded only
 * once, and boxes that share an edge also share it in the picture. The first shape opens the
 * element, so nothing is written for a path without shapes.
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
    const char *more; /* additional classes, each preceded by a space */
    bool is_open;     /* the element has been opened */
    int32_t x, y;     /* the current point */
    size_t shapes;
} pqti_svg_path;

/* Rounds a length in picture units to hundredths. Its absolute value must be below 1e6. */
int32_t pqti_hundredths(double units);

/* Writes a length in hundredths as the shortest decimal number. */
void pqti_write_hundredths(FILE *stream, int32_t hundredths);

void pqti_svg_path_line(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
void pqti_svg_path_box(pqti_svg_path *path, int32_t x, int32_t y, int32_t to_x, int32_t to_y);

/* Draws a dot, unless an equal dot was just drawn at the current point. */
void pqti_svg_path_dot(pqti_svg_path *path, int32_t x, int32_t y);

/* Closes the element if it is open. */
void pqti_svg_path_close(pqti_svg_path *path);

/* Closes the element, which must be open, and gives it a title. */
void pqti_svg_path_close_with_title(pqti_svg_path *path, const char *title);

#endif
