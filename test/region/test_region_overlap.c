/* SPDX-License-Identifier: MIT */
/*
 * test_region_overlap.c: tests overlaps between regions, and between regions and shapes, by
 * comparing all pairs of pixels.
 */
#include "config.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/circle.h>
#include <pqt/region_overlap.h>

#include "hooks.h"
#include "misuse.h"
#include "random.h"
#include "region_overlap_support.h"
#include "region_pixel_lists.h"
#include "suite.h"

static bool
overlaps(const pqt_region *a, const pqt_region *b, double x, double y)
{
    const bool answer = pqt_region_overlaps(a, b, (pqt_vec){x, y});
    ck_assert_int_eq(answer, pqt_region_overlap_area(a, b, (pqt_vec){x, y}).subpixels > 0);
    ck_assert_int_eq(answer, pqt_region_first_overlap(a, b, (pqt_vec){x, y}, PQT_FROM_LEFT, NULL));
    return answer;
}

/* ---- Each function separately ---- */

START_TEST(pixels_that_share_an_edge_or_a_corner_do_not_overlap)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    ck_assert(overlaps(pixel, pixel, 0, 0));
    ck_assert(!overlaps(pixel, pixel, 1, 0));
    ck_assert(!overlaps(pixel, pixel, 0, -1));
    ck_assert(!overlaps(pixel, pixel, -1, 1));
    const double step = 1.0 / PQT_SUBPIXELS;
    ck_assert(overlaps(pixel, pixel, 1 - step, 0));
    ck_assert(overlaps(pixel, pixel, step - 1, 1 - step));
    ck_assert(!overlaps(pixel, pixel, 1, 1 - step));
}
END_TEST

START_TEST(offsets_are_rounded_once_and_halves_go_right_and_down)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const double half = 0.5 / PQT_SUBPIXELS;
    ck_assert(!overlaps(pixel, pixel, 1 - half, 0));
    ck_assert(overlaps(pixel, pixel, 1 - half - 1e-12, 0));
    ck_assert(overlaps(pixel, pixel, -1 + half, 0));
    ck_assert(!overlaps(pixel, pixel, -1 + half - 1e-12, 0));
    ck_assert(!overlaps(pixel, pixel, 1 - 1e-7, 0));
    /* This is the double before half a step. Adding a half to it would round up to a whole step. */
    ck_assert_uint_eq(
        pqt_region_overlap_area(pixel, pixel, (pqt_vec){0x1.fffffffffffffp-12, 0}).subpixels,
        UINT64_C(1) << 20);
}
END_TEST

START_TEST(the_area_at_a_fractional_offset_interpolates_the_four_whole_ones)
{
    const pqt_region *a = box_of(0, 0, 10, 10), *b = box_of(0, 0, 3, 3);
    const pqt_overlap_area whole = pqt_region_overlap_area(a, b, (pqt_vec){2, 2});
    ck_assert_uint_eq(whole.subpixels, UINT64_C(9) << 20);
    ck_assert(whole.pixels == 9);
    const pqt_overlap_area inside = pqt_region_overlap_area(a, b, (pqt_vec){2.25, 2.75});
    ck_assert_uint_eq(inside.subpixels, UINT64_C(9) << 20);
    const pqt_overlap_area corner = pqt_region_overlap_area(a, b, (pqt_vec){9.5, -2.75});
    ck_assert(corner.pixels == 0.5 * 0.25);
    ck_assert_uint_eq(corner.subpixels, UINT64_C(512) * 256);
}
END_TEST

START_TEST(the_largest_area_fits)
{
    const int32_t most = PQT_PIXEL_LIMIT;
    const pqt_region *all = box_of(-most, -most, 2 * most, 2 * most);
    const pqt_overlap_area area = pqt_region_overlap_area(all, all, (pqt_vec){0, 0});
    ck_assert_uint_eq(area.subpixels, UINT64_C(1) << 62);
    ck_assert(area.pixels == 0x1p42);
    ck_assert(overlaps(all, all, 2 * most - 1, 2 * most - 1));
    ck_assert(!overlaps(all, all, 2 * most, 0));
    ck_assert(!overlaps(all, all, 1e300, 0));
}
END_TEST

