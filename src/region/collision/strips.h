/* SPDX-License-Identifier: MIT */
/* strips.h: the rows that two tiles have in common. */
#ifndef PQTI_STRIPS_H
#define PQTI_STRIPS_H

#include <stdbool.h>
#include <stdint.h>

/* The rows of two tiles in a box, from its first row on. A row is shifted to begin at the left side
 * of the box. Beyond the right side, at least one of the tiles has no pixel. */
typedef struct pqti_strips {
    const uint64_t *a, *b;
    int shift_a, shift_b;
    int count; /* number of rows */
} pqti_strips;

/* Returns the pixels that row `y` of the box has in both tiles. */
static inline uint64_t
pqti_strips_row(const pqti_strips *strips, int y)
{
    return (strips->a[y] >> strips->shift_a) & (strips->b[y] >> strips->shift_b);
}

/* Returns true if any pixel is in both tiles. */
static inline bool
pqti_strips_overlap(const pqti_strips *strips)
{
    int y = 0;
    for (; y + 4 <= strips->count; y += 4)
        if ((pqti_strips_row(strips, y) | pqti_strips_row(strips, y + 1) |
             pqti_strips_row(strips, y + 2) | pqti_strips_row(strips, y + 3)) != 0)
            return true;
    for (; y < strips->count; y++)
        if (pqti_strips_row(strips, y) != 0)
            return true;
    return false;
}

/* Returns the number of pixels that are in both tiles. */
uint64_t pqti_strips_count(const pqti_strips *strips);

#endif
