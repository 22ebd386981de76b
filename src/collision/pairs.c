/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - which items meet: a descent over pairs of nodes.
 *
 * Within a version, a part meets itself and the parts beside it; two parts meet if the columns that
 * their items cover do, which is asked of four quarters at once. All columns are compared on one
 * lattice, that of the first version's bounds. Parts that are on another (the root's bucket; a
 * second version with other bounds, or moved) are brought there by way of doubles, rounded outward.
 * Whatever lies outside the bounds comes to lie in the outer columns, where nothing tells it apart
 * any more; so of two such parts the doubles must meet as well.
 *
 * Mixed nodes know the exact sides of their items (side_range.h), so do leaves: whether any of them
 * can stand in the relation is asked of both at once. So many identical boxes beside others, or
 * points that touch each other but do not overlap, are no more pairs than they make.
 */
#include "config.h"

#include <pqt/pairs.h>

#include "base/error_internal.h"
#include "base/validate.h"
#include "collision/pairs_leaf.h"
#include "tree/node.h"
#include "tree/side_range.h"

static inline bool
columns_meet(pqti_extent a, pqti_extent b)
{
    return (a.min_x <= b.max_x) & (b.min_x <= a.max_x) & (a.min_y <= b.max_y) &
           (b.min_y <= a.max_y);
}

/* A leaf or a mixed node: the exact sides of its items are known. */
static inline bool
has_spread(const pqti_pairing_part *p)
{
    return !PQTI_IS_PLAIN_NODE(p->ref.marked);
}

/* Whether two boxes of the two sides, not moved yet, are a pair. */
static bool
are_related(const pqti_pairing *j, const pqt_box *a, const pqt_box *b)
{
    pqt_box there = pqti_moved(*b, j->second.offset);
    return pqt_box_relates(*a, there, j->query.relation) ||
           (j->within && pqt_box_relates(there, *a, j->query.relation));
}

/* Whether items of a mixed node and of another one or of a leaf can be a pair, by their exact
   sides. */
static PQTI_NOINLINE bool
may_relate(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *b)
{
    pqti_spread of_a = pqti_spread_of_part(a->ref), of_b = pqti_spread_of_part(b->ref);
    if (pqti_is_one_box(&of_a) && pqti_is_one_box(&of_b))
        return are_related(j, &of_a.least, &of_b.least);
    return pqt_box_touches(pqti_spread_box(&of_a),
                           pqti_moved(pqti_spread_box(&of_b), j->second.offset));
}

static inline bool
meet(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *b)
{
    if (!columns_meet(a->ref.extent, b->ref.extent) ||
        (a->brought && b->brought && !pqt_box_touches(a->reach, b->reach)))
        return false;
    bool known = (a->ref.mixed && has_spread(b)) || (b->ref.mixed && has_spread(a));
    return !known || may_relate(j, a, b);
}

/* Puts the extent of a part on the common lattice. */
static void
bring_over(const pqti_pairing *j, const pqti_pairing_side *s, pqti_pairing_part *p)
{
    p->brought = !s->plain || p->place.strays;
    if (!p->brought)
        return;
    p->reach = pqti_moved(pqti_box_of_columns(s->space, p->place.strays, p->ref.extent), s->offset);
    p->ref.extent = pqti_extent_of(j->common, false, &p->reach);
}

static inline void
tally_node(const pqti_pairing *j)
{
    if (j->query.tally != NULL)
        j->query.tally->nodes++;
}

/* The parts of an inner node, the bucket first, empty ones left out; returns how many. */
static int
open_part(const pqti_pairing *j, const pqti_pairing_side *s, const pqti_pairing_part *whole,
          pqti_pairing_part parts[PQTI_PARTS])
{
    pqti_ref refs[PQTI_PARTS];
    int count = 0;
    pqti_parts(s->space, whole->place, whole->ref, refs);
    for (int i = 0; i < PQTI_PARTS; i++) {
        pqti_pairing_part *next = &parts[count];
        next->ref = refs[pqti_part_order[i]];
        if (next->ref.count == 0)
            continue;
        next->place = pqti_part_place(s->space, whole->place, pqti_part_order[i]);
        bring_over(j, s, next);
        count++;
    }
    tally_node(j);
    return count;
}

