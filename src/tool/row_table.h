/* SPDX-License-Identifier: MIT */
/*
 * row_table.h - the rows of several files side by side, as versions that the library compares and
 * merges.
 *
 * A row is an id, a place, and the fields of all other columns. The library's items know id and
 * place alone. Most ids need no more: their rows at one place agree in the other fields, in all
 * files. These make one version a file, of *places*. The others stand *apart*, in a second version
 * a file, of *keys*: there an item has the number of its row for a place, so that rows differ that
 * differ in anything.
 */
#ifndef ROW_TABLE_H
#define ROW_TABLE_H

#include "tool/tool.h"

enum { MOST_FILES = 3 };

/* A row, once for all files that have it. */
typedef struct row {
    pqt_item item;
    const char *fields; /* of the other columns: one after the other, each ended by a zero */
    size_t length;      /* bytes of all fields */
    unsigned files;     /* bit f: the file number f has it; 0: it was made up */
    bool apart;         /* it is among the keys, not among the places */
} row;

/* Different rows of all files: by id, then by place, then by fields; made up ones come last. */
typedef struct rows {
    row *all;
    size_t count, capacity;
    size_t read;    /* how many are of files */
    size_t fields;  /* how many a row has */
    pqt_box bounds; /* of all places */
    table tables[MOST_FILES];
    size_t files;
    char **made_up; /* fields of rows that are of no file */
    size_t made_up_capacity;
} rows;

/* A row that is not there. */
#define NO_ROW SIZE_MAX

/*
 * Reads files, "-" for standard input once at most. Those after the first must have its columns,
 * but for the id; with `only_places` they need only give places as it does. Complains.
 */
rows rows_read(const char *const *files, size_t count, bool only_places);
void rows_free(rows *all);

/* The versions of a file. `everything`: with the rows that stand apart. */
const pqt_tree *rows_places(const rows *all, size_t file, bool everything);
const pqt_tree *rows_keys(const rows *all, size_t file);

/* The item that stands for a row among keys. */
pqt_item rows_key(const rows *all, size_t number);

/* The row that an item of places, or of keys, stands for. */
size_t rows_find(const rows *all, const pqt_item *item, bool is_key);

/* Adds a row that stands apart, and returns its number. The fields are copied. */
size_t rows_make_up(rows *all, pqt_item item, const char *const *fields);

/* By id, then by place, then by fields: below 0, 0 or above, as strcmp. */
int compare_rows(const row *a, const row *b);

/** @name As CSV, in the columns of the second file */
/** @{ */

/* Writes the names of the columns, without the id, each after a comma and `prefix`. */
void rows_write_header(const rows *all, FILE *stream, const char *prefix);

/* Writes what a row has in these columns, each after a comma; nothing but commas for NO_ROW. */
void rows_write(const rows *all, FILE *stream, size_t number);

/* Writes all of it: with the id where the second file has it, or else first. */
void rows_write_table_header(const rows *all, FILE *stream);
void rows_write_line(const rows *all, FILE *stream, size_t number);
/** @} */

#endif
