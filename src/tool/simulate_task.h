/* SPDX-License-Identifier: MIT */
/* simulate_task.h - what the two files of `pqt simulate` hand to each other. */
#ifndef SIMULATE_TASK_H
#define SIMULATE_TASK_H

#include "tool/tool.h"

typedef struct simulate_request {
    size_t balls, steps;
    double dt;
    uint64_t seed;
    size_t every;   /* a world is kept each so many steps */
    char *obstacle; /* NULL: no pixels */
    char *svg;      /* NULL: no picture */
    char *csv;      /* NULL: no rows */
} simulate_request;

enum { SIMULATE_TRAIL = 40 }; /* worlds of a trail, at most */

/* The newest worlds of a run, each pinned, for the trails: entry i % SIMULATE_TRAIL is of step
   i. */
typedef struct simulate_trail {
    pqt_pin *pins[SIMULATE_TRAIL];
    size_t first, last; /* steps */
} simulate_trail;

/* The world that a run begins with. */
const pqt_world *simulate_first_world(const simulate_request *asked);

/* The next number of a sequence: the same on every machine. */
uint64_t simulate_next_bits(uint64_t *state);

/* Bodies as rows: their boxes and ids first, as the other commands read them. */
void simulate_write_rows(FILE *stream, const pqt_world *world);

/* The balls of the last world, where they came from, and its cells. */
void simulate_draw(FILE *stream, const simulate_request *asked, const simulate_trail *trail);

#endif
