/* SPDX-License-Identifier: MIT */
/*
 * heap.c: the interface of heaps, memories that reclaim the versions that no root holds.
 *
 * A thread allocates a block from its own cache, without a lock, if the cache has a block of the
 * right class (heap_slab.c). heap_cycle.c finds and frees the blocks that no root reaches. It does
 * so only during calls of the library. heap_root.c has the roots, and heap_thread.c the threads.
 */
#include "config.h"

#include "memory/heap_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/option_structs.h"
#include "base/unload.h"
#include "memory/aligned.h"
#include "memory/owner.h"

static _Atomic(pqt_memory *) default_heap;

/* ---- Blocks ---- */

static bool
refill_cache(pqti_heap *heap, pqti_block_cache *cache, unsigned class_index, size_t size,
             const pqti_layout *layout)
{
    pqti_heap_lock(heap);
    const bool done = pqti_heap_refill(heap, cache, class_index, size, layout);
    heap->is_full = heap->is_full || !done;
    pqti_heap_unlock(heap);
    return done;
}

/* Takes the first free block of a cache, which has at least one. */
static inline void *
take_block(pqti_block_cache *cache)
{
    void *block = cache->base + (size_t)__builtin_ctzll(cache->free) * cache->size;
    cache->free &= cache->free - 1;
    pqti_unpoison(block, cache->size);
    return block;
}

static __attribute__((noinline)) void *
refill_and_take(pqti_heap *heap, unsigned class_index, const pqti_layout *layout)
{
    const size_t size = layout != NULL ? layout->size : pqti_leaf_class_size(class_index);
    pqti_heap_thread *state = pqti_heap_thread_of(heap);
    if (state == NULL)
        return NULL;
    pqti_block_cache *cache = &state->caches[class_index];
    return cache->free != 0 || refill_cache(heap, cache, class_index, size, layout)
               ? take_block(cache)
               : NULL;
}

static inline void *
alloc_of_class(pqti_heap *heap, unsigned class_index, const pqti_layout *layout)
{
    if (pqti_heap_my_states.recent_id == heap->id) {
        pqti_block_cache *cache = &pqti_heap_my_states.recent->caches[class_index];
        if (cache->free != 0)
            return take_block(cache);
    }
    return refill_and_take(heap, class_index, layout);
}

static void *
heap_alloc_leaf(pqt_memory *memory, size_t size)
{
    pqti_heap *heap = pqti_heap_of(memory);
    if (size <= PQTI_SMALL_MAX)
        return alloc_of_class(heap, pqti_leaf_class(size), NULL);
    pqti_heap_lock(heap);
    void *block = pqti_heap_alloc_large(heap, size, NULL);
    heap->is_full = heap->is_full || block == NULL;
    pqti_heap_unlock(heap);
    return block;
}

static void *
heap_alloc_list(pqt_memory *memory, size_t size)
{
    void *block = heap_alloc_leaf(memory, size);
    return block != NULL ? memset(block, 0, size) : NULL;
}

static void *
heap_alloc_node(pqt_memory *memory, pqti_layout *layout)
{
    if (layout->references == 0)
        return heap_alloc_list(memory, layout->size);
    const unsigned class_index = PQTI_LEAF_CLASSES - 1 + pqti_layout_id(layout);
    void *block = alloc_of_class(pqti_heap_of(memory), class_index, layout);
    return block == NULL || layout->is_written ? block : memset(block, 0, layout->size);
}

static size_t
heap_block_size(const pqt_memory *memory, const void *block, size_t asked)
{
    (void)memory;
    (void)asked;
    return pqti_slab_of(block)->size;
}

/* ---- Reclaiming ---- */

enum { SLICE = 256 /* in blocks; between slices, other threads may take the lock */ };

/* Returns the total size of the free blocks that the calling thread has taken. */
static size_t
cached_bytes(const pqti_heap *heap)
{
    size_t bytes = 0;
    for (const pqti_heap_thread *state = pqti_heap_my_states.mine; state != NULL;
         state = state->next_of_thread)
        if (atomic_load_explicit(&state->heap, memory_order_relaxed) == heap)
            for (size_t i = 0; i < PQTI_CLASSES; i++)
                bytes +=
                    (size_t)__builtin_popcountll(state->caches[i].free) * state->caches[i].size;
    return bytes;
}

/* Returns true if memory has grown enough since the last cycle to begin another one, or if it
   cannot grow: the limit may be below the size at which a cycle would begin. Blocks that this
   thread has taken but not allocated do not count, because in a small heap they are larger than
   everything that edits allocate between two cycles. Counting them takes longer than an edit, so
   they are counted again only after the thread has taken half of what is missing, or a sixteenth
   of what is needed. */
static bool
is_cycle_due(pqti_heap *heap)
{
    enum { LEAST = 256 * 1024 };
    const double grown = (heap->options.growth - 1) * (double)heap->live_bytes;
    const double needed = grown > LEAST ? grown : LEAST;
    if (heap->is_full)
        return true;
    if ((double)heap->bytes_since_cycle < needed || heap->bytes_since_cycle < heap->next_check)
        return false;
    const double allocated = (double)heap->bytes_since_cycle - (double)cached_bytes(heap);
    if (allocated >= needed)
        return true;
    const double half = (needed - allocated) / 2, least = needed / 16;
    heap->next_check = heap->bytes_since_cycle + (size_t)(half > least ? half : least);
    return false;
}

