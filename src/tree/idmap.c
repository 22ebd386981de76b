/* SPDX-License-Identifier: MIT */
/*
 * idmap.c - the id map: a persistent trie of ids.
 *
 * Every block begins with the number of its items. Up to LEAF_CAPACITY of them it is a leaf, and
 * the items follow; above, it is a node, and eight pointers follow. So a block tells what it is,
 * and the shape depends on the ids alone.
 */
#include "config.h"

#include "tree/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "tree/node.h"

enum {
    WAYS = 8,
    BITS = 3,
    LEAF_CAPACITY = 8,
    MOST_LEVEL = 21 /* there, one bit is left: two items */
};

typedef struct block {
    uint64_t count;
} block;

typedef struct map_leaf {
    block count;
    pqt_item items[]; /* by key, rising */
} map_leaf;

typedef struct map_node {
    block head;
    const void *child[WAYS];
    uint64_t unused; /* a node's last word, where no pointer may be */
} map_node;

_Static_assert(offsetof(map_node, unused) + 8 == sizeof(map_node), "no pointer in the last word");

static uint64_t
count_of(const void *map)
{
    return map == NULL ? 0 : ((const block *)map)->count;
}

static bool
is_idmap_leaf(const void *map)
{
    return count_of(map) <= LEAF_CAPACITY;
}

static size_t
leaf_size(size_t count)
{
    return pqti_rounded(sizeof(map_leaf) + count * sizeof(pqt_item));
}

static size_t
block_size(const void *map)
{
    return is_idmap_leaf(map) ? leaf_size((size_t)count_of(map)) : pqti_rounded(sizeof(map_node));
}

/* The digit of a key at a level, most significant first; the 22nd level has one bit left. */
static unsigned
idmap_digit_of(uint64_t key, unsigned level)
{
    return (unsigned)(key << (BITS * level) >> (64 - BITS));
}

static const void *
child_of(const void *map, uint64_t key, unsigned level)
{
    return ((const map_node *)map)->child[idmap_digit_of(key, level)];
}

/* Asks for what is read of a block: of most leaves that is all. */
static void
prefetch_idmap_block(const void *map)
{
    enum { LIKELY = 4 * sizeof(pqt_item) };
    pqti_prefetch_bytes(map, 0, map == NULL ? 0 : LIKELY);
}

/* In a leaf, or nothing. */
static bool
find_here(const map_leaf *leaf, uint64_t id, pqt_item *found)
{
    for (uint64_t i = 0; i < count_of(leaf); i++) {
        if (leaf->items[i].id == id) {
            *found = leaf->items[i];
            return true;
        }
    }
    return false;
}

bool
pqti_idmap_find(const void *map, uint64_t id, pqt_item *found)
{
    uint64_t key = pqti_id_key(id);
    for (unsigned level = 0; !is_idmap_leaf(map); level++)
        map = child_of(map, key, level);
    return find_here(map, id, found);
}

#ifdef PQT_PLAIN

void
pqti_idmap_find_run(const void *map, pqt_item *items, size_t count, bool *found)
{
    for (size_t i = 0; i < count; i++)
        found[i] = pqti_idmap_find(map, items[i].id, &items[i]);
}

#else

/*
 * Fast path. Equivalent to pqti_idmap_find for each item; without it every test still passes.
 *
 * All look-ups descend one level before any descends the next. The block that each needs is
 * prefetched, and has arrived by the time the others have moved.
 */
