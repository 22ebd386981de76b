/* SPDX-License-Identifier: MIT */
/* test_update.c - inserting, removing, moving, applying, clearing: how one version follows
   another. */
#include "config.h"

#include <float.h>
#include <pthread.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* ---- insert ---- */

START_TEST(insert_leaves_the_old_version_alone)
{
    const pqt_tree *old = inserted(small_tree(1), dot(1, 1, 1));
    pqt_fingerprint before = pqt_tree_fingerprint(old);
    const pqt_tree *new = inserted(old, dot(9, 9, 2));
    ck_assert_ptr_ne(new, old);
    expect_items(new, (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    expect_items(old, (pqt_item[]){dot(1, 1, 1)}, 1);
    ck_assert(!pqt_tree_contains(old, dot(9, 9, 2)));
    ck_assert_uint_eq(pqt_tree_fingerprint(old).low, before.low);
}
END_TEST

START_TEST(inserting_what_is_there_is_the_same_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    for (size_t i = 0; i < 64; i++)
        ck_assert_ptr_eq(inserted(tree, dot_of_grid(8, i)), tree);
    tree = inserted(tree, dot(0, 0, 7));
    ck_assert_ptr_eq(inserted(tree, dot(-0.0, -0.0, 7)), tree);
}
END_TEST

START_TEST(equal_boxes_and_equal_ids_are_each_allowed_alone)
{
    pqt_item items[] = {dot(3, 3, 1), dot(3, 3, 2), dot(4, 4, 1), boxed(box(3, 3, 4, 4), 1)};
    expect_items(with_items(small_tree(1), items, 4), items, 4);
}
END_TEST

START_TEST(all_ids_are_the_callers)
{
    pqt_item items[] = {dot(3, 3, 0), dot(3, 3, UINT64_MAX), dot(3, 3, UINT64_C(1) << 63)};
    expect_items(with_items(small_tree(1), items, 3), items, 3);
    expect_items(with_items(unique_tree(1), items, 3), items, 3);
}
END_TEST

START_TEST(minus_zero_is_kept_as_zero)
{
    const pqt_tree *tree = inserted(small_tree(1), boxed(box(-0.0, -0.0, -0.0, 1), 4));
    ck_assert(same_bits(found_by(tree, asking_all())->items[0], boxed(box(0, 0, 0, 1), 4)));
}
END_TEST

/* The words of the manual on path copying: what is not on the path is the same memory. */
START_TEST(insert_shares_all_but_the_path)
{
    const pqt_tree *old = with_grid(small_tree(4), 32);
    const pqt_tree *new = inserted(old, dot(1, 1, 5000));
    const pqti_inner *old_root = old->root, *new_root = new->root;
    ck_assert_ptr_ne(old_root->child[0], new_root->child[0]);
    for (int i = 1; i < 4; i++)
        ck_assert_ptr_eq(old_root->child[i], new_root->child[i]);
    size_t own = pqt_tree_get_stats(new).bytes;
    ck_assert_uint_lt(own - pqt_tree_shared_bytes(old, new), 2048);
}
END_TEST

START_TEST(a_bad_item_is_refused_with_its_number)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(4, 0, 3, 1), 1), &error));
    expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: box is inside out (x 4 > 3)");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(0, NAN, 3, 1), 1), &error));
    expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: min.y is nan");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(0, 0, INFINITY, 1), 1), &error));
    expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: max.x is inf");
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(0, 0, 0, -1), 1), NULL));
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
}
END_TEST

START_TEST(a_strict_tree_takes_what_lies_within_edges_included)
{
    pqt_item items[] = {boxed(world_box, 1),          dot(0, 0, 2),   dot(16, 16, 3), dot(0, 16, 4),
                        boxed(box(16, 0, 16, 16), 5), dot(-0.0, 8, 6)};
    expect_items(with_items(strict_tree(), items, 6), items, 6);
}
END_TEST

START_TEST(a_strict_tree_refuses_what_leaves_its_bounds)
{
    const pqt_tree *tree = inserted(strict_tree(), dot(1, 1, 1));
    const pqt_box outside[] = {
        box(-1, 2, 3, 4), box(2, -1, 3, 4),   box(15, 2, 17, 4),           box(2, 15, 4, 17),
        point(17, 8),     point(8, -TINIEST), point(nextafter(16, 17), 8), box(-1, -1, 17, 17)};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_insert(tree, boxed(outside[i], 2), &error));
        ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
        ck_assert_uint_eq(error.index, 0);
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_move(tree, dot(1, 1, 1), outside[i], &error));
        ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
        ck_assert_ptr_null(pqt_tree_move(tree, dot(1, 1, 1), outside[i], NULL));
    }
    expect_items(tree, (pqt_item[]){dot(1, 1, 1)}, 1);
}
END_TEST