START_TEST(an_invalid_offset_overlaps_nothing)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        ck_assert(!overlaps(pixel, pixel, bad[i], 0));
        ck_assert(!overlaps(pixel, pixel, 0, bad[i]));
        ck_assert(!pqt_region_overlaps_cells(pixel, pixel, (pqt_vec){bad[i], 0},
                                             (pqt_cells){1, 1, PQT_COARSE_OUTER}));
        ck_assert(!pqt_region_overlaps_box(pixel, (pqt_box){{0, bad[i]}, {1, 1}}));
        ck_assert(!pqt_region_overlaps_circle(pixel, (pqt_circle){{0, bad[i]}, 1}));
        ck_assert(!pqt_region_overlaps_circle(pixel, (pqt_circle){{0, 0}, bad[i]}));
    }
    ck_assert(!pqt_region_overlaps_box(pixel, (pqt_box){{1, 1}, {0, 0}}));
    ck_assert(!pqt_region_overlaps_circle(pixel, (pqt_circle){{0.5, 0.5}, -1}));
}
END_TEST

START_TEST(an_empty_region_overlaps_nothing)
{
    const pqt_region *none = boxes_of(NULL, 0), *all = box_of(-100, -100, 200, 200);
    ck_assert(!overlaps(none, all, 0, 0));
    ck_assert(!overlaps(all, none, 0.5, 0.5));
    ck_assert(!overlaps(none, none, 0, 0));
    ck_assert(!pqt_region_overlaps_box(none, pqt_box_make(-10, -10, 10, 10)));
    ck_assert(!pqt_region_overlaps_circle(none, (pqt_circle){{0, 0}, 100}));
    ck_assert(!pqt_region_overlaps_cells(none, all, (pqt_vec){0, 0},
                                         (pqt_cells){64, 64, PQT_COARSE_OUTER}));
}
END_TEST

START_TEST(the_first_pair_depends_on_the_side)
{
    const pqt_region *a = box_of(0, 0, 100, 100), *b = box_of(0, 0, 10, 20);
    const pqt_vec at = {50, 60};
    pqt_pixel_pair first;
    ck_assert(pqt_region_first_overlap(a, b, at, PQT_FROM_TOP, &first));
    ck_assert(first.a.x == 50 && first.a.y == 60 && first.b.x == 0 && first.b.y == 0);
    ck_assert(pqt_region_first_overlap(a, b, at, PQT_FROM_BOTTOM, &first));
    ck_assert(first.a.x == 50 && first.a.y == 79 && first.b.x == 0 && first.b.y == 19);
    ck_assert(pqt_region_first_overlap(a, b, at, PQT_FROM_LEFT, &first));
    ck_assert(first.a.x == 50 && first.a.y == 60);
    ck_assert(pqt_region_first_overlap(a, b, at, PQT_FROM_RIGHT, &first));
    ck_assert(first.a.x == 59 && first.a.y == 60 && first.b.x == 9 && first.b.y == 0);
    ck_assert(!pqt_region_first_overlap(a, b, (pqt_vec){100, 0}, PQT_FROM_TOP, &first));
    ck_assert(first.a.x == 59);
}
END_TEST

static bool
stop_at_once(const pqt_pixel_pairs *pairs, void *context)
{
    size_t *calls = context;
    ck_assert_int_gt(pairs->width, 0);
    return ++*calls < 2;
}

START_TEST(a_visit_ends_when_the_visitor_says_so)
{
    const pqt_pixel_box two[] = {{{0, 0}, {1, 1}}, {{5, 0}, {6, 1}}};
    const pqt_region *a = boxes_of(two, 2), *b = box_of(0, 0, 10, 1);
    size_t calls = 0;
    ck_assert(!pqt_region_visit_overlap(a, b, (pqt_vec){0.5, 0.5}, stop_at_once, &calls));
    ck_assert_uint_eq(calls, 2);
    ck_assert(pqt_region_visit_overlap(a, b, (pqt_vec){0, NAN}, stop_at_once, &calls));
}
END_TEST

