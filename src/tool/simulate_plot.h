/* SPDX-License-Identifier: MIT */
/* simulate_plot.h: energy and momentum of a run of `pqt simulate`. */
#ifndef SIMULATE_PLOT_H
#define SIMULATE_PLOT_H

#include "tool/tool.h"

/* Energy and momentum of a world at a time. Fixed bodies have none. */
typedef struct simulate_sample {
    double time, kinetic;
    double rotation;  /* the rotational part of the kinetic energy */
    double potential; /* 0 for a centre on those walls to which gravity points */
    pqt_vec momentum;
} simulate_sample;

simulate_sample simulate_measure(const pqt_world *world, pqt_vec gravity, double time);

/* The parts of the energy that a plot has, apart from the kinetic energy. */
typedef struct simulate_parts {
    bool potential, rotation;
} simulate_parts;

/* Draws samples, at least one, in the order of their times. `title` needs no escapes. */
void simulate_plot(FILE *stream, const char *title, const simulate_sample *samples, size_t count,
                   simulate_parts parts);

#endif
