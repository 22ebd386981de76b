/* SPDX-License-Identifier: MIT */
/* batch_input.c: validates the changes of a batch and converts them to canonical numbers. */
#include "config.h"

#include "tree/batch_input.h"

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/validate.h"
#include "tree/node.h"

/* Sets an error that names the first side of a box that is outside the bounds. */
static void
report_bad_side(const pqt_tree *tree, const pqt_box *box, size_t index, pqt_error *error)
{
    const pqt_box *bounds = &tree->domain->bounds;
    static const char *const names[] = {"min.x", "min.y", "max.x", "max.y"};
    const double sides[] = {box->min.x, box->min.y, box->max.x, box->max.y};
    const double borders[] = {bounds->min.x, bounds->min.y, bounds->max.x, bounds->max.y};
    int side = 0;
    while (side < 3 && (side < 2 ? sides[side] >= borders[side] : sides[side] <= borders[side]))
        side++;
    pqti_error_set(error, PQT_ERROR_BOUNDS, index,
                   "item %zu: leaves the strict bounds (%s %s %s %s)", index, names[side],
                   pqti_format_double(sides[side]).text, side < 2 ? "<" : ">",
                   pqti_format_double(borders[side]).text);
}

bool
pqti_admit_item(const pqt_tree *tree, const pqt_item *item, size_t index, pqt_item *admitted,
                pqt_error *error)
{
    if (!pqti_validate_item(item, index, admitted, error))
        return false;
    if (!tree->domain->options.strict_bounds ||
        pqt_box_relates(admitted->box, tree->domain->bounds, PQT_INSIDE))
        return true;
    report_bad_side(tree, &admitted->box, index, error);
    return false;
}

static pqt_change
given_change(const pqti_change_array *changes, size_t i)
{
    if (changes->changes != NULL)
        return changes->changes[i];
    return (pqt_change){.kind = changes->kind, .item = changes->items[i]};
}

bool
pqti_validate_change(const pqt_tree *tree, const pqti_change_array *changes, size_t i,
                     pqt_error *error)
{
    pqt_change change = given_change(changes, i);
    pqt_item ignored;
    if (change.kind == PQT_INSERT)
        return pqti_admit_item(tree, &change.item, i, &ignored, error);
    pqt_item target = {change.to, change.item.id};
    return !pqti_moves(change.kind) || pqti_admit_item(tree, &target, i, &ignored, error);
}

/*
 * Returns the item that a change addresses. It has a zero box if the change is by id; otherwise its
 * box has no -0.0. A box that is not valid keeps its NaN.
 */
static pqt_item
target_of_change(pqt_change_kind kind, pqt_item item)
{
    item.box = pqti_is_by_id(kind) ? (pqt_box){{0, 0}, {0, 0}} : pqti_box_positive_zero(item.box);
    return item;
}

pqt_item
pqti_target_item(const pqti_change_array *changes, size_t i)
{
    if (changes->changes == NULL)
        return target_of_change(changes->kind, changes->items[i]);
    const pqt_change *change = &changes->changes[i];
    return target_of_change(change->kind, change->item);
}

pqt_change
pqti_change_at(const pqti_change_array *changes, size_t i)
{
    pqt_change change = given_change(changes, i);
    change.item = target_of_change(change.kind, change.item);
    if (pqti_moves(change.kind))
        change.to = pqti_box_positive_zero(change.to);
    return change;
}

bool
pqti_is_noop(const pqt_change *change)
{
    return (change->kind == PQT_REMOVE || change->kind == PQT_MOVE) &&
           !pqti_box_is_valid(&change->item.box);
}