START_TEST(flat_shapes_overlap_pixels_whose_interior_they_meet)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(5, 5, 5, 5)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(0, 5, 0, 5)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(10, 10, 10, 10)));
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(-5, 5, 15, 5)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(-5, 10, 15, 10)));
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(7, -1, 7, 0.5)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(7, -1, 7, 0)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(0, -1, 0, 20)));
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(0.5, 9.5, 0.5, 9.5)));
    const pqt_pixel_box diagonal[] = {{{0, 0}, {1, 1}}, {{1, 1}, {2, 2}}};
    const pqt_region *stairs = boxes_of(diagonal, 2);
    ck_assert(!pqt_region_overlaps_box(stairs, pqt_box_make(1, 1, 1, 1)));
    ck_assert(!pqt_region_overlaps_box(stairs, pqt_box_make(0, 1, 2, 1)));
    ck_assert(!pqt_region_overlaps_circle(stairs, (pqt_circle){{1, 1}, 0}));
    ck_assert(pqt_region_overlaps_circle(stairs, (pqt_circle){{1, 1}, DBL_MIN}));
    ck_assert(pqt_region_overlaps_circle(wall, (pqt_circle){{5, 5}, 0}));
}
END_TEST

START_TEST(shapes_that_touch_do_not_overlap)
{
    const pqt_region *wall = box_of(0, 0, 10, 10);
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(10, 0, 11, 1)));
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(nextafter(10, 0), 0, 11, 1)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(-1, -1, 0, 0)));
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(-1, -1, 1e-300, 1e-300)));
    ck_assert(!pqt_region_overlaps_circle(wall, (pqt_circle){{15, 5}, 5}));
    ck_assert(pqt_region_overlaps_circle(wall, (pqt_circle){{15, 5}, nextafter(5, 6)}));
    ck_assert(!pqt_region_overlaps_circle(wall, (pqt_circle){{13, 14}, 5}));
    ck_assert(pqt_region_overlaps_box(wall, pqt_box_make(-1e308, -1e308, 1e308, 1e308)));
    ck_assert(!pqt_region_overlaps_box(wall, pqt_box_make(1e308, 1e308, 1e308, 1e308)));
}
END_TEST

START_TEST(sides_of_cells_are_powers_of_two)
{
    const int32_t good[] = {1, 2, 64, PQT_PIXEL_LIMIT};
    const int32_t bad[] = {0, -1, 3, 65, 2 * PQT_PIXEL_LIMIT, INT32_MIN};
    for (size_t i = 0; i < 4; i++)
        ck_assert(pqt_cells_are_valid((pqt_cells){good[i], 1, PQT_COARSE_OUTER}));
    for (size_t i = 0; i < 6; i++) {
        ck_assert(!pqt_cells_are_valid((pqt_cells){bad[i], 1, PQT_COARSE_OUTER}));
        ck_assert(!pqt_cells_are_valid((pqt_cells){1, bad[i], PQT_COARSE_INNER}));
    }
    ck_assert(!pqt_cells_are_valid((pqt_cells){1, 1, (pqt_coarse_kind)0}));
}
END_TEST

START_TEST(cells_larger_than_the_region_are_its_quadrants)
{
    const pqt_region *pixel = box_of(3, 3, 1, 1);
    const int32_t side = PQT_PIXEL_LIMIT;
    const pqt_cells maybe = {side, 1, PQT_COARSE_OUTER}, surely = {side, 1, PQT_COARSE_INNER};
    ck_assert(pqt_region_overlaps_cells(pixel, pixel, (pqt_vec){side - 4, -3}, maybe));
    ck_assert(!pqt_region_overlaps_cells(pixel, pixel, (pqt_vec){side - 3, -3}, maybe));
    ck_assert(!pqt_region_overlaps_cells(pixel, pixel, (pqt_vec){-4, 0}, maybe));
    ck_assert(!pqt_region_overlaps_cells(pixel, pixel, (pqt_vec){0, 0}, surely));
    const pqt_region *quadrant = box_of(0, 0, 64, 64);
    ck_assert(!pqt_region_overlaps_cells(quadrant, pixel, (pqt_vec){0, 0},
                                         (pqt_cells){128, 1, PQT_COARSE_INNER}));
    ck_assert(pqt_region_overlaps_cells(quadrant, pixel, (pqt_vec){0, 0},
                                        (pqt_cells){64, 1, PQT_COARSE_INNER}));
}
END_TEST

