/* SPDX-License-Identifier: MIT */
/*
 * world_query.c: finds bodies of a world by id, window and distance, compares worlds, and
 * implements statistics and the check.
 */
#include "config.h"

#include <string.h>

#include <pqt/circle.h>
#include <pqt/nearest.h>

#include "base/error_internal.h"
#include "base/option_structs.h"
#include "world/contact_events.h"
#include "world/world_internal.h"

size_t
pqt_world_count(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    return world->tree->count;
}

pqt_box
pqt_world_bounds(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    return world->tree->domain->bounds;
}

pqt_memory *
pqt_world_memory(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    return pqti_world_memory(world);
}

void
pqt_world_get_options(const pqt_world *world, pqt_world_options *options)
{
    PQTI_ASSERT_WORLD(world);
    const pqt_world_options own = {.size = sizeof own,
                                   .walls = world->walls != 0,
                                   .leaf_capacity = world->tree->domain->options.leaf_capacity,
                                   .memory = pqti_world_memory(world)};
    pqti_options_write(__func__, &pqti_world_options_layout, &own, options);
}

const pqt_tree *
pqt_world_tree(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    return world->tree;
}

bool
pqt_world_find(const pqt_world *world, uint64_t id, pqt_body *found)
{
    PQTI_ASSERT_WORLD(world);
    pqt_body body;
    if (!pqti_bodymap_find(&world->bodies, id, &body))
        return false;
    if (found != NULL)
        *found = body;
    return true;
}

bool
pqt_world_is_asleep(const pqt_world *world, uint64_t id)
{
    PQTI_ASSERT_WORLD(world);
    return pqti_rest_find_body(world->rest.asleep, id) != SIZE_MAX;
}

const pqt_contact_event *
pqt_world_events(const pqt_world *world, size_t *count)
{
    PQTI_ASSERT_WORLD(world);
    PQT_ASSERT(count != NULL, "count is NULL");
    *count = world->events == NULL ? 0 : world->events->count;
    return world->events == NULL ? NULL : world->events->events;
}

typedef struct body_visit {
    const pqt_world *world;
    pqt_visit_body_fn *visit;
    void *context;
} body_visit;

static bool
visit_item(const pqt_item *item, void *context)
{
    const body_visit *v = context;
    pqt_body body;
    bool found = pqti_bodymap_find(&v->world->bodies, item->id, &body);
    PQT_INVARIANT(found, "an item of a world's tree has no body");
    return v->visit(&body, v->context);
}

bool
pqt_world_visit(const pqt_world *world, const pqt_query *query, pqt_visit_body_fn *visit,
                void *context)
{
    PQT_ASSERT(world != NULL && visit != NULL, "the world or the visitor is NULL");
    pqti_assert_world_alive(__func__, world);
    body_visit v = {world, visit, context};
    return pqt_tree_visit(world->tree, query, visit_item, &v);
}

typedef struct body_collection {
    pqt_body *bodies;
    size_t count, capacity;
} body_collection;

static bool
collect_body(const pqt_body *body, void *context)
{
    body_collection *c = context;
    if (c->count < c->capacity)
        c->bodies[c->count] = *body;
    return ++c->count < c->capacity;
}

size_t
pqt_world_collect(const pqt_world *world, const pqt_query *query, pqt_body *bodies, size_t capacity)
{
    PQTI_ASSERT_WORLD(world);
    PQT_ASSERT(bodies != NULL || capacity == 0, "bodies is NULL, and capacity is not 0");
    body_collection c = {bodies, 0, capacity};
    if (capacity > 0 && pqt_world_visit(world, query, collect_body, &c))
        return c.count;
    return pqt_tree_count_in(world->tree, query);
}

/* ---- Nearest bodies ---- */

/* The search visits items in the order of the distances of their boxes, which are lower bounds on
 * the distances of the balls. */
typedef struct nearest_search {
    const pqt_world *world;
    pqt_vec point;
    pqt_near_body *found;
    size_t count, most;
} nearest_search;

static bool
is_nearer(const pqt_near_body *a, const pqt_near_body *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->body.id < b->body.id;
}

/* Inserts a body into the sorted results. Drops the last result if the list is full. */
static void
insert_near_body(nearest_search *n, const pqt_near_body *near)
{
    PQT_INVARIANT(n->most > 0, "no result was requested");
    size_t at = n->count < n->most ? n->count++ : n->most - 1;
    for (; at > 0 && is_nearer(near, &n->found[at - 1]); at--)
        n->found[at] = n->found[at - 1];
    n->found[at] = *near;
}

