/* SPDX-License-Identifier: MIT */
/*
 * map_support.h: maps and their plain model, an array of values indexed by the number of the key.
 *
 * Keys and values of each kind are made from small numbers. Some byte strings are empty, some share
 * a prefix, some differ only in trailing zeros, and some have the maximal length.
 */
#ifndef TEST_MAP_SUPPORT_H
#define TEST_MAP_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/map.h>

#include "map/map_internal.h"
#include "random.h"

enum { MAP_KEYS = 240, MAP_VALUES = 40, MAP_FORMS = 4, MOST_VALUE_BYTES = 200, NO_VALUE = -1 };

/* Returns the options of one of the four kinds of maps. */
static inline pqt_map_options
map_options(int form, pqt_memory *memory)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.keys = form % 2 == 0 ? PQT_MAP_IDS : PQT_MAP_BYTE_KEYS;
    options.values = form / 2 == 0 ? PQT_MAP_NUMBERS : PQT_MAP_BYTE_VALUES;
    options.memory = memory;
    return options;
}

static inline const pqt_map *
map_make(int form, pqt_memory *memory)
{
    const pqt_map_options options = map_options(form, memory);
    return pqt_map_make(&options, NULL);
}

/* Returns bytes that are valid until the program ends. */
static inline const unsigned char *
map_bytes(void)
{
    static unsigned char bytes[MAP_VALUES + MOST_VALUE_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i * 7 + i / 3);
    return bytes;
}

/* Returns key `k` of a map of that form. The first 33 byte strings consist of zeros. */
static inline pqt_map_key
map_key(int form, int k)
{
    static unsigned char strings[MAP_KEYS][PQT_MAX_MAP_KEY];
    const size_t size =
        k <= PQT_MAX_MAP_KEY ? (size_t)k : 2 + (size_t)k * 5 % (PQT_MAX_MAP_KEY - 1);
    if (k > PQT_MAX_MAP_KEY) {
        strings[k][0] = (unsigned char)(k % 4);
        strings[k][size - 1] = (unsigned char)k;
    }
    return form % 2 == 0 ? pqt_map_id((uint64_t)k * (k % 2 == 0 ? 1 : UINT64_C(0x9e3779b97f4a7c15)))
                         : pqt_map_byte_key(strings[k], size);
}

/* Returns value `v` of a map of that form. */
static inline pqt_map_value
map_value(int form, int v)
{
    return form / 2 == 0 ? pqt_map_number((uint64_t)v * UINT64_C(0x123456789abcdef))
                         : pqt_map_bytes(map_bytes() + v, (size_t)v * 37 % MOST_VALUE_BYTES);
}

/* Returns the number of a key or value, or -2 if it has none. */
static inline int
key_number(int form, const pqt_map_key *key)
{
    for (int k = 0; k < MAP_KEYS; k++) {
        const pqt_map_key other = map_key(form, k);
        if (form % 2 == 0 ? key->id == other.id
                          : key->size == other.size &&
                                (key->size == 0 || memcmp(key->bytes, other.bytes, key->size) == 0))
            return k;
    }
    return -2;
}

static inline bool
is_value(int form, const pqt_map_value *value, int v)
{
    const pqt_map_value other = map_value(form, v);
    if (form / 2 == 0)
        return value->number == other.number;
    return value->size == other.size &&
           (value->size == 0 || memcmp(value->bytes, other.bytes, value->size) == 0);
}

typedef struct map_model {
    int values[MAP_KEYS]; /* NO_VALUE if the key is absent */
} map_model;

static inline map_model
map_model_make(void)
{
    map_model model;
    for (int k = 0; k < MAP_KEYS; k++)
        model.values[k] = NO_VALUE;
    return model;
}

static inline size_t
map_model_count(const map_model *model)
{
    size_t count = 0;
    for (int k = 0; k < MAP_KEYS; k++)
        count += model->values[k] != NO_VALUE;
    return count;
}

/* A visit that is compared with a model. */
typedef struct map_walk {
    int form;
    const map_model *model;
    bool seen[MAP_KEYS];
    size_t count;
    bool right;
} map_walk;

static inline bool
see_entry(const pqt_map_entry *entry, void *context)
{
    map_walk *w = context;
    const int k = key_number(w->form, &entry->key);
    w->right = w->right && k >= 0 && !w->seen[k] && w->model->values[k] != NO_VALUE &&
               is_value(w->form, &entry->value, w->model->values[k]);
    if (k >= 0)
        w->seen[k] = true;
    w->count++;
    return w->right;
}

/* Returns the map that a model describes, built by inserts in another order. */
static inline const pqt_map *
map_of_model(int form, pqt_memory *memory, const map_model *model)
{
    const pqt_map *map = map_make(form, memory);
    for (int i = 0; i < MAP_KEYS; i++) {
        const int k = i * 7 % MAP_KEYS;
        if (model->values[k] != NO_VALUE)
            map = pqt_map_insert(map, map_key(form, k), map_value(form, model->values[k]), NULL);
    }
    return map;
}

