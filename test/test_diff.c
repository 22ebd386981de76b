/* SPDX-License-Identifier: MIT */
/* test_diff.c - what has changed between two versions, and where two trees part. */
#include "config.h"

#include <stdio.h>

#include <pqt/diff.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"

enum { MILLION = 1000000, MOST_CHANGES = 64 };

/* ---- What a difference comes to ---- */

typedef struct found_changes {
    pqt_change changes[MOST_CHANGES];
    size_t count;
    size_t stop_after; /* 0: never */
} found_changes;

static bool
take_change(const pqt_change *change, void *context)
{
    found_changes *found = context;
    ck_assert_uint_lt(found->count, MOST_CHANGES);
    found->changes[found->count++] = *change;
    return found->count != found->stop_after;
}

static found_changes
changes_between(const pqt_tree *before, const pqt_tree *after, const pqt_query *query)
{
    found_changes found = {.count = 0};
    pqt_error error = {0};
    ck_assert_msg(pqt_diff_visit(before, after, query, take_change, &found, &error), "%s",
                  error.text);
    ck_assert_int_eq(error.status, PQT_OK);
    return found;
}

static found_changes
halves_between(const pqt_tree *before, const pqt_tree *after, const pqt_query *query)
{
    found_changes found = {.count = 0};
    pqt_error error = {0};
    ck_assert(pqt_diff_visit_unpaired(before, after, query, take_change, &found, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    return found;
}

static void
expect_changes(const found_changes *found, const pqt_change *changes, size_t count)
{
    ck_assert_uint_eq(found->count, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(found->changes[i].kind, changes[i].kind);
        ck_assert(same_bits(found->changes[i].item, changes[i].item));
        if (changes[i].kind == PQT_MOVE)
            ck_assert(same_bits(boxed(found->changes[i].to, 0), boxed(changes[i].to, 0)));
    }
}

/* The same items, in a tree that shares nothing. */
static const pqt_tree *
built_apart(const pqt_tree *tree)
{
    pqt_tree_options options = pqt_tree_get_options(tree);
    size_t count = pqt_tree_count(tree);
    pqt_item *items = malloc((count + 1) * sizeof *items);
    pqt_error error = {0};
    ck_assert_ptr_nonnull(items);
    pqt_tree_collect(tree, asking_all(), items, count);
    const pqt_tree *apart = made(pqt_tree_bounds(tree), options);
    apart = pqt_tree_insert_all(apart, items, count, &error);
    free(items);
    ck_assert_uint_eq(pqt_tree_shared_bytes(must(apart, &error), tree), 0);
    return apart;
}

START_TEST(a_difference_is_what_apply_takes)
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
    pqt_tally tally = {0, 0, 0};
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .tally = &tally};
    ck_assert_uint_eq(changes_between(tree, tree, NULL).count, 0);
    ck_assert_uint_eq(changes_between(tree, apart, NULL).count, 0);
    ck_assert_uint_eq(changes_between(tree, tree, &query).count, 0);
    ck_assert_uint_eq(changes_between(tree, apart, &query).count, 0);
    ck_assert_uint_le(tally.nodes + tally.leaves + tally.boxes, 1);
    ck_assert_uint_eq(changes_between(small_tree(2), built_apart(small_tree(2)), NULL).count, 0);
}
END_TEST

START_TEST(everything_differs_from_nothing)
{
    const pqt_tree *empty = small_tree(2), *full = with_grid(empty, 6);
    found_changes found = changes_between(empty, full, NULL);
    ck_assert_uint_eq(found.count, 36);
    const found_list *items = found_by(full, asking_all());
    for (size_t i = 0; i < 36; i++) {
        ck_assert_int_eq(found.changes[i].kind, PQT_INSERT);
        ck_assert(same_bits(found.changes[i].item, items->items[i]));
    }
    found = changes_between(full, empty, NULL);
    ck_assert_uint_eq(found.count, 36);
    ck_assert_int_eq(found.changes[35].kind, PQT_REMOVE);
}
END_TEST

START_TEST(an_id_once_among_both_has_moved)
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

START_TEST(an_id_more_than_once_among_either_has_not_moved)
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
    /* An unchanged item of the id does not count. */
    found = changes_between(two, moved(two, dot(5, 5, 7), point(6, 6)), NULL);
    expect_changes(&found, (pqt_change[]){moving(dot(5, 5, 7), point(6, 6))}, 1);
}
END_TEST

START_TEST(in_a_window_what_left_is_removed_and_what_came_is_inserted)
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
    pqt_query query = asking_all();
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

