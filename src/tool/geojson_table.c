/* SPDX-License-Identifier: MIT */
/* geojson_table.c: GeoJSON as CSV with geometries in well-known text. */
#include "config.h"

#include "tool/geojson_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tool/geojson_features.h"
#include "tool/geojson_geometry.h"
#include "tool/message.h"
#include "tool/progress.h"
#include "tool/tool_memory.h"

/* The maximum number of different properties. Each row of the CSV has a field for each of them, so
   more of them would make it much larger than the file. */
enum { MOST_PROPERTIES = 4096 };

/* The place of a feature in both texts. */
typedef struct feature_line {
    size_t csv, json;
} feature_line;

struct geojson_table {
    feature_reader reader;
    FILE *copy;         /* the copy of a stream that cannot be read again, or NULL */
    json_t *properties; /* the columns of the properties, by their names, counted from 0 */
    json_t **values;    /* the properties of the current feature, by column */
    size_t count;       /* the number of properties */
    bool has_ids;       /* a feature has an id */
    size_t id;          /* the property that holds ids, or SIZE_MAX */
    bool is_globe;      /* a bbox may cross the antimeridian */
    bool are_rows;      /* the file has plain objects, whose columns are their members */
    texts row;          /* the current row of the CSV */
    texts json;         /* a value of it */
    size_t used;        /* the number of its bytes that were read */
    feature_line *lines;
    size_t features, lines_capacity;
    size_t csv_line; /* the line of the CSV after the current row */
};

/* ---- Text ---- */

/* Appends a field of the CSV. */
static void
append_field(texts *to, const char *text)
{
    append_text(to, "\"");
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        append_bytes(to, text, (size_t)(quote - text));
        append_text(to, "\"\"");
    }
    append_text(to, text);
    append_text(to, "\"");
}

/* Appends a value of a property to the row. A number is written as it is spelt, and an object or an
   array as JSON; null is an empty field. */
static void
append_value(geojson_table *of, const json_t *value)
{
    if (json_is_string(value)) {
        append_field(&of->row, json_string_value(value));
    } else if (json_is_object(value) || json_is_array(value)) {
        of->json.length = 0;
        json_append(&of->json, &of->reader.from, value);
        append_bytes(&of->json, "", 1);
        append_field(&of->row, of->json.bytes);
    } else if (value != NULL && !json_is_null(value)) {
        json_append(&of->row, &of->reader.from, value);
    }
}

/* Appends an id. A whole number is written without a fraction, because 7.0 is the number 7 in JSON,
   and pandas writes it if a row has no id. */
static void
append_id(geojson_table *of, const json_t *id)
{
    static const double most = 9007199254740992; /* 2^53 */
    const char *spelling = id != NULL ? json_spelling(&of->reader.from, id) : NULL;
    const double number = spelling != NULL ? json_double(&of->reader.from, id) : -1;
    if (spelling != NULL && strpbrk(spelling, ".eE") != NULL && number >= 0 && number <= most &&
        number == floor(number)) {
        char text[24];
        snprintf(text, sizeof text, "%.0f", fabs(number));
        append_text(&of->row, text);
    } else {
        append_value(of, id);
    }
}

/* ---- Columns ---- */

/* Returns the properties of a feature, or a plain object itself. */
static const json_t *
properties_of(const geojson_table *of, const json_t *feature)
{
    return of->reader.are_rows ? feature : json_object_get(feature, "properties");
}

static bool
has_id(const json_t *feature)
{
    const json_t *id = json_object_get(feature, "id");
    return id != NULL && !json_is_null(id);
}

/* Adds the properties of a feature to the columns. */
static void
add_columns(geojson_table *of, const json_t *feature)
{
    const json_t *properties = properties_of(of, feature);
    const char *name;
    json_t *value;
    if (!of->reader.are_rows)
        of->has_ids = of->has_ids || has_id(feature);
    if (properties != NULL && !json_is_null(properties) && !json_is_object(properties))
        die(of->reader.from.name, of->reader.line, "the properties are not an object");
    /* The macro of jansson needs a pointer to data that it does not change. */
    json_object_foreach((json_t *)(uintptr_t)properties, name, value)
    {
        if (json_object_get(of->properties, name) != NULL)
            continue;
        if (of->count == MOST_PROPERTIES)
            die(of->reader.from.name, of->reader.line, "there are more than %d properties (%s)",
                MOST_PROPERTIES, quote_text(name).text);
        if (json_object_set_new(of->properties, name, json_integer((json_int_t)of->count)) != 0)
            die(NULL, 0, "out of memory (JSON)");
        of->count++;
    }
}

