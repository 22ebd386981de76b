/* SPDX-License-Identifier: MIT */
/**
 * @file nearest.h - the items of one version that are nearest to a point or a box.
 *
 * The distance is that of pqt_box_distance_to_box, bit for bit: 0 where the boxes touch, as right
 * at 1e300 as at 1e-300. Items come nearest first; of items at equal distances, the one that comes
 * first in tree order (query.h). So the answer depends on the items, the bounds and the depth
 * alone.
 *
 * A point is a box: `{point, point}`. A box that is NaN, infinite or inside out finds nothing.
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

/** What the nearest of is looked for: see PQT_NEAREST_DEFAULTS. */
typedef struct pqt_nearest_options {
    size_t size;         /**< sizeof(pqt_nearest_options), set by PQT_NEAREST_DEFAULTS */
    double max_distance; /**< world units, itself included; negative or NaN: nothing is found */
    /** NULL: every item counts; may be asked more than once about an item */
    pqt_filter_fn *filter;
    void *context;          /**< handed to the filter */
    pqt_query_stats *stats; /**< NULL: nothing is counted; not to be shared by threads */
} pqt_nearest_options;

/** Initial value of options: any distance, no filter, nothing counted. */
#define PQT_NEAREST_DEFAULTS                                                                       \
    {                                                                                              \
        sizeof(pqt_nearest_options), HUGE_VAL, NULL, NULL, NULL                                    \
    }

/** An item, and how far it is. */
typedef struct pqt_near {
    pqt_item item;
    double distance; /**< world units, >= 0; infinite where it is beyond the largest double */
    size_t rank;     /**< how many items of the version come before it in tree order */
} pqt_near;

/** Is handed one item; returns true to go on, false to stop. It is valid during the call. */
typedef bool pqt_visit_near_fn(const pqt_near *near, void *context);

/**
 * Finds the nearest items.
 *
 *     pqt_near found[10];
 *     size_t count = pqt_tree_nearest(tree, (pqt_box){mouse, mouse}, NULL, found, 10);
 *
 * @param tree     any version
 * @param from     what distances are measured from, world units
 * @param options  NULL: the defaults
 * @param found    set to the nearest items, nearest first; NULL if capacity is 0
 * @param capacity how many items are searched for; 0 finds none
 * @return         how many were found: less than `capacity` only if no more match
 *
 * @cost    O(log n + capacity log capacity) for spread items; allocates nothing. Where very many
 * items are
 *          at the very distance of the last one found, each of them is looked at.
 * @thread  any number at once
 * @source  depth first, nearest quarter first: Roussopoulos, Kelley, Vincent 1995
 * @since   0.1
 */
PQT_API size_t pqt_tree_nearest(const pqt_tree *tree, pqt_box from,
                                const pqt_nearest_options *options, pqt_near *found,
                                size_t capacity);

/**
 * Visits items, nearest first, until the visitor has enough.
 *
 * The tree is searched for a few items, then, as they are used up, for some more behind them; so
 * the first ones cost little, and nothing is allocated.
 *
 * @param visit    called for each item, in the order of pqt_tree_nearest
 * @param context  handed to `visit`
 * @return         true if all were visited, false if `visit` stopped it
 *
 * @cost    the first k of spread items: O(k log n). Items come from searches for 8, 64, 256, 1024
 *          and from then on 2048 of them; where boxes lie over each other, each search looks at all
 *          of them. Beyond 72 items, 48 KiB of stack.
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_tree_visit_nearest(const pqt_tree *tree, pqt_box from,
                                    const pqt_nearest_options *options, pqt_visit_near_fn *visit,
                                    void *context);

PQT_END_DECLARATIONS

#endif