START_TEST(a_tree_that_is_not_strict_takes_what_leaves_its_bounds)
{
    pqt_item items[] = {dot(17, 8, 1), dot(-DBL_MAX, DBL_MAX, 2), boxed(box(-5, 3, 40, 4), 3),
                        boxed(box(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX), 4), dot(8, -TINIEST, 5)};
    const pqt_tree *tree = with_items(small_tree(1), items, 5);
    expect_items(tree, items, 5);
    for (size_t i = 0; i < 5; i++)
        tree = removed(tree, items[i]);
    ck_assert_uint_eq(pqt_tree_count(tree), 0);
    expect_sound(tree);
}
END_TEST

/* ---- insert_all ---- */

START_TEST(insert_all_is_one_insert_after_another)
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

START_TEST(inserting_nothing_is_the_same_version)
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
        expect_failure(&error, PQT_ERROR_BOX, 17, "item 17: box is inside out (x 4 > 3)");
        ck_assert_uint_eq(pqt_tree_count(trees[i]), 0);
    }
    items[3].box = point(16.5, 3);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_insert_all(strict_tree(), items, 20, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    ck_assert_uint_eq(error.index, 3);
}
END_TEST

/* ---- remove ---- */

START_TEST(remove_leaves_the_old_version_alone)
{
    const pqt_tree *old = with_grid(small_tree(1), 4);
    const pqt_tree *new = removed(old, dot_of_grid(4, 5));
    ck_assert_uint_eq(pqt_tree_count(old), 16);
    ck_assert_uint_eq(pqt_tree_count(new), 15);
    ck_assert(pqt_tree_contains(old, dot_of_grid(4, 5)));
    ck_assert(!pqt_tree_contains(new, dot_of_grid(4, 5)));
    expect_sound(old);
    expect_sound(new);
}
END_TEST

START_TEST(removing_what_was_inserted_leads_back)
{
    pqt_item others[] = {dot(5, 5, 900), boxed(box(-9, -9, 99, 99), 901), dot(40, 2, 902),
                         boxed(box(7, 7, 9, 9), 903), twin(1)};
    const pqt_tree *start = with_grid(small_tree(1), 8);
    const pqt_tree *tree = with_items(start, others, 5);
    for (size_t i = 0; i < 5; i++)
        tree = removed(tree, others[i]);
    expect_equal(tree, start);
    ck_assert_uint_eq(pqt_tree_get_stats(tree).bytes, pqt_tree_get_stats(start).bytes);
}
END_TEST

START_TEST(removing_what_is_absent_is_the_same_version)
{
    const pqt_tree *tree = inserted(with_grid(small_tree(1), 4), boxed(box(1, 1, 3, 3), 70));
    const pqt_item absent[] = {
        dot(2, 2, 1), /* another box */
        dot(6, 2, 0), /* another's box */
        boxed(box(1, 1, 3, nextafter(3, 4)), 70),
        boxed(box(1, 1, 3, 3), 71),
        dot(99, 99, 1),
        boxed(box(4, 0, 3, 1), 1), /* what no tree can hold */
        boxed(box(0, NAN, 3, 1), 1),
        boxed(box(0, 0, INFINITY, 1), 1),
    };
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        ck_assert_ptr_eq(removed(tree, absent[i]), tree);
        ck_assert_ptr_eq(moved(tree, absent[i], point(3, 3)), tree);
    }
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    ck_assert_ptr_eq(pqt_tree_remove_all(tree, absent, sizeof absent / sizeof *absent, NULL), tree);
}
END_TEST

/* From each item's place, under another id, to each other's: the ways part at every depth. */
START_TEST(a_move_of_what_is_absent_allocates_nothing)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    hooks watch = {0};
    hooks_start(&watch);
    for (size_t i = 0; i < 64; i++)
        for (size_t j = 0; j < 64; j++) {
            pqt_item absent = {dot_of_grid(8, i).box, 1000};
            require(pqt_tree_move(tree, absent, dot_of_grid(8, j).box, NULL) == tree,
                    "a move of what is absent");
        }
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

START_TEST(nothing_can_be_removed_from_nothing)
{
    const pqt_tree *empty = small_tree(1);
    ck_assert_ptr_eq(removed(empty, dot(1, 1, 1)), empty);
    ck_assert_ptr_eq(moved(empty, dot(1, 1, 1), point(2, 2)), empty);
}
END_TEST

START_TEST(remove_all_passes_over_what_is_absent)
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

/* ---- move ---- */

START_TEST(move_gives_an_item_another_box)
{
    const pqt_tree *old = with_grid(small_tree(1), 4);
    pqt_item item = dot_of_grid(4, 5);
    const pqt_box to[] = {point(6.5, 6.5), point(15, 15),    box(-1, -1, 17, 17),
                          point(100, 100), box(8, 8, 8, 12), point(-0.0, 5)};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        const pqt_tree *new = moved(old, item, to[i]);
        ck_assert_uint_eq(pqt_tree_count(new), 16);
        ck_assert(!pqt_tree_contains(new, item));
        ck_assert(pqt_tree_contains(new, boxed(to[i], item.id)));
        expect_equal(new, inserted(removed(old, item), boxed(to[i], item.id)));
        expect_equal(moved(new, boxed(to[i], item.id), item.box), old);
        expect_sound(new);
    }
    ck_assert(pqt_tree_contains(old, item));
}
END_TEST

