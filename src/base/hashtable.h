/* SPDX-License-Identifier: MIT */
/*
 * hashtable.h - open addressing with linear probing: how many slots a table has, and in which order
 * they are probed.
 *
 * What a slot holds is its owner's business. The number of slots is a power of 2, and the mask is
 * that number less 1. A table that is as full as it was made for uses more than a third of its
 * slots and at most two thirds. D. E. Knuth, "Sorting and Searching", section 6.4, algorithm L.
 */
#ifndef PQTI_HASHTABLE_H
#define PQTI_HASHTABLE_H

#include <stddef.h>
#include <stdint.h>

enum { PQTI_MIN_SLOTS = 16 };

/* The slots of a table for so many entries: PQTI_MIN_SLOTS, or less than three an entry. */
static inline size_t
pqti_slots_for(size_t entries)
{
    size_t slots = PQTI_MIN_SLOTS;
    while (slots < entries + entries / 2)
        slots *= 2;
    return slots;
}

/* Where the search for a hash begins. */
static inline size_t
pqti_first_slot(uint64_t hash, size_t mask)
{
    return (size_t)hash & mask;
}

/* The slot after one that holds something else. */
static inline size_t
pqti_next_slot(size_t slot, size_t mask)
{
    return (slot + 1) & mask;
}

#endif
