/* SPDX-License-Identifier: MIT */
/*
 * test_path_compress.c: tests that nodes with all their items in one quadrant are not stored.
 *
 * Most trees here have all items in the cell at the corner of bounds that are 2^20 times as large,
 * so the compressed path above them has twenty nodes. One more item, at a distance that is a power
 * of 2, makes a node at exactly the depth at which its path diverges from that of the cell. The
 * tests count costs. They compare them with the costs of a tree of the same items whose bounds are
 * that cell, because below the compressed path both trees have the same nodes.
 */
#include "config.h"

#include <pqt/diff.h>
#include <pqt/merge.h>
#include <pqt/nearest.h>
#include <pqt/pairs.h>
#include <pqt/ray.h>
#include <pqt/segment.h>

#include "hooks.h"
#include "options_support.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

enum { LEVELS = 20, CELL_DEPTH = 12, MANY = 20000, EDITS = 100, FEW = 40 };

static const pqt_box huge = {{0, 0}, {1024 * 0x1p20, 1024 * 0x1p20}};
static const pqt_box corner = {{0, 0}, {1024, 1024}};

static pqt_item
draw_in_corner(dice *d, uint64_t id)
{
    double x = 1 + dice_real(d) * 1000, y = 1 + dice_real(d) * 1000;
    return boxed(box(x, y, x + dice_real(d) * 10, y + dice_real(d) * 10), id);
}

/* Returns an item whose path diverges from that of the corner at the node of depth `depth`. */
static pqt_item
far_item(unsigned depth)
{
    double away = huge.max.x * ldexp(0.75, -(int)depth);
    return dot(away, 3, 1000000 + depth);
}

static const pqt_tree *
with_all(const pqt_tree *tree, const pqt_item *items, size_t count)
{
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_insert_all(tree, items, count, &error);
    return must(next, &error);
}

/* Returns a tree of the same few items in the corner, below a compressed path. */
static const pqt_tree *
in_corner(pqt_item items[FEW])
{
    dice d = {7};
    for (size_t i = 0; i < FEW; i++)
        items[i] = draw_in_corner(&d, i);
    const pqt_tree *tree = with_all(made(huge, options_of(3, 32)), items, FEW);
    ck_assert(tree->skips);
    return tree;
}

/* ---- The cost of an edit ---- */

typedef pqt_item draw_fn(dice *d, uint64_t id);

typedef struct cost {
    size_t bytes, blocks;
} cost;

static void
add_cost(cost *sum, const hooks *watch)
{
    sum->bytes += hooks_kept_bytes(watch);
    sum->blocks += hooks_kept_blocks(watch);
}

/* Returns the memory that insertions and removals among many items keep. Each of them is applied to
 * the same version. */
static cost
cost_of_edits(const pqt_tree *empty, draw_fn *draw)
{
    dice d = {test_seed("cost_of_edits")};
    cost sum = {0, 0};
    hooks watch = {0};
    pqt_item *items = calloc(MANY, sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < MANY; i++)
        items[i] = draw(&d, i);
    const pqt_tree *tree = with_all(empty, items, MANY);
    for (uint64_t i = 0; i < EDITS; i++) {
        pqt_item item = items[dice_below(&d, MANY)], fresh = draw(&d, MANY + i);
        hooks_start(&watch);
        (void)inserted(tree, fresh);
        add_cost(&sum, &watch);
        hooks_start(&watch);
        (void)removed(tree, item);
        add_cost(&sum, &watch);
        hooks_stop();
    }
    free(items);
    return sum;
}

START_TEST(an_edit_in_a_corner_of_huge_bounds_costs_as_much_as_in_small_ones)
{
    cost small = cost_of_edits(made(corner, options_of(24, CELL_DEPTH)), draw_in_corner);
    cost large = cost_of_edits(made(huge, options_of(24, CELL_DEPTH + LEVELS)), draw_in_corner);
    ck_assert_uint_eq(large.bytes, small.bytes);
    ck_assert_uint_eq(large.blocks, small.blocks);
}
END_TEST

static pqt_item
draw_identical(dice *d, uint64_t id)
{
    (void)dice_next(d);
    return boxed(box(123, 567, 124, 568), id);
}

static pqt_item
draw_outside(dice *d, uint64_t id)
{
    pqt_item item = draw_in_corner(d, id);
    return boxed(box(item.box.min.x + 5000, item.box.min.y, item.box.max.x + 5000, item.box.max.y),
                 id);
}

