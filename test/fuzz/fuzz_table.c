/* SPDX-License-Identifier: MIT */
/*
 * fuzz_table.c: reads arbitrary bytes as a CSV file. The call must succeed, or fail with a one-line
 * message.
 *
 * The first byte chooses the options, the second one the portions in which the rest, which is the
 * file, is read. Reading record by record must give the same rows or the same error. Without
 * changes, a table must be written byte for byte, also after its columns were turned round twice.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pqt/table.h>

#include "random.h"
#include "replay.h"

enum { MOST_COLUMNS = 64 };

/* A text that is read in portions of at most `step` bytes, or written. */
typedef struct text {
    char *bytes;
    size_t length, at, step;
} text;

static bool
read_text(void *bytes, size_t capacity, size_t *count, void *context)
{
    text *from = context;
    const size_t rest = from->length - from->at;
    *count = rest < capacity ? rest : capacity;
    *count = *count < from->step ? *count : from->step;
    if (*count > 0)
        memcpy(bytes, from->bytes + from->at, *count);
    from->at += *count;
    return true;
}

/* Compares what is written with a text. */
static bool
compare_text(const void *bytes, size_t count, void *context)
{
    text *to = context;
    require(count <= to->length - to->at, "more is written than was read");
    require(memcmp(to->bytes + to->at, bytes, count) == 0, "other bytes are written");
    to->at += count;
    return true;
}

static pqt_table_options
options_of(unsigned choice)
{
    static const char *const names[] = {"x", "y", "a", "b", "wkt"};
    pqt_table_options options = PQT_TABLE_DEFAULTS;
    const unsigned columns = choice % 4;
    for (unsigned i = 0; columns > 0 && i < 1u << (columns - 1); i++)
        options.position[i] = names[(choice / 4 + i) % 5];
    if (choice & 128)
        options.id = "n";
    return options;
}

/* ---- Checks ---- */

static void
require_refusal(const pqt_error *error)
{
    require(error->status == PQT_ERROR_FORMAT || error->status == PQT_ERROR_BOX ||
                error->status == PQT_ERROR_OPTION,
            error->text);
    require(error->text[0] != '\0' && strchr(error->text, '\n') == NULL, "not one line");
}

/* Reads record by record. `table` is the whole table; NULL: reading it failed with `failure`. */
static void
read_records(text *from, const pqt_table_options *options, const pqt_table *table,
             const pqt_error *failure)
{
    pqt_error error = {0};
    pqt_table_record record = {0};
    size_t rows = 0;
    pqt_table_reader *reader = pqt_table_reader_open(read_text, from, options, &error);
    while (reader != NULL && pqt_table_reader_next(reader, &record, &error) &&
           record.row != PQT_TABLE_NONE) {
        require(record.row == rows, "another number of the row");
        if (table != NULL)
            require(memcmp(&record.item, &pqt_table_items(table)[rows], sizeof record.item) == 0,
                    "another item");
        rows++;
    }
    pqt_table_reader_close(reader);
    require(strcmp(error.text, failure->text) == 0, "another error");
    require(table == NULL || rows == pqt_table_count(table), "another number of rows");
}

static pqt_table_row *
own_rows(const pqt_table *table)
{
    const size_t count = pqt_table_count(table);
    pqt_table_row *rows = calloc(count + 1, sizeof *rows);
    require(rows != NULL, "out of memory");
    for (size_t i = 0; i < count; i++)
        rows[i] = (pqt_table_row){table, i, pqt_table_items(table)[i], NULL};
    return rows;
}

static void
write_unchanged(const pqt_table *table, text whole)
{
    pqt_error error = {0};
    pqt_table_row *rows = own_rows(table);
    whole.at = 0;
    require(pqt_table_write(table, rows, pqt_table_count(table), compare_text, &whole, &error),
            error.text);
    require(whole.at == whole.length, "less is written than was read");
    free(rows);
}

