/* SPDX-License-Identifier: MIT */
/*
 * version_copier.h: copies versions of maps and regions to another memory. Blocks that the versions
 * share stay shared.
 *
 * A hash table from blocks and versions to their copies ensures that each is copied once. So the
 * cost of copying many versions depends only on the number and sizes of their distinct blocks.
 *
 * The table is in scratch memory, which no collector scans. The copies stay alive nevertheless:
 * until the copy of the parent refers to the copy of a block, a stack frame does. A list that the
 * collector scans refers to finished versions.
 */
#ifndef PQTI_VERSION_COPIER_H
#define PQTI_VERSION_COPIER_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>
#include <pqt/memory.h>

#include "memory/block_table.h"

typedef struct pqti_copier {
    pqt_memory *memory; /* the memory of the copies */
    pqti_hashtable copies;
} pqti_copier;

/* The type of a function that returns the copy of a version. It sets `error` and returns NULL when
   out of memory. */
typedef const void *pqti_copy_fn(pqti_copier *copier, const void *version, pqt_error *error);

/* Copies the versions of an array to a memory, where NULL is the default one. `versions` and
   `copies` are arrays of pointers to versions of one kind; `copies` is written only on success.
   Returns false and sets `error` when out of memory. */
bool pqti_copy_versions(const void *versions, size_t count, pqt_memory *memory, void *copies,
                        pqti_copy_fn *copy, pqt_error *error);

#endif
