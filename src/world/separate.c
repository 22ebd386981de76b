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
 * a heap swells as a whole instead (separate_island.c).
 */
#include "config.h"

#include "world/separate.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "world/obstacle_query.h"

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
