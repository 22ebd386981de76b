/* SPDX-License-Identifier: MIT */
/*
 * region_cast.c - which pixel of a region a segment or a ray hits first.
 *
 * A line is the way of a point. The reaches of two neighbours then do not overlap, but share an
 * edge; so a way along an edge is in neither. In its place the two ways a step beside it are
 * followed, until both are inside.
 */
#include "config.h"

#include <pqt/region_cast.h>

#include <pqt/segment.h>

#include "base/error_internal.h"
#include "region/collision/region_toi.h"

/* How far a ray goes along its longer axis: from any place beyond all others. Pixels. */
#define RAY_LENGTH (2.0 * PQT_PIXEL_LIMIT)

typedef struct line {
    const pqt_region *region;
    pqti_fixpos from, along;
} line;

static int32_t
pixel_of(int64_t steps)
{
    return (int32_t)pqti_floor_divide(steps, PQT_PIXEL_STEPS);
}

static bool
is_whole(int64_t steps)
{
    return steps % PQT_PIXEL_STEPS == 0;
}

static pqti_way
way_of(const line *l, const pqti_figure *point, const pqti_figure *pixels)
{
    return pqti_way_make(point, pixels, l->from, l->along, NULL);
}

/* ---- across pixels ---- */

/* A little farther along, on the axes on which that is another pixel. */
static pqt_pixel
entered_pixel(const line *l, pqti_spot spot)
{
    const int64_t x = spot.x + (spot.x % 2 == 0 ? pqti_sign_of(l->along.x) : 0);
    const int64_t y = spot.y + (spot.y % 2 == 0 ? pqti_sign_of(l->along.y) : 0);
    return (pqt_pixel){(int32_t)pqti_floor_divide(x, 2 * PQT_PIXEL_STEPS),
                       (int32_t)pqti_floor_divide(y, 2 * PQT_PIXEL_STEPS)};
}

/* Whether a place is on the side of a pixel that is entered along an axis. */
static bool
is_on_side(int64_t half_steps, int32_t pixel, int64_t along)
{
    return along != 0 && half_steps == 2 * PQT_PIXEL_STEPS * ((int64_t)pixel + (along < 0));
}

/* At a corner, a side toward another pixel of the region is none. */
static pqt_vec
normal_of(const line *l, pqti_spot spot, pqt_pixel pixel)
{
    const int x = pqti_sign_of(l->along.x), y = pqti_sign_of(l->along.y);
    bool by_x = is_on_side(spot.x, pixel.x, l->along.x);
    if (by_x && is_on_side(spot.y, pixel.y, l->along.y))
        by_x = !pqt_region_contains(l->region, (pqt_pixel){pixel.x - x, pixel.y}) ||
               pqt_region_contains(l->region, (pqt_pixel){pixel.x, pixel.y - y});
    return by_x ? (pqt_vec){-x, 0} : (pqt_vec){0, -y};
}

static pqt_pixel_hit
cast_across(const line *l)
{
    const pqti_figure point = {.region = NULL}, pixels = pqti_figure_of(l->region);
    const pqti_way way = way_of(l, &point, &pixels);
    const int64_t time = pqti_way_first(&way, 0);
    /* What it comes to at its end is only touched. */
    if (time >= way.end)
        return (pqt_pixel_hit){.hit = false};
    const pqti_spot spot = pqti_way_spot(&way, time);
    const pqt_pixel pixel = entered_pixel(l, spot);
    return (pqt_pixel_hit){.hit = true,
                           .pixel = pixel,
                           .entry = (double)time / (double)way.end,
                           .normal = normal_of(l, spot, pixel)};
}

/* ---- along an edge between pixels ---- */

/* From `since` on, when a way is next inside or at the edge of what it enters. */
static int64_t
next_inside(const pqti_way *way, int64_t since)
{
    const int64_t time = pqti_way_first(way, since);
    return time > since ? time : since;
}

/* The first time at which both are inside, each led on by the other; PQTI_NO_TIME if they never
   are. */
