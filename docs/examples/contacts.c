/* SPDX-License-Identifier: MIT */
/*
 * contacts.c: shapes in a room are pushed apart until none overlaps another.
 *
 * A tree of their boxes finds the pairs that may overlap. For each pair, the contact says how deep
 * it is and how the first shape must move. Each of two shapes moves half of the way; walls do not
 * move.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/shapes.h>

typedef enum kind { BOX, CIRCLE, CONVEX } kind;

typedef struct thing {
    const char *name;
    kind kind;
    bool is_wall;
    pqt_box box;
    pqt_circle circle;
    pqt_vec corners[3]; /* of a convex */
} thing;

static thing things[] = {
    {.name = "wall", .kind = BOX, .is_wall = true, .box = {{0, 0}, {2, 40}}},
    {.name = "crate", .kind = BOX, .box = {{1, 10}, {9, 18}}},
    {.name = "chest", .kind = BOX, .box = {{7, 16}, {13, 22}}},
    {.name = "ball", .kind = CIRCLE, .circle = {{14, 13}, 4}},
    {.name = "barrel", .kind = CIRCLE, .circle = {{17, 17}, 3}},
    {.name = "wedge", .kind = CONVEX, .corners = {{11, 21}, {19, 19}, {17, 28}}},
    {.name = "ramp", .kind = CONVEX, .corners = {{18, 26}, {28, 26}, {28, 32}}},
};

#define ENOUGH 0.001 /* a depth that nobody sees */

enum { THINGS = sizeof things / sizeof *things, ROUNDS = 100, MOST_PAIRS = THINGS * THINGS };

static pqt_convex
convex_of(const thing *t)
{
    pqt_convex convex = {0};
    pqt_convex_from_points(t->corners, 3, 0, &convex, NULL);
    return convex;
}

static pqt_box
box_of(const thing *t)
{
    const pqt_convex convex = convex_of(t);
    return t->kind == BOX      ? t->box
           : t->kind == CIRCLE ? pqt_circle_box(t->circle)
                               : pqt_convex_box(&convex);
}

/* Computes the contact of two shapes. The kind of `a` is not below that of `b`. */
static pqt_contact
contact_of(const thing *a, const thing *b)
{
    const pqt_convex of_a = convex_of(a), of_b = convex_of(b);
    switch (a->kind * 3 + b->kind) {
    case BOX * 3 + BOX:
        return pqt_contact_boxes(a->box, b->box);
    case CIRCLE * 3 + BOX:
        return pqt_contact_circle_box(a->circle, b->box);
    case CIRCLE * 3 + CIRCLE:
        return pqt_contact_circles(a->circle, b->circle);
    case CONVEX * 3 + BOX:
        return pqt_contact_convex_box(&of_a, b->box);
    case CONVEX * 3 + CIRCLE:
        return pqt_contact_convex_circle(&of_a, b->circle);
    default:
        return pqt_contact_convexes(&of_a, &of_b);
    }
}

static void
move(thing *t, pqt_vec by)
{
    t->box = pqt_box_moved(t->box, by);
    t->circle.centre = pqt_vec_add(t->circle.centre, by);
    for (int i = 0; i < 3; i++)
        t->corners[i] = pqt_vec_add(t->corners[i], by);
}

/* Pushes two shapes apart. Returns the depth of their contact. */
static double
separate(thing *a, thing *b)
{
    const pqt_contact contact = contact_of(a, b);
    const double of_a = b->is_wall ? 1 : a->is_wall ? 0 : 0.5;
    move(a, pqt_vec_scale(contact.push, of_a));
    move(b, pqt_vec_scale(contact.push, of_a - 1));
    return contact.depth;
}

int
main(void)
{
    pqt_error error = {0};
    for (int round = 1; round <= ROUNDS; round++) {
        pqt_item items[THINGS];
        pqt_pair pairs[MOST_PAIRS];
        for (size_t i = 0; i < THINGS; i++)
            items[i] = (pqt_item){box_of(&things[i]), i};
        const pqt_tree *tree = pqt_tree_of(items, THINGS, NULL, &error);
        if (tree == NULL)
            return fprintf(stderr, "%s\n", error.text), 1;
        const pqt_pair_query overlaps = {.relation = PQT_OVERLAPS};
        const size_t count = pqt_pairs_collect(tree, NULL, &overlaps, pairs, MOST_PAIRS);
        double deepest = 0;
        for (size_t i = 0; i < count; i++) {
            thing *a = &things[pairs[i].a.id], *b = &things[pairs[i].b.id];
            const double depth = a->kind >= b->kind ? separate(a, b) : separate(b, a);
            deepest = depth > deepest ? depth : deepest;
        }
        if (round == 1 || deepest < ENOUGH)
            printf("round %d: %zu pairs of boxes overlap, the deepest contact is %.3f\n", round,
                   count, deepest);
        if (deepest < ENOUGH)
            break;
    }
    for (size_t i = 0; i < THINGS; i++) {
        const pqt_box box = box_of(&things[i]);
        printf("%-6s at %.2f, %.2f\n", things[i].name, box.min.x, box.min.y);
    }
    return 0;
}
