/* SPDX-License-Identifier: MIT */
/*
 * region_contours.c: compares the contours of a region with its bitmap.
 *
 * A scan across the vertical sides of all contours must give the bitmap again. The areas of the
 * contours of one outer contour must add up to the pixels of a component, in the order of the
 * components; and a flood of the pixels outside must find as many holes.
 */
#include "config.h"

#include "region_contours.h"

#include <stdlib.h>
#include <string.h>

typedef struct contour_walk {
    stage *s;
    const version *v;
    bitmap crossed; /* for each pixel, whether an odd number of sides is at its left edge */
    int64_t *areas; /* for each outer contour, by its number */
    size_t count, holes, most;
    pqt_pixel *exact; /* the corners of all contours in turn */
    size_t corners;
} contour_walk;

int64_t
polygon_area_twice(const pqt_pixel *corners, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const pqt_pixel a = corners[i], b = corners[(i + 1) % count];
        sum += (int64_t)a.x * b.y - (int64_t)b.x * a.y;
    }
    return sum;
}

/* Crosses the pixels to the right of a vertical side. */
static void
cross_side(contour_walk *w, pqt_pixel a, pqt_pixel b)
{
    for (int32_t y = a.y < b.y ? a.y : b.y; y < (a.y < b.y ? b.y : a.y); y++)
        if (a.x < HALF)
            bitmap_put(&w->crossed, a.x, y, !bitmap_has(&w->crossed, a.x, y));
}

static bool
take_exact(const pqt_contour *contour, void *context)
{
    contour_walk *w = context;
    const pqt_pixel *corners = contour->corners;
    require(w->s, contour->number == w->count++, "contours are numbered");
    require(w->s, contour->count >= 4 && contour->count % 2 == 0, "the number of corners");
    require(w->s,
            contour->is_hole ? contour->outer < contour->number : contour->outer == contour->number,
            "the outer contour");
    for (size_t i = 0; i < contour->count; i++) {
        const pqt_pixel a = corners[i], b = corners[(i + 1) % contour->count];
        const pqt_pixel next = corners[(i + 2) % contour->count];
        require(w->s, (a.x == b.x) != (a.y == b.y), "a side is horizontal or vertical");
        require(w->s, (a.x == b.x) == (b.y == next.y), "each corner turns");
        if (a.x == b.x)
            cross_side(w, a, b);
    }
    const int64_t twice = polygon_area_twice(corners, contour->count);
    require(w->s, (twice < 0) == contour->is_hole, "the direction of a contour");
    w->areas[contour->number] = 0;
    w->areas[contour->outer] += twice / 2;
    w->holes += contour->is_hole;
    memcpy(w->exact + w->corners, corners, contour->count * sizeof *corners);
    w->corners += contour->count;
    return w->count < w->most;
}

/* ---- Components and holes ---- */

typedef struct area_list {
    const contour_walk *w;
    size_t next;
} area_list;

static bool
compare_area(const pqt_region *component, void *context)
{
    area_list *l = context;
    while (l->next < l->w->count && l->w->areas[l->next] == 0)
        l->next++; /* a hole */
    require(l->w->s, l->next < l->w->count, "a component has no contour");
    require(l->w->s, (uint64_t)l->w->areas[l->next++] == pqt_region_count(component),
            "the contours of a component");
    return true;
}

/* Counts the holes of a bitmap: the parts of the pixels outside that do not reach the edge. */
static size_t
count_holes(const bitmap *map, pqt_connectivity connectivity)
{
    bitmap outside = bitmap_make(HALF + 1), part = bitmap_make(HALF + 1);
    size_t parts = 0;
    for (int32_t y = -HALF - 1; y <= HALF; y++)
        for (int32_t x = -HALF - 1; x <= HALF; x++)
            bitmap_put(&outside, x, y, !bitmap_has(map, x, y));
    for (int32_t y = -HALF - 1; y <= HALF; y++)
        for (int32_t x = -HALF - 1; x <= HALF; x++)
            if (bitmap_has(&outside, x, y)) {
                bitmap_flood(&outside, &part, (pqt_pixel){x, y}, connectivity);
                parts++;
            }
    bitmap_free(&outside);
    bitmap_free(&part);
    return parts - 1;
}

static void
check_pixels(contour_walk *w)
{
    for (int32_t y = -HALF; y < HALF; y++) {
        bool inside = false;
        for (int32_t x = -HALF; x < HALF; x++) {
            inside ^= bitmap_has(&w->crossed, x, y);
            require(w->s, inside == bitmap_has(&w->v->map, x, y), "the pixels in contours");
        }
    }
}

/* ---- Simplification ---- */

typedef struct simplified {
    stage *s;
    const pqt_pixel *exact;
    size_t at;
    const size_t *counts;
    int64_t tolerance; /* 1/1024 pixel */
} simplified;

