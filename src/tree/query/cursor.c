/* SPDX-License-Identifier: MIT */
/*
 * cursor.c: window queries that return one item per call.
 *
 * A cursor traverses the tree like traverse.c, but pauses after each item. The path from the root
 * to the current leaf is a stack of nodes. Each entry stores the child to visit next: first the own
 * items, then the four quadrants. The stack has room for PQTI_MAX_DEPTH entries, the maximal number
 * of nodes on a path.
 */
#include "config.h"

#include <pqt/cursor.h>

#include "base/error_internal.h"
#include "tree/query/query_prep.h"

/* A node on the path, and the next of its children to visit. */
typedef struct cursor_step {
    const pqti_inner *node;
    uint32_t count;
    uint8_t next; /* 0: the own items; 1..4: quadrant next - 1; 5: done */
    /* true if the node belongs to the outliers, which are among the own items of the root */
    bool outliers;
    bool is_contained; /* true if all items below it are hits */
} cursor_step;

typedef struct cursor_state {
    pqti_window window;
    pqti_leaf_view leaf;
    uint32_t leaf_count, leaf_next; /* items from leaf_next on have not been tested yet */
    uint64_t hits; /* hits not returned yet, among the PQTI_SCAN_ITEMS items before leaf_next */
    bool leaf_is_contained;
    /* true if the path begins at the root, whose own items include the outliers */
    bool starts_at_root;
    int depth;
    cursor_step path[PQTI_MAX_DEPTH];
} __attribute__((may_alias)) cursor_state;

_Static_assert(sizeof(cursor_state) <= PQT_CURSOR_WORDS * sizeof(uint64_t),
               "the state of a cursor does not fit into the words of pqt_cursor");

static void
cursor_enter_node(cursor_state *c, pqti_node_ref ref, bool outliers, bool is_contained)
{
    if (ref.count == 0)
        return;
    if (ref.leaf) {
        pqti_stats_add_leaf(&c->window, is_contained ? 0 : ref.count);
        c->leaf = pqti_view(ref.at, ref.count);
        c->leaf_count = ref.count;
        c->leaf_next = 0;
        c->leaf_is_contained = is_contained;
        return;
    }
    pqti_stats_add_node(&c->window);
    if (ref.is_hash && !is_contained) {
        pqti_coverage coverage = pqti_classify(&c->window, ref.at);
        if (coverage == PQTI_COVERAGE_NONE)
            return;
        is_contained = coverage == PQTI_COVERAGE_ALL && c->window.filter == NULL;
    }
    PQT_INVARIANT(c->depth < PQTI_MAX_DEPTH, "a path is deeper than a tree can be");
    c->path[c->depth++] = (cursor_step){ref.at, ref.count, 0, outliers, is_contained};
}

/* Enters a quadrant if it may contain a hit. */
static void
enter_quadrant(cursor_state *c, cursor_step step, int i)
{
    if (!step.is_contained && !pqti_window_may_find(&c->window, step.outliers, step.node, i))
        return;
    bool is_contained =
        step.is_contained || pqti_window_contains(&c->window, step.outliers, step.node, i);
    cursor_enter_node(c, pqti_quadrant_ref(step.node, i), step.outliers, is_contained);
}

/* Moves to the next child of the last node on the path, or back up if there is none. */
static void
advance_path(cursor_state *c)
{
    cursor_step step = c->path[c->depth - 1];
    if (step.next > PQTI_QUADRANTS) {
        c->depth--;
        return;
    }
    bool is_root = c->depth == 1 && c->starts_at_root;
    c->path[c->depth - 1].next++;
    if (step.next > 0)
        enter_quadrant(c, step, step.next - 1);
    else
        cursor_enter_node(c, pqti_own_ref(step.node, step.count), step.outliers || is_root,
                          step.is_contained);
}

/* Tests the next block of items in the current leaf. Returns false if there is none. */
static bool
test_next_block(cursor_state *c)
{
    if (c->leaf_next >= c->leaf_count)
        return false;
    c->hits = c->leaf_is_contained ? pqti_all_of_scan(c->leaf_next, c->leaf_count)
                                   : pqti_hits(&c->window, &c->leaf, c->leaf_next, c->leaf_count);
    c->leaf_next += PQTI_SCAN_ITEMS;
    return true;
}

/* Finds the next hit in the current leaf. Returns false if there is none. */
static bool
next_in_leaf(cursor_state *c, pqt_item *item)
{
    do {
        for (; c->hits != 0; c->hits &= c->hits - 1) {
            uint32_t i = c->leaf_next - PQTI_SCAN_ITEMS + (uint32_t)__builtin_ctzll(c->hits);
            pqt_item found = pqti_view_item(c->leaf, i);
            if (!c->leaf_is_contained && !pqti_passes(&c->window, &found))
                continue;
            c->hits &= c->hits - 1;
            *item = found;
            return true;
        }
    } while (test_next_block(c));
    return false;
}

void
pqt_cursor_open(pqt_cursor *cursor, const pqt_tree *tree, const pqt_query *query)
{
    PQT_ASSERT(cursor != NULL && tree != NULL, "the cursor or the tree is NULL");
    pqti_assert_alive(__func__, tree);
    cursor_state *c = (cursor_state *)(void *)cursor->hidden;
    cursor->tree = tree;
    c->window = pqti_window_in(tree, query);
    c->leaf_count = c->leaf_next = 0;
    c->hits = 0;
    c->depth = 0;
    c->starts_at_root = !tree->skips;
    if (!c->window.empty)
        cursor_enter_node(c, pqti_root(tree), false, false);
}

bool
pqt_cursor_next(pqt_cursor *cursor, pqt_item *item)
{
    PQT_ASSERT(cursor != NULL && item != NULL, "the cursor or the item is NULL");
    cursor_state *c = (cursor_state *)(void *)cursor->hidden;
    while (!next_in_leaf(c, item)) {
        if (c->depth == 0)
            return false;
        pqti_assert_alive(__func__, cursor->tree);
        advance_path(c);
    }
    return true;
}
