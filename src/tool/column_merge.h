/* SPDX-License-Identifier: MIT */
/* column_merge.h: gives the tables of a merge the same columns. */
#ifndef COLUMN_MERGE_H
#define COLUMN_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/csv_table.h"

/* Indices of the files of a merge, in the order in which they are read. */
enum { BASE, OURS, THEIRS, SIDES };

/* The result of align_columns. */
typedef struct column_merge {
    bool has_changed;     /* the columns of the files differ */
    size_t conflicts;     /* the number of columns in conflict */
    texts conflict_texts; /* a string for each of them, one after the other */
} column_merge;

/*
 * Gives three CSV tables the columns of the result, in the order of OURS. Columns are matched by
 * their names in upper or lower case. A column that a side added is added, after the column that
 * precedes it there; a column that a side removed is removed. If the other side changed a field of
 * it, it is a conflict. The rows are changed as if BASE had the added columns already, with the
 * fields of the side that added them, so that an added column does not change a row.
 */
column_merge align_columns(table tables[SIDES], const char *const files[SIDES]);

#endif
