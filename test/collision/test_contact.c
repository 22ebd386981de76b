/* SPDX-License-Identifier: MIT */
/* test_contact.c: tests contacts of circles and boxes. */
#include "config.h"

#include <float.h>
#include <math.h>

#include <pqt/circle.h>
#include <pqt/contact.h>

#include "random.h"
#include "suite.h"
#include "tree_support.h"

static pqt_circle
circle(double x, double y, double radius)
{
    return (pqt_circle){{x, y}, radius};
}

static void
expect_vec(pqt_vec v, double x, double y)
{
    ck_assert_msg(v.x == x && v.y == y, "(%.17g, %.17g) for (%g, %g)", v.x, v.y, x, y);
}

static void
expect_none(pqt_contact contact)
{
    ck_assert(!contact.touches && !contact.overlaps);
    ck_assert(contact.depth == 0);
    expect_vec(contact.normal, 0, 0);
    expect_vec(contact.push, 0, 0);
}

static void
expect_touch(pqt_contact contact, pqt_vec normal, pqt_vec point)
{
    ck_assert(contact.touches && !contact.overlaps);
    ck_assert(contact.depth == 0);
    expect_vec(contact.normal, normal.x, normal.y);
    expect_vec(contact.point, point.x, point.y);
    expect_vec(contact.push, 0, 0);
}

static void
expect_depth(pqt_contact contact, double depth, pqt_vec normal, pqt_vec point)
{
    ck_assert(contact.touches && contact.overlaps);
    ck_assert_msg(contact.depth == depth, "depth %.17g for %g", contact.depth, depth);
    expect_vec(contact.normal, normal.x, normal.y);
    expect_vec(contact.point, point.x, point.y);
    expect_vec(contact.push, normal.x * depth, normal.y * depth);
}

#define V(x, y) ((pqt_vec){x, y})

/* ---- Circles ---- */

START_TEST(circles_have_contacts_along_the_line_of_their_centres)
{
    expect_none(pqt_contact_circles(circle(0, 0, 1), circle(3, 0, 1)));
    expect_touch(pqt_contact_circles(circle(0, 0, 1), circle(3, 0, 2)), V(-1, 0), V(1, 0));
    expect_depth(pqt_contact_circles(circle(0, 0, 2), circle(3, 0, 2)), 1, V(-1, 0), V(1.5, 0));
    expect_depth(pqt_contact_circles(circle(0, 8, 4), circle(0, 2, 4)), 2, V(0, 1), V(0, 5));
    /* One circle is within the other. */
    expect_depth(pqt_contact_circles(circle(1, 0, 1), circle(0, 0, 8)), 8, V(1, 0), V(4, 0));
}
END_TEST

START_TEST(coincident_circles_separate_along_x)
{
    expect_depth(pqt_contact_circles(circle(5, 5, 1), circle(5, 5, 2)), 3, V(1, 0), V(5.5, 5));
    /* Two points do not overlap. */
    expect_touch(pqt_contact_circles(circle(5, 5, 0), circle(5, 5, 0)), V(1, 0), V(5, 5));
}
END_TEST

/* ---- A circle and a box ---- */

START_TEST(a_circle_meets_the_nearest_point_of_a_box)
{
    pqt_box b = box(0, 0, 4, 4);
    expect_none(pqt_contact_circle_box(circle(-2, 2, 1), b));
    expect_touch(pqt_contact_circle_box(circle(-1, 2, 1), b), V(-1, 0), V(0, 2));
    expect_depth(pqt_contact_circle_box(circle(-1, 2, 2), b), 1, V(-1, 0), V(0.5, 2));
    expect_touch(pqt_contact_circle_box(circle(7, 8, 5), b), V(0.6, 0.8), V(4, 4));
    pqt_contact corner = pqt_contact_circle_box(circle(7, 8, 6), b);
    ck_assert(corner.depth == 1);
    expect_vec(corner.normal, 0.6, 0.8);
}
END_TEST

