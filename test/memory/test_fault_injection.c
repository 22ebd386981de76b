/* SPDX-License-Identifier: MIT */
/*
 * test_fault_injection.c: tests a memory in which each allocation fails in turn, and one that
 * collects at each allocation.
 *
 * Trees have a leaf capacity of 2, so that a few items cause all kinds of splits and merges of
 * leaves. In a separate round, leaves are so large that the library needs scratch memory for one of
 * them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/tree.h>

#include "compare_trees.h"
#include "hooks.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_bounds.h"

enum { ITEMS = 60, MANY = 80, COLLECTED_OPERATIONS = 250, KEPT = 40 };
enum { LARGE_CAPACITY = 100, LARGE_ITEMS = 600, MOST_MANY = 320 };

static const pqt_box world_bounds = {{-3, -1000}, {4, 1000}};

/* A version with its model, and the arguments of the calls. */
typedef struct stage {
    dice d;
    pqt_memory *memory;
    pqt_memory *other;
    pqt_tree_options options;
    const pqt_tree *tree;
    model m;
    const pqt_tree *full; /* a full leaf with the first items of the model */
    size_t many;
    pqt_item fresh[MOST_MANY]; /* the calls insert the first ones */
    pqt_change changes[MOST_MANY];
} stage;

static void
require(bool right, const char *doing, const char *what)
{
    if (!right)
        ck_abort_msg("%s: %s", doing, what);
}

static pqt_item
draw_item(dice *d, uint64_t id)
{
    return (pqt_item){draw_box(d, world_bounds, BOXES_MIXED), id};
}

static void
draw_changes(stage *s, size_t items)
{
    for (uint64_t i = 0; i < s->many; i++) {
        s->fresh[i] = draw_item(&s->d, items / 2 + i);
        s->changes[i].kind = i % 3 == 0 ? PQT_INSERT : i % 3 == 1 ? PQT_REMOVE : PQT_MOVE;
        s->changes[i].item = i % 3 == 0 ? s->fresh[i] : s->m.items[i % items];
        s->changes[i].to = s->fresh[i].box;
    }
}

static stage
stage_of(uint64_t seed, pqt_memory *memory, pqt_memory *other, bool unique, int capacity,
         size_t items, size_t many)
{
    stage s = {.d = {seed}, .memory = memory, .other = other, .many = many};
    pqt_error error = {0};
    s.options = (pqt_tree_options)PQT_TREE_DEFAULTS;
    s.options.leaf_capacity = capacity;
    s.options.unique_ids = unique;
    s.options.memory = memory;
    s.m = model_make(world_bounds, &s.options);
    s.tree = pqt_tree_make(world_bounds, &s.options, &error);
    for (uint64_t i = 0; i < items; i++) {
        pqt_change change = {PQT_INSERT, draw_item(&s.d, i), {{0, 0}, {0, 0}}};
        model_apply(&s.m, &change, 1);
        s.tree = pqt_tree_insert(s.tree, change.item, &error);
    }
    s.full = pqt_tree_clear(s.tree, &error);
    s.full = pqt_tree_insert_all(s.full, s.m.items, (size_t)capacity, &error);
    require(s.full != NULL, "start", error.text);
    draw_changes(&s, items);
    return s;
}

static stage
stage_make(uint64_t seed, pqt_memory *memory, pqt_memory *other, bool unique)
{
    return stage_of(seed, memory, other, unique, 2, ITEMS, MANY);
}

/* ---- The calls and their expected results ---- */

static const pqt_tree *
call_make(const stage *s, pqt_error *error)
{
    return pqt_tree_make(world_bounds, &s->options, error);
}

static const pqt_tree *
call_of(const stage *s, pqt_error *error)
{
    return pqt_tree_of(s->fresh, s->many, &s->options, error);
}

static void
model_of_fresh(const stage *s, model *m)
{
    model_free(m);
    model_of(m, s->fresh, s->many, &s->options);
}

static const pqt_tree *
call_insert(const stage *s, pqt_error *error)
{
    return pqt_tree_insert(s->tree, s->fresh[0], error);
}

