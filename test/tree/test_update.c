/* SPDX-License-Identifier: MIT */
/* test_update.c: tests inserting, removing, moving and clearing. */
#include "config.h"

#include <float.h>
#include <pthread.h>

#include <pqt/tree.h>

#include "hooks.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* ---- Inserting ---- */

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

START_TEST(inserting_a_present_item_returns_the_same_version)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    for (size_t i = 0; i < 64; i++)
        ck_assert_ptr_eq(inserted(tree, dot_of_grid(8, i)), tree);
    tree = inserted(tree, dot(0, 0, 7));
    ck_assert_ptr_eq(inserted(tree, dot(-0.0, -0.0, 7)), tree);
}
END_TEST

START_TEST(two_items_may_share_a_box_or_an_id)
{
    pqt_item items[] = {dot(3, 3, 1), dot(3, 3, 2), dot(4, 4, 1), boxed(box(3, 3, 4, 4), 1)};
    expect_items(with_items(small_tree(1), items, 4), items, 4);
}
END_TEST

START_TEST(any_64_bit_number_may_be_an_id)
{
    pqt_item items[] = {dot(3, 3, 0), dot(3, 3, UINT64_MAX), dot(3, 3, UINT64_C(1) << 63)};
    expect_items(with_items(small_tree(1), items, 3), items, 3);
    expect_items(with_items(unique_tree(1), items, 3), items, 3);
}
END_TEST

START_TEST(minus_zero_is_kept_as_zero)
{
    const pqt_tree *tree = inserted(small_tree(1), boxed(box(-0.0, -0.0, -0.0, 1), 4));
    ck_assert(same_bits(found_by(tree, query_of_all())->items[0], boxed(box(0, 0, 0, 1), 4)));
}
END_TEST

/* As the manual says of path copying, blocks that are not on the path are shared. */
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

START_TEST(a_bad_item_is_refused_and_its_number_is_reported)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_insert(tree, boxed(box(4, 0, 3, 1), 1), &error));
    expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: box is inverted (x 4 > 3)");
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

START_TEST(a_strict_tree_accepts_items_within_its_bounds_edges_included)
{
    pqt_item items[] = {boxed(world_box, 1),          dot(0, 0, 2),   dot(16, 16, 3), dot(0, 16, 4),
                        boxed(box(16, 0, 16, 16), 5), dot(-0.0, 8, 6)};
    expect_items(with_items(strict_tree(), items, 6), items, 6);
}
END_TEST

START_TEST(a_strict_tree_refuses_items_outside_its_bounds)
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

START_TEST(the_side_that_leaves_strict_bounds_is_named_with_its_value)
{
    const struct {
        pqt_box box;
        const char *text;
    } outside[] = {
        {box(-1, 2, 3, 4), "item 0: leaves the strict bounds (min.x -1 < 0)"},
        {box(1, -2, 3, 4), "item 0: leaves the strict bounds (min.y -2 < 0)"},
        {box(1, 2, 18, 4), "item 0: leaves the strict bounds (max.x 18 > 16)"},
        {box(1, 2, 3, 19), "item 0: leaves the strict bounds (max.y 19 > 16)"},
        {box(-1, -2, 18, 19), "item 0: leaves the strict bounds (min.x -1 < 0)"},
        {box(1, 2, 18, 19), "item 0: leaves the strict bounds (max.x 18 > 16)"},
    };
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_tree_insert(strict_tree(), boxed(outside[i].box, 1), &error));
        expect_failure(&error, PQT_ERROR_BOUNDS, 0, outside[i].text);
    }
}
END_TEST

START_TEST(a_tree_that_is_not_strict_accepts_outliers)
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

/* ---- Removing ---- */

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

START_TEST(removing_an_inserted_item_restores_the_version)
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

START_TEST(removing_an_absent_item_returns_the_same_version)
{
    const pqt_tree *tree = inserted(with_grid(small_tree(1), 4), boxed(box(1, 1, 3, 3), 70));
    const pqt_item absent[] = {
        dot(2, 2, 1), /* this id is present, but with another box */
        dot(6, 2, 0), /* this box is present, but with another id */
        boxed(box(1, 1, 3, nextafter(3, 4)), 70),
        boxed(box(1, 1, 3, 3), 71),
        dot(99, 99, 1),
        boxed(box(4, 0, 3, 1), 1), /* its box is invalid */
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

/* An absent id is moved from the position of each item to that of each other item. The two paths
   diverge at every depth. */
START_TEST(a_move_of_an_absent_item_allocates_nothing)
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

START_TEST(removing_from_an_empty_tree_returns_the_same_version)
{
    const pqt_tree *empty = small_tree(1);
    ck_assert_ptr_eq(removed(empty, dot(1, 1, 1)), empty);
    ck_assert_ptr_eq(moved(empty, dot(1, 1, 1), point(2, 2)), empty);
}
END_TEST

/* ---- Moving ---- */

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

START_TEST(moving_an_item_to_its_own_box_returns_the_same_version)
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

/* Four of five items remain in a tree with a capacity of 4. So no node remains, whatever its depth
 * was. */
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
        expect_failure(&error, PQT_ERROR_BOX, 0, "item 0: box is inverted (x 4 > 3)");
        error = (pqt_error){0};
        ck_assert_ptr_null(pqt_tree_move(trees[i], dot(1, 1, 1), point(1, 17), &error));
        ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    }
}
END_TEST

