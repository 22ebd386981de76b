/* SPDX-License-Identifier: MIT */
/*
 * edit_leaf.c - what a few edits make of a few items.
 *
 * Whether an item is there is asked first, by its id: that needs no order. Only what comes must
 * know its place, and only for it are items of the leaf worked out. The new leaf is the stretches
 * of the old one that stay, and what comes between them.
 */
#include "config.h"

#include "tree/edit_leaf.h"

#include "base/simd.h"
#include "base/validate.h"
#include "tree/edit_list.h"
#include "tree/node_build.h"

enum { RUN = 64 /* old items that have a bit each: if there are more, they have none */ };

enum { BY_HALVING = 2 /* what comes, up to which few of the items are worked out; above, all */ };

/* What becomes of the items of a leaf, or of as many in one block as if they were one. */
typedef struct turnover {
    const pqti_space *space;
    pqti_leaf_view old;
    size_t old_count;
    uint32_t gone[PQTI_FEW_ITEMS]; /* which items go, in order */
    size_t gone_count;
    const pqt_item *items;                  /* what the entries' index counts in */
    const pqti_entry *come[PQTI_FEW_ITEMS]; /* what comes, in order, */
    uint32_t gone_before[PQTI_FEW_ITEMS];   /* after how many of those that go, */
    uint32_t before[PQTI_FEW_ITEMS];        /* and before which of the old items */
    size_t come_count;
    pqt_fingerprint sum; /* what comes less what goes */
} turnover;

/* Which old items have an id, a bit each; there are RUN at most. */
static inline uint64_t
with_id(const turnover *t, uint64_t id)
{
    const uint64_t *ids = t->old.id;
    const pqti_words wanted = {id, id};
    uint64_t hits = 0;
    size_t i = 0;
    for (; i + 2 <= t->old_count; i += 2)
        hits |= (uint64_t)pqti_words_equal(pqti_words_load(ids + i), wanted) << i;
    if (i < t->old_count)
        hits |= (uint64_t)(ids[i] == id) << i;
    return hits;
}

/* Whether old item i, whose id it has, is this one. */
static inline bool
has_box(const turnover *t, size_t i, const pqt_box *box)
{
    const pqt_box old = pqti_view_item(t->old, i).box;
    return pqti_box_equals(&old, box);
}

/*
 * Whether an item is among the old ones, and which it is. `same` are those with its id, in nearly
 * all leaves one at most: then no branch that is hard to foresee waits for what is read.
 */
static inline bool
is_present(const turnover *t, const pqt_item *item, uint64_t same, size_t *at)
{
    if (t->old_count > RUN) {
        *at = pqti_view_find(t->old, t->old_count, item);
        return *at < t->old_count;
    }
    for (; same != 0; same &= same - 1) {
        *at = (size_t)__builtin_ctzll(same);
        bool present = has_box(t, *at, &item->box);
        if ((same & (same - 1)) == 0)
            return present;
        if (present)
            return true;
    }
    return false;
}

/* Works its fingerprint out first: there is time for it while the leaf comes. */
static inline void
judge(turnover *t, const pqti_entry *edit, const pqt_item *item, uint64_t same, bool *missed)
{
    const pqt_fingerprint own = pqti_item_fingerprint(item);
    size_t at = 0;
    bool present = is_present(t, item, same, &at);
    *missed |= edit->removal & !present;
    if (edit->removal != present)
        return;
    if (edit->removal) {
        t->gone[t->gone_count++] = (uint32_t)at;
        t->sum = pqti_fingerprint_subtract(t->sum, own);
    } else {
        t->gone_before[t->come_count] = (uint32_t)t->gone_count;
        t->come[t->come_count++] = edit;
        t->sum = pqti_fingerprint_add(t->sum, own);
    }
}

