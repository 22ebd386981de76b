/* SPDX-License-Identifier: MIT */
/* test_diff.c: tests the changes between two versions, and their damage boxes. */
#include "config.h"

#include <stdio.h>

#include <pqt/diff.h>
#include <pqt/limits.h>
#include <pqt/sync.h>
#include <pqt/tree.h>

#include "diff_support.h"
#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/algebra/codescent.h"
#include "tree_support.h"

/* ---- Results of a difference ---- */

static found_changes
changes_between(const pqt_tree *before, const pqt_tree *after, const pqt_query *query)
{
    found_changes found = {.count = 0};
    pqt_error error = {0};
    ck_assert_msg(pqt_tree_visit_diff(before, after, query, take_change, &found, &error), "%s",
                  error.text);
    ck_assert_int_eq(error.status, PQT_OK);
    return found;
}

static found_changes
halves_between(const pqt_tree *before, const pqt_tree *after, const pqt_query *query)
{
    found_changes found = {.count = 0};
    pqt_error error = {0};
    ck_assert(pqti_diff_visit_unpaired(before, after, query, take_change, &found, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    return found;
}

START_TEST(a_difference_can_be_applied)
{
    const pqt_tree *old = with_grid(unique_tree(2), 4), *new = old;
    new = inserted(new, dot(3, 3, 100));
    new = removed(new, dot_of_grid(4, 5));
    new = moved(new, dot_of_grid(4, 15), point(1, 1));
    found_changes found = changes_between(old, new, NULL);
    expect_changes(&found,
                   (pqt_change[]){inserting(dot(3, 3, 100)), removing(dot_of_grid(4, 5)),
                                  moving(dot_of_grid(4, 15), point(1, 1))},
                   3);
    ck_assert(pqt_tree_equals(applied(old, found.changes, found.count), new));
    found = changes_between(new, old, NULL);
    ck_assert(pqt_tree_equals(applied(new, found.changes, found.count), old));
}
END_TEST

START_TEST(equal_versions_do_not_differ)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    const pqt_tree *apart = built_apart(tree);
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .stats = &stats};
    ck_assert_uint_eq(changes_between(tree, tree, NULL).count, 0);
    ck_assert_uint_eq(changes_between(tree, apart, NULL).count, 0);
    ck_assert_uint_eq(changes_between(tree, tree, &query).count, 0);
    ck_assert_uint_eq(changes_between(tree, apart, &query).count, 0);
    ck_assert_uint_le(stats.nodes + stats.leaves + stats.boxes, 1);
    ck_assert_uint_eq(changes_between(small_tree(2), built_apart(small_tree(2)), NULL).count, 0);
}
END_TEST

START_TEST(a_difference_from_the_empty_version_lists_every_item)
{
    const pqt_tree *empty = small_tree(2), *full = with_grid(empty, 6);
    found_changes found = changes_between(empty, full, NULL);
    ck_assert_uint_eq(found.count, 36);
    const found_list *items = found_by(full, query_of_all());
    for (size_t i = 0; i < 36; i++) {
        ck_assert_int_eq(found.changes[i].kind, PQT_INSERT);
        ck_assert(same_bits(found.changes[i].item, items->items[i]));
    }
    found = changes_between(full, empty, NULL);
    ck_assert_uint_eq(found.count, 36);
    ck_assert_int_eq(found.changes[35].kind, PQT_REMOVE);
}
END_TEST

START_TEST(an_id_that_occurs_once_in_each_version_has_moved)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *tree = with_grid(unique ? unique_tree(1) : small_tree(1), 4);
        const pqt_tree *next = moved(tree, dot_of_grid(4, 0), point(15, 15));
        found_changes found = changes_between(tree, next, NULL);
        expect_changes(&found, (pqt_change[]){moving(dot_of_grid(4, 0), point(15, 15))}, 1);
        found = changes_between(next, tree, NULL);
        expect_changes(&found, (pqt_change[]){moving(dot(15, 15, 0), dot_of_grid(4, 0).box)}, 1);
        found = halves_between(tree, next, NULL);
        expect_changes(&found,
                       (pqt_change[]){removing(dot_of_grid(4, 0)), inserting(dot(15, 15, 0))}, 2);
    }
}
END_TEST

