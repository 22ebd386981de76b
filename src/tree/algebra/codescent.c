/* SPDX-License-Identifier: MIT */
/*
 * codescent.c - two versions side by side: what stands in the one and not in the other.
 *
 *     inner, inner        each part with its like
 *     leaf, anything      the leaf's items and those of the other side, both in order, are merged
 *
 * The shape is canonical: equal items make equal parts, so parts that differ in shape differ in
 * items, by at least as many as their counts do. A leaf against a tree of a thousand items is no
 * waste.
 */
#include "config.h"

#include "tree/algebra/codescent.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/validate.h"

static bool
same_nodes(const pqti_inner *a, const pqti_inner *b, uint32_t count)
{
    pqti_ref bucket_a = pqti_bucket_ref(a, count), bucket_b = pqti_bucket_ref(b, count);
    return memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) == 0 &&
           memcmp(a, b, offsetof(pqti_inner, child)) == 0 &&
           memcmp(a->count, b->count, sizeof a->count) == 0 && bucket_a.leaf == bucket_b.leaf;
}

bool
pqti_same(pqti_ref a, pqti_ref b)
{
    _Static_assert(offsetof(pqti_inner, child) == PQTI_QUARTERS * sizeof(pqti_extent),
                   "a node begins with the bounds of its quarters");
    if (a.at == b.at)
        return true;
    if (a.marked != b.marked)
        return false;
    if (a.leaf)
        return memcmp(a.at, b.at, a.count * 5 * sizeof(uint64_t)) == 0;
    return same_nodes(a.at, b.at, a.count);
}

/* The items of a leaf, waiting for their likes among those of the other side. */
typedef struct meeting {
    const pqti_differ *differ;
    bool added; /* the other side is the later version */
    bool alone; /* it is one leaf, too */
    pqti_leaf_view view;
    size_t next, count;
    pqt_item item; /* the next one, if there is one */
} meeting;

static void
advance(meeting *m)
{
    if (++m->next < m->count)
        m->item = pqti_view_item(m->view, m->next);
}

static bool
tell(const pqti_differ *d, const pqt_item *item, bool added)
{
    if (d->window != NULL && !pqti_finds(d->window, item))
        return true;
    return d->found(d->state, item, added);
}

/* Whether the leaf's next item comes before one of the other side. */
static bool
is_before(const meeting *m, const pqt_item *other)
{
    pqti_entry a = pqti_entry_of(m->differ->space, &m->item, 0);
    pqti_entry b = pqti_entry_of(m->differ->space, other, 0);
    return pqti_compare(&a, &m->item, &b, other) < 0;
}

/* An item of the other side: what of the leaf comes before it stands alone. */
static bool
meet_item(meeting *m, const pqt_item *other)
{
    while (m->next < m->count) {
        if (memcmp(&m->item, other, sizeof *other) == 0) {
            advance(m);
            return true;
        }
        if (!is_before(m, other))
            break;
        if (!tell(m->differ, &m->item, !m->added))
            return false;
        advance(m);
    }
    return tell(m->differ, other, m->added);
}

static inline bool
same_items(pqti_leaf_view a, size_t i, pqti_leaf_view b, size_t j)
{
    return (a.id[i] == b.id[j]) & (a.min_x[i] == b.min_x[j]) & (a.min_y[i] == b.min_y[j]) &
           (a.max_x[i] == b.max_x[j]) & (a.max_y[i] == b.max_y[j]);
}

/* How many items two leaves begin with alike, up to `most`. */
static size_t
count_first_same(pqti_leaf_view a, pqti_leaf_view b, size_t most)
{
    size_t same = 0;
    while (same < most && same_items(a, same, b, same))
        same++;
    return same;
}

/* How many items two leaves of so many end with alike, up to `most`. */
static size_t
count_last_same(pqti_leaf_view a, size_t a_count, pqti_leaf_view b, size_t b_count, size_t most)
{
    size_t same = 0;
    while (same < most && same_items(a, a_count - 1 - same, b, b_count - 1 - same))
        same++;
    return same;
}

/* Narrows two leaves to what is left between what they begin and end with alike: of most, that
   is little. */
static void
narrow(meeting *m, pqti_leaf_view other, size_t *from, size_t *to)
{
    size_t fewer = m->count < *to ? m->count : *to;
    size_t first = count_first_same(m->view, other, fewer);
    size_t last = count_last_same(m->view, m->count, other, *to, fewer - first);
    m->next = *from = first;
    m->count -= last;
    *to -= last;
    if (m->next < m->count)
        m->item = pqti_view_item(m->view, m->next);
}

static bool
meet_leaf(meeting *m, pqti_ref ref)
{
    pqti_leaf_view view = pqti_view(ref.at, ref.count);
    size_t from = 0, to = ref.count;
    if (m->alone) {
        narrow(m, view, &from, &to);
        pqti_count_items(m->differ->tally, m->count - m->next);
    }
    pqti_count_leaf(m->differ->tally, to - from);
    for (size_t i = from; i < to; i++) {
        pqt_item item = pqti_view_item(view, i);
        if (!meet_item(m, &item))
            return false;
    }
    return true;
}

