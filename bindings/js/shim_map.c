/* SPDX-License-Identifier: MIT */
/* shim_map.c: the functions that lib/map.js calls. shim_map.h describes keys and values. */
#include "shim_map.h"

#include <stdlib.h>

/* ---- Keys and values in the buffer ---- */

map_kinds
kinds_of_map(const pqt_map *map)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    return (map_kinds){options.keys == PQT_MAP_IDS, options.values == PQT_MAP_NUMBERS};
}

uint64_t
take_word(const char **from)
{
    uint64_t word;
    memcpy(&word, *from, sizeof word);
    *from += sizeof word;
    return word;
}

/* Returns the bytes that follow their count, which are padded to a whole word. */
static const char *
take_string(const char **from, size_t *count)
{
    *count = (size_t)take_word(from);
    const char *bytes = *from;
    *from += (*count + 7) / 8 * 8;
    return bytes;
}

pqt_map_key
take_key(const char **from, map_kinds kinds)
{
    pqt_map_key key = {0};
    if (kinds.ids)
        key.id = take_word(from);
    else
        key.bytes = take_string(from, &key.size);
    return key;
}

pqt_map_value
take_value(const char **from, map_kinds kinds)
{
    pqt_map_value value = {0};
    if (kinds.numbers)
        value.number = take_word(from);
    else
        value.bytes = take_string(from, &value.size);
    return value;
}

bool
append_key(pqt_map_key key, map_kinds kinds)
{
    return kinds.ids ? append_word(key.id) : append_string(key.bytes, key.size);
}

bool
append_value(const pqt_map_value *value, map_kinds kinds)
{
    if (value == NULL)
        return append_word(0);
    return append_word(1) &&
           (kinds.numbers ? append_word(value->number) : append_string(value->bytes, value->size));
}

/* ---- Versions ---- */

pqt_pin *
EXPORT(pqtjs_map_make)(int byte_keys, int byte_values)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.keys = byte_keys ? PQT_MAP_BYTE_KEYS : PQT_MAP_IDS;
    options.values = byte_values ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
    options.memory = memory_of_versions();
    RETURN_PINNED(map, pqt_map_make(&options, &failure));
}

/* Writes to the buffer: whether keys are byte strings, and whether values are, as two doubles. */
int32_t
EXPORT(pqtjs_map_describe)(pqt_pin *pin)
{
    const pqt_map *map = map_of(pin);
    if (map == NULL)
        return 0;
    const map_kinds kinds = kinds_of_map(map);
    const double figures[2] = {!kinds.ids, !kinds.numbers};
    memcpy(buffer, figures, sizeof figures);
    return 1;
}

int32_t
EXPORT(pqtjs_map_count)(pqt_pin *pin)
{
    const pqt_map *map = map_of(pin);
    return map == NULL ? -1 : (int32_t)pqt_map_count(map);
}

/* Returns the changes in the buffer: `count` keys, each with its value, which is absent if the key
   is removed. */
static pqt_map_change *
take_changes(map_kinds kinds, size_t count)
{
    pqt_map_change *changes = calloc(count + 1, sizeof *changes);
    if (changes == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (changes of a map)");
        return NULL;
    }
    const char *from = buffer;
    for (size_t i = 0; i < count; i++) {
        changes[i].key = take_key(&from, kinds);
        changes[i].kind = PQT_MAP_REMOVE;
        if (take_word(&from) != 0) {
            changes[i].kind = PQT_MAP_INSERT;
            changes[i].value = take_value(&from, kinds);
        }
    }
    return changes;
}

static const pqt_map *
apply(const pqt_map *map, size_t count)
{
    pqt_map_change *changes = take_changes(kinds_of_map(map), count);
    const pqt_map *made = changes == NULL ? NULL : pqt_map_apply(map, changes, count, &failure);
    free(changes);
    return made;
}

pqt_pin *
EXPORT(pqtjs_map_apply)(pqt_pin *pin, size_t count)
{
    const pqt_map *map = map_of(pin);
    if (map == NULL)
        return NULL;
    RETURN_PINNED(map, apply(map, count));
}

DRAFT_FUNCTIONS(map_draft, map)

/* Makes the changes in the buffer, all of them or none. Returns whether it made them. */
int32_t
EXPORT(pqtjs_map_draft_apply)(held_map_draft *held, size_t count)
{
    pqt_map_draft *draft = held->draft;
    pqt_map_change *changes = take_changes(kinds_of_map(pqt_map_draft_view(draft)), count);
    const bool made =
        changes != NULL && (pqt_map_draft_apply(draft, changes, count, &failure) ||
                            (try_again() && pqt_map_draft_apply(draft, changes, count, &failure)));
    free(changes);
    pqt_memory_reclaim(heap, PQT_RECLAIM_PACED);
    return made;
}

/* Reads a key from the buffer, and writes 1 and its value to the buffer; 0 if it has none. */
int32_t
EXPORT(pqtjs_map_find)(pqt_pin *pin)
{
    const pqt_map *map = map_of(pin);
    if (map == NULL)
        return -1;
    const map_kinds kinds = kinds_of_map(map);
    const char *from = buffer;
    pqt_map_value value;
    const bool found = pqt_map_find(map, take_key(&from, kinds), &value);
    begin_append();
    return append_value(found ? &value : NULL, kinds) ? found : -1;
}

static bool
append_entry(const pqt_map_entry *entry, void *context)
{
    const map_kinds *kinds = context;
    return append_key(entry->key, *kinds) && append_value(&entry->value, *kinds);
}

