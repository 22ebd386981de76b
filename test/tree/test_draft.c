/* SPDX-License-Identifier: MIT */
/*
 * test_draft.c: tests drafts: random edits compared with a plain array in every memory, costs,
 * failures and misuse. test_draft_threads.c tests drafts while other threads work.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "compare_trees.h"
#include "hooks.h"
#include "memory/heap_internal.h"
#include "plain_model.h"
#include "random.h"
#include "suite.h"
#include "tree/draft_state.h"
#include "tree_bounds.h"
#include "tree_support.h"

/* ---- Random edits ---- */

enum { OPERATIONS = 20000, RUN_OPERATIONS = 400, KEPT = 12, BATCH = 300 };

/* In a sliced heap, a slice of a cycle precedes each allocation, and slices are between edits. In
   the others, a collection or a whole cycle is between some edits. */
typedef enum memories { ARENA, COLLECTOR, HEAP, SLICED_HEAP, MEMORIES } memories;

/* A snapshot, or the version that the draft was begun from, and what it holds. */
typedef struct kept {
    pqt_pin *pin;
    model m;
} kept;

typedef struct run {
    memories kind;
    uint64_t seed;
    dice d;
    size_t operation;
    const world *world;
    box_layout layout;
    size_t ids, most;
    pqt_memory *memory;
    pqt_draft *draft;
    model m;
    const pqt_tree *beside; /* the version that the same edits of versions make, in an arena */
    kept kept[KEPT];
} run;

static void
broken(const run *r, const char *what)
{
    ck_abort_msg("PQT_SEED=%" PRIu64 ": operation %zu in %s, %s: capacity %zu, depth %d%s, %zu "
                 "items: %s",
                 r->seed, r->operation, r->world->name, box_layout_name(r->layout), r->m.capacity,
                 r->m.depth, r->m.unique ? ", unique ids" : "", r->m.count, what);
}

static void
expect(const run *r, bool right, const char *what)
{
    if (!right)
        broken(r, what);
}

static pqt_memory *
memory_of(memories kind)
{
    if (kind == COLLECTOR)
        return pqt_collector();
    return kind == ARENA ? pqt_arena_make(0, NULL) : pqt_heap_make(NULL, NULL);
}

static void
drop_memory(memories kind, pqt_memory *memory)
{
    if (kind == ARENA)
        pqt_arena_destroy(&memory);
    else if (kind != COLLECTOR)
        pqt_heap_destroy(&memory);
}

static pqt_tree_options
draw_options(run *r)
{
    static const int capacities[] = {1, 2, 3, 24, 24, 64, 70};
    static const int depths[] = {0, 2, 8, 24, 24, 32};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacities[dice_below(&r->d, 7)];
    options.max_depth = depths[dice_below(&r->d, 6)];
    options.unique_ids = dice_chance(&r->d, 40);
    options.memory = r->memory;
    return options;
}

/* Makes a cycle of the heap due, whatever it has allocated, and runs a part of it. */
static void
reclaim_some(run *r, size_t most)
{
    pqti_heap *heap = (pqti_heap *)r->memory;
    heap->is_full = heap->is_full || dice_chance(&r->d, 30);
    (void)pqt_memory_reclaim(r->memory, 1 + dice_below(&r->d, most));
}

static pqt_box
draw_new_box(run *r)
{
    if (r->m.count > 0 && dice_chance(&r->d, 10))
        return r->m.items[dice_below(&r->d, r->m.count)].box;
    return draw_box(&r->d, r->world->bounds, r->layout);
}

static pqt_item
draw_item(run *r, bool old)
{
    if (old && r->m.count > 0 && dice_chance(&r->d, 90))
        return r->m.items[dice_below(&r->d, r->m.count)];
    return (pqt_item){draw_new_box(r), dice_below(&r->d, r->ids)};
}

/* Most moves are small, so that they stay in their leaf. */
static pqt_box
draw_target(run *r, pqt_box from)
{
    const pqt_box bounds = r->world->bounds;
    const double by = (dice_real(&r->d) - 0.5) * (bounds.max.x / 2 - bounds.min.x / 2) * 0x1p-6;
    const pqt_box to = {{from.min.x + by, from.min.y}, {from.max.x + by, from.max.y}};
    return dice_chance(&r->d, 60) && pqt_box_is_valid(to) ? to : draw_new_box(r);
}

static pqt_change
draw_change(run *r)
{
    static const pqt_change_kind kinds[] = {PQT_MOVE, PQT_MOVE, PQT_MOVE_ID, PQT_REMOVE,
                                            PQT_REMOVE_ID};
    pqt_change change = {.kind = PQT_INSERT};
    const size_t inserts = r->m.count < r->most ? 35 : 15;
    if (!dice_chance(&r->d, inserts))
        change.kind = kinds[dice_below(&r->d, 5)];
    if (!r->m.unique && change.kind == PQT_MOVE_ID)
        change.kind = PQT_MOVE;
    if (!r->m.unique && change.kind == PQT_REMOVE_ID)
        change.kind = PQT_REMOVE;
    change.item = draw_item(r, change.kind != PQT_INSERT || dice_chance(&r->d, 5));
    change.to = draw_target(r, change.item.box);
    return change;
}

