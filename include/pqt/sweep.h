/* SPDX-License-Identifier: MIT */
/**
 * @file sweep.h - sweeps, which find how far a box, a circle or a convex can move toward another
 * position.
 *
 * A mover is a shape that moves in a straight line from one position to another. It stores both
 * positions rather than a displacement, so both ends are rounded in the same way, and even the
 * smallest steps add up to the right end.
 *
 * These rules decide what is a hit:
 *
 * - Only interiors collide. Grazing a corner, sliding along an edge, and touching and moving away
 *   are not hits.
 * - Touching and moving in is a hit at time 0, which names the blocked axes.
 * - Touching something at the end is not a hit; the status says so.
 * - Overlapping at the start is a status of its own, whatever the movement. It agrees with the
 *   overlap predicates (box.h and circle.h) at the starting positions.
 *
 * **Stops.** A stop is a position, rounded toward the start, at which the overlap predicates
 * confirm that the mover is free. Another sweep from there in the same direction does not move.
 *
 * **Exactness.** Boxes, and convexes without a radius, follow these rules exactly. A shape with a
 * radius follows them with a tolerance of 32 * 2^-53 times the coordinates: a circle that overlaps
 * another on its way by less passes it, and a circle that is nearer to a shape counts as touching
 * it. Overlap at the start, at the end and at the stop is decided exactly for convexes. A box or a
 * circle is rounded at its position, so one that is thinner than the rounding errors there becomes
 * a line or a point. A convex is never rounded, and neither is the shape that it is compared with.
 *
 * **Exceptions.** Two boxes that both move count as touching within the tolerance. Another sweep
 * from a stop may pass an obstacle that it overlaps by no more than rounding errors. This can
 * happen if both movers move, if one is a convex, or if a circle overlaps by less than the
 * tolerance and would end there. A convex without a radius counts as touching a shape that it hits
 * within 4 * 2^-53 times the coordinates, even if its path to the exact hit is long because it is
 * almost parallel to a side; pqt_tree_slide continues along the side. docs/design.md, "Collisions",
 * defines the tolerance.
 */
#ifndef PQT_SWEEP_H
#define PQT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/box.h>
#include <pqt/convex.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** The shape of a mover; see pqt_mover. */
typedef enum pqt_mover_kind {
    PQT_MOVER_BOX = 1,    /**< a box */
    PQT_MOVER_CIRCLE = 2, /**< a circle */
    PQT_MOVER_CONVEX = 3  /**< a convex */
} pqt_mover_kind;

/** A shape and its motion. Start from pqt_mover_box, pqt_mover_circle or
    pqt_mover_convex. */
typedef struct pqt_mover {
    pqt_mover_kind kind; /**< the shape; there is no default */
    /** for a box: its sides at the position (0, 0), world units; the position need not be inside */
    pqt_box box;
    double radius; /**< for a circle, whose position is its centre; world units, >= 0 */
    pqt_vec from;  /**< the starting position, world units */
    pqt_vec to;    /**< the end position, world units; equal to `from` for a mover at rest */
    /** for a convex: its shape at the position (0, 0); not copied */
    const pqt_convex *convex;
} pqt_mover;

/** How a sweep ended. */
typedef enum pqt_sweep_status {
    /** a mover is not valid (NaN, infinite, inverted, a negative radius): nothing was swept, and
        the movers stay where they are */
    PQT_SWEEP_NONE = 0,
    PQT_SWEEP_FREE = 1,    /**< the mover reached its end */
    PQT_SWEEP_TOUCHES = 2, /**< the mover reached its end and touches something there */
    PQT_SWEEP_HITS = 3,    /**< something stopped the mover */
    /** the mover overlapped something at the start, and nothing was swept; or, with ignore_overlap,
        it reached its end and still overlaps it there */
    PQT_SWEEP_OVERLAPS = 4
} pqt_sweep_status;

/** The axes along which a mover is blocked, as flags. */
enum {
    PQT_BLOCKED_X = 1, /**< blocked along x */
    PQT_BLOCKED_Y = 2  /**< blocked along y */
};

