/* SPDX-License-Identifier: MIT */
/*
 * connect.h: opens a connection of libpq, and keeps passwords and notices away from messages and
 * from the standard error of the program.
 */
#ifndef PQTI_CONNECT_H
#define PQTI_CONNECT_H

#include <stdbool.h>

#include <pqt/error.h>

#include <libpq-fe.h>

/* Returns the time of a monotonic clock, in seconds. */
double pqti_connection_clock(void);

/*
 * Checks a URL, and sets a text that repeats no part of it. A character of a password that is not
 * escaped moves the rest of the password into the host, the port or the name of the database, which
 * messages of libpq and of servers show. So an @ must not follow the one before the host, and ports
 * must be numbers.
 */
bool pqti_url_check(const char *url, pqt_error *error);

/* Like PQconnectdbParams with an expanded name of the database, without notices on standard
   error. */
PGconn *pqti_connect(const char *const *names, const char *const *values);

/* Returns true if a text contains a password or another secret of the connection. */
bool pqti_shows_secret(PGconn *server, const char *text);

#endif
