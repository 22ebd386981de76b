/* SPDX-License-Identifier: MIT */
/* simulate_task.h: the options of `pqt simulate`, and what its files share. */
#ifndef SIMULATE_TASK_H
#define SIMULATE_TASK_H

#include "tool/output_version.h"
#include "tool/simulate_plot.h"
#include "tool/simulate_scenes.h"

typedef struct simulate_request {
    size_t balls, steps;
    double dt;
    uint64_t seed;
    size_t every;                /* every N-th world is kept */
    char *obstacle;              /* NULL: no pixels */
    char *world;                 /* a .pqt file with the first world; NULL: random balls */
    const simulate_scene *scene; /* NULL: random balls, or those of `world` */
    pqt_vec gravity;
    double friction;
    char *svg;  /* NULL: no picture */
    char *plot; /* NULL: no plot */
    char *csv;  /* NULL: no rows */
    output_format format;
} simulate_request;

enum { SIMULATE_TRAIL = 40 }; /* maximum number of worlds of a trail */

/* The newest worlds of a run, each pinned, for the trails. Entry i % SIMULATE_TRAIL is the world
 * after step i. */
typedef struct simulate_trail {
    pqt_pin *pins[SIMULATE_TRAIL];
    size_t first, last; /* steps */
} simulate_trail;

/* Makes the initial world of a run. */
const pqt_world *simulate_first_world(const simulate_request *req);

/* Returns the next number of a random sequence, the same on every machine. */
uint64_t simulate_next_bits(uint64_t *state);

/* Writes bodies as CSV rows, with boxes and ids first, so that the other commands can read them. */
void simulate_write_rows(FILE *stream, const pqt_world *world);

/* The title of a run's picture and plot. */
typedef struct simulate_title {
    char text[200];
} simulate_title;

simulate_title simulate_title_of(const simulate_request *req);

/* Draws the balls of the last world, their trails, and the cells of its tree. */
void simulate_draw(FILE *stream, const simulate_request *req, const simulate_trail *trail);

#endif
