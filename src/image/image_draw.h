/* SPDX-License-Identifier: MIT */
/*
 * image_draw.h: draws something into an image: the descent that all functions which change pixels
 * share.
 *
 * A *drawing* says for a cell whether it covers no pixel, all pixels with one colour, or neither;
 * and for a tile, which pixels it draws with which colours.
 */
#ifndef PQTI_IMAGE_DRAW_H
#define PQTI_IMAGE_DRAW_H

#include "image/image_internal.h"
#include "region/raster.h"

/* The pixels that a drawing draws in a tile, x of row y if bit x of mask[y] is set, and their
 * colours. */
typedef struct pqti_tile_ink {
    uint16_t mask[PQTI_IMAGE_TILE_SIDE];
    uint32_t colours[PQTI_IMAGE_TILE_PIXELS];
} pqti_tile_ink;

typedef struct pqti_drawing pqti_drawing;

struct pqti_drawing {
    pqt_ink_mode mode;
    /* Returns the coverage of a cell. If it is whole, sets `*colour`. */
    pqti_raster_coverage (*covers)(const pqti_drawing *drawing, pqti_rcell cell, uint32_t *colour);
    /* Sets what is drawn in a tile. `ink` is not initialised. */
    void (*draw_tile)(const pqti_drawing *drawing, pqti_rcell cell, pqti_tile_ink *ink);
};

/* Returns the version with a drawing, or NULL with an error set when out of memory. */
const pqt_image *pqti_image_draw(const pqt_image *image, const pqti_drawing *drawing,
                                 pqt_error *error);

/* Returns true if nothing within PQT_PIXEL_LIMIT of 0, moved by this offset, touches an image. Sums
 * and differences of other offsets and pixels do not overflow. */
static inline bool
pqti_is_far_offset(pqt_pixel at)
{
    const int32_t far = 4 * PQT_PIXEL_LIMIT;
    return at.x < -far || at.x > far || at.y < -far || at.y > far;
}

/* Returns false and sets an error if `mode` is not a pqt_ink_mode. */
bool pqti_validate_ink_mode(pqt_ink_mode mode, pqt_error *error);

#endif
