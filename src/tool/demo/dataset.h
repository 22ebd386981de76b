/* SPDX-License-Identifier: MIT */
/*
 * dataset.h: one dataset of the demo: its versions, its reference model, and its measurements.
 *
 * Sources of this folder without a header of their own: self_test.c.
 */
#ifndef DATASET_H
#define DATASET_H

#include <stddef.h>
#include <stdint.h>

#include <pqt.h>

#include "tool/demo/reference_model.h"

/* A splitmix64 generator, which gives the same numbers on every machine. */
typedef struct dice {
    uint64_t state;
} dice;

typedef struct dataset {
    const char *name;
    model plain;
    pqt_pin **versions; /* an array of pinned versions; version v is the one after v edits. They are
                      pinned because the array is malloc'ed */
    size_t count;       /* the number of versions */
    dice luck;
    double edit_time;       /* the mean duration of an edit, in seconds */
    double new_search_time; /* the mean duration of a search in the newest version, in seconds */
    double old_search_time; /* the mean duration of a search in a random version, in seconds */
    double found;           /* the mean number of items that a search finds */
    uint64_t first_bytes;   /* the bytes of version 0 */
    uint64_t further_bytes; /* the bytes of the other versions, without those shared with the
                               previous version */
    uint64_t plain_bytes;   /* the bytes of plain arrays, one for each version */
    size_t checks, failed;  /* the numbers of comparisons with the model, and of those that
                               failed */
} dataset;

/* Makes a dataset with one version of the items, which get new ids 0, 1, 2 ... */
dataset dataset_of(const char *name, const pqt_item *items, size_t count, uint64_t seed);
void dataset_free(dataset *map);

const pqt_tree *dataset_version(const dataset *map, size_t version);

/* Applies random edits and keeps each version. */
void dataset_edit(dataset *map, size_t edits);

/* Times searches for windows in the newest version and in random ones. */
void dataset_search(dataset *map);

/* Measures the bytes of the versions. */
void dataset_measure(dataset *map);

/* Compares versions throughout the history with the model (self_test.c). */
void dataset_check(dataset *map);

/* Returns a random number below `end`. The second function returns a random window around one of
   the model's items. */
size_t roll_below(dice *luck, size_t end);
pqt_box roll_window(dataset *map);

#endif
