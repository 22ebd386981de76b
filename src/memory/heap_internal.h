/* SPDX-License-Identifier: MIT */
/*
 * heap_internal.h: the data structures of a heap: its slabs, its threads' states and its cycle.
 *
 *     heap --> chunks --> slabs of 32 KiB: [ header, bitmaps | block | block | block ... ]
 *          --> thread states: a word of free blocks for each size class, a scope, recent pins
 *          --> holders (records of histories, heads) and pins: the roots
 *
 * A slab holds blocks of one class: either blocks of one size without references, or blocks of one
 * layout. The address of a slab is the address of any of its blocks, rounded down. The slab keeps
 * five bits for each block:
 *
 *     marked  the cycle has reached it
 *     used    it may belong to a version, or a thread has taken it for a later allocation
 *     cached  a thread has taken it; only that thread knows whether it is allocated
 *     grey    the cycle has reached it, but there was no room for it on the mark stack
 *     young   a thread has taken it since the cycle began
 *
 * A sweep frees the used blocks that are neither marked, young nor cached.
 *
 * In builds with --enable-debug, the sweep does not free the blocks of unreachable versions at
 * once. They remain used for a while, in *quarantine*: see PQTI_QUARANTINE. A sixth bit marks these
 * blocks for the sweep.
 *
 * Source files in this folder without a header of their own: heap.c, heap_cycle.c,
 * heap_root.c, heap_slab.c, heap_thread.c.
 */
#ifndef PQTI_HEAP_INTERNAL_H
#define PQTI_HEAP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <pqt/heap.h>

#include "base/attributes.h"
#include "memory/memory_internal.h"

#if defined(__SANITIZE_ADDRESS__)
#define PQTI_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PQTI_WITH_ASAN 1
#endif
#endif

#ifdef PQTI_WITH_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum {
    PQTI_SLAB_SIZE = 32768,
    PQTI_SMALL_MAX = 4096, /* each larger block gets a slab of its own */
    PQTI_LEAF_CLASSES = 80,
    PQTI_MAX_LAYOUTS = 48,
    PQTI_CLASSES = PQTI_LEAF_CLASSES + PQTI_MAX_LAYOUTS,
    PQTI_CHUNK_SLABS = 32, /* the maximal number of slabs in a chunk */
    /* in bytes; returning this many to the system counts as one step and takes about as long */
    PQTI_RELEASE_STEP = 4096
};

#if PQTI_CHECKED_ARENA
enum { PQTI_MARK_STACK = 4, PQTI_PIN_RING = 4 }; /* small, so that tests fill them */
#else
enum { PQTI_MARK_STACK = 4096, PQTI_PIN_RING = 128 };
#endif

/*
 * A checked build does not reuse the blocks of the last PQTI_QUARANTINE versions that a heap has
 * freed, so that public functions detect uses of these versions. If the heap has a limit, the
 * quarantine holds only one version per PQTI_QUARANTINE_DIVISOR bytes of the limit. A version takes
 * at most 160 bytes, so the quarantine takes at most a sixth of the limit.
 */
enum { PQTI_QUARANTINE = 16384, PQTI_QUARANTINE_DIVISOR = 1024 };

typedef struct pqti_heap pqti_heap;

/* A chunk: slabs that were allocated together. */
typedef struct pqti_chunk {
    struct pqti_chunk *next, *previous; /* neighbours in the list of all chunks */
    void *memory;                       /* the memory that contains the slabs */
    uint32_t slabs;
    uint32_t free; /* bit i: slab i is free */
    size_t bytes;  /* the size of `memory` */
} pqti_chunk;

typedef struct pqti_slab {
    /* the chunk that contains the slab; NULL if the slab is one large block */
    pqti_chunk *chunk;
    /* neighbours in the list of slabs with free blocks of the same class */
    struct pqti_slab *next, *previous;
    size_t rank; /* its index in heap->slabs */
    /* PQTI_SLAB_SIZE, or the size of the slab of a large block */
    size_t bytes;
    uint64_t young_cycle; /* the cycle to which the young bits belong */
    uint32_t count;       /* the number of blocks */
    uint32_t search_word; /* no word of the bitmaps before this one has a free block */
    uint16_t class_index;
    bool is_listed, has_grey;
    /* Shading a block reads only the members below and the bitmap of marks. They share one cache
       line if the slab has at most 192 blocks. */
    _Alignas(64) pqti_heap *heap;
    const pqti_layout *layout; /* NULL if the blocks have no references */
    size_t size;               /* the size of a block */
    uint32_t inverse;          /* 2^32 / size, rounded up */
    uint32_t words;            /* the number of words of each bitmap */
    uint32_t first;            /* the offset of the first block */
    /* the bitmaps, of `words` words each, in the order of the enum below */
    uint64_t bits[];
} pqti_slab;

