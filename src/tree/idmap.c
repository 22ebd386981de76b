/* SPDX-License-Identifier: MIT */
/*
 * idmap.c: the id map, a persistent trie of ids.
 *
 * The algorithms are in map/trie_template.h. A block begins with the number of its entries. In an
 * inner block, eight pointers follow. In a leaf of n entries, n keys follow, then n words of
 * locators, and then n half words.
 */
#include "config.h"

#include "tree/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "base/prefetch.h"
#include "memory/memory_internal.h"
#include "memory/owner.h"

enum { TRIE_BITS = 3, TRIE_LEAF = PQTI_IDMAP_LEAF, TRIE_LEVELS = 22, TRIE_PARTS = 1 };

typedef struct idmap_leaf {
    uint64_t count;
    uint64_t keys[]; /* in ascending order; the locators follow */
} idmap_leaf;

typedef struct idmap_inner {
    uint64_t count;
    const void *child[1 << TRIE_BITS];
    uint64_t unused; /* the last word of a node must not be a pointer */
} idmap_inner;

_Static_assert(offsetof(idmap_inner, unused) + 8 == sizeof(idmap_inner),
               "the last word of a node may hold a pointer");

typedef const void *idmap_ref;
typedef uint64_t idmap_key;
typedef pqti_id_edit idmap_edit;

typedef struct idmap_entries {
    const uint64_t *key;
    const uint64_t *centre;
    const uint32_t *level_and_hash;
} idmap_entries;

typedef struct idmap_leaf_buffer {
    uint64_t keys[TRIE_LEAF];
    uint64_t centres[TRIE_LEAF];
    uint32_t levels_and_hashes[TRIE_LEAF];
} idmap_leaf_buffer;

/* A memory, the owner of a draft's blocks and, for copying, the callbacks of pqti_idmap_copy. */
typedef struct idmap_memory {
    pqt_memory *memory;
    pqti_owner *owner; /* NULL unless a draft edits */
    pqti_known_fn *known;
    pqti_old_item_fn *learn;
    void *context;
} idmap_memory;

#define TRIE_POINTERS
#define TRIE_NUMBER_KEYS
#define TRIE_NAME(name) idmap_##name
#define TRIE_EDITS
#define TRIE_DROPS
#define TRIE_COPIES
#define TRIE_CHECKS
#define TRIE_BYTES
#include "map/trie_template.h"

/* ---- Blocks ---- */

static inline uint64_t
idmap_count(idmap_ref ref)
{
    return ref == NULL ? 0 : *(const uint64_t *)ref;
}

static inline idmap_ref
idmap_child(idmap_ref ref, unsigned i)
{
    return ((const idmap_inner *)ref)->child[i];
}

static inline idmap_entries
idmap_leaf_entries(idmap_ref ref)
{
    if (idmap_count(ref) > TRIE_LEAF || ref == NULL)
        return (idmap_entries){0};
    const idmap_leaf *leaf = ref;
    const uint64_t *centres = leaf->keys + leaf->count;
    return (idmap_entries){leaf->keys, centres, (const uint32_t *)(centres + leaf->count)};
}

static inline idmap_entries
idmap_entry_at(idmap_entries entries, uint64_t i)
{
    if (i == 0)
        return entries;
    return (idmap_entries){entries.key + i, entries.centre + i, entries.level_and_hash + i};
}

static inline idmap_key
idmap_entry_key(idmap_entries entry)
{
    return *entry.key;
}

static size_t
leaf_size(size_t count)
{
    enum { ENTRY = 2 * sizeof(uint64_t) + sizeof(uint32_t) };
    return pqti_rounded(sizeof(idmap_leaf) + count * ENTRY);
}

