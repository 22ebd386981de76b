/* SPDX-License-Identifier: MIT */
/*
 * test_png_image.c: tests reading PNG into images, and writing them: every kind of picture, and
 * hostile ones.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "hooks.h"
#include "image_model.h"
#include "png_pictures.h"
#include "png_support.h"
#include "suite.h"

#if PQT_WITH_PNG

static const pqt_image *
read_image(const png_file *file, pqt_png_head *head)
{
    const pqt_png_options options = in_arena();
    pqt_error error = {0}, broken = {0};
    const pqt_image *image =
        pqt_png_read_image_bytes(file->bytes, file->length, &options, head, &error);
    ck_assert_msg(image != NULL, "%s", error.text);
    ck_assert_msg(pqt_image_check(image, &broken), "%s", broken.text);
    return image;
}

/* Returns true if `value` is the nearest whole number to 255 * number / most. */
static bool
is_reduced(uint64_t value, uint64_t number, uint64_t most)
{
    const uint64_t exact = 255 * number;
    const uint64_t distance = value * most > exact ? value * most - exact : exact - value * most;
    return 2 * distance < most;
}

static void
require_colours(const png_picture *picture, const pqt_image *image)
{
    const pqt_pixel_box box = pqt_image_bounds(image);
    ck_assert_uint_eq((uint32_t)box.max.x, picture->width);
    ck_assert_uint_eq((uint32_t)box.max.y, picture->height);
    for (size_t y = 0; y < picture->height; y++)
        for (size_t x = 0; x < picture->width; x++) {
            const colour c = colour_at(picture, x, y);
            const pqt_rgba is = pqt_image_pixel(image, (pqt_pixel){(int32_t)x, (int32_t)y});
            ck_assert_msg(is_reduced(is.r, c.red, c.most) && is_reduced(is.g, c.green, c.most) &&
                              is_reduced(is.b, c.blue, c.most) && is_reduced(is.a, c.alpha, c.most),
                          "kind %d, %d bits, interlaced %d: %zu, %zu is %d %d %d %d", picture->kind,
                          picture->bits, picture->interlaced, x, y, is.r, is.g, is.b, is.a);
        }
}

START_TEST(every_kind_of_picture_becomes_an_image)
{
    static uint16_t numbers[4 * MOST_SIDE * MOST_SIDE];
    dice d = {test_seed("every_kind_of_picture_becomes_an_image")};
    for (size_t i = test_scaled(2000); i > 0; i--) {
        const png_picture picture = draw_picture(&d, numbers);
        pqt_png_head head;
        png_file file = {NULL, 0, 0};
        png_picture_file(&file, &picture);
        require_colours(&picture, read_image(&file, &head));
        ck_assert_uint_eq(head.width, picture.width);
        ck_assert_int_eq(head.interlaced, picture.interlaced);
        png_file_free(&file);
    }
}
END_TEST

/* Returns a picture of random pixels. The caller frees its numbers. */
static png_picture
noisy_picture(uint32_t width, uint32_t height, int kind, bool interlaced)
{
    dice d = {width};
    const size_t count = (size_t)png_picture_channels(kind) * width * height;
    uint16_t *numbers = malloc(count * sizeof *numbers);
    if (numbers == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint16_t)(dice_next(&d) & 255);
    return (png_picture){.width = width,
                         .height = height,
                         .bits = 8,
                         .kind = kind,
                         .interlaced = interlaced,
                         .numbers = numbers};
}

/* Each size needs another number of levels, or rows that end within a tile. */
START_TEST(pictures_of_many_rows_of_tiles_are_read)
{
    static const uint32_t sizes[][2] = {{700, 33}, {16, 500}, {257, 256}, {1, 1025}, {3000, 17}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const png_picture picture = noisy_picture(sizes[i][0], sizes[i][1], KIND_RGB, i % 2 == 1);
        png_file file = {NULL, 0, 0};
        png_picture_file(&file, &picture);
        require_colours(&picture, read_image(&file, NULL));
        png_file_free(&file);
        free((void *)(uintptr_t)picture.numbers);
    }
}
END_TEST

