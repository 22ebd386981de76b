/* SPDX-License-Identifier: MIT */
/*
 * head_internal.h - heads of versions of any kind, for the typed functions that the public has.
 *
 * Versions of one head are all of one kind. Another kind gets a number in memory.h, and functions
 * like those of head.c. `function` is the public one, whose mistake it would be.
 */
#ifndef PQTI_HEAD_INTERNAL_H
#define PQTI_HEAD_INTERNAL_H

#include <pqt/head.h>

#include "memory/memory_internal.h"

/* A version and its number. */
typedef struct pqti_numbered_value {
    const void *version; /* NULL: there is none */
    uint64_t number;
} pqti_numbered_value;

/* What is to be published: a version of its memory. */
typedef struct pqti_head_value {
    const void *version; /* NULL: none was made, and maybe an error was told */
    pqt_memory *memory;
} pqti_head_value;

typedef pqti_head_value pqti_next_fn(const void *now, void *context, pqt_error *error);

pqt_head *pqti_head_make(pqti_kind kind, pqti_head_value first, pqt_error *error);
pqti_numbered_value pqti_head_load(const char *function, const pqt_head *head, pqti_kind kind);
pqt_pin *pqti_head_pin(const char *function, const pqt_head *head, pqti_kind kind, uint64_t *number,
                       pqt_error *error);
bool pqti_head_publish(const char *function, pqt_head *head, pqti_kind kind, pqti_head_value next,
                       pqt_error *error);

/* The version is NULL on failure. */
pqti_numbered_value pqti_head_update(const char *function, pqt_head *head, pqti_kind kind,
                                     pqti_next_fn *next, void *context, pqt_error *error);

/* How many threads wait for a newer version now: for tests. */
unsigned pqti_head_waiters(pqt_head *head);

#endif