/* ---- Comparisons with all pairs ---- */

/* The pairs that were reported. */
typedef struct reported_pairs {
    const sketch *a, *b;
    uint8_t *marks;
    size_t round;
} reported_pairs;

static size_t
index_of(const sketch *s, pqt_pixel pixel, size_t round)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->pixels[i].x == pixel.x && s->pixels[i].y == pixel.y)
            return i;
    require(false, round, "a pixel that does not belong");
    return 0;
}

static bool
mark(const pqt_pixel_pairs *pairs, void *context)
{
    reported_pairs *t = context;
    for (int32_t y = 0; y < pairs->height; y++)
        for (int32_t x = 0; x < pairs->width; x++) {
            const size_t i = index_of(t->a, (pqt_pixel){pairs->a.x + x, pairs->a.y + y}, t->round);
            const size_t k = index_of(t->b, (pqt_pixel){pairs->b.x + x, pairs->b.y + y}, t->round);
            require(t->marks[i * t->b->count + k]++ == 0, t->round, "a pair is visited twice");
        }
    return true;
}

static void
check_pairs(const sketch *a, const sketch *b, steps offset, size_t round)
{
    reported_pairs t = {a, b, calloc(a->count * b->count + 1, 1), round};
    uint64_t area = 0;
    require(pqt_region_visit_overlap(a->region, b->region, vec_of(offset), mark, &t), round,
            "the visit was stopped");
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            const pqt_pixel of_a = a->pixels[i], of_b = b->pixels[k];
            require((t.marks[i * b->count + k] != 0) == pixels_overlap(offset, of_a, of_b), round,
                    "visit");
            area += (uint64_t)(common_steps(offset.x, of_a.x, of_b.x) *
                               common_steps(offset.y, of_a.y, of_b.y));
        }
    const pqt_overlap_area reported_area =
        pqt_region_overlap_area(a->region, b->region, vec_of(offset));
    require(reported_area.subpixels == area && reported_area.pixels == (double)area / 1048576,
            round, "area");
    free(t.marks);
}

/* Returns the rank of a pixel if pixels are ordered from a side inwards. */
static int64_t
rank_from(pqt_side side, pqt_pixel p)
{
    const int64_t far = 1 << 20;
    switch (side) {
    case PQT_FROM_TOP:
        return p.y * far + p.x;
    case PQT_FROM_BOTTOM:
        return -p.y * far + p.x;
    case PQT_FROM_LEFT:
        return p.x * far + p.y;
    default:
        return -p.x * far + p.y;
    }
}

static void
check_first(const sketch *a, const sketch *b, steps offset, pqt_side side, size_t round)
{
    pqt_pixel_pair best = {{0, 0}, {0, 0}}, first = {{0, 0}, {0, 0}};
    bool any = false;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            const pqt_pixel_pair pair = {a->pixels[i], b->pixels[k]};
            const int64_t in_a = rank_from(side, pair.a) - rank_from(side, best.a);
            if (!pixels_overlap(offset, pair.a, pair.b))
                continue;
            if (!any || in_a < 0 ||
                (in_a == 0 && rank_from(side, pair.b) < rank_from(side, best.b)))
                best = pair;
            any = true;
        }
    const bool found = pqt_region_first_overlap(a->region, b->region, vec_of(offset), side, &first);
    require(found == any && memcmp(&first, &best, sizeof best) == 0, round, "first");
}

static void
check_cells(dice *d, const sketch *a, const sketch *b, steps offset, size_t round)
{
    static const int32_t sides[] = {1, 2, 4, 8};
    sketch cells_a, cells_b;
    const pqt_cells cells = {sides[dice_below(d, 4)], sides[dice_below(d, 4)],
                             dice_chance(d, 50) ? PQT_COARSE_OUTER : PQT_COARSE_INNER};
    if (!sketch_in_cells(a, cells.side_a, cells.kind, &cells_a) ||
        !sketch_in_cells(b, cells.side_b, cells.kind, &cells_b))
        return;
    require(pqt_region_overlaps_cells(a->region, b->region, vec_of(offset), cells) ==
                sketches_overlap(&cells_a, &cells_b, offset),
            round, "cells");
}

