/* SPDX-License-Identifier: MIT */
/* test_pairs.c: compares the broad phase with all pairs of a plain array. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "misuse.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree_bounds.h"

enum { MANY = 150, ROOM = MANY * MANY };

static pqt_memory *arena;

static void
open_arena(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void
close_arena(void)
{
    pqt_arena_destroy(&arena);
}

static const pqt_tree *
tree_of(pqt_box bounds, const pqt_item *items, size_t count, int capacity, int depth)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.leaf_capacity = capacity;
    options.max_depth = depth;
    options.memory = arena;
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    tree = pqt_tree_insert_all(tree, items, count, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

static const pqt_tree *
small_tree(const pqt_item *items, size_t count)
{
    return tree_of((pqt_box){{0, 0}, {64, 64}}, items, count, 2, 24);
}

/* Compares pairs as numbers. All ids in these tests are below 65536. */
static int
by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static size_t
numbers_of(const pqt_pair *pairs, size_t count, bool ordered, uint32_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t a = (uint32_t)pairs[i].a.id, b = (uint32_t)pairs[i].b.id;
        numbers[i] = ordered || a < b ? a << 16 | b : b << 16 | a;
    }
    qsort(numbers, count, sizeof *numbers, by_number);
    return count;
}

static pqt_box
moved(pqt_box box, pqt_vec by)
{
    return (pqt_box){{box.min.x + by.x, box.min.y + by.y}, {box.max.x + by.x, box.max.y + by.y}};
}

/* Lists all pairs in an array, as (a, b) for relations that are not symmetric. */
static size_t
pairs_within(const pqt_item *items, size_t count, pqt_relation relation, uint32_t *numbers)
{
    size_t found = 0;
    bool ordered = relation == PQT_INSIDE || relation == PQT_COVERS;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            bool one = model_relates(items[i].box, items[j].box, relation);
            bool other = model_relates(items[j].box, items[i].box, relation);
            uint32_t a = (uint32_t)items[i].id, b = (uint32_t)items[j].id;
            if (one && other && ordered)
                a = b = 0; /* equal boxes are in tree order, and are counted separately */
            if (one || other)
                numbers[found++] = one || !ordered ? a << 16 | b : b << 16 | a;
        }
    }
    qsort(numbers, found, sizeof *numbers, by_number);
    return found;
}

/* Clears the ids of pairs of equal boxes. They satisfy both relations, so the array does not
   determine which item is the first. */
static void
forget_equal_boxes(pqt_pair *pairs, size_t count, pqt_relation relation)
{
    for (size_t i = 0; i < count; i++)
        if (relation >= PQT_INSIDE && model_relates(pairs[i].a.box, pairs[i].b.box, PQT_INSIDE) &&
            model_relates(pairs[i].a.box, pairs[i].b.box, PQT_COVERS))
            pairs[i].a.id = pairs[i].b.id = 0;
}

static size_t
pairs_between(const pqt_item *first, const pqt_item *second, size_t count, pqt_vec offset,
              pqt_relation relation, uint32_t *numbers)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (model_relates(first[i].box, moved(second[j].box, offset), relation))
                numbers[found++] = (uint32_t)first[i].id << 16 | (uint32_t)second[j].id;
    qsort(numbers, found, sizeof *numbers, by_number);
    return found;
}

static void
draw_items(dice *d, pqt_box bounds, box_layout kind, pqt_item *items)
{
    for (size_t i = 0; i < MANY; i++) {
        items[i] = model_item((pqt_item){draw_box(d, bounds, kind), i + 1});
    }
}

static pqt_pair found[ROOM];
static uint32_t expected[ROOM], got[ROOM];

static bool
note_rank(const pqt_item *item, void *context)
{
    static size_t rank;
    size_t *ranks = context;
    ranks[item->id] = ++rank;
    return true;
}

