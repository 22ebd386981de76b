/* SPDX-License-Identifier: MIT */
/*
 * toi_convex.c: computes the times of impact and of exit of convex movers.
 *
 * If the shapes have no radii, all decisions are exact. The line of a side separates two polygons
 * as long as no vertex of the other polygon is on its inner side (placed.c). All vertices of a
 * polygon have the same motion, so the vertex that is deepest at the start remains the deepest, and
 * its cross product with the side is linear in time. The product is computed at the start and at
 * the end of the motion. A side whose product rises above 0 is *entered* at the fraction start /
 * (start - end), and a side whose product falls to 0 is *left* at that fraction. The interiors
 * intersect from the last entry to the first exit. This is the separating axis test for moving
 * shapes: C. Ericson, Real-Time Collision Detection, 2005, section 5.5.8. Fractions are compared as
 * products of exact sums.
 *
 * If a shape has a radius, the first shape is reduced to a point, and the second one is grown by
 * the first and by both radii. The boundary of the result consists of strips along the sides and
 * circles around the vertices, as in section 5.5.6 of the same book. All of them are swept in
 * doubles. Differences of positions are computed first. Then shapes and motions whose squares would
 * overflow or underflow are scaled to near 1, each by a power of two of its own: a short distance
 * keeps its bits however far from the origin the shapes are, and however long the motion is.
 */
#include "config.h"

#include <math.h>

#include "base/error_internal.h"
#include "base/exact.h"
#include "base/fp.h"
#include "base/placed.h"
#include "base/vec_internal.h"
#include "collision/mover.h"
#include "collision/toi_shapes.h"

/* Four times the greatest rounding error of a number, as a fraction of the number. */
#define ROUNDING 0x1p-51

/* A product of two differences that is below this may have lost bits. */
#define PRODUCT_LOSS 0x1p-1000

/* Exceeds the relative error of a product of two cross products. */
#define PRODUCT_ERROR 0x1p-50

/* The shapes of two movers at the start, and their positions at the end. */
typedef struct flight {
    pqti_placed a, b;
    pqt_vec a_to, b_to;
} flight;

static pqt_vec
opposite_if(pqt_vec v, bool opposite)
{
    return opposite ? (pqt_vec){0 - v.x, 0 - v.y} : v;
}

/* ---- Sizes ---- */

/* Returns the sizes of the positions at the start, and of the radii. */
static pqti_sizes
sizes_at_start(const flight *f)
{
    const pqti_sizes radii = {0, 0, pqti_fmax(f->a.radius, f->b.radius)};
    return pqti_larger_sizes(pqti_larger_sizes(radii, f->a.position), f->b.position);
}

static pqti_sizes
larger_sizes_of_ends(const flight *f, pqti_sizes sizes)
{
    return pqti_larger_sizes(pqti_larger_sizes(sizes, f->a_to), f->b_to);
}

/* ---- Sides without radii ---- */

/* A side of one shape and the deepest vertex of the other shape. Their cross product
 * (pqti_cross_of) is above 0 while that vertex is on the inner side. */
typedef struct side_motion {
    pqt_vec from, to;
    pqti_placed_point u, u_end; /* the first vertex of the side, at the start and at the end */
    pqti_placed_point c, c_end; /* the deepest vertex */
    pqti_bounded start, end;
    bool is_of_b;
    size_t side; /* its number */
} side_motion;

/* Returns the vertex of a shape that is deepest on the inner side of lines in a given direction. */
static pqt_vec
deepest_vertex(const pqti_placed *shape, pqt_vec from, pqt_vec to)
{
    pqt_vec deepest = shape->vertices[0];
    const pqt_vec zero = {0, 0};
    for (size_t i = 1; i < shape->count; i++)
        if (pqti_cross_sign(from, to, (pqti_placed_point){deepest, zero},
                            (pqti_placed_point){shape->vertices[i], zero}) > 0)
            deepest = shape->vertices[i];
    return deepest;
}

