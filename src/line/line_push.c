/* SPDX-License-Identifier: MIT */
/*
 * line_push.c: pushes versions after the newest one.
 *
 * All versions in a call are sent as rows in one pipeline, which is one transaction. The primary
 * key ensures that only one of several pushes with the same number succeeds. If the connection is
 * lost before the answer arrives, the push may or may not have been committed. The hash in the row
 * with the last number of the push shows whether it was.
 */
#include "config.h"

#include "line/line_internal.h"

#include <string.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "base/utf8.h"
#include "change/version_bytes.h"
#include "io/little_endian.h"
#include "memory/kind_calls.h"
#include "memory/memory_internal.h"

/* The name of the prepared statement. */
#define PUSH_STATEMENT "add_version"

enum {
    WINDOW = 32,     /* the number of rows that are sent before their answers are read */
    MAX_ATTEMPTS = 5 /* attempts to push when the connection is lost or the push is undone */
};

/* The maximum size of a row: PostgreSQL accepts at most 1 GiB, and lengths in libpq have 31
   bits. */
#define MOST_BYTES ((size_t)1 << 30)

typedef struct push {
    pqt_line *line;
    const pqt_line_new *versions;
    size_t count;
    pqti_line_version at; /* the version of the row that was sent last */
    uint64_t bytes;       /* the bytes of all changes and keyframes of the push */
    size_t unanswered;    /* the number of rows that were sent and not answered yet */
    bool has_conflict;    /* a row with the same number exists */
    bool has_lost;        /* the database does not have the parent */
    bool is_undone;       /* the server undid the push, for a reason that may not recur */
    bool is_broken;       /* the connection is lost */
    bool failed;          /* the push failed for another reason, and the error is set */
} push;

/* ---- Rows ---- */

/* A row to push, with its bytes. */
typedef struct new_row {
    pqti_line_row row;
    pqti_byte_buffer change, whole;
    uint8_t fingerprint[PQTI_FINGERPRINT_SIZE], hash[PQT_LINE_HASH], whole_hash[PQT_LINE_HASH];
} new_row;

/* Makes the changes from the previous version to this one, and decides whether to push a keyframe
   too. */
static bool
make_contents(push *p, new_row *made, const void *version, pqt_error *error)
{
    const pqt_line *line = p->line;
    pqti_encoding encoding = PQTI_NO_CHANGE;
    if (p->at.number != 0 &&
        !pqti_change_write(&made->change, line->kind, p->at.version, version, &encoding, error))
        return false;
    if (made->change.length > MOST_BYTES)
        return pqti_line_fault(PQT_ERROR_STREAM, p->at.number + 1,
                               "its change is larger than 1 GiB, which no row can hold", error);
    made->row.encoding = (unsigned)encoding;
    if (encoding != PQTI_NO_CHANGE) {
        made->row.change = (pqti_row_bytes){made->change.bytes, made->change.length};
        if (made->change.length == 0)
            made->row.change.bytes = made->hash; /* empty, but not null */
        p->at.cost += made->change.length + PQTI_CHANGE_COST;
    }
    if (encoding != PQTI_NO_CHANGE &&
        !pqti_needs_keyframe(p->at.cost, p->at.keyframe_bytes, line->options.keyframe_ratio))
        return true;
    if (!pqti_version_put(&made->whole, version, error))
        return false;
    if (made->whole.length > MOST_BYTES)
        return pqti_line_fault(PQT_ERROR_STREAM, p->at.number + 1,
                               "it is larger than 1 GiB, which no row can hold", error);
    pqti_hash_bytes(made->whole.bytes, made->whole.length, made->whole_hash);
    made->row.whole_hash = made->whole_hash;
    p->at.cost = 0;
    p->at.keyframe_bytes = made->whole.length;
    return true;
}