/* Returns true if the first item of each pair precedes the second one in tree order. */
static bool
are_in_tree_order(const pqt_tree *tree, const pqt_pair *pairs, size_t count)
{
    size_t ranks[MANY + 1] = {0};
    pqt_tree_visit(tree, NULL, note_rank, ranks);
    for (size_t i = 0; i < count; i++)
        if (ranks[pairs[i].a.id] >= ranks[pairs[i].b.id])
            return false;
    return true;
}

static void
check_within(const pqt_item *items, const pqt_tree *tree, pqt_relation relation, const char *what)
{
    size_t count =
        pqt_pairs_collect(tree, NULL, &(pqt_pair_query){.relation = relation}, found, ROOM);
    ck_assert_msg(relation >= PQT_INSIDE || are_in_tree_order(tree, found, count), "%s", what);
    forget_equal_boxes(found, count, relation);
    numbers_of(found, count, relation >= PQT_INSIDE, got);
    size_t must = pairs_within(items, MANY, relation, expected);
    ck_assert_msg(count == must && memcmp(got, expected, count * sizeof *got) == 0,
                  "%s: %zu pairs, not %zu", what, count, must);
    ck_assert_uint_eq(pqt_pairs_count(tree, NULL, &(pqt_pair_query){.relation = relation}), count);
}

static void
check_between(const pqt_item *first, const pqt_tree *a, const pqt_item *second, const pqt_tree *b,
              pqt_pair_query query, const char *what)
{
    size_t count = pqt_pairs_collect(a, b, &query, found, ROOM);
    numbers_of(found, count, true, got);
    size_t must = pairs_between(first, second, MANY, query.offset, query.relation, expected);
    ck_assert_msg(count == must && memcmp(got, expected, count * sizeof *got) == 0,
                  "%s: %zu pairs between two trees, not %zu", what, count, must);
}

/* Returns a random offset: none, a fraction of the size of the bounds, or an ulp of it. */
static pqt_vec
draw_offset(dice *d, pqt_box bounds)
{
    double width = bounds.max.x / 2 - bounds.min.x / 2,
           height = bounds.max.y / 2 - bounds.min.y / 2;
    if (dice_chance(d, 30))
        return (pqt_vec){0, 0};
    if (dice_chance(d, 30))
        return (pqt_vec){width * 0x1p-52, -height * 0x1p-52};
    return (pqt_vec){(dice_real(d) - 0.5) * width, (dice_real(d) - 0.5) * height};
}

START_TEST(pairs_equal_those_of_a_plain_array)
{
    static const int capacities[] = {1, 2, 24, 64}, depths[] = {0, 1, 8, 24};
    static pqt_item first[MANY], second[MANY];
    dice d = {test_seed("pairs")};
    for (size_t round = 0; round < test_scaled(300); round++) {
        const world *here = &worlds[dice_below(&d, worlds_count)];
        const world *there = dice_chance(&d, 50) ? here : &worlds[dice_below(&d, worlds_count)];
        box_layout kind = (box_layout)dice_below(&d, BOX_LAYOUTS);
        draw_items(&d, here->bounds, kind, first);
        draw_items(&d, here->bounds, (box_layout)dice_below(&d, BOX_LAYOUTS), second);
        int capacity = capacities[dice_below(&d, 4)], depth = depths[dice_below(&d, 4)];
        const pqt_tree *a = tree_of(here->bounds, first, MANY, capacity, depth);
        if (dice_chance(&d, 50)) { /* otherwise the nodes of both are read in place */
            capacity = capacities[dice_below(&d, 4)];
            depth = depths[dice_below(&d, 4)];
        }
        const pqt_tree *b = tree_of(there->bounds, second, MANY, capacity, depth);
        for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
            pqt_pair_query query = {.relation = relation, .offset = draw_offset(&d, here->bounds)};
            check_within(first, a, relation, here->name);
            check_between(first, a, second, b, query, here->name);
        }
        close_arena();
        open_arena();
    }
}
END_TEST

typedef struct meeting {
    const pqt_item *must; /* the item that must be `a` in each pair */
    bool *met;
    size_t stop_after;
} meeting;

