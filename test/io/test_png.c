/* SPDX-License-Identifier: MIT */
/*
 * test_png.c: tests making regions from PNG images: every kind of image, and every kind of error.
 *
 * png_maker.c makes the images. The test computes the value of each pixel from the numbers in the
 * file, in exact arithmetic.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "hooks.h"
#include "misuse.h"
#include "png_pictures.h"
#include "png_support.h"
#include "random.h"
#include "suite.h"

#if PQT_WITH_PNG

/* ---- Every kind of picture ---- */

/* Returns true if 255 * value / most is above the threshold, where `value` is that of the
 * channel. */
static bool
belongs(const png_picture *picture, const pqt_png_options *options, size_t x, size_t y)
{
    const colour c = colour_at(picture, x, y);
    const uint64_t light = 77 * c.red + 150 * c.green + 29 * c.blue;
    uint64_t value = light;
    if (options->channel == PQT_PNG_ALPHA ||
        (options->channel == PQT_PNG_AUTO && has_alpha(picture)))
        value = 256 * c.alpha;
    else if (options->channel == PQT_PNG_DARK)
        value = 256 * c.most - light;
    return 255 * value > 256 * c.most * options->threshold;
}

static void
require_picture(const png_picture *picture, const pqt_png_options *options,
                const pqt_region *region)
{
    uint64_t count = 0;
    for (size_t y = 0; y < picture->height; y++)
        for (size_t x = 0; x < picture->width; x++) {
            const pqt_pixel at = {options->at.x + (int32_t)x, options->at.y + (int32_t)y};
            const bool right = belongs(picture, options, x, y);
            if (pqt_region_contains(region, at) != right)
                ck_abort_msg("kind %d, %d bits, interlaced %d, channel %d, threshold %d: %zu, %zu",
                             picture->kind, picture->bits, picture->interlaced,
                             (int)options->channel, options->threshold, x, y);
            count += right;
        }
    ck_assert_uint_eq(pqt_region_count(region), count);
}

static void
require_head(const png_picture *picture, pqt_png_head head)
{
    ck_assert_uint_eq(head.width, picture->width);
    ck_assert_uint_eq(head.height, picture->height);
    ck_assert_int_eq(head.bits, picture->bits);
    ck_assert_int_eq(head.is_palette, picture->kind == KIND_PALETTE);
    ck_assert_int_eq(head.is_coloured, (picture->kind & 2) != 0);
    ck_assert_int_eq(head.has_alpha, has_alpha(picture));
    ck_assert_int_eq(head.interlaced, picture->interlaced);
}

START_TEST(every_kind_of_picture_is_read_correctly)
{
    static const uint8_t edges[] = {0, 127, 128, 254, 255};
    static uint16_t numbers[4 * MOST_SIDE * MOST_SIDE];
    dice d = {test_seed("every_kind_of_picture")};
    for (size_t i = test_scaled(3000); i > 0; i--) {
        const png_picture picture = draw_picture(&d, numbers);
        pqt_png_options options = in_arena();
        pqt_png_head head;
        png_file file = {NULL, 0, 0};
        options.channel = (pqt_png_channel)(PQT_PNG_AUTO + dice_below(&d, 4));
        options.threshold =
            dice_chance(&d, 60) ? edges[dice_below(&d, sizeof edges)] : (uint8_t)dice_next(&d);
        options.at =
            (pqt_pixel){(int32_t)dice_below(&d, 200) - 100, (int32_t)dice_below(&d, 200) - 100};
        png_picture_file(&file, &picture);
        const pqt_region *region = read_file(&file, &options, &head);
        require_picture(&picture, &options, region);
        require_head(&picture, head);
        png_file_free(&file);
    }
}
END_TEST

START_TEST(sixteen_bits_are_not_rounded_to_eight)
{
    static const uint16_t alphas[] = {0, 0, 0, 1, 0, 127 * 257, 0, 127 * 257 + 1, 0, 65535};
    const png_picture picture = {
        .width = 5, .height = 1, .bits = 16, .kind = KIND_GREY_ALPHA, .numbers = alphas};
    pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    ck_assert_uint_eq(pqt_region_count(read_file(&file, &options, NULL)), 2);
    options.threshold = 0;
    ck_assert_uint_eq(pqt_region_count(read_file(&file, &options, NULL)), 4);
    options.threshold = 254;
    ck_assert_uint_eq(pqt_region_count(read_file(&file, &options, NULL)), 1);
    png_file_free(&file);
}
END_TEST

