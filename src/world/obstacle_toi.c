/* SPDX-License-Identifier: MIT */
/*
 * obstacle_toi.c: finds positions outside the pixels of an obstacle, and times of impact with the
 * pixels.
 */
#include "config.h"

#include "world/obstacle_toi.h"

#include <stddef.h>

#include <pqt/circle.h>
#include <pqt/region_overlap.h>

#include "base/exact.h"
#include "region/collision/region_cursor.h"
#include "region/collision/region_overlap_internal.h"

/* The maximal number of attempts to move a position out of pixels that it overlaps because of
 * rounding. Each attempt moves it twice as far. See docs/world.md, "The obstacle". */
enum { MAX_TRIES = 12 };

pqti_obstacle_view
pqti_obstacle_view_of(const pqt_region *region, pqt_vec at, const pqt_pixel_box *box)
{
    const pqt_box pixels = {{box->min.x, box->min.y}, {box->max.x, box->max.y}};
    return (pqti_obstacle_view){.region = region, .at = at, .bounds = pqt_box_moved(pixels, at)};
}

/* ---- Free positions ---- */

/* Returns true if a circle overlaps a full square. Stores the square in *met unless `met` is
 * NULL. */
static bool
finds_overlap(const pqti_obstacle_view *obstacle, const pqt_circle *circle, pqti_region_cursor *met)
{
    const pqti_shape_view shape = pqti_shape_view_of(obstacle->region);
    return pqt_circle_overlaps_box(*circle, obstacle->bounds) &&
           pqti_circle_overlaps_region(circle, &shape, obstacle->at, 0, met);
}

bool
pqti_obstacle_view_overlaps(const pqti_obstacle_view *obstacle, pqt_vec position, double radius)
{
    return finds_overlap(obstacle, &(pqt_circle){position, pqti_obstacle_view_radius(radius)},
                         NULL);
}

static pqt_vec
clamp_to_bounds(const pqti_ball *ball, pqt_vec position)
{
    return (pqt_vec){pqti_clamp(position.x, ball->centre_bounds.min.x, ball->centre_bounds.max.x),
                     pqti_clamp(position.y, ball->centre_bounds.min.y, ball->centre_bounds.max.y)};
}

/* Moves a position away from the nearest point of a box, to a distance of a radius plus `more` from
 * that point. Returns the new position. */
static pqt_vec
push_out_of_box(pqt_box box, pqt_vec position, double radius, double more)
{
    const pqt_vec nearest = {pqti_clamp(position.x, box.min.x, box.max.x),
                             pqti_clamp(position.y, box.min.y, box.max.y)};
    const pqt_vec out = pqt_vec_subtract(position, nearest);
    const double length = pqt_vec_length(out);
    if (length == 0)
        return position;
    const double factor = (radius + more) / length;
    if (!isfinite(factor))
        return pqt_vec_add(nearest, pqt_vec_scale(pqt_vec_normalize(out), radius + more));
    return (pqt_vec){nearest.x + out.x * factor, nearest.y + out.y * factor};
}

/* Moves a position out of one square after another. Returns true if the position is free in the
 * end. */
static bool
push_out_of_pixels(const pqti_obstacle_view *obstacle, const pqti_ball *ball, pqt_vec *position)
{
    const double radius = pqti_obstacle_view_radius(ball->radius);
    const double size = radius + pqti_fabs(position->x) + pqti_fabs(position->y);
    double more = 0x1p-53 * size;
    for (int i = 0; i < MAX_TRIES; i++, more *= 2) {
        pqti_region_cursor met;
        if (!finds_overlap(obstacle, &(pqt_circle){*position, radius}, &met))
            return true;
        const pqt_box box = pqti_obstacle_cell_box(obstacle, &met);
        *position = clamp_to_bounds(ball, push_out_of_box(box, *position, radius, more));
    }
    return !pqti_obstacle_view_overlaps(obstacle, *position, radius);
}

pqt_vec
pqti_obstacle_view_nudge_free(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                              pqt_vec from, pqt_vec position)
{
    pqt_vec free = position = clamp_to_bounds(ball, position);
    if (push_out_of_pixels(obstacle, ball, &free))
        return free;
    for (double fraction = 0x1p-52; fraction < 1; fraction *= 2) {
        free = (pqt_vec){position.x + (from.x - position.x) * fraction,
                         position.y + (from.y - position.y) * fraction};
        if (!pqti_obstacle_view_overlaps(obstacle, free, ball->radius))
            return free;
    }
    return from;
}