static int64_t
both_inside(const pqti_way *one, const pqti_way *other)
{
    int64_t time = 0, before;
    do {
        before = time;
        time = next_inside(one, time);
        if (time < one->end)
            time = next_inside(other, time);
    } while (time < one->end && time != before);
    return time < one->end ? time : PQTI_NO_TIME;
}

/* A line that lies as far beside this one. */
static line
line_beside(const line *l, int64_t steps)
{
    line beside = *l;
    beside.from.x += l->along.x == 0 ? steps : 0;
    beside.from.y += l->along.y == 0 ? steps : 0;
    return beside;
}

/* Inside of the region is where there are pixels on both sides. */
static pqt_pixel_hit
cast_along_edge(const line *l)
{
    const pqti_figure point = {.region = NULL}, pixels = pqti_figure_of(l->region);
    const line upper = line_beside(l, -1), lower = line_beside(l, 1);
    const pqti_way above = way_of(&upper, &point, &pixels), below = way_of(&lower, &point, &pixels);
    const int64_t time = both_inside(&above, &below);
    if (time == PQTI_NO_TIME)
        return (pqt_pixel_hit){.hit = false};
    const pqti_spot spot = pqti_way_spot(&below, time);
    return (pqt_pixel_hit){.hit = true,
                           .pixel = entered_pixel(&lower, spot),
                           .entry = (double)time / (double)below.end,
                           .normal = {-pqti_sign_of(l->along.x), -pqti_sign_of(l->along.y)}};
}

/* ---- all lines ---- */

static pqt_pixel_hit
cast(const line *l)
{
    const pqt_vec start = pqti_vec_of(l->from);
    const bool on_edge_x = l->along.y == 0 && is_whole(l->from.y);
    const bool on_edge_y = l->along.x == 0 && is_whole(l->from.x);
    if (pqt_region_overlaps_box(l->region, (pqt_box){start, start}))
        return (pqt_pixel_hit){
            .hit = true, .inside = true, .pixel = {pixel_of(l->from.x), pixel_of(l->from.y)}};
    if (l->along.x == 0 && l->along.y == 0)
        return (pqt_pixel_hit){.hit = false};
    return on_edge_x || on_edge_y ? cast_along_edge(l) : cast_across(l);
}

pqt_pixel_hit
pqt_region_cast_segment(const pqt_region *region, pqt_segment segment)
{
    PQT_ASSERT(region != NULL, "the region is NULL");
    line l = {.region = region};
    pqti_fixpos to;
    if (!pqti_fixpos_of(segment.from, PQT_PIXEL_LIMIT, &l.from) ||
        !pqti_fixpos_of(segment.to, PQT_PIXEL_LIMIT, &to))
        return (pqt_pixel_hit){.hit = false};
    l.along = (pqti_fixpos){to.x - l.from.x, to.y - l.from.y};
    return cast(&l);
}

static double
size_of(double value)
{
    return value < 0 ? -value : value;
}

/* The quotient of both sides comes first: it is at most 1, however long the direction is. */
static double
stretched(double side, double longer)
{
    return side / longer * RAY_LENGTH;
}

pqt_pixel_hit
pqt_region_cast_ray(const pqt_region *region, pqt_ray ray)
{
    PQT_ASSERT(region != NULL, "the region is NULL");
    const double x = size_of(ray.direction.x), y = size_of(ray.direction.y);
    const double longer = x > y ? x : y;
    line l = {.region = region};
    if (!pqt_ray_is_valid(ray) || !pqti_fixpos_of(ray.from, PQT_PIXEL_LIMIT, &l.from))
        return (pqt_pixel_hit){.hit = false};
    l.along = (pqti_fixpos){pqti_steps_of(stretched(ray.direction.x, longer)),
                            pqti_steps_of(stretched(ray.direction.y, longer))};
    pqt_pixel_hit hit = cast(&l);
    hit.entry = hit.entry * RAY_LENGTH / longer;
    return hit;
}
