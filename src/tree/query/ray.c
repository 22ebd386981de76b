/* SPDX-License-Identifier: MIT */
/*
 * ray.c: finds the items that a segment or a ray hits, from front to back.
 *
 * segment_internal.h decides each hit exactly. This file only rejects most items beforehand, so it
 * may err on the safe side. The items of a leaf are compared with the bounding box of that part of
 * the line on which hits are still wanted. Then two corners of each item are compared with the line
 * itself, with the same error bound as in segment.c.
 *
 * Quadrants are skipped by the times at which the line enters and leaves them (slab.h).
 */
#include "config.h"

#include <pqt/ray.h>

#include <pqt/segment.h>

#include "base/error_internal.h"
#include "base/segment_internal.h"
#include "base/validate.h"
#include "tree/query/slab.h"

typedef pqt_ray_hit result;

/* Error bounds for the comparison: the error relative to the products, and the error of products
   of tiny numbers. See segment.c. */
#define CORNER_ERROR 0x1p-50
#define CORNER_LOSS 0x1p-1060

typedef struct ray_params {
    pqti_prepared_ray ray;
    pqti_slabs slabs;
    pqt_box window;  /* the bounding box of the line up to the greatest wanted entry */
    bool by_corners; /* true if corners can be compared with the line */
} ray_params;

#define KNN_NAME(name) ray_##name
#include "tree/query/knn_results_template.h"

/* Converts the greatest wanted key to a time, by which items are measured here. */
static void
ray_measure_worst(knn_search *search)
{
    ray_params *params = &search->params;
    search->measured.worst_wanted = pqti_slabs_worst(&params->slabs, search->limits.worst_wanted);
    params->window = pqti_prepared_ray_box_until(&params->ray, search->limits.worst_wanted);
}

static void
ray_measure_last(knn_search *search)
{
    search->measured.last_found = pqti_slabs_last(&search->params.slabs, search->limits.last_found);
}

/* ---- Items ---- */

/* Returns the lanes in which boxes touch `box`. */
static inline pqti_mask64x2
touch_box(const pqt_box *box, pqti_f64x2 min_x, pqti_f64x2 min_y, pqti_f64x2 max_x,
          pqti_f64x2 max_y)
{
    const pqti_mask64x2 x = pqti_mask64x2_and(pqti_f64x2_le(min_x, pqti_f64x2_splat(box->max.x)),
                                              pqti_f64x2_ge(max_x, pqti_f64x2_splat(box->min.x)));
    const pqti_mask64x2 y = pqti_mask64x2_and(pqti_f64x2_le(min_y, pqti_f64x2_splat(box->max.y)),
                                              pqti_f64x2_ge(max_y, pqti_f64x2_splat(box->min.y)));
    return pqti_mask64x2_and(x, y);
}

/* Returns the lanes whose corner x, y is certainly below the line. A line that leads to the left
   is regarded as reversed. If `sign` is -1, returns the lanes whose corner is certainly above
   the line. After an overflow, no lane is set. */
static inline pqti_mask64x2
is_off(const pqti_prepared_ray *ray, pqti_f64x2 x, pqti_f64x2 y, double sign)
{
    double side = ray->sign_x > 0 ? sign : -sign;
    pqti_f64x2 left =
        pqti_f64x2_scale(pqti_f64x2_sub(y, pqti_f64x2_splat(ray->from.y)), ray->dir.x);
    pqti_f64x2 right =
        pqti_f64x2_scale(pqti_f64x2_sub(x, pqti_f64x2_splat(ray->from.x)), ray->dir.y);
    pqti_f64x2 error = pqti_f64x2_add(pqti_f64x2_abs(left), pqti_f64x2_abs(right));
    pqti_f64x2 limit =
        pqti_f64x2_add(pqti_f64x2_scale(error, CORNER_ERROR), pqti_f64x2_splat(CORNER_LOSS));
    return pqti_f64x2_gt(pqti_f64x2_scale(pqti_f64x2_sub(left, right), side), limit);
}

