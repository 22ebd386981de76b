/* SPDX-License-Identifier: MIT */
/**
 * @file sweep.h - how far a box or a circle gets on its way from one place to another.
 *
 * A mover is a shape around its place, and goes in a straight line. It leads from one place to
 * another and not by a movement: so both ends are rounded alike, and steps of any smallness add up
 * to where they lead.
 *
 * What hits is decided so:
 *
 * - Only insides meet. To graze a corner, to slide along an edge, or to touch and move away, is no
 *   hit.
 * - To touch and to move in is a hit at time 0, which names what is blocked.
 * - To end touching is no hit; the status tells.
 * - To start overlapping is a status of its own, whatever the movement; it says just what the
 *   overlap predicates (box.h, circle.h and segment.h) say of the starting places.
 *
 * Between boxes that is decided exactly, in whole numbers if need be. A circle is measured: one
 * that dips into another on its way by less than 32 roundings (2^-53) of the largest coordinate
 * passes by; and one that is apart by no more than 32 roundings of the largest coordinate of where
 * it is counts as touching, and so do two boxes that both move.
 *
 * A shape is rounded at its place; so one that is thinner than the roundings there is a line or a
 * point.
 *
 * A stop is a place where the overlap predicates confirm that the mover is free, rounded toward the
 * start. From there, another sweep in the same direction stays; but where both move, each is
 * rounded at its own place, and where a circle dips by less than counts and would end within; what
 * was met by no more than roundings may be passed by then.
 */
#ifndef PQT_SWEEP_H
#define PQT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/query.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** What a mover is; see pqt_mover. */
typedef enum pqt_mover_kind {
    PQT_MOVER_BOX = 1,   /**< a box */
    PQT_MOVER_CIRCLE = 2 /**< a circle */
} pqt_mover_kind;

/** A shape on its way. Start from pqt_mover_box or pqt_mover_circle. */
typedef struct pqt_mover {
    pqt_mover_kind kind; /**< which of the two shapes is meant; there is no default */
    /** what it is when its place is (0, 0), world units; the place need not lie in it */
    pqt_box box;
    double radius;    /**< of a circle, whose place is its centre; world units, >= 0 */
    pqt_vec from, to; /**< places, world units; equal for what stands still */
} pqt_mover;

/** How a sweep ended. */
typedef enum pqt_sweep_status {
    /** a mover is not valid (NaN, infinite, inside out, a negative radius): nothing was swept, and
        nothing is to move */
    PQT_SWEEP_NONE = 0,
    PQT_SWEEP_FREE = 1,    /**< the end is reached */
    PQT_SWEEP_TOUCHES = 2, /**< the end is reached, and something is touched there */
    PQT_SWEEP_HITS = 3,    /**< something is in the way */
    /** it started within something. Nothing was swept; or, with ignore_overlap, the end is reached
        and the mover is not out of it */
    PQT_SWEEP_OVERLAPS = 4
} pqt_sweep_status;

/** Axes along which the way is blocked, added up. */
enum {
    PQT_BLOCKED_X = 1, /**< along x */
    PQT_BLOCKED_Y = 2  /**< along y */
};

/** What came of a sweep. */
typedef struct pqt_sweep {
    pqt_sweep_status status;
    /** when it stopped, as a fraction of the way: 1 if the end was reached, 0 if it cannot get any
        nearer or overlaps. A few units in the last place from the truth */
    double time;
    /** the place of the mover then, confirmed free; if the status is PQT_SWEEP_OVERLAPS, the start,
        or with ignore_overlap the end. In a tree, a hit with ignore_overlap may stop it before it
        is out of what it overlapped at the start */
    pqt_vec stop;
    pqt_vec stop_b; /**< between two movers, the place of the second then */
    /** after a hit, PQT_BLOCKED_X or PQT_BLOCKED_Y for a side that was met; both for a corner of a
        box that was met with a corner, or for something round */
    unsigned blocked;
    /** of length 1, out of what was hit or overlaps, else (0, 0). Of two corners, the middle of
        both axes */
    pqt_vec normal;
    /** if it overlaps: when it would be out of all that it overlaps at the start, as a fraction of
        the way, which may be above 1; INFINITY if it never would be. Else 0 */
    double exit;
    /** if it overlaps: the place nearest to the start that is free of `item`, or of the second
        mover */
    pqt_vec free_position;
    /** in a tree, what was hit, touched or overlapped; of several that are touched at the end, the
        first in tree order; of those overlapped at the start, the deepest */
    pqt_item item;
    /** in a tree, how many items come before `item` in tree order; SIZE_MAX if it was touched or
        overlapped only */
    size_t rank;
} pqt_sweep;

/** How a sweep is done. Start from PQT_SWEEP_DEFAULTS. */
typedef struct pqt_sweep_options {
    size_t size; /**< sizeof(pqt_sweep_options), set by PQT_SWEEP_DEFAULTS */
    /** what the mover overlaps at the start does not stop it. At the end it counts as anything
        does: if the mover is still within, the status is PQT_SWEEP_OVERLAPS and the time 1; if it
        touches there, PQT_SWEEP_TOUCHES. As in region_sweep.h, where a region can be hit once the
        mover is out of it; a box or a circle is not met twice on one straight way */
    bool ignore_overlap;
    /** in a tree: whether an item counts; NULL: every one does. May be asked more than once about
        an item */
    pqt_filter_fn *filter;
    void *context; /**< handed to the filter */
    pqt_query_stats
        *stats; /**< NULL, or adds up what was done in a tree; `boxes` are items compared */
} pqt_sweep_options;