static void
model_insert(const stage *s, model *m)
{
    pqt_change change = {PQT_INSERT, s->fresh[0], {{0, 0}, {0, 0}}};
    model_apply(m, &change, 1);
}

static const pqt_tree *
call_insert_all(const stage *s, pqt_error *error)
{
    return pqt_tree_insert_all(s->tree, s->fresh, s->many, error);
}

static void
model_insert_all(const stage *s, model *m)
{
    for (size_t i = 0; i < s->many; i++) {
        pqt_change change = {PQT_INSERT, s->fresh[i], {{0, 0}, {0, 0}}};
        model_apply(m, &change, 1);
    }
}

/* Inserts one more item than fits, so that the leaf is divided. */
static const pqt_tree *
call_insert_into_full(const stage *s, pqt_error *error)
{
    return pqt_tree_insert(s->full, s->fresh[0], error);
}

static void
model_full(const stage *s, model *m)
{
    model_clear(m);
    for (int i = 0; i < s->options.leaf_capacity; i++) {
        pqt_change change = {PQT_INSERT, s->m.items[i], {{0, 0}, {0, 0}}};
        model_apply(m, &change, 1);
    }
}

static void
model_insert_into_full(const stage *s, model *m)
{
    model_full(s, m);
    model_insert(s, m);
}

static const pqt_tree *
call_insert_all_into_full(const stage *s, pqt_error *error)
{
    return pqt_tree_insert_all(s->full, s->fresh, s->many, error);
}

static void
model_insert_all_into_full(const stage *s, model *m)
{
    model_full(s, m);
    model_insert_all(s, m);
}

/* Makes enough changes for the keys of a large leaf to be computed in advance. */
static size_t
several(const stage *s)
{
    return s->options.leaf_capacity < 5 ? (size_t)s->options.leaf_capacity : 5;
}

static const pqt_tree *
call_remove_from_full(const stage *s, pqt_error *error)
{
    return pqt_tree_remove_all(s->full, s->m.items, several(s), error);
}

static void
model_remove_from_full(const stage *s, model *m)
{
    model_full(s, m);
    for (size_t i = 0; i < several(s); i++) {
        pqt_change change = {PQT_REMOVE, s->m.items[i], {{0, 0}, {0, 0}}};
        model_apply(m, &change, 1);
    }
}

static const pqt_tree *
call_copy_full(const stage *s, pqt_error *error)
{
    return pqt_tree_copy(s->full, s->other, error);
}

static const pqt_tree *
call_remove(const stage *s, pqt_error *error)
{
    return pqt_tree_remove(s->tree, s->m.items[7], error);
}

static void
model_remove(const stage *s, model *m)
{
    pqt_change change = {PQT_REMOVE, s->m.items[7], {{0, 0}, {0, 0}}};
    model_apply(m, &change, 1);
}

static const pqt_tree *
call_remove_id(const stage *s, pqt_error *error)
{
    return pqt_tree_remove_id(s->tree, s->m.items[7].id, error);
}

static const pqt_tree *
call_remove_all(const stage *s, pqt_error *error)
{
    return pqt_tree_remove_all(s->tree, s->m.items, s->m.count - 3, error);
}

static void
model_remove_all(const stage *s, model *m)
{
    for (size_t i = 0; i < s->m.count - 3; i++) {
        pqt_change change = {PQT_REMOVE, s->m.items[i], {{0, 0}, {0, 0}}};
        model_apply(m, &change, 1);
    }
}

static const pqt_tree *
call_move(const stage *s, pqt_error *error)
{
    return pqt_tree_move(s->tree, s->m.items[9], s->fresh[1].box, error);
}

static void
model_move(const stage *s, model *m)
{
    pqt_change change = {PQT_MOVE, s->m.items[9], s->fresh[1].box};
    model_apply(m, &change, 1);
}

static const pqt_tree *
call_move_id(const stage *s, pqt_error *error)
{
    return pqt_tree_move_id(s->tree, s->m.items[9].id, s->fresh[1].box, error);
}

