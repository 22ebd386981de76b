/* SPDX-License-Identifier: MIT */
/*
 * test_heap_roots.c: tests what keeps versions in a heap: histories, kinds of the user, worlds,
 * recordings, heads, and calls whose callback reclaims.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include <stdatomic.h>
#include <string.h>

#include "heap_cycles.h"
#include "heap_support.h"
#include "random.h"
#include "suite.h"

/* Walks at random through the undo tree, with slices between all steps. */
static void
edit_with_undo(bool indexed, size_t max_entries)
{
    pqt_memory *heap = make_heap();
    dice d = {test_seed(indexed ? "indexed history" : "history")};
    pqt_history *history = make_history(make_full_tree(heap, 300, true), max_entries, indexed);
    for (size_t i = 0; i < test_scaled(4000); i++) {
        char label[32];
        snprintf(label, sizeof label, "edit %zu", i % 100);
        if (dice_chance(&d, 20))
            pqt_history_undo(history);
        else if (dice_chance(&d, 10))
            pqt_history_redo(history);
        else
            push(history, nudge(current_of(history), dice_below(&d, 300), 1e-3), label);
        if (dice_chance(&d, 5)) {
            snprintf(label, sizeof label, "name %zu", i);
            ck_assert(pqt_history_set_name(history, pqt_history_current(history), label, NULL));
        }
        pqt_memory_reclaim(heap, i % 500 == 0 ? PQT_RECLAIM_ALL : dice_below(&d, 200));
        if (i % 100 == 0)
            ck_assert(pqt_tree_check(current_of(history), NULL));
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 0);
    for (bool more = true; more; more = pqt_history_undo(history))
        ck_assert(pqt_tree_check(current_of(history), NULL));
    pqt_history_destroy(&history);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}

START_TEST(a_history_keeps_its_versions_labels_and_names)
{
    edit_with_undo(false, 0);
    edit_with_undo(false, 100);
    edit_with_undo(true, 100);
}
END_TEST

/* Each way to hold a version. The holders exist before the cycle, except those that are made. */
typedef enum way {
    PINS_IT,
    MAKES_A_HEAD,
    PUBLISHES,
    UPDATES,
    MAKES_A_HISTORY,
    PUSHES,
    REPLACES,
    WAYS
} way;

typedef struct keeper {
    pqt_pin *pin;
    pqt_head *head;
    pqt_history *history;
    const pqt_tree *given; /* the version that an update of the head publishes */
} keeper;

static const void *
give_tree(const void *now, void *context, pqt_error *error)
{
    (void)now;
    (void)error;
    return ((const keeper *)context)->given;
}

static const pqt_tree *
kept_tree(const keeper *k)
{
    return k->pin != NULL    ? pqt_pin_get_tree(k->pin)
           : k->head != NULL ? pqt_head_load(k->head, NULL)
                             : current_of(k->history);
}

static void
prepare_keeper(keeper *k, way by, const pqt_tree *first)
{
    *k = (keeper){.pin = NULL};
    if (by == PUBLISHES || by == UPDATES)
        k->head = pqt_head_make(first, NULL);
    if (by == PUSHES || by == REPLACES)
        k->history = make_history(first, 0, false);
    if (by == REPLACES)
        ck_assert(pqt_history_push(k->history, nudge(first, 0, 1),
                                   &(pqt_history_entry_info){.key = 3}, NULL));
}

static void
keep_tree(keeper *k, way by, const pqt_tree *tree)
{
    k->given = tree;
    if (by == PINS_IT)
        k->pin = pqt_tree_pin(tree, NULL);
    else if (by == MAKES_A_HEAD)
        k->head = pqt_head_make(tree, NULL);
    else if (by == PUBLISHES)
        ck_assert(pqt_head_publish(k->head, tree, NULL));
    else if (by == UPDATES)
        ck_assert(pqt_head_update(k->head, give_tree, k, NULL, NULL) == tree);
    else if (by == MAKES_A_HISTORY)
        k->history = make_history(tree, 0, false);
    else
        ck_assert(pqt_history_push(k->history, tree, &(pqt_history_entry_info){.key = 3}, NULL));
}

