/* SPDX-License-Identifier: MIT */
/* rest_edit.c: makes the version after an edit, and finds the bodies that the edit wakes. */
#include "config.h"

#include "world/rest_edit.h"

#include <string.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"

typedef struct edit_context {
    const pqti_rest_edit *edit;
    const pqti_rest_state *asleep;
    bool *marks; /* marks the bodies of `asleep` that wake; NULL: none wakes */
    bool failed; /* there was no memory for the marks */
} edit_context;

static bool
is_edited(const pqti_rest_edit *edit, uint64_t id)
{
    return edit->is_edited != NULL && edit->is_edited(id, edit->context);
}

/* Allocates the marks at the first call, because most edits wake nothing and need none. Returns
 * false when out of memory. */
static bool
has_marks(edit_context *c)
{
    const size_t count = pqti_rest_draft_of(c->asleep).body_count;
    if (c->marks != NULL || c->failed)
        return !c->failed;
    c->marks = pqti_alloc_scratch(count, sizeof *c->marks);
    c->failed = c->marks == NULL;
    if (!c->failed)
        memset(c->marks, 0, count * sizeof *c->marks);
    return !c->failed;
}

static void
mark_body(edit_context *c, uint64_t id)
{
    const size_t index = pqti_rest_find_body(c->asleep, id);
    if (index != SIZE_MAX && has_marks(c))
        c->marks[index] = true;
}

static bool
mark_item(const pqt_item *item, void *context)
{
    mark_body(context, item->id);
    return true;
}

/* Marks the bodies that are edited, and those that touch an edited one. */
static void
mark_edited(edit_context *c)
{
    const pqti_rest_draft asleep = pqti_rest_draft_of(c->asleep);
    for (size_t i = 0; i < asleep.body_count; i++)
        if (c->edit->is_of_obstacle || is_edited(c->edit, asleep.bodies[i].id))
            mark_body(c, asleep.bodies[i].id);
    for (size_t i = 0; i < asleep.contact_count; i++) {
        const pqti_lasting_contact *contact = &asleep.contacts[i];
        if (is_edited(c->edit, contact->low))
            mark_body(c, contact->high);
        if (is_edited(c->edit, contact->high))
            mark_body(c, contact->low);
    }
}

/* Marks the bodies that the new box of an edited body touches. */
static void
mark_touched(edit_context *c, const pqt_tree *tree)
{
    for (size_t i = 0; i < c->edit->edit_count; i++) {
        const pqti_body_edit *edit = &c->edit->edits[i];
        const pqt_query query = {
            .window =
                pqti_body_item(0, edit->dynamic_state.position, edit->static_state.radius).box,
            .relation = PQT_TOUCHES};
        if (!edit->removal && (edit->static_state.roles & PQTI_SENSOR) == 0)
            pqt_tree_visit(tree, &query, mark_item, c);
    }
}

/* Returns true if a contact lasts after the edit. */
static bool
contact_lasts(const pqti_rest_edit *edit, const pqti_lasting_contact *contact)
{
    return !(edit->is_of_obstacle && pqti_lasting_side(contact) >= PQTI_LASTING_PIXELS) &&
           !is_edited(edit, contact->low) && !is_edited(edit, contact->high);
}

static bool
is_marked(const edit_context *c, uint64_t id)
{
    const size_t index = c->marks == NULL ? SIZE_MAX : pqti_rest_find_body(c->asleep, id);
    return index != SIZE_MAX && c->marks[index];
}

/* Splits the contacts and bodies of both states into awake and sleeping ones. Each array has room
 * for all of them. */
