/* SPDX-License-Identifier: MIT */
/* image_rows.c: makes an image from rows of tiles, from the top down. */
#include "config.h"

#include "image/image_rows.h"

#include "base/attributes.h"

/* Returns the number of patches of a level that hold `pixels` pixels of a side. */
static int32_t
patches_of(int32_t pixels, int level)
{
    return (int32_t)(((int64_t)pixels + pqti_side(level) - 1) >> level);
}

bool
pqti_image_rows_begin(pqti_image_rows *rows, const pqti_image_frame *frame)
{
    const int top = pqti_image_root_cell(frame).level;
    *rows = (pqti_image_rows){.frame = *frame};
    for (int level = PQTI_IMAGE_TILE_LEVEL; level <= top; level++) {
        /* One more patch than needed, because the last word is not scanned. */
        const size_t count = 2 * (size_t)patches_of(frame->width, level) + 1;
        rows->patches[level] =
            pqti_alloc_list(frame->memory, pqti_rounded(count * sizeof(pqti_patch)));
        if (rows->patches[level] == NULL)
            return false;
    }
    return true;
}

static pqti_patch *
row_of_patches(const pqti_image_rows *rows, int level, int32_t y)
{
    return rows->patches[level] + (y & 1) * patches_of(rows->frame.width, level);
}

/* Returns the patch at column `x` of a row of a level, which is outside after the last one. */
static pqti_patch
patch_in_row(const pqti_image_rows *rows, int level, int32_t x, int32_t y)
{
    const bool inside =
        x < patches_of(rows->frame.width, level) && y < patches_of(rows->frame.height, level);
    return inside ? row_of_patches(rows, level, y)[x] : pqti_patch_of_colour(0);
}

/* Makes row `y` of a level from two rows of the level below. Returns false when out of memory. */
static bool
join_rows(const pqti_image_rows *rows, int level, int32_t y)
{
    pqti_patch *made = row_of_patches(rows, level, y);
    const int32_t width = patches_of(rows->frame.width, level);
    for (int32_t x = 0; x < width; x++) {
        const pqti_rcell cell = {x << level, y << level, level};
        pqti_patch child[4];
        for (int i = 0; i < 4; i++)
            child[i] = patch_in_row(rows, level - 1, 2 * x + (i & 1), 2 * y + (i >> 1));
        if (!pqti_image_inner_make(&rows->frame, cell, child, NULL, &made[x]))
            return false;
    }
    return true;
}

static PQTI_NOINLINE bool
add_tile(const pqti_image_rows *rows, const uint8_t *rgba, size_t stride, pqti_rcell cell,
         pqti_patch *made)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS] = {0};
    const pqt_pixel_box box = pqti_image_cell_box(&rows->frame, cell);
    for (int32_t y = 0; y < box.max.y - cell.y; y++) {
        const uint8_t *from = rgba + (size_t)y * stride + 4 * (size_t)cell.x;
        for (int32_t x = 0; x < box.max.x - cell.x; x++, from += 4)
            pixels[PQTI_IMAGE_TILE_SIDE * y + x] =
                pqti_pack_rgba((pqt_rgba){from[0], from[1], from[2], from[3]});
    }
    return pqti_image_tile_make(&rows->frame, cell, pixels, NULL, made);
}

bool
pqti_image_rows_add(pqti_image_rows *rows, const uint8_t *rgba, size_t stride)
{
    const int top = pqti_image_root_cell(&rows->frame).level;
    int32_t y = rows->next++;
    pqti_patch *made = row_of_patches(rows, PQTI_IMAGE_TILE_LEVEL, y);
    for (int32_t x = 0; x < patches_of(rows->frame.width, PQTI_IMAGE_TILE_LEVEL); x++) {
        const pqti_rcell cell = {x << PQTI_IMAGE_TILE_LEVEL, y << PQTI_IMAGE_TILE_LEVEL,
                                 PQTI_IMAGE_TILE_LEVEL};
        if (!add_tile(rows, rgba, stride, cell, &made[x]))
            return false;
    }
    /* A row of a level is complete after the second of its rows below, or after the last one. */
    for (int level = PQTI_IMAGE_TILE_LEVEL + 1; level <= top; level++, y /= 2) {
        if ((y & 1) == 0 && y != patches_of(rows->frame.height, level - 1) - 1)
            return true;
        if (!join_rows(rows, level, y / 2))
            return false;
    }
    return true;
}

pqti_patch
pqti_image_rows_root(const pqti_image_rows *rows)
{
    return rows->patches[pqti_image_root_cell(&rows->frame).level][0];
}
