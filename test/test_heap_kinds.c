/* SPDX-License-Identifier: MIT */
/*
 * test_heap_kinds.c: tests versions of every kind in heaps, with a slice of a cycle at each
 * allocation.
 *
 * Each test makes the same random edits in a heap and in an arena, which frees nothing, and
 * compares the versions. An edit runs in a scope, and a cycle begins at its first allocation.
 * Between two edits, the heap runs a full cycle or a slice.
 */
#include "config.h"

#include <pqt.h>

#include <stdio.h>
#include <string.h>

#include "hooks.h"
#include "memory/heap_internal.h"
#include "random.h"
#include "suite.h"

static const pqt_box bounds = {{0, 0}, {1000, 1000}};
enum { IDS = 200, KEPT = 8 };

/* The kinds of versions, with their typed functions. */
typedef struct kind {
    const char *name;
    const void *(*make)(pqt_memory *memory, pqt_error *error);
    const void *(*edit)(const void *version, dice *d, pqt_error *error);
    bool (*equals)(const void *a, const void *b);
    bool (*check)(const void *version, pqt_error *error);
    pqt_pin *(*pin)(const void *version, pqt_error *error);
    const void *(*pinned)(const pqt_pin *pin);
    const pqt_history_kind *(*history)(void);
    pqt_head *(*head_make)(const void *first, pqt_error *error);
    bool (*head_publish)(pqt_head *head, const void *next, pqt_error *error);
    pqt_pin *(*head_pin)(const pqt_head *head, pqt_error *error);
    const void *(*head_load)(const pqt_head *head);
} kind;

/* ---- Edits ---- */

static const void *
make_tree(pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    options.unique_ids = true;
    options.leaf_capacity = 4;
    return pqt_tree_make(bounds, &options, error);
}

static pqt_item
draw_item(dice *d)
{
    const uint64_t id = dice_below(d, IDS);
    const double x = dice_real(d) * 990, y = dice_real(d) * 990;
    return (pqt_item){{{x, y}, {x + 5, y + 5}}, id};
}

static const void *
edit_tree(const void *version, dice *d, pqt_error *error)
{
    pqt_item items[20];
    const pqt_item item = draw_item(d);
    switch (dice_below(d, 4)) {
    case 0:
        return pqt_tree_remove_id(version, item.id, error);
    case 1:
        for (size_t i = 0; i < 20; i++)
            items[i] = draw_item(d);
        return pqt_tree_insert_all(version, items, 20, error);
    case 2:
        if (pqt_tree_find(version, item.id, &items[0]))
            return pqt_tree_move_id(version, item.id, item.box, error);
        break;
    default:
        break;
    }
    return pqt_tree_insert(version, item, error);
}

static const void *
make_map(pqt_memory *memory, pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    options.values = PQT_MAP_BYTE_VALUES;
    return pqt_map_make(&options, error);
}

static const void *
edit_map(const void *version, dice *d, pqt_error *error)
{
    const pqt_map_key key = pqt_map_id(dice_below(d, IDS));
    char text[40];
    snprintf(text, sizeof text, "%*d", (int)dice_below(d, 35), (int)dice_below(d, 1000));
    return dice_chance(d, 30)
               ? pqt_map_remove(version, key, error)
               : pqt_map_insert(version, key, pqt_map_bytes(text, strlen(text)), error);
}

static const void *
make_region(pqt_memory *memory, pqt_error *error)
{
    return pqt_region_make(memory, error);
}

static const void *
edit_region(const void *version, dice *d, pqt_error *error)
{
    const pqt_vec at = {dice_real(d) * 600 - 300, dice_real(d) * 600 - 300};
    const pqt_paint_op op = dice_chance(d, 60) ? PQT_PAINT_SET : PQT_PAINT_CLEAR;
    const pqt_pixel offset = {(int32_t)dice_below(d, 100), -3};
    const uint64_t what = dice_below(d, 12);
    if (what == 0)
        return pqt_region_xor(version, version, offset, error);
    if (what == 1)
        return pqt_region_crop(version, (pqt_pixel_box){{-300, -300}, {300, 300}}, error);
    if (what == 2)
        return pqt_region_intern(version, error);
    return pqt_region_paint(version, pqt_paint_disc(op, at, 1 + dice_real(d) * 60), error);
}

static const void *
make_world(pqt_memory *memory, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    options.walls = true;
    return pqt_world_make(bounds, &options, error);
}

