/* SPDX-License-Identifier: MIT */
/*
 * toi_box.c - when two boxes meet, decided exactly.
 *
 * On each axis the boxes come to overlap at one fraction of the way and cease to at another, both
 * quotients of sums of at most four doubles. They hit if they have come to overlap on both axes
 * before they cease to on either, and before the end. So all is about the order of such quotients:
 * plain doubles tell it unless they are too close, and then the products are added up without
 * rounding (exact.h).
 *
 * At the start the rounded boxes decide whether an axis is apart. Boxes that are apart by rounding
 * but not in truth come to overlap at once: their quotient below 0 counts as 0.
 */
#include "config.h"

#include <math.h>
#include <stddef.h>

#include "base/exact.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

enum { TERMS = 4 };

/* A sum of doubles. */
typedef struct length {
    double terms[TERMS];
    double value; /* within an ulp of it, and COARSE of its size */
    double size;  /* of its terms in sum */
} length;

/* Of the size, more than what a compensated sum of four loses; and of a value, more than what two
 * products and their difference do. */
#define COARSE 0x1p-96
#define FINE 0x1p-49

/* More than what products lose among the smallest doubles. */
#define LOSS 0x1p-1060

/* Lengths beyond these are brought nearer to 1 before they are multiplied. */
#define LARGE 0x1p480
#define SMALL 0x1p-380
#define SCALE 0x1p540

/* One axis on the way. */
typedef struct passage {
    int heading;        /* to which side a moves, as seen from b: -1, 0, 1 */
    int apart;          /* at the start */
    length way;         /* how far it moves, > 0 */
    length entry, exit; /* how far until they come to overlap, and until they cease to */
} passage;

/* T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", 2005, algorithm 4.4. */
static length
length_of(double a, double b, double c, double d)
{
    length sum = {.terms = {a, b, c, d}, .value = a, .size = pqti_magnitude(a)};
    double lost = 0;
    for (int i = 1; i < TERMS; i++) {
        double next = sum.value + sum.terms[i];
        lost += pqti_sum_lost(sum.value, sum.terms[i], next);
        sum.value = next;
        sum.size += pqti_magnitude(sum.terms[i]);
    }
    sum.value += lost;
    return sum;
}

static length
opposite(length of)
{
    for (int i = 0; i < TERMS; i++)
        of.terms[i] = -of.terms[i];
    of.value = -of.value;
    return of;
}

static int
sign_of(const length *sum)
{
    if (pqti_magnitude(sum->value) > sum->size * COARSE + LOSS)
        return sum->value > 0 ? 1 : -1;
    pqti_sum exact = {.count = 0};
    for (int i = 0; i < TERMS; i++)
        pqti_sum_add(&exact, sum->terms[i], 1, false);
    return pqti_sum_sign(&exact);
}

/* The sign of a - b. */
static int
compare(const length *a, const length *b)
{
    double difference = a->value - b->value;
    double error = (pqti_magnitude(a->value) + pqti_magnitude(b->value)) * FINE +
                   (a->size + b->size) * COARSE + LOSS;
    if (pqti_magnitude(difference) > error)
        return difference > 0 ? 1 : -1;
    pqti_sum exact = {.count = 0};
    for (int i = 0; i < TERMS; i++) {
        pqti_sum_add(&exact, a->terms[i], 1, false);
        pqti_sum_add(&exact, b->terms[i], 1, true);
    }
    return pqti_sum_sign(&exact);
}

static int
compare_products_exactly(const length *a, const length *b, const length *c, const length *d)
{
    pqti_sum exact = {.count = 0};
    for (int i = 0; i < TERMS; i++)
        for (int j = 0; j < TERMS; j++) {
            pqti_sum_add(&exact, a->terms[i], b->terms[j], false);
            pqti_sum_add(&exact, c->terms[i], d->terms[j], true);
        }
    return pqti_sum_sign(&exact);
}

/* A value, and the size of the terms that it is the sum of. */
typedef struct measure {
    double value, size;
} measure;

static measure
scaled(const length *sum, double unit)
{
    return (measure){sum->value * unit, sum->size * unit};
}