/* Makes a leaf of entries, or no block if there are none. */
static inline bool
make_idmap_leaf(idmap_memory *memory, idmap_entries entries, size_t count, idmap_ref *made)
{
    *made = NULL;
    if (count == 0)
        return true;
    idmap_leaf *leaf = memory->owner != NULL
                           ? pqti_owner_alloc_leaf(memory->owner, leaf_size(count))
                           : pqti_alloc_leaf(memory->memory, leaf_size(count));
    if (leaf == NULL)
        return false;
    uint64_t *centres = leaf->keys + count;
    leaf->count = count;
    memcpy(leaf->keys, entries.key, count * sizeof *entries.key);
    memcpy(centres, entries.centre, count * sizeof *entries.centre);
    memcpy(centres + count, entries.level_and_hash, count * sizeof *entries.level_and_hash);
    *made = leaf;
    return true;
}

/* ---- Edits ---- */

static inline void
idmap_keep(idmap_leaf_buffer *buffer, size_t i, idmap_entries entry)
{
    buffer->keys[i] = *entry.key;
    buffer->centres[i] = *entry.centre;
    buffer->levels_and_hashes[i] = *entry.level_and_hash;
}

static inline void
idmap_put(idmap_leaf_buffer *buffer, size_t i, const idmap_edit *edit)
{
    buffer->keys[i] = edit->key;
    buffer->centres[i] = edit->locator.centre;
    buffer->levels_and_hashes[i] = edit->locator.level_and_hash;
}

/* Returns true, because callers pass no edit that changes nothing. */
static inline bool
idmap_overrules(const idmap_edit *edit, idmap_entries entry)
{
    (void)edit;
    (void)entry;
    return true;
}

static inline bool
idmap_make_leaf(idmap_memory *memory, const trie_slice *old, idmap_leaf_buffer *buffer,
                size_t count, idmap_ref *made)
{
    (void)old;
    const idmap_entries entries = {buffer->keys, buffer->centres, buffer->levels_and_hashes};
    return make_idmap_leaf(memory, entries, count, made);
}

static inline bool
idmap_make_slice(idmap_memory *memory, const trie_slice *slice, idmap_ref *made)
{
    return make_idmap_leaf(memory, slice->entries, (size_t)slice->count, made);
}

static inline bool
idmap_make_inner(idmap_memory *memory, const trie_slice *old, const idmap_ref child[TRIE_WAYS],
                 uint64_t count, idmap_ref *made)
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(idmap_inner), PQTI_REFERENCES(offsetof(idmap_inner, child), TRIE_WAYS));
    idmap_inner *inner = memory->owner != NULL ? pqti_owner_alloc_node(memory->owner, &layout)
                                               : pqti_alloc_node(memory->memory, &layout);
    (void)old;
    if (inner == NULL)
        return false;
    inner->count = count;
    memcpy(inner->child, child, sizeof inner->child);
    *made = inner;
    return true;
}

static inline void
idmap_drop(idmap_memory *memory, const trie_slice *slice)
{
    if (memory->owner == NULL)
        return;
    if (trie_is_inner(slice))
        pqti_drop_node(memory->owner, slice->ref, pqti_rounded(sizeof(idmap_inner)));
    else
        pqti_drop_leaf(memory->owner, slice->ref, leaf_size((size_t)slice->count));
}

static inline bool
idmap_owns(const idmap_memory *memory, idmap_ref ref)
{
    return memory->owner != NULL && pqti_owns(memory->owner, ref);
}

static inline void
idmap_children(idmap_ref ref, idmap_ref child[TRIE_WAYS])
{
    memcpy(child, ((const idmap_inner *)ref)->child, TRIE_WAYS * sizeof *child);
}

/* Prefetches four entries or an inner block, because most leaves have no more. */
static inline void
idmap_prefetch(idmap_ref ref)
{
    enum { LIKELY = sizeof(idmap_inner) };
    pqti_prefetch_bytes(ref, 0, ref == NULL ? 0 : LIKELY);
}

#ifndef PQT_PLAIN

/*
 * Fast path. It is equivalent to trie_apply. Every test passes without it.
 *
 * Most edits give another locator to an id that is present. They change no count, so the path is
 * copied from the bottom up, and each copy differs in one word.
 */

