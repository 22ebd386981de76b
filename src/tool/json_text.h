/* SPDX-License-Identifier: MIT */
/* json_text.h: writes JSON: strings, and objects of facts. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pqt.h>

/* Ends the program with an error that names a file if a text of it is not UTF-8. */
void check_json_text(const char *text, const char *file);

/* Sorts the names of the members of an object, and ends the program with an error that names a file
   if two of them are equal. */
void check_json_names(const char **names, size_t count, const char *file);

/* Writes a string in quotes. Bytes that are not UTF-8 become U+FFFD. */
void write_json_string(FILE *stream, const char *text);

/* Returns the length of the number of JSON with which a text begins, or 0. Sets *precision to the
   number of its significant digits. */
size_t json_number_length(const char *text, size_t *precision);

/* Writes a field of a table: as a number if it is one of JSON with at most 15 digits that is
   neither too large nor too small for a double, so that each reader keeps it, and as a string if
   not. */
void write_json_field(FILE *stream, const char *text);

/* Writes an id as a number, or above 2^53 as a string, since not every reader keeps it then. */
void write_json_id(FILE *stream, uint64_t id);

/*
 * Facts, such as those that `pqt info` prints. Each is a name and a value: a line, or with --json a
 * member of an object on standard output. In the names of members, blanks are underscores.
 */
typedef struct facts {
    bool are_json;
    int width;    /* the width of names in lines */
    size_t count; /* the number of members so far */
} facts;

/* Ends the object. It begins with the first fact, so that nothing is printed if there is an error
   before. */
void facts_end(facts *all);

/* Writes the name of a member whose value follows, without the value. */
void fact_name(facts *all, const char *name);

/* Each writes a fact. In a line, a number has separators of thousands. */
void fact_text(facts *all, const char *name, const char *text);
void fact_number(facts *all, const char *name, uint64_t number);
void fact_box(facts *all, const char *name, pqt_box box);

#endif