static side_motion
side_motion_of(const flight *f, bool is_of_b, size_t i)
{
    const pqti_placed *shape = is_of_b ? &f->b : &f->a, *other = is_of_b ? &f->a : &f->b;
    side_motion s = {.from = shape->vertices[i], .is_of_b = is_of_b, .side = i};
    s.to = pqti_next_vertex(shape, i);
    const pqt_vec deepest = deepest_vertex(other, s.from, s.to);
    s.u = pqti_placed_point_of(shape, i);
    s.u_end = (pqti_placed_point){s.from, is_of_b ? f->b_to : f->a_to};
    s.c = (pqti_placed_point){deepest, other->position};
    s.c_end = (pqti_placed_point){deepest, is_of_b ? f->a_to : f->b_to};
    s.start = pqti_cross_of(s.from, s.to, s.u, s.c);
    s.end = pqti_cross_of(s.from, s.to, s.u_end, s.c_end);
    return s;
}

/* Returns the exact sign of a side's cross product at the start or at the end. */
static int
sign_at(const side_motion *s, bool at_end)
{
    const pqti_bounded *cross = at_end ? &s->end : &s->start;
    if (pqti_fabs(cross->value) > cross->error)
        return cross->value > 0 ? 1 : -1;
    return at_end ? pqti_cross_sign(s->from, s->to, s->u_end, s->c_end)
                  : pqti_cross_sign(s->from, s->to, s->u, s->c);
}

/* The exact cross products of a side, at the start and at the end. */
typedef struct exact_motion {
    pqti_exact_dot start, end;
} exact_motion;

static void
set_exact(exact_motion *exact, const side_motion *s)
{
    exact->start.count = exact->end.count = 0;
    pqti_cross_add(&exact->start, s->from, s->to, s->u, s->c, false);
    pqti_cross_add(&exact->end, s->from, s->to, s->u_end, s->c_end, false);
}

/* Returns the sign of the difference between the fractions at which the products of two sides are
 * 0. The products change their sign, so such a fraction is |start| / (|start| + |end|). Therefore,
 * it is enough to compare |start| * |other end| with |other start| * |end|. */
static int
compare_fractions(const side_motion *s, const side_motion *other)
{
    const double start = pqti_fabs(s->start.value), end = pqti_fabs(s->end.value);
    const double other_start = pqti_fabs(other->start.value);
    const double other_end = pqti_fabs(other->end.value);
    const double left = start * other_end, right = other_start * end;
    const double error = (start + s->start.error) * other->end.error + other_end * s->start.error +
                         (other_start + other->start.error) * s->end.error +
                         end * other->start.error + (left + right) * PRODUCT_ERROR + PRODUCT_LOSS;
    if (pqti_fabs(left - right) > error)
        return left > right ? 1 : -1;
    exact_motion of_s, of_other;
    set_exact(&of_s, s);
    set_exact(&of_other, other);
    return pqti_exact_compare_products(&of_s.start, &of_other.end, &of_other.start, &of_s.end);
}

/* Returns start / (start - end) for a side whose product is not constant. */
static double
fraction_of(const side_motion *s)
{
    pqti_exact_dot start = {.count = 0}, change = {.count = 0};
    pqti_cross_add(&start, s->from, s->to, s->u, s->c, false);
    pqti_cross_add(&change, s->from, s->to, s->u, s->c, false);
    pqti_cross_add(&change, s->from, s->to, s->u_end, s->c_end, true);
    return pqti_exact_quotient(&start, &change);
}

/* The two outermost normals of the sides that are entered last, all of them at the same time. */
typedef struct normal_cone {
    pqt_vec low, high;
} normal_cone;

static pqt_vec
normal_of_side(const side_motion *s)
{
    return opposite_if(pqti_outward_of(s->from, s->to), !s->is_of_b);
}

static double
cross_product(pqt_vec a, pqt_vec b)
{
    return a.x * b.y - a.y * b.x;
}

static void
widen_cone(normal_cone *cone, pqt_vec normal)
{
    if (cross_product(cone->low, normal) < 0)
        cone->low = normal;
    if (cross_product(cone->high, normal) > 0)
        cone->high = normal;
}

/* The sides that are entered last and left first. */
typedef struct passage {
    side_motion entry, leaving;
    bool enters, leaves, misses;
    normal_cone normals;
} passage;

static void
pass_side(passage *p, const side_motion *s)
{
    const int start = sign_at(s, false), end = sign_at(s, true);
    if (start <= 0 && end <= 0) {
        p->misses = true;
    } else if (start <= 0) {
        const int order = p->enters ? compare_fractions(s, &p->entry) : 1;
        const pqt_vec normal = order >= 0 ? normal_of_side(s) : (pqt_vec){0, 0};
        if (order > 0) {
            p->entry = *s;
            p->normals = (normal_cone){normal, normal};
        } else if (order == 0) {
            widen_cone(&p->normals, normal);
        }
        p->enters = true;
    } else if (end <= 0) {
        if (!p->leaves || compare_fractions(s, &p->leaving) < 0)
            p->leaving = *s;
        p->leaves = true;
    }
}

