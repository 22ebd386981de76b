/* SPDX-License-Identifier: MIT */
/* exact.c: the exact sign of a sum of products. */
#include "config.h"

#include "base/exact.h"

#include <string.h>

#include "base/error_internal.h"

enum {
    MANTISSA_BITS = 53,
    LIMB_BITS = 27,         /* a mantissa is split into two parts */
    CARRY_BITS = 6,         /* for the sum of up to 64 products */
    LEAST_EXPONENT = -1074, /* of a mantissa that is an integer */
    GREATEST_EXPONENT = 971,
    SPAN = 2 * (GREATEST_EXPONENT - LEAST_EXPONENT) + 2 * MANTISSA_BITS + CARRY_BITS,
    WORDS = SPAN / 64 + 1
};

_Static_assert(PQTI_MAX_PRODUCTS <= 1 << CARRY_BITS, "a sum of all products has room");

/* An integer >= 0, least significant word first. */
typedef struct wide_integer {
    uint64_t words[WORDS];
} wide_integer;

/* Returns the mantissa of |value| as an integer, with its exponent: mantissa * 2^exponent. */
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

/* Adds part * 2^bit. */
static void
add_shifted_word(wide_integer *sum, uint64_t part, unsigned bit)
{
    unsigned shift = bit % 64;
    uint64_t piece = part << shift, carry = shift == 0 ? 0 : part >> (64 - shift);
    /* Stops when nothing is left to add, because words beyond the span are not initialised. */
    for (uint64_t *word = &sum->words[bit / 64]; piece != 0 || carry != 0; word++) {
        *word += piece;
        piece = carry + (*word < piece);
        carry = 0;
    }
}

/* Adds the absolute value of a product, in units of 2^unit. */
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

int
pqti_exact_dot_sign(const pqti_exact_dot *exact)
{
    unsigned span =
        (unsigned)(exact->max_exponent - exact->min_exponent) + 2 * MANTISSA_BITS + CARRY_BITS;
    size_t count = span / 64 + 1;
    PQT_INVARIANT(count <= WORDS, "the span of an exact sum is too wide");
    wide_integer positive, negative_sum; /* only the words within the span are initialised */
    memset(positive.words, 0, count * sizeof *positive.words);
    memset(negative_sum.words, 0, count * sizeof *negative_sum.words);
    for (size_t i = 0; i < exact->count; i++)
        add_term(exact->products[i].negative ? &negative_sum : &positive, &exact->products[i],
                 exact->min_exponent);
    while (count-- > 0)
        if (positive.words[count] != negative_sum.words[count])
            return positive.words[count] > negative_sum.words[count] ? 1 : -1;
    return 0;
}
