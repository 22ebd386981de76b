/* SPDX-License-Identifier: MIT */
/* world_kind.c: the functions for worlds that code for versions of any kind calls. */
#include "config.h"

#include "memory/kind_calls.h"
#include "world/world_internal.h"

static pqt_memory *
memory_of_world(const void *world, void *context)
{
    (void)context;
    pqti_assert_world_alive(NULL, world);
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

static pqt_fingerprint
fingerprint_of_world(const void *world)
{
    return pqt_world_fingerprint(world);
}

static bool
check_world(const void *world, pqt_error *error)
{
    return pqt_world_check(world, error);
}

/* Each world contains a tree, which pqt_world_tree returns, and its obstacle may be a region. */
static size_t
list_inner_of_world(const void *version, const void *inner[PQTI_MOST_INNER])
{
    const pqt_world *world = version;
    inner[0] = world->tree;
    if (world->obstacle == NULL)
        return 1;
    inner[1] = world->obstacle->region;
    return 2;
}

static bool
own_bytes_of_world(const void *world, const void *const *others, size_t count, size_t *bytes,
                   void *context)
{
    (void)context;
    return pqti_world_own_bytes(world, (const pqt_world *const *)others, count, bytes, NULL);
}

static uint64_t
count_in_world(const void *world)
{
    return pqt_world_count(world);
}

static bool
copy_worlds(const void *const *versions, size_t count, pqt_memory *memory, const void **copies,
            pqt_error *error)
{
    return pqt_world_copy_all((const pqt_world *const *)versions, count, memory,
                              (const pqt_world **)copies, error);
}

static bool
count_body(const pqt_body *before, const pqt_body *after, void *context)
{
    uint64_t *count = context;
    (void)before;
    (void)after;
    ++*count;
    return true;
}

static bool
count_world_diff(const void *before, const void *after, uint64_t *count, pqt_error *error)
{
    (void)error;
    return pqti_bodymap_compare(&((const pqt_world *)before)->bodies,
                                &((const pqt_world *)after)->bodies, count_body, count);
}

const pqti_kind_calls pqti_world_calls = {
    .needs_mode = true,
    .values = {sizeof(pqt_history_kind), "worlds", memory_of_world, equal_worlds, bytes_of_world,
               NULL, pqti_hold_version},
    .fingerprint = fingerprint_of_world,
    .check = check_world,
    .count = count_in_world,
    .copy_all = copy_worlds,
    .count_diff = count_world_diff,
    /* Both sides have moved every body, so there is nothing to merge. */
    .merge = NULL,
    .list_inner = list_inner_of_world,
    .own_bytes = own_bytes_of_world,
};
