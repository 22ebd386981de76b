/* SPDX-License-Identifier: MIT */
/*
 * head_internal.h: heads of versions of any kind, which the typed public functions use.
 *
 * All versions of a head are of one kind. To add a kind, give it a number in memory_internal.h and
 * typed functions in head_kinds.c. The parameter `function` is the name of the public function, for
 * messages about misuse.
 *
 * Sources of this folder without a header of their own: head_kinds.c.
 */
#ifndef PQTI_HEAD_INTERNAL_H
#define PQTI_HEAD_INTERNAL_H

#include <pqt/head.h>

#include "memory/memory_internal.h"

/* A version and its number. */
typedef struct pqti_numbered_value {
    const void *version; /* NULL: the call failed */
    uint64_t number;
} pqti_numbered_value;

/* A version to publish, and its memory. */
typedef struct pqti_head_value {
    const void *version; /* NULL: no version was made, and an error may be set */
    pqt_memory *memory;
} pqti_head_value;

/* The type of a function that makes the next version from the newest one. */
typedef pqti_head_value pqti_next_fn(const void *now, void *context, pqt_error *error);

pqt_head *pqti_head_make(pqt_kind kind, pqti_head_value first, pqt_error *error);
pqti_numbered_value pqti_head_load(const char *function, const pqt_head *head, pqt_kind kind);
pqt_pin *pqti_head_pin(const char *function, const pqt_head *head, pqt_kind kind, uint64_t *number,
                       pqt_error *error);
bool pqti_head_publish(const char *function, pqt_head *head, pqt_kind kind, pqti_head_value next,
                       pqt_error *error);

/* Updates a head. The version in the result is NULL on failure. */
pqti_numbered_value pqti_head_update(const char *function, pqt_head *head, pqt_kind kind,
                                     pqti_next_fn *next, void *context, pqt_error *error);

/* Returns the number of threads that are waiting for a newer version. Only tests use it. */
unsigned pqti_head_waiters(pqt_head *head);

#endif
