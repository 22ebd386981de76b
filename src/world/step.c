/* SPDX-License-Identifier: MIT */
/*
 * step.c: the step of a world. It converts the bodies of a version to balls, lets the engine move
 * them, and converts the balls to the next version.
 *
 * Balls exist only during the call, in scratch memory. They are created in key order, and the broad
 * phase sorts them by position. Both orders depend on the bodies alone.
 *
 * If few bodies are awake, only these and the bodies near them become balls (loading.h), and the
 * next version shares all other bodies. The result is the same.
 */
#include "config.h"

#include <pqt/step.h>

#include <math.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/option_structs.h"
#include "tree/item_hash.h"
#include "tree/update.h"
#include "world/engine.h"
#include "world/loading.h"
#include "world/obstacle_toi.h"
#include "world/sleepers.h"
#include "world/world_internal.h"

/* If more than 1 in REBUILD_DIVISOR bodies moved, rebuilding the tree is cheaper than copying
 * paths. See docs/world.md, "The stages, in order". */
enum { REBUILD_DIVISOR = 8 };

/* The number of runs of the engine in a step after which all bodies wake. See docs/world.md, "The
 * stages, in order". */
enum { MAX_RUNS = 4 };

/* If at most 1 in SOME_DIVISOR bodies is awake, a step loads some bodies: at most 1 in
 * NEAR_DIVISOR, and as many in the runs that lacked bodies. See docs/world.md, "Loading". */
enum { SOME_DIVISOR = 8, NEAR_DIVISOR = 4 };

/* ---- Options ---- */

PQTI_DEFINE_OPTIONS(pqti_step_options, pqt_step_options, friction, PQT_STEP_DEFAULTS);

static bool
validate_step_number(double value, const char *name, double max, pqt_error *error)
{
    if (value >= 0 && value <= max)
        return true;
    pqti_double_text number = pqti_format_double(value), limit = pqti_format_double(max);
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "%s is %s, not in 0 .. %s", name, number.text,
                   limit.text);
    return false;
}

bool
pqti_check_step_options(double dt, const pqt_step_options *options, pqt_error *error)
{
    double x = pqti_fabs(options->gravity.x), y = pqti_fabs(options->gravity.y);
    return validate_step_number(dt, "dt", PQTI_WORLD_LIMIT, error) &&
           validate_step_number(options->restitution, "restitution", 1, error) &&
           validate_step_number(options->damping, "damping", PQTI_WORLD_LIMIT, error) &&
           validate_step_number(options->rest_speed, "rest_speed", PQTI_WORLD_LIMIT, error) &&
           validate_step_number(options->friction, "friction", PQTI_WORLD_LIMIT, error) &&
           validate_step_number(x, "|gravity.x|", PQTI_WORLD_LIMIT, error) &&
           validate_step_number(y, "|gravity.y|", PQTI_WORLD_LIMIT, error);
}

/* ---- Balls of a version ---- */

typedef struct ball_loader {
    const pqt_world *world;
    const pqt_step_options *options;
    pqti_ball *balls;
    size_t count;
    double dt;
    pqt_error *error;
    pqti_rest_draft awake, asleep;      /* the states of rest of the version */
    size_t awake_before, asleep_before; /* numbers of their bodies loaded so far */
    bool *wakes;                        /* by index in `asleep`: the body wakes; NULL: none does */
    bool all_wake;                      /* all bodies wake */
    size_t sensors;                     /* number of balls that are sensors */
    pqti_loading some;                  /* the bodies that are loaded, unless all are */
    pqt_box *covers;                    /* of these, by rank; NULL: all bodies are loaded */
    bool needs_all;                     /* all bodies must be loaded */
    uint64_t visited;                   /* number of bodies loaded so far, in all runs */
} ball_loader;

static pqt_vec
acceleration_of(const ball_loader *l, const pqti_body_static *static_state)
{
    const pqt_vec a = static_state->acceleration, g = l->options->gravity;
    return (pqt_vec){a.x + g.x, a.y + g.y};
}

