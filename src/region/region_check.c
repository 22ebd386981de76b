/* SPDX-License-Identifier: MIT */
/*
 * region_check.c: validates every invariant of a region.
 *
 * The check trusts the contents of a node only as far as it must to reach the next node. It
 * remembers the level at which it found a node valid, and does not enter the node again.
 */
#include "config.h"

#include "base/error_internal.h"
#include "memory/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

static bool
report_corrupt_region(pqti_rcell cell, const char *invariant, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the node of side %d at %d, %d: %s",
                   pqti_side(cell.level), cell.x, cell.y, invariant);
    return false;
}

static bool check_node(pqti_block_memo *valid, const pqti_rnode *node, pqti_rcell cell,
                       pqt_error *error);

static bool
check_inner(pqti_block_memo *valid, const pqti_rinner *inner, pqti_rcell cell, pqt_error *error)
{
    uint64_t count = 0, fingerprint = 0;
    for (int i = 0; i < 4; i++) {
        if (!check_node(valid, inner->child[i], pqti_rcell_child(cell, i), error))
            return false;
        count += pqti_rnode_count(inner->child[i], cell.level - 1);
        fingerprint += pqti_rnode_child_hash(inner->child[i]->fingerprint, i);
    }
    if (count == 0 || count == UINT64_C(1) << 2 * cell.level)
        return report_corrupt_region(cell, "an inner node is empty or full", error);
    if (inner->count != count)
        return report_corrupt_region(cell, "the count is not that of the children", error);
    if (inner->node.fingerprint != fingerprint)
        return report_corrupt_region(cell, "the fingerprint is not that of the children", error);
    return true;
}

/* Checks a block. */
static bool
check_block(pqti_block_memo *valid, const pqti_rnode *node, pqti_rcell cell, pqt_error *error)
{
    const char *what;
    if (cell.level > PQTI_TILE_LEVEL)
        return check_inner(valid, (const pqti_rinner *)node, cell, error);
    return pqti_tile_check((const pqti_tile *)node, &what) ||
           report_corrupt_region(cell, what, error);
}

static bool
check_node(pqti_block_memo *valid, const pqti_rnode *node, pqti_rcell cell, pqt_error *error)
{
    if (node == NULL || pqti_is_padding(node))
        return report_corrupt_region(cell, "the node is NULL or padding", error);
    if (pqti_is_uniform(node))
        return true;
    const void *level = pqti_block_memo_enter(valid, node);
    if (level != NULL)
        return (intptr_t)level == cell.level ||
               report_corrupt_region(cell, "the node is also at another level", error);
    if (!check_block(valid, node, cell, error))
        return false;
    pqti_block_memo_add(valid, node, (const void *)(intptr_t)cell.level);
    return true;
}

static bool
check_quadrants(pqti_block_memo *valid, const pqt_region *region, pqt_error *error)
{
    for (int i = 0; i < 4; i++)
        if (!check_node(valid, region->quadrant[i], pqti_rcell_quadrant(region->level, i), error))
            return false;
    return true;
}

/* Checks the invariants of a version whose nodes are valid. */
static bool
check_version(const pqt_region *region, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    uint64_t count = 0, hash = 0;
    int level = region->level;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = region->quadrant[i];
        count += pqti_rnode_count(quadrant[i], level);
        hash += pqti_rnode_child_hash(quadrant[i]->fingerprint, i);
    }
    pqti_shrink(&level, quadrant);
    if (level != region->level)
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the level is %d, but %d suffices",
                       region->level, level);
    else if (count != region->count)
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the count is not that of the quadrants");
    else if (hash != region->hash)
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the fingerprint is not that of the quadrants");
    else
        return true;
    return false;
}

bool
pqti_region_check(const pqt_region *region, uint64_t *entered, pqt_error *error)
{
    *entered = 0;
    if (region->memory == NULL || region->level < PQTI_TILE_LEVEL ||
        region->level > PQTI_TOP_LEVEL) {
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the level is %d or the memory is NULL",
                       region->level);
        return false;
    }
    pqti_block_memo valid = {.entered = 0};
    const bool good = check_quadrants(&valid, region, error) && check_version(region, error);
    *entered = valid.entered;
    pqti_block_memo_free(&valid);
    return good;
}

bool
pqt_region_check(const pqt_region *region, pqt_error *error)
{
    uint64_t entered;
    return pqti_region_check_input(region, error) && pqti_region_check(region, &entered, error);
}
