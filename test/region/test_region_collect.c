/* SPDX-License-Identifier: MIT */
/*
 * test_region_collect.c: compares the arrays of what a region has with what its visitors visit.
 *
 * Each array is collected with every capacity up to its size, and one element more.
 */
#include "config.h"

#include <pqt/region_collect.h>
#include <pqt/region_overlap.h>

#include "region_support.h"
#include "suite.h"

enum { MOST = 4000 };

/* The results of a visitor, or of a collector. */
typedef struct lists {
    pqt_pixel_run runs[MOST];
    pqt_pixel_box boxes[MOST];
    pqt_square squares[MOST];
    pqt_pixel_pairs pairs[MOST];
    size_t count;
} lists;

static lists visited, collected;

static bool
keep_run(const pqt_pixel_run *run, void *context)
{
    (void)context;
    visited.runs[visited.count++] = *run;
    return true;
}

static bool
keep_boxes(const pqt_pixel_box *box, void *context)
{
    (void)context;
    visited.boxes[visited.count++] = *box;
    return true;
}

static bool
keep_square(const pqt_square *square, void *context)
{
    (void)context;
    visited.squares[visited.count++] = *square;
    return true;
}

static bool
keep_pairs(const pqt_pixel_pairs *pairs, void *context)
{
    (void)context;
    visited.pairs[visited.count++] = *pairs;
    return true;
}

static const pqt_region *
picture(void)
{
    const pqt_region *noise = region_of(NOISE, 20, 70, (pqt_pixel){-10, -5}, arena);
    return painted(noise, pqt_paint_box(PQT_PAINT_SET, box_of(64, 64, 256, 256)));
}

/* Squares have padding, which means nothing. */
static bool
same_squares(const pqt_square *a, const pqt_square *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i].box, &b[i].box, sizeof a[i].box) != 0 || a[i].kind != b[i].kind ||
            a[i].count != b[i].count)
            return false;
    return true;
}

/* Checks that `capacity` elements were written, as they were visited, and no other. */
static void
expect_written(const void *written, const void *must, size_t size, size_t count, size_t capacity)
{
    const size_t most = capacity < visited.count ? capacity : visited.count;
    ck_assert_uint_eq(count, visited.count);
    ck_assert(must == (const void *)visited.squares ? same_squares(written, must, most)
                                                    : memcmp(written, must, most * size) == 0);
    for (size_t i = most * size; i < (most + 1) * size; i++)
        ck_assert_int_eq(((const uint8_t *)written)[i], 0xa5);
}

/* Calls a collector with each capacity. `name` is the member of the lists. */
#define EXPECT_COLLECTED(name, call)                                                               \
    do {                                                                                           \
        ck_assert_uint_gt(visited.count, 3);                                                       \
        ck_assert_uint_lt(visited.count, MOST - 2);                                                \
        for (size_t capacity = 0; capacity <= visited.count + 1; capacity++) {                     \
            memset(&collected, 0xa5, sizeof collected);                                            \
            expect_written(collected.name, visited.name, sizeof *visited.name, call, capacity);    \
        }                                                                                          \
        visited.count = 0;                                                                         \
    } while (0)

START_TEST(arrays_have_what_the_visitors_visit)
{
    const pqt_region *a = picture();
    const pqt_region *b = painted(a, pqt_paint_box(PQT_PAINT_TOGGLE, box_of(-7, 3, 130, 66)));
    const pqt_pixel_box window = box_of(-20, -1, 100, 90);
    const pqt_vec offset = {1.5, 2.25};
    visited.count = 0;
    pqt_region_visit_runs(a, window, keep_run, NULL);
    EXPECT_COLLECTED(runs, pqt_region_collect_runs(a, window, collected.runs, capacity));
    pqt_region_visit_boxes(a, window, keep_boxes, NULL);
    EXPECT_COLLECTED(boxes, pqt_region_collect_boxes(a, window, collected.boxes, capacity));
    pqt_region_visit_squares(a, keep_square, NULL);
    EXPECT_COLLECTED(squares, pqt_region_collect_squares(a, collected.squares, capacity));
    pqt_region_visit_diff(a, b, keep_boxes, NULL);
    EXPECT_COLLECTED(boxes, pqt_region_collect_diff(a, b, collected.boxes, capacity));
    pqt_region_visit_overlap(a, b, offset, keep_pairs, NULL);
    EXPECT_COLLECTED(pairs, pqt_region_collect_overlap(a, b, offset, collected.pairs, capacity));
    ck_assert_uint_eq(pqt_region_collect_runs(nothing(), window, NULL, 0), 0);
}
END_TEST

