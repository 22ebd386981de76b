/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - which items meet: a descent over pairs of nodes.
 *
 * Within a version, a part meets itself and the parts beside it; two parts meet if the columns that their
 * items cover do. All columns are compared on one lattice, that of the first version's bounds. Parts
 * that are on another (the root's bucket; a second version with other bounds, or moved) are brought
 * there by way of doubles, rounded outward. Whatever lies outside the bounds comes to lie in the outer
 * columns, where nothing tells it apart any more; so of two such parts the doubles must meet as well.
 *
 * Mixed nodes know the exact sides of their items (spread.h), so do leaves: whether any of them can stand in the
 * relation is asked of both at once. So many identical boxes beside others, or points that touch each other but do
 * not overlap, are no more pairs than they make.
 *
 * Of two leaves that meet, the items of the first are compared with the reach of the second, and those
 * that pass with its items. That all is about touching, which every relation implies; the relation and
 * the filter decide at the end.
 */
#include "config.h"

#include <pqt/collision.h>

#include "base/error.h"
#include "base/item.h"
#include "tree/sides.h"
#include "tree/spread.h"

/* One of the two versions, or the only one. */
typedef struct side {
    const pqti_space *space;
    pqt_vec offset;
    bool plain; /* its bounds' lattice is the common one, and it is not moved */
} side;

typedef struct join {
    const pqti_space *common; /* whose lattice all columns are on */
    side first, second;
    bool within; /* pairs within one version: first and second are the same */
    bool still;  /* the second has no offset */
    pqt_pair_query query;
    pqt_visit_pair_fn *visit;
    void *context;
} join;

/* A part of a version, its extent on the common lattice. */
typedef struct part {
    pqti_ref ref;
    pqti_place place;
    bool brought;  /* to the common lattice from another one */
    pqt_box reach; /* of one that was brought: all its items, where they are compared */
} part;

static inline bool
columns_meet(pqti_extent a, pqti_extent b)
{
    return (a.min_x <= b.max_x) & (b.min_x <= a.max_x) & (a.min_y <= b.max_y) &
           (b.min_y <= a.max_y);
}

static pqt_box
moved(pqt_box box, pqt_vec by)
{
    return (pqt_box){{box.min.x + by.x, box.min.y + by.y}, {box.max.x + by.x, box.max.y + by.y}};
}

/* A leaf or a mixed node: the exact sides of its items are known. */
static inline bool
has_spread(const part *p)
{
    return !PQTI_IS_PLAIN_NODE(p->ref.marked);
}

/* Whether two boxes of the two sides, not moved yet, are a pair. */
static bool
are_related(const join *j, const pqt_box *a, const pqt_box *b)
{
    pqt_box there = moved(*b, j->second.offset);
    return pqt_box_relates(*a, there, j->query.relation) ||
           (j->within && pqt_box_relates(there, *a, j->query.relation));
}

/* Whether items of a mixed node and of another one or of a leaf can be a pair, by their exact sides. */
static PQTI_NOINLINE bool
may_relate(const join *j, const part *a, const part *b)
{
    pqti_spread of_a = pqti_spread_of_part(a->ref), of_b = pqti_spread_of_part(b->ref);
    if (pqti_is_one_box(&of_a) && pqti_is_one_box(&of_b))
        return are_related(j, &of_a.least, &of_b.least);
    return pqt_box_touches(pqti_spread_box(&of_a), moved(pqti_spread_box(&of_b), j->second.offset));
}

static inline bool
meet(const join *j, const part *a, const part *b)
{
    if (!columns_meet(a->ref.extent, b->ref.extent) ||
        (a->brought && b->brought && !pqt_box_touches(a->reach, b->reach)))
        return false;
    bool known = (a->ref.mixed && has_spread(b)) || (b->ref.mixed && has_spread(a));
    return !known || may_relate(j, a, b);
}

/* Puts the extent of a part on the common lattice. */
static void
bring_over(const join *j, const side *s, part *p)
{
    p->brought = !s->plain || p->place.strays;
    if (!p->brought)
        return;
    p->reach = moved(pqti_reach_of(s->space, p->place.strays, p->ref.extent), s->offset);
    p->ref.extent = pqti_extent_of(j->common, false, &p->reach);
}

/* The parts of an inner node, the bucket first, empty ones left out; returns how many. */
static int
open_part(const join *j, const side *s, const part *whole, part parts[PQTI_PARTS])
{
    pqti_ref refs[PQTI_PARTS];
    int count = 0;
    pqti_parts(s->space, whole->place, whole->ref, refs);
    for (int i = 0; i < PQTI_PARTS; i++) {
        part *next = &parts[count];
        next->ref = refs[pqti_part_order[i]];
        if (next->ref.count == 0)
            continue;
        next->place = pqti_part_place(s->space, whole->place, pqti_part_order[i]);
        bring_over(j, s, next);
        count++;
    }
    if (j->query.tally != NULL)
        j->query.tally->nodes++;
    return count;
}

/* A pair that touches: is it one that is looked for? */
static bool
hand_over(const join *j, const pqt_item *a, const pqt_item *b)
{
    pqt_box box_b = moved(b->box, j->second.offset);
    bool related = pqt_box_relates(a->box, box_b, j->query.relation);
    if (!related && j->within && pqt_box_relates(box_b, a->box, j->query.relation)) {
        const pqt_item *other = a;
        a = b;
        b = other;
        related = true;
    }
    if (!related || (j->query.filter != NULL && !j->query.filter(a, b, j->query.context)))
        return true;
    return j->visit(a, b, j->context);
}

static inline bool
touches_moved(pqti_leaf_view view, uint32_t i, pqt_vec offset, const pqt_box *box)
{
    pqt_box other = moved(pqti_view_item(view, i).box, offset);
    return (other.min.x <= box->max.x) & (box->min.x <= other.max.x) & (other.min.y <= box->max.y) &
           (box->min.y <= other.max.y);
}

/* Which of the items `from` to `from` + 63 of a leaf of the second side touch a box, a bit for each. */
static PQTI_NOINLINE uint64_t
touching_moved(const join *j, const pqt_box *box, const pqti_leaf_view *view, uint32_t from,
               uint32_t count)
{
    uint64_t hits = 0;
    for (uint32_t i = from; i < count && i - from < PQTI_RUN; i++)
        hits |= (uint64_t)touches_moved(*view, i, j->second.offset, box) << (i - from);
    return hits;
}

static inline uint64_t
touching(const join *j, const pqt_box *box, const pqti_leaf_view *view, uint32_t from,
         uint32_t count)
{
    return j->still ? pqti_sides_within(*view, box->max, box->min, from, count)
                    : touching_moved(j, box, view, from, count);
}

/* An item with those from `from` on of the other leaf whose bits are set. */
static PQTI_NOINLINE bool
hand_over_run(const join *j, const pqt_item *a, const pqti_leaf_view *view, uint32_t from,
              uint64_t hits)
{
    for (; hits != 0; hits &= hits - 1) {
        pqt_item b = pqti_view_item(*view, from + (uint32_t)__builtin_ctzll(hits));
        if (!hand_over(j, a, &b))
            return false;
    }
    return true;
}

/* Item i of a leaf against items `from` and on of another. Inline, and without its hits: leaves are
   small, and most items meet none, so calls would cost as much as all the comparisons. */
static inline __attribute__((always_inline)) bool
join_item(const join *j, const pqti_leaf_view *view_a, uint32_t i, const pqti_leaf_view *view_b,
          uint32_t from, uint32_t count)
{
    pqt_box box = {{view_a->min_x[i], view_a->min_y[i]}, {view_a->max_x[i], view_a->max_y[i]}};
    for (uint32_t run = from; run < count; run += PQTI_RUN) {
        uint64_t hits = touching(j, &box, view_b, run, count);
        if (hits == 0)
            continue;
        pqt_item item = {box, view_a->id[i]};
        if (!hand_over_run(j, &item, view_b, run, hits))
            return false;
    }
    if (j->query.tally != NULL)
        j->query.tally->boxes += count - from;
    return true;
}

static bool
join_leaves(const join *j, const part *a, const part *b)
{
    pqti_leaf_view view_a = pqti_view(a->ref.at, a->ref.count);
    pqti_leaf_view view_b = pqti_view(b->ref.at, b->ref.count);
    pqt_box reach = b->brought ? b->reach : pqti_reach_of(j->common, false, b->ref.extent);
    for (uint32_t run = 0; run < a->ref.count; run += PQTI_RUN) {
        uint64_t near = pqti_sides_within(view_a, reach.max, reach.min, run, a->ref.count);
        for (; near != 0; near &= near - 1) {
            uint32_t i = run + (uint32_t)__builtin_ctzll(near);
            if (!join_item(j, &view_a, i, &view_b, 0, b->ref.count))
                return false;
        }
    }
    if (j->query.tally != NULL)
        j->query.tally->boxes += a->ref.count;
    return true;
}

/* The items of a leaf against each other. */
static bool
join_leaf(const join *j, pqti_ref leaf)
{
    pqti_leaf_view view = pqti_view(leaf.at, leaf.count);
    for (uint32_t i = 0; i + 1 < leaf.count; i++)
        if (!join_item(j, &view, i, &view, i + 1, leaf.count))
            return false;
    return true;
}

static bool join_parts(const join *j, const part *a, const part *b);

/* All of `a` against each of some parts of the second side. */
static bool
join_with(const join *j, const part *a, const part *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (meet(j, a, &parts[i]) && !join_parts(j, a, &parts[i]))
            return false;
    return true;
}

/* Whether a part is opened as it meets another: not if it is mixed, and the other one is not known as well. */
static inline bool
opens_beside(const part *p, const part *other)
{
    return !p->ref.leaf && (!p->ref.mixed || has_spread(other));
}

/* Two parts that may meet. Both are opened, so that neither grows small against a large one. */
static bool
join_parts(const join *j, const part *a, const part *b)
{
    part parts_a[PQTI_PARTS], parts_b[PQTI_PARTS];
    if (a->ref.leaf && b->ref.leaf)
        return join_leaves(j, a, b);
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

/* A part against itself: what comes first in tree order is `a`. */
static bool
join_self(const join *j, const part *whole)
{
    if (whole->ref.leaf)
        return join_leaf(j, whole->ref);
    if (whole->ref.mixed && !may_relate(j, whole, whole))
        return true;
    part parts[PQTI_PARTS];
    int count = open_part(j, &j->first, whole, parts);
    for (int i = 0; i < count; i++)
        if (!join_self(j, &parts[i]) || !join_with(j, &parts[i], parts + i + 1, count - i - 1))
            return false;
    return true;
}

static bool
is_finite(pqt_vec vec)
{
    return vec.x - vec.x == 0 && vec.y - vec.y == 0;
}

/* A root covers everything: where its items are is only known of its parts. */
static part
root_of(const pqt_tree *tree)
{
    part root = {pqti_root(tree), PQTI_ROOT, true, pqt_query_all().window};
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
    bool plain = offset.x == 0 && offset.y == 0 && pqti_space_equals(tree->space, second->space);
    join j = {
        .common = tree->space,
        .first = {tree->space, {0, 0}, true},
        .second = {second->space, offset, plain},
        .within = other == NULL,
        .still = offset.x == 0 && offset.y == 0,
        .query = query,
        .visit = visit,
        .context = context,
    };
    part a = root_of(tree), b = root_of(second);
    if (!is_finite(offset) || a.ref.count == 0 || b.ref.count == 0)
        return true;
    return j.within ? join_self(&j, &a) : join_parts(&j, &a, &b);
}

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
    if (!pqti_box_is_valid(&item.box))
        return true;
    single s = {item, tree->space->options.unique_ids, query, visit, context};
    pqt_query window = {
        .window = item.box, .relation = seen_from_other(query.relation), .tally = query.tally};
    return pqt_tree_visit(tree, window, visit_single, &s);
}
