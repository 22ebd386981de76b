/* SPDX-License-Identifier: MIT */
/* test_memory.c: tests what both memories provide to the library: blocks, pins, hooks and scratch
 * memory. */
#include "config.h"

#include <string.h>

#include <pqt/kind.h>

#include "hooks.h"
#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

START_TEST(nodes_are_zeroed)
{
    pqt_memory *memory = make_memory(_i);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            uint64_t *node = pqti_alloc_list(memory, sizeof(version));
            ck_assert(is_filled(node, 0));
            fill(node, UINT64_MAX);
        }
        pqti_collect(memory);
    }
    drop_memory(memory);
}
END_TEST

static bool
is_all(const unsigned char *bytes, size_t count, unsigned value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

START_TEST(blocks_are_aligned_and_apart)
{
    enum { COUNT = 2000 };
    void *(*const give[])(pqt_memory *, size_t) = {pqti_alloc_list, pqti_alloc_leaf,
                                                   pqti_alloc_scanned_leaf};
    pqt_memory *memory = make_memory(_i);
    unsigned char *blocks[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        const size_t size = 16 + i % 64 * 16;
        blocks[i] = give[i % 3](memory, size);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i % 251), size);
    }
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert(is_all(blocks[i], 16 + i % 64 * 16, i % 251));
    drop_memory(memory);
}
END_TEST

START_TEST(blocks_take_no_more_than_was_requested)
{
    pqt_memory *memory = make_memory(_i);
    for (size_t size = 16; size <= 128; size += 16) {
        ck_assert_uint_eq(pqti_block_size(memory, pqti_alloc_list(memory, size), size), size);
        ck_assert_uint_eq(pqti_block_size(memory, pqti_alloc_leaf(memory, size), size), size);
    }
    /* The collector has fewer classes of large sizes. */
    for (size_t size = 144; size <= 40960; size += 528) {
        const size_t taken = pqti_block_size(memory, pqti_alloc_leaf(memory, size), size);
        ck_assert_uint_ge(taken, size);
        ck_assert_uint_le(taken, size + size / 3 + 4096);
    }
    drop_memory(memory);
}
END_TEST

START_TEST(a_pin_returns_its_memory_and_its_version)
{
    pqt_memory *memory = make_memory(_i);
    pqt_error error = {0};
    version *kept = make_version(memory, 7);
    pqt_pin *pin = pqti_pin(memory, PQT_KIND_WORLD, kept, &error);
    ck_assert_ptr_nonnull(pin);
    ck_assert_ptr_eq(pqti_pin_memory(pin), memory);
    ck_assert_ptr_eq(pqti_pinned("test", pin, PQT_KIND_WORLD), kept);
    ck_assert_int_eq(error.status, PQT_OK);
    pqt_unpin(&pin);
    ck_assert_ptr_null(pin);
    drop_memory(memory);
}
END_TEST

START_TEST(pins_are_counted)
{
    pqt_memory *memory = make_memory(_i);
    const uint64_t before = pqt_memory_get_stats(memory).pins;
    version *kept = make_version(memory, 7);
    pqt_pin *pins[100];
    for (unsigned i = 0; i < 100; i++) {
        pins[i] = pqti_pin(memory, PQT_KIND_TREE, kept, NULL);
        ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, before + i + 1);
    }
    for (unsigned i = 0; i < 100; i++) {
        pqt_unpin(&pins[i]);
        ck_assert_uint_eq(pqt_memory_get_stats(memory).pins, before + 99 - i);
    }
    drop_memory(memory);
}
END_TEST

START_TEST(unpinning_nothing_does_nothing)
{
    pqt_pin *none = NULL;
    pqt_unpin(&none);
    ck_assert_ptr_null(none);
    pqt_unpin(NULL);
}
END_TEST