/* A short move copies one path, and keeps no more blocks than an insertion at that position. */
START_TEST(a_short_move_copies_one_path)
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

/* One of five items of a tree with a capacity of 4 is removed. Only a leaf and a version record are
 * allocated. */
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

/* ---- Unique ids ---- */

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

START_TEST(the_last_item_of_equal_ids_is_kept)
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

START_TEST(editing_an_unknown_id_returns_the_same_version)
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

START_TEST(with_unique_ids_too_an_item_is_identified_by_its_box_and_its_id)
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

/* Enough ids for an id map of several levels are inserted, and then removed. */
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

/* ---- Clearing ---- */

START_TEST(clear_returns_the_empty_version_of_the_same_tree)
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

START_TEST(clearing_an_empty_version_returns_the_same_version)
{
    const pqt_tree *empty = small_tree(3);
    ck_assert_ptr_eq(pqt_tree_clear(empty, NULL), empty);
    const pqt_tree *emptied = removed(inserted(empty, dot(1, 1, 1)), dot(1, 1, 1));
    ck_assert_ptr_eq(pqt_tree_clear(emptied, NULL), emptied);
}
END_TEST

/* ---- Several threads ---- */

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

START_TEST(several_threads_may_edit_one_version)
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
    tcase_add_test(tests, inserting_a_present_item_returns_the_same_version);
    tcase_add_test(tests, two_items_may_share_a_box_or_an_id);
    tcase_add_test(tests, any_64_bit_number_may_be_an_id);
    tcase_add_test(tests, minus_zero_is_kept_as_zero);
    tcase_add_test(tests, insert_shares_all_but_the_path);
    tcase_add_test(tests, a_bad_item_is_refused_and_its_number_is_reported);
    tcase_add_test(tests, a_strict_tree_accepts_items_within_its_bounds_edges_included);
    tcase_add_test(tests, a_strict_tree_refuses_items_outside_its_bounds);
    tcase_add_test(tests, the_side_that_leaves_strict_bounds_is_named_with_its_value);
    tcase_add_test(tests, a_tree_that_is_not_strict_accepts_outliers);
    tcase_add_test(tests, remove_leaves_the_old_version_alone);
    tcase_add_test(tests, removing_an_inserted_item_restores_the_version);
    tcase_add_test(tests, removing_an_absent_item_returns_the_same_version);
    tcase_add_test(tests, a_move_of_an_absent_item_allocates_nothing);
    tcase_add_test(tests, removing_from_an_empty_tree_returns_the_same_version);
    tcase_add_test(tests, move_gives_an_item_another_box);
    tcase_add_test(tests, moving_an_item_to_its_own_box_returns_the_same_version);
    tcase_add_test(tests, moving_onto_an_equal_item_leaves_one);
    tcase_add_test(tests, moving_onto_an_equal_item_may_leave_a_leaf);
    tcase_add_test(tests, a_bad_target_is_refused_even_for_an_absent_item);
    tcase_add_test(tests, a_short_move_copies_one_path);
    tcase_add_test(tests, a_node_that_becomes_a_leaf_is_made_at_once);
    tcase_add_test(tests, clear_returns_the_empty_version_of_the_same_tree);
    tcase_add_test(tests, clearing_an_empty_version_returns_the_same_version);
    tcase_add_test(tests, several_threads_may_edit_one_version);
}

static void
add_unique_ids(Suite *suite)
{
    TCase *tests = add_tests(suite, "unique ids");
    tcase_add_test(tests, inserting_a_known_id_replaces_its_item);
    tcase_add_test(tests, the_last_item_of_equal_ids_is_kept);
    tcase_add_test(tests, items_are_removed_and_moved_by_id_alone);
    tcase_add_test(tests, editing_an_unknown_id_returns_the_same_version);
    tcase_add_test(tests, a_bad_target_by_id_is_refused_even_for_an_unknown_id);
    tcase_add_test(tests, with_unique_ids_too_an_item_is_identified_by_its_box_and_its_id);
    tcase_add_test(tests, the_id_map_follows_every_change);
}

int
main(void)
{
    Suite *suite = suite_create("update");
    add_single_changes(suite);
    add_unique_ids(suite);
    return run_suite(suite);
}
