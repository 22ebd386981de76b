/* SPDX-License-Identifier: MIT */
/*
 * test_query_prep.c: tests difficult windows with each of the four relations: on edges, without a
 * quantised box, infinite, outside the bounds, with NaN, with -0.0, and with min > max.
 *
 * Every answer is compared with a plain evaluation of the relation for each item, without any tree.
 */
#include "config.h"

#include <float.h>

#include <pqt/limits.h>
#include <pqt/tree.h>

#include "plain_model.h"
#include "suite.h"
#include "tree/query/query_prep.h"
#include "tree_support.h"

enum { MOST_ITEMS = 400, RELATIONS = 4 };

static const pqt_relation relations[RELATIONS] = {PQT_TOUCHES, PQT_OVERLAPS, PQT_INSIDE,
                                                  PQT_COVERS};

/* Items whose ids are their indices, and a tree of them. */
typedef struct scene {
    pqt_item items[MOST_ITEMS];
    size_t count;
    const pqt_tree *tree;
} scene;

static void
put(scene *s, pqt_box at)
{
    require(s->count < MOST_ITEMS, "the scene has no room left");
    s->items[s->count] = boxed(at, s->count);
    s->count++;
}

typedef struct marks {
    bool found[MOST_ITEMS];
    size_t count;
} marks;

static bool
mark(const pqt_item *item, void *context)
{
    marks *m = context;
    require(!m->found[item->id], "an item was visited twice");
    m->found[item->id] = true;
    m->count++;
    return true;
}

/* Checks that every query function finds exactly the items that satisfy the relation. */
static void
expect_right(const scene *s, pqt_query query)
{
    marks m = {.count = 0};
    size_t expected = 0;
    ck_assert(pqt_tree_visit(s->tree, &query, mark, &m));
    for (size_t i = 0; i < s->count; i++) {
        bool right = model_relates(s->items[i].box, query.window, query.relation);
        if (right != m.found[i])
            ck_abort_msg("item %a,%a %a,%a, window %a,%a %a,%a, relation %d: found is %d",
                         s->items[i].box.min.x, s->items[i].box.min.y, s->items[i].box.max.x,
                         s->items[i].box.max.y, query.window.min.x, query.window.min.y,
                         query.window.max.x, query.window.max.y, query.relation, m.found[i]);
        expected += right;
    }
    require(pqt_tree_count_in(s->tree, &query) == expected, "count_in counts otherwise");
    require(pqt_tree_collect_ids(s->tree, &query, NULL, 0) == expected, "the runs differ");
    require(pqt_tree_any(s->tree, &query, NULL) == (expected > 0), "pqt_tree_any disagrees");
}

static void
expect_right_for_all(const scene *s, pqt_box window)
{
    for (size_t i = 0; i < RELATIONS; i++)
        expect_right(s, query_of(window, relations[i]));
}

static size_t
count_of(const scene *s, pqt_box window, pqt_relation relation)
{
    expect_right(s, query_of(window, relation));
    return pqt_tree_count_in(s->tree, (pqt_query[]){query_of(window, relation)});
}

/* Returns small boxes, dots, lines, large boxes and outliers, with bounds of 16 x 16. */
static const scene *
small_scene(int capacity)
{
    static scene s;
    s.count = 0;
    for (int i = 0; i < 36; i++) {
        double x = 3 * (i % 6), y = 3 * (i / 6);
        put(&s, point(x, y));
        put(&s, box(x, y, x + 2, y + 1));
    }
    for (int i = 0; i <= 4; i++) {
        put(&s, box(4 * i, 0, 4 * i, 16));
        put(&s, box(0, 4 * i, 16, 4 * i));
        put(&s, box(-i, -i, 16 + i, 16 + i));
        put(&s, point(20 * i, -20));
        put(&s, box(-100 - i, 5, -90 + i, 6));
    }
    s.tree = with_items(small_tree(capacity), s.items, s.count);
    return &s;
}

/* ---- The relations, by hand ---- */

