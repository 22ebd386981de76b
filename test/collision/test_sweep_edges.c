/* SPDX-License-Identifier: MIT */
/* test_sweep_edges.c: tests sweeps and slides with rounding errors as large as the distances. */
#include "config.h"

#include <float.h>

#include <pqt/circle.h>

#include "suite.h"
#include "sweep_support.h"

static void
expect_position(pqt_vec position, double x, double y)
{
    ck_assert_msg(position.x == x && position.y == y, "(%.17g, %.17g) for (%.17g, %.17g)",
                  position.x, position.y, x, y);
}

/* ---- Exits ---- */

/* The rounded difference is a gap, but the exact predicate finds that they overlap. */
START_TEST(an_overlapping_mover_at_rest_never_leaves)
{
    pqt_mover ball =
        still_circle(0x1.e847ffdf3b646p+19, 0x1.e847fff7ced91p+19, 0x1.0624dd2f1a9fcp-9);
    pqt_box shape = box(-0x1.0624dd2f1a9fcp-8, -0x1.0624dd2f1a9fcp-10, 0x1.0624dd2f1a9fcp-8,
                        0x1.0624dd2f1a9fcp-8);
    pqt_vec position = at(0x1.e847ffe76c8b4p+19, 0x1.e8480010624ddp+19);
    pqt_sweep s = swept(ball, pqt_mover_box(shape, position, position));
    ck_assert(s.status == PQT_SWEEP_OVERLAPS && s.exit == INFINITY);
    /* Both have the same motion. */
    pqt_mover a = pqt_mover_circle(1, at(0.1, 0), at(0.7, 3)), b = a;
    ck_assert(swept(a, b).exit == INFINITY);
}
END_TEST

START_TEST(an_exit_is_measured_where_both_barely_separate)
{
    /* Both move by 1e9 along y. Their motions differ by 0.25. */
    pqt_mover a = pqt_mover_box(unit_box, at(0, 0), at(0, 1e9));
    pqt_mover b = pqt_mover_box(unit_box, at(0, 0.5), at(0, 1e9 + 0.25));
    pqt_sweep s = swept(a, b);
    ck_assert(s.status == PQT_SWEEP_OVERLAPS && s.exit == 1.5 / 0.25);
    /* The movers separate along y by 2^-83, which is lost if differences are rounded. */
    a = pqt_mover_circle(0x1.9c511dc3a41ep-29, at(-0x1.9c511dc3a41ep-29, 0),
                         at(-0x1.9c511dc3a41ep-29, 0x1.9c511dc3a41ep-29));
    b = pqt_mover_circle(0x1.12e0be826d695p-28, at(0, 0x1.12e0be826d695p-30),
                         at(0, 0x1.12e0be826d695p-28));
    s = swept(a, b);
    ck_assert(s.status == PQT_SWEEP_OVERLAPS && s.exit > 1 && s.exit < INFINITY);
}
END_TEST

static pqt_mover
enlarged(pqt_mover m, double unit)
{
    m.box = (pqt_box){pqt_vec_scale(m.box.min, unit), pqt_vec_scale(m.box.max, unit)};
    m.radius *= unit;
    m.from = pqt_vec_scale(m.from, unit);
    m.to = pqt_vec_scale(m.to, unit);
    return m;
}

/* Near the largest doubles, differences overflow. */
START_TEST(an_exit_is_the_same_in_any_unit)
{
    const pqt_mover boxes[] = {pqt_mover_box(box(-1, -2, 3, 1), at(0, 1), at(5, -2)),
                               pqt_mover_box(box(0, 0, 2, 2), at(1, 0), at(-6, 7))};
    const pqt_mover circles[] = {pqt_mover_circle(2, at(1, 1), at(3, 6)),
                                 pqt_mover_circle(3, at(0, -1), at(-7, -6))};
    const pqt_mover all[] = {boxes[0], boxes[1], circles[0], circles[1]};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            if (i == k)
                continue;
            const pqt_sweep s = swept(all[i], all[k]);
            ck_assert(s.status == PQT_SWEEP_OVERLAPS && s.exit > 0 && s.exit < 2);
            for (int exponent = -900; exponent <= 1018; exponent += 7) {
                const double unit = ldexp(1, exponent);
                const double exit = swept(enlarged(all[i], unit), enlarged(all[k], unit)).exit;
                ck_assert_msg(exit == s.exit, "%d and %d in 2^%d: %.17g for %.17g", i, k, exponent,
                              exit, s.exit);
            }
        }
}
END_TEST

/* ---- A circle of radius 0 ---- */

START_TEST(a_circle_of_radius_0_is_a_point_to_boxes)
{
    pqt_mover dot = still_circle(0x1.81c7333333333p+13, 0x1.81c599999999ap+13, 0);
    pqt_mover wall = pqt_mover_box(
        box(-0x1.999999999999ap-4, -0x1.999999999999ap-4, 0, 0x1.999999999999ap-2),
        at(0x1.81c6666666666p+13, 0x1.81c599999999ap+13), at(0x1.81c8ccccccccdp+13, 0x1.81c8p+13));
    pqt_mover point = pqt_mover_box(box(0, 0, 0, 0), dot.from, dot.to);
    pqt_sweep s = swept(dot, wall), as_box = swept(point, wall);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    expect_position(s.stop_b, as_box.stop_b.x, as_box.stop_b.y);
    wall.from = s.stop_b;
    s = swept(dot, wall);
    ck_assert(s.status == PQT_SWEEP_HITS && s.time == 0);
    expect_position(s.stop_b, wall.from.x, wall.from.y);
}
END_TEST

