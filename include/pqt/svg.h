/* SPDX-License-Identifier: MIT */
/**
 * @file svg.h - pictures of versions, written to a stream as SVG.
 *
 *     pqt_svg svg;
 *     pqt_svg_begin(&svg, stream, pqt_tree_bounds(tree), NULL, &error);
 *     pqt_svg_cells(&svg, tree, "cells");
 *     pqt_svg_items(&svg, tree, query, "items");
 *     pqt_svg_box(&svg, query.window, "window");
 *     if (!pqt_svg_end(&svg, &error))
 *         return complain(&error);
 *
 * A picture shows a part of the world, the map, with an optional title above it, and keys and a
 * note below. What is drawn later lies on top. Drawing never fails: what went wrong is told once,
 * by pqt_svg_end. Nothing is kept of what is drawn, so a picture needs no memory, however large.
 *
 * Places are in world units, sizes in picture units (pixels of a browser, before zooming). Numbers
 * are rounded to 1/100 of a picture unit and written with a point, whatever the host's locale. Text
 * is UTF-8; what may not stand in XML is replaced by U+FFFD.
 *
 * How things look is said by *classes*, as in CSS: each drawing function takes the name of one.
 * Known from the start are `cells` (a faint grid), `items`, `found` (strong), and `window`; others
 * are defined in the options' style. Each draws lines, so a box of no width is still seen; boxes
 * that are smaller than half a picture unit both ways, points above all, are drawn as dots and
 * belong to the class `dot` as well: `.town{stroke:navy} .town.dot{stroke-width:3}` makes navy
 * dots, 3 wide.
 */
#ifndef PQT_SVG_H
#define PQT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pqt/box.h>
#include <pqt/circle.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/query.h>
#include <pqt/segment.h>
#include <pqt/vec.h>

PQT_BEGIN_DECLARATIONS

/** How a picture is made. Start from PQT_SVG_DEFAULTS. */
typedef struct pqt_svg_options {
    size_t size;       /**< sizeof(pqt_svg_options), set by PQT_SVG_DEFAULTS */
    double width;      /**< the map fits in width x height, the world's shape kept; half of each */
    double height;     /**< is used at least; picture units, 16..16384 each */
    bool flip_y;       /**< y of the world points up, as on maps of the earth; else down */
    const char *title; /**< one line above the map, or NULL */
    const char *note;  /**< one small line below the map, for sources and credits, or NULL */
    const char *style; /**< CSS rules that come after the built-in ones, or NULL */
} pqt_svg_options;

/** Initial value of options: at most 960 x 720, y down, no texts. */
#define PQT_SVG_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_svg_options), 960, 720, false, NULL, NULL, NULL                                 \
    }

/** A picture that is being drawn. It lies where you put it, and owns nothing; its fields are
    private. */
typedef struct pqt_svg {
    FILE *stream; /* NULL: the beginning failed, nothing is written */
    const char *note;
    pqt_vec half_low;   /* half of the world's lower corner: halves do not overflow */
    double half_extent; /* half of the world's longer side */
    double scale;       /* picture units of the longer side */
    pqt_vec inset;      /* where the lower corner lies on the map, picture units */
    pqt_vec map;        /* width and height of the map, picture units */
    double below;       /* y of the line below the map */
    double key_x;       /* where the next key goes */
    bool flip_y;
    bool on_map; /* no key was drawn yet */
} pqt_svg;

/** How a key is drawn; see pqt_svg_key. */
typedef enum pqt_svg_sign {
    PQT_SVG_BOX = 1, /**< a small box */
    PQT_SVG_DOT = 2, /**< a dot */
    PQT_SVG_LINE = 3 /**< a short line, from left to right */
} pqt_svg_sign;

/**
 * Begins a picture: writes all that comes before the first thing drawn.
 *
 * @param svg      set up; a failed beginning turns all that follows into nothing, pqt_svg_end into
 *                 false
 * @param stream   open for writing, not NULL; never closed
 * @param world    the part of the world that the map shows, world units; a point or a line is
 *                 allowed
 * @param options  NULL: the defaults; its texts must stay valid until pqt_svg_end
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         false on failure
 *
 * @error PQT_ERROR_BOX     the world is NaN, infinite or inside out
 * @error PQT_ERROR_OPTION  width, height or size is out of its range
 * @thread  one thread at a time for one picture and one stream
 * @since   0.1
 */
