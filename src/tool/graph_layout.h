/* SPDX-License-Identifier: MIT */
/*
 * graph_layout.h: computes the rows and columns in which the tree of a history is drawn.
 *
 * Each entry has a row below its parent. The largest subtree of a fork comes last and stays in the
 * same column; the other subtrees come before it, one column further right. So a branch is easy to
 * follow, and n entries take at most log2(n) columns.
 */
#ifndef GRAPH_LAYOUT_H
#define GRAPH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

typedef struct graph_row {
    pqt_history_entry entry;
    size_t parent; /* the row of its parent, which is above; the first entry is its own parent */
    size_t size;   /* number of entries in its subtree */
    size_t heavy;  /* the row of its largest child; its own row if it has none */
    /* number of forks on the path from the first entry at which it is not in the largest subtree */
    size_t column;
    size_t left_out; /* number of entries after it that have no row: see graph_layout_collapse */
    size_t next;     /* the row at which its next child begins, while rows are sorted */
} graph_row;

typedef struct graph_layout {
    graph_row *list;
    size_t count, capacity;
    size_t columns; /* the largest column */
} graph_layout;

/* Computes the layout of a history, which must not change in the meantime. The caller frees it. */
graph_layout graph_layout_of(const pqt_history *history);
void graph_layout_free(graph_layout *all);

/* Returns true if a row is the first of a column further right. */
bool graph_row_begins_branch(const graph_layout *all, size_t i);

/* Collapses each run of plain entries into one row. */
void graph_layout_collapse(graph_layout *all);

#endif
