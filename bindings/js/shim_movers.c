/* SPDX-License-Identifier: MIT */
/*
 * shim_movers.c: replaces the sources for sweeps of boxes and circles in pqt.wasm.
 *
 * JavaScript sweeps only regions and balls. Together with convexes (shim_windows.c), these sources
 * would take 16 kB of the compressed file.
 */
#include "config.h"

#include <pqt/all.h>

#include "base/placed.h"
#include "collision/toi_position.h"
#include "collision/toi_shapes.h"
#include "never_called.h"

NEVER_CALLED(pqti_box_corners, pqti_corners_of, const pqt_box *box)
NEVER_CALLED(pqti_separation, pqti_separation_of, const pqti_placed *a, const pqti_placed *b)
NEVER_CALLED(double, pqti_exit_of_convex, const pqt_mover *a, const pqt_mover *b)
NEVER_CALLED(pqt_vec, pqti_end_along_side, pqt_vec stop, pqt_vec to, pqt_vec normal)
NEVER_CALLED(pqt_vec, pqti_end_along_tangent, pqt_vec stop, pqt_vec to, pqt_vec normal)
