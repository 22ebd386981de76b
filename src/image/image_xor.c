/* SPDX-License-Identifier: MIT */
/* image_xor.c: the xor of the colours of two versions, which is how changes are stored. */
#include "config.h"

#include "base/attributes.h"
#include "image/image_internal.h"

static PQTI_NOINLINE bool
xor_tiles(const pqti_image_frame *frame, const pqti_patch *a, const pqti_patch *b, pqti_rcell cell,
          pqti_patch *made)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS], others[PQTI_IMAGE_TILE_PIXELS];
    pqti_patch_pixels(a, pixels);
    pqti_patch_pixels(b, others);
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++)
        pixels[i] ^= others[i];
    return pqti_image_tile_make(frame, cell, pixels, a, made);
}

/* Makes the patch whose colours are those of `a` xor those of `b`. Returns false when out of
 * memory. */
static bool
xor_patches(const pqti_image_frame *frame, const pqti_patch *a, const pqti_patch *b,
            pqti_rcell cell, pqti_patch *made)
{
    pqti_patch child[4];
    if (pqti_patch_is_same(a, b) || (a->node == NULL && b->node == NULL))
        *made = pqti_patch_of_colour(a->colour ^ b->colour);
    else if (b->node == NULL && b->colour == 0)
        *made = *a;
    else if (a->node == NULL && a->colour == 0)
        *made = *b;
    else if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return xor_tiles(frame, a, b, cell, made);
    else {
        for (int i = 0; i < 4; i++) {
            const pqti_patch in_a = pqti_patch_child(a, i), in_b = pqti_patch_child(b, i);
            const pqti_rcell below = pqti_rcell_child(cell, i);
            child[i] = pqti_patch_of_colour(0);
            if (!pqti_image_is_outside(frame, below) &&
                !xor_patches(frame, &in_a, &in_b, below, &child[i]))
                return false;
        }
        return pqti_image_inner_make(frame, cell, child, a, made);
    }
    return true;
}

const pqt_image *
pqti_image_xor(const pqt_image *a, const pqt_image *b, pqt_error *error)
{
    pqti_patch root;
    const pqti_image_frame *frame = &a->frame;
    if (xor_patches(frame, &a->root, &b->root, pqti_image_root_cell(frame), &root))
        return pqti_patch_is_same(&root, &b->root) ? b : pqti_image_next(a, &root, error);
    pqti_out_of_memory(error);
    return NULL;
}
