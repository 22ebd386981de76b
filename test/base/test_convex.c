/* SPDX-License-Identifier: MIT */
/* test_convex.c: tests convex polygons with a radius: their construction, and their predicates,
   which are compared with exact integer arithmetic. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pqt/convex.h>

#define WHOLE_WORDS 280 /* for products of four differences between doubles */
#include "error_support.h"
#include "exact_segment.h"
#include "random.h"
#include "suite.h"

__extension__ typedef __int128 wide;

static pqt_vec
vec(double x, double y)
{
    return (pqt_vec){x, y};
}

static pqt_convex
convex_of(size_t count, const pqt_vec *points, double radius)
{
    pqt_convex made;
    pqt_error error = {0};
    ck_assert_msg(pqt_convex_from_points(points, count, radius, &made, &error), "%s", error.text);
    return made;
}

static pqt_convex
segment_of(double from_x, double from_y, double to_x, double to_y, double radius)
{
    return convex_of(2, (pqt_vec[]){{from_x, from_y}, {to_x, to_y}}, radius);
}

/* ---- Construction ---- */

START_TEST(points_become_the_corners_of_their_hull)
{
    const pqt_vec points[] = {{2, 0}, {1, 1}, {0, 2}, {0, 0}, {2, 2}, {1, 0}, {2, 2}, {0, -0.0}};
    const pqt_vec corners[] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    pqt_convex made = convex_of(8, points, 0.5);
    ck_assert_uint_eq(made.count, 4);
    ck_assert(made.radius == 0.5);
    for (int i = 0; i < 4; i++)
        ck_assert(made.vertices[i].x == corners[i].x && made.vertices[i].y == corners[i].y);
    for (int i = 4; i < 8; i++)
        ck_assert(made.vertices[i].x == 0 && made.vertices[i].y == 0);
    ck_assert(pqt_convex_is_valid(&made));
}
END_TEST

START_TEST(any_order_of_points_gives_the_same_bits)
{
    dice d = {test_seed(__func__)};
    for (size_t round = 0; round < 2000; round++) {
        pqt_vec points[8];
        size_t count = 3 + dice_below(&d, 6);
        for (size_t i = 0; i < count; i++)
            points[i] = vec((double)dice_below(&d, 5) - 2, (double)dice_below(&d, 5) - 2);
        points[0] = vec(-2.5, 0);
        points[1] = vec(-0.0, 2);
        pqt_convex first = convex_of(count, points, 0);
        for (size_t i = count; i-- > 1;) {
            size_t j = dice_below(&d, i + 1);
            pqt_vec other = points[i];
            points[i] = points[j];
            points[j] = other;
        }
        pqt_convex second = convex_of(count, points, -0.0);
        ck_assert(memcmp(&first, &second, sizeof first) == 0);
    }
}
END_TEST

START_TEST(points_on_a_line_make_a_segment)
{
    pqt_convex made = convex_of(4, (pqt_vec[]){{1, 1}, {3, 3}, {0, 0}, {2, 2}}, 0);
    ck_assert_uint_eq(made.count, 2);
    ck_assert(made.vertices[1].x == 3);
}
END_TEST

START_TEST(a_box_keeps_its_sides_and_a_flat_box_becomes_a_segment)
{
    pqt_convex made;
    ck_assert(pqt_convex_from_box(pqt_box_make(1, 2, 3, 5), 0, &made, NULL));
    ck_assert_uint_eq(made.count, 4);
    pqt_box box = pqt_convex_box(&made);
    ck_assert(box.min.x == 1 && box.min.y == 2 && box.max.x == 3 && box.max.y == 5);
    ck_assert(pqt_convex_from_box(pqt_box_make(1, 2, 1, 5), 0, &made, NULL));
    ck_assert_uint_eq(made.count, 2);
}
END_TEST

