/* SPDX-License-Identifier: MIT */
/*
 * test_sweep_tree.c: compares the first item that a mover hits with a plain array.
 *
 * With PQT_TEST_SCALE=20, there are a million sweeps.
 */
#include "config.h"

#include <float.h>

#include <pqt/circle.h>

#include "hooks.h"
#include "search_trees.h"
#include "suite.h"
#include "sweep_support.h"

static const pqt_box unit = {{0, 0}, {1, 1}};

static pqt_sweep
unit_swept(const pqt_tree *tree, double x, double y, double to_x, double to_y)
{
    return pqt_tree_sweep(tree, pqt_mover_box(unit, at(x, y), at(to_x, to_y)), NULL);
}

static void
expect_stop(pqt_sweep s, uint64_t id, double x, double y, unsigned blocked)
{
    ck_assert_int_eq(s.status, PQT_SWEEP_HITS);
    ck_assert_uint_eq(s.item.id, id);
    ck_assert_msg(s.stop.x == x && s.stop.y == y, "%g %g", s.stop.x, s.stop.y);
    ck_assert_uint_eq(s.blocked, blocked);
}

/* ---- Rules ---- */

START_TEST(the_first_of_many_items_is_hit)
{
    const pqt_item items[] = {boxed(box(9, 0, 10, 1), 1), boxed(box(5, 0, 6, 1), 2),
                              boxed(box(7, 0, 8, 1), 3), boxed(box(3, 1, 4, 2), 4)};
    for (int capacity = 1; capacity < 5; capacity++) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 4);
        expect_stop(unit_swept(tree, 0, 0, 15, 0), 2, 4, 0, PQT_BLOCKED_X);
        expect_stop(unit_swept(tree, 14, 0, 0, 0), 1, 10, 0, PQT_BLOCKED_X);
        ck_assert_int_eq(unit_swept(tree, 0, 0, 3, 0).status, PQT_SWEEP_TOUCHES);
        ck_assert_int_eq(unit_swept(tree, 0, 0, 1, 0).status, PQT_SWEEP_FREE);
        ck_assert_int_eq(unit_swept(tree, 0, 5, 15, 5).status, PQT_SWEEP_FREE);
    }
}
END_TEST

START_TEST(ties_are_in_tree_order)
{
    const pqt_item items[] = {boxed(box(5, 3, 6, 4), 9), boxed(box(5, 0, 6, 1), 8),
                              boxed(box(5, 1, 6, 3), 7)};
    for (int capacity = 1; capacity < 4; capacity++) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 3);
        pqt_mover tall = pqt_mover_box(box(0, 0, 1, 4), at(0, 0), at(9, 0));
        pqt_sweep s = pqt_tree_sweep(tree, tall, NULL);
        expect_stop(s, found_by(tree, query_of_all())->items[0].id, 4, 0, PQT_BLOCKED_X);
        ck_assert_uint_eq(s.rank, 0);
    }
}
END_TEST

/* The box that is hit at a corner precedes the other one in tree order, but the side decides. */
START_TEST(a_side_comes_before_a_corner)
{
    const pqt_item items[] = {boxed(box(2, 4, 3, 8), 1), boxed(box(3, 4, 6, 8), 2)};
    const pqt_tree *tree = with_items(small_tree(4), items, 2);
    expect_stop(unit_swept(tree, 4, 2, 2, 4), 2, 3, 3, PQT_BLOCKED_Y);
    expect_stop(unit_swept(tree, 1, 2, 3, 4), 1, 2, 3, PQT_BLOCKED_Y);
}
END_TEST

