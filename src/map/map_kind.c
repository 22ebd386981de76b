/* SPDX-License-Identifier: MIT */
/* map_kind.c: the functions for maps that code for versions of any kind calls. */
#include "config.h"

#include "base/error_internal.h"
#include "memory/kind_calls.h"
#include "map/map_internal.h"

static pqt_memory *
memory_of_map(const void *map, void *context)
{
    (void)context;
    pqti_assert_map_alive(NULL, map);
    return ((const pqt_map *)map)->memory;
}

static bool
equal_maps(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_map_equals(a, b);
}

static bool
bytes_of_map(const void *map, const void *const *others, size_t count, size_t *bytes, void *context)
{
    (void)context;
    return pqt_map_exclusive_bytes(map, (const pqt_map *const *)others, count, bytes, NULL);
}

static pqt_fingerprint
fingerprint_of_map(const void *map)
{
    return pqt_map_fingerprint(map);
}

static bool
check_map(const void *map, pqt_error *error)
{
    return pqt_map_check(map, error);
}

static uint64_t
count_in_map(const void *map)
{
    return pqt_map_count(map);
}

static bool
copy_maps(const void *const *versions, size_t count, pqt_memory *memory, const void **copies,
          pqt_error *error)
{
    return pqt_map_copy_all((const pqt_map *const *)versions, count, memory,
                            (const pqt_map **)copies, error);
}

/* Passes differences on. */
typedef struct difference_visit {
    pqti_visit_difference_fn *visit;
    void *context;
} difference_visit;

static bool
visit_entry(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
            void *context)
{
    const difference_visit *to = context;
    return to->visit(&(pqti_difference){.key = key, .value = before, .to_value = after},
                     to->context);
}

static bool
visit_map_diff(const void *before, const void *after, pqti_visit_difference_fn *visit,
               void *context, pqt_error *error)
{
    difference_visit to = {visit, context};
    if (((const pqt_map *)before)->kinds == ((const pqt_map *)after)->kinds)
        return pqt_map_visit_diff(before, after, visit_entry, &to);
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the maps' kinds of keys or values differ");
    return false;
}

static const void *
merge_maps(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    return pqt_map_merge(base, ours, theirs, NULL, error);
}

const pqti_kind_calls pqti_map_calls = {
    .values = {sizeof(pqt_history_kind), "maps", memory_of_map, equal_maps, bytes_of_map, NULL,
               pqti_hold_version},
    .fingerprint = fingerprint_of_map,
    .check = check_map,
    .count = count_in_map,
    .copy_all = copy_maps,
    .visit_diff = visit_map_diff,
    .merge = merge_maps,
    .own_bytes = bytes_of_map,
};
