/* SPDX-License-Identifier: MIT */
/* test_query.c: tests queries: visits, runs of ids, any, count, collect, filters and statistics. */
#include "config.h"

#include <float.h>

#include <pqt/cursor.h>
#include <pqt/limits.h>
#include <pqt/tree.h>

#include "hooks.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

/* Makes items for every kind of block: leaves, nodes, own items, outliers, and items with equal
   hashes, which fill a leaf at the last level. */
static size_t
items_of_all_places(pqt_item *items)
{
    size_t count = 0;
    for (size_t i = 0; i < 64; i++)
        items[count++] = dot_of_grid(8, i);
    for (size_t i = 0; i < 12; i++)
        items[count++] = twin(i);
    for (uint64_t i = 0; i < 9; i++) {
        items[count++] = dot(20 + (double)i, -3, 200 + i);
        items[count++] = boxed(box(3, (double)i, 12, (double)i + 1), 300 + i);
        items[count++] = boxed(box(8, 8, 8, 8 + (double)i), 400 + i);
    }
    return count;
}

static const pqt_tree *
tree_of_all_places(int capacity, int depth)
{
    pqt_item items[150];
    size_t count = items_of_all_places(items);
    return with_items(made(world_box, options_of(capacity, depth)), items, count);
}

/* ---- Visiting ---- */

START_TEST(visit_yields_each_match_once)
{
    pqt_item items[150];
    size_t count = items_of_all_places(items);
    for (int capacity = 1; capacity <= 32; capacity *= 2) {
        const found_list *list = found_by(tree_of_all_places(capacity, 24), query_of_all());
        ck_assert_uint_eq(list->count, count);
        for (size_t i = 0; i < count; i++) {
            size_t times = 0;
            for (size_t j = 0; j < count; j++)
                times += same_bits(items[i], list->items[j]);
            ck_assert_uint_eq(times, 1);
        }
    }
}
END_TEST

START_TEST(items_are_visited_along_the_z_curve)
{
    static const uint64_t order[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    for (int capacity = 1; capacity <= 16; capacity++)
        expect_ids(with_grid(small_tree(capacity), 4), query_of_all(), order, 16);
}
END_TEST

START_TEST(larger_items_are_visited_before_those_in_the_quadrants)
{
    pqt_item items[] = {
        dot(1, 1, 8),
        dot(15, 15, 9),
        boxed(box(0, 0, 5, 5), 7),     /* level 2, in the top left */
        boxed(box(-1, -1, 9, 9), 6),   /* level 1, in the top left */
        boxed(box(0, 0, 16, 16), 10),  /* level 1, in the bottom right */
        boxed(box(-1, -1, 17, 17), 5), /* larger than the bounds */
    };
    static const uint64_t order[] = {5, 6, 7, 8, 10, 9};
    for (int capacity = 1; capacity <= 6; capacity++)
        expect_ids(with_items(small_tree(capacity), items, 6), query_of_all(), order, 6);
}
END_TEST

/* The order of visits depends only on the items, the bounds and the maximal depth. */
START_TEST(the_order_of_visits_is_the_same_for_each_history_and_capacity)
{
    pqt_item items[150];
    size_t count = items_of_all_places(items);
    const found_list *list = found_by(tree_of_all_places(1, 24), query_of_all());
    uint64_t ids[150];
    for (size_t i = 0; i < count; i++)
        ids[i] = list->items[i].id;
    static const int capacities[] = {1, 2, 7, 24, PQT_MAX_CAPACITY};
    for (size_t c = 0; c < 5; c++) {
        const pqt_tree *backwards = small_tree(capacities[c]), *strided = small_tree(capacities[c]);
        for (size_t i = count; i-- > 0;)
            backwards = inserted(backwards, items[i]);
        for (size_t i = 0; i < count; i++) {
            strided = inserted(strided, items[i * 31 % count]);
            strided = inserted(strided, items[i]);
        }
        expect_ids(tree_of_all_places(capacities[c], 24), query_of_all(), ids, count);
        expect_ids(backwards, query_of_all(), ids, count);
        expect_ids(strided, query_of_all(), ids, count);
    }
}
END_TEST

START_TEST(a_window_keeps_the_order)
{
    const pqt_tree *tree = tree_of_all_places(2, 24);
    const pqt_query query = query_of(box(2, 3, 9, 12), PQT_TOUCHES);
    found_list all = *found_by(tree, query_of_all());
    const found_list *some = found_by(tree, query);
    size_t next = 0;
    for (size_t i = 0; i < all.count; i++)
        if (pqt_box_touches(all.items[i].box, query.window))
            ck_assert(same_bits(some->items[next++], all.items[i]));
    ck_assert_uint_eq(next, some->count);
    ck_assert_uint_gt(next, 10);
}
END_TEST

START_TEST(an_empty_version_is_visited_to_its_end)
{
    pqt_item item = dot(1, 2, 3);
    uint64_t id = 4;
    const pqt_tree *trees[] = {small_tree(2), pqt_tree_clear(with_grid(small_tree(2), 4), NULL)};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(found_by(trees[i], query_of_all())->count, 0);
        ck_assert_uint_eq(pqt_tree_count_in(trees[i], (pqt_query[]){query_of_all()}), 0);
        ck_assert(!pqt_tree_any(trees[i], (pqt_query[]){query_of_all()}, &item));
        ck_assert_uint_eq(pqt_tree_collect(trees[i], (pqt_query[]){query_of_all()}, &item, 1), 0);
        ck_assert_uint_eq(pqt_tree_collect_ids(trees[i], (pqt_query[]){query_of_all()}, &id, 1), 0);
    }
    ck_assert(same_bits(item, dot(1, 2, 3)) && id == 4);
}
END_TEST

