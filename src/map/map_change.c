/* SPDX-License-Identifier: MIT */
/*
 * map_change.c: turns changes into edits: checks them, and sorts those of a batch by key.
 *
 * Changes are sorted by the highest bits of the hashes of their keys, and those that agree in these
 * bits by comparisons. The hash function spreads keys evenly, so few changes agree, unless the keys
 * were chosen for it; then sorting takes O(n log n).
 */
#include "config.h"

#include "map/map_internal.h"

#include <stdlib.h>

#include "base/error_internal.h"

/* ---- One change ---- */

/* Checks that the key of a change has the kind of the map's keys, and a value to be inserted that
   of its values. */
static bool
check_kinds(uint64_t kinds, const pqt_map_change *change, size_t index, pqt_error *error)
{
    const bool byte_keys = (kinds & PQTI_MAP_HAS_BYTE_KEYS) != 0;
    const bool byte_values = (kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0;
    const bool has_key = pqti_map_takes_key(kinds, &change->key);
    if (has_key && (change->kind == PQT_MAP_REMOVE || pqti_map_takes_value(kinds, &change->value)))
        return true;
    char name[PQTI_MAP_NAME_SIZE];
    pqti_map_name_key(name, &change->key);
    if (has_key)
        pqti_error_set(error, PQT_ERROR_MISMATCH, index,
                       byte_values ? "a number as value in a map to byte strings: %s"
                                   : "a byte string as value in a map to numbers: %s",
                       name);
    else
        pqti_error_set(error, PQT_ERROR_MISMATCH, index,
                       byte_keys ? "an id as key in a map from byte strings: %s"
                                 : "a byte string as key in a map from ids: %s",
                       name);
    return false;
}

/* Hashes the key of a change. Returns false if the key is too long. This is an error in an insert,
   but not in a removal, since no map contains such a key. */
static bool
hash_key(const pqt_map_change *change, size_t index, pqti_map_hashed *key, pqt_error *error)
{
    if (pqti_map_hash_key(key, &change->key))
        return true;
    if (change->kind != PQT_MAP_REMOVE)
        pqti_error_set(error, PQT_ERROR_LIMIT, index, "key %zu: %zu bytes, the maximum is %d",
                       index, change->key.size, PQT_MAX_MAP_KEY);
    return false;
}

static pqti_map_edit
edit_of(uint64_t kinds, const pqt_map_change *change, pqti_map_hashed key)
{
    return (pqti_map_edit){key, change->value, NULL, kinds, change->kind == PQT_MAP_REMOVE};
}

bool
pqti_map_change(pqti_map_editing *m, const pqt_map_change *change, pqt_error *error)
{
    pqti_map_hashed key;
    if (!check_kinds(m->home.kinds, change, 0, error))
        return false;
    if (!hash_key(change, 0, &key, error))
        return change->kind == PQT_MAP_REMOVE;
    const pqti_map_edit edit = edit_of(m->home.kinds, change, key);
    if (pqti_map_edit_one(m, &edit))
        return true;
    pqti_out_of_memory(error);
    return false;
}

/* ---- Batches ---- */

/* A change, with the hash of its key. */
typedef struct hashed_change {
    uint64_t hash;
    const pqt_map_change *change;
} hashed_change;

_Static_assert(sizeof(hashed_change) <= sizeof(pqti_map_edit),
               "the memory of edits is too small for sorting");

enum {
    FEW = 16,      /* for so few changes, insertion sort is faster than qsort */
    MOST_BITS = 16 /* of the hashes by which changes are distributed */
};

/* Compares keys with equal hashes: ids are equal, byte strings have the order of
   pqti_map_compare_bytes. */
static int
compare_keys(const pqt_map_key *a, const pqt_map_key *b)
{
    if (a->bytes == NULL)
        return 0;
    const int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : a->size < b->size ? -1 : a->size > b->size;
}

/* Compares changes by key, and changes of one key by their places in the batch. */
static int
compare_changes(const void *a, const void *b)
{
    const hashed_change *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    const int order = compare_keys(&x->change->key, &y->change->key);
    return order != 0 ? order : (x->change > y->change) - (x->change < y->change);
}

static bool
have_one_key(const hashed_change *a, const hashed_change *b)
{
    return a->hash == b->hash && compare_keys(&a->change->key, &b->change->key) == 0;
}

static void
sort_range(hashed_change *changes, size_t count)
{
    if (count > FEW) {
        qsort(changes, count, sizeof *changes, compare_changes);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const hashed_change change = changes[i];
        size_t j = i;
        for (; j > 0 && compare_changes(&change, &changes[j - 1]) < 0; j--)
            changes[j] = changes[j - 1];
        changes[j] = change;
    }
}

/* Sorts changes by the bits of their hashes above `shift`, and uses room for as many. Sets the end
   of each range of equal bits; the ends are 0 before. */
static void
distribute(hashed_change *changes, hashed_change *room, size_t count, unsigned shift, size_t *ends,
           size_t ranges)
{
    for (size_t i = 0; i < count; i++)
        ends[changes[i].hash >> shift]++;
    size_t begin = 0;
    for (size_t k = 0; k < ranges; k++) {
        const size_t in_range = ends[k];
        ends[k] = begin;
        begin += in_range;
    }
    for (size_t i = 0; i < count; i++)
        room[ends[changes[i].hash >> shift]++] = changes[i];
    memcpy(changes, room, count * sizeof *changes);
}

/* Sorts changes, and uses room for as many. Returns false if out of memory. */
static bool
sort_changes(hashed_change *changes, hashed_change *room, size_t count)
{
    unsigned bits = 0;
    while (bits < MOST_BITS && count >> bits > FEW / 2)
        bits++;
    if (bits == 0) {
        sort_range(changes, count);
        return true;
    }
    const size_t ranges = (size_t)1 << bits;
    size_t *ends = pqti_alloc_scratch(ranges, sizeof *ends);
    if (ends == NULL)
        return false;
    memset(ends, 0, ranges * sizeof *ends);
    distribute(changes, room, count, 64 - bits, ends, ranges);
    for (size_t k = 0; k < ranges; k++) {
        const size_t from = k == 0 ? 0 : ends[k - 1];
        sort_range(changes + from, ends[k] - from);
    }
    pqti_free_scratch(ends);
    return true;
}

/* Checks and hashes changes. Leaves out removals of keys that are too long, since no map contains
   them. */
static bool
hash_changes(const pqti_map_editing *m, const pqt_map_change *changes, size_t count,
             hashed_change *hashed, size_t *made, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        pqti_map_hashed key;
        PQT_ASSERT_IN(m->function,
                      changes[i].kind == PQT_MAP_INSERT || changes[i].kind == PQT_MAP_REMOVE,
                      "the kind of a change is not a pqt_map_change_kind");
        if (!check_kinds(m->home.kinds, &changes[i], i, error))
            return false;
        if (hash_key(&changes[i], i, &key, error))
            hashed[(*made)++] = (hashed_change){key.hash, &changes[i]};
        else if (changes[i].kind != PQT_MAP_REMOVE)
            return false;
    }
    return true;
}

