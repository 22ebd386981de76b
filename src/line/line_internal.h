/* SPDX-License-Identifier: MIT */
/*
 * line_internal.h: a line, and the functions that its files share.
 *
 *     line.c         opens and closes a line, and reports its entries and counts
 *     line_state.c   finds a line in the database, and holds its newest version and its head
 *     line_rows.c    reads rows of versions, and checks them
 *     line_fetch.c   makes versions from rows
 *     line_push.c    pushes versions
 *     line_merge.c   merges a version with versions that others pushed
 *
 * Sources without a header of their own: line_fetch.c, line_merge.c, line_push.c, line_rows.c,
 * line_state.c.
 */
#ifndef PQTI_LINE_INTERNAL_H
#define PQTI_LINE_INTERNAL_H

#include <pqt/line.h>

#include "change/change.h"
#include "line/connect.h"
#include "line/connection.h"
#include "line/row_hash.h"

/* A version of a line, and the data that its successor needs. It must be on the stack, where the
   collector finds the version. */
typedef struct pqti_line_version {
    uint64_t number; /* 0: before the first version */
    const void *version;
    uint64_t cost;           /* the cost of the changes since the last keyframe */
    uint64_t keyframe_bytes; /* the size of that keyframe, in bytes */
    uint8_t hash[PQT_LINE_HASH];
} pqti_line_version;

struct pqt_line {
    pqti_connection connection;
    pqt_line_options options;
    pqt_memory *memory;
    char *name, *author;      /* in scratch memory */
    uint64_t id;              /* the id of the row in the table of lines; 0: the line does not exist
                                 yet */
    pqt_kind kind;            /* PQT_KIND_NONE: the kind is not known yet */
    pqti_line_version newest; /* the newest version, which is pinned by: */
    pqt_pin *pin;             /* NULL: there is no version */
    pqti_line_version loaded; /* the last version that pqt_line_load made, which is pinned by: */
    pqt_pin *loaded_pin;
    uint64_t known_reconnects; /* the number of reconnections at which `newest` was last compared
                                  with the database */
    pqt_head *head;            /* NULL: pqt_line_head was never called */
    pqt_line_stats counts;
};

/** line_state.c */

/* Makes a version the newest one: pins it and publishes it in the head. */
bool pqti_line_advance(pqt_line *line, const pqti_line_version *at, pqt_error *error);

/* Searches the database for the line. Sets its id to 0 if it is missing. */
bool pqti_line_find(pqt_line *line, pqt_error *error);

/* Sets *is_there to true if the database has the row of a version. Returns false and sets an error
   on failure. */
bool pqti_line_has_row(pqt_line *line, const pqti_line_version *at, bool *is_there,
                       pqt_error *error);

/* Sets an error that names a version by its number. Returns false. */
bool pqti_line_fault(pqt_status status, uint64_t number, const char *what, pqt_error *error);

/** line_rows.c */

/* The columns of a row, in the order that pqti_row_take needs. */
#define PQTI_ROW_COLUMNS                                                                           \
    "number, parent_hash, hash, fingerprint, label, author, encoding, change, whole_hash, "        \
    "octet_length(whole)::int8"

enum { PQTI_ENCODING_COLUMN = 6, PQTI_CHANGE_COLUMN = 7 };

/* Reads the columns of a row and checks its hash. The row is valid as long as the result is. Sets
   *keyframe_bytes to the size of the keyframe in the row, or to 0 if it has none. */
bool pqti_row_take(const pqt_line *line, const PGresult *result, int at, pqti_line_row *row,
                   uint64_t *keyframe_bytes, pqt_error *error);

/* Returns true if a column holds text that pqt_line_push would accept as a label. Other writers may
   have stored any bytes in it, and programs print it. */
bool pqti_row_is_text(const PGresult *result, int row, int column);

/* Loads a version from the keyframe in its row. Returns NULL and sets `error` on failure. */
const void *pqti_row_load_whole(pqt_line *line, const pqti_line_row *row, pqt_error *error);

/* Returns true if a version has the fingerprint that its row names. */
bool pqti_row_is_of(const pqti_line_row *row, const void *version);

/** line_fetch.c */

/* Fetches newer versions. Unlike pqt_line_fetch, it accepts a line that does not exist yet. */
bool pqti_line_catch_up(pqt_line *line, pqt_error *error);

#endif