static void
expect_large_picture(uint32_t width, uint32_t height, bool interlaced, pqt_pixel at)
{
    const png_picture picture = noise(width, height, interlaced);
    pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    options.at = at;
    png_picture_file(&file, &picture);
    require_picture(&picture, &options, read_file(&file, &options, NULL));
    png_file_free(&file);
    noise_free(&picture);
}

START_TEST(pictures_of_many_bands_are_read_correctly)
{
    expect_large_picture(9000, 700, false, (pqt_pixel){-4321, -333});
    expect_large_picture(40000, 130, false, (pqt_pixel){5, -64});
    expect_large_picture(9000, 130, true, (pqt_pixel){-1, 7});
    expect_large_picture(1, 3000, false, (pqt_pixel){-1, -1500});
}
END_TEST

START_TEST(data_after_the_image_are_not_read)
{
    static const char *const names[] = {"bKGD", "cHRM", "eXIf", "gAMA", "hIST", "iCCP",
                                        "iTXt", "oFFs", "pCAL", "pHYs", "sBIT", "sCAL",
                                        "sPLT", "sRGB", "tEXt", "tIME", "zTXt", "prVt"};
    const png_picture picture = noise(20, 20, false);
    const pqt_png_options options = in_arena();
    png_file plain = {NULL, 0, 0}, file = {NULL, 0, 0};
    png_picture_file(&plain, &picture);
    png_file_bytes(&file, plain.bytes, 33); /* the signature and the header */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        png_file_chunk(&file, names[i], "\xff\0 no sense", 11);
    png_file_bytes(&file, plain.bytes + 33, plain.length - 33);
    require_picture(&picture, &options, read_file(&file, &options, NULL));
    png_file_free(&plain);
    png_file_free(&file);
    noise_free(&picture);
}
END_TEST

/* ---- Refused files ---- */

START_TEST(files_other_than_png_are_refused)
{
    const pqt_png_options options = in_arena();
    const char *const others[] = {"P4\n8 8\n", "GIF89a......", "\xff\xd8\xff\xe0....", "\x89PNH"};
    png_file file = {NULL, 0, 0};
    expect_refusal(&file, &options, PQT_ERROR_FORMAT, "png: the input is empty");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        file.length = 0;
        png_file_bytes(&file, others[i], strlen(others[i]));
        expect_refusal(&file, &options, PQT_ERROR_FORMAT,
                       "png: the input does not begin with the signature of PNG");
    }
    file.length = 0;
    png_file_signature(&file);
    file.length = 5;
    expect_refusal(&file, &options, PQT_ERROR_FORMAT, "png: the input ends early, after 5 bytes");
    png_file_free(&file);
}
END_TEST

/* Expects that a file is refused if it is cut anywhere before its end. */
static void
expect_all_of_it_is_needed(bool interlaced)
{
    const png_picture picture = noise(33, 21, interlaced);
    const pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    const size_t whole = file.length;
    for (file.length = 0; file.length < whole; file.length++)
        expect_refusal(&file, &options, PQT_ERROR_FORMAT, NULL);
    png_file_bytes(&file, "more", 4);
    file.length = whole;
    require_picture(&picture, &options, read_file(&file, &options, NULL));
    png_file_free(&file);
    noise_free(&picture);
}

START_TEST(a_file_that_ends_early_is_refused)
{
    expect_all_of_it_is_needed(false);
    expect_all_of_it_is_needed(true);
}
END_TEST

START_TEST(the_position_at_which_a_file_ends_is_reported)
{
    const png_picture picture = noise(8, 100, false);
    const pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    file.length =
        33 + 8 + 7 + 2 * 41; /* header; length and name; zlib and block; rows of two bytes */
    expect_refusal(&file, &options, PQT_ERROR_FORMAT, "png: the input ends early, after 130 bytes");
    png_file_free(&file);
    noise_free(&picture);
}
END_TEST

START_TEST(each_changed_byte_is_noticed)
{
    const png_picture picture = noise(17, 9, true);
    const pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    for (size_t i = 0; i < file.length; i++)
        for (int bit = 0; bit < 8; bit++) {
            pqt_error error = {0};
            file.bytes[i] ^= (uint8_t)(1 << bit);
            const pqt_region *read =
                pqt_png_read_bytes(file.bytes, file.length, &options, NULL, &error);
            file.bytes[i] ^= (uint8_t)(1 << bit);
            if (read != NULL || error.status != PQT_ERROR_FORMAT)
                ck_abort_msg("byte %zu, bit %d: %s", i, bit, error.text);
        }
    png_file_free(&file);
    noise_free(&picture);
}
END_TEST

