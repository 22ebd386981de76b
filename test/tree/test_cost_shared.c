/* SPDX-License-Identifier: MIT */
/* test_cost_shared.c: tests which nodes versions share after edits, searches and batches. */
#include "config.h"

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "compare_trees.h"
#include "hooks.h"
#include "large_trees.h"
#include "random.h"
#include "suite.h"
#include "tree/path_compress.h"
#include "tree_bounds.h"

/* ---- Sharing ---- */

/* The number of blocks of a tree, and the number of those that are at the same position in another
   tree. */
typedef struct blocks {
    size_t all, shared, unshared_but_equal;
} blocks;

/* Returns true if two subtrees have the same content. Compares the bytes of leaves and the
 * fingerprints of nodes. */
static bool
equal_subtrees(pqti_node_ref a, pqti_node_ref b)
{
    if (a.at == NULL || b.at == NULL || a.tagged_count != b.tagged_count)
        return false;
    if (a.leaf)
        return memcmp(a.at, b.at, a.count * 5 * sizeof(double)) == 0;
    return same_fingerprint(((const pqti_inner *)a.at)->fingerprint,
                            ((const pqti_inner *)b.at)->fingerprint);
}

/* Returns a child of the subtree at a position. */
static pqti_node_ref
part_of(const pqti_domain *domain, pqti_level level, pqti_node_ref whole, int child_index)
{
    pqti_inner virtual_node;
    if (whole.at == NULL || whole.leaf)
        return PQTI_EMPTY_REF;
    whole = pqti_expand_skip_at(domain, level, whole, &virtual_node);
    return pqti_child_ref(whole.at, whole.count, child_index);
}

/* Counts the blocks of two versions at one position. A node below a compressed edge counts at its
   own level. */
static void
count_blocks(const pqti_domain *domain, pqti_level level, pqti_node_ref now, pqti_node_ref before,
             blocks *sum)
{
    if (now.at == NULL)
        return;
    if (!now.skips) {
        sum->all++;
        if (now.at == before.at)
            sum->shared++;
        else if (equal_subtrees(now, before))
            sum->unshared_but_equal++;
    }
    for (int child_index = 0; child_index < PQTI_CHILDREN; child_index++)
        count_blocks(domain, pqti_child_level(domain, level, child_index),
                     part_of(domain, level, now, child_index),
                     part_of(domain, level, before, child_index), sum);
}

static blocks
blocks_of(const pqt_tree *now, const pqt_tree *before)
{
    blocks sum = {0, 0, 0};
    count_blocks(now->domain, PQTI_ROOT, pqti_root(now), pqti_root(before), &sum);
    return sum;
}

static pqt_change
draw_change(field *f, const mass *c)
{
    pqt_item item = f->items[dice_below(&f->d, f->count)];
    pqt_item fresh = {c->draw(&f->d), dice_next(&f->d)};
    switch (dice_below(&f->d, 3)) {
    case 0:
        return (pqt_change){PQT_INSERT, fresh, fresh.box};
    case 1:
        return (pqt_change){PQT_REMOVE, item, fresh.box};
    default:
        return (pqt_change){PQT_MOVE, item, fresh.box};
    }
}

/* Expects that every new block is part of the result, and that none of them could have been
 * shared. */
static void
expect_no_waste(const char *name, const pqt_tree *before, const pqt_tree *next, const hooks *watch)
{
    blocks sum = blocks_of(next, before);
    if (next == before) {
        ck_assert_uint_eq(hooks_kept_blocks(watch), 0);
        return;
    }
    ck_assert_msg(sum.unshared_but_equal == 0, "%s: %zu blocks are copies of what was there", name,
                  sum.unshared_but_equal);
    ck_assert_msg(hooks_kept_blocks(watch) == sum.all - sum.shared + 1,
                  "%s: %zu blocks made, %zu needed and a version", name, hooks_kept_blocks(watch),
                  sum.all - sum.shared);
}

START_TEST(a_batch_makes_no_more_than_the_union_of_the_paths)
{
    static const size_t sizes[] = {1, 2, 10, 100, 400, 5100}; /* the last one changes all items */
    pqt_change *changes = calloc(5100, sizeof *changes);
    field f = field_make(&masses[_i], 20000, false);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hooks watch = {0};
        pqt_error error = {0};
        for (size_t k = 0; k < sizes[i]; k++)
            changes[k] = draw_change(&f, &masses[_i]);
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, sizes[i], &error);
        hooks_stop();
        ck_assert_msg(next != NULL, "%s: %s", f.name, error.text);
        expect_no_waste(f.name, f.tree, next, &watch);
    }
    free(changes);
    field_free(&f);
}
END_TEST

