/* SPDX-License-Identifier: MIT */
/*
 * changed_items.c - the items that changed from one version to another, found by hash tables.
 *
 * Where ids are unique, the difference of the versions names each twice at most: where it was, and
 * where it is. A table brings the two together, and tells of any other item that it did not change,
 * so that no id map need be asked.
 *
 * Where an id comes more often, its items are *apart*: each is one that went or one that came. The
 * table of ids has the first of them; all are in a second table, by what they are: so many items of
 * one id are no scan.
 */
#include "config.h"

#include "collision/changed_items.h"

#include <string.h>

#include "memory/memory_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/item_hash.h"

/* The slot of an id: that of the first of it, or an empty one. */
static uint32_t *
slot_of_id(const pqti_changed_items *all, uint64_t id)
{
    size_t i = (size_t)pqti_id_key(id) & all->id_mask;
    while (all->by_id[i] != 0 && all->changed[all->by_id[i] - 1].before.id != id)
        i = (i + 1) & all->id_mask;
    return &all->by_id[i];
}

/* Whether one that changed is, in the version asked for, this item. */
static bool
is_item(const pqti_changed *one, const pqt_item *item, bool later)
{
    return (later ? one->is : one->was) && pqt_item_equals(later ? one->after : one->before, *item);
}

/* The same of an item that is apart. */
static uint32_t *
slot_of_item(const pqti_changed_items *all, const pqt_item *item, bool later)
{
    size_t i = (size_t)pqti_mix(item) & all->item_mask;
    while (all->by_item[i] != 0 && !is_item(&all->changed[all->by_item[i] - 1], item, later))
        i = (i + 1) & all->item_mask;
    return &all->by_item[i];
}

const pqti_changed *
pqti_changed_find(const pqti_changed_items *all, const pqt_item *item, bool later)
{
    uint32_t number = *slot_of_id(all, item->id);
    if (number != 0 && all->changed[number - 1].apart)
        number = *slot_of_item(all, item, later);
    if (number == 0 || !is_item(&all->changed[number - 1], item, later))
        return NULL;
    return &all->changed[number - 1];
}

static void
set(pqti_changed *one, const pqt_item *item, bool came)
{
    if (!one->was && !one->is)
        one->before = one->after = *item;
    *(came ? &one->after : &one->before) = *item;
    *(came ? &one->is : &one->was) = true;
}

/* Makes an entry of each id; false: an id went or came twice, and is apart. */
static bool
add_id(pqti_changed_items *all, const pqt_item *item, bool came)
{
    uint32_t *slot = slot_of_id(all, item->id);
    if (*slot == 0) {
        all->changed[all->count] = (pqti_changed){.before = *item};
        *slot = (uint32_t)++all->count;
    }
    pqti_changed *one = &all->changed[*slot - 1];
    one->apart |= came ? one->is : one->was;
    set(one, item, came);
    return !one->apart;
}

/* An empty table with room for `count`; NULL: no memory. */
static uint32_t *
make_table(size_t count, size_t *mask)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    *mask = slots - 1;
    uint32_t *table = pqti_scratch(slots, sizeof *table);
    if (table != NULL)
        memset(table, 0, slots * sizeof *table);
    return table;
}

/* Makes an entry of each item whose id is apart; that of the id becomes the first of them. False:
   no memory. */
static bool
add_apart(pqti_changed_items *all, const pqti_list *list)
{
    all->by_item = make_table(list->count, &all->item_mask);
    for (size_t i = 0; i < all->count; i++)
        if (all->changed[i].apart)
            all->changed[i].was = all->changed[i].is = false;
    for (size_t i = 0; all->by_item != NULL && i < list->count; i++) {
        const pqt_item *item = &list->items[i];
        uint32_t number = *slot_of_id(all, item->id);
        if (!all->changed[number - 1].apart)
            continue;
        if (all->changed[number - 1].was || all->changed[number - 1].is) {
            number = (uint32_t)++all->count;
            all->changed[number - 1] = (pqti_changed){.apart = true};
        }
        *slot_of_item(all, item, !list->removals[i]) = number;
        set(&all->changed[number - 1], item, !list->removals[i]);
    }
    return all->by_item != NULL;
}

/* False: no memory. */
static bool
add_all(pqti_changed_items *all, const pqti_list *list)
{
    bool unique = true;
    all->changed = pqti_scratch(list->count + 1, sizeof *all->changed);
    all->by_id = all->changed == NULL ? NULL : make_table(list->count, &all->id_mask);
    for (size_t i = 0; all->by_id != NULL && i < list->count; i++)
        unique &= add_id(all, &list->items[i], !list->removals[i]);
    return all->by_id != NULL && (unique || add_apart(all, list));
}

bool
pqti_changed_items_of(const pqt_tree *before, const pqt_tree *after, pqt_tally *tally,
                      pqti_changed_items *all)
{
    pqti_list list = {0};
    *all = (pqti_changed_items){0};
    bool found = pqti_list_differences(&list, before->space, NULL, tally, PQTI_ROOT,
                                       pqti_root(before), pqti_root(after)) &&
                 add_all(all, &list);
    pqti_list_free(&list);
    if (!found)
        pqti_changed_items_free(all);
    return found;
}

void
pqti_changed_items_free(pqti_changed_items *all)
{
    pqti_scratch_free(all->changed);
    pqti_scratch_free(all->by_id);
    pqti_scratch_free(all->by_item);
    *all = (pqti_changed_items){0};
}
