/* SPDX-License-Identifier: MIT */
/* test_nearest.c: compares the items nearest to a point or a box with a plain array. */
#include "config.h"

#include <float.h>

#include <pqt/nearest.h>

#include "hooks.h"
#include "search_trees.h"
#include "suite.h"

static pqt_nearest_options
within(double distance)
{
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.max_distance = distance;
    return options;
}

static pqt_nearest_options
passing(pqt_filter_fn *filter, void *context)
{
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.filter = filter;
    options.context = context;
    return options;
}

/* Checks that the first `count` results have these ids and distances, in this order. */
static void
expect_near(const pqt_near *found, size_t count, const uint64_t *ids, const double *distances)
{
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(found[i].item.id, ids[i]);
        ck_assert(found[i].distance == distances[i]);
    }
}

/* ---- Examples ---- */

START_TEST(the_nearest_come_first)
{
    const pqt_item items[] = {dot(1, 1, 1), dot(4, 5, 2), boxed(box(7, 1, 9, 3), 3),
                              dot(15, 15, 4)};
    static const uint64_t ids[] = {1, 2, 3};
    static const double distances[] = {0, 5, 6};
    for (int capacity = 1; capacity < 5; capacity++) {
        pqt_near found[3];
        const pqt_tree *tree = with_items(small_tree(capacity), items, 4);
        ck_assert_uint_eq(pqt_tree_nearest(tree, point(1, 1), NULL, found, 3), 3);
        expect_near(found, 3, ids, distances);
        ck_assert(same_bits(found[2].item, items[2]));
    }
}
END_TEST

START_TEST(a_box_is_measured_from_its_edge)
{
    const pqt_item items[] = {dot(1, 1, 1), dot(13, 14, 2), boxed(box(5, 5, 6, 6), 3)};
    static const uint64_t ids[] = {3, 1, 2};
    static const double distances[] = {0, 1, 5};
    pqt_near found[3];
    const pqt_tree *tree = with_items(small_tree(1), items, 3);
    ck_assert_uint_eq(pqt_tree_nearest(tree, box(2, 1, 10, 10), NULL, found, 3), 3);
    expect_near(found, 3, ids, distances);
}
END_TEST

START_TEST(ties_are_in_tree_order)
{
    const pqt_item items[] = {dot(8, 13, 4), dot(13, 8, 3), dot(11, 4, 2), dot(4, 5, 1)};
    static const uint64_t ids[] = {1, 2, 3, 4};
    static const double distances[] = {5, 5, 5, 5};
    for (int capacity = 1; capacity < 5; capacity++) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 4);
        for (size_t most = 1; most <= 4; most++) {
            pqt_near found[4];
            ck_assert_uint_eq(pqt_tree_nearest(tree, point(8, 8), NULL, found, most), most);
            expect_near(found, most, ids, distances);
            for (size_t i = 0; i < most; i++)
                ck_assert_uint_eq(found[i].rank, i);
        }
    }
}
END_TEST

START_TEST(fewer_items_than_requested_are_found_only_if_there_are_no_more)
{
    pqt_near found[300];
    ck_assert_uint_eq(pqt_tree_nearest(small_tree(4), point(1, 1), NULL, found, 300), 0);
    const pqt_tree *tree = with_grid(small_tree(4), 16);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(1, 1), NULL, found, 300), 256);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(1, 1), NULL, found, 255), 255);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(1, 1), NULL, NULL, 0), 0);
}
END_TEST

START_TEST(the_array_beyond_the_results_is_not_written)
{
    pqt_near found[3] = {{.rank = 7}, {.rank = 7}, {.rank = 7}};
    const pqt_tree *tree = inserted(small_tree(4), dot(3, 3, 1));
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(1, 1), NULL, found, 3), 1);
    ck_assert_uint_eq(found[0].rank, 0);
    ck_assert(found[1].rank == 7 && found[2].rank == 7);
}
END_TEST

