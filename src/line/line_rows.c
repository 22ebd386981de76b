/* SPDX-License-Identifier: MIT */
/* line_rows.c: reads the rows of versions. Checks the hash of each row before it uses anything else
   in it. */
#include "config.h"

#include "line/line_internal.h"

#include <pqt/bytes.h>

#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"
#include "memory/memory_internal.h"

static pqti_row_bytes
bytes_of(const PGresult *result, int row, int column)
{
    if (PQgetisnull(result, row, column))
        return (pqti_row_bytes){NULL, 0};
    return (pqti_row_bytes){(const uint8_t *)PQgetvalue(result, row, column),
                            (size_t)PQgetlength(result, row, column)};
}

/* Returns the bytes of a column if they have the given length, otherwise NULL. */
static const uint8_t *
bytes_of_length(const PGresult *result, int row, int column, size_t length)
{
    const pqti_row_bytes found = bytes_of(result, row, column);
    return found.length == length ? found.bytes : NULL;
}

bool
pqti_row_is_text(const PGresult *result, int row, int column)
{
    const char *text = PQgetvalue(result, row, column);
    const size_t length = (size_t)PQgetlength(result, row, column);
    return !PQgetisnull(result, row, column) && strlen(text) == length &&
           (length == 0 || pqti_is_valid_name(text, PQT_LINE_TEXT));
}

static const char *
fault_of(const pqt_line *line, const pqti_line_row *row, bool has_whole)
{
    uint8_t hash[PQT_LINE_HASH];
    if (row->parent_hash == NULL || row->hash == NULL || row->fingerprint == NULL ||
        row->label.bytes == NULL || row->author.bytes == NULL || row->encoding > PQTI_FORWARD)
        return "a column is damaged";
    if ((row->encoding == PQTI_NO_CHANGE) != (row->change.bytes == NULL))
        return "its change is missing";
    if (has_whole != (row->whole_hash != NULL))
        return "its keyframe is damaged";
    pqti_hash_row(line->kind, row, hash);
    return memcmp(hash, row->hash, sizeof hash) == 0 ? NULL : "its hash is wrong";
}

bool
pqti_row_take(const pqt_line *line, const PGresult *result, int at, pqti_line_row *row,
              uint64_t *keyframe_bytes, pqt_error *error)
{
    *row = (pqti_line_row){
        .number = pqti_get_int8(result, at, 0),
        .parent_hash = bytes_of_length(result, at, 1, PQT_LINE_HASH),
        .hash = bytes_of_length(result, at, 2, PQT_LINE_HASH),
        .fingerprint = bytes_of_length(result, at, 3, PQTI_FINGERPRINT_SIZE),
        .label = bytes_of(result, at, 4),
        .author = bytes_of(result, at, 5),
        .encoding = pqti_get_int2(result, at, 6),
        .change = bytes_of(result, at, 7),
        .whole_hash = bytes_of_length(result, at, 8, PQT_LINE_HASH),
    };
    *keyframe_bytes = pqti_get_int8(result, at, 9);
    const char *fault = fault_of(line, row, !PQgetisnull(result, at, 9));
    if (fault == NULL && !(pqti_row_is_text(result, at, 4) && pqti_row_is_text(result, at, 5)))
        fault = "its label or author is not valid text";
    return fault == NULL || pqti_line_fault(PQT_ERROR_FORMAT, row->number, fault, error);
}

bool
pqti_row_is_of(const pqti_line_row *row, const void *version)
{
    return pqt_fingerprint_equals(pqti_row_fingerprint(row->fingerprint),
                                  pqt_version_fingerprint(version));
}

/* Makes the version of a row from the bytes of its keyframe. Checks that they belong to the row. */
static const void *
read_whole(pqt_line *line, const pqti_line_row *row, const PGresult *result, pqt_error *error)
{
    uint8_t hash[PQT_LINE_HASH];
    const pqti_row_bytes bytes =
        PQntuples(result) == 1 ? bytes_of(result, 0, 0) : (pqti_row_bytes){NULL, 0};
    pqti_hash_bytes(bytes.bytes, bytes.length, hash);
    if (bytes.bytes == NULL || memcmp(hash, row->whole_hash, sizeof hash) != 0) {
        pqti_line_fault(PQT_ERROR_FORMAT, row->number, "its keyframe has a different hash", error);
        return NULL;
    }
    pqt_error failure = {0};
    pqti_byte_source source = {.bytes = bytes.bytes, .length = bytes.length};
    const void *version =
        pqt_version_read(line->kind, pqti_source_read, &source, line->memory, &failure);
    if (version == NULL && failure.status != PQT_ERROR_FORMAT)
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    else if (version == NULL || !pqti_row_is_of(row, version))
        pqti_line_fault(PQT_ERROR_FORMAT, row->number, "its keyframe is damaged", error);
    else
        return version;
    return NULL;
}

const void *
pqti_row_load_whole(pqt_line *line, const pqti_line_row *row, pqt_error *error)
{
    pqti_parameters parameters = {0};
    pqti_add_int8(&parameters, line->id);
    pqti_add_int8(&parameters, row->number);
    PGresult *result =
        pqti_query(&line->connection,
                   "SELECT whole FROM pqt.version WHERE line = $1::int8 AND number = $2::int8",
                   &parameters, error);
    if (result == NULL)
        return NULL;
    const void *version = read_whole(line, row, result, error);
    if (version != NULL) {
        line->counts.keyframes++;
        line->counts.keyframe_bytes += (uint64_t)PQgetlength(result, 0, 0);
    }
    PQclear(result);
    return version;
}
