/* SPDX-License-Identifier: MIT */
/*
 * guard.c: runs one small, deterministic task, so that its instructions can be counted.
 *
 * test/bench/guard_run runs it under callgrind, which counts only inside `measured`. Versions are
 * in an arena, so that counts do not depend on the conservative marking of the collector. The
 * result of the task is printed too, so that a change to the task itself is noticed.
 */
#include <pqt.h>
#include <pqt/pixels.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_boxes.h"

enum { ITEMS = 20000, EDITS = 2000, FEW_EDITS = 200, QUERIES = 1000, NEAREST = 10, CANVAS = 1024 };

/* The data of the tasks, which no task changes. */
typedef struct ground {
    pqt_item items[ITEMS];
    drawn_move moves[EDITS]; /* each of a different item */
    pqt_change changes[EDITS];
    pqt_box windows_of_10[QUERIES], windows_of_1000[QUERIES / 10];
    pqt_segment segments[QUERIES];
    /* trees of all items, of half of them, and of all with a few moved */
    const pqt_tree *tree, *half, *later;
    pqt_draft *draft;
    const pqt_map *map; /* from the ids of the items, to their indices */
    pqt_map_draft *map_draft;
    const pqt_region *canvas;
    pqt_memory *arena;
    pqt_error error;
} ground;

/* A task. Returns its result as one number. */
typedef uint64_t run_fn(ground *g);

typedef struct task {
    const char *name;
    distribution shape;
    bool unique; /* the ids of its tree are unique */
    uint64_t operations;
    run_fn *run;
} task;

static pqt_tree_options
options_of(const ground *g, bool unique)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = g->arena;
    options.unique_ids = unique;
    return options;
}

static uint64_t
low_fingerprint(const pqt_tree *tree)
{
    return tree == NULL ? 0 : pqt_tree_fingerprint(tree).low;
}

static uint64_t
run_build(ground *g)
{
    pqt_tree_options options = options_of(g, false);
    return low_fingerprint(pqt_tree_of(g->items, ITEMS, &options, &g->error));
}

static uint64_t
run_build_ids(ground *g)
{
    pqt_tree_options options = options_of(g, true);
    return low_fingerprint(pqt_tree_of(g->items, ITEMS, &options, &g->error));
}

static uint64_t
run_insert(ground *g)
{
    const pqt_tree *tree = g->half;
    for (int i = 0; i < EDITS; i++)
        tree = pqt_tree_insert(tree, g->items[ITEMS / 2 + i], &g->error);
    return low_fingerprint(tree);
}

static uint64_t
run_move(ground *g)
{
    const pqt_tree *tree = g->tree;
    for (int i = 0; i < EDITS; i++)
        tree = pqt_tree_move(tree, g->moves[i].from, g->moves[i].to, &g->error);
    return low_fingerprint(tree);
}

static uint64_t
run_move_id(ground *g)
{
    const pqt_tree *tree = g->tree;
    for (int i = 0; i < EDITS; i++)
        tree = pqt_tree_move_id(tree, g->moves[i].from.id, g->moves[i].to, &g->error);
    return low_fingerprint(tree);
}

/* Returns where an item goes that moves far: to the place of another one. */
static pqt_box
far_place(const ground *g, int i)
{
    return g->moves[EDITS - 1 - i].to;
}

static uint64_t
run_move_far(ground *g)
{
    const pqt_tree *tree = g->tree;
    for (int i = 0; i < EDITS; i++)
        tree = pqt_tree_move(tree, g->moves[i].from, far_place(g, i), &g->error);
    return low_fingerprint(tree);
}

/* The draft owns all blocks that the moves reach: see make_draft. */
static uint64_t
run_draft_move(ground *g)
{
    for (int i = 0; i < EDITS; i++)
        pqt_draft_move(g->draft, g->moves[i].from, g->moves[i].to, &g->error);
    return low_fingerprint(pqt_draft_view(g->draft));
}

static uint64_t
run_draft_move_id(ground *g)
{
    for (int i = 0; i < EDITS; i++)
        pqt_draft_move_id(g->draft, g->moves[i].from.id, g->moves[i].to, &g->error);
    return low_fingerprint(pqt_draft_view(g->draft));
}

static uint64_t
run_draft_move_far(ground *g)
{
    for (int i = 0; i < EDITS; i++)
        pqt_draft_move(g->draft, g->moves[i].from, far_place(g, i), &g->error);
    return low_fingerprint(pqt_draft_view(g->draft));
}

/* One move, and a snapshot of it, which the next move must not change. */
static uint64_t
run_draft_snapshots(ground *g)
{
    const pqt_tree *last = NULL;
    for (int i = 0; i < EDITS; i++) {
        pqt_draft_move(g->draft, g->moves[i].from, g->moves[i].to, &g->error);
        last = pqt_draft_snapshot(g->draft, &g->error);
    }
    return low_fingerprint(last);
}

