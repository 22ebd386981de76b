/* SPDX-License-Identifier: MIT */
/*
 * heap_cycle.c: finds the blocks of a heap that no root reaches and frees them, in slices.
 *
 * The algorithm is incremental mark and sweep (Dijkstra, Lamport, Martin, Scholten, Steffens 1978).
 * Blocks are immutable, so a block references only older ones, and path copying needs no barrier.
 * Roots are mutable, so a version that is stored in a root during the cycle is marked too (an
 * insertion barrier, pqti_heap_shade). Pinning takes no lock, so a version that is pinned is first
 * added to a ring of its thread. Blocks that a thread has taken since the cycle began are young,
 * and the cycle does not free them.
 *
 * The cycle frees no block that a scope uses. At the end of phase MARKING each root has been
 * scanned, and versions that were stored in a root later are marked or in a ring. The cycle then
 * waits until the scopes that are open at that moment have ended, and marks the versions in the
 * rings. A scope that begins later can use only two kinds of versions: those that it loads from
 * roots, which are marked or in a ring, and those that it makes, which are young and reference only
 * marked or young blocks. So a thread whose scope has ended can pin no other version, and it is
 * enough to visit each thread's ring once. (Epochs: Fraser, Practical lock-freedom, 2004, section
 * 5.2.3.)
 *
 * A draft changes its own blocks (owner.h), and a block of it may refer to a younger one. So each
 * draft gives up its blocks when a cycle begins:
 *
 * 1. An edit writes the number of the last cycle to owner->editing and then reads it again from
 *    the heap. A cycle first gets its number and then reads owner->editing. So an edit that does
 *    not know the cycle is seen by the cycle, which marks nothing until that edit has ended.
 * 2. Under the lock, the owner then notices the cycle: it forgets its blocks, gives up its free
 *    blocks, and keeps its roots of this moment, which the cycle marks. The blocks that these roots
 *    reach are not owned, so they no longer change. An edit that knows the cycle makes its owner
 *    notice it before it changes anything, unless the cycle has done so.
 * 3. A block that is owned later was taken since the cycle began, so the cycle does not free it,
 *    nor reach it: a version that has it was made by a snapshot, after which it is not owned. It
 *    refers to blocks that the roots of 2 reach, which are marked, or to younger ones.
 *
 * So the cycle reads no block that changes, and what it frees is neither in the draft nor in a
 * version made of it. An edit needs no scope.
 *
 * Marks remain when a cycle ends (sticky mark bits: Demers, Weiser, Hayes, Boehm, Bobrow, Shenker,
 * Combining generational and conservative garbage collection, 1990). A block that is marked refers
 * only to marked blocks, so a *minor* cycle marks only blocks that were made since the last cycle,
 * and each block is marked once if all versions are kept. A minor cycle frees all that a major one
 * would, because it runs only if each block that is marked is still reachable: if no root has let
 * go of a block that is marked, or that a cycle may have been marking, since the last *major* cycle
 * began, which clears all marks first. If the heap has a draft, each cycle is a major one, because
 * an edit of the draft can make any block unreachable.
 *
 * Each of these steps counts as one block against the limit of the call: clearing the marks of a
 * slab, popping a reference from the stack (a block can be on it more than once), scanning a root
 * or a word without pins, shading a version in a ring, visiting a thread, making a draft notice the
 * cycle, searching a slab for grey blocks, sweeping a block that is not marked or a word without
 * such blocks, and returning 4 KiB to the host. A block without references that is found by marking
 * another block is marked at once, which takes less time than putting it on the stack, and counts
 * as well.
 *
 * The mark stack has a fixed size, so marking allocates no memory. A block for which the stack has
 * no room becomes grey. Whenever the stack is empty, slabs are searched for grey blocks.
 */
#include "config.h"

#include "memory/heap_internal.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/prefetch.h"
#include "memory/owner.h"

/* ---- Marking ---- */

