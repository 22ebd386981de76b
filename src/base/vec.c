/* SPDX-License-Identifier: MIT */
/*
 * vec.c: arithmetic with points and vectors.
 *
 * The square of 1e300 overflows, and the square of 1e-300 underflows. So lengths and products are
 * computed from numbers that are first scaled to near 1 by a power of two, which is exact, and the
 * results are scaled back. If the plain formula is safe, it is used instead: it gives the same
 * bits.
 */
#include "config.h"

#include <pqt/vec.h>

#include <math.h>

#include "base/fp.h"
#include "base/vec_internal.h"

/*
 * A sum of two products with a magnitude in this range is correct without scaling. No product can
 * have overflowed, and one that underflowed is below 2^-1022, which is too small to change a sum of
 * at least 2^-900.
 */
#define SAFE_MIN 0x1p-900
#define SAFE_MAX 0x1p+1000

static bool
is_safe(double sum)
{
    sum = pqti_fabs(sum);
    return sum >= SAFE_MIN && sum <= SAFE_MAX;
}

bool
pqt_vec_is_finite(pqt_vec v)
{
    return isfinite(v.x) && isfinite(v.y);
}

pqt_vec
pqt_vec_add(pqt_vec a, pqt_vec b)
{
    return (pqt_vec){a.x + b.x, a.y + b.y};
}

pqt_vec
pqt_vec_subtract(pqt_vec a, pqt_vec b)
{
    return (pqt_vec){a.x - b.x, a.y - b.y};
}

pqt_vec
pqt_vec_scale(pqt_vec v, double factor)
{
    return (pqt_vec){v.x * factor, v.y * factor};
}

/* A product as fraction * 2^exponent; the fraction is 0 or in [1/4, 1). */
typedef struct product {
    double fraction;
    int exponent;
} product;

static product
multiply_exact(double a, double b)
{
    int of_a, of_b;
    double fraction = frexp(a, &of_a) * frexp(b, &of_b);
    return (product){fraction, of_a + of_b};
}

static double
add_products(product a, product b)
{
    /* The exponent of a zero is meaningless. */
    if (a.fraction == 0)
        return ldexp(b.fraction, b.exponent);
    if (b.fraction == 0)
        return ldexp(a.fraction, a.exponent);
    int top = a.exponent > b.exponent ? a.exponent : b.exponent;
    double sum = ldexp(a.fraction, a.exponent - top) + ldexp(b.fraction, b.exponent - top);
    return ldexp(sum, top);
}

double
pqt_vec_dot(pqt_vec a, pqt_vec b)
{
    double sum = a.x * b.x + a.y * b.y;
    if (is_safe(sum) || !pqt_vec_is_finite(a) || !pqt_vec_is_finite(b))
        return sum;
    return add_products(multiply_exact(a.x, b.x), multiply_exact(a.y, b.y));
}

pqt_vec
pqti_vec_frexp(pqt_vec v, int *exponent)
{
    double greater = pqti_fmax(pqti_fabs(v.x), pqti_fabs(v.y));
    *exponent = 0;
    if (greater == 0 || !pqt_vec_is_finite(v))
        return v;
    (void)frexp(greater, exponent);
    if (greater >= SAFE_MIN && greater <= SAFE_MAX)
        return pqt_vec_scale(v, ldexp(1, -*exponent));
    return pqti_vec_ldexp(v, -*exponent);
}

double
pqt_vec_length(pqt_vec v)
{
    double square = v.x * v.x + v.y * v.y;
    if (is_safe(square))
        return sqrt(square);
    int exponent;
    v = pqti_vec_frexp(v, &exponent);
    return ldexp(sqrt(v.x * v.x + v.y * v.y), exponent);
}

double
pqt_vec_distance(pqt_vec a, pqt_vec b)
{
    return pqt_vec_length(pqt_vec_subtract(a, b));
}

pqt_vec
pqt_vec_normalize(pqt_vec v)
{
    int exponent;
    v = pqti_vec_frexp(v, &exponent);
    double length = sqrt(v.x * v.x + v.y * v.y);
    if (length == 0)
        return (pqt_vec){0, 0};
    return (pqt_vec){v.x / length, v.y / length};
}
