/* SPDX-License-Identifier: MIT */
/*
 * shim_windows.c: replaces the sources for convex windows, in pqt.wasm and in pqt-trees.wasm.
 *
 * The windows of JavaScript are boxes.
 */
#include "config.h"

#include <pqt/all.h>

#include "never_called.h"

NEVER_CALLED(bool, pqt_convex_is_valid, const pqt_convex *convex)
NEVER_CALLED(pqt_box, pqt_convex_box, const pqt_convex *convex)
NEVER_CALLED(bool, pqt_convex_touches_box, const pqt_convex *convex, pqt_box box)
NEVER_CALLED(bool, pqt_convex_overlaps_box, const pqt_convex *convex, pqt_box box)
NEVER_CALLED(bool, pqt_convex_covers_box, const pqt_convex *convex, pqt_box box)
NEVER_CALLED(bool, pqt_convex_is_inside_box, const pqt_convex *convex, pqt_box box)
