/* SPDX-License-Identifier: MIT */
/* broadphase.c - neighbours within a step, by a grid or a tree over the boxes that balls will not
   leave. */
#include "config.h"

#include "world/broadphase.h"

#include <string.h>

#include <pqt/pairs.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/update.h"

enum { FIRST_EDGES = 1024, MOST_CHANGES = 1 << 15 };

/* Ends of edges that come within a window: for each ball, beside as many again as there were at
   first. */
enum { WORN_EDGES = 32 };

/* Of its radius, by which a ball's reach is larger than its way. */
#define SPARE 0.125

/* Of the time gone by: the least part that a leash may last. */
#define SHORTEST 0x1p-40

static pqt_box
grown(pqt_box box, double by)
{
    return (pqt_box){{box.min.x - by, box.min.y - by}, {box.max.x + by, box.max.y + by}};
}

/* ---- Leashes ---- */

pqti_scale
pqti_broad_scale(const pqti_broad *broad)
{
    const double count = (double)broad->count;
    pqt_box all = {broad->balls[0].position, broad->balls[0].position};
    pqti_scale sum = {0, 0, 0};
    for (size_t i = 0; i < broad->count; i++) {
        const pqti_ball *ball = &broad->balls[i];
        all.min.x = pqti_lesser(all.min.x, ball->position.x);
        all.min.y = pqti_lesser(all.min.y, ball->position.y);
        all.max.x = pqti_greater(all.max.x, ball->position.x);
        all.max.y = pqti_greater(all.max.y, ball->position.y);
        sum.diameter += 2 * ball->radius;
        sum.speed += pqti_ball_speed(ball);
    }
    const double width = all.max.x - all.min.x, height = all.max.y - all.min.y;
    const double even =
        pqti_greater(sqrt(width / count * height), pqti_greater(width, height) / count);
    return (pqti_scale){.spacing = pqti_greater(even, sum.diameter / count),
                        .diameter = sum.diameter / count,
                        .speed = sum.speed / count};
}

/* A grid is worth more than what leads out of its cells, while these have room for any leash at
   all. */
static double
leash_of(const pqti_broad *broad, const pqti_ball *ball)
{
    if (broad->tree != NULL || broad->grid.next == NULL)
        return broad->leash;
    const double room =
        pqti_lesser(broad->grid.side.x, broad->grid.side.y) - (2 + 4 * SPARE) * ball->radius;
    return room > SPARE * ball->radius ? pqti_lesser(broad->leash, room) : broad->leash;
}

/* When the leash comes to its end that a ball gets at the time `from`. */
static double
leash_end(const pqti_broad *broad, const pqti_ball *ball, double from)
{
    const double speed = pqti_ball_speed(ball), leash = leash_of(broad, ball);
    if (speed * (broad->end - from) <= leash)
        return broad->end;
    const double least = SHORTEST * from + 0x1p-1000; /* above 0, so that time goes on */
    return pqti_lesser(from + pqti_greater(leash / speed, least), broad->end);
}

/* ---- Reaches ---- */

