/* SPDX-License-Identifier: MIT */
/* table.c: returns the rows and fields of tables. */
#include "config.h"

#include "io/table_internal.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

void
pqt_table_free(pqt_table *table)
{
    if (table == NULL)
        return;
    pqti_free_scratch(table->bytes);
    pqti_free_scratch(table->ends);
    pqti_free_scratch(table->items);
    pqti_free_scratch(table);
}

/* ---- The contents ---- */

size_t
pqt_table_count(const pqt_table *table)
{
    return table->count;
}

const pqt_item *
pqt_table_items(const pqt_table *table)
{
    return table->items;
}

pqt_table_columns
pqt_table_get_columns(const pqt_table *table)
{
    return table->columns;
}

static size_t
record_of(const pqt_table *table, size_t row)
{
    PQT_ASSERT_IN(NULL, row == PQT_TABLE_HEADER || row < table->count,
                  "the table has no row with this number");
    return row == PQT_TABLE_HEADER ? 0 : row + 1;
}

size_t
pqt_table_line(const pqt_table *table, size_t row)
{
    const size_t end = pqti_table_record(table, record_of(table, row)).at;
    size_t line = 1;
    for (size_t at = 0, step; at<end; at += step> 0 ? step : 1) {
        step = pqti_csv_line_end(table->bytes + at, end - at);
        line += step > 0;
    }
    return line;
}

void
pqt_table_fields(const pqt_table *table, size_t row, pqt_field *fields)
{
    pqti_csv csv = pqti_table_record(table, record_of(table, row));
    const size_t start = csv.at;
    for (size_t i = 0; i < table->columns.count; i++) {
        pqti_csv_field found;
        pqti_csv_next(&csv, start, &found);
        fields[i] = found.text;
    }
}

size_t
pqt_field_text(pqt_field field, char *text, size_t capacity)
{
    size_t length = 0;
    for (size_t i = 0; i < field.length; i++, length++) {
        if (length < capacity)
            text[length] = field.bytes[i];
        i += field.is_quoted && field.bytes[i] == '"';
    }
    return length;
}
