/* SPDX-License-Identifier: MIT */
/*
 * separate.c: separates balls that overlap when a step begins.
 *
 * The balls are pushed one after another, in the order of their ids. A ball is pushed out of each
 * ball that it overlaps: by half of the depth if the other one comes later, otherwise by all of it.
 * Each pair of balls has a least distance for the whole step: the distance at which they touch, or
 * their distance at the start if they overlapped then. If the ball is already at its least distance
 * from another ball, the push is deflected. A push is shortened so that it ends before the ball
 * reaches a least distance or a wall. If the result is still too near to another ball, the ball is
 * not moved. All tests use the current positions of the other balls. The neighbours of a ball are
 * visited in the order of their ids, because the sum of pushes is rounded, and each deflection
 * changes the next one. So the result does not depend on the order of edges.
 *
 * If an island is stuck, pushes have little effect, because all balls block each other. Such an
 * island is scaled as a whole instead (see the second part of this file).
 */
#include "config.h"

#include "world/separate.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "world/obstacle_toi.h"

/* See docs/world.md, "Separation". */
enum { MAX_DEFLECTIONS = 8 };

/* A deflection exceeds the component that it removes by this fraction, so that rounding errors do
 * not increase the overlap. See docs/world.md, "Separation". */
#define DEFLECTION_MARGIN 0x1p-30

/* A push is deflected if the distance exceeds the least distance by less than this fraction. See
 * docs/world.md, "Separation". */
#define NEAR_LIMIT 0x1p-6

static pqt_vec
vec_add_scaled(pqt_vec a, pqt_vec b, double times)
{
    return (pqt_vec){a.x + b.x * times, a.y + b.y * times};
}

/* Returns the direction in which a ball leaves another ball at the same position. It is computed
 * from the two ids, and the other ball gets the opposite direction. It points to a random point of
 * a square around 0, so not all directions are equally likely. */
static pqt_vec
direction_by_ids(uint64_t id, uint64_t other)
{
    bool is_lower = id < other;
    uint64_t bits = pqti_id_key((is_lower ? id : other) ^ pqti_id_key(is_lower ? other : id));
    pqt_vec v = {(double)(int32_t)(uint32_t)bits + 0.5,
                 (double)(int32_t)(uint32_t)(bits >> 32) + 0.5};
    double length = sqrt(pqti_dot(v, v));
    PQT_INVARIANT(id != other, "two balls have one id");
    return (pqt_vec){(is_lower ? v.x : -v.x) / length, (is_lower ? v.y : -v.y) / length};
}

/* Returns the fraction of a depth by which a ball is pushed: 1/2 if the other ball comes later and
 * can move, otherwise 1. */
static double
push_fraction_of(const pqti_ball *ball, const pqti_ball *other)
{
    return other->id > ball->id && other->overlaps && pqti_can_move(other) ? 0.5 : 1;
}

/* Limits the length of a push, with a margin for rounding. */
static pqt_vec
shorten_push(pqt_vec push, double max_length)
{
    double length = sqrt(pqti_dot(push, push)),
           factor = max_length / length * (1 - PQTI_PUSH_MARGIN);
    return length > max_length ? (pqt_vec){push.x * factor, push.y * factor} : push;
}

/* Returns the sum of all pushes from overlapping balls, limited to the length of the radius. */
static pqt_vec
push_of_pair(const pqti_broad_phase *broad_phase, const pqti_ball *ball)
{
    pqt_vec push = {0, 0};
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next) {
        const pqti_ball *other = &broad_phase->balls[broad_phase->edges[e].to];
        pqt_vec out = pqti_vec_between(other->position, ball->position);
        double depth = pqti_ball_depth(ball, other, out), square = pqti_dot(out, out);
        if (depth == 0)
            continue;
        if (square < PQTI_NO_LENGTH)
            push = vec_add_scaled(push, direction_by_ids(ball->id, other->id),
                                  depth * push_fraction_of(ball, other));
        else
            push = vec_add_scaled(push, out, depth * push_fraction_of(ball, other) / sqrt(square));
    }
    return shorten_push(push, ball->radius);
}

