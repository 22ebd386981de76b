/* SPDX-License-Identifier: MIT */
/* test_tree_check.c: tests that pqt_tree_check finds each kind of corruption and reports its
 * location. */
#include "config.h"

#include <pqt/tree.h>

#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

static void *
writable(const void *block)
{
    return (void *)(uintptr_t)block;
}

static pqti_inner *
root_of(const pqt_tree *tree)
{
    ck_assert(!tree->leaf);
    return writable(tree->root);
}

/* Returns a tree of 16 dots with a capacity of 2: the root, four nodes, and sixteen leaves of one
 * item. */
static const pqt_tree *
grown(void)
{
    return with_grid(small_tree(2), 4);
}

/* Returns the same tree with three own items of the root, which form a node. */
static const pqt_tree *
with_own_items(void)
{
    return with_items(grown(), (pqt_item[]){twin(0), dot(-5, -5, 1), dot(40, -5, 1)}, 3);
}

/* Returns the four coordinates of the only item of the first leaf, the dot at (2, 2). */
static double *
first_leaf(const pqt_tree *tree)
{
    return writable(((const pqti_inner *)root_of(tree)->child[0])->child[0]);
}

static const pqt_tree *
lose_a_child(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->child[2] = NULL;
    return tree;
}

static const pqt_tree *
find_a_child(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->child[1] = root_of(tree)->child[0];
    return tree;
}

static const pqt_tree *
lose_the_root(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->root = NULL;
    return tree;
}

static const pqt_tree *
mark_nothing_as_a_leaf(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->count[1] = PQTI_LEAF_BIT;
    return tree;
}

static const pqt_tree *
mark_a_node_as_a_leaf(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->count[0] |= PQTI_LEAF_BIT;
    return tree;
}

static const pqt_tree *
mark_a_leaf_as_a_node(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *node = writable(root_of(tree)->child[3]);
    node->count[3] &= ~PQTI_LEAF_BIT;
    return tree;
}

static const pqt_tree *
count_too_much(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->count[1]++;
    return tree;
}

static const pqt_tree *
count_too_few(void)
{
    const pqt_tree *tree = with_own_items();
    root_of(tree)->count[1]--;
    return tree;
}

static const pqt_tree *
count_the_version_wrong(void)
{
    const pqt_tree *tree = with_own_items();
    ((pqt_tree *)writable(tree))->count++;
    return tree;
}

static const pqt_tree *
count_own_items_wrong(void)
{
    const pqt_tree *tree = with_own_items();
    root_of(tree)->own->count++;
    ((pqt_tree *)writable(tree))->count++;
    return tree;
}

static const pqt_tree *
stain_a_fingerprint(void)
{
    const pqt_tree *tree = grown();
    ((pqti_inner *)writable(root_of(tree)->child[3]))->fingerprint.high ^= 1;
    return tree;
}

static const pqt_tree *
stain_the_root(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->fingerprint.low ^= UINT64_C(1) << 63;
    return tree;
}

static const pqt_tree *
stain_the_version(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->fingerprint.high++;
    return tree;
}

static const pqt_tree *
stain_an_id(void)
{
    const pqt_tree *tree = grown();
    ((uint64_t *)writable(first_leaf(tree)))[4] ^= 1;
    return tree;
}

static const pqt_tree *
widen_bounds_left(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->min_x[1]--;
    return tree;
}

static const pqt_tree *
widen_bounds_up(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->min_y[2]--;
    return tree;
}

static const pqt_tree *
narrow_bounds_right(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->max_x[0]--;
    return tree;
}

static const pqt_tree *
narrow_bounds_below(void)
{
    const pqt_tree *tree = grown();
    ((pqti_inner *)writable(root_of(tree)->child[0]))->max_y[1]--;
    return tree;
}

static const pqt_tree *
give_nothing_bounds(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->max_x[1] = 1;
    return tree;
}

static const pqt_tree *
write_nan(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[0] = NAN;
    return tree;
}

static const pqt_tree *
write_infinity(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[3] = INFINITY;
    return tree;
}

static const pqt_tree *
write_inside_out(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[2] = 1;
    return tree;
}

static const pqt_tree *
write_minus_zero(void)
{
    const pqt_tree *tree = inserted(small_tree(2), dot(0, 0, 1));
    ((double *)writable(tree->root))[1] = -0.0;
    return tree;
}

static const pqt_tree *
write_out_of_strict_bounds(void)
{
    const pqt_tree *tree = inserted(strict_tree(), dot(16, 16, 1));
    ((double *)writable(tree->root))[3] = nextafter(16, 17);
    return tree;
}

