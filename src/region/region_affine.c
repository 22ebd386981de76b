/* SPDX-License-Identifier: MIT */
/*
 * region_affine.c: scales, rotates and maps regions.
 *
 * The result is built from the top down. The pixels from which those of a square come are in a
 * window of the region: if it is empty or full there, so is the square. Otherwise the square is
 * divided, and each pixel of a tile is computed on its own.
 *
 * A map takes a pixel of the result back to a parallelogram, of which the part in each run is cut
 * out (I. E. Sutherland, G. W. Hodgman, "Reentrant polygon clipping", 1974). The window of a square
 * has a margin of a pixel, which is more than what rounding displaces: positions are below 2^44, so
 * each is exact to 1/256 pixel. A resize takes a pixel back to a rectangle in whole units: if
 * `from` has n columns and `to` has m, a column of the result is n units wide, and one of the
 * region m.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include <pqt/region_affine.h>

#include "base/error_internal.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

typedef struct region_mapper {
    const pqt_region *region;
    pqt_pixel_box box; /* all pixels of the result are in it */
    pqt_sampling sampling;
    bool is_resize;
    pqt_affine inverse;     /* unless it is a resize */
    pqt_pixel_box from, to; /* of a resize */
} region_mapper;

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

/* Computes the inverse of a map. Returns false and sets an error if it has none, or if a number is
 * too large. */
static bool
invert_affine(const pqt_affine *map, pqt_affine *inverse, pqt_error *error)
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
                       "map: a number of the map or its inverse is "
                       "too large");
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

/* Returns the pixels around the corners of a mapped box. */
static pqt_pixel_box
box_of_mapped(const pqt_affine *map, pqt_pixel_box box, int32_t margin)
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

/* Returns the pixels from which those of a box, which is within the result, may come. */
static pqt_pixel_box
window_of(const region_mapper *m, pqt_pixel_box box)
{
    const pqt_pixel_box *from = &m->from, *to = &m->to;
    int64_t x[2], y[2];
    if (!m->is_resize)
        return box_of_mapped(&m->inverse, box, 1);
    resized_range(from->max.x - from->min.x, to->max.x - to->min.x, box.min.x - to->min.x,
                  box.max.x - to->min.x, x);
    resized_range(from->max.y - from->min.y, to->max.y - to->min.y, box.min.y - to->min.y,
                  box.max.y - to->min.y, y);
    return (pqt_pixel_box){{from->min.x + (int32_t)x[0], from->min.y + (int32_t)y[0]},
                           {from->min.x + (int32_t)x[1], from->min.y + (int32_t)y[1]}};
}

/* ---- Pixels ---- */

/* Returns the pixel from which the centre of a pixel comes. */
static pqt_pixel
nearest_source(const region_mapper *m, int32_t x, int32_t y)
{
    const pqt_pixel_box *from = &m->from, *to = &m->to;
    if (!m->is_resize) {
        const pqt_vec at = apply_affine(&m->inverse, x + 0.5, y + 0.5);
        return (pqt_pixel){clamp_coordinate(at.x), clamp_coordinate(at.y)};
    }
    const int64_t u = 2 * ((int64_t)x - to->min.x) + 1, v = 2 * ((int64_t)y - to->min.y) + 1;
    return (pqt_pixel){
        from->min.x + (int32_t)(u * (from->max.x - from->min.x) / (2 * (to->max.x - to->min.x))),
        from->min.y + (int32_t)(v * (from->max.y - from->min.y) / (2 * (to->max.y - to->min.y)))};
}

/* The part of a polygon on one side of a line along an axis. A parallelogram that is cut four times
 * has at most eight corners. */
typedef struct polygon {
    pqt_vec corner[8];
    int count;
} polygon;

/* Returns the coordinate of a point across a line: its y if the line is horizontal. */
static double
across(pqt_vec point, bool horizontal)
{
    return horizontal ? point.y : point.x;
}

