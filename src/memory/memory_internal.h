/* SPDX-License-Identifier: MIT */
/*
 * memory_internal.h - the small interface between the library and its memory.
 *
 * Blocks come in three kinds. A node is zeroed and may hold pointers, but not in its last word: the
 * collector does not look there (it takes the word for its own extra byte, see collector.c). A leaf
 * is neither zeroed nor searched for pointers. A scanned leaf is searched to its last word, and
 * takes 16 bytes more for it.
 *
 * No block is ever freed alone: the collector finds out, the arena goes at once. A pointer to a
 * block's beginning or into it keeps it; one just past its end does not. Scratch is ordinary malloc
 * for the time of one call; it hides pointers from the collector, so whatever it points to must be
 * reachable from elsewhere as well.
 *
 * Every allocation of a block, a pin or scratch passes the allocation hook, where tests count, fail
 * or collect. Pins and scratch, which must be freed, pass the lifetime hook too, where tests look
 * for leaks.
 *
 * Sources of this folder without a header of their own: arena.c.
 */
#ifndef PQTI_MEMORY_INTERNAL_H
#define PQTI_MEMORY_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/memory.h>

/* Blocks come in multiples of it, and begin at one: the collector's granule on 64-bit machines. */
#define PQTI_GRANULE 16

/* The size of block to ask for where so many bytes are needed; the macro is for constants. */
#define PQTI_ROUNDED(bytes) (((bytes) + PQTI_GRANULE - 1) / PQTI_GRANULE * PQTI_GRANULE)

static inline size_t
pqti_rounded(size_t bytes)
{
    return PQTI_ROUNDED(bytes);
}

/*
 * One type of node: its size, and which of its words are references, that is, pointers to blocks of
 * the same memory or NULL. A reference may also point into `immortals`, static blocks that belong
 * to no memory. Define one as a static variable with PQTI_LAYOUT for each type.
 */
typedef struct pqti_layout {
    size_t size;         /* bytes, a multiple of PQTI_GRANULE */
    uint64_t references; /* bit i: word i, counted in pointers, is a reference */
    const void *immortals;
    size_t immortal_bytes;
    atomic_uint id; /* 0 until a heap has met it; see heap.c */
} pqti_layout;

#define PQTI_LAYOUT(bytes, ...)                                                                    \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__)                                   \
    }

/* The words of `count` references from byte `offset` on, for PQTI_LAYOUT. */
#define PQTI_REFERENCES(offset, count)                                                             \
    (((UINT64_C(1) << (count)) - 1) << ((offset) / sizeof(void *)))

/* What is asked for: shown to the hook of the tests. */
typedef enum pqti_block {
    PQTI_BLOCK_NODE,
    PQTI_BLOCK_LEAF,
    PQTI_BLOCK_PIN,
    PQTI_BLOCK_SCRATCH
} pqti_block;

/* Each is called with the memory that it belongs to. Sizes are multiples of PQTI_GRANULE, not 0. */
typedef struct pqti_memory_calls {
    /* zeroed; its references keep what they point to */
    void *(*alloc_node)(pqt_memory *memory, pqti_layout *layout);
    /* zeroed; for pointers that only the calling function uses */
    void *(*alloc_list)(pqt_memory *memory, size_t size);
    /* not zeroed, not searched for pointers */
    void *(*alloc_leaf)(pqt_memory *memory, size_t size);
    /* not zeroed, searched throughout */
    void *(*alloc_scanned_leaf)(pqt_memory *memory, size_t size);
    /* The bytes that a block really takes. */
    size_t (*size)(const pqt_memory *memory, const void *block, size_t asked);
    /* Zeroed, searched throughout, never collected. */
    void *(*alloc_pin)(pqt_memory *memory, size_t size);
    void (*free_pin)(pqt_memory *memory, void *block);
    /* Whether a version that only the calling thread holds stays alive. */
    bool (*thread_is_registered)(const pqt_memory *memory);
    void (*collect)(pqt_memory *memory); /* for tests: reclaim all that can be */
    pqt_memory_stats (*stats)(const pqt_memory *memory);
} pqti_memory_calls;

struct pqt_memory {
    const pqti_memory_calls *calls;
};

