/* SPDX-License-Identifier: MIT */
/*
 * csv_write.c: writes rows as CSV with the columns of the file from which they were read.
 *
 * Other commands can read the output of a command: the header comes first, and if the file has no
 * column named id, a column with ids is added, so that items keep their ids. The names of added
 * columns differ from all names in the file.
 */
#include "config.h"

#include "tool/csv_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/numbers.h"
#include "tool/tool_memory.h"

static void
write_quoted(FILE *stream, const char *text)
{
    putc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

void
write_field(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    bool is_plain = strpbrk(text, "\",\r\n") == NULL &&
                    (length == 0 || (!strchr(" \t", text[0]) && !strchr(" \t", text[length - 1])));
    if (is_plain)
        fputs(text, stream);
    else
        write_quoted(stream, text);
}

const char *
column_name(const table_columns *columns, size_t column)
{
    return columns->names.bytes + columns->name_at[column];
}

void
write_prefixed(FILE *stream, const char *prefix, const char *name)
{
    size_t capacity = 0;
    char *whole = xgrow(NULL, &capacity, strlen(prefix) + strlen(name) + 1, 1);
    strcat(strcpy(whole, prefix), name);
    write_field(stream, whole);
    free(whole);
}

bool
adds_ids(const table_columns *columns)
{
    return columns->id == SIZE_MAX && !columns->has_id_of_text;
}

void
write_names(FILE *stream, const table_columns *columns, const char *prefix)
{
    if (adds_ids(columns))
        fprintf(stream, "%sid,", prefix);
    for (size_t c = 0; c < columns->count; c++) {
        if (c > 0)
            putc(',', stream);
        write_prefixed(stream, prefix, column_name(columns, c));
    }
}

/* Returns true if some column has this name or, if `as_prefix`, a name that begins with it. Ignores
   case. */
static bool
name_is_used(const table_columns *columns, const char *name, bool as_prefix)
{
    for (size_t c = 0; c < columns->count; c++)
        if (as_prefix ? strncasecmp(column_name(columns, c), name, strlen(name)) == 0
                      : strcasecmp(column_name(columns, c), name) == 0)
            return true;
    return false;
}

added_name
unused_name(const table_columns *columns, const char *stem)
{
    added_name name;
    snprintf(name.text, sizeof name.text, "%s", stem);
    for (size_t n = 2; name_is_used(columns, name.text, false); n++)
        snprintf(name.text, sizeof name.text, "%s_%zu", stem, n);
    return name;
}

added_name
unused_prefix(const table_columns *columns, const char *stem)
{
    added_name prefix;
    snprintf(prefix.text, sizeof prefix.text, "%s_", stem);
    for (size_t n = 2; name_is_used(columns, prefix.text, true); n++)
        snprintf(prefix.text, sizeof prefix.text, "%s_%zu_", stem, n);
    return prefix;
}

const double *
coordinate_in(const table_columns *columns, size_t column, const pqt_item *item)
{
    const double *numbers[] = {&item->box.min.x, &item->box.min.y, &item->box.max.x,
                               &item->box.max.y};
    for (int i = 0; i < columns->places; i++)
        if (columns->rank[i] == column)
            return numbers[i];
    return NULL;
}

void
write_cell(FILE *stream, const table_columns *columns, size_t column, const pqt_item *item,
           const char **field)
{
    const double *number = coordinate_in(columns, column, item);
    if (column == columns->id) {
        fprintf(stream, "%" PRIu64, item->id);
    } else if (number != NULL) {
        fputs(shortest(*number).text, stream);
    } else {
        write_field(stream, *field);
        *field = next_field(*field);
    }
}

void
write_cells(FILE *stream, const table_columns *columns, const pqt_item *item, const char *fields)
{
    if (adds_ids(columns))
        fprintf(stream, "%" PRIu64 ",", item->id);
    for (size_t c = 0; c < columns->count; c++) {
        if (c > 0)
            putc(',', stream);
        write_cell(stream, columns, c, item, &fields);
    }
}