static pqt_vec
accelerated_velocity(const ball_loader *l, pqt_vec acceleration, pqt_vec v)
{
    double dt = l->dt, slower = 1 + l->options->damping * dt;
    return (pqt_vec){(v.x + acceleration.x * dt) / slower, (v.y + acceleration.y * dt) / slower};
}

/* Sets the speed and the gap up to which the contacts of a ball rest. The speed is half of the rest
 * speed in the options plus twice the speed that accelerations add in the step. At a restitution of
 * 1, no contact rests. */
static void
set_rest(const ball_loader *l, pqti_ball *ball)
{
    if (l->options->restitution == 1)
        return;
    const double acceleration = sqrt(pqti_dot(ball->acceleration, ball->acceleration));
    const double added = l->dt * acceleration / (1 + l->options->damping * l->dt);
    ball->rest_speed = l->options->rest_speed / 2 + 2 * added;
    ball->rest_gap = pqti_fmin(ball->rest_speed * l->dt, PQTI_REST_OVERLAP * ball->radius);
    ball->creep_speed = PQTI_CREEP_FRACTION * ball->rest_gap / l->dt;
}

/* Returns the index of the next ball among the sleeping bodies, or PQTI_NO_SLEEPER. Balls are
 * loaded in key order, and the bodies of a state are in the same order. */
static uint32_t
next_sleeper(ball_loader *l, uint64_t id)
{
    if (l->asleep_before == l->asleep.body_count || l->asleep.bodies[l->asleep_before].id != id)
        return PQTI_NO_SLEEPER;
    return (uint32_t)l->asleep_before++;
}

/* Sets the number of quiet steps of a ball, or puts it to sleep. Quiet bodies are loaded in key
 * order, too. */
static void
load_rest(ball_loader *l, pqti_ball *ball, uint32_t sleeper)
{
    if (l->awake_before < l->awake.body_count && l->awake.bodies[l->awake_before].id == ball->id)
        ball->quiet = l->awake.bodies[l->awake_before++].steps;
    if (sleeper == PQTI_NO_SLEEPER || (l->wakes != NULL && l->wakes[sleeper]))
        return;
    ball->is_static = true;
    ball->sleeper = sleeper;
}

/* Sets the coefficients of friction of a ball. */
static void
set_friction(const ball_loader *l, const pqti_body_static *static_state, pqti_ball *ball)
{
    const double own = (double)pqti_friction_of_roles(static_state->roles);
    const double others = l->options->friction;
    const bool has_own = own > 0 || (static_state->roles & PQTI_OWN_FRICTION) != 0;
    ball->friction = has_own ? own : others;
    ball->wall_friction = has_own ? sqrt(own * others) : others;
}

/* Loads a ball with its index among the sleeping bodies. */
static bool
load_ball(ball_loader *l, const pqti_body_entry *entry, uint32_t sleeper)
{
    const pqti_body_static *static_state = entry->statics;
    const pqti_body_dynamic *dynamic_state = entry->dynamics;
    uint32_t rank = (uint32_t)l->count++;
    pqti_ball *ball = &l->balls[rank];
    const pqt_vec v = dynamic_state->velocity;
    const bool is_fixed = (static_state->roles & (PQTI_FIXED | PQTI_KINEMATIC)) != 0;
    *ball = (pqti_ball){.position = dynamic_state->position,
                        .velocity = v,
                        .radius = static_state->radius,
                        .mass = static_state->mass,
                        .id = static_state->id,
                        .rank = rank,
                        .is_static = is_fixed,
                        .is_fixed = is_fixed,
                        .is_kinematic = is_fixed && (v.x != 0 || v.y != 0),
                        .is_sensor = (static_state->roles & PQTI_SENSOR) != 0,
                        .sleeper = PQTI_NO_SLEEPER,
                        .category = static_state->category,
                        .mask = static_state->mask,
                        .edge = PQTI_NO_EDGE,
                        .pushed = -HUGE_VAL,
                        .centre_bounds = pqti_world_centre_box(l->world, static_state->radius),
                        .start = dynamic_state->position,
                        .static_hash = static_state->static_hash,
                        .acceleration = acceleration_of(l, static_state),
                        .angle = entry->spins == NULL ? 0 : entry->spins->angle,
                        .spin = entry->spins == NULL ? 0 : entry->spins->velocity};
    set_friction(l, static_state, ball);
    if (!ball->is_fixed) {
        load_rest(l, ball, sleeper);
        set_rest(l, ball);
    }
    if (!ball->is_static) {
        ball->velocity = accelerated_velocity(l, ball->acceleration, ball->velocity);
        ball->spin /= 1 + l->options->damping * l->dt;
    }
    l->sensors += ball->is_sensor;
    return pqti_ball_check(ball, l->error);
}

