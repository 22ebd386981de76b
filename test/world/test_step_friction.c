/* SPDX-License-Identifier: MIT */
/* test_step_friction.c: tests rotating balls and friction: sliding, rolling, bouncing, and rest. */
#include "config.h"

#include <pqt/moment.h>
#include <pqt/recording.h>

#include "error_support.h"
#include "hooks.h"
#include "obstacle_support.h"
#include "step_support.h"
#include "suite.h"
#include "world/world_internal.h"

#define DT (1 / 60.0)
#define GRAVITY 10.0

enum { MANY = 60, ROUNDS = 8, HITS = 400, CROWDED = 120, CROWDS = 24 };

static const pqt_box long_box = {{-1e4, 0}, {1e4, 100}};

static pqt_step_options
rubbing(double friction, double restitution)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.friction = friction;
    options.restitution = restitution;
    return options;
}

static pqt_step_options
falling(double friction, double restitution)
{
    pqt_step_options options = rubbing(friction, restitution);
    options.gravity.y = GRAVITY;
    return options;
}

static pqt_body
turning(pqt_body body, double angular_velocity)
{
    body.angular_velocity = angular_velocity;
    return body;
}

static void
expect_near(double value, double wanted, double allowed)
{
    if (!(fabs(value - wanted) <= allowed))
        ck_abort_msg("%.17g is not %.17g within %g", value, wanted, allowed);
}

/* ---- Turning ---- */

START_TEST(a_ball_turns_at_its_angular_velocity)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    const pqt_world *world = added(small_world(), turning(flying(1, 20, 20, 2, 3, 4), 0.75));
    for (int i = 1; i <= 8; i++) {
        world = stepped(world, 0.5, &options);
        ck_assert_double_eq(body_of(world, 1).angle, 0.375 * i);
        ck_assert_double_eq(body_of(world, 1).angular_velocity, 0.75);
    }
    options.damping = 1;
    ck_assert_double_eq(body_of(stepped(world, 1, &options), 1).angular_velocity, 0.375);
}
END_TEST

START_TEST(a_fixed_body_keeps_its_angle_and_a_kinematic_one_turns)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    pqt_body post = ball(1, 20, 20, 2), wheel = turning(ball(2, 50, 50, 2), 2),
             cart = turning(flying(3, 90, 90, 2, 4, 0), -1);
    post.fixed = wheel.kinematic = cart.kinematic = true;
    post.angle = 1;
    options.damping = 1;
    const pqt_world *world = added(added(added(small_world(), post), wheel), cart);
    world = after_steps(world, 4, 0.5, &options); /* the cart reaches the wall during its motion */
    ck_assert_double_eq(body_of(world, 1).angle, 1);
    ck_assert_double_eq(body_of(world, 2).angle, 4);
    ck_assert_double_eq(body_of(world, 3).angle, -2);
    ck_assert_double_eq(body_of(world, 3).position.x, 98);
    expect_sound_world(world);
}
END_TEST

START_TEST(without_friction_no_contact_changes_a_spin)
{
    dice d = {test_seed(__func__)};
    pqt_step_options options = falling(0, (double)(_i % 3) / 2);
    pqt_body bodies[MANY];
    const pqt_world *plain = small_world(), *spinning = plain;
    for (size_t i = 0; i < MANY; i++) {
        const pqt_body body =
            flying(i, 5 + 12 * (double)(i % 8), 5 + 12 * (double)(i / 8), 1 + 4 * dice_real(&d),
                   60 * dice_real(&d) - 30, 60 * dice_real(&d) - 30);
        plain = added(plain, body);
        spinning = added(spinning, turning(body, 1 + (double)i));
    }
    options.sleep_steps = 0;
    plain = after_steps(plain, 50, 0.125, &options);
    spinning = after_steps(spinning, 50, 0.125, &options);
    list_bodies(spinning, bodies);
    for (size_t i = 0; i < MANY; i++) {
        const pqt_body body = body_of(plain, i);
        ck_assert_double_eq(bodies[i].angular_velocity, 1 + (double)i);
        expect_near(bodies[i].angle, 50 * 0.125 * (1 + (double)i), 1e-9 * (1 + (double)i));
        bodies[i].angle = bodies[i].angular_velocity = 0;
        require(same_body(&bodies[i], &body), "a spin changes a path");
    }
}
END_TEST

/* ---- Sliding and rolling ---- */

START_TEST(a_ball_that_slides_loses_mu_g_until_it_rolls_at_two_thirds_of_its_speed)
{
    const double mu = 0.25, speed = 12, radius = 2, rebound = _i == 0 ? 0 : 0.5;
    const pqt_step_options options = falling(mu, rebound);
    const pqt_world *world =
        added(world_in(long_box, true, arena), flying(1, 0, 100 - radius, radius, speed, 0));
    for (int i = 1; i <= 200; i++) {
        world = stepped(world, DT, &options);
        const pqt_body body = body_of(world, 1);
        const double lost = fmin(mu * GRAVITY * DT * i, speed / 3);
        expect_near(body.velocity.x, speed - lost, 1e-9);
        expect_near(body.angular_velocity * radius, 2 * lost, 1e-9);
    }
    expect_near(body_of(world, 1).velocity.x, 2 * speed / 3, 1e-9);
    const pqt_body rolling = body_of(world, 1);
    world = after_steps(world, 400, DT, &options);
    expect_near(body_of(world, 1).velocity.x, rolling.velocity.x, 1e-9);
    const double path = body_of(world, 1).position.x - rolling.position.x;
    expect_near(path, (body_of(world, 1).angle - rolling.angle) * radius, 1e-7);
    expect_sound_world(world);
}
END_TEST

