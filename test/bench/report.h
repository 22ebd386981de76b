/* SPDX-License-Identifier: MIT */
/*
 * report.h: figures for people, as a table, and for programs, as comma-separated values.
 *
 * A ratio is the peer's figure divided by pqt's: above 1, pqt is faster or smaller. The table marks
 * ratios below 1.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"

typedef enum format { TABLE, CSV } format;

/* Prints the head of the report; `what` has the contestants and the number of repeats. */
void report_begin(format form, const plan *what);

/* Prints the head of a workload, `what->task`. */
void report_task(format form, const plan *what);

/* Prints a note in place of figures: see is_too_much. */
void report_too_much(format form, const plan *what);

/* Prints the figures of one workload on one distribution. */
void report(format form, const plan *what, const outcome outcomes[MOST_CONTESTANTS]);

#endif
