/* SPDX-License-Identifier: MIT */
/**
 * @file query.h - window queries: the items of one version that match a window.
 *
 * A query names a window and a relation. An item matches if its box has that relation to the
 * window and the filter, if there is one, accepts it. Every function takes the query by pointer;
 * NULL is the query that matches every item.
 *
 * The items at a point touch the window whose corners are both that point:
 *
 *     pqt_query query = {.window = {mouse, mouse}, .relation = PQT_TOUCHES};
 *
 * All functions here are readers: they never fail and never allocate. They visit items in *tree
 * order*: along the Z curve, cell by cell. An item that is larger than a cell comes before the
 * items in the cell's quadrants. The order depends on the items, the bounds and the depth only,
 * never on how the version was made. It is not the order of insertion or of drawing: no result is
 * "the topmost".
 *
 * Sides of a window may be infinite. A window that is NaN or inverted matches nothing.
 *
 * The window may also be a pqt_convex, such as an oriented box or a triangle, which
 * <pqt/shapes.h> makes. These functions of convex.h decide exactly whether the box of an item has
 * the relation to it:
 *
 *     PQT_TOUCHES   pqt_convex_touches_box
 *     PQT_OVERLAPS  pqt_convex_overlaps_box
 *     PQT_INSIDE    pqt_convex_covers_box
 *     PQT_COVERS    pqt_convex_is_inside_box
 *
 * Subtrees that miss the convex are not entered, even if they touch its box.
 *
 * With the surface PQT_SPHERE, the window is one of longitudes and latitudes, which may cross the
 * antimeridian, and pqt_sphere_relates decides the relation:
 *
 *     pqt_query query = {.window = pqt_sphere_box(170, -25, -170, 0), .relation = PQT_TOUCHES,
 *                        .surface = PQT_SPHERE};
 *
 * error.h states the rules for visitors and for results in an array.
 */
#ifndef PQT_QUERY_H
#define PQT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/sphere.h>

PQT_BEGIN_DECLARATIONS

/** A convex shape; see convex.h. */
typedef struct pqt_convex pqt_convex;

/** A version of a tree; see tree.h. */
typedef struct pqt_tree pqt_tree;

/**
 * Visits one item.
 *
 * @param item     valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_fn(const pqt_item *item, void *context);

/**
 * Visits the ids of several items.
 *
 * @param ids      an array of `count` ids, valid during the call
 * @param count    at least 1
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_ids_fn(const uint64_t *ids, size_t count, void *context);

/** Items as columns: element i of each array belongs to item i. */
typedef struct pqt_item_columns {
    const double *min_x; /**< box.min.x of each item, world units */
    const double *min_y; /**< box.min.y */
    const double *max_x; /**< box.max.x */
    const double *max_y; /**< box.max.y */
    const uint64_t *ids; /**< the id of each item */
    size_t count;        /**< the number of items, at least 1 */
} pqt_item_columns;

/**
 * Visits several items.
 *
 * @param columns  at least one item; the arrays are valid during the call
 * @param context  as passed to the function that visits
 * @return         true to continue, false to stop
 */
typedef bool pqt_visit_columns_fn(const pqt_item_columns *columns, void *context);

/**
 * Decides whether an item matches. The result must not depend on the order of calls.
 *
 * @param item     valid during the call
 * @param context  the `context` of the query
 * @return         whether the item matches
 */
typedef bool pqt_filter_fn(const pqt_item *item, void *context);

/** The work of queries. Set it to zero and point to it from a query; each call adds to it. */
typedef struct pqt_query_stats {
    uint64_t nodes;  /**< inner nodes entered */
    uint64_t leaves; /**< leaves entered */
    uint64_t boxes;  /**< items compared with the window one by one */
} pqt_query_stats;

/** A query of one version. Set the window or the convex, and the relation; all else may be zero. */
typedef struct pqt_query {
    pqt_box window;        /**< world units; sides may be infinite; not read if there is a convex */
    pqt_relation relation; /**< the relation of an item to the window; there is no default, and any
                               number other than the four stops the program */
    pqt_filter_fn *filter; /**< NULL: every item in the relation matches */
    void *context;         /**< passed to the filter */
    pqt_query_stats *stats;   /**< NULL: no work is counted; not to be shared by threads */
    const pqt_convex *convex; /**< NULL, or the shape that replaces the window: an invalid one
                                  stops the program; not copied */
    /** PQT_PLANE, or PQT_SPHERE for longitudes and latitudes in degrees: see sphere.h. There, a
        convex stops the program, and a window that is not on the sphere matches nothing */
    pqt_surface surface;
    uint64_t reserved[2]; /**< must be 0; any other value stops the program */
} pqt_query;

