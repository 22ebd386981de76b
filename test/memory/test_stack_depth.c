/* SPDX-License-Identifier: MIT */
/*
 * test_stack_depth.c: tests the deepest trees in a thread with a stack of 128 KiB, the default of
 * some C libraries.
 *
 * Recursive functions have small frames; functions with large frames are not called recursively.
 * The deepest tree uses all depths and all levels of hashes. It consists of points at one position,
 * whose ids are chosen so that their hashes agree in all bits except the last ones.
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include <pqt.h>

#include "options_support.h"
#include "random.h"
#include "suite.h"
#include "tree/item_hash.h"

/* AddressSanitizer makes frames several times as large. */
#if defined __SANITIZE_ADDRESS__
#define WATCHED 16
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define WATCHED 16
#endif
#endif
#ifndef WATCHED
#define WATCHED 1
#endif

enum { STACK = WATCHED * 128 * 1024 };

static pqt_memory *arena;
static pqt_item *items;
static size_t count;
static const pqt_tree *tree;

/* Computes the inverse of pqti_hash_mix64. */
static uint64_t
unfinish(uint64_t mix)
{
    mix ^= mix >> 31 ^ mix >> 62;
    mix *= UINT64_C(0x319642b2d24d8ec3);
    mix ^= mix >> 27 ^ mix >> 54;
    mix *= UINT64_C(0x96de1b173f119089);
    return mix ^ mix >> 30 ^ mix >> 60;
}

/* Returns the id with which a box has this hash. The hash mixes the id last. */
static uint64_t
id_of_mix(pqt_box box, uint64_t mix)
{
    pqt_item item = {box, 0};
    return unfinish(mix) ^ unfinish(pqti_item_hash(&item));
}

static void
require(bool right)
{
    if (!right)
        abort();
}

static bool
is_odd(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 1;
}

/* Calls each recursive function that makes versions. */
static void *
do_all(void *unused)
{
    pqt_error error = {0};
    pqt_item first = items[0];
    pqt_query all = {.window = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                     .relation = PQT_TOUCHES,
                     .filter = is_odd};
    require(pqt_tree_insert_all(pqt_tree_clear(tree, &error), items, count, &error) != NULL);
    require(pqt_tree_remove(tree, first, &error) != NULL);
    require(pqt_tree_insert(tree, (pqt_item){first.box, first.id + 1}, &error) != NULL);
    require(pqt_tree_move(tree, first, (pqt_box){{7, 7}, {7, 7}}, &error) != NULL);
    require(pqt_tree_remove_all(tree, items, count - 1, &error) != NULL);
    require(pqt_tree_search(tree, &all, &error) != NULL);
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_tree *copy = pqt_tree_copy(tree, other, &error);
    require(copy != NULL && pqt_tree_equals(tree, copy) && pqt_tree_check(copy, &error));
    require(pqt_tree_get_stats(tree).items == pqt_tree_count(tree));
    require(pqt_tree_count_in(tree, &all) <= count);
    pqt_arena_destroy(&other);
    return unused;
}

static bool
go_on_with_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)a;
    (void)b;
    return --*(size_t *)context > 0;
}

static bool
go_on_with_near(const pqt_near *near, void *context)
{
    (void)near;
    return --*(size_t *)context > 0;
}

static bool
go_on_with_hit(const pqt_ray_hit *hit, void *context)
{
    (void)hit;
    return --*(size_t *)context > 0;
}

/* Calls the functions that read a version. Visits that would take too long stop after a few
   thousand items. */
static void *
look_around(void *unused)
{
    pqt_query all = {.window = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                     .relation = PQT_TOUCHES};
    pqt_pair_query pairs = {.relation = PQT_TOUCHES};
    pqt_near near[60];
    pqt_item item;
    size_t visited = 0, enough = 5000;
    require(pqt_tree_nearest(tree, (pqt_box){{9, 9}, {9, 9}}, NULL, near, 60) == 60);
    (void)pqt_tree_visit_nearest(tree, near[0].item.box, NULL, go_on_with_near, &enough);
    enough = 5000;
    pqt_segment line = {{-1, -1}, {101, 101}};
    require(pqt_tree_cast(tree, (pqt_cast[]){pqt_cast_segment(line)}).hit ==
            (pqt_tree_cast_all(tree, (pqt_cast[]){pqt_cast_segment(line)}, NULL, 0) > 0));
    enough = 5000;
    (void)pqt_tree_visit_cast(tree, (pqt_cast[]){pqt_cast_segment(line)}, go_on_with_hit, &enough);
    pqt_cursor cursor;
    for (pqt_cursor_open(&cursor, tree, &all); pqt_cursor_next(&cursor, &item);)
        visited++;
    require(visited == count);
    const pqt_tree *some =
        pqt_tree_insert_all(pqt_tree_clear(tree, NULL), items, count < 1000 ? count : 1000, NULL);
    (void)pqt_pairs_visit(some, NULL, &pairs, go_on_with_pair, &enough);
    enough = 5000;
    pairs.offset = (pqt_vec){0x1p-60, 0};
    (void)pqt_pairs_visit(some, some, &pairs, go_on_with_pair, &enough);
    return unused;
}

static bool
count_change(const pqt_change *change, void *context)
{
    (void)change;
    ++*(size_t *)context;
    return true;
}

