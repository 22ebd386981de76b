/* SPDX-License-Identifier: MIT */
/*
 * hashtable.h: the number of slots and the order of probes of hash tables with open addressing and
 * linear probing.
 *
 * The owner of a table defines the contents of a slot. The number of slots is a power of 2, and the
 * mask is this number minus 1. When a table holds as many entries as it was made for, more than a
 * third and at most two thirds of its slots are used, unless it has only PQTI_MIN_SLOTS slots.
 * Source: D. E. Knuth, "Sorting and Searching", section 6.4, algorithm L.
 */
#ifndef PQTI_HASHTABLE_H
#define PQTI_HASHTABLE_H

#include <stddef.h>
#include <stdint.h>

enum { PQTI_MIN_SLOTS = 16 };

/*
 * Returns the number of slots for a table of `entries` entries: PQTI_MIN_SLOTS, or fewer than three
 * per entry.
 */
static inline size_t
pqti_slots_for(size_t entries)
{
    size_t slots = PQTI_MIN_SLOTS;
    while (slots < entries + entries / 2)
        slots *= 2;
    return slots;
}

/* Returns the slot where the search for a hash begins. */
static inline size_t
pqti_first_slot(uint64_t hash, size_t mask)
{
    return (size_t)hash & mask;
}

/* Returns the next slot to probe. */
static inline size_t
pqti_next_slot(size_t slot, size_t mask)
{
    return (slot + 1) & mask;
}

#endif
