/* SPDX-License-Identifier: MIT */
/* test_image.c: tests making and reading images, colours, bad arguments, and costs of edits. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pqt/document.h>
#include <pqt/history.h>
#include <pqt/image_bytes.h>

#include "bytes_support.h"
#include "hooks.h"
#include "image/image_internal.h"
#include "image_model.h"
#include "image_support.h"
#include "misuse.h"
#include "random.h"
#include "suite.h"

static const pqt_rgba glass = {10, 20, 30, 128}, hidden = {9, 8, 7, 0};

static const pqt_image *
blank(size_t width, size_t height)
{
    pqt_error error = {0};
    return sound(pqt_image_make(width, height, white, arena, &error), &error);
}

static void
expect_failure(const void *made, const pqt_error *error, pqt_status status, const char *text)
{
    ck_assert_ptr_null(made);
    ck_assert_int_eq(error->status, status);
    ck_assert_str_eq(error->text, text);
}

START_TEST(the_example_of_the_header_draws_a_stroke)
{
    pqt_error error = {0};
    const pqt_rgba glaze = {200, 0, 0, 128};
    const pqt_paint stroke = pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){9, 9}, (pqt_vec){90, 40}, 8);
    const pqt_image *canvas = pqt_image_make(640, 480, white, arena, &error);
    const pqt_image *next =
        sound(pqt_image_paint(canvas, stroke, glaze, PQT_INK_OVER, &error), &error);
    ck_assert(same_rgba(pqt_image_pixel(next, (pqt_pixel){9, 9}), (pqt_rgba){227, 127, 127, 255}));
    ck_assert(same_rgba(pqt_image_pixel(next, (pqt_pixel){300, 300}), white));
    ck_assert(same_rgba(pqt_image_pixel(canvas, (pqt_pixel){9, 9}), white));
}
END_TEST

START_TEST(an_image_of_one_colour_takes_no_tile_whatever_its_size)
{
    static const size_t sizes[][2] = {{1, 1}, {17, 1000}, {1048576, 1048576}, {1048576, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pqt_image *image = blank(sizes[i][0], sizes[i][1]);
        const pqt_image_stats stats = pqt_image_get_stats(image);
        ck_assert_uint_eq(stats.tiles + stats.nodes, 0);
        ck_assert_uint_lt(stats.bytes, 100);
        ck_assert_uint_eq(pqt_version_count(image), sizes[i][0] * sizes[i][1]);
    }
}
END_TEST

START_TEST(painting_everything_leaves_no_tile)
{
    pqt_error error = {0};
    const pqt_pixel_box all = {{-5, -5}, {500, 500}};
    const pqt_paint box = pqt_paint_box(PQT_PAINT_SET, all);
    const pqt_image *image = blank(70, 45);
    for (int32_t i = 0; i < 60; i++)
        image = pqt_image_set_pixel(image, (pqt_pixel){i, i % 45}, red, &error);
    ck_assert_uint_gt(pqt_image_get_stats(sound(image, &error)).tiles, 0);
    const pqt_image *next = pqt_image_paint(image, box, red, PQT_INK_REPLACE, &error);
    ck_assert_uint_eq(pqt_image_get_stats(sound(next, &error)).tiles, 0);
    const pqt_image *made = pqt_image_make(70, 45, red, arena, &error);
    ck_assert(pqt_image_equals(next, made));
}
END_TEST

START_TEST(an_edit_that_changes_nothing_returns_the_same_version)
{
    pqt_error error = {0};
    const pqt_image *image = blank(50, 50);
    const pqt_image *dot = pqt_image_set_pixel(image, (pqt_pixel){3, 3}, red, &error);
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){3.5, 3.5}, 0.5);
    ck_assert_ptr_eq(pqt_image_set_pixel(dot, (pqt_pixel){3, 3}, red, &error), dot);
    ck_assert_ptr_eq(pqt_image_set_pixel(dot, (pqt_pixel){50, 3}, red, &error), dot);
    ck_assert_ptr_eq(pqt_image_paint(dot, disc, red, PQT_INK_OVER, &error), dot);
    ck_assert_ptr_eq(pqt_image_paint(dot, disc, hidden, PQT_INK_OVER, &error), dot);
    ck_assert_ptr_eq(pqt_image_blit(dot, image, (pqt_pixel_box){{9, 9}, {20, 20}},
                                    (pqt_pixel){9, 9}, PQT_INK_REPLACE, &error),
                     dot);
    const pqt_region *far = pqt_region_make(arena, &error);
    far = pqt_region_paint(far, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){0, 0}), &error);
    ck_assert_ptr_eq(
        pqt_image_fill(dot, far, (pqt_pixel){INT32_MIN, INT32_MAX}, red, PQT_INK_OVER, &error),
        dot);
    ck_assert_ptr_eq(pqt_image_blit(dot, image, pqt_image_bounds(image),
                                    (pqt_pixel){INT32_MAX, INT32_MIN}, PQT_INK_REPLACE, &error),
                     dot);
}
END_TEST

START_TEST(an_image_keeps_the_colour_of_transparent_pixels)
{
    pqt_error error = {0};
    const pqt_image *image =
        sound(pqt_image_set_pixel(blank(4, 4), (pqt_pixel){1, 2}, hidden, &error), &error);
    ck_assert(same_rgba(pqt_image_pixel(image, (pqt_pixel){1, 2}), hidden));
    const pqt_image *other =
        pqt_image_set_pixel(blank(4, 4), (pqt_pixel){1, 2}, (pqt_rgba){0, 0, 0, 0}, &error);
    ck_assert(!pqt_image_equals(image, other));
}
END_TEST

/* All pairs of alphas, with channels at the ends, in the middle and at random. */
START_TEST(a_selection_of_an_image_of_one_colour_ends_at_its_edges)
{
    static const size_t sides[] = {1, 15, 16, 17, 32, 48, 64, 65, 128};
    pqt_error error = {0};
    const pqt_image_selection opaque = {.property = PQT_SELECT_ALPHA, .threshold = 254};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const int32_t side = (int32_t)sides[i];
        const pqt_image *image = blank(sides[i], sides[i]);
        const pqt_region *region = pqt_image_select(image, opaque, &error);
        ck_assert_msg(region != NULL && pqt_region_check(region, &error), "%s", error.text);
        ck_assert_uint_eq(pqt_region_count(region), sides[i] * sides[i]);
        ck_assert(pqt_region_contains(region, (pqt_pixel){side - 1, side - 1}));
        ck_assert(!pqt_region_contains(region, (pqt_pixel){side, 0}));
        ck_assert(!pqt_region_contains(region, (pqt_pixel){0, side}));
    }
}
END_TEST

