/* SPDX-License-Identifier: MIT */
/*
 * test_region_intern.c: tests interning, which shares equal squares of a region, and measures the
 * memory that it saves.
 *
 * The true size of a version is the number of bytes that a copy adds to an empty arena.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/region.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region/region_internal.h"
#include "region/tile.h"
#include "suite.h"

static const pqt_pixel here = {0, 0};
static pqt_memory *arena;

static void
set_up(void)
{
    pqt_error error = {0};
    arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
}

static void
tear_down(void)
{
    pqt_arena_destroy(&arena);
}

static const pqt_region *
made(const pqt_region *region, const pqt_error *error)
{
    ck_assert_msg(region != NULL, "%s", error->text);
    return region;
}

static const pqt_region *
interned(const pqt_region *region)
{
    pqt_error error = {0};
    return made(pqt_region_intern(region, &error), &error);
}

/* Returns true for the pixels of a maze that repeats itself every `period` pixels, an even number.
 * It has posts, and a wall at each post. */
static bool
maze_has(size_t x, size_t y, size_t period)
{
    x %= period;
    y %= period;
    if (x % 2 == y % 2)
        return x % 2 == 0;
    dice d = {(x & ~(size_t)1) << 32 | (y & ~(size_t)1)};
    return (x % 2 != 0) == ((dice_next(&d) & 1) != 0);
}

static const pqt_region *
maze(size_t side, size_t period, pqt_memory *memory)
{
    pqt_error error = {0};
    uint8_t *bytes = malloc(side * side);
    ck_assert_ptr_nonnull(bytes);
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++)
            bytes[y * side + x] = maze_has(x, y, period);
    const pqt_byte_image image = {bytes, side, side, side, 1, 0};
    const pqt_region *region = pqt_region_of_bytes(&image, here, memory, &error);
    free(bytes);
    return made(region, &error);
}

/* Returns the number of blocks of a copy in its own arena. */
static size_t
bytes_of(const pqt_region *region)
{
    pqt_error error = {0};
    pqt_memory *alone = pqt_arena_make(0, &error);
    ck_assert_msg(alone != NULL, "%s", error.text);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    made(pqt_region_copy(region, alone, &error), &error);
    hooks_stop();
    pqt_arena_destroy(&alone);
    return hooks_kept_bytes(&watch);
}

/* ---- Equal squares are one ---- */

/* The different blocks of a version, and their number. */
typedef struct blocks {
    const pqti_rnode *list[4000];
    int levels[4000];
    size_t count;
} blocks;

static void
heap_offer(blocks *all, const pqti_rnode *node, int level)
{
    if (pqti_is_uniform(node))
        return;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i] == node)
            return;
    ck_assert_uint_lt(all->count, sizeof all->levels / sizeof *all->levels);
    all->list[all->count] = node;
    all->levels[all->count++] = level;
    for (int i = 0; i < 4 && level > PQTI_TILE_LEVEL; i++)
        heap_offer(all, ((const pqti_rinner *)node)->child[i], level - 1);
}

/* Returns true if two blocks of one level have the same pixels, which it compares one by one. */
static bool
are_equal(const pqti_rnode *a, const pqti_rnode *b, int level)
{
    if (a == b || pqti_is_uniform(a) || pqti_is_uniform(b))
        return a == b;
    if (level == PQTI_TILE_LEVEL)
        return memcmp(pqti_rows_of(a), pqti_rows_of(b), PQTI_TILE_SIDE * sizeof(uint64_t)) == 0;
    for (int i = 0; i < 4; i++)
        if (!are_equal(((const pqti_rinner *)a)->child[i], ((const pqti_rinner *)b)->child[i],
                       level - 1))
            return false;
    return true;
}

static void
expect_no_two_equal(const pqt_region *region)
{
    static blocks all;
    all.count = 0;
    for (int i = 0; i < 4; i++)
        heap_offer(&all, region->quadrant[i], region->level);
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = 0; j < i; j++)
            if (all.levels[i] == all.levels[j] &&
                are_equal(all.list[i], all.list[j], all.levels[i]))
                ck_abort_msg("two blocks of level %d are equal", all.levels[i]);
}

