/* SPDX-License-Identifier: MIT */
/*
 * trie_template.h: the engine of persistent tries, used by maps, by the id maps of trees and by the
 * body maps of worlds.
 *
 * A trie divides its entries by the digits of their keys, TRIE_BITS bits per level. A set of at
 * most TRIE_LEAF entries is a leaf, sorted by key. A larger set is an inner block with 2^TRIE_BITS
 * children. So the keys alone determine the shape. An edit copies the paths to the entries that
 * change (path copying: Driscoll, Sarnak, Sleator and Tarjan 1989, section 2.2; hash tries: Bagwell
 * 2001). Every block that an edit makes is part of the result.
 *
 * This header is a template. Before including it, a source defines:
 *
 *     TRIE_BITS, TRIE_LEAF, TRIE_LEVELS   constants; no path has more inner blocks than TRIE_LEVELS
 *     TRIE_PARTS                          number of parallel tries of the same shape
 *     TRIE_NAME(name)                     a name of its own: map_##name, idmap_##name, ...
 *
 * The types and functions that it defines have these names, so that no name has two definitions:
 * trie_child is map_child in the sources of maps, and idmap_child in idmap.c. It defines these
 * types before it includes the header:
 *
 *     trie_ref          a reference to a child: a pointer, or one for each part
 *     trie_entries      a position in the entries of a leaf: a pointer, or several
 *     trie_key          the key by which entries are sorted
 *     trie_edit         an edit: an entry with a new value, or a key to be removed (`removal`)
 *     trie_leaf_buffer  a buffer on the stack for the entries of one leaf
 *     trie_memory       the memory for new blocks, and the parameters for making them
 *
 * It may define TRIE_DROPS, if drafts edit it; TRIE_POINTERS, if a reference is a pointer to a
 * block; and TRIE_NUMBER_KEYS, if a key is a 64-bit number, whose digits are its bits from the
 * highest one. The last digit may have fewer bits.
 *
 * It defines the functions that are declared below without a body after that. All of them are
 * static and inlined, so the compiler knows the constants and layouts.
 *
 * Traversals work on *slices*. A slice is a block, or the entries of a leaf that would go to one
 * child if the leaf were divided. Functions receive slices by pointer, because they are large.
 */
#ifndef PQTI_TRIE_TEMPLATE_H
#define PQTI_TRIE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* ---- Names that a user defines ---- */

#define trie_ref TRIE_NAME(ref)
#define trie_entries TRIE_NAME(entries)
#define trie_key TRIE_NAME(key)
#define trie_edit TRIE_NAME(edit)
#define trie_leaf_buffer TRIE_NAME(leaf_buffer)
#define trie_memory TRIE_NAME(memory)

#define trie_nothing TRIE_NAME(nothing)
#define trie_is_block TRIE_NAME(is_block)
#define trie_same_block TRIE_NAME(same_block)
#define trie_count TRIE_NAME(count)
#define trie_child TRIE_NAME(child)
#define trie_leaf_entries TRIE_NAME(leaf_entries)
#define trie_entry_at TRIE_NAME(entry_at)
#define trie_entry_key TRIE_NAME(entry_key)
#define trie_edit_key TRIE_NAME(edit_key)
#define trie_compare_keys TRIE_NAME(compare_keys)
#define trie_digit TRIE_NAME(digit)
#define trie_keep TRIE_NAME(keep)
#define trie_put TRIE_NAME(put)
#define trie_overrules TRIE_NAME(overrules)
#define trie_make_leaf TRIE_NAME(make_leaf)
#define trie_make_slice TRIE_NAME(make_slice)
#define trie_make_inner TRIE_NAME(make_inner)
#define trie_children TRIE_NAME(children)
#define trie_prefetch TRIE_NAME(prefetch)
#define trie_drop TRIE_NAME(drop)
#define trie_owns TRIE_NAME(owns)
#define trie_find_copy TRIE_NAME(find_copy)
#define trie_record_copy TRIE_NAME(record_copy)
#define trie_copy_leaf TRIE_NAME(copy_leaf)
#define trie_same_sum TRIE_NAME(same_sum)
#define trie_equal_entries TRIE_NAME(equal_entries)
#define trie_is_whole TRIE_NAME(is_whole)
#define trie_check_block TRIE_NAME(check_block)
#define trie_shares TRIE_NAME(shares)
#define trie_block_bytes TRIE_NAME(block_bytes)
#define trie_cell_bytes TRIE_NAME(cell_bytes)

