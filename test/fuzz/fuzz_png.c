/* SPDX-License-Identifier: MIT */
/*
 * fuzz_png.c: reads arbitrary bytes as a PNG file. The call must succeed, or fail with a one-line
 * message.
 *
 * The first bytes choose the options and the form of the rest: a file, or a list of chunks, each
 * with a name, a length and data. Chunks get correct checksums, so that a fuzzing engine gets past
 * the check. Reading from a stream must give the same region as reading from memory. If the region
 * is written as a picture and read again, it must be the same.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pqt/memory.h>
#include <pqt/png.h>

#include "png_maker.h"
#include "random.h"
#include "replay.h"

enum { MOST_PIXELS = 1 << 16, MOST_SEED_SIDE = 24 };

/* ---- files ---- */

/* The chunks that PNG defines, and one that it does not. */
static const char *const names[] = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA",
                                    "iCCP", "zTXt", "tEXt", "sRGB", "abCd", "IDAT"};
enum { NAMES = sizeof names / sizeof names[0] };

/* Adds a chunk. Its name, its length and its data are taken from the input. */
static void
put_chunk(png_file *file, input *in)
{
    const unsigned name = take(in) % NAMES;
    size_t length = take(in) << 8;
    length |= take(in);
    if (length > in->size - in->at)
        length = in->size - in->at;
    png_file_chunk(file, names[name], in->data + in->at, length);
    in->at += length;
}

static png_file
take_file(input *in)
{
    png_file file = {NULL, 0, 0};
    if (take(in) % 2 == 0) {
        png_file_bytes(&file, in->data + in->at, in->size - in->at);
        return file;
    }
    png_file_signature(&file);
    while (in->at < in->size)
        put_chunk(&file, in);
    return file;
}

static pqt_png_options
take_options(input *in, pqt_memory *memory)
{
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = memory;
    options.channel = (pqt_png_channel)(PQT_PNG_AUTO + take(in) % 4);
    options.threshold = (uint8_t)take(in);
    options.at = (pqt_pixel){(int32_t)take(in) - 128, (int32_t)take(in) - 128};
    options.max_pixels = MOST_PIXELS;
    return options;
}

/* ---- checks ---- */

static void
require_refusal(const pqt_error *error)
{
    require(error->status == PQT_ERROR_FORMAT || error->status == PQT_ERROR_LIMIT, error->text);
    require(error->text[0] != '\0' && strchr(error->text, '\n') == NULL, "not one line");
}

static void
require_same(const pqt_region *read, const pqt_region *again, const pqt_error *error)
{
    require(again != NULL, error->text);
    require(pqt_region_equals(read, again), "the picture read back differs");
}

/* Reads from a stream. The bytes after the picture must not be consumed. */
static void
read_stream(const png_file *file, const pqt_png_options *options, const pqt_region *read)
{
    pqt_error error = {0};
    FILE *stream = file->length > 0 ? fmemopen(file->bytes, file->length, "rb") : NULL;
    if (stream == NULL)
        return;
    const pqt_region *again = pqt_png_read(stream, options, NULL, &error);
    fclose(stream);
    require((again != NULL) == (read != NULL), "reading a stream differs from reading memory");
    if (read != NULL)
        require_same(read, again, &error);
    else
        require_refusal(&error);
}

