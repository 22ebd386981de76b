/* SPDX-License-Identifier: MIT */
/**
 * @file region_sweep.h - how far a region, a box or a circle gets among the pixels of a region.
 *
 * As in sweep.h a way leads from one place to another, both may move, and only insides meet. But
 * here nothing is nearly so: places are rounded once to 1/1024 pixel (region_overlap.h), and from
 * there on all is decided in whole numbers. Two regions overlap exactly while the offset between
 * them is less than a pixel from that of some two pixels of theirs, on both axes; so a time is a
 * fraction of two whole numbers, and what is blocked stops at a place that overlaps nothing.
 *
 * | what happens                                    | what is told
 * |-------------------------------------------------|----------------------------------------------
 * | touching, moving away or along                  | no hit
 * | touching, moving in                             | a hit at time 0, and which axes are blocked
 * | ends exactly touching                           | no hit: PQT_SWEEP_TOUCHES
 * | grazes a corner                                 | no hit
 * | starts overlapping, whether it moves or not     | PQT_SWEEP_OVERLAPS, when it would be out, the
 * |                                                 | smallest push that takes it out
 * | the same with ignore_overlap, ends within       | PQT_SWEEP_OVERLAPS at time 1, the stop is the
 * |                                                 | end
 * | the same with ignore_overlap, gets out          | what a sweep from there on gives
 * | steps too small for 1/1024 pixel                | round to no movement, or to a step that hits
 *
 * An edge between two pixels stops nothing: what rests on a floor slides along it freely.
 *
 * A circle is not made of pixels: its places are not rounded, and times are doubles, decided as
 * sweep.h tells.
 *
 * Nothing here fails or allocates. A place that is NaN or infinite, or beyond PQT_PIXEL_LIMIT, and
 * an offset or a relative movement beyond it, is PQT_SWEEP_NONE: the stops are the places given. A
 * region without pixels is never met.
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

/** One more kind of being blocked, added to those of sweep.h. */
enum {
    PQT_BLOCKED_CORNER = 4 /**< each axis alone is free, both together are not: corner met corner */
};

/** A quotient of two whole numbers, without a common divisor. */
typedef struct pqt_fraction {
    int64_t num, den; /**< under > 0; 0, 0 stands for no number */
} pqt_fraction;

/** A region on its way. */
typedef struct pqt_region_mover {
    const pqt_region *region; /**< not NULL */
    pqt_vec from, to;         /**< places, pixels: how far it is moved; equal if it rests */
} pqt_region_mover;

/** How a sweep among pixels is done. Start from PQT_REGION_SWEEP_DEFAULTS. */
typedef struct pqt_region_sweep_options {
    size_t size; /**< sizeof(pqt_region_sweep_options), set by PQT_REGION_SWEEP_DEFAULTS */
    /** what overlaps at the start moves freely until it is out, and can be hit only after that; if
        the end comes sooner, the status is PQT_SWEEP_OVERLAPS and the time 1 */
    bool ignore_overlap;
    pqt_cells cells; /**< side_a of the mover's cells, side_b of the other's */
    /** NULL, or adds up pairs of squares: nodes, those divided; leaves, those of them within 64 x
        64 pixels; boxes, those that would be met */
    pqt_query_stats *stats;
} pqt_region_sweep_options;

/** Initial value of options: nothing is ignored, pixels are read as they are, nothing is
    counted. */
#define PQT_REGION_SWEEP_DEFAULTS                                                                  \
    {                                                                                              \
        sizeof(pqt_region_sweep_options), false, {1, 1, PQT_COARSE_OUTER}, NULL                    \
    }

/** What came of a sweep among pixels. */
typedef struct pqt_region_sweep {
    pqt_sweep_status status; /**< see sweep.h */
    /** when it stopped, as a fraction of the way: 1 if the end was reached; 0, 0 of a circle */
    pqt_fraction exact_time;
    double time; /**< the same, rounded */
    /** the place of the mover then: exactly where it was blocked, on an axis that is; else rounded
        to a step toward the start. It overlaps nothing, unless the status is PQT_SWEEP_OVERLAPS:
        then it is the start, or the end if ignore_overlap let the mover go on */
    pqt_vec stop;
    pqt_vec stop_other; /**< the place of the other then */
    /** PQT_BLOCKED_X, _Y or both: along which axis alone it could not go on from there; for a
        corner, all three. Also told if it ends before something. Else 0 */
    unsigned blocked;
    /** of length 1, out of what blocks, against the way on each blocked axis; else 0, 0 */
    pqt_vec normal;
    /** if blocked: the mover's pixel and the other's that overlap if the mover goes on from its
        exact place at that time along the blocked axes alone; of several, the first from the top. A
        pair that overlaps only if it goes on along the other axis as well is left out. Of cells,
        their upper left pixels; of a box and of a circle, a is 0, 0; of a circle, b is the pixel
        nearest to its centre */
    pqt_pixel_pair met;
    /** if it overlaps at the start: when it would be out, as a fraction of the way, which may be
        above 1; 0, 0 without a movement, and of a circle */
    pqt_fraction exact_exit;
    double exit; /**< the same, rounded; INFINITY without a movement; 0 if it does not overlap */
    /** if it overlaps at the start: the smallest movement from there along one axis that takes it
        out, pixels; of equal ones, to the left, to the right, up, down in this order */
    pqt_vec push_out;
} pqt_region_sweep;

