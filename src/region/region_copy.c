/* SPDX-License-Identifier: MIT */
/*
 * region_copy.c - versions into another memory, what they share staying shared.
 *
 * A table remembers for each block that was copied where its copy is; a block that is met again
 * is not walked. So copying many versions costs their distinct blocks.
 *
 * The table is scratch memory, where no collector looks. That is enough: a copy is held by the
 * copy of its parent, or by the call that is to make that; and a finished version by the list of
 * them.
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
    pqti_hashtable copies;   /* of each block and version */
    const pqt_region **done; /* a node: the copies of versions so far */
} copier;

static const pqti_rnode *copy_square(copier *c, const pqti_rnode *node, int level);

static const pqti_rnode *
copy_inner(copier *c, const pqti_rnode *node, int level)
{
    const pqti_rnode *child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = copy_square(c, ((const pqti_rinner *)node)->child[i], level - 1);
        if (child[i] == NULL)
            return NULL;
    }
    return pqti_rinner_make(c->memory, child, level, NULL);
}

/* NULL: no memory. */
static const pqti_rnode *
copy_square(copier *c, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node))
        return node;
    const pqti_rnode *copy = pqti_hashtable_of_block(&c->copies, node);
    if (copy != NULL)
        return copy;
    copy = level == PQTI_TILE_LEVEL ? pqti_tile_make(c->memory, pqti_rows_of(node), NULL, NULL)
                                    : copy_inner(c, node, level);
    return copy != NULL && pqti_hashtable_add_block(&c->copies, node, copy) ? copy : NULL;
}

/* NULL with an error told: no memory. */
static const pqt_region *
copy_region(copier *c, const pqt_region *region, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    const pqt_region *copy = pqti_hashtable_of_block(&c->copies, region);
    if (copy != NULL || region->memory == c->memory)
        return copy != NULL ? copy : region;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = copy_square(c, region->quadrant[i], region->level);
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
        c->done[i] = copy_region(c, regions[i], error);
        if (c->done[i] == NULL)
            return false;
    }
    return true;
}

/* Room for the list, its last word free, since that is not searched. */
static bool
make_ready(copier *c, size_t count)
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
    if (pqti_error_is_set(error))
        return false;
    c.memory = pqti_memory_or_default(memory, error);
    if (c.memory == NULL)
        return false;
    bool copied = false;
    if (!make_ready(&c, count))
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