static const pqt_tree *
call_apply_few(const stage *s, pqt_error *error)
{
    return pqt_tree_apply(s->tree, s->changes, 4, error);
}

static void
model_apply_few(const stage *s, model *m)
{
    model_apply(m, s->changes, 4);
}

static const pqt_tree *
call_apply_many(const stage *s, pqt_error *error)
{
    return pqt_tree_apply(s->tree, s->changes, s->many, error);
}

static void
model_apply_many(const stage *s, model *m)
{
    model_apply(m, s->changes, s->many);
}

/* Makes changes that depend on one another, so that they are replayed in order. */
static void
dependent_changes(const stage *s, pqt_change changes[5])
{
    const pqt_item known = s->m.items[3], moved = {s->fresh[2].box, s->fresh[0].id};
    changes[0] = (pqt_change){.kind = PQT_INSERT, .item = s->fresh[0]};
    changes[1] = (pqt_change){.kind = PQT_MOVE, .item = s->fresh[0], .to = moved.box};
    changes[2] = (pqt_change){.kind = PQT_MOVE, .item = moved, .to = s->fresh[4].box};
    changes[3] = (pqt_change){.kind = PQT_REMOVE, .item = known};
    changes[4] = (pqt_change){.kind = PQT_MOVE, .item = known, .to = s->fresh[5].box};
}

static const pqt_tree *
call_apply_dependent(const stage *s, pqt_error *error)
{
    pqt_change changes[5];
    dependent_changes(s, changes);
    return pqt_tree_apply(s->tree, changes, 5, error);
}

static void
model_apply_dependent(const stage *s, model *m)
{
    pqt_change changes[5];
    dependent_changes(s, changes);
    model_apply(m, changes, 5);
}

static const pqt_tree *
call_clear(const stage *s, pqt_error *error)
{
    return pqt_tree_clear(s->tree, error);
}

static void
model_empty(const stage *s, model *m)
{
    (void)s;
    model_clear(m);
}

static bool
has_odd_id(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 1;
}

static const pqt_query window_query = {
    {{-3, -1000}, {1, 500}}, PQT_TOUCHES, NULL, NULL, NULL, NULL, PQT_PLANE, {0}};
static const pqt_query odd_query = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}},
                                    PQT_INSIDE,
                                    has_odd_id,
                                    NULL,
                                    NULL,
                                    NULL,
                                    PQT_PLANE,
                                    {0}};

static const pqt_tree *
call_search(const stage *s, pqt_error *error)
{
    return pqt_tree_search(s->tree, &window_query, error);
}

static void
model_search_window(const stage *s, model *m)
{
    (void)s;
    model_search(m, window_query);
}

static const pqt_tree *
call_search_odd(const stage *s, pqt_error *error)
{
    return pqt_tree_search(s->tree, &odd_query, error);
}

static void
model_search_odd(const stage *s, model *m)
{
    (void)s;
    model_search(m, odd_query);
}

static const pqt_tree *
call_copy(const stage *s, pqt_error *error)
{
    return pqt_tree_copy(s->tree, s->other, error);
}

static void
model_same(const stage *s, model *m)
{
    (void)s;
    (void)m;
}

/* A call. `scratch` is the minimum number of scratch allocations with large leaves. If there are
   fewer, the intended branch was not taken. */
typedef struct call {
    const char *name;
    const pqt_tree *(*make)(const stage *s, pqt_error *error);
    void (*model)(const stage *s, model *m);
    bool needs_unique;
    size_t scratch;
} call;

