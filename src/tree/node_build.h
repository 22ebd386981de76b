/* SPDX-License-Identifier: MIT */
/* node_build.h - making leaves and nodes, and the one place where they are made. */
#ifndef PQTI_NODE_BUILD_H
#define PQTI_NODE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_internal.h"
#include "tree/domain.h"
#include "tree/key.h"
#include "tree/node.h"

/* Makes a leaf of items in order. False: no memory. */
bool pqti_leaf_of(const pqti_domain *domain, pqti_level level, const pqt_item *items, size_t count,
                  pqti_node_ref *leaf);

/* Items of a leaf that stay, `from` to before `to`, and what comes after them, if anything does. */
typedef struct pqti_item_run {
    uint32_t from, to;
    const pqt_item *inserted;
} pqti_item_run;

/* Makes a leaf, or nothing, of `count` items in stretches of old ones. False: no memory. */
bool pqti_leaf_of_runs(const pqti_domain *domain, pqti_level level, const pqti_leaf_view *old,
                       const pqti_item_run *runs, size_t run_count, size_t count,
                       pqti_node_ref *leaf);

/*
 * Makes of an inner node at `ref`, whose own place is `level`, what stands there once some of its
 * parts are others: those in `children` whose bits are set in `changed`. The result is as that
 * place has it: a node is not marked deep. If the old one is, it may be a thought
 * (path_compress.h), and have had all in one quadrant. `change` is what the exchange adds to the
 * fingerprint. False: no memory.
 */
bool pqti_replace_children(const pqti_domain *domain, pqti_level level,
                           const pqti_node_ref children[PQTI_CHILDREN], unsigned changed,
                           pqt_fingerprint change, pqti_node_ref *ref);

#ifndef PQT_PLAIN

/* A node of a path from the root downwards, and the child in which the path goes on. */
typedef struct pqti_path_entry {
    const pqti_inner *node;
    uint32_t tagged_count; /* its tagged count */
    pqti_level level;
    int8_t child_index;
} pqti_path_entry;

/*
 * Path copying: replaces the subtree at the end of `path` by `*at`, copies the nodes above it, and
 * returns the new top in `*at`. `whole` is what the old top covers, as far as it is known: that of
 * a root or of own items is not. `change` is what the edit adds to the fingerprint. Returns false
 * if there is no memory.
 */
bool pqti_copy_path(const pqti_domain *domain, const pqti_path_entry *path, size_t length,
                    pqti_qbox whole, pqt_fingerprint change, pqti_node_ref *at);

#endif

/*
 * Makes of the parts of a place what stands there: nothing, a leaf, or an inner node.
 * `fingerprint` is the sum over all items. False: no memory.
 */
bool pqti_node_from_children(const pqti_domain *domain, pqti_level level,
                             const pqti_node_ref children[PQTI_CHILDREN],
                             pqt_fingerprint fingerprint, pqti_node_ref *joined);

/* Makes an inner node of the parts of a place, or takes the one where all items are. `fingerprint`
   is the sum over all items. False: no memory. */
bool pqti_inner_from_children(const pqti_domain *domain, pqti_level level,
                              const pqti_node_ref children[PQTI_CHILDREN],
                              pqt_fingerprint fingerprint, pqti_node_ref *inner);

/* Makes a leaf, or nothing, of the few items of several parts. False: no memory. */
bool pqti_leaf_of_children(const pqti_domain *domain, pqti_level level,
                           const pqti_node_ref children[PQTI_CHILDREN], size_t count,
                           pqti_node_ref *leaf);

/* As pqti_leaf_of, from entries of `items` in order; adds the sum over them to `fingerprint`. */
bool pqti_leaf_of_keys(const pqti_domain *domain, pqti_level level, const pqt_item *items,
                       const pqti_key *keys, size_t count, pqti_node_ref *leaf,
                       pqt_fingerprint *fingerprint);

/* How many of the sorted entries, from the first on, belong to `child_index` (node_build.c). */
size_t pqti_subtree_size(pqti_level level, int child_index, const pqt_item *items,
                         const pqti_key *keys, size_t count);

/*
 * Builds what stands at a place from entries of `items` in order, without duplicates
 * (node_build.c). Adds the sum over them to `fingerprint`. False: no memory.
 */
bool pqti_build(const pqti_domain *domain, pqti_level level, const pqt_item *items,
                const pqti_key *keys, size_t count, pqti_node_ref *built,
                pqt_fingerprint *fingerprint);

#endif
