/* SPDX-License-Identifier: MIT */
/* time.c - heads and histories of worlds, over heads and histories of anything. */
#include "config.h"

#include <pqt/world_time.h>

#include "base/error.h"
#include "memory/memory.h"
#include "region/stats.h"
#include "time/head.h"
#include "tree/stats.h"
#include "world/version.h"

/* ---- Heads ---- */

static pqti_published
published(const pqt_world *world)
{
    return (pqti_published){world, world != NULL ? pqti_world_memory(world) : NULL};
}

pqt_head *
pqt_head_make_world(const pqt_world *first, pqt_error *error)
{
    if (!pqti_world_may_go_on(first, error))
        return NULL;
    return pqti_head_make(PQTI_KIND_WORLD, published(first), error);
}

const pqt_world *
pqt_head_load_world(const pqt_head *head, uint64_t *number)
{
    const pqti_numbered newest = pqti_head_load(__func__, head, PQTI_KIND_WORLD);
    if (number != NULL)
        *number = newest.number;
    return newest.version;
}

pqt_pin *
pqt_head_pin_world(const pqt_head *head, uint64_t *number, pqt_error *error)
{
    return pqti_head_pin(__func__, head, PQTI_KIND_WORLD, number, error);
}

bool
pqt_head_publish_world(pqt_head *head, const pqt_world *next, pqt_error *error)
{
    if (!pqti_world_may_go_on(next, error))
        return false;
    return pqti_head_publish(__func__, head, PQTI_KIND_WORLD, published(next), error);
}

typedef struct world_update {
    pqt_head_update_world_fn *update;
    void *context;
} world_update;

static pqti_published
next_world(const void *now, void *context, pqt_error *error)
{
    const world_update *by = context;
    return published(by->update(now, by->context, error));
}

const pqt_world *
pqt_head_update_world(pqt_head *head, pqt_head_update_world_fn *update, void *context,
                      uint64_t *number, pqt_error *error)
{
    PQT_ASSERT(update != NULL, "there is no function to update by");
    world_update by = {update, context};
    const pqti_numbered made =
        pqti_head_update(__func__, head, PQTI_KIND_WORLD, next_world, &by, error);
    if (made.version != NULL && number != NULL)
        *number = made.number;
    return made.version;
}

/* ---- Histories ---- */

static pqt_memory *
memory_of_world(const void *world, void *context)
{
    (void)context;
    return pqti_world_memory(world);
}

static bool
equal_worlds(const void *a, const void *b, void *context)
{
    (void)context;
    return pqt_world_equals(a, b);
}

static bool
is_one_of(const void *world, const void *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == world)
            return true;
    return false;
}

/* The trees, the maps and the obstacles of others, in scratch. */
typedef struct beside {
    const pqt_tree **trees;
    const pqt_region **regions;
    size_t region_count; /* of those that have an obstacle */
    bool same_obstacle;  /* one of them has the very block */
    pqti_bodies *bodies, *slices;
} beside;

static bool
count_obstacle(const pqt_world *world, const beside *b, size_t *bytes)
{
    const pqti_obstacle *obstacle = world->obstacle;
    *bytes = 0;
    if (obstacle == NULL || b->same_obstacle)
        return true;
    if (!pqti_region_bytes_beside(obstacle->region, b->regions, b->region_count, bytes))
        return false;
    *bytes += pqti_block_size(pqti_world_memory(world), obstacle, sizeof *obstacle);
    return true;
}

static bool
count_beside(const pqt_world *world, const beside *b, size_t count, size_t *bytes)
{
    const pqt_memory *memory = pqti_world_memory(world);
    size_t of_tree = 0, of_obstacle = 0;
    if (!pqti_tree_bytes_beside(world->tree, b->trees, count, &of_tree) ||
        !count_obstacle(world, b, &of_obstacle))
        return false;
    *bytes = pqti_block_size(memory, world, sizeof *world) + of_tree + of_obstacle +
             pqti_bodies_bytes_beside(memory, world->bodies, b->bodies, count, b->slices, count);
    return true;
}

static bool
bytes_of_world(const void *world, const void *const *others, size_t count, size_t *bytes,
               void *context)
{
    (void)context;
    if (is_one_of(world, others, count)) {
        *bytes = 0;
        return true;
    }
    if (count > SIZE_MAX / PQTI_BODIES_SLICES)
        return false;
    beside b = {.trees = pqti_scratch(count, sizeof *b.trees),
                .regions = pqti_scratch(count, sizeof *b.regions),
                .bodies = pqti_scratch(count, sizeof *b.bodies),
                .slices = pqti_scratch(PQTI_BODIES_SLICES * count, sizeof *b.slices)};
    bool done = b.trees != NULL && b.regions != NULL && b.bodies != NULL && b.slices != NULL;
    for (size_t i = 0; i < count && done; i++) {
        const pqt_world *other = others[i];
        b.trees[i] = other->tree;
        b.bodies[i] = other->bodies;
        b.same_obstacle =
            b.same_obstacle || other->obstacle == ((const pqt_world *)world)->obstacle;
        if (other->obstacle != NULL)
            b.regions[b.region_count++] = other->obstacle->region;
    }
    done = done && count_beside(world, &b, count, bytes);
    pqti_scratch_free(b.trees);
    pqti_scratch_free(b.regions);
    pqti_scratch_free(b.bodies);
    pqti_scratch_free(b.slices);
    return done;
}

const pqt_history_kind *
pqt_history_worlds(void)
{
    static const pqt_history_kind kind = {sizeof kind,  "worlds",       memory_of_world,
                                          equal_worlds, bytes_of_world, NULL};
    return &kind;
}
