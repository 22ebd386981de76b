/* SPDX-License-Identifier: MIT */
/*
 * test_svg.c - pictures: what is on them, where, and that readers of XML can read them.
 *
 * The tests decode the paths of a picture back into shapes, and compare those with places that they
 * work out themselves.
 */
#include "config.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/svg.h>
#include <pqt/tree.h>

#include "misuse.h"
#include "random.h"
#include "suite.h"

enum { MOST_SHAPES = 20000 };

/*
 * A shape of a path, in units of the map: a dot has no size, a line across or down none in one direction;
 * an oblique one ends at x + width, y + height, which may be negative.
 */
typedef struct shape {
    double x, y, width, height;
    bool closed;
} shape;

/* A picture being made in memory, and what its trees live in. */
static pqt_memory *arena;
static char *picture;
static size_t picture_length;
static FILE *stream;
static shape shapes[MOST_SHAPES];

static void
open_all(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
    stream = open_memstream(&picture, &picture_length);
    ck_assert_ptr_nonnull(stream);
}

static void
close_all(void)
{
    fclose(stream);
    free(picture);
    pqt_arena_destroy(&arena);
}

static pqt_box
box(double min_x, double min_y, double max_x, double max_y)
{
    return (pqt_box){{min_x, min_y}, {max_x, max_y}};
}

static const pqt_tree *
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

static pqt_query
all_in(pqt_box window)
{
    return (pqt_query){.window = window, .relation = PQT_TOUCHES};
}

static const pqt_box everywhere = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};

/* Begins a picture of a map that has exactly the given size, for a world of the same shape. */
static pqt_svg
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

static void
end(pqt_svg *svg)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_svg_end(svg, &error), "%s", error.text);
}

static size_t
occurrences(const char *what)
{
    size_t count = 0;
    for (const char *at = picture; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

/* Whether tags nest, attributes are quoted, and no bare < or & is left: what a reader stumbles over. */
static bool
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

static double
number_at(const char **text)
{
    char *after;
    double number = strtod(*text, &after);
    ck_assert_msg(after != *text, "no number at %.20s", *text);
    *text = after;
    return number;
}

/* Decodes the path of a class, which must be there, into `shapes`; returns their number. */
static size_t
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

static bool
has_shape(size_t count, double x, double y, double width, double height)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(shapes[i].x - x) < 0.0101 && fabs(shapes[i].y - y) < 0.0101 &&
            fabs(shapes[i].width - width) < 0.0101 && fabs(shapes[i].height - height) < 0.0101)
            return true;
    return false;
}

