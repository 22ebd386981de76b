/* SPDX-License-Identifier: MIT */
/*
 * loading.c: chooses the bodies that a step loads, if few bodies of the world are awake.
 *
 * The tree of the world finds the bodies near a cover. Its boxes do not include the gap at which
 * bodies rest on each other, nor rounding, so the window of the search is larger than the cover by
 * both. The gap is at most PQTI_REST_OVERLAP of the radius, and 0 for bodies that are not movable.
 */
#include "config.h"

#include "world/loading.h"

#include <stdlib.h>

#include <pqt/tree.h>

#include "tree/item_hash.h"

/* A cover extends beyond the path by this multiple of the radius, which exceeds the inflation of a
 * swept box. See docs/world.md, "Loading". */
#define PATH_MARGIN 0.5

/* It also extends beyond the path by the length of the path, in case the body bounces, but by no
 * more than this multiple of the radius. See docs/world.md, "Loading". */
#define BOUNCE_MARGIN 2.0

/* The window of a search is larger than the cover by this fraction of the largest radius and of the
 * largest coordinate, which exceeds rounding errors. See docs/world.md, "Loading". */
#define ROUNDING_MARGIN 0x1p-30

void
pqti_loading_free(pqti_loading *loading)
{
    pqti_free_scratch(loading->bodies);
}

/* Adds a body to the list. Returns false when out of memory. */
static bool
add_body(pqti_loading *loading, const pqti_body_entry *entry, uint32_t sleeper, bool is_awake)
{
    pqti_loaded_body *bodies =
        pqti_grow_scratch(loading->bodies, loading->count, &loading->capacity, 1, sizeof *bodies);
    loading->has_failed = bodies == NULL;
    if (bodies == NULL)
        return false;
    loading->bodies = bodies;
    bodies[loading->count++] = (pqti_loaded_body){.entry = *entry,
                                                  .key = pqti_id_key(entry->statics->id),
                                                  .sleeper = sleeper,
                                                  .is_awake = is_awake,
                                                  .is_covered = !is_awake};
    return true;
}

/* Orders bodies by their keys. If a body is listed twice, the awake one is first. */
static int
by_key(const void *a, const void *b)
{
    const pqti_loaded_body *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return y->is_awake - x->is_awake;
}

/* Sorts the bodies by their keys, and keeps one entry of each. */
static void
sort_bodies(pqti_loading *loading)
{
    size_t kept = 0;
    if (loading->count > 1)
        qsort(loading->bodies, loading->count, sizeof *loading->bodies, by_key);
    for (size_t i = 0; i < loading->count; i++)
        if (kept == 0 || loading->bodies[kept - 1].key != loading->bodies[i].key)
            loading->bodies[kept++] = loading->bodies[i];
    loading->count = kept;
}

/* ---- Awake bodies ---- */

static bool
add_awake(const pqti_body_entry *entry, void *context)
{
    return add_body(context, entry, PQTI_NO_SLEEPER, true);
}

/* Adds the bodies that wake. */
static bool
add_woken(pqti_loading *loading, const pqti_rest_draft *asleep, const bool *wakes)
{
    pqti_body_entry entry;
    for (size_t i = 0; i < asleep->body_count; i++)
        if (wakes[i] &&
            pqti_bodymap_find_states(&loading->world->bodies, asleep->bodies[i].id, &entry) &&
            !add_awake(&entry, loading))
            return false;
    return true;
}

bool
pqti_loading_begin(pqti_loading *loading, const bool *wakes, bool all_wake)
{
    const pqti_rest_draft asleep = pqti_rest_draft_of(loading->world->rest.asleep);
    loading->count = 0;
    if (!pqti_bodymap_visit_awake(&loading->world->bodies, asleep.bodies,
                                  all_wake ? 0 : asleep.body_count, add_awake, loading) ||
        (wakes != NULL && !all_wake && !add_woken(loading, &asleep, wakes)))
        return false;
    sort_bodies(loading);
    return true;
}

/* ---- Covers ---- */

/* Returns the largest absolute coordinate of a box. */
static double
largest_coordinate(const pqt_box *box)
{
    return pqti_fmax(pqti_fmax(pqti_fabs(box->min.x), pqti_fabs(box->min.y)),
                     pqti_fmax(pqti_fabs(box->max.x), pqti_fabs(box->max.y)));
}

void
pqti_loading_cover(pqti_loaded_body *body, const pqti_ball *ball, double span)
{
    const pqt_vec from = ball->position, to = pqti_ball_moved_by(ball, from, ball->velocity, span);
    body->reach = pqti_ball_speed(ball) * span;
    const double bounce = pqti_fmin(body->reach, BOUNCE_MARGIN * ball->radius);
    const pqt_box path = pqt_box_union((pqt_box){from, from}, (pqt_box){to, to});
    body->cover = pqt_box_grown(path, ball->radius * (1 + PATH_MARGIN) + bounce +
                                          ROUNDING_MARGIN * largest_coordinate(&path));
}

void
pqti_loading_enlarge(pqti_loaded_body *body, const pqt_box *box)
{
    const pqt_box all = pqt_box_union(body->cover, *box);
    const double half = pqti_fmax(all.max.x - all.min.x, all.max.y - all.min.y) / 2;
    body->cover = pqt_box_grown(all, pqti_fmax(half, body->reach));
    body->is_covered = false;
}

typedef struct near_search {
    pqti_loading *loading;
    size_t limit;
} near_search;

static bool
add_near(const pqt_item *item, void *context)
{
    const near_search *s = context;
    pqti_loading *loading = s->loading;
    pqti_body_entry entry;
    if (!pqti_bodymap_find_states(&loading->world->bodies, item->id, &entry))
        return true;
    const size_t sleeper = pqti_rest_find_body(loading->world->rest.asleep, item->id);
    return add_body(loading, &entry, sleeper == SIZE_MAX ? PQTI_NO_SLEEPER : (uint32_t)sleeper,
                    false) &&
           loading->count <= s->limit;
}

/* Returns the window in which the boxes of the bodies near a cover are. */
static pqt_box
window_of(const pqti_body_summary *summary, const pqt_box *cover)
{
    const double gap = PQTI_REST_OVERLAP * ldexp(1, summary->movable_exponent);
    const double rounding = ldexp(1, summary->exponent) + largest_coordinate(cover);
    return pqt_box_grown(*cover, gap * (1 + ROUNDING_MARGIN) + ROUNDING_MARGIN * rounding);
}

bool
pqti_loading_add_near(pqti_loading *loading, size_t limit)
{
    near_search s = {loading, limit};
    const pqti_body_summary summary = pqti_bodymap_summary(&loading->world->bodies);
    const size_t listed = loading->count;
    for (size_t i = 0; i < listed && loading->count <= limit; i++) {
        pqti_loaded_body *body = &loading->bodies[i];
        if (body->is_covered)
            continue;
        body->is_covered = true;
        const pqt_query query = {.window = window_of(&summary, &body->cover),
                                 .relation = PQT_TOUCHES};
        (void)pqt_tree_visit(loading->world->tree, &query, add_near, &s);
        if (loading->has_failed)
            return false;
    }
    loading->is_full = loading->count > limit;
    sort_bodies(loading);
    return true;
}