/** The result of a sweep. */
typedef struct pqt_sweep {
    pqt_sweep_status status; /**< how it ended */
    /** the time of the stop, as a fraction of the motion: 1 if the end was reached; 0 if the mover
        cannot get any nearer or overlaps; accurate to a few units in the last place */
    double time;
    /** the position of the mover at that time, confirmed free; if the status is PQT_SWEEP_OVERLAPS,
        the start, or with ignore_overlap the end. In a tree, a hit with ignore_overlap may stop the
        mover while it still overlaps what it overlapped at the start */
    pqt_vec stop;
    pqt_vec stop_b; /**< between two movers, the position of the second at that time */
    /** after a hit: the axes on which `normal` is not 0: one at the side of a box; both if corner
        met corner, or at an oblique side or a round shape */
    unsigned blocked;
    /** the unit vector that points out of the shape that was hit or is overlapped, otherwise (0,
     * 0); for two corners, the diagonal between both axes */
    pqt_vec normal;
    /** if it overlaps: the time at which the mover would leave all that it overlaps at the start,
        as a fraction of the motion, which may be above 1; INFINITY if it never would. Otherwise
        0 */
    double exit;
    /** if it overlaps: the position nearest to the start that is free of `item`, or of the second
        mover */
    pqt_vec free_position;
    /** in a tree: the item that was hit, touched or overlapped; if several are touched at the end,
     * the first in tree order; if several are overlapped at the start, the deepest */
    pqt_item item;
    /** in a tree: the rank of the item that was hit (the number of items before it in tree order);
        SIZE_MAX if it was only touched or overlapped */
    size_t rank;
} pqt_sweep;

/** Options of a sweep. Start from PQT_SWEEP_DEFAULTS. */
typedef struct pqt_sweep_options {
    size_t size; /**< sizeof(pqt_sweep_options), set by PQT_SWEEP_DEFAULTS */
    /** ignore what the mover overlaps at the start. At the end it counts like anything else: if the
        mover still overlaps it, the status is PQT_SWEEP_OVERLAPS and the time 1; if the mover
        touches it there, PQT_SWEEP_TOUCHES. This agrees with region_sweep.h, where a region can be
        hit once the mover has left it; a straight motion meets a box or a circle only once */
    bool ignore_overlap;
    /** in a tree: the items that count; NULL: all. It may be called more than once for an item */
    pqt_filter_fn *filter;
    void *context;          /**< passed to the filter */
    pqt_query_stats *stats; /**< in a tree: NULL, or increased; `boxes` counts items compared */
} pqt_sweep_options;

/** Initial value of options: nothing is ignored, every item counts, no statistics. */
#define PQT_SWEEP_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_sweep_options), false, NULL, NULL, NULL                                         \
    }

/** @name Movers */
/** @{ */

/**
 * Returns a mover for a box.
 *
 * At a position the box is pqt_box_moved(shape, position). A shape {(0, 0), size} has its position
 * at its upper left corner, and a shape {-half, half} in its middle. A shape in world units starts
 * at the position (0, 0).
 *
 * @param shape  the box at the position (0, 0), world units
 * @param from   the starting position, world units
 * @param to     the end position, world units
 * @return       the mover; it is not checked
 */
PQT_API pqt_mover pqt_mover_box(pqt_box shape, pqt_vec from, pqt_vec to);

/**
 * Returns a mover for a circle. Its position is its centre.
 *
 * @param radius  world units, >= 0
 * @param from    the starting position, world units
 * @param to      the end position, world units
 * @return        the mover; it is not checked
 */
PQT_API pqt_mover pqt_mover_circle(double radius, pqt_vec from, pqt_vec to);

/**
 * Returns a mover for a convex.
 *
 * At a position, each vertex is the exact sum of a vertex of the shape and the position: nothing is
 * rounded. A shape around (0, 0) has its position in its middle; a shape in world units starts at
 * the position (0, 0).
 *
 * @param shape  the shape at the position (0, 0), world units; not copied: it must stay as it is
 *               while the mover is used
 * @param from   the starting position, world units
 * @param to     the end position, world units
 * @return       the mover; it is not checked
 */
PQT_API pqt_mover pqt_mover_convex(const pqt_convex *shape, pqt_vec from, pqt_vec to);

