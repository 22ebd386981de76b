/* SPDX-License-Identifier: MIT */
/*
 * heap.c: the interface of heaps, memories that reclaim the versions that no root holds.
 *
 * A thread allocates a block from its own cache, without a lock, if the cache has a block of the
 * right class (heap_slab.c). heap_cycle.c finds and frees the blocks that no root reaches. It does
 * so only during calls of the library.
 *
 * The state of a thread in a heap is called its part. It outlives the thread, and another thread
 * reuses it. A thread-local variable points to the part that the thread used last.
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

/* See INITIAL_EXEC in collector.c. */
#ifdef __GLIBC__
#define IN_THE_THREADS_OWN_BLOCK __attribute__((tls_model("initial-exec")))
#else
#define IN_THE_THREADS_OWN_BLOCK
#endif

/* ---- Threads ---- */

typedef struct thread_parts {
    uint64_t recent_id; /* the id of the heap to which `recent` belongs */
    pqti_heap_thread *recent;
    pqti_heap_thread *mine; /* the list of all parts of this thread */
} thread_parts;

static _Thread_local thread_parts parts IN_THE_THREADS_OWN_BLOCK;

/*
 * This lock is held while the heap or the owner of a part changes. It must be locked before the
 * lock of a heap.
 */
static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;
static pqti_heap *all_heaps; /* protected by parts_lock */
/* The parts of destroyed heaps that living threads still own; protected by parts_lock. */
static pqti_heap_thread *orphans;
static _Atomic(pqt_memory *) default_heap;
static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;
static bool has_exit_key;
static bool has_ended; /* the process ends, and exit_key no longer exists; see parts_lock */

static void
lock_parts(void)
{
    pthread_mutex_lock(&parts_lock);
}

static void
unlock_parts(void)
{
    pthread_mutex_unlock(&parts_lock);
}

static pqti_heap *
heap_of(pqt_memory *memory)
{
    return (pqti_heap *)memory;
}

static void
lock_heap(pqti_heap *heap)
{
    pthread_mutex_lock(&heap->lock);
}

static void
unlock_heap(pqti_heap *heap)
{
    pthread_mutex_unlock(&heap->lock);
}

static bool
is_marking(pqti_heap *heap)
{
    const pqti_heap_phase phase = atomic_load(&heap->phase);
    return phase == PQTI_STARTING || phase == PQTI_MARKING || phase == PQTI_WAITING;
}

/* ---- Fork ---- */

/* A fork waits until no other thread is running a slice of a cycle or changing a heap in any
   other way. So the child gets each heap in a state from which it can continue the cycle. */
static void
before_fork(void)
{
    pqti_lock_layouts();
    lock_parts();
    for (pqti_heap *heap = all_heaps; heap != NULL; heap = heap->next)
        lock_heap(heap);
}

static void
after_fork(void)
{
    for (pqti_heap *heap = all_heaps; heap != NULL; heap = heap->next)
        unlock_heap(heap);
    unlock_parts();
    pqti_unlock_layouts();
}

/*
 * Ends the scopes of all other threads and frees their parts, because a child process has only one
 * thread.
 */
static void
drop_other_threads(pqti_heap *heap)
{
    for (pqti_heap_thread *part = atomic_load(&heap->threads); part != NULL; part = part->next) {
        bool is_mine = false;
        for (const pqti_heap_thread *mine = parts.mine; mine != NULL; mine = mine->next_of_thread)
            is_mine = is_mine || mine == part;
        if (is_mine)
            continue;
        part->depth = 0;
        atomic_store(&part->epoch, 0);
        atomic_store(&part->is_owned, false);
    }
}

/* Makes the child scan all roots again, because another thread may have stored a version in a
   pin or a head that the cycle has scanned already, without having passed the version to the
   cycle. The marks remain. */
static void
scan_roots_again(pqti_heap *heap)
{
    if (is_marking(heap))
        pqti_heap_restart_cycle(heap);
}

/* Ends the edits of other threads, for which a cycle would wait. Their drafts must not be used. */
static void
end_edits(pqti_heap *heap)
{
    for (pqti_owner *owner = heap->first_owner; owner != NULL; owner = owner->next)
        atomic_store(&owner->editing, 0);
}

