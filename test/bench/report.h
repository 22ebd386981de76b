/* SPDX-License-Identifier: MIT */
/*
 * report.h: figures for people, as a table, and for programs, as comma-separated values.
 *
 * A ratio is the peer's figure through pqt's: above 1, pqt is faster or smaller. Where it is below,
 * the table says so.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "measure.h"

typedef enum format { TABLE, CSV } format;

/* What comes before the first figure; `what` names contestants and repeats. */
void report_begin(format form, const plan *what);

/* What comes before the first figure of a workload, `what->task`. */
void report_task(format form, const plan *what);

/* Instead of figures: see is_too_much. */
void report_too_much(format form, const plan *what);

/* The figures of one workload on one distribution. */
void report(format form, const plan *what, const outcome outcomes[MOST_CONTESTANTS]);

#endif
