/* SPDX-License-Identifier: MIT */
/**
 * @file image.h - images: persistent pictures of 8-bit RGBA, for painting with undo.
 *
 * A `const pqt_image *` is a version: an immutable picture whose width and height never change. A
 * function that changes pixels returns another version, which shares all equal parts with the given
 * one; the given one stays unchanged. If nothing changes, it returns the given pointer.
 *
 * Pixels are named as in region.h: 0, 0 is the upper left one, and y points down. Drawing beyond
 * the edges of an image has no effect.
 *
 * A colour is four bytes, red, green, blue and alpha, with alpha 255 opaque, and not multiplied by
 * alpha. All 2^32 colours are different, also those with alpha 0: an image keeps the bytes that it
 * was given.
 *
 * An image is a quadtree. Squares of one colour take no memory, whatever their size; other squares
 * of 16 x 16 pixels are tiles of 1024 bytes. The pixels determine every node, so equal images have
 * equal shapes and equal fingerprints.
 *
 * error.h has the rules for errors and for NULL versions.
 *
 *     pqt_error error = {0};
 *     pqt_rgba white = {255, 255, 255, 255}, glaze = {200, 0, 0, 128};
 *     const pqt_image *canvas = pqt_image_make(640, 480, white, NULL, &error);
 *     pqt_paint stroke = pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){9, 9}, (pqt_vec){90, 40}, 8);
 *     canvas = pqt_image_paint(canvas, stroke, glaze, PQT_INK_OVER, &error);
 *     if (canvas == NULL)
 *         return complain(&error);
 */
#ifndef PQT_IMAGE_H
#define PQT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/kind.h>
#include <pqt/memory.h>
#include <pqt/region.h>
#include <pqt/region_affine.h>

PQT_BEGIN_DECLARATIONS

/** A picture; see above. */
typedef struct pqt_image pqt_image;

/** A colour, in the order of its bytes in arrays of pixels. */
typedef struct pqt_rgba {
    uint8_t r; /**< red, 0..255 */
    uint8_t g; /**< green, 0..255 */
    uint8_t b; /**< blue, 0..255 */
    uint8_t a; /**< alpha: 0 is transparent, 255 opaque */
} pqt_rgba;

/** The effect of a colour on the pixels where it is drawn. */
typedef enum pqt_ink_mode {
    PQT_INK_REPLACE = 1, /**< they get this colour, also its alpha */
    PQT_INK_OVER = 2     /**< it is drawn over them: see pqt_rgba_over */
} pqt_ink_mode;

/** The property of a pixel that decides whether a selection has it. */
typedef enum pqt_image_property {
    PQT_SELECT_ALPHA = 1, /**< its alpha is above the threshold */
    /** (77 red + 150 green + 29 blue) / 256, not rounded, is above the threshold; alpha is
        ignored */
    PQT_SELECT_LIGHT = 2,
    PQT_SELECT_COLOUR = 3 /**< no channel differs from `colour` by more than the tolerance */
} pqt_image_property;

/** The pixels that a selection has; see pqt_image_select. */
typedef struct pqt_image_selection {
    pqt_image_property property; /**< there is no default */
    uint8_t threshold;           /**< for PQT_SELECT_ALPHA and PQT_SELECT_LIGHT */
    uint8_t tolerance;           /**< for PQT_SELECT_COLOUR; 0: this colour only */
    pqt_rgba colour;             /**< for PQT_SELECT_COLOUR */
} pqt_image_selection;

/** Statistics of a version; see pqt_image_get_stats. */
typedef struct pqt_image_stats {
    size_t nodes; /**< inner nodes, without the version itself */
    size_t tiles; /**< tiles: squares of 16 x 16 pixels that have several colours */
    size_t bytes; /**< bytes of the nodes, the tiles and the version itself */
    int level;    /**< the root covers [0, 2^level) on both axes, 4..20 */
} pqt_image_stats;

/** @name Construction */
/** @{ */

