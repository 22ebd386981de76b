/* SPDX-License-Identifier: MIT */
/* row_merge.h: performs three-way merges of rows. */
#ifndef ROW_MERGE_H
#define ROW_MERGE_H

#include <pqt.h>

#include "tool/column_merge.h"
#include "tool/row_table.h"

/* A conflict: its id, and the range of `conflicting` with its rows, which are grouped by side. */
typedef struct conflict_rows {
    uint64_t id;
    size_t first;
    size_t counts[SIDES];
} conflict_rows;

typedef struct merger {
    rows *rows;
    pqt_resolution resolution;
    bool are_keys;   /* true if the versions that are being merged contain keys */
    pqt_item answer; /* the key of the last row that was made by merging columns */
    conflict_rows *conflicts;
    size_t count, capacity;
    size_t *conflicting; /* the rows of all conflicts */
    size_t conflicting_count, conflicting_capacity;
    size_t *merged; /* the rows of the result */
    size_t merged_count, merged_capacity;
} merger;

/* Merges the rows of three files. Resolves conflicts as `resolution` says. */
merger merge_rows(rows *all, pqt_resolution resolution);

void merger_free(merger *m);

#endif
