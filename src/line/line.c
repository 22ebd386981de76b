/* SPDX-License-Identifier: MIT */
/* line.c: opens and closes a line, and reports its entries and counts. */
#include "config.h"

#include <pqt/line.h>

#include "base/cancellation.h"
#include "base/error_internal.h"

#if PQT_WITH_POSTGRESQL

#include <string.h>

#include <sodium.h>

#include "base/format_double.h"
#include "base/option_structs.h"
#include "base/utf8.h"
#include "line/line_internal.h"
#include "memory/memory_internal.h"

enum { SCHEMA_VERSION = 1 };

PQTI_DEFINE_OPTIONS(pqti_line_options, pqt_line_options, keyframe_ratio, PQT_LINE_DEFAULTS);

/* ---- Opening ---- */

static bool
validate_options(const pqt_line_options *options, pqt_error *error)
{
    if ((unsigned)options->access > PQT_LINE_READ)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "access is %d, not a pqt_line_access",
                       (int)options->access);
    else if (options->author != NULL && options->author[0] != '\0' &&
             !pqti_is_valid_name(options->author, PQT_LINE_TEXT))
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "author is longer than %d bytes, not UTF-8, or has control characters",
                       PQT_LINE_TEXT);
    else if (!(options->patience >= 0 && options->patience <= 1e6))
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "patience is %s, but must be 0 to 1000000",
                       pqti_format_double(options->patience).text);
    else if (!(options->keyframe_ratio >= 0.125))
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "keyframe_ratio is %s, but must be 0.125 or more",
                       pqti_format_double(options->keyframe_ratio).text);
    else
        return true;
    return false;
}

static char *
copy_text(const char *text, size_t length, pqt_error *error)
{
    char *copy = pqti_alloc_scratch(length + 1, 1);
    if (copy == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Splits an address at its last '#'. `url` is set to a copy in scratch memory. */
static bool
split_address(pqt_line *line, const char *address, char **url, pqt_error *error)
{
    const char *sign = strrchr(address, '#');
    if (sign == NULL || !pqti_is_valid_name(sign + 1, PQT_LINE_TEXT)) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "the address names no line: it must end in # and 1 to %d bytes of UTF-8",
                       PQT_LINE_TEXT);
        return false;
    }
    if (strncmp(address, "postgresql://", 13) != 0 && strncmp(address, "postgres://", 11) != 0) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "the address does not begin with postgresql://");
        return false;
    }
    line->name = copy_text(sign + 1, strlen(sign + 1), error);
    *url = copy_text(address, (size_t)(sign - address), error);
    return line->name != NULL && *url != NULL;
}

/* Returns true if the database has a schema of a version that this library knows. */
static bool
check_schema(pqt_line *line, pqt_error *error)
{
    PGresult *result =
        pqti_query(&line->connection, "SELECT pqt.schema_version()::int8", NULL, error);
    if (result == NULL)
        return false;
    const uint64_t version = PQntuples(result) == 1 ? pqti_get_int8(result, 0, 0) : 0;
    PQclear(result);
    if (version != SCHEMA_VERSION)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0,
                       "the schema pqt of the database has version %llu, but this library needs %d",
                       (unsigned long long)version, SCHEMA_VERSION);
    return version == SCHEMA_VERSION;
}

static bool
open_line(pqt_line *line, const char *address, pqt_error *error)
{
    char *url = NULL;
    const char *author = line->options.author == NULL ? "" : line->options.author;
    line->author = copy_text(author, strlen(author), error);
    if (line->author == NULL || !split_address(line, address, &url, error)) {
        pqti_free_scratch(url);
        return false;
    }
    if (!pqti_connection_open(&line->connection, url, line->options.patience, error) ||
        !check_schema(line, error) || !pqti_line_catch_up(line, error))
        return false;
    if (line->id == 0 && line->options.access != PQT_LINE_CREATE) {
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "the database has no line \"%s\"", line->name);
        return false;
    }
    return true;
}

