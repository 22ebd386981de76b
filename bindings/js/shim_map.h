/* SPDX-License-Identifier: MIT */
/*
 * shim_map.h: the format of map keys and values in the buffer, and answers to merge conflicts.
 *
 * An id or a number is a 64-bit word. A byte string is its length, its bytes, and zeros up to a
 * whole word. A value that may be absent is preceded by a word of 1, or replaced by a word of 0.
 *
 * A merge calls no JavaScript function, because that could itself call the library. It writes the
 * conflicts to the buffer instead, each with a hash of its subject, and resolves those without an
 * answer in favour of ours. JavaScript then merges again with an answer to each conflict: the hash,
 * a resolution, the number of bytes that follow, and a value, items or a handle. This repeats until
 * every conflict has an answer.
 */
#ifndef PQT_SHIM_MAP_H
#define PQT_SHIM_MAP_H

#include "shim.h"

typedef struct map_kinds {
    bool ids, numbers; /* whether keys are ids and values numbers; otherwise byte strings */
} map_kinds;

map_kinds kinds_of_map(const pqt_map *map);

uint64_t take_word(const char **from);
pqt_map_key take_key(const char **from, map_kinds kinds);
pqt_map_value take_value(const char **from, map_kinds kinds);

bool append_key(pqt_map_key key, map_kinds kinds);

/* Appends a word of 1 and the value, or a word of 0 if there is none. */
bool append_value(const pqt_map_value *value, map_kinds kinds);

uint64_t hash_of_conflict(uint64_t seed, const void *bytes, size_t count);
uint64_t hash_of_key(uint64_t seed, pqt_map_key key, map_kinds kinds);

typedef struct answers {
    char *bytes;       /* a copy of the buffer, to be freed */
    const char *next;  /* the position in these bytes */
    size_t count;      /* the number of answers */
    size_t taken;      /* the number of answers taken so far */
    int32_t conflicts; /* the number of conflicts that have occurred */
} answers;

bool answers_from_buffer(answers *all, size_t count, size_t bytes);

/* Begins a merge with an empty buffer. */
void rewind_answers(answers *all);

/* Returns the bytes after the resolution; NULL if there is no answer to this conflict. */
const char *answer_to(answers *all, uint64_t hash, int *resolution);

#endif
