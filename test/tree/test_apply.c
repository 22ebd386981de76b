/* SPDX-License-Identifier: MIT */
/* test_apply.c: tests that a batch has the same effect as its changes applied one by one. */
#include "config.h"

#include <pqt/tree.h>

#include "hooks.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* ---- insert_all ---- */

START_TEST(insert_all_equals_one_insert_after_another)
{
    pqt_item items[40];
    for (size_t i = 0; i < 40; i++)
        items[i] = i % 5 == 0 ? twin(i) : dot_of_grid(8, i % 7);
    pqt_error error = {0};
    const pqt_tree *start = with_grid(small_tree(2), 4);
    const pqt_tree *all = pqt_tree_insert_all(start, items, 40, &error);
    expect_equal(must(all, &error), with_items(start, items, 40));
    expect_sound(all);
}
END_TEST

START_TEST(inserting_nothing_returns_the_same_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    pqt_item known[] = {dot_of_grid(4, 0), dot_of_grid(4, 9), dot_of_grid(4, 0)};
    ck_assert_ptr_eq(pqt_tree_insert_all(tree, NULL, 0, NULL), tree);
    ck_assert_ptr_eq(pqt_tree_insert_all(tree, known, 3, NULL), tree);
    ck_assert_ptr_eq(pqt_tree_remove_all(tree, NULL, 0, NULL), tree);
}
END_TEST

START_TEST(insert_all_names_the_item_that_it_refuses)
{
    pqt_item items[20];
    pqt_error error = {0};
    for (size_t i = 0; i < 20; i++)
        items[i] = dot_of_grid(8, i);
    items[17].box = box(4, 0, 3, 1);
    items[19].box = box(0, NAN, 3, 1);
    const pqt_tree *trees[] = {small_tree(2), unique_tree(2)};
    for (size_t i = 0; i < 2; i++) {
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_insert_all(trees[i], items, 20, &error));
        expect_failure(&error, PQT_ERROR_BOX, 17, "item 17: box is inverted (x 4 > 3)");
        ck_assert_uint_eq(pqt_tree_count(trees[i]), 0);
    }
    items[3].box = point(16.5, 3);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_insert_all(strict_tree(), items, 20, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    ck_assert_uint_eq(error.index, 3);
}
END_TEST

/* ---- remove_all ---- */

START_TEST(remove_all_skips_absent_items)
{
    pqt_item gone[] = {dot_of_grid(4, 3), dot(1, 1, 99), dot_of_grid(4, 12), dot_of_grid(4, 3),
                       boxed(box(0, 0, NAN, 1), 3)};
    const pqt_tree *start = with_grid(small_tree(2), 4);
    pqt_error error = {0};
    const pqt_tree *tree = must(pqt_tree_remove_all(start, gone, 5, &error), &error);
    ck_assert_uint_eq(pqt_tree_count(tree), 14);
    expect_equal(tree, removed(removed(start, gone[0]), gone[2]));
    expect_sound(tree);
}
END_TEST

START_TEST(removing_all_leaves_the_empty_tree)
{
    pqt_item items[30];
    pqt_error error = {0};
    for (size_t i = 0; i < 30; i++)
        items[i] = i % 3 == 0 ? twin(i) : i % 3 == 1 ? dot_of_grid(8, i) : dot(20, (double)i, i);
    const pqt_tree *empty = small_tree(1);
    const pqt_tree *full = with_items(empty, items, 30);
    const pqt_tree *none = must(pqt_tree_remove_all(full, items, 30, &error), &error);
    expect_equal(none, empty);
    ck_assert_ptr_null(none->root);
}
END_TEST

/* ---- apply ---- */

/* Applies a batch. Compares the result with the same changes made one by one, each by its own
   function. */
