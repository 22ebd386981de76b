/* SPDX-License-Identifier: MIT */
/* build_trusted.c - a tree of many items at once, where all of them are new. */
#include "config.h"

#include "tree/build_trusted.h"

#include "memory/memory_internal.h"
#include "tree/node_build.h"
#include "tree/tree_internal.h"

const pqt_tree *
pqti_tree_anew(const pqt_tree *like, const pqt_item *items, size_t count, pqt_error *error)
{
    const pqti_space *space = like->space;
    pqti_entry *entries = pqti_scratch(count, 2 * sizeof *entries);
    const pqt_tree *tree = NULL;
    pqt_fingerprint sum = {0, 0};
    pqti_ref root;
    for (size_t i = 0; entries != NULL && i < count; i++)
        entries[i] = pqti_entry_of(space, &items[i], i);
    if (entries != NULL)
        pqti_sort(entries, count, entries + count, items);
    if (entries != NULL && pqti_build(space, PQTI_ROOT, items, entries, count, &root, &sum))
        tree = pqti_version_of(space, root, sum, NULL, error);
    else
        pqti_out_of_memory(error);
    pqti_scratch_free(entries);
    return tree;
}
