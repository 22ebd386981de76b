/* SPDX-License-Identifier: MIT */
/*
 * moment.c: sweeps through a world at a moment between two versions.
 *
 * A body that is equal in both versions does not move between them, so the tree of one version
 * finds it. A body that differs may be anywhere between its two boxes. A comparison of the body
 * maps lists these bodies. It does not visit nodes that the versions share.
 */
#include "config.h"

#include <pqt/moment.h>

#include <stdlib.h>

#include <pqt/convex.h>

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/fp.h"
#include "base/arithmetic.h"
#include "collision/mover.h"
#include "memory/memory_internal.h"
#include "world/world_internal.h"

/* The margin around the path in a query, as a fraction of the largest coordinate. It exceeds the
 * rounding error of a sweep. See docs/world.md, "Moments". */
#define PATH_MARGIN 0x1p-40

/* ---- Bodies at a moment ---- */

static bool
check_moment(const char *function, const pqt_moment *moment, pqt_error *error)
{
    PQT_ASSERT_IN(function, moment != NULL && moment->before != NULL && moment->after != NULL,
                  "the moment, or the version before or after it, is NULL");
    pqti_assert_world_alive(function, moment->before);
    pqti_assert_world_alive(function, moment->after);
    if (!pqti_may_compute(error))
        return false;
    if (moment->fraction >= 0 && moment->fraction <= 1)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "fraction is %s, not in 0 .. 1",
                   pqti_format_double(moment->fraction).text);
    return false;
}

/* Sets a body at a moment from its states in both versions, either of which may be NULL. Returns
 * false if the body is absent at that moment. */
static bool
body_between(double fraction, const pqt_body *before, const pqt_body *after, pqt_body *body)
{
    const pqt_body *shape = fraction < 1 ? before : after;
    if (shape == NULL)
        return false;
    *body = *shape;
    if (before == NULL || after == NULL || fraction == 1)
        return true;
    body->position.x = before->position.x + fraction * (after->position.x - before->position.x);
    body->position.y = before->position.y + fraction * (after->position.y - before->position.y);
    body->angle = before->angle + fraction * (after->angle - before->angle);
    return true;
}

static const pqt_body *
find_body(const pqt_world *world, uint64_t id, pqt_body *body)
{
    return pqti_bodymap_find(&world->bodies, id, body) ? body : NULL;
}

bool
pqt_moment_find(const pqt_moment *moment, uint64_t id, pqt_body *body, pqt_error *error)
{
    pqt_body before, after;
    PQT_ASSERT(body != NULL, "the body is NULL");
    if (!check_moment(__func__, moment, error))
        return false;
    return body_between(moment->fraction, find_body(moment->before, id, &before),
                        find_body(moment->after, id, &after), body);
}

/* ---- Shots ---- */

pqt_shot
pqt_shot_of(pqt_mover mover)
{
    return (pqt_shot){.mover = mover};
}

typedef struct shot_search {
    const pqt_moment *moment;
    const pqt_shot *shot;
    pqt_query query; /* finds the items near the path */
    pqt_convex path; /* the window of the query, if the mover moves */
    pqt_box box;     /* the bounding box of the path */
    bool among_all;  /* the queried tree holds all bodies of the moment */
    bool only_first; /* keep the first hit only */
    pqt_shot_hit first, *hits;
    size_t count, capacity;
} shot_search;

static bool
hit_precedes(const pqt_shot_hit *a, const pqt_shot_hit *b)
{
    if (a->sweep.time != b->sweep.time)
        return a->sweep.time < b->sweep.time;
    return a->body.id < b->body.id;
}

/* Adds a hit. Returns false when out of memory. */
static bool
add_hit(shot_search *s, const pqt_shot_hit *hit)
{
    if (s->only_first) {
        if (s->count == 0 || hit_precedes(hit, &s->first))
            s->first = *hit;
        s->count = 1;
        return true;
    }
    pqt_shot_hit *hits = pqti_grow_scratch(s->hits, s->count, &s->capacity, 1, sizeof *hits);
    if (hits == NULL)
        return false;
    s->hits = hits;
    s->hits[s->count++] = *hit;
    return true;
}

/* Returns true if a shot may hit a body, regardless of the body's position. */
static bool
can_hit(const pqt_shot *shot, const pqt_body *body)
{
    return !body->sensor &&
           pqti_categories_meet(shot->category, shot->mask, body->category, body->mask) &&
           (shot->filter == NULL || shot->filter(body, shot->context));
}

/* Sweeps the mover against a body at the body's position. Returns false when out of memory. */
static bool
test_body(shot_search *s, const pqt_body *body)
{
    const pqt_mover target = pqt_mover_circle(body->radius, body->position, body->position);
    if (!pqt_box_touches(s->box, pqti_body_item(0, body->position, body->radius).box) ||
        !can_hit(s->shot, body))
        return true;
    const pqt_shot_hit hit = {*body, pqt_sweep_pair(s->shot->mover, target, NULL)};
    if (hit.sweep.status != PQT_SWEEP_HITS && hit.sweep.status != PQT_SWEEP_OVERLAPS)
        return true;
    return add_hit(s, &hit);
}

