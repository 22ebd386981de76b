/* SPDX-License-Identifier: MIT */
/* exact.c: computes exact signs of sums of products, and of products of such sums. */
#include "config.h"

#include "base/exact.h"

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"

enum {
    MANTISSA_BITS = 53,
    LIMB_BITS = 27,         /* a mantissa is split into 27 low bits and 26 high bits */
    CARRY_BITS = 6,         /* enough for the carries of up to 64 products */
    LEAST_EXPONENT = -1074, /* the least exponent of the lowest bit of a double */
    GREATEST_EXPONENT = 971,
    SPAN = 2 * (GREATEST_EXPONENT - LEAST_EXPONENT) + 2 * MANTISSA_BITS + CARRY_BITS,
    WORDS = SPAN / 64 + 1
};

_Static_assert(PQTI_MAX_PRODUCTS <= 1 << CARRY_BITS, "an exact sum can overflow");

/* A non-negative integer, with the least significant word first. */
typedef struct wide_integer {
    uint64_t words[WORDS];
} wide_integer;

/*
 * Returns the mantissa of |value| as an integer, and sets *exponent: |value| = mantissa *
 * 2^exponent.
 */
static uint64_t
mantissa_of(double value, int *exponent)
{
    const uint64_t bits = pqti_bits_of(value);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    *exponent = LEAST_EXPONENT + (biased == 0 ? 0 : biased - 1);
    return biased == 0 ? mantissa : mantissa | UINT64_C(1) << 52;
}

void
pqti_exact_dot_add(pqti_exact_dot *exact, double a, double b, bool opposite)
{
    int of_a, of_b;
    pqti_product product = {.a = mantissa_of(a, &of_a), .b = mantissa_of(b, &of_b)};
    if (product.a == 0 || product.b == 0)
        return;
    PQT_INVARIANT(of_a <= GREATEST_EXPONENT && of_b <= GREATEST_EXPONENT,
                  "a factor of an exact sum is not finite");
    PQT_INVARIANT(exact->count < PQTI_MAX_PRODUCTS, "an exact sum has too many products");
    product.exponent = of_a + of_b;
    product.negative = ((a < 0) != (b < 0)) != opposite;
    if (exact->count == 0)
        exact->min_exponent = exact->max_exponent = product.exponent;
    exact->min_exponent =
        product.exponent < exact->min_exponent ? product.exponent : exact->min_exponent;
    exact->max_exponent =
        product.exponent > exact->max_exponent ? product.exponent : exact->max_exponent;
    exact->products[exact->count++] = product;
}

/* Adds part * 2^bit to a sum. */
static void
add_shifted_word(wide_integer *sum, uint64_t part, unsigned bit)
{
    unsigned shift = bit % 64;
    uint64_t piece = part << shift, carry = shift == 0 ? 0 : part >> (64 - shift);
    /* Stops when nothing is left to add, because words beyond the span of the sum are not
       initialised. */
    for (uint64_t *word = &sum->words[bit / 64]; piece != 0 || carry != 0; word++) {
        *word += piece;
        piece = carry + (*word < piece);
        carry = 0;
    }
}

/* Adds the absolute value of a product to a sum in units of 2^unit. */
static void
add_term(wide_integer *sum, const pqti_product *product, int unit)
{
    const uint64_t low = (UINT64_C(1) << LIMB_BITS) - 1;
    uint64_t a_low = product->a & low, a_high = product->a >> LIMB_BITS;
    uint64_t b_low = product->b & low, b_high = product->b >> LIMB_BITS;
    unsigned bit = (unsigned)(product->exponent - unit);
    add_shifted_word(sum, a_low * b_low, bit);
    add_shifted_word(sum, a_high * b_low + a_low * b_high, bit + LIMB_BITS);
    add_shifted_word(sum, a_high * b_high, bit + 2 * LIMB_BITS);
}

/*
 * Adds up the positive and the negative products separately, in units of 2^min_exponent. Returns
 * the number of words that are initialised in each of the two sums.
 */
static size_t
add_by_sign(const pqti_exact_dot *exact, wide_integer *positive, wide_integer *negative)
{
    unsigned span =
        (unsigned)(exact->max_exponent - exact->min_exponent) + 2 * MANTISSA_BITS + CARRY_BITS;
    size_t count = span / 64 + 1;
    PQT_INVARIANT(count <= WORDS, "the span of an exact sum is too wide");
    memset(positive->words, 0, count * sizeof *positive->words);
    memset(negative->words, 0, count * sizeof *negative->words);
    for (size_t i = 0; i < exact->count; i++)
        add_term(exact->products[i].negative ? negative : positive, &exact->products[i],
                 exact->min_exponent);
    return count;
}

static int
compare_words(const uint64_t *a, const uint64_t *b, size_t count)
{
    while (count-- > 0)
        if (a[count] != b[count])
            return a[count] > b[count] ? 1 : -1;
    return 0;
}

int
pqti_exact_dot_sign(const pqti_exact_dot *exact)
{
    if (exact->count == 0)
        return 0;
    wide_integer positive, negative;
    size_t count = add_by_sign(exact, &positive, &negative);
    return compare_words(positive.words, negative.words, count);
}

/* ---- Products of sums ---- */

/*
 * A product of two sums has twice as many words as a sum. Aligning two such products takes one more
 * word.
 */
enum { PRODUCT_WORDS = 2 * WORDS + 2 };

/*
 * The absolute value of a sum: an integer in 32-bit parts, least significant first, times
 * 2^exponent.
 */
typedef struct magnitude {
    int exponent;
    size_t count;
    uint32_t parts[2 * WORDS];
} magnitude;