static bool
collect_near_body(const pqt_near *item, void *context)
{
    nearest_search *n = context;
    pqt_near_body near;
    if (n->count == n->most && item->distance > n->found[n->most - 1].distance)
        return false;
    bool found = pqti_bodymap_find(&n->world->bodies, item->item.id, &near.body);
    PQT_INVARIANT(found, "an item of a world's tree has no body");
    pqt_circle circle = {near.body.position, near.body.radius};
    /* the rounded distance of a ball may be below the distance of its box */
    near.distance = pqt_circle_distance_to_point(circle, n->point);
    if (near.distance < item->distance)
        near.distance = item->distance;
    if (n->count < n->most || is_nearer(&near, &n->found[n->most - 1]))
        insert_near_body(n, &near);
    return true;
}

size_t
pqt_world_nearest(const pqt_world *world, pqt_vec point, pqt_near_body *found, size_t capacity)
{
    PQTI_ASSERT_WORLD(world);
    PQT_ASSERT(found != NULL || capacity == 0, "found is NULL, and capacity is not 0");
    nearest_search n = {world, point, found, 0, capacity};
    if (capacity > 0)
        pqt_tree_visit_nearest(world->tree, (pqt_box){point, point}, NULL, collect_near_body, &n);
    return n.count;
}

/* ---- Two versions ---- */

/* Returns the part of a world's fingerprint that its sleeping bodies contribute. If they were
 * awake, it would differ. */
static pqt_fingerprint
fingerprint_of_asleep(const pqti_rest_state *asleep)
{
    return asleep == NULL ? (pqt_fingerprint){0, 0}
                          : pqt_fingerprint_combine(asleep->fingerprint, asleep->fingerprint);
}

static bool
rest_differs(const pqt_world *a, const pqt_world *b, uint64_t *id)
{
    uint64_t awake = UINT64_MAX, asleep = UINT64_MAX;
    const bool differs_awake = pqti_rest_differs(a->rest.awake, b->rest.awake, &awake);
    const bool differs_asleep = pqti_rest_differs(a->rest.asleep, b->rest.asleep, &asleep);
    *id = awake < asleep ? awake : asleep;
    return differs_awake || differs_asleep;
}

pqt_fingerprint
pqt_world_fingerprint(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    const pqt_fingerprint of_rest = pqti_fingerprint_add(pqti_rest_fingerprint(world->rest.awake),
                                                         fingerprint_of_asleep(world->rest.asleep));
    return pqti_fingerprint_add(pqti_fingerprint_add(world->fingerprint, of_rest),
                                pqti_obstacle_fingerprint(world->obstacle));
}

static bool
stop_at_change(const pqt_body *a, const pqt_body *b, void *context)
{
    (void)a, (void)b, (void)context;
    return false;
}

bool
pqt_world_equals(const pqt_world *a, const pqt_world *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a world is NULL");
    pqti_assert_world_alive(__func__, a);
    pqti_assert_world_alive(__func__, b);
    uint64_t id;
    if (a == b)
        return true;
    return a->walls == b->walls && pqti_domain_equals(a->tree->domain, b->tree->domain) &&
           memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) == 0 &&
           pqti_obstacle_equals(a->obstacle, b->obstacle) && !rest_differs(a, b, &id) &&
           pqti_bodymap_compare(&a->bodies, &b->bodies, stop_at_change, NULL);
}

typedef struct lowest_difference {
    uint64_t id;
    bool found;
} lowest_difference;

static bool
store_lowest(const pqt_body *a, const pqt_body *b, void *context)
{
    lowest_difference *d = context;
    uint64_t id = a != NULL ? a->id : b->id;
    if (!d->found || id < d->id)
        *d = (lowest_difference){id, true};
    return true;
}

bool
pqt_world_differs(const pqt_world *a, const pqt_world *b, uint64_t *id)
{
    PQT_ASSERT(a != NULL && b != NULL, "a world is NULL");
    pqti_assert_world_alive(__func__, a);
    pqti_assert_world_alive(__func__, b);
    lowest_difference d = {0, false};
    pqti_bodymap_compare(&a->bodies, &b->bodies, store_lowest, &d);
    uint64_t lowest;
    if (rest_differs(a, b, &lowest) && (!d.found || lowest < d.id))
        d = (lowest_difference){lowest, true};
    if (d.found && id != NULL)
        *id = d.id;
    return d.found;
}