static bool
load_body(const pqti_body_entry *entry, void *context)
{
    return load_ball(context, entry, next_sleeper(context, entry->statics->id));
}

/* ---- A version of balls ---- */

/* The result of the engine. */
typedef struct step_result {
    const pqti_ball *balls;
    pqti_body_dynamic *dynamics; /* by rank: the states after the step, in scratch memory */
    pqti_body_spin *spins;       /* by rank, in scratch memory; NULL: all are 0 */
    size_t count;
    size_t moved;                   /* number of balls whose position changed */
    const pqti_loaded_body *loaded; /* by rank: the bodies that were loaded; NULL: all were */
    pqti_body_totals totals;
    pqti_rest_states rest;
    const pqti_event_log *events;
} step_result;

static bool
is_moved(const pqti_ball *ball)
{
    return ball->start.x != ball->position.x || ball->start.y != ball->position.y;
}

/* As pqti_body_is_mobile. A wall stops a kinematic body. */
static bool
is_mobile(const pqti_ball *ball)
{
    const pqt_vec v = ball->velocity;
    return !ball->is_fixed || v.x != 0 || v.y != 0 || ball->spin != 0;
}

/* Subtracts the former states of a body from the totals, which are those of the former version. */
static void
subtract_loaded(step_result *result, uint32_t rank)
{
    const pqti_body_entry *e = &result->loaded[rank].entry;
    result->totals.fingerprint = pqti_fingerprint_subtract(
        result->totals.fingerprint,
        pqti_body_fingerprint(e->statics->static_hash, e->dynamics, e->spins));
    result->totals.mobile -= pqti_body_is_mobile(e->statics, e->dynamics, e->spins);
}

static bool
collect_moved_balls(step_result *result, pqt_error *error)
{
    for (size_t i = 0; i < result->count; i++) {
        const pqti_ball *ball = &result->balls[i];
        pqt_vec p = ball->position, v = ball->velocity;
        if (!pqti_ball_check(ball, error))
            return false;
        pqti_body_dynamic *dynamic_state = &result->dynamics[ball->rank];
        *dynamic_state = (pqti_body_dynamic){{p.x + 0.0, p.y + 0.0}, {v.x + 0.0, v.y + 0.0}};
        const pqti_body_spin spin = {ball->angle + 0.0, ball->spin + 0.0};
        if (result->spins != NULL)
            result->spins[ball->rank] = spin;
        result->moved += is_moved(ball);
        if (result->loaded != NULL)
            subtract_loaded(result, ball->rank);
        result->totals.fingerprint =
            pqti_fingerprint_add(result->totals.fingerprint,
                                 pqti_body_fingerprint(ball->static_hash, dynamic_state, &spin));
        result->totals.mobile += is_mobile(ball);
    }
    return true;
}

static pqt_item
item_at(const pqti_ball *ball, pqt_vec position)
{
    return pqti_body_item(ball->id, position, ball->radius);
}

