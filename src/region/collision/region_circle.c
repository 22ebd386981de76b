/* SPDX-License-Identifier: MIT */
/*
 * region_circle.c - whether a circle overlaps a region that is put somewhere.
 *
 * What pqt_circle_overlaps_box says of the box of each pixel, decided by full squares. A distance
 * is no less than it is along one axis, rounded or not; so most squares are passed over without a
 * square root.
 */
#include "config.h"

#include "region/collision/region_circle.h"

#include <stddef.h>

#include <pqt/vec.h>

#include "region/collision/region_cursor.h"

typedef struct look {
    pqti_figure figure;
    pqt_circle circle;
    pqt_vec at;
    pqt_box met;
} look;

static double
gap_of(double min, double max, double value)
{
    if (value < min)
        return min - value;
    return value > max ? value - max : 0;
}

static bool
overlaps(const pqt_circle *circle, const pqt_box *box)
{
    const double x = gap_of(box->min.x, box->max.x, circle->centre.x);
    const double y = gap_of(box->min.y, box->max.y, circle->centre.y);
    return x < circle->radius && y < circle->radius &&
           pqt_vec_length((pqt_vec){x, y}) < circle->radius;
}

static bool
look_into(look *l, const pqti_shape_cell *part)
{
    const pqt_box box = {
        {pqti_pixels_of(part->min.x) + l->at.x, pqti_pixels_of(part->min.y) + l->at.y},
        {pqti_pixels_of(part->max.x) + l->at.x, pqti_pixels_of(part->max.y) + l->at.y}};
    if (!overlaps(&l->circle, &box))
        return false;
    if (part->filling == PQTI_PART_FULL) {
        l->met = box;
        return true;
    }
    for (int i = 0; i < 4; i++) {
        pqti_shape_cell quarter = pqti_part_quarter(part, i);
        if (pqti_part_fill(&l->figure, &quarter, i) && look_into(l, &quarter))
            return true;
    }
    return false;
}

bool
pqti_circle_overlaps_region(pqt_circle circle, const pqt_region *region, pqt_vec at, pqt_box *met)
{
    look l = {.figure = pqti_figure_of(region), .circle = circle, .at = at};
    pqti_shape_cell parts[4];
    const int count = pqti_figure_parts(&l.figure, parts);
    for (int i = 0; i < count; i++) {
        if (!look_into(&l, &parts[i]))
            continue;
        if (met != NULL)
            *met = l.met;
        return true;
    }
    return false;
}
