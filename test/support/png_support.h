/* SPDX-License-Identifier: MIT */
/* png_support.h: functions for tests that read images: an arena for their regions, and expected
 * results. */
#ifndef TEST_PNG_SUPPORT_H
#define TEST_PNG_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <pqt/memory.h>
#include <pqt/png.h>

#include "png_maker.h"
#include "random.h"

static pqt_memory *arena;

static inline void
set_up(void)
{
    pqt_error error = {0};
    arena = pqt_arena_make(0, &error);
    ck_assert_msg(arena != NULL, "%s", error.text);
}

static inline void
tear_down(void)
{
    pqt_arena_destroy(&arena);
}

static inline const pqt_region *
nothing(void)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(arena, &error);
    ck_assert_msg(region != NULL, "%s", error.text);
    return region;
}

static inline pqt_png_options
in_arena(void)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = arena;
    return options;
}

static inline void
expect_failure(bool succeeded, const pqt_error *error, pqt_status status)
{
    ck_assert(!succeeded);
    ck_assert_msg(error->status == status, "%s: %s", pqt_status_name(error->status), error->text);
    ck_assert_uint_eq(error->index, 0);
    ck_assert_uint_gt(strlen(error->text), 0);
    ck_assert_ptr_null(strchr(error->text, '\n'));
}

static inline pqt_pixel_box
box_of(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}};
}

static inline const pqt_region *
read_file(const png_file *file, const pqt_png_options *options, pqt_png_head *head)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_png_read_bytes(file->bytes, file->length, options, head, &error);
    ck_assert_msg(region != NULL, "%s", error.text);
    ck_assert_msg(pqt_region_check(region, &error), "%s", error.text);
    return region;
}

static inline void
expect_refusal(const png_file *file, const pqt_png_options *options, pqt_status status,
               const char *text)
{
    pqt_error error = {0};
    pqt_png_head head = {.width = 77};
    const pqt_region *region =
        pqt_png_read_bytes(file->bytes, file->length, options, &head, &error);
    expect_failure(region != NULL, &error, status);
    ck_assert_uint_eq(error.index, 0);
    ck_assert_uint_eq(head.width, 77);
    if (text != NULL)
        ck_assert_str_eq(error.text, text);
}

/* Returns a picture of noise, with one bit per pixel. */
static inline png_picture
noise(uint32_t width, uint32_t height, bool interlaced)
{
    const size_t count = (size_t)width * height;
    uint16_t *numbers = malloc(count * sizeof *numbers);
    dice d = {width + height};
    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint16_t)dice_below(&d, 2);
    return (png_picture){
        .width = width, .height = height, .bits = 1, .interlaced = interlaced, .numbers = numbers};
}

static inline void
noise_free(const png_picture *picture)
{
    uint16_t *numbers;
    memcpy(&numbers, &picture->numbers, sizeof numbers);
    free(numbers);
}

#endif