/* Returns the lanes whose items the line may hit. */
static inline pqti_mask64x2
may_touch(const ray_params *params, pqti_leaf_view view, uint32_t i)
{
    pqti_f64x2 min_x = pqti_f64x2_load(view.min_x + i), max_x = pqti_f64x2_load(view.max_x + i);
    pqti_f64x2 min_y = pqti_f64x2_load(view.min_y + i), max_y = pqti_f64x2_load(view.max_y + i);
    pqti_mask64x2 touch = touch_box(&params->window, min_x, min_y, max_x, max_y);
    if (!params->by_corners)
        return touch;
    bool falls = params->ray.sign_x == params->ray.sign_y;
    pqti_mask64x2 below = is_off(&params->ray, falls ? max_x : min_x, min_y, 1);
    pqti_mask64x2 above = is_off(&params->ray, falls ? min_x : max_x, max_y, -1);
    return pqti_mask64x2_and_not(pqti_mask64x2_and_not(touch, below), above);
}

static pqt_ray_hit
hit_of(const pqti_prepared_ray *ray, pqt_item item, size_t rank)
{
    pqti_slab_clip clip = pqti_prepared_ray_clip(ray, &item.box);
    return (pqt_ray_hit){
        .hit = true,
        .inside = clip.entry == 0,
        .item = item,
        .entry = clip.entry,
        .exit = clip.exit,
        .normal = clip.normal,
        .rank = rank,
    };
}

/* Tests an item exactly. Compares keys and ranks before the exact touch test, because most items
   that the line misses or hits too late fail this cheaper comparison. */
static void
clip_leaf_item(knn_search *search, pqti_leaf_view view, uint32_t count, uint32_t i, uint32_t rank)
{
    const ray_params *params = &search->params;
    pqt_item item = pqti_view_item(view, i);
    double entry = pqti_prepared_ray_enter(&params->ray, &item.box);
    if (is_wanted(search, pqti_bits_of(entry), rank) &&
        pqti_prepared_ray_touches(&params->ray, &item.box))
        offer_item(search, view, count, i, entry, rank);
}

/* In a leaf with an odd count, the last pair is read beyond the end of the arrays of sides. It
   is still within the leaf, because the ids follow the sides. */
static void
ray_scan_leaf(knn_search *search, const void *leaf, uint32_t count, uint32_t rank)
{
    pqti_leaf_view view = pqti_view(leaf, count);
    for (uint32_t i = 0; i < count && !is_too_late(search, 0, rank + i); i += 2) {
        unsigned touch = pqti_mask64x2_bits(may_touch(&search->params, view, i));
        if ((touch & 1) != 0)
            clip_leaf_item(search, view, count, i, rank + i);
        if ((touch & 2) != 0 && i + 1 < count)
            clip_leaf_item(search, view, count, i + 1, rank + i + 1);
    }
}

/* The line touches an item only if it touches the box that contains all items. It does not enter
   the item earlier than this box, even after rounding, because quotients with the same divisor
   are rounded alike. */
static inline bool
ray_find_least_key(const knn_search *search, const pqti_side_range *side_range, double *key)
{
    const pqti_prepared_ray *ray = &search->params.ray;
    pqt_box box = pqti_side_range_box(side_range);
    if (!pqti_prepared_ray_touches(ray, &box))
        return false;
    *key = pqti_prepared_ray_enter(ray, &box);
    return true;
}

/* ---- Quadrants ---- */

static inline const limits *
ray_bound_quadrants(const knn_search *search, const pqti_inner *node, bool outliers,
                    double bounds[PQTI_QUADRANTS])
{
    double last = search->limits.last_found >= 0 ? search->measured.last_found : -1;
    pqti_slabs_bound(&search->params.slabs, node, outliers, last, bounds);
    return &search->measured;
}

/* ---- Queries ---- */

