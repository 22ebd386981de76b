/* SPDX-License-Identifier: MIT */
/*
 * pair_delta.c: finds the pairs that began or ended between two versions.
 *
 * Only a pair with a changed item can begin or end. So all changed items are found first. Then a
 * single descent through both versions finds the partners of all of them: it enters each subtree
 * once, with all *probes* that overlap the subtree. A probe is the old box of a changed item, or
 * its new box, or one box around both if that is not much larger.
 *
 * An unchanged partner is in both versions. It is found in the later version, and both beginnings
 * and ends are reported there. A changed partner is found in each version that has it: ends are
 * reported in the earlier version, and beginnings in the later one. A pair of two changed items is
 * reported by the one that comes first in the list of changed items. Shared subtrees hold no
 * changed item, so only the later version is traversed there.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pqt/pairs.h>
#include <pqt/query.h>
#include <pqt/tree.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/relation.h"
#include "collision/pairs_leaf.h"
#include "memory/memory_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/algebra/codescent.h"
#include "tree/algebra/same_depth.h"
#include "tree/item_hash.h"
#include "tree/tree_internal.h"

/* An item that only one of the two versions has, or a moved item. The id of a moved item occurs
 * exactly once among the removed items and exactly once among the inserted ones. */
typedef struct pqti_changed_item {
    bool was_present, is_present;
    bool is_disjoint; /* its id was removed or inserted more than once, so it is found by its box */
    pqt_item before, after; /* an item that is absent in its version equals the other one */
} pqti_changed_item;

/* The changed items between two versions in scratch memory, a hash table of their ids, and a hash
 * table of whole items for the disjoint ones. */
typedef struct pqti_changed_items {
    pqti_changed_item *changed;
    size_t count;
    uint32_t *by_id, *by_item; /* slots: index in `changed` plus 1, or 0 if the slot is empty */
    size_t id_mask, item_mask;
} pqti_changed_items;

/* Finds all changed items between compatible versions, in an order that depends on the versions
 * alone. Returns false when out of memory, in which case there is nothing to free. Otherwise,
 * the caller frees the result with pqti_changed_items_free. */
static bool pqti_changed_items_of(const pqt_tree *before, const pqt_tree *after,
                                  pqt_query_stats *stats, pqti_changed_items *all);

static void pqti_changed_items_free(pqti_changed_items *all);

/* Returns the changed item for an item of the earlier or the later version, or NULL if both
 * versions have the item. */
static const pqti_changed_item *pqti_changed_find(const pqti_changed_items *all,
                                                  const pqt_item *item, bool later);

/* A window that is searched for partners of a changed item. */
typedef struct probe {
    pqti_qbox qbox[2]; /* the window in columns of the bounds, and of the outlier grid */
    pqt_box window;
    const pqti_changed_item *item;
    bool ended, began; /* it may report the ends of pairs; it may report their beginnings */
} probe;

typedef struct change_search {
    const pqti_domain *domain;
    pqt_pair_query query;
    bool ordered; /* the boxes of a pair's items decide which one comes first */
    pqti_changed_items changes;
    probe *probes;
    uint32_t *numbers; /* indices of probes; those that overlap the current subtree come first */
    size_t count;
    pqt_visit_pair_change_fn *visit;
    void *context;
} change_search;

/* Two items in the order of a pair; both NULL if they are not a pair. */
typedef struct ordered_pair {
    const pqt_item *a, *b;
} ordered_pair;

static bool
pair_is_before(const pqti_domain *domain, const pqt_item *a, const pqt_item *b)
{
    pqti_key key_a = pqti_key_of(domain, a, 0);
    pqti_key key_b = pqti_key_of(domain, b, 0);
    return pqti_compare(&key_a, a, &key_b, b) < 0;
}

/* Returns true if two items of a version are in the relation, regardless of the filter. Returns
 * false if either is NULL. */
static bool
items_are_related(const change_search *s, const pqt_item *a, const pqt_item *b)
{
    if (a == NULL || b == NULL)
        return false;
    return pqti_box_relates(&a->box, &b->box, s->query.relation) ||
           (s->ordered && pqti_box_relates(&b->box, &a->box, s->query.relation));
}

