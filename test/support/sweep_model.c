/* SPDX-License-Identifier: MIT */
/* sweep_model.c: two shapes as a point and a grown polygon, in long double. */
#include "config.h"

#include "sweep_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

typedef long double real;

static real
dot(model_vec a, model_vec b)
{
    return a.x * b.x + a.y * b.y;
}

static model_vec
minus(model_vec a, model_vec b)
{
    return (model_vec){a.x - b.x, a.y - b.y};
}

static real
length_of(model_vec v)
{
    const real most = fmaxl(fabsl(v.x), fabsl(v.y));
    return most == 0 ? 0 : most * sqrtl(v.x / most * (v.x / most) + v.y / most * (v.y / most));
}

static model_vec
in_units(const sweep_model *m, pqt_vec v)
{
    return (model_vec){ldexpl(v.x, -m->unit), ldexpl(v.y, -m->unit)};
}

static model_vec
wide(pqt_vec v)
{
    return (model_vec){v.x, v.y};
}

/* ---- Shapes ---- */

/* The corners of a mover relative to the first one, in the units of a model. So small shapes that
 * are far from their position keep all bits. */
typedef struct outline {
    size_t count;
    model_vec corners[PQT_MAX_CONVEX_VERTICES], first;
    real radius;
} outline;

/* Stores the corners of a mover without its position, and returns their number. */
static size_t
corners_of(const pqt_mover *m, pqt_vec *corners)
{
    size_t count = 1;
    corners[0] = (pqt_vec){0, 0};
    if (m->kind == PQT_MOVER_BOX) {
        const pqt_box b = m->box;
        const pqt_vec of_box[] = {b.min, {b.max.x, b.min.y}, b.max, {b.min.x, b.max.y}};
        count = 4;
        memcpy(corners, of_box, sizeof of_box);
    } else if (m->kind == PQT_MOVER_CONVEX) {
        count = m->convex->count;
        memcpy(corners, m->convex->vertices, count * sizeof *corners);
    }
    return count;
}

static double
radius_of(const pqt_mover *m)
{
    return m->kind == PQT_MOVER_CIRCLE   ? m->radius
           : m->kind == PQT_MOVER_CONVEX ? m->convex->radius
                                         : 0;
}

static outline
outline_of(const sweep_model *model, const pqt_mover *m)
{
    pqt_vec corners[PQT_MAX_CONVEX_VERTICES];
    outline o = {.count = corners_of(m, corners)};
    o.radius = ldexpl(radius_of(m), -model->unit);
    o.first = in_units(model, corners[0]);
    for (size_t i = 0; i < o.count; i++)
        o.corners[i] = minus(in_units(model, corners[i]), o.first);
    return o;
}

static double
larger(double size, pqt_vec v)
{
    return fmax(size, fmax(fabs(v.x), fabs(v.y)));
}

static double
size_of(const pqt_mover *m)
{
    pqt_vec corners[PQT_MAX_CONVEX_VERTICES];
    const size_t count = corners_of(m, corners);
    double size = larger(larger(radius_of(m), m->from), m->to);
    for (size_t i = 0; i < count; i++)
        size = larger(size, corners[i]);
    return size;
}

