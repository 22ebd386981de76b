/* SPDX-License-Identifier: MIT */
/* tree_stats.c: counts the nodes, leaves and bytes of a version, and the bytes that it shares
   with other versions. */
#include "config.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/path_compress.h"
#include "tree/tree_internal.h"

/* Returns the number of bytes that the block of a node or leaf takes. */
static size_t
node_bytes(const pqt_memory *memory, const pqti_node_ref *ref)
{
    size_t asked = pqti_leaf_size(ref->count);
    if (!ref->leaf)
        asked = pqti_inner_size(pqti_own_count(ref->at, ref->count) > 0, ref->is_hash);
    return pqti_block_size(memory, ref->at, asked);
}

static void
count_subtree(const pqt_memory *memory, const pqti_node_ref *ref, size_t depth,
              pqt_tree_stats *stats)
{
    if (ref->at == NULL)
        return;
    stats->bytes += node_bytes(memory, ref);
    if (ref->leaf) {
        stats->leaves++;
        return;
    }
    stats->nodes++;
    if (depth + 1 > stats->depth)
        stats->depth = depth + 1;
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        const pqti_node_ref child = pqti_child_ref(ref->at, ref->count, i);
        count_subtree(memory, &child, depth + 1, stats);
    }
}

/* Returns the number of bytes that the version's own block takes, without the domain. A view has no
   block, and counts as the version that it would be. */
static size_t
version_bytes(const pqt_tree *tree)
{
    if (pqti_is_view(tree, PQT_KIND_TREE))
        return PQTI_VERSION_SIZE;
    return pqti_block_size(tree->domain->options.memory, tree, PQTI_VERSION_SIZE);
}

pqt_tree_stats
pqt_tree_get_stats(const pqt_tree *tree)
{
    PQTI_ASSERT_TREE(tree);
    const pqt_memory *memory = tree->domain->options.memory;
    pqt_tree_stats stats = {.items = tree->count, .bytes = version_bytes(tree)};
    const pqti_node_ref root = pqti_root(tree);
    count_subtree(memory, &root, 0, &stats);
    stats.bytes += pqti_idmap_bytes(memory, tree->ids);
    return stats;
}

static void count_shared_child(const pqti_domain *domain, pqti_level level, pqti_node_ref a,
                               pqti_node_ref b, pqt_tree_stats *stats);

static void
count_shared_children(const pqti_domain *domain, pqti_level level, pqti_node_ref a, pqti_node_ref b,
                      pqt_tree_stats *stats)
{
    for (int i = 0; i < PQTI_CHILDREN; i++)
        count_shared_child(domain, pqti_child_level(domain, level, i),
                           pqti_child_ref(a.at, a.count, i), pqti_child_ref(b.at, b.count, i),
                           stats);
}

static PQTI_NOINLINE void
shared_in_skips(const pqti_domain *domain, pqti_level level, pqti_node_ref a, pqti_node_ref b,
                pqt_tree_stats *stats)
{
    pqti_alignment both;
    pqti_align(&both, domain, level, (pqti_node_ref[]){a, b}, 2);
    count_shared_children(domain, both.at, both.node[0], both.node[1], stats);
}

/* Path copying does not move blocks to another cell, so the path to a shared block is the same
   in both versions. */
static void
count_shared_child(const pqti_domain *domain, pqti_level level, pqti_node_ref a, pqti_node_ref b,
                   pqt_tree_stats *stats)
{
    if (a.at == NULL || b.at == NULL)
        return;
    if (a.at == b.at)
        count_subtree(domain->options.memory, &a, 0, stats);
    else if (!a.leaf && !b.leaf)
        (a.skips || b.skips ? shared_in_skips : count_shared_children)(domain, level, a, b, stats);
}

size_t
pqt_tree_shared_bytes(const pqt_tree *a, const pqt_tree *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a tree is NULL");
    pqti_assert_alive(__func__, a);
    pqti_assert_alive(__func__, b);
    const pqt_memory *memory = a->domain->options.memory;
    pqt_tree_stats stats = {0};
    if (a == b)
        return pqt_tree_get_stats(a).bytes;
    if (!pqti_domain_equals(a->domain, b->domain))
        return 0;
    count_shared_child(a->domain, PQTI_ROOT, pqti_root(a), pqti_root(b), &stats);
    return stats.bytes + pqti_idmap_shared_bytes(memory, a->ids, b->ids);
}

/* The maximal number of blocks on a path from the root to a leaf, plus one for the roots. */
enum { LEVELS = 65 + 1, ID_LEVELS = 23 + 1 };

/* A position in a tree. At a compressed edge, the reference stays the same from level to level
   until the level of its node is reached. */
typedef struct node_cursor {
    pqti_node_ref ref;
    pqti_skip skip; /* set if ref.skips is true */
} node_cursor;

/*
 * The working memory: the cursors in the other versions, with one slice of `width` cursors for each
 * level.
 */
typedef struct tree_exclusive {
    const pqti_domain *domain;
    const pqt_memory *memory;
    node_cursor *level_bytes;
    const void **id_level_bytes; /* slices for the nodes of the id maps, one for each level */
    size_t width;
} tree_exclusive;

static bool
is_among_nodes(const void *block, const node_cursor *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i].ref.at == block)
            return true;
    return false;
}

static node_cursor
cursor_at(const pqti_domain *domain, pqti_level level, pqti_node_ref ref)
{
    node_cursor t = {.ref = ref};
    if (ref.skips)
        t.skip = pqti_skip_of(domain, level, &ref);
    return t;
}