enum { TRIE_WAYS = 1 << TRIE_BITS };

typedef struct trie_slice {
    trie_ref ref;         /* if not a block, `entries` are some entries of a leaf */
    trie_entries entries; /* not set for an inner block */
    uint64_t count;
} trie_slice;

/* ---- Functions that a user defines ---- */

/* Returns the reference to an empty trie. */
static inline trie_ref trie_nothing(void);
/* Returns true if a reference is not empty. The second function returns true if two references
   refer to the same block. */
static inline bool trie_is_block(trie_ref ref);
static inline bool trie_same_block(trie_ref a, trie_ref b);
/* Returns the number of entries in a subtree, or 0 if there is no block. */
static inline uint64_t trie_count(trie_ref ref);
static inline trie_ref trie_child(trie_ref ref, unsigned i);
static inline trie_entries trie_leaf_entries(trie_ref ref);
static inline trie_entries trie_entry_at(trie_entries entries, uint64_t i);

static inline trie_key trie_entry_key(trie_entries entry);
static inline trie_key trie_edit_key(const trie_edit *edit);
/* Compares two keys, which are ordered by their digits. Returns a value below 0, 0 or above 0. */
static inline int trie_compare_keys(trie_key a, trie_key b);
static inline unsigned trie_digit(trie_key key, unsigned level);

#ifdef TRIE_POINTERS

static inline trie_ref
trie_nothing(void)
{
    return NULL;
}

static inline bool
trie_is_block(trie_ref ref)
{
    return ref != NULL;
}

static inline bool
trie_same_block(trie_ref a, trie_ref b)
{
    return a == b;
}

#endif

#ifdef TRIE_NUMBER_KEYS

static inline trie_key
trie_edit_key(const trie_edit *edit)
{
    return edit->key;
}

static inline int
trie_compare_keys(trie_key a, trie_key b)
{
    return a < b ? -1 : a > b;
}

static inline unsigned
trie_digit(trie_key key, unsigned level)
{
    PQT_INVARIANT(level < TRIE_LEVELS, "a key has no digit at this level");
    return (unsigned)(key << (TRIE_BITS * level) >> (64 - TRIE_BITS));
}

#endif

/* ---- Slices ---- */

static inline bool
trie_is_inner(const trie_slice *slice)
{
    return slice->count > TRIE_LEAF;
}

static inline trie_slice
trie_slice_of(trie_ref ref)
{
    const uint64_t count = trie_count(ref);
    return (trie_slice){ref, trie_leaf_entries(ref), count};
}

/*
 * Returns the slice for child `i`. For a leaf, the children must be requested in ascending order:
 * *next is the index of the first entry that earlier children did not take, and it starts at 0.
 */
static inline trie_slice
trie_part(const trie_slice *slice, unsigned level, unsigned i, uint64_t *next)
{
    if (trie_is_inner(slice))
        return trie_slice_of(trie_child(slice->ref, i));
    const uint64_t from = *next;
    while (*next < slice->count &&
           trie_digit(trie_entry_key(trie_entry_at(slice->entries, *next)), level) == i)
        ++*next;
    return (trie_slice){trie_nothing(), trie_entry_at(slice->entries, from), *next - from};
}

/* Returns the only leaf that can contain a given key, or no block if there is no such leaf. */
static inline trie_ref
trie_leaf_of_key(trie_ref ref, trie_key key, unsigned level)
{
    while (trie_count(ref) > TRIE_LEAF)
        ref = trie_child(ref, trie_digit(key, level++));
    return ref;
}

/* ---- Editing ---- */

#ifdef TRIE_EDITS