/* A ball's way from then on, on its leash. Sums of products are monotone in time. */
static pqt_box
way_of(const pqti_ball *ball, double time)
{
    pqt_vec from = pqti_ball_at(ball, pqti_greater(ball->time, time));
    pqt_vec to = pqti_ball_at(ball, ball->until);
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

/* A ball's way, and some room to all sides: what turns it but a little does not lead it out of
   there. */
static pqt_box
reach_of(const pqti_ball *ball, pqt_box way)
{
    return grown(way, margin_of(ball, way) + SPARE * ball->radius);
}

/* ---- Edges ---- */

/* Joins two balls. False: no memory, more edges than can be counted, or too many for a window. */
static bool
join(pqti_broad *broad, uint32_t a, uint32_t b)
{
    broad->crowded = broad->edge_count >= broad->most_edges;
    if (broad->crowded)
        return false;
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
join_pair(uint32_t a, uint32_t b, void *context)
{
    pqti_broad *broad = context;
    return (broad->balls[a].still && broad->balls[b].still) || join(broad, a, b);
}

static bool
join_items(const pqt_item *a, const pqt_item *b, void *context)
{
    return join_pair((uint32_t)a->id, (uint32_t)b->id, context);
}

static pqt_item
item_of(const pqti_broad *broad, uint32_t ball)
{
    return (pqt_item){broad->reaches[ball], ball};
}

static pqt_box
bounds_of(const pqti_broad *broad)
{
    pqt_box bounds = broad->reaches[0];
    for (uint32_t i = 1; i < broad->count; i++)
        bounds = pqt_box_union(bounds, broad->reaches[i]);
    return bounds;
}

static const pqt_tree *
make_tree(const pqti_broad *broad, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = broad->arena;
    const pqt_tree *empty = pqt_tree_make(bounds_of(broad), &options, error);
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

/* Lets a tree stand for the grid from now on. */
static bool
change_to_tree(pqti_broad *broad, pqt_error *error)
{
    broad->arena = pqt_arena_make(0, error);
    if (broad->arena != NULL)
        broad->tree = make_tree(broad, error);
    return broad->tree != NULL;
}

/* Forgets all of another window, and gives each ball a leash and a reach in this one. False: no
   memory. */
static bool
find_reaches(pqti_broad *broad)
{
    pqti_broad_free(broad);
    *broad = (pqti_broad){.barrier = broad->barrier,
                          .balls = broad->balls,
                          .count = broad->count,
                          .from = broad->from,
                          .end = broad->end,
                          .leash = broad->leash,
                          .most_edges = broad->most_edges,
                          .reaches = pqti_scratch(broad->count, sizeof *broad->reaches)};
    for (uint32_t i = 0; broad->reaches != NULL && i < broad->count; i++) {
        pqti_ball *ball = &broad->balls[i];
        ball->edge = PQTI_NO_EDGE;
        ball->until = leash_end(broad, ball, broad->from);
        broad->reaches[i] = reach_of(ball, way_of(ball, broad->from));
    }
    return broad->reaches != NULL;
}

bool
pqti_broad_begin(pqti_broad *broad, pqt_error *error)
{
    pqt_pair_query query = {.relation = PQT_TOUCHES};
    bool fits = false;
    bool good = find_reaches(broad) &&
                pqti_grid_make(&broad->grid, broad->balls, broad->reaches, broad->count, &fits);
    if (good && !fits && !change_to_tree(broad, error))
        return false;
    if (good && fits)
        good = pqti_grid_pairs(&broad->grid, join_pair, broad);
    else if (good)
        good = pqt_pairs_visit(broad->tree, NULL, query, join_items, broad);
    broad->most_edges = SIZE_MAX; /* for those that come in the midst of the window */
    broad->worn = 2 * broad->edge_count + WORN_EDGES * broad->count;
    if (good || broad->crowded)
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

/* Lets a ball forget the neighbours that its reach does not touch. */
static void
forget(pqti_broad *broad, uint32_t ball)
{
    uint32_t *link = &broad->balls[ball].edge;
    while (*link != PQTI_NO_EDGE) {
        pqti_edge *edge = &broad->edges[*link];
        if (pqt_box_touches(broad->reaches[edge->to], broad->reaches[ball]))
            link = &edge->next;
        else
            *link = edge->next;
    }
}

static bool
join_met(uint32_t ball, uint32_t other, void *context)
{
    const meeting *m = context;
    if (other == ball || pqt_box_touches(m->broad->reaches[other], m->before))
        return true;
    return join(m->broad, ball, other);
}

static bool
join_item(const pqt_item *item, void *context)
{
    const meeting *m = context;
    return join_met(m->ball, (uint32_t)item->id, context);
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

static bool
move_in_tree(pqti_broad *broad, const meeting *m, pqt_box reach, pqt_error *error)
{
    pqt_item item = {m->before, m->ball};
    const pqt_tree *tree = pqt_tree_move(broad->tree, item, reach, error);
    if (tree == NULL)
        return false;
    broad->tree = tree;
    return sweep_arena(broad, error);
}

/* Gives a ball another reach, and the neighbours that it did not have before. */
static bool
change_reach(pqti_broad *broad, uint32_t ball, pqt_box reach, pqt_error *error)
{
    meeting m = {broad, ball, broad->reaches[ball]};
    pqt_query query = {.window = reach, .relation = PQT_TOUCHES};
    bool good, by_grid = broad->tree == NULL && pqti_grid_move(&broad->grid, ball, reach);
    broad->reaches[ball] = reach;
    forget(broad, ball);
    broad->known = broad->balls[ball].edge;
    if (by_grid)
        good = pqti_grid_neighbours(&broad->grid, ball, join_met, &m);
    else if (broad->tree == NULL ? change_to_tree(broad, error)
                                 : move_in_tree(broad, &m, reach, error))
        good = pqt_tree_visit(broad->tree, query, join_item, &m);
    else
        return false;
    if (!good)
        pqti_out_of_memory(error);
    return good;
}

bool
pqti_broad_follow(pqti_broad *broad, uint32_t ball, double time, pqt_error *error)
{
    pqti_ball *b = &broad->balls[ball];
    broad->known = b->edge;
    b->until = leash_end(broad, b, time);
    const pqt_box way = way_of(b, time);
    return pqt_box_is_inside(way, broad->reaches[ball]) ||
           change_reach(broad, ball, reach_of(b, way), error);
}

bool
pqti_broad_surround(pqti_broad *broad, uint32_t ball, double by, pqt_error *error)
{
    const pqti_ball *b = &broad->balls[ball];
    pqt_box within = grown((pqt_box){b->position, b->position}, b->radius + by);
    if (pqt_box_is_inside(within, broad->reaches[ball]))
        return true;
    pqt_box all = pqt_box_union(within, broad->reaches[ball]);
    return change_reach(broad, ball, grown(all, margin_of(b, all)), error);
}

void
pqti_broad_free(pqti_broad *broad)
{
    pqt_arena_destroy(&broad->arena);
    pqti_grid_free(&broad->grid);
    pqti_scratch_free(broad->reaches);
    pqti_scratch_free(broad->edges);
}
