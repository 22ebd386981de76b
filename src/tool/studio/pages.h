/* SPDX-License-Identifier: MIT */
/*
 * pages.h: the files of the studio, which are part of the program.
 *
 * When the program is built, the script embed writes pages.c from src/studio and from the
 * JavaScript package. If pqt.wasm, which `make studio` compiles, does not exist, pages.c contains
 * only the other files, and studio_is_complete is false.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* The content security policy of the pages: everything is loaded from the server, and nothing else
   is allowed. */
#define PAGE_POLICY                                                                                \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "               \
    "style-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'"

typedef struct studio_page {
    const char *path; /* the path, without a slash at its beginning */
    const unsigned char *bytes;
    size_t size;
} studio_page;

extern const studio_page studio_pages[];
extern const size_t studio_page_count;
extern const bool studio_is_complete;

#endif