START_TEST(moving_to_where_it_is_is_the_same_version)
{
    const pqt_tree *tree = inserted(small_tree(1), boxed(box(0, 0, 3, 3), 1));
    ck_assert_ptr_eq(moved(tree, boxed(box(0, 0, 3, 3), 1), box(0, 0, 3, 3)), tree);
    ck_assert_ptr_eq(moved(tree, boxed(box(-0.0, 0, 3, 3), 1), box(0, -0.0, 3, 3)), tree);
}
END_TEST

START_TEST(moving_onto_an_equal_item_leaves_one)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 7), dot(9, 9, 7)}, 2);
    tree = moved(tree, dot(1, 1, 7), point(9, 9));
    expect_items(tree, (pqt_item[]){dot(9, 9, 7)}, 1);
}
END_TEST

/* Of five items in a tree of capacity 4 four are left, at a depth that the others decide: no node
   stays. */
START_TEST(moving_onto_an_equal_item_may_leave_a_leaf)
{
    for (int i = 1; i < 16; i++) {
        pqt_item items[] = {dot(0.125, 0.125, 7), dot(0.25, 0.125, 7), dot(i, 0, 1), dot(0, i, 2),
                            dot(i, i, 3)};
        const pqt_tree *tree = with_items(small_tree(4), items, 5);
        ck_assert(!tree->leaf);
        const pqt_tree *next = moved(tree, items[0], items[1].box);
        ck_assert(next->leaf);
        expect_items(next, items + 1, 4);
        expect_equal(next, with_items(small_tree(4), items + 1, 4));
        expect_items(tree, items, 5);
    }
}
END_TEST

START_TEST(a_bad_target_is_refused_even_for_an_absent_item)
{
    const pqt_tree *trees[] = {strict_tree(), inserted(strict_tree(), dot(1, 1, 1))};
    for (size_t i = 0; i < 2; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_move(trees[i], dot(1, 1, 1), box(4, 0, 3, 1), &error));
        expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: box is inside out (x 4 > 3)");
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_move(trees[i], dot(1, 1, 1), point(1, 17), &error));
        ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    }
}
END_TEST

/* One path where an item stays near: no more than an insertion beside it. */
START_TEST(a_near_move_copies_one_path)
{
    const pqt_tree *tree = with_grid(small_tree(4), 32);
    pqt_item item = dot_of_grid(32, 40);
    pqt_box near = point(item.box.min.x + 0.125, item.box.min.y);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    moved(tree, item, near);
    size_t move_blocks = hooks_kept_blocks(&watch);
    hooks_start(&watch);
    removed(tree, item);
    size_t remove_blocks = hooks_kept_blocks(&watch);
    hooks_stop();
    ck_assert_uint_le(move_blocks, remove_blocks + 1);
}
END_TEST

/* Five items in a tree of capacity 4, of which one goes: a leaf and a version, and nothing in
   vain. */
START_TEST(a_node_that_becomes_a_leaf_is_made_at_once)
{
    pqt_item items[] = {dot(1, 1, 1), dot(2, 2, 2), dot(9, 1, 3), dot(1, 9, 4), dot(9, 9, 5)};
    const pqt_tree *tree = with_items(small_tree(4), items, 5);
    hooks watch = {.fail_at = 0};
    ck_assert(!tree->leaf);
    hooks_start(&watch);
    const pqt_tree *next = removed(tree, items[1]);
    hooks_stop();
    ck_assert(next->leaf);
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 2);
}
END_TEST

/* ---- unique ids ---- */

START_TEST(inserting_a_known_id_replaces_its_item)
{
    const pqt_tree *old = with_grid(unique_tree(2), 4);
    const pqt_box to[] = {point(15, 15), point(2.5, 2), box(-1, -1, 17, 17), point(50, 50)};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        pqt_item found;
        const pqt_tree *new = inserted(old, boxed(to[i], 5));
        ck_assert_uint_eq(pqt_tree_count(new), 16);
        ck_assert(pqt_tree_find(new, 5, &found) && same_bits(found, boxed(to[i], 5)));
        ck_assert(!pqt_tree_contains(new, dot_of_grid(4, 5)));
        ck_assert(pqt_tree_find(old, 5, &found) && same_bits(found, dot_of_grid(4, 5)));
        expect_sound(new);
    }
}
END_TEST

START_TEST(the_last_of_equal_ids_counts)
{
    pqt_item items[] = {dot(1, 1, 7), dot(2, 2, 8), dot(3, 3, 7), dot(9, 9, 8), dot(4, 4, 7)};
    pqt_error error = {0};
    const pqt_tree *tree = must(pqt_tree_insert_all(unique_tree(1), items, 5, &error), &error);
    expect_items(tree, (pqt_item[]){dot(9, 9, 8), dot(4, 4, 7)}, 2);
    expect_equal(tree, with_items(unique_tree(1), items, 5));
    ck_assert_ptr_eq(pqt_tree_insert_all(tree, items, 5, &error), tree);
}
END_TEST