static const pqt_tree *
tree_of_all(const pqt_tree *tree, const step_result *result, pqt_error *error)
{
    pqt_item *items = pqti_alloc_scratch(result->count, sizeof *items);
    if (items == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < result->count; i++)
        items[i] = item_at(&result->balls[i], result->balls[i].position);
    tree = pqti_tree_build_trusted(tree, items, result->count, error);
    pqti_free_scratch(items);
    return tree;
}

static const pqt_tree *
tree_with_moves(const pqt_tree *tree, const step_result *result, pqt_error *error)
{
    pqt_change *moves = pqti_alloc_scratch(result->moved, sizeof *moves);
    size_t count = 0;
    if (moves == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < result->count; i++) {
        const pqti_ball *ball = &result->balls[i];
        if (is_moved(ball))
            moves[count++] = (pqt_change){PQT_MOVE, item_at(ball, ball->start),
                                          item_at(ball, ball->position).box};
    }
    tree = pqt_tree_apply(tree, moves, count, error);
    pqti_free_scratch(moves);
    return tree;
}

/* Returns a version without events: the world itself if it has none. */
static const pqt_world *
without_events(const pqt_world *world, pqt_error *error)
{
    pqt_world next = *world;
    next.events = NULL;
    return world->events == NULL ? world : pqti_world_make(&next, error);
}

/* Makes the body map in which the loaded bodies have moved. Returns false when out of memory. */
static bool
move_loaded(const pqt_world *world, const step_result *result, pqti_bodymap *bodies)
{
    pqti_body_motion *motions = pqti_alloc_scratch(result->count, sizeof *motions);
    for (size_t i = 0; i < result->count && motions != NULL; i++) {
        const pqti_body_spin none = {0, 0};
        motions[i] = (pqti_body_motion){result->loaded[i].key, result->dynamics[i],
                                        result->spins == NULL ? none : result->spins[i]};
    }
    const bool good =
        motions != NULL && pqti_bodymap_move_some(pqti_world_memory(world), &world->bodies, motions,
                                                  result->count, bodies);
    pqti_free_scratch(motions);
    return good;
}

static bool
move_bodies(const pqt_world *world, const step_result *result, pqti_bodymap *bodies)
{
    if (result->loaded != NULL)
        return move_loaded(world, result, bodies);
    return pqti_bodymap_move(pqti_world_memory(world), &world->bodies, result->dynamics,
                             result->spins, bodies);
}

/* Returns true if building the tree of the next version is cheaper than copying paths. */
static bool
rebuilds_tree(const step_result *result)
{
    return result->loaded == NULL && result->moved > result->count / REBUILD_DIVISOR;
}

