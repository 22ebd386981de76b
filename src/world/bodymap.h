/* SPDX-License-Identifier: MIT */
/*
 * bodymap.h - the bodies of a version: a persistent map from an id to what moves and what does not.
 *
 * Two tries of one shape stand side by side: the *traits* (id, radius, mass ...), which a step
 * leaves alone, and the *motions* (position and velocity), which it replaces. So a step in which
 * all bodies move shares all traits, and takes 32 bytes a body beside the nodes.
 *
 * The tries divide by the ids' keys (item_hash.h), two bits a level; a part of up to
 * PQTI_BODIES_LEAF bodies is a leaf. So the shape, and the order of bodies in it, *key order*,
 * depend on the ids alone.
 */
#ifndef PQTI_BODYMAP_H
#define PQTI_BODYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/memory.h>
#include <pqt/world.h>

#include "memory/memory_internal.h"
#include "tree/item_hash.h"

enum { PQTI_BODIES_LEAF = 16 };

typedef struct pqti_trait {
    uint64_t id;
    double radius, mass;
    pqt_vec acceleration;
    uint64_t fixed; /* 0 or 1 */
    uint64_t stir;  /* pqti_trait_stir of the five above */
} pqti_trait;

typedef struct pqti_body_state {
    pqt_vec position, velocity;
} pqti_body_state;

typedef struct pqti_bodies {
    const void *traits, *motions; /* both NULL: empty */
} pqti_bodies;

/* A wish: that an id have this body, or none. */
typedef struct pqti_body_edit {
    uint64_t key; /* pqti_id_key(trait.id) */
    pqti_trait trait;
    pqti_body_state motion;
    bool removal;
} pqti_body_edit;

/* What of a body's fingerprint does not change as it moves. */
uint64_t pqti_trait_stir(const pqti_trait *trait);

/* A body as the map holds it. Its numbers are valid and hold no -0.0. */
pqti_body_edit pqti_body_edit_of(const pqt_body *body);

pqt_body pqti_body_of(const pqti_trait *trait, const pqti_body_state *motion);

/* What a body adds to the fingerprint of a version; `stir` is that of its trait. */
pqt_fingerprint pqti_body_fingerprint(uint64_t stir, const pqti_body_state *motion);

size_t pqti_bodies_count(pqti_bodies bodies);

bool pqti_bodies_find(pqti_bodies bodies, uint64_t id, pqt_body *found);

/* The bodies with edits done, in *edited; edits are in the order of their keys, no id twice. False:
   no memory. */
bool pqti_bodies_edit(pqt_memory *memory, pqti_bodies bodies, const pqti_body_edit *edits,
                      size_t count, pqti_bodies *edited);

/* The bodies with these motions, in key order; parts in which none differs are shared. False: no
   memory. */
bool pqti_bodies_move(pqt_memory *memory, pqti_bodies bodies, const pqti_body_state *motions,
                      pqti_bodies *moved);

/* Hands over the bodies in key order; false if `visit` stopped it. */
typedef bool pqti_visit_trait_fn(const pqti_trait *trait, const pqti_body_state *motion,
                                 void *context);
bool pqti_bodies_visit(pqti_bodies bodies, pqti_visit_trait_fn *visit, void *context);

/*
 * Hands over, in key order, what stands in one map and not in the other: NULL for the side where no
 * body has the id. Parts that are shared are not entered. False if `visit` stopped it.
 */
typedef bool pqti_visit_change_fn(const pqt_body *a, const pqt_body *b, void *context);
bool pqti_bodies_compare(pqti_bodies a, pqti_bodies b, pqti_visit_change_fn *visit, void *context);

/* Copies a map into another memory. False: no memory. */
bool pqti_bodies_copy(pqt_memory *memory, pqti_bodies bodies, pqti_bodies *copy);

/* Whether every body stands where its key belongs, blocks count right, and both tries agree. */
bool pqti_bodies_check(pqti_bodies bodies);

/* The bytes of the blocks that two maps share. */
size_t pqti_bodies_shared_bytes(const pqt_memory *memory, pqti_bodies a, pqti_bodies b);

/*
 * The bytes of those blocks of a map that none of `count` others holds. Room for the others' parts
 * is given: PQTI_BODIES_SLICES slices of `width` >= count.
 */
enum { PQTI_BODIES_SLICES = 32 };
size_t pqti_bodies_bytes_beside(const pqt_memory *memory, pqti_bodies bodies,
                                const pqti_bodies *others, size_t count, pqti_bodies *slices,
                                size_t width);

/*
 * The blocks of the map of bodies, and how its walks go down both tries at once.
 *
 *     traits    node {count, 4 children} ... leaf {count, traits}
 *     motions   node {4 children}        ... leaf {motions}
 *
 * A block of traits tells how many bodies are below it, and so whether it is a leaf; the motions
 * stand beside it at the same place. A walk's unit is a *stretch* of bodies: a node, a leaf, or
 * those of a leaf that would go to one child if the leaf were divided.
 */

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
