/* SPDX-License-Identifier: MIT */
/*
 * png_maker.h: makes PNG files byte by byte, both valid and invalid ones.
 *
 * It does not use libpng: chunks, checksums and the seven passes follow the standard (ISO/IEC
 * 15948), and the data are stored without compression. No name may equal one of libpng's, because
 * libpng would then call it in place of its own.
 */
#ifndef TEST_PNG_MAKER_H
#define TEST_PNG_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of pixels, numbered as in the file. */
enum { KIND_GREY = 0, KIND_RGB = 2, KIND_PALETTE = 3, KIND_GREY_ALPHA = 4, KIND_RGBA = 6 };

/* A file that grows. Zero-initialise it, and free it with png_file_free. */
typedef struct png_file {
    uint8_t *bytes;
    size_t length, capacity;
} png_file;

void png_file_free(png_file *file);
void png_file_bytes(png_file *file, const void *bytes, size_t length);
void png_file_signature(png_file *file);

/* Adds a whole chunk, with its length and its checksum. */
void png_file_chunk(png_file *file, const char name[4], const void *data, size_t length);
void png_file_head(png_file *file, uint32_t width, uint32_t height, int bits, int kind,
                   bool interlaced);

/* An image: its header fields and its additional chunks. */
typedef struct png_picture {
    uint32_t width, height;
    int bits, kind;
    bool interlaced;
    size_t palette_size; /* 0 means no palette */
    uint8_t palette[3 * 256];
    size_t transparent_size; /* the number of bytes of tRNS; 0 means no chunk */
    uint8_t transparent[256];
    const uint16_t *numbers; /* png_picture_channels numbers for each pixel, row by row */
} png_picture;

int png_picture_channels(int kind);
void png_picture_file(png_file *file, const png_picture *picture);

#endif
