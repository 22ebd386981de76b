/* SPDX-License-Identifier: MIT */
/*
 * dataset.c - one layer of the demo's map: its edits, and what they cost.
 *
 * The edits are made up on the plain model first, and then done on the tree from the model's log:
 * so the clock sees the library alone.
 */
#include "config.h"

#include "tool/demo/dataset.h"

#include <stdlib.h>

#include "tool/stress/latency_histogram.h"
#include "tool/tool.h"

enum {
    SEARCHES = 20000, /* of which the mean is told */
    WINDOWS = 256,    /* different ones among them */
    FAR_ONE_IN = 50   /* edits that go anywhere; the others stay near, so the map stays a map */
};

/* Degrees. */
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
box_of_any_item(layer *map)
{
    const model *plain = &map->plain;
    if (plain->count == 0)
        return (pqt_box){{0, 0}, {0, 0}};
    return plain->items[roll_below(&map->luck, plain->count)].box;
}

/* A box of the same size, near or anywhere on the map. */
static pqt_box
displaced(dice *luck, pqt_box box)
{
    double x = roll_between(luck, -NEAR, NEAR), y = roll_between(luck, -NEAR, NEAR);
    if (roll_below(luck, FAR_ONE_IN) == 0) {
        x = roll_between(luck, -180, 180) - box.min.x;
        y = roll_between(luck, -90, 90) - box.min.y;
    }
    return (pqt_box){{box.min.x + x, box.min.y + y}, {box.max.x + x, box.max.y + y}};
}

pqt_box
roll_window(layer *map)
{
    pqt_vec centre = box_of_any_item(map).min;
    double reach = LARGEST_WINDOW / 2 / (double)(1 + roll_below(&map->luck, 8));
    if (roll_below(&map->luck, 8) == 0) /* a point, on the corner of an item */
        reach = 0;
    return (pqt_box){{centre.x - reach, centre.y - reach}, {centre.x + reach, centre.y + reach}};
}

static void
keep_version(layer *map, const pqt_tree *tree, pqt_error *error)
{
    pqt_pin *pin = pqt_tree_pin(tree, error);
    if (pin == NULL)
        complain_error(NULL, error);
    map->versions[map->count++] = pin;
}

static void
make_room(layer *map, size_t versions)
{
    size_t capacity = map->count;
    map->versions = grown(map->versions, &capacity, versions, sizeof(pqt_pin *));
}

layer
layer_of(const char *name, const pqt_item *items, size_t count, uint64_t seed)
{
    layer map = {.name = name, .luck = {seed}, .plain = model_of(items, count)};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = tool_memory();
    make_room(&map, 1);
    keep_version(&map, pqt_tree_of(map.plain.items, count, &options, &error), &error);
    return map;
}

void
layer_free(layer *map)
{
    for (size_t i = 0; i < map->count; i++)
        pqt_unpin(&map->versions[i]);
    free(map->versions);
    model_free(&map->plain);
}

const pqt_tree *
layer_version(const layer *map, size_t version)
{
    return pqt_pin_get_tree(map->versions[version]);
}

static void
make_up_edit(layer *map)
{
    model *plain = &map->plain;
    size_t kind = roll_below(&map->luck, 3);
    if (kind == EDIT_INSERT || plain->count == 0) {
        model_insert(plain, displaced(&map->luck, box_of_any_item(map)));
        return;
    }
    size_t at = roll_below(&map->luck, plain->count);
    if (kind == EDIT_REMOVE)
        model_remove(plain, at);
    else
        model_move(plain, at, displaced(&map->luck, plain->items[at].box));
}

static const pqt_tree *
edited(const pqt_tree *tree, const edit *one, pqt_error *error)
{
    if (one->kind == EDIT_INSERT)
        return pqt_tree_insert(tree, one->item, error);
    if (one->kind == EDIT_REMOVE)
        return pqt_tree_remove(tree, one->item, error);
    return pqt_tree_move(tree, one->item, one->to, error);
}

void
layer_edit(layer *map, size_t edits)
{
    const pqt_tree *tree = layer_version(map, map->count - 1);
    pqt_error error = {0};
    for (size_t i = 0; i < edits; i++)
        make_up_edit(map);
    make_room(map, map->count + edits);
    progress_begin("editing", edits);
    double begun = gauge_seconds();
    for (size_t i = 0; i < edits; i++) {
        tree = edited(tree, &map->plain.log[i], &error);
        keep_version(map, tree, &error);
        progress_at(i);
    }
    map->edit_time = (gauge_seconds() - begun) / (double)(edits > 0 ? edits : 1);
    progress_end();
}

/* Seconds of one search, the mean of many: in any version, or in the newest alone. */
static double
time_searches(layer *map, const pqt_box *windows, bool in_any, uint64_t *ids)
{
    const pqt_tree *tree = layer_version(map, map->count - 1);
    size_t capacity = map->plain.count + map->plain.edits;
    uint64_t found = 0;
    double begun = gauge_seconds();
    for (size_t i = 0; i < SEARCHES; i++) {
        pqt_query query = {.window = windows[i % WINDOWS], .relation = PQT_TOUCHES};
        if (in_any)
            tree = layer_version(map, roll_below(&map->luck, map->count));
        found += pqt_tree_collect_ids(tree, query, ids, capacity);
    }
    map->found = (double)found / SEARCHES;
    return (gauge_seconds() - begun) / SEARCHES;
}

void
layer_search(layer *map)
{
    pqt_box windows[WINDOWS];
    size_t capacity = 0;
    uint64_t *ids = grown(NULL, &capacity, map->plain.count + map->plain.edits, sizeof *ids);
    for (size_t i = 0; i < WINDOWS; i++)
        windows[i] = roll_window(map);
    map->new_search_time = time_searches(map, windows, false, ids);
    map->old_search_time = time_searches(map, windows, true, ids);
    free(ids);
}

void
layer_measure(layer *map)
{
    const pqt_tree *before = layer_version(map, 0);
    map->first_bytes = pqt_tree_get_stats(before).bytes;
    map->plain_bytes = pqt_tree_count(before) * sizeof(pqt_item);
    progress_begin("measuring", map->count);
    for (size_t v = 1; v < map->count; v++) {
        const pqt_tree *after = layer_version(map, v);
        map->further_bytes +=
            pqt_tree_get_stats(after).bytes - pqt_tree_shared_bytes(before, after);
        map->plain_bytes += pqt_tree_count(after) * sizeof(pqt_item);
        before = after;
        progress_at(v);
    }
    progress_end();
}
