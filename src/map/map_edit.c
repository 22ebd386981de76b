/* SPDX-License-Identifier: MIT */
/*
 * map_edit.c: edits the blocks of a map.
 *
 * A batch is an edit by the engine of tries. A single edit follows the path to its entry: the
 * engine edits the block at the end of the path, and the inner blocks above it are copied with one
 * child replaced. In a draft, those that it owns are changed instead, after all else has succeeded;
 * the blocks above an owned one are owned (owner.h).
 */
#include "config.h"

#include "map/map_internal.h"

#define TRIE_EDITS
#define TRIE_DROPS
#include "map/map_trie.h"

/* ---- Many edits ---- */

bool
pqti_map_build(pqt_memory *memory, uint64_t kinds, unsigned level, const pqti_map_edit *edits,
               size_t count, const void **made)
{
    map_memory in = {{memory, NULL, kinds}, NULL};
    const trie_slice empty = trie_slice_of(NULL);
    return trie_edit_slice(&in, &empty, level, edits, count, made);
}

/* Drops the cells of the entries that edits will change, if a draft edits. */
static void
drop_replaced_cells(const pqti_map_editing *m, const pqti_map_edit *edits, size_t count)
{
    if (m->home.owner == NULL || (m->home.kinds & PQTI_MAP_HAS_CELLS) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const pqti_map_slots slot = {pqti_map_find_slot(m->root, 0, map_edit_key(&edits[i])),
                                     m->home.kinds};
        if (slot.at != NULL && map_overrules(&edits[i], slot))
            pqti_map_drop_replaced(&m->home, slot.at);
    }
}

bool
pqti_map_edit_many(pqti_map_editing *m, const pqti_map_edit *edits, size_t count)
{
    map_memory memory = {m->home, NULL};
    const void *root = NULL;
    drop_replaced_cells(m, edits, count);
    if (!trie_apply(&memory, m->root, edits, count, &root))
        return false;
    m->changed = root != m->root;
    m->root = root;
    m->sum = pqti_map_sum_of_block(root);
    return true;
}

/* ---- One edit ---- */

/* The inner blocks on the way to a key, and the block below them that an edit replaces. */
typedef struct entry_path {
    pqti_map_hashed key;
    const pqti_map_inner *inner[PQTI_MAP_LEVELS];
    unsigned depth;
    const void *block;
} entry_path;

static void
follow_key(const void *root, pqti_map_hashed key, entry_path *path)
{
    path->key = key;
    path->block = root;
    path->depth = 0;
    while (pqti_map_is_inner(path->block)) {
        const pqti_map_inner *inner = path->block;
        path->inner[path->depth] = inner;
        path->block = inner->child[pqti_map_digit(key, path->depth++)];
    }
}

/* Shortens a path to the inner blocks that stay inner blocks if the entry is removed. */
static void
shorten_path(entry_path *path)
{
    while (path->depth > 0 && pqti_map_count_of(path->inner[path->depth - 1]) <= PQTI_MAP_LEAF + 1)
        path->block = path->inner[--path->depth];
}

static bool
changes_nothing(const pqti_map_home *home, const pqti_map_edit *edit, const pqti_map_slot *old)
{
    if (old == NULL || edit->removal)
        return old == NULL && edit->removal;
    const pqti_map_slots slot = {old, home->kinds};
    return pqti_map_has_value(&slot, &edit->value);
}

/* Adds the sum of the new entry and subtracts that of the old one. Either may be NULL. */
static pqt_fingerprint
change_of_sum(const pqti_map_home *home, const pqti_map_slot *old, const pqti_map_slot *new)
{
    pqt_fingerprint change = {0, 0};
    if (new != NULL)
        change = pqti_map_sum_of(&(pqti_map_slots){new, home->kinds});
    if (old != NULL) {
        const pqt_fingerprint sum = pqti_map_sum_of(&(pqti_map_slots){old, home->kinds});
        change.low -= sum.low;
        change.high -= sum.high;
    }
    return change;
}

/* Changes the `owned` highest blocks of a path, of which the lowest gets another child. Returns the
   root. */
static const void *
change_owned(const entry_path *path, unsigned owned, const void *child, uint64_t count,
             pqt_fingerprint change)
{
    for (unsigned i = owned; i > 0; i--) {
        pqti_map_inner *inner = (pqti_map_inner *)(uintptr_t)path->inner[i - 1];
        pqti_map_change_inner(inner, pqti_map_digit(path->key, i - 1), child, count, change);
        child = inner;
    }
    return child;
}

static void
add_to_sum(pqti_map_editing *m, pqt_fingerprint change)
{
    m->sum.low += change.low;
    m->sum.high += change.high;
}

/* Gives an entry of a leaf that the draft owns another value. Returns false when out of memory. */
static bool
replace_value(pqti_map_editing *m, const entry_path *path, const pqti_map_slot *old,
              const pqti_map_edit *edit)
{
    pqti_map_slot new = {.hash = old->hash};
    if ((m->home.kinds & PQTI_MAP_HAS_CELLS) == 0) {
        new.number = edit->value.number;
    } else {
        new.cell = pqti_map_make_cell(&m->home, edit);
        if (new.cell == NULL)
            return false;
    }
    const pqt_fingerprint change = change_of_sum(&m->home, old, &new);
    pqti_map_drop_replaced(&m->home, old);
    *(pqti_map_slot *)(uintptr_t)old = new;
    m->root = change_owned(path, path->depth, path->block, 0, change);
    add_to_sum(m, change);
    return true;
}

/* Sets *edited to the result of an edit of a block at a level. Returns false when out of memory. */
static bool
edit_block(const pqti_map_home *home, const void *block, unsigned level, const pqti_map_edit *edit,
           const void **edited)
{
    map_memory in = {*home, NULL};
    const trie_slice slice = trie_slice_of(block);
    return trie_edit_slice(&in, &slice, level, edit, 1, edited);
}

/* Replaces the block at the end of a path. Returns false when out of memory. */
static bool
replace_block(pqti_map_editing *m, const entry_path *path, const pqti_map_slot *old,
              const pqti_map_edit *edit)
{
    const void *made;
    unsigned copied = path->depth;
    if (!edit_block(&m->home, path->block, path->depth, edit, &made))
        return false;
    const uint64_t count = pqti_map_count_of(made) - pqti_map_count_of(path->block);
    const pqti_map_slot *new =
        edit->removal ? NULL : pqti_map_find_slot(made, path->depth, path->key);
    const pqt_fingerprint change = change_of_sum(&m->home, old, new);
    pqti_map_drop_replaced(&m->home, old);
    for (; copied > 0 && !pqti_map_owns(&m->home, path->inner[copied - 1]); copied--) {
        const unsigned i = pqti_map_digit(path->key, copied - 1);
        made = pqti_map_copy_inner(&m->home, path->inner[copied - 1], i, made, count, change);
        if (made == NULL)
            return false;
    }
    m->root = change_owned(path, copied, made, count, change);
    add_to_sum(m, change);
    return true;
}

bool
pqti_map_edit_one(pqti_map_editing *m, const pqti_map_edit *edit)
{
    entry_path path;
    follow_key(m->root, edit->key, &path);
    const pqti_map_slot *old = pqti_map_find_slot(path.block, path.depth, path.key);
    if (changes_nothing(&m->home, edit, old))
        return true;
    m->changed = true;
    if (old != NULL && !edit->removal && pqti_map_owns(&m->home, path.block))
        return replace_value(m, &path, old, edit);
    if (edit->removal)
        shorten_path(&path);
    return replace_block(m, &path, old, edit);
}
