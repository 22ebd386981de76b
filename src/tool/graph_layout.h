/* SPDX-License-Identifier: MIT */
/*
 * graph_layout.h - the rows and columns in which the tree of a history is shown.
 *
 * Each entry has a row below that of the one it follows. Of what follows a fork the largest part
 * goes straight on, as the last; other parts come before it, each a column further right. So a way
 * is followed by the eye, and n entries take at most log2(n) columns, however they branch.
 */
#ifndef GRAPH_LAYOUT_H
#define GRAPH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

typedef struct lane_row {
    pqt_history_entry entry;
    size_t parent;   /* its row, which is above; the first one's is itself */
    size_t size;     /* entries from it on */
    size_t heavy;    /* the row of the largest part that follows; its own if nothing does */
    size_t column;   /* ways left, from the first entry to it */
    size_t left_out; /* entries after it that have no row: lanes_shorten */
    size_t next;     /* where the next part that follows begins, when rows are put in order */
} lane_row;

typedef struct lanes {
    lane_row *list;
    size_t count, capacity;
    size_t columns; /* the largest of all */
} lanes;

/* The entries of a history, which is not to change meanwhile; to be freed. */
lanes lanes_of(const pqt_history *history);
void lanes_free(lanes *all);

/* Whether a row is the first of one that stands further right. */
bool lanes_begins_branch(const lanes *all, size_t i);

/* Makes one row of each run of entries that say nothing by themselves. */
void lanes_shorten(lanes *all);

#endif
