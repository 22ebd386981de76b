/* SPDX-License-Identifier: MIT */
/* test_cells.c: tests the cells of a version: their boxes, kinds, depths, counts and order. */
#include "config.h"

#include <float.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "suite.h"
#include "tree_support.h"

enum { MOST_CELLS = 8192 };

typedef struct cell_list {
    pqt_cell cells[MOST_CELLS];
    size_t count;
} cell_list;

static bool
list_cell(const pqt_cell *cell, void *context)
{
    cell_list *list = context;
    require(list->count < MOST_CELLS, "more cells than the list holds");
    list->cells[list->count++] = *cell;
    return true;
}

/* Returns the cells of a tree in a static list, because the list is large. */
static const cell_list *
cells_of(const pqt_tree *tree)
{
    static cell_list list;
    list.count = 0;
    ck_assert(pqt_tree_visit_cells(tree, list_cell, &list));
    return &list;
}

static void
expect_cells(const pqt_tree *tree, const pqt_cell *cells, size_t count)
{
    const cell_list *list = cells_of(tree);
    ck_assert_uint_eq(list->count, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert(same_bits(boxed(list->cells[i].box, 0), boxed(cells[i].box, 0)));
        ck_assert_int_eq(list->cells[i].kind, cells[i].kind);
        ck_assert_int_eq(list->cells[i].depth, cells[i].depth);
        ck_assert_uint_eq(list->cells[i].count, cells[i].count);
    }
}

/* ---- By hand ---- */

START_TEST(an_empty_version_has_no_cells)
{
    expect_cells(small_tree(2), NULL, 0);
    expect_cells(removed(inserted(small_tree(2), dot(1, 1, 1)), dot(1, 1, 1)), NULL, 0);
}
END_TEST

START_TEST(few_items_make_one_cell)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(99, 9, 2)}, 2);
    pqt_cell cells[] = {{world_box, PQT_CELL_LEAF, 0, 2, NULL}};
    expect_cells(tree, cells, 1);
}
END_TEST

START_TEST(quadrants_follow_their_cell_in_z_order)
{
    pqt_cell cells[] = {
        {world_box, PQT_CELL_INNER, 0, 4, NULL},
        {box(0, 0, 8, 8), PQT_CELL_LEAF, 1, 1, NULL},
        {box(8, 0, 16, 8), PQT_CELL_LEAF, 1, 1, NULL},
        {box(0, 8, 8, 16), PQT_CELL_LEAF, 1, 1, NULL},
        {box(8, 8, 16, 16), PQT_CELL_LEAF, 1, 1, NULL},
    };
    expect_cells(with_grid(small_tree(1), 2), cells, 5);
    expect_cells(with_grid(small_tree(3), 2), cells, 5);
}
END_TEST

START_TEST(empty_quadrants_are_left_out)
{
    pqt_item items[] = {dot(1, 1, 1), dot(15, 9, 2), dot(9, 9, 3)};
    pqt_cell cells[] = {
        {world_box, PQT_CELL_INNER, 0, 3, NULL},
        {box(0, 0, 8, 8), PQT_CELL_LEAF, 1, 1, NULL},
        {box(8, 8, 16, 16), PQT_CELL_INNER, 1, 2, NULL},
        {box(8, 8, 12, 12), PQT_CELL_LEAF, 2, 1, NULL},
        {box(12, 8, 16, 12), PQT_CELL_LEAF, 2, 1, NULL},
    };
    expect_cells(with_items(small_tree(1), items, 3), cells, 5);
}
END_TEST

/* The own items precede the quadrants. They are one cell, even if they are divided. */
START_TEST(own_items_are_one_cell_before_the_quadrants)
{
    pqt_item items[] = {
        boxed(box(-1, -1, 17, 17), 1), dot(-5, 99, 2), dot(1, 1, 3), dot(400, 400, 4),
        boxed(box(0, 0, 16, 16), 5),   dot(15, 15, 6)};
    pqt_cell cells[] = {
        {world_box, PQT_CELL_INNER, 0, 6, NULL},
        {world_box, PQT_CELL_OWN_ITEMS, 0, 3, NULL},
        {box(0, 0, 8, 8), PQT_CELL_LEAF, 1, 1, NULL},
        {box(8, 8, 16, 16), PQT_CELL_INNER, 1, 2, NULL},
        {box(8, 8, 16, 16), PQT_CELL_OWN_ITEMS, 1, 1, NULL},
        {box(12, 12, 16, 16), PQT_CELL_LEAF, 2, 1, NULL},
    };
    expect_cells(with_items(small_tree(1), items, 6), cells, 6);
}
END_TEST

