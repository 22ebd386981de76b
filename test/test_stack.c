/* SPDX-License-Identifier: MIT */
/*
 * test_stack.c - the deepest trees in a thread with 128 KiB of stack, as some C libraries give.
 *
 * What recurses has small frames; what has large ones is called where nothing recurses further. The
 * deepest tree goes through all depths and all levels of mixes: points at one place whose ids are made
 * so that their mixes agree in all but the last bits.
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include <pqt.h>

#include "random.h"
#include "suite.h"
#include "tree/mix.h"

#if defined __SANITIZE_ADDRESS__
#define SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

enum { STACK = 128 * 1024 };

static pqt_memory *arena;
static pqt_item *items;
static size_t count;
static const pqt_tree *tree;

/* The word that pqti_finish makes `mix` of. */
static uint64_t
unfinish(uint64_t mix)
{
    mix ^= mix >> 31 ^ mix >> 62;
    mix *= UINT64_C(0x319642b2d24d8ec3);
    mix ^= mix >> 27 ^ mix >> 54;
    mix *= UINT64_C(0x96de1b173f119089);
    return mix ^ mix >> 30 ^ mix >> 60;
}

/* The id that gives a box this mix: the id is the last word of the chain. */
static uint64_t
id_of_mix(pqt_box box, uint64_t mix)
{
    pqt_item item = {box, 0};
    return unfinish(mix) ^ unfinish(pqti_mix(&item));
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

/* Everything that recurses, once. */
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
    require(pqt_tree_search(tree, all, &error) != NULL);
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_tree *copy = pqt_tree_copy(tree, other, &error);
    require(copy != NULL && pqt_tree_equals(tree, copy) && pqt_tree_check(copy, &error));
    require(pqt_tree_get_stats(tree).items == pqt_tree_count(tree));
    require(pqt_tree_count_in(tree, all) <= count);
    pqt_arena_destroy(&other);
    return unused;
}

static void
run_on_a_small_stack(pqt_tree_options options)
{
    pqt_error error = {0};
    pthread_attr_t attributes;
    pthread_t thread;
    tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    tree = pqt_tree_insert_all(tree, items, count, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, do_all, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
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
allocate(size_t how_many)
{
    count = how_many;
    items = calloc(count, sizeof *items);
    arena = pqt_arena_make(0, NULL);
    ck_assert(items != NULL && arena != NULL);
}

static void
release(void)
{
    pqt_arena_destroy(&arena);
    free(items);
}

START_TEST(the_deepest_tree_there_can_be)
{
    allocate(100);
    for (size_t i = 0; i < count; i++)
        items[i].id = id_of_mix(items[i].box, i < 8 ? i : UINT64_C(1) << i % 64);
    run_on_a_small_stack(options_of(2, 32));
    ck_assert_uint_eq(pqt_tree_get_stats(tree).depth, 65);
    release();
}
END_TEST

START_TEST(many_identical_boxes)
{
    allocate(test_scaled(100000) + 100);
    for (size_t i = 0; i < count; i++)
        items[i] = (pqt_item){{{5, 5}, {5, 5}}, i};
    run_on_a_small_stack(options_of(24, 24));
    release();
}
END_TEST

START_TEST(clusters_within_clusters)
{
    dice d = {test_seed("stack")};
    allocate(test_scaled(100000) + 100);
    for (size_t i = 0; i < count; i++) {
        pqt_vec at = {ldexp(100, -(int)dice_below(&d, 60)) * dice_real(&d),
                      ldexp(100, -(int)dice_below(&d, 60)) * dice_real(&d)};
        items[i] = (pqt_item){{at, at}, i};
    }
    run_on_a_small_stack(options_of(24, 24));
    release();
}
END_TEST

START_TEST(large_leaves)
{
    dice d = {test_seed("stack, large leaves")};
    allocate(test_scaled(20000) + 3000);
    for (size_t i = 0; i < count; i++) {
        pqt_vec at = {100 * dice_real(&d), 100 * dice_real(&d)};
        items[i] = (pqt_item){{at, at}, i};
    }
    run_on_a_small_stack(options_of(PQT_MAX_CAPACITY, 24));
    release();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stack");
    TCase *tcase = tcase_create("a stack of 128 KiB");
    tcase_set_timeout(tcase, 60);
#ifndef SANITIZED /* whose frames are several times as large */
    tcase_add_test(tcase, the_deepest_tree_there_can_be);
    tcase_add_test(tcase, many_identical_boxes);
    tcase_add_test(tcase, clusters_within_clusters);
    tcase_add_test(tcase, large_leaves);
#endif
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