/* ---- Free directions ---- */

/* Returns the length of a vector that is parallel to an axis. */
static double
length_of_direction(pqt_vec v)
{
    return pqti_fabs(v.x + v.y);
}

int
pqti_obstacle_view_free_directions(const pqti_obstacle_view *obstacle, const pqti_ball *ball,
                                   pqt_vec position, pqt_vec directions[4])
{
    static const pqt_vec axes[4] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const pqt_circle circle = {position, pqti_obstacle_view_radius(ball->radius)};
    int count = 0;
    for (int i = 0; i < 4; i++) {
        const double length =
            pqti_circle_time_of_exit(&circle, obstacle->region, obstacle->at, axes[i]);
        const pqt_vec out = {axes[i].x * length, axes[i].y * length};
        if (!pqt_box_contains(ball->centre_bounds, pqt_vec_add(position, out)))
            continue;
        int k = count++;
        for (; k > 0 && length_of_direction(directions[k - 1]) > length; k--)
            directions[k] = directions[k - 1];
        directions[k] = out;
    }
    return count;
}

/*
 * The time of impact of balls with the pixels of an obstacle.
 *
 * A moving circle hits a full square at a side or at a corner. It hits a side when its centre is
 * opposite the side and a radius away from it. A side that another square covers is never hit
 * first, because the covering square protrudes. A corner counts only if no adjacent pixel shares
 * one of the two edges that end there: otherwise the corner is inside a flat side, or in a concave
 * corner that no circle reaches. So a floor made of squares has no ghost collisions at its seams,
 * and the result does not depend on the division into squares.
 *
 * Squares along the path are visited nearest first, as in region_toi_shape.c. But times are
 * measured in seconds of the ball's motion, and that motion may begin far away.
 */

/* A side counts as touching if it is nearer than a radius by at most this fraction of the radius.
 * See docs/world.md, "The obstacle". */
#define SIDE_SLACK 0x1p-20

/* Beyond this distance, the rounding error of a position exceeds 2^-30 units, so the ball is first
 * moved nearer. See docs/world.md, "The obstacle". */
#define FAR 0x1p22

/* The maximal number of iterations of move_start_near. Five suffice from a distance of 2^200. See
 * docs/world.md, "The obstacle". */
enum { MAX_ROUNDS = 6 };

/* ---- One square ---- */

pqt_box
pqti_obstacle_cell_box(const pqti_obstacle_view *obstacle, const pqti_region_cursor *part)
{
    const pqt_vec at = obstacle->at;
    return (pqt_box){{pqti_pixels_of(part->min.x) + at.x, pqti_pixels_of(part->min.y) + at.y},
                     {pqti_pixels_of(part->max.x) + at.x, pqti_pixels_of(part->max.y) + at.y}};
}

/* A hit of the circle on a square. */
typedef struct square_hit {
    double time; /* seconds after the start of the path; PQTI_NEVER_EVENT: no hit */
    bool corner;
    bool across_y; /* the hit is at a side that faces up or down */
    pqt_vec mark;  /* the corner; for a side, its coordinate on the axis that it blocks */
} square_hit;

/* Returns true if a hit comes before another. Different hits are never equal in this order: at the
 * same time, sides come before corners. */
static bool
hit_is_earlier(const square_hit *a, const square_hit *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->corner != b->corner)
        return !a->corner;
    if (a->across_y != b->across_y)
        return !a->across_y;
    return a->mark.y < b->mark.y || (a->mark.y == b->mark.y && a->mark.x < b->mark.x);
}

typedef struct ball_path {
    pqti_obstacle_view *obstacle;
    pqt_vec from, velocity;
    double begin;        /* time of `from`, in seconds after the ball's last event */
    double span, radius; /* duration in seconds; radius in world units */
    double margin;       /* exceeds the rounding error; a larger value only costs time */
    square_hit first;    /* the first hit so far */
    bool near;           /* a full square is near the path */
} ball_path;

static pqt_vec
position_at_time(const ball_path *path, double time)
{
    return (pqt_vec){path->from.x + path->velocity.x * time,
                     path->from.y + path->velocity.y * time};
}

/* Returns the time at which the centre's coordinate is a radius away from the side that it moves
 * toward. Stores that side. */
