/* SPDX-License-Identifier: MIT */
/* path_compress.c: finds the end of compressed edges, and makes the virtual nodes on them. */
#include "config.h"

#include "tree/path_compress.h"

#include "base/error_internal.h"

static unsigned
min_depth(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the first depth at which two keys belong to different children, because their digits
   differ or one of the items becomes an own item. */
static unsigned
common_depth(pqti_level level, const pqti_key *a, const pqti_key *b)
{
    uint64_t differing = a->centre ^ b->centre;
    unsigned depth = differing == 0 ? PQT_MAX_DEPTH : (unsigned)__builtin_clzll(differing) / 2;
    if (level.division == PQTI_BY_CELL)
        depth = min_depth(depth, min_depth(a->level, b->level));
    return depth;
}

/* Own items come first in tree order. So if the node at the end of the edge has own items, the
   first item is one of them, and its level is where the edge ends. The items of a hash node have
   all digits in common. */
pqti_skip
pqti_skip_of(const pqti_domain *domain, pqti_level level, const pqti_node_ref *ref)
{
    PQT_INVARIANT(ref->skips && level.division != PQTI_BY_HASH, "the edge is not compressed");
    pqt_item first = pqti_first_item(*ref);
    pqti_skip skip = {.path = pqti_key_of(domain, &first, 0),
                      .end = level.outliers ? PQT_MAX_DEPTH : domain->depth};
    if (ref->is_hash)
        return skip;
    pqt_item last = pqti_last_item(*ref);
    pqti_key to = pqti_key_of(domain, &last, 0);
    skip.end = min_depth(common_depth(level, &skip.path, &to), skip.end);
    return skip;
}

unsigned
pqti_skip_match(const pqti_skip *skip, pqti_level level, unsigned end, const pqti_key *keys,
                size_t count)
{
    PQTI_DEBUG_ASSERT(count > 0 && end <= skip->end, "no keys follow a compressed edge");
    unsigned first = common_depth(level, &skip->path, &keys[0]);
    unsigned last = common_depth(level, &skip->path, &keys[count - 1]);
    return min_depth(end, min_depth(first, last));
}

pqti_level
pqti_level_below_skip(const pqti_domain *domain, pqti_level level, const void *node,
                      uint32_t tagged_count)
{
    pqti_node_ref ref = {node, {tagged_count}, PQTI_EMPTY_QBOX};
    return pqti_level_on_skip(domain, level, pqti_skip_of(domain, level, &ref).end);
}

/*
 * Returns the qbox of a node. A root's qbox is not stored: it is the union of its children's
 * qboxes.
 */
static pqti_qbox
known_qbox(const pqti_domain *domain, pqti_level own, pqti_node_ref ref)
{
    pqti_node_ref children[PQTI_CHILDREN];
    if (ref.qbox.min_x <= ref.qbox.max_x)
        return ref.qbox;
    pqti_child_refs(domain, own, &ref, children);
    for (int i = 0; i < PQTI_CHILDREN; i++)
        ref.qbox = pqti_qbox_union(ref.qbox, children[i].qbox);
    return ref.qbox;
}

static void
put_below(pqti_inner *virtual_node, int i, pqti_node_ref ref)
{
    for (int j = 0; j < PQTI_QUADRANTS; j++) {
        virtual_node->min_x[j] = virtual_node->min_y[j] = UINT32_MAX;
        virtual_node->max_x[j] = virtual_node->max_y[j] = 0;
        virtual_node->child[j] = NULL;
        virtual_node->count[j] = 0;
    }
    virtual_node->min_x[i] = ref.qbox.min_x;
    virtual_node->min_y[i] = ref.qbox.min_y;
    virtual_node->max_x[i] = ref.qbox.max_x;
    virtual_node->max_y[i] = ref.qbox.max_y;
    virtual_node->child[i] = ref.at;
    virtual_node->count[i] = ref.tagged_count;
    virtual_node->fingerprint = pqti_node_ref_fingerprint(ref);
}

pqti_node_ref
pqti_expand_skip(const pqti_domain *domain, pqti_level level, const pqti_skip *skip,
                 const pqti_node_ref *ref, unsigned depth, pqti_inner *virtual_node)
{
    PQT_INVARIANT(depth >= level.depth && depth <= skip->end, "a level is not on the edge");
    pqti_node_ref below = *ref;
    below.skips = skip->end > depth + 1;
    if (depth == skip->end)
        return below;
    below.qbox = known_qbox(domain, pqti_level_on_skip(domain, level, skip->end), below);
    put_below(virtual_node, (int)pqti_skip_digit(skip, depth), below);
    return (pqti_node_ref){virtual_node, {below.count | PQTI_SKIP_BIT}, below.qbox};
}

pqti_node_ref
pqti_expand_skip_at(const pqti_domain *domain, pqti_level level, pqti_node_ref ref,
                    pqti_inner *virtual_node)
{
    if (!ref.skips)
        return ref;
    pqti_skip skip = pqti_skip_of(domain, level, &ref);
    return pqti_expand_skip(domain, level, &skip, &ref, level.depth, virtual_node);
}

/* Returns the least depth at which one of the subtrees is divided, or at which the paths of two
   of them diverge. Sets `skips` for the compressed edges. */
static unsigned
depth_of_alignment(const pqti_alignment *alignment, const pqti_domain *domain,
                   pqti_skip skips[PQTI_MAX_ALIGNED])
{
    const pqti_skip *any = NULL;
    unsigned depth = PQT_MAX_DEPTH;
    for (int i = 0; i < alignment->count; i++) {
        if (alignment->subtree[i].count > 0 && !alignment->subtree[i].skips)
            depth = alignment->from.depth;
        if (!alignment->subtree[i].skips)
            continue;
        skips[i] = pqti_skip_of(domain, alignment->from, &alignment->subtree[i]);
        depth = min_depth(depth, skips[i].end);
        if (any != NULL)
            depth = pqti_skip_match(any, alignment->from, depth, &skips[i].path, 1);
        any = &skips[i];
    }
    return depth;
}

void
pqti_align(pqti_alignment *alignment, const pqti_domain *domain, pqti_level level,
           const pqti_node_ref *refs, int count)
{
    pqti_skip skips[PQTI_MAX_ALIGNED];
    PQT_INVARIANT(count > 0 && count <= PQTI_MAX_ALIGNED, "too many versions are aligned");
    alignment->from = level;
    alignment->count = count;
    for (int i = 0; i < count; i++)
        alignment->subtree[i] = alignment->node[i] = refs[i];
    unsigned depth = depth_of_alignment(alignment, domain, skips);
    alignment->at = pqti_level_on_skip(domain, level, depth);
    for (int i = 0; i < count; i++)
        if (refs[i].skips)
            alignment->node[i] = pqti_expand_skip(domain, level, &skips[i], &refs[i], depth,
                                                  &alignment->virtual_nodes[i]);
}

pqti_node_ref
pqti_align_back(const pqti_alignment *alignment, const pqti_node_ref *made)
{
    for (int i = 0; i < alignment->count; i++)
        if (made->at != NULL && made->at == alignment->node[i].at)
            return alignment->subtree[i];
    return pqti_recompress(alignment->from, alignment->at, *made);
}
