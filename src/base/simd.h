/* SPDX-License-Identifier: MIT */
/*
 * simd.h: vectors of two doubles, two words or four columns, and operations on their lanes.
 *
 * This is the only header that knows how lanes are stored. With GCC and clang, a vector has a
 * vector type of 16 bytes, and an operation takes one instruction if the machine has a suitable
 * one. Intrinsics for SSE2 and WebAssembly replace expressions that the compiler would turn into
 * several instructions. The intrinsics give the same bits as the expressions, even for NaN and
 * zeros. With PQT_PLAIN (configure --enable-plain), a vector is an array, and each operation loops
 * over the lanes. Every lane is rounded like a plain double, so all builds give the same results.
 *
 * Masks rather than branches choose between numbers, because one mispredicted branch costs more
 * than all the arithmetic for a node.
 */
#ifndef PQTI_SIMD_H
#define PQTI_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined PQT_PLAIN && defined __SSE2__
#define PQTI_SSE2 1
#include <emmintrin.h>
#else
#define PQTI_SSE2 0
#endif

#if !defined PQT_PLAIN && defined __wasm_simd128__
#define PQTI_WASM 1
#include <wasm_simd128.h>
#else
#define PQTI_WASM 0
#endif

#ifdef PQT_PLAIN

typedef struct pqti_f64x2 {
    double lane[2];
} pqti_f64x2;

typedef struct pqti_u64x2 {
    uint64_t lane[2];
} pqti_u64x2;

/* Each lane is 0 or all ones. */
typedef struct pqti_mask64x2 {
    uint64_t lane[2];
} pqti_mask64x2;

/*
 * Columns minus 2^31, as signed numbers, because only signed comparisons are fast. The subtraction
 * preserves their order.
 */
typedef struct pqti_i32x4_biased {
    int32_t lane[4];
} pqti_i32x4_biased;

/* Each lane is 0 or all ones. */
typedef struct pqti_mask32x4 {
    uint32_t lane[4];
} pqti_mask32x4;

#define PQTI_LANE(vector, i) ((vector).lane[i])

/* Define functions that apply an operator to each lane of two vectors, or compare each lane. */
#define PQTI_EACH_OF_2(name, type, op)                                                             \
    static inline type name(type a, type b)                                                        \
    {                                                                                              \
        return (type){{a.lane[0] op b.lane[0], a.lane[1] op b.lane[1]}};                           \
    }
#define PQTI_COMPARE_2(name, type, op)                                                             \
    static inline pqti_mask64x2 name(type a, type b)                                               \
    {                                                                                              \
        return (pqti_mask64x2){                                                                    \
            {-(uint64_t)(a.lane[0] op b.lane[0]), -(uint64_t)(a.lane[1] op b.lane[1])}};           \
    }
#define PQTI_EACH_OF_4(name, type, op)                                                             \
    static inline type name(type a, type b)                                                        \
    {                                                                                              \
        return (type){{a.lane[0] op b.lane[0], a.lane[1] op b.lane[1], a.lane[2] op b.lane[2],     \
                       a.lane[3] op b.lane[3]}};                                                   \
    }
#define PQTI_COMPARE_4(name, type, op)                                                             \
    static inline pqti_mask32x4 name(type a, type b)                                               \
    {                                                                                              \
        return (pqti_mask32x4){                                                                    \
            {-(uint32_t)(a.lane[0] op b.lane[0]), -(uint32_t)(a.lane[1] op b.lane[1]),             \
             -(uint32_t)(a.lane[2] op b.lane[2]), -(uint32_t)(a.lane[3] op b.lane[3])}};           \
    }
#define PQTI_SHIFT_2(name, op)                                                                     \
    static inline pqti_u64x2 name(pqti_u64x2 words, unsigned by)                                   \
    {                                                                                              \
        return (pqti_u64x2){{words.lane[0] op by, words.lane[1] op by}};                           \
    }

#else

typedef double pqti_f64x2 __attribute__((vector_size(16)));
typedef uint64_t pqti_u64x2 __attribute__((vector_size(16)));

/* Each lane is 0 or all ones. The lanes are unsigned, because GCC turns the conjunction of
   signed comparisons into selects. */
typedef uint64_t pqti_mask64x2 __attribute__((vector_size(16)));