static pqti_heap_phase
phase_of(const pqti_heap *heap)
{
    return atomic_load_explicit(&heap->phase, memory_order_relaxed);
}

static void
set_phase(pqti_heap *heap, pqti_heap_phase phase)
{
    atomic_store(&heap->phase, phase);
}

static bool
get_bit(pqti_slab *slab, int bitmap, uint32_t index)
{
    return (pqti_slab_bits(slab, bitmap)[index / 64] >> (index % 64) & 1) != 0;
}

/* Sets a bit atomically, because other threads read marks without the lock (pqti_is_marked). */
static void
set_bit(pqti_slab *slab, int bitmap, uint32_t index)
{
    uint64_t *word = &pqti_slab_bits(slab, bitmap)[index / 64];
    __atomic_store_n(word, *word | UINT64_C(1) << (index % 64), __ATOMIC_RELAXED);
}

static inline void
set_marked(pqti_heap *heap, pqti_slab *slab, uint32_t index)
{
    PQT_ASSERT_IN(NULL, get_bit(slab, PQTI_USED, index),
                  "a pin, history, head or recording was given a version that the heap has "
                  "reclaimed: hold a version, or keep its scope open, while it is in use");
    set_bit(slab, PQTI_MARKED, index);
    heap->marked_blocks++;
}

/* Puts a block on the mark stack or, if that is full, makes it grey. */
static void
stack_block(pqti_heap *heap, pqti_slab *slab, uint32_t index, const void *block)
{
    if (heap->stack_count < PQTI_MARK_STACK) {
        pqti_prefetch(block);
        heap->stack[heap->stack_count++] = block;
        return;
    }
    set_bit(slab, PQTI_GREY, index);
    heap->grey_slabs += !slab->has_grey;
    slab->has_grey = true;
}

void
pqti_heap_shade(pqti_heap *heap, const void *block)
{
    if (block == NULL)
        return;
    pqti_slab *slab = pqti_slab_of(block);
    PQT_ASSERT_IN(NULL, slab->heap == heap,
                  "a pin, history, head or recording was given a version that the heap has "
                  "reclaimed, or one of another memory");
    const uint32_t index = pqti_slab_index(slab, block);
    if (get_bit(slab, PQTI_MARKED, index) && !heap->is_clearing)
        return;
    if (slab->layout != NULL || heap->may_mark == 0) {
        stack_block(heap, slab, index, block);
        return;
    }
    heap->may_mark--;
    set_marked(heap, slab, index);
}

static bool
is_immortal(const pqti_layout *layout, const void *block)
{
    return (uintptr_t)block - (uintptr_t)layout->immortals < layout->immortal_bytes;
}

/* Prefetches what shading a block reads first. `block` may be NULL. */
static void
prefetch_slab(const void *block)
{
    const uintptr_t slab = (uintptr_t)block & ~(uintptr_t)(PQTI_SLAB_SIZE - 1);
    pqti_prefetch((const void *)(slab + offsetof(pqti_slab, heap)));
}

static void
shade_references(pqti_heap *heap, const pqti_layout *layout, const void *block)
{
    const void *const *words = block;
    for (uint64_t rest = layout->references; rest != 0; rest &= rest - 1)
        prefetch_slab(words[__builtin_ctzll(rest)]);
    for (uint64_t rest = layout->references; rest != 0; rest &= rest - 1) {
        const void *to = words[__builtin_ctzll(rest)];
        if (!is_immortal(layout, to))
            pqti_heap_shade(heap, to);
    }
}

/* Marks a block from the stack unless it is marked already. */
static void
mark_block(pqti_heap *heap, const void *block)
{
    pqti_slab *slab = pqti_slab_of(block);
    const uint32_t index = pqti_slab_index(slab, block);
    if (get_bit(slab, PQTI_MARKED, index))
        return;
    set_marked(heap, slab, index);
    if (slab->layout != NULL)
        shade_references(heap, slab->layout, block);
}

