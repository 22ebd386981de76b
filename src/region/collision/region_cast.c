/* SPDX-License-Identifier: MIT */
/*
 * region_cast.c: finds the first pixel of a region that a segment or a ray hits.
 *
 * A line is treated as the motion of a point. The overlap ranges of a point and two adjacent pixels
 * share an edge but do not overlap, so a motion along the edge is in neither range. Such a line is
 * replaced by two lines, one subpixel to each side, which are followed until both are inside the
 * region.
 */
#include "config.h"

#include <pqt/region_cast.h>

#include <pqt/segment.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "region/collision/region_toi.h"

/* The length of a ray along its longer axis, in pixels. It is enough to leave all pixels from any
 * position. */
#define RAY_LENGTH (2.0 * PQT_PIXEL_LIMIT)

typedef struct line {
    const pqt_region *region;
    pqti_fixpos from, dir;
} line;

static int32_t
subpixels_to_pixel(int64_t subpixels)
{
    return (int32_t)pqti_floor_divide(subpixels, PQT_SUBPIXELS);
}

static bool
is_whole(int64_t subpixels)
{
    return subpixels % PQT_SUBPIXELS == 0;
}

static pqti_region_motion
motion_of_line(const line *l, const pqti_shape_view *point, const pqti_shape_view *pixels)
{
    return pqti_region_motion_make(point, pixels, l->from, l->dir, NULL);
}

/* ---- Across pixels ---- */

/* Returns the pixel that a line enters at a position. On a pixel boundary, it is the pixel in the
 * direction of the line. */
static pqt_pixel
entered_pixel(const line *l, pqti_half_pos half_pos)
{
    const int64_t x = half_pos.x + (half_pos.x % 2 == 0 ? pqti_sign_of(l->dir.x) : 0);
    const int64_t y = half_pos.y + (half_pos.y % 2 == 0 ? pqti_sign_of(l->dir.y) : 0);
    return (pqt_pixel){(int32_t)pqti_floor_divide(x, 2 * PQT_SUBPIXELS),
                       (int32_t)pqti_floor_divide(y, 2 * PQT_SUBPIXELS)};
}

/* Returns true if a coordinate is on the side through which the line enters the pixel on this
 * axis. */
static bool
is_on_side(int64_t half_steps, int32_t pixel, int64_t along)
{
    return along != 0 && half_steps == 2 * PQT_SUBPIXELS * ((int64_t)pixel + (along < 0));
}

/* Returns the normal of the side through which the line enters. At a corner, a side that is
 * adjacent to another pixel of the region does not count. */
static pqt_vec
normal_of_pixel(const line *l, pqti_half_pos half_pos, pqt_pixel pixel)
{
    const int x = pqti_sign_of(l->dir.x), y = pqti_sign_of(l->dir.y);
    bool by_x = is_on_side(half_pos.x, pixel.x, l->dir.x);
    if (by_x && is_on_side(half_pos.y, pixel.y, l->dir.y))
        by_x = !pqt_region_contains(l->region, (pqt_pixel){pixel.x - x, pixel.y}) ||
               pqt_region_contains(l->region, (pqt_pixel){pixel.x, pixel.y - y});
    return by_x ? (pqt_vec){-x, 0} : (pqt_vec){0, -y};
}

static pqt_pixel_hit
cast_across(const line *l)
{
    const pqti_shape_view point = {.region = NULL}, pixels = pqti_shape_view_of(l->region);
    const pqti_region_motion motion = motion_of_line(l, &point, &pixels);
    const int64_t time = pqti_region_motion_first(&motion, 0);
    /* a pixel that begins at the end of the line is only touched */
    if (time >= motion.end)
        return (pqt_pixel_hit){.hit = false};
    const pqti_half_pos half_pos = pqti_region_motion_half_pos(&motion, time);
    const pqt_pixel pixel = entered_pixel(l, half_pos);
    return (pqt_pixel_hit){.hit = true,
                           .pixel = pixel,
                           .entry = (double)time / (double)motion.end,
                           .normal = normal_of_pixel(l, half_pos, pixel)};
}

/* ---- Along an edge between pixels ---- */

/* Returns the first time, from `since` on, at which a motion is inside the region or on the edge of
 * pixels that it enters. */
static int64_t
next_inside(const pqti_region_motion *motion, int64_t since)
{
    const int64_t time = pqti_region_motion_first(motion, since);
    return time > since ? time : since;
}

