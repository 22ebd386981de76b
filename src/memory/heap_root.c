/* SPDX-License-Identifier: MIT */
/*
 * heap_root.c: the roots of a heap, which hold versions: pins, holders such as the records of a
 * history, and the owners of drafts.
 */
#include "config.h"

#include "memory/heap_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "memory/aligned.h"
#include "memory/owner.h"

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

void *
pqti_heap_alloc_pin(pqt_memory *memory)
{
    pqti_heap *heap = pqti_heap_of(memory);
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

void
pqti_heap_roots_removed(pqt_memory *memory)
{
    pqti_heap *heap = pqti_heap_of(memory);
    if (!atomic_load(&heap->has_lost_roots))
        atomic_store(&heap->has_lost_roots, true);
}

/* The caller holds the lock, or a scope that keeps the block. So no cycle ends meanwhile. */
void
pqti_heap_root_removed(pqt_memory *memory, const void *block)
{
    if (pqti_is_in_cycle(pqti_heap_of(memory)) || pqti_is_marked(block))
        pqti_heap_roots_removed(memory);
}

/* The block of the version may be gone when the pin no longer holds it, so its mark is read before.
   A cycle that is open or began meanwhile may have marked the version. */
void
pqti_heap_free_pin(pqt_memory *memory, void *block)
{
    pqti_heap *heap = pqti_heap_of(memory);
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
        pqti_heap_roots_removed(memory);
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

/* Shades a version for which the thread's ring has no room, and all versions in the ring. `state`
   is NULL if there was no memory for a state; then there is no ring either. */
static void
shade_all_pinned(pqti_heap *heap, pqti_heap_thread *state, const void *version)
{
    pqti_heap_lock(heap);
    if (pqti_heap_is_marking(heap)) {
        pqti_heap_shade(heap, version);
        if (state != NULL)
            (void)pqti_heap_shade_pinned(heap, &state->pinned, PQTI_PIN_RING);
    }
    pqti_heap_unlock(heap);
}

/* A version in a ring is marked before the cycle sweeps, even if its pin no longer exists by
   then. Without the ring, the cycle could miss a version that is pinned during the cycle,
   because the scan may already have passed the place of the new pin. The order of the two atomic
   accesses matters: the cycle first sets its phase and then scans the pins. So it finds the
   version in the pin or in the ring. */
void
pqti_heap_pin_set(pqt_memory *memory, pqt_pin *pin)
{
    pqti_heap *heap = pqti_heap_of(memory);
    const void *version = atomic_load(&pin->object);
    if (!pqti_heap_is_marking(heap) || pqti_is_marked(version))
        return;
    pqti_heap_thread *state = pqti_heap_thread_of(heap);
    if (state == NULL || !add_pinned(&state->pinned, version))
        shade_all_pinned(heap, state, version);
}

/* ---- Holders ---- */

/*
 * A cycle that has scanned all other holders does not scan this one. It need not, because its owner
 * passes each version that it stores here to pqti_heap_root_added, or copies it from an older
 * holder, which the cycle scans first.
 */
void *
pqti_heap_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context)
{
    pqti_heap *heap = pqti_heap_of(memory);
    pqti_holder *holder =
        size <= SIZE_MAX - PQTI_HOLDER_HEADER ? calloc(1, PQTI_HOLDER_HEADER + size) : NULL;
    if (holder == NULL)
        return NULL;
    holder->trace = trace;
    holder->context = context;
    holder->size = size;
    pqti_heap_lock(heap);
    holder->previous = heap->last_holder;
    if (heap->last_holder != NULL)
        heap->last_holder->next = holder;
    else
        heap->first_holder = holder;
    heap->last_holder = holder;
    pqti_heap_unlock(heap);
    atomic_fetch_add_explicit(&heap->pins, 1, memory_order_relaxed);
    return (char *)holder + PQTI_HOLDER_HEADER;
}

void
pqti_heap_free_holder(pqt_memory *memory, void *block)
{
    pqti_heap *heap = pqti_heap_of(memory);
    pqti_holder *holder = (pqti_holder *)(void *)((char *)block - PQTI_HOLDER_HEADER);
    pqti_heap_lock(heap);
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
    pqti_heap_unlock(heap);
    free(holder);
    atomic_fetch_sub_explicit(&heap->pins, 1, memory_order_release);
}

/* ---- Drafts ---- */

void
pqti_heap_owner_added(pqt_memory *memory, pqti_owner *owner)
{
    pqti_heap *heap = pqti_heap_of(memory);
    pqti_heap_lock(heap);
    pqti_owner_notice_cycle(owner, atomic_load(&heap->cycle));
    owner->known_cycle = owner->noticed_cycle;
    owner->next = heap->first_owner;
    if (owner->next != NULL)
        owner->next->previous = owner;
    heap->first_owner = owner;
    pqti_heap_unlock(heap);
}

void
pqti_heap_owner_removed(pqt_memory *memory, pqti_owner *owner)
{
    pqti_heap *heap = pqti_heap_of(memory);
    pqti_heap_lock(heap);
    if (heap->unnoticed == owner)
        heap->unnoticed = owner->next;
    if (owner->previous != NULL)
        owner->previous->next = owner->next;
    else
        heap->first_owner = owner->next;
    if (owner->next != NULL)
        owner->next->previous = owner->previous;
    pqti_heap_unlock(heap);
}

/* Notices a cycle that began since the last edit, unless the thread that began it has done so for
   this draft. */
static PQTI_NOINLINE void
notice_cycle(pqti_heap *heap, pqti_owner *owner, uint64_t cycle)
{
    pqti_heap_lock(heap);
    if (owner->noticed_cycle != cycle)
        pqti_owner_notice_cycle(owner, cycle);
    pqti_heap_unlock(heap);
    owner->known_cycle = cycle;
}

/* Both stores and loads are sequentially consistent: either a thread that begins a cycle sees this
   edit and waits for it, or the edit sees the cycle. */
void
pqti_heap_edit_begin(pqt_memory *memory, pqti_owner *owner)
{
    pqti_heap *heap = pqti_heap_of(memory);
    uint64_t cycle = atomic_load(&heap->cycle), now;
    atomic_store(&owner->editing, cycle + 1);
    while ((now = atomic_load(&heap->cycle)) != cycle) {
        cycle = now;
        atomic_store(&owner->editing, cycle + 1);
    }
    if (owner->known_cycle != cycle)
        notice_cycle(heap, owner, cycle);
}

/* ---- Roots that change ---- */

static _Thread_local bool has_roots_locked;

void
pqti_heap_lock_roots(pqt_memory *memory)
{
    pqti_heap_lock(pqti_heap_of(memory));
    has_roots_locked = true;
}

void
pqti_heap_unlock_roots(pqt_memory *memory)
{
    has_roots_locked = false;
    pqti_heap_unlock(pqti_heap_of(memory));
}

/*
 * Writers of a holder with atomic members take no lock: see pqti_heap_pin_set for the order of
 * accesses.
 */
void
pqti_heap_root_added(pqt_memory *memory, const void *block)
{
    pqti_heap *heap = pqti_heap_of(memory);
    atomic_thread_fence(memory_order_seq_cst);
    if (!pqti_heap_is_marking(heap))
        return;
    if (has_roots_locked) {
        pqti_heap_shade(heap, block);
        return;
    }
    pqti_heap_lock(heap);
    if (pqti_heap_is_marking(heap))
        pqti_heap_shade(heap, block);
    pqti_heap_unlock(heap);
}
