/* SPDX-License-Identifier: MIT */
/* demo_picture.h - the demo's picture. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include <stdio.h>

#include <pqt.h>

/* What the picture is of. */
typedef struct map_content {
    const pqt_tree *cities, *countries;
    size_t versions; /* that were kept in all */
} map_content;

/* Writes the picture; whether that worked is the stream's to say. */
void map_draw(FILE *stream, const map_content *content);

#endif