START_TEST(a_cell_may_have_only_own_items)
{
    pqt_cell cells[] = {{world_box, PQT_CELL_INNER, 0, 4, NULL},
                        {world_box, PQT_CELL_OWN_ITEMS, 0, 4, NULL}};
    expect_cells(with_grid(made(world_box, options_of(1, 0)), 2), cells, 2);
    pqt_item twins[] = {twin(1), twin(2), twin(3), twin(4)};
    expect_cells(with_items(small_tree(1), twins, 4), cells, 2);
}
END_TEST

START_TEST(cells_end_at_the_maximal_depth)
{
    const pqt_tree *tree = made(box(0, 0, 0x1p32, 0x1p32), options_of(1, PQT_MAX_DEPTH));
    tree = with_items(tree, (pqt_item[]){dot(3.25, 7.25, 1), dot(3.5, 7.5, 2)}, 2);
    const cell_list *list = cells_of(tree);
    ck_assert_uint_eq(list->count, 2); /* a cell that has all items in one quadrant is not stored */
    ck_assert_int_eq(list->cells[0].depth, PQT_MAX_DEPTH);
    ck_assert_int_eq(list->cells[0].kind, PQT_CELL_INNER);
    pqt_cell last = list->cells[1];
    ck_assert_int_eq(last.kind, PQT_CELL_OWN_ITEMS);
    ck_assert_int_eq(last.depth, PQT_MAX_DEPTH);
    ck_assert(same_bits(boxed(last.box, 0), boxed(box(3, 7, 4, 8), 0)));
}
END_TEST

/* ---- Stopping ---- */

typedef struct stopper {
    size_t at, calls;
} stopper;

static bool
stop_at_cell(const pqt_cell *cell, void *context)
{
    stopper *s = context;
    require(cell->count > 0, "a cell holds nothing");
    return ++s->calls != s->at;
}

START_TEST(a_visitor_that_returns_false_is_not_called_again)
{
    const pqt_tree *tree = inserted(with_grid(small_tree(2), 4), boxed(box(-9, -9, 99, 99), 5));
    size_t count = cells_of(tree)->count;
    for (size_t at = 1; at <= count; at++) {
        stopper s = {.at = at};
        ck_assert(!pqt_tree_visit_cells(tree, stop_at_cell, &s));
        ck_assert_uint_eq(s.calls, at);
    }
    stopper s = {.at = count + 1};
    ck_assert(pqt_tree_visit_cells(tree, stop_at_cell, &s));
    ck_assert_uint_eq(s.calls, count);
}
END_TEST

START_TEST(a_null_visitor_stops_the_program)
{
    pqt_tree_visit_cells(_i == 0 ? small_tree(1) : NULL, _i == 0 ? NULL : stop_at_cell, NULL);
}
END_TEST

/* ---- Shared cells ---- */

static bool
has_block(const cell_list *list, const void *block)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->cells[i].block == block)
            return true;
    return false;
}

START_TEST(versions_share_the_cells_off_the_copied_path)
{
    const pqt_tree *before = with_grid(small_tree(2), 8);
    const pqt_vec at = {3.3, 9.1};
    const pqt_tree *after = inserted(before, dot(at.x, at.y, 1000));
    static cell_list old;
    old = *cells_of(before);
    const cell_list *list = cells_of(after);
    size_t copied = 0;
    for (size_t i = 0; i < list->count; i++) {
        const pqt_cell *cell = &list->cells[i];
        const bool is_on_path = pqt_box_contains(cell->box, at);
        ck_assert_int_eq(has_block(&old, cell->block), !is_on_path);
        copied += is_on_path;
    }
    ck_assert_uint_ge(copied, 3);
    ck_assert_uint_lt(copied, list->count / 4);
}
END_TEST

START_TEST(each_cell_of_a_version_has_a_block_of_its_own)
{
    const pqt_tree *tree = inserted(with_grid(small_tree(2), 8), boxed(box(-9, -9, 99, 99), 5));
    const cell_list *list = cells_of(tree);
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_ptr_ne(list->cells[i].block, list->cells[j].block);
}
END_TEST

/* ---- All kinds of bounds ---- */

typedef struct cell_world {
    const char *name;
    pqt_box bounds;
} cell_world;

