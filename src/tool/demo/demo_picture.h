/* SPDX-License-Identifier: MIT */
/* demo_picture.h: draws the map of the demo. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include <stdio.h>

#include <pqt.h>

/* The contents of the map. */
typedef struct map_content {
    const pqt_tree *cities, *countries;
    size_t versions; /* the number of kept versions */
} map_content;

/* Writes the map to a stream. The caller checks the stream for errors. */
void demo_draw_map(FILE *stream, const map_content *content);

#endif
