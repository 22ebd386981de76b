/* SPDX-License-Identifier: MIT */
/*
 * resample.c: finds the pixels from which those of a mapped or resized picture come.
 *
 * A map takes a pixel of the result back to a parallelogram, of which the part in a box is cut out
 * (I. E. Sutherland, G. W. Hodgman, "Reentrant polygon clipping", 1974). A resize takes a pixel
 * back to a rectangle in whole units: if `from` has n columns and `to` has m, a column of the
 * result is n units wide, and one of the source m.
 */
#include "config.h"

#include "region/resample.h"

#include <math.h>

#include "base/error_internal.h"
#include "region/region_internal.h"

/* ---- Maps ---- */

pqt_affine
pqt_affine_rotation(pqt_vec heading, pqt_vec centre)
{
    const pqt_vec unit = pqt_vec_normalize(heading);
    return (pqt_affine){.xx = unit.x,
                        .xy = -unit.y,
                        .dx = centre.x - unit.x * centre.x + unit.y * centre.y,
                        .yx = unit.y,
                        .yy = unit.x,
                        .dy = centre.y - unit.y * centre.x - unit.x * centre.y};
}

pqt_affine
pqt_affine_scaling(pqt_vec factors, pqt_vec centre)
{
    return (pqt_affine){.xx = factors.x,
                        .dx = centre.x - factors.x * centre.x,
                        .yy = factors.y,
                        .dy = centre.y - factors.y * centre.y};
}

static pqt_vec
apply_affine(const pqt_affine *map, double x, double y)
{
    return (pqt_vec){map->xx * x + map->xy * y + map->dx, map->yx * x + map->yy * y + map->dy};
}

pqt_affine
pqt_affine_compose(pqt_affine first, pqt_affine then)
{
    const pqt_vec d = apply_affine(&then, first.dx, first.dy);
    return (pqt_affine){.xx = then.xx * first.xx + then.xy * first.yx,
                        .xy = then.xx * first.xy + then.xy * first.yy,
                        .dx = d.x,
                        .yx = then.yx * first.xx + then.yy * first.yx,
                        .yy = then.yx * first.xy + then.yy * first.yy,
                        .dy = d.y};
}

static bool
is_matrix_within(const pqt_affine *map, double most)
{
    return fabs(map->xx) <= most && fabs(map->xy) <= most && fabs(map->yx) <= most &&
           fabs(map->yy) <= most;
}

bool
pqti_invert_affine(const pqt_affine *map, pqt_affine *inverse, pqt_error *error)
{
    const double det = map->xx * map->yy - map->xy * map->yx;
    const double most = PQT_PIXEL_LIMIT, far = 4.0 * PQT_PIXEL_LIMIT;
    *inverse = (pqt_affine){
        .xx = map->yy / det, .xy = -map->xy / det, .yx = -map->yx / det, .yy = map->xx / det};
    const pqt_vec d = apply_affine(inverse, map->dx, map->dy);
    inverse->dx = -d.x;
    inverse->dy = -d.y;
    if (!(fabs(det) > 0) || !isfinite(det) || !isfinite(map->dx) || !isfinite(map->dy))
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "map: the matrix has no inverse");
    else if (!is_matrix_within(map, most) || !is_matrix_within(inverse, most) ||
             fabs(map->dx) > far || fabs(map->dy) > far)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "map: a number of the map or its inverse is too large");
    else
        return true;
    return false;
}

/* ---- Windows ---- */

static int32_t
clamp_coordinate(double value)
{
    const double most = 2.0 * PQT_PIXEL_LIMIT;
    return (int32_t)(value < -most ? -most : value > most ? most : floor(value));
}

pqt_pixel_box
pqti_box_of_mapped(const pqt_affine *map, pqt_pixel_box box, int32_t margin)
{
    pqt_vec min = apply_affine(map, box.min.x, box.min.y), max = min;
    for (int i = 1; i < 4; i++) {
        const pqt_vec corner =
            apply_affine(map, i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y);
        min.x = corner.x < min.x ? corner.x : min.x;
        min.y = corner.y < min.y ? corner.y : min.y;
        max.x = corner.x > max.x ? corner.x : max.x;
        max.y = corner.y > max.y ? corner.y : max.y;
    }
    return (pqt_pixel_box){
        {clamp_coordinate(min.x) - margin, clamp_coordinate(min.y) - margin},
        {-clamp_coordinate(-max.x) + margin, -clamp_coordinate(-max.y) + margin}};
}

/* Returns the columns, or rows, from which those of the result from..to - 1 come. Both are relative
 * to the boxes of a resize, which have n and m columns. */
static void
resized_range(int64_t n, int64_t m, int64_t from, int64_t to, int64_t range[2])
{
    range[0] = from * n / m;
    range[1] = (to * n + m - 1) / m;
}

pqt_pixel_box
pqti_resample_window(const pqti_resample *r, pqt_pixel_box box)
{
    const pqt_pixel_box *from = &r->from, *to = &r->to;
    int64_t x[2], y[2];
    if (!r->is_resize)
        return pqti_box_of_mapped(&r->inverse, box, 1);
    resized_range(from->max.x - from->min.x, to->max.x - to->min.x, box.min.x - to->min.x,
                  box.max.x - to->min.x, x);
    resized_range(from->max.y - from->min.y, to->max.y - to->min.y, box.min.y - to->min.y,
                  box.max.y - to->min.y, y);
    return (pqt_pixel_box){{from->min.x + (int32_t)x[0], from->min.y + (int32_t)y[0]},
                           {from->min.x + (int32_t)x[1], from->min.y + (int32_t)y[1]}};
}

