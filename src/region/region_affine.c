/* SPDX-License-Identifier: MIT */
/*
 * region_affine.c: scales, rotates and maps regions.
 *
 * The result is built from the top down. The pixels from which those of a square come are in a
 * window of the region: if it is empty or full there, so is the square. Otherwise the square is
 * divided, and each pixel of a tile is computed on its own (resample.h).
 */
#include "config.h"

#include <pqt/region_affine.h>

#include "base/error_internal.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/resample.h"
#include "region/tile.h"

typedef struct region_mapper {
    const pqt_region *region;
    pqt_pixel_box box; /* all pixels of the result are in it */
    pqti_resample resample;
} region_mapper;

/* ---- Pixels ---- */

static pqt_pixel_box
box_of_run(const pqt_pixel_run *run)
{
    return (pqt_pixel_box){{run->min_x, run->y}, {run->max_x, run->y + 1}};
}

/* The area from which a pixel comes, and how much of it is in the region. */
typedef struct covered_mapped {
    pqti_mapped_area area;
    double covered;
} covered_mapped;

static bool
add_mapped_run(const pqt_pixel_run *run, void *context)
{
    covered_mapped *at = context;
    const pqt_pixel_box box = box_of_run(run);
    at->covered += pqti_mapped_area_in(&at->area, &box);
    return true;
}

typedef struct covered_resized {
    pqti_resized_area area;
    uint64_t covered;
} covered_resized;

static bool
add_resized_run(const pqt_pixel_run *run, void *context)
{
    covered_resized *at = context;
    const pqt_pixel_box box = box_of_run(run);
    at->covered += pqti_resized_area_in(&at->area, &box);
    return true;
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
covers_half_of_mapped(const region_mapper *m, int32_t x, int32_t y)
{
    covered_mapped at = {.covered = 0};
    pqti_mapped_area_begin(&m->resample, x, y, &at.area);
    if (is_window_full(m, at.area.window))
        return true;
    if (!pqt_region_any_in(m->region, at.area.window))
        return false;
    pqt_region_visit_runs(m->region, at.area.window, add_mapped_run, &at);
    return 2 * at.covered >= at.area.whole;
}

static bool
covers_half_of_resized(const region_mapper *m, int32_t x, int32_t y)
{
    covered_resized at = {.covered = 0};
    pqti_resized_area_begin(&m->resample, x, y, &at.area);
    if (is_window_full(m, at.area.window))
        return true;
    if (!pqt_region_any_in(m->region, at.area.window))
        return false;
    pqt_region_visit_runs(m->region, at.area.window, add_resized_run, &at);
    return 2 * at.covered >= at.area.whole;
}

static bool
is_pixel_mapped(const region_mapper *m, int32_t x, int32_t y)
{
    if (m->resample.sampling == PQT_SAMPLE_NEAREST)
        return pqt_region_contains(m->region, pqti_resample_nearest(&m->resample, x, y));
    return m->resample.is_resize ? covers_half_of_resized(m, x, y) : covers_half_of_mapped(m, x, y);
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
    const pqt_pixel_box window = pqti_resample_window(&m->resample, common);
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

const pqt_region *
pqt_region_map(const pqt_region *region, pqt_affine map, pqt_sampling sampling, pqt_error *error)
{
    region_mapper m = {.region = region, .resample = {.sampling = sampling}};
    static const pqt_pixel_box most = {{-PQT_PIXEL_LIMIT, -PQT_PIXEL_LIMIT},
                                       {PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT}};
    if (!pqti_region_check_input(region, error) || !pqti_validate_sampling(sampling, error) ||
        !pqti_invert_affine(&map, &m.resample.inverse, error))
        return NULL;
    if (region->count == 0)
        return region;
    m.box = pqti_box_of_mapped(&map, pqt_region_bounds(region), 0);
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
    const region_mapper m = {
        .region = region,
        .box = to,
        .resample = {.sampling = sampling, .is_resize = true, .from = from, .to = to}};
    if (!pqti_region_check_input(region, error) || !pqti_validate_sampling(sampling, error) ||
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