/* Returns true if the deepest vertex is opposite a side at the start. May return false if squares
 * overflow or underflow. */
static bool
is_opposite(const side_motion *s)
{
    const pqt_vec side = pqt_vec_subtract(s->to, s->from);
    const pqt_vec apart = pqt_vec_add(pqt_vec_subtract(s->c.vertex, s->u.vertex),
                                      pqt_vec_subtract(s->c.position, s->u.position));
    const double along = side.x * apart.x + side.y * apart.y;
    return along > 0 && along < side.x * side.x + side.y * side.y;
}

/*
 * Returns true if two shapes are apart at the start by no more than the rounding error of a
 * position. `entry` is the side that is hit. Such shapes count as touching, so they do not move.
 *
 * The gap is measured across the side, not along the path: if a mover glides almost parallel to a
 * side, the path through a gap of one rounding error is long, and where it ends, there is such a
 * gap again. It depends only on the positions, so another sweep from there finds the same.
 * The distance between two convex shapes is a convex function of time, so it is no
 * larger anywhere on the path to the hit.
 */
static bool
is_touching(const flight *f, const side_motion *entry)
{
    const pqt_vec normal = normal_of_side(entry);
    pqti_sizes near = pqti_larger_sizes(sizes_at_start(f), entry->c.vertex);
    const pqti_radius_sum most = {pqti_size_along(&near, normal, ROUNDING), 0};
    if (pqti_compare_distance_to_line(entry->c, entry->is_of_b ? &f->b : &f->a, entry->side, most) >
        0)
        return false;
    if (is_opposite(entry))
        return true;
    const pqt_gap gap = pqti_gap_of(&f->a, &f->b);
    near = pqti_larger_sizes(pqti_larger_sizes(near, gap.on_a), gap.on_b);
    return gap.distance <= pqti_size_along(&near, gap.normal, ROUNDING);
}

static pqti_toi
toi_without_radii(const flight *f)
{
    passage p = {.enters = false};
    for (int of_b = 1; of_b >= 0; of_b--)
        for (size_t i = 0; i < pqti_side_count(of_b ? &f->b : &f->a) && !p.misses; i++) {
            const side_motion s = side_motion_of(f, of_b, i);
            pass_side(&p, &s);
        }
    if (p.misses || !p.enters || (p.leaves && compare_fractions(&p.entry, &p.leaving) >= 0))
        return (pqti_toi){.hits = false};
    pqti_toi toi = {.hits = true, .is_round = true, .time = pqti_fmin(fraction_of(&p.entry), 1)};
    const normal_cone *n = &p.normals;
    const bool one_side = n->low.x == n->high.x && n->low.y == n->high.y;
    toi.normal = one_side ? n->low : pqt_vec_normalize(pqt_vec_add(n->low, n->high));
    toi.blocked = pqti_blocked_axes(toi.normal);
    if (toi.time > 0 && is_touching(f, &p.entry))
        toi.time = 0;
    return toi;
}

/* Returns the time at which the first side is left. Considers only the sides that have been entered
 * at the start. */
static double
exit_without_radii(const flight *f)
{
    double exit = INFINITY;
    for (int of_b = 1; of_b >= 0; of_b--)
        for (size_t i = 0; i < pqti_side_count(of_b ? &f->b : &f->a); i++) {
            const side_motion s = side_motion_of(f, of_b, i);
            pqti_exact_dot change = {.count = 0};
            pqti_cross_add(&change, s.from, s.to, s.u, s.c, false);
            pqti_cross_add(&change, s.from, s.to, s.u_end, s.c_end, true);
            if (pqti_exact_dot_sign(&change) > 0)
                exit = pqti_fmin(exit, fraction_of(&s));
        }
    return exit;
}

/* ---- Radii ---- */

/* A motion in a unit in which sums do not overflow. */
typedef struct scaled_flight {
    flight f;
    pqt_vec vertices_a[PQT_MAX_CONVEX_VERTICES], vertices_b[PQT_MAX_CONVEX_VERTICES];
    double radius_sum;
    pqt_vec apart, motion; /* the offset and the motion of a relative to b */
} scaled_flight;

