/* SPDX-License-Identifier: MIT */
/*
 * test_obstacle.c: tests obstacles of worlds case by case: setting them, and single balls that hit
 * pixels.
 */
#include "config.h"

#include <stdio.h>

#include <pqt/circle.h>
#include <pqt/history.h>
#include <pqt/recording.h>

#include "hooks.h"
#include "obstacle_support.h"
#include "suite.h"

static const pqt_pixel_box post = {{60, 45}, {61, 55}};
static const pqt_pixel_box slab = {{0, 80}, {100, 100}};

/* ---- The obstacle of a version ---- */

START_TEST(a_world_holds_the_obstacle_that_it_is_given)
{
    const pqt_region *region = boxes_in(arena, &post, 1);
    const pqt_world *bare = added(small_world(), ball(1, 50, 50, 1));
    ck_assert_ptr_null(pqt_world_get_obstacle(bare).region);
    const pqt_world *world = obstructed_at(bare, region, 3.25, -0.0004);
    ck_assert_ptr_eq(pqt_world_get_obstacle(world).region, region);
    ck_assert(pqt_world_get_obstacle(world).at.x == 3.25);
    ck_assert(pqt_world_get_obstacle(world).at.y == 0);
    ck_assert_ptr_null(pqt_world_get_obstacle(bare).region);
    ck_assert(pqt_world_tree(world) == pqt_world_tree(bare));
    ck_assert_ptr_eq(obstructed_at(world, region, 3.25, 0), world);
    ck_assert_ptr_eq(obstructed_at(world, boxes_in(arena, &post, 1), 3.25, 0.0001), world);
    expect_sound_world(world);
}
END_TEST

START_TEST(a_position_is_rounded_to_the_lattice)
{
    const double given[] = {0.5 / 1024, -0.5 / 1024, 0.49999999999999994 / 1024, 1048576, -1048576};
    const double rounded[] = {1.0 / 1024, 0, 0, 1048576, -1048576};
    const pqt_region *region = boxes_in(arena, &post, 1);
    for (int i = 0; i < 5; i++) {
        const pqt_world *world = obstructed_at(small_world(), region, given[i], 0);
        ck_assert(pqt_world_get_obstacle(world).at.x == rounded[i]);
        ck_assert(!signbit(pqt_world_get_obstacle(world).at.x) || rounded[i] < 0);
    }
}
END_TEST

START_TEST(a_region_without_pixels_is_no_obstacle)
{
    pqt_error error = {0};
    const pqt_region *nothing = must_region(pqt_region_make(arena, &error), &error);
    const pqt_world *bare = small_world(), *world = obstructed(bare, &post, 1);
    ck_assert_ptr_eq(obstructed_at(bare, nothing, 5, 5), bare);
    const pqt_world *cleared = obstructed_at(world, nothing, 5, 5);
    ck_assert_ptr_null(pqt_world_get_obstacle(cleared).region);
    ck_assert(pqt_world_equals(cleared, bare));
}
END_TEST

START_TEST(equality_and_fingerprints_include_the_obstacle)
{
    const pqt_region *region = boxes_in(arena, &post, 1);
    const pqt_world *bare = added(small_world(), ball(1, 50, 50, 1));
    const pqt_world *a = obstructed_at(bare, region, 0, 0);
    const pqt_world *b = obstructed_at(small_world(), boxes_in(arena, &post, 1), 0, 0);
    b = added(b, ball(1, 50, 50, 1));
    ck_assert(pqt_world_equals(a, b));
    ck_assert_uint_eq(pqt_world_fingerprint(a).low, pqt_world_fingerprint(b).low);
    ck_assert_uint_eq(pqt_world_fingerprint(a).high, pqt_world_fingerprint(b).high);
    const pqt_world *others[] = {bare, obstructed_at(bare, region, 1, 0),
                                 obstructed_at(bare, boxes_in(arena, &slab, 1), 0, 0)};
    for (int i = 0; i < 3; i++) {
        ck_assert(!pqt_world_equals(a, others[i]));
        ck_assert_uint_ne(pqt_world_fingerprint(a).low, pqt_world_fingerprint(others[i]).low);
        ck_assert_uint_ne(pqt_world_fingerprint(a).high, pqt_world_fingerprint(others[i]).high);
        ck_assert(!pqt_world_differs(a, others[i], NULL));
    }
}
END_TEST