/* Returns the first time at which both motions are inside, or PQTI_TIME_NEVER if there is none. The
 * motions take turns: each one advances from the time of the other one to the next time at which it
 * is inside. */
static int64_t
both_inside(const pqti_region_motion *one, const pqti_region_motion *other)
{
    int64_t time = 0, before;
    do {
        before = time;
        time = next_inside(one, time);
        if (time < one->end)
            time = next_inside(other, time);
    } while (time < one->end && time != before);
    return time < one->end ? time : PQTI_TIME_NEVER;
}

/* Returns a parallel line that is moved by `subpixels` across its direction. */
static line
parallel_line(const line *l, int64_t subpixels)
{
    line parallel = *l;
    parallel.from.x += l->dir.x == 0 ? subpixels : 0;
    parallel.from.y += l->dir.y == 0 ? subpixels : 0;
    return parallel;
}

/* Casts a line along an edge. The line is inside the region where there are pixels on both sides of
 * the edge. */
static pqt_pixel_hit
cast_along_edge(const line *l)
{
    const pqti_shape_view point = {.region = NULL}, pixels = pqti_shape_view_of(l->region);
    const line upper = parallel_line(l, -1), lower = parallel_line(l, 1);
    const pqti_region_motion above = motion_of_line(&upper, &point, &pixels),
                             below = motion_of_line(&lower, &point, &pixels);
    const int64_t time = both_inside(&above, &below);
    if (time == PQTI_TIME_NEVER)
        return (pqt_pixel_hit){.hit = false};
    const pqti_half_pos half_pos = pqti_region_motion_half_pos(&below, time);
    return (pqt_pixel_hit){.hit = true,
                           .pixel = entered_pixel(&lower, half_pos),
                           .entry = (double)time / (double)below.end,
                           .normal = {-pqti_sign_of(l->dir.x), -pqti_sign_of(l->dir.y)}};
}

/* ---- Public functions ---- */

static pqt_pixel_hit
cast_line(const line *l)
{
    const pqt_vec start = pqti_vec_of(l->from);
    const bool on_edge_x = l->dir.y == 0 && is_whole(l->from.y);
    const bool on_edge_y = l->dir.x == 0 && is_whole(l->from.x);
    if (pqt_region_overlaps_box(l->region, (pqt_box){start, start}))
        return (pqt_pixel_hit){
            .hit = true,
            .inside = true,
            .pixel = {subpixels_to_pixel(l->from.x), subpixels_to_pixel(l->from.y)}};
    if (l->dir.x == 0 && l->dir.y == 0)
        return (pqt_pixel_hit){.hit = false};
    return on_edge_x || on_edge_y ? cast_along_edge(l) : cast_across(l);
}

pqt_pixel_hit
pqt_region_cast_segment(const pqt_region *region, pqt_segment segment)
{
    PQTI_ASSERT_REGION(region);
    line l = {.region = region};
    pqti_fixpos to;
    if (!pqti_fixpos_of(segment.from, PQT_PIXEL_LIMIT, &l.from) ||
        !pqti_fixpos_of(segment.to, PQT_PIXEL_LIMIT, &to))
        return (pqt_pixel_hit){.hit = false};
    l.dir = (pqti_fixpos){to.x - l.from.x, to.y - l.from.y};
    return cast_line(&l);
}

/* Scales a component of a direction. The division comes first, so that the quotient is at most 1,
 * however long the direction is. */
static double
scale_to_ray_length(double side, double longer)
{
    return side / longer * RAY_LENGTH;
}

pqt_pixel_hit
pqt_region_cast_ray(const pqt_region *region, pqt_ray ray)
{
    PQTI_ASSERT_REGION(region);
    const double x = pqti_fabs(ray.direction.x), y = pqti_fabs(ray.direction.y);
    const double longer = x > y ? x : y;
    line l = {.region = region};
    if (!pqt_ray_is_valid(ray) || !pqti_fixpos_of(ray.from, PQT_PIXEL_LIMIT, &l.from))
        return (pqt_pixel_hit){.hit = false};
    l.dir = (pqti_fixpos){pqti_subpixels_of(scale_to_ray_length(ray.direction.x, longer)),
                          pqti_subpixels_of(scale_to_ray_length(ray.direction.y, longer))};
    pqt_pixel_hit hit = cast_line(&l);
    hit.entry = hit.entry * RAY_LENGTH / longer;
    return hit;
}
