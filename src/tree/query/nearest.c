/* SPDX-License-Identifier: MIT */
/*
 * nearest.c: finds the k items that are nearest to a box.
 *
 * pqt_box_distance_to_box decides the results. Its rounding preserves order: a box that contains
 * another one never has the greater distance. So the distance to the box of a quadrant is a lower
 * bound on the distances to everything in it.
 *
 * Most items are rejected without a square root. The square of the distance is compared with a
 * limit slightly greater than the square of the greatest wanted distance; the margin covers all
 * rounding errors, even those of subnormal numbers. If the bounds are so large or so small that
 * squares are not representable, distances are multiplied by a power of 2 first. Outliers may be
 * anywhere: if the square of the worst distance is not representable, their bounds are compared as
 * lengths.
 *
 * The search is a depth-first branch and bound that enters the nearest quadrant first (N.
 * Roussopoulos, S. Kelley, F. Vincent, "Nearest neighbor queries", 1995); see knn_template.h.
 */
#include "config.h"

#include <pqt/nearest.h>

#include <float.h>

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "base/validate.h"
#include "tree/query/mindist.h"
#include "tree/query/nearest_sphere.h"

typedef pqt_near result;

/* For sums in this range, pqt_vec_length also takes the square root of a plain sum of squares. */
#define SAFE_SQUARE_MIN 0x1p-900
#define SAFE_SQUARE_MAX 0x1p+1000

/* If the size of the bounds is in this range, no square of a distance overflows, and only
   squares of distances far below the width of a column underflow to 0. */
#define SAFE_SIZE_MIN 0x1p-380
#define SAFE_SIZE_MAX 0x1p+480

/* Distances are multiplied by a power of 2 from 2^-MOST_EXPONENT to 2^MOST_EXPONENT. */
enum { MOST_EXPONENT = 1000 };

#define SMALLEST 0x1p-1074 /* the smallest double above 0 */

/* The maximal relative and absolute error of a computed square, compared with the square of the
   distance that it represents. */
#define SQUARE_ERROR 0x1p-49
#define SQUARE_LOSS 0x1p-1060

typedef struct nearest_params {
    pqt_box from;
    /* true if the box is within the bounds; then `x` and `y` suffice for items within the bounds */
    bool uses_qcoords;
#ifndef PQT_PLAIN
    pqti_mindist_int x, y;
#endif
    const pqti_domain *domain;
    pqti_query_frame frame; /* set if `x` and `y` do not suffice: see set_query_frame */
    /* a power of 2 by which distances are multiplied so that they can be squared */
    double unit;
    double per_unit; /* 1 / unit */
    /* Items with a greater square are not wanted. All squares here are of scaled distances. */
    double worst_square;
} nearest_params;

#define KNN_NAME(name) nearest_##name
#ifndef PQT_PLAIN
#include "tree/query/topk_init_template.h"
#endif
#include "tree/query/knn_results_template.h"

/* Sets the frame, which is needed if the query is outside the bounds, for outliers, and after
   earlier results. Distances are measured from the nearer side of the box. */
static void
set_query_frame(nearest_params *params)
{
    const pqti_domain *domain = params->domain;
    const pqt_box *from = &params->from;
    params->frame = (pqti_query_frame){
        pqti_query_axis_of(&domain->x, from->max.x, from->min.x, params->unit,
                           params->uses_qcoords),
        pqti_query_axis_of(&domain->y, from->max.y, from->min.y, params->unit,
                           params->uses_qcoords),
    };
}

/*
 * Converts the greatest wanted distance to the measure of the bounds: the square of half a scaled
 * distance. The rounding error of the smallest distances is below SMALLEST. Distances beyond the
 * largest double are infinite.
 */
static void
nearest_measure_worst(knn_search *search)
{
    double half = (search->limits.worst_wanted + SMALLEST) * search->params.unit / 2;
    double square =
        search->limits.worst_wanted == 0 ? 0 : half * half * (1 + SQUARE_ERROR) + SQUARE_LOSS;
    search->measured.worst_wanted = square;
    search->params.worst_square = 4 * square;
}

static void
nearest_measure_last(knn_search *search)
{
    search->measured.last_found = -1;
    if (search->limits.last_found < 0)
        return;
    set_query_frame(&search->params);
    double last = pqti_fmin(search->limits.last_found, DBL_MAX) - SMALLEST;
    double half = pqti_fmax(0, last) * search->params.unit / 2;
    double square = half * half * (1 - SQUARE_ERROR) - SQUARE_LOSS;
    search->measured.last_found = pqti_fmin(pqti_fmax(0, square), DBL_MAX);
}