START_TEST(the_example_of_the_header_is_a_picture)
{
    pqt_item items[] = {{box(0, 0, 40, 30), 1}, {box(100, 80, 100, 80), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_query query = all_in(box(50, 50, 120, 90));
    pqt_error error = {0};
    pqt_svg svg;
    ck_assert(pqt_svg_begin(&svg, stream, pqt_tree_bounds(tree), NULL, &error));
    pqt_svg_cells(&svg, tree, "cells");
    pqt_svg_items(&svg, tree, query, "items");
    pqt_svg_box(&svg, query.window, "window");
    ck_assert(pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert(is_well_formed(picture));
    ck_assert_uint_eq(occurrences("<path "), 3);
}
END_TEST

START_TEST(boxes_lie_where_they_belong)
{
    pqt_item items[] = {{box(0, 0, 10, 20), 1}, {box(50, 25, 100, 50), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_svg svg = begun(pqt_tree_bounds(tree), 200, 100, false);
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 0, 20, 40));
    ck_assert(has_shape(2, 100, 50, 100, 50));
}
END_TEST

START_TEST(flipped_y_points_up)
{
    pqt_item items[] = {{box(0, 0, 10, 20), 1}, {box(50, 25, 100, 50), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_svg svg = begun(pqt_tree_bounds(tree), 200, 100, true);
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 60, 20, 40));
    ck_assert(has_shape(2, 100, 0, 100, 50));
}
END_TEST

START_TEST(thin_and_tiny_items_are_seen)
{
    pqt_item items[] = {{box(0, 0, 100, 0), 1},
                        {box(50, 10, 50, 90), 2},
                        {box(70, 70, 70, 70), 3},
                        {box(99.9, 99.9, 100, 100), 4}};
    const pqt_tree *tree = tree_of(items, 4);
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 0, 100, 0));
    ck_assert(has_shape(2, 50, 10, 0, 80));
    ck_assert_uint_eq(shapes_of("items dot"), 2);
    ck_assert(has_shape(2, 70, 70, 0, 0));
    ck_assert(has_shape(2, 99.95, 99.95, 0, 0));
    ck_assert_ptr_nonnull(strstr(picture, "stroke-linecap:round")); /* else dots are not drawn */
}
END_TEST

START_TEST(every_item_can_be_read_back_from_its_picture)
{
    enum { ITEMS = 2000 };
    static pqt_item items[ITEMS];
    dice d = {test_seed("every_item_can_be_read_back_from_its_picture")};
    for (size_t i = 0; i < ITEMS; i++) {
        double x = dice_real(&d) * 900, y = dice_real(&d) * 400;
        items[i] = (pqt_item){box(x, y, x + 1 + dice_real(&d) * 90, y + dice_real(&d) * 90), i};
    }
    const pqt_tree *tree = tree_of(items, ITEMS);
    pqt_svg svg = begun(box(0, 0, 1000, 500), 2000, 1000, false);
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    size_t count = shapes_of("items");
    ck_assert_uint_eq(count, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        pqt_box at = items[i].box;
        ck_assert_msg(has_shape(count, at.min.x * 2, at.min.y * 2, (at.max.x - at.min.x) * 2,
                                (at.max.y - at.min.y) * 2),
                      "item %zu is not where it should be", i);
    }
}
END_TEST

START_TEST(a_filter_decides_what_is_drawn)
{
    pqt_item items[] = {{box(0, 0, 10, 10), 1}, {box(20, 20, 30, 30), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_svg svg = begun(box(0, 0, 30, 30), 300, 300, false);
    pqt_svg_items(&svg, tree, all_in(box(12, 12, 15, 15)), "nothing");
    pqt_svg_items(&svg, tree, all_in(box(20, 20, 20, 20)), "found");
    end(&svg);
    ck_assert_uint_eq(occurrences("nothing"), 0);
    ck_assert_uint_eq(shapes_of("found"), 1);
    ck_assert(has_shape(1, 200, 200, 100, 100));
}
END_TEST

START_TEST(what_lies_outside_the_map_is_left_out)
{
    pqt_item items[] = {{box(0, 0, 10, 10), 1},
                        {box(500, 500, 510, 510), 2},
                        {box(-900, -900, -900, -900), 3},
                        {box(-1e300, 40, 1e300, 60), 4}};
    const pqt_tree *tree = tree_of(items, 4);
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 0, 10, 10));
    ck_assert(has_shape(2, -64, 40, 228, 20)); /* it goes on outside, and ends there */
    ck_assert_uint_eq(occurrences("dot\" d="), 0);
}
END_TEST

START_TEST(infinite_windows_are_cut_off_and_impossible_ones_not_drawn)
{
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_box(&svg, everywhere, "all");
    pqt_svg_box(&svg, box(50, 20, INFINITY, 40), "right");
    pqt_svg_box(&svg, box(NAN, 20, 30, 40), "nan");
    pqt_svg_box(&svg, box(50, 20, 30, 40), "inside-out");
    end(&svg);
    ck_assert_uint_eq(shapes_of("all"), 1);
    ck_assert(has_shape(1, -64, -64, 228, 228));
    ck_assert_uint_eq(shapes_of("right"), 1);
    ck_assert(has_shape(1, 50, 20, 114, 20));
    ck_assert_uint_eq(occurrences("nan"), 0);
    ck_assert_uint_eq(occurrences("inside-out"), 0);
}
END_TEST

START_TEST(a_point_is_drawn_as_a_dot)
{
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_box(&svg, box(30, 40, 30, 40), "mark");
    end(&svg);
    ck_assert_uint_eq(shapes_of("mark dot"), 1);
    ck_assert(has_shape(1, 30, 40, 0, 0) && !shapes[0].closed);
}
END_TEST

START_TEST(circles_lie_where_they_belong)
{
    pqt_svg svg = begun(box(0, 0, 100, 100), 400, 400, true);
    pqt_svg_circle(&svg, (pqt_circle){{25, 10}, 5}, "ball");
    pqt_svg_circle(&svg, (pqt_circle){{-500, 50}, 550}, "arc");
    end(&svg);
    ck_assert_uint_eq(occurrences("<circle class=\"ball\" cx=\"100\" cy=\"360\" r=\"20\"/>"), 1);
    ck_assert_uint_eq(occurrences("<circle class=\"arc\" cx=\"-2000\" cy=\"200\" r=\"2200\"/>"), 1);
    ck_assert(is_well_formed(picture));
}
END_TEST

START_TEST(circles_too_small_too_large_or_off_the_map)
{
    pqt_svg svg = begun(box(0, 0, 100, 100), 400, 400, false);
    pqt_svg_circle(&svg, (pqt_circle){{25, 10}, 0.01}, "tiny");
    pqt_svg_circle(&svg, (pqt_circle){{50, 50}, 1e300}, "huge");
    pqt_svg_circle(&svg, (pqt_circle){{300, 50}, 5}, "off");
    pqt_svg_circle(&svg, (pqt_circle){{50, 50}, -1}, "negative");
    pqt_svg_circle(&svg, (pqt_circle){{50, NAN}, 1}, "nan");
    end(&svg);
    ck_assert_uint_eq(occurrences("<circle"), 0);
    ck_assert_uint_eq(occurrences("\"tiny dot\""), 1);
    ck_assert_uint_eq(occurrences("huge") + occurrences("off") + occurrences("negative"), 0);
    ck_assert(is_well_formed(picture));
}
END_TEST

START_TEST(segments_lie_where_they_belong)
{
    static const pqt_segment lines[] = {
        {{10, 20}, {40, 10}}, {{0, 50}, {50, 50}}, {{7, 8}, {7, 8}}, {{30, 0}, {10, 45}}};
    for (int flip = 0; flip < 2; flip++) {
        rewind(stream);
        pqt_svg svg = begun(box(0, 0, 50, 50), 100, 100, flip == 1);
        pqt_svg_segments(&svg, lines, 4, "link");
        end(&svg);
        ck_assert_uint_eq(shapes_of("link"), 4);
        ck_assert(has_shape(4, 20, flip ? 60 : 40, 60, flip ? 20 : -20));
        ck_assert(has_shape(4, 0, flip ? 0 : 100, 100, 0));
        ck_assert(has_shape(4, 14, flip ? 84 : 16, 0, 0));
        ck_assert(has_shape(4, 60, flip ? 100 : 0, -40, flip ? -90 : 90));
    }
}
END_TEST

START_TEST(a_long_segment_is_cut_and_keeps_its_direction)
{
    static const pqt_segment lines[] = {{{-1000, -900}, {1000, 1100}}, {{50, 50}, {50, 1e300}}};
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_segments(&svg, lines, 2, "link");
    end(&svg);
    ck_assert_uint_eq(shapes_of("link"), 1 + 1);
    ck_assert(has_shape(1, -64, 36, 128, 128)); /* on y = x + 100, to where y is 164 */
    ck_assert(fabs(shapes[1].x - 50) < 0.0101 && fabs(shapes[1].height - 114) < 0.0101);
}
END_TEST

/* How far a place is off the line through two others. */
static double
off_line(pqt_segment line, double x, double y)
{
    pqt_vec step = pqt_vec_subtract(line.to, line.from);
    double cross = step.x * (y - line.from.y) - step.y * (x - line.from.x);
    return fabs(cross) / pqt_vec_length(step);
}

START_TEST(of_any_segment_all_that_lies_on_the_map_is_drawn)
{
    dice d = {test_seed("of_any_segment_all_that_lies_on_the_map_is_drawn")};
    for (int round = 0; round < 300; round++) {
        pqt_segment line = {{dice_real(&d) * 900 - 400, dice_real(&d) * 900 - 400},
                            {dice_real(&d) * 900 - 400, dice_real(&d) * 900 - 400}};
        rewind(stream);
        pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
        pqt_svg_segments(&svg, &line, 1, "link");
        end(&svg);
        bool is_drawn = occurrences("class=\"link\"") > 0;
        shape seen = {.x = 0};
        if (is_drawn) {
            ck_assert_uint_eq(shapes_of("link"), 1);
            seen = shapes[0];
            ck_assert(off_line(line, seen.x, seen.y) < 0.02);
            ck_assert(off_line(line, seen.x + seen.width, seen.y + seen.height) < 0.02);
        }
        for (int i = 0; i <= 200; i++) {
            pqt_vec at = pqt_segment_at(line, i / 200.0);
            if (!pqt_box_contains(box(0, 0, 100, 100), at))
                continue;
            ck_assert(is_drawn);
            ck_assert(fabs(at.x - seen.x - seen.width / 2) <= fabs(seen.width) / 2 + 0.02);
            ck_assert(fabs(at.y - seen.y - seen.height / 2) <= fabs(seen.height) / 2 + 0.02);
        }
    }
}
END_TEST

START_TEST(segments_off_the_map_or_without_numbers_are_not_drawn)
{
    static const pqt_segment lines[] = {{{-900, 300}, {300, 900}}, {{500, 0}, {500, 50}},
                                        {{0, -70}, {9, -65}},      {{NAN, 0}, {50, 50}},
                                        {{0, 0}, {INFINITY, 50}},  {{300, 300}, {300, 300}}};
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_segments(&svg, lines, 6, "link");
    pqt_svg_segments(&svg, NULL, 0, "link");
    end(&svg);
    ck_assert_uint_eq(occurrences("link"), 0);
}
END_TEST

START_TEST(many_segments_are_parted_into_paths)
{
    enum { LINES = 450 };
    static pqt_segment lines[LINES];
    for (int i = 0; i < LINES; i++)
        lines[i] = (pqt_segment){{0, i / 5.0}, {90, 90}};
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_segments(&svg, lines, LINES, "link");
    end(&svg);
    ck_assert_uint_eq(occurrences("class=\"link\""), 3);
    ck_assert_uint_eq(occurrences("l90 ") + occurrences("h90"), LINES);
    ck_assert_uint_eq(shapes_of("link"), 200);
    ck_assert(has_shape(200, 0, 0, 90, 90));
    ck_assert(is_well_formed(picture));
}
END_TEST

static bool
count_divisions(const pqt_cell *cell, void *context)
{
    *(size_t *)context += cell->kind == PQT_CELL_INNER;
    return true;
}

START_TEST(each_divided_cell_has_its_two_lines)
{
    pqt_item items[64];
    size_t divided = 0;
    for (size_t i = 0; i < 64; i++)
        items[i] =
            (pqt_item){box(i % 8 * 10 + 5, i / 8 * 10 + 5, i % 8 * 10 + 5, i / 8 * 10 + 5), i};
    items[63].box = box(80, 80, 80, 80);
    items[0].box = box(0, 0, 0, 0);
    const pqt_tree *tree = tree_of(items, 64);
    pqt_tree_visit_cells(tree, count_divisions, &divided);
    ck_assert_uint_gt(divided, 16);
    pqt_svg svg = begun(box(0, 0, 80, 80), 800, 800, false);
    pqt_svg_cells(&svg, tree, "cells");
    end(&svg);
    size_t count = shapes_of("cells");
    ck_assert_uint_eq(count, 1 + 2 * divided);
    ck_assert(shapes[0].closed && has_shape(1, 0, 0, 800, 800));
    ck_assert(has_shape(count, 0, 400, 800, 0));
    ck_assert(has_shape(count, 400, 0, 0, 800));
    ck_assert(has_shape(count, 0, 200, 400, 0));
    ck_assert(has_shape(count, 600, 400, 0, 400));
}
END_TEST

START_TEST(lines_in_tiny_cells_are_left_out)
{
    enum { ITEMS = 500 };
    static pqt_item items[ITEMS + 1];
    for (size_t i = 0; i < ITEMS; i++)
        items[i] = (pqt_item){box(1e-6 * (double)i, 0, 1e-6 * (double)i, 0), i};
    items[ITEMS] = (pqt_item){box(1000, 1000, 1000, 1000), ITEMS};
    const pqt_tree *tree = tree_of(items, ITEMS + 1);
    pqt_svg svg = begun(box(0, 0, 1000, 1000), 1000, 1000, false);
    pqt_svg_cells(&svg, tree, "cells");
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    ck_assert_uint_le(shapes_of("cells"),
                      1 + 2 * 10);                /* 1000 units are halved ten times down to one */
    ck_assert_uint_eq(shapes_of("items dot"), 2); /* what falls on one dot is one dot */
}
END_TEST

START_TEST(many_dots_take_few_bytes)
{
    enum { ITEMS = 10000 };
    static pqt_item items[ITEMS];
    dice d = {test_seed("many_dots_take_few_bytes")};
    for (size_t i = 0; i < ITEMS; i++) {
        double x = dice_real(&d), y = dice_real(&d);
        items[i] = (pqt_item){box(x, y, x, y), i};
    }
    const pqt_tree *tree = tree_of(items, ITEMS);
    pqt_svg svg = begun(box(0, 0, 1, 1), 1000, 1000, false);
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    end(&svg);
    ck_assert_uint_lt(picture_length, ITEMS * 14);
}
END_TEST

/* Draws a world with an item in its middle, one in each corner, and a window about all. */
static void
draw_world(pqt_box world)
{
    pqt_box middle = box(world.min.x / 2 + world.max.x / 2, world.min.y / 2 + world.max.y / 2,
                         world.max.x, world.max.y);
    pqt_item items[] = {
        {middle, 1}, {{world.min, world.min}, 2}, {{world.max, world.max}, 3}, {world, 4}};
    const pqt_tree *tree = tree_of(items, 4);
    pqt_svg svg;
    pqt_error error = {0};
    ck_assert_msg(pqt_svg_begin(&svg, stream, world, NULL, &error), "%s", error.text);
    pqt_svg_cells(&svg, tree, "cells");
    pqt_svg_items(&svg, tree, all_in(everywhere), "items");
    pqt_svg_box(&svg, world, "window");
    pqt_svg_segments(&svg, &(pqt_segment){world.min, world.max}, 1, "link");
    pqt_svg_text(&svg, world.max, "corner", "label");
    end(&svg);
}

static const pqt_box worlds[] = {{{0, 0}, {1, 1}},
                                 {{-1e300, -1e300}, {1e300, 1e300}},
                                 {{-1.7e308, -1.7e308}, {1.7e308, 1.7e308}},
                                 {{1e-300, 1e-300}, {3e-300, 2e-300}},
                                 {{0, 0}, {0x1p-1074, 0x1p-1074}},
                                 {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}},
                                 {{1.7e9, 0}, {1.7e9 + 3600, 1}},
                                 {{0, 0}, {1e300, 0}},
                                 {{7, -1e300}, {7, 1e300}},
                                 {{0, 0}, {1e-300, 1e300}},
                                 {{42, 42}, {42, 42}}};

