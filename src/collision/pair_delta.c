/* SPDX-License-Identifier: MIT */
/*
 * pair_delta.c - pairs that began or ended, from the difference of two versions.
 *
 * Only a pair with an item that changed can begin or end. So all that changed is found first, and
 * then one descent through both versions looks for partners of all of it at once: into each part go
 * the *probes* that meet it, and a cell that many of them reach is opened once. A probe stands for
 * the box that a changed item had, for the one that it has, or, where one box around the two is not
 * much larger, for both.
 *
 * A partner that did not change is found in the later version, and stands in both: so all that is
 * to be told of the two is told there. One that changed is found where it was, and a pair that
 * ended is told; and where it is, and one that began is told: by the first of the two. What the
 * versions share holds nothing that changed, so there the later one alone is walked.
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
#include "collision/pairs_leaf.h"
#include "memory/memory_internal.h"
#include "tree/algebra/changelist.h"
#include "tree/algebra/codescent.h"
#include "tree/item_hash.h"
#include "tree/tree_internal.h"

/*
 * An item that only one of the two versions has, or one that moved: whose id occurs exactly once
 * among those that went and once among those that came.
 */
typedef struct pqti_changed {
    bool was, is;
    bool apart;             /* others of its id went or came as well, so it is found by its box */
    pqt_item before, after; /* as far as it was, and is; else the same as the other */
} pqti_changed;

/* Those between two versions, in scratch memory, and a hash table of their ids; one of whole items
   for those that are apart. */
typedef struct pqti_changed_items {
    pqti_changed *changed;
    size_t count;
    uint32_t *by_id, *by_item; /* the number of one, plus 1; 0: an empty slot */
    size_t id_mask, item_mask;
} pqti_changed_items;

/*
 * Finds all that changed between versions that match, in an order that depends on them alone.
 * False: no memory, and nothing to be freed; else free it with pqti_changed_items_free.
 */
static bool pqti_changed_items_of(const pqt_tree *before, const pqt_tree *after, pqt_tally *tally,
                                  pqti_changed_items *all);

static void pqti_changed_items_free(pqti_changed_items *all);

/* What became of an item of the earlier version or of the later one; NULL: both have it. */
static const pqti_changed *pqti_changed_find(const pqti_changed_items *all, const pqt_item *item,
                                             bool later);

/* Where partners of a changed item are looked for. */
typedef struct probe {
    pqti_extent columns[2]; /* of the window, on the lattice of the bounds; on that of strays */
    pqt_box window;
    const pqti_changed *item;
    bool ended, began; /* what it may tell */
} probe;

typedef struct change_search {
    const pqti_space *space;
    pqt_pair_query query;
    bool ordered; /* which of two items is the first of a pair follows from their boxes */
    pqti_changed_items changes;
    probe *probes;
    uint32_t *numbers; /* of the probes; those that meet a part are brought to the front */
    size_t count;
    pqt_visit_pair_change_fn *visit;
    void *context;
} change_search;

/* Two items in the order in which they are a pair of a version; NULL: they are none. */
typedef struct ordered_pair {
    const pqt_item *a, *b;
} ordered_pair;

static bool
is_before(const pqti_space *space, const pqt_item *a, const pqt_item *b)
{
    pqti_entry entry_a = pqti_entry_of(space, a, 0);
    pqti_entry entry_b = pqti_entry_of(space, b, 0);
    return pqti_compare(&entry_a, a, &entry_b, b) < 0;
}

/* Whether two items of a version stand in the relation, the filter not asked; either may be
   NULL. */
static bool
are_related(const change_search *s, const pqt_item *a, const pqt_item *b)
{
    if (a == NULL || b == NULL)
        return false;
    return pqt_box_relates(a->box, b->box, s->query.relation) ||
           (s->ordered && pqt_box_relates(b->box, a->box, s->query.relation));
}

/* What two related items are: a pair of the version, if the filter has it so. */
static ordered_pair
pair_of(const change_search *s, const pqt_item *a, const pqt_item *b)
{
    ordered_pair pair = is_before(s->space, b, a) ? (ordered_pair){b, a} : (ordered_pair){a, b};
    if (!pqt_box_relates(pair.a->box, pair.b->box, s->query.relation))
        pair = (ordered_pair){pair.b, pair.a};
    bool passes = s->query.filter == NULL || s->query.filter(pair.a, pair.b, s->query.context);
    return passes ? pair : (ordered_pair){NULL, NULL};
}