static const pqt_tree *
one_by_one(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    pqt_error error = {0};
    for (size_t i = 0; i < count; i++) {
        const pqt_change *c = &changes[i];
        switch (c->kind) {
        case PQT_INSERT:
            tree = pqt_tree_insert(tree, c->item, &error);
            break;
        case PQT_REMOVE:
            tree = pqt_tree_remove(tree, c->item, &error);
            break;
        case PQT_MOVE:
            tree = pqt_tree_move(tree, c->item, c->to, &error);
            break;
        case PQT_REMOVE_ID:
            tree = pqt_tree_remove_id(tree, c->item.id, &error);
            break;
        case PQT_MOVE_ID:
            tree = pqt_tree_move_id(tree, c->item.id, c->to, &error);
            break;
        }
    }
    return must(tree, &error);
}

static const pqt_tree *
expect_as_one_by_one(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    const pqt_tree *next = applied(tree, changes, count);
    expect_sound(next);
    expect_equal(next, one_by_one(tree, changes, count));
    return next;
}

START_TEST(apply_does_each_kind_of_change)
{
    const pqt_tree *tree = _i == 0 ? with_grid(unique_tree(2), 4) : crowded_grid(unique_tree(2));
    size_t count = pqt_tree_count(tree);
    pqt_change changes[] = {
        inserting(dot(1, 1, 100)),
        removing(dot_of_grid(4, 0)),
        moving(dot_of_grid(4, 1), point(3, 3)),
        removing_id(2),
        moving_id(3, point(4, 4)),
    };
    const pqt_tree *next = expect_as_one_by_one(tree, changes, 5);
    ck_assert_uint_eq(pqt_tree_count(next), count - 1);
    ck_assert(pqt_tree_contains(next, dot(1, 1, 100)));
    ck_assert(pqt_tree_contains(next, dot(3, 3, 1)));
    ck_assert(pqt_tree_contains(next, dot(4, 4, 3)));
    ck_assert(!pqt_tree_find(next, 0, NULL) && !pqt_tree_find(next, 2, NULL));
    ck_assert_uint_eq(pqt_tree_count(tree), count);
}
END_TEST

START_TEST(applying_nothing_returns_the_same_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    ck_assert_ptr_eq(pqt_tree_apply(tree, NULL, 0, NULL), tree);
    ck_assert_ptr_eq(applied(tree, &(pqt_change){.kind = PQT_INSERT}, 0), tree);
}
END_TEST

START_TEST(changes_that_undo_each_other_return_the_same_version)
{
    pqt_item known = dot_of_grid(4, 5), new = dot(3, 3, 99);
    pqt_change changes[] = {
        inserting(known),
        removing(new),
        inserting(new),
        moving(new, point(5, 5)),
        removing(dot(5, 5, 99)),
        moving(known, point(9, 9)),
        moving(dot(9, 9, known.id), known.box),
    };
    const pqt_tree *trees[] = {with_grid(small_tree(2), 4), with_grid(unique_tree(2), 4),
                               crowded_grid(small_tree(2)), crowded_grid(unique_tree(2))};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_ptr_eq(applied(trees[i], changes, 7), trees[i]);
        ck_assert_ptr_eq(applied(trees[i], changes, 2), trees[i]);
    }
}
END_TEST

/* If an id is inserted, moved and removed again, the version is the same as before. */
START_TEST(an_id_that_is_inserted_and_removed_leaves_the_same_version)
{
    pqt_change changes[] = {removing_id(99), inserting(dot(3, 3, 99)), moving_id(99, point(5, 5)),
                            inserting(dot(6, 6, 99)), removing_id(99)};
    const pqt_tree *trees[] = {unique_tree(2), with_grid(unique_tree(2), 4),
                               crowded_grid(unique_tree(2))};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_ptr_eq(applied(trees[i], changes, 5), trees[i]);
        ck_assert_ptr_eq(applied(trees[i], changes + 1, 4), trees[i]);
        ck_assert_ptr_eq(applied(trees[i], changes, 1), trees[i]);
    }
}
END_TEST

