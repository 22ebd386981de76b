/* SPDX-License-Identifier: MIT */
/*
 * line_input.h: lines as inputs: postgresql://...#NAME@NUMBER names a version of one.
 *
 * The number comes after the last @. Without a number after it, the last @ ends the name: so
 * #me@home@ is the newest version of the line me@home.
 */
#ifndef LINE_INPUT_H
#define LINE_INPUT_H

#include "tool/store_input.h"

/* A line. */
typedef struct opened_line {
    char *address;    /* the address without @NUMBER */
    const char *name; /* the line's name, with #, for messages: a URL may have a password */
    pqt_line *line;
    uint64_t number; /* the version that the address names, or the newest one if it names none */
} opened_line;

/* Returns the address to pass to pqt_line_open for a line that is changed. An @ at its end is not
 * part of the name. Ends the program with an error if the address names a version. */
char *line_address(const char *name);

/* Opens the line of an address. Ends the program with an error if it cannot. */
opened_line line_open_named(const char *name, pqt_line_access access);

/* Opens the line of an address that names no version, to push to it. Ends the program with an error
   if it cannot. */
opened_line line_open_to_push(const char *name, const char *author);

/* Opens the line of an address, to push a version that was made from the version that the address
   names. Ends the program with an error if it cannot. */
opened_line line_open_to_save(const char *name, const char *author);

void line_close_named(opened_line *opened);

/* Returns the version that the address names. Ends the program with an error if there is none. */
const void *line_version(const opened_line *opened);

/* The numbers and fingerprints of the versions of a line. */
typedef struct line_index {
    struct line_version *versions; /* sorted by fingerprint, then by number */
    size_t count;
} line_index;

line_index line_make_index(const opened_line *opened);
void line_free_index(line_index *index);

/* Returns the least number above `after` of a version with a fingerprint; 0 if there is none. */
uint64_t line_find_version(const line_index *index, pqt_fingerprint fingerprint, uint64_t after);

/* An entry of a store that a line has. */
typedef struct shared_entry {
    uint64_t entry;
    uint64_t number; /* its number in the line; 0: the line does not have it */
} shared_entry;

/* Returns the last entry of a path that the line has. A version may be equal to an older one, for
 * instance after an undo. So entries are compared from the root on, each with the versions after
 * the previous match. */
shared_entry line_find_shared(const opened_line *line, const opened_store *store,
                              const store_path *path);

#endif
