/* SPDX-License-Identifier: MIT */
/*
 * ids.c - the id map: a persistent trie of ids.
 *
 * Every block begins with the number of its items. Up to LEAF_CAPACITY of them it is a leaf, and the
 * items follow; above, it is a node, and eight pointers follow. So a block tells what it is, and the
 * shape depends on the ids alone.
 */
#include "config.h"

#include "tree/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "memory/memory.h"
#include "tree/mix.h"

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
    block head;
    pqt_item items[]; /* by key, rising */
} map_leaf;

typedef struct map_node {
    block head;
    const void *child[WAYS];
    uint64_t unused; /* a node's last word, where no pointer may be */
} map_node;

_Static_assert(sizeof(map_node) % 16 == 0, "blocks are multiples of 16 bytes");
_Static_assert(offsetof(map_node, unused) + 8 == sizeof(map_node), "no pointer in the last word");

static uint64_t
count_of(const void *map)
{
    return map == NULL ? 0 : ((const block *)map)->count;
}

static bool
is_leaf(const void *map)
{
    return count_of(map) <= LEAF_CAPACITY;
}

static size_t
leaf_size(size_t count)
{
    return (sizeof(map_leaf) + count * sizeof(pqt_item) + 15) / 16 * 16;
}

static size_t
block_size(const void *map)
{
    return is_leaf(map) ? leaf_size(count_of(map)) : sizeof(map_node);
}

/* The digit of a key at a level, most significant first; the 22nd level has one bit left. */
static unsigned
digit_of(uint64_t key, unsigned level)
{
    return (unsigned)(key << (BITS * level) >> (64 - BITS));
}

bool
pqti_ids_find(const void *map, uint64_t id, pqt_item *found)
{
    uint64_t key = pqti_id_key(id);
    for (unsigned level = 0; !is_leaf(map); level++)
        map = ((const map_node *)map)->child[digit_of(key, level)];
    const map_leaf *leaf = map;
    for (uint64_t i = 0; i < count_of(map); i++) {
        if (leaf->items[i].id == id) {
            *found = leaf->items[i];
            return true;
        }
    }
    return false;
}

static int
by_key(const void *a, const void *b)
{
    uint64_t key_a = ((const pqti_id_edit *)a)->key;
    uint64_t key_b = ((const pqti_id_edit *)b)->key;
    return key_a < key_b ? -1 : key_a > key_b;
}

/* Items of a small map, in order of keys. */
static size_t
gather(const void *map, pqt_item *items)
{
    if (is_leaf(map)) {
        size_t count = (size_t)count_of(map);
        if (count > 0)
            memcpy(items, ((const map_leaf *)map)->items, count * sizeof *items);
        return count;
    }
    size_t count = 0;
    for (int i = 0; i < WAYS; i++)
        count += gather(((const map_node *)map)->child[i], items + count);
    return count;
}

static bool
make_leaf(pqt_memory *memory, const pqt_item *items, size_t count, const void **made)
{
    *made = NULL;
    if (count == 0)
        return true;
    map_leaf *leaf = pqti_leaf(memory, leaf_size(count));
    if (leaf == NULL)
        return false;
    leaf->head.count = count;
    memcpy(leaf->items, items, count * sizeof *items);
    *made = leaf;
    return true;
}

/* What eight children make: a node, or a leaf if they hold few. */
static bool
join(pqt_memory *memory, const void *const child[WAYS], const void **made)
{
    uint64_t count = 0;
    for (int i = 0; i < WAYS; i++)
        count += count_of(child[i]);
    if (count <= LEAF_CAPACITY) {
        pqt_item items[LEAF_CAPACITY];
        size_t gathered = 0;
        for (int i = 0; i < WAYS; i++)
            gathered += gather(child[i], items + gathered);
        return make_leaf(memory, items, gathered, made);
    }
    map_node *node = pqti_node(memory, sizeof *node);
    if (node == NULL)
        return false;
    node->head.count = count;
    memcpy(node->child, child, sizeof node->child);
    *made = node;
    return true;
}

/* Merges a leaf with edits, as long as a leaf can hold the result; false: it cannot. */
static bool
merge(const map_leaf *leaf, const pqti_id_edit *edits, size_t count, pqt_item *merged,
      size_t *merged_count)
{
    size_t next = 0, old = (size_t)count_of(leaf);
    *merged_count = 0;
    for (size_t i = 0; i <= count; i++) {
        while (next < old && (i == count || pqti_id_key(leaf->items[next].id) < edits[i].key)) {
            if (*merged_count == LEAF_CAPACITY)
                return false;
            merged[(*merged_count)++] = leaf->items[next++];
        }
        if (i == count)
            break;
        if (next < old && leaf->items[next].id == edits[i].item.id)
            next++;
        if (edits[i].removal)
            continue;
        if (*merged_count == LEAF_CAPACITY)
            return false;
        merged[(*merged_count)++] = edits[i].item;
    }
    return true;
}

static bool edit(pqt_memory *memory, const void *map, unsigned level, const pqti_id_edit *edits,
                 size_t count, const void **edited);

