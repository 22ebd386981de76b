/* SPDX-License-Identifier: MIT */
/* batch.c - what a list of changes comes to. */
#include "config.h"

#include "tree/batch.h"

#include <string.h>

#include "base/error.h"
#include "base/item.h"
#include "base/number.h"
#include "memory/memory.h"
#include "tree/mix.h"
#include "tree/node.h"

/* With more changes than a quarter of the items, a table of all items costs less than asking the tree
   for each. With more wishes than items (half of them moved), building anew costs less than a descent. */
enum { KNOWN_SHARE = 4 };

/* Whether an item is there, as far as it is known. */
typedef enum presence { UNKNOWN, ABSENT, PRESENT } presence;

/* An item, or with unique ids an id, that changes touch. */
typedef struct trace {
    pqt_item first; /* as the tree holds it, where `before` says so */
    pqt_item last;  /* as the changes leave it, where `after` says so */
    presence before, after;
} trace;

/* Changes as the caller gave them: one by one, or the same for all of many items. */
typedef struct change_source {
    const pqt_change *changes;
    const pqt_item *items; /* where changes is NULL */
    pqt_change_kind kind;
    size_t count;
} change_source;

/* An open hash table of what is touched: slots hold an index into `all`, plus 1. */
typedef struct table {
    const pqt_tree *tree;
    bool unique;
    bool known; /* all items of the tree are in the table: what is not, is not there */
    trace *all;
    size_t count;
    uint32_t *slots;
    size_t mask;
} table;

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

static bool
moves(pqt_change_kind kind)
{
    return kind == PQT_MOVE || kind == PQT_MOVE_ID;
}

static pqt_change
change_at(const change_source *source, size_t i)
{
    if (source->changes != NULL)
        return source->changes[i];
    return (pqt_change){.kind = source->kind, .item = source->items[i]};
}

/* The change with its boxes fit for the tree; what is only to be removed may be any box. */
static bool
admit_change(const pqt_tree *tree, const change_source *source, size_t i, pqt_change *change,
             pqt_error *error)
{
    *change = change_at(source, i);
    if (change->kind == PQT_INSERT)
        return pqti_admit(tree, change->item, i, &change->item, error);
    if (change->kind == PQT_REMOVE || change->kind == PQT_MOVE)
        change->item.box = pqti_box_positive_zero(change->item.box);
    else
        change->item.box = (pqt_box){{0, 0}, {0, 0}}; /* not read: it goes by id */
    if (!moves(change->kind))
        return true;
    pqt_item target = {change->to, change->item.id};
    if (!pqti_admit(tree, target, i, &target, error))
        return false;
    change->to = target.box;
    return true;
}

/* A box that no tree holds is not there, so nothing is to be removed or moved. */
static bool
is_idle(const pqt_change *change)
{
    return (change->kind == PQT_REMOVE || change->kind == PQT_MOVE) &&
           !pqti_box_is_valid(&change->item.box);
}

static bool
is_same(const table *t, const pqt_item *a, const pqt_item *b)
{
    return t->unique ? a->id == b->id : memcmp(a, b, sizeof *a) == 0;
}

/* The entry of an item, or of its id, made if it is touched for the first time. */
static trace *
touch(table *t, const pqt_item *item)
{
    size_t slot = (size_t)(t->unique ? pqti_id_key(item->id) : pqti_mix(item)) & t->mask;
    for (; t->slots[slot] != 0; slot = (slot + 1) & t->mask) {
        trace *known = &t->all[t->slots[slot] - 1];
        if (is_same(t, &known->first, item))
            return known;
    }
    trace *new = &t->all[t->count++];
    t->slots[slot] = (uint32_t)t->count;
    *new = (trace){*item, *item, UNKNOWN, UNKNOWN};
    if (t->known)
        new->before = new->after = ABSENT;
    else if (t->unique)
        new->before = new->after =
            pqti_ids_find(t->tree->ids, item->id, &new->first) ? PRESENT : ABSENT;
    if (new->before == PRESENT)
        new->last = new->first;
    return new;
}

static bool
is_present(const table *t, trace *touched)
{
    if (touched->after == UNKNOWN)
        touched->before = touched->after =
            pqt_tree_contains(t->tree, touched->first) ? PRESENT : ABSENT;
    return touched->after == PRESENT;
}

