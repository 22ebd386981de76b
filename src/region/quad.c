/* SPDX-License-Identifier: MIT */
/* quad.c - quads: the inner nodes of a region, and their children. */
#include "config.h"

#include "region/quad.h"

#include "base/error_internal.h"
#include "region/region_node.h"
#include "region/tile.h"

void
pqti_children(const pqt_region *region, const pqti_square *square, int level,
              const pqti_square *child[4])
{
    PQT_INVARIANT(level > PQTI_TILE_LEVEL, "a tile has no children");
    if (pqti_is_block(square)) {
        const pqti_quad *quad = (const pqti_quad *)square;
        for (int i = 0; i < 4; i++)
            child[i] = quad->child[i];
        return;
    }
    for (int i = 0; i < 4; i++)
        child[i] = pqti_is_outer(square) ? PQTI_EMPTY : square;
    if (pqti_is_outer(square)) {
        int quadrant = (int)(square - PQTI_OUTER(0));
        child[3 - quadrant] = pqti_quadrant(region, level - 1, quadrant);
    }
}

const pqti_square *
pqti_square_at(const pqt_region *region, int64_t x, int64_t y, int level)
{
    int above = region->level > level ? region->level - level : 0;
    int64_t end = INT64_C(1) << above;
    if (x < -end || y < -end || x >= end || y >= end)
        return PQTI_EMPTY;
    int quadrant = (x >= 0) + 2 * (y >= 0);
    const pqti_square *square = pqti_quadrant(region, level + above, quadrant);
    while (above-- > 0) {
        if (pqti_is_plain(square))
            return square;
        int child = (int)(x >> above & 1) + 2 * (int)(y >> above & 1);
        square = ((const pqti_quad *)square)->child[child];
    }
    return square;
}

uint64_t
pqti_square_count(const pqti_square *square, int level)
{
    PQT_INVARIANT(!pqti_is_outer(square), "an outer square has no count");
    if (pqti_is_plain(square))
        return square == PQTI_FULL ? UINT64_C(1) << 2 * level : 0;
    if (level == PQTI_TILE_LEVEL)
        return ((const pqti_tile *)square)->count;
    return ((const pqti_quad *)square)->count;
}

/* A constant apart for each place, so that children which change places change the sum. */
uint64_t
pqti_child_mix(uint64_t fingerprint, int child)
{
    return pqti_finish(fingerprint ^ (uint64_t)(child + 1) * UINT64_C(0xd1342543de82ef95));
}

static void
sum_up(pqti_quad *quad, int level)
{
    for (int i = 0; i < 4; i++) {
        quad->count += pqti_square_count(quad->child[i], level - 1);
        quad->square.fingerprint += pqti_child_mix(quad->child[i]->fingerprint, i);
    }
}

static void
sum_up_from(pqti_quad *quad, const pqti_quad *base, int level)
{
    quad->count = base->count;
    quad->square.fingerprint = base->square.fingerprint;
    for (int i = 0; i < 4; i++) {
        const pqti_square *old = base->child[i], *new = quad->child[i];
        if (old == new)
            continue;
        quad->count += pqti_square_count(new, level - 1) - pqti_square_count(old, level - 1);
        quad->square.fingerprint +=
            pqti_child_mix(new->fingerprint, i) - pqti_child_mix(old->fingerprint, i);
    }
}

const pqti_square *
pqti_quad_make(pqt_memory *memory, const pqti_square *const child[4], int level,
               const pqti_square *base)
{
    PQT_INVARIANT(level > PQTI_TILE_LEVEL && level <= PQTI_TOP_LEVEL, "no quad has this level");
    if (pqti_is_plain(child[0]) && child[0] == child[1] && child[0] == child[2] &&
        child[0] == child[3])
        return child[0];
    pqti_quad *quad = pqti_node(memory, pqti_rounded(sizeof *quad));
    if (quad == NULL)
        return NULL;
    for (int i = 0; i < 4; i++) {
        PQT_INVARIANT(!pqti_is_outer(child[i]), "an outer square stands in no node");
        quad->child[i] = child[i];
    }
    if (base != NULL && pqti_is_block(base))
        sum_up_from(quad, (const pqti_quad *)base, level);
    else
        sum_up(quad, level);
    return &quad->square;
}
