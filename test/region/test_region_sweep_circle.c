/* SPDX-License-Identifier: MIT */
/* test_region_sweep_circle.c: tests sweeps of circles among pixels. */
#include "config.h"

#include <pqt/circle.h>
#include <pqt/region_sweep.h>
#include <pqt/segment.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region_overlap_support.h"
#include "region_pixel_lists.h"
#include "region_shape_support.h"
#include "suite.h"

enum { BLOCKED_BOTH = PQT_BLOCKED_X | PQT_BLOCKED_Y };

static const pqt_region *
empty(void)
{
    return pqt_region_make(arena, NULL);
}

static pqt_region_sweep
sweep_circle(const pqt_region *other, double radius, double x, double y, double to_x, double to_y)
{
    return pqt_region_sweep_mover(pqt_mover_circle(radius, (pqt_vec){x, y}, (pqt_vec){to_x, to_y}),
                                  resting(other), NULL);
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b));
}

static void
expect(const pqt_region_sweep *s, pqt_sweep_status status, double time, double x, double y,
       unsigned blocked)
{
    ck_assert_int_eq(s->status, status);
    ck_assert_msg(is_near(s->time, time), "time %.17g", s->time);
    ck_assert_msg(is_near(s->stop.x, x) && is_near(s->stop.y, y), "stop %.17g %.17g", s->stop.x,
                  s->stop.y);
    ck_assert_uint_eq(s->blocked, blocked);
    ck_assert_int_eq(s->exact_time.den, 0);
}

/* ---- The table ---- */

START_TEST(a_circle_stops_at_the_side_that_it_hits)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_circle(wall, 2, 5.5, -12, 5.5, 8);
    expect(&s, PQT_SWEEP_HITS, 0.5, 5.5, -2, PQT_BLOCKED_Y);
    ck_assert(s.normal.x == 0 && s.normal.y == -1);
    ck_assert(s.met.b.x == 5 && s.met.b.y == 0 && s.met.a.x == 0 && s.met.a.y == 0);
    s = sweep_circle(wall, 2, 16, 5, 8, 13);
    expect(&s, PQT_SWEEP_HITS, 0.5, 12, 9, PQT_BLOCKED_X);
    ck_assert(s.normal.x == 1 && s.normal.y == 0);
    ck_assert(s.met.b.x == 9 && s.met.b.y == 9);
}
END_TEST

START_TEST(a_hit_at_a_corner_has_an_oblique_normal)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const pqt_region_sweep s = sweep_circle(wall, 5, -13, -14, 7, 6);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_eq(s.blocked, BLOCKED_BOTH);
    ck_assert(is_near(s.normal.x, -0.6) && is_near(s.normal.y, -0.8));
    ck_assert(is_near(s.stop.x, -3) && is_near(s.stop.y, -4));
    ck_assert(s.met.b.x == 0 && s.met.b.y == 0);
}
END_TEST

START_TEST(touching_and_moving_away_or_along_is_not_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_circle(wall, 2, 5, -2, 5, -9);
    expect(&s, PQT_SWEEP_FREE, 1, 5, -9, 0);
    s = sweep_circle(wall, 2, 5, -2, 8, -2);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 8, -2, 0);
    s = sweep_circle(wall, 2, -20, -2, 30, -2);
    expect(&s, PQT_SWEEP_FREE, 1, 30, -2, 0);
}
END_TEST

START_TEST(touching_and_moving_in_is_a_hit_at_0)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_circle(wall, 2, 5, -2, 6, -1);
    expect(&s, PQT_SWEEP_HITS, 0, 5, -2, PQT_BLOCKED_Y);
    s = sweep_circle(wall, 2, 12, 5, 12 - 0x1p-40, 5);
    expect(&s, PQT_SWEEP_HITS, 0, 12, 5, PQT_BLOCKED_X);
}
END_TEST

START_TEST(ending_in_contact_is_reported_but_not_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_circle(wall, 2, 5, -12, 5, -2);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 5, -2, 0);
    s = sweep_circle(wall, 5, -13, -14, -3, -4);
    expect(&s, PQT_SWEEP_TOUCHES, 1, -3, -4, 0);
}
END_TEST

START_TEST(grazing_a_corner_is_not_a_hit)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const pqt_region_sweep s = sweep_circle(wall, 5, -3 - 40, -4 + 30, -3 + 40, -4 - 30);
    expect(&s, PQT_SWEEP_FREE, 1, 37, -34, 0);
}
END_TEST