START_TEST(a_visitor_that_stops_is_not_a_failure)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(2) : small_tree(2);
        const pqt_tree *full = with_grid(empty, 6);
        pqt_error error = {0};
        found_changes found = {.stop_after = 5};
        ck_assert(pqt_diff_visit(empty, full, NULL, take_change, &found, &error));
        ck_assert_uint_eq(found.count, 5);
        found.count = 0;
        ck_assert(pqt_diff_visit_unpaired(full, empty, NULL, take_change, &found, &error));
        ck_assert_uint_eq(found.count, 5);
        ck_assert_int_eq(error.status, PQT_OK);
    }
}
END_TEST

START_TEST(collect_tells_how_many_there_are)
{
    const pqt_tree *empty = small_tree(2), *full = with_grid(empty, 4);
    pqt_change changes[20] = {{.kind = PQT_INSERT}};
    pqt_error error = {0};
    size_t count = 0;
    ck_assert(pqt_diff_collect(empty, full, NULL, NULL, &count, &error));
    ck_assert_uint_eq(count, 16);
    changes[3] = removing(dot(0, 0, 99));
    count = 3;
    ck_assert(pqt_diff_collect(empty, full, NULL, changes, &count, &error));
    ck_assert_uint_eq(count, 16);
    ck_assert_uint_eq(changes[3].item.id, 99);
    count = 20;
    ck_assert(pqt_diff_collect(empty, full, NULL, changes, &count, &error));
    ck_assert_uint_eq(count, 16);
    expect_equal(applied(empty, changes, count), full);
}
END_TEST

/* ---- Damage ---- */

static size_t
damage_between(const pqt_tree *before, const pqt_tree *after, pqt_box *boxes, size_t most)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_diff_damage(before, after, NULL, boxes, &most, &error), "%s", error.text);
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

START_TEST(damage_joins_what_lies_together)
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

START_TEST(damage_keeps_to_its_window)
{
    pqt_query query = {.window = box(8, 0, 16, 8), .relation = PQT_TOUCHES};
    const pqt_tree *tree = with_grid(small_tree(1), 4);
    const pqt_tree *next = moved(tree, dot_of_grid(4, 0), point(13, 3));
    pqt_error error = {0};
    pqt_box boxes[2];
    size_t count = 2;
    ck_assert(pqt_diff_damage(tree, next, &query, boxes, &count, &error));
    ck_assert_uint_eq(count, 1);
    ck_assert(same_bits(boxed(boxes[0], 0), boxed(point(13, 3), 0)));
}
END_TEST

/* ---- What is refused ---- */

static bool
ask_each_way(int way, const pqt_tree *before, const pqt_tree *after, const pqt_query *query,
             pqt_error *error)
{
    found_changes found = {.count = 0};
    pqt_box room[1];
    size_t count = way == 2 ? 0 : 1;
    switch (way) {
    case 0:
        return pqt_diff_visit(before, after, query, take_change, &found, error);
    case 1:
        return pqt_diff_visit_unpaired(before, after, query, take_change, &found, error);
    case 2:
        return pqt_diff_collect(before, after, query, NULL, &count, error);
    default:
        return pqt_diff_damage(before, after, query, room, &count, error);
    }
}

enum { WAYS_TO_ASK = 4 };

static const pqt_tree *
tree_that_differs(int field, const char **name, pqt_memory *other)
{
    static const char *const names[] = {"bounds",        "leaf_capacity", "max_depth",
                                        "strict_bounds", "unique_ids",    "memory"};
    pqt_tree_options options = options_of(field == 1 ? 3 : 2, field == 2 ? 23 : 24);
    options.strict_bounds = field == 3;
    options.unique_ids = field == 4;
    options.memory = field == 5 ? other : arena;
    *name = names[field];
    return made(field == 0 ? box(0, 0, 16, 17) : world_box, options);
}

