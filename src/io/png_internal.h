/* SPDX-License-Identifier: MIT */
/*
 * png_internal.h - libpng at work: its memory, its failures, and the way out.
 *
 * libpng tells of a failure by calling back, and must not be returned to. So all calls of it stand
 * below one setjmp of `escape`, in functions that keep whatever must outlive the jump in a struct
 * of their caller, where no register can hold an old value of it:
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
    bool writes;        /* which of the two made it */
    bool no_memory;     /* an allocation failed */
    bool stream_failed; /* the stream could not be read or written */
    bool ended;         /* there was nothing left to read */
    char message[64];   /* libpng's own words */
} pqti_png;

/* Make libpng ready; false: no memory. To be called below a setjmp. */
bool pqti_png_open_reader(pqti_png *p);
bool pqti_png_open_writer(pqti_png *p);

/* Frees what libpng holds. */
void pqti_png_close(pqti_png *p);

/* Jumps out. */
_Noreturn void pqti_png_escape(pqti_png *p);

#endif