START_TEST(a_later_change_sees_the_earlier_ones)
{
    pqt_item a = dot_of_grid(4, 1), b = dot_of_grid(4, 2), new = dot(3, 3, 99);
    const pqt_box far = point(13, 13);
    const pqt_change chains[][4] = {
        {inserting(new), moving(new, far), moving(boxed(far, 99), point(1, 9)), inserting(new)},
        {removing(a), moving(a, far), inserting(a), moving(a, far)},
        {moving(a, far), removing(a), moving(a, point(1, 1)), removing(boxed(far, a.id))},
        {moving(a, far), moving(boxed(far, a.id), a.box), removing(a), removing(a)},
        {removing(a), inserting(a), removing(a), inserting(a)},
        {inserting(new), removing(new), inserting(new), inserting(new)},
        {moving(new, far), inserting(new), moving(a, new.box), moving(b, new.box)},
        {moving(a, b.box), moving(boxed(b.box, a.id), far), moving(b, a.box), removing(b)},
        {inserting(boxed(far, a.id)), moving(a, far), removing(boxed(far, a.id)), inserting(new)},
        {inserting(dot(0, 0, 50)), removing(dot(-0.0, 0, 50)), inserting(dot(0, -0.0, 51)),
         moving(dot(-0.0, -0.0, 51), point(-0.0, 1))},
    };
    const pqt_tree *trees[] = {
        with_grid(small_tree(1), 4), with_grid(unique_tree(1), 4), small_tree(1), unique_tree(1),
        crowded_grid(small_tree(3)), crowded_grid(unique_tree(3))};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (size_t j = 0; j < 6; j++)
            for (size_t length = 1; length <= 4; length++)
                expect_as_one_by_one(trees[j], chains[i], length);
}
END_TEST

START_TEST(a_later_change_by_id_sees_the_earlier_ones)
{
    pqt_item a = dot_of_grid(4, 1), b = dot_of_grid(4, 2);
    const pqt_box far = point(13, 13);
    const pqt_change chains[][4] = {
        {removing_id(1), moving_id(1, far), inserting(boxed(far, 1)), moving_id(1, a.box)},
        {moving_id(1, far), removing(a), removing(boxed(far, 1)), removing_id(1)},
        {inserting(boxed(far, 1)), removing(a), moving(boxed(far, 1), b.box), moving_id(1, a.box)},
        {inserting(dot(3, 3, 99)), moving_id(99, far), removing_id(99), moving_id(99, a.box)},
        {removing_id(1), removing_id(2), inserting(boxed(b.box, 1)), inserting(boxed(a.box, 2))},
        {moving_id(1, b.box), moving_id(2, a.box), moving_id(1, a.box), moving_id(2, b.box)},
        {moving(a, far), moving(boxed(far, 1), point(4, 5)), moving_id(1, far), removing(b)},
    };
    const pqt_tree *trees[] = {with_grid(unique_tree(1), 4), unique_tree(24),
                               crowded_grid(unique_tree(3))};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t length = 1; length <= 4; length++)
                expect_as_one_by_one(trees[j], chains[i], length);
}
END_TEST

/* The id alone is read for the two kinds of changes that name an item by its id, and `to` is read
   for moves only. */
START_TEST(unused_fields_of_a_change_are_not_read)
{
    const pqt_tree *tree = _i == 0 ? with_grid(unique_tree(2), 4) : crowded_grid(unique_tree(2));
    const pqt_box nonsense = box(NAN, 3, -INFINITY, 1);
    pqt_change changes[] = {inserting(dot(1, 1, 100)), removing(dot_of_grid(4, 0)), removing_id(2),
                            moving_id(3, point(4, 4))};
    changes[0].to = changes[1].to = changes[2].to = nonsense;
    changes[2].item.box = changes[3].item.box = nonsense;
    const pqt_tree *next = expect_as_one_by_one(tree, changes, 4);
    ck_assert(pqt_tree_contains(next, dot(4, 4, 3)) && !pqt_tree_find(next, 2, NULL));
}
END_TEST