START_TEST(versions_that_do_not_match_are_refused_with_the_field)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    for (int field = 0; field < 6; field++) {
        const char *name;
        char text[64];
        const pqt_tree *differing = tree_that_differs(field, &name, other);
        snprintf(text, sizeof text, "the versions differ in %s", name);
        for (int way = 0; way < WAYS_TO_ASK; way++) {
            pqt_error error = {0};
            ck_assert(!ask_each_way(way, small_tree(2), differing, NULL, &error));
            expect_failure(&error, PQT_ERROR_MISMATCH, 0, text);
            ck_assert(!ask_each_way(way, differing, small_tree(2), NULL, NULL));
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
    ck_assert(!ask_each_way(0, plain, made(world_box, options), NULL, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "the versions differ in ids_are_pointers");
}
END_TEST

START_TEST(a_window_that_is_none_is_refused)
{
    const pqt_tree *tree = with_grid(small_tree(2), 4);
    const pqt_query bad[] = {{.window = box(NAN, 0, 1, 1), .relation = PQT_TOUCHES},
                             {.window = box(0, 0, 1, NAN), .relation = PQT_COVERS},
                             {.window = box(2, 0, 1, 1), .relation = PQT_INSIDE}};
    for (int way = 0; way < WAYS_TO_ASK; way++) {
        for (size_t i = 0; i < 3; i++) {
            pqt_error error = {0};
            ck_assert(!ask_each_way(way, small_tree(2), tree, &bad[i], &error));
            ck_assert_int_eq(error.status, PQT_ERROR_BOX);
        }
        pqt_query infinite = asking_all();
        ck_assert(ask_each_way(way, small_tree(2), tree, &infinite, NULL));
    }
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    const pqt_tree *tree = small_tree(2);
    for (int way = 0; way < WAYS_TO_ASK; way++) {
        pqt_error error = earlier_failure();
        ck_assert(!ask_each_way(way, NULL, tree, NULL, &error));
        ck_assert(!ask_each_way(way, tree, NULL, NULL, &error));
        ck_assert(!ask_each_way(way, tree, tree, NULL, &error));
        ck_assert(!ask_each_way(way, NULL, tree, NULL, NULL));
        expect_earlier_failure(&error);
    }
}
END_TEST

START_TEST(a_refused_count_is_left_alone)
{
    pqt_error error = earlier_failure();
    pqt_box boxes[3];
    pqt_change changes[3];
    size_t count = 3;
    ck_assert(!pqt_diff_damage(small_tree(2), small_tree(2), NULL, boxes, &count, &error));
    ck_assert(!pqt_diff_collect(small_tree(2), small_tree(2), NULL, changes, &count, &error));
    ck_assert_uint_eq(count, 3);
}
END_TEST

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_tree *tree = small_tree(2);
    pqt_error error = {0};
    pqt_remote remote = {NULL, NULL, NULL};
    pqt_query query = {.window = world_box}; /* names no relation */
    size_t count = 0;
    switch (_i) {
    case 0:
        ck_assert(!pqt_diff_visit(NULL, tree, NULL, take_change, NULL, &error));
        break;
    case 1:
        ck_assert(!pqt_diff_visit(tree, tree, NULL, NULL, NULL, &error));
        break;
    case 2:
        ck_assert(!pqt_diff_visit_unpaired(tree, tree, NULL, NULL, NULL, &error));
        break;
    case 3:
        ck_assert(!pqt_diff_collect(tree, tree, NULL, NULL, NULL, &error));
        break;
    case 4:
        count = 1;
        ck_assert(!pqt_diff_collect(tree, tree, NULL, NULL, &count, &error));
        break;
    case 5:
        ck_assert(!pqt_diff_damage(tree, tree, NULL, &query.window, &count, &error));
        break;
    case 6:
        ck_assert(!pqt_diff_visit(tree, tree, &query, take_change, NULL, &error));
        break;
    case 7:
        ck_assert(!pqt_diff_locate(tree, &remote, NULL, NULL, &error));
        break;
    case 8:
        ck_assert_uint_eq(pqt_diff_sum_of(NULL, (pqt_way){{0, 0}, 0, 0}).count, 0);
        break;
    default:
        ck_assert_uint_eq(pqt_diff_items_of(tree, (pqt_way){{0, 0}, 0, 0}, NULL, 1), 0);
        break;
    }
}
END_TEST

/* ---- Memory ---- */

START_TEST(only_pairing_without_unique_ids_allocates)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *empty = unique ? unique_tree(2) : small_tree(2);
        const pqt_tree *full = with_grid(empty, 6);
        for (int way = 0; way < WAYS_TO_ASK; way++) {
            hooks watch = {.fail_at = 0};
            bool may_allocate = !unique && (way == 0 || way == 2);
            hooks_start(&watch);
            ck_assert(ask_each_way(way, empty, full, NULL, NULL));
            hooks_stop();
            ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
            ck_assert((watch.calls > 0) == may_allocate);
        }
    }
}
END_TEST

