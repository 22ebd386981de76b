/* SPDX-License-Identifier: MIT */
/*
 * image_node.h: the nodes of an image.
 *
 *     pqt_image --> inner node --> inner node --> ... --> tile of 16 x 16 pixels
 *
 * A *patch* is the content of a square: one colour, or a node. A patch of one colour is no block,
 * whatever its size: its node is NULL, and the reference to it holds the colour. A node of level 4
 * is a tile, a node of a higher level an inner node with four patches. The root is the square from
 * 0, 0 whose level is the smallest one, at least 4, that holds the width and the height:
 *
 *     0,0 +-------------+-------------+
 *         |             |      :      |      p  pixels of the image
 *         |    p        |   p  :  o   |      o  pixels outside, which are not part of it
 *         |             |      :      |
 *         +-------------+------:------+
 *         |    p        |   p  :  o   |
 *         |.............|......:......|
 *         |    o        |   o  :  o   |
 *         +-------------+-------------+ 2^level
 *
 * Only pixels inside count: a patch whose pixels inside have one colour has that colour. In other
 * tiles the pixels outside are 0, and so is the colour of a patch that is wholly outside. So the
 * pixels of an image determine every node.
 *
 * A *fingerprint* of a patch is determined by its pixels. A reference holds it, not the node: so a
 * path is copied without reading the siblings, and a tile has exactly 1024 bytes, of which four fit
 * into a page of the collector.
 *
 * Nodes and images are written only before they are returned: inner nodes in pqti_image_inner_make,
 * tiles in pqti_image_tile_make, images in pqti_image_new. The only exception is the sign of an
 * image (memory_internal.h).
 */
#ifndef PQTI_IMAGE_NODE_H
#define PQTI_IMAGE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/image.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "memory/memory_internal.h"
#include "region/region_node.h"

enum {
    PQTI_IMAGE_TILE_LEVEL = 4,
    PQTI_IMAGE_TILE_SIDE = 16,
    PQTI_IMAGE_TILE_PIXELS = PQTI_IMAGE_TILE_SIDE * PQTI_IMAGE_TILE_SIDE,
    PQTI_IMAGE_TOP_LEVEL = 20 /* 2^20 is PQT_PIXEL_LIMIT */
};

/* The colours of the pixels, row by row: red is the lowest byte, alpha the highest. */
typedef struct pqti_image_tile {
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS];
} pqti_image_tile;

typedef struct pqti_image_inner {
    const void *child[4]; /* NULL: the child has one colour */
    uint64_t fingerprint[4];
    uint32_t colour[4]; /* 0 for a child that is a node; in the last word, which must not hold a
                           pointer */
} pqti_image_inner;

typedef struct pqti_patch {
    const void *node; /* NULL: one colour */
    uint64_t fingerprint;
    uint32_t colour; /* 0 if there is a node */
} pqti_patch;

/* The memory of the nodes of an image, and its size. */
typedef struct pqti_image_frame {
    pqt_memory *memory;
    int32_t width, height;
} pqti_image_frame;

struct pqt_image {
    int32_t level;
    uint32_t sign; /* see pqti_version */
    pqti_image_frame frame;
    pqti_patch root; /* its colour is in the last word, which must not hold a pointer */
};

_Static_assert(sizeof(pqti_image_tile) % PQTI_GRANULE == 0,
               "the size of a tile is not a multiple of the granule");
_Static_assert(offsetof(pqt_image, root.colour) >= sizeof(pqt_image) - sizeof(uint64_t),
               "the collector does not scan the last word of a node: no pointer may be there");

extern const struct pqti_kind_calls pqti_image_calls; /* see kind_calls.h */

/* Stops the program if the image was reclaimed. `function` is the public function that was called
   with it. */
static inline void
pqti_assert_image_alive(const char *function, const pqt_image *image)
{
    pqti_assert_version(function, PQT_KIND_IMAGE, image);
}

