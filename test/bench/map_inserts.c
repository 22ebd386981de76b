/* SPDX-License-Identifier: MIT */
/*
 * map_inserts.c: compares the time and bytes of an insert into a map of 100,000 entries with those
 * of an insert into a tree of 100,000 items. Every version is kept, in one arena for the map and
 * one for the tree. Rounds alternate, and the median of the rounds is printed for each.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pqt.h>

enum { COUNT = 100000, EDITS = 20000, ROUNDS = 7 };

static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static pqt_item
random_item(uint64_t *state)
{
    const double x = (double)(next_random(state) >> 11) * 0x1p-53;
    const double y = (double)(next_random(state) >> 11) * 0x1p-53;
    return (pqt_item){{{x, y}, {x + 1e-4, y + 1e-4}}, next_random(state)};
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static pqt_memory *
make_arena(void)
{
    pqt_memory *arena = pqt_arena_make(0, NULL);
    if (arena == NULL)
        abort();
    return arena;
}

/* Measures the nanoseconds and bytes per insert. */
static void
insert_into_tree(double *time, double *bytes)
{
    uint64_t state = 1;
    pqt_memory *arena = make_arena();
    pqt_item *items = calloc(COUNT, sizeof *items);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    for (size_t i = 0; i < COUNT; i++)
        items[i] = random_item(&state);
    const pqt_tree *tree = pqt_tree_of(items, COUNT, &options, NULL);
    const uint64_t before = pqt_memory_get_stats(arena).bytes;
    const double start = now();
    for (size_t i = 0; i < EDITS; i++)
        tree = pqt_tree_insert(tree, random_item(&state), NULL);
    *time = (now() - start) / EDITS;
    *bytes = (double)(pqt_memory_get_stats(arena).bytes - before) / EDITS;
    free(items);
    pqt_arena_destroy(&arena);
}

static void
insert_into_map(double *time, double *bytes)
{
    uint64_t state = 1;
    pqt_memory *arena = make_arena();
    pqt_map_change *changes = calloc(COUNT, sizeof *changes);
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    for (size_t i = 0; i < COUNT; i++)
        changes[i] =
            (pqt_map_change){PQT_MAP_INSERT, pqt_map_id(next_random(&state)), pqt_map_number(i)};
    const pqt_map *map = pqt_map_apply(pqt_map_make(&options, NULL), changes, COUNT, NULL);
    const uint64_t before = pqt_memory_get_stats(arena).bytes;
    const double start = now();
    for (size_t i = 0; i < EDITS; i++)
        map = pqt_map_insert(map, pqt_map_id(next_random(&state)), pqt_map_number(i), NULL);
    *time = (now() - start) / EDITS;
    *bytes = (double)(pqt_memory_get_stats(arena).bytes - before) / EDITS;
    free(changes);
    pqt_arena_destroy(&arena);
}

static int
compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int
main(void)
{
    double tree[ROUNDS], map[ROUNDS], tree_bytes = 0, map_bytes = 0;
    for (int i = 0; i < ROUNDS; i++) {
        insert_into_tree(&tree[i], &tree_bytes);
        insert_into_map(&map[i], &map_bytes);
    }
    qsort(tree, ROUNDS, sizeof *tree, compare_doubles);
    qsort(map, ROUNDS, sizeof *map, compare_doubles);
    printf("insert into a tree: %6.0f ns %6.0f bytes of chunks\n", tree[ROUNDS / 2], tree_bytes);
    printf("insert into a map:  %6.0f ns %6.0f bytes of chunks\n", map[ROUNDS / 2], map_bytes);
    printf("map / tree: %.2f of the time\n", map[ROUNDS / 2] / tree[ROUNDS / 2]);
    return EXIT_SUCCESS;
}