START_TEST(any_world_is_drawn_on_the_map)
{
    static const char *const classes[] = {"cells", "items", "items dot", "window", "link"};
    draw_world(worlds[_i]);
    ck_assert(is_well_formed(picture));
    ck_assert_uint_eq(occurrences("nan"), 0);
    ck_assert_uint_eq(occurrences("inf"), 0);
    for (size_t c = 0; c < 5; c++) {
        char begin[60];
        snprintf(begin, sizeof begin, "<path class=\"%s\"", classes[c]);
        if (strstr(picture, begin) == NULL)
            continue;
        size_t count = shapes_of(classes[c]);
        for (size_t i = 0; i < count; i++) {
            ck_assert(shapes[i].x >= 0 && shapes[i].x + shapes[i].width <= 960.01);
            ck_assert(shapes[i].y >= 0 && shapes[i].y + shapes[i].height <= 720.01);
        }
    }
    ck_assert_uint_ge(occurrences("<path "), 1);
    ck_assert_uint_eq(occurrences(">corner</text>"), 1);
}
END_TEST

START_TEST(the_map_keeps_the_shape_of_the_world_and_half_of_each_side)
{
    pqt_svg svg = begun(box(0, 0, 400, 300), 800, 800, false);
    pqt_svg_box(&svg, box(0, 0, 400, 300), "wide");
    end(&svg);
    ck_assert_uint_eq(shapes_of("wide"), 1);
    ck_assert(has_shape(1, 0, 0, 800, 600));
    ck_assert_ptr_nonnull(strstr(picture, "width=\"800\" height=\"600\""));
    rewind(stream);
    svg = begun(box(0, 0, 10, 1000), 800, 800, false);
    pqt_svg_box(&svg, box(0, 0, 10, 1000), "tall");
    end(&svg);
    ck_assert_uint_eq(shapes_of("tall"), 1);
    ck_assert(has_shape(1, 196, 0, 8, 800)); /* in the middle of 400 */
}
END_TEST

