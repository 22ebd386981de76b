/* SPDX-License-Identifier: MIT */
/*
 * test_ray.c: compares the hits of segments and rays with a plain array.
 *
 * The array is searched with a second implementation of the formula in the header. Whether a box is
 * hit at all is decided in exact integer arithmetic (exact_segment.h).
 */
#include "config.h"

#include <float.h>

#include <pqt/ray.h>
#include <pqt/segment.h>

#include "base/segment_internal.h"
#include "exact_segment.h"
#include "hooks.h"
#include "search_trees.h"
#include "suite.h"

static pqt_cast
segment(double from_x, double from_y, double to_x, double to_y)
{
    return pqt_cast_segment((pqt_segment){{from_x, from_y}, {to_x, to_y}});
}

static pqt_cast
ray(double from_x, double from_y, double x, double y)
{
    return pqt_cast_ray((pqt_ray){{from_x, from_y}, {x, y}});
}

static bool
is_same_hit(const pqt_ray_hit *a, const pqt_ray_hit *b)
{
    return a->hit == b->hit && a->inside == b->inside && same_bits(a->item, b->item) &&
           memcmp(&a->entry, &b->entry, 8) == 0 && memcmp(&a->exit, &b->exit, 8) == 0 &&
           a->normal.x == b->normal.x && a->normal.y == b->normal.y && a->rank == b->rank;
}

/* ---- The rules, one box at a time ---- */

static const pqt_box target = {{4, 4}, {8, 6}};

static pqt_ray_hit
hit_of(pqt_cast cast)
{
    const pqt_tree *tree = inserted(small_tree(4), boxed(target, 9));
    pqt_ray_hit hit = pqt_tree_cast(tree, &cast), same = pqt_cast_at_item(&cast, boxed(target, 9));
    ck_assert(is_same_hit(&hit, &same));
    return hit;
}

static void
expect_hit(pqt_cast cast, double entry, double exit, double normal_x, double normal_y)
{
    pqt_ray_hit hit = hit_of(cast);
    ck_assert(hit.hit);
    ck_assert(hit.entry == entry);
    ck_assert(hit.exit == exit);
    ck_assert(hit.normal.x == normal_x && hit.normal.y == normal_y);
    ck_assert(hit.inside == (entry == 0));
    ck_assert(same_bits(hit.item, boxed(target, 9)));
}

START_TEST(a_line_enters_by_one_side_and_leaves_by_another)
{
    expect_hit(segment(0, 5, 16, 5), 0.25, 0.5, -1, 0);
    expect_hit(segment(16, 5, 0, 5), 0.5, 0.75, 1, 0);
    expect_hit(segment(5, 0, 5, 16), 0.25, 0.375, 0, -1);
    expect_hit(segment(5, 16, 5, 0), 0.625, 0.75, 0, 1);
    expect_hit(segment(0, 1, 8, 9), 0.5, 0.625, -1, 0);
    expect_hit(ray(0, 5, 2, 0), 2, 4, -1, 0);
    expect_hit(ray(6, 14, 0, -4), 2, 2.5, 0, 1);
}
END_TEST

START_TEST(a_segment_ends_and_a_ray_does_not)
{
    expect_hit(segment(0, 5, 5, 5), 0.8, 1, -1, 0);
    expect_hit(segment(0, 5, 4, 5), 1, 1, -1, 0);
    ck_assert(!hit_of(segment(0, 5, 3.9, 5)).hit);
    expect_hit(ray(0, 5, 0.5, 0), 8, 16, -1, 0);
    expect_hit(ray(0, 5, 1e-300, 0), 4 / 1e-300, 8 / 1e-300, -1, 0);
    ck_assert(!hit_of(ray(9, 5, 1, 0)).hit);
    ck_assert(!hit_of(segment(9, 5, 16, 5)).hit);
}
END_TEST

START_TEST(a_line_along_an_edge_hits)
{
    expect_hit(segment(0, 4, 16, 4), 0.25, 0.5, -1, 0);
    expect_hit(segment(0, 6, 16, 6), 0.25, 0.5, -1, 0);
    expect_hit(ray(8, 0, 0, 1), 4, 6, 0, -1);
    expect_hit(segment(5, 4, 6, 4), 0, 1, 0, 0);
    ck_assert(!hit_of(segment(0, nextafter(4, 0), 16, nextafter(4, 0))).hit);
}
END_TEST

START_TEST(a_line_that_passes_only_through_a_corner_hits)
{
    expect_hit(segment(2, 6, 6, 2), 0.5, 0.5, -1, 0);
    expect_hit(segment(6, 2, 2, 6), 0.5, 0.5, 0, -1);
    expect_hit(segment(0, 0, 4, 4), 1, 1, -1, 0);
    expect_hit(ray(10, 8, -1, -1), 2, 4, 1, 0);
    ck_assert(!hit_of(segment(2, 6, nextafter(6, 0), 2)).hit);
}
END_TEST

START_TEST(a_line_that_begins_inside_hits_at_once)
{
    expect_hit(segment(5, 5, 16, 5), 0, 3.0 / 11, 0, 0);
    expect_hit(segment(5, 5, 6, 5), 0, 1, 0, 0);
    expect_hit(segment(8, 5, 16, 5), 0, 0, 0, 0);
    expect_hit(segment(4, 4, 0, 0), 0, 0, 0, 0);
    expect_hit(ray(8, 6, 1, 1), 0, 0, 0, 0);
    expect_hit(ray(4, 6, 1, 0), 0, 4, 0, 0);
}
END_TEST

