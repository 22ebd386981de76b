/* SPDX-License-Identifier: MIT */
/*
 * test_tree_collector.c: tests trees that use the collector: which thread may make the first one,
 * and what memory trees keep alive.
 */
#include "config.h"

#include <pthread.h>

#include <pqt/tree.h>

#include "memory/memory_internal.h"
#include "options_support.h"
#include "suite.h"
#include "tree_support.h"

static void *
make_off_main(void *context)
{
    (void)!pqt_tree_make(world_box, NULL, context);
    return NULL;
}

/* With CK_FORK=no, all tests run in one process. This one must therefore run before any test that
 * starts the collector. */
START_TEST(making_the_first_tree_off_the_main_thread_is_refused)
{
    pqt_error error = {0};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, make_off_main, &error), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(error.status, PQT_ERROR_THREAD);
}
END_TEST

START_TEST(without_options_a_tree_has_the_defaults_in_the_default_memory)
{
    pqt_error error = {0};
    pqt_item item = dot(1, 1, 1);
    const pqt_tree *trees[] = {pqt_tree_make(world_box, NULL, &error),
                               pqt_tree_of(&item, 1, NULL, &error)};
    for (size_t i = 0; i < 2; i++) {
        pqt_tree_options options = options_of_tree(must(trees[i], &error));
        pqt_tree_options defaults = PQT_TREE_DEFAULTS;
        ck_assert_ptr_eq(options.memory, pqt_default_memory(NULL));
        options.memory = NULL;
        ck_assert(options.leaf_capacity == defaults.leaf_capacity &&
                  options.max_depth == defaults.max_depth && options.size == defaults.size);
        ck_assert(!options.strict_bounds && !options.unique_ids && !options.ids_are_pointers);
    }
}
END_TEST

START_TEST(trees_with_and_without_pointer_ids_are_not_equal)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    const pqt_tree *plain = must(pqt_tree_make(world_box, &options, &error), &error);
    options.ids_are_pointers = true;
    const pqt_tree *pointers = must(pqt_tree_make(world_box, &options, &error), &error);
    ck_assert(options_of_tree(pointers).ids_are_pointers);
    ck_assert(!pqt_tree_equals(plain, pointers));
}
END_TEST

/* Makes garbage in a thread that ends, because a stack in use may contain pointers to it. */
static const void *
in_a_thread(void *(*make)(void *), void *context)
{
    pthread_t thread;
    void *result = NULL;
    ck_assert_int_eq(pthread_create(&thread, NULL, make, context), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    return result;
}

/* Collects, then allocates the freed blocks and overwrites them. */
static void
overwrite_what_is_lost(void)
{
    static const size_t sizes[] = {48, 64, 80, 96, 128, 144, 176, 208, 336, 352};
    pqti_collect(pqt_collector());
    pqti_collect(pqt_collector());
    for (size_t i = 0; i < 20000; i++) {
        size_t size = sizes[i % (sizeof sizes / sizeof *sizes)];
        memset(pqti_alloc_leaf(pqt_collector(), size), 0xee, size);
        memset(pqti_alloc_list(pqt_collector(), size), 0xee, size);
    }
}

enum { PAYLOAD_BYTES = 64, PAYLOAD_WORDS = PAYLOAD_BYTES / 8 };

/* The ways to make a tree with payloads. Each of them makes its leaves with a different internal
 * function. */
typedef enum payload_way { ONE_BY_ONE, AT_ONCE, BY_MOVES, BY_SEARCH, BY_REMOVAL, WAYS } payload_way;

typedef struct payload_tree {
    size_t count;
    payload_way way;
    int capacity;
} payload_tree;

static pqt_item
item_with_payload(size_t i, double y)
{
    uint64_t *payload = pqti_alloc_leaf(pqt_collector(), PAYLOAD_BYTES);
    for (size_t word = 0; word < PAYLOAD_WORDS; word++)
        payload[word] = i * 1000 + word;
    return dot((double)i, y, (uint64_t)(uintptr_t)payload);
}

static const pqt_tree *
hold_payloads(const payload_tree *plan, const pqt_tree *tree, pqt_error *error)
{
    pqt_item *items = pqti_alloc_list(pqt_collector(), 16 * (5 * plan->count + 1));
    for (size_t i = 0; i < plan->count; i++)
        items[i] = item_with_payload(i, plan->way == BY_MOVES ? 9 : 2);
    if (plan->way == AT_ONCE)
        tree = pqt_tree_insert_all(tree, items, plan->count, error);
    for (size_t i = 0; i < plan->count && plan->way != AT_ONCE; i++)
        tree = pqt_tree_insert(tree, items[i], error);
    for (size_t i = 0; i < plan->count && plan->way == BY_MOVES; i++)
        tree = pqt_tree_move(tree, items[i], point((double)i, 2), error);
    for (size_t i = 0; i < 5 && plan->way >= BY_SEARCH; i++)
        tree = pqt_tree_insert(tree, dot((double)i, 3, i), error);
    if (plan->way == BY_SEARCH)
        tree = pqt_tree_search(tree, (pqt_query[]){query_of(box(0, 2, 99, 2), PQT_TOUCHES)}, error);
    for (size_t i = 0; i < 5 && plan->way == BY_REMOVAL; i++)
        tree = pqt_tree_remove(tree, dot((double)i, 3, i), error);
    return tree;
}

/* Makes and pins a version. Nothing else keeps its payloads alive. */
static void *
pin_payloads(void *context)
{
    const payload_tree *plan = context;
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.ids_are_pointers = true;
    options.leaf_capacity = plan->capacity;
    if (!pqt_thread_attach(&error))
        return NULL;
    const pqt_tree *tree = pqt_tree_make(world_box, &options, &error);
    pqt_pin *pin = pqt_tree_pin(hold_payloads(plan, tree, &error), &error);
    pqt_thread_detach();
    return pin;
}

static bool
payload_is_whole(const pqt_item *item, void *context)
{
    const uint64_t *payload = (const uint64_t *)(uintptr_t)item->id;
    for (size_t word = 0; word < PAYLOAD_WORDS; word++)
        if (payload[word] != (uint64_t)item->box.min.x * 1000 + word)
            return false;
    ++*(size_t *)context;
    return true;
}

/* In leaves with an even number of items, the last word is an id. The collector must scan it,
 * too. */
START_TEST(objects_that_ids_point_to_live_as_long_as_a_version)
{
    static const size_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
    static const int capacities[] = {24, 1, 2, 4};
    size_t count = counts[_i % 10];
    ck_assert(pqt_init(NULL));
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < 4; i++) {
            payload_tree plan = {count, (payload_way)way, capacities[i]};
            pqt_pin *pin = (pqt_pin *)(uintptr_t)in_a_thread(pin_payloads, &plan);
            size_t whole = 0;
            ck_assert_ptr_nonnull(pin);
            overwrite_what_is_lost();
            bool all = pqt_tree_visit(pqt_pin_get_tree(pin), (pqt_query[]){query_of_all()},
                                      payload_is_whole, &whole);
            ck_assert_msg(all && whole == count,
                          "way %d, capacity %d: %zu of %zu payloads are whole", way, capacities[i],
                          whole, count);
            expect_sound(pqt_pin_get_tree(pin));
            pqt_unpin(&pin);
        }
    }
}
END_TEST

