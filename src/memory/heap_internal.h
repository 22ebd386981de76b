/* SPDX-License-Identifier: MIT */
/*
 * heap_internal.h: the parts of a heap, its slabs of blocks, its threads and its cycle.
 *
 *     heap --> chunks --> slabs of 32 KiB: [ header, bitmaps | block | block | block ... ]
 *          --> thread states: a word of free blocks for each size class, a scope, recent pins
 *          --> holders (records of histories, heads) and pins: the roots
 *
 * A slab holds blocks of one class: blocks of one size without references, or blocks of one layout.
 * Its address is the address of any of its blocks, rounded down. Five bits belong to each block:
 *
 *     marked  the cycle has reached it
 *     used    it may belong to a version, or a thread has taken it to allocate it
 *     cached  a thread has taken it; the thread alone knows whether it is allocated
 *     grey    the cycle has reached it, but there was no room for it on the mark stack
 *     young   a thread has taken it since the cycle began
 *
 * A sweep frees the blocks that are used and not marked, young or cached.
 *
 * In builds with --enable-debug, the blocks of versions that a sweep frees remain used for a while,
 * in *quarantine*: see PQTI_QUARANTINE. A sixth bit marks these blocks for the sweep.
 *
 * Sources of this folder without a header of their own: heap.c, heap_cycle.c, heap_slab.c.
 */
#ifndef PQTI_HEAP_INTERNAL_H
#define PQTI_HEAP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <pqt/heap.h>

#include "memory/memory_internal.h"

enum {
    PQTI_SLAB_SIZE = 32768,
    PQTI_SMALL_MAX = 4096, /* larger blocks get a slab of their own */
    PQTI_LEAF_CLASSES = 80,
    PQTI_MAX_LAYOUTS = 48,
    PQTI_CLASSES = PQTI_LEAF_CLASSES + PQTI_MAX_LAYOUTS,
    PQTI_CHUNK_SLABS = 32,   /* the most in one chunk */
    PQTI_RELEASE_STEP = 4096 /* bytes: giving them back takes the system about as long as a step */
};

#if PQTI_CHECKED_ARENA
enum { PQTI_MARK_STACK = 4, PQTI_PIN_RING = 4 }; /* so that tests meet full ones */
#else
enum { PQTI_MARK_STACK = 4096, PQTI_PIN_RING = 128 };
#endif

/*
 * A checked build does not reuse the blocks of the last PQTI_QUARANTINE versions that a heap has
 * freed, so that public functions detect a use of them. With a limit, it is one version for
 * PQTI_QUARANTINE_SHARE bytes of the limit: a version takes at most 160 bytes, so the quarantine
 * takes at most a sixth of it.
 */
enum { PQTI_QUARANTINE = 16384, PQTI_QUARANTINE_SHARE = 1024 };

typedef struct pqti_heap pqti_heap;

/* Slabs that were allocated together. */
typedef struct pqti_chunk {
    struct pqti_chunk *next, *previous; /* neighbours in the list of all chunks */
    void *memory;                       /* the memory of its slabs */
    uint32_t slabs;
    uint32_t free; /* bit i: slab i is free */
    size_t bytes;  /* the size of `memory` */
} pqti_chunk;