START_TEST(a_line_of_zero_length_hits_boxes_that_contain_it)
{
    expect_hit(segment(5, 5, 5, 5), 0, 1, 0, 0);
    expect_hit(segment(8, 6, 8, 6), 0, 1, 0, 0);
    expect_hit(ray(5, 5, 0, -0.0), 0, INFINITY, 0, 0);
    ck_assert(!hit_of(segment(9, 5, 9, 5)).hit);
    ck_assert(!hit_of(ray(3, 5, 0, 0)).hit);
}
END_TEST

START_TEST(a_line_that_is_not_finite_hits_nothing)
{
    const pqt_cast casts[] = {segment(NAN, 5, 6, 5),      segment(5, 5, 6, NAN),
                              segment(5, 5, INFINITY, 5), ray(5, 5, NAN, 1),
                              ray(5, -INFINITY, 0, 1),    ray(5, 5, 0, INFINITY)};
    const pqt_tree *tree = inserted(small_tree(4), boxed(target, 9));
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        pqt_ray_hit hits[1];
        ck_assert(!hit_of(casts[i]).hit);
        ck_assert_uint_eq(pqt_tree_cast_all(tree, &casts[i], hits, 1), 0);
    }
}
END_TEST

START_TEST(an_item_with_a_bad_box_is_not_hit)
{
    ck_assert(!pqt_cast_at_item((pqt_cast[]){segment(0, 0, 9, 9)}, boxed(box(8, 8, 1, 1), 1)).hit);
    ck_assert(
        !pqt_cast_at_item((pqt_cast[]){segment(0, 0, 9, 9)}, boxed(box(1, NAN, 8, 8), 1)).hit);
    ck_assert(!pqt_cast_at_item((pqt_cast[]){segment(0, 0, 9, 9)}, boxed(whole_plane, 1)).hit);
}
END_TEST

/* The distance to the box is tiny compared with the direction, but the ray begins outside the
 * box. */
START_TEST(an_entry_is_zero_only_inside)
{
    pqt_cast cast = ray(0, 5e-300, 1e300, 0);
    pqt_ray_hit hit = pqt_cast_at_item(&cast, boxed(box(4e-300, 4e-300, 8e-300, 6e-300), 1));
    ck_assert(hit.hit && !hit.inside);
    ck_assert(hit.entry == TINIEST && hit.exit == TINIEST);
    ck_assert(hit.normal.x == -1 && hit.normal.y == 0);
}
END_TEST

START_TEST(entry_fractions_are_correct_at_any_scale)
{
    static const double units[] = {0x1p-1068, 0x1p-1000, 0x1p1000, 0x1p1019};
    for (size_t i = 0; i < 4; i++) {
        double u = units[i];
        pqt_item item = boxed(box(4 * u, 4 * u, 8 * u, 6 * u), 1);
        pqt_cast cast = segment(-16 * u, 5 * u, 16 * u, 5 * u);
        pqt_ray_hit hit = pqt_cast_at_item(&cast, item);
        ck_assert(hit.hit && hit.entry == 0.625 && hit.exit == 0.75);
        const pqt_tree *tree = made(box(-16 * u, 0, 16 * u, 16 * u), options_of(1, 24));
        hit = pqt_tree_cast(inserted(inserted(tree, item), dot(12 * u, 5 * u, 2)), &cast);
        ck_assert(hit.hit && hit.item.id == 1 && hit.entry == 0.625);
    }
    pqt_item item = boxed(box(0, -1, DBL_MAX / 2, 1), 1);
    pqt_ray_hit hit = pqt_cast_at_item((pqt_cast[]){segment(-DBL_MAX, 0, DBL_MAX, 0)}, item);
    ck_assert(hit.hit && hit.entry == 0.5 && hit.exit == 0.75);
    hit = pqt_cast_at_item((pqt_cast[]){ray(-DBL_MAX, 0, DBL_MAX / 2, 0)}, item);
    ck_assert(hit.hit && hit.entry == 2 && hit.exit == 3);
}
END_TEST

/* The box that prunes leaves ends at the line's point at this fraction, in every direction of the
   line. */
START_TEST(the_box_of_a_line_up_to_a_fraction_ends_there)
{
    for (int i = 0; i < 9; i++) {
        pqt_vec from = {3, 5}, motion = {i % 3 - 1, 2 * (i / 3) - 2};
        pqt_vec at = {3 + motion.x / 4, 5 + motion.y / 4};
        pqti_prepared_ray lines[] = {
            pqti_prepared_ray_of_segment((pqt_segment){from, pqt_vec_add(from, motion)}),
            pqti_prepared_ray_of_ray((pqt_ray){from, motion})};
        for (int k = 0; k < 2; k++) {
            pqt_box all = lines[k].box, until = pqti_prepared_ray_box_until(&lines[k], 0.25);
            pqt_box exact = box(fmin(3, at.x), fmin(5, at.y), fmax(3, at.x), fmax(5, at.y));
            ck_assert(pqt_box_relates(exact, until, PQT_INSIDE));
            ck_assert(pqt_box_relates(until, pqt_box_grown(exact, 1e-12), PQT_INSIDE));
            until = pqti_prepared_ray_box_until(&lines[k], INFINITY);
            ck_assert(same_bits(boxed(until, 0), boxed(all, 0)));
            until = pqti_prepared_ray_box_until(&lines[k], 0);
            ck_assert(pqt_box_relates(until, pqt_box_grown(box(3, 5, 3, 5), 1e-12), PQT_INSIDE));
        }
    }
}
END_TEST