PQT_API bool pqt_svg_begin(pqt_svg *svg, FILE *stream, pqt_box world,
                           const pqt_svg_options *options, pqt_error *error);

/**
 * Draws the cells of a version: the bounds, and the lines that divide each divided cell.
 *
 * Lines within cells that are smaller than a picture unit are left out.
 *
 * @param tree        not NULL
 * @param class_name  the class of the lines, such as "cells"
 * @cost  O(nodes)
 * @since 0.1
 */
PQT_API void pqt_svg_cells(pqt_svg *svg, const pqt_tree *tree, const char *class_name);

/**
 * Draws the items that a query finds, in at most two paths: boxes, then dots.
 *
 * @param tree        not NULL
 * @param query       its filter is called twice for each item
 * @param class_name  the class of the items, such as "items" or "found"
 * @cost  two visits of the query; about 8 bytes of picture a dot, 25 a box
 * @since 0.1
 */
PQT_API void pqt_svg_items(pqt_svg *svg, const pqt_tree *tree, const pqt_query *query,
                           const char *class_name);

/**
 * Draws one box, such as a window, or a point: infinite sides are cut off outside the map.
 *
 * @param box         world units; one that is NaN or inside out is not drawn
 * @param class_name  the class of the box, such as "window"
 * @since 0.1
 */
PQT_API void pqt_svg_box(pqt_svg *svg, pqt_box box, const char *class_name);

/**
 * Draws one circle, such as a body of a world; one that is smaller than half a picture unit is
 * drawn as a dot.
 *
 * @param circle      world units; one whose radius is negative, or with a number that is not
 *                    finite, is not drawn, nor is one whose radius is more than 16384 picture units
 * @param class_name  the class of the circle
 * @cost  about 50 bytes of picture
 * @since 0.1
 */
PQT_API void pqt_svg_circle(pqt_svg *svg, pqt_circle circle, const char *class_name);

/**
 * Draws lines from point to point, such as rays, distances or pairs, in one path for each 200.
 *
 * What lies off the map is cut off, so that a line keeps its direction however long it is; of one
 * much longer than the map is wide, the place is as exact as its ends are. A line of no length is
 * drawn as a dot as wide as the class's lines.
 *
 * @param segments    world units; those with a number that is not finite are not drawn; NULL if
 *                    count is 0
 * @param class_name  the class of the lines
 * @cost  O(count); about 15 bytes of picture a line
 * @since 0.1
 */
PQT_API void pqt_svg_segments(pqt_svg *svg, const pqt_segment *segments, size_t count,
                              const char *class_name);

/**
 * Writes a line of text on the map; it begins at a place and runs to the right of it.
 *
 * @param position       world units; one that does not lie on the map is passed over
 * @param class_name  the class of the text; `fill` is its colour
 * @since 0.1
 */
PQT_API void pqt_svg_text(pqt_svg *svg, pqt_vec position, const char *text, const char *class_name);

/**
 * Draws a key below the map, right of the last one: a sign of a class, and what it means.
 *
 * With the first key the map is finished: keys come last.
 *
 * @param sign        how the class looks on the map; a dot is drawn 6 units wide, in class `sign`
 * @param class_name  the class that the key explains
 * @since 0.1
 */
PQT_API void pqt_svg_key(pqt_svg *svg, pqt_svg_sign sign, const char *class_name, const char *text);

/**
 * Ends the picture and flushes the stream.
 *
 * @return  whether all of the picture was written
 * @error PQT_ERROR_STREAM  the stream could not be written, now or before
 *                           (also if the picture was never begun)
 * @since 0.1
 */
PQT_API bool pqt_svg_end(pqt_svg *svg, pqt_error *error);

PQT_END_DECLARATIONS

#endif
