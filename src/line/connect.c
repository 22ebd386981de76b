/* SPDX-License-Identifier: MIT */
/* connect.c: opens a connection of libpq, without secrets in messages and without notices. */
#include "config.h"

#include "line/connect.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error_internal.h"

/* The number of seconds after which libpq itself gives up, if connect_timeout is 1. */
#define LEAST_TIMEOUT 2

double
pqti_connection_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- The URL ---- */

/* Returns the value of an option, or NULL. */
static const char *
value_of(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword != NULL; options++)
        if (strcmp(options->keyword, name) == 0)
            return options->val;
    return NULL;
}

/* Returns true if an @ follows the text that libpq takes for the user name and the password. libpq
   ends that text at the first @, or finds none there if a / precedes it. */
static bool
has_unescaped_at(const char *url)
{
    const char *authority = strstr(url, "://");
    if (authority == NULL)
        return false;
    authority += 3;
    const char *host = authority + strcspn(authority, "@/");
    if (*host == '@')
        host++;
    const char *at = strchr(host, '@');
    return at != NULL && at < host + strcspn(host, "?");
}

static bool
check_parts(const char *url, const PQconninfoOption *options, pqt_error *error)
{
    const char *port = value_of(options, "port");
    if (has_unescaped_at(url))
        pqti_error_set(
            error, PQT_ERROR_OPTION, 0,
            "the address has an @ too many: in a password, write %%40 for @ and %%2F for /");
    else if (port != NULL && port[strspn(port, "0123456789,")] != '\0')
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "the port of the address is not a number; in a password, write %%23 for #");
    else
        return true;
    return false;
}

/* Does not use libpq's message about a malformed URL, since it may contain the password. */
bool
pqti_url_check(const char *url, pqt_error *error)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    if (options == NULL)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "the address is not a valid PostgreSQL URL");
    const bool valid = options != NULL && check_parts(url, options, error);
    PQconninfoFree(options);
    return valid;
}

/* ---- Connecting ---- */

static void
ignore_notice(void *unused, const char *message)
{
    (void)unused;
    (void)message;
}

/* Returns the number of seconds after which an attempt ends, or 0 if it never does. */
static int
read_timeout(PGconn *server)
{
    PQconninfoOption *options = PQconninfo(server);
    if (options == NULL)
        return LEAST_TIMEOUT;
    const char *timeout = value_of(options, "connect_timeout");
    const int seconds = timeout == NULL ? 0 : atoi(timeout);
    PQconninfoFree(options);
    return seconds <= 0 ? 0 : seconds < LEAST_TIMEOUT ? LEAST_TIMEOUT : seconds;
}

/* Waits until the socket is ready. Returns false if the time is over. */
static bool
wait_for_socket(PGconn *server, short events, bool is_limited, double end)
{
    struct pollfd socket = {.fd = PQsocket(server), .events = events};
    int ready = -1;
    do {
        const double left = is_limited ? end - pqti_connection_clock() : 3600;
        if (left <= 0)
            return false;
        ready = poll(&socket, 1, left > 3600 ? 3600000 : (int)(left * 1000) + 1);
    } while (ready == 0 || (ready < 0 && errno == EINTR));
    return true;
}

/* Completes a connection that was started. Returns false if it takes longer than its timeout. */
static bool
complete(PGconn *server, int timeout)
{
    const double end = pqti_connection_clock() + timeout;
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
        const short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!wait_for_socket(server, events, timeout > 0, end))
            return false;
        status = PQconnectPoll(server);
    }
    return true;
}

/*
 * Only a connection that exists takes a processor for notices, so a connection is started, and
 * completed afterwards. If that takes too long, PQreset begins again: it keeps the processor, and
 * gives each address of each host the timeout.
 */
PGconn *
pqti_connect(const char *const *names, const char *const *values)
{
    PGconn *server = PQconnectStartParams(names, values, 1);
    if (server == NULL)
        return NULL;
    PQsetNoticeProcessor(server, ignore_notice, NULL);
    if (PQstatus(server) != CONNECTION_BAD && !complete(server, read_timeout(server)))
        PQreset(server);
    return server;
}

/* ---- Secrets ---- */

static bool
contains(const char *text, const char *secret)
{
    return secret != NULL && *secret != '\0' && strstr(text, secret) != NULL;
}

/* libpq marks the options that programs should not show. */
bool
pqti_shows_secret(PGconn *server, const char *text)
{
    PQconninfoOption *options = PQconninfo(server);
    bool shows = options == NULL || contains(text, PQpass(server));
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL && !shows; o++)
        shows = o->dispchar[0] == '*' && contains(text, o->val);
    PQconninfoFree(options);
    return shows;
}
