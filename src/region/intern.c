/* SPDX-License-Identifier: MIT */
/*
 * intern.c - equal subtrees of a version as one.
 *
 * From the leaves up, each block is replaced by the first one of equal content; a quad's content is
 * its children, which have been replaced already, so four pointers are compared, and the pixels of
 * tiles alone. Blocks that were met before are not walked again.
 *
 * The tables are scratch memory, where no collector looks. What they point to is reachable all the
 * same: it is part of the given version, or of the new one, whose squares are held by the recursion
 * until their parents hold them.
 *
 * Source: J.-C. Filliatre, S. Conchon, "Type-safe modular hash-consing" (2006), for the idea of
 * comparing children by their pointers.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct interner {
    pqt_memory *memory;
    pqti_table seen;  /* what stands for each block of the version */
    pqti_table tiles; /* by fingerprint: the first of each content */
    pqti_table quads;
} interner;

static const pqti_square *
intern_tile(interner *in, const pqti_square *square)
{
    const uint64_t *rows = pqti_rows_of(square), hash = square->fingerprint;
    for (const pqti_slot *at = pqti_table_first(&in->tiles, hash); at != NULL;
         at = pqti_table_next(&in->tiles, at))
        if (memcmp(pqti_rows_of(at->key), rows, PQTI_TILE_SIDE * sizeof *rows) == 0)
            return at->key;
    return pqti_table_add(&in->tiles, hash, square, square) ? square : NULL;
}

/* Marks stand for squares of any size, so children alone do not tell a quad's; its count does. */
static bool
has_children(const pqti_quad *quad, const pqti_square *const child[4], uint64_t count)
{
    return quad->count == count && memcmp(quad->child, child, sizeof quad->child) == 0;
}

static const pqti_square *intern_square(interner *in, const pqti_square *square, int level);

static const pqti_square *
intern_quad(interner *in, const pqti_square *square, int level)
{
    const pqti_quad *quad = (const pqti_quad *)square;
    const pqti_square *child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = intern_square(in, quad->child[i], level - 1);
        if (child[i] == NULL)
            return NULL;
    }
    for (const pqti_slot *at = pqti_table_first(&in->quads, square->fingerprint); at != NULL;
         at = pqti_table_next(&in->quads, at))
        if (has_children(at->key, child, quad->count))
            return at->key;
    if (!has_children(quad, child, quad->count))
        square = pqti_quad_make(in->memory, child, level, square);
    return square != NULL && pqti_table_add(&in->quads, square->fingerprint, square, square)
               ? square
               : NULL;
}

/* NULL: no memory. */
static const pqti_square *
intern_square(interner *in, const pqti_square *square, int level)
{
    if (pqti_is_plain(square))
        return square;
    const pqti_square *one = pqti_table_of_block(&in->seen, square);
    if (one != NULL)
        return one;
    one = level == PQTI_TILE_LEVEL ? intern_tile(in, square) : intern_quad(in, square, level);
    return one != NULL && pqti_table_add_block(&in->seen, square, one) ? one : NULL;
}

/* False: no memory. */
static bool
intern_quadrants(interner *in, const pqt_region *region, const pqti_square *quadrant[4])
{
    if (!pqti_table_make(&in->seen) || !pqti_table_make(&in->tiles) || !pqti_table_make(&in->quads))
        return false;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = intern_square(in, region->quadrant[i], region->level);
        if (quadrant[i] == NULL)
            return false;
    }
    return true;
}

const pqt_region *
pqt_region_intern(const pqt_region *region, pqt_error *error)
{
    const pqti_square *quadrant[4];
    const pqt_region *next = NULL;
    if (!pqti_region_may_go_on(region, error))
        return NULL;
    interner in = {.memory = region->memory};
    if (intern_quadrants(&in, region, quadrant))
        next = pqti_region_next(region, region->level, quadrant, error);
    else
        pqti_out_of_memory(error);
    pqti_table_free(&in.seen);
    pqti_table_free(&in.tiles);
    pqti_table_free(&in.quads);
    pqti_keep(region);
    return next;
}