/* ---- Items ---- */

/* Returns the squares of the distances to items i and i + 1 of a leaf. */
static inline pqti_f64x2
squares_of_items(const nearest_params *params, pqti_leaf_view view, uint32_t i)
{
    const pqt_box *from = &params->from;
    pqti_f64x2 x = pqti_axis_dist(
        pqti_f64x2_sub(pqti_f64x2_load(view.min_x + i), pqti_f64x2_splat(from->max.x)),
        pqti_f64x2_sub(pqti_f64x2_load(view.max_x + i), pqti_f64x2_splat(from->min.x)));
    pqti_f64x2 y = pqti_axis_dist(
        pqti_f64x2_sub(pqti_f64x2_load(view.min_y + i), pqti_f64x2_splat(from->max.y)),
        pqti_f64x2_sub(pqti_f64x2_load(view.max_y + i), pqti_f64x2_splat(from->min.y)));
    x = pqti_f64x2_scale(x, params->unit);
    y = pqti_f64x2_scale(y, params->unit);
    return pqti_f64x2_add(pqti_f64x2_mul(x, x), pqti_f64x2_mul(y, y));
}

enum { CHUNK = 64 }; /* the number of items in a block; a word has one bit for each */

/*
 * Computes the squares of the distances to some items without branches, and returns a bit for each
 * item that may be wanted. In a leaf with an odd count, the last pair is read beyond the end of the
 * arrays of sides. It is still within the leaf, because the ids follow the sides.
 */
static inline uint64_t
pick_near(const nearest_params *params, const pqti_leaf_view *view, uint32_t begin, uint32_t end,
          double squares[CHUNK])
{
    uint64_t picked = 0;
    pqti_f64x2 worst = pqti_f64x2_splat(params->worst_square);
    for (uint32_t i = begin; i < end; i += 2) {
        pqti_f64x2 two = squares_of_items(params, *view, i);
        pqti_f64x2_store(squares + (i - begin), two);
        picked |= (uint64_t)pqti_mask64x2_bits(pqti_f64x2_le(two, worst)) << (i - begin);
    }
    return picked & UINT64_MAX >> (CHUNK - (end - begin));
}

static inline double
distance_to(const nearest_params *params, const pqti_leaf_view *view, uint32_t i, double square)
{
    if (square >= SAFE_SQUARE_MIN && square <= SAFE_SQUARE_MAX)
        return sqrt(square) * params->per_unit;
    return pqt_box_distance_to_box(pqti_view_item(*view, i).box, params->from);
}

#ifndef PQT_PLAIN

/* Fast path. It is equivalent to offer_near_item for each item. Every test passes without it.
   Fills an empty list with the items of one leaf. */
static void
scan_first(knn_search *search, const void *leaf, uint32_t count, uint32_t rank)
{
    const nearest_params *params = &search->params;
    pqti_leaf_view view = pqti_view(leaf, count);
    double squares[CHUNK];
    first_items first;
    uint32_t found = 0;
    for (uint64_t picked = pick_near(params, &view, 0, count, squares); picked != 0;
         picked &= picked - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(picked);
        first.keys[found] = distance_to(params, &view, i, squares[i]);
        first.index[found] = i;
        found += is_wanted(search, pqti_bits_of(first.keys[found]), rank + i);
    }
    first.keys[found] = INFINITY;
    first.count = found;
    init_topk(search, &first, leaf, count, rank);
}

#endif

/* Offers item i of a leaf, unless it is too far away. */
static inline void
offer_near_item(knn_search *search, pqti_leaf_view view, uint32_t count, uint32_t i, double square,
                uint32_t rank)
{
    const nearest_params *params = &search->params;
    if (square > params->worst_square)
        return;
    offer_item(search, view, count, i, distance_to(params, &view, i, square), rank);
}

static void
nearest_scan_leaf(knn_search *search, const void *leaf, uint32_t count, uint32_t rank)
{
    const nearest_params *params = &search->params;
#ifndef PQT_PLAIN
    if (can_init_topk(search, count)) {
        scan_first(search, leaf, count, rank);
        return;
    }
#endif
    pqti_leaf_view view = pqti_view(leaf, count);
    double squares[CHUNK];
    for (uint32_t begin = 0; begin < count; begin += CHUNK) {
        uint32_t end = count - begin < CHUNK ? count : begin + CHUNK;
        uint64_t picked = pick_near(params, &view, begin, end, squares);
        for (; picked != 0; picked &= picked - 1) {
            uint32_t j = (uint32_t)__builtin_ctzll(picked), i = begin + j;
            offer_near_item(search, view, count, i, squares[j], rank + i);
        }
    }
}

