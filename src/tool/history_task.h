/* SPDX-License-Identifier: MIT */
/*
 * history_task.h: the state of `pqt history` while it runs a script, the document that it edits,
 * and the queries of a script.
 *
 * Sources of this folder without a header of their own: history_document.c, history_queries.c.
 */
#ifndef HISTORY_TASK_H
#define HISTORY_TASK_H

#include <stdbool.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/script.h"

typedef struct editor {
    script ops;
    pqt_history *history;
    double now;
    bool has_time;     /* the script sets the times; otherwise the time of each edit is that of the
                     previous one plus 1 */
    size_t groups;     /* the number of open groups */
    size_t group_line; /* the line of the script at which the outermost group began */
} editor;

/* Ends the program with an error at the current line of the script. */
_Noreturn void history_die(const editor *e, const pqt_error *error);

/* Returns the items of a version of the history. */
const pqt_tree *history_items(const void *document);

/* Makes a document from a table. It has a tree with the items, and a map for each other column
   whose name is valid for a part and not yet taken, up to PQT_MAX_PARTS parts. */
const pqt_document *history_document_of(const table *rows, const pqt_tree *items, const char *file);

/* Reads the name of a column and the text for it from the script. Returns the version in which the
   item has this text in the column. If the script gives no text, the item has none there. */
const pqt_document *history_set_text(editor *e, uint64_t id, pqt_error *error);

/* Prints the text of an item in each column. */
void history_print_texts(const editor *e, uint64_t id);

/**
 * The queries (history_queries.c). Each function reads its arguments from the current line of the
 * script and prints the answer.
 */

void query_content(editor *e);
void query_changed(editor *e);
void query_item(editor *e);
void query_between(editor *e);

#endif
