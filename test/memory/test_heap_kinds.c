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
#include <pqt/pixels.h>
#include <pqt/worlds.h>

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
    pqt_kind kind;
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
    const pqt_part parts[] = {
        {"names", PQT_KIND_MAP, make_map(memory, error), "shapes"},
        {"shapes", PQT_KIND_TREE, make_tree(memory, error), NULL},
#if PQT_WITH_PIXELS
        {"mask", PQT_KIND_REGION, make_region(memory, error), NULL},
#endif
#if PQT_WITH_WORLDS
        {"balls", PQT_KIND_WORLD, make_world(memory, error), NULL},
#endif
    };
    return pqt_document_make(parts, sizeof parts / sizeof *parts, error);
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
    switch (dice_below(d, 2 + PQT_WITH_PIXELS + PQT_WITH_WORLDS)) {
    case 0:
        return pqt_document_set_tree(
            version, "shapes", edit_tree(pqt_document_tree(version, "shapes"), d, error), error);
    case 1:
        return edit_names(version, d, error);
    case 2:
        return pqt_document_set_region(
            version, "mask", edit_region(pqt_document_region(version, "mask"), d, error), error);
    default:
        return pqt_document_set_world(
            version, "balls", edit_world(pqt_document_world(version, "balls"), d, error), error);
    }
}

/* ---- Kinds ---- */

/* Defines the functions of a kind. */
#define DEFINE_KIND(noun)                                                                          \
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
    }

#define LIST_KIND(noun, KIND)                                                                      \
    {                                                                                              \
#noun, make_##noun, edit_##noun, equals_##noun, check_##noun, pin_##noun, pinned_##noun,   \
            PQT_KIND_##KIND                                                                        \
    }

DEFINE_KIND(tree)
DEFINE_KIND(map)
DEFINE_KIND(region)
DEFINE_KIND(world)
DEFINE_KIND(document)

static const kind kinds[] = {LIST_KIND(tree, TREE), LIST_KIND(map, MAP),
                             LIST_KIND(document, DOCUMENT), LIST_KIND(region, REGION),
                             LIST_KIND(world, WORLD)};

/* The number of kinds in the build. */
enum { KINDS = 3 + PQT_WITH_PIXELS + PQT_WITH_WORLDS };

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
    options.indexed = r.of->kind == PQT_KIND_TREE;
    pqt_history *history = pqt_history_make(pqt_history_kind_of(r.of->kind),
                                            r.of->make(r.heap, &error), &options, &error);
    pqt_history *twin = pqt_history_make(pqt_history_kind_of(r.of->kind),
                                         r.of->make(r.arena, &error), &options, &error);
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
    pqt_head *head = pqt_head_make(r.of->make(r.heap, &error), &error);
    ck_assert_msg(head != NULL, "%s", error.text);
    const void *twin = r.of->make(r.arena, &error), *old_twin = twin;
    pqt_pin *old = pqt_head_pin(head, NULL, &error);
    for (size_t i = 0; i < LEAST_EDITS + test_scaled(400); i++) {
        enter(&r);
        const void *next = edit_in_heap(&r, pqt_head_load(head, NULL));
        ck_assert(pqt_head_publish(head, next, &error));
        pqt_pin *pin = pqt_head_pin(head, NULL, &error);
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
    old = pqt_head_pin(head, NULL, &error);
    expect_equal(&r, r.of->pinned(old), twin);
    pqt_unpin(&old);
    pqt_head_destroy(&head);
    finish_run(&r);
}
END_TEST

/* ---- Between two slices ---- */

/*
 * Holders of all kinds in one heap, with slices of a few blocks between all changes: holders are
 * made, replaced and destroyed in each phase of a cycle, and while the cycle is reading each of
 * them. The twin of each holder is in an arena.
 */

enum { HELD = 24, BORROWED = 6, RECORDED_STEPS = 5, MOST_ENTRIES = 20 };

typedef enum holding { BY_NOTHING, BY_PIN, BY_HEAD, BY_HISTORY, BY_RECORDING, HOLDINGS } holding;

typedef struct held {
    holding by;
    const kind *of;
    pqt_pin *pin;
    pqt_head *head;
    pqt_history *history, *twin_history;
    pqt_recording *recording, *twin_recording;
    const void *twin; /* of the version of a pin or a head */
} held;

/* A version that only a scope keeps, after a holder has lost it. */
typedef struct borrowed {
    const kind *of;
    const void *version, *twin;
} borrowed;

typedef struct cabinet {
    pqt_memory *heap, *arena;
    dice d;
    held all[HELD];
    borrowed loans[BORROWED];
    size_t loan_count;
    bool is_in_scope;
    size_t made[HOLDINGS], changes;
} cabinet;

