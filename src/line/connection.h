/* SPDX-License-Identifier: MIT */
/*
 * connection.h: a connection to PostgreSQL that is restored when it is lost. Failures in libpq are
 * reported as errors of the library.
 */
#ifndef PQTI_CONNECTION_H
#define PQTI_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>

#include <libpq-fe.h>

#include "base/fork.h"

enum { PQTI_MAX_PARAMETERS = 11 };

typedef struct pqti_connection {
    PGconn *server;                 /* NULL: the connection is closed */
    char *url;                      /* in scratch memory */
    double patience;                /* how long to retry before failing, in seconds */
    bool is_listening;              /* this connection receives notifications of new versions */
    bool is_prepared;               /* this connection has the prepared statement for pushes */
    uint64_t reconnects;            /* the number of reconnections */
    pqti_private_descriptor socket; /* a child process closes its copy: otherwise, the server would
                                       not notice that this process has died, and would keep its
                                       transaction open */
    unsigned opened_at;             /* the pqti_fork_count at which it was opened */
} pqti_connection;

/* The parameters of a statement, in the binary format. Initialise with {0}. */
typedef struct pqti_parameters {
    int count;
    const char *values[PQTI_MAX_PARAMETERS];
    int lengths[PQTI_MAX_PARAMETERS];
    int formats[PQTI_MAX_PARAMETERS];
    uint8_t numbers[PQTI_MAX_PARAMETERS][8]; /* storage for numbers, to which `values` points */
} pqti_parameters;

void pqti_add_int8(pqti_parameters *parameters, uint64_t number);
void pqti_add_int2(pqti_parameters *parameters, unsigned number);

/* Adds a byte string. NULL adds a null. */
void pqti_add_bytes(pqti_parameters *parameters, const void *bytes, size_t length);
void pqti_add_text(pqti_parameters *parameters, const void *text, size_t length);

/* Connects once. Returns false and sets `error` on failure. The caller must close the connection in
   either case. `url` is in scratch memory, and the connection frees it. */
bool pqti_connection_open(pqti_connection *connection, char *url, double patience,
                          pqt_error *error);

/* Closes the connection. In a child of the process that opened it, only frees memory, because libpq
   would end the session of the parent. */
void pqti_connection_close(pqti_connection *connection);

/* Returns false and sets `error` if a parent of this process opened the connection. */
bool pqti_connection_is_ours(const pqti_connection *connection, pqt_error *error);

/* Returns true if the connection is lost. */
bool pqti_connection_is_lost(const pqti_connection *connection);

/* Returns true if a result failed because the connection is lost, which libpq does not always
   detect by itself. */
bool pqti_result_is_lost(const pqti_connection *connection, const PGresult *result);

/* Returns true if the server undid the transaction because of concurrent ones. This happens on a
   standby, and with isolation levels other than the default. The transaction may be run again. */
bool pqti_result_is_undone(const PGresult *result);

/* Drops a connection whose state is unknown. It then counts as lost. */
void pqti_connection_drop(pqti_connection *connection);

/* Connects again, with increasing pauses between attempts. Returns false and sets `error` once it
   has tried for `patience` seconds. */
bool pqti_connection_renew(pqti_connection *connection, pqt_error *error);

/* Runs a statement that may safely be run twice. Runs it on a new connection if the old one is
   lost, and again if the server undid it. Returns its result, with columns in the binary format,
   which the caller frees with PQclear. Returns NULL and sets `error` on failure. */
PGresult *pqti_query(pqti_connection *connection, const char *sql,
                     const pqti_parameters *parameters, pqt_error *error);

/* Sets `error` from a failed result, or from the connection if `result` is NULL. Returns false. */
bool pqti_server_failed(const pqti_connection *connection, const PGresult *result,
                        pqt_error *error);

/* Waits at most `seconds` for a notification. Returns false if the connection is lost. A thread may
   be cancelled while it waits, which changes nothing. */
bool pqti_connection_wait(pqti_connection *connection, double seconds);

/* Returns the number in a column of a row, or 0 if the column is null or has another size. */
uint64_t pqti_get_int8(const PGresult *result, int row, int column);
unsigned pqti_get_int2(const PGresult *result, int row, int column);

#endif
