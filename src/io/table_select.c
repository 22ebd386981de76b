/* SPDX-License-Identifier: MIT */
/* table_select.c: tables with the same rows and other columns. */
#include "config.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "io/table_internal.h"
#include "memory/memory_internal.h"

/* A table that is being made. */
typedef struct selection {
    const pqt_table *from;
    pqt_table *to;
    const pqt_table_column *columns;
    size_t count;
    pqti_csv_field *fields; /* the fields of the current record of `from` */
} selection;

/* ---- Checks ---- */

/* Returns the place of a column of the table among the chosen ones, or PQT_TABLE_NONE. */
static size_t
place_of(const selection *s, size_t column)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->columns[i].source == column)
            return i;
    return PQT_TABLE_NONE;
}

/* Returns true if a column is chosen that is not one of the table, or that is chosen before. */
static bool
is_wrong(const selection *s, size_t index)
{
    const size_t source = s->columns[index].source;
    if (source == PQT_TABLE_NONE)
        return s->columns[index].name.bytes == NULL;
    return source >= s->from->columns.count || place_of(s, source) != index;
}

/* Finds the columns of positions and ids among the chosen ones. Returns false and sets `error` if
   they are not all there, or if a column is wrong. */
static bool
find_columns(const selection *s, pqt_table_columns *columns, pqt_error *error)
{
    *columns = s->from->columns;
    columns->count = s->count;
    bool is_complete = true;
    for (size_t i = 0; i < columns->coordinates; i++) {
        columns->coordinate[i] = place_of(s, columns->coordinate[i]);
        is_complete = is_complete && columns->coordinate[i] != PQT_TABLE_NONE;
    }
    if (columns->id != PQT_TABLE_NONE) {
        columns->id = place_of(s, columns->id);
        is_complete = is_complete && columns->id != PQT_TABLE_NONE;
    }
    if (!is_complete)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "a column of positions or ids is left out");
    for (size_t i = 0; i < s->count && is_complete; i++)
        if (is_wrong(s, i)) {
            pqti_error_set(error, PQT_ERROR_OPTION, i,
                           "column %zu: it has no name, or is not a column that is left", i);
            return false;
        }
    return is_complete;
}

/* ---- Bytes ---- */

static bool
put(selection *s, const char *bytes, size_t count)
{
    pqt_table *to = s->to;
    char *grown = pqti_grow_scratch(to->bytes, to->length, &to->capacity, count + 1, 1);
    if (grown == NULL)
        return false;
    to->bytes = grown;
    if (count > 0)
        memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
    return true;
}

/* Returns true if a name would be read differently without quotes, whatever separates. */
static bool
needs_quotes(const pqt_field *name)
{
    for (size_t i = 0; i < name->length; i++)
        if (strchr("\"\r\n,;\t ", name->bytes[i]) != NULL)
            return true;
    return false;
}

/* Appends the name of a new column, if necessary in quotes, with two quotes for one. */
static bool
put_name(selection *s, const pqt_field *name)
{
    if (!needs_quotes(name))
        return put(s, name->bytes, name->length);
    bool was_put = put(s, "\"", 1);
    for (size_t i = 0; i < name->length && was_put; i++) {
        const bool is_quote = name->bytes[i] == '"';
        was_put = put(s, is_quote ? "\"\"" : &name->bytes[i], is_quote ? 2 : 1);
        i += is_quote && name->is_quoted;
    }
    return was_put && put(s, "\"", 1);
}

/* Appends a record, with what precedes and follows its fields. */
static bool
put_record(selection *s, size_t record)
{
    const pqt_table *from = s->from;
    const size_t begin = record > 0 ? from->ends[record - 1] : 0;
    pqti_csv csv = pqti_table_record(from, record);
    const size_t start = csv.at;
    for (size_t i = 0; i < from->columns.count; i++)
        pqti_csv_next(&csv, start, &s->fields[i]);
    const size_t end = s->fields[from->columns.count - 1].end;
    if (!put(s, from->bytes + begin, start - begin))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        const pqt_table_column *column = &s->columns[i];
        if (i > 0 && !put(s, &from->separator, 1))
            return false;
        if (column->source != PQT_TABLE_NONE) {
            const pqti_csv_field *field = &s->fields[column->source];
            if (!put(s, from->bytes + field->start, field->end - field->start))
                return false;
        } else if (record == 0 && !put_name(s, &column->name)) {
            return false;
        }
    }
    if (!put(s, from->bytes + end, from->ends[record] - end))
        return false;
    s->to->ends[record] = s->to->length;
    return true;
}

static bool
put_all(selection *s)
{
    const pqt_table *from = s->from;
    pqt_table *to = s->to;
    s->fields = pqti_alloc_scratch(from->columns.count, sizeof *s->fields);
    to->ends = pqti_alloc_scratch(from->records, sizeof *to->ends);
    to->items = pqti_alloc_scratch(from->count + 1, sizeof *to->items);
    if (s->fields == NULL || to->ends == NULL || to->items == NULL)
        return false;
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    to->records = to->records_capacity = from->records;
    to->count = to->items_capacity = from->count;
    for (size_t record = 0; record < from->records; record++)
        if (!put_record(s, record))
            return false;
    const size_t last = from->ends[from->records - 1];
    return put(s, from->bytes + last, from->length - last);
}

pqt_table *
pqt_table_select(const pqt_table *table, const pqt_table_column *columns, size_t count,
                 pqt_error *error)
{
    PQT_ASSERT(table != NULL, "the table is NULL");
    PQT_ASSERT(columns != NULL || count == 0, "the array of columns is NULL");
    selection s = {.from = table, .columns = columns, .count = count};
    pqt_table_columns found;
    if (!pqti_may_compute(error) || !find_columns(&s, &found, error))
        return NULL;
    s.to = pqti_alloc_scratch(1, sizeof *s.to);
    bool was_made = s.to != NULL;
    if (was_made) {
        *s.to = (pqt_table){.preface = table->preface,
                            .separator = table->separator,
                            .has_decimal_comma = table->has_decimal_comma,
                            .is_on_sphere = table->is_on_sphere,
                            .columns = found};
        was_made = put_all(&s);
    }
    pqti_free_scratch(s.fields);
    if (was_made)
        return s.to;
    pqt_table_free(s.to);
    pqti_out_of_memory(error);
    return NULL;
}