/*
 * Columns minus 2^31, as signed numbers, because only signed comparisons are fast. The subtraction
 * preserves their order.
 */
typedef int32_t pqti_i32x4_biased __attribute__((vector_size(16)));

/* Each lane is 0 or all ones. */
typedef int32_t pqti_mask32x4 __attribute__((vector_size(16)));

#define PQTI_LANE(vector, i) ((vector)[i])

#define PQTI_EACH_OF_2(name, type, op)                                                             \
    static inline type name(type a, type b)                                                        \
    {                                                                                              \
        return a op b;                                                                             \
    }
#define PQTI_COMPARE_2(name, type, op)                                                             \
    static inline pqti_mask64x2 name(type a, type b)                                               \
    {                                                                                              \
        return (pqti_mask64x2)(a op b);                                                            \
    }
#define PQTI_EACH_OF_4 PQTI_EACH_OF_2
#define PQTI_COMPARE_4(name, type, op)                                                             \
    static inline pqti_mask32x4 name(type a, type b)                                               \
    {                                                                                              \
        return (pqti_mask32x4)(a op b);                                                            \
    }
#define PQTI_SHIFT_2(name, op)                                                                     \
    static inline pqti_u64x2 name(pqti_u64x2 words, unsigned by)                                   \
    {                                                                                              \
        return words op by;                                                                        \
    }

#endif

PQTI_EACH_OF_2(pqti_f64x2_add, pqti_f64x2, +)
PQTI_EACH_OF_2(pqti_f64x2_sub, pqti_f64x2, -)
PQTI_EACH_OF_2(pqti_f64x2_mul, pqti_f64x2, *)
PQTI_EACH_OF_2(pqti_f64x2_div, pqti_f64x2, /)
PQTI_COMPARE_2(pqti_f64x2_lt, pqti_f64x2, <)
PQTI_COMPARE_2(pqti_f64x2_le, pqti_f64x2, <=)
PQTI_COMPARE_2(pqti_f64x2_gt, pqti_f64x2, >)
PQTI_COMPARE_2(pqti_f64x2_ge, pqti_f64x2, >=)
PQTI_COMPARE_2(pqti_f64x2_eq, pqti_f64x2, ==)
PQTI_EACH_OF_2(pqti_u64x2_and, pqti_u64x2, &)
PQTI_EACH_OF_2(pqti_u64x2_or, pqti_u64x2, |)
PQTI_EACH_OF_2(pqti_u64x2_xor, pqti_u64x2, ^)
PQTI_EACH_OF_2(pqti_u64x2_sub, pqti_u64x2, -)
PQTI_SHIFT_2(pqti_u64x2_shift_left, <<)
PQTI_SHIFT_2(pqti_u64x2_shift_right, >>)
PQTI_EACH_OF_2(pqti_mask64x2_and, pqti_mask64x2, &)
PQTI_EACH_OF_2(pqti_mask64x2_or, pqti_mask64x2, |)
PQTI_COMPARE_4(pqti_i32x4_biased_lt, pqti_i32x4_biased, <)
PQTI_COMPARE_4(pqti_i32x4_biased_gt, pqti_i32x4_biased, >)
PQTI_EACH_OF_4(pqti_mask32x4_or, pqti_mask32x4, |)

#undef PQTI_EACH_OF_2
#undef PQTI_COMPARE_2
#undef PQTI_EACH_OF_4
#undef PQTI_COMPARE_4
#undef PQTI_SHIFT_2

/* ---- two doubles ---- */

static inline pqti_f64x2
pqti_f64x2_of(double first, double second)
{
#ifdef PQT_PLAIN
    return (pqti_f64x2){{first, second}};
#else
    return (pqti_f64x2){first, second};
#endif
}

/* Returns a vector with one double in both lanes. */
static inline pqti_f64x2
pqti_f64x2_splat(double value)
{
    return pqti_f64x2_of(value, value);
}

/* Returns lane 0 or 1. */
static inline double
pqti_f64x2_lane(pqti_f64x2 pair, int i)
{
    return PQTI_LANE(pair, i);
}

static inline pqti_f64x2
pqti_f64x2_load(const double *from)
{
    pqti_f64x2 pair;
    memcpy(&pair, from, sizeof pair);
    return pair;
}

