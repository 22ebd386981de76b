/* SPDX-License-Identifier: MIT */
/* test_crossing.c: tests which bodies entered or left a zone between two versions. */
#include "config.h"

#include <string.h>

#include <pqt/circle.h>
#include <pqt/crossing.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "step_support.h"
#include "suite.h"

enum { MANY = 300, ROUNDS = 12, STEPS = 10 };

/* The visited crossings, of which at most `most` are accepted. */
typedef struct seen {
    size_t count, most;
    pqt_crossing crossings[MANY];
} seen;

static bool
see(const pqt_crossing *crossing, void *context)
{
    seen *s = context;
    require(s->count < MANY, "too many crossings");
    s->crossings[s->count++] = *crossing;
    return s->count < s->most;
}

static seen
crossings_of(const pqt_world *before, const pqt_world *after, const pqt_zone *zone)
{
    seen s = {.most = SIZE_MAX};
    pqt_error error = {0};
    require(pqt_world_visit_crossings(before, after, zone, see, &s, &error), error.text);
    return s;
}

static pqt_zone
box_zone(double min_x, double min_y, double max_x, double max_y)
{
    return (pqt_zone){.box = box(min_x, min_y, max_x, max_y)};
}

static const pqt_world *
random_bodies(dice *d, pqt_memory *memory)
{
    const pqt_world *world = world_in(box(0, 0, 200, 200), true, memory);
    for (uint64_t i = 0; i < MANY; i++)
        world = added(world,
                      flying(i * 7919 % 1009, 5 + 190 * dice_real(d), 5 + 190 * dice_real(d),
                             4 * dice_real(d), 300 * dice_real(d) - 150, 300 * dice_real(d) - 150));
    return world;
}

/* Returns true if a body is in a zone, as the public predicates decide. */
static bool
is_in(const pqt_world *world, uint64_t id, const pqt_zone *zone, const pqt_world *obstructed)
{
    pqt_body body;
    if (!pqt_world_find(world, id, &body))
        return false;
    const pqt_circle circle = {body.position, body.radius};
    return zone->region == NULL ? pqt_circle_overlaps_box(circle, zone->box)
                                : pqt_world_is_obstructed(obstructed, circle);
}

START_TEST(crossings_equal_those_of_a_comparison_of_all_bodies)
{
    dice d = {test_seed(__func__) + (uint64_t)_i};
    const pqt_pixel_box boxes[] = {{{20, 30}, {90, 35}}, {{60, 0}, {64, 90}}};
    pqt_zone zone = box_zone(50, 40, 150, 160);
    pqt_error error = {0};
    pqt_memory *memories[2];
    const size_t count = memories_of_tests(memories);
    pqt_memory *memory = memories[(size_t)(_i / 2) % count];
    const pqt_world *world = random_bodies(&d, memory), *obstructed = world;
    if (_i % 2 == 1) {
        zone = (pqt_zone){.region = boxes_in(memory, boxes, 2), .at = {12.3, 7.00061}};
        obstructed = obstructed_at(world, zone.region, zone.at.x, zone.at.y);
    }
    size_t crossed = 0;
    for (int k = 0; k < STEPS; k++) {
        const pqt_world *next = stepped(world, 0.05, NULL);
        next = must_world(pqt_world_remove(next, dice_below(&d, 1009), &error), &error);
        const seen s = crossings_of(world, next, &zone);
        size_t at = 0;
        for (uint64_t id = 0; id < 1009; id++) {
            const bool was_in = is_in(world, id, &zone, obstructed);
            const bool is_in_now = is_in(next, id, &zone, obstructed);
            if (was_in == is_in_now)
                continue;
            require(at < s.count, "a crossing is missing");
            ck_assert_uint_eq(s.crossings[at].body.id, id);
            ck_assert_int_eq(s.crossings[at].entered, is_in_now);
            at++;
        }
        ck_assert_uint_eq(at, s.count);
        crossed += at;
        world = next;
    }
    ck_assert_uint_gt(crossed, 50);
}
END_TEST