/* ---- Many items ---- */

START_TEST(hits_come_front_to_back)
{
    for (int capacity = 1; capacity <= 32; capacity *= 2) {
        const pqt_tree *tree = with_grid(small_tree(capacity), 16);
        pqt_ray_hit hits[20];
        ck_assert_uint_eq(pqt_tree_cast_all(tree, (pqt_cast[]){segment(16, 3.5, 0, 3.5)}, hits, 20),
                          16);
        for (size_t i = 0; i < 16; i++) {
            ck_assert_uint_eq(hits[i].item.id, 3 * 16 + 15 - i);
            ck_assert(hits[i].hit && hits[i].entry == (i + 0.5) / 16);
        }
        ck_assert_uint_eq(pqt_tree_cast(tree, (pqt_cast[]){segment(16, 3.5, 0, 3.5)}).item.id, 63);
        ck_assert(!pqt_tree_cast(tree, (pqt_cast[]){segment(16, 3, 0, 3)}).hit);
    }
}
END_TEST

START_TEST(equal_entries_are_in_tree_order)
{
    const pqt_item items[] = {boxed(box(9, 9, 15, 15), 4), boxed(box(9, 2, 15, 15), 2),
                              boxed(box(0, 0, 15, 15), 0), boxed(box(9, 4, 12, 14), 3),
                              boxed(box(8, 0, 15, 13), 1)};
    for (int capacity = 1; capacity <= 5; capacity++) {
        const pqt_tree *tree = with_items(small_tree(capacity), items, 5);
        const found_list *list = found_by(tree, query_of_all());
        pqt_ray_hit hits[5];
        ck_assert_uint_eq(pqt_tree_cast_all(tree, (pqt_cast[]){ray(10, 10, 1, 1)}, hits, 5), 5);
        for (size_t i = 0; i < 5; i++) {
            ck_assert(hits[i].inside && hits[i].rank == i);
            ck_assert(same_bits(hits[i].item, list->items[i]));
        }
    }
}
END_TEST

/* Four boxes share a corner. The hit depends neither on the direction of the line from that corner
   nor on the order of tests. */
START_TEST(the_first_in_tree_order_of_the_items_touched_at_the_start_is_hit)
{
    pqt_error error = {0};
    const pqt_item items[] = {boxed(box(4, 4, 5, 5), 1), boxed(box(5, 4, 6, 5), 2),
                              boxed(box(4, 5, 5, 6), 3), boxed(box(5, 5, 6, 6), 4)};
    const pqt_tree *tree = made(box(0, 0, 10, 10), options_of(1, 24));
    tree = must(pqt_tree_insert_all(tree, items, 4, &error), &error);
    for (int i = 0; i < 9; i++) {
        double to_x = 4 + i % 3, to_y = 4 + i / 3;
        pqt_ray_hit hit = pqt_tree_cast(tree, (pqt_cast[]){segment(5, 5, to_x, to_y)});
        ck_assert(hit.hit && hit.inside);
        ck_assert_uint_eq(hit.item.id, 1);
        ck_assert_uint_eq(hit.rank, 0);
    }
}
END_TEST

START_TEST(all_hits_are_counted_at_any_capacity)
{
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    pqt_cast cast = ray(-1, 3.5, 1, 0);
    pqt_ray_hit all[16], hits[17];
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, all, 16), 16);
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, NULL, 0), 16);
    for (size_t capacity = 0; capacity <= 17; capacity++) {
        memset(hits, 0, sizeof hits);
        ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, hits, capacity), 16);
        for (size_t i = 0; i < 17; i++)
            ck_assert(i < capacity && i < 16 ? is_same_hit(&hits[i], &all[i]) : !hits[i].hit);
    }
    ck_assert_uint_eq(pqt_tree_cast_all(small_tree(2), &cast, hits, 17), 0);
}
END_TEST

START_TEST(a_filter_decides_what_is_hit)
{
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    uint64_t divisor = 5;
    pqt_cast cast = segment(0, 3.5, 16, 3.5);
    pqt_ray_hit hits[16];
    cast.filter = has_divisible_id;
    cast.context = &divisor;
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, hits, 16), 3);
    ck_assert_uint_eq(pqt_tree_cast(tree, &cast).item.id, 50);
    divisor = 1000;
    ck_assert(!pqt_tree_cast(tree, &cast).hit);
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, hits, 16), 0);
}
END_TEST

typedef struct visited {
    pqt_ray_hit hits[1024];
    size_t count, most;
} visited;

static bool
note(const pqt_ray_hit *hit, void *context)
{
    visited *v = context;
    ck_assert_uint_lt(v->count, 1024);
    v->hits[v->count++] = *hit;
    return v->count < v->most;
}

