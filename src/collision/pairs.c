/* SPDX-License-Identifier: MIT */
/*
 * pairs.c: finds pairs of items that are in a relation, by a descent over pairs of nodes.
 *
 * Within a version, a subtree is paired with itself and with its siblings. Two subtrees are entered
 * if their qboxes overlap; one SIMD comparison tests four quadrants. All columns are compared on
 * the grid of the first version's bounds. Subtrees on another grid (the own items of the root, and
 * a second version with other bounds or an offset) are converted to it through doubles, rounded
 * outward. Everything outside the bounds falls into the outermost columns, which cannot distinguish
 * such boxes. So two converted subtrees must overlap in doubles as well.
 *
 * Hash nodes store the exact sides of their items (side_range.h), and a leaf computes them. If the
 * exact sides are known for both subtrees, they decide whether any of the items can be in the
 * relation. Therefore, many identical boxes next to others, or points that touch but do not
 * overlap, cost no more than the pairs that they form.
 */
#include "config.h"

#include <pqt/pairs.h>

#include "base/error_internal.h"
#include "base/relation.h"
#include "base/validate.h"
#include "collision/pairs_leaf.h"
#include "tree/node.h"
#include "tree/side_range.h"

static inline bool
qboxes_overlap(pqti_qbox a, pqti_qbox b)
{
    return (a.min_x <= b.max_x) & (b.min_x <= a.max_x) & (a.min_y <= b.max_y) &
           (b.min_y <= a.max_y);
}

/* Returns true for a leaf or a hash node, for which the exact sides of its items are known. */
static inline bool
has_side_range(const pqti_pairing_node *p)
{
    return !PQTI_IS_PLAIN_NODE(p->ref.tagged_count);
}

/* Returns true if two boxes are in the relation. The second box is given without its offset. */
static bool
nodes_are_related(const pqti_pairing *pairing, const pqt_box *a, const pqt_box *b)
{
    pqt_box there = pqti_moved(*b, pairing->second.offset);
    return pqti_box_relates(a, &there, pairing->query.relation) ||
           (pairing->within && pqti_box_relates(&there, a, pairing->query.relation));
}

/* Returns true if, according to the exact sides, an item of a hash node and an item of another hash
 * node or leaf can be a pair. */
static PQTI_NOINLINE bool
may_relate(const pqti_pairing *pairing, const pqti_pairing_node *a, const pqti_pairing_node *b)
{
    pqti_side_range of_a = pqti_side_range_of_child(&a->ref),
                    of_b = pqti_side_range_of_child(&b->ref);
    if (pqti_all_boxes_equal(&of_a) && pqti_all_boxes_equal(&of_b))
        return nodes_are_related(pairing, &of_a.min, &of_b.min);
    return pqt_box_touches(pqti_side_range_box(&of_a),
                           pqti_moved(pqti_side_range_box(&of_b), pairing->second.offset));
}

static inline bool
nodes_may_pair(const pqti_pairing *pairing, const pqti_pairing_node *a, const pqti_pairing_node *b)
{
    if (!qboxes_overlap(a->ref.qbox, b->ref.qbox) ||
        (a->offset_qbox && b->offset_qbox && !pqt_box_touches(a->box, b->box)))
        return false;
    bool known = (a->ref.is_hash && has_side_range(b)) || (b->ref.is_hash && has_side_range(a));
    return !known || may_relate(pairing, a, b);
}

/* Converts the qbox of a node to the common grid. */
static void
convert_qbox(const pqti_pairing *pairing, const pqti_pairing_side *s, pqti_pairing_node *p)
{
    p->offset_qbox = !s->is_unmoved || p->level.outliers;
    if (!p->offset_qbox)
        return;
    p->box = pqti_moved(pqti_box_of_qbox(s->domain, p->level.outliers, p->ref.qbox), s->offset);
    p->ref.qbox = pqti_qbox_of(pairing->bounds, false, &p->box);
}

static inline void
count_node_visit(const pqti_pairing *pairing)
{
    if (pairing->query.stats != NULL)
        pairing->query.stats->nodes++;
}

