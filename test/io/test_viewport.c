/* SPDX-License-Identifier: MIT */
/* test_viewport.c: tests the viewport of a picture: the map of any world, texts, keys, and
 * errors. */
#include "config.h"

#include <locale.h>

#include <pqt/segment.h>

#include "misuse.h"
#include "suite.h"
#include "svg_support.h"

/* Draws a world with an item in its middle and in each corner, and a window around all of them. */
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
    pqt_svg_items(&svg, tree, (pqt_query[]){all_in(everywhere)}, "items");
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
    double width, height, seen_width, seen_height;
    ck_assert_int_eq(sscanf(strstr(picture, " width="),
                            " width=\"%lf\" height=\"%lf\" viewBox=\"0 0 %lf %lf\">", &width,
                            &height, &seen_width, &seen_height),
                     4);
    ck_assert(width > 800 && height > 600 && seen_width == width && seen_height == height);
    rewind(stream);
    svg = begun(box(0, 0, 10, 1000), 800, 800, false);
    pqt_svg_box(&svg, box(0, 0, 10, 1000), "tall");
    end(&svg);
    ck_assert_uint_eq(shapes_of("tall"), 1);
    ck_assert(has_shape(1, 196, 0, 8, 800)); /* in the middle of a height of 400 */
}
END_TEST

START_TEST(text_is_escaped_for_xml)
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
    ck_assert_uint_eq(occurrences(expected), 4); /* a title, a text, a key and a note */
    snprintf(expected, sizeof expected, "<title>%s</title>", cases[_i].written);
    ck_assert_uint_eq(occurrences(expected), 1);
    snprintf(expected, sizeof expected, "<path class=\"%s sign\"", cases[_i].written);
    ck_assert_uint_eq(occurrences(expected), 1);
}
END_TEST

START_TEST(keys_are_drawn_below_the_map_in_a_row)
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

/* Expects that a picture is refused. After a failed beginning nothing is written, and the end
 * reports the failure. */
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
    pqt_svg_items(&svg, tree_of(&item, 1), (pqt_query[]){all_in(everywhere)}, "items");
    pqt_svg_box(&svg, item.box, "window");
    pqt_svg_circle(&svg, (pqt_circle){{0, 0}, 1}, "items");
    pqt_svg_segments(&svg, &(pqt_segment){{0, 0}, {1, 1}}, 1, "items");
    pqt_svg_text(&svg, item.box.min, "text", "label");
    pqt_svg_key(&svg, PQT_SVG_BOX, "items", "items");
    pqt_error later = {0};
    ck_assert(!pqt_svg_end(&svg, &later));
    ck_assert_int_eq(later.status, PQT_ERROR_STREAM);
    ck_assert_uint_eq(later.index, 0);
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, status); /* the first failure is kept */
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

START_TEST(options_out_of_range_are_refused_and_named)
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

START_TEST(an_earlier_error_is_kept_and_nothing_is_drawn)
{
    pqt_svg svg;
    pqt_error error = {.status = PQT_ERROR_MEMORY, .text = "earlier"};
    ck_assert(!pqt_svg_begin(&svg, stream, box(0, 0, NAN, 1), NULL, &error));
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    ck_assert_str_eq(error.text, "earlier");
    fflush(stream);
    ck_assert_uint_eq(picture_length, 0);
}
END_TEST

START_TEST(a_stream_that_cannot_be_written_is_reported_at_the_end)
{
    FILE *closed = fopen("/dev/null", "r"); /* it is open only for reading */
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

START_TEST(a_full_disk_is_reported_at_the_end)
{
    FILE *full = fopen("/dev/full", "w");
    pqt_svg svg;
    pqt_error error = {0};
    if (full == NULL) /* some systems do not have it */
        return;
    ck_assert(pqt_svg_begin(&svg, full, box(0, 0, 1, 1), NULL, &error));
    ck_assert(!pqt_svg_end(&svg, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_STREAM);
    fclose(full);
}
END_TEST

START_TEST(drawing_on_the_map_after_a_key_stops_the_program)
{
    pqt_svg svg = begun(box(0, 0, 1, 1), 100, 100, false);
    pqt_svg_key(&svg, PQT_SVG_BOX, "items", "items");
    pqt_svg_box(&svg, box(0, 0, 1, 1), "window");
}
END_TEST

static Suite *
svg_suite(void)
{
    Suite *suite = suite_create("svg_map");
    TCase *map = tcase_create("map");
    tcase_add_checked_fixture(map, open_all, close_all);
    tcase_add_loop_test(map, any_world_is_drawn_on_the_map, 0, sizeof worlds / sizeof *worlds);
    tcase_add_test(map, the_map_keeps_the_shape_of_the_world_and_half_of_each_side);
    suite_add_tcase(suite, map);

    TCase *writing = tcase_create("writing");
    tcase_add_checked_fixture(writing, open_all, close_all);
    tcase_add_loop_test(writing, text_is_escaped_for_xml, 0, 11);
    tcase_add_test(writing, keys_are_drawn_below_the_map_in_a_row);
    tcase_add_test(writing, numbers_have_a_point_in_any_locale);
    suite_add_tcase(suite, writing);

    TCase *failing = tcase_create("failing");
    tcase_add_checked_fixture(failing, open_all, close_all);
    tcase_add_test(failing, an_impossible_world_is_refused);
    tcase_add_test(failing, options_out_of_range_are_refused_and_named);
    tcase_add_test(failing, an_earlier_error_is_kept_and_nothing_is_drawn);
    tcase_add_test(failing, a_stream_that_cannot_be_written_is_reported_at_the_end);
    tcase_add_test(failing, a_full_disk_is_reported_at_the_end);
    tcase_add_misuse_test(failing, drawing_on_the_map_after_a_key_stops_the_program);
    suite_add_tcase(suite, failing);
    return suite;
}

int
main(void)
{
    return run_suite(svg_suite());
}
