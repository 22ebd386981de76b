/* SPDX-License-Identifier: MIT */
/*
 * test_sweep_convex.c: tests sweeps, slides and contacts of convex movers.
 *
 * Sweeps of shapes without radii are compared with fractions of 128-bit integers. The reference
 * builds their Minkowski difference as a convex hull, and clips the motion at its sides.
 * test_sweep_random.c compares shapes with radii. With PQT_TEST_SCALE=50, there are more than 10^5
 * sweeps.
 */
#include "config.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/contact.h>
#include <pqt/convex.h>
#include <pqt/sweep.h>

#include "base/first_true.h"
#include "collision/toi_position.h"
#include "random.h"
#include "search_trees.h"
#include "suite.h"
#include "sweep_support.h"

__extension__ typedef __int128 wide;

/* The greatest distance between a stopped mover and the shape that stops it, as a fraction of the
 * largest number. */
#define GAP_BOUND (32 * 0x1p-53)

static pqt_convex
convex_of(size_t count, const pqt_vec *points, double radius)
{
    pqt_convex made;
    pqt_error error = {0};
    ck_assert_msg(pqt_convex_from_points(points, count, radius, &made, &error), "%s", error.text);
    return made;
}

static bool
same_position(pqt_vec a, pqt_vec b)
{
    return a.x == b.x && a.y == b.y;
}

static pqt_convex
diamond(double half, double radius)
{
    return convex_of(4, (pqt_vec[]){{0, -half}, {half, 0}, {0, half}, {-half, 0}}, radius);
}

/* ---- Examples ---- */

START_TEST(a_corner_stops_at_a_side)
{
    const pqt_convex shape = diamond(1, 0);
    const pqt_mover mover = pqt_mover_convex(&shape, at(0, 0), at(10, 2.5));
    const pqt_sweep s = swept(mover, still(pqt_box_make(6, -9, 7, 9)));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.time == 0.5 && s.stop.x == 5 && s.stop.y == 1.25);
    ck_assert(s.normal.x == -1 && s.normal.y == 0);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_X);
}
END_TEST

START_TEST(a_side_stops_at_a_corner)
{
    const pqt_convex shape = diamond(2, 0);
    const pqt_mover mover = pqt_mover_convex(&shape, at(0, 0), at(8, 0));
    const pqt_sweep s = swept(mover, still(pqt_box_make(5, 1, 7, 3)));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.time == 0.5 && s.stop.x == 4 && s.stop.y == 0);
    ck_assert(fabs(s.normal.x + sqrt(0.5)) < 1e-15 && s.normal.x == s.normal.y);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_X | PQT_BLOCKED_Y);
}
END_TEST

START_TEST(corners_that_meet_have_the_normal_between_their_sides)
{
    const pqt_convex shape = diamond(1, 0);
    const pqt_mover mover = pqt_mover_convex(&shape, at(0, 0), at(8, 0));
    const pqt_mover other = pqt_mover_convex(&shape, at(6, 0), at(6, 0));
    const pqt_sweep s = swept(mover, other);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.time == 0.5 && s.stop.x == 4 && s.stop.y == 0);
    ck_assert(s.normal.x == -1 && s.normal.y == 0);
}
END_TEST

/* The rules of sweep.h are tested with a diamond whose right corner touches a wall at x = 1. */
START_TEST(touching_shapes_hit_only_if_they_move_into_each_other)
{
    static const struct {
        double x, y;
        pqt_sweep_status status;
    } cases[] = {{2, 0, PQT_SWEEP_HITS},    {0x1p-60, 7, PQT_SWEEP_HITS},
                 {0, 5, PQT_SWEEP_TOUCHES}, {-1, 1, PQT_SWEEP_FREE},
                 {0, 0, PQT_SWEEP_TOUCHES}, {0x1p-1074, 0, PQT_SWEEP_HITS}};
    const pqt_convex shape = diamond(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pqt_mover mover = pqt_mover_convex(&shape, at(0, 0), at(cases[i].x, cases[i].y));
        const pqt_sweep s = swept(mover, still(pqt_box_make(1, -20, 2, 20)));
        ck_assert_msg(s.status == cases[i].status, "case %zu: %d", i, (int)s.status);
        ck_assert(s.status != PQT_SWEEP_HITS || (s.time == 0 && s.stop.x == 0 && s.stop.y == 0));
    }
}
END_TEST

START_TEST(an_overlap_has_an_exit_and_a_free_position)
{
    const pqt_convex shape = diamond(2, 0);
    const pqt_mover mover = pqt_mover_convex(&shape, at(0, 0), at(-4, 0));
    const pqt_mover wall = still(pqt_box_make(1, -20, 9, 20));
    pqt_sweep s = swept(mover, wall);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.exit == 0.25 && s.normal.x == -1 && s.normal.y == 0);
    ck_assert(s.free_position.x == -1 && s.free_position.y == 0);
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    s = pqt_sweep_pair(mover, wall, &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_FREE);
    ck_assert(s.stop.x == -4);
    ck_assert(swept(pqt_mover_convex(&shape, at(0, 0), at(0, 0)), wall).exit == INFINITY);
    ck_assert(swept(pqt_mover_convex(&shape, at(0, 0), at(0, 3)), wall).exit == 7);
}
END_TEST

START_TEST(capsules_stop_at_their_radius)
{
    const pqt_convex capsule = convex_of(2, (pqt_vec[]){{0, -3}, {0, 3}}, 1);
    const pqt_mover mover = pqt_mover_convex(&capsule, at(0, 0), at(8, 0));
    pqt_sweep s = swept(mover, still(pqt_box_make(5, -1, 6, 1)));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(s.time == 0.5 && s.stop.x == 4 && s.normal.x == -1 && s.normal.y == 0);
    /* The circle and the upper end of the capsule touch at a distance of 2. The distance in y
       is 1. */
    s = swept(mover, still_circle(5, 4, 1));
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(fabs(s.stop.x - (5 - sqrt(3))) < 1e-14);
    ck_assert(fabs(s.normal.x + sqrt(0.75)) < 1e-14 && fabs(s.normal.y + 0.5) < 1e-14);
    ck_assert_int_eq(swept(mover, still_circle(5, 5, 1)).status, PQT_SWEEP_FREE);
}
END_TEST

/* A shape whose rounded corners begin at +-core, and which reaches up to +-(core + radius). */
typedef struct rounded {
    pqt_mover mover;
    double core, radius;
} rounded;

/* Returns v, turned by a number of right angles and then mirrored. */
static pqt_vec
turned_by(pqt_vec v, int turns, bool mirrored)
{
    for (; turns > 0; turns--)
        v = at(0 - v.y, v.x);
    return mirrored ? at(v.y, v.x) : v;
}