START_TEST(the_deepest_overlap_is_reported)
{
    const pqt_item items[] = {boxed(box(0, 0, 2.25, 9), 1), boxed(box(2.5, 0, 9, 9), 2)};
    const pqt_tree *tree = with_items(small_tree(1), items, 2);
    pqt_sweep s = unit_swept(tree, 2, 3, 2, 13);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.item.id == 2 && s.exit == 0.6 && s.time == 0);
    ck_assert(s.free_position.x == 1.5 && s.free_position.y == 3 && s.stop.x == 2 && s.stop.y == 3);
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_mover mover = pqt_mover_box(unit, at(2, 3), at(2, 13));
    ck_assert_int_eq(pqt_tree_sweep(tree, mover, &options).status, PQT_SWEEP_FREE);
    tree = inserted(tree, boxed(box(0, 6, 16, 7), 3));
    expect_stop(pqt_tree_sweep(tree, mover, &options), 3, 2, 5, PQT_BLOCKED_Y);
}
END_TEST

/* The mover covers the whole grid, in which each item in turn is at its centre. */
START_TEST(the_deepest_overlap_is_reported_from_any_quadrant)
{
    for (int capacity = 1; capacity <= 4; capacity *= 2) {
        const pqt_tree *tree = with_grid(small_tree(capacity), 8);
        for (size_t i = 0; i < 64; i++) {
            pqt_item centre = dot_of_grid(8, i);
            pqt_sweep s = pqt_tree_sweep(
                tree, pqt_mover_box(box(-20, -20, 20, 20), centre.box.min, at(99, 99)), NULL);
            ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
            ck_assert(same_bits(s.item, centre));
        }
    }
}
END_TEST

START_TEST(an_ignored_overlap_that_remains_is_reported)
{
    const pqt_item items[] = {boxed(box(0, 0, 2.25, 9), 1), boxed(box(2.5, 0, 9, 4), 2)};
    const pqt_tree *tree = with_items(small_tree(1), items, 2);
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    pqt_mover mover = pqt_mover_box(unit, at(2, 3), at(2, 8));
    pqt_sweep s = pqt_tree_sweep(tree, mover, &options), stays = pqt_tree_sweep(tree, mover, NULL);
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert(s.time == 1 && s.stop.x == 2 && s.stop.y == 8 && s.rank == SIZE_MAX);
    ck_assert(s.item.id == 2 && s.item.id == stays.item.id && s.exit == 1.2);
    ck_assert(s.free_position.x == stays.free_position.x &&
              s.free_position.y == stays.free_position.y && s.normal.x == stays.normal.x);
    /* At the end, the mover has left the item, or the filter excludes the overlapped item. */
    mover.to.y = 9;
    s = pqt_tree_sweep(tree, mover, &options);
    ck_assert_int_eq(s.status, PQT_SWEEP_TOUCHES);
    ck_assert(s.time == 1 && s.item.id == 1 && s.rank == SIZE_MAX && s.exit == 0);
    uint64_t divisor = 2;
    options.filter = has_divisible_id;
    options.context = &divisor;
    mover.to.y = 8;
    ck_assert_int_eq(pqt_tree_sweep(tree, mover, &options).status, PQT_SWEEP_FREE);
    /* Items that are not ignored are hit. */
    options.filter = NULL;
    tree = inserted(tree, boxed(box(0, 6, 16, 7), 3));
    s = pqt_tree_sweep(tree, mover, &options);
    expect_stop(s, 3, 2, 5, PQT_BLOCKED_Y);
    ck_assert(s.exit == 0);
    pqt_slide slide = pqt_tree_slide(tree, pqt_mover_box(unit, at(2, 3), at(2, 4)), 3, &options);
    ck_assert_int_eq(slide.last.status, PQT_SWEEP_OVERLAPS);
    ck_assert(slide.stop.x == 2 && slide.stop.y == 4 && slide.bounces == 0);
}
END_TEST