/* Takes a reference from the stack. The block of the last reference was prefetched too recently
   to be in the cache, so this takes one of the last AHEAD references, and moves the last one to
   its place. */
static const void *
pop_reference(pqti_heap *heap)
{
    enum { AHEAD = 4 };
    const void *last = heap->stack[--heap->stack_count];
    if (heap->stack_count < AHEAD)
        return last;
    const size_t at = heap->stack_count - AHEAD;
    const void *taken = heap->stack[at];
    heap->stack[at] = last;
    return taken;
}

/* Marks at most `blocks` blocks on the stack, and leaves to which they refer. Returns the unused
   part of `blocks`. */
static size_t
drain_stack(pqti_heap *heap, size_t blocks)
{
    heap->may_mark = blocks;
    while (heap->may_mark > 0 && heap->stack_count > 0) {
        heap->may_mark--;
        mark_block(heap, pop_reference(heap));
    }
    const size_t left = heap->may_mark;
    heap->may_mark = 0;
    heap->steps += blocks - left;
    return left;
}

/* Pushes a grey block of the slab onto the stack. Returns false if the slab has none. */
static bool
stack_grey_block(pqti_heap *heap, pqti_slab *slab)
{
    uint64_t *grey = pqti_slab_bits(slab, PQTI_GREY);
    for (uint32_t word = 0; word < slab->words; word++) {
        if (grey[word] == 0)
            continue;
        const uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(grey[word]);
        grey[word] &= grey[word] - 1;
        heap->stack[heap->stack_count++] = pqti_slab_block(slab, index);
        return true;
    }
    heap->grey_slabs--;
    slab->has_grey = false;
    return false;
}

/* Takes one step of the search for grey blocks. Must be called when the stack is empty. */
static void
search_grey(pqti_heap *heap)
{
    heap->steps++;
    if (heap->grey_slab >= heap->slab_count)
        heap->grey_slab = 0;
    pqti_slab *slab = heap->slabs[heap->grey_slab];
    if (!slab->has_grey || !stack_grey_block(heap, slab))
        heap->grey_slab++;
}

/* ---- Roots ---- */

struct pqti_marker {
    pqti_heap *heap;
};

void
pqti_mark(pqti_marker *marker, const void *block)
{
    pqti_heap_shade(marker->heap, block);
}

/* Scans at most `roots` roots of the first unscanned holder. Returns the unused part of `roots`.
   A holder without roots counts as one root. */
static size_t
scan_holder(pqti_heap *heap, size_t roots)
{
    pqti_holder *holder = heap->unscanned;
    pqti_marker marker = {heap};
    if (holder->scan_cycle != heap->cycle) {
        holder->scan_cycle = heap->cycle;
        holder->next_root = 0;
    }
    const size_t from = holder->next_root;
    const pqti_roots block = {(char *)holder + PQTI_HOLDER_HEADER, holder->size, holder->context};
    if (holder->trace(block, &holder->next_root, roots, &marker))
        heap->unscanned = holder->next;
    const size_t scanned = holder->next_root - from;
    PQT_INVARIANT(scanned <= roots, "more roots are scanned than allowed");
    heap->steps += scanned > 0 ? scanned : 1;
    return roots - (scanned > 0 ? scanned : 1);
}

/* Returns the lowest `most` set bits of `bits`. */
static uint64_t
lowest_bits(uint64_t bits, size_t most)
{
    uint64_t rest = bits;
    if (most >= 64)
        return bits;
    for (; most > 0 && rest != 0; most--)
        rest &= rest - 1;
    return bits & ~rest;
}

/* Shades the versions of the given pins in a word. Returns their number. */
static size_t
scan_pins(pqti_heap *heap, pqti_pin_chunk *chunk, uint32_t word, uint64_t pins)
{
    for (uint64_t rest = pins; rest != 0; rest &= rest - 1) {
        const pqt_pin *pin = &chunk->pins[word * 64 + (uint32_t)__builtin_ctzll(rest)];
        pqti_heap_shade(heap, atomic_load(&pin->object));
    }
    return (size_t)__builtin_popcountll(pins);
}