/* Returns the square of the distance of p from the segment a b, in units of 1 / `*below`. */
static int64_t
plain_distance(pqt_pixel p, pqt_pixel a, pqt_pixel b, int64_t *below)
{
    const int64_t dx = b.x - a.x, dy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    const int64_t qx = p.x - b.x, qy = p.y - b.y, length = dx * dx + dy * dy;
    *below = 1;
    if (px * dx + py * dy <= 0)
        return px * px + py * py;
    if (qx * dx + qy * dy >= 0)
        return qx * qx + qy * qy;
    *below = length;
    return (dx * py - dy * px) * (dx * py - dy * px);
}

/* Marks the corners that Douglas and Peucker keep between two others, as they wrote it down. */
static void
plain_simplify(const pqt_pixel *corners, size_t count, size_t first, size_t last, double tolerance,
               bool *keep)
{
    double most = -1;
    size_t farthest = first;
    for (size_t i = first + 1; i < last; i++) {
        int64_t below;
        const int64_t distance =
            plain_distance(corners[i], corners[first], corners[last % count], &below);
        if ((double)distance / (double)below <= most)
            continue;
        most = (double)distance / (double)below;
        farthest = i;
    }
    if (most <= tolerance * tolerance)
        return;
    keep[farthest] = true;
    plain_simplify(corners, count, first, farthest, tolerance, keep);
    plain_simplify(corners, count, farthest, last, tolerance, keep);
}

static size_t
plain_farthest(const pqt_pixel *corners, size_t count)
{
    size_t farthest = 0;
    int64_t most = 0, below;
    for (size_t i = 1; i < count; i++) {
        const int64_t distance = plain_distance(corners[i], corners[0], corners[0], &below);
        farthest = distance > most ? i : farthest;
        most = distance > most ? distance : most;
    }
    return farthest;
}

static bool
take_simplified(const pqt_contour *contour, void *context)
{
    simplified *w = context;
    const pqt_pixel *exact = w->exact + w->at;
    const size_t count = w->counts[contour->number], second = plain_farthest(exact, count);
    bool *keep = calloc(count, sizeof *keep);
    const double tolerance = (double)w->tolerance / 1024;
    keep[0] = keep[second] = true;
    plain_simplify(exact, count, 0, second, tolerance, keep);
    plain_simplify(exact, count, second, count, tolerance, keep);
    size_t kept = 0, same = 0;
    for (size_t i = 0; i < count; i++) {
        if (!keep[i])
            continue;
        if (kept < contour->count)
            same += memcmp(&contour->corners[kept], &exact[i], sizeof exact[i]) == 0;
        kept++;
    }
    free(keep);
    w->at += count;
    require(w->s, kept > 2 || polygon_area_twice(contour->corners, 3) != 0,
            "three corners are on one line");
    require(w->s, kept == 2 ? contour->count == 3 : contour->count == kept && same == kept,
            "the simplified corners");
    return true;
}

static bool
take_count(const pqt_contour *contour, void *context)
{
    ((size_t *)context)[contour->number] = contour->count;
    return true;
}

static void
check_simplified(contour_walk *w, pqt_connectivity connectivity)
{
    static const int64_t tolerances[] = {1, 512, 1024, 1500, 5000, 100000, 1 << 30};
    pqt_error error = {0};
    size_t *counts = calloc(w->count + 1, sizeof *counts);
    const int64_t tolerance =
        tolerances[dice_below(&w->s->d, sizeof tolerances / sizeof *tolerances)];
    simplified walk = {w->s, w->exact, 0, counts, tolerance};
    bool done =
        pqt_region_visit_contours(w->v->region, connectivity, 0, take_count, counts, &error) &&
        pqt_region_visit_contours(w->v->region, connectivity, (double)tolerance / 1024,
                                  take_simplified, &walk, &error);
    require(w->s, done && walk.at == w->corners, "all contours were simplified");
    free(counts);
}

void
region_check_contours(stage *s, const version *v)
{
    pqt_error error = {0};
    const pqt_connectivity connectivity = draw_neighbours(&s->d);
    const size_t room = 4 * (2 * HALF + 1) * (2 * HALF + 1);
    contour_walk w = {s,
                      v,
                      bitmap_make(HALF),
                      malloc(room * sizeof(int64_t)),
                      0,
                      0,
                      dice_chance(&s->d, 10) ? 2 : SIZE_MAX,
                      malloc(room * sizeof(pqt_pixel)),
                      0};
    const bool all = pqt_region_visit_contours(v->region, connectivity, 0, take_exact, &w, &error);
    require(s, error.status == PQT_OK && all == (w.count < w.most), "the walk ends");
    if (all) {
        area_list areas = {&w, 0};
        check_pixels(&w);
        require(
            s,
            pqt_region_visit_components(v->region, connectivity, 0, compare_area, &areas, &error),
            error.text);
        for (; areas.next < w.count; areas.next++)
            require(s, w.areas[areas.next] == 0, "a contour has no component");
        require(s,
                w.holes == count_holes(&v->map, connectivity == PQT_CONNECTIVITY_4
                                                    ? PQT_CONNECTIVITY_8
                                                    : PQT_CONNECTIVITY_4),
                "the number of holes");
        check_simplified(&w, connectivity);
    }
    bitmap_free(&w.crossed);
    free(w.areas);
    free(w.exact);
}
