/* SPDX-License-Identifier: MIT */
/* sweep_probe.h: finds the items that a mover overlaps or touches, at its start or at a stop. */
#ifndef PQTI_SWEEP_PROBE_H
#define PQTI_SWEEP_PROBE_H

#include <stdbool.h>

#include <pqt/sweep.h>

/* Returns a resting mover with this box. */
pqt_mover pqti_mover_of_box(const pqt_box *box);

/* Returns true if a mover, at its start, overlaps a resting one. */
bool pqti_starts_in(const pqt_mover *mover, const pqt_mover *item);

/* Returns an upper bound on the rounding error of positions on a motion within a window. */
double pqti_sweep_margin(const pqt_box *window);

/* Finds the first item in tree order that the mover touches at `position`, or overlaps there if
 * `touches` is false. Returns false if there is none. */
bool pqti_sweep_finds(const pqt_tree *tree, const pqt_mover *mover,
                      const pqt_sweep_options *options, pqt_vec position, bool touches,
                      pqt_item *found);

/* Returns true if the mover overlaps no item at `position`. */
bool pqti_sweep_is_free(const pqt_tree *tree, const pqt_mover *mover,
                        const pqt_sweep_options *options, pqt_vec position);

/* Returns the sweep of a mover that overlaps items at its start. The deepest overlap determines the
 * result. */
pqt_sweep pqti_sweep_within(const pqt_tree *tree, const pqt_mover *mover,
                            const pqt_sweep_options *options);

#endif