START_TEST(items_are_removed_and_moved_by_id_alone)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 8);
    pqt_error error = {0};
    pqt_item found;
    const pqt_tree *without = must(pqt_tree_remove_id(tree, 9, &error), &error);
    ck_assert(!pqt_tree_find(without, 9, &found));
    expect_equal(without, removed(tree, dot_of_grid(8, 9)));
    const pqt_tree *there = must(pqt_tree_move_id(tree, 9, point(50, 3), &error), &error);
    ck_assert(pqt_tree_find(there, 9, &found) && same_bits(found, dot(50, 3, 9)));
    expect_equal(there, moved(tree, dot_of_grid(8, 9), point(50, 3)));
    expect_sound(without);
    expect_sound(there);
}
END_TEST

START_TEST(an_unknown_id_is_the_same_version)
{
    const pqt_tree *empty = unique_tree(2), *tree = with_grid(empty, 4);
    ck_assert_ptr_eq(pqt_tree_remove_id(tree, 99, NULL), tree);
    ck_assert_ptr_eq(pqt_tree_move_id(tree, 99, point(1, 1), NULL), tree);
    ck_assert_ptr_eq(pqt_tree_remove_id(empty, 0, NULL), empty);
    ck_assert_ptr_eq(pqt_tree_move_id(empty, 0, point(1, 1), NULL), empty);
    ck_assert_ptr_eq(pqt_tree_move_id(tree, 3, dot_of_grid(4, 3).box, NULL), tree);
}
END_TEST

START_TEST(a_bad_target_by_id_is_refused_even_for_an_unknown_id)
{
    pqt_tree_options options = options_of(2, 24);
    options.unique_ids = options.strict_bounds = true;
    const pqt_tree *tree = inserted(made(world_box, options), dot(1, 1, 1));
    for (uint64_t id = 1; id < 3; id++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_move_id(tree, id, box(0, 0, 1, NAN), &error));
        expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: max.y is nan");
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_move_id(tree, id, point(17, 0), &error));
        ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    }
}
END_TEST

START_TEST(with_unique_ids_too_an_item_is_its_box_and_its_id)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ck_assert_ptr_eq(removed(tree, dot(1, 1, 5)), tree);
    ck_assert_ptr_eq(moved(tree, dot(1, 1, 5), point(3, 3)), tree);
    ck_assert(!pqt_tree_contains(tree, dot(1, 1, 5)));
    const pqt_tree *next = removed(tree, dot_of_grid(4, 5));
    ck_assert(!pqt_tree_find(next, 5, NULL));
    expect_sound(next);
}
END_TEST

/* Ids enough for an id map of several levels, and back. */
START_TEST(the_id_map_follows_every_change)
{
    const pqt_tree *tree = unique_tree(4), *empty = tree;
    enum { COUNT = 700 };
    for (uint64_t id = 0; id < COUNT; id++)
        tree = inserted(tree, dot((double)(id % 16), (double)(id / 50), id << 32 | id));
    expect_sound(tree);
    for (uint64_t id = 0; id < COUNT; id += 2)
        tree = must(pqt_tree_remove_id(tree, id << 32 | id, NULL), &(pqt_error){0});
    expect_sound(tree);
    for (uint64_t id = 0; id < COUNT; id++) {
        pqt_item found = {.id = 1};
        bool there = pqt_tree_find(tree, id << 32 | id, &found);
        ck_assert(there == (id % 2 == 1));
        ck_assert(!there ||
                  same_bits(found, dot((double)(id % 16), (double)(id / 50), id << 32 | id)));
        if (there)
            tree = must(pqt_tree_remove_id(tree, id << 32 | id, NULL), &(pqt_error){0});
    }
    expect_equal(tree, empty);
    ck_assert_ptr_null(tree->ids);
}
END_TEST

/* ---- apply ---- */

/* A batch, and the same changes one by one, each by the function of its own. */
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

/* The 4 x 4 grid among many others: few changes are then a small share, and nothing is built
   anew. */
static const pqt_tree *
crowded(const pqt_tree *tree)
{
    for (uint64_t i = 0; i < 256; i++)
        tree = inserted(tree, boxed(dot_of_grid(16, i).box, 10000 + i));
    return with_grid(tree, 4);
}

START_TEST(apply_does_each_kind_of_change)
{
    const pqt_tree *tree = _i == 0 ? with_grid(unique_tree(2), 4) : crowded(unique_tree(2));
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

START_TEST(applying_nothing_is_the_same_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    ck_assert_ptr_eq(pqt_tree_apply(tree, NULL, 0, NULL), tree);
    ck_assert_ptr_eq(applied(tree, &(pqt_change){.kind = PQT_INSERT}, 0), tree);
}
END_TEST

START_TEST(changes_that_undo_each_other_are_the_same_version)
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
                               crowded(small_tree(2)), crowded(unique_tree(2))};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_ptr_eq(applied(trees[i], changes, 7), trees[i]);
        ck_assert_ptr_eq(applied(trees[i], changes, 2), trees[i]);
    }
}
END_TEST

