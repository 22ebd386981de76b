/* SPDX-License-Identifier: MIT */
/*
 * history_rows.h: the sections in which the bytes of a history hold its records.
 *
 *     HIST    the kind of the versions, counts and marks
 *     NTRY    a block of records, in the order of numbers, as columns
 *     BYTE    for each of them: its label, its name and its changes, as one stream
 *     DONE    the fingerprint of the current version
 *
 * If the version of a record is whole, the stream ends after the zero byte that says so. The
 * version follows, and then a new stream, for the next records of the block. docs/format.md
 * specifies all of them.
 *
 * Sources without a header of their own: history_read.c, history_write.c.
 */
#ifndef PQTI_HISTORY_ROWS_H
#define PQTI_HISTORY_ROWS_H

#include <stdint.h>

enum {
    PQTI_HISTORY_SIZE = 29, /* kind (1), entries (4), current, saved and next number (8 each) */
    PQTI_RECORD_ROWS = 1024
};

/* The columns of NTRY. */
typedef enum pqti_record_column {
    PQTI_NUMBER_COLUMN, /* the number, less that of the entry before; 0 for the first entry */
    PQTI_PARENT_COLUMN, /* the number, less that of the parent */
    PQTI_TIME_COLUMN,
    PQTI_COALESCING_COLUMN,
    PQTI_REDO_COLUMN, /* 1: redo leads here from the parent, which has a newer child; otherwise 0 */
    PQTI_LABEL_COLUMN,  /* the bytes of the label and 1 more; 0: the label of the entry before */
    PQTI_NAME_COLUMN,   /* the bytes of the name; 0: there is none */
    PQTI_RECORD_COLUMNS /* the number of columns */
} pqti_record_column;

/* The highest number that the next entry may have, as in stores. */
#define PQTI_HISTORY_MAX_NEXT ((uint64_t)INT64_MAX)

#endif