/* Returns two related items in the order of a pair of the version. Both are NULL if the filter
 * rejects the pair. */
static ordered_pair
pair_of(const change_search *s, const pqt_item *a, const pqt_item *b)
{
    ordered_pair pair =
        pair_is_before(s->domain, b, a) ? (ordered_pair){b, a} : (ordered_pair){a, b};
    if (!pqti_box_relates(&pair.a->box, &pair.b->box, s->query.relation))
        pair = (ordered_pair){pair.b, pair.a};
    bool passes = s->query.filter == NULL || s->query.filter(pair.a, pair.b, s->query.context);
    return passes ? pair : (ordered_pair){NULL, NULL};
}

static bool
emit_pair_change(const change_search *s, pqt_pair_change change, ordered_pair pair)
{
    return s->visit(change, pair.a, pair.b, s->context);
}

/* Reports the changes to the pair of a changed item and a partner. The partner is given as it was
 * before and as it is after, each NULL if absent. Returns false if the visitor stopped. */
static bool
compare_pair(const change_search *s, const pqti_changed_item *one, const pqt_item *partner_before,
             const pqt_item *partner_after, bool may_end, bool may_begin)
{
    const pqt_item *before = one->was_present ? &one->before : NULL;
    const pqt_item *after = one->is_present ? &one->after : NULL;
    bool was = items_are_related(s, before, partner_before),
         is = items_are_related(s, after, partner_after);
    if (was == is && (!was || (!s->ordered && s->query.filter == NULL)))
        return true;
    ordered_pair then = {NULL, NULL}, now = {NULL, NULL};
    if (was)
        then = pair_of(s, before, partner_before);
    if (is)
        now = pair_of(s, after, partner_after);
    if (then.a != NULL && now.a != NULL && (!s->ordered || (then.a == before) == (now.a == after)))
        return true;
    return (then.a == NULL || !may_end || emit_pair_change(s, PQT_PAIR_ENDED, then)) &&
           (now.a == NULL || !may_begin || emit_pair_change(s, PQT_PAIR_BEGAN, now));
}

/* Reports the changes to the pair of a probe's item and an item of one version whose box touches
 * the probe's window. Returns false if the visitor stopped. */
static bool
report_partner(const change_search *s, const probe *p, const pqt_item *found, bool later)
{
    const pqti_changed_item *partner = pqti_changed_find(&s->changes, found, later);
    if (partner == NULL)
        return !later || compare_pair(s, p->item, found, found, p->ended, p->began);
    if (partner <= p->item)
        return true; /* the item itself, or a pair that the partner's own probe reports */
    return compare_pair(s, p->item, partner->was_present ? &partner->before : NULL,
                        partner->is_present ? &partner->after : NULL, p->ended && !later,
                        p->began && later);
}

static bool
collect_probe_hits(const change_search *s, const probe *p, pqti_node_ref leaf, bool later)
{
    pqti_leaf_view view = pqti_view(leaf.at, leaf.count);
    for (uint32_t from = 0; from < leaf.count; from += PQTI_SCAN_ITEMS) {
        uint64_t hits = pqti_sides_within(&view, p->window.max, p->window.min, from, leaf.count);
        for (; hits != 0; hits &= hits - 1) {
            pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
            if (!report_partner(s, p, &item, later))
                return false;
        }
    }
    return true;
}

/* Tests the items of a leaf, which may be empty, against the first `count` probes. */
static bool
collect_probe_leaf(const change_search *s, pqti_node_ref leaf, size_t count, bool later)
{
    for (size_t i = 0; i < count && leaf.count > 0; i++) {
        pqti_stats_add_ref_leaf(s->query.stats, leaf.count);
        if (!collect_probe_hits(s, &s->probes[s->numbers[i]], leaf, later))
            return false;
    }
    return true;
}

/* Returns a bit for each quadrant of either of two nodes that one of the first `count` probes
 * overlaps. One of the nodes may be empty. */
