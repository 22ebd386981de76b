/* SPDX-License-Identifier: MIT */
/* image_blit.c: draws a box of one image into another. */
#include "config.h"

#include "image/image_draw.h"
#include "region/region_internal.h"

typedef struct blit_drawing {
    pqti_drawing drawing; /* must be first */
    const pqt_image *source;
    pqt_pixel_box box; /* the pixels of the source, inside it */
    pqt_pixel offset;  /* from the source to the image */
} blit_drawing;

/* Returns the part of a cell of the image that is drawn, as the source sees it. */
static pqt_pixel_box
box_in_source(const blit_drawing *blit, pqti_rcell cell)
{
    const pqt_pixel_box box = pqti_rcell_box(cell);
    const pqt_pixel_box moved = {{box.min.x - blit->offset.x, box.min.y - blit->offset.y},
                                 {box.max.x - blit->offset.x, box.max.y - blit->offset.y}};
    return pqti_box_common(moved, blit->box);
}

/* Returns true if the pixels of a box, which is in the cell at least in part, are in patches of one
 * colour, and the same one. `*colour` is that colour; `*found` is true if it is set. */
static bool
has_one_colour_in(const pqti_patch *patch, pqti_rcell cell, const pqt_pixel_box *box, bool *found,
                  uint32_t *colour)
{
    if (pqti_box_is_empty(pqti_box_common(pqti_rcell_box(cell), *box)))
        return true;
    if (patch->node == NULL) {
        const bool same = !*found || *colour == patch->colour;
        *found = true;
        *colour = patch->colour;
        return same;
    }
    if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return false;
    for (int i = 0; i < 4; i++) {
        const pqti_patch child = pqti_patch_child(patch, i);
        if (!has_one_colour_in(&child, pqti_rcell_child(cell, i), box, found, colour))
            return false;
    }
    return true;
}

static pqti_raster_coverage
blit_covers(const pqti_drawing *drawing, pqti_rcell cell, uint32_t *colour)
{
    const blit_drawing *blit = (const blit_drawing *)drawing;
    const pqt_pixel_box box = box_in_source(blit, cell);
    const pqti_image_frame *frame = &blit->source->frame;
    bool found = false;
    if (pqti_box_is_empty(box))
        return PQTI_RASTER_OUTSIDE;
    if (!has_one_colour_in(&blit->source->root, pqti_image_root_cell(frame), &box, &found, colour))
        return PQTI_RASTER_PARTLY;
    if (*colour >> 24 == 0 && drawing->mode == PQT_INK_OVER)
        return PQTI_RASTER_OUTSIDE;
    const int32_t side = pqti_side(cell.level);
    return box.max.x - box.min.x == side && box.max.y - box.min.y == side ? PQTI_RASTER_WHOLLY
                                                                          : PQTI_RASTER_PARTLY;
}

/* Copies the pixels of a box of the source to the ink. `to` is the pixel at the upper left corner
 * of the box. */
static void
copy_to_ink(const pqti_patch *patch, pqti_rcell cell, const pqt_pixel_box *box, uint32_t *to)
{
    const pqt_pixel_box common = pqti_box_common(pqti_rcell_box(cell), *box);
    if (pqti_box_is_empty(common))
        return;
    if (patch->node != NULL && cell.level > PQTI_IMAGE_TILE_LEVEL) {
        for (int i = 0; i < 4; i++) {
            const pqti_patch child = pqti_patch_child(patch, i);
            copy_to_ink(&child, pqti_rcell_child(cell, i), box, to);
        }
        return;
    }
    const pqti_image_tile *tile = patch->node;
    for (int32_t y = common.min.y; y < common.max.y; y++)
        for (int32_t x = common.min.x; x < common.max.x; x++)
            to[PQTI_IMAGE_TILE_SIDE * (y - box->min.y) + x - box->min.x] =
                tile == NULL ? patch->colour
                             : tile->pixels[PQTI_IMAGE_TILE_SIDE * (y - cell.y) + x - cell.x];
}

static void
draw_source_in_tile(const pqti_drawing *drawing, pqti_rcell cell, pqti_tile_ink *ink)
{
    const blit_drawing *blit = (const blit_drawing *)drawing;
    const pqt_pixel_box box = box_in_source(blit, cell);
    const int left = box.min.x + blit->offset.x - cell.x, top = box.min.y + blit->offset.y - cell.y;
    const int width = box.max.x - box.min.x, height = box.max.y - box.min.y;
    for (int y = 0; y < PQTI_IMAGE_TILE_SIDE; y++)
        ink->mask[y] = (uint16_t)(y >= top && y < top + height ? ((1U << width) - 1) << left : 0);
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++)
        ink->colours[i] = 0;
    copy_to_ink(&blit->source->root, pqti_image_root_cell(&blit->source->frame), &box,
                ink->colours + PQTI_IMAGE_TILE_SIDE * top + left);
}

const pqt_image *
pqt_image_blit(const pqt_image *image, const pqt_image *source, pqt_pixel_box box, pqt_pixel at,
               pqt_ink_mode mode, pqt_error *error)
{
    if (!pqti_image_check_input(image, error) || !pqti_image_check_input(source, error) ||
        !pqti_validate_ink_mode(mode, error) || !pqti_validate_pixel_box(&box, "box", 0, error) ||
        !pqti_validate_pixel(&box, "box", 0, error))
        return NULL;
    if (pqti_box_is_empty(box) || pqti_is_far_offset(at))
        return image;
    const pqt_pixel_box all = {{0, 0}, {source->frame.width, source->frame.height}};
    const blit_drawing blit = {{mode, blit_covers, draw_source_in_tile},
                               source,
                               pqti_box_common(box, all),
                               {at.x - box.min.x, at.y - box.min.y}};
    const pqt_image *next = pqti_image_draw(image, &blit.drawing, error);
    pqti_keep_alive(source);
    return next;
}