static bool
note_meeting(const pqt_item *a, const pqt_item *b, void *context)
{
    meeting *m = context;
    ck_assert(pqt_item_equals(*a, *m->must));
    ck_assert(!m->met[b->id]);
    m->met[b->id] = true;
    return true;
}

START_TEST(the_pairs_of_one_item_leave_out_the_item_itself)
{
    static pqt_item items[MANY];
    dice d = {test_seed("pairs of one item")};
    pqt_box bounds = {{0, 0}, {64, 64}};
    draw_items(&d, bounds, BOXES_GRID, items);
    const pqt_tree *tree = tree_of(bounds, items, MANY, 4, 24);
    for (size_t i = 0; i < MANY; i++) {
        for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
            bool met[MANY + 1] = {false};
            meeting m = {.must = &items[i], .met = met};
            ck_assert(pqt_pairs_visit_of(tree, items[i], &(pqt_pair_query){.relation = relation},
                                         note_meeting, &m));
            for (size_t k = 0; k < MANY; k++)
                ck_assert_int_eq(met[items[k].id],
                                 k != i && model_relates(items[i].box, items[k].box, relation));
        }
    }
}
END_TEST

START_TEST(with_unique_ids_an_item_pairs_with_its_old_box_but_not_with_itself)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    options.unique_ids = true;
    pqt_item items[] = {{{{0, 0}, {4, 4}}, 1}, {{{3, 3}, {6, 6}}, 2}};
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_of(items, 2, &options, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    bool met[3] = {false};
    pqt_item moved_item = {{{1, 1}, {5, 5}}, 1};
    meeting m = {.must = &moved_item, .met = met};
    ck_assert(pqt_pairs_visit_of(tree, moved_item, &(pqt_pair_query){.relation = PQT_TOUCHES},
                                 note_meeting, &m));
    ck_assert(met[1] && met[2]);
    met[1] = met[2] = false;
    m.must = &items[0];
    ck_assert(pqt_pairs_visit_of(tree, items[0], &(pqt_pair_query){.relation = PQT_TOUCHES},
                                 note_meeting, &m));
    ck_assert(!met[1] && met[2]);
}
END_TEST

static bool
refuse_even_sums(const pqt_item *a, const pqt_item *b, void *context)
{
    ++*(size_t *)context;
    return (a->id + b->id) % 2 == 1;
}

static bool
stop_at_third(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)a;
    (void)b;
    return ++*(size_t *)context < 3;
}

/* Four identical boxes, and a distant point. */
static const pqt_item heap[] = {{{{1, 1}, {2, 2}}, 1},
                                {{{1, 1}, {2, 2}}, 2},
                                {{{1, 1}, {2, 2}}, 3},
                                {{{1, 1}, {2, 2}}, 4},
                                {{{60, 60}, {60, 60}}, 5}};

START_TEST(a_filter_gets_pairs_that_relate_and_a_visitor_stops_the_search)
{
    const pqt_tree *tree = small_tree(heap, 5);
    size_t filtered = 0, visited = 0;
    pqt_pair_query query = {
        .relation = PQT_TOUCHES, .filter = refuse_even_sums, .context = &filtered};
    ck_assert_uint_eq(pqt_pairs_count(tree, NULL, &query), 4);
    ck_assert_uint_eq(filtered, 6);
    query = (pqt_pair_query){.relation = PQT_TOUCHES};
    ck_assert(!pqt_pairs_visit(tree, NULL, &query, stop_at_third, &visited));
    ck_assert_uint_eq(visited, 3);
    visited = 0;
    ck_assert(!pqt_pairs_visit_of(tree, heap[0], &query, stop_at_third, &visited));
    ck_assert_uint_eq(visited, 3);
}
END_TEST

