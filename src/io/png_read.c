/* SPDX-License-Identifier: MIT */
/*
 * png_read.c: reads the rows of a PNG picture into a region (png_source.h).
 *
 * The reader compares each pixel of a row with the threshold and sets a bit of a band. A full band
 * becomes a region and is united with the bands above it. Bands end at the edges of aligned
 * squares. So no tile is in two bands, and a union makes only the inner nodes above them:
 *
 *     +---------------+
 *     |  band 0       |   up to the first edge
 *     +---------------+ <- multiple of the bands' height, itself a power of two
 *     |  band 1       |
 *     +---------------+
 *
 * An interlaced picture is read in seven passes over all rows, so it is treated as one band.
 */
#include "config.h"

#include <pqt/png.h>

#include <string.h>

#include "base/error_internal.h"

#if PQT_WITH_PNG

#include "io/png_source.h"
#include "memory/memory_internal.h"
#include "region/region_node.h"

/* The maximum size of a band that is higher than PQTI_TILE_SIDE. */
enum { MOST_BAND_BYTES = 1 << 20 };

/* The property of a pixel that is compared with the threshold. */
typedef enum value_kind { ALPHA, OPAQUE, LIGHT, DARK } value_kind;

typedef struct reader {
    pqti_png_source from;
    value_kind kind;
    uint32_t above; /* a pixel is set if its value, in units of 1/256, is greater than this */
    uint32_t full;  /* the largest value, in units of 1/256 */
    uint32_t y;     /* the row to read next */
    uint8_t *row;   /* in scratch memory: one row of samples from libpng */
    uint8_t *bits;  /* in scratch memory: the band; the leftmost pixel is the lowest bit */
    size_t stride;  /* the number of bytes per row of the band */
    const pqt_region *region;
} reader;

static void
choose_value(reader *r)
{
    const uint32_t scale = r->from.is_deep ? 256 * 257 : 256;
    const bool from_alpha = r->from.options->channel == PQT_PNG_ALPHA ||
                            (r->from.options->channel == PQT_PNG_AUTO && r->from.head.has_alpha);
    r->above = scale * r->from.options->threshold;
    r->full = scale * 255;
    if (from_alpha)
        r->kind = r->from.head.has_alpha ? ALPHA : OPAQUE;
    else
        r->kind = r->from.options->channel == PQT_PNG_DARK ? DARK : LIGHT;
}

/* ---- Rows ---- */

static uint32_t
number_at(const reader *r, const uint8_t *pixel, int i)
{
    return r->from.is_deep ? (uint32_t)pixel[2 * i] << 8 | pixel[2 * i + 1] : pixel[i];
}

/* Returns the value of a pixel in units of 1/256. */
static uint32_t
value_of_pixel(const reader *r, const uint8_t *pixel)
{
    if (r->kind == OPAQUE)
        return r->full;
    if (r->kind == ALPHA)
        return 256 * number_at(r, pixel, r->from.channels - 1);
    uint32_t light = 256 * number_at(r, pixel, 0);
    if (r->from.channels >= 3)
        light = 77 * number_at(r, pixel, 0) + 150 * number_at(r, pixel, 1) +
                29 * number_at(r, pixel, 2);
    return r->kind == DARK ? r->full - light : light;
}

/* Reads one row of `count` pixels into the bits first, first + step, ... in a row of the band. */
static void
read_row(reader *r, uint8_t *bits, size_t first, size_t step, size_t count)
{
    const size_t size = (size_t)r->from.channels * (r->from.is_deep ? 2 : 1);
    png_read_row(r->from.lib.png, r->row, NULL);
    PQT_INVARIANT(count == 0 || first + (count - 1) * step < 8 * r->stride,
                  "the pixels do not fit a row of the band");
    for (size_t i = 0, x = first; i < count; i++, x += step)
        bits[x / 8] |= (uint8_t)((value_of_pixel(r, r->row + i * size) > r->above) << x % 8);
}

/* Unites the region with the band, whose `rows` rows begin at row `top` of the picture. */
static bool
join_band(reader *r, uint32_t top, uint32_t rows)
{
    const pqt_bit_image image = {r->bits, r->from.head.width, rows, r->stride, PQT_BITS_LOW_FIRST};
    const pqt_pixel at = {r->from.options->at.x, r->from.options->at.y + (int32_t)top};
    const pqt_region *band =
        pqt_region_of_bits(&image, at, r->from.options->memory, &r->from.error);
    r->region = pqt_region_union(r->region, band, (pqt_pixel){0, 0}, &r->from.error);
    return r->region != NULL;
}