/* Functions to be defined that write an old entry, or the entry of an edit, to a buffer. */
static inline void trie_keep(trie_leaf_buffer *buffer, size_t i, trie_entries entry);
static inline void trie_put(trie_leaf_buffer *buffer, size_t i, const trie_edit *edit);
/* Returns true if an edit of the same key changes the entry. */
static inline bool trie_overrules(const trie_edit *edit, trie_entries entry);
/* Makes a leaf from entries. If `old` is a block with exactly these entries, sets *made to it
   instead. If there are no entries, makes no block. */
static inline bool trie_make_leaf(trie_memory *memory, const trie_slice *old,
                                  trie_leaf_buffer *buffer, size_t count, trie_ref *made);
/* Makes a block for a slice that is not one. */
static inline bool trie_make_slice(trie_memory *memory, const trie_slice *slice, trie_ref *made);
/* Makes an inner block. If `old` is an inner block too, `child` contains replacements for its
   children. */
static inline bool trie_make_inner(trie_memory *memory, const trie_slice *old,
                                   const trie_ref child[TRIE_WAYS], uint64_t count, trie_ref *made);
/* Copies the children of an inner block into an array. */
static inline void trie_children(trie_ref ref, trie_ref child[TRIE_WAYS]);
/* Prefetches the cache lines of a block that an edit reads. */
static inline void trie_prefetch(trie_ref ref);

#ifdef TRIE_DROPS

/* To be defined, for tries that a draft edits. The first function drops a block that an edit has
   replaced: see owner.h. The second returns true if the draft owns a block. */
static inline void trie_drop(trie_memory *memory, const trie_slice *slice);
static inline bool trie_owns(const trie_memory *memory, trie_ref ref);

/* Drops all blocks of a slice. None is owned below a block that is not. */
static void
trie_drop_all(trie_memory *memory, const trie_slice *slice)
{
    if (!trie_is_block(slice->ref) || !trie_owns(memory, slice->ref))
        return;
    for (unsigned i = 0; i < TRIE_WAYS && trie_is_inner(slice); i++) {
        const trie_slice child = trie_slice_of(trie_child(slice->ref, i));
        trie_drop_all(memory, &child);
    }
    trie_drop(memory, slice);
}

/* Drops the block of a slice, whose children are in use. */
static inline void
trie_drop_one(trie_memory *memory, const trie_slice *slice)
{
    if (trie_is_block(slice->ref))
        trie_drop(memory, slice);
}

#else

static inline void
trie_drop_all(trie_memory *memory, const trie_slice *slice)
{
    (void)memory;
    (void)slice;
}

static inline void
trie_drop_one(trie_memory *memory, const trie_slice *slice)
{
    (void)memory;
    (void)slice;
}

#endif

typedef struct trie_merging {
    const trie_edit *edit, *end; /* the edits that are not merged yet */
    trie_leaf_buffer buffer;
    size_t count;
} trie_merging;

/* The trie_merge functions return false if the result does not fit in a leaf. */
static inline bool
trie_merge_entry(trie_merging *m, trie_entries entry)
{
    if (m->count == TRIE_LEAF)
        return false;
    trie_keep(&m->buffer, m->count++, entry);
    return true;
}

static inline bool
trie_merge_edit(trie_merging *m)
{
    const trie_edit *edit = m->edit++;
    if (edit->removal)
        return true;
    if (m->count == TRIE_LEAF)
        return false;
    trie_put(&m->buffer, m->count++, edit);
    return true;
}

/* Merges the edits with lower keys, then an old entry with the edit of its key, if there is one. */
static inline bool
trie_merge_old(trie_merging *m, trie_entries entry)
{
    const trie_key key = trie_entry_key(entry);
    while (m->edit < m->end && trie_compare_keys(trie_edit_key(m->edit), key) < 0)
        if (!trie_merge_edit(m))
            return false;
    if (m->edit < m->end && trie_compare_keys(trie_edit_key(m->edit), key) == 0) {
        if (trie_overrules(m->edit, entry))
            return true;
        m->edit++;
    }
    return trie_merge_entry(m, entry);
}

