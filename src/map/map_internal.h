/* SPDX-License-Identifier: MIT */
/*
 * map_internal.h: the struct for a version of a map, and functions that make versions.
 *
 * Sources of this folder without a header of their own: map_change.c, map_check.c, map_copy.c,
 * map_diff.c, map_draft.c, map_edit.c, map_kind.c, map_merge.c, map_stats.c.
 */
#ifndef PQTI_MAP_INTERNAL_H
#define PQTI_MAP_INTERNAL_H

#include <pqt/map.h>

#include "base/error_internal.h"
#include "map/map_entry.h"
#include "memory/memory_internal.h"

struct pqt_map {
    pqti_version version; /* its `own` is 0 */
    pqt_memory *memory;
    const void *root; /* a block (map_entry.h); NULL: the map is empty */
    uint64_t kinds;   /* the kinds, as in the head of each block */
    pqt_fingerprint fingerprint;
};

/* Abort the program if the map was reclaimed. `function` is the public function that received the
   map. The second function accepts the view of a draft, too. */
static inline void
pqti_assert_map_alive(const char *function, const pqt_map *map)
{
    pqti_assert_version(function, PQT_KIND_MAP, map);
}

static inline void
pqti_assert_map_readable(const char *function, const pqt_map *map)
{
    pqti_assert_readable(function, PQT_KIND_MAP, map);
}

extern const struct pqti_kind_calls pqti_map_calls; /* see kind_calls.h */

/* Checks the map that a public function reads. */
#define PQTI_ASSERT_MAP(map)                                                                       \
    (PQT_ASSERT((map) != NULL, "the map is NULL"), pqti_assert_map_readable(__func__, map))

/* The number of bytes that a version requests from the memory. */
enum { PQTI_MAP_SIZE = PQTI_ROUNDED(sizeof(struct pqt_map)) };

/* Makes a version. If out of memory, returns NULL and sets PQT_ERROR_MEMORY. */
const pqt_map *pqti_map_of(pqt_memory *memory, uint64_t kinds, const void *root, pqt_error *error);

/* Makes the subtree at a level from inserts, which are sorted by key and contain no key twice.
   Returns false if out of memory. */
bool pqti_map_build(pqt_memory *memory, uint64_t kinds, unsigned level, const pqti_map_edit *edits,
                    size_t count, const void **made);

/* An edit of a map in progress. `function` is the public function that was called. */
typedef struct pqti_map_editing {
    const char *function;
    pqti_map_home home;
    const void *root; /* the root and the fingerprint of the map so far */
    pqt_fingerprint sum;
    bool changed;
} pqti_map_editing;

/* Begins to edit a map. `owner` is that of a draft, or NULL. */
static inline pqti_map_editing
pqti_map_begin_editing(const char *function, const pqt_map *map, pqti_owner *owner)
{
    return (pqti_map_editing){
        function, {map->memory, owner, map->kinds}, map->root, map->fingerprint, false};
}

/* Apply one change, or a batch. Return false on failure, and then nothing has changed. */
bool pqti_map_change(pqti_map_editing *m, const pqt_map_change *change, pqt_error *error);
bool pqti_map_change_all(pqti_map_editing *m, const pqt_map_change *changes, size_t count,
                         pqt_error *error);

/* Apply one edit, or edits that are sorted by key and contain no key twice. Return false when out
   of memory, and then nothing has changed. */
bool pqti_map_edit_one(pqti_map_editing *m, const pqti_map_edit *edit);
bool pqti_map_edit_many(pqti_map_editing *m, const pqti_map_edit *edits, size_t count);

/* Like pqt_map_equals, for maps that may be on the stack. */
bool pqti_map_equals(const pqt_map *a, const pqt_map *b);

/*
 * Return true if the public `function` may continue: `map` is not NULL, and `error` holds no
 * earlier failure. If the map is NULL without an earlier failure, the caller has made a mistake,
 * and the program is aborted. The second function is for functions that only read, which accept the
 * view of a draft, too.
 */
bool pqti_map_check_input_in(const char *function, const pqt_map *map, pqt_error *error);
bool pqti_map_check_read_in(const char *function, const pqt_map *map, pqt_error *error);
#define pqti_map_check_input(map, error) pqti_map_check_input_in(__func__, map, error)
#define pqti_map_check_read(map, error) pqti_map_check_read_in(__func__, map, error)

/* Like pqt_map_visit_diff, but also sets *blocks to the number of blocks that were read. */
bool pqti_map_visit_diff(const pqt_map *before, const pqt_map *after, pqt_visit_map_diff_fn *visit,
                         void *context, size_t *blocks);

#endif
