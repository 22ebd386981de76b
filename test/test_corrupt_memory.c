/* SPDX-License-Identifier: MIT */
/* test_corrupt_memory.c: tests that pqt_tree_check detects each flipped bit. */
#include <stdlib.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_bounds.h"

enum { ITEMS = 60, MOST_SPOTS = 1000, TURNED = 400 };

static const pqt_box world_bounds = {{-3, -1000}, {4, 1000}};

/* The bytes of a version that may be overwritten without misleading a traversal. */
typedef struct spots {
    struct {
        const void *at;
        size_t size;
    } all[MOST_SPOTS];
    size_t count;
} spots;

static void
add_spot(spots *s, const void *at, size_t size)
{
    ck_assert_uint_lt(s->count, MOST_SPOTS);
    s->all[s->count].at = at;
    s->all[s->count++].size = size;
}

static void
list_spots(spots *s, const void *at, uint32_t tagged_count, size_t *rest)
{
    const pqti_inner *node = at;
    size_t count = tagged_count & 0x1fffffffu;
    *rest = *rest - count;
    if (at == NULL)
        return;
    if ((tagged_count & 0x80000000u) != 0) {
        add_spot(s, at, count * 5 * sizeof(double));
        return;
    }
    add_spot(s, &node->min_x, 4 * sizeof node->min_x);
    add_spot(s, &node->fingerprint, sizeof node->fingerprint);
    if ((tagged_count & 0x40000000u) != 0)
        add_spot(s, node + 1, sizeof(pqti_side_range));
    for (int q = 0; q < 4; q++)
        list_spots(s, node->child[q], node->count[q], &count);
    if (count > 0)
        list_spots(s, node->own->at, node->own->count, &count);
}

/* Hides from the compiler that a constant changes. */
static void
turn_bit(const void *at, size_t byte, unsigned bit)
{
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)at;
    bytes[byte] = (unsigned char)(bytes[byte] ^ 1u << bit);
}

static const pqt_tree *
make_tree(dice *d, pqt_memory *memory, bool unique)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.leaf_capacity = 2;
    options.unique_ids = unique;
    options.memory = memory;
    const pqt_tree *tree = pqt_tree_make(world_bounds, &options, &error);
    for (uint64_t id = 0; id < ITEMS; id++) {
        pqt_item item = {draw_box(d, world_bounds, BOXES_MIXED), id};
        tree = pqt_tree_insert(tree, item, &error);
    }
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

START_TEST(check_notices_each_flipped_bit)
{
    dice d = {test_seed("check_notices_each_flipped_bit")};
    pqt_memory *arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *tree = make_tree(&d, arena, unique == 1);
        spots *list = calloc(1, sizeof *list);
        size_t rest = tree->count;
        list_spots(list, tree->root, tree->count, &rest);
        add_spot(list, &tree->fingerprint, sizeof tree->fingerprint);
        for (int i = 0; i < TURNED; i++) {
            size_t spot = dice_below(&d, list->count);
            size_t byte = dice_below(&d, list->all[spot].size);
            unsigned bit = (unsigned)dice_below(&d, 8);
            pqt_error error = {0};
            turn_bit(list->all[spot].at, byte, bit);
            ck_assert(!pqt_tree_check(tree, &error));
            ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
            turn_bit(list->all[spot].at, byte, bit);
        }
        ck_assert(pqt_tree_check(tree, NULL));
        free(list);
    }
    pqt_arena_destroy(&arena);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("overwritten");
    TCase *tests = tcase_create("overwritten");
    tcase_add_test(tests, check_notices_each_flipped_bit);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
