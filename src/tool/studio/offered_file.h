/* SPDX-License-Identifier: MIT */
/* offered_file.h: the files on the command line of `pqt studio`, and replacing one of them. */
#ifndef OFFERED_FILE_H
#define OFFERED_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct offered_file {
    const char *path;
    const char *name; /* the last component of the path; no two files have the same */
    bool is_shared;   /* a store or a line: it has no path, and pages share its history */
} offered_file;

typedef struct offered_files {
    offered_file *list;
    size_t count, capacity;
} offered_files;

/* Adds a file. Ends the program with an error unless it is a regular file that can be read, whose
   name ends in .csv, .png or .pqt and differs from the names of earlier files. */
void offer_file(offered_files *files, const char *path);

/* Adds a shared history. Ends the program with an error if a file has its name. */
void offer_shared(offered_files *files, const char *name);

/* Returns the file with a name; NULL if there is none. */
const offered_file *find_offered(const offered_files *files, const char *name);

/* Returns the names of the files as JSON. The caller frees it. */
char *offered_as_json(const offered_files *files);

/* New contents of a file. They are written next to it before they replace it. */
typedef struct replacement {
    const offered_file *file;
    char *path;        /* the path of the new contents */
    int descriptor;    /* -1: closed */
    size_t size;       /* bytes written */
    char failure[256]; /* the first failure; empty: none */
} replacement;

/* The largest size of new contents. */
#define MOST_OFFERED_BYTES ((size_t)256 * 1024 * 1024)

/* Begin, continue and end a replacement. After a failure the old contents remain. A file whose name
   ends in .pqt can only be replaced by a version. */
replacement *begin_replacement(const offered_file *file);
void append_replacement(replacement *new_contents, const void *bytes, size_t size);
bool finish_replacement(replacement *new_contents);

/* Frees a replacement, and removes unfinished contents. */
void drop_replacement(replacement *new_contents);

#endif