static size_t
own_bytes(const pqt_world *world, const pqt_world *beside)
{
    return pqt_world_shared_bytes(world, world) - pqt_world_shared_bytes(world, beside);
}

START_TEST(every_edit_of_a_world_keeps_its_obstacle)
{
    pqt_error error = {0};
    const pqt_world *world = obstructed(small_world(), &post, 1);
    const pqt_region *region = pqt_world_get_obstacle(world).region;
    const pqt_body body = flying(1, 20, 20, 1, 3, 3), other = flying(1, 30, 20, 1, 3, 3);
    const pqt_world *all[7] = {added(world, body)};
    all[1] = pqt_world_change(all[0], other, &error);
    all[2] = stepped(all[1], 0.5, NULL);
    all[3] = pqt_world_search(
        all[2], &(pqt_query){.window = {{0, 0}, {1, 1}}, .relation = PQT_TOUCHES}, &error);
    all[4] = pqt_world_remove(all[2], 1, &error);
    all[5] = pqt_world_clear(all[2], &error);
    all[6] = with_bodies(world, &body, 1);
    for (int i = 0; i < 7; i++) {
        ck_assert_ptr_eq(pqt_world_get_obstacle(must_world(all[i], &error)).region, region);
        expect_sound_world(all[i]);
        ck_assert_uint_lt(own_bytes(all[i], world), 1000);
    }
    ck_assert(pqt_world_equals(all[5], world));
    const size_t of_region = pqt_region_get_stats(region).bytes;
    ck_assert_uint_gt(pqt_world_get_stats(world).bytes,
                      of_region + pqt_world_get_stats(small_world()).bytes);
}
END_TEST