/* The items of a leaf are tested in runs of 64. */
START_TEST(a_visitor_stops_the_search_in_a_leaf_of_more_than_one_run)
{
    enum { ALL = 150 };
    size_t visited = 0;
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    options.leaf_capacity = 2 * ALL;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    for (uint64_t id = 0; id < ALL; id++)
        tree = pqt_tree_insert(tree, (pqt_item){{{0.1 * (double)id, 0}, {20, 20}}, id}, &error);
    ck_assert_ptr_nonnull(tree);
    const pqt_pair_query query = {.relation = PQT_TOUCHES};
    ck_assert_uint_eq(pqt_pairs_count(tree, NULL, &query), ALL * (ALL - 1) / 2);
    ck_assert(!pqt_pairs_visit(tree, NULL, &query, stop_at_third, &visited));
    ck_assert_uint_eq(visited, 3);
}
END_TEST

START_TEST(collect_counts_all_pairs_even_beyond_its_capacity)
{
    pqt_pair pairs[2];
    const pqt_tree *tree = small_tree(heap, 5);
    pqt_pair_query query = {.relation = PQT_OVERLAPS};
    ck_assert_uint_eq(pqt_pairs_collect(tree, NULL, &query, pairs, 2), 6);
    ck_assert_uint_eq(pqt_pairs_collect(tree, NULL, &query, NULL, 0), 6);
    ck_assert_uint_ne(pairs[0].a.id, pairs[0].b.id);
}
END_TEST

START_TEST(an_invalid_offset_or_item_makes_no_pairs)
{
    const pqt_tree *tree = small_tree(heap, 5);
    size_t visited = 0;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        pqt_pair_query query = {.relation = PQT_TOUCHES, .offset = {bad[i], 0}};
        ck_assert_uint_eq(pqt_pairs_count(tree, tree, &query), 0);
        query.offset = (pqt_vec){0, bad[i]};
        ck_assert_uint_eq(pqt_pairs_count(tree, tree, &query), 0);
        pqt_item item = {{{bad[i], 0}, {3, 3}}, 9};
        ck_assert(pqt_pairs_visit_of(tree, item, &query, stop_at_third, &visited));
    }
    ck_assert_uint_eq(visited, 0);
}
END_TEST

START_TEST(pairs_between_a_version_and_itself_include_each_item_with_itself)
{
    const pqt_tree *tree = small_tree(heap, 5);
    pqt_pair_query query = {.relation = PQT_TOUCHES};
    ck_assert_uint_eq(pqt_pairs_count(tree, tree, &query), 17);
    ck_assert_uint_eq(pqt_pairs_count(tree, pqt_tree_clear(tree, NULL), &query), 0);
}
END_TEST

START_TEST(the_order_of_pairs_does_not_depend_on_the_history_of_a_version)
{
    static pqt_item items[MANY];
    static pqt_pair again[ROOM];
    dice d = {7};
    pqt_box bounds = {{0, 0}, {64, 64}};
    pqt_error error = {0};
    draw_items(&d, bounds, BOXES_LARGE, items);
    const pqt_tree *bulk = tree_of(bounds, items, MANY, 4, 24);
    const pqt_tree *single = tree_of(bounds, NULL, 0, 4, 24);
    for (size_t i = MANY; i-- > 0;)
        single = pqt_tree_insert(single, items[i], &error);
    pqt_pair_query query = {.relation = PQT_OVERLAPS};
    size_t count = pqt_pairs_collect(bulk, NULL, &query, found, ROOM);
    ck_assert_uint_eq(pqt_pairs_collect(single, NULL, &query, again, ROOM), count);
    ck_assert(count > 0 && memcmp(found, again, count * sizeof *found) == 0);
}
END_TEST

