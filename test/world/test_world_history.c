/* SPDX-License-Identifier: MIT */
/*
 * test_world_history.c: tests heads of worlds, and compares histories of worlds with plain
 * snapshots.
 *
 * test_head.c and test_history*.c test heads and histories in general.
 */
#include "config.h"

#include <stdio.h>

#include <pqt/head.h>
#include <pqt/history_query.h>
#include <pqt/region.h>
#include <pqt/step.h>

#include "hooks.h"
#include "memory/memory_internal.h"
#include "suite.h"
#include "world_support.h"

/* ---- Heads ---- */

static const void *
step_once(const void *now, void *context, pqt_error *error)
{
    const double *dt = context;
    return pqt_world_step(now, *dt, NULL, error);
}

START_TEST(a_head_of_worlds_works_like_one_of_trees)
{
    pqt_error error = {0};
    uint64_t number = 0;
    double dt = 0.5, not_one = NAN;
    const pqt_world *first = added(small_world(), flying(1, 50, 50, 2, 10, 0));
    pqt_head *head = pqt_head_make(first, &error);
    ck_assert_ptr_eq(pqt_head_load_world(head, &number), first);
    ck_assert_uint_eq(number, 1);
    const pqt_world *second = pqt_head_update(head, step_once, &dt, &number, &error);
    ck_assert_uint_eq(number, 2);
    ck_assert_double_eq(body_of(must_world(second, &error), 1).position.x, 55);
    ck_assert(pqt_head_publish(head, first, &error));
    ck_assert(pqt_head_publish(head, second, &error));
    pqt_pin *pin = pqt_head_pin(head, &number, &error);
    ck_assert_ptr_eq(pqt_pin_get_world(pin), second);
    ck_assert_uint_eq(number, 4);
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_ptr_null(pqt_head_update(head, step_once, &not_one, &number, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert(!pqt_head_publish(head, NULL, &error));
    ck_assert_ptr_null(pqt_head_make(NULL, &error));
    ck_assert_uint_eq(pqt_head_number(head), 4);
    pqt_unpin(&pin);
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(a_world_of_another_memory_is_not_published)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_world *first = small_world();
    pqt_head *head = pqt_head_make(first, &error);
    const pqt_world *stranger = pqt_world_copy(first, other, &error);
    ck_assert(!pqt_head_publish(head, must_world(stranger, &error), &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_ptr_eq(pqt_head_load_world(head, NULL), first);
    pqt_head_destroy(&head);
    pqt_arena_destroy(&other);
}
END_TEST

/* ---- Histories ---- */

enum { BODIES = 40, MOST = 300 };

/* All bodies of one entry, indexed by id. Absent ones have the id 0. */
typedef struct snapshot {
    uint64_t number;
    pqt_body bodies[BODIES + 1];
} snapshot;

typedef struct model {
    snapshot list[MOST];
    size_t count;
} model;

static snapshot
snapshot_of(const pqt_world *world, uint64_t number)
{
    snapshot taken = {.number = number};
    for (uint64_t id = 1; id <= BODIES; id++)
        (void)pqt_world_find(world, id, &taken.bodies[id]);
    return taken;
}

/* Checks that each remaining entry is the same as when it was pushed. Returns the number of
 * entries. */
static size_t
expect_snapshots(const pqt_history *history, const model *m)
{
    size_t left = 0;
    for (size_t i = 0; i < m->count; i++) {
        const pqt_world *world = pqt_history_value_of(history, m->list[i].number);
        size_t found = 0;
        if (world == NULL)
            continue;
        left++;
        expect_sound_world(world);
        for (uint64_t id = 1; id <= BODIES; id++) {
            pqt_body body = {0};
            found += pqt_world_find(world, id, &body);
            require(same_body(&body, &m->list[i].bodies[id]), "a body is unchanged");
        }
        require(found == pqt_world_count(world), "there are no other items");
    }
    return left;
}

/* Makes another world by a step, or by adding, removing or changing one body. */
static const pqt_world *
next_world(const pqt_world *world, dice *d, pqt_error *error)
{
    const uint64_t id = 1 + dice_below(d, BODIES);
    pqt_body body = {0};
    const bool there = pqt_world_find(world, id, &body);
    if (dice_chance(d, 30))
        return pqt_world_step(world, 0.25, NULL, error);
    if (there && dice_chance(d, 40))
        return pqt_world_remove(world, id, error);
    if (!there)
        return pqt_world_add(world,
                             flying(id, 5 + 90 * dice_real(d), 5 + 90 * dice_real(d), 1,
                                    dice_real(d) * 20 - 10, dice_real(d) * 20 - 10),
                             error);
    body.velocity.x = -body.velocity.x;
    return pqt_world_change(world, body, error);
}

static void
push_next(pqt_history *history, model *m, dice *d)
{
    pqt_error error = {0};
    const pqt_world *before = pqt_history_value(history);
    const uint64_t current = pqt_history_current(history);
    const pqt_world *next = next_world(before, d, &error);
    pqt_history_entry entry;
    const pqt_history_entry_info info = {.label = "Next"};
    require(pqt_history_push(history, must_world(next, &error), &info, &error), error.text);
    if (pqt_history_current(history) == current)
        return;
    m->list[m->count++] = snapshot_of(next, pqt_history_current(history));
    require(pqt_history_get_entry(history, pqt_history_current(history), &entry),
            "the entry exists");
    require(entry.added ==
                pqt_world_shared_bytes(next, next) - pqt_world_shared_bytes(next, before),
            "an entry counts the bytes that it does not share");
}

/* Checks that a history counts the bytes that each entry does not share with its parent. */
static void
expect_bytes(const pqt_history *history, const model *m)
{
    size_t sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        pqt_history_entry entry;
        if (!pqt_history_get_entry(history, m->list[i].number, &entry))
            continue;
        const pqt_world *parent = pqt_history_value_of(history, entry.parent);
        sum += pqt_world_shared_bytes(entry.value, entry.value) -
               (i == 0 ? 0 : pqt_world_shared_bytes(entry.value, parent));
    }
    require(pqt_history_get_stats(history).bytes == sum, "the bytes of all entries");
}

/* Drops an entry. Checks that the bytes of the history decrease by the reported number of freed
   bytes. They decrease by less if several children share blocks, because each of them counts these
   blocks from then on. */
static void
drop_one(pqt_history *history, const model *m, uint64_t number)
{
    pqt_error error = {0};
    pqt_history_bytes bytes;
    pqt_history_entry entry;
    const size_t before = pqt_history_get_stats(history).bytes;
    if (!pqt_history_get_entry(history, number, &entry))
        return;
    require(pqt_history_get_bytes(history, number, &bytes, &error), error.text);
    require(bytes.all == bytes.shared + bytes.freed && bytes.added <= bytes.all, "bytes add up");
    if (!pqt_history_drop(history, number, &error))
        return;
    const size_t expected = before - bytes.freed, left = pqt_history_get_stats(history).bytes;
    require(left == expected || (left > expected && entry.children > 1),
            "the reported number of bytes is freed");
    expect_bytes(history, m);
}

static void
do_something(pqt_history *history, model *m, dice *d)
{
    const uint64_t any = m->list[dice_below(d, m->count)].number;
    const size_t what = dice_below(d, 100);
    if (what < 55)
        push_next(history, m, d);
    else if (what < 75)
        (void)pqt_history_undo(history);
    else if (what < 83)
        (void)pqt_history_redo(history);
    else if (what < 90)
        (void)pqt_history_checkout(history, any, NULL);
    else if (what < 98)
        drop_one(history, m, any);
    else
        require(pqt_history_thin(history, 30, NULL), "a history is thinned");
}

/* With seed 3, the children of dropped entries share blocks. */
START_TEST(a_history_of_worlds_keeps_each_version)
{
    static model m;
    pqt_memory *memories[2];
    pqt_error error = {0};
    if ((size_t)_i % 2 >= memories_of_tests(memories))
        return;
    pqt_memory *memory = memories[_i % 2];
    ck_assert(memory == arena || pqt_init(&error));
    dice d = {_i < 2 ? test_seed("a history of worlds") : 3};
    const pqt_world *first = world_in(arena_box, true, memory);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), first, NULL, &error);
    require(history != NULL, error.text);
    m.count = 0;
    m.list[m.count++] = snapshot_of(first, 0);
    while (m.count < MOST) {
        do_something(history, &m, &d);
        if (m.count % 50 == 0)
            pqti_collect(memory);
    }
    const size_t left = expect_snapshots(history, &m);
    ck_assert_uint_eq(left, pqt_history_get_stats(history).entries);
    fprintf(stderr, "# %zu entries of %d are left\n", left, MOST);
    ck_assert_uint_gt(left, MOST / 10);
    pqt_history_destroy(&history);
}
END_TEST

/* After a step in which all bodies move, the world shares their constant properties. */
START_TEST(a_step_adds_fewer_bytes_than_its_world_has)
{
    pqt_error error = {0};
    const pqt_world *world = small_world();
    for (uint64_t id = 1; id <= 200; id++)
        world = added(world, flying(id, (double)(id % 20) * 5 + 1, (double)(id / 20) * 9 + 1, 0.5,
                                    id % 2 == 0 ? 1 : -1, 1));
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), world, NULL, &error);
    const size_t before = pqt_history_get_stats(history).bytes;
    ck_assert_uint_eq(before, pqt_world_get_stats(world).bytes);
    world = pqt_world_step(world, 0.01, NULL, &error);
    ck_assert(
        pqt_history_push(history, must_world(world, &error), &(pqt_history_entry_info){0}, &error));
    const size_t added_bytes = pqt_history_get_stats(history).bytes - before;
    ck_assert_uint_lt(added_bytes, pqt_world_get_stats(world).bytes);
    ck_assert_uint_gt(added_bytes, 200 * 32);
    pqt_history_destroy(&history);
}
END_TEST