START_TEST(a_single_edit_makes_no_more_than_its_path)
{
    field f = field_make(&masses[_i], 20000, false);
    for (int i = 0; i < EDITS; i++) {
        pqt_item item = f.items[dice_below(&f.d, f.count)];
        pqt_item fresh = {masses[_i].draw(&f.d), dice_next(&f.d)};
        hooks watch = {0};
        pqt_error error = {0};
        const pqt_tree *next;
        hooks_start(&watch);
        if (i % 3 == 0)
            next = pqt_tree_insert(f.tree, fresh, &error);
        else if (i % 3 == 1)
            next = pqt_tree_remove(f.tree, item, &error);
        else
            next =
                pqt_tree_move(f.tree, item, around(fresh.box.min.x, fresh.box.min.y, 1, 1), &error);
        hooks_stop();
        ck_assert_msg(next != NULL && next != f.tree, "%s: %s", f.name, error.text);
        expect_no_waste(f.name, f.tree, next, &watch);
    }
    field_free(&f);
}
END_TEST

/* Returns an insert, and a move or a removal of the inserted item. */
static const pqt_tree *
edit_small(dice *d, const pqt_tree *tree, pqt_box bounds, pqt_item *last, pqt_error *error)
{
    pqt_item item = {draw_box(d, bounds, BOXES_MIXED), dice_next(d)};
    pqt_item old = *last;
    switch (dice_below(d, 4)) {
    case 0:
        return pqt_tree_remove(tree, old, error);
    case 1:
        last->box = item.box;
        return pqt_tree_move(tree, old, item.box, error);
    default:
        *last = item;
        return pqt_tree_insert(tree, item, error);
    }
}