static void
check_box(dice *d, const sketch *a, steps at, size_t round)
{
    const pqt_vec min = vec_of(at);
    const pqt_vec size = {dice_real(d) * 3, dice_chance(d, 50) ? 1 : dice_real(d) * 5};
    const pqt_box box = pqt_box_from_size(min, size);
    const pqt_circle circle = {min, 0.001 + dice_real(d) * 4};
    bool in_box = false, in_circle = false;
    for (size_t i = 0; i < a->count; i++) {
        const pqt_pixel p = a->pixels[i];
        const pqt_box pixel = {{p.x, p.y}, {p.x + 1, p.y + 1}};
        in_box = in_box || pqt_box_overlaps(pixel, box);
        in_circle = in_circle || pqt_circle_overlaps_box(circle, pixel);
    }
    require(pqt_region_overlaps_box(a->region, box) == in_box, round, "box");
    require(pqt_region_overlaps_circle(a->region, circle) == in_circle, round, "circle");
}

/* Returns true if a position in half steps is in a pixel. It must not be on an edge. */
static bool
is_in_pixel(const sketch *a, int64_t x, int64_t y)
{
    for (size_t i = 0; i < a->count; i++) {
        const int64_t left = 2 * STEPS * (int64_t)a->pixels[i].x;
        const int64_t top = 2 * STEPS * (int64_t)a->pixels[i].y;
        if (left < x && x < left + 2 * STEPS && top < y && y < top + 2 * STEPS)
            return true;
    }
    return false;
}

/* Compares a point. It is inside the region if the positions half a step toward each corner are in
 * pixels. */
static void
check_point(const sketch *a, steps at, size_t round)
{
    const int64_t x = 2 * at.x, y = 2 * at.y;
    const pqt_vec point = vec_of(at);
    require(pqt_region_overlaps_box(a->region, (pqt_box){point, point}) ==
                (is_in_pixel(a, x - 1, y - 1) && is_in_pixel(a, x + 1, y - 1) &&
                 is_in_pixel(a, x - 1, y + 1) && is_in_pixel(a, x + 1, y + 1)),
            round, "point");
}

/* Returns the position in whole pixels, rounded toward 0. */
static steps
whole(steps at)
{
    return (steps){at.x / STEPS * STEPS, at.y / STEPS * STEPS};
}

/* Compares a line between pixels. It is inside the region if somewhere there are pixels on both
 * sides of it. */
static void
check_line(const sketch *a, steps at, int32_t length, bool along_x, size_t round)
{
    const pqt_vec from = vec_of(at);
    const pqt_vec to = {from.x + (along_x ? length : 0), from.y + (along_x ? 0 : length)};
    bool inside = false;
    for (int64_t i = STEPS; i < 2 * (int64_t)length * STEPS; i += 2 * STEPS) {
        const int64_t x = 2 * at.x + (along_x ? i : 0), y = 2 * at.y + (along_x ? 0 : i);
        inside = inside || (along_x ? is_in_pixel(a, x, y - 1) && is_in_pixel(a, x, y + 1)
                                    : is_in_pixel(a, x - 1, y) && is_in_pixel(a, x + 1, y));
    }
    require(pqt_region_overlaps_box(a->region, (pqt_box){from, to}) == inside, round, "line");
}

START_TEST(random_pairs_agree_with_all_pairs_of_pixels)
{
    dice d = {test_seed("random_pairs") + (uint64_t)_i};
    pqt_memory *memory = _i == 0 ? pqt_collector() : arena;
    if (memory == NULL)
        return;
    for (size_t round = 0; round < test_scaled(6000); round++) {
        const sketch a = sketch_draw(&d, memory), b = sketch_draw(&d, memory);
        const steps offset = draw_offset_near(&d, &a, &b);
        require(pqt_region_overlaps(a.region, b.region, vec_of(offset)) ==
                    sketches_overlap(&a, &b, offset),
                round, "overlaps");
        check_pairs(&a, &b, offset, round);
        check_first(&a, &b, offset, (pqt_side)(1 + dice_below(&d, 4)), round);
        check_cells(&d, &a, &b, offset, round);
        const sketch origin = {.pixels = {{0, 0}}, .count = 1};
        const steps near = draw_offset_near(&d, &a, &origin);
        check_box(&d, &a, near, round);
        check_point(&a, near, round);
        check_line(&a, whole(near), 1 + (int32_t)dice_below(&d, 5), dice_chance(&d, 50), round);
    }
}
END_TEST

