/* SPDX-License-Identifier: MIT */
/*
 * ball.h: a body during a step, and the time of impact of two such bodies.
 *
 * A ball stores its position at its last event and moves in a straight line from there. Its
 * position at a later time is computed by one product and one sum, so rounding errors do not add up
 * between events.
 */
#ifndef PQTI_BALL_H
#define PQTI_BALL_H

#include <math.h>

#include "base/fp.h"
#include "world/bodymap.h"

/* The max_depth of the trees of a step and of a world. See docs/world.md, "Neighbours". */
enum { PQTI_WORLD_DEPTH = 24 };

#define PQTI_NEVER_EVENT HUGE_VAL
#define PQTI_NO_EDGE UINT32_MAX
#define PQTI_NO_SLEEPER UINT32_MAX

/* Events closer together than this fraction of a step happen at one instant. See docs/world.md,
 * "Contacts". */
#define PQTI_INSTANT 0x1p-40

/* A vector whose squared length is below this has no direction. See docs/world.md, "Ranges". */
#define PQTI_NO_LENGTH 0x1p-900

/* A push stops short of the shape that it would touch, by this fraction of its length. See
 * docs/world.md, "Separation". */
#define PQTI_PUSH_MARGIN 0x1p-30

/* Two balls that rest on each other may overlap by this fraction of the smaller radius. See
 * docs/world.md, "Rest". */
#define PQTI_REST_OVERLAP 0x1p-4

/* They may overlap by more if they approach no faster than the sum of their creep speeds. At its
 * creep speed, a ball moves by this fraction of `rest_gap` in a step. See docs/world.md, "Rest". */
#define PQTI_CREEP_FRACTION 0x1p-4

/* Kinematic balls make balls that they crush no faster than this multiple of their own speed. See
 * docs/world.md, "Crushing". */
#define PQTI_CRUSHED_SPEED 4.0

typedef struct pqti_ball {
    pqt_vec position, velocity; /* its position and velocity at `time` */
    double time;                /* the time of the last event, 0 .. dt */
    double radius, mass;
    uint64_t id;
    uint32_t stamp;        /* changes with each event and so invalidates earlier predictions */
    uint32_t events;       /* number of its contacts since `since` or since its last cluster */
    uint32_t clusters;     /* number of clusters that it caused in this step */
    uint32_t mark;         /* see cluster.c */
    uint32_t edge;         /* first edge of its neighbour list (broadphase.h), or PQTI_NO_EDGE */
    uint32_t rank;         /* index among all balls in key order (bodymap.h) */
    bool is_static;        /* fixed, kinematic, asleep or embedded: nothing changes its velocity */
    bool is_delayed;       /* it stays where it is for the rest of the step */
    bool is_resting;       /* it rested on something when the step began */
    bool overlaps;         /* it overlapped another ball when the step began */
    bool is_fixed;         /* its body is fixed or kinematic */
    bool is_kinematic;     /* its body is kinematic and moves */
    bool is_sensor;        /* its body is a sensor */
    bool is_touched;       /* it is asleep, and something touched it */
    bool falls_asleep;     /* it falls asleep at the end of the step */
    bool is_crushed;       /* it was in a cluster that kinematic balls crush (cluster.h) */
    uint32_t sleeper;      /* index among the sleeping bodies (rest_state.h), or PQTI_NO_SLEEPER */
    uint64_t quiet;        /* number of steps for which it has been quiet */
    double horizon;        /* time up to which its swept box is valid (broadphase.h) */
    pqt_box centre_bounds; /* the box of positions allowed by the walls */
    pqt_vec start;         /* position when the step began */
    pqt_vec withheld;      /* motion up to `time` that rounding of the position has withheld */
    uint32_t category;     /* see pqt_body */
    uint32_t mask;
    uint64_t static_hash; /* hash of its body's static state (bodymap.h) */
    double since;         /* time from which `events` are counted */
    double pushed;        /* time of the last hit by a kinematic ball, or -HUGE_VAL */
    pqt_vec held;         /* velocity that a delayed ball keeps; its `velocity` is 0 */
    double unearned;      /* work per mass of its acceleration on the motion that it did not make
                             while it was delayed */
    double rest_gap;      /* its half of the largest gap between balls that rest on each other */
    double rest_speed;    /* its half of the largest speed of contacts that rest; 0: none rest */
    double creep_speed;   /* see PQTI_CREEP_FRACTION */
    double angle, spin;   /* its angle and angular velocity at `time`, in radians and radians/s */
    double friction;      /* coefficient of friction of its surface */
    pqt_vec acceleration; /* the sum of its own acceleration and gravity */
    double wall_friction; /* coefficient of friction against walls and the obstacle */
} pqti_ball;