/* An entry of a leaf, and the inner blocks that lead to the leaf. */
typedef struct entry_path {
    idmap_ref inner[TRIE_LEVELS];
    unsigned depth;
    idmap_ref leaf;
    size_t entry; /* the index of the entry in the leaf; the number of entries if it is absent */
} entry_path;

static inline void
find_entry_path(idmap_ref map, uint64_t key, entry_path *path)
{
    path->depth = 0;
    for (; idmap_count(map) > TRIE_LEAF; path->depth++) {
        path->inner[path->depth] = map;
        map = idmap_child(map, idmap_digit(key, path->depth));
    }
    const idmap_entries entries = idmap_leaf_entries(map);
    path->leaf = map;
    path->entry = 0;
    while (path->entry < idmap_count(map) && entries.key[path->entry] != key)
        path->entry++;
}

/* Copies the leaf at the end of a path with another locator for the entry. */
static inline bool
copy_leaf_with(pqt_memory *memory, const entry_path *path, pqti_locator locator, idmap_ref *copy)
{
    const size_t count = (size_t)idmap_count(path->leaf), size = leaf_size(count);
    idmap_leaf *leaf = pqti_alloc_leaf(memory, size);
    if (leaf == NULL)
        return false;
    memcpy(leaf, path->leaf, size);
    uint64_t *centres = leaf->keys + count;
    uint32_t *levels_and_hashes = (uint32_t *)(centres + count);
    centres[path->entry] = locator.centre;
    levels_and_hashes[path->entry] = locator.level_and_hash;
    *copy = leaf;
    return true;
}

/* Sets *edited to the map in which the entry at the end of a path has this locator. */
static bool
replace_locator(idmap_memory *memory, const entry_path *path, const pqti_id_edit *edit,
                idmap_ref *edited)
{
    idmap_ref copy;
    if (!copy_leaf_with(memory->memory, path, edit->locator, &copy))
        return false;
    for (unsigned level = path->depth; level > 0; level--) {
        const idmap_ref inner = path->inner[level - 1];
        idmap_ref child[TRIE_WAYS];
        idmap_children(inner, child);
        child[idmap_digit(edit->key, level - 1)] = copy;
        if (!idmap_make_inner(memory, NULL, child, idmap_count(inner), &copy))
            return false;
    }
    *edited = copy;
    return true;
}

#endif

static inline bool
edit_map(idmap_memory *memory, idmap_ref map, const pqti_id_edit *edits, size_t count,
         idmap_ref *edited)
{
#ifndef PQT_PLAIN
    entry_path path;
    if (count == 1 && !edits[0].removal && memory->owner == NULL) {
        find_entry_path(map, edits[0].key, &path);
        if (path.entry < idmap_count(path.leaf))
            return replace_locator(memory, &path, &edits[0], edited);
    }
#endif
    return trie_apply(memory, map, edits, count, edited);
}

static inline bool
keys_ascend(const pqti_id_edit *edits, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (edits[i - 1].key >= edits[i].key)
            return false;
    return true;
}

static bool
sort_id_edits(pqti_id_edit *edits, size_t count)
{
    const bool sorted = keys_ascend(edits, count) || pqti_idmap_sort(edits, count);
    PQTI_DEBUG_ASSERT(!sorted || keys_ascend(edits, count), "id edits repeat an id");
    return sorted;
}

bool
pqti_idmap_edit(pqt_memory *memory, pqti_owner *owner, const void *map, pqti_id_edit *edits,
                size_t count, const void **edited)
{
    idmap_memory in = {.memory = memory, .owner = owner};
    *edited = map;
    return count == 0 || (sort_id_edits(edits, count) && edit_map(&in, map, edits, count, edited));
}

/* ---- Finding ---- */

