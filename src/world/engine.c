/* SPDX-License-Identifier: MIT */
/*
 * engine.c: the event loop of a step.
 *
 * The next events of each ball are predicted, as if nothing else happened, and queued. The first
 * event of the queue is valid unless one of its balls had another event after the prediction. A
 * valid event changes the velocity of one or two balls, and their next events are predicted again.
 * An event changes velocities only, at positions that the balls have anyway.
 *
 * Balls that move far have many neighbours and hit few of them. So a long step is divided into
 * windows of time, and neighbours are found for one window at a time. A ball that is much faster
 * than others does not test what is far ahead: its horizon (broadphase.h) ends before, and then
 * more is predicted. The end of a horizon or of a window changes no motion.
 *
 * The loop ends. Below a restitution of 1, a ball that had PQT_STEP_CONTACTS contacts is solved
 * together with all balls that it touches (cluster.h), and its contacts return no speed from then
 * on. At a restitution of 1, that is done only if they happened at one instant. A ball that was
 * solved in this way too often, or that has a contact after the budget of the step is spent, is
 * delayed: it stays where it is until the end of the step, keeps its velocity, and exchanges
 * impulses. A ball that hits a delayed ball is delayed, too. So no rule of these changes the
 * momentum.
 */
#include "config.h"

#include "world/engine.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/obstacle_toi.h"
#include "world/separate.h"
#include "world/separate_obstacle.h"
#include "world/world_internal.h"

enum {
    MAX_CLUSTERS = 1,   /* clusters that the contacts of a ball may cause before it is halted */
    USUAL_EDGES = 8,    /* edges per ball above which a window is cut, */
    EXTRA_EDGES = 1024, /* and an allowance for few balls */
    CUT_FACTOR = 4,     /* into this many pieces */
    USUAL_ENDS = 4,     /* ends of horizons per ball above which another window begins, */
    EXTRA_ENDS = 1024,  /* and an allowance for few balls */
    MEAN_MOTIONS = 4,   /* a horizon is at least this many mean motions of a window */
    MAX_WINDOWS = 512   /* after this many, the rest of the step is one window */
};

/* The least duration of a window, as a share of the time elapsed. */
#define LEAST_WINDOW 0x1p-40

/* An approach below this share of the speeds of both balls is rounding, where contacts may return
 * no speed. */
#define LEAST_APPROACH 0x1p-50

/* Contacts within this share of the step happen at one instant. */
#define INSTANT 0x1p-40

/* Queues an event, unless it is after the end of the window (contacts, pixels) or of the ball's
 * horizon (others): then it is predicted again. */
static bool
queue_event(pqti_engine *engine, double time, pqti_event_kind kind, uint32_t a, uint32_t b)
{
    const pqti_ball *balls = engine->broad_phase.balls;
    const bool lasts_for_window = kind == PQTI_CONTACT || kind == PQTI_PIXEL;
    if (!(time <= (lasts_for_window ? engine->broad_phase.end : balls[a].horizon)))
        return true;
    if (balls[b].id < balls[a].id) {
        uint32_t lower = b;
        b = a;
        a = lower;
    }
    pqti_event event = {time, a, b, balls[a].stamp, balls[b].stamp, kind};
    if (pqti_queue_add(&engine->queue, balls, event))
        return true;
    pqti_out_of_memory(engine->error);
    return false;
}

static bool
predict_contact(pqti_engine *engine, uint32_t a, uint32_t b)
{
    const pqti_ball *balls = engine->broad_phase.balls;
    engine->report.tests++;
    return queue_event(engine, pqti_ball_toi(&balls[a], &balls[b]), PQTI_CONTACT, a, b);
}

/* Returns when a coordinate reaches its wall. A ball at the wall that moves toward it hits it
 * now. */
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
        good = queue_event(engine, wall_time(ball, p.x, v.x, ball->center_bounds.min.x),
                           PQTI_WALL_LEFT, i, i);
    if (v.x > 0)
        good = queue_event(engine, wall_time(ball, p.x, v.x, ball->center_bounds.max.x),
                           PQTI_WALL_RIGHT, i, i);
    if (good && v.y < 0)
        good = queue_event(engine, wall_time(ball, p.y, v.y, ball->center_bounds.min.y),
                           PQTI_WALL_UPPER, i, i);
    if (good && v.y > 0)
        good = queue_event(engine, wall_time(ball, p.y, v.y, ball->center_bounds.max.y),
                           PQTI_WALL_LOWER, i, i);
    return good;
}

