/* SPDX-License-Identifier: MIT */
/*
 * test_convex_window.c: tests queries whose window is a convex.
 *
 * Every answer is compared with the exact predicate of convex.h for each item, without any tree.
 * test_convex compares the predicates with exact integer arithmetic.
 */
#include "config.h"

#include <float.h>
#include <math.h>

#include <pqt/cursor.h>
#include <pqt/diff.h>
#include <pqt/heap.h>
#include <pqt/merge.h>
#include <pqt/tree.h>
#include <pqt/convex.h>

#include "random.h"
#include "suite.h"
#include "tree/algebra/codescent.h"
#include "tree_support.h"

enum { MOST_ITEMS = 400, RELATIONS = 4, MEMORIES = 3 };

static const pqt_relation relations[RELATIONS] = {PQT_TOUCHES, PQT_OVERLAPS, PQT_INSIDE,
                                                  PQT_COVERS};

/* ---- The plain scan ---- */

static bool
is_even(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 0;
}

static bool
is_found(const pqt_item *item, const pqt_query *query)
{
    static bool (*const predicates[])(const pqt_convex *, pqt_box) = {
        [PQT_TOUCHES] = pqt_convex_touches_box,
        [PQT_OVERLAPS] = pqt_convex_overlaps_box,
        [PQT_INSIDE] = pqt_convex_covers_box,
        [PQT_COVERS] = pqt_convex_is_inside_box,
    };
    return predicates[query->relation](query->convex, item->box) &&
           (query->filter == NULL || query->filter(item, query->context));
}

/* Items in tree order. */
typedef struct item_list {
    size_t count;
    pqt_item items[MOST_ITEMS];
} item_list;

static item_list
all_items_of(const pqt_tree *tree)
{
    item_list all;
    all.count = pqt_tree_collect(tree, NULL, all.items, MOST_ITEMS);
    require(all.count <= MOST_ITEMS, "there are more items than expected");
    return all;
}

/* Returns the items that a scan finds or, if requested, the others. */
static item_list
scan(const pqt_tree *tree, const pqt_query *query, bool found)
{
    const item_list all = all_items_of(tree);
    item_list some;
    some.count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (is_found(&all.items[i], query) == found)
            some.items[some.count++] = all.items[i];
    return some;
}

/* ---- All readers ---- */

static void
expect_same(const item_list *expected, const pqt_item *items, size_t count, const char *what)
{
    if (count != expected->count)
        ck_abort_msg("%s: %zu items, a scan finds %zu", what, count, expected->count);
    for (size_t i = 0; i < count; i++)
        require(same_bits(items[i], expected->items[i]), what);
}

static bool
add_item(const pqt_item *item, void *context)
{
    item_list *list = context;
    require(list->count < MOST_ITEMS, "more items are visited than there are");
    list->items[list->count++] = *item;
    return true;
}

static bool
add_removed(const pqt_change *change, void *context)
{
    require(change->kind == PQT_REMOVE, "the change is not a removal");
    return add_item(&change->item, context);
}

static void
expect_readers_agree(const pqt_tree *tree, const pqt_query *query, const item_list *expected)
{
    item_list list;
    uint64_t ids[MOST_ITEMS];
    pqt_item first = boxed(point(0, 0), UINT64_MAX);
    list.count = 0;
    require(pqt_tree_visit(tree, query, add_item, &list), "a visit stopped");
    expect_same(expected, list.items, list.count, "visit");
    list.count = pqt_tree_collect(tree, query, list.items, MOST_ITEMS);
    expect_same(expected, list.items, list.count, "collect");
    require(pqt_tree_count_in(tree, query) == expected->count, "count_in");
    require(pqt_tree_collect_ids(tree, query, ids, MOST_ITEMS) == expected->count, "ids: count");
    for (size_t i = 0; i < expected->count; i++)
        require(ids[i] == expected->items[i].id, "ids");
    require(pqt_tree_any(tree, query, &first) == (expected->count > 0), "any");
    require(expected->count == 0 || same_bits(first, expected->items[0]), "any: the first item");
    pqt_cursor cursor;
    list.count = 0;
    for (pqt_cursor_open(&cursor, tree, query); pqt_cursor_next(&cursor, &first);)
        add_item(&first, &list);
    expect_same(expected, list.items, list.count, "cursor");
}