/** What came of a slide. */
typedef struct pqt_region_slide {
    /** as of the last sweep; PQT_SWEEP_OVERLAPS: it did not move, or, with ignore_overlap, it ended
        where it was to go without getting out */
    pqt_sweep_status status;
    pqt_vec stop;          /**< where it came to: it overlaps nothing, unless the status says so */
    unsigned blocked;      /**< all that blocked it on the way, added up */
    unsigned bounces;      /**< how often it gave up an axis */
    pqt_region_sweep last; /**< the last sweep that was blocked; if none was, the only one */
} pqt_region_slide;

/**
 * Sweeps a region against another, both on their way at the same time.
 *
 *     pqt_region_mover ship = {picture, here, there}, land = {terrain, {0, 0}, {0, 0}};
 *     pqt_region_sweep s = pqt_region_sweep_region(ship, land, NULL);
 *     here = s.stop;
 *
 * @param mover, other  the regions; their memories may differ
 * @param options       NULL: the defaults; cells that are not valid are a mistake of the caller
 * @return              what came of it
 *
 * @cost    O(squares near the way), nearest first: little more than the way to the first pair that
 *          meets. If it starts overlapping, as often as there are full squares on the way out, in
 *          five directions
 * @thread  any number at once
 * @source  the set of offsets at which two shapes meet, swept as a point: C. Ericson, Real-Time
 *          Collision Detection, 2005, section 5.5
 * @since   0.1
 */
PQT_API pqt_region_sweep pqt_region_sweep_region(pqt_region_mover mover, pqt_region_mover other,
                                                 const pqt_region_sweep_options *options);

/**
 * Sweeps a box against a region, both on their way at the same time.
 *
 * The box's sides are rounded to 1/1024 pixel, as places are.
 *
 * @param mover    a box; a mover that is none, one whose box leaves PQT_PIXEL_LIMIT at the place
 *                 0, 0, and one thinner than 1/1024 pixel give PQT_SWEEP_NONE
 * @param options  as for pqt_region_sweep_region; side_a is not read
 * @since 0.1
 */
PQT_API pqt_region_sweep pqt_region_sweep_box(pqt_mover mover, pqt_region_mover other,
                                              const pqt_region_sweep_options *options);

/**
 * Sweeps a circle against a region, both on their way at the same time.
 *
 * The circle is met as each pixel's box would meet it (pqt_sweep_pair), and no edge between two
 * pixels stops it. The stop is free as pqt_region_overlaps_circle tells for a region at the place
 * 0, 0. The normal is that at the stop: beside a corner it is slanted, and both axes are blocked.
 * Where the end touches something, the status tells, but not what.
 *
 *     pqt_mover ball = pqt_mover_circle(1.5, here, there);
 *     pqt_region_mover still = {land, {0, 0}, {0, 0}};
 *     pqt_region_sweep s = pqt_region_sweep_circle(ball, still, NULL);
 *     here = s.stop;
 *
 * @param mover    a circle; a mover that is none, and one whose radius is not in 0..PQT_PIXEL_LIMIT
 *                 or is 0, gives PQT_SWEEP_NONE: for a point there is pqt_region_cast_segment
 * @param options  as for pqt_region_sweep_region; side_a is not read. The tally's boxes are full
 *                 squares compared
 *
 * @cost    O(squares near the way up to the hit), nearest first
 * @thread  any number at once
 * @since   0.1
 */
PQT_API pqt_region_sweep pqt_region_sweep_circle(pqt_mover mover, pqt_region_mover other,
                                                 const pqt_region_sweep_options *options);

/**
 * Slides a region along another that rests: where one axis is blocked, it goes on along the other.
 *
 * At a corner the axis with the longer way left is kept, x of two equal ones.
 *
 * @param mover    the region and where it is to go
 * @param other    what it slides along
 * @param at       the place of that
 * @param bounces  how often an axis is given up at most; more than 2 are never needed
 * @param options  as for pqt_region_sweep_region
 * @since 0.1
 */
PQT_API pqt_region_slide pqt_region_slide_region(pqt_region_mover mover, const pqt_region *other,
                                                 pqt_vec at, unsigned bounces,
                                                 const pqt_region_sweep_options *options);

/** Slides a box along a region that rests; see pqt_region_slide_region and pqt_region_sweep_box.
    @since 0.1 */
PQT_API pqt_region_slide pqt_region_slide_box(pqt_mover mover, const pqt_region *other, pqt_vec at,
                                              unsigned bounces,
                                              const pqt_region_sweep_options *options);

/**
 * Slides a circle along a region that rests; see pqt_region_slide_region and
 * pqt_region_sweep_circle.
 *
 * At a corner it goes on along the tangent, for as much of the way as leads along it, but never
 * back. Then each corner of a slope is a bounce.
 *
 * @since 0.1
 */
PQT_API pqt_region_slide pqt_region_slide_circle(pqt_mover mover, const pqt_region *other,
                                                 pqt_vec at, unsigned bounces,
                                                 const pqt_region_sweep_options *options);

PQT_END_DECLARATIONS

#endif