static const cell_world cell_worlds[] = {
    {"16 x 16", {{0, 0}, {16, 16}}},
    {"thirds", {{-1.0 / 3, 0.1}, {1.0 / 7, 0.7}}},
    {"a point", {{0.7, 0.3}, {0.7, 0.3}}},
    {"a vertical line", {{0.1, 0}, {0.1, 1}}},
    {"a horizontal line", {{-1.0 / 3, 0.7}, {0.1, 0.7}}},
    {"one ulp", {{1, 1}, {1 + DBL_EPSILON, 1 + 2 * DBL_EPSILON}}},
    {"two ulps", {{0.1, 0.1}, {0x1.999999999999cp-4, 0.3}}},
    {"an odd number of ulps", {{0.7, 0x1.6666666666661p-1}, {0x1.666666666666bp-1, 0.7}}},
    {"one denormal", {{0, -TINIEST}, {TINIEST, 0}}},
    {"odd denormals", {{-0x1p-1070, 3 * TINIEST}, {0x1p-1070, 5 * TINIEST}}},
    {"across the smallest normal", {{DBL_MIN - TINIEST, DBL_MIN}, {DBL_MIN, DBL_MIN + TINIEST}}},
    {"1e300", {{-1e300, 0}, {1e300, 1e300}}},
    {"all doubles", {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}}},
    {"far away", {{5e6 + .1, 1.7e9 + .1}, {5e6 + 100.1, 1.7e9 + 3600}}},
    {"the largest", {{DBL_MAX / 2, 0x1.ffffffffffffep1023}, {DBL_MAX, DBL_MAX}}},
};

#define CELL_WORLDS (sizeof cell_worlds / sizeof *cell_worlds)

/* Returns a tree with cells of each depth along two diagonals and at the ends of the axes. */
static const pqt_tree *
tree_in(pqt_box bounds, int depth)
{
    const pqt_tree *tree = made(bounds, options_of(1, depth));
    pqt_vec half = {bounds.max.x / 2 - bounds.min.x / 2, bounds.max.y / 2 - bounds.min.y / 2};
    for (uint64_t i = 0; i < 80; i++) {
        double x = ldexp(half.x, -(int)(i / 2)), y = ldexp(half.y, -(int)(i / 2));
        pqt_box at = point(i % 2 == 0 ? bounds.min.x + x : bounds.max.x - x,
                           i % 4 < 2 ? bounds.min.y + y : bounds.max.y - y);
        tree = inserted(tree, boxed(at, i));
    }
    return tree;
}

/* Expects that each cell of a list is valid and inside its parent cell. If the parent is the next
   larger cell, the cell must be in one of its corners. */
static void
expect_tiling(const cell_list *list, pqt_box bounds)
{
    const pqt_cell *way[PQT_MAX_DEPTH + 2];
    size_t length = 0;
    for (size_t i = 0; i < list->count; i++) {
        const pqt_cell *cell = &list->cells[i];
        require(cell->depth >= 0 && cell->depth <= PQT_MAX_DEPTH, "too deep");
        require(pqt_box_is_valid(cell->box), "the box of a cell is not valid");
        require(pqt_box_is_inside(cell->box, bounds), "a cell leaves the bounds");
        if (cell->depth == 0)
            require(same_bits(boxed(cell->box, 0), boxed(bounds, 0)), "the first is the bounds");
        if (cell->kind == PQT_CELL_OWN_ITEMS) {
            require(same_bits(boxed(cell->box, 0), boxed(way[length - 1]->box, 0)),
                    "own items have the box of their cell");
            continue;
        }
        while (length > 0 && (way[length - 1]->depth >= cell->depth ||
                              !pqt_box_is_inside(cell->box, way[length - 1]->box)))
            length--;
        require((length == 0) == (i == 0), "a quarter leaves its cell");
        way[length++] = cell;
        if (length == 1)
            continue;
        pqt_box around = way[length - 2]->box;
        if (way[length - 2]->depth < cell->depth - 1)
            continue;
        require(cell->box.min.x == around.min.x || cell->box.max.x == around.max.x, "no corner");
        require(cell->box.min.y == around.min.y || cell->box.max.y == around.max.y, "no corner");
    }
}