START_TEST(starting_in_an_overlap_has_its_own_status)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_region_sweep s = sweep_circle(wall, 2, 5, -1, 5, -3);
    expect(&s, PQT_SWEEP_OVERLAPS, 0, 5, -1, 0);
    ck_assert(is_near(s.exit, 0.5) && s.push_out.x == 0 && is_near(s.push_out.y, -1));
    ck_assert(!pqt_region_overlaps_circle(
        wall, (pqt_circle){pqt_vec_add((pqt_vec){5, -1}, s.push_out), 2}));
    s = sweep_circle(wall, 1, 5, 5, 5, 5);
    expect(&s, PQT_SWEEP_OVERLAPS, 0, 5, 5, 0);
    ck_assert(s.exit == INFINITY && is_near(s.push_out.x, -6) && s.push_out.y == 0);
}
END_TEST

START_TEST(an_option_lets_an_overlapping_mover_leave)
{
    pqt_error error = {0};
    const pqt_region *walls =
        pqt_region_union(box_of(0, 0, 10, 10), box_of(40, 0, 5, 10), (pqt_pixel){0, 0}, &error);
    ck_assert_msg(walls != NULL, "%s", error.text);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_mover mover = pqt_mover_circle(2, (pqt_vec){5, 5}, (pqt_vec){45, 5});
    pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(walls), &options);
    expect(&s, PQT_SWEEP_HITS, 33.0 / 40, 38, 5, PQT_BLOCKED_X);
    ck_assert(is_near(s.exit, 7.0 / 40) && is_near(s.push_out.x, -7) && s.push_out.y == 0);
    mover.to = (pqt_vec){6, 5};
    s = pqt_region_sweep_mover(mover, resting(walls), &options);
    expect(&s, PQT_SWEEP_OVERLAPS, 1, 6, 5, 0);
    ck_assert(is_near(s.exit, 7));
    mover.to = (pqt_vec){12, 5};
    s = pqt_region_sweep_mover(mover, resting(walls), &options);
    expect(&s, PQT_SWEEP_TOUCHES, 1, 12, 5, 0);
    ck_assert(s.exit == 1);
    mover.to = mover.from;
    s = pqt_region_sweep_mover(mover, resting(walls), &options);
    expect(&s, PQT_SWEEP_OVERLAPS, 1, 5, 5, 0);
    ck_assert(s.exit == INFINITY);
}
END_TEST

START_TEST(edges_between_pixels_stop_nothing)
{
    const pqt_region *floor = box_of(-100, 0, 200, 3);
    for (int32_t i = 0; i < 50; i++) {
        /* The circle moves down onto an edge between two pixels, or between two squares of the
           region. */
        const double x = -20 + i;
        const pqt_region_sweep s = sweep_circle(floor, 3, x - 1, -4, x + 1, -2);
        ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
        ck_assert_uint_eq(s.blocked, PQT_BLOCKED_Y);
        ck_assert(s.normal.x == 0 && s.normal.y == -1 && s.stop.y == -3);
    }
}
END_TEST

/* ---- Both moving ---- */

START_TEST(only_the_relative_motion_counts)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const pqt_mover circle = pqt_mover_circle(2, (pqt_vec){-12, 5}, (pqt_vec){-12, 5});
    pqt_region_mover other = {wall, {0, 0}, {-20, 0}};
    pqt_region_sweep s = pqt_region_sweep_mover(circle, other, NULL);
    expect(&s, PQT_SWEEP_HITS, 0.5, -12, 5, PQT_BLOCKED_X);
    ck_assert(is_near(s.stop_other.x, -10) && s.stop_other.y == 0 && s.normal.x == -1);
    const pqt_mover fled = pqt_mover_circle(2, (pqt_vec){-12, 5}, (pqt_vec){-32, 5});
    s = pqt_region_sweep_mover(fled, other, NULL);
    expect(&s, PQT_SWEEP_FREE, 1, -32, 5, 0);
    ck_assert(s.stop_other.x == -20);
    const pqt_mover met = pqt_mover_circle(2, (pqt_vec){-12, 5}, (pqt_vec){8, 5});
    s = pqt_region_sweep_mover(met, other, NULL);
    expect(&s, PQT_SWEEP_HITS, 0.25, -7, 5, PQT_BLOCKED_X);
    other.from = other.to = (pqt_vec){100.5, -50};
    s = pqt_region_sweep_mover(pqt_mover_circle(2, (pqt_vec){105, -60}, (pqt_vec){105, -40}), other,
                               NULL);
    expect(&s, PQT_SWEEP_HITS, 0.4, 105, -52, PQT_BLOCKED_Y);
    ck_assert(s.met.b.x == 4 && s.met.b.y == 0 && s.stop_other.x == 100.5);
}
END_TEST

