/* SPDX-License-Identifier: MIT */
/*
 * arena.c: an arena allocates blocks in chunks from malloc, and frees them all at once.
 *
 * Blocks are allocated from the front of the newest chunk, one after another. If a block does not
 * fit, another chunk is added, as large as all earlier chunks together, but at least CHUNK_MIN and
 * at most CHUNK_MAX bytes:
 *
 *     newest -> [ header | block block block ..... ] -> [ header | block block .. ] -> NULL
 *                                            ^ used                            ^ the rest is unused
 *
 * An allocation takes one compare-and-swap, so threads that allocate in one arena contend for its
 * lock only when a chunk is full.
 *
 * Invariants: `bytes` is the total size of the chunks, including their headers and unused bytes,
 * and never exceeds the limit. A chunk's `used` never exceeds its size. No chunk is freed before
 * the arena is destroyed. So a thread that still sees an older chunk as the newest allocates from
 * it correctly, or finds it full.
 *
 * A build with PQTI_CHECKED_ARENA allocates each block separately instead, so that the sanitizers
 * and memcheck know the bounds of every block.
 */
#include "config.h"

#include "memory/memory_internal.h"

#include "base/error_internal.h"
#include "base/fork.h"
#include "memory/aligned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct chunk;

struct arena {
    /* must be first, because a pointer to it is converted to a pointer to the arena */
    pqt_memory memory;
    size_t limit;                   /* the limit of `bytes`, or SIZE_MAX if there is none */
    pthread_mutex_t lock;           /* held while a chunk is added */
    atomic_uint made_at;            /* the fork count when the lock was initialised: see fork.h */
    _Atomic(struct chunk *) newest; /* written while the lock is held */
    atomic_size_t bytes;            /* written while the lock is held */
    _Atomic uint64_t pins;
};

#if PQTI_CHECKED_ARENA

/* The header is allocated separately, so that the block has none. */
struct chunk {
    struct chunk *older;
    void *block;
};

static void *
open_chunk(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct chunk) ||
        size + sizeof(struct chunk) > arena->limit - arena->bytes)
        return NULL;
    struct chunk *added = malloc(sizeof *added);
    void *block = malloc(size);
    if (added == NULL || block == NULL) {
        free(added);
        free(block);
        return NULL;
    }
    *added = (struct chunk){arena->newest, block};
    arena->bytes += size + sizeof *added;
    arena->newest = added;
    return block;
}

static void
free_chunk(struct chunk *chunk)
{
    free(chunk->block);
    free(chunk);
}

/* Returns NULL, because each chunk has one block, which fills it. */
static void *
alloc_from_chunk(struct chunk *from, size_t size)
{
    (void)from;
    (void)size;
    return NULL;
}

#else

/* The first chunk is small, because a program may have many small arenas. */
#define CHUNK_MIN ((size_t)64 * 1024)

/* Larger chunks would waste memory, because the last one is half empty on average. */
#define CHUNK_MAX ((size_t)4 * 1024 * 1024)

struct chunk {
    _Alignas(PQTI_GRANULE) struct chunk *older;
    size_t size;        /* including this header */
    atomic_size_t used; /* including this header */
};

static void *
alloc_from_chunk(struct chunk *from, size_t size)
{
    size_t used = atomic_load_explicit(&from->used, memory_order_relaxed);
    do {
        if (size > from->size - used)
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&from->used, &used, used + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (char *)from + used;
}

static size_t
size_of_next_chunk(const struct arena *arena)
{
    const size_t bytes = arena->bytes;
    const size_t capacity = (arena->limit - bytes) / PQTI_GRANULE * PQTI_GRANULE;
    const size_t wanted = bytes < CHUNK_MIN ? CHUNK_MIN : bytes > CHUNK_MAX ? CHUNK_MAX : bytes;
    return wanted < capacity ? wanted : capacity;
}

/* Links a chunk into the list. A block larger than a quarter of a chunk gets a chunk of its own,
   which is linked after the newest one. So the unused end of a chunk is always small relative to
   the chunk. */
static void
link_chunk(struct arena *arena, struct chunk *added, bool is_whole)
{
    struct chunk *newest = arena->newest;
    arena->bytes += added->size;
    PQT_INVARIANT(arena->bytes <= arena->limit, "an arena exceeds its limit");
    if (is_whole && newest != NULL) {
        added->older = newest->older;
        newest->older = added;
        return;
    }
    added->older = newest;
    atomic_store_explicit(&arena->newest, added, memory_order_release);
}

static void *
open_chunk(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct chunk) ||
        size + sizeof(struct chunk) > arena->limit - arena->bytes)
        return NULL;
    const size_t next = size_of_next_chunk(arena);
    const bool is_whole = size > next / 4;
    const size_t used = size + sizeof(struct chunk);
    const size_t total = is_whole ? used : next;
    struct chunk *added = pqti_aligned_alloc(PQTI_GRANULE, total);
    if (added == NULL)
        return NULL;
    added->size = total;
    PQT_INVARIANT(used <= total, "a block is larger than its chunk");
    atomic_init(&added->used, used);
    link_chunk(arena, added, is_whole);
    return added + 1;
}