START_TEST(a_copy_includes_the_obstacle)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_world *world = added(obstructed(small_world(), &post, 1), ball(1, 50, 50, 1));
    const pqt_world *copy = must_world(pqt_world_copy(world, other, &error), &error);
    ck_assert(pqt_world_equals(copy, world));
    ck_assert_ptr_eq(pqt_region_memory(pqt_world_get_obstacle(copy).region), other);
    expect_sound_world(copy);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_history_counts_the_bytes_that_each_obstacle_adds)
{
    pqt_error error = {0};
    const pqt_pixel_box two[] = {post, {{5, 5}, {6, 6}}};
    const pqt_world *bare = added(small_world(), ball(1, 50, 50, 1));
    const pqt_world *with = obstructed(bare, &post, 1), *more = obstructed(bare, two, 2);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_WORLD), bare, NULL, &error);
    const pqt_world *const all[] = {bare, with, more,
                                    stepped(added(more, flying(2, 9, 9, 1, 1, 1)), 1, NULL)};
    for (int i = 1; i < 4; i++) {
        const size_t before = pqt_history_get_stats(history).bytes;
        require(pqt_history_push(history, all[i], &(pqt_history_entry_info){0}, &error),
                error.text);
        ck_assert_uint_eq(pqt_history_get_stats(history).bytes - before,
                          own_bytes(all[i], all[i - 1]));
    }
    ck_assert(pqt_history_undo(history) && pqt_history_undo(history));
    ck_assert_ptr_eq(pqt_history_value(history), with);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(bad_obstacles_are_refused)
{
    const pqt_region *region = boxes_in(arena, &post, 1);
    const pqt_world *world = small_world();
    const struct {
        pqt_vec at;
        const char *text;
    } bad[] = {{{NAN, 0}, "obstacle: at.x is nan, not within 1048576 of 0"},
               {{0, -INFINITY}, "obstacle: at.y is -inf, not within 1048576 of 0"},
               {{1048577, 0}, "obstacle: at.x is 1048577, not within 1048576 of 0"}};
    for (int i = 0; i < 3; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(
            pqt_world_set_obstacle(world, (pqt_obstacle){region, bad[i].at}, &error));
        expect_failure(&error, PQT_ERROR_LIMIT, 0, bad[i].text);
    }
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_region *stranger = boxes_in(other, &post, 1);
    ck_assert_ptr_null(pqt_world_set_obstacle(world, (pqt_obstacle){stranger, {0, 0}}, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0,
                   "obstacle: the region is not in the memory of the world");
    pqt_arena_destroy(&other);
    error = earlier_failure();
    ck_assert_ptr_null(pqt_world_set_obstacle(world, (pqt_obstacle){NULL, {0, 0}}, &error));
    ck_assert_ptr_null(pqt_world_set_obstacle(NULL, (pqt_obstacle){region, {0, 0}}, &error));
    expect_earlier_failure(&error);
}
END_TEST

START_TEST(an_obstacle_without_a_region_stops_the_program)
{
    pqt_error error = {0};
    (void)!pqt_world_set_obstacle(small_world(), (pqt_obstacle){NULL, {0, 0}}, &error);
}
END_TEST

START_TEST(setting_an_obstacle_of_null_stops_the_program)
{
    pqt_error error = {0};
    const pqt_region *region = boxes_in(arena, &post, 1);
    (void)!pqt_world_set_obstacle(NULL, (pqt_obstacle){region, {0, 0}}, &error);
}
END_TEST

START_TEST(getting_the_obstacle_of_null_stops_the_program)
{
    (void)pqt_world_get_obstacle(NULL);
}
END_TEST

START_TEST(a_query_of_null_stops_the_program)
{
    (void)pqt_world_is_obstructed(NULL, (pqt_circle){{0, 0}, 1});
}
END_TEST

START_TEST(an_obstructed_position_overlaps_a_pixel)
{
    const pqt_world *world = obstructed(small_world(), &post, 1);
    ck_assert(pqt_world_is_obstructed(world, (pqt_circle){{58.5, 50}, 2}));
    ck_assert(!pqt_world_is_obstructed(world, (pqt_circle){{58, 50}, 2}));
    ck_assert(pqt_world_is_obstructed(world, (pqt_circle){{60.5, 50}, 0}));
    /* a point on a side of a pixel overlaps it, too */
    ck_assert(pqt_world_is_obstructed(world, (pqt_circle){{60, 50}, 0}));
    ck_assert(!pqt_world_is_obstructed(world, (pqt_circle){{60 - 1.0 / 1024, 50}, 0}));
    ck_assert(!pqt_world_is_obstructed(world, (pqt_circle){{60.5, 50}, -1}));
    ck_assert(!pqt_world_is_obstructed(world, (pqt_circle){{NAN, 50}, 1}));
    ck_assert(!pqt_world_is_obstructed(small_world(), (pqt_circle){{60.5, 50}, 1}));
}
END_TEST

/* The circles just touch a pixel, overlap it by a rounding error, or are at random positions. */
START_TEST(obstruction_agrees_with_the_boxes_of_pixels)
{
    dice d = {test_seed(__func__)};
    size_t yes = 0, no = 0;
    for (int round = 0; round < 3000; round++) {
        pqt_pixel_box boxes[12];
        for (int i = 0; i < 12; i++) {
            const int x = (int)dice_below(&d, 90), y = (int)dice_below(&d, 90);
            boxes[i] =
                pixels(x, y, x + 1 + (int)dice_below(&d, 10), y + 1 + (int)dice_below(&d, 10));
        }
        const pqt_vec at = {(double)dice_below(&d, 4096) / 1024,
                            -(double)dice_below(&d, 4096) / 1024};
        const pqt_world *world =
            obstructed_at(small_world(), boxes_in(arena, boxes, 12), at.x, at.y);
        const double r = round % 2 == 0 ? 0.25 + (double)dice_below(&d, 12) / 4 : 4 * dice_real(&d);
        const double x = boxes[0].min.x + at.x - r, y = 100 * dice_real(&d);
        const double nudge = ldexp((double)dice_below(&d, 5) - 2, -50);
        const pqt_circle circle = {{round % 3 == 0 ? 100 * dice_real(&d) : x + nudge, y}, r};
        bool met = false;
        for (int i = 0; i < 12; i++) {
            const pqt_box box = {{boxes[i].min.x + at.x, boxes[i].min.y + at.y},
                                 {boxes[i].max.x + at.x, boxes[i].max.y + at.y}};
            met = met || pqt_circle_overlaps_box(circle, box);
        }
        require(pqt_world_is_obstructed(world, circle) == met, "a pixel disagrees");
        yes += met;
        no += !met;
    }
    ck_assert_uint_gt(yes, 100);
    ck_assert_uint_gt(no, 500);
}
END_TEST

/* ---- Single balls ---- */

START_TEST(a_ball_bounces_off_a_pixel)
{
    const double restitution[] = {1, 0.5, 0};
    for (int i = 0; i < 3; i++) {
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        options.restitution = restitution[i];
        const pqt_world *world = stepped(
            added(obstructed(small_world(), &post, 1), flying(1, 50, 50, 2, 16, 0.5)), 1, &options);
        const pqt_body body = body_of(world, 1);
        ck_assert(body.velocity.x == -16 * restitution[i] && body.velocity.y == 0.5);
        ck_assert(body.position.x == 58 - 8 * restitution[i] && body.position.y == 50.5);
        ck_assert_uint_eq(report.obstacle_hits, 1);
        ck_assert_uint_eq(report.bounces, 0);
    }
}
END_TEST

START_TEST(a_ball_bounces_off_each_side_of_a_pixel)
{
    const pqt_pixel_box pixel = {{50, 50}, {51, 51}};
    const pqt_vec ways[] = {{8, 0}, {-8, 0}, {0, 8}, {0, -8}};
    for (int i = 0; i < 4; i++) {
        const pqt_vec w = ways[i];
        const pqt_body body = flying(1, 50.5 - w.x, 50.5 - w.y, 0.5, 2 * w.x, 2 * w.y);
        const pqt_world *world =
            stepped(added(obstructed(small_world(), &pixel, 1), body), 1, NULL);
        const pqt_body after = body_of(world, 1);
        ck_assert(after.velocity.x == -2 * w.x && after.velocity.y == -2 * w.y);
        ck_assert(after.position.x == 50.5 - w.x / 8 * 10 &&
                  after.position.y == 50.5 - w.y / 8 * 10);
    }
}
END_TEST

/* The normal at a corner points from the corner to the centre. */
START_TEST(a_hit_at_the_very_end_of_a_step_happens_in_it)
{
    for (int i = 0; i < 4; i++) {
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        const bool falls = i / 2 == 1, rising = i % 2 == 0;
        const pqt_pixel_box pixel = {{50, 50}, {51, 51}};
        const double speed = rising ? 8 : -8, end = rising ? 48 : 53, from = end - 3 * speed;
        const pqt_world *world = obstructed(small_world(), &pixel, 1);
        world = added(world, falls ? flying(1, 50.5, from, 2, 0, speed)
                                   : flying(1, from, 50.5, 2, speed, 0));
        world = stepped(world, 3, &options);
        const pqt_body body = body_of(world, 1);
        ck_assert_uint_eq(report.obstacle_hits, 1);
        ck_assert((falls ? body.velocity.y : body.velocity.x) == -speed);
        ck_assert((falls ? body.position.y : body.position.x) == end);
    }
}
END_TEST

START_TEST(a_corner_deflects_a_ball_like_a_fixed_point)
{
    const pqt_pixel_box block = {{50, 50}, {60, 60}};
    dice d = {test_seed(__func__)};
    for (int round = 0; round < 200; round++) {
        const double r = 0.1 + 3 * dice_real(&d), miss = r * (0.1 + 0.55 * dice_real(&d));
        /* The ball passes the corner at (50, 50) on a diagonal, so close to it that it does not hit
           a side first. */
        const pqt_body body = flying(1, 40 + miss * 0.7, 40 - miss * 0.7, r, 30, 30);
        pqt_body stone = ball(2, 50, 50, 0);
        stone.fixed = true;
        stone.mass = 1;
        const pqt_world *pixel_world =
            stepped(added(obstructed(small_world(), &block, 1), body), 0.5, NULL);
        const pqt_world *stone_world = stepped(added(added(small_world(), body), stone), 0.5, NULL);
        const pqt_body a = body_of(pixel_world, 1), b = body_of(stone_world, 1);
        require(fabs(a.position.x - b.position.x) < 1e-9 &&
                    fabs(a.position.y - b.position.y) < 1e-9,
                "the corner is not a point");
        require(fabs(a.velocity.x - b.velocity.x) < 1e-9, "the normal differs");
    }
}
END_TEST

/* The floor consists of many squares of all sizes and of single pixels. */
START_TEST(a_flat_floor_causes_no_ghost_collisions)
{
    pqt_pixel_box rows[101];
    for (int i = 0; i < 100; i++)
        rows[i] = pixels(i, 80, i + 1, 81 + i % 3);
    rows[100] = slab;
    for (int n = 0; n < 2; n++) {
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        const pqt_world *world =
            added(obstructed(small_world(), n == 0 ? rows : &rows[100], n == 0 ? 100 : 1),
                  flying(1, 2, 80 - 1.3, 1.3, 1024, 0));
        options.restitution = 0;
        options.gravity.y = 64;
        for (int i = 0; i < 80; i++) {
            world = stepped(world, 1.0 / 1024, &options);
            require(body_of(world, 1).velocity.x == 1024, "an edge between pixels was hit");
            require(!pqt_world_is_obstructed(world, (pqt_circle){body_of(world, 1).position, 1.3}),
                    "the ball sinks into the floor");
        }
        ck_assert(body_of(world, 1).position.x == 82);
        ck_assert_uint_eq(report.obstacle_hits, 80);
        ck_assert_uint_eq(report.plastic, 80); /* the speed is below the rest speed */
    }
}
END_TEST

START_TEST(touching_and_leaving_is_not_a_hit)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_body bodies[] = {flying(1, 58, 47, 2, -1, 0), flying(2, 63, 47, 2, 0, 1),
                               flying(3, 60.5, 44 - 0x1p-40, 1, 1, 0)};
    const pqt_world *world = with_bodies(obstructed(small_world(), &post, 1), bodies, 3);
    world = stepped(world, 1, &options);
    ck_assert_uint_eq(report.obstacle_hits, 0);
    ck_assert_uint_eq(report.embedded, 0);
    ck_assert(body_of(world, 2).position.x == 63 && body_of(world, 2).position.y == 48);
    ck_assert(body_of(world, 3).position.y == 44 - 0x1p-40);
}
END_TEST

