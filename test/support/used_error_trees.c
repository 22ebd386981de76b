/* SPDX-License-Identifier: MIT */
/* used_error_trees.c: cases of used_error.h for trees, and for what is computed from them. */
#include "config.h"

#include <pqt/convex.h>
#include <pqt/diff.h>
#include <pqt/draft.h>
#include <pqt/merge.h>
#include <pqt/pairs.h>
#include <pqt/sync.h>
#include <pqt/tree.h>

#include "used_error.h"

static const pqt_box bounds = {{-1, 0}, {40, 40}}, new_box = {{2, 3}, {5, 6}};
static const pqt_item new_items[] = {{{{2, 3}, {5, 6}}, 100}, {{{7, 7}, {8, 9}}, 101}};
static const pqt_query window = {.window = {{0, 0}, {20, 20}}, .relation = PQT_TOUCHES};

static pqt_item
own_item(void)
{
    pqt_item item = {0};
    pqt_tree_find(sample.tree, 4, &item);
    return item;
}

/* ---- Trees ---- */

CASE(pqt_tree_make)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = sample.memory;
    return VERSION(pqt_tree_make(bounds, &options, error));
}

CASE(pqt_tree_of)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = sample.memory;
    return VERSION(pqt_tree_of(new_items, 2, &options, error));
}

