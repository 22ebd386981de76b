/* SPDX-License-Identifier: MIT */
/* workload.c: makes versions of moving items, each of which can be checked on its own. */
#include "config.h"

#include "tool/stress/workload.h"

#include <math.h>
#include <stdlib.h>

#include "tool/tool_memory.h"

/* The world has the size SIDE x SIDE. An item moves by at most MAX_MOTION to either side. */
#define SIDE 10000
#define MAX_MOTION 10

static double
draw_length(dice *luck, double most)
{
    return most * (double)roll_below(luck, 1000001) / 1e6;
}

/* Returns a box that is as wide as the distance between neighbours. Its left edge is a whole
   number. */
static pqt_box
draw_box(dice *luck, size_t count)
{
    const double most = SIDE / sqrt((double)count);
    const double x = (double)roll_below(luck, SIDE), y = draw_length(luck, SIDE);
    return (pqt_box){{x, y}, {x + draw_length(luck, most), y + draw_length(luck, most)}};
}

static bool
is_resting(uint64_t id)
{
    return id % 2 == 0;
}

static bool
touches(pqt_box a, pqt_box w)
{
    return a.min.x <= w.max.x && w.min.x <= a.max.x && a.min.y <= w.max.y && w.min.y <= a.max.y;
}

/* Finds the result of a check query by testing each item. */
static check_query
draw_check_query(workload *all)
{
    const double side = 2.5 * SIDE / sqrt((double)all->count);
    const double x = draw_length(&all->luck, SIDE), y = draw_length(&all->luck, SIDE);
    check_query drawn = {{{x, y}, {x + side, y + side}}, 0};
    for (size_t i = 0; i < all->count; i += 2)
        if (touches(all->items[i].box, drawn.window))
            drawn.sum += i + 1;
    return drawn;
}

workload
workload_make(size_t count)
{
    size_t capacity = 0;
    workload all = {.count = count, .luck = {count}};
    all.items = xgrow(NULL, &capacity, count, sizeof *all.items);
    for (size_t i = 0; i < count; i++) {
        all.items[i] = (pqt_item){draw_box(&all.luck, count), i};
        if (!is_resting(i))
            all.lefts += all.items[i].box.min.x;
    }
    for (size_t i = 0; i < WORKLOAD_CHECKS; i++)
        all.check_queries[i] = draw_check_query(&all);
    return all;
}

void
workload_free(workload *all)
{
    free(all->items);
    all->items = NULL;
}

static pqt_box
shifted(pqt_box box, double motion)
{
    return pqt_box_moved(box, (pqt_vec){motion, 0});
}

/* Returns a random distance by which both items of a pair can move, or 0 if one of them would leave
   the world. */
static double
draw_motion(dice *luck, pqt_box right, pqt_box left)
{
    const double motion = (double)(1 + roll_below(luck, MAX_MOTION));
    return right.min.x + motion < SIDE && left.min.x - motion >= 0 ? motion : 0;
}

const pqt_tree *
workload_move(workload *all, const pqt_tree *tree, bool corrupt, pqt_error *error)
{
    const size_t movers = all->count / 2;
    const size_t at = roll_below(&all->luck, movers);
    const size_t other = (at + 1 + roll_below(&all->luck, movers - 1)) % movers;
    pqt_item *right = &all->items[2 * at + 1], *left = &all->items[2 * other + 1];
    const double motion = draw_motion(&all->luck, right->box, left->box);
    const pqt_change changes[] = {
        {PQT_MOVE, *right, shifted(right->box, motion)},
        {PQT_MOVE, *left, shifted(left->box, corrupt ? 1 - motion : -motion)},
    };
    const pqt_tree *next = pqt_tree_apply(tree, changes, 2, error);
    if (next != NULL) {
        right->box = changes[0].to;
        left->box = changes[1].to;
    }
    return next;
}

/* Adds id + 1 to the sum for each resting item in a run of ids. */
static bool
add_resting(const uint64_t *ids, size_t count, void *context)
{
    uint64_t *sum = context;
    for (size_t i = 0; i < count; i++)
        *sum += is_resting(ids[i]) ? ids[i] + 1 : 0;
    return true;
}

bool
workload_run_check(const workload *all, const pqt_tree *tree, size_t number)
{
    const check_query *req = &all->check_queries[number % WORKLOAD_CHECKS];
    const pqt_query query = {.window = req->window, .relation = PQT_TOUCHES};
    uint64_t sum = 0;
    pqt_tree_visit_ids(tree, &query, add_resting, &sum);
    return sum == req->sum;
}

typedef struct totals {
    size_t count;
    uint64_t ids;
    double lefts;
} totals;

static bool
add_totals(const pqt_item *item, void *context)
{
    totals *sums = context;
    sums->count++;
    sums->ids += item->id;
    if (!is_resting(item->id))
        sums->lefts += item->box.min.x;
    return true;
}

bool
workload_check(const workload *all, const pqt_tree *tree)
{
    totals sums = {0};
    pqt_tree_visit(tree, NULL, add_totals, &sums);
    return sums.count == all->count && sums.lefts == all->lefts &&
           sums.ids == (uint64_t)all->count * (all->count - 1) / 2;
}

bool
workload_equals(const workload *all, const pqt_tree *tree)
{
    bool equal = pqt_tree_count(tree) == all->count;
    for (size_t i = 0; equal && i < all->count; i++)
        equal = pqt_tree_contains(tree, all->items[i]);
    return equal;
}