typedef struct wide_product {
    uint32_t parts[2 * PRODUCT_WORDS];
} wide_product;

static magnitude
magnitude_of(const pqti_exact_dot *exact)
{
    magnitude sum = {.exponent = exact->min_exponent};
    if (exact->count == 0)
        return sum;
    wide_integer positive, negative;
    size_t count = add_by_sign(exact, &positive, &negative);
    bool is_negative = compare_words(positive.words, negative.words, count) < 0;
    const uint64_t *large = is_negative ? negative.words : positive.words;
    const uint64_t *small = is_negative ? positive.words : negative.words;
    uint64_t borrow = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t word = large[i] - small[i] - borrow;
        borrow = large[i] < small[i] || (large[i] == small[i] && borrow != 0);
        sum.parts[2 * i] = (uint32_t)word;
        sum.parts[2 * i + 1] = (uint32_t)(word >> 32);
    }
    for (sum.count = 2 * count; sum.count > 0 && sum.parts[sum.count - 1] == 0;)
        sum.count--;
    return sum;
}

/* Adds part * 2^bit to a product. */
static void
add_shifted_part(wide_product *sum, uint32_t part, unsigned bit)
{
    uint64_t carry = (uint64_t)part << bit % 32;
    for (uint32_t *to = &sum->parts[bit / 32]; carry != 0; to++) {
        carry += *to;
        *to = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Sets `product` to a * b in units of 2^unit. */
static void
multiply_magnitudes(wide_product *product, const magnitude *a, const magnitude *b, int unit)
{
    memset(product, 0, sizeof *product);
    unsigned shift = (unsigned)(a->exponent + b->exponent - unit);
    for (size_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b->count; j++) {
            carry += (uint64_t)a->parts[i] * b->parts[j];
            add_shifted_part(product, (uint32_t)carry, shift + 32 * (unsigned)(i + j));
            carry >>= 32;
        }
        add_shifted_part(product, (uint32_t)carry, shift + 32 * (unsigned)(i + b->count));
    }
}

/* Returns the sign of a * b - c * d. */
static int
compare_magnitudes(const magnitude *a, const magnitude *b, const magnitude *c, const magnitude *d)
{
    bool has_left = a->count > 0 && b->count > 0, has_right = c->count > 0 && d->count > 0;
    if (!has_left || !has_right)
        return has_left - has_right;
    int unit_of_left = a->exponent + b->exponent, unit_of_right = c->exponent + d->exponent;
    int unit = unit_of_left < unit_of_right ? unit_of_left : unit_of_right;
    wide_product left, right;
    multiply_magnitudes(&left, a, b, unit);
    multiply_magnitudes(&right, c, d, unit);
    for (size_t i = 2 * PRODUCT_WORDS; i-- > 0;)
        if (left.parts[i] != right.parts[i])
            return left.parts[i] > right.parts[i] ? 1 : -1;
    return 0;
}

int
pqti_exact_compare_products(const pqti_exact_dot *a, const pqti_exact_dot *b,
                            const pqti_exact_dot *c, const pqti_exact_dot *d)
{
    const magnitude of_a = magnitude_of(a), of_b = magnitude_of(b);
    const magnitude of_c = magnitude_of(c), of_d = magnitude_of(d);
    return compare_magnitudes(&of_a, &of_b, &of_c, &of_d);
}

int
pqti_exact_compare_square(const pqti_exact_dot *root, const pqti_exact_dot *a,
                          const pqti_exact_dot *b)
{
    return pqti_exact_compare_products(root, root, a, b);
}

/* The 106 highest bits of a sum: (high + low) * 2^exponent, with `high` in 1 .. 2. */
typedef struct leading_bits {
    double high, low;
    int exponent;
} leading_bits;

/* Returns bit number `bit` of a magnitude, or 0 if `bit` is below its lowest bit. */
static uint64_t
bit_of(const magnitude *m, int bit)
{
    return bit < 0 ? 0 : m->parts[bit / 32] >> bit % 32 & 1;
}

static leading_bits
leading_bits_of(const magnitude *m)
{
    int top = 32 * (int)m->count - 1;
    while (bit_of(m, top) == 0)
        top--;
    uint64_t high = 0, low = 0;
    for (int i = 0; i < MANTISSA_BITS; i++) {
        high = high << 1 | bit_of(m, top - i);
        low = low << 1 | bit_of(m, top - MANTISSA_BITS - i);
    }
    return (leading_bits){(double)high * 0x1p-52, (double)low * 0x1p-105, m->exponent + top};
}

/*
 * Returns a * b - product, where `product` is the rounded a * b. Both factors must be near 1.
 * Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971.
 */
static double
product_error(double a, double b, double product)
{
    const double half_of_a = a * 0x1.0000002p27, half_of_b = b * 0x1.0000002p27;
    const double a_high = half_of_a - (half_of_a - a), a_low = a - a_high;
    const double b_high = half_of_b - (half_of_b - b), b_low = b - b_high;
    return a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low;
}

double
pqti_exact_quotient(const pqti_exact_dot *a, const pqti_exact_dot *b)
{
    const magnitude of_a = magnitude_of(a), of_b = magnitude_of(b);
    PQT_INVARIANT(of_b.count > 0, "an exact sum is divided by 0");
    if (of_a.count == 0)
        return 0;
    const leading_bits n = leading_bits_of(&of_a), d = leading_bits_of(&of_b);
    const double first = n.high / d.high;
    const double product = first * d.high;
    const double rest =
        n.high - product - product_error(first, d.high, product) + (n.low - first * d.low);
    return ldexp(first + rest / d.high, n.exponent - d.exponent);
}
