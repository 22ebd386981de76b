/* SPDX-License-Identifier: MIT */
/*
 * memory_internal.h: the interface between the library and its memories.
 *
 * There are three kinds of blocks. A node is zeroed and may hold pointers, but not in its last
 * word, which the collector does not scan (it takes the word for its own extra byte, see
 * collector.c). A leaf is neither zeroed nor scanned. A scanned leaf is scanned up to its last
 * word, and takes 16 bytes more for that.
 *
 * No block is freed individually: the collector finds unreachable ones, an arena is destroyed as a
 * whole. A pointer to the beginning of a block or into it keeps it alive; a pointer just past its
 * end does not. Scratch is malloc's memory for the duration of one call. The collector does not
 * scan it, so everything it points to must be reachable from elsewhere as well.
 *
 * Every allocation of a block, a pin or scratch calls the allocation hook, where tests count, fail
 * or collect. Pins and scratch, which must be freed, call the lifetime hook too, where tests detect
 * leaks.
 *
 * Sources of this folder without a header of their own: arena.c, default.c.
 */
#ifndef PQTI_MEMORY_INTERNAL_H
#define PQTI_MEMORY_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/memory.h>

/* The unit of block sizes and addresses: the collector's granule on 64-bit machines. */
#define PQTI_GRANULE 16

/* The size of a block for this many bytes; the macro is for constants. */
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
    bool is_version;     /* a block holds a version, with a life mark; see PQTI_VERSION_LAYOUT */
    const void *immortals;
    size_t immortal_bytes;
    atomic_uint id; /* 0 until a heap first allocates this type; see pqti_layout_id */
} pqti_layout;

#define PQTI_LAYOUT(bytes, ...)                                                                    \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__)                                   \
    }

/* PQTI_LAYOUT for versions. */
#define PQTI_VERSION_LAYOUT(bytes, ...)                                                            \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__), .is_version = true               \
    }

/* The words of `count` references from byte `offset` on, for PQTI_LAYOUT. */
#define PQTI_REFERENCES(offset, count)                                                             \
    (((UINT64_C(1) << (count)) - 1) << ((offset) / sizeof(void *)))

/* The kind of an allocation, for the hooks. */
typedef enum pqti_block {
    PQTI_BLOCK_NODE,
    PQTI_BLOCK_LEAF,
    PQTI_BLOCK_PIN,
    PQTI_BLOCK_SCRATCH
} pqti_block;

typedef struct pqti_marker pqti_marker;

/* A block of roots: see pqti_alloc_holder. */
typedef struct pqti_roots {
    const void *block;
    size_t size;
    const void *context; /* as passed to pqti_alloc_holder */
} pqti_roots;

/*
 * Passes roots to pqti_mark: at most `most` of them, from index *next on, and advances *next.
 * Returns true after the last root.
 */
typedef bool pqti_trace_fn(pqti_roots roots, size_t *next, size_t most, pqti_marker *marker);

/* Marks one root: a block of the heap, or NULL. */
void pqti_mark(pqti_marker *marker, const void *block);

/* Further functions of a heap, which reclaims with the help of the library. */
typedef struct pqti_reclaiming_calls {
    void (*lock_roots)(pqt_memory *memory);
    void (*unlock_roots)(pqt_memory *memory);
    void (*root_added)(pqt_memory *memory, const void *block);
    void (*pin_set)(pqt_memory *memory, pqt_pin *pin);
    bool (*scope_begin)(pqt_memory *memory);
    void (*scope_end)(pqt_memory *memory);
    bool (*may_load)(pqt_memory *memory);
    bool (*reclaim)(pqt_memory *memory, size_t blocks);
    void (*safe_point)(pqt_memory *memory, const void *argument, const void *result);
} pqti_reclaiming_calls;