/* Returns the least distance that two balls may have in this step. */
static double
least_distance(const pqti_ball *ball, const pqti_ball *other)
{
    pqt_vec d = pqti_vec_between(other->start, ball->start);
    return pqti_fmin(ball->radius + other->radius, sqrt(pqti_dot(d, d)));
}

/* Returns true if two balls are at their least distance, or nearly so. */
static bool
is_at_distance(double min_distance, pqt_vec out)
{
    return pqti_dot(out, out) < min_distance * min_distance * (1 + 0x1p-40);
}

/* Removes from a push the components toward balls at their least distance. Returns false if there
 * were no such components. */
static bool
deflect_push(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec *push)
{
    bool deflected = false;
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next) {
        const pqti_ball *other = &broad_phase->balls[broad_phase->edges[e].to];
        pqt_vec out = pqti_vec_between(other->position, ball->position);
        double square = pqti_dot(out, out), inward = -pqti_dot(out, *push);
        if (inward <= 0 || square < PQTI_NO_LENGTH ||
            !is_at_distance(least_distance(ball, other) * (1 + NEAR_LIMIT), out))
            continue;
        *push = vec_add_scaled(*push, out, inward / square * (1 + DEFLECTION_MARGIN));
        deflected = true;
    }
    return deflected;
}

double
pqti_clear_fraction(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec push)
{
    double fraction = pqti_clear_of_walls(ball, push);
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next) {
        const pqti_ball *other = &broad_phase->balls[broad_phase->edges[e].to];
        pqt_vec d = pqti_vec_between(other->position, ball->position);
        double min_distance = least_distance(ball, other);
        if (min_distance > 0 && !is_at_distance(min_distance, d))
            fraction = pqti_fmin(fraction,
                                 pqti_ray_circle(d, push, min_distance) * (1 - PQTI_PUSH_MARGIN));
    }
    return fraction;
}

bool
pqti_is_too_near(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec position)
{
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next) {
        const pqti_ball *other = &broad_phase->balls[broad_phase->edges[e].to];
        pqt_vec before = pqti_vec_between(other->position, ball->position);
        pqt_vec after = pqti_vec_between(other->position, position);
        double min_distance = least_distance(ball, other), square = pqti_dot(after, after);
        if (square < min_distance * min_distance && square < pqti_dot(before, before))
            return true;
    }
    return false;
}

/* ---- The obstacle ---- */

/* Removes from a push the components toward near pixels, once for each of the two sides of a
 * concave corner. Returns the fraction of the remaining push that is free of pixels. */
static double
deflect_from_pixels(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec *push)
{
    pqt_vec toward;
    double fraction = 1;
    for (int i = 0; i < 3; i++) {
        fraction = pqti_obstacle_view_free_fraction(broad_phase->obstacle, ball, *push, &toward);
        double inward = fraction < NEAR_LIMIT ? pqti_dot(toward, *push) : 0;
        if (inward <= 0)
            break;
        *push = vec_add_scaled(*push, toward,
                               -inward / pqti_dot(toward, toward) * (1 + DEFLECTION_MARGIN));
    }
    return fraction;
}

static bool
is_obstructed(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec position)
{
    return broad_phase->obstacle != NULL &&
           pqti_obstacle_view_overlaps(broad_phase->obstacle, position, ball->radius);
}

/* Pushes a ball as far as possible. */
static void
push_ball(const pqti_broad_phase *broad_phase, pqti_ball *ball)
{
    pqt_vec push = push_of_pair(broad_phase, ball);
    for (int i = 0; i < MAX_DEFLECTIONS && deflect_push(broad_phase, ball, &push); i++)
        continue;
    push = shorten_push(push, ball->radius);
    double fraction =
        broad_phase->obstacle != NULL ? deflect_from_pixels(broad_phase, ball, &push) : 1;
    fraction = pqti_fmin(fraction, pqti_clear_fraction(broad_phase, ball, push));
    pqt_vec to = vec_add_scaled(ball->position, push, fraction);
    to.x = pqti_clamp(to.x, ball->centre_bounds.min.x, ball->centre_bounds.max.x);
    to.y = pqti_clamp(to.y, ball->centre_bounds.min.y, ball->centre_bounds.max.y);
    if (!pqti_is_too_near(broad_phase, ball, to) && !is_obstructed(broad_phase, ball, to))
        ball->position = to;
}

