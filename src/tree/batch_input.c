/* SPDX-License-Identifier: MIT */
/* batch_input.c - changes as a caller gave them: what a tree may take, and what each comes to. */
#include "config.h"

#include "tree/batch_input.h"

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/validate.h"
#include "tree/node.h"

/* Tells which side of a box leaves the bounds. */
static void
blame_side(const pqt_tree *tree, const pqt_box *box, size_t index, pqt_error *error)
{
    const pqt_box *bounds = &tree->space->bounds;
    static const char *const names[] = {"min.x", "min.y", "max.x", "max.y"};
    const double sides[] = {box->min.x, box->min.y, box->max.x, box->max.y};
    const double borders[] = {bounds->min.x, bounds->min.y, bounds->max.x, bounds->max.y};
    int side = 0;
    while (side < 3 && (side < 2 ? sides[side] >= borders[side] : sides[side] <= borders[side]))
        side++;
    pqti_fail(error, PQT_ERROR_BOUNDS, index, "item %zu: leaves the strict bounds (%s %s %s %s)",
              index, names[side], pqti_number_of(sides[side]).text, side < 2 ? "<" : ">",
              pqti_number_of(borders[side]).text);
}

bool
pqti_admit(const pqt_tree *tree, pqt_item item, size_t index, pqt_item *admitted, pqt_error *error)
{
    if (!pqti_item_admit(item, index, admitted, error))
        return false;
    if (!tree->space->options.strict_bounds ||
        pqt_box_relates(admitted->box, tree->space->bounds, PQT_INSIDE))
        return true;
    blame_side(tree, &admitted->box, index, error);
    return false;
}

static pqt_change
given(const pqti_changes *changes, size_t i)
{
    if (changes->changes != NULL)
        return changes->changes[i];
    return (pqt_change){.kind = changes->kind, .item = changes->items[i]};
}

bool
pqti_admit_change(const pqt_tree *tree, const pqti_changes *changes, size_t i, pqt_error *error)
{
    pqt_change change = given(changes, i);
    pqt_item ignored;
    if (change.kind == PQT_INSERT)
        return pqti_admit(tree, change.item, i, &ignored, error);
    pqt_item target = {change.to, change.item.id};
    return !pqti_moves(change.kind) || pqti_admit(tree, target, i, &ignored, error);
}

/* What goes by id has no box to compare; what goes by a box that no tree holds keeps it, NaN and
   all. */
static pqt_item
touched(pqt_change_kind kind, pqt_item item)
{
    item.box = pqti_goes_by_id(kind) ? (pqt_box){{0, 0}, {0, 0}} : pqti_box_positive_zero(item.box);
    return item;
}

pqt_item
pqti_touched_at(const pqti_changes *changes, size_t i)
{
    if (changes->changes == NULL)
        return touched(changes->kind, changes->items[i]);
    const pqt_change *change = &changes->changes[i];
    return touched(change->kind, change->item);
}

pqt_change
pqti_change_at(const pqti_changes *changes, size_t i)
{
    pqt_change change = given(changes, i);
    change.item = touched(change.kind, change.item);
    if (pqti_moves(change.kind))
        change.to = pqti_box_positive_zero(change.to);
    return change;
}

bool
pqti_is_idle(const pqt_change *change)
{
    return (change->kind == PQT_REMOVE || change->kind == PQT_MOVE) &&
           !pqti_box_is_valid(&change->item.box);
}