/* A version that only a scope keeps gets a holder when the cycle has scanned all other holders. _i
   is a way to hold it, and for each way, a phase. */
START_TEST(a_version_of_a_scope_may_get_a_holder_in_each_phase)
{
    static const pqti_heap_phase phases[] = {PQTI_STARTING, PQTI_MARKING, PQTI_WAITING};
    const way by = (way)(_i % WAYS);
    pqt_memory *heap = make_heap();
    pqt_pin *root = pqt_tree_pin(make_full_tree(heap, 2000, true), NULL);
    keeper k;
    prepare_keeper(&k, by, make_full_tree(heap, 10, true));
    ck_assert(pqt_scope_begin(heap, NULL));
    const pqt_tree *tree = make_full_tree(heap, 300, true);
    advance_to(heap, phases[_i / WAYS]);
    keep_tree(&k, by, tree);
    pqt_scope_end(heap);
    while (!pqt_memory_reclaim(heap, 1))
        ;
    ck_assert(pqt_scope_begin(heap, NULL));
    (void)make_full_tree(heap, 2000, true); /* would reuse the freed blocks */
    ck_assert(kept_tree(&k) == tree);
    ck_assert(pqt_tree_check(tree, NULL));
    ck_assert_uint_eq(pqt_tree_count(tree), 300);
    pqt_scope_end(heap);
    pqt_unpin(&root);
    pqt_unpin(&k.pin);
    pqt_head_destroy(&k.head);
    pqt_history_destroy(&k.history);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}

END_TEST

/* A value of a kind that the user defines: two trees. */
typedef struct layers {
    const pqt_tree *below, *above;
} layers;

static pqt_memory *
memory_of_layers(const void *value, void *context)
{
    (void)context;
    return pqt_tree_memory(((const layers *)value)->below);
}

static void
trace_layers(const void *value, pqt_hold_fn *hold, void *holder, void *context)
{
    const layers *of = value;
    (void)context;
    hold(of->below, holder);
    hold(of->above, holder);
}

