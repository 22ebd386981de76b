/* SPDX-License-Identifier: MIT */
/* test_table_reader.c: tests reading tables record by record. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "bytes_support.h"
#include "hooks.h"
#include "random.h"
#include "suite.h"

enum { MOST_COLUMNS = 8, MOST_ROWS = 8, LONGEST_TEXT = 2000 };

/* Returns a text that is read in portions of at most `step` bytes; 0: no limit. */
static byte_buffer
text_of(const char *string, size_t step)
{
    return (byte_buffer){
        .bytes = (uint8_t *)(uintptr_t)string, .length = strlen(string), .step = step};
}

static pqt_table_record
next_record(pqt_table_reader *reader)
{
    pqt_error error = {0};
    pqt_table_record record;
    ck_assert_msg(pqt_table_reader_next(reader, &record, &error), "%s", error.text);
    return record;
}

static void
check_fields(const pqt_field *fields, const pqt_field *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(fields[i].length, expected[i].length);
        ck_assert_int_eq(fields[i].is_quoted, expected[i].is_quoted);
        ck_assert_int_eq(memcmp(fields[i].bytes, expected[i].bytes, fields[i].length), 0);
    }
}

/* Checks that a record is a row of a table. */
static void
check_record(const pqt_table_record *record, const pqt_table *table, size_t row)
{
    pqt_field expected[MOST_COLUMNS];
    ck_assert_uint_eq(record->row, row);
    ck_assert(pqt_item_equals(record->item, pqt_table_items(table)[row]));
    ck_assert_uint_eq(record->line, pqt_table_line(table, row));
    pqt_table_fields(table, row, expected);
    check_fields(record->fields, expected, pqt_table_get_columns(table).count);
}

/* Checks that a reader gives the rows of a table of the same text, first in their order and then in
   the opposite order. */
