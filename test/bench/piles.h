/* SPDX-License-Identifier: MIT */
/* piles.h: a benchmark of balls that settle in a bin. */
#ifndef BENCH_PILES_H
#define BENCH_PILES_H

#include "balls.h"

/* Compares contestants in a pile, a mixed pile and a pyramid of about `balls` balls, at
   restitutions of 0 and 0.8, and prints the results. Contestants that are NULL are skipped. `runs`
   is 1 .. 99. */
void compare_piles(const simulator *const *contestants, size_t count, size_t balls, size_t runs);

#endif
