/* SPDX-License-Identifier: MIT */
/*
 * toi_box.c: computes the time of impact of two boxes, with exact decisions.
 *
 * On each axis, the boxes begin to overlap at one fraction of the motion and cease at another. Both
 * fractions are quotients of sums of at most four doubles. The boxes hit each other if they begin
 * to overlap on both axes before they cease on either, and before the end of the motion. So the
 * result depends only on the order of such quotients. Plain doubles decide the order unless two
 * quotients are too close. In that case, their products are summed without rounding (exact.h).
 *
 * At the start, the rounded boxes decide whether they are apart on an axis. Boxes that are apart
 * because of rounding but overlap in exact arithmetic hit each other at once: their quotient is
 * below 0 and counts as 0.
 */
#include "config.h"

#include <math.h>
#include <stddef.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/fp.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

enum { TERMS = 4 };

/* A sum of doubles. */
typedef struct length {
    double terms[TERMS];
    double value; /* the sum; its error is at most an ulp plus COARSE * size */
    double size;  /* the sum of the absolute values of the terms */
} length;

/* COARSE * size exceeds the error of a compensated sum of four terms. FINE * value exceeds the
 * error of two products and their difference. */
#define COARSE 0x1p-96
#define FINE 0x1p-49

/* Exceeds the error of products that underflow. */
#define LOSS 0x1p-1060

/* Lengths outside the range SMALL .. LARGE are scaled by SCALE or its inverse before they are
 * multiplied. */
#define LARGE 0x1p480
#define SMALL 0x1p-380
#define SCALE 0x1p540

/* The relative motion on one axis. */
typedef struct axis_passage {
    int sign;           /* direction of a's motion relative to b: -1, 0, 1 */
    int separation;     /* separation at the start: result of the pqti_apart_fn */
    length motion;      /* length of the relative motion, >= 0 */
    length entry, exit; /* distances until the overlap begins and until it ends */
} axis_passage;

/* Adds four doubles with compensation. Source: T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and
 * dot product", 2005, algorithm 4.4. */
static length
exact_length_of(double a, double b, double c, double d)
{
    length sum = {.terms = {a, b, c, d}, .value = a, .size = pqti_fabs(a)};
    double lost = 0;
    for (int i = 1; i < TERMS; i++) {
        double next = sum.value + sum.terms[i];
        lost += pqti_two_sum_error(sum.value, sum.terms[i], next);
        sum.value = next;
        sum.size += pqti_fabs(sum.terms[i]);
    }
    sum.value += lost;
    return sum;
}

static length
negate_length(length of)
{
    for (int i = 0; i < TERMS; i++)
        of.terms[i] = -of.terms[i];
    of.value = -of.value;
    return of;
}

static int
sign_of(const length *sum)
{
    if (pqti_fabs(sum->value) > sum->size * COARSE + LOSS)
        return sum->value > 0 ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    for (int i = 0; i < TERMS; i++)
        pqti_exact_dot_add(&exact, sum->terms[i], 1, false);
    return pqti_exact_dot_sign(&exact);
}

/* Returns the sign of a - b. */
static int
compare_lengths(const length *a, const length *b)
{
    double difference = a->value - b->value;
    double error =
        (pqti_fabs(a->value) + pqti_fabs(b->value)) * FINE + (a->size + b->size) * COARSE + LOSS;
    if (pqti_fabs(difference) > error)
        return difference > 0 ? 1 : -1;
    pqti_exact_dot exact = {.count = 0};
    for (int i = 0; i < TERMS; i++) {
        pqti_exact_dot_add(&exact, a->terms[i], 1, false);
        pqti_exact_dot_add(&exact, b->terms[i], 1, true);
    }
    return pqti_exact_dot_sign(&exact);
}

static int
compare_products_exactly(const length *a, const length *b, const length *c, const length *d)
{
    pqti_exact_dot exact = {.count = 0};
    for (int i = 0; i < TERMS; i++)
        for (int j = 0; j < TERMS; j++) {
            pqti_exact_dot_add(&exact, a->terms[i], b->terms[j], false);
            pqti_exact_dot_add(&exact, c->terms[i], d->terms[j], true);
        }
    return pqti_exact_dot_sign(&exact);
}

/* A value, and the sum of the absolute values of the terms from which it was computed. */
typedef struct measure {
    double value, size;
} measure;

static measure
scale_length(const length *sum, double unit)
{
    return (measure){sum->value * unit, sum->size * unit};
}

/* Returns an upper bound on the part of a product's error that the errors of its factors cause. */
static double
coarse_error(measure a, measure b)
{
    return (a.size * (pqti_fabs(b.value) + b.size * COARSE) + b.size * pqti_fabs(a.value)) * COARSE;
}

