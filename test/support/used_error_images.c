/* SPDX-License-Identifier: MIT */
/* used_error_images.c: cases of used_error.h for images. */
#include "config.h"

#include <pqt/image.h>

#include "used_error.h"

static const pqt_rgba sand = {230, 210, 150, 255}, dye = {9, 90, 200, 99};
static const pqt_pixel_box corner = {{3, 4}, {20, 30}};

/* Returns an image with tiles. Allocations of its edits do not fail. */
static const pqt_image *
sample_image(double at)
{
    const pqt_image *image = pqt_image_make(70, 45, sand, sample.memory, NULL);
    return pqt_image_paint(image, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){at, at}, 9), dye,
                           PQT_INK_OVER, NULL);
}

CASE(pqt_image_make)
{
    return VERSION(pqt_image_make(70, 45, sand, sample.memory, error));
}

CASE(pqt_image_of_rgba)
{
    static const uint8_t bytes[16 * 4] = {1, 2, 3, 4, 5, 6, 7, 8};
    return VERSION(pqt_image_of_rgba(bytes, 4, 4, 16, sample.memory, error));
}

CASE(pqt_image_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_image *image = sample_image(20);
    const outcome result = VERSION(pqt_image_copy(image, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_image_copy_all)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_image *image = sample_image(20), *copy = NULL;
    const bool done = DONE(pqt_image_copy_all(&image, 1, other, &copy, error));
    const uint64_t value = number_of(copy);
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_image_to_rgba)
{
    uint8_t bytes[17 * 26 * 4] = {0};
    uint64_t sum = 0;
    const pqt_image *image = sample_image(20);
    const bool done = DONE(pqt_image_to_rgba(image, corner, bytes, 17 * 4, error));
    for (size_t i = 0; i < sizeof bytes; i++)
        sum += bytes[i];
    return (outcome){done, sum};
}

CASE(pqt_image_check)
{
    const pqt_image *image = sample_image(20);
    return (outcome){DONE(pqt_image_check(image, error)), 0};
}

CASE(pqt_image_exclusive_bytes)
{
    const pqt_image *image = sample_image(20), *others[] = {sample_image(21), sample_image(22)};
    size_t bytes = 0;
    const bool done = DONE(pqt_image_exclusive_bytes(image, others, 2, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_image_set_pixel)
{
    const pqt_image *image = sample_image(20);
    return VERSION(pqt_image_set_pixel(image, (pqt_pixel){1, 2}, dye, error));
}

CASE(pqt_image_paint)
{
    const pqt_image *image = sample_image(20);
    const pqt_paint box = pqt_paint_box(PQT_PAINT_SET, corner);
    return VERSION(pqt_image_paint(image, box, dye, PQT_INK_OVER, error));
}

CASE(pqt_image_fill)
{
    const pqt_image *image = sample_image(20);
    return VERSION(
        pqt_image_fill(image, sample.region, (pqt_pixel){3, 3}, dye, PQT_INK_REPLACE, error));
}

CASE(pqt_image_blit)
{
    const pqt_image *image = sample_image(20);
    return VERSION(pqt_image_blit(image, image, corner, (pqt_pixel){7, 9}, PQT_INK_REPLACE, error));
}

CASE(pqt_image_select)
{
    const pqt_image *image = sample_image(20);
    const pqt_image_selection sandy = {.property = PQT_SELECT_COLOUR, .colour = sand};
    return VERSION(pqt_image_select(image, sandy, error));
}

CASE(pqt_image_flood)
{
    const pqt_image *image = sample_image(20);
    return VERSION(pqt_image_flood(image, (pqt_pixel){20, 20}, 3, sand, PQT_INK_REPLACE, error));
}

static bool
count_box(const pqt_pixel_box *box, void *context)
{
    uint64_t *count = context;
    *count += (uint64_t)(box->max.x - box->min.x);
    return true;
}

CASE(pqt_image_visit_diff)
{
    uint64_t count = 0;
    const pqt_image *before = sample_image(20), *after = sample_image(23);
    const bool done = DONE(pqt_image_visit_diff(before, after, count_box, &count, error));
    return (outcome){done, count};
}

CASE(pqt_image_merge)
{
    const pqt_image *base = sample_image(20);
    const pqt_image *ours = pqt_image_set_pixel(base, (pqt_pixel){1, 2}, dye, NULL);
    const pqt_image *theirs = pqt_image_set_pixel(base, (pqt_pixel){2, 2}, dye, NULL);
    return VERSION(pqt_image_merge(base, ours, theirs, NULL, NULL, error));
}

CASE(pqt_image_map)
{
    const pqt_image *image = sample_image(20);
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){2, 1}, (pqt_vec){9, 9});
    return VERSION(pqt_image_map(image, turn, 20, 30, PQT_SAMPLE_AREA, error));
}

CASE(pqt_image_resize)
{
    const pqt_image *image = sample_image(20);
    return VERSION(pqt_image_resize(image, corner, 20, 30, PQT_SAMPLE_AREA, error));
}

const error_case error_cases_of_images[] = {
    HAS(pqt_image_make),
    HAS(pqt_image_of_rgba),
    HAS(pqt_image_copy),
    HAS(pqt_image_copy_all),
    HAS(pqt_image_to_rgba),
    HAS(pqt_image_check),
    HAS(pqt_image_exclusive_bytes),
    HAS(pqt_image_set_pixel),
    HAS(pqt_image_paint),
    HAS(pqt_image_fill),
    HAS(pqt_image_blit),
    HAS(pqt_image_visit_diff),
    HAS(pqt_image_merge),
    HAS(pqt_image_select),
    HAS(pqt_image_flood),
    HAS(pqt_image_map),
    HAS(pqt_image_resize),
};
const size_t error_case_count_of_images =
    sizeof error_cases_of_images / sizeof *error_cases_of_images;