static void
expect_same_sweep(pqt_sweep a, pqt_sweep b)
{
    ck_assert_int_eq(a.status, b.status);
    ck_assert(a.time == b.time && a.exit == b.exit && a.blocked == b.blocked);
    expect_position(a.stop, b.stop.x, b.stop.y);
    expect_position(a.stop_b, b.stop_b.x, b.stop_b.y);
    expect_position(a.normal, b.normal.x, b.normal.y);
    expect_position(a.free_position, b.free_position.x, b.free_position.y);
}

/* The point is often in the middle of the box, or at equal distances from two sides. */
START_TEST(a_circle_of_radius_0_is_swept_as_the_box_that_is_a_point)
{
    dice d = {test_seed("a_circle_of_radius_0")};
    size_t overlaps = 0, hits = 0;
    for (size_t i = 0; i < 4000; i++) {
        const int unit = dice_chance(&d, 50) ? 1 : 16;
        pqt_vec positions[4];
        for (int k = 0; k < 4; k++)
            positions[k] = at((double)dice_below(&d, 9 * (uint64_t)unit) / unit - 4,
                              (double)dice_below(&d, 9 * (uint64_t)unit) / unit - 4);
        const bool rests = dice_chance(&d, 40), other_rests = dice_chance(&d, 40);
        const pqt_mover wall =
            pqt_mover_box(box(-2, -2, 2, 2), positions[0], rests ? positions[0] : positions[1]);
        const pqt_vec from = positions[2], to = other_rests ? positions[2] : positions[3];
        const pqt_mover dot = pqt_mover_circle(0, from, to);
        const pqt_mover point = pqt_mover_box(box(0, 0, 0, 0), from, to);
        expect_same_sweep(swept(wall, dot), swept(wall, point));
        expect_same_sweep(swept(dot, wall), swept(point, wall));
        overlaps += swept(wall, dot).status == PQT_SWEEP_OVERLAPS;
        hits += swept(wall, dot).status == PQT_SWEEP_HITS;
    }
    ck_assert(overlaps > 100 && hits > 100);
}
END_TEST

/* ---- Axes of different sizes ---- */

/* A corner moves to a corner. On one axis, it reaches the side of the other box at time 1/2 + 0.6 *
 * 2^-34, on the other axis at 1/2 + 0.8 * 2^-34. If the tiny axis is scaled to the size of the
 * other one, 33 bits are left. */
START_TEST(the_last_axis_is_found_exactly_whatever_the_sizes_of_both)
{
    const double tiny = 0x1p-500, huge = 0x1p1000;
    const double early = 0.5 + ldexp(0.6, -34), late = 0.5 + ldexp(0.8, -34);
    for (int i = 0; i < 4; i++) {
        const double size_x = (i & 1) != 0 ? huge : tiny, size_y = (i & 1) != 0 ? tiny : huge;
        const double x = ((i & 2) != 0 ? late : early) * size_x;
        const double y = ((i & 2) != 0 ? early : late) * size_y;
        const pqt_mover mover =
            pqt_mover_box(box(-size_x / 4, -size_y / 4, 0, 0), at(0, 0), at(size_x, size_y));
        const pqt_sweep s = swept(mover, still(box(x, y, 2 * size_x, 2 * size_y)));
        ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
        ck_assert_uint_eq(s.blocked, (i & 2) != 0 ? PQT_BLOCKED_X : PQT_BLOCKED_Y);
        expect_position(s.normal, (i & 2) != 0 ? -1 : 0, (i & 2) != 0 ? 0 : -1);
    }
}
END_TEST

/* ---- Long paths ---- */

START_TEST(a_normal_is_not_lost_in_a_long_path)
{
    pqt_mover a = pqt_mover_circle(0, at(0x1.5ed390397a305p+994, -0x1.53181933f3d3bp+26),
                                   at(0x1.89c38e49fa1a1p-58, 0));
    pqt_mover b = pqt_mover_circle(0x1.e4b5795d03f92p-58,
                                   at(0x1.ca0a682944af9p+29, -0x1.4b7e567ed2d0cp-35), at(0, 0));
    pqt_sweep s = swept(a, b);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert(fabs(pqt_vec_length(s.normal) - 1) < 1e-14);
    ck_assert_uint_eq(s.blocked, PQT_BLOCKED_X | PQT_BLOCKED_Y);
}
END_TEST

