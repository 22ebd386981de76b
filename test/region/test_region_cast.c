/* SPDX-License-Identifier: MIT */
/* test_region_cast.c: compares segments and rays among pixels with a loop over all pixels. */
#include "config.h"

#include <float.h>

#include <pqt/region_cast.h>
#include <pqt/segment.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region_overlap_support.h"
#include "region_pixel_lists.h"
#include "suite.h"

static pqt_pixel_hit
cast_line(const pqt_region *region, double x, double y, double to_x, double to_y)
{
    return pqt_region_cast_segment(region, (pqt_segment){{x, y}, {to_x, to_y}});
}

static void
expect(pqt_pixel_hit hit, int32_t x, int32_t y, double entry, double normal_x, double normal_y)
{
    ck_assert(hit.hit && !hit.inside);
    ck_assert_int_eq(hit.pixel.x, x);
    ck_assert_int_eq(hit.pixel.y, y);
    ck_assert(hit.entry == entry);
    ck_assert(hit.normal.x == normal_x && hit.normal.y == normal_y);
}

START_TEST(the_first_pixel_its_side_and_the_position_are_reported)
{
    const pqt_region *wall = boxes_of(&(pqt_pixel_box){{0, 0}, {10, 10}}, 1);
    expect(cast_line(wall, -10, 5.5, 30, 5.5), 0, 5, 0.25, -1, 0);
    expect(cast_line(wall, 20, 5.5, -20, 5.5), 9, 5, 0.25, 1, 0);
    expect(cast_line(wall, 5.5, -8, 5.5, 8), 5, 0, 0.5, 0, -1);
    expect(cast_line(wall, 5.25, 14, 5.25, -2), 5, 9, 0.25, 0, 1);
    expect(cast_line(wall, 12, 15, 2, 5), 6, 9, 0.5, 0, 1);
    const pqt_pixel_hit inside = cast_line(wall, 5, 5, 50, 50);
    ck_assert(inside.hit && inside.inside && inside.entry == 0 && inside.normal.x == 0);
    ck_assert(!cast_line(wall, -10, 5, -1, 5).hit);
}
END_TEST

START_TEST(lines_between_pixels_are_inside_a_wall_and_outside_along_it)
{
    const pqt_region *wall = boxes_of(&(pqt_pixel_box){{0, 0}, {10, 10}}, 1);
    expect(cast_line(wall, -10, 5, 30, 5), 0, 5, 0.25, -1, 0);
    expect(cast_line(wall, 30, 5, -10, 5), 9, 5, 0.5, 1, 0);
    expect(cast_line(wall, 5, -10, 5, 10), 5, 0, 0.5, 0, -1);
    expect(cast_line(wall, 5, 20, 5, -20), 5, 9, 0.25, 0, 1);
    ck_assert(!cast_line(wall, -10, 0, 30, 0).hit);
    ck_assert(!cast_line(wall, -10, 10, 30, 10).hit);
    ck_assert(!cast_line(wall, 10, -10, 10, 30).hit);
    ck_assert(!cast_line(wall, -5, 5, 0, 5).hit);
    ck_assert(!cast_line(wall, -5, 5.5, 0, 5.5).hit);
    ck_assert(cast_line(wall, 0, 5, 1, 5).hit);
}
END_TEST

START_TEST(corners_are_passed_and_edges_between_pixels_have_no_corners)
{
    const pqt_region *floor = boxes_of(&(pqt_pixel_box){{0, 0}, {10, 10}}, 1);
    expect(cast_line(floor, 0, -5, 10, 5), 5, 0, 0.5, 0, -1);
    expect(cast_line(floor, -5, 0, 5, 10), 0, 5, 0.5, -1, 0);
    expect(cast_line(floor, -5, -5, 5, 5), 0, 0, 0.5, -1, 0);
    ck_assert(!cast_line(floor, -5, 5, 5, -5).hit);
    const pqt_pixel_box diagonal[] = {{{0, 0}, {1, 1}}, {{1, 1}, {2, 2}}};
    ck_assert(!cast_line(boxes_of(diagonal, 2), 0, 2, 2, 0).hit);
    ck_assert(!cast_line(boxes_of(diagonal, 2), 1, 1, 1, 1).hit);
}
END_TEST

START_TEST(rays_reach_the_limits_of_coordinates)
{
    const int32_t most = PQT_PIXEL_LIMIT;
    const pqt_region *far = boxes_of(&(pqt_pixel_box){{most - 1, 0}, {most, 1}}, 1);
    const double lengths[] = {1, 1e-300, 1e300, DBL_MAX, 3};
    for (size_t i = 0; i < 5; i++) {
        const pqt_pixel_hit hit =
            pqt_region_cast_ray(far, (pqt_ray){{-most, 0.5}, {lengths[i], 0}});
        ck_assert(hit.hit && hit.pixel.x == most - 1);
        const double distance = hit.entry * lengths[i];
        ck_assert(fabs(distance - (2.0 * most - 1)) < 1e-6);
    }
    ck_assert(!pqt_region_cast_ray(far, (pqt_ray){{-most, 0.5}, {-1, 0}}).hit);
    ck_assert(!pqt_region_cast_ray(far, (pqt_ray){{0, 0.5}, {1, 1e-5}}).hit);
    ck_assert(pqt_region_cast_ray(far, (pqt_ray){{0, 0.5}, {1, 1e-7}}).hit);
}
END_TEST