/* The bucket of an inner node that was not brought over; NULL if it has none. */
static inline const pqti_pairing_part *
open_bucket(const pqti_pairing *j, const pqti_pairing_side *s, const pqti_pairing_part *whole,
            pqti_pairing_part *bucket)
{
    tally_node(j);
    bucket->ref = pqti_bucket_ref(whole->ref.at, whole->ref.count);
    if (bucket->ref.count == 0)
        return NULL;
    bucket->place = pqti_part_place(s->space, whole->place, PQTI_BUCKET);
    bucket->ref.extent = pqti_bucket_extent(s->space, bucket->place, bucket->ref);
    bucket->brought = false;
    return bucket;
}

/* Quarter i of such a node; false if there is nothing in it. */
static inline bool
open_quarter(const pqti_pairing_side *s, const pqti_pairing_part *whole, int i,
             pqti_pairing_part *quarter)
{
    quarter->ref = pqti_quarter(whole->ref.at, i);
    quarter->place = pqti_quarter_place(s->space, whole->place);
    quarter->brought = false;
    return quarter->ref.count > 0;
}

static bool join_parts(const pqti_pairing *j, const pqti_pairing_part *a,
                       const pqti_pairing_part *b);

/* All of `a` against each of some parts of the second side. */
static bool
join_with(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *parts,
          int count)
{
    for (int i = 0; i < count; i++)
        if (meet(j, a, &parts[i]) && !join_parts(j, a, &parts[i]))
            return false;
    return true;
}

/* Whether a part is opened as it meets another: not if it is mixed, and the other one is not known
   as well. */
static inline bool
opens_beside(const pqti_pairing_part *p, const pqti_pairing_part *other)
{
    return !p->ref.leaf && (!p->ref.mixed || has_spread(other));
}

/* Two parts of which at least one was brought over or is mixed. */
static PQTI_NOINLINE bool
join_any(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *b)
{
    pqti_pairing_part parts_a[PQTI_PARTS], parts_b[PQTI_PARTS];
    bool opens_a = opens_beside(a, b), opens_b = opens_beside(b, a);
    int count_b = opens_b ? open_part(j, &j->second, b, parts_b) : 1;
    if (!opens_b)
        parts_b[0] = *b;
    if (!opens_a)
        return join_with(j, a, parts_b, count_b);
    int count_a = open_part(j, &j->first, a, parts_a);
    for (int i = 0; i < count_a; i++)
        if (meet(j, &parts_a[i], b) && !join_with(j, &parts_a[i], parts_b, count_b))
            return false;
    return true;
}

/* All of `a` against those quarters of a node of the second side whose bits are set. */
static bool
join_with_quarters(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *node,
                   unsigned which)
{
    for (; which != 0; which &= which - 1) {
        pqti_pairing_part quarter;
        if (open_quarter(&j->second, node, __builtin_ctz(which), &quarter) &&
            !join_parts(j, a, &quarter))
            return false;
    }
    return true;
}

/* All of `a` against all of `b`, of which the bucket is open. */
static inline bool
join_with_open(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *b,
               const pqti_pairing_part *bucket)
{
    if (b->ref.leaf)
        return join_parts(j, a, b);
    if (bucket != NULL && meet(j, a, bucket) && !join_parts(j, a, bucket))
        return false;
    return join_with_quarters(j, a, b, pqti_quarters_meet(b->ref.at, a->ref.extent));
}

