/* SPDX-License-Identifier: MIT */
/*
 * engine.c: the event loop of a step.
 *
 * The next events of each ball are predicted as if nothing else happened, and queued. The first
 * event in the queue is valid unless one of its balls had another event after the prediction. A
 * valid event changes the velocities of one or two balls, whose next events are then predicted
 * again. An event changes only velocities: the balls have already reached their positions.
 *
 * Balls that move far have many neighbours but hit few of them. So a long step is divided into
 * windows of time, and neighbours are found for one window at a time. A ball that is much faster
 * than the others is not tested against balls far ahead: its horizon (broadphase.h) ends earlier,
 * and its later events are predicted then. The end of a horizon or of a window changes no motion.
 *
 * The following rules make sure that the loop ends. Below a restitution of 1, a ball that has had
 * PQT_STEP_CONTACTS contacts is solved together with all balls that it touches (cluster.h), and its
 * contacts return no speed from then on. At a restitution of 1, this happens only if the contacts
 * happened at one instant. A ball is delayed after PQT_STEP_CLUSTERS clusters (after one if it has
 * no rest speed, or if kinematic balls crush it), or if it has a contact after the budget of the
 * step, or its own, is spent. It then stays where it is until the end of the step, but it keeps its
 * velocity and exchanges impulses. A ball that hits a delayed ball is delayed, too. None of these
 * rules changes the momentum, except that a delayed ball loses the energy of its unmade motion when
 * the step ends (released_velocity).
 */
#include "config.h"

#include "world/engine.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/obstacle_toi.h"
#include "world/separate.h"
#include "world/separate_obstacle.h"
#include "world/world_internal.h"

/* See docs/world.md, "Neighbours". */
enum {
    USUAL_EDGES = 8,       /* a window is cut if it has more edges per ball than this */
    EXTRA_EDGES = 1024,    /* added to that number, for worlds with few balls */
    CUT_FACTOR = 4,        /* number of pieces into which a window is cut */
    USUAL_ENDS = 4,        /* another window begins after this number of horizon ends per ball */
    EXTRA_ENDS = 1024,     /* added to that number, for worlds with few balls */
    MEAN_MOTIONS = 4,      /* least length of a horizon, in mean motions of a window */
    FREE_WINDOWS = 512,    /* number of windows into which any step may be divided */
    CONTACTS_OF_WINDOW = 4 /* and into another one after this number of contacts */
};

/* The number of contacts of a ball in a step after which its motions make up for the rounding of
 * its positions. Below a restitution of 1, crowds have more. See docs/world.md, "Contacts". */
enum { EXACT_CONTACTS = 64, EXACT_CONTACTS_OF_CROWDS = 2048 };

/* The least duration of a window, as a fraction of the elapsed time. See docs/world.md,
 * "Neighbours". */
#define LEAST_WINDOW 0x1p-40

/* If contacts may return no speed, an approach slower than this fraction of the balls' speeds
 * counts as a rounding error. See docs/world.md, "Contacts". */
#define LEAST_APPROACH 0x1p-50

/* A ball that a kinematic ball hits again is squeezed if it has moved less than this fraction of
 * the distance between their centres since the last hit. Such a ball would bounce faster and
 * faster. See docs/world.md, "Crushing". */
#define SQUEEZED_FRACTION 0x1p-4

/* A kinematic ball overlaps a ball that it hits if they overlap by more than this fraction of the
 * sum of their radii. Rounding causes smaller overlaps. See docs/world.md, "Crushing". */
#define OVERLAPPING_FRACTION 0x1p-20

/* Queues an event unless it happens too late: after the end of the window for contacts and pixels,
 * and after the ball's horizon for other events. Such an event is predicted again later. */
static bool
queue_event(pqti_engine *engine, double time, pqti_event_cause cause, uint32_t a, uint32_t b)
{
    const pqti_ball *balls = engine->broad_phase.balls;
    const bool lasts_for_window = cause == PQTI_CONTACT || cause == PQTI_PIXEL;
    if (!(time <= (lasts_for_window ? engine->broad_phase.end : balls[a].horizon)))
        return true;
    if (balls[b].id < balls[a].id) {
        uint32_t lower = b;
        b = a;
        a = lower;
    }
    pqti_event event = {time, a, b, balls[a].stamp, balls[b].stamp, cause};
    if (pqti_queue_add(&engine->queue, balls, event))
        return true;
    pqti_out_of_memory(engine->error);
    return false;
}

/* Returns true if a kinematic ball passes through a delayed ball, which cannot move out of its
 * way. */
static bool
is_passed(const pqti_ball *a, const pqti_ball *b)
{
    return (a->is_kinematic && b->is_delayed) || (b->is_kinematic && a->is_delayed);
}

