/* SPDX-License-Identifier: MIT */
/*
 * memory_internal.h: the interface between the library and its memories.
 *
 * There are three kinds of blocks. A node is zeroed, unless its layout says that it is written as
 * a whole. It may hold pointers, but not in its last word, which the collector does not scan (it
 * takes this word for its own extra byte, see collector.c). A leaf is neither zeroed nor scanned. A
 * scanned leaf is scanned as a whole, including its last word, and takes 16 more bytes for this.
 *
 * Only a draft frees or reuses single blocks (owner.h). The collector finds unreachable blocks, and
 * an arena is destroyed as a whole. A pointer to the beginning of a block or into it keeps it
 * alive; a pointer just past its end does not. Scratch is memory from malloc that is used during
 * one call. The collector does not scan it, so everything it points to must be reachable from
 * elsewhere as well.
 *
 * Every allocation of a block, a pin or scratch calls the allocation hook. With this hook, tests
 * count allocations, make them fail, or run a collection. Pins and scratch must be freed, so
 * allocating or freeing one calls the lifetime hook too, with which tests detect leaks.
 *
 * Source files in this folder without a header of their own: arena.c, default.c.
 */
#ifndef PQTI_MEMORY_INTERNAL_H
#define PQTI_MEMORY_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/kind.h>
#include <pqt/memory.h>

/* The unit of block sizes and addresses: the collector's granule on 64-bit machines. */
#define PQTI_GRANULE 16

/*
 * Rounds a number of bytes up to the size of a block that holds them. The macro is for constants.
 */
#define PQTI_ROUNDED(bytes) (((bytes) + PQTI_GRANULE - 1) / PQTI_GRANULE * PQTI_GRANULE)

static inline size_t
pqti_rounded(size_t bytes)
{
    return PQTI_ROUNDED(bytes);
}

/*
 * Describes one type of node: its size, and which of its words are references. A reference is NULL
 * or a pointer to a block of the same memory, or to one of the `immortals`, static blocks that
 * belong to no memory. Define a static variable with PQTI_LAYOUT for each type.
 */
typedef struct pqti_layout {
    size_t size; /* in bytes, a multiple of PQTI_GRANULE */
    /* bit i: word i of the block is a reference; words have the size of a pointer */
    uint64_t references;
    /* the functions for its kind if a block is a version, otherwise NULL; see
       PQTI_VERSION_LAYOUT */
    const struct pqti_kind_calls *kind;
    bool is_written; /* true if a heap need not zero the blocks; see PQTI_WRITTEN_LAYOUT */
    bool is_leaf;    /* a leaf with references: a draft keeps its blocks apart (owner.h) */
    const void *immortals;
    size_t immortal_bytes;
    atomic_uint id; /* 0 until a heap first allocates this type; see pqti_layout_id */
} pqti_layout;

#define PQTI_LAYOUT(bytes, ...)                                                                    \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__)                                   \
    }

/* Does the same as PQTI_LAYOUT for a type whose blocks are written as a whole, except for padding,
   before anything reads them. */
#define PQTI_WRITTEN_LAYOUT(bytes, ...)                                                            \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__), .is_written = true               \
    }

/* Does the same as PQTI_LAYOUT for leaves with references: see owner.h. */
#define PQTI_REFERRING_LEAF_LAYOUT(bytes, ...)                                                     \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__), .is_leaf = true                  \
    }

/* Does the same as PQTI_LAYOUT for versions, which begin with a pqti_version. `calls` is the row
   of their kind: so a program that makes versions of a kind has its row (kind_calls.h). */
#define PQTI_VERSION_LAYOUT(calls, bytes, ...)                                                     \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__), .kind = &(calls)                 \
    }

/* Does the same as PQTI_VERSION_LAYOUT for a type whose blocks are written as a whole. */
#define PQTI_WRITTEN_VERSION_LAYOUT(calls, bytes, ...)                                             \
    {                                                                                              \
        .size = PQTI_ROUNDED(bytes), .references = (__VA_ARGS__), .kind = &(calls),                \
        .is_written = true                                                                         \
    }