/* Flags the balls that overlap another one. Returns their number. */
static size_t
flag_overlapping(const pqti_broad_phase *broad_phase, pqt_step_report *report)
{
    size_t overlapping = 0;
    for (size_t k = 0; k < broad_phase->edge_count; k += 2) {
        pqti_ball *a = &broad_phase->balls[broad_phase->edges[k + 1].to],
                  *b = &broad_phase->balls[broad_phase->edges[k].to];
        if (pqti_ball_depth(a, b, pqti_vec_between(a->position, b->position)) == 0)
            continue;
        report->overlaps++;
        overlapping += (size_t)!a->overlaps + (size_t)!b->overlaps;
        a->overlaps = b->overlaps = true;
        pqti_ball_touch(a);
        pqti_ball_touch(b);
    }
    return overlapping;
}

/* The id of a ball, and the number of the ball or of an edge that leads to it. */
typedef struct id_entry {
    uint64_t id;
    uint32_t number;
} id_entry;

static int
by_id(const void *a, const void *b)
{
    uint64_t id_a = ((const id_entry *)a)->id, id_b = ((const id_entry *)b)->id;
    return id_a < id_b ? -1 : id_a > id_b;
}

/* Lists the overlapping balls in the order of their ids. */
static size_t
list_overlapping(const pqti_broad_phase *broad_phase, id_entry *order)
{
    size_t count = 0;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (broad_phase->balls[i].overlaps)
            order[count++] = (id_entry){broad_phase->balls[i].id, i};
    qsort(order, count, sizeof *order, by_id);
    return count;
}

/* Links the edges of a ball in the order of the ids of its neighbours. `order` has room for all. */
static void
sort_neighbours_of(const pqti_broad_phase *broad_phase, pqti_ball *ball, id_entry *order)
{
    size_t count = 0;
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next)
        order[count++] = (id_entry){broad_phase->balls[broad_phase->edges[e].to].id, e};
    if (count > 1)
        qsort(order, count, sizeof *order, by_id);
    uint32_t *link = &ball->edge;
    for (size_t i = 0; i < count; i++) {
        *link = order[i].number;
        link = &broad_phase->edges[order[i].number].next;
    }
    *link = PQTI_NO_EDGE;
}

/* Sorts the neighbours of the listed balls. Returns false when out of memory. */
static bool
sort_neighbours(const pqti_broad_phase *broad_phase, const id_entry *listed, size_t count)
{
    size_t most = 1;
    for (size_t i = 0; i < count; i++) {
        const size_t degree =
            pqti_count_neighbours(broad_phase, &broad_phase->balls[listed[i].number]);
        most = degree > most ? degree : most;
    }
    id_entry *order = pqti_alloc_scratch(most, sizeof *order);
    for (size_t i = 0; order != NULL && i < count; i++)
        sort_neighbours_of(broad_phase, &broad_phase->balls[listed[i].number], order);
    pqti_free_scratch(order);
    return order != NULL;
}

/* Pushes the listed balls that can move. */
static bool
push_overlapping(pqti_broad_phase *broad_phase, const id_entry *order, size_t count,
                 pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const pqti_ball *ball = &broad_phase->balls[order[i].number];
        if (pqti_can_move(ball) &&
            !pqti_broad_phase_inflate(broad_phase, order[i].number, ball->radius, error))
            return false;
    }
    if (!sort_neighbours(broad_phase, order, count)) {
        pqti_out_of_memory(error);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (pqti_can_move(&broad_phase->balls[order[i].number]))
            push_ball(broad_phase, &broad_phase->balls[order[i].number]);
    return true;
}