/**
 * Returns whether a mover is valid.
 *
 * @param mover  any numbers
 * @return       true if the shape is valid and its box is finite at both positions
 */
PQT_API bool pqt_mover_is_valid(pqt_mover mover);
/** @} */

/**
 * Sweeps two movers against each other. Both move during the same time.
 *
 *     pqt_mover first = pqt_mover_circle(1, a, a_to), second = pqt_mover_circle(1, b, b_to);
 *     pqt_sweep s = pqt_sweep_pair(first, second, NULL);
 *     if (s.status == PQT_SWEEP_HITS)
 *         ... they meet at s.stop and s.stop_b, at s.time
 *
 * @param a        the first mover
 * @param b        the second mover; a mover at rest has equal positions
 * @param options  NULL means PQT_SWEEP_DEFAULTS; only ignore_overlap is read
 * @return         the result; the normal points from `b` to `a`
 *
 * @cost    O(1)
 * @thread  any number at once
 * @source  the difference of two shapes swept as a point: C. Ericson, Real-Time Collision
 *          Detection, 2005, section 5.5
 */
PQT_API pqt_sweep pqt_sweep_pair(pqt_mover a, pqt_mover b, const pqt_sweep_options *options);

/**
 * Sweeps a mover through a version of a tree. The first item on its way stops it.
 *
 *     pqt_sweep s = pqt_tree_sweep(tree, pqt_mover_box(shape, from, to), NULL);
 *     position = s.stop;
 *
 * If items are hit at the same time, an item that blocks one axis comes before one that is hit at a
 * corner. Among equals, the first in tree order is the hit. The stop is free of all items that
 * count and are not ignored.
 *
 * @param tree     any version
 * @param mover    the shape and its motion
 * @param options  NULL means PQT_SWEEP_DEFAULTS
 * @return         the result
 *
 * @cost    O(log n) if there are items nearby; O(nodes near the path) if nothing is hit
 * @thread  any number at once
 * @source  as pqt_sweep_pair; the sides of boxes as slabs: Kay, Kajiya 1986, section 2
 */
PQT_API pqt_sweep pqt_tree_sweep(const pqt_tree *tree, pqt_mover mover,
                                 const pqt_sweep_options *options);

/** The result of a slide. */
typedef struct pqt_slide {
    /** the position where it ended, free of all items that count; if the mover overlapped something
        at the start, it may still overlap that */
    pqt_vec stop;
    unsigned bounces; /**< the number of times that a hit changed its direction */
    /** all axes along which it was blocked: PQT_BLOCKED_X, PQT_BLOCKED_Y or both */
    unsigned blocked;
    pqt_sweep first; /**< the first sweep */
    pqt_sweep last;  /**< the last sweep, which says what it rests on or stops at */
} pqt_slide;

/**
 * Moves a mover through a version of a tree and slides along what it hits.
 *
 * After a hit with a side, the motion continues along the free axis, for the distance that remains
 * on that axis. After a hit with a round shape, it continues along the tangent. After two corners
 * hit each other, it continues along the axis on which more distance remains (x if equal), past the
 * other corner. It ends if nothing remains, if it would lead back, or at the hit after the last
 * bounce.
 *
 *     pqt_slide walk = pqt_tree_slide(tree, pqt_mover_box(shape, position, target), 3, NULL);
 *     position = walk.stop;
 *     bool on_floor = (walk.blocked & PQT_BLOCKED_Y) != 0;
 *
 * @param tree     any version
 * @param mover    the shape, its position and its target
 * @param bounces  the maximum number of changes of direction; 0: as pqt_tree_sweep; 3 suffice for
 *                 most corners
 * @param options  NULL means PQT_SWEEP_DEFAULTS
 * @return         the result; it has no bounce if the mover overlapped something at the start that
 *                 is not ignored
 *
 * @cost    as bounces + 1 sweeps
 * @thread  any number at once
 */
PQT_API pqt_slide pqt_tree_slide(const pqt_tree *tree, pqt_mover mover, unsigned bounces,
                                 const pqt_sweep_options *options);

PQT_END_DECLARATIONS

#endif