/* Scans at most `roots` pins in the current word. Returns the unused part of `roots`. A word
   without pins counts as one root. */
static size_t
scan_pin_word(pqti_heap *heap, size_t roots)
{
    pqti_pin_chunk *chunk = heap->unscanned_pins;
    if (!heap->pins_in_word) {
        heap->pins_rest = atomic_load(&chunk->used[heap->pin_word]);
        heap->pins_in_word = true;
    }
    const uint64_t now = lowest_bits(heap->pins_rest, roots);
    const size_t scanned = scan_pins(heap, chunk, heap->pin_word, now);
    heap->steps += scanned > 0 ? scanned : 1;
    heap->pins_rest &= ~now;
    if (heap->pins_rest == 0) {
        heap->pins_in_word = false;
        if (++heap->pin_word == PQTI_PIN_WORDS) {
            heap->pin_word = 0;
            heap->unscanned_pins = chunk->next;
        }
    }
    return roots - (scanned > 0 ? scanned : 1);
}

/* ---- Threads ---- */

size_t
pqti_heap_shade_pinned(pqti_heap *heap, pqti_pin_ring *pinned, size_t most)
{
    const unsigned added = atomic_load_explicit(&pinned->added, memory_order_acquire);
    unsigned removed = atomic_load_explicit(&pinned->removed, memory_order_relaxed);
    size_t count = 0;
    for (; removed != added && count < most; removed++, count++)
        pqti_heap_shade(heap, atomic_load_explicit(&pinned->versions[removed % PQTI_PIN_RING],
                                                   memory_order_relaxed));
    atomic_store_explicit(&pinned->removed, removed, memory_order_release);
    return count;
}

/*
 * Empties the ring of each thread. A cycle does so when it begins, because it will scan all pins
 * anyway.
 */
static void
forget_pinned(pqti_heap *heap)
{
    pqti_pin_ring *pinned = &heap->unvisited->pinned;
    heap->steps++;
    atomic_store_explicit(&pinned->removed,
                          atomic_load_explicit(&pinned->added, memory_order_acquire),
                          memory_order_release);
    heap->unvisited = heap->unvisited->next;
}

/* Visits a thread at the end of marking: shades at most *blocks versions in its ring, and
   proceeds to the next thread once the ring is empty. Returns false if the thread has an open
   scope that began before the current epoch. */
static bool
visit_thread(pqti_heap *heap, size_t *blocks)
{
    pqti_heap_thread *thread = heap->unvisited;
    /* Load the epoch before reading the ring: a thread may add to its ring while its scope is
       open. */
    const uint64_t began = atomic_load(&thread->epoch);
    const bool is_open = began != 0 && began < atomic_load(&heap->epoch);
    const size_t shaded = pqti_heap_shade_pinned(heap, &thread->pinned, *blocks);
    const size_t taken = shaded > 0 ? shaded : 1;
    heap->steps += taken;
    *blocks -= taken;
    if (shaded == 0 && !is_open)
        heap->unvisited = thread->next;
    return shaded > 0 || !is_open;
}

/* ---- Drafts ---- */

/* Makes a draft notice the cycle, and proceeds to the next one. Returns false if an edit that does
   not know the cycle is in progress. */
static bool
visit_owner(pqti_heap *heap)
{
    pqti_owner *owner = heap->unnoticed;
    const uint64_t cycle = atomic_load(&heap->cycle), editing = atomic_load(&owner->editing);
    if (owner->noticed_cycle != cycle) {
        if (editing != 0 && editing - 1 < cycle)
            return false;
        pqti_owner_notice_cycle(owner, cycle);
    }
    heap->steps++;
    heap->unnoticed = owner->next;
    return true;
}

/* ---- Phases ---- */

