/* SPDX-License-Identifier: MIT */
/* collide_task.h: the options and results of `pqt collide`. */
#ifndef COLLIDE_TASK_H
#define COLLIDE_TASK_H

#include "tool/picture.h"

/* The options. A rests at 0, 0; B is offset or moved. */
typedef struct collision {
    const char *file_a, *file_b;
    const pqt_region *a, *b;
    pqt_vec from, to;
    bool has_from, moves;
    bool ignores_overlap;
    pqt_cells cells; /* the cells of A and of B */
    picture drawn;
    /* Results: */
    bool overlaps;          /* at the offset */
    pqt_region_sweep sweep; /* if B moves */
    pqt_pixel_pair first;   /* if B does not move and the pictures overlap */
} collision;

/* Draws both pictures, their cells, the motion, the stop and the contact. The file is renamed to
   its final name later, by output_close. */
void collide_draw(collision *c);

#endif
