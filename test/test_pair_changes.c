/* SPDX-License-Identifier: MIT */
/* test_pair_changes.c - pairs that began or ended, against two plain arrays. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "hooks.h"
#include "random.h"
#include "suite.h"
#include "tree_support.h"
#include "worlds.h"

enum { IDS = 120, ROOM = 2 * IDS * IDS };

/* What a version must hold, by id; and which of two items is the first in tree order. */
typedef struct sheet {
    bool there[IDS];
    pqt_item items[IDS];
    size_t rank[IDS];
} sheet;

static bool
rank_next(const pqt_item *item, void *context)
{
    sheet *s = context;
    s->rank[item->id] = s->rank[IDS - 1]++;
    return true;
}

/* The last id is never in a tree: its rank counts. */
static void
rank_items(sheet *s, const pqt_tree *tree)
{
    s->rank[IDS - 1] = 0;
    pqt_tree_visit(tree, pqt_query_all(), rank_next, s);
}

/* A pair, told or expected. */
typedef struct turn {
    pqt_pair_change change;
    pqt_item a, b;
} turn;

typedef struct turns {
    size_t count, most; /* most: stop there */
    turn all[ROOM];
} turns;

static bool
note_turn(pqt_pair_change change, const pqt_item *a, const pqt_item *b, void *context)
{
    turns *t = context;
    t->all[t->count++] = (turn){change, *a, *b};
    return t->count != t->most;
}

static int
by_ids(const void *x, const void *y)
{
    const turn *a = x, *b = y;
    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    if (a->a.id != b->a.id)
        return a->a.id < b->a.id ? -1 : 1;
    return a->b.id < b->b.id ? -1 : a->b.id > b->b.id;
}

static bool
have_odd_sum(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    return (a->id + b->id) % 2 == 1;
}

/* A filter that looks at boxes, so that a move may change its mind, and at which item is the
   first. */
static bool
first_is_not_wider(const pqt_item *a, const pqt_item *b, void *context)
{
    (void)context;
    return a->box.max.x - a->box.min.x <= b->box.max.x - b->box.min.x;
}

/* Items `i` and `j` as a pair of a version: false if they are none. */
static bool
are_pair(const sheet *s, pqt_pair_query query, size_t i, size_t j, turn *pair)
{
    if (!s->there[i] || !s->there[j])
        return false;
    bool in_order = s->rank[i] < s->rank[j];
    pair->a = s->items[in_order ? i : j];
    pair->b = s->items[in_order ? j : i];
    if (!pqt_box_relates(pair->a.box, pair->b.box, query.relation)) {
        pqt_item first = pair->a;
        pair->a = pair->b;
        pair->b = first;
        if (query.relation < PQT_INSIDE ||
            !pqt_box_relates(pair->a.box, pair->b.box, query.relation))
            return false;
    }
    return query.filter == NULL || query.filter(&pair->a, &pair->b, NULL);
}

static void
expect_turns(const sheet *before, const sheet *after, pqt_pair_query query, turns *t)
{
    bool ordered = query.relation >= PQT_INSIDE;
    t->count = 0;
    for (size_t i = 0; i < IDS; i++) {
        for (size_t j = i + 1; j < IDS; j++) {
            turn then = {.change = PQT_PAIR_ENDED}, now = {.change = PQT_PAIR_BEGAN};
            bool was = are_pair(before, query, i, j, &then),
                 is = are_pair(after, query, i, j, &now);
            if (was && is && (!ordered || then.a.id == now.a.id))
                continue;
            if (was)
                t->all[t->count++] = then;
            if (is)
                t->all[t->count++] = now;
        }
    }
}

/* Two versions and what they must hold. */
typedef struct scene {
    const pqt_tree *before, *after;
    sheet old, new;
} scene;

static void
check_turns(const scene *s, pqt_pair_query query)
{
    static turns told, expected;
    pqt_error error = {0};
    told.count = told.most = 0;
    require(pqt_pairs_visit_changes(s->before, s->after, query, note_turn, &told, &error),
            error.text);
    expect_turns(&s->old, &s->new, query, &expected);
    qsort(told.all, told.count, sizeof(turn), by_ids);
    qsort(expected.all, expected.count, sizeof(turn), by_ids);
    ck_assert_msg(told.count == expected.count, "relation %d: %zu pairs, not %zu",
                  (int)query.relation, told.count, expected.count);
    for (size_t i = 0; i < told.count; i++)
        ck_assert_msg(told.all[i].change == expected.all[i].change &&
                          pqt_item_equals(told.all[i].a, expected.all[i].a) &&
                          pqt_item_equals(told.all[i].b, expected.all[i].b),
                      "relation %d: another pair", (int)query.relation);
}

