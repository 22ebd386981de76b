/* SPDX-License-Identifier: MIT */
/*
 * loading.h: chooses the bodies that a step loads, if few bodies of the world are awake.
 *
 * A step loads the bodies that it may change, which are *awake*, and the bodies near them. Each
 * awake body has a *cover*, a box: all bodies that touch it are loaded. While the swept boxes of
 * the awake bodies (broadphase.h) stay inside their covers, no other body has an effect on the
 * step. If a swept box leaves its cover, the step is computed again with a larger cover.
 */
#ifndef PQTI_LOADING_H
#define PQTI_LOADING_H

#include "world/ball.h"
#include "world/world_internal.h"

typedef struct pqti_loaded_body {
    pqti_body_entry entry;
    uint64_t key;
    uint32_t sleeper; /* index among the sleeping bodies, or PQTI_NO_SLEEPER */
    bool is_awake;
    bool is_covered; /* the bodies near its cover are loaded, or it is not awake */
    pqt_box cover;
    double reach; /* the length of its path on an axis, unless something makes it faster */
} pqti_loaded_body;

/* Initially, the world is set, and everything else is zero. */
typedef struct pqti_loading {
    const pqt_world *world;
    pqti_loaded_body *bodies; /* in key order */
    size_t count, capacity;
    bool is_full;    /* pqti_loading_add_near stopped early */
    bool has_failed; /* out of memory */
} pqti_loading;

/* These functions return false when out of memory. The first one replaces the list by the awake
 * bodies: those that are mobile, without the sleeping ones, unless `wakes` is set for them. `wakes`
 * is NULL if no body wakes, and `all_wake` is true if all of them do. */
bool pqti_loading_begin(pqti_loading *loading, const bool *wakes, bool all_wake);

/* Sets the cover of an awake body to one for the path of its ball in a step that takes `span`. */
void pqti_loading_cover(pqti_loaded_body *body, const pqti_ball *ball, double span);

/* Enlarges the cover of a body to more than twice its size, so that it holds a box. */
void pqti_loading_enlarge(pqti_loaded_body *body, const pqt_box *box);

/* Adds the bodies near covers. Stops when there are more than `limit` bodies. */
bool pqti_loading_add_near(pqti_loading *loading, size_t limit);

void pqti_loading_free(pqti_loading *loading);

#endif
