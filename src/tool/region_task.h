/* SPDX-License-Identifier: MIT */
/*
 * region_task.h: the options and results of `pqt region`.
 *
 * Sources of this folder without a header of their own: cmd_region_view.c.
 */
#ifndef REGION_TASK_H
#define REGION_TASK_H

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/input_png.h"
#include "tool/output_version.h"
#include "tool/picture.h"

typedef const pqt_region *operation_fn(const pqt_region *a, const pqt_region *b, pqt_pixel offset,
                                       pqt_error *error);

/* A set operation on two pictures. */
typedef struct operation {
    char letter;
    const char *name;
    operation_fn *combine;
    bool extends_frame; /* the result may have pixels outside the first picture */
} operation;

typedef struct request {
    const char *file;
    char *other;                /* the file B.png, or NULL */
    const operation *operation; /* NULL if there is no B.png */
    pqt_pixel offset;
    bool has_offset;
    bool wants_info;
    pqt_png_options reading;
    char *output; /* NULL: no pixels are written */
    output_format format;
    picture drawn;
} request;

/* Prints information about the result. `b` is the second picture, if there is one. */
void region_print(const request *req, const image *a, const image *b, const image *result);

/* Draws the result over its operands. Later, output_close renames the file to its final name. */
void region_draw(request *req, const image *a, const image *b, const image *result);

#endif