#ifdef PQT_DEBUG
enum { PQTI_MARKED, PQTI_USED, PQTI_CACHED, PQTI_GREY, PQTI_YOUNG, PQTI_QUARANTINED, PQTI_BITMAPS };
#else
enum { PQTI_MARKED, PQTI_USED, PQTI_CACHED, PQTI_GREY, PQTI_YOUNG, PQTI_BITMAPS };
#endif

static inline uint64_t *
pqti_slab_bits(pqti_slab *slab, int bitmap)
{
    return slab->bits + (size_t)bitmap * slab->words;
}

static inline pqti_slab *
pqti_slab_of(const void *block)
{
    return (pqti_slab *)((uintptr_t)block & ~(uintptr_t)(PQTI_SLAB_SIZE - 1));
}

static inline char *
pqti_slab_block(pqti_slab *slab, uint32_t index)
{
    return (char *)slab + slab->first + index * slab->size;
}

/*
 * Returns the index of a block in its slab. Multiplying by the inverse gives the exact quotient,
 * because offsets are below 2^16 (the offset of a large block is 0).
 */
static inline uint32_t
pqti_slab_index(const pqti_slab *slab, const void *block)
{
    const uint32_t offset = (uint32_t)((const char *)block - (const char *)slab) - slab->first;
    return (uint32_t)((uint64_t)offset * slab->inverse >> 32);
}

/*
 * The blocks of one bitmap word of a slab that were free when a thread took them. The thread
 * allocates them one after another.
 */
typedef struct pqti_block_cache {
    uint64_t taken; /* bit i: block i of the word was free when the thread took it */
    uint64_t free;  /* bit i: block i of the word is free */
    char *base;     /* the address of block 0 of the word */
    size_t size;    /* the size of a block */
    pqti_slab *slab;
    uint32_t word;
} pqti_block_cache;

/* Versions that a thread has pinned during the cycle: a ring buffer with one writer, the thread,
   and one reader, the thread that holds the heap's lock. */
typedef struct pqti_pin_ring {
    /* running totals; their difference is the number of versions in the ring */
    atomic_uint added, removed;
    _Atomic(const void *) versions[PQTI_PIN_RING];
} pqti_pin_ring;

/* The state of one thread in one heap. */
typedef struct pqti_heap_thread {
    _Atomic(pqti_heap *) heap; /* NULL if the heap was destroyed */
    /* the next state in the list of the heap, or in the list of states that outlive their heaps */
    struct pqti_heap_thread *next;
    struct pqti_heap_thread *previous;       /* the previous state in the latter list */
    struct pqti_heap_thread *next_of_thread; /* the next state in the list of the thread */
    atomic_bool is_owned;                    /* true if a living thread owns it */
    /* the epoch in which the thread's scope began, or 0 if no scope is open */
    _Atomic uint64_t epoch;
    size_t depth; /* the number of open scopes, which are nested */
    pqti_pin_ring pinned;
    pqti_block_cache caches[PQTI_CLASSES];
} pqti_heap_thread;

/* Pins take 16 bytes each, and are allocated and freed without a lock. */
enum { PQTI_PIN_CHUNK_SIZE = 16384, PQTI_PIN_WORDS = 15 };

typedef struct pqti_pin_chunk {
    struct pqti_pin_chunk *next;
    _Atomic uint64_t used[PQTI_PIN_WORDS];
    _Alignas(PQTI_GRANULE) pqt_pin pins[PQTI_PIN_WORDS * 64];
} pqti_pin_chunk;

_Static_assert(sizeof(pqti_pin_chunk) <= PQTI_PIN_CHUNK_SIZE, "a chunk of pins is too large");

/* A block of roots, which a pqti_trace_fn enumerates. */
typedef struct pqti_holder {
    struct pqti_holder *next, *previous;
    pqti_trace_fn *trace;
    const void *context;
    size_t size;         /* the size of the block of roots, which follows the header */
    size_t next_root;    /* the index of the next root to scan in the cycle scan_cycle */
    uint64_t scan_cycle; /* the last cycle that began to scan this holder */
} pqti_holder;

