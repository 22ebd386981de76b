/* SPDX-License-Identifier: MIT */
/*
 * sweep_support.h: random movers, and an exact integer test of whether boxes hit each other.
 *
 * The library computes the time at which boxes overlap on each axis. This header clips the motion
 * to the part in which the boxes overlap, one axis after the other, with fractions of integers
 * (exact_segment.h).
 */
#ifndef TEST_SWEEP_SUPPORT_H
#define TEST_SWEEP_SUPPORT_H

#include <math.h>

#include <pqt/contact.h>
#include <pqt/sweep.h>

#include "collision/mover.h"
#include "exact_segment.h"
#include "random.h"
#include "tree_support.h"

static inline pqt_vec
at(double x, double y)
{
    return (pqt_vec){x, y};
}

/* ---- Movers ---- */

static const pqt_box unit_box = {{0, 0}, {1, 1}};

static inline pqt_mover
still(pqt_box b)
{
    return pqt_mover_box(b, at(0, 0), at(0, 0));
}

static inline pqt_mover
still_circle(double x, double y, double radius)
{
    return pqt_mover_circle(radius, at(x, y), at(x, y));
}

static inline bool
movers_overlap(pqt_mover a, pqt_vec position_a, pqt_mover b, pqt_vec position_b)
{
    return pqti_mover_overlaps(&a, position_a, &b, position_b);
}

static inline pqt_box
box_of_mover(pqt_mover mover, pqt_vec position)
{
    return pqti_mover_box_at(&mover, position);
}

static inline pqt_sweep
swept(pqt_mover a, pqt_mover b)
{
    return pqt_sweep_pair(a, b, NULL);
}

/* ---- Random movers ---- */

/* A size and an origin: 1 near 0; 1 near 1e9; 1e-9 near 0; and so on. */
typedef struct sweep_scale {
    double middle, size;
} sweep_scale;

static const sweep_scale sweep_scales[] = {{0, 1},      {1e9, 1},    {0, 1e-9},  {0, 1e9},
                                           {-1e9, 1e3}, {1, 1e-9},   {0, 1e300}, {0, 1e-300},
                                           {1e6, 1e-3}, {12345, 0.1}};
enum { SWEEP_SCALES = sizeof sweep_scales / sizeof *sweep_scales };

/* Draws a coordinate. It is often on a grid of eighths, and sometimes about an ulp away from it. */
static inline double
draw_number(dice *d, const sweep_scale *scale, double extent)
{
    double unit = (dice_real(d) * 2 - 1) * extent;
    if (dice_chance(d, 50))
        unit = floor(unit * 8) / 8;
    double value = scale->middle + unit * scale->size;
    if (dice_chance(d, 10))
        value = nextafter(value, dice_chance(d, 50) ? INFINITY : -INFINITY);
    return value;
}

static inline pqt_vec
draw_position(dice *d, const sweep_scale *scale, double extent)
{
    double x = draw_number(d, scale, extent);
    return at(x, draw_number(d, scale, extent));
}

/* Draws the end of a motion: anywhere, along an axis, or very close to its start. */
static inline pqt_vec
draw_end(dice *d, const sweep_scale *scale, pqt_vec from)
{
    pqt_vec to = draw_position(d, scale, 4);
    if (dice_chance(d, 20))
        to.x = from.x;
    if (dice_chance(d, 20))
        to.y = from.y;
    if (dice_chance(d, 10)) {
        to.x = from.x + (to.x - from.x) * 0x1p-30;
        to.y = from.y + (to.y - from.y) * 0x1p-30;
    }
    return to;
}

/* Makes a line, or a box that is too wide to be rounded to a line. */
static inline double
thickened(double min, double max, const sweep_scale *scale)
{
    return max - min < 1e-3 * scale->size ? min : max;
}

static inline pqt_box
draw_shape(dice *d, const sweep_scale *scale)
{
    const sweep_scale around = {0, scale->size};
    pqt_vec a = draw_position(d, &around, 1), b = draw_position(d, &around, 1);
    if (dice_chance(d, 10))
        b.x = a.x;
    if (dice_chance(d, 10))
        b.y = a.y;
    double min_x = fmin(a.x, b.x), min_y = fmin(a.y, b.y);
    return box(min_x, min_y, thickened(min_x, fmax(a.x, b.x), scale),
               thickened(min_y, fmax(a.y, b.y), scale));
}

