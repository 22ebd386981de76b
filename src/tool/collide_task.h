/* SPDX-License-Identifier: MIT */
/*
 * collide_task.h: the options and results of `pqt collide`.
 *
 * Sources of this folder without a header of their own: cmd_collide_view.c.
 */
#ifndef COLLIDE_TASK_H
#define COLLIDE_TASK_H

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/picture.h"

/* The options. The picture A is at 0, 0; the picture B is placed at an offset or moves. */
typedef struct collision {
    const char *file_a, *file_b;
    const pqt_region *a, *b;
    pqt_vec from, to;
    bool has_from, moves;
    bool ignores_overlap;
    pqt_cells cells; /* the cells of A and of B */
    picture drawn;
    /* Results: */
    bool overlaps;          /* true if the pictures overlap at the offset */
    pqt_region_sweep sweep; /* set if B moves */
    pqt_pixel_pair first;   /* set if B does not move and the pictures overlap */
} collision;

/* Draws both pictures, their cells, the motion, the stop and the contact. Later, output_close
   renames the file to its final name. */
void collide_draw(collision *c);

#endif