/* Returns a table with the columns in the opposite order. */
static pqt_table *
turned_round(const pqt_table *table)
{
    pqt_table_column columns[MOST_COLUMNS] = {{0, {NULL, 0, false}}};
    const size_t count = pqt_table_get_columns(table).count;
    pqt_error error = {0};
    for (size_t i = 0; i < count; i++)
        columns[i].source = count - 1 - i;
    pqt_table *turned = pqt_table_select(table, columns, count, &error);
    require(turned != NULL, error.text);
    return turned;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pqt_error error = {0};
    input in = {data, size, 0};
    const pqt_table_options options = options_of(take(&in));
    const size_t step = 1 + take(&in);
    text whole = {(char *)malloc(size + 1), size - in.at, 0, SIZE_MAX};
    require(whole.bytes != NULL, "out of memory");
    memcpy(whole.bytes, data + in.at, whole.length);
    pqt_table *table = pqt_table_read(read_text, &whole, &options, &error);
    text again = {whole.bytes, whole.length, 0, step};
    read_records(&again, &options, table, &error);
    if (table == NULL)
        require_refusal(&error);
    else
        write_unchanged(table, whole);
    if (table != NULL && pqt_table_get_columns(table).count <= MOST_COLUMNS) {
        pqt_table *turned = turned_round(table), *twice = turned_round(turned);
        write_unchanged(twice, whole);
        pqt_table_free(turned);
        pqt_table_free(twice);
    }
    pqt_table_free(table);
    free(whole.bytes);
    return 0;
}

/* ---- Seeds ---- */

static const char *const headers[] = {
    "x,y,n",   "id;lon;lat;name", "wkt\tn",          "min_x,min_y,max_x,max_y",
    "x,y,w,h", "a,b,x,y,n",       "sep=;\r\nid;x;y", "\xef\xbb\xbfstop_lat,stop_lon,stop_id"};
static const char *const fields[] = {
    "1",     "2.5", "-0",     "\"a,b\"",     "\"\"\"\"",
    "",      "1,5", " 3 ",    "POINT (1 2)", "\"POLYGON ((0 0,1 0,1 1,0 0))\"",
    "1e400", "nan", "\"open", "a\"b",        "18446744073709551616",
    "A7"};
static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", "\r\n \r\n", ""};
enum {
    HEADERS = sizeof headers / sizeof headers[0],
    FIELDS = sizeof fields / sizeof fields[0],
    ENDS = sizeof ends / sizeof ends[0]
};

/* Makes seeds: headers with rows of sound fields, and later seeds with fields of any kind. */
static void
make_seed(unsigned seed, FILE *file)
{
    dice d = {seed};
    const char *header = headers[seed % HEADERS];
    const size_t end = dice_below(&d, 3);
    const char separator = strchr(header, ';') != NULL ? ';' : strchr(header, '\t') ? '\t' : ',';
    size_t columns = 1;
    for (const char *at = strrchr(header, '\n') != NULL ? strrchr(header, '\n') : header;
         *at != '\0'; at++)
        columns += *at == separator;
    fputc(seed % HEADERS == 5 ? 2 + 4 * 2 : 0, file);
    fputc((int)dice_below(&d, 8), file);
    fprintf(file, "%s%s", header, ends[end]);
    for (size_t rows = dice_below(&d, 5); rows > 0; rows--)
        for (size_t c = 0; c < columns; c++) {
            const bool is_wild = seed >= 3 * HEADERS && dice_below(&d, 4) == 0;
            const char *field = fields[is_wild                       ? dice_below(&d, FIELDS)
                                       : separator == '\t' && c == 0 ? 8
                                                                     : dice_below(&d, 2)];
            fputs(field, file);
            if (c + 1 < columns)
                fputc(separator, file);
            else
                fputs(ends[seed < 2 * HEADERS ? end : dice_below(&d, ENDS)], file);
        }
}

const fuzz_target fuzz_this = {"table", 6 * HEADERS, make_seed};