static void
after_fork_in_child(void)
{
    for (pqti_heap *heap = all_heaps; heap != NULL; heap = heap->next) {
        drop_other_threads(heap);
        end_edits(heap);
        scan_roots_again(heap);
    }
    after_fork();
}

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static bool is_watching;

static void
watch_process(void)
{
    pqti_unload_watch();
    is_watching = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

static void
register_heap(pqti_heap *heap)
{
    lock_parts();
    heap->next = all_heaps;
    all_heaps = heap;
    unlock_parts();
}

static void
unregister_heap(const pqti_heap *heap)
{
    lock_parts();
    pqti_heap **at = &all_heaps;
    while (*at != heap)
        at = &(*at)->next;
    *at = heap->next;
    unlock_parts();
}

/* ---- Parts ---- */

/* Returns all cached blocks of a part. The caller holds the heap's lock. */
static void
flush_part(pqti_heap *heap, pqti_heap_thread *part)
{
    for (size_t i = 0; i < PQTI_CLASSES; i++)
        pqti_heap_flush(heap, &part->caches[i]);
}

/* Adds a part whose heap is destroyed to the orphans. The caller holds parts_lock. */
static void
add_orphan(pqti_heap_thread *part)
{
    atomic_store(&part->heap, NULL);
    part->next = orphans;
    part->previous = NULL;
    if (orphans != NULL)
        orphans->previous = part;
    orphans = part;
}

/* The caller holds parts_lock. */
static void
free_orphan(pqti_heap_thread *part)
{
    if (part->previous != NULL)
        part->previous->next = part->next;
    else
        orphans = part->next;
    if (part->next != NULL)
        part->next->previous = part->previous;
    free(part);
}

/* Releases a part: returns its blocks, ends its scope and clears its owner. The caller holds
   parts_lock. */
static void
leave_part(pqti_heap_thread *part)
{
    pqti_heap *heap = atomic_load(&part->heap);
    if (heap == NULL) {
        free_orphan(part);
        return;
    }
    lock_heap(heap);
    flush_part(heap, part);
    unlock_heap(heap);
    part->depth = 0;
    atomic_store(&part->epoch, 0);
    atomic_store(&part->is_owned, false);
}

static void
leave_all_parts(void *unused)
{
    (void)unused;
    lock_parts();
    for (pqti_heap_thread *next, *part = parts.mine; part != NULL; part = next) {
        next = part->next_of_thread;
        leave_part(part);
    }
    parts = (thread_parts){0};
    unlock_parts();
}

static void
make_exit_key(void)
{
    has_exit_key = pthread_key_create(&exit_key, leave_all_parts) == 0;
}

/* Frees this thread's parts of heaps that were destroyed. The caller holds parts_lock. */
static void
forget_destroyed(void)
{
    pqti_heap_thread **at = &parts.mine;
    while (*at != NULL) {
        pqti_heap_thread *part = *at;
        if (atomic_load(&part->heap) != NULL) {
            at = &part->next_of_thread;
            continue;
        }
        *at = part->next_of_thread;
        free_orphan(part);
    }
}

/* Makes leave_all_parts run when the calling thread ends. Returns false if the system cannot. The
   caller holds parts_lock. */
static bool
watch_thread_end(void)
{
    return has_ended || (has_exit_key && pthread_setspecific(exit_key, &parts) == 0);
}

/*
 * Returns an existing part that no thread owns, or a new one. Returns NULL when out of memory.
 */
static pqti_heap_thread *
adopt_part(pqti_heap *heap)
{
    pqti_heap_thread *part = atomic_load(&heap->threads);
    for (; part != NULL; part = part->next) {
        bool is_owned = false;
        if (atomic_compare_exchange_strong(&part->is_owned, &is_owned, true))
            return part;
    }
    part = calloc(1, sizeof *part);
    if (part == NULL)
        return NULL;
    atomic_init(&part->heap, heap);
    atomic_init(&part->is_owned, true);
    part->next = atomic_load(&heap->threads);
    while (!atomic_compare_exchange_weak(&heap->threads, &part->next, part)) {
    }
    return part;
}

static __attribute__((noinline)) pqti_heap_thread *
find_part(pqti_heap *heap)
{
    pqti_heap_thread *part = parts.mine;
    while (part != NULL && atomic_load_explicit(&part->heap, memory_order_relaxed) != heap)
        part = part->next_of_thread;
    if (part == NULL) {
        (void)pthread_once(&exit_key_once, make_exit_key);
        lock_parts();
        forget_destroyed();
        part = watch_thread_end() ? adopt_part(heap) : NULL;
        if (part != NULL) {
            part->next_of_thread = parts.mine;
            parts.mine = part;
        }
        unlock_parts();
    }
    if (part != NULL) {
        parts.recent = part;
        parts.recent_id = heap->id;
    }
    return part;
}

/* Returns the calling thread's part of a heap. Returns NULL if there is no memory for one. */
static inline pqti_heap_thread *
part_of(pqti_heap *heap)
{
    return parts.recent_id == heap->id ? parts.recent : find_part(heap);
}

/* ---- Blocks ---- */

static bool
refill_cache(pqti_heap *heap, pqti_block_cache *cache, unsigned class_index, size_t size,
             const pqti_layout *layout)
{
    lock_heap(heap);
    const bool done = pqti_heap_refill(heap, cache, class_index, size, layout);
    heap->is_full = heap->is_full || !done;
    unlock_heap(heap);
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
    pqti_heap_thread *part = part_of(heap);
    if (part == NULL)
        return NULL;
    pqti_block_cache *cache = &part->caches[class_index];
    return cache->free != 0 || refill_cache(heap, cache, class_index, size, layout)
               ? take_block(cache)
               : NULL;
}

static inline void *
alloc_of_class(pqti_heap *heap, unsigned class_index, const pqti_layout *layout)
{
    if (parts.recent_id == heap->id) {
        pqti_block_cache *cache = &parts.recent->caches[class_index];
        if (cache->free != 0)
            return take_block(cache);
    }
    return refill_and_take(heap, class_index, layout);
}

static void *
heap_alloc_leaf(pqt_memory *memory, size_t size)
{
    pqti_heap *heap = heap_of(memory);
    if (size <= PQTI_SMALL_MAX)
        return alloc_of_class(heap, pqti_leaf_class(size), NULL);
    lock_heap(heap);
    void *block = pqti_heap_alloc_large(heap, size, NULL);
    heap->is_full = heap->is_full || block == NULL;
    unlock_heap(heap);
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
    void *block = alloc_of_class(heap_of(memory), class_index, layout);
    return block == NULL || layout->is_written ? block : memset(block, 0, layout->size);
}

static size_t
heap_block_size(const pqt_memory *memory, const void *block, size_t asked)
{
    (void)memory;
    (void)asked;
    return pqti_slab_of(block)->size;
}

/* ---- Pins ---- */

/* Takes a free pin from a chunk. Returns NULL if there is none. */
static pqt_pin *
take_pin_of(pqti_pin_chunk *chunk)
{
    for (uint32_t word = 0; word < PQTI_PIN_WORDS; word++) {
        uint64_t used = atomic_load_explicit(&chunk->used[word], memory_order_relaxed);
        while (used != UINT64_MAX) {
            const uint64_t bit = ~used & (used + 1);
            if (atomic_compare_exchange_weak(&chunk->used[word], &used, used | bit))
                return &chunk->pins[word * 64 + (uint32_t)__builtin_ctzll(bit)];
        }
    }
    return NULL;
}

static pqti_pin_chunk *
add_pin_chunk(pqti_heap *heap)
{
    pqti_pin_chunk *chunk = pqti_aligned_alloc(PQTI_PIN_CHUNK_SIZE, PQTI_PIN_CHUNK_SIZE);
    if (chunk == NULL)
        return NULL;
    memset(chunk, 0, PQTI_PIN_CHUNK_SIZE);
    chunk->next = atomic_load(&heap->pin_chunks);
    while (!atomic_compare_exchange_weak(&heap->pin_chunks, &chunk->next, chunk)) {
    }
    return chunk;
}

static pqti_pin_chunk *
pin_chunk_of(const void *pin)
{
    return (pqti_pin_chunk *)((uintptr_t)pin & ~(uintptr_t)(PQTI_PIN_CHUNK_SIZE - 1));
}

static void *
heap_alloc_pin(pqt_memory *memory)
{
    pqti_heap *heap = heap_of(memory);
    pqti_pin_chunk *hint = atomic_load(&heap->pin_hint);
    pqt_pin *pin = hint != NULL ? take_pin_of(hint) : NULL;
    for (pqti_pin_chunk *chunk = atomic_load(&heap->pin_chunks); pin == NULL; chunk = chunk->next) {
        if (chunk == NULL && (chunk = add_pin_chunk(heap)) == NULL)
            return NULL;
        pin = take_pin_of(chunk);
    }
    atomic_store(&heap->pin_hint, pin_chunk_of(pin));
    atomic_fetch_add_explicit(&heap->pins, 1, memory_order_relaxed);
    return pin;
}

/*
 * Returns the bit of a pin in its chunk, and sets *word to the index of the word that contains it.
 */
static uint64_t
bit_of_pin(const pqti_pin_chunk *chunk, const pqt_pin *pin, uint32_t *word)
{
    const uint32_t index = (uint32_t)(pin - chunk->pins);
    *word = index / 64;
    return UINT64_C(1) << (index % 64);
}

static void
heap_roots_removed(pqt_memory *memory)
{
    pqti_heap *heap = heap_of(memory);
    if (!atomic_load(&heap->has_lost_roots))
        atomic_store(&heap->has_lost_roots, true);
}

/* The caller holds the lock, or a scope that keeps the block. So no cycle ends meanwhile. */
static void
heap_root_removed(pqt_memory *memory, const void *block)
{
    if (pqti_is_in_cycle(heap_of(memory)) || pqti_is_marked(block))
        heap_roots_removed(memory);
}

/* The block of the version may be gone when the pin no longer holds it, so its mark is read before.
   A cycle that is open or began meanwhile may have marked the version. */
static void
heap_free_pin(pqt_memory *memory, void *block)
{
    pqti_heap *heap = heap_of(memory);
    pqt_pin *pin = block;
    const uint64_t cycle = atomic_load(&heap->cycle);
    const bool may_be_marked =
        atomic_load(&heap->phase) != PQTI_IDLE || pqti_is_marked(atomic_load(&pin->object));
    pqti_pin_chunk *chunk = pin_chunk_of(pin);
    uint32_t word;
    const uint64_t bit = bit_of_pin(chunk, pin, &word);
    pin->mem_and_kind = 0;
    atomic_store(&pin->object, NULL);
    atomic_fetch_and(&chunk->used[word], ~bit);
    if (may_be_marked || atomic_load(&heap->cycle) != cycle)
        heap_roots_removed(memory);
    atomic_store(&heap->pin_hint, chunk);
    atomic_fetch_sub_explicit(&heap->pins, 1, memory_order_release);
}

/* Adds a version to the ring of the calling thread. Returns false if the ring is full. */
static bool
add_pinned(pqti_pin_ring *pinned, const void *version)
{
    const unsigned added = atomic_load_explicit(&pinned->added, memory_order_relaxed);
    if (added - atomic_load_explicit(&pinned->removed, memory_order_acquire) == PQTI_PIN_RING)
        return false;
    atomic_store_explicit(&pinned->versions[added % PQTI_PIN_RING], version, memory_order_relaxed);
    atomic_store_explicit(&pinned->added, added + 1, memory_order_release);
    return true;
}

/* Shades a version for which the thread's ring has no room, and all versions in the ring. `part`
   is NULL if there was no memory for a part; then there is no ring either. */
static void
shade_all_pinned(pqti_heap *heap, pqti_heap_thread *part, const void *version)
{
    lock_heap(heap);
    if (is_marking(heap)) {
        pqti_heap_shade(heap, version);
        if (part != NULL)
            (void)pqti_heap_shade_pinned(heap, &part->pinned, PQTI_PIN_RING);
    }
    unlock_heap(heap);
}

/* A version in a ring is marked before the cycle sweeps, even if its pin no longer exists by
   then. Without the ring, the cycle could miss a version that is pinned during the cycle,
   because the scan may already have passed the place of the new pin. The order of the two atomic
   accesses matters: the cycle first sets its phase and then scans the pins. So it finds the
   version in the pin or in the ring. */
static void
heap_pin_set(pqt_memory *memory, pqt_pin *pin)
{
    pqti_heap *heap = heap_of(memory);
    const void *version = atomic_load(&pin->object);
    if (!is_marking(heap) || pqti_is_marked(version))
        return;
    pqti_heap_thread *part = part_of(heap);
    if (part == NULL || !add_pinned(&part->pinned, version))
        shade_all_pinned(heap, part, version);
}

/* ---- Holders ---- */

/*
 * A cycle that has scanned all other holders does not scan this one. It need not, because its owner
 * passes each version that it stores here to heap_root_added, or copies it from an older holder,
 * which the cycle scans first.
 */
static void *
heap_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context)
{
    pqti_heap *heap = heap_of(memory);
    pqti_holder *holder =
        size <= SIZE_MAX - PQTI_HOLDER_HEADER ? calloc(1, PQTI_HOLDER_HEADER + size) : NULL;
    if (holder == NULL)
        return NULL;
    holder->trace = trace;
    holder->context = context;
    holder->size = size;
    lock_heap(heap);
    holder->previous = heap->last_holder;
    if (heap->last_holder != NULL)
        heap->last_holder->next = holder;
    else
        heap->first_holder = holder;
    heap->last_holder = holder;
    unlock_heap(heap);
    atomic_fetch_add_explicit(&heap->pins, 1, memory_order_relaxed);
    return (char *)holder + PQTI_HOLDER_HEADER;
}

