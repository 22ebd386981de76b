/* SPDX-License-Identifier: MIT */
/* tree_bounds.c: bounds, boxes and windows that are difficult for a tree. */
#include "tree_bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

const world worlds[] = {
    {"8 x 8", {{0, 0}, {8, 8}}},
    {"400 x 100", {{0, 0}, {400, 100}}},
    {"the globe", {{-180, -90}, {180, 90}}},
    {"tall", {{-3, -1000}, {4, 1000}}},
    {"5e6 + 100", {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}}},
    {"a day of seconds", {{1.7e9, 0}, {1.7e9 + 3600, 24}}},
    {"0 .. 1e300", {{0, 0}, {1e300, 1e300}}},
    {"0 .. 1e-300", {{0, 0}, {1e-300, 1e-300}}},
    {"all doubles", {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}}},
    {"a point", {{5, 5}, {5, 5}}},
    {"a line", {{0, 7}, {100, 7}}},
    {"smallest doubles", {{-0x1p-1070, 0}, {0x1p-1070, 0x1p-1074}}},
    {"an ulp", {{1, 1}, {1 + 0x1p-52, 1 + 0x1p-51}}},
};

const size_t worlds_count = sizeof worlds / sizeof *worlds;

const char *
box_layout_name(box_layout kind)
{
    static const char *const names[BOX_LAYOUTS] = {
        "mixed", "uniform", "grid",   "nudged", "points", "identical",
        "thin",  "large",   "nested", "clump",  "corner", "outside",
    };
    return names[kind];
}

/* Returns the coordinate at a fraction of an interval. It is exact on grid lines if doubles can
 * represent it. */
static double
at(double low, double high, double fraction)
{
    return low * (1 - fraction) + high * fraction;
}

static double
clamp_to_interval(double value)
{
    if (value > DBL_MAX)
        return DBL_MAX;
    return value < -DBL_MAX ? -DBL_MAX : value;
}

/* Returns the next double upwards or downwards. */
static double
nudge(double value, bool up)
{
    int64_t bits;
    if (value == 0)
        return up ? 0x1p-1074 : -0x1p-1074;
    memcpy(&bits, &value, sizeof bits);
    bits += (value > 0) == up ? 1 : -1;
    memcpy(&value, &bits, sizeof value);
    return clamp_to_interval(value);
}

/* An interval on one axis. */
typedef struct span {
    double min, max;
} span;

static span
span_between(double a, double b)
{
    a = clamp_to_interval(a);
    b = clamp_to_interval(b);
    return a < b ? (span){a, b} : (span){b, a};
}

static span
span_around(double centre, double half)
{
    return span_between(centre - half, centre + half);
}

/* Returns half of the extent of an axis. The whole extent may exceed the largest double. */
static double
half_of(span whole)
{
    return whole.max / 2 - whole.min / 2;
}

static span
draw_grid(dice *d, span whole)
{
    int depth = (int)dice_below(d, 7);
    double steps = ldexp(1, depth);
    double from = (double)dice_below(d, (size_t)steps + 1) / steps;
    double most = dice_chance(d, 50) ? 1 : steps;
    double to = from + (double)dice_below(d, (size_t)most + 1) / steps;
    return span_between(at(whole.min, whole.max, from), at(whole.min, whole.max, to < 1 ? to : 1));
}

static span
draw_nudged(dice *d, span whole)
{
    span s = draw_grid(d, whole);
    bool point = s.min == s.max && dice_chance(d, 50);
    s.min = dice_chance(d, 60) ? nudge(s.min, dice_chance(d, 50)) : s.min;
    s.max = point ? s.min : dice_chance(d, 60) ? nudge(s.max, dice_chance(d, 50)) : s.max;
    return span_between(s.min, s.max);
}

static span
draw_outside(dice *d, span whole)
{
    double half = half_of(whole);
    double away = dice_real(d) * 2;
    double size = dice_chance(d, 50) ? 0 : half * dice_real(d) * 0.1;
    bool low = dice_chance(d, 50);
    double edge = low ? whole.min : whole.max;
    if (dice_chance(d, 20))
        return span_around(dice_chance(d, 50) ? DBL_MAX : -DBL_MAX, dice_real(d));
    if (dice_chance(d, 30))
        return span_around(ldexp(dice_real(d) - 0.5, (int)dice_below(d, 2000) - 1000), size);
    if (dice_chance(d, 20))
        return span_around(nudge(edge, !low), 0);
    return span_around(
        low ? clamp_to_interval(edge - half * away) : clamp_to_interval(edge + half * away), size);
}

static span
draw_identical(dice *d, span whole)
{
    static const double from[] = {0.25, 0.3, 0.5};
    static const double to[] = {0.25, 0.31, 0.75};
    size_t which = dice_below(d, 3);
    return span_between(at(whole.min, whole.max, from[which]), at(whole.min, whole.max, to[which]));
}

