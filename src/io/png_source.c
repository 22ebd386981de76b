/* SPDX-License-Identifier: MIT */
/*
 * png_source.c: reads PNG up to the first row: the source of bytes, the signature, the head and the
 * options.
 *
 * The reader makes libpng skip all chunks that do not affect the pixels, such as text, profiles and
 * times.
 */
#include "config.h"

#include "io/png_source.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "memory/memory_internal.h"

enum { SIGNATURE = 8 }; /* the size of the signature of a PNG file, in bytes */

/* The chunks that libpng knows but that do not affect the value of a pixel. */
static const png_byte unread[] = "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0"
                                 "sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";

/* Reads up to `wanted` bytes and returns the number of bytes read. */
static size_t
read_bytes(pqti_png_source *from, void *to, size_t wanted)
{
    size_t got = wanted < from->left ? wanted : from->left;
    if (from->stream != NULL) {
        got = fread(to, 1, wanted, from->stream);
        from->lib.stream_failed = got < wanted && ferror(from->stream) != 0;
    } else if (got > 0) {
        memcpy(to, from->bytes, got);
        from->bytes += got;
        from->left -= got;
    }
    from->read += got;
    from->lib.ended = got < wanted && !from->lib.stream_failed;
    return got;
}

static void
feed_libpng(png_structp png, png_bytep to, size_t wanted)
{
    pqti_png_source *from = png_get_io_ptr(png);
    if (read_bytes(from, to, wanted) < wanted)
        pqti_png_escape(&from->lib);
}

/* ---- Head ---- */

/* Returns true if the input begins with the PNG signature. */
static bool
read_signature(pqti_png_source *from)
{
    png_byte signature[SIGNATURE];
    const size_t got = read_bytes(from, signature, SIGNATURE);
    if (from->lib.stream_failed)
        return false;
    if (got == 0)
        pqti_error_set(&from->error, PQT_ERROR_FORMAT, 0, "png: the input is empty");
    else if (png_sig_cmp(signature, 0, got) != 0)
        pqti_error_set(&from->error, PQT_ERROR_FORMAT, 0,
                       "png: the input does not begin with the signature of PNG");
    return got == SIGNATURE && from->error.status == PQT_OK;
}

static bool
validate_picture_size(pqti_png_source *from)
{
    const int64_t limit = PQT_PIXEL_LIMIT;
    const uint32_t width = from->head.width, height = from->head.height;
    const pqt_pixel at = from->options->at;
    if ((uint64_t)width * height > from->options->max_pixels)
        pqti_error_set(&from->error, PQT_ERROR_LIMIT, 0,
                       "png: %zu x %zu pixels are more than max_pixels, %llu", (size_t)width,
                       (size_t)height, (unsigned long long)from->options->max_pixels);
    else if (at.x < -limit || at.y < -limit || at.x > limit - (int64_t)width ||
             at.y > limit - (int64_t)height)
        pqti_error_set(&from->error, PQT_ERROR_LIMIT, 0,
                       "png: %zu x %zu pixels at %d, %d: coordinates must be in -%d..%d",
                       (size_t)width, (size_t)height, at.x, at.y, PQT_PIXEL_LIMIT, PQT_PIXEL_LIMIT);
    return from->error.status == PQT_OK;
}

static void
fill_head(pqti_png_source *from)
{
    png_structp png = from->lib.png;
    const int colour = png_get_color_type(png, from->lib.info);
    from->head = (pqt_png_head){
        .width = png_get_image_width(png, from->lib.info),
        .height = png_get_image_height(png, from->lib.info),
        .bits = png_get_bit_depth(png, from->lib.info),
        .is_palette = colour == PNG_COLOR_TYPE_PALETTE,
        .is_coloured = (colour & PNG_COLOR_MASK_COLOR) != 0,
        .has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0 ||
                     png_get_valid(png, from->lib.info, PNG_INFO_tRNS) != 0,
        .interlaced = png_get_interlace_type(png, from->lib.info) != PNG_INTERLACE_NONE,
    };
}

/* Makes libpng expand rows to grey or colour samples of 8 or 16 bits, and add alpha samples if the
   picture has transparency. */
static void
set_transformations(pqti_png_source *from)
{
    png_set_expand(from->lib.png);
    png_read_update_info(from->lib.png, from->lib.info);
    from->channels = png_get_channels(from->lib.png, from->lib.info);
    from->is_deep = png_get_bit_depth(from->lib.png, from->lib.info) == 16;
}

bool
pqti_png_read_start(pqti_png_source *from)
{
    if (!read_signature(from) || !pqti_png_open_reader(&from->lib))
        return false;
    png_structp png = from->lib.png;
    png_set_read_fn(png, from, feed_libpng);
    png_set_sig_bytes(png, SIGNATURE);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unread, (int)(sizeof unread / 5));
    png_read_info(png, from->lib.info);
    fill_head(from);
    if (!validate_picture_size(from))
        return false;
    set_transformations(from);
    return true;
}

void
pqti_png_report(pqti_png_source *from)
{
    if (from->lib.no_memory)
        pqti_out_of_memory(&from->error);
    else if (from->lib.stream_failed)
        pqti_error_set(&from->error, PQT_ERROR_STREAM, 0, "png: the stream could not be read");
    else if (from->lib.ended)
        pqti_error_set(&from->error, PQT_ERROR_FORMAT, 0,
                       "png: the input ends early, after %llu bytes",
                       (unsigned long long)from->read);
    else
        pqti_error_set(&from->error, PQT_ERROR_FORMAT, 0, "png: %s", from->lib.message);
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

bool
pqti_png_begin(pqti_png_source *from, const pqt_png_options *options, pqt_error *error)
{
    from->options = pqti_options_read(&pqti_png_options_layout, options, &from->converted, error);
    return from->options != NULL && png_options_are_valid(from->options, error);
}

const pqti_png_pass pqti_png_passes[PQTI_PNG_PASSES] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8},
                                                        {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
                                                        {0, 1, 1, 2}};
