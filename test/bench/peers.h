/* SPDX-License-Identifier: MIT */
/* peers.h: all contestants: pqt in each memory, and its peers. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "peer.h"

/* pqt in a memory other than the collector with its default settings; see options.h. */
typedef struct other_memory {
    const char *name; /* for --memory */
    const peer *contestant;
} other_memory;

extern const other_memory memories[];
extern const size_t memory_count;

typedef struct known_peer {
    const char *name;
    const peer *contestant; /* NULL: not installed when this was built */
    const char *package;    /* the package to install, in a few words */
} known_peer;

extern const known_peer peers[];
extern const size_t peer_count;

#endif
