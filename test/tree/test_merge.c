/* SPDX-License-Identifier: MIT */
/* test_merge.c: tests merges of three versions: their results, costs and errors. */
#include "config.h"

#include <stdio.h>

#include <pqt/limits.h>
#include <pqt/merge.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "merge_support.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

enum { MILLION = 1000000 };

/* ---- Merge ---- */

START_TEST(a_merge_has_the_changes_of_both_sides)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *base = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
        const pqt_tree *ours = moved(base, dot_of_grid(4, 0), point(1, 1));
        const pqt_tree *theirs = inserted(removed(base, dot_of_grid(4, 15)), dot(5, 5, 50));
        const pqt_tree *both = merged(base, ours, theirs);
        const pqt_tree *expected = inserted(removed(ours, dot_of_grid(4, 15)), dot(5, 5, 50));
        expect_sound(both);
        expect_equal(both, expected);
        expect_equal(merged(base, theirs, ours), expected);
    }
}
END_TEST

START_TEST(a_side_that_changed_nothing_yields_to_the_other)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *base = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
        const pqt_tree *same = removed(inserted(base, dot(1, 2, 99)), dot(1, 2, 99));
        const pqt_tree *next = removed(base, dot_of_grid(4, 3));
        ck_assert_ptr_ne(same, base);
        ck_assert_ptr_eq(merged(base, base, next), next);
        ck_assert_ptr_eq(merged(base, next, base), next);
        ck_assert_ptr_eq(merged(base, same, next), next);
        ck_assert_ptr_eq(merged(base, next, same), next);
        ck_assert_ptr_eq(merged(base, base, base), base);
    }
}
END_TEST

START_TEST(equal_changes_of_both_sides_are_not_a_conflict)
{
    const pqt_tree *base = with_grid(unique_tree(2), 4);
    const pqt_tree *ours = moved(base, dot_of_grid(4, 5), point(1, 1));
    const pqt_tree *theirs = moved(base, dot_of_grid(4, 5), point(1, 1));
    ck_assert_ptr_eq(merged(base, ours, theirs), ours);
    ours = removed(inserted(ours, dot(2, 3, 70)), dot_of_grid(4, 9));
    theirs = removed(inserted(theirs, dot(2, 3, 70)), dot_of_grid(4, 8));
    expect_equal(merged(base, ours, theirs), removed(ours, dot_of_grid(4, 8)));
}
END_TEST

/* Ids occur more than once. The value of an id is the set of its boxes. */
START_TEST(two_boxes_of_an_id_changed_by_two_sides_are_a_conflict)
{
    pqt_item items[] = {dot(1, 1, 7), dot(9, 9, 7), dot(5, 5, 8)};
    const pqt_tree *base = with_items(small_tree(1), items, 3);
    const pqt_tree *ours = moved(base, items[0], point(2, 2));
    const pqt_tree *theirs = moved(base, items[1], point(3, 3));
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_merge(base, ours, theirs, NULL, &error));
    expect_failure(&error, PQT_ERROR_CONFLICT, 0,
                   "id 7 has different values in ours and in theirs");
    expect_items(base, items, 3);
}
END_TEST

static const pqt_tree *
merged_by(judge *j, const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs)
{
    pqt_merge_options options = resolved_by(j);
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_merge(base, ours, theirs, &options, &error);
    expect_sound(must(tree, &error));
    return tree;
}

START_TEST(each_resolution_keeps_the_items_it_names)
{
    pqt_item was = dot(1, 1, 7), here = dot(2, 2, 7), there = dot(3, 3, 7);
    pqt_item other = dot(9, 9, 8), anew = boxed(box(-0.0, 4, 5, 5), 7);
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(1) : small_tree(1);
        const pqt_tree *base = with_items(empty, (pqt_item[]){was, other}, 2);
        const pqt_tree *ours = moved(base, was, here.box), *theirs = moved(base, was, there.box);
        judge j = {.decision = PQT_KEEP_OURS};
        ck_assert_ptr_eq(merged_by(&j, base, ours, theirs), ours);
        ck_assert_uint_eq(j.calls, 1);
        ck_assert_uint_eq(j.ids[0], 7);
        ck_assert_uint_eq(j.base_count + j.ours_count + j.theirs_count, 3);
        j = (judge){.decision = PQT_KEEP_THEIRS};
        ck_assert_ptr_eq(merged_by(&j, base, ours, theirs), theirs);
        j = (judge){.decision = PQT_KEEP_NEITHER};
        expect_items(merged_by(&j, base, ours, theirs), &other, 1);
        j = (judge){.decision = PQT_KEEP_BASE};
        expect_items(merged_by(&j, base, ours, theirs), (pqt_item[]){was, other}, 2);
        j = (judge){.decision = PQT_KEEP_ITEMS, .answer = {&anew, 1}};
        expect_items(merged_by(&j, base, ours, theirs), (pqt_item[]){anew, other}, 2);
        j = (judge){.decision = PQT_KEEP_ITEMS};
        expect_items(merged_by(&j, base, ours, theirs), &other, 1);
        if (unique)
            continue;
        j = (judge){.decision = PQT_KEEP_BOTH};
        expect_items(merged_by(&j, base, ours, theirs), (pqt_item[]){here, there, other}, 3);
        j = (judge){.decision = PQT_KEEP_ITEMS, .answer = {(pqt_item[]){was, anew, was}, 3}};
        expect_items(merged_by(&j, base, ours, theirs), (pqt_item[]){was, anew, other}, 3);
    }
}
END_TEST