/* Begins a cycle. First returns the cached blocks of the calling thread, because they would be
   young otherwise. */
static void
begin_cycle(pqti_heap *heap)
{
    for (pqti_heap_thread *state = pqti_heap_my_states.mine; state != NULL;
         state = state->next_of_thread)
        if (atomic_load_explicit(&state->heap, memory_order_relaxed) == heap)
            pqti_heap_flush_thread(heap, state);
    pqti_heap_begin_cycle(heap);
}

/* Advances the cycle in slices. Returns true if no cycle is open afterwards. */
static bool
advance_cycle(pqti_heap *heap, size_t blocks)
{
    bool is_stuck = false;
    while (blocks > 0 && !is_stuck && pqti_is_in_cycle(heap)) {
        const size_t slice = blocks < SLICE ? blocks : SLICE;
        const size_t left = pqti_heap_advance(heap, slice);
        is_stuck = left > 0;
        blocks -= blocks == SIZE_MAX ? 0 : slice - left;
        pqti_heap_unlock(heap);
        pqti_heap_lock(heap);
    }
    return !pqti_is_in_cycle(heap);
}

/* Returns the number of blocks that a safe point should process. It is proportional to the
   memory allocated since the last safe point, so that a cycle ends before memory has grown by
   about as much as was in use when the cycle began. */
static size_t
blocks_of_safe_point(pqti_heap *heap)
{
    enum { LEAST = 64, FACTOR = 4, BLOCK = 64 /* BLOCK is in bytes; most blocks are larger */ };
    const size_t blocks = LEAST + FACTOR * (heap->bytes_since_point / BLOCK);
    heap->bytes_since_point = 0;
    return blocks;
}

static bool
heap_reclaim(pqt_memory *memory, size_t blocks)
{
    pqti_heap *heap = pqti_heap_of(memory);
    atomic_store_explicit(&heap->has_reclaimed, true, memory_order_relaxed);
    pqti_heap_lock(heap);
    if (blocks == PQT_RECLAIM_PACED) {
        const size_t paced = blocks_of_safe_point(heap);
        blocks = heap->is_full ? PQT_RECLAIM_ALL : paced;
    }
    bool is_complete = true;
    if (blocks == PQT_RECLAIM_ALL) {
        /* Blocks that became unreachable during this cycle are found only by the next one. */
        is_complete = advance_cycle(heap, SIZE_MAX);
        if (is_complete) {
            pqti_heap_roots_removed(memory); /* a major cycle, whatever roots have reported */
            begin_cycle(heap);
            is_complete = advance_cycle(heap, SIZE_MAX);
        }
    } else {
        if (!pqti_is_in_cycle(heap) && blocks > 0 && is_cycle_due(heap))
            begin_cycle(heap);
        is_complete = advance_cycle(heap, blocks);
    }
    pqti_heap_unlock(heap);
    return is_complete;
}

static void
heap_scope_end_at_safe_point(pqt_memory *memory, const void *argument, const void *result)
{
    pqti_heap *heap = pqti_heap_of(memory);
    if (!heap->options.reclaim_at_push) {
        pqti_heap_scope_end(memory);
        return;
    }
    pqti_heap_lock(heap);
    const size_t blocks = blocks_of_safe_point(heap);
    if (!pqti_is_in_cycle(heap) && is_cycle_due(heap))
        begin_cycle(heap);
    if (pqti_heap_is_marking(heap) && result != NULL) {
        pqti_heap_shade(heap, argument);
        pqti_heap_shade(heap, result);
        pqti_heap_roots_removed(memory); /* no root may ever hold them */
    }
    /* Otherwise the cycle would have to wait for this scope. */
    pqti_heap_scope_end(memory);
    (void)advance_cycle(heap, blocks);
    pqti_heap_unlock(heap);
}

static void
heap_collect(pqt_memory *memory)
{
    (void)heap_reclaim(memory, PQT_RECLAIM_ALL);
}

static bool
heap_thread_is_registered(const pqt_memory *memory)
{
    (void)memory;
    return true;
}

static pqt_memory_stats
heap_get_stats(const pqt_memory *memory)
{
    pqti_heap *heap = pqti_heap_of((pqt_memory *)(uintptr_t)memory);
    pqti_heap_lock(heap);
    const pqt_memory_stats stats = {
        .bytes = heap->bytes,
        .limit = heap->options.limit,
        .pins = atomic_load_explicit(&heap->pins, memory_order_relaxed),
        .collections = heap->cycles_ended,
        .used_bytes = heap->used_bytes,
        .blocks_marked = heap->marked_blocks,
        .blocks_swept = heap->swept_blocks,
    };
    pqti_heap_unlock(heap);
    return stats;
}

/* ---- Making and destroying ---- */

