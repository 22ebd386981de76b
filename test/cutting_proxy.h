/* SPDX-License-Identifier: MIT */
/*
 * cutting_proxy.h: a proxy between a client and PostgreSQL that ends a connection after any number
 * of bytes, for tests of lines. It is a process of its own with a socket in a folder of its own.
 */
#ifndef TEST_CUTTING_PROXY_H
#define TEST_CUTTING_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum cut_direction { CUT_NOTHING, CUT_TO_CLIENT, CUT_TO_SERVER } cut_direction;

/* Shared by both processes. */
typedef struct cutting_plan {
    volatile int direction;    /* a cut_direction; CUT_NOTHING again after a cut */
    volatile size_t remaining; /* bytes until the cut */
} cutting_plan;

typedef struct cutting_proxy {
    char folder[128];
    char url[400]; /* the URL of the proxy, in place of the server's */
    cutting_plan *plan;
    pid_t process;
} cutting_proxy;

/* Starts a proxy for a server whose URL ends in host=FOLDER. */
void proxy_start(cutting_proxy *proxy, const char *url);
void proxy_stop(cutting_proxy *proxy);

/* Ends the connection when `bytes` more bytes have passed in a direction. */
void proxy_cut_after(cutting_proxy *proxy, cut_direction direction, size_t bytes);

/* Returns true if it was cut. It will not be cut again. */
bool proxy_was_cut(cutting_proxy *proxy);

#endif
