/* SPDX-License-Identifier: MIT */
/* exclusive.c: counts the bytes that a version of a world holds and the other given versions do
   not. */
#include "config.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "world/contact_events.h"
#include "world/world_internal.h"

static bool
is_one_of(const pqt_world *world, const pqt_world *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == world)
            return true;
    return false;
}

/* The trees, body maps and regions of the other versions, in scratch memory. */
typedef struct world_exclusive {
    const pqt_tree **trees;
    const pqt_region **regions;
    size_t region_count; /* number of versions that have an obstacle */
    bool same_obstacle;  /* one of the versions has the same obstacle block */
    bool same_awake;     /* one has the same state of awake bodies */
    bool same_asleep;    /* one has the same state of sleeping bodies */
    bool same_events;    /* one has the same block of events */
    pqti_bodymap *bodies, *level_bytes;
} world_exclusive;

static bool
collect_others(world_exclusive *exclusive, const pqt_world *world, const pqt_world *const *others,
               size_t count)
{
    if (count > SIZE_MAX / PQTI_BODYMAP_LEVEL_COUNTS)
        return false;
    exclusive->trees = pqti_alloc_scratch(count, sizeof *exclusive->trees);
    exclusive->regions = pqti_alloc_scratch(count, sizeof *exclusive->regions);
    exclusive->bodies = pqti_alloc_scratch(count, sizeof *exclusive->bodies);
    exclusive->level_bytes =
        pqti_alloc_scratch(PQTI_BODYMAP_LEVEL_COUNTS * count, sizeof *exclusive->level_bytes);
    if (exclusive->trees == NULL || exclusive->regions == NULL || exclusive->bodies == NULL ||
        exclusive->level_bytes == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        exclusive->trees[i] = others[i]->tree;
        exclusive->bodies[i] = others[i]->bodies;
        exclusive->same_awake = exclusive->same_awake || others[i]->rest.awake == world->rest.awake;
        exclusive->same_asleep =
            exclusive->same_asleep || others[i]->rest.asleep == world->rest.asleep;
        exclusive->same_events = exclusive->same_events || others[i]->events == world->events;
        exclusive->same_obstacle =
            exclusive->same_obstacle || others[i]->obstacle == world->obstacle;
        if (others[i]->obstacle != NULL)
            exclusive->regions[exclusive->region_count++] = others[i]->obstacle->region;
    }
    return true;
}

static void
free_others(world_exclusive *exclusive)
{
    pqti_free_scratch(exclusive->trees);
    pqti_free_scratch(exclusive->regions);
    pqti_free_scratch(exclusive->bodies);
    pqti_free_scratch(exclusive->level_bytes);
}

/* Returns the exclusive bytes of the world's own block, the obstacle's block and the body map. */
static size_t
own_bytes(const pqt_world *world, const world_exclusive *exclusive, size_t count)
{
    const pqt_memory *memory = pqti_world_memory(world);
    const pqti_obstacle *obstacle = world->obstacle;
    const size_t of_obstacle = obstacle == NULL || exclusive->same_obstacle
                                   ? 0
                                   : pqti_block_size(memory, obstacle, sizeof *obstacle);
    const size_t of_rest =
        (exclusive->same_awake ? 0 : pqti_rest_bytes(memory, world->rest.awake)) +
        (exclusive->same_asleep ? 0 : pqti_rest_bytes(memory, world->rest.asleep));
    const size_t of_events = exclusive->same_events ? 0 : pqti_events_bytes(memory, world->events);
    return pqti_block_size(memory, world, sizeof *world) + of_obstacle + of_rest + of_events +
           pqti_bodymap_exclusive_bytes(memory, &world->bodies, exclusive->bodies, count,
                                        exclusive->level_bytes, count);
}

static bool
add_tree_and_region(const pqt_world *world, const world_exclusive *exclusive, size_t count,
                    size_t *bytes, pqt_error *error)
{
    size_t of_tree = 0, of_region = 0;
    if (!pqt_tree_exclusive_bytes(world->tree, exclusive->trees, count, &of_tree, error) ||
        (world->obstacle != NULL && !exclusive->same_obstacle &&
         !pqt_region_exclusive_bytes(world->obstacle->region, exclusive->regions,
                                     exclusive->region_count, &of_region, error)))
        return false;
    *bytes += of_tree + of_region;
    return true;
}

static bool
count_exclusive_bytes(const pqt_world *world, const pqt_world *const *others, size_t count,
                      bool whole, size_t *bytes, pqt_error *error)
{
    if (is_one_of(world, others, count)) {
        *bytes = 0;
        return true;
    }
    world_exclusive exclusive = {.trees = NULL};
    const bool made = collect_others(&exclusive, world, others, count);
    size_t sum = made ? own_bytes(world, &exclusive, count) : 0;
    const bool done =
        made && (!whole || add_tree_and_region(world, &exclusive, count, &sum, error));
    free_others(&exclusive);
    if (!made)
        pqti_out_of_memory(error);
    if (done)
        *bytes = sum;
    return done;
}

bool
pqti_world_own_bytes(const pqt_world *world, const pqt_world *const *others, size_t count,
                     size_t *bytes, pqt_error *error)
{
    return count_exclusive_bytes(world, others, count, false, bytes, error);
}

bool
pqt_world_exclusive_bytes(const pqt_world *world, const pqt_world *const *others, size_t count,
                          size_t *bytes, pqt_error *error)
{
    PQT_ASSERT(others != NULL || count == 0, "others is NULL, and count is not 0");
    PQT_ASSERT(bytes != NULL, "bytes is NULL");
    if (!pqti_world_check_input(world, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(others[i] != NULL, "a world of the array is NULL");
        pqti_assert_world_alive(__func__, others[i]);
    }
    const bool done = count_exclusive_bytes(world, others, count, true, bytes, error);
    pqti_keep_alive(world);
    return done;
}