START_TEST(an_edge_is_enough_to_touch_and_not_to_overlap)
{
    scene s = {.count = 0};
    put(&s, box(4, 4, 8, 8));
    s.tree = with_items(small_tree(1), s.items, 1);
    const pqt_box beside[] = {box(8, 4, 9, 8), box(0, 4, 4, 8), box(4, 8, 8, 9), box(4, 0, 8, 4),
                              box(8, 8, 9, 9), box(0, 0, 4, 4), point(4, 6),     point(8, 8)};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        ck_assert_uint_eq(count_of(&s, beside[i], PQT_TOUCHES), 1);
        ck_assert_uint_eq(count_of(&s, beside[i], PQT_OVERLAPS), 0);
    }
    ck_assert_uint_eq(count_of(&s, box(nextafter(8, 9), 4, 9, 8), PQT_TOUCHES), 0);
    ck_assert_uint_eq(count_of(&s, box(nextafter(8, 7), 4, 9, 8), PQT_OVERLAPS), 1);
    ck_assert_uint_eq(count_of(&s, box(0, 0, 4, nextafter(4, 3)), PQT_TOUCHES), 0);
    ck_assert_uint_eq(count_of(&s, box(0, 0, nextafter(4, 5), nextafter(4, 5)), PQT_OVERLAPS), 1);
}
END_TEST

START_TEST(inside_and_covers_include_the_edges)
{
    scene s = {.count = 0};
    put(&s, box(4, 4, 8, 8));
    s.tree = with_items(small_tree(1), s.items, 1);
    for (size_t i = 2; i < RELATIONS; i++)
        ck_assert_uint_eq(count_of(&s, box(4, 4, 8, 8), relations[i]), 1);
    ck_assert_uint_eq(count_of(&s, box(4, 4, 8, nextafter(8, 7)), PQT_INSIDE), 0);
    ck_assert_uint_eq(count_of(&s, box(4, 4, 8, nextafter(8, 7)), PQT_COVERS), 1);
    ck_assert_uint_eq(count_of(&s, box(nextafter(4, 3), 4, 8, 8), PQT_INSIDE), 1);
    ck_assert_uint_eq(count_of(&s, box(nextafter(4, 3), 4, 8, 8), PQT_COVERS), 0);
    ck_assert_uint_eq(count_of(&s, point(4, 8), PQT_COVERS), 1);
    ck_assert_uint_eq(count_of(&s, point(4, 8), PQT_INSIDE), 0);
}
END_TEST

START_TEST(a_point_overlaps_boxes_that_it_is_strictly_inside)
{
    scene s = {.count = 0};
    put(&s, point(8, 8));
    s.tree = with_items(small_tree(1), s.items, 1);
    ck_assert_uint_eq(count_of(&s, box(7, 7, 9, 9), PQT_OVERLAPS), 1);
    ck_assert_uint_eq(count_of(&s, box(8, 7, 9, 9), PQT_OVERLAPS), 0);
    ck_assert_uint_eq(count_of(&s, box(nextafter(8, 7), 7, 9, nextafter(8, 9)), PQT_OVERLAPS), 1);
    ck_assert_uint_eq(count_of(&s, point(8, 8), PQT_OVERLAPS), 0);
    ck_assert_uint_eq(count_of(&s, point(8, 8), PQT_TOUCHES), 1);
    ck_assert_uint_eq(count_of(&s, point(8, 8), PQT_INSIDE), 1);
    ck_assert_uint_eq(count_of(&s, point(8, 8), PQT_COVERS), 1);
}
END_TEST

/* If a window is a point or a line, it overlaps the items whose interior it meets, but not those
   that it only touches. */
START_TEST(windows_without_extent_overlap_boxes_whose_interior_they_meet)
{
    scene s = {.count = 0};
    put(&s, box(4, 4, 8, 8));
    put(&s, box(8, 4, 12, 8));
    put(&s, point(8, 6));
    s.tree = with_items(small_tree(1), s.items, 3);
    ck_assert_uint_eq(count_of(&s, point(6, 6), PQT_OVERLAPS), 1);
    ck_assert_uint_eq(count_of(&s, point(8, 6), PQT_OVERLAPS), 0);
    ck_assert_uint_eq(count_of(&s, point(8, 6), PQT_TOUCHES), 3);
    ck_assert_uint_eq(count_of(&s, point(8, 6), PQT_COVERS), 3);
    ck_assert_uint_eq(count_of(&s, point(8, 6), PQT_INSIDE), 1);
    ck_assert_uint_eq(count_of(&s, box(0, 6, 16, 6), PQT_OVERLAPS), 2);
    ck_assert_uint_eq(count_of(&s, box(8, 0, 8, 16), PQT_OVERLAPS), 0);
    ck_assert_uint_eq(count_of(&s, box(5, 4, 7, 4), PQT_COVERS), 1);
}
END_TEST

/* ---- Special windows ---- */

