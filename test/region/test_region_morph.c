/* SPDX-License-Identifier: MIT */
/*
 * test_region_morph.c: tests dilation and erosion by discs, distances and skeletons.
 * test_region_cases compares them with other libraries, test_region_model with bitmaps.
 */
#include "config.h"

#include <math.h>

#include <pqt/heap.h>
#include <pqt/region_affine.h>
#include <pqt/region_morph.h>

#include "region_support.h"
#include "suite.h"

START_TEST(a_pixel_grows_into_a_disc_and_a_disc_shrinks_to_a_pixel)
{
    const pqt_vec centre = {-64.5, 70.5};
    const pqt_region *pixel =
        painted(nothing(), pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){-65, 70}));
    for (double radius = 0; radius < 300; radius = radius * 1.5 + 0.75) {
        const pqt_region *disc = painted(nothing(), pqt_paint_disc(PQT_PAINT_SET, centre, radius));
        const pqt_region *grown = sound(pqt_region_dilate_disc(pixel, radius, NULL), NULL);
        ck_assert(pqt_region_equals(grown, disc));
        const pqt_region *shrunk = sound(pqt_region_erode_disc(disc, radius, NULL), NULL);
        ck_assert(pqt_region_contains(shrunk, (pqt_pixel){-65, 70}));
        ck_assert_uint_eq(pqt_region_count(pqt_region_erode_disc(disc, floor(radius) + 1, NULL)),
                          0);
    }
}
END_TEST

START_TEST(a_box_grows_into_a_rounded_box_and_shrinks_to_a_box)
{
    const pqt_region *box = boxed(box_of(-100, -50, 300, 90));
    const pqt_region *grown = sound(pqt_region_dilate_disc(box, 5, NULL), NULL);
    expect_box(pqt_region_bounds(grown), -105, -55, 305, 95);
    ck_assert(!pqt_region_contains(grown, (pqt_pixel){-104, -54}));
    ck_assert(pqt_region_contains(grown, (pqt_pixel){-103, -54}));
    ck_assert(pqt_region_equals(pqt_region_erode_disc(grown, 5, NULL), box));
    ck_assert(
        pqt_region_equals(pqt_region_erode_disc(box, 4.9, NULL), boxed(box_of(-96, -46, 296, 86))));
    ck_assert_ptr_eq(pqt_region_dilate_disc(box, 0.9, NULL), box);
    ck_assert_ptr_eq(pqt_region_erode_disc(box, 0.9, NULL), box);
    const pqt_region *none = nothing();
    ck_assert_ptr_eq(pqt_region_dilate_disc(none, LIMIT, NULL), none);
    ck_assert_ptr_eq(pqt_region_erode_disc(none, LIMIT, NULL), none);
    ck_assert_ptr_eq(pqt_region_skeleton(none, NULL), none);
}
END_TEST

START_TEST(discs_reach_the_limit_and_no_further)
{
    pqt_error error = {0};
    const pqt_region *all = boxed(box_of(-LIMIT, -LIMIT, LIMIT, LIMIT));
    const pqt_region *inner = sound(pqt_region_erode_disc(all, 3.5, &error), &error);
    expect_box(pqt_region_bounds(inner), 3 - LIMIT, 3 - LIMIT, LIMIT - 3, LIMIT - 3);
    const pqt_region *wide = sound(pqt_region_dilate_disc(inner, 3.5, &error), &error);
    expect_box(pqt_region_bounds(wide), -LIMIT, -LIMIT, LIMIT, LIMIT);
    expect_failure(pqt_region_dilate_disc(inner, 4, &error), &error, PQT_ERROR_LIMIT, 0);
    const pqt_region *corner = boxed(box_of(LIMIT - 9, LIMIT - 5, LIMIT, LIMIT));
    const pqt_region *rest = pqt_region_erode_disc(corner, 2, NULL);
    ck_assert(pqt_region_equals(rest, boxed(box_of(LIMIT - 7, LIMIT - 3, LIMIT - 2, LIMIT - 2))));
    const double wrong[] = {-1, NAN, -INFINITY};
    for (int i = 0; i < 3; i++) {
        error = (pqt_error){0};
        expect_failure(pqt_region_dilate_disc(corner, wrong[i], &error), &error, PQT_ERROR_OPTION,
                       0);
        error = (pqt_error){0};
        expect_failure(pqt_region_erode_disc(corner, wrong[i], &error), &error, PQT_ERROR_OPTION,
                       0);
    }
    error = (pqt_error){0};
    expect_failure(pqt_region_erode_disc(corner, LIMIT + 1, &error), &error, PQT_ERROR_LIMIT, 0);
    error = (pqt_error){0};
    expect_failure(pqt_region_dilate_disc(corner, INFINITY, &error), &error, PQT_ERROR_LIMIT, 0);
}
END_TEST