size_t
pqt_world_shared_bytes(const pqt_world *a, const pqt_world *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a world is NULL");
    pqti_assert_world_alive(__func__, a);
    pqti_assert_world_alive(__func__, b);
    const pqt_memory *memory = pqti_world_memory(a);
    size_t own = a == b ? pqti_block_size(memory, a, sizeof *a) : 0;
    if (a->rest.awake == b->rest.awake)
        own += pqti_rest_bytes(memory, a->rest.awake);
    if (a->rest.asleep == b->rest.asleep)
        own += pqti_rest_bytes(memory, a->rest.asleep);
    if (a->events == b->events)
        own += pqti_events_bytes(memory, a->events);
    return own + pqt_tree_shared_bytes(a->tree, b->tree) +
           pqti_bodymap_shared_bytes(memory, &a->bodies, &b->bodies) +
           pqti_obstacle_shared_bytes(a->obstacle, b->obstacle);
}

/* ---- Statistics ---- */

static bool
add_body(const pqti_body_entry *entry, void *context)
{
    const pqti_body_static *static_state = entry->statics;
    const pqti_body_dynamic *dynamic_state = entry->dynamics;
    pqt_world_stats *stats = context;
    pqt_vec v = dynamic_state->velocity;
    if ((static_state->roles & (PQTI_FIXED | PQTI_KINEMATIC)) != 0)
        return true;
    stats->energy += 0.5 * static_state->mass * (v.x * v.x + v.y * v.y);
    if (entry->spins != NULL) {
        const double rim = entry->spins->velocity * static_state->radius;
        stats->energy += 0.25 * static_state->mass * (rim * rim);
    }
    stats->momentum.x += static_state->mass * v.x;
    stats->momentum.y += static_state->mass * v.y;
    stats->momentum_scale += static_state->mass * pqt_vec_length(v);
    return true;
}

pqt_world_stats
pqt_world_get_stats(const pqt_world *world)
{
    PQTI_ASSERT_WORLD(world);
    pqt_world_stats stats = {.bodies = world->tree->count,
                             .cells = pqt_tree_get_stats(world->tree).leaves,
                             .bytes = pqt_world_shared_bytes(world, world)};
    pqti_bodymap_visit(&world->bodies, add_body, &stats);
    return stats;
}

/* ---- Check ---- */

typedef struct world_check {
    const pqt_world *world;
    pqti_body_totals totals; /* of the bodies */
    const char *fault;       /* NULL if no fault was found */
} world_check;

static bool
check_body(const pqti_body_entry *entry, void *context)
{
    const pqti_body_static *static_state = entry->statics;
    const pqti_body_dynamic *dynamic_state = entry->dynamics;
    world_check *c = context;
    pqt_body body = pqti_body_of(entry), validated;
    if (!pqti_validate_body(c->world, &body, 0, &validated, NULL))
        c->fault = "a body has invalid values";
    else if (!pqt_tree_contains(c->world->tree,
                                pqti_body_item(body.id, body.position, body.radius)))
        c->fault = "a body is not in the tree";
    c->totals.fingerprint = pqti_fingerprint_add(
        c->totals.fingerprint,
        pqti_body_fingerprint(static_state->static_hash, dynamic_state, entry->spins));
    c->totals.mobile += pqti_body_is_mobile(static_state, dynamic_state, entry->spins);
    return c->fault == NULL;
}

bool
pqt_world_check(const pqt_world *world, pqt_error *error)
{
    PQTI_ASSERT_WORLD(world);
    world_check c = {.world = world};
    if (!pqt_tree_check(world->tree, error) ||
        !pqti_obstacle_check(world->obstacle, pqti_world_memory(world), error))
        return false;
    if (!pqti_bodymap_check(&world->bodies))
        c.fault = "the body map is out of order";
    else if (pqti_bodymap_count(&world->bodies) != world->tree->count)
        c.fault = "the tree and the body map differ in size";
    else
        pqti_bodymap_visit(&world->bodies, check_body, &c);
    if (c.fault == NULL)
        c.fault = pqti_validate_rest(world);
    if (c.fault == NULL &&
        memcmp(&c.totals.fingerprint, &world->fingerprint, sizeof c.totals.fingerprint) != 0)
        c.fault = "the fingerprint does not match the bodies";
    if (c.fault == NULL && c.totals.mobile != world->mobile)
        c.fault = "the number of mobile bodies is wrong";
    if (c.fault != NULL)
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "%s", c.fault);
    return c.fault == NULL;
}
