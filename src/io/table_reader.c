/* SPDX-License-Identifier: MIT */
/*
 * table_reader.c: reads tables record by record.
 *
 * The reader has a window of the file, which begins at the current record or, if a table keeps all
 * bytes, at the beginning of the file. If the window ends in a record, more bytes are read, and the
 * record is read again. A long record doubles each time, so it is read about twice.
 */
#include "config.h"

#include "io/table_internal.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/option_structs.h"
#include "memory/memory_internal.h"

enum { READ_STEP = 65536 };

static bool
report_memory(const pqt_table_reader *from)
{
    pqti_out_of_memory(from->error);
    return false;
}

/* ---- Bytes ---- */

/* Drops the bytes before the current record. */
static void
drop_read_bytes(pqt_table_reader *from)
{
    const size_t dropped = from->start;
    memmove(from->bytes, from->bytes + dropped, from->length - dropped);
    from->before += dropped;
    from->length -= dropped;
    from->at.at -= dropped;
    from->start = 0;
}

/* Reads at most `most` bytes, at least one unless the file has ended. */
static bool
read_bytes(pqt_table_reader *from, size_t most)
{
    char *grown = pqti_grow_scratch(from->bytes, from->length, &from->capacity, most, 1);
    size_t count = 0;
    if (grown == NULL)
        return report_memory(from);
    from->bytes = grown;
    if (!from->read(from->bytes + from->length, most, &count, from->context)) {
        pqti_error_set(from->error, PQT_ERROR_CALLBACK, 0, "the read function failed");
        return false;
    }
    from->length += count;
    from->has_ended = count == 0;
    from->at.bytes = from->bytes;
    from->at.end = from->length;
    return true;
}

/* Reads more bytes, unless the file has ended. If the current record is long, its bytes double, so
   that it is not read again for each portion, but not far beyond the longest record. */
static bool
fill(pqt_table_reader *from)
{
    if (from->has_header && !from->keeps_all && from->start > 0)
        drop_read_bytes(from);
    const size_t known = from->length - from->start, most = from->at.most + READ_STEP;
    size_t wanted = known < most / 2 ? known : known < most ? most - known : 0;
    wanted = wanted > READ_STEP ? wanted : READ_STEP;
    const size_t end = from->length + wanted;
    do {
        if (!from->has_ended && !read_bytes(from, end - from->length))
            return false;
    } while (!from->has_ended && known > READ_STEP && from->length < end);
    return true;
}

/* Returns true if what was read up to the current place may continue after the window. A line ends
   at its line feed, but a carriage return at the end may belong to one. */
