/* SPDX-License-Identifier: MIT */
/* test_table.c: tests reading CSV files as tables, and writing them with other rows. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>

#include "base/format_double.h"
#include "hooks.h"
#include "random.h"
#include "suite.h"

enum { LONGEST_CASE = 1000 };

/* ---- Texts in memory ---- */

/* A text that is read in portions of at most `step` bytes, or written. */
typedef struct text {
    char *bytes;
    size_t length, capacity, at;
    size_t step;
    size_t writes, fails_at; /* the number of writes, and the one that fails, or 0 */
    bool fails;
} text;

static bool
read_text(void *bytes, size_t capacity, size_t *count, void *context)
{
    text *from = context;
    const size_t rest = from->length - from->at;
    *count = rest < capacity ? rest : capacity;
    *count = *count < from->step ? *count : from->step;
    memcpy(bytes, from->bytes + from->at, *count);
    from->at += *count;
    return !from->fails;
}

static bool
write_text(const void *bytes, size_t count, void *context)
{
    text *to = context;
    if (to->fails || ++to->writes == to->fails_at)
        return false;
    if (to->length + count + 1 > to->capacity) {
        to->capacity = 2 * (to->length + count + 1);
        to->bytes = realloc(to->bytes, to->capacity);
    }
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
    to->bytes[to->length] = '\0';
    return true;
}

static pqt_table *
table_of(const char *bytes, size_t length, pqt_error *error)
{
    text from = {.bytes = (char *)(uintptr_t)bytes, .length = length, .step = SIZE_MAX};
    return pqt_table_read(read_text, &from, NULL, error);
}