static void
expect_twins(const kind *of, const void *version, const void *twin)
{
    const run r = {.of = of};
    expect_equal(&r, version, twin);
}

static void
slice(cabinet *s)
{
    pqti_heap *inside = (pqti_heap *)s->heap;
    pthread_mutex_lock(&inside->lock);
    inside->bytes_since_cycle = SIZE_MAX / 2; /* so that a cycle begins */
    pthread_mutex_unlock(&inside->lock);
    pqt_memory_reclaim(s->heap, 1 + dice_below(&s->d, dice_chance(&s->d, 10) ? 400 : 40));
}

/* Sets the version that a holder gives now, and its twin. The caller is in a scope. */
static void
read_held(const held *h, const void **version, const void **twin)
{
    *twin = h->twin;
    *version = NULL;
    if (h->by == BY_PIN) {
        *version = h->of->pinned(h->pin);
    } else if (h->by == BY_HEAD) {
        *version = pqt_head_load(h->head, NULL);
    } else if (h->by == BY_HISTORY) {
        *version = pqt_history_value(h->history);
        *twin = pqt_history_value(h->twin_history);
    } else if (h->by == BY_RECORDING) {
        *version = pqt_recording_at(h->recording, 0, NULL);
        *twin = pqt_recording_at(h->twin_recording, 0, NULL);
    }
}

/* Compares an entry with the one of the twin that has the same number. */
static bool
compares_with_twin(const pqt_history_entry *entry, void *context)
{
    const held *h = context;
    pqt_history_entry twin;
    ck_assert(pqt_history_get_entry(h->twin_history, entry->number, &twin));
    ck_assert_str_eq(entry->label, twin.label);
    ck_assert_str_eq(entry->name != NULL ? entry->name : "", twin.name != NULL ? twin.name : "");
    expect_twins(h->of, entry->value, twin.value);
    return true;
}

static void
expect_recorded(const held *h)
{
    const size_t last = pqt_recording_last(h->twin_recording);
    ck_assert_uint_eq(pqt_recording_last(h->recording), last);
    for (size_t step = 0; step <= last; step++)
        expect_twins(h->of, pqt_recording_at(h->recording, step, NULL),
                     pqt_recording_at(h->twin_recording, step, NULL));
}

/* Compares everything that a holder keeps with its twin. */
static void
expect_held(cabinet *s, held *h)
{
    const void *version, *twin;
    ck_assert(pqt_scope_begin(s->heap, NULL));
    read_held(h, &version, &twin);
    if (h->by != BY_NOTHING)
        expect_twins(h->of, version, twin);
    if (h->by == BY_HISTORY) {
        ck_assert(pqt_history_visit(h->history, compares_with_twin, h));
        ck_assert_uint_eq(pqt_history_get_stats(h->history).entries,
                          pqt_history_get_stats(h->twin_history).entries);
    } else if (h->by == BY_RECORDING) {
        expect_recorded(h);
    }
    pqt_scope_end(s->heap);
}

static void
release_held(cabinet *s, held *h)
{
    expect_held(s, h);
    pqt_unpin(&h->pin);
    pqt_head_destroy(&h->head);
    pqt_history_destroy(&h->history);
    pqt_history_destroy(&h->twin_history);
    if (PQT_WITH_WORLDS) {
        pqt_recording_destroy(&h->recording);
        pqt_recording_destroy(&h->twin_recording);
    }
    *h = (held){.by = BY_NOTHING};
}

/* Makes a holder of a version. The caller is in a scope. */
static void
hold(cabinet *s, held *h, const kind *of, const void *version, const void *twin)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = of->kind == PQT_KIND_TREE && dice_chance(&s->d, 50);
    options.max_entries = dice_chance(&s->d, 50) ? MOST_ENTRIES : 0;
    options.label = "the first";
    const size_t holdings = of->make == make_world ? HOLDINGS : BY_RECORDING;
    *h = (held){.of = of, .by = (holding)(1 + dice_below(&s->d, holdings - 1)), .twin = twin};
    s->made[h->by]++;
    if (h->by == BY_PIN)
        h->pin = of->pin(version, NULL);
    else if (h->by == BY_HEAD)
        h->head = pqt_head_make(version, NULL);
    else if (h->by == BY_HISTORY)
        h->history = pqt_history_make(pqt_history_kind_of(of->kind), version, &options, NULL);
    else
        h->recording = pqt_recording_make(version, 0.02, NULL, 2, NULL);
    if (h->by == BY_HISTORY)
        h->twin_history = pqt_history_make(pqt_history_kind_of(of->kind), twin, &options, NULL);
    if (h->by == BY_RECORDING)
        h->twin_recording = pqt_recording_make(twin, 0.02, NULL, 2, NULL);
    ck_assert(h->pin != NULL || h->head != NULL || h->recording != NULL || h->history != NULL);
}