static void
expect_same_tree(const pqt_tree *tree, const pqt_tree *expected, const char *what)
{
    pqt_error error = {0};
    require(tree != NULL && pqt_tree_equals(tree, expected), what);
    require(pqt_tree_check(tree, &error), error.text);
}

/* Compares search, difference and restore with trees of the items that a scan finds. */
static void
expect_versions_agree(const pqt_tree *tree, const pqt_query *query, const item_list *expected)
{
    pqt_error error = {0};
    const item_list others = scan(tree, query, false);
    const pqt_tree *empty = pqt_tree_clear(tree, &error);
    const pqt_tree *found = with_items(empty, expected->items, expected->count);
    const pqt_tree *rest = with_items(empty, others.items, others.count);
    expect_same_tree(pqt_tree_search(tree, query, &error), found, "search");
    expect_same_tree(pqt_tree_restore(tree, empty, query, &error), rest, "restore to nothing");
    expect_same_tree(pqt_tree_restore(empty, tree, query, &error), found, "restore of all");
    expect_same_tree(pqt_tree_restore(rest, tree, query, &error), tree, "restore of the missing");
    item_list list;
    list.count = 0;
    require(pqti_diff_visit_unpaired(tree, empty, query, add_removed, &list, &error), error.text);
    expect_same(expected, list.items, list.count, "difference");
}

/* Compares all answers about a convex with a scan. Adds the number of found items to `found`. */
static void
expect_right(const pqt_tree *tree, const pqt_convex *convex, size_t found[RELATIONS])
{
    for (size_t i = 0; i < RELATIONS; i++)
        for (int filtered = 0; filtered < 2; filtered++) {
            /* The window is not read. This one would match no item. */
            pqt_query query = query_of(box(NAN, NAN, NAN, NAN), relations[i]);
            query.convex = convex;
            query.filter = filtered ? is_even : NULL;
            const item_list expected = scan(tree, &query, true);
            expect_readers_agree(tree, &query, &expected);
            expect_versions_agree(tree, &query, &expected);
            found[i] += expected.count;
        }
}

/* ---- Random trees and shapes ---- */

/* The distribution of the coordinates of a tree and its windows. */
typedef struct family {
    const char *name;
    double scale, origin; /* numbers are multiples of the scale, plus the origin */
    /* only whole multiples are used, so that shapes share vertices, lines and sides */
    bool whole;
} family;

static const family families[] = {
    {"real numbers", 1, 0, false},
    {"whole numbers", 1, 0, true},
    {"whole numbers far from zero", 1, 0x1p40, true},
    {"1e150", 1e150, 0, false},
    {"whole multiples of 1e150", 1e150, 0, true},
    {"whole multiples of 2^1000", 0x1p1000, 0, true},
    {"1e-150", 1e-150, 0, false},
    {"whole multiples of 2^-500", 0x1p-500, 0, true},
    {"denormals", TINIEST, 0, true},
};

enum { FAMILIES = sizeof families / sizeof *families };

/* Returns a coordinate from -4 to 20. The bounds are 0 to 16. */
static double
rolled_coordinate(dice *d, const family *f)
{
    const double at = f->whole ? (double)dice_below(d, 25) - 4 : 24 * dice_real(d) - 4;
    return f->origin + f->scale * at;
}

static double
rolled_size(dice *d, const family *f)
{
    static const double sizes[] = {0, 0, 1, 1, 1, 2, 9};
    const double size = sizes[dice_below(d, sizeof sizes / sizeof *sizes)];
    return f->scale * (f->whole ? size : size * dice_real(d));
}

static pqt_box
rolled_box(dice *d, const family *f)
{
    const double x = rolled_coordinate(d, f), y = rolled_coordinate(d, f);
    return box(x, y, x + rolled_size(d, f), y + rolled_size(d, f));
}

