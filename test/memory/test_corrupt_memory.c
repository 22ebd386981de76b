/* SPDX-License-Identifier: MIT */
/* test_corrupt_memory.c: tests that pqt_tree_check and pqt_map_check detect each flipped
   bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "map/map_internal.h"
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

/* ---- Maps ---- */

enum { ENTRIES = 700, MOST_WORDS = 6000, MAP_DEPTHS = 3 };

/* A word of a map, the bits to turn, and the level of its block. */
typedef struct map_word {
    const void *at;
    uint64_t bits;
    unsigned depth;
    const char *text; /* the error of the check */
} map_word;

typedef struct map_words {
    map_word all[MOST_WORDS];
    size_t count;
} map_words;

static const char of_kind[] = "map: a block is of another kind",
                  of_place[] = "map: an entry is in the wrong place, or a count or sum is wrong";

static void
add_word(map_words *list, const void *at, uint64_t bits, unsigned depth, const char *text)
{
    ck_assert_uint_lt(list->count, MOST_WORDS);
    list->all[list->count++] = (map_word){at, bits, depth, text};
}

/* Lists the words that may be turned without misleading a traversal. */
static void
list_words(map_words *list, const void *block, unsigned depth)
{
    const pqti_map_inner *inner = block;
    const pqti_map_leaf *leaf = block;
    if (block == NULL)
        return;
    add_word(list, block, PQTI_MAP_HAS_BYTE_KEYS, depth, of_kind);
    add_word(list, block, PQTI_MAP_HAS_BYTE_VALUES, depth, of_kind);
    if (pqti_map_is_inner(block)) {
        add_word(list, block, UINT64_C(1) << 20, depth, of_place);
        add_word(list, &inner->sum.low, 4, depth, of_place);
        add_word(list, &inner->sum.high, 4, depth, of_place);
        for (size_t i = 0; i < PQTI_MAP_BRANCHES; i++)
            list_words(list, inner->child[i], depth + 1);
        return;
    }
    for (uint64_t i = 0; i < pqti_map_count_of(block); i++) {
        const pqti_map_slot *slot = &leaf->slots[i];
        add_word(list, &slot->hash, UINT64_C(1) << (i % 64), depth, of_place);
        if ((leaf->head & PQTI_MAP_HAS_CELLS) == 0) {
            add_word(list, &slot->number, 8, depth, of_place);
            continue;
        }
        add_word(list, &slot->cell->sum.low, 2, depth, of_place);
        add_word(list, &slot->cell->bytes[0], 1, depth, of_place);
    }
}

static const pqt_map *
make_map(pqt_memory *memory, bool byte_keys, bool byte_values)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    options.keys = byte_keys ? PQT_MAP_BYTE_KEYS : PQT_MAP_IDS;
    options.values = byte_values ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
    const pqt_map *map = pqt_map_make(&options, &error);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        char text[16];
        const size_t size = (size_t)snprintf(text, sizeof text, "entry %u", (unsigned)i);
        map = pqt_map_insert(map, byte_keys ? pqt_map_byte_key(text, size) : pqt_map_id(i),
                             byte_values ? pqt_map_bytes(text, size) : pqt_map_number(i), &error);
    }
    ck_assert_msg(map != NULL, "%s", error.text);
    return map;
}

static void
turn_bits(const void *at, uint64_t bits)
{
    volatile unsigned char *bytes = (volatile unsigned char *)(uintptr_t)at;
    unsigned char turned[8];
    memcpy(turned, &bits, sizeof bits);
    for (size_t i = 0; i < sizeof turned; i++)
        if (turned[i] != 0)
            bytes[i] = (unsigned char)(bytes[i] ^ turned[i]);
}

/* Each word of each block is turned alone, at each level. */
START_TEST(check_notices_a_damaged_block_at_each_level_of_a_map)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    size_t seen[MAP_DEPTHS] = {0};
    map_words *list = calloc(1, sizeof *list);
    const pqt_map *map = make_map(arena, (_i & 1) != 0, (_i & 2) != 0);
    list_words(list, map->root, 0);
    for (size_t i = 0; i < list->count; i++) {
        const map_word *word = &list->all[i];
        pqt_error error = {0};
        turn_bits(word->at, word->bits);
        ck_assert_msg(!pqt_map_check(map, &error), "word %zu at level %u", i, word->depth);
        ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
        ck_assert_str_eq(error.text, word->text);
        turn_bits(word->at, word->bits);
        if (word->depth < MAP_DEPTHS)
            seen[word->depth]++;
    }
    for (size_t depth = 0; depth < MAP_DEPTHS; depth++)
        ck_assert_uint_gt(seen[depth], 0);
    pqt_error error = {0};
    turn_bits(&map->fingerprint.high, 16);
    ck_assert(!pqt_map_check(map, &error));
    ck_assert_str_eq(error.text, "map: the fingerprint is not that of the entries");
    turn_bits(&map->fingerprint.high, 16);
    ck_assert(pqt_map_check(map, NULL));
    free(list);
    pqt_arena_destroy(&arena);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("overwritten");
    TCase *tests = tcase_create("overwritten");
    tcase_add_test(tests, check_notices_each_flipped_bit);
    tcase_add_loop_test(tests, check_notices_a_damaged_block_at_each_level_of_a_map, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