/* Writes the non-empty children of an inner node, own items first. Returns their number. */
static int
open_children(const pqti_pairing *pairing, const pqti_pairing_side *s,
              const pqti_pairing_node *node, pqti_pairing_node children[PQTI_CHILDREN])
{
    pqti_node_ref refs[PQTI_CHILDREN];
    int count = 0;
    pqti_child_refs(s->domain, node->level, &node->ref, refs);
    for (int i = 0; i < PQTI_CHILDREN; i++) {
        pqti_pairing_node *next = &children[count];
        next->ref = refs[pqti_child_order[i]];
        if (next->ref.count == 0)
            continue;
        next->level = pqti_child_level(s->domain, node->level, pqti_child_order[i]);
        convert_qbox(pairing, s, next);
        count++;
    }
    count_node_visit(pairing);
    return count;
}

/* Returns the own items of an inner node that was not converted, or NULL if it has none. */
static inline const pqti_pairing_node *
open_own_items(const pqti_pairing *pairing, const pqti_pairing_side *s,
               const pqti_pairing_node *node, pqti_pairing_node *own)
{
    count_node_visit(pairing);
    own->ref = pqti_own_ref(node->ref.at, node->ref.count);
    if (own->ref.count == 0)
        return NULL;
    own->level = pqti_child_level(s->domain, node->level, PQTI_OWN_ITEMS);
    own->ref.qbox = pqti_own_qbox(s->domain, own->level, &own->ref);
    own->offset_qbox = false;
    return own;
}

/* Reads quadrant i of a node that was not converted. Returns false if the quadrant is empty. */
static inline bool
open_quadrant(const pqti_pairing_side *s, const pqti_pairing_node *node, int i,
              pqti_pairing_node *quadrant)
{
    quadrant->ref = pqti_quadrant_ref(node->ref.at, i);
    quadrant->level = pqti_quadrant_level(s->domain, node->level);
    quadrant->offset_qbox = false;
    return quadrant->ref.count > 0;
}

static bool pair_subtrees(const pqti_pairing *pairing, const pqti_pairing_node *a,
                          const pqti_pairing_node *b);

/* Pairs `node_a` with each node of an array of nodes of the second side. */
static bool
pair_with_nodes(const pqti_pairing *pairing, const pqti_pairing_node *node_a,
                const pqti_pairing_node *children, int count)
{
    for (int i = 0; i < count; i++)
        if (nodes_may_pair(pairing, node_a, &children[i]) &&
            !pair_subtrees(pairing, node_a, &children[i]))
            return false;
    return true;
}

/* Returns true if a node is entered when it is paired with another node. A hash node is not entered
 * if the exact sides of the other node are unknown. */
static inline bool
is_opened_against(const pqti_pairing_node *p, const pqti_pairing_node *other)
{
    return !p->ref.leaf && (!p->ref.is_hash || has_side_range(other));
}

/* Pairs two nodes, at least one of which was converted or is a hash node. */
static PQTI_NOINLINE bool
pair_by_copies(const pqti_pairing *pairing, const pqti_pairing_node *a, const pqti_pairing_node *b)
{
    pqti_pairing_node children_a[PQTI_CHILDREN], children_b[PQTI_CHILDREN];
    bool opens_a = is_opened_against(a, b), opens_b = is_opened_against(b, a);
    int count_b = opens_b ? open_children(pairing, &pairing->second, b, children_b) : 1;
    if (!opens_b)
        children_b[0] = *b;
    if (!opens_a)
        return pair_with_nodes(pairing, a, children_b, count_b);
    int count_a = open_children(pairing, &pairing->first, a, children_a);
    for (int i = 0; i < count_a; i++)
        if (nodes_may_pair(pairing, &children_a[i], b) &&
            !pair_with_nodes(pairing, &children_a[i], children_b, count_b))
            return false;
    return true;
}

/* Pairs `node_a` with those quadrants of a node of the second side whose bits are set. */
static bool
pair_with_quadrants(const pqti_pairing *pairing, const pqti_pairing_node *node_a,
                    const pqti_pairing_node *node, unsigned which)
{
    for (; which != 0; which &= which - 1) {
        pqti_pairing_node quadrant;
        if (open_quadrant(&pairing->second, node, __builtin_ctz(which), &quadrant) &&
            !pair_subtrees(pairing, node_a, &quadrant))
            return false;
    }
    return true;
}

