/* SPDX-License-Identifier: MIT */
/* test_sync.c: tests cell paths, and finding the differences between two separate trees. */
#include "config.h"

#include <pqt/diff.h>
#include <pqt/sync.h>
#include <pqt/tree.h>

#include "diff_support.h"
#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree/key.h"
#include "tree_support.h"

/* ---- Cell paths ---- */

static const pqt_sync_path whole = {{0, 0}, 0, 0};

enum { INTO_OWN_ITEMS = 4 };

/* Appends a child to a path in the format of the header: two bits for each quadrant, from the
 * top. */
static pqt_sync_path
into(pqt_sync_path path, unsigned part)
{
    if (part == INTO_OWN_ITEMS) {
        path.own_items = (uint8_t)(1 + path.length);
        return path;
    }
    path.digits[path.length / 32] |= (uint64_t)part << (62 - 2 * (path.length % 32));
    path.length++;
    return path;
}

static void
expect_sum(const pqt_tree *tree, pqt_sync_path path, const pqt_item *items, size_t count)
{
    pqt_sync_digest digest = pqt_sync_digest_of(tree, path);
    pqt_fingerprint all = {0, 0};
    for (size_t i = 0; i < count; i++)
        all = pqti_fingerprint_add(all, pqti_item_fingerprint(&items[i]));
    ck_assert_uint_eq(digest.count, count);
    ck_assert_uint_eq(digest.fingerprint.low, all.low);
    ck_assert_uint_eq(digest.fingerprint.high, all.high);
}

START_TEST(a_path_leads_to_the_items_of_a_cell)
{
    pqt_item items[] = {
        dot(1, 1, 1),  dot(9, 1, 2), dot(1, 9, 3), dot(9, 9, 4), boxed(box(-1, -1, 17, 17), 5),
        dot(99, 99, 6)};
    /* With a capacity of 1, each item is in its own cell. With 24, the root is a leaf. */
    for (int capacity = 1; capacity <= 24; capacity += 23) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 6);
        expect_sum(tree, whole, items, 6);
        for (unsigned i = 0; i < 4; i++)
            expect_sum(tree, into(whole, i), &items[i], 1);
        expect_sum(tree, into(into(whole, 3), 0), &items[3], 1);
        expect_sum(tree, into(into(whole, 3), 1), NULL, 0);
        pqt_item found;
        ck_assert_uint_eq(pqt_sync_items_of(tree, into(whole, 2), &found, 1), 1);
        ck_assert(same_bits(found, items[2]));
        expect_sum(tree, into(whole, INTO_OWN_ITEMS), &items[4], 2);
        ck_assert_uint_eq(pqt_sync_digest_of(tree, into(into(whole, INTO_OWN_ITEMS), 3)).count, 2);
    }
}
END_TEST

START_TEST(items_of_a_cell_come_in_tree_order)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    const found_list *all = found_by(tree, query_of_all());
    pqt_item items[65] = {dot(0, 0, 77)};
    ck_assert_uint_eq(pqt_sync_items_of(tree, whole, items, 65), 64);
    for (size_t i = 0; i < 64; i++)
        ck_assert(same_bits(items[i], all->items[i]));
    ck_assert_uint_eq(pqt_sync_items_of(tree, into(whole, 2), NULL, 0), 16);
    items[3] = dot(0, 0, 77);
    ck_assert_uint_eq(pqt_sync_items_of(tree, into(whole, 2), items, 3), 16);
    ck_assert(same_bits(items[0], all->items[32]));
    ck_assert_uint_eq(items[3].id, 77);
}
END_TEST

START_TEST(a_path_to_an_empty_cell_finds_nothing)
{
    const pqt_tree *tree = with_grid(made(world_box, options_of(1, 3)), 16);
    pqt_sync_path too_deep = whole;
    for (int i = 0; i < 4; i++)
        too_deep = into(too_deep, 0);
    const pqt_sync_path bad[] = {
        too_deep,
        {{0, 0}, 255, 0},
        {{0, 0}, 65, 1},
        {{0, 0}, 3, 5},
        {{0, 0}, 2, 255},
        {{0, 0}, 64, 4},
        {{~UINT64_C(0), ~UINT64_C(0)}, 255, 255},
    };
    ck_assert_uint_eq(pqt_sync_digest_of(tree, into(into(into(whole, 0), 0), 0)).count, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_uint_eq(pqt_sync_digest_of(tree, bad[i]).count, 0);
        ck_assert_uint_eq(pqt_sync_digest_of(tree, bad[i]).fingerprint.low, 0);
        ck_assert_uint_eq(pqt_sync_items_of(tree, bad[i], NULL, 0), 0);
    }
}
END_TEST

