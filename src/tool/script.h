/* SPDX-License-Identifier: MIT */
/*
 * script.h - a text of commands, one a line, and their arguments.
 *
 * Words are parted by blanks; what follows a # at the beginning of a word is a comment. Whatever is
 * wrong ends the program with the file and the line.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "tool/tool.h"

typedef struct script {
    const char *file;
    FILE *stream;
    size_t line; /* the one being read, from 1 */
    char *text;  /* it, cut into words as they are taken */
    size_t capacity;
    char *rest; /* what was not taken yet */
} script;

/* Opens a file; "-" is standard input. */
script script_open(const char *file);

/* Goes to the next line that has a word; false at the end of the file. */
bool script_next(script *from);

void script_close(script *from);

/* The next word of the line; NULL after the last. Valid until the next line. */
const char *script_word(script *from);

/* All that is left of the line; complains if nothing is. */
const char *script_rest(script *from, const char *what);

/* The next word, which must be there, as ... `what` is named in complaints. */
uint64_t script_id(script *from, const char *what);
double script_number(script *from, const char *what);
pqt_box script_box(script *from, bool may_be_infinite); /* four numbers */

/* Whether another word follows. */
bool script_has_more(script *from);

/* Complains if a word is left. */
void script_end(script *from);

#endif
