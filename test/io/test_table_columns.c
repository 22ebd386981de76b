/* SPDX-License-Identifier: MIT */
/* test_table_columns.c: tests tables of which the caller names the columns. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <pqt.h>

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
    const char *const message = "position: the columns of a position are 2 or 4";
    check_refused(both, named("x", NULL, NULL, NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named("x", "y", "a", NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named("x", NULL, "y", NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named(NULL, "x", "y", NULL, NULL), PQT_ERROR_OPTION, message);
    check_refused(both, named("x", "X", NULL, NULL, NULL), PQT_ERROR_OPTION,
                  "a column is named twice (X)");
    check_refused(both, named("x", "y", NULL, NULL, "y"), PQT_ERROR_OPTION,
                  "a column is named twice (y)");
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
    return suite;
}

int
main(void)
{
    return run_suite(table_columns_suite());
}