static unsigned
quadrants_of_probes(const change_search *s, bool outliers, pqti_node_ref before,
                    pqti_node_ref after, size_t count)
{
    enum { FEW = 4, ALL = 15 }; /* more than FEW probes usually overlap all quadrants */
    unsigned selected = count > FEW ? ALL : 0;
    for (size_t i = 0; selected != ALL && i < count; i++) {
        pqti_qbox own = s->probes[s->numbers[i]].qbox[outliers];
        if (before.count > 0)
            selected |= pqti_quadrants_relate(before.at, &own);
        if (after.count > 0)
            selected |= pqti_quadrants_relate(after.at, &own);
    }
    return selected;
}

/* The bounds with which the four columns of a qbox are compared in one SIMD operation to test for
 * overlap. */
typedef struct qbox_limits {
    pqti_i32x4_biased max_low, min_high;
} qbox_limits;

static inline qbox_limits
limits_of(pqti_qbox child)
{
    const uint32_t most[] = {child.max_x, child.max_y, UINT32_MAX, UINT32_MAX};
    const uint32_t least[] = {0, 0, child.min_x, child.min_y};
    return (qbox_limits){pqti_i32x4_biased_load(most), pqti_i32x4_biased_load(least)};
}

static inline bool
qbox_is_within(const pqti_qbox *qbox, qbox_limits by)
{
    const uint32_t qcoords[] = {qbox->min_x, qbox->min_y, qbox->max_x, qbox->max_y};
    pqti_i32x4_biased own = pqti_i32x4_biased_load(qcoords);
    return pqti_mask32x4_none(pqti_mask32x4_or(pqti_i32x4_biased_gt(own, by.max_low),
                                               pqti_i32x4_biased_lt(own, by.min_high)));
}

/* Moves those of the first `count` probes that overlap a child to the front. Returns their number.
 * The loop is branch-free, because the outcomes cannot be predicted. */
static size_t
select_probes_of_child(const change_search *s, bool outliers, pqti_qbox child, size_t count)
{
    const qbox_limits by = limits_of(child);
    const probe *probes = s->probes;
    uint32_t *numbers = s->numbers;
    size_t selected = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = numbers[i];
        numbers[i] = numbers[selected];
        numbers[selected] = number;
        selected += qbox_is_within(&probes[number].qbox[outliers], by);
    }
    return selected;
}

/* Returns true if a probe may find a partner in a hash node, according to the exact sides of the
 * node's items. */
static bool
may_find_in_hash_node(const change_search *s, const probe *p, pqti_node_ref ref)
{
    if (!ref.is_hash)
        return ref.count > 0;
    const pqti_side_range *side_range = pqti_side_range_of(ref.at);
    if (!pqti_all_boxes_equal(side_range))
        return pqt_box_touches(p->window, pqti_side_range_box(side_range));
    pqt_item any = {side_range->min, 0};
    return (p->item->was_present && items_are_related(s, &p->item->before, &any)) ||
           (p->item->is_present && items_are_related(s, &p->item->after, &any));
}

/* Like select_probes_of_child, but uses the exact sides of hash nodes. */
static PQTI_NOINLINE size_t
select_probes_of_hash_nodes(const change_search *s, size_t count, pqti_node_ref before,
                            pqti_node_ref after)
{
    size_t selected = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = s->numbers[i];
        const probe *p = &s->probes[number];
        s->numbers[i] = s->numbers[selected];
        s->numbers[selected] = number;
        selected += may_find_in_hash_node(s, p, before) || may_find_in_hash_node(s, p, after);
    }
    return selected;
}

static bool walk_changed(const change_search *s, pqti_level level, pqti_node_ref before,
                         pqti_node_ref after, size_t count);

/* Prefetches the quadrants that are visited next, so that their cache misses overlap. */
static void
prefetch_quadrants(pqti_node_ref before, pqti_node_ref after, unsigned which)
{
    for (; which != 0; which &= which - 1) {
        int i = __builtin_ctz(which);
        pqti_node_ref a = pqti_child_of(&before, i), b = pqti_child_of(&after, i);
        pqti_prefetch_child(b);
        if (a.at != b.at)
            pqti_prefetch_child(a);
    }
}

