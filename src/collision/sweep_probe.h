/* SPDX-License-Identifier: MIT */
/* sweep_probe.h - what of one version lies where a mover is: at its start, or at a stop. */
#ifndef PQTI_SWEEP_PROBE_H
#define PQTI_SWEEP_PROBE_H

#include <stdbool.h>

#include <pqt/sweep.h>

/* A box that stands still. */
pqt_mover pqti_mover_of_box(const pqt_box *box);

/* Whether a mover overlaps one that stands still before it moves. */
bool pqti_starts_in(const pqt_mover *mover, const pqt_mover *item);

/* More than what places on a way within a window are rounded by. */
double pqti_sweep_margin(const pqt_box *window);

/* Whether there is something at a place that touches the mover, or else overlaps it; and what,
   first in tree order. */
bool pqti_sweep_finds(const pqt_tree *tree, const pqt_mover *mover,
                      const pqt_sweep_options *options, pqt_vec position, bool touches,
                      pqt_item *found);

/* Whether nothing overlaps the mover at a place. */
bool pqti_sweep_is_free(const pqt_tree *tree, const pqt_mover *mover,
                        const pqt_sweep_options *options, pqt_vec position);

/* The sweep of a mover that starts within something, by the deepest of it. */
pqt_sweep pqti_sweep_within(const pqt_tree *tree, const pqt_mover *mover,
                            const pqt_sweep_options *options);

#endif
