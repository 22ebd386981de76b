/* SPDX-License-Identifier: MIT */
/* offered_file.h: keeps the list of files on the command line of `pqt studio`, and replaces
   files. */
#ifndef OFFERED_FILE_H
#define OFFERED_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct offered_file {
    const char *path;
    const char *name; /* the last component of the path, which no other file has */
    bool is_shared;   /* the file is a store or a line: it has no path here, and pages share its
                         history */
} offered_file;

typedef struct offered_files {
    offered_file *list;
    size_t count, capacity;
} offered_files;

/* Adds a file. Ends the program with an error unless it is a regular file that can be read, and its
   name ends in .csv, .png or .pqt and differs from the names of all earlier files. */
void offer_file(offered_files *files, const char *path);

/* Adds a shared history. Ends the program with an error if a file has the same name. */
void offer_shared(offered_files *files, const char *name);

/* Returns the file with the given name, or NULL if there is none. */
const offered_file *find_offered(const offered_files *files, const char *name);

/* Returns the names of the files as JSON. The caller frees the text. */
char *offered_as_json(const offered_files *files);

/* New contents of a file, which are written to another file in the same folder before they replace
   the old ones. */
typedef struct replacement {
    const offered_file *file;
    char *path;        /* the path of the new contents */
    int descriptor;    /* -1: the file is closed */
    size_t size;       /* the number of bytes written */
    char failure[256]; /* the message of the first failure; empty: no failure */
} replacement;

/* The maximum size of new contents, in bytes. */
#define MOST_OFFERED_BYTES ((size_t)256 * 1024 * 1024)

/* Begin, continue and end a replacement. After a failure, the old contents remain. A file whose
   name ends in .pqt can be replaced only by a valid version. */
replacement *begin_replacement(const offered_file *file);
void append_replacement(replacement *new_contents, const void *bytes, size_t size);
bool finish_replacement(replacement *new_contents);

/* Frees a replacement, and removes its contents if they are unfinished. */
void drop_replacement(replacement *new_contents);

#endif
