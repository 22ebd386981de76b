/* SPDX-License-Identifier: MIT */
/* globe_picture.c: cuts boxes and great circles for a map of longitudes from -180 to 180. */
#include "config.h"

#include "tool/globe_picture.h"

#include <math.h>
#include <stdlib.h>

#include "tool/csv_table.h"
#include "tool/tool_memory.h"

enum { ARC_PIECES = 48 }; /* a quarter of the globe in pieces of less than 2 degrees */

#define DEGREE (3.14159265358979323846 / 180)

/* Returns a longitude from -180 to below 180. */
static double
on_map(double longitude)
{
    return longitude - 360 * floor((longitude + 180) / 360);
}

globe_parts
globe_cut(pqt_box box)
{
    const double south = fmax(box.min.y, -90), north = fmin(box.max.y, 90);
    if (box.max.x - box.min.x >= 360)
        return (globe_parts){{{{-180, south}, {180, north}}}, 1};
    if (box.min.x >= -180 && box.max.x <= 180)
        return (globe_parts){{{{box.min.x, south}, {box.max.x, north}}}, 1};
    const double west = on_map(box.min.x), east = west + (box.max.x - box.min.x);
    if (east <= 180)
        return (globe_parts){{{{west, south}, {east, north}}}, 1};
    return (globe_parts){{{{west, south}, {180, north}}, {{-180, south}, {east - 360, north}}}, 2};
}

pqt_box
globe_extent(pqt_box box)
{
    const globe_parts parts = globe_cut(box);
    return pqt_box_union(parts.boxes[0], parts.boxes[parts.count - 1]);
}

/* The parts of items. */
typedef struct item_parts {
    pqt_item *all;
    size_t count, capacity;
} item_parts;

static bool
add_item_parts(const pqt_item *item, void *context)
{
    item_parts *parts = context;
    const globe_parts cut = globe_cut(item->box);
    parts->all = xgrow(parts->all, &parts->capacity, parts->count + cut.count, sizeof *parts->all);
    for (size_t i = 0; i < cut.count; i++)
        parts->all[parts->count++] = (pqt_item){cut.boxes[i], item->id};
    return true;
}

static const pqt_tree *
tree_of_parts(const item_parts *parts, const char *file)
{
    const pqt_tree *tree = tree_of_items(parts->all, parts->count, file);
    free(parts->all);
    return tree;
}

const pqt_tree *
globe_tree(const pqt_item *items, size_t count, const char *file)
{
    item_parts parts = {.all = NULL};
    for (size_t i = 0; i < count; i++)
        add_item_parts(&items[i], &parts);
    return tree_of_parts(&parts, file);
}

const pqt_tree *
globe_ground(const pqt_tree *tree, const char *file)
{
    static const pqt_box map = {{-180, -90}, {180, 90}};
    item_parts parts = {.all = NULL};
    if (pqt_box_covers(map, pqt_tree_bounds(tree)))
        return tree; /* no item is cut */
    pqt_tree_visit(tree, NULL, add_item_parts, &parts);
    return tree_of_parts(&parts, file);
}

/* ---- Distances ---- */

static double
distance_to(pqt_vec from, double longitude, double latitude)
{
    const pqt_vec to = {longitude, latitude};
    return pqt_sphere_distance(from, (pqt_box){to, to});
}

/* Returns the latitude between two latitudes at which a meridian is nearest to a point: there, a
   great circle meets the meridian at a right angle (Schubert, Zimek, Kriegel 2013). */
static double
nearest_latitude(pqt_vec from, double longitude, double south, double north)
{
    const double gap = (longitude - from.x) * DEGREE;
    const double foot = atan2(sin(from.y * DEGREE), cos(from.y * DEGREE) * cos(gap)) / DEGREE;
    if (south < foot && foot < north)
        return foot;
    return distance_to(from, longitude, south) <= distance_to(from, longitude, north) ? south
                                                                                      : north;
}

pqt_vec
globe_nearest_point(pqt_vec from, pqt_box box)
{
    const double width = box.max.x - box.min.x;
    const double off = on_map(from.x - box.min.x - 180) + 180; /* from 0 to below 360 */
    if (width >= 360 || off <= width)
        return (pqt_vec){from.x, fmin(fmax(from.y, box.min.y), box.max.y)};
    const double side = off - width <= 360 - off ? box.max.x : box.min.x;
    return (pqt_vec){side, nearest_latitude(from, side, box.min.y, box.max.y)};
}

/* ---- Great circles ---- */

typedef struct direction {
    double x, y, z;
} direction;

static direction
direction_of(pqt_vec at)
{
    const double along = at.x * DEGREE, up = at.y * DEGREE;
    return (direction){cos(up) * cos(along), cos(up) * sin(along), sin(up)};
}

static pqt_vec
position_of(direction d)
{
    return (pqt_vec){atan2(d.y, d.x) / DEGREE, atan2(d.z, hypot(d.x, d.y)) / DEGREE};
}

/* Returns the point of a great circle at a fraction of the angle between two directions. */
static pqt_vec
point_at(direction a, direction b, double angle, double fraction)
{
    const double u = sin(angle * (1 - fraction)), v = sin(angle * fraction);
    return position_of((direction){u * a.x + v * b.x, u * a.y + v * b.y, u * a.z + v * b.z});
}

/* Adds a piece of a great circle, which is cut if it crosses the antimeridian. Returns the number
   of segments. */
static size_t
add_piece(pqt_segment *lines, pqt_vec from, pqt_vec to)
{
    if (fabs(to.x - from.x) <= 180) {
        lines[0] = (pqt_segment){from, to};
        return 1;
    }
    const double side = from.x > 0 ? 180 : -180, over = to.x + 2 * side;
    const double share = (side - from.x) / (over - from.x);
    const double latitude = from.y + share * (to.y - from.y);
    lines[0] = (pqt_segment){from, {side, latitude}};
    lines[1] = (pqt_segment){{-side, latitude}, to};
    return 2;
}

void
globe_draw_arc(pqt_svg *svg, pqt_vec from, pqt_vec to, const char *class_name)
{
    pqt_segment lines[2 * ARC_PIECES];
    const direction a = direction_of(from), b = direction_of(to);
    const double sine =
        hypot(hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z), a.x * b.y - a.y * b.x);
    const double angle = atan2(sine, a.x * b.x + a.y * b.y + a.z * b.z);
    const pqt_vec end = {on_map(to.x), to.y};
    pqt_vec last = {on_map(from.x), from.y};
    size_t count = 0;
    for (int i = 1; i <= ARC_PIECES && sine > 0; i++) {
        const pqt_vec next = i < ARC_PIECES ? point_at(a, b, angle, (double)i / ARC_PIECES) : end;
        count += add_piece(lines + count, last, next);
        last = next;
    }
    pqt_svg_segments(svg, lines, count, class_name);
}