/**
 * Returns the query that matches every item: PQT_TOUCHES, and a window with infinite sides.
 *
 *     pqt_query query = pqt_query_all();
 *     query.filter = is_visible;
 *     size_t count = pqt_tree_collect(tree, &query, items, capacity);
 *
 * @return  a query without filter and statistics
 * @thread  any
 */
PQT_API pqt_query pqt_query_all(void);

/**
 * Visits the items that match, in tree order.
 *
 * @param tree     any version
 * @param query    NULL: every item
 * @param visit    called for each item that matches
 * @param context  passed to `visit`
 * @return         true if every match was visited, false if `visit` stopped it
 *
 * @cost    O(log n + matches) for windows that are not thinner than the items that match. With a
 *          convex, up to 8 of its sides are compared with each box instead of 4, and subtrees at
 *          the edge of the bounds are entered even if they are inside it
 * @thread  any number at once
 */
PQT_API bool pqt_tree_visit(const pqt_tree *tree, const pqt_query *query, pqt_visit_fn *visit,
                            void *context);

/**
 * Visits the ids of the items that match, several at a time, in tree order.
 *
 * One call of `visit` gets up to a few hundred ids, from many leaves. Items of leaves that lie
 * within the window are not tested, and if such a leaf is large, its ids are not copied.
 *
 * @param tree     any version
 * @param query    NULL: every item
 * @param visit    called with the ids of matches
 * @param context  passed to `visit`
 * @return         true if every match was visited, false if `visit` stopped it
 *
 * @cost  as pqt_tree_visit, about a third of its time for large windows
 */
PQT_API bool pqt_tree_visit_ids(const pqt_tree *tree, const pqt_query *query,
                                pqt_visit_ids_fn *visit, void *context);

/**
 * Visits the items that match as columns, several at a time, in tree order.
 *
 * One call of `visit` gets up to 64 matches of one leaf, which are copied. Without a filter, the
 * leaves of a subtree that is found to be within the window are passed whole, and not copied.
 *
 * @param tree     any version
 * @param query    NULL: every item
 * @param visit    called with the columns of matches
 * @param context  passed to `visit`
 * @return         true if every match was visited, false if `visit` stopped it
 *
 * @cost  as pqt_tree_visit, about two thirds of its instructions for large windows
 */
PQT_API bool pqt_tree_visit_columns(const pqt_tree *tree, const pqt_query *query,
                                    pqt_visit_columns_fn *visit, void *context);

/**
 * Returns whether any item matches.
 *
 * @param tree   any version
 * @param query  NULL: every item
 * @param found  NULL, or set to the first match in tree order; unchanged if there is none
 * @return       whether there is a match
 * @cost  as pqt_tree_visit up to the first match
 */
PQT_API bool pqt_tree_any(const pqt_tree *tree, const pqt_query *query, pqt_item *found);

/**
 * Returns the number of items that match.
 *
 * @param tree   any version
 * @param query  NULL: every item
 * @return       the number of matches
 *
 * @cost  without a filter O(nodes that the window's edge crosses): subtrees within the window are
 *        not entered
 */
PQT_API size_t pqt_tree_count_in(const pqt_tree *tree, const pqt_query *query);

/**
 * Writes the items that match into an array, in tree order.
 *
 * @param tree      any version
 * @param query     NULL: every item
 * @param items     set to the first matches
 * @param capacity  the number of items that fit
 * @return          the number of all matches
 * @cost  as pqt_tree_visit_columns
 */
PQT_API size_t pqt_tree_collect(const pqt_tree *tree, const pqt_query *query, pqt_item *items,
                                size_t capacity);

/**
 * Writes the ids of the items that match into an array, in tree order.
 *
 * @param tree      any version
 * @param query     NULL: every item
 * @param ids       set to the ids of the first matches
 * @param capacity  the number of ids that fit
 * @return          the number of all matches
 * @cost  as pqt_tree_visit_ids
 */
PQT_API size_t pqt_tree_collect_ids(const pqt_tree *tree, const pqt_query *query, uint64_t *ids,
                                    size_t capacity);

PQT_END_DECLARATIONS

#endif