START_TEST(text_is_made_fit_for_xml)
{
    static const struct {
        const char *given, *written;
    } cases[] = {
        {"a < b & \"c\" > d", "a &lt; b &amp; &quot;c&quot; &gt; d"},
        {"Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x8c\x8d",
         "Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x8c\x8d"},
        {"Z\xfcrich", "Z\xef\xbf\xbdrich"},
        {"\x01\x1b[31m\x7f", "\xef\xbf\xbd\xef\xbf\xbd[31m\x7f"},
        {"cut \xe6\x9d", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"overlong \xc0\xbc", "overlong \xef\xbf\xbd\xef\xbf\xbd"},
        {"surrogate \xed\xa0\x80", "surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* the last surrogate */
        {"\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"too high \xf4\x90\x80\x80", "too high \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"", ""},
    };
    char expected[200];
    pqt_svg_options options = PQT_SVG_DEFAULTS;
    pqt_svg svg;
    options.title = options.note = options.style = cases[_i].given;
    ck_assert(pqt_svg_begin(&svg, stream, box(0, 0, 1, 1), &options, NULL));
    pqt_svg_text(&svg, (pqt_vec){0.5, 0.5}, cases[_i].given, cases[_i].given);
    pqt_svg_key(&svg, PQT_SVG_BOX, cases[_i].given, cases[_i].given);
    end(&svg);
    ck_assert(is_well_formed(picture));
    snprintf(expected, sizeof expected, "\">%s</text>", cases[_i].written);
    ck_assert_uint_eq(occurrences(expected), 4); /* title, text, key, note */
    snprintf(expected, sizeof expected, "<title>%s</title>", cases[_i].written);
    ck_assert_uint_eq(occurrences(expected), 1);
    snprintf(expected, sizeof expected, "<path class=\"%s sign\"", cases[_i].written);
    ck_assert_uint_eq(occurrences(expected), 1);
}
END_TEST

START_TEST(keys_stand_below_the_map_beside_each_other)
{
    pqt_svg svg = begun(box(0, 0, 100, 100), 300, 300, false);
    pqt_svg_box(&svg, box(0, 0, 50, 50), "window");
    pqt_svg_key(&svg, PQT_SVG_BOX, "window", "the window");
    pqt_svg_key(&svg, PQT_SVG_DOT, "items", "a point");
    pqt_svg_key(&svg, PQT_SVG_LINE, "link", "a line");
    end(&svg);
    ck_assert(is_well_formed(picture));
    const char *map_end = strstr(picture, "</svg>");
    ck_assert(map_end < strstr(picture, "window sign"));
    ck_assert_uint_eq(shapes_of("window sign"), 1);
    shape first = shapes[0];
    ck_assert_uint_eq(shapes_of("items sign dot"), 1);
    ck_assert(first.y > 316 && shapes[0].y > 316);
    ck_assert(shapes[0].x > first.x + first.width + 50);
    shape second = shapes[0];
    ck_assert_uint_eq(shapes_of("link sign"), 1);
    ck_assert(shapes[0].x > second.x + 30 && shapes[0].width > 10 && !shapes[0].closed);
}
END_TEST

START_TEST(numbers_have_a_point_in_any_locale)
{
    static const char *const with_comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    for (size_t i = 0; i < 4 && setlocale(LC_ALL, with_comma[i]) == NULL; i++)
        continue;
    pqt_svg svg = begun(box(0, 0, 3, 3), 100, 100, false);
    pqt_svg_box(&svg, box(1, 1, 2.5, 2), "window");
    pqt_svg_text(&svg, (pqt_vec){0.5, 0.25}, "here", "label");
    end(&svg);
    setlocale(LC_ALL, "C");
    ck_assert_uint_eq(occurrences("\"m33.33 33.33h50v33.34h-50z\""), 1);
    ck_assert_uint_eq(occurrences("x=\"16.67\" y=\"8.33\""), 1);
}
END_TEST

/* What a failed beginning leaves: nothing is written, and the end says so. */
static void
expect_refusal(pqt_box world, const pqt_svg_options *options, pqt_status status, const char *word)
{
    pqt_svg svg;
    pqt_error error = {0};
    ck_assert(!pqt_svg_begin(&svg, stream, world, options, &error));
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.text, word) != NULL, "%s", error.text);
    pqt_item item = {box(0, 0, 1, 1), 1};
    pqt_svg_cells(&svg, tree_of(&item, 1), "cells");
    pqt_svg_items(&svg, tree_of(&item, 1), all_in(everywhere), "items");
    pqt_svg_box(&svg, item.box, "window");
    pqt_svg_text(&svg, item.box.min, "text", "label");
    pqt_svg_key(&svg, PQT_SVG_BOX, "items", "items");
    pqt_error later = {0};
    ck_assert(!pqt_svg_end(&svg, &later));
    ck_assert_int_eq(later.status, PQT_ERROR_STREAM);
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, status); /* the first failure stays */
    fflush(stream);
    ck_assert_uint_eq(picture_length, 0);
}

