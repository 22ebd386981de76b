/* SPDX-License-Identifier: MIT */
/* map_diff.c: visits the difference between two versions of a map. */
#include "config.h"

#include "map/map_internal.h"

#include "base/error_internal.h"

#define TRIE_COMPARES
#define TRIE_DIFFS
#include "map/map_trie.h"

typedef struct map_diff {
    pqt_visit_map_diff_fn *visit;
    void *context;
} map_diff;

static bool
visit_change(const trie_slice *before, const trie_slice *after, void *context)
{
    const map_diff *d = context;
    const bool was = before->count > 0, is = after->count > 0;
    const pqt_map_key key = pqti_map_public_key(was ? &before->entries : &after->entries);
    pqt_map_value old = {0}, new = {0};
    if (was)
        old = pqti_map_public_value(&before->entries);
    if (is)
        new = pqti_map_public_value(&after->entries);
    return d->visit(&key, was ? &old : NULL, is ? &new : NULL, d->context);
}

bool
pqti_map_visit_diff(const pqt_map *before, const pqt_map *after, pqt_visit_map_diff_fn *visit,
                    void *context, size_t *blocks)
{
    map_diff d = {visit, context};
    const trie_slice whole_before = trie_slice_of(before->root);
    const trie_slice whole_after = trie_slice_of(after->root);
    *blocks = 0;
    return trie_diff(&whole_before, &whole_after, 0, visit_change, &d, blocks);
}

bool
pqt_map_visit_diff(const pqt_map *before, const pqt_map *after, pqt_visit_map_diff_fn *visit,
                   void *context)
{
    PQT_ASSERT(before != NULL && after != NULL && visit != NULL, "a map or the visitor is NULL");
    pqti_assert_map_readable(__func__, before);
    pqti_assert_map_readable(__func__, after);
    PQT_ASSERT(before->kinds == after->kinds, "the maps have keys or values of different kinds");
    size_t blocks;
    return pqti_map_visit_diff(before, after, visit, context, &blocks);
}
