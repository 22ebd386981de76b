/* SPDX-License-Identifier: MIT */
/*
 * test_region_paint.c: tests painting, and combining two regions. Both are exact, up to the limits
 * of coordinates.
 */
#include "config.h"

#include <math.h>

#include "hooks.h"
#include "random.h"
#include "region/raster.h"
#include "region/tile.h"
#include "region_builder.h"
#include "region_support.h"
#include "suite.h"

START_TEST(a_disc_of_half_a_pixel_is_one_pixel)
{
    const pqt_region *region =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){7.5, -3.5}, 0.5));
    ck_assert_uint_eq(pqt_region_count(region), 1);
    ck_assert(pqt_region_contains(region, (pqt_pixel){7, -4}));
}
END_TEST

START_TEST(a_disc_has_the_pixels_whose_centres_it_contains)
{
    /* The centres of the four pixels around a corner are at a distance of sqrt(0.5). */
    const pqt_region *none =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, 0}, 0.7));
    const pqt_region *four =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, 0}, 0.708));
    ck_assert_uint_eq(pqt_region_count(none), 0);
    ck_assert_uint_eq(pqt_region_count(four), 4);
    expect_box(pqt_region_bounds(four), -1, -1, 1, 1);
    /* A centre whose distance equals the radius belongs to the disc: 3, 4, 5. */
    const pqt_region *ring =
        painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0.5, 0.5}, 5));
    ck_assert(pqt_region_contains(ring, (pqt_pixel){3, 4}));
    ck_assert(pqt_region_contains(ring, (pqt_pixel){-5, 0}));
    ck_assert(!pqt_region_contains(ring, (pqt_pixel){4, 4}));
}
END_TEST

START_TEST(a_stroke_without_width_has_the_centres_on_its_line)
{
    const pqt_region *region = painted(
        nothing(), pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){0.5, 0.5}, (pqt_vec){99.5, 99.5}, 0));
    ck_assert_uint_eq(pqt_region_count(region), 100);
    for (int32_t i = 0; i < 100; i++)
        ck_assert(pqt_region_contains(region, (pqt_pixel){i, i}));
    const pqt_region *beside = painted(
        nothing(), pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){0, 0.4}, (pqt_vec){99, 0.4}, 0));
    ck_assert_uint_eq(pqt_region_count(beside), 0);
}
END_TEST

/* Checks the pixels around both ends of the span of a row. */
static void
expect_exact_row(const pqt_paint *paint, const pqti_primitive *primitive, int32_t y)
{
    pqti_span span = pqti_primitive_row(primitive, y);
    if (span.from >= span.to)
        return;
    for (int32_t i = -2; i <= 2; i++) {
        ck_assert_msg(paint_has(paint, span.from + i, y) == (i >= 0 && span.from + i < span.to),
                      "row %d begins at %d", y, span.from);
        ck_assert_msg(paint_has(paint, span.to + i, y) == (i < 0 && span.to + i >= span.from),
                      "row %d ends at %d", y, span.to);
    }
}

/* Returns a random pixel near the edge of a stroke. */
static pqt_pixel
draw_pixel_near(dice *d, const pqt_paint *paint)
{
    const double dx = paint->to.x - paint->from.x, dy = paint->to.y - paint->from.y;
    const double length = hypot(dx, dy) + 1e-9, t = dice_real(d) * 1.1 - 0.05;
    const double away = paint->radius * (dice_chance(d, 50) ? -1 : 1) * dice_real(d) * 1.2;
    const double x = paint->from.x + t * dx - away * dy / length;
    const double y = paint->from.y + t * dy + away * dx / length;
    return (pqt_pixel){(int32_t)fmin(fmax(floor(x), -LIMIT), LIMIT - 1),
                       (int32_t)fmin(fmax(floor(y), -LIMIT), LIMIT - 1)};
}

