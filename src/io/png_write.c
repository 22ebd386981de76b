/* SPDX-License-Identifier: MIT */
/* png_write.c: writes the pixels of a region as a PNG picture, row by row. */
#include "config.h"

#include <pqt/png.h>

#include <string.h>

#include "base/error_internal.h"
#include "region/region_internal.h"

#if PQT_WITH_PNG

#include "io/png_internal.h"
#include "memory/memory_internal.h"

typedef struct writer {
    pqti_png lib;
    FILE *stream;
    const pqt_region *region;
    pqt_pixel_box window;
    uint8_t *row; /* in scratch memory: one row; the leftmost pixel is the highest bit */
    size_t stride;
} writer;

/* Sets the bits from `from` to `to` - 1 of a row, counted from the highest bit of the first
   byte. */
static void
set_bits(uint8_t *row, size_t from, size_t to)
{
    const uint8_t first = (uint8_t)(0xff >> from % 8), last = (uint8_t)(0xff00 >> to % 8);
    if (from / 8 == to / 8) {
        row[from / 8] |= first & last;
        return;
    }
    row[from / 8] |= first;
    memset(row + from / 8 + 1, 0xff, to / 8 - from / 8 - 1);
    if (to % 8 != 0)
        row[to / 8] |= last;
}

static bool
set_run(const pqt_pixel_run *run, void *context)
{
    const writer *w = context;
    set_bits(w->row, (size_t)(run->min_x - w->window.min.x),
             (size_t)(run->max_x - w->window.min.x));
    return true;
}

/* Sets a palette of white and black, for programs that ignore transparency. */
static void
write_png_head(writer *w)
{
    static const png_color palette[2] = {{0xff, 0xff, 0xff}, {0, 0, 0}};
    static const png_byte alpha[1] = {0}; /* the alpha of white is 0; black is opaque */
    png_structp png = w->lib.png;
    const pqt_pixel_box box = w->window;
    pqti_png_write_to(&w->lib, w->stream);
    png_set_IHDR(png, w->lib.info, (png_uint_32)((int64_t)box.max.x - box.min.x),
                 (png_uint_32)((int64_t)box.max.y - box.min.y), 1, PNG_COLOR_TYPE_PALETTE,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_set_PLTE(png, w->lib.info, palette, 2);
    png_set_tRNS(png, w->lib.info, alpha, 1, NULL);
    png_set_filter(png, PNG_FILTER_TYPE_BASE,
                   PNG_FILTER_NONE); /* filters work on bytes, not on bits */
    png_write_info(png, w->lib.info);
}

static void
write_rows(writer *w)
{
    for (int32_t y = w->window.min.y; y < w->window.max.y; y++) {
        const pqt_pixel_box row = {{w->window.min.x, y}, {w->window.max.x, y + 1}};
        memset(w->row, 0, w->stride);
        pqt_region_visit_runs(w->region, row, set_run, w);
        png_write_row(w->lib.png, w->row);
    }
}

/* Writes the picture. On failure, returns false and sets the flags in `lib`. */
static bool
write_picture(writer *w)
{
    if (setjmp(w->lib.escape) != 0)
        return false;
    if (w->lib.no_memory || !pqti_png_open_writer(&w->lib))
        return false;
    write_png_head(w);
    write_rows(w);
    png_write_end(w->lib.png, NULL);
    w->lib.stream_failed = fflush(w->stream) != 0 || ferror(w->stream) != 0;
    return !w->lib.stream_failed;
}

static bool
validate_window_of_region(pqt_pixel_box window, pqt_error *error)
{
    const int64_t width = (int64_t)window.max.x - window.min.x;
    const int64_t height = (int64_t)window.max.y - window.min.y;
    if (!pqti_validate_pixel_box(&window, "window", 0, error))
        return false;
    if (width == 0 || height == 0)
        pqti_error_set(error, PQT_ERROR_BOX, 0, "png: the window has no pixels (%d x %d)",
                       (int)width, (int)height);
    else if (width > INT32_MAX || height > INT32_MAX)
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "png: the window is %llu x %llu, wider or higher than %d",
                       (unsigned long long)width, (unsigned long long)height, INT32_MAX);
    else
        return true;
    return false;
}

bool
pqt_png_write(FILE *stream, const pqt_region *region, pqt_pixel_box window, pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    if (!pqti_region_check_input(region, error) || !validate_window_of_region(window, error))
        return false;
    writer w = {.stream = stream, .region = region, .window = window};
    w.stride = ((size_t)((int64_t)window.max.x - window.min.x) + 7) / 8;
    w.row = pqti_alloc_scratch(1, w.stride);
    w.lib.no_memory = w.row == NULL;
    const bool written = write_picture(&w);
    pqti_png_close(&w.lib);
    pqti_free_scratch(w.row);
    return written || pqti_png_write_failed(&w.lib, error);
}

#else

bool
pqt_png_write(FILE *stream, const pqt_region *region, pqt_pixel_box window, pqt_error *error)
{
    PQT_ASSERT(stream != NULL, "the stream is NULL");
    (void)window;
    if (pqti_region_check_input(region, error))
        pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0,
                       "png: this build of the library cannot write PNG");
    return false;
}

#endif