static bool
make_row(push *p, new_row *made, const pqt_line_new *given, pqt_error *error)
{
    const pqt_fingerprint fingerprint = pqt_version_fingerprint(given->version);
    const char *label = given->label == NULL ? "" : given->label;
    if (!make_contents(p, made, given->version, error))
        return false;
    pqti_store_le64(made->fingerprint, fingerprint.low);
    pqti_store_le64(made->fingerprint + 8, fingerprint.high);
    made->row.number = p->at.number + 1;
    made->row.parent_hash = p->at.hash;
    made->row.fingerprint = made->fingerprint;
    made->row.label = (pqti_row_bytes){(const uint8_t *)label, strlen(label)};
    made->row.author = (pqti_row_bytes){(const uint8_t *)p->line->author, strlen(p->line->author)};
    pqti_hash_row(p->line->kind, &made->row, made->hash);
    return true;
}

/* Sends a row. Returns false if the connection is lost or there is no memory. */
static bool
send_row(const push *p, const new_row *made)
{
    const pqti_line_row *row = &made->row;
    pqti_parameters parameters = {0};
    pqti_add_int8(&parameters, p->line->id);
    pqti_add_int8(&parameters, row->number);
    pqti_add_bytes(&parameters, row->parent_hash, PQT_LINE_HASH);
    pqti_add_bytes(&parameters, made->hash, PQT_LINE_HASH);
    pqti_add_bytes(&parameters, row->fingerprint, PQTI_FINGERPRINT_SIZE);
    pqti_add_text(&parameters, row->label.bytes, row->label.length);
    pqti_add_text(&parameters, row->author.bytes, row->author.length);
    pqti_add_int2(&parameters, row->encoding);
    pqti_add_bytes(&parameters, row->change.bytes, row->change.length);
    pqti_add_bytes(&parameters, row->whole_hash, row->whole_hash == NULL ? 0 : PQT_LINE_HASH);
    pqti_add_bytes(&parameters, row->whole_hash == NULL ? NULL : made->whole.bytes,
                   made->whole.length);
    return PQsendQueryPrepared(p->line->connection.server, PUSH_STATEMENT, parameters.count,
                               parameters.values, parameters.lengths, parameters.formats, 1) == 1;
}

static bool
push_row(push *p, const pqt_line_new *given, pqt_error *error)
{
    new_row made = {.row = {0}};
    const bool is_made = make_row(p, &made, given, error);
    p->failed = p->failed || !is_made;
    const bool is_sent = is_made && send_row(p, &made);
    if (is_sent) {
        p->at.number++;
        p->at.version = given->version;
        memcpy(p->at.hash, made.hash, PQT_LINE_HASH);
        p->bytes += made.change.length + made.whole.length;
        p->unanswered++;
    }
    pqti_buffer_free(&made.change);
    pqti_buffer_free(&made.whole);
    return is_sent;
}

/* ---- The pipeline ---- */

/* Records the cause of the first failure. */
static void
note_result(push *p, const PGresult *result, pqt_error *error)
{
    const ExecStatusType status = PQresultStatus(result);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (status == PGRES_COMMAND_OK || status == PGRES_PIPELINE_SYNC ||
        status == PGRES_PIPELINE_ABORTED || p->has_conflict || p->has_lost || p->is_undone ||
        p->failed)
        return;
    if (pqti_result_is_lost(&p->line->connection, result)) {
        p->is_broken = true;
    } else if (strcmp(state, "23505") == 0) {
        p->has_conflict = true;
    } else if (strcmp(state, "PQ001") == 0) {
        p->has_lost = true;
    } else if (pqti_result_is_undone(result)) {
        p->is_undone = true;
    } else {
        pqti_server_failed(&p->line->connection, result, error);
        p->failed = true;
    }
}

/* Reads the answer to one row, or to the end of the pipeline. Returns false if there is no
   answer. */
static bool
read_answer(push *p, pqt_error *error)
{
    PGconn *server = p->line->connection.server;
    PGresult *result = PQgetResult(server);
    if (result == NULL)
        return false;
    const bool is_end = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    while (result != NULL) {
        note_result(p, result, error);
        PQclear(result);
        result = is_end ? NULL : PQgetResult(server);
    }
    return true;
}

static bool
read_answers(push *p, pqt_error *error)
{
    while (p->unanswered > 0) {
        if (!read_answer(p, error) || p->is_broken)
            return false;
        p->unanswered--;
    }
    return true;
}