START_TEST(an_impossible_world_is_refused)
{
    expect_refusal(box(0, 0, NAN, 1), NULL, PQT_ERROR_BOX, "nan");
    expect_refusal(box(0, 0, INFINITY, 1), NULL, PQT_ERROR_BOX, "inf");
    expect_refusal(box(5, 0, 1, 1), NULL, PQT_ERROR_BOX, "5, 0 .. 1, 1");
}
END_TEST

START_TEST(options_out_of_range_are_refused_by_name)
{
    pqt_svg_options options = PQT_SVG_DEFAULTS;
    options.width = 15;
    expect_refusal(box(0, 0, 1, 1), &options, PQT_ERROR_OPTION, "width");
    options.width = NAN;
    expect_refusal(box(0, 0, 1, 1), &options, PQT_ERROR_OPTION, "width");
    options = (pqt_svg_options)PQT_SVG_DEFAULTS;
    options.height = 16385;
    expect_refusal(box(0, 0, 1, 1), &options, PQT_ERROR_OPTION, "height");
    options = (pqt_svg_options)PQT_SVG_DEFAULTS;
    options.size = 8;
    expect_refusal(box(0, 0, 1, 1), &options, PQT_ERROR_OPTION, "PQT_SVG_DEFAULTS");
}
END_TEST

