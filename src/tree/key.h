/* SPDX-License-Identifier: MIT */
/*
 * key.h - where an item belongs: its way down the tree, and its place in the one order of items.
 *
 * An item's level is the first depth at which it is larger than a cell; its path is that many
 * digits of the Morton code of its centre. Items are ordered by path, a prefix first; then by the
 * centre down to the maximal depth; then by mix; then by their five numbers. A node's parts are
 * ranges of that order, so sorting once is building.
 *
 * A place says by which digit a node of the tree divides its items:
 *
 *     SPACE  of depth d   a cell of the bounds: what stops here is the bucket, a part of its own;
 *                         the rest go to the quarters, by the digit of the centre at depth d
 *     CENTRE of depth d   inside a bucket: by the digit of the centre at depth d
 *     MIX    of depth m   below the maximal depth: by two bits of the mix; at m = 32 none is left
 */
#ifndef PQTI_KEY_H
#define PQTI_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "tree/domain.h"

enum {
    PQTI_QUARTERS = 4,
    PQTI_BUCKET = 4, /* the index of a node's bucket among its parts */
    PQTI_PARTS = 5,
    PQTI_MIX_DEPTH = 32,
    PQTI_MOST_DEPTH = PQT_MAX_DEPTH + 1 + PQTI_MIX_DEPTH /* nodes on any way down */
};

/* Functions with large frames stay out of those that recurse: hosts have stacks of 128 KiB. */
#define PQTI_NOINLINE __attribute__((noinline))

/* The parts of a node in the order of their items. */
static const int pqti_part_order[PQTI_PARTS] = {PQTI_BUCKET, 0, 1, 2, 3};

/* What of an item decides its way; 16 bytes, sorted by the million. */
typedef struct pqti_entry {
    /* Morton code of the centre, cut to the maximal depth; at level 0, all of the code on the stray
       lattice. Its first `level` digits are the path. */
    uint64_t centre;
    uint32_t index; /* of the item in the array that the entries belong to */
    uint8_t level;
    bool removal; /* for edits: the item is to be absent, not present */
    bool kept;    /* for making a part anew: the item was there before */
    bool unlike;  /* sorting found that the one before it has the same centre and another mix */
} pqti_entry;

typedef enum pqti_place_kind { PQTI_SPACE, PQTI_CENTRE, PQTI_MIX } pqti_place_kind;

typedef struct pqti_place {
    uint8_t kind;
    uint8_t depth;
    bool strays; /* in the root's bucket: extents are on the stray lattice */
} pqti_place;

#define PQTI_ROOT ((pqti_place){PQTI_SPACE, 0, false})

/* A place for items by the centre alone; at the maximal depth, by the mix. The maximal depth is an
   option for the cells of the bounds; the root's bucket, whose lattice is not theirs, uses all of
   its lattice. */
static inline pqti_place
pqti_centre_place(const pqti_space *space, unsigned depth, bool strays)
{
    if (depth == (strays ? PQT_MAX_DEPTH : space->depth))
        return (pqti_place){PQTI_MIX, 0, strays};
    return (pqti_place){PQTI_CENTRE, (uint8_t)depth, strays};
}

static inline pqti_place
pqti_quarter_place(const pqti_space *space, pqti_place place)
{
    if (place.kind == PQTI_CENTRE)
        return pqti_centre_place(space, place.depth + 1u, place.strays);
    return (pqti_place){place.kind, (uint8_t)(place.depth + 1), place.strays};
}

static inline pqti_place
pqti_part_place(const pqti_space *space, pqti_place place, int part)
{
    if (part == PQTI_BUCKET)
        return pqti_centre_place(space, place.depth, place.depth == 0);
    return pqti_quarter_place(space, place);
}

/* Whether items at this place can be divided no further. */
static inline bool
pqti_place_is_last(pqti_place place)
{
    return place.kind == PQTI_MIX && place.depth == PQTI_MIX_DEPTH;
}

/* The quarter that a Morton code, or a mix, says for a depth. */
static inline int
pqti_digit(uint64_t code, unsigned depth)
{
    return (int)(code >> ((62 - 2 * depth) & 63) & 3);
}

/* Which part of a node at `place` an item belongs to. One that does not belong there at all, beside
   a chain (path_compress.h), gets any part; in the deepest cell there is no digit left for it. */
static inline int
pqti_part_of(pqti_place place, const pqti_entry *entry, const pqt_item *item)
{
    if (place.kind == PQTI_MIX)
        return pqti_digit(pqti_mix(item), place.depth);
    if (place.kind == PQTI_SPACE && entry->level == place.depth)
        return PQTI_BUCKET;
    return pqti_digit(entry->centre, place.depth);
}

/* Works out an item of these sides, with index 0. */
pqti_entry pqti_entry_of_sides(const pqti_space *space, pqti_pair min, pqti_pair max);

/* Works an item out. */
pqti_entry pqti_entry_of(const pqti_space *space, const pqt_item *item, size_t index);

/* Works all items of an array out, one entry after the other. */
void pqti_entries_of(const pqti_space *space, const pqt_item *items, size_t count,
                     pqti_entry *entries);

/* Below zero, zero or above: how a comes to stand to b. Zero only for equal items. */
int pqti_compare(const pqti_entry *a, const pqt_item *item_a, const pqti_entry *b,
                 const pqt_item *item_b);

/* How a comes to stand to b by path, a prefix first, then by centre. */
static inline int
pqti_compare_ways(const pqti_entry *a, const pqti_entry *b)
{
    uint64_t differing = a->centre ^ b->centre;
    if (a->level != b->level) {
        unsigned shorter = a->level < b->level ? a->level : b->level;
        if (shorter == 0 || differing >> (64 - 2 * shorter) == 0)
            return a->level < b->level ? -1 : 1;
    }
    return (a->centre > b->centre) - (a->centre < b->centre);
}

/* Sorts entries of `items`, stably; `spare` has room for `count` entries. */
void pqti_sort(pqti_entry *entries, size_t count, pqti_entry *spare, const pqt_item *items);

/* The first `depth` digits, the rest zeros. Two shifts, since one of 64 is none. */
static inline uint64_t
pqti_cut_to_depth(uint64_t morton, unsigned depth)
{
    return morton & ~(UINT64_MAX >> depth >> depth);
}

#endif