START_TEST(an_id_that_repeats_in_a_version_has_not_moved)
{
    const pqt_tree *one = with_items(small_tree(1), (pqt_item[]){dot(1, 1, 7), dot(2, 2, 8)}, 2);
    const pqt_tree *two = with_items(small_tree(1), (pqt_item[]){dot(4, 4, 7), dot(5, 5, 7)}, 2);
    found_changes found = changes_between(one, two, NULL);
    expect_changes(&found,
                   (pqt_change[]){removing(dot(1, 1, 7)), removing(dot(2, 2, 8)),
                                  inserting(dot(4, 4, 7)), inserting(dot(5, 5, 7))},
                   4);
    found = changes_between(two, one, NULL);
    ck_assert_uint_eq(found.count, 4);
    ck_assert_int_eq(found.changes[0].kind, PQT_INSERT);
    /* An unchanged item with the same id is not reported. */
    found = changes_between(two, moved(two, dot(5, 5, 7), point(6, 6)), NULL);
    expect_changes(&found, (pqt_change[]){moving(dot(5, 5, 7), point(6, 6))}, 1);
}
END_TEST

START_TEST(an_item_that_leaves_a_window_is_removed_and_one_that_enters_is_inserted)
{
    pqt_query left = {.window = box(0, 0, 8, 16), .relation = PQT_INSIDE};
    pqt_query right = {.window = box(8, 0, 16, 16), .relation = PQT_INSIDE};
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *old = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
        const pqt_tree *new = moved(old, dot_of_grid(4, 1), point(12, 3));
        new = moved(new, dot_of_grid(4, 4), point(3, 12));
        found_changes found = changes_between(old, new, &left);
        expect_changes(
            &found,
            (pqt_change[]){removing(dot_of_grid(4, 1)), moving(dot_of_grid(4, 4), point(3, 12))},
            2);
        found = changes_between(old, new, &right);
        expect_changes(&found, (pqt_change[]){inserting(dot(12, 3, 1))}, 1);
    }
}
END_TEST

static bool
has_id(const pqt_item *item, void *context)
{
    return item->id == *(uint64_t *)context;
}

START_TEST(a_filter_chooses_among_changes)
{
    uint64_t wanted = 9;
    pqt_query query = query_of_all();
    query.filter = has_id;
    query.context = &wanted;
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *old = with_grid(unique ? unique_tree(2) : small_tree(2), 4);
        const pqt_tree *new = removed(removed(old, dot_of_grid(4, 9)), dot_of_grid(4, 8));
        found_changes found = changes_between(old, new, &query);
        expect_changes(&found, (pqt_change[]){removing(dot_of_grid(4, 9))}, 1);
    }
}
END_TEST

START_TEST(a_stopped_visit_returns_false_without_an_error)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(2) : small_tree(2);
        const pqt_tree *full = with_grid(empty, 6);
        pqt_error error = {0};
        found_changes found = {.stop_after = 5};
        ck_assert(!pqt_tree_visit_diff(empty, full, NULL, take_change, &found, &error));
        ck_assert_uint_eq(found.count, 5);
        found.count = 0;
        ck_assert(!pqti_diff_visit_unpaired(full, empty, NULL, take_change, &found, &error));
        ck_assert_uint_eq(found.count, 5);
        ck_assert_int_eq(error.status, PQT_OK);
    }
}
END_TEST