START_TEST(an_error_told_before_is_kept_and_nothing_drawn)
{
    pqt_svg svg;
    pqt_error error = {.status = PQT_ERROR_MEMORY, .text = "earlier"};
    ck_assert(!pqt_svg_begin(&svg, stream, box(0, 0, 1, 1), NULL, &error));
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_str_eq(error.text, "earlier");
    fflush(stream);
    ck_assert_uint_eq(picture_length, 0);
}
END_TEST

START_TEST(a_stream_that_cannot_be_written_is_told_at_the_end)
{
    FILE *closed = fopen("/dev/null", "r"); /* open for reading alone */
    pqt_svg svg;
    pqt_error error = {0};
    ck_assert_ptr_nonnull(closed);
    ck_assert(pqt_svg_begin(&svg, closed, box(0, 0, 1, 1), NULL, &error));
    pqt_svg_box(&svg, box(0, 0, 1, 1), "window");
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_STREAM);
    fclose(closed);
}
END_TEST

START_TEST(a_full_disk_is_told_at_the_end)
{
    FILE *full = fopen("/dev/full", "w");
    pqt_svg svg;
    pqt_error error = {0};
    if (full == NULL) /* not every system has one */
        return;
    ck_assert(pqt_svg_begin(&svg, full, box(0, 0, 1, 1), NULL, &error));
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_STREAM);
    fclose(full);
}
END_TEST

