/* SPDX-License-Identifier: MIT */
/*
 * golden_images.c: describes the images in the golden files, as golden_versions.c and
 * golden_sequences.c do with the other kinds.
 */
#include "config.h"

#include "golden.h"

static const pqt_rgba sand = {230, 210, 150, 255}, dye = {9, 90, 200, 99}, none = {0, 0, 0, 0},
                      hidden = {7, 8, 9, 0};

static const pqt_image *
paint_box(const pqt_image *image, pqt_pixel_box box, pqt_rgba colour, pqt_error *error)
{
    return pqt_image_paint(image, pqt_paint_box(PQT_PAINT_SET, box), colour, PQT_INK_REPLACE,
                           error);
}

static const pqt_image *
paint_disc(const pqt_image *image, pqt_vec centre, pqt_rgba colour, pqt_error *error)
{
    return pqt_image_paint(image, pqt_paint_disc(PQT_PAINT_SET, centre, 12), colour, PQT_INK_OVER,
                           error);
}

/* Sets the first pixels of a tile to different colours. */
static const pqt_image *
set_many(const pqt_image *image, pqt_pixel tile, int32_t count, pqt_error *error)
{
    for (int32_t i = 0; i < count; i++)
        image = pqt_image_set_pixel(
            image, (pqt_pixel){tile.x + i % 16, tile.y + i / 16},
            (pqt_rgba){(uint8_t)i, (uint8_t)(3 * i), (uint8_t)(tile.x), (uint8_t)(255 - i)}, error);
    return image;
}

const void *
golden_image_blank(pqt_memory *memory, pqt_error *error)
{
    return pqt_image_make(1, 1048576, none, memory, error);
}

const void *
golden_image_colour(pqt_memory *memory, pqt_error *error)
{
    return pqt_image_make(640, 480, hidden, memory, error);
}

/* Large squares of one colour, tiles of few colours that the edges cut. */
const void *
golden_image_shapes(pqt_memory *memory, pqt_error *error)
{
    const pqt_image *image = pqt_image_make(150, 90, none, memory, error);
    image = paint_box(image, (pqt_pixel_box){{0, 0}, {64, 64}}, sand, error);
    image = paint_disc(image, (pqt_vec){60, 60}, dye, error);
    image = paint_disc(image, (pqt_vec){149, 89}, dye, error);
    return pqt_image_set_pixel(image, (pqt_pixel){100, 5}, hidden, error);
}

/* Tiles of 2, 3, 4, 5, 16, 17, 128, 129 and 256 colours. */
const void *
golden_image_palettes(pqt_memory *memory, pqt_error *error)
{
    static const int32_t counts[] = {2, 3, 4, 5, 16, 17, 128, 129, 256};
    const pqt_image *image = pqt_image_make(144, 16, none, memory, error);
    for (int32_t i = 0; i < 9; i++)
        image =
            set_many(image, (pqt_pixel){16 * i, 0}, counts[i] < 256 ? counts[i] - 1 : 256, error);
    return image;
}

/* 90 tiles of 256 colours: two sections. */
const void *
golden_image_sections(pqt_memory *memory, pqt_error *error)
{
    const pqt_image *image = pqt_image_make(16, 1440, none, memory, error);
    for (int32_t i = 0; i < 90; i++)
        image = set_many(image, (pqt_pixel){0, 16 * i}, 256, error);
    return image;
}

/* ---- A sequence ---- */

const void *
golden_image_first(pqt_memory *memory, pqt_error *error)
{
    return pqt_image_make(150, 90, sand, memory, error);
}

const void *
golden_image_next(const void *version, unsigned number, pqt_error *error)
{
    const pqt_image *image = version;
    switch (number) {
    case 4:
        return paint_box(image, (pqt_pixel_box){{0, 0}, {150, 90}}, none, error);
    case 5:
        return set_many(image, (pqt_pixel){32, 48}, 200, error);
    case 7: /* an image of another size */
        return pqt_image_make(90, 150, dye, pqt_image_memory(image), error);
    default:
        return paint_disc(image, (pqt_vec){20.0 * number, 10.0 * number}, dye, error);
    }
}
