/* SPDX-License-Identifier: MIT */
/* image.c: the version that a function returns; its properties, its pixels, equality. */
#include "config.h"

#include "image/image_internal.h"

#include <string.h>

#include "base/arithmetic.h"

bool
pqti_image_may_go_on_in(const char *function, const pqt_image *image, pqt_error *error)
{
    PQT_ASSERT_IN(function, image != NULL || pqti_may_be_null(error),
                  "the image is NULL, and no earlier error is set");
    if (image == NULL)
        return false;
    pqti_assert_image_alive(function, image);
    return pqti_may_compute(error);
}

bool
pqti_validate_image_size(uint64_t width, uint64_t height, pqt_error *error)
{
    if (width >= 1 && width <= PQT_PIXEL_LIMIT && height >= 1 && height <= PQT_PIXEL_LIMIT)
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0, "image: %llu x %llu; each side must be 1..%d pixels",
                   (unsigned long long)width, (unsigned long long)height, PQT_PIXEL_LIMIT);
    return false;
}

bool
pqti_images_have_one_size(const pqt_image *a, const pqt_image *b, pqt_error *error)
{
    const pqti_image_frame *in_a = &a->frame, *in_b = &b->frame;
    if (in_a->width == in_b->width && in_a->height == in_b->height)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "size: the images are %d x %d and %d x %d",
                   in_a->width, in_a->height, in_b->width, in_b->height);
    return false;
}

bool
pqti_images_match(const pqt_image *a, const pqt_image *b, pqt_error *error)
{
    if (!pqti_images_have_one_size(a, b, error))
        return false;
    if (a->frame.memory == b->frame.memory)
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "memory: the images are in different memories");
    return false;
}

const pqt_image *
pqti_image_new(const pqti_image_frame *frame, const pqti_patch *root, pqt_error *error)
{
    static pqti_layout layout = PQTI_VERSION_LAYOUT(
        pqti_image_calls, sizeof(pqt_image), PQTI_REFERENCES(offsetof(pqt_image, root.node), 1));
    pqt_image *image = pqti_alloc_node(frame->memory, &layout);
    if (image == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    image->level = pqti_image_root_cell(frame).level;
    image->sign = pqti_sign_of_new(frame->memory, PQT_KIND_IMAGE);
    image->frame = *frame;
    image->root = *root;
    return image;
}

const pqt_image *
pqti_image_next(const pqt_image *old, const pqti_patch *root, pqt_error *error)
{
    return pqti_patch_is_same(&old->root, root) ? old : pqti_image_new(&old->frame, root, error);
}

const pqt_image *
pqt_image_make(size_t width, size_t height, pqt_rgba colour, pqt_memory *memory, pqt_error *error)
{
    if (!pqti_may_compute(error) || !pqti_validate_image_size(width, height, error))
        return NULL;
    const pqti_patch root = pqti_patch_of_colour(pqti_pack_rgba(colour));
    const pqti_image_frame frame = {pqti_memory_or_default(memory, error), (int32_t)width,
                                    (int32_t)height};
    return frame.memory != NULL ? pqti_image_new(&frame, &root, error) : NULL;
}

pqt_memory *
pqt_image_memory(const pqt_image *image)
{
    PQTI_ASSERT_IMAGE(image);
    return image->frame.memory;
}

pqt_pixel_box
pqt_image_bounds(const pqt_image *image)
{
    PQTI_ASSERT_IMAGE(image);
    return (pqt_pixel_box){{0, 0}, {image->frame.width, image->frame.height}};
}

pqt_rgba
pqt_image_pixel(const pqt_image *image, pqt_pixel pixel)
{
    PQTI_ASSERT_IMAGE(image);
    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= image->frame.width ||
        pixel.y >= image->frame.height)
        return (pqt_rgba){0, 0, 0, 0};
    pqti_patch patch = image->root;
    for (int level = image->level; level > PQTI_IMAGE_TILE_LEVEL && patch.node != NULL; level--)
        patch = pqti_patch_child(&patch,
                                 (pixel.x >> (level - 1) & 1) + 2 * (pixel.y >> (level - 1) & 1));
    if (patch.node == NULL)
        return pqti_unpack_rgba(patch.colour);
    const int inside = PQTI_IMAGE_TILE_SIDE - 1;
    const pqti_image_tile *tile = patch.node;
    return pqti_unpack_rgba(
        tile->pixels[PQTI_IMAGE_TILE_SIDE * (pixel.y & inside) + (pixel.x & inside)]);
}

/* The upper half is a chained hash of the size and of what the root consists of. The lower half is
 * a sum, so a collision of one half rarely coincides with a collision of the other. */
pqt_fingerprint
pqt_image_fingerprint(const pqt_image *image)
{
    PQTI_ASSERT_IMAGE(image);
    const uint64_t odd = UINT64_C(0xaf251af3b0f025b5);
    const uint64_t size = (uint32_t)image->frame.width | (uint64_t)image->frame.height << 32;
    uint64_t state = pqti_hash_combine(UINT64_C(0x6a09e667f3bcc909), size, odd);
    if (image->root.node == NULL)
        state = pqti_hash_combine(state, image->root.colour, odd);
    else if (image->level > PQTI_IMAGE_TILE_LEVEL)
        for (int i = 0; i < 4; i++)
            state = pqti_hash_combine(state, pqti_patch_child(&image->root, i).fingerprint, odd);
    else
        for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++)
            state = pqti_hash_combine(state, ((const pqti_image_tile *)image->root.node)->pixels[i],
                                      odd);
    return (pqt_fingerprint){pqti_hash_mix64(image->root.fingerprint ^ pqti_hash_mix64(size)),
                             pqti_hash_mix64(state)};
}

/* Returns true if two patches of a level have equal pixels. Patches of one colour have no node, so
 * a patch of one colour never equals a node. */
static bool
patches_equal(const pqti_patch *a, const pqti_patch *b, int level)
{
    if (pqti_patch_is_same(a, b))
        return true;
    if (a->node == NULL || b->node == NULL || a->fingerprint != b->fingerprint)
        return false;
    if (level == PQTI_IMAGE_TILE_LEVEL)
        return memcmp(a->node, b->node, sizeof(pqti_image_tile)) == 0;
    for (int i = 0; i < 4; i++) {
        const pqti_patch in_a = pqti_patch_child(a, i), in_b = pqti_patch_child(b, i);
        if (!patches_equal(&in_a, &in_b, level - 1))
            return false;
    }
    return true;
}

bool
pqt_image_equals(const pqt_image *a, const pqt_image *b)
{
    PQTI_ASSERT_IMAGE(a);
    PQTI_ASSERT_IMAGE(b);
    return a->frame.width == b->frame.width && a->frame.height == b->frame.height &&
           patches_equal(&a->root, &b->root, a->level);
}