void
pqti_idmap_find_run(const void *map, pqt_item *items, size_t count, bool *found)
{
    PQT_INVARIANT(count <= PQTI_IDMAP_RUN, "more ids than a run are looked up");
    const void *at[PQTI_IDMAP_RUN];
    bool on_the_way = !is_idmap_leaf(map);
    for (size_t i = 0; i < count; i++)
        at[i] = map;
    for (unsigned level = 0; on_the_way; level++) {
        on_the_way = false;
        for (size_t i = 0; i < count; i++) {
            if (is_idmap_leaf(at[i]))
                continue;
            at[i] = child_of(at[i], pqti_id_key(items[i].id), level);
            prefetch_idmap_block(at[i]);
            on_the_way = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        found[i] = find_here(at[i], items[i].id, &items[i]);
}

#endif

static bool
make_idmap_leaf(pqt_memory *memory, const pqt_item *items, size_t count, const void **made)
{
    *made = NULL;
    if (count == 0)
        return true;
    map_leaf *leaf = pqti_alloc_leaf(memory, leaf_size(count));
    if (leaf == NULL)
        return false;
    leaf->count.count = count;
    memcpy(leaf->items, items, count * sizeof *items);
    *made = leaf;
    return true;
}

static bool
make_idmap_node(pqt_memory *memory, const void *const child[WAYS], uint64_t count,
                const void **made)
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(map_node), PQTI_REFERENCES(offsetof(map_node, child), WAYS));
    map_node *node = pqti_alloc_node(memory, &layout);
    if (node == NULL)
        return false;
    node->head.count = count;
    memcpy(node->child, child, sizeof node->child);
    *made = node;
    return true;
}

/* What is to be edited: a block, or a stretch of a leaf that is being split, which is none. */
typedef struct idmap_slice {
    const void *block;
    const pqt_item *items; /* NULL for a node */
    uint64_t count;
} idmap_slice;

static idmap_slice
idmap_part_of(const void *map)
{
    const map_leaf *leaf = map;
    return (idmap_slice){map, map == NULL || !is_idmap_leaf(map) ? NULL : leaf->items,
                         count_of(map)};
}

/* Items and edits on their way into one leaf. */
typedef struct merging {
    const pqti_id_edit *edit, *end; /* those still to come */
    pqt_item items[LEAF_CAPACITY];
    size_t count;
} merging;

/* The functions of merging return false where a leaf cannot hold what is merged. */
static bool
merge_item(merging *m, const pqt_item *item)
{
    if (m->count == LEAF_CAPACITY)
        return false;
    m->items[m->count++] = *item;
    return true;
}

static bool
merge_id_edit(merging *m)
{
    const pqti_id_edit *edit = m->edit++;
    return edit->removal || merge_item(m, &edit->item);
}

/* An item that was there, after the edits before it; an edit of its own id overrules it. */
static bool
merge_old_id(merging *m, const pqt_item *item)
{
    uint64_t key = pqti_id_key(item->id);
    while (m->edit < m->end && m->edit->key < key)
        if (!merge_id_edit(m))
            return false;
    return (m->edit < m->end && m->edit->key == key) || merge_item(m, item);
}

static bool
merge_idmap_part(merging *m, idmap_slice p)
{
    if (p.count > 0 && p.items == NULL) {
        const map_node *node = p.block;
        for (int i = 0; i < WAYS; i++)
            if (!merge_idmap_part(m, idmap_part_of(node->child[i])))
                return false;
        return true;
    }
    for (uint64_t i = 0; i < p.count; i++)
        if (!merge_old_id(m, &p.items[i]))
            return false;
    return true;
}

/* Makes the leaf of a part and its edits; *fits is false, and nothing made, if it would be too
   large. */
static PQTI_NOINLINE bool
edit_idmap_as_leaf(pqt_memory *memory, idmap_slice p, const pqti_id_edit *edits, size_t count,
                   bool *fits, const void **edited)
{
    merging m = {.edit = edits, .end = edits + count};
    *fits = merge_idmap_part(&m, p);
    while (*fits && m.edit < m.end)
        *fits = merge_id_edit(&m);
    return !*fits || make_idmap_leaf(memory, m.items, m.count, edited);
}

/* The eight parts of a leaf's items. They are not made into leaves before they are edited. */
static void
split_idmap_block(idmap_slice p, unsigned level, idmap_slice subtrees[WAYS])
{
    uint64_t next = 0;
    for (unsigned i = 0; i < WAYS; i++) {
        uint64_t from = next;
        while (next < p.count && idmap_digit_of(pqti_id_key(p.items[next].id), level) == i)
            next++;
        subtrees[i] = (idmap_slice){NULL, next > from ? p.items + from : NULL, next - from};
    }
}

static bool edit_idmap_node(pqt_memory *memory, idmap_slice p, unsigned level,
                            const pqti_id_edit *edits, size_t count, const void **edited);

