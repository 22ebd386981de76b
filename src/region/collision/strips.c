/* SPDX-License-Identifier: MIT */
/* strips.c: counts the pixels that two tiles have in common, two rows per instruction. */
#include "config.h"

#include "region/collision/strips.h"

#include "base/simd.h"
#include "region/bits.h"

static inline pqti_u64x2
rows_at(const pqti_strips *strips, int y)
{
    return pqti_u64x2_and(
        pqti_u64x2_shift_right(pqti_u64x2_load(strips->a + y), (unsigned)strips->shift_a),
        pqti_u64x2_shift_right(pqti_u64x2_load(strips->b + y), (unsigned)strips->shift_b));
}

/* A carry-save adder. Adds three bits at each bit position of the lanes, stores the low bits in
 * `low` and returns the carries. */
static inline pqti_u64x2
add_rows(pqti_u64x2 *low, pqti_u64x2 b, pqti_u64x2 c)
{
    const pqti_u64x2 partial = pqti_u64x2_xor(*low, b);
    const pqti_u64x2 carry = pqti_u64x2_or(pqti_u64x2_and(*low, b), pqti_u64x2_and(partial, c));
    *low = pqti_u64x2_xor(partial, c);
    return carry;
}

static inline uint64_t
bits_in_both(pqti_u64x2 both)
{
    return pqti_bits_in(pqti_u64x2_lane(both, 0)) + pqti_bits_in(pqti_u64x2_lane(both, 1));
}

/*
 * Counts the set bits of the strips. Carry-save adders add up 16 rows before any bits are counted.
 * The remaining rows add at most eight at each bit position.
 *
 * Source: R. M. Harley and D. Seal's counter, described in H. S. Warren, "Hacker's Delight",
 * section 5-1.
 */
uint64_t
pqti_strips_count(const pqti_strips *strips)
{
    const pqti_u64x2 zero = pqti_u64x2_splat(0);
    pqti_u64x2 ones = zero, twos = zero, fours = zero;
    uint64_t count = 0;
    int y = 0;
    for (; y + 16 <= strips->count; y += 16) {
        pqti_u64x2 two_a = add_rows(&ones, rows_at(strips, y), rows_at(strips, y + 2));
        pqti_u64x2 two_b = add_rows(&ones, rows_at(strips, y + 4), rows_at(strips, y + 6));
        const pqti_u64x2 four_a = add_rows(&twos, two_a, two_b);
        two_a = add_rows(&ones, rows_at(strips, y + 8), rows_at(strips, y + 10));
        two_b = add_rows(&ones, rows_at(strips, y + 12), rows_at(strips, y + 14));
        const pqti_u64x2 four_b = add_rows(&twos, two_a, two_b);
        count += 8 * bits_in_both(add_rows(&fours, four_a, four_b));
    }
    pqti_u64x2 eights = zero;
    for (; y < strips->count; y += 2) {
        const pqti_u64x2 one = y + 2 <= strips->count
                                   ? rows_at(strips, y)
                                   : pqti_u64x2_of(pqti_strips_row(strips, y), 0);
        const pqti_u64x2 two = add_rows(&ones, one, zero), four = add_rows(&twos, two, zero);
        eights = pqti_u64x2_xor(eights, add_rows(&fours, four, zero));
    }
    return count + 8 * bits_in_both(eights) + 4 * bits_in_both(fours) + 2 * bits_in_both(twos) +
           bits_in_both(ones);
}