/**
 * Makes an image of one colour.
 *
 * @param width   pixels, 1..PQT_PIXEL_LIMIT
 * @param height  pixels, 1..PQT_PIXEL_LIMIT
 * @param colour  the colour of all pixels
 * @param memory  the memory for it and for all versions made from it; NULL: the default memory
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_LIMIT   a side is 0, or above PQT_PIXEL_LIMIT
 * @error PQT_ERROR_THREAD  the first call came from a thread that is not the main thread
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(1)
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_make(size_t width, size_t height, pqt_rgba colour,
                                                      pqt_memory *memory, pqt_error *error);

/**
 * Makes an image from an array of pixels, with four bytes each: red, green, blue, alpha.
 *
 * @param data    the upper left pixel, not NULL; it is read and not kept
 * @param width   pixels, 1..PQT_PIXEL_LIMIT
 * @param height  pixels, 1..PQT_PIXEL_LIMIT
 * @param stride  bytes from a row to the one below, at least 4 * width
 * @param memory  NULL: the default memory
 * @return        the version; NULL on failure
 *
 * @error PQT_ERROR_OPTION  stride is less than a row, or the bytes exceed the address space
 * @error and those of pqt_image_make
 * @cost  O(width * height) time; no scratch memory
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_of_rgba(const uint8_t *data, size_t width,
                                                         size_t height, size_t stride,
                                                         pqt_memory *memory, pqt_error *error);

/**
 * Copies a version into another memory.
 *
 * To copy several versions and keep their shared parts shared, use pqt_image_copy_all.
 *
 * @param image   any version
 * @param memory  NULL: the default memory
 * @return        an equal version; `image` itself if it is in that memory; NULL on failure
 *
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_image_make
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_copy(const pqt_image *image, pqt_memory *memory,
                                                      pqt_error *error);

/**
 * Copies versions into another memory. Shared parts are copied once and shared there.
 *
 * @param images  `count` versions, each not NULL
 * @param count   the number of versions
 * @param memory  NULL: the default memory
 * @param copies  an array of `count` pointers; written on success only
 * @return        false on failure
 * @error as pqt_image_copy
 * @cost  O(distinct nodes); scratch memory for each
 */
PQT_API PQT_NODISCARD bool pqt_image_copy_all(const pqt_image *const *images, size_t count,
                                              pqt_memory *memory, const pqt_image **copies,
                                              pqt_error *error);
/** @} */

/** @name Reading */
/** @{ */

/**
 * Returns the memory of a version.
 *
 * @param image  any version
 * @return       the memory; never NULL
 */
PQT_API pqt_memory *pqt_image_memory(const pqt_image *image);

/**
 * Returns the box of all pixels, from 0, 0 to the width and the height.
 *
 * @param image  any version
 * @return       the box
 * @cost  O(1)
 */
PQT_API pqt_pixel_box pqt_image_bounds(const pqt_image *image);

/**
 * Returns the colour of a pixel.
 *
 * @param image  any version
 * @param pixel  any pixel
 * @return       its colour; 0, 0, 0, 0 outside the image
 * @cost  O(level)
 */
PQT_API pqt_rgba pqt_image_pixel(const pqt_image *image, pqt_pixel pixel);

/**
 * Writes the pixels of a box to an array, with four bytes each: red, green, blue, alpha.
 *
 * @param image   any version
 * @param box     the pixels; those outside the image are written as 0, 0, 0, 0
 * @param bytes   the rows of the box, `stride` apart; bytes beyond its width are not written; NULL
 *                if the box is empty
 * @param stride  bytes from a row to the one below, at least four times the width of the box
 * @return        false on failure, with nothing written
 *
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_LIMIT   a box that is not empty exceeds PQT_PIXEL_LIMIT
 * @error PQT_ERROR_OPTION  stride is less than a row, or the bytes exceed the address space
 * @cost  O(pixels of the box); no scratch memory
 */
PQT_API bool pqt_image_to_rgba(const pqt_image *image, pqt_pixel_box box, uint8_t *bytes,
                               size_t stride, pqt_error *error);

/**
 * Makes the region of the pixels with a property, in the memory of the image.
 *
 * @param image      any version
 * @param selection  the property
 * @return           the region; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the property is not a pqt_image_property
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  O(nodes + pixels of tiles)
 */
PQT_API PQT_NODISCARD const pqt_region *
pqt_image_select(const pqt_image *image, pqt_image_selection selection, pqt_error *error);

/**
 * Returns whether two versions have the same size and the same pixels. The memories may differ.
 *
 * @param a  any version
 * @param b  any version
 * @return   true if they are equal
 * @cost  O(1) if they are one pointer or differ; otherwise O(nodes that they do not share)
 */
PQT_API bool pqt_image_equals(const pqt_image *a, const pqt_image *b);