/* ---- Stopping ---- */

typedef struct stopper {
    size_t at, calls, ids;
} stopper;

static bool
stop_at_item(const pqt_item *item, void *context)
{
    stopper *s = context;
    (void)item;
    return ++s->calls != s->at;
}

static bool
stop_at_run(const uint64_t *ids, size_t count, void *context)
{
    stopper *s = context;
    ck_assert_ptr_nonnull(ids);
    ck_assert_uint_gt(count, 0);
    s->ids += count;
    return ++s->calls != s->at;
}

static bool
let_pass(const pqt_item *item, void *context)
{
    (void)item;
    (void)context;
    return true;
}

START_TEST(a_visitor_that_returns_false_is_not_called_again)
{
    const pqt_query queries[] = {
        query_of_all(),
        query_of(box(1, 1, 15, 15), PQT_INSIDE),
        query_of(box(-99, -99, 99, 99), PQT_OVERLAPS),
        {.window = whole_plane, .relation = PQT_TOUCHES, .filter = let_pass}};
    for (int capacity = 1; capacity < 300; capacity *= 4) {
        const pqt_tree *tree = tree_of_all_places(capacity, 24);
        for (size_t q = 0; q < 4; q++) {
            size_t count = pqt_tree_count_in(tree, &queries[q]);
            for (size_t at = 1; at <= count; at++) {
                stopper s = {.at = at};
                ck_assert(!pqt_tree_visit(tree, &queries[q], stop_at_item, &s));
                ck_assert_uint_eq(s.calls, at);
            }
            stopper s = {.at = count + 1};
            ck_assert(pqt_tree_visit(tree, &queries[q], stop_at_item, &s));
            ck_assert_uint_eq(s.calls, count);
        }
    }
}
END_TEST

START_TEST(a_visitor_of_runs_that_returns_false_is_not_called_again)
{
    const pqt_query queries[] = {
        query_of_all(),
        query_of(box(0, 0, 9, 16), PQT_TOUCHES),
        {.window = box(0, 0, 9, 16), .relation = PQT_TOUCHES, .filter = let_pass}};
    for (int capacity = 1; capacity < 300; capacity *= 4) {
        const pqt_tree *tree = tree_of_all_places(capacity, 24);
        for (size_t q = 0; q < 3; q++) {
            stopper whole = {.at = 0};
            ck_assert(pqt_tree_visit_ids(tree, &queries[q], stop_at_run, &whole));
            ck_assert_uint_eq(whole.ids, pqt_tree_count_in(tree, &queries[q]));
            for (size_t at = 1; at <= whole.calls; at++) {
                stopper s = {.at = at};
                ck_assert(!pqt_tree_visit_ids(tree, &queries[q], stop_at_run, &s));
                ck_assert_uint_eq(s.calls, at);
            }
        }
    }
}
END_TEST