START_TEST(an_invalid_line_hits_nothing)
{
    const pqt_region *pixel = boxes_of(&(pqt_pixel_box){{0, 0}, {1, 1}}, 1);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, 2.0 * PQT_PIXEL_LIMIT};
    for (size_t i = 0; i < 5; i++) {
        ck_assert(!cast_line(pixel, bad[i], 0.5, 0.5, 0.5).hit);
        ck_assert(!cast_line(pixel, 0.5, 0.5, 0.5, bad[i]).hit);
        ck_assert(!pqt_region_cast_ray(pixel, (pqt_ray){{0.5, bad[i]}, {0, 1}}).hit);
    }
    ck_assert(!pqt_region_cast_ray(pixel, (pqt_ray){{0.5, 0.5}, {0, 0}}).hit);
    ck_assert(!pqt_region_cast_ray(pixel, (pqt_ray){{0.5, 0.5}, {NAN, 1}}).hit);
    ck_assert(!cast_line(boxes_of(NULL, 0), -5, -5, 5, 5).hit);
}
END_TEST

START_TEST(casting_allocates_nothing)
{
    const pqt_region *wall = boxes_of(&(pqt_pixel_box){{-70, 0}, {70, 10}}, 1);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_pixel_hit across = cast_line(wall, -10.5, -90, 50, 90),
                        along = cast_line(wall, -90, 5, 90, 5);
    const pqt_pixel_hit ray = pqt_region_cast_ray(wall, (pqt_ray){{0, -90}, {0, 1}});
    hooks_stop();
    ck_assert(across.hit && along.hit && ray.hit);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* Two rows have alternating dashes, and both are full only at the end. A line between them hits
 * there. */
START_TEST(rows_that_alternate_overlap_where_both_have_pixels)
{
    const pqt_region *rows = boxes_of(NULL, 0);
    pqt_error error = {0};
    for (int32_t x = 0; x < 300; x++)
        rows = pqt_region_paint(rows, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){x, x / 3 % 2}),
                                &error);
    rows = pqt_region_paint(rows, pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{299, 0}, {300, 2}}),
                            &error);
    ck_assert_msg(rows != NULL, "%s", error.text);
    expect(cast_line(rows, -1, 1, 399, 1), 299, 1, 0.75, -1, 0);
    expect(cast_line(rows, 400, 1, 0, 1), 299, 1, 0.25, 1, 0);
    ck_assert(!cast_line(rows, -1, 1, 299, 1).hit);
}
END_TEST

/* ---- Comparisons with all pixels ---- */

__extension__ typedef __int128 wide;

/* A moment on a segment, as a fraction with a common denominator. */
typedef struct moments {
    steps from, along;
    wide end;
} moments;

static wide
moment_of(const moments *m, bool is_x, int64_t at)
{
    const int64_t along = is_x ? m->along.x : m->along.y, from = is_x ? m->from.x : m->from.y;
    return (wide)(at - from) * m->end / along;
}

/* Clips an interval of time to the part in which one axis is strictly between two coordinates.
   Returns false if it becomes empty. */
static bool
cut(const moments *m, bool is_x, int64_t min, int64_t max, wide *in, wide *out)
{
    const int64_t along = is_x ? m->along.x : m->along.y, from = is_x ? m->from.x : m->from.y;
    if (along == 0)
        return min < from && from < max;
    const wide a = moment_of(m, is_x, along > 0 ? min : max);
    const wide b = moment_of(m, is_x, along > 0 ? max : min);
    *in = a > *in ? a : *in;
    *out = b < *out ? b : *out;
    return true;
}

/* Returns the time at which the segment enters an open box: 0 if it begins inside, -1 if it never
 * enters. */
static wide
entry_of_box(const moments *m, steps min, steps max)
{
    wide in = 0, out = m->end;
    if (!cut(m, true, min.x, max.x, &in, &out) || !cut(m, false, min.y, max.y, &in, &out) ||
        in >= out)
        return -1;
    return in;
}

/* Returns the entry into a pixel. The pixel may be joined with its full neighbours to the right and
   below, so that the edges between them count as inside. */
