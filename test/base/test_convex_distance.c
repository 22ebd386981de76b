/* SPDX-License-Identifier: MIT */
/* test_convex_distance.c: compares the distances between convex shapes, and their nearest points,
   with exact integer arithmetic. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <pqt/convex.h>

#include "random.h"
#include "suite.h"

__extension__ typedef __int128 wide;

/* The stated bound on the error, as a fraction of the largest coordinate or radius. */
#define BOUND (32 * 0x1p-53)

static pqt_convex
convex_of(size_t count, const pqt_vec *points, double radius)
{
    pqt_convex made;
    pqt_error error = {0};
    ck_assert_msg(pqt_convex_from_points(points, count, radius, &made, &error), "%s", error.text);
    return made;
}

/* ---- Examples ---- */

START_TEST(a_diamond_is_nearest_to_a_box_with_a_corner)
{
    const pqt_convex diamond = convex_of(4, (pqt_vec[]){{0, -2}, {2, 0}, {0, 2}, {-2, 0}}, 0);
    pqt_gap gap = pqt_convex_distance_to_box(&diamond, pqt_box_make(5, -9, 6, 9));
    ck_assert(gap.distance == 3);
    ck_assert(gap.on_a.x == 2 && gap.on_a.y == 0 && gap.on_b.x == 5 && gap.on_b.y == 0);
    ck_assert(gap.normal.x == -1 && gap.normal.y == 0);
}
END_TEST

START_TEST(radii_are_subtracted_from_the_distance)
{
    const pqt_convex capsule = convex_of(2, (pqt_vec[]){{0, 0}, {10, 0}}, 2);
    pqt_gap gap = pqt_convex_distance_to_circle(&capsule, (pqt_circle){{13, 4}, 1});
    ck_assert(gap.distance == 2);
    ck_assert(fabs(gap.on_a.x - 11.2) < 1e-14 && fabs(gap.on_a.y - 1.6) < 1e-14);
    ck_assert(fabs(gap.on_b.x - 12.4) < 1e-14 && fabs(gap.on_b.y - 3.2) < 1e-14);
    ck_assert(fabs(gap.normal.x + 0.6) < 1e-15 && fabs(gap.normal.y + 0.8) < 1e-15);
    gap = pqt_convex_distance_to_circle(&capsule, (pqt_circle){{13, 4}, 4});
    ck_assert(gap.distance == 0);
    ck_assert(gap.on_a.x == gap.on_b.x && gap.on_a.y == gap.on_b.y);
}
END_TEST

START_TEST(shapes_that_cross_have_a_common_point)
{
    const pqt_convex along = convex_of(2, (pqt_vec[]){{0, 0}, {4, 4}}, 0);
    const pqt_convex across = convex_of(2, (pqt_vec[]){{0, 2}, {2, 0}}, 0);
    pqt_gap gap = pqt_convex_distance(&along, &across);
    ck_assert(gap.distance == 0 && gap.normal.x == 0 && gap.normal.y == 0);
    ck_assert(gap.on_a.x == 1 && gap.on_a.y == 1 && gap.on_b.x == 1 && gap.on_b.y == 1);
}
END_TEST

START_TEST(a_distance_above_the_greatest_double_is_infinite)
{
    const pqt_convex a = convex_of(2, (pqt_vec[]){{-DBL_MAX, 0}, {-DBL_MAX, 1}}, 0);
    const pqt_convex b = convex_of(2, (pqt_vec[]){{DBL_MAX, 0}, {DBL_MAX, 1}}, 0);
    ck_assert(pqt_convex_distance(&a, &b).distance == INFINITY);
    ck_assert(pqt_convex_distance(&a, &b).on_a.x == -DBL_MAX);
}
END_TEST

START_TEST(shapes_that_are_apart_by_less_than_a_rounding_error_have_a_distance)
{
    const pqt_convex a = convex_of(3, (pqt_vec[]){{0, 0}, {1, 0}, {0, 1}}, 0);
    double above = nextafter(nextafter(0.3, 1), 1);
    const pqt_convex b = convex_of(2, (pqt_vec[]){{0.7, above}, {2, 2}}, 0);
    ck_assert(!pqt_convex_touches(&a, &b));
    double distance = pqt_convex_distance(&a, &b).distance;
    ck_assert(distance > 0 && distance < 2 * BOUND);
}
END_TEST

