/* SPDX-License-Identifier: MIT */
/*
 * shim_map.c: the functions for maps that map.py calls.
 *
 * Arrays of keys and of values hold 64-bit integers. For byte strings, integer i is the end of
 * string i in a block of bytes, and the beginning of string i + 1.
 */
#include "shim.h"

#include <stdlib.h>

/* The address of a pin is even, as for trees. */
static const pqt_map *
map_to_read(const pqt_pin *pin)
{
    const uintptr_t address = (uintptr_t)pin;
    return address % 2 == 0 ? pqt_pin_get_map(pin)
                            : pqt_map_draft_view((pqt_map_draft *)(address - 1));
}

static pqt_map_options
options_of(const pqt_map *map)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    return options;
}

static const pqt_map *
make_map(bool byte_keys, bool byte_values, pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.keys = byte_keys ? PQT_MAP_BYTE_KEYS : PQT_MAP_IDS;
    options.values = byte_values ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
    options.memory = heap;
    return pqt_map_make(&options, error);
}

pqt_pin *
pqtpy_map_make(bool byte_keys, bool byte_values, pqt_error *error)
{
    RETURN_PINNED(map, make_map(byte_keys, byte_values, error));
}

/* Writes whether keys are byte strings, and whether values are. */
void
pqtpy_map_describe(const pqt_pin *pin, int *kinds)
{
    const pqt_map_options options = options_of(map_to_read(pin));
    kinds[0] = options.keys == PQT_MAP_BYTE_KEYS;
    kinds[1] = options.values == PQT_MAP_BYTE_VALUES;
}

size_t
pqtpy_map_count(const pqt_pin *pin)
{
    return pqt_map_count(map_to_read(pin));
}

/* An array of ids or numbers, or of the ends of byte strings in `bytes`. */
typedef struct strings {
    const uint64_t *ends;
    const char *bytes;
    size_t size; /* the number of bytes */
} strings;

/* Returns whether the ends never decrease and are within the bytes. */
static bool
have_valid_ends(const strings *s, size_t count, pqt_error *error)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->ends[i] < before || s->ends[i] > s->size) {
            fail(error, PQT_ERROR_OPTION, i, "the lengths of the byte strings are wrong");
            return false;
        }
        before = s->ends[i];
    }
    return true;
}

static pqt_map_change *
make_changes(const pqt_map *map, const uint8_t *are_removed, size_t count, const strings *keys,
             const strings *values, pqt_error *error)
{
    const pqt_map_options options = options_of(map);
    if (options.keys == PQT_MAP_BYTE_KEYS && !have_valid_ends(keys, count, error))
        return NULL;
    if (options.values == PQT_MAP_BYTE_VALUES && !have_valid_ends(values, count, error))
        return NULL;
    pqt_map_change *changes = make_array(count, sizeof *changes, error);
    if (changes == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        changes[i].kind = are_removed[i] ? PQT_MAP_REMOVE : PQT_MAP_INSERT;
        if (options.keys == PQT_MAP_IDS) {
            changes[i].key = pqt_map_id(keys->ends[i]);
        } else {
            const size_t begin = i == 0 ? 0 : (size_t)keys->ends[i - 1];
            const size_t size = (size_t)keys->ends[i] - begin;
            changes[i].key = pqt_map_byte_key(size > 0 ? keys->bytes + begin : NULL, size);
        }
        if (options.values == PQT_MAP_NUMBERS) {
            changes[i].value = pqt_map_number(values->ends[i]);
        } else {
            const size_t begin = i == 0 ? 0 : (size_t)values->ends[i - 1];
            const size_t size = (size_t)values->ends[i] - begin;
            changes[i].value = pqt_map_bytes(size > 0 ? values->bytes + begin : NULL, size);
        }
    }
    return changes;
}

static const pqt_map *
apply(const pqt_map *map, const uint8_t *are_removed, size_t count, const strings *keys,
      const strings *values, pqt_error *error)
{
    pqt_map_change *changes = make_changes(map, are_removed, count, keys, values, error);
    const pqt_map *made = changes == NULL ? NULL : pqt_map_apply(map, changes, count, error);
    free(changes);
    return made;
}

/* Inserts `count` keys, or removes those for which `are_removed` is not 0: their values are not
   used. Python code has computed the ends of byte strings. */
pqt_pin *
pqtpy_map_apply(const pqt_pin *pin, const uint8_t *are_removed, size_t count, const uint64_t *keys,
                const char *key_bytes, size_t key_size, const uint64_t *values,
                const char *value_bytes, size_t value_size, pqt_error *error)
{
    const strings from = {keys, key_bytes, key_size}, to = {values, value_bytes, value_size};
    RETURN_PINNED(map, apply(pqt_pin_get_map(pin), are_removed, count, &from, &to, error));
}

/* Does the same in a draft: makes all edits, or none. */
bool
pqtpy_map_draft_apply(pqtpy_map_draft *draft, const uint8_t *are_removed, size_t count,
                      const uint64_t *keys, const char *key_bytes, size_t key_size,
                      const uint64_t *values, const char *value_bytes, size_t value_size,
                      pqt_error *error)
{
    const strings from = {keys, key_bytes, key_size}, to = {values, value_bytes, value_size};
    const pqt_map *view = pqt_map_draft_view(draft);
    pqt_map_change *changes = make_changes(view, are_removed, count, &from, &to, error);
    bool done = false, again = false;
    if (changes == NULL)
        return false;
    do
        done = pqt_map_draft_apply(draft, changes, count, error);
    while ((again = retry_call(done, again, error)));
    free(changes);
    return done;
}

