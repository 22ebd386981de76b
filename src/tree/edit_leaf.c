/* SPDX-License-Identifier: MIT */
/*
 * edit_leaf.c: applies a few edits to a few items.
 *
 * First, the items to remove are found by their ids, which needs no order. Only an insertion needs
 * an index in tree order, so the keys of present items are computed only if there are insertions.
 * The new leaf consists of runs of the remaining items with the inserted items between them.
 */
#include "config.h"

#include "tree/edit_leaf.h"

#include "base/error_internal.h"
#include "base/simd.h"
#include "base/validate.h"
#include "tree/draft_state.h"
#include "tree/edit_list.h"
#include "tree/node_build.h"

enum { RUN = 64 /* the number of ids that are compared at once */ };

/* The changes to a leaf, or to the gathered items of a small subtree. */
typedef struct leaf_edit {
    const pqti_domain *domain;
    pqti_level level;
    pqti_leaf_view old;
    size_t old_count;
    uint32_t removed[PQTI_FEW_ITEMS]; /* the indices of the removed items, ascending */
    size_t removed_count;
    const pqt_item *items;                    /* the array to which the `index` of a key refers */
    const pqti_key *inserted[PQTI_FEW_ITEMS]; /* the insertions in tree order */
    uint32_t removed_before[PQTI_FEW_ITEMS];  /* the number of removals before each insertion */
    /* the index of the old item before which each insertion goes */
    uint32_t before[PQTI_FEW_ITEMS];
    size_t inserted_count;
    pqt_fingerprint fingerprint; /* the terms of insertions minus those of removals */
} leaf_edit;

/* Returns a word whose bit i is set if old item i has this id. There are at most RUN old items. */
static inline uint64_t
with_id(const leaf_edit *edit, uint64_t id)
{
    const uint64_t *ids = edit->old.id;
    const pqti_u64x2 wanted = pqti_u64x2_splat(id);
    uint64_t hits = 0;
    size_t i = 0;
    for (; i + 2 <= edit->old_count; i += 2)
        hits |= (uint64_t)pqti_u64x2_equal(pqti_u64x2_load(ids + i), wanted) << i;
    if (i < edit->old_count)
        hits |= (uint64_t)(ids[i] == id) << i;
    return hits;
}

/* Returns true if old item i, which has the right id, has this box too. */
static inline bool
has_box(const leaf_edit *edit, size_t i, const pqt_box *box)
{
    const pqt_box old = pqti_view_item(edit->old, i).box;
    return pqti_box_equals(&old, box);
}

/*
 * Finds an item among the old ones. `same` has the bits of the old items with its id. Nearly always
 * there is at most one such item, so every branch that depends on memory is easy to predict.
 */
static inline bool
find_old_item(const leaf_edit *edit, const pqt_item *item, uint64_t same, size_t *at)
{
    if (edit->old_count > RUN) {
        *at = pqti_view_find(edit->old, edit->old_count, item);
        return *at < edit->old_count;
    }
    for (; same != 0; same &= same - 1) {
        *at = (size_t)__builtin_ctzll(same);
        bool present = has_box(edit, *at, &item->box);
        if ((same & (same - 1)) == 0)
            return present;
        if (present)
            return true;
    }
    return false;
}

/* Classifies an edit as a removal of a present item, an insertion of an absent one, or no
   change. Computes the fingerprint of the item first, while the leaf is being loaded. */
static inline void
classify_edit(leaf_edit *edit, const pqti_key *key, const pqt_item *item, uint64_t same,
              bool *missed)
{
    const pqt_fingerprint own = pqti_item_fingerprint(item);
    size_t at = 0;
    bool present = find_old_item(edit, item, same, &at);
    *missed |= key->removal & !present;
    if (key->removal != present)
        return;
    if (key->removal) {
        edit->removed[edit->removed_count++] = (uint32_t)at;
        edit->fingerprint = pqti_fingerprint_subtract(edit->fingerprint, own);
    } else {
        edit->removed_before[edit->inserted_count] = (uint32_t)edit->removed_count;
        edit->inserted[edit->inserted_count++] = key;
        edit->fingerprint = pqti_fingerprint_add(edit->fingerprint, own);
    }
}

/* Classifies all edits. Returns true if at least one of them changes something. */
static bool
classify_all_edits(leaf_edit *edit, pqti_edits edits)
{
    bool missed = false;
    uint64_t same = 0, id = 0;
    for (size_t i = 0; i < edits.count; i++) {
        const pqt_item *item = &edits.items[edits.keys[i].index];
        if (edit->old_count <= RUN && (i == 0 || item->id != id))
            same = with_id(edit, id = item->id);
        classify_edit(edit, &edits.keys[i], item, same, &missed);
    }
    return (edit->removed_count > 0 || edit->inserted_count > 0) && !(missed && edits.is_move);
}