START_TEST(the_maximal_distance_is_included)
{
    const pqt_item items[] = {dot(3, 4, 1), dot(6, 8, 2), dot(0, 0, 3)};
    const pqt_tree *tree = with_items(small_tree(1), items, 3);
    static const struct {
        double distance;
        size_t count;
    } cases[] = {{INFINITY, 3}, {10, 3}, {9.99, 2}, {5, 2}, {4.99, 1}, {0, 1}, {-0.0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pqt_nearest_options options = within(cases[i].distance);
        pqt_near found[3];
        size_t count = pqt_tree_nearest(tree, point(0, 0), &options, found, 3);
        ck_assert_uint_eq(count, cases[i].count);
        ck_assert_uint_eq(found[0].item.id, 3);
    }
}
END_TEST

START_TEST(a_distance_that_is_negative_or_nan_finds_nothing)
{
    static const double distances[] = {-1, -TINIEST, -INFINITY, NAN};
    const pqt_tree *tree = inserted(small_tree(4), dot(3, 3, 1));
    for (size_t i = 0; i < 4; i++) {
        pqt_nearest_options options = within(distances[i]);
        pqt_near found;
        ck_assert_uint_eq(pqt_tree_nearest(tree, point(3, 3), &options, &found, 1), 0);
    }
}
END_TEST

START_TEST(nothing_is_found_from_an_invalid_box)
{
    const pqt_box boxes[] = {point(NAN, 1),   point(1, INFINITY), whole_plane,
                             box(2, 1, 1, 1), box(1, 1, 1, NAN),  point(-INFINITY, -INFINITY)};
    const pqt_tree *tree = inserted(small_tree(4), dot(3, 3, 1));
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        pqt_near found;
        ck_assert_uint_eq(pqt_tree_nearest(tree, boxes[i], NULL, &found, 1), 0);
    }
}
END_TEST

START_TEST(a_filter_decides_which_items_count)
{
    uint64_t divisor = 3;
    pqt_nearest_options options = passing(has_divisible_id, &divisor);
    pqt_near found[200];
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(0, 0), &options, found, 200), 86);
    for (size_t i = 0; i < 86; i++)
        ck_assert_uint_eq(found[i].item.id % 3, 0);
    divisor = 257;
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(16, 16), &options, found, 200), 1);
    ck_assert_uint_eq(found[0].item.id, 0);
}
END_TEST

static bool
refuse_resolution(const pqt_item *item, void *context)
{
    (void)item;
    ++*(size_t *)context;
    return false;
}

START_TEST(a_filter_that_rejects_all_is_called_once_for_each_item)
{
    size_t filtered = 0;
    pqt_nearest_options options = passing(refuse_resolution, &filtered);
    pqt_near found[4];
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(3, 3), &options, found, 4), 0);
    ck_assert_uint_eq(filtered, 256);
}
END_TEST

START_TEST(a_distance_beyond_the_largest_double_is_infinite)
{
    pqt_tree_options options = options_of(1, 24);
    const pqt_tree *tree = made(box(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX), options);
    tree = inserted(inserted(tree, dot(DBL_MAX, DBL_MAX, 1)), dot(-DBL_MAX, 0, 2));
    tree = inserted(tree, dot(DBL_MAX, -DBL_MAX, 3));
    static const uint64_t ids[] = {2, 3, 1};
    const double distances[] = {DBL_MAX, INFINITY, INFINITY};
    pqt_near found[3];
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(-DBL_MAX, -DBL_MAX), NULL, found, 3), 3);
    expect_near(found, 3, ids, distances);
    pqt_nearest_options near_by = within(DBL_MAX);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(-DBL_MAX, -DBL_MAX), &near_by, found, 3), 1);
}
END_TEST

START_TEST(statistics_add_up_the_nodes_and_boxes_visited)
{
    pqt_query_stats counts = {0};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.stats = &counts;
    pqt_near found[256];
    const pqt_tree *tree = with_grid(small_tree(4), 16);
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(3, 3), &options, found, 1), 1);
    ck_assert(counts.leaves > 0 && counts.leaves < stats.leaves && counts.boxes < 256);
    counts = (pqt_query_stats){0};
    size_t filtered = 0;
    options.filter = refuse_resolution;
    options.context = &filtered;
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(3, 3), &options, found, 1), 0);
    ck_assert_uint_eq(counts.nodes, stats.nodes);
    ck_assert_uint_eq(counts.leaves, stats.leaves);
    ck_assert_uint_eq(counts.boxes, stats.items);
}
END_TEST

/* ---- Visits ---- */

typedef struct visited {
    pqt_near near[2048];
    size_t count, most;
} visited;

static bool
note(const pqt_near *near, void *context)
{
    visited *v = context;
    ck_assert_uint_lt(v->count, 2048);
    v->near[v->count++] = *near;
    return v->count < v->most;
}