/* The kinds of items, and the additional memory that an edit among them may keep. */
static const struct {
    draw_fn *draw;
    size_t blocks, bytes;
} cliffs[] = {
    /* There is one node with own items, and at most one hash node per level, which is 64 bytes
       larger. */
    {draw_identical, 1, 144 + 64 * 7},
    /* On the outlier grid, the paths of distant coordinates diverge late. If they diverge on one
       axis only, a node has two quadrants. */
    {draw_outside, 6, 6 * 144},
};

START_TEST(an_edit_among_identical_items_or_outside_keeps_at_most_a_constant_more_than_elsewhere)
{
    const pqt_tree *empty = made(corner, options_of(24, 24));
    cost usual = cost_of_edits(empty, draw_in_corner);
    cost other = cost_of_edits(empty, cliffs[_i].draw);
    size_t count = (size_t)2 * EDITS;
    fprintf(stderr, "# an edit keeps %zu bytes in %zu blocks, usually %zu in %zu\n",
            other.bytes / count, other.blocks / count, usual.bytes / count, usual.blocks / count);
    ck_assert_uint_le(other.blocks, usual.blocks + count * cliffs[_i].blocks);
    ck_assert_uint_le(other.bytes, usual.bytes + count * cliffs[_i].bytes);
}
END_TEST

/* ---- Compressed paths that appear and disappear ---- */

/* Checks a tree of `items` node by node against the model. */
static void
expect_as_built(const pqt_tree *tree, const pqt_item *items, size_t count)
{
    pqt_tree_options options = options_of_tree(tree);
    complaint why;
    model m = model_make(pqt_tree_bounds(tree), &options);
    for (size_t i = 0; i < count; i++) {
        pqt_change change = inserting(items[i]);
        ck_assert_int_eq(model_apply(&m, &change, 1).status, PQT_OK);
    }
    ck_assert_msg(check_version(&m, tree, &why), "%s", why.text);
    expect_sound(tree);
    model_free(&m);
}

START_TEST(a_compressed_path_opens_by_one_node_and_closes_to_the_same_node)
{
    pqt_item items[FEW + 1];
    hooks watch = {0};
    const pqt_tree *tree = in_corner(items);
    items[FEW] = far_item((unsigned)_i);
    hooks_start(&watch);
    const pqt_tree *open = inserted(tree, items[FEW]);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 3); /* a node, a leaf, and the version record */
    expect_as_built(open, items, FEW + 1);
    ck_assert(open->skips == (_i > 0));
    const pqt_tree *closed = removed(open, items[FEW]);
    ck_assert_ptr_eq(closed->root, tree->root);
    expect_as_built(closed, items, FEW);
    ck_assert_uint_eq(pqt_tree_shared_bytes(tree, open) + 48, pqt_tree_get_stats(tree).bytes);
}
END_TEST

START_TEST(a_compressed_path_that_opens_at_several_depths_closes_one_by_one)
{
    pqt_item items[FEW + LEVELS];
    const pqt_tree *versions[LEVELS + 1] = {in_corner(items)};
    for (unsigned i = 0; i < LEVELS; i++) {
        items[FEW + i] = far_item(i * 7 % LEVELS);
        versions[i + 1] = inserted(versions[i], items[FEW + i]);
        expect_as_built(versions[i + 1], items, FEW + i + 1);
    }
    const pqt_tree *tree = versions[LEVELS];
    for (unsigned i = LEVELS; i-- > 0;) {
        tree = removed(tree, items[FEW + i]);
        expect_equal(tree, versions[i]);
        expect_as_built(tree, items, FEW + i);
    }
    ck_assert_ptr_eq(tree->root, versions[0]->root);
}
END_TEST

/* All items move far away, so the compressed path ends there. */
START_TEST(a_compressed_path_moves_with_all_of_its_items)
{
    pqt_item items[FEW];
    pqt_change changes[FEW];
    const pqt_tree *tree = in_corner(items);
    for (size_t i = 0; i < FEW; i++) {
        pqt_box to = items[i].box;
        to.min.x += 0x1p25;
        to.max.x += 0x1p25;
        changes[i] = moving(items[i], to);
        items[i].box = to;
    }
    tree = applied(tree, changes, FEW);
    ck_assert(tree->skips);
    expect_as_built(tree, items, FEW);
}
END_TEST

