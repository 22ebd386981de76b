/* SPDX-License-Identifier: MIT */
/**
 * @file region_sweep.h - sweeps of a region, a box, a circle or a convex against a region.
 *
 * As in sweep.h, shapes move in straight lines between two positions, both may move, and only
 * interiors collide. But nothing here is approximate: positions are rounded once to 1/1024 pixel
 * (region_overlap.h), and from then on everything is decided in integers. Two regions overlap
 * exactly while the offset between them is less than a pixel from the offset of some pair of their
 * pixels, on both axes. So a time is a quotient of two integers, and a blocked mover stops at a
 * position where it overlaps nothing.
 *
 * | event                                           | result
 * |-------------------------------------------------|----------------------------------------------
 * | touches, moves away or along                    | no hit
 * | touches, moves in                               | a hit at time 0, and the blocked axes
 * | touches at the end                              | no hit: PQT_SWEEP_TOUCHES
 * | grazes a corner                                 | no hit
 * | overlaps at the start, moving or at rest        | PQT_SWEEP_OVERLAPS, the time at which it is
 * |                                                 | out, the smallest push that moves it out
 * | the same with ignore_overlap, overlaps at the   | PQT_SWEEP_OVERLAPS at time 1, the stop is the
 * | end                                             | end
 * | the same with ignore_overlap, gets out          | the result of a sweep from there on
 * | motions too small for 1/1024 pixel              | rounded to none, or to one that hits
 *
 * An edge between two pixels stops nothing: a mover that rests on a floor slides along it freely.
 *
 * Circles and convexes are not made of pixels: their positions are not rounded, and their times are
 * doubles, decided as sweep.h describes.
 *
 * The mover is the first operand and the other region is the second, in pairs of pixels and in
 * pqt_cells too; see region_overlap.h.
 *
 * The functions here neither fail nor allocate. A position that is NaN, infinite or beyond
 * PQT_PIXEL_LIMIT, and an offset or a relative motion beyond it, give PQT_SWEEP_NONE: the stops are
 * the starting positions. A region without pixels is never hit.
 */
#ifndef PQT_REGION_SWEEP_H
#define PQT_REGION_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/box.h>
#include <pqt/export.h>
#include <pqt/query.h>
#include <pqt/region.h>
#include <pqt/region_overlap.h>
#include <pqt/sweep.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** One more flag of `blocked`, in addition to those of sweep.h. */
enum {
    PQT_BLOCKED_CORNER = 4 /**< each axis alone is free, both together are not: corner hit corner */
};

/** A quotient of two integers without a common divisor. */
typedef struct pqt_fraction {
    int64_t num; /**< the numerator */
    int64_t den; /**< the denominator, > 0; 0, with a numerator of 0, if there is no number */
} pqt_fraction;

/** A region and its motion. */
typedef struct pqt_region_mover {
    const pqt_region *region; /**< not NULL */
    pqt_vec from;             /**< the starting position: the displacement of the region, pixels */
    pqt_vec to;               /**< the end position, pixels; equal to `from` for a region at rest */
} pqt_region_mover;

/** Options of a sweep among pixels. Start from PQT_REGION_SWEEP_DEFAULTS. */
typedef struct pqt_region_sweep_options {
    size_t size; /**< sizeof(pqt_region_sweep_options), set by PQT_REGION_SWEEP_DEFAULTS */
    /** a mover that overlaps at the start moves freely until it is out, and can be hit only after
        that; if it does not get out before the end, the status is PQT_SWEEP_OVERLAPS and the time
        1 */
    bool ignore_overlap;
    /** `exit` of a mover that overlaps at the start is not worked out, but 0, as is `exact_exit`;
        without effect if ignore_overlap is set, which needs it */
    bool skip_exit;
    bool skip_push_out; /**< `push_out` of such a mover is not worked out, but 0, 0 */
    pqt_cells cells;    /**< side_a of the mover's cells, side_b of the other's */
    /** NULL, or increased by the pairs of squares: `nodes` that were divided; `leaves`, those of
        them within 64 x 64 pixels; `boxes` that would be hit */
    pqt_query_stats *stats;
} pqt_region_sweep_options;

