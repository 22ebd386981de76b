/* SPDX-License-Identifier: MIT */
/*
 * globe_picture.h: cuts boxes and great circles for a map of longitudes from -180 to 180.
 *
 * The map is equirectangular: a degree of longitude is as wide as a degree of latitude is high. A
 * box that crosses the antimeridian is drawn in two parts.
 */
#ifndef GLOBE_PICTURE_H
#define GLOBE_PICTURE_H

#include <stddef.h>

#include <pqt.h>

typedef struct globe_parts {
    pqt_box boxes[2];
    size_t count; /* 1 or 2 */
} globe_parts;

/* Cuts a box or a window on the globe, whose sides may be infinite. */
globe_parts globe_cut(pqt_box box);

/* Returns the smallest box on the map around the parts of a box. */
pqt_box globe_extent(pqt_box box);

/* Makes a tree of the parts of items, for a picture. */
const pqt_tree *globe_tree(const pqt_item *items, size_t count, const char *file);

/* Returns a tree of the parts of all items of a tree. */
const pqt_tree *globe_ground(const pqt_tree *tree, const char *file);

/* Returns the nearest point of a box on the globe. */
pqt_vec globe_nearest_point(pqt_vec from, pqt_box box);

/* Draws the shorter great circle from one point to another as a polyline. */
void globe_draw_arc(pqt_svg *svg, pqt_vec from, pqt_vec to, const char *class_name);

#endif
