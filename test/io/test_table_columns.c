/* SPDX-License-Identifier: MIT */
/* test_table_columns.c: tests tables of which the caller names the columns, and geometries. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "base/format_double.h"
#include "random.h"
#include "suite.h"

/* A text that is read. */
typedef struct text {
    const char *bytes;
    size_t length, at;
} text;

static bool
read_text(void *bytes, size_t capacity, size_t *count, void *context)
{
    text *from = context;
    const size_t rest = from->length - from->at;
    *count = rest < capacity ? rest : capacity;
    memcpy(bytes, from->bytes + from->at, *count);
    from->at += *count;
    return true;
}

static pqt_table *
table_of(const char *string, const pqt_table_options *options, pqt_error *error)
{
    text from = {string, strlen(string), 0};
    return pqt_table_read(read_text, &from, options, error);
}

/* Returns options that name columns. The names that are not used are NULL. */
static pqt_table_options
named(const char *a, const char *b, const char *c, const char *d, const char *id)
{
    pqt_table_options options = PQT_TABLE_DEFAULTS;
    const char *const position[] = {a, b, c, d};
    memcpy(options.position, position, sizeof position);
    options.id = id;
    return options;
}

/* Checks the position and the first item of a table. */
static void
check_first(const char *string, pqt_table_options options, pqt_table_position position,
            const char *item)
{
    pqt_error error = {0};
    pqt_table *table = table_of(string, &options, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const pqt_item *first = pqt_table_items(table);
    char shown[200];
    snprintf(shown, sizeof shown, "%d %g %g %g %g", (int)first->id, first->box.min.x,
             first->box.min.y, first->box.max.x, first->box.max.y);
    ck_assert_str_eq(shown, item);
    ck_assert_int_eq((int)pqt_table_get_columns(table).position, (int)position);
    pqt_table_free(table);
}

static void
check_refused(const char *string, pqt_table_options options, pqt_status status, const char *message)
{
    pqt_error error = {0};
    ck_assert_ptr_null(table_of(string, &options, &error));
    ck_assert_str_eq(error.text, message);
    ck_assert_int_eq((int)error.status, (int)status);
}

/* The columns in other files have the usual names of another position. */
static const char both[] = "ref;x;y;lon;lat;a;b\n7;1;2;3;4;5;6\n";

START_TEST(the_columns_that_the_caller_names_hold_the_positions)
{
    check_first(both, named("a", "b", NULL, NULL, NULL), PQT_TABLE_POINTS, "0 5 6 5 6");
    check_first(both, named("A", "x", NULL, NULL, NULL), PQT_TABLE_POINTS, "0 5 1 5 1");
    check_first(both, named("x", "y", "a", "b", NULL), PQT_TABLE_BOXES, "0 1 2 5 6");
    check_first("lon,lat,lon_1,lat_1\n1,2,3,4\n", named("lon_1", "lat_1", NULL, NULL, NULL),
                PQT_TABLE_POINTS, "0 3 4 3 4");
}
END_TEST

START_TEST(a_named_column_of_longitudes_is_one)
{
    check_first(both, named("lon", "lat", NULL, NULL, NULL), PQT_TABLE_DEGREES, "0 3 4 3 4");
    check_first("west,a,b,c,x,y\n1,2,3,4,5,6\n", named("west", "a", "b", "c", NULL),
                PQT_TABLE_DEGREE_BOXES, "0 1 2 3 4");
}
END_TEST

START_TEST(the_column_that_the_caller_names_holds_the_ids)
{
    check_first(both, named("x", "y", NULL, NULL, "ref"), PQT_TABLE_POINTS, "7 1 2 1 2");
    check_first("id,ref,x,y\n1,2,3,4\n", named(NULL, NULL, NULL, NULL, "ref"), PQT_TABLE_POINTS,
                "2 3 4 3 4");
    check_first("id,fid,x,y\n1,2,3,4\n", named("x", "y", NULL, NULL, NULL), PQT_TABLE_POINTS,
                "1 3 4 3 4");
    check_refused("ref,x,y\nA7,3,4\n", named(NULL, NULL, NULL, NULL, "ref"), PQT_ERROR_FORMAT,
                  "line 2: id is not a whole number from 0 to 18446744073709551615 (A7)");
}
END_TEST

START_TEST(a_column_that_is_not_there_once_is_refused)
{
    check_refused(both, named("p", "y", NULL, NULL, NULL), PQT_ERROR_FORMAT,
                  "line 1: no column p (ref;x;y;lon;lat;a;b)");
    check_refused(both, named("x", "y", NULL, NULL, "p"), PQT_ERROR_FORMAT,
                  "line 1: no column p (ref;x;y;lon;lat;a;b)");
    check_refused("a,b,A\n1,2,3\n", named("a", "b", NULL, NULL, NULL), PQT_ERROR_FORMAT,
                  "line 1: column occurs twice (a)");
    check_refused("a,b\n1,oops\n", named("a", "b", NULL, NULL, NULL), PQT_ERROR_FORMAT,
                  "line 2: b is not a number (oops)");
}
END_TEST

START_TEST(options_that_name_no_position_are_refused)
{
    const char *const message = "position: the columns of a position are 1, 2 or 4";
    check_refused(both, named("x", "y", "a", NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named("x", NULL, "y", NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named(NULL, "x", "y", NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named("x", "X", NULL, NULL, NULL), PQT_ERROR_OPTION,
                  "a column is named twice (X)");
    check_refused(both, named("x", "y", NULL, NULL, "y"), PQT_ERROR_OPTION,
                  "a column is named twice (y)");
}
END_TEST

/* ---- Geometries ---- */

START_TEST(the_column_that_the_caller_names_holds_the_geometries)
{
    check_first("shape,x,y\nPOINT (3 4),1,2\n", named("SHAPE", NULL, NULL, NULL, NULL),
                PQT_TABLE_GEOMETRIES, "0 3 4 3 4");
}
END_TEST

/* A text that is written. */
typedef struct output {
    char bytes[1000];
    size_t length;
} output;

static bool
write_text(const void *bytes, size_t count, void *context)
{
    output *to = context;
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
    to->bytes[to->length] = '\0';
    return true;
}

static pqt_box
box(double x0, double y0, double x1, double y1)
{
    return (pqt_box){{x0, y0}, {x1, y1}};
}

/* Writes the first row of a table with another box, and with `geometry` unless that is NULL.
   Checks the row that is written, or the message. */
static void
check_moved(const char *string, pqt_box to, const char *geometry, const char *expected)
{
    pqt_error error = {0};
    pqt_table *table = table_of(string, NULL, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    pqt_field fields[3] = {{NULL, 0, false}, {NULL, 0, false}, {NULL, 0, false}};
    if (geometry != NULL)
        fields[1] = (pqt_field){geometry, strlen(geometry), false};
    const pqt_table_row row = {table, 0, {to, pqt_table_items(table)[0].id}, fields};
    output written = {.length = 0};
    if (pqt_table_write(table, &row, 1, write_text, &written, &error)) {
        ck_assert_str_eq(strchr(written.bytes, '\n') + 1, expected);
    } else {
        ck_assert_int_eq((int)error.status, PQT_ERROR_MISMATCH);
        ck_assert_str_eq(error.text, expected);
    }
    pqt_table_free(table);
}

START_TEST(a_geometry_is_kept_as_long_as_the_item_has_its_box)
{
    check_moved("id,wkt,n\n7,\"Linestring( 1 2, 3 4 )\",a\n", box(1, 2, 3, 4), NULL,
                "7,\"Linestring( 1 2, 3 4 )\",a\n");
    check_moved("id,wkt,n\n7,\" POINT(1 2)\",a\n", box(1, 2, 1, 2), "POINT (1 2)",
                "7,\"POINT (1 2)\",a\n");
}
END_TEST

START_TEST(points_and_rectangles_move)
{
    check_moved("id,wkt,n\n7,point(1 2),a\n", box(3, 4, 3, 4), NULL, "7,POINT (3 4),a\n");
    check_moved("id,wkt,n\n7,POINT (1 2),a\n", box(3, 4, 5, 6.5), NULL,
                "7,\"POLYGON ((3 4, 5 4, 5 6.5, 3 6.5, 3 4))\",a\n");
    check_moved("id,wkt,n\n7,\"POLYGON((1 4,3 4,3 2,1 2,1 4))\",a\n", box(0, 0, 0, 1), NULL,
                "7,\"POLYGON ((0 0, 0 0, 0 1, 0 1, 0 0))\",a\n");
    check_moved("id,wkt,n\n7,\"POLYGON ((0 0, 0 0, 0 1, 0 1, 0 0))\",a\n", box(1, 1, 1, 1), NULL,
                "7,\"POINT (1 1)\",a\n");
}
END_TEST

START_TEST(a_geometry_that_is_more_than_its_box_must_be_given)
{
    static const char *const geometries[] = {
        "LINESTRING (1 2,3 4)",
        "POINT Z (1 2 3)",
        "POLYGON ((1 2,3 2,3 4,1 2))",
        "POLYGON ((1 2,3 4,3 2,1 4,1 2))",
        "POLYGON ((1 2,3 2,3 4,3 2,1 2))",
        "POLYGON ((1 2,3 2,3 4,1 4,1 2),(2 3,2 3,2 3,2 3,2 3))",
        "POLYGON ((1 2 0,3 2 0,3 4 0,1 4 0,1 2 0))",
        "MULTIPOINT (1 2)"};
    for (size_t i = 0; i < sizeof geometries / sizeof geometries[0]; i++) {
        char string[200];
        snprintf(string, sizeof string, "id,wkt,n\n7,\"%s\",a\n", geometries[i]);
        check_moved(string, box(0, 0, 1, 1), NULL,
                    "row 0: the geometry of id 7 does not have its box");
        check_moved(string, box(0, 0, 1, 1), "LINESTRING (0 1,1 0)",
                    "7,\"LINESTRING (0 1,1 0)\",a\n");
        check_moved(string, box(0, 0, 1, 1), "LINESTRING (0 1,2 0)",
                    "row 0: the geometry of id 7 does not have its box");
    }
}
END_TEST

START_TEST(a_new_row_has_a_geometry_of_its_box)
{
    pqt_error error = {0};
    pqt_table *table = table_of("id,wkt\n", NULL, &error);
    const pqt_table_row rows[] = {{NULL, 0, {box(1, 2, 1, 2), 7}, NULL},
                                  {NULL, 0, {box(1, 2, 3, 2), 8}, NULL}};
    output written = {.length = 0};
    ck_assert(pqt_table_write(table, rows, 2, write_text, &written, &error));
    ck_assert_str_eq(written.bytes,
                     "id,wkt\n7,POINT (1 2)\n8,\"POLYGON ((1 2, 3 2, 3 2, 1 2, 1 2))\"\n");
    pqt_table_free(table);
}
END_TEST

START_TEST(a_collection_may_be_nested_as_deeply_as_its_limit)
{
    for (size_t depth = 31; depth < 34; depth++) {
        char *string = calloc(depth + 3, 24);
        strcat(string, "wkt\n\"");
        for (size_t i = 0; i < depth; i++)
            strcat(string, "GEOMETRYCOLLECTION(");
        strcat(string, "POINT(1 2)");
        for (size_t i = 0; i < depth; i++)
            strcat(string, ")");
        strcat(string, "\"\n");
        pqt_error error = {0};
        pqt_table *table = table_of(string, NULL, &error);
        ck_assert_int_eq(table != NULL, depth <= 32);
        if (table == NULL)
            ck_assert_str_eq(error.text,
                             "line 2: wkt is nested too deeply (GEOMETRYCOLLECTION(POINT...)");
        pqt_table_free(table);
        free(string);
    }
}
END_TEST

/* Appends a random position, and extends the box to it. */
static void
add_position(dice *d, char *written, pqt_box *around, bool is_first)
{
    const double x = (double)dice_below(d, 1000) / 8 - 60, y = (double)dice_below(d, 1000) / 8 - 60;
    sprintf(written + strlen(written), "%s%s %s", is_first ? "" : ",", pqti_format_double(x).text,
            pqti_format_double(y).text);
    if (dice_below(d, 2) == 0)
        strcat(written, " 7e3");
    *around = pqt_box_union(*around, box(x, y, x, y));
}

START_TEST(random_geometries_have_the_box_of_their_positions)
{
    static const struct {
        const char *before, *after;
    } kinds[] = {{"LINESTRING(", ")"},
                 {"MULTIPOINT M (", " )"},
                 {"polygon((", "),(0 0,1 1))"},
                 {"MULTIPOLYGON (((0 0)), EMPTY, ((", ")))"},
                 {"GEOMETRYCOLLECTION(POINT(0 0),TIN(((", "))))"}};
    dice d = {test_seed("random_geometries_have_the_box_of_their_positions")};
    for (size_t i = 0; i < test_scaled(5000); i++) {
        const size_t kind = dice_below(&d, 5), count = 1 + dice_below(&d, 6);
        pqt_box around = box(0, 0, 0, 0);
        char written[500] = "wkt\n\"";
        strcat(written, kinds[kind].before);
        strcat(written, kind < 2 ? "0 0," : "");
        for (size_t j = 0; j < count; j++)
            add_position(&d, written, &around, j == 0);
        if (kind == 2)
            around = pqt_box_union(around, box(1, 1, 1, 1));
        strcat(strcat(written, kinds[kind].after), "\"\n");
        pqt_error error = {0};
        pqt_table *table = table_of(written, NULL, &error);
        ck_assert_msg(table != NULL, "%s: %s", written, error.text);
        ck_assert_msg(memcmp(&pqt_table_items(table)->box, &around, sizeof around) == 0, "%s",
                      written);
        pqt_table_free(table);
        /* A damaged geometry is read or refused. */
        written[5 + dice_below(&d, (uint32_t)strlen(written) - 6)] = "(), Z1-"[dice_below(&d, 7)];
        pqt_table_free(table_of(written, NULL, NULL));
    }
}
END_TEST

/* ---- The sphere ---- */

static pqt_table_options
on_sphere(void)
{
    pqt_table_options options = PQT_TABLE_DEFAULTS;
    options.surface = PQT_SPHERE;
    return options;
}

START_TEST(a_box_whose_west_is_greater_than_its_east_crosses_the_antimeridian)
{
    const char *const sides = "west,south,east,north\n179,0,-179,1\n";
    check_first(sides, on_sphere(), PQT_TABLE_DEGREE_BOXES, "0 179 0 181 1");
    check_first("min_x,min_y,max_x,max_y\n179,0,-179,1\n", on_sphere(), PQT_TABLE_BOXES,
                "0 179 0 181 1");
    check_first("west,south,east,north\n-179,0,179,1\n", on_sphere(), PQT_TABLE_DEGREE_BOXES,
                "0 -179 0 179 1");
    check_first("x,y,w,h\n9,0,3,1\n", on_sphere(), PQT_TABLE_SIZES, "0 9 0 12 1");
    check_refused(sides, (pqt_table_options)PQT_TABLE_DEFAULTS, PQT_ERROR_BOX,
                  "line 2: box is inverted (west 179 > east -179)");
    check_refused("west,south,east,north\n179,1,-179,0\n", on_sphere(), PQT_ERROR_BOX,
                  "line 2: box is inverted (south 1 > north 0)");
    check_refused("west,south,east,north\n900,0,-179,1\n", on_sphere(), PQT_ERROR_BOX,
                  "line 2: box is inverted (west 900 > east 181)");
    pqt_table_options unknown = on_sphere();
    unknown.surface = (pqt_surface)7;
    check_refused(sides, unknown, PQT_ERROR_OPTION, "surface: 7 is not a surface");
}
END_TEST

/* Checks what a table on the sphere becomes if the item of its only row is replaced. */
static void
check_item_on_sphere(const char *string, const pqt_item *item, const char *expected)
{
    pqt_error error = {0};
    const pqt_table_options options = on_sphere();
    pqt_table *table = table_of(string, &options, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    const pqt_table_row row = {table, 0, item != NULL ? *item : pqt_table_items(table)[0], NULL};
    output to = {.length = 0};
    ck_assert_msg(pqt_table_write(table, &row, 1, write_text, &to, &error), "%s", error.text);
    ck_assert_str_eq(to.bytes, expected);
    pqt_table_free(table);
}

START_TEST(a_box_across_the_antimeridian_keeps_its_numbers_until_it_moves)
{
    const char *const sides = "id,west,south,east,north\n7,179.0,0,-179.0,1\n";
    check_item_on_sphere(sides, NULL, sides);
    check_item_on_sphere(sides, &(pqt_item){{{179, 0}, {181, 2}}, 7},
                         "id,west,south,east,north\n7,179.0,0,-179.0,2\n");
    check_item_on_sphere(sides, &(pqt_item){{{178, 0}, {181, 1}}, 7},
                         "id,west,south,east,north\n7,178,0,181,1\n");
    check_item_on_sphere(sides, &(pqt_item){{{179, 0}, {182, 1}}, 7},
                         "id,west,south,east,north\n7,179.0,0,182,1\n");
}
END_TEST

static Suite *
table_columns_suite(void)
{
    Suite *suite = suite_create("table columns");
    TCase *names = tcase_create("names");
    tcase_add_test(names, the_columns_that_the_caller_names_hold_the_positions);
    tcase_add_test(names, a_named_column_of_longitudes_is_one);
    tcase_add_test(names, the_column_that_the_caller_names_holds_the_ids);
    tcase_add_test(names, a_column_that_is_not_there_once_is_refused);
    tcase_add_test(names, options_that_name_no_position_are_refused);
    suite_add_tcase(suite, names);

    TCase *geometries = tcase_create("geometries");
    tcase_add_test(geometries, the_column_that_the_caller_names_holds_the_geometries);
    tcase_add_test(geometries, a_geometry_is_kept_as_long_as_the_item_has_its_box);
    tcase_add_test(geometries, points_and_rectangles_move);
    tcase_add_test(geometries, a_geometry_that_is_more_than_its_box_must_be_given);
    tcase_add_test(geometries, a_new_row_has_a_geometry_of_its_box);
    tcase_add_test(geometries, a_collection_may_be_nested_as_deeply_as_its_limit);
    tcase_add_test(geometries, random_geometries_have_the_box_of_their_positions);
    suite_add_tcase(suite, geometries);

    TCase *sphere = tcase_create("sphere");
    tcase_add_test(sphere, a_box_whose_west_is_greater_than_its_east_crosses_the_antimeridian);
    tcase_add_test(sphere, a_box_across_the_antimeridian_keeps_its_numbers_until_it_moves);
    suite_add_tcase(suite, sphere);
    return suite;
}

int
main(void)
{
    return run_suite(table_columns_suite());
}