/* Predicts the hit of an obstacle; a static ball has none. Rounding may put a hit at the very end
 * of the step after it, so the time is limited to the span. */
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
    if (vec_is_within_limit(ball->position) && vec_is_within_limit(ball->velocity))
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                   "body with id %llu: its position or velocity is beyond 2^200",
                   (unsigned long long)ball->id);
    return false;
}

/* Predicts the events of a ball, with its neighbours before edge `end_edge` only. */
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
    return pqti_ball_check(ball, engine->error) &&
           pqti_broad_phase_update(broad_phase, i, ball->time, engine->error) &&
           predict_path(engine, i, PQTI_NO_EDGE);
}

/* Predicts more events of a ball whose horizon ended: with new neighbours only, since nothing
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

/* Returns true if the contacts of a ball return no speed, because it was in a cluster. */
static bool
is_plastic(const pqti_ball *ball)
{
    return ball->clusters > 0;
}

/* Returns true if a contact of two balls, or of one and a wall, at this speed of approach returns
 * no speed. */
static bool
returns_nothing(const pqti_ball *a, const pqti_ball *b, double approach)
{
    return is_plastic(a) || is_plastic(b) || approach <= a->slow + b->slow;
}

/* Returns a position near `position` that is outside the obstacle's pixels, into which rounding may
 * have put it. */
static pqt_vec
position_free_of_pixels(const pqti_engine *engine, const pqti_ball *ball, pqt_vec position)
{
    const pqti_obstacle_view *obstacle = engine->broad_phase.obstacle;
    if (obstacle == NULL || !obstacle->hits[ball->rank].is_near)
        return position;
    return pqti_obstacle_view_nudge_free(obstacle, ball, ball->position, position);
}

/* Sets the position of a ball at a time, and invalidates its predictions. */
static void
set_ball_position(pqti_ball *ball, pqt_vec position, double time)
{
    ball->position = position;
    ball->time = time;
    ball->stamp++;
}

/* Moves a ball to its position at a time. A static ball keeps its predictions. */
static void
advance_ball(const pqti_engine *engine, pqti_ball *ball, double time)
{
    if (!ball->is_static)
        set_ball_position(ball, position_free_of_pixels(engine, ball, pqti_ball_at(ball, time)),
                          time);
}

/* Counts a contact of a ball. At a restitution of 1, contacts are counted for each instant. */
static void
count_contact(const pqti_engine *engine, pqti_ball *ball, double time)
{
    if (engine->restitution == 1 && time - ball->since > INSTANT * engine->span) {
        ball->since = time;
        ball->events = ball->clusters = 0;
    }
    ball->events++;
}

/* Keeps a ball where it is until the end of the step. */
static void
delay_ball(pqti_engine *engine, pqti_ball *ball)
{
    if (ball->is_static || ball->is_delayed)
        return;
    ball->is_delayed = true;
    ball->held = ball->velocity;
    ball->velocity = (pqt_vec){0, 0};
    ball->stamp++;
    engine->report.delayed++;
}

/* Keeps a ball where it is until the end of the step, because its contacts are too many. If its
 * cluster is supported, the ball stops. */
static void
halt_ball(pqti_engine *engine, pqti_ball *ball)
{
    if (!engine->clusters.is_supported) {
        delay_ball(engine, ball);
        return;
    }
    ball->is_static = true;
    ball->velocity = (pqt_vec){0, 0};
    engine->report.stopped++;
}

/* Gives delayed balls their velocities back. */
static void
release_delayed(pqti_engine *engine)
{
    for (uint32_t i = 0; i < engine->broad_phase.count; i++) {
        pqti_ball *ball = &engine->broad_phase.balls[i];
        if (ball->is_delayed)
            ball->velocity = ball->held;
    }
}

/* Returns the velocity that a ball's momentum has. */
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

/* Applies the response of two balls at offset `d` to a contact. */
static void
exchange_impulse(pqti_engine *engine, pqti_ball *a, pqti_ball *b, pqt_vec d)
{
    pqt_vec *v = momentum_velocity(a), *w = momentum_velocity(b);
    const double approach = -pqti_dot(d, (pqt_vec){w->x - v->x, w->y - v->y});
    const double square = pqti_dot(d, d);
    if (!(approach > 0))
        return;
    const bool plastic = returns_nothing(a, b, approach / sqrt(square));
    const double change = (plastic ? 1 : 1 + engine->restitution) * approach / square;
    change_velocity(v, d, -change * pqti_ball_share(a, b));
    change_velocity(w, d, change * pqti_ball_share(b, a));
    engine->report.plastic += plastic;
}

