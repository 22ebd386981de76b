/* SPDX-License-Identifier: MIT */
/*
 * wkt.h: reads the boxes of geometries in well-known text (OGC 06-103r4), such as POINT (1 2).
 *
 * A geometry has positions of two to four numbers, of which the first two count: x and y. Its box
 * is the smallest that contains them all. This is also the box of the geometry, since all of its
 * lines are straight: the kinds of curves are refused.
 */
#ifndef PQTI_WKT_H
#define PQTI_WKT_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/box.h>

/* The box of a geometry, or what is wrong with the text. */
typedef struct pqti_wkt {
    pqt_box box;
    bool is_box;       /* the geometry is a point, or the rectangle around its box as a polygon, and
                         has two numbers in each position: its box says all about it */
    const char *fault; /* what is wrong, or NULL */
    size_t at;         /* the place of the fault */
} pqti_wkt;

/* Reads a geometry. */
pqti_wkt pqti_wkt_read(const char *text, size_t length);

/* The longest text that pqti_wkt_write writes, with a zero byte. */
enum { PQTI_WKT_LONGEST = 320 };

/* Writes a box, as a point if it is one, and as a polygon if not. Returns the number of bytes. */
size_t pqti_wkt_write(const pqt_box *box, char text[PQTI_WKT_LONGEST]);

#endif
