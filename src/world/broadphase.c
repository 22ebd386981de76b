/* SPDX-License-Identifier: MIT */
/* broadphase.c: finds neighbours within a step, with a grid or a tree of swept boxes. */
#include "config.h"

#include "world/broadphase.h"

#include <pqt/pairs.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/tree_internal.h"
#include "tree/update.h"

/* See docs/world.md, "Neighbours". */
enum { FIRST_EDGES = 1024, MAX_CHANGES = 1 << 15 };

/* The number of edges per ball that may be added within a window, in addition to the number with
 * which the window began. See docs/world.md, "Neighbours". */
enum { EXTRA_EDGES = 32 };

/* A ball's swept box extends beyond its motion by this fraction of its radius, which must be at
 * least ISLAND_GAP (separate.c). See docs/world.md, "Neighbours". */
#define INFLATION 0.125

/* The least duration of a horizon, as a fraction of the elapsed time. See docs/world.md,
 * "Neighbours". */
#define LEAST_HORIZON 0x1p-40

static pqt_box
inflate_box(pqt_box box, double by)
{
    return (pqt_box){{box.min.x - by, box.min.y - by}, {box.max.x + by, box.max.y + by}};
}

/* ---- Horizons ---- */

pqti_scale
pqti_broad_phase_scale(const pqti_broad_phase *broad_phase)
{
    const double count = (double)broad_phase->count;
    pqt_box all = {broad_phase->balls[0].position, broad_phase->balls[0].position};
    pqti_scale sum = {0, 0, 0};
    for (size_t i = 0; i < broad_phase->count; i++) {
        const pqti_ball *ball = &broad_phase->balls[i];
        all.min.x = pqti_fmin(all.min.x, ball->position.x);
        all.min.y = pqti_fmin(all.min.y, ball->position.y);
        all.max.x = pqti_fmax(all.max.x, ball->position.x);
        all.max.y = pqti_fmax(all.max.y, ball->position.y);
        sum.diameter += 2 * ball->radius;
        sum.speed += pqti_ball_speed(ball);
    }
    const double width = all.max.x - all.min.x, height = all.max.y - all.min.y;
    const double even = pqti_fmax(sqrt(width / count * height), pqti_fmax(width, height) / count);
    return (pqti_scale){.spacing = pqti_fmax(even, sum.diameter / count),
                        .diameter = sum.diameter / count,
                        .speed = sum.speed / count};
}

/* Returns the maximal length of a ball's swept motion. It is limited to the size of a grid cell if
 * a cell is large enough, because the grid saves more time than longer horizons would. */
static double
horizon_length_of(const pqti_broad_phase *broad_phase, const pqti_ball *ball)
{
    if (broad_phase->tree != NULL || broad_phase->grid.next == NULL)
        return broad_phase->horizon_length;
    const double limit = pqti_fmin(broad_phase->grid.side.x, broad_phase->grid.side.y) -
                         (2 + 4 * INFLATION) * ball->radius;
    return limit > INFLATION * ball->radius ? pqti_fmin(broad_phase->horizon_length, limit)
                                            : broad_phase->horizon_length;
}

/* Returns the end of a horizon that begins at `from`. */
static double
horizon_end(const pqti_broad_phase *broad_phase, const pqti_ball *ball, double from)
{
    const double speed = pqti_ball_speed(ball), length = horizon_length_of(broad_phase, ball);
    if (speed * (broad_phase->end - from) <= length)
        return broad_phase->end;
    const double least = LEAST_HORIZON * from + 0x1p-1000; /* above 0, so that time advances */
    return pqti_fmin(from + pqti_fmax(length / speed, least), broad_phase->end);
}

/* ---- Swept boxes ---- */

/* Returns the box of a ball's motion from `time` to its horizon. Positions are monotone in time
 * even with rounding. */
static pqt_box
path_box_of(const pqti_ball *ball, double time)
{
    pqt_vec from = pqti_ball_at(ball, pqti_fmax(ball->time, time));
    pqt_vec to = pqti_ball_at(ball, ball->horizon);
    pqt_box path_box = {{pqti_fmin(from.x, to.x), pqti_fmin(from.y, to.y)},
                        {pqti_fmax(from.x, to.x), pqti_fmax(from.y, to.y)}};
    return inflate_box(path_box, ball->radius + ball->rest_gap);
}

/* Returns a margin that exceeds the rounding error of a box's sides, so that balls that touch
 * become neighbours. */