static bool
is_cut(const pqt_table_reader *from, bool ends_line)
{
    return !from->has_ended && from->at.at == from->length &&
           !(ends_line && from->bytes[from->length - 1] == '\n');
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

/* Makes the bytes after a fault available that its message shows. */
static bool
fill_quotation(pqt_table_reader *from)
{
    while (!from->has_ended && from->length - from->at.at < sizeof(pqti_quotation))
        if (!fill(from))
            return false;
    return true;
}

static bool
report_fault(const pqt_table_reader *from, pqti_csv_result fault)
{
    const size_t line = from->at.line;
    if (fault == PQTI_CSV_LONG)
        pqti_error_set(from->error, PQT_ERROR_FORMAT, from->line,
                       "line %zu: record is longer than %zu bytes (%s)", from->line, from->at.most,
                       quote_line(&from->at, from->start).text);
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

/* Skips a blank line. Sets *skipped to false if there is none, also at the end of the file. A line
   of blanks may not be longer than a record. */
static bool
skip_blank_line(pqt_table_reader *from, bool *skipped)
{
    from->start = from->at.at;
    from->line = from->at.line;
    for (;;) {
        *skipped = pqti_csv_skip_blank_line(&from->at);
        if (!is_cut(from, *skipped))
            return true;
        from->at.at = from->start;
        from->at.line = from->line;
        if (from->length - from->start > from->at.most)
            return report_fault(from, PQTI_CSV_LONG);
        if (!fill(from))
            return false;
    }
}

/* Skips blank lines. Sets *found to false at the end of the file. */
static bool
begin_record(pqt_table_reader *from, bool *found)
{
    bool skipped = true;
    while (skipped)
        if (!skip_blank_line(from, &skipped))
            return false;
    *found = from->at.at < from->at.end;
    return true;
}

/* Reads the fields of the record that is in the window. Sets *result to that of its last field. */
static bool
read_fields(pqt_table_reader *from, size_t *count, pqti_csv_result *result)
{
    *result = PQTI_CSV_FIELD;
    for (*count = 0; *result == PQTI_CSV_FIELD; ++*count) {
        pqti_csv_field found;
        pqt_field *grown =
            pqti_grow_scratch(from->fields, *count, &from->fields_capacity, 1, sizeof *grown);
        if (grown == NULL)
            return report_memory(from);
        from->fields = grown;
        *result = pqti_csv_next(&from->at, from->start, &found);
        grown[*count] = found.text;
    }
    return true;
}

/* Adds the end of a record to the table. */
static bool
add_end(pqt_table_reader *from)
{
    pqt_table *table = from->table;
    size_t *ends =
        pqti_grow_scratch(table->ends, table->records, &table->records_capacity, 1, sizeof *ends);
    if (ends == NULL)
        return report_memory(from);
    table->ends = ends;
    ends[table->records++] = from->at.at;
    return true;
}

/* Reads the fields of the next record, which begins at the current place. */
static bool
read_record(pqt_table_reader *from, size_t *count)
{
    pqti_csv_result result;
    const size_t blanks = from->at.at - from->start;
    for (;;) {
        if (!read_fields(from, count, &result))
            return false;
        const bool ends_line = result == PQTI_CSV_RECORD;
        if ((!ends_line && result != PQTI_CSV_OPEN_QUOTE) || !is_cut(from, ends_line))
            break;
        if (!fill(from))
            return false;
        from->at.at = from->start + blanks;
        from->at.line = from->line;
    }
    if (result != PQTI_CSV_RECORD)
        return fill_quotation(from) && report_fault(from, result);
    return (from->has_header && !from->keeps_all) || add_end(from);
}

/* ---- The header ---- */

/* Reads the header with a separator. Sets `count` to the number of its fields, and `error` if it
   cannot be read so, or if its columns hold no position. */
static bool
read_header_with(pqt_table_reader *from, const pqt_table_options *options, char separator,
                 size_t *count)
{
    bool found = false;
    from->at.separator = separator;
    if (!begin_record(from, &found))
        return false;
    if (!found) {
        pqti_error_set(from->error, PQT_ERROR_FORMAT, from->at.line,
                       "line %zu: no header (end of file)", from->at.line);
        return false;
    }
    return read_record(from, count) &&
           pqti_table_find_columns(from->fields, *count, from->line, options, &from->table->columns,
                                   from->error);
}

/* Reads the header with the first of these separators with which its columns hold a position. If
   there is none, sets the error for the separator with which the header has the most fields. Stops
   at an error that is not in the text. */
static bool
try_separators(pqt_table_reader *from, const pqt_table_options *options, const char *separators)
{
    pqt_error failure = {0}, *error = from->error;
    const size_t start = from->at.at, line = from->at.line;
    size_t most = 0;
    for (; *separators != '\0'; separators++) {
        pqt_error reason = {0};
        size_t count = 0;
        from->table->records = 0;
        from->at.at = start;
        from->at.line = line;
        from->error = &reason;
        const bool was_read = read_header_with(from, options, *separators, &count);
        from->error = error;
        if (was_read)
            return true;
        if (failure.status == PQT_OK || reason.status != PQT_ERROR_FORMAT || count > most) {
            failure = reason;
            most = count;
        }
        if (reason.status != PQT_ERROR_FORMAT)
            break;
    }
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

/* Copies what was read so far to the table: what precedes the header, and the header. */
static bool
keep_header(pqt_table_reader *from)
{
    pqt_table *table = from->table;
    table->length = table->capacity = from->at.at;
    table->bytes = pqti_alloc_scratch(table->length, 1);
    if (table->bytes == NULL)
        return report_memory(from);
    memcpy(table->bytes, from->bytes, table->length);
    table->separator = from->at.separator;
    from->at.most = PQTI_CSV_LONGEST_RECORD;
    from->has_header = true;
    return true;
}

/* Makes the bytes available that can precede the header. */
static bool
fill_preface(pqt_table_reader *from)
{
    while (!from->has_ended && from->length < PQTI_CSV_LONGEST_PREFACE)
        if (!fill(from))
            return false;
    return true;
}

/* Sets the error for a byte-order mark of UTF-16 or UTF-32. Returns true if there is none. */
static bool
check_mark(const pqt_table_reader *from)
{
    const char *bytes = from->bytes;
    const bool is_little = from->length > 1 && memcmp(bytes, "\xff\xfe", 2) == 0;
    const bool is_big = from->length > 1 && memcmp(bytes, "\xfe\xff", 2) == 0;
    const bool is_wide = is_little && from->length > 3 && memcmp(bytes + 2, "\0\0", 2) == 0;
    if (is_little || is_big)
        pqti_error_set(from->error, PQT_ERROR_FORMAT, 1,
                       "line 1: the file is %s, and a table must be UTF-8",
                       is_wide ? "UTF-32" : "UTF-16");
    return !is_little && !is_big;
}

static bool
read_header(pqt_table_reader *from, const pqt_table_options *options)
{
    if (!fill_preface(from) || !check_mark(from))
        return false;
    const bool is_named = pqti_csv_skip_preface(&from->at);
    const char named[] = {from->at.separator, '\0'};
    from->table->preface = from->at.at;
    return try_separators(from, options, is_named ? named : ",;\t") && keep_header(from);
}

/* ---- Rows ---- */

/* Returns the line in which the current record ends, for messages. */
static size_t
last_line(const pqt_table_reader *from)
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

/* Reads the item of the current record. */
static bool
read_item(pqt_table_reader *from, size_t count, pqt_item *item)
{
    pqt_table *table = from->table;
    const pqt_table_columns *columns = &table->columns;
    const size_t line = last_line(from);
    if (count != columns->count) {
        pqti_error_set(from->error, PQT_ERROR_FORMAT, line,
                       "line %zu: wrong number of fields (%zu where the header has %zu)", line,
                       count, columns->count);
        return false;
    }
    if (!pqti_table_read_box(table, from->fields, line, &item->box, from->error))
        return false;
    note_decimal_comma(table, from->fields);
    if (columns->id != PQT_TABLE_NONE && from->row == 0 && !from->has_named_id &&
        pqti_table_id_is_text(&from->fields[columns->id]))
        table->columns.id = PQT_TABLE_NONE;
    item->id = from->row;
    return columns->id == PQT_TABLE_NONE ||
           pqti_table_read_id(&from->fields[columns->id], line, &item->id, from->error);
}

bool
pqti_table_reader_next(pqt_table_reader *from, pqt_table_record *record, pqt_error *error)
{
    size_t count = 0;
    bool found = false;
    *record = (pqt_table_record){.row = PQT_TABLE_NONE};
    from->error = error;
    if (!begin_record(from, &found))
        return false;
    if (!found)
        return true;
    if (!read_record(from, &count) || !read_item(from, count, &record->item))
        return false;
    record->row = from->row++;
    record->offset = from->before + from->start;
    record->line = from->line;
    record->fields = from->fields;
    return true;
}

bool
pqti_table_reader_begin(pqt_table_reader *from, const pqt_table_options *options, pqt_error *error)
{
    from->error = error;
    from->at = (pqti_csv){.line = 1, .separator = ',', .most = PQTI_CSV_LONGEST_HEADER};
    from->has_named_id = options->id != NULL;
    if (!pqti_table_check_options(options, error))
        return false;
    from->table = pqti_alloc_scratch(1, sizeof *from->table);
    if (from->table == NULL)
        return report_memory(from);
    *from->table = (pqt_table){.is_on_sphere = options->surface == PQT_SPHERE};
    return read_header(from, options);
}

pqt_table *
pqti_table_reader_take(pqt_table_reader *from)
{
    pqt_table *table = from->table;
    pqti_free_scratch(table->bytes);
    table->bytes = from->bytes;
    table->length = from->length;
    table->capacity = from->capacity;
    from->bytes = NULL;
    return table;
}

void
pqti_table_reader_end(pqt_table_reader *from)
{
    pqt_table_free(from->table);
    pqti_free_scratch(from->bytes);
    pqti_free_scratch(from->fields);
}

/* ---- Public functions ---- */

PQTI_DEFINE_OPTIONS(pqti_table_options, pqt_table_options, id, PQT_TABLE_DEFAULTS);

pqt_table_reader *
pqt_table_reader_open(pqt_read_fn *read, void *context, const pqt_table_options *options,
                      pqt_error *error)
{
    PQT_ASSERT(read != NULL, "the read function is NULL");
    pqt_table_options converted;
    if (!pqti_may_compute(error))
        return NULL;
    options = pqti_options_read(&pqti_table_options_layout, options, &converted, error);
    if (options == NULL)
        return NULL;
    pqt_table_reader *from = pqti_alloc_scratch(1, sizeof *from);
    if (from == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *from = (pqt_table_reader){.read = read, .context = context};
    if (pqti_table_reader_begin(from, options, error))
        return from;
    pqt_table_reader_close(from);
    return NULL;
}

void
pqt_table_reader_close(pqt_table_reader *reader)
{
    if (reader == NULL)
        return;
    pqti_table_reader_end(reader);
    pqti_free_scratch(reader);
}

bool
pqt_table_reader_next(pqt_table_reader *reader, pqt_table_record *record, pqt_error *error)
{
    PQT_ASSERT(reader != NULL, "the reader is NULL");
    PQT_ASSERT(record != NULL, "the record is NULL");
    return pqti_may_compute(error) && pqti_table_reader_next(reader, record, error);
}

void
pqt_table_reader_seek(pqt_table_reader *reader, const pqt_table_record *record)
{
    PQT_ASSERT(reader != NULL, "the reader is NULL");
    PQT_ASSERT(record != NULL, "the record is NULL");
    reader->length = reader->start = reader->at.at = reader->at.end = 0;
    reader->has_ended = false;
    reader->before = record->offset;
    reader->row = record->row;
    reader->at.line = record->line;
}

pqt_table_columns
pqt_table_reader_columns(const pqt_table_reader *reader)
{
    PQT_ASSERT(reader != NULL, "the reader is NULL");
    return reader->table->columns;
}

void
pqt_table_reader_names(const pqt_table_reader *reader, pqt_field *names)
{
    PQT_ASSERT(reader != NULL, "the reader is NULL");
    PQT_ASSERT(names != NULL, "the array of names is NULL");
    pqt_table_fields(reader->table, PQT_TABLE_HEADER, names);
}
