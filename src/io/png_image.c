/* SPDX-License-Identifier: MIT */
/*
 * png_image.c: reads a PNG picture into an image, and writes an image as one.
 *
 * The reader converts 16 rows at a time, and adds them to the image as a row of tiles. An
 * interlaced picture is read in seven passes over all rows, so all its pixels are kept as bytes.
 */
#include "config.h"

#include <pqt/png.h>

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "image/image_rows.h"

#if PQT_WITH_PNG

#include "io/png_source.h"
#include "memory/memory_internal.h"

enum { PIXEL = 4 }; /* the bytes of a pixel of an image */

/* ---- Reading ---- */

typedef struct image_reader {
    pqti_png_source from;
    uint8_t *row;    /* in scratch memory: one row of samples from libpng */
    uint8_t *pixels; /* in scratch memory: some rows of RGBA */
    size_t stride;   /* the number of bytes per row of RGBA */
    pqti_image_rows rows;
    const pqt_image *image;
} image_reader;

/* Returns a sample as 8 bits: of 16 bits, the nearest number to v / 257, which is never halfway
   between two. */
static uint8_t
sample_at(const image_reader *r, const uint8_t *pixel, int i)
{
    if (!r->from.is_deep)
        return pixel[i];
    const uint32_t deep = (uint32_t)pixel[2 * i] << 8 | pixel[2 * i + 1];
    return (uint8_t)((deep + 128) / 257);
}

static void
convert_pixel(const image_reader *r, const uint8_t *pixel, uint8_t *to)
{
    const int channels = r->from.channels;
    const bool coloured = channels >= 3, has_alpha = channels == 2 || channels == 4;
    to[0] = sample_at(r, pixel, 0);
    to[1] = coloured ? sample_at(r, pixel, 1) : to[0];
    to[2] = coloured ? sample_at(r, pixel, 2) : to[0];
    to[3] = has_alpha ? sample_at(r, pixel, channels - 1) : 255;
}

/* Reads one row of `count` pixels into the pixels first, first + step, ... of a row. */
static void
read_pixels(image_reader *r, uint8_t *to, size_t first, size_t step, size_t count)
{
    const size_t size = (size_t)r->from.channels * (r->from.is_deep ? 2 : 1);
    png_read_row(r->from.lib.png, r->row, NULL);
    for (size_t i = 0; i < count; i++)
        convert_pixel(r, r->row + i * size, to + PIXEL * (first + i * step));
}

/* Allocates a row of samples and `count` rows of pixels, and begins the image. */
static bool
begin_rows(image_reader *r, uint32_t count)
{
    const pqti_image_frame frame = {pqti_memory_or_default(r->from.options->memory, &r->from.error),
                                    (int32_t)r->from.head.width, (int32_t)r->from.head.height};
    if (frame.memory == NULL)
        return false;
    r->stride = PIXEL * (size_t)r->from.head.width;
    r->row = pqti_alloc_scratch(1, png_get_rowbytes(r->from.lib.png, r->from.lib.info));
    r->pixels = pqti_alloc_scratch(count, r->stride);
    if (r->row == NULL || r->pixels == NULL || !pqti_image_rows_begin(&r->rows, &frame))
        pqti_out_of_memory(&r->from.error);
    return r->from.error.status == PQT_OK;
}

/* Adds the rows of pixels that were read last. */
static bool
add_pixels(image_reader *r, const uint8_t *pixels)
{
    if (pqti_image_rows_add(&r->rows, pixels, r->stride))
        return true;
    pqti_out_of_memory(&r->from.error);
    return false;
}

static bool
read_strips(image_reader *r)
{
    const uint32_t height = r->from.head.height;
    if (!begin_rows(r, PQTI_IMAGE_TILE_SIDE))
        return false;
    for (uint32_t y = 0; y < height; y++) {
        const uint32_t in_strip = y % PQTI_IMAGE_TILE_SIDE;
        read_pixels(r, r->pixels + in_strip * r->stride, 0, 1, r->from.head.width);
        if ((in_strip == PQTI_IMAGE_TILE_SIDE - 1 || y == height - 1) && !add_pixels(r, r->pixels))
            return false;
    }
    return true;
}

static bool
read_interlaced(image_reader *r)
{
    const uint32_t width = r->from.head.width, height = r->from.head.height;
    if (!begin_rows(r, height))
        return false;
    for (int i = 0; i < PQTI_PNG_PASSES; i++) {
        const pqti_png_pass *p = &pqti_png_passes[i];
        const uint32_t count = pqti_png_pass_count(width, p->x, p->step_x);
        for (uint32_t y = p->y; y < height && count > 0; y += p->step_y)
            read_pixels(r, r->pixels + y * r->stride, p->x, p->step_x, count);
    }
    for (uint32_t y = 0; y < height; y += PQTI_IMAGE_TILE_SIDE)
        if (!add_pixels(r, r->pixels + y * r->stride))
            return false;
    return true;
}

