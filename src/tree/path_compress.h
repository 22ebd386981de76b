/* SPDX-License-Identifier: MIT */
/*
 * path_compress.h: path compression: nodes with a single non-empty quadrant are not stored.
 *
 *     level of the ref      o  not stored: all items in one quadrant
 *                            \
 *                             o  not stored
 *                            /
 *     own level             N  the node that the ref points to
 *
 * A tag of the ref marks such a compressed edge; nothing else is stored. The edge follows the path
 * of any item below it, and ends at the first depth at which the first and the last item below go
 * to different children. Finding these two items takes as many steps as the node has levels below
 * it, so it is done once for an edge and not once for each of its levels.
 *
 * A search for an item follows the edge to its end, even if the item belongs to another quadrant on
 * the way: then it is absent. An algorithm that descends several versions together goes down to the
 * first level at which one of them is divided, or at which their paths differ. A version without a
 * node at that level gets a virtual node with one quadrant, on the stack.
 *
 * Source: the compressed quadtree; Clarkson 1983, "Fast algorithms for the all nearest neighbors
 * problem".
 */
#ifndef PQTI_PATH_COMPRESS_H
#define PQTI_PATH_COMPRESS_H

#include "tree/node.h"

/* A compressed edge: the levels between the level of a ref and the level of the node it points
 * to. */
typedef struct pqti_skip {
    pqti_key path; /* the key of an item below; all of them have the same path up to `end` */
    unsigned end;  /* the depth of the node */
} pqti_skip;

/* Returns the edge of a ref whose `skips` is set. */
pqti_skip pqti_skip_of(const pqti_domain *domain, pqti_level level, pqti_node_ref ref);

/* Returns the level on an edge at a depth. An edge runs through cells of the bounds, or through the
   levels of own items, where it may end at a hash node. */
static inline pqti_level
pqti_level_on_skip(const pqti_domain *domain, pqti_level level, unsigned depth)
{
    if (level.kind == PQTI_BY_CELL)
        return (pqti_level){PQTI_BY_CELL, (uint8_t)depth, false};
    return pqti_centre_level(domain, depth, level.outliers);
}

/* Returns the quadrant of all items at a depth on an edge. */
static inline unsigned
pqti_skip_digit(const pqti_skip *skip, unsigned depth)
{
    return skip->path.centre >> (62 - 2 * depth) & 3;
}

/* Returns the depth up to which all of the sorted keys follow an edge, at most `end`. */
unsigned pqti_skip_match(const pqti_skip *skip, pqti_level level, unsigned end,
                         const pqti_key *keys, size_t count);

/* Returns the level of the node that a ref at `level`, whose `skips` is set, points to. */
pqti_level pqti_level_below_skip(const pqti_domain *domain, pqti_level level, const void *node,
                                 uint32_t tagged_count);

/* Returns the same for any ref. Passes the fields of the ref, because most callers never compute
 * its qbox. */
static inline pqti_level
pqti_level_of_node(const pqti_domain *domain, pqti_level level, pqti_node_ref ref)
{
    return ref.skips ? pqti_level_below_skip(domain, level, ref.at, ref.tagged_count) : level;
}

/*
 * Returns the node at a depth on the edge of a ref. At the end of the edge it is the stored node,
 * without the tag. Above the end, it is made in `*virtual_node` and tagged, and must not outlive
 * it.
 */
pqti_node_ref pqti_expand_skip(const pqti_domain *domain, pqti_level level, const pqti_skip *skip,
                               pqti_node_ref ref, unsigned depth, pqti_inner *virtual_node);

/* Returns the same at the level of the ref, which need not have an edge. */
pqti_node_ref pqti_expand_skip_at(const pqti_domain *domain, pqti_level level, pqti_node_ref ref,
                                  pqti_inner *virtual_node);

static inline bool
pqti_level_equals(pqti_level a, pqti_level b)
{
    return a.kind == b.kind && a.depth == b.depth && a.outliers == b.outliers;
}

/* Returns the ref at `level` of a subtree that was made for the level `from` below it on an
 * edge. */
static inline pqti_node_ref
pqti_recompress(pqti_level level, pqti_level from, pqti_node_ref made)
{
    bool node = made.count > 0 && !made.leaf;
    made.skips |= node && !pqti_level_equals(from, level);
    return made;
}

enum { PQTI_MAX_ALIGNED = 3 };

/* Subtrees of several versions at one level, at least one of them with an edge; some may be
   empty. */
typedef struct pqti_alignment {
    pqti_level from; /* the level of `subtree` */
    pqti_level at;   /* the level of `node` */
    pqti_node_ref subtree[PQTI_MAX_ALIGNED];
    pqti_node_ref node[PQTI_MAX_ALIGNED]; /* their nodes at `at` */
    int count;
    __extension__ pqti_inner virtual_nodes[PQTI_MAX_ALIGNED]; /* without own items */
} pqti_alignment;

/* Finds the first level at which one of up to three subtrees is divided, or at which their paths
   differ. */
void pqti_align(pqti_alignment *d, const pqti_domain *domain, pqti_level level,
                const pqti_node_ref *refs, int count);

/* Takes a ref made at `at`, and returns it as a ref at `from`; for one of the nodes, returns the
 * original subtree. */
pqti_node_ref pqti_align_back(const pqti_alignment *d, pqti_node_ref made);

#endif