static bool
tell(const change_search *s, pqt_pair_change change, ordered_pair pair)
{
    return s->visit(change, pair.a, pair.b, s->context);
}

/* A changed item and a partner, which is the item before, the item after, or both. */
static bool
compare(const change_search *s, const pqti_changed *one, const pqt_item *partner_before,
        const pqt_item *partner_after, bool may_end, bool may_begin)
{
    const pqt_item *before = one->was ? &one->before : NULL;
    const pqt_item *after = one->is ? &one->after : NULL;
    bool was = are_related(s, before, partner_before), is = are_related(s, after, partner_after);
    if (was == is && (!was || (!s->ordered && s->query.filter == NULL)))
        return true;
    ordered_pair then = {NULL, NULL}, now = {NULL, NULL};
    if (was)
        then = pair_of(s, before, partner_before);
    if (is)
        now = pair_of(s, after, partner_after);
    if (then.a != NULL && now.a != NULL && (!s->ordered || (then.a == before) == (now.a == after)))
        return true;
    return (then.a == NULL || !may_end || tell(s, PQT_PAIR_ENDED, then)) &&
           (now.a == NULL || !may_begin || tell(s, PQT_PAIR_BEGAN, now));
}

/* An item whose box touches the window of a probe, in the earlier version or in the later one. */
static bool
take_partner(const change_search *s, const probe *p, const pqt_item *found, bool later)
{
    const pqti_changed *partner = pqti_changed_find(&s->changes, found, later);
    if (partner == NULL)
        return !later || compare(s, p->item, found, found, p->ended, p->began);
    if (partner <= p->item)
        return true; /* itself, or this pair has its turn with the partner */
    return compare(s, p->item, partner->was ? &partner->before : NULL,
                   partner->is ? &partner->after : NULL, p->ended && !later, p->began && later);
}

static bool
take_hits(const change_search *s, const probe *p, pqti_ref leaf, bool later)
{
    pqti_leaf_view view = pqti_view(leaf.at, leaf.count);
    for (uint32_t from = 0; from < leaf.count; from += PQTI_RUN) {
        uint64_t hits = pqti_sides_within(view, p->window.max, p->window.min, from, leaf.count);
        for (; hits != 0; hits &= hits - 1) {
            pqt_item item = pqti_view_item(view, from + (uint32_t)__builtin_ctzll(hits));
            if (!take_partner(s, p, &item, later))
                return false;
        }
    }
    return true;
}

/* A leaf, or nothing, and the first probes. */
static bool
take_leaf(const change_search *s, pqti_ref leaf, size_t count, bool later)
{
    for (size_t i = 0; i < count && leaf.count > 0; i++) {
        pqti_count_leaf(s->query.tally, leaf.count);
        if (!take_hits(s, &s->probes[s->numbers[i]], leaf, later))
            return false;
    }
    return true;
}

/* The quarters that one of the first probes meets, a bit each; of two nodes, or of one and
   nothing. */
static unsigned
quarters_met(const change_search *s, bool strays, pqti_ref before, pqti_ref after, size_t count)
{
    enum { FEW = 4, ALL = 15 }; /* many meet all of them */
    unsigned met = count > FEW ? ALL : 0;
    for (size_t i = 0; met != ALL && i < count; i++) {
        pqti_extent own = s->probes[s->numbers[i]].columns[strays];
        if (before.count > 0)
            met |= pqti_quarters_meet(before.at, own);
        if (after.count > 0)
            met |= pqti_quarters_meet(after.at, own);
    }
    return met;
}

/* What the four columns of an extent are compared with at once, to tell whether it meets
   another. */
typedef struct limits {
    pqti_biased most, least;
} limits;

static inline limits
limits_of(pqti_extent part)
{
    const uint32_t most[] = {part.max_x, part.max_y, UINT32_MAX, UINT32_MAX};
    const uint32_t least[] = {0, 0, part.min_x, part.min_y};
    return (limits){pqti_biased_load(most), pqti_biased_load(least)};
}

static inline bool
is_within(const pqti_extent *extent, limits by)
{
    const uint32_t columns[] = {extent->min_x, extent->min_y, extent->max_x, extent->max_y};
    pqti_biased own = pqti_biased_load(columns);
    return pqti_biased_bits((own > by.most) | (own < by.least)) == 0;
}

/* Brings those of the first probes to the front that meet a part; without a branch that cannot
   be foreseen. */
