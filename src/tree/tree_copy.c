/* SPDX-License-Identifier: MIT */
/*
 * tree_copy.c - versions into another memory, what they share staying shared.
 *
 * A table remembers for each block that was copied where its copy is; a block that is met again is
 * not walked. So copying many versions costs their distinct blocks.
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
    pqti_extent extent; /* not used for blocks of id maps */
} copy_slot;

/*
 * An open hash table of blocks. The copies are in scratch memory, where no collector looks; what
 * keeps them alive is `chain`, a list in the new memory itself.
 */
typedef struct copier {
    const pqti_space *space; /* of the copies */
    copy_slot *slots;
    size_t used, mask;
    void **chain;
} copier;

enum { FIRST_SLOTS = 1024, KEPT = 14 };

static size_t
slot_of(const copier *c, const void *block)
{
    size_t slot = (size_t)pqti_finish((uintptr_t)block) & c->mask;
    while (c->slots[slot].block != NULL && c->slots[slot].block != block)
        slot = (slot + 1) & c->mask;
    return slot;
}

static bool
resize(copier *c, size_t slots)
{
    copier old = *c;
    c->slots = pqti_scratch(slots, sizeof *c->slots);
    if (c->slots == NULL) {
        *c = old;
        return false;
    }
    memset(c->slots, 0, slots * sizeof *c->slots);
    c->mask = slots - 1;
    for (size_t i = 0; old.slots != NULL && i <= old.mask; i++)
        if (old.slots[i].block != NULL)
            c->slots[slot_of(c, old.slots[i].block)] = old.slots[i];
    pqti_scratch_free(old.slots);
    return true;
}

/* Holds a copy where the collector finds it: blocks of 14 pointers, the first word leading on, the
   last one free, since a node's last word is not searched. */
static bool
hold(copier *c, const void *copy)
{
    size_t place = c->used % KEPT;
    if (c->space->options.memory != pqt_collector())
        return true; /* an arena keeps all that is made in it */
    if (place == 0) {
        void **block = pqti_node(c->space->options.memory, (KEPT + 2) * sizeof *block);
        if (block == NULL)
            return false;
        block[0] = c->chain;
        c->chain = block;
    }
    memcpy(&c->chain[1 + place], &copy, sizeof copy);
    return true;
}

static bool
remember(copier *c, const void *block, const void *copy, pqti_extent extent)
{
    if (!hold(c, copy) || (2 * c->used >= c->mask && !resize(c, 2 * (c->mask + 1))))
        return false;
    c->slots[slot_of(c, block)] = (copy_slot){block, copy, extent};
    c->used++;
    return true;
}

static const void *
known_copy(void *context, const void *block)
{
    const copier *c = context;
    return c->slots[slot_of(c, block)].copy;
}

static bool
learn_copy(void *context, const void *block, const void *copy)
{
    return remember(context, block, copy, PQTI_EMPTY_EXTENT);
}

static bool copy_part(copier *c, pqti_place place, pqti_ref ref, pqti_ref *copy);

static PQTI_NOINLINE bool
copy_leaf(copier *c, pqti_place place, pqti_ref ref, pqti_ref *copy)
{
    pqt_item few[64];
    pqt_item *items = few;
    if (ref.count > 64 && (items = pqti_scratch(ref.count, sizeof *items)) == NULL)
        return false;
    pqti_gather(ref, items);
    bool made = pqti_leaf_of(c->space, place, items, ref.count, copy);
    if (items != few)
        pqti_scratch_free(items);
    return made;
}

static bool
copy_inner(copier *c, pqti_place place, pqti_ref ref, pqti_ref *copy)
{
    const pqti_inner *node = ref.at;
    pqti_place own = pqti_place_of_node(c->space, place, ref);
    pqti_ref parts[PQTI_PARTS];
    pqti_parts(c->space, own, ref, parts);
    for (int i = 0; i < PQTI_PARTS; i++)
        if (!copy_part(c, pqti_part_place(c->space, own, i), parts[i], &parts[i]))
            return false;
    if (!pqti_join(c->space, own, parts, node->fingerprint, copy))
        return false;
    copy->deep = ref.deep;
    return true;
}

static bool
copy_part(copier *c, pqti_place place, pqti_ref ref, pqti_ref *copy)
{
    *copy = ref;
    if (ref.at == NULL)
        return true;
    copy_slot *known = &c->slots[slot_of(c, ref.at)];
    if (known->block != NULL) {
        copy->at = known->copy;
        copy->extent = known->extent;
        return true;
    }
    bool made = ref.leaf ? copy_leaf(c, place, ref, copy) : copy_inner(c, place, ref, copy);
    return made && remember(c, ref.at, copy->at, copy->extent);
}

/* The space that goes with the copies of versions of `space`: one for all of them. */
static bool
copy_space(copier *c, const pqti_space *space, pqt_memory *memory, pqt_error *error)
{
    const pqti_space *known = known_copy(c, space);
    c->space = known != NULL ? known : pqti_space_copy(space, memory, error);
    if (c->space == NULL)
        return false;
    if (known != NULL || learn_copy(c, space, c->space))
        return true;
    pqti_out_of_memory(error);
    return false;
}

static const pqt_tree *
copy_version(copier *c, const pqt_tree *tree, pqt_memory *memory, pqt_error *error)
{
    pqti_ref root;
    const void *ids;
    const pqt_tree *known = known_copy(c, tree);
    if (known != NULL)
        return known;
    if (!copy_space(c, tree->space, memory, error))
        return NULL;
    const pqt_tree *copy = NULL;
    if (copy_part(c, PQTI_ROOT, pqti_root(tree), &root) &&
        pqti_ids_copy(memory, tree->ids, known_copy, learn_copy, c, &ids))
        copy = pqti_version_of(c->space, root, tree->fingerprint, ids, error);
    if (copy != NULL && learn_copy(c, tree, copy))
        return copy;
    pqti_out_of_memory(error);
    return NULL;
}

static bool
copy_all(copier *c, const pqt_tree *const *trees, size_t count, pqt_memory *memory,
         const pqt_tree **copies, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_tree_copy_all", trees[i] != NULL, "a tree of the array is NULL");
        bool moves = trees[i]->space->options.memory != memory;
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
    if (pqti_failed(error) || (memory = pqti_memory_or_default(memory, error)) == NULL)
        return false;
    copier c = {0};
    const pqt_tree **made = pqti_scratch(count + 1, sizeof *made);
    bool ready = made != NULL && resize(&c, FIRST_SLOTS);
    if (!ready)
        pqti_out_of_memory(error);
    bool copied = ready && copy_all(&c, trees, count, memory, made, error);
    if (copied && count > 0)
        memcpy(copies, made, count * sizeof *copies);
    pqti_scratch_free(made);
    pqti_scratch_free(c.slots);
    pqti_keep(c.chain);
    return copied;
}

const pqt_tree *
pqt_tree_copy(const pqt_tree *tree, pqt_memory *memory, pqt_error *error)
{
    const pqt_tree *copy = NULL;
    if (!pqti_may_go_on(tree, error))
        return NULL;
    return pqt_tree_copy_all(&tree, 1, memory, &copy, error) ? copy : NULL;
}