START_TEST(a_removal_against_a_move_can_keep_both)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *base = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
        const pqt_tree *ours = removed(base, dot_of_grid(4, 3));
        const pqt_tree *theirs = moved(base, dot_of_grid(4, 3), point(1, 1));
        judge j = {.decision = PQT_KEEP_BOTH};
        ck_assert_ptr_eq(merged_by(&j, base, ours, theirs), theirs);
        ck_assert_uint_eq(j.ours_count, 0);
        j = (judge){.decision = PQT_KEEP_OURS};
        ck_assert_ptr_eq(merged_by(&j, base, ours, theirs), ours);
        expect_equal(merged_by(&j, base, ours, inserted(theirs, dot(4, 4, 44))),
                     inserted(ours, dot(4, 4, 44)));
    }
}
END_TEST

/* Returns a merge that resolves all conflicts in the same way. */
static const pqt_tree *
decided(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs, judge j)
{
    pqt_merge_options options = resolved_by(&j);
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_merge(base, ours, theirs, &options, &error);
    ck_assert_uint_gt(j.calls, 0);
    return must(tree, &error);
}

/* Both sides move ids 5 and 6 and insert 50. Nothing else changes. */
START_TEST(a_merge_that_equals_one_of_the_three_returns_that_pointer)
{
    const pqt_item five = dot_of_grid(4, 5), six = dot_of_grid(4, 6);
    const pqt_tree *base = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 4);
    const pqt_tree *ours = moved(moved(base, five, point(1, 2)), six, point(14, 2));
    const pqt_tree *theirs = moved(moved(base, five, point(3, 9)), six, point(9, 3));
    ours = inserted(ours, dot(1, 1, 50));
    theirs = inserted(theirs, dot(2, 2, 50));
    const pqt_tree *const given[] = {
        [PQT_KEEP_OURS] = ours, [PQT_KEEP_THEIRS] = theirs, [PQT_KEEP_BASE] = base};
    for (pqt_resolution kept = PQT_KEEP_OURS; kept <= PQT_KEEP_BASE; kept++)
        if (kept != PQT_KEEP_BOTH && kept != PQT_KEEP_NEITHER)
            ck_assert_ptr_eq(decided(base, ours, theirs, (judge){.decision = kept}), given[kept]);
}
END_TEST

START_TEST(a_merge_made_equal_to_one_of_the_three_by_items_returns_that_pointer)
{
    const pqt_tree *base = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 4);
    const pqt_item five = dot_of_grid(4, 5), values[] = {five, dot(1, 2, 5), dot(3, 9, 5)};
    const pqt_tree *ours = moved(base, five, values[1].box);
    const pqt_tree *theirs = moved(base, five, values[2].box);
    const pqt_tree *const given[] = {base, ours, theirs};
    for (size_t i = 0; i < 3; i++) {
        judge j = {.decision = PQT_KEEP_ITEMS, .answer = {&values[i], 1}};
        ck_assert_ptr_eq(decided(base, ours, theirs, j), given[i]);
    }
}
END_TEST

START_TEST(a_merge_that_keeps_both_or_neither_may_return_one_of_the_three)
{
    const pqt_tree *base = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 4);
    const pqt_tree *gone = removed(base, dot_of_grid(4, 5));
    const pqt_tree *there = moved(base, dot_of_grid(4, 5), point(1, 2));
    const judge both = {.decision = PQT_KEEP_BOTH}, neither = {.decision = PQT_KEEP_NEITHER};
    ck_assert_ptr_eq(decided(base, gone, there, both), there);
    ck_assert_ptr_eq(decided(base, there, gone, both), there);
    ck_assert_ptr_eq(decided(base, gone, there, neither), gone);
    ck_assert_ptr_eq(decided(base, there, gone, neither), gone);
    const pqt_tree *one = inserted(base, dot(1, 1, 50)), *two = inserted(base, dot(2, 2, 50));
    ck_assert_ptr_eq(decided(base, one, two, neither), base);
    if (_i == 1)
        return;
    const pqt_tree *more = inserted(one, dot(2, 2, 50));
    ck_assert_ptr_eq(decided(base, one, more, both), more);
    ck_assert_ptr_eq(decided(base, more, one, both), more);
}
END_TEST

