/* SPDX-License-Identifier: MIT */
/* broad.c - neighbours within a step, by a tree over the boxes that balls will not leave. */
#include "config.h"

#include "world/broad.h"

#include <string.h>

#include <pqt/collision.h>

#include "base/error.h"
#include "memory/memory.h"
#include "world/anew.h"

enum { FIRST_EDGES = 1024, MOST_CHANGES = 1 << 15 };

static pqt_box
grown(pqt_box box, double by)
{
    return (pqt_box){{box.min.x - by, box.min.y - by}, {box.max.x + by, box.max.y + by}};
}

/* All of a ball's way from its last event to the end of the step. Sums of products are monotone in time. */
static pqt_box
way_of(const pqti_ball *ball, double end)
{
    pqt_vec from = ball->position, to = pqti_ball_at(ball, end);
    pqt_box way = {{pqti_lesser(from.x, to.x), pqti_lesser(from.y, to.y)},
                   {pqti_greater(from.x, to.x), pqti_greater(from.y, to.y)}};
    return grown(way, ball->radius);
}

/* More than the rounding of a box's sides: so what touches, finds each other. */
static double
margin_of(const pqti_ball *ball, pqt_box box)
{
    double x = pqti_greater(pqti_magnitude(box.min.x), pqti_magnitude(box.max.x));
    double y = pqti_greater(pqti_magnitude(box.min.y), pqti_magnitude(box.max.y));
    return 0x1p-20 * ball->radius + 0x1p-45 * pqti_greater(x, y);
}

/*
 * The reach of a slow ball has room to all sides, so that it is not left at each bounce. That of a fast one
 * holds its way alone.
 */
static pqt_box
reach_of(const pqti_ball *ball, double end)
{
    pqt_box way = way_of(ball, end);
    double span = end - ball->time;
    double far = pqti_greater(pqti_magnitude(ball->velocity.x), pqti_magnitude(ball->velocity.y));
    double slow = 1.25 * far * span;
    if (slow <= 2 * ball->radius) {
        pqt_vec p = ball->position;
        way = grown((pqt_box){p, p}, ball->radius + slow);
    }
    return grown(way, margin_of(ball, way));
}

/* Joins two balls. False: no memory, or more edges than can be counted. */
static bool
join(pqti_broad *broad, uint32_t a, uint32_t b)
{
    if (broad->edge_count + 2 > broad->edge_room) {
        size_t room = broad->edge_room == 0 ? FIRST_EDGES : broad->edge_room * 2;
        pqti_edge *edges = room < PQTI_NO_EDGE ? pqti_scratch(room, sizeof *edges) : NULL;
        if (edges == NULL)
            return false;
        if (broad->edge_count > 0)
            memcpy(edges, broad->edges, broad->edge_count * sizeof *edges);
        pqti_scratch_free(broad->edges);
        broad->edges = edges;
        broad->edge_room = room;
    }
    uint32_t at = (uint32_t)broad->edge_count;
    broad->edges[at] = (pqti_edge){b, broad->balls[a].edge};
    broad->edges[at + 1] = (pqti_edge){a, broad->balls[b].edge};
    broad->balls[a].edge = at;
    broad->balls[b].edge = at + 1;
    broad->edge_count += 2;
    return true;
}

static bool
join_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    pqti_broad *broad = context;
    if (broad->balls[a->id].still && broad->balls[b->id].still)
        return true;
    return join(broad, (uint32_t)a->id, (uint32_t)b->id);
}

static pqt_item
item_of(const pqti_broad *broad, uint32_t ball)
{
    return (pqt_item){broad->balls[ball].reach, ball};
}