void
pqti_heap_restart_cycle(pqti_heap *heap)
{
    atomic_fetch_add(&heap->cycle, 1);
    heap->unnoticed = heap->first_owner;
    heap->bytes_at_begin = heap->bytes_since_cycle;
    heap->is_full = false;
    heap->unvisited = atomic_load(&heap->threads);
    set_phase(heap, PQTI_STARTING);
}

/* The number of the cycle increases before has_lost_roots is read: see pqti_heap_free_pin. */
void
pqti_heap_begin_cycle(pqti_heap *heap)
{
    pqti_heap_restart_cycle(heap);
    heap->is_clearing = heap->first_owner != NULL || atomic_load(&heap->has_lost_roots);
    if (!heap->is_clearing)
        return;
    atomic_store(&heap->has_lost_roots, false);
    heap->clear_slab = 0;
    heap->major_cycles++;
}

/* Clears the marks of a slab. */
static void
clear_marks(pqti_heap *heap)
{
    heap->steps++;
    if (heap->clear_slab < heap->slab_count) {
        pqti_slab *slab = heap->slabs[heap->clear_slab++];
        uint64_t *marked = pqti_slab_bits(slab, PQTI_MARKED);
        for (uint32_t word = 0; word < slab->words; word++)
            __atomic_store_n(&marked[word], 0, __ATOMIC_RELAXED);
    }
    heap->is_clearing = heap->clear_slab < heap->slab_count;
}

static void
begin_marking(pqti_heap *heap)
{
    heap->unscanned = heap->first_holder;
    set_phase(heap, PQTI_MARKING);
    /* If a chunk is added after this point, the versions in its pins are also in rings. */
    heap->unscanned_pins = atomic_load(&heap->pin_chunks);
    heap->pin_word = 0;
    heap->pins_in_word = false;
}

/* Takes the next step of marking the roots and the blocks that they reach. Returns the unused
   part of `blocks`. */
static size_t
advance_marking(pqti_heap *heap, size_t blocks)
{
    if (heap->stack_count > 0)
        return drain_stack(heap, blocks);
    if (heap->grey_slabs > 0) {
        search_grey(heap);
        return blocks - 1;
    }
    return scan_holder(heap, blocks < PQTI_MARK_STACK ? blocks : PQTI_MARK_STACK);
}

static bool
is_marking_done(pqti_heap *heap)
{
    return heap->stack_count == 0 && heap->grey_slabs == 0 && heap->unscanned == NULL;
}

static void
begin_waiting(pqti_heap *heap)
{
    atomic_fetch_add(&heap->epoch, 1);
    heap->unvisited = atomic_load(&heap->threads);
    set_phase(heap, PQTI_WAITING);
}

static void
begin_sweep(pqti_heap *heap)
{
    heap->sweep_slab = 0;
    heap->sweep_word = 0;
    heap->sweep_in_word = false;
    heap->release_steps = 0;
    set_phase(heap, PQTI_SWEEPING);
}

static void
end_cycle(pqti_heap *heap)
{
    const size_t young = heap->bytes_since_cycle - heap->bytes_at_begin;
    /* Blocks that were taken and given back unused are in `young`, but not in used_bytes. */
    heap->live_bytes = heap->used_bytes > young ? heap->used_bytes - young : 0;
    heap->bytes_since_cycle = young;
    heap->next_check = 0;
    heap->cycles_ended++;
    set_phase(heap, PQTI_IDLE);
}

/* Makes the given blocks of a word available for allocation. */
static void
release_blocks(pqti_heap *heap, pqti_slab *slab, uint32_t word, uint64_t blocks)
{
    pqti_slab_bits(slab, PQTI_USED)[word] &= ~blocks;
    if (blocks != 0) {
        slab->search_word = slab->search_word < word ? slab->search_word : word;
        pqti_slab_list(heap, slab);
    }
}

#ifdef PQT_DEBUG

static size_t
quarantine_capacity(const pqti_heap *heap)
{
    const size_t share = heap->options.limit / PQTI_QUARANTINE_DIVISOR;
    return heap->options.limit == 0 || share > PQTI_QUARANTINE ? PQTI_QUARANTINE : share;
}

