/* SPDX-License-Identifier: MIT */
/* test_arena.c - the arena: its limit, its blocks, threads that share it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

START_TEST(an_arena_begins_with_nothing)
{
    pqt_memory *unlimited = pqt_arena_make(0, NULL);
    pqt_memory *limited = pqt_arena_make(12345, NULL);
    const pqt_memory_stats a = pqt_memory_get_stats(unlimited);
    const pqt_memory_stats b = pqt_memory_get_stats(limited);
    ck_assert(a.bytes == 0 && a.limit == 0 && a.pins == 0);
    ck_assert(b.bytes == 0 && b.limit == 12345 && b.pins == 0);
    pqt_arena_destroy(&unlimited);
    pqt_arena_destroy(&limited);
    ck_assert_ptr_null(unlimited);
}
END_TEST

START_TEST(destroying_no_arena_does_nothing)
{
    pqt_memory *none = NULL;
    pqt_arena_destroy(&none);
    pqt_arena_destroy(NULL);
    ck_assert_ptr_null(none);
}
END_TEST

/* Takes blocks until the arena refuses one; returns the bytes that it gave. */
static size_t
use_up(pqt_memory *arena, size_t size)
{
    const uint64_t limit = pqt_memory_get_stats(arena).limit;
    size_t given = 0;
    bool within = true; /* asserted once: check is slow with assertions */
    for (; pqti_alloc_node(arena, size) != NULL; given += size)
        within = within && pqt_memory_get_stats(arena).bytes <= limit;
    ck_assert(within);
    return given;
}

START_TEST(an_arena_never_takes_more_than_its_limit)
{
    const size_t limits[] = {1,     15,    16,    48,       100,     1000,
                             65535, 65536, 65537, 1u << 20, 2000001, (5u << 20) + 8};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t size = 16; size <= 65536; size *= 64) {
            pqt_memory *arena = pqt_arena_make(limits[i], NULL);
            const size_t given = use_up(arena, size);
            ck_assert_uint_le(given, limits[i]);
            /* What the arena needs for itself is counted too. */
            ck_assert(given == 0 || pqt_memory_get_stats(arena).bytes > given);
            /* Nor much less, where blocks are not small beside what malloc adds. */
            if (size >= 128 && limits[i] >= 100 * size)
                ck_assert_uint_ge(given, limits[i] / 10 * 7);
            pqt_arena_destroy(&arena);
        }
}
END_TEST

