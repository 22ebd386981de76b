/* SPDX-License-Identifier: MIT */
/*
 * cutting_proxy.h: a proxy between a client and PostgreSQL that cuts a connection after a given
 * number of bytes or after the answer to LISTEN, for tests of lines. It is a separate process, and
 * its socket has a folder of its own.
 */
#ifndef TEST_CUTTING_PROXY_H
#define TEST_CUTTING_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum cut_direction { CUT_NOTHING, CUT_TO_CLIENT, CUT_TO_SERVER } cut_direction;

/* When to cut the connection. It is in memory that both processes share. */
typedef struct cutting_plan {
    volatile int direction;       /* a cut_direction; the proxy sets CUT_NOTHING after a cut */
    volatile size_t remaining;    /* the number of bytes to pass before the cut */
    volatile bool cuts_listeners; /* cut each connection after the answer to LISTEN */
} cutting_plan;

typedef struct cutting_proxy {
    char folder[128];
    char url[400]; /* the URL of the proxy, to be used in place of the server's */
    cutting_plan *plan;
    pid_t process;
} cutting_proxy;

/* Starts a proxy for a server whose URL ends in host=FOLDER. */
void proxy_start(cutting_proxy *proxy, const char *url);
void proxy_stop(cutting_proxy *proxy);

/* Makes the proxy cut the connection after `bytes` more bytes in a direction. */
void proxy_cut_after(cutting_proxy *proxy, cut_direction direction, size_t bytes);

/* Returns true if the connection was cut. Cancels a cut that has not happened. */
bool proxy_was_cut(cutting_proxy *proxy);

#endif
