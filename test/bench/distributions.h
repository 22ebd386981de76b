/* SPDX-License-Identifier: MIT */
/*
 * distributions.h: the distributions of random boxes and their bounds.
 *
 * Three distributions represent the data of hosts. The others are *cliffs*: each makes some index
 * slow. All are drawn in the same units, in [0, WORLD_SIDE] on both axes, and then scaled and
 * shifted to the world of the distribution.
 */
#ifndef BENCH_DISTRIBUTIONS_H
#define BENCH_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

/* In drawn units, which a distribution scales to its own units. */
#define WORLD_SIDE 10000.0

typedef enum distribution {
    UNIFORM,    /* x and y uniform; w and h uniform up to WORLD_SIDE / sqrt(count) */
    CLUMPED,    /* the same sizes around 100 centres, Gaussian with a sigma of 50 */
    MIXED,      /* as UNIFORM, but one box in a hundred is up to 1000 wide and high */
    IDENTICAL,  /* one box of 10 x 10, again and again */
    THIN,       /* up to 1000 long on one axis, and a hundredth of UNIFORM's size on the other */
    SORTED,     /* as UNIFORM, in ascending order of min x */
    OUTSIDE,    /* as UNIFORM, but all are outside the declared bounds */
    TINY_WORLD, /* as UNIFORM in [5e6, 5e6 + 100]: there a float has steps of a half */
    HUGE_WORLD  /* as UNIFORM in [0, 1e300]: there areas and squares overflow */
} distribution;

enum { DISTRIBUTIONS = HUGE_WORLD + 1 };

/* Its name for --distribution: one capital, or the word of a cliff. */
const char *distribution_name(distribution shape);

/* Returns a short description for --help. */
const char *distribution_what(distribution shape);

/* Returns false if no distribution has this name, which ends at a comma or at the end of the
   text. */
bool distribution_of(const char *name, distribution *shape);

bool is_cliff(distribution shape);

/* Returns true if every box touches every other one. Then the time of a search for pairs is that of
   its output. */
bool is_pile(distribution shape);

/* Returns the bounds that a host would declare. */
pqt_box declared_world(distribution shape);

/* Returns the box [0, WORLD_SIDE] on both axes, in the units of the distribution. */
pqt_box drawn_world(distribution shape);

/* Returns the length of a drawn unit. */
double unit_of(distribution shape);

/* Map a drawn point or box to the world of the distribution. */
pqt_vec place_point(distribution shape, pqt_vec drawn);
pqt_box place_box(distribution shape, pqt_box drawn);

#endif
