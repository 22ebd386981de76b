/* SPDX-License-Identifier: MIT */
/*
 * fuzz_geojson.c: reads arbitrary bytes as a GeoJSON file. The reader must give CSV, or fail with a
 * one-line message.
 *
 * The first byte chooses the portions in which the CSV is read. Read in other portions, it must be
 * the same, and pqt_table_read must read it with a row for each feature, or fail with a message
 * about a line that a feature has.
 */
#include "config.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include <jansson.h>
#include <pqt/table.h>

#include "random.h"
#include "replay.h"
#include "tool/geojson_table.h"
#include "tool/message.h"
#include "tool/progress.h"
#include "tool/tool_memory.h"

/* The program shows its progress. */
void
progress_begin(const char *what, uint64_t total, progress_unit unit)
{
    (void)what;
    (void)total;
    (void)unit;
}

void
progress_at(uint64_t done)
{
    (void)done;
}

void
progress_end(void)
{
}

/* ---- Memory ---- */

/* The blocks of the reader. The program ends at a refused file, and so leaves them. */
typedef struct block {
    LIST_ENTRY(block) link;
    max_align_t bytes[];
} block;

static LIST_HEAD(blocks, block) blocks = LIST_HEAD_INITIALIZER(blocks);

static void *
take_block(size_t size)
{
    block *taken = malloc(sizeof *taken + size);
    require(taken != NULL, "out of memory");
    LIST_INSERT_HEAD(&blocks, taken, link);
    return taken->bytes;
}

void
xfree(void *bytes)
{
    if (bytes == NULL)
        return;
    block *given = (block *)(void *)((char *)bytes - offsetof(block, bytes));
    LIST_REMOVE(given, link);
    free(given);
}

static void
free_all(void)
{
    while (!LIST_EMPTY(&blocks))
        xfree(LIST_FIRST(&blocks)->bytes);
}

void *
xgrow(void *bytes, size_t *capacity, size_t needed, size_t size)
{
    if (bytes != NULL && needed <= *capacity)
        return bytes;
    const size_t next = 2 * needed + 8;
    void *larger = take_block(next * size);
    if (bytes != NULL)
        memcpy(larger, bytes, *capacity * size);
    xfree(bytes);
    *capacity = next;
    return larger;
}

void
append_bytes(texts *to, const char *bytes, size_t count)
{
    to->bytes = xgrow(to->bytes, &to->capacity, to->length + count, 1);
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
}

/* ---- Messages ---- */

static jmp_buf after_message;

static void
take_message(const char *message)
{
    require(strncmp(message, "pqt: ", 5) == 0 && strchr(message, '\n') == NULL, message);
    longjmp(after_message, 1);
}

/* ---- Checks ---- */

/* Returns a file with these bytes. */
static FILE *
file_of(const uint8_t *data, size_t size)
{
    static FILE *file;
    file = file != NULL ? file : tmpfile();
    require(file != NULL, "no file");
    rewind(file);
    require(ftruncate(fileno(file), 0) == 0 && fwrite(data, 1, size, file) == size,
            "the file cannot be written");
    rewind(file);
    return file;
}

/* Reads a file as CSV, in portions of at most `step` bytes. Returns false if it is refused. */
static bool
read_csv(const uint8_t *data, size_t size, size_t step, texts *csv, bool *has_geometries)
{
    FILE *stream = file_of(data, size);
    if (setjmp(after_message) != 0) {
        free_all();
        *csv = (texts){.bytes = NULL};
        return false;
    }
    geojson_table *table = geojson_open("file", stream, size % 2 == 1);
    *has_geometries = geojson_has_geometries(table);
    char bytes[256];
    size_t count;
    do {
        require(geojson_read(bytes, step, &count, table) && count <= step, "too many bytes");
        append_bytes(csv, bytes, count);
    } while (count > 0);
    size_t line = 0;
    for (size_t i = 1; i < csv->length && i < 1000; i++) {
        require(geojson_line(table, i) >= line, "lines that go back");
        line = geojson_line(table, i);
    }
    geojson_close(table);
    return true;
}

static bool
supply_text(void *bytes, size_t capacity, size_t *count, void *context)
{
    texts *from = context;
    *count = from->length < capacity ? from->length : capacity;
    memcpy(bytes, from->bytes, *count);
    from->bytes += *count;
    from->length -= *count;
    return true;
}

