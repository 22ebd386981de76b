/* SPDX-License-Identifier: MIT */
/* test_svg.c: tests that pictures draw items, boxes, circles, segments and cells at their
 * positions. */
#include "config.h"

#include <pqt/circle.h>
#include <pqt/segment.h>

#include "random.h"
#include "suite.h"
#include "svg_support.h"

START_TEST(the_example_of_the_header_is_a_picture)
{
    pqt_item items[] = {{box(0, 0, 40, 30), 1}, {box(100, 80, 100, 80), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_query query = all_in(box(50, 50, 120, 90));
    pqt_error error = {0};
    pqt_svg svg;
    ck_assert(pqt_svg_begin(&svg, stream, pqt_tree_bounds(tree), NULL, &error));
    pqt_svg_cells(&svg, tree, "cells");
    pqt_svg_items(&svg, tree, &query, "items");
    pqt_svg_box(&svg, query.window, "window");
    ck_assert(pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_OK);
    ck_assert(is_well_formed(picture));
    ck_assert_uint_eq(occurrences("<path "), 3);
}
END_TEST

START_TEST(boxes_are_drawn_at_their_positions)
{
    pqt_item items[] = {{box(0, 0, 10, 20), 1}, {box(50, 25, 100, 50), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_svg svg = begun(pqt_tree_bounds(tree), 200, 100, false);
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 0, 20, 40));
    ck_assert(has_shape(2, 100, 50, 100, 50));
}
END_TEST

START_TEST(y_points_up_if_it_is_flipped)
{
    pqt_item items[] = {{box(0, 0, 10, 20), 1}, {box(50, 25, 100, 50), 2}};
    const pqt_tree *tree = tree_of(items, 2);
    pqt_svg svg = begun(pqt_tree_bounds(tree), 200, 100, true);
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
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
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 0, 100, 0));
    ck_assert(has_shape(2, 50, 10, 0, 80));
    ck_assert_uint_eq(shapes_of("items dot"), 2);
    ck_assert(has_shape(2, 70, 70, 0, 0));
    ck_assert(has_shape(2, 99.95, 99.95, 0, 0));
    /* otherwise dots would not be visible */
    ck_assert_ptr_nonnull(strstr(picture, "stroke-linecap:round"));
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
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
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
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(box(12, 12, 15, 15))}, "nothing");
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(box(20, 20, 20, 20))}, "found");
    end(&svg);
    ck_assert_uint_eq(occurrences("nothing"), 0);
    ck_assert_uint_eq(shapes_of("found"), 1);
    ck_assert(has_shape(1, 200, 200, 100, 100));
}
END_TEST

START_TEST(items_outside_the_map_are_left_out)
{
    pqt_item items[] = {{box(0, 0, 10, 10), 1},
                        {box(500, 500, 510, 510), 2},
                        {box(-900, -900, -900, -900), 3},
                        {box(-1e300, 40, 1e300, 60), 4}};
    const pqt_tree *tree = tree_of(items, 4);
    pqt_svg svg = begun(box(0, 0, 100, 100), 100, 100, false);
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
    end(&svg);
    ck_assert_uint_eq(shapes_of("items"), 2);
    ck_assert(has_shape(2, 0, 0, 10, 10));
    ck_assert(has_shape(2, -64, 40, 228, 20)); /* it extends beyond the picture, and is clipped */
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

START_TEST(circles_are_drawn_at_their_positions)
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

START_TEST(circles_too_small_too_large_or_off_the_map_are_left_out)
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

START_TEST(a_tooltip_is_an_invisible_shape_with_a_title)
{
    pqt_svg svg = begun(box(0, 0, 100, 50), 200, 100, false);
    pqt_svg_tip(&svg, box(0, 0, 10, 20), "A & <b> \"C\"");
    pqt_svg_tip(&svg, box(50, 25, 50, 25), "a point");
    pqt_svg_tip(&svg, box(500, 0, 510, 20), "beside the map");
    pqt_svg_tip(&svg, box(20, 20, 10, 30), "inverted");
    pqt_svg_tip(&svg, box(NAN, 20, 10, 30), "not a box");
    end(&svg);
    ck_assert(is_well_formed(picture));
    ck_assert_uint_eq(occurrences("<title>"), 2);
    ck_assert_uint_eq(shapes_of("tip"), 1);
    ck_assert(has_shape(1, 0, 0, 20, 40));
    ck_assert_uint_eq(shapes_of("tip dot"), 1);
    ck_assert(has_shape(1, 100, 50, 0, 0));
    ck_assert_ptr_nonnull(strstr(picture, "\"><title>A &amp; &lt;b&gt; "));
    ck_assert_ptr_nonnull(strstr(picture, "\"><title>a point</title></path>"));
    /* Shapes above a tooltip must not keep the pointer from it. */
    ck_assert_ptr_nonnull(strstr(picture, "pointer-events:none}"));
    ck_assert_ptr_nonnull(strstr(picture, ".tip{stroke:none;pointer-events:all}"));
}
END_TEST

START_TEST(segments_are_drawn_at_their_positions)
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
    ck_assert(has_shape(1, -64, 36, 128, 128)); /* on the line y = x + 100, up to y = 164 */
    ck_assert(fabs(shapes[1].x - 50) < 0.0101 && fabs(shapes[1].height - 114) < 0.0101);
}
END_TEST