/* Pairs `a` with `b`, whose own items have been read already. */
static inline bool
pair_with_open_node(const pqti_pairing *pairing, const pqti_pairing_node *a,
                    const pqti_pairing_node *b, const pqti_pairing_node *own)
{
    if (b->ref.leaf)
        return pair_subtrees(pairing, a, b);
    if (own != NULL && nodes_may_pair(pairing, a, own) && !pair_subtrees(pairing, a, own))
        return false;
    return pair_with_quadrants(pairing, a, b, pqti_quadrants_relate(b->ref.at, &a->ref.qbox));
}

/* Pairs two nodes, neither of which was converted or is a hash node. */
static bool
pair_in_place(const pqti_pairing *pairing, const pqti_pairing_node *a, const pqti_pairing_node *b)
{
    pqti_pairing_node own, other, quadrant;
    const pqti_pairing_node *own_b =
        b->ref.leaf ? NULL : open_own_items(pairing, &pairing->second, b, &other);
    if (a->ref.leaf)
        return pair_with_open_node(pairing, a, b, own_b);
    const pqti_pairing_node *own_a = open_own_items(pairing, &pairing->first, a, &own);
    if (own_a != NULL && nodes_may_pair(pairing, own_a, b) &&
        !pair_with_open_node(pairing, own_a, b, own_b))
        return false;
    for (unsigned which = pqti_quadrants_relate(a->ref.at, &b->ref.qbox); which != 0;
         which &= which - 1)
        if (open_quadrant(&pairing->first, a, __builtin_ctz(which), &quadrant) &&
            !pair_with_open_node(pairing, &quadrant, b, own_b))
            return false;
    return true;
}

/* Returns true if the quadrants of a node can be read in place. */
static inline bool
node_is_unmoved(const pqti_pairing_node *p)
{
    return !p->offset_qbox && !p->ref.is_hash;
}

/* Pairs two nodes whose qboxes overlap. Enters both at once, so that the two remain similar in
 * size. */
static bool
pair_subtrees(const pqti_pairing *pairing, const pqti_pairing_node *a, const pqti_pairing_node *b)
{
    if (a->ref.leaf && b->ref.leaf)
        return pqti_pairing_leaves(pairing, a, b);
    if (node_is_unmoved(a) && node_is_unmoved(b))
        return pair_in_place(pairing, a, b);
    return !nodes_may_pair(pairing, a, b) || pair_by_copies(pairing, a, b);
}

static bool pair_self(const pqti_pairing *pairing, const pqti_pairing_node *node);

/* Pairs the items of a node of any kind with each other. In each pair, `a` comes first in tree
 * order. */
static PQTI_NOINLINE bool
pair_self_by_copies(const pqti_pairing *pairing, const pqti_pairing_node *node)
{
    pqti_pairing_node children[PQTI_CHILDREN];
    int count = open_children(pairing, &pairing->first, node, children);
    for (int i = 0; i < count; i++)
        if (!pair_self(pairing, &children[i]) ||
            !pair_with_nodes(pairing, &children[i], children + i + 1, count - i - 1))
            return false;
    return true;
}

/* Like pair_self_by_copies, but for a node that was not converted and is not a hash node. */
static bool
pair_self_in_place(const pqti_pairing *pairing, const pqti_pairing_node *node)
{
    pqti_pairing_node own, quadrant;
    const pqti_pairing_node *own_items = open_own_items(pairing, &pairing->first, node, &own);
    if (own_items != NULL &&
        (!pair_self(pairing, own_items) ||
         !pair_with_quadrants(pairing, own_items, node,
                              pqti_quadrants_relate(node->ref.at, &own_items->ref.qbox))))
        return false;
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        if (!open_quadrant(&pairing->first, node, i, &quadrant))
            continue;
        unsigned after = pqti_quadrants_relate(node->ref.at, &quadrant.ref.qbox) >> (i + 1)
                                                                                        << (i + 1);
        if (!pair_self(pairing, &quadrant) || !pair_with_quadrants(pairing, &quadrant, node, after))
            return false;
    }
    return true;
}

static bool
pair_self(const pqti_pairing *pairing, const pqti_pairing_node *node)
{
    if (node->ref.leaf)
        return pqti_pairing_leaf(pairing, node->ref);
    if (node_is_unmoved(node))
        return pair_self_in_place(pairing, node);
    if (node->ref.is_hash && !may_relate(pairing, node, node))
        return true;
    return pair_self_by_copies(pairing, node);
}

