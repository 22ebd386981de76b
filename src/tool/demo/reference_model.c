/* SPDX-License-Identifier: MIT */
/*
 * reference_model.c: the reference for the checks of the demo, which is a plain array with a log of
 * its edits.
 *
 * An insertion appends an item; a removal moves the last item into the gap. Both can be reversed,
 * so going from one moment to another takes one step per edit in either direction.
 */
#include "config.h"

#include "tool/demo/reference_model.h"

#include <stdlib.h>

#include "tool/tool_memory.h"

model
model_of(const pqt_item *items, size_t count)
{
    model plain = {.count = count, .next_id = count};
    plain.items = xgrow(NULL, &plain.capacity, count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        plain.items[i] = (pqt_item){items[i].box, i};
    return plain;
}

void
model_free(model *plain)
{
    free(plain->items);
    free(plain->log);
    *plain = (model){.items = NULL};
}

static void
redo(model *plain, const edit *e)
{
    switch (e->kind) {
    case EDIT_INSERT:
        plain->items =
            xgrow(plain->items, &plain->capacity, plain->count + 1, sizeof *plain->items);
        plain->items[plain->count++] = e->item;
        break;
    case EDIT_REMOVE:
        plain->items[e->at] = plain->items[--plain->count];
        break;
    case EDIT_MOVE:
        plain->items[e->at].box = e->to;
        break;
    }
}

static void
undo(model *plain, const edit *e)
{
    switch (e->kind) {
    case EDIT_INSERT:
        plain->count--;
        break;
    case EDIT_REMOVE:
        plain->items[plain->count++] = plain->items[e->at];
        plain->items[e->at] = e->item;
        break;
    case EDIT_MOVE:
        plain->items[e->at].box = e->item.box;
        break;
    }
}

static void
apply_and_log(model *plain, edit e)
{
    plain->log = xgrow(plain->log, &plain->log_capacity, plain->edits + 1, sizeof *plain->log);
    plain->log[plain->edits++] = e;
    plain->moment++;
    redo(plain, &e);
}

void
model_insert(model *plain, pqt_box box)
{
    apply_and_log(plain, (edit){EDIT_INSERT, plain->count, {box, plain->next_id++}, box});
}

void
model_remove(model *plain, size_t at)
{
    apply_and_log(plain, (edit){EDIT_REMOVE, at, plain->items[at], plain->items[at].box});
}

void
model_move(model *plain, size_t at, pqt_box to)
{
    apply_and_log(plain, (edit){EDIT_MOVE, at, plain->items[at], to});
}

void
model_go(model *plain, size_t moment)
{
    while (plain->moment < moment)
        redo(plain, &plain->log[plain->moment++]);
    while (plain->moment > moment)
        undo(plain, &plain->log[--plain->moment]);
}

/* Tests relations without the library, so that the library is not checked against itself. */
static bool
has_relation(pqt_box a, pqt_box w, pqt_relation relation)
{
    switch (relation) {
    case PQT_TOUCHES:
        return !(a.max.x < w.min.x || w.max.x < a.min.x || a.max.y < w.min.y || w.max.y < a.min.y);
    case PQT_OVERLAPS:
        return a.min.x < w.max.x && w.min.x < a.max.x && a.min.y < w.max.y && w.min.y < a.max.y;
    case PQT_INSIDE:
        return w.min.x <= a.min.x && a.max.x <= w.max.x && w.min.y <= a.min.y && a.max.y <= w.max.y;
    case PQT_COVERS:
        return a.min.x <= w.min.x && w.max.x <= a.max.x && a.min.y <= w.min.y && w.max.y <= a.max.y;
    }
    return false;
}

size_t
model_search(const model *plain, pqt_box window, pqt_relation relation, pqt_item *found)
{
    size_t count = 0;
    for (size_t i = 0; i < plain->count; i++)
        if (has_relation(plain->items[i].box, window, relation))
            found[count++] = plain->items[i];
    return count;
}
