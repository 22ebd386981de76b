/* SPDX-License-Identifier: MIT */
/*
 * distributions.h: the distributions of random boxes and their bounds.
 *
 * Three kinds stand for what hosts have. The others are cliffs: each is what some index breaks at.
 * All are drawn in the same units, in [0, WORLD_SIDE] on both axes; where the world is another one,
 * it is scaled and shifted afterwards.
 */
#ifndef BENCH_DISTRIBUTIONS_H
#define BENCH_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

/* Drawn units, of which a distribution makes units of its own. */
#define WORLD_SIDE 10000.0

typedef enum distribution {
    UNIFORM,   /* x and y uniform; w and h uniform up to WORLD_SIDE / sqrt(count) */
    CLUMPED,   /* the same sizes around 100 centres, Gaussian with a sigma of 50 */
    MIXED,     /* as UNIFORM, but one box in a hundred is up to 1000 wide and high */
    IDENTICAL, /* one box of 10 x 10, again and again */
    THIN, /* along one axis or the other up to 1000 long, and a hundredth of UNIFORM's size wide */
    SORTED,     /* as UNIFORM, in ascending order of min x */
    OUTSIDE,    /* as UNIFORM, but all are outside the declared bounds */
    TINY_WORLD, /* as UNIFORM in [5e6, 5e6 + 100]: there a float has steps of a half */
    HUGE_WORLD  /* as UNIFORM in [0, 1e300]: there areas and squares are more than doubles hold */
} distribution;

enum { DISTRIBUTIONS = HUGE_WORLD + 1 };

/* What --distribution calls it: one capital, or the word of a cliff. */
const char *distribution_name(distribution shape);

/* A short description for --help. */
const char *distribution_what(distribution shape);

/* False: no distribution has that name, which ends at a comma or at the end of the text. */
bool distribution_of(const char *name, distribution *shape);

bool is_cliff(distribution shape);

/* Whether every box touches every other one: then only the answer makes a search for pairs long. */
bool is_pile(distribution shape);

/* The world that a host would declare. */
pqt_box declared_world(distribution shape);

/* Where the boxes lie: [0, WORLD_SIDE] in its own units. */
pqt_box drawn_world(distribution shape);

/* How long a drawn unit is. */
double unit_of(distribution shape);

/* Brings what was drawn to where it belongs. */
pqt_vec place_point(distribution shape, pqt_vec drawn);
pqt_box place_box(distribution shape, pqt_box drawn);

#endif
