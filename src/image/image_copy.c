/* SPDX-License-Identifier: MIT */
/* image_copy.c: copies versions of images to another memory (version_copier.h). */
#include "config.h"

#include <string.h>

#include "image/image_internal.h"
#include "memory/version_copier.h"

static const void *copy_image_node(pqti_copier *copier, const pqti_image_frame *frame,
                                   const pqti_patch *patch, pqti_rcell cell);

static const void *
copy_image_tile(const pqti_image_frame *frame, const pqti_patch *patch)
{
    pqti_image_tile *copy = pqti_alloc_leaf(frame->memory, sizeof *copy);
    if (copy != NULL)
        memcpy(copy, patch->node, sizeof *copy);
    return copy;
}

static const void *
copy_image_inner(pqti_copier *copier, const pqti_image_frame *frame, const pqti_patch *patch,
                 pqti_rcell cell)
{
    pqti_patch child[4], copy;
    for (int i = 0; i < 4; i++) {
        child[i] = pqti_patch_child(patch, i);
        if (child[i].node == NULL)
            continue;
        child[i].node = copy_image_node(copier, frame, &child[i], pqti_rcell_child(cell, i));
        if (child[i].node == NULL)
            return NULL;
    }
    return pqti_image_inner_make(frame, cell, child, NULL, &copy) ? copy.node : NULL;
}

/* Returns the copy of a node, or NULL when out of memory. */
static const void *
copy_image_node(pqti_copier *copier, const pqti_image_frame *frame, const pqti_patch *patch,
                pqti_rcell cell)
{
    const void *copy = pqti_hashtable_of_block(&copier->copies, patch->node);
    if (copy != NULL)
        return copy;
    copy = cell.level == PQTI_IMAGE_TILE_LEVEL ? copy_image_tile(frame, patch)
                                               : copy_image_inner(copier, frame, patch, cell);
    return copy != NULL && pqti_hashtable_add_block(&copier->copies, patch->node, copy) ? copy
                                                                                        : NULL;
}

/* Returns the copy of an image, or the image if it is in the memory of the copies. */
static const void *
copy_image(pqti_copier *copier, const void *version, pqt_error *error)
{
    const pqt_image *image = version;
    PQT_ASSERT_IN("pqt_image_copy_all", image != NULL, "an image of the array is NULL");
    pqti_assert_image_alive("pqt_image_copy_all", image);
    const pqt_image *copy = pqti_hashtable_of_block(&copier->copies, image);
    if (copy != NULL || image->frame.memory == copier->memory)
        return copy != NULL ? copy : image;
    const pqti_image_frame frame = {copier->memory, image->frame.width, image->frame.height};
    pqti_patch root = image->root;
    if (root.node != NULL)
        root.node = copy_image_node(copier, &frame, &root, pqti_image_root_cell(&frame));
    if (root.node != NULL || image->root.node == NULL) {
        copy = pqti_image_new(&frame, &root, error);
        if (copy == NULL || pqti_hashtable_add_block(&copier->copies, image, copy))
            return copy;
    }
    pqti_out_of_memory(error);
    return NULL;
}

bool
pqt_image_copy_all(const pqt_image *const *images, size_t count, pqt_memory *memory,
                   const pqt_image **copies, pqt_error *error)
{
    PQT_ASSERT((images != NULL && copies != NULL) || count == 0, "an array is NULL");
    return pqti_copy_versions(images, count, memory, copies, copy_image, error);
}

const pqt_image *
pqt_image_copy(const pqt_image *image, pqt_memory *memory, pqt_error *error)
{
    const pqt_image *copy = NULL;
    if (!pqti_image_check_input(image, error))
        return NULL;
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL || memory == image->frame.memory)
        return memory != NULL ? image : NULL;
    return pqt_image_copy_all(&image, 1, memory, &copy, error) ? copy : NULL;
}