/* Returns the table of a text that must be valid. */
static pqt_table *
valid_table(const char *string)
{
    pqt_error error = {0};
    pqt_table *table = table_of(string, strlen(string), &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    return table;
}

/* Checks that writing these rows gives a text. */
static void
check_written(const pqt_table *table, const pqt_table_row *rows, size_t count, const char *expected)
{
    pqt_error error = {0};
    text to = {.bytes = calloc(1, 1)};
    ck_assert_msg(pqt_table_write(table, rows, count, write_text, &to, &error), "%s", error.text);
    ck_assert_str_eq(to.bytes, expected);
    free(to.bytes);
}

/* Returns the rows of a table without changes. */
static pqt_table_row *
own_rows(const pqt_table *table)
{
    const size_t count = pqt_table_count(table);
    pqt_table_row *rows = calloc(count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = (pqt_table_row){table, i, pqt_table_items(table)[i], NULL};
    return rows;
}

static void
check_unchanged(const char *string)
{
    pqt_table *table = valid_table(string);
    pqt_table_row *rows = own_rows(table);
    check_written(table, rows, pqt_table_count(table), string);
    free(rows);
    pqt_table_free(table);
}

static pqt_field
field(const char *string)
{
    return (pqt_field){string, strlen(string), false};
}

static pqt_item
point(double x, double y, uint64_t id)
{
    return (pqt_item){{{x, y}, {x, y}}, id};
}

/* ---- The shared cases ---- */

/* Replaces escapes as in C. Returns the length, since the text may have zero bytes. */
static size_t
unescape(char *string)
{
    size_t length = 0;
    for (const char *at = string; *at != '\0'; length++) {
        unsigned octal;
        if (*at != '\\') {
            string[length] = *at++;
        } else if (sscanf(at + 1, "%3o", &octal) == 1) {
            string[length] = (char)octal;
            at += 4;
        } else {
            string[length] = at[1] == 'n' ? '\n' : at[1] == 'r' ? '\r' : '\t';
            at += 2;
        }
    }
    return length;
}

/* Writes the items of a table as the answers of test/tables.txt do. */
static void
print_items(const pqt_table *table, char answer[LONGEST_CASE])
{
    answer[0] = '\0';
    for (size_t i = 0; i < pqt_table_count(table); i++) {
        const pqt_item *item = &pqt_table_items(table)[i];
        snprintf(answer + strlen(answer), LONGEST_CASE - strlen(answer),
                 "%s%" PRIu64 " %s %s %s %s", i > 0 ? ";" : "", item->id,
                 pqti_format_double(item->box.min.x).text, pqti_format_double(item->box.min.y).text,
                 pqti_format_double(item->box.max.x).text,
                 pqti_format_double(item->box.max.y).text);
    }
}

/* Checks that a text gives an answer, read in portions of `step` bytes. */
static void
check_case(const char *name, const char *bytes, size_t length, const char *expected, size_t step)
{
    char answer[LONGEST_CASE];
    pqt_error error = {0};
    text from = {.bytes = (char *)(uintptr_t)bytes, .length = length, .step = step};
    pqt_table *table = pqt_table_read(read_text, &from, NULL, &error);
    if (table != NULL) {
        print_items(table, answer);
        ck_assert_int_eq(error.status, PQT_OK);
    } else {
        snprintf(answer, sizeof answer, "%s", error.text);
        ck_assert_uint_eq(error.index, strtoul(error.text + strlen("line "), NULL, 10));
    }
    ck_assert_msg(strcmp(answer, expected) == 0, "%s: %s, not %s", name, answer, expected);
    if (table != NULL && memchr(bytes, '\0', length) == NULL)
        check_unchanged(bytes);
    pqt_table_free(table);
}

START_TEST(each_text_of_the_shared_cases_has_its_answer)
{
    char line[LONGEST_CASE];
    size_t cases = 0;
    const char *folder = getenv("srcdir");
    snprintf(line, sizeof line, "%s/test/tables.txt", folder != NULL ? folder : ".");
    FILE *file = fopen(line, "r");
    ck_assert_msg(file != NULL, "%s", line);
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *bytes = strchr(line, '\t'), *answer = bytes == NULL ? NULL : strchr(bytes + 1, '\t');
        ck_assert_msg(answer != NULL, "%s", line);
        *bytes++ = *answer++ = '\0';
        if (strcmp(bytes, "-") == 0)
            *bytes = '\0';
        if (strcmp(answer, "-") == 0)
            *answer = '\0';
        const size_t length = unescape(bytes);
        bytes[length] = '\0';
        for (size_t step = 1; step <= 3; step++)
            check_case(line, bytes, length, answer, step);
        check_case(line, bytes, length, answer, SIZE_MAX);
        cases++;
    }
    fclose(file);
    ck_assert_uint_ge(cases, 50);
}
END_TEST

/* ---- Reading ---- */

START_TEST(columns_and_fields_are_found)
{
    pqt_table *table =
        valid_table("name,Max_Y,id,min_x,MIN_Y,max_x\n\"a \"\"b\"\"\", 4 ,7,1,2,3\n");
    const pqt_table_columns columns = pqt_table_get_columns(table);
    pqt_field fields[6];
    char name[20];
    ck_assert_uint_eq(columns.count, 6);
    ck_assert_int_eq(columns.position, PQT_TABLE_BOXES);
    ck_assert_uint_eq(columns.coordinates, 4);
    ck_assert_uint_eq(columns.coordinate[0], 3);
    ck_assert_uint_eq(columns.coordinate[3], 1);
    ck_assert_uint_eq(columns.id, 2);
    pqt_table_fields(table, PQT_TABLE_HEADER, fields);
    ck_assert_int_eq(memcmp(fields[1].bytes, "Max_Y", 5), 0);
    pqt_table_fields(table, 0, fields);
    ck_assert_uint_eq(pqt_field_text(fields[0], name, sizeof name), 5);
    ck_assert_int_eq(memcmp(name, "a \"b\"", 5), 0);
    ck_assert_uint_eq(pqt_field_text(fields[0], name, 0), 5);
    ck_assert_uint_eq(fields[1].length, 1);
    ck_assert_uint_eq(pqt_table_line(table, PQT_TABLE_HEADER), 1);
    ck_assert_uint_eq(pqt_table_line(table, 0), 2);
    pqt_table_free(table);
    pqt_table_free(NULL);
}
END_TEST

START_TEST(a_row_begins_at_its_line)
{
    pqt_table *table = valid_table("\r\n\nx,y,n\r\n1,1,\"a\nb\r\nc\"\r\r\n2,2,d\n3,3,e");
    ck_assert_uint_eq(pqt_table_line(table, PQT_TABLE_HEADER), 3);
    ck_assert_uint_eq(pqt_table_line(table, 0), 4);
    ck_assert_uint_eq(pqt_table_line(table, 1), 8);
    ck_assert_uint_eq(pqt_table_line(table, 2), 9);
    pqt_table_free(table);
}
END_TEST

START_TEST(a_header_of_more_than_a_mebibyte_is_refused)
{
    enum { MOST = 1 << 20 };
    char *string = malloc(MOST + 20);
    pqt_error error = {0};
    memset(string, 'a', MOST);
    memcpy(string, "x,y,", 4);
    strcpy(string + MOST, "\n1,2,b\n");
    pqt_table_free(valid_table(string));
    strcpy(string + MOST, "a\n1,2,b\n");
    ck_assert_ptr_null(table_of(string, strlen(string), &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error.text,
                     "line 1: record is longer than 1048576 bytes (x,y,aaaaaaaaaaaaaaaaaaaa...)");
    memset(string, ' ', MOST + 1);
    ck_assert_ptr_null(table_of(string, strlen(string), &(pqt_error){0}));
    free(string);
}
END_TEST

static bool
read_endlessly(void *bytes, size_t capacity, size_t *count, void *context)
{
    size_t *total = context;
    memset(bytes, 'x', capacity);
    *count = capacity;
    *total += capacity;
    return *total < 1 << 26;
}

START_TEST(an_endless_stream_without_line_ends_is_refused_early)
{
    size_t total = 0;
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_table_read(read_endlessly, &total, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_uint_lt(total, 1 << 23);
}
END_TEST

START_TEST(long_runs_of_blank_lines_are_counted)
{
    const size_t length = (3 << 20) + 1; /* an odd number, so that reading stops inside a CRLF */
    char *string = malloc(length + 20);
    pqt_error error = {0};
    for (size_t i = 0; i < length; i++)
        string[i] = i % 2 == 0 ? '\r' : '\n';
    strcpy(string + length, "\nx,y\n1,oops\n");
    ck_assert_ptr_null(table_of(string, strlen(string), &error));
    ck_assert_uint_eq(error.index, (length + 1) / 2 + 2);
    free(string);
}
END_TEST

START_TEST(a_read_function_that_fails_is_reported)
{
    pqt_error error = {0};
    text from = {.bytes = (char *)(uintptr_t) "x,y\n", .length = 4, .step = 1, .fails = true};
    ck_assert_ptr_null(pqt_table_read(read_text, &from, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    ck_assert_str_eq(error.text, "the read function failed");
}
END_TEST

START_TEST(an_inverted_box_has_its_own_status)
{
    const char *string = "min_x,min_y,max_x,max_y\n1,1,0,0\n";
    pqt_error error = {0};
    ck_assert_ptr_null(table_of(string, strlen(string), &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
}
END_TEST

START_TEST(a_used_error_does_not_stop_a_table)
{
    pqt_error error = {3, PQT_ERROR_LIMIT, "used"};
    pqt_table *table = table_of("x,y\n1,2\n", 8, &error);
    text to = {.bytes = NULL};
    ck_assert_ptr_nonnull(table);
    pqt_table_row *rows = own_rows(table);
    ck_assert(pqt_table_write(table, rows, 1, write_text, &to, &error));
    ck_assert_str_eq(to.bytes, "x,y\n1,2\n");
    ck_assert_str_eq(error.text, "used");
    free(to.bytes);
    free(rows);
    pqt_table_free(table);
}
END_TEST

/* ---- Writing ---- */

START_TEST(a_table_without_changes_is_written_byte_for_byte)
{
    check_unchanged("\xef\xbb\xbfid,x,y,name\r\n007,1.50,1e3,\"plain\"\r\n2, +3 ,\"4\",\"a, "
                    "\"\"b\"\"\r\n\"\r\n");
    check_unchanged("\n\nx,y\n\n1,2\r3,4\r\n\n 5 , 6 \n\n  \n");
    check_unchanged("lat,lon\n-47.30,8.50");
    check_unchanged("x,y,w,h\n0.1,0.2,0.7,0.10\n1e300,1,1,1\n");
    check_unchanged("x,y");
    check_unchanged("x,y\n-0,-0.0\n");
}
END_TEST

START_TEST(only_the_fields_that_change_are_written_again)
{
    pqt_table *table =
        valid_table("name,id,x,y,\"n\"\r\n\"cat\",01,1.50,2.0,\"9\"\r\nowl,2,1e3,7,8");
    pqt_table_row *rows = own_rows(table);
    rows[0].item = point(1.5, -0.25, 1);
    pqt_field fields[5] = {{.bytes = NULL}};
    fields[0] = field("owl");
    fields[4] = field("say \"9\"");
    rows[1].fields = fields;
    check_written(
        table, rows, 2,
        "name,id,x,y,\"n\"\r\n\"cat\",01,1.50,-0.25,\"9\"\r\nowl,2,1e3,7,\"say \"\"9\"\"\"");
    fields[0] = field("dog");
    fields[4] = (pqt_field){"8", 1, true};
    rows[0].fields = fields;
    rows[0].item.id = 5;
    check_written(table, rows, 1, "name,id,x,y,\"n\"\r\n\"dog\",5,1.50,-0.25,\"8\"");
    free(rows);
    pqt_table_free(table);
}
END_TEST

START_TEST(new_rows_look_like_the_rows_of_the_table)
{
    pqt_table *table = valid_table("\"id\",\"x\",\"y\",name,other\r\n\"1\",2,\"3\",\"cat\",a\r\n");
    pqt_field fields[5] = {{.bytes = NULL}};
    fields[3] = field("owl");
    fields[4] = field(" b");
    const pqt_table_row rows[] = {{NULL, 0, point(0.1, 1e23, 7), fields},
                                  {table, 0, point(2, 3, 1), NULL},
                                  {NULL, 0, point(5, 6, 8), NULL}};
    check_written(table, rows, 3,
                  "\"id\",\"x\",\"y\",name,other\r\n\"7\",0.1,\"1e+23\",\"owl\",\" b\"\r\n"
                  "\"1\",2,\"3\",\"cat\",a\r\n\"8\",5,\"6\",,\r\n");
    check_written(table, NULL, 0, "\"id\",\"x\",\"y\",name,other\r\n");
    pqt_table_free(table);
    table = valid_table("x,y");
    check_written(table, (pqt_table_row[]){{NULL, 0, point(1, 2, 0), NULL}}, 1, "x,y\n1,2");
    pqt_table_free(table);
}
END_TEST

START_TEST(boxes_in_degrees_are_written_to_their_columns)
{
    pqt_table *table = valid_table("max_lat,min_lat,id,max_lon,min_lon\n5.0,-1.0,3,1.50,0\n");
    const pqt_table_columns columns = pqt_table_get_columns(table);
    ck_assert_int_eq(columns.position, PQT_TABLE_DEGREE_BOXES);
    ck_assert_uint_eq(columns.coordinates, 4);
    const pqt_item moved = {{{0, -1}, {1.5, 6}}, 3}, added = {{{7, -9}, {8, 1e-3}}, 4};
    const pqt_table_row rows[] = {{table, 0, moved, NULL}, {NULL, 0, added, NULL}};
    check_written(table, rows, 2,
                  "max_lat,min_lat,id,max_lon,min_lon\n6,-1.0,3,1.50,0\n0.001,-9,4,8,7\n");
    pqt_table_free(table);
}
END_TEST

START_TEST(separators_and_decimal_commas_are_written_as_read)
{
    static const char string[] = "sep=;\r\nname;x;y;id\r\na;1,50;2;7\r\nb,c;3;4;8\r\n";
    check_unchanged(string);
    pqt_table *table = valid_table(string);
    pqt_table_row *rows = own_rows(table);
    rows[0].item.box.max.y = rows[0].item.box.min.y = 2.25;
    const pqt_table_row changed[] = {
        rows[0], rows[1], {NULL, 0, point(0.5, -1, 9), (pqt_field[]){field("d;e"), {0}, {0}, {0}}}};
    check_written(table, changed, 3,
                  "sep=;\r\nname;x;y;id\r\na;1,50;2,25;7\r\nb,c;3;4;8\r\n\"d;e\";0,5;-1;9\r\n");
    free(rows);
    pqt_table_free(table);
}
END_TEST

/* A tab, a semicolon or a comma that a table can have in a field ends a field of the other one. */
START_TEST(a_row_of_a_table_with_another_separator_is_written_anew)
{
    pqt_table *commas = valid_table("id,x,y,name\n1,0.50,2,a;b\n \n2,3,4,\tc\n");
    pqt_table *semicolons = valid_table("id;x;y;name\n3;0,50;2;a,b\n");
    pqt_table *tabs = valid_table("id\tx\ty\tname\n4\t5\t6\t d\n");
    const pqt_table_row rows[] = {{commas, 0, point(0.5, 2, 1), NULL},
                                  {commas, 1, point(3, 4, 2), NULL},
                                  {semicolons, 0, point(0.5, 2, 3), NULL},
                                  {tabs, 0, point(5, 6, 4), NULL}};
    check_written(commas, rows, 4,
                  "id,x,y,name\n1,0.50,2,a;b\n \n2,3,4,\tc\n3,0.5,2,\"a,b\"\n4,5,6,d\n");
    check_written(semicolons, rows, 4,
                  "id;x;y;name\n1;0,5;2;\"a;b\"\n2;3;4;c\n3;0,50;2;a,b\n4;5;6;d\n");
    check_written(tabs, rows, 4,
                  "id\tx\ty\tname\n1\t0.5\t2\ta;b\n2\t3\t4\tc\n3\t0.5\t2\ta,b\n4\t5\t6\t d\n");
    pqt_table_free(commas);
    pqt_table_free(semicolons);
    pqt_table_free(tabs);
}
END_TEST

/* A file of text ids has no column of ids, so they are written as text. */
START_TEST(ids_that_are_text_are_kept)
{
    static const char string[] = "id,x,y\nA7,1,2\n8,3,4\n";
    check_unchanged(string);
    pqt_table *table = valid_table(string);
    ck_assert_uint_eq(pqt_table_get_columns(table).id, PQT_TABLE_NONE);
    ck_assert_uint_eq(pqt_table_items(table)[1].id, 1);
    pqt_table_free(table);
}
END_TEST

/* A number is copied to give it a point, so it has a longest length. */
START_TEST(a_long_number_with_a_decimal_comma_is_read_or_refused)
{
    char string[1100];
    for (size_t length = 990; length <= 1001; length++) {
        pqt_error error = {0};
        memset(string, '0', sizeof string);
        memcpy(string, "x;y\n1;", 6);
        memcpy(string + 6, "1,5", 3);
        string[6 + length] = '\n';
        pqt_table *table = table_of(string, 7 + length, &error);
        ck_assert_int_eq(table != NULL, length <= 1000);
        ck_assert_int_eq(error.status, table != NULL ? PQT_OK : PQT_ERROR_FORMAT);
        ck_assert(table == NULL || pqt_table_items(table)->box.min.y == 1.5);
        pqt_table_free(table);
    }
}
END_TEST

START_TEST(rows_are_removed_and_reordered_with_their_bytes)
{
    pqt_table *table = valid_table("id,x,y\n1,1.0,1\r\n2,2.0,2\n3,3.0,3");
    pqt_table_row *rows = own_rows(table);
    check_written(table, rows, 2, "id,x,y\n1,1.0,1\r\n2,2.0,2");
    check_written(table, rows + 1, 2, "id,x,y\n2,2.0,2\n3,3.0,3");
    const pqt_table_row reversed[] = {rows[2], rows[0]};
    check_written(table, reversed, 2, "id,x,y\n3,3.0,3\n1,1.0,1");
    free(rows);
    pqt_table_free(table);
}
END_TEST

START_TEST(a_row_of_another_table_keeps_its_spelling)
{
    pqt_table *ours = valid_table("id,x,y,name\r\n1,1,1,cat\r\n");
    pqt_table *theirs = valid_table("Y,X,label,id\n \n\"2.50\",02,\"owl\",0009\n");
    pqt_table *boxes = valid_table("min_x,min_y,max_x,max_y\n3.0,3,3,3\n");
    const pqt_table_row rows[] = {{ours, 0, point(1, 1, 1), NULL},
                                  {theirs, 0, point(2, 2.5, 9), NULL},
                                  {boxes, 0, point(3, 3, 10), NULL}};
    check_written(ours, rows, 3,
                  "id,x,y,name\r\n1,1,1,cat\r\n \n0009,02,\"2.50\",\"owl\"\r\n10,3,3,\r\n");
    pqt_table_free(ours);
    pqt_table_free(theirs);
    pqt_table_free(boxes);
}
END_TEST

/* The columns that are neither coordinates nor ids correspond in their order, wherever they are.
   The second row of the other table begins with its first column again. */
START_TEST(other_columns_of_another_table_correspond_in_their_order)
{
    pqt_table *ours = valid_table("a,x,b,y,c,id,d\n1,1,2,1,3,1,4\n");
    pqt_table *theirs = valid_table("id,x,p,q,y,r\n7,5,P,Q,6,R\n8,5,S,T,6,U\n");
    const pqt_table_row rows[] = {{theirs, 0, point(5, 6, 7), NULL},
                                  {theirs, 1, point(5, 6, 8), NULL}};
    check_written(ours, rows, 2, "a,x,b,y,c,id,d\nP,5,Q,6,R,7,\nS,5,T,6,U,8,\n");
    pqt_table_free(ours);
    pqt_table_free(theirs);
}
END_TEST

START_TEST(sizes_read_back_as_the_same_boxes)
{
    dice d = {test_seed("sizes_read_back_as_the_same_boxes")};
    pqt_table *table = valid_table("x,y,w,h\n");
    for (size_t i = 0; i < test_scaled(20000); i++) {
        const double x = (dice_real(&d) - 0.5) * 2000, y = dice_real(&d) - 0.5;
        const pqt_item item = {{{x, y}, {x + dice_real(&d) * 10, y + dice_real(&d) * 1e-3}}, 0};
        pqt_error error = {0};
        text to = {.bytes = NULL};
        ck_assert(pqt_table_write(table, (pqt_table_row[]){{NULL, 0, item, NULL}}, 1, write_text,
                                  &to, &error));
        pqt_table *again = valid_table(to.bytes);
        ck_assert(pqt_item_equals(pqt_table_items(again)[0], item));
        pqt_table_free(again);
        free(to.bytes);
    }
    pqt_table_free(table);
}
END_TEST

/* Checks that writing one new row fails. */
static void
check_refused(const char *header, pqt_item item, const pqt_field *fields, pqt_status status,
              const char *message)
{
    pqt_table *table = valid_table(header);
    pqt_error error = {0};
    text to = {.bytes = NULL};
    const pqt_table_row rows[] = {{NULL, 0, point(0, 0, 0), NULL}, {NULL, 0, item, fields}};
    ck_assert(!pqt_table_write(table, rows, 2, write_text, &to, &error));
    ck_assert_int_eq(error.status, status);
    ck_assert_uint_eq(error.index, 1);
    ck_assert_str_eq(error.text, message);
    free(to.bytes);
    pqt_table_free(table);
}

START_TEST(a_row_that_the_columns_cannot_hold_is_refused)
{
    const pqt_item box = {{{-1e16, 0}, {0.25, 1}}, 5};
    const pqt_field zero[3] = {{.bytes = NULL}, {.bytes = NULL}, {"a\0b", 3, false}};
    check_refused("x,y", box, NULL, PQT_ERROR_MISMATCH,
                  "row 1: the columns cannot hold the box of id 5");
    check_refused("lon,lat", box, NULL, PQT_ERROR_MISMATCH,
                  "row 1: the columns cannot hold the box of id 5");
    check_refused("x,y,w,h", box, NULL, PQT_ERROR_MISMATCH,
                  "row 1: the columns cannot hold the box of id 5");
    check_refused("x,y", point(NAN, 0, 5), NULL, PQT_ERROR_BOX, "item 1: min.x is nan");
    check_refused("x,y,name", point(0, 0, 5), zero, PQT_ERROR_FORMAT, "row 1: column 2: zero byte");
}
END_TEST

START_TEST(a_write_function_that_fails_is_reported)
{
    pqt_table *table = valid_table("x,y\n");
    pqt_error error = {0};
    text to = {.fails = true};
    ck_assert(!pqt_table_write(table, NULL, 0, write_text, &to, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    pqt_table_free(table);
}
END_TEST

/* After a failure, nothing more is written: what was written is the beginning of the text. */
START_TEST(each_failed_write_of_a_table_ends_it)
{
    static const char string[] = "x,y,name\r\n\n1,2,\"a\"\"b\"\n\n3,4,b\n5,6,\"\n\"";
    pqt_table *table = valid_table(string);
    pqt_table_row *rows = own_rows(table);
    const pqt_field fields[3] = {{.bytes = NULL}, {.bytes = NULL}, {"c,\"d", 4, false}};
    rows[1] = (pqt_table_row){NULL, 0, point(7, 8, 9), fields};
    bool done = false;
    for (size_t n = 1; !done; n++) {
        pqt_error error = {0};
        text whole = {.bytes = NULL}, to = {.fails_at = n};
        ck_assert(pqt_table_write(table, rows, 3, write_text, &whole, NULL));
        done = pqt_table_write(table, rows, 3, write_text, &to, &error);
        ck_assert_int_eq(error.status, done ? PQT_OK : PQT_ERROR_CALLBACK);
        ck_assert_uint_eq(to.writes, done ? n - 1 : n);
        ck_assert_int_eq(memcmp(to.bytes != NULL ? to.bytes : "", whole.bytes, to.length), 0);
        ck_assert_int_eq(done, to.length == whole.length);
        ck_assert(!done || n > 20);
        free(whole.bytes);
        free(to.bytes);
    }
    free(rows);
    pqt_table_free(table);
}
END_TEST

/* Reads and writes a table. Returns false on failure. */
static bool
try_table(pqt_error *error)
{
    static const char string[] = "x,y,name\n1,2,\"a\"\n3,4,b\n";
    text to = {.bytes = NULL};
    pqt_table *table = table_of(string, strlen(string), error);
    if (table == NULL)
        return false;
    pqt_table_row *rows = own_rows(table);
    const bool done = pqt_table_write(table, rows, 2, write_text, &to, error);
    ck_assert(!done || strcmp(to.bytes, string) == 0);
    free(rows);
    free(to.bytes);
    pqt_table_free(table);
    return done;
}

START_TEST(each_failed_allocation_of_a_table_is_reported)
{
    for (size_t n = 1;; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const bool done = try_table(&error);
        hooks_stop();
        ck_assert_int_eq(error.status, done ? PQT_OK : PQT_ERROR_MEMORY);
        ck_assert(done || watch.failures == 1);
        if (done) {
            ck_assert_uint_gt(n, 5);
            return;
        }
    }
}
END_TEST

/* ---- Random tables ---- */

/* Writes a random record with `columns` fields, the first two of which are numbers. */
static void
add_record(dice *d, text *to, size_t columns, char separator)
{
    static const char *const numbers[] = {"1.50", "\"1e3\"", " 007", "-0", ".5", "+2. ", "1e-400"};
    static const char *const texts[] = {"",           "a",     "\"a,b\"", "\"\"\"\"",
                                        "\"x\r\ny\"", " b c ", "\"\""};
    static const char *const line_ends[] = {"\n", "\r\n", "\r", "\n\n", "\r\n  \n"};
    for (size_t c = 0; c < columns; c++) {
        const char *const *choice = c < 2 ? numbers : texts;
        const char *added = choice[dice_below(d, 7)];
        write_text(&separator, c > 0, to);
        write_text(added, strlen(added), to);
    }
    const char *line_end = line_ends[dice_below(d, 5)];
    write_text(line_end, strlen(line_end), to);
}

START_TEST(random_tables_without_changes_are_written_byte_for_byte)
{
    dice d = {test_seed("random_tables_without_changes_are_written_byte_for_byte")};
    for (size_t i = 0; i < test_scaled(3000); i++) {
        text to = {.bytes = NULL};
        const size_t columns = 2 + dice_below(&d, 4);
        const char separator = ",;\t"[dice_below(&d, 3)];
        write_text((char[]){'y', separator, 'x'}, 3, &to);
        for (size_t c = 2; c < columns; c++)
            write_text((char[]){separator, '"', 'c', '"'}, 4, &to);
        write_text("\r\n", 2, &to);
        for (size_t rows = dice_below(&d, 6); rows > 0; rows--)
            add_record(&d, &to, columns, separator);
        if (dice_below(&d, 2) == 0)
            while (to.length > 0 && strchr(" \r\n", to.bytes[to.length - 1]) != NULL)
                to.bytes[--to.length] = '\0';
        check_unchanged(to.bytes);
        free(to.bytes);
    }
}
END_TEST

/* ---- Other columns ---- */

START_TEST(columns_are_added_left_out_and_reordered)
{
    pqt_table *table = valid_table(
        "\xef\xbb\xbfsep=;\r\n\"n\";id; x ;y;m\r\n\"a;\"\"\"; 07;1,5;2;u\r\n \r\nb;8; 3;4 ;\"v\"");
    const pqt_table_column columns[] = {{2, {0}}, {PQT_TABLE_NONE, field("new")},         {0, {0}},
                                        {3, {0}}, {PQT_TABLE_NONE, {"a \"\"b", 5, true}}, {1, {0}}};
    pqt_table *other = pqt_table_select(table, columns, 6, NULL);
    ck_assert_ptr_nonnull(other);
    const pqt_table_columns found = pqt_table_get_columns(other);
    ck_assert_uint_eq(found.count, 6);
    ck_assert_uint_eq(found.coordinate[0], 0);
    ck_assert_uint_eq(found.coordinate[1], 3);
    ck_assert_uint_eq(found.id, 5);
    pqt_table_row *rows = own_rows(other);
    ck_assert(pqt_item_equals(rows[0].item, point(1.5, 2, 7)));
    ck_assert(pqt_item_equals(rows[1].item, point(3, 4, 8)));
    check_written(other, rows, 2,
                  "\xef\xbb\xbfsep=;\r\n x ;new;\"n\";y;\"a \"\"b\";id\r\n"
                  "1,5;;\"a;\"\"\";2;; 07\r\n \r\n 3;;b;4 ;;8");
    rows[1].item.box.min.y = rows[1].item.box.max.y = 0.5;
    check_written(other, rows + 1, 1,
                  "\xef\xbb\xbfsep=;\r\n x ;new;\"n\";y;\"a \"\"b\";id\r\n \r\n 3;;b;0,5;;8");
    free(rows);
    pqt_table_free(other);
    pqt_table_free(table);
}
END_TEST

START_TEST(all_columns_make_the_same_table)
{
    static const char string[] = "\n\nwkt,name\r\rPOINT (1 2), \"a\" \r\n\"POINT (3 4)\",\n \n";
    pqt_table *table = valid_table(string);
    pqt_table *same = pqt_table_select(table, (pqt_table_column[]){{0, {0}}, {1, {0}}}, 2, NULL);
    pqt_table_row *rows = own_rows(same);
    check_written(same, rows, 2, string);
    ck_assert_uint_eq(pqt_table_line(same, 1), pqt_table_line(table, 1));
    free(rows);
    pqt_table_free(same);
    pqt_table_free(table);
}
END_TEST

START_TEST(columns_that_a_table_cannot_have_are_refused)
{
    pqt_table *table = valid_table("id,x,y,n\n1,2,3,a\n");
    static const size_t bad[][5] = {
        {0, 1, 3, 3, 3}, {1, 2, 3, 3, 3}, {0, 1, 2, 4, 4}, {0, 1, 2, 3, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pqt_table_column columns[5] = {{0, {0}}};
        pqt_error error = {0};
        for (size_t c = 0; c < 5; c++)
            columns[c].source = bad[i][c];
        ck_assert_ptr_null(pqt_table_select(table, columns, 5, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    }
    const pqt_table_column nameless[] = {{0, {0}}, {1, {0}}, {2, {0}}, {PQT_TABLE_NONE, {0}}};
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_table_select(table, nameless, 4, &error));
    ck_assert_uint_eq(error.index, 3);
    pqt_table_free(table);
}
END_TEST

START_TEST(each_failed_allocation_of_other_columns_is_reported)
{
    pqt_table *table = valid_table("id,x,y,n\n1,2,3,a\n");
    const pqt_table_column columns[] = {
        {0, {0}}, {1, {0}}, {2, {0}}, {PQT_TABLE_NONE, field("new name")}};
    for (size_t n = 1;; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        pqt_table *other = pqt_table_select(table, columns, 4, &error);
        hooks_stop();
        ck_assert_int_eq(error.status, other != NULL ? PQT_OK : PQT_ERROR_MEMORY);
        pqt_table_free(other);
        if (other != NULL) {
            ck_assert_uint_ge(n, 5);
            break;
        }
    }
    pqt_table_free(table);
}
END_TEST

static Suite *
table_suite(void)
{
    Suite *suite = suite_create("table");
    TCase *reading = tcase_create("reading");
    tcase_add_test(reading, each_text_of_the_shared_cases_has_its_answer);
    tcase_add_test(reading, columns_and_fields_are_found);
    tcase_add_test(reading, a_row_begins_at_its_line);
    tcase_add_test(reading, a_header_of_more_than_a_mebibyte_is_refused);
    tcase_add_test(reading, an_endless_stream_without_line_ends_is_refused_early);
    tcase_add_test(reading, long_runs_of_blank_lines_are_counted);
    tcase_add_test(reading, a_read_function_that_fails_is_reported);
    tcase_add_test(reading, an_inverted_box_has_its_own_status);
    tcase_add_test(reading, a_used_error_does_not_stop_a_table);
    suite_add_tcase(suite, reading);

    TCase *writing = tcase_create("writing");
    tcase_add_test(writing, a_table_without_changes_is_written_byte_for_byte);
    tcase_add_test(writing, only_the_fields_that_change_are_written_again);
    tcase_add_test(writing, new_rows_look_like_the_rows_of_the_table);
    tcase_add_test(writing, boxes_in_degrees_are_written_to_their_columns);
    tcase_add_test(writing, separators_and_decimal_commas_are_written_as_read);
    tcase_add_test(writing, a_row_of_a_table_with_another_separator_is_written_anew);
    tcase_add_test(writing, ids_that_are_text_are_kept);
    tcase_add_test(writing, a_long_number_with_a_decimal_comma_is_read_or_refused);
    tcase_add_test(writing, rows_are_removed_and_reordered_with_their_bytes);
    tcase_add_test(writing, a_row_of_another_table_keeps_its_spelling);
    tcase_add_test(writing, other_columns_of_another_table_correspond_in_their_order);
    tcase_add_test(writing, sizes_read_back_as_the_same_boxes);
    tcase_add_test(writing, a_row_that_the_columns_cannot_hold_is_refused);
    tcase_add_test(writing, a_write_function_that_fails_is_reported);
    tcase_add_test(writing, each_failed_write_of_a_table_ends_it);
    tcase_add_test(writing, each_failed_allocation_of_a_table_is_reported);
    tcase_add_test(writing, random_tables_without_changes_are_written_byte_for_byte);
    suite_add_tcase(suite, writing);

    TCase *selecting = tcase_create("selecting");
    tcase_add_test(selecting, columns_are_added_left_out_and_reordered);
    tcase_add_test(selecting, all_columns_make_the_same_table);
    tcase_add_test(selecting, columns_that_a_table_cannot_have_are_refused);
    tcase_add_test(selecting, each_failed_allocation_of_other_columns_is_reported);
    suite_add_tcase(suite, selecting);
    return suite;
}

int
main(void)
{
    return run_suite(table_suite());
}