START_TEST(collect_returns_the_number_of_all_changes)
{
    const pqt_tree *empty = small_tree(2), *full = with_grid(empty, 4);
    pqt_change changes[20] = {{.kind = PQT_INSERT}};
    pqt_error error = {0};
    size_t count = 0;
    ck_assert(pqt_diff_collect(empty, full, NULL, NULL, count, &count, &error));
    ck_assert_uint_eq(count, 16);
    changes[3] = removing(dot(0, 0, 99));
    count = 3;
    ck_assert(pqt_diff_collect(empty, full, NULL, changes, count, &count, &error));
    ck_assert_uint_eq(count, 16);
    ck_assert_uint_eq(changes[3].item.id, 99);
    count = 20;
    ck_assert(pqt_diff_collect(empty, full, NULL, changes, count, &count, &error));
    ck_assert_uint_eq(count, 16);
    expect_equal(applied(empty, changes, count), full);
}
END_TEST

/* ---- Damage ---- */

static size_t
damage_between(const pqt_tree *before, const pqt_tree *after, pqt_box *boxes, size_t most)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_diff_damage(before, after, NULL, boxes, most, &most, &error), "%s",
                  error.text);
    return most;
}

START_TEST(damage_covers_where_an_item_was_and_where_it_is)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    const pqt_tree *next = moved(tree, dot_of_grid(4, 0), box(14, 14, 15, 15));
    pqt_box boxes[4];
    ck_assert_uint_eq(damage_between(tree, next, boxes, 4), 2);
    ck_assert(same_bits(boxed(boxes[0], 0), boxed(point(2, 2), 0)));
    ck_assert(same_bits(boxed(boxes[1], 0), boxed(box(14, 14, 15, 15), 0)));
    ck_assert_uint_eq(damage_between(tree, next, boxes, 1), 1);
    ck_assert(same_bits(boxed(boxes[0], 0), boxed(box(2, 2, 15, 15), 0)));
    ck_assert_uint_eq(damage_between(tree, tree, boxes, 4), 0);
}
END_TEST

