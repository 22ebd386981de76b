/* SPDX-License-Identifier: MIT */
/*
 * region_shape_support.h: sweeps of circles and convexes among pixels, compared with a sweep
 * against the box of each pixel.
 */
#ifndef TEST_REGION_SHAPE_SUPPORT_H
#define TEST_REGION_SHAPE_SUPPORT_H

#include <math.h>

#include <pqt/region_sweep.h>
#include <pqt/segment.h>

#include "collision/mover.h"
#include "random.h"
#include "region_overlap_support.h"
#include "region_pixel_lists.h"
#include "sweep_model.h"

static inline pqt_mover
pixel_mover(pqt_pixel p, pqt_region_mover way)
{
    return pqt_mover_box((pqt_box){{p.x, p.y}, {p.x + 1, p.y + 1}}, way.from, way.to);
}

/* Returns the first hit among sweeps against single pixels, or an overlap with one of them. */
static inline pqt_sweep
first_of_pixels(const sketch *s, pqt_mover mover, pqt_region_mover other)
{
    pqt_sweep first = {.status = PQT_SWEEP_FREE, .time = 2};
    for (size_t i = 0; i < s->count; i++) {
        const pqt_sweep one = pqt_sweep_pair(mover, pixel_mover(s->pixels[i], other), NULL);
        if (one.status == PQT_SWEEP_OVERLAPS)
            return one;
        if (one.status == PQT_SWEEP_HITS && one.time < first.time)
            first = one;
        else if (one.status == PQT_SWEEP_TOUCHES && first.status == PQT_SWEEP_FREE)
            first.status = PQT_SWEEP_TOUCHES;
    }
    return first;
}

static inline bool
overlaps_pixel(const sketch *s, pqt_mover mover, pqt_vec at, pqt_vec position)
{
    for (size_t i = 0; i < s->count; i++) {
        const pqt_mover pixel =
            pixel_mover(s->pixels[i], (pqt_region_mover){NULL, position, position});
        if (pqti_mover_overlaps(&mover, at, &pixel, position))
            return true;
    }
    return false;
}

static inline double
draw_number(dice *d, double middle)
{
    static const double some[] = {0, 0.5, -1, 1, 2, 3.25, -7};
    if (dice_chance(d, 40))
        return floor(middle) + some[dice_below(d, sizeof some / sizeof *some)];
    return middle + (dice_real(d) - 0.5) * 40;
}

static inline pqt_vec
draw_position(dice *d, pqt_vec middle)
{
    const double x = draw_number(d, middle.x);
    return (pqt_vec){x, draw_number(d, middle.y)};
}

/* ---- Comparisons ---- */

/* Distances are in pixels. Coordinates are below 1000. */
#define SHAPE_ERROR 1e-9

/* Returns the gap between a mover and a pixel at the stop. Stores the distance by which the mover
 * must move along the normal until they are apart. */
static inline double
gap_at_stop(pqt_mover mover, pqt_pixel p, const pqt_region_sweep *result, double *inside)
{
    sweep_model m;
    mover.from = mover.to = result->stop;
    const pqt_mover pixel =
        pixel_mover(p, (pqt_region_mover){NULL, result->stop_other, result->stop_other});
    sweep_model_set(&m, &mover, &pixel);
    *inside = (double)ldexpl(sweep_model_depth_along(&m, m.start, result->normal), m.unit);
    return (double)ldexpl(sweep_model_place(&m, m.start).gap, m.unit);
}

/* Requires the normal, the blocked axes and the pixel of a hit: the mover touches the pixel, and
 * the normal separates them and is against the motion. */
static inline void
check_side(const sketch *s, pqt_mover mover, pqt_region_mover other, const pqt_region_sweep *result,
           size_t round)
{
    const pqt_vec motion = pqt_vec_subtract(pqt_vec_subtract(mover.to, mover.from),
                                            pqt_vec_subtract(other.to, other.from));
    require(fabs(pqt_vec_length(result->normal) - 1) < 1e-12, round, "the normal");
    require(pqt_vec_dot(result->normal, motion) < SHAPE_ERROR, round, "a normal along the motion");
    require(result->blocked == ((result->normal.x != 0 ? PQT_BLOCKED_X : 0u) |
                                (result->normal.y != 0 ? PQT_BLOCKED_Y : 0u)),
            round, "the blocked axes");
    const pqt_pixel met = result->met.b;
    require(sketch_has(s, met.x, met.y) && result->met.a.x == 0 && result->met.a.y == 0, round,
            "the pixel exists");
    double inside;
    require(fabs(gap_at_stop(mover, met, result, &inside)) < SHAPE_ERROR, round,
            "the pixel is touched");
    require(inside < 1e-6, round, "the normal separates the mover from the pixel");
}

/* Requires the smallest push along an axis, and the exit. */
static inline void
check_way_out(const sketch *s, pqt_mover mover, pqt_region_mover other,
              const pqt_region_sweep *result, size_t round)
{
    static const pqt_vec ways[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const pqt_vec out = result->push_out;
    require((out.x == 0) != (out.y == 0), round, "the push is along one axis");
    require(!overlaps_pixel(s, mover, pqt_vec_add(mover.from, out), other.from), round,
            "the push is too small");
    const double length = fabs(out.x) + fabs(out.y);
    for (int i = 0; i < 4; i++)
        require(overlaps_pixel(s, mover,
                               pqt_vec_add(mover.from, pqt_vec_scale(ways[i], length * 0.999)),
                               other.from),
                round, "there is a smaller push");
    if (result->exit > 1)
        return;
    const pqt_segment way = {mover.from, mover.to}, way_of_other = {other.from, other.to};
    const double t = result->exit;
    require(!overlaps_pixel(s, mover, pqt_segment_at(way, t), pqt_segment_at(way_of_other, t)),
            round, "the exit is too early");
    for (int i = 0; i < 8; i++)
        require(overlaps_pixel(s, mover, pqt_segment_at(way, t * i / 8),
                               pqt_segment_at(way_of_other, t * i / 8)),
                round, "the exit is too late");
}

#endif
