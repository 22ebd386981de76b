/* SPDX-License-Identifier: MIT */
/* row_source.c: reads the rows of a CSV or GeoJSON file, and reads some of them again. */
#include "config.h"

#include "tool/row_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/column_options.h"
#include "tool/geojson_table.h"
#include "tool/made_header.h"
#include "tool/message.h"
#include "tool/progress.h"
#include "tool/tool_memory.h"

/* The place of each STRIDE-th row is kept. A row is read again in portions that double, from
   FIRST_PORTION on. */
enum { STRIDE = 8, FIRST_PORTION = 1024 };

struct row_source {
    const char *name;
    pqt_table_reader *reader;
    FILE *stream;
    struct geojson_table *geojson; /* NULL: the file is CSV */
    uint64_t taken;                /* the number of bytes that were read */
    texts head;                    /* a header that was made, and the first row */
    size_t head_used;              /* the number of its bytes that were read */
    size_t shift; /* the number of bytes by which the CSV is longer than the file; 0: the header is
                     that of the file */
    bool keeps;
    FILE *copy;     /* a copy of the CSV, or NULL */
    int descriptor; /* the file that is read again, or -1 */
    off_t start;    /* the number of bytes before the table in it */
    off_t next;     /* the next byte that is read again */
    size_t portion; /* the number of bytes that are read again at once */
    uint64_t *offsets;
    size_t rows, offsets_capacity;
    size_t again; /* the row that is next when rows are read again */
};

/* ---- Bytes ---- */

static _Noreturn void
die_unreadable(const row_source *source)
{
    die(source->name, 0, "cannot be read (%s)", strerror(errno));
}

static _Noreturn void
die_changed(const row_source *source)
{
    die(source->name, 0, "the file has changed while it was read");
}

/* The way in which GDAL reads a file for the program. */
static const char by_gdal[] = "ogr2ogr -f GeoJSONSeq /vsistdout/ FILE | pqt ... -";

/* The first bytes of files of other programs. */
static const struct foreign {
    const char *bytes;
    size_t length;
    const char *what, *way; /* what it is, and how it becomes a table */
} foreign_files[] = {
    {"\x89PNG", 4, "a PNG picture", "pqt region reads it"},
    {"SQLite format 3", 15, "a GeoPackage or another database of SQLite", by_gdal},
    {"fgb\x03", 4, "FlatGeobuf", by_gdal},
    {"\x00\x00\x27\x0a", 4, "a Shapefile", by_gdal},
    {"PAR1\x15", 5, "Parquet", by_gdal},
    {"<?xml", 5, "XML, such as KML or GPX", by_gdal},
    {"<kml", 4, "KML", by_gdal},
    {"<gpx", 4, "GPX", by_gdal},
    {"<!DOCTYPE", 9, "HTML", "save the table as CSV"},
    {"<html", 5, "HTML", "save the table as CSV"},
    {"PK\x03\x04", 4, "a ZIP archive, such as a workbook of Excel", "unpack it, or save it as CSV"},
    {"\x1f\x8b", 2, "compressed", "gunzip -c FILE | pqt ... -"},
    {"%PDF-", 5, "a PDF", "save the table as CSV"},
};

/* Ends the program with an error if a file is one of another program. */
static void
refuse_foreign(const input_file *from)
{
    char head[16];
    size_t length = 0;
    for (int byte; length < sizeof head && (byte = getc(from->stream)) != EOF;)
        head[length++] = (char)byte;
    for (size_t i = 0; i < sizeof foreign_files / sizeof foreign_files[0]; i++) {
        const struct foreign *known = &foreign_files[i];
        if (length >= known->length && memcmp(head, known->bytes, known->length) == 0)
            die(from->name, 0, "is %s, and not a table (%s)", known->what, known->way);
    }
    while (length > 0)
        if (ungetc((unsigned char)head[--length], from->stream) == EOF)
            die(from->name, 0, "cannot be read from its beginning again");
}