/* The bits of `count` consecutive references that begin at byte `offset`, for PQTI_LAYOUT. */
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
    const void *context; /* the argument of pqti_alloc_holder */
} pqti_roots;

/*
 * Passes at most `most` roots, from index *next on, to pqti_mark, and advances *next. Returns true
 * once it has passed the last root.
 */
typedef bool pqti_trace_fn(pqti_roots roots, size_t *next, size_t most, pqti_marker *marker);

/* Marks one root: a block of the heap, or NULL. */
void pqti_mark(pqti_marker *marker, const void *block);

typedef struct pqti_owner pqti_owner;

/* Functions that only a heap has, because it reclaims with the help of the library. */
typedef struct pqti_reclaiming_calls {
    void (*lock_roots)(pqt_memory *memory);
    void (*unlock_roots)(pqt_memory *memory);
    void (*root_added)(pqt_memory *memory, const void *block);
    void (*root_removed)(pqt_memory *memory, const void *block);
    void (*roots_removed)(pqt_memory *memory);
    void (*pin_set)(pqt_memory *memory, pqt_pin *pin);
    bool (*scope_begin)(pqt_memory *memory);
    void (*scope_end)(pqt_memory *memory);
    bool (*may_load)(pqt_memory *memory);
    bool (*reclaim)(pqt_memory *memory, size_t blocks);
    void (*scope_end_at_safe_point)(pqt_memory *memory, const void *argument, const void *result);
    /* Begin and end to keep the roots of a draft: see owner.h. */
    void (*owner_added)(pqt_memory *memory, pqti_owner *owner);
    void (*owner_removed)(pqt_memory *memory, pqti_owner *owner);
    /* Begins an edit of a draft, which ends when owner->editing is 0 again. */
    void (*edit_begin)(pqt_memory *memory, pqti_owner *owner);
} pqti_reclaiming_calls;

/* The functions of a memory. Sizes are positive multiples of PQTI_GRANULE. */
typedef struct pqti_memory_calls {
    /* Allocates a zeroed block, whose references keep alive what they point to. If the layout is
       PQTI_WRITTEN_LAYOUT, the block need not be zeroed. */
    void *(*alloc_node)(pqt_memory *memory, pqti_layout *layout);
    /* Allocates a zeroed block for pointers that only the calling function uses. */
    void *(*alloc_list)(pqt_memory *memory, size_t size);
    /* Allocates a block that is neither zeroed nor scanned. */
    void *(*alloc_leaf)(pqt_memory *memory, size_t size);
    /* Allocates a block that is not zeroed, but scanned as a whole. */
    void *(*alloc_scanned_leaf)(pqt_memory *memory, size_t size);
    /* Frees a leaf to which nothing refers. Only the collector has it. */
    void (*free_leaf)(pqt_memory *memory, void *block);
    /* Returns the number of bytes that a block actually takes. */
    size_t (*size)(const pqt_memory *memory, const void *block, size_t asked);
    /* Allocates a zeroed pin, which is never collected. */
    void *(*alloc_pin)(pqt_memory *memory);
    void (*free_pin)(pqt_memory *memory, void *pin);
    /* Allocates a zeroed block of roots, which is scanned as a whole and never collected. */
    void *(*alloc_holder)(pqt_memory *memory, size_t size, pqti_trace_fn *trace,
                          const void *context);
    void (*free_holder)(pqt_memory *memory, void *block);
    /* Returns true if a version stays alive while only the calling thread's stack refers to it. */
    bool (*thread_is_registered)(const pqt_memory *memory);
    void (*collect)(pqt_memory *memory); /* for tests: reclaims everything unreachable */
    pqt_memory_stats (*stats)(const pqt_memory *memory);
    const pqti_reclaiming_calls *reclaiming; /* NULL if the memory is not a heap */
} pqti_memory_calls;

/* The four lowest bits of the address of a memory are 0, so that a pin can keep a kind there. */
struct pqt_memory {
    _Alignas(16) const pqti_memory_calls *calls;
};