static bool
change_draft(pqt_draft *draft, const pqt_change *change, pqt_error *error)
{
    switch (change->kind) {
    case PQT_INSERT:
        return pqt_draft_insert(draft, change->item, error);
    case PQT_REMOVE:
        return pqt_draft_remove(draft, change->item, error);
    case PQT_MOVE:
        return pqt_draft_move(draft, change->item, change->to, error);
    case PQT_REMOVE_ID:
        return pqt_draft_remove_id(draft, change->item.id, error);
    default:
        return pqt_draft_move_id(draft, change->item.id, change->to, error);
    }
}

static void
change_one(run *r)
{
    pqt_error error = {0};
    const pqt_change change = draw_change(r);
    const model_result must = model_apply(&r->m, &change, 1);
    expect(r, must.status == PQT_OK, "the model refuses a change");
    expect(r, change_draft(r->draft, &change, &error), error.text);
    r->beside = change_tree(r->beside, &change, &error);
    expect(r, r->beside != NULL, error.text);
}

static void
change_many(run *r)
{
    pqt_error error = {0};
    pqt_change changes[BATCH] = {0};
    const size_t most = dice_chance(&r->d, 50) ? 10 : BATCH, count = dice_below(&r->d, most + 1);
    for (size_t i = 0; i < count; i++)
        changes[i] = draw_change(r);
    (void)model_apply(&r->m, changes, count);
    expect(r, pqt_draft_apply(r->draft, count > 0 ? changes : NULL, count, &error), error.text);
    r->beside = pqt_tree_apply(r->beside, count > 0 ? changes : NULL, count, &error);
    expect(r, r->beside != NULL, error.text);
}

/* An edit that must be refused changes nothing. */
static void
change_badly(run *r)
{
    pqt_error error = {0};
    pqt_change changes[] = {draw_change(r), draw_change(r)};
    changes[1].kind = PQT_INSERT;
    changes[1].item.box.min.x = NAN;
    expect(r, !pqt_draft_apply(r->draft, changes, 2, &error), "a bad batch is accepted");
    expect(r, error.status == PQT_ERROR_BOX && error.index == 1, error.text);
    expect(r, !pqt_draft_insert(r->draft, changes[1].item, &error), "a bad item is accepted");
}

static void
check_kept(run *r, const kept *k)
{
    pqt_error error = {0};
    complaint why;
    if (k->pin == NULL)
        return;
    const pqt_tree *tree = pqt_pin_get_tree(k->pin);
    if (!check_version(&k->m, tree, &why))
        broken(r, why.text);
    expect(r, pqt_tree_check(tree, &error), error.text);
    expect(r, pqt_tree_equals(tree, r->beside) == model_equals(&k->m, &r->m), "equals is wrong");
}

static void
drop_kept(kept *k)
{
    if (k->pin == NULL)
        return;
    pqt_unpin(&k->pin);
    model_free(&k->m);
}

static void
keep_version(run *r, const pqt_tree *version)
{
    kept *k = &r->kept[dice_below(&r->d, KEPT)];
    drop_kept(k);
    *k = (kept){pqt_tree_pin(version, NULL), model_copy(&r->m)};
    expect(r, k->pin != NULL, "pin");
}

static void
take_snapshot(run *r)
{
    pqt_error error = {0};
    expect(r, pqt_scope_begin(r->memory, &error), error.text);
    const pqt_tree *version = pqt_draft_snapshot(r->draft, &error);
    expect(r, version != NULL, error.text);
    expect(r, pqt_draft_snapshot(r->draft, &error) == version, "two snapshots of one state differ");
    expect(r, pqt_tree_equals(version, r->beside), "a snapshot does not equal its version");
    keep_version(r, version);
    pqt_scope_end(r->memory);
}

/* Destroys the draft, and begins another one of any version that is kept. */
static void
begin_again(run *r)
{
    pqt_error error = {0};
    const kept *k = &r->kept[dice_below(&r->d, KEPT)];
    if (k->pin == NULL)
        return;
    pqt_draft_destroy(&r->draft);
    r->draft = pqt_draft_begin(pqt_pin_get_tree(k->pin), &error);
    expect(r, r->draft != NULL, error.text);
    model_free(&r->m);
    r->m = model_copy(&k->m);
    r->beside = pqt_tree_copy(pqt_pin_get_tree(k->pin), pqt_tree_memory(r->beside), &error);
    expect(r, r->beside != NULL, error.text);
}

static void
check_view(run *r)
{
    pqt_error error = {0};
    complaint why;
    const pqt_tree *view = pqt_draft_view(r->draft);
    expect(r, pqt_tree_equals(view, r->beside), "the view does not equal the version");
    expect(r, same_fingerprint(pqt_tree_fingerprint(view), pqt_tree_fingerprint(r->beside)),
           "the fingerprint of the view is wrong");
    if (!check_version(&r->m, view, &why))
        broken(r, why.text);
    if (r->operation % 4 == 0)
        expect(r, pqt_tree_check(view, &error), error.text);
    built_tree *built = model_build(&r->m);
    pqt_query query = query_of(draw_window(&r->d, r->world->bounds, r->layout), PQT_TOUCHES);
    if (!check_query(built, view, query, &why))
        broken(r, why.text);
    built_free(built);
}

