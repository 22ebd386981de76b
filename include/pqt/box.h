/* SPDX-License-Identifier: MIT */
/**
 * @file box.h - axis-aligned boxes, and how two of them can stand to each other.
 *
 * All functions here are pure: they depend on their arguments alone, never fail, and may be called
 * from any thread. Comparisons are exact. Only pqt_box_is_valid looks at whether a box is valid: to
 * the others a box is four numbers, and the formula given is all they do. Sides may be infinite for
 * the relations, contains, union and intersection.
 */
#ifndef PQT_BOX_H
#define PQT_BOX_H

#include <stdbool.h>

#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** An axis-aligned box, world units. Valid: finite, min <= max on both axes; points are boxes. */
typedef struct pqt_box {
    pqt_vec min, max;
} pqt_box;

/** How an item's box stands to a window. Per axis, a is the item and w the window. */
typedef enum pqt_relation {
    PQT_TOUCHES = 1,  /**< a.min <= w.max and w.min <= a.max: a common point is enough */
    PQT_OVERLAPS = 2, /**< a.min < w.max and w.min < a.max: a point counts if strictly inside */
    PQT_INSIDE = 3,   /**< w.min <= a.min and a.max <= w.max: edges included */
    PQT_COVERS = 4    /**< a.min <= w.min and w.max <= a.max: the item contains the window */
} pqt_relation;

/**
 * Returns the name of a relation, for logs and user interfaces.
 *
 * @param relation  any value
 * @return          a static string in English, never NULL; "unknown relation" for any other number
 *
 * @thread  any
 * @since   0.1
 */
PQT_API const char *pqt_relation_name(pqt_relation relation);

/** @name Making */
/** @{ */

/**
 * A box from its four numbers.
 *
 * They are neither checked nor sorted: if a minimum is above its maximum, the box is inside out.
 *
 * @param min_x, min_y  the left and upper side, world units
 * @param max_x, max_y  the right and lower side, world units
 * @since 0.1
 */
PQT_API pqt_box pqt_box_make(double min_x, double min_y, double max_x, double max_y);

/**
 * A box from its upper left corner and its size.
 *
 * @param corner  becomes min
 * @param size    width and height, world units, >= 0; a negative one makes a box that is inside out
 * @return        {corner, corner + size}, the sum rounded
 * @since 0.1
 */
PQT_API pqt_box pqt_box_from_size(pqt_vec corner, pqt_vec size);

/**
 * A box around a point.
 *
 * @param centre  the middle
 * @param half    half the width and half the height, world units, >= 0; a negative one makes a box
 *                that is inside out
 * @return        {centre - half, centre + half}, difference and sum rounded
 * @since 0.1
 */
PQT_API pqt_box pqt_box_around(pqt_vec centre, pqt_vec half);
/** @} */

/** @name Asking */
/** @{ */

/** Whether the four numbers are finite and min <= max on both axes. @since 0.1 */
PQT_API bool pqt_box_is_valid(pqt_box box);

/** PQT_TOUCHES: whether two boxes have a point in common, edges and corners included. @since 0.1 */
PQT_API bool pqt_box_touches(pqt_box a, pqt_box b);

/**
 * PQT_OVERLAPS: whether the insides of two boxes meet.
 *
 * Boxes that share an edge only do not overlap. A point or a line overlaps a box that it lies
 * strictly inside of or runs through; two points never overlap.
 *
 * @since 0.1
 */
PQT_API bool pqt_box_overlaps(pqt_box a, pqt_box b);

/** PQT_INSIDE: whether `box` lies within `window`, edges included. @since 0.1 */
PQT_API bool pqt_box_is_inside(pqt_box box, pqt_box window);

/** PQT_COVERS: whether `box` contains all of `window`, edges included. @since 0.1 */
PQT_API bool pqt_box_covers(pqt_box box, pqt_box window);

/**
 * Whether `item` stands in `relation` to `window`. NaN stands in no relation.
 *
 * @param item      the box that is asked about
 * @param window    what it is compared with; infinite sides are allowed
 * @param relation  one of the four; any other number is a mistake of the caller and stops the
 *                  program
 * @since 0.1
 */
PQT_API bool pqt_box_relates(pqt_box item, pqt_box window, pqt_relation relation);

/** Whether a point lies in a box, edges and corners included. @since 0.1 */
PQT_API bool pqt_box_contains(pqt_box box, pqt_vec point);
/** @} */

/** @name Combining and changing */
/** @{ */

/** The smallest box that holds both, exactly. @since 0.1 */
PQT_API pqt_box pqt_box_union(pqt_box a, pqt_box b);

/**
 * What two boxes have in common, exactly: a line or a point if they only touch.
 *
 * @param common  set to the common box; left alone if there is none; NULL is allowed
 * @return        whether they touch
 * @since 0.1
 */
PQT_API bool pqt_box_intersection(pqt_box a, pqt_box b, pqt_box *common);

/**
 * The box at another place.
 *
 * Both corners are moved and rounded, so far from the origin the size may change by a rounding; to
 * keep a size exactly, keep it and use pqt_box_from_size.
 *
 * @param by  world units
 * @since 0.1
 */
PQT_API pqt_box pqt_box_moved(pqt_box box, pqt_vec by);

/**
 * The box with a margin around it.
 *
 * @param margin  world units, on each of the four sides; a negative one shrinks. An axis that would
 *                shrink beyond its middle becomes its middle: a box of 4 x 2 shrunk by 1.5 is a
 *                line, by 3 it is the point pqt_box_centre.
 * @return        the numbers rounded; never inside out; infinite beyond the largest double
 * @since 0.1
 */
PQT_API pqt_box pqt_box_grown(pqt_box box, double margin);
/** @} */

/** @name Measuring */
/** @{ */

/**
 * Width and height.
 *
 * @return  max - min, world units, rounded; infinite where it is beyond the largest double (half
 *          the size is not: see pqt_box_half)
 * @since 0.1
 */
PQT_API pqt_vec pqt_box_size(pqt_box box);

/**
 * Half the width and half the height.
 *
 * @return  max/2 - min/2, world units, rounded; finite for every valid box
 * @since 0.1
 */
PQT_API pqt_vec pqt_box_half(pqt_box box);

/**
 * The middle.
 *
 * This is the very formula by which a tree decides where an item belongs. It cannot overflow. Below
 * 4.5e-308 halving is not exact any more: there the middle may lie 5e-324 outside the box.
 *
 * @return  min/2 + max/2, rounded
 * @since 0.1
 */
PQT_API pqt_vec pqt_box_centre(pqt_box box);

/**
 * The distance from a box to a point: how far the nearest point of the box is.
 *
 * The gap on each axis is rounded once, then measured as by pqt_vec_length: the error is below 3
 * units in the last place, and nothing overflows or vanishes on the way. A box that contains
 * another is never measured farther from a point than that other, so boxes can be used to bound
 * distances.
 *
 * @param box    valid
 * @param point  finite
 * @return       world units, 0 exactly where the box contains the point; infinite where it is
 *               beyond the largest double
 * @since 0.1
 */
PQT_API double pqt_box_distance_to_point(pqt_box box, pqt_vec point);

/**
 * The distance between two boxes: that of their nearest points. As pqt_box_distance_to_point.
 *
 * @param a, b  valid
 * @return      world units, 0 exactly where they touch
 * @since 0.1
 */
PQT_API double pqt_box_distance_to_box(pqt_box a, pqt_box b);
/** @} */

PQT_END_DECLARATIONS

#endif
