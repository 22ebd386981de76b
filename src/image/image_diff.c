/* SPDX-License-Identifier: MIT */
/*
 * image_diff.c: finds the pixels in which two versions of one size differ.
 *
 * Both versions are traversed together. Patches with equal fingerprints count as equal, and are not
 * entered.
 */
#include "config.h"

#include "base/attributes.h"
#include "image/image_internal.h"

typedef struct image_diff {
    const pqti_image_frame *frame;
    pqt_visit_pixel_box_fn *visit; /* NULL: the pixels are only counted */
    void *context;
    uint64_t pixels; /* the number of pixels counted */
} image_diff;

/* Visits a box whose pixels all differ, or counts them. */
static bool
visit_different_box(image_diff *diff, const pqt_pixel_box *box)
{
    if (diff->visit != NULL)
        return diff->visit(box, diff->context);
    diff->pixels += (uint64_t)(box->max.x - box->min.x) * (uint64_t)(box->max.y - box->min.y);
    return true;
}

/* Visits the box of the pixels that differ in a tile, or counts them. The pixels outside are left
   out: they differ if one patch has a colour other than 0. */
static PQTI_NOINLINE bool
diff_tiles(image_diff *diff, const pqti_patch *a, const pqti_patch *b, pqti_rcell cell)
{
    uint32_t of_a[PQTI_IMAGE_TILE_PIXELS], of_b[PQTI_IMAGE_TILE_PIXELS];
    const pqt_pixel_box inside = pqti_image_cell_box(diff->frame, cell);
    pqt_pixel_box changed = {inside.max, inside.min};
    pqti_patch_pixels(a, of_a);
    pqti_patch_pixels(b, of_b);
    for (int32_t y = inside.min.y; y < inside.max.y; y++) {
        for (int32_t x = inside.min.x; x < inside.max.x; x++) {
            const int at = PQTI_IMAGE_TILE_SIDE * (y - cell.y) + x - cell.x;
            if (of_a[at] == of_b[at])
                continue;
            diff->pixels++;
            pqti_pixel_box_add(&changed, x, y);
        }
    }
    return diff->visit == NULL || changed.min.x >= changed.max.x ||
           diff->visit(&changed, diff->context);
}

static bool
diff_patches(image_diff *diff, const pqti_patch *a, const pqti_patch *b, pqti_rcell cell)
{
    if (a->fingerprint == b->fingerprint || pqti_image_is_outside(diff->frame, cell))
        return true;
    if (a->node == NULL && b->node == NULL) {
        const pqt_pixel_box box = pqti_image_cell_box(diff->frame, cell);
        return visit_different_box(diff, &box);
    }
    if (cell.level == PQTI_IMAGE_TILE_LEVEL)
        return diff_tiles(diff, a, b, cell);
    for (int i = 0; i < 4; i++) {
        const pqti_patch in_a = pqti_patch_child(a, i), in_b = pqti_patch_child(b, i);
        if (!diff_patches(diff, &in_a, &in_b, pqti_rcell_child(cell, i)))
            return false;
    }
    return true;
}

static bool
diff_images(image_diff *diff, const pqt_image *before, const pqt_image *after)
{
    diff->frame = &before->frame;
    return diff_patches(diff, &before->root, &after->root, pqti_image_root_cell(diff->frame));
}

uint64_t
pqti_image_count_diff(const pqt_image *before, const pqt_image *after)
{
    image_diff diff = {.visit = NULL};
    diff_images(&diff, before, after);
    return diff.pixels;
}

bool
pqt_image_visit_diff(const pqt_image *before, const pqt_image *after, pqt_visit_pixel_box_fn *visit,
                     void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "visit is NULL");
    if (!pqti_image_check_input(before, error) || !pqti_image_check_input(after, error) ||
        !pqti_images_have_one_size(before, after, error))
        return false;
    image_diff diff = {.visit = visit, .context = context};
    return diff_images(&diff, before, after);
}