bool
pqti_idmap_find_owned(const pqti_owner *owner, const void *map, uint64_t key,
                      pqti_owned_locator *place)
{
    const idmap_ref ref = trie_leaf_of_key(map, key, 0);
    if (!pqti_owns(owner, ref))
        return false;
    idmap_leaf *leaf = (idmap_leaf *)(uintptr_t)ref;
    uint64_t *centres = leaf->keys + leaf->count;
    size_t i = 0;
    while (i < leaf->count && leaf->keys[i] != key)
        i++;
    *place = (pqti_owned_locator){centres + i, (uint32_t *)(centres + leaf->count) + i};
    return i < leaf->count;
}

static bool
find_in_leaf(idmap_ref leaf, uint64_t key, pqti_locator *found)
{
    const idmap_entries entries = idmap_leaf_entries(leaf);
    for (uint64_t i = 0; i < idmap_count(leaf); i++) {
        if (entries.key[i] == key) {
            *found = (pqti_locator){entries.centre[i], entries.level_and_hash[i]};
            return true;
        }
    }
    return false;
}

bool
pqti_idmap_find(const void *map, uint64_t id, pqti_locator *found)
{
    const uint64_t key = pqti_id_key(id);
    return find_in_leaf(trie_leaf_of_key(map, key, 0), key, found);
}

/*
 * All keys descend by one level before any of them descends by another. The block that each key
 * reaches is prefetched, and arrives while the other keys descend. A search for one key after
 * another would have to wait for each block.
 */
void
pqti_idmap_find_run(const void *map, const uint64_t *keys, size_t count, pqti_locator *found,
                    bool *present)
{
    PQT_INVARIANT(count <= PQTI_IDMAP_RUN, "more ids than a run are looked up");
    const void *at[PQTI_IDMAP_RUN];
    bool descends = idmap_count(map) > TRIE_LEAF;
    for (size_t i = 0; i < count; i++)
        at[i] = map;
    for (unsigned level = 0; descends; level++) {
        descends = false;
        for (size_t i = 0; i < count; i++) {
            if (idmap_count(at[i]) <= TRIE_LEAF)
                continue;
            at[i] = idmap_child(at[i], idmap_digit(keys[i], level));
            idmap_prefetch(at[i]);
            descends = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        present[i] = find_in_leaf(at[i], keys[i], &found[i]);
}

/* ---- Checks, bytes and copies ---- */

static inline bool
idmap_check_block(const trie_slice *slice)
{
    (void)slice;
    return true;
}

bool
pqti_idmap_check(const void *map)
{
    unsigned char path[TRIE_LEVELS];
    return trie_check(map, 0, path);
}

size_t
pqti_idmap_count(const void *map)
{
    return (size_t)idmap_count(map);
}

static inline size_t
idmap_block_bytes(const pqt_memory *memory, const trie_slice *slice, int part)
{
    const size_t asked =
        trie_is_inner(slice) ? pqti_rounded(sizeof(idmap_inner)) : leaf_size((size_t)slice->count);
    (void)part;
    return pqti_block_size(memory, slice->ref, asked);
}

size_t
pqti_idmap_exclusive_bytes(const pqt_memory *memory, const void *map, const void *const *others,
                           size_t count, const void **slices, size_t width)
{
    return trie_exclusive_bytes(memory, map, 0, others, count, slices, width);
}

size_t
pqti_idmap_bytes(const pqt_memory *memory, const void *map)
{
    const void *slices[TRIE_LEVELS + 1];
    return trie_exclusive_bytes(memory, map, 0, NULL, 0, slices, 1);
}

size_t
pqti_idmap_shared_bytes(const pqt_memory *memory, const void *a, const void *b)
{
    const void *slices[TRIE_LEVELS + 1];
    return pqti_idmap_bytes(memory, a) - trie_exclusive_bytes(memory, a, 0, &b, 1, slices, 1);
}

static inline idmap_ref
idmap_find_copy(idmap_memory *memory, idmap_ref ref)
{
    return memory->known(memory->context, ref);
}

static inline bool
idmap_record_copy(idmap_memory *memory, idmap_ref ref, idmap_ref copy)
{
    return memory->learn(memory->context, ref, copy);
}

static inline bool
idmap_copy_leaf(idmap_memory *memory, const trie_slice *slice, idmap_ref *copy)
{
    return make_idmap_leaf(memory, slice->entries, (size_t)slice->count, copy);
}

bool
pqti_idmap_copy(pqt_memory *memory, const void *map, pqti_known_fn *known, pqti_old_item_fn *learn,
                void *context, const void **copy)
{
    idmap_memory to = {memory, NULL, known, learn, context};
    return trie_copy(&to, map, copy);
}

/*
 * Bucket sort of edits by key.
 *
 * Keys behave like random numbers (pqti_id_key). The upper bits of a key select a bucket, and there
 * are about as many buckets as edits. Once the edits are in their buckets, most are at their final
 * index, and insertion sort moves the others by one or two. An adversary can choose ids such that
 * most edits are in one bucket. In that case qsort sorts all edits.
 */

enum {
    FEW = 24,     /* up to this number of edits, only insertion sort is used */
    CROWDED = 24, /* with random keys, no bucket exceeds the average size by this much */
    /* more counts would not fit into the caches; with more edits, a bucket holds several of them */
    MOST_BITS = 16,
};

static int
compare_id_edits(const void *a, const void *b)
{
    uint64_t key_a = ((const pqti_id_edit *)a)->key;
    uint64_t key_b = ((const pqti_id_edit *)b)->key;
    return key_a < key_b ? -1 : key_a > key_b;
}

static void
insert_each(pqti_id_edit *edits, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (edits[i - 1].key <= edits[i].key)
            continue;
        pqti_id_edit edit = edits[i];
        size_t j = i;
        for (; j > 0 && edits[j - 1].key > edit.key; j--)
            edits[j] = edits[j - 1];
        edits[j] = edit;
    }
}

/* Replaces the sizes of the buckets by their first indices. Returns the greatest size. */
static uint32_t
prefix_sum_buckets(uint32_t *buckets, size_t count)
{
    uint32_t sum = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = buckets[i];
        most = size > most ? size : most;
        buckets[i] = sum;
        sum += size;
    }
    return most;
}

