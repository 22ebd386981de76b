/* SPDX-License-Identifier: MIT */
/*
 * parse_double.c: reads decimal numbers as doubles, independently of the host's locale.
 *
 * A number is D * 10^E, where D has all its digits. If D < 2^53 and |E| <= 22, both D and 10^|E|
 * are doubles, so one multiplication or division rounds correctly (W. D. Clinger, "How to read
 * floating point numbers accurately", 1990). Otherwise the number is computed exactly, as a long
 * integer times 2^-k, and rounded once. 10^E is 5^E * 2^E, of which the second factor is a part of
 * k (D. M. Gay, "Correctly rounded binary-decimal and decimal-binary conversions", 1990). If E < 0,
 * k is chosen such that the quotient D * 2^k / 5^-E has 66 bits or more, and the remainder is kept
 * as one sticky bit.
 *
 * The digits come in groups of 9, and the fives in groups of 13, each of which is a factor or a
 * divisor of one word (D. E. Knuth, "Seminumerical algorithms", 4.3.1). So a number of 17 digits
 * takes at most 30 passes over at most 29 words. Methods with a table of 128-bit powers take fewer
 * steps, but the table has 10 kB, and most numbers take the first way.
 */
#include "config.h"

#include "base/parse_double.h"

#include <stdint.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/fp.h"

enum {
    MANTISSA = 53,          /* bits of the mantissa of a normal double */
    LEAST_EXPONENT = -1022, /* the exponent of the highest bit of the smallest normal double */
    MOST_EXPONENT = 1023,
    EXACT_POWER = 22,   /* 10^22 is the largest power of ten that is a double */
    MOST_POWER = 310,   /* 10^310 and above is infinite */
    LEAST_POWER = -326, /* numbers below 10^-326 are nearer to 0 than to the smallest double */
    SATURATED = 100000, /* larger than any exponent that makes a difference */
    QUOTIENT_BITS = 66, /* more than the bits of a mantissa, one to round and a sticky one */
    DIGITS = 9,         /* 10^9 is the largest power of ten in a word */
    FIVES = 13,         /* 5^13 is the largest power of five in a word */
    FIVES_WORD = 1220703125,
    WORDS = 116 /* for D: PQTI_LONGEST_NUMBER digits need 112 */
};

/* A number as text: its digits, without the point and without zeros before the first other digit,
   are a part of the text. */
typedef struct decimal {
    bool is_negative;
    const char *digits; /* the first digit that is not 0; may be followed by the point */
    size_t count;       /* the number of digits from there */
    int64_t exponent;   /* E */
} decimal;

/* A long integer: 32-bit words, the lowest one first. The highest one is not 0. */
typedef struct big_integer {
    uint32_t words[WORDS];
    size_t count;
    size_t work; /* the number of words that were multiplied or divided */
} big_integer;

/* ---- Syntax ---- */

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits with at most one point. Returns the end. Returns NULL if there is no digit. */
static const char *
read_digits(const char *at, const char *end, decimal *number)
{
    bool has_digits = false, has_point = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !has_point)); at++) {
        if (*at == '.') {
            has_point = true;
            continue;
        }
        has_digits = true;
        if (number->count == 0 && *at != '0')
            number->digits = at;
        number->count += number->count > 0 || *at != '0';
        number->exponent -= has_point;
    }
    return has_digits ? at : NULL;
}

/* Reads the exponent, which is the rest of the text. Returns false if it is invalid. */
static bool
read_exponent(const char *at, const char *end, decimal *number)
{
    if (at == end)
        return true;
    if (*at != 'e' && *at != 'E')
        return false;
    const bool is_negative = ++at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    int64_t exponent = 0;
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        exponent = exponent < SATURATED ? 10 * exponent + (*at - '0') : exponent;
    }
    number->exponent += is_negative ? -exponent : exponent;
    return true;
}

static bool
read_decimal(const char *text, size_t length, decimal *number)
{
    const char *end = text + length;
    if (length == 0 || length > PQTI_LONGEST_NUMBER)
        return false;
    number->is_negative = *text == '-';
    text += *text == '-' || *text == '+';
    text = read_digits(text, end, number);
    return text != NULL && read_exponent(text, end, number);
}

/* ---- Exact arithmetic ---- */

static void
multiply(big_integer *integer, uint32_t factor, uint32_t added)
{
    uint64_t carry = added;
    integer->work += integer->count;
    for (size_t i = 0; i < integer->count; i++) {
        carry += (uint64_t)integer->words[i] * factor;
        integer->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry == 0)
        return;
    PQT_INVARIANT(integer->count < WORDS, "a number has more digits than its syntax allows");
    integer->words[integer->count++] = (uint32_t)carry;
}