START_TEST(the_hook_sees_each_allocation)
{
    pqt_memory *memory = make_memory(_i);
    hooks watch = {0};
    hooks_start(&watch);
    version *made = make_version(memory, 1); /* it has 8 nodes and 7 leaves of 128 bytes */
    pqt_pin *pin = pqti_pin(memory, PQT_KIND_TREE, made, NULL);
    pqti_free_scratch(pqti_alloc_scratch(3, 10));
    hooks_stop();
    pqti_alloc_leaf(memory, 16);
    pqt_unpin(&pin);
    drop_memory(memory);
    ck_assert_uint_eq(watch.calls, 17);
    ck_assert_uint_eq(watch.failures, 0);
    ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_NODE], 8);
    ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_LEAF], 7);
    ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_PIN], 1);
    ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_SCRATCH], 1);
    ck_assert_uint_eq(watch.bytes[PQTI_BLOCK_PIN], sizeof(pqt_pin));
    ck_assert_uint_eq(watch.bytes[PQTI_BLOCK_SCRATCH], 30);
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 15);
    ck_assert_uint_eq(hooks_kept_bytes(&watch), 15 * sizeof(version));
}
END_TEST

enum { KINDS = 5, KIND_OF_PIN = 4, EACH_KIND = (1 << KINDS) - 1 };

/* Allocates one block of each kind. Returns a bit for each success. */
static unsigned
allocate_each_kind(pqt_memory *memory, pqt_error *error)
{
    static int something;
    void *node = pqti_alloc_list(memory, 32);
    void *leaf = pqti_alloc_leaf(memory, 32);
    void *scanned_leaf = pqti_alloc_scanned_leaf(memory, 32);
    pqt_pin *pin = pqti_pin(memory, PQT_KIND_TREE, &something, error);
    void *scratch = pqti_alloc_scratch(1, 32);
    const bool given[] = {node != NULL, leaf != NULL, scanned_leaf != NULL, pin != NULL,
                          scratch != NULL};
    unsigned bits = 0;
    for (unsigned i = 0; i < KINDS; i++)
        bits |= (unsigned)given[i] << i;
    pqti_free_scratch(scratch);
    pqt_unpin(&pin);
    return bits;
}

START_TEST(the_hook_fails_one_allocation_of_any_kind)
{
    pqt_memory *memory = make_memory(_i);
    for (unsigned n = 1; n <= KINDS + 1; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const unsigned given = allocate_each_kind(memory, &error);
        hooks_stop();
        ck_assert_uint_eq(given, EACH_KIND & ~(1u << (n - 1)));
        ck_assert_uint_eq(watch.failures, n <= KINDS);
        ck_assert_int_eq(error.status, n == KIND_OF_PIN ? PQT_ERROR_MEMORY : PQT_OK);
    }
    ck_assert_uint_eq(allocate_each_kind(memory, NULL), EACH_KIND);
    drop_memory(memory);
}
END_TEST

START_TEST(the_hook_collects_at_each_nth_allocation)
{
    pqt_memory *memory = make_memory(_i);
    hooks watch = {.collect_every = 5, .memory = memory};
    hooks_start(&watch);
    version *made = make_version(memory, 3);
    hooks_stop();
    ck_assert_uint_eq(watch.collections, 3);
    ck_assert(is_whole(made, 3));
    drop_memory(memory);
}
END_TEST

START_TEST(a_given_memory_is_used)
{
    pqt_error error = {0};
    pqt_memory *memory = make_memory(_i);
    ck_assert_ptr_eq(pqti_memory_or_default(memory, &error), memory);
    ck_assert_int_eq(error.status, PQT_OK);
    drop_memory(memory);
}
END_TEST

START_TEST(lack_of_memory_is_reported_unless_an_error_is_set)
{
    pqt_error error = {0};
    pqti_out_of_memory(&error);
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_str_eq(error.text, "memory: exhausted, or its limit is reached");
    pqt_error earlier = {.status = PQT_ERROR_BOX, .text = "earlier"};
    pqti_out_of_memory(&earlier);
    ck_assert_int_eq(earlier.status, PQT_ERROR_BOX);
    ck_assert_str_eq(earlier.text, "earlier");
    pqti_out_of_memory(NULL);
}
END_TEST