static void
write_and_read(const pqt_region *region, const pqt_png_head *head, const pqt_png_options *options)
{
    const pqt_pixel_box frame = {
        options->at, {options->at.x + (int32_t)head->width, options->at.y + (int32_t)head->height}};
    pqt_png_options plain = PQT_PNG_DEFAULTS;
    pqt_error error = {0};
    char *bytes = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&bytes, &length);
    require(stream != NULL, "no stream");
    require(pqt_region_count_in(region, frame) == pqt_region_count(region), "pixels outside it");
    require(pqt_png_write(stream, region, frame, &error), error.text);
    fclose(stream);
    plain.memory = options->memory;
    plain.at = options->at;
    require_same(region, pqt_png_read_bytes(bytes, length, &plain, NULL, &error), &error);
    free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pqt_error error = {0};
    input in = {data, size, 0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    const pqt_png_options options = take_options(&in, arena);
    png_file file = take_file(&in);
    pqt_png_head head;
    const pqt_region *read = pqt_png_read_bytes(file.bytes, file.length, &options, &head, &error);
    if (error.status == PQT_ERROR_UNSUPPORTED) { /* the build has no libpng */
        png_file_free(&file);
        pqt_arena_destroy(&arena);
        return 0;
    }
    if (read == NULL) {
        require_refusal(&error);
    } else {
        require(pqt_region_check(read, &error), error.text);
        write_and_read(read, &head, &options);
    }
    read_stream(&file, &options, read);
    png_file_free(&file);
    pqt_arena_destroy(&arena);
    return 0;
}

/* ---- seeds ---- */

static const struct {
    int kind, bits;
} forms[] = {{KIND_GREY, 1},    {KIND_GREY, 4},       {KIND_GREY, 16}, {KIND_PALETTE, 2},
             {KIND_PALETTE, 8}, {KIND_GREY_ALPHA, 8}, {KIND_RGB, 8},   {KIND_RGBA, 16}};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void
make_picture(dice *d, unsigned seed, png_file *file)
{
    static uint16_t numbers[4 * MOST_SEED_SIDE * MOST_SEED_SIDE];
    png_picture picture = {.kind = forms[seed % FORMS].kind, .bits = forms[seed % FORMS].bits};
    picture.width = 1 + (uint32_t)dice_below(d, MOST_SEED_SIDE);
    picture.height = 1 + (uint32_t)dice_below(d, MOST_SEED_SIDE);
    picture.interlaced = seed / FORMS % 2 == 1;
    picture.numbers = numbers;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = (uint16_t)dice_below(d, (size_t)1 << picture.bits);
    if (picture.kind == KIND_PALETTE)
        picture.palette_size = picture.transparent_size = (size_t)1 << picture.bits;
    for (size_t i = 0; i < picture.palette_size; i++) {
        picture.palette[3 * i] = (uint8_t)dice_next(d);
        picture.transparent[i] = (uint8_t)dice_next(d);
    }
    png_picture_file(file, &picture);
}

/* Writes the chunks of a valid file as commands to put_chunk. */
static void
write_chunks(const png_file *sound, FILE *file)
{
    for (size_t at = 8; at + 12 <= sound->length;) {
        const uint8_t *chunk = sound->bytes + at;
        const size_t length = (size_t)chunk[2] << 8 | chunk[3];
        unsigned name = 0;
        while (memcmp(names[name], chunk + 4, 4) != 0)
            name++;
        fputc((int)name, file);
        fwrite(chunk + 2, 1, 2, file);
        fwrite(chunk + 8, 1, length, file);
        at += length + 12;
    }
}

/* Makes seeds: valid files, valid files as chunks, and both with changed bytes. */
static void
make_seed(unsigned seed, FILE *file)
{
    dice d = {seed};
    png_file sound = {NULL, 0, 0};
    const bool as_chunks = seed / (2 * FORMS) % 2 == 1;
    make_picture(&d, seed, &sound);
    for (size_t i = seed / (4 * FORMS) * 3; i > 0; i--)
        sound.bytes[8 + dice_below(&d, sound.length - 8)] ^= (uint8_t)(1 << dice_below(&d, 8));
    fputc((int)seed, file);
    fputc(127, file);
    fputc((int)dice_below(&d, 256), file);
    fputc((int)dice_below(&d, 256), file);
    fputc(as_chunks, file);
    if (as_chunks)
        write_chunks(&sound, file);
    else
        fwrite(sound.bytes, 1, sound.length, file);
    png_file_free(&sound);
}

const fuzz_target fuzz_this = {"png", 6 * FORMS, make_seed};
