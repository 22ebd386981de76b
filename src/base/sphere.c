/* SPDX-License-Identifier: MIT */
/*
 * sphere.c: distances on the sphere.
 *
 * The sines, cosines and arctangents of the C library differ between machines in the last bits.
 * Those here are Taylor series, computed by additions, multiplications, divisions and square roots,
 * which every machine rounds alike. Angles are reduced in degrees, where this is exact.
 */
#include "config.h"

#include <pqt/sphere.h>

#include <math.h>

#include "base/fp.h"
#include "base/sphere_internal.h"

#define PI 3.141592653589793
#define RADIANS_PER_DEGREE (PI / 180)
#define DEGREES_PER_RADIAN (180 / PI)
#define FULL_TURN 360.0
#define HALF_TURN 180.0
#define QUARTER_TURN 90.0

/* ---- Sine, cosine and arctangent ---- */

enum { TERMS = 8 };

/* Returns the sum of c[0] x^8 + c[1] x^7 + ... + c[7] x. */
static double
series_of(const double coefficients[TERMS], double x)
{
    double sum = 0;
    for (int i = 0; i < TERMS; i++)
        sum = (sum + coefficients[i]) * x;
    return sum;
}

/*
 * Returns the sine of an angle of up to 45 degrees. The first omitted term of the series is below
 * 1e-19.
 */
static double
sine_of_small(double degrees)
{
    const double x = degrees * RADIANS_PER_DEGREE;
    static const double coefficients[TERMS] = {
        1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
        1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
    return x + x * series_of(coefficients, x * x);
}

/* Returns the cosine of an angle of up to 45 degrees. The first omitted term is below 1e-17. */
static double
cosine_of_small(double degrees)
{
    const double x = degrees * RADIANS_PER_DEGREE;
    static const double coefficients[TERMS] = {
        1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
        1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0,        -1.0 / 2.0};
    return 1 + series_of(coefficients, x * x);
}

/* Returns the sine of an angle from -90 to 90 degrees. */
static double
sine_of(double degrees)
{
    const double size = pqti_fabs(degrees);
    if (size <= QUARTER_TURN / 2)
        return sine_of_small(degrees);
    const double sine = cosine_of_small(QUARTER_TURN - size);
    return degrees < 0 ? -sine : sine;
}

/* Returns the cosine of an angle from -90 to 90 degrees. */
static double
cosine_of(double degrees)
{
    const double size = pqti_fabs(degrees);
    return size <= QUARTER_TURN / 2 ? cosine_of_small(size) : sine_of_small(QUARTER_TURN - size);
}

/* Returns the arctangent, in radians, of a number of up to tan(pi / 16) = 0.199. The first omitted
   term of the series is below 1e-18. */
static double
arctangent_of_small(double x)
{
    const double square = x * x;
    double sum = 0;
    for (int i = 23; i > 1; i -= 2)
        sum = (sum + (i % 4 == 1 ? 1.0 / i : -1.0 / i)) * square;
    return x + x * sum;
}

/*
 * Returns the angle, in radians, of the direction {x, y} in the first quadrant. The direction is
 * mirrored to below the diagonal, and then turned by a quarter or an eighth of a right angle so
 * that the series converges quickly.
 */
static double
angle_of(double x, double y)
{
    const double tangent_of_eighth_turn = 0.41421356237309505; /* tan(pi / 8) */
    if (y > x)
        return PI / 2 - angle_of(y, x);
    const double tangent = x > 0 ? y / x : 0;
    if (tangent <= 0.1989)
        return arctangent_of_small(tangent);
    if (tangent <= 0.6682)
        return PI / 8 + arctangent_of_small((tangent - tangent_of_eighth_turn) /
                                            (1 + tangent * tangent_of_eighth_turn));
    return PI / 4 + arctangent_of_small((tangent - 1) / (tangent + 1));
}

/* ---- Haversines ---- */

pqti_sphere_point
pqti_sphere_point_of(pqt_vec at)
{
    return (pqti_sphere_point){at, sine_of(at.y), cosine_of(at.y)};
}

/* Returns the least angle in degrees, from 0 to 180, from a longitude to an interval of them. */
static double
gap_to(double longitude, double min, double max)
{
    const double width = max - min;
    double off = longitude - min;
    while (off < 0)
        off += FULL_TURN;
    while (off >= FULL_TURN)
        off -= FULL_TURN;
    return width >= FULL_TURN || off <= width ? 0 : pqti_fmin(off - width, FULL_TURN - off);
}

static double
square(double x)
{
    return x * x;
}

/* Returns the haversine to a point at another latitude. `across` is the haversine of the angle
   between the two meridians. */
static double
haversine_to_latitude(const pqti_sphere_point *from, double latitude, double across)
{
    const double along = square(sine_of((from->at.y - latitude) / 2));
    return across == 0 ? along : along + from->cos_latitude * cosine_of(latitude) * across;
}

/*
 * Returns the latitude, in degrees, of the point of a meridian that is nearest to a point less than
 * 90 degrees of longitude away: the great circle through both meets the meridian at a right angle.
 */
static double
nearest_latitude(const pqti_sphere_point *from, double gap)
{
    const double angle =
        angle_of(from->cos_latitude * cosine_of(gap), pqti_fabs(from->sin_latitude)) *
        DEGREES_PER_RADIAN;
    return from->sin_latitude < 0 ? -angle : angle;
}

double
pqti_haversine(const pqti_sphere_point *from, const pqt_box *box)
{
    const double gap = gap_to(from->at.x, box->min.x, box->max.x);
    const double low = box->min.y, high = box->max.y;
    if (gap == 0)
        return haversine_to_latitude(from, pqti_fmin(pqti_fmax(from->at.y, low), high), 0);
    const double across = square(sine_of(gap / 2));
    double least = haversine_to_latitude(from, low, across);
    if (low < high)
        least = pqti_fmin(least, haversine_to_latitude(from, high, across));
    if (low < high && gap < QUARTER_TURN) {
        const double between = nearest_latitude(from, gap);
        if (low < between && between < high)
            least = pqti_fmin(least, haversine_to_latitude(from, between, across));
    }
    return least;
}

double
pqti_metres_of_haversine(double haversine)
{
    const double most = pqti_fmin(haversine, 1);
    return 2 * PQT_EARTH_RADIUS * angle_of(sqrt(1 - most), sqrt(most));
}

/* The margin covers all rounding errors, even those of subnormal numbers. */
double
pqti_haversine_of_metres(double metres)
{
    const double degrees = metres / (2 * PQT_EARTH_RADIUS) * DEGREES_PER_RADIAN;
    if (!(degrees < QUARTER_TURN))
        return 2; /* more than any haversine */
    return square(sine_of(degrees)) * (1 + 0x1p-40) + 0x1p-1000;
}

/* ---- Public functions ---- */

bool
pqt_box_is_on_sphere(pqt_box box)
{
    return pqti_is_on_sphere(&box);
}

pqt_box
pqt_sphere_box(double west, double south, double east, double north)
{
    return (pqt_box){{west, south}, {east < west ? east + FULL_TURN : east, north}};
}

double
pqt_sphere_distance(pqt_vec point, pqt_box box)
{
    const pqt_box at = {point, point};
    if (!pqti_is_on_sphere(&at) || !pqti_is_on_sphere(&box))
        return NAN;
    const pqti_sphere_point from = pqti_sphere_point_of(point);
    return pqti_metres_of_haversine(pqti_haversine(&from, &box));
}