/* ---- Invalid arguments ---- */

START_TEST(invalid_circles_and_positions_are_not_swept)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, 2.0 * PQT_PIXEL_LIMIT};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(sweep_circle(wall, 1, bad[i], -5, 5, 5).status, PQT_SWEEP_NONE);
        ck_assert_int_eq(sweep_circle(wall, 1, 5, -5, 5, bad[i]).status, PQT_SWEEP_NONE);
        ck_assert_int_eq(sweep_circle(wall, bad[i], 5, -5, 5, 5).status, PQT_SWEEP_NONE);
        pqt_region_mover other = {wall, {0, bad[i]}, {0, 0}};
        const pqt_mover circle = pqt_mover_circle(1, (pqt_vec){5, -5}, (pqt_vec){5, 5});
        ck_assert_int_eq(pqt_region_sweep_mover(circle, other, NULL).status, PQT_SWEEP_NONE);
        other = (pqt_region_mover){wall, {0, 0}, {bad[i], 0}};
        ck_assert_int_eq(pqt_region_sweep_mover(circle, other, NULL).status, PQT_SWEEP_NONE);
    }
    ck_assert_int_eq(sweep_circle(wall, 0, 5, -5, 5, 5).status, PQT_SWEEP_NONE);
    ck_assert_int_eq(sweep_circle(wall, -1, 5, -5, 5, 5).status, PQT_SWEEP_NONE);
}
END_TEST

START_TEST(circles_at_the_limit_and_tiny_ones_are_swept)
{
    const int32_t most = PQT_PIXEL_LIMIT;
    const pqt_region *far = box_of(most - 1, most - 1, 1, 1);
    pqt_region_sweep s = sweep_circle(far, 3, -most, most - 0.5, most, most - 0.5);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.stop.x == most - 4 && s.met.b.x == most - 1);
    s = sweep_circle(far, 0x1p-40, most - 0.5, -most, most - 0.5, most);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.stop.y < most - 1 && s.stop.y > most - 1.0001);
    s = sweep_circle(far, most, -most, -most, most, most);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_eq(s.blocked, BLOCKED_BOTH);
    s = sweep_circle(far, 1, most, most, most + 0.0, most);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
}
END_TEST

START_TEST(nothing_is_hit_without_pixels)
{
    const pqt_region_sweep s = sweep_circle(empty(), 5, -10, 0, 10, 0);
    expect(&s, PQT_SWEEP_FREE, 1, 10, 0, 0);
}
END_TEST

START_TEST(coarse_cells_stop_sooner_or_later)
{
    const pqt_region *pixel = box_of(5, 5, 1, 1);
    const pqt_mover mover = pqt_mover_circle(1, (pqt_vec){-10, 5.5}, (pqt_vec){30, 5.5});
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.cells = (pqt_cells){1, 16, PQT_COARSE_OUTER};
    pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(pixel), &options);
    expect(&s, PQT_SWEEP_HITS, 9.0 / 40, -1, 5.5, PQT_BLOCKED_X);
    options.cells.kind = PQT_COARSE_INNER;
    s = pqt_region_sweep_mover(mover, resting(pixel), &options);
    expect(&s, PQT_SWEEP_FREE, 1, 30, 5.5, 0);
}
END_TEST

/* ---- Comparisons with one pixel after another ---- */

/* Returns true if the stop is as far along the path as the stop of the model, measured in
 * pixels. */
static bool
is_as_far(const pqt_region_sweep *s, const pqt_sweep *model, pqt_mover circle,
          pqt_region_mover other)
{
    const pqt_vec motion = pqt_vec_subtract(pqt_vec_subtract(circle.to, circle.from),
                                            pqt_vec_subtract(other.to, other.from));
    /* If the circle nearly misses, rounding errors of the distance cause larger errors of the
     * time. */
    return fabs(s->time - model->time) * pqt_vec_length(motion) < 1e-6;
}