/* An id that comes in one place, goes to another, and is gone again was never there. */
START_TEST(an_id_that_comes_and_goes_is_the_same_version)
{
    pqt_change changes[] = {removing_id(99), inserting(dot(3, 3, 99)), moving_id(99, point(5, 5)),
                            inserting(dot(6, 6, 99)), removing_id(99)};
    const pqt_tree *trees[] = {unique_tree(2), with_grid(unique_tree(2), 4),
                               crowded(unique_tree(2))};
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
        crowded(small_tree(3)),      crowded(unique_tree(3))};
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
                               crowded(unique_tree(3))};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t length = 1; length <= 4; length++)
                expect_as_one_by_one(trees[j], chains[i], length);
}
END_TEST

/* "for the two kinds that go by id, only its id is read"; `to` is not read by those that do not
   move. */
START_TEST(what_is_not_needed_of_a_change_is_not_read)
{
    const pqt_tree *tree = _i == 0 ? with_grid(unique_tree(2), 4) : crowded(unique_tree(2));
    const pqt_box nonsense = box(NAN, 3, -INFINITY, 1);
    pqt_change changes[] = {inserting(dot(1, 1, 100)), removing(dot_of_grid(4, 0)), removing_id(2),
                            moving_id(3, point(4, 4))};
    changes[0].to = changes[1].to = changes[2].to = nonsense;
    changes[2].item.box = changes[3].item.box = nonsense;
    const pqt_tree *next = expect_as_one_by_one(tree, changes, 4);
    ck_assert(pqt_tree_contains(next, dot(4, 4, 3)) && !pqt_tree_find(next, 2, NULL));
}
END_TEST

START_TEST(removing_and_moving_what_no_tree_holds_does_nothing)
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

/* Equal ones would stand in one row of a table of what is touched, and be searched one by one. */
START_TEST(so_does_moving_the_same_nonsense_ever_so_often)
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

START_TEST(a_move_to_where_another_leaves_depends_on_their_order)
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
    const pqt_tree *tree = _i == 0 ? with_grid(empty, 4) : crowded(empty);
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
                  strcmp(error.text, "item 6: box is inside out (x 4 > 3)") == 0);
        ck_assert_ptr_null(pqt_tree_apply(tree, changes, 9, NULL));
    }
    expect_sound(tree);
    ck_assert_uint_eq(pqt_tree_count(tree), _i == 0 ? 16 : 272);
}
END_TEST

START_TEST(equal_changes_in_one_batch_are_one)
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

/* Small and large shares of the tree, which are fulfilled in different ways. */
START_TEST(batches_of_every_size_are_their_changes_one_by_one)
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

START_TEST(few_moves_share_most_with_the_version_before)
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

/* A batch copies each node on its way once: no more than the paths of its changes have in all. */
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

START_TEST(a_huge_batch_is_its_changes_one_by_one)
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

START_TEST(a_huge_batch_of_a_unique_tree_is_its_changes_one_by_one)
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

/* ---- clear ---- */

START_TEST(clear_is_the_empty_version_of_the_same_tree)
{
    const pqt_tree *empty = unique_tree(3);
    const pqt_tree *cleared = pqt_tree_clear(with_grid(empty, 8), NULL);
    ck_assert_ptr_nonnull(cleared);
    expect_equal(cleared, empty);
    expect_sound(cleared);
    ck_assert_uint_eq(pqt_tree_count(cleared), 0);
    ck_assert(!pqt_tree_find(cleared, 3, NULL));
    expect_items(inserted(cleared, dot(1, 1, 1)), (pqt_item[]){dot(1, 1, 1)}, 1);
}
END_TEST

START_TEST(clearing_an_empty_version_is_the_same_version)
{
    const pqt_tree *empty = small_tree(3);
    ck_assert_ptr_eq(pqt_tree_clear(empty, NULL), empty);
    const pqt_tree *emptied = removed(inserted(empty, dot(1, 1, 1)), dot(1, 1, 1));
    ck_assert_ptr_eq(pqt_tree_clear(emptied, NULL), emptied);
}
END_TEST

/* ---- small and large trees ---- */

/* Items of all kinds: on midlines, corners and edges, without extent, large, strays, of one mix. */
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
    {"a level line", {{-4, 2}, {12, 2}}},
    {"a plumb line", {{2, -4}, {2, 12}}},
    {"one denormal wide", {{0, 0}, {TINIEST, TINIEST}}},
    {"a few denormals wide", {{-7 * TINIEST, -2 * TINIEST}, {9 * TINIEST, 6 * TINIEST}}},
    {"1e300 wide", {{-1e300, -1e300}, {1e300, 1e300}}},
    {"all doubles", {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}}},
    {"far away", {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}}},
    {"an ulp wide", {{1, 1}, {1 + DBL_EPSILON, 1 + DBL_EPSILON}}},
};

/* A value of the axis: its ends, its middle, quarters, a little beside them, and outside. */
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

START_TEST(extreme_worlds_hold_their_items)
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
        size_t hits = pqt_tree_collect(tree, asking(items[i].box, PQT_TOUCHES), found, count);
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

/* Among very many of a kind, an edit copies less than 8 kB. */
START_TEST(no_crowd_makes_an_edit_dear)
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

