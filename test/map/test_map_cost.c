/* SPDX-License-Identifier: MIT */
/* test_map_cost.c: counts the bytes and blocks that operations on maps of 100,000 entries need.
 * Nothing is timed. */
#include "config.h"

#include <stdio.h>

#include <pqt/tree.h>

#include "hooks.h"
#include "map_support.h"
#include "memory_support.h"
#include "suite.h"

enum { COUNT = 100000, EDITS = 1000, MOST_BYTES = 1100 };

static pqt_memory *memory;
static const pqt_map *large;
static const pqt_tree *tree;

static pqt_item
item_of(uint64_t id)
{
    dice d = {id};
    const pqt_vec at = {dice_real(&d), dice_real(&d)};
    return (pqt_item){{at, {at.x + 1e-4, at.y + 1e-4}}, id};
}

/* Makes a map of 100,000 entries with random ids, and a tree of the same number of uniform
 * items. */
static void
make_large(void)
{
    pqt_map_change *changes = calloc(COUNT, sizeof *changes);
    pqt_item *items = calloc(COUNT, sizeof *items);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    dice d = {UINT64_MAX};
    memory = make_memory(0);
    options.memory = memory;
    for (size_t i = 0; i < COUNT; i++) {
        changes[i] = (pqt_map_change){PQT_MAP_INSERT, pqt_map_id(dice_next(&d)), pqt_map_number(i)};
        items[i] = item_of(i);
    }
    large = pqt_map_apply(map_make(0, memory), changes, COUNT, NULL);
    tree = pqt_tree_of(items, COUNT, &options, NULL);
    ck_assert_uint_eq(pqt_map_count(large), COUNT);
    free(changes);
    free(items);
}

static void
drop_large(void)
{
    drop_memory(memory);
}

START_TEST(an_insert_into_100000_entries_keeps_less_than_1100_bytes_and_less_than_in_a_tree)
{
    dice d = {test_seed("an_insert_into_100000_entries")};
    hooks watch = {.fail_at = 0};
    size_t most = 0, sum = 0, in_tree = 0;
    for (int i = 0; i < EDITS; i++) {
        hooks_start(&watch);
        const pqt_map *next =
            pqt_map_insert(large, pqt_map_id(dice_next(&d)), pqt_map_number(7), NULL);
        hooks_stop();
        ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_SCRATCH], 0);
        const size_t bytes = hooks_kept_bytes(&watch);
        most = bytes > most ? bytes : most;
        sum += bytes;
        ck_assert_uint_eq(pqt_map_count(next), COUNT + 1);
        hooks_start(&watch);
        (void)!pqt_tree_insert(tree, item_of(COUNT + (uint64_t)i), NULL);
        hooks_stop();
        in_tree += hooks_kept_bytes(&watch);
    }
    fprintf(stderr, "# an insert: %zu bytes, at most %zu; into a tree: %zu\n", sum / EDITS, most,
            in_tree / EDITS);
    fprintf(stderr, "# an entry: %zu bytes\n", pqt_map_get_stats(large).bytes / COUNT);
    ck_assert_uint_le(most, MOST_BYTES);
    ck_assert_uint_le(10 * sum, 11 * in_tree);
}
END_TEST

static bool
count_change(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
             void *context)
{
    (void)key;
    (void)before;
    (void)after;
    ++*(size_t *)context;
    return true;
}

static const pqt_map *
edit_random(const pqt_map *map, dice *d, int edits)
{
    for (int i = 0; i < edits; i++)
        map = pqt_map_insert(map, pqt_map_id(dice_next(d)), pqt_map_number(1), NULL);
    return map;
}

START_TEST(a_diff_of_10_changes_reads_few_blocks)
{
    dice d = {test_seed("a_diff_of_10_changes")};
    const pqt_map *next = edit_random(large, &d, 10);
    size_t changes = 0, blocks = 0;
    ck_assert(pqti_map_visit_diff(large, next, count_change, &changes, &blocks));
    ck_assert_uint_eq(changes, 10);
    ck_assert_uint_lt(blocks, 10 * 2 * 7);
    ck_assert_uint_ge(blocks, 10 * 2 + 2); /* the leaves of each side, and the roots */
    /* The other version shares nothing, but subtrees with equal fingerprints are skipped. So only
       the siblings along the paths are read as well. */
    pqt_memory *other = make_memory(0);
    const pqt_map *stranger = pqt_map_copy(next, other, NULL);
    ck_assert_uint_eq(pqt_map_shared_bytes(large, stranger), 0);
    changes = blocks = 0;
    ck_assert(pqti_map_visit_diff(large, stranger, count_change, &changes, &blocks));
    ck_assert_uint_eq(changes, 10);
    ck_assert_uint_lt(blocks, 10 * 2 * 7 * PQTI_MAP_BRANCHES);
    ck_assert_uint_ge(blocks, 10 * 2 + 2);
    drop_memory(other);
}
END_TEST

START_TEST(a_merge_of_10_changes_of_each_side_makes_few_blocks)
{
    dice d = {test_seed("a_merge_of_10_changes")};
    const pqt_map *ours = edit_random(large, &d, 10), *theirs = edit_random(large, &d, 10);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_map *merged = pqt_map_merge(large, ours, theirs, NULL, NULL);
    hooks_stop();
    ck_assert_uint_eq(pqt_map_count(merged), COUNT + 20);
    ck_assert_uint_lt(hooks_kept_bytes(&watch), 10 * MOST_BYTES);
    ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_SCRATCH], 0);
}
END_TEST

/* If both sides made some of the same changes, a subtree can equal that of one side without being
 * the base's or the other side's. It is taken from that side. */