static const pqti_reclaiming_calls reclaiming_calls = {
    .lock_roots = pqti_heap_lock_roots,
    .unlock_roots = pqti_heap_unlock_roots,
    .root_added = pqti_heap_root_added,
    .root_removed = pqti_heap_root_removed,
    .roots_removed = pqti_heap_roots_removed,
    .pin_set = pqti_heap_pin_set,
    .scope_begin = pqti_heap_scope_begin,
    .scope_end = pqti_heap_scope_end,
    .may_load = pqti_heap_may_load,
    .reclaim = heap_reclaim,
    .scope_end_at_safe_point = heap_scope_end_at_safe_point,
    .owner_added = pqti_heap_owner_added,
    .owner_removed = pqti_heap_owner_removed,
    .edit_begin = pqti_heap_edit_begin,
};

static const pqti_memory_calls heap_calls = {
    .alloc_node = heap_alloc_node,
    .alloc_list = heap_alloc_list,
    .alloc_leaf = heap_alloc_leaf,
    .alloc_scanned_leaf = heap_alloc_leaf, /* a heap does not scan the user's pointers, so this
                                              is a plain leaf */
    .size = heap_block_size,
    .alloc_pin = pqti_heap_alloc_pin,
    .free_pin = pqti_heap_free_pin,
    .alloc_holder = pqti_heap_alloc_holder,
    .free_holder = pqti_heap_free_holder,
    .thread_is_registered = heap_thread_is_registered,
    .collect = heap_collect,
    .stats = heap_get_stats,
    .reclaiming = &reclaiming_calls,
};

PQTI_DEFINE_OPTIONS(pqti_heap_options, pqt_heap_options, context, PQT_HEAP_DEFAULTS);

static bool
are_options_valid(const pqt_heap_options *options, pqt_error *error)
{
    if (!(options->growth >= 1.1 && options->growth <= 100)) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "growth is %s, but must be 1.1 to 100",
                       pqti_format_double(options->growth).text);
        return false;
    }
    if ((options->allocate == NULL) != (options->release == NULL)) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "allocate and release: only one of them is set");
        return false;
    }
    return true;
}

pqt_memory *
pqt_heap_make(const pqt_heap_options *options, pqt_error *error)
{
    static _Atomic uint64_t ids;
    pqt_heap_options converted;
    options = pqti_options_read(&pqti_heap_options_layout, options, &converted, error);
    if (options == NULL || !are_options_valid(options, error))
        return NULL;
    pqti_heap *heap = pqti_heap_watch_process() ? calloc(1, sizeof *heap) : NULL;
    if (heap == NULL || pthread_mutex_init(&heap->lock, NULL) != 0) {
        free(heap);
        pqti_out_of_memory(error);
        return NULL;
    }
    heap->memory.calls = &heap_calls;
    heap->options = *options;
    heap->id = atomic_fetch_add(&ids, 1) + 1;
    atomic_init(&heap->epoch, 1);
    pqti_heap_register(heap);
    return &heap->memory;
}

/*
 * If several threads make the first call at the same time, each creates a heap, and all but one
 * destroy theirs.
 */
pqt_memory *
pqti_default_heap(pqt_error *error)
{
    pqt_memory *first = atomic_load(&default_heap);
    pqt_memory *made = first == NULL ? pqt_heap_make(NULL, error) : NULL;
    if (made == NULL)
        return first;
    pqti_heap_of(made)->is_default = true;
    if (atomic_compare_exchange_strong(&default_heap, &first, made))
        return made;
    pqti_heap_of(made)->is_default = false;
    pqt_heap_destroy(&made);
    return first;
}

static void
destroy_heap(pqti_heap *heap)
{
    pqti_heap_unregister(heap);
    pqti_heap_free_threads(heap);
    pqti_heap_free_slabs(heap);
    for (pqti_pin_chunk *next, *chunk = atomic_load(&heap->pin_chunks); chunk != NULL;
         chunk = next) {
        next = chunk->next;
        pqti_aligned_free(chunk);
    }
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

void
pqt_heap_destroy(pqt_memory **memory)
{
    if (memory == NULL || *memory == NULL)
        return;
    PQT_ASSERT((*memory)->calls == &heap_calls, "the memory is not a heap");
    pqti_heap *heap = pqti_heap_of(*memory);
    PQT_ASSERT(!heap->is_default, "the default memory cannot be destroyed");
    PQT_ASSERT(atomic_load(&heap->pins) == 0,
               "pins, histories, heads, recordings or drafts still hold versions in the heap");
    destroy_heap(heap);
    *memory = NULL;
}

/* ---- Unloading ---- */

/* Deletes the key, whose destructor is a function of the library. Frees what only static variables
   and the threads' states refer to, unless threads may still use it. */
PQTI_AT_UNLOAD static void
leave_process(void)
{
    const bool is_unloading = pqti_is_unloading();
    pqt_memory *memory = is_unloading ? atomic_load(&default_heap) : NULL;
    if (memory != NULL)
        destroy_heap(pqti_heap_of(memory));
    pqti_heap_leave_process(is_unloading);
}