/* ---- Large regions, compared with the intersection ---- */

static const pqt_region *
draw_large(dice *d)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(arena, &error);
    for (int i = 0; i < 8; i++) {
        const pqt_vec at = {dice_real(d) * 1500 - 700, dice_real(d) * 1500 - 700};
        region = pqt_region_paint(
            region,
            pqt_paint_disc(i % 3 == 2 ? PQT_PAINT_CLEAR : PQT_PAINT_SET, at, dice_real(d) * 300),
            &error);
    }
    ck_assert_msg(region != NULL, "%s", error.text);
    return region;
}

typedef struct sum {
    uint64_t pairs;
} sum;

static bool
add_pairs(const pqt_pixel_pairs *pairs, void *context)
{
    ((sum *)context)->pairs += (uint64_t)pairs->width * (uint64_t)pairs->height;
    return true;
}

/* ---- Regions of few tiles ---- */

static int32_t
draw_coordinate(dice *d)
{
    return (int32_t)dice_below(d, 128) - 64;
}

/* Returns a region of up to 2 x 2 tiles. One in four of them has a whole tile. */
static const pqt_region *
draw_sprite(dice *d)
{
    pqt_error error = {0};
    const pqt_region *sprite = pqt_region_make(arena, &error);
    for (uint64_t left = 1 + dice_below(d, 3); left > 0; left--) {
        const int32_t x = draw_coordinate(d), y = draw_coordinate(d);
        const int32_t width = 1 + (int32_t)dice_below(d, (uint64_t)(64 - x));
        const int32_t height = 1 + (int32_t)dice_below(d, (uint64_t)(64 - y));
        const bool whole = dice_below(d, 8) == 0;
        const pqt_pixel_box box = {{whole ? -64 : x, whole ? 0 : y},
                                   {whole ? 0 : x + width, whole ? 64 : y + height}};
        sprite = pqt_region_paint(sprite, pqt_paint_box(PQT_PAINT_SET, box), &error);
        sprite = pqt_region_paint(
            sprite, pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){y, x}, (double)dice_below(d, 40)),
            &error);
    }
    ck_assert_msg(sprite != NULL, "%s", error.text);
    return sprite;
}

static bool
add_to_hash(const pqt_pixel_pairs *pairs, void *context)
{
    uint64_t *hash = context;
    const int32_t numbers[] = {pairs->a.x, pairs->a.y,   pairs->b.x,
                               pairs->b.y, pairs->width, pairs->height};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *hash = (*hash ^ (uint32_t)numbers[i]) * UINT64_C(0x100000001b3);
    return true;
}

/* Returns a hash of all answers about two regions. */
static uint64_t
hash_of_answers(const pqt_region *a, const pqt_region *b, pqt_vec offset)
{
    uint64_t hash = overlaps(a, b, offset.x, offset.y);
    hash = hash * 31 + pqt_region_overlap_area(a, b, offset).subpixels;
    for (pqt_side side = PQT_FROM_TOP; side <= PQT_FROM_RIGHT; side++) {
        pqt_pixel_pair first = {{0, 0}, {0, 0}};
        (void)pqt_region_first_overlap(a, b, offset, side, &first);
        const pqt_pixel_pairs pairs = {first.a, first.b, 1, 1};
        add_to_hash(&pairs, &hash);
    }
    pqt_region_visit_overlap(a, b, offset, add_to_hash, &hash);
    return hash;
}