/* Checks the coverage of a square at its corners and at random pixels. */
static void
expect_true_cover(dice *d, const pqt_paint *paint, const pqti_primitive *primitive)
{
    const int level = PQTI_TILE_LEVEL + (int)dice_below(d, 12);
    const int32_t side = pqti_side(level);
    pqt_pixel near = draw_pixel_near(d, paint);
    pqti_rcell cell = {near.x & ~(side - 1), near.y & ~(side - 1), level};
    pqti_raster_coverage cover = pqti_primitive_covers(primitive, cell);
    for (int i = 0; i < 8; i++) {
        int32_t x = cell.x + (i & 1 ? side - 1 : 0), y = cell.y + (i & 2 ? side - 1 : 0);
        if (i >= 4) {
            x = cell.x + (int32_t)dice_below(d, (size_t)side);
            y = cell.y + (int32_t)dice_below(d, (size_t)side);
        }
        if (paint_has(paint, x, y))
            ck_assert_msg(cover != PQTI_RASTER_OUTSIDE, "%d, %d is outside", x, y);
        else
            ck_assert_msg(cover != PQTI_RASTER_WHOLLY, "%d, %d is inside", x, y);
    }
}

/* Returns a random coordinate, often at the limits, or equal to another one. */
static double
draw_position(dice *d, double other)
{
    static const double ends[] = {-LIMIT, LIMIT, 0, LIMIT - 0.5, -LIMIT + 1 / 1024.0};
    if (dice_chance(d, 40))
        return ends[dice_below(d, sizeof ends / sizeof *ends)];
    if (dice_chance(d, 20))
        return other;
    return (dice_real(d) - 0.5) * 2 * LIMIT;
}

START_TEST(strokes_are_exact_to_the_limits_of_coordinates)
{
    dice d = {test_seed("strokes_are_exact_to_the_limits_of_coordinates")};
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_vec from = {draw_position(&d, 0), draw_position(&d, 0)};
        pqt_vec to = {draw_position(&d, from.x), draw_position(&d, from.y)};
        double radius = dice_real(&d) * (dice_chance(&d, 50) ? 3 : LIMIT);
        pqt_paint paint =
            pqt_paint_stroke(PQT_PAINT_CLEAR, from, to, dice_chance(&d, 5) ? LIMIT : radius);
        pqti_primitive primitive;
        pqt_error error = {0};
        ck_assert_msg(pqti_primitive_of(&paint, 0, &primitive, &error), "%s", error.text);
        for (int k = 0; k < 5; k++) {
            pqt_pixel near = draw_pixel_near(&d, &paint);
            pqti_span span = pqti_primitive_row(&primitive, near.y);
            expect_exact_row(&paint, &primitive, near.y);
            ck_assert(paint_has(&paint, near.x, near.y) ==
                      (span.from <= near.x && near.x < span.to));
            expect_true_cover(&d, &paint, &primitive);
        }
    }
}
END_TEST

/* The square of half the width, 2^60 - 1, is not a double. The first estimate of its root is
 * 2^30. */
START_TEST(the_largest_disc_is_exact_too)
{
    pqt_paint paint = pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){0.5, 513.0 / 1024}, LIMIT);
    pqti_primitive primitive;
    ck_assert(pqti_primitive_of(&paint, 0, &primitive, NULL));
    expect_exact_row(&paint, &primitive, 0);
    pqti_span span = pqti_primitive_row(&primitive, 0);
    ck_assert_int_eq(span.from, 1 - LIMIT);
    ck_assert_int_eq(span.to, LIMIT);
}
END_TEST

/* The squares that are visited to paint a shape, and the tiles among them that are painted row by
 * row. */
typedef struct looked {
    size_t squares, tiles;
} looked;

static void
look(const pqti_primitive *primitive, pqti_rcell cell, looked *at)
{
    at->squares++;
    if (pqti_primitive_covers(primitive, cell) != PQTI_RASTER_PARTLY)
        return;
    if (cell.level == PQTI_TILE_LEVEL) {
        at->tiles++;
        return;
    }
    for (int i = 0; i < 4; i++)
        look(primitive, pqti_rcell_child(cell, i), at);
}

/* The edge of a convex shape crosses a column or row of tiles twice. Near corners of tiles, it
   crosses up to half as many again. */