START_TEST(a_corridor_one_ball_wide_lets_a_ball_through)
{
    const pqt_pixel_box walls[] = {{{10, 0}, {90, 50}}, {{10, 51}, {90, 100}}};
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world =
        added(obstructed(small_world(), walls, 2), flying(1, 5, 50.5, 0.5, 32, 0));
    world = stepped(world, 2.75, &options);
    ck_assert(body_of(world, 1).position.x == 93 && body_of(world, 1).position.y == 50.5);
    ck_assert_uint_eq(report.obstacle_hits, 0);
    /* If the velocity of a ball has a component across the passage, the ball loses that component
       and continues along the passage. */
    world = added(obstructed(small_world(), walls, 2), flying(1, 20, 50.5, 0.5, 32, 3));
    world = stepped(world, 2, &options);
    ck_assert(body_of(world, 1).position.x == 84 && body_of(world, 1).position.y == 50.5);
    ck_assert(body_of(world, 1).velocity.y == 0);
    ck_assert_uint_eq(report.plastic, 1);
    ck_assert_uint_eq(report.obstacle_hits, PQT_STEP_CONTACTS + 1);
}
END_TEST

/* There is no gap between two pixels that share a corner, not even for points. */
START_TEST(nothing_slips_between_two_corners)
{
    pqt_pixel_box stairs[100];
    dice d = {test_seed(__func__)};
    for (int i = 0; i < 100; i++)
        stairs[i] = pixels(i, i, i + 1, i + 1);
    const pqt_world *empty = obstructed(small_world(), stairs, 100);
    for (int round = 0; round < 300; round++) {
        const double r = round % 3 == 0 ? 0 : ldexp(1, -(int)dice_below(&d, 40));
        const double x = 30 + 40 * dice_real(&d), aim = 30 + floor(40 * dice_real(&d));
        pqt_body body = flying(1, x, x - 20, r, (aim - x) * 1e5, (aim - x + 20) * 1e5);
        body.mass = 1;
        const pqt_world *world = added(empty, body);
        for (int k = 0; k < 4; k++) {
            world = stepped(world, 1.0 / 1024, NULL);
            const pqt_body after = body_of(world, 1);
            require(after.position.x > after.position.y, "it passed between the pixels");
            require(!pqt_world_is_obstructed(world, circle_of(&after)), "it is in a pixel");
        }
    }
}
END_TEST