static void
read_rows(texts csv, bool has_geometries)
{
    pqt_error error = {0};
    pqt_table_options options = PQT_TABLE_DEFAULTS;
    options.position[0] = has_geometries ? "wkt" : NULL;
    pqt_table *table = pqt_table_read(supply_text, &csv, &options, &error);
    require((table == NULL) == (error.text[0] != '\0'), "a table and an error");
    require(table != NULL || error.status == PQT_ERROR_FORMAT || error.status == PQT_ERROR_BOX ||
                error.status == PQT_ERROR_OPTION,
            error.text);
    if (table != NULL && has_geometries)
        require(pqt_table_get_columns(table).position == PQT_TABLE_GEOMETRIES, "no geometries");
    pqt_table_free(table);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    texts csv = {.bytes = NULL}, again = {.bytes = NULL};
    bool has_geometries = false;
    give_messages_to(take_message);
    json_set_alloc_funcs(take_block, xfree);
    const bool is_read = read_csv(data + 1, size - 1, 256, &csv, &has_geometries);
    const bool is_read_again =
        read_csv(data + 1, size - 1, 1 + (size_t)data[0] % 256, &again, &has_geometries);
    require(is_read == is_read_again, "read once, and refused once");
    if (is_read) {
        require(csv.length == again.length && memcmp(csv.bytes, again.bytes, csv.length) == 0,
                "other bytes");
        read_rows(csv, has_geometries);
    }
    xfree(csv.bytes);
    xfree(again.bytes);
    require(LIST_EMPTY(&blocks), "blocks that were not freed");
    return 0;
}

/* ---- Seeds ---- */

static const char *const geometries[] = {
    "{\"type\":\"Point\",\"coordinates\":[1.5,2]}",
    "{\"type\":\"MultiPoint\",\"coordinates\":[[1,2,7],[3,4]]}",
    "{\"type\":\"LineString\",\"coordinates\":[[0,0],[2,1]]}",
    "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[2,0],[2,1],[0,0]]]}",
    "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[1,0],[1,1],[0,0]]],[]]}",
    "{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\",\"coordinates\":[1,2]}]}",
    "null",
    "{\"type\":\"Point\",\"coordinates\":[1e400,2]}",
    "{\"type\":\"Point\",\"coordinates\":[1],\"bbox\":[177,0,-177,1]}"};
static const char *const members[] = {
    "\"properties\":null", "\"properties\":{\"a\":1,\"b\":\"x\\n\\\"y\\\"\"}",
    "\"properties\":{\"wkt\":[1,null],\"ID\":true},\"id\":7",
    "\"id\":\"A7\",\"properties\":{\"a\":-1.5e-7}", "\"bbox\":[0,0,1,1]"};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0], SHAPES = 6 };

static void
print_feature(FILE *file, dice *d, size_t some)
{
    fprintf(file, "{\"type\":\"Feature\",\"geometry\":%s,%s}", geometries[dice_below(d, some)],
            members[dice_below(d, sizeof members / sizeof members[0])]);
}

/* Makes seeds: each shape of a file, with sound geometries, and later with any. */
static void
make_seed(unsigned seed, FILE *file)
{
    static const char *const before[SHAPES] = {
        "{\"type\":\"FeatureCollection\",\"features\":[",
        ("{\"name\":\"n\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:4326\"}},"
         "\"features\":["),
        "\xef\xbb\xbf",
        "\x1e",
        "[",
        ""};
    static const char *const between[SHAPES] = {",", ",\n", "\n", "\n\x1e", ",\n", "\n"};
    static const char *const after[SHAPES] = {
        "]}", "],\"type\":\"FeatureCollection\"}\n", "", "\n", "]", "\n"};
    dice d = {seed};
    const unsigned shape = seed % SHAPES;
    const size_t some = seed < 2 * SHAPES ? 6 : GEOMETRIES;
    fputc((int)dice_below(&d, 256), file);
    fputs(before[shape], file);
    for (size_t i = 0, count = 1 + dice_below(&d, 3); i < count; i++) {
        fputs(i > 0 ? between[shape] : "", file);
        if (shape == 3)
            fputs(geometries[dice_below(&d, some)], file);
        else if (shape >= 4)
            fprintf(file, "{\"x\":%zu,\"y\":%s,\"n\":\"%zu\"}", dice_below(&d, 9),
                    some < GEOMETRIES || i == 0 ? "2.5" : "\"\"", i);
        else
            print_feature(file, &d, some);
    }
    fputs(after[shape], file);
}

const fuzz_target fuzz_this = {"geojson", 4 * SHAPES, make_seed};