/* Returns a random tree. Some of its items have the same box, so that they fill hash nodes. */
static const pqt_tree *
rolled_tree(dice *d, const family *f, pqt_memory *memory)
{
    static const int capacities[] = {1, 2, 8, 24, PQT_MAX_CAPACITY};
    pqt_tree_options options = options_of(capacities[dice_below(d, 5)], 1 + (int)dice_below(d, 24));
    options.memory = memory;
    options.unique_ids = dice_chance(d, 30);
    const double low = f->origin, high = f->origin + 16 * f->scale;
    const pqt_tree *tree = made(box(low, low, high, high), options);
    pqt_item items[MOST_ITEMS];
    const size_t count = 1 + dice_below(d, 150);
    const size_t same = dice_chance(d, 30) ? dice_below(d, count) : count;
    for (size_t i = 0; i < count; i++)
        items[i] = boxed(i > same ? items[same].box : rolled_box(d, f), i);
    return with_items(tree, items, count);
}

/* Draws a convex: a thin one along a diagonal, a small one, or one of any kind. Returns false if
 * its points are equal. */
static bool
roll_convex(dice *d, const family *f, pqt_convex *convex)
{
    pqt_vec points[PQT_MAX_CONVEX_VERTICES];
    const size_t count = 2 + dice_below(d, PQT_MAX_CONVEX_VERTICES - 1);
    for (size_t i = 0; i < count; i++)
        points[i] = (pqt_vec){rolled_coordinate(d, f), rolled_coordinate(d, f)};
    double radius = 0;
    if (dice_chance(d, 40))
        radius = dice_chance(d, 30) ? TINIEST : rolled_size(d, f);
    return pqt_convex_from_points(points, dice_chance(d, 40) ? 2 : count, radius, convex, NULL);
}

static pqt_memory *
make_memory(size_t kind)
{
    pqt_error error = {0};
    pqt_memory *memory = kind == 0 ? pqt_arena_make(0, &error) : pqt_heap_make(NULL, &error);
    require(memory != NULL, error.text);
    return memory;
}

static void
run_family(dice *d, const family *f, pqt_memory *memory, size_t found[RELATIONS])
{
    const pqt_tree *tree = rolled_tree(d, f, memory);
    for (int i = 0; i < 4; i++) {
        pqt_convex convex;
        if (roll_convex(d, f, &convex))
            expect_right(tree, &convex, found);
    }
}

START_TEST(every_reader_finds_what_a_scan_with_the_exact_predicates_finds)
{
    const family *f = &families[_i % FAMILIES];
    const size_t kind = (size_t)_i / FAMILIES;
    dice d = {test_seed(__func__) + (uint64_t)_i};
    size_t found[RELATIONS] = {0};
    if (kind == 2 && pqt_collector() == NULL)
        return;
    const size_t rounds = test_scaled(16);
    for (size_t round = 0; round < rounds; round++) {
        pqt_memory *memory = kind == 2 ? pqt_collector() : make_memory(kind);
        run_family(&d, f, memory, found);
        if (kind == 0)
            pqt_arena_destroy(&memory);
        else if (kind == 1)
            pqt_heap_destroy(&memory);
    }
    fprintf(stderr, "# %s: %zu touch, %zu overlap, %zu inside, %zu cover\n", f->name, found[0],
            found[1], found[2], found[3]);
    if (rounds < 12) /* in so few rounds it may find nothing */
        return;
    if (f->whole) /* with real numbers, no two shapes touch without overlapping */
        ck_assert_uint_gt(found[0], found[1]);
    ck_assert_uint_gt(found[1], 0);
    ck_assert_uint_gt(found[2], 0);
}
END_TEST

START_TEST(a_large_item_covers_a_convex_whose_sides_are_rounded)
{
    pqt_convex capsule;
    ck_assert(pqt_convex_from_segment((pqt_segment){{1, 1}, {3, 2}}, 0x1p-60, &capsule, NULL));
    const pqt_box rounded = pqt_convex_box(&capsule);
    pqt_box smaller = rounded;
    smaller.max.x = nextafter(smaller.max.x, 0);
    const pqt_item items[] = {boxed(rounded, 1), boxed(smaller, 2)};
    const pqt_tree *tree = with_items(small_tree(1), items, 2);
    pqt_query query = query_of(world_box, PQT_COVERS);
    query.convex = &capsule;
    expect_ids(tree, query, (uint64_t[]){1}, 1);
}
END_TEST

