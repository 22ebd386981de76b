/* SPDX-License-Identifier: MIT */
/*
 * graph_layout.h: computes the rows and columns in which the tree of a history is drawn.
 *
 * Each entry has a row below its parent's. At a fork, the largest subtree comes last and stays in
 * the same column. The other subtrees come before it, one column further to the right. So a branch
 * is easy to follow, and n entries take at most log2(n) columns.
 */
#ifndef GRAPH_LAYOUT_H
#define GRAPH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

typedef struct graph_row {
    pqt_history_entry entry;
    size_t parent; /* the row of its parent, which is above; the first entry is its own parent */
    size_t size;   /* the number of entries in its subtree */
    size_t heavy;  /* the row of its child with the largest subtree; its own row if it has no
                      child */
    /* the number of forks on the path from the first entry at which the path leaves the largest
       subtree */
    size_t column;
    size_t left_out; /* the number of entries after it that have no row; see
                        graph_layout_collapse */
    size_t next;     /* while the rows are sorted: the row at which its next child begins */
} graph_row;

typedef struct graph_layout {
    graph_row *list;
    size_t count, capacity;
    size_t columns; /* the largest column number */
} graph_layout;

/* Computes the layout of a history, which must not change while the layout is used. The caller
   frees the layout. */
graph_layout graph_layout_of(const pqt_history *history);
void graph_layout_free(graph_layout *all);

/* Returns true if a row is the first one of a branch that is a column further to the right. */
bool graph_row_begins_branch(const graph_layout *all, size_t i);

/* Replaces each run of plain entries with one row. */
void graph_layout_collapse(graph_layout *all);

#endif
