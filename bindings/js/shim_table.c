/* SPDX-License-Identifier: MIT */
/*
 * shim_table.c: CSV tables for lib/table.js.
 *
 * No table is kept between calls: each call gets the bytes of the file, as the first byte string in
 * the buffer, and reads them. JavaScript keeps the file.
 */
#include "shim.h"

#include <stdlib.h>

/* Reads the table whose file follows `words` words. */
static pqt_table *
read_table(size_t words)
{
    uint64_t length;
    memcpy(&length, buffer, sizeof length);
    flat_source from = {buffer + words * sizeof length, (size_t)length};
    return pqt_table_read(flat_read_source, &from, NULL, &failure);
}

static pqt_field *
fields_of(const pqt_table *table, size_t count)
{
    pqt_field *fields = calloc(count * pqt_table_get_columns(table).count, sizeof *fields);
    if (fields == NULL)
        fail(PQT_ERROR_MEMORY, "out of memory (fields of a table)");
    return fields;
}

/* Adds the text of a field. */
static bool
add_field(flat_writer *to, pqt_field field)
{
    if (!field.is_quoted)
        return flat_add_string(to, field.bytes, field.length);
    const size_t length = pqt_field_text(field, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (fields of a table)");
        return false;
    }
    pqt_field_text(field, text, length);
    const bool done = flat_add_string(to, text, length);
    free(text);
    return done;
}

/* Adds the position, whether there is a column of ids, the number of columns, their names, the
   number of rows, and the items. */
static bool
add_table(flat_writer *to, const pqt_table *table, const pqt_field *names)
{
    const pqt_table_columns columns = pqt_table_get_columns(table);
    const size_t count = pqt_table_count(table);
    bool done = flat_add_word(to, columns.position) &&
                flat_add_word(to, columns.id != PQT_TABLE_NONE) && flat_add_word(to, columns.count);
    for (size_t i = 0; done && i < columns.count; i++)
        done = add_field(to, names[i]);
    return done && flat_add_word(to, count) &&
           flat_add_words(to, pqt_table_items(table), count * sizeof(pqt_item));
}

/* Writes what add_table adds to the buffer, or the text of a column in all rows. */
static int32_t
write_table(bool has_column, size_t column)
{
    flat_writer to = {.error = &failure};
    pqt_table *table = read_table(1);
    pqt_field *fields = table == NULL ? NULL : fields_of(table, 1);
    bool done = fields != NULL;
    for (size_t i = 0; done && has_column && i < pqt_table_count(table); i++) {
        pqt_table_fields(table, i, fields);
        done = add_field(&to, fields[column]);
    }
    if (done && !has_column) {
        pqt_table_fields(table, PQT_TABLE_HEADER, fields);
        done = add_table(&to, table, fields);
    }
    free(fields);
    pqt_table_free(table);
    begin_append();
    return flat_end(&to, done) ? pqtjs_appended() : -1;
}

int32_t
EXPORT(pqtjs_table_read)(void)
{
    return write_table(false, 0);
}

int32_t
EXPORT(pqtjs_table_texts)(size_t column)
{
    return write_table(true, column);
}

/* Returns the line at which a row begins. */
int32_t
EXPORT(pqtjs_table_line)(size_t row)
{
    pqt_table *table = read_table(1);
    const int32_t line = table == NULL ? -1 : (int32_t)pqt_table_line(table, row);
    pqt_table_free(table);
    return line;
}

/* ---- Writing ---- */

/* Reads a row: the number of its source and 1, or 0 if it is new; its item; the number of texts
   that replace fields; and the column and the text of each. */
static pqt_table_row
next_row(flat_reader *from, const pqt_table *table, pqt_field *fields)
{
    const uint64_t source = flat_take_word(from);
    pqt_table_row row = {.table = source == 0 ? NULL : table, .row = (size_t)source - 1};
    memcpy(&row.item, from->words, sizeof row.item);
    from->words += sizeof row.item;
    for (uint64_t count = flat_take_word(from); count > 0; count--) {
        pqt_field *field = &fields[flat_take_word(from)];
        field->bytes = flat_take_string(from, &field->length);
        row.fields = fields;
    }
    return row;
}

static bool
write_rows(const pqt_table *table, flat_reader *from, size_t count)
{
    const size_t columns = pqt_table_get_columns(table).count;
    pqt_table_row *rows = calloc(count + 1, sizeof *rows);
    pqt_field *fields = fields_of(table, count + 1);
    const bool has_memory = rows != NULL && fields != NULL;
    if (!has_memory)
        fail(PQT_ERROR_MEMORY, "out of memory (rows of a table)");
    for (size_t i = 0; has_memory && i < count; i++)
        rows[i] = next_row(from, table, fields + i * columns);
    begin_append();
    const bool done =
        has_memory && pqt_table_write(table, rows, count, flat_append, NULL, &failure);
    free(rows);
    free(fields);
    return done;
}

/* Writes the table with `count` rows. The buffer holds `words` words, and `size` bytes in all. */
int32_t
EXPORT(pqtjs_table_write)(size_t count, size_t words, size_t size)
{
    pqt_table *table = read_table(words);
    char *copy = table == NULL ? NULL : malloc(size);
    if (table != NULL && copy == NULL)
        fail(PQT_ERROR_MEMORY, "out of memory (rows of a table)");
    bool done = false;
    if (copy != NULL) { /* the output replaces the contents of the buffer */
        memcpy(copy, buffer, size);
        flat_reader from = flat_read(copy, words);
        size_t file;
        flat_take_string(&from, &file);
        done = write_rows(table, &from, count);
    }
    free(copy);
    pqt_table_free(table);
    return done ? pqtjs_appended() : -1;
}