START_TEST(painting_a_stroke_visits_squares_along_its_edge)
{
    dice d = {test_seed("painting_a_stroke_visits_squares_along_its_edge")};
    for (int i = 0; i < 60; i++) {
        const double far = LIMIT / 8, radius = dice_real(&d) * far;
        pqt_vec from = {dice_real(&d) * far, dice_real(&d) * far};
        pqt_vec to = {dice_real(&d) * far, dice_real(&d) * far};
        pqt_paint paint = pqt_paint_stroke(PQT_PAINT_CLEAR, from, i % 2 == 0 ? from : to, radius);
        pqti_primitive primitive;
        looked at = {0, 0};
        ck_assert(pqti_primitive_of(&paint, 0, &primitive, NULL));
        for (int quadrant = 0; quadrant < 4; quadrant++)
            look(&primitive, pqti_rcell_quadrant(PQTI_TOP_LEVEL, quadrant), &at);
        const int32_t size =
            primitive.box.max.x - primitive.box.min.x + primitive.box.max.y - primitive.box.min.y;
        ck_assert_uint_le(at.tiles, 3 * (size_t)size / PQTI_TILE_SIDE + 8);
        ck_assert_uint_le(at.squares, 8 * at.tiles + 8 * PQTI_TOP_LEVEL);
    }
}
END_TEST

START_TEST(a_stroke_across_a_region_leaves_two_components)
{
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    pqt_paint paint =
        pqt_paint_stroke(PQT_PAINT_CLEAR, (pqt_vec){-LIMIT, -LIMIT}, (pqt_vec){LIMIT, LIMIT}, 2);
    const pqt_region *cut = pqt_region_paint(all, paint, NULL);
    /* In each row, 5 pixels are within a distance of 2 of the diagonal. All of them are painted,
     * except for 3 at each end. */
    ck_assert_uint_eq(pqt_region_count(all) - pqt_region_count(cut), 5 * UINT64_C(2) * LIMIT - 6);
    ck_assert(!pqt_region_contains(cut, (pqt_pixel){1000, 1002}));
    ck_assert(pqt_region_contains(cut, (pqt_pixel){1000, 1003}));
}
END_TEST

START_TEST(regions_extend_to_the_limit_and_no_farther)
{
    static const pqt_pixel corners[] = {
        {-LIMIT, -LIMIT}, {LIMIT - 1, -LIMIT}, {-LIMIT, LIMIT - 1}, {LIMIT - 1, LIMIT - 1}};
    static const pqt_pixel beyond[] = {{-LIMIT - 1, 0}, {LIMIT, 0},         {0, -LIMIT - 1},
                                       {0, LIMIT},      {INT32_MIN, 0},     {0, INT32_MIN},
                                       {INT32_MAX, 0},  {INT32_MAX, LIMIT}, {0, INT32_MAX}};
    const pqt_region *region = nothing();
    for (int i = 0; i < 4; i++)
        region = painted(region, pqt_paint_pixel(PQT_PAINT_SET, corners[i]));
    expect_box(pqt_region_bounds(region), -LIMIT, -LIMIT, LIMIT, LIMIT);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        pqt_error error = {0};
        expect_failure(pqt_region_paint(region, pqt_paint_pixel(PQT_PAINT_SET, beyond[i]), &error),
                       &error, PQT_ERROR_LIMIT, 0);
        error = (pqt_error){0};
        expect_failure(
            pqt_region_paint(region, pqt_paint_pixel(PQT_PAINT_TOGGLE, beyond[i]), &error), &error,
            PQT_ERROR_LIMIT, 0);
        ck_assert_ptr_eq(painted(region, pqt_paint_pixel(PQT_PAINT_CLEAR, beyond[i])), region);
        ck_assert(!pqt_region_contains(region, beyond[i]));
    }
    for (int i = 0; i < 4; i++)
        region = painted(region, pqt_paint_pixel(PQT_PAINT_TOGGLE, corners[i]));
    ck_assert_int_eq(pqt_region_get_stats(region).level, 6);
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    ck_assert_uint_eq(pqt_region_count(all), UINT64_C(1) << 42);
    const pqt_region *erased =
        painted(all, pqt_paint_box(PQT_PAINT_CLEAR, box_of(INT32_MIN, INT32_MIN, 0, INT32_MAX)));
    ck_assert_uint_eq(pqt_region_count(erased), UINT64_C(1) << 41);
}
END_TEST

