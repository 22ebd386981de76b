/* SPDX-License-Identifier: MIT */
/*
 * sleepers.c: finds the bodies that fall asleep when a step ends.
 *
 * Source: Catto, Box2D, where an island falls asleep when all its bodies have been slow for some
 * time.
 */
#include "config.h"

#include "world/sleepers.h"

#include <string.h>

#include "base/disjoint_sets.h"
#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"

/* A body is quiet in a step if it moves no faster than this fraction of its rest speed. If the
 * overlap of two bodies is undone at the largest speed (resting.c), one of them is faster than
 * that. See docs/world.md, "Sleep". */
#define QUIET_FRACTION 0x1p-5

/* Returns true if a ball was quiet in the step. Static and delayed balls are not quiet. */
static bool
is_quiet(const pqti_step_end *end, const pqti_ball *ball)
{
    const double limit = QUIET_FRACTION * ball->rest_speed;
    return !ball->is_static && !ball->is_delayed && limit > 0 && pqti_ball_speed(ball) <= limit &&
           pqti_fabs(ball->spin) * ball->radius <= limit &&
           pqti_fabs(ball->position.x - ball->start.x) <= limit * end->span &&
           pqti_fabs(ball->position.y - ball->start.y) <= limit * end->span;
}

/* Flags of an island, stored at its root. */
enum { KEPT_AWAKE = 1, SUPPORTED = 2 };

typedef struct sleep_search {
    pqti_step_end *end;
    pqti_ball **balls; /* by rank: the balls of the step */
    uint32_t *parents; /* by rank: union-find forest of islands */
    unsigned char *flags;
    size_t pushing; /* number of contacts that push, including their frictions */
    size_t falling; /* number of balls that fell asleep */
    size_t waking;  /* number of balls that woke */
} sleep_search;

static bool
pushes(const pqti_contact *contact)
{
    return contact->lasting.impulse > 0;
}

/* Returns true if a ball of a contact is kinematic and moves, or is fixed, turns and drives the
 * other ball. */
static bool
is_driven(const pqti_contact *contact, const pqti_ball *ball)
{
    return ball->is_kinematic || (ball->is_fixed && ball->spin != 0 && contact->friction > 0);
}

/* Unites balls that push each other into islands. Flags the islands that something immovable
 * supports, and those that a kinematic body drives. The latter do not sleep. */
static void
find_islands(sleep_search *s)
{
    pqti_ball *const *balls = s->balls;
    const pqti_contact_array *array = s->end->contacts;
    pqti_sets_begin(s->parents, s->end->count);
    memset(s->flags, 0, s->end->count);
    for (size_t i = 0; i < array->count; i++) {
        const pqti_contact *c = &array->contacts[i];
        if (pushes(c) && c->a != c->b && !balls[c->a]->is_fixed && !balls[c->b]->is_fixed)
            pqti_sets_unite(s->parents, c->a, c->b);
    }
    for (size_t i = 0; i < array->count; i++) {
        const pqti_contact *c = &array->contacts[i];
        if (!pushes(c))
            continue;
        s->pushing += c->friction_impulse != 0 ? 2 : 1;
        if (c->a == c->b || balls[c->a]->is_fixed || balls[c->b]->is_fixed)
            s->flags[pqti_set_root(s->parents, balls[c->a]->is_fixed ? c->b : c->a)] |=
                is_driven(c, balls[c->a]) || is_driven(c, balls[c->b]) ? KEPT_AWAKE : SUPPORTED;
    }
}

/* Returns the number of quiet steps of a ball after this step. It is 0 if no body may sleep in the
 * step. */
static uint64_t
quiet_steps(const pqti_step_end *end, const pqti_ball *ball)
{
    if (end->sleep_steps == 0 || !is_quiet(end, ball))
        return 0;
    return ball->quiet + (ball->quiet < end->sleep_steps);
}