/* Divides by a small number. Returns true if there is a remainder. */
static bool
divide(big_integer *integer, uint32_t divisor)
{
    uint64_t rest = 0;
    integer->work += integer->count;
    for (size_t i = integer->count; i-- > 0;) {
        rest = rest << 32 | integer->words[i];
        integer->words[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (integer->count > 0 && integer->words[integer->count - 1] == 0)
        integer->count--;
    return rest != 0;
}

static void
shift_left(big_integer *integer, size_t bits)
{
    const size_t words = bits / 32;
    multiply(integer, UINT32_C(1) << bits % 32, 0);
    PQT_INVARIANT(integer->count + words <= WORDS,
                  "a number has more digits than its syntax allows");
    memmove(integer->words + words, integer->words, integer->count * sizeof integer->words[0]);
    memset(integer->words, 0, words * sizeof integer->words[0]);
    integer->count += words;
}

static size_t
bit_length(const big_integer *integer)
{
    return 32 * integer->count - (size_t)__builtin_clz(integer->words[integer->count - 1]);
}

/* Returns the bits of an integer from a given one on: the lowest 64 of them. */
static uint64_t
bits_from(const big_integer *integer, size_t bit)
{
    uint64_t found = 0;
    for (size_t i = 0; i < 3 && bit / 32 + i < integer->count; i++) {
        const uint64_t word = integer->words[bit / 32 + i];
        found |= i == 0 ? word >> bit % 32 : word << (32 * i - 1 - bit % 32) << 1;
    }
    return found;
}

/* Returns true if one of the lowest `bits` bits is set. */
static bool
any_below(const big_integer *integer, size_t bits)
{
    for (size_t i = 0; i < bits / 32; i++)
        if (integer->words[i] != 0)
            return true;
    return bits % 32 != 0 && integer->words[bits / 32] << (32 - bits % 32) != 0;
}

/* ---- Rounding ---- */

/* Returns the bits of the nearest double to (an integer + a fraction) * 2^-k. The fraction is
 * between 0 and 1, and is 0 only if `sticky` is false. The integer has at least QUOTIENT_BITS
 * bits. */
static uint64_t
round_integer(const big_integer *integer, int64_t k, bool sticky)
{
    const int64_t length = (int64_t)bit_length(integer), exponent = length - 1 - k;
    int64_t kept = MANTISSA;
    if (exponent > MOST_EXPONENT)
        return UINT64_C(0x7ff) << (MANTISSA - 1);
    if (exponent < LEAST_EXPONENT)
        kept -= LEAST_EXPONENT - exponent;
    if (kept < 0)
        return 0;
    const size_t dropped = (size_t)(length - kept);
    uint64_t mantissa = bits_from(integer, dropped);
    const bool has_half = bits_from(integer, dropped - 1) & 1;
    if (has_half && (sticky || any_below(integer, dropped - 1) || (mantissa & 1)))
        mantissa++; /* a carry into the exponent gives the next power of two, or infinity */
    if (kept < MANTISSA)
        return mantissa;
    return ((uint64_t)(exponent - LEAST_EXPONENT) << (MANTISSA - 1)) + mantissa;
}

/* Returns 5^exponent, for exponents of at most FIVES. */
static uint32_t
power_of_five(int64_t exponent)
{
    uint32_t power = 1;
    for (; exponent > 0; exponent--)
        power *= 5;
    return power;
}

/* Sets an integer to all digits of a number. */
static void
read_integer(big_integer *integer, const decimal *number)
{
    const char *digit = number->digits;
    for (size_t i = 0; i < number->count;) {
        uint32_t group = 0, power = 1;
        for (int size = 0; size < DIGITS && i < number->count; digit++) {
            if (*digit == '.')
                continue;
            group = 10 * group + (uint32_t)(*digit - '0');
            power *= 10;
            size++;
            i++;
        }
        multiply(integer, power, group);
    }
}

/* Shifts an integer to the left until it has `bits` bits. Returns the number of bits that it
 * adds. */
static int64_t
lengthen(big_integer *integer, int64_t bits)
{
    const int64_t missing = bits - (int64_t)bit_length(integer);
    if (missing <= 0)
        return 0;
    shift_left(integer, (size_t)missing);
    return missing;
}

/* Returns the bits of the nearest double, without the sign. The number is not 0. Adds the words
   that were multiplied or divided to *work. */
static uint64_t
round_decimal(const decimal *number, size_t *work)
{
    big_integer integer = {.count = 0};
    int64_t fives = number->exponent, k = -number->exponent;
    bool sticky = false;
    read_integer(&integer, number);
    for (; fives >= FIVES; fives -= FIVES)
        multiply(&integer, FIVES_WORD, 0);
    if (fives > 0)
        multiply(&integer, power_of_five(fives), 0);
    /* log2(5) < 7/3. The quotient has at least QUOTIENT_BITS bits. */
    k += lengthen(&integer, QUOTIENT_BITS + (fives < 0 ? (-fives * 7 + 2) / 3 : 0));
    for (; fives <= -FIVES; fives += FIVES)
        sticky |= divide(&integer, FIVES_WORD);
    if (fives < 0)
        sticky |= divide(&integer, power_of_five(-fives));
    *work += integer.work;
    return round_integer(&integer, k, sticky);
}

/* Computes a number with one rounding if its digits and its power of ten are doubles. */
static bool
round_small(const decimal *number, double *value)
{
    uint64_t digits = 0;
    double power = 1;
    const int64_t exponent = number->exponent;
    if (number->count > 15 || exponent > EXACT_POWER || exponent < -EXACT_POWER)
        return false;
    const char *digit = number->digits;
    for (size_t i = 0; i < number->count; digit++)
        if (*digit != '.')
            digits = 10 * digits + (uint64_t)(*digit - '0'), i++;
    for (int64_t i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 10;
    *value = exponent < 0 ? (double)digits / power : (double)digits * power;
    return true;
}

static double
double_of(const decimal *number, size_t *work)
{
    double value = 0;
    const int64_t power = number->exponent + (int64_t)number->count - 1; /* of the first digit */
    if (number->count == 0 || power < LEAST_POWER)
        return 0;
    if (round_small(number, &value))
        return value;
    return pqti_double_of(power >= MOST_POWER ? UINT64_C(0x7ff) << (MANTISSA - 1)
                                              : round_decimal(number, work));
}

bool
pqti_parse_double_counting(const char *text, size_t length, double *value, size_t *work)
{
    decimal number = {.digits = text};
    if (!read_decimal(text, length, &number))
        return false;
    *value = double_of(&number, work);
    if (number.is_negative)
        *value = -*value;
    return true;
}

bool
pqti_parse_double(const char *text, size_t length, double *value)
{
    size_t work = 0;
    return pqti_parse_double_counting(text, length, value, &work);
}