static bool
trie_merge_slice(trie_merging *m, const trie_slice *slice)
{
    if (trie_is_inner(slice)) {
        for (unsigned i = 0; i < TRIE_WAYS; i++) {
            const trie_slice child = trie_slice_of(trie_child(slice->ref, i));
            if (!trie_merge_slice(m, &child))
                return false;
        }
        return true;
    }
    for (uint64_t i = 0; i < slice->count; i++)
        if (!trie_merge_old(m, trie_entry_at(slice->entries, i)))
            return false;
    return true;
}

/*
 * Makes the leaf that results from a slice and its edits. If the result does not fit in a leaf,
 * sets *fits to false and makes nothing.
 */
static PQTI_NOINLINE bool
trie_edit_as_leaf(trie_memory *memory, const trie_slice *slice, const trie_edit *edits,
                  size_t count, bool *fits, trie_ref *edited)
{
    trie_merging m; /* the buffer is not initialised */
    m.edit = edits;
    m.end = edits + count;
    m.count = 0;
    *fits = trie_merge_slice(&m, slice);
    while (*fits && m.edit < m.end)
        *fits = trie_merge_edit(&m);
    if (!*fits)
        return true;
    if (!trie_make_leaf(memory, slice, &m.buffer, m.count, edited))
        return false;
    if (!trie_same_block(*edited, slice->ref))
        trie_drop_all(memory, slice);
    return true;
}

static bool trie_edit_slice(trie_memory *memory, const trie_slice *slice, unsigned level,
                            const trie_edit *edits, size_t count, trie_ref *edited);

/* Returns the number of leading edits whose keys belong to child `i`. */
static inline size_t
trie_edits_of_child(const trie_edit *edits, size_t count, unsigned level, unsigned i)
{
    size_t own = 0;
    while (own < count && trie_digit(trie_edit_key(&edits[own]), level) == i)
        own++;
    return own;
}

/* Edits a leaf whose result is an inner block. */
static PQTI_NOINLINE bool
trie_edit_split(trie_memory *memory, const trie_slice *slice, unsigned level,
                const trie_edit *edits, size_t count, trie_ref *edited)
{
    PQT_INVARIANT(level < TRIE_LEVELS, "two keys have the same digits");
    trie_ref child[TRIE_WAYS];
    uint64_t sum = 0, next = 0;
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const trie_slice part = trie_part(slice, level, i, &next);
        const size_t own = trie_edits_of_child(edits, count, level, i);
        if (!trie_edit_slice(memory, &part, level + 1, edits, own, &child[i]))
            return false;
        edits += own;
        count -= own;
        sum += trie_count(child[i]);
    }
    if (!trie_make_inner(memory, slice, child, sum, edited))
        return false;
    trie_drop_one(memory, slice);
    return true;
}

/*
 * Edits an inner block whose result is an inner block. Prefetches the children that are edited, and
 * does not read the others.
 */
static inline bool
trie_edit_inner(trie_memory *memory, const trie_slice *slice, unsigned level,
                const trie_edit *edits, size_t count, trie_ref *edited)
{
    trie_ref child[TRIE_WAYS];
    uint64_t sum = slice->count;
    bool changed = false;
    trie_children(slice->ref, child);
    for (size_t i = 0; i < count && i < TRIE_WAYS; i++)
        trie_prefetch(child[count < TRIE_WAYS ? trie_digit(trie_edit_key(&edits[i]), level) : i]);
    while (count > 0) {
        const unsigned i = trie_digit(trie_edit_key(&edits[0]), level);
        const size_t own = trie_edits_of_child(edits, count, level, i);
        const trie_slice part = trie_slice_of(child[i]);
        if (!trie_edit_slice(memory, &part, level + 1, edits, own, &child[i]))
            return false;
        sum += trie_count(child[i]) - part.count;
        changed = changed || !trie_same_block(child[i], part.ref);
        edits += own;
        count -= own;
    }
    *edited = slice->ref;
    if (!changed)
        return true;
    if (!trie_make_inner(memory, slice, child, sum, edited))
        return false;
    trie_drop_one(memory, slice);
    return true;
}

