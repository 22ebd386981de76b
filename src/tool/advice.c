/* SPDX-License-Identifier: MIT */
/*
 * advice.c: measures by how much the bounds of a tree slow down its searches, and recommends better
 * bounds.
 *
 * A tree halves its bounds at most max_depth times. Items in one cell of the last level are not
 * divided by position, so a search in that cell tests all of them. This effect is measured, not
 * estimated from sizes: windows with about ten hits are searched in the tree and in other trees of
 * the same items.
 */
#include "config.h"

#include "tool/advice.h"

#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/progress.h"
#include "tool/tool_memory.h"

enum { NEAREST = 10 /* the minimum number of items in a window, if there are that many items */ };

/* Advice is printed if another tree of the same items needs less than half as many tests. */
#define MIN_RATIO 2.0

/* Windows around some of the items. Each reaches to the tenth nearest neighbour of its item. */
typedef struct samples {
    pqt_box windows[ADVICE_SAMPLES];
    size_t count;
} samples;

advice_items
advice_sample(const table *rows)
{
    advice_items sample = {.count = rows->count < ADVICE_SAMPLES ? rows->count : ADVICE_SAMPLES};
    for (size_t i = 0; i < sample.count; i++)
        sample.items[i] = rows->items[i * (rows->count / sample.count)];
    return sample;
}

static samples
sample_windows(const pqt_tree *tree, const advice_items *sample)
{
    samples s = {.count = sample->count};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    for (size_t i = 0; i < s.count; i++) {
        pqt_near near[NEAREST];
        pqt_vec centre = pqt_box_centre(sample->items[i].box);
        size_t found = pqt_tree_nearest(tree, (pqt_box){centre, centre}, &options, near, NEAREST);
        s.windows[i] = pqt_box_grown((pqt_box){centre, centre}, near[found - 1].distance);
    }
    return s;
}

static bool
ignore_item(const pqt_item *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

/* Returns the average number of boxes that a search tests one by one. */
static double
tests_in(const pqt_tree *tree, const samples *s)
{
    pqt_query_stats stats = {0};
    for (size_t i = 0; i < s->count; i++) {
        pqt_query query = {.window = s->windows[i], .relation = PQT_TOUCHES, .stats = &stats};
        pqt_tree_visit(tree, &query, ignore_item, NULL);
    }
    return (double)stats.boxes / (double)s->count;
}

/* Returns a tree of the same items with other bounds. NULL means the smallest bounds that contain
   all items. */
static const pqt_tree *
tree_in(const pqt_box *bounds, const pqt_tree_options *options, const pqt_tree *of)
{
    pqt_error error = {0};
    const pqt_query all = pqt_query_all();
    const size_t count = pqt_tree_count(of);
    size_t capacity = 0;
    const pqt_tree *tree;
    pqt_item *items = xgrow(NULL, &capacity, count, sizeof *items);
    pqt_tree_collect(of, &all, items, count);
    progress_begin_wait("building", count);
    if (bounds != NULL) {
        tree = pqt_tree_make(*bounds, options, &error);
        tree = pqt_tree_insert_all(tree, items, count, &error);
    } else {
        tree = pqt_tree_of(items, count, options, &error);
    }
    if (tree == NULL)
        die_error(NULL, &error);
    progress_end();
    free(items);
    return tree;
}

static void
print_box(pqt_box box)
{
    printf("--bounds=%s,%s,%s,%s", shortest(box.min.x).text, shortest(box.min.y).text,
           shortest(box.max.x).text, shortest(box.max.y).text);
}

/* Prints advice, based on the numbers of boxes that a search tests in the tree, in a tree with the
   smallest bounds, and in a tree with the largest depth. */
static void
print_advice(size_t outside, double tests, double tight, double deep, pqt_box smallest)
{
    bool costs = tight > 0 && tests >= MIN_RATIO * tight;
    if (outside == 0 && !costs)
        return;
    printf("%-16s ", "advice");
    if (outside > 0)
        printf("%s item%s outside the bounds; ", grouped(outside).text,
               outside == 1 ? " is" : "s are");
    if (costs)
        printf("searches test %.0f times as many boxes as necessary; ", tests / tight);
    fputs("use ", stdout);
    print_box(smallest);
    if (costs && deep < MIN_RATIO * tight)
        printf(" or --depth=%d", PQT_MAX_DEPTH);
    putchar('\n');
}

void
print_bounds_advice(const pqt_tree *tree, const advice_items *sample,
                    const pqt_tree_options *options, bool bounds_are_given, size_t outside)
{
    if (sample->count == 0)
        return;
    const pqt_tree *smallest = bounds_are_given ? tree_in(NULL, options, tree) : tree;
    samples s = sample_windows(smallest, sample);
    double tests = tests_in(tree, &s);
    printf("%-16s %.1f\n", "boxes per search", tests);
    if (!bounds_are_given)
        return;
    pqt_box bounds = pqt_tree_bounds(tree);
    pqt_tree_options deepest = *options;
    deepest.max_depth = PQT_MAX_DEPTH;
    print_advice(outside, tests, tests_in(smallest, &s),
                 tests_in(tree_in(&bounds, &deepest, tree), &s), pqt_tree_bounds(smallest));
}