START_TEST(an_oriented_box_along_an_axis_is_a_box)
{
    pqt_convex oriented, plain;
    pqt_vec centre = vec(0.3, -7.1), half = vec(1.7, 0.9);
    ck_assert(pqt_convex_from_oriented_box(centre, half, vec(5, 0), 0, &oriented, NULL));
    ck_assert(pqt_convex_from_box(
        (pqt_box){pqt_vec_subtract(centre, half), pqt_vec_add(centre, half)}, 0, &plain, NULL));
    ck_assert(memcmp(&oriented, &plain, sizeof plain) == 0);
    ck_assert(pqt_convex_from_oriented_box(vec(0, 0), vec(5, 10), vec(3, 4), 0, &oriented, NULL));
    const pqt_vec corners[] = {{-11, 2}, {5, -10}, {11, -2}, {-5, 10}};
    ck_assert_uint_eq(oriented.count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert(pqt_vec_distance(oriented.vertices[i], corners[i]) < 1e-14);
}
END_TEST

START_TEST(rounded_oriented_boxes_are_convex)
{
    dice d = {test_seed(__func__)};
    size_t lost = 0;
    for (size_t round = 0; round < test_scaled(20000); round++) {
        pqt_vec centre = vec(ldexp(dice_real(&d) - 0.5, 40), ldexp(dice_real(&d) - 0.5, 40));
        pqt_vec half = vec(ldexp(dice_real(&d), (int)dice_below(&d, 40) - 25),
                           ldexp(dice_real(&d), (int)dice_below(&d, 40) - 25));
        pqt_vec direction = vec(dice_real(&d) - 0.5, dice_real(&d) - 0.5);
        pqt_convex made, again;
        if (!pqt_convex_from_oriented_box(centre, half, direction, 0, &made, NULL))
            continue;
        ck_assert(pqt_convex_is_valid(&made));
        ck_assert(pqt_convex_from_oriented_box(centre, half, direction, 0, &again, NULL));
        ck_assert(memcmp(&made, &again, sizeof made) == 0);
        lost += made.count < 4;
    }
    ck_assert_uint_gt(lost, 0);
}
END_TEST

static void
expect_failure(bool made, const pqt_error *error, pqt_status status, const char *text)
{
    ck_assert(!made);
    ck_assert_int_eq(error->status, status);
    ck_assert_str_eq(error->text, text);
    ck_assert(names_its_index(error));
}

START_TEST(bad_input_is_an_error)
{
    pqt_convex made = {.count = 99};
    const pqt_vec bad[] = {{0, 0}, {1, NAN}, {0, 1}}, same[] = {{1, 2}, {1, 2}, {1, 2}};
    pqt_vec nine[9] = {{0, 0}};
    const struct {
        const pqt_vec *points;
        size_t count;
        double radius;
        pqt_status status;
        const char *text;
    } cases[] = {
        {bad, 3, 0, PQT_ERROR_BOX, "convex: y of point 1 is nan"},
        {(pqt_vec[]){{-INFINITY, 0}, {1, 1}}, 2, 0, PQT_ERROR_BOX, "convex: x of point 0 is -inf"},
        {same, 3, 0, PQT_ERROR_BOX, "convex: all points are equal"},
        {same, 1, 0, PQT_ERROR_BOX, "convex: all points are equal"},
        {NULL, 0, 0, PQT_ERROR_BOX, "convex: all points are equal"},
        {nine, 9, 0, PQT_ERROR_LIMIT, "convex: 9 points, the maximum is 8"},
        {(pqt_vec[]){{0, 0}, {1, 1}}, 2, -1, PQT_ERROR_OPTION, "convex: the radius is -1"},
        {(pqt_vec[]){{0, 0}, {1, 1}}, 2, NAN, PQT_ERROR_OPTION, "convex: the radius is nan"},
        {(pqt_vec[]){{0, 0}, {1, 1}}, 2, INFINITY, PQT_ERROR_OPTION, "convex: the radius is inf"},
        {(pqt_vec[]){{0, 0}, {DBL_MAX, 1}}, 2, DBL_MAX, PQT_ERROR_BOX,
         "convex: its box is not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pqt_error error = {0};
        bool ok =
            pqt_convex_from_points(cases[i].points, cases[i].count, cases[i].radius, &made, &error);
        expect_failure(ok, &error, cases[i].status, cases[i].text);
    }
    pqt_error errors[5] = {{0}};
    expect_failure(pqt_convex_from_box(pqt_box_make(1, 1, 0, 2), 0, &made, &errors[0]), &errors[0],
                   PQT_ERROR_BOX, "convex: box is inverted (x 1 > 0)");
    expect_failure(pqt_convex_from_box(pqt_box_make(1, 1, 1, 1), 0, &made, &errors[1]), &errors[1],
                   PQT_ERROR_BOX, "convex: all points are equal");
    expect_failure(
        pqt_convex_from_oriented_box(vec(0, 0), vec(1, 1), vec(0, 0), 0, &made, &errors[2]),
        &errors[2], PQT_ERROR_OPTION, "convex: the direction (0, 0) is not valid");
    expect_failure(
        pqt_convex_from_oriented_box(vec(0, 0), vec(1, -1), vec(1, 0), 0, &made, &errors[3]),
        &errors[3], PQT_ERROR_BOX, "convex: the half lengths are 1 and -1");
    expect_failure(
        pqt_convex_from_segment((pqt_segment){{0, 0}, {INFINITY, 1}}, 0, &made, &errors[4]),
        &errors[4], PQT_ERROR_BOX, "convex: x of point 1 is inf");
    ck_assert_uint_eq(made.count, 99);
}
END_TEST

START_TEST(only_corners_in_order_are_valid)
{
    pqt_convex square = {4, 0, {{0, 0}, {2, 0}, {2, 2}, {0, 2}}};
    pqt_convex turned = {4, 0, {{2, 0}, {2, 2}, {0, 2}, {0, 0}}};
    pqt_convex reversed = {4, 0, {{0, 0}, {0, 2}, {2, 2}, {2, 0}}};
    pqt_convex dented = {4, 0, {{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}};
    pqt_convex flat = {3, 0, {{0, 0}, {1, 0}, {2, 0}}};
    pqt_convex star = {5, 0, {{0, 0}, {4, 1}, {0, 2}, {3, -1}, {3, 3}}};
    pqt_convex one = {1, 0, {{0, 0}}}, nine = square, bad = square, negative = square;
    nine.count = 9;
    bad.vertices[2].y = NAN;
    negative.radius = -1;
    ck_assert(pqt_convex_is_valid(&square));
    const pqt_convex *invalid[] = {&turned, &reversed, &dented, &flat,    &star,
                                   &one,    &nine,     &bad,    &negative};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        ck_assert(!pqt_convex_is_valid(invalid[i]));
}
END_TEST

START_TEST(the_box_is_rounded_outward)
{
    pqt_convex capsule = segment_of(0, 0, 1, 0, 0x1p-60);
    pqt_box box = pqt_convex_box(&capsule);
    ck_assert(box.max.x == nextafter(1, 2) && box.min.x == -0x1p-60);
}
END_TEST

/* ---- Examples ---- */

START_TEST(shapes_that_share_a_boundary_touch_and_do_not_overlap)
{
    pqt_convex diamond = convex_of(4, (pqt_vec[]){{0, -1}, {1, 0}, {0, 1}, {-1, 0}}, 0);
    ck_assert(pqt_convex_touches_box(&diamond, pqt_box_make(0.5, 0.5, 2, 2)));
    ck_assert(!pqt_convex_overlaps_box(&diamond, pqt_box_make(0.5, 0.5, 2, 2)));
    double inward = nextafter(0.5, 0);
    ck_assert(pqt_convex_overlaps_box(&diamond, pqt_box_make(inward, 0.5, 2, 2)));
    double outward = nextafter(0.5, 1);
    ck_assert(!pqt_convex_touches_box(&diamond, pqt_box_make(outward, 0.5, 2, 2)));
    ck_assert(pqt_convex_contains(&diamond, vec(0.5, 0.5)));
    ck_assert(!pqt_convex_contains(&diamond, vec(outward, 0.5)));
    ck_assert(pqt_convex_overlaps_circle(&diamond, (pqt_circle){{0, 0}, 0}));
    ck_assert(!pqt_convex_overlaps_circle(&diamond, (pqt_circle){{1, 0}, 0}));
}
END_TEST

START_TEST(segments_overlap_where_they_cross)
{
    pqt_convex along = segment_of(0, 0, 2, 2, 0), across = segment_of(0, 2, 2, 0, 0);
    pqt_convex behind = segment_of(2, 2, 3, 3, 0), on = segment_of(1, 1, 3, 3, 0);
    pqt_convex upright = segment_of(1, 1, 1, 4, 0);
    ck_assert(pqt_convex_overlaps(&along, &across));
    ck_assert(pqt_convex_touches(&along, &behind) && !pqt_convex_overlaps(&along, &behind));
    ck_assert(pqt_convex_touches(&along, &on) && !pqt_convex_overlaps(&along, &on));
    ck_assert(pqt_convex_touches(&along, &upright) && !pqt_convex_overlaps(&along, &upright));
    ck_assert(!pqt_convex_touches(&across, &behind));
}
END_TEST

START_TEST(capsules_are_round_at_their_ends)
{
    pqt_convex capsule = segment_of(0, 0, 10, 0, 5);
    ck_assert(pqt_convex_contains(&capsule, vec(13, 4)));
    ck_assert(!pqt_convex_contains(&capsule, vec(nextafter(13, 14), 4)));
    ck_assert(pqt_convex_touches_circle(&capsule, (pqt_circle){{16, 8}, 5}));
    ck_assert(!pqt_convex_overlaps_circle(&capsule, (pqt_circle){{16, 8}, 5}));
    ck_assert(pqt_convex_overlaps_circle(&capsule, (pqt_circle){{16, 8}, nextafter(5, 6)}));
    ck_assert(pqt_convex_covers_box(&capsule, pqt_box_make(-5, 0, 15, 0)));
    ck_assert(!pqt_convex_covers_box(&capsule, pqt_box_make(nextafter(-5, -6), 0, 15, 0)));
    ck_assert(pqt_convex_is_inside_box(&capsule, pqt_box_make(-5, -5, 15, 5)));
    ck_assert(!pqt_convex_is_inside_box(&capsule, pqt_box_make(-5, -5, nextafter(15, 0), 5)));
}
END_TEST

/*
 * The reference decides by the differences between all pairs of vertices. The shapes touch if the
 * hull of the differences contains the origin, and overlap if its interior does. Their distance is
 * the smallest distance from the origin to a segment between two differences.
 */

enum { MOST_VERTICES = 8, MOST_DIFFERENCES = MOST_VERTICES * MOST_VERTICES };

/* A shape on the lattice of integers up to 2^27. */
typedef struct lattice_shape {
    size_t count;
    int64_t x[MOST_VERTICES], y[MOST_VERTICES], radius;
} lattice_shape;

typedef struct differences {
    size_t count;
    wide x[MOST_DIFFERENCES], y[MOST_DIFFERENCES];
} differences;

static differences
differences_of(const lattice_shape *a, const lattice_shape *b)
{
    differences all = {.count = 0};
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            all.x[all.count] = a->x[i] - b->x[j];
            all.y[all.count++] = a->y[i] - b->y[j];
        }
    return all;
}

static wide
cross_of(const differences *all, size_t i, size_t j)
{
    return all->x[i] * all->y[j] - all->y[i] * all->x[j];
}

/* Returns true if all differences are within less than half a turn that begins at this one. */
static bool
begins_half_turn(const differences *all, size_t i)
{
    for (size_t j = 0; j < all->count; j++) {
        wide cross = cross_of(all, i, j);
        wide dot = all->x[i] * all->x[j] + all->y[i] * all->y[j];
        if (cross < 0 || (cross == 0 && dot <= 0))
            return false;
    }
    return true;
}

static bool
polygons_touch(const differences *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (begins_half_turn(all, i))
            return false;
    return true;
}

static bool
polygons_overlap(const differences *all)
{
    bool all_zero = true;
    for (size_t i = 0; i < all->count; i++) {
        bool left = false, right = false;
        if (all->x[i] == 0 && all->y[i] == 0)
            continue;
        all_zero = false;
        for (size_t j = 0; j < all->count; j++) {
            wide cross = cross_of(all, i, j);
            left |= cross > 0;
            right |= cross < 0;
        }
        if (!left || !right)
            return false;
    }
    return !all_zero;
}

static int
sign_of(wide number)
{
    return number < 0 ? -1 : number > 0;
}

/* Returns the sign of the distance from the origin to the segment between two differences, minus a
   radius. */
static int
compare_with_segment(const differences *all, size_t i, size_t j, wide radius)
{
    wide x = all->x[j] - all->x[i], y = all->y[j] - all->y[i];
    wide along = -(all->x[i] * x + all->y[i] * y), square = x * x + y * y;
    if (along <= 0)
        return sign_of(all->x[i] * all->x[i] + all->y[i] * all->y[i] - radius * radius);
    if (along >= square)
        return sign_of(all->x[j] * all->x[j] + all->y[j] * all->y[j] - radius * radius);
    wide cross = cross_of(all, i, j);
    return sign_of(cross * cross - radius * radius * square);
}

static int
compare_distance(const differences *all, int64_t radius)
{
    int least = 1;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j <= i; j++) {
            int sign = compare_with_segment(all, i, j, radius);
            least = sign < least ? sign : least;
        }
    return least;
}

/* Returns 1 if the shapes are apart, 0 if they touch, and -1 if they overlap. */
static int
reference_separation(const lattice_shape *a, const lattice_shape *b)
{
    const differences all = differences_of(a, b);
    bool touch = polygons_touch(&all);
    if (a->radius + b->radius == 0)
        return !touch ? 1 : polygons_overlap(&all) ? -1 : 0;
    return touch ? -1 : compare_distance(&all, a->radius + b->radius);
}

static bool
reference_covers(const lattice_shape *a, const lattice_shape *polygon)
{
    for (size_t i = 0; i < polygon->count; i++) {
        const lattice_shape point = {1, {polygon->x[i]}, {polygon->y[i]}, 0};
        const differences all = differences_of(a, &point);
        if (!polygons_touch(&all) && compare_distance(&all, a->radius) > 0)
            return false;
    }
    return true;
}

/* ---- Random pairs ---- */

enum { COARSE, FINE, ON_A_LINE, AT_A_DISTANCE, LATTICES };

static int64_t
near(dice *d, int64_t at, int64_t reach)
{
    return at + (int64_t)dice_below(d, (size_t)(2 * reach + 1)) - reach;
}

static lattice_shape
rolled_shape(dice *d, int64_t reach, bool flat)
{
    lattice_shape shape = {.count = flat ? 2 : 2 + dice_below(d, dice_chance(d, 20) ? 7 : 3)};
    for (size_t i = 0; i < shape.count; i++) {
        shape.x[i] = near(d, 0, reach);
        shape.y[i] = near(d, 0, reach);
    }
    shape.radius = dice_chance(d, 50) ? 0 : (int64_t)dice_below(d, (size_t)reach / 2 + 2);
    return shape;
}

/* Sets x and y to the smallest vector with dx * y - dy * x = gcd(dx, dy), up to its sign. Of the
   points that are not on the line along (dx, dy), the points at this distance are nearest to it. */
static void
nearest_to_line(int64_t dx, int64_t dy, int64_t *x, int64_t *y)
{
    int64_t x_last = 0, y_last = 1;
    *x = 1;
    *y = 0;
    while (dy != 0) {
        int64_t times = dx / dy, rest = dx % dy, x_next = *x - times * x_last,
                y_next = *y - times * y_last;
        *x = x_last;
        *y = y_last;
        x_last = x_next;
        y_last = y_next;
        dx = dy;
        dy = rest;
    }
    /* dx_0 * x + dy_0 * y = gcd */
    int64_t swapped = *x;
    *x = -*y;
    *y = swapped;
}

/* Moves a vertex of `b` onto the line of a side of `a`, or as near to it as integers allow. */
static void
put_on_line(dice *d, const lattice_shape *a, lattice_shape *b)
{
    size_t i = dice_below(d, a->count), j = dice_below(d, a->count);
    int64_t times = (int64_t)dice_below(d, 5) - 1;
    for (size_t k = 0; k < b->count; k++)
        if (k == 0 || dice_chance(d, 40)) {
            b->x[k] = a->x[i] + times * (a->x[j] - a->x[i]) / 2;
            b->y[k] = a->y[i] + times * (a->y[j] - a->y[i]) / 2;
            if (dice_chance(d, 40)) {
                int64_t x, y, side = near(d, 0, 1);
                nearest_to_line(a->x[j] - a->x[i], a->y[j] - a->y[i], &x, &y);
                b->x[k] = a->x[i] + times / 2 * (a->x[j] - a->x[i]) + side * x;
                b->y[k] = a->y[i] + times / 2 * (a->y[j] - a->y[i]) + side * y;
            }
            times++;
        }
}

/* Makes two segments whose distance is an integer. Their radii add up to it, or nearly so. */
static void
put_at_distance(dice *d, lattice_shape *a, lattice_shape *b)
{
    static const int64_t triples[][3] = {{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {4, 3, 5}};
    const int64_t *t = triples[dice_below(d, 4)];
    int64_t length = 1 + (int64_t)dice_below(d, 1 << 20), gap = 1 + (int64_t)dice_below(d, 1 << 19);
    *a = (lattice_shape){2, {near(d, 0, 1 << 20)}, {near(d, 0, 1 << 20)}, 0};
    a->x[1] = a->x[0] + t[1] * length;
    a->y[1] = a->y[0] - t[0] * length;
    int64_t along = near(d, length / 2, length);
    b->count = 1 + dice_below(d, 3);
    for (size_t i = 0; i < b->count; i++) {
        int64_t away = i == 0 ? gap : gap + (int64_t)dice_below(d, 1000);
        b->x[i] = a->x[0] + t[1] * along + t[0] * away;
        b->y[i] = a->y[0] - t[0] * along + t[1] * away;
        along = near(d, along, 1000);
    }
    int64_t sum = near(d, t[2] * gap, dice_chance(d, 50));
    a->radius = (int64_t)dice_below(d, (size_t)sum + 1);
    b->radius = sum - a->radius;
}

/* Makes a point and radii whose sum differs by about one in 2^54 from the distance of the point
   from `a`. For a vertex, 4n^4 + 4n^2 and (2n^2 + 1)^2 differ by 1. For a diagonal side, c^2 and 2
   r^2 differ by 1, because they are successive solutions of Pell's equation. */
static void
put_nearly_at_distance(dice *d, lattice_shape *a, lattice_shape *b)
{
    int64_t sum, x = near(d, 0, 1 << 20), y = near(d, 0, 1 << 20);
    if (dice_chance(d, 50)) {
        int64_t n = 1 + (int64_t)dice_below(d, 16000);
        *a = (lattice_shape){2, {x, x - 1 - n}, {y, y + 7}, 0};
        *b = (lattice_shape){2, {x + 2 * n * n, x + 3 * n * n + 1}, {y + 2 * n, y + 2 * n}, 0};
        sum = 2 * n * n + 1 - (int64_t)dice_below(d, 2);
    } else {
        int64_t c = 1, r = 1, m = INT64_C(1) << 27;
        for (size_t i = dice_below(d, 22); i > 0; i--) {
            int64_t next = c + 2 * r;
            r += c;
            c = next;
        }
        m -= (int64_t)dice_below(d, 1000);
        *a = (lattice_shape){2, {x - m, x + m}, {y - m, y + m}, 0};
        *b = (lattice_shape){2, {x, x - 1 - r}, {y + c, y + c + 1}, 0};
        sum = near(d, r, dice_chance(d, 30));
    }
    a->radius = (int64_t)dice_below(d, (size_t)sum + 1);
    b->radius = sum - a->radius;
}

static void
roll_pair(dice *d, int family, lattice_shape *a, lattice_shape *b)
{
    int64_t reach = family == COARSE ? 3 : INT64_C(1) << 27;
    *a = rolled_shape(d, reach, dice_chance(d, 20));
    *b = rolled_shape(d, reach, dice_chance(d, 20));
    if (family == ON_A_LINE) {
        a->radius = b->radius = dice_chance(d, 80) ? 0 : 1;
        put_on_line(d, a, b);
    } else if (family == AT_A_DISTANCE) {
        if (dice_chance(d, 50))
            put_at_distance(d, a, b);
        else
            put_nearly_at_distance(d, a, b);
    } else if (dice_chance(d, 40)) { /* a small one, which may be inside */
        for (size_t i = 0; i < b->count; i++) {
            b->x[i] /= 8;
            b->y[i] /= 8;
        }
        b->radius /= dice_chance(d, 50) ? 1 : 8;
    }
    if (dice_chance(d, 20)) { /* a single point, or nearly one */
        b->count = 1;
        b->radius = dice_chance(d, 50) ? b->radius : 0;
    }
}

/* Makes a convex from a lattice shape, in units of 2^unit. Returns false for a point. */
static bool
make_shape(const lattice_shape *from, int unit, pqt_convex *shape)
{
    pqt_vec points[MOST_VERTICES];
    for (size_t i = 0; i < from->count; i++)
        points[i] = vec(ldexp((double)from->x[i], unit), ldexp((double)from->y[i], unit));
    return pqt_convex_from_points(points, from->count, ldexp((double)from->radius, unit), shape,
                                  NULL);
}

static pqt_box
box_of_lattice(const lattice_shape *from, int unit, lattice_shape *as_box)
{
    int64_t min_x = from->x[0], min_y = from->y[0], max_x = min_x, max_y = min_y;
    for (size_t i = 1; i < from->count; i++) {
        min_x = from->x[i] < min_x ? from->x[i] : min_x;
        min_y = from->y[i] < min_y ? from->y[i] : min_y;
        max_x = from->x[i] > max_x ? from->x[i] : max_x;
        max_y = from->y[i] > max_y ? from->y[i] : max_y;
    }
    *as_box = (lattice_shape){4, {min_x, max_x, max_x, min_x}, {min_y, min_y, max_y, max_y}, 0};
    return pqt_box_make(ldexp((double)min_x, unit), ldexp((double)min_y, unit),
                        ldexp((double)max_x, unit), ldexp((double)max_y, unit));
}

static bool
reference_is_inside_box(const lattice_shape *a, const lattice_shape *box)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->x[i] - a->radius < box->x[0] || a->x[i] + a->radius > box->x[2] ||
            a->y[i] - a->radius < box->y[0] || a->y[i] + a->radius > box->y[2])
            return false;
    return true;
}