/* ---- Compared with integers ---- */

enum { MOST = 8 };

/* A convex on the lattice of integers up to 2^60, each of which is a double. */
typedef struct lattice_shape {
    size_t count;
    int64_t x[MOST], y[MOST];
    double radius;
} lattice_shape;

/* Draws an integer of any size up to 2^bits. */
static int64_t
drawn_number(dice *d, int bits)
{
    int most = 1 + (int)dice_below(d, (size_t)bits);
    double number = floor(ldexp(dice_real(d), most));
    return dice_chance(d, 50) ? (int64_t)number : -(int64_t)number;
}

static lattice_shape
drawn_shape(dice *d, int bits, int64_t at_x, int64_t at_y, pqt_convex *made)
{
    pqt_vec points[MOST] = {{0, 0}};
    size_t count = 2 + dice_below(d, dice_chance(d, 20) ? 7 : 3);
    double radius = dice_chance(d, 50) ? 0 : fabs((double)drawn_number(d, bits)) / 4;
    do {
        for (size_t i = 0; i < count; i++)
            points[i] = (pqt_vec){(double)(at_x + drawn_number(d, bits)),
                                  (double)(at_y + drawn_number(d, bits))};
    } while (!pqt_convex_from_points(points, count, radius, made, NULL));
    lattice_shape shape = {.count = made->count, .radius = radius};
    for (size_t i = 0; i < made->count; i++) {
        shape.x[i] = (int64_t)made->vertices[i].x;
        shape.y[i] = (int64_t)made->vertices[i].y;
    }
    return shape;
}

/* Returns the distance from (x, y) to the segment from (0, 0) to (to_x, to_y), rounded at most four
   times. */
static double
distance_to_segment(wide x, wide y, wide to_x, wide to_y)
{
    wide along = x * to_x + y * to_y, square = to_x * to_x + to_y * to_y;
    if (along <= 0 || square == 0)
        return sqrt((double)(x * x + y * y));
    if (along >= square)
        return sqrt((double)((x - to_x) * (x - to_x) + (y - to_y) * (y - to_y)));
    wide cross = x * to_y - y * to_x;
    return (double)(cross < 0 ? -cross : cross) / sqrt((double)square);
}

static double
distance_of_vertices(const lattice_shape *a, const lattice_shape *b)
{
    double least = INFINITY;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            size_t next = (j + 1) % b->count;
            double distance =
                distance_to_segment((wide)a->x[i] - b->x[j], (wide)a->y[i] - b->y[j],
                                    (wide)b->x[next] - b->x[j], (wide)b->y[next] - b->y[j]);
            least = fmin(least, distance);
        }
    return least;
}

static double
size_of(const lattice_shape *shape)
{
    double size = shape->radius;
    for (size_t i = 0; i < shape->count; i++)
        size = fmax(size, fmax(fabs((double)shape->x[i]), fabs((double)shape->y[i])));
    return size;
}

/* Checks that a point is in a shape, up to the bound on the error. The shape is multiplied by
 * 2^unit. */
static void
expect_on_shape(const pqt_convex *shape, pqt_vec point, double bound)
{
    const pqt_circle around = {point, bound};
    ck_assert_msg(pqt_convex_touches_circle(shape, around), "(%a, %a) +- %a is not on the shape",
                  point.x, point.y, bound);
}

static void
scale_convex(pqt_convex *shape, int unit)
{
    for (size_t i = 0; i < shape->count; i++)
        shape->vertices[i] =
            (pqt_vec){ldexp(shape->vertices[i].x, unit), ldexp(shape->vertices[i].y, unit)};
    shape->radius = ldexp(shape->radius, unit);
}

