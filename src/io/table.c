/* SPDX-License-Identifier: MIT */
/*
 * table.c: reads tables, and returns their rows and fields.
 *
 * Before each record, the reader has a byte more of the file than the longest record. So a record
 * is read without waiting for bytes, and an endless stream without line ends is refused early.
 */
#include "config.h"

#include "io/table_internal.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/option_structs.h"
#include "memory/memory_internal.h"

enum { READ_STEP = 65536 };

/* A table that is being read. */
typedef struct reader {
    pqt_table *table;
    pqt_read_fn *read;
    void *context;
    const pqt_table_options *options;
    bool has_ended; /* all bytes have been read */
    pqti_csv at;
    size_t start;      /* the first byte of the current record */
    size_t line;       /* its line */
    pqt_field *fields; /* the fields of the current record, in scratch memory */
    size_t capacity;
    pqt_error *error;
} reader;

static bool
report_memory(const reader *from)
{
    pqti_out_of_memory(from->error);
    return false;
}

/* ---- Bytes ---- */

/* Reads bytes until the table has this number, or the file ends. */
static bool
fill(reader *from, size_t needed)
{
    pqt_table *table = from->table;
    while (table->length < needed && !from->has_ended) {
        char *grown =
            pqti_grow_scratch(table->bytes, table->length, &table->capacity, READ_STEP, 1);
        size_t count = 0;
        if (grown == NULL)
            return report_memory(from);
        table->bytes = grown;
        if (!from->read(grown + table->length, table->capacity - table->length, &count,
                        from->context)) {
            pqti_error_set(from->error, PQT_ERROR_CALLBACK, 0, "the read function failed");
            return false;
        }
        table->length += count;
        from->has_ended = count == 0;
    }
    from->at.bytes = table->bytes;
    from->at.end = table->length;
    return true;
}

/* Makes the bytes of the longest record available, and its line end. */
static bool
fill_record(reader *from)
{
    return fill(from, from->at.at + PQTI_CSV_LONGEST_RECORD + 2);
}

/* ---- Records ---- */

/* Returns the text from a place to the end of its line. */
static pqti_quotation
quote_line(const pqti_csv *csv, size_t at)
{
    size_t end = at;
    while (end < csv->end && pqti_csv_line_end(csv->bytes + end, csv->end - end) == 0)
        end++;
    return pqti_quote(csv->bytes + at, end - at);
}

static bool
report_fault(const reader *from, pqti_csv_result fault)
{
    const size_t line = from->at.line;
    if (fault == PQTI_CSV_LONG)
        pqti_error_set(from->error, PQT_ERROR_FORMAT, from->line,
                       "line %zu: record is longer than %d bytes (%s)", from->line,
                       PQTI_CSV_LONGEST_RECORD, quote_line(&from->at, from->start).text);
    if (fault == PQTI_CSV_OPEN_QUOTE)
        pqti_error_set(from->error, PQT_ERROR_FORMAT, from->line,
                       "line %zu: quote is not closed (end of file)", from->line);
    if (fault == PQTI_CSV_WRONG_QUOTE)
        pqti_error_set(from->error, PQT_ERROR_FORMAT, line,
                       "line %zu: quote in the wrong place (%s)", line,
                       quote_line(&from->at, from->at.at).text);
    if (fault == PQTI_CSV_ZERO)
        pqti_error_set(from->error, PQT_ERROR_FORMAT, line,
                       "line %zu: the line has a zero byte, so the file is not UTF-8 text (%s)",
                       line, quote_line(&from->at, from->start).text);
    return false;
}

/* Skips blank lines. Sets *found to false at the end of the file. A line of blanks may not be
   longer than a record. */
static bool
begin_record(reader *from, bool *found)
{
    do {
        if (!fill_record(from))
            return false;
        from->start = from->at.at;
        from->line = from->at.line;
    } while (pqti_csv_skip_blank_line(&from->at));
    *found = from->at.at < from->at.end;
    return *found || from->has_ended || report_fault(from, PQTI_CSV_LONG);
}

/* Reads the fields of the next record. */
static bool
read_record(reader *from, size_t *count)
{
    pqti_csv_result result = PQTI_CSV_FIELD;
    for (*count = 0; result == PQTI_CSV_FIELD; ++*count) {
        pqti_csv_field found;
        pqt_field *grown =
            pqti_grow_scratch(from->fields, *count, &from->capacity, 1, sizeof *grown);
        if (grown == NULL)
            return report_memory(from);
        from->fields = grown;
        result = pqti_csv_next(&from->at, from->start, &found);
        if (result != PQTI_CSV_FIELD && result != PQTI_CSV_RECORD)
            return report_fault(from, result);
        grown[*count] = found.text;
    }
    pqt_table *table = from->table;
    size_t *ends =
        pqti_grow_scratch(table->ends, table->records, &table->records_capacity, 1, sizeof *ends);
    if (ends == NULL)
        return report_memory(from);
    table->ends = ends;
    ends[table->records++] = from->at.at;
    return true;
}

/* Reads the header with a separator. Sets `count` to the number of its fields, and `error` if it
   cannot be read so, or if its columns hold no position. */