/* Compares all predicates of one shape with another, with the bounding box of the other, and with a
   circle at its first vertex. Adds the separations of the pair to `seen`. */
static void
compare_predicates(const lattice_shape *a, const lattice_shape *b, int unit, size_t seen[4])
{
    pqt_convex shape, other;
    if (!make_shape(a, unit, &shape))
        return;
    if (make_shape(b, unit, &other)) {
        int separation = reference_separation(a, b);
        seen[separation + 1]++;
        ck_assert(pqt_convex_touches(&shape, &other) == (separation <= 0));
        ck_assert(pqt_convex_touches(&other, &shape) == (separation <= 0));
        ck_assert(pqt_convex_overlaps(&shape, &other) == (separation < 0));
        ck_assert(pqt_convex_overlaps(&other, &shape) == (separation < 0));
        pqt_box box = pqt_convex_box(&shape), other_box = pqt_convex_box(&other);
        ck_assert(separation > 0 || pqt_box_touches(box, other_box));
        ck_assert(separation >= 0 || pqt_box_overlaps(box, other_box));
    }
    lattice_shape as_box, as_circle = {1, {b->x[0]}, {b->y[0]}, b->radius};
    pqt_box box = box_of_lattice(b, unit, &as_box);
    int separation = reference_separation(a, &as_box);
    ck_assert(pqt_convex_touches_box(&shape, box) == (separation <= 0));
    ck_assert(pqt_convex_overlaps_box(&shape, box) == (separation < 0));
    bool covers = reference_covers(a, &as_box);
    seen[3] += covers;
    ck_assert(pqt_convex_covers_box(&shape, box) == covers);
    ck_assert(pqt_convex_is_inside_box(&shape, box) == reference_is_inside_box(a, &as_box));
    pqt_circle circle = {vec(ldexp((double)b->x[0], unit), ldexp((double)b->y[0], unit)),
                         ldexp((double)b->radius, unit)};
    separation = reference_separation(a, &as_circle);
    ck_assert(pqt_convex_touches_circle(&shape, circle) == (separation <= 0));
    ck_assert(pqt_convex_overlaps_circle(&shape, circle) == (separation < 0));
    as_circle.radius = 0;
    ck_assert(pqt_convex_contains(&shape, circle.centre) ==
              (reference_separation(a, &as_circle) <= 0));
}