static void
release_quarantined(pqti_heap *heap, void *block)
{
    pqti_slab *slab = pqti_slab_of(block);
    const uint32_t index = pqti_slab_index(slab, block);
    const uint64_t bit = UINT64_C(1) << (index % 64);
    pqti_slab_bits(slab, PQTI_QUARANTINED)[index / 64] &= ~bit;
    release_blocks(heap, slab, index / 64, bit);
}

/*
 * Moves versions to the quarantine. If it is full, each replaces the version that entered it first.
 */
static void
quarantine_versions(pqti_heap *heap, pqti_slab *slab, uint32_t word, uint64_t blocks)
{
    const size_t capacity = quarantine_capacity(heap);
    if (capacity == 0) {
        release_blocks(heap, slab, word, blocks);
        return;
    }
    pqti_slab_bits(slab, PQTI_QUARANTINED)[word] |= blocks;
    for (uint64_t rest = blocks; rest != 0; rest &= rest - 1) {
        void **at = &heap->quarantine[heap->quarantine_count++ % capacity];
        if (*at != NULL)
            release_quarantined(heap, *at);
        *at = pqti_slab_block(slab, word * 64 + (uint32_t)__builtin_ctzll(rest));
    }
}

static uint64_t
quarantined_blocks(pqti_slab *slab, uint32_t word)
{
    return pqti_slab_bits(slab, PQTI_QUARANTINED)[word];
}

#else

static inline void
quarantine_versions(pqti_heap *heap, pqti_slab *slab, uint32_t word, uint64_t blocks)
{
    release_blocks(heap, slab, word, blocks);
}

static inline uint64_t
quarantined_blocks(pqti_slab *slab, uint32_t word)
{
    (void)slab;
    (void)word;
    return 0;
}

#endif

static bool
holds_versions(const pqti_slab *slab)
{
    return slab->layout != NULL && slab->layout->kind != NULL;
}

/*
 * Zeroes the lives of the given blocks of a word, so that public functions notice the use of a
 * version that was reclaimed, until its block is used again. No other block is touched by a sweep.
 * A thread that uses such a version by mistake may read the sign at the same time.
 */
static void
end_lives(pqti_slab *slab, uint32_t word, uint64_t blocks)
{
    for (uint64_t rest = blocks; rest != 0; rest &= rest - 1) {
        pqti_version *version =
            (void *)pqti_slab_block(slab, word * 64 + (uint32_t)__builtin_ctzll(rest));
        __atomic_store_n(&version->sign, version->sign & ~PQTI_LIFE_BITS, __ATOMIC_RELAXED);
    }
}

/* Frees the given blocks of a word. */
static void
free_blocks(pqti_heap *heap, pqti_slab *slab, uint32_t word, uint64_t blocks)
{
    if (holds_versions(slab))
        end_lives(slab, word, blocks);
    for (uint64_t rest = blocks; rest != 0; rest &= rest - 1) {
        char *block = pqti_slab_block(slab, word * 64 + (uint32_t)__builtin_ctzll(rest));
        pqti_unpoison(block, slab->size); /* a draft poisons a block that it drops */
#ifdef PQT_DEBUG
        memset(block, PQTI_SCRIBBLE, slab->size);
#endif
        pqti_poison(block, slab->size);
    }
    const size_t count = (size_t)__builtin_popcountll(blocks);
    heap->used_bytes -= count * slab->size;
    heap->freed_blocks += count;
    if (holds_versions(slab))
        quarantine_versions(heap, slab, word, blocks);
    else
        release_blocks(heap, slab, word, blocks);
}

/* Sweeps at most `blocks` blocks in the current word that are not marked. Returns the unused part
   of `blocks`. A word without such blocks counts as one block. */