static const void *
edit_world(const void *version, dice *d, pqt_error *error)
{
    const uint64_t id = dice_below(d, 40);
    const pqt_body body = {.id = id,
                           .position = {20 + (double)(id % 8) * 100, 20 + (double)(id / 8) * 100},
                           .velocity = {dice_real(d) * 100 - 50, dice_real(d) * 100 - 50},
                           .radius = 5,
                           .angle = (double)(id % 3),
                           .angular_velocity = (double)(id % 2)};
    const uint64_t what = dice_below(d, 3);
    pqt_body found;
    const bool is_there = pqt_world_find(version, id, &found);
    if (what == 0 && is_there)
        return pqt_world_remove(version, id, error);
    if (what == 1 && !is_there)
        return pqt_world_add(version, body, error);
    return pqt_world_step(version, 0.02, NULL, error);
}

static const void *
make_document(pqt_memory *memory, pqt_error *error)
{
    const pqt_part parts[] = {{"names", PQT_PART_MAP, make_map(memory, error), "shapes"},
                              {"shapes", PQT_PART_TREE, make_tree(memory, error), NULL},
                              {"mask", PQT_PART_REGION, make_region(memory, error), NULL},
                              {"balls", PQT_PART_WORLD, make_world(memory, error), NULL}};
    return pqt_document_make(parts, 4, error);
}

/* Returns the name of an item of a document. */
static const void *
edit_names(const pqt_document *document, dice *d, pqt_error *error)
{
    const pqt_map_key key = pqt_map_id(dice_below(d, IDS));
    pqt_item item;
    const pqt_map *names = pqt_document_map(document, "names");
    names = pqt_tree_find(pqt_document_tree(document, "shapes"), key.id, &item)
                ? pqt_map_insert(names, key, pqt_map_bytes("a name", dice_below(d, 7)), error)
                : names;
    return pqt_document_set_map(document, "names", names, error);
}

static const void *
edit_document(const void *version, dice *d, pqt_error *error)
{
    switch (dice_below(d, 4)) {
    case 0:
        return pqt_document_set_tree(
            version, "shapes", edit_tree(pqt_document_tree(version, "shapes"), d, error), error);
    case 1:
        return pqt_document_set_region(
            version, "mask", edit_region(pqt_document_region(version, "mask"), d, error), error);
    case 2:
        return pqt_document_set_world(
            version, "balls", edit_world(pqt_document_world(version, "balls"), d, error), error);
    default:
        return edit_names(version, d, error);
    }
}

/* ---- Kinds ---- */

/* Defines the functions of a kind. `of` is the suffix of its functions for heads. */
#define DEFINE_KIND(noun, of)                                                                      \
    static bool equals_##noun(const void *a, const void *b)                                        \
    {                                                                                              \
        return pqt_##noun##_equals(a, b);                                                          \
    }                                                                                              \
    static bool check_##noun(const void *version, pqt_error *error)                                \
    {                                                                                              \
        return pqt_##noun##_check(version, error);                                                 \
    }                                                                                              \
    static pqt_pin *pin_##noun(const void *version, pqt_error *error)                              \
    {                                                                                              \
        return pqt_##noun##_pin(version, error);                                                   \
    }                                                                                              \
    static const void *pinned_##noun(const pqt_pin *pin)                                           \
    {                                                                                              \
        return pqt_pin_get_##noun(pin);                                                            \
    }                                                                                              \
    static pqt_head *head_make_##noun(const void *first, pqt_error *error)                         \
    {                                                                                              \
        return pqt_head_make##of(first, error);                                                    \
    }                                                                                              \
    static bool head_publish_##noun(pqt_head *head, const void *next, pqt_error *error)            \
    {                                                                                              \
        return pqt_head_publish##of(head, next, error);                                            \
    }                                                                                              \
    static pqt_pin *head_pin_##noun(const pqt_head *head, pqt_error *error)                        \
    {                                                                                              \
        return pqt_head_pin##of(head, NULL, error);                                                \
    }                                                                                              \
    static const void *head_load_##noun(const pqt_head *head)                                      \
    {                                                                                              \
        return pqt_head_load##of(head, NULL);                                                      \
    }

#define LIST_KIND(noun)                                                                            \
    {                                                                                              \
#noun, make_##noun, edit_##noun, equals_##noun, check_##noun, pin_##noun, pinned_##noun,   \
            pqt_history_##noun##s, head_make_##noun, head_publish_##noun, head_pin_##noun,         \
            head_load_##noun                                                                       \
    }

DEFINE_KIND(tree, )
DEFINE_KIND(map, _map)
DEFINE_KIND(region, _region)
DEFINE_KIND(world, _world)
DEFINE_KIND(document, _document)