/** Initial value of options: nothing is ignored or skipped, cells are pixels, no statistics. */
#define PQT_REGION_SWEEP_DEFAULTS                                                                  \
    {                                                                                              \
        sizeof(pqt_region_sweep_options), false, false, false, {1, 1, PQT_COARSE_OUTER}, NULL      \
    }

/** The result of a sweep among pixels. */
typedef struct pqt_region_sweep {
    pqt_sweep_status status; /**< see sweep.h */
    /** the time of the stop, as a fraction of the motion: 1 if the end was reached; 0/0 for a
        circle */
    pqt_fraction exact_time;
    double time; /**< the same, rounded */
    /** the position of the mover at that time: exact on a blocked axis, otherwise rounded to 1/1024
        pixel toward the start. The mover overlaps nothing there, unless the status is
        PQT_SWEEP_OVERLAPS: then it is the start, or the end if ignore_overlap allowed the motion */
    pqt_vec stop;
    pqt_vec stop_other; /**< the position of the other at that time */
    /** the axes along which the mover cannot move on from there: PQT_BLOCKED_X, PQT_BLOCKED_Y or
        both; all three flags for a corner. Also set if it ends in front of something. Otherwise
        0 */
    unsigned blocked;
    /** the unit vector that points out of the pixels that block it, against the motion on each
     * blocked axis; otherwise (0, 0) */
    pqt_vec normal;
    /** if blocked: the pair that overlaps if the mover moves on from its exact position at that
        time along the blocked axes only; `a` is the mover's pixel, `b` the other's. If there are
        several, it is the pair that pqt_region_first_overlap(mover, other, ..., PQT_FROM_TOP)
        finds. A pair that overlaps only if the mover moves along the other axis too is left out.
        For cells: the upper left pixels of any pair of them. For a box: `a` is 0, 0, and `b` the
        first pixel from the top. For a circle or a convex: `a` is 0, 0, and `b` the pixel nearest
        to the centre or to the convex; of several that it meets at one time, as doubles tell times
        apart, the highest one, and of these the leftmost one */
    pqt_pixel_pair met;
    /** if it overlaps at the start: the time at which the mover would be out, as a fraction of the
        motion, which may be above 1; 0/0 without a motion, and for a circle */
    pqt_fraction exact_exit;
    double exit; /**< the same, rounded; INFINITY without a motion; 0 if it does not overlap */
    /** if it overlaps at the start: the smallest displacement along one axis that moves it out,
        pixels; if several are equally small, the first of left, right, up, down */
    pqt_vec push_out;
} pqt_region_sweep;

/** The result of a slide. */
typedef struct pqt_region_slide {
    /** the status of the last sweep; PQT_SWEEP_OVERLAPS: the mover did not move, or, with
     * ignore_overlap, it reached its end without getting out */
    pqt_sweep_status status;
    pqt_vec stop;          /**< the end position; it overlaps nothing, unless the status says so */
    unsigned blocked;      /**< all flags that blocked it on its way, combined */
    unsigned bounces;      /**< the number of times that it gave up an axis of motion */
    pqt_region_sweep last; /**< the last sweep that was blocked; if none was, the only one */
} pqt_region_slide;

/**
 * Sweeps two regions against each other. Both move during the same time.
 *
 *     pqt_region_mover ship = {picture, here, there}, land = {terrain, {0, 0}, {0, 0}};
 *     pqt_region_sweep s = pqt_region_sweep_region(ship, land, NULL);
 *     here = s.stop;
 *
 * @param mover    the first region
 * @param other    the second region; the memories may differ
 * @param options  NULL means PQT_REGION_SWEEP_DEFAULTS; invalid cells are misuse
 * @return         the result
 *
 * @cost    O(squares near the path), nearest first: little more than the path to the first pair. If
 *          the regions overlap at the start, that cost for each full square on the path out, in
 *          five directions; for a mover of at most 64 x 64 pixels instead a test of its rows for
 *          each pixel of these paths, if that is less. skip_exit and skip_push_out leave this out
 * @thread  any number at once
 * @source  the set of offsets at which two shapes overlap, swept as a point: C. Ericson, Real-Time
 *          Collision Detection, 2005, section 5.5
 */
