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

#endif