static double
margin_of(const pqti_ball *ball, pqt_box box)
{
    double x = pqti_fmax(pqti_fabs(box.min.x), pqti_fabs(box.max.x));
    double y = pqti_fmax(pqti_fabs(box.min.y), pqti_fabs(box.max.y));
    return 0x1p-20 * ball->radius + 0x1p-45 * pqti_fmax(x, y);
}

/* Returns the swept box: the box of the motion, enlarged on all sides so that a slightly changed
 * motion stays inside. */
static pqt_box
swept_aabb_of(const pqti_ball *ball, pqt_box path_box)
{
    return inflate_box(path_box, margin_of(ball, path_box) + INFLATION * ball->radius);
}

/* ---- Covers ---- */

/* Returns true if the bodies near a ball with this swept box are loaded. Otherwise, records that
 * they are lacking. A ball that does not move needs none. */
static bool
is_covered(pqti_broad_phase *broad_phase, const pqti_ball *ball, const pqt_box *swept_aabb)
{
    if (broad_phase->covers == NULL || (ball->is_static && !ball->is_kinematic) ||
        pqt_box_is_inside(*swept_aabb, broad_phase->covers[ball->rank]))
        return true;
    broad_phase->covers[ball->rank] = *swept_aabb;
    broad_phase->lack = PQTI_LACKS_NEAR;
    return false;
}

static bool
all_are_covered(pqti_broad_phase *broad_phase)
{
    bool all = true;
    for (size_t i = 0; i < broad_phase->count && broad_phase->covers != NULL; i++)
        all = is_covered(broad_phase, &broad_phase->balls[i], &broad_phase->swept_aabbs[i]) && all;
    return all;
}

bool
pqti_broad_phase_lacks_all(pqti_broad_phase *broad_phase)
{
    if (broad_phase->covers != NULL)
        broad_phase->lack = PQTI_LACKS_ALL;
    return broad_phase->covers != NULL;
}

/* ---- Edges ---- */

/* Links two balls if they meet. Returns false when out of memory, or if there are too many edges
 * for a 32-bit index or for the window. */
static bool
link_neighbours(pqti_broad_phase *broad_phase, uint32_t a, uint32_t b)
{
    PQT_INVARIANT(a != b, "a ball is its own neighbour");
    if (!pqti_balls_meet(&broad_phase->balls[a], &broad_phase->balls[b]))
        return true;
    broad_phase->too_many_edges = broad_phase->edge_count >= broad_phase->max_edges;
    if (broad_phase->too_many_edges)
        return false;
    if (broad_phase->edge_count + 2 > broad_phase->edge_capacity) {
        size_t capacity =
            broad_phase->edge_capacity == 0 ? FIRST_EDGES : broad_phase->edge_capacity * 2;
        pqti_edge *edges = capacity < PQTI_NO_EDGE
                               ? pqti_resize_scratch(broad_phase->edges, broad_phase->edge_count,
                                                     capacity, sizeof *edges)
                               : NULL;
        if (edges == NULL)
            return false;
        broad_phase->edges = edges;
        broad_phase->edge_capacity = capacity;
    }
    uint32_t at = (uint32_t)broad_phase->edge_count;
    broad_phase->edges[at] = (pqti_edge){b, broad_phase->balls[a].edge};
    broad_phase->edges[at + 1] = (pqti_edge){a, broad_phase->balls[b].edge};
    broad_phase->balls[a].edge = at;
    broad_phase->balls[b].edge = at + 1;
    broad_phase->edge_count += 2;
    return true;
}

/* Links two balls, unless neither moves. */
static bool
link_pair(uint32_t a, uint32_t b, void *context)
{
    pqti_broad_phase *broad_phase = context;
    const pqti_ball *x = &broad_phase->balls[a], *y = &broad_phase->balls[b];
    const bool moves = !x->is_static || !y->is_static || x->is_kinematic || y->is_kinematic;
    return !moves || link_neighbours(broad_phase, a, b);
}

static bool
link_items(const pqt_item *a, const pqt_item *b, void *context)
{
    return link_pair((uint32_t)a->id, (uint32_t)b->id, context);
}

static pqt_item
item_of_ball(const pqti_broad_phase *broad_phase, uint32_t ball)
{
    return (pqt_item){broad_phase->swept_aabbs[ball], ball};
}

static pqt_box
bounds_of_balls(const pqti_broad_phase *broad_phase)
{
    pqt_box bounds = broad_phase->swept_aabbs[0];
    for (uint32_t i = 1; i < broad_phase->count; i++)
        bounds = pqt_box_union(bounds, broad_phase->swept_aabbs[i]);
    return bounds;
}