static bool
predict_contact(pqti_engine *engine, uint32_t a, uint32_t b)
{
    const pqti_ball *balls = engine->broad_phase.balls;
    engine->report.tests++;
    if (is_passed(&balls[a], &balls[b]))
        return true;
    return queue_event(engine, pqti_ball_toi(&balls[a], &balls[b]), PQTI_CONTACT, a, b);
}

/* Returns the time at which a coordinate reaches its wall. If the ball is at the wall and moves
 * toward it, the time is now. */
static double
wall_time(const pqti_ball *ball, double from, double speed, double wall)
{
    return ball->time + (wall - from) / speed;
}

static bool
predict_walls(pqti_engine *engine, uint32_t i)
{
    const pqti_ball *ball = &engine->broad_phase.balls[i];
    pqt_vec p = ball->position, v = ball->velocity;
    bool good = true;
    if (v.x < 0)
        good = queue_event(engine, wall_time(ball, p.x, v.x, ball->centre_bounds.min.x),
                           PQTI_WALL_LEFT, i, i);
    if (v.x > 0)
        good = queue_event(engine, wall_time(ball, p.x, v.x, ball->centre_bounds.max.x),
                           PQTI_WALL_RIGHT, i, i);
    if (good && v.y < 0)
        good = queue_event(engine, wall_time(ball, p.y, v.y, ball->centre_bounds.min.y),
                           PQTI_WALL_UPPER, i, i);
    if (good && v.y > 0)
        good = queue_event(engine, wall_time(ball, p.y, v.y, ball->centre_bounds.max.y),
                           PQTI_WALL_LOWER, i, i);
    return good;
}

/* Predicts when a ball hits the obstacle; a static ball never does. Rounding may move a hit at the
 * end of the step to a later time, so the time is limited to the duration of the step. */
static bool
predict_pixels(pqti_engine *engine, uint32_t i)
{
    const pqti_broad_phase *broad_phase = &engine->broad_phase;
    const pqti_ball *ball = &broad_phase->balls[i];
    if (broad_phase->obstacle == NULL || ball->is_static)
        return true;
    double time = pqti_obstacle_view_toi(broad_phase->obstacle, ball, ball->horizon,
                                         &broad_phase->obstacle->hits[ball->rank]);
    if (time != PQTI_NEVER_EVENT)
        time = pqti_fmin(time, engine->span);
    return queue_event(engine, time, PQTI_PIXEL, i, i);
}

static bool
predict_horizon(pqti_engine *engine, uint32_t i)
{
    const double horizon = engine->broad_phase.balls[i].horizon;
    return horizon == engine->broad_phase.end || queue_event(engine, horizon, PQTI_HORIZON, i, i);
}

/* Predicts all events of a ball other than contacts. */
static bool
predict_single(pqti_engine *engine, uint32_t i)
{
    return predict_walls(engine, i) && predict_pixels(engine, i) && predict_horizon(engine, i);
}

static bool
predict_all(pqti_engine *engine)
{
    const pqti_broad_phase *broad_phase = &engine->broad_phase;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        if (!predict_single(engine, i))
            return false;
    for (size_t k = 0; k < broad_phase->edge_count; k += 2)
        if (!predict_contact(engine, broad_phase->edges[k + 1].to, broad_phase->edges[k].to))
            return false;
    return true;
}

static bool
vec_is_within_limit(pqt_vec v)
{
    return pqti_fabs(v.x) <= PQTI_WORLD_LIMIT && pqti_fabs(v.y) <= PQTI_WORLD_LIMIT;
}

bool
pqti_ball_check(const pqti_ball *ball, pqt_error *error)
{
    const bool moves_well =
        vec_is_within_limit(ball->position) && vec_is_within_limit(ball->velocity);
    if (moves_well && vec_is_within_limit((pqt_vec){ball->angle, ball->spin}))
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0, "body with id %llu: its %s is beyond 2^200",
                   (unsigned long long)ball->id,
                   moves_well ? "angle or angular velocity" : "position or velocity");
    return false;
}

/* Predicts the events of a ball. Tests only its neighbours before the edge `end_edge`. */
static bool
predict_path(pqti_engine *engine, uint32_t i, uint32_t end_edge)
{
    const pqti_broad_phase *broad_phase = &engine->broad_phase;
    if (!predict_single(engine, i))
        return false;
    for (uint32_t e = broad_phase->balls[i].edge; e != end_edge; e = broad_phase->edges[e].next)
        if (!predict_contact(engine, i, broad_phase->edges[e].to))
            return false;
    return true;
}