START_TEST(an_elastic_ball_on_the_floor_ends_up_rolling_too)
{
    const pqt_step_options options = falling(0.25, 1);
    const pqt_world *world = added(world_in(long_box, true, arena), flying(1, 0, 98, 2, 12, 0));
    world = after_steps(world, 300, DT, &options);
    expect_near(body_of(world, 1).velocity.x, 8, 1e-9);
    expect_near(body_of(world, 1).angular_velocity, 4, 1e-9);
}
END_TEST

START_TEST(a_ball_rolls_down_a_slope_or_slides_where_friction_is_too_small)
{
    /* The slope is the tangent, 0.3. Friction must be a third of it for the ball to roll. */
    const double friction = _i == 0 ? 0.5 : 0.05, radius = 3;
    const double acceleration = _i == 0 ? 2 : 3 - friction * GRAVITY;
    pqt_step_options options = falling(friction, 0.5);
    options.gravity.x = 3;
    const pqt_world *world =
        added(world_in(long_box, true, arena), ball(1, 0, 100 - radius, radius));
    for (int i = 1; i <= 300; i++) {
        world = stepped(world, DT, &options);
        const pqt_body body = body_of(world, 1);
        const double rim = _i == 0 ? body.velocity.x : 2 * friction * GRAVITY * DT * i;
        expect_near(body.velocity.x, acceleration * DT * i, 1e-9);
        expect_near(body.angular_velocity * radius, rim, 1e-9);
    }
}
END_TEST

START_TEST(a_ball_rolls_along_pixels_and_down_them)
{
    const pqt_pixel_box floor = {{0, 60}, {100, 80}};
    pqt_step_options options = falling(0.5, 0);
    options.gravity.x = 3;
    const pqt_world *world = obstructed_at(small_world(), boxes_in(arena, &floor, 1), 0, 0);
    world = after_steps(added(world, ball(1, 10, 58, 2)), 120, DT, &options);
    const pqt_body body = body_of(world, 1);
    expect_near(body.velocity.x, 4, 1e-6);
    expect_near(body.angular_velocity * 2, body.velocity.x, 1e-6);
}
END_TEST

START_TEST(a_pile_of_three_is_stable_by_friction_alone)
{
    /* The upper ball remains there if the friction between balls is above tan 15 degrees, 0.268. */
    const double frictions[] = {0.2, 0.35, 1};
    const pqt_step_options options = falling(frictions[_i], 0);
    const pqt_world *world = world_in(long_box, true, arena);
    world = added(added(world, ball(1, -1, 99, 1)), ball(2, 1, 99, 1));
    world = added(world, ball(3, 0, 99 - sqrt(3), 1));
    world = after_steps(world, 600, DT, &options);
    if (_i == 0) {
        ck_assert_double_gt(body_of(world, 3).position.y, 98.5);
        return;
    }
    expect_near(body_of(world, 3).position.y, 99 - sqrt(3), 0.05);
    require(pqt_world_is_asleep(world, 3), "the pile is awake");
    expect_sound_world(world);
}
END_TEST

/* ---- Bounces ---- */

START_TEST(a_spinning_ball_that_bounces_exchanges_spin_for_speed)
{
    const double spin = 9, radius = 2, speed = 30;
    for (int i = 0; i < 2; i++) {
        const double friction = i == 0 ? 10 : 0.02;
        const pqt_step_options options = rubbing(friction, 1);
        const pqt_world *world =
            added(small_world(), turning(flying(1, 50, 90, radius, 0, speed), spin));
        const pqt_body body = body_of(stepped(world, 0.5, &options), 1);
        const double gain = fmin(spin * radius / 3, friction * 2 * speed);
        ck_assert_double_eq(body.velocity.y, -speed);
        expect_near(body.velocity.x, gain, 1e-12);
        expect_near(body.angular_velocity, spin - 2 * gain / radius, 1e-12);
    }
}
END_TEST

START_TEST(a_rotating_wheel_accelerates_a_ball_that_hits_it)
{
    const pqt_step_options options = rubbing(100, 1);
    pqt_body wheel = turning(ball(1, 50, 50, 5), 3);
    wheel.kinematic = true;
    const pqt_world *world = added(added(small_world(), wheel), flying(2, 80, 50, 2, -20, 0));
    const pqt_body body = body_of(stepped(world, 2, &options), 2);
    expect_near(body.velocity.x, 20, 1e-12);
    expect_near(body.velocity.y, 5, 1e-12); /* a third of the initial speed of the rim */
    expect_near(body.angular_velocity, -5, 1e-12);
    ck_assert_double_eq(body_of(stepped(world, 2, &options), 1).angular_velocity, 3);
}
END_TEST

typedef struct sums {
    double x, y, angular, energy, scale;
} sums;

static sums
sums_of(const pqt_body *bodies, size_t count)
{
    sums s = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const pqt_body *b = &bodies[i];
        const double rim = b->angular_velocity * b->radius;
        const double turn = b->position.x * b->velocity.y - b->position.y * b->velocity.x;
        s.x += b->mass * b->velocity.x;
        s.y += b->mass * b->velocity.y;
        s.angular += b->mass * (turn + rim * b->radius / 2);
        s.scale += b->mass * (fabs(turn) + fabs(rim * b->radius) + pqt_vec_length(b->velocity));
        s.energy += b->mass / 2 * (pqt_vec_dot(b->velocity, b->velocity) + rim * rim / 2);
    }
    return s;
}