START_TEST(a_circle_in_a_box_leaves_by_the_nearest_side)
{
    pqt_box b = box(0, 0, 8, 16);
    expect_depth(pqt_contact_circle_box(circle(1, 8, 1), b), 2, V(-1, 0), V(1, 8));
    expect_depth(pqt_contact_circle_box(circle(7, 8, 1), b), 2, V(1, 0), V(7, 8));
    expect_depth(pqt_contact_circle_box(circle(4, 1, 1), b), 2, V(0, -1), V(4, 1));
    expect_depth(pqt_contact_circle_box(circle(4, 15, 1), b), 2, V(0, 1), V(4, 15));
    /* If the circle is equally deep on all sides, it leaves on the left. On an edge, it leaves
       across that edge. */
    expect_depth(pqt_contact_circle_box(circle(4, 4, 1), box(0, 0, 8, 8)), 5, V(-1, 0), V(2.5, 4));
    expect_depth(pqt_contact_circle_box(circle(8, 9, 1), b), 1, V(1, 0), V(7.5, 9));
}
END_TEST

START_TEST(points_and_lines_have_contacts_too)
{
    expect_depth(pqt_contact_circle_box(circle(2, 2, 1), point(2, 2)), 1, V(-1, 0), V(2.5, 2));
    expect_touch(pqt_contact_circle_box(circle(2, 2, 0), point(2, 2)), V(-1, 0), V(2, 2));
    expect_touch(pqt_contact_circle_box(circle(0, 2, 0), box(0, 0, 4, 4)), V(-1, 0), V(0, 2));
    expect_depth(pqt_contact_circle_box(circle(3, 2, 0), box(0, 0, 4, 4)), 1, V(1, 0), V(3.5, 2));
    expect_depth(pqt_contact_boxes(point(2, 1), box(0, 0, 4, 4)), 1, V(0, -1), V(2, 1));
    expect_touch(pqt_contact_boxes(point(0, 1), box(0, 0, 4, 4)), V(-1, 0), V(0, 1));
}
END_TEST

/* ---- Boxes ---- */

START_TEST(boxes_separate_along_the_shorter_axis)
{
    pqt_box b = box(0, 0, 8, 8);
    expect_none(pqt_contact_boxes(box(9, 0, 10, 1), b));
    expect_touch(pqt_contact_boxes(box(8, 2, 10, 4), b), V(1, 0), V(8, 3));
    expect_touch(pqt_contact_boxes(box(8, 8, 9, 9), b), V(1, 0), V(8, 8));
    expect_touch(pqt_contact_boxes(box(2, -1, 3, 0), b), V(0, -1), V(2.5, 0));
    expect_depth(pqt_contact_boxes(box(7, 2, 10, 4), b), 1, V(1, 0), V(7.5, 3));
    expect_depth(pqt_contact_boxes(box(-2, 2, 1, 4), b), 1, V(-1, 0), V(0.5, 3));
    expect_depth(pqt_contact_boxes(box(4, 7, 6, 12), b), 1, V(0, 1), V(5, 7.5));
    expect_depth(pqt_contact_boxes(b, b), 8, V(-1, 0), V(4, 4));
}
END_TEST

/* contact.h: left, then right, up, down. */
START_TEST(equally_short_displacements_have_an_order)
{
    const pqt_box b = box(0, 0, 8, 8);
    expect_depth(pqt_contact_boxes(box(-9, 7, 1, 17), b), 1, V(-1, 0), V(0.5, 7.5));
    expect_depth(pqt_contact_boxes(box(7, -9, 17, 1), b), 1, V(1, 0), V(7.5, 0.5));
    expect_depth(pqt_contact_boxes(box(7, 7, 17, 17), b), 1, V(1, 0), V(7.5, 7.5));
    expect_depth(pqt_contact_boxes(box(-20, 3, 28, 5), b), 5, V(0, -1), V(4, 4));
    expect_depth(pqt_contact_circle_box(circle(7, 1, 1), b), 2, V(1, 0), V(7, 1));
    expect_depth(pqt_contact_circle_box(circle(4, 2, 1), box(0, 0, 8, 4)), 3, V(0, -1), V(4, 1.5));
}
END_TEST

