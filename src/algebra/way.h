/* SPDX-License-Identifier: MIT */
/* way.h - the name of a cell, and the steps that it stands for. */
#ifndef PQTI_WAY_H
#define PQTI_WAY_H

#include <pqt/diff.h>

#include "tree/node.h"

/* A step down: at this place, into this part. */
typedef struct pqti_step {
    pqti_place place;
    int part;
} pqti_step;

/* The steps of a way, the first one first; returns how many, or -1 if a way leads nowhere. */
int pqti_way_steps(const pqti_space *space, pqt_way way, pqti_step steps[PQTI_MOST_DEPTH]);

/* The way one step on. */
pqt_way pqti_way_into(pqt_way way, int part);

/* The cell that a way leads to; of a bucket, the one whose bucket it is. */
pqt_box pqti_way_box(const pqti_space *space, pqt_way way);

#endif
