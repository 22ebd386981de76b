/* SPDX-License-Identifier: MIT */
/*
 * test_identical_boxes.c: tests queries among 100,000 boxes, most of them identical, and counts
 * their costs.
 *
 * Only hashes distinguish identical boxes, and columns do not bound their distances. Even so, a
 * query must not test each box. The tests count the nodes that a query enters and the boxes that it
 * tests, and compare each answer with that of a plain loop.
 */
#include "config.h"

#include <float.h>

#include <pqt/cursor.h>
#include <pqt/nearest.h>
#include <pqt/pairs.h>
#include <pqt/ray.h>
#include <pqt/segment.h>
#include <pqt/sweep.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"

enum { COPIES = 100000, MOST_KINDS = 5, NEAR = 10, MANY_NEAR = 1000 };

/* The maximum cost of a query. A path has 24 cells and 7 levels of hash nodes, and ends in a leaf
   of 24 items. */
enum { MOST_STEPS = 100 };

/* A pile: copies of one box, and other boxes. */
typedef struct heap {
    const char *name;
    pqt_box boxes[MOST_KINDS]; /* queries look for the first one */
    size_t kinds;
    size_t others; /* the number of boxes that are not of the first kind */
    /* the number of paths of a query: one, plus one for each box that extends beyond the others */
    unsigned ways;
    /* one of the smallest cells contains many of each kind, so that each child has several kinds */
    bool mixed;
} heap;

static const heap heaps[] = {
    {"one box", {{{1234, 5678}, {1240, 5680}}}, 1, 0, 1, false},
    {"a point", {{{5000, 5000}, {5000, 5000}}}, 1, 0, 1, false},
    {"as large as the world", {{{0, 0}, {10000, 10000}}}, 1, 0, 1, false},
    {"outside the bounds", {{{20000, -3000}, {20002, -2999}}}, 1, 0, 1, false},
    {"three others on its centre",
     {{{1234, 5678}, {1240, 5680}},
      {{1234.5, 5678}, {1239.5, 5680}},
      {{1234.25, 5678.5}, {1239.75, 5679.5}},
      {{1234.5, 5678.5}, {1239.5, 5679.5}}},
     4,
     3,
     4,
     false},
    {"four side by side",
     {{{1234, 5678}, {1240, 5680}},
      {{1227, 5678}, {1233, 5680}},
      {{1234, 5670}, {1240, 5672}},
      {{1227, 5670}, {1233, 5672}}},
     4,
     75000,
     4,
     false},
    {"two on one centre",
     {{{1234, 5678}, {1240, 5680}}, {{1234.5, 5678.5}, {1239.5, 5679.5}}},
     2,
     50000,
     1,
     true},
    {"three side by side outside",
     {{{20000, -3000}, {20002, -2999}}, {{19997, -3000}, {19999, -2999}}, {{-4, 0}, {-3, 7}}},
     3,
     60000,
     3,
     false},
};

enum { HEAPS = sizeof heaps / sizeof *heaps };

/* A pile of identical boxes in a tree, with its items in tree order. */
typedef struct ground {
    const heap *of;
    const pqt_tree *tree;
    pqt_item *items;
    unsigned char *kinds; /* the kind of the box of each item */
    pqt_box box;          /* the box that queries look for */
    double side;          /* the width of the box, or 1 */
} ground;

static unsigned char
kind_of(const heap *of, pqt_item item)
{
    for (size_t kind = 0; kind < of->kinds; kind++)
        if (memcmp(&of->boxes[kind], &item.box, sizeof item.box) == 0)
            return (unsigned char)kind;
    ck_abort_msg("%s: a box of no kind", of->name);
    return 0;
}

static ground
ground_make(const heap *of)
{
    ground g = {of, NULL, calloc(COPIES, sizeof *g.items), calloc(COPIES, 1), of->boxes[0], 1};
    ck_assert(g.items != NULL && g.kinds != NULL);
    for (size_t i = 0; i < COPIES; i++) {
        size_t kind = i < of->others ? 1 + i % (of->kinds - 1) : 0;
        g.items[i] = boxed(of->boxes[kind], i * 7);
    }
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = arena;
    g.tree = pqt_tree_make(box(0, 0, 10000, 10000), &options, &error);
    g.tree = pqt_tree_insert_all(g.tree, g.items, COPIES, &error);
    must(g.tree, &error);
    ck_assert(pqt_tree_check(g.tree, &error));
    ck_assert_uint_eq(pqt_tree_collect(g.tree, (pqt_query[]){query_of_all()}, g.items, COPIES),
                      COPIES);
    for (size_t i = 0; i < COPIES; i++)
        g.kinds[i] = kind_of(of, g.items[i]);
    if (g.box.max.x > g.box.min.x)
        g.side = g.box.max.x - g.box.min.x;
    return g;
}

