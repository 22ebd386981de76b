/* SPDX-License-Identifier: MIT */
/*
 * node.h: the layout of nodes and leaves, and functions that read them.
 *
 *     pqt_tree --> node --> quadrant 0..3 --> node or leaf
 *                   \
 *                    own items, if there are any
 *
 * For each child, a node stores the tagged count and the columns that the child's items cover, so a
 * search skips a child outside the window without reading it. The 16 limits of the four quadrants
 * are adjacent and take 64 bytes, so that all four are tested at once. The count of a node is
 * stored in its parent or, for the root, in the version. Therefore algorithms pass node references,
 * which consist of the pointer and the data in the parent.
 *
 * A node has own items if its count exceeds the sum of the counts of its quadrants. A node without
 * own items is 16 bytes shorter. A leaf has no header: its n items are stored as five arrays of n
 * numbers.
 *
 * A *hash node* divides its items by their hashes. All its items are in one of the smallest cells,
 * so searches cannot prune by columns. The side range of its items is stored at its end. If all
 * boxes are identical, the side range is that box, and a query accepts or rejects thousands of
 * items at once.
 *
 * A node with all of its items in one quadrant is not stored. It is replaced by the reference to
 * the quadrant, with `skips` set (a compressed edge). Most algorithms ignore `skips`; those that
 * need every level use path_compress.h.
 *
 * Only the functions of node_build.c write to a block, and only before they return it. Nothing
 * changes a block later, except for the sign of a version (memory_internal.h), and for the nodes
 * that a draft owns (owner.h), which only pqti_change_path changes.
 */
#ifndef PQTI_NODE_H
#define PQTI_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error_internal.h"
#include "base/prefetch.h"
#include "memory/memory_internal.h"
#include "tree/domain.h"
#include "tree/key.h"

/* The tags in the top bits of a child's count: the child is a leaf; the child is a hash node;
   the child is at the end of a compressed edge. */
#define PQTI_LEAF_BIT UINT32_C(0x80000000)
#define PQTI_HASH_BIT UINT32_C(0x40000000)
#define PQTI_SKIP_BIT UINT32_C(0x20000000)
#define PQTI_COUNT_MASK UINT32_C(0x1fffffff)
#define PQTI_IS_PLAIN_NODE(tagged_count)                                                           \
    ((tagged_count) < PQTI_HASH_BIT) /* also true for an empty child */

/* The members of a tagged count. */
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PQTI_TAGS                                                                                  \
    struct {                                                                                       \
        uint32_t leaf : 1, is_hash : 1, skips : 1, count : 29;                                     \
    }
#else
#define PQTI_TAGS                                                                                  \
    struct {                                                                                       \
        uint32_t count : 29, skips : 1, is_hash : 1, leaf : 1;                                     \
    }
#endif

typedef struct pqti_own_items {
    const void *at;
    uint32_t count; /* a tagged count, like those of the quadrants */
} pqti_own_items;

typedef struct pqti_inner {
    uint32_t min_x[PQTI_QUADRANTS]; /* the columns that each quadrant's items cover, or */
    uint32_t min_y[PQTI_QUADRANTS]; /* PQTI_EMPTY_QBOX if the quadrant is empty */
    uint32_t max_x[PQTI_QUADRANTS];
    uint32_t max_y[PQTI_QUADRANTS];
    const void *child[PQTI_QUADRANTS]; /* NULL if the quadrant is empty */
    uint32_t count[PQTI_QUADRANTS];
    pqt_fingerprint fingerprint; /* the sum of the terms of all items, including own items */
    pqti_own_items own[];        /* one element if the node has own items, otherwise none */
} pqti_inner;

/*
 * Component-wise minimum and maximum of a set of boxes. If all boxes are equal, `min` equals `max`.
 */
typedef struct pqti_side_range {
    pqt_box min; /* the least min.x, the least min.y, the least max.x and the least max.y */
    pqt_box max; /* the greatest value of each of these */
} pqti_side_range;

/* A version. */
struct pqt_tree {
    union {                    /* as in pqti_node_ref */
        uint32_t tagged_count; /* that of the root, without the tag of a hash node */
        PQTI_TAGS;
    };
    uint32_t sign; /* see pqti_version */
    const pqti_domain *domain;
    const void *root; /* a node or a leaf; NULL if the tree is empty */
    const void *ids;  /* the root of the id map if ids are unique; see idmap.h */
    pqt_fingerprint fingerprint;
};

#define PQTI_VERSION_SIZE 48

/* Stops the program if the tree was reclaimed, or is a view that is out of date. `function` names
   the public function that was called with it, and reads it. */