/* Two parts of which none was brought over, nor is mixed. */
static bool
join_plain(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *b)
{
    pqti_pairing_part own, other, quarter;
    const pqti_pairing_part *bucket_b = b->ref.leaf ? NULL : open_bucket(j, &j->second, b, &other);
    if (a->ref.leaf)
        return join_with_open(j, a, b, bucket_b);
    const pqti_pairing_part *bucket_a = open_bucket(j, &j->first, a, &own);
    if (bucket_a != NULL && meet(j, bucket_a, b) && !join_with_open(j, bucket_a, b, bucket_b))
        return false;
    for (unsigned which = pqti_quarters_meet(a->ref.at, b->ref.extent); which != 0;
         which &= which - 1)
        if (open_quarter(&j->first, a, __builtin_ctz(which), &quarter) &&
            !join_with_open(j, &quarter, b, bucket_b))
            return false;
    return true;
}

/* Whether quarters are looked at where they stand. */
static inline bool
is_plain(const pqti_pairing_part *p)
{
    return !p->brought && !p->ref.mixed;
}

/* Two parts whose columns meet. Both are opened, so that neither grows small against a large
   one. */
static bool
join_parts(const pqti_pairing *j, const pqti_pairing_part *a, const pqti_pairing_part *b)
{
    if (a->ref.leaf && b->ref.leaf)
        return pqti_pairing_leaves(j, a, b);
    if (is_plain(a) && is_plain(b))
        return join_plain(j, a, b);
    return !meet(j, a, b) || join_any(j, a, b);
}

static bool join_self(const pqti_pairing *j, const pqti_pairing_part *whole);

/* Any node against itself: what comes first in tree order is `a`. */
static PQTI_NOINLINE bool
join_self_any(const pqti_pairing *j, const pqti_pairing_part *whole)
{
    pqti_pairing_part parts[PQTI_PARTS];
    int count = open_part(j, &j->first, whole, parts);
    for (int i = 0; i < count; i++)
        if (!join_self(j, &parts[i]) || !join_with(j, &parts[i], parts + i + 1, count - i - 1))
            return false;
    return true;
}

/* The same for one that was not brought over, nor is mixed. */
static bool
join_self_plain(const pqti_pairing *j, const pqti_pairing_part *whole)
{
    pqti_pairing_part own, quarter;
    const pqti_pairing_part *bucket = open_bucket(j, &j->first, whole, &own);
    if (bucket != NULL &&
        (!join_self(j, bucket) ||
         !join_with_quarters(j, bucket, whole,
                             pqti_quarters_meet(whole->ref.at, bucket->ref.extent))))
        return false;
    for (int i = 0; i < PQTI_QUARTERS; i++) {
        if (!open_quarter(&j->first, whole, i, &quarter))
            continue;
        unsigned after = pqti_quarters_meet(whole->ref.at, quarter.ref.extent) >> (i + 1)
                                                                                      << (i + 1);
        if (!join_self(j, &quarter) || !join_with_quarters(j, &quarter, whole, after))
            return false;
    }
    return true;
}

static bool
join_self(const pqti_pairing *j, const pqti_pairing_part *whole)
{
    if (whole->ref.leaf)
        return pqti_pairing_leaf(j, whole->ref);
    if (is_plain(whole))
        return join_self_plain(j, whole);
    if (whole->ref.mixed && !may_relate(j, whole, whole))
        return true;
    return join_self_any(j, whole);
}

static bool
is_finite(pqt_vec vec)
{
    return vec.x - vec.x == 0 && vec.y - vec.y == 0;
}

/* A root covers everything: where its items are is only known of its parts. */
static pqti_pairing_part
root_of(const pqt_tree *tree)
{
    pqti_pairing_part root = {pqti_root(tree), PQTI_ROOT, true, pqt_query_all().window};
    /* Of a place, only the lattice counts here, which is another in the root's own bucket alone. */
    root.place.depth = tree->deep ? 1 : 0;
    root.ref.extent = (pqti_extent){0, 0, UINT32_MAX, UINT32_MAX};
    return root;
}

