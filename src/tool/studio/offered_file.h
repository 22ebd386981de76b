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
   name has an ending that the studio opens, and differs from the names of all earlier files. */
void offer_file(offered_files *files, const char *path);

/* Adds a shared history. Ends the program with an error if a file has the same name. */
void offer_shared(offered_files *files, const char *name);

/* Returns the file with the given name, or NULL if there is none. */
const offered_file *find_offered(const offered_files *files, const char *name);

/* Returns the names of the files as JSON, and whether the server can replace them. The caller frees
   the text. */
char *offered_as_json(const offered_files *files, bool can_replace);

/* The entity tag of a file in HTTP, with its quotes. It changes when the file does: it consists of
   the size, the time of the last modification and the number of the file. */
typedef struct file_tag {
    char text[80];
} file_tag;

struct stat;
file_tag tag_of_file(const struct stat *status);

/* The result of a replacement: what the file has now, or why it is unchanged. */
typedef enum replacement_result {
    REPLACED,
    REFUSED, /* the new contents are unsuitable, or the file cannot be written */
    CHANGED, /* the file is not the one that the request names */
    GONE     /* the file no longer exists */
} replacement_result;

/* New contents of a file, which are written to another file in the same folder before they replace
   the old ones. */
typedef struct replacement {
    const offered_file *file;
    char *target;              /* the path of the file, without links */
    char *path;                /* the path of the new contents; NULL: there is no such file */
    int descriptor;            /* of the new contents; -1: closed */
    size_t size;               /* the number of bytes written */
    replacement_result result; /* REPLACED until a failure */
    file_tag tag;              /* of the file that was replaced; in the end, of the new one */
    char failure[256];         /* the message of the first failure */
} replacement;

/* The maximum size of new contents, in bytes. */
#define MOST_OFFERED_BYTES ((size_t)256 * 1024 * 1024)

/*
 * Begin, continue and end a replacement. `expected` is the tag of the contents that may be
 * replaced, or "*" for any. After a failure, the old contents remain, and the later calls do
 * nothing. The new contents must be readable as the kind of file that the name says, and those of a
 * .pqt file must have the same kind as the old ones. The new file has the mode of the old one. A
 * file with several names is refused, because the others would keep the old contents.
 * begin_replacement returns NULL when out of memory.
 */
replacement *begin_replacement(const offered_file *file, const char *expected);
void append_replacement(replacement *new_contents, const void *bytes, size_t size);
void finish_replacement(replacement *new_contents, const char *expected);

/* Frees a replacement, and removes its contents if they are unfinished. */
void drop_replacement(replacement *new_contents);

#endif