typedef struct pqti_slab {
    pqti_chunk *chunk;                 /* NULL: one large block */
    struct pqti_slab *next, *previous; /* in the list of slabs of its class with free blocks */
    size_t rank;                       /* its index in heap->slabs */
    size_t bytes;                      /* the size of a large block's slab; or PQTI_SLAB_SIZE */
    uint64_t young_cycle;              /* the cycle that the young bits belong to */
    uint32_t count;                    /* blocks */
    uint32_t search_word;              /* no word before it has a free block */
    uint16_t class_index;
    bool is_listed, has_grey;
    /* Shading a block reads the members from here on and the bitmap of marks: one cache line, if
       the slab has at most 192 blocks. */
    _Alignas(64) pqti_heap *heap;
    const pqti_layout *layout; /* NULL: blocks without references */
    size_t size;               /* the size of a block */
    uint32_t inverse;          /* 2^32 / size, rounded up */
    uint32_t words;            /* the number of words of each bitmap */
    uint32_t first;            /* the offset of the first block */
    uint64_t bits[];           /* words times marked, used, cached, grey, young */
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

/* Returns the index of a block. Exact, since offsets are below 2^16 (of a large block, 0). */
static inline uint32_t
pqti_slab_index(const pqti_slab *slab, const void *block)
{
    const uint32_t offset = (uint32_t)((const char *)block - (const char *)slab) - slab->first;
    return (uint32_t)((uint64_t)offset * slab->inverse >> 32);
}

/* Free blocks of one word of a slab, which one thread takes one after another. */
typedef struct pqti_block_cache {
    uint64_t taken; /* bit i: block i of the word was free when the thread took it */
    uint64_t free;  /* bit i: block i of the word is free */
    char *base;     /* block 0 of the word */
    size_t size;    /* the size of a block */
    pqti_slab *slab;
    uint32_t word;
} pqti_block_cache;

/* Versions that a thread has pinned during the cycle: a ring of one writer, the thread, and one
   reader, which holds the heap's lock. */
typedef struct pqti_pin_ring {
    atomic_uint added, removed; /* totals; the difference is the number of versions in the ring */
    _Atomic(const void *) versions[PQTI_PIN_RING];
} pqti_pin_ring;

/* The state of one thread in one heap. */
typedef struct pqti_heap_thread {
    _Atomic(pqti_heap *) heap;             /* NULL: the heap was destroyed */
    struct pqti_heap_thread *next;         /* the next one of the heap */
    struct pqti_heap_thread *next_of_mine; /* the next one of the thread */
    atomic_bool is_owned;                  /* by a living thread */
    _Atomic uint64_t epoch;                /* in which its scope began; 0: no scope is open */
    size_t depth;                          /* open scopes, nested in each other */
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

_Static_assert(sizeof(pqti_pin_chunk) <= PQTI_PIN_CHUNK_SIZE, "a chunk of pins fits");

/* A block of roots, found by its pqti_trace_fn. */
typedef struct pqti_holder {
    struct pqti_holder *next, *previous;
    pqti_trace_fn *trace;
    const void *context;
    size_t size;         /* the size of the block that follows */
    size_t next_root;    /* the next root in the cycle that scans it */
    uint64_t scan_cycle; /* that cycle; any other number: none has begun to scan it */
} pqti_holder;

#define PQTI_HOLDER_HEADER PQTI_ROUNDED(sizeof(pqti_holder))

typedef enum pqti_heap_phase {
    PQTI_IDLE,     /* no cycle */
    PQTI_STARTING, /* empties the rings of pinned versions */
    PQTI_MARKING,  /* marks roots and the blocks that they reach */
    PQTI_WAITING, /* roots are marked; waits for scopes that began before, marks what they pinned */
    PQTI_SWEEPING
} pqti_heap_phase;

struct pqti_heap {
    pqt_memory memory; /* first: a pointer to it is one to the heap */
    pqt_heap_options options;
    uint64_t id;               /* unique; never used for another heap */
    struct pqti_heap *next;    /* the next one of all heaps */
    pthread_mutex_t lock;      /* protects all members below that are not atomic */
    bool is_default;           /* it is the default memory of a build without the collector */
    atomic_bool has_reclaimed; /* pqt_memory_reclaim was called */

    /* Blocks. */
    pqti_chunk *chunks;
    pqti_slab **slabs;
    size_t slab_count, slab_capacity;
    pqti_slab *with_free_blocks[PQTI_CLASSES];
    size_t bytes;             /* the bytes of chunks and large blocks */
    size_t used_bytes;        /* the bytes of blocks that are used */
    size_t free_slabs;        /* in chunks */
    size_t bytes_since_cycle; /* bytes taken by threads since the last cycle ended */
    size_t bytes_checked;     /* bytes_since_cycle when cached blocks were counted last */
    size_t bytes_since_point; /* bytes taken by threads since the last safe point */

    /* Roots. */
    pqti_holder *first_holder, *last_holder;
    _Atomic(pqti_pin_chunk *) pin_chunks;
    _Atomic(pqti_pin_chunk *) pin_hint;
    _Atomic uint64_t pins;
    _Atomic(pqti_heap_thread *) threads;
    _Atomic uint64_t epoch; /* from 1; increases when a cycle has marked everything */

    /* The cycle. */
    _Atomic(pqti_heap_phase) phase;
    uint64_t cycle; /* its number */
    uint64_t cycles_ended;
    pqti_holder *unscanned;         /* the first holder that the cycle has not scanned */
    pqti_pin_chunk *unscanned_pins; /* the first chunk not scanned, from word pin_word on */
    uint32_t pin_word;
    bool pins_in_word;
    uint64_t pins_rest;          /* unscanned pins of the word */
    pqti_heap_thread *unvisited; /* the first thread whose ring or scope this phase has not seen */
    size_t sweep_slab, grey_slab;
    uint32_t sweep_word;
    uint64_t sweep_rest; /* unswept blocks of the word */
    bool sweep_in_word;
    size_t release_steps; /* taken for freeing the slab that is swept */
    size_t live_bytes;    /* after the last cycle */
    size_t grey_slabs;
    size_t stack_count;
    const void *stack[PQTI_MARK_STACK];
    uint64_t marked_blocks, swept_blocks, freed_blocks; /* totals, for tests */
    uint64_t steps; /* total work of cycles, in units of the budget of a call: for tests */
#ifdef PQT_DEBUG
    size_t quarantine_count;           /* total of versions that entered the quarantine */
    void *quarantine[PQTI_QUARANTINE]; /* a ring of the last ones */
#endif
};

/** heap_slab.c */

/* Returns the class of blocks without references of a size, and the actual size of blocks of a
 * class. */
unsigned pqti_leaf_class(size_t size);
size_t pqti_leaf_class_size(unsigned class_index);

/* Returns the id of a layout, assigned from 1 on its first use, or 0 if there are too many. */
unsigned pqti_layout_id(pqti_layout *layout);

/* Lock the ids of layouts, during a fork. No lock of a heap is held. */
void pqti_lock_layouts(void);
void pqti_unlock_layouts(void);

/* The caller of all functions below holds the lock. */

/* Takes a word of free blocks into the cache. Returns false if there is no memory. */
bool pqti_heap_refill(pqti_heap *heap, pqti_block_cache *cache, unsigned class_index, size_t size,
                      const pqti_layout *layout);

/* Returns the remaining blocks of a cache to their slab. */
void pqti_heap_flush(pqti_heap *heap, pqti_block_cache *cache);

/* Allocates a block with a slab of its own. Returns NULL if there is no memory. */
void *pqti_heap_alloc_large(pqti_heap *heap, size_t size, const pqti_layout *layout);

/* Adds a slab with free blocks to the list of its class. */
void pqti_slab_list(pqti_heap *heap, pqti_slab *slab);

/* Returns the steps of freeing a slab: one for each PQTI_RELEASE_STEP bytes that the heap gives
   back to the host. */
size_t pqti_slab_release_steps(const pqti_heap *heap, const pqti_slab *slab);

/* Frees a slab without used blocks. */
void pqti_slab_free(pqti_heap *heap, pqti_slab *slab);

void pqti_heap_free_slabs(pqti_heap *heap);

/* Returns true if the current cycle has marked a block. Without the lock, the answer may be false
   for a block that is being marked. */
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

/* Sets the young bits of blocks of a word. */
void pqti_slab_set_young(pqti_slab *slab, uint32_t word, uint64_t blocks);

/* Tell sanitizers that a free block must not be accessed, and that a block may be accessed
 * again. */
void pqti_poison(void *block, size_t size);
void pqti_unpoison(void *block, size_t size);

/** heap_cycle.c */

/* Marks or sweeps at most `blocks` blocks and roots. Returns the unused part of `blocks`. With the
   lock held. */
size_t pqti_heap_advance(pqti_heap *heap, size_t blocks);

/* Begins a cycle. */
void pqti_heap_begin_cycle(pqti_heap *heap);

/* Makes a marking cycle visit a block. NULL is allowed. With the lock held. */
void pqti_heap_shade(pqti_heap *heap, const void *block);

/* Shades at most `most` of the versions in a thread's ring. Returns their number. With the lock
   held. */
size_t pqti_heap_shade_pinned(pqti_heap *heap, pqti_pin_ring *pinned, size_t most);

#endif