static inline void
pqti_assert_alive(const char *function, const pqt_tree *tree)
{
    pqti_assert_readable(function, PQT_KIND_TREE, tree);
}

extern const struct pqti_kind_calls pqti_tree_calls; /* see kind_calls.h */

/* Checks the tree that was passed to a public function. */
#define PQTI_ASSERT_TREE(tree)                                                                     \
    (PQT_ASSERT((tree) != NULL, "the tree is NULL"), pqti_assert_alive(__func__, tree))

/* A node reference: a subtree, with the data that its parent stores. */
typedef struct pqti_node_ref {
    const void *at; /* NULL if the subtree is empty */
    union {
        /* in the form in which a node stores it, so that one instruction copies it */
        uint32_t tagged_count;
        PQTI_TAGS;
    };
    pqti_qbox qbox; /* the columns that the subtree's items cover, on the grid of its level */
} pqti_node_ref;

#define PQTI_EMPTY_REF ((pqti_node_ref){NULL, {0}, PQTI_EMPTY_QBOX})

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

/*
 * Returns the arrays of a leaf. Returns null pointers if the leaf is empty, because adding to a
 * null pointer is undefined.
 */
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

/* Returns the key of item i. */
static inline pqti_key
pqti_view_key(const pqti_domain *domain, pqti_leaf_view view, size_t i)
{
    return pqti_key_of_sides(domain, pqti_f64x2_of(view.min_x[i], view.min_y[i]),
                             pqti_f64x2_of(view.max_x[i], view.max_y[i]));
}

/* Return the sizes of blocks, which are multiples of 16. A hash node has no own items. */
static inline size_t
pqti_inner_size(bool has_own_items, bool is_hash)
{
    return pqti_rounded(sizeof(pqti_inner) + (has_own_items ? sizeof(pqti_own_items) : 0) +
                        (is_hash ? sizeof(pqti_side_range) : 0));
}

/* Returns the side range that a hash node stores. */
static inline const pqti_side_range *
pqti_side_range_of(const pqti_inner *hash_node)
{
    return (const pqti_side_range *)(const void *)hash_node->own;
}

static inline size_t
pqti_leaf_size(size_t count)
{
    return pqti_rounded(count * 5 * sizeof(uint64_t));
}

/* Returns the root of a version without its qbox, because a version does not store it. */
static inline pqti_node_ref
pqti_root(const pqt_tree *tree)
{
    return (pqti_node_ref){tree->root, {tree->tagged_count}, PQTI_EMPTY_QBOX};
}

static inline pqti_node_ref
pqti_quadrant_ref(const pqti_inner *node, int i)
{
    return (pqti_node_ref){node->child[i],
                           {node->count[i]},
                           {node->min_x[i], node->min_y[i], node->max_x[i], node->max_y[i]}};
}

/* Returns the number of own items of a node that holds `count` items. */
static inline uint32_t
pqti_own_count(const pqti_inner *node, uint32_t count)
{
    return (count - node->count[0] - node->count[1] - node->count[2] - node->count[3]) &
           PQTI_COUNT_MASK;
}

/*
 * Returns the own items of a node that holds `count` items, without their qbox, because a node does
 * not store it.
 */
static inline pqti_node_ref
pqti_own_ref(const pqti_inner *node, uint32_t count)
{
    if (pqti_own_count(node, count) == 0)
        return PQTI_EMPTY_REF;
    return (pqti_node_ref){node->own->at, {node->own->count}, PQTI_EMPTY_QBOX};
}

/*
 * Returns true if the root is a node at depth 0 with own items. Only such own items may be
 * outliers.
 */
static inline bool
pqti_has_outliers(const pqt_tree *tree)
{
    return tree->count > 0 && !tree->leaf && !tree->skips &&
           pqti_own_count(tree->root, tree->count) > 0;
}

/* Prefetches the block of a child, if it has one. */
static inline void
pqti_prefetch_child(pqti_node_ref ref)
{
    size_t size = ref.leaf ? pqti_leaf_size(ref.count) : pqti_inner_size(false, ref.is_hash);
    pqti_prefetch_bytes(ref.at, 0, ref.at == NULL ? 0 : size);
}

/* Prefetches those quadrants of a node that are leaves. */
void pqti_prefetch_leaves(const pqti_inner *node);

/*
 * Prefetches the items of sorted keys. The items are scattered over their array, so they are
 * prefetched well before they are read, and many arrive together. Callers repeat this at each
 * depth, because the processor drops some prefetches.
 */