/* Whether the very item, box and id, is there. */
static bool
holds(const table *t, trace *touched, const pqt_item *item)
{
    return is_present(t, touched) && memcmp(&touched->last, item, sizeof *item) == 0;
}

static void
put(trace *touched, const pqt_item *item)
{
    touched->last = *item;
    touched->after = PRESENT;
}

static void
move(table *t, trace *from, pqt_box to)
{
    pqt_item target = {to, from->last.id};
    from->after = ABSENT;
    put(touch(t, &target), &target);
}

static void
play(table *t, const pqt_change *change)
{
    trace *touched = touch(t, &change->item);
    switch (change->kind) {
    case PQT_INSERT:
        put(touched, &change->item);
        break;
    case PQT_REMOVE:
        if (!t->unique || holds(t, touched, &change->item))
            touched->after = ABSENT;
        break;
    case PQT_MOVE:
        if (holds(t, touched, &change->item))
            move(t, touched, change->to);
        break;
    case PQT_REMOVE_ID:
        touched->after = ABSENT;
        break;
    case PQT_MOVE_ID:
        if (is_present(t, touched))
            move(t, touched, change->to);
        break;
    }
}

static void
wish(pqti_wishes *wishes, const pqt_item *item, bool removal)
{
    wishes->items[wishes->count] = *item;
    wishes->removals[wishes->count++] = removal;
}

static void
wish_id(pqti_wishes *wishes, const pqt_item *item, bool removal)
{
    wishes->id_edits[wishes->id_count++] = (pqti_id_edit){pqti_id_key(item->id), *item, removal};
}

/* What has become of an id. */
static void
conclude_id(pqti_wishes *wishes, const trace *touched)
{
    bool was = touched->before == PRESENT, is = touched->after == PRESENT;
    if (was && is && memcmp(&touched->first, &touched->last, sizeof touched->first) == 0)
        return;
    if (was)
        wish(wishes, &touched->first, true);
    if (is)
        wish(wishes, &touched->last, false);
    if (was || is)
        wish_id(wishes, &touched->last, !is);
}

static void
conclude(const table *t, pqti_wishes *wishes)
{
    for (size_t i = 0; i < t->count; i++) {
        const trace *touched = &t->all[i];
        if (t->unique)
            conclude_id(wishes, touched);
        else if (touched->after != UNKNOWN && touched->after != touched->before)
            wish(wishes, &touched->first, touched->after == ABSENT);
    }
}

/* Instead of the differences, from a table of all items: what shall be there. */
static void
conclude_whole(const table *t, pqti_wishes *wishes)
{
    wishes->whole = true;
    wishes->count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->all[i].after == PRESENT)
            wish(wishes, &t->all[i].last, false);
}

/* A table with room for so many. */
static bool
make_table(table *t, const pqt_tree *tree, size_t room)
{
    size_t slots = 16;
    while (slots < 2 * room)
        slots *= 2;
    *t = (table){.tree = tree, .unique = tree->space->options.unique_ids, .mask = slots - 1};
    t->all = pqti_scratch(room, sizeof *t->all);
    t->slots = t->all == NULL ? NULL : pqti_scratch(slots, sizeof *t->slots);
    if (t->slots == NULL) {
        pqti_scratch_free(t->all);
        return false;
    }
    memset(t->slots, 0, slots * sizeof *t->slots);
    return true;
}

static void
free_table(table *t)
{
    pqti_scratch_free(t->slots);
    pqti_scratch_free(t->all);
}

static bool
make_wishes(pqti_wishes *wishes, size_t count, bool unique)
{
    *wishes = (pqti_wishes){0};
    wishes->items = pqti_scratch(count, sizeof *wishes->items);
    wishes->removals = pqti_scratch(count, sizeof *wishes->removals);
    if (unique)
        wishes->id_edits = pqti_scratch(count, sizeof *wishes->id_edits);
    if (wishes->items != NULL && wishes->removals != NULL && (!unique || wishes->id_edits != NULL))
        return true;
    pqti_wishes_free(wishes);
    return false;
}

void
pqti_wishes_free(pqti_wishes *wishes)
{
    pqti_scratch_free(wishes->items);
    pqti_scratch_free(wishes->removals);
    pqti_scratch_free(wishes->id_edits);
    *wishes = (pqti_wishes){0};
}