static void
split_states(const edit_context *c, const pqti_rest_state *awake, pqti_lasting_contact *contacts[2],
             pqti_quiet_body *bodies[2], pqti_rest_draft drafts[2])
{
    const pqti_rest_draft from[2] = {pqti_rest_draft_of(awake), pqti_rest_draft_of(c->asleep)};
    for (int k = 0; k < 2; k++) {
        drafts[k] = (pqti_rest_draft){
            .contacts = contacts[k], .bodies = bodies[k], .gravity = from[k].gravity};
        for (size_t i = 0; i < from[k].body_count; i++) {
            const pqti_quiet_body body = from[k].bodies[i];
            if (k == 0 ? !is_edited(c->edit, body.id) : c->marks == NULL || !c->marks[i])
                bodies[k][drafts[k].body_count++] = body;
        }
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < from[k].contact_count; i++) {
            const pqti_lasting_contact contact = from[k].contacts[i];
            const bool wakes = k == 0 || is_marked(c, contact.low) || is_marked(c, contact.high);
            if (contact_lasts(c->edit, &contact))
                contacts[wakes ? 0 : 1][drafts[wakes ? 0 : 1].contact_count++] = contact;
        }
    pqti_lasting_contacts_sort(contacts[0], drafts[0].contact_count);
}

/* Makes both new states. */
static bool
make_states(const pqt_world *world, const edit_context *c, pqti_rest_states *made)
{
    pqt_memory *memory = pqti_world_memory(world);
    const pqti_rest_states old = world->rest;
    const pqti_rest_draft awake = pqti_rest_draft_of(old.awake),
                          asleep = pqti_rest_draft_of(old.asleep);
    const size_t contacts = awake.contact_count + asleep.contact_count;
    const size_t bodies = awake.body_count + asleep.body_count;
    pqti_lasting_contact *contact_space = pqti_alloc_scratch(2 * contacts, sizeof *contact_space);
    pqti_quiet_body *body_space = pqti_alloc_scratch(2 * bodies, sizeof *body_space);
    bool good = contact_space != NULL && body_space != NULL;
    if (good) {
        pqti_rest_draft drafts[2];
        split_states(c, old.awake,
                     (pqti_lasting_contact *[]){contact_space, contact_space + contacts},
                     (pqti_quiet_body *[]){body_space, body_space + bodies}, drafts);
        good = pqti_rest_make(memory, &drafts[0], old.awake, &made->awake) &&
               pqti_rest_make(memory, &drafts[1], old.asleep, &made->asleep);
    }
    pqti_free_scratch(contact_space);
    pqti_free_scratch(body_space);
    return good;
}

/* Returns true if the edit removes a contact or a quiet body from the state of awake bodies. */
static bool
removes_from_awake(const pqti_rest_edit *edit, const pqti_rest_state *awake)
{
    const pqti_rest_draft draft = pqti_rest_draft_of(awake);
    for (size_t i = 0; i < draft.body_count; i++)
        if (is_edited(edit, draft.bodies[i].id))
            return true;
    for (size_t i = 0; i < draft.contact_count; i++)
        if (!contact_lasts(edit, &draft.contacts[i]))
            return true;
    return false;
}

bool
pqti_rest_after_edit(const pqt_world *world, const pqti_rest_edit *edit, pqti_rest_states *made)
{
    edit_context c = {.edit = edit, .asleep = world->rest.asleep};
    const bool ends = edit->is_edited != NULL || edit->is_of_obstacle;
    *made = world->rest;
    if (made->awake == NULL && made->asleep == NULL)
        return true;
    if (ends)
        mark_edited(&c);
    if (c.asleep != NULL)
        mark_touched(&c, world->tree);
    bool good = !c.failed;
    if (good && c.marks != NULL)
        good = pqti_rest_mark_islands(c.asleep, c.marks);
    if (good && (c.marks != NULL || (ends && removes_from_awake(edit, made->awake))))
        good = make_states(world, &c, made);
    pqti_free_scratch(c.marks);
    return good;
}

const pqt_world *
pqti_world_next(const pqt_world *world, const pqt_tree *tree, pqti_bodymap bodies,
                const pqti_body_totals *totals, const pqti_rest_edit *edit, pqt_error *error)
{
    pqt_world next = *world;
    next.tree = tree;
    next.bodies = bodies;
    next.fingerprint = totals->fingerprint;
    next.mobile = (uint32_t)totals->mobile;
    next.events = NULL;
    if (pqti_rest_after_edit(world, edit, &next.rest))
        return pqti_world_make(&next, error);
    pqti_out_of_memory(error);
    return NULL;
}
