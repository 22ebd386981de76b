/* SPDX-License-Identifier: MIT */
/*
 * line.c - a segment or a ray, and what it has in common with a box.
 *
 * On which side of the line a corner lies is the sign of (to - from) x (corner - from). Plain doubles
 * tell it unless the corner is within their rounding of the line: the bound of the error is that of
 * J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates",
 * 1997, section 4.1. If they cannot tell, the products are multiplied out and added up without any
 * rounding, in whole numbers as long as the span of their exponents asks for: a long accumulator, as in
 * U. W. Kulisch, W. L. Miranker, "Computer arithmetic in theory and practice", 1981. That is right for all
 * doubles, where expansions of doubles would fail among the largest and the smallest.
 */
#include "config.h"

#include "base/line.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/real.h"
#include "base/vec.h"

/* Products that are lost do not matter beside a sum of magnitudes as great as this. */
#define LEAST_SUM 0x1p-1000

/* Above the error of the determinant, in units of the sum of its products' magnitudes: (3 + 16 e) e for e = 2^-53. */
#define DETERMINANT_ERROR 0x1p-51

#define SMALLEST 0x1p-1074 /* of all doubles above 0 */

pqt_vec
pqti_way_between(pqt_vec a, pqt_vec b, int *exponent)
{
    pqt_vec whole = pqt_vec_subtract(b, a);
    if (pqt_vec_is_finite(whole))
        return pqti_vec_scaled(whole, exponent);
    /* By halves, where the whole would overflow. */
    whole = pqt_vec_subtract(pqt_vec_scale(b, 0.5), pqt_vec_scale(a, 0.5));
    whole = pqti_vec_scaled(whole, exponent);
    *exponent += 1;
    return whole;
}

static int
heading_of(double from, double to)
{
    return (to > from) - (to < from);
}

static void
judge(pqti_line *line)
{
    line->sharp = pqti_is_sharp(line->along.x, line->heading_x) &&
                  pqti_is_sharp(line->along.y, line->heading_y);
}

static pqti_line
invalid_line(void)
{
    return (pqti_line){.box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}};
}

pqti_line
pqti_line_of_segment(pqt_segment segment)
{
    if (!pqt_segment_is_valid(segment))
        return invalid_line();
    pqti_line line = {
        .from = segment.from,
        .to = segment.to,
        .heading_x = heading_of(segment.from.x, segment.to.x),
        .heading_y = heading_of(segment.from.y, segment.to.y),
        .box = pqt_segment_box(segment),
    };
    line.along = pqti_way_between(segment.from, segment.to, &line.exponent);
    judge(&line);
    return line;
}

/* An axis along which a ray goes has no end. */
static void
open_side(double *min, double *max, int heading)
{
    if (heading < 0)
        *min = -INFINITY;
    if (heading > 0)
        *max = INFINITY;
}

pqti_line
pqti_line_of_ray(pqt_ray ray)
{
    if (!pqt_vec_is_finite(ray.from) || !pqt_vec_is_finite(ray.direction))
        return invalid_line();
    pqti_line line = {
        .from = ray.from,
        .to = ray.direction,
        .endless = true,
        .heading_x = heading_of(0, ray.direction.x),
        .heading_y = heading_of(0, ray.direction.y),
        .box = {ray.from, ray.from},
    };
    open_side(&line.box.min.x, &line.box.max.x, line.heading_x);
    open_side(&line.box.min.y, &line.box.max.y, line.heading_y);
    line.along = pqti_vec_scaled(ray.direction, &line.exponent);
    judge(&line);
    return line;
}

/* ---- The sign of a sum of products, without rounding ---- */

enum {
    MOST_TERMS = 6,
    MANTISSA_BITS = 53,
    PART_BITS = 27,         /* a mantissa is two parts */
    CARRY_BITS = 3,         /* for the sum of up to eight */
    LEAST_EXPONENT = -1074, /* of a mantissa that is a whole number */
    GREATEST_EXPONENT = 971,
    SPAN = 2 * (GREATEST_EXPONENT - LEAST_EXPONENT) + 2 * MANTISSA_BITS + CARRY_BITS,
    WORDS = SPAN / 64 + 1
};

/* A product of two doubles that are not 0: a * b * 2^exponent. */
typedef struct term {
    uint64_t a, b;
    int exponent;
    bool negative;
} term;

typedef struct term_list {
    term terms[MOST_TERMS];
    size_t count;
    int least, greatest; /* exponents */
} term_list;

/* A whole number >= 0, the lowest word first. */
typedef struct whole {
    uint64_t words[WORDS];
} whole;

/* A double as mantissa * 2^exponent, its sign left out. */
static uint64_t
mantissa_of(double value, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    *exponent = LEAST_EXPONENT + (biased == 0 ? 0 : biased - 1);
    return biased == 0 ? mantissa : mantissa | UINT64_C(1) << 52;
}

/* Adds a * b to the list, or its opposite. */
static void
list_product(term_list *list, double a, double b, bool opposite)
{
    int of_a, of_b;
    term product = {.a = mantissa_of(a, &of_a), .b = mantissa_of(b, &of_b)};
    if (product.a == 0 || product.b == 0)
        return;
    product.exponent = of_a + of_b;
    product.negative = ((a < 0) != (b < 0)) != opposite;
    if (list->count == 0)
        list->least = list->greatest = product.exponent;
    list->least = product.exponent < list->least ? product.exponent : list->least;
    list->greatest = product.exponent > list->greatest ? product.exponent : list->greatest;
    list->terms[list->count++] = product;
}

