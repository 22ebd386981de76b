/* SPDX-License-Identifier: MIT */
/*
 * separate.c - moving apart what overlaps when a step begins.
 *
 * One ball after another, in the order of their ids, is pushed out of those it overlaps, by half of
 * each depth where the other one is still to come, else by all of it. How near two balls may come
 * is given for all of the step: to where they touch, or where they overlapped from the start, as
 * near as they were then. A push is turned so that it does not lead beyond that where it is
 * reached, and shortened so that it ends before it elsewhere, and before the walls. What then still
 * went too far is not done at all. Each sees the others where they have got to.
 *
 * In a heap that is stuck this does little: there everything is in the way of everything else. Such
 * a heap swells as a whole instead (separate.c).
 */
#include "config.h"

#include "world/separate.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "world/obstacle_toi.h"

enum { TURNS = 8 };

/* A turned push leads away by this share of it, so that rounding does not lead it deeper after
   all. */
#define OUTWARD 0x1p-30

/* What is nearer to its least distance than by this share of it, counts as being there for
   turning. */
#define NEAR 0x1p-6

static pqt_vec
plus(pqt_vec a, pqt_vec b, double times)
{
    return (pqt_vec){a.x + b.x * times, a.y + b.y * times};
}

/*
 * The direction in which a ball leaves another of the same place: one that the two ids give, and
 * for the other ball the opposite one. A point of the square around 0, so not all directions are
 * equally likely.
 */
static pqt_vec
direction_by_ids(uint64_t id, uint64_t other)
{
    bool is_lower = id < other;
    uint64_t bits = pqti_id_key((is_lower ? id : other) ^ pqti_id_key(is_lower ? other : id));
    pqt_vec v = {(double)(int32_t)(uint32_t)bits + 0.5,
                 (double)(int32_t)(uint32_t)(bits >> 32) + 0.5};
    double length = sqrt(pqti_dot(v, v));
    return (pqt_vec){(is_lower ? v.x : -v.x) / length, (is_lower ? v.y : -v.y) / length};
}

/* The share of a depth that falls to a ball: half, where the other one comes later and can move
   too. */
static double
share_of(const pqti_ball *ball, const pqti_ball *other)
{
    return other->id > ball->id && other->overlaps && pqti_can_move(other) ? 0.5 : 1;
}

/* A push of no more than this length, whatever the rounding. */
static pqt_vec
shortened(pqt_vec push, double most)
{
    double length = sqrt(pqti_dot(push, push)), factor = most / length * (1 - PQTI_BEFORE);
    return length > most ? (pqt_vec){push.x * factor, push.y * factor} : push;
}

/* The sum of all pushes that others give a ball, no longer than its radius. */
static pqt_vec
push_of(const pqti_broad *broad, const pqti_ball *ball)
{
    pqt_vec push = {0, 0};
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad->edges[e].next) {
        const pqti_ball *other = &broad->balls[broad->edges[e].to];
        pqt_vec out = pqti_from_to(other->position, ball->position);
        double depth = pqti_ball_depth(ball, other, out), square = pqti_dot(out, out);
        if (depth == 0)
            continue;
        if (square < PQTI_NO_LENGTH)
            push = plus(push, direction_by_ids(ball->id, other->id), depth * share_of(ball, other));
        else
            push = plus(push, out, depth * share_of(ball, other) / sqrt(square));
    }
    return shortened(push, ball->radius);
}

/* How near two balls may come in this step. */
static double
least_distance(const pqti_ball *ball, const pqti_ball *other)
{
    pqt_vec d = pqti_from_to(other->origin, ball->origin);
    return pqti_lesser(ball->radius + other->radius, sqrt(pqti_dot(d, d)));
}

/* Whether two balls are as near as they may come, or nearly so. */
static bool
is_at(double least, pqt_vec out)
{
    return pqti_dot(out, out) < least * least * (1 + 0x1p-40);
}

/* Takes from a push what leads nearer where the ball may not come nearer. False: nothing had to be
   taken. */
static bool
turn(const pqti_broad *broad, const pqti_ball *ball, pqt_vec *push)
{
    bool turned = false;
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad->edges[e].next) {
        const pqti_ball *other = &broad->balls[broad->edges[e].to];
        pqt_vec out = pqti_from_to(other->position, ball->position);
        double square = pqti_dot(out, out), inward = -pqti_dot(out, *push);
        if (inward <= 0 || square < PQTI_NO_LENGTH ||
            !is_at(least_distance(ball, other) * (1 + NEAR), out))
            continue;
        *push = plus(*push, out, inward / square * (1 + OUTWARD));
        turned = true;
    }
    return turned;
}

