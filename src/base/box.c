/* SPDX-License-Identifier: MIT */
/*
 * box.c: functions on axis-aligned boxes.
 *
 * Each relation compares all eight numbers, so a NaN anywhere makes it false. Numbers are halved
 * before they are added or subtracted, so no valid box causes an overflow.
 */
#include "config.h"

#include <pqt/box.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/relation.h"

pqt_box
pqt_box_make(double min_x, double min_y, double max_x, double max_y)
{
    return (pqt_box){{min_x, min_y}, {max_x, max_y}};
}

pqt_box
pqt_box_from_size(pqt_vec corner, pqt_vec size)
{
    return (pqt_box){corner, pqt_vec_add(corner, size)};
}

bool
pqt_box_is_valid(pqt_box box)
{
    return pqt_vec_is_finite(box.min) && pqt_vec_is_finite(box.max) && box.min.x <= box.max.x &&
           box.min.y <= box.max.y;
}

bool
pqt_box_touches(pqt_box a, pqt_box b)
{
    return pqti_boxes_relate(a, b, PQT_TOUCHES);
}

bool
pqt_box_overlaps(pqt_box a, pqt_box b)
{
    return pqti_boxes_relate(a, b, PQT_OVERLAPS);
}

bool
pqt_box_is_inside(pqt_box box, pqt_box window)
{
    return pqti_boxes_relate(box, window, PQT_INSIDE);
}

bool
pqt_box_covers(pqt_box box, pqt_box window)
{
    return pqti_boxes_relate(box, window, PQT_COVERS);
}

bool
pqti_box_relates(const pqt_box *item, const pqt_box *window, pqt_relation relation)
{
    return pqti_boxes_relate(*item, *window, relation);
}

bool
pqt_box_relates(pqt_box item, pqt_box window, pqt_relation relation)
{
    PQT_ASSERT(pqti_relation_is_valid(relation), "the relation is not a pqt_relation");
    return pqti_box_relates(&item, &window, relation);
}

bool
pqt_box_contains(pqt_box box, pqt_vec point)
{
    return box.min.x <= point.x && point.x <= box.max.x && box.min.y <= point.y &&
           point.y <= box.max.y;
}

pqt_box
pqt_box_union(pqt_box a, pqt_box b)
{
    return (pqt_box){
        {pqti_fmin(a.min.x, b.min.x), pqti_fmin(a.min.y, b.min.y)},
        {pqti_fmax(a.max.x, b.max.x), pqti_fmax(a.max.y, b.max.y)},
    };
}

bool
pqt_box_intersection(pqt_box a, pqt_box b, pqt_box *common)
{
    if (!pqt_box_touches(a, b))
        return false;
    if (common != NULL)
        *common = (pqt_box){
            {pqti_fmax(a.min.x, b.min.x), pqti_fmax(a.min.y, b.min.y)},
            {pqti_fmin(a.max.x, b.max.x), pqti_fmin(a.max.y, b.max.y)},
        };
    return true;
}

pqt_box
pqt_box_moved(pqt_box box, pqt_vec by)
{
    return (pqt_box){pqt_vec_add(box.min, by), pqt_vec_add(box.max, by)};
}

/*
 * Moves both ends outward by a margin. If a negative margin would make them cross, sets both to the
 * middle.
 */
static void
grow_axis(double *min, double *max, double middle, double margin)
{
    *min -= margin;
    *max += margin;
    if (*min > *max)
        *min = *max = middle;
}

pqt_box
pqt_box_grown(pqt_box box, double margin)
{
    pqt_vec centre = pqt_box_centre(box);
    grow_axis(&box.min.x, &box.max.x, centre.x, margin);
    grow_axis(&box.min.y, &box.max.y, centre.y, margin);
    return box;
}

pqt_vec
pqt_box_size(pqt_box box)
{
    return pqt_vec_subtract(box.max, box.min);
}

pqt_vec
pqt_box_centre(pqt_box box)
{
    return (pqt_vec){box.min.x / 2 + box.max.x / 2, box.min.y / 2 + box.max.y / 2};
}

/* Returns the distance between two intervals on one axis, or 0 if they touch. */
static double
distance_on_axis(double a_min, double a_max, double b_min, double b_max)
{
    return pqti_fmax(0, pqti_fmax(b_min - a_max, a_min - b_max));
}

double
pqt_box_distance_to_point(pqt_box box, pqt_vec point)
{
    return pqt_box_distance_to_box(box, (pqt_box){point, point});
}

double
pqt_box_distance_to_box(pqt_box a, pqt_box b)
{
    return pqt_vec_length((pqt_vec){distance_on_axis(a.min.x, a.max.x, b.min.x, b.max.x),
                                    distance_on_axis(a.min.y, a.max.y, b.min.y, b.max.y)});
}

const char *
pqt_relation_name(pqt_relation relation)
{
    return pqti_relation_is_valid(relation) ? pqti_relation_name_of(relation) : "unknown relation";
}
