/* SPDX-License-Identifier: MIT */
/*
 * separate_obstacle.c - bringing balls out of the obstacle, one after another in the order of the
 * map of bodies.
 *
 * Each goes along the shortest way that is clear as far as this step leads. On the shortest of all
 * it gets less deep by every bit of it; another one is taken only if it gets less deep there too.
 */
#include "config.h"

#include "world/separate_obstacle.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/obstacle_toi.h"
#include "world/separate.h"

/* Of a vector along an axis. */
static double
length_of(pqt_vec v)
{
    return pqti_magnitude(v.x + v.y);
}

/* As much of a way as a step leads: the radius at most. */
static pqt_vec
push_along(const pqti_ball *ball, pqt_vec way)
{
    const double most = pqti_barrier_radius(ball->radius);
    const double length = length_of(way);
    const double share = length > most ? most / length * (1 - PQTI_BEFORE) : 1;
    return (pqt_vec){way.x * share, way.y * share};
}

/* Whether the shortest way out from a place is shorter than this. What is no longer would lead to
   and fro. */
static bool
is_less_deep(const pqti_broad *broad, const pqti_ball *ball, pqt_vec place, double depth)
{
    pqt_vec ways[4];
    return !pqti_barrier_overlaps(broad->barrier, place, ball->radius) ||
           (pqti_barrier_ways_out(broad->barrier, ball, place, ways) > 0 &&
            length_of(ways[0]) < depth);
}

static bool
leads_too_near(const pqti_broad *broad, const pqti_ball *ball, pqt_vec push)
{
    return pqti_is_too_near(broad, ball, pqt_vec_add(ball->position, push));
}

/* The push of this step: clear as a whole, or what is clear of the shortest; 0, 0 if there is
   none. */
static pqt_vec
push_of(const pqti_broad *broad, const pqti_ball *ball)
{
    pqt_vec ways[4];
    const int count = pqti_barrier_ways_out(broad->barrier, ball, ball->position, ways);
    for (int i = 0; i < count; i++) {
        const pqt_vec push = push_along(ball, ways[i]);
        const pqt_vec to = pqt_vec_add(ball->position, push);
        if (pqti_clear_share(broad, ball, push) >= 1 && !leads_too_near(broad, ball, push) &&
            (i == 0 || is_less_deep(broad, ball, to, length_of(ways[0]))))
            return push;
    }
    const pqt_vec most = count > 0 ? push_along(ball, ways[0]) : (pqt_vec){0, 0};
    const pqt_vec part = pqt_vec_scale(most, pqti_clear_share(broad, ball, most));
    return leads_too_near(broad, ball, part) ? (pqt_vec){0, 0} : part;
}

/* Whether it moved. */
static bool
push_out(const pqti_broad *broad, pqti_ball *ball)
{
    const pqt_vec from = ball->position;
    ball->position = pqt_vec_add(from, push_of(broad, ball));
    return ball->position.x != from.x || ball->position.y != from.y;
}

/* Finds what is buried, and how many; it stands still, so nothing else moves it. */
static size_t
bury(pqti_broad *broad, pqt_step_report *report)
{
    pqti_barrier *barrier = broad->barrier;
    size_t count = 0;
    for (uint32_t i = 0; i < broad->count; i++) {
        pqti_ball *ball = &broad->balls[i];
        barrier->bumps[ball->rank] = (pqti_bump){.corner = false};
        if (ball->still || !pqti_barrier_overlaps(barrier, ball->position, ball->radius))
            continue;
        barrier->bumps[ball->rank].buried = true;
        ball->still = true;
        count++;
    }
    report->buried += count;
    return count;
}

/* The number of a ball, and its place in the order in which they are pushed. */
typedef struct turn_of {
    uint32_t rank, ball;
} turn_of;

static int
by_rank(const void *a, const void *b)
{
    uint32_t rank_a = ((const turn_of *)a)->rank, rank_b = ((const turn_of *)b)->rank;
    return rank_a < rank_b ? -1 : rank_a > rank_b;
}

static void
list_buried(const pqti_broad *broad, turn_of *turns, size_t buried)
{
    size_t count = 0;
    for (uint32_t i = 0; i < broad->count; i++)
        if (broad->barrier->bumps[broad->balls[i].rank].buried)
            turns[count++] = (turn_of){broad->balls[i].rank, i};
    qsort(turns, buried, sizeof *turns, by_rank);
}

static bool
push_buried(pqti_broad *broad, const turn_of *turns, size_t count, pqt_step_report *report,
            pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        pqti_ball *ball = &broad->balls[turns[i].ball];
        if (!pqti_broad_surround(broad, turns[i].ball, pqti_barrier_radius(ball->radius), error))
            return false;
        report->parted += push_out(broad, ball);
    }
    return true;
}

bool
pqti_unbury(pqti_broad *broad, pqt_step_report *report, pqt_error *error)
{
    const size_t buried = bury(broad, report);
    if (buried == 0)
        return true;
    turn_of *turns = pqti_scratch(buried, sizeof *turns);
    if (turns == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    list_buried(broad, turns, buried);
    const bool good = push_buried(broad, turns, buried, report, error);
    pqti_scratch_free(turns);
    return good;
}

bool
pqti_unbury_end(pqti_broad *broad, pqt_error *error)
{
    pqti_barrier *barrier = broad->barrier;
    for (uint32_t i = 0; i < broad->count; i++) {
        pqti_ball *ball = &broad->balls[i];
        if (!barrier->bumps[ball->rank].buried)
            continue;
        ball->still = pqti_barrier_overlaps(barrier, ball->position, ball->radius);
        barrier->bumps[ball->rank].buried = ball->still;
        if (ball->still)
            ball->velocity = (pqt_vec){0, 0};
        else if (!pqti_broad_follow(broad, i, 0, error))
            return false;
    }
    return true;
}