START_TEST(predicates_agree_with_whole_numbers)
{
    static const int units[] = {0, -20, 980, -1070, 300, -520};
    dice d = {test_seed(__func__) + (uint64_t)_i};
    size_t seen[4] = {0};
    size_t rounds = test_scaled(2500);
    for (size_t round = 0; round < rounds; round++) {
        lattice_shape a, b;
        roll_pair(&d, _i, &a, &b);
        compare_predicates(&a, &b, units[dice_below(&d, 6)], seen);
    }
    fprintf(stderr, "# %zu rounds: %zu overlap, %zu touch, %zu apart, %zu covered\n", rounds,
            seen[0], seen[1], seen[2], seen[3]);
    ck_assert_uint_gt(seen[2], 0);
    ck_assert_uint_gt(seen[0] + seen[1], 0);
}
END_TEST

/* ---- All doubles ---- */

/* A vector with integer coordinates. */
typedef struct whole_vec {
    whole x, y;
} whole_vec;

static whole
whole_sum(whole a, const whole *b)
{
    a.negative = !a.negative;
    whole sum = whole_subtract(&a, b);
    sum.negative = !sum.negative;
    return sum;
}

static whole
whole_combine(const whole *a, const whole *b, const whole *c, const whole *e, bool subtract)
{
    whole left = whole_multiply(a, b), right = whole_multiply(c, e);
    return subtract ? whole_subtract(&left, &right) : whole_sum(left, &right);
}