/* Functions of a memory. Sizes are multiples of PQTI_GRANULE, not 0. */
typedef struct pqti_memory_calls {
    /* zeroed; its references keep what they point to */
    void *(*alloc_node)(pqt_memory *memory, pqti_layout *layout);
    /* zeroed; for pointers that only the calling function uses */
    void *(*alloc_list)(pqt_memory *memory, size_t size);
    /* not zeroed, not scanned */
    void *(*alloc_leaf)(pqt_memory *memory, size_t size);
    /* not zeroed, scanned throughout */
    void *(*alloc_scanned_leaf)(pqt_memory *memory, size_t size);
    /* Returns the bytes that a block actually takes. */
    size_t (*size)(const pqt_memory *memory, const void *block, size_t asked);
    /* a zeroed pin, never collected */
    void *(*alloc_pin)(pqt_memory *memory);
    void (*free_pin)(pqt_memory *memory, void *pin);
    /* a zeroed block of roots, scanned throughout, never collected */
    void *(*alloc_holder)(pqt_memory *memory, size_t size, pqti_trace_fn *trace,
                          const void *context);
    void (*free_holder)(pqt_memory *memory, void *block);
    /* Returns true if a version that only the calling thread holds stays alive. */
    bool (*thread_is_registered)(const pqt_memory *memory);
    void (*collect)(pqt_memory *memory); /* for tests: reclaim all that is unreachable */
    pqt_memory_stats (*stats)(const pqt_memory *memory);
    const pqti_reclaiming_calls *reclaiming; /* NULL: not a heap */
} pqti_memory_calls;

/* The four lowest bits of its address are 0: a pin keeps a kind there. */
struct pqt_memory {
    _Alignas(16) const pqti_memory_calls *calls;
};

/* The kind of version that a pin or a head holds. */
typedef enum pqti_kind {
    PQTI_KIND_TREE = 1,
    PQTI_KIND_REGION = 2,
    PQTI_KIND_WORLD = 3,
    PQTI_KIND_MAP = 4,
    PQTI_KIND_DOCUMENT = 5,
    PQTI_KIND_MASK = 15 /* all kinds are smaller */
} pqti_kind;

/* A pin: its memory, the kind of its version, and the version, in two words. */
struct pqt_pin {
    /* the memory's address; its lowest four bits, which are 0 there, hold the kind */
    uintptr_t mem_and_kind;
    _Atomic(const void *) object;
};

_Static_assert(_Alignof(pqt_memory) > PQTI_KIND_MASK, "an address has room for a kind");

/* Called before each allocation if set; false makes the allocation fail. Set by tests only, while
 * no other thread uses the library: the hook is a plain variable, because a lock or an atomic would
 * slow down every allocation. Any thread that allocates calls it. */
typedef bool pqti_allocation_hook(pqti_block kind, size_t size, void *context);
void pqti_set_allocation_hook(pqti_allocation_hook *hook, void *context);

/* Called after a pin or scratch was allocated and before one is freed, if set. Set by tests only,
 * before there are other threads. Any thread calls it. */
typedef void pqti_lifetime_hook(pqti_block kind, bool begins);
void pqti_set_lifetime_hook(pqti_lifetime_hook *hook);

/* Returns the memory of the options, or for NULL the default: the collector, or the default heap of
 * a build without it. Returns NULL with an error set if that is unavailable. */
pqt_memory *pqti_memory_or_default(pqt_memory *memory, pqt_error *error);

/* Initialises the collector; only in builds with it. Returns false with PQT_ERROR_THREAD set if it
 * is not initialised and the calling thread is not main. */
bool pqti_collector_start(pqt_error *error);

/* Returns the heap that builds without the collector use by default. The first call makes it; it is
 * never destroyed. Returns NULL with PQT_ERROR_MEMORY set on failure. */
pqt_memory *pqti_default_heap(pqt_error *error);

/* Allocate blocks. Return NULL on failure; the caller then calls pqti_out_of_memory. The last
 * word of a node must not be a reference: see above. */
void *pqti_alloc_node(pqt_memory *memory, pqti_layout *layout);
void *pqti_alloc_leaf(pqt_memory *memory, size_t size);
void *pqti_alloc_scanned_leaf(pqt_memory *memory, size_t size);

/*
 * Allocates a zeroed block for pointers to blocks that a function has made and not yet linked to a
 * version. The collector finds them there, except in the last word. It is of no use once the
 * function has returned.
 */
void *pqti_alloc_list(pqt_memory *memory, size_t size);

/* Allocates scratch for the duration of one call. Returns NULL on failure. */
void *pqti_alloc_scratch(size_t count, size_t size); /* also NULL if count * size overflows */
void pqti_free_scratch(void *scratch);               /* NULL is allowed */

/* Returns the bytes that a block allocated for `asked` bytes actually takes in its memory. */
size_t pqti_block_size(const pqt_memory *memory, const void *block, size_t asked);

/* Reclaims all that is unreachable; an arena does nothing. For tests. */
void pqti_collect(pqt_memory *memory);

/* Returns a pin that keeps `version` (not NULL) alive; NULL with PQT_ERROR_MEMORY set on
 * failure. */
pqt_pin *pqti_pin(pqt_memory *memory, pqti_kind kind, const void *version, pqt_error *error);
pqti_kind pqti_pin_kind(const pqt_pin *pin);
pqt_memory *pqti_pin_memory(const pqt_pin *pin);

