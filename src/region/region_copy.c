/* SPDX-License-Identifier: MIT */
/*
 * region_copy.c: copies versions into another memory. The copies share nodes as the originals do.
 *
 * A table maps each copied block to its copy, and a block that was seen before is not entered
 * again. So the cost of copying many versions is proportional to the number of their distinct
 * blocks.
 *
 * The table is in scratch memory, which the collector does not scan. This is safe: each copy of a
 * node is held by the copy of its parent, or by the stack of the function that makes the parent.
 * Finished versions are held by the list of copies.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/block_table.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct copier {
    pqt_memory *memory;
    pqti_hashtable copies;   /* maps each block and version to its copy */
    const pqt_region **done; /* list of the versions copied so far (pqti_alloc_list) */
} copier;

static const pqti_rnode *copy_node(copier *c, const pqti_rnode *node, int level);

static const pqti_rnode *
copy_inner(copier *c, const pqti_rnode *node, int level)
{
    const pqti_rnode *child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = copy_node(c, ((const pqti_rinner *)node)->child[i], level - 1);
        if (child[i] == NULL)
            return NULL;
    }
    return pqti_rinner_make(c->memory, child, level, NULL);
}

/* Returns the copy of a node, or NULL when out of memory. */
static const pqti_rnode *
copy_node(copier *c, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node))
        return node;
    const pqti_rnode *copy = pqti_hashtable_of_block(&c->copies, node);
    if (copy != NULL)
        return copy;
    copy = level == PQTI_TILE_LEVEL ? pqti_tile_make(c->memory, pqti_rows_of(node), NULL, NULL)
                                    : copy_inner(c, node, level);
    PQT_INVARIANT(copy == NULL || copy->fingerprint == node->fingerprint,
                  "a copy differs from its node");
    return copy != NULL && pqti_hashtable_add_block(&c->copies, node, copy) ? copy : NULL;
}

/* Returns the copy of a region. Returns NULL and sets an error when out of memory. */
static const pqt_region *
copy_region(copier *c, const pqt_region *region, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    const pqt_region *copy = pqti_hashtable_of_block(&c->copies, region);
    if (copy != NULL || region->memory == c->memory)
        return copy != NULL ? copy : region;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = copy_node(c, region->quadrant[i], region->level);
        if (quadrant[i] == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
    }
    copy = pqti_region_new(c->memory, region->level, quadrant, NULL, error);
    if (copy == NULL || pqti_hashtable_add_block(&c->copies, region, copy))
        return copy;
    pqti_out_of_memory(error);
    return NULL;
}

static bool
copy_regions(copier *c, const pqt_region *const *regions, size_t count, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_region_copy_all", regions[i] != NULL, "a region of the array is NULL");
        pqti_assert_region_alive("pqt_region_copy_all", regions[i]);
        c->done[i] = copy_region(c, regions[i], error);
        if (c->done[i] == NULL)
            return false;
    }
    return true;
}

/* Allocates the list of versions. Its last word is unused, because the collector does not scan
 * it. */
static bool
alloc_lists(copier *c, size_t count)
{
    if (count > SIZE_MAX / 2 / sizeof *c->done)
        return false;
    const size_t size = (count + 1) * sizeof *c->done;
    c->done = pqti_alloc_list(c->memory, pqti_rounded(size));
    return c->done != NULL && pqti_hashtable_make(&c->copies);
}

bool
pqt_region_copy_all(const pqt_region *const *regions, size_t count, pqt_memory *memory,
                    const pqt_region **copies, pqt_error *error)
{
    PQT_ASSERT((regions != NULL && copies != NULL) || count == 0, "an array is NULL");
    copier c = {.memory = NULL};
    c.memory = pqti_memory_or_default(memory, error);
    if (c.memory == NULL)
        return false;
    bool copied = false;
    if (!alloc_lists(&c, count))
        pqti_out_of_memory(error);
    else
        copied = copy_regions(&c, regions, count, error);
    if (copied && count > 0)
        memcpy(copies, c.done, count * sizeof *copies);
    pqti_hashtable_free(&c.copies);
    return copied;
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
