/* SPDX-License-Identifier: MIT */
/**
 * @file obstacle.h - pixels in a world, off which its bodies bounce.
 *
 * A version of a world may hold a region, put at a place: ground, rocks, a maze. It belongs to the
 * version as the bodies do. Undo brings it back, a copy takes it along, worlds with other obstacles
 * are not equal, and each step takes it over; so a crater is pqt_region_paint and
 * pqt_world_set_obstacle, and shares all else.
 *
 *     const pqt_region *ground = pqt_png_read(file, NULL, NULL, &error);
 *     world = pqt_world_set_obstacle(world, (pqt_obstacle){ground, {0, 0}}, &error);
 *     world = pqt_world_step(world, dt, &options, &error);
 *
 * A pixel is one world unit wide. A body overlaps the obstacle if its ball overlaps the box of any
 * pixel (pqt_circle_overlaps_box), decided on the very doubles of its place: the obstacle alone is
 * put on whole 1/1024 pixels. Smaller balls than that, and points, keep 1/1024 pixel away from
 * pixels, as if they had this radius: so nothing slips through where two pixels meet at a corner.
 *
 * What a step does about it stands at pqt_world_step.
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
    const pqt_region *region; /**< in the world's memory; NULL where a world has none */
    pqt_vec at; /**< where its pixel 0, 0 begins, world units; within PQT_PIXEL_LIMIT of 0 */
} pqt_obstacle;

/**
 * Gives a world an obstacle in place of the one that it has, if any.
 *
 * Bodies may overlap it: fixed ones stay, the steps bring the others out. A region without pixels
 * is none, so that of pqt_region_make takes the obstacle away.
 *
 * @param world     any version; NULL passes an earlier failure on
 * @param obstacle  its region as well: NULL passes an earlier failure on; `at` is rounded to 1/1024
 *                  pixel, halves to the right and down
 * @param error     told why on failure; may be NULL; an error already in it is kept
 * @return          the new version; `world` itself if it has this very obstacle; NULL on failure
 *
 * @error PQT_ERROR_LIMIT `at` is NaN, infinite, or farther than PQT_PIXEL_LIMIT from 0 on an axis
 * @error PQT_ERROR_MISMATCH  the region lives in another memory; see pqt_region_copy
 * @error PQT_ERROR_MEMORY    no memory; `world` still stands
 * @cost    that of pqt_region_bounds; all else is shared
 * @thread  any number at once on one version
 * @since   0.1
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_world_set_obstacle(const pqt_world *world, pqt_obstacle obstacle, pqt_error *error);

/** The obstacle of a version, its place rounded; the region lives as long as the version.
    @cost O(1) @since 0.1 */
PQT_API pqt_obstacle pqt_world_get_obstacle(const pqt_world *world);

/**
 * Whether a ball there would overlap the obstacle: after a step no moving body does that did not
 * before.
 *
 * @param circle  world units; one that is not valid overlaps nothing
 * @return        false without an obstacle
 * @cost    that of pqt_region_overlaps_circle
 * @thread  any number at once
 * @since   0.1
 */
PQT_API bool pqt_world_is_obstructed(const pqt_world *world, pqt_circle circle);

PQT_END_DECLARATIONS

#endif
