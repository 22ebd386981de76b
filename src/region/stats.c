/* SPDX-License-Identifier: MIT */
/* stats.c - what a version consists of, and what two versions share. */
#include "config.h"

#include "base/error.h"
#include "region/region.h"
#include "region/tile.h"

static size_t
block_bytes(const pqt_memory *memory, const pqti_square *square, int level)
{
    size_t asked = level == PQTI_TILE_LEVEL ? sizeof(pqti_tile) : sizeof(pqti_quad);
    return pqti_block_size(memory, square, asked);
}

static void
count_square(const pqt_memory *memory, const pqti_square *square, int level,
             pqt_region_stats *stats)
{
    if (square == PQTI_EMPTY)
        return;
    if (square == PQTI_FULL) {
        stats->full++;
        return;
    }
    stats->bytes += block_bytes(memory, square, level);
    if (level == PQTI_TILE_LEVEL) {
        stats->leaves++;
        return;
    }
    stats->nodes++;
    for (int i = 0; i < 4; i++)
        count_square(memory, ((const pqti_quad *)square)->child[i], level - 1, stats);
}

pqt_region_stats
pqt_region_get_stats(const pqt_region *region)
{
    PQT_ASSERT(region != NULL, "the region is NULL");
    pqt_region_stats stats = {
        .pixels = region->count,
        .bytes = pqti_block_size(region->memory, region, sizeof *region),
        .level = region->level,
    };
    for (int i = 0; i < 4; i++)
        count_square(region->memory, region->quadrant[i], region->level, &stats);
    return stats;
}

typedef struct shared_walk {
    const pqt_region *a, *b;
    pqt_region_stats stats;
} shared_walk;

/* Path copying keeps every block at its place, so a shared one stands at the same place in both. */
static void
count_shared(shared_walk *walk, const pqti_square *a, const pqti_square *b, int level)
{
    if (pqti_is_plain(a) || pqti_is_plain(b))
        return;
    if (a == b && pqti_is_block(a)) {
        count_square(walk->a->memory, a, level, &walk->stats);
        return;
    }
    if (level == PQTI_TILE_LEVEL)
        return;
    const pqti_square *in_a[4], *in_b[4];
    pqti_children(walk->a, a, level, in_a);
    pqti_children(walk->b, b, level, in_b);
    for (int i = 0; i < 4; i++)
        count_shared(walk, in_a[i], in_b[i], level - 1);
}

size_t
pqt_region_shared_bytes(const pqt_region *a, const pqt_region *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a region is NULL");
    if (a == b)
        return pqt_region_get_stats(a).bytes;
    shared_walk walk = {.a = a, .b = b};
    const int level = a->level > b->level ? a->level : b->level;
    for (int i = 0; i < 4; i++)
        count_shared(&walk, pqti_quadrant(a, level, i), pqti_quadrant(b, level, i), level);
    return walk.stats.bytes;
}

static pqt_square_kind
kind_of(const pqti_square *square, int level)
{
    if (square == PQTI_FULL)
        return PQT_SQUARE_FULL;
    return level == PQTI_TILE_LEVEL ? PQT_SQUARE_LEAF : PQT_SQUARE_INNER;
}

static bool
visit_square(const pqti_square *square, pqti_plot plot, pqt_visit_square_fn *visit, void *context)
{
    if (square == PQTI_EMPTY)
        return true;
    pqt_square seen = {pqti_plot_box(plot), kind_of(square, plot.level),
                       pqti_square_count(square, plot.level)};
    if (!visit(&seen, context))
        return false;
    if (seen.kind != PQT_SQUARE_INNER)
        return true;
    for (int i = 0; i < 4; i++)
        if (!visit_square(((const pqti_quad *)square)->child[i], pqti_child_plot(plot, i), visit,
                          context))
            return false;
    return true;
}

bool
pqt_region_visit_squares(const pqt_region *region, pqt_visit_square_fn *visit, void *context)
{
    PQT_ASSERT(region != NULL && visit != NULL, "the region or the visitor is NULL");
    for (int i = 0; i < 4; i++)
        if (!visit_square(region->quadrant[i], pqti_quadrant_plot(region->level, i), visit,
                          context))
            return false;
    return true;
}