/* ---- limits ---- */

/* A version that says it holds as many items as can be: no machine of ours can build a true one. */
static const pqt_tree *
full_tree(bool unique)
{
    const pqt_tree *tree = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
    pqt_tree *full = malloc(sizeof *full);
    ck_assert_ptr_nonnull(full);
    tree = inserted(tree, boxed(box(-9, -9, 30, 30), 70)); /* the root has a bucket */
    *full = *tree;
    full->count = PQT_MAX_ITEMS;
    return full;
}

static void
free_full_tree(const pqt_tree *full)
{
    free((void *)(uintptr_t)full);
}

START_TEST(a_full_tree_takes_no_more)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *full = full_tree(unique != 0);
        pqt_item items[] = {dot(1, 1, 91), dot(2, 2, 92), dot(3, 3, 93), dot(4, 4, 94),
                            dot(5, 5, 95)};
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_insert(full, items[0], &error));
        expect_failure(&error, PQT_ERROR_LIMIT, 0, "536870911 items and 1 more, at most 536870911");
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_insert_all(full, items, 5, &error));
        expect_failure(&error, PQT_ERROR_LIMIT, 0, "536870911 items and 5 more, at most 536870911");
        ck_assert_ptr_null(pqt_tree_insert(full, items[0], NULL));
        free_full_tree(full);
    }
}
END_TEST

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

START_TEST(more_changes_than_can_be_counted_are_refused)
{
    pqt_item item = dot(1, 1, 1);
    pqt_error error = {0};
    size_t too_many = (size_t)PQT_MAX_ITEMS + 1;
    ck_assert_ptr_null(pqt_tree_insert_all(small_tree(2), &item, too_many, &error));
    expect_failure(&error, PQT_ERROR_LIMIT, 0, "536870912 at once, at most 536870911");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_tree_remove_all(unique_tree(2), &item, too_many, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
}
END_TEST

/* ---- NULL, earlier failures, no memory ---- */

typedef const pqt_tree *change_fn(const pqt_tree *tree, pqt_error *error);

static const pqt_tree *
by_insert(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_insert(tree, dot(3, 3, 99), error);
}

static const pqt_tree *
by_insert_all(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_insert_all(tree, (pqt_item[]){dot(3, 3, 99), dot(5, 5, 98)}, 2, error);
}

static const pqt_tree *
by_remove(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_remove(tree, dot_of_grid(4, 1), error);
}

static const pqt_tree *
by_remove_all(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_remove_all(tree, (pqt_item[]){dot_of_grid(4, 1), dot_of_grid(4, 2)}, 2, error);
}

static const pqt_tree *
by_remove_id(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_remove_id(tree, 1, error);
}

static const pqt_tree *
by_move(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_move(tree, dot_of_grid(4, 1), point(3, 3), error);
}

static const pqt_tree *
by_move_id(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_move_id(tree, 1, point(3, 3), error);
}

static const pqt_tree *
by_apply(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_apply(tree, (pqt_change[]){inserting(dot(3, 3, 99)), removing_id(2)}, 2, error);
}

/* All of the 4 x 4 grid: in a tree that holds nothing else, enough for the version to be built
   anew. */
static const pqt_tree *
by_many_moves(const pqt_tree *tree, pqt_error *error)
{
    pqt_change changes[16];
    for (size_t i = 0; i < 16; i++)
        changes[i] = moving(dot_of_grid(4, i), point((double)i, 1));
    return pqt_tree_apply(tree, changes, 16, error);
}

static const pqt_tree *
by_clear(const pqt_tree *tree, pqt_error *error)
{
    return pqt_tree_clear(tree, error);
}

static change_fn *const change_fns[] = {by_insert,     by_insert_all, by_remove,  by_remove_all,
                                        by_remove_id,  by_move,       by_move_id, by_apply,
                                        by_many_moves, by_clear};

#define CHANGE_FNS (sizeof change_fns / sizeof *change_fns)

START_TEST(null_passes_an_earlier_failure_on)
{
    pqt_error error = earlier_failure();
    for (size_t i = 0; i < CHANGE_FNS; i++) {
        ck_assert_ptr_null(change_fns[i](NULL, &error));
        expect_earlier_failure(&error);
        ck_assert_ptr_null(change_fns[i](NULL, NULL));
    }
}
END_TEST

START_TEST(after_an_earlier_failure_nothing_is_done)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    pqt_error error = earlier_failure();
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    for (size_t i = 0; i < CHANGE_FNS; i++)
        ck_assert_ptr_null(change_fns[i](tree, &error));
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(1, 1, 0, 0), 1), &error));
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(null_without_a_failure_is_a_mistake)
{
    pqt_error error = {0};
    change_fns[_i](NULL, &error);
}
END_TEST