/* ---- Runs of ids ---- */

typedef struct id_list {
    uint64_t ids[MOST_FOUND];
    const uint64_t *runs[MOST_FOUND];
    size_t count, run_count;
} id_list;

static bool
list_run(const uint64_t *ids, size_t count, void *context)
{
    id_list *list = context;
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_le(list->count + count, MOST_FOUND);
    memcpy(list->ids + list->count, ids, count * sizeof *ids);
    list->count += count;
    list->runs[list->run_count++] = ids;
    return true;
}

static bool
is_odd(const pqt_item *item, void *context)
{
    (void)context;
    return item->id % 2 == 1;
}

START_TEST(runs_contain_the_ids_that_a_visit_yields)
{
    static id_list list;
    const pqt_box windows[] = {whole_plane, box(0, 0, 9, 16),      box(3, 3, 4, 4),
                               point(8, 8), box(-50, -50, -1, -1), box(2.5, 0, 100, 7)};
    for (int capacity = 1; capacity < 2000; capacity *= 5) {
        int used = capacity > PQT_MAX_CAPACITY ? PQT_MAX_CAPACITY : capacity;
        const pqt_tree *tree = tree_of_all_places(used, 24);
        for (size_t w = 0; w < 6; w++) {
            for (int relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
                pqt_query query = query_of(windows[w], (pqt_relation)relation);
                query.filter = capacity % 2 == 0 ? is_odd : NULL;
                list.count = list.run_count = 0;
                ck_assert(pqt_tree_visit_ids(tree, &query, list_run, &list));
                expect_ids(tree, query, list.ids, list.count);
            }
        }
    }
}
END_TEST

/* A leaf in which only some items match is reported in several runs. */
START_TEST(a_large_leaf_that_matches_in_part_yields_several_runs)
{
    static id_list list;
    pqt_tree_options options = options_of(PQT_MAX_CAPACITY, 24);
    const pqt_tree *tree = with_grid(made(world_box, options), 32);
    ck_assert(tree->leaf);
    for (double edge = 0; edge <= 16; edge += 0.5) {
        pqt_query query = query_of(box(0, 0, edge, 16), PQT_TOUCHES);
        list.count = list.run_count = 0;
        ck_assert(pqt_tree_visit_ids(tree, &query, list_run, &list));
        ck_assert_uint_eq(list.count, (size_t)(edge * 2) * 32);
        expect_ids(tree, query, list.ids, list.count);
    }
}
END_TEST

/* A run contains ids from many leaves: several hundred ids, if there are enough. */
START_TEST(small_leaves_are_combined_into_one_run)
{
    static id_list list;
    pqt_query_stats stats = {0, 0, 0};
    const pqt_tree *tree = with_grid(small_tree(4), 32);
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .stats = &stats};
    list.count = list.run_count = 0;
    ck_assert(pqt_tree_visit_ids(tree, &query, list_run, &list));
    ck_assert_uint_eq(stats.boxes, 0);
    ck_assert_uint_eq(stats.leaves, pqt_tree_get_stats(tree).leaves);
    ck_assert_uint_lt(list.run_count * 10, stats.leaves);
    expect_ids(tree, query, list.ids, list.count);
}
END_TEST

/* The items of leaves inside the window are not tested. If such a leaf is large, its ids are not
   copied. */
START_TEST(large_leaves_inside_are_passed_without_a_copy)
{
    static id_list list, again;
    pqt_query_stats stats = {0, 0, 0};
    const pqt_tree *tree = with_grid(small_tree(256), 32);
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .stats = &stats};
    list.count = list.run_count = again.count = again.run_count = 0;
    ck_assert(pqt_tree_visit_ids(tree, &query, list_run, &list));
    ck_assert(pqt_tree_visit_ids(tree, &query, list_run, &again));
    ck_assert_uint_eq(list.run_count, 4);
    ck_assert_uint_eq(stats.leaves, 8);
    ck_assert_uint_eq(stats.boxes, 0);
    for (size_t i = 0; i < 4; i++)
        ck_assert_ptr_eq(list.runs[i], again.runs[i]);
    expect_ids(tree, query, list.ids, list.count);
}
END_TEST

/* ---- Columns ---- */

