/* SPDX-License-Identifier: MIT */
/* image_node.c: makes the tiles and inner nodes of images. */
#include "config.h"

#include "image/image_node.h"

#include <string.h>

pqt_pixel_box
pqti_image_cell_box(const pqti_image_frame *frame, pqti_rcell cell)
{
    pqt_pixel_box box = pqti_rcell_box(cell);
    box.max.x = box.max.x < frame->width ? box.max.x : frame->width;
    box.max.y = box.max.y < frame->height ? box.max.y : frame->height;
    return box;
}

pqti_rcell
pqti_image_root_cell(const pqti_image_frame *frame)
{
    int level = PQTI_IMAGE_TILE_LEVEL;
    while (pqti_side(level) < frame->width || pqti_side(level) < frame->height)
        level++;
    return (pqti_rcell){0, 0, level};
}

void
pqti_patch_pixels(const pqti_patch *patch, uint32_t pixels[PQTI_IMAGE_TILE_PIXELS])
{
    if (patch->node != NULL) {
        memcpy(pixels, patch->node, sizeof(pqti_image_tile));
        return;
    }
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++)
        pixels[i] = patch->colour;
}

/* Each term depends on the position, so that exchanging pixels or children changes the sum. */
static uint64_t
hash_term(uint64_t word, int position)
{
    return pqti_hash_mix64(word ^ (uint64_t)(position + 1) * UINT64_C(0xd1342543de82ef95));
}

uint64_t
pqti_image_tile_hash(const uint32_t pixels[PQTI_IMAGE_TILE_PIXELS])
{
    uint64_t hash = 0;
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i += 2)
        hash += hash_term(pixels[i] | (uint64_t)pixels[i + 1] << 32, i);
    return hash;
}

uint64_t
pqti_image_inner_hash(const uint64_t fingerprint[4])
{
    uint64_t hash = 0;
    for (int i = 0; i < 4; i++)
        hash += hash_term(fingerprint[i], i);
    return hash;
}

void
pqti_image_clear_outside(const pqti_image_frame *frame, pqti_rcell cell,
                         uint32_t pixels[PQTI_IMAGE_TILE_PIXELS])
{
    const int width = frame->width - cell.x, height = frame->height - cell.y;
    for (int y = 0; y < PQTI_IMAGE_TILE_SIDE; y++)
        for (int x = y < height ? width : 0; x < PQTI_IMAGE_TILE_SIDE; x++)
            pixels[PQTI_IMAGE_TILE_SIDE * y + x] = 0;
}

bool
pqti_image_tile_is_uniform(const pqti_image_frame *frame, pqti_rcell cell,
                           const uint32_t pixels[PQTI_IMAGE_TILE_PIXELS])
{
    const pqt_pixel_box box = pqti_image_cell_box(frame, cell);
    for (int y = 0; y < box.max.y - cell.y; y++)
        for (int x = 0; x < box.max.x - cell.x; x++)
            if (pixels[PQTI_IMAGE_TILE_SIDE * y + x] != pixels[0])
                return false;
    return true;
}

bool
pqti_image_tile_make(const pqti_image_frame *frame, pqti_rcell cell,
                     uint32_t pixels[PQTI_IMAGE_TILE_PIXELS], const pqti_patch *old,
                     pqti_patch *made)
{
    PQT_INVARIANT(!pqti_image_is_outside(frame, cell), "a tile is outside the image");
    if (pqti_image_tile_is_uniform(frame, cell, pixels)) {
        *made = pqti_patch_of_colour(pixels[0]);
        return true;
    }
    if (cell.x > frame->width - PQTI_IMAGE_TILE_SIDE ||
        cell.y > frame->height - PQTI_IMAGE_TILE_SIDE)
        pqti_image_clear_outside(frame, cell, pixels);
    if (old != NULL && old->node != NULL &&
        memcmp(old->node, pixels, sizeof(pqti_image_tile)) == 0) {
        *made = *old;
        return true;
    }
    pqti_image_tile *tile = pqti_alloc_leaf(frame->memory, sizeof *tile);
    if (tile == NULL)
        return false;
    memcpy(tile->pixels, pixels, sizeof tile->pixels);
    *made = (pqti_patch){tile, pqti_image_tile_hash(tile->pixels), 0};
    return true;
}

/* Sets the children that are outside to 0. Returns true if the others have the colour of the first
 * one. */
static bool
settle_children(const pqti_image_frame *frame, pqti_rcell cell, pqti_patch child[4])
{
    bool uniform = child[0].node == NULL;
    for (int i = 1; i < 4; i++) {
        if (pqti_image_is_outside(frame, pqti_rcell_child(cell, i)))
            child[i] = pqti_patch_of_colour(0);
        else
            uniform = uniform && pqti_patch_is_same(&child[i], &child[0]);
    }
    return uniform;
}

bool
pqti_image_inner_is_uniform(const pqti_image_frame *frame, pqti_rcell cell,
                            const pqti_patch child[4])
{
    pqti_patch settled[4] = {child[0], child[1], child[2], child[3]};
    return settle_children(frame, cell, settled);
}

/* Returns true if a patch is an inner node with these children. */
static bool
has_these_children(const pqti_patch *patch, const pqti_patch child[4])
{
    if (patch == NULL || patch->node == NULL)
        return false;
    for (int i = 0; i < 4; i++) {
        const pqti_patch old = pqti_patch_child(patch, i);
        if (!pqti_patch_is_same(&old, &child[i]))
            return false;
    }
    return true;
}

bool
pqti_image_inner_make(const pqti_image_frame *frame, pqti_rcell cell, pqti_patch child[4],
                      const pqti_patch *old, pqti_patch *made)
{
    static pqti_layout layout = {
        .size = PQTI_ROUNDED(sizeof(pqti_image_inner)),
        .references = PQTI_REFERENCES(offsetof(pqti_image_inner, child), 4),
    };
    PQT_INVARIANT(cell.level > PQTI_IMAGE_TILE_LEVEL && cell.level <= PQTI_IMAGE_TOP_LEVEL,
                  "an inner node has a wrong level");
    const bool uniform = settle_children(frame, cell, child);
    if (uniform || has_these_children(old, child)) {
        *made = uniform ? child[0] : *old;
        return true;
    }
    pqti_image_inner *inner = pqti_alloc_node(frame->memory, &layout);
    if (inner == NULL)
        return false;
    for (int i = 0; i < 4; i++) {
        inner->child[i] = child[i].node;
        inner->fingerprint[i] = child[i].fingerprint;
        inner->colour[i] = child[i].colour;
    }
    *made = (pqti_patch){inner, pqti_image_inner_hash(inner->fingerprint), 0};
    return true;
}