/* Above the error of a product, as far as it comes from that of its factors. */
static double
coarse_error(measure a, measure b)
{
    return (a.size * (pqti_magnitude(b.value) + b.size * COARSE) +
            b.size * pqti_magnitude(a.value)) *
           COARSE;
}

/* What lengths are multiplied by, for their products neither to overflow nor to be lost. */
static double
unit_for(double size)
{
    return size > LARGE ? 1 / SCALE : size < SMALL ? SCALE : 1;
}

/* The sign of a / b - c / d, for b and d above 0. Scaling down loses less than the smallest double
   of each. */
static int
compare_fractions(const length *a, const length *b, const length *c, const length *d)
{
    double size = pqti_greater(pqti_greater(a->size, b->size), pqti_greater(c->size, d->size));
    double unit = unit_for(size), lost = size * unit * (4 * PQTI_SMALLEST) + LOSS;
    measure in_a = scaled(a, unit), in_b = scaled(b, unit), in_c = scaled(c, unit),
            in_d = scaled(d, unit);
    double left = in_a.value * in_d.value, right = in_c.value * in_b.value;
    double error = (pqti_magnitude(left) + pqti_magnitude(right)) * FINE +
                   coarse_error(in_a, in_d) * 2 + coarse_error(in_c, in_b) * 2 + lost;
    if (pqti_magnitude(left - right) > error)
        return left > right ? 1 : -1;
    return compare_products_exactly(a, d, c, b);
}

/* ---- Passages ---- */

int
pqti_apart_boxes(const pqti_course_axis *axis, int heading)
{
    bool before = axis->a_from + axis->a_max <= axis->b_from + axis->b_min;
    bool behind = axis->b_from + axis->b_max <= axis->a_from + axis->a_min;
    if (before && behind)
        return heading == 0 ? -1 : -heading;
    return before ? -1 : behind;
}

/* A circle's centre must be as far from the box as its radius, which is a_max. */
int
pqti_apart_circle(const pqti_course_axis *axis, int heading)
{
    bool before = axis->b_from + axis->b_min - axis->a_from >= axis->a_max;
    bool behind = axis->a_from - (axis->b_from + axis->b_max) >= axis->a_max;
    if (before && behind)
        return heading == 0 ? -1 : -heading;
    return before ? -1 : behind;
}

static passage
passage_of(const pqti_course_axis *axis, pqti_apart_fn *apart)
{
    length way = length_of(axis->a_to, -axis->a_from, -axis->b_to, axis->b_from);
    length before = length_of(axis->b_from, axis->b_min, -axis->a_from, -axis->a_max);
    length behind = length_of(axis->b_from, axis->b_max, -axis->a_from, -axis->a_min);
    int heading = sign_of(&way);
    if (heading < 0)
        return (passage){-1, apart(axis, heading), opposite(way), opposite(behind),
                         opposite(before)};
    return (passage){heading, apart(axis, heading), way, before, behind};
}

/* Whether they are apart and stay so. Two that are flat never overlap. */
static bool
stays_apart(const passage *p, const pqti_course_axis *axis)
{
    bool both_flat = axis->a_min == axis->a_max && axis->b_min == axis->b_max;
    return (p->apart != 0 && p->heading != -p->apart) || both_flat;
}

/* Whether they come to overlap on one axis before they cease to on another (or the same) one. */
static bool
enters_before(const passage *one, const passage *other)
{
    if (other->heading == 0)
        return true;
    if (one->apart == 0 || sign_of(&one->entry) <= 0)
        return sign_of(&other->exit) > 0;
    return compare_fractions(&one->entry, &one->way, &other->exit, &other->way) < 0;
}

/* Whether they come to overlap on this axis before the end. */
static bool
enters_in_time(const passage *p)
{
    return p->apart == 0 || compare(&p->entry, &p->way) < 0;
}

/* Which axis is the last that they come to overlap on: below 0 x, above y, 0 both at once. */
static int
compare_entries(const passage *x, const passage *y)
{
    if (x->apart == 0 || y->apart == 0)
        return x->apart == 0 ? 1 : -1;
    bool x_later = sign_of(&x->entry) > 0, y_later = sign_of(&y->entry) > 0;
    if (!x_later || !y_later)
        return (int)y_later - (int)x_later;
    return -compare_fractions(&x->entry, &x->way, &y->entry, &y->way);
}

