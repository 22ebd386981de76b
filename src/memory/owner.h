/* SPDX-License-Identifier: MIT */
/*
 * owner.h: the blocks that a draft has made since its last snapshot, which only the draft reaches.
 *
 * An owner knows these blocks by their addresses, in a hash table. So it works alike in every
 * memory, and a block needs no room for a mark. Each slot of the table has a generation, so that
 * the owner forgets all blocks at once by beginning another generation.
 *
 * Ownership is closed upwards: an edit makes each block above a block that it makes, or edits it in
 * place. So the blocks above an owned block are owned. If there was no memory for a larger table, a
 * block is missing there, and is copied like any other.
 *
 * An edit drops the owned blocks that it replaces. If the edit succeeds, they go to chains of free
 * blocks, from which later edits take blocks; if it fails, they are still in use. No version has a
 * block of a chain.
 *
 * A heap may mark while a draft is edited, in another thread. So when a cycle of the heap begins,
 * the owner forgets its blocks and gives up its chains, between two edits: see heap_cycle.c.
 */
#ifndef PQTI_OWNER_H
#define PQTI_OWNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_internal.h"

/*
 * A chain has nodes of one size, or leaves of one class of a heap: leaves of more than 1 KiB are
 * rounded up to the size of the class. The largest leaf of a tree is in a chain. Leaves with
 * references have chains of their own: a node of the same size can have its references at other
 * places, and a heap marks a block as it was allocated.
 */
enum {
    PQTI_CHAINED_LEAF = 40960,
    PQTI_CHAINED_NODE = 192,
    PQTI_LEAF_CHAINS = 106,
    PQTI_NODE_CHAINS = PQTI_CHAINED_NODE / PQTI_GRANULE + 1,
    PQTI_CHAINS = PQTI_LEAF_CHAINS + 2 * PQTI_NODE_CHAINS
};

/* The number of the last views of a draft whose use after an edit is noticed. */
enum { PQTI_DRAFT_VIEWS = 16 };

/* The roots of a draft: its tree or map, and the version from which it does not differ. */
enum { PQTI_OWNER_ROOTS = 4 };

typedef struct pqti_owned_slot {
    const void *block;
    uint64_t generation;
} pqti_owned_slot;

typedef struct pqti_dropped {
    void *block;
    size_t chain;
} pqti_dropped;

struct pqti_owner {
    pqt_memory *memory;
    uint64_t generation; /* at least 1: the slots of other generations are free */
    pqti_owned_slot *slots;
    size_t mask; /* the number of slots that the table uses, less 1 */
    unsigned shift;
    size_t capacity; /* the number of slots in the block */
    size_t count;    /* the number of owned blocks in the table */
    void *chains[PQTI_CHAINS];
    pqti_dropped *dropped; /* `few`, or a larger array from malloc */
    size_t dropped_count, dropped_capacity;
    pqti_dropped few[64]; /* in the holder, where the collector finds the blocks */

    /* The roots after the last edit. A thread that reclaims reads them between two edits. */
    const void *roots[PQTI_OWNER_ROOTS];

    /* For heaps: see heap_cycle.c. */
    _Atomic uint64_t editing; /* 0, or 1 plus the number of the last cycle that the edit knows */
    uint64_t known_cycle;     /* the last cycle that the edits know */
    /* The heap's lock protects the members below. */
    uint64_t noticed_cycle; /* the last cycle for which the owner has forgotten its blocks */
    const void *roots_at_begin[PQTI_OWNER_ROOTS]; /* the roots when this cycle began */
    pqti_owner *next, *previous;                  /* neighbours in the list of the heap */
};

/* Passes the roots of a draft to a heap that marks. */
static inline bool
pqti_trace_draft(pqti_roots roots, size_t *next, size_t most, pqti_marker *marker)
{
    const pqti_owner *owner = (const pqti_owner *)roots.block;
    for (; *next < PQTI_OWNER_ROOTS && most > 0; ++*next, most--)
        pqti_mark(marker, owner->roots_at_begin[*next]);
    return *next == PQTI_OWNER_ROOTS;
}

/*
 * Allocates a draft, a zeroed struct that begins with its owner. `trace` is pqti_trace_draft.
 * Returns NULL and sets PQT_ERROR_MEMORY when out of memory. The second function makes the memory
 * keep the roots of the draft: it is called once they are set. `version` is the one that the draft
 * was begun from.
 */
void *pqti_draft_alloc(pqt_memory *memory, size_t size, pqti_trace_fn *trace, pqt_error *error);
void pqti_draft_begun(pqti_owner *owner, const void *version);

/* Frees a draft, which is not in use. `function` is the public function that was called. */
void pqti_draft_free(const char *function, pqti_owner *owner);

static inline size_t
pqti_owned_index(const pqti_owner *owner, const void *block)
{
    return (size_t)(((uint64_t)(uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >>
                    owner->shift);
}

/* Returns true if the draft made a block since its last snapshot. */
static inline bool
pqti_owns(const pqti_owner *owner, const void *block)
{
    for (size_t i = pqti_owned_index(owner, block);; i = (i + 1) & owner->mask) {
        if (owner->slots[i].generation != owner->generation)
            return false;
        if (owner->slots[i].block == block)
            return true;
    }
}

/* Allocate blocks like pqti_alloc_node and pqti_alloc_leaf, first from the chains, and own them. */
void *pqti_owner_alloc_node(pqti_owner *owner, pqti_layout *layout);
void *pqti_owner_alloc_leaf(pqti_owner *owner, size_t size);

/* Drop a block that the edit in progress has replaced. Do nothing if it is not owned. The last
   function is for a leaf with references. */
void pqti_drop_node(pqti_owner *owner, const void *block, size_t size);
void pqti_drop_leaf(pqti_owner *owner, const void *block, size_t size);
void pqti_drop_leaf_of(pqti_owner *owner, const void *block, const pqti_layout *layout);

/*
 * Begins an edit or a snapshot. `function` is the public function that was called. The program
 * stops if another edit of the draft is in progress.
 */
void pqti_owner_begin_edit(const char *function, pqti_owner *owner);

/* Ends an edit. If it has changed the draft, the blocks that it dropped go to the chains. */
void pqti_owner_end_edit(pqti_owner *owner, bool changed);

/* Forgets all blocks: the draft will copy them. */
void pqti_owner_forget(pqti_owner *owner);

/* Does so for a cycle that has begun, gives up the chains, and keeps the roots. The caller holds
   the heap's lock, and no edit that does not know the cycle is in progress. */
void pqti_owner_notice_cycle(pqti_owner *owner, uint64_t cycle);

#endif
