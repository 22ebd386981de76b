/* SPDX-License-Identifier: MIT */
/*
 * test_same_depth.c: compares, merges and combines versions that differ in max_depth.
 *
 * Each result must equal that of the same call with versions of one depth, and have the max_depth
 * of the first version. The boxes are drawn such that at small depths many share a cell.
 */
#include "config.h"

#include <pqt/diff.h>
#include <pqt/heap.h>
#include <pqt/history_query.h>
#include <pqt/merge.h>
#include <pqt/pairs.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"

enum { ITEMS = 120, COMMON = 80, ROUNDS = 60 };

static const int depths[] = {0, 1, 5, 24, 32};

enum { DEPTHS = sizeof depths / sizeof *depths };

/* Three sets of items: the base, and two sides that have changed some of them. */
typedef struct drawn {
    pqt_item base[ITEMS], ours[ITEMS], theirs[ITEMS];
} drawn;

static pqt_item
drawn_item(dice *d, uint64_t id)
{
    const double x = 8 + ldexp((double)dice_below(d, 4000), -(int)dice_below(d, 40));
    const double y = 8 + ldexp((double)dice_below(d, 4000), -(int)dice_below(d, 40));
    return boxed(box(x, y, x + (double)dice_below(d, 3), y), id);
}

/* Our side has changes among the first items, and theirs among the last. */
static void
draw_sides(dice *d, drawn *all)
{
    for (uint64_t i = 0; i < ITEMS; i++)
        all->base[i] = all->ours[i] = all->theirs[i] = drawn_item(d, i);
    for (int i = 0; i < 10; i++) {
        const size_t left = dice_below(d, ITEMS / 2), right = ITEMS / 2 + dice_below(d, ITEMS / 2);
        all->ours[left] = drawn_item(d, left);
        all->theirs[right] = drawn_item(d, right);
    }
}

static const pqt_tree *
tree_of(const pqt_item *items, size_t count, int depth, bool unique, pqt_memory *memory)
{
    pqt_tree_options options = options_of(3, depth);
    options.unique_ids = unique;
    options.memory = memory;
    pqt_error error = {0};
    return must(pqt_tree_insert_all(made(world_box, options), items, count, &error), &error);
}

static int
depth_of(const pqt_tree *tree)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_tree_get_options(tree, &options);
    return options.max_depth;
}

START_TEST(versions_of_different_depths_are_equal_if_their_items_are)
{
    dice d = {test_seed("versions_of_different_depths_are_equal_if_their_items_are")};
    drawn all;
    for (int round = 0; round < ROUNDS; round++) {
        draw_sides(&d, &all);
        const bool unique = round % 2 == 1;
        const int depth = depths[dice_below(&d, DEPTHS)], other = depths[dice_below(&d, DEPTHS)];
        const pqt_tree *tree = tree_of(all.base, ITEMS, depth, unique, arena);
        const pqt_tree *same = tree_of(all.base, ITEMS, other, unique, arena);
        ck_assert(pqt_tree_equals(tree, same) && pqt_tree_equals(same, tree));
        ck_assert(!pqt_tree_equals(tree, tree_of(all.ours, ITEMS, other, unique, arena)));
        ck_assert(!pqt_tree_equals(tree_of(all.base, ITEMS - 1, depth, unique, arena), same));
        ck_assert(!pqt_tree_equals(tree, tree_of(all.base, ITEMS, other, !unique, arena)));
        ck_assert(pqt_tree_equals(pqt_tree_clear(tree, NULL), pqt_tree_clear(same, NULL)));
    }
}
END_TEST

typedef const pqt_tree *made_of_fn(const pqt_tree *a, const pqt_tree *b, pqt_error *error);

static pqt_resolution
keep_ours(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)conflict;
    (void)answer;
    (void)context;
    return PQT_KEEP_OURS;
}

static const pqt_tree *
unite(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = keep_ours;
    return pqt_tree_union(a, b, &options, error);
}

static const pqt_tree *
intersect(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_intersection(a, b, NULL, error);
}

static const pqt_tree *
subtract(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_difference(a, b, NULL, error);
}

