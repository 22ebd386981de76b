/* SPDX-License-Identifier: MIT */
/* stats.c - what a version consists of, and what two versions share. */
#include "config.h"

#include "base/error.h"
#include "memory/memory.h"
#include "tree/ids.h"
#include "tree/node.h"

/* Bytes of the one block that a ref points to. */
static size_t
block_bytes(const pqt_memory *memory, pqti_ref ref)
{
    size_t asked = pqti_leaf_size(ref.count);
    if (!ref.leaf)
        asked = pqti_inner_size(pqti_bucket_count(ref.at, ref.count) > 0);
    return pqti_block_size(memory, ref.at, asked);
}

static void
count_part(const pqt_memory *memory, pqti_ref ref, size_t depth, pqt_tree_stats *stats)
{
    if (ref.at == NULL)
        return;
    stats->bytes += block_bytes(memory, ref);
    if (ref.leaf) {
        stats->leaves++;
        return;
    }
    stats->nodes++;
    if (depth + 1 > stats->depth)
        stats->depth = depth + 1;
    const pqti_inner *node = ref.at;
    count_part(memory, pqti_bucket_ref(node, ref.count), depth + 1, stats);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        count_part(memory, pqti_quarter(node, i), depth + 1, stats);
}

/* The version's own block; what all versions of a tree share is not counted. */
static size_t
version_bytes(const pqt_tree *tree)
{
    return pqti_block_size(tree->space->options.memory, tree, PQTI_VERSION_SIZE);
}

pqt_tree_stats
pqt_tree_get_stats(const pqt_tree *tree)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    const pqt_memory *memory = tree->space->options.memory;
    pqt_tree_stats stats = {.items = tree->count, .bytes = version_bytes(tree)};
    count_part(memory, pqti_root(tree), 0, &stats);
    stats.bytes += pqti_ids_bytes(memory, tree->ids);
    return stats;
}

/* Path copying keeps every block at its place, so a shared one stands at the same place in both. */
static void
shared_part(const pqt_memory *memory, pqti_ref a, pqti_ref b, pqt_tree_stats *stats)
{
    if (a.at == NULL || b.at == NULL)
        return;
    if (a.at == b.at) {
        count_part(memory, a, 0, stats);
        return;
    }
    if (a.leaf || b.leaf)
        return;
    shared_part(memory, pqti_bucket_ref(a.at, a.count), pqti_bucket_ref(b.at, b.count), stats);
    for (int i = 0; i < PQTI_QUARTERS; i++)
        shared_part(memory, pqti_quarter(a.at, i), pqti_quarter(b.at, i), stats);
}

size_t
pqt_tree_shared_bytes(const pqt_tree *a, const pqt_tree *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a tree is NULL");
    const pqt_memory *memory = a->space->options.memory;
    pqt_tree_stats stats = {0};
    if (a == b)
        return pqt_tree_get_stats(a).bytes;
    shared_part(memory, pqti_root(a), pqti_root(b), &stats);
    return stats.bytes + pqti_ids_shared_bytes(memory, a->ids, b->ids);
}
