/* SPDX-License-Identifier: MIT */
/* history_graph.h: prints and draws the tree of a history's entries. */
#ifndef HISTORY_GRAPH_H
#define HISTORY_GRAPH_H

#include <pqt.h>

/* Prints one line for each entry, which shows whether undo leads to it, its number, label, time,
   bytes and marks. */
void history_print(const pqt_history *history);

/* Draws the same tree as an SVG picture in the file `output`. */
void history_draw(const pqt_history *history, const char *output, const char *title);

#endif