START_TEST(invalid_paint_is_refused)
{
    const pqt_vec a = {0, 0}, b = {1, 2};
    const struct {
        pqt_paint paint;
        pqt_status status;
    } bad[] = {
        {pqt_paint_box(PQT_PAINT_SET, box_of(3, 0, 2, 0)), PQT_ERROR_BOX},
        {pqt_paint_box(PQT_PAINT_CLEAR, box_of(0, 3, 1, 2)), PQT_ERROR_BOX},
        {pqt_paint_box((pqt_paint_op)0, box_of(0, 0, 1, 1)), PQT_ERROR_OPTION},
        {pqt_paint_box((pqt_paint_op)4, box_of(0, 0, 1, 1)), PQT_ERROR_OPTION},
        {{.op = PQT_PAINT_SET}, PQT_ERROR_OPTION},
        {{.op = PQT_PAINT_SET, .shape = (pqt_paint_shape)3}, PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_PAINT_SET, a, -1), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_PAINT_SET, a, -INFINITY), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_PAINT_SET, a, NAN), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_PAINT_CLEAR, a, INFINITY), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_PAINT_CLEAR, a, LIMIT + 0.5), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){NAN, 0}, 1), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){0, NAN}, 1), PQT_ERROR_OPTION},
        {pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){INFINITY, 0}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){0, -1e300}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){LIMIT, 0}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_stroke(PQT_PAINT_SET, a, (pqt_vec){0, NAN}, 1), PQT_ERROR_OPTION},
        {pqt_paint_stroke(PQT_PAINT_SET, b, (pqt_vec){-LIMIT - 1.0, 0}, 1), PQT_ERROR_LIMIT},
        {pqt_paint_box(PQT_PAINT_TOGGLE, box_of(0, 0, LIMIT + 1, 1)), PQT_ERROR_LIMIT},
    };
    const pqt_region *region = boxed(box_of(0, 0, 10, 10));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_paint paints[3] = {pqt_paint_disc(PQT_PAINT_SET, b, 4),
                               pqt_paint_pixel(PQT_PAINT_CLEAR, here), bad[i].paint};
        pqt_error error = {0};
        expect_failure(pqt_region_paint(region, bad[i].paint, &error), &error, bad[i].status, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_paint_all(region, paints, 3, &error), &error, bad[i].status, 2);
    }
    ck_assert_uint_eq(pqt_region_count(sound(region, NULL)), 100);
}
END_TEST

START_TEST(paint_that_changes_nothing_returns_the_same_version_and_allocates_nothing)
{
    const pqt_region *region = region_of(NOISE, 300, 300, (pqt_pixel){-150, -150}, arena);
    pqt_region const *solid = boxed(box_of(0, 0, 128, 128));
    const pqt_paint twice[2] = {pqt_paint_box(PQT_PAINT_TOGGLE, box_of(-64, -64, 64, 64)),
                                pqt_paint_box(PQT_PAINT_TOGGLE, box_of(-64, -64, 64, 64))};
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_region_paint(solid, pqt_paint_pixel(PQT_PAINT_SET, here), NULL), solid);
    ck_assert_ptr_eq(
        pqt_region_paint(solid, pqt_paint_pixel(PQT_PAINT_CLEAR, (pqt_pixel){-1, 0}), NULL), solid);
    ck_assert_ptr_eq(
        pqt_region_paint(solid, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){64, 64}, 60), NULL), solid);
    ck_assert_ptr_eq(
        pqt_region_paint(solid, pqt_paint_box(PQT_PAINT_TOGGLE, box_of(9, 9, 9, 12)), NULL), solid);
    ck_assert_ptr_eq(pqt_region_paint_all(solid, NULL, 0, NULL), solid);
    ck_assert_ptr_eq(pqt_region_union(region, region, here, NULL), region);
    ck_assert_ptr_eq(pqt_region_intersection(region, region, here, NULL), region);
    ck_assert_ptr_eq(pqt_region_move(region, here, NULL), region);
    ck_assert_ptr_eq(pqt_region_crop(region, box_of(-150, -150, 150, 150), NULL), region);
    ck_assert_ptr_eq(
        pqt_region_crop(region, box_of(INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX), NULL), region);
    ck_assert_ptr_eq(pqt_region_copy(region, arena, NULL), region);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_region_paint_all(region, twice, 2, NULL), region);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
}
END_TEST

