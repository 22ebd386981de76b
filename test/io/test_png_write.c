/* SPDX-License-Identifier: MIT */
/*
 * test_png_write.c: tests writing regions as PNG images. A written image is read as an equal
 * region, or no image is written.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "hooks.h"
#include "misuse.h"
#include "png_support.h"
#include "random.h"
#include "suite.h"

#if PQT_WITH_PNG

/* Returns a region with pixels in all corners of a window and outside of it. */
static const pqt_region *
scattered(pqt_pixel_box window, uint64_t seed)
{
    dice d = {seed};
    pqt_paint paints[60];
    const size_t width = (size_t)(window.max.x - window.min.x) + 20;
    const size_t height = (size_t)(window.max.y - window.min.y) + 20;
    pqt_error error = {0};
    for (size_t i = 0; i < 60; i++) {
        const pqt_vec from = {window.min.x - 10 + (double)dice_below(&d, width),
                              window.min.y - 10 + (double)dice_below(&d, height)};
        const pqt_vec to = {from.x + (double)dice_below(&d, 9), from.y + (double)dice_below(&d, 9)};
        paints[i] = pqt_paint_stroke(PQT_PAINT_TOGGLE, from, to, dice_real(&d) * 6);
    }
    const pqt_region *region = pqt_region_paint_all(nothing(), paints, 60, &error);
    ck_assert_msg(region != NULL, "%s", error.text);
    return region;
}

static FILE *
scratch_file(void)
{
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    return stream;
}

static void
write_to(FILE *stream, const pqt_region *region, pqt_pixel_box window)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_png_write(stream, region, window, &error), "%s", error.text);
}

static void
expect_written(FILE *stream, const pqt_region *region, pqt_pixel_box window)
{
    pqt_png_options options = in_arena();
    pqt_png_head head;
    pqt_error error = {0};
    options.at = window.min;
    const pqt_region *back = pqt_png_read(stream, &options, &head, &error);
    ck_assert_msg(back != NULL, "%s", error.text);
    const pqt_region *part = pqt_region_crop(region, window, &error);
    ck_assert(pqt_region_equals(back, part));
    ck_assert_uint_eq(head.width, (uint32_t)(window.max.x - window.min.x));
    ck_assert_uint_eq(head.height, (uint32_t)(window.max.y - window.min.y));
    ck_assert_int_eq(head.bits, 1);
    ck_assert(head.is_palette && head.has_alpha && !head.interlaced);
}

START_TEST(a_written_image_is_read_back)
{
    static const int32_t sides[] = {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200};
    enum { SIDES = sizeof sides / sizeof sides[0] };
    FILE *stream = scratch_file();
    for (size_t i = 0; i < SIDES * SIDES; i++) {
        const pqt_pixel at = {(int32_t)(i % 5) * 30 - 77, (int32_t)(i % 7) * 30 - 99};
        const pqt_pixel_box window =
            box_of(at.x, at.y, at.x + sides[i % SIDES], at.y + sides[i / SIDES]);
        const pqt_region *region = scattered(window, i);
        rewind(stream);
        write_to(stream, region, window);
        rewind(stream);
        expect_written(stream, region, window);
    }
    fclose(stream);
}
END_TEST

START_TEST(the_stream_is_positioned_after_the_image)
{
    const pqt_pixel_box a = box_of(-3, -4, 50, 60), b = box_of(7, 8, 9, 11);
    const pqt_region *first = scattered(a, 1), *second = scattered(b, 2);
    FILE *stream = scratch_file();
    write_to(stream, first, a);
    write_to(stream, second, b);
    fputs("rest", stream);
    rewind(stream);
    expect_written(stream, first, a);
    expect_written(stream, second, b);
    ck_assert_int_eq(getc(stream), 'r');
    fclose(stream);
}
END_TEST

START_TEST(the_example_of_the_header_copies_a_picture)
{
    const png_picture picture = noise(30, 40, true);
    pqt_png_options options = in_arena();
    pqt_png_head head;
    pqt_error error = {0};
    png_file file = {NULL, 0, 0};
    FILE *out = scratch_file();
    png_picture_file(&file, &picture);
    const pqt_region *sprite = read_file(&file, &options, &head);
    const pqt_pixel_box frame = {{0, 0}, {(int32_t)head.width, (int32_t)head.height}};
    ck_assert_msg(pqt_png_write(out, sprite, frame, &error), "%s", error.text);
    rewind(out);
    expect_written(out, sprite, frame);
    fclose(out);
    png_file_free(&file);
    noise_free(&picture);
}
END_TEST

START_TEST(a_window_may_be_anywhere)
{
    FILE *stream = scratch_file();
    pqt_error error = {0};
    const pqt_pixel_box corner = {{-PQT_PIXEL_LIMIT - 5, PQT_PIXEL_LIMIT - 5},
                                  {-PQT_PIXEL_LIMIT + 5, PQT_PIXEL_LIMIT + 5}};
    const pqt_region *region = pqt_region_paint(
        nothing(),
        pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){-PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT - 1}), &error);
    pqt_png_options options = in_arena();
    write_to(stream, region, corner);
    rewind(stream);
    const pqt_region *back = pqt_png_read(stream, &options, NULL, &error);
    ck_assert_msg(back != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_region_count(back), 1);
    ck_assert(pqt_region_contains(back, (pqt_pixel){5, 4}));
    rewind(stream);
    write_to(stream, region, box_of(INT32_MAX - 1, INT32_MAX - 2, INT32_MAX, INT32_MAX));
    fclose(stream);
}
END_TEST