static const pqt_tree *
restore(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_restore(a, b, (pqt_query[]){query_of(box(0, 0, 9, 9), PQT_TOUCHES)}, error);
}

static made_of_fn *const operations[] = {unite, intersect, subtract, restore};

enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Checks a result and its depth. */
static void
expect_result(const pqt_tree *found, const pqt_tree *right, int depth)
{
    pqt_error error = {0};
    require(depth_of(found) == depth, "the result has the depth of the first version");
    require(pqt_tree_check(found, &error), error.text);
    require(pqt_tree_equals(found, right), "the result has the right items");
}

START_TEST(operations_give_the_result_the_depth_of_the_first_version)
{
    dice d = {test_seed("operations_give_the_result_the_depth_of_the_first_version")};
    drawn all;
    for (int round = 0; round < ROUNDS; round++) {
        draw_sides(&d, &all);
        const bool unique = round % 2 == 1;
        const int depth = depths[dice_below(&d, DEPTHS)], other = depths[dice_below(&d, DEPTHS)];
        const pqt_tree *a = tree_of(all.ours, COMMON, depth, unique, arena);
        const pqt_tree *b = tree_of(all.theirs, ITEMS, other, unique, arena);
        const pqt_tree *b_like_a = tree_of(all.theirs, ITEMS, depth, unique, arena);
        for (int i = 0; i < OPERATIONS; i++) {
            pqt_error error = {0};
            const pqt_tree *right = must(operations[i](a, b_like_a, &error), &error);
            expect_result(must(operations[i](a, b, &error), &error), right, depth);
        }
    }
}
END_TEST

START_TEST(a_merge_gives_the_result_the_depth_of_the_base)
{
    dice d = {test_seed("a_merge_gives_the_result_the_depth_of_the_base")};
    drawn all;
    for (int round = 0; round < ROUNDS; round++) {
        draw_sides(&d, &all);
        int of[3];
        for (int i = 0; i < 3; i++)
            of[i] = depths[dice_below(&d, DEPTHS)];
        const pqt_tree *base = tree_of(all.base, ITEMS, of[0], true, arena);
        const pqt_tree *ours = tree_of(all.ours, ITEMS, of[1], true, arena);
        const pqt_tree *theirs = tree_of(all.theirs, ITEMS, of[2], true, arena);
        pqt_item merged[ITEMS];
        memcpy(merged, all.ours, sizeof merged / 2);
        memcpy(merged + ITEMS / 2, all.theirs + ITEMS / 2, sizeof merged / 2);
        pqt_error error = {0};
        const pqt_tree *found = must(pqt_tree_merge(base, ours, theirs, NULL, &error), &error);
        expect_result(found, tree_of(merged, ITEMS, 24, true, arena), of[0]);
        expect_result(must(pqt_tree_merge(base, base, theirs, NULL, &error), &error), theirs,
                      of[0]);
        expect_result(must(pqt_tree_merge(base, ours, base, NULL, &error), &error), ours, of[0]);
    }
}
END_TEST

/* ---- Differences ---- */

typedef struct seen {
    pqt_change changes[2 * ITEMS];
    size_t count;
    pqt_memory *memory; /* a heap to reclaim at each change, or NULL */
} seen;

static bool
see_change(const pqt_change *change, void *context)
{
    seen *all = context;
    all->changes[all->count++] = *change;
    if (all->memory != NULL)
        (void)pqt_memory_reclaim(all->memory, PQT_RECLAIM_ALL);
    return true;
}

static bool
same_change(pqt_change a, pqt_change b)
{
    return a.kind == b.kind && same_bits(a.item, b.item) &&
           (a.kind != PQT_MOVE || memcmp(&a.to, &b.to, sizeof a.to) == 0);
}