static void
scale_flight(const flight *f, scaled_flight *s)
{
    double size = pqti_fmax(pqti_placed_size(&f->a), pqti_placed_size(&f->b));
    size = pqti_larger_component(pqti_larger_component(size, f->a_to), f->b_to);
    const int exponent = size > PQTI_LARGEST_ADDEND ? PQTI_SCALE_OF_ADDENDS : 0;
    s->f.a = pqti_placed_scaled(&f->a, exponent, s->vertices_a);
    s->f.b = pqti_placed_scaled(&f->b, exponent, s->vertices_b);
    s->f.a_to = pqti_vec_ldexp(f->a_to, exponent);
    s->f.b_to = pqti_vec_ldexp(f->b_to, exponent);
    s->radius_sum = s->f.a.radius + s->f.b.radius;
    s->apart = pqt_vec_subtract(s->f.a.position, s->f.b.position);
    s->motion = pqt_vec_subtract(pqt_vec_subtract(s->f.a_to, s->f.a.position),
                                 pqt_vec_subtract(s->f.b_to, s->f.b.position));
}

/* The extents of two shapes on an axis, and the offset of a from b at both ends of the motion. */
typedef struct axis_extents {
    double a_min, a_max, b_min, b_max, start, end;
} axis_extents;

static double
component(pqt_vec v, bool is_y)
{
    return is_y ? v.y : v.x;
}

static axis_extents
extents_on_axis(const scaled_flight *s, bool is_y)
{
    axis_extents e = {INFINITY,
                      -INFINITY,
                      INFINITY,
                      -INFINITY,
                      component(s->apart, is_y),
                      component(pqt_vec_subtract(s->f.a_to, s->f.b_to), is_y)};
    for (size_t i = 0; i < s->f.a.count; i++) {
        e.a_min = pqti_fmin(e.a_min, component(s->f.a.vertices[i], is_y));
        e.a_max = pqti_fmax(e.a_max, component(s->f.a.vertices[i], is_y));
    }
    for (size_t i = 0; i < s->f.b.count; i++) {
        e.b_min = pqti_fmin(e.b_min, component(s->f.b.vertices[i], is_y));
        e.b_max = pqti_fmax(e.b_max, component(s->f.b.vertices[i], is_y));
    }
    return e;
}

/* Returns true if one shape is certainly before the other one on an axis: `ahead` is where the
 * first one ends, and `behind` is where the second one begins. */
static bool
is_before(double ahead, double offset, double behind, double radius_sum)
{
    const double gap = behind - ahead - offset - radius_sum;
    return gap > (pqti_fabs(behind) + pqti_fabs(ahead) + pqti_fabs(offset)) * PQTI_SWEPT_ERROR;
}

/* Returns true if the boxes around both shapes are apart on an axis during the whole motion. The
 * errors on the other axis may be so large that no strip and no circle shows this. */
static bool
stays_apart(const scaled_flight *s, bool is_y)
{
    const axis_extents e = extents_on_axis(s, is_y);
    return (is_before(e.a_max, e.start, e.b_min, s->radius_sum) &&
            is_before(e.a_max, e.end, e.b_min, s->radius_sum)) ||
           (is_before(e.b_max, -e.start, e.a_min, s->radius_sum) &&
            is_before(e.b_max, -e.end, e.a_min, s->radius_sum));
}

/* The motion of a vertex relative to a side of the other shape. */
typedef struct swept_strip {
    pqt_vec from, vertex; /* the first end of the side, and the vertex, without the positions */
    pqt_vec past;         /* the offset of the vertex from the other end, at the start */
    pqt_vec outward;      /* the outward unit normal of the side */
    double length;        /* the length of the side */
    double height;        /* the height of the vertex above the side's line, at the start */
    double rise;          /* the change of the height during the motion */
    double along;         /* position of the vertex along the side, at the start */
    double advance;       /* the change of `along` during the motion */
} swept_strip;