START_TEST(a_window_with_nan_finds_nothing)
{
    for (int capacity = 1; capacity < 2000; capacity *= 40) {
        const scene *s = small_scene(capacity > PQT_MAX_CAPACITY ? PQT_MAX_CAPACITY : capacity);
        for (int side = 0; side < 4; side++) {
            double sides[] = {-INFINITY, -INFINITY, INFINITY, INFINITY};
            sides[side] = NAN;
            pqt_box window = box(sides[0], sides[1], sides[2], sides[3]);
            for (size_t i = 0; i < RELATIONS; i++)
                ck_assert_uint_eq(count_of(s, window, relations[i]), 0);
        }
    }
}
END_TEST

/* By the formulas alone, items that span the gap between the sides would be found. */
START_TEST(an_inverted_window_finds_nothing)
{
    const pqt_box windows[] = {box(9, 0, 7, 16),
                               box(0, 9, 16, 7),
                               box(8, 0, nextafter(8, 7), 16),
                               box(16, 16, 0, 0),
                               box(INFINITY, 0, -INFINITY, 16),
                               box(0, INFINITY, 16, -INFINITY)};
    for (int capacity = 1; capacity < 200; capacity *= 10) {
        const scene *s = small_scene(capacity);
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            for (size_t i = 0; i < RELATIONS; i++)
                ck_assert_uint_eq(count_of(s, windows[w], relations[i]), 0);
    }
}
END_TEST

START_TEST(the_window_of_all_finds_every_item_and_no_item_covers_it)
{
    for (int capacity = 1; capacity < 200; capacity *= 10) {
        const scene *s = small_scene(capacity);
        ck_assert_uint_eq(count_of(s, whole_plane, PQT_TOUCHES), s->count);
        ck_assert_uint_eq(count_of(s, whole_plane, PQT_OVERLAPS), s->count);
        ck_assert_uint_eq(count_of(s, whole_plane, PQT_INSIDE), s->count);
        ck_assert_uint_eq(count_of(s, whole_plane, PQT_COVERS), 0);
    }
}
END_TEST

START_TEST(half_planes_quadrants_and_stripes_find_the_boxes_of_a_scan)
{
    static const double lines[] = {-100, -1, 0, 4, 8, 9, 12, 16, 17, 80};
    for (int capacity = 1; capacity < 200; capacity *= 10) {
        const scene *s = small_scene(capacity);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            double at = lines[i];
            expect_right_for_all(s, box(at, -INFINITY, INFINITY, INFINITY));
            expect_right_for_all(s, box(-INFINITY, -INFINITY, at, INFINITY));
            expect_right_for_all(s, box(-INFINITY, at, INFINITY, INFINITY));
            expect_right_for_all(s, box(-INFINITY, -INFINITY, INFINITY, at));
            expect_right_for_all(s, box(-INFINITY, -INFINITY, at, at));
            expect_right_for_all(s, box(at, at, INFINITY, INFINITY));
            expect_right_for_all(s, box(-INFINITY, at, INFINITY, at));
            expect_right_for_all(s, box(at, -INFINITY, at, INFINITY));
            expect_right_for_all(s, box(at, -INFINITY, at + 3, INFINITY));
        }
    }
}
END_TEST

START_TEST(a_window_at_infinity_finds_nothing)
{
    const pqt_box windows[] = {point(INFINITY, INFINITY), point(-INFINITY, 4),
                               box(-INFINITY, -INFINITY, -INFINITY, INFINITY),
                               box(INFINITY, -INFINITY, INFINITY, INFINITY),
                               box(-INFINITY, INFINITY, INFINITY, INFINITY)};
    scene s = {.count = 0};
    put(&s, box(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX));
    put(&s, point(DBL_MAX, DBL_MAX));
    put(&s, point(-DBL_MAX, 4));
    put(&s, point(3, 4));
    for (int capacity = 1; capacity < 5; capacity++) {
        s.tree = with_items(small_tree(capacity), s.items, s.count);
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            for (size_t i = 0; i < RELATIONS; i++)
                ck_assert_uint_eq(count_of(&s, windows[w], relations[i]), 0);
    }
}
END_TEST