static bool
is_same_near(const pqt_near *a, const pqt_near *b)
{
    return same_bits(a->item, b->item) && memcmp(&a->distance, &b->distance, 8) == 0 &&
           a->rank == b->rank;
}

START_TEST(a_visitor_gets_the_nearest_until_it_stops)
{
    static visited v;
    static pqt_near found[256];
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(5, 6), NULL, found, 256), 256);
    for (v.most = 1; v.most <= 257; v.most++) {
        v.count = 0;
        bool to_the_end = pqt_tree_visit_nearest(tree, point(5, 6), NULL, note, &v);
        ck_assert(to_the_end == (v.most == 257));
        ck_assert_uint_eq(v.count, v.most == 257 ? 256 : v.most);
        for (size_t i = 0; i < v.count; i++)
            ck_assert(is_same_near(&v.near[i], &found[i]));
    }
}
END_TEST

START_TEST(a_visit_that_finds_nothing_ends)
{
    static visited v;
    pqt_nearest_options options = within(1);
    ck_assert(pqt_tree_visit_nearest(small_tree(2), point(5, 6), NULL, note, &v));
    const pqt_tree *tree = inserted(small_tree(2), dot(1, 1, 1));
    ck_assert(pqt_tree_visit_nearest(tree, point(5, 6), &options, note, &v));
    ck_assert(pqt_tree_visit_nearest(tree, point(NAN, 6), NULL, note, &v));
    options = within(NAN);
    ck_assert(pqt_tree_visit_nearest(tree, point(1, 1), &options, note, &v));
    ck_assert_uint_eq(v.count, 0);
}
END_TEST

/* The number of items at the same distance exceeds the number that one pass finds. Some boxes
   contain the point, others do not. */
START_TEST(many_ties_are_visited_in_tree_order)
{
    static visited v;
    static const double positions[] = {8, 12.25};
    for (int i = 0; i < 2; i++) {
        const pqt_tree *tree = small_tree(3);
        for (uint64_t id = 0; id < 500; id++)
            tree = inserted(tree, boxed(box(6, 6, 9, 9), id));
        for (uint64_t id = 500; id < 1000; id++)
            tree = inserted(tree, dot(9, 7, id));
        v = (visited){.most = 2048};
        ck_assert(pqt_tree_visit_nearest(tree, point(positions[i], 7), NULL, note, &v));
        ck_assert_uint_eq(v.count, 1000);
        for (size_t k = 1; k < 1000; k++) {
            ck_assert(v.near[k - 1].distance <= v.near[k].distance);
            ck_assert(v.near[k - 1].distance < v.near[k].distance ||
                      v.near[k - 1].rank < v.near[k].rank);
        }
    }
}
END_TEST

/* All distances exceed the largest double. The bounds contain the items in one case, and not in the
 * other. */
START_TEST(items_at_infinite_distances_are_all_visited_in_tree_order)
{
    static visited v;
    static const pqt_box bounds[] = {{{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}},
                                     {{-1e308, -100}, {-1e307, 100}},
                                     {{-100, -100}, {100, 100}},
                                     {{0, 0}, {0x1p-1000, 0x1p-1000}}};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        for (int capacity = 1; capacity <= 32; capacity *= 2) {
            const pqt_tree *tree = made(bounds[b], options_of(capacity, 24));
            for (uint64_t i = 0; i < 300; i++) {
                double x = 1.2e308 + (double)i * 1e305, y = (double)(i % 17 * (i % 3)) * 5e306;
                tree = inserted(tree, dot(x, i % 2 == 0 ? y : -y, i));
            }
            v = (visited){.most = 2048};
            ck_assert(pqt_tree_visit_nearest(tree, point(-1e308, 0), NULL, note, &v));
            ck_assert_uint_eq(v.count, 300);
            for (size_t k = 0; k < v.count; k++)
                ck_assert(isinf(v.near[k].distance) && v.near[k].rank == k);
        }
    }
}
END_TEST

