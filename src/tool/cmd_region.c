/* SPDX-License-Identifier: MIT */
/* cmd_region.c: `pqt region`: prints information about the pixels of PNG pictures, and applies set
   operations to them. */
#include "config.h"

#include "tool/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/cli.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/region_task.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Reads the pixels of IN.png that are more than half opaque or, without alpha, light. An\n"
    "operation combines them with those of B.png. Prints information about the result (--info),\n"
    "or writes it as PNG, transparent and black, as .pqt, or as SVG with the nodes of its\n"
    "quadtree. IN and B may also be .pqt files that hold regions.\n"
    "Without an output, --info is the default.\n"
    "Status: 0 the result has pixels, 1 it has none, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"info", '\0', POPT_ARG_NONE, NULL, 'i', "print information about the pixels", NULL},
    {"union", '\0', POPT_ARG_STRING, NULL, 'u', "pixels of either picture", "B.png"},
    {"intersection", '\0', POPT_ARG_STRING, NULL, 'n', "pixels of both pictures", "B.png"},
    {"difference", '\0', POPT_ARG_STRING, NULL, 'd', "pixels of IN that B does not have", "B.png"},
    {"xor", '\0', POPT_ARG_STRING, NULL, 'x', "pixels of exactly one picture", "B.png"},
    {"offset", '\0', POPT_ARG_STRING, NULL, 'f', "move the second file, by whole pixels, y down",
     "X,Y"},
    {"threshold", '\0', POPT_ARG_STRING, NULL, 't',
     "keep pixels with a value above N (default: 127)", "N"},
    {"channel", '\0', POPT_ARG_STRING, NULL, 'c', "the value: auto (default), alpha, light or dark",
     "NAME"},
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write to this file; - is standard output", "OUT"},
    FORMAT_OPTION("png"),
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: pixels and nodes", "OUT.svg"},
    COMMON_OPTIONS};

/* The maximum number of pixels of an output. Writing more would take minutes, and is hardly ever
   intended. */
#define MOST_PIXELS INT64_C(268435456)

static const operation operations[] = {{'u', "union", pqt_region_union, true},
                                       {'n', "intersection", pqt_region_intersection, false},
                                       {'d', "difference", pqt_region_difference, false},
                                       {'x', "xor", pqt_region_xor, true}};

/* ---- Options ---- */

static pqt_png_channel
channel_option(poptContext context)
{
    static const char *const names[] = {"auto", "alpha", "light", "dark"};
    char *text = text_option(context);
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            free(text);
            return (pqt_png_channel)(PQT_PNG_AUTO + i);
        }
    die(NULL, 0, "--channel is not auto, alpha, light or dark (%s)", quote_text(text).text);
}

static int32_t
whole_pixels(double number)
{
    if (!(number >= -2 * PQT_PIXEL_LIMIT && number <= 2 * PQT_PIXEL_LIMIT) ||
        number != (int32_t)number)
        die(NULL, 0, "--offset is not a whole number of pixels from -%d to %d (%s)",
            2 * PQT_PIXEL_LIMIT, 2 * PQT_PIXEL_LIMIT, shortest(number).text);
    return (int32_t)number;
}

static void
operation_option(request *req, poptContext context, int letter)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (operations[i].letter != letter)
            continue;
        if (req->operation != NULL)
            die(NULL, 0, "more than one operation is given (--%s and --%s)", req->operation->name,
                operations[i].name);
        req->operation = &operations[i];
        req->other = text_option(context);
    }
}

static void
apply_option(request *req, poptContext context, int letter)
{
    operation_option(req, context, letter);
    if (letter == 's')
        picture_option(&req->drawn, context, letter);
    if (letter == 't')
        req->reading.threshold = (uint8_t)number_option(context, "--threshold", 0, 255);
    if (letter == 'c')
        req->reading.channel = channel_option(context);
    if (letter == 'f') {
        pqt_vec offset = point_option(context, "--offset");
        req->offset = (pqt_pixel){whole_pixels(offset.x), whole_pixels(offset.y)};
        req->has_offset = true;
    }
    if (letter == 'o') {
        free(req->output);
        req->output = text_option(context);
    }
    if (letter == 'F')
        req->format = format_option(context, "png");
    req->wants_info = req->wants_info || letter == 'i';
}

