/* SPDX-License-Identifier: MIT */
/*
 * morph.c: dilates and erodes regions and computes their outlines, by unions and intersections of
 * moved copies.
 *
 * Dilation by r and then by t equals dilation by r + t. After r steps, the result of t more steps
 * is the union of copies that are moved by t in each direction, if t is small enough to leave no
 * gaps:
 *
 *     a square of r, moved by -t, 0 and t on each axis, is a square of r + t for t <= 2 r + 1;
 *     a diamond of r, moved by t in four directions, is a diamond of r + t for t <= r, or t = 1.
 *
 * So each round at least doubles the number of steps. Erosion is a dilation of the complement, so
 * it uses intersections in place of unions.
 */
#include "config.h"

#include "base/error_internal.h"
#include "region/region_internal.h"

typedef const pqt_region *combine_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                     pqt_error *error);

bool
pqti_validate_connectivity(pqt_connectivity connectivity, pqt_error *error)
{
    if (connectivity == PQT_CONNECTIVITY_4 || connectivity == PQT_CONNECTIVITY_8)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "connectivity: %d is neither 4 nor 8",
                   (int)connectivity);
    return false;
}

/* Combines `to` with copies of `moved` at the offsets (dx, dy) and (-dx, -dy). */
static const pqt_region *
combine_moved(combine_fn *combine, const pqt_region *to, const pqt_region *moved, int32_t dx,
              int32_t dy, pqt_error *error)
{
    to = combine(to, moved, (pqt_pixel){dx, dy}, error);
    return combine(to, moved, (pqt_pixel){-dx, -dy}, error);
}

static const pqt_region *
dilate_by_square(combine_fn *combine, const pqt_region *region, int32_t by, pqt_error *error)
{
    region = combine_moved(combine, region, region, by, 0, error);
    return combine_moved(combine, region, region, 0, by, error);
}

static const pqt_region *
dilate_by_diamond(combine_fn *combine, const pqt_region *region, int32_t by, pqt_error *error)
{
    const pqt_region *wide = combine_moved(combine, region, region, by, 0, error);
    return combine_moved(combine, wide, region, 0, by, error);
}

static bool
check_dilation(const char *function, const pqt_region *region, int32_t steps,
               pqt_connectivity connectivity, pqt_error *error)
{
    if (!pqti_region_may_go_on_in(function, region, error) ||
        !pqti_validate_connectivity(connectivity, error))
        return false;
    if (steps < 0)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "steps: %d is negative", steps);
    return steps >= 0;
}

/* Returns false and sets an error if the dilated region would exceed PQT_PIXEL_LIMIT. */
static bool
has_space_to_grow(const pqt_region *region, int32_t steps, pqt_error *error)
{
    const pqt_pixel_box box = pqt_region_bounds(region);
    const int64_t limit = (int64_t)PQT_PIXEL_LIMIT - steps;
    if (region->count == 0 ||
        (box.min.x >= -limit && box.min.y >= -limit && box.max.x <= limit && box.max.y <= limit))
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                   "steps: %d: the region extends more than %d pixels from 0", steps,
                   PQT_PIXEL_LIMIT);
    return false;
}

static const pqt_region *
dilate_in_steps(combine_fn *combine, const pqt_region *region, int32_t steps, bool is_square,
                pqt_error *error)
{
    for (int32_t done = 0, by; done < steps && region != NULL && region->count > 0; done += by) {
        PQT_INVARIANT(done <= 2 * PQT_PIXEL_LIMIT, "a region is dilated beyond its limits");
        const int32_t most = is_square ? 2 * done + 1 : done + (done == 0);
        by = steps - done < most ? steps - done : most;
        region = is_square ? dilate_by_square(combine, region, by, error)
                           : dilate_by_diamond(combine, region, by, error);
    }
    return region;
}

const pqt_region *
pqt_region_dilate(const pqt_region *region, int32_t steps, pqt_connectivity connectivity,
                  pqt_error *error)
{
    if (!check_dilation(__func__, region, steps, connectivity, error) ||
        !has_space_to_grow(region, steps, error))
        return NULL;
    return dilate_in_steps(pqt_region_union, region, steps, connectivity == PQT_CONNECTIVITY_8,
                           error);
}

const pqt_region *
pqt_region_erode(const pqt_region *region, int32_t steps, pqt_connectivity connectivity,
                 pqt_error *error)
{
    if (!check_dilation(__func__, region, steps, connectivity, error))
        return NULL;
    return dilate_in_steps(pqt_region_intersection, region, steps,
                           connectivity == PQT_CONNECTIVITY_8, error);
}

const pqt_region *
pqt_region_outline(const pqt_region *region, pqt_connectivity connectivity, pqt_error *error)
{
    if (!check_dilation(__func__, region, 1, connectivity, error))
        return NULL;
    const pqt_region *inside = pqt_region_erode(region, 1, connectivity, error);
    return pqt_region_difference(region, inside, (pqt_pixel){0, 0}, error);
}