static void
check_all_turns(const scene *s)
{
    for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
        check_turns(s, (pqt_pair_query){.relation = relation});
        check_turns(s, (pqt_pair_query){.relation = relation, .filter = have_odd_sum});
        check_turns(s, (pqt_pair_query){.relation = relation, .filter = first_is_not_wider});
    }
}

/* A valid box without -0.0, as a tree would keep it. */
static pqt_box
drawn(dice *d, pqt_box bounds, crowd kind)
{
    pqt_box box = draw_box(d, bounds, kind);
    return (pqt_box){{box.min.x + 0.0, box.min.y + 0.0}, {box.max.x + 0.0, box.max.y + 0.0}};
}

/* A little beside where it was, as in a frame of a game; far out, where that would leave the
   doubles, it stays. */
static pqt_box
nudged(dice *d, pqt_box box)
{
    double x = (dice_real(d) - 0.5) * (box.max.x - box.min.x);
    double y = (dice_real(d) - 0.5) * (box.max.y - box.min.y);
    pqt_box there = {{box.min.x + x + 0.0, box.min.y + y + 0.0},
                     {box.max.x + x + 0.0, box.max.y + y + 0.0}};
    return pqt_box_is_valid(there) ? there : box;
}

static const pqt_tree *
tree_of_sheet(const sheet *s, const world *here, int capacity, pqt_memory *memory)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.leaf_capacity = capacity;
    options.unique_ids = true;
    options.memory = memory;
    const pqt_tree *tree = pqt_tree_make(here->bounds, &options, &error);
    for (size_t i = IDS; i-- > 0;)
        if (s->there[i])
            tree = pqt_tree_insert(tree, s->items[i], &error);
    ck_assert_msg(tree != NULL, "%s", error.text);
    return tree;
}

/* Some items moved a little or far, removed, or put in. */
static void
edit(dice *d, scene *s, const world *here, crowd kind, size_t edits)
{
    pqt_error error = {0};
    for (size_t n = 0; n < edits; n++) {
        size_t id = dice_below(d, IDS - 1);
        pqt_item *item = &s->new.items[id];
        bool goes = s->new.there[id] && dice_chance(d, 20);
        bool near = s->new.there[id] && dice_chance(d, 60);
        if (!goes)
            *item = (pqt_item){near ? nudged(d, item->box) : drawn(d, here->bounds, kind), id};
        s->new.there[id] = !goes;
        s->after = goes ? pqt_tree_remove_id(s->after, id, &error)
                        : pqt_tree_insert(s->after, *item, &error);
    }
    ck_assert_msg(s->after != NULL, "%s", error.text);
}

static void
draw_scene(dice *d, scene *s, pqt_memory *memory, const world **here, int *capacity)
{
    static const int capacities[] = {1, 2, 24, 64};
    crowd kind = (crowd)dice_below(d, CROWDS);
    *here = &worlds[dice_below(d, worlds_count)];
    *capacity = capacities[dice_below(d, 4)];
    *s = (scene){.before = NULL};
    for (size_t i = 0; i < IDS - 1; i++) {
        s->old.there[i] = !dice_chance(d, 10);
        s->old.items[i] = (pqt_item){drawn(d, (*here)->bounds, kind), i};
    }
    s->new = s->old;
    s->before = s->after = tree_of_sheet(&s->old, *here, *capacity, memory);
    edit(d, s, *here, kind, dice_chance(d, 10) ? 2 * IDS : dice_below(d, 30));
    rank_items(&s->old, s->before);
    rank_items(&s->new, s->after);
}

static void
compare_with_arrays(dice *d, pqt_memory *memory, size_t rounds)
{
    static scene s;
    const world *here;
    int capacity;
    for (size_t round = 0; round < rounds; round++) {
        draw_scene(d, &s, memory == NULL ? arena : memory, &here, &capacity);
        check_all_turns(&s);
        require(pqt_tree_check(s.before, NULL), "the version before was changed");
        require(pqt_tree_check(s.after, NULL), "the version after was changed");
        if (memory != NULL)
            continue;
        close_arena();
        open_arena();
    }
}

START_TEST(pair_changes_are_those_of_plain_arrays)
{
    dice d = {test_seed("pair changes in an arena")};
    compare_with_arrays(&d, NULL, test_scaled(120));
}
END_TEST

START_TEST(pair_changes_on_the_collector_are_those_of_plain_arrays)
{
    dice d = {test_seed("pair changes on the collector")};
    if (pqt_collector() != NULL)
        compare_with_arrays(&d, pqt_collector(), test_scaled(40));
}
END_TEST