/* Ends the program with an error if outputs would replace each other or an input. */
static void
guard_outputs(const request *req)
{
    const char *inputs[] = {req->file, req->other};
    for (int i = 0; i < 2 && inputs[i] != NULL; i++) {
        picture_guard(&req->drawn, inputs[i]);
        if (req->output != NULL)
            output_guard(req->output, inputs[i]);
    }
    if (req->output == NULL)
        return;
    if (req->wants_info && strcmp(req->output, "-") == 0)
        die(NULL, 0, "--output may not be standard output, which receives the lines of --info (-)");
    output_guard_twin("--output", req->output, "--svg", req->drawn.output);
}

static request
read_request(poptContext context)
{
    request req = {.reading = PQT_PNG_DEFAULTS};
    int letter;
    req.reading.memory = tool_memory();
    while ((letter = next_option(context)) != 0)
        apply_option(&req, context, letter);
    req.file = only_argument(context);
    if (req.format != FORMAT_BY_NAME && req.output == NULL)
        die(NULL, 0, "--format needs an output (--output OUT)");
    if (req.has_offset && req.other == NULL)
        die(NULL, 0, "--offset needs a second picture (--union B.png)");
    input_guard(req.file, req.other);
    req.wants_info = req.wants_info || (req.output == NULL && req.drawn.output == NULL);
    guard_outputs(&req);
    return req;
}

/* ---- Result ---- */

static pqt_pixel_box
moved_box(pqt_pixel_box box, pqt_pixel offset)
{
    return (pqt_pixel_box){{box.min.x + offset.x, box.min.y + offset.y},
                           {box.max.x + offset.x, box.max.y + offset.y}};
}

static pqt_pixel_box
joined_box(pqt_pixel_box a, pqt_pixel_box b)
{
    return (pqt_pixel_box){
        {a.min.x < b.min.x ? a.min.x : b.min.x, a.min.y < b.min.y ? a.min.y : b.min.y},
        {a.max.x > b.max.x ? a.max.x : b.max.x, a.max.y > b.max.y ? a.max.y : b.max.y}};
}

/* Returns the result of the operation, or the picture itself if no operation was given. */
static image
result_of(const request *req, const image *a, const image *b)
{
    image result = *a;
    pqt_error error = {0};
    if (req->operation == NULL)
        return result;
    result.region = req->operation->combine(a->region, b->region, req->offset, &error);
    if (result.region == NULL)
        die_error(req->other, &error);
    if (req->operation->extends_frame)
        result.frame = joined_box(a->frame, moved_box(b->frame, req->offset));
    return result;
}

/* ---- Output ---- */

static void
write_png(const request *req, const image *result)
{
    pqt_error error = {0};
    FILE *stream = output_open(req->output, output_format_name(req->format, "PNG"));
    if (pqt_png_write(stream, result->region, result->frame, &error))
        return;
    if (error.status == PQT_ERROR_STREAM)
        output_close(); /* reports the cause of the failure */
    die_error(req->output, &error);
}

/* Ends the program with an error if the result is too large to write. */
static void
guard_size(const request *req, const image *result)
{
    const int64_t width = (int64_t)result->frame.max.x - result->frame.min.x;
    const int64_t height = (int64_t)result->frame.max.y - result->frame.min.y;
    if (width * height > MOST_PIXELS)
        die(req->output, 0,
            "the picture of the result has more than %s pixels (%" PRId64 " x %" PRId64 ")",
            grouped((uint64_t)MOST_PIXELS).text, width, height);
}

static void
write_outputs(request *req, const image *a, const image *b, const image *result)
{
    if (req->output != NULL && output_is_pqt(req->output, req->format)) {
        FILE *stream = output_open(req->output, output_format_name(req->format, "pqt"));
        output_version(stream, req->output, result->region);
    } else if (req->output != NULL) {
        guard_size(req, result);
        write_png(req, result);
    }
    if (req->drawn.output != NULL)
        region_draw(req, a, b, result);
    if (req->wants_info)
        region_print(req, a, b, result);
    if (req->output == NULL || strcmp(req->output, "-") != 0)
        finish_standard_output();
    output_close();
}

int
region_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] IN.png", purpose);
    request req = read_request(context);
    const image a = image_read(req.file, &req.reading);
    const image b = req.other != NULL ? image_read(req.other, &req.reading) : a;
    const image result = result_of(&req, &a, &b);
    write_outputs(&req, &a, &b, &result);
    const bool found = pqt_region_count(result.region) > 0;
    free(req.other);
    free(req.output);
    free(req.drawn.output);
    poptFreeContext(context);
    return found ? STATUS_FOUND : STATUS_NOTHING;
}