/* The time of the hit rounds to the time of the end, where the box is past the circle. */
START_TEST(a_stop_is_before_the_hit_however_long_the_path)
{
    static const double beginnings[] = {-1e9, -1e17, -1e100, -1e300, -1.7e308};
    for (size_t i = 0; i < 5; i++) {
        pqt_mover a = pqt_mover_box(unit_box, at(beginnings[i], 0), at(10, 0));
        pqt_sweep s = swept(a, still_circle(5, 0.5, 0.5));
        ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
        ck_assert(s.stop.x <= 3.5 && s.stop.x > 3.5 - 1e-14 && s.stop.y == 0);
        ck_assert_uint_eq(s.blocked, PQT_BLOCKED_X);
        a = pqt_mover_box(unit_box, at(beginnings[i], 0), at(-beginnings[i], 0));
        s = swept(a, still_circle(5, 0.5, 0.5));
        ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
        ck_assert(s.stop.x <= 3.5 && s.stop.x > 3.5 - 1e-14 && s.stop.y == 0);
    }
}
END_TEST

/* The boxes touch along y, where the mover is flat, and the other one moves away. Its height is
   lost when its sides are rounded, so that they seem to overlap. */
START_TEST(a_flat_box_is_not_hit_by_one_that_moves_away)
{
    const pqt_mover a =
        pqt_mover_box(box(-0x1.999999999998p-3, 0, 0x1.e666666666668p+1, 0),
                      at(0x1.0666666666666p+3, 12), at(0x1.6p+3, 0x1.0666666666666p+3));
    const pqt_mover b =
        pqt_mover_box(box(-0x1.99999999999ap-3, -0x1p-50, 0x1.e666666666666p+1, 0),
                      at(0x1.f99999999999ap+2, 12), at(0x1.0333333333333p+3, 0x1.0333333333332p+3));
    const pqt_sweep s = swept(a, b);
    ck_assert_int_eq(s.status, PQT_SWEEP_FREE);
    expect_position(s.stop, a.to.x, a.to.y);
}
END_TEST

/* ---- Barely hit corners ---- */

/* The gap to the side is smaller than the distance between two doubles, and the path passes the end
 * of the side within this gap. From the last position before the side, the mover would miss it. */
START_TEST(a_stop_before_a_barely_hit_corner_is_stable)
{
    pqt_mover a = pqt_mover_box(box(-0x1.999999999999ap-2, -0x1.999999999999ap-2,
                                    -0x1.3333333333334p-2, -0x1.999999999999ap-3),
                                at(0x1.81c8p+13, 0x1.81c6666666666p+13),
                                at(0x1.81c4ccccccccdp+13, 0x1.81c999999999ap+13));
    pqt_mover wall = still(box(0x1.81c4ccccccccdp+13, 0x1.81c5999999999p+13, 0x1.81c4ccccccccdp+13,
                               0x1.81c9999999999p+13));
    pqt_sweep s = swept(a, wall);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    a.from = s.stop;
    pqt_sweep again = swept(a, wall);
    ck_assert(again.status == PQT_SWEEP_HITS && again.time == 0);
    expect_position(again.stop, s.stop.x, s.stop.y);
}
END_TEST

static pqt_mover
with_motion(pqt_mover m, pqt_vec from, pqt_vec to)
{
    m.from = from;
    m.to = to;
    return m;
}

static double
nudged(dice *d, double number)
{
    const double toward = dice_chance(d, 50) ? INFINITY : -INFINITY;
    for (uint64_t steps = dice_below(d, 3); steps > 0; steps--)
        number = nextafter(number, toward);
    return number;
}

/* Draws a resting box whose corner is on the path of a mover's corner, except for rounding. */
static pqt_mover
draw_box_at_path(dice *d, const pqt_mover *a)
{
    const pqt_vec at_corner = pqt_segment_at((pqt_segment){a->from, a->to}, dice_real(d));
    const pqt_vec size = {0.1 + dice_real(d), 0.1 + dice_real(d)};
    pqt_vec corner = {a->box.min.x - size.x, a->box.max.y};
    if (a->to.x > a->from.x)
        corner.x = a->box.max.x;
    if (a->to.y > a->from.y)
        corner.y = a->box.min.y - size.y;
    corner = pqt_vec_add(corner, at_corner);
    corner = at(nudged(d, corner.x), nudged(d, corner.y));
    return still(box(corner.x, corner.y, corner.x + size.x, corner.y + size.y));
}

/* The motion after a stop may be the rest of the first one, or a whole one. */
START_TEST(a_motion_of_any_length_hits_at_once_after_a_stop_at_a_corner)
{
    dice d = {test_seed(__func__)};
    size_t hits = 0;
    for (size_t round = test_scaled_from(100000, 20000); round > 0; round--) {
        const double x = floor(dice_real(&d) * 100) / 10, y = floor(dice_real(&d) * 100) / 10;
        const pqt_vec to = {x + floor(dice_real(&d) * 40) / 10 - 1.95,
                            y + floor(dice_real(&d) * 40) / 10 - 1.95};
        pqt_mover a =
            pqt_mover_box(box(-0.1 - floor(dice_real(&d) * 10) / 10, -0.4, 0.3, 0.7), at(x, y), to);
        const pqt_mover wall = draw_box_at_path(&d, &a);
        const pqt_sweep s = swept(a, wall);
        if (s.status != PQT_SWEEP_HITS)
            continue;
        hits++;
        a = with_motion(a, s.stop, to);
        ck_assert(swept(a, wall).status == PQT_SWEEP_HITS && swept(a, wall).time == 0);
        a = with_motion(a, s.stop, pqt_vec_add(s.stop, pqt_vec_subtract(to, at(x, y))));
        ck_assert(swept(a, wall).status == PQT_SWEEP_HITS && swept(a, wall).time == 0);
    }
    ck_assert_uint_gt(hits, 4000);
}
END_TEST

