/* SPDX-License-Identifier: MIT */
/* history_task.h - what a script of `pqt history` works on, and the questions that it may ask. */
#ifndef HISTORY_TASK_H
#define HISTORY_TASK_H

#include <stdbool.h>

#include "tool/script.h"
#include "tool/tool.h"

typedef struct editor {
    script ops;
    pqt_history *history;
    double now;
    bool has_time; /* the script says when; else each edit comes 1 later */
    size_t groups; /* that are open, one within the other */
    size_t begun;  /* the line of the outermost */
} editor;

/* Ends the program, at the line of the script that asked for it. */
_Noreturn void history_complain(const editor *e, const pqt_error *error);

/** history_queries.c: each takes its arguments from the script's line, and prints the answer */

void past_content(editor *e);
void past_changed(editor *e);
void past_item(editor *e);
void past_between(editor *e);

#endif