static inline bool
nearest_find_least_key(const knn_search *search, const pqti_side_range *side_range, double *key)
{
    *key = pqt_box_distance_to_box(pqti_side_range_box(side_range), search->params.from);
    return true;
}

/* ---- Quadrants ---- */

/*
 * Returns true if the square of the greatest wanted distance is a double. If so, squares decide
 * which outliers are too far away, whatever their distances. As long as nothing is too far away,
 * squares also suffice to sort quadrants.
 */
static inline bool
has_square(const knn_search *search)
{
    double worst = search->limits.worst_wanted * search->params.unit;
    return worst == 0 || worst == INFINITY || (worst >= SAFE_SIZE_MIN && worst <= SAFE_SIZE_MAX);
}

/* Handles the general case, which includes outliers and searches that follow earlier results. */
static const limits *
bound_generally(const knn_search *search, const pqti_inner *node, bool outliers,
                double bounds[PQTI_QUADRANTS])
{
    bool by_lengths = outliers && !has_square(search);
    const limits *in_bounds = by_lengths ? &search->limits : &search->measured;
    void (*size)(const pqti_axis_dists *, double *) =
        by_lengths ? pqti_axis_dists_lengths : pqti_axis_dists_squares;
    double farthest[PQTI_QUADRANTS];
    pqti_query_frame opened = pqti_query_frame_opened(
        search->params.frame); /* because items may extend beyond the bounds */
    if (by_lengths)
        opened.x.unit = opened.y.unit = 1;
    pqti_child_dist dist;
    pqti_child_dist_to(&opened, node, outliers, &dist);
    pqti_axis_dists least = pqti_mindist(&dist), greatest = pqti_maxdist(&dist);
    size(&least, bounds);
    size(&greatest, farthest);
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        bounds[i] = pqti_fmin(bounds[i], DBL_MAX);
        if (farthest[i] < in_bounds->last_found)
            bounds[i] = INFINITY;
    }
    return in_bounds;
}

#ifdef PQT_PLAIN

static inline const limits *
nearest_bound_quadrants(const knn_search *search, const pqti_inner *node, bool outliers,
                        double bounds[PQTI_QUADRANTS])
{
    return bound_generally(search, node, outliers, bounds);
}

#else

/*
 * Fast path. It is equivalent to bound_generally. Every test passes without it.
 *
 * If the query is within the bounds and no results were found before, distances in whole columns
 * suffice (mindist.h).
 */

/*
 * The squares of the distances to outliers may overflow. Infinite squares are replaced by DBL_MAX.
 */
static __attribute__((noinline)) const limits *
bound_outliers(const knn_search *search, const pqti_inner *node, double bounds[PQTI_QUADRANTS])
{
    pqti_child_dist dist;
    pqti_child_dist_to(&search->params.frame, node, true, &dist);
    pqti_axis_dists least = pqti_mindist(&dist);
    pqti_axis_dists_squares(&least, bounds);
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        bounds[i] = pqti_fmin(bounds[i], DBL_MAX);
    return &search->measured;
}

static inline const limits *
nearest_bound_quadrants(const knn_search *search, const pqti_inner *node, bool outliers,
                        double bounds[PQTI_QUADRANTS])
{
    if (!search->params.uses_qcoords || search->limits.last_found >= 0 ||
        (outliers && !has_square(search)))
        return bound_generally(search, node, outliers, bounds);
    if (outliers)
        return bound_outliers(search, node, bounds);
    pqti_axis_dists least;
    pqti_mindist_int_dists(&search->params.x, node->min_x, node->max_x, least.x);
    pqti_mindist_int_dists(&search->params.y, node->min_y, node->max_y, least.y);
    pqti_axis_dists_squares(&least, bounds);
    return &search->measured;
}

#endif

/* ---- Queries ---- */

/* Returns the factor by which distances are multiplied, so that their squares within the bounds
   neither overflow nor underflow. */
