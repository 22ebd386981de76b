/* SPDX-License-Identifier: MIT */
/* test_tree_stats.c: tests statistics of nodes, and of shared bytes. */
#include "config.h"

#include <pqt/tree.h>

#include "hooks.h"
#include "suite.h"
#include "tree/idmap.h"
#include "tree/node.h"
#include "tree_support.h"

enum { NODE = 128, NODE_WITH_OWN_ITEMS = 144, LEAF_OF_1 = 48, LEAF_OF_2 = 80, VERSION = 48 };

static void
expect_stats(const pqt_tree *tree, pqt_tree_stats expected)
{
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    ck_assert_uint_eq(stats.items, expected.items);
    ck_assert_uint_eq(stats.nodes, expected.nodes);
    ck_assert_uint_eq(stats.leaves, expected.leaves);
    ck_assert_uint_eq(stats.depth, expected.depth);
    ck_assert_uint_eq(stats.bytes, expected.bytes);
}

START_TEST(stats_count_a_root_that_is_a_leaf)
{
    const pqt_tree *tree = inserted(small_tree(2), dot(1, 1, 1));
    expect_stats(tree, (pqt_tree_stats){1, 0, 1, 0, VERSION + LEAF_OF_1});
    tree = inserted(tree, dot(9, 9, 2));
    expect_stats(tree, (pqt_tree_stats){2, 0, 1, 0, VERSION + LEAF_OF_2});
}
END_TEST

START_TEST(stats_count_nodes_below_each_other)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    expect_stats(tree, (pqt_tree_stats){2, 1, 2, 1, VERSION + NODE + 2 * LEAF_OF_1});
    tree = inserted(tree, dot(5, 1, 3));
    expect_stats(tree, (pqt_tree_stats){3, 2, 3, 2, VERSION + 2 * NODE + 3 * LEAF_OF_1});
    tree = inserted(tree, dot(1, 3, 4)); /* its path diverges from that of (1, 1) at depth 3 */
    expect_stats(tree, (pqt_tree_stats){4, 3, 4, 3, VERSION + 3 * NODE + 4 * LEAF_OF_1});
}
END_TEST

START_TEST(stats_count_nodes_next_to_each_other)
{
    expect_stats(with_grid(small_tree(1), 4),
                 (pqt_tree_stats){16, 5, 16, 2, VERSION + 5 * NODE + 16 * LEAF_OF_1});
}
END_TEST

START_TEST(stats_count_own_items)
{
    pqt_item large = boxed(box(-9, -9, 40, 40), 1), other = dot(-9, -9, 2);
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){large, dot(1, 1, 3)}, 2);
    expect_stats(tree, (pqt_tree_stats){2, 1, 2, 1, VERSION + NODE_WITH_OWN_ITEMS + 2 * LEAF_OF_1});
    tree = inserted(tree, other);
    expect_stats(
        tree, (pqt_tree_stats){3, 2, 3, 2, VERSION + NODE_WITH_OWN_ITEMS + NODE + 3 * LEAF_OF_1});
    tree = removed(tree, dot(1, 1, 3)); /* a node with own items only */
    expect_stats(
        tree, (pqt_tree_stats){2, 2, 2, 2, VERSION + NODE_WITH_OWN_ITEMS + NODE + 2 * LEAF_OF_1});
}
END_TEST

/* An item as large as the bounds has level 1, in the cell of its centre. */
START_TEST(stats_count_own_items_below_the_root)
{
    const pqt_tree *tree =
        with_items(small_tree(1), (pqt_item[]){boxed(world_box, 1), dot(9, 9, 2)}, 2);
    expect_stats(tree, (pqt_tree_stats){2, 1, 2, 1, VERSION + NODE_WITH_OWN_ITEMS + 2 * LEAF_OF_1});
}
END_TEST

/* A leaf of the id map has 8 bytes, plus 20 for each of up to 8 ids. A node has 80 bytes. */
START_TEST(stats_count_the_id_map)
{
    pqt_item two[] = {dot(1, 1, 1), dot(9, 9, 2)};
    expect_stats(with_items(unique_tree(2), two, 2),
                 (pqt_tree_stats){2, 0, 1, 0, VERSION + LEAF_OF_2 + 48});
    const pqt_tree *tree = with_grid(unique_tree(24), 2);
    for (uint64_t id = 4; id < 8; id++)
        tree = inserted(tree, dot(3, 3, id));
    expect_stats(tree, (pqt_tree_stats){8, 0, 1, 0, VERSION + 8 * 40 + 176});
    const pqt_tree *plain = with_grid(small_tree(2), 3), *unique = with_grid(unique_tree(2), 3);
    size_t map = pqt_tree_get_stats(unique).bytes - pqt_tree_get_stats(plain).bytes;
    ck_assert_uint_gt(map, 80 + 9 * 20);
    ck_assert_uint_le(map, 80 + 9 * 32);
}
END_TEST

/* The bytes that a version reports equal those that the allocation hook counted. */
START_TEST(bytes_are_those_allocated)
{
    pqt_item items[300];
    pqt_error error = {0};
    for (size_t i = 0; i < 300; i++)
        items[i] = i % 7 == 0 ? twin(i) : dot_of_grid(20, i);
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(3) : small_tree(3);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        const pqt_tree *tree = must(pqt_tree_insert_all(empty, items, 300, &error), &error);
        hooks_stop();
        pqt_tree_stats stats = pqt_tree_get_stats(tree);
        ck_assert_uint_eq(stats.items, 300);
        ck_assert(unique || stats.bytes == hooks_kept_bytes(&watch));
        ck_assert(unique || stats.nodes + stats.leaves + 1 == hooks_kept_blocks(&watch));
    }
}
END_TEST

