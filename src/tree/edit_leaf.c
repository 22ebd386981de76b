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
with_id(const leaf_edit *t, uint64_t id)
{
    const uint64_t *ids = t->old.id;
    const pqti_u64x2 wanted = pqti_u64x2_splat(id);
    uint64_t hits = 0;
    size_t i = 0;
    for (; i + 2 <= t->old_count; i += 2)
        hits |= (uint64_t)pqti_u64x2_equal(pqti_u64x2_load(ids + i), wanted) << i;
    if (i < t->old_count)
        hits |= (uint64_t)(ids[i] == id) << i;
    return hits;
}

/* Returns true if old item i, which has the right id, has this box too. */
static inline bool
has_box(const leaf_edit *t, size_t i, const pqt_box *box)
{
    const pqt_box old = pqti_view_item(t->old, i).box;
    return pqti_box_equals(&old, box);
}

/*
 * Finds an item among the old ones. `same` has the bits of the old items with its id. Nearly always
 * there is at most one such item, so every branch that depends on memory is easy to predict.
 */
static inline bool
find_old_item(const leaf_edit *t, const pqt_item *item, uint64_t same, size_t *at)
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

/* Classifies an edit as a removal of a present item, an insertion of an absent one, or no
   change. Computes the fingerprint of the item first, while the leaf is being loaded. */
static inline void
classify_edit(leaf_edit *t, const pqti_key *edit, const pqt_item *item, uint64_t same, bool *missed)
{
    const pqt_fingerprint own = pqti_item_fingerprint(item);
    size_t at = 0;
    bool present = find_old_item(t, item, same, &at);
    *missed |= edit->removal & !present;
    if (edit->removal != present)
        return;
    if (edit->removal) {
        t->removed[t->removed_count++] = (uint32_t)at;
        t->fingerprint = pqti_fingerprint_subtract(t->fingerprint, own);
    } else {
        t->removed_before[t->inserted_count] = (uint32_t)t->removed_count;
        t->inserted[t->inserted_count++] = edit;
        t->fingerprint = pqti_fingerprint_add(t->fingerprint, own);
    }
}

/* Classifies all edits. Returns true if at least one of them changes something. */
static bool
classify_all_edits(leaf_edit *t, pqti_edits edits)
{
    bool missed = false;
    uint64_t same = 0, id = 0;
    for (size_t i = 0; i < edits.count; i++) {
        const pqt_item *item = &edits.items[edits.keys[i].index];
        if (t->old_count <= RUN && (i == 0 || item->id != id))
            same = with_id(t, id = item->id);
        classify_edit(t, &edits.keys[i], item, same, &missed);
    }
    return (t->removed_count > 0 || t->inserted_count > 0) && !(missed && edits.is_move);
}

/* Returns true if old item i, which has this key, precedes an insertion. */
static inline bool
view_item_is_before(const leaf_edit *t, size_t i, const pqti_key *key, const pqti_key *come)
{
    int order = pqti_compare_paths(key, come);
    if (order == 0) {
        pqt_item item = pqti_view_item(t->old, i);
        order = pqti_compare(key, &item, come, &t->items[come->index]);
    }
    return order < 0;
}

/* Does the same for an old item whose key is not known. */
static PQTI_NOINLINE bool
key_is_before(const leaf_edit *t, size_t i, const pqti_key *come)
{
    const pqti_key key = pqti_view_key(t->domain, t->old, i);
    return view_item_is_before(t, i, &key, come);
}

#ifdef PQT_PLAIN

