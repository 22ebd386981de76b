/* SPDX-License-Identifier: MIT */
/*
 * world_copy.c: copies versions of worlds to another memory. Blocks that the versions share stay
 * shared.
 *
 * The copies of the trees, of the obstacles' regions and of the worlds are in a list in the new
 * memory, where the collector finds them. A table maps each other block to its copy.
 */
#include "config.h"

#include "world/world_internal.h"

#include <string.h>

#include <pqt/region.h>

#include "base/error_internal.h"
#include "memory/block_table.h"
#include "world/contact_events.h"

typedef struct world_copier {
    const pqt_world *const *worlds;
    size_t count;
    pqt_memory *memory;
    const void **trees, **regions, **copies; /* parts of one list, with `count` slots each. The
                                                regions are those of worlds with an obstacle */
    pqti_hashtable made;                     /* maps blocks and worlds to their copies */
} world_copier;

/* ---- Trees and regions ---- */

static bool
copy_trees(world_copier *c, const void **given, pqt_error *error)
{
    for (size_t i = 0; i < c->count; i++)
        given[i] = c->worlds[i]->tree;
    return pqt_tree_copy_all((const pqt_tree *const *)given, c->count, c->memory,
                             (const pqt_tree **)c->trees, error);
}

static bool
copy_regions(world_copier *c, const void **given, pqt_error *error)
{
    size_t found = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->worlds[i]->obstacle != NULL)
            given[found++] = c->worlds[i]->obstacle->region;
    return pqt_region_copy_all((const pqt_region *const *)given, found, c->memory,
                               (const pqt_region **)c->regions, error);
}

/* ---- Other blocks ---- */

static bool
copy_rest(world_copier *c, const pqti_rest_state *state, const pqti_rest_state **copy)
{
    *copy = pqti_hashtable_of_block(&c->made, state);
    if (state == NULL || *copy != NULL)
        return true;
    const pqti_rest_draft draft = pqti_rest_draft_of(state);
    return pqti_rest_make(c->memory, &draft, NULL, copy) &&
           pqti_hashtable_add_block(&c->made, state, *copy);
}

static bool
copy_events(world_copier *c, const pqti_event_block *events, const pqti_event_block **copy)
{
    *copy = pqti_hashtable_of_block(&c->made, events);
    if (events == NULL || *copy != NULL)
        return true;
    return pqti_events_copy(c->memory, events, copy) &&
           pqti_hashtable_add_block(&c->made, events, *copy);
}

static bool
copy_obstacle(world_copier *c, const pqti_obstacle *obstacle, const pqt_region *region,
              const pqti_obstacle **copy)
{
    *copy = pqti_hashtable_of_block(&c->made, obstacle);
    if (obstacle == NULL || *copy != NULL)
        return true;
    *copy = pqti_obstacle_copy(obstacle, region, c->memory);
    return *copy != NULL && pqti_hashtable_add_block(&c->made, obstacle, *copy);
}

/* ---- Worlds ---- */

/* Makes the copy of a world from the copies of its tree and of the region of its obstacle. Returns
   NULL and sets `error` when out of memory. */
static const pqt_world *
copy_world(world_copier *c, const pqt_world *world, const pqt_tree *tree, const pqt_region *region,
           pqt_error *error)
{
    const pqt_world *known = pqti_hashtable_of_block(&c->made, world);
    if (known != NULL || pqti_world_memory(world) == c->memory)
        return known != NULL ? known : world;
    pqt_world copy = *world;
    copy.tree = tree;
    if (pqti_bodymap_copy(c->memory, &world->bodies, &c->made, &copy.bodies) &&
        copy_obstacle(c, world->obstacle, region, &copy.obstacle) &&
        copy_rest(c, world->rest.awake, &copy.rest.awake) &&
        copy_rest(c, world->rest.asleep, &copy.rest.asleep) &&
        copy_events(c, world->events, &copy.events)) {
        known = pqti_world_make(&copy, error);
        if (known == NULL || pqti_hashtable_add_block(&c->made, world, known))
            return known;
    }
    pqti_out_of_memory(error);
    return NULL;
}

static bool
copy_worlds(world_copier *c, pqt_error *error)
{
    size_t region = 0;
    for (size_t i = 0; i < c->count; i++) {
        const bool has_obstacle = c->worlds[i]->obstacle != NULL;
        c->copies[i] = copy_world(c, c->worlds[i], c->trees[i],
                                  has_obstacle ? c->regions[region++] : NULL, error);
        if (c->copies[i] == NULL)
            return false;
    }
    return true;
}

/* Allocates the list and the table. The last word of the list stays free, since the collector does
   not scan it. */
static bool
prepare_copier(world_copier *c)
{
    if (c->count > SIZE_MAX / (4 * sizeof(void *)) - 1)
        return false;
    c->trees = pqti_alloc_list(c->memory, pqti_rounded((3 * c->count + 1) * sizeof(void *)));
    if (c->trees == NULL)
        return false;
    c->regions = c->trees + c->count;
    c->copies = c->regions + c->count;
    return pqti_hashtable_make(&c->made);
}

bool
pqt_world_copy_all(const pqt_world *const *worlds, size_t count, pqt_memory *memory,
                   const pqt_world **copies, pqt_error *error)
{
    PQT_ASSERT((worlds != NULL && copies != NULL) || count == 0, "an array is NULL");
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT(worlds[i] != NULL, "a world of the array is NULL");
        pqti_assert_world_alive(__func__, worlds[i]);
    }
    world_copier c = {.worlds = worlds, .count = count};
    c.memory = pqti_memory_or_default(memory, error);
    if (c.memory == NULL)
        return false;
    const void **given = pqti_alloc_scratch(count + 1, sizeof *given);
    bool copied = given != NULL && prepare_copier(&c);
    if (!copied)
        pqti_out_of_memory(error);
    copied = copied && copy_trees(&c, given, error) && copy_regions(&c, given, error) &&
             copy_worlds(&c, error);
    if (copied && count > 0)
        memcpy(copies, c.copies, count * sizeof *copies);
    pqti_free_scratch(given);
    pqti_hashtable_free(&c.made);
    return copied;
}

const pqt_world *
pqt_world_copy(const pqt_world *world, pqt_memory *memory, pqt_error *error)
{
    const pqt_world *copy = NULL;
    if (!pqti_world_check_input(world, error))
        return NULL;
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL || memory == pqti_world_memory(world))
        return memory == NULL ? NULL : world;
    return pqt_world_copy_all(&world, 1, memory, &copy, error) ? copy : NULL;
}