static void
check_stop(const sketch *s, pqt_mover circle, pqt_region_mover other,
           const pqt_region_sweep *result, size_t round)
{
    require(!overlaps_pixel(s, circle, result->stop, result->stop_other), round,
            "the stop is not free");
    if (other.from.x == 0 && other.from.y == 0 && other.to.x == 0 && other.to.y == 0)
        require(!pqt_region_overlaps_circle(s->region, (pqt_circle){result->stop, circle.radius}),
                round, "the stop is not free of the region");
    if (other.from.x != other.to.x || other.from.y != other.to.y)
        return;
    pqt_mover again = circle;
    again.from = result->stop;
    again.to = pqt_vec_add(result->stop, pqt_vec_subtract(circle.to, circle.from));
    const pqt_region_sweep stay = pqt_region_sweep_mover(again, other, NULL);
    if (result->status == PQT_SWEEP_HITS) {
        require(stay.status == PQT_SWEEP_HITS && stay.time < 1e-12, round, "it does not stay");
        require(pqt_vec_distance(stay.stop, result->stop) < 1e-12, round, "it creeps");
    }
}

START_TEST(random_sweeps_agree_with_a_loop_over_pixels)
{
    dice d = {test_seed("random_circles")};
    size_t hits = 0, within = 0, rounds = test_scaled(20000);
    for (size_t round = 0; round < rounds; round++) {
        const sketch s = sketch_draw(&d, arena);
        const pqt_pixel p = s.count > 0 ? s.pixels[dice_below(&d, s.count)] : (pqt_pixel){0, 0};
        pqt_region_mover other = {s.region, {0, 0}, {0, 0}};
        if (dice_chance(&d, 30))
            other.from = other.to = (pqt_vec){dice_chance(&d, 50) ? 0.25 : 17, -3};
        if (dice_chance(&d, 30))
            other.to = (pqt_vec){other.from.x + 5.5, other.from.y - (double)dice_below(&d, 9)};
        const pqt_vec middle = {p.x + other.from.x, p.y + other.from.y};
        const double radius =
            dice_chance(&d, 50) ? 0.5 + (double)dice_below(&d, 4) : 0.01 + dice_real(&d) * 9;
        pqt_mover circle =
            pqt_mover_circle(radius, draw_position(&d, middle), draw_position(&d, middle));
        if (dice_chance(&d, 10))
            circle.to = circle.from;
        const pqt_region_sweep result = pqt_region_sweep_mover(circle, other, NULL);
        const pqt_sweep model = first_of_pixels(&s, circle, other);
        require(result.status == model.status, round, "the status");
        if (result.status == PQT_SWEEP_OVERLAPS) {
            within++;
            check_way_out(&s, circle, other, &result, round);
            continue;
        }
        check_stop(&s, circle, other, &result, round);
        if (result.status != PQT_SWEEP_HITS)
            continue;
        hits++;
        require(is_as_far(&result, &model, circle, other), round, "the time");
        check_side(&s, circle, other, &result, round);
    }
    fprintf(stderr, "# %zu hit, %zu started within\n", hits, within);
    ck_assert(rounds < 1000 || (hits > rounds / 10 && within > rounds / 10));
}
END_TEST

/* ---- Many steps ---- */

START_TEST(creeping_neither_sticks_nor_drifts)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    const double step = 0x1p-10;
    pqt_vec at = {-40, 5};
    for (size_t i = 0; i < 100000; i++) {
        const pqt_region_sweep s = sweep_circle(wall, 2, at.x, at.y, at.x + step, at.y);
        at = s.stop;
    }
    ck_assert(at.x == -2 && at.y == 5);
    at = (pqt_vec){-40, -2};
    for (size_t i = 0; i < 100000; i++)
        at = sweep_circle(wall, 2, at.x, at.y, at.x + step, at.y).stop;
    ck_assert(at.x == -40 + 100000 * step && at.y == -2);
}
END_TEST