/* Replaces a version and its twin by borrowed ones of the same kind, if there are any. */
static bool
take_loan(const cabinet *s, const kind *of, const void **version, const void **twin)
{
    for (size_t i = 0; i < s->loan_count; i++) {
        if (s->loans[i].of != of)
            continue;
        *version = s->loans[i].version;
        *twin = s->loans[i].twin;
        return true;
    }
    return false;
}

/* Makes the same edit of a version and of its twin. */
static void
edit_both(cabinet *s, const kind *of, const void **version, const void **twin)
{
    dice again = s->d;
    *version = of->edit(*version, &s->d, NULL);
    *twin = of->edit(*twin, &again, NULL);
    ck_assert(*version != NULL && *twin != NULL);
}

/* Changes the entries of a history in a way that adds none. */
static void
change_entries(cabinet *s, held *h)
{
    pqt_history *const both[] = {h->history, h->twin_history};
    const size_t what = dice_below(&s->d, 9), recent = dice_below(&s->d, 40);
    const uint64_t entry = dice_below(&s->d, pqt_history_current(h->history) + 1);
    char name[24];
    snprintf(name, sizeof name, "change %zu", s->changes);
    for (int i = 0; i < 2; i++) {
        if (what == 0)
            (void)pqt_history_undo(both[i]);
        else if (what == 1)
            (void)pqt_history_redo(both[i]);
        else if (what == 2)
            (void)pqt_history_set_name(both[i], entry, NULL, NULL);
        else if (what == 3 || what == 4)
            (void)pqt_history_drop(both[i], entry, NULL);
        else if (what < 8)
            (void)pqt_history_set_name(both[i], entry, name, NULL);
        else
            ck_assert(pqt_history_thin(both[i], recent, NULL));
    }
}

/* Replaces the version of a holder, or adds one to it. The caller is in a scope. */
static void
replace_held(cabinet *s, held *h)
{
    const void *version, *twin;
    char label[24];
    snprintf(label, sizeof label, "replaced %zu", s->changes);
    const pqt_history_entry_info info = {.label = label, .key = dice_below(&s->d, 3)};
    if (h->by == BY_RECORDING) {
        if (pqt_recording_last(h->recording) < RECORDED_STEPS) {
            ck_assert_ptr_nonnull(pqt_recording_step(h->recording, NULL, NULL));
            ck_assert_ptr_nonnull(pqt_recording_step(h->twin_recording, NULL, NULL));
        }
        return;
    }
    read_held(h, &version, &twin);
    if (dice_chance(&s->d, 50) || !take_loan(s, h->of, &version, &twin))
        edit_both(s, h->of, &version, &twin);
    h->twin = twin;
    if (h->by == BY_PIN) {
        pqt_unpin(&h->pin);
        h->pin = h->of->pin(version, NULL);
        ck_assert_ptr_nonnull(h->pin);
    } else if (h->by == BY_HEAD) {
        ck_assert(pqt_head_publish(h->head, version, NULL));
    } else {
        ck_assert(pqt_history_push(h->history, version, &info, NULL));
        ck_assert(pqt_history_push(h->twin_history, twin, &info, NULL));
    }
}

/* Borrows a version of a holder until the scope ends. */
static void
borrow(cabinet *s, const held *h)
{
    if (s->loan_count == BORROWED || h->by == BY_NOTHING)
        return;
    borrowed *loan = &s->loans[s->loan_count++];
    loan->of = h->of;
    read_held(h, &loan->version, &loan->twin);
}

static void
enter_scope(cabinet *s)
{
    ck_assert(pqt_scope_begin(s->heap, NULL));
    s->is_in_scope = true;
    s->loan_count = 0;
}

/* Ends the scope. Some of the borrowed versions get holders just before. */
static void
leave_scope(cabinet *s)
{
    for (size_t i = 0; i < s->loan_count; i++) {
        const borrowed *loan = &s->loans[i];
        held *h = &s->all[dice_below(&s->d, HELD)];
        expect_twins(loan->of, loan->version, loan->twin);
        if (dice_chance(&s->d, 30)) {
            release_held(s, h);
            hold(s, h, loan->of, loan->version, loan->twin);
        }
    }
    s->loan_count = 0;
    s->is_in_scope = false;
    pqt_scope_end(s->heap);
}

/* Makes a holder from a version of another one. */
static void
derive(cabinet *s, held *h, const held *from)
{
    const void *version, *twin;
    if (from->by == BY_NOTHING)
        return;
    const kind *of = from->of;
    read_held(from, &version, &twin);
    if (dice_chance(&s->d, 70))
        edit_both(s, of, &version, &twin);
    if (h->by != BY_NOTHING && h != from)
        release_held(s, h);
    if (h != from)
        hold(s, h, of, version, twin);
}

