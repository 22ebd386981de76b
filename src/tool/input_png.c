/* SPDX-License-Identifier: MIT */
/* input_png.c: reads the pixels of a PNG picture or of a .pqt file with a region. */
#include "config.h"

#include "tool/input_png.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/input_file.h"
#include "tool/message.h"

static image
read_pqt(input_file *from)
{
    image read = {
        .region = input_of_kind(from, PQT_KIND_REGION), .is_pqt = true, .frame = {{0, 0}, {1, 1}}};
    const pqt_pixel_box box = pqt_region_bounds(read.region);
    if (pqt_region_count(read.region) == 0)
        return read;
    if (box.min.x < 0)
        read.frame.min.x = box.min.x;
    if (box.min.y < 0)
        read.frame.min.y = box.min.y;
    if (box.max.x > 1)
        read.frame.max.x = box.max.x;
    if (box.max.y > 1)
        read.frame.max.y = box.max.y;
    return read;
}

static image
read_png(const char *file, FILE *stream, const pqt_png_options *options)
{
    image read = {.region = NULL};
    pqt_error error = {0};
    read.region = pqt_png_read(stream, options, &read.head, &error);
    if (error.status == PQT_ERROR_STREAM)
        die(file, 0, "cannot be read (%s)", strerror(errno));
    if (read.region == NULL)
        die_error(file, &error);
    read.frame.max = (pqt_pixel){(int32_t)read.head.width, (int32_t)read.head.height};
    return read;
}

image
image_read(const char *file, const pqt_png_options *options)
{
    input_file from = input_open(file);
    const image read = from.is_pqt ? read_pqt(&from) : read_png(file, from.stream, options);
    input_close(&from);
    return read;
}