/* Without moves and unique ids, no change depends on another. */
static bool
take_directly(const pqt_tree *tree, const change_source *source, pqti_wishes *wishes,
              pqt_error *error)
{
    for (size_t i = 0; i < source->count; i++) {
        pqt_change change = change_at(source, i);
        bool removal = change.kind == PQT_REMOVE;
        if (!removal && !pqti_admit(tree, change.item, i, &change.item, error))
            return false;
        if (is_idle(&change))
            continue;
        change.item.box = pqti_box_positive_zero(change.item.box);
        wish(wishes, &change.item, removal);
    }
    return true;
}

/* Every item of the tree, and that it is there. */
static bool
touch_known(const pqt_item *item, void *context)
{
    table *t = context;
    trace *touched = touch(t, item);
    touched->before = touched->after = PRESENT;
    return true;
}

static bool
play_all(const pqt_tree *tree, const change_source *source, bool known, pqti_wishes *wishes,
         pqt_error *error)
{
    table t;
    if (!make_table(&t, tree, 2 * source->count + (known ? tree->count : 0))) {
        pqti_out_of_memory(error);
        return false;
    }
    t.known = known;
    if (known)
        pqti_each_item(pqti_root(tree), touch_known, &t);
    bool admitted = true;
    for (size_t i = 0; i < source->count && admitted; i++) {
        pqt_change change;
        admitted = admit_change(tree, source, i, &change, error);
        if (admitted && !is_idle(&change))
            play(&t, &change);
    }
    if (admitted)
        conclude(&t, wishes);
    if (admitted && known && wishes->count > tree->count)
        conclude_whole(&t, wishes);
    free_table(&t);
    return admitted;
}

static bool
are_independent(const pqt_tree *tree, const change_source *source)
{
    if (tree->space->options.unique_ids)
        return false;
    for (size_t i = 0; source->changes != NULL && i < source->count; i++)
        if (moves(source->changes[i].kind))
            return false;
    return true;
}

static void
assert_kinds(const pqt_tree *tree, const pqt_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PQT_ASSERT_IN("pqt_tree_apply",
                      changes[i].kind >= PQT_INSERT && changes[i].kind <= PQT_MOVE_ID,
                      "a change must be of one of the kinds of pqt_change_kind");
        PQT_ASSERT_IN("pqt_tree_apply",
                      changes[i].kind < PQT_REMOVE_ID || tree->space->options.unique_ids,
                      "changes by id need a tree with unique_ids");
    }
}

bool
pqti_may_count(size_t count, pqt_error *error)
{
    if (count <= PQT_MAX_ITEMS)
        return true;
    pqti_fail(error, PQT_ERROR_LIMIT, 0, "%zu at once, at most %d", count, PQT_MAX_ITEMS);
    return false;
}

static bool
wishes_of(const pqt_tree *tree, const change_source *source, pqti_wishes *wishes, pqt_error *error)
{
    if (!pqti_may_count(source->count, error))
        return false;
    bool independent = are_independent(tree, source);
    bool known = !independent && source->count > tree->count / KNOWN_SHARE;
    size_t room = (independent ? source->count : 2 * source->count) + (known ? tree->count : 0);
    if (!make_wishes(wishes, room, tree->space->options.unique_ids)) {
        pqti_out_of_memory(error);
        return false;
    }
    bool taken = independent ? take_directly(tree, source, wishes, error)
                             : play_all(tree, source, known, wishes, error);
    if (!taken)
        pqti_wishes_free(wishes);
    return taken;
}

bool
pqti_wishes_of(const pqt_tree *tree, const pqt_change *changes, size_t count, pqti_wishes *wishes,
               pqt_error *error)
{
    if (count <= PQT_MAX_ITEMS)
        assert_kinds(tree, changes, count);
    return wishes_of(tree, &(change_source){.changes = changes, .count = count}, wishes, error);
}

bool
pqti_wishes_of_items(const pqt_tree *tree, pqt_change_kind kind, const pqt_item *items,
                     size_t count, pqti_wishes *wishes, pqt_error *error)
{
    return wishes_of(tree, &(change_source){.items = items, .kind = kind, .count = count}, wishes,
                     error);
}
