/* SPDX-License-Identifier: MIT */
/*
 * edit.c - path copying: one descent that makes items present or absent.
 *
 * At an inner node the edits fall into ranges, one for each part, as the items themselves do; a part
 * without edits is taken over as it is, in the copy of the node. At a leaf, one item that goes and one that
 * comes are a change of its arrays; more edits are merged with its items, both being in order. The way
 * back exchanges the parts: only there is decided whether a node stays one. A node that removals could
 * turn into a leaf is merged as if it were one, lest its leaves be made in vain.
 */
#include "config.h"

#include "tree/edit.h"

#include "memory/memory.h"

enum {
    FEW = 64, /* items merged without asking for scratch memory */
    MANY = 3  /* with more edits, a leaf's items are worked out beforehand */
};

/* Items in order: those of a leaf, or of several in a list. */
typedef struct row {
    pqti_leaf_view leaf;
    const pqt_item *list; /* NULL: they are in the leaf */
    size_t count;
    const pqti_entry *entries; /* worked out beforehand if there are many edits; else NULL */
} row;

static inline pqt_item
row_item(const row *r, size_t i)
{
    return r->list != NULL ? r->list[i] : pqti_view_item(r->leaf, i);
}

/* The first item of a row, from `from` on, that is not before the edit; `equal`: it is the same. */
static size_t
find_place(const pqti_space *space, const row *r, size_t from, const pqti_entry *edit,
           const pqt_item *item, bool *equal)
{
    size_t low = from, high = r->count;
    *equal = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        pqt_item old = row_item(r, middle);
        pqti_entry entry = r->entries != NULL ? r->entries[middle] : pqti_entry_of(space, &old, 0);
        int order = pqti_compare(&entry, &old, edit, item);
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

/* Items and edits on their way into one list. */
typedef struct merge {
    const pqti_space *space;
    row old;
    pqti_edits edits;
    pqt_item *merged; /* room for all */
    size_t count;
    bool changed;
    bool missed;                 /* a removal found nothing */
    pqt_fingerprint fingerprint; /* what came less what went */
} merge;

static void
keep_old(merge *m, size_t from, size_t to)
{
    for (; from < to; from++)
        m->merged[m->count++] = row_item(&m->old, from);
}

/* Old items up to the place of an edit, then the edit itself; returns the next old item. */
static size_t
merge_edit(merge *m, size_t next, const pqti_entry *edit)
{
    bool present;
    const pqt_item *item = &m->edits.items[edit->index];
    size_t at = find_place(m->space, &m->old, next, edit, item, &present);
    keep_old(m, next, at);
    if (edit->removal && present) {
        m->changed = true;
        m->fingerprint = pqti_fingerprint_subtract(m->fingerprint, pqti_item_fingerprint(item));
        return at + 1;
    }
    m->missed = m->missed || edit->removal;
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
    keep_old(m, next, m->old.count);
    if (m->missed && m->edits.bound)
        m->changed = false;
}

/* Binary search works out few of the old items; many edits would work out each of them often. */
static PQTI_NOINLINE bool
merge_many(merge *m)
{
    pqti_entry few[FEW];
    pqti_entry *entries = few;
    size_t count = m->old.count;
    if (count > FEW && (entries = pqti_scratch(count, sizeof *entries)) == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        pqt_item item = row_item(&m->old, i);
        entries[i] = pqti_entry_of(m->space, &item, 0);
    }
    m->old.entries = entries;
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
    pqti_entries_of(m->space, m->merged, m->count, entries);
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
    merge m = {.space = space,
               .old = {.list = items, .count = ref->count},
               .edits = edits,
               .merged = items + ref->count};
    pqti_gather(*ref, items);
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

/* What a few edits change in a leaf; false: more than one item goes, or more than one comes. */
static bool
find_change(const pqti_space *space, pqti_edits edits, pqti_ref leaf, pqti_leaf_change *change,
            pqt_fingerprint *sum)
{
    row old = {.leaf = pqti_view(leaf.at, leaf.count), .count = leaf.count};
    const pqti_leaf_change none = {leaf.count, leaf.count, NULL};
    *change = none;
    for (size_t i = 0; i < edits.count; i++) {
        const pqti_entry *edit = &edits.entries[i];
        const pqt_item *item = &edits.items[edit->index];
        if (edit->removal) {
            size_t gone = pqti_view_find(old.leaf, old.count, item);
            if (gone == old.count && edits.bound) {
                *change = none;
                return true;
            }
            if (gone == old.count)
                continue;
            if (change->gone < old.count)
                return false;
            change->gone = gone;
            *sum = pqti_fingerprint_subtract(*sum, pqti_item_fingerprint(item));
        } else {
            bool present;
            size_t at = find_place(space, &old, 0, edit, item, &present);
            if (present)
                continue;
            if (change->come != NULL)
                return false;
            change->at = at;
            change->come = item;
            *sum = pqti_fingerprint_add(*sum, pqti_item_fingerprint(item));
        }
    }
    return true;
}

/*
 * Most edits are one, or a removal and an insertion, and most leaves stay leaves: then the leaf's arrays
 * are copied with the change. `done` false: it is not so, and nothing was done.
 */
static PQTI_NOINLINE pqti_outcome
edit_leaf(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint, bool *done)
{
    pqti_leaf_change change;
    pqt_fingerprint sum = {0, 0};
    pqti_fetch(ref->at, 0, pqti_leaf_size(ref->count));
    *done = find_change(space, edits, *ref, &change, &sum);
    bool goes = change.gone < ref->count, comes = change.come != NULL;
    if ((size_t)ref->count - goes + comes > space->capacity && !pqti_place_is_last(place))
        *done = false;
    if (!*done || (!goes && !comes))
        return PQTI_SAME;
    if (!pqti_leaf_with(space, place, change, ref))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, sum);
    return PQTI_CHANGED;
}

static size_t
count_removals(pqti_edits edits)
{
    size_t removals = 0;
    for (size_t i = 0; i < edits.count; i++)
        removals += edits.entries[i].removal;
    return removals;
}

/* The part to which the first of the edits belongs, and how many of them do. */
static int
first_part(pqti_place place, pqti_edits edits, size_t *count)
{
    int part = pqti_part_of(place, &edits.entries[0], &edits.items[edits.entries[0].index]);
    for (*count = 1; *count < edits.count; ++*count) {
        const pqti_entry *entry = &edits.entries[*count];
        if (pqti_part_of(place, entry, &edits.items[entry->index]) != part)
            break;
    }
    return part;
}

/* Of bound edits the removal goes first where their ways part: what it finds decides. */
static PQTI_NOINLINE const pqti_entry *
removal_first(pqti_place place, const pqt_item *items, const pqti_entry *entries,
              pqti_entry turned[2])
{
    int first = pqti_part_of(place, &entries[0], &items[entries[0].index]);
    if (first == pqti_part_of(place, &entries[1], &items[entries[1].index]))
        return entries;
    turned[0] = entries[1];
    turned[1] = entries[0];
    return turned;
}

/* Only parts with edits are looked at; the others are in the copy of the node. */
static pqti_outcome
edit_parts(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
           pqt_fingerprint *fingerprint)
{
    pqti_entry turned[2];
    pqti_ref parts[PQTI_PARTS];
    pqt_fingerprint change = {0, 0};
    unsigned changed = 0;
    if (edits.bound && edits.count == 2 && !edits.entries[0].removal)
        edits.entries = removal_first(place, edits.items, edits.entries, turned);
    while (edits.count > 0) {
        pqti_edits own = edits;
        int part = first_part(place, edits, &own.count);
        edits.entries += own.count;
        edits.count -= own.count;
        parts[part] = pqti_part_ref(ref->at, ref->count, part);
        pqti_outcome outcome =
            pqti_edit(space, pqti_part_place(space, place, part), own, &parts[part], &change);
        bool missed = edits.bound && outcome == PQTI_SAME && own.entries[0].removal;
        if (outcome == PQTI_FAILED || missed)
            return outcome;
        changed |= (outcome == PQTI_CHANGED ? 1u : 0u) << part;
    }
    if (changed == 0)
        return PQTI_SAME;
    if (!pqti_exchange(space, place, parts, changed, change, ref))
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
    if (!ref->leaf && ref->count > 2 * space->capacity)
        return edit_parts(space, place, edits, ref, fingerprint);
    size_t removals = count_removals(edits);
    if (ref->count == 0 && removals == 0)
        return build_new(space, place, edits, ref, fingerprint);
    if (ref->leaf && edits.count <= 2) {
        bool done;
        pqti_outcome outcome = edit_leaf(space, place, edits, ref, fingerprint, &done);
        if (done)
            return outcome;
    }
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
