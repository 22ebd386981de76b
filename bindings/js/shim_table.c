/* SPDX-License-Identifier: MIT */
/*
 * shim_table.c: CSV tables for lib/table.js.
 *
 * No table is kept between calls: each call gets the bytes of the file at the beginning of the
 * buffer, after their number, and reads them. JavaScript keeps the file.
 */
#include "shim.h"

#include <stdlib.h>

/* Reads the table in the buffer. Sets *end to the place after its bytes. */
static pqt_table *
read_table(size_t *end)
{
    uint64_t length;
    memcpy(&length, buffer, sizeof length);
    source from = {sizeof length, sizeof length + (size_t)length};
    *end = (from.count + 7) / 8 * 8;
    return pqt_table_read(read_bytes, &from, NULL, &failure);
}

static pqt_field *
fields_of(const pqt_table *table, size_t count)
{
    pqt_field *fields = calloc(count * pqt_table_get_columns(table).count, sizeof *fields);
    if (fields == NULL)
        fail(PQT_ERROR_MEMORY, "out of memory (fields of a table)");
    return fields;
}

/* Appends the text of a field. */
static bool
append_field(pqt_field field)
{
    const size_t length = pqt_field_text(field, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (fields of a table)");
        return false;
    }
    pqt_field_text(field, text, length);
    const bool was_appended = append_string(text, length);
    free(text);
    return was_appended;
}

/* Appends the position, the column of ids, the number of columns and their names, and then the
   number of rows and the items. */
static bool
append_table(const pqt_table *table, const pqt_field *names)
{
    const pqt_table_columns columns = pqt_table_get_columns(table);
    const bool has_ids = columns.id != PQT_TABLE_NONE;
    const size_t count = pqt_table_count(table);
    begin_append();
    if (!append_word(columns.position) || !append_word(has_ids) || !append_word(columns.count))
        return false;
    for (size_t i = 0; i < columns.count; i++)
        if (!append_field(names[i]))
            return false;
    return append_word(count) && append(pqt_table_items(table), count * sizeof(pqt_item));
}

/* Reads a table, and writes its contents to the buffer. */
int32_t
EXPORT(pqtjs_table_read)(void)
{
    size_t end;
    pqt_table *table = read_table(&end);
    pqt_field *names = table == NULL ? NULL : fields_of(table, 1);
    bool done = names != NULL;
    if (done) {
        pqt_table_fields(table, PQT_TABLE_HEADER, names);
        done = append_table(table, names);
    }
    free(names);
    pqt_table_free(table);
    return done ? appended() : -1;
}

/* Writes the text of a column in all rows to the buffer. */
int32_t
EXPORT(pqtjs_table_texts)(size_t column)
{
    size_t end;
    pqt_table *table = read_table(&end);
    pqt_field *fields = table == NULL ? NULL : fields_of(table, 1);
    bool done = fields != NULL;
    begin_append();
    for (size_t i = 0; done && i < pqt_table_count(table); i++) {
        pqt_table_fields(table, i, fields);
        done = append_field(fields[column]);
    }
    free(fields);
    pqt_table_free(table);
    return done ? appended() : -1;
}

/* Returns the line at which a row begins. */
int32_t
EXPORT(pqtjs_table_line)(size_t row)
{
    size_t end;
    pqt_table *table = read_table(&end);
    const int32_t line = table == NULL ? -1 : (int32_t)pqt_table_line(table, row);
    pqt_table_free(table);
    return line;
}

/* ---- Writing ---- */

static uint64_t
next_word(const char **at)
{
    uint64_t word;
    memcpy(&word, *at, sizeof word);
    *at += sizeof word;
    return word;
}

/* Reads a row: the number of its source and 1, or 0 if it is new; its item; the number of texts
   that replace fields; and the column and the text of each. */
static pqt_table_row
next_row(const char **at, const pqt_table *table, pqt_field *fields)
{
    const uint64_t source = next_word(at);
    pqt_table_row row = {.table = source == 0 ? NULL : table, .row = (size_t)source - 1};
    memcpy(&row.item, *at, sizeof row.item);
    *at += sizeof row.item;
    for (uint64_t count = next_word(at); count > 0; count--) {
        const uint64_t column = next_word(at), length = next_word(at);
        fields[column] = (pqt_field){*at, (size_t)length, false};
        row.fields = fields;
        *at += (length + 7) / 8 * 8;
    }
    return row;
}

static bool
write_rows(const pqt_table *table, const char *at, size_t count)
{
    const size_t columns = pqt_table_get_columns(table).count;
    pqt_table_row *rows = calloc(count + 1, sizeof *rows);
    pqt_field *fields = fields_of(table, count + 1);
    const bool has_memory = rows != NULL && fields != NULL;
    if (!has_memory)
        fail(PQT_ERROR_MEMORY, "out of memory (rows of a table)");
    for (size_t i = 0; has_memory && i < count; i++)
        rows[i] = next_row(&at, table, fields + i * columns);
    begin_append();
    const bool done =
        has_memory && pqt_table_write(table, rows, count, flat_append, NULL, &failure);
    free(rows);
    free(fields);
    return done;
}

/* Writes the table with `count` rows, which follow it in the buffer and take `bytes`. */
int32_t
EXPORT(pqtjs_table_write)(size_t count, size_t bytes)
{
    size_t end;
    pqt_table *table = read_table(&end);
    char *rows = table == NULL ? NULL : malloc(bytes + 1);
    if (table != NULL && rows == NULL)
        fail(PQT_ERROR_MEMORY, "out of memory (rows of a table)");
    bool done = false;
    if (rows != NULL) { /* the output replaces the contents of the buffer */
        memcpy(rows, buffer + end, bytes);
        done = write_rows(table, rows, count);
    }
    free(rows);
    pqt_table_free(table);
    return done ? appended() : -1;
}