static bool
compare_component(const pqt_region *component, void *context)
{
    const pqt_region ***next = context;
    ck_assert(pqt_region_equals(*(*next)++, component));
    return true;
}

START_TEST(components_are_collected_in_their_order)
{
    pqt_error error = {0};
    const pqt_region *a = picture(), *found[MOST];
    size_t all = 0;
    for (uint64_t minimum = 0; minimum < 4; minimum++) {
        const pqt_region **next = found;
        ck_assert(pqt_region_collect_components(a, PQT_CONNECTIVITY_4, minimum, found, MOST, &all,
                                                &error));
        ck_assert_uint_gt(all, 3);
        ck_assert(pqt_region_visit_components(a, PQT_CONNECTIVITY_4, minimum, compare_component,
                                              &next, &error));
        ck_assert_ptr_eq(next, found + all);
        found[2] = a;
        size_t count = 0;
        ck_assert(pqt_region_collect_components(a, PQT_CONNECTIVITY_4, minimum, found, 2, &count,
                                                &error));
        ck_assert_uint_eq(count, all);
        ck_assert_ptr_eq(found[2], a);
        ck_assert(
            pqt_region_collect_components(a, PQT_CONNECTIVITY_4, minimum, NULL, 0, &count, &error));
        ck_assert_uint_eq(count, all);
    }
    all = 77;
    ck_assert(!pqt_region_collect_components(a, (pqt_connectivity)5, 0, found, 2, &all, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_uint_eq(all, 77);
}
END_TEST

typedef struct contour_check {
    const pqt_contour_arrays *arrays;
    size_t corners;
    bool is_full; /* a contour before did not fit */
} contour_check;

static bool
compare_contour(const pqt_contour *contour, void *context)
{
    contour_check *check = context;
    const pqt_contour_arrays *arrays = check->arrays;
    check->is_full |= contour->number >= arrays->contour_capacity ||
                      check->corners + contour->count > arrays->corner_capacity;
    if (!check->is_full) {
        const pqt_contour *kept = &arrays->contours[contour->number];
        ck_assert_ptr_eq(kept->corners, arrays->corners + check->corners);
        ck_assert_uint_eq(kept->count, contour->count);
        ck_assert_uint_eq(kept->outer, contour->outer);
        ck_assert_uint_eq(kept->number, contour->number);
        ck_assert_int_eq(kept->is_hole, contour->is_hole);
        ck_assert_int_eq(
            memcmp(kept->corners, contour->corners, contour->count * sizeof *kept->corners), 0);
    } else if (contour->number < arrays->contour_capacity) {
        ck_assert_uint_eq(arrays->contours[contour->number].count, SIZE_MAX);
    }
    check->corners += contour->count;
    return true;
}

START_TEST(contours_are_collected_as_far_as_they_fit)
{
    pqt_error error = {0};
    const pqt_region *a = picture();
    static pqt_pixel corners[MOST];
    static pqt_contour contours[MOST];
    pqt_contour_arrays none = {.corners = NULL};
    ck_assert(pqt_region_collect_contours(a, PQT_CONNECTIVITY_8, 0, &none, &error));
    ck_assert_uint_gt(none.contour_count, 3);
    const size_t numbers[][2] = {{none.corner_count, none.contour_count},
                                 {none.corner_count - 1, none.contour_count},
                                 {none.corner_count + 1, none.contour_count - 1},
                                 {5, none.contour_count},
                                 {0, 1},
                                 {100, 2}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pqt_contour_arrays some = {corners, numbers[i][0], contours, numbers[i][1], 7, 7};
        contour_check check = {.arrays = &some};
        memset(contours, 0xff, sizeof contours);
        ck_assert(pqt_region_collect_contours(a, PQT_CONNECTIVITY_8, 0, &some, &error));
        ck_assert_uint_eq(some.corner_count, none.corner_count);
        ck_assert_uint_eq(some.contour_count, none.contour_count);
        ck_assert_uint_eq(some.corner_capacity, numbers[i][0]);
        ck_assert_uint_eq(some.contour_capacity, numbers[i][1]);
        ck_assert(
            pqt_region_visit_contours(a, PQT_CONNECTIVITY_8, 0, compare_contour, &check, &error));
    }
    none.corner_count = 77;
    ck_assert(!pqt_region_collect_contours(a, PQT_CONNECTIVITY_8, -1, &none, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_uint_eq(none.corner_count, 77);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_collect");
    TCase *tcase = region_tests("collect");
    tcase_add_test(tcase, arrays_have_what_the_visitors_visit);
    tcase_add_test(tcase, components_are_collected_in_their_order);
    tcase_add_test(tcase, contours_are_collected_as_far_as_they_fit);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
