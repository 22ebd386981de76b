/* SPDX-License-Identifier: MIT */
/*
 * latency_histogram.h - how long something took, many times: how often, how long at most, and for
 * all but
   few.
 */
#ifndef LATENCY_HISTOGRAM_H
#define LATENCY_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* 32 steps for each doubling: a time is told to 3 %, the longest one exactly. */
enum { GAUGE_STEPS = 32, GAUGE_ROOM = 60 * GAUGE_STEPS };

/* Times in nanoseconds. Start from {0}. */
typedef struct gauge {
    uint64_t counts[GAUGE_ROOM];
    uint64_t count, longest, sum;
} gauge;

/* The monotonic clock, in nanoseconds. */
uint64_t gauge_now(void);

/* The same, in seconds. */
double gauge_seconds(void);

void gauge_add(gauge *all, uint64_t time);
void gauge_join(gauge *all, const gauge *others);

/* A time that so large a share of all, 0 to 1, did not exceed; 0 if there was none. */
uint64_t gauge_share(const gauge *all, double share);

#endif