static const pqt_tree *
write_into_another_cell(void)
{
    const pqt_tree *tree = grown();
    first_leaf(tree)[0] = first_leaf(tree)[2] = 6;
    return tree;
}

static const pqt_tree *
write_into_own_items(void)
{
    const pqt_tree *tree = with_items(grown(), (pqt_item[]){dot(-5, -5, 1)}, 1);
    double *numbers = writable(root_of(tree)->own->at);
    for (int i = 0; i < 4; i++)
        numbers[i] = 1;
    return tree;
}

static const pqt_tree *
write_one_item_twice(void)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(1, 1, 2)}, 2);
    uint64_t *words = writable(tree->root);
    words[8] = words[9];
    return tree;
}

static const pqt_tree *
exchange_two_items(void)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    uint64_t *words = writable(tree->root);
    for (int i = 0; i < 10; i += 2) {
        uint64_t first = words[i];
        words[i] = words[i + 1];
        words[i + 1] = first;
    }
    return tree;
}

static const pqt_tree *
exchange_two_children(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *root = root_of(tree);
    const void *first = root->child[0];
    root->child[0] = root->child[1];
    root->child[1] = first;
    return tree;
}

static const pqt_tree *
make_a_ring(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *root = root_of(tree);
    root->child[0] = root;
    root->count[0] = 16;
    for (int i = 1; i < 4; i++) {
        root->child[i] = NULL;
        root->count[i] = 0;
    }
    return tree;
}

static const pqt_tree *
make_a_deep_ring(void)
{
    const pqt_tree *tree = make_a_ring();
    ((pqt_tree *)writable(tree))->skips = true;
    return tree;
}

static const pqt_tree *
lose_a_deep_child(void)
{
    const pqt_tree *tree = grown();
    pqti_inner *root = root_of(tree);
    ((pqt_tree *)writable(tree))->skips = true;
    root->child[0] = NULL;
    return tree;
}

static const pqt_tree *
mark_the_root_deep(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->skips = true;
    return tree;
}

static const pqt_tree *
mark_nothing_deep(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->count[1] = PQTI_SKIP_BIT;
    return tree;
}

static const pqt_tree *
mark_a_leaf_deep(void)
{
    const pqt_tree *tree = with_items(small_tree(2), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    ((pqt_tree *)writable(tree))->skips = true;
    return tree;
}

/* Returns a tree whose items are in one small cell. Clears the tag of the compressed edge, so that
   their node seems to be at the level of the root. */
static const pqt_tree *
leave_the_root_unmarked(void)
{
    pqt_item items[] = {dot(1, 1, 1), dot(1.5, 1, 2), dot(1, 1.5, 3)};
    const pqt_tree *tree = with_items(small_tree(1), items, 3);
    ck_assert(tree->skips);
    ((pqt_tree *)writable(tree))->skips = false;
    return tree;
}

/* Returns a tree of eight items with the same box, and another one. */
static const pqt_tree *
twins_at_depth(int max_depth)
{
    pqt_item items[9];
    for (uint64_t i = 0; i < 8; i++)
        items[i] = dot(1, 1, i);
    items[8] = dot(9, 9, 8);
    return with_items(made(world_box, options_of(1, max_depth)), items, 9);
}

static const pqt_tree *
twins(void)
{
    return twins_at_depth(24);
}

/* Returns the own items of the node of the twins, which a hash node divides. */
static pqti_own_items *
own_items_of(const pqt_tree *twins)
{
    pqti_inner *node = writable(root_of(twins)->child[0]);
    ck_assert(pqti_own_ref(node, 8).is_hash);
    return node->own;
}

static const pqt_tree *
widen_a_side_range(void)
{
    const pqt_tree *tree = twins();
    pqti_side_range *range = writable(pqti_side_range_of(own_items_of(tree)->at));
    range->max.max.x++;
    return tree;
}

static const pqt_tree *
narrow_a_side_range(void)
{
    const pqt_tree *tree = twins();
    pqti_side_range *range = writable(pqti_side_range_of(own_items_of(tree)->at));
    range->min.min.y++;
    return tree;
}

/* All items of a hash node may be in one quadrant, so it can lead to itself. No compressed edge
   leads to this one. */
static const pqt_tree *
make_a_hash_ring(void)
{
    const pqt_tree *tree = twins_at_depth(1);
    pqti_inner *node = writable(own_items_of(tree)->at);
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        node->child[i] = i == 0 ? node : NULL;
        node->count[i] = i == 0 ? 8 | PQTI_HASH_BIT : 0;
    }
    return tree;
}