/* On x they touch from the start, and their motions are equal except for rounding. On y they are
   apart until the middle of the path. */
START_TEST(an_axis_whose_distance_rounds_to_0_waits_for_the_other)
{
    pqt_mover a =
        pqt_mover_box(box(0, -0x1.999999999999ap-3, 0x1.999999999999ap-4, 0x1.999999999999ap-2),
                      at(0x1.81c999999999ap+13, 0x1.81cb333333333p+13),
                      at(0x1.81c8ccccccccdp+13, 0x1.81cb333333333p+13));
    pqt_mover b =
        pqt_mover_box(box(0, 0x1.999999999999ap-2, 0x1.999999999999ap-2, 0x1.999999999999ap-2),
                      at(0x1.81c6666666666p+13, 0x1.81c599999999ap+13),
                      at(0x1.81c599999999ap+13, 0x1.81c7333333333p+13));
    pqt_sweep s = swept(a, b);
    ck_assert(s.status != PQT_SWEEP_HITS || fabs(s.time - 0.5) < 1e-9);
    ck_assert(!movers_overlap(a, s.stop, b, s.stop_b));
}
END_TEST

/* The mover overlaps by rounding errors long before the overlap exceeds the tolerance. It stops
   when the tolerance is exceeded, not at the start. */
START_TEST(a_graze_that_ends_in_a_rounding_error_stops_where_it_overlaps)
{
    pqt_mover a = pqt_mover_box(box(-0x1.f4p+9, -0x1.f4p+11, 0x1.f4p+11, -0x1.f4p+10),
                                at(-0x1.dcd68e8p+29, -0x1.dcd5f24p+29),
                                at(-0x1.dcd68e8p+29, -0x1.dcd5f24000037p+29));
    pqt_mover b = pqt_mover_circle(0x1.77p+11, at(-0x1.dcd6cdp+29, -0x1.dcd6cdp+29),
                                   at(-0x1.dcd6118p+29, -0x1.dcd6cdp+29));
    pqt_sweep s = swept(a, b);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_msg(s.time > 0.16, "at %g", s.time);
    ck_assert(!movers_overlap(a, s.stop, b, s.stop_b));
}
END_TEST

/* The ball passes the first box with an overlap that is below the tolerance of a sweep. But the
   predicate that confirms stops detects it. */
