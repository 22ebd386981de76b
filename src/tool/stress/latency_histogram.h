/* SPDX-License-Identifier: MIT */
/*
 * latency_histogram.h: a histogram of durations, with their number, the longest one, and quantiles.
 */
#ifndef LATENCY_HISTOGRAM_H
#define LATENCY_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* There are 32 buckets for each power of two, so a quantile is accurate to 3 %. The longest
   duration is exact. */
enum { HISTOGRAM_STEPS = 32, HISTOGRAM_BUCKETS = 60 * HISTOGRAM_STEPS };

/* A histogram of durations in nanoseconds. Initialise it with {0}. */
typedef struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t count, longest, sum;
} histogram;

/* Returns the time of the monotonic clock, in nanoseconds. */
uint64_t clock_nanoseconds(void);

/* Returns the time of the same clock, in seconds. */
double clock_seconds(void);

void histogram_add(histogram *all, uint64_t time);
void histogram_merge(histogram *all, const histogram *others);

/* Returns the duration that a given fraction of all durations, from 0 to 1, does not exceed.
   Returns 0 if there are no durations. */
uint64_t histogram_quantile(const histogram *all, double share);

#endif