static swept_strip
strip_of(const scaled_flight *s, bool is_of_b, size_t side, size_t vertex)
{
    const pqti_placed *shape = is_of_b ? &s->f.b : &s->f.a, *other = is_of_b ? &s->f.a : &s->f.b;
    const pqt_vec from = shape->vertices[side], to = pqti_next_vertex(shape, side);
    const pqt_vec between = pqt_vec_subtract(other->vertices[vertex], from);
    const pqt_vec shift = opposite_if(s->apart, !is_of_b);
    const pqt_vec motion = opposite_if(s->motion, !is_of_b);
    const pqt_vec apart = pqt_vec_add(between, shift);
    const pqt_vec past = pqt_vec_add(pqt_vec_subtract(other->vertices[vertex], to), shift);
    swept_strip strip = {from, other->vertices[vertex], past, .outward = pqti_outward_of(from, to)};
    const pqt_vec along = {-strip.outward.y, strip.outward.x};
    strip.length = pqt_vec_length(pqt_vec_subtract(to, from));
    strip.height = pqt_vec_dot(apart, strip.outward);
    strip.rise = pqt_vec_dot(motion, strip.outward);
    strip.along = pqt_vec_dot(apart, along);
    strip.advance = pqt_vec_dot(motion, along);
    return strip;
}

/* Compares the vertex with both ends of the side, because the offset from the farther end may have
 * lost the last bits. */
static bool
is_above_side(const swept_strip *strip, double time)
{
    const double along = strip->along + strip->advance * time;
    if (!(along >= 0 && along <= strip->length))
        return false;
    return pqt_vec_dot(strip->past, (pqt_vec){-strip->outward.y, strip->outward.x}) +
               strip->advance * time <=
           0;
}

/* Returns the sizes of the numbers from which the height at the start is computed. */
static pqti_sizes
sizes_of_strip(const scaled_flight *s, const swept_strip *strip)
{
    return pqti_larger_sizes(pqti_larger_sizes(sizes_at_start(&s->f), strip->from), strip->vertex);
}

/* Returns the measurable error of a height on the way. */
static double
error_of_strip(const scaled_flight *s, const swept_strip *strip)
{
    const pqti_sizes sizes = larger_sizes_of_ends(&s->f, sizes_of_strip(s, strip));
    return pqti_error_along(&sizes, strip->outward);
}

/* Returns the time at which a vertex descends to the sum of the radii above a side, or INFINITY if
 * it never does. */
static double
time_of_strip(const scaled_flight *s, const swept_strip *strip, bool strict)
{
    if (!(strip->rise < 0))
        return INFINITY;
    const pqti_sizes sizes = sizes_of_strip(s, strip);
    const double slack = pqti_error_along(&sizes, strip->outward),
                 gap = strip->height - s->radius_sum;
    const double dip = strict ? 0 : error_of_strip(s, strip);
    if (gap < -slack || !(strip->rise < -dip))
        return INFINITY;
    const bool touches = gap <= slack;
    if (touches && is_above_side(strip, 0))
        return 0;
    if (!touches && !(strip->height + strip->rise < s->radius_sum - dip))
        return INFINITY;
    const double time = pqti_fmax(gap / -strip->rise, 0);
    return time <= 1 && is_above_side(strip, time) ? time : INFINITY;
}

/* Finds the first strip that is entered. Sets *error to the measurable error of a height above
 * it. */
static pqti_toi
toi_of_strips(const scaled_flight *s, bool strict, double *error)
{
    *error = 0;
    pqti_toi first = {.is_round = true, .time = INFINITY};
    for (int of_b = 1; of_b >= 0; of_b--) {
        const pqti_placed *shape = of_b ? &s->f.b : &s->f.a, *other = of_b ? &s->f.a : &s->f.b;
        for (size_t i = 0; i < pqti_side_count(shape); i++)
            for (size_t j = 0; j < other->count; j++) {
                const swept_strip strip = strip_of(s, of_b, i, j);
                const double time = time_of_strip(s, &strip, strict);
                if (!(time < first.time))
                    continue;
                first.hits = true;
                first.time = time;
                first.normal = opposite_if(strip.outward, !of_b);
                *error = error_of_strip(s, &strip);
            }
    }
    first.blocked = pqti_blocked_axes(first.normal);
    return first;
}

/* Returns vertex i of a shape as a circle that moves from its position to another one. */
static pqt_mover
vertex_mover(const pqti_placed *shape, size_t i, pqt_vec to)
{
    return pqt_mover_circle(0, pqt_vec_add(shape->position, shape->vertices[i]),
                            pqt_vec_add(to, shape->vertices[i]));
}

