/* SPDX-License-Identifier: MIT */
/*
 * test_pointer_ids.c: tests that ids that point to collected memory keep it alive while a version
 * contains them.
 */
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "memory/memory_internal.h"
#include "random.h"
#include "suite.h"
#include "tree_bounds.h"

enum { PAYLOAD_WORDS = 6, PAYLOADS = 300 };

static const pqt_box world_bounds = {{-3, -1000}, {4, 1000}};

static uint64_t
payload_word(size_t which, size_t word)
{
    return UINT64_C(0xfeedface00000000) ^ (which << 8) ^ word;
}

/* Makes items whose ids point to collected blocks. Nothing else points to these blocks. */
static void
make_payloads(dice *d, pqt_item *items)
{
    for (size_t i = 0; i < PAYLOADS; i++) {
        uint64_t *payload = pqti_alloc_list(pqt_collector(), PAYLOAD_WORDS * sizeof *payload);
        for (size_t w = 0; w < PAYLOAD_WORDS; w++)
            payload[w] = payload_word(i, w);
        items[i] = (pqt_item){draw_box(d, world_bounds, BOXES_MIXED), (uint64_t)(uintptr_t)payload};
    }
}

/* Returns the pin of a version that alone keeps the payloads alive, in leaves of all sizes. */
static pqt_pin *
hold_payloads(dice *d, int capacity, uint64_t *hidden)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_item *items = pqti_alloc_list(pqt_collector(), (PAYLOADS + 2) * 5 * sizeof(double));
    const pqt_tree *tree;
    options.leaf_capacity = capacity;
    options.ids_are_pointers = true;
    make_payloads(d, items);
    tree = pqt_tree_make(world_bounds, &options, &error);
    for (size_t i = 0; i < PAYLOADS; i++) {
        tree = pqt_tree_insert(tree, items[i], &error);
        hidden[i] = ~items[i].id;
    }
    pqt_pin *pin = pqt_tree_pin(tree, &error);
    ck_assert_msg(pin != NULL, "%s", error.text);
    memset(items, 0, PAYLOADS * sizeof *items);
    return pin;
}

/* Collects, then allocates blocks of that size and overwrites them, so that freed blocks are
 * reused. */
static void
overwrite_what_is_free(void)
{
    pqti_collect(pqt_collector());
    pqti_collect(pqt_collector());
    for (size_t i = 0; i < PAYLOADS * 20; i++) {
        void *block = pqti_alloc_list(pqt_collector(), PAYLOAD_WORDS * sizeof(uint64_t));
        memset(block, 0x5a, PAYLOAD_WORDS * sizeof(uint64_t));
    }
}

START_TEST(ids_that_are_pointers_keep_their_objects_alive)
{
    static const int capacities[] = {1, 2, 5, 24, 1000};
    dice d = {test_seed("ids_that_are_pointers_keep_their_objects_alive")};
    uint64_t *hidden = calloc(PAYLOADS, sizeof *hidden);
    ck_assert(pqt_init(NULL));
    for (size_t i = 0; i < 5 && pqt_collector() != NULL; i++) {
        pqt_pin *pin = hold_payloads(&d, capacities[i], hidden);
        size_t lost = 0;
        overwrite_what_is_free();
        for (size_t j = 0; j < PAYLOADS; j++) {
            const uint64_t *payload = (const uint64_t *)(uintptr_t)~hidden[j];
            for (size_t w = 0; w < PAYLOAD_WORDS; w++)
                lost += payload[w] != payload_word(j, w);
        }
        ck_assert_msg(lost == 0, "%zu words of %d payloads lost, capacity %d", lost, PAYLOADS,
                      capacities[i]);
        pqt_unpin(&pin);
    }
    free(hidden);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("pointer_ids");
    TCase *tests = tcase_create("collecting");
    tcase_add_test(tests, ids_that_are_pointers_keep_their_objects_alive);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