START_TEST(each_failing_allocation_is_told)
{
    const pqt_tree *empty = small_tree(2), *full = with_grid(empty, 7);
    hooks watch = {.fail_at = 0};
    bool told;
    do {
        pqt_error error = {0};
        watch.fail_at++;
        hooks_start(&watch);
        told = ask_each_way(0, empty, full, NULL, &error);
        hooks_stop();
        ck_assert(told == (watch.failures == 0));
        ck_assert_int_eq(error.status, told ? PQT_OK : PQT_ERROR_MEMORY);
    } while (!told);
    ck_assert_uint_gt(watch.fail_at, 4);
}
END_TEST

/* ---- What it costs ---- */

static const pqt_tree *
million_items(void)
{
    pqt_tree_options options = options_of(24, 24);
    pqt_error error = {0};
    dice d = {42};
    pqt_item *items = malloc(MILLION * sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < MILLION; i++) {
        double x = dice_real(&d) * 15.9, y = dice_real(&d) * 15.9;
        items[i] = boxed(box(x, y, x + dice_real(&d) * 0.016, y + dice_real(&d) * 0.016), i);
    }
    const pqt_tree *tree = made(world_box, options);
    tree = pqt_tree_insert_all(tree, items, MILLION, &error);
    free(items);
    return must(tree, &error);
}

/* Ten moves from anywhere to anywhere: twenty ways down. */
static const pqt_tree *
with_ten_moves(const pqt_tree *tree)
{
    pqt_change changes[10];
    dice d = {7};
    for (size_t i = 0; i < 10; i++) {
        pqt_item item;
        double x = dice_real(&d) * 16, y = dice_real(&d) * 16;
        ck_assert(pqt_tree_any(tree, asking(box(x, y, 16, 16), PQT_TOUCHES), &item));
        changes[i] = moving(item, point(dice_real(&d) * 16, dice_real(&d) * 16));
    }
    return applied(tree, changes, 10);
}

static void
expect_few_nodes(const pqt_tree *before, const pqt_tree *after)
{
    pqt_tally tally = {0, 0, 0};
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .tally = &tally};
    ck_assert_uint_eq(changes_between(before, after, &query).count, 10);
    ck_assert_msg(tally.nodes + tally.leaves < 1000, "%llu nodes and %llu leaves",
                  (unsigned long long)tally.nodes, (unsigned long long)tally.leaves);
    ck_assert_uint_lt(tally.boxes, 2000);
}

START_TEST(ten_changes_in_a_million_enter_fewer_than_a_thousand_nodes)
{
    const pqt_tree *old = million_items(), *new = with_ten_moves(old);
    expect_few_nodes(old, new);
    expect_few_nodes(new, old);
    expect_few_nodes(old, built_apart(new));
}
END_TEST

/* ---- Ways ---- */

static const pqt_way whole = {{0, 0}, 0, 0};

enum { INTO_BUCKET = 4 };

/* As the header says: two bits a quarter from the top on. */
static pqt_way
into(pqt_way way, unsigned part)
{
    if (part == INTO_BUCKET) {
        way.bucket = (uint8_t)(1 + way.steps);
        return way;
    }
    way.digits[way.steps / 32] |= (uint64_t)part << (62 - 2 * (way.steps % 32));
    way.steps++;
    return way;
}

static void
expect_sum(const pqt_tree *tree, pqt_way way, const pqt_item *items, size_t count)
{
    pqt_cell_sum sum = pqt_diff_sum_of(tree, way);
    pqt_fingerprint all = {0, 0};
    for (size_t i = 0; i < count; i++)
        all = pqti_fingerprint_add(all, pqti_item_fingerprint(&items[i]));
    ck_assert_uint_eq(sum.count, count);
    ck_assert_uint_eq(sum.fingerprint.low, all.low);
    ck_assert_uint_eq(sum.fingerprint.high, all.high);
}

START_TEST(a_way_leads_to_the_items_of_a_cell)
{
    pqt_item items[] = {
        dot(1, 1, 1),  dot(9, 1, 2), dot(1, 9, 3), dot(9, 9, 4), boxed(box(-1, -1, 17, 17), 5),
        dot(99, 99, 6)};
    /* With capacity 1 all are in cells of their own, with 24 the root is a leaf. */
    for (int capacity = 1; capacity <= 24; capacity += 23) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 6);
        expect_sum(tree, whole, items, 6);
        for (unsigned i = 0; i < 4; i++)
            expect_sum(tree, into(whole, i), &items[i], 1);
        expect_sum(tree, into(into(whole, 3), 0), &items[3], 1);
        expect_sum(tree, into(into(whole, 3), 1), NULL, 0);
        pqt_item found;
        ck_assert_uint_eq(pqt_diff_items_of(tree, into(whole, 2), &found, 1), 1);
        ck_assert(same_bits(found, items[2]));
        expect_sum(tree, into(whole, INTO_BUCKET), &items[4], 2);
        ck_assert_uint_eq(pqt_diff_sum_of(tree, into(into(whole, INTO_BUCKET), 3)).count, 2);
    }
}
END_TEST