/* Returns the factor that scales lengths so that their products neither overflow nor underflow. */
static double
unit_for(double size)
{
    return size > LARGE ? 1 / SCALE : size < SMALL ? SCALE : 1;
}

/* Returns the sign of a / b - c / d, where b and d are above 0. Scaling down loses less than the
 * smallest double in each length. */
static int
compare_fractions(const length *a, const length *b, const length *c, const length *d)
{
    double size = pqti_fmax(pqti_fmax(a->size, b->size), pqti_fmax(c->size, d->size));
    double unit = unit_for(size), lost = size * unit * (4 * PQTI_SMALLEST) + LOSS;
    measure in_a = scale_length(a, unit), in_b = scale_length(b, unit),
            in_c = scale_length(c, unit), in_d = scale_length(d, unit);
    double left = in_a.value * in_d.value, right = in_c.value * in_b.value;
    double error = (pqti_fabs(left) + pqti_fabs(right)) * FINE + coarse_error(in_a, in_d) * 2 +
                   coarse_error(in_c, in_b) * 2 + lost;
    if (pqti_fabs(left - right) > error)
        return left > right ? 1 : -1;
    return compare_products_exactly(a, d, c, b);
}

/* ---- Overlap on one axis ---- */

int
pqti_apart_boxes(const pqti_swept_axis *axis, int sign)
{
    bool before = axis->a_from + axis->a_max <= axis->b_from + axis->b_min;
    bool behind = axis->b_from + axis->b_max <= axis->a_from + axis->a_min;
    if (before && behind)
        return sign == 0 ? -1 : -sign;
    return before ? -1 : behind;
}

/* Returns the separation of a circle and a box. They are apart if the distance from the centre to
 * the box is at least the radius, a_max. */
int
pqti_apart_circle(const pqti_swept_axis *axis, int sign)
{
    bool before = axis->b_from + axis->b_min - axis->a_from >= axis->a_max;
    bool behind = axis->a_from - (axis->b_from + axis->b_max) >= axis->a_max;
    if (before && behind)
        return sign == 0 ? -1 : -sign;
    return before ? -1 : behind;
}

static axis_passage
axis_passage_of(const pqti_swept_axis *axis, pqti_apart_fn *apart)
{
    length push_length = exact_length_of(axis->a_to, -axis->a_from, -axis->b_to, axis->b_from);
    length before = exact_length_of(axis->b_from, axis->b_min, -axis->a_from, -axis->a_max);
    length behind = exact_length_of(axis->b_from, axis->b_max, -axis->a_from, -axis->a_min);
    int sign = sign_of(&push_length);
    if (sign < 0)
        return (axis_passage){-1, apart(axis, sign), negate_length(push_length),
                              negate_length(behind), negate_length(before)};
    return (axis_passage){sign, apart(axis, sign), push_length, before, behind};
}

/* Returns true if the shapes are apart on an axis and remain so. Two flat shapes never overlap. */
static bool
stays_apart(const axis_passage *p, const pqti_swept_axis *axis)
{
    bool both_flat = axis->a_min == axis->a_max && axis->b_min == axis->b_max;
    return (p->separation != 0 && p->sign != -p->separation) || both_flat;
}

/* Returns true if the overlap begins on one axis before it ends on another (or the same) one. */
static bool
enters_before(const axis_passage *one, const axis_passage *other)
{
    if (other->sign == 0)
        return true;
    if (one->separation == 0 || sign_of(&one->entry) <= 0)
        return sign_of(&other->exit) > 0;
    return compare_fractions(&one->entry, &one->motion, &other->exit, &other->motion) < 0;
}

/* Returns true if the overlap begins on this axis before the end of the motion. */
static bool
enters_in_time(const axis_passage *p)
{
    return p->separation == 0 || compare_lengths(&p->entry, &p->motion) < 0;
}

/* Compares the times at which the overlap begins on two axes. The result is < 0 if it begins last
 * on x, > 0 if it begins last on y, and 0 if the times are equal. */
static int
compare_entries(const axis_passage *x, const axis_passage *y)
{
    if (x->separation == 0 || y->separation == 0)
        return x->separation == 0 ? 1 : -1;
    bool x_later = sign_of(&x->entry) > 0, y_later = sign_of(&y->entry) > 0;
    if (!x_later || !y_later)
        return (int)y_later - (int)x_later;
    return -compare_fractions(&x->entry, &x->motion, &y->entry, &y->motion);
}