static double
side_time(double from, double speed, double low, double high, double radius, double *side)
{
    *side = speed > 0 ? low : high;
    const double gap = (speed > 0 ? low - from : from - high) - radius;
    if (speed == 0 || gap < -SIDE_SLACK * radius)
        return PQTI_NEVER_EVENT;
    return gap <= 0 ? 0 : gap / pqti_fabs(speed);
}

static void
test_sides(ball_path *path, const pqt_box *box)
{
    square_hit x = {0}, y = {.across_y = true};
    x.time =
        side_time(path->from.x, path->velocity.x, box->min.x, box->max.x, path->radius, &x.mark.x);
    y.time =
        side_time(path->from.y, path->velocity.y, box->min.y, box->max.y, path->radius, &y.mark.y);
    if (x.time <= path->span && hit_is_earlier(&x, &path->first)) {
        const double at = position_at_time(path, x.time).y;
        if (at >= box->min.y && at <= box->max.y)
            path->first = x;
    }
    if (y.time <= path->span && hit_is_earlier(&y, &path->first)) {
        const double at = position_at_time(path, y.time).x;
        if (at >= box->min.x && at <= box->max.x)
            path->first = y;
    }
}

bool
pqti_obstacle_corner_is_free(const pqti_obstacle_view *obstacle, const pqti_region_cursor *part,
                             int i)
{
    const bool right = (i & 1) != 0, lower = (i >> 1) != 0;
    const int32_t x = (int32_t)((right ? part->max.x : part->min.x) / PQT_SUBPIXELS) - right;
    const int32_t y = (int32_t)((lower ? part->max.y : part->min.y) / PQT_SUBPIXELS) - lower;
    return !pqt_region_contains(obstacle->region, (pqt_pixel){right ? x + 1 : x - 1, y}) &&
           !pqt_region_contains(obstacle->region, (pqt_pixel){x, lower ? y + 1 : y - 1});
}

static void
test_corners(ball_path *path, const pqti_region_cursor *part, const pqt_box *box)
{
    const pqt_vec approach = {-path->velocity.x, -path->velocity.y};
    for (int i = 0; i < 4; i++) {
        const pqt_vec corner = {(i & 1) != 0 ? box->max.x : box->min.x,
                                (i >> 1) != 0 ? box->max.y : box->min.y};
        const pqt_vec d = pqt_vec_subtract(corner, path->from);
        const square_hit h = {
            .time = pqti_ray_circle(d, approach, path->radius), .corner = true, .mark = corner};
        if (h.time <= path->span && hit_is_earlier(&h, &path->first) &&
            pqti_obstacle_corner_is_free(path->obstacle, part, i))
            path->first = h;
    }
}

/* ---- The first square ---- */

/* Returns a lower bound on the time at which the circle hits a box, or PQTI_NEVER_EVENT if it never
 * does. */
static double
lower_bound_of_hit(const ball_path *path, const pqt_box *box, double margin)
{
    return pqti_time_near(path->from, path->velocity, path->span, *box, path->radius + margin);
}

static void test_cells_in_order(ball_path *path, const pqti_region_cursor cells[4], int count);

static void
test_obstacle_cell(ball_path *path, const pqti_region_cursor *part)
{
    if (part->coverage == PQTI_CURSOR_FULL) {
        const pqt_box box = pqti_obstacle_cell_box(path->obstacle, part);
        path->near = true;
        test_sides(path, &box);
        test_corners(path, part, &box);
        return;
    }
    pqti_region_cursor quadrants[4];
    const pqti_shape_view shape = pqti_shape_view_of(path->obstacle->region);
    test_cells_in_order(path, quadrants, pqti_region_cursor_quadrants(&shape, part, quadrants));
}

/* Inserts the index `count` into order[], which holds indices of bounds[], after the indices whose
 * bounds are not greater. */
static void
insert_cell_by_bound(int order[4], const double bounds[4], int count)
{
    int k = count;
    for (; k > 0 && bounds[order[k - 1]] > bounds[count]; k--)
        order[k] = order[k - 1];
    order[k] = count;
}

static void
test_cells_in_order(ball_path *path, const pqti_region_cursor cells[4], int count)
{
    double bounds[4];
    int order[4];
    for (int i = 0; i < count; i++) {
        const pqt_box box = pqti_obstacle_cell_box(path->obstacle, &cells[i]);
        bounds[i] = lower_bound_of_hit(path, &box, path->margin);
        insert_cell_by_bound(order, bounds, i);
    }
    for (int i = 0; i < count && bounds[order[i]] < PQTI_NEVER_EVENT; i++) {
        if (bounds[order[i]] > path->first.time)
            return;
        path->obstacle->nodes_visited++;
        test_obstacle_cell(path, &cells[order[i]]);
    }
}