/**
 * Returns the fingerprint of the size and the pixels: equal for equal images, on every machine.
 *
 * It guards against accidents, not against an adversary. Each node keeps 64 bits only, so two
 * different images of one size have equal fingerprints with a probability of about 2^-64.
 *
 * @param image  any version
 * @return       128 bits
 * @cost  O(1)
 */
PQT_API pqt_fingerprint pqt_image_fingerprint(const pqt_image *image);

/**
 * Checks every invariant of a version.
 *
 * @param image  any version, not NULL
 * @param error  set to the first broken invariant and its place; may be NULL
 * @return       true if all hold
 * @error PQT_ERROR_CORRUPT  memory was overwritten, or the library has a bug
 * @cost  O(nodes)
 */
PQT_API bool pqt_image_check(const pqt_image *image, pqt_error *error);

/**
 * Returns the statistics of a version.
 *
 * @param image  any version
 * @return       the statistics
 * @cost  O(nodes)
 */
PQT_API pqt_image_stats pqt_image_get_stats(const pqt_image *image);

/**
 * Counts the bytes of an image that no other given version shares. See pqt_tree_exclusive_bytes;
 * pqt_version_shared_bytes counts those that two versions share.
 *
 * @param image   any version
 * @param others  `count` versions, each not NULL; NULL if count is 0
 * @param count   the number of other versions
 * @param bytes   written on success
 * @return        false on failure
 * @error as pqt_tree_exclusive_bytes
 */
PQT_API bool pqt_image_exclusive_bytes(const pqt_image *image, const pqt_image *const *others,
                                       size_t count, size_t *bytes, pqt_error *error);
/** @} */

/** @name Edits: each returns a version */
/** @{ */

/**
 * Returns a colour drawn over another one, in whole numbers.
 *
 * With c and a for a channel and the alpha of `ink`, and C and A for those of `under`, let s be
 * 255 * a and t be A * (255 - a). The alpha is (s + t) / 255, and red, green and blue are (s * c +
 * t * C) / (s + t), each rounded once to the nearest whole number, and up from the middle. So `ink`
 * with alpha 0 leaves `under` as it is, whatever its bytes, and with alpha 255 replaces it.
 *
 * @param ink    the colour on top
 * @param under  the colour below
 * @return       the colour that results
 * @source  source-over: Porter, Duff 1984
 */
PQT_API pqt_rgba pqt_rgba_over(pqt_rgba ink, pqt_rgba under);

