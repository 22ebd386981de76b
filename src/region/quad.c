/* SPDX-License-Identifier: MIT */
/* quad.c: inner nodes of a region, and access to the children of any node. */
#include "config.h"

#include "region/quad.h"

#include "base/error_internal.h"
#include "region/region_node.h"
#include "region/tile.h"

void
pqti_rnode_children(const pqt_region *region, const pqti_rnode *node, int level,
                    const pqti_rnode *child[4])
{
    PQT_INVARIANT(level > PQTI_TILE_LEVEL, "the children of a tile were requested");
    if (pqti_is_allocated(node)) {
        const pqti_rinner *inner = (const pqti_rinner *)node;
        for (int i = 0; i < 4; i++)
            child[i] = inner->child[i];
        return;
    }
    for (int i = 0; i < 4; i++)
        child[i] = pqti_is_padding(node) ? PQTI_EMPTY : node;
    if (pqti_is_padding(node)) {
        int quadrant = (int)(node - PQTI_PADDING(0));
        child[3 - quadrant] = pqti_quadrant(region, level - 1, quadrant);
    }
}

const pqti_rnode *
pqti_rnode_at(const pqt_region *region, int64_t x, int64_t y, int level)
{
    int above = region->level > level ? region->level - level : 0;
    int64_t end = INT64_C(1) << above;
    if (x < -end || y < -end || x >= end || y >= end)
        return PQTI_EMPTY;
    int quadrant = (x >= 0) + 2 * (y >= 0);
    const pqti_rnode *node = pqti_quadrant(region, level + above, quadrant);
    while (above-- > 0) {
        if (pqti_is_uniform(node))
            return node;
        int child = (int)(x >> above & 1) + 2 * (int)(y >> above & 1);
        node = ((const pqti_rinner *)node)->child[child];
    }
    return node;
}

uint64_t
pqti_rnode_count(const pqti_rnode *node, int level)
{
    PQT_INVARIANT(!pqti_is_padding(node), "the count of a padding node was requested");
    if (pqti_is_uniform(node))
        return node == PQTI_FULL ? UINT64_C(1) << 2 * level : 0;
    if (level == PQTI_TILE_LEVEL)
        return ((const pqti_tile *)node)->count;
    return ((const pqti_rinner *)node)->count;
}

/* Mixes a fingerprint with a different constant for each position, so that exchanging children
 * changes the sum. */
uint64_t
pqti_rnode_child_hash(uint64_t fingerprint, int child)
{
    return pqti_hash_mix64(fingerprint ^ (uint64_t)(child + 1) * UINT64_C(0xd1342543de82ef95));
}

static void
sum_children(pqti_rinner *inner, int level)
{
    for (int i = 0; i < 4; i++) {
        inner->count += pqti_rnode_count(inner->child[i], level - 1);
        inner->node.fingerprint += pqti_rnode_child_hash(inner->child[i]->fingerprint, i);
    }
}

static void
sum_children_from(pqti_rinner *inner, const pqti_rinner *base, int level)
{
    inner->count = base->count;
    inner->node.fingerprint = base->node.fingerprint;
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *old = base->child[i], *new = inner->child[i];
        if (old == new)
            continue;
        inner->count += pqti_rnode_count(new, level - 1) - pqti_rnode_count(old, level - 1);
        inner->node.fingerprint +=
            pqti_rnode_child_hash(new->fingerprint, i) - pqti_rnode_child_hash(old->fingerprint, i);
    }
}

const pqti_rnode *
pqti_rinner_make(pqt_memory *memory, const pqti_rnode *const child[4], int level,
                 const pqti_rnode *base)
{
    PQT_INVARIANT(level > PQTI_TILE_LEVEL && level <= PQTI_TOP_LEVEL,
                  "an inner node has a wrong level");
    if (pqti_is_uniform(child[0]) && child[0] == child[1] && child[0] == child[2] &&
        child[0] == child[3])
        return child[0];
    static pqti_layout layout = {
        .size = PQTI_ROUNDED(sizeof(pqti_rinner)),
        .references = PQTI_REFERENCES(offsetof(pqti_rinner, child), 4),
        .immortals = pqti_sentinels,
        .immortal_bytes = sizeof pqti_sentinels,
    };
    pqti_rinner *inner = pqti_alloc_node(memory, &layout);
    if (inner == NULL)
        return NULL;
    for (int i = 0; i < 4; i++) {
        PQT_INVARIANT(!pqti_is_padding(child[i]), "a padding node is a child");
        inner->child[i] = child[i];
    }
    if (base != NULL && pqti_is_allocated(base))
        sum_children_from(inner, (const pqti_rinner *)base, level);
    else
        sum_children(inner, level);
    return &inner->node;
}
