/* SPDX-License-Identifier: MIT */
/*
 * intern.c: merges equal subtrees of a version (hash consing).
 *
 * From the leaves up, each block is replaced by the first block with equal content. The children of
 * an inner node have been replaced already, so inner nodes are compared by four pointers. Only
 * tiles are compared by pixels. A block that was seen before is not entered again.
 *
 * The tables are in scratch memory, which the collector does not scan. Nevertheless, their blocks
 * are reachable: they belong to the given version or to the new one, whose nodes are on the stack
 * of the recursion until their parents hold them.
 *
 * Source: J.-C. Filliatre, S. Conchon, "Type-safe modular hash-consing", 2006, where children are
 * compared by pointer.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct interner {
    pqt_memory *memory;
    pqti_hashtable seen;  /* the replacement of each block of the version */
    pqti_hashtable tiles; /* the first tile with each content, by fingerprint */
    pqti_hashtable inners;
} interner;

static const pqti_rnode *
intern_tile(interner *in, const pqti_rnode *node)
{
    const uint64_t *rows = pqti_rows_of(node), hash = node->fingerprint;
    for (const pqti_hashtable_slot *at = pqti_hashtable_first(&in->tiles, hash); at != NULL;
         at = pqti_hashtable_next(&in->tiles, at))
        if (memcmp(pqti_rows_of(at->key), rows, PQTI_TILE_SIDE * sizeof *rows) == 0)
            return at->key;
    return pqti_hashtable_add(&in->tiles, hash, node, node) ? node : NULL;
}

/* Returns true if an inner node has these children and this count. The children alone do not
 * identify a node, because sentinels represent nodes of any size. The count determines the
 * level. */
static bool
has_these_children(const pqti_rinner *inner, const pqti_rnode *const child[4], uint64_t count)
{
    return inner->count == count && memcmp(inner->child, child, sizeof inner->child) == 0;
}

static const pqti_rnode *intern_node(interner *in, const pqti_rnode *node, int level);

static const pqti_rnode *
intern_inner(interner *in, const pqti_rnode *node, int level)
{
    const pqti_rinner *inner = (const pqti_rinner *)node;
    const pqti_rnode *child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = intern_node(in, inner->child[i], level - 1);
        if (child[i] == NULL)
            return NULL;
    }
    for (const pqti_hashtable_slot *at = pqti_hashtable_first(&in->inners, node->fingerprint);
         at != NULL; at = pqti_hashtable_next(&in->inners, at))
        if (has_these_children(at->key, child, inner->count))
            return at->key;
    if (!has_these_children(inner, child, inner->count))
        node = pqti_rinner_make(in->memory, child, level, node);
    return node != NULL && pqti_hashtable_add(&in->inners, node->fingerprint, node, node) ? node
                                                                                          : NULL;
}

/* Returns the replacement of a node, or NULL when out of memory. */
static const pqti_rnode *
intern_node(interner *in, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node))
        return node;
    const pqti_rnode *replacement = pqti_hashtable_of_block(&in->seen, node);
    if (replacement != NULL)
        return replacement;
    replacement = level == PQTI_TILE_LEVEL ? intern_tile(in, node) : intern_inner(in, node, level);
    PQT_INVARIANT(replacement == NULL || replacement->fingerprint == node->fingerprint,
                  "a node and its replacement differ");
    return replacement != NULL && pqti_hashtable_add_block(&in->seen, node, replacement)
               ? replacement
               : NULL;
}

/* Sets `quadrant` to the replacements of the quadrants. Returns false when out of memory. */
static bool
intern_each_quadrant(interner *in, const pqt_region *region, const pqti_rnode *quadrant[4])
{
    if (!pqti_hashtable_make(&in->seen) || !pqti_hashtable_make(&in->tiles) ||
        !pqti_hashtable_make(&in->inners))
        return false;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = intern_node(in, region->quadrant[i], region->level);
        if (quadrant[i] == NULL)
            return false;
    }
    return true;
}

bool
pqti_region_intern_quadrants(const pqt_region *region, pqt_memory *memory,
                             const pqti_rnode *quadrant[4])
{
    interner in = {.memory = memory};
    const bool interned = intern_each_quadrant(&in, region, quadrant);
    pqti_hashtable_free(&in.seen);
    pqti_hashtable_free(&in.tiles);
    pqti_hashtable_free(&in.inners);
    return interned;
}

const pqt_region *
pqt_region_intern(const pqt_region *region, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    const pqt_region *next = NULL;
    if (!pqti_region_check_input(region, error))
        return NULL;
    if (pqti_region_intern_quadrants(region, region->memory, quadrant))
        next = pqti_region_next(region, region->level, quadrant, error);
    else
        pqti_out_of_memory(error);
    pqti_keep_alive(region);
    return next;
}
