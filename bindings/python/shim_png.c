/* SPDX-License-Identifier: MIT */
/* shim_png.c: PNG of regions and images, for region.py and image.py. */
#include "shim.h"

#include <stdio.h>

pqt_pin *
pqtpy_image_read_png(const char *bytes, size_t count, pqt_error *error)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = heap;
    RETURN_PINNED(image, pqt_png_read_image_bytes(bytes, count, &options, NULL, error));
}

static const pqt_region *
read_region(const void *bytes, size_t count, const int32_t *numbers, pqt_error *error)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = heap;
    options.at = (pqt_pixel){numbers[0], numbers[1]};
    options.channel = (pqt_png_channel)numbers[2];
    options.threshold = (uint8_t)numbers[3];
    return pqt_png_read_bytes(bytes, count, &options, NULL, error);
}

/* Reads a PNG. The numbers are the position, the channel and the threshold. */
pqt_pin *
pqtpy_region_read_png(const char *bytes, size_t count, const int32_t *numbers, pqt_error *error)
{
    RETURN_PINNED(region, read_region(bytes, count, numbers, error));
}

/* Writes a window of a region as PNG, or all of an image. */
static bool
write_png(const pqt_region *region, pqt_pixel_box window, const pqt_image *image,
          pqtpy_bytes *bytes, pqt_error *error)
{
    FILE *stream = open_memstream(&bytes->data, &bytes->size);
    bool written = stream != NULL;
    if (written) {
        written = image != NULL ? pqt_png_write_image(stream, image, error)
                                : pqt_png_write(stream, region, window, error);
        written = fclose(stream) == 0 && written;
    }
    if (!written)
        fail(error, PQT_ERROR_MEMORY, 0, "out of memory (a PNG)");
    return written;
}

bool
pqtpy_region_write_png(const pqt_pin *pin, const int32_t *window, pqtpy_bytes *bytes,
                       pqt_error *error)
{
    const pqt_pixel_box box = {{window[0], window[1]}, {window[2], window[3]}};
    return write_png(pqt_pin_get_region(pin), box, NULL, bytes, error);
}

bool
pqtpy_image_write_png(const pqt_pin *pin, pqtpy_bytes *bytes, pqt_error *error)
{
    return write_png(NULL, (pqt_pixel_box){{0, 0}, {0, 0}}, pqt_pin_get_image(pin), bytes, error);
}
