/* SPDX-License-Identifier: MIT */
/*
 * bodymap.h - the bodies of a version: a persistent map from an id to what moves and what does not.
 *
 * Two tries of one shape stand side by side: the *static states* (id, radius, mass ...), which a
 * step leaves alone, and the *motions* (position and velocity), which it replaces. So a step in
 * which all bodies move shares all static states, and takes 32 bytes a body beside the nodes.
 *
 * The tries divide by the ids' keys (item_hash.h), two bits a level; a part of up to
 * PQTI_BODYMAP_LEAF bodies is a leaf. So the shape, and the order of bodies in it, *key order*,
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

enum { PQTI_BODYMAP_LEAF = 16 };

typedef struct pqti_body_static {
    uint64_t id;
    double radius, mass;
    pqt_vec acceleration;
    uint64_t fixed;       /* 0 or 1 */
    uint64_t static_hash; /* pqti_body_static_hash of the five above */
} pqti_body_static;

typedef struct pqti_body_dynamic {
    pqt_vec position, velocity;
} pqti_body_dynamic;

typedef struct pqti_bodymap {
    const void *statics, *dynamics; /* both NULL: empty */
} pqti_bodymap;

/* A wish: that an id have this body, or none. */
typedef struct pqti_body_edit {
    uint64_t key; /* pqti_id_key(static state.id) */
    pqti_body_static static_state;
    pqti_body_dynamic dynamic_state;
    bool removal;
} pqti_body_edit;

/* What of a body's fingerprint does not change as it moves. */
uint64_t pqti_body_static_hash(const pqti_body_static *static_state);

/* A body as the map holds it. Its numbers are valid and hold no -0.0. */
pqti_body_edit pqti_body_edit_of(const pqt_body *body);

pqt_body pqti_body_of(const pqti_body_static *static_state, const pqti_body_dynamic *dynamic_state);

/* What a body adds to the fingerprint of a version; `stir` is that of its static state. */
pqt_fingerprint pqti_body_fingerprint(uint64_t stir, const pqti_body_dynamic *dynamic_state);

size_t pqti_bodymap_count(pqti_bodymap bodies);

bool pqti_bodymap_find(pqti_bodymap bodies, uint64_t id, pqt_body *found);

/* The bodies with edits done, in *edited; edits are in the order of their keys, no id twice. False:
   no memory. */
bool pqti_bodymap_edit(pqt_memory *memory, pqti_bodymap bodies, const pqti_body_edit *edits,
                       size_t count, pqti_bodymap *edited);

/* The bodies with these motions, in key order; parts in which none differs are shared. False: no
   memory. */
bool pqti_bodymap_move(pqt_memory *memory, pqti_bodymap bodies,
                       const pqti_body_dynamic *dynamic_states, pqti_bodymap *moved);

/* Hands over the bodies in key order; false if `visit` stopped it. */
typedef bool pqti_visit_body_static_fn(const pqti_body_static *static_state,
                                       const pqti_body_dynamic *dynamic_state, void *context);
bool pqti_bodymap_visit(pqti_bodymap bodies, pqti_visit_body_static_fn *visit, void *context);

/*
 * Hands over, in key order, what stands in one map and not in the other: NULL for the side where no
 * body has the id. Parts that are shared are not entered. False if `visit` stopped it.
 */
typedef bool pqti_visit_change_fn(const pqt_body *a, const pqt_body *b, void *context);
bool pqti_bodymap_compare(pqti_bodymap a, pqti_bodymap b, pqti_visit_change_fn *visit,
                          void *context);

/* Copies a map into another memory. False: no memory. */
bool pqti_bodymap_copy(pqt_memory *memory, pqti_bodymap bodies, pqti_bodymap *copy);

/* Whether every body stands where its key belongs, blocks count right, and both tries agree. */
bool pqti_bodymap_check(pqti_bodymap bodies);

/* The bytes of the blocks that two maps share. */
size_t pqti_bodymap_shared_bytes(const pqt_memory *memory, pqti_bodymap a, pqti_bodymap b);

/*
 * The bytes of those blocks of a map that none of `count` others holds. Room for the others' parts
 * is given: PQTI_BODYMAP_LEVEL_COUNTS slices of `width` >= count.
 */
enum { PQTI_BODYMAP_LEVEL_COUNTS = 32 };
size_t pqti_bodymap_exclusive_bytes(const pqt_memory *memory, pqti_bodymap bodies,
                                    const pqti_bodymap *others, size_t count, pqti_bodymap *slices,
                                    size_t width);

