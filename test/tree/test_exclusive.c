/* SPDX-License-Identifier: MIT */
/*
 * test_exclusive.c: tests the number of bytes that a version does not share, for trees, regions and
 * worlds, and in a history of values with several versions.
 *
 * The tests wrap the function of the memory that returns the size of a block, because it is called
 * for each counted block. So they count the blocks that are visited in a large version.
 */
#include "config.h"

#include <pqt/heap.h>
#include <pqt/kind.h>
#include <pqt/map.h>
#include <pqt/obstacle.h>
#include <pqt/region.h>
#include <pqt/world.h>

#include "history_support.h"
#include "world_support.h"

/* ---- Visited blocks ---- */

static size_t blocks_sized;
static const pqti_memory_calls *plain_calls;
static pqti_memory_calls watched_calls;

static size_t
size_and_count(const pqt_memory *memory, const void *block, size_t size)
{
    blocks_sized++;
    return plain_calls->size(memory, block, size);
}

static void
watch_sizes(void)
{
    plain_calls = arena->calls;
    watched_calls = *plain_calls;
    watched_calls.size = size_and_count;
    arena->calls = &watched_calls;
    blocks_sized = 0;
}

static size_t
sizes_watched(void)
{
    arena->calls = plain_calls;
    return blocks_sized;
}

/* ---- Trees ---- */

static size_t
exclusive(const pqt_tree *tree, const pqt_tree *const *others, size_t count)
{
    pqt_error error = {0};
    size_t bytes = 0;
    require(pqt_tree_exclusive_bytes(tree, others, count, &bytes, &error), error.text);
    return bytes;
}

static const pqt_tree *
grid_of(bool unique, size_t side)
{
    return with_grid(unique ? unique_tree(4) : small_tree(4), side);
}

START_TEST(a_tree_compared_with_no_other_owns_all_its_bytes)
{
    const pqt_tree *tree = grid_of(_i == 1, 16), *stranger = grid_of(_i == 1, 16);
    const pqt_tree *elsewhere = with_grid(made(box(0, 0, 17, 17), options_of(4, 24)), 16);
    const size_t all = pqt_tree_get_stats(tree).bytes;
    ck_assert_uint_eq(exclusive(tree, NULL, 0), all);
    ck_assert_uint_eq(exclusive(tree, &stranger, 1), all);
    ck_assert_uint_eq(exclusive(tree, &elsewhere, 1), all);
    ck_assert_uint_eq(exclusive(tree, (const pqt_tree *[]){stranger, elsewhere}, 2), all);
}
END_TEST

START_TEST(a_tree_among_the_others_owns_no_bytes)
{
    const pqt_tree *tree = grid_of(_i == 1, 16), *next = with_dot(tree, 999);
    ck_assert_uint_eq(exclusive(tree, &tree, 1), 0);
    ck_assert_uint_eq(exclusive(tree, (const pqt_tree *[]){next, tree}, 2), 0);
}
END_TEST

START_TEST(exclusive_bytes_are_those_that_are_not_shared)
{
    const pqt_tree *old = grid_of(_i == 1, 16), *before = old;
    for (uint64_t i = 0; i < 60; i++) {
        const pqt_tree *next = i % 3 == 0   ? with_dot(before, 1000 + i)
                               : i % 3 == 1 ? removed(before, dot_of_grid(16, i * 4))
                                            : moved(before, dot_of_grid(16, i * 4), point(1, 2));
        const pqt_tree *const both[] = {old, before};
        const size_t all = pqt_tree_get_stats(next).bytes;
        const size_t beside_before = all - pqt_tree_shared_bytes(next, before);
        ck_assert_uint_eq(exclusive(next, &before, 1), beside_before);
        ck_assert_uint_eq(exclusive(next, &old, 1), all - pqt_tree_shared_bytes(next, old));
        /* Blocks older than the previous version are shared with it. */
        ck_assert_uint_eq(exclusive(next, both, 2), beside_before);
        before = next;
    }
}
END_TEST

/* ---- Regions and worlds ---- */

static const pqt_region *
painted(const pqt_region *region, double x)
{
    pqt_error error = {0};
    const pqt_region *next =
        pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_TOGGLE, (pqt_vec){x, 40}, 30), &error);
    require(next != NULL, error.text);
    return next;
}

