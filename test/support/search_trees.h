/* SPDX-License-Identifier: MIT */
/*
 * search_trees.h: trees with lists of their items, for tests of nearest items, rays and sweeps.
 *
 * A scene is a version that random batches change, with the bounds and boxes of tree_bounds.h, or
 * one of the shipped data sets. Its items are listed in tree order, so the index of an item is its
 * rank.
 */
#ifndef TEST_SEARCH_TREES_H
#define TEST_SEARCH_TREES_H

#include <stdio.h>

#include <pqt/limits.h>

#include "options_support.h"
#include "random.h"
#include "tree_bounds.h"
#include "tree_support.h"

enum { SCENE_BATCH = 48, SCENE_MOST = 400 };

typedef struct scene {
    dice d;
    const world *world;
    box_layout layout;
    const pqt_tree *tree;
    pqt_item *items;
    size_t count;
} scene;

/* Lists the items again. Call it whenever the tree has changed. */
static inline void
scene_list(scene *s)
{
    s->count = pqt_tree_count(s->tree);
    s->items = realloc(s->items, (s->count + 1) * sizeof *s->items);
    ck_assert_ptr_nonnull(s->items);
    ck_assert_uint_eq(pqt_tree_collect(s->tree, (pqt_query[]){query_of_all()}, s->items, s->count),
                      s->count);
}

static inline void
scene_free(scene *s)
{
    free(s->items);
    s->items = NULL;
}

/* Makes an empty tree with random bounds and options. */
static inline scene
scene_draw(uint64_t seed, pqt_memory *memory)
{
    static const int capacities[] = {1, 2, 3, 24, 64};
    static const int depths[] = {0, 1, 8, 24, 32};
    scene s = {.d = {seed}};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    s.world = &worlds[dice_below(&s.d, worlds_count)];
    s.layout = (box_layout)dice_below(&s.d, BOX_LAYOUTS);
    options.leaf_capacity = capacities[dice_below(&s.d, 5)];
    options.max_depth = depths[dice_below(&s.d, 5)];
    options.unique_ids = dice_chance(&s.d, 30);
    options.memory = memory;
    s.tree = made(s.world->bounds, options);
    scene_list(&s);
    return s;
}

/* Inserts, moves and removes items. One edit in six is a move, and one in six a removal. Items may
   occur more than once. */
static inline void
scene_change(scene *s)
{
    pqt_change changes[SCENE_BATCH];
    size_t count = 1 + dice_below(&s->d, SCENE_BATCH);
    for (size_t i = 0; i < count; i++) {
        pqt_box to = draw_box(&s->d, s->world->bounds, s->layout);
        size_t which = dice_below(&s->d, s->count > SCENE_MOST ? 2 : 6);
        changes[i] = inserting(boxed(to, dice_below(&s->d, 1000)));
        if (s->count > 0 && which < 2) {
            pqt_item old = s->items[dice_below(&s->d, s->count)];
            changes[i] = which == 0 ? removing(old) : moving(old, to);
        }
    }
    s->tree = applied(s->tree, changes, count);
    scene_list(s);
}

/* Returns a finite box, often a point. It is like the items of this world, equal to one of them, or
 * from another distribution. */
static inline pqt_box
scene_draw_box(scene *s)
{
    pqt_box drawn =
        draw_box(&s->d, s->world->bounds, dice_chance(&s->d, 50) ? s->layout : BOXES_MIXED);
    if (s->count > 0 && dice_chance(&s->d, 20))
        drawn = s->items[dice_below(&s->d, s->count)].box;
    if (dice_chance(&s->d, 50))
        drawn.max = drawn.min;
    return drawn;
}

static inline const char *
scene_name(const scene *s)
{
    static char name[128];
    pqt_tree_options options = options_of_tree(s->tree);
    snprintf(name, sizeof name, "%s, %s, capacity %d, depth %d, %zu items", s->world->name,
             box_layout_name(s->layout), options.leaf_capacity, options.max_depth, s->count);
    return name;
}

