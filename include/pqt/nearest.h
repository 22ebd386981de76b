/* SPDX-License-Identifier: MIT */
/**
 * @file nearest.h - nearest neighbours: the items of one version that are nearest to a point or a
 * box.
 *
 * Distances are bit-identical to the results of pqt_box_distance_to_box: 0 if the boxes touch, and
 * as accurate at 1e300 as at 1e-300. Results are ordered by distance, and at equal distances by
 * tree order (query.h). So they depend on the items, the bounds and the depth only.
 *
 * A point is the box `{point, point}`. A box that is NaN, infinite or inverted finds nothing.
 *
 * With the surface PQT_SPHERE, distances are those of great circles, and bit-identical to the
 * results of pqt_sphere_distance. A point that is not on the sphere finds nothing, and an item that
 * is not is never found.
 *
 *     pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
 *     options.surface = PQT_SPHERE;
 *     pqt_vec berlin = {13.4, 52.5};
 *     size_t count = pqt_tree_nearest(cities, (pqt_box){berlin, berlin}, &options, found, 10);
 */
#ifndef PQT_NEAREST_H
#define PQT_NEAREST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>

PQT_BEGIN_DECLARATIONS

/** Options of a search for nearest items. Start from PQT_NEAREST_DEFAULTS. */
typedef struct pqt_nearest_options {
    size_t size; /**< sizeof(pqt_nearest_options), set by PQT_NEAREST_DEFAULTS */
    /** world units, or metres on the sphere; inclusive; negative or NaN: nothing is found */
    double max_distance;
    /** the items that count; NULL: all. It may be called more than once for an item */
    pqt_filter_fn *filter;
    void *context;          /**< passed to the filter */
    pqt_query_stats *stats; /**< NULL, or increased; threads must not share it */
    /** PQT_PLANE, or PQT_SPHERE: then x is a longitude and y a latitude, both in degrees, distances
        are pqt_sphere_distance in metres, and a search starts from a point (sphere.h) */
    pqt_surface surface;
} pqt_nearest_options;

/** Initial value of options: any distance, no filter, no statistics, the plane. */
#define PQT_NEAREST_DEFAULTS                                                                       \
    {                                                                                              \
        sizeof(pqt_nearest_options), HUGE_VAL, NULL, NULL, NULL, PQT_PLANE                         \
    }

/** An item and its distance. */
typedef struct pqt_near {
    pqt_item item; /**< the item */
    /** world units, or metres on the sphere; >= 0; infinite if it exceeds the largest double */
    double distance;
    size_t rank; /**< the number of items of the version that precede it in tree order */
} pqt_near;

/**
 * Visits one item and its distance.
 *
 * @param near     valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_near_fn(const pqt_near *near, void *context);

/**
 * Finds the nearest items.
 *
 *     pqt_near found[10];
 *     size_t count = pqt_tree_nearest(tree, (pqt_box){mouse, mouse}, NULL, found, 10);
 *
 * @param tree      any version
 * @param from      the box from which distances are measured, world units
 * @param options   NULL means PQT_NEAREST_DEFAULTS
 * @param found     set to the nearest items, nearest first; NULL if capacity is 0
 * @param capacity  the maximum number of items to find; 0 finds none
 * @return          the number of items found: less than `capacity` only if no more match
 *
 * @cost    O(log n + capacity log capacity) for items spread evenly; allocates nothing. If very
 *          many items have the same distance as the last one found, each of them is tested.
 * @thread  any number at once
 * @source  depth first, nearest quadrant first: Roussopoulos, Kelley, Vincent 1995
 */
PQT_API size_t pqt_tree_nearest(const pqt_tree *tree, pqt_box from,
                                const pqt_nearest_options *options, pqt_near *found,
                                size_t capacity);

/**
 * Visits items by increasing distance until the visitor stops.
 *
 * It searches for a few items first, and for more only when the visitor has used them up. So the
 * first ones are cheap, and nothing is allocated.
 *
 * @param tree     any version
 * @param from     the box from which distances are measured, world units
 * @param options  NULL means PQT_NEAREST_DEFAULTS
 * @param visit    called for each item, in the order of pqt_tree_nearest; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 *
 * @cost    O(k log n) for the first k items spread evenly. Items come from searches for 8, 64, 256,
 *          1024 and from then on 2048 of them. If boxes overlap each other, each search tests all
 *          of them. Beyond 72 items, it takes 48 KiB of stack.
 * @thread  any number at once
 */
PQT_API bool pqt_tree_visit_nearest(const pqt_tree *tree, pqt_box from,
                                    const pqt_nearest_options *options, pqt_visit_near_fn *visit,
                                    void *context);

PQT_END_DECLARATIONS

#endif
