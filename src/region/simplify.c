/* SPDX-License-Identifier: MIT */
/*
 * simplify.c: simplifies polygons by the algorithm of Douglas and Peucker.
 *
 * Distances are compared in integers. Coordinates have 21 bits and a sign, so the square of the
 * length of a side has at most 43 bits, and the square of a distance times that of a length 86.
 */
#include "config.h"

#include "region/simplify.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/int128.h"

typedef struct polygon {
    const pqt_pixel *corners;
    size_t count;
    int64_t tolerance;
    uint8_t *keep; /* for each corner: 1 if it remains */
} polygon;

static int64_t
dot(pqt_pixel from, pqt_pixel a, pqt_pixel b)
{
    return (int64_t)(a.x - from.x) * (b.x - from.x) + (int64_t)(a.y - from.y) * (b.y - from.y);
}

static int64_t
cross(pqt_pixel from, pqt_pixel a, pqt_pixel b)
{
    return (int64_t)(a.x - from.x) * (b.y - from.y) - (int64_t)(a.y - from.y) * (b.x - from.x);
}

static pqti_int128
product(int64_t a, int64_t b)
{
    return pqti_int128_multiply(pqti_int128_of(a), pqti_int128_of(b));
}

static bool
is_less(pqti_int128 a, pqti_int128 b)
{
    return pqti_int128_is_negative(pqti_int128_subtract(a, b));
}

/* Returns the square of the distance of a corner from the segment a b, times `length`, the square
 * of the segment's length; if that is 0, the square of the distance. */
static pqti_int128
scaled_distance(pqt_pixel corner, pqt_pixel a, pqt_pixel b, int64_t length)
{
    if (length == 0)
        return pqti_int128_of(dot(a, corner, corner));
    const int64_t along = dot(a, b, corner), aside = cross(a, b, corner);
    if (along <= 0)
        return product(dot(a, corner, corner), length);
    if (along >= length)
        return product(dot(b, corner, corner), length);
    return product(aside, aside);
}

static pqt_pixel
corner_at(const polygon *p, size_t i)
{
    return p->corners[i < p->count ? i : 0];
}

/* Returns the corner between two others that is farthest from the segment between them. Sets
 * `*is_far` if it is farther than the tolerance. */
static size_t
find_farthest(const polygon *p, size_t first, size_t last, bool *is_far)
{
    const pqt_pixel a = corner_at(p, first), b = corner_at(p, last);
    const int64_t length = dot(a, b, b);
    pqti_int128 most = pqti_int128_of(-1);
    size_t farthest = first;
    for (size_t i = first + 1; i < last; i++) {
        const pqti_int128 distance = scaled_distance(p->corners[i], a, b, length);
        if (!is_less(most, distance))
            continue;
        most = distance;
        farthest = i;
    }
    const pqti_int128 allowed = pqti_int128_multiply(product(p->tolerance, p->tolerance),
                                                     pqti_int128_of(length == 0 ? 1 : length));
    const int64_t unit = (int64_t)PQTI_TOLERANCE_UNITS * PQTI_TOLERANCE_UNITS;
    *is_far = is_less(allowed, pqti_int128_multiply(most, pqti_int128_of(unit)));
    return farthest;
}

/* Keeps the corners that are needed between two others. Calls itself for the shorter part, so the
 * calls are nested at most 32 deep. */
static void
simplify_between(const polygon *p, size_t first, size_t last)
{
    while (last - first > 1) {
        bool is_far;
        const size_t middle = find_farthest(p, first, last, &is_far);
        if (!is_far)
            return;
        p->keep[middle] = 1;
        if (middle - first < last - middle) {
            simplify_between(p, first, middle);
            first = middle;
        } else {
            simplify_between(p, middle, last);
            last = middle;
        }
    }
}

/* Returns the corner that is farthest from the line through the first corner and another one. */
static size_t
find_third(const polygon *p, size_t second)
{
    size_t third = 0;
    int64_t most = 0;
    for (size_t i = 1; i < p->count; i++) {
        const int64_t aside = cross(p->corners[0], p->corners[second], p->corners[i]);
        if ((aside < 0 ? -aside : aside) <= most)
            continue;
        most = aside < 0 ? -aside : aside;
        third = i;
    }
    PQT_INVARIANT(third > 0, "the corners of a contour are on one line");
    return third;
}

static size_t
remove_corners(pqt_pixel *corners, const polygon *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->keep[i] != 0)
            corners[kept++] = corners[i];
    return kept;
}

static size_t
count_kept(const polygon *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++)
        kept += p->keep[i];
    return kept;
}

size_t
pqti_simplify(pqt_pixel *corners, size_t count, int64_t tolerance, uint8_t *keep)
{
    const polygon p = {corners, count, tolerance, keep};
    bool is_far;
    memset(keep, 0, count);
    /* The two ends of the first two parts: the first corner, and the one farthest from it. */
    const size_t second = find_farthest(&p, 0, count, &is_far);
    keep[0] = keep[second] = 1;
    simplify_between(&p, 0, second);
    simplify_between(&p, second, count);
    if (count_kept(&p) < 3)
        keep[find_third(&p, second)] = 1;
    return remove_corners(corners, &p);
}
