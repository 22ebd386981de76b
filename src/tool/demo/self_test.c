/* SPDX-License-Identifier: MIT */
/*
 * self_test.c - the demo's trial of the library: versions from all of the history, against the
 * model.
 *
 * The model answers by looking at each item of a plain array. Answers are compared as sets, item by
 * item with box and id. On the way back from the newest version to the first each one is counted,
 * some are searched, and a few compared whole; then some more are searched in no order.
 */
#include "config.h"

#include "tool/demo/dataset.h"

#include <stdlib.h>

#include "tool/tool.h"

enum {
    WINDOW_EVERY = 10, /* versions from one that is searched to the next, on the way back */
    WHOLE_CHECKS = 20, /* versions that are compared whole */
    JUMPS = 200,       /* versions that are searched in no order */
    FAILURES_TOLD = 5  /* one is enough to know, some more help to see why */
};

/* Room for two answers, the version's and the model's. */
typedef struct trial {
    layer *map;
    size_t capacity;
    pqt_item *given, *expected;
} trial;

static void
note(const trial *now, bool passed, const char *what)
{
    layer *map = now->map;
    map->checks++;
    map->failed += !passed;
    if (!passed && map->failed <= FAILURES_TOLD)
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

/* Whether the two answers hold the same items, in whatever order. */
static bool
answers_agree(const trial *now, size_t given, size_t expected)
{
    if (given != expected)
        return false;
    qsort(now->given, given, sizeof(pqt_item), compare_ids);
    qsort(now->expected, expected, sizeof(pqt_item), compare_ids);
    for (size_t i = 0; i < given; i++)
        if (!is_same_item(&now->given[i], &now->expected[i]))
            return false;
    return true;
}

static void
check_search(const trial *now, const pqt_tree *tree, pqt_query query)
{
    size_t given = pqt_tree_collect(tree, query, now->given, now->capacity);
    size_t expected = model_search(&now->map->plain, query.window, query.relation, now->expected);
    note(now, pqt_tree_count_in(tree, query) == expected, "a window counts wrong");
    note(now, answers_agree(now, given, expected), "a window finds what it should not");
}

/* A search returns a version: it must hold just what the model finds. */
static void
check_version_found(const trial *now, const pqt_tree *tree, pqt_query query)
{
    pqt_error error = {0};
    const pqt_tree *part = pqt_tree_search(tree, query, &error);
    size_t given =
        part != NULL ? pqt_tree_collect(part, pqt_query_all(), now->given, now->capacity) : 0;
    size_t expected = model_search(&now->map->plain, query.window, query.relation, now->expected);
    note(now, part != NULL && answers_agree(now, given, expected),
         "a search returns another version than it should");
}

static void
check_window(const trial *now, const pqt_tree *tree)
{
    static const pqt_relation relations[] = {PQT_TOUCHES, PQT_OVERLAPS, PQT_INSIDE, PQT_COVERS};
    pqt_query query = {.window = roll_window(now->map)};
    query.relation = relations[roll_below(&now->map->luck, 4)];
    check_search(now, tree, query);
    check_version_found(now, tree, query);
}

/* Everything at once: all items, the tree's own invariants, and that its past cannot be seen. */
static void
check_whole(const trial *now, const pqt_tree *tree)
{
    const model *plain = &now->map->plain;
    pqt_error error = {0};
    check_search(now, tree, pqt_query_all());
    note(now, pqt_tree_check(tree, &error), "an invariant is broken");
    const pqt_tree *anew = pqt_tree_clear(tree, &error);
    anew = pqt_tree_insert_all(anew, plain->items, plain->count, &error);
    note(now, anew != NULL && pqt_tree_equals(tree, anew), "it differs from a tree made anew");
}

static void
walk_back(const trial *now)
{
    layer *map = now->map;
    size_t whole_every = map->count / WHOLE_CHECKS + 1;
    progress_begin("checking", map->count);
    for (size_t v = map->count; v-- > 0;) {
        const pqt_tree *tree = layer_version(map, v);
        model_go(&map->plain, v);
        note(now, pqt_tree_count(tree) == map->plain.count, "it counts wrong");
        if (v % WINDOW_EVERY == 0)
            check_window(now, tree);
        if (v % whole_every == 0)
            check_whole(now, tree);
        progress_at(map->count - v);
    }
    progress_end();
}

void
layer_check(layer *map)
{
    trial now = {.map = map, .capacity = 0};
    size_t most = map->plain.count + map->plain.edits, same = 0;
    now.given = grown(NULL, &now.capacity, most, sizeof(pqt_item));
    now.expected = grown(NULL, &same, most, sizeof(pqt_item));
    walk_back(&now);
    for (int i = 0; i < JUMPS; i++) {
        size_t v = roll_below(&map->luck, map->count);
        model_go(&map->plain, v);
        check_window(&now, layer_version(map, v));
    }
    model_go(&map->plain, map->plain.edits);
    free(now.given);
    free(now.expected);
}
