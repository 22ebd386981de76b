/* SPDX-License-Identifier: MIT */
/* test_world_batch.c: tests that batches of changes to bodies have the same effect as single
 * changes, or no effect if one fails. */
#include "config.h"

#include <pqt/query.h>

#include "hooks.h"
#include "suite.h"
#include "world/bodymap.h"
#include "world_support.h"

static pqt_body_change
change_of(pqt_body_change_kind kind, pqt_body body)
{
    return (pqt_body_change){kind, body};
}

static const pqt_world *
after_batch(const pqt_world *world, const pqt_body_change *changes, size_t count)
{
    pqt_error error = {0};
    return must_world(pqt_world_apply(world, changes, count, &error), &error);
}

/* Returns a world of balls 0 .. count - 1. */
static const pqt_world *
row_world(pqt_memory *memory, size_t count)
{
    const pqt_world *world = world_in(arena_box, true, memory);
    for (size_t i = 0; i < count; i++)
        world = added(world, ball(i, 2 + (double)(i % 24) * 4, 2 + (double)(i / 24) * 4, 1));
    return world;
}

/* ---- The effect of a batch ---- */

START_TEST(a_batch_equals_its_changes_one_by_one)
{
    const pqt_world *world = row_world(arena, 3);
    const pqt_body_change changes[] = {
        change_of(PQT_BODY_ADD, ball(7, 50, 50, 2)),
        change_of(PQT_BODY_CHANGE, flying(1, 60, 60, 1, 5, 0)),
        change_of(PQT_BODY_REMOVE, (pqt_body){.id = 2, .radius = -1}), /* only the id is read */
        change_of(PQT_BODY_REMOVE, ball(1, 0, 0, 0)),
        change_of(PQT_BODY_ADD, ball(1, 70, 70, 3)),
        change_of(PQT_BODY_CHANGE, ball(99, 50, 50, 1)), /* its id is absent */
    };
    const pqt_world *next = after_batch(world, changes, 6);
    ck_assert_uint_eq(pqt_world_count(next), 3);
    ck_assert_double_eq(body_of(next, 7).radius, 2);
    ck_assert_double_eq(body_of(next, 1).position.x, 70);
    ck_assert(!pqt_world_find(next, 2, NULL) && !pqt_world_find(next, 99, NULL));
    ck_assert_uint_eq(pqt_world_count(world), 3);
    ck_assert_double_eq(body_of(world, 1).position.x, 6);
    expect_sound_world(next);
    expect_sound_world(world);
}
END_TEST

START_TEST(a_batch_that_changes_nothing_returns_the_same_version)
{
    const pqt_world *world = row_world(arena, 5);
    const pqt_body_change changes[] = {
        change_of(PQT_BODY_CHANGE, ball(1, 6, 2, 1)), change_of(PQT_BODY_REMOVE, ball(50, 0, 0, 0)),
        change_of(PQT_BODY_ADD, ball(60, 9, 9, 1)),   change_of(PQT_BODY_REMOVE, ball(60, 0, 0, 0)),
        change_of(PQT_BODY_REMOVE, ball(2, 0, 0, 0)), change_of(PQT_BODY_ADD, ball(2, 10, 2, 1))};
    const uint64_t absent[] = {40, 41, 40};
    pqt_error error = {0};
    ck_assert_ptr_eq(after_batch(world, changes, 6), world);
    ck_assert_ptr_eq(after_batch(world, NULL, 0), world);
    ck_assert_ptr_eq(pqt_world_remove_all(world, absent, 3, &error), world);
    ck_assert_ptr_eq(pqt_world_remove_all(world, NULL, 0, &error), world);
    ck_assert_ptr_eq(pqt_world_change_all(world, NULL, 0, &error), world);
    ck_assert_int_eq(error.status, PQT_OK);
}
END_TEST

START_TEST(many_bodies_are_changed_and_removed)
{
    const pqt_world *world = row_world(arena, 200);
    pqt_body bodies[100];
    uint64_t ids[60];
    pqt_error error = {0};
    for (size_t i = 0; i < 100; i++)
        bodies[i] = flying(3 * i, 1 + (double)i * 0.98, 97, 0.5, 1, 2); /* some are absent */
    const pqt_world *next = must_world(pqt_world_change_all(world, bodies, 100, &error), &error);
    ck_assert_uint_eq(pqt_world_count(next), 200);
    ck_assert_double_eq(body_of(next, 9).velocity.y, 2);
    ck_assert_double_eq(body_of(next, 10).velocity.y, 0);
    for (size_t i = 0; i < 60; i++)
        ids[i] = 170 + i % 40; /* some ids occur twice, and some are absent */
    next = must_world(pqt_world_remove_all(next, ids, 60, &error), &error);
    ck_assert_uint_eq(pqt_world_count(next), 170);
    expect_sound_world(next);
}
END_TEST

