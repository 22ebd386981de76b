/* SPDX-License-Identifier: MIT */
/* shim_world.c: the calls for worlds that only world.py has. */
#include "shim.h"

/* Pins the region of the obstacle, and sets its position; NULL without an error if there is
   none. */
pqt_pin *
pqtpy_world_obstacle(const pqt_pin *pin, double *at, pqt_error *error)
{
    const pqt_obstacle obstacle = pqt_world_get_obstacle(pqt_pin_get_world(pin));
    if (obstacle.region == NULL)
        return NULL;
    at[0] = obstacle.at.x;
    at[1] = obstacle.at.y;
    return pqt_region_pin(obstacle.region, error);
}

bool
pqtpy_world_is_obstructed(const pqt_pin *pin, double x, double y, double radius)
{
    return pqt_world_is_obstructed(pqt_pin_get_world(pin), (pqt_circle){{x, y}, radius});
}