/* Visits the children of two corresponding nodes, or of one node if the other is empty. */
static bool
walk_children(const change_search *s, pqti_level level, pqti_node_ref before, pqti_node_ref after,
              size_t count)
{
    pqti_level next = pqti_child_level(s->domain, level, PQTI_OWN_ITEMS);
    pqti_stats_add_ref_node(s->query.stats, &before);
    pqti_stats_add_ref_node(s->query.stats, &after);
    if (!walk_changed(s, next, pqti_child_of(&before, PQTI_OWN_ITEMS),
                      pqti_child_of(&after, PQTI_OWN_ITEMS), count))
        return false;
    next = pqti_quadrant_level(s->domain, level);
    unsigned which = quadrants_of_probes(s, next.outliers, before, after, count);
    prefetch_quadrants(before, after, which);
    for (; which != 0; which &= which - 1) {
        int i = __builtin_ctz(which);
        pqti_node_ref a = pqti_child_of(&before, i), b = pqti_child_of(&after, i);
        pqti_qbox qbox = pqti_qbox_union(a.qbox, b.qbox);
        size_t selected = count == 1 ? 1 : select_probes_of_child(s, next.outliers, qbox, count);
        if (!walk_changed(s, next, a, b, selected))
            return false;
    }
    return true;
}

static PQTI_NOINLINE bool
walk_aligned(const change_search *s, pqti_level level, pqti_node_ref before, pqti_node_ref after,
             size_t count)
{
    pqti_alignment both;
    pqti_align(&both, s->domain, level, (pqti_node_ref[]){before, after}, 2);
    return walk_children(s, both.at, both.node[0], both.node[1], count);
}

/* Searches a subtree of both versions for partners of the first `count` probes. Returns false if
 * the visitor stopped. */
static bool
walk_changed(const change_search *s, pqti_level level, pqti_node_ref before, pqti_node_ref after,
             size_t count)
{
    if (before.at == after.at)
        before = PQTI_EMPTY_REF;
    if (before.is_hash || after.is_hash)
        count = select_probes_of_hash_nodes(s, count, before, after);
    if (count == 0)
        return true;
    if (pqti_is_leaf_or_empty(before) && pqti_is_leaf_or_empty(after))
        return collect_probe_leaf(s, before, count, false) &&
               collect_probe_leaf(s, after, count, true);
    if (pqti_has_children(before) && pqti_has_children(after))
        return (before.skips || after.skips ? walk_aligned : walk_children)(s, level, before, after,
                                                                            count);
    return walk_changed(s, level, before, PQTI_EMPTY_REF, count) &&
           walk_changed(s, level, PQTI_EMPTY_REF, after, count);
}

static void
add_probe(change_search *s, const pqti_changed_item *item, pqt_box window, bool ended, bool began)
{
    PQT_INVARIANT(s->count < 2 * s->changes.count, "an item has more than two probes");
    s->numbers[s->count] = (uint32_t)s->count;
    s->probes[s->count++] = (probe){
        .qbox = {pqti_qbox_of(s->domain, false, &window), pqti_qbox_of(s->domain, true, &window)},
        .window = window,
        .item = item,
        .ended = ended,
        .began = began,
    };
}

/* The lengths of two boxes, and of the box around both, on one axis. */
typedef struct lengths {
    double a, b, both;
} lengths;

static inline lengths
lengths_on_axis(double a_min, double a_max, double b_min, double b_max)
{
    double both = pqti_fmax(a_max, b_max) - pqti_fmin(a_min, b_min);
    return (lengths){a_max - a_min, b_max - b_min, both};
}

/* Returns true if the box around two positions of an item is at most four times as large as the
 * larger one of its boxes. It is false for a line that turns, since each position is short where
 * the other is long. */
static inline bool
is_small_move(const pqt_box *before, const pqt_box *after)
{
    lengths x = lengths_on_axis(before->min.x, before->max.x, after->min.x, after->max.x);
    lengths y = lengths_on_axis(before->min.y, before->max.y, after->min.y, after->max.y);
    return pqt_box_touches(*before, *after) && (x.both <= 2 * x.a || y.both <= 2 * y.b) &&
           (x.both <= 2 * x.b || y.both <= 2 * y.a);
}

/* Adds one probe for a small move. Otherwise, adds a probe for each position, because a box much
 * larger than both would find too many items. */