/* The ball comes from so far away that the distance between two doubles is larger than a pixel. */
START_TEST(a_ball_from_far_away_hits)
{
    const double far[] = {1e7, 1e12, 1e20, 1e50};
    for (int i = 0; i < 4; i++) {
        pqt_step_report report = {0};
        pqt_step_options options = reporting(&report);
        const pqt_world *world = added(obstructed(world_in(arena_box, false, arena), &post, 1),
                                       flying(1, -far[i], 50, 2, far[i], 0));
        world = stepped(world, 2, &options);
        ck_assert_uint_eq(report.obstacle_hits, 1);
        ck_assert(body_of(world, 1).velocity.x == -far[i]);
        /* It arrives after one second, and then flies back for another second. */
        ck_assert(body_of(world, 1).position.x < -0.9 * far[i]);
        ck_assert(body_of(world, 1).position.x > -1.1 * far[i]);
        ck_assert(body_of(world, 1).position.y == 50);
        world = stepped(stepped(added(world, flying(2, -far[i], 100, 2, far[i], 0)), 1, &options),
                        1, &options);
        ck_assert_uint_eq(report.obstacle_hits, 1); /* the ball misses the pixels */
    }
}
END_TEST

/* The ball approaches in several rounds. The step ends when it is 4e7 away from the pixels. */
START_TEST(a_ball_from_far_away_that_ends_before_the_pixels_does_not_hit)
{
    const double far = 1e20, span = 1 - 4e-13;
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    const pqt_world *world = added(obstructed(world_in(arena_box, false, arena), &post, 1),
                                   flying(1, -far, 50, 2, far, 0));
    world = stepped(world, span, &options);
    ck_assert_uint_eq(report.obstacle_hits, 0);
    ck_assert(body_of(world, 1).velocity.x == far);
    ck_assert(body_of(world, 1).position.x == -far + far * span);
    ck_assert(body_of(world, 1).position.x < -3e7 && body_of(world, 1).position.x > -5e7);
    world = stepped(world, 1e-12, &options);
    ck_assert_uint_eq(report.obstacle_hits, 1);
}
END_TEST