START_TEST(a_version_shares_all_bytes_with_itself)
{
    const pqt_tree *trees[] = {small_tree(2), with_grid(small_tree(2), 8),
                               with_grid(unique_tree(2), 8)};
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(pqt_tree_shared_bytes(trees[i], trees[i]),
                          pqt_tree_get_stats(trees[i]).bytes);
}
END_TEST

START_TEST(unrelated_versions_share_nothing)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 8);
    ck_assert_uint_eq(pqt_tree_shared_bytes(tree, with_grid(unique_tree(2), 8)), 0);
    ck_assert_uint_eq(pqt_tree_shared_bytes(tree, unique_tree(2)), 0);
    ck_assert_uint_eq(pqt_tree_shared_bytes(small_tree(2), small_tree(2)), 0);
}
END_TEST

/* One of two distant dots moves within its cell. Only the leaf of the other dot is shared. */
START_TEST(shared_bytes_are_those_of_the_shared_nodes)
{
    const pqt_tree *old = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    const pqt_tree *new = moved(old, dot(1, 1, 1), point(2, 2));
    ck_assert_uint_eq(pqt_tree_shared_bytes(old, new), LEAF_OF_1);
    ck_assert_uint_eq(pqt_tree_shared_bytes(new, old), LEAF_OF_1);
    const pqt_tree *more = inserted(old, dot(-9, -9, 3));
    ck_assert_uint_eq(pqt_tree_shared_bytes(old, more), 2 * LEAF_OF_1);
}
END_TEST

/* As the header says, the cost of a version is its own bytes minus those that it shares with the
 * other. */
START_TEST(a_version_costs_its_bytes_less_the_shared_ones)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *old = with_grid(unique ? unique_tree(4) : small_tree(4), 32);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        const pqt_tree *new = inserted(old, dot(3, 3, 5000));
        hooks_stop();
        size_t cost = pqt_tree_get_stats(new).bytes - pqt_tree_shared_bytes(old, new);
        /* The id map may allocate an unused leaf when it splits one. */
        ck_assert_uint_le(cost, hooks_kept_bytes(&watch));
        ck_assert(unique || cost == hooks_kept_bytes(&watch));
        ck_assert_uint_lt(cost, 4000);
    }
}
END_TEST

/* Returns the id of a key. */
static uint64_t
id_of_key(uint64_t key)
{
    uint64_t id = unfinished(key) - UINT64_C(0x9e3779b97f4a7c15);
    ck_assert_uint_eq(pqti_id_key(id), key);
    return id;
}

/* The deepest possible id map has 16 ids whose keys differ only in the last 4 bits. The function
   writes to the given buffer, and to no byte before or after it. */
START_TEST(exclusive_bytes_of_id_maps_stay_in_the_given_buffer)
{
    enum { SLICES = 23, WIDTH = 3, ROOM = SLICES * WIDTH, MARGIN = 1000, ALL = ROOM + 2 * MARGIN };
    static const char canary;
    static const void *lent[ALL];
    const pqt_tree *tree = with_grid(unique_tree(4), 8);
    for (uint64_t i = 0; i < 16; i++)
        tree = inserted(tree, dot((double)i, 3, id_of_key(UINT64_C(0x123456789abcdef0) + i)));
    const pqt_tree *next = tree;
    for (uint64_t i = 0; i < 16; i += 7)
        next = pqt_tree_remove_id(next, id_of_key(UINT64_C(0x123456789abcdef0) + i), NULL);
    const void *const others[] = {with_grid(unique_tree(4), 8)->ids, next->ids, next->ids};
    for (size_t i = 0; i < ALL; i++)
        lent[i] = &canary;
    ck_assert_uint_eq(
        pqti_idmap_exclusive_bytes(arena, tree->ids, others, WIDTH, lent + MARGIN, WIDTH),
        pqti_idmap_bytes(arena, tree->ids) - pqti_idmap_shared_bytes(arena, tree->ids, next->ids));
    size_t written = 0;
    for (size_t i = 0; i < ALL; i++) {
        ck_assert((i >= MARGIN && i < MARGIN + ROOM) || lent[i] == &canary);
        written += lent[i] != &canary;
    }
    ck_assert_uint_gt(written, 20);
}
END_TEST

static void
add_stats(Suite *suite)
{
    TCase *tests = add_tests(suite, "stats");
    tcase_add_test(tests, stats_count_a_root_that_is_a_leaf);
    tcase_add_test(tests, stats_count_nodes_below_each_other);
    tcase_add_test(tests, stats_count_nodes_next_to_each_other);
    tcase_add_test(tests, stats_count_own_items);
    tcase_add_test(tests, stats_count_own_items_below_the_root);
    tcase_add_test(tests, stats_count_the_id_map);
    tcase_add_test(tests, bytes_are_those_allocated);
    tcase_add_test(tests, a_version_shares_all_bytes_with_itself);
    tcase_add_test(tests, unrelated_versions_share_nothing);
    tcase_add_test(tests, shared_bytes_are_those_of_the_shared_nodes);
    tcase_add_test(tests, a_version_costs_its_bytes_less_the_shared_ones);
    tcase_add_test(tests, exclusive_bytes_of_id_maps_stay_in_the_given_buffer);
}

int
main(void)
{
    Suite *suite = suite_create("tree_stats");
    add_stats(suite);
    return run_suite(suite);
}