static void
change_one(cabinet *s)
{
    held *h = &s->all[dice_below(&s->d, HELD)];
    const size_t what = dice_below(&s->d, 100);
    ck_assert(pqt_scope_begin(s->heap, NULL));
    if (h->by == BY_NOTHING && what < 5) {
        const kind *of = &kinds[dice_below(&s->d, KINDS)];
        hold(s, h, of, of->make(s->heap, NULL), of->make(s->arena, NULL));
    } else if (what < 35) {
        derive(s, h, &s->all[dice_below(&s->d, HELD)]);
    } else if (what < 50) {
        release_held(s, h);
    } else if (what < 60 && h->by == BY_HISTORY) {
        change_entries(s, h);
    } else if (h->by != BY_NOTHING) {
        replace_held(s, h);
    }
    pqt_scope_end(s->heap);
}

static void
destroy_cabinet(cabinet *s)
{
    for (size_t i = 0; i < HELD; i++)
        release_held(s, &s->all[i]);
    ck_assert(pqt_memory_reclaim(s->heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(pqt_memory_get_stats(s->heap).used_bytes, 0);
    pqt_heap_destroy(&s->heap);
    pqt_arena_destroy(&s->arena);
}

START_TEST(holders_that_change_between_two_slices_lose_no_version)
{
    cabinet s = {.heap = pqt_heap_make(NULL, NULL), .arena = pqt_arena_make(0, NULL)};
    s.d.state = test_seed("holders_that_change_between_two_slices_lose_no_version") + (uint64_t)_i;
    for (size_t i = 0; i < KINDS; i++)
        hold(&s, &s.all[i], &kinds[i], kinds[i].make(s.heap, NULL), kinds[i].make(s.arena, NULL));
    for (s.changes = 0; s.changes < LEAST_EDITS + test_scaled(1200); s.changes++) {
        if (!s.is_in_scope && dice_chance(&s.d, 10))
            enter_scope(&s);
        else if (s.is_in_scope && dice_chance(&s.d, 15))
            leave_scope(&s);
        if (s.is_in_scope && dice_chance(&s.d, 40))
            borrow(&s, &s.all[dice_below(&s.d, HELD)]);
        change_one(&s);
        slice(&s);
        expect_held(&s, &s.all[dice_below(&s.d, HELD)]);
    }
    if (s.is_in_scope)
        leave_scope(&s);
    printf("# %zu changes in %llu cycles: %zu pins, %zu heads, %zu histories, %zu recordings\n",
           s.changes, (unsigned long long)pqt_memory_get_stats(s.heap).collections, s.made[BY_PIN],
           s.made[BY_HEAD], s.made[BY_HISTORY], s.made[BY_RECORDING]);
    destroy_cabinet(&s);
}
END_TEST

/* The cycle is reading a long history while its entries are added, replaced, named and dropped. A
   drop moves entries from the part that the cycle has not read to the part that it has read. */
START_TEST(entries_that_move_between_two_slices_keep_their_versions_and_texts)
{
    enum { ENTRIES = 60 };
    cabinet s = {.heap = pqt_heap_make(NULL, NULL), .arena = pqt_arena_make(0, NULL)};
    held *h = &s.all[0];
    const pqt_history_options options = PQT_HISTORY_DEFAULTS;
    s.d.state = test_seed("entries_that_move_between_two_slices_keep_their_versions_and_texts") +
                (uint64_t)_i;
    *h = (held){.by = BY_HISTORY, .of = &kinds[_i]};
    h->history = pqt_history_make(pqt_history_kind_of(h->of->kind), h->of->make(s.heap, NULL),
                                  &options, NULL);
    h->twin_history = pqt_history_make(pqt_history_kind_of(h->of->kind), h->of->make(s.arena, NULL),
                                       &options, NULL);
    for (s.changes = 0; s.changes < LEAST_EDITS + test_scaled(1500); s.changes++) {
        const size_t count = pqt_history_get_stats(h->history).entries;
        ck_assert(pqt_scope_begin(s.heap, NULL));
        if (count < 5 || (count < ENTRIES && dice_chance(&s.d, 70)))
            replace_held(&s, h);
        else
            change_entries(&s, h);
        pqt_scope_end(s.heap);
        slice(&s);
        if (s.changes % 25 == 0)
            expect_held(&s, h);
    }
    destroy_cabinet(&s);
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
    tcase_add_loop_test(tests, holders_that_change_between_two_slices_lose_no_version, 0, 4);
    tcase_add_loop_test(tests, entries_that_move_between_two_slices_keep_their_versions_and_texts,
                        0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
