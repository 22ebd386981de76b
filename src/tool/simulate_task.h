/* SPDX-License-Identifier: MIT */
/*
 * simulate_task.h: the options of `pqt simulate`, and the functions that its files share.
 *
 * Sources of this folder without a header of their own: cmd_simulate_balls.c, cmd_simulate_view.c.
 */
#ifndef SIMULATE_TASK_H
#define SIMULATE_TASK_H

#include <stdio.h>

#include <pqt.h>
#include <pqt/worlds.h>

#include "tool/output_version.h"
#include "tool/simulate_plot.h"
#include "tool/simulate_scenes.h"

typedef struct simulate_request {
    size_t balls, steps;
    double dt;
    uint64_t seed;
    size_t every;                /* every N-th world is kept */
    char *obstacle;              /* NULL: there is no obstacle */
    char *world;                 /* a .pqt file with the initial world; NULL: the balls are
                                    random */
    const simulate_scene *scene; /* NULL: the balls are random or those of `world` */
    pqt_vec gravity;
    double friction;
    char *svg;    /* NULL: no picture is drawn */
    char *plot;   /* NULL: no plot is drawn */
    char *output; /* NULL: no rows are written */
    output_format format;
} simulate_request;

enum { SIMULATE_TRAIL = 40 }; /* the maximum number of worlds in a trail */

/* The newest worlds of a run, which are pinned, for the trails. Element i % SIMULATE_TRAIL is the
   world after step i. */
typedef struct simulate_trail {
    pqt_pin *pins[SIMULATE_TRAIL];
    size_t first, last; /* numbers of steps */
} simulate_trail;

/* Makes the initial world of a run. */
const pqt_world *simulate_first_world(const simulate_request *req);

/* Returns the next number of a random sequence, which is the same on every machine. */
uint64_t simulate_next_bits(uint64_t *state);

/* Writes bodies as CSV rows. Their boxes and ids come first, so that other commands can read the
   rows. */
void simulate_write_rows(FILE *stream, const pqt_world *world);

/* The title of the picture and the plot of a run. */
typedef struct simulate_title {
    char text[200];
} simulate_title;

simulate_title simulate_title_of(const simulate_request *req);

/* Draws the balls of the last world, their trails, and the cells of its tree. */
void simulate_draw(FILE *stream, const simulate_request *req, const simulate_trail *trail);

#endif
