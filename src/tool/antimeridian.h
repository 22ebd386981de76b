/* SPDX-License-Identifier: MIT */
/*
 * antimeridian.h: cuts lines and polygons at the antimeridian, as GeoJSON wants them (RFC 7946,
 * section 3.1.9).
 *
 * Longitudes continue beyond 180, so that a geometry that crosses the antimeridian is in one piece.
 * The meridians 180, 540, -180 and so on divide it, and each part gets longitudes from -180 to 180.
 */
#ifndef ANTIMERIDIAN_H
#define ANTIMERIDIAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct position {
    double x, y, z; /* z is 0 if there is none */
} position;

/* A line, or a ring of a polygon without its last position, which is the first one again. */
typedef struct polyline {
    size_t first, count;
    bool is_hole; /* it belongs to the polygon before it */
} polyline;

typedef struct paths {
    position *at; /* the positions of all paths, one after the other */
    size_t positions, positions_capacity;
    polyline *all;
    size_t count, capacity;
} paths;

/* Begins a path without positions. */
void paths_begin(paths *to, bool is_hole);

/* Adds a position to the last path. */
void paths_add(paths *to, position added);

void paths_free(paths *of);

/* Returns the parts of lines, from west to east. */
paths cut_lines(const paths *lines);

/* Returns the parts of a valid polygon, from west to east. Edges that the cuts add run along the
   antimeridian. */
paths cut_polygon(const paths *rings);

#endif