/* Writes a name in lower case, since columns are compared without regard to case. */
static void
write_key(char *key, const char *name)
{
    for (; *name != '\0'; name++)
        *key++ = *name >= 'A' && *name <= 'Z' ? (char)(*name + ('a' - 'A')) : *name;
    *key = '\0';
}

/* Remembers the key of a name, and the largest number that it was tried with. */
static void
take_key(json_t *taken, const char *key, json_int_t number)
{
    if (json_object_set_new(taken, key, json_integer(number)) != 0)
        die(NULL, 0, "out of memory (JSON)");
}

/* Appends a name for a column that no earlier one has. */
static void
append_unused_name(texts *to, json_t *taken, const char *name)
{
    size_t capacity = 0;
    const size_t size = strlen(name) + 24;
    char *unused = xgrow(NULL, &capacity, size, 2), *key = unused + size;
    strcpy(unused, name);
    write_key(key, name);
    const json_t *tried = json_object_get(taken, key);
    json_int_t number = tried != NULL ? json_integer_value(tried) : 1;
    while (json_object_get(taken, key) != NULL) {
        sprintf(unused, "%s_%" JSON_INTEGER_FORMAT, name, ++number);
        write_key(key, unused);
    }
    append_field(to, unused);
    take_key(taken, key, 1);
    write_key(key, name);
    take_key(taken, key, number);
    xfree(unused);
}

static void
append_header(geojson_table *of)
{
    const char *name;
    json_t *column, *taken = json_object();
    const char *separator = of->are_rows ? "" : ",";
    if (taken == NULL)
        die(NULL, 0, "out of memory (JSON)");
    if (of->has_ids)
        take_key(taken, "id", 1);
    if (!of->are_rows) {
        take_key(taken, "wkt", 1);
        append_text(&of->row, of->has_ids ? "id,wkt" : "wkt");
    }
    /* jansson keeps the order in which members were added. */
    json_object_foreach(of->properties, name, column)
    {
        if (!of->has_ids && of->id == SIZE_MAX && strcasecmp(name, "id") == 0)
            of->id = (size_t)json_integer_value(column);
        append_text(&of->row, separator);
        append_unused_name(&of->row, taken, name);
        separator = ",";
    }
    append_text(&of->row, "\n");
    json_decref(taken);
}

/* ---- Rows ---- */

/* Returns the number of line ends in the current row, as a reader of CSV counts them. */
static size_t
count_lines(const texts *row)
{
    size_t lines = 0;
    for (size_t i = 0; i < row->length; i++)
        lines += row->bytes[i] == '\n' ||
                 (row->bytes[i] == '\r' && (i + 1 == row->length || row->bytes[i + 1] != '\n'));
    return lines;
}

static void
append_row(geojson_table *of, const json_t *feature)
{
    const char *name;
    json_t *value;
    memset(of->values, 0, of->count * sizeof *of->values);
    json_object_foreach((json_t *)(uintptr_t)properties_of(of, feature), name, value)
    {
        of->values[json_integer_value(json_object_get(of->properties, name))] = value;
    }
    if (of->has_ids) {
        append_id(of, json_object_get(feature, "id"));
        append_text(&of->row, ",");
    }
    if (!of->are_rows) {
        append_text(&of->row, "\"");
        append_geometry(&of->row, feature, of->is_globe, &of->reader.from, of->reader.line);
        append_text(&of->row, "\"");
    }
    for (size_t i = 0; i < of->count; i++) {
        append_text(&of->row, of->are_rows && i == 0 ? "" : ",");
        if (i == of->id)
            append_id(of, of->values[i]);
        else
            append_value(of, of->values[i]);
    }
    append_text(&of->row, "\n");
}