/* Predicts the events of a ball whose velocity changed. */
static bool
predict_after_change(pqti_engine *engine, uint32_t i)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    pqti_ball *ball = &broad_phase->balls[i];
    pqti_paths_add(&engine->paths, ball);
    return pqti_ball_check(ball, engine->error) &&
           pqti_broad_phase_update(broad_phase, i, ball->time, engine->error) &&
           predict_path(engine, i, PQTI_NO_EDGE);
}

/* Predicts more events of a ball whose horizon ended. Tests only new neighbours, since nothing has
 * changed for the others. */
static bool
process_horizon(pqti_engine *engine, const pqti_event *event)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    engine->horizon_ends++;
    return pqti_broad_phase_update(broad_phase, event->a, event->time, engine->error) &&
           predict_path(engine, event->a, broad_phase->new_until);
}

/* ---- Responses ---- */

/* Returns true if the contacts of a ball return no speed because it has been in a cluster. */
static bool
is_plastic(const pqti_ball *ball)
{
    return ball->clusters > 0;
}

/* Returns true if a contact between two balls, or between a ball and a wall, returns no speed at
 * this speed of approach. */
static bool
returns_nothing(const pqti_ball *a, const pqti_ball *b, double approach)
{
    return is_plastic(a) || is_plastic(b) || approach <= pqti_rest_speed(a, b);
}

/* Returns a position near `position` that is outside the obstacle's pixels. Rounding may have moved
 * `position` into them. */
static pqt_vec
position_free_of_pixels(const pqti_engine *engine, const pqti_ball *ball, pqt_vec position)
{
    const pqti_obstacle_view *obstacle = engine->broad_phase.obstacle;
    if (obstacle == NULL || !obstacle->hits[ball->rank].is_near)
        return position;
    return pqti_obstacle_view_nudge_free(obstacle, ball, ball->position, position);
}

/* Sets the position of a ball at a given time, turns the ball up to that time, and invalidates its
 * predictions. */
static void
set_ball_position(pqti_ball *ball, pqt_vec position, double time)
{
    ball->angle += ball->spin * (time - ball->time);
    ball->position = position;
    ball->time = time;
    ball->stamp++;
}

/* Returns the part of a motion that rounding of the sum from + motion withholds, exactly (Knuth,
 * The Art of Computer Programming, volume 2, section 4.2.2). Returns 0 at a wall, which ends a
 * motion. */
static double
withheld_motion(double from, double motion, double to)
{
    const double sum = from + motion, moved = sum - from;
    return to == sum ? (from - (sum - moved)) + (motion - moved) : 0;
}

/* Returns the position of a ball at a given time. Each contact rounds the position, and the errors
 * of many contacts would add up: balls that touch would overlap. So after EXACT_CONTACTS contacts,
 * each motion makes up for the part that rounding withheld from the one before. Predictions may
 * ignore that part, which is at most half a unit in the last place. */
static pqt_vec
next_position(const pqti_engine *engine, pqti_ball *ball, double time)
{
    if (ball->stamp < (engine->restitution == 1 ? EXACT_CONTACTS : EXACT_CONTACTS_OF_CROWDS))
        return pqti_ball_at(ball, time);
    const pqt_vec from = ball->position, v = ball->velocity;
    const double span = time - ball->time;
    const pqt_vec motion = {v.x * span + ball->withheld.x, v.y * span + ball->withheld.y};
    const pqt_vec to = pqti_ball_moved_by(ball, from, motion, 1);
    ball->withheld =
        (pqt_vec){withheld_motion(from.x, motion.x, to.x), withheld_motion(from.y, motion.y, to.y)};
    return to;
}

/* Moves a ball to its position at a given time. A static ball keeps its predictions. */
static void
advance_ball(const pqti_engine *engine, pqti_ball *ball, double time)
{
    if (ball->is_delayed)
        ball->unearned += pqti_dot(ball->acceleration, ball->held) * (time - ball->time);
    if (!ball->is_static)
        set_ball_position(
            ball, position_free_of_pixels(engine, ball, next_position(engine, ball, time)), time);
}

/* Returns true if the contacts and clusters that a ball counts happened at earlier instants, which
 * do not count at a restitution of 1. */
static bool
is_at_new_instant(const pqti_engine *engine, const pqti_ball *ball, double time)
{
    return engine->restitution == 1 && time - ball->since > PQTI_INSTANT * engine->span;
}

static void
forget_earlier_contacts(const pqti_engine *engine, pqti_ball *ball, double time)
{
    if (!is_at_new_instant(engine, ball, time))
        return;
    ball->since = time;
    ball->events = ball->clusters = 0;
}

/* Keeps a ball where it is until the end of the step. */
static void
delay_ball(pqti_engine *engine, pqti_ball *ball)
{
    if (ball->is_static || ball->is_delayed)
        return;
    ball->is_delayed = true;
    ball->held = ball->velocity;
    ball->velocity = ball->withheld = (pqt_vec){0, 0};
    ball->stamp++;
    engine->report.delayed++;
}

