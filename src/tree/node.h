/* SPDX-License-Identifier: MIT */
/*
 * node.h - the blocks that a tree is made of, and the one place where they are born.
 *
 *     pqt_tree --> node --> quarter 0..3 --> node or leaf
 *                   \
 *                    bucket, only where there is one
 *
 * A node knows of each child its count, whether it is a leaf, and the columns that its items cover;
 * so a child outside a window is passed over without being touched. The 16 bounds stand side by
 * side, 64 bytes, for the four children to be tested at once. A node does not know its own count:
 * that is in its parent, or in the version. So one walks with refs: what the parent says, and the
 * pointer.
 *
 * Whether a node has a bucket follows from the counts; one without is 16 bytes shorter. A leaf has
 * no header: its n items are five arrays of n numbers.
 *
 * A *mixed* node divides by mixes, so nothing tells its parts apart, and columns tell little: all
 * lie in one of the smallest cells. It says at its end between which numbers each side of its items
 * lies. Of identical boxes that is all there is to know: a reader decides on thousands of them at
 * once.
 *
 * A node that would hold all of its items in one quarter is left out: where it would stand, the ref
 * is that of what stands in the quarter, and marked *deep*. Who only reads need not know;
 * path_compress.h is for who must.
 *
 * Blocks are written in node_build.c and node_build.c, between allocation and return, and nowhere
 * else.
 */
#ifndef PQTI_NODE_H
#define PQTI_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_internal.h"
#include "tree/domain.h"
#include "tree/key.h"

/* The top bits of a child's count: the child is a leaf; it is a mixed node; it stands deeper than
   one step below. */
#define PQTI_LEAF_BIT UINT32_C(0x80000000)
#define PQTI_MIXED_BIT UINT32_C(0x40000000)
#define PQTI_DEEP_BIT UINT32_C(0x20000000)
#define PQTI_COUNT_MASK UINT32_C(0x1fffffff)
#define PQTI_IS_PLAIN_NODE(marked) ((marked) < PQTI_MIXED_BIT) /* or nothing: no mark is set */

typedef struct pqti_bucket {
    const void *at;
    uint32_t count; /* with the top bits, as for the children */
} pqti_bucket;

typedef struct pqti_inner {
    uint32_t min_x[PQTI_QUARTERS]; /* columns that each child's items cover; of an empty */
    uint32_t min_y[PQTI_QUARTERS]; /* child, PQTI_EMPTY_EXTENT */
    uint32_t max_x[PQTI_QUARTERS];
    uint32_t max_y[PQTI_QUARTERS];
    const void *child[PQTI_QUARTERS]; /* NULL: empty */
    uint32_t count[PQTI_QUARTERS];
    pqt_fingerprint fingerprint; /* the sum over all items below, the bucket's included */
    pqti_bucket bucket[];        /* one, if the quarters hold fewer items than the node */
} pqti_inner;

/* Between which numbers each side of some boxes lies; of identical ones, both boxes are theirs. */
typedef struct pqti_spread {
    pqt_box least;    /* the least min.x, the least min.y, the least max.x, the least max.y */
    pqt_box greatest; /* the greatest of each */
} pqti_spread;

/* A version. */
struct pqt_tree {
    const pqti_space *space;
    const void *root; /* a node, or a leaf; NULL: empty */
    const void *ids;  /* with unique_ids, the id map's root; see idmap.h */
    uint32_t count;
    bool leaf, deep; /* the marks of the root */
    pqt_fingerprint fingerprint;
};

#define PQTI_VERSION_SIZE 48

/* Some part of a tree, as its parent knows it. */
typedef struct pqti_ref {
    const void *at; /* NULL: empty */
    union {
        uint32_t marked; /* a count with the top bits, as in a node: copied in one piece */
        struct {
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            uint32_t leaf : 1, mixed : 1, deep : 1, count : 29;
#else
            uint32_t count : 29, deep : 1, mixed : 1, leaf : 1;
#endif
        };
    };
    pqti_extent extent; /* columns that its items cover, on the lattice of its place */
} pqti_ref;

