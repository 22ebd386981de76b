/* SPDX-License-Identifier: MIT */
/**
 * @file png.h - regions out of PNG pictures, and back into them.
 *
 *     pqt_png_options options = PQT_PNG_DEFAULTS;
 *     pqt_png_head head;
 *     const pqt_region *sprite = pqt_png_read(stream, &options, &head, &error);
 *     pqt_pixel_box frame = {{0, 0}, {(int32_t)head.width, (int32_t)head.height}};
 *     if (sprite == NULL || !pqt_png_write(out, sprite, frame, &error))
 *         return complain(&error);
 *
 * Every PNG can be read: of 1, 2, 4, 8 and 16 bits, grey, palette and colour, with or without
 * alpha, interlaced or not. A pixel of the picture has a *value* between 0 and 255, and belongs to
 * the region if that is above a threshold. What the value is can be chosen; see pqt_png_channel.
 * Values are those that stand in the file: gamma and colour profiles are not applied. Values of 16
 * bits are not rounded to eight: v belongs if v / 257 is above the threshold.
 *
 * A picture is read row by row, and its pixels are never all held as bytes: beside the region, that
 * takes a few rows of them, and a bit a pixel for 64 rows or 1 MB, or for all of an interlaced
 * picture. What a file claims to be is not believed: pictures of more than max_pixels are refused
 * before any memory is taken, and all that a file may hold beside the picture (texts, profiles,
 * ...) is passed over unread.
 *
 * A PNG is written with one bit a pixel, and a palette of two: transparent, and opaque black. Read
 * with the defaults it gives back exactly the pixels that were written, here and in any program
 * that goes by alpha.
 *
 * The library opens no files: it reads a stream of the caller, or memory, and writes to a stream.
 * It was perhaps built without this part; then these functions fail with PQT_ERROR_UNSUPPORTED.
 */
#ifndef PQT_PNG_H
#define PQT_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/memory.h>
#include <pqt/region.h>

PQT_BEGIN_DECLARATIONS

/**
 * What the value of a pixel is.
 *
 * Light is (77 red + 150 green + 29 blue) / 256, not rounded; of a grey pixel it is its grey.
 */
typedef enum pqt_png_channel {
    PQT_PNG_AUTO = 1,  /**< alpha if the picture has any, as a channel, in its palette or as a
                            transparent colour; else light */
    PQT_PNG_ALPHA = 2, /**< alpha; 255 throughout if the picture has none */
    PQT_PNG_LIGHT = 3, /**< light, whatever the alpha */
    PQT_PNG_DARK = 4   /**< 255 less light, whatever the alpha: ink on paper */
} pqt_png_channel;

/** How a PNG is read. Start from PQT_PNG_DEFAULTS. */
typedef struct pqt_png_options {
    size_t size;             /**< sizeof(pqt_png_options), set by PQT_PNG_DEFAULTS */
    pqt_memory *memory;      /**< where the region lives; NULL: the collector */
    pqt_pixel at;            /**< where the upper left pixel of the picture lies */
    pqt_png_channel channel; /**< what is compared with the threshold */
    uint8_t threshold;   /**< a pixel belongs if its value is above: 0 means any that is not 0 */
    uint64_t max_pixels; /**< width * height at most; larger pictures are refused */
} pqt_png_options;

/** Initial value of options: the collector, at 0, 0, more than half opaque, 2^28 pixels. */
#define PQT_PNG_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_png_options), NULL, {0, 0}, PQT_PNG_AUTO, 127, 268435456                        \
    }

/** What a PNG says of itself. */
typedef struct pqt_png_head {
    uint32_t width;   /**< pixels */
    uint32_t height;  /**< pixels */
    int bits;         /**< of each number in the file: 1, 2, 4, 8 or 16 */
    bool is_palette;  /**< numbers are places in a palette */
    bool is_coloured; /**< there is a palette, or red, green and blue; else grey */
    bool has_alpha;   /**< a channel of alpha, a transparent colour, or alpha in the palette */
    bool interlaced;  /**< comes in seven passes */
} pqt_png_head;

/**
 * Reads a PNG from a stream, up to its end; the stream then stands just behind it.
 *
 * @param stream   open for reading, not NULL; never closed
 * @param options  NULL: the defaults
 * @param head     told what the picture is, on success; may be NULL
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the region; NULL on failure
 *
 * @error PQT_ERROR_STREAM       the stream could not be read
 * @error PQT_ERROR_FORMAT       it is not a PNG, ends early or is broken
 * @error PQT_ERROR_LIMIT        the picture has more than max_pixels, or leaves PQT_PIXEL_LIMIT,
 *                               whatever its pixels are
 * @error PQT_ERROR_OPTION       channel or size is none
 * @error PQT_ERROR_MEMORY       no memory
 * @error PQT_ERROR_UNSUPPORTED  this build cannot read PNG; or memory is NULL and it has no
 *                               collector
 * @error PQT_ERROR_THREAD       as pqt_region_make
 *
 * @cost   O(width * height) time; an arena keeps what the versions in between took, at most a tenth
 *         beside the region
 * @thread one thread at a time for one stream
 * @since  0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_png_read(FILE *stream, const pqt_png_options *options,
                                                     pqt_png_head *head, pqt_error *error);

/**
 * As pqt_png_read, from memory; what comes behind the PNG is not looked at.
 *
 * @param bytes   `length` bytes; NULL if length is 0
 * @thread any
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_png_read_bytes(const void *bytes, size_t length,
                                                           const pqt_png_options *options,
                                                           pqt_png_head *head, pqt_error *error);

/**
 * Writes the pixels of a window as a PNG, and flushes the stream.
 *
 * @param stream  open for writing, not NULL; never closed
 * @param region  any version; NULL passes an earlier failure on
 * @param window  may leave PQT_PIXEL_LIMIT; nothing belongs there
 * @param error   told why on failure; may be NULL; an error already in it is kept
 * @return        false on failure; some of the picture may have been written
 *
 * @error PQT_ERROR_BOX          the window is inside out, or has no pixel: a PNG must have one
 * @error PQT_ERROR_LIMIT        the window is wider or higher than 2^31 - 1 pixels
 * @error PQT_ERROR_STREAM       the stream could not be written
 * @error PQT_ERROR_MEMORY       no memory
 * @error PQT_ERROR_UNSUPPORTED  this build cannot write PNG
 *
 * @cost   O(width * height / 8 + runs) time; a bit a pixel of one row
 * @thread one thread at a time for one stream
 * @since  0.1
 */
PQT_API bool pqt_png_write(FILE *stream, const pqt_region *region, pqt_pixel_box window,
                           pqt_error *error);

PQT_END_DECLARATIONS

#endif