#define PQTI_HOLDER_HEADER PQTI_ROUNDED(sizeof(pqti_holder))

typedef enum pqti_heap_phase {
    PQTI_IDLE,     /* no cycle is open */
    PQTI_STARTING, /* a major cycle clears all marks; then the cycle empties the rings of pinned
                      versions and waits for edits of drafts */
    PQTI_MARKING,  /* marks roots and the blocks that they reach */
    PQTI_WAITING,  /* all roots are marked; waits for the scopes that began earlier, and marks
                      the versions that they pinned */
    PQTI_SWEEPING
} pqti_heap_phase;

struct pqti_heap {
    /* must be first, because a pointer to it is converted to a pointer to the heap */
    pqt_memory memory;
    pqt_heap_options options;
    uint64_t id;            /* unique; no other heap ever gets it */
    struct pqti_heap *next; /* the next one in the list of all heaps */
    pthread_mutex_t lock;   /* protects all members below that are not atomic */
    /* true if it is the default memory of a build without the collector */
    bool is_default;
    atomic_bool has_reclaimed; /* pqt_memory_reclaim was called at least once */

    /* Blocks. */
    pqti_chunk *chunks;
    pqti_slab **slabs;
    size_t slab_count, slab_capacity;
    pqti_slab *with_free_blocks[PQTI_CLASSES];
    size_t bytes;      /* the total size of chunks and large blocks */
    size_t used_bytes; /* the total size of used blocks */
    size_t free_slabs; /* the number of free slabs in chunks */
    /* The total size of the blocks that threads have taken since the last completed cycle began.
       The cycle has freed none of them. */
    size_t bytes_since_cycle;
    size_t bytes_at_begin; /* the value of bytes_since_cycle when the current cycle began */
    /* the cached blocks are counted again once bytes_since_cycle reaches this value */
    size_t next_check;
    bool is_full; /* there was no memory for a block since the last cycle began */
    /* the total size of the blocks that threads have taken since the last safe point */
    size_t bytes_since_point;

    /* Roots. */
    pqti_holder *first_holder, *last_holder;
    pqti_owner *first_owner; /* the list of the drafts' owners */
    _Atomic(pqti_pin_chunk *) pin_chunks;
    _Atomic(pqti_pin_chunk *) pin_hint;
    _Atomic uint64_t pins;
    _Atomic(pqti_heap_thread *) threads;
    /* begins at 1; increases whenever a cycle has marked everything reachable */
    _Atomic uint64_t epoch;

    /* The cycle. */
    _Atomic(pqti_heap_phase) phase;
    /* the number of the current or last cycle; written while the lock is held */
    _Atomic uint64_t cycle;
    uint64_t cycles_ended, major_cycles; /* totals; the second one counts when they begin */
    /* A root let go of a block that may be marked since the last major cycle began. */
    atomic_bool has_lost_roots;
    bool is_clearing; /* a major cycle has yet to clear the marks of clear_slab and later slabs */
    size_t clear_slab;
    pqti_owner *unnoticed;  /* the first draft that has not noticed the cycle */
    pqti_holder *unscanned; /* the first holder that the cycle has not scanned */
    /* the first chunk whose pins are not all scanned: the scan continues at its word pin_word */
    pqti_pin_chunk *unscanned_pins;
    uint32_t pin_word;
    bool pins_in_word;
    uint64_t pins_rest;          /* bit i: pin i of word pin_word has not been scanned */
    pqti_heap_thread *unvisited; /* the first thread that this phase has not visited yet */
    size_t sweep_slab, grey_slab;
    uint32_t sweep_word;
    uint64_t sweep_rest; /* bit i: block i of the current word is not marked and not yet swept */
    bool sweep_in_word;
    /* the number of steps taken so far to free the slab that is being swept */
    size_t release_steps;
    size_t live_bytes; /* the bytes that the last cycle kept, without those taken since it began */
    size_t grey_slabs;
    /* the number of blocks that shading may mark at once instead of putting them on the stack */
    size_t may_mark;
    size_t stack_count;
    const void *stack[PQTI_MARK_STACK];
    uint64_t marked_blocks, swept_blocks, freed_blocks; /* totals, for tests */
    uint64_t steps; /* the total work of cycles in the unit of pqti_heap_advance, for tests */
#ifdef PQT_DEBUG
    size_t quarantine_count;           /* the number of versions that have ever entered the
                                          quarantine */
    void *quarantine[PQTI_QUARANTINE]; /* a ring buffer of the versions in quarantine */
#endif
};

