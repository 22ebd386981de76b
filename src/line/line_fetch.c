/* SPDX-License-Identifier: MIT */
/*
 * line_fetch.c: makes versions from rows.
 *
 * Rows are fetched in batches, and all changes of a batch are applied at once, as in a store. The
 * intermediate versions are never made: the hashes of the rows form a chain, and the fingerprint of
 * the last version of a batch confirms all changes in it. If versions are stored whole, as worlds
 * are, only the last one of a batch is loaded.
 */
#include "config.h"

#include "line/line_internal.h"

#include <pqt/bytes.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "base/format_double.h"
#include "memory/memory_internal.h"

/* The maximum number of rows in a batch, and the number of bytes of changes after which a batch
   takes no more rows. The SQL statement repeats both numbers. */
enum { BATCH = 512, BATCH_BYTES = 16777216 };

enum {
    NEAR = 64 /* within this many versions, fetch changes rather than a keyframe */
};

/* ---- Following rows ---- */

/* The state while a batch of rows is followed to make a version. */
typedef struct following {
    pqt_line *line;
    pqti_line_version *at;
    pqti_changes changes; /* the changes since `start` that are not yet applied */
    const void *start;
    pqti_line_row row; /* the last row that was followed */
} following;

static bool
row_continues(const following *f, pqt_error *error)
{
    const pqti_line_row *row = &f->row;
    if (row->number != f->at->number + 1)
        return pqti_line_fault(PQT_ERROR_FORMAT, f->at->number + 1, "it is missing", error);
    return memcmp(row->parent_hash, f->at->hash, PQT_LINE_HASH) == 0 ||
           pqti_line_fault(PQT_ERROR_MISMATCH, row->number,
                           "it does not follow the one that was fetched before it", error);
}

static bool
start_whole(following *f, pqt_error *error)
{
    f->start = pqti_row_load_whole(f->line, &f->row, error);
    pqti_changes_begin(&f->changes, f->line->kind, f->start, f->line->memory);
    return f->start != NULL;
}

static bool
collect_change(following *f, pqt_error *error)
{
    pqt_error failure = {0};
    pqti_byte_source source = {.bytes = f->row.change.bytes, .length = f->row.change.length};
    f->at->cost += f->row.change.length + PQTI_CHANGE_COST;
    if (pqti_change_read(&f->changes, &source, false, &failure))
        return true;
    if (failure.status == PQT_ERROR_FORMAT)
        return pqti_line_fault(PQT_ERROR_FORMAT, f->row.number, failure.text, error);
    pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}

/* Returns the index of the last row in a batch that has no change, because its keyframe replaces
   everything before it. Returns 0 if there is none. */
static int
find_start(const PGresult *result)
{
    int at = PQntuples(result) - 1;
    while (at > 0 && pqti_get_int2(result, at, PQTI_ENCODING_COLUMN) != PQTI_NO_CHANGE)
        at--;
    return at;
}

/* Follows a row. The versions of rows before `first` are not needed. */
static bool
follow_row(following *f, const PGresult *result, int at, int first, pqt_error *error)
{
    uint64_t keyframe_bytes = 0;
    bool done = true;
    if (!pqti_row_take(f->line, result, at, &f->row, &keyframe_bytes, error) ||
        !row_continues(f, error))
        return false;
    f->line->counts.fetched += f->row.encoding != PQTI_NO_CHANGE;
    f->line->counts.change_bytes += f->row.change.length;
    if (at >= first)
        done = f->row.encoding == PQTI_NO_CHANGE ? start_whole(f, error) : collect_change(f, error);
    f->at->number = f->row.number;
    memcpy(f->at->hash, f->row.hash, PQT_LINE_HASH);
    if (f->row.whole_hash != NULL) {
        f->at->cost = 0;
        f->at->keyframe_bytes = keyframe_bytes;
    }
    return done;
}

/* Applies the collected changes. */
static bool
make_version(following *f, pqt_error *error)
{
    pqt_error failure = {0};
    f->at->version = pqti_changes_apply(&f->changes, f->start, &failure);
    if (f->at->version == NULL && failure.status != PQT_ERROR_MEMORY)
        return pqti_line_fault(PQT_ERROR_FORMAT, f->row.number, failure.text, error);
    if (f->at->version == NULL) {
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
        return false;
    }
    return pqti_row_is_of(&f->row, f->at->version) ||
           pqti_line_fault(PQT_ERROR_FORMAT, f->row.number, "its changes make a different version",
                           error);
}

