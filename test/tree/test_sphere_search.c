/* SPDX-License-Identifier: MIT */
/* test_sphere_search.c: compares windows and nearest items on the sphere with a plain array. */
#include "config.h"

#include <pqt/convex.h>
#include <pqt/cursor.h>
#include <pqt/nearest.h>
#include <pqt/query.h>
#include <pqt/sphere.h>

#include "search_trees.h"
#include "suite.h"

/* ---- Scenes ---- */

/* Bounds of trees: the globe, one side of it, a town, a line, and more than the globe. */
static const world globes[] = {{"the globe", {{-180, -90}, {180, 90}}},
                               {"from 0 to 360", {{0, -90}, {360, 90}}},
                               {"a town", {{13, 52}, {14, 53}}},
                               {"a parallel", {{-180, 10}, {180, 10}}},
                               {"more than the globe", {{-1000, -1000}, {1000, 1000}}}};

static double
draw_longitude(dice *d)
{
    if (dice_chance(d, 20))
        return 15 * ((double)dice_below(d, 25) - 12);
    return dice_chance(d, 20) ? 180 - exp2(-30 * dice_real(d)) : 360 * dice_real(d) - 180;
}

static double
draw_latitude(dice *d)
{
    if (dice_chance(d, 20))
        return (dice_chance(d, 50) ? -1 : 1) * (90 - exp2(-30 * dice_real(d)));
    return dice_chance(d, 20) ? 15 * ((double)dice_below(d, 13) - 6) : 180 * dice_real(d) - 90;
}

/* Returns a box, often a point. One in ten does not lie on the sphere if `anywhere`. */
static pqt_box
draw_globe_box(dice *d, bool anywhere)
{
    const double west = draw_longitude(d), south = draw_latitude(d),
                 size = exp2(-25 * dice_real(d));
    const double turn = dice_chance(d, 20) ? (dice_chance(d, 50) ? 180 : -180) : 0;
    pqt_box drawn = box(west + turn, south, west + turn + 360 * size, fmin(90, south + 90 * size));
    drawn.max.x = fmin(drawn.max.x, 540);
    if (dice_chance(d, 50))
        drawn.max = drawn.min;
    if (anywhere && dice_chance(d, 10))
        drawn.max.y += 200 * dice_real(d);
    if (anywhere && dice_chance(d, 5))
        drawn.max.x += exp2(20 * dice_real(d));
    return drawn;
}

static scene
globe_scene(uint64_t seed)
{
    static const int capacities[] = {1, 3, 24, 64};
    static const int depths[] = {0, 2, 8, 32};
    scene s = {.d = {seed}};
    s.world = &globes[dice_below(&s.d, sizeof globes / sizeof *globes)];
    s.tree = made(s.world->bounds,
                  options_of(capacities[dice_below(&s.d, 4)], depths[dice_below(&s.d, 4)]));
    const size_t count = dice_below(&s.d, 600), copies = dice_chance(&s.d, 20) ? 90 : 1;
    for (size_t i = 0; i < count; i++) {
        const pqt_box to = draw_globe_box(&s.d, true);
        for (size_t j = 0; j < copies && i % copies == 0; j++)
            s.tree = inserted(s.tree, boxed(to, i + j));
        if (copies == 1 || i % copies != 0)
            s.tree = inserted(s.tree, boxed(to, i));
    }
    scene_list(&s);
    return s;
}

static void
run_scenes(const char *name, size_t scenes, void (*check)(scene *s))
{
    const uint64_t seed = test_seed(name);
    for (size_t i = 0; i < scenes; i++) {
        pqt_memory *mine = arena;
        arena = pqt_arena_make(0, NULL);
        scene s = globe_scene(seed + i);
        for (int j = 0; j < 12; j++)
            check(&s);
        scene_free(&s);
        pqt_arena_destroy(&arena);
        arena = mine;
    }
}

/* ---- Windows ---- */

static pqt_query
draw_query(scene *s)
{
    pqt_query query =
        query_of(draw_globe_box(&s->d, false), (pqt_relation)(1 + dice_below(&s->d, 4)));
    if (s->count > 0 && dice_chance(&s->d, 20))
        query.window = s->items[dice_below(&s->d, s->count)].box;
    if (dice_chance(&s->d, 10))
        query.window.max.x = INFINITY;
    if (dice_chance(&s->d, 10))
        query.window.min.y = -INFINITY;
    query.surface = PQT_SPHERE;
    query.filter = scene_draw_filter(s, &query.context);
    return query;
}