START_TEST(pairs_among_many_uniform_items_take_few_tests)
{
    enum { SPREAD = 100000 };
    pqt_item *items = malloc(SPREAD * sizeof *items);
    dice d = {42};
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < SPREAD; i++) {
        pqt_vec min = {dice_real(&d) * 10000, dice_real(&d) * 10000};
        items[i] = (pqt_item){{min, {min.x + dice_real(&d) * 31, min.y + dice_real(&d) * 31}}, i};
    }
    const pqt_tree *tree = tree_of((pqt_box){{0, 0}, {10000, 10000}}, items, SPREAD, 24, 24);
    pqt_query_stats stats = {0};
    pqt_pair_query query = {.relation = PQT_TOUCHES, .stats = &stats};
    size_t count = pqt_pairs_count(tree, NULL, &query);
    ck_assert_uint_gt(count, 40000);
    ck_assert_uint_lt(stats.boxes, 15 * SPREAD);
    ck_assert_uint_lt(stats.nodes, SPREAD);
    free(items);
}
END_TEST

/* Returns a tree of small boxes in a square of side 100, which is next to the bounds (0, 0, 100,
 * 100) or inside them. */
static const pqt_tree *
tree_beside(dice *d, int column, int row, pqt_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pqt_vec min = {150 * column + dice_real(d) * 100, 150 * row + dice_real(d) * 100};
        items[i] = (pqt_item){{min, {min.x + dice_real(d) * 1.5, min.y + dice_real(d) * 1.5}}, i};
    }
    return tree_of((pqt_box){{0, 0}, {100, 100}}, items, count, 24, 24);
}

/* Outside the bounds, columns hardly separate items, and beyond the corners they do not separate
 * them at all. */
START_TEST(pairs_among_many_items_outside_the_bounds_take_few_tests)
{
    enum { BESIDE = 8000 };
    static pqt_item first[BESIDE], second[BESIDE];
    dice d = {43};
    for (int side = 0; side < 9; side++) {
        int column = side % 3 - 1, row = side / 3 - 1;
        pqt_query_stats stats = {0};
        pqt_pair_query query = {.relation = PQT_TOUCHES, .stats = &stats};
        const pqt_tree *a = tree_beside(&d, column, row, first, BESIDE);
        const pqt_tree *b = tree_beside(&d, -column, -row, second, BESIDE);
        ck_assert_uint_gt(pqt_pairs_count(a, NULL, &query), BESIDE / 2);
        query.offset = (pqt_vec){300 * column, 300 * row};
        ck_assert_uint_gt(pqt_pairs_count(a, b, &query), BESIDE / 2);
        ck_assert_msg(stats.boxes < 60 * BESIDE, "side %d: %" PRIu64 " tests", side, stats.boxes);
    }
}
END_TEST

START_TEST(pairs_without_a_valid_relation_stop_the_program)
{
    pqt_pairs_count(small_tree(heap, 5), NULL, &(pqt_pair_query){.relation = 0});
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("pairs");
    TCase *tcase = tcase_create("pairs");
    tcase_add_checked_fixture(tcase, open_arena, close_arena);
    tcase_add_test(tcase, pairs_equal_those_of_a_plain_array);
    tcase_add_test(tcase, the_pairs_of_one_item_leave_out_the_item_itself);
    tcase_add_test(tcase, with_unique_ids_an_item_pairs_with_its_old_box_but_not_with_itself);
    tcase_add_test(tcase, a_filter_gets_pairs_that_relate_and_a_visitor_stops_the_search);
    tcase_add_test(tcase, a_visitor_stops_the_search_in_a_leaf_of_more_than_one_run);
    tcase_add_test(tcase, collect_counts_all_pairs_even_beyond_its_capacity);
    tcase_add_test(tcase, an_invalid_offset_or_item_makes_no_pairs);
    tcase_add_test(tcase, pairs_between_a_version_and_itself_include_each_item_with_itself);
    tcase_add_test(tcase, the_order_of_pairs_does_not_depend_on_the_history_of_a_version);
    tcase_add_test(tcase, pairs_among_many_uniform_items_take_few_tests);
    tcase_add_test(tcase, pairs_among_many_items_outside_the_bounds_take_few_tests);
    tcase_add_misuse_test(tcase, pairs_without_a_valid_relation_stop_the_program);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