typedef struct column_list {
    pqt_item items[MOST_FOUND];
    const double *blocks[MOST_FOUND];
    size_t count, calls, at; /* stops at this call; 0: never */
} column_list;

static bool
list_columns(const pqt_item_columns *columns, void *context)
{
    column_list *list = context;
    ck_assert_uint_gt(columns->count, 0);
    ck_assert_uint_le(list->count + columns->count, MOST_FOUND);
    for (size_t i = 0; i < columns->count; i++)
        list->items[list->count++] = (pqt_item){
            {{columns->min_x[i], columns->min_y[i]}, {columns->max_x[i], columns->max_y[i]}},
            columns->ids[i]};
    list->blocks[list->calls++] = columns->min_x;
    return list->calls != list->at;
}

static bool
let_pass_columns(const pqt_item_columns *columns, void *context)
{
    (void)columns;
    (void)context;
    return true;
}

START_TEST(columns_contain_the_items_that_a_visit_yields)
{
    static column_list list;
    const pqt_box windows[] = {whole_plane, box(0, 0, 9, 16),      box(3, 3, 4, 4),
                               point(8, 8), box(-50, -50, -1, -1), box(2.5, 0, 100, 7)};
    for (int capacity = 1; capacity < 2000; capacity *= 5) {
        int used = capacity > PQT_MAX_CAPACITY ? PQT_MAX_CAPACITY : capacity;
        const pqt_tree *tree = tree_of_all_places(used, 24);
        for (size_t w = 0; w < 6; w++) {
            for (int relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
                pqt_query query = query_of(windows[w], (pqt_relation)relation);
                query.filter = capacity % 2 == 0 ? is_odd : NULL;
                list.count = list.calls = list.at = 0;
                ck_assert(pqt_tree_visit_columns(tree, &query, list_columns, &list));
                const found_list *found = found_by(tree, query);
                ck_assert_uint_eq(list.count, found->count);
                for (size_t i = 0; i < list.count; i++)
                    ck_assert(same_bits(list.items[i], found->items[i]));
            }
        }
    }
}
END_TEST

START_TEST(a_visitor_of_columns_that_returns_false_is_not_called_again)
{
    static column_list list;
    const pqt_box windows[] = {whole_plane, box(0, 0, 9, 16)};
    for (int capacity = 1; capacity < 300; capacity *= 4) {
        const pqt_tree *tree = tree_of_all_places(capacity, 24);
        for (size_t w = 0; w < 2; w++) {
            const pqt_query query = query_of(windows[w], PQT_TOUCHES);
            list.count = list.calls = list.at = 0;
            ck_assert(pqt_tree_visit_columns(tree, &query, list_columns, &list));
            for (size_t at = 1, calls = list.calls; at <= calls; at++) {
                list.count = list.calls = 0;
                list.at = at;
                ck_assert(!pqt_tree_visit_columns(tree, &query, list_columns, &list));
                ck_assert_uint_eq(list.calls, at);
            }
        }
    }
}
END_TEST

START_TEST(columns_that_are_copied_are_at_most_64_at_a_time)
{
    static column_list list;
    const pqt_tree *tree = with_grid(made(world_box, options_of(PQT_MAX_CAPACITY, 24)), 32);
    ck_assert(tree->leaf);
    for (double edge = 0; edge <= 16; edge += 4) {
        const pqt_query query = query_of(box(0, 0, edge, 16), PQT_TOUCHES);
        list.count = list.calls = list.at = 0;
        ck_assert(pqt_tree_visit_columns(tree, &query, list_columns, &list));
        ck_assert_uint_eq(list.count, pqt_tree_count_in(tree, &query));
        ck_assert_uint_eq(list.calls > 0, list.count > 0);
        ck_assert_uint_ge(64 * list.calls, list.count);
    }
}
END_TEST

