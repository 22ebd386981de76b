/* SPDX-License-Identifier: MIT */
/* region_tasks.h: the tasks of the region benchmark, each for pqt and for a flat bitmap. */
#ifndef BENCH_REGION_TASKS_H
#define BENCH_REGION_TASKS_H

#include "region_pictures.h"

/* At most MOST_ROUNDS versions are kept. */
enum { CHORES = 8, MOST_ROUNDS = 4096 };

/* The cost of a round: a new version, a pass over the picture, or neither. */
typedef enum weight { A_VERSION, A_PASS, NOTHING } weight;

/* A task. Its functions return the result of the last round. peer_pygame.py has a task of the same
 * name. */
typedef struct chore {
    const char *name, *what;
    weight costs;
    const pqt_region *(*region)(const subject *s, int rounds);
    flat (*map)(const subject *s, int rounds);
} chore;

extern const chore chores[CHORES];

/* Returns a number of rounds that takes a peer a few milliseconds. */
int chore_rounds(const chore *task, int side);

const pqt_region *chore_of_region(const chore *task, const subject *s, int rounds);
flat chore_of_flat(const chore *task, const subject *s, int rounds);

/* Drops all kept versions. */
void chores_forget(void);

#endif