static const call calls[] = {
    {"make", call_make, model_empty, false, 0},
    {"of", call_of, model_of_fresh, false, 0},
    {"insert", call_insert, model_insert, false, 0},
    {"insert_all", call_insert_all, model_insert_all, false, 0},
    {"remove", call_remove, model_remove, false, 0},
    {"remove_id", call_remove_id, model_remove, true, 0},
    {"remove_all", call_remove_all, model_remove_all, false, 0},
    {"move", call_move, model_move, false, 0},
    {"move_id", call_move_id, model_move, true, 0},
    {"apply, a few", call_apply_few, model_apply_few, false, 0},
    {"apply, many", call_apply_many, model_apply_many, false, 0},
    {"apply, dependent", call_apply_dependent, model_apply_dependent, false, 0},
    {"clear", call_clear, model_empty, false, 0},
    {"search a window", call_search, model_search_window, false, 0},
    {"search by a filter", call_search_odd, model_search_odd, false, 0},
    {"insert into a full leaf", call_insert_into_full, model_insert_into_full, false, 0},
    {"overfill a full leaf", call_insert_all_into_full, model_insert_all_into_full, false, 2},
    {"remove from a full leaf", call_remove_from_full, model_remove_from_full, false, 5},
    {"copy a full leaf", call_copy_full, model_full, false, 3},
    {"copy", call_copy, model_same, false, 4},
};

enum { CALLS = sizeof calls / sizeof *calls };

/* ---- Each allocation fails ---- */

static void
expect_version(const model *m, const pqt_tree *tree, const char *doing)
{
    complaint why = {{'\0'}};
    pqt_error error = {0};
    require(check_version(m, tree, &why), doing, why.text);
    require(pqt_tree_check(tree, &error), doing, error.text);
}

static void
expect_failure(const stage *s, const pqt_tree *made, const pqt_error *error, const char *doing)
{
    require(made == NULL, doing, "a version, although an allocation failed");
    require(error->status == PQT_ERROR_MEMORY, doing, error->text);
    require(error->text[0] != '\0', doing, "nothing is reported");
    expect_version(&s->m, s->tree, doing);
    require(pqt_tree_check(s->full, NULL), doing, "another version was changed");
}

static void
fail_each_allocation_of(const stage *s, const call *c)
{
    hooks watch = {.fail_at = 0};
    const pqt_tree *made = NULL;
    do {
        pqt_error error = {0};
        watch.fail_at++;
        hooks_start(&watch);
        made = c->make(s, &error);
        hooks_stop();
        if (watch.failures > 0)
            expect_failure(s, made, &error, c->name);
        else
            require(made != NULL, c->name, error.text);
    } while (watch.failures > 0);
    require(watch.fail_at > 1, c->name, "nothing was allocated");
    require(s->options.leaf_capacity != LARGE_CAPACITY ||
                watch.blocks[PQTI_BLOCK_SCRATCH] >= c->scratch,
            c->name, "the ways that need scratch memory were not met");
    model after = model_copy(&s->m);
    c->model(s, &after);
    expect_version(&after, made, c->name);
    model_free(&after);
}

static void
fail_each_allocation_on(stage *s)
{
    for (int i = 0; i < CALLS; i++)
        if (s->options.unique_ids || !calls[i].needs_unique)
            fail_each_allocation_of(s, &calls[i]);
    model_free(&s->m);
}

static void
fail_each_allocation(pqt_memory *memory, pqt_memory *other, bool unique)
{
    uint64_t seed = test_seed("fail_each_allocation");
    for (size_t round = 0; round < test_scaled(8); round++) {
        stage s = stage_make(seed + round, memory, other, unique);
        fail_each_allocation_on(&s);
    }
}

static pqt_memory *
make_arena(size_t limit)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(limit, &error);
    require(arena != NULL, "arena", error.text);
    return arena;
}