START_TEST(a_set_operation_that_equals_one_of_the_two_returns_that_pointer)
{
    const pqt_tree *a = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 6);
    const pqt_tree *empty = pqt_tree_clear(a, NULL);
    const pqt_tree *part = searched(a, query_of(box(0, 0, 9, 9), PQT_INSIDE));
    const pqt_tree *apart = with_items(empty, (pqt_item[]){dot(1, 9, 90), dot(9, 1, 91)}, 2);
    ck_assert_ptr_eq(united(a, part), a);
    ck_assert_ptr_eq(united(part, a), a);
    ck_assert_ptr_eq(united(a, empty), a);
    ck_assert_ptr_eq(united(empty, a), a);
    ck_assert_ptr_eq(common_to(a, part), part);
    ck_assert_ptr_eq(common_to(part, a), part);
    ck_assert_ptr_eq(common_to(a, empty), empty);
    ck_assert_ptr_eq(common_to(empty, a), empty);
    ck_assert_ptr_eq(without(a, empty), a);
    ck_assert_ptr_eq(without(a, apart), a);
    ck_assert_ptr_eq(without(empty, a), empty);
}
END_TEST

START_TEST(a_union_decided_for_one_of_the_two_returns_that_pointer)
{
    const pqt_tree *a = with_grid(unique_tree(2), 4);
    const pqt_tree *b =
        moved(moved(a, dot_of_grid(4, 5), point(1, 2)), dot_of_grid(4, 6), point(3, 9));
    for (pqt_resolution kept = PQT_KEEP_OURS; kept <= PQT_KEEP_THEIRS; kept++) {
        judge j = {.decision = kept};
        pqt_merge_options options = resolved_by(&j);
        pqt_error error = {0};
        ck_assert_ptr_eq(pqt_tree_union(a, b, &options, &error), kept == PQT_KEEP_OURS ? a : b);
        ck_assert_uint_eq(j.calls, 2);
    }
}
END_TEST

START_TEST(a_restore_that_equals_one_of_the_two_returns_that_pointer)
{
    const pqt_tree *now = with_grid(_i == 1 ? unique_tree(2) : small_tree(2), 6);
    const pqt_tree *old = moved(now, dot_of_grid(6, 0), point(2, 1));
    const pqt_query there = query_of(box(0, 0, 4, 4), PQT_TOUCHES);
    const pqt_query elsewhere = query_of(box(8, 8, 16, 16), PQT_TOUCHES);
    ck_assert_ptr_eq(restored_by_window(now, old, there), old);
    ck_assert_ptr_eq(restored_by_window(now, old, query_of_all()), old);
    ck_assert_ptr_eq(restored_by_window(now, old, elsewhere), now);
    ck_assert_ptr_eq(restored_by_window(old, now, there), now);
    ck_assert_ptr_eq(
        restored_by_window(now, removed(inserted(now, dot(1, 1, 99)), dot(1, 1, 99)), there), now);
}
END_TEST

START_TEST(conflicts_come_in_ascending_order_of_id)
{
    const uint64_t ids[] = {UINT64_MAX, 5, UINT64_C(1) << 63, 0};
    const pqt_tree *base = unique_tree(1), *ours, *theirs;
    for (size_t i = 0; i < 4; i++)
        base = inserted(base, dot((double)i, 1, ids[i]));
    ours = theirs = base;
    for (size_t i = 0; i < 4; i++) {
        ours = moved(ours, dot((double)i, 1, ids[i]), point((double)i, 3));
        theirs = moved(theirs, dot((double)i, 1, ids[i]), point((double)i, 5));
    }
    judge j = {.decision = PQT_KEEP_OURS};
    ck_assert_ptr_eq(merged_by(&j, base, ours, theirs), ours);
    ck_assert_uint_eq(j.calls, 4);
    ck_assert_uint_eq(j.ids[0], 0);
    ck_assert_uint_eq(j.ids[1], 5);
    ck_assert_uint_eq(j.ids[2], UINT64_C(1) << 63);
    ck_assert_uint_eq(j.ids[3], UINT64_MAX);
}
END_TEST

START_TEST(a_box_that_no_side_changed_is_kept)
{
    pqt_item items[] = {dot(1, 1, 7), dot(9, 9, 7), dot(5, 5, 7)};
    const pqt_tree *base = with_items(small_tree(1), items, 3);
    const pqt_tree *ours = moved(base, items[0], point(2, 2));
    const pqt_tree *theirs = moved(base, items[1], point(3, 3));
    judge j = {.decision = PQT_KEEP_NEITHER};
    expect_items(merged_by(&j, base, ours, theirs), &items[2], 1);
    ck_assert_uint_eq(j.base_count, 2);
    ck_assert_uint_eq(j.ours_count, 2);
    ck_assert_uint_eq(j.theirs_count, 2);
    j = (judge){.decision = PQT_KEEP_BOTH};
    expect_items(merged_by(&j, base, ours, theirs),
                 (pqt_item[]){dot(2, 2, 7), items[1], items[0], dot(3, 3, 7), items[2]}, 5);
}
END_TEST