double
pqti_clear_share(const pqti_broad *broad, const pqti_ball *ball, pqt_vec push)
{
    double share = pqti_clear_of_walls(ball, push);
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad->edges[e].next) {
        const pqti_ball *other = &broad->balls[broad->edges[e].to];
        pqt_vec d = pqti_from_to(other->position, ball->position);
        double least = least_distance(ball, other);
        if (least > 0 && !is_at(least, d))
            share = pqti_lesser(share, pqti_ray_circle(d, push, least) * (1 - PQTI_BEFORE));
    }
    return share;
}

bool
pqti_is_too_near(const pqti_broad *broad, const pqti_ball *ball, pqt_vec place)
{
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = broad->edges[e].next) {
        const pqti_ball *other = &broad->balls[broad->edges[e].to];
        pqt_vec before = pqti_from_to(other->position, ball->position);
        pqt_vec after = pqti_from_to(other->position, place);
        double least = least_distance(ball, other), square = pqti_dot(after, after);
        if (square < least * least && square < pqti_dot(before, before))
            return true;
    }
    return false;
}

/* ---- The obstacle ---- */

/* Takes from a push what leads into pixels that are near: once for each side of a nook, and once
   more. */
static double
turn_from_pixels(const pqti_broad *broad, const pqti_ball *ball, pqt_vec *push)
{
    pqt_vec toward;
    double share = 1;
    for (int i = 0; i < 3; i++) {
        share = pqti_barrier_share(broad->barrier, ball, *push, &toward);
        double inward = share < NEAR ? pqti_dot(toward, *push) : 0;
        if (inward <= 0)
            break;
        *push = plus(*push, toward, -inward / pqti_dot(toward, toward) * (1 + OUTWARD));
    }
    return share;
}

static bool
is_obstructed(const pqti_broad *broad, const pqti_ball *ball, pqt_vec place)
{
    return broad->barrier != NULL && pqti_barrier_overlaps(broad->barrier, place, ball->radius);
}

/* Pushes a ball as far as it may go. */
static void
push_ball(const pqti_broad *broad, pqti_ball *ball)
{
    pqt_vec push = push_of(broad, ball);
    for (int i = 0; i < TURNS && turn(broad, ball, &push); i++)
        continue;
    push = shortened(push, ball->radius);
    double share = broad->barrier != NULL ? turn_from_pixels(broad, ball, &push) : 1;
    share = pqti_lesser(share, pqti_clear_share(broad, ball, push));
    pqt_vec to = plus(ball->position, push, share);
    to.x = pqti_clamp(to.x, ball->room.min.x, ball->room.max.x);
    to.y = pqti_clamp(to.y, ball->room.min.y, ball->room.max.y);
    if (!pqti_is_too_near(broad, ball, to) && !is_obstructed(broad, ball, to))
        ball->position = to;
}

/* Marks the balls that overlap another one; how many there are. */
static size_t
mark(const pqti_broad *broad, pqt_step_report *report)
{
    size_t marked = 0;
    for (size_t k = 0; k < broad->edge_count; k += 2) {
        pqti_ball *a = &broad->balls[broad->edges[k + 1].to],
                  *b = &broad->balls[broad->edges[k].to];
        if (pqti_ball_depth(a, b, pqti_from_to(a->position, b->position)) == 0)
            continue;
        report->overlaps++;
        marked += (size_t)!a->overlaps + (size_t)!b->overlaps;
        a->overlaps = b->overlaps = true;
    }
    return marked;
}

/* A ball in the order in which they are pushed. */
typedef struct turn_of {
    uint64_t id;
    uint32_t ball;
} turn_of;

static int
by_id(const void *a, const void *b)
{
    uint64_t id_a = ((const turn_of *)a)->id, id_b = ((const turn_of *)b)->id;
    return id_a < id_b ? -1 : id_a > id_b;
}

static size_t
list_marked(const pqti_broad *broad, turn_of *turns)
{
    size_t count = 0;
    for (uint32_t i = 0; i < broad->count; i++)
        if (broad->balls[i].overlaps && pqti_can_move(&broad->balls[i]))
            turns[count++] = (turn_of){broad->balls[i].id, i};
    qsort(turns, count, sizeof *turns, by_id);
    return count;
}