static const pqt_tree *
build_broad_tree(const pqti_broad_phase *broad_phase, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = broad_phase->arena;
    options.max_depth = PQTI_WORLD_DEPTH;
    const pqt_box bounds = bounds_of_balls(broad_phase);
    const pqt_tree *empty = pqti_tree_make(&bounds, &options, error);
    pqt_item *items = pqti_alloc_scratch(broad_phase->count, sizeof *items);
    const pqt_tree *tree = NULL;
    if (items == NULL)
        pqti_out_of_memory(error);
    for (uint32_t i = 0; items != NULL && i < broad_phase->count; i++)
        items[i] = item_of_ball(broad_phase, i);
    if (items != NULL && empty != NULL)
        tree = pqti_tree_build_trusted(empty, items, broad_phase->count, error);
    pqti_free_scratch(items);
    return tree;
}

/* Replaces the grid by a tree for the rest of the window. */
static bool
switch_to_tree(pqti_broad_phase *broad_phase, pqt_error *error)
{
    broad_phase->arena = pqt_arena_make(0, error);
    if (broad_phase->arena != NULL)
        broad_phase->tree = build_broad_tree(broad_phase, error);
    return broad_phase->tree != NULL;
}

/* Discards the state of an earlier window and computes each ball's horizon and swept box. Returns
 * false when out of memory. */
static bool
reset_window(pqti_broad_phase *broad_phase)
{
    pqti_broad_phase_free(broad_phase);
    *broad_phase = (pqti_broad_phase){
        .obstacle = broad_phase->obstacle,
        .balls = broad_phase->balls,
        .count = broad_phase->count,
        .covers = broad_phase->covers,
        .lack = broad_phase->lack,
        .from = broad_phase->from,
        .end = broad_phase->end,
        .horizon_length = broad_phase->horizon_length,
        .max_edges = broad_phase->max_edges,
        .swept_aabbs = pqti_alloc_scratch(broad_phase->count, sizeof *broad_phase->swept_aabbs)};
    for (uint32_t i = 0; broad_phase->swept_aabbs != NULL && i < broad_phase->count; i++) {
        pqti_ball *ball = &broad_phase->balls[i];
        ball->edge = PQTI_NO_EDGE;
        ball->horizon = horizon_end(broad_phase, ball, broad_phase->from);
        broad_phase->swept_aabbs[i] = swept_aabb_of(ball, path_box_of(ball, broad_phase->from));
    }
    return broad_phase->swept_aabbs != NULL;
}

bool
pqti_broad_phase_begin(pqti_broad_phase *broad_phase, pqt_error *error)
{
    pqt_pair_query query = {.relation = PQT_TOUCHES};
    bool fits = false;
    bool good = reset_window(broad_phase);
    if (good && !all_are_covered(broad_phase))
        return false;
#ifndef PQT_PLAIN
    /* Fast path. It is equivalent to the tree. Every test passes without it. */
    good = good && pqti_grid_make(&broad_phase->grid, broad_phase->balls, broad_phase->swept_aabbs,
                                  broad_phase->count, &fits);
#endif
    if (good && !fits && !switch_to_tree(broad_phase, error))
        return false;
    if (good && fits)
        good = pqti_grid_pairs(&broad_phase->grid, link_pair, broad_phase);
    else if (good)
        good = pqt_pairs_visit(broad_phase->tree, NULL, &query, link_items, broad_phase);
    broad_phase->max_edges = SIZE_MAX; /* no limit for edges that are added within the window */
    broad_phase->edge_limit = 2 * broad_phase->edge_count + EXTRA_EDGES * broad_phase->count;
    if (good || broad_phase->too_many_edges)
        return true;
    pqti_out_of_memory(error);
    return false;
}

/* A ball whose swept box changed from `before`. */
typedef struct link_context {
    pqti_broad_phase *broad_phase;
    uint32_t ball;
    pqt_box before;
} link_context;

/* Unlinks those neighbours of a ball that its swept box does not touch. */
static void
unlink_neighbours(pqti_broad_phase *broad_phase, uint32_t ball)
{
    uint32_t *link = &broad_phase->balls[ball].edge;
    while (*link != PQTI_NO_EDGE) {
        pqti_edge *edge = &broad_phase->edges[*link];
        if (pqt_box_touches(broad_phase->swept_aabbs[edge->to], broad_phase->swept_aabbs[ball]))
            link = &edge->next;
        else
            *link = edge->next;
    }
}

