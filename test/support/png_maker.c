/* SPDX-License-Identifier: MIT */
/* png_maker.c: makes PNG files byte by byte, both valid and invalid ones. */
#include "config.h"

#include "png_maker.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STORED = 65535 }; /* the maximum number of bytes in an uncompressed block */

void
png_file_free(png_file *file)
{
    free(file->bytes);
    *file = (png_file){NULL, 0, 0};
}

void
png_file_bytes(png_file *file, const void *bytes, size_t length)
{
    if (file->length + length > file->capacity) {
        file->capacity = 2 * file->capacity + length;
        file->bytes = realloc(file->bytes, file->capacity);
        if (file->bytes == NULL)
            abort();
    }
    if (length > 0)
        memcpy(file->bytes + file->length, bytes, length);
    file->length += length;
}

static void
put_byte(png_file *file, unsigned byte)
{
    png_file_bytes(file, &(uint8_t){(uint8_t)byte}, 1);
}

static void
put_word(png_file *file, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        put_byte(file, word >> shift & 0xff);
}

void
png_file_signature(png_file *file)
{
    png_file_bytes(file, "\x89PNG\r\n\x1a\n", 8);
}

/* Computes the CRC bit by bit, as in Annex D of the standard. */
static uint32_t
checksum(const uint8_t *bytes, size_t length)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = (sum & 1) != 0 ? 0xedb88320u ^ sum >> 1 : sum >> 1;
    }
    return ~sum;
}

void
png_file_chunk(png_file *file, const char name[4], const void *data, size_t length)
{
    put_word(file, (uint32_t)length);
    const size_t start = file->length;
    png_file_bytes(file, name, 4);
    png_file_bytes(file, data, length);
    put_word(file, checksum(file->bytes + start, length + 4));
}

void
png_file_head(png_file *file, uint32_t width, uint32_t height, int bits, int kind, bool interlaced)
{
    png_file head = {NULL, 0, 0};
    put_word(&head, width);
    put_word(&head, height);
    put_byte(&head, (unsigned)bits);
    put_byte(&head, (unsigned)kind);
    put_byte(&head, 0);
    put_byte(&head, 0);
    put_byte(&head, interlaced);
    png_file_chunk(file, "IHDR", head.bytes, head.length);
    png_file_free(&head);
}

/* Writes uncompressed blocks (RFC 1951) in a stream (RFC 1950). */
static void
put_stored(png_file *to, const uint8_t *bytes, size_t length)
{
    uint32_t a = 1, b = 0;
    png_file_bytes(to, "\x78\x01", 2);
    for (size_t at = 0; at < length || at == 0; at += MOST_STORED) {
        const size_t rest = length - at, size = rest < MOST_STORED ? rest : MOST_STORED;
        put_byte(to, rest <= MOST_STORED);
        put_byte(to, size & 0xff);
        put_byte(to, (unsigned)(size >> 8));
        put_byte(to, ~size & 0xff);
        put_byte(to, (unsigned)(~size >> 8) & 0xff);
        png_file_bytes(to, bytes + at, size);
    }
    for (size_t i = 0; i < length; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    put_word(to, b << 16 | a);
}

int
png_picture_channels(int kind)
{
    static const int channels[] = {1, 0, 3, 1, 2, 0, 4};
    return channels[kind];
}

/* Writes the byte for "no filter", then the pixels x, x + step_x, ... of row y, packed. */
static void
put_row(png_file *data, const png_picture *picture, uint32_t x, uint32_t y, uint32_t step_x)
{
    const int channels = png_picture_channels(picture->kind), bits = picture->bits;
    unsigned packed = 0;
    int used = 0;
    put_byte(data, 0);
    for (; x < picture->width; x += step_x)
        for (int i = 0; i < channels; i++) {
            const size_t pixel = (size_t)y * picture->width + x;
            const unsigned number = picture->numbers[pixel * (size_t)channels + (size_t)i];
            if (bits == 16)
                put_byte(data, number >> 8);
            packed =
                packed << (bits < 8 ? bits : 8) | (number & (bits < 8 ? (1u << bits) - 1 : 0xff));
            used += bits < 8 ? bits : 8;
            if (used == 8) {
                put_byte(data, packed & 0xff);
                packed = 0;
                used = 0;
            }
        }
    if (used > 0)
        put_byte(data, packed << (8 - used) & 0xff);
}

/* Writes rows y, y + step_y, ... of these columns, or nothing if there are no such columns. */
static void
put_rows(png_file *data, const png_picture *picture, uint32_t x, uint32_t y, uint32_t step_x,
         uint32_t step_y)
{
    for (; x < picture->width && y < picture->height; y += step_y)
        put_row(data, picture, x, y, step_x);
}

static void
put_pixels(png_file *data, const png_picture *picture)
{
    if (!picture->interlaced) {
        put_rows(data, picture, 0, 0, 1, 1);
        return;
    }
    put_rows(data, picture, 0, 0, 8, 8);
    put_rows(data, picture, 4, 0, 8, 8);
    put_rows(data, picture, 0, 4, 4, 8);
    put_rows(data, picture, 2, 0, 4, 4);
    put_rows(data, picture, 0, 2, 2, 4);
    put_rows(data, picture, 1, 0, 2, 2);
    put_rows(data, picture, 0, 1, 1, 2);
}

void
png_picture_file(png_file *file, const png_picture *picture)
{
    png_file data = {NULL, 0, 0}, packed = {NULL, 0, 0};
    put_pixels(&data, picture);
    put_stored(&packed, data.bytes, data.length);
    png_file_signature(file);
    png_file_head(file, picture->width, picture->height, picture->bits, picture->kind,
                  picture->interlaced);
    if (picture->palette_size > 0)
        png_file_chunk(file, "PLTE", picture->palette, 3 * picture->palette_size);
    if (picture->transparent_size > 0)
        png_file_chunk(file, "tRNS", picture->transparent, picture->transparent_size);
    png_file_chunk(file, "IDAT", packed.bytes, packed.length);
    png_file_chunk(file, "IEND", NULL, 0);
    png_file_free(&data);
    png_file_free(&packed);
}
