/* SPDX-License-Identifier: MIT */
/* contact_events.c: collects the contact events of a step. */
#include "config.h"

#include "world/contact_events.h"

#include <stdlib.h>
#include <string.h>

#include "memory/memory_internal.h"

/* ---- The log ---- */

void
pqti_events_add(pqti_event_log *log, const pqt_contact_event *event)
{
    pqt_contact_event *events =
        pqti_grow_scratch(log->events, log->count, &log->capacity, 1, sizeof *events);
    log->has_failed = log->has_failed || events == NULL;
    if (events == NULL)
        return;
    log->events = events;
    log->events[log->count++] = *event;
}

void
pqti_events_free(pqti_event_log *log)
{
    pqti_free_scratch(log->events);
}

/* Completes and adds an event that concerns two balls at their current positions. */
static void
add_at_positions(pqti_event_log *log, pqt_contact_event *event, const pqti_ball *a,
                 const pqti_ball *b, pqt_vec normal)
{
    const double length = sqrt(pqti_dot(normal, normal));
    const bool swaps = b->id < a->id;
    const pqti_ball *low = swaps ? b : a;
    const double scale = swaps ? -1 / length : 1 / length;
    event->low = low->id;
    event->high = swaps ? a->id : b->id;
    event->normal = (pqt_vec){normal.x * scale + 0.0, normal.y * scale + 0.0};
    const pqt_vec at = pqti_ball_at(low, event->time);
    event->point =
        (pqt_vec){at.x + event->normal.x * low->radius, at.y + event->normal.y * low->radius};
    pqti_events_add(log, event);
}

void
pqti_events_add_hit(pqti_event_log *log, const pqti_ball *a, const pqti_ball *b,
                    pqt_contact_side side, pqt_vec normal, double impulse, double time)
{
    pqt_contact_event event = {
        .time = time, .kind = PQT_CONTACT_HIT, .side = side, .impulse = impulse};
    if (log->is_wanted && impulse > 0)
        add_at_positions(log, &event, a, b, normal);
}

/* Returns the kind of partner that a body has in a lasting contact: a body, a wall or the
 * obstacle. */
static pqt_contact_side
side_of(const pqti_lasting_contact *contact)
{
    return contact->side >= PQTI_LASTING_PIXELS ? PQT_SIDE_OBSTACLE
                                                : (pqt_contact_side)contact->side;
}

/* Adds an event that concerns a solved contact. */
static void
add_contact(pqti_event_log *log, const pqti_ball *balls, const pqti_contact *c,
            pqt_contact_event_kind kind, double time)
{
    pqt_contact_event event = {
        .time = time, .kind = kind, .side = side_of(&c->lasting), .impulse = c->lasting.impulse};
    add_at_positions(log, &event, &balls[c->a], &balls[c->b], c->normal);
}

void
pqti_events_add_cluster(pqti_event_log *log, const pqti_ball *balls,
                        const pqti_contact_array *contacts, double time)
{
    for (size_t i = 0; log->is_wanted && i < contacts->count; i++)
        if (contacts->contacts[i].lasting.impulse > 0)
            add_contact(log, balls, &contacts->contacts[i], PQT_CONTACT_HIT, time);
}

/* ---- Lasting contacts ---- */

