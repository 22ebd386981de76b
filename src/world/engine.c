/* SPDX-License-Identifier: MIT */
/*
 * engine.c - the events of a step, one after another.
 *
 * What will happen to each ball if nothing else does is foreseen and queued. The first event of the
 * queue is true, unless one of its balls has had another since it was foreseen: then it is void. It
 * changes the ways of one ball or two, and what will happen to those is foreseen anew. Only ways
 * change, at places where the balls are anyway.
 *
 * Balls that fly far have many neighbours, of which they meet few. So a long step is made window by
 * window: in each of them neighbours are found for a part of the time. And what lies far ahead of a
 * ball that is much faster than others is not looked at before it comes near: its leash
 * (broadphase.h) ends on the way, and then more is foreseen. Nothing happens to a ball where a
 * leash ends, or where one window ends and the next begins.
 *
 * That this ends is seen to twice. After some contacts a ball becomes plastic: then approaches
 * vanish instead of coming back, and those too slow to be told from rounding are let be. After some
 * more it stops.
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
    STOPPING_CONTACTS = 2 * PQT_STEP_CONTACTS,
    USUAL_EDGES = 8,   /* ends of edges for each ball, beyond which a window is to be cut, */
    FEW_EDGES = 1024,  /* and some where there are few balls */
    CUT = 4,           /* into so many parts */
    USUAL_ENDS = 4,    /* ends of leashes for each ball, beyond which another window begins, */
    FEW_ENDS = 1024,   /* and some where there are few balls */
    MEAN_WAYS = 4,     /* of the balls in a window: a leash is at least so long */
    MOST_WINDOWS = 512 /* after so many the rest is one */
};

/* Of the time gone by: the least part that a window may be. */
#define SHORTEST 0x1p-40

/* Of the speeds of two plastic balls, the share in which an approach is taken for rounding. */
#define SLOWEST 0x1p-50

/* What is at balls and pixels may wait to the end of the window; the rest is known as long as a
   leash lasts. */