START_TEST(exclusive_bytes_of_a_region_are_those_that_are_not_shared)
{
    pqt_error error = {0};
    const pqt_region *old = painted(pqt_region_make(arena, &error), 0), *before = old;
    size_t bytes = 1;
    for (int i = 1; i < 30; i++) {
        const pqt_region *next = painted(before, 90 * i);
        const pqt_region *const both[] = {old, before};
        const size_t all = pqt_region_get_stats(next).bytes;
        const size_t beside_before = all - pqt_region_shared_bytes(next, before);
        ck_assert(pqt_region_exclusive_bytes(next, NULL, 0, &bytes, &error) && bytes == all);
        ck_assert(pqt_region_exclusive_bytes(next, &before, 1, &bytes, &error));
        ck_assert_uint_eq(bytes, beside_before);
        ck_assert(pqt_region_exclusive_bytes(next, both, 2, &bytes, &error));
        ck_assert_uint_eq(bytes, beside_before);
        ck_assert(pqt_region_exclusive_bytes(next, &next, 1, &bytes, &error) && bytes == 0);
        before = next;
    }
}
END_TEST

START_TEST(exclusive_bytes_of_a_world_are_those_that_are_not_shared)
{
    pqt_error error = {0};
    const pqt_region *ground = painted(pqt_region_make(arena, &error), 0);
    const pqt_world *old = small_world(), *before = old;
    size_t bytes = 1;
    for (uint64_t i = 1; i < 60; i++) {
        const pqt_world *next = added(before, ball(i, 1 + (double)i, 50, 0.25));
        if (i % 10 == 0)
            next = pqt_world_set_obstacle(before, (pqt_obstacle){ground, {(double)i, 0}}, &error);
        const pqt_world *const both[] = {old, before};
        const size_t all = pqt_world_get_stats(must_world(next, &error)).bytes;
        const size_t beside_before = all - pqt_world_shared_bytes(next, before);
        ck_assert(pqt_world_exclusive_bytes(next, NULL, 0, &bytes, &error) && bytes == all);
        ck_assert(pqt_world_exclusive_bytes(next, &before, 1, &bytes, &error));
        ck_assert_uint_eq(bytes, beside_before);
        ck_assert(pqt_world_exclusive_bytes(next, both, 2, &bytes, &error));
        ck_assert_uint_eq(bytes, beside_before);
        ck_assert(pqt_world_exclusive_bytes(next, &next, 1, &bytes, &error) && bytes == 0);
        before = next;
    }
}
END_TEST

/* ---- Memories ---- */

/* An arena does not know the sizes of its blocks, so each kind computes them. A heap knows them.
   The classes of small blocks have the exact sizes. */
static void
expect_bytes_of_a_heap(const void *version)
{
    pqt_error error = {0};
    size_t bytes = 0, bytes_in_heap = 1;
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    ck_assert_ptr_nonnull(heap);
    ck_assert(pqt_scope_begin(heap, &error));
    const void *copy = pqt_version_copy(version, heap, &error);
    ck_assert_msg(copy != NULL, "%s", error.text);
    ck_assert(pqt_version_exclusive_bytes(version, NULL, 0, &bytes, &error));
    ck_assert(pqt_version_exclusive_bytes(copy, NULL, 0, &bytes_in_heap, &error));
    ck_assert_uint_gt(bytes, 0);
    ck_assert_uint_eq(bytes, bytes_in_heap);
    pqt_scope_end(heap);
    pqt_heap_destroy(&heap);
}

START_TEST(an_arena_counts_as_many_bytes_as_a_heap)
{
    expect_bytes_of_a_heap(grid_of(_i == 1, 9));
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    options.values = _i == 1 ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
    const pqt_map *map = pqt_map_make(&options, &error);
    for (uint64_t id = 0; id < 60; id++)
        map = pqt_map_insert(map, pqt_map_id(id * id),
                             _i == 1 ? pqt_map_bytes("value", 5) : pqt_map_number(id), &error);
    ck_assert_msg(map != NULL, "%s", error.text);
    expect_bytes_of_a_heap(map);
}
END_TEST

START_TEST(an_arena_counts_as_many_bytes_of_pixels_as_a_heap)
{
    expect_bytes_of_a_heap(painted(pqt_region_make(arena, NULL), 3));
}
END_TEST

START_TEST(an_arena_counts_as_many_bytes_of_bodies_as_a_heap)
{
    const pqt_world *world = small_world();
    for (uint64_t id = 1; id <= 60; id++) {
        pqt_body body = ball(id, 1 + (double)(id % 30) * 3, 5 + (double)(id / 30) * 40, 0.25);
        body.angular_velocity = _i == 1 ? 3 : 0;
        world = added(world, body);
    }
    expect_bytes_of_a_heap(world);
}
END_TEST

/* ---- Failures ---- */

/* Counts the exclusive bytes of a tree, a region or a world against two others of its kind. */
typedef bool count_fn(size_t *bytes, pqt_error *error);

