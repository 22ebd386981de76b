/* SPDX-License-Identifier: MIT */
/**
 * @file obstacle.h - obstacles: pixel regions that the bodies of a world bounce off.
 *
 * A version of a world may contain a region at a position: ground, rocks, a maze. The obstacle
 * belongs to the version, just as the bodies do: undo restores it, a copy contains it, worlds with
 * different obstacles are not equal, and each step keeps it. So making a crater takes one call of
 * pqt_region_paint and one of pqt_world_set_obstacle, and the new version shares everything else.
 *
 *     const pqt_region *ground = pqt_png_read(file, NULL, NULL, &error);
 *     world = pqt_world_set_obstacle(world, (pqt_obstacle){ground, {0, 0}}, &error);
 *     world = pqt_world_step(world, dt, &options, &error);
 *
 * A pixel is one world unit wide. A body overlaps the obstacle if its ball overlaps the box of any
 * pixel (pqt_circle_overlaps_box). The test uses the exact position of the body; only the position
 * of the obstacle is rounded, to 1/1024 pixel. Balls with a radius below 1/1024 pixel, and points,
 * keep a distance of 1/1024 pixel from pixels, as if they had this radius, so that nothing slips
 * through where two pixels meet at a corner.
 *
 * docs/world.md, "The obstacle", describes how bodies bounce off an obstacle, and how those that
 * overlap it leave it.
 */
#ifndef PQT_OBSTACLE_H
#define PQT_OBSTACLE_H

#include <stdbool.h>

#include <pqt/circle.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/region.h>
#include <pqt/vec.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** A region in a world. */
typedef struct pqt_obstacle {
    const pqt_region *region; /**< in the world's memory; NULL if a world has no obstacle */
    /** the position of the upper left corner of its pixel 0, 0, world units; within
        PQT_PIXEL_LIMIT of 0 */
    pqt_vec at;
} pqt_obstacle;

/**
 * Sets the obstacle of a world, or replaces it.
 *
 * Bodies may overlap it: fixed bodies do not move, and the steps move the others out. A region
 * without pixels is not an obstacle, so setting the region of pqt_region_make removes the obstacle.
 *
 * @param world     any version
 * @param obstacle  the region, NULL if an earlier call failed, and its position; `at` is rounded to
 *                  1/1024 pixel, halves to the right and down
 * @return          the new version; `world` itself if it already has this obstacle; NULL on failure
 *
 * @error PQT_ERROR_LIMIT     `at` is NaN, infinite, or farther than PQT_PIXEL_LIMIT from 0 on an
 *                            axis
 * @error PQT_ERROR_MISMATCH  the region is in another memory; see pqt_region_copy
 * @error PQT_ERROR_MEMORY    out of memory; `world` is unchanged
 * @cost    as pqt_region_bounds; everything else is shared
 * @thread  any number at once on one version
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_set_obstacle(const pqt_world *world, pqt_obstacle obstacle, pqt_error *error);

/**
 * Returns the obstacle of a world.
 *
 * @param world  any version
 * @return       the obstacle, its position rounded; the region lives as long as the version; a NULL
 *               region if the world has none
 * @cost  O(1)
 */
PQT_API pqt_obstacle pqt_world_get_obstacle(const pqt_world *world);

/**
 * Returns whether a ball would overlap the obstacle. A body that does not overlap it before a step
 * does not overlap it afterwards. Only kinematic bodies do, since they pass through it.
 *
 * @param world   any version
 * @param circle  world units; an invalid circle overlaps nothing
 * @return        true if it would; false without an obstacle
 * @cost    as pqt_region_overlaps_circle
 * @thread  any number at once
 */
PQT_API bool pqt_world_is_obstructed(const pqt_world *world, pqt_circle circle);

PQT_END_DECLARATIONS

#endif