static void
collect_some(run *r)
{
    if (r->kind == SLICED_HEAP)
        reclaim_some(r, 200);
    else if (dice_chance(&r->d, 20))
        pqti_collect(r->memory);
}

static void
operate(run *r)
{
    const size_t which = dice_below(&r->d, 1000);
    if (which < 800)
        change_one(r);
    else if (which < 860)
        change_many(r);
    else if (which < 880)
        change_badly(r);
    else if (which < 960)
        take_snapshot(r);
    else if (which < 970)
        begin_again(r);
    else
        check_kept(r, &r->kept[dice_below(&r->d, KEPT)]);
    if (dice_chance(&r->d, 40))
        check_view(r);
}

/* The hook of sliced heaps. */
static bool
reclaim_at_allocation(pqti_block kind, size_t size, void *context)
{
    (void)kind;
    (void)size;
    reclaim_some(context, 40);
    return true;
}

static void
operate_in(run *r)
{
    if (r->kind == SLICED_HEAP)
        pqti_set_allocation_hook(reclaim_at_allocation, r);
    operate(r);
    pqti_set_allocation_hook(NULL, NULL);
    if (r->kind != ARENA)
        collect_some(r);
}

static void
start(run *r, uint64_t seed, memories kind)
{
    pqt_error error = {0};
    *r = (run){.kind = kind, .seed = seed, .d = {seed}};
    r->world = &worlds[dice_below(&r->d, worlds_count)];
    r->layout = (box_layout)dice_below(&r->d, BOX_LAYOUTS);
    r->memory = memory_of(kind);
    pqt_tree_options options = draw_options(r);
    r->most = (size_t)options.leaf_capacity * 4 + dice_below(&r->d, 400);
    r->ids = r->most * 2;
    r->m = model_make(r->world->bounds, &options);
    expect(r, pqt_scope_begin(r->memory, &error), error.text);
    const pqt_tree *first = pqt_tree_make(r->world->bounds, &options, &error);
    r->draft = pqt_draft_begin(first, &error);
    expect(r, r->draft != NULL, error.text);
    keep_version(r, first);
    pqt_scope_end(r->memory);
    options.memory = arena;
    r->beside = pqt_tree_make(r->world->bounds, &options, &error);
}

static void
finish(run *r)
{
    pqt_draft_destroy(&r->draft);
    for (size_t i = 0; i < KEPT; i++) {
        check_kept(r, &r->kept[i]);
        drop_kept(&r->kept[i]);
    }
    model_free(&r->m);
    drop_memory(r->kind, r->memory);
}

START_TEST(random_edits_agree_with_a_plain_array_and_with_versions)
{
    const memories kind = (memories)_i;
    static run r;
    if (kind == COLLECTOR && pqt_collector() == NULL)
        return;
    uint64_t seed = test_seed("random_edits_agree_with_a_plain_array_and_with_versions");
    const size_t operations = test_scaled(OPERATIONS);
    for (size_t done = 0; done < operations; seed++) {
        start(&r, seed, kind);
        for (; r.operation < RUN_OPERATIONS && done < operations; r.operation++, done++)
            operate_in(&r);
        finish(&r);
    }
}
END_TEST

/* ---- Costs ---- */

enum { SIDE = 40 };

/* Moves dot i of a grid to and fro. */
static pqt_change
nudge(size_t i, bool back)
{
    const pqt_item item = dot_of_grid(SIDE, i);
    const pqt_box to = point(item.box.min.x + 0x1p-10, item.box.min.y);
    return back ? moving(boxed(to, item.id), item.box) : moving(item, to);
}

static void
nudge_draft(pqt_draft *draft, size_t i, bool back)
{
    pqt_error error = {0};
    const pqt_change change = nudge(i, back);
    require(change_draft(draft, &change, &error), error.text);
}

static const pqt_tree *
grid_of(bool unique)
{
    pqt_tree_options options = options_of(24, 24);
    options.unique_ids = unique;
    return with_grid(made(world_box, options), SIDE);
}

/* Leaves of up to 960 bytes, of up to 2560 bytes, and of up to 40 KiB. */
static const int grid_capacities[] = {24, 64, PQT_MAX_CAPACITY};
enum { GRIDS = 2 * sizeof grid_capacities / sizeof *grid_capacities };

/* Returns one of GRIDS grids: each capacity, with unique ids or without. */
static const pqt_tree *
grid_in(pqt_memory *memory, int which)
{
    pqt_tree_options options = options_of(grid_capacities[which / 2], 24);
    options.unique_ids = which % 2 == 1;
    options.memory = memory;
    return with_grid(pqt_tree_make(world_box, &options, NULL), SIDE);
}

START_TEST(edits_of_what_a_draft_has_made_allocate_nothing)
{
    const memories kind = (memories)(_i % SLICED_HEAP);
    pqt_memory *memory = kind == ARENA ? arena : memory_of(kind);
    if (memory == NULL)
        return;
    pqt_draft *draft = pqt_draft_begin(grid_in(memory, _i / SLICED_HEAP), NULL);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 2 * SIDE * SIDE; i++)
            nudge_draft(draft, i / 2, i % 2 == 1);
    hooks watch = {0};
    hooks_start(&watch);
    for (size_t i = 0; i < 2 * SIDE * SIDE; i++)
        nudge_draft(draft, i / 2, i % 2 == 1);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    pqt_draft_destroy(&draft);
    if (kind == HEAP)
        pqt_heap_destroy(&memory);
}
END_TEST

