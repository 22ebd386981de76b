/* SPDX-License-Identifier: MIT */
/* test_arena.c: tests arenas: their limit, their blocks, and threads that share one. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_support.h"
#include "misuse.h"
#include "suite.h"

START_TEST(a_new_arena_has_no_bytes_and_no_pins)
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

/* Allocates blocks until the arena refuses one. Returns the number of allocated bytes. */
static size_t
use_up(pqt_memory *arena, size_t size)
{
    const uint64_t limit = pqt_memory_get_stats(arena).limit;
    size_t given = 0;
    bool within = true; /* asserted once: check is slow with assertions */
    for (; pqti_alloc_list(arena, size) != NULL; given += size)
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
            /* The arena's own memory is counted, too. */
            ck_assert(given == 0 || pqt_memory_get_stats(arena).bytes > given);
            /* The total is not much smaller than the limit either, if blocks are large compared
               with the overhead of malloc. */
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

START_TEST(large_blocks_among_small_ones_waste_little_memory)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    size_t given = 0;
    for (int i = 0; i < 42; i++) {
        const size_t large = 16 * (size_t)(1 + i % 7) * 60000;
        ck_assert_ptr_nonnull(pqti_alloc_leaf(arena, large));
        ck_assert_ptr_nonnull(pqti_alloc_list(arena, 128));
        given += large + 128;
    }
    const uint64_t bytes = pqt_memory_get_stats(arena).bytes;
    ck_assert(bytes >= given);
    ck_assert(bytes <= given + given / 8 + (4 << 20));
    pqt_arena_destroy(&arena);
}
END_TEST

#if !PQTI_CHECKED_ARENA /* a checked arena allocates each block separately */

/* The size of the header of a chunk: a pointer, its size and its used bytes, rounded up. */
enum { HEADER = (sizeof(void *) + 2 * sizeof(size_t) + 15) / 16 * 16 };

/* Calls an assertion only if it fails, because check is slow with assertions. */
static void
require_block(const void *block)
{
    if (block == NULL)
        ck_abort_msg("no block");
}

/* Returns the number of smallest blocks that are allocated before the arena needs another chunk,
   including the first block in that chunk. */
static uint64_t
fill_chunk(pqt_memory *arena)
{
    const uint64_t bytes = pqt_memory_get_stats(arena).bytes;
    uint64_t given = 0;
    for (; pqt_memory_get_stats(arena).bytes == bytes; given++)
        require_block(pqti_alloc_leaf(arena, 16));
    return given;
}

/* Each chunk is as large as all previous ones together, from 64 KiB to 4 MiB, and is used to its
 * end. */
START_TEST(each_chunk_of_an_arena_is_as_large_as_all_previous_ones_and_is_filled)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    uint64_t bytes = 0, chunk = 65536, given = fill_chunk(arena) - 1;
    ck_assert_uint_eq(given, 0); /* the first block needs a chunk */
    for (int i = 0; i < 10; i++) {
        bytes += chunk;
        ck_assert_uint_eq(pqt_memory_get_stats(arena).bytes, bytes);
        ck_assert_uint_eq(fill_chunk(arena), (chunk - HEADER) / 16);
        chunk = bytes < 4 << 20 ? bytes : 4 << 20;
    }
    pqt_arena_destroy(&arena);
}
END_TEST

/* A block of more than a quarter of the next chunk gets a chunk of its own. The arena continues to
   use the current chunk. */
START_TEST(a_large_block_leaves_the_chunk_in_use_as_it_is)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(pqti_alloc_leaf(arena, 16));
    ck_assert_uint_eq(pqt_memory_get_stats(arena).bytes, 65536);
    for (uint64_t i = 1; i <= 3; i++) {
        /* it does not fit into the rest of the chunk */
        ck_assert_ptr_nonnull(pqti_alloc_leaf(arena, 65520));
        ck_assert_uint_eq(pqt_memory_get_stats(arena).bytes, 65536 + i * (65520 + HEADER));
    }
    ck_assert_uint_eq(fill_chunk(arena), (65536 - HEADER) / 16);
    pqt_arena_destroy(&arena);
}
END_TEST

