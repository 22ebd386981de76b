/* SPDX-License-Identifier: MIT */
/* flat_maps.c: the calls for maps. */
#include "flat.h"

#include <stdlib.h>

const pqt_map *
flat_map_make(bool byte_keys, bool byte_values, pqt_memory *memory, pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.keys = byte_keys ? PQT_MAP_BYTE_KEYS : PQT_MAP_IDS;
    options.values = byte_values ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
    options.memory = memory;
    return pqt_map_make(&options, error);
}

int
flat_map_kinds(const pqt_map *map)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    return (options.keys == PQT_MAP_BYTE_KEYS ? FLAT_BYTE_KEYS : 0) +
           (options.values == PQT_MAP_BYTE_VALUES ? FLAT_BYTE_VALUES : 0);
}

/* ---- Keys and values ---- */

static pqt_map_key
take_key(flat_reader *from, int kinds)
{
    pqt_map_key key = {0};
    if ((kinds & FLAT_BYTE_KEYS) != 0)
        key.bytes = flat_take_string(from, &key.size);
    else
        key.id = flat_take_word(from);
    return key;
}

static pqt_map_value
take_value(flat_reader *from, int kinds)
{
    pqt_map_value value = {0};
    if ((kinds & FLAT_BYTE_VALUES) != 0)
        value.bytes = flat_take_string(from, &value.size);
    else
        value.number = flat_take_word(from);
    return value;
}

bool
flat_add_key(flat_writer *to, pqt_map_key key, int kinds)
{
    return (kinds & FLAT_BYTE_KEYS) != 0 ? flat_add_string(to, key.bytes, key.size)
                                         : flat_add_word(to, key.id);
}

bool
flat_add_value(flat_writer *to, const pqt_map_value *value, int kinds)
{
    const pqt_map_value none = {0}, *added = value == NULL ? &none : value;
    return flat_add_word(to, value != NULL) &&
           ((kinds & FLAT_BYTE_VALUES) != 0 ? flat_add_string(to, added->bytes, added->size)
                                            : flat_add_word(to, added->number));
}

/* ---- Edits ---- */

static pqt_map_change *
make_changes(const pqt_map *map, const char *changes, size_t count, pqt_error *error)
{
    const int kinds = flat_map_kinds(map);
    flat_reader from = flat_read(changes, 3 * count);
    pqt_map_change *made = calloc(count + 1, sizeof *made);
    if (made == NULL) {
        flat_fail(error, PQT_ERROR_MEMORY, 0, "out of memory (changes of a map)");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        made[i].key = take_key(&from, kinds);
        made[i].kind = flat_take_word(&from) != 0 ? PQT_MAP_INSERT : PQT_MAP_REMOVE;
        made[i].value = take_value(&from, kinds);
    }
    return made;
}

const pqt_map *
flat_map_apply(const pqt_map *map, const char *changes, size_t count, pqt_error *error)
{
    pqt_map_change *made = make_changes(map, changes, count, error);
    const pqt_map *next = made == NULL ? NULL : pqt_map_apply(map, made, count, error);
    free(made);
    return next;
}

bool
flat_map_draft_apply(pqt_map_draft *draft, const char *changes, size_t count, pqt_error *error)
{
    pqt_map_change *made = make_changes(pqt_map_draft_view(draft), changes, count, error);
    const bool done = made != NULL && pqt_map_draft_apply(draft, made, count, error);
    free(made);
    return done;
}

/* ---- Reading ---- */

int
flat_map_find(const pqt_map *map, const char *key, void *out, pqt_error *error)
{
    (void)error;
    const int kinds = flat_map_kinds(map);
    flat_reader from = flat_read(key, 1);
    pqt_map_value value;
    if (!pqt_map_find(map, take_key(&from, kinds), &value))
        return 0;
    const bool done = (kinds & FLAT_BYTE_VALUES) != 0
                          ? flat_append(value.bytes, value.size, out)
                          : flat_append(&value.number, sizeof value.number, out);
    return done ? 1 : -1;
}

/* The context of visitors that add entries. */
typedef struct adder {
    flat_writer to;
    int kinds;
} adder;

static bool
add_entries(const pqt_map_entry *entries, size_t count, void *context)
{
    adder *a = context;
    for (size_t i = 0; i < count; i++)
        if (!flat_add_key(&a->to, entries[i].key, a->kinds) ||
            !flat_add_value(&a->to, &entries[i].value, a->kinds))
            return false;
    return true;
}

bool
flat_map_entries(const pqt_map *map, void *out, pqt_error *error)
{
    adder a = {{.out = out, .error = error}, flat_map_kinds(map)};
    return flat_end(&a.to, pqt_map_visit_entries(map, add_entries, &a));
}

static bool
add_difference(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
               void *context)
{
    adder *a = context;
    return flat_add_key(&a->to, *key, a->kinds) && flat_add_value(&a->to, before, a->kinds) &&
           flat_add_value(&a->to, after, a->kinds);
}

bool
flat_map_diff(const pqt_map *before, const pqt_map *after, void *out, pqt_error *error)
{
    adder a = {{.out = out, .error = error}, flat_map_kinds(before)};
    if (flat_map_kinds(after) != a.kinds) {
        flat_fail(error, PQT_ERROR_MISMATCH, 0,
                  "keys or values of the two maps are of different kinds");
        return false;
    }
    return flat_end(&a.to, pqt_map_visit_diff(before, after, add_difference, &a));
}

/* ---- Merging ---- */

uint64_t
flat_key_hash(uint64_t seed, pqt_map_key key, int kinds)
{
    return (kinds & FLAT_BYTE_KEYS) != 0 ? flat_hash(seed, key.bytes, key.size)
                                         : flat_hash(seed, &key.id, sizeof key.id);
}

pqt_map_value
flat_decided_value(const flat_decision *decision, int kinds)
{
    return (kinds & FLAT_BYTE_VALUES) != 0 ? pqt_map_bytes(decision->bytes, decision->size)
                                           : pqt_map_number(decision->number);
}

typedef struct map_merge {
    adder added;
    flat_answers answers;
} map_merge;

static pqt_map_resolution
resolve_entry(const pqt_map_conflict *conflict, pqt_map_value *value, void *context)
{
    map_merge *merge = context;
    flat_writer *to = &merge->added.to;
    const int kinds = merge->added.kinds;
    const uint64_t hash = flat_key_hash(0, conflict->key, kinds);
    if (!flat_add_word(to, hash) || !flat_add_key(to, conflict->key, kinds) ||
        !flat_add_value(to, conflict->base, kinds) || !flat_add_value(to, conflict->ours, kinds) ||
        !flat_add_value(to, conflict->theirs, kinds))
        return PQT_MAP_UNRESOLVED;
    const flat_decision decision = flat_decide(&merge->answers, hash);
    if (decision.resolution == PQT_MAP_KEEP_VALUE)
        *value = flat_decided_value(&decision, kinds);
    return (pqt_map_resolution)decision.resolution;
}

const pqt_map *
flat_map_merge(const pqt_map *base, const pqt_map *ours, const pqt_map *theirs, int otherwise,
               const char *answers, size_t count, void *out, pqt_error *error)
{
    map_merge merge = {{{.out = out, .error = error}, flat_map_kinds(base)},
                       {answers, count, 0, otherwise}};
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = otherwise == 0 ? NULL : resolve_entry;
    options.context = &merge;
    const pqt_map *made = pqt_map_merge(base, ours, theirs, &options, error);
    return flat_end(&merge.added.to, made != NULL) ? made : NULL;
}
