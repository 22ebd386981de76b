/* SPDX-License-Identifier: MIT */
/* geometry_json.h: writes geometries and boxes as GeoJSON. */
#ifndef GEOMETRY_JSON_H
#define GEOMETRY_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <pqt.h>

#include "tool/numbers.h"

/* Writes a geometry in well-known text, which the library has read. Positions keep x, y and Z. On
   the globe, parts with longitudes beyond 180 are written as those on the other side, and lines and
   polygons that cross the antimeridian are cut there. */
void write_geometry_json(FILE *stream, const char *wkt, bool is_globe);

/* The numbers of a box as text: min_x, min_y, max_x, max_y. */
typedef struct box_text {
    const char *numbers[4]; /* not terminated */
    size_t lengths[4];
    digits made[4]; /* the numbers that are not those of a file */
    bool is_point;
} box_text;

/* Writes a box: a point if it is one, and a polygon if not. */
void write_box_json(FILE *stream, const box_text *box);

/* Writes a box on the globe, in two parts if it crosses the antimeridian. */
void write_globe_box_json(FILE *stream, pqt_box box);

/* Writes a box in the same way as well-known text. */
void write_box_wkt(FILE *stream, const box_text *box);

#endif
