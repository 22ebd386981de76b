/* SPDX-License-Identifier: MIT */
/**
 * @file box.h - axis-aligned boxes and their relations.
 *
 * All functions here are pure: they depend on their arguments only, never fail, and may be called
 * from any thread. Comparisons are exact. Only pqt_box_is_valid checks whether a box is valid. The
 * other functions treat a box as four numbers and compute the formula given. Sides may be infinite
 * for the relations, pqt_box_contains, pqt_box_union and pqt_box_intersection.
 */
#ifndef PQT_BOX_H
#define PQT_BOX_H

#include <stdbool.h>

#include <pqt/export.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/**
 * An axis-aligned box. It is valid if its numbers are finite and min <= max on both axes, so points
 * and lines are boxes. It is *inverted* ("inside out") if min > max on an axis.
 */
typedef struct pqt_box {
    pqt_vec min; /**< the upper left corner, world units */
    pqt_vec max; /**< the lower right corner, world units */
} pqt_box;

/** The relation of an item's box to a window. On each axis, a is the item and w the window. */
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
 */
PQT_API const char *pqt_relation_name(pqt_relation relation);

/** @name Construction */
/** @{ */

/**
 * Returns the box with the given sides.
 *
 * They are neither checked nor sorted: a minimum above its maximum makes an inverted box.
 *
 * @param min_x  the left side, world units
 * @param min_y  the upper side, world units
 * @param max_x  the right side, world units
 * @param max_y  the lower side, world units
 * @return       the box
 */
PQT_API pqt_box pqt_box_make(double min_x, double min_y, double max_x, double max_y);

/**
 * Returns the box with a given upper left corner and size.
 *
 * @param corner  becomes `min`
 * @param size    width and height, world units, >= 0; a negative one makes an inverted box
 * @return        {corner, corner + size}, the sum rounded
 */
PQT_API pqt_box pqt_box_from_size(pqt_vec corner, pqt_vec size);
/** @} */

/** @name Predicates */
/** @{ */

/**
 * Returns whether a box is valid.
 *
 * @param box  any numbers
 * @return     true if the four numbers are finite and min <= max on both axes
 */
PQT_API bool pqt_box_is_valid(pqt_box box);

/**
 * Returns whether two boxes have a common point, edges and corners included (PQT_TOUCHES).
 *
 * @param a  a box
 * @param b  a box
 * @return   true if they touch
 */
PQT_API bool pqt_box_touches(pqt_box a, pqt_box b);

/**
 * Returns whether the interiors of two boxes intersect (PQT_OVERLAPS).
 *
 * Boxes that share only an edge do not overlap. A point overlaps a box if it is strictly inside it,
 * a line if it runs through the interior. Two points never overlap.
 *
 * @param a  a box
 * @param b  a box
 * @return   true if they overlap
 */
PQT_API bool pqt_box_overlaps(pqt_box a, pqt_box b);

/**
 * Returns whether a box is inside a window, edges included (PQT_INSIDE).
 *
 * @param box     a box
 * @param window  a box
 * @return        true if `window` contains all of `box`
 */
PQT_API bool pqt_box_is_inside(pqt_box box, pqt_box window);

/**
 * Returns whether a box contains all of a window, edges included (PQT_COVERS).
 *
 * @param box     a box
 * @param window  a box
 * @return        true if `box` contains all of `window`
 */
PQT_API bool pqt_box_covers(pqt_box box, pqt_box window);

/**
 * Returns whether an item's box has a relation to a window. A box with NaN has no relation.
 *
 * @param item      the box of the item
 * @param window    the box that it is compared with; infinite sides are allowed
 * @param relation  one of the four; any other number is misuse and stops the program
 * @return          true if it has the relation
 */
PQT_API bool pqt_box_relates(pqt_box item, pqt_box window, pqt_relation relation);

/**
 * Returns whether a box contains a point, edges and corners included.
 *
 * @param box    a box
 * @param point  a point
 * @return       true if it does
 */
PQT_API bool pqt_box_contains(pqt_box box, pqt_vec point);
/** @} */

/** @name Combination and change */
/** @{ */

/**
 * Returns the smallest box that contains two boxes, exactly.
 *
 * @param a  a box
 * @param b  a box
 * @return   the box around both
 */
PQT_API pqt_box pqt_box_union(pqt_box a, pqt_box b);

/**
 * Computes the intersection of two boxes, exactly: a line or a point if they only touch.
 *
 * @param a       a box
 * @param b       a box
 * @param common  set to the intersection; not written if there is none; NULL is allowed
 * @return        true if the boxes touch
 */
PQT_API bool pqt_box_intersection(pqt_box a, pqt_box b, pqt_box *common);

/**
 * Returns a box moved by a displacement.
 *
 * Both corners are moved and rounded, so far from the origin the size may change by a rounding
 * error. To keep a size exactly, store it and use pqt_box_from_size.
 *
 * @param box  a box
 * @param by   world units
 * @return     {min + by, max + by}, rounded
 */
PQT_API pqt_box pqt_box_moved(pqt_box box, pqt_vec by);

/**
 * Returns a box with a margin added on all sides.
 *
 * @param box     a valid box
 * @param margin  world units, for each of the four sides; a negative one shrinks. An axis that
 *                would shrink below zero becomes its middle: a box of 4 x 2 shrunk by 1.5 is a
 *                line, and shrunk by 3 it is the point pqt_box_centre.
 * @return        the numbers rounded; never inverted; infinite beyond the largest double
 */
PQT_API pqt_box pqt_box_grown(pqt_box box, double margin);
/** @} */

/** @name Measures */
/** @{ */

/**
 * Returns the width and height of a box.
 *
 * @param box  a box
 * @return     max - min, world units, rounded; infinite if it exceeds the largest double
 */
PQT_API pqt_vec pqt_box_size(pqt_box box);

/**
 * Returns the middle of a box.
 *
 * Trees use this formula to decide which cell an item belongs to. It cannot overflow. Below
 * 4.5e-308 halving is not exact, and the middle may be 5e-324 outside the box.
 *
 * @param box  a box
 * @return     min/2 + max/2, world units, rounded
 */
PQT_API pqt_vec pqt_box_centre(pqt_box box);

/**
 * Returns the distance from a point to the nearest point of a box.
 *
 * The gap on each axis is rounded once, and the length of both is computed as in pqt_vec_length. So
 * the error is below 3 units in the last place, and nothing overflows or underflows on the way. The
 * function is monotonic: a box that contains another is never measured farther from a point than
 * that other, so boxes can bound distances.
 *
 * @param box    valid
 * @param point  finite
 * @return       world units; exactly 0 if the box contains the point; infinite if the distance
 *               exceeds the largest double
 */
PQT_API double pqt_box_distance_to_point(pqt_box box, pqt_vec point);

/**
 * Returns the distance between the nearest points of two boxes. See pqt_box_distance_to_point for
 * its accuracy.
 *
 * @param a  valid
 * @param b  valid
 * @return   world units; exactly 0 if the boxes touch
 */
PQT_API double pqt_box_distance_to_box(pqt_box a, pqt_box b);
/** @} */

PQT_END_DECLARATIONS

#endif