/* Returns NULL if a map equals its model, otherwise a description of the difference. */
static inline const char *
map_differs(int form, const pqt_map *map, const map_model *model)
{
    pqt_error error = {0};
    if (map == NULL)
        return "the map is missing";
    if (!pqt_map_check(map, &error))
        return "an invariant is broken";
    if (pqt_map_count(map) != map_model_count(model))
        return "the count";
    map_walk w = {.form = form, .model = model, .right = true};
    if (!pqt_map_visit(map, see_entry, &w) || w.count != map_model_count(model))
        return "an entry that is visited";
    for (int k = 0; k < MAP_KEYS; k++) {
        pqt_map_value value;
        const bool found = pqt_map_find(map, map_key(form, k), &value);
        if (found != (model->values[k] != NO_VALUE))
            return "whether a key is found";
        if (found && !is_value(form, &value, model->values[k]))
            return "the value of a key";
    }
    return NULL;
}

/* A difference that is compared with two models. */
typedef struct map_diff_walk {
    int form;
    const map_model *before, *after;
    size_t count;
    bool right;
} map_diff_walk;

static inline bool
is_value_or_none(int form, const pqt_map_value *value, int v)
{
    return v == NO_VALUE ? value == NULL : value != NULL && is_value(form, value, v);
}

static inline bool
see_diff(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
         void *context)
{
    map_diff_walk *w = context;
    const int k = key_number(w->form, key);
    w->right = w->right && k >= 0 && w->before->values[k] != w->after->values[k] &&
               is_value_or_none(w->form, before, w->before->values[k]) &&
               is_value_or_none(w->form, after, w->after->values[k]);
    w->count++;
    return w->right;
}

/* Returns true if the difference between two maps equals that between their models. */
static inline bool
diff_is_right(int form, const pqt_map *a, const map_model *in_a, const pqt_map *b,
              const map_model *in_b)
{
    size_t differences = 0;
    map_diff_walk w = {form, in_a, in_b, 0, true};
    for (int k = 0; k < MAP_KEYS; k++)
        differences += in_a->values[k] != in_b->values[k];
    return pqt_map_visit_diff(a, b, see_diff, &w) && w.right && w.count == differences &&
           pqt_map_equals(a, b) == (differences == 0);
}

/* A rule that resolves conflicts in the map and in the model. */
typedef struct map_rule {
    int form;
    unsigned salt;
    const map_model *base, *ours, *theirs;
    size_t conflicts;
    bool right;
} map_rule;

static inline pqt_map_resolution
resolution_of(unsigned salt, int k)
{
    return (pqt_map_resolution)(1 + (salt + (unsigned)k * 3) % 5);
}

static inline int
answer_of(unsigned salt, int k)
{
    return (int)((salt * 5 + (unsigned)k) % MAP_VALUES);
}

static inline pqt_map_resolution
resolve_by_rule(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    map_rule *rule = context;
    const int k = key_number(rule->form, &conflict->key);
    rule->conflicts++;
    rule->right = rule->right && k >= 0 &&
                  is_value_or_none(rule->form, conflict->base, rule->base->values[k]) &&
                  is_value_or_none(rule->form, conflict->ours, rule->ours->values[k]) &&
                  is_value_or_none(rule->form, conflict->theirs, rule->theirs->values[k]);
    if (k < 0)
        return PQT_MAP_UNRESOLVED;
    *answer = map_value(rule->form, answer_of(rule->salt, k));
    return resolution_of(rule->salt, k);
}

static inline int
decide_in_model(const map_rule *rule, int k)
{
    switch (resolution_of(rule->salt, k)) {
    case PQT_MAP_KEEP_OURS:
        return rule->ours->values[k];
    case PQT_MAP_KEEP_THEIRS:
        return rule->theirs->values[k];
    case PQT_MAP_KEEP_BASE:
        return rule->base->values[k];
    case PQT_MAP_KEEP_VALUE:
        return answer_of(rule->salt, k);
    default:
        return NO_VALUE;
    }
}

/* Returns the merge of three models. */
static inline map_model
map_model_merge(const map_rule *rule, size_t *conflicts)
{
    map_model merged = map_model_make();
    *conflicts = 0;
    for (int k = 0; k < MAP_KEYS; k++) {
        const int b = rule->base->values[k], o = rule->ours->values[k], t = rule->theirs->values[k];
        const bool conflict = b != o && b != t && o != t;
        *conflicts += conflict;
        merged.values[k] = conflict ? decide_in_model(rule, k) : b != o ? o : t;
    }
    return merged;
}

static inline bool
equal_models(const map_model *a, const map_model *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Returns NULL if the merge of three maps equals the merge of their models, otherwise a description
 * of the difference. */
static inline const char *
merge_differs(int form, unsigned salt, const pqt_map *const maps[3],
              const map_model *const models[3], const pqt_map **merged, map_model *model)
{
    map_rule rule = {form, salt, models[0], models[1], models[2], 0, true};
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    size_t conflicts;
    options.resolve = resolve_by_rule;
    options.context = &rule;
    *model = map_model_merge(&rule, &conflicts);
    *merged = pqt_map_merge(maps[0], maps[1], maps[2], &options, NULL);
    if (*merged == NULL || !rule.right || rule.conflicts != conflicts)
        return "a conflict";
    for (int i = 1; i <= 3; i++)
        if (equal_models(model, models[i % 3]))
            return *merged == maps[i % 3] ? NULL : "a result that equals one of the three";
    return map_differs(form, *merged, model);
}

#endif