START_TEST(pair_changes_stand_collections_at_each_allocation)
{
    static scene s;
    dice d = {test_seed("pair changes while collecting")};
    const world *here;
    int capacity;
    for (size_t round = 0; round < 3 && pqt_collector() != NULL; round++) {
        draw_scene(&d, &s, pqt_collector(), &here, &capacity);
        hooks watch = {.collect_every = 1, .memory = pqt_collector()};
        hooks_start(&watch);
        check_all_turns(&s);
        hooks_stop();
        ck_assert_uint_gt(watch.collections, 0);
    }
}
END_TEST

static void
note_all(const pqt_tree *before, const pqt_tree *after, pqt_relation relation, turns *t)
{
    pqt_error error = {0};
    t->count = t->most = 0;
    require(pqt_pairs_visit_changes(before, after, (pqt_pair_query){.relation = relation},
                                    note_turn, t, &error),
            error.text);
}

START_TEST(the_order_of_pair_changes_does_not_depend_on_how_versions_came_to_be)
{
    static scene s;
    static turns first, second;
    dice d = {test_seed("order of pair changes")};
    const world *here;
    int capacity;
    for (size_t round = 0; round < test_scaled(30); round++) {
        draw_scene(&d, &s, arena, &here, &capacity);
        const pqt_tree *stranger = tree_of_sheet(&s.new, here, capacity, arena);
        for (pqt_relation relation = PQT_TOUCHES; relation <= PQT_COVERS; relation++) {
            note_all(s.before, s.after, relation, &first);
            note_all(s.before, stranger, relation, &second);
            ck_assert_uint_eq(first.count, second.count);
            for (size_t i = 0; i < first.count; i++)
                ck_assert(by_ids(&first.all[i], &second.all[i]) == 0);
        }
    }
}
END_TEST

/* Of 32 boxes in a row, each beside its neighbours, every second one moves down. */
static void
make_row(const pqt_tree **before, const pqt_tree **after)
{
    sheet s = {.rank = {0}};
    const world here = {"row", {{0, 0}, {64, 64}}};
    pqt_error error = {0};
    for (size_t i = 0; i < 32; i++) {
        s.there[i] = true;
        s.items[i] = (pqt_item){{{2.0 * (double)i, 1}, {2.0 * (double)i + 2, 2}}, i};
    }
    *before = *after = tree_of_sheet(&s, &here, 2, arena);
    for (size_t i = 0; i < 32; i += 2) {
        pqt_box down = {{s.items[i].box.min.x, 3}, {s.items[i].box.max.x, 4}};
        *after = pqt_tree_move_id(*after, i, down, &error);
    }
    ck_assert_msg(*after != NULL, "%s", error.text);
}

START_TEST(each_failed_allocation_is_told_and_nothing_is_visited)
{
    static turns t;
    const pqt_tree *before, *after;
    pqt_error error = {0};
    hooks watch = {.fail_at = 0};
    bool found = false;
    make_row(&before, &after);
    while (!found) {
        error = (pqt_error){0};
        t.count = t.most = 0;
        watch.fail_at++;
        hooks_start(&watch);
        found = pqt_pairs_visit_changes(before, after, (pqt_pair_query){.relation = PQT_TOUCHES},
                                        note_turn, &t, &error);
        hooks_stop();
        ck_assert(found == (watch.failures == 0));
        ck_assert_int_eq(error.status, found ? PQT_OK : PQT_ERROR_MEMORY);
        ck_assert(found || t.count == 0);
        ck_assert_uint_eq(hooks_kept_blocks(&watch), 0);
    }
    ck_assert_uint_gt(watch.fail_at, 4);
    ck_assert_uint_eq(t.count, 31);
}
END_TEST

START_TEST(a_visitor_stops_the_search_at_any_pair)
{
    static turns all, some;
    const pqt_tree *before, *after;
    make_row(&before, &after);
    note_all(before, after, PQT_TOUCHES, &all);
    for (size_t most = 1; most <= all.count; most++) {
        some.count = 0;
        some.most = most;
        ck_assert(pqt_pairs_visit_changes(before, after, (pqt_pair_query){.relation = PQT_TOUCHES},
                                          note_turn, &some, NULL));
        ck_assert_uint_eq(some.count, most);
        ck_assert(by_ids(&some.all[most - 1], &all.all[most - 1]) == 0);
    }
}
END_TEST