static size_t
bring_meeting(const change_search *s, bool strays, pqti_extent part, size_t count)
{
    const limits by = limits_of(part);
    const probe *probes = s->probes;
    uint32_t *numbers = s->numbers;
    size_t met = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = numbers[i];
        numbers[i] = numbers[met];
        numbers[met] = number;
        met += is_within(&probes[number].columns[strays], by);
    }
    return met;
}

/* Whether a probe may find something in a mixed node, by the exact sides of its items. */
static bool
may_find_mixed(const change_search *s, const probe *p, pqti_ref ref)
{
    if (!ref.mixed)
        return ref.count > 0;
    const pqti_spread *spread = pqti_spread_of(ref.at);
    if (!pqti_is_one_box(spread))
        return pqt_box_touches(p->window, pqti_spread_box(spread));
    pqt_item any = {spread->least, 0};
    return (p->item->was && are_related(s, &p->item->before, &any)) ||
           (p->item->is && are_related(s, &p->item->after, &any));
}

/* The same as bring_meeting, where mixed nodes stand. */
static PQTI_NOINLINE size_t
bring_mixed(const change_search *s, size_t count, pqti_ref before, pqti_ref after)
{
    size_t met = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = s->numbers[i];
        const probe *p = &s->probes[number];
        s->numbers[i] = s->numbers[met];
        s->numbers[met] = number;
        met += may_find_mixed(s, p, before) || may_find_mixed(s, p, after);
    }
    return met;
}

static bool walk(const change_search *s, pqti_place place, pqti_ref before, pqti_ref after,
                 size_t count);

/* Asks for the quarters that are walked next: to wait for each in turn takes longer than for
   all. */
static void
fetch_quarters(pqti_ref before, pqti_ref after, unsigned which)
{
    for (; which != 0; which &= which - 1) {
        int i = __builtin_ctz(which);
        pqti_ref a = pqti_child_at(before, i), b = pqti_child_at(after, i);
        pqti_fetch_part(b);
        if (a.at != b.at)
            pqti_fetch_part(a);
    }
}

/* Two nodes, or one and nothing. */
static bool
walk_parts(const change_search *s, pqti_place place, pqti_ref before, pqti_ref after, size_t count)
{
    pqti_place next = pqti_part_place(s->space, place, PQTI_BUCKET);
    pqti_count_inner(s->query.tally, before);
    pqti_count_inner(s->query.tally, after);
    if (!walk(s, next, pqti_child_at(before, PQTI_BUCKET), pqti_child_at(after, PQTI_BUCKET),
              count))
        return false;
    next = pqti_quarter_place(s->space, place);
    unsigned which = quarters_met(s, next.strays, before, after, count);
    fetch_quarters(before, after, which);
    for (; which != 0; which &= which - 1) {
        int i = __builtin_ctz(which);
        pqti_ref a = pqti_child_at(before, i), b = pqti_child_at(after, i);
        pqti_extent extent = pqti_extent_union(a.extent, b.extent);
        size_t met = count == 1 ? 1 : bring_meeting(s, next.strays, extent, count);
        if (!walk(s, next, a, b, met))
            return false;
    }
    return true;
}

static PQTI_NOINLINE bool
walk_deep(const change_search *s, pqti_place place, pqti_ref before, pqti_ref after, size_t count)
{
    pqti_division both;
    pqti_divide(&both, s->space, place, (pqti_ref[]){before, after}, 2);
    return walk_parts(s, both.at, both.node[0], both.node[1], count);
}

/* The first `count` probes, and what the two versions have at a place; false: the visitor
   stopped. */
static bool
walk(const change_search *s, pqti_place place, pqti_ref before, pqti_ref after, size_t count)
{
    if (before.at == after.at)
        before = PQTI_EMPTY_REF;
    if (before.mixed || after.mixed)
        count = bring_mixed(s, count, before, after);
    if (count == 0)
        return true;
    if (pqti_is_small(before) && pqti_is_small(after))
        return take_leaf(s, before, count, false) && take_leaf(s, after, count, true);
    if (pqti_is_open(before) && pqti_is_open(after))
        return (before.deep || after.deep ? walk_deep : walk_parts)(s, place, before, after, count);
    return walk(s, place, before, PQTI_EMPTY_REF, count) &&
           walk(s, place, PQTI_EMPTY_REF, after, count);
}