static bool
follow_batch(pqt_line *line, const PGresult *result, pqti_line_version *at, pqt_error *error)
{
    following f = {.line = line, .at = at, .start = at->version};
    bool done = true;
    pqti_changes_begin(&f.changes, line->kind, f.start, line->memory);
    const int first = find_start(result);
    for (int i = 0; i < PQntuples(result) && done; i++)
        done = follow_row(&f, result, i, first, error);
    done = done && make_version(&f, error);
    pqti_changes_free(&f.changes);
    return done;
}

/* Returns true if there may be more rows after a batch. */
static bool
is_full(const PGresult *result)
{
    uint64_t bytes = 0;
    for (int i = 0; i < PQntuples(result); i++)
        bytes += (uint64_t)PQgetlength(result, i, PQTI_CHANGE_COLUMN);
    return PQntuples(result) == BATCH || bytes >= BATCH_BYTES;
}

/* Follows the rows after a version, up to the number `last` or to the newest one. A batch takes
   rows until their changes exceed the limit on bytes, so it has at least one row. */
static bool
follow_rows(pqt_line *line, pqti_line_version *at, uint64_t last, pqt_error *error)
{
    static const char sql[] =
        "SELECT " PQTI_ROW_COLUMNS " FROM (SELECT *, sum(octet_length(change)) OVER (ORDER BY "
        "number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM pqt.version "
        "WHERE line = $1::int8 AND number > $2::int8 AND number <= $3::int8 "
        "ORDER BY number LIMIT 512) AS batch "
        "WHERE before IS NULL OR before < 16777216 ORDER BY number";
    bool done = true, more = true;
    while (done && more) {
        pqti_parameters parameters = {0};
        pqti_add_int8(&parameters, line->id);
        pqti_add_int8(&parameters, at->number);
        pqti_add_int8(&parameters, last);
        PGresult *result = pqti_query(&line->connection, sql, &parameters, error);
        if (result == NULL)
            return false;
        more = is_full(result);
        done = PQntuples(result) == 0 || follow_batch(line, result, at, error);
        PQclear(result);
    }
    return done;
}

/* ---- Starting ---- */

/* Loads the newest keyframe whose number is at most `last`. Leaves the number at 0 if there is
   none. */
static bool
start_at_keyframe(pqt_line *line, uint64_t last, pqti_line_version *at, pqt_error *error)
{
    static const char sql[] =
        "SELECT " PQTI_ROW_COLUMNS " FROM pqt.version WHERE line = $1::int8 "
        "AND number <= $2::int8 AND whole_hash IS NOT NULL ORDER BY number DESC LIMIT 1";
    pqti_parameters parameters = {0};
    pqti_line_row row;
    *at = (pqti_line_version){.number = 0};
    pqti_add_int8(&parameters, line->id);
    pqti_add_int8(&parameters, last);
    PGresult *result = pqti_query(&line->connection, sql, &parameters, error);
    if (result == NULL)
        return false;
    bool done = true;
    if (PQntuples(result) == 1) {
        done = pqti_row_take(line, result, 0, &row, &at->keyframe_bytes, error) &&
               (at->version = pqti_row_load_whole(line, &row, error)) != NULL;
        if (done) {
            at->number = row.number;
            memcpy(at->hash, row.hash, PQT_LINE_HASH);
        }
    }
    PQclear(result);
    return done;
}

/* Compares the newest version with the database after a reconnection: a database that was restored
   or replaced may lack versions that were fetched. */
static bool
check_newest(pqt_line *line, pqt_error *error)
{
    const uint64_t reconnects = line->connection.reconnects;
    bool is_there = false;
    if (line->newest.number == 0 || line->known_reconnects == reconnects)
        return true;
    if (!pqti_line_has_row(line, &line->newest, &is_there, error))
        return false;
    if (is_there)
        line->known_reconnects = reconnects;
    return is_there || pqti_line_fault(PQT_ERROR_MISMATCH, line->newest.number,
                                       "the database has lost it, or has a different one", error);
}

/* ---- Public functions ---- */

