/* SPDX-License-Identifier: MIT */
/*
 * flat_bitmap.h: a bitmap as anyone would write it: rows of 64-bit words, changed in place.
 *
 * A version of it is a whole copy.
 */
#ifndef BENCH_FLAT_BITMAP_H
#define BENCH_FLAT_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct flat {
    int width, height;
    size_t words; /* of a row */
    uint64_t *rows;
} flat;

/* What is joined is read at an offset, and cut off at the edges of what it is joined with. */
typedef enum flat_operation { FLAT_UNION, FLAT_INTERSECTION, FLAT_DIFFERENCE } flat_operation;

/* All of these end the program where there is no memory. */
flat flat_make(int width, int height);
flat flat_of_alpha(const uint8_t *rgba, int width, int height); /* those above 127 */
flat flat_copy(const flat *from);
void flat_free(flat *map);

void flat_toggle(flat *map, int x, int y);
void flat_join(flat *map, const flat *other, int dx, int dy, flat_operation operation);
uint64_t flat_count(const flat *map);

#endif