static bool
not_called(const pqt_change *change, void *context)
{
    (void)change;
    (void)context;
    ck_abort_msg("a refused query visits nothing");
}

START_TEST(a_history_of_worlds_has_no_index)
{
    pqt_error error = {0}, changes = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    ck_assert_ptr_null(
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), small_world(), &options, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0,
                   "indexed: only a history of trees, or of documents "
                   "with trees, can have an index");
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), small_world(), NULL, NULL);
    ck_assert(!pqt_history_visit_changes(history, NULL, 0, 0, 1, NULL, not_called, NULL, &changes));
    expect_failure(&changes, PQT_ERROR_OPTION, 0,
                   "part: the history holds worlds, which have no tree");
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_push_of_a_world_that_fails_changes_nothing)
{
    pqt_error error = {0};
    const pqt_world *first = small_world(), *next = added(first, ball(1, 5, 5, 1));
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), first, NULL, &error);
    bool done = false;
    size_t failures = 0;
    while (!done) {
        hooks watch = {.fail_at = failures + 1};
        const pqt_history_stats before = pqt_history_get_stats(history);
        hooks_start(&watch);
        done = pqt_history_push(history, next, &(pqt_history_entry_info){.label = "Add"}, NULL);
        hooks_stop();
        failures += !done;
        ck_assert(done == (watch.failures == 0));
        ck_assert(done || (pqt_history_value(history) == first &&
                           pqt_history_get_stats(history).bytes == before.bytes));
    }
    ck_assert_uint_gt(failures, 3);
    ck_assert_ptr_eq(pqt_history_value(history), next);
    pqt_history_destroy(&history);
}
END_TEST