static void
ground_free(ground *g)
{
    free(g->items);
    free(g->kinds);
}

/* Returns the first item of a kind in tree order. */
static size_t
first_of(const ground *g, size_t kind)
{
    size_t rank = 0;
    while (g->kinds[rank] != kind)
        rank++;
    return rank;
}

/* Adds the cost of a query: the nodes that it entered and the boxes that it compared. */
static void
expect_few(const ground *g, const char *question, pqt_query_stats stats)
{
    uint64_t steps = stats.nodes + stats.boxes;
    if (steps >= (uint64_t)MOST_STEPS * g->of->ways)
        ck_abort_msg("%s: %s: %d nodes and %d boxes", g->of->name, question, (int)stats.nodes,
                     (int)stats.boxes);
}

/* ---- The nearest ---- */

typedef struct seen {
    double distance;
    size_t rank;
} seen;

/* Returns the nearest items. Those at the smallest distance come first, in tree order, then those
   at the next distance, and so on. */
static seen *
sort_all(const ground *g, pqt_box from)
{
    double distances[MOST_KINDS], last = -1;
    seen *all = calloc(COPIES, sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (size_t kind = 0; kind < g->of->kinds; kind++)
        distances[kind] = pqt_box_distance_to_box(g->of->boxes[kind], from);
    for (size_t count = 0; count < COPIES;) {
        double next = INFINITY;
        for (size_t kind = 0; kind < g->of->kinds; kind++)
            next = distances[kind] > last ? fmin(next, distances[kind]) : next;
        for (size_t i = 0; i < COPIES; i++)
            if (distances[g->kinds[i]] == next)
                all[count++] = (seen){next, i};
        last = next;
    }
    return all;
}

typedef struct expected_near {
    const seen *all;
    size_t count;
} expected_near;

static bool
expect_near(const pqt_near *near, void *context)
{
    expected_near *e = context;
    require(near->rank == e->all[e->count].rank, "another item is nearest");
    require(near->distance == e->all[e->count].distance, "it is at another distance");
    return ++e->count < MANY_NEAR;
}

static void
query_nearest(const ground *g, const char *question, pqt_box from)
{
    pqt_near found[NEAR];
    pqt_query_stats stats = {0, 0, 0};
    pqt_nearest_options options = PQT_NEAREST_DEFAULTS;
    options.stats = &stats;
    seen *all = sort_all(g, from);
    ck_assert_uint_eq(pqt_tree_nearest(g->tree, from, &options, found, NEAR), NEAR);
    expect_few(g, question, stats);
    for (size_t i = 0; i < NEAR; i++) {
        ck_assert_uint_eq(found[i].rank, all[i].rank);
        ck_assert(same_bits(found[i].item, g->items[all[i].rank]));
    }
    expected_near e = {all, 0};
    stats = (pqt_query_stats){0, 0, 0};
    (void)pqt_tree_visit_nearest(g->tree, from, &options, expect_near, &e);
    ck_assert_uint_eq(e.count, MANY_NEAR);
    ck_assert_uint_lt(stats.boxes, COPIES / 2); /* sixteen searches, each for the next items */
    options.max_distance = all[0].distance > 0 ? nextafter(all[0].distance, 0) : HUGE_VAL;
    stats = (pqt_query_stats){0, 0, 0};
    if (all[0].distance > 0)
        ck_assert_uint_eq(pqt_tree_nearest(g->tree, from, &options, found, NEAR), 0);
    expect_few(g, "too far", stats);
    free(all);
}

START_TEST(the_nearest_of_100000_copies_are_found_by_few_tests)
{
    ground g = ground_make(&heaps[_i]);
    pqt_vec max = g.box.max, min = g.box.min, middle = pqt_box_centre(g.box);
    query_nearest(&g, "nearest, on the right", point(max.x + 3 * g.side, middle.y));
    query_nearest(&g, "nearest, next to a corner", point(max.x + g.side, max.y + g.side / 3));
    query_nearest(&g, "nearest, far off", point(min.x - 1e5, min.y - 1e4));
    query_nearest(&g, "nearest, at a corner", point(max.x, min.y));
    query_nearest(&g, "nearest to a box", box(max.x + 1, min.y - 5, max.x + 2, min.y - 1));
    ground_free(&g);
}
END_TEST

/* ---- Rays ---- */

static void
cast_segment(const ground *g, const char *question, pqt_vec from, pqt_vec to)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_cast cast = pqt_cast_segment((pqt_segment){from, to});
    pqt_ray_hit best = {.hit = false};
    bool hit[MOST_KINDS];
    size_t hits = 0;
    for (size_t kind = 0; kind < g->of->kinds; kind++) {
        size_t first = first_of(g, kind);
        pqt_ray_hit one = pqt_cast_at_item(&cast, g->items[first]);
        one.rank = first;
        hit[kind] = one.hit;
        bool earlier = one.entry < best.entry || (one.entry == best.entry && first < best.rank);
        if (one.hit && (!best.hit || earlier))
            best = one;
    }
    for (size_t i = 0; i < COPIES; i++)
        hits += hit[g->kinds[i]];
    cast.stats = &stats;
    pqt_ray_hit found = pqt_tree_cast(g->tree, &cast);
    expect_few(g, question, stats);
    ck_assert(found.hit == best.hit);
    if (best.hit)
        ck_assert_uint_eq(found.rank, best.rank);
    stats = (pqt_query_stats){0, 0, 0};
    ck_assert_uint_eq(pqt_tree_cast_all(g->tree, &cast, NULL, 0), hits);
    if (hits == 0)
        expect_few(g, question, stats);
}

