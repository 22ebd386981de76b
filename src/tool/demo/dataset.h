/* SPDX-License-Identifier: MIT */
/*
 * dataset.h - one layer of the demo's map: its versions, the plain model beside them, and what was
 * measured of them.
 */
#ifndef DATASET_H
#define DATASET_H

#include <stddef.h>
#include <stdint.h>

#include <pqt.h>

#include "tool/demo/reference_model.h"

/* splitmix64: the same numbers on every machine. */
typedef struct dice {
    uint64_t state;
} dice;

typedef struct layer {
    const char *name;
    model plain;
    pqt_pin **versions; /* version v is after v edits; pins, since malloc's memory holds them */
    size_t count;       /* of versions */
    dice luck;
    double edit_time;       /* seconds, of one edit */
    double new_search_time; /* seconds, of one search in the newest version */
    double old_search_time; /* seconds, of one search in any version */
    double found;           /* items that such a search finds */
    uint64_t first_bytes;   /* that version 0 takes */
    uint64_t further_bytes; /* that all others take beside what they share with the one before */
    uint64_t plain_bytes;   /* that plain arrays would take, one for each version */
    size_t checks, failed;  /* comparisons with the model */
} layer;

/* A layer of one version, made of the items under new ids: 0, 1, 2 ... */
layer layer_of(const char *name, const pqt_item *items, size_t count, uint64_t seed);
void layer_free(layer *map);

const pqt_tree *layer_version(const layer *map, size_t version);

/* Makes random edits; after each of them, the version is kept. */
void layer_edit(layer *map, size_t edits);

/* Searches windows in the newest version, and in versions from all of the history. */
void layer_search(layer *map);

/* Adds up what the versions take. */
void layer_measure(layer *map);

/* Goes back all over the history and compares the versions with the model (self_test.c). */
void layer_check(layer *map);

/* A number below `end`, and a window about one of the model's items. */
size_t roll_below(dice *luck, size_t end);
pqt_box roll_window(layer *map);

#endif