START_TEST(drawing_on_the_map_after_a_key_is_a_mistake)
{
    pqt_svg svg = begun(box(0, 0, 1, 1), 100, 100, false);
    pqt_svg_key(&svg, PQT_SVG_BOX, "items", "items");
    pqt_svg_box(&svg, box(0, 0, 1, 1), "window");
}
END_TEST

static Suite *
svg_suite(void)
{
    Suite *suite = suite_create("svg");
    TCase *drawing = tcase_create("drawing");
    tcase_add_checked_fixture(drawing, open_all, close_all);
    tcase_add_test(drawing, the_example_of_the_header_is_a_picture);
    tcase_add_test(drawing, boxes_lie_where_they_belong);
    tcase_add_test(drawing, flipped_y_points_up);
    tcase_add_test(drawing, thin_and_tiny_items_are_seen);
    tcase_add_test(drawing, every_item_can_be_read_back_from_its_picture);
    tcase_add_test(drawing, a_filter_decides_what_is_drawn);
    tcase_add_test(drawing, what_lies_outside_the_map_is_left_out);
    tcase_add_test(drawing, infinite_windows_are_cut_off_and_impossible_ones_not_drawn);
    tcase_add_test(drawing, a_point_is_drawn_as_a_dot);
    tcase_add_test(drawing, circles_lie_where_they_belong);
    tcase_add_test(drawing, circles_too_small_too_large_or_off_the_map);
    tcase_add_test(drawing, segments_lie_where_they_belong);
    tcase_add_test(drawing, a_long_segment_is_cut_and_keeps_its_direction);
    tcase_add_test(drawing, of_any_segment_all_that_lies_on_the_map_is_drawn);
    tcase_add_test(drawing, segments_off_the_map_or_without_numbers_are_not_drawn);
    tcase_add_test(drawing, many_segments_are_parted_into_paths);
    tcase_add_test(drawing, each_divided_cell_has_its_two_lines);
    tcase_add_test(drawing, lines_in_tiny_cells_are_left_out);
    tcase_add_test(drawing, many_dots_take_few_bytes);
    tcase_add_loop_test(drawing, any_world_is_drawn_on_the_map, 0, sizeof worlds / sizeof *worlds);
    tcase_add_test(drawing, the_map_keeps_the_shape_of_the_world_and_half_of_each_side);
    suite_add_tcase(suite, drawing);

    TCase *writing = tcase_create("writing");
    tcase_add_checked_fixture(writing, open_all, close_all);
    tcase_add_loop_test(writing, text_is_made_fit_for_xml, 0, 11);
    tcase_add_test(writing, keys_stand_below_the_map_beside_each_other);
    tcase_add_test(writing, numbers_have_a_point_in_any_locale);
    suite_add_tcase(suite, writing);

    TCase *failing = tcase_create("failing");
    tcase_add_checked_fixture(failing, open_all, close_all);
    tcase_add_test(failing, an_impossible_world_is_refused);
    tcase_add_test(failing, options_out_of_range_are_refused_by_name);
    tcase_add_test(failing, an_error_told_before_is_kept_and_nothing_drawn);
    tcase_add_test(failing, a_stream_that_cannot_be_written_is_told_at_the_end);
    tcase_add_test(failing, a_full_disk_is_told_at_the_end);
    tcase_add_misuse_test(failing, drawing_on_the_map_after_a_key_is_a_mistake);
    suite_add_tcase(suite, failing);
    return suite;
}

int
main(void)
{
    return run_suite(svg_suite());
}
