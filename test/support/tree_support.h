/* SPDX-License-Identifier: MIT */
/*
 * tree_support.h: functions for tests of trees and queries.
 *
 * It has short names for values, an arena for each test, and calls that end the test if they fail.
 * The bounds are 16 x 16 with the corner at 0, 0 unless stated otherwise, so all midlines have
 * integer coordinates.
 */
#ifndef TEST_TREE_SUPPORT_H
#define TEST_TREE_SUPPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "misuse.h"
#include "tree/item_hash.h"

#define TINIEST 0x1p-1074

static const pqt_box world_box = {{0, 0}, {16, 16}};
static const pqt_box whole_plane = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};

/* ---- One arena for each test: tcase_add_checked_fixture(tests, open_arena, close_arena) ---- */

static pqt_memory *arena;

static inline void
open_arena(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static inline void
close_arena(void)
{
    pqt_arena_destroy(&arena);
}

/* Returns a test case with an arena for each test. */
static inline TCase *
add_tests(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    suite_add_tcase(suite, tests);
    return tests;
}

/* Adds a misuse test that runs once for each of several mistakes, which _i selects. */
static inline void
tcase_add_misuse_tests(TCase *tests, const TTest *test, size_t ways)
{
    if (misuse_can_be_tested())
        tcase_add_loop_test_raise_signal(tests, test, SIGABRT, 0, (int)ways);
}

/*
 * Fails the test unless `right`, and prints the line of the caller. Use it for conditions that are
 * checked very often, because check records each ck_assert that holds.
 */
#define require(right, what) require_at(right, what, __FILE__, __LINE__)

static inline void
require_at(bool right, const char *what, const char *file, int line)
{
    if (right)
        return;
    /* Fuzzers run without check, and only their standard error is shown. */
    fprintf(stderr, "# %s(%d): %s:%d: failed: %s\n", running_test, running_iteration, file, line,
            what);
    ck_abort_msg("%s:%d: %s", file, line, what);
}

/* ---- Values ---- */

static inline pqt_box
box(double min_x, double min_y, double max_x, double max_y)
{
    return (pqt_box){{min_x, min_y}, {max_x, max_y}};
}

static inline pqt_box
point(double x, double y)
{
    return box(x, y, x, y);
}

static inline pqt_item
boxed(pqt_box from, uint64_t id)
{
    return (pqt_item){from, id};
}

/* Returns an item without extent. */
static inline pqt_item
dot(double x, double y, uint64_t id)
{
    return boxed(point(x, y), id);
}

/* Compares bit for bit, so that 0.0 and -0.0 differ. */
static inline bool
same_bits(pqt_item a, pqt_item b)
{
    return memcmp(&a.box, &b.box, sizeof a.box) == 0 && a.id == b.id;
}

static inline pqt_change
inserting(pqt_item item)
{
    return (pqt_change){.kind = PQT_INSERT, .item = item};
}

static inline pqt_change
removing(pqt_item item)
{
    return (pqt_change){.kind = PQT_REMOVE, .item = item};
}

static inline pqt_change
moving(pqt_item item, pqt_box to)
{
    return (pqt_change){.kind = PQT_MOVE, .item = item, .to = to};
}

static inline pqt_change
removing_id(uint64_t id)
{
    return (pqt_change){.kind = PQT_REMOVE_ID, .item = {.id = id}};
}

static inline pqt_change
moving_id(uint64_t id, pqt_box to)
{
    return (pqt_change){.kind = PQT_MOVE_ID, .item = {.id = id}, .to = to};
}

static inline pqt_query
query_of(pqt_box window, pqt_relation relation)
{
    return (pqt_query){.window = window, .relation = relation};
}

static inline pqt_query
query_of_all(void)
{
    return query_of(whole_plane, PQT_TOUCHES);
}

/* ---- Calls that must succeed ---- */

static inline pqt_tree_options
options_of(int capacity, int depth)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacity;
    options.max_depth = depth;
    options.memory = arena;
    return options;
}

static inline const pqt_tree *
must(const pqt_tree *tree, const pqt_error *error)
{
    require(tree != NULL && error->status == PQT_OK, error->text);
    return tree;
}

static inline const pqt_tree *
made(pqt_box bounds, pqt_tree_options options)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make(bounds, &options, &error);
    return must(tree, &error);
}

/* Returns an empty tree with the 16 x 16 bounds. */
static inline const pqt_tree *
small_tree(int capacity)
{
    return made(world_box, options_of(capacity, 24));
}

static inline const pqt_tree *
unique_tree(int capacity)
{
    pqt_tree_options options = options_of(capacity, 24);
    options.unique_ids = true;
    return made(world_box, options);
}

static inline const pqt_tree *
strict_tree(void)
{
    pqt_tree_options options = options_of(2, 24);
    options.strict_bounds = true;
    return made(world_box, options);
}

static inline const pqt_tree *
inserted(const pqt_tree *tree, pqt_item item)
{
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_insert(tree, item, &error);
    return must(next, &error);
}

static inline const pqt_tree *
removed(const pqt_tree *tree, pqt_item item)
{
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_remove(tree, item, &error);
    return must(next, &error);
}

static inline const pqt_tree *
moved(const pqt_tree *tree, pqt_item item, pqt_box to)
{
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_move(tree, item, to, &error);
    return must(next, &error);
}

static inline const pqt_tree *
applied(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_apply(tree, changes, count, &error);
    return must(next, &error);
}

static inline const pqt_tree *
searched(const pqt_tree *tree, pqt_query query)
{
    pqt_error error = {0};
    const pqt_tree *next = pqt_tree_search(tree, &query, &error);
    return must(next, &error);
}

