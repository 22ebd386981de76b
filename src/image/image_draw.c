/* SPDX-License-Identifier: MIT */
/* image_draw.c: draws something into an image, by copying the paths to the tiles that it covers in
 * part. */
#include "config.h"

#include "image/image_draw.h"

#include "base/attributes.h"
#include "image/image_blend.h"

/* Returns true if drawing a colour over any pixel has the same result for all: the colour. */
static bool
replaces(const pqti_drawing *drawing, uint32_t colour)
{
    return drawing->mode == PQT_INK_REPLACE || colour >> 24 == 255;
}

/* Draws the pixels of a row whose bits are set in the mask. */
static void
draw_row(bool replace, unsigned mask, const uint32_t *colours, uint32_t *pixels)
{
    for (int x = 0; x < PQTI_IMAGE_TILE_SIDE; x++)
        if ((mask >> x & 1) != 0)
            pixels[x] = replace ? colours[x] : pqti_blend_over(colours[x], pixels[x]);
}

static void
draw_rows(const pqti_drawing *drawing, const pqti_tile_ink *ink, uint32_t *pixels)
{
    const bool replace = drawing->mode == PQT_INK_REPLACE;
    for (int y = 0; y < PQTI_IMAGE_TILE_SIDE; y++)
        if (ink->mask[y] != 0)
            draw_row(replace, ink->mask[y], ink->colours + PQTI_IMAGE_TILE_SIDE * y,
                     pixels + PQTI_IMAGE_TILE_SIDE * y);
}

static PQTI_NOINLINE bool
draw_in_tile(const pqti_image_frame *frame, const pqti_drawing *drawing, const pqti_patch *old,
             pqti_rcell cell, pqti_patch *made)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS];
    pqti_tile_ink ink;
    pqti_patch_pixels(old, pixels);
    drawing->draw_tile(drawing, cell, &ink);
    draw_rows(drawing, &ink, pixels);
    return pqti_image_tile_make(frame, cell, pixels, old, made);
}

/* Makes the patch with a drawing. Returns false when out of memory. */
static bool
draw_patch(const pqti_image_frame *frame, const pqti_drawing *drawing, const pqti_patch *old,
           pqti_rcell cell, pqti_patch *made)
{
    pqti_patch child[4];
    uint32_t colour = 0;
    const pqti_raster_coverage coverage = pqti_image_is_outside(frame, cell)
                                              ? PQTI_RASTER_OUTSIDE
                                              : drawing->covers(drawing, cell, &colour);
    if (coverage == PQTI_RASTER_OUTSIDE) {
        *made = *old;
        return true;
    }
    if (coverage == PQTI_RASTER_WHOLLY && (replaces(drawing, colour) || old->node == NULL)) {
        *made = pqti_patch_of_colour(
            replaces(drawing, colour) ? colour : pqti_blend_over(colour, old->colour));
        return true;
    }
    if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return draw_in_tile(frame, drawing, old, cell, made);
    for (int i = 0; i < 4; i++) {
        const pqti_patch below = pqti_patch_child(old, i);
        if (!draw_patch(frame, drawing, &below, pqti_rcell_child(cell, i), &child[i]))
            return false;
    }
    return pqti_image_inner_make(frame, cell, child, old, made);
}

const pqt_image *
pqti_image_draw(const pqt_image *image, const pqti_drawing *drawing, pqt_error *error)
{
    pqti_patch root;
    if (draw_patch(&image->frame, drawing, &image->root, pqti_image_root_cell(&image->frame),
                   &root))
        return pqti_image_next(image, &root, error);
    pqti_out_of_memory(error);
    return NULL;
}

pqt_rgba
pqt_rgba_over(pqt_rgba ink, pqt_rgba under)
{
    return pqti_unpack_rgba(pqti_blend_over(pqti_pack_rgba(ink), pqti_pack_rgba(under)));
}

bool
pqti_validate_ink_mode(pqt_ink_mode mode, pqt_error *error)
{
    if (mode == PQT_INK_REPLACE || mode == PQT_INK_OVER)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "mode: %d is not a pqt_ink_mode", (int)mode);
    return false;
}