START_TEST(each_failed_allocation_is_told_and_the_version_stands)
{
    const pqt_tree *trees[] = {with_grid(unique_tree(2), 4), crowded(unique_tree(2)),
                               crowded(unique_tree(300)), crowded(unique_tree(272))};
    const pqt_tree *tree = trees[_i];
    size_t count = pqt_tree_count(tree);
    for (size_t i = 0; i < CHANGE_FNS; i++) {
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            pqt_error error = {0};
            hooks watch = {.fail_at = n};
            hooks_start(&watch);
            const pqt_tree *next = change_fns[i](tree, &error);
            hooks_stop();
            failed = watch.failures > 0;
            require(failed == (next == NULL), "a failed allocation went unseen");
            require(error.status == (failed ? PQT_ERROR_MEMORY : PQT_OK),
                    "another status was told");
        }
    }
    expect_sound(tree);
    ck_assert_uint_eq(pqt_tree_count(tree), count);
}
END_TEST

/* The manual's way of writing: a chain, checked once. */
START_TEST(a_chain_is_checked_at_its_end)
{
    const pqt_tree *tree = small_tree(2);
    pqt_item a = dot(1, 1, 1), b = dot(2, 2, 2);
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_insert(tree, a, &error);
    next = pqt_tree_insert(next, boxed(box(4, 0, 3, 1), 3), &error);
    next = pqt_tree_insert(next, boxed(box(NAN, 0, 3, 1), 4), &error);
    next = pqt_tree_remove(next, b, &error);
    ck_assert_ptr_null(next);
    expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: box is inside out (x 4 > 3)");
}
END_TEST

/* ---- mistakes ---- */

START_TEST(arrays_must_be_given)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)!pqt_tree_insert_all(tree, NULL, 1, &error);
        break;
    case 1:
        (void)!pqt_tree_remove_all(tree, NULL, 1, &error);
        break;
    case 2:
        (void)!pqt_tree_apply(tree, NULL, 1, &error);
        break;
    }
}
END_TEST

START_TEST(going_by_id_needs_unique_ids)
{
    const pqt_tree *tree = inserted(small_tree(2), dot(1, 1, 1));
    pqt_change changes[] = {inserting(dot(2, 2, 2)), removing_id(1), moving_id(1, point(3, 3))};
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)!pqt_tree_remove_id(tree, 1, &error);
        break;
    case 1:
        (void)!pqt_tree_move_id(tree, 1, point(3, 3), &error);
        break;
    case 2:
        (void)!pqt_tree_apply(tree, changes, 2, &error);
        break;
    case 3:
        (void)!pqt_tree_apply(tree, changes + 2, 1, &error);
        break;
    }
}
END_TEST

START_TEST(a_change_must_be_of_a_kind)
{
    pqt_change change = inserting(dot(1, 1, 1));
    change.kind = _i == 0 ? (pqt_change_kind)0 : (pqt_change_kind)6;
    (void)!pqt_tree_apply(unique_tree(2), &change, 1, NULL);
}
END_TEST

/* ---- several threads ---- */

enum { THREADS = 4, EACH = 50 };

typedef struct worker {
    pthread_t thread;
    const pqt_tree *from, *to;
    size_t number;
} worker;

static pqt_item
item_of_worker(size_t number, size_t i)
{
    return dot((double)(number * 4), (double)i / 4, 1000 * number + i);
}

static void *
work(void *context)
{
    worker *this = context;
    this->to = this->from;
    for (size_t i = 0; i < EACH; i++)
        this->to = pqt_tree_insert(this->to, item_of_worker(this->number, i), NULL);
    return NULL;
}

START_TEST(several_threads_may_go_on_from_one_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    worker workers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.from = tree, .number = i};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
        const pqt_tree *alone = tree;
        for (size_t j = 0; j < EACH; j++)
            alone = inserted(alone, item_of_worker(i, j));
        ck_assert_ptr_nonnull(workers[i].to);
        expect_equal(workers[i].to, alone);
    }
}
END_TEST

static void
add_single_changes(Suite *suite)
{
    TCase *tests = add_tests(suite, "one change");
    tcase_add_test(tests, insert_leaves_the_old_version_alone);
    tcase_add_test(tests, inserting_what_is_there_is_the_same_version);
    tcase_add_test(tests, equal_boxes_and_equal_ids_are_each_allowed_alone);
    tcase_add_test(tests, all_ids_are_the_callers);
    tcase_add_test(tests, minus_zero_is_kept_as_zero);
    tcase_add_test(tests, insert_shares_all_but_the_path);
    tcase_add_test(tests, a_bad_item_is_refused_with_its_number);
    tcase_add_test(tests, a_strict_tree_takes_what_lies_within_edges_included);
    tcase_add_test(tests, a_strict_tree_refuses_what_leaves_its_bounds);
    tcase_add_test(tests, a_tree_that_is_not_strict_takes_what_leaves_its_bounds);
    tcase_add_test(tests, remove_leaves_the_old_version_alone);
    tcase_add_test(tests, removing_what_was_inserted_leads_back);
    tcase_add_test(tests, removing_what_is_absent_is_the_same_version);
    tcase_add_test(tests, a_move_of_what_is_absent_allocates_nothing);
    tcase_add_test(tests, nothing_can_be_removed_from_nothing);
    tcase_add_test(tests, move_gives_an_item_another_box);
    tcase_add_test(tests, moving_to_where_it_is_is_the_same_version);
    tcase_add_test(tests, moving_onto_an_equal_item_leaves_one);
    tcase_add_test(tests, moving_onto_an_equal_item_may_leave_a_leaf);
    tcase_add_test(tests, a_bad_target_is_refused_even_for_an_absent_item);
    tcase_add_test(tests, a_near_move_copies_one_path);
    tcase_add_test(tests, a_node_that_becomes_a_leaf_is_made_at_once);
    tcase_add_test(tests, clear_is_the_empty_version_of_the_same_tree);
    tcase_add_test(tests, clearing_an_empty_version_is_the_same_version);
    tcase_add_test(tests, several_threads_may_go_on_from_one_version);
}