static int
whole_sign(const whole *w)
{
    return w->count == 0 ? 0 : w->negative ? -1 : 1;
}

static int
whole_cross_sign(const whole_vec *a, const whole_vec *b)
{
    whole cross = whole_combine(&a->x, &b->y, &a->y, &b->x, true);
    return whole_sign(&cross);
}

static int
whole_dot_sign(const whole_vec *a, const whole_vec *b)
{
    whole dot = whole_combine(&a->x, &b->x, &a->y, &b->y, false);
    return whole_sign(&dot);
}

static int
compare_whole_distance(const whole_vec *a, const whole_vec *b, const whole *radius)
{
    whole_vec side = {whole_subtract(&b->x, &a->x), whole_subtract(&b->y, &a->y)};
    whole limit = whole_multiply(radius, radius);
    if (whole_dot_sign(a, &side) >= 0 || whole_dot_sign(b, &side) <= 0) {
        const whole_vec *end = whole_dot_sign(a, &side) >= 0 ? a : b;
        whole square = whole_combine(&end->x, &end->x, &end->y, &end->y, false);
        return whole_compare(&square, &limit);
    }
    whole cross = whole_combine(&a->x, &b->y, &a->y, &b->x, true);
    whole length = whole_combine(&side.x, &side.x, &side.y, &side.y, false);
    whole left = whole_multiply(&cross, &cross), right = whole_multiply(&limit, &length);
    return whole_compare(&left, &right);
}