START_TEST(no_edit_of_a_small_tree_allocates_unused_nodes)
{
    dice d = {test_seed("no_edit_of_a_small_tree_allocates_unused_nodes")};
    for (size_t i = 0; i < worlds_count; i++) {
        pqt_memory *arena = make_arena();
        pqt_tree_options options = PQT_TREE_DEFAULTS;
        pqt_error error = {0};
        pqt_item last[16] = {{{{0, 0}, {0, 0}}, 0}};
        options.memory = arena;
        options.leaf_capacity = 1 + (int)dice_below(&d, 3);
        options.max_depth = (int)dice_below(&d, 33);
        const pqt_tree *tree = pqt_tree_make(worlds[i].bounds, &options, &error);
        for (size_t k = 0; k < test_scaled(400); k++) {
            hooks watch = {0};
            hooks_start(&watch);
            const pqt_tree *next = edit_small(&d, tree, worlds[i].bounds, &last[k % 16], &error);
            hooks_stop();
            ck_assert_msg(next != NULL, "%s: %s", worlds[i].name, error.text);
            expect_no_waste(worlds[i].name, tree, next, &watch);
            tree = next;
        }
        pqt_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(a_search_makes_only_nodes_at_the_edge_of_the_window)
{
    field f = field_make(&masses[_i], 20000, false);
    for (int i = 0; i < 20; i++) {
        pqt_query query = {{{-1e6, -1e6}, {dice_real(&f.d) * 10000, dice_real(&f.d) * 10000}},
                           (pqt_relation)(1 + i % 3),
                           NULL,
                           NULL,
                           NULL,
                           NULL,
                           PQT_PLANE,
                           {0}};
        hooks watch = {0};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_search(f.tree, &query, &error);
        hooks_stop();
        ck_assert_msg(next != NULL, "%s: %s", f.name, error.text);
        expect_no_waste(f.name, f.tree, next, &watch);
    }
    field_free(&f);
}
END_TEST

static pqt_box
uniform_among_a_million(dice *d)
{
    double x = dice_real(d) * 9990;
    double y = dice_real(d) * 9990;
    return (pqt_box){{x, y}, {x + dice_real(d) * 10, y + dice_real(d) * 10}};
}

START_TEST(a_search_of_a_quarter_shares_nine_tenths_of_its_nodes)
{
    const mass million = {"a million", uniform_among_a_million};
    static const pqt_box windows[] = {{{0, 0}, {5000, 5000}}, {{1234, 2345}, {6234, 7345}}};
    field f = field_make(&million, MILLION, false);
    for (int i = 0; i < 4; i++) {
        pqt_query query = {windows[i / 2], i % 2 == 0 ? PQT_TOUCHES : PQT_INSIDE,
                           NULL,           NULL,
                           NULL,           NULL,
                           PQT_PLANE,      {0}};
        pqt_error error = {0};
        const pqt_tree *found = pqt_tree_search(f.tree, &query, &error);
        ck_assert_msg(found != NULL, "%s", error.text);
        blocks sum = blocks_of(found, f.tree);
        ck_assert_uint_gt(pqt_tree_count(found), f.count / 5);
        ck_assert_uint_eq(sum.unshared_but_equal, 0);
        ck_assert_msg(sum.shared * 10 > sum.all * 9, "%zu of %zu blocks are shared", sum.shared,
                      sum.all);
        ck_assert_uint_gt(pqt_tree_shared_bytes(found, f.tree) * 10,
                          pqt_tree_get_stats(found).bytes * 9);
    }
    field_free(&f);
}
END_TEST

/* ---- Batches that change a fraction of the items ---- */

/* Applies each change by a separate call, one after another. */
static const pqt_tree *
apply_singly(const pqt_tree *tree, const pqt_change *changes, size_t count, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const pqt_change *c = &changes[i];
        switch (c->kind) {
        case PQT_INSERT:
            tree = pqt_tree_insert(tree, c->item, error);
            break;
        case PQT_REMOVE:
            tree = pqt_tree_remove(tree, c->item, error);
            break;
        case PQT_MOVE:
            tree = pqt_tree_move(tree, c->item, c->to, error);
            break;
        case PQT_REMOVE_ID:
            tree = pqt_tree_remove_id(tree, c->item.id, error);
            break;
        case PQT_MOVE_ID:
            tree = pqt_tree_move_id(tree, c->item.id, c->to, error);
            break;
        }
    }
    return tree;
}

/* Checks that shared subtrees are correct, and that the id map agrees with the tree. */
static void
expect_right(const pqt_tree *batch, const pqt_tree *single)
{
    pqt_error error = {0};
    ck_assert(pqt_tree_equals(batch, single));
    ck_assert_msg(pqt_tree_check(batch, &error), "%s", error.text);
}

/* Moves `count` items in the corner at (0, 0), each to another position in that corner. */
static pqt_change *
moves_in_a_corner(field *f, size_t count)
{
    pqt_query query = {{{0, 0}, {100, 100}}, PQT_INSIDE, NULL, NULL, NULL, NULL, PQT_PLANE, {0}};
    pqt_change *changes = calloc(count, sizeof *changes);
    pqt_item *items = calloc(count, sizeof *items);
    double side = 100;
    for (; pqt_tree_collect(f->tree, &query, items, count) < count; side *= 1.01)
        query.window.max = (pqt_vec){side, side};
    for (size_t i = 0; i < count; i++) {
        double x = dice_real(&f->d) * (side - 30), y = dice_real(&f->d) * (side - 30);
        changes[i] = (pqt_change){PQT_MOVE, items[i], around(x + 15, y + 15, 20, 10)};
    }
    free(items);
    return changes;
}

START_TEST(a_batch_in_one_corner_shares_the_rest)
{
    static const size_t sizes[] = {9000, 11000, 30000};
    for (int unique = 0; unique < 2; unique++) {
        field f = field_make(&masses[0], HUNDRED_THOUSAND, unique == 1);
        size_t count = sizes[_i];
        pqt_change *changes = moves_in_a_corner(&f, count);
        hooks watch = {0}, singly = {0};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, count, &error);
        hooks_stop();
        hooks_start(&singly);
        const pqt_tree *single = apply_singly(f.tree, changes, count, &error);
        hooks_stop();
        ck_assert_msg(next != NULL && single != NULL, "%s", error.text);
        expect_right(next, single);
        blocks sum = blocks_of(next, f.tree);
        ck_assert_uint_gt(sum.shared * 100, sum.all * 60);
        ck_assert_uint_eq(sum.unshared_but_equal, 0);
        ck_assert_uint_lt(hooks_kept_blocks(&watch), hooks_kept_blocks(&singly));
        if (unique == 0) { /* an id map scatters neighbours, so that most of its leaves change */
            expect_no_waste(f.name, f.tree, next, &watch);
            ck_assert_uint_gt(pqt_tree_shared_bytes(f.tree, next) * 100,
                              pqt_tree_get_stats(next).bytes * 60);
        }
        free(changes);
        field_free(&f);
    }
}
END_TEST

