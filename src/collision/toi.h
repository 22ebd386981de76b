/* SPDX-License-Identifier: MIT */
/*
 * toi.h: the time of impact of two movers.
 *
 * The shapes of both movers are valid and do not overlap at the start. If one of them rests, it is
 * `b`. A resting box at position 0 (see pqti_mover_at_rest) is used as it is, without rounding, so
 * other movers stop exactly at the box of an item.
 */
#ifndef PQTI_TOI_H
#define PQTI_TOI_H

#include "collision/toi_shapes.h"

/* Returns the impact of two movers of any kind that do not overlap at the start (toi.c). A circle
 * that would overlap by less than the measurable error hits only if `strict` is set. */
pqti_toi pqti_toi_of(const pqt_mover *a, const pqt_mover *b, bool strict);

/* Checks the arguments of a public function, named `function`, that sweeps through a version.
 * Returns the complete options for `options`: see pqti_options_require. */
const pqt_sweep_options *pqti_check_sweep(const char *function, const pqt_tree *tree,
                                          const pqt_mover *mover, const pqt_sweep_options *options,
                                          pqt_sweep_options *converted);

#endif
