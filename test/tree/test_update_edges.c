/* SPDX-License-Identifier: MIT */
/* test_update_edges.c: tests edits at the limits of capacity, depth, numbers, and the size of a
 * tree. */
#include "config.h"

#include <float.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* ---- Small and large trees ---- */

/* Makes items of all kinds: on midlines, corners and edges, without extent, large, outliers, and
 * with equal hashes. */
static size_t
all_kinds(pqt_item *items)
{
    size_t count = 0;
    for (int x = -1; x <= 9; x++) {
        for (int y = -1; y <= 9; y++) {
            items[count] = dot(2 * x, 2 * y, count);
            count++;
            items[count] = boxed(box(2 * x, 2 * y, 2 * x + 1 + (x & 3), 2 * y + (y & 7)), count);
            count++;
        }
    }
    for (size_t i = 0; i < 20; i++)
        items[count++] = twin(i);
    items[count++] = boxed(box(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX), 7);
    items[count++] = boxed(box(0, 8, 16, 8), 7);
    items[count++] = boxed(box(8, 0, 8, 16), 7);
    return count;
}

START_TEST(every_capacity_and_depth_holds_every_kind_of_item)
{
    static const int capacities[] = {1, 2, 24, PQT_MAX_CAPACITY};
    static const int depths[] = {0, 1, 5, 20, 21, 22, PQT_MAX_DEPTH};
    pqt_item items[300];
    size_t count = all_kinds(items);
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        for (size_t j = 0; j < sizeof depths / sizeof *depths; j++) {
            const pqt_tree *empty = made(world_box, options_of(capacities[i], depths[j]));
            const pqt_tree *tree = with_items(empty, items, count);
            expect_items(tree, items, count);
            for (size_t k = 0; k < count; k++) {
                ck_assert_ptr_eq(inserted(tree, items[k]), tree);
                tree = removed(tree, items[k]);
            }
            expect_equal(tree, empty);
        }
    }
}
END_TEST

typedef struct extreme_world {
    const char *name;
    pqt_box bounds;
} extreme_world;

static const extreme_world extreme_worlds[] = {
    {"a point", {{3, 3}, {3, 3}}},
    {"the point 0, 0", {{0, 0}, {0, 0}}},
    {"a horizontal line", {{-4, 2}, {12, 2}}},
    {"a vertical line", {{2, -4}, {2, 12}}},
    {"one denormal wide", {{0, 0}, {TINIEST, TINIEST}}},
    {"a few denormals wide", {{-7 * TINIEST, -2 * TINIEST}, {9 * TINIEST, 6 * TINIEST}}},
    {"1e300 wide", {{-1e300, -1e300}, {1e300, 1e300}}},
    {"all doubles", {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}}},
    {"far away", {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}}},
    {"an ulp wide", {{1, 1}, {1 + DBL_EPSILON, 1 + DBL_EPSILON}}},
};

/* Returns a value on an axis: one of its ends, its middle or a quarter, a neighbour of these, or a
 * value outside. */
static double
value_on(double low, double high, int which)
{
    double quarter = low / 4 + (high / 4 - low / 4);
    const double values[] = {low,
                             high,
                             low / 2 + high / 2,
                             3 * (low / 4) + high / 4,
                             quarter,
                             nextafter(low, high),
                             nextafter(high, low),
                             nextafter(low, -INFINITY),
                             low / 2};
    return values[which] < -DBL_MAX ? -DBL_MAX : values[which];
}