/* Returns true if old item i, which has this key, precedes an insertion. */
static inline bool
view_item_is_before(const leaf_edit *edit, size_t i, const pqti_key *key, const pqti_key *come)
{
    int order = pqti_compare_paths(key, come);
    if (order == 0) {
        pqt_item item = pqti_view_item(edit->old, i);
        order = pqti_compare(key, &item, come, &edit->items[come->index]);
    }
    return order < 0;
}

/* Does the same for an old item whose key is not known. */
static PQTI_NOINLINE bool
key_is_before(const leaf_edit *edit, size_t i, const pqti_key *come)
{
    const pqti_key key = pqti_view_key(edit->domain, edit->old, i);
    return view_item_is_before(edit, i, &key, come);
}

#ifdef PQT_PLAIN

/* Returns the insertion index of an item in `low`..`high`, by bisection. */
static size_t
bisect_insertion_index(const leaf_edit *edit, size_t low, size_t high, const pqti_key *come)
{
    while (low < high) {
        const size_t probe = low + (high - low) / 2;
        if (key_is_before(edit, probe, come))
            low = probe + 1;
        else
            high = probe;
    }
    return low;
}

#else

/*
 * Fast path. It is equivalent to comparing the keys of an old item and an insertion. Every test
 * passes without it.
 *
 * If the columns or the rows of both centres differ in a digit before the level of either item, the
 * first such digit decides, and no Morton code is needed. Columns are computed with a reciprocal,
 * because a division takes longer than all the rest, and with sums of sides in place of the halves
 * in key.c, which have the same bits but for a power of two. The relative errors of the quotient in
 * key.c and of this product are at most 2^-53 and 2^-52. So before rounding, columns differ by less
 * than 2^-19, and one that is not near an integer is right.
 */
typedef struct quick_order {
    pqti_f64x2 origin; /* twice the least coordinates of the bounds */
    pqti_f64x2 scale;  /* columns per unit of the sum of two sides */
    uint32_t x, y;     /* the column and the row of the insertion */
    unsigned level;    /* the level of the insertion; 0 if the keys must be compared */
} quick_order;

/* Computes the column and the row of the centre of a box. Returns false if they are uncertain, as
   all are that overflow. */
static inline bool
find_column(const quick_order *order, pqti_f64x2 min, pqti_f64x2 max, uint32_t *x, uint32_t *y)
{
    /* From 2^52 to 2^53, consecutive integers are consecutive doubles. */
    const pqti_f64x2 offset = pqti_f64x2_splat(0x1.8p52), half = pqti_f64x2_splat(0.5);
    const pqti_f64x2 sum = pqti_f64x2_sub(pqti_f64x2_add(min, max), order->origin);
    const pqti_f64x2 middle = pqti_f64x2_sub(pqti_f64x2_mul(sum, order->scale), half);
    const pqti_f64x2 column = pqti_f64x2_add(middle, offset);
    const pqti_f64x2 rest = pqti_f64x2_sub(middle, pqti_f64x2_sub(column, offset));
    *x = (uint32_t)pqti_bits_of(pqti_f64x2_lane(column, 0));
    *y = (uint32_t)pqti_bits_of(pqti_f64x2_lane(column, 1));
    return pqti_mask64x2_bits(
               pqti_f64x2_lt(pqti_f64x2_abs(rest), pqti_f64x2_splat(0.5 - 0x1p-18))) == 3;
}

static inline quick_order
quick_order_of(const leaf_edit *edit, const pqti_key *come)
{
    enum { QUARTER_COLUMNS = 1 << 30 };
    const pqti_axis *x = &edit->domain->x, *y = &edit->domain->y;
    const pqt_box *box = &edit->items[come->index].box;
    quick_order order = {.level = 0};
    /* The cells of smaller bounds can be subnormal. At depth 0, there can be outliers. */
    if (edit->level.division != PQTI_BY_CELL || edit->level.depth == 0 || x->divisor < 0x1p-900 ||
        y->divisor < 0x1p-900)
        return order;
    order.origin = pqti_f64x2_scale(pqti_f64x2_of(x->half_low, y->half_low), 4);
    order.scale =
        pqti_f64x2_div(pqti_f64x2_splat(QUARTER_COLUMNS), pqti_f64x2_of(x->divisor, y->divisor));
    if (find_column(&order, pqti_f64x2_load(&box->min.x), pqti_f64x2_load(&box->max.x), &order.x,
                    &order.y))
        order.level = come->level;
    return order;
}