START_TEST(a_kind_of_the_user_marks_its_versions)
{
    enum { VALUES = 100 };
    static layers values[VALUES];
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    const pqt_history_kind kind = {
        .size = sizeof kind, .name = "layers", .memory = memory_of_layers, .trace = trace_layers};
    values[0] = (layers){make_full_tree(heap, 100, true), make_full_tree(heap, 50, true)};
    pqt_history *history = pqt_history_make(&kind, &values[0], NULL, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    for (size_t i = 1; i < VALUES; i++) {
        values[i] =
            (layers){nudge(values[i - 1].below, i, 1), nudge(values[i - 1].above, i / 2, 1)};
        const pqt_history_entry_info info = {.label = ""};
        ck_assert(pqt_history_push(history, &values[i], &info, NULL));
        pqt_memory_reclaim(heap, i % 10 == 0 ? PQT_RECLAIM_ALL : 50);
    }
    for (size_t i = 0; i < VALUES; i++)
        ck_assert(pqt_tree_check(values[i].below, NULL) && pqt_tree_check(values[i].above, NULL));
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
}
END_TEST

/* A value with more versions than the mark stack takes, all of which a cycle puts there at once. */
enum { SHEETS = PQTI_MARK_STACK + 1000 };

typedef struct book {
    const pqt_tree *sheets[SHEETS];
} book;

static pqt_memory *
memory_of_book(const void *value, void *context)
{
    (void)context;
    return pqt_tree_memory(((const book *)value)->sheets[0]);
}

static void
trace_book(const void *value, pqt_hold_fn *hold, void *holder, void *context)
{
    const book *of = value;
    (void)context;
    for (size_t i = 0; i < SHEETS; i++)
        hold(of->sheets[i], holder);
}

START_TEST(a_value_that_fills_the_mark_stack_keeps_its_versions)
{
    static book all;
    pqt_memory *heap = make_heap();
    const pqt_history_kind kind = {
        .size = sizeof kind, .name = "book", .memory = memory_of_book, .trace = trace_book};
    ck_assert(pqt_scope_begin(heap, NULL));
    for (size_t i = 0; i < SHEETS; i++)
        all.sheets[i] = make_full_tree(heap, 1 + i % 3, true);
    pqt_history *history = pqt_history_make(&kind, &all, NULL, NULL);
    ck_assert_ptr_nonnull(history);
    pqt_scope_end(heap);
    reclaim_all(heap);
    (void)make_full_tree(heap, 2000, true); /* would reuse the freed blocks */
    for (size_t i = 0; i < SHEETS; i++) {
        ck_assert(pqt_tree_check(all.sheets[i], NULL));
        ck_assert_uint_eq(pqt_tree_count(all.sheets[i]), 1 + i % 3);
    }
    pqt_history_destroy(&history);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(a_kind_without_a_trace_is_refused_in_a_heap)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    const pqt_history_kind kind = {
        .size = sizeof kind, .name = "layers", .memory = memory_of_layers};
    const layers value = {make_tree(heap, false), make_tree(heap, false)};
    ck_assert_ptr_null(pqt_history_make(&kind, &value, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_ptr_nonnull(strstr(error.text, "layers"));
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(regions_live_in_heaps)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    dice d = {test_seed("regions_live_in_heaps")};
    const pqt_region *region = pqt_region_make(heap, &error);
    pqt_pin *ring[16] = {NULL};
    for (size_t i = 0; i < test_scaled(2000); i++) {
        const pqt_vec at = {dice_real(&d) * 600 - 300, dice_real(&d) * 600 - 300};
        const pqt_paint paint = pqt_paint_disc(
            dice_chance(&d, 60) ? PQT_PAINT_SET : PQT_PAINT_CLEAR, at, dice_real(&d) * 60);
        region = pqt_region_paint(region, paint, &error);
        ck_assert_msg(region != NULL, "%s", error.text);
        pqt_unpin(&ring[i % 16]);
        ring[i % 16] = pqt_region_pin(region, NULL);
        pqt_memory_reclaim(heap, i % 200 == 0 ? PQT_RECLAIM_ALL : 40);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, 0);
    for (int i = 0; i < 16; i++) {
        ck_assert(ring[i] == NULL || pqt_region_check(pqt_pin_get_region(ring[i]), NULL));
        pqt_unpin(&ring[i]);
    }
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

static const pqt_world *
make_world(pqt_memory *heap, size_t balls)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = heap;
    options.walls = true;
    const pqt_world *world = pqt_world_make(bounds, &options, &error);
    for (size_t i = 0; world != NULL && i < balls; i++) {
        const pqt_body body = {
            .id = i,
            .position = {(double)(20 + i % 30 * 30), (double)(20 + i / 30 * 30)},
            .velocity = {(double)(i * 37 % 100) - 50, (double)(i * 53 % 100) - 50},
            .radius = 5};
        world = pqt_world_add(world, body, &error);
    }
    ck_assert_msg(world != NULL, "%s", error.text);
    return world;
}

/* The same steps in an arena give the same fingerprints. */
START_TEST(worlds_and_recordings_live_in_heaps)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap(), *arena = pqt_arena_make(0, NULL);
    const pqt_world *twin = make_world(arena, 200);
    pqt_recording *recording = pqt_recording_make(make_world(heap, 200), 0.02, NULL, 10, &error);
    ck_assert_msg(recording != NULL, "%s", error.text);
    for (size_t i = 1; i <= 200; i++) {
        ck_assert(pqt_recording_step(recording, NULL, &error));
        pqt_memory_reclaim(heap, i % 20 == 0 ? PQT_RECLAIM_ALL : 500);
        twin = pqt_world_step(twin, 0.02, NULL, &error);
        const pqt_fingerprint a = pqt_recording_fingerprint(recording, i),
                              b = pqt_world_fingerprint(twin);
        ck_assert(a.high == b.high && a.low == b.low);
    }
    ck_assert(pqt_recording_verify(recording, NULL, &error));
    pqt_recording_destroy(&recording);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
    pqt_arena_destroy(&arena);
}
END_TEST

/* A step ends a cycle that was in this phase, or begins and ends one; in loop 4, an earlier cycle
   has marked the world. Nothing but the call itself needs the world that it is given, and the one
   that it returns. */
START_TEST(a_step_keeps_the_world_that_it_is_given_and_the_one_that_it_makes)
{
    static const pqti_heap_phase phases[] = {PQTI_STARTING, PQTI_MARKING, PQTI_WAITING};
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    const pqt_world *world = make_world(heap, 200);
    pqt_pin *pin = pqt_world_pin(world, &error);
    if (_i == 4)
        reclaim_all(heap);
    if (_i < 3)
        advance_to(heap, phases[_i]);
    else
        inside_of(heap)->bytes_since_cycle = SIZE_MAX / 2; /* so that a cycle is due */
    for (int i = 0; i < 20; i++)
        (void)make_full_tree(heap, 2000, false); /* so the step marks and sweeps as many blocks */
    pqt_unpin(&pin);
    const uint64_t before = pqt_memory_get_stats(heap).collections;
    const pqt_world *next = pqt_world_step(world, 0.02, NULL, &error);
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, before);
    ck_assert_msg(next != NULL && pqt_world_check(next, &error), "%s", error.text);
    ck_assert_msg(pqt_world_check(world, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_world_count(world), 200);
    ck_assert_uint_eq(pqt_world_count(next), 200);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

enum { ONE_IMPACT = 400 };

/* Makes a world in which all bodies move, and only the last one hits a wall. */
static const pqt_world *
make_world_with_one_impact(pqt_memory *heap)
{
    pqt_error error = {0};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = heap;
    options.walls = true;
    const pqt_world *world = pqt_world_make(bounds, &options, &error);
    for (uint64_t i = 0; i < ONE_IMPACT; i++) {
        const double column = (double)(i % 20), row = (double)(i / 20);
        const pqt_body body = {.id = i,
                               .position = {100 + 40 * column, 100 + 40 * row},
                               .velocity = {1 + column, 1 + row},
                               .radius = 5};
        world = pqt_world_add(world, body, &error);
    }
    world = pqt_world_add(
        world,
        (pqt_body){.id = ONE_IMPACT, .position = {500, 25}, .velocity = {0, -100}, .radius = 5},
        &error);
    ck_assert_msg(world != NULL, "%s", error.text);
    return world;
}

/* The two runs differ between stored steps. While the second world of a step is made, only the call
   itself needs the first one, and each step is a safe point that reclaims. */
START_TEST(comparing_recordings_keeps_the_worlds_that_it_makes)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.growth = 1.1;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    pqt_step_options dull = PQT_STEP_DEFAULTS;
    dull.restitution = 0.5;
    const pqt_world *world = make_world_with_one_impact(heap);
    pqt_pin *first = pqt_world_pin(world, &error);
    pqt_recording *a = pqt_recording_make(world, 0.02, NULL, 16, &error);
    pqt_recording *b = pqt_recording_make(world, 0.02, &dull, 16, &error);
    for (int i = 0; i < 40; i++) {
        ck_assert(pqt_recording_step(a, NULL, &error) != NULL);
        ck_assert(pqt_recording_step(b, NULL, &error) != NULL);
    }
    const uint64_t before = pqt_memory_get_stats(heap).collections;
    for (int i = 0; i < 20; i++) {
        pqt_recording_divergence found;
        ck_assert_msg(pqt_recording_compare(a, b, &found, &error), "%s", error.text);
        ck_assert(found.found);
        ck_assert_uint_eq(found.step, 10);
        ck_assert_uint_eq(found.body, ONE_IMPACT);
    }
    ck_assert_uint_gt(pqt_memory_get_stats(heap).collections, before);
    pqt_recording_destroy(&a);
    pqt_recording_destroy(&b);
    pqt_unpin(&first);
    reclaim_all(heap);
    ck_assert_uint_eq(used_bytes(heap), 0);
    pqt_heap_destroy(&heap);
}
END_TEST

typedef struct reclaiming {
    pqt_memory *heap;
    atomic_bool stop;
} reclaiming;

static void *
reclaim_until_stopped(void *context)
{
    reclaiming *of = context;
    while (!atomic_load(&of->stop))
        pqt_memory_reclaim(of->heap, PQT_RECLAIM_ALL);
    return NULL;
}

START_TEST(recordings_are_verified_while_another_thread_reclaims)
{
    pqt_error error = {0};
    pthread_t thread;
    reclaiming other = {.heap = make_heap()};
    const pqt_world *world = make_world(other.heap, 200);
    pqt_recording *recording = pqt_recording_make(world, 0.02, NULL, 10, &error);
    for (int i = 0; i < 45; i++)
        ck_assert(pqt_recording_step(recording, NULL, &error) != NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, reclaim_until_stopped, &other), 0);
    for (int i = 0; i < 10; i++)
        ck_assert_msg(pqt_recording_verify(recording, NULL, &error), "%s", error.text);
    atomic_store(&other.stop, true);
    pthread_join(thread, NULL);
    pqt_recording_destroy(&recording);
    reclaim_all(other.heap);
    ck_assert_uint_eq(used_bytes(other.heap), 0);
    pqt_heap_destroy(&other.heap);
}

/* Each step begins with the previous world, and only the last world is in use. */
START_TEST(reclaiming_at_steps_alone_bounds_the_heap)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, NULL);
    const pqt_world *world = make_world(heap, 100);
    for (int i = 0; i < 2000; i++)
        world = pqt_world_step(world, 0.01, NULL, &error);
    ck_assert_msg(world != NULL, "%s", error.text);
    ck_assert(pqt_world_check(world, NULL));
    ck_assert_uint_lt(pqt_memory_get_stats(heap).bytes, 3000000);
    pqt_heap_destroy(&heap);
}

