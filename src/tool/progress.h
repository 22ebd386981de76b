/* SPDX-License-Identifier: MIT */
/* progress.h: how far long work has come, on standard error if that is a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Standard error receives errors only, neither progress nor notes (--quiet). */
extern bool is_quiet;

typedef enum progress_unit {
    PROGRESS_BYTES,
    PROGRESS_COUNT,
    PROGRESS_TIME /* the amounts are times, and only the time left is shown */
} progress_unit;

/* Begins a bar. `label` is a string constant. If the total is 0, it is unknown, and only the amount
   done is shown. */
void progress_begin(const char *label, uint64_t total, progress_unit unit);

/* Shows the amount done, and the time left. It is cheap, because it draws at most ten times a
   second. */
void progress_at(uint64_t done);

/* Begins work that does not say how far it is: shows the number of items and the time that it has
   taken, until progress_end. */
void progress_begin_wait(const char *label, uint64_t items);

/* Erases the bar. */
void progress_end(void);

#endif