START_TEST(a_hit_of_two_balls_conserves_momentum_and_angular_momentum)
{
    dice d = {test_seed(__func__)};
    size_t hits = 0, slower = 0;
    for (int i = 0; i < HITS; i++) {
        pqt_step_report report = {0};
        pqt_step_options options = rubbing(2 * dice_real(&d), (double)(i % 3) / 2);
        options.report = &report;
        pqt_body a =
            turning(flying(0, -30, 0, 1 + 4 * dice_real(&d), 20, 0), 8 * dice_real(&d) - 4);
        pqt_body b = turning(flying(1, 30, 6 * dice_real(&d) - 3, 1 + 4 * dice_real(&d), -20, 0),
                             8 * dice_real(&d) - 4);
        a.mass = 1 + 9 * dice_real(&d);
        b.mass = 1 + 9 * dice_real(&d);
        const pqt_world *world =
            added(added(world_in(box(-1000, -1000, 1000, 1000), false, arena), a), b);
        pqt_body before[2], after[2];
        list_bodies(world, before);
        world = stepped(world, 4, &options);
        list_bodies(world, after);
        const sums s = sums_of(before, 2), t = sums_of(after, 2);
        expect_near(t.x, s.x, 1e-12 * s.scale);
        expect_near(t.y, s.y, 1e-12 * s.scale);
        expect_near(t.angular, s.angular, 1e-11 * s.scale);
        ck_assert_double_le(t.energy, s.energy * (1 + 1e-12));
        expect_near(pqt_world_get_stats(world).energy, t.energy, 1e-12 * t.energy);
        hits += report.contacts == 1;
        slower += t.energy < s.energy * (1 - 1e-9);
    }
    ck_assert_uint_gt(hits, HITS / 2);
    ck_assert_uint_gt(slower, HITS / 2);
}
END_TEST

START_TEST(a_row_of_touching_balls_with_friction_conserves_momentum)
{
    /* A fast ball that hits the row at an angle causes clusters, whose contacts have friction,
       too. */
    pqt_step_report report = {0};
    pqt_step_options options = rubbing(0.5, 0.5);
    options.report = &report;
    pqt_body before[33], after[33];
    const pqt_world *world = world_in(box(-1e4, -1e4, 1e4, 1e4), false, arena);
    world = added(world, turning(flying(0, -10, 0.75, 1, 10, 0), 6));
    for (uint64_t i = 1; i <= 32; i++)
        world = added(world, ball(i, 2 * (double)i, 0.25 * (double)(i % 2), 1));
    list_bodies(world, before);
    world = after_steps(world, 30, 0.1, &options);
    list_bodies(world, after);
    const sums s = sums_of(before, 33), t = sums_of(after, 33);
    expect_near(t.x, s.x, 1e-11 * s.scale);
    expect_near(t.y, s.y, 1e-11 * s.scale);
    expect_near(t.angular, s.angular, 1e-11 * s.scale);
    ck_assert_double_le(t.energy, s.energy * (1 + 1e-9));
    ck_assert_uint_gt(report.clusters, 0);
    expect_sound_world(world);
}
END_TEST

/* Balls that lie on each other overlap a little or have gaps between them. */
START_TEST(balls_that_rest_with_friction_in_free_fall_conserve_angular_momentum)
{
    enum { FREE = 100 };
    dice d = {test_seed(__func__) + (uint64_t)_i};
    pqt_step_report report = {0};
    pqt_step_options options = rubbing(0.2 + dice_real(&d), 0.25 * _i);
    pqt_body before[FREE], after[FREE];
    const pqt_world *world = world_in(box(-1e4, -1e4, 1e4, 1e4), false, arena);
    options.rest_speed = 0.5;
    options.report = &report;
    for (uint64_t i = 0; i < FREE; i++) {
        pqt_body body =
            flying(i, 2 * (double)(i % 10) - 9, 2 * (double)(i / 10) - 9,
                   0.75 + 0.25 * dice_real(&d), dice_real(&d) - 0.5, dice_real(&d) - 0.5);
        body.mass = 1 + 100 * dice_real(&d);
        body.velocity.x -= body.position.x / 20; /* the balls move toward the middle */
        body.velocity.y -= body.position.y / 20;
        world = added(world, turning(body, 4 * dice_real(&d) - 2));
    }
    list_bodies(world, before);
    for (int k = 0; k < 300; k++) {
        world = stepped(world, DT, &options);
        list_bodies(world, after);
        const sums s = sums_of(before, FREE), t = sums_of(after, FREE);
        expect_near(t.x, s.x, 1e-12 * s.scale);
        expect_near(t.y, s.y, 1e-12 * s.scale);
        expect_near(t.angular, s.angular, 1e-12 * s.scale);
    }
    ck_assert_uint_gt(report.resting, 1000);
    ck_assert_uint_eq(report.separated, 0);
}
END_TEST

START_TEST(the_friction_of_two_surfaces_is_the_root_of_their_product)
{
    const float own[] = {0.04F, 0.04F, 0, 0.04F};
    const double others[] = {0.01, 0, 0.03, 0.04}, wanted[] = {0.02, 0, 0.03, 0.04};
    for (int i = 0; i < 4; i++) {
        const pqt_step_options options = rubbing(others[i], 1);
        pqt_body body = flying(1, 50, 90, 2, 20, 30);
        body.friction = own[i];
        body = body_of(stepped(added(small_world(), body), 0.5, &options), 1);
        expect_near(body.velocity.x, 20 - wanted[i] * 60, 1e-6);
        ck_assert(body.friction == own[i]);
    }
}
END_TEST

/* ---- Rest ---- */

