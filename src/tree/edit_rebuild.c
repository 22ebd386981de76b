/* SPDX-License-Identifier: MIT */
/*
 * edit_rebuild.c - a part whose items are merged with many edits, and which is made anew.
 *
 * Items of a part come out of it in order, as edits do; so one pass merges them, nothing is sorted,
 * and what is merged is built. That is the way where most leaves of a part have edits: the same
 * work for each item, where a descent must find out at each leaf what there is to do. What no edit
 * changes is taken over as it is.
 */
#include "config.h"

#include "tree/edit_rebuild.h"

#include <string.h>

#include "memory/memory_internal.h"
#include "tree/edit_list.h"
#include "tree/node_build.h"
#include "tree/path_compress.h"

enum { AHEAD = 16 /* edits whose items are asked for before they are read: they lie anywhere */ };

typedef struct merging {
    const pqti_space *space;
    const pqt_item *old; /* items of the part and their entries, in order */
    const pqti_entry *old_entries;
    size_t old_count;
    pqti_edits edits;
    pqt_item *items; /* what shall be there, with room for all */
    pqti_entry *entries;
    size_t count;
    bool changed; /* some edit changes something */
    bool missed;  /* a removal found nothing */
} merging;

static inline void
add(merging *m, const pqt_item *item, const pqti_entry *entry, bool kept)
{
    m->items[m->count] = *item;
    m->entries[m->count] = *entry;
    m->entries[m->count].index = (uint32_t)m->count;
    m->entries[m->count].kept = kept;
    m->count++;
}

/* Below zero, zero or above: how an old item stands to an edit. */
static inline int
compare(const merging *m, size_t old, const pqti_entry *edit, const pqt_item *item)
{
    int order = pqti_compare_ways(&m->old_entries[old], edit);
    if (order != 0)
        return order;
    if (memcmp(&m->old[old], item, sizeof *item) == 0)
        return 0;
    return pqti_compare(&m->old_entries[old], &m->old[old], edit, item);
}

/* Old items before an edit, then what comes of the edit; returns the next old item. */
static inline size_t
merge_edit(merging *m, size_t next, const pqti_entry *edit)
{
    const pqt_item *item = &m->edits.items[edit->index];
    int order = 1;
    while (next < m->old_count && (order = compare(m, next, edit, item)) < 0) {
        add(m, &m->old[next], &m->old_entries[next], true);
        next++;
    }
    bool present = next < m->old_count && order == 0;
    m->changed |= present == edit->removal;
    m->missed |= edit->removal && !present;
    if (!edit->removal && !present)
        add(m, item, edit, false);
    return next + (edit->removal && present);
}

static void
merge_all(merging *m)
{
    size_t next = 0;
    for (size_t i = 0; i < m->edits.count; i++) {
        if (i + AHEAD < m->edits.count) {
            const pqt_item *later = &m->edits.items[m->edits.entries[i + AHEAD].index];
            pqti_prefetch(later);
            pqti_prefetch(&later->id);
        }
        next = merge_edit(m, next, &m->edits.entries[i]);
    }
    for (; next < m->old_count; next++)
        add(m, &m->old[next], &m->old_entries[next], true);
}

/* Whether items are those that stood at a place before: none came, and none went. */
static bool
are_kept(pqti_ref old, const pqti_entry *entries, size_t count)
{
    bool kept = old.count == count;
    for (size_t i = 0; kept && i < count; i++)
        kept = entries[i].kept;
    return kept;
}

static bool
build_parts(const pqti_space *space, pqti_place place, pqti_ref old, const pqt_item *items,
            const pqti_entry *entries, size_t count, pqti_ref *built, pqt_fingerprint *fingerprint)
{
    pqti_ref olds[PQTI_PARTS], parts[PQTI_PARTS];
    pqt_fingerprint sum = {0, 0};
    pqti_parts(space, place, old, olds);
    pqti_fetch_items(items, entries, count);
    for (int i = 0; i < PQTI_PARTS; i++) {
        int part = pqti_part_order[i];
        size_t own = pqti_size_of_part(place, part, items, entries, count);
        if (!pqti_build_beside(space, pqti_part_place(space, place, part), olds[part], items,
                               entries, own, &parts[part], &sum))
            return false;
        entries += own;
        count -= own;
    }
    *fingerprint = pqti_fingerprint_add(*fingerprint, sum);
    return pqti_inner_of(space, place, parts, sum, built);
}

/* Where a node stood that stands deeper: as far down as all items go the same way. */
static PQTI_NOINLINE bool
build_on_chain(const pqti_space *space, pqti_place place, pqti_ref old, const pqt_item *items,
               const pqti_entry *entries, size_t count, pqti_ref *built,
               pqt_fingerprint *fingerprint)
{
    pqti_inner thought;
    pqti_chain chain = pqti_chain_of(space, place, old);
    unsigned depth = pqti_chain_follow(&chain, place, chain.end, entries, count);
    pqti_place at = pqti_place_on_chain(space, place, depth);
    pqti_ref node = pqti_think(space, place, &chain, old, depth, &thought);
    if (!build_parts(space, at, node, items, entries, count, built, fingerprint))
        return false;
    *built = pqti_lifted(place, at, *built);
    return true;
}

bool
pqti_build_beside(const pqti_space *space, pqti_place place, pqti_ref old, const pqt_item *items,
                  const pqti_entry *entries, size_t count, pqti_ref *built,
                  pqt_fingerprint *fingerprint)
{
    if (are_kept(old, entries, count)) {
        *built = old;
        *fingerprint = pqti_fingerprint_add(*fingerprint, pqti_ref_fingerprint(old));
        return true;
    }
    if (old.leaf || old.count == 0 || pqti_is_leaf_at(space, place, count))
        return pqti_build(space, place, items, entries, count, built, fingerprint);
    return (old.deep ? build_on_chain : build_parts)(space, place, old, items, entries, count,
                                                     built, fingerprint);
}

static pqti_outcome
finish(const merging *m, pqti_place place, pqti_ref *ref, pqt_fingerprint *fingerprint)
{
    pqt_fingerprint before = pqti_ref_fingerprint(*ref), after = {0, 0};
    if (!m->changed || (m->missed && m->edits.bound))
        return PQTI_SAME;
    if (!pqti_build_beside(m->space, place, *ref, m->items, m->entries, m->count, ref, &after))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, pqti_fingerprint_subtract(after, before));
    return PQTI_CHANGED;
}

PQTI_NOINLINE pqti_outcome
pqti_rebuild(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
             pqt_fingerprint *fingerprint)
{
    size_t old = ref->count, all = old + (old + edits.count);
    pqt_item *items = pqti_scratch(all, sizeof *items);
    pqti_entry *entries = items == NULL ? NULL : pqti_scratch(all, sizeof *entries);
    if (entries == NULL) {
        pqti_scratch_free(items);
        return PQTI_FAILED;
    }
    merging m = {.space = space,
                 .old = items,
                 .old_entries = entries,
                 .old_count = old,
                 .edits = edits,
                 .items = items + old,
                 .entries = entries + old};
    pqti_gather(*ref, items);
    pqti_entries_of(space, items, old, entries);
    merge_all(&m);
    pqti_outcome outcome = finish(&m, place, ref, fingerprint);
    pqti_scratch_free(items);
    pqti_scratch_free(entries);
    return outcome;
}