static bool
push_marked(pqti_broad *broad, size_t marked, pqt_error *error)
{
    turn_of *turns = pqti_scratch(marked, sizeof *turns);
    if (turns == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    size_t count = list_marked(broad, turns);
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = pqti_broad_surround(broad, turns[i].ball, broad->balls[turns[i].ball].radius, error);
    for (size_t i = 0; good && i < count; i++)
        push_ball(broad, &broad->balls[turns[i].ball]);
    pqti_scratch_free(turns);
    return good;
}

/* Sees to the neighbours of what was moved, and counts it. */
static bool
follow_moved(pqti_broad *broad, pqt_step_report *report, pqt_error *error)
{
    for (uint32_t i = 0; i < broad->count; i++) {
        const pqti_ball *ball = &broad->balls[i];
        if (ball->still ||
            (ball->position.x == ball->origin.x && ball->position.y == ball->origin.y))
            continue;
        report->parted++;
        if (!pqti_broad_follow(broad, i, 0, error))
            return false;
    }
    return true;
}

bool
pqti_separate(pqti_broad *broad, pqt_step_report *report, pqt_error *error)
{
    size_t marked = mark(broad, report);
    return marked == 0 || (push_marked(broad, marked, error) && pqti_swell(broad, error) &&
                           follow_moved(broad, report, error));
}

/*
 * Heaps of overlapping balls that pushes could not part.
 *
 * A heap is what hangs together by overlapping, touching, or nearly touching. It swells from a
 * centre: each place p becomes c + f (p - c), with f >= 1, on each axis for itself. No two balls
 * come nearer by that, so nothing needs to be asked within the heap. At a wall or at pixels the
 * centre is where balls stand against them, so that all move away from there. Between balls that
 * stand against both sides, or must not move at all (fixed bodies, points), nothing swells on that
 * axis; what is beyond them does, away from the outermost.
 *
 * It swells by what its deepest overlap needs, as far as no ball moves by more than its radius or
 * meets what is not of the heap. What it meets then belongs to it in the next step.
 */

/* Pushes that leave more than this share of a heap's overlaps have not done enough. */
#define ENOUGH 0.7

/* What is as near as this share of the radii belongs to a heap: else it would only be met, one in
   each step. */
#define NEARLY 0x1p-3

/* From where a ball is moved: what cannot be, may have come out of the obstacle already. */
static pqt_vec
base_of(const pqti_ball *ball)
{
    return pqti_can_move(ball) ? ball->origin : ball->position;
}

typedef struct axis {
    double low, high; /* of the places of its balls */
    double floor;     /* the lowest place of a ball that must not get lower; HUGE_VAL: none */
    double ceiling;   /* the highest place of one that must not get higher; -HUGE_VAL: none */
} axis;

typedef struct heap {
    double depth, left; /* sums of depths, at first and after the pushes */
    double growth;      /* f - 1 */
    double share;       /* of that, before something is met */
    bool stuck;         /* its balls are put back, and it swells */
    axis x, y;
} heap;

typedef struct swelling {
    pqti_broad *broad;
    uint32_t *parents; /* of each ball: another one of its heap, in the end always the same */
    heap *heaps;       /* at the number of that one */
} swelling;

static uint32_t
heap_of(const swelling *s, uint32_t ball)
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
    pqt_vec d = pqti_from_to(base_of(a), base_of(b));
    return sqrt(pqti_dot(d, d));
}

static void
join_heaps(swelling *s)
{
    const pqti_broad *broad = s->broad;
    for (uint32_t i = 0; i < broad->count; i++)
        s->parents[i] = i;
    for (size_t k = 0; k < broad->edge_count; k += 2) {
        uint32_t i = broad->edges[k + 1].to, j = broad->edges[k].to;
        const pqti_ball *a = &broad->balls[i], *b = &broad->balls[j];
        if (distance_before(a, b) <= (a->radius + b->radius) * (1 + NEARLY))
            s->parents[heap_of(s, i)] = heap_of(s, j);
    }
}

/* What is nearer to a wall or to pixels counts as being there. */
static double
near_of(const pqti_ball *ball)
{
    return 0x1p-20 * ball->radius;
}

/* Whether a ball would overlap pixels that far from where it was. */
static bool
is_at_pixels(const swelling *s, const pqti_ball *ball, double x, double y)
{
    pqt_vec p = base_of(ball);
    return s->broad->barrier != NULL &&
           pqti_barrier_overlaps(s->broad->barrier, (pqt_vec){p.x + x, p.y + y}, ball->radius);
}