/* Updates the neighbours of the balls that were moved, and counts these balls. */
static bool
update_moved(pqti_broad_phase *broad_phase, pqt_step_report *report, pqt_error *error)
{
    for (uint32_t i = 0; i < broad_phase->count; i++) {
        const pqti_ball *ball = &broad_phase->balls[i];
        if (ball->is_static ||
            (ball->position.x == ball->start.x && ball->position.y == ball->start.y))
            continue;
        report->separated++;
        if (!pqti_broad_phase_update(broad_phase, i, 0, error))
            return false;
    }
    return true;
}

/*
 * Islands of overlapping balls that pushes could not separate.
 *
 * The balls of an island are connected by overlaps, contacts and near contacts. The island is
 * scaled from a centre c: each position p becomes c + f (p - c), where f >= 1, separately on each
 * axis. This brings no two of its balls closer together, so they need no tests against each other.
 * If balls touch a wall or pixels on one side, the centre is at these balls, so that all others
 * move away from them. If there are blocked balls on both sides, or balls that cannot move (fixed
 * bodies, points), positions between the outermost of these do not change on that axis, and balls
 * beyond them move away.
 *
 * The scale is the one that separates the deepest overlap. It is limited so that no ball moves by
 * more than its radius or hits a ball outside the island. A ball that limits it in this way belongs
 * to the island in the next step.
 */

/* Pushes have failed if they leave more than this fraction of an island's overlaps. See
 * docs/world.md, "Separation". */
#define FAILED_FRACTION 0.7

/* Two balls belong to one island if the gap between them is at most this fraction of their radii.
 * Otherwise, a growing island would reach only one more ball in each step. Swept boxes are inflated
 * by at least this fraction (broadphase.c), so such balls are neighbours. See docs/world.md,
 * "Separation". */
#define ISLAND_GAP 0x1p-3

/* Returns the position of a ball before the pushes. For a ball that cannot move, returns its
 * current position, because it may have been moved out of the obstacle already. */
static pqt_vec
base_of(const pqti_ball *ball)
{
    return pqti_can_move(ball) ? ball->start : ball->position;
}

typedef struct axis {
    double low, high;  /* extent of the positions of its balls */
    double low_limit;  /* lowest position that must not decrease; HUGE_VAL: none */
    double high_limit; /* highest position that must not increase; -HUGE_VAL: none */
} axis;

typedef struct separated_island {
    double depth, depth_left; /* sums of the depths before and after the pushes */
    double scale;             /* f - 1 */
    double most;              /* the scale at which a ball would move by its radius */
    double fraction;          /* fraction of `scale` up to which no ball hits anything */
    bool stuck;               /* its balls are moved back, and it is scaled */
    axis x, y;
} separated_island;

typedef struct island_set {
    pqti_broad_phase *broad_phase;
    uint32_t *parents;         /* union-find forest of the balls; a root is its own parent */
    separated_island *islands; /* indexed by the ball that is the root */
} island_set;

static uint32_t
island_of(const island_set *s, uint32_t ball)
{
    while (s->parents[ball] != ball) {
        s->parents[ball] = s->parents[s->parents[ball]];
        ball = s->parents[ball];
    }
    return ball;
}

static double
distance_before(const pqti_ball *a, const pqti_ball *b)
{
    pqt_vec d = pqti_vec_between(base_of(a), base_of(b));
    return sqrt(pqti_dot(d, d));
}

static void
join_islands(island_set *s)
{
    const pqti_broad_phase *broad_phase = s->broad_phase;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        s->parents[i] = i;
    for (size_t k = 0; k < broad_phase->edge_count; k += 2) {
        uint32_t i = broad_phase->edges[k + 1].to, j = broad_phase->edges[k].to;
        const pqti_ball *a = &broad_phase->balls[i], *b = &broad_phase->balls[j];
        if (distance_before(a, b) <= (a->radius + b->radius) * (1 + ISLAND_GAP))
            s->parents[island_of(s, i)] = island_of(s, j);
    }
}

/* Returns the distance below which a ball counts as touching a wall or pixels. */
static double
nearness_limit_of(const pqti_ball *ball)
{
    return 0x1p-20 * ball->radius;
}