START_TEST(rolling_on_flat_floors_causes_no_ghost_collisions)
{
    dice d = {test_seed("rolling")};
    pqt_error error = {0};
    const pqt_region *floor = box_of(-300, 40, 600, 3);
    for (int32_t x = -300; x < 300; x += 7)
        floor = pqt_region_paint(
            floor, pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{x, 43}, {x + 5, 50 + x % 3}}),
            &error);
    ck_assert_msg(floor != NULL, "%s", error.text);
    const double radius = 4.7;
    pqt_vec at = sweep_circle(floor, radius, 0.25, 0, 0.25, 60).stop;
    const double height = at.y;
    ck_assert(is_near(height, 40 - radius));
    for (size_t i = 0; i < test_scaled(100000); i++) {
        pqt_vec to = {at.x + (dice_real(&d) - 0.5) * 6, at.y + dice_real(&d) * 2};
        to.x = to.x < -250 ? -250 : to.x > 250 ? 250 : to.x;
        const pqt_region_slide s = pqt_region_slide_mover(pqt_mover_circle(radius, at, to), floor,
                                                          (pqt_vec){0, 0}, 2, NULL);
        require((s.blocked & PQT_BLOCKED_X) == 0, i, "a ghost");
        require(s.stop.y == height && s.stop.x == to.x, i, "it is stuck");
        at = s.stop;
    }
}
END_TEST

START_TEST(a_slide_through_noise_never_overlaps_at_a_stop)
{
    dice d = {test_seed("a_circle_in_noise")};
    pqt_error error = {0};
    const pqt_region *noise = empty();
    for (int i = 0; i < 2500; i++) {
        const int32_t x = (int32_t)dice_below(&d, 200) - 100,
                      y = (int32_t)dice_below(&d, 200) - 100;
        noise = pqt_region_paint(noise, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){x, y}), &error);
    }
    noise = pqt_region_paint(
        noise, pqt_paint_box(PQT_PAINT_CLEAR, (pqt_pixel_box){{-5, -5}, {5, 5}}), &error);
    ck_assert_msg(noise != NULL, "%s", error.text);
    pqt_vec at = {0, 0};
    size_t moved = 0;
    for (size_t i = 0; i < test_scaled(20000); i++) {
        const pqt_vec to = {at.x + (dice_real(&d) - 0.5) * 20, at.y + (dice_real(&d) - 0.5) * 20};
        const pqt_region_slide s =
            pqt_region_slide_mover(pqt_mover_circle(1.3, at, to), noise, (pqt_vec){0, 0}, 3, NULL);
        require(s.status != PQT_SWEEP_OVERLAPS && s.status != PQT_SWEEP_NONE, i,
                "it started within");
        require(!pqt_region_overlaps_circle(noise, (pqt_circle){s.stop, 1.3}), i, "it overlaps");
        moved += pqt_vec_distance(s.stop, at) > 0.01;
        at = fabs(s.stop.x) < 90 && fabs(s.stop.y) < 90 ? s.stop : (pqt_vec){0, 0};
    }
    ck_assert_uint_gt(moved, test_scaled(20000) / 20);
}
END_TEST

START_TEST(a_slide_goes_around_a_corner)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    pqt_mover circle = pqt_mover_circle(5, (pqt_vec){-3, -14}, (pqt_vec){-3, 16});
    pqt_region_slide s = pqt_region_slide_mover(circle, wall, (pqt_vec){0, 0}, 0, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.bounces == 0 && is_near(s.stop.y, -4));
    s = pqt_region_slide_mover(circle, wall, (pqt_vec){0, 0}, 1, NULL);
    ck_assert(s.bounces == 1 && s.stop.x < -5 && s.stop.y > -4);
    circle.to = (pqt_vec){8, -1};
    circle.from = (pqt_vec){2, -9};
    s = pqt_region_slide_mover(circle, wall, (pqt_vec){0, 0}, 2, NULL);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_Y);
    ck_assert(s.stop.x == 8 && s.stop.y == -5);
}
END_TEST

/* ---- Costs ---- */

START_TEST(a_sweep_visits_little_more_than_the_path_to_the_hit)
{
    pqt_error error = {0};
    const pqt_region *disc =
        pqt_region_paint(empty(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, 0}, 2000), &error);
    ck_assert_msg(disc != NULL, "%s", error.text);
    pqt_query_stats stats = {0};
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.stats = &stats;
    const pqt_mover mover = pqt_mover_circle(50, (pqt_vec){-10000, -300}, (pqt_vec){10000, 300});
    const pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(disc), &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_lt(stats.nodes, 2000);
    ck_assert_uint_gt(stats.nodes, 0);
    ck_assert_uint_gt(stats.boxes, 0);
}
END_TEST