/* Greater than every kind of version. */
enum { PQTI_KIND_MASK = 15 };

/* A pin stores its memory, the kind of its version, and the version in two words. */
struct pqt_pin {
    /* The address of the memory, whose lowest four bits are replaced by the kind. */
    uintptr_t mem_and_kind;
    _Atomic(const void *) object;
};

_Static_assert(_Alignof(pqt_memory) > PQTI_KIND_MASK,
               "the address of a memory has no free bits for a kind");

/*
 * If set, the hook is called before each allocation, in the thread that allocates. If it returns
 * false, the allocation fails. Only tests set it, while no other thread uses the library: it is a
 * plain variable, because a lock or an atomic would slow down every allocation.
 */
typedef bool pqti_allocation_hook(pqti_block kind, size_t size, void *context);
void pqti_set_allocation_hook(pqti_allocation_hook *hook, void *context);

/*
 * If set, the hook is called after a pin or scratch was allocated and before one is freed, in the
 * thread that does so. Only tests set it, before they start other threads.
 */
typedef void pqti_lifetime_hook(pqti_block kind, bool begins);
void pqti_set_lifetime_hook(pqti_lifetime_hook *hook);

/*
 * Returns the given memory, or the default memory if it is NULL. The default is the collector or,
 * in a build without it, the default heap. Returns NULL with an error set if the default memory is
 * unavailable.
 */
pqt_memory *pqti_memory_or_default(pqt_memory *memory, pqt_error *error);

/*
 * Initialises the collector. It exists only in builds with the collector. Fails with
 * PQT_ERROR_THREAD if the collector is not initialised yet and the calling thread is not the main
 * thread.
 */
bool pqti_collector_start(pqt_error *error);

/*
 * Returns the default heap of builds without the collector. The first call creates it, and it is
 * never destroyed. Returns NULL with PQT_ERROR_MEMORY set on failure.
 */
pqt_memory *pqti_default_heap(pqt_error *error);

/* Sets PQT_ERROR_MEMORY. */
void pqti_out_of_memory(pqt_error *error);

/* Allocate blocks. Return NULL on failure; the caller then calls pqti_out_of_memory. The last
 * word of a node must not be a reference: see above. */
void *pqti_alloc_node(pqt_memory *memory, pqti_layout *layout);
void *pqti_alloc_leaf(pqt_memory *memory, size_t size);
void *pqti_alloc_scanned_leaf(pqt_memory *memory, size_t size);

/*
 * Allocates a zeroed block for pointers to blocks that a function has allocated but not yet linked
 * to a version. The collector scans this block, except for its last word. It must not be used after
 * the function has returned.
 */
void *pqti_alloc_list(pqt_memory *memory, size_t size);

/* Allocates scratch for one call. Returns NULL on failure. */
void *pqti_alloc_scratch(size_t count, size_t size); /* also NULL if count * size overflows */
void pqti_free_scratch(void *scratch);               /* NULL is allowed */

/*
 * Moves the first `count` elements of a scratch block, which may be NULL, to a block with room for
 * `capacity` elements, and frees the old block. On failure, returns NULL and keeps the old block.
 */
void *pqti_resize_scratch(void *scratch, size_t count, size_t capacity, size_t size);

/*
 * Makes room for `more` elements after the first `count` elements of a scratch block: returns the
 * block itself if *capacity suffices, and a block of more than twice the capacity otherwise. On
 * failure, returns NULL and keeps the old block.
 */
void *pqti_grow_scratch(void *scratch, size_t count, size_t *capacity, size_t more, size_t size);

/*
 * Returns the number of bytes that a block allocated for `asked` bytes actually takes in its
 * memory.
 */
size_t pqti_block_size(const pqt_memory *memory, const void *block, size_t asked);

/* Reclaims everything unreachable, unless the memory is an arena. Only tests call this. */
void pqti_collect(pqt_memory *memory);

/*
 * Returns a pin that keeps `version` alive. `version` must not be NULL. Returns NULL with
 * PQT_ERROR_MEMORY set on failure.
 */