START_TEST(a_written_image_is_read_back_with_hidden_colours)
{
    const png_picture picture = noisy_picture(75, 50, KIND_RGBA, false);
    png_file file = {NULL, 0, 0};
    pqt_error error = {0};
    const pqt_png_options options = in_arena();
    png_picture_file(&file, &picture);
    const pqt_image *image = read_image(&file, NULL);
    image = pqt_image_set_pixel(image, (pqt_pixel){3, 4}, (pqt_rgba){1, 2, 3, 0}, &error);
    FILE *stream = tmpfile();
    ck_assert_ptr_nonnull(stream);
    ck_assert_msg(pqt_png_write_image(stream, image, &error), "%s", error.text);
    rewind(stream);
    const pqt_image *again = pqt_png_read_image(stream, &options, NULL, &error);
    ck_assert_msg(again != NULL, "%s", error.text);
    ck_assert(pqt_image_equals(image, again));
    fclose(stream);
    png_file_free(&file);
    free((void *)(uintptr_t)picture.numbers);
}
END_TEST

/* ---- Hostile pictures ---- */

static void
expect_image_refused(const png_file *file, size_t length, const pqt_png_options *options,
                     pqt_status status, const char *text)
{
    pqt_error error = {0};
    const pqt_image *image = pqt_png_read_image_bytes(file->bytes, length, options, NULL, &error);
    expect_failure(image != NULL, &error, status);
    if (text != NULL)
        ck_assert_str_eq(error.text, text);
}

START_TEST(a_picture_cut_anywhere_is_refused)
{
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        const png_picture picture = noisy_picture(40, 20, KIND_GREY_ALPHA, interlaced != 0);
        const pqt_png_options options = in_arena();
        png_file file = {NULL, 0, 0};
        png_picture_file(&file, &picture);
        for (size_t length = 0; length < file.length; length++)
            expect_image_refused(&file, length, &options, PQT_ERROR_FORMAT, NULL);
        png_file_free(&file);
        free((void *)(uintptr_t)picture.numbers);
    }
}
END_TEST

START_TEST(each_changed_byte_of_a_picture_is_noticed)
{
    const png_picture picture = noisy_picture(20, 20, KIND_RGBA, false);
    const pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    for (size_t i = 0; i < file.length; i++) {
        pqt_error error = {0};
        file.bytes[i] ^= 0x10;
        const pqt_image *image =
            pqt_png_read_image_bytes(file.bytes, file.length, &options, NULL, &error);
        ck_assert_msg(image == NULL && error.status == PQT_ERROR_FORMAT, "byte %zu: %s", i,
                      error.text);
        file.bytes[i] ^= 0x10;
    }
    png_file_free(&file);
    free((void *)(uintptr_t)picture.numbers);
}
END_TEST

/* Returns a file that claims a size, and ends after its head. */
static png_file
claim(uint32_t width, uint32_t height, bool interlaced)
{
    static const uint8_t some[] = {0x78, 0x9c, 0x03};
    png_file file = {NULL, 0, 0};
    png_file_signature(&file);
    png_file_head(&file, width, height, 8, KIND_RGBA, interlaced);
    png_file_chunk(&file, "IDAT", some, sizeof some);
    return file;
}

START_TEST(a_claimed_size_takes_no_memory_for_all_pixels)
{
    pqt_png_options options = in_arena();
    hooks watch = {.fail_at = 0};
    png_file file = claim(16384, 16384, false);
    hooks_start(&watch);
    expect_image_refused(&file, file.length, &options, PQT_ERROR_FORMAT, NULL);
    hooks_stop();
    ck_assert_uint_lt(watch.bytes[PQTI_BLOCK_SCRATCH], 3 << 20);
    ck_assert_uint_lt(hooks_kept_bytes(&watch), 1 << 20);
    png_file_free(&file);
    file = claim(16385, 16384, false);
    expect_image_refused(&file, file.length, &options, PQT_ERROR_LIMIT,
                         "png: 16385 x 16384 pixels are more than max_pixels, 268435456");
    png_file_free(&file);
    file = claim(1048577, 1, true);
    expect_image_refused(&file, file.length, &options, PQT_ERROR_LIMIT, NULL);
    options.at.x = -9;
    expect_image_refused(&file, file.length, &options, PQT_ERROR_LIMIT,
                         "image: 1048577 x 1; each side must be 1..1048576 pixels");
    png_file_free(&file);
    options.channel = (pqt_png_channel)9;
    expect_image_refused(&file, 0, &options, PQT_ERROR_OPTION, NULL);
}
END_TEST

