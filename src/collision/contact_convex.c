/* SPDX-License-Identifier: MIT */
/*
 * contact_convex.c: computes the contact of two convex shapes.
 *
 * Exact arithmetic decides whether the shapes touch and whether they overlap (placed.c). If their
 * polygons are apart, the normal is the direction of the shortest distance. Otherwise, it is the
 * normal of the side through which the shortest push separates the polygons. This is the separating
 * axis test with the least depth: C. Ericson, Real-Time Collision Detection, 2005, section 5.2.1.
 */
#include "config.h"

#include "collision/contact_convex.h"

#include <float.h>
#include <math.h>

#include "base/first_true.h"
#include "base/fp.h"
#include "base/vec_internal.h"
#include "collision/toi_shapes.h"

/* The depth by which two polygons overlap at one side. */
typedef struct side_depth {
    double depth;
    pqt_vec normal;  /* unit vector from b to a */
    pqt_vec deepest; /* deepest vertex of the other shape, relative to the position of b */
    bool is_of_b;    /* the side belongs to b, and the vertex to a */
} side_depth;

/* Two shapes, and the same shapes in a unit in which squares neither overflow nor underflow. A
 * scaled side may have length 0. */
typedef struct shape_pair {
    const pqti_placed *a, *b;
    pqti_placed scaled_a, scaled_b;
    double error; /* the measurable error of a depth of the scaled shapes */
} shape_pair;

/* Vertices of the other shape, from one end of a side to the other. */
typedef struct stretch {
    double low, high;
} stretch;

static stretch
widened(stretch s, double along)
{
    return (stretch){pqti_fmin(s.low, along), pqti_fmax(s.high, along)};
}

/* Returns the vertex of the other shape that is deepest behind a side, relative to the first end of
 * the side. If a whole side is deepest up to an error, returns the middle of the part that is
 * opposite this side: its ends may be beyond it, and so outside the shape. */
static pqt_vec
deepest_behind(const pqti_placed *shape, size_t side, const pqti_placed *other, pqt_vec outward,
               double error, double *depth)
{
    const pqt_vec from = shape->vertices[side], to = pqti_next_vertex(shape, side);
    const pqt_vec shift = pqt_vec_subtract(other->position, shape->position);
    const pqt_vec along = {0 - outward.y, outward.x};
    pqt_vec apart[PQT_MAX_CONVEX_VERTICES], deepest = {0, 0};
    stretch tied = {INFINITY, -INFINITY};
    *depth = -INFINITY;
    for (size_t i = 0; i < other->count; i++) {
        apart[i] = pqt_vec_add(pqt_vec_subtract(other->vertices[i], from), shift);
        const double found = -pqt_vec_dot(apart[i], outward);
        if (found > *depth) {
            *depth = found;
            deepest = apart[i];
        }
    }
    for (size_t i = 0; i < other->count; i++)
        if (-pqt_vec_dot(apart[i], outward) >= *depth - error)
            tied = widened(tied, pqt_vec_dot(apart[i], along));
    const double length = pqt_vec_dot(pqt_vec_subtract(to, from), along);
    const double low = pqti_fmax(tied.low, 0), high = pqti_fmin(tied.high, length);
    if (!(tied.low < tied.high) || !(low <= high))
        return deepest;
    return pqti_vec_along(deepest, along, low / 2 + high / 2 - pqt_vec_dot(deepest, along));
}

/* Returns the depth at a side. */
static side_depth
depth_at_side(const shape_pair *p, size_t side, bool is_of_b)
{
    const pqti_placed *exact = is_of_b ? p->b : p->a;
    const pqti_placed *shape = is_of_b ? &p->scaled_b : &p->scaled_a;
    const pqti_placed *other = is_of_b ? &p->scaled_a : &p->scaled_b;
    const pqt_vec outward = pqti_outward_of(exact->vertices[side], pqti_next_vertex(exact, side));
    side_depth found = {.normal = outward, .is_of_b = is_of_b};
    found.deepest = deepest_behind(shape, side, other, outward, p->error, &found.depth);
    found.deepest = pqt_vec_add(found.deepest, shape->vertices[side]);
    if (is_of_b)
        return found;
    found.deepest = pqt_vec_add(found.deepest, pqt_vec_subtract(shape->position, other->position));
    found.normal = (pqt_vec){0 - outward.x, 0 - outward.y};
    return found;
}

/* Returns the least depth over all sides of two polygons that touch. */
static side_depth
least_depth(const shape_pair *p)
{
    side_depth least = {.depth = INFINITY};
    for (int of_b = 1; of_b >= 0; of_b--)
        for (size_t i = 0; i < pqti_side_count(of_b ? p->b : p->a); i++) {
            const side_depth found = depth_at_side(p, i, of_b);
            if (found.depth < least.depth)
                least = found;
        }
    least.depth = pqti_fmax(least.depth, 0);
    return least;
}

/* Sets the depth, normal and point of a contact whose polygons touch. The point is relative to the
 * position of b. */
static void
set_by_side(pqt_contact *contact, const shape_pair *p)
{
    const pqti_placed *a = &p->scaled_a, *b = &p->scaled_b;
    const side_depth least = least_depth(p);
    const double further = least.is_of_b ? least.depth : -least.depth;
    contact->depth = least.depth + a->radius + b->radius;
    contact->normal = least.normal;
    contact->point =
        pqti_vec_along(least.deepest, least.normal, (further + b->radius - a->radius) / 2);
}

