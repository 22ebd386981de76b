/* SPDX-License-Identifier: MIT */
/* simulate_plot.h: samples and draws the energy and momentum during a run of `pqt simulate`. */
#ifndef SIMULATE_PLOT_H
#define SIMULATE_PLOT_H

#include <stdio.h>

#include <pqt.h>
#include <pqt/worlds.h>

/* The energy and momentum of a world at one time. Fixed bodies do not count. */
typedef struct simulate_sample {
    double time, kinetic;
    double rotation;  /* the rotational part of the kinetic energy */
    double potential; /* 0 for a body whose centre is on the walls towards which gravity points */
    pqt_vec momentum;
} simulate_sample;

simulate_sample simulate_measure(const pqt_world *world, pqt_vec gravity, double time);

/* The kinds of energy that a plot shows in addition to the kinetic energy. */
typedef struct simulate_parts {
    bool potential, rotation;
} simulate_parts;

/* Draws the samples, which are sorted by time. There must be at least one. `title` must not need
   escapes. */
void simulate_plot(FILE *stream, const char *title, const simulate_sample *samples, size_t count,
                   simulate_parts parts);

#endif