/* Allocates a row of samples and a band of `rows` rows. */
static bool
alloc_band(reader *r, uint32_t rows)
{
    r->row = pqti_alloc_scratch(1, png_get_rowbytes(r->from.lib.png, r->from.lib.info));
    r->bits = pqti_alloc_scratch(rows, r->stride);
    if (r->row == NULL || r->bits == NULL)
        pqti_out_of_memory(&r->from.error);
    return r->from.error.status == PQT_OK;
}

static bool
read_bands(reader *r)
{
    const uint32_t height = r->from.head.height;
    uint32_t most = PQTI_TILE_SIDE;
    while (most < height && 2 * most * r->stride <= MOST_BAND_BYTES)
        most *= 2;
    if (!alloc_band(r, most < height ? most : height))
        return false;
    for (uint32_t top = 0; top < height; top = r->y) {
        const uint32_t to_edge =
            most - ((uint32_t)(r->from.options->at.y + (int32_t)top) & (most - 1));
        const uint32_t rows = to_edge < height - top ? to_edge : height - top;
        memset(r->bits, 0, rows * r->stride);
        for (; r->y < top + rows; r->y++)
            read_row(r, r->bits + (r->y - top) * r->stride, 0, 1, r->from.head.width);
        if (!join_band(r, top, rows))
            return false;
    }
    return true;
}

static bool
read_passes(reader *r)
{
    const uint32_t width = r->from.head.width, height = r->from.head.height;
    if (!alloc_band(r, height))
        return false;
    memset(r->bits, 0, height * r->stride);
    for (int i = 0; i < PQTI_PNG_PASSES; i++) {
        const pqti_png_pass *p = &pqti_png_passes[i];
        const uint32_t count = pqti_png_pass_count(width, p->x, p->step_x);
        if (count == 0) /* libpng also skips an empty pass */
            continue;
        for (r->y = p->y; r->y < height; r->y += p->step_y)
            read_row(r, r->bits + r->y * r->stride, p->x, p->step_x, count);
    }
    return join_band(r, 0, height);
}

/* ---- Picture ---- */

/* Reads a picture. On failure, returns false and sets `error` or the flags in `lib`. */
static bool
read_png_pixels(reader *r)
{
    if (setjmp(r->from.lib.escape) != 0)
        return false;
    if (!pqti_png_read_start(&r->from))
        return false;
    choose_value(r);
    r->stride = (r->from.head.width + 7) / 8;
    if (!(r->from.head.interlaced ? read_passes(r) : read_bands(r)))
        return false;
    png_read_end(r->from.lib.png, NULL);
    return true;
}

static const pqt_region *
read_from(reader *r, const pqt_png_options *options, pqt_png_head *head, pqt_error *error)
{
    if (!pqti_png_begin(&r->from, options, error))
        return NULL;
    r->region = pqt_region_make(r->from.options->memory, &r->from.error);
    const bool is_read = r->region != NULL && read_png_pixels(r);
    if (!is_read)
        pqti_png_report(&r->from);
    pqti_png_close(&r->from.lib);
    pqti_free_scratch(r->row);
    pqti_free_scratch(r->bits);
    if (is_read && head != NULL)
        *head = r->from.head;
    if (!is_read)
        pqti_error_set(error, r->from.error.status, r->from.error.index, "%s", r->from.error.text);
    return is_read ? r->region : NULL;
}

#else

typedef struct png_input {
    FILE *stream;
    const uint8_t *bytes;
    size_t left;
} png_input;

typedef struct reader {
    png_input from;
} reader;

static const pqt_region *
read_from(const reader *r, const pqt_png_options *options, const pqt_png_head *head,
          pqt_error *error)
{
    (void)r;
    (void)options;
    (void)head;
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0,
                   "png: this build of the library cannot read PNG");
    return NULL;
}

#endif

const pqt_region *
pqt_png_read(FILE *stream, const pqt_png_options *options, pqt_png_head *head, pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    reader r = {.from.stream = stream};
    return read_from(&r, options, head, error);
}

const pqt_region *
pqt_png_read_bytes(const void *bytes, size_t length, const pqt_png_options *options,
                   pqt_png_head *head, pqt_error *error)
{
    PQT_ASSERT(bytes != NULL || length == 0, "bytes is NULL, and length is not 0");
    reader r = {.from.bytes = bytes, .from.left = length};
    return read_from(&r, options, head, error);
}