static void
free_chunk(struct chunk *chunk)
{
    pqti_aligned_free(chunk);
}

#endif

static void *
alloc_from_newest(struct arena *arena, size_t size)
{
    struct chunk *newest = atomic_load_explicit(&arena->newest, memory_order_acquire);
    return newest != NULL ? alloc_from_chunk(newest, size) : NULL;
}

/*
 * Initialises the lock again in a child process, because a thread of the parent may have held it to
 * add a chunk. Such a thread adds to `bytes` before it links the chunk, so at worst `bytes`
 * includes a chunk that is not linked.
 */
static void
renew_lock(void *context)
{
    struct arena *arena = context;
    (void)pthread_mutex_init(&arena->lock, NULL);
}

static void *
arena_alloc_leaf(pqt_memory *memory, size_t size)
{
    struct arena *arena = (struct arena *)memory;
    void *block = alloc_from_newest(arena, size);
    if (block != NULL)
        return block;
    pqti_fork_renew(&arena->made_at, renew_lock, arena);
    pthread_mutex_lock(&arena->lock);
    block = alloc_from_newest(arena, size); /* another thread may have added a chunk since */
    if (block == NULL)
        block = open_chunk(arena, size);
    pthread_mutex_unlock(&arena->lock);
    return block;
}

static void *
arena_alloc_list(pqt_memory *memory, size_t size)
{
    void *block = arena_alloc_leaf(memory, size);
    return block != NULL ? memset(block, 0, size) : NULL;
}

static void *
arena_alloc_node(pqt_memory *memory, pqti_layout *layout)
{
    return arena_alloc_list(memory, layout->size);
}

static size_t
arena_block_size(const pqt_memory *memory, const void *block, size_t asked)
{
    (void)memory;
    (void)block;
    return asked;
}

/*
 * An arena collects nothing, so a pin is only counted, to check on destruction that there is none.
 */
static void *
arena_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context)
{
    struct arena *arena = (struct arena *)memory;
    (void)trace;
    (void)context;
    void *pin = calloc(1, size);
    if (pin != NULL)
        atomic_fetch_add_explicit(&arena->pins, 1, memory_order_relaxed);
    return pin;
}

static void *
arena_alloc_pin(pqt_memory *memory)
{
    return arena_alloc_holder(memory, sizeof(pqt_pin), NULL, NULL);
}

static void
arena_free_holder(pqt_memory *memory, void *pin)
{
    struct arena *arena = (struct arena *)memory;
    free(pin);
    const uint64_t before = atomic_fetch_sub_explicit(&arena->pins, 1, memory_order_release);
    PQT_INVARIANT(before > 0, "more pins of an arena are freed than were made");
    (void)before;
}

/* An arena reclaims nothing, so any thread may hold its versions. */
static bool
arena_thread_is_registered(const pqt_memory *memory)
{
    (void)memory;
    return true;
}

static void
arena_collect(pqt_memory *memory)
{
    (void)memory;
}

static pqt_memory_stats
arena_get_stats(const pqt_memory *memory)
{
    const struct arena *arena = (const struct arena *)memory;
    return (pqt_memory_stats){
        .bytes = atomic_load_explicit(&arena->bytes, memory_order_relaxed),
        .limit = arena->limit != SIZE_MAX ? arena->limit : 0,
        .pins = atomic_load_explicit(&arena->pins, memory_order_relaxed),
    };
}

static const pqti_memory_calls arena_calls = {
    .alloc_node = arena_alloc_node,
    .alloc_list = arena_alloc_list,
    .alloc_leaf = arena_alloc_leaf,
    .alloc_scanned_leaf = arena_alloc_leaf,
    .size = arena_block_size,
    .alloc_pin = arena_alloc_pin,
    .free_pin = arena_free_holder,
    .alloc_holder = arena_alloc_holder,
    .free_holder = arena_free_holder,
    .thread_is_registered = arena_thread_is_registered,
    .collect = arena_collect,
    .stats = arena_get_stats,
};

pqt_memory *
pqt_arena_make(size_t limit, pqt_error *error)
{
    struct arena *arena = pqti_fork_watch() ? calloc(1, sizeof *arena) : NULL;
    if (arena == NULL || pthread_mutex_init(&arena->lock, NULL) != 0) {
        free(arena);
        pqti_out_of_memory(error);
        return NULL;
    }
    arena->memory.calls = &arena_calls;
    arena->limit = limit != 0 ? limit : SIZE_MAX;
    atomic_init(&arena->made_at, pqti_fork_count());
    return &arena->memory;
}

void
pqt_arena_destroy(pqt_memory **memory)
{
    if (memory == NULL || *memory == NULL)
        return;
    PQT_ASSERT((*memory)->calls == &arena_calls, "the memory is the collector, not an arena");
    struct arena *arena = (struct arena *)*memory;
    PQT_ASSERT(atomic_load(&arena->pins) == 0, "versions in the arena are still pinned");
    for (struct chunk *next, *chunk = arena->newest; chunk != NULL; chunk = next) {
        next = chunk->older;
        free_chunk(chunk);
    }
    pqti_fork_renew(&arena->made_at, renew_lock, arena);
    pthread_mutex_destroy(&arena->lock);
    free(arena);
    *memory = NULL;
}
