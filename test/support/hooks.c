/* SPDX-License-Identifier: MIT */
/* hooks.c: watches the allocations of the library in a test. */
#include "config.h"

#include "hooks.h"

#include <pqt/heap.h>

#include <stdbool.h>
#include <string.h>

static bool
is_due(size_t every, size_t calls)
{
    return every != 0 && calls % every == 0;
}

static bool
on_allocation(pqti_block kind, size_t size, void *context)
{
    hooks *watch = context;
    watch->calls++;
    if (is_due(watch->collect_every, watch->calls)) {
        if (watch->slice > 0)
            (void)pqt_memory_reclaim(watch->memory, watch->slice);
        else
            pqti_collect(watch->memory);
        watch->collections++;
    }
    if (watch->calls == watch->fail_at) {
        watch->failures++;
        return false;
    }
    watch->blocks[kind]++;
    watch->bytes[kind] += size;
    return true;
}

void
hooks_start(hooks *watch)
{
    watch->calls = watch->failures = watch->collections = 0;
    memset(watch->blocks, 0, sizeof watch->blocks);
    memset(watch->bytes, 0, sizeof watch->bytes);
    pqti_set_allocation_hook(on_allocation, watch);
}

void
hooks_stop(void)
{
    pqti_set_allocation_hook(NULL, NULL);
}

size_t
hooks_kept_blocks(const hooks *watch)
{
    return watch->blocks[PQTI_BLOCK_NODE] + watch->blocks[PQTI_BLOCK_LEAF];
}

size_t
hooks_kept_bytes(const hooks *watch)
{
    return watch->bytes[PQTI_BLOCK_NODE] + watch->bytes[PQTI_BLOCK_LEAF];
}