/* Returns the version of a pin. `function` is the public function whose caller must pass a pin of
 * this kind. */
const void *pqti_pinned(const char *function, const pqt_pin *pin, pqti_kind kind);

/* Allocates a holder: a zeroed block of roots, scanned throughout and never collected. NULL on
 * failure. */
void *pqti_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context);
void pqti_free_holder(pqt_memory *memory, void *block); /* NULL is allowed */

/*
 * A heap scans holders while other threads work. A function that writes references into a holder
 * locks the roots while it does, unless the writes are atomic, and passes each new reference to
 * pqti_root_added. In other memories these functions do nothing.
 */
static inline void
pqti_lock_roots(pqt_memory *memory)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->lock_roots(memory);
}

static inline void
pqti_unlock_roots(pqt_memory *memory)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->unlock_roots(memory);
}

static inline void
pqti_root_added(pqt_memory *memory, const void *block)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->root_added(memory, block);
}

/* Ends a push, publish or step: a heap may reclaim versions here. It keeps `argument` and `result`,
 * either of which may be NULL. */
static inline void
pqti_safe_point(pqt_memory *memory, const void *argument, const void *result)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->safe_point(memory, argument, result);
}

/* Begins a scope. Returns false if there is no memory for it. */
static inline bool
pqti_scope_begin(pqt_memory *memory)
{
    return memory->calls->reclaiming == NULL || memory->calls->reclaiming->scope_begin(memory);
}

static inline void
pqti_scope_end(pqt_memory *memory)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->scope_end(memory);
}

/* Returns true if a version that the calling thread loads from a head stays alive. */
static inline bool
pqti_may_load(pqt_memory *memory)
{
    return memory->calls->reclaiming == NULL || memory->calls->reclaiming->may_load(memory);
}

/* Returns true if the calling thread may hold versions of a memory: false if the collector does not
 * know the thread. */
bool pqti_thread_is_registered(const pqt_memory *memory);

/*
 * A version holds a life mark, by which public functions notice that it was reclaimed while the
 * caller still used it. In a memory other than the collector it is PQTI_LIVES. In the collector it
 * is 0x8000 plus the lowest 15 bits of the number of the last collection when the version was made
 * or last found alive. A reclaimed block is zeroed, or scribbled over by a checked heap.
 *
 * By then, the block may hold something else. So the mark of regions, worlds, maps and documents
 * has a magic number of the kind in its upper 16 bits; a tree has room for 16 bits only. In the
 * collector the first word is also tested: it refers to the collector, or to a block that lives.
 */
enum { PQTI_LIVES = 1, PQTI_COLLECTED = 0x8000, PQTI_SCRIBBLE = 0x5b };

/* The magic number of a pqti_kind. No pointer, count or coordinate is likely to have these bits. */
#define PQTI_LIFE_OF(kind) ((uint32_t)(0x6d51 + 0x0908 * (kind)) << 16)

/* Returns the life mark of a version that was just allocated, without a magic number. */
uint16_t pqti_life_of_new(const pqt_memory *memory);

/* Return true if a version whose mark is not PQTI_LIVES is alive, and update the mark. */
bool pqti_is_collected_tree_alive(const void *tree, const uint16_t *life);
bool pqti_is_collected_alive(const void *version, const uint32_t *life, uint32_t magic);

static inline bool
pqti_is_tree_alive(const void *tree, const uint16_t *life)
{
    return __atomic_load_n(life, __ATOMIC_RELAXED) == PQTI_LIVES ||
           pqti_is_collected_tree_alive(tree, life);
}

/* `magic` is the PQTI_LIFE_OF the version's kind. */
static inline bool
pqti_is_alive(const void *version, const uint32_t *life, uint32_t magic)
{
    return __atomic_load_n(life, __ATOMIC_RELAXED) == (magic | PQTI_LIVES) ||
           pqti_is_collected_alive(version, life, magic);
}

#define PQTI_RECLAIMED                                                                             \
    "the version was reclaimed, since nothing that keeps versions referred to it: hold it by a "   \
    "pin, such as pqt_tree_pin, which may be kept in any memory"

/* Sets PQT_ERROR_MEMORY. */
void pqti_out_of_memory(pqt_error *error);

/* Keeps a pointer on the stack up to here, even if the compiler sees no further use of it. */
static inline void
pqti_keep_alive(const void *pointer)
{
    __asm__ volatile("" : : "g"(pointer) : "memory");
}

#endif
