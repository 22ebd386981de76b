/* SPDX-License-Identifier: MIT */
/* csv_write.h: writes rows as CSV with the columns of their file. */
#ifndef CSV_WRITE_H
#define CSV_WRITE_H

#include <stddef.h>
#include <stdio.h>

#include <pqt.h>

#include "tool/csv_table.h"

const char *column_name(const table_columns *columns, size_t column);

/* A name or a prefix of names that a command adds to the columns of a file. */
typedef struct added_name {
    char text[40];
} added_name;

/* Returns `stem`, if necessary with a number after it, so that no column has this name: distance,
   distance_2, ... */
added_name unused_name(const table_columns *columns, const char *stem);

/* Returns a prefix with which no column name begins: second_, second_2_, ... */
added_name unused_prefix(const table_columns *columns, const char *stem);

/* Returns true if a column of ids is added. Next to a column id of text, it would be read as a
   second one. */
bool adds_ids(const table_columns *columns);

/* Returns the coordinate of an item that belongs in a column, or NULL if the column is not for a
   coordinate. */
const double *coordinate_in(const table_columns *columns, size_t column, const pqt_item *item);

/* Write a field, in quotes if necessary. The second function writes prefix and name as one
   field. */
void write_field(FILE *stream, const char *text);
void write_prefixed(FILE *stream, const char *prefix, const char *name);

/* Writes the names of all columns, each with the prefix. If the file has no ids, writes the name of
   a column with ids first. */
void write_names(FILE *stream, const table_columns *columns, const char *prefix);

/* Writes a row with these columns, from an item and its kept fields. */
void write_cells(FILE *stream, const table_columns *columns, const pqt_item *item,
                 const char *fields);

/* Writes the field of a row in one column. If it is a kept field, advances `field` to the next
   one. */
void write_cell(FILE *stream, const table_columns *columns, size_t column, const pqt_item *item,
                const char **field);

#endif
