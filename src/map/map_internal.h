/* SPDX-License-Identifier: MIT */
/*
 * map_internal.h: a version of a map, and making one.
 *
 * Sources of this folder without a header of their own: map_check.c, map_copy.c, map_diff.c,
 * map_merge.c, map_stats.c.
 */
#ifndef PQTI_MAP_INTERNAL_H
#define PQTI_MAP_INTERNAL_H

#include <pqt/map.h>

#include "map/map_entry.h"
#include "memory/memory_internal.h"

struct pqt_map {
    pqt_memory *memory;
    const void *root; /* a block (map_entry.h); NULL: no entries */
    uint64_t kinds;   /* as in the head of each block */
    pqt_fingerprint fingerprint;
};

/* The bytes that a version asks for. */
enum { PQTI_MAP_SIZE = PQTI_ROUNDED(sizeof(struct pqt_map)) };

/* A version of these parts; NULL with PQT_ERROR_MEMORY on failure. */
const pqt_map *pqti_map_of(pqt_memory *memory, uint64_t kinds, const void *root, pqt_error *error);

/* The version with another root: `map` itself if it is the root that it has. */
const pqt_map *pqti_map_next(const pqt_map *map, const void *root, pqt_error *error);

/*
 * Whether a call that was handed `map` may go on: not with NULL, nor after a failure. NULL without
 * a failure is a mistake of the caller of `function`.
 */
bool pqti_map_check_input_in(const char *function, const pqt_map *map, pqt_error *error);
#define pqti_map_check_input(map, error) pqti_map_check_input_in(__func__, map, error)

/* pqt_map_visit_diff; *blocks is the number of blocks looked into. */
bool pqti_map_visit_diff(const pqt_map *before, const pqt_map *after, pqt_visit_map_diff_fn *visit,
                         void *context, size_t *blocks);

#endif