/* ---- Invalid decisions ---- */

typedef struct nonsense {
    judge j;
    const char *text;
} nonsense;

static void
expect_refusal(nonsense n, const pqt_tree *base, pqt_status status)
{
    const pqt_tree *ours = moved(base, dot_of_grid(4, 6), point(1, 1));
    const pqt_tree *theirs = moved(base, dot_of_grid(4, 6), point(2, 1));
    pqt_merge_options options = resolved_by(&n.j);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_merge(base, ours, theirs, &options, &error));
    expect_failure(&error, status, 0, n.text);
    ck_assert_ptr_null(pqt_tree_merge(base, ours, theirs, &options, NULL));
    expect_sound(ours);
    expect_sound(theirs);
}

START_TEST(an_invalid_decision_is_refused_and_the_id_is_named)
{
    static const pqt_item of_another_id = {{{1, 1}, {1, 1}}, 8};
    static const pqt_item inside_out = {{{4, 1}, {3, 1}}, 6};
    const pqt_item not_finite = boxed(box(1, 1, NAN, 2), 6);
    const nonsense all[] = {
        {{.decision = (pqt_resolution)7},
         "id 6: the callback returned something other than a pqt_resolution"},
        {{.decision = (pqt_resolution)-1},
         "id 6: the callback returned something other than a pqt_resolution"},
        {{.decision = PQT_KEEP_ITEMS, .answer = {NULL, 1}},
         "id 6: the callback returned a count without items"},
        {{.decision = PQT_KEEP_ITEMS, .answer = {&of_another_id, 1}},
         "id 6: the callback returned an item with another id"},
        {{.decision = PQT_KEEP_ITEMS, .answer = {&inside_out, 1}},
         "id 6: item 0: box is inverted (x 4 > 3)"},
        {{.decision = PQT_KEEP_ITEMS, .answer = {&not_finite, 1}}, "id 6: item 0: max.x is nan"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        expect_refusal(all[i], with_grid(small_tree(2), 4), PQT_ERROR_CALLBACK);
        expect_refusal(all[i], with_grid(unique_tree(2), 4), PQT_ERROR_CALLBACK);
    }
}
END_TEST

START_TEST(a_decision_that_the_options_of_the_tree_forbid_is_refused)
{
    static const pqt_item two[] = {{{{1, 1}, {1, 1}}, 6}, {{{1, 1}, {2, 1}}, 6}};
    static const pqt_item outside = {{{1, 1}, {17, 1}}, 6};
    nonsense both = {{.decision = PQT_KEEP_BOTH},
                     "id 6: both values cannot be kept, because ids are unique"};
    nonsense several = {{.decision = PQT_KEEP_ITEMS, .answer = {two, 2}},
                        "id 6: the callback returned several items, and ids are unique"};
    nonsense beyond = {{.decision = PQT_KEEP_ITEMS, .answer = {&outside, 1}},
                       "id 6: item 0: leaves the strict bounds (max.x 17 > 16)"};
    expect_refusal(both, with_grid(unique_tree(2), 4), PQT_ERROR_CALLBACK);
    expect_refusal(several, with_grid(unique_tree(2), 4), PQT_ERROR_CALLBACK);
    expect_refusal(beyond, with_grid(strict_tree(), 4), PQT_ERROR_CALLBACK);
}
END_TEST

START_TEST(unresolved_ids_are_conflicts)
{
    nonsense undecided = {{.decision = PQT_UNRESOLVED},
                          "id 6 has different values in ours and in theirs"};
    expect_refusal(undecided, with_grid(small_tree(2), 4), PQT_ERROR_CONFLICT);
    expect_refusal(undecided, with_grid(unique_tree(2), 4), PQT_ERROR_CONFLICT);
}
END_TEST

/* The ids that the restored window has are outside it now, so they are removed first. */
START_TEST(each_failed_allocation_of_a_restore_with_unique_ids_is_reported)
{
    const pqt_query query = query_of(box(0, 0, 9, 16), PQT_TOUCHES);
    const pqt_tree *old = with_grid(unique_tree(2), 4), *now = old;
    for (int i = 0; i < 2; i++)
        now = moved(now, dot_of_grid(4, i), point(12 + 0.1 * i, 1));
    hooks watch = {.fail_at = 0};
    const pqt_tree *restored;
    do {
        pqt_error error = {0};
        watch.fail_at++;
        hooks_start(&watch);
        restored = pqt_tree_restore(now, old, &query, &error);
        hooks_stop();
        ck_assert((restored == NULL) == (watch.failures > 0));
        ck_assert_int_eq(error.status, restored == NULL ? PQT_ERROR_MEMORY : PQT_OK);
    } while (restored == NULL);
    expect_sound(restored);
    expect_equal(restored, old);
}
END_TEST

/* ---- Sharing and costs ---- */

static const pqt_tree *
many_items(bool unique, size_t count, uint64_t seed)
{
    pqt_tree_options options = options_of(24, 24);
    pqt_error error = {0};
    dice d = {seed};
    pqt_item *items = malloc(count * sizeof *items);
    ck_assert_ptr_nonnull(items);
    options.unique_ids = unique;
    for (size_t i = 0; i < count; i++) {
        double x = dice_real(&d) * 15.9, y = dice_real(&d) * 15.9;
        items[i] = boxed(box(x, y, x + dice_real(&d) * 0.016, y + dice_real(&d) * 0.016), i);
    }
    const pqt_tree *tree = pqt_tree_insert_all(made(world_box, options), items, count, &error);
    free(items);
    return must(tree, &error);
}

/* Returns a version in which some items of a strip were moved within it. */
static const pqt_tree *
with_moves(const pqt_tree *tree, double from, double to, uint64_t seed, size_t count)
{
    dice d = {seed};
    for (size_t i = 0; i < count; i++) {
        pqt_item item;
        double x = from + dice_real(&d) * (to - from), y = dice_real(&d) * 15;
        ck_assert(
            pqt_tree_any(tree, (pqt_query[]){query_of(box(x, y, to, 16), PQT_INSIDE)}, &item));
        x = from + dice_real(&d) * (to - from);
        tree = moved(tree, item, point(x, dice_real(&d) * 16));
    }
    return tree;
}

/* Expects that a merge enters few nodes, compares few items, and allocates few blocks. */
static void
expect_few(const pqt_query_stats *stats, const hooks *watch)
{
    ck_assert_msg(stats->nodes + stats->leaves < 1000 && stats->boxes < 5000,
                  "%zu nodes, %zu leaves, %zu items", (size_t)stats->nodes, (size_t)stats->leaves,
                  (size_t)stats->boxes);
    ck_assert_msg(hooks_kept_blocks(watch) < 800, "%zu blocks", hooks_kept_blocks(watch));
}

START_TEST(few_changes_in_a_million_are_merged_by_few_nodes)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *base = many_items(unique, MILLION, 42);
        const pqt_tree *ours = with_moves(base, 0, 7.9, 1, 10);
        const pqt_tree *theirs = with_moves(base, 8, 15.9, 2, 10);
        pqt_query_stats stats = {0, 0, 0};
        pqt_merge_options options = PQT_MERGE_DEFAULTS;
        pqt_error error = {0};
        hooks watch = {.fail_at = 0};
        options.stats = &stats;
        hooks_start(&watch);
        const pqt_tree *both = pqt_tree_merge(base, ours, theirs, &options, &error);
        hooks_stop();
        must(both, &error);
        expect_few(&stats, &watch);
        expect_equal(without(both, ours), without(theirs, base));
        ck_assert_uint_eq(pqt_tree_count(both), MILLION);
    }
}
END_TEST

