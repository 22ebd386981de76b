/* SPDX-License-Identifier: MIT */
/* save_task.h: the options of `pqt save`, and what its files share. */
#ifndef SAVE_TASK_H
#define SAVE_TASK_H

#include "tool/tool.h"

typedef struct save_request {
    const char *target, *file;   /* a store or the address of a line, and the version */
    char *label, *name, *author; /* NULL: not given */
    double time;
    bool has_time, merges;
} save_request;

/* Save the version, and print its number. Return false if nothing has changed. */
bool save_to_store(const save_request *req);
bool save_to_line(const save_request *req);

#endif
