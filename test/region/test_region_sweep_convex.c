/* SPDX-License-Identifier: MIT */
/* test_region_sweep_convex.c: tests sweeps and slides of convexes among pixels. */
#include "config.h"

#include <math.h>

#include <pqt/convex.h>
#include <pqt/region_sweep.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region_overlap_support.h"
#include "region_pixel_lists.h"
#include "region_shape_support.h"
#include "suite.h"

static pqt_convex
oriented(double half_x, double half_y, double direction_x, double direction_y, double radius)
{
    pqt_convex made;
    pqt_error error = {0};
    const pqt_vec half = {half_x, half_y}, direction = {direction_x, direction_y};
    ck_assert_msg(
        pqt_convex_from_oriented_box((pqt_vec){0, 0}, half, direction, radius, &made, &error), "%s",
        error.text);
    return made;
}

static pqt_region_sweep
sweep_convex(const pqt_region *other, const pqt_convex *shape, pqt_vec from, pqt_vec to)
{
    return pqt_region_sweep_mover(pqt_mover_convex(shape, from, to), resting(other), NULL);
}

/* ---- Examples ---- */

START_TEST(a_corner_stops_at_a_wall)
{
    const pqt_region *wall = box_of(10, -50, 20, 100);
    const pqt_convex diamond = oriented(3, 4, 0, 1, 0);
    pqt_convex shape = {.count = 4, .vertices = {{-2, 0}, {0, -2}, {2, 0}, {0, 2}}};
    ck_assert(pqt_convex_is_valid(&shape));
    const pqt_region_sweep s = sweep_convex(wall, &shape, (pqt_vec){0, 0.5}, (pqt_vec){16, 0.5});
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.time == 0.5 && s.stop.x == 8 && s.stop.y == 0.5);
    ck_assert(s.normal.x == -1 && s.normal.y == 0 && s.blocked == PQT_BLOCKED_X);
    ck_assert(s.met.b.x == 10 && s.met.b.y == 0);
    ck_assert_int_eq(s.exact_time.den, 0);
    /* Rotated by a right angle, the box is 8 wide and 6 high. */
    ck_assert(sweep_convex(wall, &diamond, (pqt_vec){0, 0}, (pqt_vec){16, 0}).stop.x == 6);
}
END_TEST

START_TEST(an_overlap_has_an_exit_and_a_push_out)
{
    const pqt_region *wall = box_of(0, -50, 20, 100);
    const pqt_convex shape = {.count = 4, .vertices = {{-2, 0}, {0, -2}, {2, 0}, {0, 2}}};
    pqt_region_sweep s = sweep_convex(wall, &shape, (pqt_vec){-1, 0}, (pqt_vec){-5, 0});
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.exit == 0.25 && s.push_out.x == -1 && s.push_out.y == 0);
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    const pqt_mover out = pqt_mover_convex(&shape, (pqt_vec){-1, 0}, (pqt_vec){-5, 0});
    s = pqt_region_sweep_mover(out, resting(wall), &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_FREE);
    ck_assert(s.stop.x == -5);
}
END_TEST

START_TEST(edges_between_pixels_stop_nothing)
{
    const pqt_region *floor_of_pixels = box_of(-100, 10, 3000, 3);
    static const pqt_vec directions[] = {{1, 0}, {3, 4}, {1, 1}, {5, 12}};
    for (size_t i = 0; i < 4; i++) {
        const pqt_convex shape = oriented(3, 2, directions[i].x, directions[i].y, 0);
        const pqt_region_sweep down =
            sweep_convex(floor_of_pixels, &shape, (pqt_vec){0.3, 0}, (pqt_vec){7.9, 15});
        ck_assert_int_eq(down.status, PQT_SWEEP_HITS);
        ck_assert(down.normal.x == 0 && down.normal.y == -1);
        const pqt_region_slide along =
            pqt_region_slide_mover(pqt_mover_convex(&shape, down.stop, (pqt_vec){2800, 40}),
                                   floor_of_pixels, (pqt_vec){0, 0}, 1, NULL);
        ck_assert_uint_eq(along.bounces, 1);
        ck_assert_msg(along.stop.x == 2800 && along.stop.y == down.stop.y, "it stops at %g %g",
                      along.stop.x, along.stop.y);
    }
}
END_TEST

START_TEST(a_slide_passes_a_corner_along_an_oblique_side)
{
    const pqt_region *block = box_of(20, 5, 10, 10);
    const pqt_convex shape = {.count = 4, .vertices = {{-4, 0}, {0, -4}, {4, 0}, {0, 4}}};
    const pqt_mover mover = pqt_mover_convex(&shape, (pqt_vec){0, 3}, (pqt_vec){60, 3});
    const pqt_region_slide s = pqt_region_slide_mover(mover, block, (pqt_vec){0, 0}, 3, NULL);
    ck_assert_uint_ge(s.bounces, 1);
    ck_assert_int_ne(s.status, PQT_SWEEP_HITS);
    ck_assert_msg(s.stop.x > 30, "it stops at %g %g", s.stop.x, s.stop.y);
}
END_TEST

START_TEST(invalid_movers_are_not_swept)
{
    const pqt_region *wall = box_of(10, 0, 2, 2);
    const pqt_convex good = oriented(1, 1, 1, 0, 0), large = oriented(0x1p30, 1, 1, 0, 0);
    pqt_convex bad = good;
    bad.vertices[1].x = NAN;
    const pqt_vec from = {0, 0}, to = {20, 0}, far = {0x1p30, 0};
    ck_assert_int_eq(sweep_convex(wall, &bad, from, to).status, PQT_SWEEP_NONE);
    ck_assert_int_eq(sweep_convex(wall, &large, from, to).status, PQT_SWEEP_NONE);
    ck_assert_int_eq(sweep_convex(wall, &good, from, far).status, PQT_SWEEP_NONE);
    ck_assert_int_eq(sweep_convex(wall, &good, from, to).status, PQT_SWEEP_HITS);
}
END_TEST