/* ---- Random ones ---- */

static double
drawn(dice *d, double scale)
{
    double value = (dice_real(d) - 0.5) * scale;
    return dice_chance(d, 30) ? floor(value / scale * 8) / 8 * scale : value;
}

static pqt_circle
draw_circle(dice *d, double scale)
{
    return circle(drawn(d, scale), drawn(d, scale), fabs(drawn(d, scale)));
}

static pqt_box
draw_some_box(dice *d, double scale)
{
    pqt_vec at = {drawn(d, scale), drawn(d, scale)};
    return pqt_box_from_size(at, V(fabs(drawn(d, scale)), fabs(drawn(d, scale))));
}

static void
require_sound(pqt_contact c, bool touches, bool overlaps, double scale)
{
    require(c.touches == touches && c.overlaps == overlaps, "the predicates say otherwise");
    require(overlaps ? c.depth > 0 && c.depth <= DBL_MAX : c.depth == 0, "depth");
    if (touches)
        require(fabs(pqt_vec_length(c.normal) - 1) < 1e-15, "the normal's length");
    require(pqt_vec_is_finite(c.push) && pqt_vec_is_finite(c.point), "finite");
    require(pqt_vec_distance(c.push, pqt_vec_scale(c.normal, c.depth)) <=
                scale * 0x1p-46 + 16 * TINIEST,
            "the push is the depth along the normal");
}

START_TEST(a_push_is_confirmed_by_the_predicates_at_any_scale)
{
    static const double scales[] = {1, 1e-9, 1e9, 1e300, 1e-300, DBL_MAX / 4, 1e-320};
    dice d = {test_seed("a_push_is_confirmed_by_the_predicates_at_any_scale")};
    size_t overlaps = 0;
    for (size_t i = 0; i < test_scaled(200000); i++) {
        double scale = scales[dice_below(&d, sizeof scales / sizeof *scales)];
        pqt_circle a = draw_circle(&d, scale), b = draw_circle(&d, scale);
        pqt_box p = draw_some_box(&d, scale), q = draw_some_box(&d, scale);
        pqt_contact c = pqt_contact_circles(a, b);
        require_sound(c, pqt_circle_touches(a, b), pqt_circle_overlaps(a, b), scale);
        overlaps += c.overlaps;
        pqt_circle moved = {pqt_vec_add(a.centre, c.push), a.radius};
        require(!pqt_circle_overlaps(moved, b), "circles are pushed apart");
        c = pqt_contact_circle_box(a, p);
        require_sound(c, pqt_circle_touches_box(a, p), pqt_circle_overlaps_box(a, p), scale);
        moved = (pqt_circle){pqt_vec_add(a.centre, c.push), a.radius};
        require(!pqt_circle_overlaps_box(moved, p), "a circle is pushed out of a box");
        c = pqt_contact_boxes(p, q);
        require_sound(c, pqt_box_touches(p, q), pqt_box_overlaps(p, q), scale);
        require(!pqt_box_overlaps(pqt_box_moved(p, c.push), q), "boxes are pushed apart");
    }
    ck_assert_uint_gt(overlaps, 0);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("contact");
    TCase *contacts = add_tests(suite, "contacts");
    tcase_add_test(contacts, circles_have_contacts_along_the_line_of_their_centres);
    tcase_add_test(contacts, coincident_circles_separate_along_x);
    tcase_add_test(contacts, a_circle_meets_the_nearest_point_of_a_box);
    tcase_add_test(contacts, a_circle_in_a_box_leaves_by_the_nearest_side);
    tcase_add_test(contacts, points_and_lines_have_contacts_too);
    tcase_add_test(contacts, boxes_separate_along_the_shorter_axis);
    tcase_add_test(contacts, equally_short_displacements_have_an_order);
    tcase_add_test(contacts, a_push_is_confirmed_by_the_predicates_at_any_scale);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