START_TEST(each_failed_allocation_of_images_and_png_is_reported)
{
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        const png_picture picture = noisy_picture(70, 40, KIND_RGB, interlaced != 0);
        const pqt_png_options options = in_arena();
        png_file file = {NULL, 0, 0};
        png_picture_file(&file, &picture);
        for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
            pqt_error error = {0};
            hooks_start(&watch);
            const pqt_image *read =
                pqt_png_read_image_bytes(file.bytes, file.length, &options, NULL, &error);
            hooks_stop();
            if (watch.failures == 0) {
                require_colours(&picture, read);
                break;
            }
            expect_failure(read != NULL, &error, PQT_ERROR_MEMORY);
        }
        png_file_free(&file);
        free((void *)(uintptr_t)picture.numbers);
    }
}
END_TEST

START_TEST(each_failed_allocation_of_writing_an_image_is_reported)
{
    const pqt_image *image = pqt_image_make(70, 40, (pqt_rgba){1, 2, 3, 4}, arena, NULL);
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        FILE *stream = tmpfile();
        pqt_error error = {0};
        ck_assert_ptr_nonnull(stream);
        hooks_start(&watch);
        const bool written = pqt_png_write_image(stream, image, &error);
        hooks_stop();
        fclose(stream);
        if (watch.failures == 0) {
            ck_assert_msg(written, "%s", error.text);
            return;
        }
        expect_failure(written, &error, PQT_ERROR_MEMORY);
    }
}
END_TEST

START_TEST(streams_of_images_that_fail_are_reported)
{
    const pqt_image *image = pqt_image_make(70, 40, (pqt_rgba){1, 2, 3, 4}, arena, NULL);
    const pqt_png_options options = in_arena();
    pqt_error reading = {0}, writing = {0};
    FILE *full = fopen("/dev/full", "wb"), *write_only = fopen("/dev/null", "wb");
    ck_assert(full != NULL && write_only != NULL);
    expect_failure(pqt_png_write_image(full, image, &writing), &writing, PQT_ERROR_STREAM);
    expect_failure(pqt_png_read_image(write_only, &options, NULL, &reading) != NULL, &reading,
                   PQT_ERROR_STREAM);
    fclose(full);
    fclose(write_only);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_no_tile_of_a_picture)
{
    if (pqt_collector() == NULL)
        return;
    ck_assert(pqt_init(NULL));
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = pqt_collector();
    const png_picture picture = noisy_picture(70, 40, KIND_RGB, false);
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    hooks watch = {.collect_every = 1, .memory = pqt_collector()};
    hooks_start(&watch);
    const pqt_image *image =
        pqt_png_read_image_bytes(file.bytes, file.length, &options, NULL, NULL);
    hooks_stop();
    ck_assert_ptr_nonnull(image);
    require_colours(&picture, image);
    png_file_free(&file);
    free((void *)(uintptr_t)picture.numbers);
}
END_TEST

static void
add_tests(TCase *tests)
{
    tcase_add_test(tests, every_kind_of_picture_becomes_an_image);
    tcase_add_test(tests, pictures_of_many_rows_of_tiles_are_read);
    tcase_add_test(tests, a_written_image_is_read_back_with_hidden_colours);
    tcase_add_test(tests, a_picture_cut_anywhere_is_refused);
    tcase_add_test(tests, each_changed_byte_of_a_picture_is_noticed);
    tcase_add_test(tests, a_claimed_size_takes_no_memory_for_all_pixels);
    tcase_add_test(tests, each_failed_allocation_of_images_and_png_is_reported);
    tcase_add_test(tests, each_failed_allocation_of_writing_an_image_is_reported);
    tcase_add_test(tests, streams_of_images_that_fail_are_reported);
    tcase_add_test(tests, a_collection_at_each_allocation_loses_no_tile_of_a_picture);
}

#else

START_TEST(a_build_without_libpng_refuses_images)
{
    pqt_error reading = {0}, writing = {0};
    const pqt_image *image = pqt_image_make(7, 4, (pqt_rgba){1, 2, 3, 4}, arena, NULL);
    expect_failure(pqt_png_read_image(stdin, NULL, NULL, &reading) != NULL, &reading,
                   PQT_ERROR_UNSUPPORTED);
    reading = (pqt_error){0};
    expect_failure(pqt_png_read_image_bytes("", 0, NULL, NULL, &reading) != NULL, &reading,
                   PQT_ERROR_UNSUPPORTED);
    expect_failure(pqt_png_write_image(stdout, image, &writing), &writing, PQT_ERROR_UNSUPPORTED);
}
END_TEST

static void
add_tests(TCase *tests)
{
    tcase_add_test(tests, a_build_without_libpng_refuses_images);
}

#endif

int
main(void)
{
    Suite *suite = suite_create("png_image");
    TCase *tests = tcase_create("png_image");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