/**
 * Changes the colour of one pixel.
 *
 * @param image   any version
 * @param pixel   any pixel; nothing changes if it is outside
 * @param colour  its colour
 * @return        the new version; `image` itself if nothing changed; NULL on failure
 *
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  O(level) time and new nodes, and one tile
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_set_pixel(const pqt_image *image, pqt_pixel pixel,
                                                           pqt_rgba colour, pqt_error *error);

/**
 * Draws a shape: a pixel, a box, a disc or a stroke, with the pixels that it has in a region.
 *
 * For a line of several strokes that is drawn over the image, paint the strokes into a region and
 * fill that: where they overlap, the colour is drawn once.
 *
 * @param image   any version
 * @param paint   the shape, with the operation PQT_PAINT_SET
 * @param colour  its colour
 * @param mode    how it is drawn
 * @return        the new version; `image` itself if nothing changed; NULL on failure
 *
 * @error PQT_ERROR_OPTION  mode is invalid, the operation is not PQT_PAINT_SET, or as
 *                          pqt_region_paint
 * @error PQT_ERROR_BOX, PQT_ERROR_LIMIT  as pqt_region_paint
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  O(tiles at its edge * level); with PQT_INK_OVER, and a colour that is not opaque, O(tiles
 *        that it touches * level)
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_paint(const pqt_image *image, pqt_paint paint,
                                                       pqt_rgba colour, pqt_ink_mode mode,
                                                       pqt_error *error);

/**
 * Draws one colour on the pixels of a region.
 *
 * @param image   any version
 * @param region  any version; its memory may be another one
 * @param at      the position of the region's pixel 0, 0
 * @param colour  the colour
 * @param mode    how it is drawn
 * @return        the new version; `image` itself if nothing changed; NULL on failure
 *
 * @error PQT_ERROR_OPTION  mode is invalid
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  as pqt_image_paint
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_fill(const pqt_image *image,
                                                      const pqt_region *region, pqt_pixel at,
                                                      pqt_rgba colour, pqt_ink_mode mode,
                                                      pqt_error *error);

/**
 * Draws a box of one image into another, such as a sprite.
 *
 * @param image   any version
 * @param source  the image that is drawn; it may be `image`, and its memory another one
 * @param box     the pixels of the source; those outside it are left out
 * @param at      the position in `image` of the upper left pixel of the box
 * @param mode    how it is drawn
 * @return        the new version; `image` itself if nothing changed; NULL on failure
 *
 * @error PQT_ERROR_OPTION  mode is invalid
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_LIMIT   a box that is not empty exceeds PQT_PIXEL_LIMIT
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  O(tiles that it touches * level); squares of the source with one colour cost as in
 *        pqt_image_paint
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_blit(const pqt_image *image,
                                                      const pqt_image *source, pqt_pixel_box box,
                                                      pqt_pixel at, pqt_ink_mode mode,
                                                      pqt_error *error);

/**
 * Draws a colour on the area of a pixel: all pixels that can be reached from it over edges, and
 * whose channels each differ from those of the pixel by at most the tolerance.
 *
 * For another area, such as one that also crosses corners, call pqt_image_select,
 * pqt_region_component and pqt_image_fill.
 *
 * @param image      any version
 * @param pixel      any pixel; nothing changes if it is outside
 * @param tolerance  the largest difference in a channel; 0: equal colours only
 * @param colour     the colour
 * @param mode       how it is drawn
 * @return           the new version; `image` itself if nothing changed; NULL on failure
 *
 * @error PQT_ERROR_OPTION  mode is invalid
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  O(nodes and tiles of the image) time, to find the area; new nodes as in pqt_image_paint,
 *        and a region, which an arena keeps
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_flood(const pqt_image *image, pqt_pixel pixel,
                                                       uint8_t tolerance, pqt_rgba colour,
                                                       pqt_ink_mode mode, pqt_error *error);

/**
 * Maps an image. Each pixel of the result is mapped back to the image, so there are no gaps,
 * however much the map enlarges.
 *
 *     pqt_affine turn = pqt_affine_rotation(heading, (pqt_vec){16, 16});
 *     const pqt_image *turned = pqt_image_map(ship, turn, 32, 32, PQT_SAMPLE_AREA, &error);
 *
 * With PQT_SAMPLE_NEAREST, a pixel has the colour of the one that its centre comes from. With
 * PQT_SAMPLE_AREA, it is the mean of the pixels that cover it, weighted by their areas, and colours
 * also by alpha. With w for an area, a and c for an alpha and a channel, and W for the area from
 * which the pixel comes, alpha is the sum of w a / W, and a channel the sum of w a c / the sum of w
 * a. Each is rounded once to the nearest whole number, and up from the middle. If alpha is 0 then,
 * the pixel is 0, 0, 0, 0. Pixels outside the image count as 0, 0, 0, 0.
 *
 * Positions and areas are doubles, as in pqt_region_map, and the result is the same on every
 * machine.
 *
 * @param image     any version
 * @param map       the map, see region_affine.h
 * @param width     of the result, 1..PQT_PIXEL_LIMIT pixels; what is mapped elsewhere is left out
 * @param height    see width
 * @param sampling  how a colour is chosen
 * @return          the new version; `image` itself if it has the same pixels; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the map has no inverse, or a number that is not finite; or `sampling` is
 *                          not a pqt_sampling
 * @error PQT_ERROR_LIMIT   a side is not in the range, or numbers of the map as in pqt_region_map
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  O(level) for each pixel of the result, and for PQT_SAMPLE_AREA O(pixels that cover it);
 *        squares that come from one colour are decided as a whole
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_map(const pqt_image *image, pqt_affine map,
                                                     size_t width, size_t height,
                                                     pqt_sampling sampling, pqt_error *error);

/**
 * Scales a box of an image to a size.
 *
 * Colours are chosen as in pqt_image_map, but all areas are whole numbers, so everything is exact.
 *
 *     const pqt_image *icon = pqt_image_resize(photo, pqt_image_bounds(photo), 64, 64,
 *                                              PQT_SAMPLE_AREA, &error);
 *
 * @param image     any version
 * @param from      the box; pixels outside the image count as 0, 0, 0, 0, and so do those of an
 *                  empty box
 * @param width     of the result, 1..PQT_PIXEL_LIMIT pixels
 * @param height    see width
 * @param sampling  how a colour is chosen
 * @return          the new version; `image` itself if it has the same pixels; NULL on failure
 *
 * @error PQT_ERROR_BOX     the box is inverted
 * @error PQT_ERROR_LIMIT   a side is not in the range, or the box exceeds PQT_PIXEL_LIMIT
 * @error PQT_ERROR_OPTION  `sampling` is not a pqt_sampling
 * @error PQT_ERROR_MEMORY  out of memory; `image` is unchanged
 * @cost  as pqt_image_map
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_resize(const pqt_image *image, pqt_pixel_box from,
                                                        size_t width, size_t height,
                                                        pqt_sampling sampling, pqt_error *error);
/** @} */