pqt_line *
pqt_line_open(const char *address, pqt_memory *memory, const pqt_line_options *options,
              pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    pqt_line_options converted;
    PQT_ASSERT(address != NULL, "the address is NULL");
    options = pqti_options_read(&pqti_line_options_layout, options, &converted, error);
    if (options == NULL || !validate_options(options, error))
        return NULL;
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL)
        return NULL;
    pqt_line *line = pqti_alloc_scratch(1, sizeof *line);
    if (line == NULL || sodium_init() < 0) {
        pqti_free_scratch(line);
        pqti_out_of_memory(error);
        return NULL;
    }
    *line = (pqt_line){.options = *options, .memory = memory};
    if (!open_line(line, address, error))
        pqt_line_close(&line);
    return line;
}

void
pqt_line_close(pqt_line **line)
{
    PQTI_NOT_CANCELLABLE;
    if (line == NULL || *line == NULL)
        return;
    pqt_head_destroy(&(*line)->head);
    pqt_unpin(&(*line)->pin);
    pqt_unpin(&(*line)->loaded_pin);
    pqti_connection_close(&(*line)->connection);
    pqti_free_scratch((*line)->name);
    pqti_free_scratch((*line)->author);
    pqti_free_scratch(*line);
    *line = NULL;
}

/* ---- The newest version ---- */

pqt_kind
pqt_line_kind(const pqt_line *line)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return line->newest.number == 0 ? PQT_KIND_NONE : line->kind;
}

uint64_t
pqt_line_number(const pqt_line *line)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return line->newest.number;
}

const void *
pqt_line_version(const pqt_line *line)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return line->newest.version;
}

void
pqt_line_get_stats(const pqt_line *line, pqt_line_stats *stats)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    PQT_ASSERT(stats != NULL, "stats is NULL");
    *stats = line->counts;
    stats->reconnects = line->connection.reconnects;
}

/* ---- Entries ---- */

/* The seconds from 1970 to 2000, because PostgreSQL counts microseconds since 2000. */
#define EPOCH 946684800.0

/* The columns of the query for an entry, which does not read the contents of the version. */
enum { NUMBER, LABEL, AUTHOR, ROLE, MICROSECONDS, FINGERPRINT, HASH, CHANGE_BYTES, KEYFRAME_BYTES };

static bool
visit_row(const PGresult *result, int row, pqt_line_visit_fn *visit, void *context,
          pqt_error *error)
{
    pqt_line_entry entry = {
        .number = pqti_get_int8(result, row, NUMBER),
        .label = PQgetvalue(result, row, LABEL),
        .author = PQgetvalue(result, row, AUTHOR),
        .role = PQgetvalue(result, row, ROLE),
        .time = (double)(int64_t)pqti_get_int8(result, row, MICROSECONDS) / 1e6 + EPOCH,
        .change_bytes = (size_t)pqti_get_int8(result, row, CHANGE_BYTES),
        .keyframe_bytes = (size_t)pqti_get_int8(result, row, KEYFRAME_BYTES),
    };
    const uint8_t *fingerprint = (const uint8_t *)PQgetvalue(result, row, FINGERPRINT);
    if (PQgetlength(result, row, FINGERPRINT) != PQTI_FINGERPRINT_SIZE ||
        PQgetlength(result, row, HASH) != PQT_LINE_HASH)
        return pqti_line_fault(PQT_ERROR_FORMAT, entry.number, "a column is damaged", error);
    for (int column = LABEL; column <= ROLE; column++)
        if (!pqti_row_is_text(result, row, column))
            return pqti_line_fault(PQT_ERROR_FORMAT, entry.number,
                                   "its label, author or role is not valid text", error);
    entry.fingerprint = pqti_row_fingerprint(fingerprint);
    memcpy(entry.hash, PQgetvalue(result, row, HASH), PQT_LINE_HASH);
    return visit(&entry, context);
}