START_TEST(a_diff_of_different_depths_is_that_of_one_depth)
{
    dice d = {test_seed("a_diff_of_different_depths_is_that_of_one_depth")};
    drawn all;
    static seen found, right;
    for (int round = 0; round < ROUNDS; round++) {
        draw_sides(&d, &all);
        const bool unique = round % 2 == 1;
        const int depth = depths[dice_below(&d, DEPTHS)], other = depths[dice_below(&d, DEPTHS)];
        const pqt_tree *a = tree_of(all.base, ITEMS, depth, unique, arena);
        const pqt_tree *b = tree_of(all.ours, ITEMS, other, unique, arena);
        const pqt_tree *b_like_a = tree_of(all.ours, ITEMS, depth, unique, arena);
        found.count = right.count = 0;
        pqt_error error = {0};
        ck_assert(pqt_tree_visit_diff(a, b, NULL, see_change, &found, &error));
        ck_assert(pqt_tree_visit_diff(a, b_like_a, NULL, see_change, &right, &error));
        ck_assert_uint_eq(found.count, right.count);
        for (size_t i = 0; i < found.count; i++)
            require(same_change(found.changes[i], right.changes[i]), "the changes are equal");
        pqt_box damage[2][4];
        size_t counts[2];
        ck_assert(pqt_diff_damage(a, b, NULL, damage[0], 4, &counts[0], &error));
        ck_assert(pqt_diff_damage(a, b_like_a, NULL, damage[1], 4, &counts[1], &error));
        ck_assert_uint_eq(counts[0], counts[1]);
        ck_assert_mem_eq(damage[0], damage[1], counts[0] * sizeof(pqt_box));
    }
}
END_TEST

static bool
sum_pair_change(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    *(uint64_t *)context += (uint64_t)change * (a->id * ITEMS + b->id);
    return true;
}

START_TEST(pair_changes_of_different_depths_are_those_of_one_depth)
{
    dice d = {test_seed("pair_changes_of_different_depths_are_those_of_one_depth")};
    drawn all;
    for (int round = 0; round < ROUNDS; round++) {
        draw_sides(&d, &all);
        const int depth = depths[dice_below(&d, DEPTHS)], other = depths[dice_below(&d, DEPTHS)];
        const pqt_tree *a = tree_of(all.base, ITEMS, depth, true, arena);
        const pqt_tree *b = tree_of(all.ours, ITEMS, other, true, arena);
        const pqt_tree *b_like_a = tree_of(all.ours, ITEMS, depth, true, arena);
        const pqt_pair_query query = {.relation = PQT_TOUCHES};
        pqt_error error = {0};
        uint64_t found = 0, right = 0;
        ck_assert(pqt_pairs_visit_changes(a, b, &query, sum_pair_change, &found, &error));
        ck_assert(pqt_pairs_visit_changes(a, b_like_a, &query, sum_pair_change, &right, &error));
        ck_assert_uint_eq(found, right);
    }
}
END_TEST

/* A diff between different depths builds a version. The visitor reclaims, which must not take
   it. */
