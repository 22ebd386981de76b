/* SPDX-License-Identifier: MIT */
/*
 * pairs_leaf.c: finds pairs of items between two leaves, or within one leaf.
 *
 * For two leaves, the items of the first leaf are compared with the bounding box of the second one.
 * Items that touch it are compared with each item of the second leaf. These tests are for touching,
 * which every relation implies. The relation and the filter are tested at the end.
 */
#include "config.h"

#include "collision/pairs_leaf.h"

#include "base/error_internal.h"
#include "tree/leaf_scan.h"

/* Visits a pair of items that touch, if the relation and the filter accept it. Returns false if the
 * visitor stopped. */
static inline bool
visit_if_related(const pqti_pairing *pairing, const pqt_item *a, const pqt_item *b)
{
    if (pairing->every)
        return pairing->visit(a, b, pairing->context);
    pqt_box box_b = pqti_moved(b->box, pairing->second.offset);
    bool related = pqti_box_relates(&a->box, &box_b, pairing->query.relation);
    if (!related && pairing->within && pqti_box_relates(&box_b, &a->box, pairing->query.relation)) {
        const pqt_item *other = a;
        a = b;
        b = other;
        related = true;
    }
    if (!related ||
        (pairing->query.filter != NULL && !pairing->query.filter(a, b, pairing->query.context)))
        return true;
    return pairing->visit(a, b, pairing->context);
}

static inline bool
touches_moved(pqti_leaf_view view, uint32_t i, pqt_vec offset, const pqt_box *box)
{
    pqt_box other = pqti_moved(pqti_view_item(view, i).box, offset);
    return (other.min.x <= box->max.x) & (box->min.x <= other.max.x) & (other.min.y <= box->max.y) &
           (box->min.y <= other.max.y);
}

/* Tests the items `from` to `from` + 63 of a leaf of the second side. Returns a bit for each of
 * them that touches a box. */
static PQTI_NOINLINE uint64_t
touch_mask_with_offset(const pqti_pairing *pairing, const pqt_box *box, const pqti_leaf_view *view,
                       uint32_t from, uint32_t count)
{
    uint64_t hits = 0;
    for (uint32_t i = from; i < count && i - from < PQTI_SCAN_ITEMS; i++)
        hits |= (uint64_t)touches_moved(*view, i, pairing->second.offset, box) << (i - from);
    return hits;
}

static inline uint64_t
touch_mask(const pqti_pairing *pairing, const pqt_box *box, const pqti_leaf_view *view,
           uint32_t from, uint32_t count)
{
    return pairing->still ? pqti_sides_within(view, box->max, box->min, from, count)
                          : touch_mask_with_offset(pairing, box, view, from, count);
}

/* Visits item `item` with each item from + i of the other leaf whose bit i is set. */
static PQTI_NOINLINE bool
visit_hits(const pqti_pairing *pairing, const pqt_item *item, const pqti_leaf_view *view,
           uint32_t from, uint64_t hits)
{
    for (; hits != 0; hits &= hits - 1) {
        pqt_item b = pqti_view_item(*view, from + (uint32_t)__builtin_ctzll(hits));
        if (!visit_if_related(pairing, item, &b))
            return false;
    }
    return true;
}

/* Visits the pairs of item `i` of a leaf with the items from `from` on of another leaf. The
 * function is always inlined, and hits are visited in another function: leaves are small and most
 * items have no hit, so calls would cost as much as all comparisons. */
static inline __attribute__((always_inline)) bool
pair_item_with_leaf(const pqti_pairing *pairing, const pqti_leaf_view *view_a, uint32_t i,
                    const pqti_leaf_view *view_b, uint32_t from, uint32_t count)
{
    pqt_box box = {{view_a->min_x[i], view_a->min_y[i]}, {view_a->max_x[i], view_a->max_y[i]}};
    for (uint32_t run = from; run < count; run += PQTI_SCAN_ITEMS) {
        uint64_t hits = touch_mask(pairing, &box, view_b, run, count);
        if (hits == 0)
            continue;
        pqt_item item = {box, view_a->id[i]};
        if (!visit_hits(pairing, &item, view_b, run, hits))
            return false;
    }
    if (pairing->query.stats != NULL)
        pairing->query.stats->boxes += count - from;
    return true;
}

bool
pqti_pairing_leaves(const pqti_pairing *pairing, const pqti_pairing_node *a,
                    const pqti_pairing_node *b)
{
    PQT_INVARIANT(a->ref.leaf && b->ref.leaf, "a node is paired as a leaf");
    pqti_leaf_view view_a = pqti_view(a->ref.at, a->ref.count);
    pqti_leaf_view view_b = pqti_view(b->ref.at, b->ref.count);
    pqt_box bounds_b =
        b->offset_qbox ? b->box : pqti_box_of_qbox(pairing->bounds, false, b->ref.qbox);
    for (uint32_t run = 0; run < a->ref.count; run += PQTI_SCAN_ITEMS) {
        uint64_t near = pqti_sides_within(&view_a, bounds_b.max, bounds_b.min, run, a->ref.count);
        for (; near != 0; near &= near - 1) {
            uint32_t i = run + (uint32_t)__builtin_ctzll(near);
            if (!pair_item_with_leaf(pairing, &view_a, i, &view_b, 0, b->ref.count))
                return false;
        }
    }
    if (pairing->query.stats != NULL)
        pairing->query.stats->boxes += a->ref.count;
    return true;
}

/* Visits the pairs within a leaf: for each item in `which`, the pairs with the later items that are
 * in its `hits`. */
static bool
visit_leaf_hits(const pqti_pairing *pairing, const pqti_leaf_view *view, uint64_t which,
                const uint64_t *hits)
{
    for (; which != 0; which &= which - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(which);
        pqt_item item = pqti_view_item(*view, i);
        if (!visit_hits(pairing, &item, view, i + 1, hits[i]))
            return false;
    }
    return true;
}

/* Visits the pairs within a leaf of at most PQTI_SCAN_ITEMS items. Tests all items before the first
 * visit, because it cannot be predicted which items have hits. */
static PQTI_NOINLINE bool
pair_small_leaf(const pqti_pairing *pairing, pqti_node_ref leaf)
{
    uint64_t hits[PQTI_SCAN_ITEMS], which = 0;
    uint32_t count = leaf.count;
    PQT_INVARIANT(count <= PQTI_SCAN_ITEMS, "a leaf has more items than the mask of its hits");
    pqti_leaf_view view = pqti_view(leaf.at, count);
    for (uint32_t i = 0; i + 1 < count; i++) {
        pqt_vec most = {view.max_x[i], view.max_y[i]}, least = {view.min_x[i], view.min_y[i]};
        hits[i] = pqti_sides_within(&view, most, least, i + 1, count);
        which |= (uint64_t)(hits[i] != 0) << i;
    }
    if (pairing->query.stats != NULL)
        pairing->query.stats->boxes += (uint64_t)count * (count - 1) / 2;
    return visit_leaf_hits(pairing, &view, which, hits);
}

bool
pqti_pairing_leaf(const pqti_pairing *pairing, pqti_node_ref leaf)
{
    if (leaf.count <= PQTI_SCAN_ITEMS)
        return pair_small_leaf(pairing, leaf);
    pqti_leaf_view view = pqti_view(leaf.at, leaf.count);
    for (uint32_t i = 0; i + 1 < leaf.count; i++)
        if (!pair_item_with_leaf(pairing, &view, i, &view, i + 1, leaf.count))
            return false;
    return true;
}
