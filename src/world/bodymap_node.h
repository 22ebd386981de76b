/* SPDX-License-Identifier: MIT */
/*
 * bodymap_node.h - the blocks of the map of bodies, and how its walks go down both tries at once.
 *
 *     traits    node {count, 4 children} ... leaf {count, traits}
 *     motions   node {4 children}        ... leaf {motions}
 *
 * A block of traits tells how many bodies are below it, and so whether it is a leaf; the motions
 * stand beside it at the same place. A walk's unit is a *stretch* of bodies: a node, a leaf, or
 * those of a leaf that would go to one child if the leaf were divided.
 */
#ifndef PQTI_BODYMAP_NODE_H
#define PQTI_BODYMAP_NODE_H

#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "world/bodymap.h"

enum {
    PQTI_MAP_FANOUT = 4,
    PQTI_WAY_BITS = 2,
    PQTI_WAY_LEVELS = 32 /* each reads two bits of a key */
};

typedef struct pqti_trait_leaf {
    uint64_t count;
    pqti_trait traits[]; /* by key, rising */
} pqti_trait_leaf;

typedef struct pqti_trait_node {
    uint64_t count;
    const void *child[PQTI_MAP_FANOUT];
    uint64_t unused; /* a node's last word, where no pointer may be */
} pqti_trait_node;

typedef struct pqti_motion_node {
    const void *child[PQTI_MAP_FANOUT];
    uint64_t unused[2];
} pqti_motion_node;

_Static_assert(sizeof(pqti_body_state) % PQTI_GRANULE == 0, "leaves of motions have no header");

/* What a walk stands on: a block of either trie, or some bodies of a leaf. */
typedef struct pqti_map_slice {
    pqti_bodies blocks;            /* both NULL: some bodies of a leaf, or none */
    const pqti_trait *traits;      /* NULL: a node, or none */
    const pqti_body_state *motion; /* beside them */
    uint64_t count;
} pqti_map_slice;

static inline uint64_t
pqti_count_of(const void *traits)
{
    return traits == NULL ? 0 : ((const pqti_trait_leaf *)traits)->count;
}

static inline pqti_map_slice
pqti_stretch_of(pqti_bodies blocks)
{
    const pqti_trait_leaf *leaf = blocks.traits;
    uint64_t count = pqti_count_of(leaf);
    if (count == 0 || count > PQTI_BODIES_LEAF)
        return (pqti_map_slice){blocks, NULL, NULL, count};
    return (pqti_map_slice){blocks, leaf->traits, blocks.motions, count};
}

static inline bool
pqti_is_node(pqti_map_slice p)
{
    return p.count > PQTI_BODIES_LEAF;
}

static inline uint64_t
pqti_map_key_of(const pqti_trait *trait)
{
    return pqti_id_key(trait->id);
}

static inline unsigned
pqti_digit_of(uint64_t key, unsigned level)
{
    return (unsigned)(key << (PQTI_WAY_BITS * level) >> (64 - PQTI_WAY_BITS));
}

static inline pqti_bodies
pqti_child_of(pqti_map_slice p, unsigned i)
{
    const pqti_trait_node *traits = p.blocks.traits;
    const pqti_motion_node *motions = p.blocks.motions;
    return (pqti_bodies){traits->child[i], motions->child[i]};
}

/* The four parts of a stretch. */
static inline void
pqti_split(pqti_map_slice p, unsigned level, pqti_map_slice parts[PQTI_MAP_FANOUT])
{
    uint64_t next = 0;
    for (unsigned i = 0; i < PQTI_MAP_FANOUT; i++) {
        if (pqti_is_node(p)) {
            parts[i] = pqti_stretch_of(pqti_child_of(p, i));
            continue;
        }
        uint64_t from = next;
        while (next < p.count && pqti_digit_of(pqti_map_key_of(&p.traits[next]), level) == i)
            next++;
        parts[i] = (pqti_map_slice){.count = next - from};
        if (next > from) {
            parts[i].traits = p.traits + from;
            parts[i].motion = p.motion + from;
        }
    }
}

static inline size_t
pqti_trait_leaf_size(uint64_t count)
{
    size_t size = sizeof(pqti_trait_leaf) + (size_t)count * sizeof(pqti_trait);
    return pqti_rounded(size);
}

/* pqti_bodies_visit for a stretch. */
bool pqti_stretch_visit(pqti_map_slice p, pqti_visit_trait_fn *visit, void *context);

#endif