bool
pqt_line_visit(pqt_line *line, uint64_t first, uint64_t last, pqt_line_visit_fn *visit,
               void *context, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    static const char sql[] =
        "SELECT number, label, author, role, pushed_at, "
        "fingerprint, hash, octet_length(change)::int8, octet_length(whole)::int8 "
        "FROM pqt.version WHERE line = $1::int8 AND number BETWEEN $2::int8 AND $3::int8 "
        "ORDER BY number LIMIT 1000";
    PQT_ASSERT(line != NULL, "the line is NULL");
    PQT_ASSERT(visit != NULL, "visit is NULL");
    bool goes_on = true;
    if (line->id == 0 && !pqti_line_find(line, error))
        return false;
    last = last > INT64_MAX ? INT64_MAX : last;
    while (goes_on && line->id != 0 && first <= last) {
        pqti_parameters parameters = {0};
        pqti_add_int8(&parameters, line->id);
        pqti_add_int8(&parameters, first);
        pqti_add_int8(&parameters, last);
        PGresult *result = pqti_query(&line->connection, sql, &parameters, error);
        if (result == NULL)
            return false;
        const int count = PQntuples(result);
        for (int row = 0; row < count && goes_on; row++)
            goes_on = visit_row(result, row, visit, context, error);
        first = count > 0 ? pqti_get_int8(result, count - 1, NUMBER) + 1 : UINT64_MAX;
        PQclear(result);
    }
    return goes_on;
}

#else /* without PostgreSQL no line can be opened, so no other function can be called */

static bool
no_line(pqt_error *error)
{
    pqti_error_set(error, PQT_ERROR_UNSUPPORTED, 0, "lines: this build has no PostgreSQL support");
    return false;
}

pqt_line *
pqt_line_open(const char *address, pqt_memory *memory, const pqt_line_options *options,
              pqt_error *error)
{
    PQT_ASSERT(address != NULL, "the address is NULL");
    (void)memory;
    (void)options;
    no_line(error);
    return NULL;
}

void
pqt_line_close(pqt_line **line)
{
    (void)line;
}

pqt_kind
pqt_line_kind(const pqt_line *line)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return PQT_KIND_NONE;
}

uint64_t
pqt_line_number(const pqt_line *line)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return 0;
}

const void *
pqt_line_version(const pqt_line *line)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return NULL;
}

bool
pqt_line_fetch(pqt_line *line, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    return no_line(error);
}

bool
pqt_line_wait(pqt_line *line, double seconds, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    (void)seconds;
    return no_line(error);
}

bool
pqt_line_push(pqt_line *line, pqt_kind kind, const void *version, const char *label,
              pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    (void)kind;
    (void)version;
    (void)label;
    return no_line(error);
}

bool
pqt_line_push_all(pqt_line *line, pqt_kind kind, const pqt_line_new *versions, size_t count,
                  pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    (void)kind;
    (void)versions;
    (void)count;
    return no_line(error);
}

const void *
pqt_line_update(pqt_line *line, const void *base, const void *version, const char *label,
                pqt_line_merge_fn *merge, void *context, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    (void)base;
    (void)version;
    (void)label;
    (void)merge;
    (void)context;
    no_line(error);
    return NULL;
}

const void *
pqt_line_load(pqt_line *line, uint64_t number, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    (void)number;
    no_line(error);
    return NULL;
}

bool
pqt_line_visit(pqt_line *line, uint64_t first, uint64_t last, pqt_line_visit_fn *visit,
               void *context, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    PQT_ASSERT(visit != NULL, "visit is NULL");
    (void)first;
    (void)last;
    (void)context;
    return no_line(error);
}

const pqt_head *
pqt_line_head(pqt_line *line, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    no_line(error);
    return NULL;
}

void
pqt_line_get_stats(const pqt_line *line, pqt_line_stats *stats)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    PQT_ASSERT(stats != NULL, "stats is NULL");
    *stats = (pqt_line_stats){0};
}

#endif