/* Sweeps a against b. They touch first where the side of their sum ends, at m / n of the motion. */
static void
require_side(const rounded *a, const rounded *b, pqt_vec way, int m, int n, int turns,
             bool mirrored)
{
    const pqt_vec touch = at(-(a->core + a->radius + b->core + b->radius), a->core + b->core);
    const pqt_vec from = pqt_vec_subtract(touch, pqt_vec_scale(way, m));
    pqt_mover first = a->mover, second = b->mover;
    first.from = turned_by(from, turns, mirrored);
    first.to = turned_by(pqt_vec_add(from, pqt_vec_scale(way, n)), turns, mirrored);
    const pqt_vec out = turned_by(at(-1, 0), turns, mirrored);
    const double time = (double)m / n;
    const pqt_sweep s = swept(first, second);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_msg(s.normal.x == out.x && s.normal.y == out.y, "(%.17g, %.17g) for (%g, %g)",
                  s.normal.x, s.normal.y, out.x, out.y);
    ck_assert_uint_eq(s.blocked, out.x != 0 ? PQT_BLOCKED_X : PQT_BLOCKED_Y);
    ck_assert_msg(fabs(s.time - time) <= time * 0x1p-51, "%.17g for %d/%d", s.time, m, n);
}

/* At the end of a side, rounding errors decide whether the side or the corner is hit first. */
START_TEST(the_very_end_of_a_side_counts_as_the_side)
{
    const pqt_convex square = convex_of(4, (pqt_vec[]){{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 1);
    const pqt_convex large = convex_of(4, (pqt_vec[]){{-3, -3}, {3, -3}, {3, 3}, {-3, 3}}, 0.5);
    const pqt_vec zero = {0, 0};
    const rounded shapes[] = {{pqt_mover_convex(&square, zero, zero), 1, 1},
                              {pqt_mover_convex(&large, zero, zero), 3, 0.5},
                              {pqt_mover_circle(1, zero, zero), 0, 1},
                              {pqt_mover_box(box(-2, -2, 2, 2), zero, zero), 2, 0}};
    for (int i = 0; i < 16; i++) {
        const rounded *a = &shapes[i / 4], *b = &shapes[i % 4];
        if (a->mover.kind != PQT_MOVER_CONVEX && b->mover.kind != PQT_MOVER_CONVEX)
            continue;
        for (int k = 0; k < 3 * 7 * 8; k++)
            for (int n = 2; n < 5; n++)
                for (int m = 1; m < n; m++)
                    require_side(a, b, at(1 + k % 3, k / 3 % 7 - 3), m, n, k / 21 % 4, k >= 84);
    }
}
END_TEST

/* Both are touched at the start. The oblique side counts as a corner (sweep.h). */
START_TEST(an_item_at_a_flat_side_comes_before_one_at_an_oblique_side)
{
    const pqt_item items[] = {boxed(box(-4, -3, -1, -1), 1), boxed(box(2.6, -3, 5, 0.7), 2),
                              boxed(box(1, -3, 4, -1), 3), boxed(box(-5, -3, -2.6, 0.7), 4)};
    const pqt_convex right = convex_of(4, (pqt_vec[]){{-3, 3}, {-3, 0}, {0, 0}, {4, 3}}, 1);
    const pqt_convex left = convex_of(4, (pqt_vec[]){{3, 3}, {-4, 3}, {0, 0}, {3, 0}}, 1);
    const pqt_tree *empty = made(box(-8, -8, 8, 8), options_of(4, 24));
    const pqt_vec from = {0, 0}, to = {0, -1};
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        const pqt_item *flat = &items[2 * mirrored], *oblique = flat + 1;
        const pqt_mover mover = pqt_mover_convex(mirrored ? &left : &right, from, to);
        const pqt_sweep alone = pqt_tree_sweep(inserted(empty, *oblique), mover, NULL);
        ck_assert(alone.status == PQT_SWEEP_HITS && alone.time == 0 && alone.blocked == 3);
        for (int order = 0; order < 2; order++) {
            const pqt_tree *tree = inserted(empty, order ? *flat : *oblique);
            const pqt_sweep s =
                pqt_tree_sweep(inserted(tree, order ? *oblique : *flat), mover, NULL);
            ck_assert(s.status == PQT_SWEEP_HITS && s.time == 0);
            ck_assert_uint_eq(s.item.id, flat->id);
            ck_assert(s.blocked == PQT_BLOCKED_Y && s.normal.x == 0 && s.normal.y == 1);
        }
    }
}
END_TEST

/* The difference of two motions exceeds the largest double. */
START_TEST(shapes_with_a_radius_meet_on_the_way_to_the_largest_numbers)
{
    const pqt_convex square = convex_of(4, (pqt_vec[]){{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 1);
    const double far = 0x1.8p1023;
    for (int turns = 0; turns < 4; turns++)
        for (int round = 0; round < 2; round++) {
            const pqt_vec from = turned_by(at(-10, 0), turns, false),
                          to = turned_by(at(far, 0), turns, false);
            pqt_mover a = pqt_mover_convex(&square, from, to), b = a;
            if (round)
                b = pqt_mover_circle(2, from, to);
            b.from = pqt_vec_scale(from, -1);
            b.to = pqt_vec_scale(to, -1);
            const pqt_sweep s = swept(a, b);
            const pqt_vec stop = turned_by(at(-2, 0), turns, false);
            ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
            ck_assert_msg(pqt_vec_distance(s.stop, stop) < 1e-13, "(%g, %g)", s.stop.x, s.stop.y);
            ck_assert(pqt_vec_distance(s.stop_b, pqt_vec_scale(stop, -1)) < 1e-13);
            ck_assert(pqt_vec_distance(s.normal, pqt_vec_scale(stop, 0.5)) < 1e-15);
        }
}
END_TEST

START_TEST(a_tilted_box_slides_along_a_tilted_wall)
{
    pqt_convex mover_shape, wall;
    ck_assert(pqt_convex_from_oriented_box(at(0, 0), at(2, 1), at(3, 4), 0, &mover_shape, NULL));
    ck_assert(pqt_convex_from_oriented_box(at(0, 0), at(50, 1), at(3, 4), 0, &wall, NULL));
    const pqt_mover resting = pqt_mover_convex(&wall, at(0, 0), at(0, 0));
    const pqt_sweep hit = swept(pqt_mover_convex(&mover_shape, at(10, 0), at(0, 10)), resting);
    ck_assert_int_eq(hit.status, PQT_SWEEP_HITS);
    ck_assert(fabs(hit.normal.x - 0.8) < 1e-14 && fabs(hit.normal.y + 0.6) < 1e-14);
    const pqt_vec apart = hit.stop;
    ck_assert(fabs(pqt_vec_dot(apart, at(0.8, -0.6)) - 2) < 1e-13);

    /* In a tree, the corner of a box slides along the side of the mover without sticking to it. */
    const pqt_item item = {{{5, 5}, {9, 9}}, 1};
    const pqt_tree *tree = pqt_tree_insert(small_tree(4), item, NULL);
    const pqt_convex shape = diamond(2, 0);
    const pqt_slide s =
        pqt_tree_slide(tree, pqt_mover_convex(&shape, at(2, 4.25), at(20, 4.25)), 3, NULL);
    ck_assert_uint_ge(s.bounces, 1);
    ck_assert_int_ne(s.last.status, PQT_SWEEP_HITS);
    ck_assert_msg(s.stop.x > 8, "it stops at %g %g", s.stop.x, s.stop.y);
    ck_assert(!movers_overlap(pqt_mover_convex(&shape, at(0, 0), at(0, 0)), s.stop, still(item.box),
                              at(0, 0)));
}
END_TEST

START_TEST(movers_that_are_not_valid_are_not_swept)
{
    pqt_convex shape = diamond(1, 0);
    const pqt_mover wall = still(pqt_box_make(5, 0, 6, 9));
    ck_assert(!pqt_mover_is_valid(pqt_mover_convex(&shape, at(NAN, 0), at(0, 0))));
    ck_assert(!pqt_mover_is_valid(pqt_mover_convex(&shape, at(0, 0), at(INFINITY, 0))));
    ck_assert(!pqt_mover_is_valid(pqt_mover_convex(&shape, at(0, 0), at(DBL_MAX, 0))) ||
              pqt_box_is_valid(
                  box_of_mover(pqt_mover_convex(&shape, at(0, 0), at(0, 0)), at(DBL_MAX, 0))));
    shape.vertices[2].x = NAN;
    const pqt_sweep s = swept(pqt_mover_convex(&shape, at(0, 0), at(9, 0)), wall);
    ck_assert_int_eq(s.status, PQT_SWEEP_NONE);
    ck_assert(s.stop.x == 0 && s.stop.y == 0);
}
END_TEST

START_TEST(the_box_of_a_convex_is_rounded_outward)
{
    const pqt_convex shape = diamond(0x1p-60, 0);
    const pqt_mover mover = pqt_mover_convex(&shape, at(1, 1), at(1, 1));
    const pqt_box found = box_of_mover(mover, at(1, 1));
    ck_assert(found.min.x == nextafter(1, 0) && found.max.x == nextafter(1, 2));
    ck_assert(found.min.y == nextafter(1, 0) && found.max.y == nextafter(1, 2));
}
END_TEST

/* ---- Contacts ---- */

START_TEST(contacts_separate_along_the_shortest_path)
{
    const pqt_convex a = diamond(2, 0);
    pqt_contact contact = pqt_contact_convex_box(&a, pqt_box_make(1, -20, 9, 20));
    ck_assert(contact.touches && contact.overlaps && contact.depth == 1);
    ck_assert(contact.normal.x == -1 && contact.normal.y == 0 && contact.push.x == -1);
    ck_assert(contact.point.x == 1.5 && contact.point.y == 0);
    contact = pqt_contact_convex_box(&a, pqt_box_make(2, -20, 9, 20));
    ck_assert(contact.touches && !contact.overlaps && contact.depth == 0);
    ck_assert(contact.push.x == 0 && contact.point.x == 2);
    contact = pqt_contact_convex_box(&a, pqt_box_make(2.5, -20, 9, 20));
    ck_assert(!contact.touches && !contact.overlaps && contact.normal.x == 0);

    const pqt_convex capsule = convex_of(2, (pqt_vec[]){{-5, 0}, {5, 0}}, 1);
    contact = pqt_contact_convex_circle(&capsule, (pqt_circle){{1, 2}, 1.5});
    ck_assert(contact.overlaps && contact.depth == 0.5);
    ck_assert(contact.normal.x == 0 && contact.normal.y == -1);
    ck_assert(contact.point.x == 1 && contact.point.y == 0.75);
    const pqt_convex small = diamond(1, 0.5);
    contact = pqt_contact_convexes(&small, &capsule);
    ck_assert(contact.overlaps && contact.depth == 2.5);
    ck_assert(contact.normal.x == 0 && fabs(contact.normal.y) == 1);
}
END_TEST

/* contact.h: the sides of `b` precede those of `a`, each in the order of the vertices. */
START_TEST(equally_deep_sides_have_an_order)
{
    const pqt_convex low = convex_of(4, (pqt_vec[]){{0, 0}, {2, 0}, {2, 2}, {0, 2}}, 0);
    const pqt_convex high = convex_of(4, (pqt_vec[]){{1, 1}, {3, 1}, {3, 3}, {1, 3}}, 0);
    pqt_contact contact = pqt_contact_convexes(&low, &high);
    ck_assert(contact.depth == 1 && contact.normal.x == 0 && contact.normal.y == -1);
    ck_assert(contact.point.x == 1.5 && contact.point.y == 1.5);
    contact = pqt_contact_convexes(&high, &low);
    ck_assert(contact.depth == 1 && contact.normal.x == 1 && contact.normal.y == 0);
    ck_assert(contact.point.x == 1.5 && contact.point.y == 1.5);

    /* The right side of one triangle and the lower side of the other are equally deep. */
    const pqt_convex lower = convex_of(3, (pqt_vec[]){{3, 3}, {9, 3}, {6, 12}}, 0);
    const pqt_convex right = convex_of(3, (pqt_vec[]){{-8, 1}, {4, -2}, {4, 4}}, 0);
    contact = pqt_contact_convexes(&lower, &right);
    ck_assert(contact.depth == 1 && contact.normal.x == 1 && contact.normal.y == 0);
    ck_assert(contact.point.x == 3.5 && contact.point.y == 3);
    contact = pqt_contact_convexes(&right, &lower);
    ck_assert(contact.depth == 1 && contact.normal.x == 0 && contact.normal.y == -1);
    ck_assert(contact.point.x == 4 && contact.point.y == 3.5);
}
END_TEST

/* Two sides are parallel, so that all points of one are equally deep. Its ends may be beyond the
 * other side. */
START_TEST(the_point_of_parallel_sides_is_in_both_shapes)
{
    const pqt_convex pentagon =
        convex_of(5, (pqt_vec[]){{-8, -5}, {0, -9}, {4, -5}, {4, 3}, {-8, 3}}, 0);
    size_t compared = 0;
    for (int depth = 0; depth < 2; depth++)
        for (int low = -7; low < 3; low++)
            for (int high = low + 1; high < 9; high++) {
                const pqt_box wall = pqt_box_make(4 - depth, low, 20, high);
                const pqt_contact contact = pqt_contact_convex_box(&pentagon, wall);
                const double from = low < -5 ? -5 : low, to = high < 3 ? high : 3;
                if (from >= to || contact.normal.x != -1)
                    continue; /* a corner, or another side is less deep */
                compared++;
                ck_assert(contact.depth == depth);
                ck_assert_msg(contact.point.x == 4 - depth / 2.0 &&
                                  contact.point.y == (from + to) / 2,
                              "%d..%d: (%g, %g)", low, high, contact.point.x, contact.point.y);
                const pqt_convex box =
                    convex_of(4, (pqt_vec[]){wall.min, {20, low}, wall.max, {wall.min.x, high}}, 0);
                const pqt_contact turned = pqt_contact_convexes(&box, &pentagon);
                ck_assert(turned.depth == depth && turned.normal.x == 1);
                ck_assert(turned.point.x == contact.point.x && turned.point.y == contact.point.y);
            }
    ck_assert_uint_gt(compared, 100);
}
END_TEST

/* The sides are parallel except for rounding errors, so that only one end is deepest. */
START_TEST(the_point_of_nearly_parallel_sides_is_in_both_shapes)
{
    dice d = {test_seed(__func__)};
    for (int i = 0; i < 2000; i++) {
        const double turn = dice_real(&d) * 6.28, half = 1 + 4 * dice_real(&d);
        const double shift = (dice_real(&d) * 2 - 1) * (half + 3.5), depth = dice_real(&d) * 0.1;
        const pqt_vec along = at(cos(turn), sin(turn)), out = at(-along.y, along.x);
        const pqt_vec of_b =
            pqt_vec_add(pqt_vec_scale(out, 5 - depth), pqt_vec_scale(along, shift));
        pqt_convex a, b;
        ck_assert(pqt_convex_from_oriented_box(at(0, 0), at(4, 3), along, 0, &a, NULL) &&
                  pqt_convex_from_oriented_box(of_b, at(half, 2), along, 0, &b, NULL));
        const pqt_contact contact = pqt_contact_convexes(&a, &b);
        ck_assert(contact.overlaps && pqt_vec_distance(contact.normal, out) > 2 - 1e-15);
        const double place = pqt_vec_dot(contact.point, along);
        const double from = fmax(-4, shift - half), to = fmin(4, shift + half);
        ck_assert_msg(fabs(place - (from + to) / 2) < 1e-13, "%d: %g, not in %g..%g", i, place,
                      from, to);
        ck_assert(fabs(pqt_vec_dot(contact.point, out) - (3 - depth / 2)) < 1e-13);
    }
}
END_TEST

/* The centre of the circle is outside the polygon by less than a rounding error, next to a corner.
 * The way out is across the side and not in the direction of the corner. */
START_TEST(a_centre_next_to_the_end_of_a_side_is_pushed_across_the_side)
{
    const pqt_convex shape = convex_of(4,
                                       (pqt_vec[]){{-0x1.7700000000001p+9, 0x1.b58p+9},
                                                   {-0x1.56bec3b3a2198p+9, -0x1.f4p+6},
                                                   {-0x1.f4p+8, -0x1.f4p+9},
                                                   {0x1.388p+9, -0x1.b9aec23fa9ed7p+9}},
                                       125);
    const pqt_vec centre = at(-750, 875), outward = at(0.78774672260720013, 0.61599927030932017);
    pqt_sweep s =
        swept(pqt_mover_circle(298, centre, centre), pqt_mover_convex(&shape, at(0, 0), at(0, 0)));
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(pqt_vec_distance(s.normal, outward) < 1e-15);
    ck_assert(fabs(pqt_vec_distance(s.free_position, centre) - 423) < 1e-9);
    const pqt_contact contact = pqt_contact_convex_circle(&shape, (pqt_circle){centre, 298});
    ck_assert(fabs(contact.depth - 423) < 1e-9);
    ck_assert(pqt_vec_distance(contact.normal, pqt_vec_scale(outward, -1)) < 1e-15);
    ck_assert(fabs(pqt_vec_length(contact.push) - 423) < 1e-9);
    pqt_convex core = shape;
    core.radius = 0;
    const pqt_gap gap = pqt_convex_distance_to_circle(&core, (pqt_circle){centre, 0});
    ck_assert(gap.distance > 0 && gap.distance < 1e-12);
    ck_assert(pqt_vec_distance(gap.normal, pqt_vec_scale(outward, -1)) < 1e-15);
}
END_TEST

static int conditions_tested;

/* A filter: returns true if the id is *context or more. */
static bool
is_at_least(const void *context, int value)
{
    conditions_tested++;
    return value >= *(const int *)context;
}

START_TEST(a_push_tests_few_lengths)
{
    enum { LAST = 2200, MOST_TESTED = PQTI_TRIED_IN_TURN + 2 * 12 };
    for (int first = -1; first <= LAST; first++) {
        conditions_tested = 0;
        ck_assert_int_eq(pqti_first_true(is_at_least, &first, -1, LAST), first);
        ck_assert_int_le(conditions_tested, MOST_TESTED);
    }
    const int never = INT_MAX, at_once = -5;
    ck_assert_int_eq(pqti_first_true(is_at_least, &never, -1, LAST), LAST);
    ck_assert_int_eq(pqti_first_true(is_at_least, &at_once, -1, LAST), -1);
    ck_assert_int_eq(pqti_first_true(is_at_least, &never, 3, 3), 3);
}
END_TEST

/* Makes a convex with vertices at a distance of about `size` from the origin. */
static pqt_convex
draw_convex_of_size(dice *d, double size)
{
    pqt_convex convex;
    pqt_vec points[6];
    do {
        for (size_t i = 0; i < 6; i++)
            points[i] = (pqt_vec){(2 * dice_real(d) - 1) * size, (2 * dice_real(d) - 1) * size};
    } while (!pqt_convex_from_points(points, 6, 0, &convex, NULL));
    return convex;
}

START_TEST(contacts_of_the_largest_convexes_are_finite)
{
    dice d = {test_seed(__func__)};
    for (size_t i = test_scaled(2000); i > 0; i--) {
        const pqt_convex a = draw_convex_of_size(&d, DBL_MAX);
        const pqt_convex b = draw_convex_of_size(&d, DBL_MAX);
        const pqt_contact contact = pqt_contact_convexes(&a, &b);
        ck_assert(isfinite(contact.depth));
        ck_assert(pqt_vec_is_finite(contact.push));
    }
}
END_TEST

/* ---- Glides ---- */

/* A scale, and where the side that is pressed against is on each axis. */
typedef struct glide_place {
    double unit;
    pqt_vec offset;
} glide_place;

static const glide_place glide_places[] = {
    {1, {0, 0}},      {1, {20.9, -7}}, {1, {0, 1e9}},  {1, {-1e9, 3}},     {1, {1e15, 1e15}},
    {1e-150, {0, 0}}, {1e150, {2, 3}}, {1e-9, {0, 3}}, {1e150, {0, 1e15}}, {1e-150, {1e9, 0}},
};
enum {
    GLIDE_PLACES = sizeof glide_places / sizeof *glide_places,
    GLIDE_WALLS = 4,
    GLIDE_REPEATS = 300
};

/* Returns a wall in units of `unit`: a box, the same as a convex, or a tilted convex. */
static pqt_mover
glide_wall(int kind, const glide_place *place, double radius, pqt_convex *shape)
{
    const double u = place->unit;
    const pqt_vec position = pqt_vec_scale(place->offset, u);
    const pqt_box sides = box(0, -1000 * u, 1.1 * u, 1000 * u);
    if (kind == 0)
        return pqt_mover_box(sides, position, position);
    const pqt_vec tilt = kind == 2 ? at(0.8, 0.6) : kind == 3 ? at(1, 1e-7) : at(1, 0);
    ck_assert(pqt_convex_from_oriented_box(at(0.55 * u, 0), at(0.55 * u, 1000 * u), tilt,
                                           radius * u, shape, NULL));
    return pqt_mover_convex(shape, position, position);
}

/* The positions that were tested to find a stop. */
static int
positions_tested(const pqt_mover *a, const pqt_mover *b)
{
    pqti_toi toi = pqti_toi_or_end(a, b);
    return toi.hits ? pqti_toi_positions_of(a, b, &toi).tested : 0;
}

typedef struct glide_result {
    double moved; /* by the sweeps after the first one from a stop, in units of the mover */
    int most_tested;
} glide_result;

/* Sweeps from each stop again, in the same direction. */
static void
press_again(pqt_mover mover, const pqt_mover *wall, pqt_vec push, double unit, glide_result *worst)
{
    double moved = 0;
    for (int i = 0; i < GLIDE_REPEATS; i++) {
        mover.to = pqt_vec_add(mover.from, push);
        const int tested = positions_tested(&mover, wall);
        worst->most_tested = tested > worst->most_tested ? tested : worst->most_tested;
        const pqt_sweep s = swept(mover, *wall);
        require(!movers_overlap(mover, s.stop, *wall, wall->from), "a glide ends in the wall");
        if (s.status != PQT_SWEEP_HITS)
            break; /* the push is lost in the rounding of the end */
        moved += i == 0 ? 0 : pqt_vec_distance(s.stop, mover.from) / unit;
        mover.from = s.stop;
    }
    worst->moved = fmax(worst->moved, moved);
}

/* Presses a mover against a wall, at `angle` with its side, and up or down. */
static void
glide(dice *d, const glide_place *place, int kind, double angle, bool up, double radius,
      glide_result *worst)
{
    const double u = place->unit, turn = dice_real(d) * 6.28;
    pqt_convex shape, of_wall;
    ck_assert(pqt_convex_from_oriented_box(at(0, 0), at(2.2 * u, 1.1 * u), at(cos(turn), sin(turn)),
                                           radius * u, &shape, NULL));
    const pqt_mover wall = glide_wall(kind, place, radius, &of_wall);
    const pqt_vec in = kind == 2 ? at(0.8, 0.6) : at(1, 0), along = at(-in.y, in.x);
    const pqt_vec from =
        pqt_vec_add(pqt_vec_scale(place->offset, u), pqt_vec_scale(in, -(7 + dice_real(d)) * u));
    pqt_mover mover = pqt_mover_convex(&shape, from, from);
    mover.to = pqt_vec_add(from, pqt_vec_scale(pqt_vec_add(in, along), 20 * u));
    const pqt_sweep first = swept(mover, wall);
    const int tested = positions_tested(&mover, &wall);
    ck_assert_int_eq(first.status, PQT_SWEEP_HITS);
    worst->most_tested = tested > worst->most_tested ? tested : worst->most_tested;
    mover.from = first.stop;
    const pqt_vec push =
        pqt_vec_add(pqt_vec_scale(along, up ? 80 * u : -80 * u), pqt_vec_scale(in, 80 * u * angle));
    press_again(mover, &wall, push, u, worst);
}

/* Without the rule of sweep.h that a gap across a side counts, and not the length of the path, each
 * sweep moves on by the rounding error of a position divided by the angle. */
static void
glide_at_all_angles(double radius, int most_tested)
{
    dice d = {test_seed(__func__)};
    glide_result worst = {0, 0};
    for (size_t i = 0; i < GLIDE_PLACES; i++)
        for (int kind = radius > 0; kind < GLIDE_WALLS; kind++)
            for (double angle = 1e-1; angle > 1e-13; angle /= 10) {
                glide(&d, &glide_places[i], kind, angle, true, radius, &worst);
                glide(&d, &glide_places[i], kind, angle, false, radius, &worst);
            }
    fprintf(stderr, "# at most %d positions were tested; repeated sweeps moved by %g\n",
            worst.most_tested, worst.moved);
    ck_assert(worst.moved == 0);
    ck_assert_int_le(worst.most_tested, most_tested);
}

START_TEST(a_glide_at_a_grazing_angle_does_not_creep)
{
    glide_at_all_angles(0, 64);
}
END_TEST

START_TEST(a_glide_with_a_radius_does_not_creep)
{
    glide_at_all_angles(0.5, 64);
}
END_TEST

/* Requires that a sweep from the stop hits at once. */
static void
require_no_creep(pqt_mover a, pqt_mover b)
{
    const pqt_sweep first = swept(a, b);
    ck_assert_int_eq(first.status, PQT_SWEEP_HITS);
    a.to = pqt_vec_add(first.stop, pqt_vec_subtract(a.to, a.from));
    b.to = pqt_vec_add(first.stop_b, pqt_vec_subtract(b.to, b.from));
    a.from = first.stop;
    b.from = first.stop_b;
    const pqt_sweep again = swept(a, b);
    ck_assert_msg(again.status == PQT_SWEEP_HITS && again.time == 0, "the time of another is %g",
                  again.time);
}

/* At the stops, the gap is as large as the tolerance of 4 * 2^-53 times the coordinates, so that a
 * gap measured with a rounding error may count as touching in one sweep and not in the next. */
START_TEST(a_gap_as_large_as_the_tolerance_stays_closed)
{
    const pqt_convex of_b = convex_of(
        3, (pqt_vec[]){{0x1p-1, 0x1.b65dbf170902p-2}, {0x1.8p-1, -0x1p-1}, {0x1.cp-1, -0x1.8p-2}},
        0);
    require_no_creep(
        pqt_mover_box(box(-0x1.bda3931e49f9p-4, 0x1.4846f76043e4cp-2, 0x1.28198e66f0d76p-1, 0x1p-1),
                      at(-0x1.f7b6b47f44cc1p+1, -0x1.511925df5241p+1),
                      at(0x1.94d3c86f2de9cp+1, -0x1.bee4cd1d63b5ep+1)),
        pqt_mover_convex(&of_b, at(-0x1.5p+1, -0x1.51f30889883fap+1),
                         at(0x1p+1, -0x1.bc9450933d5ep+1)));
    const double u = 0x1p-500;
    const pqt_convex of_a =
        convex_of(3,
                  (pqt_vec[]){{-0x1.6e627675b10d6p-1 * u, -0x1.e7b47ac8caa84p-1 * u},
                              {0x1.8p-2 * u, 0x1p-2 * u},
                              {0x1p-1 * u, 0x1.d95015d65a75cp-2 * u}},
                  0);
    const double x = 0x1.caba64e3d28ccp-2 * u;
    require_no_creep(pqt_mover_convex(&of_a,
                                      at(-0x1.1583f91b4d70cp+2 * u, -0x1.bf022189937fbp+1 * u),
                                      at(0x1.b7f89390456dfp+1 * u, 0x1.b38790c0cb7p-6 * u)),
                     pqt_mover_box(box(x, 0x1.06b95c672631ap-1 * u, x, 0x1.86a62417a1c2ap-1 * u),
                                   at(-0x1.60cd19b225484p+1 * u, -0x1p+1 * u),
                                   at(0x1.3a3d86514552ap+1 * u, -0x1.4e6ea0d13f184p+0 * u)));
}
END_TEST

/* A mover that is apart by more than the tolerance moves up to the side, at any angle. */
START_TEST(a_glide_from_beyond_the_tolerance_moves_up)
{
    const pqt_convex shape = diamond(2, 0);
    for (int exponent = -46; exponent < 0; exponent++)
        for (double angle = 1; angle > 1e-7; angle /= 10) {
            const double gap = ldexp(24, exponent), path = gap / angle;
            pqt_mover mover = pqt_mover_convex(&shape, at(22 - gap, 3), at(22 + gap, 3 + 2 * path));
            const pqt_mover wall = still(box(24, -1e9, 25, 1e9));
            const pqt_sweep s = swept(mover, wall);
            ck_assert_int_le(positions_tested(&mover, &wall), 64);
            ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
            ck_assert_msg(22 - s.stop.x <= 24 * 0x1p-51 && s.stop.x <= 22 && s.stop.y > 3,
                          "gap %g at %g: it stops %g before the side", gap, angle, 22 - s.stop.x);
            /* A corner that is near the line of the side, but beyond the end of it, is no
             * contact. */
            mover = pqt_mover_convex(&shape, at(22, -50), at(22 + 0x1p-40, 50));
            ck_assert(swept(mover, still(box(24, 3, 25, 9))).stop.y > 0);
        }
}
END_TEST

/* ---- A reference in integers ---- */

enum { MOST_POINTS = PQT_MAX_CONVEX_VERTICES, MOST_DIFFERENCES = MOST_POINTS * MOST_POINTS };

typedef struct point64 {
    int64_t x, y;
} point64;

typedef struct whole_shape {
    size_t count;
    point64 points[MOST_POINTS];
} whole_shape;

static wide
turn(point64 o, point64 a, point64 b)
{
    return (wide)(a.x - o.x) * (b.y - o.y) - (wide)(a.y - o.y) * (b.x - o.x);
}

static int
compare_wholes(const void *a, const void *b)
{
    const point64 *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

/* Stores the hull of the points by Andrew's monotone chain, and returns its size. Points on the
 * sides of the hull are omitted. */
static size_t
hull_of(point64 *points, size_t count, point64 *hull)
{
    size_t size = 0;
    qsort(points, count, sizeof *points, compare_wholes);
    for (int upper = 0; upper < 2; upper++) {
        const size_t base = size;
        for (size_t i = 0; i < count; i++) {
            const point64 p = points[upper ? count - 1 - i : i];
            while (size >= base + 2 && turn(hull[size - 2], hull[size - 1], p) <= 0)
                size--;
            hull[size++] = p;
        }
        size--; /* the last point begins the other half */
    }
    return size;
}

/* The times at which the interiors begin and cease to intersect, as quotients with positive
 * divisors. */
typedef struct whole_passage {
    bool meets; /* at some time above `entry`, whether or not the motion reaches it */
    wide entry, entry_divisor, leaving, leaving_divisor;
    bool leaves;
} whole_passage;

/* Clips the motion of `a` from -`from` to -`to`, relative to `b`, at the sides of the hull of all
 * differences b - a. */
static whole_passage
passage_of(const whole_shape *a, const whole_shape *b, point64 from, point64 to)
{
    point64 differences[MOST_DIFFERENCES], hull[2 * MOST_DIFFERENCES];
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            differences[count++] =
                (point64){b->points[j].x - a->points[i].x, b->points[j].y - a->points[i].y};
    const size_t sides = hull_of(differences, count, hull);
    whole_passage p = {sides > 2, -1, 1, 0, 1, false};
    for (size_t i = 0; i < sides; i++) {
        const point64 next = hull[(i + 1) % sides];
        const wide start = turn(hull[i], next, from), end = turn(hull[i], next, to);
        if (start <= 0 && end <= start) {
            p.meets = false;
        } else if (start <= 0) {
            if (-start * p.entry_divisor > p.entry * (end - start))
                p.entry = -start, p.entry_divisor = end - start;
        } else if (end < start) {
            if (!p.leaves || start * p.leaving_divisor < p.leaving * (start - end))
                p.leaving = start, p.leaving_divisor = start - end;
            p.leaves = true;
        }
    }
    if (p.meets && p.leaves && p.entry * p.leaving_divisor >= p.leaving * p.entry_divisor)
        p.meets = false;
    return p;
}

static double
quotient(wide a, wide b)
{
    return (double)((long double)a / (long double)b);
}

/* Draws a shape. Returns it, and sets *made to it as a convex of doubles, in units of 2^unit. */
static whole_shape
drawn_shape(dice *d, int64_t extent, int unit, pqt_convex *made)
{
    for (;;) {
        whole_shape shape = {2 + dice_below(d, MOST_POINTS - 1), {{0, 0}}};
        pqt_vec points[MOST_POINTS];
        for (size_t i = 0; i < shape.count; i++) {
            point64 *p = &shape.points[i];
            *p = (point64){(int64_t)dice_below(d, (uint64_t)(2 * extent + 1)) - extent,
                           (int64_t)dice_below(d, (uint64_t)(2 * extent + 1)) - extent};
            points[i] = at(ldexp((double)p->x, unit), ldexp((double)p->y, unit));
        }
        if (pqt_convex_from_points(points, shape.count, 0, made, NULL))
            return shape;
    }
}

static point64
drawn_position(dice *d, int64_t extent)
{
    return (point64){(int64_t)dice_below(d, (uint64_t)(2 * extent + 1)) - extent,
                     (int64_t)dice_below(d, (uint64_t)(2 * extent + 1)) - extent};
}

static pqt_vec
place_of(point64 w, int unit)
{
    return at(ldexp((double)w.x, unit), ldexp((double)w.y, unit));
}

static point64
minus(point64 a, point64 b)
{
    return (point64){a.x - b.x, a.y - b.y};
}

static double
largest(pqt_box box)
{
    return fmax(fmax(fabs(box.min.x), fabs(box.max.x)), fmax(fabs(box.min.y), fabs(box.max.y)));
}

/* Returns the largest coordinate that two movers have on their paths. */
static double
size_of(pqt_mover a, pqt_mover b)
{
    return fmax(fmax(largest(box_of_mover(a, a.from)), largest(box_of_mover(a, a.to))),
                fmax(largest(box_of_mover(b, b.from)), largest(box_of_mover(b, b.to))));
}

/* Returns a shape at a position, for measuring distances. The rounding error is smaller than the
 * tested bound. */
static pqt_convex
placed_at(const pqt_convex *shape, pqt_vec position)
{
    pqt_convex moved = *shape;
    for (size_t i = 0; i < moved.count; i++)
        moved.vertices[i] = pqt_vec_add(moved.vertices[i], position);
    return moved;
}

/* Requires that a stop is free, that only rounding errors separate it from the other shape, and
 * that the normal separates the shapes. A sweep from there must not move, unless the whole motion
 * is in the other shape for less than the fraction `graze` of it. */
static void
expect_good_stop(pqt_mover a, pqt_mover b, const pqt_sweep *s, double graze, double *worst)
{
    const double size = size_of(a, b);
    require(!movers_overlap(a, s->stop, b, s->stop_b), "a stop is not free");
    const pqt_convex at_a = placed_at(a.convex, s->stop), at_b = placed_at(b.convex, s->stop_b);
    const double gap = pqt_convex_distance(&at_a, &at_b).distance;
    *worst = fmax(*worst, gap / (size * 0x1p-53));
    ck_assert_msg(gap <= size * GAP_BOUND, "a stop is early by %g roundings",
                  gap / (size * 0x1p-53));
    require(fabs(pqt_vec_length(s->normal) - 1) < 0x1p-50, "a normal has another length");
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < at_a.count; i++)
        low = fmin(low, pqt_vec_dot(at_a.vertices[i], s->normal) - at_a.radius);
    for (size_t i = 0; i < at_b.count; i++)
        high = fmax(high, pqt_vec_dot(at_b.vertices[i], s->normal) + at_b.radius);
    require(low - high > -size * 0x1p-45, "a normal does not separate the shapes");
    if (!same_position(b.from, b.to))
        return;
    a.from = s->stop;
    const pqt_sweep again = swept(a, b);
    require(graze < 0x1p-24 ||
                (again.status == PQT_SWEEP_HITS && same_position(again.stop, s->stop)),
            "a sweep from a stop moves");
}

/* Performs a sweep, and compares the result with an exact computation in integers. Returns the
 * status. */
static pqt_sweep_status
compare_sweep(dice *d, int64_t extent, int64_t apart, int unit, double *worst)
{
    pqt_convex of_a, of_b;
    const whole_shape a = drawn_shape(d, extent, unit, &of_a);
    const whole_shape b = drawn_shape(d, extent, unit, &of_b);
    const point64 offset = drawn_position(d, apart * (int64_t)dice_below(d, 3));
    const point64 a_from = drawn_position(d, apart), a_to = drawn_position(d, apart);
    const point64 b_from = offset, b_to = dice_chance(d, 60) ? offset : drawn_position(d, apart);
    const pqt_mover mover_a = pqt_mover_convex(&of_a, place_of(a_from, unit), place_of(a_to, unit));
    const pqt_mover mover_b = pqt_mover_convex(&of_b, place_of(b_from, unit), place_of(b_to, unit));
    const pqt_sweep s = swept(mover_a, mover_b);
    const whole_passage p = passage_of(&a, &b, minus(a_from, b_from), minus(a_to, b_to));
    const bool overlaps = p.meets && p.entry < 0 && (!p.leaves || p.leaving > 0);
    require((s.status == PQT_SWEEP_OVERLAPS) == overlaps,
            "an overlap at the start is decided wrong");
    if (overlaps) {
        const double exit = p.leaves ? quotient(p.leaving, p.leaving_divisor) : INFINITY;
        require(s.exit == exit || fabs(s.exit - exit) <= exit * 0x1p-48, "an exit is wrong");
        require(!movers_overlap(mover_a, s.free_position, mover_b, mover_b.from),
                "a free position is not free");
        return s.status;
    }
    const bool hits = p.meets && p.entry >= 0 && p.entry < p.entry_divisor;
    require((s.status == PQT_SWEEP_HITS) == hits, "a hit is decided wrong");
    if (!hits) {
        require(s.stop.x == mover_a.to.x && s.stop.y == mover_a.to.y, "a free motion stops");
        return s.status;
    }
    const double time = quotient(p.entry, p.entry_divisor);
    const bool moves =
        !same_position(s.stop, mover_a.from) || !same_position(s.stop_b, mover_b.from);
    require(!moves || fabs(s.time - time) <= 0x1p-45, "a time is wrong");
    const double end = p.leaves ? quotient(p.leaving, p.leaving_divisor) : 1;
    expect_good_stop(mover_a, mover_b, &s, end - time, worst);
    return s.status;
}

START_TEST(sweeps_are_decided_as_in_whole_numbers)
{
    static const struct {
        int64_t extent, apart;
    } sizes[] = {{3, 8}, {1000, 3000}, {2, 100000}, {1 << 20, 1 << 22}, {50, 1 << 28}};
    static const int units[] = {0, -30, 900, -900, 30, 990, -1000};
    dice d = {test_seed(__func__)};
    const size_t rounds = test_scaled_from(2500, 100);
    size_t seen[5] = {0};
    double worst = 0;
    for (size_t round = 0; round < rounds; round++) {
        const size_t size = dice_below(&d, 5);
        seen[compare_sweep(&d, sizes[size].extent, sizes[size].apart, units[dice_below(&d, 7)],
                           &worst)]++;
    }
    fprintf(stderr, "# %zu sweeps: %zu hit, %zu overlap, %zu touch; a stop is early by %.2f\n",
            rounds, seen[PQT_SWEEP_HITS], seen[PQT_SWEEP_OVERLAPS], seen[PQT_SWEEP_TOUCHES], worst);
    ck_assert(seen[PQT_SWEEP_HITS] > rounds / 20 && seen[PQT_SWEEP_OVERLAPS] > rounds / 50 &&
              seen[PQT_SWEEP_FREE] > rounds / 20);
}
END_TEST

/* ---- Numbers of all sizes ---- */

enum { ANY_BITS, WHOLE, ANY_POWER, SMALLEST, ROUNDED, LARGEST, SORTS };

static double
draw_hostile(dice *d, uint64_t sort)
{
    const double few = (double)dice_below(d, 9) - 4;
    const int power = (int)dice_below(d, 2000);
    const uint64_t bits = dice_next(d);
    double any;
    switch (sort) {
    case ANY_BITS:
        memcpy(&any, &bits, sizeof any);
        return isfinite(any) ? any : few;
    case ANY_POWER:
        return ldexp(few, power - 1000);
    case SMALLEST:
        return ldexp(few, power % 8 - 1074);
    case ROUNDED:
        return nextafter(few, bits % 2 == 0 ? 9 : -9);
    case LARGEST:
        return ldexp(few, 1010 + power % 10);
    default:
        return few;
    }
}

static pqt_vec
draw_hostile_position(dice *d, uint64_t sort)
{
    const double x = draw_hostile(d, dice_chance(d, 5) ? dice_below(d, SORTS) : sort);
    return at(x, draw_hostile(d, sort));
}

static bool
draw_hostile_convex(dice *d, uint64_t sort, pqt_convex *made)
{
    pqt_vec points[MOST_POINTS];
    const size_t count = 2 + dice_below(d, MOST_POINTS - 1);
    for (size_t i = 0; i < count; i++)
        points[i] = draw_hostile_position(d, sort);
    const double radius = dice_chance(d, 67) ? 0 : fabs(draw_hostile(d, sort));
    return pqt_convex_from_points(points, count, radius, made, NULL);
}

static void
expect_sound_sweep(pqt_mover a, pqt_mover b)
{
    const pqt_sweep s = swept(a, b);
    const bool has_normal = s.status == PQT_SWEEP_HITS || s.status == PQT_SWEEP_OVERLAPS;
    require(s.time >= 0 && s.time <= 1, "a time is not a fraction");
    require(!has_normal || fabs(pqt_vec_length(s.normal) - 1) < 1e-9,
            "a normal has no length of 1");
    if (s.status == PQT_SWEEP_OVERLAPS) {
        require(s.exit >= 0, "an exit is before the start");
        require(!pqt_vec_is_finite(s.free_position) ||
                    !movers_overlap(a, s.free_position, b, b.from),
                "a free position is not free");
        return;
    }
    require(!movers_overlap(a, a.from, b, b.from), "an overlap at the start is not seen");
    require(!movers_overlap(a, s.stop, b, s.stop_b), "a stop is not free");
}

START_TEST(numbers_of_all_sizes_are_swept)
{
    dice d = {test_seed(__func__)};
    const size_t rounds = test_scaled_from(1500, 60);
    size_t valid = 0;
    for (size_t round = 0; round < rounds; round++) {
        const uint64_t sort = dice_below(&d, SORTS), kind = dice_below(&d, 4);
        pqt_convex of_a, of_b;
        if (!draw_hostile_convex(&d, sort, &of_a) || !draw_hostile_convex(&d, sort, &of_b))
            continue;
        const pqt_vec from = draw_hostile_position(&d, sort), to = draw_hostile_position(&d, sort);
        const pqt_vec b_from = draw_hostile_position(&d, sort);
        const pqt_vec b_to = dice_chance(&d, 50) ? b_from : draw_hostile_position(&d, sort);
        const pqt_mover a = pqt_mover_convex(&of_a, from, to);
        const pqt_mover b = kind == 0 ? pqt_mover_box(pqt_convex_box(&of_b), b_from, b_to)
                            : kind == 1
                                ? pqt_mover_circle(fabs(draw_hostile(&d, sort)), b_from, b_to)
                                : pqt_mover_convex(&of_b, b_from, b_to);
        if (!pqt_mover_is_valid(a) || !pqt_mover_is_valid(b))
            continue;
        valid++;
        expect_sound_sweep(a, b);
        const pqt_contact contact = pqt_contact_convexes(&of_a, &of_b);
        require(contact.overlaps == pqt_convex_overlaps(&of_a, &of_b) &&
                    contact.overlaps == (contact.depth > 0),
                "a contact is wrong");
    }
    ck_assert_uint_gt(valid, rounds / 3);
}
END_TEST

/* ---- Trees ---- */

enum { ITEMS = 120 };

static void
compare_in_tree(dice *d, const pqt_tree *tree, const pqt_item *items)
{
    pqt_convex shape;
    (void)drawn_shape(d, 12, 0, &shape);
    shape.radius = dice_chance(d, 50) ? 0 : dice_real(d) * 4;
    const sweep_scale scale = {0, 1};
    const pqt_mover mover =
        pqt_mover_convex(&shape, draw_position(d, &scale, 150), draw_position(d, &scale, 150));
    const pqt_sweep s = pqt_tree_sweep(tree, mover, NULL);
    pqt_sweep_status expected = PQT_SWEEP_FREE;
    double time = 1;
    for (size_t i = 0; i < ITEMS; i++) {
        const pqt_sweep one = swept(mover, still(items[i].box));
        expected = one.status > expected ? one.status : expected;
        if (one.status == PQT_SWEEP_HITS)
            time = fmin(time, one.time);
    }
    ck_assert_msg(s.status == expected, "status %d, and %d by comparing all", (int)s.status,
                  (int)expected);
    if (s.status != PQT_SWEEP_HITS)
        return;
    ck_assert_msg(fabs(s.time - time) <= 1e-12, "time %.17g, and %.17g by comparing all", s.time,
                  time);
    for (size_t i = 0; i < ITEMS; i++)
        require(!movers_overlap(mover, s.stop, still(items[i].box), at(0, 0)),
                "a stop is not free");
}

/* Draws boxes whose corners have integer coordinates, some of them flat. */
static const pqt_tree *
drawn_tree(dice *d, pqt_item items[ITEMS])
{
    for (size_t i = 0; i < ITEMS; i++) {
        const double x = floor(dice_real(d) * 300 - 150), y = floor(dice_real(d) * 300 - 150);
        items[i] =
            boxed(box(x, y, x + floor(dice_real(d) * 12), y + floor(dice_real(d) * 12)), i + 1);
    }
    return with_items(small_tree(4), items, ITEMS);
}

START_TEST(trees_are_swept_as_all_their_items)
{
    dice d = {test_seed(__func__)};
    const size_t rounds = test_scaled_from(300, 30);
    pqt_item items[ITEMS];
    const pqt_tree *tree = drawn_tree(&d, items);
    for (size_t round = 0; round < rounds; round++)
        compare_in_tree(&d, tree, items);
}
END_TEST

/* A mover slides from place to place. Each stop is free of all boxes. */
START_TEST(slides_stay_free_and_go_further_than_sweeps)
{
    dice d = {test_seed(__func__)};
    const size_t rounds = test_scaled_from(60, 10);
    const sweep_scale scale = {0, 1};
    pqt_item items[ITEMS];
    const pqt_tree *tree = drawn_tree(&d, items);
    size_t hits = 0, further = 0;
    for (size_t round = 0; round < rounds; round++) {
        pqt_convex shape;
        (void)drawn_shape(&d, 12, 0, &shape);
        shape.radius = dice_chance(&d, 70) ? 0 : dice_real(&d) * 4;
        pqt_vec place = draw_position(&d, &scale, 150);
        for (int i = 0; i < 20; i++) {
            const pqt_mover mover = pqt_mover_convex(&shape, place, draw_position(&d, &scale, 150));
            const pqt_slide s = pqt_tree_slide(tree, mover, 3, NULL);
            if (s.first.status == PQT_SWEEP_OVERLAPS)
                break;
            for (size_t k = 0; k < ITEMS; k++)
                require(!movers_overlap(mover, s.stop, still(items[k].box), at(0, 0)),
                        "a slide ends in a box");
            hits += s.first.status == PQT_SWEEP_HITS;
            further += pqt_vec_distance(s.stop, s.first.stop) > 1e-9;
            place = s.stop;
        }
    }
    fprintf(stderr, "# %zu of %zu slides got further than their sweep\n", further, hits);
    ck_assert_uint_gt(further, hits / 2);
}
END_TEST

static Suite *
sweep_convex_suite(void)
{
    Suite *suite = suite_create("convex sweeps");
    TCase *examples = tcase_create("examples");
    tcase_add_test(examples, a_corner_stops_at_a_side);
    tcase_add_test(examples, a_side_stops_at_a_corner);
    tcase_add_test(examples, corners_that_meet_have_the_normal_between_their_sides);
    tcase_add_test(examples, touching_shapes_hit_only_if_they_move_into_each_other);
    tcase_add_test(examples, an_overlap_has_an_exit_and_a_free_position);
    tcase_add_test(examples, capsules_stop_at_their_radius);
    tcase_add_test(examples, the_very_end_of_a_side_counts_as_the_side);
    tcase_add_test(examples, an_item_at_a_flat_side_comes_before_one_at_an_oblique_side);
    tcase_add_test(examples, shapes_with_a_radius_meet_on_the_way_to_the_largest_numbers);
    tcase_add_test(examples, a_tilted_box_slides_along_a_tilted_wall);
    tcase_add_test(examples, movers_that_are_not_valid_are_not_swept);
    tcase_add_test(examples, the_box_of_a_convex_is_rounded_outward);
    tcase_add_test(examples, contacts_separate_along_the_shortest_path);
    tcase_add_test(examples, equally_deep_sides_have_an_order);
    tcase_add_test(examples, the_point_of_parallel_sides_is_in_both_shapes);
    tcase_add_test(examples, the_point_of_nearly_parallel_sides_is_in_both_shapes);
    tcase_add_test(examples, a_centre_next_to_the_end_of_a_side_is_pushed_across_the_side);
    tcase_add_test(examples, a_push_tests_few_lengths);
    tcase_add_test(examples, contacts_of_the_largest_convexes_are_finite);
    suite_add_tcase(suite, examples);

    TCase *glides = tcase_create("glides");
    tcase_set_timeout(glides, 600);
    tcase_add_test(glides, a_glide_at_a_grazing_angle_does_not_creep);
    tcase_add_test(glides, a_glide_with_a_radius_does_not_creep);
    tcase_add_test(glides, a_gap_as_large_as_the_tolerance_stays_closed);
    tcase_add_test(glides, a_glide_from_beyond_the_tolerance_moves_up);
    suite_add_tcase(suite, glides);

    TCase *compared = tcase_create("compared");
    tcase_set_timeout(compared, 600);
    tcase_add_test(compared, sweeps_are_decided_as_in_whole_numbers);
    tcase_add_test(compared, numbers_of_all_sizes_are_swept);
    tcase_add_test(compared, trees_are_swept_as_all_their_items);
    tcase_add_test(compared, slides_stay_free_and_go_further_than_sweeps);
    suite_add_tcase(suite, compared);
    return suite;
}

int
main(void)
{
    return run_suite(sweep_convex_suite());
}
