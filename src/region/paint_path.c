/* SPDX-License-Identifier: MIT */
/* paint_path.c - paint on a region: a pixel by copying its path, all else by paint.c. */
#include "config.h"

#include "base/error_internal.h"
#include "region/paint.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

static const pqt_region *
paint_dabs(const pqt_region *region, const pqti_dab *dabs, size_t count, pqt_error *error)
{
    const pqti_square *quadrant[4];
    int level;
    pqti_dabs source = {.dabs = dabs, .count = count};
    if (!pqti_paint_quadrants(region, &source, &level, quadrant, error))
        return NULL;
    return pqti_region_next(region, level, quadrant, error);
}

static int
child_at(pqt_pixel pixel, int level)
{
    return (pixel.x >> (level - 1) & 1) + 2 * (pixel.y >> (level - 1) & 1);
}

/* The quadrant with one pixel the other way round: squares around it are copied, inmost first. */
static const pqti_square *
toggle_in(const pqt_region *region, const pqti_square *square, pqt_pixel pixel)
{
    const pqti_square *way[PQTI_TOP_LEVEL + 1];
    for (int level = region->level; level > PQTI_TILE_LEVEL; level--) {
        way[level] = square;
        if (pqti_is_block(square))
            square = ((const pqti_quad *)square)->child[child_at(pixel, level)];
    }
    const int inside = PQTI_TILE_SIDE - 1;
    square = pqti_tile_toggle(region->memory, square, pixel.x & inside, pixel.y & inside);
    for (int level = PQTI_TILE_LEVEL + 1; square != NULL && level <= region->level; level++) {
        const pqti_square *child[4];
        pqti_children(region, way[level], level, child);
        child[child_at(pixel, level)] = square;
        square = pqti_quad_make(region->memory, child, level, way[level]);
    }
    return square;
}

/* Paints a pixel that the region's level has room for. */
static const pqt_region *
paint_pixel(const pqt_region *region, pqt_ink ink, pqt_pixel pixel, pqt_error *error)
{
    const pqti_square *quadrant[4];
    int changed = (pixel.x >= 0) + 2 * (pixel.y >= 0);
    if (ink != PQT_TOGGLE && pqt_region_contains(region, pixel) == (ink == PQT_SET))
        return region;
    for (int i = 0; i < 4; i++)
        quadrant[i] = region->quadrant[i];
    quadrant[changed] = toggle_in(region, quadrant[changed], pixel);
    if (quadrant[changed] != NULL)
        return pqti_region_next(region, region->level, quadrant, error);
    pqti_out_of_memory(error);
    return NULL;
}

/* Whether a dab is one pixel that the region's level has room for. */
static bool
is_near_pixel(const pqt_region *region, const pqti_dab *dab)
{
    int32_t side = pqti_side(region->level);
    pqt_pixel_box box = dab->box;
    return dab->is_box && (int64_t)box.max.x - box.min.x == 1 &&
           (int64_t)box.max.y - box.min.y == 1 && box.min.x >= -side && box.min.x < side &&
           box.min.y >= -side && box.min.y < side;
}

const pqt_region *
pqt_region_paint(const pqt_region *region, pqt_paint paint, pqt_error *error)
{
    pqti_dab dab;
    if (!pqti_region_may_go_on(region, error) || !pqti_dab_of(&paint, 0, &dab, error))
        return NULL;
    if (is_near_pixel(region, &dab))
        return paint_pixel(region, dab.ink, dab.box.min, error);
    return paint_dabs(region, &dab, 1, error);
}

/* Makes ready as many dabs as there is paint; NULL with an error told. */
static pqti_dab *
make_dabs(const pqt_paint *paints, size_t count, pqt_error *error)
{
    pqti_dab *dabs = pqti_scratch(count, sizeof *dabs);
    if (dabs == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!pqti_dab_of(&paints[i], i, &dabs[i], error)) {
            pqti_scratch_free(dabs);
            return NULL;
        }
    }
    return dabs;
}

const pqt_region *
pqt_region_paint_all(const pqt_region *region, const pqt_paint *paints, size_t count,
                     pqt_error *error)
{
    PQT_ASSERT(paints != NULL || count == 0, "paints is NULL, and count is not 0");
    if (!pqti_region_may_go_on(region, error))
        return NULL;
    if (count <= 1)
        return count == 0 ? region : pqt_region_paint(region, paints[0], error);
    if (!pqti_admit_dab_count(count, error))
        return NULL;
    pqti_dab *dabs = make_dabs(paints, count, error);
    if (dabs == NULL)
        return NULL;
    const pqt_region *next = paint_dabs(region, dabs, count, error);
    pqti_scratch_free(dabs);
    return next;
}