START_TEST(a_blend_is_exact_to_the_nearest_for_each_pair_of_alphas)
{
    static const uint8_t ends[] = {0, 1, 127, 128, 254, 255};
    dice d = {test_seed("a_blend_is_exact")};
    const size_t count = sizeof ends;
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = a % (unsigned)test_stride(); b < 256; b += (unsigned)test_stride()) {
            for (size_t i = 0; i < count * count; i++) {
                const uint64_t any = dice_next(&d);
                const pqt_rgba ink = {ends[i % count], (uint8_t)any, 255, (uint8_t)a};
                const pqt_rgba under = {ends[i / count], (uint8_t)(any >> 8), 0, (uint8_t)b};
                const pqt_rgba over = pqt_rgba_over(ink, under);
                ck_assert_msg(is_exact_over(over, ink, under),
                              "%d %d %d %d over %d %d %d %d is %d %d %d %d", ink.r, ink.g, ink.b,
                              ink.a, under.r, under.g, under.b, under.a, over.r, over.g, over.b,
                              over.a);
            }
        }
    }
}
END_TEST

START_TEST(a_blend_keeps_what_is_below_a_transparent_colour)
{
    ck_assert(same_rgba(pqt_rgba_over(hidden, red), red));
    ck_assert(same_rgba(pqt_rgba_over(hidden, (pqt_rgba){1, 2, 3, 0}), (pqt_rgba){1, 2, 3, 0}));
    ck_assert(same_rgba(pqt_rgba_over(red, glass), red));
    ck_assert(same_rgba(pqt_rgba_over(glass, hidden), glass));
}
END_TEST

