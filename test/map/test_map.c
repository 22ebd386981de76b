/* SPDX-License-Identifier: MIT */
/* test_map.c: tests maps: each public function, its edge cases, and every status that it can
 * return. */
#include "config.h"

#include <string.h>

#include <pqt/head.h>
#include <pqt/history.h>
#include <pqt/memory.h>

#include "base/hash.h"
#include "hooks.h"
#include "map_support.h"
#include "memory_support.h"
#include "suite.h"

static pqt_memory *arena;

static void
set_up(void)
{
    arena = make_memory(0);
}

static void
tear_down(void)
{
    drop_memory(arena);
}

static const pqt_map *
some_map(int form, int from, int to)
{
    const pqt_map *map = map_make(form, arena);
    for (int k = from; k < to; k++)
        map = pqt_map_insert(map, map_key(form, k), map_value(form, k % MAP_VALUES), NULL);
    ck_assert_ptr_nonnull(map);
    return map;
}

/* ---- Making ---- */

START_TEST(an_empty_map_has_no_entries)
{
    pqt_error error = {0};
    pqt_map_value value;
    const pqt_map *map = map_make(_i, arena);
    ck_assert_uint_eq(pqt_map_count(map), 0);
    ck_assert(!pqt_map_find(map, map_key(_i, 1), &value));
    ck_assert(!pqt_map_find(map, map_key(_i, 1), NULL));
    ck_assert_ptr_eq(pqt_map_remove(map, map_key(_i, 1), &error), map);
    ck_assert_ptr_eq(pqt_map_apply(map, NULL, 0, &error), map);
    ck_assert(pqt_map_check(map, &error));
    ck_assert_uint_eq(pqt_map_fingerprint(map).low, 0);
    const pqt_map_stats stats = pqt_map_get_stats(map);
    ck_assert_uint_eq(stats.nodes + stats.leaves + stats.cells + stats.depth, 0);
    ck_assert_uint_eq(stats.bytes, PQTI_MAP_SIZE);
}
END_TEST

START_TEST(options_are_those_that_the_map_was_made_with)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    const pqt_map *map = some_map(_i, 0, 30);
    pqt_map_get_options(map, &options);
    ck_assert_int_eq(options.keys, map_options(_i, arena).keys);
    ck_assert_int_eq(options.values, map_options(_i, arena).values);
    ck_assert_ptr_eq(options.memory, arena);
    ck_assert_uint_eq(options.size, sizeof options);
}
END_TEST