static span
draw_nested(dice *d, span whole)
{
    double half = half_of(whole) * ldexp(1, 1 - (int)dice_below(d, 30));
    return span_around(at(whole.min, whole.max, 0.625), dice_chance(d, 30) ? half * 1.01 : half);
}

static span
draw_corner(dice *d, span whole)
{
    int levels = dice_chance(d, 85) ? 20 : (int)dice_below(d, 26);
    double fraction = 0.3 + ldexp(dice_real(d) - 0.3, -levels);
    return span_around(at(whole.min, whole.max, fraction), half_of(whole) * 1e-8 * dice_real(d));
}

/* Draws one axis of a box. `second` selects the axis for distributions in which the axes differ. */
static span
draw_span(dice *d, span whole, box_layout kind, bool second)
{
    double half = half_of(whole);
    double u = dice_real(d);
    switch (kind) {
    case BOXES_GRID:
        return draw_grid(d, whole);
    case BOXES_NUDGED:
        return draw_nudged(d, whole);
    case BOXES_POINTS:
        return span_around(at(whole.min, whole.max, (double)dice_below(d, 9) / 8), 0);
    case BOXES_IDENTICAL:
        return draw_identical(d, whole);
    case BOXES_THIN:
        return span_around(at(whole.min, whole.max, u), second ? half * 1e-4 : half * 0.5);
    case BOXES_LARGE:
        return span_around(at(whole.min, whole.max, 0.5 + (u - 0.5) * 0.1),
                           half * (0.95 + 0.1 * dice_real(d)));
    case BOXES_NESTED:
        return draw_nested(d, whole);
    case BOXES_CLUMP:
        return span_around(at(whole.min, whole.max, 0.3 + u * 1e-6), half * 1e-8 * dice_real(d));
    case BOXES_CORNER:
        return draw_corner(d, whole);
    case BOXES_OUTSIDE:
        return draw_outside(d, whole);
    default:
        return span_around(at(whole.min, whole.max, u), half * 0.05 * dice_real(d) * dice_real(d));
    }
}

static double
sign_a_zero(dice *d, double value)
{
    return value == 0 && dice_chance(d, 10) ? -0.0 : value;
}

pqt_box
draw_box(dice *d, pqt_box bounds, box_layout kind)
{
    span across = {bounds.min.x, bounds.max.x};
    span down = {bounds.min.y, bounds.max.y};
    bool turned = dice_chance(d, 30);
    pqt_box box;
    if (kind == BOXES_MIXED)
        kind = (box_layout)(1 + dice_below(d, BOX_LAYOUTS - 1));
    across = draw_span(d, across, kind, turned);
    /* An outlier may be outside on one axis only. */
    if (kind == BOXES_OUTSIDE && dice_chance(d, 60))
        kind = BOXES_UNIFORM;
    down = draw_span(d, down, kind, !turned);
    box.min.x = sign_a_zero(d, across.min);
    box.min.y = sign_a_zero(d, down.min);
    box.max.x = sign_a_zero(d, across.max);
    box.max.y = sign_a_zero(d, down.max);
    return box;
}

static double *
any_side(dice *d, pqt_box *box)
{
    double *const sides[] = {&box->min.x, &box->min.y, &box->max.x, &box->max.y};
    return sides[dice_below(d, 4)];
}

static pqt_box
draw_infinite(dice *d, pqt_box window)
{
    if (dice_chance(d, 40))
        return (pqt_box){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    window.min.x = dice_chance(d, 40) ? -INFINITY : window.min.x;
    window.min.y = dice_chance(d, 40) ? -INFINITY : window.min.y;
    window.max.x = dice_chance(d, 40) ? INFINITY : window.max.x;
    window.max.y = dice_chance(d, 40) ? INFINITY : window.max.y;
    if (dice_chance(d, 10))
        window.min.x = window.max.x;
    return window;
}

pqt_box
draw_window(dice *d, pqt_box bounds, box_layout kind)
{
    pqt_box window = draw_box(d, bounds, dice_chance(d, 40) ? kind : BOXES_MIXED);
    pqt_box other = draw_box(d, bounds, BOXES_MIXED);
    switch (dice_below(d, 12)) {
    case 0:
        window.max = window.min;
        break;
    case 1:
        return draw_infinite(d, window);
    case 2:
        if (dice_chance(d, 50))
            *any_side(d, &window) = NAN;
        break;
    case 3:
        if (dice_chance(d, 50))
            *any_side(d, &window) = *any_side(d, &other);
        break;
    case 4:
        return bounds;
    case 5:
    case 6:
    case 7:
        /* The window is large: it covers two boxes. */
        window.min.x = window.min.x < other.min.x ? window.min.x : other.min.x;
        window.min.y = window.min.y < other.min.y ? window.min.y : other.min.y;
        window.max.x = window.max.x > other.max.x ? window.max.x : other.max.x;
        window.max.y = window.max.y > other.max.y ? window.max.y : other.max.y;
        break;
    default:
        break;
    }
    return window;
}
