/* SPDX-License-Identifier: MIT */
/*
 * golden_lines.c: writes and reads the rows of lines without a server.
 *
 * A file has a row of the table pqt.version in each line of text, as COPY writes it: columns are
 * separated by tabs, byte strings are hexadecimal after a backslash, a backslash and x, and \N is
 * NULL. test_line.c compares these files with what a server has after the same pushes.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/bytes.h>

#include "change/change.h"
#include "change/version_bytes.h"
#include "golden.h"
#include "io/little_endian.h"
#include "line/row_hash.h"

enum { COLUMNS = 10 };

#if PQT_WITH_POSTGRESQL

/* ---- Writing ---- */

static void
put_bytes(FILE *out, const uint8_t *bytes, size_t length)
{
    fputs("\t\\\\x", out);
    for (size_t i = 0; i < length; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void
put_bytes_or_null(FILE *out, const uint8_t *bytes, size_t length)
{
    if (bytes == NULL)
        fputs("\t\\N", out);
    else
        put_bytes(out, bytes, length);
}

static void
put_row(FILE *out, const pqti_line_row *row, const pqti_byte_buffer *whole)
{
    fprintf(out, "%" PRIu64, row->number);
    put_bytes(out, row->parent_hash, PQT_LINE_HASH);
    put_bytes(out, row->hash, PQT_LINE_HASH);
    put_bytes(out, row->fingerprint, PQTI_FINGERPRINT_SIZE);
    fprintf(out, "\t%.*s\t%.*s\t%u", (int)row->label.length, (const char *)row->label.bytes,
            (int)row->author.length, (const char *)row->author.bytes, row->encoding);
    put_bytes_or_null(out, row->change.bytes, row->change.length);
    put_bytes_or_null(out, row->whole_hash, PQT_LINE_HASH);
    put_bytes_or_null(out, row->whole_hash == NULL ? NULL : whole->bytes, whole->length);
    fputc('\n', out);
}

/* Makes the row of a version as line_push.c does. Sets `hash`, which was that of the previous row,
   to its own. */
static bool
write_row(FILE *out, pqt_kind kind, const void *const *versions, unsigned number,
          uint8_t hash[PQT_LINE_HASH], pqt_error *error)
{
    pqti_byte_buffer change = {0}, whole = {0};
    pqti_encoding encoding = PQTI_NO_CHANGE;
    uint8_t fingerprint[PQTI_FINGERPRINT_SIZE], whole_hash[PQT_LINE_HASH], own[PQT_LINE_HASH];
    const pqt_fingerprint sum = pqt_version_fingerprint(versions[number]);
    const char *label = golden_label(number);
    bool done = number == 0 || pqti_change_write(&change, kind, versions[number - 1],
                                                 versions[number], &encoding, error);
    done = done && pqti_version_put(&whole, versions[number], error);
    pqti_store_le64(fingerprint, sum.low);
    pqti_store_le64(fingerprint + 8, sum.high);
    pqti_hash_bytes(whole.bytes, whole.length, whole_hash);
    pqti_line_row row = {.number = number + 1,
                         .encoding = (unsigned)encoding,
                         .parent_hash = hash,
                         .hash = own,
                         .fingerprint = fingerprint,
                         .label = {(const uint8_t *)label, strlen(label)},
                         .author = {(const uint8_t *)GOLDEN_AUTHOR, strlen(GOLDEN_AUTHOR)}};
    if (encoding == PQTI_NO_CHANGE)
        row.whole_hash = whole_hash;
    else
        row.change = (pqti_row_bytes){change.bytes, change.length};
    if (done) {
        pqti_hash_row(kind, &row, own);
        put_row(out, &row, &whole);
        memcpy(hash, own, PQT_LINE_HASH);
    }
    pqti_buffer_free(&change);
    pqti_buffer_free(&whole);
    return done;
}

bool
golden_line_write(FILE *out, const golden_sequence *sequence, pqt_memory *memory, pqt_error *error)
{
    const void *versions[GOLDEN_LENGTH];
    uint8_t hash[PQT_LINE_HASH] = {0};
    bool done = golden_sequence_make(sequence, memory, versions, error);
    for (unsigned i = 0; done && i < GOLDEN_LENGTH; i++)
        done = write_row(out, sequence->kind, versions, i, hash, error);
    return done;
}

/* Returns true if the hash in a row is that of the row. */
static bool
has_its_hash(pqt_kind kind, const pqti_line_row *row, pqti_row_bytes whole)
{
    uint8_t hash[PQT_LINE_HASH];
    pqti_hash_row(kind, row, hash);
    if (memcmp(hash, row->hash, sizeof hash) != 0)
        return false;
    if (row->whole_hash == NULL)
        return whole.bytes == NULL;
    pqti_hash_bytes(whole.bytes, whole.length, hash);
    return memcmp(hash, row->whole_hash, sizeof hash) == 0;
}

#else

/* A library without PostgreSQL has no hashes. */
static bool
has_its_hash(pqt_kind kind, const pqti_line_row *row, pqti_row_bytes whole)
{
    return kind != PQT_KIND_NONE && (row->whole_hash == NULL) == (whole.bytes == NULL);
}

#endif

/* ---- Reading ---- */

char *
golden_rows_read(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static unsigned
digit(char c)
{
    return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

/* Converts the text of a column to bytes, in place. */
static pqti_row_bytes
bytes_of_column(char *text)
{
    pqti_row_bytes found = {NULL, 0};
    uint8_t *bytes = (uint8_t *)text;
    if (strncmp(text, "\\\\x", 3) != 0)
        return found;
    for (const char *at = text + 3; at[0] != '\0' && at[1] != '\0'; at += 2)
        bytes[found.length++] = (uint8_t)(16 * digit(at[0]) + digit(at[1]));
    found.bytes = bytes;
    return found;
}

/* Divides a line of text into its columns. Returns the rest after the line, or NULL. */
static char *
split_columns(char *line, char *columns[COLUMNS])
{
    char *end = strchr(line, '\n');
    if (end == NULL)
        return NULL;
    *end = '\0';
    for (int i = 0; i < COLUMNS; i++) {
        char *tab = strchr(line, '\t');
        columns[i] = line;
        if ((tab == NULL) != (i == COLUMNS - 1))
            return NULL;
        if (tab != NULL)
            *tab = '\0';
        line = tab == NULL ? line : tab + 1;
    }
    return end + 1;
}

/* Returns the version that a change makes from another one. */
static const void *
apply_change(pqt_kind kind, pqti_row_bytes change, bool backwards, const void *from,
             pqt_memory *memory)
{
    pqt_error error = {0};
    pqti_changes changes;
    pqti_byte_source source = {.bytes = change.bytes, .length = change.length};
    pqti_changes_begin(&changes, kind, from, memory);
    const void *made = pqti_change_read(&changes, &source, backwards, &error)
                           ? pqti_changes_apply(&changes, from, &error)
                           : NULL;
    pqti_changes_free(&changes);
    return made;
}

static bool
has_fingerprint(const void *version, const uint8_t *fingerprint)
{
    const pqt_fingerprint sum = pqt_version_fingerprint(version);
    return sum.low == pqti_load_le64(fingerprint) && sum.high == pqti_load_le64(fingerprint + 8);
}

/* Makes the version of a row. Returns NULL or what is wrong. */
static const char *
make_version(pqt_kind kind, const pqti_line_row *row, pqti_row_bytes whole, const void **version,
             pqt_memory *memory)
{
    pqt_error error = {0};
    const void *before = *version;
    pqti_byte_source source = {.bytes = whole.bytes, .length = whole.length};
    *version = whole.bytes != NULL
                   ? pqt_version_read(kind, pqti_source_read, &source, memory, &error)
                   : apply_change(kind, row->change, false, before, memory);
    if (*version == NULL || !has_fingerprint(*version, row->fingerprint))
        return "a version is not the one that was pushed";
    if (row->encoding != PQTI_REVERSIBLE)
        return NULL;
    const void *back = apply_change(kind, row->change, true, *version, memory);
    return back != NULL && pqt_version_equals(back, before) ? NULL : "a change does not lead back";
}

/* Reads the columns of a row, whose number is `number`. Returns NULL or what is wrong. */
static const char *
read_row(char *columns[COLUMNS], unsigned number, pqti_line_row *row, pqti_row_bytes *whole)
{
    const char *label = columns[4], *author = columns[5];
    const pqti_row_bytes parent_hash = bytes_of_column(columns[1]);
    const pqti_row_bytes hash = bytes_of_column(columns[2]);
    const pqti_row_bytes fingerprint = bytes_of_column(columns[3]);
    const pqti_row_bytes whole_hash = bytes_of_column(columns[8]);
    *whole = bytes_of_column(columns[9]);
    *row = (pqti_line_row){.number = strtoull(columns[0], NULL, 10),
                           .encoding = (unsigned)strtoul(columns[6], NULL, 10),
                           .parent_hash = parent_hash.bytes,
                           .hash = hash.bytes,
                           .fingerprint = fingerprint.bytes,
                           .label = {(const uint8_t *)label, strlen(label)},
                           .author = {(const uint8_t *)author, strlen(author)},
                           .change = bytes_of_column(columns[7]),
                           .whole_hash = whole_hash.bytes};
    if (row->number != number + 1 || strcmp(label, golden_label(number)) != 0 ||
        strcmp(author, GOLDEN_AUTHOR) != 0)
        return "a number, a label or an author is wrong";
    if (parent_hash.length != PQT_LINE_HASH || hash.length != PQT_LINE_HASH ||
        fingerprint.length != PQTI_FINGERPRINT_SIZE)
        return "a hash or a fingerprint has another length";
    return (row->encoding == PQTI_NO_CHANGE) == (row->change.bytes == NULL) ? NULL
                                                                            : "a change is missing";
}

const char *
golden_line_list(FILE *out, const char *rows, pqt_kind kind, pqt_memory *memory)
{
    uint8_t hash[PQT_LINE_HASH] = {0};
    char *copy = malloc(strlen(rows) + 1), *next = copy, *columns[COLUMNS];
    const void *version = NULL;
    const char *fault = copy == NULL ? "no memory" : NULL;
    if (copy != NULL)
        memcpy(copy, rows, strlen(rows) + 1);
    for (unsigned number = 0; fault == NULL && *next != '\0'; number++) {
        pqti_line_row row;
        pqti_row_bytes whole;
        next = split_columns(next, columns);
        fault = next == NULL ? "a row does not have ten columns"
                             : read_row(columns, number, &row, &whole);
        if (fault == NULL && memcmp(row.parent_hash, hash, sizeof hash) != 0)
            fault = "a row does not follow the one before it";
        if (fault == NULL && !has_its_hash(kind, &row, whole))
            fault = "a hash is wrong";
        if (fault == NULL)
            fault = make_version(kind, &row, whole, &version, memory);
        if (fault == NULL) {
            memcpy(hash, row.hash, sizeof hash);
            fprintf(out, "version %u encoding %u\n", number + 1, row.encoding);
            golden_list_version(out, kind, version);
        }
    }
    free(copy);
    return fault;
}