/* Returns true if a ball would overlap pixels at the offset (x, y) from its position before the
 * pushes. */
static bool
is_at_pixels(const island_set *s, const pqti_ball *ball, double x, double y)
{
    pqt_vec p = base_of(ball);
    return s->broad_phase->obstacle != NULL &&
           pqti_obstacle_view_overlaps(s->broad_phase->obstacle, (pqt_vec){p.x + x, p.y + y},
                                       ball->radius);
}

/* Extends an axis by the position of a ball, and by the limits that it sets if it is blocked on a
 * side. */
static void
extend_island(axis *a, double at, bool blocked_below, bool blocked_above)
{
    a->low = pqti_fmin(a->low, at);
    a->high = pqti_fmax(a->high, at);
    if (blocked_below)
        a->low_limit = pqti_fmin(a->low_limit, at);
    if (blocked_above)
        a->high_limit = pqti_fmax(a->high_limit, at);
}

static void
measure_ball(island_set *s, const pqti_ball *ball, separated_island *island)
{
    const pqt_box *centre_bounds = &ball->centre_bounds;
    const pqt_vec p = base_of(ball);
    const double near = nearness_limit_of(ball);
    const bool rests = !pqti_can_move(ball);
    extend_island(&island->x, p.x,
                  rests || p.x - centre_bounds->min.x <= near || is_at_pixels(s, ball, -near, 0),
                  rests || centre_bounds->max.x - p.x <= near || is_at_pixels(s, ball, near, 0));
    extend_island(&island->y, p.y,
                  rests || p.y - centre_bounds->min.y <= near || is_at_pixels(s, ball, 0, -near),
                  rests || centre_bounds->max.y - p.y <= near || is_at_pixels(s, ball, 0, near));
}

static void
measure_islands(island_set *s)
{
    const axis none = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < s->broad_phase->count; i++)
        s->islands[i] = (separated_island){.most = HUGE_VAL, .fraction = 1, .x = none, .y = none};
    for (uint32_t i = 0; i < s->broad_phase->count; i++)
        measure_ball(s, &s->broad_phase->balls[i], &s->islands[island_of(s, i)]);
}

/* Adds the depths of two overlapping balls to those of their island, and finds the scale that would
 * separate the deepest pair. */
static void
measure_pair(island_set *s, uint32_t i, uint32_t j)
{
    const pqti_ball *a = &s->broad_phase->balls[i], *b = &s->broad_phase->balls[j];
    const double depth = pqti_ball_depth(a, b, pqti_vec_between(base_of(a), base_of(b)));
    separated_island *island = &s->islands[island_of(s, i)];
    island->depth += depth;
    island->depth_left += pqti_ball_depth(a, b, pqti_vec_between(a->position, b->position));
    if (depth > 0 && distance_before(a, b) > 0)
        island->scale = pqti_fmax(island->scale, depth / distance_before(a, b));
}

/* Measures the pairs of the listed balls in the order of their ids, because sums are rounded. All
 * overlapping balls are listed, and their neighbours are in order. */
static void
measure_depths(island_set *s, const id_entry *order, size_t count)
{
    const pqti_broad_phase *broad_phase = s->broad_phase;
    for (size_t i = 0; i < count; i++) {
        const pqti_ball *ball = &broad_phase->balls[order[i].number];
        for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad_phase->edges[e].next) {
            const pqti_ball *other = &broad_phase->balls[broad_phase->edges[e].to];
            if (other->id > ball->id || !other->overlaps)
                measure_pair(s, order[i].number, broad_phase->edges[e].to);
        }
    }
}

/* Returns the motion of a position per unit of `scale`. The motion never decreases as the position
 * increases. It is >= 0 from `low_limit` on, and <= 0 up to `high_limit`. */
static double
scaled_offset(const axis *a, double at)
{
    if (a->low_limit > a->high_limit)
        return at - pqti_clamp(a->low / 2 + a->high / 2, a->high_limit, a->low_limit);
    return at < a->low_limit ? at - a->low_limit : at > a->high_limit ? at - a->high_limit : 0;
}