static uint64_t
run_draft_batch(ground *g)
{
    pqt_draft_apply(g->draft, g->changes, EDITS, &g->error);
    return low_fingerprint(pqt_draft_view(g->draft));
}

/* Gives some ids other values. */
static uint64_t
run_map(ground *g)
{
    const pqt_map *map = g->map;
    for (uint64_t i = 0; i < EDITS; i++)
        map = pqt_map_insert(map, pqt_map_id(g->moves[i].from.id), pqt_map_number(i), &g->error);
    return map == NULL ? 0 : pqt_map_fingerprint(map).low;
}

/* Makes the map again in one batch. */
static uint64_t
run_map_build(ground *g)
{
    static pqt_map_change changes[ITEMS];
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = g->arena;
    for (size_t i = 0; i < ITEMS; i++)
        changes[i] =
            (pqt_map_change){PQT_MAP_INSERT, pqt_map_id(g->items[i].id), pqt_map_number(i)};
    const pqt_map *map = pqt_map_apply(pqt_map_make(&options, NULL), changes, ITEMS, &g->error);
    return map == NULL ? 0 : pqt_map_fingerprint(map).low;
}

/* Finds the values of some ids, and of as many that the map lacks. */
static uint64_t
run_map_find(ground *g)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < QUERIES; i++) {
        pqt_map_value value = {0};
        if (pqt_map_find(g->map, pqt_map_id(g->moves[i / 2].from.id + i % 2 * ITEMS), &value))
            sum += value.number;
    }
    return sum;
}

static bool
add_entries(const pqt_map_entry *entries, size_t count, void *context)
{
    for (size_t i = 0; i < count; i++)
        *(uint64_t *)context += entries[i].key.id ^ entries[i].value.number;
    return true;
}

static uint64_t
run_map_visit(ground *g)
{
    uint64_t sum = 0;
    pqt_map_visit_entries(g->map, add_entries, &sum);
    return sum;
}

/* The draft owns all blocks. */
static uint64_t
run_draft_map(ground *g)
{
    for (uint64_t i = 0; i < EDITS; i++)
        pqt_map_draft_insert(g->map_draft, pqt_map_id(g->moves[i].from.id), pqt_map_number(i),
                             &g->error);
    return pqt_map_fingerprint(pqt_map_draft_view(g->map_draft)).low;
}

static uint64_t
run_remove(ground *g)
{
    const pqt_tree *tree = g->tree;
    for (int i = 0; i < EDITS; i++)
        tree = pqt_tree_remove(tree, g->items[i], &g->error);
    return low_fingerprint(tree);
}

static uint64_t
run_batch(ground *g)
{
    return low_fingerprint(pqt_tree_apply(g->tree, g->changes, EDITS, &g->error));
}

static bool
add_ids(const uint64_t *ids, size_t count, void *context)
{
    for (size_t i = 0; i < count; i++)
        *(uint64_t *)context += ids[i];
    return true;
}

static uint64_t
ask_windows(const ground *g, const pqt_box *windows, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        pqt_tree_visit_ids(g->tree, &(pqt_query){.window = windows[i], .relation = PQT_TOUCHES},
                           add_ids, &sum);
    return sum;
}

static uint64_t
run_windows_of_10(ground *g)
{
    return ask_windows(g, g->windows_of_10, QUERIES);
}

static uint64_t
run_windows_of_1000(ground *g)
{
    return ask_windows(g, g->windows_of_1000, QUERIES / 10);
}

static bool
add_columns(const pqt_item_columns *items, void *context)
{
    for (size_t i = 0; i < items->count; i++)
        *(uint64_t *)context += items->ids[i] + (items->max_x[i] > items->min_y[i]);
    return true;
}

static uint64_t
run_columns_of_1000(ground *g)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < QUERIES / 10; i++)
        pqt_tree_visit_columns(
            g->tree, &(pqt_query){.window = g->windows_of_1000[i], .relation = PQT_TOUCHES},
            add_columns, &sum);
    return sum;
}

static uint64_t
run_collect_of_1000(ground *g)
{
    static pqt_item found[ITEMS];
    uint64_t sum = 0;
    for (size_t i = 0; i < QUERIES / 10; i++)
        sum += pqt_tree_collect(
            g->tree, &(pqt_query){.window = g->windows_of_1000[i], .relation = PQT_TOUCHES}, found,
            ITEMS);
    return sum + found[0].id;
}

static uint64_t
run_pairs(ground *g)
{
    return pqt_pairs_count(g->tree, NULL, &(pqt_pair_query){.relation = PQT_TOUCHES});
}