/* ---- One pixel after the other ---- */

/* Draws a shape with an area, because a segment may pass between two pixels. */
static pqt_convex
draw_convex(dice *d)
{
    for (;;) {
        pqt_vec points[6];
        pqt_convex made;
        const size_t count = 3 + dice_below(d, 4);
        for (size_t i = 0; i < count; i++)
            points[i] =
                (pqt_vec){(double)dice_below(d, 13) / 2 - 3, (double)dice_below(d, 13) / 2 - 3};
        const double radius = dice_chance(d, 70) ? 0 : dice_real(d) * 3;
        if (pqt_convex_from_points(points, count, radius, &made, NULL) &&
            (made.count > 2 || made.radius > 0))
            return made;
    }
}

START_TEST(random_sweeps_agree_with_a_loop_over_pixels)
{
    dice d = {test_seed(__func__)};
    size_t hits = 0, within = 0, rounds = test_scaled_from(2500, 100);
    for (size_t round = 0; round < rounds; round++) {
        const sketch s = sketch_draw(&d, arena);
        const pqt_convex shape = draw_convex(&d);
        const pqt_pixel p = s.count > 0 ? s.pixels[dice_below(&d, s.count)] : (pqt_pixel){0, 0};
        pqt_region_mover other = {s.region, {0, 0}, {0, 0}};
        if (dice_chance(&d, 30))
            other.from = other.to = (pqt_vec){dice_chance(&d, 50) ? 0.25 : 17, -3};
        if (dice_chance(&d, 30))
            other.to = (pqt_vec){other.from.x + 5.5, other.from.y - (double)dice_below(&d, 9)};
        const pqt_vec middle = {p.x + other.from.x, p.y + other.from.y};
        pqt_mover mover =
            pqt_mover_convex(&shape, draw_position(&d, middle), draw_position(&d, middle));
        if (dice_chance(&d, 10))
            mover.to = mover.from;
        const pqt_region_sweep result = pqt_region_sweep_mover(mover, other, NULL);
        const pqt_sweep model = first_of_pixels(&s, mover, other);
        require(result.status == model.status, round, "the status");
        if (result.status == PQT_SWEEP_OVERLAPS) {
            within++;
            check_way_out(&s, mover, other, &result, round);
            continue;
        }
        require(!overlaps_pixel(&s, mover, result.stop, result.stop_other), round,
                "the stop is not free");
        if (result.status != PQT_SWEEP_HITS)
            continue;
        hits++;
        check_side(&s, mover, other, &result, round);
        const double limit = shape.radius > 0 ? 1e-6 : 1e-12;
        require(fabs(result.time - model.time) < limit, round, "the time");
    }
    fprintf(stderr, "# %zu hit, %zu started within\n", hits, within);
    ck_assert(hits > rounds / 10 && within > rounds / 20);
}
END_TEST

START_TEST(a_sweep_visits_little_more_than_the_path_to_the_hit)
{
    pqt_error error = {0};
    const pqt_region *disc = pqt_region_paint(
        pqt_region_make(arena, NULL), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, 0}, 2000), &error);
    ck_assert_msg(disc != NULL, "%s", error.text);
    pqt_query_stats stats = {0};
    pqt_region_sweep_options options = PQT_REGION_SWEEP_DEFAULTS;
    options.stats = &stats;
    const pqt_convex shape = oriented(60, 30, 3, 4, 0);
    const pqt_mover mover =
        pqt_mover_convex(&shape, (pqt_vec){-10000, -300}, (pqt_vec){10000, 300});
    const pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(disc), &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_lt(stats.nodes, 2000);
    ck_assert_uint_gt(stats.nodes, 0);
    ck_assert_uint_gt(stats.boxes, 0);
    fprintf(stderr, "# %zu nodes divided, %zu squares compared\n", (size_t)stats.nodes,
            (size_t)stats.boxes);
}
END_TEST

START_TEST(sweeping_allocates_nothing)
{
    const pqt_region *wall = box_of(-70, 0, 140, 10);
    const pqt_convex shape = oriented(3, 2, 3, 4, 1);
    const pqt_mover mover = pqt_mover_convex(&shape, (pqt_vec){0, -20}, (pqt_vec){30, 30});
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_region_sweep s = pqt_region_sweep_mover(mover, resting(wall), NULL);
    (void)pqt_region_slide_mover(mover, wall, (pqt_vec){0, 0}, 3, NULL);
    hooks_stop();
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

START_TEST(a_null_region_stops_the_program)
{
    const pqt_convex shape = oriented(3, 2, 3, 4, 1);
    (void)sweep_convex(NULL, &shape, (pqt_vec){0, 0}, (pqt_vec){1, 1});
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_convex");
    TCase *tcase = tcase_create("region_convex");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_test(tcase, a_corner_stops_at_a_wall);
    tcase_add_test(tcase, an_overlap_has_an_exit_and_a_push_out);
    tcase_add_test(tcase, edges_between_pixels_stop_nothing);
    tcase_add_test(tcase, a_slide_passes_a_corner_along_an_oblique_side);
    tcase_add_test(tcase, invalid_movers_are_not_swept);
    tcase_add_test(tcase, random_sweeps_agree_with_a_loop_over_pixels);
    tcase_add_test(tcase, a_sweep_visits_little_more_than_the_path_to_the_hit);
    tcase_add_test(tcase, sweeping_allocates_nothing);
    tcase_add_misuse_test(tcase, a_null_region_stops_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