/* Returns the motion of a ball per unit of `scale`. */
static pqt_vec
movement_of_scale(const separated_island *island, const pqti_ball *ball)
{
    pqt_vec p = base_of(ball);
    return (pqt_vec){scaled_offset(&island->x, p.x), scaled_offset(&island->y, p.y)};
}

/* Returns true if a pushed ball is too near to the position to which another ball would be moved
 * back. */
static bool
blocks_position(const pqti_ball *pushed, const pqti_ball *other)
{
    pqt_vec d = pqti_vec_between(pushed->position, base_of(other));
    double min_distance = pqti_fmin(pushed->radius + other->radius, distance_before(pushed, other));
    return pqti_dot(d, d) < min_distance * min_distance;
}

/* If only one of the islands of two balls is stuck, its ball must be moved back. If the other ball
 * blocks the position for that, marks the other island as stuck, too, and returns true. Otherwise,
 * returns false. */
static bool
mark_blocked_as_stuck(island_set *s, uint32_t i, uint32_t j)
{
    separated_island *island = &s->islands[island_of(s, i)], *g = &s->islands[island_of(s, j)];
    const pqti_ball *a = &s->broad_phase->balls[i], *b = &s->broad_phase->balls[j];
    if (island->stuck == g->stuck ||
        !(island->stuck ? blocks_position(b, a) : blocks_position(a, b)))
        return false;
    island->stuck = g->stuck = true;
    return true;
}

/* Marks the islands for which pushes failed, and those that block the balls of a stuck island from
 * being moved back. */
static void
find_stuck(island_set *s)
{
    const pqti_broad_phase *broad_phase = s->broad_phase;
    for (uint32_t i = 0; i < broad_phase->count; i++) {
        separated_island *island = &s->islands[i];
        island->stuck = island->depth_left > FAILED_FRACTION * island->depth && island->scale > 0;
    }
    for (bool found = true; found;) {
        found = false;
        for (size_t k = 0; k < broad_phase->edge_count; k += 2)
            found =
                mark_blocked_as_stuck(s, broad_phase->edges[k + 1].to, broad_phase->edges[k].to) ||
                found;
    }
}

static bool
is_stuck(const island_set *s, uint32_t ball)
{
    return s->islands[island_of(s, ball)].stuck;
}

/* Moves a ball back to its position before the pushes, and limits `most`. */
static void
reset_and_limit_scale(separated_island *island, pqti_ball *ball)
{
    pqt_vec m = movement_of_scale(island, ball);
    double length = sqrt(pqti_dot(m, m));
    ball->position = base_of(ball);
    if (length > 0)
        island->most = pqti_fmin(island->most, ball->radius / length);
}

/* Limits the scale so that each ball moves by at most its radius. */
static void
limit_scale(separated_island *island)
{
    if (island->scale > island->most)
        island->scale = island->most * (1 - PQTI_PUSH_MARGIN);
}

/* Returns the fraction of a motion after which a ball hits a ball of another island. If the other
 * island is scaled too, each ball may move by half of the gap. */
static double
clear_fraction_of_ball(const pqti_ball *ball, const pqti_ball *other, pqt_vec push, bool is_scaled)
{
    pqt_vec d = pqti_vec_between(other->position, ball->position);
    double radius = ball->radius + other->radius, length = sqrt(pqti_dot(push, push));
    if (!is_scaled)
        return pqti_ray_circle(d, push, radius) * (1 - PQTI_PUSH_MARGIN);
    double gap = sqrt(pqti_dot(d, d)) - radius;
    return gap > 0 && length > 0 ? gap / 2 / length : length > 0 ? 0 : 1;
}

/* Returns the fraction of a motion after which a ball hits pixels. */
static double
clear_fraction_of_pixels(const island_set *s, const pqti_ball *ball, pqt_vec push)
{
    pqt_vec toward;
    if (s->broad_phase->obstacle == NULL || !pqti_can_move(ball))
        return 1;
    return pqti_obstacle_view_free_fraction(s->broad_phase->obstacle, ball, push, &toward);
}

/* Limits the fraction of the scale so that a ball does not hit a wall, a pixel or a ball of another
 * island. */
