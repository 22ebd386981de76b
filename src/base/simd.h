/* SPDX-License-Identifier: MIT */
/*
 * simd.h - two doubles, or two words, that are worked on side by side.
 *
 * The four quarters of a node are two pairs. Masks choose between numbers, since a branch that the
 * processor cannot foresee costs more than all the arithmetic of a node. GCC and clang turn this
 * into vector instructions of the machine, or into plain ones where it has none; each lane is
 * rounded as a plain double is. Where x86-64 has one instruction for what GCC makes several of, it
 * is named, and gives the same bits, for NaN and zeros as well.
 */
#ifndef PQTI_SIMD_H
#define PQTI_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef double pqti_f64x2 __attribute__((vector_size(16)));
typedef int64_t pqti_mask64x2 __attribute__((vector_size(16))); /* a lane is -1 or 0 */
typedef uint64_t pqti_u64x2 __attribute__((vector_size(16)));

static inline pqti_f64x2
pqti_f64x2_load(const double *from)
{
    pqti_f64x2 pair;
    memcpy(&pair, from, sizeof pair);
    return pair;
}

static inline pqti_u64x2
pqti_u64x2_load(const uint64_t *from)
{
    pqti_u64x2 words;
    memcpy(&words, from, sizeof words);
    return words;
}

static inline void
pqti_f64x2_store(double *to, pqti_f64x2 pair)
{
    memcpy(to, &pair, sizeof pair);
}

/* A bit for each lane that is set, the lowest for the first. */
static inline unsigned
pqti_mask64x2_bits(pqti_mask64x2 mask)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_pd((pqti_f64x2)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2));
#endif
}

/* A bit for each lane in which two words are equal. */
static inline unsigned
pqti_u64x2_equal(pqti_u64x2 a, pqti_u64x2 b)
{
#ifdef __SSE2__
    const __m128i halves = _mm_cmpeq_epi32((__m128i)a, (__m128i)b);
    return pqti_mask64x2_bits((pqti_mask64x2)(halves & _mm_shuffle_epi32(halves, 0xb1)));
#else
    return (a[0] == b[0] ? 1u : 0u) | (a[1] == b[1] ? 2u : 0u);
#endif
}

static inline bool
pqti_mask64x2_any(pqti_mask64x2 mask)
{
    return pqti_mask64x2_bits(mask) != 0;
}

/* a where the mask is set, else b. */
static inline pqti_f64x2
pqti_f64x2_select(pqti_mask64x2 mask, pqti_f64x2 a, pqti_f64x2 b)
{
    return (pqti_f64x2)((mask & (pqti_mask64x2)a) | (~mask & (pqti_mask64x2)b));
}

#ifdef __SSE2__

static inline pqti_f64x2
pqti_f64x2_max(pqti_f64x2 a, pqti_f64x2 b)
{
    return _mm_max_pd(b, a);
}

static inline pqti_f64x2
pqti_f64x2_min(pqti_f64x2 a, pqti_f64x2 b)
{
    return _mm_min_pd(b, a);
}

#else

/* b where it is above a, else a. */
static inline pqti_f64x2
pqti_f64x2_max(pqti_f64x2 a, pqti_f64x2 b)
{
    return pqti_f64x2_select(b > a, b, a);
}

/* b where it is below a, else a. */
static inline pqti_f64x2
pqti_f64x2_min(pqti_f64x2 a, pqti_f64x2 b)
{
    return pqti_f64x2_select(b < a, b, a);
}

#endif

/* a where it is above 0, else 0. */
static inline pqti_f64x2
pqti_f64x2_relu(pqti_f64x2 a)
{
    const pqti_f64x2 zero = {0, 0};
    return pqti_f64x2_max(zero, a);
}

static inline pqti_f64x2
pqti_f64x2_abs(pqti_f64x2 a)
{
    return (pqti_f64x2)((pqti_mask64x2)a & INT64_MAX);
}

/* Four columns less 2^31 as two pairs: whole numbers of 32 bits with a sign are quickly
   converted. */
static inline void
pqti_f64x2_from_qcoords(const uint32_t qcoords[4], pqti_f64x2 pairs[2])
{
    typedef uint32_t four_columns __attribute__((vector_size(16)));
    typedef int32_t four_signed __attribute__((vector_size(16)));
    typedef double four_doubles __attribute__((vector_size(32)));
    four_columns from;
    memcpy(&from, qcoords, sizeof from);
    four_doubles to =
        __builtin_convertvector((four_signed)(from ^ UINT32_C(0x80000000)), four_doubles);
    memcpy(pairs, &to, sizeof to);
}

/*
 * Four doubles as two pairs, of whose integers of the same order (domain.h) the upper halves are
 * given; the lower ones are 0, or all ones for the `last`. Those of numbers below 0 have all bits
 * turned round.
 */
static inline void
pqti_f64x2_unordered(const uint32_t upper[4], bool last, pqti_f64x2 pairs[2])
{
    typedef uint32_t four_columns __attribute__((vector_size(16)));
    typedef int32_t four_signed __attribute__((vector_size(16)));
    typedef uint64_t four_words __attribute__((vector_size(32)));
    four_columns from;
    memcpy(&from, upper, sizeof from);
    four_columns below_0 = (four_columns)((four_signed)from >= 0);
    four_columns high = from ^ (below_0 | UINT32_C(0x80000000)), low = last ? ~below_0 : below_0;
    four_words to =
        __builtin_convertvector(high, four_words) << 32 | __builtin_convertvector(low, four_words);
    memcpy(pairs, &to, sizeof to);
}

/*
 * Four columns side by side, one for each quarter of a node.
 *
 * Processors compare four numbers at once, but only numbers with a sign: so columns that are only
 * compared are held less 2^31, which keeps the order.
 */

typedef uint32_t pqti_u32x4 __attribute__((vector_size(16)));

static inline pqti_u32x4
pqti_u32x4_load(const uint32_t qcoords[4])
{
    pqti_u32x4 four;
    memcpy(&four, qcoords, sizeof four);
    return four;
}

/* Four columns less 2^31. */
typedef int32_t pqti_i32x4_biased
    __attribute__((vector_size(16))); /* a comparison leaves -1 or 0 */

static inline pqti_i32x4_biased
pqti_i32x4_biased_load(const uint32_t qcoords[4])
{
    return (pqti_i32x4_biased)(pqti_u32x4_load(qcoords) ^ UINT32_C(0x80000000));
}

/* One column, four times. */
static inline pqti_i32x4_biased
pqti_i32x4_biased_of(uint32_t qcoord)
{
    int32_t one = (int32_t)(qcoord ^ UINT32_C(0x80000000));
    return (pqti_i32x4_biased){one, one, one, one};
}

/* A bit for each lane that is below 0, the lowest for the first. */
static inline unsigned
pqti_i32x4_biased_bits(pqti_i32x4_biased four)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)four);
#else
    pqti_i32x4_biased bits = (four < 0) & (pqti_i32x4_biased){1, 2, 4, 8};
    return (unsigned)((bits[0] | bits[1]) | (bits[2] | bits[3]));
#endif
}

#endif