#define PQTI_EMPTY_REF ((pqti_ref){NULL, {0}, PQTI_EMPTY_EXTENT})

/* The arrays of a leaf. */
typedef struct pqti_leaf_view {
    const double *min_x, *min_y, *max_x, *max_y;
    const uint64_t *id;
} pqti_leaf_view;

static inline pqti_leaf_view
pqti_view(const void *leaf, size_t count)
{
    const double *numbers = leaf;
    const uint64_t *words = leaf;
    return (pqti_leaf_view){numbers, numbers + count, numbers + 2 * count, numbers + 3 * count,
                            words + 4 * count};
}

/* The arrays of a leaf, or none of an empty part: nothing may be added to its null pointer. */
static inline pqti_leaf_view
pqti_view_or_none(const void *leaf, size_t count)
{
    return count > 0 ? pqti_view(leaf, count) : (pqti_leaf_view){0};
}

static inline pqt_item
pqti_view_item(pqti_leaf_view view, size_t i)
{
    return (pqt_item){{{view.min_x[i], view.min_y[i]}, {view.max_x[i], view.max_y[i]}}, view.id[i]};
}

/* Works item i out where it lies. */
static inline pqti_entry
pqti_view_entry(const pqti_space *space, pqti_leaf_view view, size_t i)
{
    const pqti_pair min = {view.min_x[i], view.min_y[i]}, max = {view.max_x[i], view.max_y[i]};
    return pqti_entry_of_sides(space, min, max);
}

/* The block sizes to ask for: multiples of 16. A mixed node has no bucket. */
static inline size_t
pqti_inner_size(bool with_bucket, bool mixed)
{
    return pqti_rounded(sizeof(pqti_inner) + (with_bucket ? sizeof(pqti_bucket) : 0) +
                        (mixed ? sizeof(pqti_spread) : 0));
}

/* What a mixed node says of the sides of its items. */
static inline const pqti_spread *
pqti_spread_of(const pqti_inner *mixed)
{
    return (const pqti_spread *)(const void *)mixed->bucket;
}

static inline size_t
pqti_leaf_size(size_t count)
{
    return pqti_rounded(count * 5 * sizeof(uint64_t));
}

/* The root of a version; its extent is not known and not needed. */
static inline pqti_ref
pqti_root(const pqt_tree *tree)
{
    uint32_t marks = (tree->leaf ? PQTI_LEAF_BIT : 0) | (tree->deep ? PQTI_DEEP_BIT : 0);
    return (pqti_ref){tree->root, {tree->count | marks}, PQTI_EMPTY_EXTENT};
}

static inline pqti_ref
pqti_quarter(const pqti_inner *node, int i)
{
    return (pqti_ref){node->child[i],
                      {node->count[i]},
                      {node->min_x[i], node->min_y[i], node->max_x[i], node->max_y[i]}};
}

/* Items of the node's bucket; `count` is the node's own. */
static inline uint32_t
pqti_bucket_count(const pqti_inner *node, uint32_t count)
{
    return (count - node->count[0] - node->count[1] - node->count[2] - node->count[3]) &
           PQTI_COUNT_MASK;
}

/* The bucket of a node that holds `count` items, its extent not worked out. */
static inline pqti_ref
pqti_bucket_ref(const pqti_inner *node, uint32_t count)
{
    if (pqti_bucket_count(node, count) == 0)
        return PQTI_EMPTY_REF;
    return (pqti_ref){node->bucket->at, {node->bucket->count}, PQTI_EMPTY_EXTENT};
}

/* Whether a version has items that the bounds do not hold: the root's bucket, if there is a
   root. */
static inline bool
pqti_has_strays(const pqt_tree *tree)
{
    return tree->count > 0 && !tree->leaf && !tree->deep &&
           pqti_bucket_count(tree->root, tree->count) > 0;
}