/* Whether anything changes. */
static bool
judge_all(turnover *t, pqti_edits edits)
{
    bool missed = false;
    uint64_t same = 0, id = 0;
    for (size_t i = 0; i < edits.count; i++) {
        const pqt_item *item = &edits.items[edits.entries[i].index];
        if (t->old_count <= RUN && (i == 0 || item->id != id))
            same = with_id(t, id = item->id);
        judge(t, &edits.entries[i], item, same, &missed);
    }
    return (t->gone_count > 0 || t->come_count > 0) && !(missed && edits.bound);
}

/* Whether an old item, worked out, stands before what comes. */
static inline bool
is_before(const turnover *t, size_t i, const pqti_entry *entry, const pqti_entry *come)
{
    int order = pqti_compare_ways(entry, come);
    if (order == 0) {
        pqt_item item = pqti_view_item(t->old, i);
        order = pqti_compare(entry, &item, come, &t->items[come->index]);
    }
    return order < 0;
}

/*
 * Where among the old items from `low` to before `high` something comes in. What is moved a little
 * comes to stand near what goes, which is next to one end: from there in steps that double, then by
 * halving.
 */
static size_t
place_between(const turnover *t, size_t low, size_t high, bool near_low, const pqti_entry *come)
{
    for (size_t step = t->gone_count > 0 ? 1 : t->old_count; low < high; step *= 2) {
        size_t half = (high - low + 1) / 2, reach = step < half ? step : half;
        size_t probe = near_low ? low + reach - 1 : high - reach;
        pqti_entry entry = pqti_view_entry(t->space, t->old, probe);
        if (is_before(t, probe, &entry, come))
            low = probe + 1;
        else
            high = probe;
    }
    return low;
}

/* Each old item is worked out once, and passed by. */
static PQTI_NOINLINE void
place_in_turn(turnover *t)
{
    size_t next = 0, worked_out = 0;
    pqti_entry entry = {0};
    for (size_t j = 0; j < t->come_count; j++) {
        for (; next < t->old_count; next++) {
            if (worked_out == next) {
                entry = pqti_view_entry(t->space, t->old, next);
                worked_out++;
            }
            if (!is_before(t, next, &entry, t->come[j]))
                break;
        }
        t->before[j] = (uint32_t)next;
    }
}

/* What goes is in its place in the order of edits as well: what comes is looked for between its
   neighbours there. */
static void
place_all(turnover *t)
{
    if (t->come_count > BY_HALVING) {
        place_in_turn(t);
        return;
    }
    size_t at = 0;
    for (size_t j = 0; j < t->come_count; j++) {
        size_t gone = t->gone_before[j];
        size_t low = gone > 0 && t->gone[gone - 1] >= at ? t->gone[gone - 1] + 1 : at;
        size_t high = gone < t->gone_count ? t->gone[gone] : t->old_count;
        at = place_between(t, low, high, gone > 0, t->come[j]);
        t->before[j] = (uint32_t)at;
    }
}

/* The stretches between those that go, up to an old item; `gone` is how many were met. Returns how
   many. */
static size_t
keep(const turnover *t, size_t from, size_t to, size_t *gone, pqti_leaf_run *stretches)
{
    size_t count = 0;
    while (from < to) {
        bool goes = *gone < t->gone_count && t->gone[*gone] < to;
        size_t stop = goes ? t->gone[(*gone)++] : to;
        if (stop > from)
            stretches[count++] = (pqti_leaf_run){(uint32_t)from, (uint32_t)stop, NULL};
        from = stop + 1;
    }
    return count;
}

static size_t
stretches_of(const turnover *t, pqti_leaf_run *stretches)
{
    size_t count = 0, next = 0, gone = 0;
    for (size_t j = 0; j < t->come_count; j++) {
        size_t kept = keep(t, next, t->before[j], &gone, stretches + count);
        if (kept == 0)
            stretches[count] = (pqti_leaf_run){0, 0, NULL};
        count += kept > 0 ? kept : 1;
        stretches[count - 1].come = &t->items[t->come[j]->index];
        next = t->before[j];
    }
    return count + keep(t, next, t->old_count, &gone, stretches + count);
}