/* Lists the matches of a query in tree order. Returns their number. */
static size_t
expected_matches(const scene *s, const pqt_query *query, pqt_item *expected)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (pqt_sphere_relates(s->items[i].box, query->window, query->relation) &&
            (query->filter == NULL || query->filter(&s->items[i], query->context)))
            expected[count++] = s->items[i];
    return count;
}

/* Checks the functions that return what pqt_tree_collect returns. */
static void
check_others(const scene *s, const pqt_query *query, const pqt_item *expected, size_t count)
{
    pqt_item first, next;
    ck_assert_uint_eq(pqt_tree_count_in(s->tree, query), count);
    ck_assert(pqt_tree_any(s->tree, query, &first) == (count > 0));
    ck_assert(count == 0 || same_bits(first, expected[0]));
    uint64_t *ids = calloc(count + 1, sizeof *ids);
    ck_assert_uint_eq(pqt_tree_collect_ids(s->tree, query, ids, count), count);
    pqt_cursor cursor;
    pqt_cursor_open(&cursor, s->tree, query);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(ids[i], expected[i].id);
        ck_assert(pqt_cursor_next(&cursor, &next) && same_bits(next, expected[i]));
    }
    ck_assert(!pqt_cursor_next(&cursor, &next));
    free(ids);
}

static void
check_window(scene *s)
{
    const pqt_query query = draw_query(s);
    pqt_item *expected = calloc(s->count + 1, sizeof *expected);
    pqt_item *found = calloc(s->count + 1, sizeof *found);
    const size_t count = expected_matches(s, &query, expected);
    const size_t collected = pqt_tree_collect(s->tree, &query, found, s->count);
    ck_assert_msg(collected == count, "%s: %zu, not %zu", scene_name(s), collected, count);
    ck_assert_int_eq(memcmp(found, expected, count * sizeof *found), 0);
    check_others(s, &query, expected, count);
    pqt_error error = {0};
    const pqt_tree *only = pqt_tree_search(s->tree, &query, &error);
    if (only != NULL) {
        ck_assert_uint_eq(pqt_tree_count(must(only, &error)), count);
        ck_assert_uint_eq(pqt_tree_collect(only, NULL, found, s->count), count);
        ck_assert_int_eq(memcmp(found, expected, count * sizeof *found), 0);
    } else {
        ck_assert_int_eq(error.status, PQT_ERROR_BOX);
        ck_assert_uint_eq(count, 0);
    }
    free(expected);
    free(found);
}

START_TEST(windows_on_the_sphere_equal_those_of_a_plain_array)
{
    run_scenes(running_test, test_scaled(200), check_window);
}
END_TEST

START_TEST(a_window_across_the_antimeridian_finds_both_sides)
{
    const pqt_item items[] = {boxed(pqt_sphere_box(177, -20, -178, -12), 1), dot(179, -15, 2),
                              dot(-179, -15, 3), dot(181, -15, 4), dot(0, -15, 5)};
    const pqt_tree *tree = with_items(made(globes[0].bounds, options_of(1, 24)), items, 5);
    pqt_query query = query_of(pqt_sphere_box(178, -30, -178.5, 0), PQT_TOUCHES);
    query.surface = PQT_SPHERE;
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 4);
    query.window = box(-182, -30, -178.5, 0);
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 4);
    query.relation = PQT_INSIDE;
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 3);
    query.relation = PQT_COVERS;
    query.window = point(-178.5, -13);
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 1);
}
END_TEST

START_TEST(a_window_off_the_sphere_is_refused_or_matches_nothing)
{
    const pqt_tree *tree = inserted(small_tree(4), dot(1, 1, 1));
    pqt_query query = query_of(box(0, 0, 10, 91), PQT_TOUCHES);
    query.surface = PQT_SPHERE;
    ck_assert_uint_eq(pqt_tree_count_in(tree, &query), 0);
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_tree_search(tree, &query, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    ck_assert_str_eq(error.text, "window: not on the sphere, where latitudes are from -90 to 90 "
                                 "and longitudes from -540 to 540");
}
END_TEST

/* ---- Nearest items ---- */

static int
by_distance_and_rank(const void *a, const void *b)
{
    const pqt_near *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* Lists the items that satisfy the options, nearest first. Returns their number. */
static size_t
expected_near(const scene *s, pqt_vec from, const pqt_nearest_options *options, pqt_near *expected)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double distance = pqt_sphere_distance(from, s->items[i].box);
        if (!(distance <= options->max_distance) ||
            (options->filter != NULL && !options->filter(&s->items[i], options->context)))
            continue;
        expected[count++] = (pqt_near){s->items[i], distance, i};
    }
    qsort(expected, count, sizeof *expected, by_distance_and_rank);
    return count;
}

