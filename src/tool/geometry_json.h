/* SPDX-License-Identifier: MIT */
/* geometry_json.h: writes geometries and boxes as GeoJSON. */
#ifndef GEOMETRY_JSON_H
#define GEOMETRY_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <pqt.h>

/* Writes a geometry in well-known text, which the library has read. Positions keep x, y and Z. */
void write_geometry_json(FILE *stream, const char *wkt);

/* Writes a box: a point if it is one, and a polygon if not. */
void write_box_json(FILE *stream, const pqt_box *box);

/* Writes a box in the same way as well-known text. */
void write_box_wkt(FILE *stream, const pqt_box *box);

#endif