static const pqt_tree *trees[3];
static const pqt_region *regions[3];
static const pqt_world *worlds[3];

static bool
count_tree(size_t *bytes, pqt_error *error)
{
    return pqt_tree_exclusive_bytes(trees[2], trees, 2, bytes, error);
}

static bool
count_region(size_t *bytes, pqt_error *error)
{
    return pqt_region_exclusive_bytes(regions[2], regions, 2, bytes, error);
}

static bool
count_world(size_t *bytes, pqt_error *error)
{
    return pqt_world_exclusive_bytes(worlds[2], worlds, 2, bytes, error);
}

static count_fn *const counts[] = {count_tree, count_region, count_world};

static void
make_three_of_each(void)
{
    pqt_error error = {0};
    trees[0] = grid_of(true, 8);
    for (uint64_t i = 1; i < 3; i++)
        trees[i] = with_dot(trees[i - 1], 100 + i);
#if PQT_WITH_WORLDS
    regions[0] = painted(pqt_region_make(arena, &error), 0);
    worlds[0] = added(small_world(), ball(0, 50, 50, 1));
    for (uint64_t i = 1; i < 3; i++) {
        regions[i] = painted(regions[i - 1], 90 * (double)i);
        worlds[i] = added(worlds[i - 1], ball(i, 10 + 4 * (double)i, 50, 1));
        worlds[i] = pqt_world_set_obstacle(worlds[i], (pqt_obstacle){regions[i], {0, 0}}, &error);
    }
#endif
    require(error.status == PQT_OK, error.text);
}

START_TEST(counting_that_runs_out_of_memory_writes_nothing)
{
    static const size_t at_least[] = {2, 1, 6};
    make_three_of_each();
    for (size_t i = 0; i < (PQT_WITH_WORLDS ? 3 : 1); i++) {
        hooks watch = {.fail_at = 0};
        bool counted;
        do {
            pqt_error error = {0};
            size_t bytes = 1;
            watch.fail_at++;
            hooks_start(&watch);
            counted = counts[i](&bytes, &error);
            hooks_stop();
            ck_assert(counted == (watch.failures == 0));
            ck_assert_int_eq(error.status, counted ? PQT_OK : PQT_ERROR_MEMORY);
            ck_assert(counted == (bytes != 1));
        } while (!counted);
        ck_assert_uint_gt(watch.fail_at, at_least[i]);
    }
}
END_TEST

START_TEST(counting_against_one_other_allocates_nothing)
{
    hooks watch = {.fail_at = 0};
    size_t bytes = 0;
    make_three_of_each();
    hooks_start(&watch);
    ck_assert(pqt_tree_exclusive_bytes(trees[2], trees, 1, &bytes, NULL));
    if (PQT_WITH_WORLDS)
        ck_assert(pqt_region_exclusive_bytes(regions[2], regions, 1, &bytes, NULL));
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    pqt_error error = earlier_failure();
    size_t bytes = 1;
    make_three_of_each();
    ck_assert(!pqt_tree_exclusive_bytes(NULL, trees, 1, &bytes, &error));
    if (PQT_WITH_WORLDS) {
        ck_assert(!pqt_region_exclusive_bytes(NULL, regions, 1, &bytes, NULL));
        ck_assert(!pqt_world_exclusive_bytes(NULL, worlds, 1, &bytes, NULL));
    }
    expect_earlier_failure(&error);
    ck_assert_uint_eq(bytes, 1);
}
END_TEST

/* ---- A history of values that hold two trees ---- */

typedef struct drawing {
    const pqt_tree *below, *above;
} drawing;

static pqt_memory *
memory_of_drawing(const void *value, void *context)
{
    (void)context;
    return pqt_tree_memory(((const drawing *)value)->below);
}

static bool
bytes_of_drawing(const void *value, const void *const *others, size_t count, size_t *bytes,
                 void *context)
{
    const drawing *own = value;
    const pqt_tree **below = calloc(2 * count + 1, sizeof *below), **above = below + count;
    size_t of_below = 0, of_above = 0;
    (void)context;
    if (below == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        below[i] = ((const drawing *)others[i])->below;
        above[i] = ((const drawing *)others[i])->above;
    }
    const bool counted = pqt_tree_exclusive_bytes(own->below, below, count, &of_below, NULL) &&
                         pqt_tree_exclusive_bytes(own->above, above, count, &of_above, NULL);
    *bytes = of_below + of_above;
    free(below);
    return counted;
}

static pqt_history *
history_of_drawings(const drawing *first)
{
    const pqt_history_kind kind = {.size = sizeof kind,
                                   .name = "drawings",
                                   .memory = memory_of_drawing,
                                   .bytes = bytes_of_drawing};
    pqt_error error = {0};
    pqt_history *history = pqt_history_make(&kind, first, NULL, &error);
    require(history != NULL, error.text);
    return history;
}