START_TEST(a_visitor_gets_hits_until_it_stops)
{
    static visited v;
    static pqt_ray_hit all[100];
    const pqt_tree *tree = with_grid(small_tree(2), 64);
    pqt_cast cast = segment(16, 3.625, 0, 3.625);
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, all, 100), 64);
    for (v.most = 1; v.most <= 65; v.most++) {
        v.count = 0;
        ck_assert(pqt_tree_visit_cast(tree, &cast, note, &v) == (v.most == 65));
        ck_assert_uint_eq(v.count, v.most == 65 ? 64 : v.most);
        for (size_t i = 0; i < v.count; i++)
            ck_assert(is_same_hit(&v.hits[i], &all[i]));
    }
    v.count = 0;
    ck_assert(pqt_tree_visit_cast(tree, (pqt_cast[]){segment(1, 1, 1, 2)}, note, &v));
    ck_assert(pqt_tree_visit_cast(tree, (pqt_cast[]){ray(NAN, 1, 1, 2)}, note, &v));
    ck_assert(pqt_tree_visit_cast(small_tree(1), &cast, note, &v));
    ck_assert_uint_eq(v.count, 0);
}
END_TEST

/* Visits all hits. Requires that they equal the `count` hits of pqt_tree_cast_all. */
static void
expect_all_visited(const pqt_tree *tree, pqt_cast cast, size_t count)
{
    static visited v;
    static pqt_ray_hit all[1024];
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, all, 1024), count);
    v = (visited){.most = count + 1};
    ck_assert(pqt_tree_visit_cast(tree, &cast, note, &v));
    ck_assert_uint_eq(v.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert(is_same_hit(&v.hits[i], &all[i]));
}

/* 1e300 / 1e-10 is not a double, so all entries but one are infinite. */
START_TEST(hits_whose_entries_are_infinite_are_all_visited)
{
    for (int capacity = 1; capacity <= 32; capacity *= 2) {
        const pqt_tree *tree = made(box(0, -1, 40e300, 1), options_of(capacity, 24));
        for (uint64_t i = 0; i < 40; i++)
            tree = inserted(tree, boxed(box((double)i * 1e300, -1, (double)i * 1e300, 1), i));
        expect_all_visited(tree, ray(0, 0, 1e-10, 0), 40);
        expect_all_visited(tree, ray(0, 0, TINIEST, 0), 40);
        expect_all_visited(tree, ray(40e300, 0, -1e-10, -TINIEST), 40);
    }
}
END_TEST

/*
 * The entries are finite, but the corresponding times in the units of slab.h overflow. The first
 * hits come last in tree order.
 */
START_TEST(hits_outside_the_bounds_whose_times_overflow_are_all_visited)
{
    for (int capacity = 1; capacity <= 32; capacity *= 2) {
        const pqt_tree *tree = made(box(-100, -100, 100, 100), options_of(capacity, 24));
        for (uint64_t i = 0; i < 100; i++)
            tree = inserted(
                tree,
                boxed(box(1.5e308, -(double)i * 1e306, 1.5e308 + (double)i * 1e305, 1e306), i));
        for (uint64_t i = 100; i < 200; i++)
            tree = inserted(tree, dot(-1.5e308 - (double)(i % 7) * 1e306, 0, i));
        expect_all_visited(tree, ray(0, 0, 3, 0), 100);
        expect_all_visited(tree, ray(-1, 0, -3, 0), 100);
    }
}
END_TEST

/* The number of items with the same entry exceeds the number that one pass finds. The line begins
 * inside or before them. */
START_TEST(many_ties_are_visited_in_tree_order)
{
    static visited v;
    for (double x = 2; x <= 7; x += 5) {
        const pqt_tree *tree = small_tree(3);
        for (uint64_t id = 0; id < 300; id++)
            tree = inserted(tree, boxed(box(6, 6, 9, 9), id));
        for (uint64_t id = 300; id < 600; id++)
            tree = inserted(tree, boxed(box(6, 7, 6 + (double)(id % 7), 8), id));
        v = (visited){.most = 1024};
        ck_assert(pqt_tree_visit_cast(tree, (pqt_cast[]){ray(x, 7.5, 1, 0)}, note, &v));
        ck_assert_uint_eq(v.count, x < 6 ? 600 : 557);
        for (size_t k = 1; k < v.count; k++)
            ck_assert(
                v.hits[k - 1].entry < v.hits[k].entry ||
                (v.hits[k - 1].entry == v.hits[k].entry && v.hits[k - 1].rank < v.hits[k].rank));
    }
}
END_TEST

