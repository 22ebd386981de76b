/* SPDX-License-Identifier: MIT */
/* test_moment.c: tests shots through a world as it was at a moment between two versions. */
#include "config.h"

#include <pqt/moment.h>

#include "hooks.h"
#include "step_support.h"
#include "suite.h"

enum { MANY = 120, ROUNDS = 20, SHOTS = 30 };

/* The hits of a shot, in order. */
typedef struct seen {
    size_t count, most;
    pqt_shot_hit hits[2 * MANY];
} seen;

static bool
see(const pqt_shot_hit *hit, void *context)
{
    seen *s = context;
    require(s->count < 2 * MANY, "too many hits");
    s->hits[s->count++] = *hit;
    return s->count < s->most;
}

static seen
hits_of(const pqt_moment *moment, const pqt_shot *shot)
{
    seen s = {.most = SIZE_MAX};
    pqt_error error = {0};
    require(pqt_moment_visit_hits(moment, shot, see, &s, &error), error.text);
    return s;
}

static pqt_shot
bullet(double x, double y, double to_x, double to_y)
{
    return pqt_shot_of(pqt_mover_circle(0, (pqt_vec){x, y}, (pqt_vec){to_x, to_y}));
}

/* ---- The model ---- */

/* Sets *body to the body with an id at a moment, as the header defines it. Returns false if there
 * is none. */
static bool
model_body(const pqt_moment *m, uint64_t id, pqt_body *body)
{
    pqt_body before, after;
    const bool was = pqt_world_find(m->before, id, &before);
    const bool is = pqt_world_find(m->after, id, &after);
    if (m->fraction == 1 ? !is : !was)
        return false;
    *body = m->fraction == 1 ? after : before;
    if (was && is && m->fraction < 1) {
        const double dx = after.position.x - before.position.x;
        const double dy = after.position.y - before.position.y;
        body->position.x = before.position.x + m->fraction * dx;
        body->position.y = before.position.y + m->fraction * dy;
    }
    return true;
}

static bool
model_meets(const pqt_shot *shot, const pqt_body *body)
{
    return !body->sensor && (shot->mask == 0 || (shot->mask & body->category) != 0) &&
           (body->mask == 0 || (body->mask & shot->category) != 0);
}

/* Finds all hits by testing all bodies. Sorts them by time and id. */
static seen
model_hits(const pqt_moment *m, const pqt_shot *shot)
{
    seen s = {.most = SIZE_MAX};
    for (uint64_t id = 0; id < 2 * MANY; id++) {
        pqt_body body;
        if (!model_body(m, id, &body) || !model_meets(shot, &body))
            continue;
        pqt_shot_hit hit = {
            body,
            pqt_sweep_pair(shot->mover, pqt_mover_circle(body.radius, body.position, body.position),
                           NULL)};
        if (hit.sweep.status != PQT_SWEEP_HITS && hit.sweep.status != PQT_SWEEP_OVERLAPS)
            continue;
        size_t at = s.count++;
        for (; at > 0 && s.hits[at - 1].sweep.time > hit.sweep.time; at--)
            s.hits[at] = s.hits[at - 1];
        s.hits[at] = hit;
    }
    return s;
}

static void
expect_same_hits(const seen *a, const seen *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const pqt_shot_hit *x = &a->hits[i], *y = &b->hits[i];
        require(same_body(&x->body, &y->body), "another body is hit");
        require(x->sweep.status == y->sweep.status && x->sweep.time == y->sweep.time &&
                    x->sweep.stop.x == y->sweep.stop.x && x->sweep.stop.y == y->sweep.stop.y &&
                    x->sweep.normal.x == y->sweep.normal.x &&
                    x->sweep.normal.y == y->sweep.normal.y,
                "another sweep");
    }
}

static const pqt_world *
random_world(dice *d, pqt_memory *memory)
{
    const pqt_world *world = world_in(box(0, 0, 200, 200), true, memory);
    for (uint64_t id = 0; id < MANY; id++) {
        pqt_body body =
            flying(id, 5 + 190 * dice_real(d), 5 + 190 * dice_real(d), 1 + 4 * dice_real(d), 0, 0);
        if (id % 3 != 0)
            body.velocity = (pqt_vec){200 * dice_real(d) - 100, 200 * dice_real(d) - 100};
        body.fixed = id % 9 == 0;
        body.sensor = id % 11 == 0;
        body.category = (uint32_t)(1 + id % 4);
        body.mask = id % 5 == 0 ? 2 : 0;
        world = added(world, body);
    }
    return world;
}