START_TEST(removals_next_to_a_compressed_path_find_nothing)
{
    pqt_item items[FEW], absent[LEVELS];
    const pqt_tree *tree = in_corner(items);
    pqt_error error = {0};
    for (unsigned i = 0; i < LEVELS; i++) {
        absent[i] = far_item(i);
        ck_assert_ptr_eq(removed(tree, absent[i]), tree);
        ck_assert(!pqt_tree_contains(tree, absent[i]));
        ck_assert_ptr_eq(moved(tree, absent[i], items[0].box), tree);
    }
    ck_assert_ptr_eq(pqt_tree_remove_all(tree, absent, LEVELS, &error), tree);
}
END_TEST

/* The compressed path ends in a cell of the greatest depth, where the Morton code has no more
   digits. */
START_TEST(a_compressed_path_may_end_in_the_deepest_cell)
{
    pqt_error error = {0};
    pqt_item items[FEW], whole = boxed(huge, 1000);
    for (size_t i = 0; i < FEW; i++)
        items[i] = dot(3, 5, i);
    const pqt_tree *deepest = with_all(made(huge, options_of(3, PQT_MAX_DEPTH)), items, FEW);
    const pqt_tree *large = with_all(made(huge, options_of(3, PQT_MAX_DEPTH)), &whole, 1);
    ck_assert(deepest->skips);
    ck_assert(pqt_tree_contains(deepest, items[FEW - 1]));
    ck_assert(!pqt_tree_contains(deepest, whole));
    ck_assert_ptr_eq(must(pqt_tree_remove(deepest, whole, &error), &error), deepest);
    const pqt_tree *both = must(pqt_tree_union(large, deepest, NULL, &error), &error);
    ck_assert_uint_eq(pqt_tree_count(both), FEW + 1);
    ck_assert(pqt_tree_contains(both, whole));
}
END_TEST

/* Some edits follow the compressed path or leave it and find nothing. One of them changes
 * something. */
START_TEST(edits_that_diverge_on_a_compressed_path_find_their_nodes)
{
    pqt_item items[FEW];
    const pqt_tree *tree = in_corner(items);
    for (unsigned i = 0; i < LEVELS; i++) {
        pqt_change changes[] = {removing(far_item(i)), removing(items[i]),
                                removing(far_item(i / 2)), inserting(items[FEW - 1])};
        const pqt_tree *next = applied(tree, changes, 4);
        expect_equal(next, removed(tree, items[i]));
        expect_sound(next);
        expect_equal(applied(next, (pqt_change[]){inserting(items[i]), removing(far_item(i))}, 2),
                     tree);
    }
}
END_TEST

/* ---- Versions with and without a compressed path ---- */

typedef struct listed {
    pqt_item items[4];
    size_t count;
} listed;

static bool
list_change(const pqt_change *change, void *context)
{
    listed *all = context;
    ck_assert_int_eq(change->kind, PQT_INSERT);
    ck_assert_uint_lt(all->count, 4);
    all->items[all->count++] = change->item;
    return true;
}

START_TEST(expanding_a_compressed_path_is_the_only_difference)
{
    pqt_item items[FEW], apart = far_item((unsigned)_i);
    const pqt_tree *tree = in_corner(items), *open = inserted(tree, apart);
    listed all = {.count = 0};
    pqt_error error = {0};
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = pqt_query_all();
    query.stats = &stats;
    ck_assert(pqt_tree_visit_diff(tree, open, &query, list_change, &all, &error));
    ck_assert_uint_eq(all.count, 1);
    ck_assert(same_bits(all.items[0], apart));
    ck_assert_uint_le(stats.nodes + stats.leaves, 6);
}
END_TEST

START_TEST(sets_and_merges_do_not_depend_on_compressed_paths)
{
    pqt_item items[FEW + 2];
    pqt_error error = {0};
    const pqt_tree *tree = in_corner(items);
    items[FEW] = far_item((unsigned)_i);
    items[FEW + 1] = far_item((unsigned)(_i * 3 + 1) % LEVELS);
    const pqt_tree *a = inserted(tree, items[FEW]), *b = inserted(tree, items[FEW + 1]);
    const pqt_tree *both = inserted(a, items[FEW + 1]);
    expect_equal(must(pqt_tree_union(a, b, NULL, &error), &error), both);
    expect_equal(must(pqt_tree_merge(tree, a, b, NULL, &error), &error), both);
    expect_as_built(must(pqt_tree_merge(tree, a, b, NULL, &error), &error), items, FEW + 2);
    expect_equal(must(pqt_tree_intersection(both, a, NULL, &error), &error), a);
    expect_equal(must(pqt_tree_intersection(tree, both, NULL, &error), &error), tree);
    ck_assert_ptr_eq(must(pqt_tree_intersection(tree, both, NULL, &error), &error), tree);
    expect_as_built(must(pqt_tree_difference(both, tree, NULL, &error), &error), items + FEW,
                    pqt_tree_count(both) - FEW);
    expect_equal(must(pqt_tree_merge(both, a, tree, NULL, &error), &error), tree);
}
END_TEST

