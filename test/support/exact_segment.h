/* SPDX-License-Identifier: MIT */
/*
 * exact_segment.h: decides in integers of arbitrary length whether a line touches a box.
 *
 * The method differs from the library's: each side of the box clips the line in turn, and the ends
 * are compared as fractions. All doubles are integers in units of the last place of the smallest
 * one.
 */
#ifndef TEST_EXACT_SEGMENT_H
#define TEST_EXACT_SEGMENT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pqt/box.h>

/* The number of 32-bit words in an integer. By default they suffice for a product of two
   differences between doubles. A test that multiplies such products defines more before it includes
   this file. */
#ifndef WHOLE_WORDS
#define WHOLE_WORDS 140
#endif

/* An integer with its lowest word first. Its highest word is not 0. */
typedef struct whole {
    bool negative;
    size_t count;
    uint32_t words[WHOLE_WORDS];
} whole;

/* Returns the exponent of the last place of a double, or a large one for 0. */
static inline int
last_place(double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    return value == 0 ? 4000 : exponent - 53;
}

static inline void
whole_trim(whole *w)
{
    while (w->count > 0 && w->words[w->count - 1] == 0)
        w->count--;
}

/* Returns a double in units of 2^unit. It must be a multiple of this unit. */
static inline whole
whole_of(double value, int unit)
{
    whole w = {.negative = value < 0};
    if (value == 0)
        return w;
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
    size_t shift = (size_t)(exponent - 53 - unit);
    for (size_t bit = 0; bit < 53; bit++)
        if (mantissa >> bit & 1)
            w.words[(shift + bit) / 32] |= UINT32_C(1) << (shift + bit) % 32;
    w.count = (shift + 53) / 32 + 1;
    whole_trim(&w);
    return w;
}

/* Compares the absolute values of two numbers: -1, 0 or 1. */
static inline int
whole_compare_sizes(const whole *a, const whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

static inline int
whole_compare(const whole *a, const whole *b)
{
    if (a->count == 0 && b->count == 0)
        return 0;
    if (a->count == 0)
        return b->negative ? 1 : -1;
    if (b->count == 0 || a->negative != b->negative)
        return a->negative ? -1 : 1;
    return a->negative ? whole_compare_sizes(b, a) : whole_compare_sizes(a, b);
}

static inline whole
whole_add_sizes(const whole *a, const whole *b)
{
    whole sum = {.count = (a->count > b->count ? a->count : b->count) + 1};
    uint64_t carry = 0;
    for (size_t i = 0; i < sum.count; i++) {
        carry += (uint64_t)a->words[i] + b->words[i];
        sum.words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    whole_trim(&sum);
    return sum;
}

/* Subtracts absolute values; |a| >= |b|. */
static inline whole
whole_subtract_sizes(const whole *a, const whole *b)
{
    whole difference = {.count = a->count};
    int64_t borrow = 0;
    for (size_t i = 0; i < a->count; i++) {
        borrow += (int64_t)a->words[i] - (int64_t)b->words[i];
        difference.words[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    whole_trim(&difference);
    return difference;
}

static inline whole
whole_subtract(const whole *a, const whole *b)
{
    whole result;
    if (a->negative != b->negative) {
        result = whole_add_sizes(a, b);
        result.negative = a->negative;
    } else if (whole_compare_sizes(a, b) >= 0) {
        result = whole_subtract_sizes(a, b);
        result.negative = a->negative;
    } else {
        result = whole_subtract_sizes(b, a);
        result.negative = !a->negative;
    }
    return result;
}

static inline whole
whole_multiply(const whole *a, const whole *b)
{
    whole product = {.negative = a->negative != b->negative, .count = a->count + b->count};
    for (size_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b->count || carry > 0; j++) {
            uint64_t term = j < b->count ? (uint64_t)a->words[i] * b->words[j] : 0;
            carry += term + product.words[i + j];
            product.words[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    whole_trim(&product);
    return product;
}

/* The fraction over / under, where under > 0. */
typedef struct fraction {
    whole over, under;
} fraction;

static inline bool
fraction_is_less(const fraction *a, const fraction *b)
{
    whole left = whole_multiply(&a->over, &b->under);
    whole right = whole_multiply(&b->over, &a->under);
    return whole_compare(&left, &right) < 0;
}

/* Returns (at - from) / along. */
static inline fraction
fraction_at(double at, double from, const whole *along, int unit)
{
    whole end = whole_of(at, unit), begin = whole_of(from, unit);
    fraction f = {whole_subtract(&end, &begin), *along};
    if (along->negative) {
        f.over.negative = !f.over.negative;
        f.under.negative = false;
    }
    return f;
}

/* The part of a line that is left after clipping. */
typedef struct remainder_of_line {
    fraction entry, exit;
    bool ends;
} remainder_of_line;

/* Clips the line to min .. max on one axis. Returns false if nothing is left. */
static inline bool
cut_axis(remainder_of_line *left, double from, double to, bool endless, double min, double max,
         int unit)
{
    whole begin = whole_of(from, unit), along = whole_of(to, unit);
    if (!endless)
        along = whole_subtract(&along, &begin);
    if (along.count == 0)
        return min <= from && from <= max;
    fraction entry = fraction_at(along.negative ? max : min, from, &along, unit);
    fraction exit = fraction_at(along.negative ? min : max, from, &along, unit);
    if (fraction_is_less(&left->entry, &entry))
        left->entry = entry;
    if (!left->ends || fraction_is_less(&exit, &left->exit))
        left->exit = exit;
    left->ends = true;
    return true;
}

/* Returns true if a box touches the segment from `from` to `to` or, if `endless`, the ray from
   `from` in direction `to`. */
static inline bool
exactly_touches(pqt_vec from, pqt_vec to, bool endless, pqt_box box)
{
    const double numbers[] = {from.x,    from.y,    to.x,      to.y,
                              box.min.x, box.min.y, box.max.x, box.max.y};
    int unit = 0;
    for (size_t i = 0; i < 8; i++)
        unit = last_place(numbers[i]) < unit ? last_place(numbers[i]) : unit;
    const whole one = {.count = 1, .words = {1}};
    remainder_of_line left = {.entry = {.under = one}, .exit = {one, one}, .ends = !endless};
    return cut_axis(&left, from.x, to.x, endless, box.min.x, box.max.x, unit) &&
           cut_axis(&left, from.y, to.y, endless, box.min.y, box.max.y, unit) &&
           !(left.ends && fraction_is_less(&left.exit, &left.entry));
}

#endif