START_TEST(minus_zero_is_zero)
{
    scene s = {.count = 0};
    for (int i = 0; i < 9; i++) {
        double x = i % 3 - 1, y = i / 3 - 1;
        put(&s, point(x, y));
        put(&s, box(x, y, x > 0 ? x : 0, y > 0 ? y : 0.5));
    }
    const pqt_box worlds[] = {world_box, box(-1, -1, 1, 1), box(0, 0, TINIEST, TINIEST)};
    for (size_t w = 0; w < 3; w++) {
        s.tree = with_items(made(worlds[w], options_of(1, PQT_MAX_DEPTH)), s.items, s.count);
        for (size_t i = 0; i < RELATIONS; i++) {
            size_t count = count_of(&s, box(0, 0, 0, 0), relations[i]);
            ck_assert_uint_eq(count_of(&s, box(-0.0, -0.0, -0.0, -0.0), relations[i]), count);
            ck_assert_uint_eq(count_of(&s, box(0.0, -0.0, -0.0, 0.0), relations[i]), count);
            count = count_of(&s, box(0, -1, 1, 0), relations[i]);
            ck_assert_uint_eq(count_of(&s, box(-0.0, -1, 1, -0.0), relations[i]), count);
        }
    }
}
END_TEST

/* ---- Outliers, and items across the bounds ---- */

START_TEST(outliers_are_found_at_their_positions)
{
    scene s = {.count = 0};
    static const double far[] = {-DBL_MAX, -1e300, -17,  -1, -TINIEST, 0,
                                 3,        16,     16.5, 40, 1e9,      DBL_MAX};
    enum { FAR = sizeof far / sizeof *far };
    for (size_t i = 0; i < FAR * FAR; i++)
        put(&s, point(far[i % FAR], far[i / FAR]));
    for (int capacity = 1; capacity < 200; capacity *= 6) {
        s.tree = with_items(small_tree(capacity), s.items, s.count);
        expect_sound(s.tree);
        for (size_t i = 0; i < s.count; i++) {
            ck_assert_uint_eq(count_of(&s, s.items[i].box, PQT_TOUCHES), 1);
            expect_right_for_all(&s, s.items[i].box);
            expect_right_for_all(&s, box(far[i % FAR], far[i / FAR], DBL_MAX, DBL_MAX));
            expect_right_for_all(&s, box(-DBL_MAX, far[i % FAR], far[i / FAR], INFINITY));
        }
    }
}
END_TEST

/* The columns of these items are clamped to the edge of the grid, so the exact doubles decide. */
START_TEST(items_that_extend_beyond_the_bounds_are_found_outside_too)
{
    scene s = {.count = 0};
    for (int i = 0; i < 16; i++) {
        put(&s, box(i - 3, i - 2, i + 3, i + 2));
        put(&s, box(i, -7, i + 0.5, 8));
        put(&s, box(15, i, 40, i + 0.25));
    }
    const pqt_box windows[] = {box(17, 0, 18, 16), box(-2, -2, -1, -1), box(0, -9, 16, -6.5),
                               box(30, 5, 50, 9),  box(16, 16, 17, 17), box(-9, -9, 0, 0),
                               box(39, 3, 41, 3.5)};
    for (int capacity = 1; capacity < 60; capacity += 7) {
        s.tree = with_items(small_tree(capacity), s.items, s.count);
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
            expect_right_for_all(&s, windows[w]);
    }
}
END_TEST

/* ---- Every pair of lines, in every kind of world ---- */

typedef struct ruled_world {
    const char *name;
    pqt_box bounds;
} ruled_world;

static const ruled_world ruled_worlds[] = {
    {"16 x 16", {{0, 0}, {16, 16}}},
    {"about 0", {{-1, -1}, {1, 1}}},
    {"thirds", {{0, 0}, {1.0 / 3, 7.0 / 3}}},
    {"a point", {{2, 3}, {2, 3}}},
    {"a horizontal line", {{-4, 2}, {12, 2}}},
    {"a vertical line", {{2, -4}, {2, 12}}},
    {"one denormal", {{0, 0}, {TINIEST, TINIEST}}},
    {"denormals", {{-8 * TINIEST, 0}, {8 * TINIEST, 4 * TINIEST}}},
    {"1e300", {{0, -1e300}, {1e300, 1e300}}},
    {"all doubles", {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}}},
    {"far away", {{5e6, 5e6}, {5e6 + 100, 5e6 + 100}}},
    {"an ulp", {{1, 1}, {1 + DBL_EPSILON, 1 + DBL_EPSILON}}},
};

#define RULED_WORLDS (sizeof ruled_worlds / sizeof *ruled_worlds)

enum { LINES = 9 };

/* Sets the coordinates of an axis, in ascending order: the ends, a quarter, the middle, and their
 * neighbours. */