static void
prepare_params(ray_params *params, const pqti_domain *domain)
{
    const pqti_prepared_ray *ray = &params->ray;
    pqt_box start = {ray->from, ray->from};
    params->slabs = pqti_slabs_of(domain, ray, &start, pqti_is_within(&domain->bounds, &ray->box));
    params->by_corners = params->slabs.x == PQTI_SLAB_OK && params->slabs.y == PQTI_SLAB_OK;
}

#define BAD_CAST                                                                                   \
    "a cast must start from pqt_cast_segment or pqt_cast_ray, and its reserved words must be 0"

static bool
cast_is_valid(const pqt_cast *cast)
{
    return cast != NULL && (cast->kind == PQT_CAST_SEGMENT || cast->kind == PQT_CAST_RAY) &&
           pqti_words_are_zero(cast->reserved, 4);
}

static pqti_prepared_ray
prepared_ray_of(const pqt_cast *cast)
{
    return cast->kind == PQT_CAST_RAY ? pqti_prepared_ray_of_ray(cast->ray)
                                      : pqti_prepared_ray_of_segment(cast->segment);
}

/* Prepares a search. Returns false if the line is not valid. */
static bool
prepare_cast(knn_search *search, const pqt_tree *tree, const pqt_cast *cast)
{
    search->params.ray = prepared_ray_of(cast);
    if (!pqti_prepared_ray_is_valid(&search->params.ray))
        return false;
    prepare_params(&search->params, tree->domain);
    search->filter = cast->filter;
    search->context = cast->context;
    search->stats = cast->stats;
    prepare_knn(search, tree, search->params.ray.from, INFINITY);
    return true;
}

static pqt_ray_hit
ray_result_of(const knn_search *search, pqt_item item, double key, uint32_t rank)
{
    (void)key; /* hit_of computes the entry together with the other members */
    return hit_of(&search->params.ray, item, rank);
}

pqt_cast
pqt_cast_segment(pqt_segment segment)
{
    return (pqt_cast){.kind = PQT_CAST_SEGMENT, .segment = segment};
}

pqt_cast
pqt_cast_ray(pqt_ray ray)
{
    return (pqt_cast){.kind = PQT_CAST_RAY, .ray = ray};
}

pqt_ray_hit
pqt_cast_at_item(const pqt_cast *cast, pqt_item item)
{
    PQT_ASSERT(cast_is_valid(cast), BAD_CAST);
    pqti_prepared_ray ray = prepared_ray_of(cast);
    if (!pqti_box_is_valid(&item.box) || !pqti_prepared_ray_touches(&ray, &item.box))
        return (pqt_ray_hit){.hit = false};
    return hit_of(&ray, item, 0);
}

pqt_ray_hit
pqt_tree_cast(const pqt_tree *tree, const pqt_cast *cast)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(cast_is_valid(cast), BAD_CAST);
    knn_search search;
    if (!prepare_cast(&search, tree, cast) || search_knn(&search, tree, 1) == 0)
        return (pqt_ray_hit){.hit = false};
    return best_result(&search, 0);
}

size_t
pqt_tree_cast_all(const pqt_tree *tree, const pqt_cast *cast, pqt_ray_hit *hits, size_t capacity)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(cast_is_valid(cast), BAD_CAST);
    PQT_ASSERT(hits != NULL || capacity == 0, "hits is NULL, and capacity is not 0");
    knn_search search;
    if (!prepare_cast(&search, tree, cast))
        return 0;
    search.all = true;
    return find_many(&search, tree, hits, capacity).found;
}

bool
pqt_tree_visit_cast(const pqt_tree *tree, const pqt_cast *cast, pqt_visit_hit_fn *visit,
                    void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    PQT_ASSERT(cast_is_valid(cast), BAD_CAST);
    knn_search search;
    if (!prepare_cast(&search, tree, cast))
        return true;
    return visit_in_order(&search, tree, visit, context);
}
