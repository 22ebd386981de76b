/* SPDX-License-Identifier: MIT */
/* owner.c: knows the blocks of a draft, and keeps those that its edits drop for later edits. */
#include "config.h"

#include "memory/owner.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/heap_internal.h"

enum { LEAST_BITS = 8 };

/* ---- The table ---- */

static void
use_as_table(pqti_owner *owner, unsigned bits)
{
    owner->mask = ((size_t)1 << bits) - 1;
    owner->shift = 64 - bits;
}

static pqti_owned_slot *
make_slots(size_t count)
{
    pqti_owned_slot *slots = pqti_alloc_scratch(count, sizeof *slots);
    if (slots != NULL)
        memset(slots, 0, count * sizeof *slots);
    return slots;
}

/* Puts a block into a table that has room for it. */
static void
put_block(pqti_owner *owner, const void *block)
{
    size_t i = pqti_owned_index(owner, block);
    while (owner->slots[i].generation == owner->generation) {
        if (owner->slots[i].block == block)
            return;
        i = (i + 1) & owner->mask;
    }
    owner->slots[i] = (pqti_owned_slot){block, owner->generation};
    owner->count++;
}

/* Makes the table twice as large. Returns false when out of memory. */
static bool
grow_table(pqti_owner *owner)
{
    const size_t old_count = owner->mask + 1;
    pqti_owned_slot *old = owner->slots, *slots = make_slots(2 * old_count);
    if (slots == NULL)
        return false;
    owner->slots = slots;
    owner->capacity = 2 * old_count;
    use_as_table(owner, 64 - owner->shift + 1);
    owner->count = 0;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].generation == owner->generation)
            put_block(owner, old[i].block);
    pqti_free_scratch(old);
    return true;
}

/* If there is no memory for a larger table, the block is not owned. */
static void *
own_block(pqti_owner *owner, void *block)
{
    if (block != NULL && (owner->count <= owner->mask / 2 || grow_table(owner)))
        put_block(owner, block);
    return block;
}

/*
 * The next generation uses only as many slots as four times the blocks of the last one need, so
 * that a draft with few edits between snapshots touches little memory, whatever it held before.
 */
void
pqti_owner_forget(pqti_owner *owner)
{
    unsigned bits = LEAST_BITS;
    while (((size_t)1 << bits) < 4 * owner->count && ((size_t)2 << bits) <= owner->capacity)
        bits++;
    use_as_table(owner, bits);
    owner->generation++;
    owner->count = 0;
}

/* ---- Chains ---- */

/* The beginning of a block in a chain. */
typedef struct chain_link {
    void *next;
    uint64_t generation; /* the block is in the table of this generation */
} chain_link;

/* Returns true if the collector finds no block through a link in a leaf, which it does not scan. */
static bool
is_collected(const pqti_owner *owner)
{
    return owner->memory->calls->free_leaf != NULL;
}

static size_t
leaf_chain(size_t size)
{
    return size <= PQTI_CHAINED_LEAF ? pqti_leaf_class(size) : PQTI_CHAINS;
}

static size_t
node_chain(size_t size)
{
    return size <= PQTI_CHAINED_NODE ? PQTI_LEAF_CHAINS + size / PQTI_GRANULE : PQTI_CHAINS;
}

static size_t
chain_of_layout(const pqti_layout *layout)
{
    const size_t chain = node_chain(layout->size);
    return layout->is_leaf && chain < PQTI_CHAINS ? chain + PQTI_NODE_CHAINS : chain;
}

static inline size_t
size_in_chain(size_t chain)
{
    if (chain >= PQTI_LEAF_CHAINS)
        return (chain - PQTI_LEAF_CHAINS) % PQTI_NODE_CHAINS * PQTI_GRANULE;
    return chain < PQTI_FINE_MAX / PQTI_GRANULE ? (chain + 1) * PQTI_GRANULE
                                                : pqti_leaf_class_size((unsigned)chain);
}

/* Takes a block from a chain. Returns NULL if it has none. Sets *generation to that in whose table
   the block is. */
static inline void *
take_from_chain(pqti_owner *owner, size_t chain, uint64_t *generation)
{
    chain_link *block = chain < PQTI_CHAINS ? owner->chains[chain] : NULL;
    if (block == NULL)
        return NULL;
    owner->chains[chain] = block->next;
    *generation = block->generation;
    if (!is_collected(owner))
        pqti_unpoison(block, size_in_chain(chain));
    return block;
}

/* Clears a block, so that nothing uses its contents, and it keeps no other block alive. */
static void
clear_block(const pqti_owner *owner, void *block, size_t size)
{
    if (is_collected(owner)) {
        memset(block, 0, size);
        return;
    }
    pqti_poison(block, size);
    pqti_unpoison(block, sizeof(chain_link));
}

/* In the collector, a chain of leaves has one block at most, and others are freed. */
static void
put_into_chain(pqti_owner *owner, void *block, size_t chain)
{
    if (is_collected(owner) && chain < PQTI_LEAF_CHAINS) {
        if (owner->chains[chain] != NULL) {
            owner->memory->calls->free_leaf(owner->memory, block);
            return;
        }
    } else {
        clear_block(owner, block, size_in_chain(chain));
    }
    *(chain_link *)block = (chain_link){owner->chains[chain], owner->generation};
    owner->chains[chain] = block;
}

/* Leaves the blocks of all chains to the memory. A cycle of a heap does so in one of its steps, so
   the blocks are not visited. */
static void
give_up_chains(pqti_owner *owner)
{
    memset(owner->chains, 0, sizeof owner->chains);
}