/* Sets *before to whether old item i precedes the insertion. Returns false if that is uncertain. */
static inline bool
decide_quickly(const leaf_edit *edit, const quick_order *order, size_t i, bool *before)
{
    const pqti_f64x2 min = pqti_f64x2_of(edit->old.min_x[i], edit->old.min_y[i]);
    const pqti_f64x2 max = pqti_f64x2_of(edit->old.max_x[i], edit->old.max_y[i]);
    const pqti_f64x2 half_size = pqti_f64x2_scale(pqti_f64x2_sub(max, min), 0.5);
    uint32_t x, y;
    if (order->level == 0 || !find_column(order, min, max, &x, &y))
        return false;
    const uint32_t differing_x = x ^ order->x, differing_y = y ^ order->y;
    if ((differing_x | differing_y) == 0)
        return false;
    const unsigned common = (unsigned)__builtin_clz(differing_x | differing_y);
    if (common >= order->level ||
        pqti_f64x2_lane(half_size, 0) > edit->domain->x.half_cell[common] ||
        pqti_f64x2_lane(half_size, 1) > edit->domain->y.half_cell[common])
        return false;
    *before = differing_y << common >> 31 != 0 ? y < order->y : x < order->x;
    return true;
}

/* Returns true if old item i precedes an insertion. */
static inline bool
old_item_is_before(const leaf_edit *edit, const quick_order *order, size_t i, const pqti_key *come)
{
    bool before;
    if (!decide_quickly(edit, order, i, &before))
        return key_is_before(edit, i, come);
    PQTI_DEBUG_ASSERT(before == key_is_before(edit, i, come), "columns and keys differ in order");
    return before;
}

/*
 * Fast path. It is equivalent to bisect_insertion_index. Every test passes without it.
 *
 * A moved item is usually inserted near the one that it replaces, which is next to one end of the
 * range. So the search starts from that end with steps that double, and then bisects.
 */
static size_t
gallop_insertion_index(const leaf_edit *edit, size_t low, size_t high, bool near_low,
                       const pqti_key *come)
{
    const quick_order order = quick_order_of(edit, come);
    for (size_t step = edit->removed_count > 0 ? 1 : edit->old_count; low < high; step *= 2) {
        size_t half = (high - low + 1) / 2, reach = step < half ? step : half;
        size_t probe = near_low ? low + reach - 1 : high - reach;
        if (old_item_is_before(edit, &order, probe, come))
            low = probe + 1;
        else
            high = probe;
    }
    return low;
}

#endif

static inline size_t
insertion_index(const leaf_edit *edit, size_t low, size_t high, bool near_low, const pqti_key *come)
{
#ifdef PQT_PLAIN
    (void)near_low;
    return bisect_insertion_index(edit, low, high, come);
#else
    return gallop_insertion_index(edit, low, high, near_low, come);
#endif
}

/* The removals are in tree order as well, so they limit the range of each insertion index. */
static void
find_insertion_indices(leaf_edit *edit)
{
    size_t at = 0;
    for (size_t j = 0; j < edit->inserted_count; j++) {
        size_t gone = edit->removed_before[j];
        size_t low = gone > 0 && edit->removed[gone - 1] >= at ? edit->removed[gone - 1] + 1 : at;
        size_t high = gone < edit->removed_count ? edit->removed[gone] : edit->old_count;
        at = insertion_index(edit, low, high, gone > 0, edit->inserted[j]);
        edit->before[j] = (uint32_t)at;
    }
}

/* Writes the runs of the items `from`..`to` between the removed ones. `*gone` counts the removed
   items passed so far. Returns the number of runs. */
static size_t
keep_runs(const leaf_edit *edit, size_t from, size_t to, size_t *gone, pqti_item_run *runs)
{
    size_t count = 0;
    while (from < to) {
        bool goes = *gone < edit->removed_count && edit->removed[*gone] < to;
        size_t stop = goes ? edit->removed[(*gone)++] : to;
        if (stop > from)
            runs[count++] = (pqti_item_run){(uint32_t)from, (uint32_t)stop, NULL};
        from = stop + 1;
    }
    return count;
}

/* Writes the runs of the new leaf. Each run consists of remaining items and at most one
   insertion that follows them. Returns the number of runs. A single insertion, the most frequent
   case, is written down directly. */
static size_t
runs_of(const leaf_edit *edit, pqti_item_run *runs)
{
    size_t count = 0, next = 0, gone = 0;
    if (edit->removed_count == 0 && edit->inserted_count == 1) {
        runs[0] = (pqti_item_run){0, edit->before[0], &edit->items[edit->inserted[0]->index]};
        runs[1] = (pqti_item_run){edit->before[0], (uint32_t)edit->old_count, NULL};
        return 2;
    }
    for (size_t j = 0; j < edit->inserted_count; j++) {
        size_t kept = keep_runs(edit, next, edit->before[j], &gone, runs + count);
        if (kept == 0)
            runs[count] = (pqti_item_run){0, 0, NULL};
        count += kept > 0 ? kept : 1;
        runs[count - 1].inserted = &edit->items[edit->inserted[j]->index];
        next = edit->before[j];
    }
    return count + keep_runs(edit, next, edit->old_count, &gone, runs + count);
}