static void
add_probe(change_search *s, const pqti_changed *item, pqt_box window, bool ended, bool began)
{
    s->numbers[s->count] = (uint32_t)s->count;
    s->probes[s->count++] = (probe){
        .columns = {pqti_extent_of(s->space, false, &window),
                    pqti_extent_of(s->space, true, &window)},
        .window = window,
        .item = item,
        .ended = ended,
        .began = began,
    };
}

/* How long two boxes are on an axis, and one around both. */
typedef struct lengths {
    double a, b, both;
} lengths;

static inline lengths
lengths_on_axis(double a_min, double a_max, double b_min, double b_max)
{
    double both = pqti_greater(a_max, b_max) - pqti_lesser(a_min, b_min);
    return (lengths){a_max - a_min, b_max - b_min, both};
}

/* Whether one box around both places is at most four times as large as the larger of the two. Of a
   line that turns it is not: each place is short where the other is long. */
static inline bool
is_small_move(const pqt_box *before, const pqt_box *after)
{
    lengths x = lengths_on_axis(before->min.x, before->max.x, after->min.x, after->max.x);
    lengths y = lengths_on_axis(before->min.y, before->max.y, after->min.y, after->max.y);
    return pqt_box_touches(*before, *after) && (x.both <= 2 * x.a || y.both <= 2 * y.b) &&
           (x.both <= 2 * x.b || y.both <= 2 * y.a);
}

/* One probe for a small move, and never one for a box much larger than both: that would find too
   much. */
static void
add_probes(change_search *s, const pqti_changed *item)
{
    const pqt_box *before = &item->before.box, *after = &item->after.box;
    if (item->was && item->is && is_small_move(before, after)) {
        add_probe(s, item, pqt_box_union(*before, *after), true, true);
        return;
    }
    if (item->was)
        add_probe(s, item, *before, true, false);
    if (item->is)
        add_probe(s, item, *after, false, true);
}

/* False: no memory. */
static bool
make_probes(change_search *s)
{
    size_t most = 2 * s->changes.count + 1;
    s->probes = pqti_scratch(most, sizeof *s->probes);
    s->numbers = s->probes == NULL ? NULL : pqti_scratch(most, sizeof *s->numbers);
    for (size_t i = 0; s->numbers != NULL && i < s->changes.count; i++)
        add_probes(s, &s->changes.changed[i]);
    return s->numbers != NULL;
}

/* False: no memory. */
static bool
search(change_search *s, const pqt_tree *before, const pqt_tree *after)
{
    if (!pqti_changed_items_of(before, after, s->query.tally, &s->changes))
        return false;
    bool ready = make_probes(s);
    if (ready)
        (void)walk(s, PQTI_ROOT, pqti_root(before), pqti_root(after), s->count);
    pqti_scratch_free(s->probes);
    pqti_scratch_free(s->numbers);
    pqti_changed_items_free(&s->changes);
    return ready;
}

bool
pqt_pairs_visit_changes(const pqt_tree *before, const pqt_tree *after, pqt_pair_query query,
                        pqt_visit_pair_change_fn *visit, void *context, pqt_error *error)
{
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    PQT_ASSERT(query.relation >= PQT_TOUCHES && query.relation <= PQT_COVERS,
               "a query must name one of the four relations");
    if (!pqti_may_go_on(before, error) || !pqti_may_go_on(after, error) ||
        !pqti_match(before, after, error))
        return false;
    bool ordered = query.relation == PQT_INSIDE || query.relation == PQT_COVERS;
    change_search s = {.space = before->space, .query = query, .ordered = ordered};
    s.visit = visit;
    s.context = context;
    bool found = search(&s, before, after);
    if (!found)
        pqti_out_of_memory(error);
    pqti_keep(before);
    pqti_keep(after);
    return found;
}

/*
 * The items that changed from one version to another, found by hash tables.
 *
 * Where ids are unique, the difference of the versions names each twice at most: where it was, and
 * where it is. A table brings the two together, and tells of any other item that it did not change,
 * so that no id map need be asked.
 *
 * Where an id comes more often, its items are *apart*: each is one that went or one that came. The
 * table of ids has the first of them; all are in a second table, by what they are: so many items of
 * one id are no scan.
 */

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

static const pqti_changed *
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

static bool
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

static void
pqti_changed_items_free(pqti_changed_items *all)
{
    pqti_scratch_free(all->changed);
    pqti_scratch_free(all->by_id);
    pqti_scratch_free(all->by_item);
    *all = (pqti_changed_items){0};
}