START_TEST(nearest_allocates_nothing)
{
    static visited v = {.most = 300};
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    pqt_near found[100];
    hooks watch = {0};
    hooks_start(&watch);
    size_t count = pqt_tree_nearest(tree, point(5, 6), NULL, found, 100);
    bool to_the_end = pqt_tree_visit_nearest(tree, point(5, 6), NULL, note, &v);
    hooks_stop();
    ck_assert(count == 100 && to_the_end);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* ---- Comparisons with a plain array ---- */

static int
by_distance_and_place(const void *a, const void *b)
{
    const pqt_near *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* Lists all items that satisfy the options, in order. Returns their number. */
static size_t
expected_near(const scene *s, pqt_box from, const pqt_nearest_options *options, pqt_near *expected)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        double distance = pqt_box_distance_to_box(s->items[i].box, from);
        if (!(distance <= options->max_distance) ||
            (options->filter != NULL && !options->filter(&s->items[i], options->context)))
            continue;
        expected[count++] = (pqt_near){s->items[i], distance, i};
    }
    qsort(expected, count, sizeof *expected, by_distance_and_place);
    return count;
}

/* Returns a random maximal distance, often the distance of an item or the next smaller double. */
static double
draw_distance(scene *s, pqt_box from)
{
    if (s->count == 0 || dice_chance(&s->d, 60))
        return INFINITY;
    double distance = pqt_box_distance_to_box(s->items[dice_below(&s->d, s->count)].box, from);
    return dice_chance(&s->d, 50) ? distance : nextafter(distance, 0);
}

static size_t
draw_most(scene *s)
{
    static const size_t usual[] = {1, 2, 10, 63, 64, 65, 130};
    return dice_chance(&s->d, 80) ? usual[dice_below(&s->d, 7)] : dice_below(&s->d, s->count + 10);
}

