/* SPDX-License-Identifier: MIT */
/*
 * simd_u32.h - four columns side by side, one for each quarter of a node.
 *
 * Processors compare four numbers at once, but only numbers with a sign: so columns that are only
 * compared are held less 2^31, which keeps the order.
 */
#ifndef PQTI_SIMD_U32_H
#define PQTI_SIMD_U32_H

#include <stdint.h>
#include <string.h>

#include "base/simd.h"

typedef uint32_t pqti_four __attribute__((vector_size(16)));

static inline pqti_four
pqti_four_load(const uint32_t columns[4])
{
    pqti_four four;
    memcpy(&four, columns, sizeof four);
    return four;
}

/* Four columns less 2^31. */
typedef int32_t pqti_biased __attribute__((vector_size(16))); /* a comparison leaves -1 or 0 */

static inline pqti_biased
pqti_biased_load(const uint32_t columns[4])
{
    return (pqti_biased)(pqti_four_load(columns) ^ UINT32_C(0x80000000));
}

/* One column, four times. */
static inline pqti_biased
pqti_biased_of(uint32_t column)
{
    int32_t one = (int32_t)(column ^ UINT32_C(0x80000000));
    return (pqti_biased){one, one, one, one};
}

/* A bit for each lane that is below 0, the lowest for the first. */
static inline unsigned
pqti_biased_bits(pqti_biased four)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)four);
#else
    pqti_biased bits = (four < 0) & (pqti_biased){1, 2, 4, 8};
    return (unsigned)((bits[0] | bits[1]) | (bits[2] | bits[3]));
#endif
}

#endif
