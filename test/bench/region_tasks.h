/* SPDX-License-Identifier: MIT */
/* region_tasks.h: the tasks of regions, each done by pqt and by a flat bitmap. */
#ifndef BENCH_REGION_TASKS_H
#define BENCH_REGION_TASKS_H

#include "region_pictures.h"

/* Kept versions are so many at most. */
enum { CHORES = 8, MOST_ROUNDS = 4096 };

/* A round costs a version, or a pass over the picture, or neither. */
typedef enum weight { A_VERSION, A_PASS, NOTHING } weight;

/* All give back what the last round came to. peer_pygame.py knows each task by its name. */
typedef struct chore {
    const char *name, *what;
    weight costs;
    const pqt_region *(*region)(const subject *s, int rounds);
    flat (*map)(const subject *s, int rounds);
} chore;

extern const chore chores[CHORES];

/* As many rounds as take some milliseconds of a peer. */
int chore_rounds(const chore *task, int side);

const pqt_region *chore_of_region(const chore *task, const subject *s, int rounds);
flat chore_of_flat(const chore *task, const subject *s, int rounds);

/* Lets go of all versions that were kept. */
void chores_forget(void);

#endif
