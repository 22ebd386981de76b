/* SPDX-License-Identifier: MIT */
/*
 * png_internal.h: the parts that reading and writing PNG share: memory and failures of libpng.
 *
 * libpng reports a failure by a callback that must not return. So one setjmp of `escape` precedes
 * all calls of libpng. A function that calls libpng keeps what must survive the jump in a struct of
 * its caller, where no register can hold an old value of it:
 *
 *     static bool                              static void
 *     work(pqti_png *p)                        public_function()
 *     {                                        {
 *         if (setjmp(p->escape) != 0)              pqti_png p = {...};
 *             return false;                        if (!work(&p))
 *         ... calls of libpng ...                      ... p.message ...;
 *         return true;                             pqti_png_close(&p);
 *     }                                        }
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
    bool writes;        /* made by pqti_png_open_writer */
    bool no_memory;     /* an allocation failed */
    bool stream_failed; /* the stream could not be read or written */
    bool ended;         /* the input ended too early */
    char message[64];   /* libpng's error message */
} pqti_png;

/* Set up libpng. Return false without memory. Call after setjmp of `escape`. */
bool pqti_png_open_reader(pqti_png *p);
bool pqti_png_open_writer(pqti_png *p);

/* Frees the memory of libpng; may be called after a failed open. */
void pqti_png_close(pqti_png *p);

/* Jumps to `escape`. */
_Noreturn void pqti_png_escape(pqti_png *p);

#endif
