/* SPDX-License-Identifier: MIT */
/*
 * latency_histogram.c: implements a histogram of durations, with their number, the longest one, and
 * quantiles.
 *
 * Durations below HISTOGRAM_STEPS have one bucket each. The bucket of a longer duration is
 * chosen by the position of its highest bit and by the bits after it.
 */
#include "config.h"

#include "tool/stress/latency_histogram.h"

#include <time.h>

uint64_t
clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double
clock_seconds(void)
{
    return (double)clock_nanoseconds() * 1e-9;
}

static size_t
bucket_of(uint64_t time)
{
    size_t shift = 0;
    while (time >> shift >= 2 * HISTOGRAM_STEPS)
        shift++;
    const size_t bucket = shift * HISTOGRAM_STEPS + (size_t)(time >> shift);
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* Returns the longest duration that a bucket counts. */
static uint64_t
end_of_bucket(size_t bucket)
{
    if (bucket < 2 * HISTOGRAM_STEPS)
        return bucket;
    const size_t shift = bucket / HISTOGRAM_STEPS - 1;
    return ((uint64_t)(bucket % HISTOGRAM_STEPS + HISTOGRAM_STEPS + 1) << shift) - 1;
}

void
histogram_add(histogram *all, uint64_t time)
{
    all->counts[bucket_of(time)]++;
    all->count++;
    all->sum += time;
    if (time > all->longest)
        all->longest = time;
}

void
histogram_merge(histogram *all, const histogram *others)
{
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        all->counts[i] += others->counts[i];
    all->count += others->count;
    all->sum += others->sum;
    if (others->longest > all->longest)
        all->longest = others->longest;
}

uint64_t
histogram_quantile(const histogram *all, double share)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += all->counts[i];
        if (seen > 0 && (double)seen >= share * (double)all->count)
            return end_of_bucket(i) < all->longest ? end_of_bucket(i) : all->longest;
    }
    return 0;
}
