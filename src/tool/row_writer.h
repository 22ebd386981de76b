/* SPDX-License-Identifier: MIT */
/*
 * row_writer.h: writes rows in the formats that --format names.
 *
 *     row_writer to = rows_begin(stream, format, file);
 *     rows_add_columns(&to, &rows->columns, "");
 *     rows_add_column(&to, "distance");
 *     for each row: rows_begin_row, rows_put_item, rows_put_number, rows_end_row
 *     rows_end(&to);
 */
#ifndef ROW_WRITER_H
#define ROW_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include <popt.h>
#include <pqt.h>

#include "tool/csv_table.h"

typedef enum row_format {
    ROWS_BY_NAME, /* the format that the ending of the file names, or CSV */
    ROWS_CSV,
    ROWS_JSON,    /* an array with an object for each row */
    ROWS_NDJSON,  /* an object in each line */
    ROWS_GEOJSON, /* a FeatureCollection */
    ROWS_WKT,     /* CSV with a geometry in place of the columns of positions */
    ROWS_PQT      /* ids and boxes only; row_writer cannot write it */
} row_format;

/* The option --format. */
#define ROW_FORMAT_OPTION(letter, names)                                                           \
    {                                                                                              \
        "format", 'F', POPT_ARG_STRING, NULL, letter, "the format: " names, "NAME"                 \
    }

/* Parses the argument of --format. Ends the program with an error if it names no format, or one
   after `last`. */
row_format row_format_option(poptContext context, row_format last);

/* Returns the format of an output: `chosen`, or the one that the name of the file says. */
row_format row_format_of(row_format chosen, const char *file);

/* Returns the name of a format for output_open. */
const char *row_format_name(row_format format);

typedef struct row_writer {
    FILE *stream;
    row_format format;
    const char *file;
    bool is_globe; /* items may cross the antimeridian */
    texts names;   /* the names of the columns, each terminated by a zero byte */
    char *next;    /* the name of the next column of the row */
    size_t rows;   /* the number of rows so far */
    bool has_cell; /* the row, or the object with its properties, has a cell */
} row_writer;

/* Begins an output. `file` is the name of the input, for messages. */
row_writer rows_begin(FILE *stream, row_format format, const char *file);

/* Adds the columns of a table, each with the prefix; a column of ids comes first if the table has
   none. GeoJSON has the columns of one table. */
void rows_add_columns(row_writer *to, const table_columns *columns, const char *prefix);
void rows_add_column(row_writer *to, const char *name);

void rows_begin_row(row_writer *to);
void rows_put_item(row_writer *to, table *rows, const pqt_item *item);
void rows_put_number(row_writer *to, double number);
void rows_end_row(row_writer *to);

void rows_end(row_writer *to);

#endif