/** Initial value of options: nothing is ignored, every item counts, nothing is counted. */
#define PQT_SWEEP_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_sweep_options), false, NULL, NULL, NULL                                         \
    }

/** @name Movers */
/** @{ */

/**
 * A box on its way.
 *
 * At a place the box is pqt_box_moved(shape, place). A shape {(0, 0), size} has its place in its
 * upper left corner, {-half, half} in its middle, and one in world units begins at (0, 0).
 *
 * @since 0.1
 */
PQT_API pqt_mover pqt_mover_box(pqt_box shape, pqt_vec from, pqt_vec to);

/** A circle on its way; its place is its centre. @since 0.1 */
PQT_API pqt_mover pqt_mover_circle(double radius, pqt_vec from, pqt_vec to);

/** Whether the shape is valid, and its box finite at both places. @since 0.1 */
PQT_API bool pqt_mover_is_valid(pqt_mover mover);

/** The box of a mover at a place; see pqt_box_moved and pqt_circle_box. @since 0.1 */
PQT_API pqt_box pqt_mover_box_at(pqt_mover mover, pqt_vec position);

/** Whether the insides of two movers meet if they are at these places. @since 0.1 */
PQT_API bool pqt_mover_overlaps(pqt_mover a, pqt_vec position_a, pqt_mover b, pqt_vec position_b);
/** @} */

/**
 * Sweeps one mover against another, both on their way at the same time.
 *
 *     pqt_mover first = pqt_mover_circle(1, a, a_to), second = pqt_mover_circle(1, b, b_to);
 *     pqt_sweep s = pqt_sweep_pair(first, second, NULL);
 *     if (s.status == PQT_SWEEP_HITS)
 *         ... they meet at s.stop and s.stop_b, at s.time
 *
 * @param a, b     the movers; what stands still has equal places
 * @param options  NULL for the defaults; only ignore_overlap is read
 * @return         what came of it; the normal leads from `b` to `a`
 *
 * @cost    O(1)
 * @thread  any number at once
 * @source  the difference of two shapes swept as a point: C. Ericson, Real-Time Collision
 *          Detection, 2005, section 5.5
 * @since   0.1
 */
PQT_API pqt_sweep pqt_sweep_pair(pqt_mover a, pqt_mover b, const pqt_sweep_options *options);

/**
 * Sweeps a mover through a version: the first item in its way stops it.
 *
 *     pqt_sweep s = pqt_tree_sweep(tree, pqt_mover_box(shape, from, to), NULL);
 *     place = s.stop;
 *
 * Of items that are met at the same time, one that blocks one axis comes before one that is met at
 * a corner; then the first in tree order. The stop is free of all items that count, but for those
 * ignored.
 *
 * @param tree     any version
 * @param mover    the shape and its way
 * @param options  NULL for the defaults
 * @return         what came of it
 *
 * @cost    O(log n) where items lie close; for a way that meets nothing, O(nodes near it)
 * @thread  any number at once
 * @source  as pqt_sweep_pair; the sides of boxes as slabs: Kay, Kajiya 1986, section 2
 * @since   0.1
 */
PQT_API pqt_sweep pqt_tree_sweep(const pqt_tree *tree, pqt_mover mover,
                                 const pqt_sweep_options *options);

/** What came of a slide. */
typedef struct pqt_slide {
    /** where it ended: free of all items that count; if it started overlapping, it may end within
        what it overlapped at the start */
    pqt_vec stop;
    unsigned bounces; /**< how many times it was turned by a hit */
    /** PQT_BLOCKED_X, PQT_BLOCKED_Y: all axes along which it was blocked, added up */
    unsigned blocked;
    pqt_sweep first; /**< the first sweep */
    pqt_sweep last;  /**< the one that ended it: what it rests on or stops at */
} pqt_slide;

/**
 * Moves through a version and slides along what is met.
 *
 * After a hit with a side the way goes on along the axis that is free, for what is left of it
 * there; after one with something round, along the tangent; after one of two corners, along the
 * axis on which more is left (x, if equal), past the other corner. It ends where nothing is left,
 * where it would lead back, or at the hit after the last bounce.
 *
 *     pqt_slide walk = pqt_tree_slide(tree, pqt_mover_box(shape, place, wish), 3, NULL);
 *     place = walk.stop;
 *     bool on_floor = (walk.blocked & PQT_BLOCKED_Y) != 0;
 *
 * @param tree     any version
 * @param mover    the shape and where it wishes to go
 * @param bounces  how many times it may be turned; 0: as pqt_tree_sweep. 3 do for most corners
 * @param options  NULL for the defaults
 * @return         what came of it; without a bounce if it started overlapping, unless that is
 *                 ignored
 *
 * @cost    that of bounces + 1 sweeps
 * @thread  any number at once
 * @since   0.1
 */
PQT_API pqt_slide pqt_tree_slide(const pqt_tree *tree, pqt_mover mover, unsigned bounces,
                                 const pqt_sweep_options *options);

PQT_END_DECLARATIONS

#endif
