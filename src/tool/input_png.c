/* SPDX-License-Identifier: MIT */
/* input_png.c - reads a PNG picture as a region. */
#include "config.h"

#include "tool/input_png.h"

#include <errno.h>
#include <string.h>

image
image_read(const char *file, const pqt_png_options *options)
{
    image read = {.region = NULL};
    pqt_error error = {0};
    FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
    if (stream == NULL)
        die(file, 0, "cannot be opened (%s)", strerror(errno));
    read.region = pqt_png_read(stream, options, &read.head, &error);
    if (error.status == PQT_ERROR_STREAM)
        die(file, 0, "cannot be read (%s)", strerror(errno));
    if (read.region == NULL)
        die_error(file, &error);
    read.frame.max = (pqt_pixel){(int32_t)read.head.width, (int32_t)read.head.height};
    if (stream != stdin)
        fclose(stream);
    return read;
}
