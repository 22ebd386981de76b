/* SPDX-License-Identifier: MIT */
/* row_merge.h: a three-way merge of rows. */
#ifndef ROW_MERGE_H
#define ROW_MERGE_H

#include "tool/row_table.h"

/* The files in the order in which they are read. */
enum { BASE, OURS, THEIRS, SIDES };

/* A conflict: its id, and the range of `disputed` with its rows, side by side. */
typedef struct dispute {
    uint64_t id;
    size_t first;
    size_t counts[SIDES];
} dispute;

typedef struct merger {
    rows *rows;
    pqt_resolution resolution;
    bool are_keys;   /* whether the versions being merged hold keys */
    pqt_item answer; /* the row made last by merging columns, as a key */
    dispute *disputes;
    size_t count, capacity;
    size_t *disputed; /* rows of all conflicts */
    size_t disputed_count, disputed_capacity;
    size_t *merged; /* rows of the result */
    size_t merged_count, merged_capacity;
} merger;

/* Merges the rows of three files. Conflicts are resolved by `resolution`. */
merger merge_rows(rows *all, pqt_resolution resolution);

void merger_free(merger *m);

#endif