/* Does the same as reference_separation, for arbitrary doubles. */
static int
whole_separation(const pqt_convex *a, const pqt_convex *b)
{
    static whole_vec all[MOST_DIFFERENCES];
    size_t count = 0;
    const int unit = -1074;
    bool is_apart = false, is_separated = false, all_zero = true;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            whole ax = whole_of(a->vertices[i].x, unit), ay = whole_of(a->vertices[i].y, unit);
            whole bx = whole_of(b->vertices[j].x, unit), by = whole_of(b->vertices[j].y, unit);
            all[count++] = (whole_vec){whole_subtract(&ax, &bx), whole_subtract(&ay, &by)};
        }
    for (size_t i = 0; i < count; i++) {
        bool left = false, right = false, begins = true, zero = !all[i].x.count && !all[i].y.count;
        for (size_t j = 0; j < count; j++) {
            int cross = whole_cross_sign(&all[i], &all[j]);
            left |= cross > 0;
            right |= cross < 0;
            begins = begins && (cross > 0 || (cross == 0 && whole_dot_sign(&all[i], &all[j]) > 0));
        }
        all_zero = all_zero && zero;
        is_apart |= begins;
        is_separated |= !zero && !(left && right);
    }
    whole ra = whole_of(a->radius, unit), rb = whole_of(b->radius, unit);
    whole radius = whole_sum(ra, &rb);
    if (radius.count == 0)
        return is_apart ? 1 : is_separated || all_zero ? 0 : -1;
    int least = is_apart ? 1 : -1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i && least >= 0; j++) {
            int sign = compare_whole_distance(&all[i], &all[j], &radius);
            least = sign < least ? sign : least;
        }
    return least;
}

