/* SPDX-License-Identifier: MIT */
/*
 * image_commands.h: random commands on images and on plain arrays of colours, selected by weight.
 *
 * A command uses one of the last KEPT versions.
 */
#ifndef TEST_IMAGE_COMMANDS_H
#define TEST_IMAGE_COMMANDS_H

#include "image_model.h"
#include "random.h"

enum { KEPT = 6 };

typedef struct image_version {
    const pqt_image *image;
    image_model model;
    pqt_pin *pin; /* keeps the image where a heap reclaims */
} image_version;

typedef struct image_stage {
    dice d;
    pqt_memory *memory;
    image_version versions[KEPT];
    const char *doing;
    size_t step;
} image_stage;

typedef struct image_command {
    const char *name;
    image_version (*run)(image_stage *s);
    size_t weight;
} image_command;

/* Fails the test, with the command and its number, unless the condition holds. */
void image_require(const image_stage *s, bool holds, const char *text);

/* Requires that a version has the pixels and the nodes of its model. */
void image_require_match(const image_stage *s, const image_version *v);

/* Draw arguments, which are often at the edges of an image. */
pqt_rgba image_draw_colour(dice *d);
pqt_pixel_box image_draw_box(dice *d, const image_model *model);
pqt_paint image_draw_paint(dice *d, const image_model *model);

image_version *image_draw_version(image_stage *s);
const image_command *image_draw_command(dice *d);

/* Returns a version of one colour, or of random ones. */
image_version image_start_again(image_stage *s);

#endif