START_TEST(a_failed_allocation_leaves_the_old_version_alone)
{
    pqt_memory *arena = make_arena(0);
    pqt_memory *other = make_arena(0);
    fail_each_allocation(arena, other, false);
    fail_each_allocation(arena, other, true);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_failed_allocation_among_large_leaves_leaves_the_old_version_alone)
{
    pqt_memory *arena = make_arena(0);
    pqt_memory *other = make_arena(0);
    uint64_t seed = test_seed("a_failed_allocation_among_large_leaves");
    stage s = stage_of(seed, arena, other, _i == 1, LARGE_CAPACITY, LARGE_ITEMS, MOST_MANY);
    fail_each_allocation_on(&s);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_failed_allocation_in_the_collector_leaves_the_old_version_alone)
{
    pqt_memory *arena = make_arena(0);
    if (pqt_collector() != NULL) {
        fail_each_allocation(pqt_collector(), arena, false);
        fail_each_allocation(arena, pqt_collector(), true);
    }
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(a_failed_pin_is_reported)
{
    pqt_memory *arena = make_arena(0);
    stage s = stage_make(test_seed("a_failed_pin_is_reported"), arena, arena, false);
    hooks watch = {.fail_at = 1};
    pqt_error error = {0};
    hooks_start(&watch);
    pqt_pin *pin = pqt_tree_pin(s.tree, &error);
    hooks_stop();
    ck_assert_ptr_null(pin);
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_uint_eq(pqt_memory_get_stats(arena).pins, 0);
    model_free(&s.m);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(failing_to_copy_several_writes_no_copy)
{
    pqt_memory *arena = make_arena(0);
    pqt_memory *other = make_arena(0);
    stage s = stage_make(test_seed("failing_to_copy_several_writes_no_copy"), arena, other, true);
    pqt_error error = {0};
    const pqt_tree *moved = call_move(&s, &error);
    const pqt_tree *const olds[] = {s.tree, moved, s.tree};
    const pqt_tree *copies[] = {NULL, NULL, NULL};
    hooks watch = {.fail_at = 0};
    bool copied;
    do {
        error = (pqt_error){0};
        watch.fail_at++;
        hooks_start(&watch);
        copied = pqt_tree_copy_all(olds, 3, other, copies, &error);
        hooks_stop();
        ck_assert(copied == (watch.failures == 0));
        ck_assert_int_eq(error.status, copied ? PQT_OK : PQT_ERROR_MEMORY);
        ck_assert((copies[0] != NULL) == copied);
    } while (!copied);
    ck_assert_ptr_eq(copies[0], copies[2]);
    expect_version(&s.m, copies[0], "copy_all");
    ck_assert(pqt_tree_equals(copies[1], moved));
    model_free(&s.m);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

/* A watch that fails one of the calls for scratch memory. */
typedef struct scratch_watch {
    size_t fail_at, calls;
} scratch_watch;

static bool
fail_scratch(pqti_block kind, size_t size, void *context)
{
    scratch_watch *watch = context;
    (void)size;
    return kind != PQTI_BLOCK_SCRATCH || ++watch->calls != watch->fail_at;
}

START_TEST(a_copy_whose_table_cannot_grow_leaves_the_old_version_alone)
{
    enum { COPIED = 1500, FIRST_AND_GROWN = 4 };
    pqt_memory *arena = make_arena(0);
    pqt_memory *other = make_arena(0);
    uint64_t seed = test_seed("a_copy_whose_table_cannot_grow_leaves_the_old_version_alone");
    stage s = stage_of(seed, arena, other, _i == 1, 2, COPIED, MANY);
    scratch_watch watch = {0, 0};
    const pqt_tree *copy;
    do {
        pqt_error error = {0};
        watch = (scratch_watch){watch.fail_at + 1, 0};
        pqti_set_allocation_hook(fail_scratch, &watch);
        copy = pqt_tree_copy(s.tree, other, &error);
        pqti_set_allocation_hook(NULL, NULL);
        if (watch.calls >= watch.fail_at)
            expect_failure(&s, copy, &error, "copy");
        else
            require(copy != NULL, "copy", error.text);
    } while (copy == NULL);
    ck_assert_uint_ge(watch.calls, FIRST_AND_GROWN);
    expect_version(&s.m, copy, "copy");
    model_free(&s.m);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_full_arena_keeps_what_it_holds)
{
    enum { LIMIT = 256 * 1024 };
    pqt_memory *arena = make_arena(LIMIT);
    pqt_memory *wide = make_arena(0);
    uint64_t seed = test_seed("a_full_arena_keeps_what_it_holds");
    stage s = stage_make(seed, arena, wide, false);
    pqt_error error = {0};
    const pqt_tree *next = s.tree;
    for (uint64_t id = 1000; next != NULL; id++) {
        pqt_change change = {PQT_INSERT, draw_item(&s.d, id), {{0, 0}, {0, 0}}};
        next = pqt_tree_insert(s.tree, change.item, &error);
        if (next != NULL)
            model_apply(&s.m, &change, 1);
        s.tree = next != NULL ? next : s.tree;
    }
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_uint_le(pqt_memory_get_stats(arena).bytes, LIMIT);
    expect_version(&s.m, s.tree, "a full arena");
    error = (pqt_error){0};
    next = pqt_tree_copy(s.tree, wide, &error);
    require(next != NULL, "leaving a full arena", error.text);
    pqt_arena_destroy(&arena);
    expect_version(&s.m, next, "out of the full arena");
    next = pqt_tree_insert(next, draw_item(&s.d, 7), &error);
    require(next != NULL, "after leaving", error.text);
    model_free(&s.m);
    pqt_arena_destroy(&wide);
}
END_TEST

/* ---- A collection at each allocation ---- */

/* The pins are in memory from malloc, which the collector does not scan. */
typedef struct kept {
    pqt_pin *pin;
    model m;
} kept;

static pqt_change
draw_change(stage *s)
{
    pqt_change change = {PQT_INSERT, draw_item(&s->d, dice_below(&s->d, 90)), {{0, 0}, {0, 0}}};
    change.to = draw_box(&s->d, world_bounds, BOXES_MIXED);
    if (s->m.count > 0 && dice_chance(&s->d, 60)) {
        change.item = s->m.items[dice_below(&s->d, s->m.count)];
        change.kind = dice_chance(&s->d, 50) ? PQT_REMOVE : PQT_MOVE;
    }
    return change;
}

/* Makes a version and its model from the previous ones by one of several calls. */
static pqt_pin *
next_version(stage *s, const pqt_tree *tree, size_t operation)
{
    pqt_change changes[12];
    size_t count = operation % 3 == 0 ? 12 : 1;
    pqt_error error = {0};
    for (size_t i = 0; i < count; i++)
        changes[i] = draw_change(s);
    if (operation % 25 == 24) {
        tree = pqt_tree_search(tree, &window_query, &error);
        model_search(&s->m, window_query);
    } else {
        tree = pqt_tree_apply(tree, changes, count, &error);
        model_apply(&s->m, changes, count);
    }
    pqt_pin *pin = pqt_tree_pin(tree, &error);
    require(pin != NULL, "an operation under collections", error.text);
    return pin;
}

static void
operate_under_collections(stage *s, size_t every)
{
    size_t operations = test_scaled(COLLECTED_OPERATIONS);
    kept *all = calloc(operations + 1, sizeof *all);
    hooks watch = {.collect_every = every, .memory = pqt_collector()};
    pqt_error error = {0};
    all[0] = (kept){pqt_tree_pin(s->tree, &error), model_copy(&s->m)};
    s->tree = NULL;
    for (size_t i = 0; i < operations; i++) {
        hooks_start(&watch);
        all[i + 1].pin = next_version(s, pqt_pin_get_tree(all[i].pin), i);
        hooks_stop();
        all[i + 1].m = model_copy(&s->m);
    }
    for (size_t i = 0; i <= operations; i++) {
        expect_version(&all[i].m, pqt_pin_get_tree(all[i].pin), "an old version after collections");
        pqt_unpin(&all[i].pin);
        model_free(&all[i].m);
    }
    free(all);
}

START_TEST(a_collection_at_each_allocation_loses_nothing)
{
    uint64_t seed = test_seed("a_collection_at_each_allocation_loses_nothing");
    for (size_t i = 0; i < 4 && pqt_collector() != NULL; i++) {
        stage s = stage_make(seed + i, pqt_collector(), NULL, i % 2 == 0);
        operate_under_collections(&s, i < 2 ? 1 : 3);
        model_free(&s.m);
    }
}
END_TEST

/* Makes each call separately. Only the stack refers to its result until it is pinned. */
START_TEST(no_call_loses_its_result_to_a_collection)
{
    uint64_t seed = test_seed("no_call_loses_its_result_to_a_collection");
    pqt_memory *arena = make_arena(0);
    for (size_t i = 0; i < 2 * CALLS && pqt_collector() != NULL; i++) {
        const call *c = &calls[i / 2];
        pqt_memory *home = strncmp(c->name, "copy", 4) == 0 ? arena : pqt_collector();
        stage s = stage_make(seed + i, home, pqt_collector(), i % 2 == 0);
        hooks watch = {.collect_every = 1, .memory = pqt_collector()};
        pqt_error error = {0};
        if (!c->needs_unique || i % 2 == 0) {
            hooks_start(&watch);
            pqt_pin *pin = pqt_tree_pin(c->make(&s, &error), &error);
            hooks_stop();
            require(pin != NULL, c->name, error.text);
            model after = model_copy(&s.m);
            c->model(&s, &after);
            expect_version(&after, pqt_pin_get_tree(pin), c->name);
            model_free(&after);
            pqt_unpin(&pin);
        }
        model_free(&s.m);
    }
    pqt_arena_destroy(&arena);
}
END_TEST

/* Until the last copy is made, only the copying function refers to the copies. */
START_TEST(copying_many_versions_loses_none_to_a_collection)
{
    uint64_t seed = test_seed("copying_many_versions_loses_none_to_a_collection");
    pqt_memory *arena = make_arena(0);
    ck_assert(pqt_init(NULL));
    for (size_t round = 0; round < 3 && pqt_collector() != NULL; round++) {
        stage s = stage_make(seed + round, arena, pqt_collector(), round % 2 == 0);
        const pqt_tree **olds = calloc(KEPT, sizeof *olds);
        const pqt_tree **copies = pqti_alloc_list(pqt_collector(), (KEPT + 2) * sizeof *copies);
        model *models = calloc(KEPT, sizeof *models);
        hooks watch = {.collect_every = 1, .memory = pqt_collector()};
        pqt_error error = {0};
        for (size_t i = 0; i < KEPT; i++) {
            pqt_change change = draw_change(&s);
            model_apply(&s.m, &change, 1);
            olds[i] = s.tree = pqt_tree_apply(s.tree, &change, 1, &error);
            models[i] = model_copy(&s.m);
        }
        hooks_start(&watch);
        bool copied = pqt_tree_copy_all(olds, KEPT, pqt_collector(), copies, &error);
        hooks_stop();
        require(copied, "copy_all", error.text);
        for (size_t i = 0; i < KEPT; i++) {
            expect_version(&models[i], copies[i], "a copy after collections");
            model_free(&models[i]);
        }
        free(models);
        free(olds);
        model_free(&s.m);
    }
    pqt_arena_destroy(&arena);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("hostile");
    TCase *failing = tcase_create("failing");
    TCase *collecting = tcase_create("collecting");
    tcase_add_test(failing, a_failed_allocation_leaves_the_old_version_alone);
    tcase_add_loop_test(failing,
                        a_failed_allocation_among_large_leaves_leaves_the_old_version_alone, 0, 2);
    tcase_add_test(failing, a_failed_allocation_in_the_collector_leaves_the_old_version_alone);
    tcase_add_test(failing, a_failed_pin_is_reported);
    tcase_add_test(failing, failing_to_copy_several_writes_no_copy);
    tcase_add_loop_test(failing, a_copy_whose_table_cannot_grow_leaves_the_old_version_alone, 0, 2);
    tcase_add_test(failing, a_full_arena_keeps_what_it_holds);
    tcase_add_test(collecting, a_collection_at_each_allocation_loses_nothing);
    tcase_add_test(collecting, no_call_loses_its_result_to_a_collection);
    tcase_add_test(collecting, copying_many_versions_loses_none_to_a_collection);
    suite_add_tcase(suite, failing);
    suite_add_tcase(suite, collecting);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