START_TEST(scratch_memory_is_refused_if_its_size_overflows)
{
    ck_assert_ptr_null(pqti_alloc_scratch(SIZE_MAX / 40 + 1, 40));
    ck_assert_ptr_null(pqti_alloc_scratch(40, SIZE_MAX / 40 + 1));
    ck_assert_ptr_null(pqti_alloc_scratch(SIZE_MAX, SIZE_MAX));
}
END_TEST

START_TEST(scratch_memory_of_0_bytes_is_not_a_failure)
{
    void *none = pqti_alloc_scratch(0, 40);
    void *empty = pqti_alloc_scratch(40, 0);
    ck_assert_ptr_nonnull(none);
    ck_assert_ptr_nonnull(empty);
    pqti_free_scratch(none);
    pqti_free_scratch(empty);
    pqti_free_scratch(NULL);
}
END_TEST

START_TEST(a_block_without_a_size_stops_the_program)
{
    pqti_alloc_list(make_memory(0), 0);
}
END_TEST

START_TEST(a_size_that_is_not_a_multiple_of_16_stops_the_program)
{
    pqti_alloc_leaf(make_memory(0), 24);
}
END_TEST

START_TEST(a_pin_of_null_stops_the_program)
{
    (void)pqti_pin(make_memory(0), PQT_KIND_TREE, NULL, NULL);
}
END_TEST

START_TEST(statistics_of_a_null_memory_stop_the_program)
{
    (void)pqt_memory_get_stats(NULL);
}
END_TEST

#ifdef __ELF__ /* elsewhere, each program has all kinds */
static void
ask_for_histories_of_maps(void *context)
{
    (void)context;
    (void)pqt_history_kind_of(PQT_KIND_MAP);
}

/* This program is linked statically, and calls no function for maps. */
START_TEST(a_kind_that_the_program_does_not_have_stops_it_with_a_reason)
{
    char text[MISUSE_TEXT];
    if (misuse_can_be_tested()) {
        ck_assert(misuse_aborts(ask_for_histories_of_maps, NULL, text));
        ck_assert_str_eq(text, "pqt: pqt_history_kind_of: the program calls no function that makes "
                               "or reads versions of this kind\n");
    }
}
END_TEST
#endif

static void
add_memories(Suite *suite)
{
    TCase *tests = tcase_create("both memories");
    add_to_each(tests, nodes_are_zeroed);
    add_to_each(tests, blocks_are_aligned_and_apart);
    add_to_each(tests, blocks_take_no_more_than_was_requested);
    add_to_each(tests, a_pin_returns_its_memory_and_its_version);
    add_to_each(tests, pins_are_counted);
    tcase_add_test(tests, unpinning_nothing_does_nothing);
    add_to_each(tests, the_hook_sees_each_allocation);
    add_to_each(tests, the_hook_fails_one_allocation_of_any_kind);
    add_to_each(tests, the_hook_collects_at_each_nth_allocation);
    add_to_each(tests, a_given_memory_is_used);
    tcase_add_test(tests, lack_of_memory_is_reported_unless_an_error_is_set);
    tcase_add_test(tests, scratch_memory_is_refused_if_its_size_overflows);
    tcase_add_test(tests, scratch_memory_of_0_bytes_is_not_a_failure);
    suite_add_tcase(suite, tests);
}

static void
add_mistakes(Suite *suite)
{
    TCase *tests = tcase_create("mistakes");
    tcase_add_misuse_test(tests, a_block_without_a_size_stops_the_program);
    tcase_add_misuse_test(tests, a_size_that_is_not_a_multiple_of_16_stops_the_program);
    tcase_add_misuse_test(tests, a_pin_of_null_stops_the_program);
    tcase_add_misuse_test(tests, statistics_of_a_null_memory_stop_the_program);
#ifdef __ELF__
    tcase_add_test(tests, a_kind_that_the_program_does_not_have_stops_it_with_a_reason);
#endif
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("memory");
    add_memories(suite);
    add_mistakes(suite);
    return run_suite(suite);
}