START_TEST(a_ray_at_100000_copies_hits_the_first_or_misses_them_all)
{
    ground g = ground_make(&heaps[_i]);
    pqt_vec max = g.box.max, middle = pqt_box_centre(g.box);
    const double hair = g.side * 0x1p-30;
    cast_segment(&g, "a ray from the right", (pqt_vec){max.x + 3 * g.side, middle.y},
                 (pqt_vec){max.x - 4 * g.side, middle.y});
    cast_segment(&g, "a ray from within", middle, (pqt_vec){max.x + g.side, max.y + g.side});
    cast_segment(&g, "a ray that ends before", (pqt_vec){max.x + g.side, middle.y},
                 (pqt_vec){max.x + hair, middle.y});
    cast_segment(&g, "a ray by the corner", (pqt_vec){max.x - g.side, max.y + g.side + hair},
                 (pqt_vec){max.x + g.side, max.y - g.side + hair});
    cast_segment(&g, "a ray along the side", (pqt_vec){max.x + hair, max.y + g.side},
                 (pqt_vec){max.x + hair, max.y - 3 * g.side});
    ground_free(&g);
}
END_TEST

/* ---- Sweeps ---- */

/* Sets the time at which a mover hits the first item, found by testing all items. */
static void
expect_first(const ground *g, pqt_mover mover, pqt_sweep found)
{
    double time = INFINITY;
    for (size_t kind = 0; kind < g->of->kinds; kind++) {
        pqt_mover item = pqt_mover_box(g->of->boxes[kind], (pqt_vec){0, 0}, (pqt_vec){0, 0});
        pqt_sweep one = pqt_sweep_pair(mover, item, NULL);
        if (one.status == PQT_SWEEP_HITS && one.time < time)
            time = one.time;
    }
    ck_assert((found.status == PQT_SWEEP_HITS) == (time < INFINITY));
    if (found.status == PQT_SWEEP_HITS)
        ck_assert(fabs(found.time - time) < 1e-9);
}

static void
sweep_mover(const ground *g, const char *question, pqt_mover mover)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_sweep_options options = PQT_SWEEP_DEFAULTS;
    options.stats = &stats;
    pqt_sweep found = pqt_tree_sweep(g->tree, mover, &options);
    /* Sweeps once and checks the stop. */
    stats.nodes /= 3;
    stats.boxes /= 3;
    /* In a mixed pile, only the items themselves show whether their times are equal. */
    if (!g->of->mixed)
        expect_few(g, question, stats);
    expect_first(g, mover, found);
}

START_TEST(a_sweep_at_100000_copies_hits_the_first_or_misses_them_all)
{
    ground g = ground_make(&heaps[_i]);
    pqt_vec max = g.box.max, min = g.box.min, middle = pqt_box_centre(g.box);
    const double hair = g.side * 0x1p-30;
    pqt_vec right = {max.x + 5 * g.side, middle.y}, left = {max.x - 5 * g.side, middle.y};
    pqt_box square = {{-g.side, -g.side}, {g.side, g.side}};
    sweep_mover(&g, "a box from the right", pqt_mover_box(square, right, left));
    sweep_mover(&g, "a circle from the right", pqt_mover_circle(g.side, right, left));
    sweep_mover(
        &g, "a circle at a corner",
        pqt_mover_circle(g.side, (pqt_vec){max.x + 4 * g.side, max.y + 4 * g.side}, middle));
    pqt_vec above = {right.x, min.y - g.side - hair}, beyond = {left.x, above.y};
    sweep_mover(&g, "a box that passes by", pqt_mover_box(square, above, beyond));
    sweep_mover(&g, "a circle that passes by", pqt_mover_circle(g.side, above, beyond));
    pqt_vec touching = {max.x + g.side, middle.y};
    sweep_mover(&g, "a box that ends touching", pqt_mover_box(square, right, touching));
    ground_free(&g);
}
END_TEST