static size_t
sweep_word(pqti_heap *heap, pqti_slab *slab, size_t blocks)
{
    const uint32_t word = heap->sweep_word;
    if (!heap->sweep_in_word) {
        heap->sweep_rest =
            pqti_slab_bits(slab, PQTI_USED)[word] & ~pqti_slab_bits(slab, PQTI_MARKED)[word];
        heap->sweep_in_word = true;
    }
    const uint64_t now = lowest_bits(heap->sweep_rest, blocks);
    const uint64_t young =
        slab->young_cycle == heap->cycle ? pqti_slab_bits(slab, PQTI_YOUNG)[word] : 0;
    free_blocks(
        heap, slab, word,
        now & pqti_slab_bits(slab, PQTI_USED)[word] &
            ~(young | pqti_slab_bits(slab, PQTI_CACHED)[word] | quarantined_blocks(slab, word)));
    heap->sweep_rest &= ~now;
    const size_t swept = (size_t)__builtin_popcountll(now);
    heap->swept_blocks += swept;
    heap->steps += swept > 0 ? swept : 1;
    if (heap->sweep_rest == 0) {
        heap->sweep_in_word = false;
        heap->sweep_word++;
    }
    return blocks - (swept > 0 ? swept : 1);
}

static bool
is_slab_unused(pqti_slab *slab)
{
    const uint64_t *used = pqti_slab_bits(slab, PQTI_USED);
    for (uint32_t word = 0; word < slab->words; word++)
        if (used[word] != 0)
            return false;
    return true;
}

/*
 * Takes the steps that freeing a slab counts for, before it is freed. Returns the unused part of
 * `blocks`.
 */
static size_t
take_release_steps(pqti_heap *heap, size_t needed, size_t blocks)
{
    const size_t left = needed - heap->release_steps, taken = left < blocks ? left : blocks;
    heap->release_steps += taken;
    heap->steps += taken;
    return blocks - taken;
}

static void
next_slab(pqti_heap *heap)
{
    heap->sweep_word = 0;
    heap->release_steps = 0;
}

static size_t
advance_sweep(pqti_heap *heap, size_t blocks)
{
    if (heap->sweep_slab == heap->slab_count) {
        end_cycle(heap);
        return blocks;
    }
    pqti_slab *slab = heap->slabs[heap->sweep_slab];
    if (heap->sweep_word < slab->words)
        return sweep_word(heap, slab, blocks);
    if (!is_slab_unused(slab)) {
        next_slab(heap);
        heap->sweep_slab++;
        return blocks;
    }
    const size_t needed = pqti_slab_release_steps(heap, slab);
    if (heap->release_steps < needed)
        return take_release_steps(heap, needed, blocks);
    next_slab(heap);
    /* This moves the last slab of heap->slabs to the index of the freed one. */
    pqti_slab_free(heap, slab);
    return blocks;
}

size_t
pqti_heap_advance(pqti_heap *heap, size_t blocks)
{
    while (blocks > 0) {
        switch (phase_of(heap)) {
        case PQTI_IDLE:
            return blocks;
        case PQTI_STARTING:
            if (heap->is_clearing)
                clear_marks(heap);
            else if (heap->unvisited != NULL)
                forget_pinned(heap);
            else if (heap->unnoticed == NULL)
                begin_marking(heap);
            else if (!visit_owner(heap))
                return blocks;
            blocks--;
            break;
        case PQTI_MARKING:
            if (!is_marking_done(heap))
                blocks = advance_marking(heap, blocks);
            else if (heap->unscanned_pins != NULL)
                blocks = scan_pin_word(heap, blocks);
            else
                begin_waiting(heap);
            break;
        case PQTI_WAITING:
            if (!is_marking_done(heap))
                blocks = advance_marking(heap, blocks);
            else if (heap->unvisited == NULL)
                begin_sweep(heap);
            else if (!visit_thread(heap, &blocks))
                return blocks;
            break;
        case PQTI_SWEEPING:
            blocks = advance_sweep(heap, blocks);
            break;
        }
    }
    return blocks;
}
