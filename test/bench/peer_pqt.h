/* SPDX-License-Identifier: MIT */
/* peer_pqt.h: the state of pqt as a contestant, shared by several source files. */
#ifndef BENCH_PEER_PQT_H
#define BENCH_PEER_PQT_H

#include "peer.h"

#include <pqt/head.h>

typedef struct holder {
    const pqt_item *items;
    size_t count;
    pqt_box world;     /* the declared bounds */
    pqt_memory *arena; /* NULL if the collector is used */
    const pqt_tree *tree;
    const pqt_tree **versions; /* version 0 is empty; `tree` is the last one */
    size_t last;
    pqt_head *head;      /* set while reading threads share the tree */
    pqt_change *changes; /* the moves that `take` received */
    pqt_item *moved;     /* the moved items with their new boxes */
    size_t change_count;
    pqt_error error;
} holder;

/* These functions implement those of struct peer. */
void *holder_make(const pqt_item *items, size_t count, pqt_box world);
bool holder_build(void *of);
bool holder_move(void *of, const pqt_item *from, const pqt_box *to);
void holder_free(void *of);

/* Returns false and prints the error if an edit failed. */
bool holder_succeeds(const holder *s);

/* Adds the items of one version that touch the window. */
void holder_query(const pqt_tree *tree, const pqt_box *window, answer *found);

/* The functions for reading threads; see peer_pqt_threads.c. */
extern const peer_sharing pqt_sharing;

#endif
