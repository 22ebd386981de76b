/* SPDX-License-Identifier: MIT */
/**
 * @file png.h - reads PNG pictures into regions and images, and writes these as PNG pictures.
 *
 *     pqt_png_options options = PQT_PNG_DEFAULTS;
 *     pqt_png_head head;
 *     const pqt_region *sprite = pqt_png_read(stream, &options, &head, &error);
 *     pqt_pixel_box frame = {{0, 0}, {(int32_t)head.width, (int32_t)head.height}};
 *     if (sprite == NULL || !pqt_png_write(out, sprite, frame, &error))
 *         return complain(&error);
 *
 * The reader accepts every PNG: 1, 2, 4, 8 and 16 bits; grey, palette and colour; with or without
 * alpha; interlaced or not. Each pixel has a *value* from 0 to 255 and belongs to the region if its
 * value is above a threshold. pqt_png_channel chooses the value. Values are those in the file:
 * gamma and colour profiles are not applied. 16-bit samples are not rounded to 8 bits: a pixel with
 * the sample v belongs if v / 257 is above the threshold.
 *
 * The reader never holds a whole picture as bytes. In addition to the region it takes a few rows of
 * samples, and one bit for each pixel of a band: 64 rows, or more if the band then takes at most 1
 * MB. An interlaced picture is a single band. The reader does not trust the file: a picture of more
 * than max_pixels is refused before memory is allocated, and all other contents of the file (texts,
 * profiles, ...) are skipped.
 *
 * The writer uses one bit for each pixel and a palette of two entries: transparent white and opaque
 * black. pqt_png_read with the default options returns exactly the written pixels, and any program
 * that uses alpha shows them.
 *
 * The library opens no files: it reads a stream or memory, and writes to a stream. In a build
 * without libpng these functions fail with PQT_ERROR_UNSUPPORTED.
 */
#ifndef PQT_PNG_H
#define PQT_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/image.h>
#include <pqt/memory.h>
#include <pqt/region.h>

PQT_BEGIN_DECLARATIONS

/**
 * The value of a pixel that is compared with the threshold.
 *
 * Light is (77 red + 150 green + 29 blue) / 256, not rounded; for a grey pixel it is its grey
 * value.
 */
typedef enum pqt_png_channel {
    PQT_PNG_AUTO = 1,  /**< alpha if the picture has any, as a channel, in its palette or as a
                            transparent colour; otherwise light */
    PQT_PNG_ALPHA = 2, /**< alpha; 255 for all pixels if the picture has none */
    PQT_PNG_LIGHT = 3, /**< light; alpha is ignored */
    PQT_PNG_DARK = 4   /**< 255 minus light, for ink on paper; alpha is ignored */
} pqt_png_channel;

/** Options for reading. Start from PQT_PNG_DEFAULTS. */
typedef struct pqt_png_options {
    size_t size;             /**< sizeof(pqt_png_options), set by PQT_PNG_DEFAULTS */
    pqt_memory *memory;      /**< the memory of the region; NULL: the default memory */
    pqt_pixel at;            /**< position of the upper left pixel of the picture */
    pqt_png_channel channel; /**< the value to compare with the threshold */
    uint8_t threshold;       /**< a pixel is in the region if its value is above it */
    uint64_t max_pixels;     /**< the largest width * height; larger pictures are refused */
} pqt_png_options;

/** Initial value of options: the default memory, the position 0, 0, pixels that are more than half
 * opaque, at most 2^28 pixels. */
#define PQT_PNG_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_png_options), NULL, {0, 0}, PQT_PNG_AUTO, 127, 268435456                        \
    }

/** The properties of a PNG. */
typedef struct pqt_png_head {
    uint32_t width;   /**< pixels */
    uint32_t height;  /**< pixels */
    int bits;         /**< bits of a sample in the file: 1, 2, 4, 8 or 16 */
    bool is_palette;  /**< samples are indices of a palette */
    bool is_coloured; /**< has a palette or red, green and blue; otherwise grey */
    bool has_alpha;   /**< has an alpha channel, a transparent colour, or alpha in the palette */
    bool interlaced;  /**< stored in seven passes */
} pqt_png_head;

/**
 * Reads a PNG from a stream, up to the end of the PNG.
 *
 * @param stream   open for reading, not NULL; never closed
 * @param options  NULL means PQT_PNG_DEFAULTS
 * @param head     set to the properties of the picture on success; may be NULL
 * @return         the region; NULL on failure
 *
 * @error PQT_ERROR_STREAM       the stream could not be read
 * @error PQT_ERROR_FORMAT       it is not a PNG, ends early or is corrupt
 * @error PQT_ERROR_LIMIT        the picture has more than max_pixels, or a corner is beyond
 *                               PQT_PIXEL_LIMIT
 * @error PQT_ERROR_OPTION       channel or size is invalid
 * @error PQT_ERROR_MEMORY       out of memory
 * @error PQT_ERROR_UNSUPPORTED  this build cannot read PNG
 * @error PQT_ERROR_THREAD       as pqt_region_make
 *
 * @cost    O(width * height) time; an arena also keeps intermediate versions, at most a tenth of
 *          the size of the region
 * @thread  one thread at a time for one stream
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_png_read(FILE *stream, const pqt_png_options *options,
                                                     pqt_png_head *head, pqt_error *error);

/**
 * Like pqt_png_read, but from memory. Bytes after the end of the PNG are ignored.
 *
 * @param bytes    `length` bytes; NULL if length is 0
 * @param length   the number of bytes
 * @param options  NULL means the defaults
 * @param head     NULL, or set to the properties of the PNG
 * @return         the region; NULL on failure
 * @thread  any
 */