START_TEST(removing_or_moving_an_invalid_item_does_nothing)
{
    const pqt_tree *trees[] = {with_grid(small_tree(2), 4), with_grid(unique_tree(2), 4)};
    const pqt_box bad[] = {box(NAN, 0, 1, 1), box(2, 0, 1, 1), box(0, 0, INFINITY, 1)};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            pqt_change changes[] = {removing(boxed(bad[i], 3)),
                                    moving(boxed(bad[i], 3), point(1, 1))};
            ck_assert_ptr_eq(applied(trees[j], changes, 2), trees[j]);
        }
}
END_TEST

/* Equal changes would share one slot of the table of changed items, and make its searches
 * linear. */
START_TEST(moving_one_invalid_item_many_times_does_nothing)
{
    enum { COUNT = 200000 };
    const pqt_tree *tree = with_grid(small_tree(4), 8);
    pqt_change *changes = malloc(COUNT * sizeof *changes);
    ck_assert_ptr_nonnull(changes);
    for (size_t i = 0; i < COUNT; i++)
        changes[i] = (pqt_change){PQT_MOVE, boxed(box(NAN, 0, 1, 1), 3), box(0, 0, 1, 1)};
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_tree_apply(tree, changes, COUNT, &error), tree);
    ck_assert_int_eq(error.status, PQT_OK);
    free(changes);
}
END_TEST

START_TEST(a_move_onto_an_item_that_moves_away_depends_on_their_order)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 7), dot(2, 2, 7)}, 2);
    const pqt_change first = {PQT_MOVE, dot(1, 1, 7), box(2, 2, 2, 2)};
    const pqt_change second = {PQT_MOVE, dot(2, 2, 7), box(3, 3, 3, 3)};
    expect_items(applied(tree, (pqt_change[]){first, second}, 2), (pqt_item[]){dot(3, 3, 7)}, 1);
    expect_items(applied(tree, (pqt_change[]){second, first}, 2),
                 (pqt_item[]){dot(2, 2, 7), dot(3, 3, 7)}, 2);
}
END_TEST

START_TEST(a_bad_change_is_named_and_nothing_is_done)
{
    pqt_tree_options options = options_of(2, 24);
    options.strict_bounds = options.unique_ids = true;
    const pqt_tree *empty = made(world_box, options);
    const pqt_tree *tree = _i == 0 ? with_grid(empty, 4) : crowded_grid(empty);
    const pqt_box inside_out = box(4, 0, 3, 1), outside = point(0, 17);
    struct {
        pqt_change change;
        pqt_status status;
    } bad[] = {
        {inserting(boxed(inside_out, 3)), PQT_ERROR_BOX},
        {moving(dot_of_grid(4, 3), inside_out), PQT_ERROR_BOX},
        {moving(dot(1, 1, 3), inside_out), PQT_ERROR_BOX},
        {moving_id(3, inside_out), PQT_ERROR_BOX},
        {moving_id(99, inside_out), PQT_ERROR_BOX},
        {inserting(boxed(outside, 3)), PQT_ERROR_BOUNDS},
        {moving(dot_of_grid(4, 3), outside), PQT_ERROR_BOUNDS},
        {moving_id(3, outside), PQT_ERROR_BOUNDS},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_change changes[9];
        pqt_error error = {0};
        for (size_t j = 0; j < 9; j++)
            changes[j] = inserting(dot(1, (double)j, 200 + j));
        changes[6] = bad[i].change;
        changes[8] = bad[0].change;
        ck_assert_ptr_null(pqt_tree_apply(tree, changes, 9, &error));
        ck_assert_int_eq(error.status, bad[i].status);
        ck_assert_uint_eq(error.index, 6);
        ck_assert(error.status != PQT_ERROR_BOX ||
                  strcmp(error.text, "item 6: box is inverted (x 4 > 3)") == 0);
        ck_assert_ptr_null(pqt_tree_apply(tree, changes, 9, NULL));
    }
    expect_sound(tree);
    ck_assert_uint_eq(pqt_tree_count(tree), _i == 0 ? 16 : 272);
}
END_TEST