static FILE *
nameless_file(const char *name)
{
    FILE *file = tmpfile();
    if (file == NULL)
        die(name, 0, "cannot be copied (%s)", strerror(errno));
    return file;
}

/* Reads bytes of the CSV for the first time. */
static void
read_first(row_source *source, void *bytes, size_t capacity, size_t *count)
{
#if PQT_WITH_JANSSON
    if (source->geojson != NULL) {
        geojson_read(bytes, capacity, count, source->geojson);
        return;
    }
#endif
    const size_t rest = source->head.length - source->head_used;
    if (rest > 0) {
        *count = rest < capacity ? rest : capacity;
        memcpy(bytes, source->head.bytes + source->head_used, *count);
        source->head_used += *count;
        return;
    }
    *count = fread(bytes, 1, capacity, source->stream);
    if (ferror(source->stream))
        die_unreadable(source);
    source->taken += *count;
    progress_at(source->taken);
}

/* Reads bytes of the file at source->next. */
static void
read_again(row_source *source, void *bytes, size_t capacity, size_t *count)
{
    ssize_t taken;
    do
        taken = pread(source->descriptor, bytes,
                      capacity < source->portion ? capacity : source->portion, source->next);
    while (taken < 0 && errno == EINTR);
    if (taken < 0)
        die_unreadable(source);
    source->next += taken;
    source->portion *= 2;
    *count = (size_t)taken;
}

static bool
read_source(void *bytes, size_t capacity, size_t *count, void *context)
{
    row_source *source = context;
    if (source->descriptor >= 0) {
        read_again(source, bytes, capacity, count);
        return true;
    }
    read_first(source, bytes, capacity, count);
    if (source->copy != NULL && fwrite(bytes, 1, *count, source->copy) < *count)
        die(source->name, 0, "cannot be copied (%s)", strerror(errno));
    return true;
}

/* ---- The first reading ---- */

/* Ends the program with the library's message, whose line is shown after the name of the file. */
static _Noreturn void
die_in_table(const row_source *source, pqt_error error)
{
    const char *message = strncmp(error.text, "line ", 5) == 0 ? strstr(error.text, ": ") : NULL;
#if PQT_WITH_JANSSON
    if (source->geojson != NULL && error.status == PQT_ERROR_FORMAT)
        error.index = geojson_line(source->geojson, error.index);
#endif
    if (source->shift > 0 && error.index > 0)
        error.index--;
    if (message == NULL)
        die_error(error.status == PQT_ERROR_OPTION ? NULL : source->name, &error);
    die(source->name, error.index, "%s", message + 2);
}

/* Returns the options for a file. The positions of features are always their geometries, and a
   header that was made has the usual names. */
static pqt_table_options
options_for(const row_source *source)
{
    pqt_table_options options = PQT_TABLE_DEFAULTS;
    options.surface = column_options()->surface;
    if (source->shift == 0)
        options = *column_options();
#if PQT_WITH_JANSSON
    if (source->geojson != NULL && geojson_has_geometries(source->geojson))
        for (size_t i = 0; i < 4; i++)
            options.position[i] = i == 0 ? "wkt" : NULL;
#endif
    (void)source;
    return options;
}

static void
open_json(row_source *source)
{
#if PQT_WITH_JANSSON
    source->geojson = geojson_open(source->name, source->stream, chosen_columns.is_globe);
#else
    die(source->name, 0, "this pqt was built without jansson, and reads no JSON");
#endif
}

/* Returns a source whose reader is not open yet. */
static row_source
begin_source(const input_file *from, bool keeps)
{
    struct stat status;
    const bool is_file = fstat(fileno(from->stream), &status) == 0 && S_ISREG(status.st_mode);
    row_source source = {
        .name = from->name, .stream = from->stream, .keeps = keeps, .descriptor = -1};
    if (from->is_json) {
        open_json(&source);
    } else {
        progress_begin("reading", is_file ? (uint64_t)status.st_size : 0, PROGRESS_BYTES);
        refuse_foreign(from);
    }
    if (keeps && (from->is_json || !is_file))
        source.copy = nameless_file(from->name);
    else if (is_file)
        source.start = ftello(from->stream);
    if (chosen_columns.no_header && from->is_json)
        die(from->name, 0, "is JSON, and --no-header is for CSV");
    if (chosen_columns.no_header)
        source.head = made_header(from->name, from->stream, &source.shift);
    if (source.copy == NULL)
        source.start -= (off_t)source.shift;
    return source;
}

