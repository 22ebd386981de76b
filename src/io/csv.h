/* SPDX-License-Identifier: MIT */
/*
 * csv.h: divides the bytes of a CSV file into records and fields.
 *
 * Fields are separated by commas, semicolons or tabs, and records end with LF, CRLF or CR. Spaces
 * and tabs around a field do not belong to it, unless tabs separate. A field in quotes contains
 * anything, with two quotes for one. A quote anywhere else is a fault, like in strict readers of
 * RFC 4180.
 */
#ifndef PQTI_CSV_H
#define PQTI_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/table.h>

/* Returns true for a character that does not belong to the field next to it. */
static inline bool
pqti_csv_is_blank(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

/* The maximum sizes of a header and of a record after it, in bytes. If a header is longer, the file
   is not a table. If another record is longer, a quote was probably not closed. Geometries may be
   long: a coast line of three million positions takes 120 MB. */
enum { PQTI_CSV_LONGEST_HEADER = 1 << 20, PQTI_CSV_LONGEST_RECORD = 1 << 27 };

/* The maximum size of what may precede the header, with a byte more: see pqti_csv_skip_preface. */
enum { PQTI_CSV_LONGEST_PREFACE = 3 + 5 + 2 + 1 };

/* A place in a file. */
typedef struct pqti_csv {
    const char *bytes;
    size_t at;      /* the next byte */
    size_t end;     /* the number of bytes */
    size_t line;    /* the line of the next byte, counted from 1 */
    size_t most;    /* the maximum size of a record, in bytes */
    char separator; /* the byte between two fields */
} pqti_csv;

/* The result of reading a field. After a fault, `at` is the place of the fault. */
typedef enum pqti_csv_result {
    PQTI_CSV_FIELD,       /* another field follows in the record */
    PQTI_CSV_RECORD,      /* the field ends the record; `at` is after its line end */
    PQTI_CSV_OPEN_QUOTE,  /* fault: the file ends inside quotes */
    PQTI_CSV_WRONG_QUOTE, /* fault: a quote inside a field, or text after a quoted field */
    PQTI_CSV_ZERO,        /* fault: a zero byte */
    PQTI_CSV_LONG         /* fault: the record is too long */
} pqti_csv_result;

/* A field, and the bytes between its separators, which include spaces and quotes. */
typedef struct pqti_csv_field {
    pqt_field text;
    size_t start, end;
} pqti_csv_field;

/* Skips a line if it is blank. Returns false if it is not, or at the end of the file. Blanks at the
   end of the file are skipped, too. */
bool pqti_csv_skip_blank_line(pqti_csv *csv);

/* Reads the next field of the record that began at `record`. */
pqti_csv_result pqti_csv_next(pqti_csv *csv, size_t record, pqti_csv_field *found);

/* Skips what may precede the header: a byte-order mark and, after it, a line that names the
   separator, such as sep=; (as Excel reads and writes). Returns true if there is such a line, whose
   separator is then that of the file. */
bool pqti_csv_skip_preface(pqti_csv *csv);

/* Returns the length of the line end at a place: 0 if there is none, 2 for CRLF, otherwise 1. */
size_t pqti_csv_line_end(const char *bytes, size_t length);

#endif
