/* SPDX-License-Identifier: MIT */
/* balls_chipmunk.c: Chipmunk's space as a contestant, with each of its spatial indexes. */
#include "balls.h"

#include <math.h>
#include <stdlib.h>

#include <chipmunk/chipmunk.h>

typedef struct cell {
    double elasticity;
    cpSpace *space;
    cpBody **bodies;
    cpShape **shapes; /* first those of the balls, then those of the walls */
    size_t count;
} cell;

enum { WALLS = 4, THICKNESS = 20 };

static void
keep_shape(cell *c, size_t at, cpShape *shape)
{
    cpShapeSetElasticity(shape, c->elasticity);
    cpShapeSetFriction(shape, 0);
    c->shapes[at] = cpSpaceAddShape(c->space, shape);
}

/* Adds the walls. They are thick, so that a ball that enters one during a step is pushed back
   out. */
static void
add_walls(cell *c, pqt_vec size)
{
    const double t = THICKNESS;
    const cpBB walls[WALLS] = {
        cpBBNew(-t, -t, 0, size.y + t), cpBBNew(size.x, -t, size.x + t, size.y + t),
        cpBBNew(-t, -t, size.x + t, 0), cpBBNew(-t, size.y, size.x + t, size.y + t)};
    cpBody *ground = cpSpaceGetStaticBody(c->space);
    for (size_t i = 0; i < WALLS; i++)
        keep_shape(c, c->count + i, cpBoxShapeNew2(ground, walls[i], 0));
}

static void
add_ball(cell *c, size_t i, const flying_ball *ball)
{
    const double mass = 3.14159265358979323846 * ball->radius * ball->radius;
    cpBody *body = cpBodyNew(mass, cpMomentForCircle(mass, 0, ball->radius, cpvzero));
    cpBodySetPosition(body, cpv(ball->position.x, ball->position.y));
    cpBodySetVelocity(body, cpv(ball->velocity.x, ball->velocity.y));
    c->bodies[i] = cpSpaceAddBody(c->space, body);
    keep_shape(c, i, cpCircleShapeNew(body, ball->radius, cpvzero));
}

static void *
make_space(const flying_ball *balls, size_t count, const ball_setting *setting)
{
    cell *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    /* Chipmunk multiplies the elasticities of two shapes. */
    *c = (cell){sqrt(setting->restitution), cpSpaceNew(), calloc(count, sizeof *c->bodies),
                calloc(count + WALLS, sizeof(cpShape *)), count};
    if (c->bodies == NULL || c->shapes == NULL)
        return NULL;
    cpSpaceSetGravity(c->space, cpv(0, setting->gravity));
    if (setting->sleeps)
        cpSpaceSetSleepTimeThreshold(c->space, 0.5);
    add_walls(c, setting->size);
    for (size_t i = 0; i < count; i++)
        add_ball(c, i, &balls[i]);
    return c;
}

/* Uses the spatial hash. Chipmunk's manual recommends cells the size of the objects, and ten times
 * as many cells as objects. */
static void *
make_hashed_space(const flying_ball *balls, size_t count, const ball_setting *setting)
{
    cell *c = make_space(balls, count, setting);
    if (c != NULL)
        cpSpaceUseSpatialHash(c->space, 8, (int)count * 10);
    return c;
}

static bool
step_space(void *state)
{
    cpSpaceStep(((cell *)state)->space, BALL_STEP);
    return true;
}

static void
look_at_space(const void *state, flying_ball *balls)
{
    const cell *c = state;
    for (size_t i = 0; i < c->count; i++) {
        cpVect p = cpBodyGetPosition(c->bodies[i]), v = cpBodyGetVelocity(c->bodies[i]);
        balls[i].position = (pqt_vec){p.x, p.y};
        balls[i].velocity = (pqt_vec){v.x, v.y};
        balls[i].radius = cpCircleShapeGetRadius(c->shapes[i]);
    }
}

static void
free_space(void *state)
{
    cell *c = state;
    for (size_t i = 0; i < c->count + WALLS; i++) {
        cpSpaceRemoveShape(c->space, c->shapes[i]);
        cpShapeFree(c->shapes[i]);
    }
    for (size_t i = 0; i < c->count; i++) {
        cpSpaceRemoveBody(c->space, c->bodies[i]);
        cpBodyFree(c->bodies[i]);
    }
    cpSpaceFree(c->space);
    free(c->bodies);
    free(c->shapes);
    free(c);
}

const simulator simulator_chipmunk_tree = {
    "chipmunk-tree",
    "Chipmunk's space as it is, with its tree; in place",
    make_space,
    step_space,
    look_at_space,
    NULL,
    NULL,
    free_space,
};
const simulator simulator_chipmunk_hash = {
    "chipmunk-hash",
    "the same with its spatial hash; in place",
    make_hashed_space,
    step_space,
    look_at_space,
    NULL,
    NULL,
    free_space,
};