static uint64_t
run_nearest(ground *g)
{
    pqt_near found[NEAREST];
    uint64_t sum = 0;
    for (int i = 0; i < QUERIES; i++) {
        pqt_vec from = g->windows_of_10[i].min;
        size_t count = pqt_tree_nearest(g->tree, (pqt_box){from, from}, NULL, found, NEAREST);
        for (size_t j = 0; j < count; j++)
            sum += found[j].item.id;
    }
    return sum;
}

static uint64_t
run_rays(ground *g)
{
    uint64_t sum = 0;
    for (int i = 0; i < QUERIES; i++) {
        pqt_ray_hit first = pqt_tree_cast(g->tree, (pqt_cast[]){pqt_cast_segment(g->segments[i])});
        sum += first.hit ? first.item.id : 0;
    }
    return sum;
}

static bool
add_change(const pqt_change *change, void *context)
{
    *(uint64_t *)context += change->item.id;
    return true;
}

static uint64_t
run_diff(ground *g)
{
    uint64_t sum = 0;
    pqt_tree_visit_diff(g->tree, g->later, NULL, add_change, &sum, &g->error);
    return sum;
}

static bool
add_pair_change(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    *(uint64_t *)context += (uint64_t)change * (a->id + b->id);
    return true;
}

static uint64_t
run_pair_changes(ground *g)
{
    uint64_t sum = 0;
    pqt_pairs_visit_changes(g->tree, g->later, &(pqt_pair_query){.relation = PQT_TOUCHES},
                            add_pair_change, &sum, &g->error);
    return sum;
}

static uint64_t
run_region(ground *g)
{
    const pqt_region *canvas = g->canvas;
    for (int i = 0; i < FEW_EDITS; i++) {
        pqt_vec from = g->items[i].box.min;
        pqt_vec centre = {from.x * CANVAS / WORLD_SIDE, from.y * CANVAS / WORLD_SIDE};
        canvas = pqt_region_paint(canvas, pqt_paint_disc(PQT_PAINT_SET, centre, 12), &g->error);
    }
    return canvas == NULL ? 0 : pqt_region_count(canvas);
}

static const task tasks[] = {
    {"build", UNIFORM, false, ITEMS, run_build},
    {"build-ids", UNIFORM, true, ITEMS, run_build_ids},
    {"build-identical", IDENTICAL, false, ITEMS, run_build},
    {"insert", UNIFORM, false, EDITS, run_insert},
    {"remove", UNIFORM, false, EDITS, run_remove},
    {"move", UNIFORM, false, EDITS, run_move},
    {"move-id", UNIFORM, true, EDITS, run_move_id},
    {"move-far", UNIFORM, false, EDITS, run_move_far},
    {"move-identical", IDENTICAL, false, EDITS, run_move},
    {"move-outside", OUTSIDE, false, EDITS, run_move},
    {"draft-move", UNIFORM, false, EDITS, run_draft_move},
    {"draft-move-id", UNIFORM, true, EDITS, run_draft_move_id},
    {"draft-move-far", UNIFORM, false, EDITS, run_draft_move_far},
    {"draft-snapshots", UNIFORM, false, EDITS, run_draft_snapshots},
    {"draft-batch", UNIFORM, false, EDITS, run_draft_batch},
    {"map-build", UNIFORM, false, ITEMS, run_map_build},
    {"map", UNIFORM, false, EDITS, run_map},
    {"map-find", UNIFORM, false, QUERIES, run_map_find},
    {"map-visit", UNIFORM, false, ITEMS, run_map_visit},
    {"draft-map", UNIFORM, false, EDITS, run_draft_map},
    {"batch", UNIFORM, false, EDITS, run_batch},
    {"batch-ids", UNIFORM, true, EDITS, run_batch},
    {"window-10", UNIFORM, false, QUERIES, run_windows_of_10},
    {"window-1000", UNIFORM, false, QUERIES / 10, run_windows_of_1000},
    {"columns-1000", UNIFORM, false, QUERIES / 10, run_columns_of_1000},
    {"collect-1000", UNIFORM, false, QUERIES / 10, run_collect_of_1000},
    {"pairs", UNIFORM, false, ITEMS, run_pairs},
    {"nearest", UNIFORM, false, QUERIES, run_nearest},
    {"nearest-identical", IDENTICAL, false, QUERIES, run_nearest},
    {"ray", UNIFORM, false, QUERIES, run_rays},
    {"diff", UNIFORM, false, FEW_EDITS, run_diff},
    {"diff-ids", UNIFORM, true, FEW_EDITS, run_diff},
    {"pair-changes", UNIFORM, false, FEW_EDITS, run_pair_changes},
    {"region", UNIFORM, false, FEW_EDITS, run_region},
};

enum { TASKS = sizeof tasks / sizeof tasks[0] };

