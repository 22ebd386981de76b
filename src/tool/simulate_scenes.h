/* SPDX-License-Identifier: MIT */
/* simulate_scenes.h: the scenes of `pqt simulate --scene`. */
#ifndef SIMULATE_SCENES_H
#define SIMULATE_SCENES_H

#include <pqt.h>
#include <pqt/worlds.h>

/* Rows of equal balls. Ball i of row k has its centre at first + i * across + k * down. */
typedef struct scene_rows {
    size_t balls, rows; /* the number of balls in the first row; the number of rows */
    size_t fewer;       /* the number of balls by which each row is shorter than the previous one */
    pqt_vec first, across, down;
    double radius, mass;
    pqt_vec velocity;
} scene_rows;

enum { SCENE_MOST_PARTS = 2 };

/* A scene. Its units are metres, kilograms and seconds; y points down. */
typedef struct simulate_scene {
    const char *name;
    pqt_box bounds; /* the walls */
    pqt_vec gravity;
    double restitution;
    size_t steps; /* the number of steps in a run, unless --steps is given */
    scene_rows parts[SCENE_MOST_PARTS];
} simulate_scene;

/* Returns the scene with the given name. Ends the program with an error if there is none. */
const simulate_scene *simulate_find_scene(const char *name);

/* Makes the initial world of a scene. */
const pqt_world *simulate_scene_world(const simulate_scene *scene);

#endif
