/* SPDX-License-Identifier: MIT */
/* image_check.c: validates every invariant of an image. */
#include "config.h"

#include <string.h>

#include "base/attributes.h"
#include "image/image_internal.h"

static bool
report_corrupt_image(pqti_rcell cell, const char *invariant, pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the patch of side %d at %d, %d: %s",
                   pqti_side(cell.level), cell.x, cell.y, invariant);
    return false;
}

static PQTI_NOINLINE bool
check_image_tile(const pqti_image_frame *frame, const pqti_patch *patch, pqti_rcell cell,
                 pqt_error *error)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS];
    pqti_patch_pixels(patch, pixels);
    if (pqti_image_tile_hash(pixels) != patch->fingerprint)
        return report_corrupt_image(cell, "the fingerprint does not match the pixels", error);
    if (pqti_image_tile_is_uniform(frame, cell, pixels))
        return report_corrupt_image(cell, "the tile has one colour", error);
    pqti_image_clear_outside(frame, cell, pixels);
    return memcmp(pixels, patch->node, sizeof pixels) == 0 ||
           report_corrupt_image(cell, "a pixel outside is not 0", error);
}

static bool check_patch(const pqti_image_frame *frame, const pqti_patch *patch, pqti_rcell cell,
                        pqt_error *error);

static bool
check_inner_patch(const pqti_image_frame *frame, const pqti_patch *patch, pqti_rcell cell,
                  pqt_error *error)
{
    pqti_patch child[4];
    uint64_t fingerprint[4];
    for (int i = 0; i < 4; i++) {
        child[i] = pqti_patch_child(patch, i);
        fingerprint[i] = child[i].fingerprint;
        if (!check_patch(frame, &child[i], pqti_rcell_child(cell, i), error))
            return false;
    }
    if (pqti_image_inner_hash(fingerprint) != patch->fingerprint)
        return report_corrupt_image(cell, "the fingerprint does not match the children", error);
    return !pqti_image_inner_is_uniform(frame, cell, child) ||
           report_corrupt_image(cell, "the children have one colour", error);
}

static bool
check_patch(const pqti_image_frame *frame, const pqti_patch *patch, pqti_rcell cell,
            pqt_error *error)
{
    if (pqti_image_is_outside(frame, cell))
        return (patch->node == NULL && patch->colour == 0) ||
               report_corrupt_image(cell, "it is outside, and not 0", error);
    if (patch->node == NULL)
        return patch->fingerprint == pqti_patch_of_colour(patch->colour).fingerprint ||
               report_corrupt_image(cell, "the fingerprint does not match the colour", error);
    if (patch->colour != 0)
        return report_corrupt_image(cell, "a node has a colour", error);
    return cell.level == PQTI_IMAGE_TILE_LEVEL ? check_image_tile(frame, patch, cell, error)
                                               : check_inner_patch(frame, patch, cell, error);
}

bool
pqt_image_check(const pqt_image *image, pqt_error *error)
{
    if (!pqti_image_check_input(image, error))
        return false;
    const pqti_image_frame *frame = &image->frame;
    if (frame->memory == NULL || frame->width < 1 || frame->width > PQT_PIXEL_LIMIT ||
        frame->height < 1 || frame->height > PQT_PIXEL_LIMIT ||
        image->level != pqti_image_root_cell(frame).level) {
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0,
                       "the size is %d x %d, the level %d, or the memory is NULL", frame->width,
                       frame->height, image->level);
        return false;
    }
    return check_patch(frame, &image->root, pqti_image_root_cell(frame), error);
}