START_TEST(trees_with_extreme_bounds_hold_their_items)
{
    enum { VALUES = 9 };
    const extreme_world *world = &extreme_worlds[_i];
    pqt_item items[2 * VALUES * VALUES];
    size_t count = 0;
    for (int i = 0; i < VALUES * VALUES; i++) {
        double x = value_on(world->bounds.min.x, world->bounds.max.x, i % VALUES);
        double y = value_on(world->bounds.min.y, world->bounds.max.y, i / VALUES);
        double to_x = x > world->bounds.max.x ? x : world->bounds.max.x;
        double to_y = y > world->bounds.max.y ? y : world->bounds.max.y;
        items[count] = dot(x, y, count);
        count++;
        items[count] = boxed(box(x, y, to_x, to_y), count);
        count++;
    }
    const pqt_tree *empty = made(world->bounds, options_of(2, PQT_MAX_DEPTH));
    const pqt_tree *tree = with_items(empty, items, count);
    expect_items(tree, items, count);
    for (size_t i = 0; i < count; i++) {
        pqt_item found[2 * VALUES * VALUES];
        size_t hits = pqt_tree_collect(tree, (pqt_query[]){query_of(items[i].box, PQT_TOUCHES)},
                                       found, count);
        size_t expected = 0;
        for (size_t j = 0; j < count; j++)
            expected += pqt_box_touches(items[j].box, items[i].box);
        ck_assert_uint_eq(hits, expected);
    }
    for (size_t i = 0; i < count; i++) {
        const pqt_tree *next = removed(tree, items[i]);
        ck_assert_ptr_ne(next, tree);
        tree = next;
    }
    expect_equal(tree, empty);
}
END_TEST

/* Among many items of one kind, an edit copies less than 8 kB. */
START_TEST(no_cluster_makes_an_edit_expensive)
{
    size_t count = test_scaled(100000);
    pqt_item *items = calloc(count, sizeof *items);
    pqt_error error = {0};
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < count; i++) {
        const pqt_box crowds[] = {point(3, 3), box(5, 0, 5, 16), world_box, box(-9, -9, 30, 30),
                                  point(40 + (double)i, 40)};
        items[i] = boxed(crowds[_i], i);
    }
    const pqt_tree *tree = must(pqt_tree_insert_all(small_tree(24), items, count, &error), &error);
    pqt_item new = boxed(items[count / 2].box, count + 1);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    inserted(tree, new);
    ck_assert_uint_lt(hooks_kept_bytes(&watch), 8000);
    hooks_start(&watch);
    removed(tree, items[count / 2]);
    ck_assert_uint_lt(hooks_kept_bytes(&watch), 8000);
    hooks_start(&watch);
    moved(tree, items[count / 2], point(1, 1));
    ck_assert_uint_lt(hooks_kept_bytes(&watch), 8000);
    hooks_stop();
    free(items);
}
END_TEST

/*
 * Whether a move inserts its item depends only on the presence of the removed item. It depends
 * neither on the tree order of the two items, nor on whether they are in a leaf or below a node
 * that becomes one.
 */
START_TEST(moves_at_every_count_depend_on_the_items_present)
{
    static const int capacities[] = {1, 2, 24, 63, 64, 65, 66, 100};
    dice d = {test_seed("moves_at_every_count_depend_on_the_items_present")};
    const int capacity = capacities[_i];
    const pqt_tree *tree = small_tree(capacity);
    pqt_item items[2 * 100 + 5];
    for (size_t count = 0; count < 2 * (size_t)capacity + 5; count++) {
        for (int i = 0; i < 8; i++) {
            pqt_item absent = dot(dice_real(&d) * 16, dice_real(&d) * 16, 1000 + count);
            pqt_box to = point(dice_real(&d) * 16, dice_real(&d) * 16);
            ck_assert_ptr_eq(moved(tree, absent, to), tree);
            if (count == 0)
                continue;
            const pqt_item there = items[dice_below(&d, count)];
            const pqt_tree *next = moved(tree, there, to);
            ck_assert_uint_eq(pqt_tree_count(next), count);
            expect_equal(next, inserted(removed(tree, there), boxed(to, there.id)));
        }
        items[count] = dot(dice_real(&d) * 16, dice_real(&d) * 16, count);
        tree = inserted(tree, items[count]);
    }
}
END_TEST

/* ---- Limits ---- */