static pqt_vec
draw_from(scene *s)
{
    const pqt_box drawn = draw_globe_box(&s->d, false);
    return dice_chance(&s->d, 50) ? drawn.min : drawn.max;
}

static pqt_nearest_options
draw_options(scene *s, pqt_vec from)
{
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.surface = PQT_SPHERE;
    options.filter = scene_draw_filter(s, &options.context);
    if (s->count > 0 && dice_chance(&s->d, 40)) {
        options.max_distance = pqt_sphere_distance(from, s->items[dice_below(&s->d, s->count)].box);
        if (dice_chance(&s->d, 50))
            options.max_distance = nextafter(options.max_distance, 0);
    }
    return options;
}

static bool
is_same_near(const pqt_near *a, const pqt_near *b)
{
    return same_bits(a->item, b->item) && a->distance == b->distance && a->rank == b->rank;
}

typedef struct expectation {
    const pqt_near *next;
    size_t left;
} expectation;

static bool
expect_next(const pqt_near *near, void *context)
{
    expectation *e = context;
    ck_assert(is_same_near(near, e->next));
    e->next++;
    return --e->left > 0;
}

static void
check_nearest(scene *s)
{
    const pqt_vec from = draw_from(s);
    const pqt_nearest_options options = draw_options(s, from);
    static const size_t usual[] = {1, 3, 10, 64, 65, 700};
    const size_t most = usual[dice_below(&s->d, 6)];
    pqt_near *expected = calloc(s->count + 1, sizeof *expected), found[700];
    const size_t all = expected_near(s, from, &options, expected);
    const size_t count = pqt_tree_nearest(s->tree, (pqt_box){from, from}, &options, found, most);
    ck_assert_msg(count == (all < most ? all : most), "%s: %zu found of %zu", scene_name(s), count,
                  all);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(is_same_near(&found[i], &expected[i]), "%s: number %zu of %zu", scene_name(s),
                      i, most);
    expectation e = {expected, dice_chance(&s->d, 50) ? all + 1 : 1 + dice_below(&s->d, all + 1)};
    const bool to_the_end = e.left > all;
    ck_assert(pqt_tree_visit_nearest(s->tree, (pqt_box){from, from}, &options, expect_next, &e) ==
              to_the_end);
    ck_assert_uint_eq(e.left, to_the_end ? e.left : 0);
    free(expected);
}

START_TEST(the_nearest_on_the_sphere_equal_those_of_a_plain_array)
{
    run_scenes(running_test, test_scaled(200), check_nearest);
}
END_TEST

/* In degrees, the nearest city differs for a quarter of all points. */
START_TEST(the_nearest_cities_on_the_sphere_are_those_of_a_plain_array)
{
    size_t differ = 0, points = test_scaled(40);
    for (int cities = 0; cities < 2; cities++) {
        scene s = scene_of_places(test_seed(running_test), cities == 1);
        pqt_near *expected = calloc(s.count + 1, sizeof *expected), found[10], flat;
        for (size_t i = 0; i < points; i++) {
            const pqt_vec from = {360 * dice_real(&s.d) - 180, 180 * dice_real(&s.d) - 90};
            const pqt_box at = {from, from};
            pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
            options.surface = PQT_SPHERE;
            const size_t all = expected_near(&s, from, &options, expected);
            ck_assert_uint_eq(all, s.count);
            ck_assert_uint_eq(pqt_tree_nearest(s.tree, at, &options, found, 10), 10);
            for (size_t j = 0; j < 10; j++)
                ck_assert(is_same_near(&found[j], &expected[j]));
            ck_assert_uint_eq(pqt_tree_nearest(s.tree, at, NULL, &flat, 1), 1);
            differ += cities == 1 && flat.item.id != found[0].item.id;
        }
        free(expected);
        scene_free(&s);
    }
    ck_assert(points < 20 || differ > points / 10);
}
END_TEST