/* Combines versions that share only their domain and have a few differences at great depth. */
static void *
combine(void *unused)
{
    pqt_error error = {0};
    size_t half = count / 2, changes = 0, boxes = 1;
    pqt_box box;
    pqt_query corner = {.window = {{0, 0}, {6, 6}}, .relation = PQT_TOUCHES};
    const pqt_tree *empty = pqt_tree_clear(tree, &error);
    const pqt_tree *ours = pqt_tree_insert_all(empty, items, half, &error);
    const pqt_tree *theirs = pqt_tree_insert_all(empty, items + half - 1, count - half, &error);
    const pqt_tree *united = pqt_tree_union(ours, theirs, NULL, &error);
    require(pqt_tree_count(united) == count - 1);
    require(pqt_tree_count(pqt_tree_intersection(ours, theirs, NULL, &error)) == 1);
    require(pqt_tree_count(pqt_tree_difference(united, ours, NULL, &error)) == count - half - 1);
    const pqt_tree *less = pqt_tree_remove(tree, items[0], &error);
    const pqt_tree *more = pqt_tree_remove(tree, items[count - 1], &error);
    require(pqt_tree_count(pqt_tree_merge(tree, less, more, NULL, &error)) == count - 2);
    require(pqt_tree_count(pqt_tree_merge(tree, ours, more, NULL, &error)) == half);
    require(pqt_tree_restore(ours, theirs, &corner, &error) != NULL);
    require(pqt_tree_visit_diff(ours, theirs, NULL, count_change, &changes, &error));
    require(changes == count - 2 && pqt_diff_damage(less, more, NULL, &box, boxes, &boxes, &error));
    return unused;
}

static bool
go_on_with_change(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    (void)change;
    return go_on_with_pair(a, b, context);
}

/* Visits a few thousand pairs that began or ended, with items that are found by their ids. */
static void *
follow_pairs(void *unused)
{
    pqt_error error = {0};
    pqt_tree_options options = options_of_tree(tree);
    size_t enough = 5000;
    options.unique_ids = true;
    const pqt_tree *before = pqt_tree_make(pqt_tree_bounds(tree), &options, &error);
    before = pqt_tree_insert_all(before, items, count, &error);
    const pqt_tree *after = pqt_tree_remove_id(before, items[0].id, &error);
    after = pqt_tree_move_id(after, items[count - 1].id, (pqt_box){{7, 7}, {7, 7}}, &error);
    (void)pqt_pairs_visit_changes(before, after, &(pqt_pair_query){.relation = PQT_TOUCHES},
                                  go_on_with_change, &enough, &error);
    require(error.status == PQT_OK);
    return unused;
}

static void
run_in_thread(void *(*function)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, function, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

static void
run_on_a_small_stack(pqt_tree_options options)
{
    pqt_error error = {0};
    tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    tree = pqt_tree_insert_all(tree, items, count, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    run_in_thread(do_all);
    run_in_thread(look_around);
    run_in_thread(combine);
    run_in_thread(follow_pairs);
}

static pqt_tree_options
options_of(int capacity, int depth)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacity;
    options.max_depth = depth;
    options.memory = arena;
    return options;
}

static void
alloc_for_libpng(size_t how_many)
{
    count = how_many;
    items = calloc(count, sizeof *items);
    arena = pqt_arena_make(0, NULL);
    ck_assert(items != NULL && arena != NULL);
}

static void
free_for_libpng(void)
{
    pqt_arena_destroy(&arena);
    free(items);
}

/* The items at one position are divided by their hashes. One more item is in another quadrant at
   each depth. */
START_TEST(the_deepest_tree_needs_little_stack)
{
    enum { AT_ONE_PLACE = 64 };
    alloc_for_libpng(AT_ONE_PLACE + 32);
    for (size_t i = 0; i < AT_ONE_PLACE; i++)
        items[i].id = id_of_mix(items[i].box, i < 8 ? i : UINT64_C(1) << i);
    for (int depth = 0; depth < 32; depth++) {
        double away = ldexp(75, -depth);
        items[AT_ONE_PLACE + depth] = (pqt_item){{{away, 0}, {away, 0}}, (uint64_t)depth + 1};
    }
    run_on_a_small_stack(options_of(2, 32));
    ck_assert_uint_eq(pqt_tree_get_stats(tree).depth, 65);
    free_for_libpng();
}
END_TEST

START_TEST(many_identical_boxes_need_little_stack)
{
    alloc_for_libpng(test_scaled(100000) + 100);
    for (size_t i = 0; i < count; i++)
        items[i] = (pqt_item){{{5, 5}, {5, 5}}, i};
    run_on_a_small_stack(options_of(24, 24));
    free_for_libpng();
}
END_TEST

START_TEST(clusters_within_clusters_need_little_stack)
{
    dice d = {test_seed("stack")};
    alloc_for_libpng(test_scaled(100000) + 100);
    for (size_t i = 0; i < count; i++) {
        pqt_vec at = {ldexp(100, -(int)dice_below(&d, 60)) * dice_real(&d),
                      ldexp(100, -(int)dice_below(&d, 60)) * dice_real(&d)};
        items[i] = (pqt_item){{at, at}, i};
    }
    run_on_a_small_stack(options_of(24, 24));
    free_for_libpng();
}
END_TEST

START_TEST(large_leaves_need_little_stack)
{
    dice d = {test_seed("stack, large leaves")};
    alloc_for_libpng(test_scaled(20000) + 3000);
    for (size_t i = 0; i < count; i++) {
        pqt_vec at = {100 * dice_real(&d), 100 * dice_real(&d)};
        items[i] = (pqt_item){{at, at}, i};
    }
    run_on_a_small_stack(options_of(PQT_MAX_CAPACITY, 24));
    free_for_libpng();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stack");
    TCase *tcase = tcase_create("a stack of 128 KiB");
    tcase_add_test(tcase, the_deepest_tree_needs_little_stack);
    tcase_add_test(tcase, many_identical_boxes_need_little_stack);
    tcase_add_test(tcase, clusters_within_clusters_need_little_stack);
    tcase_add_test(tcase, large_leaves_need_little_stack);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