/* How many of the edits, from the first on, belong to a way. */
static size_t
edits_of_branch(const pqti_id_edit *edits, size_t count, unsigned level, unsigned way)
{
    size_t own = 0;
    while (own < count && idmap_digit_of(edits[own].key, level) == way)
        own++;
    return own;
}

static PQTI_NOINLINE bool
edit_split(pqt_memory *memory, idmap_slice p, unsigned level, const pqti_id_edit *edits,
           size_t count, const void **edited)
{
    PQT_INVARIANT(level <= MOST_LEVEL, "an id map is deeper than ids have bits");
    idmap_slice subtrees[WAYS];
    const void *child[WAYS];
    uint64_t sum = 0;
    split_idmap_block(p, level, subtrees);
    for (unsigned i = 0; i < WAYS; i++) {
        size_t own = edits_of_branch(edits, count, level, i);
        if (!edit_idmap_node(memory, subtrees[i], level + 1, edits, own, &child[i]))
            return false;
        edits += own;
        count -= own;
        sum += count_of(child[i]);
    }
    return make_idmap_node(memory, child, sum, edited);
}

/* Children lie anywhere in memory: those that are edited are asked for first, and no other is
   read. */
static bool
edit_idmap_inner(pqt_memory *memory, const map_node *node, unsigned level,
                 const pqti_id_edit *edits, size_t count, const void **edited)
{
    const void *child[WAYS];
    uint64_t sum = node->head.count;
    memcpy(child, node->child, sizeof child);
    for (size_t i = 0; i < count && i < WAYS; i++)
        prefetch_idmap_block(child[count < WAYS ? idmap_digit_of(edits[i].key, level) : i]);
    while (count > 0) {
        unsigned way = idmap_digit_of(edits[0].key, level);
        size_t own = edits_of_branch(edits, count, level, way);
        sum -= count_of(child[way]);
        if (!edit_idmap_node(memory, idmap_part_of(child[way]), level + 1, edits, own, &child[way]))
            return false;
        sum += count_of(child[way]);
        edits += own;
        count -= own;
    }
    return make_idmap_node(memory, child, sum, edited);
}

/* Every block that is made stands in the result: what becomes a leaf is never made in parts
   before. */
static bool
edit_idmap_node(pqt_memory *memory, idmap_slice p, unsigned level, const pqti_id_edit *edits,
                size_t count, const void **edited)
{
    *edited = p.block;
    if (count == 0)
        return p.block != NULL || make_idmap_leaf(memory, p.items, (size_t)p.count, edited);
    bool fits = false;
    if (p.count <= LEAF_CAPACITY + count && /* else removals cannot make it a leaf */
        !edit_idmap_as_leaf(memory, p, edits, count, &fits, edited))
        return false;
    if (fits)
        return true;
    return p.count > LEAF_CAPACITY ? edit_idmap_inner(memory, p.block, level, edits, count, edited)
                                   : edit_split(memory, p, level, edits, count, edited);
}

/* For debug builds. */
static inline bool
keys_rise(const pqti_id_edit *edits, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (edits[i - 1].key >= edits[i].key)
            return false;
    return true;
}

/* Sorts them. Returns false if there is no memory. */
static bool
sort_id_edits(pqti_id_edit *edits, size_t count)
{
    const bool sorted = count == 1 || pqti_idmap_sort(edits, count);
    PQTI_DEBUG_ASSERT(!sorted || keys_rise(edits, count), "id edits repeat an id");
    return sorted;
}

bool
pqti_idmap_edit(pqt_memory *memory, const void *map, pqti_id_edit *edits, size_t count,
                const void **edited)
{
    *edited = map;
    return count == 0 || (sort_id_edits(edits, count) &&
                          edit_idmap_node(memory, idmap_part_of(map), 0, edits, count, edited));
}

/* Keys below `level` agree with `prefix`, and rise. */
static bool
check_idmap_leaf(const map_leaf *leaf, unsigned level, uint64_t prefix)
{
    for (uint64_t i = 0; i < leaf->count.count; i++) {
        uint64_t key = pqti_id_key(leaf->items[i].id);
        if (level > 0 && (key ^ prefix) >> (64 - BITS * level) != 0)
            return false;
        if (i > 0 && key <= pqti_id_key(leaf->items[i - 1].id))
            return false;
    }
    return true;
}

