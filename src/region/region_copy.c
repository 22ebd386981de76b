/* SPDX-License-Identifier: MIT */
/* region_copy.c: copies versions of regions to another memory (version_copier.h). */
#include "config.h"

#include "base/error_internal.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"
#include "memory/version_copier.h"

static const pqti_rnode *copy_node(pqti_copier *copier, const pqti_rnode *node, int level);

static const pqti_rnode *
copy_inner(pqti_copier *copier, const pqti_rnode *node, int level)
{
    const pqti_rnode *child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = copy_node(copier, ((const pqti_rinner *)node)->child[i], level - 1);
        if (child[i] == NULL)
            return NULL;
    }
    return pqti_rinner_make(copier->memory, child, level, NULL);
}

/* Returns the copy of a node, or NULL when out of memory. */
static const pqti_rnode *
copy_node(pqti_copier *copier, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node))
        return node;
    const pqti_rnode *copy = pqti_hashtable_of_block(&copier->copies, node);
    if (copy != NULL)
        return copy;
    copy = level == PQTI_TILE_LEVEL ? pqti_tile_make(copier->memory, pqti_rows_of(node), NULL, NULL)
                                    : copy_inner(copier, node, level);
    PQT_INVARIANT(copy == NULL || copy->fingerprint == node->fingerprint,
                  "a copy differs from its node");
    return copy != NULL && pqti_hashtable_add_block(&copier->copies, node, copy) ? copy : NULL;
}

/* Returns the copy of a region, or the region if it is in the memory of the copies. */
static const void *
copy_region(pqti_copier *copier, const void *version, pqt_error *error)
{
    const pqt_region *region = version;
    const pqti_rnode *quadrant[4];
    PQT_ASSERT_IN("pqt_region_copy_all", region != NULL, "a region of the array is NULL");
    pqti_assert_region_alive("pqt_region_copy_all", region);
    const pqt_region *copy = pqti_hashtable_of_block(&copier->copies, region);
    if (copy != NULL || region->memory == copier->memory)
        return copy != NULL ? copy : region;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = copy_node(copier, region->quadrant[i], region->level);
        if (quadrant[i] == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
    }
    copy = pqti_region_new(copier->memory, region->level, quadrant, NULL, error);
    if (copy == NULL || pqti_hashtable_add_block(&copier->copies, region, copy))
        return copy;
    pqti_out_of_memory(error);
    return NULL;
}

bool
pqt_region_copy_all(const pqt_region *const *regions, size_t count, pqt_memory *memory,
                    const pqt_region **copies, pqt_error *error)
{
    PQT_ASSERT((regions != NULL && copies != NULL) || count == 0, "an array is NULL");
    return pqti_copy_versions(regions, count, memory, copies, copy_region, error);
}

const pqt_region *
pqt_region_copy(const pqt_region *region, pqt_memory *memory, pqt_error *error)
{
    const pqt_region *copy = NULL;
    if (!pqti_region_check_input(region, error))
        return NULL;
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL || memory == region->memory)
        return memory != NULL ? region : NULL;
    return pqt_region_copy_all(&region, 1, memory, &copy, error) ? copy : NULL;
}