/* Removes, adds, grows and teleports some bodies. */
static const pqt_world *
edited(const pqt_world *world, dice *d)
{
    pqt_error error = {0};
    for (uint64_t id = 1; id < MANY; id += 17) {
        pqt_body body = body_of(world, id);
        world = must_world(pqt_world_remove(world, id + 1, &error), &error);
        body.radius += 0.5;
        body.position = (pqt_vec){10 + 180 * dice_real(d), 10 + 180 * dice_real(d)};
        world = must_world(pqt_world_change(world, body, &error), &error);
        body.id = MANY + id;
        body.position.x = 10 + 180 * dice_real(d);
        world = added(world, body);
    }
    return world;
}

static pqt_shot
random_shot(dice *d)
{
    const pqt_vec from = {220 * dice_real(d) - 10, 220 * dice_real(d) - 10};
    const pqt_vec to = {220 * dice_real(d) - 10, 220 * dice_real(d) - 10};
    const double size = 3 * dice_real(d);
    static const pqt_convex shapes[] = {
        {.count = 3, .vertices = {{-3, -1}, {4, 0}, {-3, 2}}},
        {.count = 2, .radius = 1.5, .vertices = {{-2, -2}, {3, 1}}}};
    pqt_shot shot;
    switch ((int)(6 * dice_real(d))) {
    case 0:
        shot = pqt_shot_of(pqt_mover_circle(0, from, to));
        break;
    case 1:
        shot = pqt_shot_of(pqt_mover_circle(size, from, to));
        break;
    case 2:
        shot = pqt_shot_of(pqt_mover_box(box(-size, -1, size, 1), from, to));
        break;
    case 3:
    case 4:
        shot = pqt_shot_of(pqt_mover_convex(&shapes[size > 1], from, to));
        break;
    default: /* at rest */
        shot = pqt_shot_of(pqt_mover_circle(5 * size, from, from));
        break;
    }
    shot.category = (uint32_t)(4 * dice_real(d));
    shot.mask = (uint32_t)(3 * dice_real(d));
    return shot;
}

