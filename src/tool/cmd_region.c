/* SPDX-License-Identifier: MIT */
/* cmd_region.c - `pqt region`: the pixels of PNG pictures, what they are, and what two make
   together. */
#include "config.h"

#include "tool/region_task.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] =
    "Reads IN.png as a set of pixels: those that are more than half opaque or, without alpha, "
    "light.\n"
    "Joins it with those of B.png, if an operation is named, and says what comes out (--info) or\n"
    "writes it: as PNG, transparent and black, or as SVG with the squares of its quadtree.\n"
    "Without an output, --info is understood.\n"
    "Status: 0 it has pixels, 1 it has none, 2 an error.\n";

static const struct poptOption table_of_options[] = {
    {"info", 'i', POPT_ARG_NONE, NULL, 'i', "say what the pixels are", NULL},
    {"union", 'u', POPT_ARG_STRING, NULL, 'u', "the pixels of either", "B.png"},
    {"intersection", 'n', POPT_ARG_STRING, NULL, 'n', "the pixels of both", "B.png"},
    {"difference", 'd', POPT_ARG_STRING, NULL, 'd', "the pixels that B does not have", "B.png"},
    {"xor", 'x', POPT_ARG_STRING, NULL, 'x', "the pixels of one of them alone", "B.png"},
    {"offset", 'f', POPT_ARG_STRING, NULL, 'f', "move B by whole pixels, y down", "X,Y"},
    {"threshold", 't', POPT_ARG_STRING, NULL, 't',
     "a pixel belongs if its value is above (default: 127)", "0..255"},
    {"channel", 'c', POPT_ARG_STRING, NULL, 'c', "the value: auto (default), alpha, light or dark",
     "NAME"},
    {"output", 'o', POPT_ARG_STRING, NULL, 'o', "write the pixels there; - is standard output",
     "OUT.png"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw pixels and squares there", "OUT.svg"},
    COMMON_OPTIONS};

/* More would take minutes to write, and hardly be meant. */
#define MOST_PIXELS INT64_C(268435456)

static const operation operations[] = {{'u', "union", pqt_region_union, true},
                                       {'n', "intersection", pqt_region_intersection, false},
                                       {'d', "difference", pqt_region_difference, false},
                                       {'x', "xor", pqt_region_xor, true}};

/* ---- the command line ---- */

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
    complain(NULL, 0, "--channel is not auto, alpha, light or dark (%s)", quote_text(text).text);
}

static int32_t
whole(double number)
{
    if (!(number >= -2 * PQT_PIXEL_LIMIT && number <= 2 * PQT_PIXEL_LIMIT) ||
        number != (int32_t)number)
        complain(NULL, 0, "--offset is not whole pixels within %d (%s)", 2 * PQT_PIXEL_LIMIT,
                 shortest(number).text);
    return (int32_t)number;
}

static void
operation_option(request *asked, poptContext context, int letter)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (operations[i].letter != letter)
            continue;
        if (asked->joined != NULL)
            complain(NULL, 0, "one operation at a time (--%s and --%s)", asked->joined->name,
                     operations[i].name);
        asked->joined = &operations[i];
        asked->other = text_option(context);
    }
}

static void
take_option(request *asked, poptContext context, int letter)
{
    operation_option(asked, context, letter);
    if (letter == 's')
        picture_option(&asked->drawn, context, letter);
    if (letter == 't')
        asked->reading.threshold = (uint8_t)number_option(context, "--threshold", 0, 255);
    if (letter == 'c')
        asked->reading.channel = channel_option(context);
    if (letter == 'f') {
        pqt_vec offset = point_option(context, "--offset");
        asked->offset = (pqt_pixel){whole(offset.x), whole(offset.y)};
        asked->has_offset = true;
    }
    if (letter == 'o') {
        free(asked->output);
        asked->output = text_option(context);
    }
    asked->wants_info = asked->wants_info || letter == 'i';
}