static void
heap_free_holder(pqt_memory *memory, void *block)
{
    pqti_heap *heap = heap_of(memory);
    pqti_holder *holder = (pqti_holder *)(void *)((char *)block - PQTI_HOLDER_HEADER);
    lock_heap(heap);
    if (heap->unscanned == holder)
        heap->unscanned = holder->next;
    if (holder->previous != NULL)
        holder->previous->next = holder->next;
    else
        heap->first_holder = holder->next;
    if (holder->next != NULL)
        holder->next->previous = holder->previous;
    else
        heap->last_holder = holder->previous;
    unlock_heap(heap);
    free(holder);
    atomic_fetch_sub_explicit(&heap->pins, 1, memory_order_release);
}

/* ---- Drafts ---- */

static void
heap_owner_added(pqt_memory *memory, pqti_owner *owner)
{
    pqti_heap *heap = heap_of(memory);
    lock_heap(heap);
    pqti_owner_notice_cycle(owner, atomic_load(&heap->cycle));
    owner->known_cycle = owner->noticed_cycle;
    owner->next = heap->first_owner;
    if (owner->next != NULL)
        owner->next->previous = owner;
    heap->first_owner = owner;
    unlock_heap(heap);
}

static void
heap_owner_removed(pqt_memory *memory, pqti_owner *owner)
{
    pqti_heap *heap = heap_of(memory);
    lock_heap(heap);
    if (heap->unnoticed == owner)
        heap->unnoticed = owner->next;
    if (owner->previous != NULL)
        owner->previous->next = owner->next;
    else
        heap->first_owner = owner->next;
    if (owner->next != NULL)
        owner->next->previous = owner->previous;
    unlock_heap(heap);
}

