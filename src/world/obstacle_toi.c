/* SPDX-License-Identifier: MIT */
/* obstacle_toi.c - places that are free of the pixels of an obstacle, and ways to them. */
#include "config.h"

#include "world/obstacle_toi.h"

#include <stddef.h>

#include <pqt/circle.h>
#include <pqt/region_overlap.h>

#include "base/exact.h"
#include "region/collision/region_cursor.h"
#include "region/collision/region_overlap_internal.h"

/* How often a place that overlaps by rounding is moved out, each time by twice as much more. */
enum { MOST_TRIES = 12 };

pqti_barrier
pqti_barrier_of(const pqt_region *region, pqt_vec at, pqt_pixel_box box)
{
    const pqt_box pixels = {{box.min.x, box.min.y}, {box.max.x, box.max.y}};
    return (pqti_barrier){.region = region, .at = at, .bounds = pqt_box_moved(pixels, at)};
}

/* ---- What is free ---- */

/* Whether a circle overlaps a full square, which is then told. */
static bool
finds(const pqti_barrier *barrier, pqt_circle circle, pqt_box *met)
{
    return pqt_circle_overlaps_box(circle, barrier->bounds) &&
           pqti_circle_overlaps_region(circle, barrier->region, barrier->at, met);
}

bool
pqti_barrier_overlaps(const pqti_barrier *barrier, pqt_vec place, double radius)
{
    return finds(barrier, (pqt_circle){place, pqti_barrier_radius(radius)}, NULL);
}

static pqt_vec
within_room(const pqti_ball *ball, pqt_vec place)
{
    return (pqt_vec){pqti_clamp(place.x, ball->room.min.x, ball->room.max.x),
                     pqti_clamp(place.y, ball->room.min.y, ball->room.max.y)};
}

/* The place out of a box by a radius and some more, straight away from its nearest point. */
static pqt_vec
out_of(pqt_box box, pqt_vec place, double radius, double more)
{
    const pqt_vec nearest = {pqti_clamp(place.x, box.min.x, box.max.x),
                             pqti_clamp(place.y, box.min.y, box.max.y)};
    const pqt_vec out = pqt_vec_subtract(place, nearest);
    const double length = pqt_vec_length(out);
    if (length == 0)
        return place;
    const double factor = (radius + more) / length;
    if (!isfinite(factor))
        return pqt_vec_add(nearest, pqt_vec_scale(pqt_vec_normalize(out), radius + more));
    return (pqt_vec){nearest.x + out.x * factor, nearest.y + out.y * factor};
}

/* Moves a place out of one square after another. */
static bool
push_out(const pqti_barrier *barrier, const pqti_ball *ball, pqt_vec *place)
{
    const double radius = pqti_barrier_radius(ball->radius);
    const double size = radius + pqti_magnitude(place->x) + pqti_magnitude(place->y);
    double more = 0x1p-53 * size;
    for (int i = 0; i < MOST_TRIES; i++, more *= 2) {
        pqt_box met;
        if (!finds(barrier, (pqt_circle){*place, radius}, &met))
            return true;
        *place = within_room(ball, out_of(met, *place, radius, more));
    }
    return !pqti_barrier_overlaps(barrier, *place, radius);
}

pqt_vec
pqti_barrier_freed(const pqti_barrier *barrier, const pqti_ball *ball, pqt_vec from, pqt_vec place)
{
    pqt_vec free = place = within_room(ball, place);
    if (push_out(barrier, ball, &free))
        return free;
    for (double part = 0x1p-52; part < 1; part *= 2) {
        free = (pqt_vec){place.x + (from.x - place.x) * part, place.y + (from.y - place.y) * part};
        if (!pqti_barrier_overlaps(barrier, free, ball->radius))
            return free;
    }
    return from;
}

/* ---- The way out ---- */

/* Of a vector along an axis. */
static double
length_of(pqt_vec v)
{
    return pqti_magnitude(v.x + v.y);
}

int
pqti_barrier_ways_out(const pqti_barrier *barrier, const pqti_ball *ball, pqt_vec place,
                      pqt_vec ways[4])
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const pqt_circle circle = {place, pqti_barrier_radius(ball->radius)};
    int count = 0;
    for (int i = 0; i < 4; i++) {
        const double length = pqti_circle_exit(circle, barrier->region, barrier->at, axes[i]);
        const pqt_vec out = {axes[i].x * length, axes[i].y * length};
        if (!pqt_box_contains(ball->room, pqt_vec_add(place, out)))
            continue;
        int k = count++;
        for (; k > 0 && length_of(ways[k - 1]) > length; k--)
            ways[k] = ways[k - 1];
        ways[k] = out;
    }
    return count;
}

/*
 * Where balls come to the pixels of an obstacle.
 *
 * A moving circle meets a full square at a side or at a corner. A side is met where the centre
 * comes to within a radius of it, beside it. Sides that other squares cover are not met first by
 * what is free, since what covers them sticks out. A corner with a pixel beside it on an edge is
 * none: it lies within a flat side, or in a nook that no circle reaches. So floors made of squares
 * have no ghosts, and how squares are cut does not matter.
 *
 * Squares along the way are looked into nearest first, as in region_toi_circle.c. But times are in
 * seconds of a ball's flight, which may come from far away.
 */

