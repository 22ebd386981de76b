/* SPDX-License-Identifier: MIT */
/* picture.h: options, bounds and styles that the pictures of the commands share. */
#ifndef PICTURE_H
#define PICTURE_H

#include "tool/tool.h"

/* Initial value of the SVG options: pictures are larger than the library's default. */
#define PICTURE_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_svg_options), 1200, 900, false, NULL, NULL, NULL                                \
    }

typedef struct picture_title {
    char text[300];
} picture_title;

/* Returns a file's name without its folder. */
const char *name_of(const char *file);

/* Returns a title: the name of the file without its folder, a colon, and `what`. */
picture_title title_of(const char *file, const char *what);

/* Returns how the legend shows the items of a file. */
pqt_svg_sign sign_of(const table *rows);

/* Returns the width of dots for a number of items: wide enough to be seen if there are few, and
 * narrow enough not to cover each other if there are many. */
const char *dot_width(size_t items);

/* ---- Pictures of a command's results, in addition to its text output ---- */

/* The options of such commands. */
#define PICTURE_OPTIONS                                                                            \
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw the results", "OUT.svg"},                       \
    {                                                                                              \
        "flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL             \
    }

/* A picture. Zero-initialise it. */
typedef struct picture {
    char *output; /* the file to write; NULL if none: call only picture_option then */
    bool flip_y;
    pqt_svg_sign sign; /* how the legend shows items; set by picture_adapt */
    pqt_svg svg;       /* valid between picture_begin and picture_end */
    picture_title title;
    const char *more_style; /* additional CSS rules, or NULL */
    char style[1600];
} picture;

/* Handles an option of PICTURE_OPTIONS; ignores others. */
void picture_option(picture *drawn, poptContext context, int letter);

/* Adapts the picture to a file: y points up for lon,lat, and the legend has dots for points. */
void picture_adapt(picture *drawn, const table *rows);

/* Ends the program with an error if the picture would replace an input or go to standard output. */
void picture_guard(const picture *drawn, const char *input);

/* Returns a window with finite sides: the sides of the bounds replace infinite ones. */
pqt_box picture_window(pqt_box window, pqt_box bounds);

/* Returns a box with a margin, unless that would exceed the range of doubles. */
pqt_box picture_framed(pqt_box shown);

/* Returns a box that is at least as wide as high, which leaves space for the legend. */
pqt_box picture_wide(pqt_box shown);

/* Begins a picture of a box with a margin. `items` is the number of items in the background. */
void picture_begin(picture *drawn, const char *file, const char *what, pqt_box shown, size_t items);

/* Like picture_begin, with the items of a version in the background. */
void picture_begin_over(picture *drawn, const char *file, const char *what, pqt_box shown,
                        const pqt_tree *tree);

/* Draws items. Equal items are drawn once, and items whose boxes are not valid are left out. */
void picture_items(picture *drawn, pqt_item *items, size_t count, const char *class_name);

/* Ends the drawing. Ends the program with an error if it could not be written. The file is renamed
   later. */
void picture_end(picture *drawn);

/* Flushes the command's output, then renames the picture and any other output to their final
   names. */
void picture_release(picture *drawn);

#endif