START_TEST(a_search_and_a_restore_compress_and_expand_paths)
{
    pqt_item items[FEW];
    pqt_error error = {0};
    const pqt_tree *tree = in_corner(items);
    const pqt_tree *open = inserted(tree, far_item((unsigned)_i));
    pqt_query near = query_of(corner, PQT_TOUCHES);
    pqt_query away = query_of(box(1025, 0, huge.max.x, huge.max.y), PQT_TOUCHES);
    ck_assert_ptr_eq(searched(open, near)->root, tree->root);
    expect_equal(must(pqt_tree_restore(open, tree, &away, &error), &error), tree);
    ck_assert_ptr_eq(must(pqt_tree_restore(tree, open, &away, &error), &error), open);
    expect_equal(must(pqt_tree_restore(open, made(huge, options_of(3, 32)), &away, &error), &error),
                 tree);
    expect_equal(must(pqt_tree_restore(tree, tree, &near, &error), &error), tree);
}
END_TEST

/* ---- Reading ---- */

static int
compare_distances(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
distance_to(pqt_vec at, pqt_box box)
{
    double x = at.x < box.min.x ? box.min.x - at.x : at.x > box.max.x ? at.x - box.max.x : 0;
    double y = at.y < box.min.y ? box.min.y - at.y : at.y > box.max.y ? at.y - box.max.y : 0;
    return sqrt(x * x + y * y);
}

/* A version with a compressed edge at its root or its quadrants gives the same answers as a plain
 * array. */
START_TEST(queries_below_a_compressed_path_are_answered)
{
    pqt_item items[FEW + 1];
    dice d = {test_seed("questions")};
    const pqt_tree *tree = in_corner(items);
    items[FEW] = far_item((unsigned)_i);
    size_t count = _i < LEVELS ? FEW + 1 : FEW;
    if (_i < LEVELS)
        tree = inserted(tree, items[FEW]);
    for (int round = 0; round < 50; round++) {
        pqt_box window = draw_in_corner(&d, 0).box;
        pqt_near near[FEW + 1];
        double distances[FEW + 1];
        size_t hits = 0, touching = 0;
        window.max.x += 100;
        for (size_t i = 0; i < count; i++) {
            distances[i] = distance_to(window.min, items[i].box);
            hits += pqt_box_touches(items[i].box, window);
            for (size_t j = 0; j < i; j++)
                touching += pqt_box_touches(items[i].box, items[j].box);
        }
        qsort(distances, count, sizeof *distances, compare_distances);
        ck_assert_uint_eq(pqt_tree_count_in(tree, (pqt_query[]){query_of(window, PQT_TOUCHES)}),
                          hits);
        ck_assert_uint_eq(pqt_tree_nearest(tree, (pqt_box){window.min, window.min}, NULL, near, 64),
                          count);
        for (size_t i = 0; i < count; i++)
            ck_assert(fabs(near[i].distance - distances[i]) <= 1e-12 * distances[i]);
        pqt_pair_query pairs = {.relation = PQT_TOUCHES};
        ck_assert_uint_eq(pqt_pairs_count(tree, NULL, &pairs), touching);
        pqt_segment segment = {{window.min.x, 0}, {window.min.x, huge.max.y}};
        size_t crossed = 0;
        for (size_t i = 0; i < count; i++)
            crossed += items[i].box.min.x <= window.min.x && window.min.x <= items[i].box.max.x;
        ck_assert_uint_eq(pqt_tree_cast_all(tree, (pqt_cast[]){pqt_cast_segment(segment)}, NULL, 0),
                          crossed);
    }
}
END_TEST

START_TEST(a_query_below_a_compressed_path_enters_as_many_nodes_as_in_small_bounds)
{
    pqt_item items[FEW];
    const pqt_tree *large = in_corner(items);
    const pqt_tree *small = with_all(made(corner, options_of(3, CELL_DEPTH)), items, FEW);
    pqt_query_stats in_large = {0, 0, 0}, in_small = {0, 0, 0};
    for (size_t i = 0; i < FEW; i++) {
        pqt_query query = query_of(items[i].box, PQT_TOUCHES);
        query.stats = &in_large;
        size_t found = pqt_tree_count_in(large, &query);
        query.stats = &in_small;
        ck_assert_uint_eq(pqt_tree_count_in(small, &query), found);
    }
    ck_assert_uint_eq(in_large.nodes, in_small.nodes);
    ck_assert_uint_eq(in_large.leaves, in_small.leaves);
}
END_TEST

/* ---- No memory ---- */

typedef const pqt_tree *edit_fn(const pqt_tree *tree, const pqt_tree *open, pqt_error *error);

static const pqt_tree *
open_it(const pqt_tree *tree, const pqt_tree *open, pqt_error *error)
{
    (void)open;
    return pqt_tree_insert(tree, far_item(5), error);
}

static const pqt_tree *
close_it(const pqt_tree *tree, const pqt_tree *open, pqt_error *error)
{
    (void)tree;
    return pqt_tree_remove(open, far_item(11), error);
}

static const pqt_tree *
merge_both(const pqt_tree *tree, const pqt_tree *open, pqt_error *error)
{
    const pqt_tree *other = pqt_tree_insert(tree, far_item(5), error);
    return pqt_tree_merge(tree, other, open, NULL, error);
}

static const pqt_tree *
restore_it(const pqt_tree *tree, const pqt_tree *open, pqt_error *error)
{
    const pqt_tree *other = pqt_tree_insert(tree, far_item(5), error);
    return pqt_tree_restore(other, open, (pqt_query[]){query_of(far_item(11).box, PQT_TOUCHES)},
                            error);
}

static const pqt_tree *
search_it(const pqt_tree *tree, const pqt_tree *open, pqt_error *error)
{
    (void)tree;
    return pqt_tree_search(open, (pqt_query[]){query_of(box(0, 0, 500, 800), PQT_TOUCHES)}, error);
}

START_TEST(old_versions_are_unchanged_when_memory_runs_out)
{
    static edit_fn *const edits[] = {open_it, close_it, merge_both, restore_it, search_it};
    pqt_item items[FEW + 1];
    const pqt_tree *tree = in_corner(items);
    items[FEW] = far_item(11);
    const pqt_tree *open = inserted(tree, items[FEW]);
    hooks watch = {0};
    const pqt_tree *next = NULL;
    for (watch.fail_at = 1; next == NULL; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        next = edits[_i](tree, open, &error);
        hooks_stop();
        ck_assert(next != NULL || error.status == PQT_ERROR_MEMORY);
    }
    ck_assert_uint_gt(watch.fail_at, 2);
    expect_sound(next);
    expect_as_built(tree, items, FEW);
    expect_as_built(open, items, FEW + 1);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("chain");
    TCase *tests = add_tests(suite, "costs");
    tcase_add_test(tests, an_edit_in_a_corner_of_huge_bounds_costs_as_much_as_in_small_ones);
    tcase_add_loop_test(
        tests,
        an_edit_among_identical_items_or_outside_keeps_at_most_a_constant_more_than_elsewhere, 0,
        2);
    tests = add_tests(suite, "opening");
    tcase_add_loop_test(tests, a_compressed_path_opens_by_one_node_and_closes_to_the_same_node, 0,
                        LEVELS);
    tcase_add_test(tests, a_compressed_path_that_opens_at_several_depths_closes_one_by_one);
    tcase_add_test(tests, a_compressed_path_moves_with_all_of_its_items);
    tcase_add_test(tests, removals_next_to_a_compressed_path_find_nothing);
    tcase_add_test(tests, a_compressed_path_may_end_in_the_deepest_cell);
    tcase_add_test(tests, edits_that_diverge_on_a_compressed_path_find_their_nodes);
    tests = add_tests(suite, "versions");
    tcase_add_loop_test(tests, expanding_a_compressed_path_is_the_only_difference, 0, LEVELS);
    tcase_add_loop_test(tests, sets_and_merges_do_not_depend_on_compressed_paths, 0, LEVELS);
    tcase_add_loop_test(tests, a_search_and_a_restore_compress_and_expand_paths, 0, LEVELS);
    tests = add_tests(suite, "reading");
    tcase_add_loop_test(tests, queries_below_a_compressed_path_are_answered, 0, LEVELS + 1);
    tcase_add_test(tests, a_query_below_a_compressed_path_enters_as_many_nodes_as_in_small_bounds);
    tests = add_tests(suite, "memory");
    tcase_add_loop_test(tests, old_versions_are_unchanged_when_memory_runs_out, 0, 5);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