/* Returns the velocity that a delayed ball has when the step ends. The step gave all balls the
 * speed that they gain from their accelerations, but a delayed ball did not move along them. So the
 * energy of its unmade motion is removed from its velocity along the acceleration. Otherwise balls
 * that are delayed in each step would become faster and faster. */
static pqt_vec
released_velocity(const pqti_ball *ball)
{
    const pqt_vec a = ball->acceleration;
    const double square = pqti_dot(a, a);
    if (!(ball->unearned > 0) || square < PQTI_NO_LENGTH)
        return ball->held;
    const double length = sqrt(square); /* a multiple of a tiny acceleration could overflow */
    const pqt_vec direction = {a.x / length, a.y / length};
    const double along = pqti_dot(direction, ball->held);
    const double left = along * along - 2 * ball->unearned;
    const double by = left > 0 ? copysign(sqrt(left), along) - along : -along;
    return (pqt_vec){ball->held.x + direction.x * by, ball->held.y + direction.y * by};
}

/* Restores the velocities of delayed balls. */
static void
release_delayed(pqti_engine *engine)
{
    for (uint32_t i = 0; i < engine->broad_phase.count; i++) {
        pqti_ball *ball = &engine->broad_phase.balls[i];
        if (ball->is_delayed)
            ball->velocity = released_velocity(ball);
    }
}

/* Returns a pointer to the velocity of a ball, or to the velocity that a delayed ball keeps. */
static pqt_vec *
momentum_velocity(pqti_ball *ball)
{
    return ball->is_delayed ? &ball->held : &ball->velocity;
}

static double
one_norm(pqt_vec v)
{
    return pqti_fabs(v.x) + pqti_fabs(v.y);
}

static void
change_velocity(pqt_vec *velocity, pqt_vec direction, double by)
{
    *velocity = (pqt_vec){velocity->x + direction.x * by, velocity->y + direction.y * by};
}

/* Records a hit by a kinematic ball. Returns true if the ball that it hits is squeezed. */
static bool
is_squeezed(pqti_ball *a, pqti_ball *b, double distance, double time)
{
    pqti_ball *ball = a->is_kinematic ? b : a;
    if (!a->is_kinematic && !b->is_kinematic)
        return false;
    const double distance_moved = one_norm(*momentum_velocity(ball)) * (time - ball->pushed);
    ball->pushed = time;
    return distance_moved < SQUEEZED_FRACTION * distance;
}

/* Returns true if two balls whose centres are at this distance overlap by more than rounding. */
static bool
overlap_at(const pqti_ball *a, const pqti_ball *b, double distance)
{
    return distance < (a->radius + b->radius) * (1 - OVERLAPPING_FRACTION);
}

/* Slows down the motion of a ball along the surface of a kinematic ball that squeezes or overlaps
 * it, after a hit. The ball may have no room, and is then hit again in each step. So hits make it
 * no faster than it was before, or than a multiple of the speed of the kinematic ball if that is
 * greater, unless it rebounds faster. `offset` is the offset of the two balls. */
static void
limit_speed(pqti_ball *a, pqti_ball *b, pqt_vec offset, pqt_vec before)
{
    pqt_vec *v = momentum_velocity(a->is_kinematic ? b : a);
    const double kinematic = pqti_surface_speed(a->is_kinematic ? a : b);
    const double limit = pqti_fmax(sqrt(pqti_dot(before, before)), PQTI_CRUSHED_SPEED * kinematic);
    const double along = pqti_dot(offset, *v) / pqti_dot(offset, offset);
    const pqt_vec normal = {offset.x * along, offset.y * along},
                  tangent = {v->x - normal.x, v->y - normal.y};
    const double slip = pqti_dot(tangent, tangent);
    const double left = pqti_fmax(limit * limit - pqti_dot(normal, normal), 0);
    if (!(slip > left))
        return;
    *v = normal;
    change_velocity(v, tangent, sqrt(left / slip));
}