static void
compare_distance(const lattice_shape *a, const lattice_shape *b, pqt_convex of_a, pqt_convex of_b,
                 int unit, double *worst)
{
    scale_convex(&of_a, unit);
    scale_convex(&of_b, unit);
    const pqt_gap gap = pqt_convex_distance(&of_a, &of_b);
    double size = fmax(size_of(a), size_of(b)), bound = ldexp(size * BOUND, unit);
    bool touches = pqt_convex_touches(&of_a, &of_b);
    ck_assert(touches == (gap.distance == 0));
    expect_on_shape(&of_a, gap.on_a, bound);
    expect_on_shape(&of_b, gap.on_b, bound);
    if (touches) {
        ck_assert(gap.on_a.x == gap.on_b.x && gap.on_a.y == gap.on_b.y);
        return;
    }
    double polygons = fmin(distance_of_vertices(a, b), distance_of_vertices(b, a));
    double error = fabs(ldexp(gap.distance, -unit) - (polygons - a->radius - b->radius));
    *worst = fmax(*worst, error / (size * 0x1p-53));
    ck_assert_msg(error < size * BOUND, "the distance is wrong by %g roundings",
                  error / (size * 0x1p-53));
    ck_assert(fabs(pqt_vec_length(gap.normal) - 1) < 0x1p-50);
    pqt_vec apart = pqt_vec_subtract(gap.on_a, gap.on_b);
    ck_assert(fabs(pqt_vec_length(apart) - gap.distance) < 2 * bound);
    /* The normal points from one nearest point to the other. */
    const pqt_vec along = pqt_vec_scale(gap.normal, gap.distance);
    ck_assert_msg(pqt_vec_distance(apart, along) < 4 * bound, "the normal is (%g, %g)",
                  gap.normal.x, gap.normal.y);
}

START_TEST(distances_and_points_are_within_the_bound)
{
    static const int units[] = {0, -20, 950, -900, 100, -520};
    dice d = {test_seed(__func__) + (uint64_t)_i};
    size_t rounds = test_scaled(4000);
    double worst = 0;
    for (size_t round = 0; round < rounds; round++) {
        int bits = _i == 0 ? 10 : 58;
        pqt_convex of_a, of_b;
        lattice_shape a = drawn_shape(&d, bits, 0, 0, &of_a);
        int64_t at_x = drawn_number(&d, bits), at_y = drawn_number(&d, bits);
        lattice_shape b = drawn_shape(&d, dice_chance(&d, 50) ? bits : 5, at_x, at_y, &of_b);
        compare_distance(&a, &b, of_a, of_b, units[dice_below(&d, 6)], &worst);
    }
    fprintf(stderr, "# %zu distances, the worst is wrong by %.2f roundings\n", rounds, worst);
}
END_TEST

/* The nearest vertex is beyond a side by less than a rounding error, so its rounded distance may be
 * 0 or negative. The other vertices of `a` are far from `b`. */
START_TEST(a_vertex_that_almost_touches_a_side_is_the_nearest)
{
    dice d = {test_seed(__func__)};
    const pqt_convex b = convex_of(3, (pqt_vec[]){{-3, -2}, {2, -3}, {0, 3}}, 0);
    size_t apart = 0;
    for (int i = 0; i < 2000; i++) {
        const double x = -3 + 5 * dice_real(&d), y = -2 - (x + 3) / 5;
        const pqt_vec corners[] = {{x, y}, {x - 1, y}, {x - 1, y - 2}, {x, y - 2}};
        const pqt_convex a = convex_of(4, corners, 0);
        if (pqt_convex_touches(&a, &b))
            continue;
        apart++;
        const double distance = pqt_convex_distance(&a, &b).distance;
        ck_assert_msg(distance < 5 * BOUND, "the distance is %g", distance);
    }
    ck_assert_uint_gt(apart, 200);
}
END_TEST

static Suite *
distance_suite(void)
{
    Suite *suite = suite_create("convex distance");
    TCase *examples = tcase_create("examples");
    tcase_add_test(examples, a_diamond_is_nearest_to_a_box_with_a_corner);
    tcase_add_test(examples, radii_are_subtracted_from_the_distance);
    tcase_add_test(examples, shapes_that_cross_have_a_common_point);
    tcase_add_test(examples, a_distance_above_the_greatest_double_is_infinite);
    tcase_add_test(examples, shapes_that_are_apart_by_less_than_a_rounding_error_have_a_distance);
    tcase_add_test(examples, a_vertex_that_almost_touches_a_side_is_the_nearest);
    suite_add_tcase(suite, examples);

    TCase *compared = tcase_create("compared");
    tcase_add_loop_test(compared, distances_and_points_are_within_the_bound, 0, 2);
    suite_add_tcase(suite, compared);
    return suite;
}

int
main(void)
{
    return run_suite(distance_suite());
}