static double
unit_of(const pqti_domain *domain, const pqt_box *from)
{
    const pqt_box safe = {{-SAFE_SIZE_MAX, -SAFE_SIZE_MAX}, {SAFE_SIZE_MAX, SAFE_SIZE_MAX}};
    double extent = pqti_fmax(domain->x.half_extent, domain->y.half_extent);
    if (extent >= SAFE_SIZE_MIN && pqti_is_within(&safe, &domain->bounds) &&
        pqti_is_within(&safe, from))
        return 1;
    int exponent;
    (void)frexp(pqti_fmax(pqti_farthest(&domain->bounds), pqti_farthest(from)), &exponent);
    exponent = exponent > MOST_EXPONENT ? MOST_EXPONENT : exponent;
    return ldexp(1, -(exponent < -MOST_EXPONENT ? -MOST_EXPONENT : exponent));
}

PQTI_DEFINE_OPTIONS(pqti_nearest_options, pqt_nearest_options, surface, PQT_NEAREST_DEFAULTS);

/* Returns the options for a call: see pqti_options_require. */
static const pqt_nearest_options *
nearest_options(const char *function, const pqt_nearest_options *given,
                pqt_nearest_options *converted)
{
    return pqti_options_require(function, &pqti_nearest_options_layout, given, converted);
}

/* Returns true if distances are measured on the sphere. Then `from` must be a point. */
static bool
is_on_sphere(const char *function, const pqt_nearest_options *options, const pqt_box *from)
{
    if (options->surface == PQT_PLANE)
        return false;
    PQT_ASSERT_IN(function, options->surface == PQT_SPHERE,
                  "the surface of the options is not a pqt_surface");
    PQT_ASSERT_IN(function, !(from->min.x < from->max.x) && !(from->min.y < from->max.y),
                  "on the sphere, distances are measured from a point, not from a box");
    return true;
}

/* Prepares a search. Returns false if it can find nothing. */
static bool
prepare_nearest(knn_search *search, const pqt_tree *tree, const pqt_box *given,
                const pqt_nearest_options *options)
{
    if (!pqti_box_is_valid(given) || !(options->max_distance >= 0))
        return false;
    const pqt_box from = pqti_box_positive_zero(*given);
    search->params.from = from;
    search->params.unit = unit_of(tree->domain, &from);
    search->params.per_unit = 1 / search->params.unit;
    search->params.uses_qcoords = pqti_is_within(&tree->domain->bounds, &from);
    search->params.domain = tree->domain;
#ifdef PQT_PLAIN
    set_query_frame(&search->params);
#else
    search->params.x =
        pqti_mindist_int_along(&tree->domain->x, from.min.x, from.max.x, search->params.unit);
    search->params.y =
        pqti_mindist_int_along(&tree->domain->y, from.min.y, from.max.y, search->params.unit);
    if (!search->params.uses_qcoords || pqti_has_outliers(tree))
        set_query_frame(&search->params);
#endif
    search->filter = options->filter;
    search->context = options->context;
    search->stats = options->stats;
    pqt_vec centre = {from.min.x / 2 + from.max.x / 2, from.min.y / 2 + from.max.y / 2};
    prepare_knn(search, tree, centre, options->max_distance + 0.0);
    return true;
}

static pqt_near
nearest_result_of(const knn_search *search, pqt_item item, double key, uint32_t rank)
{
    (void)search;
    return (pqt_near){item, key, rank};
}

size_t
pqt_tree_nearest(const pqt_tree *tree, pqt_box from, const pqt_nearest_options *options,
                 pqt_near *found, size_t capacity)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(found != NULL || capacity == 0, "found is NULL, and capacity is not 0");
    pqt_nearest_options converted;
    options = nearest_options(__func__, options, &converted);
    if (is_on_sphere(__func__, options, &from))
        return pqti_nearest_on_sphere(tree, from.min, options, found, capacity);
    knn_search search;
    if (capacity == 0 || !prepare_nearest(&search, tree, &from, options))
        return 0;
    if (capacity > PQTI_TOPK)
        return find_many(&search, tree, found, capacity).count;
    size_t count = search_knn(&search, tree, capacity);
    for (size_t i = 0; i < count; i++)
        found[i] = best_result(&search, i);
    return count;
}

bool
pqt_tree_visit_nearest(const pqt_tree *tree, pqt_box from, const pqt_nearest_options *options,
                       pqt_visit_near_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    pqt_nearest_options converted;
    options = nearest_options(__func__, options, &converted);
    if (is_on_sphere(__func__, options, &from))
        return pqti_visit_nearest_on_sphere(tree, from.min, options, visit, context);
    knn_search search;
    if (!prepare_nearest(&search, tree, &from, options))
        return true;
    return visit_in_order(&search, tree, visit, context);
}
