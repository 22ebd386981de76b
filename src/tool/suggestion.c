/* SPDX-License-Identifier: MIT */
/*
 * suggestion.c: finds the word that a user may have meant by an unknown one.
 *
 * Two words are as far apart as the number of letters that must be inserted, left out, replaced, or
 * swapped with their neighbour, where no letter is edited twice (the optimal string alignment
 * distance, after Damerau, 1964).
 */
#include "config.h"

#include "tool/suggestion.h"

#include <string.h>

enum { MOST_LETTERS = 30 }; /* longer words are not compared */

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the number of edits from `a` to `b`, which have at most MOST_LETTERS letters. Row i of
   the table has the edits from the first i letters of `a` to the first j of `b`. */
static size_t
count_edits(const char *a, const char *b)
{
    size_t edits[MOST_LETTERS + 1][MOST_LETTERS + 1] = {{0}};
    const size_t length_a = strlen(a), length_b = strlen(b);
    for (size_t i = 0; i <= length_a; i++)
        for (size_t j = 0; j <= length_b; j++) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            edits[i][j] = least(edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                least(edits[i - 1][j], edits[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits[i][j] = least(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    return edits[length_a][length_b];
}

void
suggestion_consider(suggestion *s, const char *known)
{
    const size_t length = strlen(s->word);
    if (length > MOST_LETTERS || strlen(known) > MOST_LETTERS)
        return;
    const size_t edits = count_edits(s->word, known);
    if (edits <= length / 3 + (length < 3) && (s->best == NULL || edits < s->edits)) {
        s->best = known;
        s->edits = edits;
    }
}
