/* SPDX-License-Identifier: MIT */
/*
 * peer.h: the interface of a contestant of the benchmark: pqt itself, or a peer.
 *
 * A contestant is a table of functions over a state of its own. It receives its items in `make`,
 * before the clock starts, so converting them is not timed. `query` returns the same numbers for
 * all contestants, so answers can be compared.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt.h>

#include "random_boxes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sum over the results of queries: equal for contestants with equal results. */
typedef struct answer {
    uint64_t hits;
    uint64_t ids; /* the sum of ids, of marks of pairs, or of the bits of distances, modulo 2^64 */
} answer;

/* Functions of contestants with persistent versions only. */
typedef struct peer_history {
    /* Starts from an empty version, with capacity for `count` more; called instead of `build`. */
    bool (*begin)(void *state, size_t count);
    /* Makes a version with one more item, and keeps all earlier ones. */
    bool (*insert)(void *state, const pqt_item *item);
    /* Adds the items of a version that touch the window; version 0 is empty. */
    void (*query)(const void *state, size_t version, const pqt_box *window, answer *found);
    /* The bytes of a version that it does not share with the one before. */
    double (*own_bytes)(const void *state, size_t version);
    /* The allocated bytes after a collection of garbage. */
    double (*memory_bytes)(const void *state);
} peer_history;

/* Functions of contestants that find overlapping pairs only. */
typedef struct peer_collision {
    /* Adds all touching pairs, each once, with its mark. */
    void (*pairs)(void *state, answer *found);
    /* Receives the next moves, each of a different item, before the clock starts. Moves nothing
       yet. */
    bool (*take)(void *state, const drawn_move *moves, size_t count);
    /* Moves these items by the fastest method for this number. */
    bool (*advance)(void *state);
    /* Like `advance`; also adds the pairs that began and subtracts those that ended. NULL: cannot.
       */
    bool (*follow)(void *state, answer *found);
    /* Adds the pairs of one item, except those with a moved item of a lower id, which adds them
       itself. NULL: cannot. */
    void (*partners)(const void *state, const pqt_item *item, const bool *has_moved, answer *found);
} peer_collision;

/* Functions of contestants that find nearest items or the first item along a segment. Each may be
   NULL. */
typedef struct peer_sight {
    /* Writes the ids of the `most` items nearest to a point, in any order. Returns their number. */
    size_t (*nearest)(const void *state, pqt_vec from, size_t most, uint64_t *ids);
    /* Sets the id of the item that a segment enters first. Returns false if it meets none. */
    bool (*first_hit)(const void *state, const pqt_segment *segment, uint64_t *id);
    /* Receives half the size of the boxes of later sweeps, before the clock starts. NULL: not
       needed. */
    bool (*take_swept)(void *state, pqt_vec half);
    /* Sets the id of the item that such a box meets first while its centre moves along the segment.
       Returns false if it meets none. */
    bool (*first_met)(const void *state, pqt_vec half, const pqt_segment *segment, uint64_t *id);
} peer_sight;

/* Functions of contestants that allow one thread to read while another writes. */
typedef struct peer_sharing {
    /* Called instead of `build`: threads may read after it. */
    bool (*begin)(void *state);
    /* Moves an item; later reads must see it. Called by one thread only. */
    bool (*write)(void *state, const pqt_item *from, const pqt_box *to);
    /* Begins and ends reading in a thread. NULL: it failed. */
    void *(*enter)(void *state);
    void (*leave)(void *reader);
    /* Adds the items that touch the window in the newest state. */
    void (*read)(void *reader, const pqt_box *window, answer *found);
} peer_sharing;

typedef struct peer {
    const char *name; /* one word, for tables */
    const char *what; /* a description of one line */
    bool is_pqt;      /* pqt in another memory: no peer, so no loss */

    /* Makes a state for these items, which remain valid. Either most of them are inside `world`, or
       none is. NULL: no memory. */
    void *(*make)(const pqt_item *items, size_t count, pqt_box world);
    /* Builds an index of all items by the fastest method. False: it failed. */
    bool (*build)(void *state);
    /* Moves an item. Only the newest state must be kept. NULL: cannot. */
    bool (*move)(void *state, const pqt_item *from, const pqt_box *to);
    /* Adds the items that touch the window, edges and corners included. NULL: cannot. */
    void (*query)(const void *state, const pqt_box *window, answer *found);
    /* The bytes of the index with its boxes and ids. NULL: unknown. */
    double (*bytes)(const void *state);
    void (*free)(void *state);

    const peer_history *history;     /* NULL: no persistent form */
    const peer_collision *collision; /* NULL: has no search for pairs */
    const peer_sight *sight;         /* NULL: has neither query */
    const peer_sharing *sharing;     /* NULL: not for two threads at once */
} peer;

/* Returns the mark of a pair: a hash that is equal for both orders, so different sets of pairs
   rarely have the same sum of marks. */
static inline uint64_t
pair_mark(uint64_t a, uint64_t b)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    return (a + odd) * (b + odd);
}

static inline void
add_pair(answer *found, uint64_t a, uint64_t b)
{
    found->hits++;
    found->ids += pair_mark(a, b);
}

extern const peer peer_pqt;            /* on the collector; without it, in an arena */
extern const peer peer_pqt_arena;      /* in an arena */
extern const peer peer_pqt_large_heap; /* these two only with the collector */
extern const peer peer_pqt_uncollected;
extern const peer peer_pqt_pinned; /* W8 alone: the reader holds pins, and is not attached */
#if BENCH_WITH_BOOST
extern const peer peer_boost_packed;
extern const peer peer_boost_rstar;
#endif
#if BENCH_WITH_BOX2D
extern const peer peer_box2d;
#endif
#if BENCH_WITH_GEOS
extern const peer peer_geos;
#endif
#if BENCH_WITH_CHIPMUNK
extern const peer peer_chipmunk_tree;
extern const peer peer_chipmunk_hash;
#endif
#if BENCH_WITH_SPATIALINDEX
extern const peer peer_spatialindex;
#endif
extern const peer peer_grid;
extern const peer peer_sweep;

#ifdef __cplusplus
}
#endif

#endif