START_TEST(items_that_touch_a_convex_at_one_point_are_found)
{
    pqt_convex diamond;
    const pqt_vec corners[] = {{8, 4}, {12, 8}, {8, 12}, {4, 8}};
    ck_assert(pqt_convex_from_points(corners, 4, 0, &diamond, NULL));
    const pqt_item items[] = {
        boxed(box(0, 8, 4, 8), 1),                    /* ends at a vertex */
        boxed(box(10, 10, 11, 11), 2),                /* a corner is on a side */
        boxed(box(nextafter(10, 11), 10, 11, 11), 3), /* close to that side */
        dot(6, 6, 4),                                 /* on a side */
        dot(nextafter(6, 5), 6, 5),
        boxed(box(6, 6, 10, 10), 6), /* inscribed */
        boxed(box(6, 6, nextafter(10, 11), 10), 7),
        dot(8, 8, 8),
    };
    for (int capacity = 1; capacity <= 8; capacity++) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 8);
        size_t found[RELATIONS] = {0};
        expect_right(tree, &diamond, found);
        pqt_query query = {.convex = &diamond, .relation = PQT_TOUCHES};
        ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 6);
        query.relation = PQT_OVERLAPS;
        ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 3);
        query.relation = PQT_INSIDE;
        ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 3);
    }
}
END_TEST

/* ---- Costs ---- */

enum { SIDE = 200 };

/* Returns SIDE x SIDE dots, one in each unit square. */
static const pqt_tree *
large_grid(pqt_memory *memory)
{
    static pqt_item items[SIDE * SIDE];
    pqt_error error = {0};
    pqt_tree_options options = options_of(8, 24);
    options.memory = memory;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        items[i] = dot((double)(i % SIDE) + 0.5, (double)(i / SIDE) + 0.5, i);
    const pqt_tree *tree = pqt_tree_of(items, SIDE * SIDE, &options, &error);
    return must(tree, &error);
}

/* Counts the work of a query with a convex, and with its bounding box. */
static void
count_both(const pqt_tree *tree, const pqt_convex *convex, pqt_relation relation,
           pqt_query_stats stats[2])
{
    pqt_query query = {.convex = convex, .relation = relation, .stats = &stats[0]};
    memset(stats, 0, 2 * sizeof *stats);
    pqt_tree_collect_ids(tree, &query, NULL, 0);
    query =
        (pqt_query){.window = pqt_convex_box(convex), .relation = PQT_TOUCHES, .stats = &stats[1]};
    pqt_tree_collect_ids(tree, &query, NULL, 0);
    fprintf(stderr, "# convex: %llu nodes, %llu leaves, %llu boxes; its box: %llu, %llu, %llu\n",
            (unsigned long long)stats[0].nodes, (unsigned long long)stats[0].leaves,
            (unsigned long long)stats[0].boxes, (unsigned long long)stats[1].nodes,
            (unsigned long long)stats[1].leaves, (unsigned long long)stats[1].boxes);
}

START_TEST(a_thin_rotated_window_visits_a_tenth_of_the_nodes_of_its_box)
{
    const pqt_tree *tree = large_grid(arena);
    for (size_t i = 0; i < RELATIONS - 1; i++) {
        pqt_convex beam;
        pqt_query_stats stats[2];
        ck_assert(pqt_convex_from_oriented_box((pqt_vec){100, 100}, (pqt_vec){120, 0.4},
                                               (pqt_vec){3, 4}, 0, &beam, NULL));
        count_both(tree, &beam, relations[i], stats);
        ck_assert_uint_gt(stats[0].nodes, 0);
        ck_assert_uint_lt(10 * stats[0].nodes, stats[1].nodes);
        ck_assert_uint_lt(10 * stats[0].leaves, stats[1].leaves);
    }
}
END_TEST

START_TEST(a_thin_capsule_visits_a_tenth_of_the_nodes_of_its_box)
{
    pqt_convex beam;
    pqt_query_stats stats[2];
    ck_assert(pqt_convex_from_segment((pqt_segment){{10, 10}, {190, 180}}, 0.3, &beam, NULL));
    count_both(large_grid(arena), &beam, PQT_TOUCHES, stats);
    ck_assert_uint_lt(10 * stats[0].nodes, stats[1].nodes);
}
END_TEST

