/* SPDX-License-Identifier: MIT */
/* picture.h - what the pictures of the commands have in common. */
#ifndef PICTURE_H
#define PICTURE_H

#include "tool/tool.h"

/* Initial value of a picture's options: larger than the library's. */
#define PICTURE_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_svg_options), 1200, 900, false, NULL, NULL, NULL                                \
    }

typedef struct picture_title {
    char text[300];
} picture_title;

/* A file's name without its folder. */
const char *name_of(const char *file);

/* "cities.csv: what". */
picture_title title_of(const char *file, const char *what);

/* How keys show the items of a file. */
pqt_svg_sign sign_of(const table *rows);

/* The width of dots that suits their number: few are to be seen, many are not to be a blot. */
const char *dot_width(size_t items);

/** @name Pictures of what a command found, beside the lines that it prints */
/** @{ */

/* The options of such commands. */
#define PICTURE_OPTIONS                                                                            \
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw what is found there", "OUT.svg"},               \
    {                                                                                              \
        "flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL             \
    }

/* Where a picture is drawn, and how. Zero it. */
typedef struct picture {
    char *output; /* NULL: none is drawn, and nothing but picture_option may be called */
    bool flip_y;
    pqt_svg_sign sign; /* how keys show items; set by picture_suit */
    pqt_svg svg;       /* to be drawn on, between picture_begin and picture_end */
    picture_title title;
    const char *more_style; /* NULL, or CSS rules of this picture alone */
    char style[1600];
} picture;

/* Takes an option that is one of PICTURE_OPTIONS; passes over others. */
void picture_option(picture *drawn, poptContext context, int letter);

/* Lets a picture suit the files that were read: y up for those of the earth, keys of dots for
   points. */
void picture_suit(picture *drawn, const table *rows);

/* Complains if the picture would replace an input, or stand between the lines on standard
   output. */
void picture_guard(const picture *drawn, const char *input);

/* A window whose sides are finite: where it has no end, it reaches as far as the bounds do. */
pqt_box picture_window(pqt_box window, pqt_box bounds);

/* A part of the world with a margin about it, unless that would leave the numbers. */
pqt_box picture_framed(pqt_box shown);

/* A part of the world no higher than wide: a picture of it has room for many keys. */
pqt_box picture_wide(pqt_box shown);

/* Makes the picture of a part of the world, with a margin; `items` of the ground are on it. */
void picture_begin(picture *drawn, const char *file, const char *what, pqt_box shown, size_t items);

/* The same with the items of a version as the ground. */
void picture_begin_over(picture *drawn, const char *file, const char *what, pqt_box shown,
                        const pqt_tree *tree);

/* Draws items; one that is there twice is drawn once. Those that are no longer valid are left
   out. */
void picture_items(picture *drawn, pqt_item *items, size_t count, const char *class_name);

/* Ends the drawing; complains if it could not be written. The file does not have its name yet. */
void picture_end(picture *drawn);

/* Flushes what the command printed, then gives the picture, and another output, their names. */
void picture_release(picture *drawn);
/** @} */

#endif
