/* SPDX-License-Identifier: MIT */
/*
 * input_file.h: opens input files, recognises .pqt files by their content, and reads versions.
 */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

typedef struct input_file {
    const char *name; /* the name for messages; for a line, only the name of the line, with # and
                         @NUMBER */
    FILE *stream;
    const void *version; /* the version, if the input is a store or a line; otherwise NULL */
    bool is_pqt;         /* the input begins like a .pqt file, or is a store or a line */
    bool is_json;        /* the input begins like JSON */
    pqt_kind kind;       /* the kind of a .pqt file, or PQT_KIND_NONE if its beginning is
                            damaged */
    unsigned char head[PQT_BYTES_HEAD]; /* the first bytes of a .pqt file */
    size_t head_length, head_used;
    uint64_t taken; /* the number of bytes of a .pqt file that were read as the version */
} input_file;

/* Opens a file, or a version in a store or a line; "-" is standard input. If the file is neither a
   .pqt file nor a store, its stream is at the beginning afterwards. Ends the program with an error
   if the input cannot be opened. */
input_file input_open(const char *name);
void input_close(input_file *from);

/* Read the version in a .pqt file, which must contain nothing else. End the program with an error
   if the version cannot be read. The second function refuses other kinds than the one needed; of a
   document, it returns the only part of that kind. */
const void *input_version(input_file *from);
const void *input_of_kind(input_file *from, pqt_kind needed);

#endif