START_TEST(items_of_a_cell_come_in_tree_order)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    const found_list *all = found_by(tree, asking_all());
    pqt_item items[65] = {dot(0, 0, 77)};
    ck_assert_uint_eq(pqt_diff_items_of(tree, whole, items, 65), 64);
    for (size_t i = 0; i < 64; i++)
        ck_assert(same_bits(items[i], all->items[i]));
    ck_assert_uint_eq(pqt_diff_items_of(tree, into(whole, 2), NULL, 0), 16);
    items[3] = dot(0, 0, 77);
    ck_assert_uint_eq(pqt_diff_items_of(tree, into(whole, 2), items, 3), 16);
    ck_assert(same_bits(items[0], all->items[32]));
    ck_assert_uint_eq(items[3].id, 77);
}
END_TEST

START_TEST(a_way_that_leads_nowhere_leads_to_nothing)
{
    const pqt_tree *tree = with_grid(made(world_box, options_of(1, 3)), 16);
    pqt_way too_deep = whole;
    for (int i = 0; i < 4; i++)
        too_deep = into(too_deep, 0);
    const pqt_way bad[] = {
        too_deep,
        {{0, 0}, 255, 0},
        {{0, 0}, 65, 1},
        {{0, 0}, 3, 5},
        {{0, 0}, 2, 255},
        {{0, 0}, 64, 4},
        {{~UINT64_C(0), ~UINT64_C(0)}, 255, 255},
    };
    ck_assert_uint_eq(pqt_diff_sum_of(tree, into(into(into(whole, 0), 0), 0)).count, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_uint_eq(pqt_diff_sum_of(tree, bad[i]).count, 0);
        ck_assert_uint_eq(pqt_diff_sum_of(tree, bad[i]).fingerprint.low, 0);
        ck_assert_uint_eq(pqt_diff_items_of(tree, bad[i], NULL, 0), 0);
    }
}
END_TEST

START_TEST(a_way_below_the_deepest_cell_leads_to_nothing)
{
    const pqt_tree *tree = with_items(made(world_box, options_of(24, 32)),
                                      (pqt_item[]){dot(0, 0, 1), dot(16, 16, 2)}, 2);
    pqt_way way = whole;
    for (int steps = 1; steps <= 64; steps++) {
        way = into(way, 0);
        ck_assert_uint_eq(pqt_diff_sum_of(tree, way).count, steps <= 32);
        ck_assert_uint_eq(pqt_diff_items_of(tree, way, NULL, 0), steps <= 32);
    }
}
END_TEST

/* Items that nothing divides any more. */
static void
expect_equal_mixes(const pqt_tree *tree, pqt_way way)
{
    pqt_item items[100];
    size_t count = pqt_diff_items_of(tree, way, items, 100);
    ck_assert_uint_le(count, 100);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(pqti_mix(&items[i]), pqti_mix(&items[0]));
}

/* The parts of each cell come to the cell, down to where one item is left or nothing divides. */
static void
expect_parts_to_come_to(const pqt_tree *tree, pqt_way way, int depth)
{
    pqt_cell_sum sum = pqt_diff_sum_of(tree, way), parts = {{0, 0}, 0};
    if (sum.count < 2 || depth == 0)
        return;
    if (way.steps == 64) {
        expect_equal_mixes(tree, way);
        return;
    }
    for (unsigned part = 0; part < (way.bucket == 0 ? 5u : 4u); part++) {
        pqt_cell_sum own = pqt_diff_sum_of(tree, into(way, part));
        parts.count += own.count;
        parts.fingerprint = pqti_fingerprint_add(parts.fingerprint, own.fingerprint);
        expect_parts_to_come_to(tree, into(way, part), depth - 1);
    }
    if (parts.count == 0) {
        expect_equal_mixes(tree, way);
        return;
    }
    ck_assert_uint_eq(parts.count, sum.count);
    ck_assert_uint_eq(parts.fingerprint.low, sum.fingerprint.low);
    ck_assert_uint_eq(parts.fingerprint.high, sum.fingerprint.high);
}