/* Moves a cursor at `level` to one child. The result is empty if the cursor is at a leaf. */
static node_cursor
cursor_child_of(const pqti_domain *domain, pqti_level level, const node_cursor *whole,
                int child_index)
{
    const node_cursor nothing = {.ref = PQTI_EMPTY_REF};
    if (whole->ref.leaf || whole->ref.at == NULL)
        return nothing;
    if (!whole->ref.skips)
        return cursor_at(domain, pqti_child_level(domain, level, child_index),
                         pqti_child_ref(whole->ref.at, whole->ref.count, child_index));
    if ((int)pqti_skip_digit(&whole->skip, level.depth) != child_index)
        return nothing;
    node_cursor next = *whole;
    next.ref.skips = next.skip.end > level.depth + 1u;
    return next;
}

/*
 * Moves the cursors in the other versions to one child. Returns the number of resulting cursors
 * that are not empty.
 */
static size_t
cursor_children_of(const pqti_domain *domain, pqti_level level, const node_cursor *others,
                   size_t count, int child_index, node_cursor *children)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        children[found] = cursor_child_of(domain, level, &others[i], child_index);
        found += children[found].ref.at != NULL;
    }
    return found;
}

static size_t
tree_bytes_not_in(const tree_exclusive *exclusive, pqti_level place, const node_cursor *own,
                  const node_cursor *others, size_t count, size_t level)
{
    PQT_INVARIANT(level < LEVELS, "a tree is deeper than a tree can be");
    if (own->ref.at == NULL || is_among_nodes(own->ref.at, others, count))
        return 0;
    size_t bytes = own->ref.skips ? 0 : node_bytes(exclusive->memory, &own->ref);
    node_cursor *below = exclusive->level_bytes + level * exclusive->width;
    for (int child_index = 0; child_index < PQTI_CHILDREN && !own->ref.leaf; child_index++) {
        node_cursor next = cursor_child_of(exclusive->domain, place, own, child_index);
        if (next.ref.at == NULL)
            continue;
        size_t found =
            cursor_children_of(exclusive->domain, place, others, count, child_index, below);
        bytes +=
            tree_bytes_not_in(exclusive, pqti_child_level(exclusive->domain, place, child_index),
                              &next, below, found, level + 1);
    }
    return bytes;
}

/* Writes cursors at the roots of those other versions that are not empty and have an equal
   domain, because no others can share a block. Returns their number. */
static size_t
roots_of(const pqti_domain *domain, const pqt_tree *const *others, size_t count, node_cursor *roots)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (others[i]->root != NULL && pqti_domain_equals(domain, others[i]->domain))
            roots[found++] = cursor_at(domain, PQTI_ROOT, pqti_root(others[i]));
    return found;
}

static bool
is_one_of_trees(const pqt_tree *tree, const pqt_tree *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == tree)
            return true;
    return false;
}

static size_t
sum_tree_exclusive_bytes(const tree_exclusive *exclusive, const pqt_tree *tree,
                         const pqt_tree *const *others, size_t count)
{
    node_cursor *roots = exclusive->level_bytes + (LEVELS - 1) * exclusive->width;
    const void **maps = exclusive->id_level_bytes + (ID_LEVELS - 1) * exclusive->width;
    size_t found = roots_of(exclusive->domain, others, count, roots);
    node_cursor own = cursor_at(exclusive->domain, PQTI_ROOT, pqti_root(tree));
    for (size_t i = 0; i < count; i++)
        maps[i] = others[i]->ids;
    return version_bytes(tree) + tree_bytes_not_in(exclusive, PQTI_ROOT, &own, roots, found, 0) +
           pqti_idmap_exclusive_bytes(exclusive->memory, tree->ids, maps, count,
                                      exclusive->id_level_bytes, exclusive->width);
}

/* Computes the exclusive bytes with scratch memory, because the cursors in several other
   versions may not fit on the stack. Returns false when out of memory. */
static bool
exclusive_bytes_of_many(const pqt_tree *tree, const pqt_tree *const *others, size_t count,
                        size_t *bytes)
{
    if (count > SIZE_MAX / LEVELS)
        return false;
    tree_exclusive exclusive = {
        .domain = tree->domain, .memory = tree->domain->options.memory, .width = count};
    exclusive.level_bytes = pqti_alloc_scratch(LEVELS * count, sizeof *exclusive.level_bytes);
    exclusive.id_level_bytes =
        exclusive.level_bytes == NULL
            ? NULL
            : pqti_alloc_scratch(ID_LEVELS * count, sizeof *exclusive.id_level_bytes);
    const bool is_ready = exclusive.id_level_bytes != NULL;
    if (is_ready)
        *bytes = sum_tree_exclusive_bytes(&exclusive, tree, others, count);
    pqti_free_scratch(exclusive.level_bytes);
    pqti_free_scratch(exclusive.id_level_bytes);
    return is_ready;
}

static size_t
exclusive_bytes_of_one(const pqt_tree *tree, const pqt_tree *const *others, size_t count)
{
    node_cursor few[LEVELS];
    const void *few_ids[ID_LEVELS];
    tree_exclusive exclusive = {tree->domain, tree->domain->options.memory, few, few_ids, 1};
    return sum_tree_exclusive_bytes(&exclusive, tree, others, count);
}

bool
pqt_tree_exclusive_bytes(const pqt_tree *tree, const pqt_tree *const *others, size_t count,
                         size_t *bytes, pqt_error *error)
{
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_check_read(tree, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "a tree of the array is NULL");
        pqti_assert_alive(__func__, others[i]);
    }
    if (is_one_of_trees(tree, others, count))
        *bytes = 0;
    else if (count <= 1)
        *bytes = exclusive_bytes_of_one(tree, others, count);
    else if (!exclusive_bytes_of_many(tree, others, count, bytes)) {
        pqti_out_of_memory(error);
        return false;
    }
    pqti_keep_alive(tree);
    return true;
}