/* Notices a cycle that began since the last edit, unless the thread that began it has done so for
   this draft. */
static PQTI_NOINLINE void
notice_cycle(pqti_heap *heap, pqti_owner *owner, uint64_t cycle)
{
    lock_heap(heap);
    if (owner->noticed_cycle != cycle)
        pqti_owner_notice_cycle(owner, cycle);
    unlock_heap(heap);
    owner->known_cycle = cycle;
}

/* Both stores and loads are sequentially consistent: either a thread that begins a cycle sees this
   edit and waits for it, or the edit sees the cycle. */
static void
heap_edit_begin(pqt_memory *memory, pqti_owner *owner)
{
    pqti_heap *heap = heap_of(memory);
    uint64_t cycle = atomic_load(&heap->cycle), now;
    atomic_store(&owner->editing, cycle + 1);
    while ((now = atomic_load(&heap->cycle)) != cycle) {
        cycle = now;
        atomic_store(&owner->editing, cycle + 1);
    }
    if (owner->known_cycle != cycle)
        notice_cycle(heap, owner, cycle);
}

static _Thread_local bool has_roots_locked;

static void
heap_lock_roots(pqt_memory *memory)
{
    lock_heap(heap_of(memory));
    has_roots_locked = true;
}

static void
heap_unlock_roots(pqt_memory *memory)
{
    has_roots_locked = false;
    unlock_heap(heap_of(memory));
}

