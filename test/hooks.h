/* SPDX-License-Identifier: MIT */
/*
 * hooks.h: watching the library's allocations from a test: count them, fail one, or collect.
 *
 *     hooks watch = {.fail_at = 3};
 *     hooks_start(&watch);
 *     const pqt_tree *next = pqt_tree_insert(tree, item, &error);
 *     hooks_stop();
 *     if (watch.failures == 1) ...
 *
 * One watch at a time, for the whole process. Start and stop it while no other thread uses the
 * library: neither the watch nor the hook beneath it has a lock.
 */
#ifndef TEST_HOOKS_H
#define TEST_HOOKS_H

#include <stddef.h>

#include "memory/memory_internal.h"

#define HOOKS_KINDS (PQTI_BLOCK_SCRATCH + 1)

typedef struct hooks {
    /* Set by the test. All 0: only counts. */
    size_t fail_at;       /* the n-th allocation from the start fails, from 1; 0: none */
    size_t collect_every; /* each n-th allocation collects `memory` first; 0: none */
    size_t slice;         /* blocks that such a collection marks or sweeps; 0: all of it */
    pqt_memory *memory;

    /* For the test to read; set to 0 by hooks_start. */
    size_t calls;               /* allocations requested, including a failed one */
    size_t failures;            /* allocations failed by this watch: 0 or 1 */
    size_t collections;         /* collections made by this watch */
    size_t blocks[HOOKS_KINDS]; /* allocations that were let through, by pqti_block */
    size_t bytes[HOOKS_KINDS];  /* their sizes */
} hooks;

void hooks_start(hooks *watch);
void hooks_stop(void);

/* Nodes and leaves, without pins and scratch. */
size_t hooks_kept_blocks(const hooks *watch);
size_t hooks_kept_bytes(const hooks *watch);

#endif