PQT_API PQT_NODISCARD const pqt_region *pqt_png_read_bytes(const void *bytes, size_t length,
                                                           const pqt_png_options *options,
                                                           pqt_png_head *head, pqt_error *error);

/**
 * Writes the pixels of a window as a PNG, and flushes the stream.
 *
 * @param stream  open for writing, not NULL; never closed
 * @param region  any version
 * @param window  may extend beyond PQT_PIXEL_LIMIT, where no pixel belongs to a region
 * @return        false on failure; a part of the picture may have been written
 *
 * @error PQT_ERROR_BOX          the window is inverted or has no pixel; a PNG has at least one
 * @error PQT_ERROR_LIMIT        the window is wider or higher than 2^31 - 1 pixels
 * @error PQT_ERROR_STREAM       the stream could not be written
 * @error PQT_ERROR_MEMORY       out of memory
 * @error PQT_ERROR_UNSUPPORTED  this build cannot write PNG
 *
 * @cost    O(width * height / 8 + runs) time; one bit of memory for each pixel of a row
 * @thread  one thread at a time for one stream
 */
PQT_API bool pqt_png_write(FILE *stream, const pqt_region *region, pqt_pixel_box window,
                           pqt_error *error);

/** @name Images: all pixels of a PNG, with their colours */
/** @{ */

/**
 * Reads a PNG from a stream into an image, up to the end of the PNG.
 *
 * Every PNG becomes 8-bit RGBA. A sample v of 16 bits becomes the nearest number to v / 257, which
 * is never halfway between two. A sample of b bits, fewer than 8, becomes 255 v / (2^b - 1), which
 * is whole. A palette gives the colours of its entries, and grey is red, green and blue. Alpha is
 * that of the channel or of the palette, 0 for a transparent colour, and 255 otherwise. Colours of
 * transparent pixels are kept; gamma and colour profiles are not applied.
 *
 * @param stream   open for reading, not NULL; never closed
 * @param options  NULL means PQT_PNG_DEFAULTS; only `memory` and `max_pixels` are used
 * @param head     set to the properties of the picture on success; may be NULL
 * @return         the image; NULL on failure
 *
 * @error PQT_ERROR_STREAM   the stream could not be read
 * @error PQT_ERROR_FORMAT   it is not a PNG, ends early or is corrupt
 * @error PQT_ERROR_LIMIT    the picture has more than max_pixels, or a side is above
 *                           PQT_PIXEL_LIMIT
 * @error PQT_ERROR_OPTION   channel or size is invalid
 * @error PQT_ERROR_MEMORY   out of memory
 *
 * @cost    O(width * height) time; scratch memory of 17 rows, and of all pixels of an interlaced
 *          picture, 4 bytes each
 * @thread  one thread at a time for one stream
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_png_read_image(FILE *stream,
                                                          const pqt_png_options *options,
                                                          pqt_png_head *head, pqt_error *error);

/**
 * Like pqt_png_read_image, but from memory. Bytes after the end of the PNG are ignored.
 *
 * @param bytes    `length` bytes; NULL if length is 0
 * @param length   the number of bytes
 * @param options  NULL means the defaults
 * @param head     NULL, or set to the properties of the PNG
 * @return         the image; NULL on failure
 * @thread  any
 */
PQT_API PQT_NODISCARD const pqt_image *pqt_png_read_image_bytes(const void *bytes, size_t length,
                                                                const pqt_png_options *options,
                                                                pqt_png_head *head,
                                                                pqt_error *error);

/**
 * Writes an image as a PNG of 8-bit RGBA, and flushes the stream. pqt_png_read_image returns an
 * equal image.
 *
 * @param stream  open for writing, not NULL; never closed
 * @param image   any version
 * @return        false on failure; a part of the picture may have been written
 *
 * @error PQT_ERROR_STREAM   the stream could not be written
 * @error PQT_ERROR_MEMORY   out of memory
 *
 * @cost    O(width * height) time; scratch memory of 16 rows
 * @thread  one thread at a time for one stream
 */
PQT_API bool pqt_png_write_image(FILE *stream, const pqt_image *image, pqt_error *error);
/** @} */

PQT_END_DECLARATIONS

#endif