START_TEST(casts_allocate_nothing)
{
    static visited v = {.most = 300};
    const pqt_tree *tree = with_grid(small_tree(2), 16);
    pqt_cast cast = segment(0, 3.5, 16, 3.5);
    pqt_ray_hit hits[16];
    hooks watch = {0};
    hooks_start(&watch);
    bool hit = pqt_tree_cast(tree, &cast).hit;
    size_t count = pqt_tree_cast_all(tree, &cast, hits, 16);
    bool to_the_end = pqt_tree_visit_cast(tree, &cast, note, &v);
    hooks_stop();
    ck_assert(hit && count == 16 && to_the_end);
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

START_TEST(statistics_add_up_the_nodes_and_boxes_visited)
{
    const pqt_tree *tree = with_grid(small_tree(4), 16);
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    pqt_query_stats counts = {0};
    pqt_cast cast = segment(0, 3.5, 16, 3.5);
    cast.stats = &counts;
    ck_assert(pqt_tree_cast(tree, &cast).hit);
    ck_assert(counts.nodes > 0 && counts.leaves > 0 && counts.boxes >= counts.leaves);
    ck_assert(counts.nodes < stats.nodes && counts.leaves < stats.leaves);
}
END_TEST

/* ---- Comparisons with a plain array ---- */

/* Returns the entry by the formula of the header. */
static double
fraction_of(double side, double from, double to, bool endless)
{
    double motion = side - from, length = endless ? to : to - from;
    if (isinf(motion) || isinf(length)) {
        motion = side / 2 - from / 2;
        length = endless ? to / 2 : to / 2 - from / 2;
    }
    return motion / length;
}

/* Clips the entry and the exit of the line by one axis. */
static void
clip(double from, double to, bool endless, double min, double max, double *in, double *out)
{
    double direction = endless ? to : (to > from) - (to < from);
    *in = -INFINITY;
    *out = INFINITY;
    if (direction == 0)
        return;
    if (direction > 0 ? from < min : from > max)
        *in = fmax(TINIEST, fraction_of(direction > 0 ? min : max, from, to, endless));
    *out = fraction_of(direction > 0 ? max : min, from, to, endless);
}

static pqt_ray_hit
expected_hit(const pqt_cast *cast, pqt_item item, size_t rank)
{
    bool endless = cast->kind == PQT_CAST_RAY;
    pqt_vec from = endless ? cast->ray.from : cast->segment.from;
    pqt_vec to = endless ? cast->ray.direction : cast->segment.to;
    if (!pqt_vec_is_finite(from) || !pqt_vec_is_finite(to) ||
        !exactly_touches(from, to, endless, item.box))
        return (pqt_ray_hit){.hit = false};
    double in_x, in_y, out_x, out_y;
    clip(from.x, to.x, endless, item.box.min.x, item.box.max.x, &in_x, &out_x);
    clip(from.y, to.y, endless, item.box.min.y, item.box.max.y, &in_y, &out_y);
    pqt_ray_hit hit = {.hit = true, .item = item, .rank = rank};
    hit.entry = fmax(0, fmax(in_x, in_y));
    hit.exit =
        /* adding 0.0 turns -0.0 into 0.0 */
        fmax(hit.entry, fmin(endless ? INFINITY : 1, fmin(out_x, out_y))) + 0.0;
    hit.inside = hit.entry == 0;
    if (!hit.inside && in_x >= in_y)
        hit.normal.x = from.x < item.box.min.x ? -1 : 1;
    else if (!hit.inside)
        hit.normal.y = from.y < item.box.min.y ? -1 : 1;
    return hit;
}

static int
by_entry_and_place(const void *a, const void *b)
{
    const pqt_ray_hit *x = a, *y = b;
    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

static size_t
expected_hits(const scene *s, const pqt_cast *cast, pqt_ray_hit *expected)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (cast->filter != NULL && !cast->filter(&s->items[i], cast->context))
            continue;
        expected[count] = expected_hit(cast, s->items[i], i);
        count += expected[count].hit;
    }
    qsort(expected, count, sizeof *expected, by_entry_and_place);
    return count;
}

static pqt_vec
draw_point(scene *s)
{
    pqt_box drawn = scene_draw_box(s);
    return (pqt_vec){dice_chance(&s->d, 50) ? drawn.min.x : drawn.max.x,
                     dice_chance(&s->d, 50) ? drawn.min.y : drawn.max.y};
}

/* Returns a point beyond a corner of an item, so that the corner is on the line except for
 * rounding. */
static pqt_vec
aim_at_corner(scene *s, pqt_vec from)
{
    const pqt_item *item = &s->items[dice_below(&s->d, s->count)];
    double x = dice_chance(&s->d, 50) ? item->box.min.x : item->box.max.x;
    double y = dice_chance(&s->d, 50) ? item->box.min.y : item->box.max.y;
    double beyond = dice_chance(&s->d, 40) ? 1 : dice_real(&s->d);
    return (pqt_vec){x + (x - from.x) * beyond, y + (y - from.y) * beyond};
}

/* Returns a segment between random points, through a corner, along an axis, or of length 0; or a
   ray with a direction of any length, whose entries may overflow. */
static pqt_cast
draw_cast(scene *s)
{
    pqt_vec from = draw_point(s), to = draw_point(s);
    if (s->count > 0 && dice_chance(&s->d, 30))
        to = aim_at_corner(s, from);
    if (dice_chance(&s->d, 15))
        to.x = from.x;
    if (dice_chance(&s->d, 15))
        to.y = from.y;
    pqt_cast cast = pqt_cast_segment((pqt_segment){from, to});
    pqt_vec motion = pqt_vec_subtract(to, from);
    if (dice_chance(&s->d, 50) && pqt_vec_is_finite(motion)) {
        int exponent = dice_chance(&s->d, 80) ? (int)dice_below(&s->d, 9) - 4
                                              : (int)dice_below(&s->d, 2000) - 1000;
        cast = pqt_cast_ray((pqt_ray){from, pqt_vec_scale(motion, ldexp(1, exponent))});
    }
    cast.filter = scene_draw_filter(s, &cast.context);
    return cast;
}