START_TEST(a_path_below_the_deepest_cell_finds_nothing)
{
    const pqt_tree *tree = with_items(made(world_box, options_of(24, 32)),
                                      (pqt_item[]){dot(0, 0, 1), dot(16, 16, 2)}, 2);
    pqt_sync_path path = whole;
    for (int steps = 1; steps <= 64; steps++) {
        path = into(path, 0);
        ck_assert_uint_eq(pqt_sync_digest_of(tree, path).count, steps <= 32);
        ck_assert_uint_eq(pqt_sync_items_of(tree, path, NULL, 0), steps <= 32);
    }
}
END_TEST

/* Checks that the items of a cell without children have equal hashes. */
static void
expect_equal_mixes(const pqt_tree *tree, pqt_sync_path path)
{
    pqt_item items[100];
    size_t count = pqt_sync_items_of(tree, path, items, 100);
    ck_assert_uint_le(count, 100);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(pqti_item_hash(&items[i]), pqti_item_hash(&items[0]));
}

/* Checks that the digests of the children of each cell add up to that of the cell, down to cells of
   one item or without children. */
static void
expect_parts_to_come_to(const pqt_tree *tree, pqt_sync_path path, int depth)
{
    pqt_sync_digest digest = pqt_sync_digest_of(tree, path), parts = {{0, 0}, 0};
    if (digest.count < 2 || depth == 0)
        return;
    if (path.length == 64) {
        expect_equal_mixes(tree, path);
        return;
    }
    for (unsigned part = 0; part < (path.own_items == 0 ? 5u : 4u); part++) {
        pqt_sync_digest own = pqt_sync_digest_of(tree, into(path, part));
        parts.count += own.count;
        parts.fingerprint = pqti_fingerprint_add(parts.fingerprint, own.fingerprint);
        expect_parts_to_come_to(tree, into(path, part), depth - 1);
    }
    if (parts.count == 0) {
        expect_equal_mixes(tree, path);
        return;
    }
    ck_assert_uint_eq(parts.count, digest.count);
    ck_assert_uint_eq(parts.fingerprint.low, digest.fingerprint.low);
    ck_assert_uint_eq(parts.fingerprint.high, digest.fingerprint.high);
}

