/* SPDX-License-Identifier: MIT */
/*
 * step.c - the next moment of a world: bodies out of a version, through the engine, into another.
 *
 * Bodies are balls only for the time of the call, in scratch memory. They come in the order of the
 * map, and the broad phase sorts them by place; either order follows from the bodies alone.
 */
#include "config.h"

#include <pqt/step.h>

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "tree/update.h"
#include "world/engine.h"
#include "world/obstacle_toi.h"
#include "world/world_internal.h"

/* With more moved bodies than one in so many, making the tree anew is cheaper than path copies. */
enum { ANEW_SHARE = 8 };

/* ---- Options ---- */

static bool
check_number(double value, const char *name, double most, pqt_error *error)
{
    if (value >= 0 && value <= most)
        return true;
    pqti_number number = pqti_number_of(value), limit = pqti_number_of(most);
    pqti_fail(error, PQT_ERROR_OPTION, 0, "%s is %s, not in 0 .. %s", name, number.text,
              limit.text);
    return false;
}

static bool
check_options(double dt, const pqt_step_options *options, pqt_error *error)
{
    double x = pqti_magnitude(options->gravity.x), y = pqti_magnitude(options->gravity.y);
    return pqti_size_is(options->size, sizeof *options, "PQT_STEP_DEFAULTS", error) &&
           check_number(dt, "dt", PQTI_WORLD_MOST, error) &&
           check_number(options->restitution, "restitution", 1, error) &&
           check_number(options->damping, "damping", PQTI_WORLD_MOST, error) &&
           check_number(x, "the size of gravity.x", PQTI_WORLD_MOST, error) &&
           check_number(y, "the size of gravity.y", PQTI_WORLD_MOST, error);
}

/* ---- Balls from a version ---- */

typedef struct loading {
    const pqt_world *world;
    const pqt_step_options *options;
    pqti_ball *balls;
    size_t count;
    double dt;
    pqt_error *error;
} loading;

static pqt_vec
accelerated(const loading *l, const pqti_trait *trait, pqt_vec v)
{
    double dt = l->dt, slower = 1 + l->options->damping * dt;
    pqt_vec g = l->options->gravity;
    return (pqt_vec){(v.x + (trait->acceleration.x + g.x) * dt) / slower,
                     (v.y + (trait->acceleration.y + g.y) * dt) / slower};
}

static bool
load_body(const pqti_trait *trait, const pqti_body_state *motion, void *context)
{
    loading *l = context;
    uint32_t rank = (uint32_t)l->count++;
    pqti_ball *ball = &l->balls[rank];
    *ball = (pqti_ball){.position = motion->position,
                        .velocity = motion->velocity,
                        .radius = trait->radius,
                        .mass = trait->mass,
                        .id = trait->id,
                        .rank = rank,
                        .still = trait->fixed != 0,
                        .edge = PQTI_NO_EDGE,
                        .room = pqti_world_room(l->world, trait->radius),
                        .origin = motion->position,
                        .stir = trait->stir};
    if (!ball->still)
        ball->velocity = accelerated(l, trait, ball->velocity);
    return pqti_ball_check(ball, l->error);
}

/* ---- A version from balls ---- */

/* What became of the balls. */
typedef struct outcome {
    const pqti_ball *balls;
    pqti_body_state *motions; /* by rank; scratch memory */
    size_t count;
    size_t moved; /* whose place changed */
    pqt_fingerprint sum;
} outcome;

static bool
is_moved(const pqti_ball *ball)
{
    return ball->origin.x != ball->position.x || ball->origin.y != ball->position.y;
}

static bool
settle(outcome *o, pqt_error *error)
{
    for (size_t i = 0; i < o->count; i++) {
        const pqti_ball *ball = &o->balls[i];
        pqt_vec p = ball->position, v = ball->velocity;
        if (!pqti_ball_check(ball, error))
            return false;
        pqti_body_state *motion = &o->motions[ball->rank];
        *motion = (pqti_body_state){{p.x + 0.0, p.y + 0.0}, {v.x + 0.0, v.y + 0.0}};
        o->moved += is_moved(ball);
        o->sum = pqti_fingerprint_add(o->sum, pqti_body_fingerprint(ball->stir, motion));
    }
    return true;
}

static pqt_item
item_at(const pqti_ball *ball, pqt_vec position)
{
    return pqti_body_item(ball->id, position, ball->radius);
}

static const pqt_tree *
tree_of_all(const pqt_tree *tree, const outcome *o, pqt_error *error)
{
    pqt_item *items = pqti_scratch(o->count, sizeof *items);
    if (items == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < o->count; i++)
        items[i] = item_at(&o->balls[i], o->balls[i].position);
    tree = pqti_tree_anew(tree, items, o->count, error);
    pqti_scratch_free(items);
    return tree;
}

