/* SPDX-License-Identifier: MIT */
/*
 * sensors.h: finds the bodies that enter and leave sensors in a step, from the paths of the balls.
 *
 * A path consists of straight pieces. The engine adds a point to it where the velocity of a ball
 * changes. When the step has ended, the path of each sensor is compared with the paths near it. So
 * sensors change no motion, and worlds without sensors log no paths.
 */
#ifndef PQTI_SENSORS_H
#define PQTI_SENSORS_H

#include "world/contact_events.h"

/* A point of a path. From `time` on, the ball moves from `position` in a straight line at
 * `velocity`. */
typedef struct pqti_path_point {
    double time;
    pqt_vec position, velocity;
    size_t next; /* index of the next point of the ball, or SIZE_MAX */
} pqti_path_point;

/* The paths of a step, in scratch memory. Everything is zero initially. The array begins with the
 * first point of each ball, by rank. */
typedef struct pqti_path_log {
    bool is_wanted;  /* if false, nothing is added */
    bool has_failed; /* there was no memory for a point */
    pqti_path_point *points;
    size_t count, capacity;
    size_t *last; /* by rank: index of the last point of the ball */
} pqti_path_log;

/* Adds the first points of all balls. */
void pqti_paths_begin(pqti_path_log *log, const pqti_ball *balls, size_t count);

/* Adds a point for a ball whose velocity changed. */
void pqti_paths_add(pqti_path_log *log, const pqti_ball *ball);

void pqti_paths_free(pqti_path_log *log);

/* The state at the end of a step in which there are sensors. */
typedef struct pqti_sensing {
    const pqti_ball *balls; /* the balls at the end of the step */
    size_t count;
    const pqti_path_log *paths;
    double span;
} pqti_sensing;

/* Adds the events of sensors to a log, in the order of time, lower id and higher id. Returns false
 * when out of memory. */
bool pqti_sensors_add_events(const pqti_sensing *sensing, pqti_event_log *events, pqt_error *error);

#endif