/* Tests the largest block that shares a chunk with others, and the smallest block that gets a
   separate chunk. */
START_TEST(a_block_takes_at_most_a_quarter_of_a_shared_chunk)
{
    pqt_memory *shared = pqt_arena_make(0, NULL), *alone = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(pqti_alloc_leaf(shared, 16384));
    ck_assert_uint_eq(pqt_memory_get_stats(shared).bytes, 65536);
    ck_assert_ptr_nonnull(pqti_alloc_leaf(alone, 16400));
    ck_assert_uint_eq(pqt_memory_get_stats(alone).bytes, 16400 + HEADER);
    pqt_arena_destroy(&shared);
    pqt_arena_destroy(&alone);
}
END_TEST

START_TEST(a_limit_is_used_to_its_last_granule)
{
    pqt_memory *arena = pqt_arena_make(4096 + HEADER, NULL);
    ck_assert_ptr_null(pqti_alloc_leaf(arena, 4096 + 16));
    ck_assert_ptr_nonnull(pqti_alloc_leaf(arena, 4096));
    ck_assert_uint_eq(pqt_memory_get_stats(arena).bytes, 4096 + HEADER);
    ck_assert_ptr_null(pqti_alloc_leaf(arena, 16));
    pqt_arena_destroy(&arena);
}
END_TEST

#endif

START_TEST(the_pins_of_an_arena_must_be_released_before_it_is_destroyed)
{
    pqt_memory *arena = make_memory(0);
    if (pqti_pin(arena, PQT_KIND_TREE, make_version(arena, 1), NULL) != NULL)
        pqt_arena_destroy(&arena);
}
END_TEST

#define THREADS 4

typedef struct share {
    pqt_memory *arena;
    uint64_t number; /* the number of the thread */
    size_t given;    /* the number of blocks */
} share;

enum { SHARED_BLOCKS = 20000 };

/* Fills blocks with the number of the thread, and checks at the end that no other thread wrote to
   them. */
static bool
take_blocks(void *context)
{
    share *mine = context;
    uint64_t **blocks = malloc(SHARED_BLOCKS * sizeof *blocks);
    REQUIRE(blocks != NULL);
    for (; mine->given < SHARED_BLOCKS; mine->given++) {
        uint64_t *block = pqti_alloc_list(mine->arena, sizeof(version));
        if (block == NULL)
            break;
        REQUIRE(is_filled(block, 0));
        fill(block, mine->number);
        blocks[mine->given] = block;
        pqt_pin *pin = pqti_pin(mine->arena, PQT_KIND_TREE, block, NULL);
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

START_TEST(threads_that_share_an_arena_respect_its_limit)
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
    tcase_add_test(tests, a_new_arena_has_no_bytes_and_no_pins);
    tcase_add_test(tests, destroying_no_arena_does_nothing);
    tcase_add_test(tests, an_arena_never_takes_more_than_its_limit);
    tcase_add_test(tests, a_full_arena_still_has_room_for_smaller_blocks);
    tcase_add_test(tests, an_arena_refuses_sizes_that_overflow);
    tcase_add_test(tests, large_blocks_among_small_ones_waste_little_memory);
#if !PQTI_CHECKED_ARENA
    tcase_add_test(tests, each_chunk_of_an_arena_is_as_large_as_all_previous_ones_and_is_filled);
    tcase_add_test(tests, a_large_block_leaves_the_chunk_in_use_as_it_is);
    tcase_add_test(tests, a_block_takes_at_most_a_quarter_of_a_shared_chunk);
    tcase_add_test(tests, a_limit_is_used_to_its_last_granule);
#endif
    tcase_add_test(tests, threads_may_share_an_arena);
    tcase_add_test(tests, threads_that_share_an_arena_respect_its_limit);
    suite_add_tcase(suite, tests);
}

static void
add_mistakes(Suite *suite)
{
    TCase *tests = tcase_create("mistakes");
    tcase_add_misuse_test(tests, the_pins_of_an_arena_must_be_released_before_it_is_destroyed);
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
