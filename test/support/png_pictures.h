/* SPDX-License-Identifier: MIT */
/* png_pictures.h: random pictures of every kind that PNG has, and the colours of their pixels. */
#ifndef TEST_PNG_PICTURES_H
#define TEST_PNG_PICTURES_H

#include "png_maker.h"
#include "random.h"

/* The valid kinds of pixels and numbers of bits. */
static const struct {
    int kind, bits;
} forms[] = {{KIND_GREY, 1},        {KIND_GREY, 2},    {KIND_GREY, 4},    {KIND_GREY, 8},
             {KIND_GREY, 16},       {KIND_RGB, 8},     {KIND_RGB, 16},    {KIND_PALETTE, 1},
             {KIND_PALETTE, 2},     {KIND_PALETTE, 4}, {KIND_PALETTE, 8}, {KIND_GREY_ALPHA, 8},
             {KIND_GREY_ALPHA, 16}, {KIND_RGBA, 8},    {KIND_RGBA, 16}};
enum { FORMS = sizeof forms / sizeof forms[0], MOST_SIDE = 70 };

static inline uint16_t
draw_number(dice *d, int bits, uint16_t likely)
{
    const uint16_t most = (uint16_t)((1u << bits) - 1);
    if (dice_chance(d, 30))
        return likely & most;
    if (dice_chance(d, 30)) /* close to the threshold */
        return (uint16_t)((unsigned)most / 2 + dice_below(d, 2));
    return (uint16_t)(dice_next(d) & most);
}

/* Returns a transparent colour in the format of tRNS, which has 16 bits for each number. */
static inline void
draw_transparent_colour(dice *d, png_picture *picture, const uint16_t *colour)
{
    const int channels = png_picture_channels(picture->kind);
    if (!dice_chance(d, 50) || channels % 2 == 0)
        return;
    picture->transparent_size = 2 * (size_t)channels;
    for (int i = 0; i < channels; i++) {
        picture->transparent[2 * i] = (uint8_t)(colour[i] >> 8);
        picture->transparent[2 * i + 1] = (uint8_t)colour[i];
    }
}

static inline void
draw_palette(dice *d, png_picture *picture)
{
    picture->palette_size = 1u << picture->bits;
    for (size_t i = 0; i < 3 * picture->palette_size; i++)
        picture->palette[i] = (uint8_t)dice_next(d);
    if (dice_chance(d, 50))
        return;
    picture->transparent_size = 1 + dice_below(d, picture->palette_size);
    for (size_t i = 0; i < picture->transparent_size; i++)
        picture->transparent[i] =
            (uint8_t)(dice_chance(d, 30) ? 127 + (int)dice_below(d, 2) : (int)dice_below(d, 256));
}

static inline png_picture
draw_picture(dice *d, uint16_t *numbers)
{
    const size_t form = dice_below(d, FORMS);
    png_picture picture = {.kind = forms[form].kind, .bits = forms[form].bits, .numbers = numbers};
    picture.width = 1 + (uint32_t)dice_below(d, dice_chance(d, 30) ? 9 : MOST_SIDE);
    picture.height = 1 + (uint32_t)dice_below(d, dice_chance(d, 30) ? 9 : MOST_SIDE);
    picture.interlaced = dice_chance(d, 50);
    const size_t channels = (size_t)png_picture_channels(picture.kind);
    const size_t count = channels * picture.width * picture.height;
    uint16_t likely[4];
    for (size_t i = 0; i < 4; i++)
        likely[i] = (uint16_t)(dice_next(d) & ((1u << picture.bits) - 1));
    for (size_t i = 0; i < count; i++)
        numbers[i] = draw_number(d, picture.bits, likely[i % channels]);
    if (picture.kind == KIND_PALETTE)
        draw_palette(d, &picture);
    else
        draw_transparent_colour(d, &picture, likely);
    return picture;
}

/* A pixel whose numbers are from 0 to `most`. */
typedef struct colour {
    uint64_t red, green, blue, alpha, most;
} colour;

static inline bool
is_transparent(const png_picture *picture, const uint16_t *numbers)
{
    for (int i = 0; i < png_picture_channels(picture->kind); i++)
        if (numbers[i] != (picture->transparent[2 * i] << 8 | picture->transparent[2 * i + 1]))
            return false;
    return picture->transparent_size > 0;
}

static inline colour
colour_at(const png_picture *picture, size_t x, size_t y)
{
    const size_t channels = (size_t)png_picture_channels(picture->kind);
    const uint16_t *numbers = picture->numbers + (y * picture->width + x) * channels;
    const uint64_t most = (1u << picture->bits) - 1;
    if (picture->kind == KIND_PALETTE) {
        const uint8_t *entry = picture->palette + 3 * numbers[0];
        const bool has = numbers[0] < picture->transparent_size;
        return (colour){entry[0], entry[1], entry[2], has ? picture->transparent[numbers[0]] : 255,
                        255};
    }
    const uint64_t alpha = channels % 2 == 0                  ? numbers[channels - 1]
                           : is_transparent(picture, numbers) ? 0
                                                              : most;
    if (channels <= 2)
        return (colour){numbers[0], numbers[0], numbers[0], alpha, most};
    return (colour){numbers[0], numbers[1], numbers[2], alpha, most};
}

static inline bool
has_alpha(const png_picture *picture)
{
    return picture->transparent_size > 0 || png_picture_channels(picture->kind) % 2 == 0;
}

#endif