/* Counts the bytes of edits, of which each makes a version. */
static size_t
bytes_of_versions(const pqt_tree *tree, size_t count)
{
    hooks watch = {0};
    hooks_start(&watch);
    for (size_t i = 0; i < count; i++) {
        const pqt_change change = nudge(i / 2 % (SIDE * SIDE), i % 2 == 1);
        tree = change_tree(tree, &change, NULL);
    }
    hooks_stop();
    return hooks_kept_bytes(&watch);
}

START_TEST(a_snapshot_after_each_edit_takes_no_more_bytes_than_a_version)
{
    enum { SNAPSHOTS = 10000 };
    const pqt_tree *tree = grid_of(_i == 1);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    hooks watch = {0};
    hooks_start(&watch);
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        nudge_draft(draft, i / 2 % (SIDE * SIDE), i % 2 == 1);
        require(pqt_draft_snapshot(draft, NULL) != NULL, "snapshot");
    }
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_bytes(&watch), bytes_of_versions(tree, SNAPSHOTS));
    ck_assert_uint_eq(watch.bytes[PQTI_BLOCK_SCRATCH], 0);
    pqt_draft_destroy(&draft);
}
END_TEST

/* A far move makes two paths, and frees both. */
START_TEST(moves_to_and_fro_do_not_grow_an_arena)
{
    const pqt_tree *tree = grid_in(arena, _i);
    const pqt_item item = dot_of_grid(SIDE, 0), moved = boxed(point(15, 15), item.id);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    hooks watch = {0};
    for (int round = 0; round < 100; round++) {
        if (round == 2)
            hooks_start(&watch);
        ck_assert(pqt_draft_move(draft, item, moved.box, NULL));
        ck_assert(pqt_draft_move(draft, moved, item.box, NULL));
    }
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    expect_equal(pqt_draft_view(draft), tree);
    pqt_draft_destroy(&draft);
}
END_TEST

/* Once a draft has made the nodes on both ways, it changes them, except in plain builds. */
START_TEST(a_far_move_copies_no_node_that_the_draft_has_made)
{
#ifndef PQT_PLAIN
    const pqt_item item = dot_of_grid(SIDE, 0), moved = boxed(point(15, 15), item.id);
    pqt_draft *draft = pqt_draft_begin(grid_of(_i == 1), NULL);
    ck_assert(pqt_draft_move(draft, item, moved.box, NULL));
    const void *root = draft->current->root;
    for (int round = 0; round < 4; round++) {
        ck_assert(pqt_draft_move(draft, moved, item.box, NULL));
        ck_assert(pqt_draft_move(draft, item, moved.box, NULL));
        ck_assert_ptr_eq(draft->current->root, root);
    }
    expect_sound(pqt_draft_view(draft));
    pqt_draft_destroy(&draft);
#endif
}
END_TEST

/* Inserts divide leaves, and removals join them. A batch rebuilds whole subtrees. */
START_TEST(what_batches_and_divisions_replace_is_used_again)
{
    const pqt_tree *tree = grid_of(_i == 1);
    pqt_change inserts[100], removals[100];
    for (size_t i = 0; i < 100; i++) {
        const pqt_item item = dot(3 + (double)i / 128, 3, 5000 + i);
        inserts[i] = inserting(item);
        removals[i] = removing(item);
    }
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    hooks watch = {0};
    for (int round = 0; round < 20; round++) {
        if (round == 4)
            hooks_start(&watch);
        ck_assert(pqt_draft_apply(draft, inserts, 100, NULL));
        ck_assert(pqt_draft_apply(draft, removals, 100, NULL));
        for (size_t i = 0; i < 100; i++)
            ck_assert(pqt_draft_insert(draft, inserts[i].item, NULL));
        for (size_t i = 0; i < 100; i++)
            ck_assert(pqt_draft_remove(draft, inserts[i].item, NULL));
    }
    hooks_stop();
    ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    expect_equal(pqt_draft_view(draft), tree);
    pqt_draft_destroy(&draft);
}
END_TEST

/* ---- Failures ---- */

typedef bool edit_fn(pqt_draft *draft, pqt_error *error);

static bool
by_insert(pqt_draft *draft, pqt_error *error)
{
    return pqt_draft_insert(draft, dot(3.3, 3.3, 99999), error);
}

static bool
by_remove(pqt_draft *draft, pqt_error *error)
{
    return pqt_draft_remove(draft, dot_of_grid(SIDE, 5), error);
}

static bool
by_move(pqt_draft *draft, pqt_error *error)
{
    return pqt_draft_move(draft, dot_of_grid(SIDE, 41), point(13, 13), error);
}

static bool
by_small_move(pqt_draft *draft, pqt_error *error)
{
    const pqt_change change = nudge(77, false);
    return change_draft(draft, &change, error);
}

static bool
by_move_id(pqt_draft *draft, pqt_error *error)
{
    return pqt_draft_move_id(draft, dot_of_grid(SIDE, 42).id, point(9, 9), error);
}

static bool
by_remove_id(pqt_draft *draft, pqt_error *error)
{
    return pqt_draft_remove_id(draft, dot_of_grid(SIDE, 43).id, error);
}