/* Inserts the items one after another. */
static inline const pqt_tree *
with_items(const pqt_tree *tree, const pqt_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tree = inserted(tree, items[i]);
    return tree;
}

/* Returns a dot in the middle of a cell of a side x side grid over the 16 x 16 world. The cells are
 * numbered row by row. */
static inline pqt_item
dot_of_grid(size_t side, size_t i)
{
    double cell = 16 / (double)side;
    return dot(((double)(i % side) + 0.5) * cell, ((double)(i / side) + 0.5) * cell, i);
}

static inline const pqt_tree *
with_grid(const pqt_tree *tree, size_t side)
{
    pqt_error error = {0};
    pqt_item *items = malloc(side * side * sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < side * side; i++)
        items[i] = dot_of_grid(side, i);
    const pqt_tree *next = pqt_tree_insert_all(tree, items, side * side, &error);
    free(items);
    return must(next, &error);
}

/* ---- Items with the same cell and the same hash ---- */

static inline uint64_t
inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

static inline uint64_t
unfold(uint64_t word, int by)
{
    uint64_t source = word;
    for (int i = 0; i < 64 / by; i++)
        source = word ^ source >> by;
    return source;
}

/* Computes the inverse of pqti_hash_mix64. */
static inline uint64_t
unfinished(uint64_t word)
{
    word = unfold(word, 31) * inverse_of(UINT64_C(0x94d049bb133111eb));
    word = unfold(word, 27) * inverse_of(UINT64_C(0xbf58476d1ce4e5b9));
    return unfold(word, 30);
}

/* Returns one of many items with the same centre and hash, all larger than the 16 x 16 bounds. */
static inline pqt_item
twin(size_t i)
{
    double half = 20 + (double)i;
    pqt_item item = boxed(box(8 - half, 8 - half, 8 + half, 8 + half), 0);
    item.id = unfinished(UINT64_C(0x123456789abcdef0)) ^ unfinished(pqti_item_hash(&item));
    ck_assert_uint_eq(pqti_item_hash(&item), UINT64_C(0x123456789abcdef0));
    return item;
}

/* ---- Expected versions and errors ---- */

static inline void
expect_sound(const pqt_tree *tree)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_tree_check(tree, &error), "%s", error.text);
    ck_assert_int_eq(error.status, PQT_OK);
}

/* Expects exactly these items, in any order, each once. */
static inline void
expect_items(const pqt_tree *tree, const pqt_item *items, size_t count)
{
    expect_sound(tree);
    ck_assert_uint_eq(pqt_tree_count(tree), count);
    for (size_t i = 0; i < count; i++)
        require(pqt_tree_contains(tree, items[i]), "an item is missing");
}

static inline void
expect_equal(const pqt_tree *a, const pqt_tree *b)
{
    ck_assert(pqt_tree_equals(a, b));
    ck_assert(pqt_tree_equals(b, a));
    ck_assert_uint_eq(pqt_tree_fingerprint(a).low, pqt_tree_fingerprint(b).low);
    ck_assert_uint_eq(pqt_tree_fingerprint(a).high, pqt_tree_fingerprint(b).high);
}

static inline void
expect_failure(const pqt_error *error, pqt_status status, size_t index, const char *text)
{
    ck_assert_int_eq(error->status, status);
    ck_assert_uint_eq(error->index, index);
    ck_assert_str_eq(error->text, text);
}

static inline void
expect_wrong_size(const pqt_error *error, size_t given, size_t right, const char *defaults)
{
    char text[sizeof error->text];
    snprintf(text, sizeof text, "size is %zu, but must be %zu to 4096: initialise with %s", given,
             right, defaults);
    expect_failure(error, PQT_ERROR_OPTION, 0, text);
}

/* Returns an error that a test sets before a call, which must not change it. */
static inline pqt_error
earlier_failure(void)
{
    return (pqt_error){5, PQT_ERROR_STREAM, "set before"};
}

static inline void
expect_earlier_failure(const pqt_error *error)
{
    expect_failure(error, PQT_ERROR_STREAM, 5, "set before");
}

/* ---- The results of a query, in the order of the visit ---- */

enum { MOST_FOUND = 4096 };

typedef struct found_list {
    pqt_item items[MOST_FOUND];
    size_t count;
} found_list;

static inline bool
list_item(const pqt_item *item, void *context)
{
    found_list *list = context;
    require(list->count < MOST_FOUND, "more items were found than there is room for");
    list->items[list->count++] = *item;
    return true;
}

/* Returns the results of a query in a static list, because the list is large. */
static inline const found_list *
found_by(const pqt_tree *tree, pqt_query query)
{
    static found_list list;
    list.count = 0;
    ck_assert(pqt_tree_visit(tree, &query, list_item, &list));
    return &list;
}

/* Expects exactly these ids in this order. */
static inline void
expect_ids(const pqt_tree *tree, pqt_query query, const uint64_t *ids, size_t count)
{
    const found_list *list = found_by(tree, query);
    ck_assert_uint_eq(list->count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(list->items[i].id, ids[i]);
}

/* Returns the 4 x 4 grid among many other items, so that a few changes are a small fraction and
   cause no rebuild. */
static inline const pqt_tree *
crowded_grid(const pqt_tree *tree)
{
    for (uint64_t i = 0; i < 256; i++)
        tree = inserted(tree, boxed(dot_of_grid(16, i).box, 10000 + i));
    return with_grid(tree, 4);
}

#endif