START_TEST(damage_joins_boxes_that_are_close)
{
    pqt_item items[] = {dot(1, 1, 1),   dot(1.5, 1.5, 2), dot(2, 1, 3),  dot(14, 1, 4),
                        dot(14, 2, 5),  dot(1, 14, 6),    dot(2, 14, 7), dot(14, 14, 8),
                        dot(14, 15, 9), dot(1, 2, 10)};
    pqt_box boxes[4];
    ck_assert_uint_eq(damage_between(small_tree(1), with_items(small_tree(1), items, 10), boxes, 4),
                      4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_msg(pqt_box_size(boxes[i]).x <= 1 && pqt_box_size(boxes[i]).y <= 1,
                      "box %zu is too large", i);
}
END_TEST

START_TEST(damage_within_damage_takes_no_box)
{
    pqt_item items[] = {boxed(box(0, 0, 16, 16), 1), dot(3, 3, 2), dot(12, 12, 3),
                        boxed(box(0, 16, 16, 16), 4)};
    pqt_box boxes[4];
    ck_assert_uint_eq(damage_between(small_tree(1), with_items(small_tree(1), items, 4), boxes, 4),
                      1);
    ck_assert(same_bits(boxed(boxes[0], 0), boxed(box(0, 0, 16, 16), 0)));
}
END_TEST

START_TEST(damage_of_the_largest_boxes_is_finite)
{
    const double most = 0x1.fffffffffffffp+1023;
    pqt_item items[] = {boxed(box(-most, -most, most, 0), 1), boxed(box(-most, 0, most, most), 2),
                        dot(-most, most, 3), dot(most, -most, 4)};
    pqt_box boxes[1];
    ck_assert_uint_eq(damage_between(small_tree(1), with_items(small_tree(1), items, 4), boxes, 1),
                      1);
    ck_assert(same_bits(boxed(boxes[0], 0), boxed(box(-most, -most, most, most), 0)));
}
END_TEST

START_TEST(damage_stays_within_its_window)
{
    pqt_query query = {.window = box(8, 0, 16, 8), .relation = PQT_TOUCHES};
    const pqt_tree *tree = with_grid(small_tree(1), 4);
    const pqt_tree *next = moved(tree, dot_of_grid(4, 0), point(13, 3));
    pqt_error error = {0};
    pqt_box boxes[2];
    size_t count = 2;
    ck_assert(pqt_diff_damage(tree, next, &query, boxes, count, &count, &error));
    ck_assert_uint_eq(count, 1);
    ck_assert(same_bits(boxed(boxes[0], 0), boxed(point(13, 3), 0)));
}
END_TEST

/* ---- Refused arguments ---- */

static bool
diff_by_function(int way, const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
                 pqt_error *error)
{
    found_changes found = {.count = 0};
    pqt_box damage[1];
    size_t count = way == 2 ? 0 : 1;
    switch (way) {
    case 0:
        return pqt_tree_visit_diff(before, after, query, take_change, &found, error);
    case 1:
        return pqt_diff_damage(before, after, query, damage, count, &count, error);
    case 2:
        return pqt_diff_collect(before, after, query, NULL, count, &count, error);
    default: /* internal: its callers have no versions that are NULL */
        return pqti_diff_visit_unpaired(before, after, query, take_change, &found, error);
    }
}

enum { PUBLIC_DIFF_FUNCTIONS = 3, DIFF_FUNCTIONS = 4 };

static const pqt_tree *
tree_that_differs(int field, const char **name, pqt_memory *other)
{
    static const char *const names[] = {"bounds", "leaf_capacity", "strict_bounds", "unique_ids",
                                        "memory"};
    pqt_tree_options options = options_of(field == 1 ? 3 : 2, 24);
    options.strict_bounds = field == 2;
    options.unique_ids = field == 3;
    options.memory = field == 4 ? other : arena;
    *name = names[field];
    return made(field == 0 ? box(0, 0, 16, 17) : world_box, options);
}

START_TEST(versions_that_do_not_match_are_refused_and_the_field_is_named)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    for (int field = 0; field < 5; field++) {
        const char *name;
        char text[64];
        const pqt_tree *differing = tree_that_differs(field, &name, other);
        snprintf(text, sizeof text, "the versions differ in %s", name);
        for (int way = 0; way < DIFF_FUNCTIONS; way++) {
            pqt_error error = {0};
            ck_assert(!diff_by_function(way, small_tree(2), differing, NULL, &error));
            expect_failure(&error, PQT_ERROR_MISMATCH, 0, text);
            ck_assert(!diff_by_function(way, differing, small_tree(2), NULL, NULL));
        }
    }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(ids_that_are_pointers_do_not_match_others)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    if (pqt_collector() == NULL)
        return;
    const pqt_tree *plain = made(world_box, options);
    options.ids_are_pointers = true;
    ck_assert(!diff_by_function(0, plain, made(world_box, options), NULL, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the versions differ in ids_are_pointers");
}
END_TEST

START_TEST(an_invalid_window_is_refused)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    const pqt_query bad[] = {{.window = box(NAN, 0, 1, 1), .relation = PQT_TOUCHES},
                             {.window = box(0, 0, 1, NAN), .relation = PQT_COVERS},
                             {.window = box(2, 0, 1, 1), .relation = PQT_INSIDE}};
    for (int way = 0; way < DIFF_FUNCTIONS; way++) {
        for (size_t i = 0; i < 3; i++) {
            pqt_error error = {0};
            ck_assert(!diff_by_function(way, small_tree(2), tree, &bad[i], &error));
            ck_assert_int_eq(error.status, PQT_ERROR_BOX);
        }
        pqt_query infinite = query_of_all();
        ck_assert(diff_by_function(way, small_tree(2), tree, &infinite, NULL));
    }
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    const pqt_tree *tree = small_tree(2);
    for (int way = 0; way < PUBLIC_DIFF_FUNCTIONS; way++) {
        pqt_error error = earlier_failure();
        ck_assert(!diff_by_function(way, NULL, tree, NULL, &error));
        ck_assert(!diff_by_function(way, tree, NULL, NULL, &error));
        ck_assert(!diff_by_function(way, NULL, tree, NULL, NULL));
        expect_earlier_failure(&error);
    }
}
END_TEST

START_TEST(a_failed_call_does_not_write_the_count)
{
    pqt_error error = earlier_failure();
    pqt_box boxes[3];
    pqt_change changes[3];
    size_t count = 3;
    ck_assert(!pqt_diff_damage(NULL, small_tree(2), NULL, boxes, count, &count, &error));
    ck_assert(!pqt_diff_collect(small_tree(2), NULL, NULL, changes, count, &count, &error));
    ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = {0};
    pqt_sync_peer peer = {NULL, NULL, NULL};
    pqt_query query = {.window = world_box}; /* it names no relation */
    size_t count = 0;
    switch (_i) {
    case 0:
        ck_assert(!pqt_tree_visit_diff(NULL, tree, NULL, take_change, NULL, &error));
        break;
    case 1:
        ck_assert(!pqt_tree_visit_diff(tree, tree, NULL, NULL, NULL, &error));
        break;
    case 2:
        ck_assert(!pqt_tree_visit_diff(tree, NULL, NULL, take_change, NULL, &error));
        break;
    case 3:
        ck_assert(!pqt_diff_collect(tree, tree, NULL, NULL, 1, NULL, &error));
        break;
    case 4:
        count = 1;
        ck_assert(!pqt_diff_collect(tree, tree, NULL, NULL, count, &count, &error));
        break;
    case 5:
        ck_assert(!pqt_diff_damage(tree, tree, NULL, &query.window, count, &count, &error));
        break;
    case 6:
        ck_assert(!pqt_tree_visit_diff(tree, tree, &query, take_change, NULL, &error));
        break;
    case 7:
        ck_assert(!pqt_sync_find(tree, &peer, NULL, NULL, &error));
        break;
    case 8:
        ck_assert_uint_eq(pqt_sync_digest_of(NULL, (pqt_sync_path){{0, 0}, 0, 0}).count, 0);
        break;
    default:
        ck_assert_uint_eq(pqt_sync_items_of(tree, (pqt_sync_path){{0, 0}, 0, 0}, NULL, 1), 0);
        break;
    }
}
END_TEST

/* ---- Memory ---- */

START_TEST(a_diff_allocates_only_to_pair_items_without_unique_ids)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(2) : small_tree(2);
        const pqt_tree *full = with_grid(empty, 6);
        for (int way = 0; way < DIFF_FUNCTIONS; way++) {
            hooks watch = {.fail_at = 0};
            bool may_allocate = !unique && (way == 0 || way == 2);
            hooks_start(&watch);
            ck_assert(diff_by_function(way, empty, full, NULL, NULL));
            hooks_stop();
            ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
            ck_assert((watch.calls > 0) == may_allocate);
        }
    }
}
END_TEST