/* Complains about outputs that get into each other's way, or into an input's. */
static void
guard_outputs(const request *asked)
{
    const char *inputs[] = {asked->file, asked->other};
    for (int i = 0; i < 2 && inputs[i] != NULL; i++) {
        picture_guard(&asked->drawn, inputs[i]);
        if (asked->output != NULL)
            output_guard(asked->output, inputs[i]);
    }
    if (asked->output == NULL)
        return;
    if (asked->wants_info && strcmp(asked->output, "-") == 0)
        complain(NULL, 0, "--output is standard output, where the lines of --info go (-)");
    output_guard_twin("--output", asked->output, asked->drawn.output);
}

static request
read_request(poptContext context)
{
    request asked = {.reading = PQT_PNG_DEFAULTS};
    int letter;
    asked.reading.memory = tool_memory();
    while ((letter = next_option(context)) != 0)
        take_option(&asked, context, letter);
    asked.file = only_argument(context);
    if (asked.has_offset && asked.other == NULL)
        complain(NULL, 0, "--offset moves a second picture, and none is named (--union B.png)");
    input_guard(asked.file, asked.other);
    asked.wants_info = asked.wants_info || (asked.output == NULL && asked.drawn.output == NULL);
    guard_outputs(&asked);
    return asked;
}

/* ---- what comes out ---- */

static pqt_pixel_box
moved(pqt_pixel_box box, pqt_pixel offset)
{
    return (pqt_pixel_box){{box.min.x + offset.x, box.min.y + offset.y},
                           {box.max.x + offset.x, box.max.y + offset.y}};
}

static pqt_pixel_box
joined(pqt_pixel_box a, pqt_pixel_box b)
{
    return (pqt_pixel_box){
        {a.min.x < b.min.x ? a.min.x : b.min.x, a.min.y < b.min.y ? a.min.y : b.min.y},
        {a.max.x > b.max.x ? a.max.x : b.max.x, a.max.y > b.max.y ? a.max.y : b.max.y}};
}

/* What comes out: of one picture itself, of two their result. */
static image
result_of(const request *asked, const image *a, const image *b)
{
    image result = *a;
    pqt_error error = {0};
    if (asked->joined == NULL)
        return result;
    result.region = asked->joined->join(a->region, b->region, asked->offset, &error);
    if (result.region == NULL)
        complain_error(asked->other, &error);
    if (asked->joined->reaches_out)
        result.frame = joined(a->frame, moved(b->frame, asked->offset));
    return result;
}

/* ---- pictures out ---- */

static void
write_png(const request *asked, const image *result)
{
    pqt_error error = {0};
    FILE *stream = output_open(asked->output);
    if (pqt_png_write(stream, result->region, result->frame, &error))
        return;
    if (error.status == PQT_ERROR_STREAM)
        output_close(); /* knows why */
    complain_error(asked->output, &error);
}

/* Complains about a result larger than anyone wants to wait for. */
static void
guard_size(const request *asked, const image *result)
{
    const int64_t width = (int64_t)result->frame.max.x - result->frame.min.x;
    const int64_t height = (int64_t)result->frame.max.y - result->frame.min.y;
    if (width * height > MOST_PIXELS)
        complain(asked->output, 0,
                 "the frame of both is more than %s pixels (%" PRId64 " x %" PRId64 ")",
                 grouped((uint64_t)MOST_PIXELS).text, width, height);
}

static void
write_outputs(request *asked, const image *a, const image *b, const image *result)
{
    if (asked->output != NULL) {
        guard_size(asked, result);
        write_png(asked, result);
    }
    if (asked->drawn.output != NULL)
        region_draw(asked, a, b, result);
    if (asked->wants_info)
        region_print(asked, a, b, result);
    if (asked->output == NULL || strcmp(asked->output, "-") != 0)
        finish_standard_output();
    output_close();
}

int
region_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] IN.png", purpose);
    request asked = read_request(context);
    const image a = image_read(asked.file, &asked.reading);
    const image b = asked.other != NULL ? image_read(asked.other, &asked.reading) : a;
    const image result = result_of(&asked, &a, &b);
    write_outputs(&asked, &a, &b, &result);
    const bool found = pqt_region_count(result.region) > 0;
    free(asked.other);
    free(asked.output);
    free(asked.drawn.output);
    poptFreeContext(context);
    return found ? STATUS_FOUND : STATUS_NOTHING;
}