START_TEST(a_merge_takes_each_subtree_that_one_side_has)
{
    dice d = {test_seed("a_merge_takes_each_subtree")};
    for (int i = 0; i < EDITS; i++) {
        const pqt_map_key key = pqt_map_id(dice_next(&d));
        const pqt_map *both = edit_random(large, &d, 200), *more = edit_random(both, &d, 200),
                      *less = pqt_map_insert(both, key, pqt_map_number(3), NULL);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        (void)!pqt_map_insert(more, key, pqt_map_number(3), NULL);
        hooks_stop();
        const size_t inserted = hooks_kept_bytes(&watch);
        for (int swapped = 0; swapped < 2; swapped++) {
            hooks_start(&watch);
            (void)!pqt_map_merge(large, swapped ? more : less, swapped ? less : more, NULL, NULL);
            hooks_stop();
            ck_assert_uint_lt(hooks_kept_bytes(&watch), inserted + 2 * MOST_BYTES);
        }
    }
}
END_TEST

START_TEST(a_batch_of_1000_inserts_makes_fewer_blocks_than_single_inserts)
{
    pqt_map_change changes[EDITS];
    hooks watch = {.fail_at = 0};
    dice d = {test_seed("a_batch_of_1000_inserts")}, same = d;
    for (int i = 0; i < EDITS; i++)
        changes[i] = (pqt_map_change){PQT_MAP_INSERT, pqt_map_id(dice_next(&d)), pqt_map_number(1)};
    hooks_start(&watch);
    const pqt_map *batch = pqt_map_apply(large, changes, EDITS, NULL);
    hooks_stop();
    const size_t at_once = hooks_kept_bytes(&watch);
    hooks_start(&watch);
    const pqt_map *singly = edit_random(large, &same, EDITS);
    hooks_stop();
    ck_assert(pqt_map_equals(batch, singly));
    ck_assert_uint_lt(2 * at_once, hooks_kept_bytes(&watch));
}
END_TEST

/* ---- Keys that collide ---- */

START_TEST(keys_with_equal_hashes_are_divided_by_their_bytes)
{
    enum { KEYS = 2000 };
    pqti_map_weaken_hash(0);
    const pqt_map *map = map_make(1, memory);
    for (unsigned i = 0; i < KEYS; i++) {
        char text[16];
        snprintf(text, sizeof text, "%08x", i * 2654435761u);
        map = pqt_map_insert(map, pqt_map_text(text), pqt_map_number(i), NULL);
    }
    ck_assert(pqt_map_check(map, NULL));
    ck_assert_uint_eq(pqt_map_count(map), KEYS);
    ck_assert_uint_lt(pqt_map_get_stats(map).depth, PQTI_MAP_HASH_LEVELS + 12);
    ck_assert(pqt_map_find(map, pqt_map_text("9e3779b1"), NULL));
}
END_TEST

/* Draws changes of keys with few different hashes, which differ in their lowest bits alone. Byte
   strings have the digits of such a number. */
static void
draw_colliding_changes(pqt_map_change *changes, char (*texts)[9], size_t count, unsigned bits,
                       bool byte_keys, dice *d)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = dice_next(d) >> (64 - bits);
        snprintf(texts[i], sizeof texts[i], "%08x", (unsigned)hash);
        changes[i] =
            (pqt_map_change){dice_chance(d, 30) ? PQT_MAP_REMOVE : PQT_MAP_INSERT,
                             byte_keys ? pqt_map_text(texts[i]) : pqt_map_id(pqti_id_of_key(hash)),
                             pqt_map_number(i)};
    }
}

START_TEST(a_batch_of_keys_that_collide_equals_its_changes_one_by_one)
{
    enum { CHANGES = 3000 };
    static pqt_map_change changes[CHANGES];
    static char texts[CHANGES][9];
    dice d = {test_seed("a_batch_of_keys_that_collide")};
    pqti_map_weaken_hash(2);
    for (unsigned round = 0; round < 12; round++) {
        const size_t count = round < 6 ? CHANGES : 1 + (size_t)dice_below(&d, 300);
        const bool byte_keys = round % 2 != 0;
        draw_colliding_changes(changes, texts, count, 4 + 5 * (round / 2), byte_keys, &d);
        const pqt_map *one_by_one = map_make(byte_keys, memory);
        const pqt_map *batch = pqt_map_apply(one_by_one, changes, count, NULL);
        for (size_t i = 0; i < count; i++)
            one_by_one = changes[i].kind == PQT_MAP_REMOVE
                             ? pqt_map_remove(one_by_one, changes[i].key, NULL)
                             : pqt_map_insert(one_by_one, changes[i].key, changes[i].value, NULL);
        ck_assert(pqt_map_check(batch, NULL));
        ck_assert(pqt_map_equals(batch, one_by_one));
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("map_cost");
    TCase *tests = tcase_create("map_cost");
    tcase_add_unchecked_fixture(tests, make_large, drop_large);
    tcase_add_test(
        tests, an_insert_into_100000_entries_keeps_less_than_1100_bytes_and_less_than_in_a_tree);
    tcase_add_test(tests, a_diff_of_10_changes_reads_few_blocks);
    tcase_add_test(tests, a_merge_of_10_changes_of_each_side_makes_few_blocks);
    tcase_add_test(tests, a_merge_takes_each_subtree_that_one_side_has);
    tcase_add_test(tests, a_batch_of_1000_inserts_makes_fewer_blocks_than_single_inserts);
    tcase_add_test(tests, keys_with_equal_hashes_are_divided_by_their_bytes);
    tcase_add_test(tests, a_batch_of_keys_that_collide_equals_its_changes_one_by_one);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
