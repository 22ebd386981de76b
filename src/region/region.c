/* SPDX-License-Identifier: MIT */
/* region.c: creates regions, and the versions that functions return. */
#include "config.h"

#include "region/region_internal.h"

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "region/quad.h"

bool
pqti_region_may_go_on_in(const char *function, const pqt_region *region, pqt_error *error)
{
    PQT_ASSERT_IN(function, region != NULL || pqti_may_be_null(error),
                  "the region is NULL, and no earlier error is set");
    if (region == NULL)
        return false;
    pqti_assert_region_alive(function, region);
    return pqti_may_compute(error);
}

/* Returns true if a quadrant has pixels only in the child next to the origin. */
static bool
can_shrink(const pqti_rnode *node, int quadrant)
{
    if (node == PQTI_EMPTY)
        return true;
    if (node == PQTI_FULL)
        return false;
    const pqti_rinner *inner = (const pqti_rinner *)node;
    for (int i = 0; i < 4; i++)
        if (i != 3 - quadrant && inner->child[i] != PQTI_EMPTY)
            return false;
    return true;
}

void
pqti_shrink(int *level, const pqti_rnode *quadrant[4])
{
    for (; *level > PQTI_TILE_LEVEL; --*level) {
        for (int i = 0; i < 4; i++)
            if (!can_shrink(quadrant[i], i))
                return;
        for (int i = 0; i < 4; i++)
            if (quadrant[i] != PQTI_EMPTY)
                quadrant[i] = ((const pqti_rinner *)quadrant[i])->child[3 - i];
    }
}

bool
pqti_region_has(const pqt_region *region, int level, const pqti_rnode *const quadrant[4])
{
    if (region->level != level)
        return false;
    for (int i = 0; i < 4; i++)
        if (region->quadrant[i] != quadrant[i])
            return false;
    return true;
}

static void
sum_quadrants(pqt_region *region)
{
    for (int i = 0; i < 4; i++) {
        region->count += pqti_rnode_count(region->quadrant[i], region->level);
        region->hash += pqti_rnode_child_hash(region->quadrant[i]->fingerprint, i);
    }
}

static void
sum_quadrants_from(pqt_region *region, const pqt_region *base)
{
    region->count = base->count;
    region->hash = base->hash;
    for (int i = 0; i < 4; i++) {
        const pqti_rnode *old = base->quadrant[i], *new = region->quadrant[i];
        if (old == new)
            continue;
        region->count +=
            pqti_rnode_count(new, region->level) - pqti_rnode_count(old, region->level);
        region->hash +=
            pqti_rnode_child_hash(new->fingerprint, i) - pqti_rnode_child_hash(old->fingerprint, i);
    }
}

const pqt_region *
pqti_region_new(pqt_memory *memory, int level, const pqti_rnode *const quadrant[4],
                const pqt_region *base, pqt_error *error)
{
    PQT_INVARIANT(level >= PQTI_TILE_LEVEL && level <= PQTI_TOP_LEVEL,
                  "a region has a wrong level");
    static pqti_layout layout = {
        .size = PQTI_ROUNDED(sizeof(pqt_region)),
        .references = PQTI_REFERENCES(offsetof(pqt_region, quadrant), 4),
        .kind = &pqti_region_calls,
        .immortals = pqti_sentinels,
        .immortal_bytes = sizeof pqti_sentinels,
    };
    pqt_region *region = pqti_alloc_node(memory, &layout);
    if (region == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    PQT_INVARIANT(base == NULL || base->memory == memory,
                  "a version and its base are in different memories");
    region->memory = memory;
    region->level = level;
    region->sign = pqti_sign_of_new(memory, PQT_KIND_REGION);
    for (int i = 0; i < 4; i++)
        region->quadrant[i] = quadrant[i];
    if (base != NULL && base->level == level)
        sum_quadrants_from(region, base);
    else
        sum_quadrants(region);
    return region;
}

const pqt_region *
pqti_region_next(const pqt_region *old, int level, const pqti_rnode *quadrant[4], pqt_error *error)
{
    pqti_shrink(&level, quadrant);
    if (pqti_region_has(old, level, quadrant))
        return old;
    return pqti_region_new(old->memory, level, quadrant, old, error);
}

int
pqti_level_of(const pqt_pixel_box *box)
{
    int level = PQTI_TILE_LEVEL;
    if (pqti_box_is_empty(*box))
        return level;
    PQT_INVARIANT(!pqti_box_is_too_far(box), "a box exceeds the limit of pixels");
    while (box->min.x < -pqti_side(level) || box->min.y < -pqti_side(level) ||
           box->max.x > pqti_side(level) || box->max.y > pqti_side(level))
        level++;
    return level;
}

bool
pqti_validate_pixel_box(const pqt_pixel_box *box, const char *what, size_t index, pqt_error *error)
{
    if (box->min.x > box->max.x)
        pqti_error_set(error, PQT_ERROR_BOX, index, "%s %zu: box is inverted (x %d > %d)", what,
                       index, box->min.x, box->max.x);
    else if (box->min.y > box->max.y)
        pqti_error_set(error, PQT_ERROR_BOX, index, "%s %zu: box is inverted (y %d > %d)", what,
                       index, box->min.y, box->max.y);
    return !pqti_box_is_inside_out(*box);
}

bool
pqti_validate_pixel(const pqt_pixel_box *box, const char *what, size_t index, pqt_error *error)
{
    if (pqti_box_is_empty(*box) || !pqti_box_is_too_far(box))
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, index,
                   "%s %zu: %d, %d to %d, %d extends more than %d pixels from 0", what, index,
                   box->min.x, box->min.y, box->max.x, box->max.y, PQT_PIXEL_LIMIT);
    return false;
}

const pqt_region *
pqt_region_make(pqt_memory *memory, pqt_error *error)
{
    const pqti_rnode *quadrant[4] = {PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY};
    if (!pqti_may_compute(error))
        return NULL;
    memory = pqti_memory_or_default(memory, error);
    return memory != NULL ? pqti_region_new(memory, PQTI_TILE_LEVEL, quadrant, NULL, error) : NULL;
}

pqt_memory *
pqt_region_memory(const pqt_region *region)
{
    PQTI_ASSERT_REGION(region);
    return region->memory;
}
