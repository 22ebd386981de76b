/* SPDX-License-Identifier: MIT */
/*
 * table_internal.h: the parts of tables: their bytes, their columns and the messages of their
 * errors.
 *
 * A table keeps the bytes of its file. Record 0 is the header, and record n + 1 is row n. Each
 * record ends after its line end, and begins where the record before it ends, so the blank lines
 * before a record are a part of it.
 *
 * Source files: table.c, table_columns.c, table_header.c, table_quote.c, table_read.c,
 * table_reader.c, table_select.c, table_write.c.
 */
#ifndef PQTI_TABLE_INTERNAL_H
#define PQTI_TABLE_INTERNAL_H

#include <stdint.h>

#include <pqt/table.h>

#include "io/csv.h"

struct pqt_table {
    char *bytes;
    size_t length, capacity;
    size_t preface;         /* the bytes before the first line of the table: see
                               pqti_csv_skip_preface */
    char separator;         /* the byte between two fields */
    bool has_decimal_comma; /* a coordinate has a comma for its point */
    bool is_on_sphere;      /* boxes may cross the antimeridian */
    size_t *ends;           /* the end of each record */
    size_t records, records_capacity;
    pqt_item *items; /* the items of the rows */
    size_t count, items_capacity;
    pqt_table_columns columns;
};

/* Returns the place of a record after the blank lines before it. `line` is wrong. */
static inline pqti_csv
pqti_table_record(const pqt_table *table, size_t record)
{
    pqti_csv csv = {table->bytes, 0, table->length, 1, SIZE_MAX, table->separator};
    csv.at = record > 0 ? table->ends[record - 1] : table->preface;
    while (pqti_csv_skip_blank_line(&csv))
        continue;
    return csv;
}

/* ---- table_reader.c: reads record by record ---- */

struct pqt_table_reader {
    /* the columns and the header; if all is kept, also the ends of the records */
    pqt_table *table;
    bool keeps_all; /* the window becomes the bytes of the table */
    bool has_header;
    bool has_named_id; /* the caller named the column of ids */
    bool has_ended;    /* all bytes have been read */
    pqt_read_fn *read;
    void *context;
    char *bytes; /* the window */
    size_t length, capacity;
    uint64_t before;   /* the number of bytes of the file before the window */
    pqti_csv at;       /* the next byte in the window */
    size_t start;      /* the first byte of the current record in it */
    size_t line;       /* the line of the current record */
    size_t row;        /* the number of the next row */
    pqt_field *fields; /* the fields of the current record, in scratch memory */
    size_t fields_capacity;
    pqt_error *error; /* that of the current call */
};

/* Reads the header. The caller ends the reader also after a failure. */
bool pqti_table_reader_begin(pqt_table_reader *from, const pqt_table_options *options,
                             pqt_error *error);

/* Reads the next record: see pqt_table_reader_next. */
bool pqti_table_reader_next(pqt_table_reader *from, pqt_table_record *record, pqt_error *error);

/* Returns the table with all bytes that were read. */
pqt_table *pqti_table_reader_take(pqt_table_reader *from);

void pqti_table_reader_end(pqt_table_reader *from);

/* ---- table_header.c: the columns of positions and ids ---- */

/* Returns false and sets `error` if options do not name the columns of one position. */
bool pqti_table_check_options(const pqt_table_options *options, pqt_error *error);

/* Returns the number of columns of a position that options name: 0, 1, 2 or 4. */
size_t pqti_table_named_count(const pqt_table_options *options);

/* Finds the columns of positions and ids among the names of all columns. Returns false and sets
   `error` if they are not the columns of exactly one position, or if a column that the options name
   does not occur once. */
bool pqti_table_find_columns(const pqt_field *names, size_t count, size_t line,
                             const pqt_table_options *options, pqt_table_columns *columns,
                             pqt_error *error);

/* Returns true if a text is a word, in upper or lower case. */
bool pqti_is_spelled(const pqt_field *name, const char *spelling);

/* ---- table_columns.c: boxes and ids in these columns ---- */

/* Returns the box of a row from the fields of all its columns. Returns false and sets `error` if a
   field is not a number, or the box is invalid. */
bool pqti_table_read_box(const pqt_table *table, const pqt_field *fields, size_t line, pqt_box *box,
                         pqt_error *error);

/* Reads a coordinate. If semicolons separate the fields of a table, its numbers may have a comma
   for the point. Returns false if the text is not a number. */
bool pqti_table_parse(const pqt_table *table, const pqt_field *text, double *number);

/* Returns true if the field of an id cannot be meant as a number: it is empty, or begins with
   neither a digit, nor a sign, nor a point. */
bool pqti_table_id_is_text(const pqt_field *field);

/* Reads a field as an id. */
bool pqti_table_read_id(const pqt_field *field, size_t line, uint64_t *id, pqt_error *error);

/* Sets the numbers that stand for a box in the columns of a position. A number keeps its old value
   if that gives the same box. Returns false if no numbers do. */
bool pqti_table_write_box(const pqt_table_columns *columns, const pqt_box *box, double numbers[4]);

/* ---- table_quote.c: values in messages ---- */

/* A value for a message: control characters and invalid UTF-8 are shown as \xNN, and it is cut
   after about 24 bytes. */
typedef struct pqti_quotation {
    char text[40];
} pqti_quotation;

pqti_quotation pqti_quote(const char *text, size_t length);

#endif
