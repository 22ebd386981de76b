/* SPDX-License-Identifier: MIT */
/**
 * @file svg.h - draws versions as SVG pictures on a stream.
 *
 *     pqt_svg svg;
 *     pqt_svg_begin(&svg, stream, pqt_tree_bounds(tree), NULL, &error);
 *     pqt_svg_cells(&svg, tree, "cells");
 *     pqt_svg_items(&svg, tree, query, "items");
 *     pqt_svg_box(&svg, query.window, "window");
 *     if (!pqt_svg_end(&svg, &error))
 *         return complain(&error);
 *
 * A picture shows a part of the world, the map. A title may be above it, keys and a note below it.
 * Later shapes cover earlier ones. Drawing functions do not fail: pqt_svg_end reports the first
 * failure. Shapes are written at once, so a picture of any size takes no memory.
 *
 * Positions are in world units. Sizes are in picture units, the pixels of a browser without zoom.
 * Numbers are rounded to 1/100 of a picture unit and written with a point in every locale. Text is
 * UTF-8; characters that XML forbids are replaced by U+FFFD.
 *
 * *Classes*, as in CSS, determine the style: each drawing function takes the name of a class. The
 * built-in classes are `cells` (a faint grid), `items`, `found` (strong) and `window`; the options'
 * style may define others. Each class draws outlines, so a box of width 0 is visible. A box smaller
 * than half a picture unit in width and height, such as a point, is drawn as a dot and also belongs
 * to the class `dot`: `.town{stroke:navy} .town.dot{stroke-width:3}` makes navy dots, 3 wide.
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

/** Options of a picture. Start from PQT_SVG_DEFAULTS. */
typedef struct pqt_svg_options {
    size_t size;       /**< sizeof(pqt_svg_options), set by PQT_SVG_DEFAULTS */
    double width;      /**< the largest width of the map; picture units, 16..16384 */
    double height;     /**< its largest height, likewise; the map has at least half of each */
    bool flip_y;       /**< y points up, as on geographical maps; otherwise down */
    const char *title; /**< one line above the map, or NULL */
    const char *note;  /**< one small line below the map, such as a source, or NULL */
    const char *style; /**< CSS rules that follow the built-in ones, or NULL */
} pqt_svg_options;

/** Initial value of options: at most 960 x 720, y down, no text. */
#define PQT_SVG_DEFAULTS                                                                           \
    {                                                                                              \
        sizeof(pqt_svg_options), 960, 720, false, NULL, NULL, NULL                                 \
    }

/** A picture that is being drawn. It owns no memory, and its fields are private. */
typedef struct pqt_svg {
    FILE *stream;       /**< NULL: pqt_svg_begin failed, nothing is written */
    const char *note;   /**< the note of pqt_svg_begin */
    pqt_vec half_low;   /**< half of the world's lower corner; halves do not overflow */
    double half_extent; /**< half of the world's longer side */
    double scale;       /**< picture units of the longer side */
    pqt_vec inset;      /**< position of the lower corner on the map, picture units */
    pqt_vec map;        /**< width and height of the map, picture units */
    double below;       /**< y of the text below the map */
    double key_x;       /**< x of the next key */
    bool flip_y;        /**< y points up in the picture */
    bool on_map;        /**< no key was drawn */
} pqt_svg;

/** The sign of a key; see pqt_svg_key. */
typedef enum pqt_svg_sign {
    PQT_SVG_BOX = 1, /**< a small box */
    PQT_SVG_DOT = 2, /**< a dot */
    PQT_SVG_LINE = 3 /**< a short horizontal line */
} pqt_svg_sign;

/**
 * Begins a picture: writes everything that precedes the first shape.
 *
 * @param svg      initialised; after a failure the drawing functions do nothing, and pqt_svg_end
 *                 returns false
 * @param stream   open for writing, not NULL; never closed
 * @param world    the part of the world that the map shows, world units; a point or a line is
 *                 allowed
 * @param options  NULL means PQT_SVG_DEFAULTS; their strings must stay valid until pqt_svg_end
 * @return         false on failure
 *
 * @error PQT_ERROR_BOX     the world is NaN, infinite or inverted
 * @error PQT_ERROR_OPTION  width, height or size is out of range
 * @thread  one thread at a time for one picture and one stream
 */
PQT_API bool pqt_svg_begin(pqt_svg *svg, FILE *stream, pqt_box world,
                           const pqt_svg_options *options, pqt_error *error);

