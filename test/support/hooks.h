/* SPDX-License-Identifier: MIT */
/*
 * hooks.h: lets a test count the library's allocations, fail one of them, or collect before them.
 *
 *     hooks watch = {.fail_at = 3};
 *     hooks_start(&watch);
 *     const pqt_tree *next = pqt_tree_insert(tree, item, &error);
 *     hooks_stop();
 *     if (watch.failures == 1) ...
 *
 * The whole process has at most one watch at a time. Start and stop it while no other thread uses
 * the library: neither the watch nor the hook beneath it has a lock.
 */
#ifndef TEST_HOOKS_H
#define TEST_HOOKS_H

#include <stddef.h>

#include "memory/memory_internal.h"

#define HOOKS_KINDS (PQTI_BLOCK_SCRATCH + 1)

typedef struct hooks {
    /* The test sets these members. If all are 0, the watch only counts. */
    size_t fail_at;       /* the number of the allocation to fail, counted from 1; 0: none fails */
    size_t collect_every; /* before every n-th allocation, collect `memory`; 0: never */
    size_t slice;         /* the number of blocks that it marks or sweeps; 0 means all */
    pqt_memory *memory;

    /* The test reads these members. hooks_start sets them to 0. */
    size_t calls;               /* the number of allocations, including a failed one */
    size_t failures;            /* the number of allocations that this watch failed: 0 or 1 */
    size_t collections;         /* the number of collections that this watch ran */
    size_t blocks[HOOKS_KINDS]; /* the number of allocations that succeeded, for each pqti_block */
    size_t bytes[HOOKS_KINDS];  /* the sums of the sizes of these blocks */
} hooks;

void hooks_start(hooks *watch);
void hooks_stop(void);

/* Return the number and the bytes of the nodes and leaves that were allocated. */
size_t hooks_kept_blocks(const hooks *watch);
size_t hooks_kept_bytes(const hooks *watch);

#endif
