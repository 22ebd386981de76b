/* SPDX-License-Identifier: MIT */
/* workload.c - items that move so that each version can be checked by itself. */
#include "config.h"

#include "tool/stress/workload.h"

#include <math.h>
#include <stdlib.h>

#include "tool/tool.h"

/* The crowd's place is SIDE x SIDE. A move goes no further than FURTHEST to either side. */
#define SIDE 10000
#define FURTHEST 10

static double
draw_length(dice *luck, double most)
{
    return most * (double)roll_below(luck, 1000001) / 1e6;
}

/* Boxes of about the distance of neighbours; left edges are whole numbers. */
static pqt_box
draw_place(dice *luck, size_t count)
{
    const double most = SIDE / sqrt((double)count);
    const double x = (double)roll_below(luck, SIDE), y = draw_length(luck, SIDE);
    return (pqt_box){{x, y}, {x + draw_length(luck, most), y + draw_length(luck, most)}};
}

static bool
stands(uint64_t id)
{
    return id % 2 == 0;
}

static bool
touches(pqt_box a, pqt_box w)
{
    return a.min.x <= w.max.x && w.min.x <= a.max.x && a.min.y <= w.max.y && w.min.y <= a.max.y;
}

/* The answer is found by looking at each item. */
static question
draw_question(crowd *all)
{
    const double side = 2.5 * SIDE / sqrt((double)all->count);
    const double x = draw_length(&all->luck, SIDE), y = draw_length(&all->luck, SIDE);
    question drawn = {{{x, y}, {x + side, y + side}}, 0};
    for (size_t i = 0; i < all->count; i += 2)
        if (touches(all->items[i].box, drawn.window))
            drawn.sum += i + 1;
    return drawn;
}

crowd
crowd_make(size_t count)
{
    size_t capacity = 0;
    crowd all = {.count = count, .luck = {count}};
    all.items = grown(NULL, &capacity, count, sizeof *all.items);
    for (size_t i = 0; i < count; i++) {
        all.items[i] = (pqt_item){draw_place(&all.luck, count), i};
        if (!stands(i))
            all.lefts += all.items[i].box.min.x;
    }
    for (size_t i = 0; i < CROWD_QUESTIONS; i++)
        all.questions[i] = draw_question(&all);
    return all;
}

void
crowd_free(crowd *all)
{
    free(all->items);
    all->items = NULL;
}

static pqt_box
shifted(pqt_box box, double motion)
{
    return pqt_box_moved(box, (pqt_vec){motion, 0});
}

/* So far that both stay in their place; 0 if there is no such way. */
static double
draw_way(dice *luck, pqt_box right, pqt_box left)
{
    const double motion = (double)(1 + roll_below(luck, FURTHEST));
    return right.min.x + motion < SIDE && left.min.x - motion >= 0 ? motion : 0;
}

const pqt_tree *
crowd_move(crowd *all, const pqt_tree *tree, bool spoilt, pqt_error *error)
{
    const size_t movers = all->count / 2;
    const size_t at = roll_below(&all->luck, movers);
    const size_t other = (at + 1 + roll_below(&all->luck, movers - 1)) % movers;
    pqt_item *right = &all->items[2 * at + 1], *left = &all->items[2 * other + 1];
    const double motion = draw_way(&all->luck, right->box, left->box);
    const pqt_change changes[] = {
        {PQT_MOVE, *right, shifted(right->box, motion)},
        {PQT_MOVE, *left, shifted(left->box, spoilt ? 1 - motion : -motion)},
    };
    const pqt_tree *next = pqt_tree_apply(tree, changes, 2, error);
    if (next != NULL) {
        right->box = changes[0].to;
        left->box = changes[1].to;
    }
    return next;
}

/* Of a run of ids, those that stand. */
static bool
add_standing(const uint64_t *ids, size_t count, void *context)
{
    uint64_t *sum = context;
    for (size_t i = 0; i < count; i++)
        *sum += stands(ids[i]) ? ids[i] + 1 : 0;
    return true;
}

bool
crowd_ask(const crowd *all, const pqt_tree *tree, size_t number)
{
    const question *asked = &all->questions[number % CROWD_QUESTIONS];
    const pqt_query query = {.window = asked->window, .relation = PQT_TOUCHES};
    uint64_t sum = 0;
    pqt_tree_visit_ids(tree, query, add_standing, &sum);
    return sum == asked->sum;
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
    if (!stands(item->id))
        sums->lefts += item->box.min.x;
    return true;
}

bool
crowd_check(const crowd *all, const pqt_tree *tree)
{
    totals sums = {0};
    pqt_tree_visit(tree, pqt_query_all(), add_totals, &sums);
    return sums.count == all->count && sums.lefts == all->lefts &&
           sums.ids == (uint64_t)all->count * (all->count - 1) / 2;
}

bool
crowd_equals(const crowd *all, const pqt_tree *tree)
{
    bool equal = pqt_tree_count(tree) == all->count;
    for (size_t i = 0; equal && i < all->count; i++)
        equal = pqt_tree_contains(tree, all->items[i]);
    return equal;
}