/* ---- Distances ---- */

/* A scope that stays open keeps all that a thread makes. */
START_TEST(no_call_leaves_a_scope_open)
{
    pqt_error error = {0};
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    const pqt_affine turn = {.xx = 0, .xy = -1, .yx = 1, .yy = 0};
    const pqt_region *disc =
        pqt_region_paint(pqt_region_make(heap, &error),
                         pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){30, 40}, 25), &error);
    pqt_pin *pin = pqt_version_pin(disc, &error);
    ck_assert_ptr_nonnull(pin);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    const uint64_t before = pqt_memory_get_stats(heap).used_bytes;
    for (int call = 0; call < 8; call++) {
        const pqt_region *made = NULL;
        switch (call) {
        case 0:
            made = pqt_region_dilate_disc(disc, 3, &error);
            break;
        case 1:
            made = pqt_region_erode_disc(disc, 3, &error);
            break;
        case 2:
            made = pqt_region_skeleton(disc, &error);
            break;
        case 3:
            made = pqt_region_dilate(disc, 2, PQT_CONNECTIVITY_4, &error);
            break;
        case 4:
            made = pqt_region_erode(disc, 2, PQT_CONNECTIVITY_8, &error);
            break;
        case 5:
            made = pqt_region_outline(disc, PQT_CONNECTIVITY_8, &error);
            break;
        case 6:
            made = pqt_region_map(disc, turn, PQT_SAMPLE_NEAREST, &error);
            break;
        default:
            made = pqt_region_largest_component(disc, PQT_CONNECTIVITY_4, &error);
            break;
        }
        ck_assert_msg(made != NULL, "call %d: %s", call, error.text);
        ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        ck_assert_msg(pqt_memory_get_stats(heap).used_bytes == before, "call %d", call);
    }
    pqt_unpin(&pin);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(invalid_windows_of_distances_are_refused)
{
    const pqt_region *region = boxed(box_of(0, 0, 3, 3));
    uint32_t square = 7;
    const struct {
        pqt_pixel_box window;
        int target;
        size_t stride;
        pqt_status status;
    } wrong[] = {
        {{{0, 0}, {-1, 1}}, 1, 1, PQT_ERROR_BOX},
        {{{0, 0}, {32769, 1}}, 1, 40000, PQT_ERROR_LIMIT},
        {{{INT32_MIN, 0}, {INT32_MAX, 1}}, 1, 40000, PQT_ERROR_LIMIT},
        {{{0, 0}, {1, 32769}}, 1, 1, PQT_ERROR_LIMIT},
        {{{0, 0}, {2, 1}}, 1, 1, PQT_ERROR_OPTION},
        {{{0, 0}, {1, 1}}, 0, 1, PQT_ERROR_OPTION},
        {{{0, 0}, {1, 1}}, 3, 1, PQT_ERROR_OPTION},
        {{{0, 0}, {1, 3}}, 1, PTRDIFF_MAX / 4, PQT_ERROR_OPTION},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_region_distances(region, wrong[i].window,
                                        (pqt_distance_target)wrong[i].target, &square,
                                        wrong[i].stride, &error));
        ck_assert_msg(error.status == wrong[i].status, "%zu: %s", i, error.text);
        ck_assert_uint_eq(square, 7);
    }
    ck_assert(
        pqt_region_distances(region, box_of(5, 5, 5, 9), PQT_DISTANCE_TO_REGION, NULL, 0, NULL));
}
END_TEST

START_TEST(distances_reach_across_the_largest_windows)
{
    static uint32_t squares[PQT_DISTANCE_LIMIT];
    const pqt_region *pixel = boxed(box_of(LIMIT - 1, LIMIT - 1, LIMIT, LIMIT));
    const int32_t last = PQT_DISTANCE_LIMIT - 1;
    const pqt_pixel_box wide = box_of(LIMIT - 1, LIMIT - 1, LIMIT + last, LIMIT);
    const pqt_pixel_box high = box_of(LIMIT - 1, LIMIT - 1 - last, LIMIT, LIMIT);
    ck_assert(pqt_region_distances(pixel, wide, PQT_DISTANCE_TO_REGION, squares, PQT_DISTANCE_LIMIT,
                                   NULL));
    for (uint32_t x = 0; x < PQT_DISTANCE_LIMIT; x++)
        ck_assert_uint_eq(squares[x], x * x);
    ck_assert(pqt_region_distances(pixel, high, PQT_DISTANCE_TO_REGION, squares, 1, NULL));
    for (uint32_t y = 0; y < PQT_DISTANCE_LIMIT; y++)
        ck_assert_uint_eq(squares[last - (int32_t)y], y * y);
    ck_assert(pqt_region_distances(nothing(), high, PQT_DISTANCE_TO_REGION, squares, 1, NULL));
    ck_assert_uint_eq(squares[5], UINT32_MAX);
}
END_TEST

