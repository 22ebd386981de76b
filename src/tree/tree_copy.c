/* SPDX-License-Identifier: MIT */
/*
 * tree_copy.c: copies versions into another memory. Blocks that the versions share remain shared.
 *
 * A memo table maps each copied block to its copy, so each block is visited once. The time to copy
 * many versions is proportional to the number of their distinct blocks.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/idmap.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"
#include "tree/tree_internal.h"

typedef struct copy_slot {
    const void *block, *copy;
    pqti_qbox size; /* the qbox of a subtree; not used for blocks of id maps */
} copy_slot;

/*
 * The memo table: a hash table with open addressing and linear probing. The table is in scratch
 * memory, which the collector does not scan. Therefore `roots`, a list in the new memory, keeps the
 * copies alive.
 */
typedef struct copier {
    const pqti_domain *domain; /* the domain of the copies */
    copy_slot *slots;
    size_t used, mask;
    void **roots;
} copier;

enum { FIRST_SLOTS = 1024, KEPT = 14 };

static size_t
memo_slot_of(const copier *c, const void *block)
{
    size_t slot = (size_t)pqti_hash_mix64((uintptr_t)block) & c->mask;
    while (c->slots[slot].block != NULL && c->slots[slot].block != block)
        slot = (slot + 1) & c->mask;
    return slot;
}

static bool
resize_memo(copier *c, size_t slots)
{
    copier old = *c;
    c->slots = pqti_alloc_scratch(slots, sizeof *c->slots);
    if (c->slots == NULL) {
        *c = old;
        return false;
    }
    memset(c->slots, 0, slots * sizeof *c->slots);
    c->mask = slots - 1;
    for (size_t i = 0; old.slots != NULL && i <= old.mask; i++)
        if (old.slots[i].block != NULL)
            c->slots[memo_slot_of(c, old.slots[i].block)] = old.slots[i];
    pqti_free_scratch(old.slots);
    return true;
}

/* Adds a copy to `roots`, where the collector finds it. The list consists of blocks of KEPT
   pointers. The first word of a block points to the next block; the last word is unused, because
   the collector does not scan it. */
static bool
keep_root(copier *c, const void *copy)
{
    size_t rank = c->used % KEPT;
    if (c->domain->options.memory != pqt_collector())
        return true; /* an arena keeps all its blocks anyway */
    if (rank == 0) {
        void **block = pqti_alloc_list(c->domain->options.memory, (KEPT + 2) * sizeof *block);
        if (block == NULL)
            return false;
        block[0] = c->roots;
        c->roots = block;
    }
    memcpy(&c->roots[1 + rank], &copy, sizeof copy);
    return true;
}

static bool
remember_copy(copier *c, const void *block, const void *copy, const pqti_qbox *qbox)
{
    if (!keep_root(c, copy) || (2 * c->used >= c->mask && !resize_memo(c, 2 * (c->mask + 1))))
        return false;
    c->slots[memo_slot_of(c, block)] = (copy_slot){block, copy, *qbox};
    c->used++;
    return true;
}

static const void *
known_copy(void *context, const void *block)
{
    const copier *c = context;
    return c->slots[memo_slot_of(c, block)].copy;
}

static bool
learn_copy(void *context, const void *block, const void *copy)
{
    return remember_copy(context, block, copy, &PQTI_EMPTY_QBOX);
}

static bool copy_subtree(copier *c, pqti_level level, pqti_node_ref *ref);

static PQTI_NOINLINE bool
copy_leaf(copier *c, pqti_level level, pqti_node_ref ref, pqti_node_ref *copy)
{
    pqt_item few[64];
    pqt_item *items = few;
    if (ref.count > 64 && (items = pqti_alloc_scratch(ref.count, sizeof *items)) == NULL)
        return false;
    pqti_collect_items(ref, items);
    bool made = pqti_leaf_of(c->domain, level, items, ref.count, copy);
    if (items != few)
        pqti_free_scratch(items);
    return made;
}

