/* SPDX-License-Identifier: MIT */
/*
 * image_blend.h: draws one colour over another, in whole numbers.
 *
 * For a colour c with alpha a over a colour C with alpha A, the share of the first is s = 255 a,
 * and that of the second t = A (255 - a). The alpha of the result is (s + t) / 255, and each of
 * red, green and blue is (s c + t C) / (s + t): the exact value of source-over, rounded once to the
 * nearest whole number, and up from the middle. The divisor is the exact alpha, not the rounded
 * one.
 *
 * So a colour with alpha 0 changes nothing, and one with alpha 255 replaces all. If s > 0, the
 * rounded alpha is at least 1. So no transparent pixel is made that was not there.
 *
 * Source: T. Porter, T. Duff, "Compositing digital images", 1984: the operator "over".
 */
#ifndef PQTI_IMAGE_BLEND_H
#define PQTI_IMAGE_BLEND_H

#include <stdint.h>

/* Returns a / b, rounded to the nearest whole number, for b > 0 and 2 a + b < 2^32. */
static inline uint32_t
pqti_divide_rounded(uint32_t a, uint32_t b)
{
    return (2 * a + b) / (2 * b);
}

/* Returns the channel that begins at bit `shift` of a packed colour. */
static inline uint32_t
pqti_channel(uint32_t colour, int shift)
{
    return colour >> shift & 255;
}

/* Returns `ink` over `under`. The largest numerator is 255^3 < 2^24. */
static inline uint32_t
pqti_blend_over(uint32_t ink, uint32_t under)
{
    const uint32_t alpha = ink >> 24;
    if (alpha == 0 || alpha == 255)
        return alpha == 0 ? under : ink;
    const uint32_t s = 255 * alpha, t = (under >> 24) * (255 - alpha);
    uint32_t result = pqti_divide_rounded(s + t, 255) << 24;
    for (int shift = 0; shift < 24; shift += 8)
        result |= pqti_divide_rounded(s * pqti_channel(ink, shift) + t * pqti_channel(under, shift),
                                      s + t)
                  << shift;
    return result;
}

#endif
