/* SPDX-License-Identifier: MIT */
/*
 * report.h: prints figures as a table for people, or as comma-separated values for programs.
 *
 * A ratio is the peer's figure divided by pqt's: above 1, pqt is faster or smaller. The table marks
 * ratios below 1.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"

typedef enum format { TABLE, CSV } format;

/* Prints the head of the report, with the contestants and the number of repeats from `what`. */
void report_begin(format form, const plan *what);

/* Prints the head of the workload `what->task`. */
void report_task(format form, const plan *what);

/* Prints a note in place of figures; see is_too_much. */
void report_too_much(format form, const plan *what);

/* Prints the figures of one workload on one distribution. */
void report(format form, const plan *what, const outcome outcomes[MOST_CONTESTANTS]);

#endif