static const kind kinds[] = {LIST_KIND(tree), LIST_KIND(map), LIST_KIND(region), LIST_KIND(world),
                             LIST_KIND(document)};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- Slices ---- */

enum { LEAST_EDITS = 60 }; /* the minimum number of edits of a run, for any PQT_TEST_SCALE */

/* A run of one kind: the same edits in a heap and in an arena. */
typedef struct run {
    const kind *of;
    pqt_memory *heap, *arena;
    dice edits, twin_edits, choices;
    bool has_full_cycles; /* if set, full cycles run at the safe points, otherwise slices */
    hooks watch;
    size_t slices;
} run;

/* Starts test i, which uses kind i modulo KINDS. The first KINDS tests run full cycles at the safe
 * points, and the others run slices. */
static run
start(int i, const char *name)
{
    pqt_error error = {0};
    const uint64_t seed = test_seed(name) + (uint64_t)i;
    run r = {.of = &kinds[i % KINDS],
             .heap = pqt_heap_make(NULL, &error),
             .arena = pqt_arena_make(0, &error),
             .edits = {seed},
             .twin_edits = {seed},
             .choices = {seed ^ 77},
             .has_full_cycles = i < KINDS};
    ck_assert_msg(r.heap != NULL && r.arena != NULL, "%s", error.text);
    return r;
}

