/* SPDX-License-Identifier: MIT */
/*
 * picture.c: handles the options, bounds and styles that are common to the pictures of all
 * commands.
 *
 * A command that both prints and draws first draws, then prints, and then renames the picture to
 * its final name. So if the picture cannot be written, nothing is printed, and if the output cannot
 * be written, no picture remains.
 */
#include "config.h"

#include "tool/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/csv_table.h"
#include "tool/message.h"
#include "tool/out.h"

/* Items have pale colours, and results have strong ones. The widths of dots and links are
   appended. */
static const char found_style[] = ".ground{stroke:#9fb0bf;stroke-width:.6}\n"
                                  ".found{stroke-width:1.2}\n"
                                  ".link{stroke:#b3128a}\n"
                                  ".entry{stroke:#b3128a;stroke-width:5}\n"
                                  ".segment,.motion{stroke:#26323f;stroke-width:1.2}\n"
                                  ".mark{stroke:#26323f}\n"
                                  ".mark.dot{stroke-width:9}\n"
                                  ".ground.dot,.found.dot{stroke-width:%s}\n"
                                  ".link{stroke-width:%s}\n%s";

enum { MARGIN_DIVISOR = 16 }; /* the longer side divided by this is the margin */

const char *
name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return strcmp(file, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : file;
}

picture_title
title_of(const char *file, const char *what)
{
    picture_title title;
    snprintf(title.text, sizeof title.text, "%.200s: %s", name_of(file), what);
    return title;
}

pqt_svg_sign
sign_of(const table *rows)
{
    return rows->columns.places == 2 ? PQT_SVG_DOT : PQT_SVG_BOX;
}

const char *
dot_width(size_t items)
{
    return items < 500 ? "6" : items < 10000 ? "3.5" : items < 30000 ? "2.2" : "1.4";
}

static const char *
link_width(size_t items)
{
    return items < 500 ? "1.2" : items < 10000 ? ".5" : ".3";
}

void
picture_option(picture *drawn, poptContext context, int letter)
{
    if (letter == 's') {
        free(drawn->output);
        drawn->output = text_option(context);
    }
    drawn->flip_y = drawn->flip_y || letter == 'f';
}

void
picture_adapt(picture *drawn, const table *rows)
{
    drawn->flip_y = drawn->flip_y || rows->is_geographic || drawn->is_globe;
    if (drawn->sign != PQT_SVG_BOX)
        drawn->sign = sign_of(rows);
}

void
picture_guard(const picture *drawn, const char *input)
{
    if (drawn->output == NULL)
        return;
    if (strcmp(drawn->output, "-") == 0)
        die(NULL, 0, "--svg may not be standard output, which receives the results (-)");
    output_guard(drawn->output, input);
    output_check_name(drawn->output, "SVG");
}

pqt_box
picture_framed(pqt_box shown)
{
    pqt_vec size = pqt_box_size(shown);
    double longer = size.x > size.y ? size.x : size.y;
    pqt_box larger = pqt_box_grown(shown, longer / MARGIN_DIVISOR);
    return pqt_box_is_valid(larger) ? larger : shown;
}

/* Replaces infinite sides of a window on one axis with the bounds, or with the opposite side of the
   window. */
static void
make_axis_finite(double *min, double *max, double least, double most)
{
    if (isinf(*min))
        *min = isinf(*max) || least < *max ? least : *max;
    if (isinf(*max))
        *max = most > *min ? most : *min;
}

pqt_box
picture_window(pqt_box window, pqt_box bounds)
{
    make_axis_finite(&window.min.x, &window.max.x, bounds.min.x, bounds.max.x);
    make_axis_finite(&window.min.y, &window.max.y, bounds.min.y, bounds.max.y);
    return window;
}

pqt_box
picture_wide(pqt_box shown)
{
    pqt_vec size = pqt_box_size(shown);
    double more = size.y / 2 - size.x / 2;
    pqt_box wide = {{shown.min.x - more, shown.min.y}, {shown.max.x + more, shown.max.y}};
    return more > 0 && pqt_box_is_valid(wide) ? wide : shown;
}

void
picture_begin(picture *drawn, const char *file, const char *what, pqt_box shown, size_t items)
{
    pqt_svg_options options = PICTURE_DEFAULTS;
    pqt_error error = {0};
    drawn->title = title_of(file, what);
    drawn->tips = (tooltips){.shown = picture_framed(shown), .is_globe = drawn->is_globe};
    snprintf(drawn->style, sizeof drawn->style, found_style, dot_width(items), link_width(items),
             drawn->more_style != NULL ? drawn->more_style : "");
    options.title = drawn->title.text;
    options.style = drawn->style;
    options.flip_y = drawn->flip_y;
    if (!pqt_svg_begin(&drawn->svg, output_open(drawn->output, "SVG"), picture_framed(shown),
                       &options, &error))
        die_error(drawn->output, &error);
}

void
picture_begin_over(picture *drawn, const char *file, const char *what, pqt_box shown,
                   const pqt_tree *tree)
{
    pqt_query near = {.window = shown, .relation = PQT_TOUCHES};
    pqt_query all = {.window = pqt_tree_bounds(tree), .relation = PQT_TOUCHES};
    picture_begin(drawn, file, what, shown, pqt_tree_count_in(tree, &near));
    pqt_svg_items(&drawn->svg, tree, &all, "ground");
}

/* Moves the valid items to the front and returns their number. */
static size_t
keep_valid(pqt_item *items, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (pqt_box_is_valid(items[i].box))
            items[kept++] = items[i];
    return kept;
}

void
picture_items(picture *drawn, pqt_item *items, size_t count, const char *class_name)
{
    pqt_query all = {.relation = PQT_TOUCHES};
    count = keep_valid(items, count);
    if (count == 0)
        return;
    const pqt_tree *tree = tree_of_items(items, count, drawn->output);
    all.window = pqt_tree_bounds(tree);
    pqt_svg_items(&drawn->svg, tree, &all, class_name);
}

void
picture_tooltips(picture *drawn, table *rows, const pqt_tree *tree, result_items *found)
{
    static const pqt_vec no_offset = {0, 0};
    tooltips_add_tree(&drawn->tips, rows, tree, no_offset, found);
    result_items_free(found);
    tooltips_draw(&drawn->tips, &drawn->svg);
}

void
picture_end(picture *drawn)
{
    if (!pqt_svg_end(&drawn->svg, NULL))
        output_close(); /* reports the cause of the failure */
}

void
picture_release(picture *drawn)
{
    finish_standard_output();
    output_close();
    free(drawn->output);
}
