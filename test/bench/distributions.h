/* SPDX-License-Identifier: MIT */
/*
 * distributions.h: the distributions of random boxes and their bounds.
 *
 * Three distributions represent the data of real programs. The others are *cliffs*: each makes some
 * index slow. All boxes are drawn in the same units, in [0, WORLD_SIDE] on both axes, and then
 * scaled and shifted to the world of their distribution.
 */
#ifndef BENCH_DISTRIBUTIONS_H
#define BENCH_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/all.h>

/* The side of the world in drawn units. Each distribution scales them to its own units. */
#define WORLD_SIDE 10000.0

typedef enum distribution {
    UNIFORM,    /* x and y are uniform; w and h are uniform up to WORLD_SIDE / sqrt(count) */
    CLUMPED,    /* boxes of the same sizes around 100 centres, Gaussian with a sigma of 50 */
    MIXED,      /* like UNIFORM, but one box in a hundred is up to 1000 wide and high */
    IDENTICAL,  /* all boxes are equal, 10 x 10 */
    THIN,       /* up to 1000 long on one axis, and 1/100 of UNIFORM on the other */
    SORTED,     /* like UNIFORM, but in ascending order of min.x */
    OUTSIDE,    /* like UNIFORM, but all boxes are outside the declared bounds */
    TINY_WORLD, /* like UNIFORM in [5e6, 5e6 + 100], where the step between floats is 0.5 */
    HUGE_WORLD  /* like UNIFORM in [0, 1e300], where areas and squares overflow */
} distribution;

enum { DISTRIBUTIONS = HUGE_WORLD + 1 };

/* Returns its name for --distribution: a capital letter, or a word for a cliff. */
const char *distribution_name(distribution shape);

/* Returns a short description for --help. */
const char *distribution_what(distribution shape);

/* Sets *shape to the distribution with this name, which ends at a comma or at the end of the text.
   Returns false if there is none. */
bool distribution_of(const char *name, distribution *shape);

bool is_cliff(distribution shape);

/* Returns true if every box touches every other one. A search for pairs then measures little but
   its output. */
bool is_pile(distribution shape);

/* Returns the bounds that a program would declare for this distribution. */
pqt_box declared_world(distribution shape);

/* Returns the box [0, WORLD_SIDE] on both axes, in the units of the distribution. */
pqt_box drawn_world(distribution shape);

/* Returns the length of a drawn unit, in world units. */
double unit_of(distribution shape);

/* Map a drawn point or box to the world of the distribution. */
pqt_vec place_point(distribution shape, pqt_vec drawn);
pqt_box place_box(distribution shape, pqt_box drawn);

#endif