/* Returns random parts at random positions, many of them equal. */
static const pqt_region *
patchwork(dice *d, pqt_memory *memory)
{
    pqt_error error = {0};
    const pqt_region *part = maze(96, 2 + 2 * dice_below(d, 6), memory);
    const pqt_region *region = part;
    for (int i = 0; i < 20; i++) {
        const int32_t step = dice_chance(d, 70) ? 64 : 1;
        const pqt_pixel offset = {step * ((int32_t)dice_below(d, 12) - 6),
                                  step * ((int32_t)dice_below(d, 12) - 6)};
        region = made(pqt_region_union(region, part, offset, &error), &error);
    }
    return region;
}

START_TEST(interning_merges_equal_squares_and_keeps_the_pixels)
{
    pqt_memory *memory = _i == 0 ? pqt_collector() : arena;
    if (memory == NULL)
        return; /* the build has no collector */
    dice d = {test_seed("equal_squares") + (uint64_t)_i};
    for (size_t i = test_scaled(60); i > 0; i--) {
        pqt_error error = {0};
        const pqt_region *region = patchwork(&d, memory), *one = interned(region);
        ck_assert_msg(pqt_region_check(one, &error), "%s", error.text);
        ck_assert(pqt_region_equals(one, region));
        ck_assert(
            pqt_fingerprint_equals(pqt_region_fingerprint(one), pqt_region_fingerprint(region)));
        ck_assert_uint_le(bytes_of(one), bytes_of(region));
        expect_no_two_equal(one);
        ck_assert_ptr_eq(interned(one), one);
        ck_assert_ptr_eq(pqt_region_memory(one), memory);
    }
}
END_TEST

START_TEST(interning_a_region_without_equal_squares_returns_the_same_version)
{
    pqt_error error = {0};
    const pqt_region *nothing = made(pqt_region_make(arena, &error), &error);
    const pqt_region *disc = made(
        pqt_region_paint(nothing, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){10, 20}, 300), &error),
        &error);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    ck_assert_ptr_eq(interned(nothing), nothing);
    ck_assert_ptr_eq(interned(disc), disc);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
}
END_TEST

START_TEST(squares_of_two_sizes_are_not_taken_for_one)
{
    /* The left half is full and the right half empty, once in 128 x 128 and once in 256 x 256. */
    const pqt_pixel_box boxes[] = {{{0, 0}, {64, 128}}, {{256, 0}, {384, 256}}};
    pqt_error error = {0};
    const pqt_region *region = made(pqt_region_of_boxes(boxes, 2, arena, &error), &error);
    ck_assert_ptr_eq(interned(region), region);
}
END_TEST

START_TEST(an_interned_version_is_painted_on_like_any_other)
{
    pqt_error error = {0};
    const pqt_region *region = maze(256, 64, arena), *one = interned(region);
    const pqt_paint paint =
        pqt_paint_stroke(PQT_PAINT_TOGGLE, (pqt_vec){3, 70}, (pqt_vec){200, 90}, 9);
    const pqt_region *a = made(pqt_region_paint(region, paint, &error), &error);
    const pqt_region *b = made(pqt_region_paint(one, paint, &error), &error);
    ck_assert(pqt_region_check(b, &error));
    ck_assert(pqt_region_equals(a, b));
    ck_assert(pqt_region_equals(one, region));
    const pqt_region *moved = made(pqt_region_move(one, (pqt_pixel){-5, 3}, &error), &error);
    ck_assert(pqt_region_equals(moved,
                                made(pqt_region_move(region, (pqt_pixel){-5, 3}, &error), &error)));
}
END_TEST

/* ---- Savings ---- */

START_TEST(a_periodic_maze_shrinks_to_its_period)
{
    const pqt_region *region = maze(4096, 84, arena);
    const size_t before = bytes_of(region), after = bytes_of(interned(region));
    fprintf(stderr, "maze: %zu bytes, interned %zu\n", before, after);
    ck_assert_uint_gt(before, 2000000);
    ck_assert_uint_lt(after, before / 7);
}
END_TEST

