/* SPDX-License-Identifier: MIT */
/* suggestion.h: finds the word that a user may have meant by an unknown one. */
#ifndef SUGGESTION_H
#define SUGGESTION_H

#include <stddef.h>

typedef struct suggestion {
    const char *word; /* as the user wrote it */
    const char *best; /* the known word that is most like it; NULL if none is like it */
    size_t edits;     /* the number of edits that change one into the other */
} suggestion;

/* Compares a word that exists with the word of the user. Keeps it if it is more like it than those
   before: if at most one in three letters, and at least one letter, was inserted, left out,
   replaced, or swapped with the next one. */
void suggestion_consider(suggestion *s, const char *known);

#endif