static void
finish_run(run *r)
{
    ck_assert_uint_ge(r->slices, LEAST_EDITS);
    ck_assert_uint_ge(pqt_memory_get_stats(r->heap).collections, 3);
    ck_assert(pqt_memory_reclaim(r->heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(pqt_memory_get_stats(r->heap).used_bytes, 0);
    pqt_heap_destroy(&r->heap);
    pqt_arena_destroy(&r->arena);
}

/* Opens a scope in which each allocation runs a slice. The first allocation begins a cycle if none
 * is open. */
static void
enter(run *r)
{
    pqti_heap *inside = (pqti_heap *)r->heap;
    ck_assert(pqt_scope_begin(r->heap, NULL));
    pthread_mutex_lock(&inside->lock);
    inside->bytes_since_cycle = SIZE_MAX / 2;
    pthread_mutex_unlock(&inside->lock);
    r->watch =
        (hooks){.collect_every = 1, .slice = 1 + dice_below(&r->choices, 40), .memory = r->heap};
    hooks_start(&r->watch);
}

/* Ends the scope, and calls a safe point. */
static void
leave(run *r)
{
    hooks_stop();
    r->slices += r->watch.collections;
    pqt_scope_end(r->heap);
    if (r->has_full_cycles)
        ck_assert(pqt_memory_reclaim(r->heap, PQT_RECLAIM_ALL));
    else
        pqt_memory_reclaim(r->heap, dice_below(&r->choices, 300));
}

static const void *
edit_in_heap(run *r, const void *version)
{
    pqt_error error = {0};
    const void *next = r->of->edit(version, &r->edits, &error);
    ck_assert_msg(next != NULL, "%s: %s", r->of->name, error.text);
    return next;
}

static const void *
edit_twin(run *r, const void *version)
{
    pqt_error error = {0};
    const void *next = r->of->edit(version, &r->twin_edits, &error);
    ck_assert_msg(next != NULL, "%s: %s", r->of->name, error.text);
    return next;
}

static void
expect_equal(const run *r, const void *version, const void *twin)
{
    pqt_error error = {0};
    ck_assert_msg(r->of->check(version, &error), "%s: %s", r->of->name, error.text);
    ck_assert_msg(r->of->equals(version, twin), "%s", r->of->name);
}

/* Versions are made from pinned ones. Pins are made and freed. */
START_TEST(a_slice_at_each_allocation_loses_no_version_of_a_pin)
{
    pqt_error error = {0};
    run r = start(_i, "a_slice_at_each_allocation_loses_no_version_of_a_pin");
    pqt_pin *pins[KEPT];
    const void *twins[KEPT];
    for (size_t k = 0; k < KEPT; k++) {
        pins[k] = r.of->pin(r.of->make(r.heap, &error), &error);
        twins[k] = r.of->make(r.arena, &error);
    }
    for (size_t i = 0; i < LEAST_EDITS + test_scaled(400); i++) {
        const size_t from = dice_below(&r.choices, KEPT), to = dice_below(&r.choices, KEPT);
        enter(&r);
        pqt_pin *next = r.of->pin(edit_in_heap(&r, r.of->pinned(pins[from])), &error);
        leave(&r);
        ck_assert_msg(next != NULL, "%s", error.text);
        twins[to] = edit_twin(&r, twins[from]);
        pqt_unpin(&pins[to]);
        pins[to] = next;
        expect_equal(&r, r.of->pinned(pins[to]), twins[to]);
        expect_equal(&r, r.of->pinned(pins[from]), twins[from]);
    }
    for (size_t k = 0; k < KEPT; k++) {
        expect_equal(&r, r.of->pinned(pins[k]), twins[k]);
        pqt_unpin(&pins[k]);
    }
    finish_run(&r);
}
END_TEST

/* Compares the versions of a history and of its twin, from the current entry back to the first. */
static void
expect_equal_histories(const run *r, pqt_history *history, pqt_history *twin)
{
    bool more, twin_has_more;
    do {
        expect_equal(r, pqt_history_value(history), pqt_history_value(twin));
        more = pqt_history_undo(history);
        twin_has_more = pqt_history_undo(twin);
        ck_assert(more == twin_has_more);
    } while (more);
}

START_TEST(a_slice_at_each_allocation_loses_no_version_of_a_history)
{
    pqt_error error = {0};
    run r = start(_i, "a_slice_at_each_allocation_loses_no_version_of_a_history");
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = 30;
    options.indexed = r.of->history == pqt_history_trees;
    pqt_history *history =
        pqt_history_make(r.of->history(), r.of->make(r.heap, &error), &options, &error);
    pqt_history *twin =
        pqt_history_make(r.of->history(), r.of->make(r.arena, &error), &options, &error);
    ck_assert_msg(history != NULL && twin != NULL, "%s", error.text);
    for (size_t i = 0; i < LEAST_EDITS + test_scaled(300); i++) {
        const pqt_history_entry_info info = {.label = "edit"};
        const uint64_t what = dice_below(&r.choices, 10);
        enter(&r);
        if (what == 0)
            pqt_history_undo(history);
        else if (what == 1)
            pqt_history_redo(history);
        else
            ck_assert(pqt_history_push(history, edit_in_heap(&r, pqt_history_value(history)), &info,
                                       &error));
        leave(&r);
        if (what == 0)
            pqt_history_undo(twin);
        else if (what == 1)
            pqt_history_redo(twin);
        else
            ck_assert(
                pqt_history_push(twin, edit_twin(&r, pqt_history_value(twin)), &info, &error));
        expect_equal(&r, pqt_history_value(history), pqt_history_value(twin));
    }
    expect_equal_histories(&r, history, twin);
    pqt_history_destroy(&history);
    pqt_history_destroy(&twin);
    finish_run(&r);
}
END_TEST

START_TEST(a_slice_at_each_allocation_loses_no_version_of_a_head)
{
    pqt_error error = {0};
    run r = start(_i, "a_slice_at_each_allocation_loses_no_version_of_a_head");
    pqt_head *head = r.of->head_make(r.of->make(r.heap, &error), &error);
    ck_assert_msg(head != NULL, "%s", error.text);
    const void *twin = r.of->make(r.arena, &error), *old_twin = twin;
    pqt_pin *old = r.of->head_pin(head, &error);
    for (size_t i = 0; i < LEAST_EDITS + test_scaled(400); i++) {
        enter(&r);
        const void *next = edit_in_heap(&r, r.of->head_load(head));
        ck_assert(r.of->head_publish(head, next, &error));
        pqt_pin *pin = r.of->head_pin(head, &error);
        leave(&r);
        twin = edit_twin(&r, twin);
        expect_equal(&r, r.of->pinned(pin), twin);
        expect_equal(&r, r.of->pinned(old), old_twin);
        if (i % 8 == 0) {
            pqt_unpin(&old);
            old = pin;
            old_twin = twin;
        } else {
            pqt_unpin(&pin);
        }
    }
    pqt_unpin(&old);
    old = r.of->head_pin(head, &error);
    expect_equal(&r, r.of->pinned(old), twin);
    pqt_unpin(&old);
    pqt_head_destroy(&head);
    finish_run(&r);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("heap_kinds");
    TCase *tests = tcase_create("slices");
    tcase_add_loop_test(tests, a_slice_at_each_allocation_loses_no_version_of_a_pin, 0, 2 * KINDS);
    tcase_add_loop_test(tests, a_slice_at_each_allocation_loses_no_version_of_a_history, 0,
                        2 * KINDS);
    tcase_add_loop_test(tests, a_slice_at_each_allocation_loses_no_version_of_a_head, 0, 2 * KINDS);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