/* Only a head and a history refer to the worlds. Their handles are in memory from malloc. */
START_TEST(worlds_survive_collections)
{
    static model m;
    pqt_error error = {0};
    if (pqt_collector() == NULL)
        return;
    ck_assert(pqt_init(&error));
    dice d = {test_seed("worlds through collections")};
    hooks watch = {.collect_every = 1, .memory = pqt_collector()};
    void **held = malloc(2 * sizeof *held);
    ck_assert_ptr_nonnull(held);
    hooks_start(&watch);
    const pqt_world *first = world_in(arena_box, true, NULL);
    held[0] = pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), first, NULL, &error);
    held[1] = pqt_head_make(first, &error);
    m.count = 0;
    m.list[m.count++] = snapshot_of(first, 0);
    while (m.count < 40) {
        push_next(held[0], &m, &d);
        ck_assert(pqt_head_publish(held[1], pqt_history_value(held[0]), &error));
    }
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 100);
    ck_assert_uint_eq(expect_snapshots(held[0], &m), 40);
    pqt_history *history = held[0];
    pqt_head *head = held[1];
    ck_assert(pqt_world_equals(pqt_head_load_world(head, NULL), pqt_history_value(history)));
    pqt_history_destroy(&history);
    expect_sound_world(pqt_head_load_world(head, NULL));
    pqt_head_destroy(&head);
    free(held);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(a_head_of_worlds_holds_only_worlds)
{
    pqt_head *worlds = pqt_head_make(small_world(), NULL);
    pqt_head *trees = pqt_head_make(small_tree(2), NULL);
    pqt_error error = {0};
    switch (_i) {
    case 0:
        (void)pqt_tree_count(pqt_head_load(worlds, NULL));
        break;
    case 1:
        (void)pqt_world_count(pqt_head_load_world(trees, NULL));
        break;
    case 2:
        (void)pqt_head_publish(trees, small_world(), &error);
        break;
    case 3:
        (void)pqt_head_publish(worlds, NULL, &error);
        break;
    case 4:
        (void)pqt_head_update(worlds, NULL, NULL, NULL, &error);
        break;
    case 5:
        (void)(pqt_head_make(NULL, &error) == NULL);
        break;
    }
}
END_TEST