/* The next hit that a visitor expects, and the number of hits after which it stops. */
typedef struct expectation {
    const scene *s;
    const pqt_ray_hit *next;
    size_t left;
} expectation;

static bool
expect_next(const pqt_ray_hit *hit, void *context)
{
    expectation *e = context;
    ck_assert_msg(is_same_hit(hit, e->next), "%s: visited, %zu left", scene_name(e->s), e->left);
    e->next++;
    return --e->left > 0;
}

static void
check_visit(const scene *s, pqt_cast cast, const pqt_ray_hit *expected, size_t all, size_t wanted)
{
    expectation e = {s, expected, wanted};
    bool to_the_end = pqt_tree_visit_cast(s->tree, &cast, expect_next, &e);
    ck_assert_msg(to_the_end == (wanted > all), "%s: visited", scene_name(s));
    ck_assert_uint_eq(e.left, wanted > all ? wanted - all : 0);
}

static void
check_cast(scene *s)
{
    pqt_cast cast = draw_cast(s);
    pqt_ray_hit *expected = calloc(s->count + 1, sizeof *expected);
    pqt_ray_hit *hits = calloc(s->count + 1, sizeof *hits);
    size_t all = expected_hits(s, &cast, expected);
    pqt_ray_hit first = pqt_tree_cast(s->tree, &cast);
    ck_assert_msg(first.hit == (all > 0), "%s: first of %zu", scene_name(s), all);
    ck_assert_msg(!first.hit || is_same_hit(&first, &expected[0]), "%s: first", scene_name(s));
    size_t capacity = dice_below(&s->d, all + 2);
    size_t count = pqt_tree_cast_all(s->tree, &cast, hits, capacity);
    ck_assert_msg(count == all, "%s: %zu for %zu", scene_name(s), count, all);
    for (size_t i = 0; i < capacity && i < all; i++)
        ck_assert_msg(is_same_hit(&hits[i], &expected[i]), "%s: number %zu", scene_name(s), i);
    check_visit(s, cast, expected, all, 1 + dice_below(&s->d, all + 1));
    free(expected);
    free(hits);
}

static void
check_scene(scene *s)
{
    for (int i = 0; i < 4; i++)
        check_cast(s);
}

START_TEST(hits_in_arenas_equal_those_of_a_plain_array)
{
    scenes_run("hits_in_arenas_equal_those_of_a_plain_array", NULL, test_scaled(100), 6,
               check_scene);
}
END_TEST

START_TEST(hits_in_the_collector_equal_those_of_a_plain_array)
{
    scenes_run_in_collector("hits_in_the_collector_equal_those_of_a_plain_array", test_scaled(100),
                            6, check_scene);
}
END_TEST

static bool
is_among(const pqt_ray_hit *hits, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (hits[i].item.id == id)
            return true;
    return false;
}

/* Lines pass corners as closely as doubles allow, on either side. */
START_TEST(a_box_is_hit_by_its_corner_or_missed_as_in_whole_numbers)
{
    enum { BOXES = 64 };
    dice d = {test_seed("a_box_is_hit_by_its_corner_or_missed_as_in_whole_numbers")};
    const pqt_tree *tree = small_tree(4);
    for (uint64_t id = 0; id < BOXES; id++) {
        double x = dice_real(&d) * 14, y = dice_real(&d) * 14;
        tree = inserted(tree, boxed(box(x, y, x + dice_real(&d), y + dice_real(&d)), id));
    }
    scene s = {.d = d, .tree = tree};
    scene_list(&s);
    for (size_t i = 0; i < test_scaled(20000); i++) {
        pqt_item item = s.items[dice_below(&s.d, BOXES)];
        bool left = dice_chance(&s.d, 50), upper = dice_chance(&s.d, 50);
        pqt_vec corner = {left ? item.box.min.x : item.box.max.x,
                          upper ? item.box.min.y : item.box.max.y};
        /* A line in this direction touches the box only at this corner. */
        double away = dice_real(&s.d) + 0.1, slope = (left == upper ? -1 : 1) * dice_real(&s.d);
        pqt_vec from = {corner.x + away, corner.y + away * slope};
        double beyond = dice_real(&s.d);
        pqt_vec to = {corner.x + (corner.x - from.x) * beyond,
                      corner.y + (corner.y - from.y) * beyond};
        pqt_ray_hit hits[BOXES];
        size_t count = pqt_tree_cast_all(
            tree, (pqt_cast[]){pqt_cast_segment((pqt_segment){from, to})}, hits, BOXES);
        ck_assert(is_among(hits, count, item.id) == exactly_touches(from, to, false, item.box));
    }
    scene_free(&s);
}
END_TEST

START_TEST(hits_among_cities_are_those_of_a_plain_array)
{
    uint64_t seed = test_seed("hits_among_cities_are_those_of_a_plain_array");
    for (int cities = 0; cities < 2; cities++) {
        scene s = scene_of_places(seed, cities == 1);
        for (size_t i = 0; i < test_scaled(cities == 1 ? 3 : 25); i++)
            check_cast(&s);
        scene_free(&s);
    }
}
END_TEST

/* ---- Counted costs ---- */