static void
rule(double low, double high, double lines[LINES])
{
    double middle = low / 2 + high / 2;
    const double drawn[LINES] = {nextafter(low, -INFINITY), low,    low / 2 + middle / 2,
                                 nextafter(middle, low),    middle, nextafter(middle, high),
                                 nextafter(high, low),      high,   nextafter(high, INFINITY)};
    for (int i = 0; i < LINES; i++)
        lines[i] = drawn[i] < -DBL_MAX ? -DBL_MAX : drawn[i] > DBL_MAX ? DBL_MAX : drawn[i];
}

/* Makes items between these coordinates: between each pair on x, and between a few pairs on y. */
static void
draw_on_lines(scene *s, const double x[LINES], const double y[LINES])
{
    static const int rows[][2] = {{1, 7}, {4, 4}, {0, 2}, {5, 8}};
    for (int from = 0; from < LINES; from++) {
        for (int to = from; to < LINES; to++) {
            for (size_t row = 0; row < 4; row++) {
                pqt_box at = box(x[from], y[rows[row][0]], x[to], y[rows[row][1]]);
                /* in narrow worlds, some of the lines coincide */
                bool known = !pqt_box_is_valid(at);
                for (size_t i = 0; i < s->count && !known; i++)
                    known = same_bits(boxed(s->items[i].box, 0), boxed(at, 0));
                if (!known)
                    put(s, at);
            }
        }
    }
}

START_TEST(windows_between_any_two_lines_find_the_boxes_of_a_scan)
{
    static scene s;
    const pqt_box bounds = ruled_worlds[_i % (int)RULED_WORLDS].bounds;
    const int capacity = _i < (int)RULED_WORLDS ? 1 : 24;
    double x[LINES + 3], y[LINES];
    static const int rows[][2] = {{0, 8}, {1, 4}, {4, 4}, {5, 2}, {6, 7}};
    rule(bounds.min.x, bounds.max.x, x);
    rule(bounds.min.y, bounds.max.y, y);
    s.count = 0;
    draw_on_lines(&s, x, y);
    x[LINES] = INFINITY;
    x[LINES + 1] = -INFINITY;
    x[LINES + 2] = -0.0;
    s.tree = with_items(made(bounds, options_of(capacity, PQT_MAX_DEPTH)), s.items, s.count);
    expect_sound(s.tree);
    for (int from = 0; from < LINES + 3; from++) {
        for (int to = 0; to < LINES + 3; to++) {
            for (size_t row = 0; row < 5; row++) {
                pqt_box window = box(x[from], y[rows[row][0]], x[to], y[rows[row][1]]);
                expect_right_for_all(&s, window);
                expect_right_for_all(&s, box(window.min.x, -INFINITY, window.max.x, INFINITY));
            }
        }
    }
}
END_TEST

/* ---- Coverage of subtrees by a window ---- */

/* Returns a node with one child, which has this quantised box. */
static pqti_inner
node_of(pqti_qbox qbox)
{
    pqti_inner node = {.count = {1, 0, 0, 0}};
    node.min_x[0] = qbox.min_x;
    node.min_y[0] = qbox.min_y;
    node.max_x[0] = qbox.max_x;
    node.max_y[0] = qbox.max_y;
    return node;
}

/* A subtree may be skipped, or taken as a whole, only if that is right for each item that it may
 * contain. */
START_TEST(subtrees_are_skipped_or_taken_whole_correctly)
{
    const scene *s = small_scene(1);
    const pqti_domain *domain = s->tree->domain;
    const pqt_box windows[] = {whole_plane,          box(3, 3, 12, 12),
                               box(4, 0, 4, 16),     point(8, 8),
                               box(-200, -1, 9, 99), box(-INFINITY, 5, 8, INFINITY),
                               box(17, 0, 20, 16)};
    size_t whole = 0, passed = 0;
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        for (size_t i = 0; i < RELATIONS; i++) {
            pqti_window window =
                pqti_window_of(domain, (pqt_query[]){query_of(windows[w], relations[i])});
            for (size_t j = 0; j < 2 * s->count; j++) {
                bool outliers = j >= s->count;
                const pqt_box *at = &s->items[j % s->count].box;
                pqti_inner node = node_of(pqti_qbox_of(domain, outliers, at));
                const pqti_qwindow *qwindow = pqti_qwindow_at(&window, outliers);
                bool right = model_relates(*at, windows[w], relations[i]);
                require(pqti_may_find(qwindow, &node, 0) || !right, "an item was skipped");
                require(!pqti_is_inside(qwindow, &node, 0) || right,
                        "an item was found that does not match");
                whole += pqti_is_inside(qwindow, &node, 0);
                passed += !pqti_may_find(qwindow, &node, 0);
            }
        }
    }
    ck_assert_uint_gt(whole, s->count);
    ck_assert_uint_gt(passed, s->count);
}
END_TEST

