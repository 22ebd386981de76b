/* SPDX-License-Identifier: MIT */
/*
 * toi.h - two movers on their way, and when they meet.
 *
 * A course is what a sweep is made of: a pair of movers whose valid shapes do not overlap at the
 * start. Where one of them stands still, its shape is brought to its place beforehand (its place
 * becomes 0), so that the box of an item is exact; and `a` is then the one that moves.
 */
#ifndef PQTI_TOI_H
#define PQTI_TOI_H

#include "collision/toi_shapes.h"

/* The impact of two movers of any kind that do not overlap at the start (toi.c). A circle that
 * dips by less than can be measured hits only if `strict`. */
pqti_toi pqti_toi_of(const pqt_mover *a, const pqt_mover *b, bool strict);

/* What a sweep through a version must be given; else the caller of the public `function` has made a
   mistake. */
void pqti_assert_sweep(const char *function, const pqt_tree *tree, const pqt_mover *mover,
                       const pqt_sweep_options *options);

#endif
