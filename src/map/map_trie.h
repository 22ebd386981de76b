/* SPDX-License-Identifier: MIT */
/*
 * map_trie.h: the trie of maps, an instance of trie_template.h.
 *
 * Before a source includes this header, it defines a macro for each section of the template that it
 * uses (TRIE_EDITS and so on).
 */
#ifndef PQTI_MAP_TRIE_H
#define PQTI_MAP_TRIE_H

#include "base/prefetch.h"
#include "map/map_entry.h"
#include "memory/memory_internal.h"

enum {
    TRIE_BITS = PQTI_MAP_BITS,
    TRIE_LEAF = PQTI_MAP_LEAF,
    TRIE_LEVELS = PQTI_MAP_LEVELS,
    TRIE_PARTS = 1
};
#define TRIE_POINTERS
#define TRIE_NAME(name) map_##name
#define TRIE_CELLS

typedef const void *map_ref;
typedef pqti_map_slots map_entries;
typedef pqti_map_hashed map_key;
typedef pqti_map_edit map_edit;

/* The slots of a leaf under construction. Its cells are made last, once all slots are known to
   fit. */
typedef struct map_leaf_buffer {
    pqti_map_slot slots[PQTI_MAP_LEAF];
    const pqti_map_edit *edits[PQTI_MAP_LEAF]; /* NULL: the slot is complete */
} map_leaf_buffer;

typedef struct map_memory {
    pqti_map_home home;
    struct pqti_copier *copier; /* used by map_copy.c; NULL elsewhere */
} map_memory;

#include "map/trie_template.h"

static inline uint64_t
map_count(map_ref ref)
{
    return pqti_map_count_of(ref);
}

static inline void
map_prefetch(map_ref ref)
{
    enum { LIKELY = 2 * 64 };
    pqti_prefetch_bytes(ref, 0, ref == NULL ? 0 : LIKELY);
}

static inline map_ref
map_child(map_ref ref, unsigned i)
{
    return ((const pqti_map_inner *)ref)->child[i];
}

static inline map_entries
map_leaf_entries(map_ref ref)
{
    return pqti_map_slots_of(ref);
}

static inline map_entries
map_entry_at(map_entries entries, uint64_t i)
{
    return pqti_map_slot_at(entries, i);
}

static inline map_key
map_entry_key(map_entries entry)
{
    return pqti_map_key_of(entry);
}

static inline map_key
map_edit_key(const map_edit *edit)
{
    return edit->key;
}

static inline int
map_compare_keys(map_key a, map_key b)
{
    return pqti_map_compare(a, b);
}

static inline unsigned
map_digit(map_key key, unsigned level)
{
    return pqti_map_digit(key, level);
}

#ifdef TRIE_EDITS

static inline void
map_keep(map_leaf_buffer *buffer, size_t i, map_entries entry)
{
    buffer->slots[i] = *entry.at;
    buffer->edits[i] = NULL;
}

static inline void
map_put(map_leaf_buffer *buffer, size_t i, const map_edit *edit)
{
    const bool has_cell = (edit->kinds & PQTI_MAP_HAS_CELLS) != 0;
    buffer->slots[i].hash = edit->key.hash;
    buffer->edits[i] = has_cell && edit->cell == NULL ? edit : NULL;
    if (has_cell)
        buffer->slots[i].cell = edit->cell;
    else
        buffer->slots[i].number = edit->value.number;
}

static inline bool
map_overrules(const map_edit *edit, map_entries entry)
{
    return edit->removal || !pqti_map_has_value(&entry, &edit->value);
}

static inline bool
trie_same_slot(const pqti_map_slot *a, const pqti_map_slot *b, uint64_t kinds)
{
    return a->hash == b->hash &&
           ((kinds & PQTI_MAP_HAS_CELLS) != 0 ? a->cell == b->cell : a->number == b->number);
}

static inline bool
trie_is_old_leaf(const trie_slice *old, const map_leaf_buffer *buffer, size_t count, uint64_t kinds)
{
    if (old->count != count || !map_is_block(old->ref))
        return false;
    for (size_t i = 0; i < count; i++)
        if (buffer->edits[i] != NULL ||
            !trie_same_slot(&old->entries.at[i], &buffer->slots[i], kinds))
            return false;
    return true;
}

/* Makes a leaf from complete slots. If there are none, makes no block. */
static inline bool
trie_make_slots(map_memory *memory, const pqti_map_slot *slots, size_t count, map_ref *made)
{
    *made = count == 0 ? NULL : pqti_map_make_leaf(&memory->home, slots, count);
    return count == 0 || *made != NULL;
}

static inline bool
map_make_leaf(map_memory *memory, const trie_slice *old, map_leaf_buffer *buffer, size_t count,
              map_ref *made)
{
    *made = old->ref;
    if (trie_is_old_leaf(old, buffer, count, memory->home.kinds))
        return true;
    for (size_t i = 0; i < count; i++) {
        if (buffer->edits[i] == NULL)
            continue;
        buffer->slots[i].cell = pqti_map_make_cell(&memory->home, buffer->edits[i]);
        if (buffer->slots[i].cell == NULL)
            return false;
    }
    return trie_make_slots(memory, buffer->slots, count, made);
}

static inline bool
map_make_slice(map_memory *memory, const trie_slice *slice, map_ref *made)
{
    return trie_make_slots(memory, slice->entries.at, (size_t)slice->count, made);
}

static inline void
map_children(map_ref ref, map_ref child[TRIE_WAYS])
{
    memcpy(child, ((const pqti_map_inner *)ref)->child, TRIE_WAYS * sizeof *child);
}

static inline bool
map_make_inner(map_memory *memory, const trie_slice *old, const map_ref child[TRIE_WAYS],
               uint64_t count, map_ref *made)
{
    *made = pqti_map_make_inner(&memory->home, trie_is_inner(old) ? old->ref : NULL, child, count);
    return *made != NULL;
}

#ifdef TRIE_DROPS

static inline void
map_drop(map_memory *memory, const trie_slice *slice)
{
    pqti_map_drop(&memory->home, slice->ref);
}

static inline bool
map_owns(const map_memory *memory, map_ref ref)
{
    return pqti_map_owns(&memory->home, ref);
}

#endif

#endif

#ifdef TRIE_COMPARES

static inline bool
map_same_sum(map_ref a, map_ref b)
{
    return memcmp(&((const pqti_map_inner *)a)->sum, &((const pqti_map_inner *)b)->sum,
                  sizeof(pqt_fingerprint)) == 0;
}

static inline bool
map_equal_entries(map_entries a, map_entries b)
{
    return pqti_map_equal_values(&a, &b);
}

#endif

#endif