START_TEST(parts_of_a_cell_come_to_the_cell)
{
    dice d = {test_seed("parts_of_a_cell_come_to_the_cell")};
    const pqt_tree *tree = made(world_box, options_of(2, 5));
    for (uint64_t i = 0; i < 200; i++) {
        double x = dice_real(&d) * 24 - 4, y = dice_real(&d) * 16, size = dice_real(&d);
        tree = inserted(tree, boxed(box(x, y, x + size * size * 12, y + size), i));
        tree = inserted(tree, dot(3, 3, i));
    }
    expect_parts_to_come_to(tree, whole, 12);
    for (size_t i = 0; i < 80; i++)
        tree = inserted(tree, twin(i));
    expect_parts_to_come_to(tree, whole, 66);
}
END_TEST

/* ---- Locating ---- */

/* The other tree, and how it misbehaves. */
typedef struct other_tree {
    const pqt_tree *tree;
    size_t sums, fetches;
    size_t fail_sum_at, fail_items_at; /* 0: never */
    size_t lie_about_count_at;
    void (*spoil)(pqt_item *items, size_t count);
    size_t cells, stop_after;
    found_changes found;
} other_tree;

static bool
tell_sum(const pqt_way *way, pqt_cell_sum *sum, void *context)
{
    other_tree *o = context;
    *sum = pqt_diff_sum_of(o->tree, *way);
    o->sums++;
    if (o->sums == o->lie_about_count_at)
        sum->count = UINT64_MAX;
    return o->sums != o->fail_sum_at;
}

static bool
tell_items(const pqt_way *way, pqt_item *items, size_t count, void *context)
{
    other_tree *o = context;
    ck_assert_uint_eq(pqt_diff_items_of(o->tree, *way, items, count), count);
    if (o->spoil != NULL)
        o->spoil(items, count);
    return ++o->fetches != o->fail_items_at;
}

static bool
take_cell(const pqt_divergence *cell, void *context)
{
    other_tree *o = context;
    for (size_t i = 0; i < cell->count; i++)
        take_change(&cell->changes[i], &o->found);
    return ++o->cells != o->stop_after;
}

static bool
locate(const pqt_tree *own, other_tree *other, pqt_error *error)
{
    pqt_remote remote = {tell_sum, tell_items, other};
    return pqt_diff_locate(own, &remote, take_cell, other, error);
}

START_TEST(a_difference_is_located_and_fetched)
{
    const pqt_tree *own = with_grid(small_tree(2), 16);
    other_tree other = {.tree = built_apart(moved(own, dot_of_grid(16, 3), point(15.9, 15.9)))};
    pqt_error error = {0};
    ck_assert_msg(locate(own, &other, &error), "%s", error.text);
    expect_changes(&other.found,
                   (pqt_change[]){removing(dot_of_grid(16, 3)), inserting(dot(15.9, 15.9, 3))}, 2);
    expect_equal(applied(own, other.found.changes, 2), other.tree);
    ck_assert_uint_eq(other.cells, 2);
}
END_TEST

static bool
take_box(const pqt_divergence *cell, void *context)
{
    pqt_box *all = context;
    ck_assert_ptr_null(cell->changes);
    ck_assert_uint_eq(cell->count, 0);
    ck_assert_uint_eq(cell->own.count, cell->other.count + 1);
    *all = cell->box;
    return true;
}

START_TEST(without_fetching_items_cells_alone_are_told)
{
    const pqt_tree *own = with_grid(small_tree(4), 16);
    other_tree other = {.tree = removed(own, dot_of_grid(16, 3))};
    pqt_remote remote = {tell_sum, NULL, &other};
    pqt_box cell = whole_plane;
    ck_assert(pqt_diff_locate(own, &remote, take_box, &cell, NULL));
    ck_assert(same_bits(boxed(cell, 0), boxed(box(2, 0, 4, 2), 0)));
}
END_TEST

START_TEST(equal_trees_are_asked_once)
{
    const pqt_tree *own = with_grid(small_tree(2), 8);
    other_tree other = {.tree = built_apart(own)};
    ck_assert(locate(own, &other, NULL));
    ck_assert_uint_eq(other.sums, 1);
    ck_assert_uint_eq(other.fetches + other.cells, 0);
}
END_TEST

/* Each cell holds one item: the bucket is asked for first, then quarters until nothing is left. */
START_TEST(what_follows_is_not_asked_for)
{
    const pqt_tree *own = with_grid(small_tree(1), 2);
    for (size_t i = 0; i < 4; i++) {
        static const size_t sums[] = {1 + 2, 1 + 3, 1 + 4, 1 + 4};
        other_tree other = {
            .tree = moved(own, dot_of_grid(2, i), point(i % 2 == 0 ? 3 : 13, i < 2 ? 3 : 13))};
        ck_assert(locate(own, &other, NULL));
        ck_assert_uint_eq(other.found.count, 2);
        ck_assert_uint_eq(other.sums, sums[i]);
        ck_assert_uint_eq(other.fetches, 1);
    }
}
END_TEST

