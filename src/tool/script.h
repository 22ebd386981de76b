/* SPDX-License-Identifier: MIT */
/*
 * script.h: reads scripts, which have one command with its arguments per line.
 *
 * Words are separated by blanks, and a # at the beginning of a word begins a comment. Any error
 * ends the program with a message that names the file and the line.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdio.h>

#include <pqt.h>

typedef struct script {
    const char *file;
    FILE *stream;
    size_t line; /* the number of the current line, counted from 1 */
    char *text;  /* the current line, split into words as they are read */
    size_t capacity;
    char *rest; /* the part of the line that has not been read yet */
} script;

/* Opens a file; "-" is standard input. */
script script_open(const char *file);

/* Advances to the next line that contains a word. Returns false at the end of the file. */
bool script_next(script *from);

void script_close(script *from);

/* Returns the next word of the line, or NULL after the last one. The word is valid until the next
   line is read. */
const char *script_word(script *from);

/* Returns the rest of the line. Ends the program with an error if it is empty. */
const char *script_rest(script *from, const char *what);

/* Parse the next word. If it is missing or invalid, end the program with an error that names
   `what`. */
uint64_t script_id(script *from, const char *what);
double script_number(script *from, const char *what);
pqt_box script_box(script *from, bool may_be_infinite); /* reads four numbers */

/* Returns true if the line has another word. */
bool script_has_more(script *from);

/* Ends the program with an error if the line has another word. */
void script_end(script *from);

#endif
