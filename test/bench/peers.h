/* SPDX-License-Identifier: MIT */
/* peers.h: all contestants: pqt in each memory, and its peers. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "peer.h"

/* pqt in a memory other than the default collector; see options.h. */
typedef struct other_memory {
    const char *name; /* its name for --memory */
    const peer *contestant;
} other_memory;

extern const other_memory memories[];
extern const size_t memory_count;

typedef struct known_peer {
    const char *name;
    const peer *contestant; /* NULL if it was not installed at build time */
    const char *package;    /* a short name of the package to install */
} known_peer;

extern const known_peer peers[];
extern const size_t peer_count;

#endif
