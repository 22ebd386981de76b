/* SPDX-License-Identifier: MIT */
/* obstacle_support.h: functions for tests of obstacles in worlds: pixels with balls around them. */
#ifndef TEST_OBSTACLE_SUPPORT_H
#define TEST_OBSTACLE_SUPPORT_H

#include <pqt/circle.h>
#include <pqt/obstacle.h>
#include <pqt/region_sweep.h>

#include "step_support.h"

static inline pqt_pixel_box
pixels(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}};
}

static inline const pqt_region *
must_region(const pqt_region *region, const pqt_error *error)
{
    require(region != NULL && error->status == PQT_OK, error->text);
    return region;
}

static inline const pqt_region *
boxes_in(pqt_memory *memory, const pqt_pixel_box *boxes, size_t count)
{
    pqt_error error = {0};
    return must_region(pqt_region_of_boxes(boxes, count, memory, &error), &error);
}

static inline const pqt_world *
obstructed_at(const pqt_world *world, const pqt_region *region, double x, double y)
{
    pqt_error error = {0};
    return must_world(pqt_world_set_obstacle(world, (pqt_obstacle){region, {x, y}}, &error),
                      &error);
}

/* Returns the world with an obstacle of these boxes of pixels at the origin. */
static inline const pqt_world *
obstructed(const pqt_world *world, const pqt_pixel_box *boxes, size_t count)
{
    return obstructed_at(world, boxes_in(pqt_world_memory(world), boxes, count), 0, 0);
}

static inline pqt_circle
circle_of(const pqt_body *body)
{
    return (pqt_circle){body->position, body->radius};
}

/* Expects that no movable body is in the pixels. */
static inline void
expect_nobody_inside(const pqt_world *world, const pqt_body *bodies, size_t count)
{
    for (size_t i = 0; i < count; i++)
        require(bodies[i].fixed || !pqt_world_is_obstructed(world, circle_of(&bodies[i])),
                "a body is in the pixels");
}

/* Returns the depth of a body in the pixels: the shortest distance along an axis to a free
 * position. */
static inline double
depth_in(const pqt_world *world, const pqt_body *body)
{
    const pqt_obstacle obstacle = pqt_world_get_obstacle(world);
    const pqt_mover mover = pqt_mover_circle(body->radius, body->position, body->position);
    const pqt_region_sweep sweep = pqt_region_sweep_mover(
        mover, (pqt_region_mover){obstacle.region, obstacle.at, obstacle.at}, NULL);
    return fabs(sweep.push_out.x) + fabs(sweep.push_out.y);
}

#endif