/* Checks the image with which a public function was called. */
#define PQTI_ASSERT_IMAGE(image)                                                                   \
    (PQT_ASSERT((image) != NULL, "the image is NULL"), pqti_assert_image_alive(__func__, image))

static inline uint32_t
pqti_pack_rgba(pqt_rgba colour)
{
    return colour.r | (uint32_t)colour.g << 8 | (uint32_t)colour.b << 16 | (uint32_t)colour.a << 24;
}

static inline pqt_rgba
pqti_unpack_rgba(uint32_t colour)
{
    return (pqt_rgba){(uint8_t)colour, (uint8_t)(colour >> 8), (uint8_t)(colour >> 16),
                      (uint8_t)(colour >> 24)};
}

/* Returns the patch of one colour. */
static inline pqti_patch
pqti_patch_of_colour(uint32_t colour)
{
    return (pqti_patch){NULL, pqti_hash_mix64(colour + UINT64_C(0x9e3779b97f4a7c15)), colour};
}

/* Returns true if two patches are the same node or the same colour. Other patches may be equal,
   too. */
static inline bool
pqti_patch_is_same(const pqti_patch *a, const pqti_patch *b)
{
    return a->node == b->node && a->colour == b->colour;
}

/* Returns a child of a patch above tile level. A patch of one colour consists of such patches. */
static inline pqti_patch
pqti_patch_child(const pqti_patch *patch, int child)
{
    const pqti_image_inner *inner = patch->node;
    if (inner == NULL)
        return *patch;
    return (pqti_patch){inner->child[child], inner->fingerprint[child], inner->colour[child]};
}

/* Returns true if a cell is wholly outside. */
static inline bool
pqti_image_is_outside(const pqti_image_frame *frame, pqti_rcell cell)
{
    return cell.x >= frame->width || cell.y >= frame->height;
}

/* Returns the box of the pixels of a cell that are inside. */
pqt_pixel_box pqti_image_cell_box(const pqti_image_frame *frame, pqti_rcell cell);

/* Returns the cell of the root of an image. */
pqti_rcell pqti_image_root_cell(const pqti_image_frame *frame);

/* Copies the pixels of a patch of tile level, which may be of one colour. */
void pqti_patch_pixels(const pqti_patch *patch, uint32_t pixels[PQTI_IMAGE_TILE_PIXELS]);

/*
 * These functions make the patch of a cell that is not wholly outside, from its pixels or from its
 * four children: a colour, or `old` if it has the same content, or a new node. They set pixels and
 * children outside to 0 first. `old` may be NULL. Return false when out of memory.
 */
bool pqti_image_tile_make(const pqti_image_frame *frame, pqti_rcell cell,
                          uint32_t pixels[PQTI_IMAGE_TILE_PIXELS], const pqti_patch *old,
                          pqti_patch *made);
bool pqti_image_inner_make(const pqti_image_frame *frame, pqti_rcell cell, pqti_patch child[4],
                           const pqti_patch *old, pqti_patch *made);

/* Return true if all pixels that are inside have the colour of the first one: the cell is a patch
   of one colour. */
bool pqti_image_tile_is_uniform(const pqti_image_frame *frame, pqti_rcell cell,
                                const uint32_t pixels[PQTI_IMAGE_TILE_PIXELS]);
bool pqti_image_inner_is_uniform(const pqti_image_frame *frame, pqti_rcell cell,
                                 const pqti_patch child[4]);

/* Sets the pixels of a tile that are outside to 0. */
void pqti_image_clear_outside(const pqti_image_frame *frame, pqti_rcell cell,
                              uint32_t pixels[PQTI_IMAGE_TILE_PIXELS]);

/* Return the fingerprint of a tile with these pixels, and of an inner node with children of these
   fingerprints. */
uint64_t pqti_image_tile_hash(const uint32_t pixels[PQTI_IMAGE_TILE_PIXELS]);
uint64_t pqti_image_inner_hash(const uint64_t fingerprint[4]);

#endif