/* Returns the part of a convex polygon at or beyond a line, or before it. */
static polygon
cut_polygon(const polygon *p, double line, bool horizontal, bool beyond)
{
    polygon cut = {.count = 0};
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
polygon_area(const polygon *p)
{
    double twice = 0;
    for (int i = 1; i + 1 < p->count; i++) {
        const pqt_vec o = p->corner[0], a = p->corner[i], b = p->corner[i + 1];
        twice += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    }
    return fabs(twice) / 2;
}

/* The area from which a pixel comes, and how much of it is in the region. */
typedef struct pixel_area {
    polygon whole; /* the corners are relative to `origin`, so that they are small */
    pqt_pixel origin;
    double covered;
    int64_t x[2], y[2];  /* of a resize: the rectangle, in units */
    int64_t column, row; /* of a resize: the units of a pixel of the region */
    pqt_pixel at;        /* of a resize: the first pixel of the box that is scaled */
    int64_t units;       /* of a resize: what is covered */
} pixel_area;

static bool
add_area(const pqt_pixel_run *run, void *context)
{
    pixel_area *area = context;
    const double y = run->y - area->origin.y;
    polygon part = cut_polygon(&area->whole, y, true, true);
    part = cut_polygon(&part, y + 1, true, false);
    part = cut_polygon(&part, run->min_x - area->origin.x, false, true);
    part = cut_polygon(&part, run->max_x - area->origin.x, false, false);
    area->covered += polygon_area(&part);
    return true;
}

static bool
covers_half_of_mapped(const region_mapper *m, int32_t x, int32_t y, pqt_pixel_box window)
{
    pixel_area area = {.whole = {.count = 4}, .origin = window.min};
    for (int i = 0; i < 4; i++) {
        const pqt_vec corner = apply_affine(&m->inverse, x + (i == 1 || i == 2), y + (i >= 2));
        area.whole.corner[i] = (pqt_vec){corner.x - window.min.x, corner.y - window.min.y};
    }
    pqt_region_visit_runs(m->region, window, add_area, &area);
    return 2 * area.covered >= polygon_area(&area.whole);
}

/* Returns the common length of two ranges. */
static int64_t
common_length(int64_t a, int64_t b, const int64_t range[2])
{
    const int64_t from = a > range[0] ? a : range[0], to = b < range[1] ? b : range[1];
    return to > from ? to - from : 0;
}

static bool
add_units(const pqt_pixel_run *run, void *context)
{
    pixel_area *area = context;
    const int64_t y = (int64_t)run->y - area->at.y;
    const int64_t height = common_length(y * area->row, (y + 1) * area->row, area->y);
    const int64_t width = common_length((run->min_x - area->at.x) * area->column,
                                        (run->max_x - area->at.x) * area->column, area->x);
    area->units += width * height;
    return true;
}

static bool
covers_half_of_resized(const region_mapper *m, int32_t x, int32_t y, pqt_pixel_box window)
{
    const pqt_pixel_box *from = &m->from, *to = &m->to;
    const int64_t width = from->max.x - from->min.x, height = from->max.y - from->min.y;
    const int64_t column = (int64_t)x - to->min.x, row = (int64_t)y - to->min.y;
    pixel_area area = {.x = {column * width, (column + 1) * width},
                       .y = {row * height, (row + 1) * height},
                       .column = to->max.x - to->min.x,
                       .row = to->max.y - to->min.y,
                       .at = from->min};
    pqt_region_visit_runs(m->region, window, add_units, &area);
    return 2 * area.units >= width * height;
}

/* Returns true if all pixels of a window are in the region. */
static bool
is_window_full(const region_mapper *m, pqt_pixel_box window)
{
    const uint64_t pixels = (uint64_t)((int64_t)window.max.x - window.min.x) *
                            (uint64_t)((int64_t)window.max.y - window.min.y);
    return pqt_region_count_in(m->region, window) == pixels;
}

static bool
is_pixel_mapped(const region_mapper *m, int32_t x, int32_t y)
{
    const pqt_pixel_box pixel = {{x, y}, {x + 1, y + 1}};
    if (m->sampling == PQT_SAMPLE_NEAREST)
        return pqt_region_contains(m->region, nearest_source(m, x, y));
    const pqt_pixel_box window =
        m->is_resize ? window_of(m, pixel) : box_of_mapped(&m->inverse, pixel, 0);
    if (!pqt_region_any_in(m->region, window))
        return false;
    if (is_window_full(m, window))
        return true;
    return m->is_resize ? covers_half_of_resized(m, x, y, window)
                        : covers_half_of_mapped(m, x, y, window);
}

/* ---- Nodes ---- */

static const pqti_rnode *
map_tile(const region_mapper *m, pqti_rcell cell, pqt_pixel_box common)
{
    uint64_t rows[PQTI_TILE_SIDE] = {0};
    for (int32_t y = common.min.y; y < common.max.y; y++)
        for (int32_t x = common.min.x; x < common.max.x; x++)
            if (is_pixel_mapped(m, x, y))
                rows[y - cell.y] |= UINT64_C(1) << (x - cell.x);
    return pqti_tile_make(m->region->memory, rows, NULL, NULL);
}

/* Makes the node of a cell. Returns NULL when out of memory. */
static const pqti_rnode *
map_node(const region_mapper *m, pqti_rcell cell)
{
    const pqti_rnode *child[4];
    const pqt_pixel_box all = pqti_rcell_box(cell), common = pqti_box_common(all, m->box);
    if (pqti_box_is_empty(common))
        return PQTI_EMPTY;
    const pqt_pixel_box window = window_of(m, common);
    if (!pqt_region_any_in(m->region, window))
        return PQTI_EMPTY;
    if (pqti_box_holds(common, all) && is_window_full(m, window))
        return PQTI_FULL;
    if (cell.level == PQTI_TILE_LEVEL)
        return map_tile(m, cell, common);
    for (int i = 0; i < 4; i++) {
        child[i] = map_node(m, pqti_rcell_child(cell, i));
        if (child[i] == NULL)
            return NULL;
    }
    return pqti_rinner_make(m->region->memory, child, cell.level, NULL);
}

static const pqt_region *
map_region(const region_mapper *m, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    int level = pqti_level_of(&m->box);
    for (int i = 0; i < 4; i++) {
        quadrant[i] = map_node(m, pqti_rcell_quadrant(level, i));
        if (quadrant[i] == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
    }
    pqti_shrink(&level, quadrant);
    const pqt_region *next = pqti_region_new(m->region->memory, level, quadrant, NULL, error);
    return next != NULL && pqt_region_equals(next, m->region) ? m->region : next;
}

static bool
check_sampling(pqt_sampling sampling, pqt_error *error)
{
    if (sampling == PQT_SAMPLE_NEAREST || sampling == PQT_SAMPLE_AREA)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "sampling: %d is not a pqt_sampling", (int)sampling);
    return false;
}

const pqt_region *
pqt_region_map(const pqt_region *region, pqt_affine map, pqt_sampling sampling, pqt_error *error)
{
    region_mapper m = {.region = region, .sampling = sampling};
    static const pqt_pixel_box most = {{-PQT_PIXEL_LIMIT, -PQT_PIXEL_LIMIT},
                                       {PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT}};
    if (!pqti_region_check_input(region, error) || !check_sampling(sampling, error) ||
        !invert_affine(&map, &m.inverse, error))
        return NULL;
    if (region->count == 0)
        return region;
    m.box = box_of_mapped(&map, pqt_region_bounds(region), 0);
    if (pqti_box_is_too_far(&m.box)) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "map: the result extends more than %d pixels from 0", PQT_PIXEL_LIMIT);
        return NULL;
    }
    /* The margin of a pixel is for what rounding displaces. */
    m.box = (pqt_pixel_box){{m.box.min.x - 1, m.box.min.y - 1}, {m.box.max.x + 1, m.box.max.y + 1}};
    m.box = pqti_box_common(m.box, most);
    return map_region(&m, error);
}

const pqt_region *
pqt_region_resize(const pqt_region *region, pqt_pixel_box from, pqt_pixel_box to,
                  pqt_sampling sampling, pqt_error *error)
{
    const region_mapper m = {.region = region,
                             .box = to,
                             .sampling = sampling,
                             .is_resize = true,
                             .from = from,
                             .to = to};
    if (!pqti_region_check_input(region, error) || !check_sampling(sampling, error) ||
        !pqti_validate_pixel_box(&from, "from", 0, error) ||
        !pqti_validate_pixel_box(&to, "to", 0, error) ||
        !pqti_validate_pixel(&from, "from", 0, error) || !pqti_validate_pixel(&to, "to", 0, error))
        return NULL;
    if (region->count == 0)
        return region;
    if (pqti_box_is_empty(from) || pqti_box_is_empty(to))
        return pqt_region_make(region->memory, error);
    return map_region(&m, error);
}