static bool
send_rows(push *p, pqt_error *error)
{
    PGconn *server = p->line->connection.server;
    for (size_t i = 0; i < p->count; i++) {
        if (!push_row(p, &p->versions[i], error))
            return false;
        if (p->unanswered == WINDOW && (PQsendFlushRequest(server) != 1 || !read_answers(p, error)))
            return false;
    }
    return true;
}

/* Ends the transaction. If a row could not be made, the transaction ends only when the connection
   is dropped. */
static void
end_pipeline(push *p, pqt_error *error)
{
    PGconn *server = p->line->connection.server;
    if (PQpipelineSync(server) == 1 && read_answers(p, error) && read_answer(p, error))
        PQexitPipelineMode(server);
}

static bool
prepare_insert(pqt_line *line, pqt_error *error)
{
    static const char sql[] =
        "INSERT INTO pqt.version (line, number, parent_hash, hash, fingerprint, label, author, "
        "encoding, change, whole_hash, whole) VALUES ($1::int8, $2::int8, $3::bytea, $4::bytea, "
        "$5::bytea, $6::text, $7::text, $8::int2, $9::bytea, $10::bytea, $11::bytea)";
    if (line->connection.is_prepared)
        return true;
    PGresult *result = PQprepare(line->connection.server, PUSH_STATEMENT, sql, 0, NULL);
    line->connection.is_prepared = PQresultStatus(result) == PGRES_COMMAND_OK;
    const bool is_lost =
        !line->connection.is_prepared && pqti_result_is_lost(&line->connection, result);
    const bool done = line->connection.is_prepared || is_lost ||
                      pqti_server_failed(&line->connection, result, error);
    PQclear(result);
    if (is_lost)
        pqti_connection_drop(&line->connection);
    return done;
}

/* Pushes once. The connection may be lost afterwards. */
static void
push_once(push *p, pqt_error *error)
{
    pqti_connection *connection = &p->line->connection;
    p->at = p->line->newest;
    p->bytes = 0;
    p->unanswered = 0;
    p->has_conflict = p->has_lost = p->is_undone = p->is_broken = false;
    p->failed = !prepare_insert(p->line, error);
    if (p->failed || pqti_connection_is_lost(connection))
        return;
    p->is_broken = PQenterPipelineMode(connection->server) != 1;
    if (!p->is_broken && send_rows(p, error))
        end_pipeline(p, error);
    if (p->is_broken || PQpipelineStatus(connection->server) != PQ_PIPELINE_OFF)
        pqti_connection_drop(connection);
}

/* ---- Outcomes ---- */

/* Pushes until the outcome is known. Returns true if the database has the versions. */
static bool
push_until_known(push *p, pqt_error *error)
{
    pqti_connection *connection = &p->line->connection;
    const uint64_t last = p->line->newest.number + p->count;
    bool is_there = false;
    if (!pqti_connection_is_ours(connection, error))
        return false;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (pqti_connection_is_lost(connection) && !pqti_connection_renew(connection, error))
            return false;
        push_once(p, error);
        if (p->failed)
            return false;
        const bool was_lost = pqti_connection_is_lost(connection);
        if (!was_lost && p->is_undone)
            continue;
        if (!was_lost && !p->has_conflict && !p->has_lost)
            return true;
        if (was_lost && p->at.number != last)
            continue; /* the transaction cannot have ended, so it was undone */
        if (!pqti_line_has_row(p->line, &p->at, &is_there, error))
            return false;
        if (is_there)
            return true;
        if (was_lost)
            continue;
        if (p->has_lost)
            return pqti_line_fault(PQT_ERROR_MISMATCH, p->line->newest.number,
                                   "the database has lost it, or has a different one", error);
        p->line->counts.conflicts++;
        return pqti_line_fault(PQT_ERROR_CONFLICT, p->line->newest.number + 1,
                               "another version was pushed first", error);
    }
    pqti_error_set(
        error, PQT_ERROR_STREAM, 0,
        "the database closed the connection or rolled back the transaction at each attempt");
    return false;
}