/* Sets the depth, normal and point of a contact whose polygons are apart. If the gap is negligible
 * compared with the largest number, the polygons are treated as touching. */
static void
set_by_gap(pqt_contact *contact, const shape_pair *p)
{
    const pqti_placed *a = &p->scaled_a, *b = &p->scaled_b;
    pqti_placed core_a = *a, core_b = *b;
    core_a.radius = core_b.radius = 0;
    const pqt_gap gap = pqti_gap_of(&core_a, &core_b);
    if (gap.normal.x == 0 && gap.normal.y == 0) {
        set_by_side(contact, p);
        return;
    }
    const pqt_vec on_a = pqti_vec_along(gap.on_a, gap.normal, -a->radius);
    const pqt_vec on_b = pqti_vec_along(gap.on_b, gap.normal, b->radius);
    contact->depth = pqti_fmax(a->radius + b->radius - gap.distance, 0);
    contact->normal = gap.normal;
    contact->point = (pqt_vec){on_a.x / 2 + on_b.x / 2, on_a.y / 2 + on_b.y / 2};
}

/* A search for a push along the normal of a contact, lengthened by `rounding` times a power of
 * two. */
typedef struct push_search {
    const pqt_contact *contact;
    const pqti_placed *a, *b;
    double rounding;
} push_search;

static pqt_vec
lengthened_push(const push_search *p, int doublings)
{
    const double more = doublings < 0 ? 0 : ldexp(p->rounding, doublings);
    return pqt_vec_scale(p->contact->normal, p->contact->depth + more);
}

static bool
is_finite_push(const push_search *p, pqt_vec push)
{
    return pqt_vec_is_finite(pqt_vec_add(p->a->position, push));
}

/* Returns true if the shapes do not overlap after a push, or if the next longer push is not
 * finite. */
static bool
ends_search(const void *context, int doublings)
{
    const push_search *p = context;
    const pqt_vec push = lengthened_push(p, doublings);
    if (!is_finite_push(p, push) || !is_finite_push(p, lengthened_push(p, doublings + 1)))
        return true;
    pqti_placed out = *p->a;
    out.position = pqt_vec_add(out.position, push);
    return pqti_separation_of(&out, p->b) != PQTI_OVERLAPPING;
}

/* Returns the push along the normal, lengthened until the shapes do not overlap. The depth may be a
 * rounding error, and may be smaller than the necessary push by a factor of 2^2000. */
static pqt_vec
confirmed_push(const pqt_contact *contact, const pqti_placed *a, const pqti_placed *b)
{
    enum { EXPONENTS = 2200 /* more than the number of binary exponents of doubles */ };
    const push_search search = {contact, a, b, pqti_fmax(contact->depth * 0x1p-53, PQTI_SMALLEST)};
    return lengthened_push(&search, pqti_first_true(ends_search, &search, -1, EXPONENTS));
}

pqt_contact
pqti_contact_without_push(const pqti_placed *a, const pqti_placed *b)
{
    const pqti_separation shapes = pqti_separation_of(a, b);
    if (shapes == PQTI_APART)
        return (pqt_contact){.touches = false};
    const double size = pqti_fmax(pqti_placed_size(a), pqti_placed_size(b));
    const int exponent = pqti_exponent_of_unit(size);
    pqt_vec vertices_a[PQT_MAX_CONVEX_VERTICES], vertices_b[PQT_MAX_CONVEX_VERTICES];
    const shape_pair pair = {a, b, pqti_placed_scaled(a, -exponent, vertices_a),
                             pqti_placed_scaled(b, -exponent, vertices_b),
                             ldexp(size, -exponent) * PQTI_SWEPT_ERROR};
    pqt_contact contact = {.touches = true, .overlaps = shapes == PQTI_OVERLAPPING};
    if (pqti_separation_of_polygons(a, b) == PQTI_APART)
        set_by_gap(&contact, &pair);
    else
        set_by_side(&contact, &pair);
    contact.depth = pqti_fmin(ldexp(contact.depth, exponent), DBL_MAX);
    contact.point = (pqt_vec){ldexp(contact.point.x, exponent) + b->position.x,
                              ldexp(contact.point.y, exponent) + b->position.y};
    contact.depth = contact.overlaps ? pqti_fmax(contact.depth, PQTI_SMALLEST) : 0;
    return contact;
}

pqt_contact
pqti_contact_of_placed(const pqti_placed *a, const pqti_placed *b)
{
    pqt_contact contact = pqti_contact_without_push(a, b);
    if (contact.overlaps)
        contact.push = confirmed_push(&contact, a, b);
    return contact;
}

pqt_contact
pqt_contact_convexes(const pqt_convex *a, const pqt_convex *b)
{
    const pqti_placed of_a = pqti_placed_convex(a), of_b = pqti_placed_convex(b);
    return pqti_contact_of_placed(&of_a, &of_b);
}

pqt_contact
pqt_contact_convex_box(const pqt_convex *a, pqt_box b)
{
    const pqti_box_corners corners = pqti_corners_of(&b);
    const pqti_placed of_a = pqti_placed_convex(a), of_b = pqti_placed_corners(&corners);
    return pqti_contact_of_placed(&of_a, &of_b);
}

pqt_contact
pqt_contact_convex_circle(const pqt_convex *a, pqt_circle b)
{
    const pqti_placed of_a = pqti_placed_convex(a), of_b = pqti_placed_circle(&b);
    return pqti_contact_of_placed(&of_a, &of_b);
}