static bool
check_idmap_node(const void *map, unsigned level, uint64_t prefix)
{
    if (map == NULL)
        return true;
    if (is_idmap_leaf(map))
        return count_of(map) > 0 && check_idmap_leaf(map, level, prefix);
    uint64_t count = 0;
    const map_node *node = map;
    for (unsigned i = 0; i < WAYS; i++) {
        uint64_t below = prefix | (uint64_t)i << (64 - BITS) >> (BITS * level);
        if (level == MOST_LEVEL || !check_idmap_node(node->child[i], level + 1, below))
            return false;
        count += count_of(node->child[i]);
    }
    return count == node->head.count;
}

bool
pqti_idmap_check(const void *map)
{
    return check_idmap_node(map, 0, 0);
}

size_t
pqti_idmap_count(const void *map)
{
    return (size_t)count_of(map);
}

size_t
pqti_idmap_bytes(const pqt_memory *memory, const void *map)
{
    if (map == NULL)
        return 0;
    size_t bytes = pqti_block_size(memory, map, block_size(map));
    for (int i = 0; i < WAYS && !is_idmap_leaf(map); i++)
        bytes += pqti_idmap_bytes(memory, ((const map_node *)map)->child[i]);
    return bytes;
}

size_t
pqti_idmap_shared_bytes(const pqt_memory *memory, const void *a, const void *b)
{
    if (a == b)
        return pqti_idmap_bytes(memory, a);
    if (is_idmap_leaf(a) || is_idmap_leaf(b))
        return 0;
    size_t bytes = 0;
    for (int i = 0; i < WAYS; i++)
        bytes += pqti_idmap_shared_bytes(memory, ((const map_node *)a)->child[i],
                                         ((const map_node *)b)->child[i]);
    return bytes;
}

size_t
pqti_idmap_exclusive_bytes(const pqt_memory *memory, const void *map, const void *const *others,
                           size_t count, const void **slices, size_t width)
{
    if (map == NULL)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (others[i] == map)
            return 0;
    size_t bytes = pqti_block_size(memory, map, block_size(map));
    for (int way = 0; way < WAYS && !is_idmap_leaf(map); way++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            if (!is_idmap_leaf(others[i]))
                slices[found++] = ((const map_node *)others[i])->child[way];
        bytes += pqti_idmap_exclusive_bytes(memory, ((const map_node *)map)->child[way], slices,
                                            found, slices + width, width);
    }
    return bytes;
}

bool
pqti_idmap_copy(pqt_memory *memory, const void *map, pqti_known_fn *known, pqti_old_item_fn *learn,
                void *context, const void **copy)
{
    *copy = map == NULL ? NULL : known(context, map);
    if (map == NULL || *copy != NULL)
        return true;
    if (is_idmap_leaf(map)) {
        const map_leaf *leaf = map;
        if (!make_idmap_leaf(memory, leaf->items, (size_t)leaf->count.count, copy))
            return false;
    } else {
        const void *child[WAYS];
        for (int i = 0; i < WAYS; i++)
            if (!pqti_idmap_copy(memory, ((const map_node *)map)->child[i], known, learn, context,
                                 &child[i]))
                return false;
        if (!make_idmap_node(memory, child, count_of(map), copy))
            return false;
    }
    return learn(context, map, *copy);
}

/*
 * Edits of the id map in the order of their keys.
 *
 * Keys are as good as random (item_hash.h). So with as many buckets as there are edits, told apart
 * by the first bits, most stand where they belong once they are in their bucket; few are left to be
 * moved by a place or two. Whoever picks ids on purpose can make many meet in one bucket: then all
 * are sorted by comparisons.
 */

enum {
    FEW = 24,       /* sorted by insertion alone, wherever they stand */
    CROWDED = 24,   /* random keys do not crowd a bucket so */
    MOST_BITS = 16, /* beyond it, counts leave the caches; then buckets hold several */
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

/* Where each bucket begins, from how many it holds; returns the most that one holds. */
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

/* Sorts `edits` with room for a copy of them and for 2^bits buckets, all 0. */
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