/** @name Differences and merges of versions of one size */
/** @{ */

/**
 * Visits boxes that cover all pixels in which two versions differ, such as the parts of a window
 * that must be drawn again.
 *
 * Each box is either tight around the changes in one square of 16 x 16 pixels, or a larger square
 * that changed from one colour to another. The boxes do not overlap, and are in Z order.
 * pqt_version_count_diff counts the pixels.
 *
 * @param before   any version
 * @param after    a version of the same size; the memories may differ
 * @param visit    called for each box; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if all were visited, false if `visit` stopped it, or on failure
 *
 * @error PQT_ERROR_MISMATCH  the sizes differ
 * @cost  O(changed tiles * level): squares that are shared or have equal fingerprints are not
 *        entered
 */
PQT_API bool pqt_image_visit_diff(const pqt_image *before, const pqt_image *after,
                                  pqt_visit_pixel_box_fn *visit, void *context, pqt_error *error);

/** The resolution of the pixels in conflict in one box. */
typedef enum pqt_image_resolution {
    PQT_IMAGE_UNRESOLVED = 0,  /**< no decision: the merge fails, and its error names the box */
    PQT_IMAGE_KEEP_OURS = 1,   /**< the colours that ours has */
    PQT_IMAGE_KEEP_THEIRS = 2, /**< the colours that theirs has */
    PQT_IMAGE_KEEP_BASE = 3    /**< the colours that they had */
} pqt_image_resolution;

/**
 * Decides a conflict.
 *
 * @param box      the box around the pixels in conflict in one square of 16 x 16 pixels, or a
 *                 larger square that is in conflict as a whole; valid during the call
 * @param context  as passed to the merge
 * @return         the decision for the pixels in conflict; it does not apply to others in the box
 */
typedef pqt_image_resolution pqt_image_resolve_fn(const pqt_pixel_box *box, void *context);

/**
 * Merges two versions that were made from a common base, pixel by pixel: the result has the changes
 * of both.
 *
 * If one side did not change a pixel, the other side's colour applies; if both changed it to the
 * same colour, that colour applies. A pixel that both changed to different colours is in conflict.
 *
 * @param base     the version from which both were made
 * @param ours     one side
 * @param theirs   the other side
 * @param resolve  called for each box with conflicts, in Z order; NULL: a conflict is an error
 * @param context  passed to `resolve`
 * @return         the merged version: `theirs` itself if `ours` changed nothing; `ours` itself if
 *                 `theirs` changed nothing that `ours` did not; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  sizes or memories differ
 * @error PQT_ERROR_CONFLICT  an undecided conflict; the text names the box
 * @error PQT_ERROR_CALLBACK  `resolve` returned something other than a pqt_image_resolution
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(tiles that both sides changed * level)
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_image_merge(const pqt_image *base, const pqt_image *ours,
                                                       const pqt_image *theirs,
                                                       pqt_image_resolve_fn *resolve, void *context,
                                                       pqt_error *error);
/** @} */

/** @name Pins */
/** @{ */

/**
 * Keeps a version alive until pqt_unpin, wherever the pin itself is stored.
 *
 * @param image  any version
 * @return       the pin; NULL on failure
 */
PQT_NODISCARD static inline pqt_pin *
pqt_image_pin(const pqt_image *image, pqt_error *error)
{
    return pqt_version_pin(image, error);
}

/**
 * Returns the version that a pin keeps.
 *
 * @param pin  from pqt_image_pin, not NULL
 * @return     the version
 * @thread  any, attached or not
 */
static inline const pqt_image *
pqt_pin_get_image(const pqt_pin *pin)
{
    return (const pqt_image *)pqt_pin_get_version_of(pin, PQT_KIND_IMAGE);
}
/** @} */

PQT_END_DECLARATIONS

#endif