bool
pqt_pairs_visit(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query,
                pqt_visit_pair_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    PQT_ASSERT(query.relation >= PQT_TOUCHES && query.relation <= PQT_COVERS,
               "a query must name one of the four relations");
    const pqt_tree *second = other == NULL ? tree : other;
    pqt_vec offset = other == NULL ? (pqt_vec){0, 0} : query.offset;
    bool still = offset.x == 0 && offset.y == 0;
    bool plain = still && pqti_space_equals(tree->space, second->space);
    pqti_pairing j = {
        .common = tree->space,
        .first = {tree->space, {0, 0}, true},
        .second = {second->space, offset, plain},
        .within = other == NULL,
        .still = still,
        .every = still && query.relation == PQT_TOUCHES && query.filter == NULL,
        .query = query,
        .visit = visit,
        .context = context,
    };
    pqti_pairing_part a = root_of(tree), b = root_of(second);
    if (!is_finite(offset) || a.ref.count == 0 || b.ref.count == 0)
        return true;
    return j.within ? join_self(&j, &a) : join_parts(&j, &a, &b);
}

/*
 * Pairs in other forms: counted, written into an array, or those of one item
 *    alone.
 */

#define ASSERT_RELATION(query)                                                                     \
    PQT_ASSERT((query).relation >= PQT_TOUCHES && (query).relation <= PQT_COVERS,                  \
               "a query must name one of the four relations")

static bool
count_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)a;
    (void)b;
    ++*(size_t *)context;
    return true;
}

size_t
pqt_pairs_count(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    ASSERT_RELATION(query);
    size_t count = 0;
    pqt_pairs_visit(tree, other, query, count_pair, &count);
    return count;
}

typedef struct pair_collection {
    pqt_pair *pairs;
    size_t capacity, found;
} pair_collection;

static bool
collect_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    pair_collection *all = context;
    if (all->found < all->capacity)
        all->pairs[all->found] = (pqt_pair){*a, *b};
    all->found++;
    return true;
}

size_t
pqt_pairs_collect(const pqt_tree *tree, const pqt_tree *other, pqt_pair_query query,
                  pqt_pair *pairs, size_t capacity)
{
    PQT_ASSERT(tree != NULL, "the tree is NULL");
    ASSERT_RELATION(query);
    PQT_ASSERT(pairs != NULL || capacity == 0, "pairs is NULL, and capacity is not 0");
    pair_collection all = {pairs, capacity, 0};
    pqt_pairs_visit(tree, other, query, collect_pair, &all);
    return all.found;
}

/* One item on its way through a version. */
typedef struct single {
    pqt_item item;
    bool unique;
    pqt_pair_query query;
    pqt_visit_pair_fn *visit;
    void *context;
} single;

static bool
visit_single(const pqt_item *other, void *context)
{
    const single *s = context;
    if (other->id == s->item.id && (s->unique || pqt_item_equals(*other, s->item)))
        return true;
    if (s->query.filter != NULL && !s->query.filter(&s->item, other, s->query.context))
        return true;
    return s->visit(&s->item, other, s->context);
}

/* How the window must stand to the item that is found. */
static pqt_relation
seen_from_other(pqt_relation relation)
{
    if (relation == PQT_INSIDE)
        return PQT_COVERS;
    return relation == PQT_COVERS ? PQT_INSIDE : relation;
}

bool
pqt_pairs_visit_of(const pqt_tree *tree, pqt_item item, pqt_pair_query query,
                   pqt_visit_pair_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    ASSERT_RELATION(query);
    if (!pqti_box_is_valid(&item.box))
        return true;
    single s = {item, tree->space->options.unique_ids, query, visit, context};
    pqt_query window = {
        .window = item.box, .relation = seen_from_other(query.relation), .tally = query.tally};
    return pqt_tree_visit(tree, window, visit_single, &s);
}