enum { MANY = 100000, SEARCHES = 200 };

static const pqt_tree *
uniform_tree(dice *d)
{
    pqt_error error = {0};
    pqt_item *items = calloc(MANY, sizeof *items);
    for (size_t i = 0; i < MANY; i++) {
        double x = dice_real(d) * 1e4, y = dice_real(d) * 1e4;
        items[i] = boxed(box(x, y, x + dice_real(d) * 30, y + dice_real(d) * 30), i);
    }
    const pqt_tree *tree = made(box(0, 0, 1e4, 1e4), options_of(24, 24));
    tree = pqt_tree_insert_all(tree, items, MANY, &error);
    free(items);
    return must(tree, &error);
}

START_TEST(the_first_hit_among_100000_items_costs_few_boxes)
{
    dice d = {test_seed("the_first_hit_among_100000_items_costs_few_boxes")};
    const pqt_tree *tree = uniform_tree(&d);
    pqt_query_stats stats = {0};
    for (size_t i = 0; i < SEARCHES; i++) {
        double x = dice_real(&d) * 1e4, y = dice_real(&d) * 1e4;
        pqt_cast cast = ray(x, y, dice_real(&d) - 0.5, dice_real(&d) - 0.5);
        cast.stats = &stats;
        (void)pqt_tree_cast(tree, &cast);
    }
    fprintf(stderr, "# the first hit among 100,000 cost %.1f nodes, %.1f leaves, %.1f boxes\n",
            (double)stats.nodes / SEARCHES, (double)stats.leaves / SEARCHES,
            (double)stats.boxes / SEARCHES);
    ck_assert_uint_le(stats.boxes, 40 * SEARCHES);
}
END_TEST

/* A ray across the bounds hits about 400 items in about 400 leaves. */
START_TEST(all_hits_of_a_ray_cost_the_leaves_along_it)
{
    dice d = {test_seed("all_hits_of_a_ray_cost_the_leaves_along_it")};
    const pqt_tree *tree = uniform_tree(&d);
    for (size_t i = 0; i < 10; i++) {
        pqt_query_stats stats = {0};
        double from = dice_real(&d) * 1e4, to = dice_real(&d) * 1e4;
        pqt_cast cast = ray(-5, from, 10010, to - from);
        cast.stats = &stats;
        size_t count = pqt_tree_cast_all(tree, &cast, NULL, 0);
        ck_assert_uint_gt(count, 100);
        ck_assert_uint_lt(stats.boxes, 20000);
    }
}
END_TEST

enum { LARGE = 40000 };

/* Returns boxes about as large as the bounds, which overlap each other, so that each search meets
 * all of them. */
static const pqt_tree *
tree_of_large_boxes(const char *test)
{
    dice d = {test_seed(test)};
    pqt_item *items = calloc(LARGE, sizeof *items);
    pqt_error error = {0};
    for (size_t i = 0; i < LARGE; i++) {
        double x = dice_real(&d) * 3, y = dice_real(&d) * 3;
        items[i] = boxed(box(x, y, 16 - x, 16 - y), i);
    }
    const pqt_tree *tree =
        pqt_tree_insert_all(made(box(0, 0, 16, 16), options_of(24, 24)), items, LARGE, &error);
    free(items);
    return must(tree, &error);
}

START_TEST(all_hits_of_a_ray_through_large_boxes_are_found_in_one_search)
{
    const pqt_tree *tree =
        tree_of_large_boxes("all_hits_of_a_ray_through_large_boxes_are_found_in_one_search");
    pqt_ray_hit *hits = calloc(LARGE, sizeof *hits);
    pqt_query_stats stats = {0};
    pqt_cast cast = segment(-1, 7, 30, 9);
    cast.stats = &stats;
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, hits, LARGE), LARGE);
    ck_assert_uint_eq(stats.boxes, LARGE);
    for (size_t i = 1; i < LARGE; i++)
        ck_assert(hits[i - 1].entry < hits[i].entry ||
                  (hits[i - 1].entry == hits[i].entry && hits[i - 1].rank < hits[i].rank));
    free(hits);
}
END_TEST

/* Compares a hit with the next one of an array. The context points to the position in the array. */
static bool
is_next_hit(const pqt_ray_hit *hit, void *context)
{
    const pqt_ray_hit **next = context;
    ck_assert(is_same_hit(hit, *next));
    ++*next;
    return true;
}

START_TEST(one_search_yields_up_to_2048_hits_of_large_boxes)
{
    const pqt_tree *tree = tree_of_large_boxes("one_search_yields_up_to_2048_hits_of_large_boxes");
    pqt_ray_hit *hits = calloc(LARGE, sizeof *hits);
    const pqt_ray_hit *next = hits;
    pqt_query_stats stats = {0};
    pqt_cast cast = segment(-1, 7, 30, 9);
    ck_assert_uint_eq(pqt_tree_cast_all(tree, &cast, hits, LARGE), LARGE);
    cast.stats = &stats;
    ck_assert(pqt_tree_visit_cast(tree, &cast, is_next_hit, &next));
    ck_assert_ptr_eq(next, hits + LARGE);
    fprintf(stderr, "# a visit of %d hits looks %.1f times at each box\n", LARGE,
            (double)stats.boxes / LARGE);
    ck_assert_uint_le(stats.boxes, (5 + LARGE / 2048) * (uint64_t)LARGE);
    free(hits);
}
END_TEST