pqt_pin *pqti_pin(pqt_memory *memory, pqt_kind kind, const void *version, pqt_error *error);
pqt_kind pqti_pin_kind(const pqt_pin *pin);
pqt_memory *pqti_pin_memory(const pqt_pin *pin);

/*
 * Returns the version that a pin holds. `function` names the public function that was called: its
 * caller must pass a pin that holds a version of this kind.
 */
const void *pqti_pinned(const char *function, const pqt_pin *pin, pqt_kind kind);

/*
 * Allocates a holder: a zeroed block of roots, which is scanned as a whole and never collected.
 * Returns NULL on failure.
 */
void *pqti_alloc_holder(pqt_memory *memory, size_t size, pqti_trace_fn *trace, const void *context);

/* Free a holder, which may be NULL; the second one, a holder whose roots are in another one. */
void pqti_free_holder(pqt_memory *memory, void *block);
void pqti_free_copied_holder(pqt_memory *memory, void *block);

/*
 * A heap scans holders while other threads work. So a function that writes references into a holder
 * must pass each new reference to pqti_root_added, and must hold the lock of the roots while it
 * writes, unless the writes are atomic. It passes each reference that it overwrites to
 * pqti_root_removed: after an atomic write, before its scope ends; otherwise before or after, with
 * the lock. In other memories these functions do nothing.
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

static inline void
pqti_root_removed(pqt_memory *memory, const void *block)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->root_removed(memory, block);
}

/* Has the effect of pqti_root_removed for any number of blocks. */
static inline void
pqti_roots_removed(pqt_memory *memory)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->roots_removed(memory);
}

/*
 * Begins a scope, which keeps the blocks that the thread makes and the versions that it loads. A
 * function that puts a new block into a root is a scope: until the block is there, a thread that
 * reclaims could free it. Returns false and sets PQT_ERROR_MEMORY if there is not enough memory.
 */
static inline bool
pqti_scope_begin(pqt_memory *memory, pqt_error *error)
{
    if (memory->calls->reclaiming == NULL || memory->calls->reclaiming->scope_begin(memory))
        return true;
    pqti_out_of_memory(error);
    return false;
}

static inline void
pqti_scope_end(pqt_memory *memory)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->scope_end(memory);
}

/*
 * Ends the scope of a push, a publication or a step that has succeeded: a heap may then reclaim
 * versions. It keeps `argument` and `result`, either of which may be NULL, unless another thread
 * reclaims too. It takes them before the scope ends, because afterwards another thread may have
 * reclaimed them: a caller must not touch a version of a scope after its end.
 */
static inline void
pqti_scope_end_at_safe_point(pqt_memory *memory, const void *argument, const void *result)
{
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->scope_end_at_safe_point(memory, argument, result);
}

/* Returns true if a version that the calling thread loads from a head would stay alive. */
static inline bool
pqti_may_load(pqt_memory *memory)
{
    return memory->calls->reclaiming == NULL || memory->calls->reclaiming->may_load(memory);
}

/*
 * Returns true if the calling thread may hold versions of a memory, and false if the collector does
 * not know the thread.
 */
bool pqti_thread_is_registered(const pqt_memory *memory);

/*
 * The first word of every version: a number for the kind's own use, and the version's sign, by
 * which public functions learn its kind and notice that it was reclaimed while the caller still
 * used it.
 *
 * The sign consists of 12 bits of PQTI_SIGN, four bits with the kind, and 16 bits with the life. In
 * an arena or a heap the life is PQTI_LIVES. In the collector it is 0x8000 plus the lowest 15 bits
 * of the number of the last collection at the time when the version was made or last found alive.
 * The collector zeroes a reclaimed block, except for the word in which it links free blocks, the
 * first one. A heap zeroes the life, and the sign still says the kind; a checked heap scribbles
 * over the whole block.
 *
 * When a public function tests the sign, the block may already hold something else. So other
 * contents rarely have PQTI_SIGN and PQTI_LIVES. In the collector the second word of the block is
 * tested too: in every version, it refers to the collector or to a live block.
 */