/* Returns the insertion index of an item in `low`..`high`, by bisection. */
static size_t
bisect_insertion_index(const leaf_edit *t, size_t low, size_t high, const pqti_key *come)
{
    while (low < high) {
        const size_t probe = low + (high - low) / 2;
        if (key_is_before(t, probe, come))
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
quick_order_of(const leaf_edit *t, const pqti_key *come)
{
    enum { QUARTER_COLUMNS = 1 << 30 };
    const pqti_axis *x = &t->domain->x, *y = &t->domain->y;
    const pqt_box *box = &t->items[come->index].box;
    quick_order order = {.level = 0};
    /* The cells of smaller bounds can be subnormal. At depth 0, there can be outliers. */
    if (t->level.kind != PQTI_BY_CELL || t->level.depth == 0 || x->divisor < 0x1p-900 ||
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
decide_quickly(const leaf_edit *t, const quick_order *order, size_t i, bool *before)
{
    const pqti_f64x2 min = pqti_f64x2_of(t->old.min_x[i], t->old.min_y[i]);
    const pqti_f64x2 max = pqti_f64x2_of(t->old.max_x[i], t->old.max_y[i]);
    const pqti_f64x2 half_size = pqti_f64x2_scale(pqti_f64x2_sub(max, min), 0.5);
    uint32_t x, y;
    if (order->level == 0 || !find_column(order, min, max, &x, &y))
        return false;
    const uint32_t differing_x = x ^ order->x, differing_y = y ^ order->y;
    if ((differing_x | differing_y) == 0)
        return false;
    const unsigned common = (unsigned)__builtin_clz(differing_x | differing_y);
    if (common >= order->level || pqti_f64x2_lane(half_size, 0) > t->domain->x.half_cell[common] ||
        pqti_f64x2_lane(half_size, 1) > t->domain->y.half_cell[common])
        return false;
    *before = differing_y << common >> 31 != 0 ? y < order->y : x < order->x;
    return true;
}

/* Returns true if old item i precedes an insertion. */
static inline bool
old_item_is_before(const leaf_edit *t, const quick_order *order, size_t i, const pqti_key *come)
{
    bool before;
    if (!decide_quickly(t, order, i, &before))
        return key_is_before(t, i, come);
    PQTI_DEBUG_ASSERT(before == key_is_before(t, i, come), "columns and keys differ in order");
    return before;
}

/*
 * Fast path. It is equivalent to bisect_insertion_index. Every test passes without it.
 *
 * A moved item is usually inserted near the one that it replaces, which is next to one end of the
 * range. So the search starts from that end with steps that double, and then bisects.
 */
static size_t
gallop_insertion_index(const leaf_edit *t, size_t low, size_t high, bool near_low,
                       const pqti_key *come)
{
    const quick_order order = quick_order_of(t, come);
    for (size_t step = t->removed_count > 0 ? 1 : t->old_count; low < high; step *= 2) {
        size_t half = (high - low + 1) / 2, reach = step < half ? step : half;
        size_t probe = near_low ? low + reach - 1 : high - reach;
        if (old_item_is_before(t, &order, probe, come))
            low = probe + 1;
        else
            high = probe;
    }
    return low;
}

#endif

static inline size_t
insertion_index(const leaf_edit *t, size_t low, size_t high, bool near_low, const pqti_key *come)
{
#ifdef PQT_PLAIN
    (void)near_low;
    return bisect_insertion_index(t, low, high, come);
#else
    return gallop_insertion_index(t, low, high, near_low, come);
#endif
}

/* The removals are in tree order as well, so they limit the range of each insertion index. */
static void
find_insertion_indices(leaf_edit *t)
{
    size_t at = 0;
    for (size_t j = 0; j < t->inserted_count; j++) {
        size_t gone = t->removed_before[j];
        size_t low = gone > 0 && t->removed[gone - 1] >= at ? t->removed[gone - 1] + 1 : at;
        size_t high = gone < t->removed_count ? t->removed[gone] : t->old_count;
        at = insertion_index(t, low, high, gone > 0, t->inserted[j]);
        t->before[j] = (uint32_t)at;
    }
}

/* Writes the runs of the items `from`..`to` between the removed ones. `*gone` counts the removed
   items passed so far. Returns the number of runs. */
static size_t
keep_runs(const leaf_edit *t, size_t from, size_t to, size_t *gone, pqti_item_run *runs)
{
    size_t count = 0;
    while (from < to) {
        bool goes = *gone < t->removed_count && t->removed[*gone] < to;
        size_t stop = goes ? t->removed[(*gone)++] : to;
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
runs_of(const leaf_edit *t, pqti_item_run *runs)
{
    size_t count = 0, next = 0, gone = 0;
    if (t->removed_count == 0 && t->inserted_count == 1) {
        runs[0] = (pqti_item_run){0, t->before[0], &t->items[t->inserted[0]->index]};
        runs[1] = (pqti_item_run){t->before[0], (uint32_t)t->old_count, NULL};
        return 2;
    }
    for (size_t j = 0; j < t->inserted_count; j++) {
        size_t kept = keep_runs(t, next, t->before[j], &gone, runs + count);
        if (kept == 0)
            runs[count] = (pqti_item_run){0, 0, NULL};
        count += kept > 0 ? kept : 1;
        runs[count - 1].inserted = &t->items[t->inserted[j]->index];
        next = t->before[j];
    }
    return count + keep_runs(t, next, t->old_count, &gone, runs + count);
}

/* Builds a subtree from more items than a leaf may hold. */
static PQTI_NOINLINE bool
split_leaf(const leaf_edit *t, pqti_level level, const pqti_item_run *runs, size_t count,
           pqti_node_ref *ref)
{
    pqt_item items[2 * PQTI_FEW_ITEMS];
    pqti_key keys[2 * PQTI_FEW_ITEMS];
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = runs[i].from; j < runs[i].to; j++)
            items[filled++] = pqti_view_item(t->old, j);
        if (runs[i].inserted != NULL)
            items[filled++] = *runs[i].inserted;
    }
    pqt_fingerprint ignored = {0, 0};
    pqti_keys_of(t->domain, items, filled, keys);
    return pqti_build(t->domain, level, items, keys, filled, ref, &ignored);
}

/* Returns true if the indices of insertions never decrease. Only debug builds call this. */
static inline bool
indices_ascend(const leaf_edit *t)
{
    for (size_t i = 1; i < t->removed_count; i++)
        if (t->removed[i - 1] >= t->removed[i])
            return false;
    for (size_t j = 0; j < t->inserted_count; j++)
        if (t->before[j] > t->old_count || (j > 0 && t->before[j - 1] > t->before[j]))
            return false;
    return true;
}

static PQTI_NOINLINE bool
make_edited_leaf(leaf_edit *t, pqti_level level, size_t count, pqti_node_ref *ref)
{
    pqti_item_run runs[2 * PQTI_FEW_ITEMS + 1];
    find_insertion_indices(t);
    PQTI_DEBUG_ASSERT(indices_ascend(t), "insertions or removals are not in tree order");
    size_t run_count = runs_of(t, runs);
    if (!pqti_fits_leaf(t->domain, level, count))
        return split_leaf(t, level, runs, run_count, ref);
    return pqti_leaf_of_runs(t->domain, level, &t->old, runs, run_count, count, ref);
}

/* Applies the edits to the old items. If the subtree is a node and remains a node, sets `*inner`
   to true and does nothing else. */
static pqti_outcome
apply_leaf_edit(leaf_edit *t, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
                pqt_fingerprint *fingerprint, bool *inner)
{
    if (!classify_all_edits(t, edits))
        return PQTI_SAME;
    size_t count = t->old_count - t->removed_count + t->inserted_count;
    *inner = pqti_is_node(*ref) && !pqti_fits_leaf(t->domain, level, count);
    if (*inner)
        return PQTI_SAME;
    if (!make_edited_leaf(t, level, count, ref))
        return PQTI_FAILED;
    *fingerprint = pqti_fingerprint_add(*fingerprint, t->fingerprint);
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
edit_gathered(leaf_edit *t, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
              pqt_fingerprint *fingerprint, bool *inner)
{
    gathered all;
    all.count = 0;
    pqti_each_item(*ref, gather_item, &all);
    t->old = (pqti_leaf_view){all.min_x, all.min_y, all.max_x, all.max_y, all.id};
    return apply_leaf_edit(t, level, edits, ref, fingerprint, inner);
}

PQTI_NOINLINE pqti_outcome
pqti_edit_few(const pqti_domain *domain, pqti_level level, pqti_edits edits, pqti_node_ref *ref,
              pqt_fingerprint *fingerprint, bool *inner)
{
    PQT_INVARIANT(edits.count <= PQTI_FEW_ITEMS, "a leaf edit has too many edits");
    PQTI_DEBUG_ASSERT(ref->leaf || ref->count <= PQTI_FEW_ITEMS,
                      "a leaf edit gathers too many items");
    leaf_edit t;
    t.domain = domain;
    t.level = level;
    t.old_count = ref->count;
    t.removed_count = 0;
    t.items = edits.items;
    t.inserted_count = 0;
    t.fingerprint = (pqt_fingerprint){0, 0};
    *inner = false;
    if (pqti_is_node(*ref))
        return edit_gathered(&t, level, edits, ref, fingerprint, inner);
    const size_t ids =
        4 * sizeof(double) * ref->count; /* the offset of the ids, which are read first */
    pqti_prefetch_bytes(ref->at, ids, pqti_leaf_size(ref->count));
    pqti_prefetch_bytes(ref->at, 0, ids);
    t.old = pqti_view_or_none(ref->at, ref->count);
    return apply_leaf_edit(&t, level, edits, ref, fingerprint, inner);
}