END_TEST

/* ---- Heads ---- */

/* An update that reclaims. The heap reuses an address as soon as possible. But it does not reclaim
   a record while an update compares a pointer with it, so that no update is lost. */
static const void *
insert_after_reclaiming(const void *now, void *context, pqt_error *error)
{
    pqt_head *head = context;
    pqt_memory *heap = pqt_tree_memory(now);
    const size_t count = pqt_tree_count(now);
    if (count < 200 && count % 2 == 0) {
        /* Another writer publishes first, twice, so that the record's block could be reused. */
        for (int i = 0; i < 2; i++) {
            const pqt_tree *other = pqt_tree_insert(now, item_of(1000 + count + (size_t)i), error);
            ck_assert(pqt_head_publish(head, other, error));
            now = other;
            for (int slice = 0; slice < 50; slice++)
                pqt_memory_reclaim(heap, 1000);
            ck_assert(!pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        }
        return pqt_tree_insert(now, item_of(5000 + count), error);
    }
    return pqt_tree_insert(now, item_of(count), error);
}

START_TEST(an_update_is_not_misled_by_a_reused_address)
{
    pqt_error error = {0};
    pqt_memory *heap = make_heap();
    pqt_head *head = pqt_head_make(make_tree(heap, true), &error);
    for (int i = 0; i < 60; i++) {
        uint64_t number;
        ck_assert_ptr_nonnull(
            pqt_head_update(head, insert_after_reclaiming, head, &number, &error));
        ck_assert_uint_eq(number, pqt_head_number(head));
        reclaim_all(heap);
    }
    pqt_pin *pin = pqt_head_pin(head, NULL, &error);
    ck_assert(pqt_tree_check(pqt_pin_get_tree(pin), NULL));
    pqt_unpin(&pin);
    pqt_head_destroy(&head);
    pqt_heap_destroy(&heap);
}

END_TEST

/* ---- Callbacks that reclaim ---- */

/* The state of a call whose versions no root holds. */
typedef struct lone_caller {
    pqt_memory *heap;
    uint64_t calls;
    const pqt_tree *peer;
    char bytes[200000];
    size_t length, next;
} lone_caller;

/* Frees all unreachable blocks, and overwrites them. */
static void
reclaim_and_overwrite(lone_caller *r)
{
    (void)pqt_memory_reclaim(r->heap, PQT_RECLAIM_ALL);
    (void)make_full_tree(r->heap, 200, r->calls++ % 2 == 0);
}

static pqt_resolution
keep_theirs(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)conflict;
    (void)answer;
    reclaim_and_overwrite(context);
    return PQT_KEEP_THEIRS;
}