static void
check_rows(const char *string, size_t step)
{
    byte_buffer whole = text_of(string, 0), from = text_of(string, step);
    pqt_error error = {0};
    pqt_table_record records[MOST_ROWS];
    pqt_table *table = pqt_table_read(source, &whole, NULL, &error);
    ck_assert_msg(table != NULL, "%s", error.text);
    pqt_table_reader *reader = pqt_table_reader_open(source, &from, NULL, &error);
    ck_assert_msg(reader != NULL, "%s", error.text);
    const size_t count = pqt_table_count(table);
    ck_assert_uint_le(count, MOST_ROWS);
    for (size_t row = 0; row < count; row++) {
        records[row] = next_record(reader);
        check_record(&records[row], table, row);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(next_record(reader).row, PQT_TABLE_NONE);
    for (size_t row = count; row-- > 0;) {
        from.next = records[row].offset;
        pqt_table_reader_seek(reader, &records[row]);
        const pqt_table_record again = next_record(reader);
        check_record(&again, table, row);
        ck_assert_uint_eq(again.offset, records[row].offset);
    }
    pqt_table_reader_close(reader);
    pqt_table_free(table);
}

static void
check_all_steps(const char *string)
{
    for (size_t step = 1; step <= 5; step++)
        check_rows(string, step);
    check_rows(string, SIZE_MAX);
}

START_TEST(a_reader_has_the_rows_of_the_table)
{
    check_all_steps("x,y\n1,2\n3,4\n");
    check_all_steps("x,y");
    check_all_steps("\xef\xbb\xbfsep=;\r\nid;x;y;n\r\n7;1,5;2;\"a;b\"\r\n\r\n \r\n8;3;4;\"\"\"\"");
    check_all_steps("id,x,y\nA1,1,2\nA2,3,4\n");
    check_all_steps("\n\n x , y ,n\r1,2,\"a\r\nb\"\r\r3,4,\r \n\n   ");
    check_all_steps("wkt,name\n\"POLYGON ((0 0, 1 0, 1 2, 0 0))\",a\nPOINT (3 4),\n");
}
END_TEST

/* Appends a field of a random kind. */
static char *
add_field(dice *d, char *to)
{
    static const char *const fields[] = {
        "",       "a",         " b ",  "\"c\"",        "\"d,\"\"\n\"",
        "\"\r\"", "\"\r\n \"", "\"\"", "\"\"\"\"\"\"", " \"e\" "};
    return to + sprintf(to, "%s", fields[dice_below(d, sizeof fields / sizeof fields[0])]);
}

START_TEST(random_tables_are_read_alike_in_all_portions)
{
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", "\r\n \n", "\n\r"};
    dice d = {test_seed("random_tables_are_read_alike_in_all_portions")};
    for (size_t i = 0; i < test_scaled(2000); i++) {
        char string[LONGEST_TEXT], *to = string;
        to += sprintf(to, "%sn,x,y,m\r\n", ends[dice_below(&d, 6)]);
        for (size_t rows = dice_below(&d, MOST_ROWS); rows > 0; rows--) {
            to = add_field(&d, to);
            to += sprintf(to, ",%d,%d,", (int)dice_below(&d, 100), (int)dice_below(&d, 100));
            to = add_field(&d, to);
            to += sprintf(to, "%s", ends[dice_below(&d, 6)]);
        }
        check_rows(string, 1 + dice_below(&d, 8));
    }
}
END_TEST

START_TEST(columns_and_names_are_those_of_the_header)
{
    byte_buffer from = text_of("id,\"a \"\"b\"\"\",lat,lon\nX,c,1,2\n", 3);
    pqt_field names[4];
    char name[8];
    pqt_table_reader *reader = pqt_table_reader_open(source, &from, NULL, NULL);
    ck_assert_uint_eq(pqt_table_reader_columns(reader).id, 0);
    ck_assert_uint_eq(next_record(reader).item.id, 0);
    const pqt_table_columns columns = pqt_table_reader_columns(reader);
    ck_assert_uint_eq(columns.id, PQT_TABLE_NONE);
    ck_assert_int_eq(columns.position, PQT_TABLE_DEGREES);
    ck_assert_uint_eq(columns.coordinate[0], 3);
    pqt_table_reader_names(reader, names);
    ck_assert_uint_eq(pqt_field_text(names[1], name, sizeof name), 5);
    ck_assert_int_eq(memcmp(name, "a \"b\"", 5), 0);
    pqt_table_reader_close(reader);
    pqt_table_reader_close(NULL);
}
END_TEST

/* Returns the error of reading all rows of a text. */
static pqt_error
error_of(const char *string, const pqt_table_options *options)
{
    byte_buffer from = text_of(string, 2);
    pqt_error error = {0};
    pqt_table_record record;
    pqt_table_reader *reader = pqt_table_reader_open(source, &from, options, &error);
    while (reader != NULL && pqt_table_reader_next(reader, &record, &error) &&
           record.row != PQT_TABLE_NONE)
        continue;
    pqt_table_reader_close(reader);
    return error;
}

START_TEST(a_reader_reports_the_errors_of_tables)
{
    pqt_table_options options = PQT_TABLE_DEFAULTS;
    ck_assert_str_eq(error_of("x\n1\n", NULL).text, "line 1: column is missing (y)");
    const pqt_error word = error_of("x,y\n1,2\n\n3,\"a\nb\"\n", NULL);
    ck_assert_int_eq(word.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(word.text, "line 5: y is not a number (a\\x0ab)");
    ck_assert_str_eq(error_of("x,y,n\n1,2,a\"b c\n", NULL).text,
                     "line 2: quote in the wrong place (\"b c)");
    ck_assert_str_eq(error_of("x,y\n1,2\n3,\"4\n", NULL).text,
                     "line 3: quote is not closed (end of file)");
    ck_assert_int_eq(error_of("min_x,min_y,max_x,max_y\n1,1,0,0\n", NULL).status, PQT_ERROR_BOX);
    options.position[2] = "x";
    ck_assert_int_eq(error_of("x,y\n", &options).status, PQT_ERROR_OPTION);
}
END_TEST

START_TEST(a_read_function_that_fails_ends_the_reader)
{
    byte_buffer from = text_of("x,y\n1,2\n", 4);
    pqt_error error = {0};
    pqt_table_record record;
    from.failing = 1;
    ck_assert_ptr_null(pqt_table_reader_open(source, &from, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    error = (pqt_error){0};
    from = text_of("x,y\n1,2\n3,4\n5,6\n", 4);
    pqt_table_reader *reader = pqt_table_reader_open(source, &from, NULL, &error);
    ck_assert_ptr_nonnull(reader);
    from.failing = from.calls + 1;
    while (pqt_table_reader_next(reader, &record, &error))
        ck_assert_uint_ne(record.row, PQT_TABLE_NONE);
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    pqt_table_reader_close(reader);
}
END_TEST

/* ---- Memory ---- */

START_TEST(each_failed_allocation_of_a_reader_is_reported)
{
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const pqt_error error = error_of("n,x,y\n\"a\",1,2\nb,3,4\n", NULL);
        hooks_stop();
        ck_assert_int_eq(error.status, watch.failures > 0 ? PQT_ERROR_MEMORY : PQT_OK);
        if (watch.failures == 0) {
            ck_assert_uint_gt(n, 5);
            return;
        }
    }
}
END_TEST

/* A text that repeats its part from `loop` on until it has `total` bytes. */
typedef struct endless {
    const char *bytes;
    size_t length, loop, at;
    uint64_t taken, total;
} endless;

static bool
read_endless(void *bytes, size_t capacity, size_t *count, void *context)
{
    endless *from = context;
    char *to = bytes;
    for (*count = 0; *count < capacity && from->taken < from->total; ++*count, from->taken++) {
        to[*count] = from->bytes[from->at];
        from->at = from->at + 1 < from->length ? from->at + 1 : from->loop;
    }
    return true;
}

static endless
endless_of(const char *string, size_t loop, uint64_t total)
{
    return (endless){.bytes = string, .length = strlen(string), .loop = loop, .total = total};
}

START_TEST(rows_are_read_in_the_memory_of_one_row)
{
    endless from = endless_of("x,y\n12,34\n", 4, 6 * test_scaled(1 << 20) + 4);
    pqt_error error = {0};
    hooks watch = {0};
    hooks_start(&watch);
    pqt_table_reader *reader = pqt_table_reader_open(read_endless, &from, NULL, &error);
    pqt_table_record record = next_record(reader);
    size_t rows = 0;
    for (; record.row != PQT_TABLE_NONE; record = next_record(reader))
        rows++;
    ck_assert_uint_lt(watch.bytes[PQTI_BLOCK_SCRATCH], 1 << 20);
    ck_assert_uint_eq(rows, test_scaled(1 << 20));
    pqt_table_reader_close(reader);
    hooks_stop();
}
END_TEST

START_TEST(a_long_record_is_read_and_a_longer_one_refused)
{
    enum { LONG = 10 << 20, MOST = 1 << 27 };
    endless from = endless_of("x,y,n\n1,2,a", 10, LONG);
    pqt_error error = {0};
    pqt_table_reader *reader = pqt_table_reader_open(read_endless, &from, NULL, &error);
    pqt_table_record record = next_record(reader);
    ck_assert_uint_eq(record.fields[2].length, LONG - 10);
    pqt_table_reader_close(reader);
    from = endless_of("x,y,n\n1,2,3\n4,5,\"a\n", 17, UINT64_MAX);
    reader = pqt_table_reader_open(read_endless, &from, NULL, &error);
    next_record(reader);
    ck_assert(!pqt_table_reader_next(reader, &record, &error));
    ck_assert_str_eq(error.text, "line 3: record is longer than 134217728 bytes (4,5,\"a)");
    ck_assert_uint_eq(error.index, 3);
    ck_assert_uint_le(from.taken, 2 * (uint64_t)MOST);
    pqt_table_reader_close(reader);
}
END_TEST

static Suite *
reader_suite(void)
{
    Suite *suite = suite_create("table reader");
    TCase *rows = tcase_create("rows");
    tcase_add_test(rows, a_reader_has_the_rows_of_the_table);
    tcase_add_test(rows, random_tables_are_read_alike_in_all_portions);
    tcase_add_test(rows, columns_and_names_are_those_of_the_header);
    tcase_add_test(rows, a_reader_reports_the_errors_of_tables);
    tcase_add_test(rows, a_read_function_that_fails_ends_the_reader);
    suite_add_tcase(suite, rows);

    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, each_failed_allocation_of_a_reader_is_reported);
    tcase_add_test(memory, rows_are_read_in_the_memory_of_one_row);
    tcase_add_test(memory, a_long_record_is_read_and_a_longer_one_refused);
    suite_add_tcase(suite, memory);
    return suite;
}

int
main(void)
{
    return run_suite(reader_suite());
}
