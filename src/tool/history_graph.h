/* SPDX-License-Identifier: MIT */
/* history_graph.h - the tree of a history's entries, as text and as a picture. */
#ifndef HISTORY_GRAPH_H
#define HISTORY_GRAPH_H

#include "tool/tool.h"

/* Prints an entry a line: where undo leads, its number, label, time, bytes, and marks. */
void branches_print(const pqt_history *history);

/* Draws the same as SVG into a file of that name. */
void branches_draw(const pqt_history *history, const char *output, const char *title);

#endif
