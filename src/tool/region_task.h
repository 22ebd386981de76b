/* SPDX-License-Identifier: MIT */
/* region_task.h - what `pqt region` was asked, what it read, and what came out. */
#ifndef REGION_TASK_H
#define REGION_TASK_H

#include "tool/input_png.h"
#include "tool/picture.h"

typedef const pqt_region *join_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                  pqt_error *error);

/* How two pictures are joined. */
typedef struct operation {
    char letter;
    const char *name;
    join_fn *join;
    bool reaches_out; /* the result may have pixels outside of the first picture */
} operation;

typedef struct request {
    const char *file;
    char *other;             /* B.png, or NULL */
    const operation *joined; /* how; NULL without B.png */
    pqt_pixel offset;
    bool has_offset;
    bool wants_info;
    pqt_png_options reading;
    char *output; /* NULL: no PNG is written */
    picture drawn;
} request;

/* Prints what the pixels of a result are; b is the second picture, if there is one. */
void region_print(const request *asked, const image *a, const image *b, const image *result);

/* Draws them, on the pictures that were joined; the file does not have its name yet. */
void region_draw(request *asked, const image *a, const image *b, const image *result);

#endif