/* Returns the four squares of a side put together: `a` and `b` on the diagonals. */
static const pqt_region *
chequered(const pqt_region *a, const pqt_region *b, int32_t side)
{
    pqt_error error = {0};
    const pqt_region *region = made(pqt_region_union(a, b, (pqt_pixel){side, 0}, &error), &error);
    region = made(pqt_region_union(region, b, (pqt_pixel){0, side}, &error), &error);
    return interned(made(pqt_region_union(region, a, (pqt_pixel){side, side}, &error), &error));
}

/* Returns a region of the highest level with two blocks on each level, which are at 2^28 places. */
static const pqt_region *
shared_squares(void)
{
    const pqt_region *a = maze(64, 64, arena), *b = maze(64, 32, arena);
    for (int32_t side = 64; side < PQT_PIXEL_LIMIT; side *= 2) {
        const pqt_region *both = chequered(a, b, side);
        b = chequered(b, a, side);
        a = both;
    }
    return a;
}

/* Traversals of up to 4096 blocks remember none, so they may enter a block again. */
enum { FEW_BLOCKS = 4096, BLOCKS = 2 * 15 };

START_TEST(a_block_at_many_places_is_checked_once)
{
    pqt_error error = {0};
    uint64_t entered;
    ck_assert_msg(pqti_region_check(shared_squares(), &entered, &error), "%s", error.text);
    ck_assert_uint_le(entered, FEW_BLOCKS + BLOCKS);
    ck_assert_uint_ge(entered, BLOCKS);
}
END_TEST

START_TEST(versions_of_few_blocks_are_compared_in_few_steps)
{
    const pqt_region *a = shared_squares(), *b = shared_squares();
    uint64_t entered;
    ck_assert_ptr_ne(a->quadrant[3], b->quadrant[3]);
    ck_assert(pqti_region_equals(a, b, &entered));
    ck_assert_uint_le(entered, 2 * (FEW_BLOCKS + 2 * BLOCKS));
    ck_assert_uint_ge(entered, 2 * BLOCKS);
}
END_TEST

START_TEST(the_squares_of_a_block_at_many_places_are_counted_once)
{
    const pqt_region *region = shared_squares();
    uint64_t entered;
    const pqt_region_stats stats = pqti_region_stats(region, &entered);
    ck_assert_uint_le(entered, FEW_BLOCKS + BLOCKS);
    ck_assert_uint_ge(entered, BLOCKS);
    ck_assert_uint_eq(stats.leaves, UINT64_C(1) << 28);
    ck_assert_uint_eq(stats.nodes, ((UINT64_C(1) << 28) - 1) / 3);
    ck_assert_uint_eq(stats.full, 0);
    ck_assert_uint_eq(pqt_region_shared_bytes(region, interned(region)), stats.bytes);
}
END_TEST

START_TEST(a_block_at_many_places_is_turned_once)
{
    pqt_error error = {0};
    const pqt_region *region = shared_squares();
    const uint64_t before = pqt_memory_get_stats(arena).bytes;
    const pqt_region *turned = made(pqt_region_transform(region, PQT_ROTATE_90, &error), &error);
    ck_assert_uint_lt(pqt_memory_get_stats(arena).bytes - before, 4 << 20);
    ck_assert(pqt_region_equals(made(pqt_region_transform(turned, PQT_ROTATE_270, &error), &error),
                                region));
}
END_TEST

/* Without memory for what it found, a traversal enters blocks again, with the same result. */
START_TEST(traversals_without_memory_have_the_same_results)
{
    const pqt_region *region = maze(8192, 20, arena), *same = maze(8192, 20, arena);
    const pqt_region_stats stats = pqt_region_get_stats(region);
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        hooks_start(&watch);
        const bool equal = pqt_region_equals(region, same);
        const bool valid = pqt_region_check(region, NULL);
        const pqt_region_stats found = pqt_region_get_stats(region);
        hooks_stop();
        ck_assert(equal && valid);
        ck_assert_mem_eq(&found, &stats, sizeof stats);
        if (watch.failures == 0)
            break;
    }
}
END_TEST