/* ---- Refusals ---- */

/* The first change that fails is reported, even if later changes are wrong, too. */
START_TEST(the_first_bad_change_is_reported)
{
    const pqt_world *world = row_world(arena, 3);
    pqt_body_change changes[] = {
        change_of(PQT_BODY_ADD, ball(7, 50, 50, 2)), change_of(PQT_BODY_ADD, ball(8, 50, 50, 2)),
        change_of(PQT_BODY_ADD, ball(2, 50, 50, 2)), change_of(PQT_BODY_ADD, ball(7, 50, 50, 2)),
        change_of(PQT_BODY_CHANGE, ball(1, 50, 50, -2))};
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_world_apply(world, changes, 5, &error));
    expect_failure(&error, PQT_ERROR_BODY, 2, "body 2: id 2 already exists");
    changes[2].kind = PQT_BODY_REMOVE;
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_apply(world, changes, 5, &error));
    expect_failure(&error, PQT_ERROR_BODY, 3, "body 3: id 7 occurs twice");
    changes[3].kind = PQT_BODY_CHANGE;
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_apply(world, changes, 5, &error));
    expect_failure(&error, PQT_ERROR_BODY, 4, "body 4: radius -2 is negative");
    ck_assert_ptr_null(pqt_world_apply(world, changes, 5, NULL));
    changes[4].body = ball(1, 0.5, 50, 1);
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_apply(world, changes, 5, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
    ck_assert_uint_eq(error.index, 4);
    ck_assert_uint_eq(pqt_world_count(world), 3);
    const pqt_body outside = ball(70, -5, 50, 1); /* it is reported although the id is absent */
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_change_all(world, &outside, 1, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOUNDS);
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    pqt_error error = {.status = PQT_ERROR_MEMORY};
    ck_assert_ptr_null(pqt_world_apply(NULL, NULL, 0, &error));
    ck_assert_ptr_null(pqt_world_remove_all(NULL, NULL, 0, &error));
    ck_assert_ptr_null(pqt_world_change_all(NULL, NULL, 0, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
}
END_TEST

START_TEST(misuse_stops_the_program)
{
    pqt_error error = {0};
    const pqt_body_change wrong = {.body = ball(1, 5, 5, 1)};
    switch (_i) {
    case 0:
        (void)!pqt_world_apply(NULL, NULL, 0, &error);
        break;
    case 1:
        (void)!pqt_world_apply(small_world(), NULL, 1, &error);
        break;
    case 2:
        (void)!pqt_world_apply(small_world(), &wrong, 1, &error);
        break;
    case 3:
        (void)!pqt_world_remove_all(small_world(), NULL, 1, &error);
        break;
    case 4:
        (void)!pqt_world_change_all(small_world(), NULL, 1, &error);
        break;
    case 5:
        pqt_world_collect(NULL, NULL, NULL, 0);
        break;
    default:
        pqt_world_collect(small_world(), NULL, NULL, 1);
        break;
    }
}
END_TEST

/* ---- Bodies in an array ---- */

START_TEST(collect_returns_the_number_of_all_bodies_and_writes_those_that_fit)
{
    const pqt_world *world = row_world(arena, 50);
    pqt_body all[60], few[7];
    bool seen[50] = {false};
    ck_assert_uint_eq(pqt_world_collect(world, NULL, all, 60), 50);
    for (size_t i = 0; i < 50; i++) {
        const pqt_body there = body_of(world, all[i].id);
        ck_assert(same_body(&all[i], &there) && !seen[all[i].id]);
        seen[all[i].id] = true;
    }
    ck_assert_uint_eq(pqt_world_collect(world, NULL, few, 7), 50);
    for (size_t i = 0; i < 7; i++)
        ck_assert(same_body(&few[i], &all[i]));
    ck_assert_uint_eq(pqt_world_collect(world, NULL, all, 50), 50);
    ck_assert_uint_eq(pqt_world_collect(world, NULL, NULL, 0), 50);
    const pqt_query one = {.window = box(6, 2, 6, 2), .relation = PQT_TOUCHES};
    ck_assert_uint_eq(pqt_world_collect(world, &one, few, 7), 1);
    ck_assert_uint_eq(few[0].id, 1);
    ck_assert_uint_eq(pqt_world_collect(small_world(), NULL, few, 7), 0);
}
END_TEST

/* ---- Model ---- */

enum { IDS = 90, MOST_CHANGES = 60, ROUNDS = 150, LEAST_ROUNDS = 50, KEPT = 8 };

static pqt_body_change
draw_change(dice *d)
{
    static const pqt_body_change_kind kinds[] = {PQT_BODY_ADD, PQT_BODY_REMOVE, PQT_BODY_CHANGE};
    const double r = dice_real(d) * 2;
    pqt_body body = flying(dice_below(d, IDS), 2 + 96 * dice_real(d), 2 + 96 * dice_real(d), r,
                           dice_real(d), dice_real(d));
    body.mass = 1;
    if (dice_chance(d, 2))
        body.position.x = 200;
    return change_of(kinds[dice_below(d, 3)], body);
}

/* Applies changes by the functions for single bodies. Returns NULL with an error set if one
   fails. */
static const pqt_world *
one_by_one(const pqt_world *world, const pqt_body_change *changes, size_t count, pqt_error *error)
{
    for (size_t i = 0; i < count && world != NULL; i++) {
        if (changes[i].kind == PQT_BODY_ADD)
            world = pqt_world_add(world, changes[i].body, error);
        else if (changes[i].kind == PQT_BODY_REMOVE)
            world = pqt_world_remove(world, changes[i].body.id, error);
        else
            world = pqt_world_change(world, changes[i].body, error);
        if (world == NULL)
            error->index = i;
    }
    return world;
}

/* Applies the changes in both ways, and compares the results. Returns 1, or 0 if both fail. */
static size_t
compare(const pqt_world *world, const pqt_body_change *changes, size_t count,
        const pqt_world **next)
{
    pqt_error error = {0}, expected_error = {0};
    const pqt_world *expected = one_by_one(world, changes, count, &expected_error);
    *next = pqt_world_apply(world, changes, count, &error);
    require((*next == NULL) == (expected == NULL) && error.status == expected_error.status &&
                error.index == expected_error.index,
            "another change fails");
    if (expected == NULL) {
        *next = world;
        return 0;
    }
    require(pqt_world_equals(*next, expected) &&
                pqt_world_fingerprint(*next).low == pqt_world_fingerprint(expected).low,
            "a batch makes another world");
    return 1;
}

START_TEST(random_batches_agree_with_single_changes)
{
    pqt_memory *memories[2];
    const size_t count = memories_of_tests(memories);
    const size_t rounds = test_scaled_from(ROUNDS, LEAST_ROUNDS);
    for (size_t k = 0; k < count; k++) {
        dice d = {test_seed(__func__) + k};
        const pqt_world *kept[KEPT], *world = row_world(memories[k], IDS / 2);
        pqt_fingerprint fingerprints[KEPT];
        size_t made = 0;
        for (size_t i = 0; i < KEPT; i++)
            kept[i] = world, fingerprints[i] = pqt_world_fingerprint(world);
        for (size_t i = 0; i < rounds; i++) {
            pqt_body_change changes[MOST_CHANGES];
            const size_t few = 1 + dice_below(&d, i % 3 == 0 ? MOST_CHANGES : 6);
            for (size_t c = 0; c < few; c++)
                changes[c] = draw_change(&d);
            made += compare(world, changes, few, &world);
            kept[i % KEPT] = world;
            fingerprints[i % KEPT] = pqt_world_fingerprint(world);
        }
        require(made > rounds / 5 && made < rounds, "all batches end alike");
        for (size_t i = 0; i < KEPT; i++) {
            expect_sound_world(kept[i]);
            require(pqt_world_fingerprint(kept[i]).high == fingerprints[i].high,
                    "an old world changed");
        }
    }
}
END_TEST

/* ---- Costs, and failing memories ---- */

START_TEST(a_batch_takes_fewer_blocks_than_single_changes)
{
    const pqt_world *world = row_world(arena, 500), *single = world;
    pqt_body bodies[50];
    pqt_error error = {0};
    for (size_t i = 0; i < 50; i++)
        bodies[i] = flying(i, 2 + (double)(i % 24) * 4, 2 + (double)(i / 24) * 4, 1, 3, 3);
    hooks watch = {0}, other = {0};
    hooks_start(&watch);
    const pqt_world *next = pqt_world_change_all(world, bodies, 50, &error);
    hooks_stop();
    hooks_start(&other);
    for (size_t i = 0; i < 50; i++)
        single = pqt_world_change(single, bodies[i], &error);
    hooks_stop();
    ck_assert(pqt_world_equals(must_world(next, &error), single));
    ck_assert_ptr_eq(pqt_world_tree(next), pqt_world_tree(world)); /* no body moved */
    ck_assert_uint_lt(4 * hooks_kept_blocks(&watch), hooks_kept_blocks(&other));
}
END_TEST

START_TEST(each_failed_allocation_is_handled)
{
    const pqt_world *world = row_world(arena, 200);
    pqt_body_change changes[30];
    dice d = {5};
    for (size_t i = 0; i < 30; i++) {
        changes[i] = draw_change(&d);
        changes[i].body.id = i % 3 == 0 ? 500 + i : 7 * i;
        changes[i].body.position.x = 50;
        changes[i].kind = i % 3 == 0   ? PQT_BODY_ADD
                          : i % 3 == 1 ? PQT_BODY_REMOVE
                                       : PQT_BODY_CHANGE;
    }
    const pqt_world *expected = after_batch(world, changes, 30);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_world *next = pqt_world_apply(world, changes, 30, &error);
        hooks_stop();
        if (watch.failures == 0) {
            ck_assert(pqt_world_equals(must_world(next, &error), expected));
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
    }
    ck_assert_uint_gt(failures, 20);
    expect_sound_world(world);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_nothing)
{
    pqt_memory *memory = pqt_collector();
    if (memory == NULL)
        return;
    const pqt_world *world = row_world(memory, 60);
    pqt_body bodies[20];
    pqt_error error = {0};
    for (size_t i = 0; i < 20; i++)
        bodies[i] = ball(3 * i, 50, 3 + 4 * (double)i, 1);
    const pqt_world *expected = pqt_world_change_all(row_world(arena, 60), bodies, 20, &error);
    hooks watch = {.collect_every = 1, .memory = memory};
    hooks_start(&watch);
    world = pqt_world_change_all(world, bodies, 20, &error);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 5);
    expect_sound_world(must_world(world, &error));
    ck_assert(pqt_world_equals(world, must_world(expected, &error)));
}
END_TEST

/* ---- Sharing between two maps ---- */

static bool
count_difference(const pqt_body *a, const pqt_body *b, void *context)
{
    ck_assert(a != NULL || b != NULL);
    *(size_t *)context += 1;
    return true;
}

/* The children of the shared blocks are invalid pointers, so that a comparison that reads them
 * crashes. */
START_TEST(a_comparison_does_not_enter_shared_nodes)
{
    const void *nowhere = (const void *)(uintptr_t)8;
    _Alignas(pqti_body_static_leaf) unsigned char
        block[sizeof(pqti_body_static_leaf) + sizeof(pqti_body_static)];
    pqti_body_static_leaf *leaf = (pqti_body_static_leaf *)block;
    leaf->count = 1;
    leaf->statics[0] = (pqti_body_static){.id = 7, .radius = 1};
    pqti_body_dynamic dynamic_state = {.position = {1, 2}}, moved = {.position = {1, 3}};
    const pqti_body_static_node shared = {1000, {nowhere, nowhere, nowhere, nowhere}, {0}};
    const pqti_body_dynamic_node below = {{nowhere, nowhere, nowhere, nowhere}, 0, 0};
    pqti_body_static_node of_a = {2001, {&shared, NULL, leaf, &shared}, {0}};
    pqti_body_dynamic_node in_a = {{&below, NULL, &dynamic_state, &below}, 0, 0}, in_b = in_a;
    in_b.child[2] = &moved;
    size_t count = 0;
    const pqti_bodymap a = {&of_a, &in_a, NULL}, b = {&of_a, &in_b, NULL};
    ck_assert(pqti_bodymap_compare(&a, &b, count_difference, &count));
    ck_assert_uint_eq(count, 1);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("world_batch");
    TCase *tests = add_tests(suite, "batches");
    tcase_add_test(tests, a_batch_equals_its_changes_one_by_one);
    tcase_add_test(tests, a_batch_that_changes_nothing_returns_the_same_version);
    tcase_add_test(tests, many_bodies_are_changed_and_removed);
    tests = add_tests(suite, "refusals");
    tcase_add_test(tests, the_first_bad_change_is_reported);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_misuse_tests(tests, misuse_stops_the_program, 7);
    tests = add_tests(suite, "arrays");
    tcase_add_test(tests, collect_returns_the_number_of_all_bodies_and_writes_those_that_fit);
    tests = add_tests(suite, "model");
    tcase_add_test(tests, random_batches_agree_with_single_changes);
    tests = add_tests(suite, "cost");
    tcase_add_test(tests, a_comparison_does_not_enter_shared_nodes);
    tests = add_tests(suite, "hostile");
    tcase_add_test(tests, a_batch_takes_fewer_blocks_than_single_changes);
    tcase_add_test(tests, each_failed_allocation_is_handled);
    tcase_add_test(tests, a_collection_at_each_allocation_loses_nothing);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