/* Returns a version whose count is set to the largest possible one. Such a version would be too
 * large to build. */
static const pqt_tree *
full_tree(bool unique)
{
    const pqt_tree *tree = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
    pqt_tree *full = malloc(sizeof *full);
    ck_assert_ptr_nonnull(full);
    tree = inserted(tree, boxed(box(-9, -9, 30, 30), 70)); /* the root has own items */
    *full = *tree;
    full->count = PQT_MAX_ITEMS;
    return full;
}

static void
free_full_tree(const pqt_tree *full)
{
    free((void *)(uintptr_t)full);
}

START_TEST(a_full_tree_refuses_more_items)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *full = full_tree(unique != 0);
        pqt_item items[] = {dot(1, 1, 91), dot(2, 2, 92), dot(3, 3, 93), dot(4, 4, 94),
                            dot(5, 5, 95)};
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_insert(full, items[0], &error));
        expect_failure(&error, PQT_ERROR_LIMIT, 0,
                       "536870911 items and 1 more exceed the limit of 536870911");
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_insert_all(full, items, 5, &error));
        expect_failure(&error, PQT_ERROR_LIMIT, 0,
                       "536870911 items and 5 more exceed the limit of 536870911");
        ck_assert_ptr_null(pqt_tree_insert(full, items[0], NULL));
        free_full_tree(full);
    }
}
END_TEST

#ifndef PQT_DEBUG
START_TEST(a_full_tree_can_be_changed_where_nothing_is_added)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *full = full_tree(unique != 0);
        pqt_change move = moving(dot_of_grid(4, 3), point(3, 3));
        pqt_item here = dot_of_grid(4, 3), there = dot(3, 3, 3);
        const pqt_tree *nexts[] = {
            moved(full, here, there.box),
            applied(full, &move, 1),
            removed(full, here),
            unique ? inserted(full, there) : moved(full, here, there.box),
        };
        for (size_t i = 0; i < 4; i++) {
            ck_assert(!pqt_tree_contains(nexts[i], here));
            ck_assert(i == 2 || pqt_tree_contains(nexts[i], there));
            ck_assert_uint_eq(pqt_tree_count(nexts[i]), PQT_MAX_ITEMS - (i == 2 ? 1u : 0u));
        }
        free_full_tree(full);
    }
}
END_TEST
#endif

START_TEST(more_changes_than_can_be_counted_are_refused)
{
    pqt_item item = dot(1, 1, 1);
    pqt_error error = {0};
    size_t too_many = (size_t)PQT_MAX_ITEMS + 1;
    ck_assert_ptr_null(pqt_tree_insert_all(small_tree(2), &item, too_many, &error));
    expect_failure(&error, PQT_ERROR_LIMIT, 0,
                   "536870912 items or changes in one call exceed the limit of 536870911");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_remove_all(unique_tree(2), &item, too_many, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
}
END_TEST

static void
add_edges(Suite *suite)
{
    TCase *tests = add_tests(suite, "edges");
    tcase_add_test(tests, every_capacity_and_depth_holds_every_kind_of_item);
    tcase_add_loop_test(tests, trees_with_extreme_bounds_hold_their_items, 0,
                        (int)(sizeof extreme_worlds / sizeof *extreme_worlds));
    tcase_add_loop_test(tests, no_cluster_makes_an_edit_expensive, 0, 5);
    tcase_add_loop_test(tests, moves_at_every_count_depend_on_the_items_present, 0, 8);
    tcase_add_test(tests, a_full_tree_refuses_more_items);
#ifndef PQT_DEBUG /* its assertions would detect that the count of full_tree is wrong */
    tcase_add_test(tests, a_full_tree_can_be_changed_where_nothing_is_added);
#endif
    tcase_add_test(tests, more_changes_than_can_be_counted_are_refused);
}

int
main(void)
{
    Suite *suite = suite_create("update_edges");
    add_edges(suite);
    return run_suite(suite);
}