START_TEST(each_failed_allocation_is_reported)
{
    const pqt_tree *empty = small_tree(2), *full = with_grid(empty, 7);
    hooks watch = {.fail_at = 0};
    bool done;
    do {
        pqt_error error = {0};
        watch.fail_at++;
        hooks_start(&watch);
        done = diff_by_function(0, empty, full, NULL, &error);
        hooks_stop();
        ck_assert(done == (watch.failures == 0));
        ck_assert_int_eq(error.status, done ? PQT_OK : PQT_ERROR_MEMORY);
    } while (!done);
    ck_assert_uint_gt(watch.fail_at, 4);
}
END_TEST

/* ---- Costs ---- */

/* Makes ten random moves, which copy twenty paths. */
static const pqt_tree *
with_ten_moves(const pqt_tree *tree)
{
    pqt_change changes[10];
    dice d = {7};
    for (size_t i = 0; i < 10; i++) {
        pqt_item item;
        double x = dice_real(&d) * 16, y = dice_real(&d) * 16;
        ck_assert(
            pqt_tree_any(tree, (pqt_query[]){query_of(box(x, y, 16, 16), PQT_TOUCHES)}, &item));
        changes[i] = moving(item, point(dice_real(&d) * 16, dice_real(&d) * 16));
    }
    return applied(tree, changes, 10);
}