static bool
copy_inner(copier *c, pqti_level level, pqti_node_ref ref, pqti_node_ref *copy)
{
    const pqti_inner *node = ref.at;
    pqti_level own = pqti_level_of_node(c->domain, level, ref);
    pqti_node_ref children[PQTI_CHILDREN];
    pqti_child_refs(c->domain, own, &ref, children);
    for (int i = 0; i < PQTI_CHILDREN; i++)
        if (!copy_subtree(c, pqti_child_level(c->domain, own, i), &children[i]))
            return false;
    if (!pqti_node_from_children(c->domain, own, children, node->fingerprint, copy))
        return false;
    copy->skips = ref.skips;
    return true;
}

/* Replaces a subtree by its copy. */
static bool
copy_subtree(copier *c, pqti_level level, pqti_node_ref *ref)
{
    const void *block = ref->at;
    if (block == NULL)
        return true;
    copy_slot *known = &c->slots[memo_slot_of(c, block)];
    if (known->block != NULL) {
        ref->at = known->copy;
        ref->qbox = known->size;
        return true;
    }
    bool made = ref->leaf ? copy_leaf(c, level, *ref, ref) : copy_inner(c, level, *ref, ref);
    return made && remember_copy(c, block, ref->at, &ref->qbox);
}

/* Sets c->domain to the copy of `domain`. All versions that share the domain share the copy. */
static bool
copy_domain(copier *c, const pqti_domain *domain, pqt_memory *memory, pqt_error *error)
{
    const pqti_domain *known = known_copy(c, domain);
    c->domain = known != NULL ? known : pqti_domain_copy(domain, memory, error);
    if (c->domain == NULL)
        return false;
    if (known != NULL || learn_copy(c, domain, c->domain))
        return true;
    pqti_out_of_memory(error);
    return false;
}

static const pqt_tree *
copy_version(copier *c, const pqt_tree *tree, pqt_memory *memory, pqt_error *error)
{
    pqti_node_ref root = pqti_root(tree);
    const void *ids;
    const pqt_tree *known = known_copy(c, tree);
    if (known != NULL)
        return known;
    if (!copy_domain(c, tree->domain, memory, error))
        return NULL;
    const pqt_tree *copy = NULL;
    if (copy_subtree(c, PQTI_ROOT, &root) &&
        pqti_idmap_copy(memory, tree->ids, known_copy, learn_copy, c, &ids))
        copy = pqti_version_of(c->domain, &root, &tree->fingerprint, ids, error);
    if (copy != NULL && learn_copy(c, tree, copy))
        return copy;
    pqti_out_of_memory(error);
    return NULL;
}

static bool
copy_trees(copier *c, const pqt_tree *const *trees, size_t count, pqt_memory *memory,
           const pqt_tree **copies, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_tree_copy_all", trees[i] != NULL, "a tree of the array is NULL");
        pqti_assert_version("pqt_tree_copy_all", PQT_KIND_TREE, trees[i]);
        bool moves = trees[i]->domain->options.memory != memory;
        copies[i] = moves ? copy_version(c, trees[i], memory, error) : trees[i];
        if (copies[i] == NULL)
            return false;
    }
    return true;
}

bool
pqt_tree_copy_all(const pqt_tree *const *trees, size_t count, pqt_memory *memory,
                  const pqt_tree **copies, pqt_error *error)
{
    PQT_ASSERT((trees != NULL && copies != NULL) || count == 0, "an array is NULL");
    if ((memory = pqti_memory_or_default(memory, error)) == NULL)
        return false;
    copier c = {0};
    const pqt_tree **made = pqti_alloc_scratch(count + 1, sizeof *made);
    bool ready = made != NULL && resize_memo(&c, FIRST_SLOTS);
    if (!ready)
        pqti_out_of_memory(error);
    bool copied = ready && copy_trees(&c, trees, count, memory, made, error);
    if (copied && count > 0)
        memcpy(copies, made, count * sizeof *copies);
    pqti_free_scratch(made);
    pqti_free_scratch(c.slots);
    pqti_keep_alive(c.roots);
    return copied;
}

const pqt_tree *
pqt_tree_copy(const pqt_tree *tree, pqt_memory *memory, pqt_error *error)
{
    const pqt_tree *copy = NULL;
    if (!pqti_check_input(tree, error))
        return NULL;
    return pqt_tree_copy_all(&tree, 1, memory, &copy, error) ? copy : NULL;
}