static void
add_probes(change_search *s, const pqti_changed_item *item)
{
    const pqt_box *before = &item->before.box, *after = &item->after.box;
    if (item->was_present && item->is_present && is_small_move(before, after)) {
        add_probe(s, item, pqt_box_union(*before, *after), true, true);
        return;
    }
    if (item->was_present)
        add_probe(s, item, *before, true, false);
    if (item->is_present)
        add_probe(s, item, *after, false, true);
}

/* Makes the probes of all changed items. Returns false when out of memory. */
static bool
make_probes(change_search *s)
{
    size_t most = 2 * s->changes.count + 1;
    s->probes = pqti_alloc_scratch(most, sizeof *s->probes);
    s->numbers = s->probes == NULL ? NULL : pqti_alloc_scratch(most, sizeof *s->numbers);
    for (size_t i = 0; s->numbers != NULL && i < s->changes.count; i++)
        add_probes(s, &s->changes.changed[i]);
    return s->numbers != NULL;
}

/* Sets *unstopped to false if the visitor stopped, otherwise to true. Returns false when out of
 * memory. */
static bool
search_changes(change_search *s, const pqt_tree *before, const pqt_tree *after, bool *unstopped)
{
    if (!pqti_changed_items_of(before, after, s->query.stats, &s->changes))
        return false;
    bool ready = make_probes(s);
    if (ready)
        *unstopped = walk_changed(s, PQTI_ROOT, pqti_root(before), pqti_root(after), s->count);
    pqti_free_scratch(s->probes);
    pqti_free_scratch(s->numbers);
    pqti_changed_items_free(&s->changes);
    return ready;
}

bool
pqt_pairs_visit_changes(const pqt_tree *before, const pqt_tree *after, const pqt_pair_query *query,
                        pqt_visit_pair_change_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    PQTI_ASSERT_PAIR_QUERY(query);
    pqti_same_depth same;
    if (!pqti_check_read(before, error) || !pqti_check_read(after, error) ||
        !pqti_same_depth_begin(&same, before, after, error))
        return false;
    bool ordered = pqti_relation_is_ordered(query->relation);
    change_search s = {.domain = before->domain, .query = *query, .ordered = ordered};
    s.visit = visit;
    s.context = context;
    bool unstopped = false;
    bool found = search_changes(&s, before, same.tree, &unstopped);
    if (!found)
        pqti_out_of_memory(error);
    pqti_same_depth_end(&same);
    pqti_keep_alive(before);
    pqti_keep_alive(after);
    return found && unstopped;
}

/*
 * Finds the items that changed between two versions, with hash tables.
 *
 * If ids are unique, the difference between the versions names each id at most twice: its removal
 * and its insertion. The table of ids combines the two. An item that is not in the table did not
 * change, so no id map is read.
 *
 * If an id occurs more often, its items are *disjoint*: each entry is one removal or one insertion.
 * The table of ids holds the first of these entries. A second table holds all of them by the value
 * of the item, so an id with many items needs no linear scan.
 */

/* Returns the slot of an id, which holds its first changed item or is empty. */
static uint32_t *
slot_of_id(const pqti_changed_items *all, uint64_t id)
{
    size_t i = (size_t)pqti_id_key(id) & all->id_mask;
    while (all->by_id[i] != 0 && all->changed[all->by_id[i] - 1].before.id != id)
        i = (i + 1) & all->id_mask;
    return &all->by_id[i];
}

/* Returns true if a changed item equals `item` in the earlier or the later version. */
static bool
is_item(const pqti_changed_item *one, const pqt_item *item, bool later)
{
    return (later ? one->is_present : one->was_present) &&
           pqt_item_equals(later ? one->after : one->before, *item);
}

/* Like slot_of_id, but for a disjoint item in the table of items. */
static uint32_t *
slot_of_item(const pqti_changed_items *all, const pqt_item *item, bool later)
{
    size_t i = (size_t)pqti_item_hash(item) & all->item_mask;
    while (all->by_item[i] != 0 && !is_item(&all->changed[all->by_item[i] - 1], item, later))
        i = (i + 1) & all->item_mask;
    return &all->by_item[i];
}

