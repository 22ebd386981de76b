/* SPDX-License-Identifier: MIT */
/* save_input.h: reads the version that `pqt save` adds, which may be of any kind. */
#ifndef SAVE_INPUT_H
#define SAVE_INPUT_H

#include <pqt.h>

typedef struct save_input {
    const char *name; /* the name of its file for messages; for a line, only the name of the line,
                         with # and @NUMBER */
    pqt_kind kind;
    const void *version;
} save_input;

/* Reads the version from a file. Ends the program with an error if that fails. */
save_input save_load(const char *file);

/* Returns the version to add after another one. If it is a tree, its items go into a tree with the
   bounds and options of the other one. Ends the program with an error if the input is of another
   kind. `holder` is the noun for the store or line that contains the versions, for the message. */
const void *save_version_after(const save_input *given, pqt_kind kind, const void *before,
                               const char *holder);

#endif