/* There are enough paint operations to exceed the initial size of the lists. */
START_TEST(each_failed_allocation_of_a_batch_is_handled)
{
    enum { MANY = 200 };
    pqt_paint paints[MANY];
    for (int i = 0; i < MANY; i++)
        paints[i] = pqt_paint_disc(i % 3 == 0 ? PQT_PAINT_CLEAR : PQT_PAINT_SET,
                                   (pqt_vec){7 * (i % 20) - 60, 9 * (i / 20) - 50}, 5);
    const pqt_region *region = boxed(box_of(-10, -10, 90, 90));
    const pqt_fingerprint before = pqt_region_fingerprint(region);
    size_t failures = 0;
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_region *painted = pqt_region_paint_all(region, paints, MANY, &error);
        hooks_stop();
        if (painted != NULL)
            break;
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
        failures++;
    }

    ck_assert(pqt_fingerprint_equals(pqt_region_fingerprint(region), before));
    ck_assert_uint_gt(failures, 10);
}
END_TEST

/* ---- Two regions ---- */

START_TEST(combining_a_region_with_a_part_of_it_returns_one_of_the_two)
{
    const pqt_region *whole = region_of(NOISE, 200, 200, here, arena);
    const pqt_region *part = pqt_region_crop(whole, box_of(20, 30, 170, 180), NULL);
    ck_assert_ptr_ne(part, whole);
    ck_assert_ptr_eq(pqt_region_union(whole, part, here, NULL), whole);
    ck_assert_ptr_eq(pqt_region_union(part, whole, here, NULL), whole);
    ck_assert_ptr_eq(pqt_region_intersection(whole, part, here, NULL), part);
    ck_assert_ptr_eq(pqt_region_intersection(part, whole, here, NULL), part);
    ck_assert_ptr_eq(pqt_region_union(whole, nothing(), (pqt_pixel){INT32_MAX, 0}, NULL), whole);
    ck_assert_ptr_eq(pqt_region_difference(part, nothing(), here, NULL), part);
    ck_assert_ptr_eq(pqt_region_xor(nothing(), part, here, NULL), part);
    ck_assert_uint_eq(pqt_region_count(pqt_region_xor(part, part, here, NULL)), 0);
}
END_TEST

START_TEST(offsets_may_be_as_large_as_their_type_allows)
{
    static const int32_t far[] = {INT32_MIN, INT32_MIN + 1, -2 * LIMIT, 2 * LIMIT, INT32_MAX};
    const pqt_region *a = boxed(box_of(-5, -5, 5, 5)), *b = boxed(box_of(0, 0, 70, 1));
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        pqt_pixel offset = {i % 2 == 0 ? far[i] : 0, i % 2 == 0 ? 0 : far[i]};
        pqt_error error = {0};
        const pqt_region *common = pqt_region_intersection(a, b, offset, &error);
        ck_assert_uint_eq(pqt_region_count(sound(common, &error)), 0);
        ck_assert_ptr_eq(pqt_region_difference(a, b, offset, &error), a);
        expect_failure(pqt_region_union(a, b, offset, &error), &error, PQT_ERROR_LIMIT, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_xor(a, b, offset, &error), &error, PQT_ERROR_LIMIT, 0);
        error = (pqt_error){0};
        expect_failure(pqt_region_move(b, offset, &error), &error, PQT_ERROR_LIMIT, 0);
    }
    pqt_error error = {0};
    const pqt_region *last = pqt_region_move(b, (pqt_pixel){LIMIT - 70, LIMIT - 1}, &error);
    expect_box(pqt_region_bounds(sound(last, &error)), LIMIT - 70, LIMIT - 1, LIMIT, LIMIT);
    const pqt_region *first =
        pqt_region_move(last, (pqt_pixel){70 - 2 * LIMIT, 1 - 2 * LIMIT}, &error);
    expect_box(pqt_region_bounds(sound(first, &error)), -LIMIT, -LIMIT, 70 - LIMIT, 1 - LIMIT);
    ck_assert_ptr_null(pqt_region_move(b, (pqt_pixel){LIMIT - 69, 0}, NULL));
    ck_assert(pqt_region_equals(pqt_region_move(first, (pqt_pixel){LIMIT, LIMIT}, NULL), b));
}
END_TEST