/* What a pin or a head holds. */
typedef enum pqti_kind { PQTI_KIND_TREE = 1, PQTI_KIND_REGION = 2, PQTI_KIND_WORLD = 3 } pqti_kind;

/* A pin knows its memory, the version that it keeps, and of which kind: two words. */
struct pqt_pin {
    /* the memory's address; its lowest two bits, which are 0 there, are the kind */
    uintptr_t mem_and_kind;
    const void *object;
};

_Static_assert(_Alignof(pqt_memory) > PQTI_KIND_WORLD, "an address has room for a kind");

/*
 * Called before each allocation, where set; false makes the allocation fail. Set by tests only, and
 * while no other thread uses the library: the hook is a plain variable, since a lock or an atomic
 * would be paid for by every node. It is called by whichever threads allocate.
 */
typedef bool pqti_allocation_hook(pqti_block kind, size_t size, void *context);
void pqti_set_allocation_hook(pqti_allocation_hook *hook, void *context);

/*
 * Called after a pin or scratch was allocated, and before one is freed, where set. As the
 * allocation hook: set by tests only, before there are other threads, and called by all of them.
 */
typedef void pqti_lifetime_hook(pqti_block kind, bool begins);
void pqti_set_lifetime_hook(pqti_lifetime_hook *hook);

/* The memory that the options name, or the collector for NULL; NULL with an error told if there is
   none. */
pqt_memory *pqti_memory_or_default(pqt_memory *memory, pqt_error *error);

/*
 * Makes the collector ready. False with PQT_ERROR_THREAD told if it is not ready and the calling
 * thread is not main; with PQT_ERROR_UNSUPPORTED told in a build without the collector.
 */
bool pqti_collector_start(pqt_error *error);

/*
 * Blocks; NULL on failure, which the caller tells with pqti_out_of_memory. A node whose last word
 * is a pointer loses what it points to: see above, and assert the layout where a node type is
 * defined.
 */
void *pqti_alloc_node(pqt_memory *memory, pqti_layout *layout);
void *pqti_alloc_leaf(pqt_memory *memory, size_t size);
void *pqti_alloc_scanned_leaf(pqt_memory *memory, size_t size);

/*
 * A zeroed block for pointers to blocks that a function has made and not yet linked to a version.
 * The collector finds them there, except in the last word. It is of no use once the function has
 * returned.
 */
void *pqti_alloc_list(pqt_memory *memory, size_t size);

/* For the time of one call; NULL on failure. */
void *pqti_alloc_scratch(size_t count, size_t size); /* also NULL if count * size overflows */
void pqti_free_scratch(void *scratch);               /* NULL is allowed */

/* The bytes that a block which was asked for as `asked` bytes really takes in its memory. */
size_t pqti_block_size(const pqt_memory *memory, const void *block, size_t asked);

/* Reclaims all that can be; an arena does nothing. For tests. */
void pqti_collect(pqt_memory *memory);

/* A pin that keeps `version` (not NULL); NULL with PQT_ERROR_MEMORY told on failure. */
pqt_pin *pqti_pin(pqt_memory *memory, pqti_kind kind, const void *version, pqt_error *error);
pqt_memory *pqti_pin_memory(const pqt_pin *pin);

/* What a pin keeps. `function` is the public one whose caller must have a pin of this kind. */
const void *pqti_pinned(const char *function, const pqt_pin *pin, pqti_kind kind);

/* A larger pin: a zeroed block, searched throughout and never collected. NULL: no memory. */
void *pqti_pin_block(pqt_memory *memory, size_t size);
void pqti_unpin_block(pqt_memory *memory, void *block); /* NULL is allowed */

/* Whether the calling thread may hold versions of a memory: not if the collector does not know
   it. */
bool pqti_thread_is_registered(const pqt_memory *memory);

/* Tells PQT_ERROR_MEMORY. */
void pqti_out_of_memory(pqt_error *error);

/* Keeps a pointer on the stack until here, although the compiler sees no further use of it. */
static inline void
pqti_keep_alive(const void *pointer)
{
    __asm__ volatile("" : : "g"(pointer) : "memory");
}

#endif
