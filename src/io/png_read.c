/* SPDX-License-Identifier: MIT */
/*
 * png_read.c: reads a PNG picture into a region.
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
 *
 * The reader makes libpng skip all chunks that do not affect the pixels, such as text, profiles and
 * times.
 */
#include "config.h"

#include <pqt/png.h>

#include <string.h>

#include "base/error_internal.h"

#if PQT_WITH_PNG

#include "base/option_structs.h"
#include "io/png_internal.h"
#include "memory/memory_internal.h"
#include "region/region_node.h"

enum {
    SIGNATURE = 8,            /* the size of the signature of a PNG file, in bytes */
    MOST_BAND_BYTES = 1 << 20 /* maximum size of a band that is higher than PQTI_TILE_SIDE */
};

/* The property of a pixel that is compared with the threshold. */
typedef enum value_kind { ALPHA, OPAQUE, LIGHT, DARK } value_kind;

typedef struct reader {
    pqti_png lib;
    FILE *stream; /* NULL: reads from `bytes` */
    const uint8_t *bytes;
    size_t left;   /* the number of unread bytes in `bytes` */
    uint64_t read; /* the number of bytes that were read */
    const pqt_png_options *options;
    pqt_png_head head;
    value_kind kind;
    uint32_t above; /* a pixel is set if its value, in units of 1/256, is greater than this */
    uint32_t full;  /* the largest value, in units of 1/256 */
    int channels;   /* the number of samples per pixel */
    bool is_deep;   /* true if samples have 16 bits */
    uint32_t y;     /* the row to read next */
    uint8_t *row;   /* in scratch memory: one row of samples from libpng */
    uint8_t *bits;  /* in scratch memory: the band; the leftmost pixel is the lowest bit */
    size_t stride;  /* the number of bytes per row of the band */
    const pqt_region *region;
    pqt_error error;
} reader;

/* The chunks that libpng knows but that do not affect the value of a pixel. */
static const png_byte unread[] = "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0"
                                 "sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";

/* Reads up to `wanted` bytes and returns the number of bytes read. */
static size_t
read_bytes(reader *r, void *to, size_t wanted)
{
    size_t got = wanted < r->left ? wanted : r->left;
    if (r->stream != NULL) {
        got = fread(to, 1, wanted, r->stream);
        r->lib.stream_failed = got < wanted && ferror(r->stream) != 0;
    } else if (got > 0) {
        memcpy(to, r->bytes, got);
        r->bytes += got;
        r->left -= got;
    }
    r->read += got;
    r->lib.ended = got < wanted && !r->lib.stream_failed;
    return got;
}

static void
feed_libpng(png_structp png, png_bytep to, size_t wanted)
{
    reader *r = png_get_io_ptr(png);
    if (read_bytes(r, to, wanted) < wanted)
        pqti_png_escape(&r->lib);
}

/* ---- Head ---- */

/* Returns true if the input begins with the PNG signature. */
static bool
read_signature(reader *r)
{
    png_byte signature[SIGNATURE];
    const size_t got = read_bytes(r, signature, SIGNATURE);
    if (r->lib.stream_failed)
        return false;
    if (got == 0)
        pqti_error_set(&r->error, PQT_ERROR_FORMAT, 0, "png: the input is empty");
    else if (png_sig_cmp(signature, 0, got) != 0)
        pqti_error_set(&r->error, PQT_ERROR_FORMAT, 0,
                       "png: the input does not begin with the signature of PNG");
    return got == SIGNATURE && r->error.status == PQT_OK;
}

static bool
validate_picture_size(reader *r)
{
    const int64_t limit = PQT_PIXEL_LIMIT;
    const uint32_t width = r->head.width, height = r->head.height;
    const pqt_pixel at = r->options->at;
    if ((uint64_t)width * height > r->options->max_pixels)
        pqti_error_set(&r->error, PQT_ERROR_LIMIT, 0,
                       "png: %zu x %zu pixels are more than max_pixels, %llu", (size_t)width,
                       (size_t)height, (unsigned long long)r->options->max_pixels);
    else if (at.x < -limit || at.y < -limit || at.x > limit - (int64_t)width ||
             at.y > limit - (int64_t)height)
        pqti_error_set(&r->error, PQT_ERROR_LIMIT, 0,
                       "png: %zu x %zu pixels at %d, %d: coordinates must be in -%d..%d",
                       (size_t)width, (size_t)height, at.x, at.y, PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT);
    return r->error.status == PQT_OK;
}