static const pqt_tree *
tree_with_moves(const pqt_tree *tree, const outcome *o, pqt_error *error)
{
    pqt_change *moves = pqti_scratch(o->moved, sizeof *moves);
    size_t count = 0;
    if (moves == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < o->count; i++) {
        const pqti_ball *ball = &o->balls[i];
        if (is_moved(ball))
            moves[count++] = (pqt_change){PQT_MOVE, item_at(ball, ball->origin),
                                          item_at(ball, ball->position).box};
    }
    tree = pqt_tree_apply(tree, moves, count, error);
    pqti_scratch_free(moves);
    return tree;
}

static const pqt_world *
make_next(const pqt_world *world, const outcome *o, pqt_error *error)
{
    pqti_bodies bodies;
    if (!pqti_bodies_move(pqti_world_memory(world), world->bodies, o->motions, &bodies)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    if (bodies.motions == world->bodies.motions)
        return world;
    const pqt_tree *tree =
        (o->moved > o->count / ANEW_SHARE ? tree_of_all : tree_with_moves)(world->tree, o, error);
    return tree == NULL ? NULL : pqti_world_next(world, tree, bodies, o->sum, error);
}

static const pqt_world *
store(const pqt_world *world, const pqti_ball *balls, pqt_error *error)
{
    outcome o = {.balls = balls, .count = world->tree->count, .sum = {0, 0}};
    const pqt_world *next = NULL;
    o.motions = pqti_scratch(o.count, sizeof *o.motions);
    if (o.motions == NULL)
        pqti_out_of_memory(error);
    else if (settle(&o, error))
        next = make_next(world, &o, error);
    pqti_scratch_free(o.motions);
    return next;
}

/* ---- The step ---- */

void
pqti_report_add(pqt_step_report *to, const pqt_step_report *from)
{
    if (to == NULL)
        return;
    to->tests += from->tests;
    to->contacts += from->contacts;
    to->bounces += from->bounces;
    to->overlaps += from->overlaps;
    to->parted += from->parted;
    to->cut += from->cut;
    to->stopped += from->stopped;
    to->bumps += from->bumps;
    to->buried += from->buried;
    to->squares += from->squares;
}

/* What is still in the pixels gets its old velocity back. */
static void
resume(const pqt_world *world, const pqti_broad *broad)
{
    pqt_body before;
    for (size_t i = 0; i < broad->count; i++)
        if (broad->barrier->bumps[broad->balls[i].rank].buried &&
            pqti_bodies_find(world->bodies, broad->balls[i].id, &before))
            broad->balls[i].velocity = before.velocity;
}

static bool
run_among_pixels(const pqt_world *world, pqti_engine *engine)
{
    const pqti_obstacle *obstacle = world->obstacle;
    pqti_barrier barrier = pqti_barrier_of(obstacle->region, obstacle->at, obstacle->box);
    barrier.bumps = pqti_scratch(engine->broad.count, sizeof *barrier.bumps);
    if (barrier.bumps == NULL) {
        pqti_out_of_memory(engine->error);
        return false;
    }
    engine->broad.barrier = &barrier;
    bool good = pqti_engine_run(engine);
    if (good)
        resume(world, &engine->broad);
    engine->report.squares = barrier.squares;
    pqti_scratch_free(barrier.bumps);
    engine->broad.barrier = NULL;
    return good;
}

static const pqt_world *
run(const pqt_world *world, loading *l, pqt_error *error)
{
    pqti_engine engine = {.broad = {.balls = l->balls, .count = world->tree->count},
                          .restitution = l->options->restitution,
                          .span = l->dt,
                          .error = error};
    bool good =
        pqti_bodies_visit(world->bodies, load_body, l) &&
        (world->obstacle != NULL ? run_among_pixels(world, &engine) : pqti_engine_run(&engine));
    pqti_engine_free(&engine); /* before more memory is asked for */
    const pqt_world *next = good ? store(world, l->balls, error) : NULL;
    if (next != NULL)
        pqti_report_add(l->options->report, &engine.report);
    return next;
}

const pqt_world *
pqt_world_step(const pqt_world *world, double dt, const pqt_step_options *options, pqt_error *error)
{
    static const pqt_step_options defaults = PQT_STEP_DEFAULTS;
    loading l = {
        .world = world, .options = options != NULL ? options : &defaults, .dt = dt, .error = error};
    if (!pqti_world_may_go_on(world, error) || !check_options(dt, l.options, error))
        return NULL;
    if (dt == 0 || world->tree->count == 0)
        return world;
    l.balls = pqti_scratch(world->tree->count, sizeof *l.balls);
    if (l.balls == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_world *next = run(world, &l, error);
    pqti_scratch_free(l.balls);
    pqti_keep(world);
    return next;
}
