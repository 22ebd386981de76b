/* SPDX-License-Identifier: MIT */
/*
 * path_compress.h - nodes that are left out, as they are thought where somebody must have them.
 *
 *     place of the ref      o  left out: all items in one quadrant
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
 * with one quadrant.
 *
 * Source: the compressed quadtree; Clarkson 1983, "Fast algorithms for the all nearest neighbors
 * problem".
 */
#ifndef PQTI_PATH_COMPRESS_H
#define PQTI_PATH_COMPRESS_H

#include "tree/node.h"

/* The nodes that are left out between the place of a ref and the node it points to. */
typedef struct pqti_skip {
    pqti_key path; /* that of an item below: all go the same way */
    unsigned end;  /* the depth of the node's own place */
} pqti_skip;

/* The chain of a ref that is marked deep. */
pqti_skip pqti_skip_of(const pqti_domain *domain, pqti_level level, pqti_node_ref ref);

/* The place on a chain at a depth. It runs through cells of the bounds, or through the centres of a
   bucket, which may end in hashes. */
static inline pqti_level
pqti_level_on_skip(const pqti_domain *domain, pqti_level level, unsigned depth)
{
    if (level.kind == PQTI_BY_CELL)
        return (pqti_level){PQTI_BY_CELL, (uint8_t)depth, false};
    return pqti_centre_level(domain, depth, level.outliers);
}

/* The quadrant that all items are in at a depth on a chain. */
static inline unsigned
pqti_skip_digit(const pqti_skip *skip, unsigned depth)
{
    return skip->path.centre >> (62 - 2 * depth) & 3;
}

/* The depth to which sorted entries below `level` follow a chain together, but not beyond `end`. */
unsigned pqti_skip_match(const pqti_skip *skip, pqti_level level, unsigned end,
                         const pqti_key *keys, size_t count);

/* Where a node stands to which a ref at `level`, marked deep, points. */
pqti_level pqti_level_below_skip(const pqti_domain *domain, pqti_level level, const void *node,
                                 uint32_t tagged_count);

/* The same of any ref. Not handed on as it is: most callers never make its extent. */
static inline pqti_level
pqti_level_of_node(const pqti_domain *domain, pqti_level level, pqti_node_ref ref)
{
    return ref.skips ? pqti_level_below_skip(domain, level, ref.at, ref.tagged_count) : level;
}

/*
 * What stands on the chain of a ref at a depth: at the end the node itself, marked deep no more;
 * before it one that is made in `virtual_node`, must not outlive it, and is marked deep.
 */
pqti_node_ref pqti_expand_skip(const pqti_domain *domain, pqti_level level, const pqti_skip *skip,
                               pqti_node_ref ref, unsigned depth, pqti_inner *virtual_node);

/* The same at the place of the ref itself, which need not be deep. */
pqti_node_ref pqti_expand_skip_at(const pqti_domain *domain, pqti_level level, pqti_node_ref ref,
                                  pqti_inner *virtual_node);

static inline bool
pqti_level_equals(pqti_level a, pqti_level b)
{
    return a.kind == b.kind && a.depth == b.depth && a.outliers == b.outliers;
}

/* What was made for a place further down a chain, as `level` has it. */
static inline pqti_node_ref
pqti_recompress(pqti_level level, pqti_level from, pqti_node_ref made)
{
    bool node = made.count > 0 && !made.leaf;
    made.skips |= node && !pqti_level_equals(from, level);
    return made;
}

enum { PQTI_MAX_ALIGNED = 3 };

/* Several versions at one place, of which at least one is marked deep; nothing where one has
   nothing. */
typedef struct pqti_alignment {
    pqti_level from; /* the place of `subtree` */
    pqti_level at;   /* where all are divided */
    pqti_node_ref subtree[PQTI_MAX_ALIGNED];
    pqti_node_ref node[PQTI_MAX_ALIGNED]; /* what stands at `at` */
    int count;
    __extension__ pqti_inner virtual_nodes[PQTI_MAX_ALIGNED]; /* never with a bucket */
} pqti_alignment;

/* Comes down to the first place where any of up to three nodes is divided, or where their ways
   part. */
void pqti_align(pqti_alignment *d, const pqti_domain *domain, pqti_level level,
                const pqti_node_ref *refs, int count);

/* What was made of the parts there, for the place where they were found: one of them as a whole, if
   it is that. */
pqti_node_ref pqti_align_back(const pqti_alignment *d, pqti_node_ref made);

#endif
