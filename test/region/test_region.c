/* SPDX-License-Identifier: MIT */
/* test_region.c: tests regions that are made from images, runs and boxes of every size at every
 * position. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "region_builder.h"
#include "region_support.h"
#include "suite.h"

START_TEST(an_empty_region_has_no_pixels)
{
    const pqt_region *region = nothing();
    pqt_region_stats stats = pqt_region_get_stats(region);
    ck_assert_uint_eq(pqt_region_count(region), 0);
    expect_box(pqt_region_bounds(region), 0, 0, 0, 0);
    ck_assert(!pqt_region_contains(region, here));
    ck_assert(!pqt_region_any_in(region, box_of(INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX)));
    ck_assert_uint_eq(stats.nodes + stats.leaves + stats.full, 0);
    ck_assert_uint_eq(stats.bytes, 64);
    ck_assert_int_eq(stats.level, 6);
    ck_assert_ptr_eq(pqt_region_memory(region), arena);
}
END_TEST

static const struct {
    size_t width, height;
} sizes[] = {{0, 0},   {0, 9},   {9, 0},    {1, 1},    {63, 63},
             {64, 64}, {65, 65}, {1000, 3}, {3, 1000}, {300, 300}};

static const pqt_pixel places[] = {{0, 0}, {-1, -1}, {-64, 0}, {-65, -63}, {1, 63}, {-150, -150}};

static int32_t
larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Makes a picture at a position, and its bitmap. */
static void
expect_image(pattern kind, size_t width, size_t height, pqt_pixel at)
{
    const pqt_region *region = region_of(kind, width, height, at, arena);
    const int32_t right = at.x + (int32_t)width, below = at.y + (int32_t)height;
    bitmap map = bitmap_make(1 + larger(larger(-at.x, right), larger(-at.y, below)));
    region_why why;
    for (int32_t y = at.y; y < below; y++)
        for (int32_t x = at.x; x < right; x++)
            bitmap_put(&map, x, y, pattern_has(kind, x - at.x, y - at.y));
    ck_assert_msg(bitmap_matches(&map, region, &why), "%zu x %zu at %d, %d: %s", width, height,
                  at.x, at.y, why.text);
    sound(region, NULL);
    bitmap_free(&map);
}

START_TEST(images_of_all_sizes_and_places_have_the_shape_that_the_builder_predicts)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            expect_image((pattern)_i, sizes[i].width, sizes[i].height, places[k]);
}
END_TEST

START_TEST(an_image_of_4096_x_4096_has_the_shape_that_the_builder_predicts)
{
    const size_t size = (size_t)4096 * 4096;
    const pqt_pixel_box window = box_of(-2048, -2048, 2048, 2048);
    uint8_t *bytes = draw_bytes((pattern)_i, 4096, 4096);
    pqt_byte_image image = {bytes, 4096, 4096, 4096, 1, 0};
    pqt_error error = {0};
    const pqt_region *region = pqt_region_of_bytes(&image, window.min, arena, &error);
    sound(region, &error);
    bitmap map = bitmap_make(2048);
    region_why why;
    for (size_t i = 0; i < size; i++)
        map.cells[i] = bytes[i] != 0;
    ck_assert_msg(bitmap_matches(&map, region, &why), "%s", why.text);
    ck_assert(pqt_region_to_bytes(region, window, bytes, 4096, 1, &error));
    ck_assert_int_eq(memcmp(bytes, map.cells, size), 0);
    free(bytes);
    bitmap_free(&map);
}
END_TEST

START_TEST(the_alpha_of_rgba_is_read_with_a_threshold)
{
    static const uint8_t rgba[2][3][4] = {{{9, 9, 9, 0}, {0, 0, 0, 127}, {0, 0, 0, 128}},
                                          {{0, 0, 0, 255}, {9, 9, 9, 1}, {0, 0, 0, 200}}};
    pqt_byte_image alpha = {&rgba[0][0][3], 3, 2, 12, 4, 127};
    pqt_error error = {0};
    const pqt_region *region = pqt_region_of_bytes(&alpha, (pqt_pixel){-1, -1}, arena, &error);
    sound(region, &error);
    ck_assert_uint_eq(pqt_region_count(region), 3);
    ck_assert(pqt_region_contains(region, (pqt_pixel){1, -1}));
    ck_assert(pqt_region_contains(region, (pqt_pixel){-1, 0}));
    ck_assert(pqt_region_contains(region, (pqt_pixel){1, 0}));
}
END_TEST

/* The function compares eight adjacent bytes at once, and the remaining ones one by one. */
START_TEST(every_byte_is_compared_with_every_threshold)
{
    enum { BYTES = 256 };
    uint8_t bytes[2 * BYTES];
    for (int i = 0; i < 2 * BYTES; i++)
        bytes[i] = (uint8_t)(i < BYTES ? i : 2 * BYTES - 1 - i);
    for (unsigned threshold = 0; threshold < BYTES; threshold++)
        for (size_t step = 1; step <= 2; step++) {
            pqt_error error = {0};
            pqt_byte_image image = {bytes, 2 * BYTES / step,  1, 2 * BYTES,
                                    step,  (uint8_t)threshold};
            const pqt_region *region =
                sound(pqt_region_of_bytes(&image, here, arena, &error), &error);
            for (size_t i = 0; i < 2 * BYTES / step; i++)
                if (pqt_region_contains(region, (pqt_pixel){(int32_t)i, 0}) !=
                    (bytes[i * step] > threshold))
                    ck_abort_msg("%u above %u, step %zu", bytes[i * step], threshold, step);
        }
}
END_TEST