static bool
same_vec(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

/* Returns true if two states of a body, as body maps hold them, are equal. */
static bool
same_body(const pqt_body *a, const pqt_body *b)
{
    return same_vec(a->position, b->position) && same_vec(a->velocity, b->velocity) &&
           same_vec(a->acceleration, b->acceleration) && a->radius == b->radius &&
           a->mass == b->mass && a->user_data == b->user_data && a->category == b->category &&
           a->mask == b->mask && pqti_body_roles(a) == pqti_body_roles(b) && a->angle == b->angle &&
           a->angular_velocity == b->angular_velocity;
}

/* Sweeps the mover against a body near the path, unless the body differs between the versions. */
static bool
test_item(const pqt_item *item, void *context)
{
    shot_search *s = context;
    pqt_body body, after;
    const pqt_world *world = s->moment->fraction == 1 ? s->moment->after : s->moment->before;
    const bool found = pqti_bodymap_find(&world->bodies, item->id, &body);
    PQT_INVARIANT(found, "an item of a world's tree has no body");
    if (!s->among_all &&
        (find_body(s->moment->after, item->id, &after) == NULL || !same_body(&body, &after)))
        return true;
    return test_body(s, &body);
}

static bool
test_change(const pqt_body *before, const pqt_body *after, void *context)
{
    shot_search *s = context;
    pqt_body body;
    if (s->shot->stats != NULL)
        s->shot->stats->boxes++;
    return !body_between(s->moment->fraction, before, after, &body) || test_body(s, &body);
}

/* ---- The path ---- */

static double
size_of(pqt_box box)
{
    return pqti_fmax(pqti_fmax(pqti_fabs(box.min.x), pqti_fabs(box.max.x)),
                     pqti_fmax(pqti_fabs(box.min.y), pqti_fabs(box.max.y)));
}

/* Sets the window of the path to the hull of the boxes at both ends, so that the query of an
 * oblique path does not visit the whole bounding box. */
static void
set_path(shot_search *s)
{
    const pqt_mover *mover = &s->shot->mover;
    const pqt_box from = pqti_mover_box_at(mover, mover->from);
    const pqt_box to = pqti_mover_box_at(mover, mover->to);
    const pqt_box all = pqt_box_union(from, to);
    const double margin = PATH_MARGIN * size_of(all);
    const pqt_vec corners[8] = {
        from.min, {from.max.x, from.min.y}, from.max, {from.min.x, from.max.y},
        to.min,   {to.max.x, to.min.y},     to.max,   {to.min.x, to.max.y}};
    s->box = pqt_box_grown(all, margin);
    s->query = (pqt_query){.window = s->box, .relation = PQT_TOUCHES, .stats = s->shot->stats};
    if (!same_vec(mover->from, mover->to) &&
        pqt_convex_from_points(corners, 8, margin, &s->path, NULL))
        s->query.convex = &s->path;
}

static bool
check_shot(const char *function, const pqt_shot *shot, pqt_error *error)
{
    PQT_ASSERT_IN(function, shot != NULL && pqti_words_are_zero(shot->reserved, 4),
                  "the shot is NULL, or its reserved words are not 0: start from pqt_shot_of");
    if (pqt_mover_is_valid(shot->mover))
        return true;
    pqti_error_set(error, PQT_ERROR_BOX, 0, "the mover of the shot is not valid");
    return false;
}

/* Finds all hits. Returns false when out of memory. */
static bool
search_path(shot_search *s, pqt_error *error)
{
    const pqt_moment *m = s->moment;
    s->among_all = m->fraction == 0 || m->fraction == 1 || m->before == m->after;
    set_path(s);
    bool good =
        pqt_tree_visit((m->fraction == 1 ? m->after : m->before)->tree, &s->query, test_item, s);
    if (good && !s->among_all)
        good = pqti_bodymap_compare(&m->before->bodies, &m->after->bodies, test_change, s);
    pqti_keep_alive(m->before);
    pqti_keep_alive(m->after);
    if (!good)
        pqti_out_of_memory(error);
    return good;
}

bool
pqt_moment_sweep(const pqt_moment *moment, const pqt_shot *shot, pqt_shot_hit *hit,
                 pqt_error *error)
{
    shot_search s = {.moment = moment, .shot = shot, .only_first = true};
    PQT_ASSERT(hit != NULL, "the hit is NULL");
    if (!check_moment(__func__, moment, error) || !check_shot(__func__, shot, error) ||
        !search_path(&s, error) || s.count == 0)
        return false;
    *hit = s.first;
    return true;
}

static int
in_order(const void *a, const void *b)
{
    return hit_precedes(a, b) ? -1 : hit_precedes(b, a);
}

bool
pqt_moment_visit_hits(const pqt_moment *moment, const pqt_shot *shot, pqt_visit_shot_hit_fn *visit,
                      void *context, pqt_error *error)
{
    shot_search s = {.moment = moment, .shot = shot};
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    if (!check_moment(__func__, moment, error) || !check_shot(__func__, shot, error))
        return false;
    bool good = search_path(&s, error);
    if (good && s.count > 1)
        qsort(s.hits, s.count, sizeof *s.hits, in_order);
    for (size_t i = 0; good && i < s.count; i++)
        good = visit(&s.hits[i], context);
    pqti_free_scratch(s.hits);
    return good;
}
