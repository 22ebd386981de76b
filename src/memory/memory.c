/* SPDX-License-Identifier: MIT */
/*
 * memory.c: implements the parts of allocation that all memories share, which are hooks, pins and
 * scratch.
 *
 * Invariant: if an allocation hook is set, nothing is allocated without its consent. So a test that
 * fails or collects at the n-th allocation, for each n, covers every allocation.
 */
#include "config.h"

#include "memory/memory_internal.h"

#include <pqt/heap.h>

#include "base/error_internal.h"

#include <stdlib.h>
#include <string.h>

static pqti_allocation_hook *hook;
static void *hook_context;
static pqti_lifetime_hook *lifetime_hook;

static bool
is_allocation_allowed(pqti_block kind, size_t size)
{
    return hook == NULL || hook(kind, size, hook_context);
}

typedef void *alloc_fn(pqt_memory *memory, size_t size);

static __attribute__((noinline)) void *
alloc_if_allowed(alloc_fn *alloc, pqt_memory *memory, pqti_block kind, size_t size)
{
    return is_allocation_allowed(kind, size) ? alloc(memory, size) : NULL;
}

/* If there is no hook, the memory's function is called last, so the compiler emits a tail call. */
static inline void *
alloc_block(alloc_fn *alloc, pqt_memory *memory, pqti_block kind, size_t size)
{
    return hook == NULL ? alloc(memory, size) : alloc_if_allowed(alloc, memory, kind, size);
}

void
pqti_set_allocation_hook(pqti_allocation_hook *new_hook, void *context)
{
    hook = new_hook;
    hook_context = context;
}

void
pqti_set_lifetime_hook(pqti_lifetime_hook *new_hook)
{
    lifetime_hook = new_hook;
}

/* If a block that must be freed is not NULL, reports it to the lifetime hook. Returns the block. */
static void *
begin_lifetime(pqti_block kind, void *block)
{
    if (lifetime_hook != NULL && block != NULL)
        lifetime_hook(kind, true);
    return block;
}

static void
end_lifetime(pqti_block kind, const void *block)
{
    if (lifetime_hook != NULL && block != NULL)
        lifetime_hook(kind, false);
}

static __attribute__((noinline)) void *
alloc_node_if_allowed(pqt_memory *memory, pqti_layout *layout)
{
    return is_allocation_allowed(PQTI_BLOCK_NODE, layout->size)
               ? memory->calls->alloc_node(memory, layout)
               : NULL;
}

void *
pqti_alloc_node(pqt_memory *memory, pqti_layout *layout)
{
    PQTI_DEBUG_ASSERT(layout->size != 0 && layout->size % PQTI_GRANULE == 0,
                      "the size of a node is not a multiple of 16");
    return hook == NULL ? memory->calls->alloc_node(memory, layout)
                        : alloc_node_if_allowed(memory, layout);
}

void *
pqti_alloc_list(pqt_memory *memory, size_t size)
{
    PQT_INVARIANT(size != 0 && size % PQTI_GRANULE == 0,
                  "the size of a list is not a multiple of 16");
    return alloc_block(memory->calls->alloc_list, memory, PQTI_BLOCK_NODE, size);
}

void *
pqti_alloc_leaf(pqt_memory *memory, size_t size)
{
    PQT_INVARIANT(size != 0 && size % PQTI_GRANULE == 0,
                  "the size of a leaf is not a multiple of 16");
    return alloc_block(memory->calls->alloc_leaf, memory, PQTI_BLOCK_LEAF, size);
}

void *
pqti_alloc_scanned_leaf(pqt_memory *memory, size_t size)
{
    PQT_INVARIANT(size != 0 && size % PQTI_GRANULE == 0,
                  "the size of a leaf is not a multiple of 16");
    return alloc_block(memory->calls->alloc_scanned_leaf, memory, PQTI_BLOCK_LEAF, size);
}

void *
pqti_alloc_scratch(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    const size_t bytes = count * size;
    if (!is_allocation_allowed(PQTI_BLOCK_SCRATCH, bytes))
        return NULL;
    /* malloc(0) may return NULL, which would look like a failure. */
    return begin_lifetime(PQTI_BLOCK_SCRATCH, malloc(bytes != 0 ? bytes : 1));
}

void
pqti_free_scratch(void *scratch)
{
    end_lifetime(PQTI_BLOCK_SCRATCH, scratch);
    free(scratch);
}

void *
pqti_resize_scratch(void *scratch, size_t count, size_t capacity, size_t size)
{
    void *resized = pqti_alloc_scratch(capacity, size);
    if (resized == NULL)
        return NULL;
    if (count > 0)
        memcpy(resized, scratch, count * size);
    pqti_free_scratch(scratch);
    return resized;
}