/* Draws the moves of one frame, each of a different item. */
static void
draw_edits(ground *g, distribution shape)
{
    static drawn_move all[ITEMS];
    static pqt_item moved[ITEMS];
    memcpy(moved, g->items, sizeof moved);
    draw_frame(shape, 1, true, moved, ITEMS, all);
    for (int i = 0; i < EDITS; i++) {
        g->moves[i] = all[i * (ITEMS / EDITS)];
        g->changes[i] = (pqt_change){PQT_MOVE, g->moves[i].from, g->moves[i].to};
    }
}

static void
draw_ground(ground *g, distribution shape)
{
    draw_items(shape, g->items, ITEMS);
    draw_edits(g, shape);
    draw_windows(shape, ITEMS, 10, g->windows_of_10, QUERIES);
    draw_windows(shape, ITEMS, 1000, g->windows_of_1000, QUERIES / 10);
    draw_segments(shape, g->segments, QUERIES);
}

/* Builds a tree. If the items are outside the declared bounds, the tree has these bounds; otherwise
 * its bounds contain all items. */
static const pqt_tree *
tree_of(ground *g, distribution shape, size_t count, const pqt_tree_options *options)
{
    if (shape != OUTSIDE)
        return pqt_tree_of(g->items, count, options, &g->error);
    const pqt_tree *empty = pqt_tree_make(declared_world(shape), options, &g->error);
    return pqt_tree_insert_all(empty, g->items, count, &g->error);
}

/* Makes a draft of the tree that owns every block: each item has moved and is back. */
static pqt_draft *
make_draft(ground *g)
{
    const pqt_box aside = {{WORLD_SIDE, WORLD_SIDE}, {WORLD_SIDE, WORLD_SIDE}};
    pqt_draft *draft = pqt_draft_begin(g->tree, &g->error);
    for (int i = 0; i < ITEMS; i++) {
        pqt_draft_move(draft, g->items[i], aside, &g->error);
        pqt_draft_move(draft, (pqt_item){aside, g->items[i].id}, g->items[i].box, &g->error);
    }
    return draft;
}

static void
insert_ids(ground *g, uint64_t first)
{
    for (uint64_t i = 0; i < ITEMS; i++)
        pqt_map_draft_insert(g->map_draft, pqt_map_id(g->items[i].id), pqt_map_number(first + i),
                             &g->error);
}

/* Makes the map of the items' ids, and an equal draft of it that owns every block: each id has
   another value and then its own again. */
static void
make_maps(ground *g)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = g->arena;
    g->map_draft = pqt_map_draft_begin(pqt_map_make(&options, &g->error), &g->error);
    insert_ids(g, 0);
    g->map = pqt_map_draft_snapshot(g->map_draft, &g->error);
    insert_ids(g, ITEMS);
    insert_ids(g, 0);
}

static void
make_ground(ground *g, distribution shape, bool unique)
{
    g->arena = pqt_arena_make(0, &g->error);
    pqt_tree_options options = options_of(g, unique);
    g->tree = tree_of(g, shape, ITEMS, &options);
    g->half = tree_of(g, shape, ITEMS / 2, &options);
    g->later = pqt_tree_apply(g->tree, g->changes, FEW_EDITS, &g->error);
    g->canvas = pqt_region_make(g->arena, &g->error);
    g->draft = make_draft(g);
    make_maps(g);
}

/* Callgrind finds this function by its name, so it must be neither static nor inlined. */
uint64_t measured(run_fn *run, ground *g);

__attribute__((noinline)) uint64_t
measured(run_fn *run, ground *g)
{
    uint64_t found = run(g);
    __asm__ volatile("" : : : "memory"); /* prevents a tail call, which would end the counting */
    return found;
}

static int
run_task(const task *chosen)
{
    static ground g;
    draw_ground(&g, chosen->shape);
    make_ground(&g, chosen->shape, chosen->unique);
    uint64_t found = measured(chosen->run, &g);
    if (g.error.status != PQT_OK) {
        fprintf(stderr, "guard: %s: %s\n", chosen->name, g.error.text);
        return EXIT_FAILURE;
    }
    printf("%" PRIu64 " %" PRIu64 "\n", chosen->operations, found);
    pqt_draft_destroy(&g.draft);
    pqt_map_draft_destroy(&g.map_draft);
    pqt_arena_destroy(&g.arena);
    return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
    for (int i = 0; argc == 2 && i < TASKS; i++)
        if (strcmp(argv[1], tasks[i].name) == 0)
            return run_task(&tasks[i]);
    if (argc != 1) {
        fprintf(stderr, "Usage: guard [TASK]: runs a task, or names all\n");
        return 2;
    }
    for (int i = 0; i < TASKS; i++)
        puts(tasks[i].name);
    return EXIT_SUCCESS;
}