/* Makes the next row. Returns false after the last one. */
static bool
next_row(geojson_table *of)
{
    json_t *feature = features_next(&of->reader);
    of->row.length = of->used = 0;
    if (feature == NULL)
        return false;
    append_row(of, feature);
    json_decref(feature);
    of->lines = xgrow(of->lines, &of->lines_capacity, of->features + 1, sizeof *of->lines);
    of->lines[of->features++] = (feature_line){of->csv_line, of->reader.line};
    of->csv_line += count_lines(&of->row);
    return true;
}

bool
geojson_read(void *bytes, size_t capacity, size_t *count, void *context)
{
    geojson_table *of = context;
    *count = 0;
    while (*count < capacity && (of->used < of->row.length || next_row(of))) {
        const size_t rest = of->row.length - of->used, room = capacity - *count;
        const size_t copied = rest < room ? rest : room;
        memcpy((char *)bytes + *count, of->row.bytes + of->used, copied);
        of->used += copied;
        *count += copied;
    }
    return true;
}

size_t
geojson_line(const geojson_table *of, size_t csv_line)
{
    size_t low = 0, high = of->features;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (of->lines[middle].csv <= csv_line)
            low = middle;
        else
            high = middle;
    }
    return of->features > 0 ? of->lines[low].json : 1;
}

/* ---- Files ---- */

/* Returns a copy of a stream, which can be read again. */
static FILE *
copy_of(const char *name, FILE *stream)
{
    static char block[1 << 16];
    FILE *copy = tmpfile();
    if (copy == NULL)
        die(name, 0, "cannot be copied (%s)", strerror(errno));
    size_t count;
    while ((count = fread(block, 1, sizeof block, stream)) > 0)
        if (fwrite(block, 1, count, copy) < count)
            die(name, 0, "cannot be copied (%s)", strerror(errno));
    if (ferror(stream))
        die(name, 0, "cannot be read (%s)", strerror(errno));
    if (fseeko(copy, 0, SEEK_SET) != 0)
        die(name, 0, "cannot be copied (%s)", strerror(errno));
    return copy;
}

/* Skips a byte-order mark. */
static void
skip_mark(FILE *stream)
{
    const int first = getc(stream);
    if (first == 0xEF) {
        getc(stream);
        getc(stream);
    } else if (first != EOF) {
        ungetc(first, stream);
    }
}

geojson_table *
geojson_open(const char *name, FILE *stream, bool is_globe)
{
    size_t capacity = 0;
    struct stat status;
    geojson_table *of = xgrow(NULL, &capacity, 1, sizeof *of);
    *of = (geojson_table){
        .properties = json_object(), .id = SIZE_MAX, .is_globe = is_globe, .csv_line = 2};
    if (of->properties == NULL)
        die(NULL, 0, "out of memory (JSON)");
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode))
        stream = of->copy = copy_of(name, stream);
    const off_t start = ftello(stream);
    if (fstat(fileno(stream), &status) == 0)
        progress_begin("reading names", (uint64_t)status.st_size, PROGRESS_BYTES);
    skip_mark(stream);
    of->reader = features_begin(name, stream);
    bool is_empty = true;
    for (json_t *feature; (feature = features_next(&of->reader)) != NULL; json_decref(feature)) {
        add_columns(of, feature);
        is_empty = false;
    }
    /* An array without objects, which is a search that found nothing, has no features either. */
    of->are_rows = of->reader.are_rows && !is_empty;
    if (fseeko(stream, start, SEEK_SET) != 0)
        die(name, 0, "cannot be read again (%s)", strerror(errno));
    progress_begin("reading", (uint64_t)status.st_size, PROGRESS_BYTES);
    skip_mark(stream);
    json_end(&of->reader.from);
    of->reader = features_begin(name, stream);
    capacity = 0;
    of->values = xgrow(NULL, &capacity, of->count, sizeof(json_t *));
    append_header(of);
    of->csv_line = 1 + count_lines(&of->row);
    return of;
}

void
geojson_close(geojson_table *of)
{
    if (of->copy != NULL)
        fclose(of->copy);
    json_end(&of->reader.from);
    json_decref(of->properties);
    xfree(of->values);
    xfree(of->row.bytes);
    xfree(of->json.bytes);
    xfree(of->lines);
    xfree(of);
}

bool
geojson_has_geometries(const geojson_table *of)
{
    return !of->are_rows;
}
