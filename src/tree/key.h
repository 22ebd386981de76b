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
 *                         the rest go to the quadrants, by the digit of the centre at depth d
 *     CENTRE of depth d   inside a bucket: by the digit of the centre at depth d
 *     MIX    of depth m   below the maximal depth: by two bits of the mix; at m = 32 none is left
 */
#ifndef PQTI_KEY_H
#define PQTI_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/simd.h"
#include "tree/domain.h"

enum {
    PQTI_QUADRANTS = 4,
    PQTI_OWN_ITEMS = 4, /* the index of a node's bucket among its parts */
    PQTI_CHILDREN = 5,
    PQTI_HASH_DEPTH = 32,
    PQTI_MAX_DEPTH = PQT_MAX_DEPTH + 1 + PQTI_HASH_DEPTH /* nodes on any way down */
};

/* The parts of a node in the order of their items. */
static const int pqti_child_order[PQTI_CHILDREN] = {PQTI_OWN_ITEMS, 0, 1, 2, 3};

/* What of an item decides its way; 16 bytes, sorted by the million. */
typedef struct pqti_key {
    /* Morton code of the centre, cut to the maximal depth; at level 0, all of the code on the
     * outlier
       lattice. Its first `level` digits are the path. */
    uint64_t centre;
    uint32_t index; /* of the item in the array that the entries belong to */
    uint8_t level;
    bool removal;  /* for edits: the item is to be absent, not present */
    bool kept;     /* for making a part anew: the item was there before */
    bool new_hash; /* sorting found that the one before it has the same centre and another mix */
} pqti_key;

typedef enum pqti_level_kind { PQTI_BY_CELL, PQTI_BY_CENTRE, PQTI_BY_HASH } pqti_level_kind;

typedef struct pqti_level {
    uint8_t kind;
    uint8_t depth;
    bool outliers; /* in the root's bucket: extents are on the outlier lattice */
} pqti_level;

#define PQTI_ROOT ((pqti_level){PQTI_BY_CELL, 0, false})

/* A place for items by the centre alone; at the maximal depth, by the mix. The maximal depth is an
   option for the cells of the bounds; the root's bucket, whose lattice is not theirs, uses all of
   its lattice. */
static inline pqti_level
pqti_centre_level(const pqti_domain *domain, unsigned depth, bool outliers)
{
    if (depth == (outliers ? PQT_MAX_DEPTH : domain->depth))
        return (pqti_level){PQTI_BY_HASH, 0, outliers};
    return (pqti_level){PQTI_BY_CENTRE, (uint8_t)depth, outliers};
}

static inline pqti_level
pqti_quadrant_level(const pqti_domain *domain, pqti_level level)
{
    if (level.kind == PQTI_BY_CENTRE)
        return pqti_centre_level(domain, level.depth + 1u, level.outliers);
    return (pqti_level){level.kind, (uint8_t)(level.depth + 1), level.outliers};
}

static inline pqti_level
pqti_child_level(const pqti_domain *domain, pqti_level level, int child_index)
{
    if (child_index == PQTI_OWN_ITEMS)
        return pqti_centre_level(domain, level.depth, level.depth == 0);
    return pqti_quadrant_level(domain, level);
}

/* Whether items at this place can be divided no further. */
static inline bool
pqti_level_is_last(pqti_level level)
{
    return level.kind == PQTI_BY_HASH && level.depth == PQTI_HASH_DEPTH;
}

/* The quadrant that a Morton code, or a mix, says for a depth. */
static inline int
pqti_digit(uint64_t code, unsigned depth)
{
    return (int)(code >> ((62 - 2 * depth) & 63) & 3);
}

/* Which part of a node at `level` an item belongs to. One that does not belong there at all, beside
   a chain (path_compress.h), gets any part; in the deepest cell there is no digit left for it. */
static inline int
pqti_child_index(pqti_level level, const pqti_key *key, const pqt_item *item)
{
    if (level.kind == PQTI_BY_HASH)
        return pqti_digit(pqti_item_hash(item), level.depth);
    if (level.kind == PQTI_BY_CELL && key->level == level.depth)
        return PQTI_OWN_ITEMS;
    return pqti_digit(key->centre, level.depth);
}

/* Works out an item of these sides, with index 0. */
pqti_key pqti_key_of_sides(const pqti_domain *domain, pqti_f64x2 min, pqti_f64x2 max);

/* Works an item out. */
pqti_key pqti_key_of(const pqti_domain *domain, const pqt_item *item, size_t index);

/* Works all items of an array out, one entry after the other. */
void pqti_keys_of(const pqti_domain *domain, const pqt_item *items, size_t count, pqti_key *keys);

/* Below zero, zero or above: how a comes to stand to b. Zero only for equal items. */
int pqti_compare(const pqti_key *a, const pqt_item *item_a, const pqti_key *b,
                 const pqt_item *item_b);

/* How a comes to stand to b by path, a prefix first, then by centre. */
static inline int
pqti_compare_paths(const pqti_key *a, const pqti_key *b)
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
void pqti_sort(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items);

/* The first `depth` digits, the rest zeros. Two shifts, since one of 64 is none. */
static inline uint64_t
pqti_cut_to_depth(uint64_t morton, unsigned depth)
{
    return morton & ~(UINT64_MAX >> depth >> depth);
}

#endif