START_TEST(equal_changes_in_one_batch_count_once)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    pqt_change changes[300];
    for (size_t i = 0; i < 300; i++)
        changes[i] = i % 3 == 0   ? inserting(dot(3, 3, 50 + i % 2))
                     : i % 3 == 1 ? removing(dot_of_grid(4, i % 2))
                                  : moving(dot_of_grid(4, 7), point(5, 5));
    const pqt_tree *next = expect_as_one_by_one(tree, changes, 300);
    ck_assert_uint_eq(pqt_tree_count(next), 16);
}
END_TEST

/* The batches change small and large fractions of the tree, for which different strategies are
 * used. */
START_TEST(batches_of_every_size_equal_their_changes_one_by_one)
{
    enum { MOST = 200 };
    size_t side = _i == 0 ? 16 : 8, count = side * side;
    const pqt_tree *trees[] = {with_grid(small_tree(3), side), with_grid(unique_tree(3), side)};
    pqt_change changes[MOST];
    for (size_t i = 0; i < MOST; i++) {
        pqt_item item = dot_of_grid(side, i * 37 % count);
        changes[i] = i % 3 == 0   ? moving(item, point(16 - item.box.min.x, item.box.min.x))
                     : i % 3 == 1 ? removing(item)
                                  : inserting(boxed(box(3, 3, 9, 3 + (double)i), i % 9 + 250));
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t size = 1; size <= MOST; size++)
            expect_as_one_by_one(trees[i], changes, size);
}
END_TEST

START_TEST(a_batch_may_remove_all_by_id)
{
    pqt_change changes[256];
    const pqt_tree *empty = unique_tree(3), *tree = with_grid(empty, 16);
    for (size_t i = 0; i < 256; i++)
        changes[i] = removing_id(i);
    const pqt_tree *none = expect_as_one_by_one(tree, changes, 256);
    expect_equal(none, empty);
    ck_assert_ptr_null(none->ids);
}
END_TEST

START_TEST(few_moves_share_most_nodes_with_the_previous_version)
{
    pqt_change changes[4];
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *tree = with_grid(unique ? unique_tree(2) : small_tree(2), 32);
        for (size_t i = 0; i < 4; i++)
            changes[i] = moving(dot_of_grid(32, i), point(dot_of_grid(32, i).box.min.x, 0.125));
        size_t shared = pqt_tree_shared_bytes(tree, expect_as_one_by_one(tree, changes, 4));
        ck_assert_uint_gt(shared * 10, pqt_tree_get_stats(tree).bytes * 9);
    }
}
END_TEST

/* A batch copies each node once. So it copies at most the union of the paths of its changes. */
START_TEST(a_batch_makes_no_more_nodes_than_its_changes_alone)
{
    const pqt_tree *tree = with_grid(small_tree(4), 64);
    for (size_t count = 2; count <= 64; count *= 2) {
        pqt_change changes[64];
        size_t alone = 0, at_once;
        hooks watch = {.fail_at = 0};
        for (size_t i = 0; i < count; i++) {
            pqt_item item = dot_of_grid(64, i * 61 % 4096);
            changes[i] = i % 3 == 0   ? removing(item)
                         : i % 3 == 1 ? inserting(dot(item.box.min.x, 3, 9000 + i))
                                      : moving(item, point(item.box.min.y, item.box.min.x));
            hooks_start(&watch);
            applied(tree, &changes[i], 1);
            alone += hooks_kept_blocks(&watch);
        }
        hooks_start(&watch);
        applied(tree, changes, count);
        at_once = hooks_kept_blocks(&watch);
        hooks_stop();
        ck_assert_uint_le(at_once, alone);
    }
}
END_TEST