/*
 * Writers of a holder with atomic members take no lock: see heap_pin_set for the order of accesses.
 */
static void
heap_root_added(pqt_memory *memory, const void *block)
{
    pqti_heap *heap = heap_of(memory);
    atomic_thread_fence(memory_order_seq_cst);
    if (!is_marking(heap))
        return;
    if (has_roots_locked) {
        pqti_heap_shade(heap, block);
        return;
    }
    lock_heap(heap);
    if (is_marking(heap))
        pqti_heap_shade(heap, block);
    unlock_heap(heap);
}

/* ---- Scopes ---- */

static bool
heap_scope_begin(pqt_memory *memory)
{
    pqti_heap *heap = heap_of(memory);
    pqti_heap_thread *part = part_of(heap);
    if (part == NULL)
        return false;
    /* The epoch must be visible before the thread loads a version from a head. */
    if (part->depth++ == 0)
        atomic_store(&part->epoch, atomic_load(&heap->epoch));
    return true;
}

static void
heap_scope_end(pqt_memory *memory)
{
    pqti_heap_thread *part = part_of(heap_of(memory));
    PQT_ASSERT_IN("pqt_scope_end", part != NULL && part->depth > 0,
                  "this thread has no scope open in this memory");
    if (--part->depth == 0)
        atomic_store(&part->epoch, 0);
}

