/* SPDX-License-Identifier: MIT */
/*
 * changed.c - the ids that changed from one version to another, found by a hash table.
 *
 * The difference of the versions names each id twice at most: where it was, and where it is. The
 * table brings the two together, and tells of any other item that it did not change, so that no id
 * map need be asked.
 */
#include "config.h"

#include "collision/changed.h"

#include <string.h>

#include "algebra/list.h"
#include "memory/memory.h"

/* The slot of an id: that of the one that changed, or an empty one. */
static uint32_t *
slot_of(const pqti_changes_by_id *all, uint64_t id)
{
    size_t i = (size_t)pqti_id_key(id) & all->mask;
    while (all->slots[i] != 0 && all->changed[all->slots[i] - 1].before.id != id)
        i = (i + 1) & all->mask;
    return &all->slots[i];
}

const pqti_changed *
pqti_changed_find(const pqti_changes_by_id *all, uint64_t id)
{
    uint32_t number = *slot_of(all, id);
    return number == 0 ? NULL : &all->changed[number - 1];
}

static void
take(pqti_changes_by_id *all, const pqt_item *item, bool went)
{
    uint32_t *slot = slot_of(all, item->id);
    if (*slot == 0) {
        all->changed[all->count] = (pqti_changed){.before = *item, .after = *item};
        *slot = (uint32_t)++all->count;
    }
    pqti_changed *one = &all->changed[*slot - 1];
    *(went ? &one->before : &one->after) = *item;
    *(went ? &one->was : &one->is) = true;
}

/* Room for as many ids as there are differences; false: no memory. */
static bool
make_room(pqti_changes_by_id *all, size_t differences)
{
    size_t slots = 16;
    while (slots < 2 * differences)
        slots *= 2;
    *all = (pqti_changes_by_id){.mask = slots - 1};
    all->changed = pqti_scratch(differences + 1, sizeof *all->changed);
    all->slots = all->changed == NULL ? NULL : pqti_scratch(slots, sizeof *all->slots);
    if (all->slots != NULL) {
        memset(all->slots, 0, slots * sizeof *all->slots);
        return true;
    }
    pqti_changes_by_id_free(all);
    return false;
}

bool
pqti_changes_by_id_of(const pqt_tree *before, const pqt_tree *after, pqt_tally *tally,
                      pqti_changes_by_id *all)
{
    pqti_list list = {0};
    bool found = pqti_list_differences(&list, before->space, NULL, tally, PQTI_ROOT,
                                       pqti_root(before), pqti_root(after)) &&
                 make_room(all, list.count);
    for (size_t i = 0; found && i < list.count; i++)
        take(all, &list.items[i], list.removals[i]);
    pqti_list_free(&list);
    return found;
}

void
pqti_changes_by_id_free(pqti_changes_by_id *all)
{
    pqti_scratch_free(all->changed);
    pqti_scratch_free(all->slots);
    *all = (pqti_changes_by_id){0};
}