/* Answers a contact of two balls. Returns false if they do not approach. */
static bool
resolve_contact(pqti_engine *engine, pqti_ball *a, pqti_ball *b, double time)
{
    pqt_vec at_a = pqti_ball_at(a, time), at_b = pqti_ball_at(b, time);
    pqt_vec d = {at_b.x - at_a.x, at_b.y - at_a.y};
    pqt_vec w = {b->velocity.x - a->velocity.x, b->velocity.y - a->velocity.y};
    double approach = -pqti_dot(d, w);
    bool exact = engine->restitution == 1 && !is_plastic(a) && !is_plastic(b);
    double least =
        exact ? 0 : LEAST_APPROACH * one_norm(d) * (one_norm(a->velocity) + one_norm(b->velocity));
    if (!(approach > least) || pqti_dot(d, d) < PQTI_NO_LENGTH)
        return false;
    advance_ball(engine, a, time);
    advance_ball(engine, b, time);
    PQT_INVARIANT(!a->is_static || !b->is_static, "two static balls hit each other");
    exchange_impulse(engine, a, b, d);
    if (a->is_delayed || b->is_delayed) {
        delay_ball(engine, a);
        delay_ball(engine, b);
    }
    engine->report.contacts++;
    return true;
}

/* Counts that contacts of a ball caused a cluster, and halts the ball if they do so again. */
static void
count_cluster(pqti_engine *engine, uint32_t i, double time)
{
    pqti_ball *ball = &engine->broad_phase.balls[i];
    if (ball->is_static || ball->events < PQT_STEP_CONTACTS)
        return;
    ball->events = 0;
    ball->since = time;
    if (++ball->clusters > MAX_CLUSTERS)
        halt_ball(engine, ball);
}

/* Finds the cluster of two balls, one of which has too many contacts, and counts it. Solves it if
 * nothing supports it, and predicts the next events of its other balls. */
