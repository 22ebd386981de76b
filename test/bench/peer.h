/* SPDX-License-Identifier: MIT */
/*
 * peer.h: the interface of the contestants in the benchmark: pqt itself, and its peers.
 *
 * A contestant is a table of functions that work on its own state. It receives its items in `make`,
 * before the clock starts, so converting them is not timed. `query` returns the same numbers for
 * all contestants, so answers can be compared.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pqt/all.h>

#include "random_boxes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sum over the results of queries. It is equal for contestants with equal results. */
typedef struct answer {
    uint64_t hits;
    uint64_t ids; /* the sum, modulo 2^64, of ids, marks of items or pairs, or bits of distances */
} answer;

/* The functions of contestants with persistent versions. */
typedef struct peer_history {
    /* Starts from an empty version, with capacity for `count` more versions. Called in place of
       `build`. */
    bool (*begin)(void *state, size_t count);
    /* Makes a version with one more item, and keeps all earlier versions. */
    bool (*insert)(void *state, const pqt_item *item);
    /* Adds the items of a version that touch the window to *found. Version 0 is empty. */
    void (*query)(const void *state, size_t version, const pqt_box *window, answer *found);
    /* Returns the number of bytes that a version does not share with the previous one. */
    double (*own_bytes)(const void *state, size_t version);
    /* Returns the number of bytes that are allocated after a garbage collection. */
    double (*memory_bytes)(const void *state);
} peer_history;

/* The functions of contestants that find overlapping pairs. */
typedef struct peer_collision {
    /* Adds each touching pair once, by its mark. */
    void (*pairs)(void *state, answer *found);
    /* Receives the next moves, each of a different item, before the clock starts. Does not move
       items yet. */
    bool (*take)(void *state, const drawn_move *moves, size_t count);
    /* Applies these moves by the method that is fastest for their number. */
    bool (*advance)(void *state);
    /* Does what `advance` does, adds the pairs that began, and subtracts those that ended. NULL if
       the contestant cannot do it. */
    bool (*follow)(void *state, answer *found);
    /* Adds the pairs of one item. Omits its pairs with moved items that have lower ids, because
       those items add them. NULL if the contestant cannot do it. */
    void (*partners)(const void *state, const pqt_item *item, const bool *has_moved, answer *found);
} peer_collision;

/* The functions of contestants that find the nearest items or the first item on a segment. Any of
   them may be NULL. */
typedef struct peer_sight {
    /* Writes the ids of the `most` items nearest to a point, in any order. Returns their number. */
    size_t (*nearest)(const void *state, pqt_vec from, size_t most, uint64_t *ids);
    /* Sets *id to the item that the segment enters first. Returns false if it enters none. */
    bool (*first_hit)(const void *state, const pqt_segment *segment, uint64_t *id);
    /* Receives, before the clock starts, half the size of the boxes that later sweeps move. NULL if
       it is not needed. */
    bool (*take_swept)(void *state, pqt_vec half);
    /* Sets *id to the item that such a box meets first while its centre moves along the segment.
       Returns false if it meets none. */
    bool (*first_met)(const void *state, pqt_vec half, const pqt_segment *segment, uint64_t *id);
} peer_sight;

/* The functions of contestants that allow one thread to read while another one writes. */
typedef struct peer_sharing {
    /* Prepares the index for reading threads. Called in place of `build`. */
    bool (*begin)(void *state);
    /* Moves an item. Reads that begin afterwards must find its new box. Only one thread calls
       it. */
    bool (*write)(void *state, const pqt_item *from, const pqt_box *to);
    /* Begin and end reading in a thread. `enter` returns NULL on failure. */
    void *(*enter)(void *state);
    void (*leave)(void *reader);
    /* Adds the items that touch the window in the newest state. */
    void (*read)(void *reader, const pqt_box *window, answer *found);
} peer_sharing;

typedef struct peer {
    const char *name; /* a one-word name, for tables */
    const char *what; /* a one-line description */
    bool is_pqt; /* this is pqt in another memory, not a peer, so a smaller figure is not a loss */

    /* Makes a state for these items, which remain valid. Either most of them are inside `world`, or
       none is. Returns NULL if out of memory. */
    void *(*make)(const pqt_item *items, size_t count, pqt_box world);
    /* Builds an index of all items by the fastest method. Returns false on failure. */
    bool (*build)(void *state);
    /* Moves an item. Only the newest state must be kept. NULL if the contestant cannot do it. */
    bool (*move)(void *state, const pqt_item *from, const pqt_box *to);
    /* Adds the items that touch the window, edges and corners included. NULL if the contestant
       cannot do it. */
    void (*query)(const void *state, const pqt_box *window, answer *found);
    /* Does so, and reads each side of each item: adds their marks. NULL if that is not measured. */
    void (*query_items)(const void *state, const pqt_box *window, answer *found);
    /* Returns the number of bytes of the index, including its boxes and ids. NULL if it is
       unknown. */
    double (*bytes)(const void *state);
    void (*free)(void *state);

    const peer_history *history;     /* NULL if it has no persistent versions */
    const peer_collision *collision; /* NULL if it has no search for pairs */
    const peer_sight *sight;         /* NULL if it has neither query */
    const peer_sharing *sharing;     /* NULL if two threads must not use it at once */
} peer;

/* Returns the mark of an item: the sum of the bits of its sides, and its id. */
static inline uint64_t
item_mark(double min_x, double min_y, double max_x, double max_y, uint64_t id)
{
    const double sides[] = {min_x, min_y, max_x, max_y};
    uint64_t bits[4];
    memcpy(bits, sides, sizeof bits);
    return bits[0] + bits[1] + bits[2] + bits[3] + id;
}

/* Returns the mark of a pair: a hash that does not depend on the order of the two items. Different
   sets of pairs rarely have the same sum of marks. */
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

extern const peer peer_pqt;       /* on the collector, or in an arena if pqt was built without it */
extern const peer peer_pqt_arena; /* in an arena */
extern const peer peer_pqt_large_heap; /* this one and the next one exist only with the collector */
extern const peer peer_pqt_uncollected;
extern const peer peer_pqt_pinned; /* for W8: its reader is not attached, and holds pins */
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