static bool
link_if_new(uint32_t ball, uint32_t other, void *context)
{
    const link_context *link = context;
    if (other == ball || pqt_box_touches(link->broad_phase->swept_aabbs[other], link->before))
        return true;
    return link_neighbours(link->broad_phase, ball, other);
}

static bool
link_found_item(const pqt_item *item, void *context)
{
    const link_context *link = context;
    return link_if_new(link->ball, (uint32_t)item->id, context);
}

/* Copies the newest version of the tree to another arena after MAX_CHANGES changes, because its old
 * versions fill the arena. */
static bool
compact_arena(pqti_broad_phase *broad_phase, pqt_error *error)
{
    if (++broad_phase->changes < MAX_CHANGES)
        return true;
    pqt_memory *arena = pqt_arena_make(0, error);
    if (arena == NULL)
        return false;
    const pqt_tree *tree = pqt_tree_copy(broad_phase->tree, arena, error);
    if (tree == NULL) {
        pqt_arena_destroy(&arena);
        return false;
    }
    pqt_arena_destroy(&broad_phase->arena);
    broad_phase->arena = arena;
    broad_phase->tree = tree;
    broad_phase->changes = 0;
    return true;
}

static bool
move_in_tree(pqti_broad_phase *broad_phase, const link_context *link, pqt_box swept_aabb,
             pqt_error *error)
{
    pqt_item item = {link->before, link->ball};
    const pqt_tree *tree = pqt_tree_move(broad_phase->tree, item, swept_aabb, error);
    if (tree == NULL)
        return false;
    broad_phase->tree = tree;
    return compact_arena(broad_phase, error);
}

/* Changes a ball's swept box and links its new neighbours. */
static bool
change_swept_aabb(pqti_broad_phase *broad_phase, uint32_t ball, const pqt_box *swept_aabb,
                  pqt_error *error)
{
    link_context link = {broad_phase, ball, broad_phase->swept_aabbs[ball]};
    pqt_query query = {.window = *swept_aabb, .relation = PQT_TOUCHES};
    if (!is_covered(broad_phase, &broad_phase->balls[ball], swept_aabb))
        return false;
    bool good, by_grid = broad_phase->tree == NULL &&
                         pqti_grid_move(&broad_phase->grid, ball, *swept_aabb);
    broad_phase->swept_aabbs[ball] = *swept_aabb;
    unlink_neighbours(broad_phase, ball);
    broad_phase->new_until = broad_phase->balls[ball].edge;
    if (by_grid)
        good = pqti_grid_neighbours(&broad_phase->grid, ball, link_if_new, &link);
    else if (broad_phase->tree == NULL ? switch_to_tree(broad_phase, error)
                                       : move_in_tree(broad_phase, &link, *swept_aabb, error))
        good = pqt_tree_visit(broad_phase->tree, &query, link_found_item, &link);
    else
        return false;
    if (!good)
        pqti_out_of_memory(error);
    return good;
}

bool
pqti_broad_phase_update(pqti_broad_phase *broad_phase, uint32_t ball, double time, pqt_error *error)
{
    pqti_ball *b = &broad_phase->balls[ball];
    broad_phase->new_until = b->edge;
    b->horizon = horizon_end(broad_phase, b, time);
    const pqt_box path_box = path_box_of(b, time);
    if (pqt_box_is_inside(path_box, broad_phase->swept_aabbs[ball]))
        return true;
    const pqt_box swept_aabb = swept_aabb_of(b, path_box);
    return change_swept_aabb(broad_phase, ball, &swept_aabb, error);
}

bool
pqti_broad_phase_inflate(pqti_broad_phase *broad_phase, uint32_t ball, double by, pqt_error *error)
{
    const pqti_ball *b = &broad_phase->balls[ball];
    pqt_box target = inflate_box((pqt_box){b->position, b->position}, b->radius + b->rest_gap + by);
    if (pqt_box_is_inside(target, broad_phase->swept_aabbs[ball]))
        return true;
    pqt_box all = pqt_box_union(target, broad_phase->swept_aabbs[ball]);
    all = inflate_box(all, margin_of(b, all));
    return change_swept_aabb(broad_phase, ball, &all, error);
}

void
pqti_broad_phase_free(pqti_broad_phase *broad_phase)
{
    pqt_arena_destroy(&broad_phase->arena);
    pqti_grid_free(&broad_phase->grid);
    pqti_free_scratch(broad_phase->swept_aabbs);
    pqti_free_scratch(broad_phase->edges);
}
