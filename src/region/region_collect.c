/* SPDX-License-Identifier: MIT */
/* region_collect.c: arrays of what the visitors of regions visit. */
#include "config.h"

#include <string.h>

#include <pqt/region_collect.h>

#include "region/region_internal.h"

/* An array of the caller, and the number of elements that were visited. */
typedef struct collected {
    void *elements;
    size_t capacity, count;
} collected;

static bool
collect_element(collected *all, const void *element, size_t size)
{
    if (all->count < all->capacity)
        memcpy((char *)all->elements + all->count * size, element, size);
    all->count++;
    return true;
}

static bool
collect_run(const pqt_pixel_run *run, void *context)
{
    return collect_element(context, run, sizeof *run);
}

static bool
collect_box(const pqt_pixel_box *box, void *context)
{
    return collect_element(context, box, sizeof *box);
}

static bool
collect_square(const pqt_square *square, void *context)
{
    return collect_element(context, square, sizeof *square);
}

size_t
pqt_region_collect_runs(const pqt_region *region, pqt_pixel_box window, pqt_pixel_run *runs,
                        size_t capacity)
{
    PQT_ASSERT(runs != NULL || capacity == 0, "runs is NULL, and capacity is not 0");
    collected all = {runs, capacity, 0};
    PQTI_ASSERT_REGION(region);
    pqt_region_visit_runs(region, window, collect_run, &all);
    return all.count;
}

size_t
pqt_region_collect_boxes(const pqt_region *region, pqt_pixel_box window, pqt_pixel_box *boxes,
                         size_t capacity)
{
    PQT_ASSERT(boxes != NULL || capacity == 0, "boxes is NULL, and capacity is not 0");
    collected all = {boxes, capacity, 0};
    PQTI_ASSERT_REGION(region);
    pqt_region_visit_boxes(region, window, collect_box, &all);
    return all.count;
}

size_t
pqt_region_collect_squares(const pqt_region *region, pqt_square *squares, size_t capacity)
{
    PQT_ASSERT(squares != NULL || capacity == 0, "squares is NULL, and capacity is not 0");
    collected all = {squares, capacity, 0};
    PQTI_ASSERT_REGION(region);
    pqt_region_visit_squares(region, collect_square, &all);
    return all.count;
}

size_t
pqt_region_collect_diff(const pqt_region *before, const pqt_region *after, pqt_pixel_box *boxes,
                        size_t capacity)
{
    PQT_ASSERT(boxes != NULL || capacity == 0, "boxes is NULL, and capacity is not 0");
    collected all = {boxes, capacity, 0};
    PQTI_ASSERT_REGION(before);
    PQTI_ASSERT_REGION(after);
    pqt_region_visit_diff(before, after, collect_box, &all);
    return all.count;
}

static bool
collect_contour(const pqt_contour *contour, void *context)
{
    pqt_contour_arrays *arrays = context;
    /* While contours are written, the corners of all of them fitted. */
    if (arrays->contour_count < arrays->contour_capacity &&
        contour->count <= arrays->corner_capacity - arrays->corner_count) {
        pqt_pixel *corners = arrays->corners + arrays->corner_count;
        memcpy(corners, contour->corners, contour->count * sizeof *corners);
        arrays->contours[arrays->contour_count] = *contour;
        arrays->contours[arrays->contour_count].corners = corners;
    } else if (arrays->contour_count < arrays->contour_capacity) {
        arrays->contour_capacity = arrays->contour_count; /* no other one is written */
    }
    arrays->corner_count += contour->count;
    arrays->contour_count++;
    return true;
}

bool
pqt_region_collect_contours(const pqt_region *region, pqt_connectivity connectivity,
                            double tolerance, pqt_contour_arrays *arrays, pqt_error *error)
{
    PQT_ASSERT(arrays != NULL, "arrays is NULL");
    PQT_ASSERT(arrays->corners != NULL || arrays->corner_capacity == 0,
               "corners is NULL, and corner_capacity is not 0");
    PQT_ASSERT(arrays->contours != NULL || arrays->contour_capacity == 0,
               "contours is NULL, and contour_capacity is not 0");
    pqt_contour_arrays found = *arrays;
    found.corner_count = 0;
    found.contour_count = 0;
    if (!pqti_region_check_input(region, error) ||
        !pqt_region_visit_contours(region, connectivity, tolerance, collect_contour, &found, error))
        return false;
    arrays->corner_count = found.corner_count;
    arrays->contour_count = found.contour_count;
    return true;
}
