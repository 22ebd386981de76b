/* SPDX-License-Identifier: MIT */
/*
 * balls_box2d.cpp: the world of Box2D 2.4 as a contestant.
 *
 * Box2D is tuned for bodies of 0.1 to 10 metres that move at most two metres per step, so all
 * lengths are divided by ten.
 */
#include "balls.h"

#include <box2d/box2d.h>
#include <cstddef>
#include <vector>

namespace
{

const double SCALE = 0.1, THICKNESS = 20;

struct contestant {
    double restitution = 1;
    b2World world{b2Vec2(0, 0)};
    std::vector<b2Body *> bodies;
    std::vector<double> radii;
};

b2Vec2
scaled(pqt_vec v)
{
    return b2Vec2(static_cast<float>(v.x * SCALE), static_cast<float>(v.y * SCALE));
}

b2FixtureDef
fixture_of(const contestant *c, const b2Shape *shape)
{
    b2FixtureDef fixture;
    fixture.shape = shape;
    fixture.density = 1;
    fixture.friction = 0;
    fixture.restitution = static_cast<float>(c->restitution);
    if (c->restitution == 1)
        fixture.restitutionThreshold = 0;
    return fixture;
}

void
add_wall(const contestant *c, b2Body *ground, pqt_vec min, pqt_vec max)
{
    const b2Vec2 half = scaled({(max.x - min.x) / 2, (max.y - min.y) / 2});
    b2PolygonShape wall;
    wall.SetAsBox(half.x, half.y, scaled({(min.x + max.x) / 2, (min.y + max.y) / 2}), 0);
    const b2FixtureDef fixture = fixture_of(c, &wall);
    ground->CreateFixture(&fixture);
}

/* Adds the walls. They are thick, so that a ball that enters one during a step is pushed back
   out. */
void
add_walls(contestant *c, pqt_vec size)
{
    const double t = THICKNESS;
    b2BodyDef body;
    b2Body *ground = c->world.CreateBody(&body);
    add_wall(c, ground, {-t, -t}, {0, size.y + t});
    add_wall(c, ground, {size.x, -t}, {size.x + t, size.y + t});
    add_wall(c, ground, {-t, -t}, {size.x + t, 0});
    add_wall(c, ground, {-t, size.y}, {size.x + t, size.y + t});
}

void
add_ball(contestant *c, const flying_ball &ball)
{
    b2CircleShape circle;
    circle.m_radius = static_cast<float>(ball.radius * SCALE);
    b2BodyDef body;
    body.type = b2_dynamicBody;
    body.position = scaled(ball.position);
    body.linearVelocity = scaled(ball.velocity);
    const b2FixtureDef fixture = fixture_of(c, &circle);
    b2Body *made = c->world.CreateBody(&body);
    made->CreateFixture(&fixture);
    c->bodies.push_back(made);
    c->radii.push_back(ball.radius);
}

void *
make(const flying_ball *balls, std::size_t count, const ball_setting *setting)
{
    contestant *c = new contestant;
    c->restitution = setting->restitution;
    c->world.SetAllowSleeping(setting->sleeps);
    c->world.SetGravity(scaled({0, setting->gravity}));
    add_walls(c, setting->size);
    for (std::size_t i = 0; i < count; i++)
        add_ball(c, balls[i]);
    return c;
}

void *
make_discrete(const flying_ball *balls, std::size_t count, const ball_setting *setting)
{
    contestant *c = static_cast<contestant *>(make(balls, count, setting));
    c->world.SetContinuousPhysics(false);
    return c;
}

/* Runs a step with the iteration counts that the manual of Box2D suggests. */
bool
step(void *state)
{
    static_cast<contestant *>(state)->world.Step(static_cast<float>(BALL_STEP), 8, 3);
    return true;
}

void
look(const void *state, flying_ball *balls)
{
    const contestant *c = static_cast<const contestant *>(state);
    for (std::size_t i = 0; i < c->bodies.size(); i++) {
        const b2Vec2 place = c->bodies[i]->GetPosition();
        const b2Vec2 velocity = c->bodies[i]->GetLinearVelocity();
        balls[i] = {{place.x / SCALE, place.y / SCALE},
                    {velocity.x / SCALE, velocity.y / SCALE},
                    c->radii[i]};
    }
}

void
free_all(void *state)
{
    delete static_cast<contestant *>(state);
}

} // namespace

const simulator simulator_box2d = {
    "box2d", "b2World, 8 and 3 iterations, at 1/10 of the size; in place",
    make,    step,
    look,    nullptr,
    nullptr, free_all,
};
const simulator simulator_box2d_discrete = {
    "box2d-discrete",
    "the same without continuous collisions at the walls; in place",
    make_discrete,
    step,
    look,
    nullptr,
    nullptr,
    free_all,
};