/* Ends the first reading. */
static void
end_reading(row_source *source)
{
    progress_end();
#if PQT_WITH_JANSSON
    if (source->geojson != NULL)
        geojson_close(source->geojson);
#endif
    source->geojson = NULL;
    free(source->head.bytes);
    source->head = (texts){.bytes = NULL};
    source->head_used = 0;
}

row_source *
row_source_open(const input_file *from, bool keeps)
{
    size_t capacity = 0;
    pqt_error error = {0};
    row_source *source = xgrow(NULL, &capacity, 1, sizeof *source);
    *source = begin_source(from, keeps);
    const pqt_table_options options = options_for(source);
    source->reader = pqt_table_reader_open(read_source, source, &options, &error);
    if (source->reader == NULL)
        die_in_table(source, error);
    return source;
}

pqt_table *
read_whole_table(const input_file *from)
{
    pqt_error error = {0};
    row_source source = begin_source(from, false);
    const pqt_table_options options = options_for(&source);
    pqt_table *table = pqt_table_read(read_source, &source, &options, &error);
    if (table == NULL)
        die_in_table(&source, error);
    end_reading(&source);
    return table;
}

bool
row_source_next(row_source *source, pqt_table_record *record)
{
    pqt_error error = {0};
    if (!pqt_table_reader_next(source->reader, record, &error))
        die_in_table(source, error);
    if (record->row == PQT_TABLE_NONE)
        return false;
    if (source->keeps && record->row % STRIDE == 0) {
        const size_t index = record->row / STRIDE;
        source->offsets =
            xgrow(source->offsets, &source->offsets_capacity, index + 1, sizeof *source->offsets);
        source->offsets[index] = record->offset;
    }
    source->rows++;
    return true;
}

pqt_table_columns
row_source_columns(const row_source *source)
{
    return pqt_table_reader_columns(source->reader);
}

void
row_source_names(const row_source *source, pqt_field *names)
{
    pqt_table_reader_names(source->reader, names);
}

/* ---- The second reading ---- */

row_source *
row_source_end(row_source *source)
{
    end_reading(source);
    if (!source->keeps) {
        row_source_close(source);
        return NULL;
    }
    if (source->copy != NULL && fflush(source->copy) != 0)
        die(source->name, 0, "cannot be copied (%s)", strerror(errno));
    source->descriptor = dup(fileno(source->copy != NULL ? source->copy : source->stream));
    if (source->descriptor < 0)
        die_unreadable(source);
    source->again = SIZE_MAX;
    return source;
}

/* Continues at the last row before another one whose place is kept. */
static void
seek_row(row_source *source, size_t row)
{
    const size_t index = row / STRIDE;
    const pqt_table_record record = {.row = index * STRIDE, .offset = source->offsets[index]};
    source->next = source->start + (off_t)record.offset;
    source->portion = FIRST_PORTION;
    source->again = record.row;
    pqt_table_reader_seek(source->reader, &record);
}

pqt_table_record
row_source_again(row_source *source, size_t row)
{
    pqt_table_record record = {.row = PQT_TABLE_NONE};
    if (row < source->again || row - source->again >= STRIDE)
        seek_row(source, row);
    while (source->again <= row) {
        if (!pqt_table_reader_next(source->reader, &record, NULL) || record.row != source->again)
            die_changed(source);
        source->again++;
    }
    return record;
}

void
row_source_close(row_source *source)
{
    if (source == NULL)
        return;
    pqt_table_reader_close(source->reader);
    if (source->copy != NULL)
        fclose(source->copy);
    if (source->descriptor >= 0)
        close(source->descriptor);
    free(source->offsets);
    free(source);
}