/* Fills the buffer with all keys and values, and returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_map_entries)(pqt_pin *pin)
{
    const pqt_map *map = map_of(pin);
    if (map == NULL)
        return -1;
    map_kinds kinds = kinds_of_map(map);
    begin_append();
    return pqt_map_visit(map, append_entry, &kinds) ? (int32_t)pqt_map_count(map) : -1;
}

typedef struct diff {
    map_kinds kinds;
    int32_t count;
} diff;

static bool
append_difference(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
                  void *context)
{
    diff *all = context;
    all->count++;
    return append_key(*key, all->kinds) && append_value(before, all->kinds) &&
           append_value(after, all->kinds);
}

/* Fills the buffer with the keys whose values differ and the values before and after. Returns the
   number of keys; -1 on failure. */
int32_t
EXPORT(pqtjs_map_diff)(pqt_pin *before, pqt_pin *after)
{
    const pqt_map *one = map_of(before), *other = map_of(after);
    if (one == NULL || other == NULL)
        return -1;
    diff all = {kinds_of_map(one), 0};
    const map_kinds kinds = kinds_of_map(other);
    if (all.kinds.ids != kinds.ids || all.kinds.numbers != kinds.numbers) {
        fail(PQT_ERROR_MISMATCH, "keys or values of the two maps are of different kinds");
        return -1;
    }
    begin_append();
    return pqt_map_visit_diff(one, other, append_difference, &all) ? all.count : -1;
}

/* ---- Merging ---- */

uint64_t
hash_of_conflict(uint64_t seed, const void *bytes, size_t count)
{
    uint64_t hash = seed ^ 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

uint64_t
hash_of_key(uint64_t seed, pqt_map_key key, map_kinds kinds)
{
    return kinds.ids ? hash_of_conflict(seed, &key.id, sizeof key.id)
                     : hash_of_conflict(seed, key.bytes, key.size);
}

bool
answers_from_buffer(answers *all, size_t count, size_t bytes)
{
    *all = (answers){.count = count, .bytes = malloc(bytes + 1)};
    if (all->bytes == NULL) {
        fail(PQT_ERROR_MEMORY, "out of memory (answers to conflicts)");
        return false;
    }
    memcpy(all->bytes, buffer, bytes);
    return true;
}

void
rewind_answers(answers *all)
{
    begin_append();
    all->next = all->bytes;
    all->taken = 0;
    all->conflicts = 0;
}

const char *
answer_to(answers *all, uint64_t hash, int *resolution)
{
    all->conflicts++;
    if (all->taken++ >= all->count)
        return NULL;
    const char *from = all->next;
    const uint64_t asked = take_word(&from);
    *resolution = (int)take_word(&from);
    const size_t size = (size_t)take_word(&from);
    all->next = from + size;
    return asked == hash ? from : NULL;
}

typedef struct map_merge {
    map_kinds kinds;
    answers answers;
} map_merge;

static pqt_map_resolution
resolve(const pqt_map_conflict *conflict, pqt_map_value *value, void *context)
{
    map_merge *merge = context;
    const map_kinds kinds = merge->kinds;
    const uint64_t hash = hash_of_key(0, conflict->key, kinds);
    if (!append_word(hash) || !append_key(conflict->key, kinds) ||
        !append_value(conflict->base, kinds) || !append_value(conflict->ours, kinds) ||
        !append_value(conflict->theirs, kinds))
        return PQT_MAP_UNRESOLVED;
    int resolution;
    const char *payload = answer_to(&merge->answers, hash, &resolution);
    if (payload == NULL)
        return PQT_MAP_KEEP_OURS;
    if (resolution == PQT_MAP_KEEP_VALUE)
        *value = take_value(&payload, kinds);
    return (pqt_map_resolution)resolution;
}

static const pqt_map *
merge_maps(const pqt_map *const versions[3], bool strict, map_merge *merge)
{
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = strict ? NULL : resolve;
    options.context = merge;
    rewind_answers(&merge->answers);
    return pqt_map_merge(versions[0], versions[1], versions[2], &options, &failure);
}

static int32_t conflicts_of_maps;

/* Merges two versions with the answers in the buffer, `bytes` bytes in all. With `strict`,
   conflicts are an error. Fills the buffer with the conflicts; pqtjs_map_conflicts returns their
   number. Conflicts without an answer are resolved in favour of ours. */
pqt_pin *
EXPORT(pqtjs_map_merge)(pqt_pin *base, pqt_pin *ours, pqt_pin *theirs, int strict, size_t count,
                        size_t bytes)
{
    const pqt_map *versions[3] = {map_of(base), map_of(ours), map_of(theirs)};
    if (versions[0] == NULL || versions[1] == NULL || versions[2] == NULL)
        return NULL;
    map_merge merge = {.kinds = kinds_of_map(versions[0])};
    if (!answers_from_buffer(&merge.answers, count, bytes))
        return NULL;
    const pqt_map *made = merge_maps(versions, strict != 0, &merge);
    if (made == NULL && try_again())
        made = merge_maps(versions, strict != 0, &merge);
    free(merge.answers.bytes);
    conflicts_of_maps = merge.answers.conflicts;
    return keep(pqt_map_pin(made, &failure));
}

int32_t
EXPORT(pqtjs_map_conflicts)(void)
{
    return conflicts_of_maps;
}

VERSION_FUNCTIONS(map)
