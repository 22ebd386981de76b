/* SPDX-License-Identifier: MIT */
/* csv.c: divides the bytes of a CSV file into records and fields. */
#include "config.h"

#include "io/csv.h"

#include <string.h>

size_t
pqti_csv_line_end(const char *bytes, size_t length)
{
    if (length == 0 || (*bytes != '\r' && *bytes != '\n'))
        return 0;
    return length > 1 && bytes[0] == '\r' && bytes[1] == '\n' ? 2 : 1;
}

static size_t
line_end_at(const pqti_csv *csv)
{
    return pqti_csv_line_end(csv->bytes + csv->at, csv->end - csv->at);
}

static void
skip_blanks(pqti_csv *csv)
{
    while (csv->at < csv->end && pqti_csv_is_blank(csv->bytes[csv->at], csv->separator))
        csv->at++;
}

bool
pqti_csv_skip_blank_line(pqti_csv *csv)
{
    const size_t start = csv->at;
    skip_blanks(csv);
    if (csv->at == csv->end)
        return false;
    const size_t line_end = line_end_at(csv);
    csv->at = line_end == 0 ? start : csv->at + line_end;
    csv->line += line_end > 0;
    return line_end > 0;
}

/* Returns true if the next bytes are these. */
static bool
begins_with(const pqti_csv *csv, const char *bytes, size_t length)
{
    return csv->end - csv->at >= length && memcmp(csv->bytes + csv->at, bytes, length) == 0;
}

bool
pqti_csv_skip_preface(pqti_csv *csv)
{
    if (begins_with(csv, "\xef\xbb\xbf", 3))
        csv->at += 3;
    if (!begins_with(csv, "sep=", 4) && !begins_with(csv, "SEP=", 4))
        return false;
    pqti_csv after = *csv;
    after.at += 5;
    const size_t line_end = after.at < after.end ? line_end_at(&after) : 0;
    const char separator = csv->end - csv->at > 4 ? csv->bytes[csv->at + 4] : '\0';
    if (line_end == 0 || (separator != ',' && separator != ';' && separator != '\t'))
        return false;
    csv->separator = separator;
    csv->at = after.at + line_end;
    csv->line++;
    return true;
}

/* Reads to the closing quote, which is not skipped. */
static pqti_csv_result
read_quoted(pqti_csv *csv, pqt_field *field)
{
    const size_t start = ++csv->at;
    for (; csv->at < csv->end; csv->at++) {
        const char c = csv->bytes[csv->at];
        if (c == '\0')
            return PQTI_CSV_ZERO;
        if (c == '\n' || (c == '\r' && line_end_at(csv) == 1))
            csv->line++;
        if (c != '"')
            continue;
        if (csv->at + 1 == csv->end || csv->bytes[csv->at + 1] != '"') {
            *field = (pqt_field){csv->bytes + start, csv->at - start, true};
            return PQTI_CSV_FIELD;
        }
        csv->at++;
    }
    return PQTI_CSV_OPEN_QUOTE;
}

static pqti_csv_result
read_plain(pqti_csv *csv, pqt_field *field)
{
    const size_t start = csv->at;
    size_t end = start; /* after the last byte that is not blank */
    for (; csv->at < csv->end; csv->at++) {
        const char c = csv->bytes[csv->at];
        if (c == csv->separator || c == '\n' || c == '\r')
            break;
        if (c == '"')
            return PQTI_CSV_WRONG_QUOTE;
        if (c == '\0')
            return PQTI_CSV_ZERO;
        if (!pqti_csv_is_blank(c, csv->separator))
            end = csv->at + 1;
    }
    *field = (pqt_field){csv->bytes + start, end - start, false};
    return PQTI_CSV_FIELD;
}

/* Skips what follows the text of a field. */
static pqti_csv_result
end_field(pqti_csv *csv, pqti_csv_field *found)
{
    if (found->text.is_quoted)
        csv->at++;
    skip_blanks(csv);
    found->end = csv->at;
    const size_t line_end = line_end_at(csv);
    if (csv->at == csv->end)
        return PQTI_CSV_RECORD;
    if (line_end == 0 && csv->bytes[csv->at] != csv->separator)
        return csv->bytes[csv->at] == '\0' ? PQTI_CSV_ZERO : PQTI_CSV_WRONG_QUOTE;
    csv->at += line_end > 0 ? line_end : 1;
    csv->line += line_end > 0;
    return line_end > 0 ? PQTI_CSV_RECORD : PQTI_CSV_FIELD;
}

/* Reads a field, and does not check the size of its record. */
static pqti_csv_result
read_field(pqti_csv *csv, pqti_csv_field *found)
{
    found->start = csv->at;
    skip_blanks(csv);
    const bool is_quoted = csv->at < csv->end && csv->bytes[csv->at] == '"';
    const pqti_csv_result result =
        is_quoted ? read_quoted(csv, &found->text) : read_plain(csv, &found->text);
    return result == PQTI_CSV_FIELD ? end_field(csv, found) : result;
}

pqti_csv_result
pqti_csv_next(pqti_csv *csv, size_t record, pqti_csv_field *found)
{
    const size_t line = csv->line;
    const pqti_csv_result result = read_field(csv, found);
    const size_t end = result == PQTI_CSV_FIELD || result == PQTI_CSV_RECORD ? found->end : csv->at;
    if (end - record <= csv->most)
        return result;
    csv->line = line;
    return PQTI_CSV_LONG;
}
