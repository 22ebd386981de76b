/* SPDX-License-Identifier: MIT */
/*
 * obstacle.c: sets, returns and compares the obstacle of a world.
 *
 * The obstacle is stored in a block of its own, which versions share until another obstacle is set.
 */
#include "config.h"

#include <pqt/obstacle.h>

#include <math.h>
#include <string.h>

#include <pqt/circle.h>
#include <pqt/region_overlap.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"
#include "tree/item_hash.h"
#include "world/obstacle_toi.h"
#include "world/rest_edit.h"
#include "world/world_internal.h"

/* ---- The block ---- */

static const pqti_obstacle *
make_obstacle(pqt_memory *memory, const pqti_obstacle *obstacle, pqt_error *error)
{
    static pqti_layout layout =
        PQTI_LAYOUT(sizeof(pqti_obstacle), PQTI_REFERENCES(offsetof(pqti_obstacle, region), 1));
    pqti_obstacle *made = pqti_alloc_node(memory, &layout);
    if (made == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *made = *obstacle;
    return made;
}

const pqti_obstacle *
pqti_obstacle_copy(const pqti_obstacle *obstacle, const pqt_region *region, pqt_memory *memory)
{
    pqti_obstacle copy = *obstacle;
    copy.region = region;
    return make_obstacle(memory, &copy, NULL);
}

bool
pqti_obstacle_equals(const pqti_obstacle *a, const pqti_obstacle *b)
{
    if (a == b || a == NULL || b == NULL)
        return a == b;
    return a->at.x == b->at.x && a->at.y == b->at.y && pqt_region_equals(a->region, b->region);
}

pqt_fingerprint
pqti_obstacle_fingerprint(const pqti_obstacle *obstacle)
{
    if (obstacle == NULL)
        return (pqt_fingerprint){0, 0};
    const pqt_fingerprint position = {pqti_bits_of(obstacle->at.x), pqti_bits_of(obstacle->at.y)};
    return pqt_fingerprint_combine(pqt_region_fingerprint(obstacle->region), position);
}

bool
pqti_obstacle_check(const pqti_obstacle *obstacle, const pqt_memory *memory, pqt_error *error)
{
    if (obstacle == NULL)
        return true;
    const pqt_pixel_box box = pqt_region_bounds(obstacle->region);
    if (memcmp(&box, &obstacle->box, sizeof box) == 0 &&
        pqt_region_memory(obstacle->region) == memory && pqt_region_count(obstacle->region) > 0)
        return pqt_region_check(obstacle->region, error);
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "the obstacle does not match its region");
    return false;
}

size_t
pqti_obstacle_shared_bytes(const pqti_obstacle *a, const pqti_obstacle *b)
{
    if (a == NULL || b == NULL)
        return 0;
    const size_t own = a == b ? pqti_block_size(pqt_region_memory(a->region), a, sizeof *a) : 0;
    return own + pqt_region_shared_bytes(a->region, b->region);
}

/* ---- Set ---- */

/* Returns true if a coordinate is in range. Otherwise, and for NaN, returns false and sets an
 * error. */
static bool
validate_coordinate(double value, const char *what, const char *name, pqt_error *error)
{
    if (value >= -PQT_PIXEL_LIMIT && value <= PQT_PIXEL_LIMIT)
        return true;
    pqti_error_set(error, PQT_ERROR_LIMIT, 0, "%s: at.%s is %s, not within %d of 0", what, name,
                   pqti_format_double(value).text, PQT_PIXEL_LIMIT);
    return false;
}

bool
pqti_validate_region_offset(pqt_vec at, const char *what, pqt_error *error)
{
    return validate_coordinate(at.x, what, "x", error) &&
           validate_coordinate(at.y, what, "y", error);
}

static bool
validate_obstacle(const pqt_world *world, pqt_obstacle obstacle, pqt_error *error)
{
    if (!pqti_validate_region_offset(obstacle.at, "obstacle", error))
        return false;
    if (pqt_region_memory(obstacle.region) == pqti_world_memory(world))
        return true;
    pqti_error_set(error, PQT_ERROR_MISMATCH, 0,
                   "obstacle: the region is not in the memory of the world");
    return false;
}

/* Rounds a coordinate to a multiple of 1/1024, halves up. */
static double
round_coordinate(double value)
{
    const double steps = value * PQT_SUBPIXELS, below = floor(steps);
    return (steps - below >= 0.5 ? below + 1 : below + 0.0) / PQT_SUBPIXELS;
}

pqt_vec
pqti_round_to_subpixel(pqt_vec at)
{
    return (pqt_vec){round_coordinate(at.x), round_coordinate(at.y)};
}

/* Stores the block of an obstacle in *made, or NULL if the obstacle has no pixel. Returns false
 * when out of memory. */
static bool
make_obstacle_block(const pqt_world *world, pqt_obstacle obstacle, const pqti_obstacle **made,
                    pqt_error *error)
{
    *made = NULL;
    if (pqt_region_count(obstacle.region) == 0)
        return true;
    const pqti_obstacle rounded = {.region = obstacle.region,
                                   .at = pqti_round_to_subpixel(obstacle.at),
                                   .box = pqt_region_bounds(obstacle.region)};
    if (pqti_obstacle_equals(&rounded, world->obstacle)) {
        *made = world->obstacle;
        return true;
    }
    *made = make_obstacle(pqti_world_memory(world), &rounded, error);
    return *made != NULL;
}

const pqt_world *
pqt_world_set_obstacle(const pqt_world *world, pqt_obstacle obstacle, pqt_error *error)
{
    const pqti_obstacle *made;
    if (!pqti_world_check_input(world, error) || !pqti_region_check_input(obstacle.region, error) ||
        !validate_obstacle(world, obstacle, error) ||
        !make_obstacle_block(world, obstacle, &made, error))
        return NULL;
    if (made == world->obstacle)
        return world;
    pqt_world next = *world;
    next.obstacle = made;
    next.events = NULL;
    if (pqti_rest_after_edit(world, &(pqti_rest_edit){.is_of_obstacle = true}, &next.rest))
        return pqti_world_make(&next, error);
    pqti_out_of_memory(error);
    return NULL;
}

/* ---- Queries ---- */

pqt_obstacle
pqt_world_get_obstacle(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    if (world->obstacle == NULL)
        return (pqt_obstacle){NULL, {0, 0}};
    return (pqt_obstacle){world->obstacle->region, world->obstacle->at};
}

bool
pqt_world_is_obstructed(const pqt_world *world, pqt_circle circle)
{
    PQTI_ASSERT_WORLD(world);
    if (world->obstacle == NULL || !pqt_circle_is_valid(circle))
        return false;
    const pqti_obstacle *obstacle = world->obstacle;
    const pqti_obstacle_view view =
        pqti_obstacle_view_of(obstacle->region, obstacle->at, &obstacle->box);
    return pqti_obstacle_view_overlaps(&view, circle.centre, circle.radius);
}