/* ---- Skeletons ---- */

/* The components of a region, and those of the pixels outside: the outer one and the holes. */
typedef struct topology {
    size_t components, holes;
} topology;

static topology
topology_of(const pqt_region *region)
{
    pqt_error error = {0};
    const pqt_pixel_box box = pqt_region_bounds(region);
    const pqt_pixel_box around = box_of(box.min.x - 1, box.min.y - 1, box.max.x + 1, box.max.y + 1);
    const pqt_region *outside = pqt_region_complement(region, around, &error);
    stopper parts = {0, SIZE_MAX}, holes = {0, SIZE_MAX};
    ck_assert(
        pqt_region_visit_components(region, PQT_CONNECTIVITY_8, 0, stop_at_region, &parts, &error));
    ck_assert(pqt_region_visit_components(outside, PQT_CONNECTIVITY_4, 0, stop_at_region, &holes,
                                          &error));
    return (topology){parts.seen, holes.seen};
}

static void
expect_skeleton(const pqt_region *region)
{
    pqt_error error = {0};
    const pqt_region *lines = sound(pqt_region_skeleton(region, &error), &error);
    const topology before = topology_of(region), after = topology_of(lines);
    ck_assert_uint_eq(after.components, before.components);
    ck_assert_uint_eq(after.holes, before.holes);
    ck_assert_ptr_eq(pqt_region_intersection(lines, region, here, &error), lines);
    ck_assert_ptr_eq(pqt_region_skeleton(lines, &error), lines);
}

START_TEST(skeletons_keep_components_and_holes)
{
    dice d = {test_seed("skeletons_keep")};
    expect_skeleton(region_of(NOISE, 90, 70, (pqt_pixel){-30, -30}, arena));
    expect_skeleton(region_of(MAZE, 190, 70, here, arena));
    for (size_t i = 0; i < test_scaled(60); i++) {
        const pqt_region *region = nothing();
        for (size_t k = dice_below(&d, 12); k > 0; k--) {
            const pqt_vec from = {dice_real(&d) * 150 - 64, dice_real(&d) * 150 - 64};
            const pqt_vec to = {dice_real(&d) * 150 - 64, dice_real(&d) * 150 - 64};
            const pqt_paint_op op = (pqt_paint_op)(1 + dice_below(&d, 3));
            region = painted(region, pqt_paint_stroke(op, from, to, dice_real(&d) * 15));
        }
        expect_skeleton(region);
    }
}
END_TEST

START_TEST(a_box_as_far_as_possible_has_a_skeleton)
{
    pqt_error error = {0};
    const pqt_region *row = boxed(box_of(-LIMIT, LIMIT - 3, LIMIT, LIMIT));
    const pqt_region *line = sound(pqt_region_skeleton(row, &error), &error);
    ck_assert_int_eq(pqt_region_bounds(line).min.y, LIMIT - 2);
    ck_assert_int_eq(pqt_region_bounds(line).max.y, LIMIT - 1);
    const pqt_pixel_box far[] = {box_of(-LIMIT, 0, 1 - LIMIT, 1),
                                 box_of(LIMIT - 1, 4000, LIMIT, 4001)};
    const pqt_region *pixels = pqt_region_of_boxes(far, 2, arena, &error);
    expect_failure(pqt_region_skeleton(pixels, &error), &error, PQT_ERROR_LIMIT, 0);
    ck_assert_ptr_nonnull(strstr(error.text, "2097152 x 4001"));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_morph");
    TCase *discs = region_tests("discs"), *distances = region_tests("distances");
    TCase *skeletons = region_tests("skeletons");
    tcase_add_test(discs, a_pixel_grows_into_a_disc_and_a_disc_shrinks_to_a_pixel);
    tcase_add_test(discs, a_box_grows_into_a_rounded_box_and_shrinks_to_a_box);
    tcase_add_test(discs, discs_reach_the_limit_and_no_further);
    tcase_add_test(distances, no_call_leaves_a_scope_open);
    tcase_add_test(distances, invalid_windows_of_distances_are_refused);
    tcase_add_test(distances, distances_reach_across_the_largest_windows);
    tcase_add_test(skeletons, skeletons_keep_components_and_holes);
    tcase_add_test(skeletons, a_box_as_far_as_possible_has_a_skeleton);
    suite_add_tcase(suite, discs);
    suite_add_tcase(suite, distances);
    suite_add_tcase(suite, skeletons);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