/* A side that is nearer than a radius by this share of it is at it, but for rounding. */
#define SLACK 0x1p-20

/* Beyond this a ball's place is worse than 2^-30 units, and it is first brought near. */
#define FAR 0x1p22

/* Of bringing it near: from 2^200, five are enough. */
enum { MOST_ROUNDS = 6 };

/* ---- One square ---- */

/* In the world: exact sums. */
static pqt_box
box_of(const pqti_barrier *barrier, const pqti_shape_cell *part)
{
    const pqt_vec at = barrier->at;
    return (pqt_box){{pqti_pixels_of(part->min.x) + at.x, pqti_pixels_of(part->min.y) + at.y},
                     {pqti_pixels_of(part->max.x) + at.x, pqti_pixels_of(part->max.y) + at.y}};
}

/* What a circle comes to. */
typedef struct hit {
    double time; /* seconds after the way begins; PQTI_NEVER: nothing */
    bool corner;
    bool across_y; /* a side across y */
    pqt_vec mark;  /* the corner; of a side, its coordinate on that axis */
} hit;

/* One order for all that is not the same: sides before corners. */
static bool
comes_before(const hit *a, const hit *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->corner != b->corner)
        return !a->corner;
    if (a->across_y != b->across_y)
        return !a->across_y;
    return a->mark.y < b->mark.y || (a->mark.y == b->mark.y && a->mark.x < b->mark.x);
}

typedef struct way {
    pqti_barrier *barrier;
    pqt_vec from, velocity;
    double begin;        /* when it is at `from`, seconds after the ball's last event */
    double span, radius; /* seconds from then on; world units */
    double margin;       /* more than rounding: larger only costs time */
    hit first;           /* so far */
    bool near;           /* a full square is near the way */
} way;

static pqt_vec
place_at(const way *w, double time)
{
    return (pqt_vec){w->from.x + w->velocity.x * time, w->from.y + w->velocity.y * time};
}

/* When a coordinate comes to within a radius of the side that it flies toward, in which case that
   is told. */
static double
side_time(double from, double speed, double low, double high, double radius, double *side)
{
    *side = speed > 0 ? low : high;
    const double gap = (speed > 0 ? low - from : from - high) - radius;
    if (speed == 0 || gap < -SLACK * radius)
        return PQTI_NEVER;
    return gap <= 0 ? 0 : gap / pqti_magnitude(speed);
}

static void
meet_sides(way *w, const pqt_box *box)
{
    hit x = {0}, y = {.across_y = true};
    x.time = side_time(w->from.x, w->velocity.x, box->min.x, box->max.x, w->radius, &x.mark.x);
    y.time = side_time(w->from.y, w->velocity.y, box->min.y, box->max.y, w->radius, &y.mark.y);
    if (x.time <= w->span && comes_before(&x, &w->first)) {
        const double at = place_at(w, x.time).y;
        if (at >= box->min.y && at <= box->max.y)
            w->first = x;
    }
    if (y.time <= w->span && comes_before(&y, &w->first)) {
        const double at = place_at(w, y.time).x;
        if (at >= box->min.x && at <= box->max.x)
            w->first = y;
    }
}

/* Whether no pixel lies beside a corner of a square on an edge; corners are numbered as quarters
   are. */
static bool
is_bare(const pqti_barrier *barrier, const pqti_shape_cell *part, int i)
{
    const bool right = (i & 1) != 0, lower = (i >> 1) != 0;
    const int32_t x = (int32_t)((right ? part->max.x : part->min.x) / PQT_PIXEL_STEPS) - right;
    const int32_t y = (int32_t)((lower ? part->max.y : part->min.y) / PQT_PIXEL_STEPS) - lower;
    return !pqt_region_contains(barrier->region, (pqt_pixel){right ? x + 1 : x - 1, y}) &&
           !pqt_region_contains(barrier->region, (pqt_pixel){x, lower ? y + 1 : y - 1});
}

static void
meet_corners(way *w, const pqti_shape_cell *part, const pqt_box *box)
{
    const pqt_vec approach = {-w->velocity.x, -w->velocity.y};
    for (int i = 0; i < 4; i++) {
        const pqt_vec corner = {(i & 1) != 0 ? box->max.x : box->min.x,
                                (i >> 1) != 0 ? box->max.y : box->min.y};
        const pqt_vec d = pqt_vec_subtract(corner, w->from);
        const hit h = {
            .time = pqti_ray_circle(d, approach, w->radius), .corner = true, .mark = corner};
        if (h.time <= w->span && comes_before(&h, &w->first) && is_bare(w->barrier, part, i))
            w->first = h;
    }
}

/* ---- The first square ---- */

/* When the circle may first come to a box, no later than it does; PQTI_NEVER if it does not. */
static double
bound_of(const way *w, pqt_box box, double margin)
{
    return pqti_time_near(w->from, w->velocity, w->span, box, w->radius + margin);
}

static void look_at(way *w, const pqti_shape_cell parts[4], int count);