/* Balls that slide along the floor, and one that another ball hits. */
START_TEST(an_own_friction_of_0_is_no_friction)
{
    const pqt_step_options smooth = falling(0, 0), rough = falling(0.5, 0);
    const pqt_body plain = flying(1, 0, 99, 1, 4, 0);
    pqt_body ice = plain, rubber = plain;
    ice.own_friction = true;
    rubber.own_friction = true;
    rubber.friction = 0.5F;
    const pqt_world *empty = world_in(long_box, true, arena);
    const pqt_body slides = body_of(after_steps(added(empty, plain), 60, DT, &smooth), 1),
                   iced = body_of(after_steps(added(empty, ice), 60, DT, &rough), 1),
                   rolls = body_of(after_steps(added(empty, plain), 60, DT, &rough), 1),
                   rubbed = body_of(after_steps(added(empty, rubber), 60, DT, &rough), 1);
    ck_assert(iced.own_friction && iced.friction == 0);
    ck_assert_double_eq(iced.position.x, slides.position.x);
    ck_assert_double_eq(iced.velocity.x, 4);
    ck_assert_double_eq(iced.angular_velocity, 0);
    ck_assert_double_ne(rolls.angular_velocity, 0);
    ck_assert_double_eq(rubbed.velocity.x, rolls.velocity.x); /* above 0, the flag has no effect */
    const pqt_world *world =
        stepped(added(added(empty, ice), turning(ball(2, 3, 99, 1), 5)), 0.5, &rough);
    require(body_of(world, 1).velocity.x < 4, "the balls do not meet");
    ck_assert_double_eq(body_of(world, 1).angular_velocity, 0);
    const pqt_world *read = written_and_read(added(empty, ice), arena);
    require(body_of(read, 1).own_friction, "the bytes lose the flag");
}
END_TEST

START_TEST(a_ball_that_spins_does_not_sleep)
{
    const pqt_step_options smooth = falling(0, 0), rough = falling(0.5, 0);
    const pqt_world *world = added(small_world(), turning(ball(1, 50, 98, 2), 1));
    require(!pqt_world_is_asleep(after_steps(world, 200, DT, &smooth), 1), "it spins asleep");
    world = after_steps(added(small_world(), ball(1, 50, 98, 2)), 200, DT, &rough);
    require(pqt_world_is_asleep(world, 1), "it does not sleep");
    ck_assert_double_eq(body_of(world, 1).angular_velocity, 0);
    require(stepped(world, DT, &rough) == world, "a step changes a world asleep");
    pqt_error error = {0};
    world = must_world(pqt_world_change(world, turning(body_of(world, 1), 2), &error), &error);
    require(!pqt_world_is_asleep(world, 1), "a spin does not wake");
}
END_TEST

START_TEST(a_ball_sleeps_on_a_wheel_only_while_there_is_no_slip)
{
    /* The wheel turns so slowly that the ball on its top counts as quiet. */
    const pqt_step_options smooth = falling(0, 0), rough = falling(0.5, 0);
    pqt_body wheel = ball(1, 50, 50, 2);
    wheel.kinematic = true;
    wheel.angular_velocity = 1e-5;
    const pqt_world *world = added(added(small_world(), wheel), ball(2, 50, 46, 2));
    require(pqt_world_is_asleep(after_steps(world, 100, DT, &smooth), 2), "it does not sleep");
    world = after_steps(world, 100, DT, &rough);
    require(!pqt_world_is_asleep(world, 2), "it sleeps on a wheel that drives it");
    ck_assert_double_ne(body_of(world, 2).angular_velocity, 0);
    expect_sound_world(world);
}
END_TEST

/* Expects that the friction of each contact of a state is at most mu times its impulse. Returns the
   number of contacts with friction. */
static size_t
expect_bounded_frictions(const pqti_rest_state *state, double mu)
{
    const pqti_rest_draft draft = pqti_rest_draft_of(state);
    size_t count = 0;
    for (size_t i = 0; i < draft.contact_count; i++) {
        const pqti_lasting_contact *c = &draft.contacts[i];
        if (c->side < PQTI_LASTING_FRICTION)
            continue;
        const double most = mu * pqti_rest_impulse(state, c->low, c->high, pqti_lasting_side(c));
        ck_assert_double_le(fabs(c->impulse), most * (1 + 1e-12));
        count++;
    }
    return count;
}

/* Returns the kinetic plus the potential energy of all bodies. */
static double
energy_of(const pqt_world *world)
{
    pqt_body bodies[CROWDED];
    double energy = pqt_world_get_stats(world).energy;
    list_bodies(world, bodies);
    for (size_t i = 0; i < CROWDED; i++)
        energy += bodies[i].mass * GRAVITY * (60 - bodies[i].position.y);
    return energy;
}

START_TEST(crowds_that_jam_gain_no_energy_by_friction)
{
    /* In wedges, normal impulses and friction would amplify each other if they were solved
       alternately without limit. */
    dice d = {test_seed(__func__) + (uint64_t)_i};
    const double frictions[] = {0.5, 1, 10, 1e6};
    const pqt_step_options options = falling(frictions[_i % 4], 0.5 + 0.5 * dice_real(&d));
    const pqt_world *world = world_in(box(0, 0, 60, 60), true, arena);
    for (uint64_t i = 0; i < CROWDED; i++) {
        const double radius = 0.5 + 2 * dice_real(&d);
        pqt_body body = flying(i, radius + (60 - 2 * radius) * dice_real(&d),
                               radius + (60 - 2 * radius) * dice_real(&d), radius,
                               60 * dice_real(&d) - 30, 60 * dice_real(&d) - 30);
        body.mass = 0.3 + 3 * dice_real(&d);
        if (i % 8 == 0) {
            body.fixed = true;
            body.velocity = (pqt_vec){0, 0};
        }
        world = added(world, turning(body, body.fixed ? 0 : 60 * dice_real(&d) - 30));
    }
    double energy = energy_of(world);
    for (int i = 0; i < 40; i++) {
        world = stepped(world, DT, &options);
        const double next = energy_of(world);
        ck_assert_double_lt(next, 1.05 * energy); /* separating overlaps may lift some bodies */
        energy = next;
    }
    expect_sound_world(world);
}
END_TEST