static double
magnitude_of_position(pqt_vec position)
{
    return pqti_fmax(pqti_fabs(position.x), pqti_fabs(position.y));
}

/* Moves the start of the path to the point at which the circle may first be near the pixels.
 * Returns false if it never is. A distant start is moved in several iterations, because positions
 * there are coarse: each iteration leaves 2^-40 of the distance. */
static bool
move_start_near(ball_path *path)
{
    for (int round = 0;; round++) {
        const double early = 1 + 0x1p-40 * (magnitude_of_position(path->from) + path->radius);
        const double begin = lower_bound_of_hit(path, &path->obstacle->bounds, early);
        if (begin == PQTI_NEVER_EVENT)
            return false;
        if (magnitude_of_position(path->from) <= FAR || round == MAX_ROUNDS)
            return true;
        path->from = position_at_time(path, begin);
        path->begin += begin;
        path->span -= begin;
    }
}

static void
find_first_hit(ball_path *path)
{
    const pqti_shape_view shape = pqti_shape_view_of(path->obstacle->region);
    pqti_region_cursor cells[4];
    path->first.time = PQTI_NEVER_EVENT;
    if (!move_start_near(path))
        return;
    path->margin = 0x1p-20 + 0x1p-40 * (magnitude_of_position(path->from) + path->radius);
    test_cells_in_order(path, cells, pqti_shape_view_roots(&shape, cells));
}

static ball_path
path_of_ball(pqti_obstacle_view *obstacle, const pqti_ball *ball, pqt_vec velocity, double span)
{
    ball_path path = {.obstacle = obstacle,
                      .from = ball->position,
                      .velocity = velocity,
                      .span = span,
                      .radius = pqti_obstacle_view_radius(ball->radius)};
    if (velocity.x == 0 && velocity.y == 0)
        path.first.time = PQTI_NEVER_EVENT;
    else
        find_first_hit(&path);
    return path;
}

/* ---- Stops ---- */

/* Returns the centre of the circle when it hits a side. In doubles, its coordinate is at least a
 * radius away from the side, without a tolerance. */
static pqt_vec
position_next_to_pixel(const ball_path *path)
{
    const square_hit *h = &path->first;
    pqt_vec position = position_at_time(path, h->time);
    double *at = h->across_y ? &position.y : &position.x;
    const double side = h->across_y ? h->mark.y : h->mark.x;
    const bool rising = (h->across_y ? path->velocity.y : path->velocity.x) > 0;
    *at = rising ? pqti_sub_round_down(side, path->radius) : pqti_add_round_up(side, path->radius);
    return position;
}

static pqt_vec
direction_of_hit(const ball_path *path, pqt_vec position)
{
    const square_hit *h = &path->first;
    if (h->corner)
        return pqt_vec_subtract(h->mark, position);
    if (h->across_y)
        return (pqt_vec){0, path->velocity.y > 0 ? 1 : -1};
    return (pqt_vec){path->velocity.x > 0 ? 1 : -1, 0};
}

double
pqti_obstacle_view_toi(pqti_obstacle_view *obstacle, const pqti_ball *ball, double end,
                       pqti_obstacle_hit *hit)
{
    const ball_path path = path_of_ball(obstacle, ball, ball->velocity, end - ball->time);
    hit->is_near = path.near;
    if (path.first.time == PQTI_NEVER_EVENT)
        return PQTI_NEVER_EVENT;
    pqt_vec position = path.first.corner ? position_at_time(&path, path.first.time)
                                         : position_next_to_pixel(&path);
    hit->position = pqti_obstacle_view_nudge_free(obstacle, ball, ball->position, position);
    hit->direction = direction_of_hit(&path, hit->position);
    hit->is_corner = path.first.corner;
    return ball->time + (path.begin + path.first.time);
}

double
pqti_obstacle_view_free_fraction(pqti_obstacle_view *obstacle, const pqti_ball *ball, pqt_vec push,
                                 pqt_vec *toward)
{
    const ball_path path = path_of_ball(obstacle, ball, push, 1);
    if (path.first.time == PQTI_NEVER_EVENT)
        return 1;
    *toward = direction_of_hit(&path, position_at_time(&path, path.first.time));
    return pqti_fmin((path.begin + path.first.time) * (1 - PQTI_PUSH_MARGIN), 1);
}