static bool
by_division(pqt_draft *draft, pqt_error *error)
{
    pqt_change changes[40];
    for (size_t i = 0; i < 40; i++)
        changes[i] = inserting(dot(7 + (double)i / 128, 7, 7000 + i));
    return pqt_draft_apply(draft, changes, 40, error);
}

static bool
by_many_moves(pqt_draft *draft, pqt_error *error)
{
    static pqt_change changes[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++)
        changes[i] = nudge(i, false);
    return pqt_draft_apply(draft, changes, SIDE * SIDE, error);
}

static edit_fn *const edit_fns[] = {by_insert,  by_remove,    by_move,     by_small_move,
                                    by_move_id, by_remove_id, by_division, by_many_moves};
enum { EDIT_FNS = sizeof edit_fns / sizeof *edit_fns };

/* A draft that owns some of its blocks. */
static pqt_draft *
used_draft(const pqt_tree *tree, pqt_error *error)
{
    pqt_draft *draft = pqt_draft_begin(tree, error);
    for (size_t i = 0; i < SIDE * SIDE; i += 7) {
        nudge_draft(draft, i, false);
        nudge_draft(draft, i, true);
    }
    return draft;
}

/* Returns the version that an edit makes of the grid. */
static const pqt_tree *
edited(const pqt_tree *tree, edit_fn *edit)
{
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    ck_assert(edit(draft, NULL));
    const pqt_tree *next = pqt_draft_snapshot(draft, NULL);
    pqt_draft_destroy(&draft);
    ck_assert(!pqt_tree_equals(tree, next));
    return next;
}

/* Each allocation of an edit fails in turn, until the edit succeeds without the last one. */
START_TEST(a_failed_allocation_leaves_the_draft_as_it_was)
{
    edit_fn *edit = edit_fns[_i / 2];
    const pqt_tree *tree = grid_of(true), *next = edited(tree, edit);
    bool done = false;
    size_t failures = 0;
    for (size_t n = 1; !done; n++) {
        pqt_error error = {0};
        pqt_draft *draft = _i % 2 == 0 ? pqt_draft_begin(tree, &error) : used_draft(tree, &error);
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const bool succeeded = edit(draft, &error);
        hooks_stop();
        done = watch.failures == 0;
        failures += !succeeded;
        ck_assert_int_eq(error.status, succeeded ? PQT_OK : PQT_ERROR_MEMORY);
        expect_equal(pqt_draft_view(draft), succeeded ? next : tree);
        expect_sound(pqt_draft_view(draft));
        ck_assert(succeeded || edit(draft, NULL));
        expect_equal(pqt_draft_view(draft), next);
        expect_sound(pqt_draft_view(draft));
        pqt_draft_destroy(&draft);
    }
    ck_assert(failures > 0 || _i % 2 == 1); /* a used draft may need no memory */
    expect_sound(tree);
}
END_TEST

START_TEST(a_failed_snapshot_or_beginning_changes_nothing)
{
    pqt_error error = {0};
    const pqt_tree *tree = grid_of(false);
    pqt_draft *draft = used_draft(tree, &error);
    nudge_draft(draft, 3, false);
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    ck_assert_ptr_null(pqt_draft_snapshot(draft, &error));
    hooks_stop();
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    const pqt_tree *snapshot = pqt_draft_snapshot(draft, NULL);
    expect_equal(snapshot, pqt_draft_view(draft));
    nudge_draft(draft, 3, true);
    expect_equal(pqt_draft_view(draft), tree);
    ck_assert(!pqt_tree_equals(snapshot, tree));
    pqt_draft_destroy(&draft);
    for (size_t n = 1; draft == NULL; n++) {
        error = (pqt_error){0};
        watch = (hooks){.fail_at = n};
        hooks_start(&watch);
        draft = pqt_draft_begin(tree, &error);
        hooks_stop();
        ck_assert(draft != NULL || n <= 2);
        ck_assert_int_eq(error.status, draft != NULL ? PQT_OK : PQT_ERROR_MEMORY);
    }
    pqt_draft_destroy(&draft);
    pqt_draft_destroy(&draft);
    pqt_draft_destroy(NULL);
}
END_TEST

static bool
is_no_scratch(pqti_block kind, size_t size, void *context)
{
    (void)size;
    (void)context;
    return kind != PQTI_BLOCK_SCRATCH;
}

/* Without memory for a larger table, a draft copies blocks that it has made. */
START_TEST(a_draft_without_memory_for_its_table_is_still_right)
{
    const pqt_tree *tree = with_grid(made(world_box, options_of(2, 24)), SIDE);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    pqti_set_allocation_hook(is_no_scratch, NULL);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        nudge_draft(draft, i, false);
    pqti_set_allocation_hook(NULL, NULL);
    ck_assert_uint_lt(draft->owner.capacity, SIDE * SIDE);
    expect_sound(pqt_draft_view(draft));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        nudge_draft(draft, i, true);
    ck_assert_uint_gt(draft->owner.capacity, SIDE * SIDE);
    expect_equal(pqt_draft_view(draft), tree);
    pqt_draft_destroy(&draft);
}
END_TEST

/* Calls each edit with a box. Expects that each fails with this status: in the batch, the second
   change does. */