/* A far pixel gives a region more levels, so its collisions descend a tree. */
START_TEST(a_region_of_few_tiles_collides_as_with_a_far_pixel)
{
    dice d = {test_seed("few_tiles")};
    pqt_error error = {0};
    size_t hits = 0;
    for (size_t round = 0; round < test_scaled(4000); round++) {
        const pqt_region *a = draw_sprite(&d), *b = draw_sprite(&d);
        const pqt_pixel_box far = {{5000, 5000}, {5001, 5001}};
        const pqt_region *larger = pqt_region_paint(b, pqt_paint_box(PQT_PAINT_SET, far), &error);
        ck_assert_msg(larger != NULL, "%s", error.text);
        const double part = round % 2 == 0 ? 0 : (double)dice_below(&d, 1024) / 1024;
        const pqt_vec offset = {2 * draw_coordinate(&d) + part,
                                2 * draw_coordinate(&d) + (round % 4 == 3 ? 0 : part)};
        ck_assert_uint_eq(hash_of_answers(a, b, offset), hash_of_answers(a, larger, offset));
        hits += pqt_region_overlaps(a, b, offset);
    }
    ck_assert_uint_gt(hits, test_scaled(4000) / 10);
}
END_TEST

START_TEST(large_regions_overlap_if_their_intersection_has_pixels)
{
    dice d = {test_seed("large_regions")};
    for (size_t round = 0; round < test_scaled(60); round++) {
        pqt_error error = {0};
        const pqt_region *a = draw_large(&d), *b = draw_large(&d);
        for (int i = 0; i < 8; i++) {
            const pqt_pixel at = {(int32_t)dice_below(&d, 2000) - 1000,
                                  (int32_t)dice_below(&d, 2000) - 1000};
            const pqt_vec offset = {at.x, at.y};
            const pqt_region *both = pqt_region_intersection(a, b, at, &error);
            require(both != NULL, round, error.text);
            const pqt_pixel_box bounds = pqt_region_bounds(both);
            sum seen = {0};
            pqt_pixel_pair first;
            require(pqt_region_overlap_area(a, b, offset).subpixels >> 20 == pqt_region_count(both),
                    round, "area");
            require(pqt_region_overlaps(a, b, offset) == (pqt_region_count(both) > 0), round,
                    "overlaps");
            require(pqt_region_visit_overlap(a, b, offset, add_pairs, &seen) &&
                        seen.pairs == pqt_region_count(both),
                    round, "pairs");
            if (pqt_region_first_overlap(a, b, offset, PQT_FROM_TOP, &first))
                require(first.a.y == bounds.min.y, round, "top");
            if (pqt_region_first_overlap(a, b, offset, PQT_FROM_BOTTOM, &first))
                require(first.a.y == bounds.max.y - 1, round, "bottom");
            if (pqt_region_first_overlap(a, b, offset, PQT_FROM_LEFT, &first))
                require(first.a.x == bounds.min.x, round, "left");
            if (pqt_region_first_overlap(a, b, offset, PQT_FROM_RIGHT, &first))
                require(first.a.x == bounds.max.x - 1, round, "right");
        }
    }
}
END_TEST

/* Each pixel of a square is in exactly one of the two. If a pixel is in both, they overlap. */
START_TEST(a_region_does_not_overlap_its_complement)
{
    dice d = {test_seed("complement")};
    for (size_t round = 0; round < test_scaled(200) + 10; round++) {
        pqt_error error = {0};
        const int32_t side = 64 << dice_below(&d, 5);
        const pqt_pixel_box square = {{0, 0}, {side, side}};
        const pqt_region *a = pqt_region_crop(draw_large(&d), square, &error);
        const pqt_region *b = pqt_region_complement(a, square, &error);
        require(b != NULL &&
                    pqt_region_count(a) + pqt_region_count(b) == (uint64_t)side * (uint64_t)side,
                round, error.text);
        require(!overlaps(a, b, 0, 0) && !overlaps(b, a, 0, 0), round, "a complement overlaps");
        const pqt_pixel at = {(int32_t)dice_below(&d, (uint64_t)side),
                              (int32_t)dice_below(&d, (uint64_t)side)};
        const pqt_paint dot =
            pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){at, {at.x + 1, at.y + 1}});
        require(overlaps(pqt_region_paint(a, dot, &error), pqt_region_paint(b, dot, &error), 0, 0),
                round, "a common pixel is missed");
    }
}
END_TEST