/**
 * Draws the cells of a version: the bounds, and the lines that divide each inner cell.
 *
 * Cells that are smaller than a picture unit are drawn without such lines.
 *
 * @param svg         from pqt_svg_begin
 * @param tree        not NULL
 * @param class_name  the class of the lines, such as "cells"
 * @cost  O(nodes)
 */
PQT_API void pqt_svg_cells(pqt_svg *svg, const pqt_tree *tree, const char *class_name);

/**
 * Draws the items that a query finds as at most two paths: boxes, then dots.
 *
 * @param svg         from pqt_svg_begin
 * @param tree        not NULL
 * @param query       its filter is called twice for each item
 * @param class_name  the class of the items, such as "items" or "found"
 * @cost  two visits of the query; about 8 bytes for each dot, 25 for each box
 */
PQT_API void pqt_svg_items(pqt_svg *svg, const pqt_tree *tree, const pqt_query *query,
                           const char *class_name);

/**
 * Draws one box, such as a window, or a point. Infinite sides are clipped outside the map.
 *
 * @param svg         from pqt_svg_begin
 * @param box         world units; not drawn if it is NaN or inverted
 * @param class_name  the class of the box, such as "window"
 */
PQT_API void pqt_svg_box(pqt_svg *svg, pqt_box box, const char *class_name);

/**
 * Gives a box or a point a tooltip: a browser shows the text while the pointer is over the box.
 *
 * An invisible shape of the class `tip` covers the box. Later ones cover earlier ones, so give
 * small boxes theirs after large ones. A point has a disc 8 wide.
 *
 *     pqt_svg_tip(&svg, item.box, "Fiji");
 *
 * @param svg   from pqt_svg_begin
 * @param box   world units; none for NaN, an inverted box, and one that is not on the map
 * @param text  UTF-8
 * @cost  about 60 bytes and the text
 */
PQT_API void pqt_svg_tip(pqt_svg *svg, pqt_box box, const char *text);

/**
 * Draws one circle, such as a body of a world. A circle smaller than half a picture unit is drawn
 * as a dot.
 *
 * @param svg         from pqt_svg_begin
 * @param circle      world units; not drawn if a number is not finite, the radius is negative, or
 *                    the radius exceeds 16384 picture units
 * @param class_name  the class of the circle
 * @cost  about 50 bytes
 */
PQT_API void pqt_svg_circle(pqt_svg *svg, pqt_circle circle, const char *class_name);

/**
 * Draws segments, such as rays, distances or pairs, as one path for each 200.
 *
 * A segment is clipped near the map, so a long one keeps its direction. The position of a segment
 * much longer than the map is as exact as its end points. A segment of length 0 is drawn as a dot
 * as wide as the lines of the class.
 *
 * @param svg         from pqt_svg_begin
 * @param segments    world units; one with a number that is not finite is not drawn; NULL if count
 *                    is 0
 * @param count       the number of segments
 * @param class_name  the class of the lines
 * @cost  O(count); about 15 bytes for each segment
 */
PQT_API void pqt_svg_segments(pqt_svg *svg, const pqt_segment *segments, size_t count,
                              const char *class_name);

/**
 * Writes a line of text on the map, to the right of a position.
 *
 * @param svg         from pqt_svg_begin
 * @param position    world units; text whose position is not on the map is not written
 * @param text        UTF-8
 * @param class_name  the class of the text; `fill` is its colour
 */
PQT_API void pqt_svg_text(pqt_svg *svg, pqt_vec position, const char *text, const char *class_name);

/**
 * Draws a key below the map, to the right of the last one: a sign in the style of a class, and its
 * text.
 *
 * The first key ends the map: drawing on the map after a key stops the program.
 *
 * @param svg         from pqt_svg_begin
 * @param sign        the shape of the sign, which also has the class `sign`; a dot is 6 units wide
 * @param class_name  the class that the key explains
 * @param text        UTF-8
 */
PQT_API void pqt_svg_key(pqt_svg *svg, pqt_svg_sign sign, const char *class_name, const char *text);

/**
 * Ends the picture and flushes the stream.
 *
 * @param svg  from pqt_svg_begin
 * @return     whether the whole picture was written
 * @error PQT_ERROR_STREAM  the stream could not be written, now or before, or pqt_svg_begin failed
 */
PQT_API bool pqt_svg_end(pqt_svg *svg, pqt_error *error);

PQT_END_DECLARATIONS

#endif
