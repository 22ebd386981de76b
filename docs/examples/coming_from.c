/* SPDX-License-Identifier: MIT */
/*
 * coming_from.c: what users of rtree.c, Box2D, immer and bump.lua call, and what it is here.
 *
 * Each line that is printed begins with calls of another library, as in the manual.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/shapes.h>

static pqt_error error;

static size_t
count(const pqt_tree *tree, pqt_box window)
{
    const pqt_query query = {.window = window, .relation = PQT_TOUCHES};
    return pqt_tree_count_in(tree, &query);
}

static void
from_rtree_c(const pqt_tree *tree)
{
    const pqt_item item = {{{4, 4}, {5, 5}}, 7};
    const pqt_tree *clone = tree; /* a version never changes, so that a pointer is a copy */
    tree = pqt_tree_insert(tree, item, &error);
    printf("rtree_insert, rtree_count: %zu items, the clone has %zu\n", pqt_tree_count(tree),
           pqt_tree_count(clone));
    printf("rtree_search: %zu touch 3, 3, 9, 9\n", count(tree, (pqt_box){{3, 3}, {9, 9}}));
    tree = pqt_tree_remove(tree, item, &error);
    printf("rtree_delete: %zu items\n", pqt_tree_count(tree));
}

static bool
print_change(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    printf("UpdatePairs, contact events: %d and %d %s\n", (int)a->id, (int)b->id,
           change == PQT_PAIR_BEGAN ? "begin" : "end");
    return true;
}

static void
from_box2d(const pqt_tree *tree)
{
    const pqt_item wall = {{{14, 5}, {20, 8}}, 2};
    const pqt_tree *moved = pqt_tree_move(tree, wall, (pqt_box){{10, 5}, {20, 8}}, &error);
    const pqt_pair_query touching = {.relation = PQT_TOUCHES};
    pqt_pairs_visit_changes(tree, moved, &touching, print_change, NULL, &error);
    const pqt_cast cast = pqt_cast_segment((pqt_segment){{0, 6}, {30, 6}});
    const pqt_ray_hit hit = pqt_tree_cast(moved, &cast);
    printf("RayCast: item %d at %.3f\n", (int)hit.item.id, hit.entry);
    const pqt_mover ball = pqt_mover_circle(1, (pqt_vec){0, 6}, (pqt_vec){30, 6});
    printf("ShapeCast: stops at %.1f\n", pqt_tree_sweep(moved, ball, NULL).stop.x);
    const pqt_mover other = pqt_mover_circle(1, (pqt_vec){10, 6}, (pqt_vec){0, 6});
    printf("TimeOfImpact: %.3f\n", pqt_sweep_pair(ball, other, NULL).time);
}

static bool
print_difference(const pqt_change *change, void *context)
{
    (void)context;
    printf("diff: %s %d\n", change->kind == PQT_INSERT ? "added" : "removed", (int)change->item.id);
    return true;
}

static void
from_immer(const pqt_tree *tree)
{
    const pqt_item item = {{{1, 1}, {2, 2}}, 8};
    pqt_draft *transient = pqt_draft_begin(tree, &error);
    pqt_draft_insert(transient, item, &error);
    const pqt_tree *next = pqt_draft_snapshot(transient, &error);
    pqt_draft_destroy(&transient);
    pqt_tree_visit_diff(tree, next, NULL, print_difference, NULL, &error);
    printf("operator==: %d, and after the removal %d\n", pqt_tree_equals(tree, next),
           pqt_tree_equals(tree, pqt_tree_remove(next, item, &error)));
}

static void
from_bump(const pqt_tree *world)
{
    const pqt_box player = {{0, 0}, {1, 2}};
    const pqt_mover walk = pqt_mover_box(player, (pqt_vec){2, 6}, (pqt_vec){30, 7});
    const pqt_slide slide = pqt_tree_slide(world, walk, 3, NULL);
    printf("world:move, slide: to %.1f, %.1f\n", slide.stop.x, slide.stop.y);
    const pqt_sweep touch = pqt_tree_sweep(world, walk, NULL);
    printf("world:check, touch: to %.2f, %.2f, item %d\n", touch.stop.x, touch.stop.y,
           (int)touch.item.id);
    printf("world:queryRect, queryPoint: %zu, %zu\n", count(world, (pqt_box){{9, 0}, {21, 20}}),
           count(world, (pqt_box){{15, 6}, {15, 6}}));
    pqt_item floor;
    if (pqt_tree_find(world, 0, &floor))
        printf("world:getRect: %g, %g to %g, %g\n", floor.box.min.x, floor.box.min.y,
               floor.box.max.x, floor.box.max.y);
}

int
main(void)
{
    const pqt_item items[] = {
        {{{0, 8}, {10, 9}}, 0}, {{{10, 8}, {20, 9}}, 1}, {{{14, 5}, {20, 8}}, 2}};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_of(items, 3, &options, &error);
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    from_rtree_c(tree);
    from_box2d(tree);
    from_immer(tree);
    from_bump(tree);
    if (error.status != PQT_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    return 0;
}