/* Returns the distance from a position to a line. */
static double
off_line(pqt_segment line, double x, double y)
{
    pqt_vec step = pqt_vec_subtract(line.to, line.from);
    double cross = step.x * (y - line.from.y) - step.y * (x - line.from.x);
    return fabs(cross) / pqt_vec_length(step);
}

START_TEST(the_part_of_a_segment_on_the_map_is_drawn)
{
    dice d = {test_seed("the_part_of_a_segment_on_the_map_is_drawn")};
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

START_TEST(segments_off_the_map_or_not_finite_or_of_zero_length_are_not_drawn)
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

START_TEST(many_segments_are_split_into_paths)
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
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
    end(&svg);
    ck_assert_uint_le(shapes_of("cells"),
                      1 + 2 * 10); /* ten halvings of 1000 units give about one unit */
    ck_assert_uint_eq(shapes_of("items dot"), 2); /* items at the same point are drawn as one dot */
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
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
    end(&svg);
    ck_assert_uint_lt(picture_length, ITEMS * 14);
}
END_TEST

static Suite *
svg_suite(void)
{
    Suite *suite = suite_create("svg");
    TCase *drawing = tcase_create("drawing");
    tcase_add_checked_fixture(drawing, open_all, close_all);
    tcase_add_test(drawing, the_example_of_the_header_is_a_picture);
    tcase_add_test(drawing, boxes_are_drawn_at_their_positions);
    tcase_add_test(drawing, y_points_up_if_it_is_flipped);
    tcase_add_test(drawing, thin_and_tiny_items_are_seen);
    tcase_add_test(drawing, every_item_can_be_read_back_from_its_picture);
    tcase_add_test(drawing, a_filter_decides_what_is_drawn);
    tcase_add_test(drawing, items_outside_the_map_are_left_out);
    tcase_add_test(drawing, infinite_windows_are_cut_off_and_impossible_ones_not_drawn);
    tcase_add_test(drawing, a_point_is_drawn_as_a_dot);
    tcase_add_test(drawing, circles_are_drawn_at_their_positions);
    tcase_add_test(drawing, circles_too_small_too_large_or_off_the_map_are_left_out);
    tcase_add_test(drawing, a_tooltip_is_an_invisible_shape_with_a_title);
    tcase_add_test(drawing, segments_are_drawn_at_their_positions);
    tcase_add_test(drawing, a_long_segment_is_cut_and_keeps_its_direction);
    tcase_add_test(drawing, the_part_of_a_segment_on_the_map_is_drawn);
    tcase_add_test(drawing, segments_off_the_map_or_not_finite_or_of_zero_length_are_not_drawn);
    tcase_add_test(drawing, many_segments_are_split_into_paths);
    tcase_add_test(drawing, each_divided_cell_has_its_two_lines);
    tcase_add_test(drawing, lines_in_tiny_cells_are_left_out);
    tcase_add_test(drawing, many_dots_take_few_bytes);
    suite_add_tcase(suite, drawing);
    return suite;
}

int
main(void)
{
    return run_suite(svg_suite());
}
