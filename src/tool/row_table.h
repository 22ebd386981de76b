/* SPDX-License-Identifier: MIT */
/*
 * row_table.h: the rows of several files as versions that the library can compare and merge.
 *
 * A row is an id, a position, and the fields of all other columns. The library's items have only id
 * and position. This suffices for most ids: their rows at one position have equal fields in all
 * files. These ids make one version for each file, of *positions*. The other ids make a second
 * version for each file, of *keys*: there the position of an item is the number of its row, so that
 * rows that differ in anything are different items.
 */
#ifndef ROW_TABLE_H
#define ROW_TABLE_H

#include "tool/tool.h"

enum { MOST_FILES = 3 };

/* A row, stored once for all files that have it. */
typedef struct row {
    pqt_item item;
    const char *fields; /* the other columns, one after the other, each terminated by a zero */
    size_t length;      /* bytes of all fields */
    unsigned files;     /* bit f: file f has the row; 0: made by merging columns */
    bool is_key;        /* it belongs to the keys and not to the positions */
} row;

/* The distinct rows of all files, by id, then position, then fields. Rows made by merging come
   last. */
typedef struct rows {
    row *all;
    size_t count, capacity;
    size_t read;    /* number of rows from files */
    size_t fields;  /* number of fields of a row */
    pqt_box bounds; /* the bounds of all positions */
    table tables[MOST_FILES];
    size_t files;
    char **made_up; /* fields of rows that are in no file */
    size_t made_up_capacity;
} rows;

/* No row. */
#define NO_ROW SIZE_MAX

/*
 * Reads files; "-" is standard input and may occur once. Further files must have the columns of the
 * first, apart from the id; with `only_places` they need only give positions in the same columns.
 * Ends the program with an error otherwise.
 */
rows rows_read(const char *const *files, size_t count, bool only_places);
void rows_free(rows *all);

/* Returns the versions of a file. `everything`: including the rows that belong to the keys. */
const pqt_tree *rows_places(const rows *all, size_t file, bool everything);
const pqt_tree *rows_keys(const rows *all, size_t file);

/* Returns the item that represents a row among the keys. */
pqt_item rows_key(const rows *all, size_t number);

/* Returns the row that an item of the positions, or of the keys, represents. */
size_t rows_find(const rows *all, const pqt_item *item, bool is_key);

/* Adds a row to the keys and returns its number. The fields are copied. */
size_t rows_make_up(rows *all, pqt_item item, const char *const *fields);

/* Compares by id, then position, then fields. Returns a negative number, 0 or a positive number. */
int compare_rows(const row *a, const row *b);

/* ---- CSV in the columns of the second file ---- */

/* Writes the column names except the id, each after a comma and `prefix`. */
void rows_write_header(const rows *all, FILE *stream, const char *prefix);

/* Writes the fields of a row in these columns, each after a comma; only commas for NO_ROW. */
void rows_write(const rows *all, FILE *stream, size_t number);

/* Writes a complete table: with the id in the column in which the second file has it, otherwise in
 * the first column. */
void rows_write_table_header(const rows *all, FILE *stream);
void rows_write_line(const rows *all, FILE *stream, size_t number);

#endif