START_TEST(no_subtree_is_taken_whole_for_items_that_cover)
{
    const pqti_domain *domain = small_tree(1)->domain;
    const pqt_box windows[] = {whole_plane, world_box, point(8, 8), box(-INFINITY, 3, INFINITY, 4)};
    for (size_t w = 0; w < 4; w++) {
        pqti_window window =
            pqti_window_of(domain, (pqt_query[]){query_of(windows[w], PQT_COVERS)});
        for (int outliers = 0; outliers < 2; outliers++) {
            pqti_inner node = node_of((pqti_qbox){0, 0, UINT32_MAX, UINT32_MAX});
            ck_assert(!pqti_is_inside(pqti_qwindow_at(&window, outliers != 0), &node, 0));
            node = node_of(pqti_qbox_of(domain, outliers != 0, &world_box));
            ck_assert(!pqti_is_inside(pqti_qwindow_at(&window, outliers != 0), &node, 0));
        }
    }
}
END_TEST

/* Computing both axes in one vector gives the same result as computing each separately, at the
 * edges and beyond. */
START_TEST(columns_side_by_side_are_those_of_each_axis)
{
    const double far = 0x1.fffffffffffffp1023;
    const pqt_box bounds[] = {world_box, point(3, 5), box(-far, 0, far, TINIEST), box(2, 1, 2, 9)};
    const double values[] = {-INFINITY, -far, -1, -TINIEST, -0.0,  TINIEST, 1,       2,
                             5,         9,    15, 16,       16.25, far,     INFINITY};
    const size_t count = sizeof values / sizeof *values;
    for (size_t b = 0; b < 4; b++) {
        const pqti_domain *domain = made(bounds[b], options_of(1, 24))->domain;
        for (size_t i = 0; i < count * count; i++) {
            const double x = values[i / count], y = values[i % count];
            pqti_qbox qbox = pqti_qbox_of(domain, false, &(pqt_box){{x, y}, {y, x}});
            ck_assert_uint_eq(qbox.min_x, pqti_qcoord(&domain->x, x));
            ck_assert_uint_eq(qbox.min_y, pqti_qcoord(&domain->y, y));
            ck_assert_uint_eq(qbox.max_x, pqti_qcoord(&domain->x, y));
            ck_assert_uint_eq(qbox.max_y, pqti_qcoord(&domain->y, x));
        }
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("window");
    TCase *hand = add_tests(suite, "by hand");
    tcase_add_test(hand, an_edge_is_enough_to_touch_and_not_to_overlap);
    tcase_add_test(hand, inside_and_covers_include_the_edges);
    tcase_add_test(hand, a_point_overlaps_boxes_that_it_is_strictly_inside);
    tcase_add_test(hand, windows_without_extent_overlap_boxes_whose_interior_they_meet);
    TCase *odd = add_tests(suite, "odd windows");
    tcase_add_test(odd, a_window_with_nan_finds_nothing);
    tcase_add_test(odd, an_inverted_window_finds_nothing);
    tcase_add_test(odd, the_window_of_all_finds_every_item_and_no_item_covers_it);
    tcase_add_test(odd, half_planes_quadrants_and_stripes_find_the_boxes_of_a_scan);
    tcase_add_test(odd, a_window_at_infinity_finds_nothing);
    tcase_add_test(odd, minus_zero_is_zero);
    TCase *places = add_tests(suite, "places");
    tcase_add_test(places, outliers_are_found_at_their_positions);
    tcase_add_test(places, items_that_extend_beyond_the_bounds_are_found_outside_too);
    tcase_add_loop_test(places, windows_between_any_two_lines_find_the_boxes_of_a_scan, 0,
                        2 * (int)RULED_WORLDS);
    tcase_add_test(places, subtrees_are_skipped_or_taken_whole_correctly);
    tcase_add_test(places, columns_side_by_side_are_those_of_each_axis);
    tcase_add_test(places, no_subtree_is_taken_whole_for_items_that_cover);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