/* ---- Windows ---- */

static size_t
count_with_cursor(const pqt_tree *tree, pqt_query query)
{
    pqt_cursor cursor;
    pqt_item item;
    size_t count = 0;
    pqt_cursor_open(&cursor, tree, &query);
    while (pqt_cursor_next(&cursor, &item))
        count++;
    return count;
}

static bool
take_all(const pqt_item *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

/* Compares the results of all functions for a window, and counts the boxes tested. */
static void
query_window(const ground *g, pqt_box window, pqt_relation relation)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = query_of(window, relation);
    size_t expected = 0;
    for (size_t i = 0; i < COPIES; i++)
        expected += pqt_box_relates(g->items[i].box, window, relation);
    query.stats = &stats;
    bool parted = g->of->mixed && expected > 0 && expected < COPIES;
    ck_assert_uint_eq(pqt_tree_count_in(g->tree, &query), expected);
    if (!parted)
        expect_few(g, "a count", stats);
    stats = (pqt_query_stats){0, 0, 0};
    ck_assert(pqt_tree_any(g->tree, &query, NULL) == (expected > 0));
    expect_few(g, "any", stats);
    stats = (pqt_query_stats){0, 0, 0};
    ck_assert_uint_eq(pqt_tree_collect_ids(g->tree, &query, NULL, 0), expected);
    ck_assert_uint_eq(count_with_cursor(g->tree, query), expected);
    if (!parted) /* items that are reported without a test do not count */
        ck_assert_uint_lt(stats.boxes, 2 * MOST_STEPS * g->of->ways);
    query.stats = NULL;
    query.filter = take_all;
    ck_assert_uint_eq(pqt_tree_count_in(g->tree, &query), expected);
}

static void
query_all_relations(const ground *g, pqt_box window)
{
    static const pqt_relation relations[] = {PQT_TOUCHES, PQT_OVERLAPS, PQT_INSIDE, PQT_COVERS};
    for (size_t i = 0; i < 4; i++)
        query_window(g, window, relations[i]);
}

START_TEST(a_window_finds_all_of_100000_copies_or_none_by_few_tests)
{
    ground g = ground_make(&heaps[_i]);
    pqt_vec max = g.box.max, min = g.box.min, middle = pqt_box_centre(g.box);
    const double hair = g.side * 0x1p-30;
    query_all_relations(&g, g.box);
    query_all_relations(&g, pqt_box_grown(g.box, hair));
    query_all_relations(&g, box(max.x, min.y, max.x + g.side, max.y));
    query_all_relations(&g, box(max.x + hair, min.y, max.x + g.side, max.y));
    query_all_relations(&g, box(min.x, max.y, middle.x, max.y + g.side));
    query_all_relations(&g, box(middle.x, middle.y, middle.x + hair, middle.y + hair));
    query_all_relations(&g, box(min.x - g.side, -INFINITY, min.x - hair, INFINITY));
    ground_free(&g);
}
END_TEST

/* Counts the new nodes of a search, and those that it shares. */
START_TEST(a_search_for_100000_copies_shares_their_nodes)
{
    ground g = ground_make(&heaps[_i]);
    const pqt_query query = query_of(g.box, PQT_COVERS);
    pqt_error error = {0};
    hooks watch = {0};
    hooks_start(&watch);
    const pqt_tree *found = pqt_tree_search(g.tree, &query, &error);
    hooks_stop();
    must(found, &error);
    ck_assert_uint_eq(pqt_tree_count(found), pqt_tree_count_in(g.tree, &query));
    ck_assert(pqt_tree_check(found, &error));
    fprintf(stderr, "# %s: a search keeps %zu bytes\n", g.of->name, hooks_kept_bytes(&watch));
    if (g.of->others < 10)
        ck_assert_uint_lt(hooks_kept_bytes(&watch), 30000);
    ground_free(&g);
}
END_TEST

/* ---- Pairs ---- */