static void
expect_refused(pqt_draft *draft, pqt_box bad, pqt_status status)
{
    const pqt_item there = dot_of_grid(SIDE, 1);
    const pqt_change changes[] = {inserting(dot(3, 3, 99999)), moving(there, bad)};
    pqt_error errors[4] = {{0}, {0}, {0}, {0}};
    ck_assert(!pqt_draft_insert(draft, boxed(bad, 99999), &errors[0]));
    ck_assert(!pqt_draft_move(draft, there, bad, &errors[1]));
    ck_assert(!pqt_draft_move_id(draft, there.id, bad, &errors[2]));
    ck_assert(!pqt_draft_apply(draft, changes, 2, &errors[3]));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(errors[i].status, status);
    ck_assert_uint_eq(errors[3].index, 1);
}

START_TEST(a_refused_edit_leaves_the_draft_as_it_was)
{
    pqt_tree_options options = options_of(24, 24);
    options.unique_ids = options.strict_bounds = true;
    const pqt_tree *tree = with_grid(made(world_box, options), SIDE);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    expect_refused(draft, box(1, 1, 0, 0), PQT_ERROR_BOX);
    expect_refused(draft, box(NAN, 1, 0, 0), PQT_ERROR_BOX);
    expect_refused(draft, box(15, 15, 17, 16), PQT_ERROR_BOUNDS);
    ck_assert_ptr_eq(pqt_draft_snapshot(draft, NULL), tree);
    pqt_draft_destroy(&draft);
}
END_TEST

START_TEST(a_full_draft_refuses_more_items)
{
    pqt_error one = {0}, two = {0};
    const pqt_change changes[] = {inserting(dot(3, 3, 99999)), inserting(dot(4, 3, 99998))};
    pqt_draft *draft = pqt_draft_begin(grid_of(false), NULL);
    draft->states[0].count = PQT_MAX_ITEMS; /* in place of that many items */
    ck_assert(!pqt_draft_insert(draft, changes[0].item, &one));
    ck_assert(!pqt_draft_apply(draft, changes, 2, &two));
    ck_assert_int_eq(one.status, PQT_ERROR_LIMIT);
    ck_assert_int_eq(two.status, PQT_ERROR_LIMIT);
    pqt_draft_destroy(&draft);
}
END_TEST

START_TEST(edits_that_change_nothing_keep_the_version_and_the_view)
{
    pqt_error error = {0};
    const pqt_tree *tree = grid_of(true);
    const pqt_item there = dot_of_grid(SIDE, 7), absent = boxed(point(1, 2), there.id);
    pqt_draft *draft = pqt_draft_begin(tree, &error);
    const pqt_tree *view = pqt_draft_view(draft);
    ck_assert(pqt_draft_insert(draft, there, &error));
    ck_assert(pqt_draft_remove(draft, absent, &error));
    ck_assert(pqt_draft_move(draft, absent, point(3, 3), &error));
    ck_assert(pqt_draft_move(draft, there, there.box, &error));
    ck_assert(pqt_draft_move_id(draft, there.id, there.box, &error));
    ck_assert(pqt_draft_move_id(draft, 1000000, there.box, &error));
    ck_assert(pqt_draft_remove_id(draft, 1000000, &error));
    ck_assert(pqt_draft_apply(draft, NULL, 0, &error));
    ck_assert_ptr_eq(pqt_draft_view(draft), view);
    ck_assert_ptr_eq(pqt_draft_snapshot(draft, &error), tree);
    expect_equal(view, tree);
    pqt_draft_destroy(&draft);
}
END_TEST

/* ---- Views ---- */

START_TEST(a_view_is_read_like_a_version)
{
    pqt_error error = {0};
    const pqt_tree *tree = grid_of(false);
    pqt_draft *draft = used_draft(tree, &error);
    nudge_draft(draft, 100, false);
    const pqt_tree *view = pqt_draft_view(draft), *version = pqt_draft_snapshot(draft, &error);
    pqt_query query = query_of(box(2, 2, 5, 7), PQT_TOUCHES);
    pqt_change changes[4];
    size_t count = 0, bytes = 0;
    ck_assert_ptr_eq(pqt_draft_view(draft), view);
    ck_assert_uint_eq(pqt_tree_count_in(view, &query), pqt_tree_count_in(version, &query));
    ck_assert(pqt_tree_contains(view, boxed(nudge(100, false).to, dot_of_grid(SIDE, 100).id)));
    ck_assert(pqt_diff_collect(tree, view, NULL, changes, 4, &count, &error));
    ck_assert_uint_eq(count, 1);
    ck_assert(pqt_diff_collect(view, version, NULL, changes, 4, &count, &error));
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_eq(pqt_tree_get_stats(view).nodes, pqt_tree_get_stats(version).nodes);
    ck_assert(pqt_tree_exclusive_bytes(view, &tree, 1, &bytes, &error));
    ck_assert_uint_gt(bytes, 0);
    pqt_draft_destroy(&draft);
}
END_TEST

typedef void misuse_fn(pqt_draft *draft, const pqt_tree *view);

static void
edit_the_view(pqt_draft *draft, const pqt_tree *view)
{
    (void)draft;
    (void)!pqt_tree_insert(view, dot(1, 1, 1), NULL);
}

static void
pin_the_view(pqt_draft *draft, const pqt_tree *view)
{
    (void)draft;
    (void)!pqt_tree_pin(view, NULL);
}