bool
pqti_line_catch_up(pqt_line *line, pqt_error *error)
{
    pqti_line_version at = line->newest;
    if (line->id == 0 && !pqti_line_find(line, error))
        return false;
    if (line->id == 0)
        return true;
    if (!pqti_scope_begin(line->memory, error))
        return false;
    const bool done = (at.number != 0 || start_at_keyframe(line, INT64_MAX, &at, error)) &&
                      (at.number == 0 || follow_rows(line, &at, INT64_MAX, error)) &&
                      check_newest(line, error) &&
                      (at.number == line->newest.number || pqti_line_advance(line, &at, error));
    pqti_scope_end(line->memory);
    return done;
}

bool
pqt_line_fetch(pqt_line *line, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(line != NULL, "the line is NULL");
    return pqti_line_catch_up(line, error);
}

/* Sets the version to start from: the version that was loaded last, or a keyframe. */
static bool
start_near(pqt_line *line, uint64_t number, pqti_line_version *at, pqt_error *error)
{
    const uint64_t loaded = line->loaded.number;
    if (loaded != 0 && loaded <= number && number - loaded <= NEAR) {
        *at = line->loaded;
        return true;
    }
    return start_at_keyframe(line, number, at, error);
}

static bool
keep_loaded(pqt_line *line, const pqti_line_version *at, pqt_error *error)
{
    pqt_pin *pin = pqt_version_pin(at->version, error);
    if (pin == NULL)
        return false;
    pqt_unpin(&line->loaded_pin);
    line->loaded_pin = pin;
    line->loaded = *at;
    return true;
}

static const void *
load_version(pqt_line *line, uint64_t number, pqt_error *error)
{
    pqti_line_version at = {.number = 0};
    if (number != 0 && number <= INT64_MAX && line->id != 0 &&
        (!start_near(line, number, &at, error) ||
         (at.number != 0 && !follow_rows(line, &at, number, error))))
        return NULL;
    if (number == 0 || at.number != number) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "the line has no version %llu",
                       (unsigned long long)number);
        return NULL;
    }
    return keep_loaded(line, &at, error) ? at.version : NULL;
}

const void *
pqt_line_load(pqt_line *line, uint64_t number, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(line != NULL, "the line is NULL");
    if (number == line->newest.number && number != 0)
        return keep_loaded(line, &line->newest, error) ? line->newest.version : NULL;
    if (!pqti_scope_begin(line->memory, error))
        return NULL;
    const void *version = load_version(line, number, error);
    pqti_scope_end(line->memory);
    return version;
}

/* ---- Waiting ---- */

/* Subscribes the connection to notifications of the line, unless it is already subscribed. */
static bool
listen_to(pqt_line *line, pqt_error *error)
{
    char sql[40];
    if (line->connection.is_listening && !pqti_connection_is_lost(&line->connection))
        return true;
    snprintf(sql, sizeof sql, "LISTEN pqt_%llu", (unsigned long long)line->id);
    PGresult *result = pqti_query(&line->connection, sql, NULL, error);
    PQclear(result);
    line->connection.is_listening = result != NULL;
    return result != NULL;
}

/*
 * Listens before fetching, so that no push is missed. If the fetch reconnected, the new connection
 * was not listening. In that case, repeats both until the time `end`, or until the line has another
 * newest version.
 */
static bool
listen_and_fetch(pqt_line *line, double end, pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    const uint64_t before = line->newest.number;
    do {
        if (line->id != 0 && !listen_to(line, error))
            return false;
        if (!pqti_line_catch_up(line, error))
            return false;
    } while (line->id != 0 && !line->connection.is_listening && line->newest.number == before &&
             pqti_connection_clock() < end);
    return true;
}

bool
pqt_line_wait(pqt_line *line, double seconds, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    const uint64_t before = line->newest.number;
    const double end = pqti_connection_clock() + seconds;
    if (!(seconds >= 0 && seconds < HUGE_VAL)) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "seconds is %s, but must be finite and 0 or more",
                       pqti_format_double(seconds).text);
        return false;
    }
    for (;;) {
        if (!listen_and_fetch(line, end, error))
            return false;
        const double left = end - pqti_connection_clock();
        if (line->newest.number != before || left <= 0)
            return true;
        /* While the line does not exist, search for it once per second. */
        pqti_connection_wait(&line->connection, line->id == 0 && left > 1 ? 1 : left);
    }
}