/*
 * Asks for the line of memory at an address before it is read. GCC takes a function that does
 * nothing else for one without effect, and drops its calls, unless it sees an asm there.
 */
static inline void
pqti_prefetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

/* Asks for bytes of a block: to wait for its lines in turn takes longer than for all of them. */
static inline void
pqti_fetch(const void *block, size_t from, size_t to)
{
    enum { LINE = 64 };
    for (; from < to; from += LINE)
        pqti_prefetch((const char *)block + from);
}

/* Asks for what stands at a part, be it a leaf, a node, or nothing. */
static inline void
pqti_fetch_part(pqti_ref ref)
{
    size_t size = ref.leaf ? pqti_leaf_size(ref.count) : pqti_inner_size(false, ref.mixed);
    pqti_fetch(ref.at, 0, ref.at == NULL ? 0 : size);
}

/* Asks for the leaves among a node's quarters. */
void pqti_fetch_leaves(const pqti_inner *node);

/*
 * Items lie anywhere in their array: those of entries are asked for well before they are read, so
 * that many come at once. To be called once more at each depth: not all that is asked for comes.
 */
static inline void
pqti_fetch_items(const pqt_item *items, const pqti_entry *entries, size_t count)
{
    enum {
        FEW = 4,
        MANY = 1024
    }; /* for few it does not pay; of many, the first would be gone again */
    for (size_t i = 0; i < count && count > FEW && count <= MANY; i++) {
        pqti_prefetch(&items[entries[i].index]);
        pqti_prefetch(&items[entries[i].index].id);
    }
}

/* One part of a node that holds `count` items, a bucket's extent not worked out. */
static inline pqti_ref
pqti_part_ref(const pqti_inner *node, uint32_t count, int part)
{
    return part == PQTI_BUCKET ? pqti_bucket_ref(node, count) : pqti_quarter(node, part);
}

/* The columns that a bucket at `place` covers: no node holds them. */
pqti_extent pqti_bucket_extent(const pqti_space *space, pqti_place place, pqti_ref bucket);

/* All parts of an inner node, the bucket's extent worked out. */
void pqti_parts(const pqti_space *space, pqti_place place, pqti_ref ref,
                pqti_ref parts[PQTI_PARTS]);

/* The sum over the items of a part: at hand in a node, worked out for a leaf. */
pqt_fingerprint pqti_ref_fingerprint(pqti_ref ref);

/* The first and the last part of a node that has items in it. */
pqti_ref pqti_first_part(pqti_ref ref);
pqti_ref pqti_last_part(pqti_ref ref);

/* The first and the last item of a part that has some. */
pqt_item pqti_first_item(pqti_ref ref);
pqt_item pqti_last_item(pqti_ref ref);

/* Hands over all items of a part, in order. */
void pqti_each_item(pqti_ref ref, pqt_visit_fn *visit, void *context);

/* Writes all items of a part, in order, and returns where the next one would go. */
pqt_item *pqti_gather(pqti_ref ref, pqt_item *items);

/* Whether `count` items at a place are a leaf, or nothing: that depends on nothing else. */
static inline bool
pqti_is_leaf_at(const pqti_space *space, pqti_place place, size_t count)
{
    return count <= space->capacity || pqti_place_is_last(place);
}

/* The columns that a leaf's items cover; that all quarters of a node do. */
pqti_extent pqti_leaf_extent(const pqti_space *space, pqti_place place, const void *leaf,
                             size_t count);
pqti_extent pqti_quarters_extent(const pqti_inner *node);

/* The item that equals `item` among those of a leaf; `count` if none does. */
static inline size_t
pqti_view_find(pqti_leaf_view view, size_t count, const pqt_item *item)
{
    /* Ids first: few leaves hold one twice. */
    for (size_t i = 0; i < count; i++)
        if (view.id[i] == item->id && pqt_item_equals(pqti_view_item(view, i), *item))
            return i;
    return count;
}

#endif
