/* SPDX-License-Identifier: MIT */
/* progress.h: a progress bar on standard error. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

/* Begins the bar. If the total is 0, it is unknown, and only the amount done is shown. */
void progress_begin(const char *label, uint64_t total);

/* Shows the amount done. It is cheap, because it draws at most ten times a second. */
void progress_at(uint64_t done);

/* Erases the bar. */
void progress_end(void);

#endif