/* Until the first call that reclaims, the default heap keeps every version, as a collector keeps
   the versions that a thread holds. */
static bool
heap_may_load(pqt_memory *memory)
{
    pqti_heap *heap = heap_of(memory);
    if (heap->is_default && !atomic_load_explicit(&heap->has_reclaimed, memory_order_relaxed))
        return true;
    const pqti_heap_thread *part = part_of(heap);
    return part != NULL && part->depth > 0;
}

/* ---- Reclaiming ---- */

enum { SLICE = 256 /* in blocks; between slices, other threads may take the lock */ };

/* Returns the total size of the free blocks that the calling thread has taken. */
static size_t
cached_bytes(const pqti_heap *heap)
{
    size_t bytes = 0;
    for (const pqti_heap_thread *part = parts.mine; part != NULL; part = part->next_of_thread)
        if (atomic_load_explicit(&part->heap, memory_order_relaxed) == heap)
            for (size_t i = 0; i < PQTI_CLASSES; i++)
                bytes += (size_t)__builtin_popcountll(part->caches[i].free) * part->caches[i].size;
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
    for (pqti_heap_thread *part = parts.mine; part != NULL; part = part->next_of_thread)
        if (atomic_load_explicit(&part->heap, memory_order_relaxed) == heap)
            flush_part(heap, part);
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
        unlock_heap(heap);
        lock_heap(heap);
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
    pqti_heap *heap = heap_of(memory);
    atomic_store_explicit(&heap->has_reclaimed, true, memory_order_relaxed);
    lock_heap(heap);
    if (blocks == PQT_RECLAIM_PACED) {
        const size_t paced = blocks_of_safe_point(heap);
        blocks = heap->is_full ? PQT_RECLAIM_ALL : paced;
    }
    bool is_complete = true;
    if (blocks == PQT_RECLAIM_ALL) {
        /* Blocks that became unreachable during this cycle are found only by the next one. */
        is_complete = advance_cycle(heap, SIZE_MAX);
        if (is_complete) {
            heap_roots_removed(memory); /* a major cycle, whatever roots have reported */
            begin_cycle(heap);
            is_complete = advance_cycle(heap, SIZE_MAX);
        }
    } else {
        if (!pqti_is_in_cycle(heap) && blocks > 0 && is_cycle_due(heap))
            begin_cycle(heap);
        is_complete = advance_cycle(heap, blocks);
    }
    unlock_heap(heap);
    return is_complete;
}