/* Counts the quiet steps of balls. Puts a supported island to sleep if all its balls have enough
 * quiet steps. */
static void
fall_asleep(sleep_search *s)
{
    const pqti_step_end *end = s->end;
    for (uint32_t i = 0; i < end->count; i++) {
        pqti_ball *ball = s->balls[i];
        if (ball->is_fixed || ball->sleeper != PQTI_NO_SLEEPER)
            continue;
        ball->quiet = quiet_steps(end, ball);
        if (ball->quiet == 0 || ball->quiet < end->sleep_steps)
            s->flags[pqti_set_root(s->parents, i)] |= KEPT_AWAKE;
    }
    for (uint32_t i = 0; i < end->count; i++) {
        pqti_ball *ball = s->balls[i];
        if (ball->is_fixed || ball->sleeper != PQTI_NO_SLEEPER ||
            s->flags[pqti_set_root(s->parents, i)] != SUPPORTED)
            continue;
        ball->velocity = (pqt_vec){0, 0};
        ball->spin = 0;
        ball->falls_asleep = true;
        s->falling++;
    }
}

/* Arrays from which the states of a version are built. */
typedef struct rest_builder {
    const sleep_search *search;
    pqti_quiet_body *bodies;
    pqti_lasting_contact *contacts;
} rest_builder;

/* Lists the bodies that are awake and quiet, or those that fell asleep, in key order, which is the
 * order of ranks. Returns their number. */
static size_t
list_bodies(const rest_builder *b, bool asleep)
{
    const pqti_step_end *end = b->search->end;
    size_t count = 0;
    for (size_t i = 0; i < end->count; i++) {
        const pqti_ball *ball = b->search->balls[i];
        if (!ball->is_fixed && ball->sleeper == PQTI_NO_SLEEPER && ball->falls_asleep == asleep &&
            ball->quiet > 0)
            b->bodies[count++] = (pqti_quiet_body){ball->id, ball->quiet};
    }
    return count;
}

/* Returns true if the body with this index in the previous state is still asleep. */
static bool
still_sleeps(const pqti_step_end *end, size_t index)
{
    return index != SIZE_MAX && (end->wakes == NULL || !end->wakes[index]);
}

/* Lists the bodies that are asleep, in key order. Returns their number. */
static size_t
list_sleepers(const rest_builder *b)
{
    const pqti_step_end *end = b->search->end;
    const pqti_rest_draft before = pqti_rest_draft_of(end->last.asleep);
    const size_t fallen = list_bodies(b, true);
    size_t count = fallen + before.body_count - b->search->waking, from = fallen, to = count;
    for (size_t i = before.body_count; i-- > 0;) {
        if (!still_sleeps(end, i))
            continue;
        while (from > 0 && pqti_id_key(b->bodies[from - 1].id) > pqti_id_key(before.bodies[i].id))
            b->bodies[--to] = b->bodies[--from];
        b->bodies[--to] = before.bodies[i];
    }
    PQT_INVARIANT(to == from, "the sleeping bodies were miscounted");
    return count;
}

/* Returns the record of the friction of a contact. */
static pqti_lasting_contact
friction_of(const pqti_contact *contact)
{
    pqti_lasting_contact friction = contact->lasting;
    friction.side += PQTI_LASTING_FRICTION;
    friction.impulse = contact->friction_impulse;
    return friction;
}

/* Appends the contacts that push, with their frictions: those of awake balls, or those of balls
 * that fell asleep. Returns the number of contacts after that. */
static size_t
list_contacts(const rest_builder *b, bool asleep, size_t count)
{
    const pqti_step_end *end = b->search->end;
    pqti_ball *const *balls = b->search->balls;
    for (size_t i = 0; i < end->contacts->count; i++) {
        const pqti_contact *c = &end->contacts->contacts[i];
        if (!pushes(c) || (balls[c->a]->falls_asleep || balls[c->b]->falls_asleep) != asleep)
            continue;
        b->contacts[count++] = c->lasting;
        if (c->friction_impulse != 0)
            b->contacts[count++] = friction_of(c);
    }
    pqti_lasting_contacts_sort(b->contacts, count);
    return count;
}

