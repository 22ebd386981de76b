/* SPDX-License-Identifier: MIT */
/*
 * slide.c: a walker slides along the boxes that block it, and always stops at a free position.
 *
 * The walker falls onto a floor of two boxes, crosses the seam between them without stopping, is
 * stopped by a wall, and jumps onto it. Then two walkers meet. y points down.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/shapes.h>

static const char *const names[] = {"floor", "more floor", "wall"};

static const pqt_item level[] = {
    {{{0, 8}, {10, 9}}, 0},
    {{{10, 8}, {20, 9}}, 1},
    {{{14, 5}, {20, 8}}, 2},
};

/* The motions. Each one starts where the previous one ended. */
static const struct {
    const char *what;
    pqt_vec by;
} motions[] = {
    {"fall", {0, 4}},          {"walk, with gravity", {4, 1}},
    {"over the seam", {4, 1}}, {"into the wall", {6, 1}},
    {"jump", {2, -3.5}},       {"onto the wall", {3, 1}},
};

int
main(void)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_of(level, 3, NULL, &error);
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    /* The walker is one unit wide and two units high. Its position is between its feet. */
    const pqt_box walker = {{-0.5, -2}, {0.5, 0}};
    pqt_vec position = {5, 6};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        pqt_mover mover = pqt_mover_box(walker, position, pqt_vec_add(position, motions[i].by));
        pqt_slide step = pqt_tree_slide(tree, mover, 3, NULL);
        position = step.stop;
        printf("%-18s to %5.2f, %4.2f%s%s", motions[i].what, position.x, position.y,
               (step.blocked & PQT_BLOCKED_X) != 0 ? ", blocked along x" : "",
               (step.blocked & PQT_BLOCKED_Y) != 0 ? ", on the ground" : "");
        if (step.first.status == PQT_SWEEP_HITS)
            printf(", first hit: %s", names[step.first.item.id]);
        printf("\n");
    }

    /* Two walkers go toward each other, one twice as fast as the other. */
    const pqt_mover fast = pqt_mover_box(walker, (pqt_vec){2, 8}, (pqt_vec){8, 8});
    const pqt_mover slow = pqt_mover_box(walker, (pqt_vec){9, 8}, (pqt_vec){6, 8});
    const pqt_sweep meeting = pqt_sweep_pair(fast, slow, NULL);
    if (meeting.status == PQT_SWEEP_HITS)
        printf("two walkers meet at %.2f and %.2f, after %.2f of their motions\n", meeting.stop.x,
               meeting.stop_b.x, meeting.time);
    return 0;
}