/*
 * Sorts `edits` by means of 2^bits buckets. `spare` has room for a copy of the edits. `buckets` is
 * all 0.
 */
static void
sort_by_buckets(pqti_id_edit *edits, size_t count, pqti_id_edit *spare, uint32_t *buckets,
                unsigned bits)
{
    for (size_t i = 0; i < count; i++)
        buckets[edits[i].key >> (64 - bits)]++;
    if (prefix_sum_buckets(buckets, (size_t)1 << bits) > CROWDED + (count >> bits)) {
        qsort(edits, count, sizeof *edits, compare_id_edits);
        return;
    }
    memcpy(spare, edits, count * sizeof *edits);
    for (size_t i = 0; i < count; i++)
        edits[buckets[spare[i].key >> (64 - bits)]++] = spare[i];
    insert_each(edits, count);
}

bool
pqti_idmap_sort(pqti_id_edit *edits, size_t count)
{
    if (count <= FEW) {
        insert_each(edits, count);
        return true;
    }
    unsigned bits = 1;
    while (bits < MOST_BITS && count >> bits > 1)
        bits++;
    pqti_id_edit *spare = pqti_alloc_scratch(count, sizeof *spare);
    uint32_t *buckets =
        spare == NULL ? NULL : pqti_alloc_scratch((size_t)1 << bits, sizeof *buckets);
    if (buckets != NULL) {
        memset(buckets, 0, ((size_t)1 << bits) * sizeof *buckets);
        sort_by_buckets(edits, count, spare, buckets, bits);
    }
    pqti_free_scratch(spare);
    pqti_free_scratch(buckets);
    return buckets != NULL;
}