static void
expect_window_refused(pqt_pixel_box window, pqt_status status, const char *text)
{
    FILE *stream = scratch_file();
    pqt_error error = {0};
    expect_failure(pqt_png_write(stream, nothing(), window, &error), &error, status);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(ftell(stream), 0);
    fclose(stream);
}

START_TEST(invalid_windows_are_refused)
{
    expect_window_refused(box_of(0, 0, 0, 5), PQT_ERROR_BOX,
                          "png: the window has no pixels (0 x 5)");
    expect_window_refused(box_of(0, 0, 5, 0), PQT_ERROR_BOX,
                          "png: the window has no pixels (5 x 0)");
    expect_window_refused(box_of(3, 0, 2, 5), PQT_ERROR_BOX, "window 0: box is inverted (x 3 > 2)");
    expect_window_refused(box_of(-1, 0, INT32_MAX, 1), PQT_ERROR_LIMIT,
                          "png: the window is 2147483648 x 1, wider or higher than 2147483647");
    expect_window_refused(box_of(0, INT32_MIN, 1, INT32_MAX), PQT_ERROR_LIMIT,
                          "png: the window is 1 x 4294967295, wider or higher than 2147483647");
}
END_TEST

START_TEST(a_stream_that_cannot_be_written_is_reported)
{
    const pqt_pixel_box small = box_of(0, 0, 8, 8), large = box_of(0, 0, 2000, 2000);
    const char *const names[] = {"/dev/full", "/dev/null"};
    const char *const modes[] = {"wb", "rb"};
    for (size_t i = 0; i < 2; i++) {
        FILE *stream = fopen(names[i], modes[i]);
        if (stream == NULL)
            continue;
        pqt_error error = {0}, again = {0};
        expect_failure(pqt_png_write(stream, nothing(), small, &error), &error, PQT_ERROR_STREAM);
        ck_assert_str_eq(error.text, "png: the stream could not be written");
        expect_failure(pqt_png_write(stream, scattered(large, 3), large, &again), &again,
                       PQT_ERROR_STREAM);
        fclose(stream);
    }
}
END_TEST

START_TEST(each_failed_allocation_of_writing_is_reported)
{
    const pqt_pixel_box window = box_of(-20, -20, 80, 80);
    const pqt_region *region = scattered(window, 9);
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        FILE *stream = scratch_file();
        pqt_error error = {0};
        hooks_start(&watch);
        const bool written = pqt_png_write(stream, region, window, &error);
        hooks_stop();
        if (watch.failures > 0)
            expect_failure(written, &error, PQT_ERROR_MEMORY);
        rewind(stream);
        if (watch.failures == 0)
            expect_written(stream, region, window);
        fclose(stream);
        if (watch.failures == 0)
            return;
    }
}
END_TEST

START_TEST(a_failure_is_passed_on_and_the_first_one_is_kept)
{
    pqt_error failure = {3, PQT_ERROR_BOX, "set before"};
    FILE *stream = scratch_file();
    ck_assert_ptr_null(pqt_png_read(stream, NULL, NULL, &failure));
    ck_assert_ptr_null(pqt_png_read_bytes(NULL, 0, NULL, NULL, &failure));
    ck_assert(!pqt_png_write(stream, NULL, box_of(0, 0, 1, 1), &failure));
    ck_assert_int_eq(ftell(stream), 0);
    ck_assert(pqt_png_write(stream, nothing(), box_of(0, 0, 1, 1), &failure));
    ck_assert_int_gt(ftell(stream), 0);
    ck_assert_str_eq(failure.text, "set before");
    ck_assert_ptr_null(pqt_png_read(stream, NULL, NULL, NULL));
    ck_assert(!pqt_png_write(stream, NULL, box_of(0, 0, 1, 1), NULL));
    fclose(stream);
}
END_TEST

START_TEST(writing_to_a_null_stream_stops_the_program)
{
    ck_assert(!pqt_png_write(NULL, nothing(), box_of(0, 0, 1, 1), NULL));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("png_write");
    TCase *tests = tcase_create("writing");
    pqt_init(NULL);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_written_image_is_read_back);
    tcase_add_test(tests, the_stream_is_positioned_after_the_image);
    tcase_add_test(tests, the_example_of_the_header_copies_a_picture);
    tcase_add_test(tests, a_window_may_be_anywhere);
    tcase_add_test(tests, invalid_windows_are_refused);
    tcase_add_test(tests, a_stream_that_cannot_be_written_is_reported);
    tcase_add_test(tests, each_failed_allocation_of_writing_is_reported);
    tcase_add_test(tests, a_failure_is_passed_on_and_the_first_one_is_kept);
    tcase_add_misuse_test(tests, writing_to_a_null_stream_stops_the_program);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

#else

int
main(void)
{
    puts("1..0 # SKIP this build has no libpng");
    return 0;
}

#endif