static const pqt_tree *
make_tree(const pqti_broad *broad, pqt_box bounds, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = broad->arena;
    const pqt_tree *empty = pqt_tree_make(bounds, &options, error);
    pqt_item *items = pqti_scratch(broad->count, sizeof *items);
    const pqt_tree *tree = NULL;
    if (items == NULL)
        pqti_out_of_memory(error);
    for (uint32_t i = 0; items != NULL && i < broad->count; i++)
        items[i] = item_of(broad, i);
    if (items != NULL && empty != NULL)
        tree = pqti_tree_anew(empty, items, broad->count, error);
    pqti_scratch_free(items);
    return tree;
}

bool
pqti_broad_begin(pqti_broad *broad, pqt_error *error)
{
    pqt_pair_query query = {.relation = PQT_TOUCHES};
    pqt_box bounds = {{0, 0}, {0, 0}};
    for (uint32_t i = 0; i < broad->count; i++) {
        pqti_ball *ball = &broad->balls[i];
        ball->edge = PQTI_NO_EDGE;
        ball->reach = reach_of(ball, broad->end);
        bounds = i == 0 ? ball->reach : pqt_box_union(bounds, ball->reach);
    }
    broad->arena = pqt_arena_make(0, error);
    if (broad->arena == NULL || (broad->tree = make_tree(broad, bounds, error)) == NULL)
        return false;
    if (pqt_pairs_visit(broad->tree, NULL, query, join_pair, broad))
        return true;
    pqti_out_of_memory(error);
    return false;
}

/* What a ball meets that it did not meet before. */
typedef struct meeting {
    pqti_broad *broad;
    uint32_t ball;
    pqt_box before;
} meeting;

static bool
join_met(const pqt_item *item, void *context)
{
    meeting *m = context;
    if (item->id == m->ball || pqt_box_touches(item->box, m->before))
        return true;
    return join(m->broad, m->ball, (uint32_t)item->id);
}

/* Old versions of the tree fill the arena; now and then the newest moves into another. */
static bool
sweep_arena(pqti_broad *broad, pqt_error *error)
{
    if (++broad->changes < MOST_CHANGES)
        return true;
    pqt_memory *arena = pqt_arena_make(0, error);
    if (arena == NULL)
        return false;
    const pqt_tree *tree = pqt_tree_copy(broad->tree, arena, error);
    if (tree == NULL) {
        pqt_arena_destroy(&arena);
        return false;
    }
    pqt_arena_destroy(&broad->arena);
    broad->arena = arena;
    broad->tree = tree;
    broad->changes = 0;
    return true;
}

/* Gives a ball another reach. */
static bool
change_reach(pqti_broad *broad, uint32_t ball, pqt_box reach, pqt_error *error)
{
    meeting m = {broad, ball, broad->balls[ball].reach};
    const pqt_tree *tree = pqt_tree_move(broad->tree, item_of(broad, ball), reach, error);
    if (tree == NULL)
        return false;
    broad->tree = tree;
    broad->balls[ball].reach = reach;
    pqt_query query = {.window = reach, .relation = PQT_TOUCHES};
    if (!pqt_tree_visit(tree, query, join_met, &m)) {
        pqti_out_of_memory(error);
        return false;
    }
    return sweep_arena(broad, error);
}

bool
pqti_broad_follow(pqti_broad *broad, uint32_t ball, pqt_error *error)
{
    const pqti_ball *b = &broad->balls[ball];
    if (pqt_box_is_inside(way_of(b, broad->end), b->reach))
        return true;
    return change_reach(broad, ball, reach_of(b, broad->end), error);
}

bool
pqti_broad_surround(pqti_broad *broad, uint32_t ball, pqt_error *error)
{
    const pqti_ball *b = &broad->balls[ball];
    pqt_box within = grown((pqt_box){b->position, b->position}, 2 * b->radius);
    if (pqt_box_is_inside(within, b->reach))
        return true;
    pqt_box all = pqt_box_union(within, b->reach);
    return change_reach(broad, ball, grown(all, margin_of(b, all)), error);
}

void
pqti_broad_free(pqti_broad *broad)
{
    pqt_arena_destroy(&broad->arena);
    pqti_scratch_free(broad->edges);
}
