/* SPDX-License-Identifier: MIT */
/*
 * path_compress.h: path compression, by which nodes with a single non-empty quadrant are not
 * stored.
 *
 *     level of the ref      o  not stored: all items in one quadrant
 *                            \
 *                             o  not stored
 *                            /
 *     own level             N  the node that the ref points to
 *
 * A tag of the ref marks such a compressed edge; nothing else is stored. The edge follows the path
 * of any item below it, and ends at the first depth at which the first and the last item below it
 * go to different children. Finding these two items takes one step for each level below the node,
 * so it is done once per edge rather than at each level of the edge.
 *
 * A search for an item follows the edge to its end, even if the item's path leaves the edge
 * earlier. In this case the item is absent. An algorithm that descends several versions together
 * goes down to the first level at which one of them is divided, or at which their paths differ. For
 * a version that has no node at that level, the algorithm makes a virtual node with one quadrant on
 * the stack.
 *
 * Source: the compressed quadtree of K. L. Clarkson, "Fast algorithms for the all nearest neighbors
 * problem", 1983.
 */
#ifndef PQTI_PATH_COMPRESS_H
#define PQTI_PATH_COMPRESS_H

#include "tree/node.h"

/*
 * A compressed edge: the levels from the level of a ref down to the level of the node that it
 * points to.
 */
typedef struct pqti_skip {
    /* the key of an item below the edge; all of these items have the same path up to `end` */
    pqti_key path;
    unsigned end; /* the depth of the node at the end of the edge */
} pqti_skip;

/* Returns the compressed edge of a ref whose `skips` is set. */
pqti_skip pqti_skip_of(const pqti_domain *domain, pqti_level level, const pqti_node_ref *ref);

/* Returns the level at a depth on an edge. An edge leads through cells of the bounds, or through
   the levels of own items, where it may end at a hash node. */
static inline pqti_level
pqti_level_on_skip(const pqti_domain *domain, pqti_level level, unsigned depth)
{
    if (level.division == PQTI_BY_CELL)
        return (pqti_level){PQTI_BY_CELL, (uint8_t)depth, false};
    return pqti_centre_level(domain, depth, level.outliers);
}

/* Returns the quadrant that holds all items at a depth on an edge. */
static inline unsigned
pqti_skip_digit(const pqti_skip *skip, unsigned depth)
{
    return skip->path.centre >> (62 - 2 * depth) & 3;
}

/* Returns the depth up to which all of the sorted keys follow an edge, or `end` if that is less. */
unsigned pqti_skip_match(const pqti_skip *skip, pqti_level level, unsigned end,
                         const pqti_key *keys, size_t count);

/* Returns the level of the node that a ref at `level`, whose `skips` is set, points to. */
pqti_level pqti_level_below_skip(const pqti_domain *domain, pqti_level level, const void *node,
                                 uint32_t tagged_count);

/*
 * Does the same for any ref. Takes the fields of the ref separately, because most callers never
 * compute its qbox.
 */
static inline pqti_level
pqti_level_of_node(const pqti_domain *domain, pqti_level level, pqti_node_ref ref)
{
    return ref.skips ? pqti_level_below_skip(domain, level, ref.at, ref.tagged_count) : level;
}

/*
 * Returns the node at a depth on the edge of a ref. At the end of the edge, this is the stored
 * node, without the tag. Above the end, it is a tagged node made in `*virtual_node`, which must
 * outlive the returned ref.
 */
pqti_node_ref pqti_expand_skip(const pqti_domain *domain, pqti_level level, const pqti_skip *skip,
                               const pqti_node_ref *ref, unsigned depth, pqti_inner *virtual_node);

/* Does the same at the level of the ref itself. The ref need not have an edge. */
pqti_node_ref pqti_expand_skip_at(const pqti_domain *domain, pqti_level level, pqti_node_ref ref,
                                  pqti_inner *virtual_node);

static inline bool
pqti_level_equals(pqti_level a, pqti_level b)
{
    return a.division == b.division && a.depth == b.depth && a.outliers == b.outliers;
}

/*
 * Converts the ref of a subtree that was made at level `from` on an edge to a ref at `level`, where
 * the edge begins.
 */
static inline pqti_node_ref
pqti_recompress(pqti_level level, pqti_level from, pqti_node_ref made)
{
    bool node = made.count > 0 && !made.leaf;
    made.skips |= node && !pqti_level_equals(from, level);
    return made;
}

enum { PQTI_MAX_ALIGNED = 3 };

/* Subtrees of several versions at one level. At least one of them has an edge; some may be
   empty. */
typedef struct pqti_alignment {
    pqti_level from; /* the level of `subtree` */
    pqti_level at;   /* the level of `node` */
    pqti_node_ref subtree[PQTI_MAX_ALIGNED];
    pqti_node_ref node[PQTI_MAX_ALIGNED]; /* the nodes of the subtrees at level `at` */
    int count;
    __extension__ pqti_inner virtual_nodes[PQTI_MAX_ALIGNED]; /* nodes without own items */
} pqti_alignment;

/* Finds the first level at which one of up to three subtrees is divided, or at which their paths
   diverge. */
void pqti_align(pqti_alignment *alignment, const pqti_domain *domain, pqti_level level,
                const pqti_node_ref *refs, int count);

/*
 * Takes a ref made at level `at`, and returns it as a ref at level `from`. If it is one of the
 * nodes of the alignment, returns the original subtree.
 */
pqti_node_ref pqti_align_back(const pqti_alignment *alignment, const pqti_node_ref *made);

#endif