static pqt_map_resolution
keep_their_value(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    (void)conflict;
    (void)answer;
    reclaim_and_overwrite(context);
    return PQT_MAP_KEEP_THEIRS;
}

static pqt_document_resolution
keep_their_part(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    (void)conflict;
    (void)answer;
    reclaim_and_overwrite(context);
    return PQT_DOCUMENT_KEEP_THEIRS;
}

static const pqt_tree *
nudge_some(const pqt_tree *tree, double by)
{
    for (uint64_t i = 0; i < 20; i++)
        tree = nudge(tree, 7 * i, by);
    return tree;
}

static const pqt_map *
number_some(const pqt_map *map, uint64_t step, uint64_t number)
{
    for (uint64_t i = 0; i < 200; i += step)
        map = pqt_map_insert(map, pqt_map_id(i), pqt_map_number(number + i), NULL);
    return map;
}

static void
merge_trees(lone_caller *r)
{
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = keep_theirs;
    options.context = r;
    const pqt_tree *base = make_full_tree(r->heap, 500, true);
    const pqt_tree *ours = nudge_some(base, 1), *theirs = nudge_some(base, 2);
    const pqt_tree *merged = pqt_tree_merge(base, ours, theirs, &options, NULL);
    ck_assert(pqt_tree_check(merged, NULL));
    ck_assert(pqt_tree_equals(merged, nudge_some(make_full_tree(r->heap, 500, true), 2)));
}

