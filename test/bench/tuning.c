/* SPDX-License-Identifier: MIT */
/*
 * tuning.c: measures leaf capacities, and batches compared with single edits and a rebuild. Prints
 * tables in Markdown for docs/performance.md.
 */
#include <pqt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random_boxes.h"

enum { ITEMS = 100000, MOVES = 10000, WINDOWS = 10000, LARGE_WINDOWS = 1000, REPEATS = 5 };

/* The inputs of all measurements. */
typedef struct ground {
    pqt_item items[ITEMS];
    /* one after another, each from the position after the previous move of the item */
    drawn_move moves[MOVES];
    pqt_box windows[WINDOWS], large_windows[LARGE_WINDOWS];
    drawn_move frame[ITEMS]; /* simultaneous moves, one for each item */
    pqt_change changes[ITEMS];
    pqt_item moved[ITEMS]; /* the items after these moves */
    const pqt_tree *tree;
    size_t change_count;
    pqt_error error;
} ground;

static void
fail_sync(const char *sentence)
{
    fprintf(stderr, "tuning: %s\n", sentence);
    exit(EXIT_FAILURE);
}

static double
now(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec;
}

/* ---- tasks ---- */

/* A task to be timed. The sum of its results is used only so that the compiler cannot remove the
 * task. */
typedef size_t task_fn(ground *g);

static size_t
count_of(const ground *g, const pqt_tree *tree)
{
    if (tree == NULL)
        fail_sync(g->error.text);
    return pqt_tree_count(tree);
}

static bool
add_ids(const uint64_t *ids, size_t count, void *context)
{
    for (size_t i = 0; i < count; i++)
        *(size_t *)context += ids[i];
    return true;
}

static size_t
prepare_diff(const ground *g, const pqt_box *windows, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        pqt_tree_visit_ids(g->tree, &(pqt_query){.window = windows[i], .relation = PQT_TOUCHES},
                           add_ids, &sum);
    return sum;
}

static size_t
ask_windows(ground *g)
{
    return prepare_diff(g, g->windows, WINDOWS);
}

static size_t
ask_large_windows(ground *g)
{
    return prepare_diff(g, g->large_windows, LARGE_WINDOWS);
}

static size_t
find_pairs(ground *g)
{
    return (size_t)pqt_pairs_count(g->tree, NULL, &(pqt_pair_query){.relation = PQT_TOUCHES});
}

static size_t
make_moves(ground *g)
{
    const pqt_tree *tree = g->tree;
    for (size_t i = 0; i < MOVES; i++)
        tree = pqt_tree_move(tree, g->moves[i].from, g->moves[i].to, &g->error);
    return count_of(g, tree);
}

static size_t
change_one_by_one(ground *g)
{
    const pqt_tree *tree = g->tree;
    for (size_t i = 0; i < g->change_count; i++)
        tree = pqt_tree_move(tree, g->changes[i].item, g->changes[i].to, &g->error);
    return count_of(g, tree);
}

static size_t
change_at_once(ground *g)
{
    return count_of(g, pqt_tree_apply(g->tree, g->changes, g->change_count, &g->error));
}

static size_t
make_anew(ground *g)
{
    return count_of(
        g, pqt_tree_insert_all(pqt_tree_clear(g->tree, &g->error), g->moved, ITEMS, &g->error));
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median time of several runs after a warm-up run, in nanoseconds. */
static double
time_of(ground *g, task_fn *task)
{
    double times[REPEATS];
    size_t found = task(g);
    for (int i = 0; i < REPEATS; i++) {
        double begun = now();
        if (task(g) != found)
            fail_sync("the same task found something else");
        times[i] = now() - begun;
    }
    qsort(times, REPEATS, sizeof *times, compare);
    return times[REPEATS / 2];
}

/* ---- tables ---- */

static void
build_from_source(ground *g, int capacity)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.leaf_capacity = capacity;
    g->tree = pqt_tree_of(g->items, ITEMS, &options, &g->error);
    (void)count_of(g, g->tree);
}