/* The region is made by doubling. It is never visited square by square, which would take hours. */
START_TEST(a_pattern_of_the_largest_region_is_interned_in_few_steps)
{
    pqt_error error = {0};
    const pqt_region *region = maze(64, 64, arena);
    const uint64_t count = pqt_region_count(region);
    for (int32_t side = 64; side < PQT_PIXEL_LIMIT; side *= 2) {
        region = made(pqt_region_union(region, region, (pqt_pixel){side, 0}, &error), &error);
        region = made(pqt_region_union(region, region, (pqt_pixel){0, side}, &error), &error);
        region = interned(region);
    }
    ck_assert_uint_eq(pqt_region_count(region), count << 28);
    ck_assert_uint_lt(bytes_of(region), 2000);
}
END_TEST

/* ---- Failures ---- */

START_TEST(each_failed_allocation_is_reported)
{
    const pqt_region *region = maze(512, 20, arena);
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_region *one = pqt_region_intern(region, &error);
        hooks_stop();
        if (watch.failures == 0) {
            ck_assert(pqt_region_equals(one, region));
            return;
        }
        ck_assert_ptr_null(one);
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
}
END_TEST

START_TEST(a_collection_at_each_allocation_reclaims_nothing_in_use)
{
    if (pqt_collector() == NULL)
        return;
    pqt_error error = {0};
    ck_assert_msg(pqt_init(&error), "%s", error.text);
    const pqt_region *region = maze(512, 20, pqt_collector());
    hooks watch = {.collect_every = 3, .memory = pqt_collector()};
    hooks_start(&watch);
    const pqt_region *one = interned(region);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    ck_assert_msg(pqt_region_check(one, &error), "%s", error.text);
    ck_assert(pqt_region_equals(one, region));
    ck_assert_ptr_ne(one, region);
}
END_TEST

START_TEST(a_failure_is_passed_on)
{
    pqt_error failure = {3, PQT_ERROR_BOX, "set before"};
    ck_assert_ptr_null(pqt_region_intern(NULL, &failure));
    ck_assert_ptr_nonnull(pqt_region_intern(maze(64, 64, arena), &failure));
    ck_assert_ptr_null(pqt_region_intern(NULL, NULL));
    ck_assert_str_eq(failure.text, "set before");
}
END_TEST

START_TEST(null_without_an_earlier_failure_stops_the_program)
{
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_region_intern(NULL, &error));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("region_intern");
    TCase *tests = tcase_create("intern");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, interning_merges_equal_squares_and_keeps_the_pixels, 0, 2);
    tcase_add_test(tests, interning_a_region_without_equal_squares_returns_the_same_version);
    tcase_add_test(tests, squares_of_two_sizes_are_not_taken_for_one);
    tcase_add_test(tests, an_interned_version_is_painted_on_like_any_other);
    tcase_add_test(tests, a_periodic_maze_shrinks_to_its_period);
    tcase_add_test(tests, a_pattern_of_the_largest_region_is_interned_in_few_steps);
    tcase_add_test(tests, a_block_at_many_places_is_checked_once);
    tcase_add_test(tests, versions_of_few_blocks_are_compared_in_few_steps);
    tcase_add_test(tests, the_squares_of_a_block_at_many_places_are_counted_once);
    tcase_add_test(tests, a_block_at_many_places_is_turned_once);
    tcase_add_test(tests, traversals_without_memory_have_the_same_results);
    tcase_add_test(tests, each_failed_allocation_is_reported);
    tcase_add_test(tests, a_collection_at_each_allocation_reclaims_nothing_in_use);
    tcase_add_test(tests, a_failure_is_passed_on);
    tcase_add_misuse_test(tests, null_without_an_earlier_failure_stops_the_program);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
