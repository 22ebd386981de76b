/* SPDX-License-Identifier: MIT */
/* image_build.c: makes images from arrays of pixels, and copies pixels to arrays. */
#include "config.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/attributes.h"
#include "image/image_internal.h"
#include "region/region_internal.h"

/* The bytes of a pixel in an array. */
enum { PIXEL_BYTES = 4 };

typedef struct pixel_source {
    pqti_image_frame frame;
    const uint8_t *data;
    size_t stride;
} pixel_source;

static uint32_t
load_colour(const uint8_t *bytes)
{
    return pqti_pack_rgba((pqt_rgba){bytes[0], bytes[1], bytes[2], bytes[3]});
}

static void
store_colour(uint8_t *bytes, uint32_t colour)
{
    const pqt_rgba rgba = pqti_unpack_rgba(colour);
    bytes[0] = rgba.r;
    bytes[1] = rgba.g;
    bytes[2] = rgba.b;
    bytes[3] = rgba.a;
}

static PQTI_NOINLINE bool
build_image_tile(const pixel_source *source, pqti_rcell cell, pqti_patch *made)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS] = {0};
    const pqt_pixel_box box = pqti_image_cell_box(&source->frame, cell);
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        const uint8_t *row = source->data + (size_t)y * source->stride;
        uint32_t *to = pixels + PQTI_IMAGE_TILE_SIDE * (y - cell.y);
        for (int32_t x = box.min.x; x < box.max.x; x++)
            to[x - cell.x] = load_colour(row + PIXEL_BYTES * (size_t)x);
    }
    return pqti_image_tile_make(&source->frame, cell, pixels, NULL, made);
}

/* Makes the patch of a cell. Returns false when out of memory. */
static bool
build_patch(const pixel_source *source, pqti_rcell cell, pqti_patch *made)
{
    pqti_patch child[4];
    if (pqti_image_is_outside(&source->frame, cell)) {
        *made = pqti_patch_of_colour(0);
        return true;
    }
    if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return build_image_tile(source, cell, made);
    for (int i = 0; i < 4; i++)
        if (!build_patch(source, pqti_rcell_child(cell, i), &child[i]))
            return false;
    return pqti_image_inner_make(&source->frame, cell, child, NULL, made);
}

/* Returns true if rows of `width` pixels, which are at most PQT_PIXEL_LIMIT, can be addressed. */
static bool
validate_pixel_rows(size_t width, size_t height, size_t stride, pqt_error *error)
{
    const size_t row = PIXEL_BYTES * width;
    if (stride < row)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu is less than the %zu bytes of a row", stride, row);
    else if ((height - 1) > (PTRDIFF_MAX - row) / stride)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu rows of %zu bytes exceed the address space", height, stride);
    else
        return true;
    return false;
}

const pqt_image *
pqt_image_of_rgba(const uint8_t *data, size_t width, size_t height, size_t stride,
                  pqt_memory *memory, pqt_error *error)
{
    pqti_patch root;
    PQT_ASSERT(data != NULL, "data is NULL");
    if (!pqti_may_compute(error) || !pqti_validate_image_size(width, height, error) ||
        !validate_pixel_rows(width, height, stride, error))
        return NULL;
    const pixel_source source = {
        {pqti_memory_or_default(memory, error), (int32_t)width, (int32_t)height}, data, stride};
    if (source.frame.memory == NULL)
        return NULL;
    if (build_patch(&source, pqti_image_root_cell(&source.frame), &root))
        return pqti_image_new(&source.frame, &root, error);
    pqti_out_of_memory(error);
    return NULL;
}

/* ---- Output ---- */

typedef struct pixel_target {
    pqt_pixel_box box;
    uint8_t *bytes;
    size_t stride;
} pixel_target;

static uint8_t *
target_row(const pixel_target *target, int32_t x, int32_t y)
{
    return target->bytes + (size_t)(y - target->box.min.y) * target->stride +
           PIXEL_BYTES * (size_t)(x - target->box.min.x);
}

/* Writes the pixels of a patch that are in the box of the target. */
static void
write_patch(const pixel_target *target, const pqti_patch *patch, pqti_rcell cell)
{
    const pqt_pixel_box box = pqti_box_common(pqti_rcell_box(cell), target->box);
    if (pqti_box_is_empty(box))
        return;
    if (patch->node != NULL && cell.level > PQTI_IMAGE_TILE_LEVEL) {
        for (int i = 0; i < 4; i++) {
            const pqti_patch child = pqti_patch_child(patch, i);
            write_patch(target, &child, pqti_rcell_child(cell, i));
        }
        return;
    }
    const pqti_image_tile *tile = patch->node;
    for (int32_t y = box.min.y; y < box.max.y; y++) {
        uint8_t *to = target_row(target, box.min.x, y);
        for (int32_t x = box.min.x; x < box.max.x; x++, to += PIXEL_BYTES)
            store_colour(to, tile == NULL
                                 ? patch->colour
                                 : tile->pixels[PQTI_IMAGE_TILE_SIDE * (y - cell.y) + x - cell.x]);
    }
}

/* Sets the pixels of the box that are outside the image to 0. */
static void
clear_target(const pixel_target *target, size_t width)
{
    for (int32_t y = target->box.min.y; y < target->box.max.y; y++)
        memset(target_row(target, target->box.min.x, y), 0, PIXEL_BYTES * width);
}

bool
pqt_image_to_rgba(const pqt_image *image, pqt_pixel_box box, uint8_t *bytes, size_t stride,
                  pqt_error *error)
{
    if (!pqti_image_check_input(image, error) || !pqti_validate_pixel_box(&box, "box", 0, error) ||
        !pqti_validate_pixel(&box, "box", 0, error))
        return false;
    if (pqti_box_is_empty(box))
        return true;
    PQT_ASSERT(bytes != NULL, "bytes is NULL, and the box has pixels");
    const size_t width = (size_t)(box.max.x - box.min.x);
    if (!validate_pixel_rows(width, (size_t)(box.max.y - box.min.y), stride, error))
        return false;
    const pixel_target target = {box, bytes, stride};
    const pqt_pixel_box all = {{0, 0}, {image->frame.width, image->frame.height}};
    if (!pqti_box_holds(all, box))
        clear_target(&target, width);
    pixel_target inside = {pqti_box_common(box, all), NULL, stride};
    if (pqti_box_is_empty(inside.box))
        return true;
    inside.bytes = target_row(&target, inside.box.min.x, inside.box.min.y);
    write_patch(&inside, &image->root, pqti_image_root_cell(&image->frame));
    return true;
}
