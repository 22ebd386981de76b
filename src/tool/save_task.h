/* SPDX-License-Identifier: MIT */
/*
 * save_task.h: the options of `pqt save`, and the functions that its files share.
 *
 * Sources of this folder without a header of their own: cmd_save_line.c, cmd_save_store.c.
 */
#ifndef SAVE_TASK_H
#define SAVE_TASK_H

#include <stdbool.h>

typedef struct save_request {
    const char *target, *file;   /* a store or the address of a line; the file with the version */
    char *label, *name, *author; /* NULL: the option was not given */
    double time;
    bool has_time, merges;
} save_request;

/* Save the version and print its number. Return false if nothing has changed. */
bool save_to_store(const save_request *req);
bool save_to_line(const save_request *req);

#endif
