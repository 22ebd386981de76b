/* SPDX-License-Identifier: MIT */
/*
 * region_overlap_shape.c - whether a region overlaps a box or a circle.
 *
 * What is flat and lies on the edge between two rows or columns of pixels is in no pixel, but may
 * be inside of the region: where there are pixels on both sides of it.
 */
#include "config.h"

#include <stddef.h>

#include <pqt/region_overlap.h>

#include "base/error_internal.h"
#include "region/bits.h"
#include "region/collision/fixpos.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* ---- boxes ---- */

/* A coordinate within a pixel of where pixels may lie: beyond that nothing changes. */
static double
near(double value)
{
    const double most = PQT_PIXEL_LIMIT + 1;
    return value < -most ? -most : value > most ? most : value;
}

/* Pixels that a stretch of one axis meets: half open. A point between two of them is in both. */
typedef struct stretch {
    int32_t from, to;
    bool on_edge; /* it is such a point */
} stretch;

static stretch
stretch_of(double min, double max)
{
    min = near(min);
    max = near(max);
    const double below = floor(min);
    if (min == max && below == min)
        return (stretch){(int32_t)min - 1, (int32_t)min + 1, true};
    return (stretch){(int32_t)below, -(int32_t)floor(-max), false};
}

/* Looks for a place along an edge that has pixels on both sides. */
typedef struct seam {
    const pqt_region *region;
    bool along_x;
    bool found;
} seam;

static bool
look_beside(const pqt_pixel_run *run, void *context)
{
    seam *s = context;
    if (s->along_x)
        s->found = pqt_region_any_in(
            s->region, (pqt_pixel_box){{run->min_x, run->y + 1}, {run->max_x, run->y + 2}});
    else
        s->found = run->max_x - run->min_x == 2;
    return !s->found;
}

bool
pqt_region_overlaps_box(const pqt_region *region, pqt_box box)
{
    PQT_ASSERT(region != NULL, "the region is NULL");
    if (!pqt_box_is_valid(box))
        return false;
    const stretch x = stretch_of(box.min.x, box.max.x), y = stretch_of(box.min.y, box.max.y);
    const pqt_pixel_box window = {{x.from, y.from}, {x.to, y.to}};
    if (!x.on_edge && !y.on_edge)
        return pqt_region_any_in(region, window);
    if (x.on_edge && y.on_edge)
        return pqt_region_count_in(region, window) == 4;
    seam s = {region, y.on_edge, false};
    const pqt_pixel_box upper = {window.min, {window.max.x, window.min.y + 1}};
    pqt_region_visit_runs(region, y.on_edge ? upper : window, look_beside, &s);
    return s.found;
}

/* ---- circles ---- */

/* A box never is farther from a point than a box in it, so squares tell what pixels would. */
static bool
circle_meets(const pqt_circle *circle, pqt_pixel_box box)
{
    const pqt_box square = {{box.min.x, box.min.y}, {box.max.x, box.max.y}};
    return pqt_circle_overlaps_box(*circle, square);
}

/* The nearest pixel of a run is no farther than the run. */
static bool
circle_meets_row(const pqt_circle *circle, uint64_t row, pqti_plot plot, int32_t y)
{
    for (; row != 0; row &= row - 1) {
        const int32_t x = plot.x + pqti_lowest_bit(row);
        if (circle_meets(circle, (pqt_pixel_box){{x, y}, {x + 1, y + 1}}))
            return true;
    }
    return false;
}

static bool
circle_meets_tile(const pqt_circle *circle, const pqti_tile *tile, pqti_plot plot)
{
    for (int32_t y = 0; y < PQTI_TILE_SIDE; y++) {
        const pqt_pixel_box row = {{plot.x, plot.y + y}, {plot.x + PQTI_TILE_SIDE, plot.y + y + 1}};
        if (tile->rows[y] != 0 && circle_meets(circle, row) &&
            circle_meets_row(circle, tile->rows[y], plot, plot.y + y))
            return true;
    }
    return false;
}

static bool
circle_meets_square(const pqt_circle *circle, const pqti_square *square, pqti_plot plot)
{
    if (square == PQTI_EMPTY || !circle_meets(circle, pqti_plot_box(plot)))
        return false;
    if (square == PQTI_FULL)
        return true;
    if (plot.level == PQTI_TILE_LEVEL)
        return circle_meets_tile(circle, (const pqti_tile *)square, plot);
    for (int i = 0; i < 4; i++)
        if (circle_meets_square(circle, ((const pqti_quad *)square)->child[i],
                                pqti_child_plot(plot, i)))
            return true;
    return false;
}

bool
pqt_region_overlaps_circle(const pqt_region *region, pqt_circle circle)
{
    PQT_ASSERT(region != NULL, "the region is NULL");
    if (!pqt_circle_is_valid(circle))
        return false;
    if (circle.radius == 0)
        return pqt_region_overlaps_box(region, (pqt_box){circle.centre, circle.centre});
    for (int i = 0; i < 4; i++)
        if (circle_meets_square(&circle, region->quadrant[i], pqti_quadrant_plot(region->level, i)))
            return true;
    return false;
}