START_TEST(a_history_of_two_trees_counts_the_sum_of_two_histories)
{
    enum { VERSIONS = 20 };
    static drawing drawings[VERSIONS];
    drawings[0] = (drawing){grid_of(true, 16), grid_of(false, 20)};
    pqt_history *both = history_of_drawings(&drawings[0]);
    pqt_history *below = history_of(drawings[0].below, false);
    pqt_history *above = history_of(drawings[0].above, false);
    for (uint64_t i = 1; i < VERSIONS; i++) {
        drawings[i] = (drawing){with_dot(drawings[i - 1].below, 1000 + i),
                                with_dot(drawings[i - 1].above, 2000 + 7 * i)};
        push(both, &drawings[i], "Draw");
        push(below, drawings[i].below, "Draw");
        push(above, drawings[i].above, "Draw");
        ck_assert_uint_eq(entry_at(both, i).added,
                          entry_at(below, i).added + entry_at(above, i).added);
    }
    ck_assert_uint_eq(pqt_history_get_stats(both).bytes,
                      pqt_history_get_stats(below).bytes + pqt_history_get_stats(above).bytes);
    for (uint64_t i = 0; i < VERSIONS; i++) {
        pqt_history_bytes of_both, of_below, of_above;
        pqt_error error = {0};
        ck_assert(pqt_history_get_bytes(both, i, &of_both, &error));
        ck_assert(pqt_history_get_bytes(below, i, &of_below, &error));
        ck_assert(pqt_history_get_bytes(above, i, &of_above, &error));
        ck_assert_uint_eq(of_both.freed, of_below.freed + of_above.freed);
        ck_assert_uint_eq(of_both.all, of_below.all + of_above.all);
    }
    pqt_history_destroy(&both);
    pqt_history_destroy(&below);
    pqt_history_destroy(&above);
}
END_TEST

/* One edit in each of two trees of 62,500 items copies one path in each. */
START_TEST(a_push_of_two_large_trees_visits_only_new_blocks)
{
    enum { SIDE = 250, EDITS = 50 };
    static drawing drawings[EDITS + 1];
    drawings[0] = (drawing){grid_of(false, SIDE), grid_of(true, SIDE)};
    pqt_history *history = history_of_drawings(&drawings[0]);
    watch_sizes();
    (void)pqt_tree_get_stats(drawings[0].below);
    ck_assert_uint_gt(sizes_watched(), SIDE * SIDE / 8);
    for (uint64_t i = 0; i < EDITS; i++) {
        const pqt_item item = dot_of_grid(SIDE, 997 * i);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        drawings[i + 1] = (drawing){removed(drawings[i].below, item),
                                    moved(drawings[i].above, item, point(3, 3 + (double)i / 50))};
        hooks_stop();
        watch_sizes();
        push(history, &drawings[i + 1], "Edit");
        ck_assert_uint_le(sizes_watched(), hooks_kept_blocks(&watch));
        ck_assert_uint_gt(blocks_sized, 4);
    }
    pqt_history_destroy(&history);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("exclusive");
    TCase *tests = add_tests(suite, "exclusive");
    tcase_add_loop_test(tests, a_tree_compared_with_no_other_owns_all_its_bytes, 0, 2);
    tcase_add_loop_test(tests, a_tree_among_the_others_owns_no_bytes, 0, 2);
    tcase_add_loop_test(tests, exclusive_bytes_are_those_that_are_not_shared, 0, 2);
    if (PQT_WITH_PIXELS) {
        tcase_add_test(tests, exclusive_bytes_of_a_region_are_those_that_are_not_shared);
        tcase_add_test(tests, an_arena_counts_as_many_bytes_of_pixels_as_a_heap);
    }
    if (PQT_WITH_WORLDS) {
        tcase_add_test(tests, exclusive_bytes_of_a_world_are_those_that_are_not_shared);
        tcase_add_loop_test(tests, an_arena_counts_as_many_bytes_of_bodies_as_a_heap, 0, 2);
    }
    tcase_add_loop_test(tests, an_arena_counts_as_many_bytes_as_a_heap, 0, 2);
    tcase_add_test(tests, counting_that_runs_out_of_memory_writes_nothing);
    tcase_add_test(tests, counting_against_one_other_allocates_nothing);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_test(tests, a_history_of_two_trees_counts_the_sum_of_two_histories);
    tcase_add_test(tests, a_push_of_two_large_trees_visits_only_new_blocks);
    return run_suite(suite);
}