typedef const pqt_tree *combining(const pqt_tree *, const pqt_tree *, const pqt_merge_options *,
                                  pqt_error *);

static combining *const set_operations[] = {pqt_tree_union, pqt_tree_intersection,
                                            pqt_tree_difference};

START_TEST(set_operations_enter_only_nodes_that_are_not_shared)
{
    for (int i = 0; i < 6; i++) {
        const pqt_tree *base = many_items(i % 2 == 1, MILLION / 5, 42);
        const pqt_tree *a = inserted(base, dot(3, 3, MILLION)), *b = base;
        for (uint64_t k = 0; k < 10; k++) {
            a = inserted(a, dot((double)k, 5.5, 2 * MILLION + k));
            b = inserted(b, dot(5.5, (double)k, 3 * MILLION + k));
        }
        pqt_query_stats stats = {0, 0, 0};
        pqt_merge_options options = PQT_MERGE_DEFAULTS;
        pqt_error error = {0};
        hooks watch = {.fail_at = 0};
        options.stats = &stats;
        hooks_start(&watch);
        const pqt_tree *made_of_both = set_operations[i / 2](a, b, &options, &error);
        hooks_stop();
        must(made_of_both, &error);
        expect_few(&stats, &watch);
        size_t counts[] = {MILLION / 5 + 21, MILLION / 5, 11};
        ck_assert_uint_eq(pqt_tree_count(made_of_both), counts[i / 2]);
    }
}
END_TEST