static wide
entry_of_pixel(const moments *m, const sketch *s, pqt_pixel p)
{
    wide best = -1;
    for (int32_t width = 1; width <= 2; width++)
        for (int32_t height = 1; height <= 2; height++) {
            if ((width == 2 && !sketch_has(s, p.x + 1, p.y)) ||
                (height == 2 && !sketch_has(s, p.x, p.y + 1)) ||
                (width == 2 && height == 2 && !sketch_has(s, p.x + 1, p.y + 1)))
                continue;
            const steps min = {(int64_t)p.x * STEPS, (int64_t)p.y * STEPS};
            const steps max = {min.x + width * STEPS, min.y + height * STEPS};
            const wide entry = entry_of_box(m, min, max);
            if (entry >= 0 && (best < 0 || entry < best))
                best = entry;
        }
    return best;
}

static wide
entry_of_sketch(const moments *m, const sketch *s)
{
    wide best = -1;
    for (size_t i = 0; i < s->count; i++) {
        const wide entry = entry_of_pixel(m, s, s->pixels[i]);
        if (entry >= 0 && (best < 0 || entry < best))
            best = entry;
    }
    return best;
}

static int64_t
draw_movement(dice *d)
{
    static const int64_t some[] = {0, 0, 1, STEPS, -3 * STEPS, 20 * STEPS, -20 * STEPS};
    if (dice_chance(d, 60))
        return some[dice_below(d, sizeof some / sizeof *some)];
    return (int64_t)dice_below(d, 60 * STEPS) - 30 * STEPS;
}

static int64_t
size_of(int64_t movement)
{
    return movement < 0 ? -movement : movement == 0 ? 1 : movement;
}

/* Checks the side of a hit. A hit that is not inside enters through a side without a neighbouring
 * pixel. At a corner the neighbour may exist, but then one of the pixels next to that neighbour is
 * empty. */
static void
check_side(const sketch *s, pqt_pixel_hit hit, size_t round)
{
    const pqt_pixel before = {hit.pixel.x + (int32_t)hit.normal.x,
                              hit.pixel.y + (int32_t)hit.normal.y};
    require(sketch_has(s, hit.pixel.x, hit.pixel.y), round, "the pixel");
    require(hit.normal.x * hit.normal.x + hit.normal.y * hit.normal.y == 1, round, "the normal");
    const int32_t x = hit.normal.y != 0, y = hit.normal.x != 0;
    require(!sketch_has(s, before.x, before.y) || !sketch_has(s, before.x - x, before.y - y) ||
                !sketch_has(s, before.x + x, before.y + y),
            round, "the side is within");
}

START_TEST(random_segments_agree_with_a_loop_over_pixels)
{
    dice d = {test_seed("random_segments")};
    for (size_t round = 0; round < test_scaled(20000); round++) {
        const sketch s = sketch_draw(&d, arena);
        const sketch origin = {.pixels = {{0, 0}}, .count = 1};
        moments m = {draw_offset_near(&d, &s, &origin), {draw_movement(&d), draw_movement(&d)}, 0};
        m.end = (wide)size_of(m.along.x) * size_of(m.along.y);
        if (dice_chance(&d, 60))
            m.from = (steps){m.from.x - m.along.x / 2, m.from.y - m.along.y / 2};
        const pqt_vec from = vec_of(m.from);
        const steps to = {m.from.x + m.along.x, m.from.y + m.along.y};
        const pqt_pixel_hit hit =
            pqt_region_cast_segment(s.region, (pqt_segment){from, vec_of(to)});
        const bool inside = pqt_region_overlaps_box(s.region, (pqt_box){from, from});
        require(hit.inside == inside, round, "inside");
        if (inside || (m.along.x == 0 && m.along.y == 0)) {
            require(hit.hit == inside && hit.entry == 0, round, "it begins inside");
            continue;
        }
        const wide entry = entry_of_sketch(&m, &s);
        require(hit.hit == (entry >= 0), round, "hit");
        if (!hit.hit)
            continue;
        require(fabs(hit.entry - (double)entry / (double)m.end) < 1e-15, round, "entry");
        check_side(&s, hit, round);
    }
}
END_TEST

START_TEST(a_null_region_stops_the_program)
{
    pqt_region_cast_segment(NULL, (pqt_segment){{0, 0}, {1, 1}});
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_cast");
    TCase *tcase = tcase_create("region_cast");
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_test(tcase, the_first_pixel_its_side_and_the_position_are_reported);
    tcase_add_test(tcase, lines_between_pixels_are_inside_a_wall_and_outside_along_it);
    tcase_add_test(tcase, corners_are_passed_and_edges_between_pixels_have_no_corners);
    tcase_add_test(tcase, rays_reach_the_limits_of_coordinates);
    tcase_add_test(tcase, an_invalid_line_hits_nothing);
    tcase_add_test(tcase, casting_allocates_nothing);
    tcase_add_test(tcase, rows_that_alternate_overlap_where_both_have_pixels);
    tcase_add_test(tcase, random_segments_agree_with_a_loop_over_pixels);
    tcase_add_misuse_test(tcase, a_null_region_stops_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