typedef const pqt_region *join_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                  pqt_error *error);

/* Equal bits and no shared block: the result lives in the memory of the first operand alone, also
 * if it equals the second, and if whole squares of the second are in it. */
START_TEST(regions_in_two_memories_are_combined_in_that_of_the_first)
{
    static join_fn *const joins[] = {pqt_region_union, pqt_region_intersection,
                                     pqt_region_difference, pqt_region_xor};
    const pqt_pixel offsets[] = {{0, 0}, {64, -128}, {-3, 5}};
    pqt_error error = {0};
    const pqt_region *a = region_of(MAZE, 300, 200, (pqt_pixel){-70, -10}, arena);
    const pqt_region *all[] = {a, boxed(box_of(-64, -64, 64, 64)), nothing(),
                               region_of(NOISE, 130, 130, here, arena)};
    for (int i = 0; i < 4; i++) {
        pqt_memory *other = pqt_arena_make(0, &error);
        const pqt_region *b = pqt_region_copy(all[i], other, &error);
        const pqt_region *made[2][4][3];
        for (int k = 0; k < 4; k++)
            for (int o = 0; o < 3; o++) {
                made[0][k][o] = joins[k](a, b, offsets[o], &error);
                made[1][k][o] = joins[k](all[2], b, offsets[o], &error);
                ck_assert_ptr_eq(pqt_region_memory(sound(made[0][k][o], &error)), arena);
                ck_assert_ptr_eq(pqt_region_memory(sound(made[1][k][o], &error)), arena);
                ck_assert_uint_eq(pqt_region_shared_bytes(made[1][k][o], b), 0);
            }
        ck_assert_int_eq(made[0][1][0] == a, i == 0);
        pqt_arena_destroy(&other);
        for (int k = 0; k < 4; k++)
            for (int o = 0; o < 3; o++) {
                ck_assert(pqt_region_equals(sound(made[0][k][o], &error),
                                            joins[k](a, all[i], offsets[o], &error)));
                ck_assert(pqt_region_equals(sound(made[1][k][o], &error),
                                            joins[k](all[2], all[i], offsets[o], &error)));
            }
    }
}
END_TEST

START_TEST(a_complement_stays_within_its_box)
{
    pqt_error error = {0};
    const pqt_region *hole = boxed(box_of(100, 100, 200, 200));
    const pqt_region *frame = pqt_region_complement(hole, box_of(0, 0, 256, 256), &error);
    ck_assert_uint_eq(pqt_region_count(sound(frame, &error)), 256 * 256 - 100 * 100);
    ck_assert(
        pqt_region_equals(pqt_region_complement(frame, box_of(0, 0, 256, 256), &error), hole));
    const pqt_region *none = pqt_region_complement(hole, box_of(3, 4, 3, 9), &error);
    ck_assert_uint_eq(pqt_region_count(sound(none, &error)), 0);
    const pqt_region *far =
        pqt_region_complement(hole, box_of(-LIMIT, -LIMIT, LIMIT, LIMIT), &error);
    ck_assert_uint_eq(pqt_region_count(sound(far, &error)), (UINT64_C(1) << 42) - 10000);
    expect_failure(pqt_region_complement(hole, box_of(1, 0, 0, 1), &error), &error, PQT_ERROR_BOX,
                   0);
    error = (pqt_error){0};
    expect_failure(pqt_region_complement(hole, box_of(0, 0, LIMIT + 1, 1), &error), &error,
                   PQT_ERROR_LIMIT, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_crop(hole, box_of(0, 1, 1, 0), &error), &error, PQT_ERROR_BOX, 0);
}
END_TEST