static bool
offset_is_finite(pqt_vec vec)
{
    return vec.x - vec.x == 0 && vec.y - vec.y == 0;
}

/* Returns the root as a node that covers everything, because the qbox of a node is stored in its
 * parent. */
static pqti_pairing_node
root_of(const pqt_tree *tree)
{
    pqti_pairing_node root = {pqti_root(tree), PQTI_ROOT, true, pqt_query_all().window};
    /* The depth only selects the grid, which differs only for the root's own items. */
    root.level.depth = tree->skips ? 1 : 0;
    root.ref.qbox = (pqti_qbox){0, 0, UINT32_MAX, UINT32_MAX};
    return root;
}

bool
pqt_pairs_visit(const pqt_tree *tree, const pqt_tree *other, const pqt_pair_query *query,
                pqt_visit_pair_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    if (other != NULL)
        pqti_assert_alive(__func__, other);
    PQTI_ASSERT_PAIR_QUERY(query);
    const pqt_tree *second = other == NULL ? tree : other;
    pqt_vec offset = other == NULL ? (pqt_vec){0, 0} : query->offset;
    bool still = offset.x == 0 && offset.y == 0;
    bool plain = still && pqti_domain_equals(tree->domain, second->domain);
    pqti_pairing pairing = {
        .bounds = tree->domain,
        .first = {tree->domain, {0, 0}, true},
        .second = {second->domain, offset, plain},
        .within = other == NULL,
        .still = still,
        .every = still && pqti_relation_is_touching(query->relation) && query->filter == NULL,
        .query = *query,
        .visit = visit,
        .context = context,
    };
    pqti_pairing_node a = root_of(tree), b = root_of(second);
    if (!offset_is_finite(offset) || a.ref.count == 0 || b.ref.count == 0)
        return true;
    return pairing.within ? pair_self(&pairing, &a) : pair_subtrees(&pairing, &a, &b);
}

/* Other forms of the search: counting pairs, collecting them in an array, and pairing one given
 * item. */

static bool
count_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)a;
    (void)b;
    ++*(size_t *)context;
    return true;
}

size_t
pqt_pairs_count(const pqt_tree *tree, const pqt_tree *other, const pqt_pair_query *query)
{
    PQTI_ASSERT_TREE(tree);
    PQTI_ASSERT_PAIR_QUERY(query);
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
pqt_pairs_collect(const pqt_tree *tree, const pqt_tree *other, const pqt_pair_query *query,
                  pqt_pair *pairs, size_t capacity)
{
    PQTI_ASSERT_TREE(tree);
    PQTI_ASSERT_PAIR_QUERY(query);
    PQT_ASSERT(pairs != NULL || capacity == 0, "pairs is NULL, and capacity is not 0");
    pair_collection all = {pairs, capacity, 0};
    pqt_pairs_visit(tree, other, query, collect_pair, &all);
    return all.found;
}

/* A search that pairs one item with a version. */
typedef struct single {
    pqt_item item;
    pqt_pair_query query;
    pqt_visit_pair_fn *visit;
    void *context;
} single;

static bool
visit_single(const pqt_item *other, void *context)
{
    const single *s = context;
    if (pqt_item_equals(*other, s->item))
        return true;
    if (s->query.filter != NULL && !s->query.filter(&s->item, other, s->query.context))
        return true;
    return s->visit(&s->item, other, s->context);
}

bool
pqt_pairs_visit_of(const pqt_tree *tree, pqt_item item, const pqt_pair_query *query,
                   pqt_visit_pair_fn *visit, void *context)
{
    PQT_ASSERT(tree != NULL && visit != NULL, "the tree or the visitor is NULL");
    pqti_assert_alive(__func__, tree);
    PQTI_ASSERT_PAIR_QUERY(query);
    if (!pqti_box_is_valid(&item.box))
        return true;
    single s = {item, *query, visit, context};
    /* the window is the box of the item, so the items found must be in the inverse relation to
     * it */
    pqt_query window = {.window = item.box,
                        .relation = pqti_relation_rule_of(query->relation).converse,
                        .stats = query->stats};
    return pqt_tree_visit(tree, &window, visit_single, &s);
}