static bool
read_header_with(reader *from, char separator, size_t *count, pqt_error *error)
{
    bool found = false;
    reader trial = *from;
    trial.at.separator = separator;
    trial.error = error;
    const bool was_read = begin_record(&trial, &found) && found && read_record(&trial, count);
    if (!found)
        pqti_error_set(error, PQT_ERROR_FORMAT, trial.at.line, "line %zu: no header (end of file)",
                       trial.at.line);
    from->fields = trial.fields;
    from->capacity = trial.capacity;
    from->has_ended = trial.has_ended;
    if (!was_read || !pqti_table_find_columns(trial.fields, *count, trial.line, from->options,
                                              &from->table->columns, error))
        return false;
    from->at = trial.at;
    return true;
}

/* Reads the header with the first of these separators with which its columns hold a position. If
   there is none, sets the error for the separator with which the header has the most fields. Stops
   at an error that is not in the text. */
static bool
try_separators(reader *from, const char *separators)
{
    pqt_error failure = {0};
    size_t most = 0;
    for (; *separators != '\0'; separators++) {
        pqt_error reason = {0};
        size_t count = 0;
        from->table->records = 0;
        if (read_header_with(from, *separators, &count, &reason))
            return true;
        if (failure.status == PQT_OK || reason.status != PQT_ERROR_FORMAT || count > most) {
            failure = reason;
            most = count;
        }
        if (reason.status != PQT_ERROR_FORMAT)
            break;
    }
    pqti_error_set(from->error, failure.status, failure.index, "%s", failure.text);
    return false;
}

static bool
read_header(reader *from)
{
    pqt_table *table = from->table;
    if (!fill_record(from))
        return false;
    const bool is_named = pqti_csv_skip_preface(&from->at);
    const char named[] = {from->at.separator, '\0'};
    table->preface = from->at.at;
    if (!try_separators(from, is_named ? named : ",;\t"))
        return false;
    table->separator = from->at.separator;
    return true;
}

/* Returns the line in which the current record ends, for messages. */
static size_t
last_line(const reader *from)
{
    const char *end = from->at.bytes + from->at.at;
    return from->at.line - (end[-1] == '\n' || end[-1] == '\r');
}

/* Remembers whether coordinates have commas for points, in the first row that shows it. */
static void
note_decimal_comma(pqt_table *table, const pqt_field *fields)
{
    for (size_t i = 0; table->separator == ';' && i < table->columns.coordinates; i++) {
        const pqt_field *text = &fields[table->columns.coordinate[i]];
        if (memchr(text->bytes, ',', text->length) != NULL)
            table->has_decimal_comma = true;
    }
}

static bool
read_row(reader *from)
{
    pqt_table *table = from->table;
    const pqt_table_columns *columns = &table->columns;
    size_t count = 0;
    pqt_item item = {.id = table->count};
    if (!read_record(from, &count))
        return false;
    const size_t line = last_line(from);
    if (count != columns->count) {
        pqti_error_set(from->error, PQT_ERROR_FORMAT, line,
                       "line %zu: wrong number of fields (%zu where the header has %zu)", line,
                       count, columns->count);
        return false;
    }
    if (!pqti_table_read_box(table, from->fields, line, &item.box, from->error))
        return false;
    note_decimal_comma(table, from->fields);
    if (columns->id != PQT_TABLE_NONE && table->count == 0 && from->options->id == NULL &&
        pqti_table_id_is_text(&from->fields[columns->id]))
        table->columns.id = PQT_TABLE_NONE;
    if (columns->id != PQT_TABLE_NONE &&
        !pqti_table_read_id(&from->fields[columns->id], line, &item.id, from->error))
        return false;
    pqt_item *items =
        pqti_grow_scratch(table->items, table->count, &table->items_capacity, 1, sizeof *items);
    if (items == NULL)
        return report_memory(from);
    table->items = items;
    items[table->count++] = item;
    return true;
}

static bool
read_rows(reader *from)
{
    for (;;) {
        bool found = false;
        if (!begin_record(from, &found))
            return false;
        if (!found)
            return true;
        if (!read_row(from))
            return false;
    }
}

PQTI_DEFINE_OPTIONS(pqti_table_options, pqt_table_options, id, PQT_TABLE_DEFAULTS);

pqt_table *
pqt_table_read(pqt_read_fn *read, void *context, const pqt_table_options *options, pqt_error *error)
{
    PQT_ASSERT(read != NULL, "the read function is NULL");
    pqt_table_options converted;
    if (!pqti_may_compute(error))
        return NULL;
    options = pqti_options_read(&pqti_table_options_layout, options, &converted, error);
    if (options == NULL || !pqti_table_check_options(options, error))
        return NULL;
    reader from = {.read = read, .context = context, .options = options, .error = error};
    from.at = (pqti_csv){.line = 1, .separator = ','};
    from.table = pqti_alloc_scratch(1, sizeof *from.table);
    if (from.table == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *from.table = (pqt_table){.bytes = NULL};
    const bool was_read = read_header(&from) && read_rows(&from);
    pqti_free_scratch(from.fields);
    if (was_read)
        return from.table;
    pqt_table_free(from.table);
    return NULL;
}

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
