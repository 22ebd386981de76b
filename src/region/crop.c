/* SPDX-License-Identifier: MIT */
/* crop.c - the pixels of a box that belong, or those that do not. */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct clipper {
    const pqt_region *region;
    pqt_pixel_box box;
    bool inverts; /* those that do not belong */
} clipper;

static const pqti_square *
clip_tile(const clipper *c, const pqti_square *square, pqti_plot plot, pqt_pixel_box common)
{
    uint64_t rows[PQTI_TILE_SIDE] = {0};
    const uint64_t *old = pqti_rows_of(square);
    const uint64_t mask = pqti_bits_between(common.min.x - plot.x, common.max.x - plot.x);
    for (int32_t y = common.min.y - plot.y; y < common.max.y - plot.y; y++)
        rows[y] = (c->inverts ? ~old[y] : old[y]) & mask;
    return pqti_tile_make(c->region->memory, rows, square, NULL);
}

static const pqti_square *clip_square(const clipper *c, const pqti_square *square, pqti_plot plot);

static const pqti_square *
clip_quad(const clipper *c, const pqti_square *square, pqti_plot plot)
{
    const pqti_square *old[4], *child[4];
    pqti_children(c->region, square, plot.level, old);
    for (int i = 0; i < 4; i++) {
        child[i] = clip_square(c, old[i], pqti_child_plot(plot, i));
        if (child[i] == NULL)
            return NULL;
    }
    if (pqti_is_block(square) && memcmp(old, child, sizeof old) == 0)
        return square;
    return pqti_quad_make(c->region->memory, child, plot.level, c->inverts ? NULL : square);
}

/* NULL: no memory. */
static const pqti_square *
clip_square(const clipper *c, const pqti_square *square, pqti_plot plot)
{
    const pqt_pixel_box all = pqti_plot_box(plot);
    const pqt_pixel_box common = pqti_box_common(all, c->box);
    if (pqti_box_is_empty(common) || square == (c->inverts ? PQTI_FULL : PQTI_EMPTY))
        return PQTI_EMPTY;
    if (pqti_box_holds(c->box, all) && !pqti_is_outer(square)) {
        if (!c->inverts)
            return square;
        if (square == PQTI_EMPTY)
            return PQTI_FULL;
    }
    return plot.level == PQTI_TILE_LEVEL ? clip_tile(c, square, plot, common)
                                         : clip_quad(c, square, plot);
}

static const pqt_region *
clip(const clipper *c, int level, pqt_error *error)
{
    const pqti_square *quadrant[4];
    for (int i = 0; i < 4; i++) {
        const pqti_plot plot = pqti_quadrant_plot(level, i);
        const pqti_square *old = pqti_square_at(c->region, (i & 1) - 1, (i >> 1) - 1, level);
        quadrant[i] = clip_square(c, old, plot);
        if (quadrant[i] == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
    }
    return pqti_region_next(c->region, level, quadrant, error);
}

const pqt_region *
pqt_region_crop(const pqt_region *region, pqt_pixel_box box, pqt_error *error)
{
    if (!pqti_region_may_go_on(region, error) || !pqti_admit_box(box, "box", 0, error))
        return NULL;
    return clip(&(clipper){region, box, false}, region->level, error);
}

const pqt_region *
pqt_region_complement(const pqt_region *region, pqt_pixel_box box, pqt_error *error)
{
    if (!pqti_region_may_go_on(region, error) || !pqti_admit_box(box, "box", 0, error) ||
        !pqti_admit_place(box, "box", 0, error))
        return NULL;
    int level = pqti_box_is_empty(box) ? PQTI_TILE_LEVEL : pqti_level_of(box);
    return clip(&(clipper){region, box, true}, level, error);
}