static inline void
pqti_prefetch_items(const pqt_item *items, const pqti_key *keys, size_t count)
{
    enum {
        FEW = 4, /* for so few items, prefetching does not pay off */
        /* among more items, the first ones would leave the cache before they are read */
        MANY = 1024
    };
    for (size_t i = 0; i < count && count > FEW && count <= MANY; i++) {
        pqti_prefetch(&items[keys[i].index]);
        pqti_prefetch(&items[keys[i].index].id);
    }
}

/* Returns a child of a node that holds `count` items. Own items are returned without their qbox. */
static inline pqti_node_ref
pqti_child_ref(const pqti_inner *node, uint32_t count, int child_index)
{
    return child_index == PQTI_OWN_ITEMS ? pqti_own_ref(node, count)
                                         : pqti_quadrant_ref(node, child_index);
}

/* Returns a child of a node without its qbox. A descent to one leaf needs no qboxes, which are in
   another cache line. */
static inline pqti_node_ref
pqti_child_without_qbox(const pqti_inner *node, uint32_t count, int child_index)
{
    if (child_index == PQTI_OWN_ITEMS)
        return pqti_own_ref(node, count);
    return (pqti_node_ref){node->child[child_index], {node->count[child_index]}, PQTI_EMPTY_QBOX};
}

/* Computes the qbox of the own items of a node at `level`, because a node does not store it. */
pqti_qbox pqti_own_qbox(const pqti_domain *domain, pqti_level level, const pqti_node_ref *own);

/* Writes all children of an inner node to `children`. Computes the qbox of the own items. */
void pqti_child_refs(const pqti_domain *domain, pqti_level level, const pqti_node_ref *ref,
                     pqti_node_ref children[PQTI_CHILDREN]);

/* Returns the fingerprint of a subtree, which is stored in a node, but computed for a leaf. */
pqt_fingerprint pqti_node_ref_fingerprint(pqti_node_ref ref);

/* Return the first and the last child of a node that is not empty. */
pqti_node_ref pqti_first_child(pqti_node_ref ref);
pqti_node_ref pqti_last_child(pqti_node_ref ref);

/* Return the first and the last item of a subtree that is not empty. */
pqt_item pqti_first_item(pqti_node_ref ref);
pqt_item pqti_last_item(pqti_node_ref ref);

/* Visits all items of a subtree, in tree order. */
void pqti_each_item(pqti_node_ref ref, pqt_visit_fn *visit, void *context);

/* Writes all items of a subtree to `items`, in tree order. Returns the end of the items written. */
pqt_item *pqti_collect_items(pqti_node_ref ref, pqt_item *items);

/*
 * Returns true if `count` items in a cell form a leaf, and false if they form a node: this is the
 * capacity rule.
 *
 * Nothing else decides it, so the shape of a tree depends on its items alone. A leaf holds at most
 * `leaf_capacity` items, but any number at the last level, where no digit is left by which to
 * divide them. A node holds more than `leaf_capacity` items. A cell without items has neither: its
 * reference is empty.
 */
static inline bool
pqti_fits_leaf(const pqti_domain *domain, pqti_level level, size_t count)
{
    return count <= domain->capacity || pqti_level_is_last(level);
}

/* Returns the greatest number of items with which a node could become a leaf after `removals`
   removals. The level does not matter, because there are no nodes at the last level. */
static inline uint32_t
pqti_leaf_limit(const pqti_domain *domain, uint32_t removals)
{
    return domain->capacity + removals;
}

/* Returns true if a node of `count` items certainly remains a node after `removals` removals. */
static inline bool
pqti_stays_node(const pqti_domain *domain, uint32_t count, uint32_t removals)
{
    return count > pqti_leaf_limit(domain, removals);
}

/* Returns true if a subtree is a node, that is, neither a leaf nor empty. */
static inline bool
pqti_is_node(pqti_node_ref ref)
{
    return !ref.leaf && ref.count > 0;
}

/* Compute the qbox of a leaf that is not empty, and the qbox of the four quadrants of a node. */
pqti_qbox pqti_leaf_qbox(const pqti_domain *domain, pqti_level level, const void *leaf,
                         size_t count);
pqti_qbox pqti_quadrants_qbox(const pqti_inner *node);

/* Returns the index of `item` in a leaf, or `count` if it is absent. */
static inline size_t
pqti_view_find(pqti_leaf_view view, size_t count, const pqt_item *item)
{
    /* Compares ids first, because few leaves hold an id twice. */
    for (size_t i = 0; i < count; i++)
        if (view.id[i] == item->id && pqt_item_equals(pqti_view_item(view, i), *item))
            return i;
    return count;
}

#endif
