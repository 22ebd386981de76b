/* SPDX-License-Identifier: MIT */
/*
 * merge_support.h: the expected results of merges of two or three versions, and functions that
 * resolve conflicts.
 */
#ifndef TEST_MERGE_SUPPORT_H
#define TEST_MERGE_SUPPORT_H

#include <pqt/merge.h>
#include <pqt/tree.h>

#include "tree_support.h"

static inline const pqt_tree *
merged(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_merge(base, ours, theirs, NULL, &error);
    return must(tree, &error);
}

static inline const pqt_tree *
united(const pqt_tree *a, const pqt_tree *b)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_union(a, b, NULL, &error);
    return must(tree, &error);
}

static inline const pqt_tree *
common_to(const pqt_tree *a, const pqt_tree *b)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_intersection(a, b, NULL, &error);
    return must(tree, &error);
}

static inline const pqt_tree *
without(const pqt_tree *a, const pqt_tree *b)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_difference(a, b, NULL, &error);
    return must(tree, &error);
}

static inline const pqt_tree *
restored_by_window(const pqt_tree *now, const pqt_tree *old, pqt_query query)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_restore(now, old, &query, &error);
    return must(tree, &error);
}

/* A rule that resolves conflicts, and a record of the conflicts that it received. */
typedef struct judge {
    pqt_resolution decision;
    pqt_items answer;
    size_t calls;
    uint64_t ids[8];
    size_t base_count, ours_count, theirs_count; /* the counts of the last conflict */
} judge;

static inline pqt_resolution
decide(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    judge *j = context;
    ck_assert_uint_eq(answer->count, 0);
    ck_assert_uint_lt(j->calls, 8);
    j->ids[j->calls++] = conflict->id;
    j->base_count = conflict->base.count;
    j->ours_count = conflict->ours.count;
    j->theirs_count = conflict->theirs.count;
    *answer = j->answer;
    return j->decision;
}

static inline pqt_merge_options
resolved_by(judge *j)
{
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = decide;
    options.context = j;
    return options;
}

#endif