void *
pqti_grow_scratch(void *scratch, size_t count, size_t *capacity, size_t more, size_t size)
{
    enum { FIRST_CAPACITY = 16 };
    if (scratch != NULL && more <= *capacity - count)
        return scratch;
    size_t larger = 2 * *capacity + more;
    if (larger < FIRST_CAPACITY)
        larger = FIRST_CAPACITY;
    void *grown = pqti_resize_scratch(scratch, count, larger, size);
    if (grown != NULL)
        *capacity = larger;
    return grown;
}

size_t
pqti_block_size(const pqt_memory *memory, const void *block, size_t asked)
{
    return memory->calls->size(memory, block, asked);
}

void
pqti_collect(pqt_memory *memory)
{
    memory->calls->collect(memory);
}

pqt_memory_stats
pqt_memory_get_stats(const pqt_memory *memory)
{
    PQT_ASSERT(memory != NULL, "memory is NULL");
    return memory->calls->stats(memory);
}

void *
pqti_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context)
{
    if (!is_allocation_allowed(PQTI_BLOCK_PIN, size))
        return NULL;
    return begin_lifetime(PQTI_BLOCK_PIN,
                          memory->calls->alloc_holder(memory, size, trace, context));
}

void
pqti_free_copied_holder(pqt_memory *memory, void *block)
{
    end_lifetime(PQTI_BLOCK_PIN, block);
    if (block != NULL)
        memory->calls->free_holder(memory, block);
}

/* Reports the roots when they are gone: a cycle that began before would mark them again. */
void
pqti_free_holder(pqt_memory *memory, void *block)
{
    pqti_free_copied_holder(memory, block);
    if (block != NULL)
        pqti_roots_removed(memory);
}

bool
pqti_thread_is_registered(const pqt_memory *memory)
{
    return memory->calls->thread_is_registered(memory);
}

pqt_pin *
pqti_pin(pqt_memory *memory, pqt_kind kind, const void *version, pqt_error *error)
{
    PQT_INVARIANT(version != NULL, "the version to pin is NULL");
    PQT_INVARIANT(((uintptr_t)memory & 3) == 0,
                  "the address of a memory has no free bits for a kind");
    pqt_pin *pin = is_allocation_allowed(PQTI_BLOCK_PIN, sizeof *pin)
                       ? begin_lifetime(PQTI_BLOCK_PIN, memory->calls->alloc_pin(memory))
                       : NULL;
    if (pin == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    pin->mem_and_kind = (uintptr_t)memory | kind;
    atomic_store(&pin->object, version);
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->pin_set(memory, pin);
    return pin;
}

pqt_kind
pqti_pin_kind(const pqt_pin *pin)
{
    return (pqt_kind)(pin->mem_and_kind & PQTI_KIND_MASK);
}

pqt_memory *
pqti_pin_memory(const pqt_pin *pin)
{
    return (pqt_memory *)(pin->mem_and_kind - pqti_pin_kind(pin));
}

const void *
pqti_pinned(const char *function, const pqt_pin *pin, pqt_kind kind)
{
    PQT_ASSERT_IN(function, pin != NULL, "the pin is NULL");
    PQT_ASSERT_IN(function, pqti_pin_kind(pin) == kind, "the pin keeps a version of another kind");
    (void)function;
    (void)kind;
    return atomic_load_explicit(&pin->object, memory_order_relaxed);
}

void
pqt_unpin(pqt_pin **pin)
{
    if (pin == NULL || *pin == NULL)
        return;
    pqt_memory *memory = pqti_pin_memory(*pin);
    end_lifetime(PQTI_BLOCK_PIN, *pin);
    memory->calls->free_pin(memory, *pin);
    *pin = NULL;
}

void
pqti_out_of_memory(pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_MEMORY, 0, "memory: exhausted, or its limit is reached");
}

/* ---- Functions of heaps only ---- */

bool
pqt_memory_reclaim(pqt_memory *memory, size_t blocks)
{
    PQT_ASSERT(memory != NULL, "the memory is NULL");
    return memory->calls->reclaiming == NULL || memory->calls->reclaiming->reclaim(memory, blocks);
}

bool
pqt_scope_begin(pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(memory != NULL, "the memory is NULL");
    return pqti_scope_begin(memory, error);
}

void
pqt_scope_end(pqt_memory *memory)
{
    PQT_ASSERT(memory != NULL, "the memory is NULL");
    pqti_scope_end(memory);
}