START_TEST(removing_few_items_costs_few_nodes)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *a = many_items(unique, MILLION / 5, 42);
        const pqt_tree *b = searched(a, query_of(box(5, 5, 5.05, 5.05), PQT_TOUCHES));
        pqt_query_stats stats = {0, 0, 0};
        pqt_merge_options options = PQT_MERGE_DEFAULTS;
        pqt_error error = {0};
        hooks watch = {.fail_at = 0};
        options.stats = &stats;
        hooks_start(&watch);
        const pqt_tree *rest = pqt_tree_difference(a, b, &options, &error);
        hooks_stop();
        expect_few(&stats, &watch);
        ck_assert_uint_gt(pqt_tree_count(b), 0);
        ck_assert_uint_eq(pqt_tree_count(must(rest, &error)), MILLION / 5 - pqt_tree_count(b));
    }
}
END_TEST

/* Makes two versions, one with `count` ids and one with `count` boxes of one id. */
static void
insert_ids(const pqt_tree *base, size_t count, const pqt_tree **distinct, const pqt_tree **repeated)
{
    pqt_error error = {0};
    pqt_item *items = malloc(2 * count * sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < count; i++) {
        items[i] = dot(1 + (double)i / (double)count, 3, i);
        items[count + i] = dot(1 + (double)i / (double)count, 7, count);
    }
    *distinct = must(pqt_tree_insert_all(base, items, count, &error), &error);
    *repeated = must(pqt_tree_insert_all(base, items + count, count, &error), &error);
    free(items);
}

/* Returns the number of comparisons of a merge, divided by the number of differences. */
static double
compared(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    pqt_error error = {0};
    options.stats = &stats;
    const pqt_tree *both = pqt_tree_merge(base, ours, theirs, &options, &error);
    const size_t changes = pqt_tree_count(ours) + pqt_tree_count(theirs);
    ck_assert_uint_eq(pqt_tree_count(must(both, &error)), changes);
    return (double)stats.boxes / (double)changes;
}

START_TEST(a_repeated_id_is_compared_as_often_as_a_unique_one)
{
    for (size_t count = 100; count <= 6400; count *= 8) {
        const pqt_tree *base = small_tree(24), *distinct, *repeated;
        insert_ids(base, count, &distinct, &repeated);
        ck_assert_double_lt(compared(base, distinct, repeated), 5);
        ck_assert_double_lt(compared(base, repeated, distinct), 5);
    }
}
END_TEST

/* Half of the items of each version are in both versions, in two leaves of maximal size. */
START_TEST(items_of_two_full_leaves_are_compared_once)
{
    enum { ITEMS = PQT_MAX_CAPACITY * 3 / 4, SHIFT = ITEMS / 2 };
    pqt_item items[ITEMS + SHIFT];
    for (size_t i = 0; i < ITEMS + SHIFT; i++)
        items[i] = dot(1 + (double)i / 512, 3, _i == 0 ? 7 : i);
    const pqt_tree *a = with_items(small_tree(PQT_MAX_CAPACITY), items, ITEMS);
    const pqt_tree *b = with_items(small_tree(PQT_MAX_CAPACITY), items + SHIFT, ITEMS);
    const size_t from[] = {0, SHIFT, 0}, to[] = {ITEMS + SHIFT, ITEMS, SHIFT};
    for (size_t i = 0; i < 3; i++) {
        pqt_query_stats stats = {0, 0, 0};
        pqt_merge_options options = PQT_MERGE_DEFAULTS;
        pqt_error error = {0};
        options.stats = &stats;
        const pqt_tree *result = must(set_operations[i](a, b, &options, &error), &error);
        expect_sound(result);
        expect_equal(result,
                     with_items(pqt_tree_clear(a, &error), items + from[i], to[i] - from[i]));
        ck_assert_uint_eq(stats.leaves, 2);
        ck_assert_uint_ge(stats.boxes, ITEMS - SHIFT);
        ck_assert_uint_le(stats.boxes, 2 * ITEMS);
    }
}
END_TEST

START_TEST(a_union_of_two_halves_shares_their_nodes)
{
    const pqt_tree *whole = many_items(false, MILLION / 10, 42);
    const pqt_tree *left = searched(whole, query_of(box(0, 0, 4, 16), PQT_INSIDE));
    const pqt_tree *right = without(whole, left);
    pqt_query_stats stats = {0, 0, 0};
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    pqt_error error = {0};
    options.stats = &stats;
    const pqt_tree *again = pqt_tree_union(left, right, &options, &error);
    expect_equal(must(again, &error), whole);
    ck_assert_uint_lt(stats.boxes, MILLION / 10 / 10);
    size_t bytes = pqt_tree_get_stats(again).bytes;
    size_t shared = pqt_tree_shared_bytes(again, left) + pqt_tree_shared_bytes(again, right);
    ck_assert_msg(shared > bytes / 10 * 9, "%zu of %zu bytes are shared", shared, bytes);
}
END_TEST