/*
 * Applies edits to a slice and sets *edited to the result, which is the block of the slice if
 * nothing changes. The edits must be sorted by key, and no key may occur twice. Returns false if
 * out of memory.
 */
static bool
trie_edit_slice(trie_memory *memory, const trie_slice *slice, unsigned level,
                const trie_edit *edits, size_t count, trie_ref *edited)
{
    *edited = slice->ref;
    if (count == 0)
        return trie_is_block(slice->ref) || trie_make_slice(memory, slice, edited);
    bool fits = false;
    if (slice->count <= TRIE_LEAF + count && /* otherwise removals cannot turn it into a leaf */
        !trie_edit_as_leaf(memory, slice, edits, count, &fits, edited))
        return false;
    if (fits)
        return true;
    return trie_is_inner(slice) ? trie_edit_inner(memory, slice, level, edits, count, edited)
                                : trie_edit_split(memory, slice, level, edits, count, edited);
}

static inline bool
trie_apply(trie_memory *memory, trie_ref ref, const trie_edit *edits, size_t count,
           trie_ref *edited)
{
    const trie_slice whole = trie_slice_of(ref);
    *edited = ref;
    return count == 0 || trie_edit_slice(memory, &whole, 0, edits, count, edited);
}

#endif

/* ---- Copying ---- */

#ifdef TRIE_COPIES

/* Functions to be defined. The first looks up an earlier copy of a block and returns an empty
   reference if there is none. The second records a new copy. */
static inline trie_ref trie_find_copy(trie_memory *memory, trie_ref ref);
static inline bool trie_record_copy(trie_memory *memory, trie_ref ref, trie_ref copy);
/* Returns a copy of a leaf. */
static inline bool trie_copy_leaf(trie_memory *memory, const trie_slice *slice, trie_ref *copy);

/* Copies a trie into another memory. Returns false if out of memory. */
static bool
trie_copy(trie_memory *memory, trie_ref ref, trie_ref *copy)
{
    *copy = trie_is_block(ref) ? trie_find_copy(memory, ref) : ref;
    if (!trie_is_block(ref) || trie_is_block(*copy))
        return true;
    const trie_slice slice = trie_slice_of(ref);
    if (!trie_is_inner(&slice)) {
        if (!trie_copy_leaf(memory, &slice, copy))
            return false;
    } else {
        trie_ref child[TRIE_WAYS];
        for (unsigned i = 0; i < TRIE_WAYS; i++)
            if (!trie_copy(memory, trie_child(ref, i), &child[i]))
                return false;
        const trie_slice none = {trie_nothing(), trie_leaf_entries(trie_nothing()), 0};
        if (!trie_make_inner(memory, &none, child, slice.count, copy))
            return false;
    }
    return trie_record_copy(memory, ref, *copy);
}

#endif

/* ---- Visiting and comparing ---- */

#ifdef TRIE_VISITS

/* The type of a function that is called with an entry. It returns false to stop the visit. */
typedef bool trie_visit_fn(const trie_entries *entry, void *context);

/* Visits all entries in key order. Returns false if `visit` stopped it. */
static bool
trie_visit(const trie_slice *slice, trie_visit_fn *visit, void *context)
{
    for (unsigned i = 0; i < TRIE_WAYS && trie_is_inner(slice); i++) {
        const trie_slice child = trie_slice_of(trie_child(slice->ref, i));
        if (!trie_visit(&child, visit, context))
            return false;
    }
    for (uint64_t i = 0; i < slice->count && !trie_is_inner(slice); i++) {
        const trie_entries entry = trie_entry_at(slice->entries, i);
        if (!visit(&entry, context))
            return false;
    }
    return true;
}

#endif

#ifdef TRIE_COMPARES

/* To be defined: returns true if two inner blocks have equal sums, and so equal entries. */
static inline bool trie_same_sum(trie_ref a, trie_ref b);
static inline bool trie_equal_entries(trie_entries a, trie_entries b);

