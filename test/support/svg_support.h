/* SPDX-License-Identifier: MIT */
/*
 * svg_support.h: draws a picture in memory and decodes its shapes.
 *
 * The tests compare the shapes with positions that they compute themselves.
 */
#ifndef TEST_SVG_SUPPORT_H
#define TEST_SVG_SUPPORT_H

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <pqt/svg.h>
#include <pqt/tree.h>

enum { MOST_SHAPES = 20000 };

/*
 * A shape of a path, in units of the map. A dot has no size, and a horizontal or vertical line has
 * none in one direction. An oblique line ends at (x + width, y + height), and both may be negative.
 */
typedef struct shape {
    double x, y, width, height;
    bool closed;
} shape;

/* The picture is drawn in memory. The arena contains its trees. */
static pqt_memory *arena;
static char *picture;
static size_t picture_length;
static FILE *stream;
static shape shapes[MOST_SHAPES];

static inline void
open_all(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
    stream = open_memstream(&picture, &picture_length);
    ck_assert_ptr_nonnull(stream);
}

static inline void
close_all(void)
{
    fclose(stream);
    free(picture);
    pqt_arena_destroy(&arena);
}

static inline pqt_box
box(double min_x, double min_y, double max_x, double max_y)
{
    return (pqt_box){{min_x, min_y}, {max_x, max_y}};
}

static inline const pqt_tree *
tree_of(const pqt_item *items, size_t count)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = arena;
    options.leaf_capacity = 2;
    const pqt_tree *tree = pqt_tree_of(items, count, &options, &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

static inline pqt_query
all_in(pqt_box window)
{
    return (pqt_query){.window = window, .relation = PQT_TOUCHES};
}

static const pqt_box everywhere = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};

/* Begins a picture of a map that has exactly the given size, for a world of the same shape. */
static inline pqt_svg
begun(pqt_box world, double width, double height, bool flip_y)
{
    pqt_svg svg;
    pqt_error error = {0};
    pqt_svg_options options = PQT_SVG_DEFAULTS;
    options.width = width;
    options.height = height;
    options.flip_y = flip_y;
    ck_assert_msg(pqt_svg_begin(&svg, stream, world, &options, &error), "%s", error.text);
    return svg;
}

static inline void
end(pqt_svg *svg)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_svg_end(svg, &error), "%s", error.text);
}

static inline size_t
occurrences(const char *what)
{
    size_t count = 0;
    for (const char *at = picture; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

/* Returns true if tags are nested correctly, attributes are quoted, and no bare < or & is left. */
static inline bool
is_well_formed(const char *text)
{
    const char *open[16];
    size_t depth = 0;
    bool seen_root = false;
    while (*text != '\0') {
        if (*text == '&') {
            size_t length = strcspn(text, ";");
            if (length > 6 || text[length] != ';')
                return false;
        }
        if (*text != '<') {
            text++;
            continue;
        }
        if (text[1] == '/') {
            size_t length = strcspn(text + 2, ">");
            if (depth == 0 || strncmp(open[--depth], text + 2, length) != 0)
                return false;
            text += 2 + length + 1;
            continue;
        }
        if (!isalpha((unsigned char)text[1]) || depth == 16 || (depth == 0 && seen_root))
            return false;
        seen_root = true;
        open[depth++] = text + 1;
        for (bool quoted = false; quoted || *text != '>'; text++) {
            quoted ^= *text == '"';
            if (*text == '\0' || (quoted && *text == '<'))
                return false;
        }
        if (text[-1] == '/')
            depth--;
        text++;
    }
    return depth == 0 && seen_root;
}

static inline double
number_at(const char **text)
{
    char *after;
    double number = strtod(*text, &after);
    ck_assert_msg(after != *text, "no number at %.20s", *text);
    *text = after;
    return number;
}

/* Decodes the path of a class, which must exist, into `shapes`. Returns the number of shapes. */
static inline size_t
shapes_of(const char *class_name)
{
    char begin[60];
    snprintf(begin, sizeof begin, "<path class=\"%s\" d=\"", class_name);
    const char *text = strstr(picture, begin);
    ck_assert_msg(text != NULL, "no path %s", class_name);
    text += strlen(begin);
    size_t count = 0;
    double x = 0, y = 0;
    shape *now = NULL;
    while (*text != '"') {
        char command = *text++;
        if (command == 'm') {
            ck_assert_uint_lt(count, MOST_SHAPES);
            now = &shapes[count++];
            x += number_at(&text);
            y += number_at(&text);
            *now = (shape){x, y, 0, 0, false};
        } else if (command == 'h' || command == 'v') {
            double step = number_at(&text);
            ck_assert_ptr_nonnull(now);
            if (command == 'h')
                x += step, now->width = fmax(now->width, x - now->x);
            else
                y += step, now->height = fmax(now->height, y - now->y);
        } else if (command == 'l') {
            ck_assert_ptr_nonnull(now);
            x += now->width = number_at(&text);
            y += now->height = number_at(&text);
        } else if (command == 'z') {
            now->closed = true;
            x = now->x;
            y = now->y;
        } else {
            ck_assert_msg(command == '\n', "unknown command %c", command);
        }
    }
    return count;
}

static inline bool
has_shape(size_t count, double x, double y, double width, double height)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(shapes[i].x - x) < 0.0101 && fabs(shapes[i].y - y) < 0.0101 &&
            fabs(shapes[i].width - width) < 0.0101 && fabs(shapes[i].height - height) < 0.0101)
            return true;
    return false;
}

#endif
