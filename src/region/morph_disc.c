/* SPDX-License-Identifier: MIT */
/*
 * morph_disc.c: dilates and erodes regions by a radius, by painting strokes.
 *
 * The pixels within a radius of a run of pixels are those of the stroke between the centres of its
 * ends: the point of that segment that is nearest to the centre of a pixel is the centre of a pixel
 * of the run. It is enough to paint along the outline: a path of steps over edges from an inner
 * pixel to an outer one, on which the distance to the outer one never grows, leaves the region
 * through a pixel of the outline.
 *
 * An erosion clears the strokes around the pixels outside that are next to the region.
 */
#include "config.h"

#include <pqt/region_morph.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"

/* The strokes around the boxes of a region. */
typedef struct disc_strokes {
    pqt_paint_op op;
    double radius;
    pqt_paint *paints; /* NULL: the strokes are only counted */
    size_t count;
} disc_strokes;

/* Adds a stroke for each row of a box, or for each column if these are fewer. */
static bool
add_strokes(const pqt_pixel_box *box, void *context)
{
    disc_strokes *all = context;
    const int32_t width = box->max.x - box->min.x, height = box->max.y - box->min.y;
    const bool is_wide = width >= height;
    for (int32_t i = 0; i < (is_wide ? height : width); i++) {
        const pqt_vec from = {box->min.x + (is_wide ? 0 : i) + 0.5,
                              box->min.y + (is_wide ? i : 0) + 0.5};
        const pqt_vec to = {is_wide ? box->max.x - 0.5 : from.x,
                            is_wide ? from.y : box->max.y - 0.5};
        if (all->paints != NULL)
            all->paints[all->count] = pqt_paint_stroke(all->op, from, to, all->radius);
        all->count++;
    }
    return true;
}

/* Returns the radius in whole pixels, rounded down after it was rounded to 1/1024 pixel. */
static int32_t
whole_radius(double radius)
{
    return (int32_t)((int64_t)(radius * 1024 + 0.5) / 1024);
}

/* Paints the strokes around the pixels of `centres`, and the boxes, into a region. */
static const pqt_region *
paint_discs(const pqt_region *region, const pqt_region *centres, disc_strokes strokes,
            const pqt_pixel_box *boxes, size_t box_count, pqt_error *error)
{
    const pqt_pixel_box all = pqt_region_bounds(centres);
    pqt_region_visit_boxes(centres, all, add_strokes, &strokes);
    strokes.paints = pqti_alloc_scratch(strokes.count + box_count, sizeof *strokes.paints);
    if (strokes.paints == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    strokes.count = 0;
    pqt_region_visit_boxes(centres, all, add_strokes, &strokes);
    for (size_t i = 0; i < box_count; i++)
        strokes.paints[strokes.count++] = pqt_paint_box(strokes.op, boxes[i]);
    const pqt_region *next = pqt_region_paint_all(region, strokes.paints, strokes.count, error);
    pqti_free_scratch(strokes.paints);
    return next;
}

static bool
check_radius(const char *function, const pqt_region *region, double radius, pqt_error *error)
{
    if (!pqti_region_may_go_on_in(function, region, error))
        return false;
    if (!(radius >= 0))
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "radius: %g is not a number of at least 0",
                       radius);
    else if (radius > PQT_PIXEL_LIMIT)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "radius: %g is above %d", radius,
                       PQT_PIXEL_LIMIT);
    else
        return true;
    return false;
}

const pqt_region *
pqt_region_dilate_disc(const pqt_region *region, double radius, pqt_error *error)
{
    if (!check_radius(__func__, region, radius, error))
        return NULL;
    const pqt_pixel_box all = pqt_region_bounds(region);
    const int32_t whole = whole_radius(radius), limit = PQT_PIXEL_LIMIT - whole;
    if (region->count == 0 || whole == 0)
        return region;
    if (all.min.x < -limit || all.min.y < -limit || all.max.x > limit || all.max.y > limit) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "radius: %g: the region extends more than %d pixels from 0", radius,
                       PQT_PIXEL_LIMIT);
        return NULL;
    }
    const disc_strokes strokes = {.op = PQT_PAINT_SET, .radius = radius};
    if (!pqti_scope_begin(region->memory, error))
        return NULL;
    const pqt_region *edge = pqt_region_outline(region, PQT_CONNECTIVITY_4, error);
    const pqt_region *next =
        edge != NULL ? paint_discs(region, edge, strokes, NULL, 0, error) : NULL;
    pqti_scope_end(region->memory);
    return next;
}

/* Returns the pixels outside that are next to a region, and others outside around its bounds. */
static const pqt_region *
outer_edge(const pqt_region *region, pqt_error *error)
{
    static const pqt_pixel_box most = {{-PQT_PIXEL_LIMIT, -PQT_PIXEL_LIMIT},
                                       {PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT}};
    const pqt_pixel_box all = pqt_region_bounds(region);
    const pqt_pixel_box around = {{all.min.x - 1, all.min.y - 1}, {all.max.x + 1, all.max.y + 1}};
    const pqt_region *outside = pqt_region_complement(region, pqti_box_common(around, most), error);
    return outside != NULL ? pqt_region_outline(outside, PQT_CONNECTIVITY_4, error) : NULL;
}

const pqt_region *
pqt_region_erode_disc(const pqt_region *region, double radius, pqt_error *error)
{
    if (!check_radius(__func__, region, radius, error))
        return NULL;
    const int32_t limit = PQT_PIXEL_LIMIT, whole = whole_radius(radius);
    if (region->count == 0 || whole == 0)
        return region;
    /* The pixels within the radius of a pixel beyond the limit. */
    const pqt_pixel_box beyond[] = {{{-limit, -limit}, {limit, -limit + whole}},
                                    {{-limit, limit - whole}, {limit, limit}},
                                    {{-limit, -limit}, {-limit + whole, limit}},
                                    {{limit - whole, -limit}, {limit, limit}}};
    const disc_strokes strokes = {.op = PQT_PAINT_CLEAR, .radius = radius};
    if (!pqti_scope_begin(region->memory, error))
        return NULL;
    const pqt_region *edge = outer_edge(region, error);
    const pqt_region *next =
        edge != NULL ? paint_discs(region, edge, strokes, beyond, 4, error) : NULL;
    pqti_scope_end(region->memory);
    return next;
}