/* More items than a leaf holds: they are divided anew. */
static PQTI_NOINLINE bool
divide(const turnover *t, pqti_place place, const pqti_leaf_run *stretches, size_t count,
       pqti_ref *ref)
{
    pqt_item items[2 * PQTI_FEW_ITEMS];
    pqti_entry entries[2 * PQTI_FEW_ITEMS];
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = stretches[i].from; j < stretches[i].to; j++)
            items[filled++] = pqti_view_item(t->old, j);
        if (stretches[i].come != NULL)
            items[filled++] = *stretches[i].come;
    }
    pqt_fingerprint ignored = {0, 0};
    pqti_entries_of(t->space, items, filled, entries);
    return pqti_build(t->space, place, items, entries, filled, ref, &ignored);
}

static PQTI_NOINLINE bool
make(turnover *t, pqti_place place, size_t count, pqti_ref *ref)
{
    pqti_leaf_run stretches[2 * PQTI_FEW_ITEMS + 1];
    place_all(t);
    size_t stretch_count = stretches_of(t, stretches);
    if (!pqti_is_leaf_at(t->space, place, count))
        return divide(t, place, stretches, stretch_count, ref);
    return pqti_leaf_of_stretches(t->space, place, &t->old, stretches, stretch_count, count, ref);
}

static pqti_outcome
turn_over(turnover *t, pqti_place place, pqti_edits edits, pqti_ref *ref,
          pqt_fingerprint *fingerprint, bool *inner)
{
    if (!judge_all(t, edits))
        return PQTI_SAME;
    size_t count = t->old_count - t->gone_count + t->come_count;
    *inner = !ref->leaf && ref->count > 0 && !pqti_is_leaf_at(t->space, place, count);
    if (*inner)
        return PQTI_SAME;
    if (!make(t, place, count, ref))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, t->sum);
    return PQTI_CHANGED;
}

/* Items of an inner part in arrays such as a leaf's, and how many there are by now. */
typedef struct gathered {
    double min_x[PQTI_FEW_ITEMS], min_y[PQTI_FEW_ITEMS];
    double max_x[PQTI_FEW_ITEMS], max_y[PQTI_FEW_ITEMS];
    uint64_t id[PQTI_FEW_ITEMS];
    size_t count;
} gathered;

static bool
gather_item(const pqt_item *item, void *context)
{
    gathered *all = context;
    all->min_x[all->count] = item->box.min.x;
    all->min_y[all->count] = item->box.min.y;
    all->max_x[all->count] = item->box.max.x;
    all->max_y[all->count] = item->box.max.y;
    all->id[all->count++] = item->id;
    return true;
}

/* Edits the items of an inner part as if they were a leaf's. */
static PQTI_NOINLINE pqti_outcome
edit_gathered(turnover *t, pqti_place place, pqti_edits edits, pqti_ref *ref,
              pqt_fingerprint *fingerprint, bool *inner)
{
    gathered all;
    all.count = 0;
    pqti_each_item(*ref, gather_item, &all);
    t->old = (pqti_leaf_view){all.min_x, all.min_y, all.max_x, all.max_y, all.id};
    return turn_over(t, place, edits, ref, fingerprint, inner);
}

PQTI_NOINLINE pqti_outcome
pqti_edit_few(const pqti_space *space, pqti_place place, pqti_edits edits, pqti_ref *ref,
              pqt_fingerprint *fingerprint, bool *inner)
{
    turnover t;
    t.space = space;
    t.old_count = ref->count;
    t.gone_count = 0;
    t.items = edits.items;
    t.come_count = 0;
    t.sum = (pqt_fingerprint){0, 0};
    *inner = false;
    if (!ref->leaf && ref->count > 0)
        return edit_gathered(&t, place, edits, ref, fingerprint, inner);
    const size_t ids = 4 * sizeof(double) * ref->count; /* where they begin: they are read first */
    pqti_fetch(ref->at, ids, pqti_leaf_size(ref->count));
    pqti_fetch(ref->at, 0, ids);
    t.old = pqti_view_or_none(ref->at, ref->count);
    return turn_over(&t, place, edits, ref, fingerprint, inner);
}
