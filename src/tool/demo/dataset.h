/* SPDX-License-Identifier: MIT */
/*
 * dataset.h: one dataset of the demo: its versions, its reference model, and its measurements.
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

typedef struct dataset {
    const char *name;
    model plain;
    pqt_pin *
        *versions; /* version v is the one after v edits; pinned, because the array is malloc'ed */
    size_t count;  /* the number of versions */
    dice luck;
    double edit_time;       /* seconds per edit */
    double new_search_time; /* seconds per search in the newest version */
    double old_search_time; /* seconds per search in a random version */
    double found;           /* items per search */
    uint64_t first_bytes;   /* bytes of version 0 */
    uint64_t further_bytes; /* bytes of the others, without those shared with the previous one */
    uint64_t plain_bytes;   /* bytes of plain arrays, one for each version */
    size_t checks, failed;  /* comparisons with the model */
} dataset;

/* Makes a dataset with one version of the items, under new ids 0, 1, 2 ... */
dataset dataset_of(const char *name, const pqt_item *items, size_t count, uint64_t seed);
void dataset_free(dataset *map);

const pqt_tree *dataset_version(const dataset *map, size_t version);

/* Applies random edits and keeps each version. */
void dataset_edit(dataset *map, size_t edits);

/* Times searches of windows in the newest version and in random ones. */
void dataset_search(dataset *map);

/* Measures the bytes of the versions. */
void dataset_measure(dataset *map);

/* Compares versions of the whole history with the model (self_test.c). */
void dataset_check(dataset *map);

/* Return a random number below `end`, and a random window around one of the model's items. */
size_t roll_below(dice *luck, size_t end);
pqt_box roll_window(dataset *map);

#endif