static void
copy_the_view(pqt_draft *draft, const pqt_tree *view)
{
    const pqt_tree *copy;
    (void)draft;
    (void)!pqt_tree_copy_all(&view, 1, NULL, &copy, NULL);
}

static void
publish_the_view(pqt_draft *draft, const pqt_tree *view)
{
    (void)draft;
    (void)!pqt_head_make(view, NULL);
}

static void
search_the_view(pqt_draft *draft, const pqt_tree *view)
{
    pqt_query query = query_of_all();
    (void)draft;
    (void)!pqt_tree_search(view, &query, NULL);
}

static void
begin_from_the_view(pqt_draft *draft, const pqt_tree *view)
{
    (void)draft;
    (void)!pqt_draft_begin(view, NULL);
}

static void
push_the_view(pqt_draft *draft, const pqt_tree *view)
{
    (void)draft;
    (void)!pqt_version_pin(view, NULL);
}

static void
use_an_old_view(pqt_draft *draft, const pqt_tree *view)
{
    nudge_draft(draft, 1, false);
    (void)pqt_draft_view(draft);
    (void)pqt_tree_count(view);
}

static void
continue_an_old_cursor(pqt_draft *draft, const pqt_tree *view)
{
    pqt_cursor cursor;
    pqt_item item;
    pqt_cursor_open(&cursor, view, NULL);
    nudge_draft(draft, 1, false);
    while (pqt_cursor_next(&cursor, &item)) {
    }
}

static void
edit_null(pqt_draft *draft, const pqt_tree *view)
{
    (void)draft;
    (void)view;
    (void)pqt_draft_remove_id(NULL, 1, NULL);
}

static void
remove_an_id(pqt_draft *draft, const pqt_tree *view)
{
    (void)view;
    (void)pqt_draft_remove_id(draft, 1, NULL);
}

/* An edit that begins while another one is in progress, as two threads would begin it. */
static bool
edit_at_allocation(pqti_block kind, size_t size, void *draft)
{
    (void)kind;
    (void)size;
    return pqt_draft_insert(draft, dot(2, 2, 2), NULL);
}

static void
edit_twice_at_once(pqt_draft *draft, const pqt_tree *view)
{
    (void)view;
    pqti_set_allocation_hook(edit_at_allocation, draft);
    (void)pqt_draft_insert(draft, dot(2, 2, 2), NULL);
}

typedef struct mistake {
    misuse_fn *make;
    const char *text;
} mistake;

static const mistake mistakes[] = {
    {edit_the_view, "pqt_tree_insert: this is the view of a draft"},
    {pin_the_view, "pqt_version_pin: this is the view of a draft"},
    {copy_the_view, "pqt_tree_copy_all: this is the view of a draft"},
    {publish_the_view, "pqt_head_make: this is the view of a draft"},
    {search_the_view, "pqt_tree_search: this is the view of a draft"},
    {begin_from_the_view, "pqt_draft_begin: this is the view of a draft"},
    {push_the_view, "pqt_version_pin: this is the view of a draft"},
    {use_an_old_view, "pqt_tree_count: this is the view of a draft that was changed"},
    {continue_an_old_cursor, "pqt_cursor_next: this is the view of a draft that was changed"},
    {edit_null, "pqt_draft_remove_id: the draft is NULL"},
    {remove_an_id, "removing by id needs a tree with unique_ids"},
    {edit_twice_at_once, "pqt_draft_insert: another thread"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static void
make_mistake(void *context)
{
    const mistake *chosen = context;
    pqt_draft *draft = pqt_draft_begin(grid_of(false), NULL);
    chosen->make(draft, pqt_draft_view(draft));
}

START_TEST(misuse_of_a_draft_or_a_view_stops_the_program)
{
    char text[MISUSE_TEXT];
    mistake chosen = mistakes[_i];
    if (!misuse_can_be_tested())
        return;
    ck_assert(misuse_aborts(make_mistake, &chosen, text));
    ck_assert_msg(strstr(text, chosen.text) != NULL, "%s", text);
}
END_TEST

/* ---- Heaps ---- */

START_TEST(a_heap_keeps_the_tree_of_a_draft_and_reclaims_what_it_dropped)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    const pqt_tree *tree = with_grid(pqt_tree_make(world_box, &options, NULL), SIDE);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    const uint64_t before = pqt_memory_get_stats(heap).used_bytes;
    for (size_t i = 0; i < 20000; i++) {
        nudge_draft(draft, i / 2 % (SIDE * SIDE), i % 2 == 1);
        if (i % 500 == 0)
            ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    }
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_le(pqt_memory_get_stats(heap).used_bytes, before + 100000);
    expect_sound(pqt_draft_view(draft));
    ck_assert_uint_eq(pqt_tree_count(pqt_draft_view(draft)), SIDE * SIDE);
    pqt_draft_destroy(&draft);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_le(pqt_memory_get_stats(heap).used_bytes, 100000);
    pqt_heap_destroy(&heap);
}
END_TEST

/* A snapshot needs neither a pin nor a scope until the next edit that changes the draft. */
START_TEST(a_heap_keeps_the_last_snapshot_of_a_draft)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_draft *draft = pqt_draft_begin(grid_in(heap, 0), NULL);
    for (size_t i = 0; i < 20; i++) {
        nudge_draft(draft, i, false);
        const pqt_tree *snapshot = pqt_draft_snapshot(draft, NULL);
        ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        expect_equal(snapshot, pqt_draft_view(draft));
        expect_sound(snapshot);
        ck_assert(pqt_draft_remove(draft, dot(1, 2, 99999), NULL)); /* there is no such item */
        ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
        ck_assert_ptr_eq(pqt_draft_snapshot(draft, NULL), snapshot);
        expect_sound(snapshot);
    }
    pqt_draft_destroy(&draft);
    pqt_heap_destroy(&heap);
}
END_TEST