START_TEST(bodies_that_are_added_enter_and_those_that_are_removed_leave)
{
    const pqt_zone zone = box_zone(0, 0, 50, 50);
    const pqt_world *world = added(small_world(), ball(1, 10, 10, 1));
    pqt_error error = {0};
    const pqt_world *both = added(added(world, ball(2, 20, 20, 1)), ball(3, 80, 80, 1));
    seen s = crossings_of(world, both, &zone);
    ck_assert_uint_eq(s.count, 1);
    ck_assert_uint_eq(s.crossings[0].body.id, 2);
    require(s.crossings[0].entered, "an added body left");
    s = crossings_of(both, must_world(pqt_world_remove(both, 1, &error), &error), &zone);
    ck_assert_uint_eq(s.count, 1);
    ck_assert_uint_eq(s.crossings[0].body.id, 1);
    ck_assert_double_eq(s.crossings[0].body.position.x, 10);
    require(!s.crossings[0].entered, "a removed body entered");
    ck_assert_uint_eq(crossings_of(both, both, &zone).count, 0);
    /* A body that touches the side is not inside. */
    s = crossings_of(small_world(), added(small_world(), ball(4, 51, 20, 1)), &zone);
    ck_assert_uint_eq(s.count, 0);
}
END_TEST

START_TEST(only_changed_bodies_are_compared)
{
    dice d = {test_seed(__func__)};
    const pqt_world *world = random_bodies(&d, arena);
    pqt_query_stats stats = {0};
    pqt_zone zone = box_zone(0, 0, 200, 200);
    zone.stats = &stats;
    pqt_error error = {0};
    const pqt_world *next = must_world(pqt_world_remove(world, 7919 % 1009, &error), &error);
    ck_assert_uint_eq(crossings_of(world, next, &zone).count, 1);
    ck_assert_uint_eq(stats.boxes, 1);
    ck_assert_uint_eq(crossings_of(next, next, &zone).count, 0);
    ck_assert_uint_eq(stats.boxes, 1);
}
END_TEST

START_TEST(a_visitor_that_stops_gets_no_more_crossings)
{
    dice d = {test_seed(__func__)};
    const pqt_zone zone = box_zone(0, 0, 200, 200);
    const pqt_world *world = random_bodies(&d, arena);
    seen s = {.most = 3};
    pqt_error error = {0};
    require(!pqt_world_visit_crossings(world_in(box(0, 0, 200, 200), true, arena), world, &zone,
                                       see, &s, &error),
            "the visit did not stop");
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_uint_eq(s.count, 3);
    require(s.crossings[0].body.id < s.crossings[1].body.id, "not in the order of ids");
}
END_TEST

START_TEST(bad_zones_and_failed_allocations_are_reported)
{
    dice d = {test_seed(__func__)};
    const pqt_world *world = random_bodies(&d, arena),
                    *empty = world_in(box(0, 0, 1, 1), true, arena);
    const pqt_pixel_box pixels = {{0, 0}, {100, 100}};
    const pqt_region *region = boxes_in(arena, &pixels, 1);
    const struct {
        pqt_zone zone;
        pqt_status status;
    } cases[] = {
        {box_zone(0, NAN, 1, 1), PQT_ERROR_BOX},
        {box_zone(0, 2, 1, 1), PQT_ERROR_BOX},
        {box_zone(0, 0, INFINITY, 1), PQT_ERROR_BOX},
        {{.region = region, .at = {0, NAN}}, PQT_ERROR_LIMIT},
        {{.region = region, .at = {1e12, 0}}, PQT_ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pqt_error error = {0};
        seen s = {.most = SIZE_MAX};
        require(!pqt_world_visit_crossings(empty, world, &cases[i].zone, see, &s, &error),
                "a bad zone is accepted");
        ck_assert_int_eq(error.status, cases[i].status);
        ck_assert_msg(strncmp(error.text, "zone", 4) == 0, "%s", error.text);
        ck_assert_uint_eq(s.count, 0);
    }
    const pqt_zone zone = {.region = region};
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        seen s = {.most = SIZE_MAX};
        hooks_start(&watch);
        const bool done = pqt_world_visit_crossings(empty, world, &zone, see, &s, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(done && n > 2, "no allocation failed");
            break;
        }
        require(!done && error.status == PQT_ERROR_MEMORY && s.count == 0,
                "a failure is not reported");
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("crossing");
    TCase *tests = add_tests(suite, "zones");
    tcase_add_loop_test(tests, crossings_equal_those_of_a_comparison_of_all_bodies, 0, ROUNDS);
    tcase_add_test(tests, bodies_that_are_added_enter_and_those_that_are_removed_leave);
    tcase_add_test(tests, only_changed_bodies_are_compared);
    tcase_add_test(tests, a_visitor_that_stops_gets_no_more_crossings);
    tcase_add_test(tests, bad_zones_and_failed_allocations_are_reported);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