/* Takes the place of a ball into an axis, and to which sides it must not go. */
static void
extend(axis *a, double at, bool not_lower, bool not_higher)
{
    a->low = pqti_lesser(a->low, at);
    a->high = pqti_greater(a->high, at);
    if (not_lower)
        a->floor = pqti_lesser(a->floor, at);
    if (not_higher)
        a->ceiling = pqti_greater(a->ceiling, at);
}

static void
measure_place(swelling *s, const pqti_ball *ball, heap *h)
{
    const pqt_box *room = &ball->room;
    const pqt_vec p = base_of(ball);
    const double near = near_of(ball);
    const bool rests = !pqti_can_move(ball);
    extend(&h->x, p.x, rests || p.x - room->min.x <= near || is_at_pixels(s, ball, -near, 0),
           rests || room->max.x - p.x <= near || is_at_pixels(s, ball, near, 0));
    extend(&h->y, p.y, rests || p.y - room->min.y <= near || is_at_pixels(s, ball, 0, -near),
           rests || room->max.y - p.y <= near || is_at_pixels(s, ball, 0, near));
}

static void
measure_places(swelling *s)
{
    const axis none = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < s->broad->count; i++)
        s->heaps[i] = (heap){.share = 1, .x = none, .y = none};
    for (uint32_t i = 0; i < s->broad->count; i++)
        measure_place(s, &s->broad->balls[i], &s->heaps[heap_of(s, i)]);
}

static void
measure_depths(swelling *s)
{
    const pqti_broad *broad = s->broad;
    for (size_t k = 0; k < broad->edge_count; k += 2) {
        const pqti_ball *a = &broad->balls[broad->edges[k + 1].to];
        const pqti_ball *b = &broad->balls[broad->edges[k].to];
        heap *h = &s->heaps[heap_of(s, broad->edges[k].to)];
        double depth = pqti_ball_depth(a, b, pqti_from_to(base_of(a), base_of(b)));
        h->left += pqti_ball_depth(a, b, pqti_from_to(a->position, b->position));
        h->depth += depth;
        if (depth > 0 && distance_before(a, b) > 0)
            h->growth = pqti_greater(h->growth, depth / distance_before(a, b));
    }
}

/* Never less for higher places, not below 0 from the floor on, not above 0 up to the ceiling. */
static double
from_centre(const axis *a, double at)
{
    if (a->floor > a->ceiling)
        return at - pqti_clamp(a->low / 2 + a->high / 2, a->ceiling, a->floor);
    return at < a->floor ? at - a->floor : at > a->ceiling ? at - a->ceiling : 0;
}

/* By how much a ball moves for each unit of growth. */
static pqt_vec
movement(const heap *h, const pqti_ball *ball)
{
    pqt_vec p = base_of(ball);
    return (pqt_vec){from_centre(&h->x, p.x), from_centre(&h->y, p.y)};
}

/* Whether a ball that was pushed is where another one, put back, does not let it be. */
static bool
is_in_the_way(const pqti_ball *pushed, const pqti_ball *other)
{
    pqt_vec d = pqti_from_to(pushed->position, base_of(other));
    double least = pqti_lesser(pushed->radius + other->radius, distance_before(pushed, other));
    return pqti_dot(d, d) < least * least;
}

/* Makes heaps stuck that are in the way of stuck ones, at one pair of balls; whether it did. */
static bool
pass_on(swelling *s, uint32_t i, uint32_t j)
{
    heap *h = &s->heaps[heap_of(s, i)], *g = &s->heaps[heap_of(s, j)];
    const pqti_ball *a = &s->broad->balls[i], *b = &s->broad->balls[j];
    if (h->stuck == g->stuck || !(h->stuck ? is_in_the_way(b, a) : is_in_the_way(a, b)))
        return false;
    h->stuck = g->stuck = true;
    return true;
}

/* Finds the heaps for which pushes did too little, and those that are in the way of their being put
   back. */
static void
find_stuck(swelling *s)
{
    const pqti_broad *broad = s->broad;
    for (uint32_t i = 0; i < broad->count; i++) {
        heap *h = &s->heaps[i];
        h->stuck = h->left > ENOUGH * h->depth && h->growth > 0;
    }
    for (bool found = true; found;) {
        found = false;
        for (size_t k = 0; k < broad->edge_count; k += 2)
            found = pass_on(s, broad->edges[k + 1].to, broad->edges[k].to) || found;
    }
}

static bool
is_stuck(const swelling *s, uint32_t ball)
{
    return s->heaps[heap_of(s, ball)].stuck;
}