/* Returns a file that claims to have a size, but has no pixels. */
static png_file
claim(uint32_t width, uint32_t height, int kind, bool interlaced)
{
    png_file file = {NULL, 0, 0};
    png_file_signature(&file);
    png_file_head(&file, width, height, 8, kind, interlaced);
    png_file_chunk(&file, "IDAT", "\x78\x01", 2);
    png_file_chunk(&file, "IEND", NULL, 0);
    return file;
}

static void
expect_size_refused(uint32_t width, uint32_t height, pqt_png_options options, pqt_status status,
                    const char *text)
{
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        png_file file = claim(width, height, KIND_RGBA, interlaced != 0);
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        expect_refusal(&file, &options, status, text);
        hooks_stop();
        ck_assert_uint_lt(watch.bytes[PQTI_BLOCK_SCRATCH], 100000);
        png_file_free(&file);
    }
}

START_TEST(pictures_too_large_are_refused_before_memory_is_taken)
{
    pqt_png_options options = in_arena();
    expect_size_refused(16385, 16384, options, PQT_ERROR_LIMIT,
                        "png: 16385 x 16384 pixels are more than max_pixels, 268435456");
    expect_size_refused(200000000, 2147483647, options, PQT_ERROR_LIMIT, NULL);
    expect_size_refused(
        1048577, 1, options, PQT_ERROR_LIMIT,
        "png: 1048577 x 1 pixels at 0, 0: coordinates must be in -1048576..1048576");
    expect_size_refused(1, 1048577, options, PQT_ERROR_LIMIT, NULL);
    expect_size_refused(0, 5, options, PQT_ERROR_FORMAT, NULL);
    expect_size_refused(5, 0, options, PQT_ERROR_FORMAT, NULL);
    expect_size_refused(UINT32_MAX, UINT32_MAX, options, PQT_ERROR_FORMAT, NULL);
    options.max_pixels = 24;
    expect_size_refused(5, 5, options, PQT_ERROR_LIMIT,
                        "png: 5 x 5 pixels are more than max_pixels, 24");
    options.max_pixels = UINT64_MAX;
    options.at = (pqt_pixel){INT32_MAX, INT32_MIN};
    expect_size_refused(5, 5, options, PQT_ERROR_LIMIT, NULL);
    options.at = (pqt_pixel){-PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT};
    expect_size_refused(5, 5, options, PQT_ERROR_LIMIT, NULL);
}
END_TEST

START_TEST(a_picture_is_never_held_with_all_its_bytes)
{
    const pqt_png_options options = in_arena();
    png_file file = claim(16384, 16384, KIND_RGBA, false);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    expect_refusal(&file, &options, PQT_ERROR_FORMAT, NULL);
    hooks_stop();
    ck_assert_uint_lt(watch.bytes[PQTI_BLOCK_SCRATCH], 2 << 20);
    png_file_free(&file);
    file = claim(16384, 16384, KIND_RGBA, true);
    hooks_start(&watch);
    expect_refusal(&file, &options, PQT_ERROR_FORMAT, NULL);
    hooks_stop();
    ck_assert_uint_lt(watch.bytes[PQTI_BLOCK_SCRATCH], (32 << 20) + (1 << 20));
    png_file_free(&file);
}
END_TEST

START_TEST(invalid_png_options_are_refused)
{
    const png_picture picture = noise(3, 3, false);
    pqt_png_options options = in_arena();
    png_file file = {NULL, 0, 0};
    png_picture_file(&file, &picture);
    char text[104];
    options.size = 8;
    snprintf(text, sizeof text,
             "size is 8, but must be %zu to 4096: initialise with PQT_PNG_DEFAULTS",
             sizeof options);
    expect_refusal(&file, &options, PQT_ERROR_OPTION, text);
    options = in_arena();
    options.channel = (pqt_png_channel)0;
    expect_refusal(&file, &options, PQT_ERROR_OPTION, "png: channel: 0 is not a pqt_png_channel");
    options.channel = (pqt_png_channel)5;
    expect_refusal(&file, &options, PQT_ERROR_OPTION, "png: channel: 5 is not a pqt_png_channel");
    png_file_free(&file);
    noise_free(&picture);
}
END_TEST

