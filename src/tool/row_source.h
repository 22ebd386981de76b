/* SPDX-License-Identifier: MIT */
/*
 * row_source.h: reads the rows of a CSV or GeoJSON file one after the other, and those that are
 * needed a second time.
 *
 * No row stays in memory, but the place of each eighth row does. A row is read again from there
 * on, with the few rows before it. A file that cannot be read again (standard input from a pipe, or
 * GeoJSON, which is read as CSV) is copied to a temporary file without a name.
 */
#ifndef ROW_SOURCE_H
#define ROW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

#include "tool/input_file.h"

typedef struct row_source row_source;

/* Begins to read a file, whose stream is at its beginning. With `keeps`, its rows can be read
   again. Ends the program with an error if the file is not a table. */
row_source *row_source_open(const input_file *from, bool keeps);

/* Reads the next row. Returns false after the last one. Ends the program with an error if the row
   is not valid. */
bool row_source_next(row_source *source, pqt_table_record *record);

/* Returns the columns, and their names. The columns are final after the first row. */
pqt_table_columns row_source_columns(const row_source *source);
void row_source_names(const row_source *source, pqt_field *names);

/* Ends the first reading. Without `keeps`, frees the source and returns NULL. */
row_source *row_source_end(row_source *source);

/* Reads a row again. Its fields are valid until the next call. Ends the program with an error if
   the file has changed. */
pqt_table_record row_source_again(row_source *source, size_t row);

void row_source_close(row_source *source);

/* Reads a whole file in the same way. */
pqt_table *read_whole_table(const input_file *from);

#endif