static const pqt_tree *
mark_a_compressed_edge_as_one_to_a_hash_node(void)
{
    const pqt_tree *tree = twins();
    ck_assert(root_of(tree)->count[0] & PQTI_SKIP_BIT);
    root_of(tree)->count[0] |= PQTI_HASH_BIT;
    return tree;
}

static const pqt_tree *
unmark_a_hash_node(void)
{
    const pqt_tree *tree = twins();
    own_items_of(tree)->count &= ~PQTI_HASH_BIT;
    return tree;
}

static const pqt_tree *
mark_nothing_as_a_hash_node(void)
{
    const pqt_tree *tree = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    root_of(tree)->count[1] = PQTI_HASH_BIT;
    return tree;
}

static const pqt_tree *
mark_a_node_as_a_hash_node(void)
{
    const pqt_tree *tree = grown();
    root_of(tree)->count[2] |= PQTI_HASH_BIT;
    return tree;
}

static const pqt_tree *
lose_the_id_map(void)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ((pqt_tree *)writable(tree))->ids = NULL;
    return tree;
}

static const pqt_tree *
take_an_older_id_map(void)
{
    const pqt_tree *old = with_grid(unique_tree(2), 4);
    const pqt_tree *tree = moved(old, dot_of_grid(4, 0), point(1, 1));
    ((pqt_tree *)writable(tree))->ids = old->ids;
    return tree;
}

static const pqt_tree *
take_a_larger_id_map(void)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ((pqt_tree *)writable(tree))->ids = inserted(tree, dot(1, 1, 99))->ids;
    return tree;
}

static const pqt_tree *
take_an_id_map_unasked(void)
{
    const pqt_tree *tree = grown();
    ((pqt_tree *)writable(tree))->ids = with_grid(unique_tree(2), 4)->ids;
    return tree;
}

static void
exchange_words(uint64_t *words)
{
    const uint64_t first = words[0];
    words[0] = words[1];
    words[1] = first;
}

/* Exchanges the two entries of a small id map. It is a single leaf, which contains the number of
 * its entries, then two keys, two words of locators, and a word that holds two halves. */
static const pqt_tree *
exchange_two_ids(void)
{
    const pqt_tree *tree = with_items(unique_tree(2), (pqt_item[]){dot(1, 1, 1), dot(9, 9, 2)}, 2);
    uint64_t *words = (uint64_t *)writable(tree->ids) + 1;
    exchange_words(words);
    exchange_words(words + 2);
    words[4] = words[4] >> 32 | words[4] << 32;
    return tree;
}

static const pqt_tree *
count_the_id_map_wrong(void)
{
    const pqt_tree *tree = with_grid(unique_tree(2), 4);
    ++*(uint64_t *)writable(tree->ids);
    return tree;
}