/* Builds a subtree from more items than a leaf may hold. */
static PQTI_NOINLINE bool
split_leaf(const leaf_edit *edit, pqti_level level, const pqti_item_run *runs, size_t count,
           pqti_node_ref *ref)
{
    pqt_item items[2 * PQTI_FEW_ITEMS];
    pqti_key keys[2 * PQTI_FEW_ITEMS];
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = runs[i].from; j < runs[i].to; j++)
            items[filled++] = pqti_view_item(edit->old, j);
        if (runs[i].inserted != NULL)
            items[filled++] = *runs[i].inserted;
    }
    pqt_fingerprint ignored = {0, 0};
    pqti_keys_of(edit->domain, items, filled, keys);
    return pqti_build(edit->domain, level, items, keys, filled, ref, &ignored);
}

/* Returns true if the indices of insertions never decrease. Only debug builds call this. */
static inline bool
indices_ascend(const leaf_edit *edit)
{
    for (size_t i = 1; i < edit->removed_count; i++)
        if (edit->removed[i - 1] >= edit->removed[i])
            return false;
    for (size_t j = 0; j < edit->inserted_count; j++)
        if (edit->before[j] > edit->old_count || (j > 0 && edit->before[j - 1] > edit->before[j]))
            return false;
    return true;
}

static PQTI_NOINLINE bool
make_edited_leaf(leaf_edit *edit, pqti_level level, size_t count, pqti_node_ref *ref)
{
    pqti_item_run runs[2 * PQTI_FEW_ITEMS + 1];
    find_insertion_indices(edit);
    PQTI_DEBUG_ASSERT(indices_ascend(edit), "insertions or removals are not in tree order");
    size_t run_count = runs_of(edit, runs);
    if (!pqti_fits_leaf(edit->domain, level, count))
        return split_leaf(edit, level, runs, run_count, ref);
    return pqti_leaf_of_runs(edit->domain, level, &edit->old, runs, run_count, count, ref);
}

/* Applies the edits to the old items. If the subtree is a node and remains a node, sets `*inner`
   to true and does nothing else. */
static pqti_outcome
apply_leaf_edit(leaf_edit *edit, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
                pqt_fingerprint *fingerprint, bool *inner)
{
    if (!classify_all_edits(edit, edits))
        return PQTI_SAME;
    size_t count = edit->old_count - edit->removed_count + edit->inserted_count;
    *inner = pqti_is_node(*ref) && !pqti_fits_leaf(edit->domain, level, count);
    if (*inner)
        return PQTI_SAME;
    const pqti_node_ref old = *ref;
    if (!make_edited_leaf(edit, level, count, ref))
        return PQTI_FAILED;
    pqti_drop_subtree(edit->domain, &old);
    *fingerprint = pqti_fingerprint_add(*fingerprint, edit->fingerprint);
    return PQTI_CHANGED;
}

/* The items of a small subtree in arrays like those of a leaf. */
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

/* Edits the items of a small subtree as if they were in a leaf. */
static PQTI_NOINLINE pqti_outcome
edit_gathered(leaf_edit *edit, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
              pqt_fingerprint *fingerprint, bool *inner)
{
    gathered all;
    all.count = 0;
    pqti_each_item(*ref, gather_item, &all);
    edit->old = (pqti_leaf_view){all.min_x, all.min_y, all.max_x, all.max_y, all.id};
    return apply_leaf_edit(edit, level, edits, ref, fingerprint, inner);
}

PQTI_NOINLINE pqti_outcome
pqti_edit_few(const pqti_domain *domain, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
              pqt_fingerprint *fingerprint, bool *inner)
{
    PQT_INVARIANT(edits.count <= PQTI_FEW_ITEMS, "a leaf edit has too many edits");
    PQTI_DEBUG_ASSERT(ref->leaf || ref->count <= PQTI_FEW_ITEMS,
                      "a leaf edit gathers too many items");
    leaf_edit edit;
    edit.domain = domain;
    edit.level = level;
    edit.old_count = ref->count;
    edit.removed_count = 0;
    edit.items = edits.items;
    edit.inserted_count = 0;
    edit.fingerprint = (pqt_fingerprint){0, 0};
    *inner = false;
    if (pqti_is_node(*ref))
        return edit_gathered(&edit, level, edits, ref, fingerprint, inner);
    const size_t ids =
        4 * sizeof(double) * ref->count; /* the offset of the ids, which are read first */
    pqti_prefetch_bytes(ref->at, ids, pqti_leaf_size(ref->count));
    pqti_prefetch_bytes(ref->at, 0, ids);
    edit.old = pqti_view_or_none(ref->at, ref->count);
    return apply_leaf_edit(&edit, level, edits, ref, fingerprint, inner);
}
