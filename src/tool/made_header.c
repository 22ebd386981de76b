/* SPDX-License-Identifier: MIT */
/* made_header.c: a header for a CSV file without one. */
#include "config.h"

#include "tool/made_header.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/column_options.h"
#include "tool/message.h"

enum { LONGEST_ROW = 1 << 20, MOST_NUMBERED = 5 };

/* The columns that the options name. */
typedef struct numbered {
    size_t numbers[MOST_NUMBERED]; /* counted from 1 */
    const char *names[MOST_NUMBERED];
    size_t count;
} numbered;

/* ---- The options ---- */

static void
add_number(numbered *to, const char *text, const char *name)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text < '1' || *text > '9' || *end != '\0' || errno != 0 || number > SIZE_MAX)
        die(NULL, 0, "with --no-header, a column is named by its number, counted from 1 (%s)",
            quote_text(text).text);
    for (size_t i = 0; i < to->count; i++)
        if (to->numbers[i] == number)
            die(NULL, 0, "a column is named twice (%llu)", number);
    to->numbers[to->count] = (size_t)number;
    to->names[to->count++] = name;
}

static numbered
numbered_columns(void)
{
    static const char *const points[] = {"x", "y"}, *const geometries[] = {"wkt"},
                             *const boxes[] = {"min_x", "min_y", "max_x", "max_y"};
    const pqt_table_options *options = column_options();
    numbered columns = {.count = 0};
    const char *const *names = options->position[1] == NULL   ? geometries
                               : options->position[2] == NULL ? points
                                                              : boxes;
    if (options->position[0] == NULL)
        die(NULL, 0,
            "--no-header needs the numbers of columns (--x 2 --y 3, --box 2,3,4,5 or --geometry "
            "2)");
    for (size_t i = 0; i < 4 && options->position[i] != NULL; i++)
        add_number(&columns, options->position[i], names[i]);
    if (options->id != NULL)
        add_number(&columns, options->id, "id");
    return columns;
}

/* ---- The first row ---- */

/* Reads a row with its line end. A line end in quotes does not end it. */
static void
read_row(const char *file, FILE *stream, texts *row)
{
    bool is_quoted = false;
    for (int byte = getc(stream); byte != EOF; byte = getc(stream)) {
        if (row->length == LONGEST_ROW)
            die(file, 1, "the first row is longer than %d bytes", LONGEST_ROW);
        append_bytes(row, (const char[]){(char)byte}, 1);
        is_quoted ^= byte == '"';
        if (byte == '\n' && !is_quoted)
            return;
    }
    if (ferror(stream))
        die(file, 0, "cannot be read (%s)", strerror(errno));
}

static bool
has_mark(const texts *row)
{
    return row->length >= 3 && memcmp(row->bytes, "\xef\xbb\xbf", 3) == 0;
}

/* Returns the number of separators outside quotes. */
static size_t
count_separators(const texts *row, char separator)
{
    size_t count = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < row->length; i++) {
        is_quoted ^= row->bytes[i] == '"';
        count += !is_quoted && row->bytes[i] == separator;
    }
    return count;
}

/* Appends the name of a column. */
static void
append_name(texts *to, const numbered *columns, size_t number)
{
    char name[40];
    snprintf(name, sizeof name, "column_%zu", number);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->numbers[i] == number)
            snprintf(name, sizeof name, "%s", columns->names[i]);
    append_bytes(to, name, strlen(name));
}

texts
made_header(const char *file, FILE *stream, size_t *shift)
{
    const numbered columns = numbered_columns();
    texts row = {.bytes = NULL}, all = {.bytes = NULL};
    read_row(file, stream, &row);
    const char *separator = "\t;,";
    while (separator[1] != '\0' && count_separators(&row, *separator) == 0)
        separator++;
    const size_t separators = count_separators(&row, *separator);
    for (size_t i = 0; i < columns.count; i++)
        if (columns.numbers[i] > separators + 1)
            die(file, 1, "no column %zu (the first row has %zu)", columns.numbers[i],
                separators + 1);
    for (size_t number = 1; number <= separators + 1; number++) {
        append_bytes(&all, separator, number > 1);
        append_name(&all, &columns, number);
    }
    append_bytes(&all, "\n", 1);
    const size_t skipped = has_mark(&row) ? 3 : 0;
    *shift = all.length - skipped;
    if (row.length > skipped)
        append_bytes(&all, row.bytes + skipped, row.length - skipped);
    free(row.bytes);
    return all;
}