/* The visitor stops after some of the hits in about 400 leaves. The search tests at most as many
 * boxes as a search for four times the number of hits. */
START_TEST(a_visitor_that_stops_early_costs_little)
{
    dice d = {test_seed("a_visitor_that_stops_early_costs_little")};
    const pqt_tree *tree = uniform_tree(&d);
    static const struct {
        size_t taken, boxes;
    } costs[] = {{1, 150}, {8, 150}, {9, 1000}, {72, 1000}, {73, 4500}, {200, 4500}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        static visited v;
        pqt_query_stats stats = {0};
        pqt_cast cast = ray(-5, 1000, 10010, 7000);
        cast.stats = &stats;
        v = (visited){.most = costs[i].taken};
        ck_assert(!pqt_tree_visit_cast(tree, &cast, note, &v));
        ck_assert_uint_eq(v.count, costs[i].taken);
        fprintf(stderr, "# %zu hits cost %zu boxes\n", v.count, (size_t)stats.boxes);
        ck_assert_uint_le(stats.boxes, costs[i].boxes);
    }
}
END_TEST

/* ---- Misuse ---- */

START_TEST(mistakes_of_the_caller_stop_the_program)
{
    const pqt_tree *tree = small_tree(4);
    pqt_cast cast = segment(0, 0, 1, 1), none = {.stats = NULL};
    switch (_i) {
    case 0:
        (void)pqt_tree_cast(NULL, &cast);
        break;
    case 1:
        (void)pqt_tree_cast(tree, &none);
        break;
    case 2:
        (void)pqt_tree_cast_all(NULL, &cast, NULL, 0);
        break;
    case 3:
        (void)pqt_tree_cast_all(tree, &cast, NULL, 1);
        break;
    case 4:
        (void)pqt_tree_cast_all(tree, &none, NULL, 0);
        break;
    case 5:
        (void)pqt_tree_visit_cast(NULL, &cast, note, NULL);
        break;
    case 6:
        (void)pqt_tree_visit_cast(tree, &cast, NULL, NULL);
        break;
    case 7:
        (void)pqt_tree_visit_cast(tree, &none, note, NULL);
        break;
    default:
        (void)pqt_cast_at_item(&none, dot(1, 1, 1));
        break;
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("ray");
    TCase *rules = add_tests(suite, "rules");
    tcase_add_test(rules, a_line_enters_by_one_side_and_leaves_by_another);
    tcase_add_test(rules, a_segment_ends_and_a_ray_does_not);
    tcase_add_test(rules, a_line_along_an_edge_hits);
    tcase_add_test(rules, a_line_that_passes_only_through_a_corner_hits);
    tcase_add_test(rules, a_line_that_begins_inside_hits_at_once);
    tcase_add_test(rules, a_line_of_zero_length_hits_boxes_that_contain_it);
    tcase_add_test(rules, a_line_that_is_not_finite_hits_nothing);
    tcase_add_test(rules, an_item_with_a_bad_box_is_not_hit);
    tcase_add_test(rules, an_entry_is_zero_only_inside);
    tcase_add_test(rules, entry_fractions_are_correct_at_any_scale);
    tcase_add_test(rules, the_box_of_a_line_up_to_a_fraction_ends_there);
    TCase *many = add_tests(suite, "many");
    tcase_add_test(many, hits_come_front_to_back);
    tcase_add_test(many, equal_entries_are_in_tree_order);
    tcase_add_test(many, the_first_in_tree_order_of_the_items_touched_at_the_start_is_hit);
    tcase_add_test(many, all_hits_are_counted_at_any_capacity);
    tcase_add_test(many, a_filter_decides_what_is_hit);
    tcase_add_test(many, a_visitor_gets_hits_until_it_stops);
    tcase_add_test(many, hits_whose_entries_are_infinite_are_all_visited);
    tcase_add_test(many, hits_outside_the_bounds_whose_times_overflow_are_all_visited);
    tcase_add_test(many, many_ties_are_visited_in_tree_order);
    tcase_add_test(many, casts_allocate_nothing);
    tcase_add_test(many, statistics_add_up_the_nodes_and_boxes_visited);
    tcase_add_misuse_tests(many, mistakes_of_the_caller_stop_the_program, 9);
    TCase *random = add_tests(suite, "random");
    tcase_add_test(random, hits_in_arenas_equal_those_of_a_plain_array);
    tcase_add_test(random, hits_in_the_collector_equal_those_of_a_plain_array);
    tcase_add_test(random, a_box_is_hit_by_its_corner_or_missed_as_in_whole_numbers);
    tcase_add_test(random, hits_among_cities_are_those_of_a_plain_array);
    TCase *costs = add_tests(suite, "costs");
    tcase_add_test(costs, the_first_hit_among_100000_items_costs_few_boxes);
    tcase_add_test(costs, all_hits_of_a_ray_cost_the_leaves_along_it);
    tcase_add_test(costs, all_hits_of_a_ray_through_large_boxes_are_found_in_one_search);
    tcase_add_test(costs, one_search_yields_up_to_2048_hits_of_large_boxes);
    tcase_add_test(costs, a_visitor_that_stops_early_costs_little);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
