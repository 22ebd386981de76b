/* SPDX-License-Identifier: MIT */
/* image_model.c: an image as a plain array of colours. */
#include "config.h"

#include "image_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 16 };

image_model
image_model_make(int32_t width, int32_t height, pqt_rgba colour)
{
    const size_t count = (size_t)width * (size_t)height;
    image_model model = {width, height, malloc(count * sizeof(pqt_rgba))};
    if (model.pixels == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        model.pixels[i] = colour;
    return model;
}

image_model
image_model_copy(const image_model *from)
{
    image_model copy = image_model_make(from->width, from->height, (pqt_rgba){0, 0, 0, 0});
    memcpy(copy.pixels, from->pixels,
           (size_t)from->width * (size_t)from->height * sizeof(pqt_rgba));
    return copy;
}

void
image_model_free(image_model *model)
{
    free(model->pixels);
    model->pixels = NULL;
}

static bool
is_inside(const image_model *model, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x < model->width && y < model->height;
}

pqt_rgba
image_model_at(const image_model *model, int32_t x, int32_t y)
{
    if (!is_inside(model, x, y))
        return (pqt_rgba){0, 0, 0, 0};
    return model->pixels[(size_t)y * (size_t)model->width + (size_t)x];
}

void
image_model_put(image_model *model, int32_t x, int32_t y, pqt_rgba colour)
{
    if (is_inside(model, x, y))
        model->pixels[(size_t)y * (size_t)model->width + (size_t)x] = colour;
}

bool
same_rgba(pqt_rgba a, pqt_rgba b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

bool
image_model_equals(const image_model *a, const image_model *b)
{
    return a->width == b->width && a->height == b->height &&
           memcmp(a->pixels, b->pixels, (size_t)a->width * (size_t)a->height * sizeof(pqt_rgba)) ==
               0;
}

/* ---- Colours ---- */

/* Returns true if `value` is the nearest whole number to `numerator` / `divisor`: at most half
 * above it, and less than half below it. */
static bool
is_nearest(int64_t value, int64_t numerator, int64_t divisor)
{
    return (2 * value - 1) * divisor <= 2 * numerator && 2 * numerator < (2 * value + 1) * divisor;
}

bool
is_exact_over(pqt_rgba over, pqt_rgba ink, pqt_rgba under)
{
    if (ink.a == 0)
        return same_rgba(over, under);
    const int64_t s = INT64_C(255) * ink.a, t = (INT64_C(255) - ink.a) * under.a;
    return is_nearest(over.a, s + t, 255) && is_nearest(over.r, s * ink.r + t * under.r, s + t) &&
           is_nearest(over.g, s * ink.g + t * under.g, s + t) &&
           is_nearest(over.b, s * ink.b + t * under.b, s + t);
}

/* pqt_rgba_over has a test of its own, for each pair of alphas. */
void
image_model_ink(image_model *model, int32_t x, int32_t y, pqt_rgba colour, pqt_ink_mode mode)
{
    image_model_put(model, x, y,
                    mode == PQT_INK_REPLACE ? colour
                                            : pqt_rgba_over(colour, image_model_at(model, x, y)));
}

/* ---- Comparison ---- */

/* Returns true if the pixels of a square that are inside have one colour, or there are none. */
static bool
is_uniform(const image_model *model, int32_t left, int32_t top, int32_t side)
{
    for (int32_t y = top; y < top + side && y < model->height; y++)
        for (int32_t x = left; x < left + side && x < model->width; x++)
            if (!same_rgba(image_model_at(model, x, y), image_model_at(model, left, top)))
                return false;
    return true;
}

/* Returns the number of squares of this side with several colours. */
static size_t
count_mixed(const image_model *model, int32_t side)
{
    size_t count = 0;
    for (int32_t y = 0; y < model->height; y += side)
        for (int32_t x = 0; x < model->width; x += side)
            count += !is_uniform(model, x, y, side);
    return count;
}

static bool
has_its_nodes(const pqt_image *image, const image_model *model, image_why *why)
{
    size_t nodes = 0;
    int level = 4;
    int32_t side = TILE;
    while (side < model->width || side < model->height) {
        side *= 2;
        nodes += count_mixed(model, side);
        level++;
    }
    const pqt_image_stats stats = pqt_image_get_stats(image);
    if (stats.tiles == count_mixed(model, TILE) && stats.nodes == nodes && stats.level == level)
        return true;
    snprintf(why->text, sizeof why->text, "%zu tiles, %zu nodes, level %d; expected %zu, %zu, %d",
             stats.tiles, stats.nodes, stats.level, count_mixed(model, TILE), nodes, level);
    return false;
}

static bool
has_its_pixels(const pqt_image *image, const image_model *model, image_why *why)
{
    for (int32_t y = 0; y < model->height; y++) {
        for (int32_t x = 0; x < model->width; x++) {
            const pqt_rgba has = pqt_image_pixel(image, (pqt_pixel){x, y});
            const pqt_rgba must = image_model_at(model, x, y);
            if (same_rgba(has, must))
                continue;
            snprintf(why->text, sizeof why->text, "pixel %d, %d is %d %d %d %d, not %d %d %d %d", x,
                     y, has.r, has.g, has.b, has.a, must.r, must.g, must.b, must.a);
            return false;
        }
    }
    return true;
}

bool
image_matches(const pqt_image *image, const image_model *model, image_why *why)
{
    pqt_error error = {0};
    const pqt_pixel_box box = pqt_image_bounds(image);
    if (box.min.x != 0 || box.min.y != 0 || box.max.x != model->width ||
        box.max.y != model->height) {
        snprintf(why->text, sizeof why->text, "the size is %d x %d, not %d x %d", box.max.x,
                 box.max.y, model->width, model->height);
        return false;
    }
    if (!pqt_image_check(image, &error)) {
        snprintf(why->text, sizeof why->text, "%s", error.text);
        return false;
    }
    return has_its_pixels(image, model, why) && has_its_nodes(image, model, why);
}
