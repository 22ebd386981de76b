/* SPDX-License-Identifier: MIT */
/*
 * shapes.c: the plan of a garden: which shapes touch or overlap, and how far apart the others are.
 *
 * A program usually has a shape type of its own, like this one: a box, a circle or a convex. Each
 * pair of kinds has its function, so six cases cover all pairs.
 */
#include <stdio.h>

#include <pqt.h>
#include <pqt/shapes.h>

typedef enum kind { BOX, CIRCLE, CONVEX } kind;

typedef struct shape {
    const char *name;
    kind kind;
    pqt_box box;
    pqt_circle circle;
    pqt_convex convex;
} shape;

enum { SHAPES = 6 };

/* How two shapes lie to each other. The kind of `a` is not above that of `b`. */
typedef struct relation {
    bool touch, overlap;
    double distance;
} relation;

static relation
relation_of(const shape *a, const shape *b)
{
    switch (a->kind * 3 + b->kind) {
    case BOX * 3 + BOX:
        return (relation){pqt_box_touches(a->box, b->box), pqt_box_overlaps(a->box, b->box),
                          pqt_box_distance_to_box(a->box, b->box)};
    case BOX * 3 + CIRCLE:
        return (relation){pqt_circle_touches_box(b->circle, a->box),
                          pqt_circle_overlaps_box(b->circle, a->box),
                          pqt_box_distance_to_point(a->box, b->circle.centre) - b->circle.radius};
    case BOX * 3 + CONVEX:
        return (relation){pqt_convex_touches_box(&b->convex, a->box),
                          pqt_convex_overlaps_box(&b->convex, a->box),
                          pqt_convex_distance_to_box(&b->convex, a->box).distance};
    case CIRCLE * 3 + CIRCLE:
        return (relation){
            pqt_circle_touches(a->circle, b->circle), pqt_circle_overlaps(a->circle, b->circle),
            pqt_circle_distance_to_point(a->circle, b->circle.centre) - b->circle.radius};
    case CIRCLE * 3 + CONVEX:
        return (relation){pqt_convex_touches_circle(&b->convex, a->circle),
                          pqt_convex_overlaps_circle(&b->convex, a->circle),
                          pqt_convex_distance_to_circle(&b->convex, a->circle).distance};
    default:
        return (relation){pqt_convex_touches(&a->convex, &b->convex),
                          pqt_convex_overlaps(&a->convex, &b->convex),
                          pqt_convex_distance(&a->convex, &b->convex).distance};
    }
}

static bool
is_at(const shape *s, pqt_vec point)
{
    return s->kind == BOX      ? pqt_box_contains(s->box, point)
           : s->kind == CIRCLE ? pqt_circle_distance_to_point(s->circle, point) == 0
                               : pqt_convex_contains(&s->convex, point);
}

static pqt_box
box_of(const shape *s)
{
    return s->kind == BOX      ? s->box
           : s->kind == CIRCLE ? pqt_circle_box(s->circle)
                               : pqt_convex_box(&s->convex);
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_box garden = pqt_box_make(0, 0, 100, 60);
    shape all[SHAPES] = {
        {.name = "house", .kind = BOX, .box = {{10, 10}, {40, 30}}},
        {.name = "terrace", .kind = BOX, .box = {{40, 12}, {50, 28}}},
        {.name = "pond", .kind = CIRCLE, .circle = {{70, 20}, 10}},
        {.name = "tree", .kind = CIRCLE, .circle = {{92, 50}, 12}},
        {.name = "path", .kind = CONVEX},  /* a segment with a radius: a capsule */
        {.name = "table", .kind = CONVEX}, /* a box with a radius has round corners */
    };
    if (!pqt_convex_from_segment((pqt_segment){{45, 26}, {80, 58}}, 1.5, &all[4].convex, &error) ||
        !pqt_convex_from_box((pqt_box){{62, 34}, {66, 38}}, 1, &all[5].convex, &error))
        return fprintf(stderr, "%s\n", error.text), 1;

    for (int i = 0; i < SHAPES; i++) {
        printf("%-8s", all[i].name);
        for (int j = 0; j < i; j++) {
            const relation r = relation_of(&all[j], &all[i]);
            if (r.overlap)
                printf(" %8s", "overlaps");
            else if (r.touch)
                printf(" %8s", "touches");
            else
                printf(" %8.2f", r.distance);
        }
        printf(" %8s\n", pqt_box_is_inside(box_of(&all[i]), garden) ? "inside" : "outside");
    }
    for (int i = 0; i < SHAPES; i++)
        if (is_at(&all[i], (pqt_vec){46, 27}))
            printf("at 46, 27: %s\n", all[i].name);
    const pqt_circle lost = {{10, 10}, -1};
    printf("a circle of radius -1 is %s\n", pqt_circle_is_valid(lost) ? "valid" : "not valid");
    return 0;
}