START_TEST(both_orders_of_bits_are_read)
{
    static const uint8_t bits[] = {0x83, 0xff, 0x41,
                                   0xff}; /* the last bits of a row are not read */
    pqt_error error = {0};
    pqt_bit_image image = {bits, 9, 2, 2, PQT_BITS_HIGH_FIRST};
    const pqt_region *high = sound(pqt_region_of_bits(&image, here, arena, &error), &error);
    image.order = PQT_BITS_LOW_FIRST;
    const pqt_region *low = sound(pqt_region_of_bits(&image, here, arena, &error), &error);
    static const int in_high[] = {0, 6, 7, 8}, in_low[] = {0, 1, 7, 8};
    ck_assert_uint_eq(pqt_region_count(high), 7);
    ck_assert_uint_eq(pqt_region_count(low), 7);
    for (int i = 0; i < 4; i++) {
        ck_assert(pqt_region_contains(high, (pqt_pixel){in_high[i], 0}));
        ck_assert(pqt_region_contains(low, (pqt_pixel){in_low[i], 0}));
    }
    ck_assert(pqt_region_contains(high, (pqt_pixel){1, 1}));
    ck_assert(pqt_region_contains(low, (pqt_pixel){6, 1}));
}
END_TEST

START_TEST(runs_and_boxes_may_overlap_and_be_empty)
{
    static const pqt_pixel_run runs[] = {
        {5, 3, 9}, {-7, 0, 0}, {5, 8, 70}, {INT32_MAX, 4, 4}, {-1, -LIMIT, -LIMIT + 1}};
    static const pqt_pixel_box boxes[] = {{{3, 5}, {70, 6}},
                                          {{INT32_MIN, 0}, {INT32_MAX, 0}},
                                          {{-LIMIT, -1}, {-LIMIT + 1, 0}},
                                          {{9, 5}, {10, 6}}};
    pqt_error error = {0};
    const pqt_region *of_runs = pqt_region_of_runs(runs, 5, arena, &error);
    const pqt_region *of_boxes = pqt_region_of_boxes(boxes, 4, arena, &error);
    ck_assert_uint_eq(pqt_region_count(sound(of_runs, &error)), 68);
    ck_assert(pqt_region_equals(of_runs, sound(of_boxes, &error)));
    ck_assert_uint_eq(pqt_region_count(sound(pqt_region_of_runs(NULL, 0, arena, &error), &error)),
                      0);
    ck_assert_uint_eq(pqt_region_count(sound(pqt_region_of_boxes(NULL, 0, arena, &error), &error)),
                      0);
}
END_TEST