START_TEST(invalid_options_are_refused)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    options.keys = (pqt_map_keys)0;
    ck_assert_ptr_null(pqt_map_make(&options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    ck_assert_str_eq(error.text, "keys is 0, not a pqt_map_keys");
    error = (pqt_error){0};
    options.keys = PQT_MAP_IDS;
    options.values = (pqt_map_values)3;
    ck_assert_ptr_null(pqt_map_make(&options, &error));
    ck_assert_str_eq(error.text, "values is 3, not a pqt_map_values");
    error = (pqt_error){0};
    options.size = 1;
    ck_assert_ptr_null(pqt_map_make(&options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    pqt_error error = {0, PQT_ERROR_MEMORY, "earlier"};
    const pqt_map *map = map_make(0, arena);
    size_t bytes = 0;
    const pqt_map_key key = pqt_map_id(1);
    ck_assert_ptr_null(pqt_map_insert(NULL, key, pqt_map_number(1), &error));
    ck_assert_ptr_null(pqt_map_remove(NULL, key, &error));
    ck_assert_ptr_null(pqt_map_apply(NULL, NULL, 0, &error));
    ck_assert_ptr_null(pqt_map_merge(map, map, NULL, NULL, &error));
    ck_assert_ptr_null(pqt_map_copy(NULL, NULL, &error));
    ck_assert(!pqt_map_exclusive_bytes(NULL, NULL, 0, &bytes, &error));
    ck_assert_ptr_null(pqt_map_pin(NULL, &error));
    ck_assert_ptr_null(pqt_map_insert(NULL, key, pqt_map_number(1), NULL));
    ck_assert_str_eq(error.text, "earlier");
}
END_TEST

/* ---- Editing ---- */

START_TEST(the_last_value_of_a_key_is_found)
{
    pqt_error error = {0};
    pqt_map_value found;
    const pqt_map *map = map_make(0, arena);
    map = pqt_map_insert(map, pqt_map_id(17), pqt_map_number(42), &error);
    const pqt_map *next = pqt_map_insert(map, pqt_map_id(17), pqt_map_number(43), &error);
    ck_assert(pqt_map_find(next, pqt_map_id(17), &found));
    ck_assert_uint_eq(found.number, 43);
    ck_assert(pqt_map_find(map, pqt_map_id(17), &found));
    ck_assert_uint_eq(found.number, 42);
    ck_assert_uint_eq(pqt_map_count(next), 1);
}
END_TEST

START_TEST(byte_strings_are_copied_and_compared_by_all_their_bytes)
{
    char name[] = "cat";
    char data[] = "a grey one";
    pqt_map_value found;
    const pqt_map *map = map_make(3, arena);
    map = pqt_map_insert(map, pqt_map_text(name), pqt_map_bytes(data, sizeof data), NULL);
    memset(name, 'x', sizeof name - 1);
    memset(data, 'x', sizeof data - 1);
    ck_assert(pqt_map_find(map, pqt_map_text("cat"), &found));
    ck_assert_uint_eq(found.size, sizeof data);
    ck_assert_str_eq(found.bytes, "a grey one");
    ck_assert(!pqt_map_find(map, pqt_map_byte_key("cat", 4), NULL));
    ck_assert(!pqt_map_find(map, pqt_map_text("ca"), NULL));
    ck_assert(!pqt_map_find(map, pqt_map_text(""), NULL));
    map = pqt_map_insert(map, pqt_map_text(""), pqt_map_bytes(NULL, 0), NULL);
    map = pqt_map_insert(map, pqt_map_byte_key("cat", 4), pqt_map_bytes("0", 1), NULL);
    ck_assert(pqt_map_find(map, pqt_map_byte_key(NULL, 0), &found));
    ck_assert_uint_eq(found.size, 0);
    ck_assert_uint_eq(pqt_map_count(map), 3);
}
END_TEST

START_TEST(the_size_of_a_key_that_is_an_id_is_ignored)
{
    pqt_map_change change = {PQT_MAP_INSERT, pqt_map_id(17), pqt_map_bytes("grey", 4)};
    pqt_map_value found;
    const pqt_map *plain = pqt_map_apply(map_make(2, arena), &change, 1, NULL);
    change.key.size = 1000000;
    const pqt_map *batch = pqt_map_apply(map_make(2, arena), &change, 1, NULL);
    const pqt_map *one = pqt_map_insert(map_make(2, arena), change.key, change.value, NULL);
    ck_assert(pqt_map_equals(batch, plain));
    ck_assert(pqt_map_equals(one, plain));
    ck_assert(pqt_map_find(batch, change.key, &found));
    ck_assert_uint_eq(found.size, 4);
}
END_TEST

START_TEST(a_value_of_a_million_bytes_is_kept)
{
    enum { SIZE = 1000000 };
    char *bytes = calloc(SIZE, 1);
    pqt_map_value found;
    bytes[SIZE - 1] = 'z';
    const pqt_map *map =
        pqt_map_insert(map_make(2, arena), pqt_map_id(1), pqt_map_bytes(bytes, SIZE), NULL);
    ck_assert_ptr_eq(pqt_map_insert(map, pqt_map_id(1), pqt_map_bytes(bytes, SIZE), NULL), map);
    ck_assert(pqt_map_find(map, pqt_map_id(1), &found));
    ck_assert_mem_eq(found.bytes, bytes, SIZE);
    free(bytes);
}
END_TEST

START_TEST(edits_that_change_nothing_return_the_map_and_allocate_nothing)
{
    const pqt_map *map = some_map(_i, 0, 100);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    for (int k = 0; k < 100; k++)
        ck_assert_ptr_eq(pqt_map_insert(map, map_key(_i, k), map_value(_i, k % MAP_VALUES), NULL),
                         map);
    for (int k = 100; k < MAP_KEYS; k++)
        ck_assert_ptr_eq(pqt_map_remove(map, map_key(_i, k), NULL), map);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    pqt_map_change changes[2 * MAP_KEYS];
    for (int k = 0; k < MAP_KEYS; k++) {
        changes[2 * k] = (pqt_map_change){PQT_MAP_REMOVE, map_key(_i, k), {0}};
        changes[2 * k + 1] = (pqt_map_change){k < 100 ? PQT_MAP_INSERT : PQT_MAP_REMOVE,
                                              map_key(_i, k), map_value(_i, k % MAP_VALUES)};
    }
    hooks_start(&watch);
    ck_assert_ptr_eq(pqt_map_apply(map, changes, 2 * MAP_KEYS, NULL), map);
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
}
END_TEST

START_TEST(a_batch_makes_no_block_that_is_not_in_its_result)
{
    const pqt_map *map = some_map(_i, 0, 120);
    pqt_map_change changes[MAP_KEYS];
    for (int k = 0; k < MAP_KEYS; k++)
        changes[k] = (pqt_map_change){k % 3 == 0 ? PQT_MAP_REMOVE : PQT_MAP_INSERT, map_key(_i, k),
                                      map_value(_i, k * 5 % MAP_VALUES)};
    hooks watch = {.fail_at = 0};
    size_t bytes;
    hooks_start(&watch);
    const pqt_map *next = pqt_map_apply(map, changes, MAP_KEYS, NULL);
    hooks_stop();
    ck_assert(pqt_map_exclusive_bytes(next, &map, 1, &bytes, NULL));
    ck_assert_uint_eq(bytes, hooks_kept_bytes(&watch));
}
END_TEST

START_TEST(a_key_that_is_too_long_is_refused)
{
    char long_key[PQT_MAX_MAP_KEY + 1] = {0};
    pqt_error error = {0};
    const pqt_map *map = some_map(1, 0, 20);
    const pqt_map_key key = pqt_map_byte_key(long_key, sizeof long_key);
    ck_assert(!pqt_map_find(map, key, NULL));
    ck_assert_ptr_eq(pqt_map_remove(map, key, &error), map);
    ck_assert_ptr_null(pqt_map_insert(map, key, pqt_map_number(1), &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_str_eq(error.text, "key 0: 33 bytes, the maximum is 32");
    ck_assert_ptr_null(pqt_map_insert(map, key, pqt_map_number(1), NULL));
    error = (pqt_error){0};
    const pqt_map_change changes[] = {{PQT_MAP_REMOVE, key, {0}},
                                      {PQT_MAP_INSERT, map_key(1, 100), map_value(1, 1)},
                                      {PQT_MAP_INSERT, key, map_value(1, 1)}};
    ck_assert_ptr_null(pqt_map_apply(map, changes, 3, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_uint_eq(error.index, 2);
    error = (pqt_error){0};
    ck_assert_uint_eq(pqt_map_count(pqt_map_apply(map, changes, 2, &error)), 21);
}
END_TEST

/* Checks that a call failed, and its error. */
static void
check_mismatch(const pqt_map *made, pqt_error *error, size_t index, const char *text)
{
    ck_assert_ptr_null(made);
    ck_assert_int_eq(error->status, PQT_ERROR_MISMATCH);
    ck_assert_uint_eq(error->index, index);
    ck_assert_str_eq(error->text, text);
    *error = (pqt_error){0};
}

/* For each form, a key and a value of the other kind, and one of its own. */
static const char *const key_mismatches[] = {
    "a byte string as key in a map from ids: key \"a\\x00b\"",
    "an id as key in a map from byte strings: id 17"};
static const char *const value_mismatches[] = {
    "a byte string as value in a map to numbers: %s",
    "a number as value in a map to byte strings: %s",
};

START_TEST(a_key_of_the_other_kind_is_refused_and_named)
{
    pqt_error error = {0};
    const pqt_map *map = some_map(_i, 0, 20);
    const pqt_map_key wrong = _i % 2 == 0 ? pqt_map_byte_key("a\0b", 3) : pqt_map_id(17);
    const pqt_map_value value = map_value(_i, 1);
    const char *text = key_mismatches[_i % 2];
    check_mismatch(pqt_map_insert(map, wrong, value, &error), &error, 0, text);
    check_mismatch(pqt_map_remove(map, wrong, &error), &error, 0, text);
    const pqt_map_change changes[] = {{PQT_MAP_INSERT, map_key(_i, 50), value},
                                      {PQT_MAP_REMOVE, wrong, {0}}};
    check_mismatch(pqt_map_apply(map, changes, 2, &error), &error, 1, text);
    ck_assert_ptr_null(pqt_map_insert(map, wrong, value, NULL));
}
END_TEST

START_TEST(a_value_of_the_other_kind_is_refused_and_its_key_is_named)
{
    pqt_error error = {0};
    char text[104];
    const pqt_map *map = some_map(_i, 0, 20);
    const pqt_map_key key = _i % 2 == 0 ? pqt_map_id(17) : pqt_map_text("cat");
    const pqt_map_value wrong = _i / 2 == 0 ? pqt_map_bytes(NULL, 0) : pqt_map_number(0);
    snprintf(text, sizeof text, value_mismatches[_i / 2], _i % 2 == 0 ? "id 17" : "key \"cat\"");
    check_mismatch(pqt_map_insert(map, key, wrong, &error), &error, 0, text);
    const pqt_map_change changes[] = {{PQT_MAP_REMOVE, key, wrong}, {PQT_MAP_INSERT, key, wrong}};
    check_mismatch(pqt_map_apply(map, changes, 2, &error), &error, 1, text);
    ck_assert_ptr_eq(pqt_map_apply(map, changes, 1, &error), map);
    ck_assert_ptr_null(pqt_map_insert(map, key, wrong, NULL));
}
END_TEST

START_TEST(the_name_of_a_long_key_is_cut)
{
    static const char bytes[] = "0123456789012345678901234567890123456789";
    pqt_error error = {0};
    const pqt_map *map = some_map(0, 0, 20);
    check_mismatch(
        pqt_map_remove(map, pqt_map_text(bytes), &error), &error, 0,
        "a byte string as key in a map from ids: key \"01234567890123456789012345678901\"");
}
END_TEST

/* ---- Reading ---- */

static bool
stop_at_third(const pqt_map_entry *entry, void *context)
{
    size_t *seen = context;
    (void)entry;
    return ++*seen < 3;
}

static bool
stop_at_third_change(const pqt_map_key *key, const pqt_map_value *before,
                     const pqt_map_value *after, void *context)
{
    size_t *seen = context;
    (void)key;
    (void)before;
    (void)after;
    return ++*seen < 3;
}

START_TEST(a_visitor_that_returns_false_stops_the_visit)
{
    size_t seen = 0;
    const pqt_map *map = some_map(_i, 0, 100), *empty = map_make(_i, arena);
    ck_assert(!pqt_map_visit(map, stop_at_third, &seen));
    ck_assert_uint_eq(seen, 3);
    seen = 0;
    ck_assert(!pqt_map_visit_diff(empty, map, stop_at_third_change, &seen));
    ck_assert_uint_eq(seen, 3);
    seen = 0;
    ck_assert(pqt_map_visit_diff(map, map, stop_at_third_change, &seen));
    ck_assert_uint_eq(seen, 0);
}
END_TEST

typedef struct order {
    uint64_t last;
    size_t count;
} order;

static bool
see_rising_hash(const pqt_map_entry *entry, void *context)
{
    order *o = context;
    const uint64_t hash = pqti_id_key(entry->key.id);
    ck_assert(o->count++ == 0 || hash > o->last);
    o->last = hash;
    return true;
}

START_TEST(entries_are_visited_in_ascending_order_of_hash)
{
    order o = {0, 0};
    ck_assert(pqt_map_visit(some_map(0, 0, MAP_KEYS), see_rising_hash, &o));
    ck_assert_uint_eq(o.count, MAP_KEYS);
}
END_TEST

/* Entries in the order of a visit; the call at which it stops, or 0. */
typedef struct entry_list {
    pqt_map_entry entries[MAP_KEYS];
    size_t count, calls, stop_at;
} entry_list;

static bool
list_entries(const pqt_map_entry *entries, size_t count, void *context)
{
    entry_list *list = context;
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_le(count, 64);
    ck_assert_uint_le(list->count + count, MAP_KEYS);
    memcpy(list->entries + list->count, entries, count * sizeof *entries);
    list->count += count;
    return ++list->calls != list->stop_at;
}

static bool
list_inserted(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
              void *context)
{
    entry_list *list = context;
    ck_assert_ptr_null(before);
    list->entries[list->count++] = (pqt_map_entry){*key, *after};
    return true;
}

static bool
same_entry(const pqt_map_entry *a, const pqt_map_entry *b)
{
    return a->key.id == b->key.id && a->key.bytes == b->key.bytes && a->key.size == b->key.size &&
           a->value.number == b->value.number && a->value.bytes == b->value.bytes &&
           a->value.size == b->value.size;
}

/* The difference from an empty map has the same order, and is found by other code. */
START_TEST(entries_are_visited_many_at_a_time_in_the_order_of_a_difference)
{
    for (int count = 0; count <= MAP_KEYS; count += count < 20 ? 1 : 36) {
        entry_list all = {.count = 0}, expected = {.count = 0};
        const pqt_map *map = some_map(_i, 0, count);
        ck_assert(pqt_map_visit_entries(map, list_entries, &all));
        ck_assert(pqt_map_visit_diff(map_make(_i, arena), map, list_inserted, &expected));
        ck_assert_uint_eq(all.count, (size_t)count);
        ck_assert_uint_eq(expected.count, (size_t)count);
        ck_assert_uint_le(all.calls, 3 + ((size_t)count + 56) / 57);
        for (size_t i = 0; i < all.count; i++)
            ck_assert(same_entry(&all.entries[i], &expected.entries[i]));
        for (size_t at = 1; at <= all.calls; at++) {
            entry_list some = {.stop_at = at};
            ck_assert(!pqt_map_visit_entries(map, list_entries, &some));
            ck_assert_uint_eq(some.calls, at);
            ck_assert_uint_le(some.count, (size_t)8 * ((1 << at) - 1)); /* 8, 16, 32 ... */
        }
    }
}
END_TEST

static bool
stop_at_once(const pqt_map_entry *entries, size_t count, void *context)
{
    (void)entries;
    (void)context;
    return count == 0;
}

START_TEST(reading_allocates_nothing)
{
    const pqt_map *a = some_map(_i, 0, 150), *b = some_map(_i, 50, 200);
    size_t seen = 0, bytes;
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    pqt_map_find(a, map_key(_i, 3), NULL);
    pqt_map_visit(a, stop_at_third, &seen);
    pqt_map_visit_entries(a, stop_at_once, NULL);
    pqt_map_visit_diff(a, b, stop_at_third_change, &seen);
    pqt_map_equals(a, b);
    pqt_map_check(a, NULL);
    pqt_map_get_stats(a);
    pqt_map_shared_bytes(a, b);
    pqt_map_exclusive_bytes(a, &b, 1, &bytes, NULL);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* The expected values were computed without the library, and every machine and release must
 * agree. */
START_TEST(the_fingerprint_of_an_entry_equals_a_recorded_one)
{
    static const pqt_fingerprint kept[MAP_FORMS] = {
        {UINT64_C(0x9854c5d138544b23), UINT64_C(0xdcebd4510d955e18)},
        {UINT64_C(0x5ca6da7780b606fa), UINT64_C(0x6cedb4e70b2d5bff)},
        {UINT64_C(0x2dbe095c990be58f), UINT64_C(0xfb8da99c260937a1)},
        {UINT64_C(0xf0f4e3ccbac6c1a6), UINT64_C(0x96d006aed73a368c)}};
    const pqt_map_key key = _i % 2 == 0 ? pqt_map_id(7) : pqt_map_text("a key of bytes");
    const pqt_map_value value =
        _i / 2 == 0 ? pqt_map_number(8) : pqt_map_bytes("a value of bytes", 16);
    const pqt_map *map = pqt_map_insert(map_make(_i, arena), key, value, NULL);
    ck_assert_uint_eq(pqt_map_fingerprint(map).low, kept[_i].low);
    ck_assert_uint_eq(pqt_map_fingerprint(map).high, kept[_i].high);
}
END_TEST

START_TEST(ids_are_the_inverse_of_their_keys)
{
    dice d = {test_seed("ids_are_the_inverse")};
    for (int i = 0; i < 10000; i++) {
        const uint64_t id = i < 100 ? (uint64_t)i : dice_next(&d);
        ck_assert_uint_eq(pqti_id_of_key(pqti_id_key(id)), id);
        ck_assert_uint_eq(pqti_hash_mix64(pqti_hash_unmix64(id)), id);
    }
}
END_TEST

START_TEST(maps_of_different_kinds_are_not_equal)
{
    for (int other = 0; other < MAP_FORMS; other++)
        ck_assert_int_eq(pqt_map_equals(map_make(_i, arena), map_make(other, arena)), other == _i);
}
END_TEST

START_TEST(a_check_finds_a_word_that_was_overwritten)
{
    pqt_error error = {0};
    const pqt_map *map = some_map(_i, 0, 100);
    ck_assert(pqt_map_check(map, &error));
    ((pqti_map_inner *)(uintptr_t)map->root)->sum.low++;
    ck_assert(!pqt_map_check(map, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    ((pqti_map_inner *)(uintptr_t)map->root)->sum.low--;
    ((pqti_map_inner *)(uintptr_t)map->root)->head++;
    ck_assert(!pqt_map_check(map, NULL));
    ((pqti_map_inner *)(uintptr_t)map->root)->head--;
    ((pqt_map *)(uintptr_t)map)->fingerprint.high++;
    ck_assert(!pqt_map_check(map, NULL));
}
END_TEST

/* ---- Bytes ---- */

START_TEST(exclusive_bytes_are_those_that_the_edits_made)
{
    dice d = {test_seed("exclusive_bytes")};
    const pqt_map *versions[200];
    size_t made[200];
    versions[0] = map_make(_i, arena);
    for (int i = 1; i < 200; i++) {
        hooks watch = {.fail_at = 0};
        size_t bytes;
        do {
            const int k = (int)dice_below(&d, MAP_KEYS);
            hooks_start(&watch);
            versions[i] = dice_chance(&d, i < 100 ? 80 : 30)
                              ? pqt_map_insert(versions[i - 1], map_key(_i, k),
                                               map_value(_i, (int)dice_below(&d, MAP_VALUES)), NULL)
                              : pqt_map_remove(versions[i - 1], map_key(_i, k), NULL);
            hooks_stop();
        } while (versions[i] == versions[i - 1]);
        made[i] = hooks_kept_bytes(&watch);
        ck_assert(pqt_map_exclusive_bytes(versions[i], &versions[i - 1], 1, &bytes, NULL));
        ck_assert_uint_eq(bytes, made[i]);
        ck_assert_uint_eq(pqt_map_get_stats(versions[i]).bytes -
                              pqt_map_shared_bytes(versions[i], versions[i - 1]),
                          made[i]);
        ck_assert(pqt_map_exclusive_bytes(versions[i], versions, (size_t)i, &bytes, NULL));
        ck_assert_uint_le(bytes, made[i]);
        ck_assert(pqt_map_exclusive_bytes(versions[i], versions, (size_t)i + 1, &bytes, NULL));
        ck_assert_uint_eq(bytes, 0);
    }
}
END_TEST

/* ---- Merging ---- */

START_TEST(an_undecided_conflict_is_an_error_that_names_the_key)
{
    static const char *const texts[] = {
        "id 5 has different values in ours and in theirs",
        "key \"a\\x00b\" has different values in ours and in theirs"};
    pqt_error error = {0};
    const pqt_map_key key = _i % 2 == 0 ? pqt_map_id(5) : pqt_map_byte_key("a\0b", 3);
    const pqt_map *base = some_map(_i, 10, 100);
    const pqt_map *ours = pqt_map_insert(base, key, map_value(_i, 1), NULL);
    const pqt_map *theirs = pqt_map_insert(base, key, map_value(_i, 2), NULL);
    ck_assert_ptr_null(pqt_map_merge(base, ours, theirs, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    ck_assert_str_eq(error.text, texts[_i % 2]);
}
END_TEST

static pqt_map_resolution
answer_nonsense(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    (void)conflict;
    (void)answer;
    (void)context;
    return (pqt_map_resolution)99;
}

static pqt_map_resolution
answer_in_other_kind(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    const int *form = context;
    (void)conflict;
    *answer = *form / 2 == 0 ? pqt_map_bytes("", 0) : pqt_map_number(7);
    return PQT_MAP_KEEP_VALUE;
}

START_TEST(an_answer_of_the_other_kind_is_an_error)
{
    pqt_error error = {0};
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    const pqt_map *base = some_map(_i, 10, 100);
    const pqt_map_key key = _i % 2 == 0 ? pqt_map_id(17) : pqt_map_text("cat");
    const pqt_map *ours = pqt_map_insert(base, key, map_value(_i, 1), NULL);
    const pqt_map *theirs = pqt_map_insert(base, key, map_value(_i, 2), NULL);
    options.resolve = answer_in_other_kind;
    options.context = &_i;
    ck_assert_ptr_null(pqt_map_merge(base, ours, theirs, &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    ck_assert_str_eq(error.text, _i % 2 == 0
                                     ? "id 17 was resolved by a value of the other kind"
                                     : "key \"cat\" was resolved by a value of the other kind");
}
END_TEST

START_TEST(an_invalid_resolution_is_an_error)
{
    pqt_error error = {0};
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    const pqt_map *base = some_map(0, 10, 100);
    const pqt_map *ours = pqt_map_remove(base, map_key(0, 20), NULL);
    const pqt_map *theirs = pqt_map_insert(base, map_key(0, 20), map_value(0, 9), NULL);
    options.resolve = answer_nonsense;
    ck_assert_ptr_null(pqt_map_merge(base, ours, theirs, &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    error = (pqt_error){0};
    options.size = 3;
    ck_assert_ptr_null(pqt_map_merge(base, ours, theirs, &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
}
END_TEST

START_TEST(maps_of_different_kinds_or_memories_are_not_merged)
{
    pqt_error error = {0};
    const pqt_map *a = map_make(0, arena), *b = map_make(1, arena), *c = map_make(2, arena);
    ck_assert_ptr_null(pqt_map_merge(a, b, a, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_str_eq(error.text, "the versions differ in keys");
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_map_merge(a, a, c, NULL, &error));
    ck_assert_str_eq(error.text, "the versions differ in values");
    error = (pqt_error){0};
    pqt_memory *other = make_memory(0);
    ck_assert_ptr_null(pqt_map_merge(a, a, map_make(0, other), NULL, &error));
    ck_assert_str_eq(error.text, "the versions differ in memory");
    drop_memory(other);
}
END_TEST

START_TEST(a_change_of_one_side_is_taken_unchanged)
{
    const pqt_map *base = some_map(_i, 0, 10);
    const pqt_map *ours = pqt_map_remove(base, map_key(_i, 3), NULL), *theirs = base;
    for (int k = 20; k < MAP_KEYS; k++)
        theirs = pqt_map_insert(theirs, map_key(_i, k), map_value(_i, 1), NULL);
    size_t bytes;
    const pqt_map *merged = pqt_map_merge(base, ours, theirs, NULL, NULL);
    const pqt_map *removed = pqt_map_remove(theirs, map_key(_i, 3), NULL);
    ck_assert(pqt_map_equals(merged, removed));
    ck_assert(pqt_map_exclusive_bytes(merged, &theirs, 1, &bytes, NULL));
    ck_assert_uint_eq(bytes,
                      pqt_map_get_stats(removed).bytes - pqt_map_shared_bytes(removed, theirs));
    ck_assert_ptr_eq(pqt_map_merge(base, base, theirs, NULL, NULL), theirs);
    ck_assert_ptr_eq(pqt_map_merge(base, ours, base, NULL, NULL), ours);
    ck_assert_ptr_eq(pqt_map_merge(base, ours, ours, NULL, NULL), ours);
}
END_TEST

/* ---- Copies, pins, heads, histories ---- */

START_TEST(a_copy_is_equal_and_lives_in_the_other_memory)
{
    pqt_memory *other = make_memory(0);
    pqt_map_options options = PQT_MAP_DEFAULTS;
    const pqt_map *map = some_map(_i, 0, MAP_KEYS);
    const pqt_map *copy = pqt_map_copy(map, other, NULL);
    ck_assert(pqt_map_check(copy, NULL));
    ck_assert(pqt_map_equals(copy, map));
    pqt_map_get_options(copy, &options);
    ck_assert_ptr_eq(options.memory, other);
    ck_assert_ptr_eq(pqt_map_copy(map, arena, NULL), map);
    drop_memory(other);
}
END_TEST

START_TEST(copies_of_versions_share_what_the_versions_share)
{
    enum { COUNT = 30 };
    const pqt_map *maps[COUNT], *copies[COUNT];
    pqt_memory *other = make_memory(0);
    maps[0] = some_map(_i, 0, 200);
    for (int i = 1; i < COUNT; i++)
        maps[i] = pqt_map_insert(maps[i - 1], map_key(_i, i * 7), map_value(_i, 39), NULL);
    maps[COUNT - 1] = maps[3];
    ck_assert(pqt_map_copy_all(maps, COUNT, other, copies, NULL));
    for (int i = 1; i < COUNT; i++) {
        ck_assert(pqt_map_equals(copies[i], maps[i]));
        ck_assert_uint_eq(pqt_map_shared_bytes(copies[i], copies[i - 1]),
                          pqt_map_shared_bytes(maps[i], maps[i - 1]));
    }
    ck_assert_ptr_eq(copies[COUNT - 1], copies[3]);
    ck_assert(pqt_map_copy_all(NULL, 0, other, NULL, NULL));
    drop_memory(other);
}
END_TEST

START_TEST(a_pin_keeps_a_map)
{
    ck_assert(pqt_init(NULL));
    pqt_memory *memory = make_memory(_i);
    const pqt_map *map = pqt_map_insert(map_make(3, memory), pqt_map_text("kept"),
                                        pqt_map_bytes("by the pin", 10), NULL);
    pqt_pin *pin = pqt_map_pin(map, NULL);
    ck_assert_ptr_eq(pqt_pin_get_map(pin), map);
    ck_assert_ptr_eq(pqti_pin_memory(pin), memory);
    collect_and_overwrite(memory);
    pqt_map_value found;
    ck_assert(pqt_map_find(pqt_pin_get_map(pin), pqt_map_text("kept"), &found));
    ck_assert_mem_eq(found.bytes, "by the pin", 10);
    pqt_unpin(&pin);
    drop_memory(memory);
}
END_TEST

static const void *
count_up(const void *now, void *context, pqt_error *error)
{
    pqt_map_value value = {0};
    (void)context;
    pqt_map_find(now, pqt_map_id(1), &value);
    return pqt_map_insert(now, pqt_map_id(1), pqt_map_number(value.number + 1), error);
}

START_TEST(a_head_returns_the_newest_map)
{
    uint64_t number = 0;
    const pqt_map *first = map_make(0, arena);
    pqt_head *head = pqt_head_make(first, NULL);
    ck_assert_ptr_eq(pqt_head_load_map(head, &number), first);
    ck_assert_uint_eq(number, 1);
    const pqt_map *next = pqt_map_insert(first, pqt_map_id(1), pqt_map_number(4), NULL);
    ck_assert(pqt_head_publish(head, next, NULL));
    pqt_pin *pin = pqt_head_pin(head, &number, NULL);
    ck_assert_ptr_eq(pqt_pin_get_map(pin), next);
    ck_assert_uint_eq(number, 2);
    pqt_unpin(&pin);
    const pqt_map *updated = pqt_head_update(head, count_up, NULL, &number, NULL);
    pqt_map_value found;
    ck_assert(pqt_map_find(updated, pqt_map_id(1), &found));
    ck_assert_uint_eq(found.number, 5);
    ck_assert_uint_eq(number, 3);
    pqt_error error = {0, PQT_ERROR_MEMORY, "earlier"};
    ck_assert_ptr_null(pqt_head_make(NULL, &error));
    ck_assert(!pqt_head_publish(head, NULL, &error));
    pqt_head_destroy(&head);
}
END_TEST

START_TEST(a_history_of_maps_goes_back_and_counts_bytes)
{
    pqt_error error = {0};
    const pqt_map *first = some_map(_i, 0, 100);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_MAP), first, NULL, &error);
    const pqt_map *next = pqt_map_insert(first, map_key(_i, 150), map_value(_i, 3), &error);
    ck_assert(pqt_history_push(history, next, &(pqt_history_entry_info){.label = "Add"}, &error));
    ck_assert_uint_eq(pqt_history_get_stats(history).bytes, pqt_map_get_stats(first).bytes +
                                                                pqt_map_get_stats(next).bytes -
                                                                pqt_map_shared_bytes(next, first));
    ck_assert(pqt_history_undo(history));
    ck_assert_ptr_eq(pqt_history_value(history), first);
    pqt_history_destroy(&history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("map");
    TCase *tests = tcase_create("map");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, an_empty_map_has_no_entries, 0, MAP_FORMS);
    tcase_add_loop_test(tests, a_key_of_the_other_kind_is_refused_and_named, 0, MAP_FORMS);
    tcase_add_loop_test(tests, a_value_of_the_other_kind_is_refused_and_its_key_is_named, 0,
                        MAP_FORMS);
    tcase_add_test(tests, the_name_of_a_long_key_is_cut);
    tcase_add_loop_test(tests, an_answer_of_the_other_kind_is_an_error, 0, MAP_FORMS);
    tcase_add_loop_test(tests, options_are_those_that_the_map_was_made_with, 0, MAP_FORMS);
    tcase_add_test(tests, invalid_options_are_refused);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_test(tests, the_last_value_of_a_key_is_found);
    tcase_add_test(tests, byte_strings_are_copied_and_compared_by_all_their_bytes);
    tcase_add_test(tests, the_size_of_a_key_that_is_an_id_is_ignored);
    tcase_add_test(tests, a_value_of_a_million_bytes_is_kept);
    tcase_add_loop_test(tests, edits_that_change_nothing_return_the_map_and_allocate_nothing, 0,
                        MAP_FORMS);
    tcase_add_loop_test(tests, a_batch_makes_no_block_that_is_not_in_its_result, 0, MAP_FORMS);
    tcase_add_test(tests, a_key_that_is_too_long_is_refused);
    tcase_add_loop_test(tests, a_visitor_that_returns_false_stops_the_visit, 0, MAP_FORMS);
    tcase_add_test(tests, entries_are_visited_in_ascending_order_of_hash);
    tcase_add_loop_test(tests, entries_are_visited_many_at_a_time_in_the_order_of_a_difference, 0,
                        MAP_FORMS);
    tcase_add_loop_test(tests, reading_allocates_nothing, 0, MAP_FORMS);
    tcase_add_loop_test(tests, the_fingerprint_of_an_entry_equals_a_recorded_one, 0, MAP_FORMS);
    tcase_add_test(tests, ids_are_the_inverse_of_their_keys);
    tcase_add_loop_test(tests, maps_of_different_kinds_are_not_equal, 0, MAP_FORMS);
    tcase_add_loop_test(tests, a_check_finds_a_word_that_was_overwritten, 0, MAP_FORMS);
    tcase_add_loop_test(tests, exclusive_bytes_are_those_that_the_edits_made, 0, MAP_FORMS);
    tcase_add_loop_test(tests, an_undecided_conflict_is_an_error_that_names_the_key, 0, MAP_FORMS);
    tcase_add_test(tests, an_invalid_resolution_is_an_error);
    tcase_add_test(tests, maps_of_different_kinds_or_memories_are_not_merged);
    tcase_add_loop_test(tests, a_change_of_one_side_is_taken_unchanged, 0, MAP_FORMS);
    tcase_add_loop_test(tests, a_copy_is_equal_and_lives_in_the_other_memory, 0, MAP_FORMS);
    tcase_add_loop_test(tests, copies_of_versions_share_what_the_versions_share, 0, MAP_FORMS);
    add_to_each(tests, a_pin_keeps_a_map);
    tcase_add_test(tests, a_head_returns_the_newest_map);
    tcase_add_loop_test(tests, a_history_of_maps_goes_back_and_counts_bytes, 0, MAP_FORMS);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