START_TEST(a_batch_of_any_fraction_of_the_items_equals_its_changes_one_by_one)
{
    enum { COUNT = 3000 };
    static const size_t percents[] = {5, 24, 26, 40, 60, 100, 250};
    const size_t shares = sizeof percents / sizeof *percents;
    pqt_change *changes = calloc(3 * COUNT, sizeof *changes);
    for (size_t i = 0; i < 2 * shares; i++) {
        bool unique = i % 2 == 1;
        field f = field_make(&masses[0], COUNT, unique);
        pqt_item last = f.items[0];
        size_t count = COUNT * percents[i / 2] / 100;
        pqt_error error = {0};
        for (size_t k = 0; k < count; k++)
            changes[k] = draw_dependent_change(&f, &last, unique);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, count, &error);
        const pqt_tree *single = apply_singly(f.tree, changes, count, &error);
        ck_assert_msg(next != NULL && single != NULL, "%s", error.text);
        expect_right(next, single);
        field_free(&f);
    }
    free(changes);
}
END_TEST

/* Makes moves of the first items. If `back` is set, each item is moved back immediately. */
static size_t
moves_of_most(field *f, size_t items, bool back, pqt_change *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < items; i++) {
        pqt_item there = {uniform(&f->d), f->items[i].id};
        changes[count++] = (pqt_change){PQT_MOVE, f->items[i], there.box};
        if (back)
            changes[count++] = (pqt_change){PQT_MOVE, there, f->items[i].box};
    }
    return count;
}

START_TEST(moves_of_most_items_are_all_done_or_none)
{
    enum { COUNT = 4000 };
    pqt_change *changes = calloc(2 * COUNT, sizeof *changes);
    for (int i = 0; i < 6; i++) {
        field f = field_make(&masses[0], COUNT, i % 2 == 1);
        /* half of them, three quadrants, all of them */
        size_t items = COUNT * (size_t)(i / 2 + 2) / 4;
        size_t count = moves_of_most(&f, items, false, changes);
        pqt_error error = {0}, refused = {0};
        pqt_fingerprint before = pqt_tree_fingerprint(f.tree);
        const pqt_tree *next = pqt_tree_apply(f.tree, changes, count, &error);
        ck_assert_msg(next != NULL, "%s", error.text);
        expect_right(next, apply_singly(f.tree, changes, count, &error));
        changes[count - 3].to.max.x = NAN;
        ck_assert_ptr_null(pqt_tree_apply(f.tree, changes, count, &refused));
        ck_assert_int_eq(refused.status, PQT_ERROR_BOX);
        ck_assert_uint_eq(refused.index, count - 3);
        ck_assert(same_fingerprint(pqt_tree_fingerprint(f.tree), before));
        ck_assert(pqt_tree_check(f.tree, &error));
        count = moves_of_most(&f, items, true, changes);
        ck_assert_ptr_eq(pqt_tree_apply(f.tree, changes, count, &error), f.tree);
        ck_assert_int_eq(error.status, PQT_OK);
        field_free(&f);
    }
    free(changes);
}
END_TEST

static void
add_sharing(Suite *suite)
{
    TCase *tests = tcase_create("sharing");
    tcase_add_loop_test(tests, a_batch_makes_no_more_than_the_union_of_the_paths, 0, MASSES);
    tcase_add_loop_test(tests, a_single_edit_makes_no_more_than_its_path, 0, MASSES);
    tcase_add_test(tests, no_edit_of_a_small_tree_allocates_unused_nodes);
    tcase_add_loop_test(tests, a_search_makes_only_nodes_at_the_edge_of_the_window, 0, MASSES);
    tcase_add_test(tests, a_search_of_a_quarter_shares_nine_tenths_of_its_nodes);
    suite_add_tcase(suite, tests);
}

static void
add_batches(Suite *suite)
{
    TCase *tests = tcase_create("batches");
    tcase_add_loop_test(tests, a_batch_in_one_corner_shares_the_rest, 0, 3);
    tcase_add_test(tests, a_batch_of_any_fraction_of_the_items_equals_its_changes_one_by_one);
    tcase_add_test(tests, moves_of_most_items_are_all_done_or_none);
    suite_add_tcase(suite, tests);
}

int
main(void)
{
    Suite *suite = suite_create("cost_shared");
    add_sharing(suite);
    add_batches(suite);
    return run_suite(suite);
}