/* Pins a grid. The pin is in memory from malloc, which the collector does not scan. */
static void *
pin_a_grid(void *context)
{
    pqt_pin **pin = context;
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = 2;
    options.unique_ids = true;
    if (!pqt_thread_attach(&error))
        return NULL;
    const pqt_tree *tree = pqt_tree_make(world_box, &options, &error);
    for (size_t i = 0; i < 400; i++)
        tree = pqt_tree_insert(tree, dot_of_grid(20, i), &error);
    *pin = pqt_tree_pin(tree, &error);
    pqt_thread_detach();
    return NULL;
}

START_TEST(a_pinned_version_survives_collections)
{
    pqt_pin **pin = malloc(sizeof *pin);
    pqt_item found;
    ck_assert_ptr_nonnull(pin);
    *pin = NULL;
    ck_assert(pqt_init(NULL));
    in_a_thread(pin_a_grid, pin);
    ck_assert_ptr_nonnull(*pin);
    overwrite_what_is_lost();
    ck_assert_uint_eq(pqt_tree_count(pqt_pin_get_tree(*pin)), 400);
    expect_sound(pqt_pin_get_tree(*pin));
    for (size_t i = 0; i < 400; i++)
        ck_assert(pqt_tree_find(pqt_pin_get_tree(*pin), i, &found) &&
                  same_bits(found, dot_of_grid(20, i)));
    pqt_unpin(pin);
    free(pin);
}
END_TEST

static void
add_collector(Suite *suite)
{
    TCase *tests = add_tests(suite, "collector");
    const bool is_present = pqt_collector() != NULL;
    if (is_present)
        tcase_add_test(tests, making_the_first_tree_off_the_main_thread_is_refused);
    tcase_add_test(tests, without_options_a_tree_has_the_defaults_in_the_default_memory);
    if (!is_present)
        return;
    tcase_add_test(tests, trees_with_and_without_pointer_ids_are_not_equal);
    tcase_add_loop_test(tests, objects_that_ids_point_to_live_as_long_as_a_version, 0, 10);
    tcase_add_test(tests, a_pinned_version_survives_collections);
}

int
main(void)
{
    Suite *suite = suite_create("tree_collector");
    add_collector(suite);
    return run_suite(suite);
}