START_TEST(coarser_cells_never_reverse_an_answer)
{
    dice d = {test_seed("coarser_cells")};
    for (size_t round = 0; round < test_scaled(100); round++) {
        const pqt_region *a = draw_large(&d), *b = draw_large(&d);
        const pqt_vec at = {dice_real(&d) * 2000 - 1000, dice_real(&d) * 2000 - 1000};
        bool maybe = pqt_region_overlaps(a, b, at), surely = maybe;
        for (int32_t side = 1; side <= 4096; side *= 2) {
            const bool now_maybe =
                pqt_region_overlaps_cells(a, b, at, (pqt_cells){side, side, PQT_COARSE_OUTER});
            const bool now_surely =
                pqt_region_overlaps_cells(a, b, at, (pqt_cells){side, side, PQT_COARSE_INNER});
            require(now_maybe >= maybe && now_surely <= surely, round, "cells");
            maybe = now_maybe;
            surely = now_surely;
        }
        require(!surely, round, "nothing fills a cell of 4096 pixels");
    }
}
END_TEST

START_TEST(queries_allocate_nothing)
{
    const pqt_region *a = box_of(-70, -70, 140, 141), *b = box_of(0, 0, 200, 3);
    hooks watch = {.fail_at = 0};
    sum seen = {0};
    hooks_start(&watch);
    const bool any =
        pqt_region_overlaps(a, b, (pqt_vec){0.5, 0.5}) &&
        pqt_region_overlap_area(a, b, (pqt_vec){1, 1}).subpixels > 0 &&
        pqt_region_visit_overlap(a, b, (pqt_vec){1, 1}, add_pairs, &seen) &&
        pqt_region_overlaps_circle(a, (pqt_circle){{0, 0}, 3}) &&
        pqt_region_overlaps_box(a, pqt_box_make(0, -70, 0, 71)) &&
        pqt_region_overlaps_cells(a, b, (pqt_vec){0, 0}, (pqt_cells){2, 4, PQT_COARSE_OUTER});
    hooks_stop();
    ck_assert(any);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(a_null_region_stops_the_program)
{
    pqt_region_overlaps(box_of(0, 0, 1, 1), NULL, (pqt_vec){0, 0});
}
END_TEST

START_TEST(cells_of_three_pixels_stop_the_program)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    pqt_region_overlaps_cells(pixel, pixel, (pqt_vec){0, 0}, (pqt_cells){3, 1, PQT_COARSE_OUTER});
}
END_TEST

START_TEST(an_invalid_side_stops_the_program)
{
    const pqt_region *pixel = box_of(0, 0, 1, 1);
    pqt_region_first_overlap(pixel, pixel, (pqt_vec){0, 0}, (pqt_side)0, NULL);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("overlap");
    TCase *tcase = tcase_create("overlap");
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_test(tcase, pixels_that_share_an_edge_or_a_corner_do_not_overlap);
    tcase_add_test(tcase, offsets_are_rounded_once_and_halves_go_right_and_down);
    tcase_add_test(tcase, the_area_at_a_fractional_offset_interpolates_the_four_whole_ones);
    tcase_add_test(tcase, the_largest_area_fits);
    tcase_add_test(tcase, an_invalid_offset_overlaps_nothing);
    tcase_add_test(tcase, an_empty_region_overlaps_nothing);
    tcase_add_test(tcase, the_first_pair_depends_on_the_side);
    tcase_add_test(tcase, a_visit_ends_when_the_visitor_says_so);
    tcase_add_test(tcase, flat_shapes_overlap_pixels_whose_interior_they_meet);
    tcase_add_test(tcase, shapes_that_touch_do_not_overlap);
    tcase_add_test(tcase, sides_of_cells_are_powers_of_two);
    tcase_add_test(tcase, cells_larger_than_the_region_are_its_quadrants);
    tcase_add_loop_test(tcase, random_pairs_agree_with_all_pairs_of_pixels, 0, 2);
    tcase_add_test(tcase, a_region_of_few_tiles_collides_as_with_a_far_pixel);
    tcase_add_test(tcase, large_regions_overlap_if_their_intersection_has_pixels);
    tcase_add_test(tcase, a_region_does_not_overlap_its_complement);
    tcase_add_test(tcase, coarser_cells_never_reverse_an_answer);
    tcase_add_test(tcase, queries_allocate_nothing);
    tcase_add_misuse_test(tcase, a_null_region_stops_the_program);
    tcase_add_misuse_test(tcase, cells_of_three_pixels_stop_the_program);
    tcase_add_misuse_test(tcase, an_invalid_side_stops_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