static bool
foresee(pqti_engine *engine, double time, pqti_event_kind kind, uint32_t a, uint32_t b)
{
    const pqti_ball *balls = engine->broad.balls;
    const bool waits = kind == PQTI_CONTACT || kind == PQTI_PIXEL;
    if (!(time <= (waits ? engine->broad.end : balls[a].until)))
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
foresee_contact(pqti_engine *engine, uint32_t a, uint32_t b)
{
    const pqti_ball *balls = engine->broad.balls;
    engine->report.tests++;
    return foresee(engine, pqti_meeting(&balls[a], &balls[b]), PQTI_CONTACT, a, b);
}

/* When a coordinate comes to its wall. What is there already, and goes on, is there now. */
static double
wall_time(const pqti_ball *ball, double from, double speed, double wall)
{
    return ball->time + (wall - from) / speed;
}

static bool
foresee_walls(pqti_engine *engine, uint32_t i)
{
    const pqti_ball *ball = &engine->broad.balls[i];
    pqt_vec p = ball->position, v = ball->velocity;
    bool good = true;
    if (v.x < 0)
        good = foresee(engine, wall_time(ball, p.x, v.x, ball->room.min.x), PQTI_WALL_LEFT, i, i);
    if (v.x > 0)
        good = foresee(engine, wall_time(ball, p.x, v.x, ball->room.max.x), PQTI_WALL_RIGHT, i, i);
    if (good && v.y < 0)
        good = foresee(engine, wall_time(ball, p.y, v.y, ball->room.min.y), PQTI_WALL_UPPER, i, i);
    if (good && v.y > 0)
        good = foresee(engine, wall_time(ball, p.y, v.y, ball->room.max.y), PQTI_WALL_LOWER, i, i);
    return good;
}

/* What stands still comes to no pixel. By rounding what is met at the very end may seem to come
   after it. */
static bool
foresee_pixels(pqti_engine *engine, uint32_t i)
{
    const pqti_broad *broad = &engine->broad;
    const pqti_ball *ball = &broad->balls[i];
    if (broad->barrier == NULL || ball->still)
        return true;
    double time =
        pqti_barrier_ahead(broad->barrier, ball, ball->until, &broad->barrier->bumps[ball->rank]);
    if (time != PQTI_NEVER)
        time = pqti_lesser(time, engine->span);
    return foresee(engine, time, PQTI_PIXEL, i, i);
}

static bool
foresee_leash(pqti_engine *engine, uint32_t i)
{
    const double until = engine->broad.balls[i].until;
    return until == engine->broad.end || foresee(engine, until, PQTI_LEASH, i, i);
}

/* What a ball comes to that is no ball. */
static bool
foresee_alone(pqti_engine *engine, uint32_t i)
{
    return foresee_walls(engine, i) && foresee_pixels(engine, i) && foresee_leash(engine, i);
}

static bool
foresee_first(pqti_engine *engine)
{
    const pqti_broad *broad = &engine->broad;
    for (uint32_t i = 0; i < broad->count; i++)
        if (!foresee_alone(engine, i))
            return false;
    for (size_t k = 0; k < broad->edge_count; k += 2)
        if (!foresee_contact(engine, broad->edges[k + 1].to, broad->edges[k].to))
            return false;
    return true;
}

static bool
is_within_reach(pqt_vec v)
{
    return pqti_magnitude(v.x) <= PQTI_WORLD_MOST && pqti_magnitude(v.y) <= PQTI_WORLD_MOST;
}

bool
pqti_ball_check(const pqti_ball *ball, pqt_error *error)
{
    if (is_within_reach(ball->position) && is_within_reach(ball->velocity))
        return true;
    pqti_fail(error, PQT_ERROR_LIMIT, 0, "body of id %llu: it is beyond 2^200, or as fast as that",
              (unsigned long long)ball->id);
    return false;
}

/* What a ball comes to on its way from then on, of its neighbours those before `known`. */
static bool
foresee_way(pqti_engine *engine, uint32_t i, uint32_t known)
{
    const pqti_broad *broad = &engine->broad;
    if (!foresee_alone(engine, i))
        return false;
    for (uint32_t e = broad->balls[i].edge; e != known; e = broad->edges[e].next)
        if (!foresee_contact(engine, i, broad->edges[e].to))
            return false;
    return true;
}

/* What comes after a ball has got another way. */
static bool
foresee_next(pqti_engine *engine, uint32_t i)
{
    pqti_broad *broad = &engine->broad;
    pqti_ball *ball = &broad->balls[i];
    return pqti_ball_check(ball, engine->error) &&
           pqti_broad_follow(broad, i, ball->time, engine->error) &&
           foresee_way(engine, i, PQTI_NO_EDGE);
}

/* What comes after a leash has come to its end: of what the ball knew already, nothing has
   changed. */
static bool
fly_on(pqti_engine *engine, const pqti_event *event)
{
    pqti_broad *broad = &engine->broad;
    engine->ends++;
    return pqti_broad_follow(broad, event->a, event->time, engine->error) &&
           foresee_way(engine, event->a, broad->known);
}

/* ---- Answers ---- */

static bool
is_plastic(const pqti_ball *ball)
{
    return ball->events >= PQT_STEP_CONTACTS;
}

/* The place at which a ball may be that rounding puts into pixels. */
static pqt_vec
clear_place(const pqti_engine *engine, const pqti_ball *ball, pqt_vec place)
{
    const pqti_barrier *barrier = engine->broad.barrier;
    if (barrier == NULL || !barrier->bumps[ball->rank].near)
        return place;
    return pqti_barrier_freed(barrier, ball, ball->position, place);
}

/* Puts a ball where it is then, and voids what was foreseen for it. */
static void
put(pqti_ball *ball, pqt_vec place, double time)
{
    ball->position = place;
    ball->time = time;
    ball->stamp++;
}

/* What stands still keeps what was foreseen for it. */
static void
advance(const pqti_engine *engine, pqti_ball *ball, double time)
{
    if (!ball->still)
        put(ball, clear_place(engine, ball, pqti_ball_at(ball, time)), time);
}

/* A ball that has had too many contacts stops. */
static void
count_event(pqti_engine *engine, pqti_ball *ball)
{
    if (ball->still || ++ball->events < STOPPING_CONTACTS)
        return;
    ball->still = true;
    ball->velocity = (pqt_vec){0, 0};
    engine->report.stopped++;
}

/* The share of a change of velocities that falls to a ball: that of the other one's mass. */
static double
share_of(const pqti_ball *ball, const pqti_ball *other)
{
    if (ball->still)
        return 0;
    return other->still ? 1 : other->mass / (ball->mass + other->mass);
}

static double
one_norm(pqt_vec v)
{
    return pqti_magnitude(v.x) + pqti_magnitude(v.y);
}

static void
change_velocity(pqti_ball *ball, pqt_vec along, double by)
{
    ball->velocity = (pqt_vec){ball->velocity.x + along.x * by, ball->velocity.y + along.y * by};
}

/* Lets two balls answer a contact; false if they do not approach. */
static bool
answer(pqti_engine *engine, pqti_ball *a, pqti_ball *b, double time)
{
    pqt_vec at_a = pqti_ball_at(a, time), at_b = pqti_ball_at(b, time);
    pqt_vec d = {at_b.x - at_a.x, at_b.y - at_a.y};
    pqt_vec w = {b->velocity.x - a->velocity.x, b->velocity.y - a->velocity.y};
    double nearing = -pqti_dot(d, w), square = pqti_dot(d, d);
    bool plastic = is_plastic(a) || is_plastic(b);
    double least =
        plastic ? SLOWEST * one_norm(d) * (one_norm(a->velocity) + one_norm(b->velocity)) : 0;
    if (!(nearing > least) || square < PQTI_NO_LENGTH)
        return false;
    advance(engine, a, time);
    advance(engine, b, time);
    double change = (plastic ? 1 : 1 + engine->restitution) * nearing / square;
    double share_a = share_of(a, b), share_b = share_of(b, a);
    change_velocity(a, d, -change * share_a);
    change_velocity(b, d, change * share_b);
    engine->report.contacts++;
    engine->report.cut += plastic;
    return true;
}

static bool
meet(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *a = &engine->broad.balls[event->a], *b = &engine->broad.balls[event->b];
    bool a_moves = !a->still, b_moves = !b->still;
    if (!answer(engine, a, b, event->time))
        return true;
    count_event(engine, a);
    count_event(engine, b);
    return (!a_moves || foresee_next(engine, event->a)) &&
           (!b_moves || foresee_next(engine, event->b));
}

static bool
bounce(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad.balls[event->a];
    bool plastic = is_plastic(ball);
    double back = plastic ? 0 : -engine->restitution;
    advance(engine, ball, event->time);
    if (event->kind <= PQTI_WALL_RIGHT) {
        ball->position.x = event->kind == PQTI_WALL_LEFT ? ball->room.min.x : ball->room.max.x;
        ball->velocity.x *= back;
    } else {
        ball->position.y = event->kind == PQTI_WALL_UPPER ? ball->room.min.y : ball->room.max.y;
        ball->velocity.y *= back;
    }
    ball->position = clear_place(engine, ball, ball->position);
    engine->report.bounces++;
    engine->report.cut += plastic;
    count_event(engine, ball);
    return foresee_next(engine, event->a);
}

/*
 * What comes back of an approach to a corner. What is too slow to be told from rounding is made to
 * leave for sure: else it would come to the same corner without end.
 */
static void
leave_corner(pqti_ball *ball, pqt_vec toward, double back)
{
    double nearing = pqti_dot(toward, ball->velocity), square = pqti_dot(toward, toward);
    double least = SLOWEST * one_norm(toward) * one_norm(ball->velocity);
    if (square < PQTI_NO_LENGTH)
        return;
    change_velocity(ball, toward, -pqti_greater(nearing * (1 + back), nearing + least) / square);
}

static bool
bump(pqti_engine *engine, const pqti_event *event)
{
    pqti_ball *ball = &engine->broad.balls[event->a];
    const pqti_bump *foreseen = &engine->broad.barrier->bumps[ball->rank];
    bool plastic = is_plastic(ball);
    double back = plastic ? 0 : engine->restitution;
    put(ball, foreseen->place, event->time);
    if (foreseen->corner)
        leave_corner(ball, foreseen->toward, back);
    else if (foreseen->toward.x != 0)
        ball->velocity.x *= -back;
    else
        ball->velocity.y *= -back;
    engine->report.bumps++;
    engine->report.cut += plastic;
    count_event(engine, ball);
    return foresee_next(engine, event->a);
}

static bool
happen(pqti_engine *engine, const pqti_event *event)
{
    if (event->kind == PQTI_CONTACT)
        return meet(engine, event);
    if (event->kind == PQTI_LEASH)
        return fly_on(engine, event);
    return event->kind == PQTI_PIXEL ? bump(engine, event) : bounce(engine, event);
}

static bool
is_void(const pqti_engine *engine, const pqti_event *event)
{
    const pqti_ball *balls = engine->broad.balls;
    return balls[event->a].stamp != event->stamp_a || balls[event->b].stamp != event->stamp_b;
}

/* Moves apart what overlaps, before any time has passed. */
static bool
part(pqti_engine *engine)
{
    pqti_broad *broad = &engine->broad;
    if (broad->barrier == NULL)
        return pqti_separate(broad, &engine->report, engine->error);
    return pqti_unbury(broad, &engine->report, engine->error) &&
           pqti_separate(broad, &engine->report, engine->error) &&
           pqti_unbury_end(broad, engine->error);
}

/* ---- Windows of time ---- */

/*
 * Goes on to the next window. One in which far flights make all too many neighbours is cut to a
 * part of it; after one with few of them a longer one is tried.
 */
static bool
begin_window(pqti_engine *engine)
{
    pqti_broad *broad = &engine->broad;
    const pqti_scale scale = pqti_broad_scale(broad);
    const size_t usual = USUAL_EDGES * broad->count + FEW_EDGES;
    const double left = engine->span - broad->end;
    const double shortest = SHORTEST * broad->end + 0x1p-1000; /* above 0, so that time goes on */
    bool may_cut = engine->windows++ < MOST_WINDOWS;
    engine->ends = 0;
    broad->from = broad->end;
    for (engine->window = may_cut ? pqti_lesser(engine->window, left) : left;;
         engine->window /= CUT) {
        const double way = scale.speed * engine->window;
        may_cut = may_cut && engine->window > shortest && way > scale.diameter;
        broad->leash = pqti_greater(scale.spacing, MEAN_WAYS * way);
        broad->end = pqti_lesser(broad->from + engine->window, engine->span);
        broad->most_edges = may_cut ? usual : SIZE_MAX;
        if (!pqti_broad_begin(broad, engine->error))
            return false;
        if (!broad->crowded)
            break;
    }
    if (broad->edge_count < usual / CUT)
        engine->window *= CUT;
    return true;
}

/*
 * Ends a window before its time, if balls know too many by now that are no neighbours any more, or
 * leashes end all too often, since balls have become faster.
 */
static void
end_early(pqti_engine *engine, double time)
{
    pqti_broad *broad = &engine->broad;
    if (broad->edge_count <= broad->worn && engine->ends <= USUAL_ENDS * broad->count + FEW_ENDS)
        return;
    engine->queue.count = 0;
    broad->end = time;
}

static bool
run_window(pqti_engine *engine)
{
    pqti_event event;
    if (!foresee_first(engine))
        return false;
    while (pqti_queue_take(&engine->queue, engine->broad.balls, &event)) {
        if (is_void(engine, &event))
            continue;
        if (!happen(engine, &event))
            return false;
        end_early(engine, event.time);
    }
    return true;
}

bool
pqti_engine_run(pqti_engine *engine)
{
    pqti_broad *broad = &engine->broad;
    engine->window = engine->span;
    if (!begin_window(engine) || !part(engine) || !run_window(engine))
        return false;
    while (broad->end < engine->span)
        if (!begin_window(engine) || !run_window(engine))
            return false;
    for (uint32_t i = 0; i < broad->count; i++)
        advance(engine, &broad->balls[i], engine->span);
    return true;
}

void
pqti_engine_free(pqti_engine *engine)
{
    pqti_broad_free(&engine->broad);
    pqti_scratch_free(engine->queue.events);
}