/* If the grid lines were out of order, boxes would have min > max or exceed the bounds. */
START_TEST(cells_are_nested_quadrants_at_every_scale)
{
    pqt_box bounds = cell_worlds[_i].bounds;
    for (int depth = 0; depth <= PQT_MAX_DEPTH; depth += 8) {
        const cell_list *list = cells_of(tree_in(bounds, depth));
        ck_assert_uint_gt(list->count, 0);
        expect_tiling(list, pqt_tree_bounds(tree_in(bounds, depth)));
    }
}
END_TEST

/* No cell of such bounds is divided, at any depth and for any position of the point. */
START_TEST(cells_of_bounds_without_extent_are_the_bounds)
{
    for (uint64_t i = 0; i < 2000; i++) {
        double low = (double)(i * 2654435761u % 1000003) / 1000003;
        const pqt_tree *tree = made(point(low, -low), options_of(1, 6));
        tree = with_items(tree, (pqt_item[]){dot(low, -low, 1), dot(low, -low, 2)}, 2);
        const cell_list *list = cells_of(tree);
        for (size_t j = 0; j < list->count; j++)
            require(same_bits(boxed(list->cells[j].box, 0), boxed(point(low, 0.0 - low), 0)),
                    "a cell is not the point of the bounds");
    }
}
END_TEST

START_TEST(cells_of_narrow_bounds_are_within_them)
{
    for (uint64_t i = 1; i < 1000; i++) {
        double low = (double)(i * 2654435761u % 1000003) / 1000003, high = low;
        for (uint64_t ulps = 0; ulps <= i % 9; ulps++)
            high = nextafter(high, 1);
        const pqt_tree *tree = made(box(low, low, high, high), options_of(1, 7));
        pqt_item items[] = {dot(low, low, 1),   dot(low, low, 2),  dot(high, high, 1),
                            dot(high, high, 2), dot(high, low, 1), dot(high, low, 2),
                            dot(low, high, 1),  dot(low, high, 2)};
        expect_tiling(cells_of(with_items(tree, items, 8)), box(low, low, high, high));
    }
}
END_TEST

/* If the grid is exact, each point belongs to the leaf whose box contains it. */
START_TEST(leaves_hold_the_points_in_their_boxes)
{
    for (int capacity = 1; capacity <= 16; capacity *= 2) {
        const pqt_tree *tree = with_grid(small_tree(capacity), 32);
        const cell_list *list = cells_of(tree);
        size_t leaves = 0, held = 0;
        for (size_t i = 0; i < list->count; i++) {
            const pqt_cell *cell = &list->cells[i];
            ck_assert_uint_eq(
                pqt_tree_count_in(tree, (pqt_query[]){query_of(cell->box, PQT_INSIDE)}),
                cell->count);
            ck_assert((cell->kind == PQT_CELL_LEAF) == (cell->count <= (size_t)capacity));
            leaves += cell->kind == PQT_CELL_LEAF;
            held += cell->kind == PQT_CELL_LEAF ? cell->count : 0;
        }
        ck_assert_uint_eq(held, 1024);
        ck_assert_uint_eq(leaves, pqt_tree_get_stats(tree).leaves);
        ck_assert_uint_eq(list->count - leaves, pqt_tree_get_stats(tree).nodes);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("cells");
    TCase *hand = add_tests(suite, "by hand");
    tcase_add_test(hand, an_empty_version_has_no_cells);
    tcase_add_test(hand, few_items_make_one_cell);
    tcase_add_test(hand, quadrants_follow_their_cell_in_z_order);
    tcase_add_test(hand, empty_quadrants_are_left_out);
    tcase_add_test(hand, own_items_are_one_cell_before_the_quadrants);
    tcase_add_test(hand, a_cell_may_have_only_own_items);
    tcase_add_test(hand, cells_end_at_the_maximal_depth);
    tcase_add_test(hand, a_visitor_that_returns_false_is_not_called_again);
    tcase_add_misuse_tests(hand, a_null_visitor_stops_the_program, 2);
    tcase_add_test(hand, versions_share_the_cells_off_the_copied_path);
    tcase_add_test(hand, each_cell_of_a_version_has_a_block_of_its_own);
    TCase *worlds = add_tests(suite, "worlds");
    tcase_add_loop_test(worlds, cells_are_nested_quadrants_at_every_scale, 0, (int)CELL_WORLDS);
    tcase_add_test(worlds, cells_of_bounds_without_extent_are_the_bounds);
    tcase_add_test(worlds, cells_of_narrow_bounds_are_within_them);
    tcase_add_test(worlds, leaves_hold_the_points_in_their_boxes);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