static void
fill_head(reader *r)
{
    png_structp png = r->lib.png;
    const int colour = png_get_color_type(png, r->lib.info);
    r->head = (pqt_png_head){
        .width = png_get_image_width(png, r->lib.info),
        .height = png_get_image_height(png, r->lib.info),
        .bits = png_get_bit_depth(png, r->lib.info),
        .is_palette = colour == PNG_COLOR_TYPE_PALETTE,
        .is_coloured = (colour & PNG_COLOR_MASK_COLOR) != 0,
        .has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0 ||
                     png_get_valid(png, r->lib.info, PNG_INFO_tRNS) != 0,
        .interlaced = png_get_interlace_type(png, r->lib.info) != PNG_INTERLACE_NONE,
    };
}

/* Makes libpng expand rows to grey or colour samples of 8 or 16 bits, and add alpha samples if the
   picture has transparency. */
static void
set_transformations(reader *r)
{
    png_set_expand(r->lib.png);
    png_read_update_info(r->lib.png, r->lib.info);
    r->channels = png_get_channels(r->lib.png, r->lib.info);
    r->is_deep = png_get_bit_depth(r->lib.png, r->lib.info) == 16;
}

static void
choose_value(reader *r)
{
    const uint32_t scale = r->is_deep ? 256 * 257 : 256;
    const bool from_alpha = r->options->channel == PQT_PNG_ALPHA ||
                            (r->options->channel == PQT_PNG_AUTO && r->head.has_alpha);
    r->above = scale * r->options->threshold;
    r->full = scale * 255;
    if (from_alpha)
        r->kind = r->head.has_alpha ? ALPHA : OPAQUE;
    else
        r->kind = r->options->channel == PQT_PNG_DARK ? DARK : LIGHT;
}

static bool
read_head(reader *r)
{
    png_structp png = r->lib.png;
    png_set_read_fn(png, r, feed_libpng);
    png_set_sig_bytes(png, SIGNATURE);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unread, (int)(sizeof unread / 5));
    png_read_info(png, r->lib.info);
    fill_head(r);
    if (!validate_picture_size(r))
        return false;
    set_transformations(r);
    choose_value(r);
    return true;
}

/* ---- Rows ---- */

static uint32_t
number_at(const reader *r, const uint8_t *pixel, int i)
{
    return r->is_deep ? (uint32_t)pixel[2 * i] << 8 | pixel[2 * i + 1] : pixel[i];
}

/* Returns the value of a pixel in units of 1/256. */
static uint32_t
value_of_pixel(const reader *r, const uint8_t *pixel)
{
    if (r->kind == OPAQUE)
        return r->full;
    if (r->kind == ALPHA)
        return 256 * number_at(r, pixel, r->channels - 1);
    uint32_t light = 256 * number_at(r, pixel, 0);
    if (r->channels >= 3)
        light = 77 * number_at(r, pixel, 0) + 150 * number_at(r, pixel, 1) +
                29 * number_at(r, pixel, 2);
    return r->kind == DARK ? r->full - light : light;
}

/* Reads one row of `count` pixels into the bits first, first + step, ... in a row of the band. */
static void
read_row(reader *r, uint8_t *bits, size_t first, size_t step, size_t count)
{
    const size_t size = (size_t)r->channels * (r->is_deep ? 2 : 1);
    png_read_row(r->lib.png, r->row, NULL);
    PQT_INVARIANT(count == 0 || first + (count - 1) * step < 8 * r->stride,
                  "the pixels do not fit a row of the band");
    for (size_t i = 0, x = first; i < count; i++, x += step)
        bits[x / 8] |= (uint8_t)((value_of_pixel(r, r->row + i * size) > r->above) << x % 8);
}

/* Unites the region with the band, whose `rows` rows begin at row `top` of the picture. */
static bool
join_band(reader *r, uint32_t top, uint32_t rows)
{
    const pqt_bit_image image = {r->bits, r->head.width, rows, r->stride, PQT_BITS_LOW_FIRST};
    const pqt_pixel at = {r->options->at.x, r->options->at.y + (int32_t)top};
    const pqt_region *band = pqt_region_of_bits(&image, at, r->options->memory, &r->error);
    r->region = pqt_region_union(r->region, band, (pqt_pixel){0, 0}, &r->error);
    return r->region != NULL;
}

/* Allocates a row of samples and a band of `rows` rows. */
static bool
alloc_band(reader *r, uint32_t rows)
{
    r->row = pqti_alloc_scratch(1, png_get_rowbytes(r->lib.png, r->lib.info));
    r->bits = pqti_alloc_scratch(rows, r->stride);
    if (r->row == NULL || r->bits == NULL)
        pqti_out_of_memory(&r->error);
    return r->error.status == PQT_OK;
}