START_TEST(invalid_images_are_refused)
{
    static const uint8_t data[64];
    const size_t huge = SIZE_MAX;
    const struct {
        pqt_byte_image image;
        pqt_pixel at;
        pqt_status status;
    } bad[] = {
        {{data, 4, 4, 4, 0, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{NULL, 0, 0, 0, 0, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, 3, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, 15, 4, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, 0, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 4, huge, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 2, huge, huge / 2, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, 4, 1, huge, 1, 0}, {0, 0}, PQT_OK},
        {{data, 4, 4, huge / 4, 1, 0}, {0, 0}, PQT_ERROR_OPTION},
        {{data, huge, 1, huge, 1, 0}, {0, 0}, PQT_ERROR_LIMIT},
        {{data, 1, huge, 1, 1, 0}, {0, 0}, PQT_ERROR_LIMIT},
        {{data, 2, 1, 2, 1, 0}, {LIMIT - 1, 0}, PQT_ERROR_LIMIT},
        {{data, 1, 2, 1, 1, 0}, {0, LIMIT - 1}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {-LIMIT - 1, 0}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {0, INT32_MIN}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {INT32_MAX, INT32_MAX}, PQT_ERROR_LIMIT},
        {{data, 1, 1, 1, 1, 0}, {LIMIT - 1, -LIMIT}, PQT_OK},
        {{NULL, huge, 0, 0, 1, 0}, {INT32_MAX, 0}, PQT_OK},
        {{NULL, 0, huge, 0, 1, 0}, {INT32_MIN, 0}, PQT_OK},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_error error = {0};
        const pqt_region *region = pqt_region_of_bytes(&bad[i].image, bad[i].at, arena, &error);
        if (bad[i].status == PQT_OK)
            ck_assert_uint_eq(pqt_region_count(sound(region, &error)), 0);
        else
            expect_failure(region, &error, bad[i].status, 0);
    }
}
END_TEST

START_TEST(invalid_bit_images_are_refused)
{
    static const uint8_t data[64];
    const size_t huge = SIZE_MAX;
    const struct {
        pqt_bit_image image;
        pqt_status status;
    } bad[] = {
        {{data, 8, 8, 1, (pqt_bit_order)0}, PQT_ERROR_OPTION},
        {{data, 8, 8, 1, (pqt_bit_order)3}, PQT_ERROR_OPTION},
        {{data, 9, 8, 1, PQT_BITS_LOW_FIRST}, PQT_ERROR_OPTION},
        {{data, 8, 8, 0, PQT_BITS_LOW_FIRST}, PQT_ERROR_OPTION},
        {{data, 8, 8, huge, PQT_BITS_LOW_FIRST}, PQT_ERROR_OPTION},
        {{data, huge, 8, huge, PQT_BITS_HIGH_FIRST}, PQT_ERROR_LIMIT},
        {{data, 8, huge, 1, PQT_BITS_HIGH_FIRST}, PQT_ERROR_LIMIT},
        {{data, 8, 8, 1, PQT_BITS_HIGH_FIRST}, PQT_OK},
        {{NULL, 0, huge, 0, PQT_BITS_HIGH_FIRST}, PQT_OK},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_error error = {0};
        const pqt_region *region = pqt_region_of_bits(&bad[i].image, here, arena, &error);
        if (bad[i].status == PQT_OK)
            ck_assert_uint_eq(pqt_region_count(sound(region, &error)), 0);
        else
            expect_failure(region, &error, bad[i].status, 0);
    }
}
END_TEST

START_TEST(invalid_runs_and_boxes_are_refused)
{
    const struct {
        pqt_pixel_box box;
        pqt_status status;
    } bad[] = {
        {{{5, 0}, {4, 1}}, PQT_ERROR_BOX},
        {{{INT32_MAX, 0}, {INT32_MIN, 1}}, PQT_ERROR_BOX},
        {{{-LIMIT - 1, 0}, {0, 1}}, PQT_ERROR_LIMIT},
        {{{0, 0}, {LIMIT + 1, 1}}, PQT_ERROR_LIMIT},
        {{{0, LIMIT}, {1, LIMIT + 1}}, PQT_ERROR_LIMIT},
        {{{0, -LIMIT - 1}, {1, -LIMIT}}, PQT_ERROR_LIMIT},
        {{{INT32_MIN, INT32_MAX - 1}, {INT32_MAX, INT32_MAX}}, PQT_ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pqt_pixel_box box = bad[i].box;
        pqt_pixel_box boxes[2] = {{{0, 0}, {1, 1}}, box};
        pqt_pixel_run runs[2] = {{0, 0, 1}, {box.min.y, box.min.x, box.max.x}};
        pqt_error error = {0};
        expect_failure(pqt_region_of_boxes(boxes, 2, arena, &error), &error, bad[i].status, 1);
        error = (pqt_error){0};
        expect_failure(pqt_region_of_runs(runs, 2, arena, &error), &error, bad[i].status, 1);
    }
    pqt_pixel_box tall = box_of(0, 3, 1, 2);
    pqt_error error = {0};
    expect_failure(pqt_region_of_boxes(&tall, 1, arena, &error), &error, PQT_ERROR_BOX, 0);
    error = (pqt_error){0};
    pqt_pixel_run one = {0, 0, 1};
    expect_failure(pqt_region_of_runs(&one, (size_t)INT32_MAX + 1, arena, &error), &error,
                   PQT_ERROR_LIMIT, 0);
}
END_TEST

START_TEST(without_a_memory_a_region_is_in_the_default_memory)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(NULL, &error);
    ck_assert_ptr_eq(pqt_region_memory(sound(region, &error)), pqt_default_memory(NULL));
}
END_TEST

START_TEST(an_image_without_data_stops_the_program)
{
    pqt_byte_image image = {NULL, 1, 1, 1, 1, 0};
    (void)!pqt_region_of_bytes(&image, here, arena, NULL);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region");
    TCase *tcase = region_tests("making");
    tcase_add_test(tcase, an_empty_region_has_no_pixels);
    tcase_add_loop_test(tcase,
                        images_of_all_sizes_and_places_have_the_shape_that_the_builder_predicts, 0,
                        PATTERNS);
    tcase_add_loop_test(tcase, an_image_of_4096_x_4096_has_the_shape_that_the_builder_predicts, 0,
                        PATTERNS);
    tcase_add_test(tcase, the_alpha_of_rgba_is_read_with_a_threshold);
    tcase_add_test(tcase, every_byte_is_compared_with_every_threshold);
    tcase_add_test(tcase, both_orders_of_bits_are_read);
    tcase_add_test(tcase, runs_and_boxes_may_overlap_and_be_empty);
    tcase_add_test(tcase, invalid_images_are_refused);
    tcase_add_test(tcase, invalid_bit_images_are_refused);
    tcase_add_test(tcase, invalid_runs_and_boxes_are_refused);
    tcase_add_test(tcase, without_a_memory_a_region_is_in_the_default_memory);
    tcase_add_misuse_test(tcase, an_image_without_data_stops_the_program);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
