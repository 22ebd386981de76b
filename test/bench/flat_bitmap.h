/* SPDX-License-Identifier: MIT */
/*
 * flat_bitmap.h: a straightforward bitmap of rows of 64-bit words, which is changed in place.
 *
 * To keep a version, the whole bitmap must be copied.
 */
#ifndef BENCH_FLAT_BITMAP_H
#define BENCH_FLAT_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct flat {
    int width, height;
    size_t words; /* the number of words in a row */
    uint64_t *rows;
} flat;

/* The operations on two bitmaps. The second operand is moved by an offset and clipped at the edges
 * of the first one. */
typedef enum flat_operation { FLAT_UNION, FLAT_INTERSECTION, FLAT_DIFFERENCE } flat_operation;

/* These functions end the program if out of memory. */
flat flat_make(int width, int height);
/* Sets the pixels whose alpha is above 127. */
flat flat_of_alpha(const uint8_t *rgba, int width, int height);
flat flat_copy(const flat *from);
void flat_free(flat *map);

void flat_toggle(flat *map, int x, int y);
void flat_join(flat *map, const flat *other, int dx, int dy, flat_operation operation);
uint64_t flat_count(const flat *map);

#endif
