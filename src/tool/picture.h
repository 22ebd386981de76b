/* SPDX-License-Identifier: MIT */
/* picture.h: options, bounds and styles that are common to the pictures of all commands. */
#ifndef PICTURE_H
#define PICTURE_H

#include <popt.h>
#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/tooltips.h"

/* The initial value of the SVG options. Pictures are larger than the library's default. */
#define PICTURE_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_svg_options), 1200, 900, false, NULL, NULL, NULL                                \
    }

typedef struct picture_title {
    char text[300];
} picture_title;

/* Returns the name of a file without its folder. */
const char *name_of(const char *file);

/* Returns a title, which consists of the name of the file without its folder, a colon, and
   `what`. */
picture_title title_of(const char *file, const char *what);

/* Returns the sign that represents the items of a file in the legend. */
pqt_svg_sign sign_of(const table *rows);

/* Returns the width of dots for a number of items. It is large enough for few dots to be seen, and
   small enough for many dots not to cover each other. */
const char *dot_width(size_t items);

/* ---- Pictures that a command draws in addition to its text output ---- */

/* The options of commands that draw such pictures. */
#define PICTURE_OPTIONS                                                                            \
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: the results", "OUT.svg"},               \
    {                                                                                              \
        "flip-y", 'f', POPT_ARG_NONE, NULL, 'f', "let y point up in the picture", NULL             \
    }

/* A picture. Initialise it with zeros. */
typedef struct picture {
    char *output; /* NULL: no picture; then only picture_option may be called */
    bool flip_y;
    bool is_globe;     /* positions are longitudes and latitudes on a map from -180 to 180 */
    pqt_svg_sign sign; /* the sign for items in the legend; set by picture_adapt */
    pqt_svg svg;       /* valid between picture_begin and picture_end */
    tooltips tips;     /* begun by picture_begin; the command adds them and draws them last */
    picture_title title;
    const char *more_style; /* additional CSS rules, or NULL */
    char style[1600];
} picture;

/* Handles one of PICTURE_OPTIONS. Ignores other options. */
void picture_option(picture *drawn, poptContext context, int letter);

/* Adapts the picture to a file: y points up if it is a latitude, and the legend has dots if
   the items are points. */
void picture_adapt(picture *drawn, const table *rows);

/* Ends the program with an error if the picture would replace an input or go to standard output. */
void picture_guard(const picture *drawn, const char *input);

/* Returns a window with finite sides. Infinite sides are replaced with those of the bounds. */
pqt_box picture_window(pqt_box window, pqt_box bounds);

/* Returns a box with a margin, unless that would exceed the range of doubles. */
pqt_box picture_framed(pqt_box shown);

/* Returns a box that is at least as wide as it is high, so that there is space for the legend. */
pqt_box picture_wide(pqt_box shown);

/* Begins a picture of a box with a margin. `items` is the number of items in the background. */
void picture_begin(picture *drawn, const char *file, const char *what, pqt_box shown, size_t items);

/* Like picture_begin, with the items of a version in the background. */
void picture_begin_over(picture *drawn, const char *file, const char *what, pqt_box shown,
                        const pqt_tree *tree);

/* Draws items. Equal items are drawn once, and items whose boxes are not valid are left out. */
void picture_items(picture *drawn, pqt_item *items, size_t count, const char *class_name);

/* Draws the tooltips of the items of a tree. Frees the results. */
void picture_tooltips(picture *drawn, table *rows, const pqt_tree *tree, result_items *found);

/* Ends the drawing. Ends the program with an error if the picture could not be written. The file
   gets its final name later. */
void picture_end(picture *drawn);

/* Flushes the command's output, then renames the picture and any other output to their final
   names. */
void picture_release(picture *drawn);

#endif