/* Returns true if two slices are found to be equal without reading the blocks below them. */
static inline bool
trie_same_slice(const trie_slice *a, const trie_slice *b)
{
    if (a->count != b->count)
        return false;
    if (a->count == 0 || (trie_is_block(a->ref) && trie_same_block(a->ref, b->ref)))
        return true;
    return trie_is_inner(a) && trie_same_sum(a->ref, b->ref);
}

#endif

#ifdef TRIE_DIFFS

/* The type of a function that is called with the entries of one key. Each slice has one entry or
   none. It returns false to stop the visit. */
typedef bool trie_visit_change_fn(const trie_slice *a, const trie_slice *b, void *context);

static inline trie_slice
trie_one(const trie_slice *slice, uint64_t i, bool is_there)
{
    return (trie_slice){trie_nothing(), trie_entry_at(slice->entries, is_there ? i : 0), is_there};
}

/* Compares the next keys of two slices. Returns a value below 0 if the next key occurs only in `a`,
   above 0 if it occurs only in `b`, and 0 if it occurs in both. */
static inline int
trie_compare_next(const trie_slice *a, uint64_t i, const trie_slice *b, uint64_t j)
{
    if (i == a->count || j == b->count)
        return i == a->count ? j != b->count : -1;
    return trie_compare_keys(trie_entry_key(trie_entry_at(a->entries, i)),
                             trie_entry_key(trie_entry_at(b->entries, j)));
}

static inline bool
trie_diff_leaves(const trie_slice *a, const trie_slice *b, trie_visit_change_fn *visit,
                 void *context)
{
    uint64_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const int order = trie_compare_next(a, i, b, j);
        const trie_slice x = trie_one(a, i, order <= 0), y = trie_one(b, j, order >= 0);
        const bool same = order == 0 && trie_equal_entries(x.entries, y.entries);
        if (!same && !visit(&x, &y, context))
            return false;
        i += order <= 0;
        j += order >= 0;
    }
    return true;
}

/*
 * Visits, in key order, each key whose entries differ. Does not enter shared blocks. Adds the
 * number of blocks that it reads to *blocks. Returns false if `visit` stopped it.
 */
static bool
trie_diff(const trie_slice *a, const trie_slice *b, unsigned level, trie_visit_change_fn *visit,
          void *context, size_t *blocks)
{
    if (trie_same_slice(a, b))
        return true;
    *blocks += (size_t)trie_is_block(a->ref) + (size_t)trie_is_block(b->ref);
    if (!trie_is_inner(a) && !trie_is_inner(b))
        return trie_diff_leaves(a, b, visit, context);
    const bool both = trie_is_inner(a) && trie_is_inner(b);
    uint64_t next_a = 0, next_b = 0;
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        if (both && trie_same_block(trie_child(a->ref, i), trie_child(b->ref, i)))
            continue;
        const trie_slice x = trie_part(a, level, i, &next_a), y = trie_part(b, level, i, &next_b);
        if (!trie_diff(&x, &y, level + 1, visit, context, blocks))
            return false;
    }
    return true;
}

#endif

/* ---- Checking ---- */

#ifdef TRIE_CHECKS

/* To be defined. The first function returns true if a reference has a block either in each part or
   in none. The second returns true if the stored hashes and sums of a block match its entries. */
static inline bool trie_is_whole(trie_ref ref);
static inline bool trie_check_block(const trie_slice *slice);

#ifdef TRIE_POINTERS

static inline bool
trie_is_whole(trie_ref ref)
{
    (void)ref;
    return true;
}

#endif

static inline bool
trie_check_leaf(const trie_slice *slice, unsigned level, const unsigned char *path)
{
    for (uint64_t i = 0; i < slice->count; i++) {
        const trie_key key = trie_entry_key(trie_entry_at(slice->entries, i));
        for (unsigned k = 0; k < level; k++)
            if (trie_digit(key, k) != path[k])
                return false;
        if (i > 0 &&
            trie_compare_keys(trie_entry_key(trie_entry_at(slice->entries, i - 1)), key) >= 0)
            return false;
    }
    return slice->count > 0;
}

