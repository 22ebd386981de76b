/* SPDX-License-Identifier: MIT */
/* piles.h: a benchmark of balls that settle in a bin. */
#ifndef BENCH_PILES_H
#define BENCH_PILES_H

#include "balls.h"

typedef struct pile_limits {
    size_t runs;    /* 1 .. 99 */
    double seconds; /* the processor time that a contestant may spend in a scene */
} pile_limits;

/* Compares contestants in a pile, a mixed pile and a pyramid of about `balls` balls, at the
   restitutions 0 and 0.8, and prints the results. Contestants that are NULL are skipped. */
void compare_piles(const simulator *const *contestants, size_t count, size_t balls,
                   const pile_limits *limits);

#endif
