/* SPDX-License-Identifier: MIT */
/* node_build.h: makes leaves and nodes. No other source file writes to them. */
#ifndef PQTI_NODE_BUILD_H
#define PQTI_NODE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_internal.h"
#include "tree/domain.h"
#include "tree/key.h"
#include "tree/node.h"

/* Makes a leaf from items in tree order. Returns false when out of memory. */
bool pqti_leaf_of(const pqti_domain *domain, pqti_level level, const pqt_item *items, size_t count,
                  pqti_node_ref *leaf);

/*
 * The items of an old leaf from index `from` up to, but not including, `to`, and an item to be
 * inserted after them, or NULL.
 */
typedef struct pqti_item_run {
    uint32_t from, to;
    const pqt_item *inserted;
} pqti_item_run;

/* Makes a leaf of `count` items from runs of an old one. The result is an empty ref if `count`
   is 0. Returns false when out of memory. */
bool pqti_leaf_of_runs(const pqti_domain *domain, pqti_level level, const pqti_leaf_view *old,
                       const pqti_item_run *runs, size_t run_count, size_t count,
                       pqti_node_ref *leaf);

/*
 * Replaces those children of the node `*ref` whose bits are set in `changed` by those in
 * `children`. `level` is the node's own level. Sets `*ref` to the new node, leaf or empty ref for
 * that level. Its `skips` is set only if a quadrant has taken the place of the node. If the old ref
 * is tagged, it may be a virtual node (path_compress.h). `change` is the term that the replacement
 * adds to the fingerprint. Returns false when out of memory.
 */
bool pqti_replace_children(const pqti_domain *domain, pqti_level level,
                           const pqti_node_ref children[PQTI_CHILDREN], unsigned changed,
                           pqt_fingerprint change, pqti_node_ref *ref);

#ifndef PQT_PLAIN

/* A node of a path from the root downwards, and the child through which the path continues. */
typedef struct pqti_path_step {
    const pqti_inner *node;
    uint32_t tagged_count; /* the tagged count of the node */
    pqti_level level;
    int8_t child_index;
} pqti_path_step;

/*
 * Path copying: replaces the subtree at the end of `path` by `*at`, copies the nodes above it, and
 * sets `*at` to the new top node. `whole` is the qbox of the old top node if it is known; the qbox
 * of a root or of own items is not. `change` is the term that the edit adds to the fingerprint.
 * Returns false when out of memory.
 */
bool pqti_copy_path(const pqti_domain *domain, const pqti_path_step *path, size_t length,
                    pqti_qbox whole, pqt_fingerprint change, pqti_node_ref *at);

/*
 * Do the same in a draft, but change nodes that the draft owns in place of copying them. The first
 * function copies the nodes below the lowest one that is owned, sets *owned to the number of the
 * others, and returns false when out of memory. The second one changes these others; then the edit
 * must succeed.
 */
bool pqti_copy_not_owned(const pqti_domain *domain, const pqti_path_step *path, size_t length,
                         pqti_qbox whole, pqt_fingerprint change, size_t *owned, pqti_node_ref *at);
void pqti_change_owned(const pqti_domain *domain, const pqti_path_step *path, size_t owned,
                       pqti_qbox whole, pqt_fingerprint change, pqti_node_ref *at);

#endif

/*
 * Makes a node from children, or a leaf or an empty ref if the capacity rule demands it.
 * `fingerprint` is the sum of the terms of all items. Returns false when out of memory.
 */
bool pqti_node_from_children(const pqti_domain *domain, pqti_level level,
                             const pqti_node_ref children[PQTI_CHILDREN],
                             pqt_fingerprint fingerprint, pqti_node_ref *joined);

/* Makes a node from children. If one quadrant holds all items, the result is this quadrant,
   tagged as the end of a compressed edge. `fingerprint` is the sum of the terms of all items.
   Returns false when out of memory. */
bool pqti_inner_from_children(const pqti_domain *domain, pqti_level level,
                              const pqti_node_ref children[PQTI_CHILDREN],
                              pqt_fingerprint fingerprint, pqti_node_ref *inner);

/* Makes a leaf from the items of several children. The result is an empty ref if `count` is 0.
   Returns false when out of memory. */
bool pqti_leaf_of_children(const pqti_domain *domain, pqti_level level,
                           const pqti_node_ref children[PQTI_CHILDREN], size_t count,
                           pqti_node_ref *leaf);

/*
 * Does the same as pqti_leaf_of, from sorted keys of `items`. Adds the sum of the items' terms to
 * `*fingerprint`.
 */
bool pqti_leaf_of_keys(const pqti_domain *domain, pqti_level level, const pqt_item *items,
                       const pqti_key *keys, size_t count, pqti_node_ref *leaf,
                       pqt_fingerprint *fingerprint);

/*
 * Returns the number of keys at the beginning of the sorted array that belong to child
 * `child_index`.
 */
size_t pqti_subtree_size(pqti_level level, int child_index, const pqt_item *items,
                         const pqti_key *keys, size_t count);

/*
 * Builds a subtree from sorted keys of `items`, without repeated items. Adds the sum of the items'
 * terms to `*fingerprint`. Returns false when out of memory.
 */
bool pqti_build(const pqti_domain *domain, pqti_level level, const pqt_item *items,
                const pqti_key *keys, size_t count, pqti_node_ref *built,
                pqt_fingerprint *fingerprint);

#endif