START_TEST(a_filter_decides_which_items_stop_a_mover)
{
    const pqt_item items[] = {boxed(box(5, 0, 6, 1), 1), boxed(box(9, 0, 10, 1), 2),
                              boxed(box(0, 0, 2, 2), 3)};
    const pqt_tree *tree = with_items(small_tree(1), items, 3);
    uint64_t divisor = 2;
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.filter = has_divisible_id;
    options.context = &divisor;
    pqt_mover mover = pqt_mover_box(unit, at(0, 0), at(14, 0));
    expect_stop(pqt_tree_sweep(tree, mover, &options), 2, 8, 0, PQT_BLOCKED_X);
    divisor = 7;
    ck_assert_int_eq(pqt_tree_sweep(tree, mover, &options).status, PQT_SWEEP_FREE);
}
END_TEST

START_TEST(an_empty_version_stops_nothing)
{
    ck_assert_int_eq(unit_swept(small_tree(4), 0, 0, 15, 0).status, PQT_SWEEP_FREE);
    pqt_mover bad = pqt_mover_circle(1, at(NAN, 0), at(1, 0));
    ck_assert_int_eq(pqt_tree_sweep(small_tree(4), bad, NULL).status, PQT_SWEEP_NONE);
}
END_TEST

START_TEST(sweeps_allocate_nothing)
{
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    pqt_sweep s = unit_swept(tree, 0.1, 0.6, 9, 14);
    hooks_stop();
    ck_assert_int_eq(s.status, PQT_SWEEP_OVERLAPS);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

/* ---- Comparisons with a plain array ---- */

static pqt_mover
mover_of(pqt_item item)
{
    return pqt_mover_box(item.box, at(0, 0), at(0, 0));
}

static double
drawn_along(dice *d, double from, double to)
{
    return from + (to / 2 - from / 2) * 2 * dice_real(d);
}

/* Returns a mover about as large as the items, on a path of any length. */
static pqt_mover
draw_mover_in(scene *s)
{
    dice *d = &s->d;
    pqt_box from = scene_draw_box(s), to = scene_draw_box(s), like = scene_draw_box(s);
    if (dice_chance(d, 50))
        to.min = at(drawn_along(d, from.min.x, to.min.x), from.min.y);
    pqt_vec half = pqt_vec_scale(pqt_box_size(like), 0.5);
    if (dice_chance(d, 40))
        return pqt_mover_circle(fmin(half.x, half.y), from.min, to.min);
    return pqt_mover_box((pqt_box){{-half.x, -half.y}, half}, from.min, to.min);
}

static bool
lies_in_counted(const scene *s, const pqt_mover *mover, pqt_vec position,
                const pqt_sweep_options *options)
{
    for (size_t i = 0; i < s->count; i++) {
        pqt_mover other = mover_of(s->items[i]);
        if ((options->filter == NULL || options->filter(&s->items[i], options->context)) &&
            movers_overlap(*mover, position, other, other.from))
            return true;
    }
    return false;
}

static bool
lies_in_any(const scene *s, const pqt_mover *mover, pqt_vec position)
{
    const pqt_sweep_options every = PQT_SWEEP_DEFAULTS;
    return lies_in_counted(s, mover, position, &every);
}

static double
depth_in(const pqt_mover *mover, pqt_box item)
{
    const pqt_box box = box_of_mover(*mover, mover->from);
    if (mover->kind == PQT_MOVER_CIRCLE)
        return pqt_contact_circle_box((pqt_circle){mover->from, mover->radius}, item).depth;
    return pqt_contact_boxes(box, item).depth;
}

/* Returns the smallest time of all hits, or a number above 1 if there is none. */
static double
least_time(const scene *s, const pqt_mover *mover, pqt_filter_fn *filter, void *context)
{
    double least = 2;
    for (size_t i = 0; i < s->count; i++) {
        if (filter != NULL && !filter(&s->items[i], context))
            continue;
        pqt_sweep one = pqt_sweep_pair(*mover, mover_of(s->items[i]), NULL);
        if (one.status == PQT_SWEEP_HITS)
            least = fmin(least, one.time);
    }
    return least;
}

static const char *
describe(const scene *s, const pqt_mover *m)
{
    static char text[512];
    snprintf(text, sizeof text,
             "%s: r %.17g, %.17g %.17g %.17g %.17g from %.17g %.17g to %.17g %.17g", scene_name(s),
             m->radius, m->box.min.x, m->box.min.y, m->box.max.x, m->box.max.y, m->from.x,
             m->from.y, m->to.x, m->to.y);
    return text;
}

/* Returns the sort key of a hit. A side precedes a corner at the same time: the time of a corner
   counts as the next double. */
static double
key_of(const pqt_sweep *hit)
{
    double key = fmax(hit->time, TINIEST);
    return hit->blocked == (PQT_BLOCKED_X | PQT_BLOCKED_Y) ? nextafter(key, 2) : key;
}

/* Checks that a box hits the first item by sort key, then by tree order. The check is skipped if
 * the stop at that item overlaps another item by rounding. */
static void
check_first(const scene *s, const pqt_mover *mover, const pqt_sweep *hit)
{
    const found_list *all = found_by(s->tree, query_of_all());
    double least = INFINITY;
    size_t first = 0;
    pqt_vec stop = mover->from;
    for (size_t i = 0; i < all->count; i++) {
        pqt_sweep one = pqt_sweep_pair(*mover, mover_of(all->items[i]), NULL);
        if (one.status != PQT_SWEEP_HITS || key_of(&one) >= least)
            continue;
        least = key_of(&one);
        first = i;
        stop = one.stop;
    }
    if (lies_in_any(s, mover, stop))
        return;
    ck_assert_msg(pqt_item_equals(hit->item, all->items[first]), "%s: another", describe(s, mover));
    ck_assert_msg(hit->rank == first, "%s: place", describe(s, mover));
}

static void
check_hit(const scene *s, const pqt_mover *mover, const pqt_sweep *hit)
{
    if (mover->kind == PQT_MOVER_BOX)
        check_first(s, mover, hit);
    double least = least_time(s, mover, NULL, NULL);
    pqt_sweep one = pqt_sweep_pair(*mover, mover_of(hit->item), NULL);
    double error = mover->kind == PQT_MOVER_BOX ? 0x1p-50 : 0x1p-40;
    /* A circle may stop at an item that it would pass in a sweep against this item alone. This
       happens if its stop would otherwise overlap the item. */
    ck_assert_msg(one.status == PQT_SWEEP_HITS || mover->kind == PQT_MOVER_CIRCLE, "%s: not hit",
                  describe(s, mover));
    ck_assert_msg(hit->time <= least * (1 + error) + 4 * TINIEST, "%s: later", describe(s, mover));
    ck_assert_msg(!lies_in_any(s, mover, hit->stop), "%s: within", describe(s, mover));
    pqt_mover again = *mover;
    again.from = hit->stop;
    pqt_sweep second = pqt_tree_sweep(s->tree, again, NULL);
    ck_assert_msg(second.status == PQT_SWEEP_HITS && second.time == 0 &&
                      memcmp(&second.stop, &hit->stop, sizeof hit->stop) == 0,
                  "%s: does not stay", describe(s, mover));
}

/* Checks that the exit is the last exit of all overlapped items, and that the reported item is the
   deepest. */
static void
check_overlap(const scene *s, const pqt_mover *mover, const pqt_sweep *within)
{
    double exit = 0, depth = 0;
    for (size_t i = 0; i < s->count; i++) {
        pqt_sweep one = pqt_sweep_pair(*mover, mover_of(s->items[i]), NULL);
        if (one.status != PQT_SWEEP_OVERLAPS)
            continue;
        exit = fmax(exit, one.exit);
        depth = fmax(depth, depth_in(mover, s->items[i].box));
    }
    pqt_sweep one = pqt_sweep_pair(*mover, mover_of(within->item), NULL);
    ck_assert_msg(within->exit == exit, "%s: exit %.17g for %.17g", describe(s, mover),
                  within->exit, exit);
    ck_assert_msg(depth_in(mover, within->item.box) == depth, "%s: depth", describe(s, mover));
    ck_assert_msg(one.free_position.x == within->free_position.x &&
                      one.free_position.y == within->free_position.y,
                  "%s: out", describe(s, mover));
    ck_assert_msg(one.normal.x == within->normal.x && one.normal.y == within->normal.y,
                  "%s: normal", describe(s, mover));
    ck_assert(within->rank == SIZE_MAX && within->time == 0);
}

static void
check_sweep(scene *s)
{
    pqt_mover mover = draw_mover_in(s);
    if (!pqt_mover_is_valid(mover))
        return;
    pqt_sweep found = pqt_tree_sweep(s->tree, mover, NULL);
    bool within = lies_in_any(s, &mover, mover.from);
    ck_assert_msg((found.status == PQT_SWEEP_OVERLAPS) == within, "%s: start", describe(s, &mover));
    if (found.status == PQT_SWEEP_OVERLAPS)
        check_overlap(s, &mover, &found);
    if (found.status == PQT_SWEEP_HITS)
        check_hit(s, &mover, &found);
    if (found.status == PQT_SWEEP_FREE || found.status == PQT_SWEEP_TOUCHES) {
        ck_assert_msg(least_time(s, &mover, NULL, NULL) > 1, "%s: passed", describe(s, &mover));
        ck_assert_msg(!lies_in_any(s, &mover, mover.to), "%s: end", describe(s, &mover));
    }
    /* With ignore_overlap, overlapped items are ignored, and others can be hit. The filter applies,
       too. */
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.ignore_overlap = true;
    options.filter = scene_draw_filter(s, &options.context);
    found = pqt_tree_sweep(s->tree, mover, &options);
    double least = least_time(s, &mover, options.filter, options.context);
    ck_assert_msg((found.status == PQT_SWEEP_HITS) == (least <= 1), "%s: ignored",
                  describe(s, &mover));
    if (found.status == PQT_SWEEP_HITS)
        return;
    within = lies_in_counted(s, &mover, mover.to, &options);
    ck_assert_msg((found.status == PQT_SWEEP_OVERLAPS) == within, "%s: at the end",
                  describe(s, &mover));
}

static void
check_scene(scene *s)
{
    for (int i = 0; i < 16; i++)
        check_sweep(s);
}

START_TEST(the_first_hit_in_arenas_equals_that_of_a_plain_array)
{
    scenes_run("the_first_hit_in_arenas_equals_that_of_a_plain_array", NULL, test_scaled(100), 6,
               check_scene);
}
END_TEST

START_TEST(the_first_hit_in_the_collector_equals_that_of_a_plain_array)
{
    scenes_run_in_collector("the_first_hit_in_the_collector_equals_that_of_a_plain_array",
                            test_scaled(100), 6, check_scene);
}
END_TEST

/* ---- Counted costs ---- */

enum { MANY = 100000, SEARCHES = 200 };

/* Returns a tree of boxes up to a given size, anywhere in a world. */
static const pqt_tree *
tree_of_many(dice *d, double size)
{
    pqt_error error = {0};
    pqt_item *items = calloc(MANY, sizeof *items);
    for (size_t i = 0; i < MANY; i++) {
        double x = dice_real(d) * 1e4, y = dice_real(d) * 1e4;
        items[i] = boxed(box(x, y, x + dice_real(d) * size, y + dice_real(d) * size), i);
    }
    const pqt_tree *tree = made(box(0, 0, 1e4, 1e4), options_of(24, 24));
    tree = pqt_tree_insert_all(tree, items, MANY, &error);
    free(items);
    return must(tree, &error);
}

static void
print_cost(const char *what, const pqt_query_stats *stats)
{
    fprintf(stderr, "# %s: %.1f nodes, %.1f leaves, %.1f boxes\n", what,
            (double)stats->nodes / SEARCHES, (double)stats->leaves / SEARCHES,
            (double)stats->boxes / SEARCHES);
}

START_TEST(the_first_hit_among_100000_items_costs_few_boxes)
{
    dice d = {test_seed("the_first_hit_among_100000_items_costs_few_boxes")};
    const pqt_tree *tree = tree_of_many(&d, 10);
    pqt_query_stats stats = {0};
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.stats = &stats;
    for (size_t i = 0; i < SEARCHES; i++) {
        pqt_vec from = at(dice_real(&d) * 1e4, dice_real(&d) * 1e4);
        pqt_vec to = at(dice_real(&d) * 1e4, dice_real(&d) * 1e4);
        (void)pqt_tree_sweep(tree, pqt_mover_box(box(-5, -5, 5, 5), from, to), &options);
    }
    print_cost("a sweep among 100,000", &stats);
    ck_assert_uint_le(stats.boxes, 120 * SEARCHES);
}
END_TEST

/* Finding the deepest overlap tests all overlapped items, but the search for hits ends at the first
   of them. */
START_TEST(starting_in_many_items_costs_a_window_and_a_descent)
{
    dice d = {test_seed("starting_in_many_items_costs_a_window_and_a_descent")};
    const pqt_tree *tree = tree_of_many(&d, 300);
    pqt_query_stats swept = {0}, in_window = {0};
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.stats = &swept;
    for (size_t i = 0; i < SEARCHES; i++) {
        pqt_vec from = at(500 + dice_real(&d) * 9e3, 500 + dice_real(&d) * 9e3);
        pqt_mover mover = pqt_mover_box(box(-5, -5, 5, 5), from, at(0, 0));
        ck_assert_int_eq(pqt_tree_sweep(tree, mover, &options).status, PQT_SWEEP_OVERLAPS);
        pqt_query window = {
            box_of_mover(mover, from), PQT_OVERLAPS, NULL, NULL, &in_window, NULL, PQT_PLANE, {0}};
        (void)pqt_tree_count_in(tree, &window);
    }
    print_cost("a start inside many items", &swept);
    print_cost("a window there", &in_window);
    ck_assert_uint_le(swept.leaves, in_window.leaves + 2 * SEARCHES);
    ck_assert_uint_le(swept.nodes, in_window.nodes + 12 * SEARCHES);
}
END_TEST

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_mover good = pqt_mover_box(unit, at(0, 0), at(1, 0)), none = {.radius = 1};
    const pqt_sweep_options bad = {.size = 1};
    switch (_i) {
    case 0:
        (void)pqt_tree_sweep(NULL, good, NULL);
        break;
    case 1:
        (void)pqt_tree_sweep(small_tree(4), none, NULL);
        break;
    default:
        (void)pqt_tree_sweep(small_tree(4), good, &bad);
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("sweep_tree");
    TCase *rules = add_tests(suite, "rules");
    tcase_add_test(rules, the_first_of_many_items_is_hit);
    tcase_add_test(rules, ties_are_in_tree_order);
    tcase_add_test(rules, a_side_comes_before_a_corner);
    tcase_add_test(rules, the_deepest_overlap_is_reported);
    tcase_add_test(rules, the_deepest_overlap_is_reported_from_any_quadrant);
    tcase_add_test(rules, an_ignored_overlap_that_remains_is_reported);
    tcase_add_test(rules, a_filter_decides_which_items_stop_a_mover);
    tcase_add_test(rules, an_empty_version_stops_nothing);
    tcase_add_test(rules, sweeps_allocate_nothing);
    tcase_add_misuse_tests(rules, mistakes_of_the_caller_stop_the_program, 3);
    TCase *random = add_tests(suite, "random");
    tcase_add_test(random, the_first_hit_in_arenas_equals_that_of_a_plain_array);
    tcase_add_test(random, the_first_hit_in_the_collector_equals_that_of_a_plain_array);
    TCase *costs = add_tests(suite, "costs");
    tcase_add_test(costs, the_first_hit_among_100000_items_costs_few_boxes);
    tcase_add_test(costs, starting_in_many_items_costs_a_window_and_a_descent);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