/* ---- Earlier failures ---- */

START_TEST(a_failure_is_passed_on_and_the_first_one_is_kept)
{
    pqt_error error = {0};
    const pqt_region *good = boxed(box_of(0, 0, 3, 3));
    const pqt_region *region =
        pqt_region_paint(good, pqt_paint_box(PQT_PAINT_SET, box_of(2, 0, 1, 0)), &error);
    region =
        pqt_region_paint(region, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){LIMIT, 0}), &error);
    region = pqt_region_union(region, good, here, &error);
    region = pqt_region_union(good, region, here, &error);
    region = pqt_region_move(region, here, &error);
    region = pqt_region_crop(region, box_of(0, 0, 1, 1), &error);
    region = pqt_region_complement(region, box_of(0, 0, 1, 1), &error);
    region = pqt_region_copy(region, arena, &error);
    region = pqt_region_paint_all(region, NULL, 0, &error);
    expect_failure(region, &error, PQT_ERROR_BOX, 0);
    ck_assert_ptr_null(pqt_region_pin(region, &error));
    ck_assert(!pqt_region_check(region, &error));
    uint8_t byte = 7;
    ck_assert(!pqt_region_to_bytes(region, box_of(0, 0, 1, 1), &byte, 1, 1, &error));
    ck_assert_int_eq(byte, 7);
    ck_assert_ptr_null(pqt_region_paint(NULL, pqt_paint_pixel(PQT_PAINT_SET, here), NULL));
}
END_TEST

START_TEST(null_without_an_earlier_failure_stops_the_program)
{
    pqt_error error = {0};
    (void)!pqt_region_paint(NULL, pqt_paint_pixel(PQT_PAINT_SET, here), &error);
}
END_TEST

START_TEST(null_paints_stop_the_program)
{
    (void)!pqt_region_paint_all(nothing(), NULL, 1, NULL);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_paint");
    TCase *tcase = region_tests("changing");
    tcase_add_test(tcase, a_disc_of_half_a_pixel_is_one_pixel);
    tcase_add_test(tcase, a_disc_has_the_pixels_whose_centres_it_contains);
    tcase_add_test(tcase, a_stroke_without_width_has_the_centres_on_its_line);
    tcase_add_test(tcase, strokes_are_exact_to_the_limits_of_coordinates);
    tcase_add_test(tcase, the_largest_disc_is_exact_too);
    tcase_add_test(tcase, painting_a_stroke_visits_squares_along_its_edge);
    tcase_add_test(tcase, a_stroke_across_a_region_leaves_two_components);
    tcase_add_test(tcase, regions_extend_to_the_limit_and_no_farther);
    tcase_add_test(tcase, invalid_paint_is_refused);
    tcase_add_test(tcase,
                   paint_that_changes_nothing_returns_the_same_version_and_allocates_nothing);
    tcase_add_test(tcase, each_failed_allocation_of_a_batch_is_handled);
    tcase_add_test(tcase, combining_a_region_with_a_part_of_it_returns_one_of_the_two);
    tcase_add_test(tcase, offsets_may_be_as_large_as_their_type_allows);
    tcase_add_test(tcase, regions_in_two_memories_are_combined_in_that_of_the_first);
    tcase_add_test(tcase, a_complement_stays_within_its_box);
    tcase_add_test(tcase, a_failure_is_passed_on_and_the_first_one_is_kept);
    tcase_add_misuse_test(tcase, null_without_an_earlier_failure_stops_the_program);
    tcase_add_misuse_test(tcase, null_paints_stop_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