/*
 * The blocks of the map of bodies, and how its walks go down both tries at once.
 *
 *     static states    node {count, 4 children} ... leaf {count, static states}
 *     motions   node {4 children}        ... leaf {motions}
 *
 * A block of static states tells how many bodies are below it, and so whether it is a leaf; the
 * motions stand beside it at the same place. A walk's unit is a *stretch* of bodies: a node, a
 * leaf, or those of a leaf that would go to one child if the leaf were divided.
 */

enum {
    PQTI_BODYMAP_BRANCHES = 4,
    PQTI_BODYMAP_BITS = 2,
    PQTI_BODYMAP_LEVELS = 32 /* each reads two bits of a key */
};

typedef struct pqti_body_static_leaf {
    uint64_t count;
    pqti_body_static statics[]; /* by key, rising */
} pqti_body_static_leaf;

typedef struct pqti_body_static_node {
    uint64_t count;
    const void *child[PQTI_BODYMAP_BRANCHES];
    uint64_t unused; /* a node's last word, where no pointer may be */
} pqti_body_static_node;

typedef struct pqti_body_dynamic_node {
    const void *child[PQTI_BODYMAP_BRANCHES];
    uint64_t unused[2];
} pqti_body_dynamic_node;

_Static_assert(sizeof(pqti_body_dynamic) % PQTI_GRANULE == 0, "leaves of motions have no header");

/* What a walk stands on: a block of either trie, or some bodies of a leaf. */
typedef struct pqti_bodymap_node {
    pqti_bodymap blocks;               /* both NULL: some bodies of a leaf, or none */
    const pqti_body_static *statics;   /* NULL: a node, or none */
    const pqti_body_dynamic *dynamics; /* beside them */
    uint64_t count;
} pqti_bodymap_node;

static inline uint64_t
pqti_bodymap_block_count(const void *traits)
{
    return traits == NULL ? 0 : ((const pqti_body_static_leaf *)traits)->count;
}

static inline pqti_bodymap_node
pqti_bodymap_node_of(pqti_bodymap blocks)
{
    const pqti_body_static_leaf *leaf = blocks.statics;
    uint64_t count = pqti_bodymap_block_count(leaf);
    if (count == 0 || count > PQTI_BODYMAP_LEAF)
        return (pqti_bodymap_node){blocks, NULL, NULL, count};
    return (pqti_bodymap_node){blocks, leaf->statics, blocks.dynamics, count};
}

static inline bool
pqti_bodymap_is_inner(pqti_bodymap_node p)
{
    return p.count > PQTI_BODYMAP_LEAF;
}

static inline uint64_t
pqti_viewport_key_of(const pqti_body_static *static_state)
{
    return pqti_id_key(static_state->id);
}

static inline unsigned
pqti_bodymap_digit(uint64_t key, unsigned level)
{
    return (unsigned)(key << (PQTI_BODYMAP_BITS * level) >> (64 - PQTI_BODYMAP_BITS));
}

static inline pqti_bodymap
pqti_bodymap_child(pqti_bodymap_node p, unsigned i)
{
    const pqti_body_static_node *traits = p.blocks.statics;
    const pqti_body_dynamic_node *motions = p.blocks.dynamics;
    return (pqti_bodymap){traits->child[i], motions->child[i]};
}

/* The four parts of a stretch. */
static inline void
pqti_bodymap_split(pqti_bodymap_node p, unsigned level,
                   pqti_bodymap_node children[PQTI_BODYMAP_BRANCHES])
{
    uint64_t next = 0;
    for (unsigned i = 0; i < PQTI_BODYMAP_BRANCHES; i++) {
        if (pqti_bodymap_is_inner(p)) {
            children[i] = pqti_bodymap_node_of(pqti_bodymap_child(p, i));
            continue;
        }
        uint64_t from = next;
        while (next < p.count &&
               pqti_bodymap_digit(pqti_viewport_key_of(&p.statics[next]), level) == i)
            next++;
        children[i] = (pqti_bodymap_node){.count = next - from};
        if (next > from) {
            children[i].statics = p.statics + from;
            children[i].dynamics = p.dynamics + from;
        }
    }
}

static inline size_t
pqti_body_static_leaf_size(uint64_t count)
{
    size_t size = sizeof(pqti_body_static_leaf) + (size_t)count * sizeof(pqti_body_static);
    return pqti_rounded(size);
}

/* pqti_bodymap_visit for a stretch. */
bool pqti_bodymap_node_visit(pqti_bodymap_node p, pqti_visit_body_static_fn *visit, void *context);

#endif