START_TEST(pair_changes_fail_as_they_should)
{
    static turns t;
    const pqt_tree *before, *after;
    const world wider = {"wider", {{0, 0}, {65, 64}}};
    const sheet nothing = {.rank = {0}};
    pqt_error error = {0};
    pqt_pair_query query = {.relation = PQT_TOUCHES};
    make_row(&before, &after);
    note_all(before, before, PQT_TOUCHES, &t);
    ck_assert_uint_eq(t.count, 0);
    ck_assert(!pqt_pairs_visit_changes(before, tree_of_sheet(&nothing, &wider, 2, arena), query,
                                       note_turn, &t, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert(!pqt_pairs_visit_changes(NULL, after, query, note_turn, &t, &error));
    ck_assert(!pqt_pairs_visit_changes(before, NULL, query, note_turn, &t, NULL));
    ck_assert_uint_eq(t.count, 0);
}
END_TEST

enum { SPREAD = 100000, MOVED = 100 };

/* Many items, of which few move: by a little, or across the world. */
static void
count_among_many(pqt_vec by, turns *t, pqt_tally *tally)
{
    pqt_item *items = malloc(SPREAD * sizeof *items);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    dice d = {42};
    pqt_error error = {0};
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < SPREAD; i++) {
        pqt_vec min = {dice_real(&d) * 5000, dice_real(&d) * 5000};
        items[i] = (pqt_item){{min, {min.x + dice_real(&d) * 31, min.y + dice_real(&d) * 31}}, i};
    }
    options.unique_ids = true;
    options.memory = arena;
    const pqt_tree *before = pqt_tree_make((pqt_box){{0, 0}, {10000, 10000}}, &options, &error);
    before = pqt_tree_insert_all(before, items, SPREAD, &error);
    const pqt_tree *after = before;
    for (size_t i = 0; i < MOVED; i++) {
        pqt_box box = items[i * 777].box;
        pqt_box there = {pqt_vec_add(box.min, by), pqt_vec_add(box.max, by)};
        after = pqt_tree_move_id(after, i * 777, there, &error);
    }
    ck_assert_msg(after != NULL, "%s", error.text);
    pqt_pair_query query = {.relation = PQT_TOUCHES, .tally = tally};
    t->count = t->most = 0;
    ck_assert(pqt_pairs_visit_changes(before, after, query, note_turn, t, &error));
    free(items);
}

START_TEST(pair_changes_of_few_among_many_visit_few_nodes)
{
    static turns t;
    pqt_tally near = {0}, far = {0};
    count_among_many((pqt_vec){5, -5}, &t, &near);
    ck_assert_uint_gt(t.count, 10);
    ck_assert_uint_lt(near.nodes + near.leaves, MOVED * 50);
    count_among_many((pqt_vec){4900, 4900}, &t, &far);
    ck_assert_uint_gt(t.count, 10);
    ck_assert_uint_lt(far.nodes + far.leaves, MOVED * 70);
    ck_assert_uint_lt(far.boxes, MOVED * 300);
}
END_TEST

/* Points never overlap, however many lie at one place; a box around them overlaps all. */
START_TEST(pair_changes_among_many_identical_boxes_look_at_those_that_are_pairs)
{
    enum { MANY = IDS * IDS };
    static pqt_item items[MANY];
    static turns t;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_tally tally = {0};
    pqt_pair_query query = {.relation = PQT_OVERLAPS, .tally = &tally};
    for (size_t i = 0; i < MANY; i++)
        items[i] = (pqt_item){{{7, 7}, {7, 7}}, i};
    options.unique_ids = true;
    options.memory = arena;
    const pqt_tree *points = pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &options, &error);
    points = pqt_tree_insert_all(points, items, MANY, &error);
    const pqt_tree *less = pqt_tree_remove_id(points, 5, &error);
    const pqt_tree *around = pqt_tree_move_id(points, 5, (pqt_box){{6, 6}, {8, 8}}, &error);
    ck_assert_msg(around != NULL, "%s", error.text);
    ck_assert(pqt_pairs_visit_changes(points, less, query, note_turn, &t, &error));
    ck_assert_uint_eq(t.count, 0);
    ck_assert_uint_lt(tally.boxes, 200);
    ck_assert(pqt_pairs_visit_changes(less, around, query, note_turn, &t, &error));
    ck_assert_uint_eq(t.count, MANY - 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("pair_changes");
    TCase *tcase = add_tests(suite, "pair_changes");
    tcase_add_test(tcase, pair_changes_are_those_of_plain_arrays);
    tcase_add_test(tcase, pair_changes_on_the_collector_are_those_of_plain_arrays);
    tcase_add_test(tcase, pair_changes_stand_collections_at_each_allocation);
    tcase_add_test(tcase, the_order_of_pair_changes_does_not_depend_on_how_versions_came_to_be);
    tcase_add_test(tcase, each_failed_allocation_is_told_and_nothing_is_visited);
    tcase_add_test(tcase, a_visitor_stops_the_search_at_any_pair);
    tcase_add_test(tcase, pair_changes_fail_as_they_should);
    tcase_add_test(tcase, pair_changes_of_few_among_many_visit_few_nodes);
    tcase_add_test(tcase, pair_changes_among_many_identical_boxes_look_at_those_that_are_pairs);
    return run_suite(suite);
}