static pqt_map_key
key_of(const pqt_map *map, uint64_t id, const char *key, size_t size)
{
    if (options_of(map).keys == PQT_MAP_IDS)
        return pqt_map_id(id);
    return pqt_map_byte_key(size > 0 ? key : NULL, size);
}

/* Returns 1 and the value of a key, 0 if there is none, -1 on failure. */
int
pqtpy_map_find(const pqt_pin *pin, uint64_t id, const char *key, size_t size, uint64_t *number,
               pqtpy_bytes *bytes, pqt_error *error)
{
    const pqt_map *map = map_to_read(pin);
    pqt_map_value found;
    if (!pqt_map_find(map, key_of(map, id, key, size), &found))
        return 0;
    if (options_of(map).values == PQT_MAP_NUMBERS) {
        *number = found.number;
        return 1;
    }
    return found.size == 0 || append(bytes, found.bytes, found.size, error) ? 1 : -1;
}

/* The context of append_entry. */
typedef struct entries {
    pqtpy_bytes *keys, *key_bytes, *values, *value_bytes;
    pqt_map_options options;
    pqt_error *error;
} entries;

/* Appends a number, or a byte string and its end. */
static bool
append_either(bool is_number, uint64_t number, const void *data, size_t size, pqtpy_bytes *integers,
              pqtpy_bytes *bytes, pqt_error *error)
{
    if (!is_number && size > 0 && !append(bytes, data, size, error))
        return false;
    const uint64_t integer = is_number ? number : bytes->size;
    return append(integers, &integer, sizeof integer, error);
}

static bool
append_entry(const pqt_map_entry *entry, void *context)
{
    entries *to = context;
    return append_either(to->options.keys == PQT_MAP_IDS, entry->key.id, entry->key.bytes,
                         entry->key.size, to->keys, to->key_bytes, to->error) &&
           append_either(to->options.values == PQT_MAP_NUMBERS, entry->value.number,
                         entry->value.bytes, entry->value.size, to->values, to->value_bytes,
                         to->error);
}

bool
pqtpy_map_entries(const pqt_pin *pin, pqtpy_bytes *keys, pqtpy_bytes *key_bytes,
                  pqtpy_bytes *values, pqtpy_bytes *value_bytes, pqt_error *error)
{
    const pqt_map *map = map_to_read(pin);
    entries to = {keys, key_bytes, values, value_bytes, options_of(map), error};
    return pqt_map_visit(map, append_entry, &to);
}

/* The context of append_difference. */
typedef struct differences {
    entries to;
    pqtpy_bytes *is_there;
} differences;

/* Appends a value, or 0 or no bytes if it is missing, and whether it is present. */
static bool
append_value(const pqt_map_value *value, differences *d)
{
    const entries *to = &d->to;
    const char is_there = value != NULL;
    const pqt_map_value none = {0};
    if (value == NULL)
        value = &none;
    return append(d->is_there, &is_there, 1, to->error) &&
           append_either(to->options.values == PQT_MAP_NUMBERS, value->number, value->bytes,
                         value->size, to->values, to->value_bytes, to->error);
}

static bool
append_difference(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
                  void *context)
{
    differences *d = context;
    const entries *to = &d->to;
    return append_either(to->options.keys == PQT_MAP_IDS, key->id, key->bytes, key->size, to->keys,
                         to->key_bytes, to->error) &&
           append_value(before, d) && append_value(after, d);
}

/* Appends the keys whose values differ. For each key, it appends the values before and after, and
   two bytes that say whether they are present. */
bool
pqtpy_map_diff(const pqt_pin *before, const pqt_pin *after, pqtpy_bytes *keys,
               pqtpy_bytes *key_bytes, pqtpy_bytes *values, pqtpy_bytes *value_bytes,
               pqtpy_bytes *is_there, pqt_error *error)
{
    const pqt_map *from = map_to_read(before), *to = map_to_read(after);
    const pqt_map_options ours = options_of(from), theirs = options_of(to);
    if (ours.keys != theirs.keys || ours.values != theirs.values) {
        fail(error, PQT_ERROR_MISMATCH, 0, "the maps have keys or values of different kinds");
        return false;
    }
    differences d = {{keys, key_bytes, values, value_bytes, ours, error}, is_there};
    return pqt_map_visit_diff(from, to, append_difference, &d);
}

static pqt_map_resolution
resolve_alike(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    (void)conflict;
    (void)answer;
    return *(const pqt_map_resolution *)context;
}

/* Merges two maps. `resolution` applies to all conflicts; 0: a conflict is an error. */
pqt_pin *
pqtpy_map_merge(const pqt_pin *base, const pqt_pin *ours, const pqt_pin *theirs, int resolution,
                pqt_error *error)
{
    pqt_map_resolution answer = (pqt_map_resolution)resolution;
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = resolution == 0 ? NULL : resolve_alike;
    options.context = &answer;
    RETURN_PINNED(map, pqt_map_merge(pqt_pin_get_map(base), pqt_pin_get_map(ours),
                                     pqt_pin_get_map(theirs), &options, error));
}