static void
limit_fraction(const island_set *s, separated_island *island, uint32_t i)
{
    const pqti_ball *ball = &s->broad_phase->balls[i];
    pqt_vec m = movement_of_scale(island, ball), push = {m.x * island->scale, m.y * island->scale};
    island->fraction = pqti_fmin(island->fraction, pqti_clear_of_walls(ball, push));
    island->fraction = pqti_fmin(island->fraction, clear_fraction_of_pixels(s, ball, push));
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = s->broad_phase->edges[e].next) {
        uint32_t j = s->broad_phase->edges[e].to;
        const pqti_ball *other = &s->broad_phase->balls[j];
        if (ball->radius + other->radius > 0 && island_of(s, j) != island_of(s, i))
            island->fraction = pqti_fmin(island->fraction,
                                         clear_fraction_of_ball(ball, other, push, is_stuck(s, j)));
    }
}

static void
move_scaled_ball(const island_set *s, const separated_island *island, pqti_ball *ball)
{
    pqt_vec m = movement_of_scale(island, ball), from = ball->position;
    double by = island->scale * island->fraction;
    ball->position.x =
        pqti_clamp(from.x + m.x * by, ball->centre_bounds.min.x, ball->centre_bounds.max.x);
    ball->position.y =
        pqti_clamp(from.y + m.y * by, ball->centre_bounds.min.y, ball->centre_bounds.max.y);
    if (s->broad_phase->obstacle != NULL && pqti_can_move(ball))
        ball->position =
            pqti_obstacle_view_nudge_free(s->broad_phase->obstacle, ball, from, ball->position);
}

/* Scales the stuck islands in passes over their balls. All but the last compute minima, and the
 * last one moves the balls, so the order of the balls does not matter. */
static bool
separate_stuck_islands(island_set *s, pqt_error *error)
{
    const pqti_broad_phase *broad_phase = s->broad_phase;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (is_stuck(s, i))
            reset_and_limit_scale(&s->islands[island_of(s, i)], &broad_phase->balls[i]);
    for (uint32_t i = 0; i < broad_phase->count; i++)
        limit_scale(&s->islands[i]);
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (is_stuck(s, i) &&
            !pqti_broad_phase_inflate(s->broad_phase, i, broad_phase->balls[i].radius, error))
            return false;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (is_stuck(s, i))
            limit_fraction(s, &s->islands[island_of(s, i)], i);
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (is_stuck(s, i))
            move_scaled_ball(s, &s->islands[island_of(s, i)], &broad_phase->balls[i]);
    return true;
}

static bool
separate_islands(pqti_broad_phase *broad_phase, const id_entry *order, size_t count,
                 pqt_error *error)
{
    island_set s = {.broad_phase = broad_phase};
    bool good = false;
    s.parents = pqti_alloc_scratch(broad_phase->count, sizeof *s.parents);
    s.islands = pqti_alloc_scratch(broad_phase->count, sizeof *s.islands);
    if (s.parents == NULL || s.islands == NULL) {
        pqti_out_of_memory(error);
    } else {
        join_islands(&s);
        measure_islands(&s);
        measure_depths(&s, order, count);
        find_stuck(&s);
        good = separate_stuck_islands(&s, error);
    }
    pqti_free_scratch(s.islands);
    pqti_free_scratch(s.parents);
    return good;
}

/* ---- Both parts ---- */

bool
pqti_separate(pqti_broad_phase *broad_phase, pqt_step_report *report, pqt_error *error)
{
    const size_t overlapping = flag_overlapping(broad_phase, report);
    if (overlapping == 0 || pqti_broad_phase_lacks_all(broad_phase))
        return overlapping == 0;
    id_entry *order = pqti_alloc_scratch(overlapping, sizeof *order);
    if (order == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    const size_t count = list_overlapping(broad_phase, order);
    const bool good = push_overlapping(broad_phase, order, count, error) &&
                      separate_islands(broad_phase, order, count, error) &&
                      update_moved(broad_phase, report, error);
    pqti_free_scratch(order);
    return good;
}