START_TEST(a_tree_far_larger_or_smaller_is_located_too)
{
    const pqt_tree *few = with_grid(small_tree(4), 2), *many = with_grid(few, 7);
    const pqt_tree *pairs[][2] = {
        {few, many}, {many, few}, {small_tree(4), few}, {few, small_tree(4)}};
    for (size_t i = 0; i < 4; i++) {
        other_tree other = {.tree = pairs[i][1]};
        ck_assert(locate(pairs[i][0], &other, NULL));
        expect_equal(applied(pairs[i][0], other.found.changes, other.found.count), pairs[i][1]);
    }
}
END_TEST

START_TEST(one_difference_in_a_million_takes_few_calls)
{
    const pqt_tree *own = million_items();
    pqt_item item;
    ck_assert(pqt_tree_any(own, asking(box(11, 13, 12, 14), PQT_TOUCHES), &item));
    other_tree other = {.tree = removed(own, item)};
    ck_assert(locate(own, &other, NULL));
    expect_changes(&other.found, (pqt_change[]){removing(item)}, 1);
    ck_assert_uint_le(other.sums, 1 + 4 * 10);
    ck_assert_uint_eq(other.fetches, 1);
}
END_TEST

START_TEST(a_visitor_of_cells_may_stop)
{
    const pqt_tree *own = with_grid(small_tree(1), 8);
    other_tree other = {.tree = removed(removed(own, dot_of_grid(8, 0)), dot_of_grid(8, 60)),
                        .stop_after = 1};
    pqt_error error = {0};
    ck_assert(locate(own, &other, &error));
    ck_assert_uint_eq(other.cells, 1);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(a_function_that_fails_ends_the_search)
{
    const pqt_tree *own = with_grid(small_tree(2), 16);
    const pqt_tree *next = moved(own, dot_of_grid(16, 3), point(15.9, 15.9));
    other_tree whole_search = {.tree = next};
    ck_assert(locate(own, &whole_search, NULL));
    for (size_t i = 1; i <= whole_search.sums; i++) {
        other_tree other = {.tree = next, .fail_sum_at = i};
        pqt_error error = {0};
        ck_assert(!locate(own, &other, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_ptr_nonnull(strstr(error.text, "the function that fetches sums failed"));
    }
    for (size_t i = 1; i <= whole_search.fetches; i++) {
        other_tree other = {.tree = next, .fail_items_at = i};
        pqt_error error = {0};
        ck_assert(!locate(own, &other, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_ptr_nonnull(strstr(error.text, "the function that fetches items failed"));
    }
}
END_TEST

START_TEST(counts_that_cannot_be_are_refused)
{
    const pqt_tree *own = with_grid(small_tree(2), 16);
    const pqt_tree *next = removed(own, dot_of_grid(16, 255));
    other_tree too_many = {.tree = next, .lie_about_count_at = 1};
    other_tree more_than_all = {.tree = next, .lie_about_count_at = 2};
    pqt_error error = {0};
    ck_assert(!locate(own, &too_many, &error));
    expect_failure(&error, PQT_ERROR_CALLBACK, 0,
                   "a cell at depth 0: it is said to hold more than a tree can");
    error = (pqt_error){0};
    ck_assert(!locate(own, &more_than_all, &error));
    expect_failure(&error, PQT_ERROR_CALLBACK, 0, "a cell at depth 0: its parts are more than it");
}
END_TEST

static void
spoil_box(pqt_item *items, size_t count)
{
    items[count - 1].box.max.x = NAN;
}

static void
spoil_order(pqt_item *items, size_t count)
{
    pqt_item first = items[0];
    items[0] = items[count - 1];
    items[count - 1] = first;
}

static void
spoil_id(pqt_item *items, size_t count)
{
    items[count - 1].id++;
}

static void
spoil_by_repeating(pqt_item *items, size_t count)
{
    items[count - 1] = items[0];
}

START_TEST(items_that_cannot_be_are_refused)
{
    void (*const spoilers[])(pqt_item *, size_t) = {spoil_box, spoil_order, spoil_id,
                                                    spoil_by_repeating};
    const pqt_tree *own = with_grid(small_tree(4), 16);
    for (size_t i = 0; i < 4; i++) {
        other_tree other = {.tree = removed(own, dot_of_grid(16, 9)), .spoil = spoilers[i]};
        pqt_error error = {0};
        ck_assert(!locate(own, &other, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_ptr_nonnull(strstr(error.text, "the items fetched are not those of its sum"));
        ck_assert_uint_eq(other.cells, 0);
    }
}
END_TEST

START_TEST(locating_tells_of_failing_allocations_and_earlier_failures)
{
    const pqt_tree *own = with_grid(small_tree(2), 8);
    const pqt_tree *next = moved(own, dot_of_grid(8, 3), point(15, 15));
    hooks watch = {.fail_at = 0};
    pqt_error error = earlier_failure();
    other_tree other = {.tree = next};
    bool located = locate(own, &other, &error);
    ck_assert(!located && !locate(NULL, &other, &error) && !locate(NULL, &other, NULL));
    ck_assert_uint_eq(other.sums, 0);
    expect_earlier_failure(&error);
    for (watch.fail_at = 1; !located; watch.fail_at++) {
        error = (pqt_error){0};
        other = (other_tree){.tree = next};
        hooks_start(&watch);
        located = locate(own, &other, &error);
        hooks_stop();
        ck_assert(located == (watch.failures == 0));
        ck_assert_int_eq(error.status, located ? PQT_OK : PQT_ERROR_MEMORY);
    }
    ck_assert_uint_eq(watch.fail_at,
                      8); /* three for each of two cells, one that never came, and on */
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
}
END_TEST

static void
add_diff_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "diff");
    tcase_add_test(tests, a_difference_is_what_apply_takes);
    tcase_add_test(tests, equal_versions_do_not_differ);
    tcase_add_test(tests, everything_differs_from_nothing);
    tcase_add_test(tests, an_id_once_among_both_has_moved);
    tcase_add_test(tests, an_id_more_than_once_among_either_has_not_moved);
    tcase_add_test(tests, in_a_window_what_left_is_removed_and_what_came_is_inserted);
    tcase_add_test(tests, a_filter_chooses_among_changes);
    tcase_add_test(tests, a_visitor_that_stops_is_not_a_failure);
    tcase_add_test(tests, collect_tells_how_many_there_are);
    tcase_add_test(tests, ten_changes_in_a_million_enter_fewer_than_a_thousand_nodes);
    tcase_add_test(tests, only_pairing_without_unique_ids_allocates);
    tcase_add_test(tests, each_failing_allocation_is_told);
}

static void
add_damage_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "damage");
    tcase_add_test(tests, damage_covers_where_an_item_was_and_where_it_is);
    tcase_add_test(tests, damage_joins_what_lies_together);
    tcase_add_test(tests, damage_within_damage_takes_no_box);
    tcase_add_test(tests, damage_of_the_largest_boxes_is_finite);
    tcase_add_test(tests, damage_keeps_to_its_window);
}

static void
add_refusal_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "refusals");
    tcase_add_test(tests, versions_that_do_not_match_are_refused_with_the_field);
    tcase_add_test(tests, ids_that_are_pointers_do_not_match_others);
    tcase_add_test(tests, a_window_that_is_none_is_refused);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_test(tests, a_refused_count_is_left_alone);
    tcase_add_misuse_tests(tests, mistakes_of_the_caller_stop_the_program, 10);
}

static void
add_locating_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "locating");
    tcase_add_test(tests, a_way_leads_to_the_items_of_a_cell);
    tcase_add_test(tests, items_of_a_cell_come_in_tree_order);
    tcase_add_test(tests, a_way_that_leads_nowhere_leads_to_nothing);
    tcase_add_test(tests, a_way_below_the_deepest_cell_leads_to_nothing);
    tcase_add_test(tests, parts_of_a_cell_come_to_the_cell);
    tcase_add_test(tests, a_difference_is_located_and_fetched);
    tcase_add_test(tests, without_fetching_items_cells_alone_are_told);
    tcase_add_test(tests, equal_trees_are_asked_once);
    tcase_add_test(tests, what_follows_is_not_asked_for);
    tcase_add_test(tests, a_tree_far_larger_or_smaller_is_located_too);
    tcase_add_test(tests, one_difference_in_a_million_takes_few_calls);
    tcase_add_test(tests, a_visitor_of_cells_may_stop);
    tcase_add_test(tests, a_function_that_fails_ends_the_search);
    tcase_add_test(tests, counts_that_cannot_be_are_refused);
    tcase_add_test(tests, items_that_cannot_be_are_refused);
    tcase_add_test(tests, locating_tells_of_failing_allocations_and_earlier_failures);
}

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("diff");
    add_diff_tests(suite);
    add_damage_tests(suite);
    add_refusal_tests(suite);
    add_locating_tests(suite);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
