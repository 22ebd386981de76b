/* SPDX-License-Identifier: MIT */
/* diff_support.h: functions for tests of differences: expected differences, and trees of a million
 * items. */
#ifndef TEST_DIFF_SUPPORT_H
#define TEST_DIFF_SUPPORT_H

#include <pqt/diff.h>
#include <pqt/tree.h>

#include "options_support.h"
#include "random.h"
#include "tree_support.h"

enum { MILLION = 1000000, MOST_CHANGES = 64 };

typedef struct found_changes {
    pqt_change changes[MOST_CHANGES];
    size_t count;
    size_t stop_after; /* 0 means never */
} found_changes;

static inline bool
take_change(const pqt_change *change, void *context)
{
    found_changes *found = context;
    ck_assert_uint_lt(found->count, MOST_CHANGES);
    found->changes[found->count++] = *change;
    return found->count != found->stop_after;
}

static inline void
expect_changes(const found_changes *found, const pqt_change *changes, size_t count)
{
    ck_assert_uint_eq(found->count, count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(found->changes[i].kind, changes[i].kind);
        ck_assert(same_bits(found->changes[i].item, changes[i].item));
        if (changes[i].kind == PQT_MOVE)
            ck_assert(same_bits(boxed(found->changes[i].to, 0), boxed(changes[i].to, 0)));
    }
}

/* Returns a tree with the same items that shares no block with the given one. */
static inline const pqt_tree *
built_apart(const pqt_tree *tree)
{
    pqt_tree_options options = options_of_tree(tree);
    size_t count = pqt_tree_count(tree);
    pqt_item *items = malloc((count + 1) * sizeof *items);
    pqt_error error = {0};
    ck_assert_ptr_nonnull(items);
    pqt_tree_collect(tree, (pqt_query[]){query_of_all()}, items, count);
    const pqt_tree *apart = made(pqt_tree_bounds(tree), options);
    apart = pqt_tree_insert_all(apart, items, count, &error);
    free(items);
    ck_assert_uint_eq(pqt_tree_shared_bytes(must(apart, &error), tree), 0);
    return apart;
}

static inline const pqt_tree *
million_items(void)
{
    pqt_tree_options options = options_of(24, 24);
    pqt_error error = {0};
    dice d = {42};
    pqt_item *items = malloc(MILLION * sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < MILLION; i++) {
        double x = dice_real(&d) * 15.9, y = dice_real(&d) * 15.9;
        items[i] = boxed(box(x, y, x + dice_real(&d) * 0.016, y + dice_real(&d) * 0.016), i);
    }
    const pqt_tree *tree = made(world_box, options);
    tree = pqt_tree_insert_all(tree, items, MILLION, &error);
    free(items);
    return must(tree, &error);
}

#endif