START_TEST(a_visitor_of_a_diff_may_reclaim)
{
    dice d = {test_seed("a_visitor_of_a_diff_may_reclaim")};
    drawn all;
    static seen found;
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    ck_assert_ptr_nonnull(heap);
    draw_sides(&d, &all);
    pqt_pin *a = pqt_tree_pin(tree_of(all.base, ITEMS, 24, true, heap), &error);
    pqt_pin *b = pqt_tree_pin(tree_of(all.ours, ITEMS, 32, true, heap), &error);
    found.count = 0;
    found.memory = heap;
    ck_assert(pqt_tree_visit_diff(pqt_pin_get_tree(a), pqt_pin_get_tree(b), NULL, see_change,
                                  &found, &error));
    ck_assert_uint_gt(found.count, 5);
    const uint64_t held = pqt_memory_get_stats(heap).used_bytes;
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_lt(pqt_memory_get_stats(heap).used_bytes, held);
    pqt_unpin(&a);
    pqt_unpin(&b);
    found.memory = NULL;
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(a_merge_leaves_no_scope_open)
{
    dice d = {test_seed("a_merge_leaves_no_scope_open")};
    drawn all;
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    draw_sides(&d, &all);
    pqt_pin *base = pqt_tree_pin(tree_of(all.base, ITEMS, 24, true, heap), &error);
    pqt_pin *same = pqt_tree_pin(tree_of(all.ours, ITEMS, 24, true, heap), &error);
    pqt_pin *other = pqt_tree_pin(tree_of(all.ours, ITEMS, 32, true, heap), &error);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    const uint64_t before = pqt_memory_get_stats(heap).used_bytes;
    const pqt_pin *const sides[][2] = {{same, other}, {other, same}, {other, other}};
    for (size_t i = 0; i < 3; i++) {
        const pqt_tree *merged =
            pqt_tree_merge(pqt_pin_get_tree(base), pqt_pin_get_tree(sides[i][0]),
                           pqt_pin_get_tree(sides[i][1]), NULL, &error);
        ck_assert_msg(merged != NULL, "%s", error.text);
        ck_assert(pqt_tree_equals(merged, pqt_pin_get_tree(same)));
        ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        ck_assert_uint_eq(pqt_memory_get_stats(heap).used_bytes, before);
    }
    pqt_unpin(&base);
    pqt_unpin(&same);
    pqt_unpin(&other);
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Failures ---- */

/* Lets each allocation fail, one after another. */
START_TEST(an_operation_that_fails_leaves_no_scope_open)
{
    dice d = {test_seed("an_operation_that_fails_leaves_no_scope_open")};
    drawn all;
    draw_sides(&d, &all);
    const pqt_tree *a = tree_of(all.base, ITEMS, 24, true, arena);
    const pqt_tree *b = tree_of(all.ours, ITEMS, 32, true, arena);
    for (int i = 0; i < OPERATIONS; i++) {
        hooks watch = {.fail_at = 0};
        do {
            pqt_error error = {0};
            watch.fail_at++;
            hooks_start(&watch);
            const pqt_tree *made = operations[i](a, b, &error);
            hooks_stop();
            ck_assert((made == NULL) == (watch.failures == 1));
            ck_assert(made != NULL || error.status == PQT_ERROR_MEMORY);
        } while (watch.failures == 1);
        ck_assert_uint_gt(watch.fail_at, 10);
    }
}
END_TEST

/* ---- Histories ---- */

/* A version that is made with another max_depth is pushed to a history with an index. */
START_TEST(an_indexed_history_takes_versions_of_another_depth)
{
    dice d = {test_seed("an_indexed_history_takes_versions_of_another_depth")};
    drawn all;
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    pqt_error error = {0};
    options.indexed = true;
    draw_sides(&d, &all);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE),
                         tree_of(all.base, ITEMS, 24, true, arena), &options, &error);
    ck_assert_ptr_nonnull(history);
    const pqt_tree *next = tree_of(all.ours, ITEMS, 32, true, arena);
    for (uint64_t i = 0; i < 20; i++) {
        ck_assert(pqt_history_push(history, next, NULL, &error));
        next = inserted(next, drawn_item(&d, 1000 + i));
    }
    pqt_history_answer answer;
    const uint64_t tip = pqt_history_current(history);
    for (uint64_t id = 0; id < ITEMS; id++) {
        ck_assert(pqt_history_last_item_change(history, NULL, tip, id, &answer, &error));
        ck_assert(answer.found == !same_bits(all.base[id], all.ours[id]));
    }
    pqt_history_destroy(&history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("same_depth");
    TCase *tests = add_tests(suite, "pairs");
    tcase_add_test(tests, versions_of_different_depths_are_equal_if_their_items_are);
    tcase_add_test(tests, operations_give_the_result_the_depth_of_the_first_version);
    tcase_add_test(tests, a_merge_gives_the_result_the_depth_of_the_base);
    tcase_add_test(tests, a_diff_of_different_depths_is_that_of_one_depth);
    tcase_add_test(tests, pair_changes_of_different_depths_are_those_of_one_depth);
    tcase_add_test(tests, a_visitor_of_a_diff_may_reclaim);
    tcase_add_test(tests, a_merge_leaves_no_scope_open);
    tcase_add_test(tests, an_operation_that_fails_leaves_no_scope_open);
    tcase_add_test(tests, an_indexed_history_takes_versions_of_another_depth);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