START_TEST(a_full_arena_still_has_room_for_smaller_blocks)
{
    pqt_memory *arena = pqt_arena_make(1 << 20, NULL);
    ck_assert_uint_gt(use_up(arena, 65536), 0);
    ck_assert_uint_gt(use_up(arena, 1024), 0);
    ck_assert_ptr_null(pqti_alloc_leaf(arena, 65536));
    ck_assert_uint_gt(1u << 20, pqt_memory_get_stats(arena).bytes - 1);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(an_arena_refuses_sizes_that_overflow)
{
    pqt_memory *unlimited = pqt_arena_make(0, NULL);
    pqt_memory *limited = pqt_arena_make(1 << 20, NULL);
    ck_assert_ptr_null(pqti_alloc_leaf(unlimited, SIZE_MAX / 16 * 16));
    ck_assert_ptr_null(pqti_alloc_leaf(limited, SIZE_MAX / 16 * 16));
    ck_assert_ptr_null(pqti_alloc_leaf(limited, SIZE_MAX / 32 * 16));
    ck_assert_uint_eq(pqt_memory_get_stats(limited).bytes, 0);
    ck_assert_ptr_nonnull(pqti_alloc_leaf(unlimited, 16));
    ck_assert_ptr_nonnull(pqti_alloc_leaf(limited, 16));
    pqt_arena_destroy(&unlimited);
    pqt_arena_destroy(&limited);
}
END_TEST

START_TEST(large_blocks_among_small_ones_cost_little_more_than_themselves)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    size_t given = 0;
    for (int i = 0; i < 42; i++) {
        const size_t large = 16 * (size_t)(1 + i % 7) * 60000;
        ck_assert_ptr_nonnull(pqti_alloc_leaf(arena, large));
        ck_assert_ptr_nonnull(pqti_alloc_node(arena, 128));
        given += large + 128;
    }
    const uint64_t bytes = pqt_memory_get_stats(arena).bytes;
    ck_assert(bytes >= given);
    ck_assert(bytes <= given + given / 8 + (4 << 20));
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(the_pins_of_an_arena_must_be_gone_before_it)
{
    pqt_memory *arena = make_memory(0);
    if (pqti_pin(arena, PQTI_KIND_TREE, make_version(arena, 1), NULL) != NULL)
        pqt_arena_destroy(&arena);
}
END_TEST

#define THREADS 4

typedef struct share {
    pqt_memory *arena;
    uint64_t number; /* of the thread */
    size_t given;    /* blocks */
} share;

enum { SHARED_BLOCKS = 20000 };

/* Fills blocks with the number of the thread, and looks at the end whether any other thread wrote
   there. */
static bool
take_blocks(void *context)
{
    share *mine = context;
    uint64_t **blocks = malloc(SHARED_BLOCKS * sizeof *blocks);
    REQUIRE(blocks != NULL);
    for (; mine->given < SHARED_BLOCKS; mine->given++) {
        uint64_t *block = pqti_alloc_node(mine->arena, sizeof(version));
        if (block == NULL)
            break;
        REQUIRE(is_filled(block, 0));
        fill(block, mine->number);
        blocks[mine->given] = block;
        pqt_pin *pin = pqti_pin(mine->arena, PQTI_KIND_TREE, block, NULL);
        REQUIRE(pqt_memory_get_stats(mine->arena).pins > 0);
        pqt_unpin(&pin);
    }
    for (size_t i = 0; i < mine->given; i++)
        REQUIRE(is_filled(blocks[i], mine->number));
    free(blocks);
    return true;
}

static size_t
take_blocks_at_once(pqt_memory *arena)
{
    share shares[THREADS];
    job jobs[THREADS];
    size_t given = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        shares[i] = (share){arena, i + 1, 0};
        jobs[i] = (job){take_blocks, &shares[i], false, 0};
        begin(&jobs[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert(end(&jobs[i]));
        given += shares[i].given;
    }
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
    return given;
}

START_TEST(threads_may_share_an_arena)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    ck_assert_uint_eq(take_blocks_at_once(arena), THREADS * SHARED_BLOCKS);
    ck_assert(pqt_memory_get_stats(arena).bytes >= THREADS * SHARED_BLOCKS * sizeof(version));
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(threads_that_share_an_arena_meet_its_limit)
{
    const size_t limit = THREADS * SHARED_BLOCKS * sizeof(version) / 2;
    pqt_memory *arena = pqt_arena_make(limit, NULL);
    const size_t given = take_blocks_at_once(arena) * sizeof(version);
    ck_assert_uint_le(given, limit);
    ck_assert_uint_ge(given, limit / 10 * 7);
    ck_assert(pqt_memory_get_stats(arena).bytes <= limit);
    pqt_arena_destroy(&arena);
}
END_TEST

static void
add_arena(Suite *suite)
{
    TCase *tests = tcase_create("arena");
    tcase_add_test(tests, an_arena_begins_with_nothing);
    tcase_add_test(tests, destroying_no_arena_does_nothing);
    tcase_add_test(tests, an_arena_never_takes_more_than_its_limit);
    tcase_add_test(tests, a_full_arena_still_has_room_for_smaller_blocks);
    tcase_add_test(tests, an_arena_refuses_sizes_that_overflow);
    tcase_add_test(tests, large_blocks_among_small_ones_cost_little_more_than_themselves);
    tcase_add_test(tests, threads_may_share_an_arena);
    tcase_add_test(tests, threads_that_share_an_arena_meet_its_limit);
    suite_add_tcase(suite, tests);
}

static void
add_mistakes(Suite *suite)
{
    TCase *tests = tcase_create("mistakes");
    tcase_add_misuse_test(tests, the_pins_of_an_arena_must_be_gone_before_it);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("arena");
    add_arena(suite);
    add_mistakes(suite);
    return run_suite(suite);
}