/* Reads a picture. On failure, returns false and sets `error` or the flags in `lib`. */
static bool
read_png_image(image_reader *r)
{
    if (setjmp(r->from.lib.escape) != 0)
        return false;
    if (!pqti_png_read_start(&r->from) ||
        !pqti_validate_image_size(r->from.head.width, r->from.head.height, &r->from.error) ||
        !(r->from.head.interlaced ? read_interlaced(r) : read_strips(r)))
        return false;
    png_read_end(r->from.lib.png, NULL);
    const pqti_patch root = pqti_image_rows_root(&r->rows);
    r->image = pqti_image_new(&r->rows.frame, &root, &r->from.error);
    return r->image != NULL;
}

static const pqt_image *
read_image_from(image_reader *r, const pqt_png_options *options, pqt_png_head *head,
                pqt_error *error)
{
    if (!pqti_png_begin(&r->from, options, error))
        return NULL;
    const bool is_read = read_png_image(r);
    if (!is_read)
        pqti_png_report(&r->from);
    pqti_png_close(&r->from.lib);
    pqti_free_scratch(r->row);
    pqti_free_scratch(r->pixels);
    if (is_read && head != NULL)
        *head = r->from.head;
    if (!is_read)
        pqti_error_set(error, r->from.error.status, r->from.error.index, "%s", r->from.error.text);
    return is_read ? r->image : NULL;
}

const pqt_image *
pqt_png_read_image(FILE *stream, const pqt_png_options *options, pqt_png_head *head,
                   pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    image_reader r = {.from.stream = stream};
    return pqti_may_compute(error) ? read_image_from(&r, options, head, error) : NULL;
}

const pqt_image *
pqt_png_read_image_bytes(const void *bytes, size_t length, const pqt_png_options *options,
                         pqt_png_head *head, pqt_error *error)
{
    PQT_ASSERT(bytes != NULL || length == 0, "bytes is NULL, and length is not 0");
    image_reader r = {.from.bytes = bytes, .from.left = length};
    return pqti_may_compute(error) ? read_image_from(&r, options, head, error) : NULL;
}

/* ---- Writing ---- */

typedef struct image_writer {
    pqti_png lib;
    FILE *stream;
    const pqt_image *image;
    uint8_t *pixels; /* in scratch memory: a row of tiles */
} image_writer;

static void
write_image_rows(image_writer *w)
{
    const pqt_pixel_box all = pqt_image_bounds(w->image);
    const size_t stride = PIXEL * (size_t)all.max.x;
    for (int32_t y = 0; y < all.max.y; y += PQTI_IMAGE_TILE_SIDE) {
        const int32_t end =
            all.max.y - y < PQTI_IMAGE_TILE_SIDE ? all.max.y : y + PQTI_IMAGE_TILE_SIDE;
        const pqt_pixel_box strip = {{0, y}, {all.max.x, end}};
        pqt_image_to_rgba(w->image, strip, w->pixels, stride, NULL);
        for (int32_t i = 0; i < end - y; i++)
            png_write_row(w->lib.png, w->pixels + (size_t)i * stride);
    }
}

/* Writes the picture. On failure, returns false and sets the flags in `lib`. */
static bool
write_png_image(image_writer *w)
{
    const pqt_pixel_box all = pqt_image_bounds(w->image);
    if (setjmp(w->lib.escape) != 0)
        return false;
    if (w->lib.no_memory || !pqti_png_open_writer(&w->lib))
        return false;
    pqti_png_write_to(&w->lib, w->stream);
    png_set_IHDR(w->lib.png, w->lib.info, (png_uint_32)all.max.x, (png_uint_32)all.max.y, 8,
                 PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    png_write_info(w->lib.png, w->lib.info);
    write_image_rows(w);
    png_write_end(w->lib.png, NULL);
    w->lib.stream_failed = fflush(w->stream) != 0 || ferror(w->stream) != 0;
    return !w->lib.stream_failed;
}

bool
pqt_png_write_image(FILE *stream, const pqt_image *image, pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    if (!pqti_image_check_input(image, error))
        return false;
    image_writer w = {.stream = stream, .image = image};
    const size_t width = (size_t)pqt_image_bounds(image).max.x;
    w.pixels = pqti_alloc_scratch(PQTI_IMAGE_TILE_SIDE, PIXEL * width);
    w.lib.no_memory = w.pixels == NULL;
    const bool written = write_png_image(&w);
    pqti_png_close(&w.lib);
    pqti_free_scratch(w.pixels);
    return written || pqti_png_write_failed(&w.lib, error);
}

#else

static const pqt_image *
refuse_png(pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0,
                   "png: this build of the library has no PNG for images");
    return NULL;
}

const pqt_image *
pqt_png_read_image(FILE *stream, const pqt_png_options *options, pqt_png_head *head,
                   pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    (void)options;
    (void)head;
    return refuse_png(error);
}

const pqt_image *
pqt_png_read_image_bytes(const void *bytes, size_t length, const pqt_png_options *options,
                         pqt_png_head *head, pqt_error *error)
{
    PQT_ASSERT(bytes != NULL || length == 0, "bytes is NULL, and length is not 0");
    (void)options;
    (void)head;
    return refuse_png(error);
}

bool
pqt_png_write_image(FILE *stream, const pqt_image *image, pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    return pqti_image_check_input(image, error) && refuse_png(error) != NULL;
}

#endif