/* ---- Blocks ---- */

/* Takes a block from a chain, and owns it. Returns NULL if the chain has none. */
static inline void *
reuse_block(pqti_owner *owner, size_t chain)
{
    uint64_t generation = 0;
    void *block = take_from_chain(owner, chain, &generation);
    return generation == owner->generation ? block : own_block(owner, block);
}

void *
pqti_owner_alloc_node(pqti_owner *owner, pqti_layout *layout)
{
    void *block = reuse_block(owner, chain_of_layout(layout));
    if (block == NULL)
        return own_block(owner, pqti_alloc_node(owner->memory, layout));
    return layout->is_written ? block : memset(block, 0, layout->size);
}

void *
pqti_owner_alloc_leaf(pqti_owner *owner, size_t size)
{
    const size_t chain = leaf_chain(size);
    void *block = reuse_block(owner, chain);
    if (block != NULL)
        return block;
    const size_t taken = chain < PQTI_CHAINS ? size_in_chain(chain) : size;
    return own_block(owner, pqti_alloc_leaf(owner->memory, taken));
}

/* The array stays in the holder if the memory is the collector, which does not scan others. */
static bool
make_room_for_dropped(pqti_owner *owner)
{
    if (owner->dropped_count < owner->dropped_capacity)
        return true;
    if (is_collected(owner))
        return false;
    const size_t capacity = 2 * owner->dropped_capacity;
    pqti_dropped *larger = pqti_alloc_scratch(capacity, sizeof *larger);
    if (larger == NULL)
        return false;
    memcpy(larger, owner->dropped, owner->dropped_count * sizeof *larger);
    if (owner->dropped != owner->few)
        pqti_free_scratch(owner->dropped);
    owner->dropped = larger;
    owner->dropped_capacity = capacity;
    return true;
}

static void
drop_block(pqti_owner *owner, const void *block, size_t chain)
{
    if (chain < PQTI_CHAINS && pqti_owns(owner, block) && make_room_for_dropped(owner))
        owner->dropped[owner->dropped_count++] = (pqti_dropped){(void *)(uintptr_t)block, chain};
}

void
pqti_drop_node(pqti_owner *owner, const void *block, size_t size)
{
    drop_block(owner, block, node_chain(size));
}

void
pqti_drop_leaf(pqti_owner *owner, const void *block, size_t size)
{
    drop_block(owner, block, leaf_chain(size));
}

void
pqti_drop_leaf_of(pqti_owner *owner, const void *block, const pqti_layout *layout)
{
    drop_block(owner, block, chain_of_layout(layout));
}

/* ---- Edits ---- */

void
pqti_owner_begin_edit(const char *function, pqti_owner *owner)
{
    const pqti_reclaiming_calls *calls = owner->memory->calls->reclaiming;
    PQT_ASSERT_IN(function, atomic_load_explicit(&owner->editing, memory_order_relaxed) == 0,
                  "another thread, or a function that this draft called, uses the draft at the "
                  "same time");
    if (calls != NULL)
        calls->edit_begin(owner->memory, owner);
    else
        atomic_store_explicit(&owner->editing, 1, memory_order_relaxed);
}

void
pqti_owner_end_edit(pqti_owner *owner, bool changed)
{
    for (size_t i = 0; changed && i < owner->dropped_count; i++)
        put_into_chain(owner, owner->dropped[i].block, owner->dropped[i].chain);
    owner->dropped_count = 0;
    atomic_store_explicit(&owner->editing, 0, memory_order_release);
}

void
pqti_owner_notice_cycle(pqti_owner *owner, uint64_t cycle)
{
    pqti_owner_forget(owner);
    give_up_chains(owner);
    memcpy(owner->roots_at_begin, owner->roots, sizeof owner->roots);
    owner->noticed_cycle = cycle;
}

/* ---- Making and destroying ---- */

/* Begins to own blocks of a memory: `owner` is zeroed. Returns false when out of memory. */
static bool
init_owner(pqti_owner *owner, pqt_memory *memory)
{
    owner->memory = memory;
    owner->capacity = (size_t)1 << LEAST_BITS;
    owner->slots = make_slots(owner->capacity);
    owner->generation = 1;
    use_as_table(owner, LEAST_BITS);
    owner->dropped = owner->few;
    owner->dropped_capacity = sizeof owner->few / sizeof *owner->few;
    return owner->slots != NULL;
}

void *
pqti_draft_alloc(pqt_memory *memory, size_t size, pqti_trace_fn *trace, pqt_error *error)
{
    pqti_owner *owner = pqti_alloc_holder(memory, size, trace, NULL);
    if (owner != NULL && init_owner(owner, memory))
        return owner;
    pqti_free_holder(memory, owner);
    pqti_out_of_memory(error);
    return NULL;
}

void
pqti_draft_begun(pqti_owner *owner, const void *version)
{
    const pqti_reclaiming_calls *calls = owner->memory->calls->reclaiming;
    if (calls != NULL)
        calls->owner_added(owner->memory, owner);
    pqti_root_added(owner->memory, version);
}

void
pqti_draft_free(const char *function, pqti_owner *owner)
{
    pqt_memory *memory = owner->memory;
    pqti_owner_begin_edit(function, owner);
    if (memory->calls->reclaiming != NULL)
        memory->calls->reclaiming->owner_removed(memory, owner);
    give_up_chains(owner);
    if (owner->dropped != owner->few)
        pqti_free_scratch(owner->dropped);
    pqti_free_scratch(owner->slots);
    pqti_free_holder(memory, owner);
}
