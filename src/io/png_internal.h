/* SPDX-License-Identifier: MIT */
/*
 * png_internal.h: the code that reading and writing PNG share, which handles libpng's memory and
 * its failures.
 *
 * libpng reports a failure through a callback that must not return. So setjmp must be called on
 * `escape` before any function of libpng. A function that calls libpng keeps the data that must
 * survive the jump in a struct that belongs to its caller, so that no register can hold an old
 * value:
 *
 *     static bool                              static void
 *     work(pqti_png *p)                        public_function()
 *     {                                        {
 *         if (setjmp(p->escape) != 0)              pqti_png p = {...};
 *             return false;                        if (!work(&p))
 *         ... calls to libpng ...                      ... p.message ...;
 *         return true;                             pqti_png_close(&p);
 *     }                                        }
 *
 * Sources of this folder without a header of their own: png_image.c, png_read.c,
 * png_write.c.
 */
#ifndef PQTI_PNG_INTERNAL_H
#define PQTI_PNG_INTERNAL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <png.h>

#include <pqt/error.h>

typedef struct pqti_png {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    FILE *output;       /* the stream that is written */
    bool writes;        /* true if made by pqti_png_open_writer */
    bool no_memory;     /* an allocation failed */
    bool stream_failed; /* the stream could not be read or written */
    bool ended;         /* the input ended too early */
    char message[64];   /* libpng's error message */
} pqti_png;

/* Set up libpng. Return false when out of memory. Call these after setjmp on `escape`. */
bool pqti_png_open_reader(pqti_png *p);
bool pqti_png_open_writer(pqti_png *p);

/* Makes libpng write to a stream. */
void pqti_png_write_to(pqti_png *p, FILE *stream);

/* Sets the error with which a writer failed. Returns false. */
bool pqti_png_write_failed(const pqti_png *p, pqt_error *error);

/* Frees libpng's memory. It may be called after a failed open. */
void pqti_png_close(pqti_png *p);

/* Jumps to `escape`. */
_Noreturn void pqti_png_escape(pqti_png *p);

#endif
