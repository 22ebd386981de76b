/* SPDX-License-Identifier: MIT */
/* test_hashtable.c: tests the sizes of hash tables, and the number of slots that a search
 * probes. */
#include "config.h"

#include <stdlib.h>

#include "base/hashtable.h"
#include "suite.h"
#include "tree/item_hash.h"

START_TEST(a_table_is_between_a_third_and_two_thirds_full)
{
    ck_assert_uint_eq(pqti_slots_for(0), PQTI_MIN_SLOTS);
    ck_assert_uint_eq(pqti_slots_for(171), 256); /* 171 + 85 */
    ck_assert_uint_eq(pqti_slots_for(172), 512);
    for (size_t entries = 1; entries < 300000; entries += 1 + entries / 7) {
        size_t slots = pqti_slots_for(entries);
        ck_assert_uint_eq(slots & (slots - 1), 0);
        ck_assert_uint_ge(slots, entries + entries / 2);
        ck_assert(slots == PQTI_MIN_SLOTS || slots < 3 * entries);
    }
}
END_TEST

START_TEST(probes_begin_at_every_slot_and_wrap_around)
{
    for (size_t slots = PQTI_MIN_SLOTS; slots <= 4096; slots *= 4) {
        const size_t mask = slots - 1;
        for (size_t i = 0; i < slots; i++) {
            ck_assert_uint_eq(pqti_first_slot(i, mask), i);
            ck_assert_uint_eq(pqti_first_slot(i + UINT64_C(0xffff000000000000), mask), i);
            ck_assert_uint_eq(pqti_next_slot(i, mask), i + 1 < slots ? i + 1 : 0);
        }
    }
}
END_TEST

/* Returns the number of probes for n keys in a table that they fill. */
static size_t
count_probes(size_t entries, uint64_t stride)
{
    const size_t slots = pqti_slots_for(entries), mask = slots - 1;
    char *used = calloc(slots, 1);
    size_t probes = 0;
    ck_assert_ptr_nonnull(used);
    for (size_t n = 0; n < entries; n++) {
        size_t slot = pqti_first_slot(pqti_id_key(n * stride), mask);
        for (probes++; used[slot] != 0; probes++)
            slot = pqti_next_slot(slot, mask);
        used[slot] = 1;
    }
    free(used);
    return probes;
}

/* With two thirds of the slots in use, Knuth's formula gives 2 probes per entry. */
START_TEST(inserting_an_id_takes_two_probes)
{
    static const uint64_t strides[] = {1, 2, 1000, UINT64_C(1) << 32, UINT64_C(1) << 50};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        for (size_t entries = 10000; entries < 20000; entries += 1234)
            ck_assert_uint_lt(count_probes(entries, strides[i]), 22 * entries / 10);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("hashtable");
    TCase *tests = tcase_create("slots");
    tcase_add_test(tests, a_table_is_between_a_third_and_two_thirds_full);
    tcase_add_test(tests, probes_begin_at_every_slot_and_wrap_around);
    tcase_add_test(tests, inserting_an_id_takes_two_probes);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
