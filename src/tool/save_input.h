/* SPDX-License-Identifier: MIT */
/* save_input.h: the version that `pqt save` adds, of any kind. */
#ifndef SAVE_INPUT_H
#define SAVE_INPUT_H

#include "tool/tool.h"

typedef struct save_input {
    const char *name; /* the name of its file; for a line, only its name, with # and @NUMBER */
    pqt_bytes_kind kind;
    const void *version;
} save_input;

/* Reads the version of a file. Ends the program with an error if it cannot. */
save_input save_load(const char *file);

/* Returns the version to add after another one: items go into a tree with its bounds and options.
   Ends the program with an error if the input is of another kind. `holder` is the noun of what has
   the versions, for the message. */
const void *save_version_after(const save_input *given, pqt_bytes_kind kind, const void *before,
                               const char *holder);

#endif
