/* SPDX-License-Identifier: MIT */
/*
 * png_source.h: a PNG that is read into a region or an image: the source of its bytes, and its
 * head.
 */
#ifndef PQTI_PNG_SOURCE_H
#define PQTI_PNG_SOURCE_H

#include <pqt/png.h>

#include "io/png_internal.h"

/* A PNG. Initialise it with a stream or bytes. */
typedef struct pqti_png_source {
    pqti_png lib;
    FILE *stream; /* NULL: reads from `bytes` */
    const uint8_t *bytes;
    size_t left;   /* the number of unread bytes in `bytes` */
    uint64_t read; /* the number of bytes that were read */
    const pqt_png_options *options;
    pqt_png_options converted; /* what `options` points to if its size differs */
    pqt_png_head head;
    int channels; /* the number of samples per pixel */
    bool is_deep; /* true if samples have 16 bits */
    pqt_error error;
} pqti_png_source;

/* The pixels in a pass of an interlaced picture: the first position and the steps to the next
   ones. */
typedef struct pqti_png_pass {
    uint32_t x, y, step_x, step_y;
} pqti_png_pass;

enum { PQTI_PNG_PASSES = 7 };
extern const pqti_png_pass pqti_png_passes[PQTI_PNG_PASSES];

/* Returns the number of positions first, first + step, ... that are below `size`. */
static inline uint32_t
pqti_png_pass_count(uint32_t size, uint32_t first, uint32_t step)
{
    return size > first ? (size - first + step - 1) / step : 0;
}

/* Sets the options. Returns false and sets `error` if they are not valid. */
bool pqti_png_begin(pqti_png_source *from, const pqt_png_options *options, pqt_error *error);

/* Reads up to the first row: the signature and the head. Then libpng returns rows of grey or colour
   samples of 8 or 16 bits, with alpha samples if the picture has transparency. Call it after setjmp
   on `escape`. On failure, returns false and sets `error` in the source or the flags in `lib`. */
bool pqti_png_read_start(pqti_png_source *from);

/* Sets `error` from the flags in `lib`, unless it is already set. */
void pqti_png_report(pqti_png_source *from);

#endif