static const pqt_world *
make_next(const pqt_world *world, const step_result *result, pqt_error *error)
{
    pqti_bodymap bodies;
    if (!move_bodies(world, result, &bodies)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    PQT_INVARIANT(bodies.statics == world->bodies.statics, "a step changed a static state");
    if (bodies.dynamics == world->bodies.dynamics && bodies.spins == world->bodies.spins &&
        result->rest.awake == world->rest.awake && result->rest.asleep == world->rest.asleep &&
        result->events->count == 0)
        return without_events(world, error);
    pqt_world next = *world;
    next.rest = result->rest;
    if (!pqti_events_make(pqti_world_memory(world), result->events->events, result->events->count,
                          &next.events)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqt_tree *tree =
        (rebuilds_tree(result) ? tree_of_all : tree_with_moves)(world->tree, result, error);
    next.tree = tree;
    next.bodies = bodies;
    next.fingerprint = result->totals.fingerprint;
    next.mobile = (uint32_t)result->totals.mobile;
    return tree == NULL ? NULL : pqti_world_make(&next, error);
}

/* Returns true if any ball has a spin that is not 0. */
static bool
any_turns(const pqti_ball *balls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (balls[i].angle != 0 || balls[i].spin != 0)
            return true;
    return false;
}

static const pqt_world *
make_stepped_world(const ball_loader *l, pqti_rest_states rest, const pqti_event_log *events)
{
    const pqt_world *world = l->world;
    pqt_error *error = l->error;
    step_result result = {.balls = l->balls, .count = l->count, .rest = rest, .events = events};
    const pqt_world *next = NULL;
    const bool turn = any_turns(l->balls, result.count);
    if (l->covers != NULL) {
        result.loaded = l->some.bodies;
        result.totals = pqti_world_totals(world);
    }
    result.dynamics = pqti_alloc_scratch(result.count, sizeof *result.dynamics);
    if (turn)
        result.spins = pqti_alloc_scratch(result.count, sizeof *result.spins);
    if (result.dynamics == NULL || (turn && result.spins == NULL))
        pqti_out_of_memory(error);
    else if (collect_moved_balls(&result, error))
        next = make_next(world, &result, error);
    pqti_free_scratch(result.dynamics);
    pqti_free_scratch(result.spins);
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
    to->separated += from->separated;
    to->plastic += from->plastic;
    to->clusters += from->clusters;
    to->passes += from->passes;
    to->resting += from->resting;
    to->delayed += from->delayed;
    to->obstacle_hits += from->obstacle_hits;
    to->embedded += from->embedded;
    to->squares += from->squares;
    to->asleep += from->asleep;
    to->woken += from->woken;
    to->visited += from->visited;
    to->separation_energy += from->separation_energy;
}

/* Restores the velocities of balls that are still inside the obstacle. */
static void
restore_embedded_velocities(const pqt_world *world, const pqti_broad_phase *broad_phase)
{
    pqt_body before;
    for (size_t i = 0; i < broad_phase->count; i++)
        if (broad_phase->obstacle->hits[broad_phase->balls[i].rank].is_embedded &&
            pqti_bodymap_find(&world->bodies, broad_phase->balls[i].id, &before)) {
            broad_phase->balls[i].velocity = before.velocity;
            broad_phase->balls[i].spin = before.angular_velocity;
        }
}

static bool
run_with_obstacle(const pqt_world *world, pqti_engine *engine)
{
    const pqti_obstacle *obstacle = world->obstacle;
    pqti_obstacle_view view = pqti_obstacle_view_of(obstacle->region, obstacle->at, &obstacle->box);
    view.hits = pqti_alloc_scratch(engine->broad_phase.count, sizeof *view.hits);
    if (view.hits == NULL) {
        pqti_out_of_memory(engine->error);
        return false;
    }
    engine->broad_phase.obstacle = &view;
    bool good = pqti_engine_run(engine);
    if (good)
        restore_embedded_velocities(world, &engine->broad_phase);
    engine->report.squares = view.nodes_visited;
    pqti_free_scratch(view.hits);
    engine->broad_phase.obstacle = NULL;
    return good;
}

/* Returns the number of contacts that a step may resolve. */
static uint64_t
budget_of(const pqt_step_options *options, size_t bodies)
{
    if (options->contact_budget != 0)
        return options->contact_budget;
    return PQT_STEP_BUDGET + PQT_STEP_BUDGET_PER_BODY * (uint64_t)bodies;
}

/* Returns the number of contacts that a step may resolve for one body. */
static uint64_t
body_budget_of(const pqt_step_options *options)
{
    const uint64_t share = options->contact_budget / PQT_STEP_BODY_SHARE;
    return share > PQT_STEP_BODY_BUDGET ? share : PQT_STEP_BODY_BUDGET;
}

static pqt_vec
gravity_of(const pqt_step_options *options)
{
    return (pqt_vec){options->gravity.x + 0.0, options->gravity.y + 0.0};
}

/* Returns true if no body may sleep in a step. */
static bool
wakes_all(const ball_loader *l)
{
    const pqt_vec g = gravity_of(l->options);
    return l->options->restitution == 1 || l->options->sleep_steps == 0 ||
           g.x != l->asleep.gravity.x || g.y != l->asleep.gravity.y;
}

/* Prepares to load `count` balls. */
static bool
begin_loading(ball_loader *l, size_t count)
{
    pqti_free_scratch(l->balls);
    l->count = l->sensors = l->awake_before = l->asleep_before = 0;
    l->balls = pqti_alloc_scratch(count, sizeof *l->balls);
    if (l->balls == NULL)
        pqti_out_of_memory(l->error);
    return l->balls != NULL;
}

/* Loads all balls. Balls that stay asleep become static. */
static bool
load_all(ball_loader *l)
{
    pqti_free_scratch(l->covers);
    l->covers = NULL;
    return begin_loading(l, l->world->tree->count) &&
           pqti_bodymap_visit(&l->world->bodies, load_body, l);
}

/* Loads the balls of the bodies that are listed, with their numbers of quiet steps. */
static bool
load_listed(ball_loader *l)
{
    if (!begin_loading(l, l->some.count))
        return false;
    for (size_t i = 0; i < l->some.count; i++) {
        const pqti_loaded_body *body = &l->some.bodies[i];
        while (l->awake_before < l->awake.body_count &&
               pqti_id_key(l->awake.bodies[l->awake_before].id) < body->key)
            l->awake_before++;
        if (!load_ball(l, &body->entry, body->sleeper))
            return false;
    }
    return true;
}

static bool
run_engine(ball_loader *l, pqti_engine *engine)
{
    l->visited += l->count;
    *engine =
        (pqti_engine){.broad_phase = {.balls = l->balls, .count = l->count, .covers = l->covers},
                      .restitution = l->options->restitution,
                      .span = l->dt,
                      .last = l->world->rest,
                      .wakes = l->wakes,
                      .budget = budget_of(l->options, l->world->tree->count),
                      .ball_budget = body_budget_of(l->options),
                      .events = {.is_wanted = l->options->events},
                      .paths = {.is_wanted = l->options->events && l->sensors > 0},
                      .error = l->error};
    return l->world->obstacle != NULL ? run_with_obstacle(l->world, engine)
                                      : pqti_engine_run(engine);
}

static bool
any_is_touched(const ball_loader *l)
{
    bool any = false;
    for (size_t i = 0; i < l->count && !any; i++)
        any = l->balls[i].is_touched;
    return any;
}

/* Allocates `wakes` if it is NULL. Returns false when out of memory. */
static bool
reserve_wakes(ball_loader *l)
{
    const size_t count = l->asleep.body_count;
    if (l->wakes != NULL)
        return true;
    l->wakes = pqti_alloc_scratch(count, sizeof *l->wakes);
    if (l->wakes == NULL) {
        pqti_out_of_memory(l->error);
        return false;
    }
    memset(l->wakes, l->all_wake, count * sizeof *l->wakes);
    return true;
}

/* Sets `wakes` for the islands that something touched, or for all if `all` is set. Returns false
 * when out of memory. */
static bool
wake_touched(ball_loader *l, bool all)
{
    l->all_wake = l->all_wake || all;
    if (!reserve_wakes(l))
        return false;
    if (all)
        memset(l->wakes, true, l->asleep.body_count * sizeof *l->wakes);
    for (size_t i = 0; i < l->count; i++)
        if (l->balls[i].is_touched)
            l->wakes[l->balls[i].sleeper] = true;
    if (pqti_rest_mark_islands(l->world->rest.asleep, l->wakes))
        return true;
    pqti_out_of_memory(l->error);
    return false;
}

/* ---- Loading some bodies ---- */

/* Returns the number of bodies that are awake in a run. */
static size_t
count_awake(const ball_loader *l)
{
    size_t count = l->world->mobile - l->asleep.body_count;
    for (size_t i = 0; i < l->asleep.body_count && l->wakes != NULL; i++)
        count += l->wakes[i];
    return count;
}

/* Gives the awake bodies covers for their paths. */
static bool
make_covers(ball_loader *l)
{
    if (!load_listed(l))
        return false;
    for (size_t i = 0; i < l->count; i++)
        pqti_loading_cover(&l->some.bodies[i], &l->balls[i], l->dt);
    return true;
}

/* Loads the awake bodies and those near their covers, unless these are too many. Then, sets
 * `needs_all`. */
static bool
load_near(ball_loader *l)
{
    if (!pqti_loading_add_near(&l->some, l->world->tree->count / NEAR_DIVISOR)) {
        pqti_out_of_memory(l->error);
        return false;
    }
    l->needs_all = l->some.is_full;
    if (l->needs_all)
        return true;
    pqti_free_scratch(l->covers);
    l->covers = pqti_alloc_scratch(l->some.count, sizeof *l->covers);
    if (l->covers == NULL) {
        pqti_out_of_memory(l->error);
        return false;
    }
    for (size_t i = 0; i < l->some.count; i++)
        l->covers[i] = l->some.bodies[i].cover;
    return load_listed(l);
}

/* Lists the bodies to load, if these are few. Otherwise, sets `needs_all`. */
static bool
begin_some(ball_loader *l)
{
    const size_t awake = l->needs_all ? 0 : count_awake(l);
    l->needs_all = awake == 0 || awake > l->world->tree->count / SOME_DIVISOR;
#ifdef PQT_PLAIN
    l->needs_all = true; /* the fast path below is equivalent */
#endif
    if (l->needs_all)
        return true;
    if (pqti_loading_begin(&l->some, l->wakes, l->all_wake))
        return make_covers(l);
    pqti_out_of_memory(l->error);
    return false;
}

/* Enlarges the covers that balls left in a run. */
static void
enlarge_covers(ball_loader *l)
{
    for (size_t i = 0; i < l->some.count; i++)
        if (memcmp(&l->covers[i], &l->some.bodies[i].cover, sizeof *l->covers) != 0)
            pqti_loading_enlarge(&l->some.bodies[i], &l->covers[i]);
}

/* Runs the engine with the bodies that have an effect on the result. If runs that lacked bodies
 * have loaded too many of them together, all are loaded: bodies that leave their covers one after
 * the other would otherwise cost as many runs. */
static bool
run_once(ball_loader *l, pqti_engine *engine)
{
    if (!begin_some(l))
        return false;
    while (!l->needs_all) {
        if (!load_near(l))
            return false;
        if (l->needs_all || run_engine(l, engine))
            break;
        const pqti_lack lack = engine->broad_phase.lack;
        if (lack == PQTI_LACKS_NOTHING)
            return false;
        pqti_engine_free(engine);
        *engine = (pqti_engine){.error = l->error};
        l->needs_all = lack == PQTI_LACKS_ALL || l->visited > l->world->tree->count / NEAR_DIVISOR;
        enlarge_covers(l);
    }
    return !l->needs_all || (load_all(l) && run_engine(l, engine));
}

/* ---- The runs of a step ---- */

/* Runs the engine. If something touches sleeping bodies, runs it again from the start with their
 * islands awake. After MAX_RUNS runs, all bodies wake. */
static bool
run_until_untouched(ball_loader *l, pqti_engine *engine)
{
    for (int run = 1;; run++) {
        if (!run_once(l, engine))
            return false;
        if (!any_is_touched(l))
            return true;
        pqti_engine_free(engine);
        *engine = (pqti_engine){.error = l->error};
        if (!wake_touched(l, run == MAX_RUNS))
            return false;
    }
}

/* Adds the events of sensors, if they are wanted. */
static bool
add_sensor_events(const ball_loader *l, pqti_engine *engine)
{
    const pqti_sensing sensing = {
        .balls = l->balls, .count = l->count, .paths = &engine->paths, .span = l->dt};
    return !engine->paths.is_wanted || pqti_sensors_add_events(&sensing, &engine->events, l->error);
}

/* Puts bodies to sleep, and makes the states of rest of the next version. */
static bool
end_step(ball_loader *l, pqti_engine *engine, pqti_rest_states *rest)
{
    pqti_step_end end = {.balls = l->balls,
                         .count = l->count,
                         .contacts = &engine->resting.contacts,
                         .last = l->world->rest,
                         .wakes = l->wakes,
                         .span = l->dt,
                         .gravity = gravity_of(l->options),
                         .sleep_steps = l->options->sleep_steps};
    if (!pqti_rest_after_step(pqti_world_memory(l->world), &end, rest)) {
        pqti_out_of_memory(l->error);
        return false;
    }
    engine->report.asleep = end.asleep;
    engine->report.visited = l->visited;
    for (size_t i = 0; i < l->asleep.body_count && l->wakes != NULL; i++)
        engine->report.woken +=
            l->wakes[i] && pqti_rest_find_body(rest->asleep, l->asleep.bodies[i].id) == SIZE_MAX;
    return true;
}

static const pqt_world *
run_step(ball_loader *l)
{
    pqti_engine engine = {.error = l->error};
    pqti_rest_states rest = {NULL, NULL};
    const pqt_world *next = NULL;
    bool good = run_until_untouched(l, &engine);
    good = good && add_sensor_events(l, &engine) && end_step(l, &engine, &rest);
    const pqti_event_log events = engine.events;
    engine.events = (pqti_event_log){.count = 0};
    pqti_engine_free(&engine); /* frees memory before the next version is allocated */
    if (good)
        next = make_stepped_world(l, rest, &events);
    pqti_free_scratch(events.events);
    if (next != NULL)
        pqti_report_add(l->options->report, &engine.report);
    return next;
}

/* Returns true if no body is mobile, or all those that are sleep and remain asleep. */
static bool
stays_asleep(const ball_loader *l)
{
    if (l->world->mobile == 0)
        return l->world->rest.awake == NULL;
    return l->asleep.body_count == l->world->mobile && !wakes_all(l);
}

/* The step of a world that stays asleep, which visits no body. */
static const pqt_world *
step_asleep(const ball_loader *l)
{
    const pqt_world *next = without_events(l->world, l->error);
    if (next != NULL)
        pqti_report_add(l->options->report, &(pqt_step_report){.asleep = l->asleep.body_count});
    return next;
}

static const pqt_world *
step_awake(ball_loader *l)
{
    l->all_wake = l->asleep.body_count > 0 && wakes_all(l);
    const pqt_world *next = NULL;
    if (!l->all_wake || reserve_wakes(l))
        next = run_step(l);
    pqti_loading_free(&l->some);
    pqti_free_scratch(l->covers);
    pqti_free_scratch(l->wakes);
    pqti_free_scratch(l->balls);
    return next;
}

const pqt_world *
pqt_world_step(const pqt_world *world, double dt, const pqt_step_options *options, pqt_error *error)
{
    pqt_step_options converted;
    if (!pqti_world_check_input(world, error))
        return NULL;
    options = pqti_options_read(&pqti_step_options_layout, options, &converted, error);
    if (options == NULL || !pqti_check_step_options(dt, options, error))
        return NULL;
    if (dt == 0 || world->tree->count == 0)
        return world;
    pqt_memory *memory = pqti_world_memory(world);
    if (!pqti_scope_begin(memory, error))
        return NULL;
    ball_loader l = {.world = world,
                     .some = {.world = world},
                     .options = options,
                     .dt = dt,
                     .error = error,
                     .awake = pqti_rest_draft_of(world->rest.awake),
                     .asleep = pqti_rest_draft_of(world->rest.asleep)};
    const pqt_world *next = stays_asleep(&l) ? step_asleep(&l) : step_awake(&l);
    pqti_keep_alive(world);
    pqti_scope_end_at_safe_point(memory, world, next);
    return next;
}