static int
compare_corners(const void *a, const void *b)
{
    const model_vec *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

static real
turn(model_vec o, model_vec a, model_vec b)
{
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

/* Replaces the corners by their hull, by Andrew's monotone chain. */
static void
reduce_to_hull(sweep_model *m, model_vec *points, size_t count)
{
    size_t size = 0;
    qsort(points, count, sizeof *points, compare_corners);
    for (int upper = 0; upper < 2; upper++) {
        const size_t base = size;
        for (size_t i = 0; i < count; i++) {
            const model_vec p = points[upper ? count - 1 - i : i];
            while (size >= base + 2 && turn(m->corners[size - 2], m->corners[size - 1], p) <= 0)
                size--;
            if (size == base || compare_corners(&m->corners[size - 1], &p) != 0)
                m->corners[size++] = p;
        }
        size--; /* the last point begins the other half */
    }
    m->count = size == 0 ? 1 : size;
}

static void
set_sides(sweep_model *m)
{
    for (size_t i = 0; i < m->count && m->count > 1; i++) {
        model_side *side = &m->sides[i];
        side->from = m->corners[i];
        const model_vec way = minus(m->corners[(i + 1) % m->count], side->from);
        side->length = length_of(way);
        side->along = (model_vec){way.x / side->length, way.y / side->length};
        side->outward = (model_vec){side->along.y, -side->along.x};
    }
}

void
sweep_model_set(sweep_model *m, const pqt_mover *a, const pqt_mover *b)
{
    m->a = a;
    m->b = b;
    m->unit = 0;
    (void)frexp(fmax(size_of(a), size_of(b)), &m->unit);
    const outline of_a = outline_of(m, a), of_b = outline_of(m, b);
    model_vec points[MODEL_CORNERS];
    size_t count = 0;
    for (size_t i = 0; i < of_a.count; i++)
        for (size_t j = 0; j < of_b.count; j++)
            points[count++] = minus(of_b.corners[j], of_a.corners[i]);
    reduce_to_hull(m, points, count);
    set_sides(m);
    m->first = minus(of_a.first, of_b.first);
    m->radius = of_a.radius + of_b.radius;
    m->start = sweep_model_offset(m, a->from, b->from);
    m->motion = minus(minus(in_units(m, a->to), in_units(m, a->from)),
                      minus(in_units(m, b->to), in_units(m, b->from)));
}

model_vec
sweep_model_offset(const sweep_model *m, pqt_vec a, pqt_vec b)
{
    const model_vec apart = minus(in_units(m, a), in_units(m, b));
    return (model_vec){apart.x + m->first.x, apart.y + m->first.y};
}

model_vec
sweep_model_offset_at(const sweep_model *m, real time)
{
    return (model_vec){m->start.x + m->motion.x * time, m->start.y + m->motion.y * time};
}

/* ---- Places ---- */

/* Returns the place of an offset within the hull: the side that is least deep. */
static model_place
place_within(const sweep_model *m, model_vec offset)
{
    real best = -INFINITY, second = -INFINITY;
    model_place place = {.is_at_side = true};
    for (size_t i = 0; i < m->count; i++) {
        const real height = dot(minus(offset, m->sides[i].from), m->sides[i].outward);
        if (height > best) {
            second = best;
            best = height;
            place.normal = m->sides[i].outward;
        } else {
            second = fmaxl(second, height);
        }
    }
    place.gap = best - m->radius;
    place.room = (best - second) / 2;
    return place;
}

static bool
is_within(const sweep_model *m, model_vec offset)
{
    bool within = m->count > 2;
    for (size_t i = 0; i < m->count && within; i++)
        within = dot(minus(offset, m->sides[i].from), m->sides[i].outward) <= 0;
    return within;
}

static model_place
place_at_corner(const sweep_model *m, model_vec offset, size_t i)
{
    const model_vec apart = minus(offset, m->corners[i]);
    const real distance = length_of(apart);
    model_place place = {.gap = distance - m->radius, .room = INFINITY};
    if (distance > 0)
        place.normal = (model_vec){apart.x / distance, apart.y / distance};
    if (m->count > 1) {
        const model_side *next = &m->sides[i], *last = &m->sides[(i + m->count - 1) % m->count];
        place.room = fminl(-dot(apart, next->along), dot(apart, last->along));
    }
    return place;
}

model_place
sweep_model_place(const sweep_model *m, model_vec offset)
{
    if (is_within(m, offset))
        return place_within(m, offset);
    model_place nearest = place_at_corner(m, offset, 0);
    for (size_t i = 1; i < m->count; i++) {
        const model_place corner = place_at_corner(m, offset, i);
        if (corner.gap < nearest.gap)
            nearest = corner;
    }
    for (size_t i = 0; i < m->count && m->count > 1; i++) {
        const model_side *side = &m->sides[i];
        const model_vec apart = minus(offset, side->from);
        const real height = dot(apart, side->outward), along = dot(apart, side->along);
        if (height < 0 || along < 0 || along > side->length || height - m->radius > nearest.gap)
            continue;
        nearest = (model_place){height - m->radius, side->outward, true,
                                fminl(along, side->length - along)};
    }
    return nearest;
}

real
sweep_model_depth_along(const sweep_model *m, model_vec offset, pqt_vec direction)
{
    real farthest = -INFINITY;
    for (size_t i = 0; i < m->count; i++)
        farthest = fmaxl(farthest, dot(m->corners[i], wide(direction)));
    return m->radius + farthest - dot(offset, wide(direction));
}

/* The gap falls while the motion has a component against the normal. */
real
sweep_model_time_of_least_gap(const sweep_model *m)
{
    real low = 0, high = 1;
    for (int i = 0; i < 70; i++) {
        const real middle = (low + high) / 2;
        const model_place place = sweep_model_place(m, sweep_model_offset_at(m, middle));
        *(dot(place.normal, m->motion) < 0 ? &low : &high) = middle;
    }
    return high;
}

/* ---- Requirements ---- */

static bool
is_along_axis(model_vec v)
{
    return v.x == 0 || v.y == 0;
}

static real
apart_by(pqt_vec v, model_vec w)
{
    return length_of((model_vec){v.x - w.x, v.y - w.y});
}

static bool
has_convex(const sweep_model *m)
{
    return m->a->kind == PQT_MOVER_CONVEX || m->b->kind == PQT_MOVER_CONVEX;
}

/* Returns true if a normal is that of a side. If the side is parallel to an axis, it must be exact.
 * In the model, a side of a convex may be parallel because a smaller tilt was lost. */
static bool
is_normal_of(const sweep_model *m, const model_side *side, pqt_vec normal)
{
    const real lost = has_convex(m) ? 0x1p-70L : 0;
    const real most = is_along_axis(side->outward) ? lost : 0x1p-49L;
    return apart_by(normal, side->outward) <= most;
}

/* Requires the normal of a place that is known except for an error. If several sides are nearly
 * parallel, any of them may count. */
static void
require_normal(const sweep_model *m, const model_place *place, pqt_vec normal, real error)
{
    if (!(place->room > error))
        return;
    const real distance = place->gap + m->radius;
    bool good = place->is_at_side || distance <= 16 * error;
    if (place->is_at_side) {
        good = false;
        for (size_t i = 0; i < m->count && !good; i++)
            good = is_normal_of(m, &m->sides[i], normal);
    } else if (!good) {
        /* near the end of a side, the height is the same up to the square of the angle */
        good = apart_by(normal, place->normal) <=
               2 * error / distance + sqrtl(16 * MODEL_ERROR / distance);
    }
    ck_assert_msg(good, "a %s has the normal (%.17g, %.17g), not (%.17Lg, %.17Lg)",
                  place->is_at_side ? "side" : "corner", normal.x, normal.y, place->normal.x,
                  place->normal.y);
}

void
sweep_model_require_hit(const sweep_model *m, const pqt_sweep *s)
{
    const model_vec stop = sweep_model_offset(m, s->stop, s->stop_b);
    const model_place place = sweep_model_place(m, stop);
    const real speed = length_of(m->motion);
    ck_assert_msg(fabsl(place.gap) <= 4 * MODEL_ERROR, "a stop is at a gap of %Lg", place.gap);
    const real gap = sweep_model_place(m, sweep_model_offset_at(m, s->time)).gap;
    ck_assert_msg(fabsl(gap) <= 4 * MODEL_ERROR, "at the time of a hit, the gap is %Lg", gap);
    ck_assert_msg(s->time * speed <= sweep_model_time_of_least_gap(m) * speed + 4 * MODEL_ERROR,
                  "time %.17g is after the least gap", s->time);
    ck_assert(fabs(pqt_vec_length(s->normal) - 1) < 0x1p-50);
    ck_assert_uint_eq(s->blocked, (s->normal.x != 0 ? PQT_BLOCKED_X : 0u) |
                                      (s->normal.y != 0 ? PQT_BLOCKED_Y : 0u));
    const real least = sweep_model_time_of_least_gap(m);
    if (sweep_model_place(m, sweep_model_offset_at(m, least)).gap > -8 * MODEL_ERROR)
        return; /* only rounding errors make it a hit */
    const real inside = sweep_model_depth_along(m, stop, s->normal);
    ck_assert_msg(inside <= 8 * MODEL_ERROR, "a normal separates the shapes only after %Lg",
                  inside);
    /* A stop that is off by a rounding error across the side is off by more along it. */
    const real inward = -dot(wide(s->normal), m->motion) / speed;
    ck_assert_msg(inward > -8 * MODEL_ERROR, "a normal points along the motion: %Lg", inward);
    const real error = 16 * MODEL_ERROR / fmaxl(inward, MODEL_ERROR);
    require_normal(m, &place, s->normal, error);
}

/* Requires the direction of the shortest way out of an overlap. */
static void
require_way_out(const sweep_model *m, pqt_vec normal)
{
    const model_place place = sweep_model_place(m, m->start);
    ck_assert(fabs(pqt_vec_length(normal) - 1) < 0x1p-50);
    const real depth = sweep_model_depth_along(m, m->start, normal);
    ck_assert_msg(depth <= -place.gap + 4 * MODEL_ERROR, "a way out is %Lg long, not %Lg", depth,
                  -place.gap);
    require_normal(m, &place, normal, 8 * MODEL_ERROR);
}

void
sweep_model_require_overlap(const sweep_model *m, const pqt_sweep *s)
{
    const real depth = -sweep_model_place(m, m->start).gap;
    const model_vec out = sweep_model_offset(m, s->free_position, m->b->from);
    const real pushed = length_of(minus(out, m->start));
    ck_assert_msg(fabsl(pushed - depth) <= 8 * MODEL_ERROR, "a push is %Lg long, not %Lg", pushed,
                  depth);
    ck_assert_msg(fabsl(sweep_model_place(m, out).gap) <= 8 * MODEL_ERROR,
                  "a free position is not where the shapes touch");
    require_way_out(m, s->normal);
    ck_assert_uint_eq(s->blocked, 0);
    if (m->motion.x == 0 && m->motion.y == 0) {
        ck_assert(s->exit == INFINITY);
        return;
    }
    ck_assert_msg(s->exit >= 0 && s->exit < INFINITY, "the exit is %g", s->exit);
    const real speed = length_of(m->motion), path = speed * s->exit;
    const real lost = path * ldexpl(1, -1060 - m->unit) / speed; /* the motion may be denormal */
    const real gap = sweep_model_place(m, sweep_model_offset_at(m, s->exit)).gap;
    ck_assert_msg(fabsl(gap) <= 8 * MODEL_ERROR * (1 + path) + lost,
                  "at the exit %.17g the gap is %Lg", s->exit, gap);
}

/* The extent of the deepest part of a shape across a normal. */
typedef struct model_range {
    real deepest; /* along the normal, with the radius */
    real low, high;
} model_range;

/* `sign` is 1 for the shape out of which the normal points, and -1 for the other one. */
static model_range
deepest_part(const sweep_model *m, const pqt_mover *mover, model_vec normal, int sign)
{
    const outline o = outline_of(m, mover);
    const model_vec across = {-normal.y, normal.x}, position = in_units(m, mover->from);
    const model_vec first = {position.x + o.first.x, position.y + o.first.y};
    model_range range = {-INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < o.count; i++)
        range.deepest = fmaxl(range.deepest, sign * dot(o.corners[i], normal));
    for (size_t i = 0; i < o.count; i++) {
        if (sign * dot(o.corners[i], normal) < range.deepest - MODEL_ERROR)
            continue;
        range.low = fminl(range.low, dot(o.corners[i], across) + dot(first, across));
        range.high = fmaxl(range.high, dot(o.corners[i], across) + dot(first, across));
    }
    range.deepest = sign * (range.deepest + o.radius) + dot(first, normal);
    return range;
}

/* Requires the midpoint of the deepest points. If a whole side is deepest, any of its points may
 * count. */
static void
require_point(const sweep_model *m, const pqt_contact *contact)
{
    const model_vec normal = wide(contact->normal), across = {-normal.y, normal.x};
    const model_range of_a = deepest_part(m, m->a, normal, -1);
    const model_range of_b = deepest_part(m, m->b, normal, 1);
    const model_vec point = in_units(m, contact->point);
    const real middle = (of_a.deepest + of_b.deepest) / 2, place = dot(point, across);
    ck_assert_msg(fabsl(dot(point, normal) - middle) <= 8 * MODEL_ERROR,
                  "a point is %Lg from the middle of the deepest points",
                  dot(point, normal) - middle);
    const model_place start = sweep_model_place(m, m->start);
    if (start.room <= 64 * MODEL_ERROR || apart_by(contact->normal, start.normal) > 0x1p-49L)
        return; /* another side is as deep, and its deepest points are elsewhere */
    const real low = fmaxl(of_a.low, of_b.low), high = fminl(of_a.high, of_b.high);
    ck_assert_msg(place >= fminl(low, high) - 16 * MODEL_ERROR &&
                      place <= fmaxl(low, high) + 16 * MODEL_ERROR,
                  "a point is not between the deepest points");
}

void
sweep_model_require_contact(const sweep_model *m, const pqt_contact *contact)
{
    const real gap = sweep_model_place(m, m->start).gap;
    if (!contact->touches) {
        ck_assert_msg(gap >= -MODEL_ERROR, "shapes %Lg deep do not touch", -gap);
        ck_assert(!contact->overlaps && contact->depth == 0);
        ck_assert(contact->normal.x == 0 && contact->normal.y == 0);
        ck_assert(contact->push.x == 0 && contact->push.y == 0);
        ck_assert(contact->point.x == 0 && contact->point.y == 0);
        return;
    }
    ck_assert_msg(gap <= MODEL_ERROR, "shapes that are apart by %Lg touch", gap);
    ck_assert(contact->overlaps == (contact->depth > 0));
    const real depth = ldexpl(contact->depth, -m->unit);
    ck_assert_msg(fabsl(depth + fminl(gap, 0)) <= 4 * MODEL_ERROR, "the depth is %Lg, not %Lg",
                  depth, -gap);
    require_way_out(m, contact->normal);
    const model_vec push = in_units(m, contact->push);
    const model_vec expected = {contact->normal.x * depth, contact->normal.y * depth};
    ck_assert_msg(length_of(minus(push, expected)) <= 8 * MODEL_ERROR,
                  "a push is not the depth along the normal");
    const bool boxes = m->a->kind == PQT_MOVER_BOX && m->b->kind == PQT_MOVER_BOX;
    if (!boxes) /* between boxes, the point is the middle of the intersection */
        require_point(m, contact);
}