static const pqti_changed_item *
pqti_changed_find(const pqti_changed_items *all, const pqt_item *item, bool later)
{
    uint32_t number = *slot_of_id(all, item->id);
    if (number != 0 && all->changed[number - 1].is_disjoint)
        number = *slot_of_item(all, item, later);
    if (number == 0 || !is_item(&all->changed[number - 1], item, later))
        return NULL;
    return &all->changed[number - 1];
}

static void
set_changed_item(pqti_changed_item *one, const pqt_item *item, bool inserted)
{
    if (!one->was_present && !one->is_present)
        one->before = one->after = *item;
    *(inserted ? &one->after : &one->before) = *item;
    *(inserted ? &one->is_present : &one->was_present) = true;
}

/* Adds an item to the entry of its id. Returns false if the id was removed twice or inserted twice,
 * so that its items are disjoint. */
static bool
add_id(pqti_changed_items *all, const pqt_item *item, bool inserted)
{
    uint32_t *slot = slot_of_id(all, item->id);
    if (*slot == 0) {
        all->changed[all->count] = (pqti_changed_item){.before = *item};
        *slot = (uint32_t)++all->count;
    }
    pqti_changed_item *one = &all->changed[*slot - 1];
    one->is_disjoint |= inserted ? one->is_present : one->was_present;
    set_changed_item(one, item, inserted);
    return !one->is_disjoint;
}

/* Allocates an empty hash table for `count` entries. Returns NULL when out of memory. */
static uint32_t *
make_changed_index(size_t count, size_t *mask)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    *mask = slots - 1;
    uint32_t *table = pqti_alloc_scratch(slots, sizeof *table);
    if (table != NULL)
        memset(table, 0, slots * sizeof *table);
    return table;
}

/* Adds an entry for each item of a disjoint id. The existing entry of the id becomes the first of
 * them. Returns false when out of memory. */
static bool
add_disjoint(pqti_changed_items *all, const pqti_changelist *list)
{
    all->by_item = make_changed_index(list->count, &all->item_mask);
    for (size_t i = 0; i < all->count; i++)
        if (all->changed[i].is_disjoint)
            all->changed[i].was_present = all->changed[i].is_present = false;
    for (size_t i = 0; all->by_item != NULL && i < list->count; i++) {
        const pqt_item *item = &list->items[i];
        uint32_t number = *slot_of_id(all, item->id);
        PQT_INVARIANT(number != 0, "the id of a change is not in the table of ids");
        if (!all->changed[number - 1].is_disjoint)
            continue;
        if (all->changed[number - 1].was_present || all->changed[number - 1].is_present) {
            PQT_INVARIANT(all->count < list->count, "more items changed than there are changes");
            number = (uint32_t)++all->count;
            all->changed[number - 1] = (pqti_changed_item){.is_disjoint = true};
        }
        *slot_of_item(all, item, !list->removals[i]) = number;
        set_changed_item(&all->changed[number - 1], item, !list->removals[i]);
    }
    return all->by_item != NULL;
}

/* Adds all items of a list of changes. Returns false when out of memory. */
static bool
add_all(pqti_changed_items *all, const pqti_changelist *list)
{
    bool unique = true;
    all->changed = pqti_alloc_scratch(list->count + 1, sizeof *all->changed);
    all->by_id = all->changed == NULL ? NULL : make_changed_index(list->count, &all->id_mask);
    for (size_t i = 0; all->by_id != NULL && i < list->count; i++)
        unique &= add_id(all, &list->items[i], !list->removals[i]);
    return all->by_id != NULL && (unique || add_disjoint(all, list));
}

static bool
pqti_changed_items_of(const pqt_tree *before, const pqt_tree *after, pqt_query_stats *stats,
                      pqti_changed_items *all)
{
    pqti_changelist list = {0};
    *all = (pqti_changed_items){0};
    bool found = pqti_changelist_differences(&list, before->domain, NULL, stats, PQTI_ROOT,
                                             pqti_root(before), pqti_root(after)) &&
                 add_all(all, &list);
    pqti_changelist_free(&list);
    if (!found)
        pqti_changed_items_free(all);
    return found;
}

static void
pqti_changed_items_free(pqti_changed_items *all)
{
    pqti_free_scratch(all->changed);
    pqti_free_scratch(all->by_id);
    pqti_free_scratch(all->by_item);
    *all = (pqti_changed_items){0};
}