static int
compare_numbers(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* Orders events by their bodies and side. A body may begin or end several contacts with pixels, in
 * several directions. Events that are equal in this order are equal, because the order in which
 * qsort leaves others depends on the C library. */
static int
compare_lasting_events(const void *a, const void *b)
{
    const pqt_contact_event *x = a, *y = b;
    const pqti_lasting_contact p = {x->low, x->high, x->side, 0}, q = {y->low, y->high, y->side, 0};
    const int by_ids = pqti_lasting_contact_compare(&p, &q);
    if (by_ids != 0)
        return by_ids;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    const int by_x = compare_numbers(x->normal.x, y->normal.x);
    const int by_y = compare_numbers(x->normal.y, y->normal.y);
    return by_x != 0 ? by_x : by_y != 0 ? by_y : compare_numbers(x->impulse, y->impulse);
}

static void
add_begins(pqti_event_log *log, const pqti_ball *balls, const pqti_contact_array *contacts,
           pqti_rest_states last)
{
    for (size_t i = 0; i < contacts->count; i++) {
        const pqti_lasting_contact *c = &contacts->contacts[i].lasting;
        if (c->impulse > 0 && pqti_rest_impulse(last.awake, c->low, c->high, c->side) == 0 &&
            pqti_rest_impulse(last.asleep, c->low, c->high, c->side) == 0)
            add_contact(log, balls, &contacts->contacts[i], PQT_CONTACT_BEGIN, 0);
    }
}

/* Returns true if a contact belongs to a body that is still asleep. */
static bool
is_asleep(const pqti_rest_state *before, const bool *wakes, const pqti_lasting_contact *contact)
{
    const size_t low = wakes == NULL ? SIZE_MAX : pqti_rest_find_body(before, contact->low);
    const size_t high = wakes == NULL ? SIZE_MAX : pqti_rest_find_body(before, contact->high);
    return (low != SIZE_MAX && !wakes[low]) || (high != SIZE_MAX && !wakes[high]);
}

/* Adds an end event for each contact of a state that no longer pushes. `now` lists the contacts
 * that push now and is sorted. Contacts of bodies that are still asleep do not end: if the state is
 * that of sleeping bodies, `wakes` marks the others. */
static void
add_ends(pqti_event_log *log, const pqti_rest_state *before, const pqti_lasting_contact *now,
         size_t count, const bool *wakes)
{
    const pqti_rest_draft draft = pqti_rest_draft_of(before);
    for (size_t i = 0, k = 0; i < draft.contact_count; i++) {
        const pqti_lasting_contact *c = &draft.contacts[i];
        while (k < count && pqti_lasting_contact_compare(&now[k], c) < 0)
            k++;
        if (c->side >= PQTI_LASTING_FRICTION ||
            (k < count && pqti_lasting_contact_compare(&now[k], c) == 0) ||
            is_asleep(before, wakes, c))
            continue;
        pqti_events_add(
            log, &(pqt_contact_event){
                     .kind = PQT_CONTACT_END, .side = side_of(c), .low = c->low, .high = c->high});
    }
}

/* Lists the contacts that push, sorted. */
static size_t
list_now(const pqti_contact_array *contacts, pqti_lasting_contact *now)
{
    size_t pushing = 0;
    for (size_t i = 0; i < contacts->count; i++)
        if (contacts->contacts[i].lasting.impulse > 0)
            now[pushing++] = contacts->contacts[i].lasting;
    pqti_lasting_contacts_sort(now, pushing);
    return pushing;
}

void
pqti_events_add_lasting(pqti_event_log *log, const pqti_ball *balls,
                        const pqti_contact_array *contacts, pqti_rest_states last,
                        const bool *wakes)
{
    if (!log->is_wanted)
        return;
    pqti_lasting_contact *now = pqti_alloc_scratch(contacts->count, sizeof *now);
    log->has_failed = log->has_failed || now == NULL;
    if (now != NULL) {
        const size_t pushing = list_now(contacts, now);
        add_begins(log, balls, contacts, last);
        add_ends(log, last.awake, now, pushing, NULL);
        if (wakes != NULL)
            add_ends(log, last.asleep, now, pushing, wakes);
        if (log->count > 1)
            qsort(log->events, log->count, sizeof *log->events, compare_lasting_events);
    }
    pqti_free_scratch(now);
}

/* ---- Blocks ---- */

static size_t
size_of_block(size_t count)
{
    return pqti_rounded(sizeof(pqti_event_block) + count * sizeof(pqt_contact_event));
}

bool
pqti_events_make(pqt_memory *memory, const pqt_contact_event *events, size_t count,
                 const pqti_event_block **made)
{
    *made = NULL;
    if (count == 0)
        return true;
    pqti_event_block *block = pqti_alloc_leaf(memory, size_of_block(count));
    if (block == NULL)
        return false;
    block->count = count;
    block->unused = 0;
    memcpy(block->events, events, count * sizeof *events);
    *made = block;
    return true;
}

size_t
pqti_events_bytes(const pqt_memory *memory, const pqti_event_block *block)
{
    return block == NULL ? 0 : pqti_block_size(memory, block, size_of_block(block->count));
}

bool
pqti_events_copy(pqt_memory *memory, const pqti_event_block *block, const pqti_event_block **copy)
{
    *copy = NULL;
    return block == NULL || pqti_events_make(memory, block->events, block->count, copy);
}