/** heap_slab.c */

/* Blocks of up to 1 KiB without references have classes that differ by 16 bytes. */
enum { PQTI_FINE_MAX = 1024 };

/* Returns the class of larger blocks without references. */
unsigned pqti_coarse_class(size_t size);

/*
 * Return the class of blocks of a given size without references, and the size of the blocks in such
 * a class.
 */
static inline unsigned
pqti_leaf_class(size_t size)
{
    return size <= PQTI_FINE_MAX ? (unsigned)(size / PQTI_GRANULE) - 1 : pqti_coarse_class(size);
}

size_t pqti_leaf_class_size(unsigned class_index);

/* Assigns an id to a layout. Each layout gets its own id, even if two threads call this. */
unsigned pqti_add_layout(pqti_layout *layout);

/* Returns the id of a layout. Ids count from 1 and are assigned when a layout is first used. */
static inline unsigned
pqti_layout_id(pqti_layout *layout)
{
    const unsigned id = atomic_load_explicit(&layout->id, memory_order_relaxed);
    return id != 0 ? id : pqti_add_layout(layout);
}

/* Lock and unlock the ids of layouts around a fork. The caller must not hold any heap's lock. */
void pqti_lock_layouts(void);
void pqti_unlock_layouts(void);

/* The caller of every function below must hold the heap's lock. */

/*
 * Moves the free blocks of one word of a slab into the cache. Returns false when out of memory.
 */
bool pqti_heap_refill(pqti_heap *heap, pqti_block_cache *cache, unsigned class_index, size_t size,
                      const pqti_layout *layout);

/* Returns the blocks that remain in a cache to their slab. */
void pqti_heap_flush(pqti_heap *heap, pqti_block_cache *cache);

/* Allocates a block in a slab of its own. Returns NULL when out of memory. */
void *pqti_heap_alloc_large(pqti_heap *heap, size_t size, const pqti_layout *layout);

/* Adds a slab with free blocks to the list of its class. */
void pqti_slab_list(pqti_heap *heap, pqti_slab *slab);

/* Returns the number of steps that freeing a slab counts for: one for each PQTI_RELEASE_STEP
   bytes that the heap returns to the system. */
size_t pqti_slab_release_steps(const pqti_heap *heap, const pqti_slab *slab);

/* Frees a slab that has no used blocks. */
void pqti_slab_free(pqti_heap *heap, pqti_slab *slab);

void pqti_heap_free_slabs(pqti_heap *heap);

/* Returns true if a block is marked. A caller that does not hold the lock may get false for a block
   that is just being marked. */
static inline bool
pqti_is_marked(const void *block)
{
    pqti_slab *slab = pqti_slab_of(block);
    const uint32_t index = pqti_slab_index(slab, block);
    const uint64_t *word = &pqti_slab_bits(slab, PQTI_MARKED)[index / 64];
    return (__atomic_load_n(word, __ATOMIC_RELAXED) >> (index % 64) & 1) != 0;
}

static inline bool
pqti_is_in_cycle(const pqti_heap *heap)
{
    return atomic_load_explicit(&heap->phase, memory_order_relaxed) != PQTI_IDLE;
}

/* Sets the young bits of the given blocks of a word. */
void pqti_slab_set_young(pqti_slab *slab, uint32_t word, uint64_t blocks);

/* Tell sanitizers that a free block must not be accessed, or that it may be accessed again. */
static inline void
pqti_poison(void *block, size_t size)
{
#if PQTI_CHECKED_ARENA
    memset(block, PQTI_SCRIBBLE, size); /* these bytes are no valid pointer, count or sign */
#endif
#ifdef PQTI_WITH_ASAN
    ASAN_POISON_MEMORY_REGION(block, size);
#endif
    (void)block;
    (void)size;
}

static inline void
pqti_unpoison(void *block, size_t size)
{
#ifdef PQTI_WITH_ASAN
    ASAN_UNPOISON_MEMORY_REGION(block, size);
#endif
    (void)block;
    (void)size;
}

/** heap_cycle.c */

/* Marks or sweeps at most `blocks` blocks and roots. Returns the unused part of `blocks`. The
   caller must hold the lock. */