START_TEST(a_stop_inside_a_passed_box_is_moved_before_it)
{
    const pqt_item items[] = {boxed(box(0x1.e848001db22d1p+19, 0x1.e848003958106p+19,
                                        0x1.e8480026e978dp+19, 0x1.e8480049ba5e3p+19),
                                    1),
                              boxed(box(0x1.e84800116872bp+19, 0x1.e8480026e978dp+19,
                                        0x1.e84800199999ap+19, 0x1.e84800353f7cfp+19),
                                    2)};
    const pqt_tree *tree = made(box(999999, 999999, 1000003, 1000003), options_of(1, 24));
    tree = inserted(inserted(tree, items[0]), items[1]);
    pqt_mover ball =
        pqt_mover_circle(0x1.47ae147ae147bp-10, at(0x1.e847fffced917p+19, 0x1.e848003f7ced9p+19),
                         at(0x1.e848004189375p+19, 0x1.e848003f7ced9p+19));
    pqt_sweep s = pqt_tree_sweep(tree, ball, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_msg(s.time > 0.29 && s.time < 0.33, "at %g", s.time);
    const found_list *all = found_by(tree, query_of_all());
    ck_assert(s.rank < 2 && pqt_item_equals(all->items[s.rank], s.item));
    for (int i = 0; i < 2; i++)
        ck_assert(!pqt_circle_overlaps_box((pqt_circle){s.stop, ball.radius}, items[i].box));
    ball.from = s.stop;
    pqt_sweep again = pqt_tree_sweep(tree, ball, NULL);
    ck_assert(again.status == PQT_SWEEP_HITS && again.time == 0);
    expect_position(again.stop, s.stop.x, s.stop.y);
}
END_TEST

/* ---- Extreme distances ---- */

/* Movers of each kind whose right side is 6 units from their position, and obstacles of each kind
 * whose side is at x = 0. */
typedef struct gallery {
    pqt_convex square, round, segment, capsule;
    pqt_mover movers[4], obstacles[5];
} gallery;

enum { GALLERY_MOVERS = 4, GALLERY_OBSTACLES = 5 };

static void
set_gallery(gallery *g)
{
    const pqt_vec corners[] = {{-6, -6}, {6, -6}, {6, 6}, {-6, 6}}, ends[] = {{0, -9}, {0, 9}};
    const pqt_vec inner[] = {{-5, -5}, {5, -5}, {5, 5}, {-5, 5}}, middle[] = {{1, -9}, {1, 9}};
    ck_assert(pqt_convex_from_points(corners, 4, 0, &g->square, NULL));
    ck_assert(pqt_convex_from_points(inner, 4, 1, &g->round, NULL));
    ck_assert(pqt_convex_from_points(ends, 2, 0, &g->segment, NULL));
    ck_assert(pqt_convex_from_points(middle, 2, 1, &g->capsule, NULL));
    const pqt_vec zero = {0, 0};
    const pqt_mover movers[] = {
        pqt_mover_box(box(-6, -6, 6, 6), zero, zero), pqt_mover_circle(6, zero, zero),
        pqt_mover_convex(&g->square, zero, zero), pqt_mover_convex(&g->round, zero, zero)};
    const pqt_mover obstacles[] = {
        pqt_mover_box(box(0, -9, 0, 9), zero, zero), pqt_mover_circle(0, zero, zero),
        pqt_mover_convex(&g->segment, zero, zero), pqt_mover_convex(&g->capsule, zero, zero),
        pqt_mover_box(box(0, 0, 0, 0), zero, zero)};
    memcpy(g->movers, movers, sizeof movers);
    memcpy(g->obstacles, obstacles, sizeof obstacles);
}

/* A distance along x is as accurate as the numbers on the x axis, however large y is. */
START_TEST(a_large_coordinate_on_one_axis_spoils_no_distance_on_the_other)
{
    static const double heights[] = {0, 7, 1e9, 1e16, -1e16, 1e150, 1e300, -1e308, 1e308};
    gallery g;
    set_gallery(&g);
    for (size_t k = 0; k < sizeof heights / sizeof *heights; k++)
        for (int i = 0; i < GALLERY_MOVERS; i++)
            for (int j = 0; j < GALLERY_OBSTACLES; j++)
                for (int swapped = 0; swapped < 2; swapped++) {
                    const double y = heights[k];
                    if (i == 0 && g.obstacles[j].kind != PQT_MOVER_CONVEX)
                        continue; /* rounded to a line far away, a box overlaps no other line */
                    pqt_mover a = with_motion(g.movers[i], at(-9, y), at(0, y));
                    pqt_mover b = with_motion(g.obstacles[j], at(0, y), at(0, y));
                    if (swapped) {
                        a = with_motion(g.movers[i], at(y, -9), at(y, 0));
                        b = with_motion(g.obstacles[j], at(y, 0), at(y, 0));
                        if (g.obstacles[j].kind == PQT_MOVER_CONVEX || j == 0)
                            continue; /* it is upright */
                    }
                    const pqt_sweep s = swept(a, b);
                    const double stop = swapped ? s.stop.y : s.stop.x;
                    ck_assert_msg(s.status == PQT_SWEEP_HITS && fabs(s.time - 1 / 3.0) < 1e-15 &&
                                      fabs(stop + 6) < 1e-14,
                                  "mover %d, obstacle %d at %g: status %d, time %.17g, stop %.17g",
                                  i, j, y, (int)s.status, s.time, stop);
                }
}
END_TEST

/* The paths are so long that their rounding errors exceed the overlap at the end, so that they do
 * not tell which side is hit. Their direction does not, either. A circle just beyond the end of a
 * side counts as hitting that side. */
START_TEST(a_hit_at_the_end_of_a_long_path_has_the_normal_of_its_side)
{
    gallery g;
    set_gallery(&g);
    for (int i = 1; i < GALLERY_MOVERS; i++) /* far away, the first one is rounded to a line */
        for (int j = 0; j < GALLERY_OBSTACLES; j++)
            for (double far = 1; far < 1e307; far *= 9e16)
                for (int tilt = -1; tilt <= 2; tilt++)
                    for (double dip = 1e-14; dip < 0.1; dip *= 1000) {
                        const pqt_vec to = at(-6 + dip, 0), from = at(to.x - far, tilt * far / 2);
                        const pqt_sweep s =
                            swept(with_motion(g.movers[i], from, to), g.obstacles[j]);
                        const bool is_round = i == 1 && (j == 1 || j == 4);
                        const pqt_vec out = is_round ? pqt_vec_normalize(s.stop) : at(-1, 0);
                        const unsigned blocked =
                            PQT_BLOCKED_X | (s.normal.y != 0 ? PQT_BLOCKED_Y : 0u);
                        ck_assert_msg(s.status == PQT_SWEEP_HITS && s.blocked == blocked &&
                                          pqt_vec_distance(s.normal, out) <= (is_round ? 1e-7 : 0),
                                      "mover %d, obstacle %d, %g away, overlap %g: status %d, "
                                      "blocked %u, normal (%.17g, %.17g)",
                                      i, j, far, dip, (int)s.status, s.blocked, s.normal.x,
                                      s.normal.y);
                    }
}
END_TEST

/* The shapes are smaller than the rounding errors of the path, so that a stop may be beyond one. */
START_TEST(a_normal_is_not_along_the_motion_however_small_the_shapes)
{
    dice d = {test_seed(__func__)};
    size_t hits = 0;
    for (int exponent = -1074; exponent < 40; exponent += exponent < -1060 ? 1 : 60)
        for (size_t round = test_scaled_from(1000, 200); round > 0; round--) {
            const double u = ldexp(1, exponent), radius = (double)(1 + dice_below(&d, 7)) * u;
            const double length = ldexp(1 + 7 * dice_real(&d), exponent + (int)dice_below(&d, 60));
            const double turn = dice_real(&d) * 6.28, height = radius - dice_real(&d) * u;
            const pqt_vec way = at(cos(turn), sin(turn)), out = at(-way.y, way.x);
            const pqt_vec nearest = pqt_vec_scale(out, height), half = pqt_vec_scale(way, length);
            const pqt_mover a = pqt_mover_circle(radius, pqt_vec_subtract(nearest, half),
                                                 pqt_vec_add(nearest, half));
            pqt_convex segment;
            const pqt_vec ends[] = {{0, 0}, {-out.x, -out.y}};
            ck_assert(pqt_convex_from_points(ends, 2, 0, &segment, NULL));
            const pqt_mover points[] = {still_circle(0, 0, 0), still(box(0, 0, 0, 0)),
                                        pqt_mover_convex(&segment, at(0, 0), at(0, 0))};
            const pqt_sweep s = swept(a, points[round % 3]);
            if (s.status != PQT_SWEEP_HITS)
                continue;
            hits++;
            const pqt_vec motion = pqt_vec_normalize(pqt_vec_subtract(a.to, a.from));
            ck_assert_msg(pqt_vec_dot(s.normal, motion) < 0x1p-27,
                          "radius %g, length %g: the normal is along the motion by %g", radius,
                          length, pqt_vec_dot(s.normal, motion));
        }
    ck_assert_uint_gt(hits, 100);
}
END_TEST

/* The end is so far away that its rounding error exceeds the distance at the start. */
START_TEST(no_distance_turns_moving_away_into_a_hit)
{
    gallery g;
    set_gallery(&g);
    for (int i = 0; i < GALLERY_MOVERS; i++)
        for (int j = 0; j < GALLERY_OBSTACLES; j++)
            for (double far = 1; far < 1e308; far *= 3e4)
                for (int tilt = -1; tilt <= 1; tilt++)
                    for (double gap = 1e-3; gap < 1e3; gap *= 100) {
                        const pqt_vec from = at(-6 - gap, 0),
                                      to = at(-6 - gap - far, tilt * far / 9);
                        const pqt_sweep s =
                            swept(with_motion(g.movers[i], from, to), g.obstacles[j]);
                        ck_assert_msg(s.status == PQT_SWEEP_FREE,
                                      "mover %d moves away from obstacle %d by %g: status %d", i, j,
                                      far, (int)s.status);
                    }
}
END_TEST

/* sweep.h: a circle passes another one that it overlaps by less than 32 * 2^-53 times the
 * coordinates. Those of the end count, and an axis counts as far as the distance is along it. */
START_TEST(an_overlap_below_the_tolerance_is_passed)
{
    const double far = 0x1p20;
    for (int turned = 0; turned < 4; turned++) {
        const pqt_vec way = turned % 2 == 0 ? at(0.6, 0.8) : at(-0.8, 0.6);
        const pqt_vec side = at(-way.y, way.x);
        for (int hits = 0; hits < 2; hits++) {
            const double dip = 0x1p-48 * far * (hits ? 4 : 0.25);
            const pqt_vec centre =
                pqt_vec_add(pqt_vec_scale(way, 20), pqt_vec_scale(side, 2 - dip));
            const pqt_mover a = pqt_mover_circle(1, at(0, 0), pqt_vec_scale(way, far));
            const pqt_mover b = turned < 2 ? pqt_mover_circle(1, centre, centre)
                                           : pqt_mover_circle(1, at(0, 0), at(0, 0));
            pqt_mover moved = a;
            if (turned >= 2) { /* the same, but only the end of the first one is far away */
                moved.from = pqt_vec_scale(centre, -1);
                moved.to = pqt_vec_subtract(a.to, centre);
            }
            const pqt_sweep s = swept(moved, b);
            ck_assert_msg((s.status == PQT_SWEEP_HITS) == hits, "status %d", (int)s.status);
        }
    }
    for (int hits = 0; hits < 2; hits++) {
        const double y = 2 - (hits ? 0x1p-44 : 0x1p-48);
        const pqt_mover a = pqt_mover_circle(1, at(-3, y), at(far, y));
        ck_assert((swept(a, still_circle(0, 0, 1)).status == PQT_SWEEP_HITS) == hits);
    }
}
END_TEST

static pqt_convex
in_units(const pqt_convex *shape, double unit)
{
    pqt_convex made = *shape;
    for (size_t i = 0; i < made.count; i++)
        made.vertices[i] = pqt_vec_scale(made.vertices[i], unit);
    made.radius *= unit;
    return made;
}

/* Draws a power of two. Every fifth is so large that sums of positions in this unit overflow. */
static double
draw_unit(dice *d)
{
    return ldexp(1, dice_chance(d, 20) ? 1016 - (int)dice_below(d, 16)
                                       : (int)dice_below(d, 2000) - 1000);
}

/* Both move. The result in other units is the same up to rounding. */
START_TEST(a_sweep_is_the_same_in_all_units)
{
    dice d = {test_seed("a_sweep_is_the_same_in_all_units")};
    gallery g;
    set_gallery(&g);
    const sweep_scale scale = {0, 8};
    size_t hits = 0;
    for (size_t round = test_scaled_from(2000, 200); round > 0; round--) {
        const pqt_mover a = with_motion(g.movers[dice_below(&d, GALLERY_MOVERS)],
                                        draw_position(&d, &scale, 4), draw_position(&d, &scale, 4));
        const pqt_mover b = with_motion(g.obstacles[dice_below(&d, GALLERY_OBSTACLES)],
                                        draw_position(&d, &scale, 4), draw_position(&d, &scale, 4));
        const double unit = draw_unit(&d);
        pqt_mover other_a = enlarged(a, unit), other_b = enlarged(b, unit);
        pqt_convex of_a, of_b;
        if (a.convex != NULL) {
            of_a = in_units(a.convex, unit);
            other_a.convex = &of_a;
        }
        if (b.convex != NULL) {
            of_b = in_units(b.convex, unit);
            other_b.convex = &of_b;
        }
        const pqt_sweep s = swept(a, b), other = swept(other_a, other_b);
        ck_assert_int_eq(s.status, other.status);
        ck_assert_msg(fabs(s.time - other.time) <= 0x1p-52, "time %.17g, and %.17g in units of %g",
                      s.time, other.time, unit);
        ck_assert_msg(s.exit == other.exit || fabs(s.exit - other.exit) <= 0x1p-50,
                      "exit %.17g, and %.17g in units of %g", s.exit, other.exit, unit);
        const pqt_vec apart = pqt_vec_subtract(pqt_vec_scale(s.stop, unit), other.stop);
        ck_assert(pqt_vec_length(apart) <= 1e-13 * unit);
        hits += s.status == PQT_SWEEP_HITS;
    }
    ck_assert_uint_gt(hits, 20);
}
END_TEST

static double
draw_extreme(dice *d)
{
    static const double numbers[] = {0,     0,      1,      -1,     2,     3,       6,     9,
                                     -6,    7.5,    1e308,  -1e308, 1e307, 1.5e308, 1e300, -1e300,
                                     1e154, -1e154, 1e-150, 1e-308, 1e16,  -1e16};
    const double number = numbers[dice_below(d, sizeof numbers / sizeof *numbers)];
    return dice_chance(d, 17) ? nextafter(number, dice_chance(d, 50) ? INFINITY : -INFINITY)
                              : number;
}

static pqt_vec
draw_extreme_position(dice *d)
{
    const double x = draw_extreme(d);
    return at(x, draw_extreme(d));
}

/* A tree first rejects what the box of the mover cannot reach. The pair must not differ, except for
 * a graze within rounding errors. */
START_TEST(pairs_of_extreme_numbers_are_swept_as_in_a_tree)
{
    dice d = {test_seed("pairs_of_extreme_numbers_are_swept_as_in_a_tree")};
    const pqt_tree *empty = made(box(-10, -10, 10, 10), options_of(4, 24));
    gallery g;
    set_gallery(&g);
    size_t compared = 0, hits = 0, differing = 0;
    for (size_t round = test_scaled_from(40000, 4000); round > 0; round--) {
        const pqt_vec p = draw_extreme_position(&d), q = draw_extreme_position(&d);
        const pqt_item item =
            boxed(box(fmin(p.x, q.x), fmin(p.y, q.y), fmax(p.x, q.x), fmax(p.y, q.y)), 1);
        pqt_mover mover = g.movers[dice_below(&d, GALLERY_MOVERS)];
        mover.from = draw_extreme_position(&d);
        mover.to = draw_extreme_position(&d);
        if (dice_chance(&d, 50))
            mover.to.y = mover.from.y;
        if (mover.kind == PQT_MOVER_CIRCLE)
            mover.radius = fabs(draw_extreme(&d));
        pqt_convex shape;
        if (mover.kind == PQT_MOVER_CONVEX) {
            const double turn = dice_real(&d) * 6.28, radius = mover.convex->radius;
            if (!pqt_convex_from_oriented_box(at(0, 0), at(2.2, 1.1), at(cos(turn), sin(turn)),
                                              radius > 0 ? fabs(draw_extreme(&d)) : 0, &shape,
                                              NULL))
                continue;
            mover.convex = &shape;
        }
        if (!pqt_mover_is_valid(mover))
            continue;
        const pqt_sweep pair = swept(mover, still(item.box));
        const pqt_sweep in_tree = pqt_tree_sweep(inserted(empty, item), mover, NULL);
        compared++;
        if (pair.status != in_tree.status) {
            differing++;
            continue;
        }
        ck_assert(pair.time == in_tree.time);
        expect_position(pair.stop, in_tree.stop.x, in_tree.stop.y);
        hits += pair.status == PQT_SWEEP_HITS;
    }
    fprintf(stderr, "# %zu sweeps, %zu hits, %zu differ\n", compared, hits, differing);
    ck_assert_uint_le(differing, compared / 5000);
    ck_assert(compared > 2000 && hits > compared / 20);
}
END_TEST

/* ---- Slides ---- */

/* A floor of any size is hit by a motion at an angle. */
START_TEST(slides_continue_at_any_scale)
{
    static const double sizes[] = {1e-307, 1e-300, 1e-200, 1e-9, 1, 1e9, 1e200, 1e307};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double u = sizes[i];
        const pqt_tree *tree = made(box(-16 * u, -16 * u, 16 * u, 16 * u), options_of(4, 24));
        tree = inserted(tree, boxed(box(-9 * u, 2 * u, 9 * u, 3 * u), 1));
        pqt_mover movers[] = {pqt_mover_box(box(0, 0, u, u), at(0, 0), at(4 * u, 4 * u)),
                              pqt_mover_circle(u, at(0, 0), at(4 * u, 4 * u))};
        for (int m = 0; m < 2; m++) {
            pqt_slide s = pqt_tree_slide(tree, movers[m], 3, NULL);
            expect_position(s.stop, 4 * u, u);
            ck_assert(s.bounces == 1 && s.blocked == PQT_BLOCKED_Y);
            movers[m].to.y = fmin(u * 1e9, DBL_MAX / 2);
            s = pqt_tree_slide(tree, movers[m], 3, NULL);
            expect_position(s.stop, 4 * u, u);
        }
    }
}
END_TEST

