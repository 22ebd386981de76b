/* SPDX-License-Identifier: MIT */
/*
 * world_batch.c: applies batches of changes to bodies. The result is the same as if the changes
 * were applied one after another.
 *
 * The changes are sorted by id with a stable sort. The changes of each id are replayed separately,
 * because a change of one body never affects another body. The result is one edit for each body
 * that differs in the end. The edits are in key order, as the body map requires.
 *
 * The error reports the first change in the given order that fails. Later changes are not examined.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "tree/item_hash.h"
#include "world/rest_edit.h"

/* The input of a batch: an array of changes, or an array of bodies or ids with one kind of change
 * for all. */
typedef struct batch_source {
    const pqt_body_change *changes;
    const pqt_body *bodies;
    const uint64_t *ids;
    pqt_body_change_kind kind;
    size_t count;
} batch_source;

/* A change in the order of replay. */
typedef struct replay_entry {
    uint64_t key; /* the key of the id */
    size_t index;
} replay_entry;

/* The state of a batch. All arrays are in scratch memory. */
typedef struct batch {
    const pqt_world *world;
    pqt_body_change *changes; /* the changes with validated bodies, in the given order */
    replay_entry *order;
    size_t count;          /* number of changes to examine */
    pqti_body_edit *edits; /* net changes for the body map */
    pqt_change *moves;     /* net changes for the tree */
    size_t edit_count, move_count;
    pqti_body_totals totals; /* after the net changes */
} batch;

/* ---- Validation ---- */

static pqt_body_change
change_at(const batch_source *s, size_t index)
{
    if (s->changes != NULL)
        return s->changes[index];
    pqt_body_change change = {.kind = s->kind};
    if (s->bodies != NULL)
        change.body = s->bodies[index];
    else
        change.body.id = s->ids[index];
    return change;
}

/* Validates changes up to the first invalid one, and sets an error for that one. */
static void
validate_body_changes(batch *b, const batch_source *s, pqt_error *error)
{
    for (b->count = 0; b->count < s->count; b->count++) {
        pqt_body_change *change = &b->changes[b->count];
        *change = change_at(s, b->count);
        if (change->kind != PQT_BODY_REMOVE &&
            !pqti_validate_body(b->world, &change->body, b->count, &change->body, error))
            return;
        b->order[b->count] = (replay_entry){pqti_id_key(change->body.id), b->count};
    }
}

/* ---- Net changes ---- */

static int
by_key_and_index(const void *a, const void *b)
{
    const replay_entry *s = a, *t = b;
    if (s->key != t->key)
        return s->key < t->key ? -1 : 1;
    return s->index < t->index ? -1 : s->index > t->index;
}

/* The body with a given id, if present, in the world or after some of the changes. */
typedef struct body_state {
    pqt_body body;
    bool present;
} body_state;

/* Replays the changes of one id on `*state`. Returns the index after them. If one of them adds a
 * body that is already present, and its index is below *bad, sets *bad to that index. */
static size_t
replay_changes_of_id(const batch *b, size_t from, body_state *state, size_t *bad)
{
    size_t i = from;
    for (; i < b->count && b->order[i].key == b->order[from].key; i++) {
        const pqt_body_change *change = &b->changes[b->order[i].index];
        if (change->kind == PQT_BODY_ADD && state->present && b->order[i].index < *bad)
            *bad = b->order[i].index;
        if (change->kind == PQT_BODY_REMOVE)
            state->present = false;
        else if (state->present || change->kind == PQT_BODY_ADD)
            *state = (body_state){change->body, true};
    }
    return i;
}

static pqt_item
item_of_change(const pqt_body *body)
{
    return pqti_body_item(body->id, body->position, body->radius);
}

/* Returns the change to the tree that replaces the item of one body by the item of another. One of
 * them may be absent. */
static pqt_change
tree_change(const body_state *before, const body_state *after)
{
    if (!before->present)
        return (pqt_change){.kind = PQT_INSERT, .item = item_of_change(&after->body)};
    if (!after->present)
        return (pqt_change){.kind = PQT_REMOVE, .item = item_of_change(&before->body)};
    return (pqt_change){PQT_MOVE, item_of_change(&before->body), item_of_change(&after->body).box};
}

/* Records the replacement of one body by another. Either may be absent. */
static void
record_replacement(batch *b, const body_state *before, const body_state *after)
{
    pqti_body_edit old, edit;
    if (!before->present && !after->present)
        return;
    edit = pqti_body_edit_of(after->present ? &after->body : &before->body);
    edit.removal = !after->present;
    if (before->present) {
        old = pqti_body_edit_of(&before->body);
        if (after->present && pqti_same_states(&old, &edit))
            return;
        pqti_totals_subtract(&b->totals, &old);
    }
    if (after->present)
        pqti_totals_add(&b->totals, &edit);
    PQT_INVARIANT(b->edit_count < b->count, "a batch has more edits than changes");
    b->edits[b->edit_count++] = edit;
    b->moves[b->move_count++] = tree_change(before, after);
}

/* Reports an id that is added although it is present, either in the world or by an earlier
 * change. */
static void
report_bad_change(const batch *b, size_t bad, pqt_error *error)
{
    const uint64_t id = b->changes[bad].body.id;
    pqt_body body;
    const char *why =
        pqti_bodymap_find(&b->world->bodies, id, &body) ? "already exists" : "occurs twice";
    pqti_error_set(error, PQT_ERROR_BODY, bad, "body %zu: id %llu %s", bad, (unsigned long long)id,
                   why);
}

