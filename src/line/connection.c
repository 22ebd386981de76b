/* SPDX-License-Identifier: MIT */
/* connection.c: a connection to PostgreSQL that is restored when it is lost. */
#include "config.h"

#include "line/connection.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "base/cancellation.h"
#include "base/error_internal.h"
#include "base/fork.h"
#include "line/connect.h"
#include "memory/memory_internal.h"

/* The pauses between attempts to connect, in seconds: each is twice the previous one. Each pause is
   shortened by a random amount, at most half of it, so that programs that lost the same server do
   not all reconnect at the same time. */
#define FIRST_PAUSE 0.05
#define LONGEST_PAUSE 5.0

/* A statement fails after this many attempts, if each of them was lost or undone. */
enum { MAX_ATTEMPTS = 5 };

static void
sleep_for(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR)
        continue;
}

/* ---- Parameters and columns: big-endian, as PostgreSQL sends them ---- */

static void
add_value(pqti_parameters *parameters, const void *value, size_t length)
{
    const int at = parameters->count++;
    parameters->values[at] = value;
    parameters->lengths[at] = (int)length;
    parameters->formats[at] = 1;
}

static void
add_number(pqti_parameters *parameters, uint64_t number, size_t size)
{
    uint8_t *bytes = parameters->numbers[parameters->count];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(number >> 8 * (size - 1 - i));
    add_value(parameters, bytes, size);
}

void
pqti_add_int8(pqti_parameters *parameters, uint64_t number)
{
    add_number(parameters, number, 8);
}

void
pqti_add_int2(pqti_parameters *parameters, unsigned number)
{
    add_number(parameters, number, 2);
}

void
pqti_add_bytes(pqti_parameters *parameters, const void *bytes, size_t length)
{
    add_value(parameters, bytes, length);
}

void
pqti_add_text(pqti_parameters *parameters, const void *text, size_t length)
{
    add_value(parameters, length == 0 ? "" : text, length);
}

