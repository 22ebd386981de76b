/* SPDX-License-Identifier: MIT */
/*
 * key.h: the sort key of an item, which determines its path in the tree and its rank in tree order.
 *
 * An item's level is the first depth at which the item is larger than a cell. Its path consists of
 * the first digits of the Morton code of its centre, one two-bit digit per level. Tree order
 * compares two items by their paths, where a prefix precedes its continuations, then by the
 * remaining digits of their centres down to the maximal depth, then by their hashes, and then by
 * their five fields. The items of each child of a node are consecutive in that order, so one sort
 * suffices to build a tree.
 *
 * A pqti_level specifies the digit by which a node divides its items:
 *
 *     PQTI_BY_CELL,   depth d   a cell of the bounds: items of level d are the own items, and the
 *                               others go to quadrants by the digit of the centre at depth d
 *     PQTI_BY_CENTRE, depth d   among own items: by the digit of the centre at depth d
 *     PQTI_BY_HASH,   depth m   at the maximal depth: by the digit of the hash at depth m; at
 *                               m = 32 no digit is left
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
    PQTI_OWN_ITEMS = 4, /* the index of the child that holds a node's own items */
    PQTI_CHILDREN = 5,
    PQTI_HASH_DEPTH = 32,
    PQTI_MAX_DEPTH = PQT_MAX_DEPTH + 1 + PQTI_HASH_DEPTH /* the maximal number of nodes on a path */
};

/* The children of a node in tree order. */
static const int pqti_child_order[PQTI_CHILDREN] = {PQTI_OWN_ITEMS, 0, 1, 2, 3};

/* The sort key of an item. It is kept to 16 bytes, because millions of keys are sorted at once. */
typedef struct pqti_key {
    /* The Morton code of the centre, truncated to the maximal depth; at level 0, the whole code
       on the outlier grid. Its first `level` digits are the path. */
    uint64_t centre;
    uint32_t index; /* the index of the item in its array */
    uint8_t level;
    bool removal;  /* in an edit: the item must be absent */
    bool kept;     /* in a rebuild: the item was present before */
    bool new_hash; /* set by sorting: the previous item has the same centre but another hash */
} pqti_key;

typedef enum pqti_division { PQTI_BY_CELL, PQTI_BY_CENTRE, PQTI_BY_HASH } pqti_division;

typedef struct pqti_level {
    uint8_t division; /* how a node of this level divides its items: pqti_division */
    uint8_t depth;
    bool outliers; /* true among the own items of the root, whose columns are on the outlier grid */
} pqti_level;

#define PQTI_ROOT ((pqti_level){PQTI_BY_CELL, 0, false})

/* Returns the level of a node that divides own items by their centres or, at the maximal depth,
   by their hashes. In cells of the bounds, the maximal depth is an option; on the outlier grid,
   all digits are used. */
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
    if (level.division == PQTI_BY_CENTRE)
        return pqti_centre_level(domain, level.depth + 1u, level.outliers);
    return (pqti_level){level.division, (uint8_t)(level.depth + 1), level.outliers};
}

static inline pqti_level
pqti_child_level(const pqti_domain *domain, pqti_level level, int child_index)
{
    if (child_index == PQTI_OWN_ITEMS)
        return pqti_centre_level(domain, level.depth, level.depth == 0);
    return pqti_quadrant_level(domain, level);
}

/* Returns true if items at this level cannot be divided further. */
static inline bool
pqti_level_is_last(pqti_level level)
{
    return level.division == PQTI_BY_HASH && level.depth == PQTI_HASH_DEPTH;
}

/* Returns the digit of a Morton code or a hash at a depth. */
static inline int
pqti_digit(uint64_t code, unsigned depth)
{
    return (int)(code >> ((62 - 2 * depth) & 63) & 3);
}

/* Returns the index of the child of a node at `level` to which an item belongs. The result is
   arbitrary for an item that does not belong to the node. This can happen at a compressed edge
   (path_compress.h): in the deepest cell, the item has no digit left. */
static inline int
pqti_child_index(pqti_level level, const pqti_key *key, const pqt_item *item)
{
    if (level.division == PQTI_BY_HASH)
        return pqti_digit(pqti_item_hash(item), level.depth);
    if (level.division == PQTI_BY_CELL && key->level == level.depth)
        return PQTI_OWN_ITEMS;
    return pqti_digit(key->centre, level.depth);
}

/* Computes the key of an item whose box has these sides. The index in the key is 0. */
pqti_key pqti_key_of_sides(const pqti_domain *domain, pqti_f64x2 min, pqti_f64x2 max);

/* Computes the key of an item. */
pqti_key pqti_key_of(const pqti_domain *domain, const pqt_item *item, size_t index);

/* Computes the keys of an array of items. */
void pqti_keys_of(const pqti_domain *domain, const pqt_item *items, size_t count, pqti_key *keys);

/* Compares two items in tree order. Returns a negative number, 0 or a positive number. The
   result is 0 only if the items are equal. */
int pqti_compare(const pqti_key *a, const pqt_item *item_a, const pqti_key *b,
                 const pqt_item *item_b);

/*
 * Compares two keys by their paths, where a prefix precedes its continuations, and then by their
 * centres.
 */
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

/* Sorts the keys of `items` stably. `spare` has room for `count` keys. */
void pqti_sort(pqti_key *keys, size_t count, pqti_key *spare, const pqt_item *items);

/* Keeps the first `depth` digits and clears the others. It shifts twice, because one shift by 64
   bits would be undefined. */
static inline uint64_t
pqti_cut_to_depth(uint64_t morton, unsigned depth)
{
    return morton & ~(UINT64_MAX >> depth >> depth);
}

#endif