START_TEST(digests_of_the_children_add_up_to_that_of_the_cell)
{
    dice d = {test_seed("digests_of_the_children_add_up_to_that_of_the_cell")};
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

/* The other tree, and the failures that it simulates. */
typedef struct other_tree {
    const pqt_tree *tree;
    size_t sums, fetches;
    size_t fail_sum_at, fail_items_at; /* 0 means never */
    size_t lie_about_count_at;
    void (*spoil)(pqt_item *items, size_t count);
    size_t cells, stop_after;
    found_changes found;
} other_tree;

static bool
answer_digest(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    other_tree *o = context;
    *digest = pqt_sync_digest_of(o->tree, *path);
    o->sums++;
    if (o->sums == o->lie_about_count_at)
        digest->count = UINT64_MAX;
    return o->sums != o->fail_sum_at;
}

static bool
answer_items(const pqt_sync_path *path, pqt_item *items, size_t count, void *context)
{
    other_tree *o = context;
    ck_assert_uint_eq(pqt_sync_items_of(o->tree, *path, items, count), count);
    if (o->spoil != NULL)
        o->spoil(items, count);
    return ++o->fetches != o->fail_items_at;
}

static bool
take_cell(const pqt_sync_mismatch *cell, void *context)
{
    other_tree *o = context;
    for (size_t i = 0; i < cell->count; i++) {
        ck_assert(i == 0 || cell->changes[i - 1].kind == PQT_REMOVE ||
                  cell->changes[i].kind == PQT_INSERT);
        take_change(&cell->changes[i], &o->found);
    }
    return ++o->cells != o->stop_after;
}

static bool
compare_cell(const pqt_tree *own, other_tree *other, pqt_error *error)
{
    pqt_sync_peer peer = {answer_digest, answer_items, other};
    return pqt_sync_find(own, &peer, take_cell, other, error);
}

START_TEST(a_difference_is_located_and_fetched)
{
    const pqt_tree *own = with_grid(small_tree(2), 16);
    other_tree other = {.tree = built_apart(moved(own, dot_of_grid(16, 3), point(15.9, 15.9)))};
    pqt_error error = {0};
    ck_assert_msg(compare_cell(own, &other, &error), "%s", error.text);
    expect_changes(&other.found,
                   (pqt_change[]){removing(dot_of_grid(16, 3)), inserting(dot(15.9, 15.9, 3))}, 2);
    expect_equal(applied(own, other.found.changes, 2), other.tree);
    ck_assert_uint_eq(other.cells, 2);
}
END_TEST

static bool
take_box(const pqt_sync_mismatch *cell, void *context)
{
    pqt_box *all = context;
    ck_assert_ptr_null(cell->changes);
    ck_assert_uint_eq(cell->count, 0);
    ck_assert_uint_eq(cell->own.count, cell->other.count + 1);
    *all = cell->box;
    return true;
}

START_TEST(without_fetching_items_only_cells_are_reported)
{
    const pqt_tree *own = with_grid(small_tree(4), 16);
    other_tree other = {.tree = removed(own, dot_of_grid(16, 3))};
    pqt_sync_peer peer = {answer_digest, NULL, &other};
    pqt_box cell = whole_plane;
    ck_assert(pqt_sync_find(own, &peer, take_box, &cell, NULL));
    ck_assert(same_bits(boxed(cell, 0), boxed(box(2, 0, 4, 2), 0)));
}
END_TEST

/* In one cell, two items exchange their boxes. In another one, an item is removed. */
START_TEST(changes_apply_one_by_one_in_their_order_with_unique_ids)
{
    const pqt_tree *own = with_grid(unique_tree(4), 16);
    const pqt_item a = dot_of_grid(16, 3), b = dot_of_grid(16, 4);
    const pqt_tree *theirs = moved(moved(own, a, b.box), b, a.box);
    other_tree other = {.tree = built_apart(removed(theirs, dot_of_grid(16, 200)))};
    pqt_error error = {0};
    ck_assert_msg(compare_cell(own, &other, &error), "%s", error.text);
    for (size_t i = 0; i < other.found.count; i++)
        own = applied(own, &other.found.changes[i], 1);
    expect_equal(own, other.tree);
}
END_TEST

START_TEST(equal_trees_need_one_request)
{
    const pqt_tree *own = with_grid(small_tree(2), 8);
    other_tree other = {.tree = built_apart(own)};
    ck_assert(compare_cell(own, &other, NULL));
    ck_assert_uint_eq(other.sums, 1);
    ck_assert_uint_eq(other.fetches + other.cells, 0);
}
END_TEST

/* Each cell contains one item. Digests are requested for own items first, then for quadrants, until
   the remaining one follows from the others. */
START_TEST(digests_that_follow_from_others_are_not_requested)
{
    const pqt_tree *own = with_grid(small_tree(1), 2);
    for (size_t i = 0; i < 4; i++) {
        static const size_t sums[] = {1 + 2, 1 + 3, 1 + 4, 1 + 4};
        other_tree other = {
            .tree = moved(own, dot_of_grid(2, i), point(i % 2 == 0 ? 3 : 13, i < 2 ? 3 : 13))};
        ck_assert(compare_cell(own, &other, NULL));
        ck_assert_uint_eq(other.found.count, 2);
        ck_assert_uint_eq(other.sums, sums[i]);
        ck_assert_uint_eq(other.fetches, 1);
    }
}
END_TEST

/* Returns the number of digests that are requested if one of four items is absent. Each item is in
   a different quadrant. */
static size_t
sums_without(const pqt_tree *own, pqt_item gone)
{
    other_tree other = {.tree = removed(own, gone)};
    ck_assert(compare_cell(own, &other, NULL));
    expect_changes(&other.found, (pqt_change[]){removing(gone)}, 1);
    return other.sums;
}

/* Quadrants are requested up to the one that differs. The digest of the last one follows from the
   others. */
static const size_t requested_digests[] = {1, 2, 3, 3};

/* With a maximal depth of 0, the root has only own items. So its digest equals theirs. */
START_TEST(own_items_of_a_deepest_root_are_not_requested)
{
    const pqt_tree *own = with_grid(made(world_box, options_of(1, 0)), 2);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(sums_without(own, dot_of_grid(2, i)), 1 + requested_digests[i]);
}
END_TEST

/* The items are at one position, and are divided by their hashes. */
START_TEST(own_items_of_a_deepest_cell_are_not_requested)
{
    pqt_item items[4] = {{.id = 0}};
    unsigned seen = 0;
    for (uint64_t id = 0; seen != 15; id++) {
        pqt_item item = dot(1, 1, id);
        int quadrant = pqti_digit(pqti_item_hash(&item), 0);
        items[quadrant] = item;
        seen |= 1u << quadrant;
    }
    const pqt_tree *own = with_items(made(world_box, options_of(1, 1)), items, 4);
    enum { ROOT = 1, ROOT_OWN_ITEMS = 1, CELL = 1 };
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(sums_without(own, items[i]),
                          ROOT + ROOT_OWN_ITEMS + CELL + requested_digests[i]);
}
END_TEST

START_TEST(differences_from_a_much_larger_or_smaller_tree_are_located)
{
    const pqt_tree *few = with_grid(small_tree(4), 2), *many = with_grid(few, 7);
    const pqt_tree *pairs[][2] = {
        {few, many}, {many, few}, {small_tree(4), few}, {few, small_tree(4)}};
    for (size_t i = 0; i < 4; i++) {
        other_tree other = {.tree = pairs[i][1]};
        ck_assert(compare_cell(pairs[i][0], &other, NULL));
        expect_equal(applied(pairs[i][0], other.found.changes, other.found.count), pairs[i][1]);
    }
}
END_TEST

START_TEST(one_difference_in_a_million_takes_few_calls)
{
    const pqt_tree *own = million_items();
    pqt_item item;
    ck_assert(pqt_tree_any(own, (pqt_query[]){query_of(box(11, 13, 12, 14), PQT_TOUCHES)}, &item));
    other_tree other = {.tree = removed(own, item)};
    ck_assert(compare_cell(own, &other, NULL));
    expect_changes(&other.found, (pqt_change[]){removing(item)}, 1);
    ck_assert_uint_le(other.sums, 1 + 4 * 10);
    ck_assert_uint_eq(other.fetches, 1);
}
END_TEST

START_TEST(a_stopped_visit_returns_false_without_an_error)
{
    const pqt_tree *own = with_grid(small_tree(1), 8);
    other_tree other = {.tree = removed(removed(own, dot_of_grid(8, 0)), dot_of_grid(8, 60)),
                        .stop_after = 1};
    pqt_error error = {0};
    ck_assert(!compare_cell(own, &other, &error));
    ck_assert_uint_eq(other.cells, 1);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(a_function_that_fails_ends_the_search)
{
    const pqt_tree *own = with_grid(small_tree(2), 16);
    const pqt_tree *next = moved(own, dot_of_grid(16, 3), point(15.9, 15.9));
    other_tree whole_search = {.tree = next};
    ck_assert(compare_cell(own, &whole_search, NULL));
    for (size_t i = 1; i <= whole_search.sums; i++) {
        other_tree other = {.tree = next, .fail_sum_at = i};
        pqt_error error = {0};
        ck_assert(!compare_cell(own, &other, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_ptr_nonnull(strstr(error.text, "the peer's digest function failed"));
    }
    for (size_t i = 1; i <= whole_search.fetches; i++) {
        other_tree other = {.tree = next, .fail_items_at = i};
        pqt_error error = {0};
        ck_assert(!compare_cell(own, &other, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_ptr_nonnull(strstr(error.text, "the peer's items function failed"));
    }
}
END_TEST

START_TEST(impossible_counts_are_refused)
{
    const pqt_tree *own = with_grid(small_tree(2), 16);
    const pqt_tree *next = removed(own, dot_of_grid(16, 255));
    other_tree too_many = {.tree = next, .lie_about_count_at = 1};
    other_tree more_than_all = {.tree = next, .lie_about_count_at = 2};
    pqt_error error = {0};
    ck_assert(!compare_cell(own, &too_many, &error));
    expect_failure(&error, PQT_ERROR_CALLBACK, 0,
                   "a cell at depth 0: its digest counts more items than a tree can hold");
    error = (pqt_error){0};
    ck_assert(!compare_cell(own, &more_than_all, &error));
    expect_failure(&error, PQT_ERROR_CALLBACK, 0,
                   "a cell at depth 0: its children hold more items than the cell");
}
END_TEST

static bool
answer_fingerprint_without_items(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    (void)path;
    (void)context;
    *digest = (pqt_sync_digest){{1, 2}, 0};
    return true;
}

static bool
visit_no_cell(const pqt_sync_mismatch *cell, void *context)
{
    (void)cell;
    (void)context;
    ck_abort_msg("a cell is visited");
    return false;
}

START_TEST(a_fingerprint_without_items_is_refused)
{
    const pqt_sync_peer peer = {.digest = answer_fingerprint_without_items};
    const pqt_tree *const trees[] = {small_tree(2), with_grid(small_tree(2), 8)};
    for (size_t i = 0; i < 2; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_sync_find(trees[i], &peer, visit_no_cell, NULL, &error));
        expect_failure(&error, PQT_ERROR_CALLBACK, 0,
                       "a cell at depth 0: its digest counts no items, but has a fingerprint");
    }
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

START_TEST(impossible_items_are_refused)
{
    void (*const spoilers[])(pqt_item *, size_t) = {spoil_box, spoil_order, spoil_id,
                                                    spoil_by_repeating};
    const pqt_tree *own = with_grid(small_tree(4), 16);
    for (size_t i = 0; i < 4; i++) {
        other_tree other = {.tree = removed(own, dot_of_grid(16, 9)), .spoil = spoilers[i]};
        pqt_error error = {0};
        ck_assert(!compare_cell(own, &other, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
        ck_assert_ptr_nonnull(strstr(error.text, "the fetched items do not have its digest"));
        ck_assert_uint_eq(other.cells, 0);
    }
}
END_TEST

START_TEST(find_reports_failed_allocations_and_earlier_failures)
{
    const pqt_tree *own = with_grid(small_tree(2), 8);
    const pqt_tree *next = moved(own, dot_of_grid(8, 3), point(15, 15));
    hooks watch = {.fail_at = 0};
    pqt_error error = earlier_failure();
    other_tree other = {.tree = next};
    bool located = false;
    ck_assert(!compare_cell(NULL, &other, &error) && !compare_cell(NULL, &other, NULL));
    ck_assert_uint_eq(other.sums, 0);
    expect_earlier_failure(&error);
    for (watch.fail_at = 1; !located; watch.fail_at++) {
        error = (pqt_error){0};
        other = (other_tree){.tree = next};
        hooks_start(&watch);
        located = compare_cell(own, &other, &error);
        hooks_stop();
        ck_assert(located == (watch.failures == 0));
        ck_assert_int_eq(error.status, located ? PQT_OK : PQT_ERROR_MEMORY);
    }
    /* Each of two cells makes three allocations. The call succeeds with fail_at = 7, which the loop
       then increments. */
    ck_assert_uint_eq(watch.fail_at, 8);
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
}
END_TEST

static void
add_locating_tests(Suite *suite)
{
    TCase *tests = add_tests(suite, "locating");
    tcase_add_test(tests, a_path_leads_to_the_items_of_a_cell);
    tcase_add_test(tests, items_of_a_cell_come_in_tree_order);
    tcase_add_test(tests, a_path_to_an_empty_cell_finds_nothing);
    tcase_add_test(tests, a_path_below_the_deepest_cell_finds_nothing);
    tcase_add_test(tests, digests_of_the_children_add_up_to_that_of_the_cell);
    tcase_add_test(tests, a_difference_is_located_and_fetched);
    tcase_add_test(tests, without_fetching_items_only_cells_are_reported);
    tcase_add_test(tests, changes_apply_one_by_one_in_their_order_with_unique_ids);
    tcase_add_test(tests, equal_trees_need_one_request);
    tcase_add_test(tests, digests_that_follow_from_others_are_not_requested);
    tcase_add_test(tests, own_items_of_a_deepest_root_are_not_requested);
    tcase_add_test(tests, own_items_of_a_deepest_cell_are_not_requested);
    tcase_add_test(tests, differences_from_a_much_larger_or_smaller_tree_are_located);
    tcase_add_test(tests, one_difference_in_a_million_takes_few_calls);
    tcase_add_test(tests, a_stopped_visit_returns_false_without_an_error);
    tcase_add_test(tests, a_function_that_fails_ends_the_search);
    tcase_add_test(tests, impossible_counts_are_refused);
    tcase_add_test(tests, a_fingerprint_without_items_is_refused);
    tcase_add_test(tests, impossible_items_are_refused);
    tcase_add_test(tests, find_reports_failed_allocations_and_earlier_failures);
}

int
main(void)
{
    Suite *suite = suite_create("locate");
    add_locating_tests(suite);
    return run_suite(suite);
}