START_TEST(sweeping_allocates_nothing)
{
    const pqt_region *wall = box_of(-70, 0, 140, 10);
    const pqt_mover mover = pqt_mover_circle(3, (pqt_vec){0, -20}, (pqt_vec){30, 30});
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(wall), NULL);
    const pqt_region_slide t = pqt_region_slide_mover(mover, wall, (pqt_vec){0, 0}, 3, NULL);
    hooks_stop();
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_int_eq(t.status, PQT_SWEEP_TOUCHES);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(a_null_region_stops_the_program)
{
    sweep_circle(NULL, 1, 0, 0, 1, 1);
}
END_TEST

START_TEST(options_without_a_size_stop_the_program)
{
    const pqt_region_sweep_options options = {.size = 0};
    const pqt_mover mover = pqt_mover_circle(3, (pqt_vec){0, -20}, (pqt_vec){30, 30});
    pqt_region_sweep_mover(mover, resting(box_of(0, 0, 1, 1)), &options);
}
END_TEST

/* A circle that moves up and to the right meets a large square on its right and a small one above
 * at the same time. The corner of the large square is the highest pixel of both. */
START_TEST(of_two_pixels_met_at_one_time_it_is_the_highest)
{
    const pqt_pixel_box boxes[] = {{{64, 0}, {128, 64}}, {{48, 24}, {56, 32}}};
    const pqt_region *both = pqt_region_of_boxes(boxes, 2, arena, NULL);
    const pqt_mover mover = pqt_mover_circle(10, (pqt_vec){36, 60}, (pqt_vec){68, 28});
    const pqt_region_mover other = {both, {0, 0}, {0, 0}};
    const pqt_region_sweep s = pqt_region_sweep_mover(mover, other, NULL);
    ck_assert(s.status == PQT_SWEEP_HITS && s.time == 0.5625);
    ck_assert(s.met.b.x == 54 && s.met.b.y == 31 && s.blocked == PQT_BLOCKED_Y);
    /* Two corners, symmetric to the motion: the left one. */
    const pqt_pixel_box corners[] = {{{0, 50}, {8, 58}}, {{16, 50}, {17, 51}}};
    const pqt_region *gap = pqt_region_of_boxes(corners, 2, arena, NULL);
    const pqt_mover down = pqt_mover_circle(5, (pqt_vec){12, 0}, (pqt_vec){12, 60});
    const pqt_region_sweep t =
        pqt_region_sweep_mover(down, (pqt_region_mover){gap, {0, 0}, {0, 0}}, NULL);
    ck_assert(t.status == PQT_SWEEP_HITS && t.met.b.x == 7 && t.met.b.y == 50);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_round");
    TCase *tcase = tcase_create("region_round");
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_test(tcase, a_circle_stops_at_the_side_that_it_hits);
    tcase_add_test(tcase, a_hit_at_a_corner_has_an_oblique_normal);
    tcase_add_test(tcase, touching_and_moving_away_or_along_is_not_a_hit);
    tcase_add_test(tcase, touching_and_moving_in_is_a_hit_at_0);
    tcase_add_test(tcase, ending_in_contact_is_reported_but_not_a_hit);
    tcase_add_test(tcase, grazing_a_corner_is_not_a_hit);
    tcase_add_test(tcase, starting_in_an_overlap_has_its_own_status);
    tcase_add_test(tcase, an_option_lets_an_overlapping_mover_leave);
    tcase_add_test(tcase, edges_between_pixels_stop_nothing);
    tcase_add_test(tcase, only_the_relative_motion_counts);
    tcase_add_test(tcase, invalid_circles_and_positions_are_not_swept);
    tcase_add_test(tcase, circles_at_the_limit_and_tiny_ones_are_swept);
    tcase_add_test(tcase, nothing_is_hit_without_pixels);
    tcase_add_test(tcase, coarse_cells_stop_sooner_or_later);
    tcase_add_test(tcase, random_sweeps_agree_with_a_loop_over_pixels);
    tcase_add_test(tcase, creeping_neither_sticks_nor_drifts);
    tcase_add_test(tcase, rolling_on_flat_floors_causes_no_ghost_collisions);
    tcase_add_test(tcase, a_slide_through_noise_never_overlaps_at_a_stop);
    tcase_add_test(tcase, a_slide_goes_around_a_corner);
    tcase_add_test(tcase, a_sweep_visits_little_more_than_the_path_to_the_hit);
    tcase_add_test(tcase, sweeping_allocates_nothing);
    tcase_add_test(tcase, of_two_pixels_met_at_one_time_it_is_the_highest);
    tcase_add_misuse_test(tcase, a_null_region_stops_the_program);
    tcase_add_misuse_test(tcase, options_without_a_size_stop_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