static inline pqt_mover
draw_mover(dice *d, const sweep_scale *scale, bool circle, bool moves)
{
    const sweep_scale around = {0, scale->size};
    pqt_vec from = draw_position(d, scale, 4);
    pqt_vec to = moves ? draw_end(d, scale, from) : from;
    if (circle)
        return pqt_mover_circle(thickened(0, fabs(draw_number(d, &around, 1)), scale), from, to);
    return pqt_mover_box(draw_shape(d, scale), from, to);
}

/* ---- Boxes in integers ---- */

/* One axis: the motion of the first box, and the sides of both boxes, as in toi.h. */
typedef struct exact_axis {
    double from, to, min, max;
    double other_min, other_max;
} exact_axis;

/* The part of the motion in which the boxes overlap. */
typedef struct exact_part {
    fraction begin, end;
} exact_part;

static inline int
least_place(const exact_axis *axis, int unit)
{
    const double numbers[] = {axis->from, axis->to,        axis->min,
                              axis->max,  axis->other_min, axis->other_max};
    for (size_t i = 0; i < 6; i++)
        unit = last_place(numbers[i]) < unit ? last_place(numbers[i]) : unit;
    return unit;
}

/* Returns side - end - from as an integer. */
static inline whole
exact_gap(double side, double end, double from, int unit)
{
    whole of_side = whole_of(side, unit), of_end = whole_of(end, unit),
          of_from = whole_of(from, unit);
    whole gap = whole_subtract(&of_side, &of_end);
    return whole_subtract(&gap, &of_from);
}

static inline void
cut_part(exact_part *part, whole begin, whole end, whole way)
{
    if (way.negative) {
        whole swap = begin;
        begin = end;
        end = swap;
        way.negative = false;
        begin.negative = !begin.negative;
        end.negative = !end.negative;
    }
    fraction from = {begin, way}, until = {end, way};
    if (fraction_is_less(&part->begin, &from))
        part->begin = from;
    if (fraction_is_less(&until, &part->end))
        part->end = until;
}

/* Clips the motion on one axis. Returns false if certainly nothing is left. */
static inline bool
cut_to_overlap(exact_part *part, const exact_axis *axis, int unit)
{
    const whole zero = {.count = 0};
    whole begin = exact_gap(axis->other_min, axis->max, axis->from, unit);
    whole end = exact_gap(axis->other_max, axis->min, axis->from, unit);
    whole from = whole_of(axis->from, unit), to = whole_of(axis->to, unit);
    whole way = whole_subtract(&to, &from);
    /* If the rounded boxes are apart at the start, only a motion toward the other box makes them
     * overlap, so the part does not extend to the other side of the start. If rounding makes both
     * boxes flat, so that each is on both sides of the other, the direction of motion decides. */
    bool before = axis->from + axis->max <= axis->other_min;
    bool behind = axis->other_max <= axis->from + axis->min;
    if (before && !(behind && way.negative) && whole_compare(&begin, &zero) < 0)
        begin = zero;
    if (behind && !(before && !way.negative) && whole_compare(&end, &zero) > 0)
        end = zero;
    if (way.count == 0)
        return whole_compare(&begin, &zero) < 0 && whole_compare(&zero, &end) < 0;
    cut_part(part, begin, end, way);
    return true;
}

/* Returns true if a moving box overlaps a fixed one during its motion. They do not overlap at the
 * start. */
static inline bool
exactly_hits(const pqt_mover *a, pqt_box b)
{
    const exact_axis x = {a->from.x, a->to.x, a->box.min.x, a->box.max.x, b.min.x, b.max.x};
    const exact_axis y = {a->from.y, a->to.y, a->box.min.y, a->box.max.y, b.min.y, b.max.y};
    const whole one = {.count = 1, .words = {1}};
    int unit = least_place(&y, least_place(&x, 0));
    exact_part part = {{.under = one}, {one, one}};
    return cut_to_overlap(&part, &x, unit) && cut_to_overlap(&part, &y, unit) &&
           fraction_is_less(&part.begin, &part.end);
}

#endif