START_TEST(a_restore_shares_whole_subtrees)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = {.window = box(2, 2, 12, 9), .relation = PQT_INSIDE, .stats = &stats};
    const pqt_tree *old = many_items(false, MILLION / 10, 42);
    const pqt_tree *now = many_items(false, MILLION / 10, 43);
    const pqt_tree *both = restored_by_window(now, old, query);
    expect_sound(both);
    ck_assert_uint_lt(stats.boxes, MILLION / 10 / 5);
    size_t inside = pqt_tree_get_stats(searched(old, query)).bytes;
    size_t all = pqt_tree_get_stats(both).bytes;
    ck_assert_uint_gt(pqt_tree_shared_bytes(both, old), inside / 10 * 8);
    ck_assert_uint_gt(pqt_tree_shared_bytes(both, now), (all - inside) / 10 * 8);
}
END_TEST

/* ---- Refused calls ---- */

typedef const pqt_tree *made_of_fn(const pqt_tree *a, const pqt_tree *b, pqt_error *error);

static const pqt_tree *
merge_with_ours(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_merge(a, b, a, NULL, error);
}

static const pqt_tree *
merge_with_theirs(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_merge(a, a, b, NULL, error);
}

static const pqt_tree *
unite(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_union(a, b, NULL, error);
}

static const pqt_tree *
intersect(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_intersection(a, b, NULL, error);
}

static const pqt_tree *
subtract_digests(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_difference(a, b, NULL, error);
}

static const pqt_tree *
restore_left(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    return pqt_tree_restore(a, b, (pqt_query[]){query_of(box(0, 0, 9.5, 16), PQT_TOUCHES)}, error);
}

static made_of_fn *const functions[] = {merge_with_ours, merge_with_theirs, unite,
                                        intersect,       subtract_digests,  restore_left};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const pqt_tree *
tree_that_differs(int field, pqt_memory *other)
{
    pqt_tree_options options = options_of(field == 1 ? 3 : 2, 24);
    options.strict_bounds = field == 2;
    options.unique_ids = field == 3;
    options.memory = field == 4 ? other : arena;
    return made(field == 0 ? box(0, 0, 16, 17) : world_box, options);
}

START_TEST(versions_that_do_not_match_are_refused_and_the_field_is_named)
{
    static const char *const names[] = {"bounds", "leaf_capacity", "strict_bounds", "unique_ids",
                                        "memory"};
    pqt_memory *other = pqt_arena_make(0, NULL);
    for (int field = 0; field < 5; field++) {
        char text[64];
        const pqt_tree *differing = tree_that_differs(field, other);
        snprintf(text, sizeof text, "the versions differ in %s", names[field]);
        for (int i = 0; i < FUNCTIONS; i++) {
            pqt_error error = {0};
            ck_assert_ptr_null(functions[i](small_tree(2), differing, &error));
            expect_failure(&error, PQT_ERROR_MISMATCH, 0, text);
            ck_assert_ptr_null(functions[i](differing, small_tree(2), NULL));
        }
    }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    const pqt_tree *tree = small_tree(2);
    for (int i = 0; i < FUNCTIONS; i++) {
        pqt_error error = earlier_failure();
        ck_assert_ptr_null(functions[i](NULL, tree, &error));
        ck_assert_ptr_null(functions[i](tree, NULL, &error));
        ck_assert_ptr_null(functions[i](NULL, NULL, NULL));
        expect_earlier_failure(&error);
    }
}
END_TEST

START_TEST(options_of_another_size_are_refused)
{
    const pqt_tree *tree = small_tree(2);
    pqt_merge_options options = {0, NULL, NULL, NULL};
    for (int i = 0; i < 4; i++) {
        pqt_error error = {0};
        const pqt_tree *none = i == 0   ? pqt_tree_merge(tree, tree, tree, &options, &error)
                               : i == 1 ? pqt_tree_union(tree, tree, &options, &error)
                               : i == 2 ? pqt_tree_intersection(tree, tree, &options, &error)
                                        : pqt_tree_difference(tree, tree, &options, &error);
        ck_assert_ptr_null(none);
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        ck_assert_ptr_nonnull(strstr(error.text, "initialise with PQT_MERGE_DEFAULTS"));
    }
}
END_TEST

