/* SPDX-License-Identifier: MIT */
/*
 * line_input.h: opens the lines that commands use as inputs. The name postgresql://...#NAME@NUMBER
 * refers to a version of a line.
 *
 * The number follows the last @. If no number follows it, the last @ only ends the name: #me@home@
 * is the newest version of the line me@home.
 */
#ifndef LINE_INPUT_H
#define LINE_INPUT_H

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/store_input.h"

/* A line that is open, and the version to which its address refers. */
typedef struct opened_line {
    char *address;    /* the address, without @NUMBER */
    const char *name; /* the name of the line with #, for messages, because a URL may contain a
                         password */
    pqt_line *line;
    uint64_t number; /* the number of the version that the address names, or of the newest version
                        if it names none */
} opened_line;

/* Returns the address to pass to pqt_line_open for a line that will be changed. An @ at the end of
   the argument is not part of the name. Ends the program with an error if the address names a
   version. */
char *line_address(const char *name);

/* Opens the line that an address names. Ends the program with an error if that fails. */
opened_line line_open_named(const char *name, pqt_line_access access);

/* Opens a line to push to it. The address must not name a version. Ends the program with an error
   if that fails. */
opened_line line_open_to_push(const char *name, const char *author);

/* Opens a line to push a version that was made from the version that the address names. Ends the
   program with an error if that fails. */
opened_line line_open_to_save(const char *name, const char *author);

void line_close_named(opened_line *opened);

/* Returns the version that the address names. Ends the program with an error if it does not
   exist. */
const void *line_version(const opened_line *opened);

/* The numbers and fingerprints of the versions of a line. */
typedef struct line_index {
    struct line_version *versions; /* sorted by fingerprint, then by number */
    size_t count;
} line_index;

line_index line_make_index(const opened_line *opened);
void line_free_index(line_index *index);

/* Returns the smallest number above `after` of a version with the given fingerprint, or 0 if there
   is none. */
uint64_t line_find_version(const line_index *index, pqt_fingerprint fingerprint, uint64_t after);

/* An entry of a store that is also a version of a line. */
typedef struct shared_entry {
    uint64_t entry;
    uint64_t number; /* the number of this version in the line; 0: the line does not have it */
} shared_entry;

/* Returns the last entry of a path that the line also has. A version may equal an older one, for
   instance after an undo. So entries are compared in order, beginning at the root, and each only
   with versions after the previous match. */
shared_entry line_find_shared(const opened_line *line, const opened_store *store,
                              const store_path *path);

#endif