/* Reads a version whose kind differs from that of the pin. */
START_TEST(a_pin_returns_the_kind_of_value_it_was_made_for)
{
    pqt_error error = {0};
    const pqt_region *blank = pqt_region_make(arena, &error);
    pqt_pin *tree = pqt_tree_pin(small_tree(2), &error);
    pqt_pin *region = pqt_region_pin(blank, &error);
    pqt_pin *world = pqt_world_pin(small_world(), &error);
    pqt_head *head = pqt_head_make(blank, &error);
    pqt_pin *newest = pqt_head_pin(head, NULL, &error);
    switch (_i) {
    case 0:
        (void)pqt_pin_get_tree(region);
        break;
    case 1:
        (void)pqt_pin_get_region(world);
        break;
    case 2:
        (void)pqt_pin_get_world(tree);
        break;
    case 3:
        (void)pqt_pin_get_tree(newest);
        break;
    case 4:
        (void)pqt_pin_get_world(NULL);
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("worlds in time");
    TCase *tests = add_tests(suite, "worlds in time");
    tcase_add_test(tests, a_head_of_worlds_works_like_one_of_trees);
    tcase_add_test(tests, a_world_of_another_memory_is_not_published);
    tcase_add_loop_test(tests, a_history_of_worlds_keeps_each_version, 0, 4);
    tcase_add_test(tests, a_step_adds_fewer_bytes_than_its_world_has);
    tcase_add_test(tests, a_history_of_worlds_has_no_index);
    tcase_add_test(tests, a_push_of_a_world_that_fails_changes_nothing);
    tcase_add_test(tests, worlds_survive_collections);
    tcase_add_misuse_tests(tests, a_head_of_worlds_holds_only_worlds, 6);
    tcase_add_misuse_tests(tests, a_pin_returns_the_kind_of_value_it_was_made_for, 5);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