static const pqt_tree *
tree_of_copies(pqt_box of)
{
    pqt_item *items = calloc(COPIES, sizeof *items);
    ck_assert_ptr_nonnull(items);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = arena;
    for (size_t i = 0; i < COPIES; i++)
        items[i] = boxed(of, i * 7);
    const pqt_tree *tree = pqt_tree_make(box(0, 0, 10000, 10000), &options, &error);
    tree = pqt_tree_insert_all(tree, items, COPIES, &error);
    must(tree, &error);
    free(items);
    return tree;
}

/* Finds no pairs. Comparing all items with each other would take minutes. */
static void
expect_no_pairs(const pqt_tree *tree, const pqt_tree *other, pqt_relation relation, pqt_vec offset)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_pair_query query = {relation, offset, NULL, NULL, &stats, {0}};
    ck_assert_uint_eq(pqt_pairs_count(tree, other, &query), 0);
    ck_assert_uint_lt(stats.nodes + stats.boxes, MOST_STEPS);
}

START_TEST(pairs_of_100000_copies_that_do_not_touch_take_few_steps)
{
    const double hair = 0x1p-30;
    const pqt_vec still = {0, 0};
    const pqt_tree *points = tree_of_copies(point(4000, 4000));
    const pqt_tree *boxes = tree_of_copies(box(1234, 5678, 1240, 5680));
    const pqt_tree *beside = tree_of_copies(box(1240 + hair, 5678, 1250, 5680));
    const pqt_tree *outside = tree_of_copies(box(20000, 5678, 20001, 5680));
    expect_no_pairs(points, NULL, PQT_OVERLAPS, still);
    expect_no_pairs(boxes, beside, PQT_TOUCHES, still);
    expect_no_pairs(beside, boxes, PQT_TOUCHES, still);
    expect_no_pairs(boxes, boxes, PQT_OVERLAPS, (pqt_vec){6, 0});
    expect_no_pairs(boxes, boxes, PQT_TOUCHES, (pqt_vec){0, 2 + hair});
    expect_no_pairs(boxes, outside, PQT_COVERS, (pqt_vec){1240 - 20000, 0});
    expect_no_pairs(outside, outside, PQT_TOUCHES, (pqt_vec){1 + 0x1p-20, 0});
}
END_TEST

/* ---- Edits ---- */

/* Boxes of a few kinds have the same centre, so that side ranges shrink and grow. With a capacity
   of 1, hash nodes occur immediately. */
START_TEST(edits_among_copies_keep_every_node_correct)
{
    dice d = {test_seed("edits_among_copies")};
    pqt_tree_options options = options_of(1 + _i, _i);
    pqt_error error = {0};
    pqt_item there[64];
    size_t count = 0;
    const pqt_tree *tree = made(world_box, options);
    for (int i = 0; i < 600; i++) {
        bool comes = count < 64 && (count == 0 || dice_chance(&d, 55));
        size_t which = comes ? count : dice_below(&d, count);
        double half = (double)(1 + dice_below(&d, 3)) / 64;
        if (comes)
            there[count] = boxed(box(3 - half, 3 - half, 3 + half, 3 + half), dice_next(&d));
        tree = comes ? pqt_tree_insert(tree, there[which], &error)
                     : pqt_tree_remove(tree, there[which], &error);
        must(tree, &error);
        count = comes ? count + 1 : count - 1;
        there[which] = there[comes ? which : count];
        ck_assert_msg(pqt_tree_check(tree, &error), "%s", error.text);
        ck_assert_uint_eq(pqt_tree_count(tree), count);
    }
    const pqt_tree *anew = pqt_tree_insert_all(made(world_box, options), there, count, &error);
    must(anew, &error);
    ck_assert(pqt_tree_equals(tree, anew));
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("identical");
    TCase *asked = add_tests(suite, "asked");
    TCase *paired = add_tests(suite, "paired");
    TCase *edited = add_tests(suite, "edited");
    tcase_add_loop_test(asked, the_nearest_of_100000_copies_are_found_by_few_tests, 0, HEAPS);
    tcase_add_loop_test(asked, a_ray_at_100000_copies_hits_the_first_or_misses_them_all, 0, HEAPS);
    tcase_add_loop_test(asked, a_sweep_at_100000_copies_hits_the_first_or_misses_them_all, 0,
                        HEAPS);
    tcase_add_loop_test(asked, a_window_finds_all_of_100000_copies_or_none_by_few_tests, 0, HEAPS);
    tcase_add_loop_test(asked, a_search_for_100000_copies_shares_their_nodes, 0, HEAPS);
    tcase_add_test(paired, pairs_of_100000_copies_that_do_not_touch_take_few_steps);
    tcase_add_loop_test(edited, edits_among_copies_keep_every_node_correct, 0, 4);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
