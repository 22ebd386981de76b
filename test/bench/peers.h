/* SPDX-License-Identifier: MIT */
/* peers.h: all contestants: pqt in each memory, and whom it is compared with. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "peer.h"

/* pqt in another memory than the collector's as it is found; see options.h. */
typedef struct other_memory {
    const char *name; /* as --memory calls it */
    const peer *contestant;
} other_memory;

extern const other_memory memories[];
extern const size_t memory_count;

typedef struct known_peer {
    const char *name;
    const peer *contestant; /* NULL: not installed when this was built */
    const char *package;    /* what would have to be installed, said in a few words */
} known_peer;

extern const known_peer peers[];
extern const size_t peer_count;

#endif