/* Leaves inside the window are passed one by one, each from its own block. */
START_TEST(columns_of_leaves_inside_are_not_copied)
{
    static column_list list;
    pqt_query_stats stats = {0, 0, 0};
    const pqt_tree *tree = with_grid(small_tree(4), 32);
    pqt_query query = {.window = whole_plane, .relation = PQT_TOUCHES, .stats = &stats};
    list.count = list.calls = list.at = 0;
    ck_assert(pqt_tree_visit_columns(tree, &query, list_columns, &list));
    ck_assert_uint_eq(stats.boxes, 0);
    ck_assert_uint_eq(list.calls, stats.leaves);
    for (size_t i = 0; i < list.calls; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_ptr_ne(list.blocks[i], list.blocks[j]);
}
END_TEST

/* ---- Any ---- */

START_TEST(any_returns_the_first_item_in_tree_order)
{
    const pqt_tree *tree = tree_of_all_places(2, 24);
    const pqt_box windows[] = {whole_plane, box(9, 9, 12, 12), point(3, 3), box(19, -4, 40, 0)};
    for (size_t i = 0; i < 4; i++) {
        pqt_item found;
        pqt_query query = query_of(windows[i], PQT_TOUCHES);
        ck_assert(pqt_tree_any(tree, &query, &found));
        ck_assert(same_bits(found, found_by(tree, query)->items[0]));
        ck_assert(pqt_tree_any(tree, &query, NULL));
        query.filter = is_odd;
        ck_assert(pqt_tree_any(tree, &query, &found) && found.id % 2 == 1);
        ck_assert(same_bits(found, found_by(tree, query)->items[0]));
    }
}
END_TEST

START_TEST(any_does_not_write_the_item_if_it_finds_none)
{
    pqt_item found = dot(1, 2, 3);
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    ck_assert(!pqt_tree_any(tree, (pqt_query[]){query_of(point(2, 2), PQT_TOUCHES)}, &found));
    ck_assert(!pqt_tree_any(tree, (pqt_query[]){query_of(point(2, 2), PQT_TOUCHES)}, NULL));
    ck_assert(same_bits(found, dot(1, 2, 3)));
}
END_TEST

/* ---- Collecting ---- */

START_TEST(collect_returns_the_number_of_all_matches_and_writes_those_that_fit)
{
    enum { MOST = 200 };
    const pqt_tree *tree = tree_of_all_places(2, 24);
    pqt_query query = query_of(box(0, 0, 12, 12), PQT_TOUCHES);
    found_list all = *found_by(tree, query);
    ck_assert_uint_lt(all.count, MOST);
    for (size_t capacity = 0; capacity <= all.count + 1; capacity++) {
        pqt_item items[MOST];
        uint64_t ids[MOST];
        for (size_t i = 0; i < MOST; i++) {
            items[i] = dot(-1, -1, 12345);
            ids[i] = 12345;
        }
        ck_assert_uint_eq(pqt_tree_collect(tree, &query, items, capacity), all.count);
        ck_assert_uint_eq(pqt_tree_collect_ids(tree, &query, ids, capacity), all.count);
        for (size_t i = 0; i < MOST; i++) {
            bool written = i < capacity && i < all.count;
            ck_assert(same_bits(items[i], written ? all.items[i] : dot(-1, -1, 12345)));
            ck_assert_uint_eq(ids[i], written ? all.items[i].id : 12345);
        }
    }
}
END_TEST

START_TEST(collecting_with_capacity_0_counts)
{
    const pqt_tree *tree = with_grid(small_tree(2), 8);
    ck_assert_uint_eq(pqt_tree_collect(tree, (pqt_query[]){query_of_all()}, NULL, 0), 64);
    ck_assert_uint_eq(pqt_tree_collect_ids(tree, (pqt_query[]){query_of_all()}, NULL, 0), 64);
}
END_TEST

START_TEST(the_query_for_all_misses_nothing)
{
    const pqt_tree *tree = tree_of_all_places(2, 24);
    const pqt_item ends[] = {boxed(point(-DBL_MAX, DBL_MAX), 1), boxed(point(DBL_MAX, -DBL_MAX), 2),
                             boxed(box(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX), 3)};
    size_t count = pqt_tree_count(tree);
    tree = with_items(tree, ends, 3);
    ck_assert_uint_eq(pqt_tree_count_in(tree, NULL), count + 3);
    ck_assert_uint_eq(found_by(tree, pqt_query_all())->count, count + 3);
    ck_assert_ptr_eq(pqt_tree_search(tree, NULL, NULL), tree);
    ck_assert(pqt_query_all().filter == NULL && pqt_query_all().stats == NULL);
}
END_TEST

/* ---- Filters ---- */

typedef struct watched_filter {
    size_t calls;
    pqt_query query;
    uint64_t below; /* ids below this number pass */
} watched_filter;

static bool
is_below(const pqt_item *item, void *context)
{
    watched_filter *f = context;
    f->calls++;
    require(pqt_box_relates(item->box, f->query.window, f->query.relation),
            "the filter is called for an item outside the window");
    return item->id < f->below;
}

/* The filter is called once for each item that satisfies the relation, and not for others. */
START_TEST(a_filter_applies_to_every_form_of_query)
{
    static const uint64_t passing[] = {0, 1, 30, 205, UINT64_MAX};
    const pqt_tree *tree = tree_of_all_places(2, 24);
    for (size_t i = 0; i < 5; i++) {
        for (int relation = PQT_TOUCHES; relation <= PQT_INSIDE; relation++) {
            watched_filter f = {.below = passing[i]};
            uint64_t ids[150];
            pqt_item item;
            pqt_query query = query_of(box(2, 2, 11, 30), (pqt_relation)relation);
            size_t candidates = pqt_tree_count_in(tree, &query), expected = 0;
            const found_list *list = found_by(tree, query);
            for (size_t j = 0; j < list->count; j++)
                if (list->items[j].id < passing[i])
                    ids[expected++] = list->items[j].id;
            f.query = query;
            query.filter = is_below;
            query.context = &f;
            expect_ids(tree, query, ids, expected);
            ck_assert_uint_eq(f.calls, candidates);
            ck_assert_uint_eq(pqt_tree_count_in(tree, &query), expected);
            ck_assert_uint_eq(f.calls, 2 * candidates);
            ck_assert_uint_eq(pqt_tree_collect(tree, &query, NULL, 0), expected);
            ck_assert_uint_eq(pqt_tree_collect_ids(tree, &query, NULL, 0), expected);
            ck_assert_uint_eq(f.calls, 4 * candidates);
            ck_assert(pqt_tree_any(tree, &query, &item) == (expected > 0));
            ck_assert(expected == 0 || item.id == ids[0]);
        }
    }
}
END_TEST

/* ---- Statistics ---- */

static pqt_query_stats
query_stats_of(const pqt_tree *tree, pqt_query query, size_t *count)
{
    pqt_query_stats stats = {0, 0, 0};
    query.stats = &stats;
    *count = pqt_tree_count_in(tree, &query);
    return stats;
}

START_TEST(a_count_does_not_enter_subtrees_inside_the_window)
{
    size_t count;
    const pqt_tree *tree = with_grid(small_tree(4), 64);
    pqt_query_stats stats = query_stats_of(tree, query_of_all(), &count);
    ck_assert_uint_eq(count, 4096);
    ck_assert_uint_eq(stats.nodes, 1);
    ck_assert_uint_eq(stats.leaves, 0);
    ck_assert_uint_eq(stats.boxes, 0);
    stats = query_stats_of(tree, query_of(box(3.3, 3.3, 12.7, 12.7), PQT_TOUCHES), &count);
    ck_assert_uint_gt(count, 1300);
    ck_assert_uint_lt(stats.nodes + stats.leaves, 500);
    ck_assert_uint_lt(stats.boxes, count / 2);
}
END_TEST

START_TEST(statistics_count_nodes_entered_and_boxes_tested)
{
    size_t count;
    /* a root, and four leaves with one item each */
    const pqt_tree *tree = with_grid(small_tree(1), 2);
    pqt_query_stats stats = query_stats_of(tree, query_of(box(0, 0, 5, 5), PQT_TOUCHES), &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(stats.nodes, 1);
    /* the columns of its only item do not meet those of the window */
    ck_assert_uint_eq(stats.leaves, 0);
    stats = query_stats_of(tree, query_of(point(4, 4), PQT_TOUCHES), &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(stats.leaves, 1);
    ck_assert_uint_eq(stats.boxes, 1);
    stats = query_stats_of(tree, query_of(box(5, 5, 6, 6), PQT_TOUCHES), &count);
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_eq(stats.nodes, 1);
    ck_assert_uint_eq(stats.leaves + stats.boxes, 0);
    stats = query_stats_of(inserted(small_tree(9), dot(1, 1, 1)),
                           query_of(point(2, 2), PQT_TOUCHES), &count);
    ck_assert_uint_eq(stats.nodes, 0);
    ck_assert_uint_eq(stats.leaves, 1);
    ck_assert_uint_eq(stats.boxes, 1);
}
END_TEST

START_TEST(statistics_are_added_up)
{
    pqt_query_stats stats = {100, 200, 300};
    pqt_query query = query_of(point(4, 4), PQT_TOUCHES);
    const pqt_tree *tree = with_grid(small_tree(1), 2);
    query.stats = &stats;
    ck_assert_uint_eq(found_by(tree, query)->count, 1);
    ck_assert_uint_eq(stats.nodes, 101);
    ck_assert_uint_eq(stats.leaves, 201);
    ck_assert_uint_eq(stats.boxes, 301);
}
END_TEST

START_TEST(a_stopped_visit_does_not_continue)
{
    pqt_query_stats stats = {0, 0, 0};
    pqt_query query = query_of_all();
    stopper s = {.at = 1};
    query.stats = &stats;
    ck_assert(!pqt_tree_visit(with_grid(small_tree(1), 64), &query, stop_at_item, &s));
    ck_assert_uint_eq(stats.leaves, 1);
    ck_assert_uint_lt(stats.nodes, 10);
}
END_TEST

/* ---- Reading never allocates; misuse ---- */

START_TEST(reading_allocates_nothing)
{
    pqt_item items[10];
    uint64_t ids[10];
    stopper s = {.at = 0};
    const pqt_tree *tree = tree_of_all_places(2, 24);
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    for (int relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
        pqt_query query = query_of(box(1, 1, 9, 9), (pqt_relation)relation);
        pqt_tree_visit(tree, &query, stop_at_item, &s);
        pqt_tree_visit_ids(tree, &query, stop_at_run, &s);
        pqt_tree_visit_columns(tree, &query, let_pass_columns, NULL);
        pqt_tree_any(tree, &query, items);
        pqt_tree_count_in(tree, &query);
        pqt_tree_collect(tree, &query, items, 10);
        pqt_tree_collect_ids(tree, &query, ids, 10);
    }
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
}
END_TEST

static void
visit_null(void)
{
    pqt_tree_visit(NULL, (pqt_query[]){query_of_all()}, let_pass, NULL);
}

static void
visit_by_nobody(void)
{
    pqt_tree_visit(small_tree(2), (pqt_query[]){query_of_all()}, NULL, NULL);
}

static void
visit_ids_of_null(void)
{
    pqt_tree_visit_ids(NULL, (pqt_query[]){query_of_all()}, stop_at_run, NULL);
}

static void
visit_ids_by_nobody(void)
{
    pqt_tree_visit_ids(small_tree(2), (pqt_query[]){query_of_all()}, NULL, NULL);
}

static void
visit_columns_of_null(void)
{
    pqt_tree_visit_columns(NULL, (pqt_query[]){query_of_all()}, let_pass_columns, NULL);
}

static void
visit_columns_by_nobody(void)
{
    pqt_tree_visit_columns(small_tree(2), (pqt_query[]){query_of_all()}, NULL, NULL);
}

static void
any_of_null(void)
{
    pqt_tree_any(NULL, (pqt_query[]){query_of_all()}, NULL);
}

static void
count_null(void)
{
    pqt_tree_count_in(NULL, (pqt_query[]){query_of_all()});
}

static void
collect_null(void)
{
    pqt_tree_collect(NULL, (pqt_query[]){query_of_all()}, NULL, 0);
}

static void
collect_ids_of_null(void)
{
    pqt_tree_collect_ids(NULL, (pqt_query[]){query_of_all()}, NULL, 0);
}

static void
collect_into_null(void)
{
    pqt_tree_collect(small_tree(2), (pqt_query[]){query_of_all()}, NULL, 1);
}

static void
collect_ids_into_null(void)
{
    pqt_tree_collect_ids(small_tree(2), (pqt_query[]){query_of_all()}, NULL, 1);
}

/* Makes a query without a relation. There is no default, so it is invalid. */
static void
visit_without_relation(void)
{
    pqt_query query = {.window = whole_plane};
    pqt_tree_visit(small_tree(2), &query, let_pass, NULL);
}

static void
count_by_an_unknown_relation(void)
{
    pqt_tree_count_in(with_grid(small_tree(2), 4),
                      (pqt_query[]){query_of(whole_plane, (pqt_relation)5)});
}

static void (*const mistakes[])(void) = {
    visit_null,
    visit_by_nobody,
    visit_ids_of_null,
    visit_ids_by_nobody,
    visit_columns_of_null,
    visit_columns_by_nobody,
    any_of_null,
    count_null,
    collect_null,
    collect_ids_of_null,
    collect_into_null,
    collect_ids_into_null,
    visit_without_relation,
    count_by_an_unknown_relation,
};

START_TEST(misuse_stops_the_program)
{
    mistakes[_i]();
}
END_TEST

/* Calls one reader after another with NULL in place of a query. */
START_TEST(a_null_query_finds_every_item)
{
    pqt_item found[3];
    const pqt_query all = pqt_query_all();
    uint64_t ids[3];
    pqt_cursor cursor;
    size_t steps = 0;
    const pqt_tree *tree = small_tree(2);
    for (uint64_t id = 1; id <= 3; id++)
        tree = inserted(tree, dot((double)id, 1, id));
    ck_assert_uint_eq(pqt_tree_count_in(tree, NULL), 3);
    ck_assert_uint_eq(pqt_tree_count_in(tree, &all), 3);
    ck_assert_uint_eq(pqt_tree_collect(tree, NULL, found, 3), 3);
    ck_assert_uint_eq(pqt_tree_collect_ids(tree, NULL, ids, 3), 3);
    ck_assert(pqt_tree_any(tree, NULL, &found[0]));
    for (pqt_cursor_open(&cursor, tree, NULL); pqt_cursor_next(&cursor, &found[0]); steps++)
        ck_assert_uint_eq(found[0].id, ids[steps]);
    ck_assert_uint_eq(steps, 3);
    ck_assert_ptr_eq(pqt_tree_search(tree, NULL, NULL), tree);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("query");
    TCase *visits = add_tests(suite, "visit");
    tcase_add_test(visits, visit_yields_each_match_once);
    tcase_add_test(visits, items_are_visited_along_the_z_curve);
    tcase_add_test(visits, larger_items_are_visited_before_those_in_the_quadrants);
    tcase_add_test(visits, the_order_of_visits_is_the_same_for_each_history_and_capacity);
    tcase_add_test(visits, a_window_keeps_the_order);
    tcase_add_test(visits, an_empty_version_is_visited_to_its_end);
    tcase_add_test(visits, a_visitor_that_returns_false_is_not_called_again);
    tcase_add_test(visits, a_visitor_of_runs_that_returns_false_is_not_called_again);
    tcase_add_test(visits, runs_contain_the_ids_that_a_visit_yields);
    tcase_add_test(visits, a_large_leaf_that_matches_in_part_yields_several_runs);
    tcase_add_test(visits, small_leaves_are_combined_into_one_run);
    tcase_add_test(visits, large_leaves_inside_are_passed_without_a_copy);
    tcase_add_test(visits, columns_contain_the_items_that_a_visit_yields);
    tcase_add_test(visits, a_visitor_of_columns_that_returns_false_is_not_called_again);
    tcase_add_test(visits, columns_that_are_copied_are_at_most_64_at_a_time);
    tcase_add_test(visits, columns_of_leaves_inside_are_not_copied);
    TCase *answers = add_tests(suite, "answers");
    tcase_add_test(answers, any_returns_the_first_item_in_tree_order);
    tcase_add_test(answers, any_does_not_write_the_item_if_it_finds_none);
    tcase_add_test(answers, collect_returns_the_number_of_all_matches_and_writes_those_that_fit);
    tcase_add_test(answers, collecting_with_capacity_0_counts);
    tcase_add_test(answers, the_query_for_all_misses_nothing);
    tcase_add_test(answers, a_null_query_finds_every_item);
    tcase_add_test(answers, a_filter_applies_to_every_form_of_query);
    tcase_add_test(answers, a_count_does_not_enter_subtrees_inside_the_window);
    tcase_add_test(answers, statistics_count_nodes_entered_and_boxes_tested);
    tcase_add_test(answers, statistics_are_added_up);
    tcase_add_test(answers, a_stopped_visit_does_not_continue);
    tcase_add_test(answers, reading_allocates_nothing);
    tcase_add_misuse_tests(answers, misuse_stops_the_program, sizeof mistakes / sizeof *mistakes);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
