/* SPDX-License-Identifier: MIT */
/*
 * latency_histogram.c - how long something took, many times: how often, how long at most, and for
 * all but few.
 *
 * Times below GAUGE_STEPS have a count each; of longer ones the first bits after the highest choose
 * the count.
 */
#include "config.h"

#include "tool/stress/latency_histogram.h"

#include <time.h>

uint64_t
gauge_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double
gauge_seconds(void)
{
    return (double)gauge_now() * 1e-9;
}

static size_t
place_of(uint64_t time)
{
    size_t shift = 0;
    while (time >> shift >= 2 * GAUGE_STEPS)
        shift++;
    const size_t rank = shift * GAUGE_STEPS + (size_t)(time >> shift);
    return rank < GAUGE_ROOM ? rank : GAUGE_ROOM - 1;
}

/* The longest time that is counted there. */
static uint64_t
end_of(size_t rank)
{
    if (rank < 2 * GAUGE_STEPS)
        return rank;
    const size_t shift = rank / GAUGE_STEPS - 1;
    return ((uint64_t)(rank % GAUGE_STEPS + GAUGE_STEPS + 1) << shift) - 1;
}

void
gauge_add(gauge *all, uint64_t time)
{
    all->counts[place_of(time)]++;
    all->count++;
    all->sum += time;
    if (time > all->longest)
        all->longest = time;
}

void
gauge_join(gauge *all, const gauge *others)
{
    for (size_t i = 0; i < GAUGE_ROOM; i++)
        all->counts[i] += others->counts[i];
    all->count += others->count;
    all->sum += others->sum;
    if (others->longest > all->longest)
        all->longest = others->longest;
}

uint64_t
gauge_share(const gauge *all, double share)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < GAUGE_ROOM; i++) {
        seen += all->counts[i];
        if (seen > 0 && (double)seen >= share * (double)all->count)
            return end_of(i) < all->longest ? end_of(i) : all->longest;
    }
    return 0;
}
