/* SPDX-License-Identifier: MIT */
/*
 * oriented.c: oriented boxes as items. The tree finds their bounds, a filter tests their shapes.
 *
 * Each car is an oriented box. Its item is the box around it, and the id is the index of the car.
 * If two shapes touch, their boxes touch, so the search misses no pair. The filter drops the pairs
 * whose boxes touch but whose shapes do not.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/shapes.h>

typedef struct car {
    const char *name;
    pqt_vec centre, half, heading;
    pqt_convex shape;
} car;

static car cars[] = {
    {.name = "bus", .centre = {20, 20}, .half = {12, 3}, .heading = {1, 1}},
    {.name = "van", .centre = {28, 12}, .half = {5, 2}, .heading = {1, 1}},
    {.name = "taxi", .centre = {31, 26}, .half = {4, 2}, .heading = {1, 0}},
    {.name = "bicycle", .centre = {10, 30}, .half = {2, 0}, .heading = {-1, 2}},
};

enum { CARS = sizeof cars / sizeof *cars };

static bool
shapes_touch(const pqt_item *a, const pqt_item *b, void *context)
{
    const car *all = context;
    return pqt_convex_touches(&all[a->id].shape, &all[b->id].shape);
}

static bool
print_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    const car *all = context;
    printf("%s touches %s\n", all[a->id].name, all[b->id].name);
    return true;
}

/* The beam is the window, so the filter is called only for boxes that touch it. */
static bool
is_in_beam(const pqt_item *item, void *context)
{
    const pqt_convex *beam = context;
    return pqt_convex_touches(beam, &cars[item->id].shape);
}

static bool
print_car(const pqt_item *item, void *context)
{
    const car *all = context;
    printf("in the beam: %s\n", all[item->id].name);
    return true;
}

int
main(void)
{
    pqt_error error = {0};
    pqt_item items[CARS];
    for (size_t i = 0; i < CARS; i++) {
        car *c = &cars[i];
        if (!pqt_convex_from_oriented_box(c->centre, c->half, c->heading, 0, &c->shape, &error))
            return fprintf(stderr, "%s\n", error.text), 1;
        items[i] = (pqt_item){pqt_convex_box(&c->shape), i};
    }
    const pqt_tree *tree = pqt_tree_of(items, CARS, NULL, &error);
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    pqt_pair_query pairs = {.relation = PQT_TOUCHES};
    printf("%zu pairs of boxes touch\n", pqt_pairs_count(tree, NULL, &pairs));
    pairs.filter = shapes_touch;
    pairs.context = cars;
    pqt_pairs_visit(tree, NULL, &pairs, print_pair, cars);

    pqt_convex beam;
    const pqt_vec corners[] = {{0, 20}, {40, 30}, {40, 44}};
    if (!pqt_convex_from_points(corners, 3, 0, &beam, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    pqt_query query = {.window = pqt_convex_box(&beam), .relation = PQT_TOUCHES};
    printf("%zu boxes touch the box of the beam\n", pqt_tree_count_in(tree, &query));
    query.convex = &beam;
    printf("%zu boxes touch the beam\n", pqt_tree_count_in(tree, &query));
    query.filter = is_in_beam;
    query.context = &beam;
    pqt_tree_visit(tree, &query, print_car, cars);
    return 0;
}