/* Balls fly between walls. Their masses differ by factors up to 10^9, their coefficients by factors
 * up to 10^6. */
START_TEST(no_mass_and_no_coefficient_lets_friction_add_energy)
{
    static const double restitutions[] = {0, 0.3, 0.8, 0.99};
    dice d = {test_seed(__func__) + (uint64_t)_i};
    const pqt_step_options options = rubbing(exp2(20 * dice_real(&d)), restitutions[_i % 4]);
    const pqt_world *world = world_in(box(0, 0, 10, 10), true, arena);
    for (size_t i = 0; i < 16; i++) {
        pqt_body body =
            flying(i, 1.2 + 2.5 * (double)(i % 4), 1.2 + 2.5 * (double)(i / 4),
                   0.3 + 0.9 * dice_real(&d), 20 * dice_real(&d) - 10, 20 * dice_real(&d) - 10);
        body.mass = i % 2 == 0 ? 1 : exp2(30 * dice_real(&d));
        body.friction = i % 3 == 0 ? (float)exp2(-20 * dice_real(&d)) : 0;
        world = added(world, turning(body, i % 4 == 1 ? 40 * dice_real(&d) - 20 : 0));
    }
    double energy = pqt_world_get_stats(world).energy;
    for (int i = 0; i < 60; i++) {
        world = stepped(world, DT, &options);
        const double next = pqt_world_get_stats(world).energy;
        ck_assert_double_le(next, (1 + 1e-9) * energy);
        energy = next;
    }
    expect_sound_world(world);
}
END_TEST

static const pqt_world *
heap_of(size_t count, bool backward, pqt_memory *memory)
{
    dice d = {test_seed("heap")};
    pqt_body bodies[MANY];
    const pqt_world *world = world_in(box(0, -100, 16, 0), true, memory);
    for (size_t i = 0; i < count; i++) {
        const double x = 1 + 2.2 * (double)(i % 7) + 0.2 * dice_real(&d);
        bodies[i] = ball(i, x, -1 - 2.2 * (double)(i / 7), 0.5 + 0.5 * dice_real(&d));
    }
    for (size_t i = 0; i < count; i++)
        world = added(world, bodies[backward ? count - 1 - i : i]);
    return world;
}

START_TEST(a_pile_with_friction_comes_to_rest_within_the_bounds_of_coulomb)
{
    const double frictions[] = {0.1, 0.4, 1}, mu = frictions[_i % 3];
    pqt_step_options options = falling(mu, _i < 3 ? 0 : 0.5);
    pqt_body bodies[MANY];
    size_t most = 0;
    options.damping = 0.25; /* for single balls, which would otherwise roll forever */
    const pqt_world *world = heap_of(MANY, false, arena);
    for (int i = 0; i < 1200; i++) {
        world = stepped(world, DT, &options);
        const size_t awake = expect_bounded_frictions(world->rest.awake, mu);
        const size_t asleep = expect_bounded_frictions(world->rest.asleep, mu);
        most = awake + asleep > most ? awake + asleep : most;
    }
    list_bodies(world, bodies);
    expect_sound_world(world);
    expect_apart_within(world, bodies, MANY, 0.07);
    ck_assert_uint_gt(most, MANY);
    for (size_t i = 0; i < MANY; i++)
        require(pqt_world_is_asleep(world, i), "the heap is awake");
}
END_TEST

START_TEST(a_step_carries_frictions_to_the_next_one)
{
    /* With the old impulses as the initial guess, a heap at rest needs fewer passes than without
       them. */
    pqt_step_report carried = {0}, fresh = {0};
    pqt_step_options options = falling(0.5, 0);
    options.sleep_steps = 0;
    const pqt_world *world = after_steps(heap_of(MANY, false, arena), 400, DT, &options);
    pqt_error error = {0};
    pqt_body bodies[MANY];
    list_bodies(world, bodies);
    const pqt_world *again = must_world(pqt_world_clear(world, &error), &error);
    again = with_bodies(again, bodies, MANY);
    require(pqt_world_differs(world, again, NULL), "no impulse is carried over");
    options.report = &carried;
    stepped(world, DT, &options);
    options.report = &fresh;
    stepped(again, DT, &options);
    ck_assert_uint_lt(carried.passes, fresh.passes);
}
END_TEST

/* Returns the world with another impulse in each contact, as a file may contain it. */
static const pqt_world *
with_impulses(const pqt_world *world, double impulse)
{
    pqt_error error = {0};
    pqt_world changed = *world;
    pqti_rest_draft draft = pqti_rest_draft_of(world->rest.awake);
    pqti_lasting_contact *contacts = calloc(draft.contact_count, sizeof *contacts);
    require(contacts != NULL && draft.contact_count > 0, "there are contacts");
    for (size_t i = 0; i < draft.contact_count; i++) {
        contacts[i] = draft.contacts[i];
        contacts[i].impulse = copysign(impulse, contacts[i].impulse);
    }
    draft.contacts = contacts;
    require(pqti_rest_make(arena, &draft, NULL, &changed.rest.awake), "out of memory");
    free(contacts);
    return must_world(pqti_world_make(&changed, &error), &error);
}