/* Makes edits of sorted changes, of which the last one of each key counts. Returns their number. */
static size_t
make_edits(const pqti_map_editing *m, const hashed_change *hashed, size_t count,
           pqti_map_edit *edits)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const pqt_map_key *key = &hashed[i].change->key;
        const pqti_map_hashed again = {hashed[i].hash, key->bytes,
                                       key->bytes == NULL ? 0 : key->size};
        if (i + 1 == count || !have_one_key(&hashed[i], &hashed[i + 1]))
            edits[made++] = edit_of(m->home.kinds, hashed[i].change, again);
    }
    return made;
}

bool
pqti_map_change_all(pqti_map_editing *m, const pqt_map_change *changes, size_t count,
                    pqt_error *error)
{
    if (count == 0)
        return true;
    /* The memory of the edits is used for sorting before that. */
    hashed_change *hashed = pqti_alloc_scratch(count, sizeof *hashed);
    void *edits = pqti_alloc_scratch(count, sizeof(pqti_map_edit));
    size_t made = 0;
    bool has_memory = hashed != NULL && edits != NULL;
    const bool valid = has_memory && hash_changes(m, changes, count, hashed, &made, error);
    if (valid)
        has_memory = sort_changes(hashed, edits, made) &&
                     pqti_map_edit_many(m, edits, make_edits(m, hashed, made, edits));
    if (!has_memory)
        pqti_out_of_memory(error);
    pqti_free_scratch(edits);
    pqti_free_scratch(hashed);
    return valid && has_memory;
}
