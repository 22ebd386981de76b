/* SPDX-License-Identifier: MIT */
/* heap_cycles.h: runs single cycles of a heap. */
#ifndef TEST_HEAP_CYCLES_H
#define TEST_HEAP_CYCLES_H

#include <check.h>

#include <pqt/heap.h>

#include "memory/heap_internal.h"

/* In a checked build, the quarantine holds the bytes of reclaimed trees. */
#ifdef PQT_DEBUG
enum { QUARANTINED_BYTES = 48 * PQTI_QUARANTINE };
#else
enum { QUARANTINED_BYTES = 0 };
#endif

/* Returns the heap's state, which public functions do not show. */
static inline pqti_heap *
inside_of(pqt_memory *heap)
{
    return (pqti_heap *)heap;
}

/* Ends the open cycle, if there is one, and runs another one. Each is minor if it may be. */
static inline void
run_cycle(pqt_memory *heap)
{
    while (pqti_is_in_cycle(inside_of(heap)))
        (void)pqt_memory_reclaim(heap, 1000);
    inside_of(heap)->bytes_since_cycle = SIZE_MAX / 2; /* so that a cycle is due */
    do
        (void)pqt_memory_reclaim(heap, 1000);
    while (pqti_is_in_cycle(inside_of(heap)));
}

static inline uint64_t
used_bytes(const pqt_memory *heap)
{
    return pqt_memory_get_stats(heap).used_bytes;
}

/* Fails if the last cycle has left something that RECLAIM_ALL frees. Versions of the last slices of
   an open cycle are young, so the cycle that run_cycle begins is the one to free them. */
static inline void
require_clean(pqt_memory *heap)
{
    run_cycle(heap);
    const uint64_t before = used_bytes(heap);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(used_bytes(heap), before);
}

/* Begins a cycle, and takes single steps until it is in a phase. The heap must have blocks to mark.
 */
static inline void
advance_to(pqt_memory *heap, pqti_heap_phase phase)
{
    inside_of(heap)->bytes_since_cycle = SIZE_MAX / 2; /* so that a cycle is due */
    while (atomic_load(&inside_of(heap)->phase) != phase)
        (void)pqt_memory_reclaim(heap, 1);
}

#endif