START_TEST(impulses_that_overflow_accelerate_no_ball)
{
    static const double impulses[] = {1e150, 1e250, 1e300, 1e308, DBL_MAX};
    const size_t count = MANY - (size_t)_i;
    pqt_step_options options = falling(0.5, 0);
    options.sleep_steps = 0;
    const pqt_world *heap = after_steps(heap_of(count, false, arena), 400, DT, &options);
    for (int i = 0; i < 5; i++) {
        pqt_body bodies[MANY];
        const pqt_world *world = with_impulses(heap, impulses[i]);
        expect_sound_world(world);
        world = stepped(world, DT, &options);
        list_bodies(world, bodies);
        for (size_t k = 0; k < count; k++)
            ck_assert_double_le(hypot(bodies[k].velocity.x, bodies[k].velocity.y), 10);
        expect_sound_world(world);
    }
}
END_TEST

/* ---- Values ---- */

/* Returns bodies of all roles, some of which turn. */
static const pqt_world *
random_world(dice *d, bool backward, pqt_memory *memory)
{
    pqt_body bodies[MANY];
    const pqt_pixel_box pixels[] = {{{30, 70}, {60, 75}}, {{0, 90}, {10, 100}}};
    const pqt_world *world = world_in(arena_box, true, memory);
    for (size_t i = 0; i < MANY; i++) {
        pqt_body *b = &bodies[i];
        *b = flying(i, 6 + 12 * (double)(i % 8), 6 + 12 * (double)(i / 8), 1 + 5 * dice_real(d),
                    60 * dice_real(d) - 30, 60 * dice_real(d) - 30);
        b->kinematic = i % 11 == 0;
        b->sensor = i % 13 == 3;
        b->angle = i % 3 == 0 ? dice_real(d) : 0;
        b->angular_velocity = i % 2 == 0 ? 40 * dice_real(d) - 20 : 0;
        b->friction = i % 4 == 0 ? (float)dice_real(d) : 0;
        b->own_friction = i % 5 == 1;
    }
    for (size_t i = 0; i < MANY; i++)
        world = added(world, bodies[backward ? MANY - 1 - i : i]);
    return obstructed_at(world, boxes_in(memory, pixels, 2), 0, 0);
}

START_TEST(worlds_with_friction_do_not_depend_on_order_memory_or_bytes)
{
    dice d = {test_seed(__func__) + (uint64_t)_i}, same = d;
    pqt_error error = {0};
    pqt_step_options options = falling(dice_real(&d), (double)(_i % 3) / 2);
    pqt_memory *other_arena = pqt_arena_make(0, &error);
    options.damping = _i % 2 == 0 ? 0 : 0.1;
    d = same;
    const pqt_world *world = random_world(&d, false, arena);
    const pqt_world *other = random_world(&same, true, other_arena);
    require(pqt_world_equals(world, other), "the order of insertion has an effect");
    for (int k = 0; k < 200; k++) {
        world = stepped(world, k % 50 == 0 ? 5 * DT : DT, &options);
        other = stepped(other, k % 50 == 0 ? 5 * DT : DT, &options);
        require(pqt_world_equals(world, other), "the order of insertion has an effect");
        if (k % 20 == 0) {
            expect_sound_world(world);
            other = written_and_read(other, other_arena);
            require(pqt_world_equals(world, other), "the bytes change the world");
        }
        if (k % 50 == 10) /* an edit while a pile settles */
            world = must_world(pqt_world_remove(world, (uint64_t)k, &error), &error),
            other = must_world(pqt_world_remove(other, (uint64_t)k, &error), &error);
        if (k == 100)
            options.friction *= 0.5;
    }
    const pqt_world *copy = must_world(pqt_world_copy(world, other_arena, &error), &error);
    require(pqt_world_equals(world, copy), "a copy differs");
    expect_sound_world(copy);
    pqt_arena_destroy(&other_arena);
}
END_TEST

START_TEST(a_recording_of_friction_is_repeated_bit_for_bit)
{
    dice d = {test_seed(__func__)};
    pqt_error error = {0};
    const pqt_step_options options = falling(0.4, 0.5);
    pqt_recording *recording = pqt_recording_make(
        random_world(&d, false, pqt_collector() != NULL ? pqt_collector() : arena), DT, &options,
        16, &error);
    require(recording != NULL, error.text);
    for (int i = 0; i < 100; i++)
        require(pqt_recording_step(recording, NULL, &error) != NULL, error.text);
    require(pqt_recording_verify(recording, NULL, &error), error.text);
    const pqt_world *then = pqt_recording_at(recording, 41, &error);
    require(then != NULL && pqt_fingerprint_equals(pqt_world_fingerprint(then),
                                                   pqt_recording_fingerprint(recording, 41)),
            "another past");
    pqt_recording_destroy(&recording);
}
END_TEST

static const pqt_world *
changed(const pqt_world *world, pqt_body body)
{
    pqt_error error = {0};
    return must_world(pqt_world_change(world, body, &error), &error);
}

START_TEST(angle_angular_velocity_and_friction_are_parts_of_the_value_of_a_world)
{
    const pqt_body plain = ball(1, 50, 50, 3);
    pqt_body bodies[4] = {plain, plain, plain, plain};
    bodies[1].angle = 1;
    bodies[2].angular_velocity = 1;
    bodies[3].friction = 1;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            const pqt_world *a = added(small_world(), bodies[i]),
                            *b = added(small_world(), bodies[k]);
            ck_assert_int_eq(pqt_world_equals(a, b), i == k);
            ck_assert_int_eq(
                pqt_fingerprint_equals(pqt_world_fingerprint(a), pqt_world_fingerprint(b)), i == k);
            ck_assert_int_eq(pqt_world_differs(a, b, NULL), i != k);
            require(pqt_world_equals(changed(a, bodies[k]), b), "a change is not the other body");
            require(pqt_world_equals(written_and_read(a, arena), a), "bytes lose a field");
            require((changed(a, bodies[k]) == a) == (i == k), "an equal body makes a version");
        }
}
END_TEST