/* A quotient of sums that may overflow. */
static double
quotient(const length *a, const length *b)
{
    if (isfinite(a->value) && isfinite(b->value))
        return a->value / b->value;
    double over = 0, under = 0;
    for (int i = 0; i < TERMS; i++) {
        over += a->terms[i] / 8;
        under += b->terms[i] / 8;
    }
    return over / under;
}

/*
 * When they come to overlap on an axis on which they are apart; 0 if they cannot come any nearer:
 * because no double lies between or, where b does not stand at 0, because it is too near to be
 * measured.
 */
static double
time_of_entry(const passage *p, const pqti_course_axis *axis, bool b_stands)
{
    if (p->apart == 0 || sign_of(&p->entry) <= 0)
        return 0;
    if (b_stands ? pqti_stop_beside(axis) == axis->a_from
                 : p->entry.value <= p->entry.size * PQTI_COURSE_ERROR)
        return 0;
    double time = quotient(&p->entry, &p->way);
    return time > 0 ? pqti_lesser(time, 1) : 0;
}

static bool
stands_at_zero(const pqti_course_axis *axis)
{
    return axis->b_from == 0 && axis->b_to == 0;
}

/* How far beyond the side the way would lead on an axis, and how long it is. */
static void
measure_beyond(const passage *p, const pqti_course_axis *axis, pqti_impact *impact)
{
    double b_side = p->heading > 0 ? axis->b_min : axis->b_max;
    double a_side = p->heading > 0 ? axis->a_max : axis->a_min;
    length beyond = length_of(axis->a_to, a_side, -axis->b_to, -b_side);
    impact->beyond = beyond.value;
    impact->unit = isfinite(p->way.value) ? 1 : 8;
    impact->way = 0;
    for (int i = 0; i < TERMS; i++)
        impact->way += p->way.terms[i] * p->heading / impact->unit;
}

pqti_impact
pqti_impact_boxes(const pqti_course_axis *x, const pqti_course_axis *y, pqti_apart_fn *apart)
{
    const pqti_impact none = {.hits = false};
    passage of_x = passage_of(x, apart);
    if (stays_apart(&of_x, x))
        return none;
    passage of_y = passage_of(y, apart);
    if (stays_apart(&of_y, y) || !enters_in_time(&of_x) || !enters_in_time(&of_y) ||
        !enters_before(&of_x, &of_y) || !enters_before(&of_y, &of_x) ||
        !enters_before(&of_x, &of_x) || !enters_before(&of_y, &of_y))
        return none;
    int last = of_x.apart == 0 && of_y.apart == 0 ? 2 : compare_entries(&of_x, &of_y);
    pqti_impact impact = {.hits = true};
    if (last == 2)
        return impact;
    bool b_stands = stands_at_zero(x) && stands_at_zero(y);
    /* The later one, but for what is too near to be measured: there the other axis tells. */
    impact.time =
        pqti_greater(time_of_entry(&of_x, x, b_stands), time_of_entry(&of_y, y, b_stands));
    measure_beyond(last <= 0 ? &of_x : &of_y, last <= 0 ? x : y, &impact);
    if (last <= 0) {
        impact.blocked |= PQT_BLOCKED_X;
        impact.normal.x = -of_x.heading;
    }
    if (last >= 0) {
        impact.blocked |= PQT_BLOCKED_Y;
        impact.normal.y = -of_y.heading;
    }
    impact.normal = pqt_vec_normalize(impact.normal);
    return impact;
}

/* ---- Stops ---- */

/* The nearest place of `a` beyond a `b` that stands still, toward the side of `sign`. */
static double
place_beside(const pqti_course_axis *axis, int sign)
{
    return sign < 0 ? pqti_difference_down(axis->b_min, axis->a_max)
                    : pqti_sum_up(axis->b_max, -axis->a_min);
}

double
pqti_stop_beside(const pqti_course_axis *axis)
{
    if (axis->a_to > axis->a_from)
        return pqti_lesser(axis->a_to, pqti_greater(axis->a_from, place_beside(axis, -1)));
    return pqti_greater(axis->a_to, pqti_lesser(axis->a_from, place_beside(axis, 1)));
}