static inline void
pqti_f64x2_store(double *to, pqti_f64x2 pair)
{
    memcpy(to, &pair, sizeof pair);
}

/* Returns lane i of `a` and lane i of `b` as one vector. */
static inline pqti_f64x2
pqti_f64x2_transposed(pqti_f64x2 a, pqti_f64x2 b, int i)
{
    return pqti_f64x2_of(PQTI_LANE(a, i), PQTI_LANE(b, i));
}

/* Multiplies each lane by one number. */
static inline pqti_f64x2
pqti_f64x2_scale(pqti_f64x2 pair, double by)
{
    return pqti_f64x2_mul(pair, pqti_f64x2_splat(by));
}

/* ---- masks ---- */

/* Returns a number whose bit i is set if lane i is set. */
static inline unsigned
pqti_mask64x2_bits(pqti_mask64x2 mask)
{
#if PQTI_SSE2
    return (unsigned)_mm_movemask_pd((pqti_f64x2)mask);
#elif PQTI_WASM
    return wasm_i64x2_bitmask((v128_t)mask);
#else
    return (unsigned)((PQTI_LANE(mask, 0) & 1) | (PQTI_LANE(mask, 1) & 2));
#endif
}

static inline bool
pqti_mask64x2_any(pqti_mask64x2 mask)
{
#if PQTI_WASM
    return wasm_v128_any_true((v128_t)mask);
#else
    return pqti_mask64x2_bits(mask) != 0;
#endif
}

/* Returns the lanes that are set in a and not in b. */
static inline pqti_mask64x2
pqti_mask64x2_and_not(pqti_mask64x2 a, pqti_mask64x2 b)
{
#ifdef PQT_PLAIN
    return (pqti_mask64x2){{a.lane[0] & ~b.lane[0], a.lane[1] & ~b.lane[1]}};
#else
    return a & ~b;
#endif
}

/* Returns a where the mask is set, otherwise b. */
static inline pqti_f64x2
pqti_f64x2_select(pqti_mask64x2 mask, pqti_f64x2 a, pqti_f64x2 b)
{
#ifdef PQT_PLAIN
    return (pqti_f64x2){
        {mask.lane[0] != 0 ? a.lane[0] : b.lane[0], mask.lane[1] != 0 ? a.lane[1] : b.lane[1]}};
#else
    return (pqti_f64x2)((mask & (pqti_mask64x2)a) | (~mask & (pqti_mask64x2)b));
#endif
}

/* Returns b where it is above a, otherwise a. */
static inline pqti_f64x2
pqti_f64x2_max(pqti_f64x2 a, pqti_f64x2 b)
{
#if PQTI_SSE2
    return _mm_max_pd(b, a);
#elif PQTI_WASM
    return (pqti_f64x2)wasm_f64x2_pmax((v128_t)a, (v128_t)b);
#else
    return pqti_f64x2_select(pqti_f64x2_gt(b, a), b, a);
#endif
}

/* Returns b where it is below a, otherwise a. */
static inline pqti_f64x2
pqti_f64x2_min(pqti_f64x2 a, pqti_f64x2 b)
{
#if PQTI_SSE2
    return _mm_min_pd(b, a);
#elif PQTI_WASM
    return (pqti_f64x2)wasm_f64x2_pmin((v128_t)a, (v128_t)b);
#else
    return pqti_f64x2_select(pqti_f64x2_lt(b, a), b, a);
#endif
}

/* Returns a where it is above 0, otherwise 0. */
static inline pqti_f64x2
pqti_f64x2_relu(pqti_f64x2 a)
{
    return pqti_f64x2_max(pqti_f64x2_splat(0), a);
}

static inline pqti_f64x2
pqti_f64x2_neg(pqti_f64x2 a)
{
#ifdef PQT_PLAIN
    return (pqti_f64x2){{-a.lane[0], -a.lane[1]}};
#else
    return -a;
#endif
}

static inline pqti_f64x2
pqti_f64x2_abs(pqti_f64x2 a)
{
#ifdef PQT_PLAIN
    return (pqti_f64x2){{__builtin_fabs(a.lane[0]), __builtin_fabs(a.lane[1])}};
#else
    return (pqti_f64x2)((pqti_mask64x2)a & (UINT64_MAX >> 1));
#endif
}

