/* SPDX-License-Identifier: MIT */
/*
 * self_test.c: checks the demo's versions against the reference model.
 *
 * The model tests every item of a plain array. Results are compared as sets of items, including
 * their boxes and ids. From the newest version back to the first, the count of every version is
 * checked, some versions are searched, and a few are compared completely. Then more versions are
 * searched in random order.
 */
#include "config.h"

#include "tool/demo/dataset.h"

#include <stdio.h>
#include <stdlib.h>

#include "tool/progress.h"
#include "tool/tool_memory.h"

enum {
    WINDOW_EVERY = 10, /* every N-th version is searched on the way back */
    WHOLE_CHECKS = 20, /* the number of versions that are compared completely */
    JUMPS = 200,       /* the number of versions that are searched in random order */
    FAILURES_PRINTED =
        5 /* the maximum number of failures that are printed: the first shows the fault, and the
             others help to find the cause */
};

/* Room for two results, one from the version and one from the model. */
typedef struct self_test {
    dataset *map;
    size_t capacity;
    pqt_item *actual, *expected;
} self_test;

static void
record_check(const self_test *test, bool passed, const char *what)
{
    dataset *map = test->map;
    map->checks++;
    map->failed += !passed;
    if (!passed && map->failed <= FAILURES_PRINTED)
        printf("CHECK FAILED: %s, version %zu: %s\n", map->name, map->plain.moment, what);
}

static int
compare_ids(const void *a, const void *b)
{
    const pqt_item *first = a, *second = b;
    return (first->id > second->id) - (first->id < second->id);
}

static bool
is_same_item(const pqt_item *a, const pqt_item *b)
{
    return a->id == b->id && a->box.min.x == b->box.min.x && a->box.min.y == b->box.min.y &&
           a->box.max.x == b->box.max.x && a->box.max.y == b->box.max.y;
}

/* Returns true if the two results contain the same items, in any order. */
static bool
answers_agree(const self_test *test, size_t actual, size_t expected)
{
    if (actual != expected)
        return false;
    qsort(test->actual, actual, sizeof(pqt_item), compare_ids);
    qsort(test->expected, expected, sizeof(pqt_item), compare_ids);
    for (size_t i = 0; i < actual; i++)
        if (!is_same_item(&test->actual[i], &test->expected[i]))
            return false;
    return true;
}

static void
check_search(const self_test *test, const pqt_tree *tree, pqt_query query)
{
    size_t actual = pqt_tree_collect(tree, &query, test->actual, test->capacity);
    size_t expected = model_search(&test->map->plain, query.window, query.relation, test->expected);
    record_check(test, pqt_tree_count_in(tree, &query) == expected,
                 "the count of the items in a window differs from the model's");
    record_check(test, answers_agree(test, actual, expected),
                 "a window finds different items from the model");
}

/* Checks that a search in a version finds exactly the items that the model finds. */
static void
check_version_found(const self_test *test, const pqt_tree *tree, pqt_query query)
{
    pqt_error error = {0};
    const pqt_tree *part = pqt_tree_search(tree, &query, &error);
    size_t actual = part != NULL ? pqt_tree_collect(part, NULL, test->actual, test->capacity) : 0;
    size_t expected = model_search(&test->map->plain, query.window, query.relation, test->expected);
    record_check(test, part != NULL && answers_agree(test, actual, expected),
                 "a search returns different items from the model");
}

static void
check_window(const self_test *test, const pqt_tree *tree)
{
    static const pqt_relation relations[] = {PQT_TOUCHES, PQT_OVERLAPS, PQT_INSIDE, PQT_COVERS};
    pqt_query query = {.window = roll_window(test->map)};
    query.relation = relations[roll_below(&test->map->luck, 4)];
    check_search(test, tree, query);
    check_version_found(test, tree, query);
}

/* Checks a version completely: all items, the invariants of the tree, and whether it equals a tree
   that is built from scratch. */
static void
check_whole(const self_test *test, const pqt_tree *tree)
{
    const model *plain = &test->map->plain;
    pqt_error error = {0};
    check_search(test, tree, pqt_query_all());
    record_check(test, pqt_tree_check(tree, &error), "an invariant is broken");
    const pqt_tree *rebuilt = pqt_tree_clear(tree, &error);
    rebuilt = pqt_tree_insert_all(rebuilt, plain->items, plain->count, &error);
    record_check(test, rebuilt != NULL && pqt_tree_equals(tree, rebuilt),
                 "it differs from a tree built from scratch");
}

static void
check_backward(const self_test *test)
{
    dataset *map = test->map;
    size_t whole_every = map->count / WHOLE_CHECKS + 1;
    progress_begin("checking", map->count, PROGRESS_COUNT);
    for (size_t v = map->count; v-- > 0;) {
        const pqt_tree *tree = dataset_version(map, v);
        model_go(&map->plain, v);
        record_check(test, pqt_tree_count(tree) == map->plain.count,
                     "its count differs from the model's");
        if (v % WINDOW_EVERY == 0)
            check_window(test, tree);
        if (v % whole_every == 0)
            check_whole(test, tree);
        progress_at(map->count - v);
    }
    progress_end();
}

void
dataset_check(dataset *map)
{
    self_test test = {.map = map, .capacity = 0};
    size_t most = map->plain.count + map->plain.edits, same = 0;
    test.actual = xgrow(NULL, &test.capacity, most, sizeof(pqt_item));
    test.expected = xgrow(NULL, &same, most, sizeof(pqt_item));
    check_backward(&test);
    for (int i = 0; i < JUMPS; i++) {
        size_t v = roll_below(&map->luck, map->count);
        model_go(&map->plain, v);
        check_window(&test, dataset_version(map, v));
    }
    model_go(&map->plain, map->plain.edits);
    free(test.actual);
    free(test.expected);
}