/* Computes the net changes. Returns false with an error set if one of the changes is impossible. */
static bool
replay_all(batch *b, pqt_error *error)
{
    size_t bad = SIZE_MAX;
    qsort(b->order, b->count, sizeof *b->order, by_key_and_index);
    for (size_t i = 0; i < b->count;) {
        body_state before = {.present = false};
        before.present = pqti_bodymap_find(&b->world->bodies, b->changes[b->order[i].index].body.id,
                                           &before.body);
        body_state after = before;
        i = replay_changes_of_id(b, i, &after, &bad);
        record_replacement(b, &before, &after);
    }
    if (bad == SIZE_MAX)
        return true;
    report_bad_change(b, bad, error);
    return false;
}

/* ---- The next version ---- */

static bool
is_edited(uint64_t id, const void *context)
{
    const batch *b = context;
    const uint64_t key = pqti_id_key(id);
    size_t from = 0, to = b->edit_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (b->edits[middle].key == key)
            return true;
        if (b->edits[middle].key < key)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

static const pqt_world *
make_next(const batch *b, pqt_error *error)
{
    const pqt_world *world = b->world;
    pqti_bodymap bodies;
    if (b->edit_count == 0)
        return world;
    const pqt_tree *tree = pqt_tree_apply(world->tree, b->moves, b->move_count, error);
    if (tree == NULL)
        return NULL;
    if (!pqti_bodymap_edit(pqti_world_memory(world), &world->bodies, b->edits, b->edit_count,
                           &bodies)) {
        pqti_out_of_memory(error);
        return NULL;
    }
    const pqti_rest_edit edit = {
        .is_edited = is_edited, .context = b, .edits = b->edits, .edit_count = b->edit_count};
    return pqti_world_next(world, tree, bodies, &b->totals, &edit, error);
}

static const pqt_world *
apply_batch(batch *b, const batch_source *s, pqt_error *error)
{
    pqt_error invalid = {0};
    validate_body_changes(b, s, &invalid);
    if (!replay_all(b, error))
        return NULL;
    if (invalid.status != PQT_OK) {
        pqti_error_set(error, invalid.status, invalid.index, "%s", invalid.text);
        return NULL;
    }
    return make_next(b, error);
}

static const pqt_world *
apply_sorted_changes(const pqt_world *world, const batch_source *s, pqt_error *error)
{
    const pqt_world *next = NULL;
    if (s->count == 0)
        return world;
    batch b = {.world = world, .totals = pqti_world_totals(world)};
    b.changes = pqti_alloc_scratch(s->count, sizeof *b.changes);
    b.order = pqti_alloc_scratch(s->count, sizeof *b.order);
    b.edits = pqti_alloc_scratch(s->count, sizeof *b.edits);
    b.moves = pqti_alloc_scratch(s->count, sizeof *b.moves);
    if (b.changes != NULL && b.order != NULL && b.edits != NULL && b.moves != NULL)
        next = apply_batch(&b, s, error);
    else
        pqti_out_of_memory(error);
    pqti_free_scratch(b.moves);
    pqti_free_scratch(b.edits);
    pqti_free_scratch(b.order);
    pqti_free_scratch(b.changes);
    pqti_keep_alive(world);
    return next;
}

const pqt_world *
pqt_world_add_all(const pqt_world *world, const pqt_body *bodies, size_t count, pqt_error *error)
{
    PQT_ASSERT(bodies != NULL || count == 0, "bodies is NULL, and count is not 0");
    const batch_source s = {.bodies = bodies, .kind = PQT_BODY_ADD, .count = count};
    return pqti_world_check_input(world, error) ? apply_sorted_changes(world, &s, error) : NULL;
}

const pqt_world *
pqt_world_remove_all(const pqt_world *world, const uint64_t *ids, size_t count, pqt_error *error)
{
    PQT_ASSERT(ids != NULL || count == 0, "ids is NULL, and count is not 0");
    const batch_source s = {.ids = ids, .kind = PQT_BODY_REMOVE, .count = count};
    return pqti_world_check_input(world, error) ? apply_sorted_changes(world, &s, error) : NULL;
}

const pqt_world *
pqt_world_change_all(const pqt_world *world, const pqt_body *bodies, size_t count, pqt_error *error)
{
    PQT_ASSERT(bodies != NULL || count == 0, "bodies is NULL, and count is not 0");
    const batch_source s = {.bodies = bodies, .kind = PQT_BODY_CHANGE, .count = count};
    return pqti_world_check_input(world, error) ? apply_sorted_changes(world, &s, error) : NULL;
}

const pqt_world *
pqt_world_apply(const pqt_world *world, const pqt_body_change *changes, size_t count,
                pqt_error *error)
{
    PQT_ASSERT(changes != NULL || count == 0, "changes is NULL, and count is not 0");
    for (size_t i = 0; i < count; i++)
        PQT_ASSERT(changes[i].kind >= PQT_BODY_ADD && changes[i].kind <= PQT_BODY_CHANGE,
                   "a change must be of one of the kinds of pqt_body_change_kind");
    const batch_source s = {.changes = changes, .count = count};
    return pqti_world_check_input(world, error) ? apply_sorted_changes(world, &s, error) : NULL;
}
