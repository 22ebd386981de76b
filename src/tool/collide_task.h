/* SPDX-License-Identifier: MIT */
/* collide_task.h - what `pqt collide` was asked, and what it found. */
#ifndef COLLIDE_TASK_H
#define COLLIDE_TASK_H

#include "tool/picture.h"

/* What was asked. A rests at 0, 0; B is moved. */
typedef struct collision {
    const char *file_a, *file_b;
    const pqt_region *a, *b;
    pqt_vec from, to;
    bool has_from, moves;
    bool ignores_overlap;
    pqt_cells cells; /* of A, and of B */
    picture drawn;
    /* What was found. */
    bool overlaps;          /* at the offset */
    pqt_region_sweep sweep; /* if it moves */
    pqt_pixel_pair first;   /* without a movement, if they overlap */
} collision;

/* Draws both pictures, their cells, the way, the stop, and what was met; it does not have its name
   yet. */
void collide_draw(collision *c);

#endif