START_TEST(a_restore_refuses_an_invalid_window)
{
    const pqt_tree *tree = small_tree(2);
    const pqt_box bad[] = {box(NAN, 0, 1, 1), box(0, 0, 1, NAN), box(0, 2, 1, 1)};
    for (size_t i = 0; i < 3; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(
            pqt_tree_restore(tree, tree, (pqt_query[]){query_of(bad[i], PQT_COVERS)}, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    }
}
END_TEST

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_tree *tree = small_tree(2), *none = NULL;
    pqt_error error = {0};
    switch (_i) {
    case 0:
        none = pqt_tree_merge(NULL, tree, tree, NULL, &error);
        break;
    case 1:
        none = pqt_tree_merge(tree, NULL, tree, NULL, &error);
        break;
    case 2:
        none = pqt_tree_merge(tree, tree, NULL, NULL, &error);
        break;
    case 3:
        none = pqt_tree_union(tree, NULL, NULL, &error);
        break;
    case 4:
        none = pqt_tree_restore(NULL, tree, (pqt_query[]){query_of_all()}, &error);
        break;
    default:
        none = pqt_tree_restore(tree, tree, &(pqt_query){.window = world_box}, &error);
        break;
    }
    ck_assert_ptr_null(none);
}
END_TEST

/* The count of a version is set to the largest possible one. Such a version would be too large to
 * build. */
START_TEST(more_items_than_the_limit_are_refused)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(2) : small_tree(2);
        const pqt_tree *tree = inserted(with_grid(empty, 4), boxed(box(-9, -9, 30, 30), 70));
        const pqt_tree *more = with_items(tree, (pqt_item[]){dot(1, 1, 80), dot(1, 2, 81)}, 2);
        const pqt_tree *less = removed(tree, dot_of_grid(4, 15));
        pqt_tree full = *tree;
        full.count = PQT_MAX_ITEMS;
        pqt_error errors[3] = {{0}, {0}, {0}};
        ck_assert_ptr_null(pqt_tree_union(&full, more, NULL, &errors[0]));
        ck_assert_ptr_null(pqt_tree_merge(less, &full, more, NULL, &errors[1]));
        ck_assert_ptr_null(
            pqt_tree_restore(&full, more, (pqt_query[]){query_of_all()}, &errors[2]));
        for (size_t i = 0; i < 3; i++) {
            ck_assert_int_eq(errors[i].status, PQT_ERROR_LIMIT);
            ck_assert_ptr_nonnull(strstr(errors[i].text, " more exceed the limit of 536870911"));
        }
        ck_assert_ptr_eq(united(&full, less), &full);
    }
}
END_TEST

static void
add_merge_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "merge");
    tcase_add_test(tests, a_merge_has_the_changes_of_both_sides);
    tcase_add_test(tests, a_side_that_changed_nothing_yields_to_the_other);
    tcase_add_test(tests, equal_changes_of_both_sides_are_not_a_conflict);
    tcase_add_test(tests, two_boxes_of_an_id_changed_by_two_sides_are_a_conflict);
    tcase_add_test(tests, each_resolution_keeps_the_items_it_names);
    tcase_add_test(tests, a_removal_against_a_move_can_keep_both);
    tcase_add_loop_test(tests, a_merge_that_equals_one_of_the_three_returns_that_pointer, 0, 2);
    tcase_add_loop_test(tests, a_merge_made_equal_to_one_of_the_three_by_items_returns_that_pointer,
                        0, 2);
    tcase_add_loop_test(tests, a_merge_that_keeps_both_or_neither_may_return_one_of_the_three, 0,
                        2);
    tcase_add_loop_test(tests, a_set_operation_that_equals_one_of_the_two_returns_that_pointer, 0,
                        2);
    tcase_add_test(tests, a_union_decided_for_one_of_the_two_returns_that_pointer);
    tcase_add_loop_test(tests, a_restore_that_equals_one_of_the_two_returns_that_pointer, 0, 2);
    tcase_add_test(tests, each_failed_allocation_of_a_restore_with_unique_ids_is_reported);
    tcase_add_test(tests, conflicts_come_in_ascending_order_of_id);
    tcase_add_test(tests, a_box_that_no_side_changed_is_kept);
    tcase_add_test(tests, an_invalid_decision_is_refused_and_the_id_is_named);
    tcase_add_test(tests, a_decision_that_the_options_of_the_tree_forbid_is_refused);
    tcase_add_test(tests, unresolved_ids_are_conflicts);
}

static void
add_cost_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "cost");
    tcase_add_test(tests, few_changes_in_a_million_are_merged_by_few_nodes);
    tcase_add_test(tests, set_operations_enter_only_nodes_that_are_not_shared);
    tcase_add_test(tests, removing_few_items_costs_few_nodes);
    tcase_add_test(tests, a_repeated_id_is_compared_as_often_as_a_unique_one);
    tcase_add_loop_test(tests, items_of_two_full_leaves_are_compared_once, 0, 2);
    tcase_add_test(tests, a_union_of_two_halves_shares_their_nodes);
    tcase_add_test(tests, a_restore_shares_whole_subtrees);
}

static void
add_refusal_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "refusals");
    tcase_add_test(tests, versions_that_do_not_match_are_refused_and_the_field_is_named);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_test(tests, options_of_another_size_are_refused);
    tcase_add_test(tests, a_restore_refuses_an_invalid_window);
    tcase_add_test(tests, more_items_than_the_limit_are_refused);
    tcase_add_misuse_tests(tests, mistakes_of_the_caller_stop_the_program, 6);
}

int
main(void)
{
    Suite *suite = suite_create("merge");
    add_merge_tests(suite);
    add_cost_tests(suite);
    add_refusal_tests(suite);
    return run_suite(suite);
}
