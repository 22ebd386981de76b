/* SPDX-License-Identifier: MIT */
/* map_kind.c: the functions for maps that code for versions of any kind calls. */
#include "config.h"

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

const pqti_kind_calls pqti_map_calls = {
    .values = {sizeof(pqt_history_kind), "maps", memory_of_map, equal_maps, bytes_of_map, NULL,
               pqti_hold_version},
    .fingerprint = fingerprint_of_map,
    .check = check_map,
    .own_bytes = bytes_of_map,
};