/* Applies the response of two balls, at offset `offset` from each other, to their contact. */
static void
exchange_impulse(pqti_engine *engine, pqti_ball *a, pqti_ball *b, pqt_vec offset, double time)
{
    pqt_vec *v = momentum_velocity(a), *w = momentum_velocity(b);
    const pqt_vec before = a->is_kinematic ? *w : *v;
    const double approach = -pqti_dot(offset, (pqt_vec){w->x - v->x, w->y - v->y});
    const double square = pqti_dot(offset, offset), distance = sqrt(square);
    if (!(approach > 0))
        return;
    const bool squeezed = is_squeezed(a, b, distance, time);
    const bool plastic = squeezed || returns_nothing(a, b, approach / distance);
    const double change = (plastic ? 1 : 1 + engine->restitution) * approach / square;
    const double mass = a->is_static ? b->mass : a->mass * pqti_ball_fraction(a, b);
    change_velocity(v, offset, -change * pqti_ball_fraction(a, b));
    change_velocity(w, offset, change * pqti_ball_fraction(b, a));
    pqti_friction_apply_pair(a, b, v, w, offset, change * distance);
    if ((a->is_kinematic || b->is_kinematic) && (squeezed || overlap_at(a, b, distance)))
        limit_speed(a, b, offset, before);
    pqti_events_add_hit(&engine->events, a, b, PQT_SIDE_BODY, offset, mass * change * distance,
                        time);
    engine->report.plastic += plastic;
}

/* Returns true if two balls, at an offset from each other, approach fast enough for a contact. An
 * approach that may be a rounding error counts only between balls that have not been in a cluster
 * at this instant, at a restitution of 1. */
static bool
approach_at(const pqti_engine *engine, const pqti_ball *a, const pqti_ball *b, pqt_vec offset,
            double time)
{
    const pqt_vec w = {b->velocity.x - a->velocity.x, b->velocity.y - a->velocity.y};
    const bool exact = engine->restitution == 1 &&
                       (!is_plastic(a) || is_at_new_instant(engine, a, time)) &&
                       (!is_plastic(b) || is_at_new_instant(engine, b, time));
    const double least =
        exact ? 0
              : LEAST_APPROACH * one_norm(offset) * (one_norm(a->velocity) + one_norm(b->velocity));
    return -pqti_dot(offset, w) > least && pqti_dot(offset, offset) >= PQTI_NO_LENGTH &&
           pqti_dot(w, w) >= PQTI_NO_LENGTH;
}

/* Resolves a contact between two balls. Returns false if they do not approach. Then neither
 * changes, because the next window predicts the same contact, and the result must be the same. Also
 * returns false if a kinematic ball hits a sleeping one. Then the step runs again with the sleeping
 * ball awake. */
static bool
resolve_contact(pqti_engine *engine, pqti_ball *a, pqti_ball *b, double time)
{
    const pqt_vec at_a = pqti_ball_at(a, time), at_b = pqti_ball_at(b, time);
    const pqt_vec d = {at_b.x - at_a.x, at_b.y - at_a.y};
    if (!approach_at(engine, a, b, d, time))
        return false;
    pqti_ball_touch(a);
    pqti_ball_touch(b);
    if (a->is_static && b->is_static)
        return false;
    forget_earlier_contacts(engine, a, time);
    forget_earlier_contacts(engine, b, time);
    advance_ball(engine, a, time);
    advance_ball(engine, b, time);
    exchange_impulse(engine, a, b, d, time);
    if (a->is_delayed || b->is_delayed) {
        delay_ball(engine, a);
        delay_ball(engine, b);
    }
    engine->report.contacts++;
    return true;
}

/* Returns the number of clusters that a ball may cause before it is delayed. More than one helps
 * only if contacts may rest. Without a rest speed, a crowd collides until its balls are delayed
 * anyway. If kinematic balls crush others, a solution takes the most passes, and each one may make
 * balls faster. */
static uint32_t
most_clusters(const pqti_ball *ball)
{
    return ball->rest_speed > 0 && !ball->is_crushed ? PQT_STEP_CLUSTERS : 1;
}

/* Counts the cluster if contacts of a ball caused it. Delays the ball if it caused too many. */
static void
count_cluster(pqti_engine *engine, uint32_t i, double time)
{
    pqti_ball *ball = &engine->broad_phase.balls[i];
    if (ball->is_static || ball->events < PQT_STEP_CONTACTS)
        return;
    ball->events = 0;
    ball->since = time;
    if (++ball->clusters > most_clusters(ball))
        delay_ball(engine, ball);
}

/* Finds the cluster of two balls, one of which has too many contacts, solves it, and predicts the
 * next events of its other balls. */
static bool
process_cluster(pqti_engine *engine, uint32_t a, uint32_t b, double time)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    pqti_clusters *clusters = &engine->clusters;
    if (!pqti_clusters_find(clusters, broad_phase, a, b, time, engine->error))
        return false;
    for (size_t n = 0; n < clusters->ball_count; n++)
        advance_ball(engine, &broad_phase->balls[clusters->balls[n]], time);
    pqti_clusters_solve(clusters, broad_phase);
    pqti_events_add_cluster(&engine->events, broad_phase->balls, &clusters->contacts, time);
    engine->report.clusters++;
    count_cluster(engine, a, time);
    if (a != b)
        count_cluster(engine, b, time);
    for (size_t n = 0; n < clusters->ball_count; n++) {
        const uint32_t i = clusters->balls[n];
        if (i != a && i != b && !predict_after_change(engine, i))
            return false;
    }
    return true;
}