size_t pqti_heap_advance(pqti_heap *heap, size_t blocks);

/* Begins a cycle: a major one if a block that is marked may be unreachable by now. */
void pqti_heap_begin_cycle(pqti_heap *heap);

/* Makes a cycle begin again with the marks that it has set so far. */
void pqti_heap_restart_cycle(pqti_heap *heap);

/*
 * If the cycle is marking, makes it visit a block. `block` may be NULL. The caller must hold the
 * lock.
 */
void pqti_heap_shade(pqti_heap *heap, const void *block);

/* Shades at most `most` of the versions in a thread's ring, and returns the number of those
   shaded. The caller must hold the lock. */
size_t pqti_heap_shade_pinned(pqti_heap *heap, pqti_pin_ring *pinned, size_t most);

/** heap_thread.c */

/* The states of a thread in the heaps that it has used. */
typedef struct pqti_heap_states {
    uint64_t recent_id; /* the id of the heap to which `recent` belongs */
    pqti_heap_thread *recent;
    pqti_heap_thread *mine; /* the list of all of them */
} pqti_heap_states;

extern _Thread_local pqti_heap_states pqti_heap_my_states PQTI_INITIAL_EXEC;

static inline pqti_heap *
pqti_heap_of(pqt_memory *memory)
{
    return (pqti_heap *)memory;
}

static inline void
pqti_heap_lock(pqti_heap *heap)
{
    pthread_mutex_lock(&heap->lock);
}

static inline void
pqti_heap_unlock(pqti_heap *heap)
{
    pthread_mutex_unlock(&heap->lock);
}

static inline bool
pqti_heap_is_marking(pqti_heap *heap)
{
    const pqti_heap_phase phase = atomic_load(&heap->phase);
    return phase == PQTI_STARTING || phase == PQTI_MARKING || phase == PQTI_WAITING;
}

/* Returns the calling thread's state in a heap, which it may not have used last. */
pqti_heap_thread *pqti_heap_find_thread(pqti_heap *heap);

/* Returns the calling thread's state in a heap. Returns NULL if there is no memory for one. */
static inline pqti_heap_thread *
pqti_heap_thread_of(pqti_heap *heap)
{
    return pqti_heap_my_states.recent_id == heap->id ? pqti_heap_my_states.recent
                                                     : pqti_heap_find_thread(heap);
}

/* Returns all cached blocks of a thread to the heap. The caller holds the heap's lock. */
void pqti_heap_flush_thread(pqti_heap *heap, pqti_heap_thread *state);

/* Frees the states in a heap that is being destroyed. Those of living threads remain until these
   end. */
void pqti_heap_free_threads(pqti_heap *heap);

/* Makes forks wait for all heaps. Returns false if the system cannot. */
bool pqti_heap_watch_process(void);

/* Add a heap to those that forks wait for, and remove it. */
void pqti_heap_register(pqti_heap *heap);
void pqti_heap_unregister(const pqti_heap *heap);

/* Deletes the key whose destructor ends the states of a thread. If the library is being unloaded,
   frees the states in destroyed heaps, too. */
void pqti_heap_leave_process(bool is_unloading);

/* Functions of pqti_reclaiming_calls. */
bool pqti_heap_scope_begin(pqt_memory *memory);
void pqti_heap_scope_end(pqt_memory *memory);
bool pqti_heap_may_load(pqt_memory *memory);

/** heap_root.c: functions of pqti_memory_calls and pqti_reclaiming_calls */

void *pqti_heap_alloc_pin(pqt_memory *memory);
void pqti_heap_free_pin(pqt_memory *memory, void *block);
void pqti_heap_pin_set(pqt_memory *memory, pqt_pin *pin);
void *pqti_heap_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace,
                             const void *context);
void pqti_heap_free_holder(pqt_memory *memory, void *block);
void pqti_heap_owner_added(pqt_memory *memory, pqti_owner *owner);
void pqti_heap_owner_removed(pqt_memory *memory, pqti_owner *owner);
void pqti_heap_edit_begin(pqt_memory *memory, pqti_owner *owner);
void pqti_heap_lock_roots(pqt_memory *memory);
void pqti_heap_unlock_roots(pqt_memory *memory);
void pqti_heap_root_added(pqt_memory *memory, const void *block);
void pqti_heap_root_removed(pqt_memory *memory, const void *block);
void pqti_heap_roots_removed(pqt_memory *memory);

#endif
