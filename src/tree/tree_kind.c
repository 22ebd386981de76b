/* SPDX-License-Identifier: MIT */
/* tree_kind.c: the functions for trees that code for versions of any kind calls. */
#include "config.h"

#include "memory/kind_calls.h"
#include "tree/node.h"

static pqt_memory *
memory_of_tree(const void *tree, void *context)
{
    (void)context;
    pqti_assert_alive(NULL, tree);
    return ((const pqt_tree *)tree)->domain->options.memory;
}

static bool
equal_trees(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_tree_equals(a, b);
}

static bool
bytes_of_tree(const void *tree, const void *const *others, size_t count, size_t *bytes,
              void *context)
{
    (void)context;
    return pqt_tree_exclusive_bytes(tree, (const pqt_tree *const *)others, count, bytes, NULL);
}

static pqt_fingerprint
fingerprint_of_tree(const void *tree)
{
    return pqt_tree_fingerprint(tree);
}

static bool
check_tree(const void *tree, pqt_error *error)
{
    return pqt_tree_check(tree, error);
}

const pqti_kind_calls pqti_tree_calls = {
    .values = {sizeof(pqt_history_kind), "trees", memory_of_tree, equal_trees, bytes_of_tree, NULL,
               pqti_hold_version},
    .fingerprint = fingerprint_of_tree,
    .check = check_tree,
    .own_bytes = bytes_of_tree,
};
