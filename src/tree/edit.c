/* SPDX-License-Identifier: MIT */
/*
 * edit.c - path copying: one descent that makes items present or absent.
 *
 * At an inner node the edits fall into ranges, one for each part, as the items themselves do; a part
 * without edits is taken over as it is. At a leaf, its items and the edits are merged, both being in
 * order. The way back joins the parts: only there is decided whether a node stays one. A node that
 * removals could turn into a leaf is merged as if it were one, lest its leaves be made in vain.
 */
#include "config.h"

#include "tree/edit.h"

#include "memory/memory.h"

enum {
    FEW = 64, /* items merged without asking for scratch memory */
    MANY = 3  /* with more edits, a leaf's items are worked out beforehand */
};

/* Items and edits on their way into one list. */
typedef struct merge {
    const pqti_space *space;
    const pqt_item *old; /* in order */
    size_t old_count;
    const pqti_entry *old_entries; /* worked out beforehand if there are many edits; else NULL */
    pqti_edits edits;
    pqt_item *merged; /* room for all */
    size_t count;
    bool changed;
    pqt_fingerprint fingerprint; /* what came less what went */
} merge;

/* The first old item, from `from` on, that is not before the edit; `equal`: it is the same. */
static size_t
find_old(const merge *m, size_t from, const pqti_entry *edit, bool *equal)
{
    size_t low = from, high = m->old_count;
    *equal = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        pqti_entry entry = m->old_entries != NULL ? m->old_entries[middle]
                                                  : pqti_entry_of(m->space, &m->old[middle], 0);
        int order = pqti_compare(&entry, &m->old[middle], edit, &m->edits.items[edit->index]);
        if (order == 0) {
            *equal = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
keep_old(merge *m, size_t from, size_t to)
{
    memcpy(m->merged + m->count, m->old + from, (to - from) * sizeof *m->old);
    m->count += to - from;
}

/* Old items up to the place of an edit, then the edit itself; returns the next old item. */
static size_t
merge_edit(merge *m, size_t next, const pqti_entry *edit)
{
    bool present;
    size_t at = find_old(m, next, edit, &present);
    const pqt_item *item = &m->edits.items[edit->index];
    keep_old(m, next, at);
    if (edit->removal && present) {
        m->changed = true;
        m->fingerprint = pqti_fingerprint_subtract(m->fingerprint, pqti_item_fingerprint(item));
        return at + 1;
    }
    if (!edit->removal && !present) {
        m->changed = true;
        m->fingerprint = pqti_fingerprint_add(m->fingerprint, pqti_item_fingerprint(item));
        m->merged[m->count++] = *item;
    }
    return at;
}

static void
merge_all(merge *m)
{
    size_t next = 0;
    for (size_t i = 0; i < m->edits.count; i++)
        next = merge_edit(m, next, &m->edits.entries[i]);
    keep_old(m, next, m->old_count);
}

/* Binary search works out few of the old items; many edits would work out each of them often. */
static PQTI_NOINLINE bool
merge_many(merge *m)
{
    pqti_entry few[FEW];
    pqti_entry *entries = few;
    if (m->old_count > FEW && (entries = pqti_scratch(m->old_count, sizeof *entries)) == NULL)
        return false;
    for (size_t i = 0; i < m->old_count; i++)
        entries[i] = pqti_entry_of(m->space, &m->old[i], i);
    m->old_entries = entries;
    merge_all(m);
    if (entries != few)
        pqti_scratch_free(entries);
    return true;
}

/* More items than a leaf holds: they are divided anew. */
static PQTI_NOINLINE bool
build_merged(const merge *m, pqti_place place, pqti_ref *ref)
{
    pqti_entry few[FEW];
    pqti_entry *entries = few;
    few[0] = (pqti_entry){0}; /* it is never read; the compiler cannot know that there are items */
    if (m->count > FEW && (entries = pqti_scratch(m->count, sizeof *entries)) == NULL)
        return false;
    for (size_t i = 0; i < m->count; i++)
        entries[i] = pqti_entry_of(m->space, &m->merged[i], i);
    pqt_fingerprint ignored = {0, 0};
    bool built = pqti_build(m->space, place, m->merged, entries, m->count, ref, &ignored);
    if (entries != few)
        pqti_scratch_free(entries);
    return built;
}

static bool
becomes_leaf(const merge *m, pqti_place place)
{
    return m->count <= m->space->capacity || pqti_place_is_last(place);
}

/* Takes over what was merged. */
static pqti_outcome
finish(const merge *m, pqti_place place, pqti_ref *ref, pqt_fingerprint *fingerprint)
{
    bool made = becomes_leaf(m, place) ? pqti_leaf_of(m->space, place, m->merged, m->count, ref)
                                       : build_merged(m, place, ref);
    if (!made)
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, m->fingerprint);
    return PQTI_CHANGED;
}

/*
 * Merges edits with all items of a part. An inner part is given up (`inner` set to true, nothing done)
 * if too much is left for a leaf: then its own parts are to be edited one by one.
 */
static PQTI_NOINLINE pqti_outcome
merge_into(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
           pqt_fingerprint *fingerprint, bool *inner)
{
    pqt_item few[2 * FEW];
    size_t room = ref->count + (ref->count + edits.count);
    pqt_item *items = few;
    if (room > 2 * FEW && (items = pqti_scratch(room, sizeof *items)) == NULL)
        return PQTI_FAILED;
    pqti_gather(*ref, items);
    merge m = {.space = space,
               .old = items,
               .old_count = ref->count,
               .edits = edits,
               .merged = items + ref->count};
    pqti_outcome outcome = PQTI_SAME;
    if (edits.count <= MANY)
        merge_all(&m);
    else if (!merge_many(&m))
        outcome = PQTI_FAILED;
    *inner = outcome == PQTI_SAME && !ref->leaf && ref->count > 0 && !becomes_leaf(&m, place);
    if (outcome == PQTI_SAME && m.changed && !*inner)
        outcome = finish(&m, place, ref, fingerprint);
    if (items != few)
        pqti_scratch_free(items);
    return outcome;
}

static size_t
count_removals(pqti_edits edits)
{
    size_t removals = 0;
    for (size_t i = 0; i < edits.count; i++)
        removals += edits.entries[i].removal;
    return removals;
}

/* How many of the edits, from the first on, belong to `part`. */
static size_t
edits_of_part(pqti_place place, int part, pqti_edits edits)
{
    size_t count = 0;
    while (count < edits.count && pqti_part_of(place, &edits.entries[count],
                                               &edits.items[edits.entries[count].index]) == part)
        count++;
    return count;
}

static pqti_outcome
edit_parts(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
           pqt_fingerprint *fingerprint)
{
    const pqti_inner *node = ref->at;
    pqti_ref parts[PQTI_PARTS];
    pqt_fingerprint change = {0, 0};
    pqti_outcome outcome = PQTI_SAME;
    pqti_parts(space, place, *ref, parts);
    for (int i = 0; i < PQTI_PARTS; i++) {
        int part = pqti_part_order[i];
        size_t count = edits_of_part(place, part, edits);
        pqti_edits own = {edits.items, edits.entries, count};
        edits.entries += count;
        edits.count -= count;
        pqti_outcome edited =
            pqti_edit(space, pqti_part_place(space, place, part), own, &parts[part], &change);
        if (edited == PQTI_FAILED)
            return PQTI_FAILED;
        if (edited == PQTI_CHANGED)
            outcome = PQTI_CHANGED;
    }
    if (outcome == PQTI_SAME)
        return PQTI_SAME;
    pqt_fingerprint sum = pqti_fingerprint_add(node->fingerprint, change);
    if (!pqti_join(space, place, parts, sum, ref))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, change);
    return PQTI_CHANGED;
}

/* Where nothing was, the edits are the items. */
static pqti_outcome
build_new(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint)
{
    bool built =
        pqti_build(space, place, edits.items, edits.entries, edits.count, ref, fingerprint);
    return built ? PQTI_CHANGED : PQTI_FAILED;
}

pqti_outcome
pqti_edit(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint)
{
    if (edits.count == 0)
        return PQTI_SAME;
    size_t removals = count_removals(edits);
    if (ref->count == 0 && removals == 0)
        return build_new(space, place, edits, ref, fingerprint);
    bool inner = false;
    bool small = ref->count == 0 || ref->leaf ||
                 (ref->count <= space->capacity + removals && ref->count <= 2 * space->capacity);
    if (small) {
        pqti_outcome outcome = merge_into(space, place, edits, ref, fingerprint, &inner);
        if (!inner)
            return outcome;
    }
    return edit_parts(space, place, edits, ref, fingerprint);
}