static bool
is_crowded(const pqti_ball *ball)
{
    return !ball->is_static && !ball->is_delayed && ball->events >= PQT_STEP_CONTACTS;
}

/* Takes a contact of two balls from the budget of the step, and delays both if it is spent. Delays
 * a ball that has spent its own budget. The stamp of a ball counts its contacts. */
static void
spend_budget(pqti_engine *engine, pqti_ball *a, pqti_ball *b)
{
    const bool is_spent = engine->budget == 0;
    engine->budget -= !is_spent;
    if (is_spent || a->stamp > engine->ball_budget)
        delay_ball(engine, a);
    if (is_spent || b->stamp > engine->ball_budget)
        delay_ball(engine, b);
}

/* Finishes a contact between two balls, or of one ball if both are the same. Applies the budgets
 * and the rule of clusters, and predicts the next events. */
static bool
finish_contact(pqti_engine *engine, uint32_t i, uint32_t j, double time)
{
    pqti_ball *a = &engine->broad_phase.balls[i], *b = &engine->broad_phase.balls[j];
    const bool a_moves = !a->is_static, b_moves = i != j && !b->is_static;
    a->events++;
    if (i != j)
        b->events++;
    spend_budget(engine, a, b);
    if ((is_crowded(a) || is_crowded(b)) && !process_cluster(engine, i, j, time))
        return false;
    return (!a_moves || predict_after_change(engine, i)) &&
           (!b_moves || predict_after_change(engine, j));
}

static bool
process_contact(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *a = &engine->broad_phase.balls[event->a], *b = &engine->broad_phase.balls[event->b];
    return !resolve_contact(engine, a, b, event->time) ||
           finish_contact(engine, event->a, event->b, event->time);
}

/* Returns the unit vector to the wall of an event. */
static pqt_vec
wall_normal(pqti_event_cause cause)
{
    const bool is_across = cause <= PQTI_WALL_RIGHT;
    const double sign = cause == PQTI_WALL_LEFT || cause == PQTI_WALL_UPPER ? -1 : 1;
    return is_across ? (pqt_vec){sign, 0} : (pqt_vec){0, sign};
}

/* Moves a ball to the limit that a wall sets on one axis, and multiplies the velocity on that axis
 * by a factor. */
static void
set_at_wall(pqti_ball *ball, pqti_event_cause cause, double by)
{
    const pqt_box *box = &ball->centre_bounds;
    if (cause <= PQTI_WALL_RIGHT) {
        ball->position.x = cause == PQTI_WALL_LEFT ? box->min.x : box->max.x;
        ball->velocity.x *= by;
    } else {
        ball->position.y = cause == PQTI_WALL_UPPER ? box->min.y : box->max.y;
        ball->velocity.y *= by;
    }
}

/* Stops a kinematic ball at a wall. It may continue along the wall. */
static bool
stop_at_wall(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad_phase.balls[event->a];
    set_ball_position(ball, pqti_ball_at(ball, event->time), event->time);
    set_at_wall(ball, event->cause, 0);
    return predict_after_change(engine, event->a);
}

static bool
bounce_off_wall(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad_phase.balls[event->a];
    if (ball->is_kinematic)
        return stop_at_wall(engine, event);
    const bool is_across = event->cause <= PQTI_WALL_RIGHT;
    const double approach = pqti_fabs(is_across ? ball->velocity.x : ball->velocity.y);
    forget_earlier_contacts(engine, ball, event->time);
    const bool plastic = returns_nothing(ball, ball, approach);
    const double rebound = plastic ? 0 : -engine->restitution;
    advance_ball(engine, ball, event->time);
    set_at_wall(ball, event->cause, rebound);
    pqti_friction_apply_single(ball, wall_normal(event->cause), approach * (1 - rebound));
    ball->position = position_free_of_pixels(engine, ball, ball->position);
    pqti_events_add_hit(&engine->events, ball, ball,
                        PQT_SIDE_LEFT + (event->cause - PQTI_WALL_LEFT), wall_normal(event->cause),
                        ball->mass * approach * (1 - rebound), event->time);
    engine->report.bounces++;
    engine->report.plastic += plastic;
    return finish_contact(engine, event->a, event->a, event->time);
}

/* Reflects a ball that approaches a corner. A reflected speed that is too small to distinguish from
 * a rounding error becomes a departure: otherwise the ball would hit the same corner forever. */
