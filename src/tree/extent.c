/* SPDX-License-Identifier: MIT */
/*
 * extent.c: finds the smallest box around all items of a version.
 *
 * A node stores the columns that the items of each quadrant cover. A quadrant that cannot reach
 * beyond the box that was found so far is not entered. So the box begins with the items of four
 * leaves, each at the end of the path that reaches farthest to one side.
 */
#include "config.h"

#include <pqt/tree.h>

#include "base/error_internal.h"
#include "tree/side_range.h"

/* The box so far. It is inverted as long as no item was found. */
typedef struct extent {
    const pqti_domain *domain;
    pqt_box box;
} extent;

typedef enum side { MIN_X, MIN_Y, MAX_X, MAX_Y, SIDES } side;

static void extend_by_subtree(extent *e, pqti_node_ref ref, bool outliers, bool is_root);

/* Extends the box by the items of a leaf, or by those of a hash node, whose side range has it. */
static void
extend_by_sides(extent *e, const pqti_node_ref *ref)
{
    const pqti_side_range sides = pqti_side_range_of_child(ref);
    e->box = pqt_box_union(e->box, (pqt_box){sides.min.min, sides.max.max});
}

/* Returns the columns of the four quadrants on one side. */
static const uint32_t *
columns_of(const pqti_inner *node, side to)
{
    const uint32_t *const columns[SIDES] = {node->min_x, node->min_y, node->max_x, node->max_y};
    return columns[to];
}

/* Returns the quadrant that reaches farthest to a side, or PQTI_QUADRANTS if all are empty. */
static int
farthest_quadrant(const pqti_inner *node, side to)
{
    const uint32_t *columns = columns_of(node, to);
    int best = PQTI_QUADRANTS;
    for (int i = 0; i < PQTI_QUADRANTS; i++)
        if (node->child[i] != NULL &&
            (best == PQTI_QUADRANTS ||
             (to < MAX_X ? columns[i] < columns[best] : columns[i] > columns[best])))
            best = i;
    return best;
}

/* Extends the box by the leaf at the end of the path that reaches farthest to a side. */
static void
extend_to_side(extent *e, pqti_node_ref ref, side to)
{
    while (!ref.leaf && !ref.is_hash) {
        const int quadrant = farthest_quadrant(ref.at, to);
        if (quadrant == PQTI_QUADRANTS)
            return;
        ref = pqti_quadrant_ref(ref.at, quadrant);
    }
    extend_by_sides(e, &ref);
}

/* Returns true if all items of a quadrant are certainly within the box. */
static bool
has_all_of(const extent *e, const pqti_node_ref *quadrant, bool outliers)
{
    return pqt_box_covers(e->box, pqti_box_of_qbox(e->domain, outliers, quadrant->qbox));
}

static void
extend_by_node(extent *e, const pqti_node_ref *ref, bool outliers, bool is_root)
{
    const pqti_inner *node = ref->at;
    for (int i = 0; i < PQTI_QUADRANTS; i++) {
        const pqti_node_ref quadrant = pqti_quadrant_ref(node, i);
        if (quadrant.at != NULL && !has_all_of(e, &quadrant, outliers))
            extend_by_subtree(e, quadrant, outliers, false);
    }
    extend_by_subtree(e, pqti_own_ref(node, ref->count), outliers || is_root, false);
}

static void
extend_by_subtree(extent *e, pqti_node_ref ref, bool outliers, bool is_root)
{
    if (ref.at == NULL)
        return;
    if (ref.leaf || ref.is_hash)
        extend_by_sides(e, &ref);
    else
        extend_by_node(e, &ref, outliers, is_root);
}

bool
pqt_tree_extent(const pqt_tree *tree, pqt_box *box)
{
    PQTI_ASSERT_TREE(tree);
    PQT_ASSERT(box != NULL, "the box is NULL");
    if (tree->count == 0)
        return false;
    extent e = {tree->domain, {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}};
    for (side to = MIN_X; to < SIDES; to++)
        extend_to_side(&e, pqti_root(tree), to);
    extend_by_subtree(&e, pqti_root(tree), false, pqti_has_outliers(tree));
    *box = e.box;
    return true;
}