static void
heap_scope_end_at_safe_point(pqt_memory *memory, const void *argument, const void *result)
{
    pqti_heap *heap = heap_of(memory);
    if (!heap->options.reclaim_at_push) {
        heap_scope_end(memory);
        return;
    }
    lock_heap(heap);
    const size_t blocks = blocks_of_safe_point(heap);
    if (!pqti_is_in_cycle(heap) && is_cycle_due(heap))
        begin_cycle(heap);
    if (is_marking(heap) && result != NULL) {
        pqti_heap_shade(heap, argument);
        pqti_heap_shade(heap, result);
        heap_roots_removed(memory); /* no root may ever hold them */
    }
    /* Otherwise the cycle would have to wait for this scope. */
    heap_scope_end(memory);
    (void)advance_cycle(heap, blocks);
    unlock_heap(heap);
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
    pqti_heap *heap = heap_of((pqt_memory *)(uintptr_t)memory);
    lock_heap(heap);
    const pqt_memory_stats stats = {
        .bytes = heap->bytes,
        .limit = heap->options.limit,
        .pins = atomic_load_explicit(&heap->pins, memory_order_relaxed),
        .collections = heap->cycles_ended,
        .used_bytes = heap->used_bytes,
        .blocks_marked = heap->marked_blocks,
        .blocks_swept = heap->swept_blocks,
    };
    unlock_heap(heap);
    return stats;
}

/* ---- Making and destroying ---- */

static const pqti_reclaiming_calls reclaiming_calls = {
    .lock_roots = heap_lock_roots,
    .unlock_roots = heap_unlock_roots,
    .root_added = heap_root_added,
    .root_removed = heap_root_removed,
    .roots_removed = heap_roots_removed,
    .pin_set = heap_pin_set,
    .scope_begin = heap_scope_begin,
    .scope_end = heap_scope_end,
    .may_load = heap_may_load,
    .reclaim = heap_reclaim,
    .scope_end_at_safe_point = heap_scope_end_at_safe_point,
    .owner_added = heap_owner_added,
    .owner_removed = heap_owner_removed,
    .edit_begin = heap_edit_begin,
};

static const pqti_memory_calls heap_calls = {
    .alloc_node = heap_alloc_node,
    .alloc_list = heap_alloc_list,
    .alloc_leaf = heap_alloc_leaf,
    .alloc_scanned_leaf = heap_alloc_leaf, /* a heap does not scan the user's pointers, so this
                                              is a plain leaf */
    .size = heap_block_size,
    .alloc_pin = heap_alloc_pin,
    .free_pin = heap_free_pin,
    .alloc_holder = heap_alloc_holder,
    .free_holder = heap_free_holder,
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
    (void)pthread_once(&watch_once, watch_process);
    pqti_heap *heap = is_watching ? calloc(1, sizeof *heap) : NULL;
    if (heap == NULL || pthread_mutex_init(&heap->lock, NULL) != 0) {
        free(heap);
        pqti_out_of_memory(error);
        return NULL;
    }
    heap->memory.calls = &heap_calls;
    heap->options = *options;
    heap->id = atomic_fetch_add(&ids, 1) + 1;
    atomic_init(&heap->epoch, 1);
    register_heap(heap);
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
    heap_of(made)->is_default = true;
    if (atomic_compare_exchange_strong(&default_heap, &first, made))
        return made;
    heap_of(made)->is_default = false;
    pqt_heap_destroy(&made);
    return first;
}

static void
free_parts(pqti_heap *heap)
{
    lock_parts();
    for (pqti_heap_thread *next, *part = atomic_load(&heap->threads); part != NULL; part = next) {
        next = part->next;
        if (atomic_load(&part->is_owned))
            add_orphan(part); /* the thread that owns the part will free it */
        else
            free(part);
    }
    unlock_parts();
}

static void
destroy_heap(pqti_heap *heap)
{
    unregister_heap(heap);
    free_parts(heap);
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
    pqti_heap *heap = heap_of(*memory);
    PQT_ASSERT(!heap->is_default, "the default memory cannot be destroyed");
    PQT_ASSERT(atomic_load(&heap->pins) == 0,
               "pins, histories, heads, recordings or drafts still hold versions in the heap");
    destroy_heap(heap);
    *memory = NULL;
}

/* ---- Unloading ---- */

/* Deletes the key, whose destructor is a function of the library. Frees what only static variables
   and the threads' parts refer to, unless threads may still use it. */
PQTI_AT_UNLOAD static void
leave_process(void)
{
    const bool is_unloading = pqti_is_unloading();
    pqt_memory *memory = is_unloading ? atomic_load(&default_heap) : NULL;
    if (memory != NULL)
        destroy_heap(heap_of(memory));
    lock_parts();
    if (has_exit_key)
        pthread_key_delete(exit_key);
    has_ended = true;
    while (is_unloading && orphans != NULL)
        free_orphan(orphans);
    unlock_parts();
}