static void
reflect_at_corner(pqti_ball *ball, pqt_vec toward, double rebound)
{
    double approach = pqti_dot(toward, ball->velocity), square = pqti_dot(toward, toward);
    double least = LEAST_APPROACH * one_norm(toward) * one_norm(ball->velocity);
    if (square < PQTI_NO_LENGTH)
        return;
    change_velocity(&ball->velocity, toward,
                    -pqti_fmax(approach * (1 + rebound), approach + least) / square);
}

static double
distance_of(pqt_vec a, pqt_vec b)
{
    const pqt_vec d = {a.x - b.x, a.y - b.y};
    return sqrt(pqti_dot(d, d));
}

static bool
bounce_off_obstacle(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad_phase.balls[event->a];
    const pqti_obstacle_hit *hit = &engine->broad_phase.obstacle->hits[ball->rank];
    const double approach =
        pqti_dot(hit->direction, ball->velocity) / sqrt(pqti_dot(hit->direction, hit->direction));
    forget_earlier_contacts(engine, ball, event->time);
    const bool plastic = returns_nothing(ball, ball, approach);
    const double rebound = plastic ? 0 : engine->restitution;
    const pqt_vec before = ball->velocity;
    set_ball_position(ball, hit->position, event->time);
    if (hit->is_corner)
        reflect_at_corner(ball, hit->direction, rebound);
    else if (hit->direction.x != 0)
        ball->velocity.x *= -rebound;
    else
        ball->velocity.y *= -rebound;
    if (pqti_dot(ball->velocity, ball->velocity) < PQTI_NO_LENGTH)
        ball->velocity = (pqt_vec){0, 0};
    const double change = distance_of(before, ball->velocity);
    pqti_events_add_hit(&engine->events, ball, ball, PQT_SIDE_OBSTACLE, hit->direction,
                        ball->mass * change, event->time);
    pqti_friction_apply_single(ball, hit->direction, change);
    engine->report.obstacle_hits++;
    engine->report.plastic += plastic;
    return finish_contact(engine, event->a, event->a, event->time);
}

static bool
process_event(pqti_engine *engine, const pqti_event *event)
{
    if (event->cause == PQTI_CONTACT)
        return process_contact(engine, event);
    if (event->cause == PQTI_HORIZON)
        return process_horizon(engine, event);
    return event->cause == PQTI_PIXEL ? bounce_off_obstacle(engine, event)
                                      : bounce_off_wall(engine, event);
}

static bool
is_outdated(const pqti_engine *engine, const pqti_event *event)
{
    const pqti_ball *balls = engine->broad_phase.balls;
    return balls[event->a].stamp != event->stamp_a || balls[event->b].stamp != event->stamp_b;
}

/* Adds the energy that the separation of overlapping balls added: the sum of the energies that they
 * gained by moving against their accelerations. They are added by rank, because the balls are in
 * another order if the tree takes the place of the grid, and the sum would be rounded otherwise. */
static bool
add_energy_of_separation(pqti_engine *engine)
{
    const pqti_broad_phase *broad_phase = &engine->broad_phase;
    double *energies = pqti_alloc_scratch(broad_phase->count, sizeof *energies);
    if (energies == NULL) {
        pqti_out_of_memory(engine->error);
        return false;
    }
    for (size_t i = 0; i < broad_phase->count; i++) {
        const pqti_ball *ball = &broad_phase->balls[i];
        const pqt_vec motion = {ball->start.x - ball->position.x, ball->start.y - ball->position.y};
        energies[ball->rank] = pqti_fmax(ball->mass * pqti_dot(ball->acceleration, motion), 0);
    }
    double energy = 0;
    for (size_t i = 0; i < broad_phase->count; i++)
        energy += energies[i];
    pqti_free_scratch(energies);
    engine->report.separation_energy += energy;
    return true;
}

/* Separates overlapping balls before the motion begins. */
static bool
separate_at_start(pqti_engine *engine)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    pqt_step_report *report = &engine->report;
    if (broad_phase->obstacle != NULL &&
        !pqti_separate_obstacle(broad_phase, report, engine->error))
        return false;
    if (!pqti_separate(broad_phase, report, engine->error) ||
        (broad_phase->obstacle != NULL && !pqti_separate_obstacle_end(broad_phase, engine->error)))
        return false;
    return report->separated + report->embedded == 0 || add_energy_of_separation(engine);
}

/* Solves the contacts that rest, before the motion begins. */
static bool
solve_resting(pqti_engine *engine)
{
    if (engine->restitution == 1)
        return true;
    pqti_resting_step step = {engine->span, engine->restitution, engine->last, engine->wakes,
                              &engine->events};
    return pqti_resting_solve(&engine->resting, &engine->broad_phase, &step, engine->error);
}

/* ---- Windows of time ---- */