/* Begins a cycle in the middle of an edit: it must wait for the end of the edit. */
static bool
begin_cycle(pqti_block kind, size_t size, void *context)
{
    pqti_heap *heap = context;
    (void)kind;
    (void)size;
    heap->is_full = true;
    (void)pqt_memory_reclaim(&heap->memory, 100000);
    require(atomic_load(&heap->phase) == PQTI_STARTING, "a cycle marks during an edit");
    return true;
}

START_TEST(a_cycle_that_begins_during_an_edit_waits_for_its_end)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    const pqt_tree *tree = with_grid(pqt_tree_make(world_box, &options, NULL), SIDE);
    pqt_draft *draft = pqt_draft_begin(tree, NULL);
    pqti_set_allocation_hook(begin_cycle, heap);
    nudge_draft(draft, 5, false);
    pqti_set_allocation_hook(NULL, NULL);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    expect_sound(pqt_draft_view(draft));
    pqt_draft_destroy(&draft);
    pqt_heap_destroy(&heap);
}
END_TEST

#ifndef PQTI_WITH_ASAN

/* Makes the links of all dropped blocks invalid. Returns the number of chains that have blocks. */
static size_t
break_chains(pqt_draft *draft)
{
    size_t chains = 0;
    for (size_t i = 0; i < PQTI_CHAINS; i++)
        if (draft->owner.chains[i] != NULL) {
            *(void **)draft->owner.chains[i] = (void *)PQTI_GRANULE;
            chains++;
        }
    return chains;
}

/* A step of a cycle gives up all dropped blocks, however many there are, so it must not visit
   them. */
START_TEST(a_cycle_gives_up_dropped_blocks_without_a_visit)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_draft *draft = pqt_draft_begin(grid_in(heap, 1), NULL);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        ck_assert(pqt_draft_move_id(draft, dot_of_grid(SIDE, i).id, point(3, 3), NULL));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        ck_assert(pqt_draft_remove_id(draft, dot_of_grid(SIDE, i).id, NULL));
    ck_assert_uint_gt(break_chains(draft), 4);
    ck_assert(pqt_memory_reclaim(heap, PQT_RECLAIM_ALL));
    ck_assert_uint_eq(break_chains(draft), 0);
    ck_assert_uint_le(pqt_memory_get_stats(heap).used_bytes, 100000);
    pqt_draft_destroy(&draft);
    pqt_heap_destroy(&heap);
}
END_TEST

#endif

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("draft");
    TCase *tests = add_tests(suite, "model");
    tcase_add_loop_test(tests, random_edits_agree_with_a_plain_array_and_with_versions, 0,
                        MEMORIES);
    tests = add_tests(suite, "costs");
    tcase_add_loop_test(tests, edits_of_what_a_draft_has_made_allocate_nothing, 0,
                        SLICED_HEAP * GRIDS);
    tcase_add_loop_test(tests, a_snapshot_after_each_edit_takes_no_more_bytes_than_a_version, 0, 2);
    tcase_add_loop_test(tests, moves_to_and_fro_do_not_grow_an_arena, 0, GRIDS);
    tcase_add_loop_test(tests, a_far_move_copies_no_node_that_the_draft_has_made, 0, 2);
    tcase_add_loop_test(tests, what_batches_and_divisions_replace_is_used_again, 0, 2);
    tests = add_tests(suite, "failures");
    tcase_add_loop_test(tests, a_failed_allocation_leaves_the_draft_as_it_was, 0, 2 * EDIT_FNS);
    tcase_add_test(tests, a_failed_snapshot_or_beginning_changes_nothing);
    tcase_add_test(tests, a_draft_without_memory_for_its_table_is_still_right);
    tcase_add_test(tests, a_refused_edit_leaves_the_draft_as_it_was);
    tcase_add_test(tests, a_full_draft_refuses_more_items);
    tcase_add_test(tests, edits_that_change_nothing_keep_the_version_and_the_view);
    tests = add_tests(suite, "views");
    tcase_add_test(tests, a_view_is_read_like_a_version);
    tcase_add_loop_test(tests, misuse_of_a_draft_or_a_view_stops_the_program, 0, MISTAKES);
    tests = add_tests(suite, "heaps");
    tcase_add_test(tests, a_heap_keeps_the_tree_of_a_draft_and_reclaims_what_it_dropped);
    tcase_add_test(tests, a_heap_keeps_the_last_snapshot_of_a_draft);
    tcase_add_test(tests, a_cycle_that_begins_during_an_edit_waits_for_its_end);
#ifndef PQTI_WITH_ASAN
    tcase_add_test(tests, a_cycle_gives_up_dropped_blocks_without_a_visit);
#endif
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