START_TEST(slides_bounce_no_more_often_than_allowed)
{
    /* A funnel of steps becomes narrower toward the right. */
    const pqt_tree *tree = made(box(-32, -32, 32, 32), options_of(4, 24));
    for (int i = 0; i < 16; i++) {
        tree = inserted(tree, boxed(box(i, -32, i + 1, -9 + i * 0.5), (uint64_t)i));
        tree = inserted(tree, boxed(box(i, 9 - i * 0.5, i + 1, 32), 100 + (uint64_t)i));
    }
    for (unsigned most = 0; most < 40; most++) {
        pqt_mover ball = pqt_mover_circle(1, at(-3, 6.4), at(30, 5.8));
        pqt_slide s = pqt_tree_slide(tree, ball, most, NULL);
        ck_assert_uint_le(s.bounces, most);
        ball.from = ball.to = s.stop;
        ck_assert_int_ne(pqt_tree_sweep(tree, ball, NULL).status, PQT_SWEEP_OVERLAPS);
        ck_assert(s.stop.x > -3 && s.stop.x < 15);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sweep_edges");
    TCase *pairs = add_tests(suite, "pairs");
    tcase_add_test(pairs, an_overlapping_mover_at_rest_never_leaves);
    tcase_add_test(pairs, an_exit_is_measured_where_both_barely_separate);
    tcase_add_test(pairs, an_exit_is_the_same_in_any_unit);
    tcase_add_test(pairs, a_circle_of_radius_0_is_a_point_to_boxes);
    tcase_add_test(pairs, a_circle_of_radius_0_is_swept_as_the_box_that_is_a_point);
    tcase_add_test(pairs, the_last_axis_is_found_exactly_whatever_the_sizes_of_both);
    tcase_add_test(pairs, a_normal_is_not_lost_in_a_long_path);
    tcase_add_test(pairs, a_stop_is_before_the_hit_however_long_the_path);
    tcase_add_test(pairs, a_flat_box_is_not_hit_by_one_that_moves_away);
    tcase_add_test(pairs, a_stop_before_a_barely_hit_corner_is_stable);
    tcase_add_test(pairs, a_motion_of_any_length_hits_at_once_after_a_stop_at_a_corner);
    tcase_add_test(pairs, an_axis_whose_distance_rounds_to_0_waits_for_the_other);
    tcase_add_test(pairs, a_graze_that_ends_in_a_rounding_error_stops_where_it_overlaps);
    TCase *extremes = add_tests(suite, "extremes");
    tcase_add_test(extremes, a_large_coordinate_on_one_axis_spoils_no_distance_on_the_other);
    tcase_add_test(extremes, a_hit_at_the_end_of_a_long_path_has_the_normal_of_its_side);
    tcase_add_test(extremes, a_normal_is_not_along_the_motion_however_small_the_shapes);
    tcase_add_test(extremes, no_distance_turns_moving_away_into_a_hit);
    tcase_add_test(extremes, an_overlap_below_the_tolerance_is_passed);
    tcase_add_test(extremes, a_sweep_is_the_same_in_all_units);
    tcase_add_test(extremes, pairs_of_extreme_numbers_are_swept_as_in_a_tree);
    TCase *trees = add_tests(suite, "trees");
    tcase_add_test(trees, a_stop_inside_a_passed_box_is_moved_before_it);
    tcase_add_test(trees, slides_continue_at_any_scale);
    tcase_add_test(trees, slides_bounce_no_more_often_than_allowed);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