CASE(pqt_tree_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const outcome result = VERSION(pqt_tree_copy(sample.tree, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_tree_copy_all)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_tree *const trees[] = {sample.tree, sample.next_tree};
    const pqt_tree *copies[2] = {NULL, NULL};
    const bool done = DONE(pqt_tree_copy_all(trees, 2, other, copies, error));
    const uint64_t value = number_of(copies[0]) ^ number_of(copies[1]);
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_tree_insert)
{
    return VERSION(pqt_tree_insert(sample.tree, new_items[0], error));
}

CASE(pqt_tree_insert_all)
{
    return VERSION(pqt_tree_insert_all(sample.tree, new_items, 2, error));
}

CASE(pqt_tree_remove)
{
    return VERSION(pqt_tree_remove(sample.tree, own_item(), error));
}

CASE(pqt_tree_remove_all)
{
    const pqt_item item = own_item();
    return VERSION(pqt_tree_remove_all(sample.tree, &item, 1, error));
}

CASE(pqt_tree_remove_id)
{
    return VERSION(pqt_tree_remove_id(sample.tree, 4, error));
}

CASE(pqt_tree_move)
{
    return VERSION(pqt_tree_move(sample.tree, own_item(), new_box, error));
}

CASE(pqt_tree_move_id)
{
    return VERSION(pqt_tree_move_id(sample.tree, 4, new_box, error));
}

CASE(pqt_tree_apply)
{
    const pqt_change changes[] = {{.kind = PQT_INSERT, .item = new_items[0]},
                                  {.kind = PQT_REMOVE, .item = own_item()}};
    return VERSION(pqt_tree_apply(sample.tree, changes, 2, error));
}

CASE(pqt_tree_clear)
{
    return VERSION(pqt_tree_clear(sample.tree, error));
}

CASE(pqt_tree_search)
{
    return VERSION(pqt_tree_search(sample.tree, &window, error));
}

CASE(pqt_tree_check)
{
    return (outcome){DONE(pqt_tree_check(sample.tree, error)), 0};
}

CASE(pqt_tree_exclusive_bytes)
{
    size_t bytes = 0;
    const bool done =
        DONE(pqt_tree_exclusive_bytes(sample.next_tree, &sample.tree, 1, &bytes, error));
    return (outcome){done, bytes};
}

/* ---- Differences, merges, pairs ---- */

static bool
count_change(const pqt_change *change, void *context)
{
    uint64_t *count = context;
    *count += 1 + (uint64_t)change->kind;
    return true;
}

CASE(pqt_tree_visit_diff)
{
    uint64_t count = 0;
    const bool done =
        DONE(pqt_tree_visit_diff(sample.tree, sample.next_tree, NULL, count_change, &count, error));
    return (outcome){done, count};
}

CASE(pqt_diff_collect)
{
    pqt_change changes[4];
    size_t count = 0;
    const bool done =
        DONE(pqt_diff_collect(sample.tree, sample.next_tree, NULL, changes, 4, &count, error));
    return (outcome){done, count};
}

CASE(pqt_diff_damage)
{
    pqt_box boxes[4];
    size_t count = 0;
    const bool done =
        DONE(pqt_diff_damage(sample.tree, sample.next_tree, NULL, boxes, 4, &count, error));
    return (outcome){done, count};
}

static const pqt_tree *
third_tree(void)
{
    const pqt_tree *third = pqt_tree_insert(sample.tree, new_items[1], NULL);
    ck_assert_ptr_nonnull(third);
    return third;
}

CASE(pqt_tree_merge)
{
    const pqt_tree *third = third_tree();
    return VERSION(pqt_tree_merge(sample.tree, sample.next_tree, third, NULL, error));
}

CASE(pqt_tree_union)
{
    const pqt_tree *third = third_tree();
    return VERSION(pqt_tree_union(sample.tree, third, NULL, error));
}

CASE(pqt_tree_intersection)
{
    const pqt_tree *third = third_tree();
    return VERSION(pqt_tree_intersection(sample.tree, third, NULL, error));
}

CASE(pqt_tree_difference)
{
    const pqt_tree *third = third_tree();
    return VERSION(pqt_tree_difference(third, sample.tree, NULL, error));
}

CASE(pqt_tree_restore)
{
    return VERSION(pqt_tree_restore(sample.next_tree, sample.tree, &window, error));
}

static bool
count_pair(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    uint64_t *count = context;
    *count += (uint64_t)change + a->id + b->id;
    return true;
}

CASE(pqt_pairs_visit_changes)
{
    uint64_t count = 0;
    const pqt_pair_query query = {.relation = PQT_TOUCHES};
    const bool done = DONE(
        pqt_pairs_visit_changes(sample.tree, sample.next_tree, &query, count_pair, &count, error));
    return (outcome){done, count};
}

/* ---- Synchronisation ---- */

/* Reads from the tree to which `context` points. */
static bool
fetch_digest(const pqt_sync_path *path, pqt_sync_digest *digest, void *context)
{
    const pqt_tree **other = context;
    *digest = pqt_sync_digest_of(*other, *path);
    return true;
}

static bool
count_mismatch(const pqt_sync_mismatch *cell, void *context)
{
    uint64_t *count = context;
    *count += 1 + cell->own.count;
    return true;
}

CASE(pqt_sync_find)
{
    uint64_t count = 0;
    const pqt_tree *other = sample.next_tree;
    const pqt_sync_peer peer = {fetch_digest, NULL, &other};
    const bool done = DONE(pqt_sync_find(sample.tree, &peer, count_mismatch, &count, error));
    return (outcome){done, count};
}

/* ---- Convexes ---- */

static outcome
convex_outcome(bool done, const pqt_convex *convex)
{
    return (outcome){done, done ? (uint64_t)(1000 * pqt_convex_box(convex).max.x) : 0};
}

CASE(pqt_convex_from_points)
{
    const pqt_vec points[] = {{0, 0}, {4, 0}, {0, 3}};
    pqt_convex convex;
    const bool done = DONE(pqt_convex_from_points(points, 3, 1, &convex, error));
    return convex_outcome(done, &convex);
}

CASE(pqt_convex_from_box)
{
    pqt_convex convex;
    const bool done = DONE(pqt_convex_from_box(new_box, 1, &convex, error));
    return convex_outcome(done, &convex);
}

CASE(pqt_convex_from_oriented_box)
{
    pqt_convex convex;
    const bool done = DONE(pqt_convex_from_oriented_box((pqt_vec){1, 2}, (pqt_vec){2, 1},
                                                        (pqt_vec){3, 4}, 0, &convex, error));
    return convex_outcome(done, &convex);
}

CASE(pqt_convex_from_segment)
{
    pqt_convex convex;
    const bool done =
        DONE(pqt_convex_from_segment((pqt_segment){{0, 0}, {3, 4}}, 2, &convex, error));
    return convex_outcome(done, &convex);
}

/* ---- Drafts ---- */

/* Returns the outcome of an edit of a draft of the sample, and destroys the draft. */
static outcome
edited(pqt_draft *draft, bool done)
{
    const uint64_t value = pqt_tree_fingerprint(pqt_draft_view(draft)).low;
    pqt_draft_destroy(&draft);
    return (outcome){done, value};
}

static pqt_draft *
new_draft(void)
{
    pqt_draft *draft = pqt_draft_begin(sample.tree, NULL);
    ck_assert_ptr_nonnull(draft);
    return draft;
}

CASE(pqt_draft_begin)
{
    pqt_draft *draft = OWN(pqt_draft_begin(sample.tree, error));
    const bool done = draft != NULL;
    pqt_draft_destroy(&draft);
    return (outcome){done, 0};
}

CASE(pqt_draft_insert)
{
    pqt_draft *draft = new_draft();
    return edited(draft, DONE(pqt_draft_insert(draft, new_items[0], error)));
}

CASE(pqt_draft_remove)
{
    pqt_draft *draft = new_draft();
    return edited(draft, DONE(pqt_draft_remove(draft, own_item(), error)));
}

CASE(pqt_draft_remove_id)
{
    pqt_draft *draft = new_draft();
    return edited(draft, DONE(pqt_draft_remove_id(draft, own_item().id, error)));
}

CASE(pqt_draft_move)
{
    pqt_draft *draft = new_draft();
    return edited(draft, DONE(pqt_draft_move(draft, own_item(), new_items[0].box, error)));
}

CASE(pqt_draft_move_id)
{
    pqt_draft *draft = new_draft();
    return edited(draft, DONE(pqt_draft_move_id(draft, own_item().id, new_items[0].box, error)));
}

CASE(pqt_draft_apply)
{
    pqt_draft *draft = new_draft();
    const pqt_change change = {.kind = PQT_INSERT, .item = new_items[0]};
    return edited(draft, DONE(pqt_draft_apply(draft, &change, 1, error)));
}

CASE(pqt_draft_snapshot)
{
    pqt_draft *draft = new_draft();
    ck_assert(pqt_draft_insert(draft, new_items[0], NULL));
    const outcome made = VERSION(pqt_draft_snapshot(draft, error));
    pqt_draft_destroy(&draft);
    return made;
}

const error_case error_cases_of_trees[] = {
    HAS(pqt_tree_make),
    HAS(pqt_tree_of),
    HAS(pqt_tree_copy),
    HAS(pqt_tree_copy_all),
    HAS(pqt_tree_insert),
    HAS(pqt_tree_insert_all),
    HAS(pqt_tree_remove),
    HAS(pqt_tree_remove_all),
    HAS(pqt_tree_remove_id),
    HAS(pqt_tree_move),
    HAS(pqt_tree_move_id),
    HAS(pqt_tree_apply),
    HAS(pqt_tree_clear),
    HAS(pqt_draft_begin),
    HAS(pqt_draft_insert),
    HAS(pqt_draft_remove),
    HAS(pqt_draft_remove_id),
    HAS(pqt_draft_move),
    HAS(pqt_draft_move_id),
    HAS(pqt_draft_apply),
    HAS(pqt_draft_snapshot),
    HAS(pqt_tree_search),
    HAS(pqt_tree_check),
    HAS(pqt_tree_exclusive_bytes),
    HAS(pqt_tree_visit_diff),
    HAS(pqt_diff_collect),
    HAS(pqt_diff_damage),
    HAS(pqt_tree_merge),
    HAS(pqt_tree_union),
    HAS(pqt_tree_intersection),
    HAS(pqt_tree_difference),
    HAS(pqt_tree_restore),
    HAS(pqt_pairs_visit_changes),
    HAS(pqt_sync_find),
    HAS(pqt_convex_from_points),
    HAS(pqt_convex_from_box),
    HAS(pqt_convex_from_oriented_box),
    HAS(pqt_convex_from_segment),
};
const size_t error_case_count_of_trees = sizeof error_cases_of_trees / sizeof *error_cases_of_trees;
