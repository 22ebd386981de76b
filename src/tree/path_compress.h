/* SPDX-License-Identifier: MIT */
/*
 * path_compress.h - nodes that are left out, as they are thought where somebody must have them.
 *
 *     place of the ref      o  left out: all items in one quarter
 *                            \
 *                             o  left out
 *                            /
 *     own place             N  the node that the ref points to
 *
 * Nothing is kept of such a chain but the mark of the ref. Where it leads is where any item below
 * goes; where it ends is where the first and the last item below part. To find those two takes as
 * many steps as the node has levels below it, so it is done once for a chain and not once for each
 * of its places.
 *
 * A search for an item follows it to its end, wherever the item would go: it is not there then. Who
 * divides two versions side by side comes down to the first place where one of them is divided, or
 * where their ways part; if the other one has no node there, it gets one in thought, on the stack,
 * with one quarter.
 *
 * Source: the compressed quadtree; Clarkson 1983, "Fast algorithms for the all nearest neighbors
 * problem".
 */
#ifndef PQTI_PATH_COMPRESS_H
#define PQTI_PATH_COMPRESS_H

#include "tree/node.h"

/* The nodes that are left out between the place of a ref and the node it points to. */
typedef struct pqti_chain {
    pqti_entry way; /* that of an item below: all go the same way */
    unsigned end;   /* the depth of the node's own place */
} pqti_chain;

/* The chain of a ref that is marked deep. */
pqti_chain pqti_chain_of(const pqti_space *space, pqti_place place, pqti_ref ref);

/* The place on a chain at a depth. It runs through cells of the bounds, or through the centres of a
   bucket, which may end in mixes. */
static inline pqti_place
pqti_place_on_chain(const pqti_space *space, pqti_place place, unsigned depth)
{
    if (place.kind == PQTI_SPACE)
        return (pqti_place){PQTI_SPACE, (uint8_t)depth, false};
    return pqti_centre_place(space, depth, place.strays);
}

/* The quarter that all items are in at a depth on a chain. */
static inline unsigned
pqti_chain_digit(const pqti_chain *chain, unsigned depth)
{
    return chain->way.centre >> (62 - 2 * depth) & 3;
}

/* The depth to which sorted entries below `place` follow a chain together, but not beyond `end`. */
unsigned pqti_chain_follow(const pqti_chain *chain, pqti_place place, unsigned end,
                           const pqti_entry *entries, size_t count);

/* Where a node stands to which a ref at `place`, marked deep, points. */
pqti_place pqti_place_of_deep(const pqti_space *space, pqti_place place, const void *node,
                              uint32_t marked);

/* The same of any ref. Not handed on as it is: most callers never make its extent. */
static inline pqti_place
pqti_place_of_node(const pqti_space *space, pqti_place place, pqti_ref ref)
{
    return ref.deep ? pqti_place_of_deep(space, place, ref.at, ref.marked) : place;
}

/*
 * What stands on the chain of a ref at a depth: at the end the node itself, marked deep no more;
 * before it one that is made in `thought`, must not outlive it, and is marked deep.
 */
pqti_ref pqti_think(const pqti_space *space, pqti_place place, const pqti_chain *chain,
                    pqti_ref ref, unsigned depth, pqti_inner *thought);

/* The same at the place of the ref itself, which need not be deep. */
pqti_ref pqti_think_at(const pqti_space *space, pqti_place place, pqti_ref ref,
                       pqti_inner *thought);

static inline bool
pqti_place_equals(pqti_place a, pqti_place b)
{
    return a.kind == b.kind && a.depth == b.depth && a.strays == b.strays;
}

/* What was made for a place further down a chain, as `place` has it. */
static inline pqti_ref
pqti_lifted(pqti_place place, pqti_place from, pqti_ref made)
{
    bool node = made.count > 0 && !made.leaf;
    made.deep |= node && !pqti_place_equals(from, place);
    return made;
}

enum { PQTI_MOST_DIVIDED = 3 };

/* Several versions at one place, of which at least one is marked deep; nothing where one has
   nothing. */
typedef struct pqti_division {
    pqti_place from; /* the place of `whole` */
    pqti_place at;   /* where all are divided */
    pqti_ref whole[PQTI_MOST_DIVIDED];
    pqti_ref node[PQTI_MOST_DIVIDED]; /* what stands at `at` */
    int count;
    __extension__ pqti_inner thoughts[PQTI_MOST_DIVIDED]; /* never with a bucket */
} pqti_division;

/* Comes down to the first place where any of up to three nodes is divided, or where their ways
   part. */
void pqti_divide(pqti_division *d, const pqti_space *space, pqti_place place, const pqti_ref *refs,
                 int count);

/* What was made of the parts there, for the place where they were found: one of them as a whole, if
   it is that. */
pqti_ref pqti_undivided(const pqti_division *d, pqti_ref made);

#endif
