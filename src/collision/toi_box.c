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
typedef struct axis_passage {
    int sign;           /* to which side a moves, as seen from b: -1, 0, 1 */
    int separation;     /* at the start */
    length motion;      /* how far it moves, > 0 */
    length entry, exit; /* how far until they come to overlap, and until they cease to */
} axis_passage;

/* T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", 2005, algorithm 4.4. */
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

/* The sign of a - b. */
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

/* A value, and the size of the terms that it is the sum of. */
typedef struct measure {
    double value, size;
} measure;

static measure
scale_length(const length *sum, double unit)
{
    return (measure){sum->value * unit, sum->size * unit};
}

/* Above the error of a product, as far as it comes from that of its factors. */
static double
coarse_error(measure a, measure b)
{
    return (a.size * (pqti_fabs(b.value) + b.size * COARSE) + b.size * pqti_fabs(a.value)) * COARSE;
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

/* ---- Passages ---- */

int
pqti_apart_boxes(const pqti_swept_axis *axis, int sign)
{
    bool before = axis->a_from + axis->a_max <= axis->b_from + axis->b_min;
    bool behind = axis->b_from + axis->b_max <= axis->a_from + axis->a_min;
    if (before && behind)
        return sign == 0 ? -1 : -sign;
    return before ? -1 : behind;
}

/* A circle's centre must be as far from the box as its radius, which is a_max. */
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

/* Whether they are apart and stay so. Two that are flat never overlap. */
static bool
stays_apart(const axis_passage *p, const pqti_swept_axis *axis)
{
    bool both_flat = axis->a_min == axis->a_max && axis->b_min == axis->b_max;
    return (p->separation != 0 && p->sign != -p->separation) || both_flat;
}

/* Whether they come to overlap on one axis before they cease to on another (or the same) one. */
static bool
enters_before(const axis_passage *one, const axis_passage *other)
{
    if (other->sign == 0)
        return true;
    if (one->separation == 0 || sign_of(&one->entry) <= 0)
        return sign_of(&other->exit) > 0;
    return compare_fractions(&one->entry, &one->motion, &other->exit, &other->motion) < 0;
}

/* Whether they come to overlap on this axis before the end. */
static bool
enters_in_time(const axis_passage *p)
{
    return p->separation == 0 || compare_lengths(&p->entry, &p->motion) < 0;
}

/* Which axis is the last that they come to overlap on: below 0 x, above y, 0 both at once. */
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

/* A quotient of sums that may overflow. */
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

/*
 * When they come to overlap on an axis on which they are apart; 0 if they cannot come any nearer:
 * because no double lies between or, where b does not stand at 0, because it is too near to be
 * measured.
 */
static double
time_of_entry(const axis_passage *p, const pqti_swept_axis *axis, bool b_stands)
{
    if (p->separation == 0 || sign_of(&p->entry) <= 0)
        return 0;
    if (b_stands ? pqti_toi_stop_beside(axis) == axis->a_from
                 : p->entry.value <= p->entry.size * PQTI_SWEPT_ERROR)
        return 0;
    double time = quotient_of_lengths(&p->entry, &p->motion);
    return time > 0 ? pqti_fmin(time, 1) : 0;
}

static bool
stands_at_zero(const pqti_swept_axis *axis)
{
    return axis->b_from == 0 && axis->b_to == 0;
}

/* How far beyond the side the way would lead on an axis, and how long it is. */
static void
measure_beyond(const axis_passage *p, const pqti_swept_axis *axis, pqti_toi *toi)
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
    bool b_stands = stands_at_zero(x) && stands_at_zero(y);
    /* The later one, but for what is too near to be measured: there the other axis tells. */
    toi.time = pqti_fmax(time_of_entry(&of_x, x, b_stands), time_of_entry(&of_y, y, b_stands));
    measure_beyond(last <= 0 ? &of_x : &of_y, last <= 0 ? x : y, &toi);
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

/* The nearest place of `a` beyond a `b` that stands still, toward the side of `sign`. */
static double
position_beside_side(const pqti_swept_axis *axis, int sign)
{
    return sign < 0 ? pqti_sub_round_down(axis->b_min, axis->a_max)
                    : pqti_add_round_up(axis->b_max, -axis->a_min);
}

double
pqti_toi_stop_beside(const pqti_swept_axis *axis)
{
    if (axis->a_to > axis->a_from)
        return pqti_fmin(axis->a_to, pqti_fmax(axis->a_from, position_beside_side(axis, -1)));
    return pqti_fmax(axis->a_to, pqti_fmin(axis->a_from, position_beside_side(axis, 1)));
}
