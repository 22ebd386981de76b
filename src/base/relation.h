/* SPDX-License-Identifier: MIT */
/*
 * relation.h: the table of relations, which says how the sides of an item are compared with those
 * of a window.
 *
 * An item relates to a window if, on each axis, one of its sides is at most one side of the window,
 * and its other side is at least the other side of the window:
 *
 *     touches     item.min <= window.max    item.max >= window.min
 *     overlaps    item.min <  window.max    item.max >  window.min
 *     inside      item.max <= window.max    item.min >= window.min
 *     covers      item.min <= window.min    item.max >= window.max
 *
 * All code that depends on the relation reads this table.
 */
#ifndef PQTI_RELATION_H
#define PQTI_RELATION_H

#include <stdbool.h>

#include <pqt/box.h>
#include <pqt/convex.h>

#include "base/error_internal.h"

typedef struct pqti_relation_rule {
    bool is_strict;        /* equal sides do not satisfy the relation */
    bool swaps_item;       /* item.min and item.max are exchanged */
    bool swaps_window;     /* window.min and window.max are exchanged */
    pqt_relation converse; /* the relation that the window then has to the item */
} pqti_relation_rule;

static inline pqti_relation_rule
pqti_relation_rule_of(pqt_relation relation)
{
    static const pqti_relation_rule rules[] = {
        [PQT_TOUCHES] = {false, false, false, PQT_TOUCHES},
        [PQT_OVERLAPS] = {true, false, false, PQT_OVERLAPS},
        [PQT_INSIDE] = {false, true, false, PQT_COVERS},
        [PQT_COVERS] = {false, false, true, PQT_INSIDE},
    };
    return rules[relation];
}

static inline bool
pqti_relation_is_valid(pqt_relation relation)
{
    return relation >= PQT_TOUCHES && relation <= PQT_COVERS;
}

/* Returns the name of a valid relation. */
static inline const char *
pqti_relation_name_of(pqt_relation relation)
{
    static const char *const names[] = {[PQT_TOUCHES] = "touches",
                                        [PQT_OVERLAPS] = "overlaps",
                                        [PQT_INSIDE] = "inside",
                                        [PQT_COVERS] = "covers"};
    return names[relation];
}

/*
 * Returns true if the relation differs from its converse, so that the order of the two boxes
 * matters.
 */
static inline bool
pqti_relation_is_ordered(pqt_relation relation)
{
    return pqti_relation_rule_of(relation).converse != relation;
}

/*
 * Returns true if any two boxes that touch have the relation. Boxes that have any relation touch.
 */
static inline bool
pqti_relation_is_touching(pqt_relation relation)
{
    return relation == PQT_TOUCHES;
}

static inline pqt_box
pqti_box_with_sides_swapped(pqt_box box, bool swap)
{
    return swap ? (pqt_box){box.max, box.min} : box;
}

/* Returns true if an item relates to a window. Returns false if any of the eight numbers is NaN. */
static inline bool
pqti_boxes_relate(pqt_box item, pqt_box window, pqt_relation relation)
{
    const pqti_relation_rule rule = pqti_relation_rule_of(relation);
    const pqt_box a = pqti_box_with_sides_swapped(item, rule.swaps_item);
    const pqt_box b = pqti_box_with_sides_swapped(window, rule.swaps_window);
    if (rule.is_strict)
        return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y;
}

/* Does the same as pqt_box_relates, for boxes that are passed by pointer. */
bool pqti_box_relates(const pqt_box *item, const pqt_box *window, pqt_relation relation);

/* Returns true if an item relates to a convex. The result is exact. */
static inline bool
pqti_box_relates_to_convex(pqt_box item, const pqt_convex *convex, pqt_relation relation)
{
    static bool (*const predicates[])(const pqt_convex *, pqt_box) = {
        [PQT_TOUCHES] = pqt_convex_touches_box,
        [PQT_OVERLAPS] = pqt_convex_overlaps_box,
        [PQT_INSIDE] = pqt_convex_covers_box,
        [PQT_COVERS] = pqt_convex_is_inside_box,
    };
    return predicates[relation](convex, item);
}

#endif