START_TEST(a_thin_window_among_outliers_visits_a_tenth_of_the_leaves_of_its_box)
{
    enum { COUNT = 100 };
    const pqt_tree *tree = small_tree(4);
    for (size_t i = 0; i < COUNT * COUNT; i++)
        tree = inserted(tree, dot(1000 + (double)(i % COUNT), 1000 + (double)(i / COUNT), i));
    pqt_convex beam;
    pqt_query_stats stats[2];
    ck_assert(pqt_convex_from_segment((pqt_segment){{1001, 1003}, {1098, 1095}}, 0, &beam, NULL));
    count_both(tree, &beam, PQT_TOUCHES, stats);
    ck_assert_uint_lt(10 * stats[0].leaves, stats[1].leaves);
}
END_TEST

START_TEST(a_count_does_not_enter_subtrees_inside_a_convex)
{
    const pqt_tree *tree = large_grid(arena);
    for (size_t i = 0; i < RELATIONS - 1; i++) {
        pqt_convex diamond;
        pqt_query_stats stats = {0};
        const pqt_vec corners[] = {{100, 10}, {190, 100}, {100, 190}, {10, 100}};
        ck_assert(pqt_convex_from_points(corners, 4, 0, &diamond, NULL));
        const pqt_query query = {.convex = &diamond, .relation = relations[i], .stats = &stats};
        const size_t count = pqt_tree_count_in(tree, &query);
        ck_assert_uint_gt(count, 16000);
        fprintf(stderr, "# %zu items: %llu boxes tested\n", count, (unsigned long long)stats.boxes);
        ck_assert_uint_lt(stats.boxes, count / 5);
    }
}
END_TEST

START_TEST(a_search_shares_the_subtrees_inside_a_convex)
{
    pqt_memory *heap = make_memory(1);
    const pqt_tree *tree = large_grid(heap);
    pqt_convex diamond;
    const pqt_vec corners[] = {{100, 10}, {190, 100}, {100, 190}, {10, 100}};
    ck_assert(pqt_convex_from_points(corners, 4, 0, &diamond, NULL));
    const uint64_t before = pqt_memory_get_stats(heap).used_bytes;
    const pqt_tree *found = searched(tree, (pqt_query){.convex = &diamond, .relation = PQT_INSIDE});
    const uint64_t after = pqt_memory_get_stats(heap).used_bytes;
    fprintf(stderr, "# %llu bytes for %zu items, %llu for all\n",
            (unsigned long long)(after - before), pqt_tree_count(found),
            (unsigned long long)before);
    ck_assert_uint_gt(after, before);
    ck_assert_uint_lt(after - before, pqt_tree_count(found) * sizeof(pqt_item) / 3);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(identical_boxes_are_not_tested_one_by_one)
{
    const pqt_tree *tree = small_tree(4);
    for (uint64_t i = 0; i < 1000; i++)
        tree = inserted(tree, boxed(box(5, 5, 6, 6), i));
    pqt_convex near, far;
    ck_assert(pqt_convex_from_segment((pqt_segment){{4, 4}, {9, 9}}, 0, &near, NULL));
    ck_assert(pqt_convex_from_segment((pqt_segment){{4, 5.5}, {5.5, 7}}, 0, &far, NULL));
    pqt_query_stats stats = {0};
    pqt_query query = {.convex = &near, .relation = PQT_TOUCHES, .stats = &stats};
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 1000);
    query.convex = &far;
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 0);
    ck_assert_uint_eq(stats.boxes, 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("convex windows");
    TCase *answers = add_tests(suite, "answers");
    tcase_add_loop_test(answers, every_reader_finds_what_a_scan_with_the_exact_predicates_finds, 0,
                        MEMORIES * FAMILIES);
    tcase_add_test(answers, a_large_item_covers_a_convex_whose_sides_are_rounded);
    tcase_add_test(answers, items_that_touch_a_convex_at_one_point_are_found);
    TCase *costs = add_tests(suite, "costs");
    tcase_add_test(costs, a_thin_rotated_window_visits_a_tenth_of_the_nodes_of_its_box);
    tcase_add_test(costs, a_thin_capsule_visits_a_tenth_of_the_nodes_of_its_box);
    tcase_add_test(costs, a_thin_window_among_outliers_visits_a_tenth_of_the_leaves_of_its_box);
    tcase_add_test(costs, a_count_does_not_enter_subtrees_inside_a_convex);
    tcase_add_test(costs, a_search_shares_the_subtrees_inside_a_convex);
    tcase_add_test(costs, identical_boxes_are_not_tested_one_by_one);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