/* A leaf that grows too large: its items and the edits go down together. */
static bool
split(pqt_memory *memory, const map_leaf *leaf, unsigned level, const void *child[WAYS])
{
    size_t next = 0, count = (size_t)count_of(leaf);
    for (unsigned i = 0; i < WAYS; i++) {
        size_t from = next;
        while (next < count && digit_of(pqti_id_key(leaf->items[next].id), level) == i)
            next++;
        if (!make_leaf(memory, count == 0 ? NULL : leaf->items + from, next - from, &child[i]))
            return false;
    }
    return true;
}

static bool
edit_children(pqt_memory *memory, unsigned level, const void *child[WAYS],
              const pqti_id_edit *edits, size_t count, const void **edited)
{
    size_t from = 0;
    for (unsigned i = 0; i < WAYS; i++) {
        size_t to = from;
        while (to < count && digit_of(edits[to].key, level) == i)
            to++;
        if (!edit(memory, child[i], level + 1, edits + from, to - from, &child[i]))
            return false;
        from = to;
    }
    return join(memory, child, edited);
}

static bool
edit(pqt_memory *memory, const void *map, unsigned level, const pqti_id_edit *edits, size_t count,
     const void **edited)
{
    *edited = map;
    if (count == 0)
        return true;
    const void *child[WAYS];
    if (is_leaf(map)) {
        pqt_item items[LEAF_CAPACITY];
        size_t merged;
        if (merge(map, edits, count, items, &merged))
            return make_leaf(memory, items, merged, edited);
        if (!split(memory, map, level, child))
            return false;
    } else {
        memcpy(child, ((const map_node *)map)->child, sizeof child);
    }
    return edit_children(memory, level, child, edits, count, edited);
}

bool
pqti_ids_edit(pqt_memory *memory, const void *map, pqti_id_edit *edits, size_t count,
              const void **edited)
{
    if (count > 1)
        qsort(edits, count, sizeof *edits, by_key);
    return edit(memory, map, 0, edits, count, edited);
}

/* Keys below `level` agree with `prefix`, and rise. */
static bool
check_leaf(const map_leaf *leaf, unsigned level, uint64_t prefix)
{
    for (uint64_t i = 0; i < leaf->head.count; i++) {
        uint64_t key = pqti_id_key(leaf->items[i].id);
        if (level > 0 && (key ^ prefix) >> (64 - BITS * level) != 0)
            return false;
        if (i > 0 && key <= pqti_id_key(leaf->items[i - 1].id))
            return false;
    }
    return true;
}

static bool
check(const void *map, unsigned level, uint64_t prefix)
{
    if (map == NULL)
        return true;
    if (is_leaf(map))
        return count_of(map) > 0 && check_leaf(map, level, prefix);
    uint64_t count = 0;
    const map_node *node = map;
    for (unsigned i = 0; i < WAYS; i++) {
        uint64_t below = prefix | (uint64_t)i << (64 - BITS) >> (BITS * level);
        if (level == MOST_LEVEL || !check(node->child[i], level + 1, below))
            return false;
        count += count_of(node->child[i]);
    }
    return count == node->head.count;
}

bool
pqti_ids_check(const void *map)
{
    return check(map, 0, 0);
}

size_t
pqti_ids_count(const void *map)
{
    return (size_t)count_of(map);
}

size_t
pqti_ids_bytes(const pqt_memory *memory, const void *map)
{
    if (map == NULL)
        return 0;
    size_t bytes = pqti_block_size(memory, map, block_size(map));
    for (int i = 0; i < WAYS && !is_leaf(map); i++)
        bytes += pqti_ids_bytes(memory, ((const map_node *)map)->child[i]);
    return bytes;
}

size_t
pqti_ids_shared_bytes(const pqt_memory *memory, const void *a, const void *b)
{
    if (a == b)
        return pqti_ids_bytes(memory, a);
    if (is_leaf(a) || is_leaf(b))
        return 0;
    size_t bytes = 0;
    for (int i = 0; i < WAYS; i++)
        bytes += pqti_ids_shared_bytes(memory, ((const map_node *)a)->child[i],
                                       ((const map_node *)b)->child[i]);
    return bytes;
}

bool
pqti_ids_copy(pqt_memory *memory, const void *map, pqti_known_fn *known, pqti_learn_fn *learn,
              void *context, const void **copy)
{
    *copy = map == NULL ? NULL : known(context, map);
    if (map == NULL || *copy != NULL)
        return true;
    if (is_leaf(map)) {
        const map_leaf *leaf = map;
        if (!make_leaf(memory, leaf->items, (size_t)leaf->head.count, copy))
            return false;
    } else {
        const void *child[WAYS];
        for (int i = 0; i < WAYS; i++)
            if (!pqti_ids_copy(memory, ((const map_node *)map)->child[i], known, learn, context,
                               &child[i]))
                return false;
        if (!join(memory, child, copy))
            return false;
    }
    return learn(context, map, *copy);
}