START_TEST(nothing_is_found_from_a_point_off_the_sphere)
{
    const pqt_tree *tree = inserted(small_tree(4), dot(1, 1, 1));
    static const pqt_vec points[] = {{0, 91}, {541, 0}, {NAN, 0}, {0, INFINITY}};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.surface = PQT_SPHERE;
    pqt_near found[1];
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        ck_assert_uint_eq(
            pqt_tree_nearest(tree, (pqt_box){points[i], points[i]}, &options, found, 1), 0);
    options.max_distance = -1;
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(0, 0), &options, found, 1), 0);
    options.max_distance = NAN;
    ck_assert_uint_eq(pqt_tree_nearest(tree, point(0, 0), &options, found, 1), 0);
}
END_TEST

/* ---- Costs ---- */

/* Returns a tree of points that are spread evenly over the sphere. */
static const pqt_tree *
even_points(size_t count)
{
    dice d = {5};
    pqt_item *items = calloc(count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] =
            dot(360 * dice_real(&d) - 180, asin(2 * dice_real(&d) - 1) * 180 / 3.14159265, i);
    const pqt_tree *tree = with_items(made(globes[0].bounds, options_of(24, 24)), items, count);
    free(items);
    return tree;
}

START_TEST(the_nearest_ten_on_the_sphere_cost_few_boxes)
{
    static const pqt_vec points[] = {{10, 50}, {180, 0}, {-180, 40}, {0, 90}, {77, -90}, {0, 0}};
    const pqt_tree *tree = even_points(20000);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        pqt_query_stats stats = {0};
        pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
        options.surface = PQT_SPHERE;
        options.stats = &stats;
        pqt_near found[10];
        ck_assert_uint_eq(
            pqt_tree_nearest(tree, (pqt_box){points[i], points[i]}, &options, found, 10), 10);
        const bool at_pole = fabs(points[i].y) == 90;
        ck_assert_msg(stats.boxes <= (at_pole ? 3000 : 300) && stats.nodes <= (at_pole ? 500 : 100),
                      "%zu: %" PRIu64 " boxes, %" PRIu64 " nodes", i, stats.boxes, stats.nodes);
    }
}
END_TEST

START_TEST(a_window_on_the_sphere_costs_few_boxes)
{
    const pqt_tree *tree = even_points(20000);
    pqt_query_stats stats = {0};
    pqt_query query = query_of(pqt_sphere_box(175, -5, -175, 5), PQT_TOUCHES);
    query.surface = PQT_SPHERE;
    query.stats = &stats;
    const size_t found = pqt_tree_count_in(tree, &query);
    ck_assert_uint_gt(found, 20);
    ck_assert_msg(stats.boxes <= 20 * 24 && stats.nodes <= 60,
                  "%" PRIu64 " boxes, %" PRIu64 " nodes", stats.boxes, stats.nodes);
}
END_TEST

/* ---- Misuse ---- */

START_TEST(mistakes_with_surfaces_stop_the_program)
{
    const pqt_tree *tree = small_tree(4);
    pqt_query query = query_of(point(0, 0), PQT_TOUCHES);
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    pqt_near found[1];
    const pqt_convex convex = {0};
    switch (_i) {
    case 0:
        query.surface = (pqt_surface)2;
        (void)pqt_tree_count_in(tree, &query);
        break;
    case 1:
        query.surface = PQT_SPHERE;
        query.convex = &convex;
        (void)pqt_tree_count_in(tree, &query);
        break;
    case 2:
        options.surface = (pqt_surface)2;
        (void)pqt_tree_nearest(tree, point(1, 1), &options, found, 1);
        break;
    default:
        options.surface = PQT_SPHERE;
        (void)pqt_tree_nearest(tree, box(1, 1, 2, 1), &options, found, 1);
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sphere_search");
    TCase *windows = add_tests(suite, "windows");
    tcase_add_test(windows, windows_on_the_sphere_equal_those_of_a_plain_array);
    tcase_add_test(windows, a_window_across_the_antimeridian_finds_both_sides);
    tcase_add_test(windows, a_window_off_the_sphere_is_refused_or_matches_nothing);
    TCase *nearest = add_tests(suite, "nearest");
    tcase_add_test(nearest, the_nearest_on_the_sphere_equal_those_of_a_plain_array);
    tcase_add_test(nearest, the_nearest_cities_on_the_sphere_are_those_of_a_plain_array);
    tcase_add_test(nearest, nothing_is_found_from_a_point_off_the_sphere);
    TCase *costs = add_tests(suite, "costs");
    tcase_add_test(costs, the_nearest_ten_on_the_sphere_cost_few_boxes);
    tcase_add_test(costs, a_window_on_the_sphere_costs_few_boxes);
    tcase_add_misuse_tests(costs, mistakes_with_surfaces_stop_the_program, 4);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