static const struct {
    const pqt_tree *(*spoil)(void);
    const char *text;
} spoilt[] = {
    {lose_a_child, "1 step below the root: an empty child is not NULL, or a child with items is"},
    {find_a_child, "1 step below the root: an empty child is not NULL, or a child with items is"},
    {lose_the_root, "0 steps below the root: an empty child is not NULL, or a child with items is"},
    {mark_nothing_as_a_leaf, "1 step below the root: an empty child is tagged a leaf"},
    {mark_a_node_as_a_leaf, "1 step below the root: a leaf holds more than its capacity"},
    {mark_a_leaf_as_a_node, "2 steps below the root: a node holds no more than a leaf could"},
    {count_too_much,
     "0 steps below the root: the quadrants of a node hold more items than the node"},
    {count_too_few, "0 steps below the root: the count of a node is not the sum of its children's"},
    {count_the_version_wrong,
     "0 steps below the root: the count of a node is not the sum of its children's"},
    {count_own_items_wrong, "1 step below the root: a node of own items has own items"},
    {stain_a_fingerprint,
     "1 step below the root: the fingerprint of a node is not that of its items"},
    {stain_the_root, "0 steps below the root: the fingerprint of a node is not that of its items"},
    {stain_the_version,
     "0 steps below the root: the fingerprint of the version is not that of its items"},
    {stain_an_id, "1 step below the root: the fingerprint of a node is not that of its items"},
    {widen_bounds_left, "0 steps below the root: the bounds of a child are not those of its items"},
    {widen_bounds_up, "0 steps below the root: the bounds of a child are not those of its items"},
    {narrow_bounds_right,
     "0 steps below the root: the bounds of a child are not those of its items"},
    {narrow_bounds_below,
     "1 step below the root: the bounds of a child are not those of its items"},
    {give_nothing_bounds,
     "0 steps below the root: the bounds of a child are not those of its items"},
    {write_nan, "2 steps below the root: an item's box is not valid"},
    {write_infinity, "2 steps below the root: an item's box is not valid"},
    {write_inside_out, "2 steps below the root: an item's box is not valid"},
    {write_minus_zero, "0 steps below the root: an item's box is not valid"},
    {write_out_of_strict_bounds,
     "0 steps below the root: an item leaves the bounds of a strict tree"},
    {write_into_another_cell,
     "2 steps below the root: an item is not in the child that its key determines"},
    {write_into_own_items,
     "1 step below the root: an item is not in the child that its key determines"},
    {write_one_item_twice,
     "0 steps below the root: items are not in tree order, or an item occurs twice"},
    {exchange_two_items,
     "0 steps below the root: items are not in tree order, or an item occurs twice"},
    {exchange_two_children,
     "2 steps below the root: an item is not in the child that its key determines"},
    {make_a_ring, "0 steps below the root: a node holds all of its items in one quadrant"},
    {make_a_deep_ring, "0 steps below the root: a compressed edge leads to no leaf"},
    {lose_a_deep_child, "0 steps below the root: a compressed edge leads to no leaf"},
    {mark_the_root_deep, "0 steps below the root: an edge that skips no node is tagged compressed"},
    {mark_nothing_deep, "1 step below the root: an empty child is tagged compressed"},
    {mark_a_leaf_deep,
     "0 steps below the root: an edge to a leaf or below a hash node is tagged compressed"},
    {leave_the_root_unmarked,
     "1 step below the root: an item is not in the child that its key determines"},
    {widen_a_side_range,
     "25 steps below the root: the side range of a hash node is not that of its items"},
    {narrow_a_side_range,
     "25 steps below the root: the side range of a hash node is not that of its items"},
    {make_a_hash_ring, "34 steps below the root: a node holds no more than a leaf could"},
    {mark_a_compressed_edge_as_one_to_a_hash_node,
     "24 steps below the root: the hash tag of a compressed edge is wrong"},
    {unmark_a_hash_node, "25 steps below the root: a hash node is not tagged as one"},
    {mark_a_node_as_a_hash_node,
     "1 step below the root: a node that is not a hash node is tagged as one"},
    {mark_nothing_as_a_hash_node, "1 step below the root: an empty child is tagged a hash node"},
    {lose_the_id_map, "2 steps below the root: an item is not in the id map"},
    {take_an_older_id_map, "2 steps below the root: an item is not in the id map"},
    {take_a_larger_id_map,
     "0 steps below the root: the id map and the tree hold different numbers of items"},
    {take_an_id_map_unasked,
     "0 steps below the root: the id map and the tree hold different numbers of items"},
    {exchange_two_ids, "0 steps below the root: the id map is out of order"},
    {count_the_id_map_wrong, "0 steps below the root: the id map is out of order"},
};

START_TEST(check_names_the_fault_and_its_position)
{
    const pqt_tree *tree = spoilt[_i].spoil();
    pqt_error error = {0}, earlier = earlier_failure();
    ck_assert(!pqt_tree_check(tree, &error));
    expect_failure(&error, PQT_ERROR_CORRUPT, 0, spoilt[_i].text);
    ck_assert(!pqt_tree_check(tree, NULL));
    ck_assert(!pqt_tree_check(tree, &earlier));
    expect_earlier_failure(&earlier);
}
END_TEST

START_TEST(check_finds_nothing_in_a_correct_tree)
{
    pqt_error earlier = earlier_failure();
    const pqt_tree *trees[] = {small_tree(1), grown(), with_own_items(),
                               with_grid(unique_tree(2), 8),
                               with_grid(made(world_box, options_of(1, 0)), 8)};
    for (size_t i = 0; i < 5; i++) {
        expect_sound(trees[i]);
        ck_assert(pqt_tree_check(trees[i], NULL));
        ck_assert(pqt_tree_check(trees[i], &earlier));
    }
    expect_earlier_failure(&earlier);
}
END_TEST

static void
add_checks(Suite *suite)
{
    TCase *tests = add_tests(suite, "check");
    tcase_add_test(tests, check_finds_nothing_in_a_correct_tree);
    tcase_add_loop_test(tests, check_names_the_fault_and_its_position, 0,
                        (int)(sizeof spoilt / sizeof *spoilt));
}

int
main(void)
{
    Suite *suite = suite_create("tree_check");
    add_checks(suite);
    return run_suite(suite);
}