static size_t
build_again(ground *g)
{
    memcpy(g->moved, g->items, sizeof g->moved);
    return make_anew(g);
}

/* Returns the average number of bytes that a move adds to a version. */
static double
bytes_of_moves(ground *g)
{
    enum { LOOKED_AT = 500 };
    double sum = 0;
    const pqt_tree *before = g->tree;
    for (size_t i = 0; i < LOOKED_AT; i++) {
        const pqt_tree *after = pqt_tree_move(before, g->moves[i].from, g->moves[i].to, &g->error);
        (void)count_of(g, after);
        sum += (double)(pqt_tree_get_stats(after).bytes - pqt_tree_shared_bytes(after, before));
        before = after;
    }
    return sum / LOOKED_AT;
}

static void
print_capacities(ground *g)
{
    static const int capacities[] = {8, 16, 24, 32, 48};
    puts(
        "| leaf capacity | build, ns per item | move, ns | window of 10, ns | window of 1000, ns | "
        "all pairs, ms | bytes per item | bytes per move |\n|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++) {
        build_from_source(g, capacities[i]);
        printf("| %d | %.0f | %.0f | %.0f | %.0f | %.2f | %.1f | %.0f |\n", capacities[i],
               time_of(g, build_again) / ITEMS, time_of(g, make_moves) / MOVES,
               time_of(g, ask_windows) / WINDOWS, time_of(g, ask_large_windows) / LARGE_WINDOWS,
               time_of(g, find_pairs) / 1e6, (double)pqt_tree_get_stats(g->tree).bytes / ITEMS,
               bytes_of_moves(g));
        fflush(stdout);
    }
}

/* Selects `count` moves of the frame, spread over all items. */
static void
take_changes(ground *g, size_t count)
{
    memcpy(g->moved, g->items, sizeof g->moved);
    g->change_count = count;
    for (size_t i = 0; i < count; i++) {
        const drawn_move *chosen = &g->frame[i * (ITEMS / count)];
        g->changes[i] = (pqt_change){PQT_MOVE, chosen->from, chosen->to};
        g->moved[chosen->from.id].box = chosen->to;
    }
}

static void
print_batches(ground *g)
{
    static const size_t counts[] = {1, 10, 100, 1000, 3000, 10000, 30000, 100000};
    puts("| items that move, of 100,000 | one by one, ms | pqt_tree_apply, ms | rebuilt, ms "
         "|\n|---|---|---|---|");
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    build_from_source(g, options.leaf_capacity);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        take_changes(g, counts[i]);
        printf("| %zu | %.4g | %.4g | %.4g |\n", counts[i], time_of(g, change_one_by_one) / 1e6,
               time_of(g, change_at_once) / 1e6, time_of(g, make_anew) / 1e6);
        fflush(stdout);
    }
}

static void
draw_ground(ground *g)
{
    draw_items(UNIFORM, g->items, ITEMS);
    draw_windows(UNIFORM, ITEMS, 10, g->windows, WINDOWS);
    draw_windows(UNIFORM, ITEMS, 1000, g->large_windows, LARGE_WINDOWS);
    memcpy(g->moved, g->items, sizeof g->moved);
    draw_moves(UNIFORM, g->moved, ITEMS, g->moves, MOVES);
    memcpy(g->moved, g->items, sizeof g->moved);
    draw_frame(UNIFORM, 1, true, g->moved, ITEMS, g->frame);
}

int
main(int argc, char **argv)
{
    static ground g;
    bool batch = argc == 2 && strcmp(argv[1], "batch") == 0;
    if (!batch && (argc != 2 || strcmp(argv[1], "capacity") != 0)) {
        fprintf(stderr, "Usage: %s capacity|batch\n", argv[0]);
        return 2;
    }
    if (!pqt_init(&g.error))
        fail_sync(g.error.text);
    draw_ground(&g);
    (batch ? print_batches : print_capacities)(&g);
    return EXIT_SUCCESS;
}
