/* SPDX-License-Identifier: MIT */
/*
 * test_find_id.c: finds, moves and removes by id among 100,000 boxes that no cell divides, and
 * counts the costs.
 *
 * The id map holds no boxes, so each look-up descends the tree. In a crowded cell it must follow
 * the hash of the item, which the box determines.
 */
#include "config.h"

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/find_id.h"
#include "tree/idmap.h"
#include "tree/node.h"
#include "tree_support.h"

enum { CROWD = 100000, STEP = 97, MOST_STEPS = 100 };

/* A crowd: how its boxes arise. */
typedef struct crowd {
    const char *name;
    pqt_box box;  /* one of the boxes, in a world of 10000 x 10000 */
    double grows; /* the others are up to this much larger, with the same centre */
} crowd;

static const crowd crowds[] = {
    {"one box", {{1234, 5678}, {1240, 5680}}, 0},
    {"a point", {{5000, 5000}, {5000, 5000}}, 0},
    {"larger than the bounds", {{-5000, -5000}, {15000, 15000}}, 0},
    {"one box outside", {{20000, -3000}, {20002, -2999}}, 0},
    {"boxes on one centre", {{1234, 5678}, {1240, 5680}}, 0.5},
    {"boxes in one of the smallest cells",
     {{5000.00001, 5000.00001}, {5000.00002, 5000.00002}},
     0.00001},
    {"boxes on one centre outside", {{20000, -3000}, {20002, -2999}}, 0.25},
};

enum { CROWDS = sizeof crowds / sizeof *crowds };

/* Returns item `id` of a crowd. */
static pqt_item
crowd_item(const crowd *of, uint64_t id)
{
    const double more = of->grows * (double)(id * 7919 % CROWD) / CROWD;
    pqt_item item = boxed(of->box, id);
    item.box.min.x -= more / 2;
    item.box.max.x += more / 2;
    return item;
}

static const pqt_tree *
crowd_tree(const crowd *of)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_item *items = calloc(CROWD, sizeof *items);
    ck_assert_ptr_nonnull(items);
    options.memory = arena;
    options.unique_ids = true;
    for (size_t i = 0; i < CROWD; i++)
        items[i] = crowd_item(of, i);
    const pqt_tree *tree = pqt_tree_make(box(0, 0, 10000, 10000), &options, &error);
    tree = must(pqt_tree_insert_all(tree, items, CROWD, &error), &error);
    free(items);
    return tree;
}

/* Finds an id, and returns the number of nodes and items that the search reads. */
static uint64_t
steps_to_find(const pqt_tree *tree, uint64_t id, pqt_item *found)
{
    pqt_query_stats stats = {0};
    pqti_locator locator;
    ck_assert(pqti_idmap_find(tree->ids, id, &locator));
    ck_assert(pqti_find_located(tree, id, &locator, &stats, found));
    return stats.nodes + stats.leaves + stats.boxes;
}

START_TEST(an_id_among_100000_in_one_cell_is_found_in_few_steps)
{
    const crowd *of = &crowds[_i];
    const pqt_tree *tree = crowd_tree(of);
    uint64_t most = 0;
    for (uint64_t id = 0; id < CROWD; id += STEP) {
        pqt_item found, public_found;
        const uint64_t steps = steps_to_find(tree, id, &found);
        most = steps > most ? steps : most;
        require(same_bits(found, crowd_item(of, id)), "the item is found");
        require(pqt_tree_find(tree, id, &public_found) && same_bits(found, public_found),
                "pqt_tree_find finds it too");
    }
    fprintf(stderr, "# %s: at most %u nodes, leaves and items\n", of->name, (unsigned)most);
    ck_assert_uint_lt(most, MOST_STEPS);
    ck_assert(!pqt_tree_find(tree, CROWD, NULL));
}
END_TEST

/* Moves items out of the crowd, within it and back, and counts the blocks that each move makes. */
START_TEST(a_move_by_id_among_100000_in_one_cell_makes_few_blocks)
{
    const crowd *of = &crowds[_i];
    const pqt_tree *tree = crowd_tree(of), *whole = tree;
    pqt_error error = {0};
    const uint64_t ids = 30;
    for (uint64_t i = 0; i < 3 * ids; i++) {
        const uint64_t id = i % ids * STEP;
        const pqt_box to[] = {point(7, 7), of->box, crowd_item(of, id).box};
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        tree = pqt_tree_move_id(tree, id, to[i / ids], &error);
        hooks_stop();
        pqt_item found;
        must(tree, &error);
        ck_assert_uint_lt(hooks_kept_blocks(&watch), MOST_STEPS);
        ck_assert(pqt_tree_find(tree, id, &found) && same_bits(found, boxed(to[i / ids], id)));
    }
    ck_assert(pqt_tree_equals(tree, whole));
    ck_assert(pqt_tree_check(tree, &error));
    tree = must(pqt_tree_remove_id(tree, STEP, &error), &error);
    ck_assert(!pqt_tree_find(tree, STEP, NULL));
    ck_assert(pqt_tree_check(tree, &error));
}
END_TEST

/* Returns the id for which an item with this box has the given hash. */
static uint64_t
id_of_hash(const pqt_box *from, uint64_t hash)
{
    const pqt_item none = boxed(*from, 0);
    return pqti_hash_unmix64(hash) ^ pqti_hash_unmix64(pqti_item_hash(&none));
}

/* The locators of the items are equal, and more of them than a leaf may hold are below one node. */
START_TEST(ids_with_equal_locators_are_told_apart)
{
    enum { FEW = 100 };
    const pqt_box from = box(3, 3, 4, 4);
    const pqt_tree *tree = unique_tree(2);
    pqt_error error = {0};
    pqti_locator first = {0};
    for (uint64_t i = 0; i < FEW; i++) {
        const uint64_t id = id_of_hash(&from, UINT64_C(0xfedcba9800000000) + (i << 20));
        pqti_locator locator;
        tree = inserted(tree, boxed(from, id));
        ck_assert(pqti_idmap_find(tree->ids, id, &locator));
        first = i == 0 ? locator : first;
        ck_assert(locator.centre == first.centre && locator.level_and_hash == first.level_and_hash);
    }
    for (uint64_t i = 0; i < FEW; i++) {
        const uint64_t id = id_of_hash(&from, UINT64_C(0xfedcba9800000000) + (i << 20));
        pqt_item found;
        ck_assert(pqt_tree_find(tree, id, &found) && same_bits(found, boxed(from, id)));
        tree = must(pqt_tree_move_id(tree, id, point(1, 1), &error), &error);
        ck_assert(pqt_tree_find(tree, id, &found) && same_bits(found, dot(1, 1, id)));
    }
    ck_assert(pqt_tree_check(tree, &error));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("find_id");
    TCase *tests = add_tests(suite, "crowds");
    tcase_add_loop_test(tests, an_id_among_100000_in_one_cell_is_found_in_few_steps, 0, CROWDS);
    tcase_add_loop_test(tests, a_move_by_id_among_100000_in_one_cell_makes_few_blocks, 0, CROWDS);
    tcase_add_test(tests, ids_with_equal_locators_are_told_apart);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