START_TEST(hits_equal_those_of_a_comparison_with_all_bodies)
{
    dice d = {test_seed(__func__) + (uint64_t)_i};
    pqt_error error = {0};
    pqt_memory *memories[2], *other = pqt_arena_make(0, &error);
    const size_t count = memories_of_tests(memories);
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0.5;
    options.rest_speed = 1;
    const pqt_world *before = random_world(&d, memories[(size_t)_i % count]);
    const pqt_world *after = edited(after_steps(before, 6, 1 / 60.0, &options), &d);
    if (_i % 2 == 0)
        after = must_world(pqt_world_copy(after, other, &error), &error);
    static const double fractions[] = {0, 1, 0.5, 0x1p-60, 1 - 0x1p-53, 0.1};
    size_t hits = 0;
    for (int k = 0; k < SHOTS; k++) {
        const pqt_moment moment = {before, after, k < 6 ? fractions[k] : dice_real(&d)};
        const pqt_shot shot = random_shot(&d);
        const seen must = model_hits(&moment, &shot), got = hits_of(&moment, &shot);
        expect_same_hits(&got, &must);
        hits += must.count;
        pqt_shot_hit first;
        require(pqt_moment_sweep(&moment, &shot, &first, &error) == (must.count > 0), error.text);
        if (must.count > 0)
            require(same_body(&first.body, &must.hits[0].body) &&
                        first.sweep.time == must.hits[0].sweep.time,
                    "the first hit is another");
    }
    ck_assert_uint_gt(hits, 0);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(the_fractions_0_and_1_are_the_versions)
{
    dice d = {test_seed(__func__)};
    const pqt_step_options options = PQT_STEP_DEFAULTS;
    const pqt_world *before = random_world(&d, arena);
    const pqt_world *after = stepped(edited(before, &d), 0.1, &options);
    pqt_error error = {0};
    for (uint64_t id = 0; id < 2 * MANY; id++)
        for (int at = 0; at < 2; at++) {
            const pqt_world *version = at == 0 ? before : after;
            pqt_body must, got;
            const bool there = pqt_world_find(version, id, &must);
            require(pqt_moment_find(&(pqt_moment){before, after, at}, id, &got, &error) == there,
                    error.text);
            require(!there || same_body(&got, &must), "a body differs from the version");
        }
    for (int k = 0; k < SHOTS; k++) {
        const pqt_shot shot = random_shot(&d);
        const seen at_0 = hits_of(&(pqt_moment){before, after, 0}, &shot);
        const seen in_before = hits_of(&(pqt_moment){before, before, 0.7}, &shot);
        expect_same_hits(&at_0, &in_before);
        const seen at_1 = hits_of(&(pqt_moment){before, after, 1}, &shot);
        const seen in_after = hits_of(&(pqt_moment){after, after, 0.7}, &shot);
        expect_same_hits(&at_1, &in_after);
    }
}
END_TEST

/* ---- Single shots ---- */

START_TEST(a_shot_hits_where_the_target_was)
{
    const pqt_step_options options = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    pqt_shot_hit hit;
    const pqt_world *kept[5] = {added(small_world(), flying(7, 10, 50, 2, 16, 0))};
    for (int k = 1; k < 5; k++)
        kept[k] = stepped(kept[k - 1], 0.5, &options); /* at x = 10, 18, 26, 34, 42 */
    const pqt_shot shot = bullet(24, 90, 24, 10);
    require(!pqt_moment_sweep(&(pqt_moment){kept[4], kept[4], 0}, &shot, &hit, &error) &&
                error.status == PQT_OK,
            "the shot hits where the target is now");
    require(pqt_moment_sweep(&(pqt_moment){kept[1], kept[2], 0.75}, &shot, &hit, &error),
            "the shot misses where the target was");
    ck_assert_uint_eq(hit.body.id, 7);
    ck_assert_double_eq(hit.body.position.x, 24);
    ck_assert_double_eq_tol(hit.sweep.time, 38 / 80.0, 1e-12);
    ck_assert_double_eq(hit.sweep.normal.y, 1);
    require(!pqt_moment_sweep(&(pqt_moment){kept[1], kept[2], 0.25}, &shot, &hit, &error),
            "the shot hits at another moment");
}
END_TEST

static bool
is_odd(const pqt_body *body, void *context)
{
    (void)context;
    return body->id % 2 == 1;
}

START_TEST(sensors_masks_and_filters_decide_what_is_hit)
{
    pqt_body area = ball(1, 30, 50, 2), friend = ball(2, 50, 50, 2), enemy = ball(3, 70, 50, 2);
    area.sensor = true;
    friend.category = 1;
    enemy.category = 2;
    const pqt_world *world = added(added(added(small_world(), area), friend), enemy);
    const pqt_moment moment = {world, world, 0.5};
    pqt_shot shot = bullet(10, 50, 90, 50);
    ck_assert_uint_eq(hits_of(&moment, &shot).count, 2);
    shot.mask = 2;
    ck_assert_uint_eq(hits_of(&moment, &shot).hits[0].body.id, 3);
    shot.mask = 0;
    shot.filter = is_odd;
    ck_assert_uint_eq(hits_of(&moment, &shot).count, 1);
}
END_TEST

START_TEST(a_visitor_may_stop)
{
    const pqt_world *world = added(added(small_world(), ball(1, 30, 50, 2)), ball(2, 50, 50, 2));
    const pqt_moment moment = {world, world, 0};
    const pqt_shot shot = bullet(10, 50, 90, 50);
    pqt_error error = {0};
    seen s = {.most = 1};
    require(!pqt_moment_visit_hits(&moment, &shot, see, &s, &error), "it goes on");
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert_uint_eq(s.count, 1);
}
END_TEST

/* ---- Cost ---- */

START_TEST(bodies_at_rest_are_compared_only_near_the_path)
{
    const pqt_step_options options = PQT_STEP_DEFAULTS;
    pqt_query_stats stats = {0};
    const pqt_world *before = world_in(box(0, 0, 1000, 1000), true, arena);
    for (uint64_t id = 0; id < 2500; id++)
        before = added(before,
                       ball(id, 10 + 19.6 * (double)(id % 50), 10 + 19.6 * (double)(id / 50), 2));
    before = added(before, flying(9000, 500, 500, 1, 30, 5));
    const pqt_world *after = stepped(before, 0.1, &options);
    pqt_shot shot = bullet(0, 3, 1000, 990);
    shot.stats = &stats;
    hits_of(&(pqt_moment){before, after, 0.5}, &shot);
    ck_assert_uint_lt(stats.boxes, 500); /* the box of the path touches all 2,501 bodies */
    const uint64_t of_oblique = stats.boxes;
    stats = (pqt_query_stats){0};
    shot.mover = pqt_mover_circle(1, (pqt_vec){100, 100}, (pqt_vec){140, 100});
    hits_of(&(pqt_moment){before, after, 0.5}, &shot);
    ck_assert_uint_lt(stats.boxes, 60);
    ck_assert_uint_gt(of_oblique, stats.boxes);
    ck_assert_uint_gt(stats.boxes, 0);
}
END_TEST

/* ---- Invalid arguments ---- */

START_TEST(bad_moments_and_shots_are_refused)
{
    static const double bad[] = {-0.5, 1.5, NAN, INFINITY, -INFINITY, -0x1p-1074};
    const pqt_world *world = added(small_world(), ball(1, 50, 50, 2));
    const pqt_shot shot = bullet(10, 50, 90, 50);
    pqt_body body;
    pqt_shot_hit hit;
    seen s = {.most = 1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const pqt_moment moment = {world, world, bad[i]};
        pqt_error errors[3] = {{0}};
        require(!pqt_moment_find(&moment, 1, &body, &errors[0]) &&
                    !pqt_moment_sweep(&moment, &shot, &hit, &errors[1]) &&
                    !pqt_moment_visit_hits(&moment, &shot, see, &s, &errors[2]),
                "a bad fraction is accepted");
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(errors[k].status, PQT_ERROR_OPTION);
    }
    pqt_error error = {0};
    require(!pqt_moment_find(&(pqt_moment){world, world, -0.5}, 1, &body, &error), "accepted");
    ck_assert_str_eq(error.text, "fraction is -0.5, not in 0 .. 1");
    const pqt_shot wrong[] = {bullet(NAN, 0, 1, 1), bullet(0, 0, INFINITY, 1),
                              pqt_shot_of(pqt_mover_circle(-1, (pqt_vec){0, 0}, (pqt_vec){1, 1}))};
    for (size_t i = 0; i < 3; i++) {
        pqt_error of_sweep = {0}, of_visit = {0};
        require(!pqt_moment_sweep(&(pqt_moment){world, world, 0}, &wrong[i], &hit, &of_sweep) &&
                    !pqt_moment_visit_hits(&(pqt_moment){world, world, 0}, &wrong[i], see, &s,
                                           &of_visit),
                "a bad mover is accepted");
        ck_assert_int_eq(of_sweep.status, PQT_ERROR_BOX);
        ck_assert_int_eq(of_visit.status, PQT_ERROR_BOX);
    }
    ck_assert_uint_eq(s.count, 0);
}
END_TEST

START_TEST(each_failed_allocation_is_handled)
{
    dice d = {test_seed(__func__)};
    const pqt_step_options options = PQT_STEP_DEFAULTS;
    const pqt_world *before = random_world(&d, arena), *after = stepped(before, 0.1, &options);
    const pqt_moment moment = {before, after, 0.5};
    const pqt_shot shot =
        pqt_shot_of(pqt_mover_circle(80, (pqt_vec){100, 100}, (pqt_vec){101, 100}));
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        seen s = {.most = SIZE_MAX};
        hooks_start(&watch);
        const bool good = pqt_moment_visit_hits(&moment, &shot, see, &s, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(good && s.count > 16, error.text);
            break;
        }
        failures++;
        require(!good && error.status == PQT_ERROR_MEMORY && s.count == 0, "a failure is lost");
    }
    ck_assert_uint_gt(failures, 1);
    hooks watch = {.fail_at = 1};
    pqt_error error = {0};
    pqt_shot_hit hit;
    hooks_start(&watch);
    require(pqt_moment_sweep(&moment, &shot, &hit, &error), error.text);
    hooks_stop();
    ck_assert_uint_eq(watch.failures, 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("moment");
    TCase *tests = add_tests(suite, "model");
    tcase_add_loop_test(tests, hits_equal_those_of_a_comparison_with_all_bodies, 0, ROUNDS);
    tcase_add_test(tests, the_fractions_0_and_1_are_the_versions);
    tests = add_tests(suite, "single shots");
    tcase_add_test(tests, a_shot_hits_where_the_target_was);
    tcase_add_test(tests, sensors_masks_and_filters_decide_what_is_hit);
    tcase_add_test(tests, a_visitor_may_stop);
    tests = add_tests(suite, "cost");
    tcase_add_test(tests, bodies_at_rest_are_compared_only_near_the_path);
    tests = add_tests(suite, "bad input");
    tcase_add_test(tests, bad_moments_and_shots_are_refused);
    tcase_add_test(tests, each_failed_allocation_is_handled);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