static const pqt_map *
first_map(pqt_memory *heap)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = heap;
    return number_some(pqt_map_make(&options, NULL), 1, 0);
}

static void
merge_maps(lone_caller *r)
{
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = keep_their_value;
    options.context = r;
    const pqt_map *base = first_map(r->heap);
    const pqt_map *ours = number_some(base, 11, 1000), *theirs = number_some(base, 11, 2000);
    const pqt_map *merged = pqt_map_merge(base, number_some(ours, 7, 3000), theirs, &options, NULL);
    ck_assert(pqt_map_check(merged, NULL));
    ck_assert_uint_eq(pqt_map_count(merged), 200);
}

static void
merge_documents(lone_caller *r)
{
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = keep_their_part;
    options.context = r;
    const pqt_part parts[] = {
        {.name = "map", .kind = PQT_KIND_MAP, .version = first_map(r->heap)},
        {.name = "tree", .kind = PQT_KIND_TREE, .version = make_full_tree(r->heap, 500, true)}};
    const pqt_document *base = pqt_document_make(parts, 2, NULL);
    const pqt_document *sides[2];
    for (int i = 0; i < 2; i++) {
        const pqt_map *map = number_some(pqt_document_map(base, "map"), 11, 1000 + i);
        const pqt_tree *tree = nudge_some(pqt_document_tree(base, "tree"), 1 + i);
        sides[i] = pqt_document_set_map(base, "map", map, NULL);
        sides[i] = pqt_document_set_tree(sides[i], "tree", tree, NULL);
    }
    const pqt_document *merged = pqt_document_merge(base, sides[0], sides[1], &options, NULL);
    ck_assert(pqt_document_check(merged, NULL));
    ck_assert_uint_eq(pqt_map_count(pqt_document_map(merged, "map")), 200);
    ck_assert_uint_eq(pqt_tree_count(pqt_document_tree(merged, "tree")), 500);
}

static bool
checks_component(const pqt_region *component, void *context)
{
    reclaim_and_overwrite(context);
    ck_assert(pqt_region_check(component, NULL));
    ck_assert_uint_gt(pqt_region_count(component), 300);
    return true;
}

static void
visit_components(lone_caller *r)
{
    const pqt_region *region = pqt_region_make(r->heap, NULL);
    for (int i = 0; i < 10; i++) {
        const pqt_vec at = {100.0 * i, 50};
        region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_SET, at, 20), NULL);
    }
    ck_assert(
        pqt_region_visit_components(region, PQT_CONNECTIVITY_4, 0, checks_component, r, NULL));
}