PQT_API pqt_region_sweep pqt_region_sweep_region(pqt_region_mover mover, pqt_region_mover other,
                                                 const pqt_region_sweep_options *options);

/**
 * Sweeps a box, a circle or a convex against a region. Both move during the same time.
 *
 *     pqt_mover ball = pqt_mover_circle(1.5, here, there);
 *     pqt_region_mover still = {land, {0, 0}, {0, 0}};
 *     pqt_region_sweep s = pqt_region_sweep_mover(ball, still, NULL);
 *     here = s.stop;
 *
 * The sides of a box are rounded to 1/1024 pixel, as positions are.
 *
 * A circle or a convex hits the region as it would hit the box of each pixel (pqt_sweep_pair), and
 * no edge between two pixels stops it. The stop is free: for a circle and a region at the position
 * 0, 0, pqt_region_overlaps_circle is false there. The normal is the one at the stop: if it is not
 * along an axis, as at a corner, both axes are blocked. If the shape touches something at the end,
 * the status says so, but not what. A convex of two vertices without a radius may pass between
 * pixels that only touch at a corner.
 *
 * @param mover    a box, a circle or a convex. The status is PQT_SWEEP_NONE for a box thinner than
 *                 1/1024 pixel, for a circle whose radius is 0 or not in 0..PQT_PIXEL_LIMIT, for a
 *                 convex that is not valid, and for a box or a convex that is beyond
 *                 PQT_PIXEL_LIMIT at the position 0, 0. For a point use pqt_region_cast_segment
 * @param other    the region
 * @param options  as for pqt_region_sweep_region; side_a is not used; for a circle and a convex the
 *                 `boxes` of the statistics are full squares compared
 * @return         the result
 *
 * @cost    O(squares near the path up to the hit), nearest first
 * @thread  any number at once
 */
PQT_API pqt_region_sweep pqt_region_sweep_mover(pqt_mover mover, pqt_region_mover other,
                                                const pqt_region_sweep_options *options);

/**
 * Slides a region along another one at rest: if one axis is blocked, it continues along the other.
 *
 * At a corner it keeps the axis on which more of the motion remains, x if equal.
 *
 * @param mover    the region, its position and its target
 * @param other    the region at rest, not NULL
 * @param at       the position of `other`
 * @param bounces  the maximum number of times that an axis is given up; more than 2 are never
 *                 needed
 * @param options  as for pqt_region_sweep_region
 * @return         the result
 *
 * @cost    that of at most bounces + 1 sweeps
 * @thread  any number at once
 */
PQT_API pqt_region_slide pqt_region_slide_region(pqt_region_mover mover, const pqt_region *other,
                                                 pqt_vec at, unsigned bounces,
                                                 const pqt_region_sweep_options *options);

/**
 * Slides a box, a circle or a convex along a region at rest; see pqt_region_slide_region and
 * pqt_region_sweep_mover.
 *
 * At a corner, a circle continues along the tangent, with the component of the motion along it, but
 * never back. So each corner of a slope is a bounce. Along an oblique side, a convex continues with
 * the component of the motion along that side, but never back, and keeps a distance of a few
 * rounding errors.
 *
 * @param mover    the shape, its position and its target
 * @param other    the region at rest, not NULL
 * @param at       the position of `other`
 * @param bounces  the maximum number of changes of direction; a box never needs more than 2
 * @param options  as for pqt_region_sweep_mover
 * @return         the result
 *
 * @cost    that of at most bounces + 1 sweeps
 * @thread  any number at once
 */
PQT_API pqt_region_slide pqt_region_slide_mover(pqt_mover mover, const pqt_region *other,
                                                pqt_vec at, unsigned bounces,
                                                const pqt_region_sweep_options *options);

PQT_END_DECLARATIONS

#endif