/* Finds the first circle around a vertex that is entered. */
static pqti_toi
toi_of_vertices(const scaled_flight *s, bool strict)
{
    pqti_toi first = {.time = INFINITY};
    const pqti_radius_sum radii = {s->f.a.radius, s->f.b.radius};
    for (size_t i = 0; i < s->f.a.count; i++)
        for (size_t j = 0; j < s->f.b.count; j++) {
            const pqt_mover a = vertex_mover(&s->f.a, i, s->f.a_to);
            const pqt_mover b = vertex_mover(&s->f.b, j, s->f.b_to);
            const pqti_toi toi = pqti_toi_circles(&a, &b, radii, strict);
            if (toi.hits && toi.time < first.time)
                first = toi;
        }
    return first;
}

/* Selects the earlier hit. At the end of a strip, the strip and the circle around the vertex are
 * hit at the same time, up to rounding errors. In that case, the strip counts. */
static pqti_toi
toi_with_radii(const flight *f, bool strict)
{
    scaled_flight s;
    scale_flight(f, &s);
    if (stays_apart(&s, false) || stays_apart(&s, true))
        return (pqti_toi){.hits = false};
    double error;
    const pqti_toi side = toi_of_strips(&s, strict, &error), vertex = toi_of_vertices(&s, strict);
    const double slack = error / pqt_vec_length(s.motion);
    if (vertex.hits && !(side.hits && side.time <= vertex.time + slack))
        return vertex;
    return side;
}

/* Returns the time at which a point at offset `apart` from the centre of a circle leaves the
 * circle, or 0 if its path misses the circle. */
static double
exit_from_circle(pqt_vec apart, pqt_vec motion, double radius)
{
    const int unit = pqti_exponent_of_unit(pqti_larger_component(radius, apart));
    const int motion_unit = pqti_exponent_of_unit(pqti_larger_component(0, motion));
    apart = pqti_vec_ldexp(apart, -unit);
    motion = pqti_vec_ldexp(motion, -motion_unit);
    radius = ldexp(radius, -unit);
    const double square = pqt_vec_dot(motion, motion), miss = cross_product(apart, motion);
    const double under_root = square * (radius * radius) - miss * miss;
    const double time = (sqrt(under_root) - pqt_vec_dot(apart, motion)) / square;
    return under_root < 0 ? 0 : ldexp(time, unit - motion_unit);
}

/* Returns the time at which the motion leaves the last one of the strips and circles through which
 * it passes. */
static double
exit_with_radii(const flight *f)
{
    scaled_flight s;
    scale_flight(f, &s);
    if (s.motion.x == 0 && s.motion.y == 0)
        return INFINITY;
    double exit = 0;
    for (int of_b = 1; of_b >= 0; of_b--) {
        const pqti_placed *shape = of_b ? &s.f.b : &s.f.a, *other = of_b ? &s.f.a : &s.f.b;
        for (size_t i = 0; i < pqti_side_count(shape); i++)
            for (size_t j = 0; j < other->count; j++) {
                const swept_strip strip = strip_of(&s, of_b, i, j);
                const double time = (s.radius_sum - strip.height) / strip.rise;
                if (strip.rise > 0 && is_above_side(&strip, time))
                    exit = pqti_fmax(exit, time);
            }
    }
    for (size_t i = 0; i < s.f.a.count; i++)
        for (size_t j = 0; j < s.f.b.count; j++) {
            const pqt_vec between = pqt_vec_subtract(s.f.a.vertices[i], s.f.b.vertices[j]);
            exit = pqti_fmax(
                exit, exit_from_circle(pqt_vec_add(between, s.apart), s.motion, s.radius_sum));
        }
    return exit;
}

/* ---- Both ---- */

static bool
has_radius(const flight *f)
{
    return f->a.radius > 0 || f->b.radius > 0;
}

pqti_toi
pqti_toi_convex(const pqt_mover *a, const pqt_mover *b, bool strict)
{
    pqti_box_corners corners_a, corners_b;
    const flight f = {pqti_placed_mover(a, a->from, &corners_a),
                      pqti_placed_mover(b, b->from, &corners_b), a->to, b->to};
    return has_radius(&f) ? toi_with_radii(&f, strict) : toi_without_radii(&f);
}

double
pqti_exit_of_convex(const pqt_mover *a, const pqt_mover *b)
{
    pqti_box_corners corners_a, corners_b;
    const flight f = {pqti_placed_mover(a, a->from, &corners_a),
                      pqti_placed_mover(b, b->from, &corners_b), a->to, b->to};
    return has_radius(&f) ? exit_with_radii(&f) : exit_without_radii(&f);
}