START_TEST(spins_cost_nothing_until_a_body_turns_and_are_shared)
{
    pqt_error error = {0};
    const pqt_world *world = small_world();
    for (uint64_t i = 0; i < 64; i++)
        world = added(world, ball(i, 5 + 12 * (double)(i % 8), 5 + 12 * (double)(i / 8), 3));
    require(world->bodies.spins == NULL, "there are spins");
    const pqt_world *turned = changed(world, turning(body_of(world, 7), 1));
    ck_assert_uint_gt(pqt_world_get_stats(turned).bytes, pqt_world_get_stats(world).bytes);
    ck_assert_uint_le(pqt_world_get_stats(turned).bytes, pqt_world_get_stats(world).bytes + 1024);
    expect_sound_world(turned);
    const pqt_world *two = changed(turned, turning(body_of(world, 50), 1));
    size_t bytes = 0;
    require(pqt_world_exclusive_bytes(two, &turned, 1, &bytes, &error), error.text);
    ck_assert_uint_eq(bytes + pqt_world_shared_bytes(two, turned), pqt_world_get_stats(two).bytes);
    const pqt_world *back = changed(changed(two, body_of(world, 7)), body_of(world, 50));
    require(pqt_world_equals(back, world) && back->bodies.spins == NULL, "a spin is left behind");
    ck_assert_uint_eq(pqt_world_get_stats(back).bytes, pqt_world_get_stats(world).bytes);
    const pqt_query window = {.window = {{0, 0}, {30, 30}}, .relation = PQT_TOUCHES};
    const pqt_world *found = must_world(pqt_world_search(two, &window, &error), &error);
    expect_sound_world(found);
    require(found->bodies.spins == NULL, "the spins of bodies that are not there");
}
END_TEST

START_TEST(a_moment_between_two_versions_has_the_angle_between)
{
    pqt_error error = {0};
    pqt_body body;
    const pqt_world *before = added(small_world(), turning(ball(1, 50, 50, 3), 2));
    const pqt_world *after = stepped(before, 1, NULL);
    const pqt_moment moment = {before, after, 0.25};
    require(pqt_moment_find(&moment, 1, &body, &error), error.text);
    ck_assert_double_eq(body.angle, 0.5);
}
END_TEST

/* ---- Failing memories ---- */

static pqt_step_options
options_of_heap(void)
{
    pqt_step_options options = falling(0.4, 0.5);
    options.sleep_steps = 4;
    return options;
}

/* Returns a heap of rotating balls. Some of them may be asleep. */
static const pqt_world *
turning_heap(pqt_memory *memory)
{
    const pqt_step_options options = options_of_heap();
    return after_steps(heap_of(MANY, false, memory), 40, DT, &options);
}

START_TEST(each_failed_allocation_of_a_step_or_an_edit_of_turning_balls_is_handled)
{
    const pqt_step_options options = options_of_heap();
    const pqt_world *world = turning_heap(arena);
    const pqt_body ball = turning(body_of(world, 7), 3);
    pqt_error none = {0};
    const pqt_world *expected =
        _i == 0 ? stepped(world, DT, &options) : pqt_world_change(world, ball, &none);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_world *next = _i == 0 ? pqt_world_step(world, DT, &options, &error)
                                        : pqt_world_change(world, ball, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(pqt_world_equals(must_world(next, &error), expected), "the result differs");
            break;
        }
        failures++;
        require(next == NULL && error.status == PQT_ERROR_MEMORY, "a failure is not reported");
    }
    ck_assert_uint_gt(failures, _i == 0 ? 40 : 2);
    expect_sound_world(world);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_no_spin)
{
    pqt_memory *memory = pqt_collector();
    if (memory == NULL)
        return;
    const pqt_step_options options = options_of_heap();
    const pqt_world *world = turning_heap(memory), *same = turning_heap(arena);
    pqt_error error = {0};
    hooks watch = {.collect_every = 1, .memory = memory};
    hooks_start(&watch);
    world = after_steps(world, 3, DT, &options);
    world = pqt_world_change(world, turning(body_of(world, 7), 3), &error);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 50);
    same = after_steps(same, 3, DT, &options);
    same = pqt_world_change(same, turning(body_of(same, 7), 3), &error);
    require(pqt_world_equals(must_world(world, &error), must_world(same, &error)),
            "a collection changes a world");
    expect_sound_world(world);
}
END_TEST

/* ---- Refusals ---- */

static void
expect_refusal(pqt_body body, const char *text)
{
    pqt_error error = {0};
    require(pqt_world_add(small_world(), body, &error) == NULL, "a wrong body is added");
    ck_assert_int_eq(error.status, PQT_ERROR_BODY);
    ck_assert_str_eq(error.text, text);
    ck_assert(names_its_index(&error));
}