static void
look_into(way *w, const pqti_shape_cell *part)
{
    if (part->filling == PQTI_PART_FULL) {
        const pqt_box box = box_of(w->barrier, part);
        w->near = true;
        meet_sides(w, &box);
        meet_corners(w, part, &box);
        return;
    }
    pqti_shape_cell quarters[4];
    const pqti_figure figure = pqti_figure_of(w->barrier->region);
    int count = 0;
    for (int i = 0; i < 4; i++) {
        quarters[count] = pqti_part_quarter(part, i);
        count += pqti_part_fill(&figure, &quarters[count], i);
    }
    look_at(w, quarters, count);
}

/* Puts one more behind those that come no later; order[] are numbers of bounds[]. */
static void
insert_by_bound(int order[4], const double bounds[4], int count)
{
    int k = count;
    for (; k > 0 && bounds[order[k - 1]] > bounds[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static void
look_at(way *w, const pqti_shape_cell parts[4], int count)
{
    double bounds[4];
    int order[4];
    for (int i = 0; i < count; i++) {
        bounds[i] = bound_of(w, box_of(w->barrier, &parts[i]), w->margin);
        insert_by_bound(order, bounds, i);
    }
    for (int i = 0; i < count && bounds[order[i]] < PQTI_NEVER; i++) {
        if (bounds[order[i]] > w->first.time)
            return;
        w->barrier->squares++;
        look_into(w, &parts[order[i]]);
    }
}

static double
size_of(pqt_vec place)
{
    return pqti_greater(pqti_magnitude(place.x), pqti_magnitude(place.y));
}

/*
 * Brings the circle to where it may first come near the pixels, or not even that: false. What
 * begins far away is brought near by and by, since places there are coarse: each round leaves 2^-40
 * of the distance.
 */
static bool
bring_near(way *w)
{
    for (int round = 0;; round++) {
        const double early = 1 + 0x1p-40 * (size_of(w->from) + w->radius);
        const double begin = bound_of(w, w->barrier->bounds, early);
        if (begin == PQTI_NEVER)
            return false;
        if (size_of(w->from) <= FAR || round == MOST_ROUNDS)
            return true;
        w->from = place_at(w, begin);
        w->begin += begin;
        w->span -= begin;
    }
}

static void
find_first(way *w)
{
    const pqti_figure figure = pqti_figure_of(w->barrier->region);
    pqti_shape_cell parts[4];
    w->first.time = PQTI_NEVER;
    if (!bring_near(w))
        return;
    w->margin = 0x1p-20 + 0x1p-40 * (size_of(w->from) + w->radius);
    look_at(w, parts, pqti_figure_parts(&figure, parts));
}

static way
way_of(pqti_barrier *barrier, const pqti_ball *ball, pqt_vec velocity, double span)
{
    way w = {.barrier = barrier,
             .from = ball->position,
             .velocity = velocity,
             .span = span,
             .radius = pqti_barrier_radius(ball->radius)};
    if (velocity.x == 0 && velocity.y == 0)
        w.first.time = PQTI_NEVER;
    else
        find_first(&w);
    return w;
}

/* ---- Stops ---- */

/* Where the centre is when it comes to a side: its coordinate no nearer than a radius, to the
   bit. */
static pqt_vec
place_beside(const way *w)
{
    const hit *h = &w->first;
    pqt_vec place = place_at(w, h->time);
    double *at = h->across_y ? &place.y : &place.x;
    const double side = h->across_y ? h->mark.y : h->mark.x;
    const bool rising = (h->across_y ? w->velocity.y : w->velocity.x) > 0;
    *at = rising ? pqti_difference_down(side, w->radius) : pqti_sum_up(side, w->radius);
    return place;
}

static pqt_vec
direction_of(const way *w, pqt_vec place)
{
    const hit *h = &w->first;
    if (h->corner)
        return pqt_vec_subtract(h->mark, place);
    if (h->across_y)
        return (pqt_vec){0, w->velocity.y > 0 ? 1 : -1};
    return (pqt_vec){w->velocity.x > 0 ? 1 : -1, 0};
}

double
pqti_barrier_ahead(pqti_barrier *barrier, const pqti_ball *ball, double end, pqti_bump *bump)
{
    const way w = way_of(barrier, ball, ball->velocity, end - ball->time);
    bump->near = w.near;
    if (w.first.time == PQTI_NEVER)
        return PQTI_NEVER;
    pqt_vec place = w.first.corner ? place_at(&w, w.first.time) : place_beside(&w);
    bump->place = pqti_barrier_freed(barrier, ball, ball->position, place);
    bump->toward = direction_of(&w, bump->place);
    bump->corner = w.first.corner;
    return ball->time + (w.begin + w.first.time);
}

double
pqti_barrier_share(pqti_barrier *barrier, const pqti_ball *ball, pqt_vec push, pqt_vec *toward)
{
    const way w = way_of(barrier, ball, push, 1);
    if (w.first.time == PQTI_NEVER)
        return 1;
    *toward = direction_of(&w, place_at(&w, w.first.time));
    return pqti_lesser((w.begin + w.first.time) * (1 - PQTI_BEFORE), 1);
}