/* Puts a ball back, and sees to it that it does not move by more than its radius. */
static void
limit_growth(heap *h, pqti_ball *ball)
{
    pqt_vec m = movement(h, ball);
    double length = sqrt(pqti_dot(m, m));
    ball->position = base_of(ball);
    if (h->growth * length > ball->radius)
        h->growth = ball->radius / length * (1 - PQTI_BEFORE);
}

/* The share of a movement before a ball meets another that is not of its heap; one that swells too
   may come half way. */
static double
clear_of(const pqti_ball *ball, const pqti_ball *other, pqt_vec push, bool swells)
{
    pqt_vec d = pqti_from_to(other->position, ball->position);
    double radius = ball->radius + other->radius, length = sqrt(pqti_dot(push, push));
    if (!swells)
        return pqti_ray_circle(d, push, radius) * (1 - PQTI_BEFORE);
    double gap = sqrt(pqti_dot(d, d)) - radius;
    return gap > 0 && length > 0 ? gap / 2 / length : length > 0 ? 0 : 1;
}

/* The share of a movement before a ball comes to pixels. */
static double
clear_of_pixels(const swelling *s, const pqti_ball *ball, pqt_vec push)
{
    pqt_vec toward;
    if (s->broad->barrier == NULL || !pqti_can_move(ball))
        return 1;
    return pqti_barrier_share(s->broad->barrier, ball, push, &toward);
}

/* Sees to it that a ball comes to no wall and no pixel, and meets nothing that is not of its
   heap. */
static void
limit_share(const swelling *s, heap *h, uint32_t i)
{
    const pqti_ball *ball = &s->broad->balls[i];
    pqt_vec m = movement(h, ball), push = {m.x * h->growth, m.y * h->growth};
    h->share = pqti_lesser(h->share, pqti_clear_of_walls(ball, push));
    h->share = pqti_lesser(h->share, clear_of_pixels(s, ball, push));
    for (uint32_t e = ball->edge; e != PQTI_NO_EDGE; e = s->broad->edges[e].next) {
        uint32_t j = s->broad->edges[e].to;
        const pqti_ball *other = &s->broad->balls[j];
        if (ball->radius + other->radius > 0 && heap_of(s, j) != heap_of(s, i))
            h->share = pqti_lesser(h->share, clear_of(ball, other, push, is_stuck(s, j)));
    }
}

static void
move(const swelling *s, const heap *h, pqti_ball *ball)
{
    pqt_vec m = movement(h, ball), from = ball->position;
    double by = h->growth * h->share;
    ball->position.x = pqti_clamp(from.x + m.x * by, ball->room.min.x, ball->room.max.x);
    ball->position.y = pqti_clamp(from.y + m.y * by, ball->room.min.y, ball->room.max.y);
    if (s->broad->barrier != NULL && pqti_can_move(ball))
        ball->position = pqti_barrier_freed(s->broad->barrier, ball, from, ball->position);
}

/* Each pass over all balls of heaps that are stuck, in whatever order: minima, then movements. */
static bool
swell(swelling *s, pqt_error *error)
{
    const pqti_broad *broad = s->broad;
    for (uint32_t i = 0; i < broad->count; i++)
        if (is_stuck(s, i))
            limit_growth(&s->heaps[heap_of(s, i)], &broad->balls[i]);
    for (uint32_t i = 0; i < broad->count; i++)
        if (is_stuck(s, i) && !pqti_broad_surround(s->broad, i, broad->balls[i].radius, error))
            return false;
    for (uint32_t i = 0; i < broad->count; i++)
        if (is_stuck(s, i))
            limit_share(s, &s->heaps[heap_of(s, i)], i);
    for (uint32_t i = 0; i < broad->count; i++)
        if (is_stuck(s, i))
            move(s, &s->heaps[heap_of(s, i)], &broad->balls[i]);
    return true;
}

bool
pqti_swell(pqti_broad *broad, pqt_error *error)
{
    swelling s = {.broad = broad};
    bool good = false;
    s.parents = pqti_scratch(broad->count, sizeof *s.parents);
    s.heaps = pqti_scratch(broad->count, sizeof *s.heaps);
    if (s.parents == NULL || s.heaps == NULL) {
        pqti_out_of_memory(error);
    } else {
        join_heaps(&s);
        measure_places(&s);
        measure_depths(&s);
        find_stuck(&s);
        good = swell(&s, error);
    }
    pqti_scratch_free(s.heaps);
    pqti_scratch_free(s.parents);
    return good;
}