START_TEST(invalid_spins_and_frictions_are_refused)
{
    pqt_body body = ball(1, 50, 50, 2);
    body.angle = NAN;
    expect_refusal(body, "body 0: angle nan is not finite");
    body.angle = -0x1p201;
    expect_refusal(body, "body 0: angle -3.2138760885179806e+60 is beyond 2^200");
    body.angle = 0;
    body.angular_velocity = HUGE_VAL;
    expect_refusal(body, "body 0: angular_velocity inf is not finite");
    body.angular_velocity = 1;
    body.fixed = true;
    expect_refusal(body, "body 0: it is fixed but has an angular velocity");
    body = ball(1, 50, 50, 2);
    body.friction = -0.5F;
    expect_refusal(body, "body 0: friction -0.5 is negative");
    body.friction = NAN;
    expect_refusal(body, "body 0: friction nan is not finite");
}
END_TEST

START_TEST(an_invalid_friction_of_a_step_is_refused)
{
    const double wrong[] = {-1, NAN, HUGE_VAL, 0x1p201};
    const pqt_world *world = added(small_world(), ball(1, 50, 50, 2));
    for (int i = 0; i < 4; i++) {
        pqt_error error = {0};
        const pqt_step_options options = rubbing(wrong[i], 1);
        require(pqt_world_step(world, DT, &options, &error) == NULL, "a wrong friction");
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        require(strncmp(error.text, "friction is ", 12) == 0, error.text);
    }
}
END_TEST

START_TEST(a_spin_beyond_the_limit_is_an_error)
{
    pqt_error error = {0};
    const pqt_world *world = added(small_world(), turning(ball(9, 50, 50, 2), 0x1p200));
    require(pqt_world_step(world, 4, NULL, &error) == NULL, "a step beyond the limit");
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_str_eq(error.text, "body with id 9: its angle or angular velocity is beyond 2^200");
    error = (pqt_error){0};
    /* a tiny ball gets an enormous angular velocity */
    const pqt_step_options options = rubbing(1, 1);
    world = added(small_world(), flying(9, 50, 90, 0x1p-199, 0, 0));
    pqt_body tiny = flying(9, 50, 90, 0x1p-199, 1e9, 1e9);
    world = changed(world, tiny);
    require(pqt_world_step(world, 1, &options, &error) == NULL, "a step beyond the limit");
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("step_friction");
    TCase *tests = add_tests(suite, "turning");
    tcase_add_test(tests, a_ball_turns_at_its_angular_velocity);
    tcase_add_test(tests, a_fixed_body_keeps_its_angle_and_a_kinematic_one_turns);
    tcase_add_loop_test(tests, without_friction_no_contact_changes_a_spin, 0, 3);
    tests = add_tests(suite, "sliding");
    tcase_add_loop_test(
        tests, a_ball_that_slides_loses_mu_g_until_it_rolls_at_two_thirds_of_its_speed, 0, 2);
    tcase_add_test(tests, an_elastic_ball_on_the_floor_ends_up_rolling_too);
    tcase_add_loop_test(tests, a_ball_rolls_down_a_slope_or_slides_where_friction_is_too_small, 0,
                        2);
    tcase_add_test(tests, a_ball_rolls_along_pixels_and_down_them);
    tcase_add_loop_test(tests, a_pile_of_three_is_stable_by_friction_alone, 0, 3);
    tests = add_tests(suite, "bounces");
    tcase_add_test(tests, a_spinning_ball_that_bounces_exchanges_spin_for_speed);
    tcase_add_test(tests, a_rotating_wheel_accelerates_a_ball_that_hits_it);
    tcase_add_test(tests, a_hit_of_two_balls_conserves_momentum_and_angular_momentum);
    tcase_add_test(tests, a_row_of_touching_balls_with_friction_conserves_momentum);
    tcase_add_loop_test(tests, balls_that_rest_with_friction_in_free_fall_conserve_angular_momentum,
                        0, 4);
    tcase_add_test(tests, the_friction_of_two_surfaces_is_the_root_of_their_product);
    tcase_add_test(tests, an_own_friction_of_0_is_no_friction);
    tests = add_tests(suite, "rest");
    tcase_add_test(tests, a_ball_that_spins_does_not_sleep);
    tcase_add_test(tests, a_ball_sleeps_on_a_wheel_only_while_there_is_no_slip);
    tcase_add_loop_test(tests, a_pile_with_friction_comes_to_rest_within_the_bounds_of_coulomb, 0,
                        6);
    tcase_add_test(tests, a_step_carries_frictions_to_the_next_one);
    tcase_add_loop_test(tests, impulses_that_overflow_accelerate_no_ball, 0, 10);
    tcase_add_loop_test(tests, crowds_that_jam_gain_no_energy_by_friction, 0, CROWDS);
    tcase_add_loop_test(tests, no_mass_and_no_coefficient_lets_friction_add_energy, 0, CROWDS);
    tests = add_tests(suite, "values");
    tcase_add_loop_test(tests, worlds_with_friction_do_not_depend_on_order_memory_or_bytes, 0,
                        ROUNDS);
    tcase_add_test(tests, a_recording_of_friction_is_repeated_bit_for_bit);
    tcase_add_test(tests, angle_angular_velocity_and_friction_are_parts_of_the_value_of_a_world);
    tcase_add_test(tests, spins_cost_nothing_until_a_body_turns_and_are_shared);
    tcase_add_test(tests, a_moment_between_two_versions_has_the_angle_between);
    tests = add_tests(suite, "hostile");
    tcase_add_loop_test(
        tests, each_failed_allocation_of_a_step_or_an_edit_of_turning_balls_is_handled, 0, 2);
    tcase_add_test(tests, a_collection_at_each_allocation_loses_no_spin);
    tests = add_tests(suite, "refusals");
    tcase_add_test(tests, invalid_spins_and_frictions_are_refused);
    tcase_add_test(tests, an_invalid_friction_of_a_step_is_refused);
    tcase_add_test(tests, a_spin_beyond_the_limit_is_an_error);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