static void
check_nearest(scene *s)
{
    pqt_box from = scene_draw_box(s);
    pqt_nearest_options options = within(draw_distance(s, from));
    options.filter = scene_draw_filter(s, &options.context);
    size_t most = draw_most(s);
    pqt_near *expected = calloc(s->count + 1, sizeof *expected);
    pqt_near *found = calloc(most + 1, sizeof *found);
    size_t all = expected_near(s, from, &options, expected);
    size_t count = pqt_tree_nearest(s->tree, from, &options, found, most);
    ck_assert_msg(count == (all < most ? all : most), "%s: %zu found", scene_name(s), count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(is_same_near(&found[i], &expected[i]), "%s: number %zu of %zu", scene_name(s),
                      i, most);
    free(expected);
    free(found);
}

/* The next result that a visitor expects, and the number of results after which it stops. */
typedef struct expectation {
    const scene *s;
    const pqt_near *next;
    size_t left;
} expectation;

static bool
expect_next(const pqt_near *near, void *context)
{
    expectation *e = context;
    ck_assert_msg(is_same_near(near, e->next), "%s: visited, %zu left", scene_name(e->s), e->left);
    e->next++;
    return --e->left > 0;
}

static void
check_visit(scene *s)
{
    pqt_box from = scene_draw_box(s);
    pqt_nearest_options options = within(draw_distance(s, from));
    options.filter = scene_draw_filter(s, &options.context);
    pqt_near *expected = calloc(s->count + 1, sizeof *expected);
    size_t all = expected_near(s, from, &options, expected);
    size_t wanted = dice_chance(&s->d, 50) || all == 0 ? all + 1 : 1 + dice_below(&s->d, all);
    expectation e = {s, expected, wanted};
    bool to_the_end = pqt_tree_visit_nearest(s->tree, from, &options, expect_next, &e);
    ck_assert(to_the_end == (wanted > all));
    ck_assert_uint_eq(e.left, wanted > all ? 1 : 0);
    free(expected);
}

/* Performs a short run. Each run has its own world, distribution and options. */
static void
check_scene(scene *s)
{
    for (int i = 0; i < 6; i++)
        check_nearest(s);
    check_visit(s);
}

START_TEST(the_nearest_in_arenas_equal_those_of_a_plain_array)
{
    scenes_run("the_nearest_in_arenas_equal_those_of_a_plain_array", NULL, test_scaled(150), 12,
               check_scene);
}
END_TEST

START_TEST(the_nearest_in_the_collector_equal_those_of_a_plain_array)
{
    scenes_run_in_collector("the_nearest_in_the_collector_equal_those_of_a_plain_array",
                            test_scaled(150), 12, check_scene);
}
END_TEST

/* Returns a small world whose items are mostly far outside of its bounds. */
static scene
scene_of_outliers(uint64_t seed, double scale)
{
    static const world small = {"far outliers", {{0, 0}, {100, 100}}};
    scene s = {.d = {seed}, .world = &small, .layout = BOXES_UNIFORM};
    s.tree = made(small.bounds, options_of(4, 24));
    for (uint64_t id = 0; id < 300; id++) {
        const double unit = id % 10 == 0 ? 100 : scale * exp2(-20 * dice_real(&s.d));
        const double x = (2 * dice_real(&s.d) - 1) * unit, y = (2 * dice_real(&s.d) - 1) * unit;
        s.tree = inserted(s.tree, boxed(box(x, y, x + unit / 8, y + unit / 8), id));
    }
    scene_list(&s);
    return s;
}

/* The square of the greatest wanted distance is not a double. */
START_TEST(the_nearest_outside_of_the_bounds_equal_those_of_an_array)
{
    static const double scales[] = {1e9, 1e150, 1e200, 1e306};
    scene s = scene_of_outliers(test_seed(__func__) + (uint64_t)_i, scales[_i]);
    for (size_t i = 0; i < test_scaled_from(400, 60); i++)
        check_nearest(&s);
    check_visit(&s);
    scene_free(&s);
}
END_TEST

START_TEST(the_nearest_cities_are_those_of_a_plain_array)
{
    uint64_t seed = test_seed("the_nearest_cities_are_those_of_a_plain_array");
    for (int cities = 0; cities < 2; cities++) {
        scene s = scene_of_places(seed, cities == 1);
        for (size_t i = 0; i < test_scaled(cities == 1 ? 40 : 300); i++)
            check_nearest(&s);
        check_visit(&s);
        scene_free(&s);
    }
}
END_TEST

/* ---- Counted costs ---- */

enum { MANY = 100000, SEARCHES = 200 };

static pqt_box
around(double x, double y, double width, double height)
{
    return box(x - width / 2, y - height / 2, x + width / 2, y + height / 2);
}

static pqt_box
draw_uniform(dice *d)
{
    return around(dice_real(d) * 1e4, dice_real(d) * 1e4, dice_real(d) * 30, dice_real(d) * 30);
}

static pqt_box
draw_identical(dice *d)
{
    (void)d;
    return around(5000, 5000, 9000, 9000);
}

static pqt_box
draw_thin(dice *d)
{
    return around(2500 + dice_real(d) * 5000, dice_real(d) * 1e4, 5000, 1);
}

static pqt_box
draw_clumped(dice *d)
{
    return around(5000 + dice_real(d) * 0.01, 5000 + dice_real(d) * 0.01, 0, 0);
}

static pqt_box
draw_outside(dice *d)
{
    return around(2e4 + dice_real(d) * 1e4, dice_real(d) * 1e4, dice_real(d) * 30,
                  dice_real(d) * 30);
}

/* Returns a box outside the bounds, so far away that squares of distances overflow. */
static pqt_box
draw_far(dice *d)
{
    return around(2e200 + dice_real(d) * 1e200, dice_real(d) * 1e200, dice_real(d) * 3e197,
                  dice_real(d) * 3e197);
}

/* Trees of 100,000 items, the area searched, and the maximum average number of boxes that a search
 * for ten items may test. */
static const struct {
    const char *name;
    pqt_box (*draw)(dice *d);
    pqt_box filtered;
    uint64_t most;
} masses[] = {
    {"uniform", draw_uniform, {{0, 0}, {1e4, 1e4}}, 60},
    {"uniform, from outside", draw_uniform, {{-2e4, -2e4}, {-1e4, 3e4}}, 1200},
    {"identical, from within", draw_identical, {{1e3, 1e3}, {9e3, 9e3}}, 60},
    {"thin", draw_thin, {{0, 0}, {1e4, 1e4}}, 600},
    {"clumped", draw_clumped, {{0, 0}, {1e4, 1e4}}, 400},
    {"outside", draw_outside, {{2e4, 0}, {3e4, 1e4}}, 100},
    {"far outside", draw_far, {{2e200, 0}, {3e200, 1e200}}, 100},
};

START_TEST(the_nearest_ten_of_100000_items_cost_few_boxes)
{
    dice d = {test_seed("the_nearest_ten_of_100000_items_cost_few_boxes")};
    pqt_error error = {0};
    pqt_item *items = calloc(MANY, sizeof *items);
    for (size_t i = 0; i < MANY; i++)
        items[i] = boxed(masses[_i].draw(&d), i);
    const pqt_tree *tree = made(box(0, 0, 1e4, 1e4), options_of(24, 24));
    tree = must(pqt_tree_insert_all(tree, items, MANY, &error), &error);
    pqt_query_stats stats = {0};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.stats = &stats;
    for (size_t i = 0; i < SEARCHES; i++) {
        pqt_near found[10];
        pqt_vec size = pqt_box_size(masses[_i].filtered), low = masses[_i].filtered.min;
        double x = low.x + dice_real(&d) * size.x, y = low.y + dice_real(&d) * size.y;
        ck_assert_uint_eq(pqt_tree_nearest(tree, point(x, y), &options, found, 10), 10);
    }
    fprintf(stderr, "# %s: ten of 100,000 cost %.1f nodes, %.1f leaves, %.1f boxes\n",
            masses[_i].name, (double)stats.nodes / SEARCHES, (double)stats.leaves / SEARCHES,
            (double)stats.boxes / SEARCHES);
    ck_assert_uint_le(stats.boxes, masses[_i].most * SEARCHES);
    free(items);
}
END_TEST

/* Returns a tree of squares around points of the unit square. Their half widths are between `least`
 * and `most`. */
static const pqt_tree *
tree_of_overlapping(const char *test, size_t count, double least, double most)
{
    dice d = {test_seed(test)};
    pqt_error error = {0};
    pqt_item *items = calloc(count, sizeof *items);
    for (size_t i = 0; i < count; i++) {
        double x = dice_real(&d), y = dice_real(&d);
        double half = least + dice_real(&d) * (most - least);
        items[i] = boxed(box(x - half, y - half, x + half, y + half), i);
    }
    const pqt_tree *tree = made(box(0, 0, 1, 1), options_of(24, 24));
    tree = must(pqt_tree_insert_all(tree, items, count, &error), &error);
    free(items);
    return tree;
}

/* The boxes overlap. Repeated searches for the next few items would test the earlier ones again. */
START_TEST(very_many_items_are_found_in_one_search)
{
    enum { LARGE = 20000 };
    const pqt_tree *tree =
        tree_of_overlapping("very_many_items_are_found_in_one_search", LARGE, 0.25, 0.25);
    pqt_near *found = calloc(LARGE, sizeof *found);
    pqt_query_stats stats = {0};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.stats = &stats;
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(-3, 0.5), &options, found, LARGE), LARGE);
    ck_assert_uint_eq(stats.boxes, LARGE);
    for (size_t i = 1; i < LARGE; i++)
        ck_assert(
            found[i - 1].distance < found[i].distance ||
            (found[i - 1].distance == found[i].distance && found[i - 1].rank < found[i].rank));
    free(found);
}
END_TEST