static void
expect_few_nodes(const pqt_tree *before, const pqt_tree *after)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .stats = &stats};
    ck_assert_uint_eq(changes_between(before, after, &query).count, 10);
    ck_assert_msg(stats.nodes + stats.leaves < 1000, "%llu nodes and %llu leaves",
                  (unsigned long long)stats.nodes, (unsigned long long)stats.leaves);
    ck_assert_uint_lt(stats.boxes, 2000);
}

/* Two leaves are compared only between their first and their last difference. */
START_TEST(common_ends_of_two_leaves_are_not_compared_one_by_one)
{
    const pqt_tree *old = with_grid(small_tree(PQT_MAX_CAPACITY), 30);
    const pqt_item gone = dot_of_grid(30, 437);
    const pqt_tree *changed[] = {removed(old, gone), inserted(old, dot(8.01, 8.01, 1000)),
                                 inserted(removed(old, gone), boxed(gone.box, 1000))};
    ck_assert_uint_eq(pqt_tree_get_stats(old).leaves, 1);
    for (size_t i = 0; i < 3; i++) {
        pqt_query_stats stats = {0, 0, 0};
        pqt_query query = query_of_all();
        query.stats = &stats;
        changes_between(old, changed[i], &query);
        ck_assert_uint_eq(stats.leaves, 2);
        ck_assert_uint_eq(stats.boxes, i < 2 ? 1 : 2);
    }
}
END_TEST

START_TEST(ten_changes_in_a_million_enter_fewer_than_a_thousand_nodes)
{
    const pqt_tree *old = million_items(), *new = with_ten_moves(old);
    expect_few_nodes(old, new);
    expect_few_nodes(new, old);
    expect_few_nodes(old, built_apart(new));
}
END_TEST

static void
add_diff_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "diff");
    tcase_add_test(tests, a_difference_can_be_applied);
    tcase_add_test(tests, equal_versions_do_not_differ);
    tcase_add_test(tests, a_difference_from_the_empty_version_lists_every_item);
    tcase_add_test(tests, an_id_that_occurs_once_in_each_version_has_moved);
    tcase_add_test(tests, an_id_that_repeats_in_a_version_has_not_moved);
    tcase_add_test(tests, an_item_that_leaves_a_window_is_removed_and_one_that_enters_is_inserted);
    tcase_add_test(tests, a_filter_chooses_among_changes);
    tcase_add_test(tests, a_stopped_visit_returns_false_without_an_error);
    tcase_add_test(tests, collect_returns_the_number_of_all_changes);
    tcase_add_test(tests, common_ends_of_two_leaves_are_not_compared_one_by_one);
    tcase_add_test(tests, ten_changes_in_a_million_enter_fewer_than_a_thousand_nodes);
    tcase_add_test(tests, a_diff_allocates_only_to_pair_items_without_unique_ids);
    tcase_add_test(tests, each_failed_allocation_is_reported);
}

static void
add_damage_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "damage");
    tcase_add_test(tests, damage_covers_where_an_item_was_and_where_it_is);
    tcase_add_test(tests, damage_joins_boxes_that_are_close);
    tcase_add_test(tests, damage_within_damage_takes_no_box);
    tcase_add_test(tests, damage_of_the_largest_boxes_is_finite);
    tcase_add_test(tests, damage_stays_within_its_window);
}

static void
add_refusal_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "refusals");
    tcase_add_test(tests, versions_that_do_not_match_are_refused_and_the_field_is_named);
    tcase_add_test(tests, ids_that_are_pointers_do_not_match_others);
    tcase_add_test(tests, an_invalid_window_is_refused);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_test(tests, a_failed_call_does_not_write_the_count);
    tcase_add_misuse_tests(tests, mistakes_of_the_caller_stop_the_program, 10);
}

int
main(void)
{
    Suite *suite = suite_create("diff");
    add_diff_tests(suite);
    add_damage_tests(suite);
    add_refusal_tests(suite);
    return run_suite(suite);
}
