/* SPDX-License-Identifier: MIT */
/* tree_kind.c: the functions for trees that code for versions of any kind calls. */
#include "config.h"

#include <pqt/diff.h>
#include <pqt/merge.h>

#include "memory/kind_calls.h"
#include "tree/history/tree_history.h"
#include "tree/node.h"

static pqt_memory *
memory_of_tree(const void *tree, void *context)
{
    (void)context;
    pqti_assert_version(NULL, PQT_KIND_TREE, tree);
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

static uint64_t
count_in_tree(const void *tree)
{
    return pqt_tree_count(tree);
}

static bool
copy_trees(const void *const *versions, size_t count, pqt_memory *memory, const void **copies,
           pqt_error *error)
{
    return pqt_tree_copy_all((const pqt_tree *const *)versions, count, memory,
                             (const pqt_tree **)copies, error);
}

/* Passes differences on. */
typedef struct difference_visit {
    pqti_visit_difference_fn *visit;
    void *context;
} difference_visit;

static bool
visit_change(const pqt_change *change, void *context)
{
    const difference_visit *to = context;
    return to->visit(&(pqti_difference){.item = change}, to->context);
}

static bool
visit_tree_diff(const void *before, const void *after, pqti_visit_difference_fn *visit,
                void *context, pqt_error *error)
{
    difference_visit to = {visit, context};
    return pqt_tree_visit_diff(before, after, NULL, visit_change, &to, error);
}

static const void *
merge_trees(const void *base, const void *ours, const void *theirs, pqt_error *error)
{
    return pqt_tree_merge(base, ours, theirs, NULL, error);
}

static size_t
count_itself(const void *tree)
{
    (void)tree;
    return 1;
}

static const pqt_tree *
tree_itself(const void *tree, size_t position)
{
    (void)position;
    return tree;
}

static const char *
no_name(const void *tree, size_t position)
{
    (void)tree, (void)position;
    return NULL;
}

static bool
have_one_position(const void *a, const void *b, pqt_error *error)
{
    (void)a, (void)b, (void)error;
    return true;
}

static const pqti_inner_trees itself = {count_itself, tree_itself, no_name, have_one_position};

const pqti_kind_calls pqti_tree_calls = {
    .needs_mode = true,
    .values = {sizeof(pqt_history_kind), "trees", memory_of_tree, equal_trees, bytes_of_tree, NULL,
               pqti_hold_version},
    .fingerprint = fingerprint_of_tree,
    .check = check_tree,
    .count = count_in_tree,
    .copy_all = copy_trees,
    .visit_diff = visit_tree_diff,
    .merge = merge_trees,
    .trees = &itself,
    .index = &pqti_tree_index_calls,
    .own_bytes = bytes_of_tree,
};
