/* SPDX-License-Identifier: MIT */
/* head_world.c - heads and histories of worlds, over heads and histories of anything. */
#include "config.h"

#include <pqt/world_time.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "version/head_internal.h"
#include "world/world_internal.h"

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
    const pqti_head_value newest = pqti_head_load(__func__, head, PQTI_KIND_WORLD);
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
    const pqti_head_value made =
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
bytes_of_world(const void *world, const void *const *others, size_t count, size_t *bytes,
               void *context)
{
    (void)context;
    return pqt_world_exclusive_bytes(world, (const pqt_world *const *)others, count, bytes, NULL);
}

const pqt_history_kind *
pqt_history_worlds(void)
{
    static const pqt_history_kind kind = {sizeof kind,  "worlds",       memory_of_world,
                                          equal_worlds, bytes_of_world, NULL};
    return &kind;
}