/* Returns a / b, where both numbers may have overflowed. */
static double
quotient_of_lengths(const length *a, const length *b)
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

/* Returns true if a sum is above the measurable error of its terms. */
static bool
is_measurable(const length *sum)
{
    double error = 0;
    for (int i = 0; i < TERMS; i++)
        error += pqti_fabs(sum->terms[i]) * PQTI_SWEPT_ERROR;
    return sum->value > (isfinite(sum->size) ? sum->size * PQTI_SWEPT_ERROR : error);
}

/* Returns the time at which the overlap begins on an axis on which the boxes are apart. Returns 0
 * if they cannot come nearer: either no double is between them, or b is not at 0 and the distance
 * is below the error. */
static double
time_of_entry(const axis_passage *p, const pqti_swept_axis *axis, bool b_rests)
{
    if (p->separation == 0 || sign_of(&p->entry) <= 0)
        return 0;
    if (b_rests ? pqti_toi_stop_at_side(axis) == axis->a_from : !is_measurable(&p->entry))
        return 0;
    double time = quotient_of_lengths(&p->entry, &p->motion);
    return time > 0 ? pqti_fmin(time, 1) : 0;
}

static bool
axis_rests_at_zero(const pqti_swept_axis *axis)
{
    return axis->b_from == 0 && axis->b_to == 0;
}

/* Computes the distance by which the motion would pass the side on an axis, and the length of the
 * motion. */
static void
compute_overshoot(const axis_passage *p, const pqti_swept_axis *axis, pqti_toi *toi)
{
    double b_side = p->sign > 0 ? axis->b_min : axis->b_max;
    double a_side = p->sign > 0 ? axis->a_max : axis->a_min;
    length beyond = exact_length_of(axis->a_to, a_side, -axis->b_to, -b_side);
    toi->overshoot = beyond.value;
    toi->motion_unit = isfinite(p->motion.value) ? 1 : 8;
    toi->motion = 0;
    for (int i = 0; i < TERMS; i++)
        toi->motion += p->motion.terms[i] * p->sign / toi->motion_unit;
}

pqti_toi
pqti_toi_boxes(const pqti_swept_axis *x, const pqti_swept_axis *y, pqti_apart_fn *apart)
{
    const pqti_toi none = {.hits = false};
    axis_passage of_x = axis_passage_of(x, apart);
    if (stays_apart(&of_x, x))
        return none;
    axis_passage of_y = axis_passage_of(y, apart);
    if (stays_apart(&of_y, y) || !enters_in_time(&of_x) || !enters_in_time(&of_y) ||
        !enters_before(&of_x, &of_y) || !enters_before(&of_y, &of_x) ||
        !enters_before(&of_x, &of_x) || !enters_before(&of_y, &of_y))
        return none;
    int last = of_x.separation == 0 && of_y.separation == 0 ? 2 : compare_entries(&of_x, &of_y);
    pqti_toi toi = {.hits = true};
    if (last == 2)
        return toi;
    bool b_rests = axis_rests_at_zero(x) && axis_rests_at_zero(y);
    /* the later axis decides; an axis whose distance is below the error yields 0 */
    toi.time = pqti_fmax(time_of_entry(&of_x, x, b_rests), time_of_entry(&of_y, y, b_rests));
    compute_overshoot(last <= 0 ? &of_x : &of_y, last <= 0 ? x : y, &toi);
    if (last <= 0) {
        toi.blocked |= PQT_BLOCKED_X;
        toi.normal.x = -of_x.sign;
    }
    if (last >= 0) {
        toi.blocked |= PQT_BLOCKED_Y;
        toi.normal.y = -of_y.sign;
    }
    toi.normal = pqt_vec_normalize(toi.normal);
    return toi;
}

/* ---- Stops ---- */

/* Returns the nearest position of `a` that does not overlap a resting `b`, on the side of
 * `sign`. */
static double
free_position_at_side(const pqti_swept_axis *axis, int sign)
{
    return sign < 0 ? pqti_sub_round_down(axis->b_min, axis->a_max)
                    : pqti_add_round_up(axis->b_max, -axis->a_min);
}

double
pqti_toi_stop_at_side(const pqti_swept_axis *axis)
{
    PQT_INVARIANT(axis->a_to != axis->a_from,
                  "a mover stops on an axis that it does not move along");
    if (axis->a_to > axis->a_from)
        return pqti_fmin(axis->a_to, pqti_fmax(axis->a_from, free_position_at_side(axis, -1)));
    return pqti_fmax(axis->a_to, pqti_fmin(axis->a_from, free_position_at_side(axis, 1)));
}