static bool
digest_of_peer(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    const lone_caller *r = context;
    *digest = pqt_sync_digest_of(r->peer, *path);
    reclaim_and_overwrite(context);
    return true;
}

static bool
counts_mismatches(const pqt_sync_mismatch *cell, void *context)
{
    (void)cell;
    reclaim_and_overwrite(context);
    return true;
}

static void
find_mismatches(lone_caller *r)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    const pqt_tree *tree = make_full_tree(r->heap, 1000, true);
    r->peer = nudge_some(make_full_tree(arena, 1000, true), 1);
    const pqt_sync_peer peer = {.digest = digest_of_peer, .context = r};
    ck_assert(pqt_sync_find(tree, &peer, counts_mismatches, r, NULL));
    pqt_arena_destroy(&arena);
}

static bool
write_to_caller(const void *bytes, size_t count, void *context)
{
    lone_caller *r = context;
    ck_assert_uint_le(count, sizeof r->bytes - r->length);
    memcpy(r->bytes + r->length, bytes, count);
    r->length += count;
    return true;
}

static bool
read_from_caller(void *bytes, size_t capacity, size_t *count, void *context)
{
    lone_caller *r = context;
    const size_t rest = r->length - r->next, most = capacity < 1000 ? capacity : 1000;
    *count = rest < most ? rest : most;
    memcpy(bytes, r->bytes + r->next, *count);
    r->next += *count;
    reclaim_and_overwrite(r);
    return true;
}

static void
read_regions(lone_caller *r)
{
    const pqt_region *region = pqt_region_make(r->heap, NULL);
    for (int i = 0; i < 40; i++) {
        const pqt_vec at = {37.3 * i, 29.1 * i};
        region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_TOGGLE, at, 60), NULL);
    }
    const uint64_t count = pqt_region_count(region);
    ck_assert(pqt_region_write(region, write_to_caller, r, NULL));
    const pqt_region *read = pqt_region_read(read_from_caller, r, r->heap, NULL);
    ck_assert(pqt_region_check(read, NULL));
    ck_assert_uint_eq(pqt_region_count(read), count);
}

START_TEST(a_call_keeps_its_versions_while_a_callback_reclaims)
{
    static void (*const calls[])(lone_caller * r) = {
        merge_trees, merge_maps, merge_documents, visit_components, read_regions, find_mismatches};
    lone_caller r = {.heap = make_heap()};
    calls[_i](&r);
    ck_assert_uint_gt(r.calls, 3);
    reclaim_all(r.heap);
    ck_assert_uint_eq(used_bytes(r.heap), 0);
    pqt_heap_destroy(&r.heap);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("heap roots");
    TCase *tests = tcase_create("heap roots");
    tcase_add_test(tests, a_history_keeps_its_versions_labels_and_names);
    tcase_add_loop_test(tests, a_version_of_a_scope_may_get_a_holder_in_each_phase, 0, 3 * WAYS);
    tcase_add_test(tests, a_kind_of_the_user_marks_its_versions);
    tcase_add_test(tests, a_value_that_fills_the_mark_stack_keeps_its_versions);
    tcase_add_test(tests, a_kind_without_a_trace_is_refused_in_a_heap);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, regions_live_in_heaps);
    if (PQT_WITH_WORLDS) {
        tcase_add_test(tests, worlds_and_recordings_live_in_heaps);
        tcase_add_loop_test(
            tests, a_step_keeps_the_world_that_it_is_given_and_the_one_that_it_makes, 0, 5);
        tcase_add_test(tests, comparing_recordings_keeps_the_worlds_that_it_makes);
        tcase_add_test(tests, recordings_are_verified_while_another_thread_reclaims);
        tcase_add_test(tests, reclaiming_at_steps_alone_bounds_the_heap);
    }
    tcase_add_test(tests, an_update_is_not_misled_by_a_reused_address);
    tcase_add_loop_test(tests, a_call_keeps_its_versions_while_a_callback_reclaims, 0,
                        3 + 2 * PQT_WITH_PIXELS + PQT_WITH_WORLDS);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