static inline bool
has_divisible_id(const pqt_item *item, void *context)
{
    const uint64_t *divisor = context;
    return item->id % *divisor == 0;
}

/* Returns NULL or a filter that accepts every item, some items, or hardly any. */
static inline pqt_filter_fn *
scene_draw_filter(scene *s, void **context)
{
    static uint64_t divisors[] = {1, 2, 3, 50, UINT64_MAX};
    *context = &divisors[dice_below(&s->d, 5)];
    return dice_chance(&s->d, 70) ? NULL : has_divisible_id;
}

/* Changes many scenes `changes` times each, and checks a scene after each change. If `memory` is
   NULL, each scene has an arena. */
static inline void
scenes_run(const char *name, pqt_memory *memory, size_t scenes, int changes,
           void (*check)(scene *s))
{
    uint64_t seed = test_seed(name);
    for (size_t run = 0; run < scenes; run++) {
        pqt_memory *own = memory == NULL ? pqt_arena_make(0, NULL) : memory;
        scene s = scene_draw(seed + run, own);
        for (int i = 0; i < changes; i++) {
            scene_change(&s);
            check(&s);
        }
        scene_free(&s);
        if (memory == NULL)
            pqt_arena_destroy(&own);
    }
}

/* Does the same in the collector, if there is one. */
static inline void
scenes_run_in_collector(const char *name, size_t scenes, int changes, void (*check)(scene *s))
{
    if (pqt_collector() != NULL)
        scenes_run(name, pqt_collector(), scenes, changes, check);
    else
        ck_assert_ptr_null(pqt_collector());
}

/* ---- The data sets of places ---- */

static inline FILE *
open_places(const char *name)
{
    const char *top = getenv("srcdir");
    char path[4096], line[1024];
    snprintf(path, sizeof path, "%s/docs/examples/data/%s", top == NULL ? "." : top, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    return file;
}

/* Reads the next line, and copies its part after the last quoted field to `rest`. Returns false at
 * the end. */
static inline bool
next_place(FILE *file, char *rest, size_t size)
{
    char line[1024];
    if (fgets(line, sizeof line, file) == NULL)
        return false;
    const char *quote = strrchr(line, '"');
    ck_assert_ptr_nonnull(quote);
    snprintf(rest, size, "%s", quote + 1);
    return true;
}

/* Reads a line of the form "name",part,min_lon,min_lat,max_lon,max_lat. */
static inline bool
read_country(const char *text, pqt_box *to)
{
    unsigned part;
    return sscanf(text, ",%u,%lf,%lf,%lf,%lf", &part, &to->min.x, &to->min.y, &to->max.x,
                  &to->max.y) == 5;
}

/* Reads a line of the form "name",country,lon,lat,population. */
static inline bool
read_city(const char *text, pqt_box *to)
{
    const char *numbers = strchr(text + 1, ',');
    if (numbers == NULL || sscanf(numbers, ",%lf,%lf", &to->min.x, &to->min.y) != 2)
        return false;
    to->max = to->min;
    return true;
}

static inline scene
scene_of_places(uint64_t seed, bool cities)
{
    static const world globe = {"the globe", {{-180, -90}, {180, 90}}};
    scene s = {.d = {seed}, .world = &globe, .layout = BOXES_UNIFORM};
    FILE *file = open_places(cities ? "cities.csv" : "countries.csv");
    pqt_item *items = NULL;
    size_t count = 0;
    char rest[1024];
    while (next_place(file, rest, sizeof rest)) {
        if (count % 4096 == 0)
            items = realloc(items, (count + 4096) * sizeof *items);
        ck_assert_ptr_nonnull(items);
        ck_assert((cities ? read_city : read_country)(rest, &items[count].box));
        items[count].id = count;
        count++;
    }
    fclose(file);
    ck_assert_uint_gt(count, 4000);
    pqt_error error = {0};
    s.tree = made(globe.bounds, options_of(24, 24));
    s.tree = pqt_tree_insert_all(s.tree, items, count, &error);
    must(s.tree, &error);
    free(items);
    scene_list(&s);
    return s;
}

#endif