/* Returns the number of contacts that were resolved. */
static uint64_t
count_contacts(const pqti_engine *engine)
{
    const pqt_step_report *report = &engine->report;
    return report->contacts + report->bounces + report->obstacle_hits;
}

/* Returns true if the step may be divided further. Without contacts, it could be divided without
 * end. A window takes USUAL_EDGES tests for each ball. Without windows, all pairs are neighbours,
 * and a contact takes a test for each other ball of both partners. So windows that have a few
 * contacts each take no more tests than their contacts would without them. */
static bool
may_divide(const pqti_engine *engine)
{
    return engine->windows < FREE_WINDOWS + count_contacts(engine) / CONTACTS_OF_WINDOW;
}

/* Begins the next window. Shortens it while fast balls have too many neighbours in it. If there are
 * few neighbours, lets the next window be longer. */
static bool
begin_window(pqti_engine *engine)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    const pqti_scale scale = pqti_broad_phase_scale(broad_phase);
    const size_t usual = USUAL_EDGES * broad_phase->count + EXTRA_EDGES;
    const double left = engine->span - broad_phase->end;
    const double shortest =
        LEAST_WINDOW * broad_phase->end + 0x1p-1000; /* above 0, so that time advances */
    bool may_cut = may_divide(engine);
    engine->windows++;
    engine->horizon_ends = 0;
    broad_phase->from = broad_phase->end;
    for (engine->window = may_cut ? pqti_fmin(engine->window, left) : left;;
         engine->window /= CUT_FACTOR) {
        const double motion = scale.speed * engine->window;
        may_cut = may_cut && engine->window > shortest && motion > scale.diameter;
        broad_phase->horizon_length = pqti_fmax(scale.spacing, MEAN_MOTIONS * motion);
        broad_phase->end = pqti_fmin(broad_phase->from + engine->window, engine->span);
        broad_phase->max_edges = may_cut ? usual : SIZE_MAX;
        if (!pqti_broad_phase_begin(broad_phase, engine->error))
            return false;
        if (!broad_phase->too_many_edges)
            break;
    }
    PQT_INVARIANT(broad_phase->end > broad_phase->from || broad_phase->from == engine->span,
                  "a window of time is empty");
    if (broad_phase->edge_count < usual / CUT_FACTOR)
        engine->window *= CUT_FACTOR;
    return true;
}

/* Ends the window early if the lists hold too many outdated neighbours, or if too many horizons end
 * because balls became faster. */
static void
end_early(pqti_engine *engine, double time)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    if (broad_phase->edge_count <= broad_phase->edge_limit &&
        engine->horizon_ends <= USUAL_ENDS * broad_phase->count + EXTRA_ENDS)
        return;
    engine->queue.count = 0;
    broad_phase->end = time;
}

static bool
run_window(pqti_engine *engine)
{
    pqti_event event;
    if (!predict_all(engine))
        return false;
    while (pqti_queue_pop(&engine->queue, engine->broad_phase.balls, &event)) {
        if (is_outdated(engine, &event))
            continue;
        if (!process_event(engine, &event))
            return false;
        end_early(engine, event.time);
    }
    return true;
}

bool
pqti_engine_run(pqti_engine *engine)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    engine->window = engine->span;
    if (!begin_window(engine) || !separate_at_start(engine) || !solve_resting(engine))
        return false;
    pqti_paths_begin(&engine->paths, broad_phase->balls, broad_phase->count);
    if (!run_window(engine))
        return false;
    while (broad_phase->end < engine->span)
        if (!begin_window(engine) || !run_window(engine))
            return false;
    engine->report.passes = engine->clusters.passes + engine->resting.passes;
    engine->report.resting = engine->resting.contacts.count;
    engine->report.separation_energy += engine->resting.separation_energy;
    for (uint32_t i = 0; i < broad_phase->count; i++) {
        pqti_ball *ball = &broad_phase->balls[i];
        advance_ball(engine, ball, engine->span);
        if (ball->is_kinematic)
            set_ball_position(ball, pqti_ball_at(ball, engine->span), engine->span);
        else if (ball->is_fixed)
            ball->angle += ball->spin * engine->span;
    }
    release_delayed(engine);
    if (engine->events.has_failed || engine->paths.has_failed)
        pqti_out_of_memory(engine->error);
    return !engine->events.has_failed && !engine->paths.has_failed;
}

void
pqti_engine_free(pqti_engine *engine)
{
    pqti_broad_phase_free(&engine->broad_phase);
    pqti_clusters_free(&engine->clusters);
    pqti_resting_free(&engine->resting);
    pqti_events_free(&engine->events);
    pqti_paths_free(&engine->paths);
    pqti_free_scratch(engine->queue.events);
}