/* Returns a double with a long fraction. One in eight has an arbitrary size. The sizes of the
   others are such that differences between them are rounded. */
static double
rolled_double(dice *d)
{
    int exponent = dice_chance(d, 12) ? (int)dice_below(d, 2000) - 1000 : -(int)dice_below(d, 12);
    return ldexp(dice_real(d) - 0.5, exponent);
}

/* Moves the first vertex of a segment close to a point of a side of `a`, and sets the radius close
   to their distance. */
static pqt_convex
rolled_neighbour(dice *d, const pqt_convex *a)
{
    pqt_vec from = a->vertices[0], to = a->vertices[1];
    double share = dice_real(d) * 1.2 - 0.1;
    pqt_vec at = vec(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
    pqt_vec end = vec(at.x + (to.y - from.y), at.y - (to.x - from.x));
    if (dice_chance(d, 50)) { /* close to the vertex `to`, except for the third one */
        at = to;
        end =
            vec(to.x + (to.x - from.x) + (to.y - from.y), to.y + (to.y - from.y) - (to.x - from.x));
    }
    pqt_segment segment = {at, end};
    double radius = 0;
    if (a->radius > 0 && pqt_vec_is_finite(end)) {
        segment.from = vec(at.x + (end.x - at.x) / 2, at.y + (end.y - at.y) / 2);
        radius = pqt_vec_distance(at, segment.from) - a->radius;
    }
    pqt_convex made;
    if (radius >= 0 && pqt_convex_from_segment(segment, radius, &made, NULL))
        return made;
    return segment_of(at.x, at.y, 0, 1, 0);
}

START_TEST(predicates_agree_for_doubles_of_all_sizes)
{
    dice d = {test_seed(__func__)};
    size_t rounds = test_scaled(400), seen[3] = {0};
    for (size_t round = 0; round < rounds; round++) {
        pqt_vec points[3];
        for (int i = 0; i < 3; i++)
            points[i] = vec(rolled_double(&d), rolled_double(&d));
        double size = fabs(rolled_double(&d)) / 8;
        pqt_convex a = convex_of(2 + dice_below(&d, 2), points, dice_chance(&d, 50) ? 0 : size);
        pqt_convex b = rolled_neighbour(&d, &a);
        int separation = whole_separation(&a, &b);
        seen[separation + 1]++;
        ck_assert(pqt_convex_touches(&a, &b) == (separation <= 0));
        ck_assert(pqt_convex_overlaps(&b, &a) == (separation < 0));
    }
    fprintf(stderr, "# %zu overlap, %zu touch, %zu apart\n", seen[0], seen[1], seen[2]);
}
END_TEST

static Suite *
convex_suite(void)
{
    Suite *suite = suite_create("convex");
    TCase *made = tcase_create("construction");
    tcase_add_test(made, points_become_the_corners_of_their_hull);
    tcase_add_test(made, any_order_of_points_gives_the_same_bits);
    tcase_add_test(made, points_on_a_line_make_a_segment);
    tcase_add_test(made, a_box_keeps_its_sides_and_a_flat_box_becomes_a_segment);
    tcase_add_test(made, an_oriented_box_along_an_axis_is_a_box);
    tcase_add_test(made, rounded_oriented_boxes_are_convex);
    tcase_add_test(made, bad_input_is_an_error);
    tcase_add_test(made, only_corners_in_order_are_valid);
    tcase_add_test(made, the_box_is_rounded_outward);
    suite_add_tcase(suite, made);

    TCase *predicates = tcase_create("predicates");
    tcase_add_test(predicates, shapes_that_share_a_boundary_touch_and_do_not_overlap);
    tcase_add_test(predicates, segments_overlap_where_they_cross);
    tcase_add_test(predicates, capsules_are_round_at_their_ends);
    tcase_add_loop_test(predicates, predicates_agree_with_whole_numbers, 0, LATTICES);
    tcase_add_test(predicates, predicates_agree_for_doubles_of_all_sizes);
    suite_add_tcase(suite, predicates);
    return suite;
}

int
main(void)
{
    return run_suite(convex_suite());
}
