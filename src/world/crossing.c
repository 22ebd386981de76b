/* SPDX-License-Identifier: MIT */
/* crossing.c: finds the bodies that entered or left a zone between two versions. */
#include "config.h"

#include <pqt/crossing.h>

#include <stdlib.h>

#include <pqt/circle.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/validate.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"
#include "world/obstacle_toi.h"
#include "world/world_internal.h"

/* Crossings in scratch memory, in key order until they are sorted. */
typedef struct crossing_list {
    pqt_zone zone;
    pqti_obstacle_view view; /* view of the zone's region, if the zone is a region */
    pqt_crossing *crossings;
    size_t count, capacity;
} crossing_list;

/* ---- The zone ---- */

static bool
is_in_zone(const crossing_list *list, const pqt_body *body)
{
    if (body == NULL)
        return false;
    if (list->zone.region == NULL)
        return pqt_circle_overlaps_box((pqt_circle){body->position, body->radius}, list->zone.box);
    return pqti_obstacle_view_overlaps(&list->view, body->position, body->radius);
}

/* Checks the zone and prepares its region. Returns false with an error set if it is invalid. */
static bool
prepare_zone(crossing_list *list, const pqt_zone *zone, pqt_error *error)
{
    list->zone = *zone;
    if (zone->region == NULL)
        return pqti_validate_box(&zone->box, "zone", &list->zone.box, error);
    if (!pqti_region_may_go_on_in("pqt_world_visit_crossings", zone->region, error) ||
        !pqti_validate_region_offset(zone->at, "zone", error))
        return false;
    const pqt_pixel_box bounds = pqt_region_bounds(zone->region);
    list->view = pqti_obstacle_view_of(zone->region, pqti_round_to_subpixel(zone->at), &bounds);
    return true;
}

/* ---- Crossings ---- */

static bool
reserve(crossing_list *list)
{
    pqt_crossing *crossings =
        pqti_grow_scratch(list->crossings, list->count, &list->capacity, 1, sizeof *crossings);
    if (crossings == NULL)
        return false;
    list->crossings = crossings;
    return true;
}

static bool
collect_crossing(const pqt_body *before, const pqt_body *after, void *context)
{
    crossing_list *list = context;
    if (list->zone.stats != NULL)
        list->zone.stats->boxes++;
    const bool was_in = is_in_zone(list, before), is_in = is_in_zone(list, after);
    if (was_in == is_in)
        return true;
    if (!reserve(list))
        return false;
    list->crossings[list->count++] =
        (pqt_crossing){.body = after != NULL ? *after : *before, .entered = is_in};
    return true;
}

static int
by_id(const void *a, const void *b)
{
    const uint64_t x = ((const pqt_crossing *)a)->body.id, y = ((const pqt_crossing *)b)->body.id;
    return x < y ? -1 : x > y;
}

static bool
visit_all(const crossing_list *list, pqt_visit_crossing_fn *visit, void *context)
{
    for (size_t i = 0; i < list->count; i++)
        if (!visit(&list->crossings[i], context))
            return false;
    return true;
}

bool
pqt_world_visit_crossings(const pqt_world *before, const pqt_world *after, const pqt_zone *zone,
                          pqt_visit_crossing_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(before != NULL && after != NULL, "a world is NULL");
    PQT_ASSERT(zone != NULL && visit != NULL, "the zone or the visitor is NULL");
    pqti_assert_world_alive(__func__, before);
    pqti_assert_world_alive(__func__, after);
    crossing_list list = {.count = 0};
    if (!pqti_may_compute(error) || !prepare_zone(&list, zone, error))
        return false;
    bool done = pqti_bodymap_compare(&before->bodies, &after->bodies, collect_crossing, &list);
    if (!done)
        pqti_out_of_memory(error);
    if (list.count > 1)
        qsort(list.crossings, list.count, sizeof *list.crossings, by_id);
    done = done && visit_all(&list, visit, context);
    pqti_free_scratch(list.crossings);
    pqti_keep_alive(before);
    pqti_keep_alive(after);
    return done;
}
