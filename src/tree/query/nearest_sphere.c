/* SPDX-License-Identifier: MIT */
/*
 * nearest_sphere.c: finds the k items that are nearest to a point along great circles.
 *
 * The key of an item is pqt_sphere_distance. Items and quadrants are compared by their haversines,
 * which have the same order and need no arctangent. A box around items is not farther away than the
 * items, but rounding may make it seem so by up to PQTI_HAVERSINE_ERROR, which is subtracted.
 *
 * The farthest point of a box is the one that is nearest to the opposite point of the sphere. So
 * the distance from there bounds the distances in a box from above.
 *
 * The search is that of nearest.c; see knn_template.h.
 */
#include "config.h"

#include "tree/query/nearest_sphere.h"

#include "base/sphere_internal.h"
#include "base/validate.h"
#include "tree/query/child_dist.h"

typedef pqt_near result;

typedef struct nearest_sphere_params {
    pqti_sphere_point from;
    pqti_sphere_point opposite; /* the opposite point of the sphere */
    /* a frame at the origin, which converts the columns of quadrants to longitudes and latitudes */
    pqti_query_frame frame;
} nearest_sphere_params;

#define KNN_NAME(name) nearest_sphere_##name
#include "tree/query/knn_results_template.h"

/* ---- Limits ---- */

static void
nearest_sphere_measure_worst(knn_search *search)
{
    search->measured.worst_wanted = pqti_haversine_of_metres(search->limits.worst_wanted);
}

/* Sets a haversine that is certainly below that of the last result. */
static void
nearest_sphere_measure_last(knn_search *search)
{
    search->measured.last_found = -1;
    if (search->limits.last_found >= 0)
        search->measured.last_found =
            pqti_haversine_of_metres(search->limits.last_found) * (1 - 0x1p-39) -
            PQTI_HAVERSINE_ERROR;
}

/* ---- Items ---- */

static void
nearest_sphere_scan_leaf(knn_search *search, const void *leaf, uint32_t count, uint32_t rank)
{
    const pqti_leaf_view view = pqti_view(leaf, count);
    for (uint32_t i = 0; i < count; i++) {
        const pqt_box box = pqti_view_item(view, i).box;
        if (!pqti_is_on_sphere(&box))
            continue;
        const double haversine = pqti_haversine(&search->params.from, &box);
        if (haversine <= search->measured.worst_wanted)
            offer_item(search, view, count, i, pqti_metres_of_haversine(haversine), rank + i);
    }
}

/* ---- Boxes around items ---- */

/* Returns true if a box around items has a part on the sphere, and sets it. */
static bool
part_on_sphere(pqt_box box, pqt_box *part)
{
    *part = pqti_part_on_sphere(&box);
    return part->min.x <= part->max.x && part->min.y <= part->max.y;
}

/* Returns a lower bound on the haversines to the items in a box. */
static double
least_haversine(const knn_search *search, const pqt_box *box)
{
    return pqti_fmax(0, pqti_haversine(&search->params.from, box) - PQTI_HAVERSINE_ERROR);
}

/* Returns an upper bound on them. */
static double
greatest_haversine(const knn_search *search, const pqt_box *box)
{
    return 1 - pqti_haversine(&search->params.opposite, box) + 2 * PQTI_HAVERSINE_ERROR;
}

static double
bound_of_box(const knn_search *search, pqt_box box)
{
    pqt_box part;
    if (!part_on_sphere(box, &part))
        return INFINITY;
    if (search->limits.last_found >= 0 &&
        greatest_haversine(search, &part) < search->measured.last_found)
        return INFINITY;
    return least_haversine(search, &part);
}

static bool
nearest_sphere_find_least_key(const knn_search *search, const pqti_side_range *side_range,
                              double *key)
{
    const pqt_box box = pqti_side_range_box(side_range);
    pqt_box part;
    if (pqti_all_boxes_equal(side_range)) {
        *key = pqti_metres_of_haversine(pqti_haversine(&search->params.from, &box));
        return pqti_is_on_sphere(&box);
    }
    if (!part_on_sphere(box, &part))
        return false;
    /* the factor covers the rounding errors of the conversion to metres */
    *key = pqti_metres_of_haversine(least_haversine(search, &part)) * (1 - 0x1p-40);
    return true;
}

/* Any quadrant may hold items beyond the bounds, which may be near on the other side of the sphere,
   so the outer columns have no outer side. */
static const limits *
nearest_sphere_bound_quadrants(const knn_search *search, const pqti_inner *node, bool outliers,
                               double bounds[PQTI_QUADRANTS])
{
    pqti_child_dist dist;
    pqti_child_dist_to(&search->params.frame, node, outliers, &dist);
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        const int pair = i / 2, lane = i % 2;
        const pqt_box half = {
            {pqti_f64x2_lane(dist.begin_x[pair], lane), pqti_f64x2_lane(dist.begin_y[pair], lane)},
            {pqti_f64x2_lane(dist.end_x[pair], lane), pqti_f64x2_lane(dist.end_y[pair], lane)}};
        bounds[i] = node->count[i] == 0
                        ? INFINITY
                        : bound_of_box(search, (pqt_box){{2 * half.min.x, 2 * half.min.y},
                                                         {2 * half.max.x, 2 * half.max.y}});
    }
    return &search->measured;
}

/* ---- Queries ---- */

/* Returns the opposite point of the sphere. */
static pqt_vec
opposite_of(pqt_vec point)
{
    return (pqt_vec){point.x <= 0 ? point.x + 180 : point.x - 180, -point.y};
}

/* Prepares a search. Returns false if it can find nothing. */
static bool
prepare(knn_search *search, const pqt_tree *tree, pqt_vec from, const pqt_nearest_options *options)
{
    const pqt_box at = {from, from};
    if (!pqti_is_on_sphere(&at) || !(options->max_distance >= 0))
        return false;
    const pqti_domain *domain = tree->domain;
    search->params.from = pqti_sphere_point_of(from);
    search->params.opposite = pqti_sphere_point_of(opposite_of(from));
    search->params.frame =
        pqti_query_frame_opened((pqti_query_frame){pqti_query_axis_of(&domain->x, 0, 0, 1, true),
                                                   pqti_query_axis_of(&domain->y, 0, 0, 1, true)});
    search->filter = options->filter;
    search->context = options->context;
    search->stats = options->stats;
    prepare_knn(search, tree, from, options->max_distance + 0.0);
    return true;
}

static pqt_near
nearest_sphere_result_of(const knn_search *search, pqt_item item, double key, uint32_t rank)
{
    (void)search;
    return (pqt_near){item, key, rank};
}

size_t
pqti_nearest_on_sphere(const pqt_tree *tree, pqt_vec from, const pqt_nearest_options *options,
                       pqt_near *found, size_t capacity)
{
    knn_search search;
    if (capacity == 0 || !prepare(&search, tree, from, options))
        return 0;
    return find_many(&search, tree, found, capacity).count;
}

bool
pqti_visit_nearest_on_sphere(const pqt_tree *tree, pqt_vec from, const pqt_nearest_options *options,
                             pqt_visit_near_fn *visit, void *context)
{
    knn_search search;
    return !prepare(&search, tree, from, options) || visit_in_order(&search, tree, visit, context);
}
