/* SPDX-License-Identifier: MIT */
/* cellpath.h - the name of a cell: one step on from another, and the box that it stands for. */
#ifndef PQTI_CELLPATH_H
#define PQTI_CELLPATH_H

#include <pqt/diff.h>

#include "tree/node.h"

/* The way one step on. */
pqt_way pqti_way_into(pqt_way way, int part);

/* The cell that a way leads to; of a bucket, the one whose bucket it is. */
pqt_box pqti_way_box(const pqti_space *space, pqt_way way);

#endif