START_TEST(fixed_bodies_may_be_in_pixels)
{
    pqt_step_report report = {0};
    pqt_step_options options = reporting(&report);
    pqt_body rock = ball(1, 60, 50, 3);
    rock.fixed = true;
    const pqt_world *world = added(obstructed(small_world(), &post, 1), rock);
    ck_assert_ptr_eq(stepped(world, 1, &options), world);
    ck_assert_uint_eq(report.embedded, 0);
    world = stepped(added(world, flying(2, 40, 50, 1, 32, 0)), 1, &options);
    ck_assert_uint_eq(report.contacts, 1);
    ck_assert_uint_eq(report.obstacle_hits, 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("obstacle");
    TCase *tests = add_tests(suite, "versions");
    tcase_add_test(tests, a_world_holds_the_obstacle_that_it_is_given);
    tcase_add_test(tests, a_position_is_rounded_to_the_lattice);
    tcase_add_test(tests, a_region_without_pixels_is_no_obstacle);
    tcase_add_test(tests, equality_and_fingerprints_include_the_obstacle);
    tcase_add_test(tests, every_edit_of_a_world_keeps_its_obstacle);
    tcase_add_test(tests, a_copy_includes_the_obstacle);
    tcase_add_test(tests, a_history_counts_the_bytes_that_each_obstacle_adds);
    tcase_add_test(tests, bad_obstacles_are_refused);
    tcase_add_misuse_test(tests, an_obstacle_without_a_region_stops_the_program);
    tcase_add_misuse_test(tests, setting_an_obstacle_of_null_stops_the_program);
    tcase_add_misuse_test(tests, getting_the_obstacle_of_null_stops_the_program);
    tcase_add_misuse_test(tests, a_query_of_null_stops_the_program);
    tcase_add_test(tests, an_obstructed_position_overlaps_a_pixel);
    tcase_add_test(tests, obstruction_agrees_with_the_boxes_of_pixels);
    tests = add_tests(suite, "balls");
    tcase_add_test(tests, a_ball_bounces_off_a_pixel);
    tcase_add_test(tests, a_ball_bounces_off_each_side_of_a_pixel);
    tcase_add_test(tests, a_hit_at_the_very_end_of_a_step_happens_in_it);
    tcase_add_test(tests, a_corner_deflects_a_ball_like_a_fixed_point);
    tcase_add_test(tests, a_flat_floor_causes_no_ghost_collisions);
    tcase_add_test(tests, touching_and_leaving_is_not_a_hit);
    tcase_add_test(tests, a_corridor_one_ball_wide_lets_a_ball_through);
    tcase_add_test(tests, nothing_slips_between_two_corners);
    tcase_add_test(tests, a_ball_from_far_away_hits);
    tcase_add_test(tests, a_ball_from_far_away_that_ends_before_the_pixels_does_not_hit);
    tcase_add_test(tests, fixed_bodies_may_be_in_pixels);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
