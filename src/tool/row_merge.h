/* SPDX-License-Identifier: MIT */
/* row_merge.h - two sides' changes of rows, brought together. */
#ifndef ROW_MERGE_H
#define ROW_MERGE_H

#include "tool/row_table.h"

/* The files, in the order of their reading. */
enum { BASE, OURS, THEIRS, SIDES };

/* A conflict: its id, and where among `disputed` its rows are, those of each side in turn. */
typedef struct dispute {
    uint64_t id;
    size_t first;
    size_t counts[SIDES];
} dispute;

typedef struct merger {
    rows *rows;
    pqt_resolution resolution;
    bool are_keys;   /* of the versions that are merged now */
    pqt_item answer; /* the row made up last, as a key */
    dispute *disputes;
    size_t count, capacity;
    size_t *disputed; /* rows of all conflicts */
    size_t disputed_count, disputed_capacity;
    size_t *merged; /* rows of the result */
    size_t merged_count, merged_capacity;
} merger;

/* Merges the rows of three files. What stands in conflict comes out as `resolution` says. */
merger merge_rows(rows *all, pqt_resolution resolution);

void merger_free(merger *m);

#endif
