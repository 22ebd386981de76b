/* SPDX-License-Identifier: MIT */
/*
 * dataset.c: edits and measures one dataset of the demo.
 *
 * The edits are generated with the reference model first, and then applied to the tree from the
 * model's log, so that only the library is timed.
 */
#include "config.h"

#include "tool/demo/dataset.h"

#include <stdlib.h>

#include "tool/message.h"
#include "tool/progress.h"
#include "tool/stress/latency_histogram.h"
#include "tool/tool_memory.h"

enum {
    SEARCHES = 20000, /* the number of timed searches */
    WINDOWS = 256,    /* the number of different windows */
    FAR_ONE_IN =
        50 /* one move in this many goes anywhere; the others stay near, so that the data still
              look like a map */
};

/* The maximum distance of a move that stays near, in degrees. */
#define NEAR 1.0
#define LARGEST_WINDOW 4.0

static uint64_t
roll(dice *luck)
{
    uint64_t word = luck->state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

size_t
roll_below(dice *luck, size_t end)
{
    return (size_t)(roll(luck) % end);
}

static double
roll_between(dice *luck, double low, double high)
{
    return low + (high - low) * ((double)(roll(luck) >> 11) * 0x1p-53);
}

static pqt_box
box_of_any_item(dataset *map)
{
    const model *plain = &map->plain;
    if (plain->count == 0)
        return (pqt_box){{0, 0}, {0, 0}};
    return plain->items[roll_below(&map->luck, plain->count)].box;
}

/* Returns a box of the same size near the old position or, rarely, anywhere. */
static pqt_box
displace_box(dice *luck, pqt_box box)
{
    double x = roll_between(luck, -NEAR, NEAR), y = roll_between(luck, -NEAR, NEAR);
    if (roll_below(luck, FAR_ONE_IN) == 0) {
        x = roll_between(luck, -180, 180) - box.min.x;
        y = roll_between(luck, -90, 90) - box.min.y;
    }
    return (pqt_box){{box.min.x + x, box.min.y + y}, {box.max.x + x, box.max.y + y}};
}

pqt_box
roll_window(dataset *map)
{
    pqt_vec centre = box_of_any_item(map).min;
    double half_side = LARGEST_WINDOW / 2 / (double)(1 + roll_below(&map->luck, 8));
    if (roll_below(&map->luck, 8) == 0) /* use a point, the corner of an item */
        half_side = 0;
    return (pqt_box){{centre.x - half_side, centre.y - half_side},
                     {centre.x + half_side, centre.y + half_side}};
}

static void
keep_version(dataset *map, const pqt_tree *tree, pqt_error *error)
{
    pqt_pin *pin = pqt_tree_pin(tree, error);
    if (pin == NULL)
        die_error(NULL, error);
    map->versions[map->count++] = pin;
}

static void
reserve_versions(dataset *map, size_t versions)
{
    size_t capacity = map->count;
    map->versions = xgrow(map->versions, &capacity, versions, sizeof(pqt_pin *));
}

dataset
dataset_of(const char *name, const pqt_item *items, size_t count, uint64_t seed)
{
    dataset map = {.name = name, .luck = {seed}, .plain = model_of(items, count)};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = tool_memory();
    reserve_versions(&map, 1);
    keep_version(&map, pqt_tree_of(map.plain.items, count, &options, &error), &error);
    return map;
}

void
dataset_free(dataset *map)
{
    for (size_t i = 0; i < map->count; i++)
        pqt_unpin(&map->versions[i]);
    free(map->versions);
    model_free(&map->plain);
}

const pqt_tree *
dataset_version(const dataset *map, size_t version)
{
    return pqt_pin_get_tree(map->versions[version]);
}

static void
generate_edit(dataset *map)
{
    model *plain = &map->plain;
    size_t kind = roll_below(&map->luck, 3);
    if (kind == EDIT_INSERT || plain->count == 0) {
        model_insert(plain, displace_box(&map->luck, box_of_any_item(map)));
        return;
    }
    size_t at = roll_below(&map->luck, plain->count);
    if (kind == EDIT_REMOVE)
        model_remove(plain, at);
    else
        model_move(plain, at, displace_box(&map->luck, plain->items[at].box));
}

static const pqt_tree *
apply_edit(const pqt_tree *tree, const edit *one, pqt_error *error)
{
    if (one->kind == EDIT_INSERT)
        return pqt_tree_insert(tree, one->item, error);
    if (one->kind == EDIT_REMOVE)
        return pqt_tree_remove(tree, one->item, error);
    return pqt_tree_move(tree, one->item, one->to, error);
}

void
dataset_edit(dataset *map, size_t edits)
{
    const pqt_tree *tree = dataset_version(map, map->count - 1);
    pqt_error error = {0};
    for (size_t i = 0; i < edits; i++)
        generate_edit(map);
    reserve_versions(map, map->count + edits);
    progress_begin("editing", edits, PROGRESS_COUNT);
    double start = clock_seconds();
    for (size_t i = 0; i < edits; i++) {
        tree = apply_edit(tree, &map->plain.log[i], &error);
        keep_version(map, tree, &error);
        progress_at(i);
    }
    map->edit_time = (clock_seconds() - start) / (double)(edits > 0 ? edits : 1);
    progress_end();
}

/* Returns the mean duration of a search in seconds, either in random versions or in the newest
   one. */
static double
time_searches(dataset *map, const pqt_box *windows, bool in_any, uint64_t *ids)
{
    const pqt_tree *tree = dataset_version(map, map->count - 1);
    size_t capacity = map->plain.count + map->plain.edits;
    uint64_t found = 0;
    double start = clock_seconds();
    for (size_t i = 0; i < SEARCHES; i++) {
        pqt_query query = {.window = windows[i % WINDOWS], .relation = PQT_TOUCHES};
        if (in_any)
            tree = dataset_version(map, roll_below(&map->luck, map->count));
        found += pqt_tree_collect_ids(tree, &query, ids, capacity);
    }
    map->found = (double)found / SEARCHES;
    return (clock_seconds() - start) / SEARCHES;
}

void
dataset_search(dataset *map)
{
    pqt_box windows[WINDOWS];
    size_t capacity = 0;
    uint64_t *ids = xgrow(NULL, &capacity, map->plain.count + map->plain.edits, sizeof *ids);
    for (size_t i = 0; i < WINDOWS; i++)
        windows[i] = roll_window(map);
    map->new_search_time = time_searches(map, windows, false, ids);
    map->old_search_time = time_searches(map, windows, true, ids);
    free(ids);
}

void
dataset_measure(dataset *map)
{
    const pqt_tree *before = dataset_version(map, 0);
    map->first_bytes = pqt_tree_get_stats(before).bytes;
    map->plain_bytes = pqt_tree_count(before) * sizeof(pqt_item);
    progress_begin("measuring", map->count, PROGRESS_COUNT);
    for (size_t v = 1; v < map->count; v++) {
        const pqt_tree *after = dataset_version(map, v);
        map->further_bytes +=
            pqt_tree_get_stats(after).bytes - pqt_tree_shared_bytes(before, after);
        map->plain_bytes += pqt_tree_count(after) * sizeof(pqt_item);
        before = after;
        progress_at(v);
    }
    progress_end();
}
