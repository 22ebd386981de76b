/* SPDX-License-Identifier: MIT */
/*
 * separate_obstacle.c: moves balls out of the obstacle, one after another in key order.
 *
 * Each ball moves in the shortest free direction in which nothing blocks the motion of this step.
 * In the shortest direction of all, the depth decreases by the whole length of the motion. Another
 * direction is taken only if the depth decreases in it, too.
 */
#include "config.h"

#include "world/separate_obstacle.h"

#include <stdlib.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/obstacle_toi.h"
#include "world/separate.h"

/* Returns the length of a vector that is parallel to an axis. */
static double
length_of_push(pqt_vec v)
{
    return pqti_fabs(v.x + v.y);
}

/* Limits a motion to the radius, by which one step may move a ball. */
static pqt_vec
limit_push(const pqti_ball *ball, pqt_vec motion)
{
    const double max = pqti_obstacle_view_radius(ball->radius);
    const double length = length_of_push(motion);
    const double fraction = length > max ? max / length * (1 - PQTI_PUSH_MARGIN) : 1;
    return (pqt_vec){motion.x * fraction, motion.y * fraction};
}

/* Returns true if the depth at `position` is less than `depth`. The next step would reverse a
 * motion that does not reduce the depth. */
static bool
is_less_embedded(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec position,
                 double depth)
{
    pqt_vec directions[4];
    return !pqti_obstacle_view_overlaps(broad_phase->obstacle, position, ball->radius) ||
           (pqti_obstacle_view_free_directions(broad_phase->obstacle, ball, position, directions) >
                0 &&
            length_of_push(directions[0]) < depth);
}

static bool
push_leads_too_near(const pqti_broad_phase *broad_phase, const pqti_ball *ball, pqt_vec push)
{
    return pqti_is_too_near(broad_phase, ball, pqt_vec_add(ball->position, push));
}

/* Returns the push of this step: the motion in the first direction that is clear, or the clear part
 * of the shortest motion. Returns 0 if there is neither. */
static pqt_vec
clear_push_of(const pqti_broad_phase *broad_phase, const pqti_ball *ball)
{
    pqt_vec directions[4];
    const int count =
        pqti_obstacle_view_free_directions(broad_phase->obstacle, ball, ball->position, directions);
    for (int i = 0; i < count; i++) {
        const pqt_vec push = limit_push(ball, directions[i]);
        const pqt_vec to = pqt_vec_add(ball->position, push);
        if (pqti_clear_fraction(broad_phase, ball, push) >= 1 &&
            !push_leads_too_near(broad_phase, ball, push) &&
            (i == 0 || is_less_embedded(broad_phase, ball, to, length_of_push(directions[0]))))
            return push;
    }
    const pqt_vec max = count > 0 ? limit_push(ball, directions[0]) : (pqt_vec){0, 0};
    const pqt_vec clear_part = pqt_vec_scale(max, pqti_clear_fraction(broad_phase, ball, max));
    return push_leads_too_near(broad_phase, ball, clear_part) ? (pqt_vec){0, 0} : clear_part;
}

/* Pushes a ball out of the obstacle. Returns true if the ball moved. */
static bool
push_ball_out(const pqti_broad_phase *broad_phase, pqti_ball *ball)
{
    const pqt_vec from = ball->position;
    ball->position = pqt_vec_add(from, clear_push_of(broad_phase, ball));
    return ball->position.x != from.x || ball->position.y != from.y;
}

/* Flags and counts the embedded balls. Makes them static, so that nothing else moves them. */
static size_t
flag_embedded(pqti_broad_phase *broad_phase, pqt_step_report *report)
{
    pqti_obstacle_view *obstacle = broad_phase->obstacle;
    size_t count = 0;
    for (uint32_t i = 0; i < broad_phase->count; i++) {
        pqti_ball *ball = &broad_phase->balls[i];
        obstacle->hits[ball->rank] = (pqti_obstacle_hit){.is_corner = false};
        if (ball->is_static || !pqti_obstacle_view_overlaps(obstacle, ball->position, ball->radius))
            continue;
        obstacle->hits[ball->rank].is_embedded = true;
        ball->is_static = true;
        count++;
    }
    report->embedded += count;
    return count;
}

/* The index of a ball and its rank. Balls are pushed in the order of ranks. */
typedef struct push_order {
    uint32_t rank, ball;
} push_order;

static int
by_rank(const void *a, const void *b)
{
    uint32_t rank_a = ((const push_order *)a)->rank, rank_b = ((const push_order *)b)->rank;
    return rank_a < rank_b ? -1 : rank_a > rank_b;
}

static void
list_embedded(const pqti_broad_phase *broad_phase, push_order *order, size_t embedded)
{
    size_t count = 0;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (broad_phase->obstacle->hits[broad_phase->balls[i].rank].is_embedded)
            order[count++] = (push_order){broad_phase->balls[i].rank, i};
    PQT_INVARIANT(count == embedded, "the embedded balls were miscounted");
    qsort(order, embedded, sizeof *order, by_rank);
}

static bool
push_embedded(pqti_broad_phase *broad_phase, const push_order *order, size_t count,
              pqt_step_report *report, pqt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        pqti_ball *ball = &broad_phase->balls[order[i].ball];
        if (!pqti_broad_phase_inflate(broad_phase, order[i].ball,
                                      pqti_obstacle_view_radius(ball->radius), error))
            return false;
        report->separated += push_ball_out(broad_phase, ball);
    }
    return true;
}

bool
pqti_separate_obstacle(pqti_broad_phase *broad_phase, pqt_step_report *report, pqt_error *error)
{
    const size_t embedded = flag_embedded(broad_phase, report);
    if (embedded == 0 || pqti_broad_phase_lacks_all(broad_phase))
        return embedded == 0;
    push_order *order = pqti_alloc_scratch(embedded, sizeof *order);
    if (order == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    list_embedded(broad_phase, order, embedded);
    const bool good = push_embedded(broad_phase, order, embedded, report, error);
    pqti_free_scratch(order);
    return good;
}

bool
pqti_separate_obstacle_end(pqti_broad_phase *broad_phase, pqt_error *error)
{
    pqti_obstacle_view *obstacle = broad_phase->obstacle;
    for (uint32_t i = 0; i < broad_phase->count; i++) {
        pqti_ball *ball = &broad_phase->balls[i];
        if (!obstacle->hits[ball->rank].is_embedded)
            continue;
        ball->is_static = pqti_obstacle_view_overlaps(obstacle, ball->position, ball->radius);
        obstacle->hits[ball->rank].is_embedded = ball->is_static;
        if (ball->is_static) {
            ball->velocity = (pqt_vec){0, 0};
            ball->spin = 0;
        } else if (!pqti_broad_phase_update(broad_phase, i, 0, error)) {
            return false;
        }
    }
    return true;
}
