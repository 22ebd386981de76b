/* SPDX-License-Identifier: MIT */
/*
 * row_table.h: makes the rows of several files into versions that the library can compare and
 * merge.
 *
 * A row consists of an id, a position, and the fields of all other columns. The library's items
 * have only an id and a position. This suffices for most ids, because all their rows at one
 * position have equal fields in all files. The rows with these ids form one version per file, of
 * *positions*. The rows with other ids form a second version per file, of *keys*. In it, the
 * position of an item is the number of its row, so that rows that differ in any field are different
 * items.
 */
#ifndef ROW_TABLE_H
#define ROW_TABLE_H

#include <stdio.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/tooltips.h"

enum { MOST_FILES = 3 };

/* A row, which is stored once for all files that contain it. */
typedef struct row {
    pqt_item item;
    const char *fields; /* the fields of the other columns, one after the other, each terminated by
                           a zero byte */
    size_t length;      /* the number of bytes in all fields */
    unsigned files;     /* bit f is set if file f contains the row; 0: the row was made by merging
                           columns */
    bool is_key;        /* the row belongs to the keys and not to the positions */
} row;

/* The distinct rows of all files, sorted by id, then position, then fields. Rows that were made by
   merging are at the end. */
typedef struct rows {
    row *all;
    size_t count, capacity;
    size_t read;    /* the number of rows from files */
    size_t fields;  /* the number of fields in a row */
    pqt_box bounds; /* the bounds of all positions */
    table tables[MOST_FILES];
    size_t files;
    bool has_other_columns; /* the columns of the files differed, and were merged */
    size_t column_conflicts;
    texts column_conflict_texts; /* a string for each of them, one after the other */
    char **made_up;              /* the fields of rows that are in no file */
    size_t made_up_capacity;
} rows;

/* Used in place of the number of a row if there is none. */
#define NO_ROW SIZE_MAX

/*
 * Reads files; "-" is standard input and may occur once. The other files must have the same columns
 * as the first one, apart from the id. With `only_places`, only the columns for positions must be
 * the same. Otherwise ends the program with an error.
 */
rows rows_read(const char *const *files, size_t count, bool only_places);

/* Reads the three files of a merge, whose columns may differ: see column_merge.h. */
rows rows_read_sides(const char *const *files);
void rows_free(rows *all);

/* Makes the version of positions of each file, which also includes the rows that belong to the keys
   if `everything` is true. The second function makes the versions of keys. */
void rows_places(const rows *all, bool everything, const pqt_tree *versions[]);
void rows_keys(const rows *all, const pqt_tree *versions[]);

/* Returns true if a file has a column of ids. If none has, rows are matched by their positions and
   fields: equal rows of two files have the same id, whatever their order. The ids of the first file
   are the numbers of its rows. */
bool rows_have_ids(const rows *all);

/* Returns the number in `all` of a row, whose number in its file is given. */
size_t rows_number(const rows *all, size_t file, size_t number);

/* Returns the item that represents a row in versions of keys. */
pqt_item rows_key(const rows *all, size_t number);

/* Returns the row that an item represents in versions of positions or, if `is_key`, of keys. */
size_t rows_find(const rows *all, const pqt_item *item, bool is_key);

/* Adds a row to the keys and returns its number. The fields are copied. */
size_t rows_make_up(rows *all, pqt_item item, const char *const *fields);

/* Compares rows by id, then position, then fields. Returns a negative number, 0 or a positive
   number. */
int compare_rows(const row *a, const row *b);

/* Adds the names of all rows to a picture. Rows that some file lacks are results. */
void rows_add_tooltips(const rows *all, tooltips *to);

/* ---- CSV with the columns of the second file ---- */

/* Writes the names of all columns except the id, each after a comma and `prefix`. */
void rows_write_header(const rows *all, FILE *stream, const char *prefix);

/* Writes the fields of a row in these columns, each after a comma. For NO_ROW, writes only the
   commas. */
void rows_write(const rows *all, FILE *stream, size_t number);

/* Write a complete table. The id is in the same column as in the second file, or in the first
   column if that file has none. */
void rows_write_table_header(const rows *all, FILE *stream);
void rows_write_line(const rows *all, FILE *stream, size_t number);

#endif