/* Adds part * 2^bit. */
static void
add_part(whole *sum, uint64_t part, unsigned bit)
{
    unsigned shift = bit % 64;
    uint64_t piece = part << shift, rest = shift == 0 ? 0 : part >> (64 - shift);
    /* No word is touched to which nothing is added: those above the span are not set. */
    for (uint64_t *word = &sum->words[bit / 64]; piece != 0 || rest != 0; word++) {
        *word += piece;
        piece = rest + (*word < piece);
        rest = 0;
    }
}

/* Adds a product less its sign, in units of 2^unit. */
static void
add_term(whole *sum, const term *product, int unit)
{
    const uint64_t low = (UINT64_C(1) << PART_BITS) - 1;
    uint64_t a_low = product->a & low, a_high = product->a >> PART_BITS;
    uint64_t b_low = product->b & low, b_high = product->b >> PART_BITS;
    unsigned bit = (unsigned)(product->exponent - unit);
    add_part(sum, a_low * b_low, bit);
    add_part(sum, a_high * b_low + a_low * b_high, bit + PART_BITS);
    add_part(sum, a_high * b_high, bit + 2 * PART_BITS);
}

/* Below 0, 0 or above: the sign of the sum of the products. */
static int
sign_of_sum(const term_list *list)
{
    unsigned span = (unsigned)(list->greatest - list->least) + 2 * MANTISSA_BITS + CARRY_BITS;
    size_t count = span / 64 + 1;
    whole plus, minus; /* of which no more words are used than the span asks for */
    memset(plus.words, 0, count * sizeof *plus.words);
    memset(minus.words, 0, count * sizeof *minus.words);
    for (size_t i = 0; i < list->count; i++)
        add_term(list->terms[i].negative ? &minus : &plus, &list->terms[i], list->least);
    while (count-- > 0)
        if (plus.words[count] != minus.words[count])
            return plus.words[count] > minus.words[count] ? 1 : -1;
    return 0;
}

/* The sign of (to - from) x (corner - from), multiplied out: from.x from.y would come with both signs. */
static int
exact_side(const pqti_line *line, pqt_vec corner)
{
    pqt_vec from = line->from, to = line->to;
    term_list list = {.count = 0};
    list_product(&list, to.x, corner.y, false);
    list_product(&list, to.x, from.y, true);
    list_product(&list, to.y, corner.x, true);
    list_product(&list, to.y, from.x, false);
    if (!line->endless) {
        list_product(&list, from.x, corner.y, true);
        list_product(&list, from.y, corner.x, false);
    }
    return sign_of_sum(&list);
}

/* Below 0, 0 or above: on which side of the line a corner lies. */
static int
side_of(const pqti_line *line, pqt_vec corner)
{
    double left = line->along.x * (corner.y - line->from.y);
    double right = line->along.y * (corner.x - line->from.x);
    double sum = pqti_magnitude(left) + pqti_magnitude(right);
    double determinant = left - right;
    if (line->sharp && sum >= LEAST_SUM && pqti_magnitude(determinant) > DETERMINANT_ERROR * sum)
        return determinant > 0 ? 1 : -1;
    return exact_side(line, corner);
}

bool
pqti_line_touches(const pqti_line *line, const pqt_box *box)
{
    if (!pqt_box_touches(line->box, *box))
        return false;
    if (line->heading_x == 0 || line->heading_y == 0)
        return true;
    bool falls = line->heading_x == line->heading_y; /* y points down */
    pqt_vec one = {falls ? box->min.x : box->max.x, box->max.y};
    pqt_vec other = {falls ? box->max.x : box->min.x, box->min.y};
    return side_of(line, one) * side_of(line, other) <= 0;
}

/* ---- Where a line enters and leaves ---- */

/* The fraction of the line at which one of its coordinates is `at`. */
static double
fraction_at(double from, double to, bool endless, double at)
{
    double way = at - from, all = endless ? to : to - from;
    if (isfinite(way) && isfinite(all))
        return way / all;
    return (at / 2 - from / 2) / (endless ? to / 2 : to / 2 - from / 2);
}

/* One axis of a line and of a box that it touches. */
typedef struct span {
    double from, to;
    double min, max;
    int heading;
} span;

/* Where the line enters the span of the box; 0 if it begins there, and only then. */
static double
entry_of(const span *s, bool endless)
{
    bool outside = s->heading > 0 ? s->from < s->min : s->from > s->max;
    if (!outside)
        return 0;
    double entry = fraction_at(s->from, s->to, endless, s->heading > 0 ? s->min : s->max);
    return pqti_greater(entry, SMALLEST);
}

static double
exit_of(const span *s, bool endless)
{
    if (s->heading == 0)
        return INFINITY;
    return fraction_at(s->from, s->to, endless, s->heading > 0 ? s->max : s->min);
}

pqti_clip
pqti_line_clip(const pqti_line *line, const pqt_box *box)
{
    const span x = {line->from.x, line->to.x, box->min.x, box->max.x, line->heading_x};
    const span y = {line->from.y, line->to.y, box->min.y, box->max.y, line->heading_y};
    double entry_x = entry_of(&x, line->endless), entry_y = entry_of(&y, line->endless);
    double entry = pqti_greater(entry_x, entry_y);
    double exit = pqti_lesser(exit_of(&x, line->endless), exit_of(&y, line->endless));
    exit = pqti_lesser(exit, line->endless ? INFINITY : 1);
    pqti_clip clip = {.entry = entry, .exit = pqti_greater(entry, exit)};
    if (entry_x > 0 && entry_x >= entry_y)
        clip.normal.x = -line->heading_x;
    else if (entry_y > 0)
        clip.normal.y = -line->heading_y;
    return clip;
}