/* Returns true if all entries are sorted and in the leaves to which their keys lead, and if all
   counts are right. */
static bool
trie_check(trie_ref ref, unsigned level, unsigned char path[TRIE_LEVELS])
{
    if (!trie_is_whole(ref))
        return false;
    if (!trie_is_block(ref))
        return true;
    const trie_slice slice = trie_slice_of(ref);
    if (!trie_is_inner(&slice))
        return trie_check_leaf(&slice, level, path) && trie_check_block(&slice);
    if (level == TRIE_LEVELS)
        return false;
    uint64_t count = 0;
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        path[level] = (unsigned char)i;
        if (!trie_check(trie_child(ref, i), level + 1, path))
            return false;
        count += trie_count(trie_child(ref, i));
    }
    return count == slice.count && trie_check_block(&slice);
}

#endif

/* ---- Bytes ---- */

#ifdef TRIE_BYTES

/* To be defined: returns true if two references have the same block in the given part. */
static inline bool trie_shares(trie_ref a, trie_ref b, int part);
/* Returns the size of a block in one part, in bytes. */
static inline size_t trie_block_bytes(const pqt_memory *memory, const trie_slice *slice, int part);
/* Returns the number of bytes in the cells of a leaf that no other version contains. */
static inline size_t trie_cell_bytes(const pqt_memory *memory, const trie_slice *leaf,
                                     unsigned level, const trie_ref *others, size_t count);

#ifdef TRIE_POINTERS

static inline bool
trie_shares(trie_ref a, trie_ref b, int part)
{
    (void)part;
    return a == b;
}

#endif

#ifdef TRIE_CELLS
enum { TRIE_HAS_CELLS = 1 };
#else
enum { TRIE_HAS_CELLS = 0 };

static inline size_t
trie_cell_bytes(const pqt_memory *memory, const trie_slice *leaf, unsigned level,
                const trie_ref *others, size_t count)
{
    (void)memory;
    (void)leaf;
    (void)level;
    (void)others;
    (void)count;
    return 0;
}
#endif

/* Collects the references of the other versions for child `i`. A leaf with cells is kept for every
   child, since it may share cells with any of them. Returns the number of references. */
static inline size_t
trie_children_of(const trie_ref *others, size_t count, unsigned i, trie_ref *children)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        if (trie_count(others[k]) > TRIE_LEAF)
            children[found++] = trie_child(others[k], i);
        else if (TRIE_HAS_CELLS && trie_is_block(others[k]))
            children[found++] = others[k];
    }
    return found;
}

/*
 * Returns the number of bytes in the blocks of a trie that none of `count` other tries has at the
 * same position. `slices` is scratch memory for TRIE_LEVELS + 1 slices of `width` references each,
 * where `width` >= `count`.
 */
static size_t
trie_exclusive_bytes(const pqt_memory *memory, trie_ref ref, unsigned level, const trie_ref *others,
                     size_t count, trie_ref *slices, size_t width)
{
    if (!trie_is_block(ref))
        return 0;
    const trie_slice slice = trie_slice_of(ref);
    size_t bytes = 0, shared = 0;
    for (int part = 0; part < TRIE_PARTS; part++) {
        bool is_shared = false;
        for (size_t i = 0; i < count && !is_shared; i++)
            is_shared = trie_shares(others[i], ref, part);
        shared += is_shared;
        bytes += is_shared ? 0 : trie_block_bytes(memory, &slice, part);
    }
    if (shared == TRIE_PARTS)
        return 0;
    if (!trie_is_inner(&slice))
        return bytes + (TRIE_HAS_CELLS ? trie_cell_bytes(memory, &slice, level, others, count) : 0);
    for (unsigned i = 0; i < TRIE_WAYS; i++) {
        const size_t found = trie_children_of(others, count, i, slices);
        bytes += trie_exclusive_bytes(memory, trie_child(ref, i), level + 1, slices, found,
                                      slices + width, width);
    }
    return bytes;
}

#endif

#endif