static uint64_t
get_number(const PGresult *result, int row, int column, int size)
{
    const uint8_t *bytes = (const uint8_t *)PQgetvalue(result, row, column);
    uint64_t number = 0;
    if (PQgetisnull(result, row, column) || PQgetlength(result, row, column) != size)
        return 0;
    for (int i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

uint64_t
pqti_get_int8(const PGresult *result, int row, int column)
{
    return get_number(result, row, column, 8);
}

unsigned
pqti_get_int2(const PGresult *result, int row, int column)
{
    return (unsigned)get_number(result, row, column, 2);
}

/* ---- Failures ---- */

/* Sets `error` to the first line of a message from libpq or the server, unless it shows a
   password. */
static void
set_message(const pqti_connection *connection, const char *message, pqt_error *error)
{
    static const char fatal[] = "FATAL:  ";
    const char *from = strstr(message, fatal); /* the text before it names the server */
    if (from != NULL)
        message = from + sizeof fatal - 1;
    if (connection->server != NULL && pqti_shows_secret(connection->server, message))
        message = "its message is left out, because it contains the password";
    else if (*message == '\0')
        message = "it does not answer";
    pqti_error_set(error, PQT_ERROR_STREAM, 0, "the database: %.*s", (int)strcspn(message, "\n"),
                   message);
}

bool
pqti_server_failed(const pqti_connection *connection, const PGresult *result, pqt_error *error)
{
    const char *state = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message =
        state == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (message == NULL)
        set_message(connection,
                    connection->server == NULL ? "out of memory"
                                               : PQerrorMessage(connection->server),
                    error);
    else if (strcmp(state, "3F000") == 0 || strcmp(state, "42883") == 0)
        pqti_error_set(error, PQT_ERROR_FORMAT, 0,
                       "the database has no schema pqt: see docs/sharing.md");
    else
        set_message(connection, message, error);
    return false;
}

/* ---- Connecting ---- */

static bool
is_inherited(const pqti_connection *connection)
{
    return connection->opened_at != pqti_fork_count();
}

bool
pqti_connection_is_ours(const pqti_connection *connection, pqt_error *error)
{
    if (!is_inherited(connection))
        return true;
    pqti_error_set(error, PQT_ERROR_STREAM, 0,
                   "the line was opened before a fork: the child must open it for itself");
    return false;
}

/* Removes the descriptor first, since its number may be reused as soon as libpq has closed it. The
   list of descriptors is that of all threads, so it is locked here and in add_socket. */
static void
disconnect(pqti_connection *connection)
{
    pqti_fork_hold();
    pqti_fork_remove(&connection->socket);
    pqti_fork_release();
    if (!is_inherited(connection))
        PQfinish(connection->server);
    connection->server = NULL;
}

/* A child that is forked by another thread before the socket is added keeps a copy of it. */
static void
add_socket(pqti_connection *connection)
{
    pqti_fork_hold();
    (void)pqti_fork_add(&connection->socket, PQsocket(connection->server));
    pqti_fork_release();
}

/* With these defaults, a server that disappears without closing the connection is noticed within
   about a minute, unless the URL says otherwise: by keepalives while the call waits, and by the
   user timeout after it has sent something, when TCP sends no keepalives and by itself would repeat
   the data for a quarter of an hour. The URL cannot set another encoding, since the hashes of
   labels would then be wrong. */
static void
connect_once(pqti_connection *connection)
{
    const char *const names[] = {"fallback_application_name",
                                 "connect_timeout",
                                 "keepalives_idle",
                                 "keepalives_interval",
                                 "keepalives_count",
                                 "tcp_user_timeout",
                                 "dbname",
                                 "client_encoding",
                                 NULL};
    const char *const values[] = {"pqt",           "10",   "30", "10", "3", "60000",
                                  connection->url, "UTF8", NULL};
    disconnect(connection);
    connection->is_listening = connection->is_prepared = false;
    connection->server = pqti_connect(names, values);
    add_socket(connection);
}

bool
pqti_connection_is_lost(const pqti_connection *connection)
{
    return connection->server == NULL || PQstatus(connection->server) != CONNECTION_OK;
}

bool
pqti_result_is_lost(const pqti_connection *connection, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return pqti_connection_is_lost(connection) || state == NULL || strncmp(state, "08", 2) == 0 ||
           strncmp(state, "57P", 3) == 0;
}

bool
pqti_result_is_undone(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state != NULL && strncmp(state, "40", 2) == 0;
}

bool
pqti_connection_open(pqti_connection *connection, char *url, double patience, pqt_error *error)
{
    *connection = (pqti_connection){.url = url, .patience = patience};
    if (!pqti_fork_watch()) {
        pqti_out_of_memory(error);
        return false;
    }
    connection->opened_at = pqti_fork_count();
    if (!pqti_url_check(url, error))
        return false;
    connect_once(connection);
    return !pqti_connection_is_lost(connection) || pqti_server_failed(connection, NULL, error);
}

void
pqti_connection_close(pqti_connection *connection)
{
    disconnect(connection);
    pqti_free_scratch(connection->url);
    *connection = (pqti_connection){0};
}

void
pqti_connection_drop(pqti_connection *connection)
{
    disconnect(connection);
}

bool
pqti_connection_renew(pqti_connection *connection, pqt_error *error)
{
    const double end = pqti_connection_clock() + connection->patience;
    double pause = FIRST_PAUSE;
    if (!pqti_connection_is_ours(connection, error))
        return false;
    connect_once(connection);
    while (pqti_connection_is_lost(connection)) {
        const double left = end - pqti_connection_clock();
        if (left <= 0)
            return pqti_server_failed(connection, NULL, error);
        const double wait = pause * (1 - 0.5 * (double)randombytes_uniform(1024) / 1024);
        sleep_for(wait < left ? wait : left);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
        connect_once(connection);
    }
    connection->reconnects++;
    return true;
}

/* ---- Statements ---- */

static PGresult *
run_once(pqti_connection *connection, const char *sql, const pqti_parameters *parameters)
{
    static const pqti_parameters none;
    const pqti_parameters *given = parameters == NULL ? &none : parameters;
    return PQexecParams(connection->server, sql, given->count, NULL, given->values, given->lengths,
                        given->formats, 1);
}

PGresult *
pqti_query(pqti_connection *connection, const char *sql, const pqti_parameters *parameters,
           pqt_error *error)
{
    for (int attempt = 1; pqti_connection_is_ours(connection, error); attempt++) {
        if (pqti_connection_is_lost(connection) && !pqti_connection_renew(connection, error))
            return NULL;
        PGresult *result = run_once(connection, sql, parameters);
        const ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
            return result;
        const bool is_lost = pqti_result_is_lost(connection, result);
        const bool is_over = attempt == MAX_ATTEMPTS || !(is_lost || pqti_result_is_undone(result));
        if (is_over)
            pqti_server_failed(connection, result, error);
        PQclear(result);
        if (is_over)
            return NULL;
        if (is_lost)
            pqti_connection_drop(connection);
    }
    return NULL;
}

/* Consumes the notifications that have arrived. Returns true if there were any. */
static bool
take_notifications(pqti_connection *connection)
{
    PQTI_NOT_CANCELLABLE;
    bool any = false;
    PGnotify *notification;
    while ((notification = PQnotifies(connection->server)) != NULL) {
        any = true;
        PQfreemem(notification);
    }
    return any;
}

static bool
receive(pqti_connection *connection)
{
    PQTI_NOT_CANCELLABLE;
    return PQconsumeInput(connection->server) != 0;
}

bool
pqti_connection_wait(pqti_connection *connection, double seconds)
{
    const double end = pqti_connection_clock() + seconds;
    while (!take_notifications(connection)) {
        const double left = end - pqti_connection_clock();
        if (left <= 0)
            return true;
        struct pollfd socket = {.fd = PQsocket(connection->server), .events = POLLIN};
        poll(&socket, 1, left > 3600 ? 3600000 : (int)(left * 1000) + 1);
        if (socket.revents != 0 && !receive(connection))
            return false;
    }
    return true;
}