/* Records that something touches a ball, which wakes it if it is asleep. */
static inline void
pqti_ball_touch(pqti_ball *ball)
{
    ball->is_touched = ball->is_touched || ball->sleeper != PQTI_NO_SLEEPER;
}

static inline double
pqti_dot(pqt_vec a, pqt_vec b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double
pqti_clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Returns the coefficient of friction between two balls. */
static inline double
pqti_ball_friction(const pqti_ball *a, const pqti_ball *b)
{
    const double product = a->friction * b->friction;
    return product > 0 ? sqrt(product) : 0;
}

/* Returns the larger absolute component of a vector. */
static inline double
pqti_largest_component(pqt_vec v)
{
    return pqti_fmax(pqti_fabs(v.x), pqti_fabs(v.y));
}

/* Returns the larger absolute component of the velocity. */
static inline double
pqti_ball_speed(const pqti_ball *ball)
{
    return pqti_largest_component(ball->velocity);
}

/* Returns the speed of a ball or, if that is greater and it has friction, of its surface as it
 * turns. */
static inline double
pqti_surface_speed(const pqti_ball *ball)
{
    const double rim = ball->friction > 0 ? pqti_fabs(ball->spin) * ball->radius : 0;
    return pqti_fmax(sqrt(pqti_dot(ball->velocity, ball->velocity)), rim);
}

/* Returns true if the masks of two balls let them meet. Ignores whether they are fixed or
 * sensors. */
static inline bool
pqti_masks_meet(const pqti_ball *a, const pqti_ball *b)
{
    return pqti_categories_meet(a->category, a->mask, b->category, b->mask);
}

/* Returns true if two balls meet, so that they do not pass through each other. */
static inline bool
pqti_balls_meet(const pqti_ball *a, const pqti_ball *b)
{
    return pqti_masks_meet(a, b) && !(a->is_fixed && b->is_fixed) && !a->is_sensor && !b->is_sensor;
}

/* Returns the position of a ball that has moved from `position` at a constant velocity for
 * `time`. */
static inline pqt_vec
pqti_ball_moved_by(const pqti_ball *ball, pqt_vec position, pqt_vec velocity, double span)
{
    return (pqt_vec){pqti_clamp(position.x + velocity.x * span, ball->centre_bounds.min.x,
                                ball->centre_bounds.max.x),
                     pqti_clamp(position.y + velocity.y * span, ball->centre_bounds.min.y,
                                ball->centre_bounds.max.y)};
}

/* Returns the position of a ball at a time no earlier than its last event. */
static inline pqt_vec
pqti_ball_at(const pqti_ball *ball, double time)
{
    return pqti_ball_moved_by(ball, ball->position, ball->velocity, time - ball->time);
}

/*
 * Returns the time at which a point that moves from `offset` with velocity `velocity` hits a circle
 * of the given radius around 0, in the time unit of the velocity. Returns 0 if the point is inside
 * and approaches, and PQTI_NEVER_EVENT if it never hits the circle.
 *
 * With the offset d and the velocity w, the point is at d + w t at time t. Its distance from 0
 * equals the radius if (w.w) t^2 + 2 (d.w) t + d.d - radius^2 = 0. The first solution is
 *
 *     t = (d.d - radius^2) / (-d.w + sqrt((w.w) radius^2 - (d x w)^2))
 *
 * Both terms of the denominator are positive, so nothing cancels. The cross product gives the
 * distance at which the point passes 0 with the relative error of a product. The usual discriminant
 * would give it with an error relative to the squared distances.
 */
static inline double
pqti_ray_circle(pqt_vec offset, pqt_vec velocity, double radius)
{
    double approach = -pqti_dot(offset, velocity);
    if (!(approach > 0))
        return PQTI_NEVER_EVENT;
    double gap = pqti_dot(offset, offset) - radius * radius;
    if (gap <= 0)
        return 0;
    double miss = offset.x * velocity.y - offset.y * velocity.x;
    double under_root = pqti_dot(velocity, velocity) * (radius * radius) - miss * miss;
    if (!(under_root > 0))
        return PQTI_NEVER_EVENT;
    return gap / (approach + sqrt(under_root));
}

/* Returns the fraction of a change of relative velocity that a ball receives: the mass of the other
 * ball divided by the mass of both. */
static inline double
pqti_ball_fraction(const pqti_ball *ball, const pqti_ball *other)
{
    if (ball->is_static)
        return 0;
    return other->is_static ? 1 : other->mass / (ball->mass + other->mass);
}

/* Returns the rest speed of two balls: the largest speed of approach at which they rest on each
 * other. For a ball and a wall, pass the ball twice. */
static inline double
pqti_rest_speed(const pqti_ball *a, const pqti_ball *b)
{
    return a->rest_speed + b->rest_speed;
}

/* Returns the greatest overlap that two balls may have while they rest on each other. */
static inline double
pqti_rest_overlap(const pqti_ball *a, const pqti_ball *b)
{
    return pqti_rest_speed(a, b) > 0 ? PQTI_REST_OVERLAP * pqti_fmin(a->radius, b->radius) : 0;
}

/* Returns true if a point that moves as in pqti_ray_circle hits the circle no faster than `speed`.
 * If the point is inside, returns true if it approaches the centre no faster than that. */
static inline bool
pqti_hits_slowly(pqt_vec offset, pqt_vec velocity, double radius, double speed)
{
    const double square = pqti_dot(offset, offset), approach = -pqti_dot(offset, velocity);
    if (square <= radius * radius)
        return approach <= 0 || approach * approach <= speed * speed * square;
    const double miss = offset.x * velocity.y - offset.y * velocity.x;
    return (pqti_dot(velocity, velocity) - speed * speed) * (radius * radius) <= miss * miss;
}

/* Returns the time at which two balls hit each other if nothing else happens. Two balls of radius 0
 * never do. Balls that approach slowly hit each other only when they overlap as far as resting
 * balls may: the next step solves their contact. */
static inline double
pqti_ball_toi(const pqti_ball *a, const pqti_ball *b)
{
    double radius = a->radius + b->radius;
    double from = pqti_fmax(a->time, b->time);
    pqt_vec at_a = pqti_ball_at(a, from), at_b = pqti_ball_at(b, from);
    pqt_vec d = {at_b.x - at_a.x, at_b.y - at_a.y};
    pqt_vec w = {b->velocity.x - a->velocity.x, b->velocity.y - a->velocity.y};
    if (!(radius > 0))
        return PQTI_NEVER_EVENT;
    const double time = pqti_ray_circle(d, w, radius), rest_speed = pqti_rest_speed(a, b);
    if (rest_speed == 0 || time == PQTI_NEVER_EVENT || !pqti_hits_slowly(d, w, radius, rest_speed))
        return from + time;
    radius -= pqti_rest_overlap(a, b);
    if (pqti_hits_slowly(d, w, radius, a->creep_speed + b->creep_speed))
        return PQTI_NEVER_EVENT;
    return from + pqti_ray_circle(d, w, radius);
}

/* Returns the depth by which two balls at offset `offset` overlap. Returns 0 if it is no more than
 * rounding and creep may cause. */
static inline double
pqti_ball_depth(const pqti_ball *a, const pqti_ball *b, pqt_vec offset)
{
    double radius = a->radius + b->radius, square = pqti_dot(offset, offset);
    if (!(square < radius * radius))
        return 0;
    double size = pqti_fmax(pqti_fmax(pqti_fabs(a->position.x), pqti_fabs(a->position.y)),
                            pqti_fmax(pqti_fabs(b->position.x), pqti_fabs(b->position.y)));
    double slack =
        0x1p-36 * pqti_fmin(a->radius, b->radius) + 0x1p-50 * size + 4 * pqti_rest_overlap(a, b);
    double depth = radius - sqrt(square);
    return depth > slack ? depth : 0;
}

#endif