/* Returns true if a lane is -0.0, the only number that adding 0.0 changes. The result is
   meaningless if a lane is NaN. */
static inline bool
pqti_f64x2_has_negative_zero(pqti_f64x2 a)
{
    const pqti_f64x2 sum = pqti_f64x2_add(a, pqti_f64x2_splat(0.0));
#ifdef PQT_PLAIN
    return memcmp(&a, &sum, sizeof a) != 0;
#else
    return pqti_mask64x2_any((pqti_mask64x2)a ^ (pqti_mask64x2)sum);
#endif
}

/* ---- two words ---- */

static inline pqti_u64x2
pqti_u64x2_of(uint64_t first, uint64_t second)
{
#ifdef PQT_PLAIN
    return (pqti_u64x2){{first, second}};
#else
    return (pqti_u64x2){first, second};
#endif
}

static inline pqti_u64x2
pqti_u64x2_splat(uint64_t word)
{
    return pqti_u64x2_of(word, word);
}

/* Returns lane 0 or 1. */
static inline uint64_t
pqti_u64x2_lane(pqti_u64x2 words, int i)
{
    return PQTI_LANE(words, i);
}

static inline pqti_u64x2
pqti_u64x2_load(const uint64_t *from)
{
    pqti_u64x2 words;
    memcpy(&words, from, sizeof words);
    return words;
}

/* Returns the words in the lanes that are set in the mask, and 0 in the other lanes. */
static inline pqti_u64x2
pqti_u64x2_keep(pqti_u64x2 words, pqti_mask64x2 mask)
{
#ifdef PQT_PLAIN
    return (pqti_u64x2){{words.lane[0] & mask.lane[0], words.lane[1] & mask.lane[1]}};
#else
    return words & (pqti_u64x2)mask;
#endif
}

/* Returns a number whose bit i is set if the words in lane i are equal. */
static inline unsigned
pqti_u64x2_equal(pqti_u64x2 a, pqti_u64x2 b)
{
#if PQTI_SSE2
    const __m128i halves = _mm_cmpeq_epi32((__m128i)a, (__m128i)b);
    return pqti_mask64x2_bits((pqti_mask64x2)(halves & _mm_shuffle_epi32(halves, 0xb1)));
#elif PQTI_WASM
    return wasm_i64x2_bitmask(wasm_i64x2_eq((v128_t)a, (v128_t)b));
#else
    return (PQTI_LANE(a, 0) == PQTI_LANE(b, 0) ? 1u : 0u) |
           (PQTI_LANE(a, 1) == PQTI_LANE(b, 1) ? 2u : 0u);
#endif
}

/* Rounds two doubles in 0..2^51 toward zero, and returns them as integers. */
static inline pqti_u64x2
pqti_u64x2_truncate(pqti_f64x2 pair)
{
#if PQTI_WASM
    /* From 2^52 to 2^53, consecutive integers are consecutive doubles. */
    const pqti_f64x2 offset = pqti_f64x2_splat(0x1p52);
    const pqti_f64x2 whole = (pqti_f64x2)wasm_f64x2_floor((v128_t)pair);
    return (pqti_u64x2)(whole + offset) ^ (pqti_u64x2)offset;
#else
    return pqti_u64x2_of((uint64_t)(int64_t)PQTI_LANE(pair, 0),
                         (uint64_t)(int64_t)PQTI_LANE(pair, 1));
#endif
}

/* Returns the number of doubles among the first `count` that are less than `limit`. If `count`
   is odd, one more double is read, which must not be less than `limit`. */
static inline uint32_t
pqti_f64_count_below(const double *from, uint32_t count, double limit)
{
    uint32_t below = 0;
#ifdef PQT_PLAIN
    for (uint32_t i = 0; i < count; i++)
        below += from[i] < limit;
#else
    pqti_mask64x2 sum = {0, 0};
    for (uint32_t i = 0; i < count; i += 2)
        sum -= pqti_f64x2_lt(pqti_f64x2_load(from + i), pqti_f64x2_splat(limit));
    below = (uint32_t)(sum[0] + sum[1]);
#endif
    return below;
}

/* ---- four columns, one for each quadrant of a node ---- */