START_TEST(bad_arguments_of_images_are_refused)
{
    static const uint8_t bytes[64];
    const pqt_image *image = blank(20, 20);
    const pqt_paint pixel = pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){0, 0});
    const pqt_pixel_box inverted = {{5, 5}, {4, 6}}, far = {{0, 0}, {1048577, 1}};
    const pqt_pixel here = {0, 0};
    pqt_error error = {0};
    expect_failure(pqt_image_make(0, 5, red, arena, &error), &error, PQT_ERROR_LIMIT,
                   "image: 0 x 5; each side must be 1..1048576 pixels");
    error = (pqt_error){0};
    expect_failure(pqt_image_make(5, 1048577, red, arena, &error), &error, PQT_ERROR_LIMIT,
                   "image: 5 x 1048577; each side must be 1..1048576 pixels");
    error = (pqt_error){0};
    expect_failure(pqt_image_of_rgba(bytes, 0, 5, 20, arena, &error), &error, PQT_ERROR_LIMIT,
                   "image: 0 x 5; each side must be 1..1048576 pixels");
    error = (pqt_error){0};
    expect_failure(pqt_image_of_rgba(bytes, 4, 4, 15, arena, &error), &error, PQT_ERROR_OPTION,
                   "stride: 15 is less than the 16 bytes of a row");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_image_of_rgba(bytes, 4, 4, SIZE_MAX, arena, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    error = (pqt_error){0};
    expect_failure(pqt_image_paint(image, pixel, red, (pqt_ink_mode)0, &error), &error,
                   PQT_ERROR_OPTION, "mode: 0 is not a pqt_ink_mode");
    error = (pqt_error){0};
    expect_failure(
        pqt_image_paint(image, pqt_paint_pixel(PQT_PAINT_CLEAR, here), red, PQT_INK_OVER, &error),
        &error, PQT_ERROR_OPTION, "op: 2; an image takes only PQT_PAINT_SET");
    error = (pqt_error){0};
    expect_failure(
        pqt_image_paint(image, pqt_paint_box(PQT_PAINT_SET, inverted), red, PQT_INK_OVER, &error),
        &error, PQT_ERROR_BOX, "paint 0: box is inverted (x 5 > 4)");
    error = (pqt_error){0};
    ck_assert_ptr_null(
        pqt_image_paint(image, pqt_paint_box(PQT_PAINT_SET, far), red, PQT_INK_OVER, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    error = (pqt_error){0};
    expect_failure(
        pqt_image_fill(image, pqt_region_make(arena, NULL), here, red, (pqt_ink_mode)3, &error),
        &error, PQT_ERROR_OPTION, "mode: 3 is not a pqt_ink_mode");
    error = (pqt_error){0};
    expect_failure(pqt_image_flood(image, here, 0, red, (pqt_ink_mode)4, &error), &error,
                   PQT_ERROR_OPTION, "mode: 4 is not a pqt_ink_mode");
    error = (pqt_error){0};
    expect_failure(pqt_image_select(image, (pqt_image_selection){.threshold = 1}, &error), &error,
                   PQT_ERROR_OPTION, "property: 0 is not a pqt_image_property");
    error = (pqt_error){0};
    expect_failure(pqt_image_blit(image, image, inverted, here, PQT_INK_OVER, &error), &error,
                   PQT_ERROR_BOX, "box 0: box is inverted (x 5 > 4)");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_image_blit(image, image, far, here, PQT_INK_OVER, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    error = (pqt_error){0};
    expect_failure(pqt_image_blit(image, image, far, here, (pqt_ink_mode)9, &error), &error,
                   PQT_ERROR_OPTION, "mode: 9 is not a pqt_ink_mode");
}
END_TEST

START_TEST(bad_boxes_and_strides_write_nothing)
{
    uint8_t bytes[4 * 4 * 4] = {7};
    const pqt_image *image = blank(20, 20);
    pqt_error error = {0};
    ck_assert(!pqt_image_to_rgba(image, (pqt_pixel_box){{4, 0}, {0, 4}}, bytes, 16, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    error = (pqt_error){0};
    ck_assert(!pqt_image_to_rgba(image, (pqt_pixel_box){{0, 0}, {1048577, 4}}, bytes, 16, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    error = (pqt_error){0};
    ck_assert(!pqt_image_to_rgba(image, (pqt_pixel_box){{0, 0}, {4, 4}}, bytes, 15, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_uint_eq(bytes[0], 7);
    ck_assert(pqt_image_to_rgba(image, (pqt_pixel_box){{3, 3}, {3, 9}}, NULL, 0, NULL));
}
END_TEST

static void
paint_nothing(void *context)
{
    (void)context;
    const pqt_paint pixel = pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){0, 0});
    pqt_error error = {0};
    const pqt_image *none = pqt_image_paint(NULL, pixel, red, PQT_INK_OVER, &error);
    (void)none;
}

START_TEST(a_null_image_passes_an_earlier_failure_on)
{
    const pqt_pixel_box box = {{0, 0}, {1, 1}};
    const pqt_paint pixel = pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){0, 0});
    pqt_error error = {0};
    const pqt_image *none = pqt_image_make(0, 0, red, arena, &error);
    none = pqt_image_paint(none, pixel, red, PQT_INK_OVER, &error);
    none = pqt_image_set_pixel(none, (pqt_pixel){0, 0}, red, &error);
    none = pqt_image_blit(blank(2, 2), none, box, (pqt_pixel){0, 0}, PQT_INK_OVER, &error);
    none = pqt_image_copy(none, NULL, &error);
    expect_failure(none, &error, PQT_ERROR_LIMIT,
                   "image: 0 x 0; each side must be 1..1048576 pixels");
    char text[MISUSE_TEXT];
    if (misuse_can_be_tested()) {
        ck_assert(misuse_aborts(paint_nothing, NULL, text));
        ck_assert_ptr_nonnull(strstr(text, "pqt_image_paint: the image is NULL, and no earlier"));
    }
}
END_TEST

/* A change of each word of the version and of a node is found. */
START_TEST(check_finds_every_word_that_was_changed)
{
    pqt_error error = {0};
    const pqt_image *image = pqt_image_set_pixel(blank(60, 60), (pqt_pixel){1, 1}, red, &error);
    image = sound(pqt_image_set_pixel(image, (pqt_pixel){59, 59}, red, &error), &error);
    const pqti_image_inner *root = image->root.node;
    const pqti_image_inner *inner = root->child[3];
    uint32_t *words[] = {(uint32_t *)(uintptr_t)&image->root.fingerprint,
                         (uint32_t *)(uintptr_t)&image->root.colour,
                         (uint32_t *)(uintptr_t)&image->frame.width,
                         (uint32_t *)(uintptr_t)&image->frame.height,
                         (uint32_t *)(uintptr_t)&image->level,
                         (uint32_t *)(uintptr_t)&root->fingerprint[1],
                         (uint32_t *)(uintptr_t)&root->colour[1],
                         (uint32_t *)(uintptr_t)&inner->fingerprint[3],
                         (uint32_t *)(uintptr_t)&inner->colour[3],
                         (uint32_t *)(uintptr_t)inner->child[3],
                         (uint32_t *)(uintptr_t)inner->child[3] + 255};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        pqt_error broken = {0};
        const uint32_t old = *words[i];
        *words[i] ^= 64;
        ck_assert_msg(!pqt_image_check(image, &broken), "word %zu", i);
        ck_assert_int_eq(broken.status, PQT_ERROR_CORRUPT);
        *words[i] = old;
    }
    sound(image, &error);
}
END_TEST

static const pqt_image *
noise_of(int32_t side, uint64_t seed)
{
    pqt_error error = {0};
    image_model model = image_model_make(side, side, white);
    dice d = {seed};
    for (size_t i = 0; i < (size_t)side * (size_t)side; i++) {
        const uint64_t any = dice_next(&d);
        model.pixels[i] = (pqt_rgba){(uint8_t)any, (uint8_t)(any >> 8), (uint8_t)(any >> 16), 255};
    }
    const pqt_image *image = pqt_image_of_rgba(&model.pixels[0].r, (size_t)side, (size_t)side,
                                               4 * (size_t)side, arena, &error);
    image_model_free(&model);
    return sound(image, &error);
}

/* The worst positions are around the centre, where the paths have the least in common. */
START_TEST(a_dab_of_radius_16_on_4096_squared_keeps_less_than_20_kb)
{
    const pqt_image *noise = noise_of(4096, 3);
    size_t most = 0;
    for (int i = 0; i < 17 * 17; i++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = 0};
        const pqt_vec at = {2048 - 8 + i % 17, 2048 - 8 + i / 17};
        hooks_start(&watch);
        const pqt_image *next = pqt_image_paint(noise, pqt_paint_disc(PQT_PAINT_SET, at, 16), glass,
                                                PQT_INK_OVER, &error);
        hooks_stop();
        size_t own = 0;
        const void *other = noise;
        ck_assert_msg(next != NULL, "%s", error.text);
        ck_assert(pqt_version_exclusive_bytes(next, &other, 1, &own, &error));
        ck_assert_uint_eq(own, hooks_kept_bytes(&watch));
        ck_assert_uint_eq(watch.blocks[PQTI_BLOCK_SCRATCH], 0);
        most = own > most ? own : most;
    }
    fprintf(stderr, "# a disc of radius 16 keeps at most %zu bytes\n", most);
    ck_assert_uint_lt(most, 20000);
}
END_TEST

START_TEST(each_failed_allocation_of_a_count_of_bytes_is_reported)
{
    const pqt_image *image = blank(50, 50), *others[] = {blank(50, 50), blank(60, 50)};
    pqt_error error = {0};
    size_t bytes = 7;
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    ck_assert(!pqt_image_exclusive_bytes(image, others, 2, &bytes, &error));
    hooks_stop();
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_uint_eq(bytes, 7);
}
END_TEST

START_TEST(a_history_of_images_undoes_a_stroke)
{
    pqt_error error = {0};
    const pqt_image *canvas = blank(300, 200);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_IMAGE), canvas, NULL, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){50, 50}, 20);
    const pqt_image *next = pqt_image_paint(canvas, disc, red, PQT_INK_REPLACE, &error);
    ck_assert(pqt_history_push(history, next, NULL, &error));
    ck_assert_ptr_eq(pqt_history_value(history), next);
    ck_assert(pqt_history_undo(history));
    ck_assert_ptr_eq(pqt_history_value(history), canvas);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_document_has_an_image_as_a_part)
{
    pqt_error error = {0};
    const pqt_image *canvas = blank(30, 20);
    const pqt_part part = {.name = "picture", .kind = PQT_KIND_IMAGE, .version = canvas};
    const pqt_document *plan = pqt_document_make(&part, 1, &error);
    ck_assert_msg(plan != NULL, "%s", error.text);
    const pqt_image *next = pqt_image_set_pixel(canvas, (pqt_pixel){1, 1}, red, &error);
    const pqt_document *changed = pqt_document_set_image(plan, "picture", next, &error);
    ck_assert_ptr_eq(pqt_document_image(changed, "picture"), next);
    ck_assert_ptr_eq(pqt_document_image(plan, "picture"), canvas);
    ck_assert_ptr_null(pqt_document_image(plan, "paper"));
    byte_buffer buffer = {.next = 0};
    ck_assert(pqt_document_write(changed, sink, &buffer, &error));
    const pqt_document *read = pqt_document_read(source, &buffer, arena, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert(pqt_image_equals(pqt_document_image(read, "picture"), next));
    free(buffer.bytes);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("image");
    TCase *tests = tcase_create("image");
    tcase_add_checked_fixture(tests, open_arena, close_arena);
    tcase_add_test(tests, the_example_of_the_header_draws_a_stroke);
    tcase_add_test(tests, an_image_of_one_colour_takes_no_tile_whatever_its_size);
    tcase_add_test(tests, painting_everything_leaves_no_tile);
    tcase_add_test(tests, an_edit_that_changes_nothing_returns_the_same_version);
    tcase_add_test(tests, an_image_keeps_the_colour_of_transparent_pixels);
    tcase_add_test(tests, a_selection_of_an_image_of_one_colour_ends_at_its_edges);
    tcase_add_test(tests, a_blend_is_exact_to_the_nearest_for_each_pair_of_alphas);
    tcase_add_test(tests, a_blend_keeps_what_is_below_a_transparent_colour);
    tcase_add_test(tests, bad_arguments_of_images_are_refused);
    tcase_add_test(tests, bad_boxes_and_strides_write_nothing);
    tcase_add_test(tests, a_null_image_passes_an_earlier_failure_on);
    tcase_add_test(tests, check_finds_every_word_that_was_changed);
    tcase_add_test(tests, a_dab_of_radius_16_on_4096_squared_keeps_less_than_20_kb);
    tcase_add_test(tests, each_failed_allocation_of_a_count_of_bytes_is_reported);
    tcase_add_test(tests, a_history_of_images_undoes_a_stroke);
    tcase_add_test(tests, a_document_has_an_image_as_a_part);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