/* ---- Pixels ---- */

pqt_pixel
pqti_resample_nearest(const pqti_resample *r, int32_t x, int32_t y)
{
    const pqt_pixel_box *from = &r->from, *to = &r->to;
    if (!r->is_resize) {
        const pqt_vec at = apply_affine(&r->inverse, x + 0.5, y + 0.5);
        return (pqt_pixel){clamp_coordinate(at.x), clamp_coordinate(at.y)};
    }
    const int64_t u = 2 * ((int64_t)x - to->min.x) + 1, v = 2 * ((int64_t)y - to->min.y) + 1;
    return (pqt_pixel){
        from->min.x + (int32_t)(u * (from->max.x - from->min.x) / (2 * (to->max.x - to->min.x))),
        from->min.y + (int32_t)(v * (from->max.y - from->min.y) / (2 * (to->max.y - to->min.y)))};
}

/* ---- Areas ---- */

/* Returns the coordinate of a point across a line: its y if the line is horizontal. */
static double
across(pqt_vec point, bool horizontal)
{
    return horizontal ? point.y : point.x;
}

/* Returns the part of a convex polygon at or beyond a line, or before it. */
static pqti_polygon
cut_polygon(const pqti_polygon *p, double line, bool horizontal, bool beyond)
{
    pqti_polygon cut = {.count = 0};
    for (int i = 0; i < p->count; i++) {
        const pqt_vec a = p->corner[i], b = p->corner[(i + 1) % p->count];
        const double from = across(a, horizontal) - line, to = across(b, horizontal) - line;
        if (beyond ? from >= 0 : from <= 0)
            cut.corner[cut.count++] = a;
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
            const double share = from / (from - to);
            cut.corner[cut.count++] =
                (pqt_vec){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
        }
    }
    return cut;
}

static double
polygon_area(const pqti_polygon *p)
{
    double twice = 0;
    for (int i = 1; i + 1 < p->count; i++) {
        const pqt_vec o = p->corner[0], a = p->corner[i], b = p->corner[i + 1];
        twice += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    }
    return fabs(twice) / 2;
}

/* Returns the common length of two ranges. */
static int64_t
common_length(int64_t a, int64_t b, const int64_t range[2])
{
    const int64_t from = a > range[0] ? a : range[0], to = b < range[1] ? b : range[1];
    return to > from ? to - from : 0;
}

void
pqti_mapped_area_begin(const pqti_resample *r, int32_t x, int32_t y, pqti_mapped_area *area)
{
    const pqt_pixel_box pixel = {{x, y}, {x + 1, y + 1}};
    area->window = pqti_box_of_mapped(&r->inverse, pixel, 0);
    area->polygon.count = 4;
    for (int i = 0; i < 4; i++) {
        const pqt_vec corner = apply_affine(&r->inverse, x + (i == 1 || i == 2), y + (i >= 2));
        area->polygon.corner[i] =
            (pqt_vec){corner.x - area->window.min.x, corner.y - area->window.min.y};
    }
    area->whole = polygon_area(&area->polygon);
}

double
pqti_mapped_area_in(const pqti_mapped_area *area, const pqt_pixel_box *box)
{
    const pqt_pixel origin = area->window.min;
    pqti_polygon part = cut_polygon(&area->polygon, box->min.y - origin.y, true, true);
    part = cut_polygon(&part, box->max.y - origin.y, true, false);
    part = cut_polygon(&part, box->min.x - origin.x, false, true);
    part = cut_polygon(&part, box->max.x - origin.x, false, false);
    return polygon_area(&part);
}

void
pqti_resized_area_begin(const pqti_resample *r, int32_t x, int32_t y, pqti_resized_area *area)
{
    const pqt_pixel_box *from = &r->from, *to = &r->to;
    const pqt_pixel_box pixel = {{x, y}, {x + 1, y + 1}};
    const int64_t width = from->max.x - from->min.x, height = from->max.y - from->min.y;
    const int64_t column = (int64_t)x - to->min.x, row = (int64_t)y - to->min.y;
    area->window = pqti_resample_window(r, pixel);
    area->x[0] = column * width;
    area->x[1] = (column + 1) * width;
    area->y[0] = row * height;
    area->y[1] = (row + 1) * height;
    area->column = to->max.x - to->min.x;
    area->row = to->max.y - to->min.y;
    area->first = from->min;
    area->whole = (uint64_t)(width * height);
}

uint64_t
pqti_resized_area_in(const pqti_resized_area *area, const pqt_pixel_box *box)
{
    const int64_t left = (int64_t)box->min.x - area->first.x;
    const int64_t right = (int64_t)box->max.x - area->first.x;
    const int64_t top = (int64_t)box->min.y - area->first.y;
    const int64_t bottom = (int64_t)box->max.y - area->first.y;
    return (uint64_t)(common_length(left * area->column, right * area->column, area->x) *
                      common_length(top * area->row, bottom * area->row, area->y));
}

/* ---- Arguments ---- */

bool
pqti_validate_sampling(pqt_sampling sampling, pqt_error *error)
{
    if (sampling == PQT_SAMPLE_NEAREST || sampling == PQT_SAMPLE_AREA)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "sampling: %d is not a pqt_sampling", (int)sampling);
    return false;
}