static bool
read_bands(reader *r)
{
    const uint32_t height = r->head.height;
    uint32_t most = PQTI_TILE_SIDE;
    while (most < height && 2 * most * r->stride <= MOST_BAND_BYTES)
        most *= 2;
    if (!alloc_band(r, most < height ? most : height))
        return false;
    for (uint32_t top = 0; top < height; top = r->y) {
        const uint32_t to_edge = most - ((uint32_t)(r->options->at.y + (int32_t)top) & (most - 1));
        const uint32_t rows = to_edge < height - top ? to_edge : height - top;
        memset(r->bits, 0, rows * r->stride);
        for (; r->y < top + rows; r->y++)
            read_row(r, r->bits + (r->y - top) * r->stride, 0, 1, r->head.width);
        if (!join_band(r, top, rows))
            return false;
    }
    return true;
}

/* The pixels in a pass of an interlaced picture: the first position and the steps to the next
   ones. */
typedef struct pass {
    uint32_t x, y, step_x, step_y;
} pass;

static const pass passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

/* Returns the number of positions first, first + step, ... that are below `size`. */
static uint32_t
pass_pixel_count(uint32_t size, uint32_t first, uint32_t step)
{
    return size > first ? (size - first + step - 1) / step : 0;
}

static bool
read_passes(reader *r)
{
    const uint32_t width = r->head.width, height = r->head.height;
    if (!alloc_band(r, height))
        return false;
    memset(r->bits, 0, height * r->stride);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        const pass *p = &passes[i];
        const uint32_t count = pass_pixel_count(width, p->x, p->step_x);
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
    if (setjmp(r->lib.escape) != 0)
        return false;
    if (!read_signature(r) || !pqti_png_open_reader(&r->lib) || !read_head(r))
        return false;
    r->stride = (r->head.width + 7) / 8;
    if (!(r->head.interlaced ? read_passes(r) : read_bands(r)))
        return false;
    png_read_end(r->lib.png, NULL);
    return true;
}

/* Sets `error` from the flags in `lib`, unless `error` is already set. */
static void
report_png_error(reader *r)
{
    if (r->lib.no_memory)
        pqti_out_of_memory(&r->error);
    else if (r->lib.stream_failed)
        pqti_error_set(&r->error, PQT_ERROR_STREAM, 0, "png: the stream could not be read");
    else if (r->lib.ended)
        pqti_error_set(&r->error, PQT_ERROR_FORMAT, 0,
                       "png: the input ends early, after %llu bytes", (unsigned long long)r->read);
    else
        pqti_error_set(&r->error, PQT_ERROR_FORMAT, 0, "png: %s", r->lib.message);
}

static bool
png_options_are_valid(const pqt_png_options *options, pqt_error *error)
{
    if (options->channel >= PQT_PNG_AUTO && options->channel <= PQT_PNG_DARK)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "png: channel: %d is not a pqt_png_channel",
                   (int)options->channel);
    return false;
}

PQTI_DEFINE_OPTIONS(pqti_png_options, pqt_png_options, max_pixels, PQT_PNG_DEFAULTS);

static const pqt_region *
read_from(reader *r, const pqt_png_options *options, pqt_png_head *head, pqt_error *error)
{
    pqt_png_options converted;
    r->options = pqti_options_read(&pqti_png_options_layout, options, &converted, error);
    if (r->options == NULL || !png_options_are_valid(r->options, error))
        return NULL;
    r->region = pqt_region_make(r->options->memory, &r->error);
    const bool is_read = r->region != NULL && read_png_pixels(r);
    if (!is_read)
        report_png_error(r);
    pqti_png_close(&r->lib);
    pqti_free_scratch(r->row);
    pqti_free_scratch(r->bits);
    if (is_read && head != NULL)
        *head = r->head;
    if (!is_read)
        pqti_error_set(error, r->error.status, r->error.index, "%s", r->error.text);
    return is_read ? r->region : NULL;
}

#else

typedef struct reader {
    FILE *stream;
    const uint8_t *bytes;
    size_t left;
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
    reader r = {.stream = stream};
    return read_from(&r, options, head, error);
}

const pqt_region *
pqt_png_read_bytes(const void *bytes, size_t length, const pqt_png_options *options,
                   pqt_png_head *head, pqt_error *error)
{
    PQT_ASSERT(bytes != NULL || length == 0, "bytes is NULL, and length is not 0");
    reader r = {.bytes = bytes, .left = length};
    return read_from(&r, options, head, error);
}