START_TEST(each_failed_allocation_of_reading_is_reported)
{
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        const png_picture picture = noise(200, 200, interlaced != 0);
        const pqt_png_options options = in_arena();
        png_file file = {NULL, 0, 0};
        png_picture_file(&file, &picture);
        for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
            pqt_error error = {0};
            hooks_start(&watch);
            const pqt_region *read =
                pqt_png_read_bytes(file.bytes, file.length, &options, NULL, &error);
            hooks_stop();
            if (watch.failures == 0) {
                require_picture(&picture, &options, read);
                break;
            }
            expect_failure(read != NULL, &error, PQT_ERROR_MEMORY);
        }
        png_file_free(&file);
        noise_free(&picture);
    }
}
END_TEST

START_TEST(a_stream_that_cannot_be_read_is_reported)
{
    const pqt_png_options options = in_arena();
    pqt_error error = {0};
    FILE *stream = fopen("/dev/null", "wb");
    ck_assert_ptr_nonnull(stream);
    expect_failure(pqt_png_read(stream, &options, NULL, &error) != NULL, &error, PQT_ERROR_STREAM);
    ck_assert_str_eq(error.text, "png: the stream could not be read");
    fclose(stream);
}
END_TEST

/* ---- Misuse, and the other memory ---- */

START_TEST(reading_from_a_null_stream_stops_the_program)
{
    ck_assert_ptr_null(pqt_png_read(NULL, NULL, NULL, NULL));
}
END_TEST

START_TEST(null_bytes_stop_the_program)
{
    ck_assert_ptr_null(pqt_png_read_bytes(NULL, 1, NULL, NULL, NULL));
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_no_pixel_of_a_picture)
{
    if (pqt_collector() == NULL)
        return;
    const png_picture picture = noise(9000, 300, false);
    pqt_png_options options = PQT_PNG_DEFAULTS;
    png_file file = {NULL, 0, 0};
    pqt_error error = {0};
    png_picture_file(&file, &picture);
    ck_assert_msg(pqt_init(&error), "%s", error.text);
    hooks watch = {.collect_every = 50, .memory = pqt_collector()};
    hooks_start(&watch);
    const pqt_region *region = read_file(&file, &options, NULL);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    require_picture(&picture, &options, region);
    png_file_free(&file);
    noise_free(&picture);
}
END_TEST

static void
add_tests(TCase *tests)
{
    tcase_add_test(tests, every_kind_of_picture_is_read_correctly);
    tcase_add_test(tests, sixteen_bits_are_not_rounded_to_eight);
    tcase_add_test(tests, pictures_of_many_bands_are_read_correctly);
    tcase_add_test(tests, data_after_the_image_are_not_read);
    tcase_add_test(tests, files_other_than_png_are_refused);
    tcase_add_test(tests, a_file_that_ends_early_is_refused);
    tcase_add_test(tests, the_position_at_which_a_file_ends_is_reported);
    tcase_add_test(tests, each_changed_byte_is_noticed);
    tcase_add_test(tests, pictures_too_large_are_refused_before_memory_is_taken);
    tcase_add_test(tests, a_picture_is_never_held_with_all_its_bytes);
    tcase_add_test(tests, invalid_png_options_are_refused);
    tcase_add_test(tests, each_failed_allocation_of_reading_is_reported);
    tcase_add_test(tests, a_stream_that_cannot_be_read_is_reported);
    tcase_add_misuse_test(tests, reading_from_a_null_stream_stops_the_program);
    tcase_add_misuse_test(tests, null_bytes_stop_the_program);
    tcase_add_test(tests, a_collection_at_each_allocation_loses_no_pixel_of_a_picture);
}

#else

START_TEST(a_build_without_libpng_says_so)
{
    pqt_error reading = {0}, writing = {0};
    const pqt_png_options options = in_arena();
    const pqt_pixel_box window = {{0, 0}, {1, 1}};
    expect_failure(pqt_png_read(stdin, &options, NULL, &reading) != NULL, &reading,
                   PQT_ERROR_UNSUPPORTED);
    reading = (pqt_error){0};
    expect_failure(pqt_png_read_bytes("", 0, &options, NULL, &reading) != NULL, &reading,
                   PQT_ERROR_UNSUPPORTED);
    expect_failure(pqt_png_write(stdout, nothing(), window, &writing), &writing,
                   PQT_ERROR_UNSUPPORTED);
}
END_TEST

static void
add_tests(TCase *tests)
{
    tcase_add_test(tests, a_build_without_libpng_says_so);
}

#endif

int
main(void)
{
    Suite *suite = suite_create("png");
    TCase *tests = tcase_create("png");
    pqt_init(NULL);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