static inline pqti_i32x4_biased
pqti_i32x4_biased_load(const uint32_t qcoords[4])
{
#ifdef PQT_PLAIN
    pqti_i32x4_biased four;
    for (int i = 0; i < 4; i++)
        four.lane[i] = (int32_t)(qcoords[i] ^ UINT32_C(0x80000000));
    return four;
#else
    typedef uint32_t four_columns __attribute__((vector_size(16)));
    four_columns four;
    memcpy(&four, qcoords, sizeof four);
    return (pqti_i32x4_biased)(four ^ UINT32_C(0x80000000));
#endif
}

/* Returns a vector with one column in all lanes. */
static inline pqti_i32x4_biased
pqti_i32x4_biased_of(uint32_t qcoord)
{
    const int32_t one = (int32_t)(qcoord ^ UINT32_C(0x80000000));
#ifdef PQT_PLAIN
    return (pqti_i32x4_biased){{one, one, one, one}};
#else
    return (pqti_i32x4_biased){one, one, one, one};
#endif
}

/* Returns a number whose bit i is set if lane i of the mask is not set. */
static inline unsigned
pqti_mask32x4_clear_bits(pqti_mask32x4 mask)
{
#ifdef PQT_PLAIN
    return (~mask.lane[0] & 1) | (~mask.lane[1] & 2) | (~mask.lane[2] & 4) | (~mask.lane[3] & 8);
#elif PQTI_SSE2
    return (unsigned)_mm_movemask_ps((__m128)~mask);
#elif PQTI_WASM
    return wasm_i32x4_bitmask((v128_t)~mask);
#else
    pqti_mask32x4 bits = ~mask & (pqti_mask32x4){1, 2, 4, 8};
    return (unsigned)((bits[0] | bits[1]) | (bits[2] | bits[3]));
#endif
}

static inline bool
pqti_mask32x4_none(pqti_mask32x4 mask)
{
#if PQTI_SSE2
    return _mm_movemask_ps((__m128)mask) == 0;
#elif PQTI_WASM
    return !wasm_v128_any_true((v128_t)mask);
#else
    return pqti_mask32x4_clear_bits(mask) == 15;
#endif
}

/*
 * Converts four columns to two pairs of doubles, minus 2^31, because signed 32-bit integers convert
 * fast.
 */
static inline void
pqti_f64x2_from_qcoords(const uint32_t qcoords[4], pqti_f64x2 pairs[2])
{
#ifdef PQT_PLAIN
    for (int i = 0; i < 4; i++)
        pairs[i / 2].lane[i % 2] = (int32_t)(qcoords[i] ^ UINT32_C(0x80000000));
#else
    typedef double four_doubles __attribute__((vector_size(32)));
    four_doubles to = __builtin_convertvector(pqti_i32x4_biased_load(qcoords), four_doubles);
    memcpy(pairs, &to, sizeof to);
#endif
}

#ifndef PQT_PLAIN

/* Computes for each lane the number of columns between the interval from `begin` to `end` and
   the one from `min` to `max`, or 0 if the intervals intersect. */
static inline void
pqti_qcoords_apart(const uint32_t begin[4], const uint32_t end[4], uint32_t min, uint32_t max,
                   uint32_t apart[4])
{
    typedef uint32_t four_columns __attribute__((vector_size(16)));
    four_columns first, last;
    memcpy(&first, begin, sizeof first);
    memcpy(&last, end, sizeof last);
    four_columns away =
        ((first - max) & (four_columns)(first > max)) | ((min - last) & (four_columns)(last < min));
    memcpy(apart, &away, sizeof away);
}

#endif

/*
 * Returns four doubles as two pairs, given the upper halves of their ordered integers (domain.h).
 * The lower halves are taken to be 0 or, if `last`, all ones. All bits of a negative number are
 * inverted.
 */
static inline void
pqti_f64x2_unordered(const uint32_t upper[4], bool last, pqti_f64x2 pairs[2])
{
#ifdef PQT_PLAIN
    for (int i = 0; i < 4; i++) {
        const uint64_t ordered = (uint64_t)upper[i] << 32 | (last ? UINT32_MAX : 0);
        const uint64_t bits = ordered >> 63 != 0 ? ordered ^ UINT64_C(1) << 63 : ~ordered;
        memcpy(&pairs[i / 2].lane[i % 2], &bits, sizeof bits);
    }
#else
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
#endif
}

#undef PQTI_LANE

#endif