/* A part of an inner node, the n-th in tree order; nothing where nothing of it can count. */
static pqti_ref
nth_part(const pqti_differ *d, pqti_place place, pqti_ref ref, int part)
{
    if (d->window != NULL && ref.count > 0 && part != PQTI_BUCKET &&
        !pqti_may_find(pqti_sieve_at(d->window, place.strays), ref.at, part))
        return PQTI_EMPTY_REF;
    return pqti_child_at(ref, part);
}

/* Tree order: the bucket, then the quarters. */
static int
part_in_order(int n)
{
    return n == 0 ? PQTI_BUCKET : n - 1;
}

static bool
meet_part(meeting *m, pqti_place place, pqti_ref ref)
{
    if (ref.count == 0)
        return true;
    if (ref.leaf)
        return meet_leaf(m, ref);
    place = pqti_place_of_node(m->differ->space, place, ref);
    ref.deep = false;
    pqti_count_inner(m->differ->tally, ref);
    for (int n = 0; n < PQTI_PARTS; n++) {
        int part = part_in_order(n);
        pqti_ref own = nth_part(m->differ, place, ref, part);
        if (!meet_part(m, pqti_part_place(m->differ->space, place, part), own))
            return false;
    }
    return true;
}

/* A leaf, or nothing, and whatever stands on the other side. */
static bool
meet(const pqti_differ *d, pqti_place place, pqti_ref leaf, pqti_ref other, bool added)
{
    const bool alone = other.leaf && other.count > 0;
    meeting m = {.differ = d, .added = added, .alone = alone, .count = leaf.count};
    if (leaf.count > 0) {
        pqti_count_leaf(d->tally, alone ? 0 : leaf.count);
        m.view = pqti_view(leaf.at, leaf.count);
        m.item = pqti_view_item(m.view, 0);
    }
    if (!meet_part(&m, place, other))
        return false;
    for (; m.next < m.count; advance(&m))
        if (!tell(d, &m.item, !added))
            return false;
    return true;
}

static inline bool
is_shared(const pqti_inner *before, const pqti_inner *after, int quarter)
{
    return before->child[quarter] == after->child[quarter];
}

/* Asks for the parts that differ: to wait for each in turn takes longer than for all. */
static void
fetch_differing(const pqti_inner *before, const pqti_inner *after)
{
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        if (is_shared(before, after, i))
            continue;
        pqti_fetch_part(pqti_quarter(before, i));
        pqti_fetch_part(pqti_quarter(after, i));
    }
}

static bool
differ_inner(const pqti_differ *d, pqti_place place, pqti_ref before, pqti_ref after)
{
    pqti_count_inner(d->tally, before);
    pqti_count_inner(d->tally, after);
    fetch_differing(before.at, after.at);
    for (int n = 0; n < PQTI_PARTS; n++) {
        int part = part_in_order(n);
        if (part != PQTI_BUCKET && is_shared(before.at, after.at, part))
            continue;
        if (!pqti_differ_at(d, pqti_part_place(d->space, place, part),
                            nth_part(d, place, before, part), nth_part(d, place, after, part)))
            return false;
    }
    return true;
}

static PQTI_NOINLINE bool
differ_deep(const pqti_differ *d, pqti_place place, pqti_ref before, pqti_ref after)
{
    pqti_division both;
    pqti_divide(&both, d->space, place, (pqti_ref[]){before, after}, 2);
    return differ_inner(d, both.at, both.node[0], both.node[1]);
}

bool
pqti_differ_at(const pqti_differ *d, pqti_place place, pqti_ref before, pqti_ref after)
{
    if (pqti_same(before, after))
        return true;
    if (before.count == 0 || before.leaf)
        return meet(d, place, before, after, true);
    if (after.count == 0 || after.leaf)
        return meet(d, place, after, before, false);
    return (before.deep || after.deep ? differ_deep : differ_inner)(d, place, before, after);
}

/* The first field in which spaces of unequal versions differ. */
static const char *
field_that_differs(const pqti_space *a, const pqti_space *b)
{
    if (memcmp(&a->bounds, &b->bounds, sizeof a->bounds) != 0)
        return "bounds";
    if (a->capacity != b->capacity)
        return "leaf_capacity";
    if (a->depth != b->depth)
        return "max_depth";
    if (a->options.strict_bounds != b->options.strict_bounds)
        return "strict_bounds";
    if (a->options.unique_ids != b->options.unique_ids)
        return "unique_ids";
    if (a->options.ids_are_pointers != b->options.ids_are_pointers)
        return "ids_are_pointers";
    return a->options.memory != b->options.memory ? "memory" : NULL;
}

bool
pqti_match(const pqt_tree *a, const pqt_tree *b, pqt_error *error)
{
    const char *field = a->space == b->space ? NULL : field_that_differs(a->space, b->space);
    if (field == NULL)
        return true;
    pqti_fail(error, PQT_ERROR_MISMATCH, 0, "the versions differ in %s", field);
    return false;
}