/* Lists the contacts of the previous state whose bodies are still asleep. Returns their number. */
static size_t
list_old_contacts(const rest_builder *b)
{
    const pqti_step_end *end = b->search->end;
    const pqti_rest_draft before = pqti_rest_draft_of(end->last.asleep);
    size_t count = 0;
    for (size_t i = 0; i < before.contact_count; i++) {
        const pqti_lasting_contact *c = &before.contacts[i];
        if (still_sleeps(end, pqti_rest_find_body(end->last.asleep, c->low)) ||
            still_sleeps(end, pqti_rest_find_body(end->last.asleep, c->high)))
            b->contacts[count++] = *c;
    }
    return count;
}

static bool
make_states_after_step(pqt_memory *memory, const rest_builder *b, pqti_rest_states *made)
{
    const pqti_step_end *end = b->search->end;
    pqti_rest_draft draft = {.contacts = b->contacts,
                             .contact_count = list_contacts(b, false, 0),
                             .bodies = b->bodies,
                             .body_count = list_bodies(b, false)};
    if (!pqti_rest_make(memory, &draft, end->last.awake, &made->awake))
        return false;
    made->asleep = end->last.asleep;
    if (b->search->falling + b->search->waking == 0)
        return true;
    draft.contact_count = list_contacts(b, true, list_old_contacts(b));
    draft.body_count = list_sleepers(b);
    draft.gravity = end->gravity;
    return pqti_rest_make(memory, &draft, end->last.asleep, &made->asleep);
}

/* Builds the states after a step, with arrays in scratch memory. */
static bool
build_states(pqt_memory *memory, const sleep_search *s, pqti_rest_states *made)
{
    const bool changes = s->falling + s->waking > 0;
    const pqti_rest_draft before = pqti_rest_draft_of(changes ? s->end->last.asleep : NULL);
    rest_builder b = {.search = s};
    b.bodies = pqti_alloc_scratch(s->end->count + before.body_count, sizeof *b.bodies);
    b.contacts = pqti_alloc_scratch(s->pushing + before.contact_count, sizeof *b.contacts);
    const bool good =
        b.bodies != NULL && b.contacts != NULL && make_states_after_step(memory, &b, made);
    pqti_free_scratch(b.bodies);
    pqti_free_scratch(b.contacts);
    return good;
}

/* Counts the bodies that woke, and those that are asleep now. */
static void
count_sleepers(sleep_search *s)
{
    pqti_step_end *end = s->end;
    const size_t before = pqti_rest_draft_of(end->last.asleep).body_count;
    for (size_t i = 0; i < before && end->wakes != NULL; i++)
        s->waking += end->wakes[i];
    end->asleep = before - s->waking + s->falling;
}

bool
pqti_rest_after_step(pqt_memory *memory, pqti_step_end *end, pqti_rest_states *made)
{
    sleep_search s = {.end = end};
    s.parents = pqti_alloc_scratch(end->count, sizeof *s.parents);
    s.flags = pqti_alloc_scratch(end->count, sizeof *s.flags);
    s.balls = pqti_alloc_scratch(end->count, sizeof *s.balls);
    bool good = s.parents != NULL && s.flags != NULL && s.balls != NULL;
    if (good) {
        for (size_t i = 0; i < end->count; i++)
            s.balls[end->balls[i].rank] = &end->balls[i];
        find_islands(&s);
        fall_asleep(&s);
        count_sleepers(&s);
        good = build_states(memory, &s, made);
    }
    pqti_free_scratch(s.parents);
    pqti_free_scratch(s.flags);
    pqti_free_scratch(s.balls);
    return good;
}
