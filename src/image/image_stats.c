/* SPDX-License-Identifier: MIT */
/* image_stats.c: counts the nodes and bytes of a version, and the bytes that versions share. */
#include "config.h"

#include "image/image_internal.h"

static size_t
patch_bytes(const pqt_memory *memory, const pqti_patch *patch, int level)
{
    const size_t asked = level == PQTI_IMAGE_TILE_LEVEL ? sizeof(pqti_image_tile)
                                                        : PQTI_ROUNDED(sizeof(pqti_image_inner));
    return pqti_block_size(memory, patch->node, asked);
}

static void
count_patch(pqt_image_stats *stats, const pqt_memory *memory, const pqti_patch *patch, int level)
{
    if (patch->node == NULL)
        return;
    stats->bytes += patch_bytes(memory, patch, level);
    stats->tiles += level == PQTI_IMAGE_TILE_LEVEL;
    stats->nodes += level > PQTI_IMAGE_TILE_LEVEL;
    for (int i = 0; i < 4 && level > PQTI_IMAGE_TILE_LEVEL; i++) {
        const pqti_patch child = pqti_patch_child(patch, i);
        count_patch(stats, memory, &child, level - 1);
    }
}

pqt_image_stats
pqt_image_get_stats(const pqt_image *image)
{
    PQTI_ASSERT_IMAGE(image);
    pqt_image_stats stats = {
        .bytes = pqti_block_size(image->frame.memory, image, PQTI_ROUNDED(sizeof *image)),
        .level = image->level};
    count_patch(&stats, image->frame.memory, &image->root, image->level);
    return stats;
}

/* The patches of the other versions on the path, which are nodes. Each level has a slice of `width`
 * patches. */
typedef struct image_exclusive {
    const pqt_memory *memory;
    pqti_patch *below;
    size_t width;
} image_exclusive;

enum { LEVELS = PQTI_IMAGE_TOP_LEVEL - PQTI_IMAGE_TILE_LEVEL + 1 };

static bool
is_one_of_patches(const pqti_patch *patch, const pqti_patch *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i].node == patch->node)
            return true;
    return false;
}

static size_t
exclusive_in_patch(const image_exclusive *exclusive, const pqti_patch *patch,
                   const pqti_patch *others, size_t count, int level)
{
    if (patch->node == NULL || is_one_of_patches(patch, others, count))
        return 0;
    size_t bytes = patch_bytes(exclusive->memory, patch, level);
    if (level == PQTI_IMAGE_TILE_LEVEL)
        return bytes;
    pqti_patch *below =
        exclusive->below + (size_t)(level - 1 - PQTI_IMAGE_TILE_LEVEL) * exclusive->width;
    for (int i = 0; i < 4; i++) {
        const pqti_patch child = pqti_patch_child(patch, i);
        size_t found = 0;
        for (size_t k = 0; k < count; k++) {
            below[found] = pqti_patch_child(&others[k], i);
            found += below[found].node != NULL;
        }
        bytes += exclusive_in_patch(exclusive, &child, below, found, level - 1);
    }
    return bytes;
}

/* Counts the bytes of a version that the others do not share. Only others of its size have nodes at
 * its positions. */
static size_t
exclusive_in_image(const image_exclusive *exclusive, const pqt_image *image,
                   const pqt_image *const *others, size_t count)
{
    pqti_patch *top =
        exclusive->below + (size_t)(image->level - PQTI_IMAGE_TILE_LEVEL) * exclusive->width;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (others[i] == image)
            return 0;
        top[found] = others[i]->root;
        found += others[i]->level == image->level && top[found].node != NULL;
    }
    return pqti_block_size(exclusive->memory, image, PQTI_ROUNDED(sizeof *image)) +
           exclusive_in_patch(exclusive, &image->root, top, found, image->level);
}

/* Does so for several other versions, whose slices do not fit on the stack. Returns false when out
 * of memory. */
static bool
exclusive_of_many(const pqt_image *image, const pqt_image *const *others, size_t count,
                  size_t *bytes)
{
    if (count >= SIZE_MAX / LEVELS)
        return false;
    image_exclusive exclusive = {image->frame.memory, NULL, count + 1};
    exclusive.below = pqti_alloc_scratch(LEVELS * exclusive.width, sizeof *exclusive.below);
    if (exclusive.below == NULL)
        return false;
    *bytes = exclusive_in_image(&exclusive, image, others, count);
    pqti_free_scratch(exclusive.below);
    return true;
}

bool
pqt_image_exclusive_bytes(const pqt_image *image, const pqt_image *const *others, size_t count,
                          size_t *bytes, pqt_error *error)
{
    pqti_patch few[2 * LEVELS];
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_image_check_input(image, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "an image of the array is NULL");
        pqti_assert_image_alive(__func__, others[i]);
    }
    if (count <= 1) {
        const image_exclusive exclusive = {image->frame.memory, few, 2};
        *bytes = exclusive_in_image(&exclusive, image, others, count);
    } else if (!exclusive_of_many(image, others, count, bytes)) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_keep_alive(image);
    return true;
}