/* Compares an item with the next one of an array. The context points to the position in the
 * array. */
static bool
is_next_near(const pqt_near *near, void *context)
{
    const pqt_near **next = context;
    ck_assert(is_same_near(near, *next));
    ++*next;
    return true;
}

/* Distances to overlapping boxes of all sizes do not depend on their positions in the tree. */
START_TEST(one_search_yields_up_to_2048_overlapping_items)
{
    enum { LARGE = 40000 };
    const pqt_tree *tree =
        tree_of_overlapping("one_search_yields_up_to_2048_overlapping_items", LARGE, 1, 50);
    pqt_near *found = calloc(LARGE, sizeof *found);
    const pqt_near *next = found;
    pqt_query_stats stats = {0};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(-100, -100), NULL, found, LARGE), LARGE);
    options.stats = &stats;
    ck_assert(pqt_tree_visit_nearest(tree, point(-100, -100), &options, is_next_near, &next));
    ck_assert_ptr_eq(next, found + LARGE);
    fprintf(stderr, "# a visit of %d items looks %.1f times at each box\n", LARGE,
            (double)stats.boxes / LARGE);
    ck_assert_uint_le(stats.boxes, (5 + LARGE / 2048) * (uint64_t)LARGE);
    free(found);
}
END_TEST

/* A visitor that stops after a number of results. The context contains the number of remaining
 * ones. */
static bool
is_not_last(const pqt_near *near, void *context)
{
    (void)near;
    return --*(size_t *)context > 0;
}

/* Visits all of 100,000 items, or some. It tests at most four times the number of boxes that are
 * needed. */