/* Creates the line in the database. If another program created it first, does nothing. */
static bool
create_line(pqt_line *line, pqt_kind kind, pqt_error *error)
{
    pqti_parameters parameters = {0};
    pqti_add_text(&parameters, line->name, strlen(line->name));
    pqti_add_int2(&parameters, (unsigned)kind);
    PGresult *result = pqti_query(&line->connection,
                                  "INSERT INTO pqt.line (name, kind) VALUES ($1::text, $2::int2) "
                                  "ON CONFLICT DO NOTHING",
                                  &parameters, error);
    PQclear(result);
    return result != NULL && pqti_line_find(line, error);
}

/* ---- Checks ---- */

static bool
check_label(const char *label, size_t index, pqt_error *error)
{
    if (label == NULL || label[0] == '\0' || pqti_is_valid_name(label, PQT_LINE_TEXT))
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, index,
                   "the label is longer than %d bytes, not UTF-8, or has control characters",
                   PQT_LINE_TEXT);
    return false;
}

static bool
may_push(const pqt_line *line, pqt_kind kind, pqt_error *error)
{
    if (line->options.access == PQT_LINE_READ)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the line is open for reading only");
    else if (line->id != 0 && line->kind != kind)
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the line holds versions of another kind");
    else
        return true;
    return false;
}

static bool
check_version(const pqt_line *line, const pqt_line_new *given, size_t index, pqt_error *error)
{
    const bool is_ours = pqt_version_memory(given->version) == line->memory;
    if (!is_ours)
        pqti_error_set(error, PQT_ERROR_MISMATCH, index,
                       "the version is not in the memory of the line");
    return is_ours && check_label(given->label, index, error);
}

/* Copies the list of versions, except each that equals the previous one. */
static pqt_line_new *
without_equal(const pqt_line *line, const pqt_line_new *versions, size_t *count, pqt_error *error)
{
    pqt_line_new *kept = pqti_alloc_scratch(*count + 1, sizeof *kept);
    const void *before = line->newest.version;
    size_t used = 0;
    if (kept == NULL)
        pqti_out_of_memory(error);
    for (size_t i = 0; i < *count && kept != NULL; i++) {
        if (before == NULL || !pqt_fingerprint_equals(pqt_version_fingerprint(before),
                                                      pqt_version_fingerprint(versions[i].version)))
            kept[used++] = versions[i];
        before = versions[i].version;
    }
    *count = used;
    return kept;
}

/* ---- Public functions ---- */

static bool
push_kept(pqt_line *line, const pqt_line_new *versions, size_t count, pqt_error *error)
{
    push p = {.line = line, .versions = versions, .count = count};
    if (!push_until_known(&p, error))
        return false;
    line->counts.pushed += count;
    line->counts.pushed_bytes += p.bytes;
    return pqti_line_advance(line, &p.at, error);
}

bool
pqt_line_push_all(pqt_line *line, pqt_kind kind, const pqt_line_new *versions, size_t count,
                  pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(line != NULL, "the line is NULL");
    PQT_ASSERT(versions != NULL || count == 0, "versions is NULL, and count is not 0");
    PQT_ASSERT(pqti_is_kind(kind), "kind is not a pqt_kind");
    if (!may_push(line, kind, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(versions[i].version != NULL, "a version of the array is NULL");
        pqti_assert_kind(__func__, kind, versions[i].version);
        if (!check_version(line, &versions[i], i, error))
            return false;
    }
    if (count > 0 && line->id == 0 &&
        (!create_line(line, kind, error) || !may_push(line, kind, error)))
        return false;
    pqt_line_new *kept = without_equal(line, versions, &count, error);
    const bool done = kept != NULL && (count == 0 || push_kept(line, kept, count, error));
    pqti_free_scratch(kept);
    return done;
}

bool
pqt_line_push(pqt_line *line, pqt_kind kind, const void *version, const char *label,
              pqt_error *error)
{
    PQTI_NOT_CANCELLABLE;
    PQT_ASSERT(version != NULL || pqti_may_be_null(error),
               "the version is NULL, and no earlier error is set");
    if (version == NULL)
        return false;
    return pqt_line_push_all(line, kind, &(pqt_line_new){version, label}, 1, error);
}