typedef struct pqti_version {
    uint32_t own;
    uint32_t sign;
} pqti_version;

enum { PQTI_LIVES = 0x56a7, PQTI_COLLECTED = 0x8000, PQTI_SCRIBBLE = 0x5b };

/* The lives of the view of a draft, before and after an edit of the draft. A view is no version:
   only functions that read a version, and do not keep it, accept it. */
enum { PQTI_VIEW = 0x3d4c, PQTI_PAST_VIEW = 0x3d4d };

/* It is unlikely that the upper half of a pointer, a count or a coordinate has these bits. */
#define PQTI_SIGN UINT32_C(0x6d500000)
#define PQTI_LIFE_BITS UINT32_C(0xffff)

/* The sign of a version of this kind, without its life. */
#define PQTI_SIGN_OF(kind) (PQTI_SIGN | (uint32_t)(kind) << 16)

/* Returns the sign for a version of this kind that was just allocated. */
uint32_t pqti_sign_of_new(const pqt_memory *memory, pqt_kind kind);

/* Returns true if a version of this kind whose life is not PQTI_LIVES is alive, and updates its
   sign. */
bool pqti_is_collected_alive(const void *version, pqt_kind kind);

static inline uint32_t
pqti_sign_in(const void *version)
{
    return __atomic_load_n(&((const pqti_version *)version)->sign, __ATOMIC_RELAXED);
}

static inline pqt_kind
pqti_kind_in_sign(uint32_t sign)
{
    return (pqt_kind)(sign >> 16 & PQTI_KIND_MASK);
}

/* Returns the kind of a version that is alive. */
static inline pqt_kind
pqti_version_kind(const void *version)
{
    return pqti_kind_in_sign(pqti_sign_in(version));
}

/* Returns true if this is an up-to-date view of a draft. */
static inline bool
pqti_is_view(const void *version, pqt_kind kind)
{
    return pqti_sign_in(version) == (PQTI_SIGN_OF(kind) | PQTI_VIEW);
}

/* Returns true if a version of this kind is alive. */
static inline bool
pqti_is_alive(const void *version, pqt_kind kind)
{
    return pqti_sign_in(version) == (PQTI_SIGN_OF(kind) | PQTI_LIVES) ||
           pqti_is_collected_alive(version, kind);
}

/*
 * Prints a message and aborts, because a public function was called with a version that was
 * reclaimed, or that is of another kind than `kind`. `function` is its name, or NULL.
 */
_Noreturn void pqti_refuse_version(const char *function, pqt_kind kind, const void *version);

/* Returns the kind of a version, which must be alive. `function` is the public function that was
   called with it. */
pqt_kind pqti_kind_in(const char *function, const void *version);

/* Stops the program unless a version is of this kind and alive. `function` is the public function
   that was called with it, or NULL. */
static inline void
pqti_assert_version(const char *function, pqt_kind kind, const void *version)
{
#if !(defined NDEBUG || defined PQT_TRAPS)
    if (!pqti_is_alive(version, kind))
        pqti_refuse_version(function, kind, version);
#endif
    (void)function;
    (void)kind;
    (void)version;
}

/* Does the same for a function that only reads: it accepts the view of a draft, too. */
static inline void
pqti_assert_readable(const char *function, pqt_kind kind, const void *version)
{
#if !(defined NDEBUG || defined PQT_TRAPS)
    if (!pqti_is_alive(version, kind) && !pqti_is_view(version, kind))
        pqti_refuse_version(function, kind, version);
#endif
    (void)function;
    (void)kind;
    (void)version;
}

/* Does the same as pqti_assert_version, but nothing if the version is NULL or there is no such
   kind. */
void pqti_assert_kind(const char *function, pqt_kind kind, const void *version);

/*
 * Makes the compiler keep a pointer on the stack or in a register up to this point, even if nothing
 * uses it later.
 */
static inline void
pqti_keep_alive(const void *pointer)
{
    __asm__ volatile("" : : "g"(pointer) : "memory");
}

#endif