START_TEST(a_visit_of_uniform_items_costs_few_boxes)
{
    static const struct {
        size_t taken, boxes;
    } costs[] = {{1, 100},   {8, 100},     {9, 500},        {72, 500},
                 {73, 2000}, {1000, 8000}, {MANY, 5 * MANY}};
    dice d = {test_seed("a_visit_of_uniform_items_costs_few_boxes")};
    pqt_error error = {0};
    pqt_item *items = calloc(MANY, sizeof *items);
    for (size_t i = 0; i < MANY; i++)
        items[i] = boxed(draw_uniform(&d), i);
    const pqt_tree *tree = made(box(0, 0, 1e4, 1e4), options_of(24, 24));
    tree = must(pqt_tree_insert_all(tree, items, MANY, &error), &error);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        pqt_query_stats stats = {0};
        pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
        size_t left = costs[i].taken;
        options.stats = &stats;
        ck_assert(!pqt_tree_visit_nearest(tree, point(3e3, 5e3), &options, is_not_last, &left));
        fprintf(stderr, "# %zu items cost %zu boxes\n", costs[i].taken, (size_t)stats.boxes);
        ck_assert_uint_le(stats.boxes, costs[i].boxes);
    }
    free(items);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_tree *tree = small_tree(4);
    pqt_near found[1];
    pqt_nearest_options options = {0};
    switch (_i) {
    case 0:
        (void)pqt_tree_nearest(NULL, point(1, 1), NULL, found, 1);
        break;
    case 1:
        (void)pqt_tree_nearest(tree, point(1, 1), NULL, NULL, 1);
        break;
    case 2:
        (void)pqt_tree_nearest(tree, point(1, 1), &options, found, 1);
        break;
    case 3:
        (void)pqt_tree_visit_nearest(NULL, point(1, 1), NULL, note, NULL);
        break;
    default:
        (void)pqt_tree_visit_nearest(tree, point(1, 1), NULL, NULL, NULL);
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("nearest");
    TCase *examples = add_tests(suite, "examples");
    tcase_add_test(examples, the_nearest_come_first);
    tcase_add_test(examples, a_box_is_measured_from_its_edge);
    tcase_add_test(examples, ties_are_in_tree_order);
    tcase_add_test(examples, fewer_items_than_requested_are_found_only_if_there_are_no_more);
    tcase_add_test(examples, the_array_beyond_the_results_is_not_written);
    tcase_add_test(examples, the_maximal_distance_is_included);
    tcase_add_test(examples, a_distance_that_is_negative_or_nan_finds_nothing);
    tcase_add_test(examples, nothing_is_found_from_an_invalid_box);
    tcase_add_test(examples, a_filter_decides_which_items_count);
    tcase_add_test(examples, a_filter_that_rejects_all_is_called_once_for_each_item);
    tcase_add_test(examples, a_distance_beyond_the_largest_double_is_infinite);
    tcase_add_test(examples, statistics_add_up_the_nodes_and_boxes_visited);
    tcase_add_misuse_tests(examples, mistakes_of_the_caller_stop_the_program, 5);
    TCase *visits = add_tests(suite, "visits");
    tcase_add_test(visits, a_visitor_gets_the_nearest_until_it_stops);
    tcase_add_test(visits, a_visit_that_finds_nothing_ends);
    tcase_add_test(visits, many_ties_are_visited_in_tree_order);
    tcase_add_test(visits, items_at_infinite_distances_are_all_visited_in_tree_order);
    tcase_add_test(visits, nearest_allocates_nothing);
    TCase *random = add_tests(suite, "random");
    tcase_add_test(random, the_nearest_in_arenas_equal_those_of_a_plain_array);
    tcase_add_test(random, the_nearest_in_the_collector_equal_those_of_a_plain_array);
    tcase_add_loop_test(random, the_nearest_outside_of_the_bounds_equal_those_of_an_array, 0, 4);
    tcase_add_test(random, the_nearest_cities_are_those_of_a_plain_array);
    TCase *costs = add_tests(suite, "costs");
    tcase_add_test(costs, very_many_items_are_found_in_one_search);
    tcase_add_test(costs, one_search_yields_up_to_2048_overlapping_items);
    tcase_add_test(costs, a_visit_of_uniform_items_costs_few_boxes);
    tcase_add_loop_test(costs, the_nearest_ten_of_100000_items_cost_few_boxes, 0,
                        sizeof masses / sizeof *masses);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