static void
add_unique_ids(Suite *suite)
{
    TCase *tests = add_tests(suite, "unique ids");
    tcase_add_test(tests, inserting_a_known_id_replaces_its_item);
    tcase_add_test(tests, the_last_of_equal_ids_counts);
    tcase_add_test(tests, items_are_removed_and_moved_by_id_alone);
    tcase_add_test(tests, an_unknown_id_is_the_same_version);
    tcase_add_test(tests, a_bad_target_by_id_is_refused_even_for_an_unknown_id);
    tcase_add_test(tests, with_unique_ids_too_an_item_is_its_box_and_its_id);
    tcase_add_test(tests, the_id_map_follows_every_change);
}

static void
add_batches(Suite *suite)
{
    TCase *tests = add_tests(suite, "batches");
    tcase_add_test(tests, insert_all_is_one_insert_after_another);
    tcase_add_test(tests, inserting_nothing_is_the_same_version);
    tcase_add_test(tests, insert_all_names_the_item_that_it_refuses);
    tcase_add_test(tests, remove_all_passes_over_what_is_absent);
    tcase_add_test(tests, removing_all_leaves_the_empty_tree);
    tcase_add_loop_test(tests, apply_does_each_kind_of_change, 0, 2);
    tcase_add_test(tests, applying_nothing_is_the_same_version);
    tcase_add_test(tests, changes_that_undo_each_other_are_the_same_version);
    tcase_add_test(tests, an_id_that_comes_and_goes_is_the_same_version);
    tcase_add_test(tests, a_later_change_sees_the_earlier_ones);
    tcase_add_test(tests, a_later_change_by_id_sees_the_earlier_ones);
    tcase_add_loop_test(tests, what_is_not_needed_of_a_change_is_not_read, 0, 2);
    tcase_add_test(tests, removing_and_moving_what_no_tree_holds_does_nothing);
    tcase_add_test(tests, so_does_moving_the_same_nonsense_ever_so_often);
    tcase_add_test(tests, a_move_to_where_another_leaves_depends_on_their_order);
    tcase_add_loop_test(tests, a_bad_change_is_named_and_nothing_is_done, 0, 2);
    tcase_add_test(tests, equal_changes_in_one_batch_are_one);
    tcase_add_loop_test(tests, batches_of_every_size_are_their_changes_one_by_one, 0, 2);
    tcase_add_test(tests, a_batch_may_remove_all_by_id);
    tcase_add_test(tests, few_moves_share_most_with_the_version_before);
    tcase_add_test(tests, a_batch_makes_no_more_nodes_than_its_changes_alone);
    tcase_add_test(tests, a_huge_batch_is_its_changes_one_by_one);
    tcase_add_test(tests, a_huge_batch_of_a_unique_tree_is_its_changes_one_by_one);
}

static void
add_edges(Suite *suite)
{
    TCase *tests = add_tests(suite, "edges");
    tcase_add_test(tests, every_capacity_and_depth_holds_every_kind_of_item);
    tcase_add_loop_test(tests, extreme_worlds_hold_their_items, 0,
                        (int)(sizeof extreme_worlds / sizeof *extreme_worlds));
    tcase_add_loop_test(tests, no_crowd_makes_an_edit_dear, 0, 5);
    tcase_add_test(tests, a_full_tree_takes_no_more);
    tcase_add_test(tests, a_full_tree_can_be_changed_where_nothing_is_added);
    tcase_add_test(tests, more_changes_than_can_be_counted_are_refused);
}

static void
add_failures(Suite *suite)
{
    TCase *tests = add_tests(suite, "failures");
    tcase_add_test(tests, null_passes_an_earlier_failure_on);
    tcase_add_test(tests, after_an_earlier_failure_nothing_is_done);
    tcase_add_loop_test(tests, each_failed_allocation_is_told_and_the_version_stands, 0, 4);
    tcase_add_test(tests, a_chain_is_checked_at_its_end);
    tcase_add_misuse_tests(tests, null_without_a_failure_is_a_mistake, CHANGE_FNS);
    tcase_add_misuse_tests(tests, arrays_must_be_given, 3);
    tcase_add_misuse_tests(tests, going_by_id_needs_unique_ids, 4);
    tcase_add_misuse_tests(tests, a_change_must_be_of_a_kind, 2);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("update");
    add_single_changes(suite);
    add_unique_ids(suite);
    add_batches(suite);
    add_edges(suite);
    add_failures(suite);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