START_TEST(a_huge_batch_equals_its_changes_one_by_one)
{
    const size_t side = 100, count = side * side;
    const pqt_tree *tree = with_grid(small_tree(8), side);
    pqt_change *changes = calloc(count, sizeof *changes);
    ck_assert_ptr_nonnull(changes);
    for (size_t i = 0; i < count; i++) {
        pqt_item item = dot_of_grid(side, i * 7 % count);
        changes[i] = i % 4 == 0   ? removing(item)
                     : i % 4 == 1 ? moving(item, point(16 - item.box.min.x, 17 - item.box.min.y))
                                  : inserting(dot(item.box.min.y, item.box.min.x, count + i));
    }
    const pqt_tree *next = applied(tree, changes, count);
    expect_sound(next);
    expect_equal(next, one_by_one(tree, changes, count));
    free(changes);
}
END_TEST

START_TEST(a_huge_batch_of_a_unique_tree_equals_its_changes_one_by_one)
{
    const size_t side = 64, count = 3 * side * side;
    const pqt_tree *tree = with_grid(unique_tree(8), side);
    pqt_change *changes = calloc(count, sizeof *changes);
    ck_assert_ptr_nonnull(changes);
    for (size_t i = 0; i < count; i++) {
        uint64_t id = i * 31 % (2 * side * side);
        pqt_box to = point((double)(i % 97) / 7, (double)(i % 89) / 6);
        changes[i] = i % 3 == 0   ? removing_id(id)
                     : i % 3 == 1 ? moving_id(id, to)
                                  : inserting(boxed(to, id));
    }
    const pqt_tree *next = applied(tree, changes, count);
    expect_sound(next);
    expect_equal(next, one_by_one(tree, changes, count));
    free(changes);
}
END_TEST

static void
add_batches(Suite *suite)
{
    TCase *tests = add_tests(suite, "batches");
    tcase_add_test(tests, insert_all_equals_one_insert_after_another);
    tcase_add_test(tests, inserting_nothing_returns_the_same_version);
    tcase_add_test(tests, insert_all_names_the_item_that_it_refuses);
    tcase_add_test(tests, remove_all_skips_absent_items);
    tcase_add_test(tests, removing_all_leaves_the_empty_tree);
    tcase_add_loop_test(tests, apply_does_each_kind_of_change, 0, 2);
    tcase_add_test(tests, applying_nothing_returns_the_same_version);
    tcase_add_test(tests, changes_that_undo_each_other_return_the_same_version);
    tcase_add_test(tests, an_id_that_is_inserted_and_removed_leaves_the_same_version);
    tcase_add_test(tests, a_later_change_sees_the_earlier_ones);
    tcase_add_test(tests, a_later_change_by_id_sees_the_earlier_ones);
    tcase_add_loop_test(tests, unused_fields_of_a_change_are_not_read, 0, 2);
    tcase_add_test(tests, removing_or_moving_an_invalid_item_does_nothing);
    tcase_add_test(tests, moving_one_invalid_item_many_times_does_nothing);
    tcase_add_test(tests, a_move_onto_an_item_that_moves_away_depends_on_their_order);
    tcase_add_loop_test(tests, a_bad_change_is_named_and_nothing_is_done, 0, 2);
    tcase_add_test(tests, equal_changes_in_one_batch_count_once);
    tcase_add_loop_test(tests, batches_of_every_size_equal_their_changes_one_by_one, 0, 2);
    tcase_add_test(tests, a_batch_may_remove_all_by_id);
    tcase_add_test(tests, few_moves_share_most_nodes_with_the_previous_version);
    tcase_add_test(tests, a_batch_makes_no_more_nodes_than_its_changes_alone);
    tcase_add_test(tests, a_huge_batch_equals_its_changes_one_by_one);
    tcase_add_test(tests, a_huge_batch_of_a_unique_tree_equals_its_changes_one_by_one);
}

int
main(void)
{
    Suite *suite = suite_create("apply");
    add_batches(suite);
    return run_suite(suite);
}
