/* SPDX-License-Identifier: MIT */
/*
 * peer.h - what the benchmark asks of each contestant: pqt itself, and the libraries beside it.
 *
 * A contestant is a table of functions over a state of its own. It gets its items before the clock
 * runs, in `make`, so that bringing them into its own form costs it nothing; and it is asked for
 * the same numbers as all others, in `query`, so that the answers can be compared.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What queries found, summed up: equal for contestants that found the same. */
typedef struct answer {
    uint64_t hits;
    uint64_t ids; /* their sum, modulo 2^64 */
} answer;

/* What only contestants with persistent versions can do. */
typedef struct peer_history {
    /* Starts from an empty version, with room for `count` more; called instead of `build`. */
    bool (*begin)(void *state, size_t count);
    /* One more version, which holds one more item. All that came before stay. */
    bool (*insert)(void *state, const pqt_item *item);
    /* Adds what touches the window in a version; 0 is the empty one. */
    void (*query)(const void *state, size_t version, const pqt_box *window, answer *found);
    /* Bytes of a version that the version before it has not. */
    double (*own_bytes)(const void *state, size_t version);
    /* Bytes that the memory has given out, garbage collected before. */
    double (*memory_bytes)(const void *state);
} peer_history;

typedef struct peer {
    const char *name; /* one word, for tables */
    const char *what; /* what it is and how it is used, on one line */
    bool is_pqt;      /* pqt in another memory: no peer, so no loss */

    /* A state for these items, which stay where they are. NULL: no memory. */
    void *(*make)(const pqt_item *items, size_t count);
    /* Builds an index of all items, the fastest way there is. False: it failed. */
    bool (*build)(void *state);
    /* Gives an item of the index another box. Only the newest state need be kept. */
    bool (*move)(void *state, const pqt_item *from, const pqt_box *to);
    /* Adds what touches the window, edges and corners included. */
    void (*query)(const void *state, const pqt_box *window, answer *found);
    /* Bytes of the index, with the boxes and ids in it. */
    double (*bytes)(const void *state);
    void (*free)(void *state);

    const peer_history *history; /* NULL: no persistent form */
} peer;

extern const peer peer_pqt;       /* on the collector; without it, in an arena */
extern const peer peer_pqt_arena; /* in an arena */
#if BENCH_WITH_BOOST
extern const peer peer_boost_packed;
extern const peer peer_boost_rstar;
#endif

#ifdef __cplusplus
}
#endif

#endif