static bool
process_cluster(pqti_engine *engine, uint32_t a, uint32_t b, double time)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    pqti_clusters *clusters = &engine->clusters;
    if (!pqti_clusters_find(clusters, broad_phase, a, b, time, engine->error))
        return false;
    const size_t moved = clusters->is_supported ? 0 : clusters->ball_count;
    for (size_t n = 0; n < moved; n++)
        advance_ball(engine, &broad_phase->balls[clusters->balls[n]], time);
    if (moved > 0) {
        pqti_clusters_solve(clusters, broad_phase);
        engine->report.clusters++;
    }
    count_cluster(engine, a, time);
    if (a != b)
        count_cluster(engine, b, time);
    for (size_t n = 0; n < moved; n++) {
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

/* Ends a contact of balls, or of one ball if both are the same: the budget and the rule of clusters
 * apply, and the next events are predicted. */
static bool
finish_contact(pqti_engine *engine, uint32_t i, uint32_t j, double time)
{
    pqti_ball *a = &engine->broad_phase.balls[i], *b = &engine->broad_phase.balls[j];
    const bool a_moves = !a->is_static, b_moves = i != j && !b->is_static;
    count_contact(engine, a, time);
    if (i != j)
        count_contact(engine, b, time);
    if (engine->budget == 0) {
        delay_ball(engine, a);
        delay_ball(engine, b);
    } else {
        engine->budget--;
    }
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

static bool
bounce_off_wall(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad_phase.balls[event->a];
    const bool is_across = event->kind <= PQTI_WALL_RIGHT;
    const double approach = pqti_fabs(is_across ? ball->velocity.x : ball->velocity.y);
    const bool plastic = returns_nothing(ball, ball, approach);
    const double rebound = plastic ? 0 : -engine->restitution;
    advance_ball(engine, ball, event->time);
    if (is_across) {
        ball->position.x =
            event->kind == PQTI_WALL_LEFT ? ball->center_bounds.min.x : ball->center_bounds.max.x;
        ball->velocity.x *= rebound;
    } else {
        ball->position.y =
            event->kind == PQTI_WALL_UPPER ? ball->center_bounds.min.y : ball->center_bounds.max.y;
        ball->velocity.y *= rebound;
    }
    ball->position = position_free_of_pixels(engine, ball, ball->position);
    engine->report.bounces++;
    engine->report.plastic += plastic;
    return finish_contact(engine, event->a, event->a, event->time);
}

/* Reflects the approach to a corner. A speed too small to distinguish from rounding becomes a
 * departure: otherwise the ball would hit the same corner without end. */
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

static bool
bounce_off_obstacle(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad_phase.balls[event->a];
    const pqti_obstacle_hit *hit = &engine->broad_phase.obstacle->hits[ball->rank];
    const double approach =
        pqti_dot(hit->direction, ball->velocity) / sqrt(pqti_dot(hit->direction, hit->direction));
    const bool plastic = returns_nothing(ball, ball, approach);
    const double rebound = plastic ? 0 : engine->restitution;
    set_ball_position(ball, hit->position, event->time);
    if (hit->is_corner)
        reflect_at_corner(ball, hit->direction, rebound);
    else if (hit->direction.x != 0)
        ball->velocity.x *= -rebound;
    else
        ball->velocity.y *= -rebound;
    engine->report.obstacle_hits++;
    engine->report.plastic += plastic;
    return finish_contact(engine, event->a, event->a, event->time);
}

static bool
process_event(pqti_engine *engine, const pqti_event *event)
{
    if (event->kind == PQTI_CONTACT)
        return process_contact(engine, event);
    if (event->kind == PQTI_HORIZON)
        return process_horizon(engine, event);
    return event->kind == PQTI_PIXEL ? bounce_off_obstacle(engine, event)
                                     : bounce_off_wall(engine, event);
}

static bool
is_outdated(const pqti_engine *engine, const pqti_event *event)
{
    const pqti_ball *balls = engine->broad_phase.balls;
    return balls[event->a].stamp != event->stamp_a || balls[event->b].stamp != event->stamp_b;
}

/* Separates overlapping balls before the motion begins. */
static bool
separate_at_start(pqti_engine *engine)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    if (broad_phase->obstacle == NULL)
        return pqti_separate(broad_phase, &engine->report, engine->error);
    return pqti_separate_obstacle(broad_phase, &engine->report, engine->error) &&
           pqti_separate(broad_phase, &engine->report, engine->error) &&
           pqti_separate_obstacle_end(broad_phase, engine->error);
}

/* Solves the contacts that rest, before the motion begins. */
static bool
solve_resting(pqti_engine *engine)
{
    if (engine->restitution == 1)
        return true;
    const pqti_resting_step step = {engine->span, engine->restitution, engine->last};
    return pqti_resting_solve(&engine->resting, &engine->broad_phase, &step, engine->error);
}

/* ---- Windows of time ---- */

/* Begins the next window. Shortens it while fast balls have too many neighbours in it. If it has
 * few, the next window is tried longer. */
static bool
begin_window(pqti_engine *engine)
{
    pqti_broad_phase *broad_phase = &engine->broad_phase;
    const pqti_scale scale = pqti_broad_phase_scale(broad_phase);
    const size_t usual = USUAL_EDGES * broad_phase->count + EXTRA_EDGES;
    const double left = engine->span - broad_phase->end;
    const double shortest =
        LEAST_WINDOW * broad_phase->end + 0x1p-1000; /* above 0, so that time advances */
    bool may_cut = engine->windows++ < MAX_WINDOWS;
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

/* Ends a window early if the lists hold too many outdated neighbours, or if too many horizons end
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
    if (!begin_window(engine) || !separate_at_start(engine) || !solve_resting(engine) ||
        !run_window(engine))
        return false;
    while (broad_phase->end < engine->span)
        if (!begin_window(engine) || !run_window(engine))
            return false;
    engine->report.passes = engine->clusters.passes + engine->resting.passes;
    engine->report.resting = engine->resting.contacts.count;
    engine->report.searched = engine->clusters.searched;
    for (uint32_t i = 0; i < broad_phase->count; i++)
        advance_ball(engine, &broad_phase->balls[i], engine->span);
    release_delayed(engine);
    return true;
}

void
pqti_engine_free(pqti_engine *engine)
{
    pqti_broad_phase_free(&engine->broad_phase);
    pqti_clusters_free(&engine->clusters);
    pqti_resting_free(&engine->resting);
    pqti_free_scratch(engine->queue.events);
}
